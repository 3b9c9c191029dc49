//! The dry run of preemption on one node: remove every pod of lower priority, check whether the
//! preemptor fits, then reprieve as many pods as possible, those that violate a budget first, and
//! the most important ones first.
//!
//! Upstream: `pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go`
//! `SelectVictimsOnNode` (1.37).

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;

pub(crate) use super::dry_run_context::DryRunContext;
use super::importance;
use super::potential_victims::{PotentialVictims, VictimTable, by_index};
use super::step::StepDoc;
use super::units::{EvictionUnit, UnitRank};
pub use super::victim::{Blocker, ReprieveAttempt, Victim};
use super::victim::{EvictedPod, PotentialVictim, VictimSums};
use crate::framework::cycle::{NodeState, PreparedCycle};
use crate::framework::extender;
use crate::framework::failure::StepFailure;
use crate::framework::plugin::Cycle;
use crate::framework::reason::{Message, Obstacle, ReasonText, When};
use crate::framework::status::{FilterVerdict, Rejection};
use model::cluster::Cluster;
use model::cluster::budget::BudgetIx;
use model::cluster::node::NodeIx;
use model::cluster::pod::PodIx;
use profile::history::Preemption;

/// There is no pod of lower priority.
pub(super) static NO_VICTIMS: Message = Message {
    code: "PRE-302",
    text: "No preemption victims found for incoming pod",
    meaning: "No pod on the node has a lower priority, so no pod can be evicted; PDBs do not matter here.",
    preemption: "Never, unless priorities change.",
    remedy: "give the pod a higher PriorityClass than pods it may replace, or make room otherwise",
    obstacle: Obstacle::Pod,
    when: When::Rows(&[|f| f.preemption.no_victims_unnamed]),
    source: "pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go (1.37)",
};

/// The same in older versions.
pub(super) static NO_VICTIMS_NAMED: Message = Message {
    code: "PRE-303",
    text: "No victims found on node {} for preemptor pod {}",
    when: When::Rows(&[
        |f| !f.preemption.no_victims_unnamed,
        |f| f.preemption.nobody_to_evict_is_no_candidate,
    ]),
    source: "pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go (1.23)",
    ..NO_VICTIMS
};

/// The step that removes pods.
pub(super) static STEP: StepDoc = StepDoc {
    code: "PRE-403",
    name: "dry run",
    meaning: "On each potential node every pod of lower priority is removed; if the pod does not fit even then, the node is no candidate.",
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go (1.37)",
};

/// The step that brings them back.
pub(super) static REPRIEVE: StepDoc = StepDoc {
    code: "PRE-406",
    name: "reprieve",
    meaning: "One by one, the most important first, pods are added back: if the pod still fits, that pod is reprieved, otherwise it is a victim.",
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go (1.37)",
};

/// The result of a dry run.
#[derive(Debug, Clone, PartialEq)]
pub enum DryRun {
    /// The pod fits once the victims are evicted.
    Candidate(Candidate),
    /// The pod does not fit even without the pods of lower priority, or there are none.
    NoCandidate {
        /// The plugin that still rejects the node; `None` if there were no pods to evict.
        plugin: Option<&'static str>,
        rejection: Rejection,
        /// Whether the pod may fit, depending on which of the topology domains with the fewest pods
        /// the scheduler tracks.
        domains_tie: bool,
    },
    /// The dry run failed, so the node is no candidate.
    Failed(StepFailure),
}

impl DryRun {
    /// Whether the result depends on which of the topology domains with the fewest pods the
    /// scheduler tracks.
    pub(super) const fn domains_tie(&self) -> bool {
        match self {
            Self::Candidate(Candidate { domains_tie, .. })
            | Self::NoCandidate { domains_tie, .. } => *domains_tie,
            Self::Failed(_) => false,
        }
    }

    /// Why the dry run failed, if it did.
    #[must_use]
    pub fn failure(&self) -> Option<&StepFailure> {
        match self {
            Self::Failed(failure) => Some(failure),
            Self::Candidate(_) | Self::NoCandidate { .. } => None,
        }
    }
}

/// A node on which the preemptor fits once the victims are evicted.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "each is a doubt of its own")]
pub struct Candidate {
    pub node: NodeIx,
    /// Pods to evict, in the scheduler's order.
    pub victims: Vec<Victim>,
    /// How many of them violate a budget.
    pub violations: usize,
    /// Reprieved pods, in the order in which they were added back.
    pub reprieved: Vec<PodIx>,
    /// All potential victims in the order in which their reprieve was tried. An extender may have
    /// changed the victims since.
    pub reprieve_order: Arc<[ReprieveAttempt]>,
    /// Whether the victims depend on the order of budgets, which the API does not show.
    pub depends_on_budget_order: bool,
    /// Whether pods of groups are among the potential victims and an order that the API does not
    /// show may change who is evicted.
    pub groups_tie: bool,
    /// Whether the victims may depend on which of the topology domains with the fewest pods the
    /// scheduler tracks.
    pub domains_tie: bool,
    /// Whether two of the potential victims may be equally important.
    pub(super) pods_tie: bool,
    /// What the tie-break reads of the victims; `None` where they are not those of the dry run.
    pub(super) sums: Option<VictimSums>,
}

impl Candidate {
    /// Whether the pod is one of the victims.
    pub(crate) fn evicts(&self, pod: PodIx) -> bool {
        self.victims.iter().any(|victim| victim.pod == pod)
    }
}

/// Runs the dry run on `node`. `order` ranks the budgets, see [`DryRunContext::count_violations`].
#[must_use]
pub(crate) fn run(
    prepared: &PreparedCycle,
    node: NodeIx,
    context: &DryRunContext,
    order: &dyn Fn(BudgetIx) -> usize,
) -> DryRun {
    let cycle = &prepared.cycle;
    let cluster = cycle.cluster();
    let lower = |pod: &PodIx| context.units.priority(cluster.pod(*pod)) < cycle.pod.priority;
    // Assumed pods count too.
    let potential: Vec<PodIx> = cycle.view.info(node).pods.iter().copied().filter(lower).collect();
    if potential.is_empty() && cycle.features().preemption.nobody_to_evict_is_no_candidate {
        return nobody_to_evict(cycle, node);
    }
    of_pods(prepared, node, &potential, context, order)
}

/// The same with the budgets in the order of their index, where the potential victims of preemptors
/// of the same priority may be known from an earlier decision.
#[must_use]
pub(crate) fn run_known(
    prepared: &PreparedCycle,
    node: NodeIx,
    context: &DryRunContext,
    table: &VictimTable,
) -> DryRun {
    let Some(known) = table.of(node, context) else {
        return run(prepared, node, context, &by_index);
    };
    let cycle = &prepared.cycle;
    if known.is_empty() && cycle.features().preemption.nobody_to_evict_is_no_candidate {
        return nobody_to_evict(cycle, node);
    }
    of_known(prepared, node, &known, context)
}

/// The dry run of a node without pods of lower priority, in releases where such a node is no
/// candidate.
fn nobody_to_evict(cycle: &Cycle, node: NodeIx) -> DryRun {
    DryRun::NoCandidate {
        plugin: None,
        rejection: Rejection::unresolvable(no_victims(cycle, node)),
        domains_tie: false,
    }
}

/// The same with these pods of the node, and those that are evicted together with them, as
/// potential victims; all others stay.
#[must_use]
pub(crate) fn of_pods(
    prepared: &PreparedCycle,
    node: NodeIx,
    potential: &[PodIx],
    context: &DryRunContext,
    order: &dyn Fn(BudgetIx) -> usize,
) -> DryRun {
    let (cluster, features) = (prepared.cycle.cluster(), &prepared.cycle.features().preemption);
    let mut state = prepared.node_state(node);
    if let Some(error) = state.missing_state() {
        return DryRun::Failed(error.into());
    }

    // Take every potential victim off the node first: if the pod does not fit even then, no set of
    // evictions helps on this node, and nothing more has to be tried.
    let mut units = context.units.of(potential);
    for unit in &units {
        remove(unit, &mut state, cluster);
    }
    let domains_tie = match fits_without_victims(&state, prepared) {
        Ok(domains_tie) => domains_tie,
        Err(no_candidate) => return *no_candidate,
    };

    // The most important pods use up a budget first, whether or not they are evicted in the end.
    context.sort(&mut units);
    let pods_tie = context.may_tie(&units);
    let mut pods = context.with_budgets(&units);
    let depends_on_budget_order = context.count_violations(&mut pods, order);

    // Reprieve as many as possible. Units whose eviction violates a budget come first, so that they
    // have the best chance to stay; among these and among the others the most important one comes
    // first.
    let potential = PotentialVictim::in_order_of_reprieve(units, pods);
    let reprieve_order = potential.iter().flat_map(attempts).collect();
    let Reprieve { mut victims, reprieved, order_dependent } =
        reprieve(&mut state, &potential, cluster);
    let groups_tie = depends_on_group_order(&potential, &victims, context.now, features);

    if victims.is_empty()
        && let Some(no_candidate) = without_victims(&prepared.cycle, node, domains_tie)
    {
        return no_candidate;
    }

    // Parity: victims that violate a budget come before the others, unless the release sorts all by
    // importance again. It does so only if there were potential victims of both kinds; the sort is
    // unstable, so that makes a difference.
    let violating = potential.partition_point(PotentialVictim::violates_pdb);
    let both_kinds = violating > 0 && violating < potential.len();
    if both_kinds && features.victims_sorted_again {
        sort_victims(&mut victims, potential, prepared, context);
    }

    let violations = victims.iter().filter(|victim| !victim.violates.is_empty()).count();
    let mut sums = VictimSums::new(violations);
    for victim in &victims {
        let pod = cluster.pod(victim.pod);
        sums.add(pod.priority, pod.start_time.unwrap_or(context.now));
    }
    DryRun::Candidate(Candidate {
        node,
        violations,
        victims,
        reprieved,
        reprieve_order,
        depends_on_budget_order,
        groups_tie,
        domains_tie: domains_tie || order_dependent,
        pods_tie,
        sums: Some(sums),
    })
}

/// The dry run with potential victims that are known, see [`PotentialVictims`].
fn of_known(
    prepared: &PreparedCycle,
    node: NodeIx,
    known: &PotentialVictims,
    context: &DryRunContext,
) -> DryRun {
    let mut state = prepared.node_state_of(&known.rest);
    if let Some(error) = state.missing_state() {
        return DryRun::Failed(error.into());
    }
    let domains_tie = match fits_without_victims(&state, prepared) {
        Ok(domains_tie) => domains_tie,
        Err(no_candidate) => return *no_candidate,
    };

    // Reprieve as many as possible, as in `of_pods`.
    let order = known.order(context);
    let mut evicted: Vec<EvictedPod> = Vec::new();
    let mut reprieved: Vec<PodIx> = Vec::with_capacity(order.attempts.len());
    let mut order_dependent = false;
    for (at, (attempt, facts)) in order.attempts.iter().zip(&order.facts).enumerate() {
        let footprint = context.view.footprint_of(facts.requests);
        state.add_known(attempt.pod, footprint);
        let rejected_by = state.rejected_by();
        order_dependent |= state.is_order_dependent(rejected_by);
        if rejected_by.is_none() {
            reprieved.push(attempt.pod);
        } else {
            state.remove_known(attempt.pod, footprint);
            evicted.push(EvictedPod { at, pod: attempt.pod, facts: *facts });
        }
    }
    if evicted.is_empty()
        && let Some(no_candidate) = without_victims(&prepared.cycle, node, domains_tie)
    {
        return no_candidate;
    }

    let violations = evicted.iter().filter(|evicted| evicted.at < order.violating()).count();
    if order.has_both_kinds() && context.features().victims_sorted_again {
        known.sort_by_importance(&mut evicted, &order, context);
    }
    let mut victims = Vec::with_capacity(evicted.len());
    let mut sums = VictimSums::new(violations);
    for EvictedPod { at, pod, facts } in evicted {
        sums.add(facts.priority, facts.start);
        victims.push(Victim { pod, violates: order.violates(at), blocks: None, together: None });
    }
    DryRun::Candidate(Candidate {
        node,
        violations,
        victims,
        reprieved,
        reprieve_order: Arc::clone(&order.attempts),
        depends_on_budget_order: order.depends_on_budget_order,
        groups_tie: false,
        domains_tie: domains_tie || order_dependent,
        pods_tie: order.pods_tie,
        sums: Some(sums),
    })
}

/// Whether the pod fits on a node that has no potential victims any more, and if so, whether that
/// depends on which of several topology domains the scheduler tracks.
///
/// # Errors
/// The dry run of a node on which it does not.
fn fits_without_victims(state: &NodeState, prepared: &PreparedCycle) -> Result<bool, Box<DryRun>> {
    let rejected = state.check();
    let domains_tie =
        state.is_order_dependent(rejected.as_ref().map(|(rejected_by, _)| *rejected_by));
    match rejected {
        None | Some((_, FilterVerdict::Fits)) => Ok(domains_tie),
        Some((plugin, FilterVerdict::Rejected(rejection))) => {
            let plugin = Some(plugin);
            Err(Box::new(DryRun::NoCandidate { plugin, rejection, domains_tie }))
        }
        Some((plugin, FilterVerdict::Failed(failure))) => {
            Err(Box::new(DryRun::Failed(prepared.filter_failure(plugin, failure))))
        }
    }
}

/// The dry run of a node on which every pod may stay: it is no candidate, because preemption would
/// change nothing there. `None` where it is one nevertheless.
fn without_victims(cycle: &Cycle, node: NodeIx, domains_tie: bool) -> Option<DryRun> {
    let features = &cycle.features().preemption;
    if !features.nobody_evicted_is_no_candidate {
        return None;
    }
    if !features.extenders_find_victims {
        let name = cycle.cluster().text(cycle.cluster().node(node).name);
        let error = format!("expected at least one victim pod on node {name:?}");
        return Some(DryRun::Failed(error.into()));
    }
    if extender::takes_part_in_preemption(cycle) {
        return None;
    }
    let rejection = Rejection::unresolvable(no_victims(cycle, node));
    Some(DryRun::NoCandidate { plugin: None, rejection, domains_tie })
}

/// What would reject the preemptor if a victim stayed, by victim: repeats the reprieve pass by
/// which a candidate was found.
#[must_use]
pub(crate) fn blocks(
    prepared: &PreparedCycle,
    candidate: &Candidate,
    context: &DryRunContext,
) -> BTreeMap<PodIx, Blocker> {
    let cluster = prepared.cycle.cluster();
    let mut state = prepared.node_state(candidate.node);
    let pods: Vec<PodIx> = candidate.reprieve_order.iter().map(|attempt| attempt.pod).collect();
    let units = context.units.of(&pods);
    for unit in &units {
        remove(unit, &mut state, cluster);
    }
    let mut found = BTreeMap::new();
    for unit in &units {
        add(unit, &mut state, cluster);
        let Some((plugin, verdict)) = state.check() else { continue };
        remove(unit, &mut state, cluster);
        if let FilterVerdict::Rejected(rejection) = verdict {
            found.extend(unit.pods.iter().map(|pod| (*pod, (plugin, rejection.clone()))));
        }
    }
    found
}

/// The attempts to reprieve the pods of a unit.
fn attempts(potential: &PotentialVictim) -> impl Iterator<Item = ReprieveAttempt> {
    potential
        .unit
        .pods
        .iter()
        .map(|pod| ReprieveAttempt { pod: *pod, violates_pdb: potential.violates_pdb() })
}

/// Adds the pods of a unit back to their nodes.
fn add(unit: &EvictionUnit, state: &mut NodeState, cluster: &Cluster) {
    for (pod, node) in placed(unit, state.node(), cluster) {
        state.add_pod_on(pod, node);
    }
}

/// Removes the pods of a unit from their nodes.
fn remove(unit: &EvictionUnit, state: &mut NodeState, cluster: &Cluster) {
    for (pod, node) in placed(unit, state.node(), cluster) {
        state.remove_pod_from(pod, node);
    }
}

/// The pods of a unit with their nodes; a pod that is evicted alone is on this one.
fn placed(
    unit: &EvictionUnit,
    node: NodeIx,
    cluster: &Cluster,
) -> impl Iterator<Item = (PodIx, NodeIx)> {
    let alone = unit.together.is_none();
    let node_of = move |pod: PodIx| if alone { Some(node) } else { cluster.node_of(pod) };
    unit.pods.iter().filter_map(move |pod| Some((*pod, node_of(*pod)?)))
}

/// Whether two units tie in every ordering criterion but differ in their outcome, with units of
/// groups among them.
fn depends_on_group_order(
    potential: &[PotentialVictim],
    victims: &[Victim],
    now: Timestamp,
    features: &Preemption,
) -> bool {
    if potential.iter().all(|potential| potential.unit.rank == UnitRank::Pod) {
        return false;
    }
    // Whether each unit is evicted, and violates a budget.
    let outcomes: Vec<(bool, bool)> = potential
        .iter()
        .map(|potential| (potential.is_evicted(victims), potential.violates_pdb()))
        .collect();
    for (index, (a, outcome)) in potential.iter().zip(&outcomes).enumerate() {
        for (b, other_outcome) in potential.iter().zip(&outcomes).take(index) {
            if outcome != other_outcome && importance::units_tie(&a.unit, &b.unit, now, features) {
                return true;
            }
        }
    }
    false
}

/// Upstream's reason for a node without pods of lower priority.
fn no_victims(cycle: &Cycle, node: NodeIx) -> ReasonText {
    if cycle.features().preemption.no_victims_unnamed {
        return NO_VICTIMS.reason();
    }
    let (node, pod) = (cycle.cluster().text(cycle.cluster().node(node).name), &cycle.pod.name);
    NO_VICTIMS_NAMED.with([node, pod])
}

/// The outcome of the reprieve pass.
struct Reprieve {
    victims: Vec<Victim>,
    reprieved: Vec<PodIx>,
    /// Whether another order of topology domains, which the API does not show, may lead to other
    /// victims.
    order_dependent: bool,
}

/// Adds the units back one by one. Those with which the preemptor does not fit are the victims.
fn reprieve(state: &mut NodeState, potential: &[PotentialVictim], cluster: &Cluster) -> Reprieve {
    let (mut victims, mut reprieved, mut order_dependent) = (Vec::new(), Vec::new(), false);
    for potential in potential {
        let unit = &potential.unit;
        add(unit, state, cluster);
        let rejected_by = state.rejected_by();
        order_dependent |= state.is_order_dependent(rejected_by);
        if rejected_by.is_none() {
            reprieved.extend(unit.pods.iter().copied());
            continue;
        }
        remove(unit, state, cluster);
        victims.extend(potential.victims(None));
    }
    Reprieve { victims, reprieved, order_dependent }
}

/// Sorts the victims by importance.
fn sort_victims(
    victims: &mut [Victim],
    potential: Vec<PotentialVictim>,
    prepared: &PreparedCycle,
    context: &DryRunContext,
) {
    let cycle = &prepared.cycle;
    let evicted = potential.into_iter().filter(|potential| potential.is_evicted(victims));
    let mut units: Vec<EvictionUnit> = evicted.map(|potential| potential.unit).collect();
    importance::sort(&mut units, cycle.cluster(), context.now, &cycle.features().preemption);
    let order: Vec<PodIx> = units.into_iter().flat_map(|unit| unit.pods).collect();
    victims.sort_by_key(|victim| order.iter().position(|pod| *pod == victim.pod));
}

#[cfg(test)]
mod tests;

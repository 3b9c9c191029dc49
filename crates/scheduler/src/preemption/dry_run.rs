//! The dry run of preemption on one node: remove every pod of lower priority, check whether the
//! preemptor fits, then reprieve as many pods as possible, those that violate a budget first, and
//! the most important ones first.
//!
//! Upstream: `pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go`
//! `SelectVictimsOnNode` (1.37).

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::budgets::{BudgetIndex, VictimBudgets, count_violations};
use super::importance;
use super::step::StepDoc;
use super::units::{Rank, Unit, Units};
use super::victim::PotentialVictim;
pub use super::victim::Victim;
use crate::framework::cluster_view::ClusterView;
use crate::framework::cycle::{NodeState, PreparedCycle};
use crate::framework::extender;
use crate::framework::failure::Failure;
use crate::framework::plugin::Cycle;
use crate::framework::reason::{Message, Obstacle, ReasonText, When};
use crate::framework::status::{Rejection, Verdict};
use model::cluster::Cluster;
use model::cluster::budget::BudgetIx;
use model::cluster::node::NodeIx;
use model::cluster::pod::PodIx;
use profile::history::{BudgetCounting, Preemption};

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
    meaning: "No pod on the node has a lower priority, so no pod can be evicted; PDBs do not matter here.",
    preemption: "Never, unless priorities change.",
    remedy: "give the pod a higher PriorityClass than pods it may replace, or make room otherwise",
    obstacle: Obstacle::Pod,
    when: When::Rows(&[
        |f| !f.preemption.no_victims_unnamed,
        |f| f.preemption.nobody_to_evict_is_no_candidate,
    ]),
    source: "pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go (1.23)",
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

/// The input of dry runs besides the cycle.
pub(crate) struct DryRunContext<'c> {
    /// Budgets of the cluster.
    pub budgets: BudgetIndex,
    /// Which pods are evicted together.
    pub units: Units<'c>,
    /// The time of the decision; pods that have not started count as started at this time.
    pub now: Timestamp,
}

impl<'c> DryRunContext<'c> {
    /// For the preemptors of a cluster.
    pub(crate) fn new(view: &ClusterView<'c>, now: Timestamp) -> Self {
        let budgets = BudgetIndex::new(view.cluster, &view.profile.features.preemption);
        Self { budgets, units: Units::new(view.cluster, view.profile), now }
    }
}

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
    Failed(Failure),
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
    pub fn failure(&self) -> Option<&Failure> {
        match self {
            Self::Failed(failure) => Some(failure),
            Self::Candidate(_) | Self::NoCandidate { .. } => None,
        }
    }
}

/// A node on which the preemptor fits once the victims are evicted.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
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
    pub reprieve_order: Vec<ReprieveAttempt>,
    /// Whether the victims depend on the order of budgets, which the API does not show.
    pub depends_on_budget_order: bool,
    /// Whether pods of groups are among the potential victims and an order that the API does not
    /// show may change who is evicted.
    pub groups_tie: bool,
    /// Whether the victims may depend on which of the topology domains with the fewest pods the
    /// scheduler tracks.
    pub domains_tie: bool,
}

impl Candidate {
    /// Whether the pod is one of the victims.
    pub(super) fn evicts(&self, pod: PodIx) -> bool {
        self.victims.iter().any(|victim| victim.pod == pod)
    }
}

/// An attempt to reprieve a potential victim by adding it back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReprieveAttempt {
    pub pod: PodIx,
    /// Whether its eviction would violate a budget; such pods are added back first.
    pub violates_pdb: bool,
}

/// Runs the dry run on `node`. `order` ranks the budgets, see [`count_violations`].
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
        return DryRun::NoCandidate {
            plugin: None,
            rejection: Rejection::unresolvable(no_victims(cycle, node)),
            domains_tie: false,
        };
    }
    of_pods(prepared, node, &potential, context, order)
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
    let rejected = state.check();
    let domains_tie = state.is_order_dependent(rejected.as_ref());
    match rejected {
        None | Some((_, Verdict::Fits)) => {}
        Some((plugin, Verdict::Rejected(rejection))) => {
            return DryRun::NoCandidate { plugin: Some(plugin), rejection, domains_tie };
        }
        Some((plugin, Verdict::Failed(failure))) => {
            return DryRun::Failed(prepared.filter_failure(plugin, failure));
        }
    }

    // The most important pods use up a budget first, whether or not they are evicted in the end.
    importance::sort(&mut units, cluster, context.now, features);
    let mut pods: Vec<VictimBudgets> = Vec::new();
    for pod in units.iter().flat_map(|unit| &unit.pods) {
        pods.push(VictimBudgets {
            pod: *pod,
            violates: context.budgets.of(cluster.pod(*pod), cluster),
        });
    }
    let depends_on_budget_order =
        features.budget_counting == BudgetCounting::UntilFirst && depends_on_order(&pods, cluster);
    count_violations(&mut pods, cluster, features, order);

    // Reprieve as many as possible. Units whose eviction violates a budget come first, so that they
    // have the best chance to stay; among these and among the others the most important one comes
    // first.
    let potential = PotentialVictim::in_order_of_reprieve(units, pods);
    let reprieve_order = potential.iter().flat_map(attempts).collect();
    let Reprieve { mut victims, reprieved, order_dependent } =
        reprieve(&mut state, &potential, cluster);
    let groups_tie = depends_on_group_order(&potential, &victims, context.now, features);

    // If every pod may stay, the node is no candidate: preemption would change nothing there.
    if victims.is_empty() && features.nobody_evicted_is_no_candidate {
        if !features.extenders_find_victims {
            let name = cluster.text(cluster.node(node).name);
            return DryRun::Failed(
                format!("expected at least one victim pod on node {name:?}").into(),
            );
        }
        if !extender::takes_part_in_preemption(&prepared.cycle) {
            let rejection = Rejection::unresolvable(no_victims(&prepared.cycle, node));
            return DryRun::NoCandidate { plugin: None, rejection, domains_tie };
        }
    }

    // Parity: victims that violate a budget come before the others, unless the release sorts all by
    // importance again. It does so only if there were potential victims of both kinds; the sort is
    // unstable, so that makes a difference.
    let violating = potential.partition_point(PotentialVictim::violates_pdb);
    let both_kinds = violating > 0 && violating < potential.len();
    if both_kinds && features.victims_sorted_again {
        sort_victims(&mut victims, potential, prepared, context);
    }

    DryRun::Candidate(Candidate {
        node,
        violations: victims.iter().filter(|victim| !victim.violates.is_empty()).count(),
        victims,
        reprieved,
        reprieve_order,
        depends_on_budget_order,
        groups_tie,
        domains_tie: domains_tie || order_dependent,
    })
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
fn add(unit: &Unit, state: &mut NodeState, cluster: &Cluster) {
    for (pod, node) in placed(unit, state.node(), cluster) {
        state.add_pod_on(pod, node);
    }
}

/// Removes the pods of a unit from their nodes.
fn remove(unit: &Unit, state: &mut NodeState, cluster: &Cluster) {
    for (pod, node) in placed(unit, state.node(), cluster) {
        state.remove_pod_from(pod, node);
    }
}

/// The pods of a unit with their nodes; a pod that is evicted alone is on this one.
fn placed(unit: &Unit, node: NodeIx, cluster: &Cluster) -> impl Iterator<Item = (PodIx, NodeIx)> {
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
    if potential.iter().all(|potential| potential.unit.rank == Rank::Pod) {
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
        let rejected = state.check();
        order_dependent |= state.is_order_dependent(rejected.as_ref());
        let Some((plugin, verdict)) = rejected else {
            reprieved.extend(unit.pods.iter().copied());
            continue;
        };
        remove(unit, state, cluster);
        let blocks = if let Verdict::Rejected(rejection) = verdict {
            Some((plugin, rejection))
        } else {
            None
        };
        victims.extend(potential.victims(blocks));
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
    let mut units: Vec<Unit> = evicted.map(|potential| potential.unit).collect();
    importance::sort(&mut units, cycle.cluster(), context.now, &cycle.features().preemption);
    let order: Vec<PodIx> = units.into_iter().flat_map(|unit| unit.pods).collect();
    victims.sort_by_key(|victim| order.iter().position(|pod| *pod == victim.pod));
}

/// Whether a pod has several budgets of which one runs out on this node.
fn depends_on_order(pods: &[VictimBudgets], cluster: &Cluster) -> bool {
    if pods.iter().all(|pod| pod.violates.len() < 2) {
        return false;
    }
    let mut demand: BTreeMap<BudgetIx, i64> = BTreeMap::new();
    for budget in pods.iter().flat_map(|pod| &pod.violates) {
        *demand.entry(*budget).or_default() += 1;
    }
    // Only the budgets that run out remain.
    demand.retain(|budget, demand| cluster.budget(*budget).allowed < *demand);
    pods.iter().any(|pod| {
        pod.violates.len() > 1 && pod.violates.iter().any(|budget| demand.contains_key(budget))
    })
}

#[cfg(test)]
mod tests;

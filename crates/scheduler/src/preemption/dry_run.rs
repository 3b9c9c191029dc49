//! The dry run of preemption on one node: remove every pod of lower priority, check whether the
//! preemptor fits, then reprieve as many pods as possible, those that violate a budget first, and
//! the most important ones first.
//!
//! Upstream: `pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go`
//! `SelectVictimsOnNode` (1.37).

use std::collections::BTreeMap;
use std::sync::Arc;

use super::importance::StepDoc;
use super::potential_victims::{NodeOrder, VictimTable, by_index};
pub(crate) use super::reprieve::DryRunContext;
use super::reprieve::{EvictedUnit, ReprieveOrder};
use super::units::EvictionUnit;
use super::victim::VictimSums;
pub use super::victim::{Blocker, ReprieveAttempt, Victim};
use crate::framework::cycle::{NodeState, PreparedCycle};
use crate::framework::extender;
use crate::framework::failure::StepFailure;
use crate::framework::plugin::Cycle;
use crate::framework::reason::{Message, Obstacle, ReasonText, When};
use crate::framework::status::{FilterVerdict, Rejection};
use model::cluster::budget::BudgetIx;
use model::cluster::node::NodeIx;
use model::cluster::pod::PodIx;

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
    // Assumed pods count too.
    let potential = context.units.below(cycle.pod.priority, &cycle.view.info(node).pods);
    if potential.is_empty() && cycle.features().preemption.nobody_to_evict_is_no_candidate {
        return nobody_to_evict(cycle, node);
    }
    of_units(prepared, node, potential, context, order)
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
    let Some(potential) = table.of(node, context) else {
        return run(prepared, node, context, &by_index);
    };
    let cycle = &prepared.cycle;
    if potential.is_empty() && cycle.features().preemption.nobody_to_evict_is_no_candidate {
        return nobody_to_evict(cycle, node);
    }
    let Some(kind) = prepared.kind_on(node) else {
        let state = prepared.node_state_of(&potential.rest);
        return reprieve(prepared, state, context, || potential.order(context));
    };
    let of_node = cycle.cluster().nodes.shared(node);
    let order = potential.order(context);
    if let Some(evicted) = potential.known_reprieve(kind, of_node, &order) {
        let depends = OrderDependence::default();
        return ReprievePass { order, evicted, depends }.end(prepared, node, context);
    }
    let state = prepared.node_state_of(&potential.rest);
    match reprieve_pass(prepared, state, context, || order) {
        Ok(pass) => {
            potential.remember_reprieve(kind, of_node, &pass.order, &pass.evicted);
            pass.end(prepared, node, context)
        }
        Err(dry_run) => *dry_run,
    }
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
    walk: &dyn Fn(BudgetIx) -> usize,
) -> DryRun {
    of_units(prepared, node, context.units.of(potential), context, walk)
}

fn of_units(
    prepared: &PreparedCycle,
    node: NodeIx,
    units: Vec<EvictionUnit>,
    context: &DryRunContext,
    walk: &dyn Fn(BudgetIx) -> usize,
) -> DryRun {
    let state = without(&units, node, prepared);
    reprieve(prepared, state, context, || Arc::new(NodeOrder::new(units, node, context, walk)))
}

/// The node without the pods of these units.
fn without<'p, 'c>(
    units: &[EvictionUnit],
    node: NodeIx,
    prepared: &'p PreparedCycle<'c>,
) -> NodeState<'p, 'c> {
    let cluster = prepared.cycle.cluster();
    let mut state = prepared.node_state(node);
    for unit in units {
        for pod in &unit.pods {
            if let Some(on) = unit.node_of(*pod, Some(node), cluster) {
                state.remove_pod_from(*pod, on);
            }
        }
    }
    state
}

/// The dry run on a node from which all potential victims have been removed. `order` is asked for
/// once the pod fits there.
fn reprieve(
    prepared: &PreparedCycle,
    state: NodeState,
    context: &DryRunContext,
    order: impl FnOnce() -> Arc<NodeOrder>,
) -> DryRun {
    let node = state.node();
    match reprieve_pass(prepared, state, context, order) {
        Ok(pass) => pass.end(prepared, node, context),
        Err(dry_run) => *dry_run,
    }
}

/// The reprieve pass of a dry run.
struct ReprievePass {
    order: Arc<NodeOrder>,
    /// By unit of the order, whether it is evicted; the others are reprieved.
    evicted: Arc<[bool]>,
    depends: OrderDependence,
}

/// Whether verdicts of a dry run depend on which of several topology domains the scheduler tracks.
#[derive(Debug, Clone, Copy, Default)]
struct OrderDependence {
    /// That on the node without its potential victims.
    without_victims: bool,
    /// Those of the reprieve pass.
    of_reprieve: bool,
}

/// The reprieve pass, or the end of a dry run that comes to none.
fn reprieve_pass(
    prepared: &PreparedCycle,
    mut state: NodeState,
    context: &DryRunContext,
    order: impl FnOnce() -> Arc<NodeOrder>,
) -> Result<ReprievePass, Box<DryRun>> {
    if let Some(error) = state.missing_state() {
        return Err(Box::new(DryRun::Failed(error.into())));
    }

    // If the pod does not fit even without every potential victim, no set of evictions helps on
    // this node, and nothing more has to be tried.
    let domains_tie = fits_without_victims(&state, prepared)?;

    // Reprieve as many as possible. Units whose eviction violates a budget come first, so that they
    // have the best chance to stay; among these and among the others the most important one comes
    // first.
    let order = order();
    let mut evicted: Vec<bool> = Vec::with_capacity(order.order.pods.len());
    let mut order_dependent = false;
    for unit in order.order.units() {
        let rejected_by = unit.put_back(&mut state, context.view, |state| {
            let rejected_by = state.rejected_by();
            order_dependent |= state.is_order_dependent(rejected_by);
            rejected_by
        });
        evicted.push(rejected_by.is_some());
    }
    let depends = OrderDependence { without_victims: domains_tie, of_reprieve: order_dependent };
    Ok(ReprievePass { order, evicted: evicted.into(), depends })
}

impl ReprievePass {
    /// The dry run that it leads to.
    fn end(self, prepared: &PreparedCycle, node: NodeIx, context: &DryRunContext) -> DryRun {
        let Self { order: of_node, evicted: is_evicted, depends } = self;
        let order = &of_node.order;
        let mut evicted: Vec<EvictedUnit> = Vec::new();
        let mut reprieved: Vec<PodIx> = Vec::with_capacity(of_node.attempts.len());
        for (unit, is_evicted) in order.units().zip(is_evicted.iter()) {
            if *is_evicted {
                evicted.push(EvictedUnit { unit, blocks: None });
            } else {
                reprieved.extend(unit.pods());
            }
        }
        if evicted.is_empty()
            && let Some(no_candidate) =
                without_victims(&prepared.cycle, node, depends.without_victims)
        {
            return no_candidate;
        }
        let groups_tie = order.depends_on_group_order(&evicted, context);

        // Parity: victims that violate a budget come before the others, unless the release sorts all by
        // importance again. It does so only if there were potential victims of both kinds; the sort is
        // unstable, so that makes a difference.
        if order.has_both_kinds() && context.features().victims_sorted_again {
            order.sort_by_importance(&mut evicted, context);
        }

        let mut sums = VictimSums::default();
        let mut victims: Vec<Victim> = Vec::with_capacity(evicted.len());
        for evicted in evicted {
            for victim in evicted.unit.pods {
                sums.add(victim.priority, victim.start);
            }
            victims.extend(evicted.victims());
        }
        let violations = victims.iter().filter(|victim| !victim.violates.is_empty()).count();
        DryRun::Candidate(Candidate {
            node,
            violations,
            victims,
            reprieved,
            reprieve_order: Arc::clone(&of_node.attempts),
            depends_on_budget_order: of_node.depends_on_budget_order,
            groups_tie,
            domains_tie: depends.without_victims || depends.of_reprieve,
            pods_tie: of_node.pods_tie,
            sums: Some(VictimSums { violations, ..sums }),
        })
    }
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
        let name = cycle.cluster().node_name(node);
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
    let pods: Vec<PodIx> = candidate.reprieve_order.iter().map(|attempt| attempt.pod).collect();
    let units = context.units.of(&pods);
    let mut state = without(&units, candidate.node, prepared);
    let mut blockers = BTreeMap::new();
    for unit in ReprieveOrder::unsorted(&units, candidate.node, context).units() {
        let rejected = unit.put_back(&mut state, context.view, NodeState::check);
        if let Some((plugin, FilterVerdict::Rejected(rejection))) = rejected {
            blockers.extend(unit.pods().map(|pod| (pod, (plugin, rejection.clone()))));
        }
    }
    blockers
}

/// Upstream's reason for a node without pods of lower priority.
fn no_victims(cycle: &Cycle, node: NodeIx) -> ReasonText {
    if cycle.features().preemption.no_victims_unnamed {
        return NO_VICTIMS.reason();
    }
    let (node, pod) = (cycle.cluster().node_name(node), &cycle.pod.name);
    NO_VICTIMS_NAMED.with([node, pod])
}

#[cfg(test)]
mod tests;

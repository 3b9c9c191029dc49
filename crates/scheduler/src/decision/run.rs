//! One scheduling cycle of the pod: filter, then score, or preempt if no node fits.
//!
//! Upstream: `pkg/scheduler/schedule_one.go` `schedulingCycle` (1.37).

use jiff::Timestamp;

use super::errors::{CycleError, CycleErrorKind};
use super::filters::FilterReport;
use super::find_nodes::find_nodes;
use super::placement_message::placement_message;
use super::post_filter::{self, PostFilterResult};
use super::sampling::{Sampler, Selection};
use super::{CycleMode, Outcome, QueueGate};
use crate::framework::claims::{CLAIM_DELETED, CLAIM_NOT_FOUND};
use crate::framework::cluster_view::ClusterView;
use crate::framework::cycle::PreparedCycle;
use crate::framework::message::{FitError, NO_NODES};
use crate::framework::plugin::Cycle;
use crate::framework::reason::quoted;
use crate::framework::score::ScoreTable;
use crate::plugins;
use crate::preemption::PreemptionReport;
use model::cluster::pod_volume::PodVolume;
use model::cluster::{NodeIx, PodIx};

/// What the scheduler writes about a pod that it did not place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Messages {
    /// Why the pod fits on no node, without the text of preemption if preemption picks a node.
    pub(crate) message: Option<String>,
    /// What this version writes into the `PodScheduled` condition.
    pub(crate) condition: Option<String>,
}

impl From<String> for Messages {
    /// The condition has the same message.
    fn from(message: String) -> Self {
        Self { condition: Some(message.clone()), message: Some(message) }
    }
}

/// The reports of the steps of a cycle, and its outcome.
pub(super) struct CycleReport {
    pub(super) filters: FilterReport,
    pub(super) outcome: Outcome,
    pub(super) messages: Messages,
}

impl CycleReport {
    /// The pod gets no cycle.
    pub(super) fn not_in_queue(gate: QueueGate) -> Self {
        Self {
            filters: FilterReport::default(),
            outcome: Outcome::NotInQueue(gate),
            messages: Messages::default(),
        }
    }

    /// The cycle ends with an error. A scheduler that crashes writes no message.
    fn failed(filters: FilterReport, error: CycleError) -> Self {
        let messages = match error.kind {
            CycleErrorKind::Crash => Messages::default(),
            CycleErrorKind::CycleError | CycleErrorKind::Timeout => {
                Messages::from(error.text.clone())
            }
        };
        Self { filters, outcome: Outcome::Error(error), messages }
    }

    /// The pod gets one of these nodes.
    fn fits(filters: FilterReport, selection: Selection, scores: Option<ScoreTable>) -> Self {
        Self {
            filters,
            outcome: Outcome::Schedulable { selection, scores },
            messages: Messages::default(),
        }
    }

    /// The pod fits on no node, and preemption nominates none.
    fn unfit(filters: FilterReport, message: String, preemption: Option<PreemptionReport>) -> Self {
        let preemption = preemption.map(Box::new);
        Self { filters, outcome: Outcome::Unschedulable { preemption }, messages: message.into() }
    }
}

/// Runs the cycle of a pod.
pub(super) fn cycle(
    view: &ClusterView,
    pod: PodIx,
    now: Timestamp,
    mode: CycleMode,
) -> CycleReport {
    if let Some(error) = claim_error(view, pod) {
        return CycleReport::failed(FilterReport::default(), CycleError::new(error));
    }
    let prepared = PreparedCycle::new(view, pod, now, &plugins::filters(&view.profile.plugins));
    if view.nodes_in_placement() == 0 {
        return CycleReport::unfit(FilterReport::default(), NO_NODES.text.to_owned(), None);
    }
    let mut filters = FilterReport::of_plugins(&prepared);
    match find_nodes(&mut filters, &prepared) {
        Err(error) => CycleReport::failed(filters, error),
        Ok(nodes) if nodes.is_empty() => preempt(&prepared, filters, mode),
        Ok(nodes) => select_host(&prepared.cycle, filters, nodes, mode),
    }
}

/// The error about a missing or deleted claim, in versions that check claims before anything else.
///
/// Upstream: `pkg/scheduler/core/generic_scheduler.go` `podPassesBasicChecks` (1.19).
fn claim_error(view: &ClusterView, pod: PodIx) -> Option<String> {
    let cluster = view.cluster;
    if !view.profile.features.cycle.claims_checked_first {
        return None;
    }
    for volume in cluster.volumes_of(cluster.pod(pod)) {
        let PodVolume::Claim(used) = volume else { continue };
        if used.ephemeral {
            continue;
        }
        let error = match used.claim {
            None => CLAIM_NOT_FOUND.with([&quoted(&used.name)]),
            Some(claim) if claim.deleting => CLAIM_DELETED.with([&quoted(&used.name)]),
            Some(_) => continue,
        };
        return Some(error.render(cluster).into_owned());
    }
    None
}

/// Selects the node with the highest score.
fn select_host(
    cycle: &Cycle,
    filters: FilterReport,
    nodes: Vec<NodeIx>,
    mode: CycleMode,
) -> CycleReport {
    // A single node is selected without being scored.
    if nodes.len() == 1 {
        return CycleReport::fits(filters, nodes.into(), None);
    }
    let scored = match filters.score(cycle, nodes) {
        Ok(scored) => scored,
        Err(failure) => return CycleReport::failed(filters, failure.into()),
    };
    // For a pod of a group, the scheduler's own order of nodes is followed instead of computing the
    // odds over every order.
    let selection = match mode {
        CycleMode::Alone | CycleMode::AloneInGroup => {
            Sampler::new(cycle, &filters).select_host(&scored)
        }
        CycleMode::Member => scored.table.best().into(),
    };
    let scores = scored.table;
    CycleReport::fits(filters, selection, Some(scores))
}

/// Runs PostFilter for a pod that fits on no node.
fn preempt(prepared: &PreparedCycle, mut filters: FilterReport, mode: CycleMode) -> CycleReport {
    let (cluster, features) = (prepared.cycle.cluster(), prepared.cycle.features());
    let error = filters.fit_error(prepared.cycle.view);
    if mode == CycleMode::Member {
        return CycleReport::unfit(filters, error.render(cluster, features, None), None);
    }
    match post_filter::run(prepared, &filters) {
        PostFilterResult::Crashes(crash) => {
            filters.discard();
            CycleReport::failed(filters, crash.into())
        }
        PostFilterResult::Nominates(report) => nominate(prepared, filters, &error, report),
        PostFilterResult::Rejects { text, preemption } => {
            CycleReport::unfit(filters, error.render(cluster, features, Some(&text)), preemption)
        }
    }
}

/// Selects the nodes that DefaultPreemption may nominate.
fn nominate(
    prepared: &PreparedCycle,
    filters: FilterReport,
    error: &FitError,
    mut report: PreemptionReport,
) -> CycleReport {
    let cycle = &prepared.cycle;
    let mut selection = Sampler::new(cycle, &filters).select_candidate(&report);
    let mut also =
        report.try_victim_orders(&selection.nodes, selection.odds.is_some(), prepared, cycle.now);
    selection.nodes.append(&mut also);
    // The condition names the node and the number of victims there: those of the most likely node.
    let message = error.render(cycle.cluster(), cycle.features(), None);
    let likely = selection.nodes.first().and_then(|node| report.candidate(*node));
    let told = likely.and_then(|c| placement_message(cycle.view, error, c.node, c.victims.len()));
    let messages =
        Messages { condition: told.or_else(|| Some(message.clone())), message: Some(message) };
    CycleReport {
        filters,
        outcome: Outcome::Preempt { selection, plan: Some(Box::new(report)) },
        messages,
    }
}

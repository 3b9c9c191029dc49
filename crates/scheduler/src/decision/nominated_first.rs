//! The nominated node is evaluated before all others, even if PreFilter excluded it.
//!
//! Upstream: `pkg/scheduler/schedule_one.go` `findNodesThatFitPod`, `evaluateNominatedNode` (1.37).

use super::extenders;
use super::filters::FilterReport;
use crate::framework::cycle::{NodeVerdict, PreFilter, PreparedCycle};
use crate::framework::plugin::Cycle;
use model::cluster::{Cluster, NodeIx, Pod, Sym};
use profile::history::ExcludedNodes;

/// The node that a pod is nominated to, if it exists.
pub(super) fn nominated(pod: &Pod, cluster: &Cluster) -> Option<NodeIx> {
    let name = pod.nominated_node;
    if name == Sym::EMPTY { None } else { cluster.find_node(cluster.text(name)) }
}

/// The nominated node, in versions that evaluate it before all others. `None` if it is outside the
/// topology domain being searched.
fn first(cycle: &Cycle) -> Option<NodeIx> {
    let is_first = cycle.features().cycle.nominated_node_first;
    nominated(cycle.pod, cycle.cluster())
        .filter(|node| is_first && cycle.view.is_in_placement(*node))
}

/// Selects the nominated node if it passes the plugins and extenders, or the nodes that the
/// extenders name instead. That ends the search, so errors of other nodes are never reached.
pub(super) fn take(report: &mut FilterReport, prepared: &PreparedCycle) -> Option<Vec<NodeIx>> {
    let node =
        first(&prepared.cycle).filter(|node| report.node(*node) == Some(&NodeVerdict::Feasible))?;
    let kept = match prepared.cycle.view.extender_client {
        Some(ask) => Some(extenders::keep(node, ask, prepared)?),
        None => None,
    };
    let nodes = kept.as_ref().map_or_else(|| vec![node], |kept| kept.feasible.clone());
    for verdict in report.nodes.iter_mut().filter(|verdict| verdict.failure().is_some()) {
        *verdict = NodeVerdict::NotTried;
    }
    for node in &nodes {
        if let Some(verdict) = report.node_mut(*node) {
            *verdict = NodeVerdict::Feasible;
        }
    }
    report.extended = kept;
    Some(nodes)
}

/// Keeps what still counts of a failed evaluation of the nominated node when all nodes are
/// searched. Returns the plugin that rejected it.
///
/// If PreFilter excluded the node, an error on it has no effect, and versions that give excluded
/// nodes a reason of their own replace its rejection.
pub(super) fn give_up(report: &mut FilterReport, cycle: &Cycle) -> Option<&'static str> {
    let node = first(cycle)?;
    let rejected_by = match report.node(node)? {
        NodeVerdict::Filtered { plugin, .. } => Some(*plugin),
        _ => None,
    };
    let replaced = cycle.features().cycle.excluded_nodes == ExcludedNodes::FilteredOut;
    if excludes(report, node, cycle) && (rejected_by.is_none() || replaced) {
        exclude(report, node);
    }
    rejected_by
}

/// Applies the effect that the nominated node's evaluation has on the result. `rejected_by` is the
/// plugin that rejected it, and `fits` says whether another node takes the pod.
///
/// Parity: the plugin that rejected the nominated node is then named among the plugins that
/// excluded nodes, since upstream keeps both in one set. If another node fits, the first evaluation
/// has no effect.
pub(super) fn settle(
    report: &mut FilterReport,
    cycle: &Cycle,
    rejected_by: Option<&'static str>,
    fits: bool,
) {
    let (Some(node), Some(plugin)) = (first(cycle), rejected_by) else { return };
    // The extenders' verdict on the node is kept: they run after the first evaluation.
    let is_unchanged = matches!(report.node(node), Some(NodeVerdict::Filtered { plugin: by, .. }) if *by == plugin);
    if fits && excludes(report, node, cycle) && is_unchanged {
        exclude(report, node);
    }
    if let PreFilter::SomeNodes { by, .. } = &mut report.pre_filter
        && !fits
    {
        by.push(plugin);
        by.sort_unstable();
        by.dedup();
    }
}

/// Whether PreFilter excluded the node.
fn excludes(report: &FilterReport, node: NodeIx, cycle: &Cycle) -> bool {
    let PreFilter::SomeNodes { only, .. } = &report.pre_filter else { return false };
    !only.contains(&cycle.cluster().node(node).name)
}

fn exclude(report: &mut FilterReport, node: NodeIx) {
    if let Some(verdict) = report.node_mut(node) {
        *verdict = NodeVerdict::ExcludedByPreFilter;
    }
}

//! The first half of a scheduling cycle: which nodes pass PreFilter, the filters and the extenders.
//!
//! Upstream: `pkg/scheduler/schedule_one.go` `findNodesThatFitPod` (1.37).
//!
//! Upstream: `pkg/scheduler/schedule_one.go` `findNodesThatFitPod`, `evaluateNominatedNode` (1.37).

use super::errors::{self, CycleError, pre_filter_error};
use super::filters::{FilterReport, ask, keep};
use crate::framework::cluster_view::ClusterView;
use crate::framework::cycle::{NodeVerdict, PreFilter, PreparedCycle};
use crate::framework::failure::{Crash, StepFailure};
use crate::framework::node_order::takes_first;
use crate::framework::plugin::Cycle;
use model::cluster::{Cluster, NodeIx, Pod, Sym};
use profile::history::ExcludedNodes;

/// Combines the results of the plugins and asks the extenders. Returns the nodes that take the pod,
/// by name; extenders may name a node several times.
///
/// # Errors
/// The error that ends the cycle. Nodes on which nothing failed then count as not tried.
pub(super) fn find_nodes(
    report: &mut FilterReport,
    prepared: &PreparedCycle,
) -> Result<Vec<NodeIx>, CycleError> {
    // If the nominated node takes the pod, the scheduler never reaches errors of other nodes.
    if let Some(nodes) = take(report, prepared) {
        return Ok(nodes);
    }
    let rejected_by = give_up(report, &prepared.cycle);
    if let Some(crash) = crash(report, prepared.cycle.view) {
        report.discard();
        return Err(crash.into());
    }
    if let Some(error) = cycle_error(report, prepared.cycle.view) {
        // The results of other nodes are discarded with the cycle.
        for verdict in report.nodes.iter_mut().filter(|verdict| verdict.failure().is_none()) {
            *verdict = NodeVerdict::NotTried;
        }
        return Err(error);
    }
    if let Err(error) = ask(report, prepared) {
        report.discard();
        return Err(CycleError::new(error));
    }
    let feasible: Vec<NodeIx> = match &report.extended {
        Some(left) => left.feasible.clone(),
        None => report.feasible().collect(),
    };
    settle(report, &prepared.cycle, rejected_by, !feasible.is_empty());
    Ok(feasible)
}

/// The crash that ends the search for a node, if any.
fn crash(report: &FilterReport, view: &ClusterView) -> Option<Crash> {
    let on_node = report.nodes.iter().filter_map(NodeVerdict::failure).find_map(StepFailure::crash);
    let PreFilter::SomeNodes { only, .. } = &report.pre_filter else { return on_node };
    let (cluster, profile) = (view.cluster, view.profile);
    if on_node.is_some() || only.iter().any(|name| cluster.find_node(cluster.text(*name)).is_some())
    {
        return on_node;
    }
    // PreFilter narrowed the nodes to names that no node has.
    let plugins = &profile.plugins;
    let filters = !plugins.filter.is_empty() || !plugins.out_of_tree.is_empty();
    if profile.features.cycle.narrowing_to_nothing_crashes {
        Some(Crash::NoNodeLeft)
    } else if !filters && takes_first(profile) {
        // Parity: without filters the scheduler takes the first of the nodes, and here there is
        // none.
        Some(Crash::NoNodeToTake)
    } else {
        None
    }
}

/// The error that ends the cycle. The pod is retried, but it does not preempt.
fn cycle_error(report: &FilterReport, view: &ClusterView) -> Option<CycleError> {
    let (cluster, features) = (view.cluster, &view.profile.features.cycle);
    match &report.pre_filter {
        PreFilter::Failed(error) => return Some(CycleError::new(error.as_str())),
        PreFilter::Rejected { plugin, rejection, .. } if !features.pre_filter_refusal_is_no_fit => {
            return Some(CycleError::new(pre_filter_error(plugin, &rejection.texts(cluster))));
        }
        PreFilter::SomeNodes { only, .. } if features.narrowing_to_missing_node_fails => {
            let names = only.iter().map(|name| cluster.text(*name));
            if let Some(missing) = names.filter(|name| cluster.find_node(name).is_none()).min() {
                return Some(CycleError::new(format!(
                    "nodeinfo not found for node name {missing:?}"
                )));
            }
        }
        PreFilter::Rejected { .. } | PreFilter::SomeNodes { .. } | PreFilter::AllNodes => {}
    }
    let failures = report.nodes.iter().filter_map(NodeVerdict::failure);
    errors::of_nodes(failures, features.node_errors_counted)
}

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
        Some(ask) => Some(keep(node, ask, prepared)?),
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

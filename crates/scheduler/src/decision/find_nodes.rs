//! The first half of a scheduling cycle: which nodes pass PreFilter, the filters and the extenders.
//!
//! Upstream: `pkg/scheduler/schedule_one.go` `findNodesThatFitPod` (1.37).

use super::errors::{self, CycleError, pre_filter_error};
use super::filters::FilterReport;
use super::{extenders, nominated_first};
use crate::framework::cluster_view::ClusterView;
use crate::framework::cycle::{NodeVerdict, PreFilter, PreparedCycle};
use crate::framework::failure::{Crash, StepFailure};
use crate::framework::nodes_to_find;
use model::cluster::NodeIx;

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
    if let Some(nodes) = nominated_first::take(report, prepared) {
        return Ok(nodes);
    }
    let rejected_by = nominated_first::give_up(report, &prepared.cycle);
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
    if let Err(error) = extenders::ask(report, prepared) {
        report.discard();
        return Err(CycleError::new(error));
    }
    let feasible: Vec<NodeIx> = match &report.extended {
        Some(left) => left.feasible.clone(),
        None => report.feasible().collect(),
    };
    nominated_first::settle(report, &prepared.cycle, rejected_by, !feasible.is_empty());
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
    } else if !filters && nodes_to_find::takes_first(profile) {
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

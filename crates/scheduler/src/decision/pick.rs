//! The node that one kube-scheduler picks: it starts at some node of its order, and stops as soon as
//! it has found enough nodes that take the pod. A [`super::Decision`] says what every start leads to.
//!
//! Upstream: `pkg/scheduler/schedule_one.go` `findNodesThatPassFilters`, `selectHost` (1.37), as one
//! worker runs them.

use jiff::Timestamp;

use super::queue;
use crate::framework::cluster_view::ClusterView;
use crate::framework::cycle::{PreFilter, PreparedCycle};
use crate::framework::node_order::{by_zone, enough};
use crate::framework::score::ScoreTable;
use crate::plugins;
use model::cluster::{NodeIx, PodIx};

/// What a cycle from one start ends with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pick {
    /// The nodes with the highest score of those that it has found, by name: the scheduler picks one
    /// of them at random.
    pub best: Vec<NodeIx>,
    /// Where in the scheduler's order the next cycle starts.
    pub next: usize,
}

/// Runs the cycle of `pod` from the node with the number `start` in the scheduler's order, modulo the
/// number of nodes. `None` where no node takes the pod, and for pods whose cycle is more than this:
/// they have volumes or resource claims, belong to a group, are nominated or limited to nodes by name,
/// or extenders are asked. [`super::decide`] decides about these.
#[must_use]
pub fn pick(view: &ClusterView, pod: PodIx, now: Timestamp, start: usize) -> Option<Pick> {
    let prepared = prepare_plain(view, pod, now)?;

    // Nodes are looked at in order until enough of them take the pod.
    let order = by_zone(view);
    let enough = enough(view.profile, order.len());
    let takes_pod = prepared.takes_pod();
    let first = start.checked_rem(order.len())?;
    let mut found = Vec::with_capacity(enough);
    let mut looked_at = 0;
    for node in order.iter().cycle().skip(first).take(order.len()) {
        if found.len() == enough {
            break;
        }
        looked_at += 1;
        if takes_pod(*node) {
            found.push(*node);
        }
    }

    // A single node is selected without being scored.
    found.sort_unstable();
    let best = match found.as_slice() {
        [] => return None,
        [_] => found,
        [..] => {
            let scorers = plugins::scores(&view.profile.plugins);
            ScoreTable::new(&prepared.cycle, &scorers, found).ok()?.best()
        }
    };
    Some(Pick { best, next: (first + looked_at) % order.len() })
}

/// The nodes that take `pod`, by name; `None` where [`pick`] does not decide, either.
pub(super) fn feasible(view: &ClusterView, pod: PodIx, now: Timestamp) -> Option<Vec<NodeIx>> {
    Some(prepare_plain(view, pod, now)?.feasible().collect())
}

/// The cycle of a pod in which no filter fails and nothing follows the filters but scores.
fn prepare_plain<'c>(
    view: &'c ClusterView<'c>,
    pod: PodIx,
    now: Timestamp,
) -> Option<PreparedCycle<'c>> {
    let facts = view.cluster.pod(pod);
    let template = view.cluster.template(facts);
    let has_storage = !template.claims.is_empty() || !template.volumes.is_empty();
    let is_plain = template.group.is_empty() && facts.nominated_node.is_empty() && !has_storage;
    let asks_extenders = !view.profile.extenders.is_empty();
    if !is_plain || asks_extenders || queue::gate(view, pod).is_some() {
        return None;
    }
    let prepared = PreparedCycle::new(view, pod, now, &plugins::filters(&view.profile.plugins));
    (prepared.pre_filter == PreFilter::AllNodes).then_some(prepared)
}

#[cfg(test)]
mod tests;

//! The changes in the cluster since the scheduler wrote a message, as far as the API shows them.

use jiff::{SignedDuration, Timestamp};

use super::difference::{ChangeKind, MessageDifference, first_names};
use crate::decision::Decision;
use crate::decision::fit_error::ParsedFitError;
use model::cluster::node::{Node, NodeIx};
use model::cluster::pod::{Pod, PodIx, ScheduledCondition};

/// The changes since the condition became False. Deleted objects leave no trace, except in the
/// number of nodes.
pub(super) struct ClusterChanges {
    joined: Vec<NodeIx>,
    tainted: Vec<NodeIx>,
    came: Vec<PodIx>,
    leaving: Vec<PodIx>,
    nominated: bool,
    sampled: bool,
}

impl ClusterChanges {
    /// The changes since `condition` became False.
    pub(super) fn since(decision: &Decision, condition: &ScheduledCondition) -> Self {
        let cluster = decision.view.cluster;
        let pod = cluster.pod(decision.pod);
        let since = condition.since.or(pod.created);
        let later =
            |time: Option<Timestamp>| time.zip(since).is_some_and(|(time, since)| time >= since);
        let nodes = |time: fn(&Node) -> Option<Timestamp>| {
            cluster.node_indices().filter(|n| later(time(cluster.node(*n)))).collect::<Vec<_>>()
        };
        let placed = |ix: &PodIx| {
            let other = cluster.pod(*ix);
            other.is_active()
                && *ix != decision.pod
                && !(other.node_name.is_empty() && other.nominated_node.is_empty())
        };
        let pods = |of: &dyn Fn(&Pod) -> bool| {
            cluster
                .pod_indices()
                .filter(placed)
                .filter(|ix| of(cluster.pod(*ix)))
                .collect::<Vec<_>>()
        };
        Self {
            joined: nodes(|node| node.created),
            tainted: nodes(|node| node.tainted),
            came: pods(&|pod| later(pod.start_time.max(pod.created))),
            leaving: pods(&|pod| later(deleted(pod))),
            nominated: !pod.nominated_node.is_empty(),
            sampled: decision
                .preemption()
                .is_some_and(|report| report.sample_size < report.dry_runs.len()),
        }
    }

    /// Whether these changes can cause that difference.
    pub(super) fn explain(&self, difference: &MessageDifference) -> bool {
        let nodes = difference.nodes || !self.joined.is_empty();
        let pods = !self.came.is_empty() || !self.leaving.is_empty() || self.nominated;
        match difference.sort {
            ChangeKind::Counts => nodes || pods,
            ChangeKind::Fields => nodes || !self.tainted.is_empty(),
            ChangeKind::Place => nodes || pods || self.sampled,
            ChangeKind::Form => false,
        }
    }

    /// The changes as text, one line each.
    pub(super) fn lines(
        &self,
        then: Option<&ParsedFitError>,
        difference: &MessageDifference,
        decision: &Decision,
    ) -> Vec<String> {
        let cluster = decision.view.cluster;
        let nodes = |list: &[NodeIx]| {
            first_names(list.iter().map(|n| cluster.text(cluster.node(*n).name).to_owned()))
        };
        let pods = |list: &[PodIx]| first_names(list.iter().map(|pod| cluster.pod_name(*pod)));
        let mut lines = Vec::new();
        if let Some(then) = then.filter(|then| then.total != cluster.nodes.len()) {
            lines.push(format!(
                "number of nodes: {} then, {} now",
                then.total,
                cluster.nodes.len()
            ));
        }
        if !self.joined.is_empty() {
            lines.push(format!("nodes joined: {}", nodes(&self.joined)));
        }
        if !self.tainted.is_empty() {
            lines.push(format!("nodes got taints: {}", nodes(&self.tainted)));
        }
        if !self.came.is_empty() {
            lines.push(format!("pods came to nodes: {}", pods(&self.came)));
        }
        if !self.leaving.is_empty() {
            lines.push(format!("pods are being deleted: {}", pods(&self.leaving)));
        }
        if self.nominated {
            let node = cluster.text(cluster.pod(decision.pod).nominated_node);
            lines.push(format!("it is nominated to {node}"));
        }
        if self.sampled && difference.sort == ChangeKind::Place {
            lines.push(
                "on large clusters the scheduler tries preemption on a random sample of nodes"
                    .to_owned(),
            );
        }
        lines
    }
}

/// When the deletion of the pod was requested; the API shows when it is due.
fn deleted(pod: &Pod) -> Option<Timestamp> {
    pod.deletion?.checked_sub(SignedDuration::from_secs(pod.grace_seconds.max(0))).ok()
}

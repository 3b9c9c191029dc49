//! The changes in the cluster since the scheduler wrote a message, as far as the API shows them.

use jiff::{SignedDuration, Timestamp};

use super::difference::{ChangeKind, MessageDifference, first_names};
use crate::decision::Decision;
use crate::decision::fit_error::ParsedFitError;
use model::cluster::pod::ScheduledCondition;
use model::cluster::{NodeIx, Pod, PodIx};

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
        let report = decision.preemption();
        let mut changes = Self {
            joined: Vec::new(),
            tainted: Vec::new(),
            came: Vec::new(),
            leaving: Vec::new(),
            nominated: !pod.nominated_node.is_empty(),
            sampled: report.is_some_and(|report| report.sample_size < report.dry_runs.len()),
        };
        let Some(since) = condition.since.or(pod.created) else { return changes };
        for ix in cluster.node_indices() {
            let node = cluster.node(ix);
            if node.created >= Some(since) {
                changes.joined.push(ix);
            }
            if node.tainted >= Some(since) {
                changes.tainted.push(ix);
            }
        }

        // Other pods count where they take room: on a node, or nominated for one.
        for ix in cluster.pod_indices() {
            let other = cluster.pod(ix);
            let is_placed = !other.node_name.is_empty() || !other.nominated_node.is_empty();
            if ix == decision.pod || !other.is_active() || !is_placed {
                continue;
            }
            if other.start_time.max(other.created) >= Some(since) {
                changes.came.push(ix);
            }
            if deleted(other) >= Some(since) {
                changes.leaving.push(ix);
            }
        }
        changes
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
        let nodes =
            |list: &[NodeIx]| first_names(list.iter().map(|n| cluster.node_name(*n).to_owned()));
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

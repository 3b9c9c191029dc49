//! What kube-scheduler writes into the condition of a pod that preempts: the node, and how many
//! pods it evicts there. Either may be uncertain.

use std::iter;

use super::{Decision, OutcomeKind};
use crate::framework::cluster_view::ClusterView;
use crate::framework::message::FitError;
use crate::preemption::eviction;
use model::cluster::NodeIx;

/// Maximum number of other messages that are listed.
const MESSAGES: usize = 32;

/// What the scheduler may write instead of [`Decision::condition_message`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OtherMessages {
    /// The messages, those for the most likely node first.
    pub messages: Vec<String>,
    /// How many more there are.
    pub left_out: usize,
}

/// The message of a scheduler that evicts this many pods on `node`; `None` if this version does not
/// write one.
pub(super) fn placement_message(
    view: &ClusterView,
    error: &FitError,
    node: NodeIx,
    victims: usize,
) -> Option<String> {
    let (cluster, features) = (view.cluster, &view.profile.features);
    if !features.message.success_message {
        return None;
    }
    let name = cluster.node_name(node);
    let found = eviction::FOUND.with([name, &victims.to_string()]);
    Some(error.render(cluster, features, Some(&format!("preemption: {}", found.render(cluster)))))
}

impl Decision<'_> {
    /// What the scheduler may write into the condition instead, since it may pick another node or
    /// evict a different number of pods.
    pub fn other_condition_messages(&self) -> OtherMessages {
        let Some(told) = self.likely_candidate().filter(|_| self.kind() == OutcomeKind::Preempt)
        else {
            return OtherMessages::default();
        };
        if !self.profile().features.message.success_message {
            return OtherMessages::default();
        }
        let told = (told.node, told.victims.len());
        let others: Vec<(NodeIx, usize)> = self
            .selected()
            .iter()
            .flat_map(|node| iter::repeat(*node).zip(self.victim_counts(*node)))
            .filter(|other| *other != told)
            .collect();
        if others.is_empty() {
            return OtherMessages::default();
        }
        let error = self.filters.fit_error(self.view);
        let listed = others.iter().take(MESSAGES);
        OtherMessages {
            messages: listed
                .filter_map(|(node, count)| placement_message(self.view, &error, *node, *count))
                .collect(),
            left_out: others.len().saturating_sub(MESSAGES),
        }
    }
}

#[cfg(test)]
mod tests;

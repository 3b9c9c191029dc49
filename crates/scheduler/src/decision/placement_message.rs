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
    let text = eviction::FOUND.with([name, &victims.to_string()]);
    Some(error.render(cluster, features, Some(&format!("preemption: {}", text.render(cluster)))))
}

impl Decision<'_> {
    /// What the scheduler may write into the condition instead, since it may pick another node or
    /// evict a different number of pods.
    pub fn other_condition_messages(&self) -> OtherMessages {
        let Some(likely) = self.likely_candidate().filter(|_| self.kind() == OutcomeKind::Preempt)
        else {
            return OtherMessages::default();
        };
        if !self.profile().features.message.success_message {
            return OtherMessages::default();
        }
        let likely = (likely.node, likely.victims.len());
        let others: Vec<(NodeIx, usize)> = self
            .selected()
            .iter()
            .flat_map(|node| iter::repeat(*node).zip(self.victim_counts(*node)))
            .filter(|other| *other != likely)
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
mod tests {
    use serde_json::Value;

    use crate::testing::{NOW, at, node, objects, pod, tied};

    /// The ends of the other messages, and how many are left out.
    fn others(version: &str, objects: Vec<Value>) -> (Vec<String>, usize) {
        let others = at(version).decide(objects, "p").other_messages;
        let end =
            |message: &String| message.split_once("on node ").map_or("", |(_, end)| end).to_owned();
        (others.messages.iter().map(end).collect(), others.left_out)
    }

    #[test]
    fn other_numbers_of_victims() {
        let told = at("1.37").decide(tied(&["1", "2", "1"]), "p");
        let other = if told.condition().ends_with("preempting 1 victims") { "2" } else { "1" };
        assert_eq!(
            others("1.37", tied(&["1", "2", "1"])),
            (vec![format!("n, preempting {other} victims")], 0)
        );
        assert_eq!(others("1.37", tied(&["1", "1", "1"])), (vec![], 0), "other pods, but as many");
        assert_eq!(others("1.37", tied(&["2"])), (vec![], 0));
    }

    #[test]
    fn tied_nodes_are_in_other_messages_up_to_a_limit() {
        let nodes = |count: usize| {
            let mut objects = objects![pod("p").cpu("1").priority(9)];
            for at in 0..count {
                objects.push(node(&format!("n{at:02}")).cpu("1").into());
                objects.push(
                    pod(&format!("v{at}")).cpu("1").on(&format!("n{at:02}")).started(NOW).into(),
                );
            }
            objects
        };
        assert_eq!(others("1.37", nodes(2)), (vec!["n01, preempting 1 victims".to_owned()], 0));
        let (listed, left_out) = others("1.37", nodes(40));
        assert_eq!((listed.len(), left_out), (32, 7));
    }

    #[test]
    fn versions_that_do_not_tell() {
        assert_eq!(others("1.36", tied(&["1", "2", "1"])), (vec![], 0));
    }

    #[test]
    fn a_pod_that_does_not_preempt_has_none() {
        assert_eq!(others("1.37", objects![node("n").cpu("1"), pod("p").cpu("1")]), (vec![], 0));
        assert_eq!(others("1.37", objects![node("n").cpu("1"), pod("p").cpu("2")]), (vec![], 0));
    }
}

//! Up to 1.21: `NodePreferAvoidPods`, for nodes with an annotation that lists controllers whose
//! pods should go elsewhere.

use crate::framework::cluster_view::NodeInfo;
use crate::framework::failure::StepFailure;
use crate::framework::plugin::{Cycle, RuleDoc, Signer};
use crate::framework::score::{PreparedScore, Score, ScorePlugin};
use model::cluster::{NodeIx, Pod};

pub struct NodePreferAvoidPods;

static DOC: RuleDoc = RuleDoc {
    name: "NodePreferAvoidPods",
    code: "PRE-134",
    summary: "Keeps pods of a ReplicationController or ReplicaSet off nodes whose annotation asks for it (up to 1.21).",
    preemption: "Does not take part: it only scores.",
    scores: None,
    messages: &[],
    retried_on: None,
    source: "pkg/scheduler/framework/plugins/nodepreferavoidpods/node_prefer_avoid_pods.go (1.21)",
};

impl Signer for NodePreferAvoidPods {
    fn sees_alike(&self, _: &Cycle, _: &Pod) -> bool {
        // No release that has it shares scores.
        true
    }
}

impl ScorePlugin for NodePreferAvoidPods {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn prepare<'c>(&self, cycle: &Cycle<'c>, _: &[NodeIx]) -> PreparedScore<'c> {
        PreparedScore::ready(Avoided { cycle: *cycle })
    }
}

struct Avoided<'c> {
    cycle: Cycle<'c>,
}

impl Score for Avoided<'_> {
    fn score(&self, node: &NodeInfo) -> Result<i64, StepFailure> {
        let cluster = self.cycle.cluster();
        let avoided = self.cycle.pod.controller.is_some_and(|owner| {
            matches!(cluster.text(owner.kind), "ReplicationController" | "ReplicaSet")
                && self.cycle.view.node(node.node).avoids.contains(&(owner.kind, owner.uid))
        });
        Ok(if avoided { 0 } else { self.cycle.max_score() })
    }

    fn narrowed(&self, _: &[NodeIx]) -> Option<Box<dyn Score + '_>> {
        None
    }
}

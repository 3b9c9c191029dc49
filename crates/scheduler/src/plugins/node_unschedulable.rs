//! `NodeUnschedulable`: cordoned nodes reject pods that do not tolerate the cordon.

use json::evidence::Evidence as JsonEvidence;

use crate::framework::cluster_view::{ClusterView, NodeInfo};
use crate::framework::evidence::{Evidence, Fact, Nearness, Obstruction, RejectedOn};
use crate::framework::plugin::{Cycle, Filter, Plugin, Prepared, RuleDoc, Signer};
use crate::framework::reason::{Message, Obstacle, When};
use crate::framework::status::{Code, FilterVerdict};
use model::cluster::{Cluster, Pod};

static UNSCHEDULABLE: Message = Message {
    code: "PRE-212",
    text: "node(s) were unschedulable",
    meaning: "The node is cordoned (spec.unschedulable).",
    preemption: "Never: no eviction uncordons a node.",
    remedy: "uncordon the node: kubectl uncordon NODE",
    obstacle: Obstacle::Cordon,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/nodeunschedulable/node_unschedulable.go (1.37)",
};

pub struct NodeUnschedulable;

static DOC: RuleDoc = RuleDoc {
    name: "NodeUnschedulable",
    code: "PRE-102",
    summary: "The node is not cordoned, or the pod tolerates node.kubernetes.io/unschedulable:NoSchedule.",
    preemption: "Never helps: no eviction uncordons a node.",
    scores: None,
    messages: &[&UNSCHEDULABLE],
    retried_on: Some("a node is added or its taints change, the pod's tolerations change"),
    source: "pkg/scheduler/framework/plugins/nodeunschedulable/node_unschedulable.go (1.37)",
};

impl Signer for NodeUnschedulable {
    fn sees_alike(&self, cycle: &Cycle, other: &Pod) -> bool {
        let (own, template) = (cycle.template, cycle.cluster().template(other));
        own.tolerations == template.tolerations
    }
}

impl Plugin for NodeUnschedulable {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn prepare<'c>(&self, cycle: &Cycle<'c>) -> Prepared<'c> {
        if cycle.tolerates_cordons() {
            Prepared::Skip
        } else {
            Prepared::ready(Uncordoned { view: cycle.view })
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cordoned;

impl Evidence for Cordoned {
    fn nearness(&self, at: &RejectedOn) -> Nearness {
        if at.is_reserved() { Nearness::Reserved } else { Nearness::Closed }
    }

    fn obstruction(&self) -> Obstruction<'_> {
        Obstruction::Cordon
    }

    fn json(&self, _: &Cluster) -> Vec<JsonEvidence> {
        vec![JsonEvidence::Cordoned { unschedulable: true }]
    }

    fn facts<'e>(&'e self, _: &Cluster) -> Vec<Fact<'e>> {
        vec![Fact::Words("cordoned".to_owned())]
    }
}

struct Uncordoned<'c> {
    view: &'c ClusterView<'c>,
}

impl Filter for Uncordoned<'_> {
    fn check(&self, node: &NodeInfo) -> FilterVerdict {
        if !self.view.node(node.node).unschedulable {
            return FilterVerdict::Fits;
        }
        FilterVerdict::reject(
            Code::UnschedulableAndUnresolvable,
            UNSCHEDULABLE.reason(),
            Cordoned.grounds(),
        )
    }

    fn reads_pods(&self) -> bool {
        false
    }

    fn reads_node_alone(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{decide, node, objects, pod};

    const REJECTED: &str = "UU NodeUnschedulable: node(s) were unschedulable";

    #[test]
    fn cordoned_node_rejects_pods_without_toleration() {
        let key = "node.kubernetes.io/unschedulable";
        for (row, node, pod, want) in [
            ("a plain node fits", node("n"), pod("p"), "fits"),
            ("a cordoned node does not", node("n").cordoned(), pod("p"), REJECTED),
            (
                "the cordon's taint is reported as the cordon",
                node("n").cordoned().taint(key, "", "NoSchedule"),
                pod("p"),
                REJECTED,
            ),
            (
                "tolerated by key and effect",
                node("n").cordoned(),
                pod("p").tolerates(key, "Exists", "", "NoSchedule"),
                "fits",
            ),
            (
                "tolerated by key alone",
                node("n").cordoned(),
                pod("p").tolerates(key, "Exists", "", ""),
                "fits",
            ),
            (
                "tolerated with everything else",
                node("n").cordoned(),
                pod("p").tolerates("", "Exists", "", ""),
                "fits",
            ),
            (
                "the taint of a cordon has an empty value",
                node("n").cordoned(),
                pod("p").tolerates(key, "Equal", "", ""),
                "fits",
            ),
            (
                "another value does not tolerate it",
                node("n").cordoned(),
                pod("p").tolerates(key, "Equal", "x", ""),
                REJECTED,
            ),
            (
                "another effect does not tolerate it",
                node("n").cordoned(),
                pod("p").tolerates(key, "Exists", "", "NoExecute"),
                REJECTED,
            ),
            (
                "another key does not tolerate it",
                node("n").cordoned(),
                pod("p").tolerates("k", "Exists", "", ""),
                REJECTED,
            ),
            (
                "a daemon set's pod passes the taint of the cordon, too",
                node("n").cordoned().taint(key, "", "NoSchedule"),
                pod("p").tolerates(key, "Exists", "", "NoSchedule"),
                "fits",
            ),
        ] {
            assert_eq!(decide(objects![node, pod], "p").node("n"), want, "{row}");
        }
    }

    #[test]
    fn no_eviction_uncordons_a_node() {
        let answer =
            decide(objects![node("n").cordoned(), pod("v").on("n"), pod("p").priority(9)], "p");
        assert_eq!(answer.dry_run("n"), "Preemption is not helpful for scheduling");
    }
}

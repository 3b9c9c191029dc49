//! `NodeName`: a pod that names its node fits on no other.

use std::collections::BTreeSet;

use json::evidence::Evidence as JsonEvidence;

use crate::framework::cluster_view::{ClusterView, NodeInfo};
use crate::framework::evidence::{Evidence, Fact, Nearness, Obstruction, RejectedOn};
use crate::framework::plugin::{Cycle, Filter, OnlyNodes, Plugin, Prepared, RuleDoc, Signer};
use crate::framework::reason::{Message, Obstacle, When};
use crate::framework::status::{Code, FilterVerdict};
use model::cluster::{Cluster, Pod, Sym};

static OTHER_NODE: Message = Message {
    code: "PRE-218",
    text: "node(s) didn't match the requested node name",
    meaning: "spec.nodeName asks for another node.",
    preemption: "Never: no eviction renames a node.",
    remedy: "correct or remove spec.nodeName",
    obstacle: Obstacle::Pod,
    when: When::Rows(&[|f| f.node_name.node_name_text]),
    source: "pkg/scheduler/framework/plugins/nodename/node_name.go (1.37)",
};

static OTHER_HOST: Message = Message {
    code: "PRE-219",
    text: "node(s) didn't match the requested hostname",
    when: When::Rows(&[|f| !f.node_name.node_name_text]),
    source: "pkg/scheduler/framework/plugins/nodename/node_name.go (1.20)",
    ..OTHER_NODE
};

pub struct NodeName;

static DOC: RuleDoc = RuleDoc {
    name: "NodeName",
    code: "PRE-101",
    summary: "spec.nodeName, if set, is the node's name.",
    preemption: "Never helps: no eviction renames a node.",
    scores: None,
    messages: &[&OTHER_NODE, &OTHER_HOST],
    retried_on: Some("a node is added"),
    source: "pkg/scheduler/framework/plugins/nodename/node_name.go (1.37)",
};

impl Signer for NodeName {
    fn sees_alike(&self, cycle: &Cycle, other: &Pod) -> bool {
        cycle.pod.node_name == other.node_name
    }
}

impl Plugin for NodeName {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn prepare<'c>(&self, cycle: &Cycle<'c>) -> Prepared<'c> {
        let wanted = cycle.pod.node_name;
        if wanted.is_empty() {
            return Prepared::Skip;
        }
        let only = cycle.features().node_name.node_name_narrows.then(|| OnlyNodes {
            names: BTreeSet::from([wanted]),
            evidence: OtherNode { wanted }.grounds(),
        });
        Prepared::Ready { only, filter: Box::new(Named { view: cycle.view, wanted }) }
    }
}

/// `spec.nodeName` names another node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherNode {
    wanted: Sym,
}

impl Evidence for OtherNode {
    fn nearness(&self, _: &RejectedOn) -> Nearness {
        Nearness::OtherName
    }

    fn obstruction(&self) -> Obstruction<'_> {
        Obstruction::Fixed
    }

    fn json(&self, cluster: &Cluster) -> Vec<JsonEvidence> {
        vec![JsonEvidence::NodeName { node_name: cluster.text(self.wanted).to_owned() }]
    }

    fn facts<'e>(&'e self, cluster: &Cluster) -> Vec<Fact<'e>> {
        vec![Fact::Words(format!("spec.nodeName asks for {}", cluster.text(self.wanted)))]
    }
}

struct Named<'c> {
    view: &'c ClusterView<'c>,
    wanted: Sym,
}

impl Filter for Named<'_> {
    fn check(&self, node: &NodeInfo) -> FilterVerdict {
        if self.view.node(node.node).name == self.wanted {
            return FilterVerdict::Fits;
        }
        let evidence = OtherNode { wanted: self.wanted }.grounds();
        let text = if self.view.profile.features.node_name.node_name_text {
            &OTHER_NODE
        } else {
            &OTHER_HOST
        };
        FilterVerdict::reject(Code::UnschedulableAndUnresolvable, text.reason(), evidence)
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
    use crate::testing::{assert_ends, assert_has, at, node, objects, pod};

    /// Pods that name a node never get a cycle of their own, so the cycle is looked at directly.
    fn verdicts(version: &str, names: &str) -> (Vec<String>, String) {
        use crate::framework::cycle::NodeVerdict;
        let objects = objects![
            node("a"),
            node("b").cpu("1"),
            node("c").cordoned(),
            pod("p").cpu("2").with("/spec/nodeName", names)
        ];
        at(version).with_cycle(objects, "p", |cycle| {
            let cluster = cycle.cycle.cluster();
            let texts = cycle.filter_all().into_iter().map(|verdict| match verdict {
                NodeVerdict::Filtered { plugin, rejection } => {
                    format!(
                        "{} {plugin}: {}",
                        rejection.code.name(),
                        rejection.texts(cluster).join("; ")
                    )
                }
                other => format!("{other:?}"),
            });
            (texts.collect(), format!("{:?}", cycle.pre_filter))
        })
    }

    const OTHER: &str =
        "UnschedulableAndUnresolvable NodeName: node(s) didn't match the requested node name";

    #[test]
    fn up_to_1_36_every_other_node_is_rejected() {
        let (nodes, pre_filter) = verdicts("1.36", "b");
        assert_eq!(pre_filter, "AllNodes");
        assert_eq!(nodes[0], OTHER);
        assert_ends(&nodes[1], "NodeResourcesFit: Insufficient cpu");
        assert_ends(&nodes[2], "NodeUnschedulable: node(s) were unschedulable");
    }

    #[test]
    fn since_1_37_other_nodes_are_not_even_filtered() {
        let (nodes, pre_filter) = verdicts("1.37", "b");
        assert_has(&pre_filter, r#"by: ["NodeName"]"#);
        assert_eq!(nodes[0], "ExcludedByPreFilter");
        assert_ends(&nodes[1], "NodeResourcesFit: Insufficient cpu");
        assert_eq!(nodes[2], "ExcludedByPreFilter");
    }

    #[test]
    fn a_name_that_is_no_node_leaves_none() {
        assert_eq!(
            verdicts("1.37", "gone").0,
            ["ExcludedByPreFilter", "ExcludedByPreFilter", "ExcludedByPreFilter"]
        );
        assert_eq!(verdicts("1.36", "gone").0[..2], [OTHER, OTHER]);
    }

    #[test]
    fn a_pod_without_a_name_may_go_anywhere() {
        assert!(
            verdicts("1.37", "")
                .0
                .iter()
                .all(|v| !v.contains("NodeName") && v != "ExcludedByPreFilter")
        );
    }
}

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
}

#[cfg(test)]
mod tests;

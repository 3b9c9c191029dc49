//! `NodeUnschedulable`: cordoned nodes take no pods that do not tolerate it.

use crate::framework::cluster_view::{ClusterView, NodeInfo};
use crate::framework::plugin::{Cycle, Filter, Plugin, Prepared, RuleDoc};
use crate::framework::reason::{Message, Obstacle, When};
use crate::framework::status::{Code, Evidence, Verdict};
use model::cluster::symbols::Sym;
use model::cluster::template::Effect;

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

/// The taint that a cordon stands for.
const TAINT_KEY: &str = "node.kubernetes.io/unschedulable";

/// The plugin.
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

impl Plugin for NodeUnschedulable {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn prepare<'c>(&self, cycle: &Cycle<'c>) -> Prepared<'c> {
        if tolerates_cordons(cycle) { Prepared::Skip } else { Prepared::ready(Uncordoned { view: cycle.view }) }
    }
}

/// Whether the pod can go to cordoned nodes.
pub(super) fn tolerates_cordons(cycle: &Cycle) -> bool {
    let symbols = &cycle.cluster().symbols;
    let key = symbols.get(TAINT_KEY);
    let comparison = cycle.features().tolerations.toleration_comparison;
    let mut tolerations = cycle.template.tolerations.iter();
    tolerations.any(|t| t.tolerates(key, Sym::EMPTY, Effect::NoSchedule, symbols, comparison))
}

struct Uncordoned<'c> {
    view: &'c ClusterView<'c>,
}

impl Filter for Uncordoned<'_> {
    fn check(&self, node: &NodeInfo) -> Verdict {
        if !self.view.node(node.node).unschedulable {
            return Verdict::Fits;
        }
        Verdict::reject(Code::UnschedulableAndUnresolvable, UNSCHEDULABLE.reason(), Evidence::Cordoned)
    }
}

#[cfg(test)]
mod tests;

//! NodeName: a pod that names its node goes nowhere else.

use std::collections::BTreeSet;

use crate::cluster::symbols::Sym;
use crate::framework::cluster_view::{ClusterView, NodeInfo};
use crate::framework::plugin::{Cycle, Filter, Plugin, Prepared, RuleDoc};
use crate::framework::status::{Code, Evidence, ReasonText, Verdict};

/// Upstream's reason.
const OTHER_NODE: &str = "node(s) didn't match the requested node name";
/// The same up to 1.20.
const OTHER_HOST: &str = "node(s) didn't match the requested hostname";

/// The plugin.
pub struct NodeName;

static DOC: RuleDoc = RuleDoc {
    name: "NodeName",
    code: "PRE-101",
    summary: "spec.nodeName, if set, is the node's name.",
    preemption: "Never helps: no eviction renames a node.",
    scores: None,
    source: "pkg/scheduler/framework/plugins/nodename/node_name.go (1.37)",
};

impl Plugin for NodeName {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn prepare<'c>(&self, cycle: &Cycle<'c>) -> Prepared<'c> {
        let wanted = cycle.pod.node_name;
        if wanted.is_empty() {
            return Prepared::Skip;
        }
        let only = cycle.features().node_name.node_name_narrows.then(|| BTreeSet::from([wanted]));
        Prepared::Ready { only, filter: Box::new(Named { view: cycle.view, wanted }) }
    }
}

struct Named<'c> {
    view: &'c ClusterView<'c>,
    wanted: Sym,
}

impl Filter for Named<'_> {
    fn check(&self, node: &NodeInfo) -> Verdict {
        if self.view.node(node.node).name == self.wanted {
            return Verdict::Fits;
        }
        let evidence = Evidence::NodeName { wanted: self.wanted };
        let text = if self.view.profile.features.node_name.node_name_text { OTHER_NODE } else { OTHER_HOST };
        Verdict::reject(Code::UnschedulableAndUnresolvable, ReasonText::Fixed(text), evidence)
    }
}

#[cfg(test)]
mod tests;

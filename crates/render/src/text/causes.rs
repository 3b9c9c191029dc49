//! Why nodes are rejected: thousands of nodes, grouped by a few causes.

use super::{DecisionPage, NODES_NAMED, PODS_NAMED};
use crate::facts::texts;
use crate::groups::{self, Group};
use crate::page::{Span, Tone};
use crate::words;
use engine::cluster::node::NodeIx;
use engine::decision::Outcome;
use engine::framework::cycle::PreFilter;

/// The most causes that are shown without `-o wide`.
const CAUSES_SHOWN: usize = 5;

impl DecisionPage<'_> {
    /// The section about rejected nodes.
    pub(super) fn causes(&mut self) {
        if let PreFilter::Rejected { plugin, rejection, .. } = &self.decision.pre_filter {
            self.heading("Why no node takes it");
            self.page.line(2, vec![Span::new("all nodes", Tone::Strong)]);
            rejection.quotes(self.cluster).iter().for_each(|reason| self.quote(plugin, reason));
            return;
        }
        let groups = groups::closest_first(self.decision);
        let excluded = self.decision.excluded_by_pre_filter();
        if groups.is_empty() && excluded.is_empty() {
            return;
        }
        let title =
            if self.decision.outcome == Outcome::Schedulable { "Nodes that refuse it" } else { "Why no node takes it" };
        self.heading(title);
        self.groups(&groups);
        if !excluded.is_empty() {
            let text = self.excluded();
            self.point(format!("{}: ", words::count(excluded.len(), "node")), text);
            self.page.line(4, vec![Span::new(self.nodes(&excluded), Tone::Quiet)]);
        }
        self.nominated_pods();
    }

    /// Why nodes were not filtered: upstream's reason, or a text of our own for versions that give none.
    pub(super) fn excluded(&self) -> String {
        let silent = "not among the nodes that the pod asks for by name (the scheduler's message does not count them)";
        self.decision.pre_filter_exclusion().map_or_else(|| silent.to_owned(), |quote| quote.text)
    }

    /// Nodes on which resources are reserved for pods that are nominated to them.
    fn nominated_pods(&mut self) {
        let view = self.decision.view;
        let kept = self.decision.rejections().filter_map(|(node, ..)| {
            let nominated_pods: Vec<String> =
                view.nominated_pods(node, self.decision.pod).map(|pod| self.cluster.pod_name(pod)).collect();
            (!nominated_pods.is_empty()).then(|| (node, words::list(&nominated_pods, PODS_NAMED)))
        });
        let kept: Vec<(NodeIx, String)> = kept.take(NODES_NAMED).collect();
        for (node, nominated_pods) in kept {
            let text = format!("{} keeps room for {nominated_pods}, nominated to it", self.node(node));
            self.page.line(2, vec![text.into()]);
        }
    }

    /// The largest groups, and how many nodes are in the others.
    pub(super) fn groups(&mut self, groups: &[Group]) {
        let shown = if self.detail.wide { groups } else { groups.get(..CAUSES_SHOWN).unwrap_or(groups) };
        let differ = groups.iter().any(|group| !group.also.is_empty());
        for group in shown {
            self.group(group, if differ && group.also.is_empty() { " fail only on this" } else { "" });
        }
        let rest = groups.get(shown.len()..).unwrap_or_default();
        if !rest.is_empty() {
            let nodes = words::count(rest.iter().map(|group| group.nodes.len()).sum(), "node");
            let causes = words::count(rest.len(), "more cause");
            let text = format!("and {nodes} for {causes}; -o wide shows them");
            self.page.line(2, vec![Span::new(text, Tone::Quiet)]);
        }
    }

    /// `only` follows the number of nodes.
    fn group(&mut self, group: &Group, only: &str) {
        let details =
            if group.details.is_empty() { texts(&group.reasons).join("; ") } else { group.details.join("; ") };
        let only = if group.nodes.len() == 1 { only.replace("fail", "fails") } else { only.to_owned() };
        self.point(format!("{}{only}: ", words::count(group.nodes.len(), "node")), details);
        group.reasons.iter().for_each(|reason| self.quote(group.plugin, reason));
        if !group.also.is_empty() {
            self.page.line(4, vec![format!("also rejected by {}", words::list(&group.also, usize::MAX)).into()]);
        }
        self.page.line(4, vec![Span::new(self.nodes(&group.nodes), Tone::Quiet)]);
    }
}

//! Why nodes are rejected: thousands of nodes, grouped by a few causes.

use super::{DecisionPage, NODES_NAMED, PODS_NAMED};
use crate::groups::{self, Group};
use crate::page::{Span, Tone};
use crate::view_model::texts;
use crate::words;
use engine::framework::cycle::PreFilter;

impl DecisionPage<'_> {
    /// The section about rejected nodes.
    pub(super) fn causes(&mut self) {
        if let PreFilter::Rejected { plugin, rejection, .. } = self.decision.pre_filter() {
            self.heading("Why no node fits");
            self.page.line(2, vec![Span::new("all nodes", Tone::Strong)]);
            rejection.quotes(self.cluster).iter().for_each(|reason| self.quote(plugin, reason));
            return;
        }
        let groups = groups::closest_first(self.decision);
        let excluded = self.decision.excluded_by_pre_filter();
        if groups.is_empty() && excluded.is_empty() {
            return;
        }
        let title = if self.decision.fits() { "Nodes that do not fit" } else { "Why no node fits" };
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

    /// The nomination of the pod itself, and nodes on which resources are reserved for pods that are nominated to them.
    fn nominated_pods(&mut self) {
        for text in self.model.own_nomination() {
            self.page.line(2, vec![text.into()]);
        }
        for (node, pods) in self.model.reserved().into_iter().take(NODES_NAMED) {
            let pods = words::list(&pods, PODS_NAMED);
            let text = format!("{} is reserved for {pods}, nominated to it", self.node(node));
            self.page.line(2, vec![text.into()]);
        }
    }

    /// All groups.
    pub(super) fn groups(&mut self, groups: &[Group]) {
        let differ = groups.iter().any(|group| !group.also.is_empty());
        for group in groups {
            self.group(group, if differ && group.also.is_empty() { " fail only on this" } else { "" });
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

//! Why nodes are rejected: thousands of nodes, grouped by a few causes.

use super::{DecisionPage, NODES_NAMED, PODS_NAMED};
use crate::page::{Span, Tone};
use answers::causes::{self, CauseGroup};
use answers::words;

/// Maximum number of lines that a group's explanation omits and that are shown after it.
const MORE_DETAILS: usize = 50;

impl DecisionPage<'_> {
    /// The section about rejected nodes.
    pub(super) fn causes(&mut self) {
        if let Some(group) = causes::of_pre_filter(self.decision) {
            self.heading("Why no node fits");
            if group.details.is_empty() {
                self.page.line(2, vec![Span::new("all nodes", Tone::Strong)]);
            } else {
                self.point("all nodes: ".to_owned(), group.details.join("; "));
                self.more_details(&group);
            }
            group.reasons.iter().for_each(|reason| self.quote(group.plugin, reason));
            return;
        }
        let groups = self.decision.closest_causes();
        let excluded = self.decision.excluded_by_pre_filter();
        if groups.is_empty() && excluded.is_empty() {
            return;
        }
        let title = if self.decision.fits() { "Nodes that do not fit" } else { "Why no node fits" };
        self.heading(title);
        self.groups(groups);
        if !excluded.is_empty() {
            let text = self.excluded();
            self.point(format!("{}: ", words::count(excluded.len(), "node")), text);
            for why in causes::narrowing(self.decision) {
                self.page.line(4, vec![why.into()]);
            }
            self.page.line(4, vec![Span::new(self.nodes(&excluded), Tone::Quiet)]);
        }
        self.nominated_pods();
    }

    /// Why nodes were not filtered: upstream's reason, or our own text for versions that give none.
    pub(super) fn excluded(&self) -> String {
        let silent = "not among the nodes that the pod asks for by name (the scheduler's message does not count them)";
        self.decision.pre_filter_exclusion().map_or_else(|| silent.to_owned(), |quote| quote.text)
    }

    /// The nomination of the pod itself, and nodes with resources reserved for nominated pods.
    fn nominated_pods(&mut self) {
        for text in self.decision.own_nomination() {
            self.page.line(2, vec![text.into()]);
        }
        for (node, pods) in self.decision.reserved().into_iter().take(NODES_NAMED) {
            let pods = words::list(&pods, PODS_NAMED);
            let text = format!("{} is reserved for {pods}, nominated to it", self.node(node));
            self.page.line(2, vec![text.into()]);
        }
    }

    pub(super) fn groups(&mut self, groups: &[CauseGroup]) {
        let differ = groups.iter().any(|group| !group.also.is_empty());
        for group in groups {
            self.group(
                group,
                if differ && group.also.is_empty() { " fail only on this" } else { "" },
            );
        }
    }

    /// `only` follows the number of nodes.
    fn group(&mut self, group: &CauseGroup, only: &str) {
        let only =
            if group.nodes.len() == 1 { only.replace("fail", "fails") } else { only.to_owned() };
        self.point(format!("{}{only}: ", words::count(group.nodes.len(), "node")), group.cause());
        self.more_details(group);
        group.reasons.iter().for_each(|reason| self.quote(group.plugin, reason));
        if !group.also.is_empty() {
            self.page.line(
                4,
                vec![format!("also rejected by {}", words::list(&group.also, usize::MAX)).into()],
            );
        }
        self.page.line(4, vec![Span::new(self.nodes(&group.nodes), Tone::Quiet)]);
    }
    /// What must be said with the explanations, and what they omit.
    fn more_details(&mut self, group: &CauseGroup) {
        for detail in group.more_details.iter().take(MORE_DETAILS) {
            self.page.line(4, vec![detail.as_str().into()]);
        }
        let more = group.more_details.len().saturating_sub(MORE_DETAILS);
        if more > 0 {
            let text = format!("and {more} more: --nodes, -o json");
            self.page.line(4, vec![Span::new(text, Tone::Quiet)]);
        }
        if let Some(remark) = group.remark {
            self.page.line(4, vec![remark.into()]);
        }
    }
}

//! `-o wide`: the decision in full: the verdict, what helps, every cause, every candidate with its
//! victims, the tie-break, the scheduler's message, when the pod is retried, and all notes.
//! [`super::screen`] is the short form.

mod candidates;
mod causes;
mod nodes;
mod preemption;
pub(crate) mod sampling;
mod scores;
mod tie_break;
mod verdict;

use std::collections::BTreeSet;

use super::page::{Page, Span, Tone};
use super::{link, notes};
use answers::origin::Origin;
use answers::pod_report::{PodReport, REPORT, REPORTED};
use answers::{ties, words};
use engine::cluster::{Cluster, NodeIx};
use engine::framework::reason::Quote;

/// Maximum number of nodes named per group.
const NODES_NAMED: usize = 5;
/// Maximum number of columns of nodes that are compared.
const COMPARED: usize = 5;
/// Maximum number of pods named in a list.
const PODS_NAMED: usize = 5;

/// The page about a decision.
pub fn page(decision: &PodReport, origin: &Origin) -> Page {
    let mut text = DecisionPage::new(decision);
    text.verdict(origin);
    text.holder();
    text.help();
    text.next_steps();
    text.causes();
    text.scores();
    text.preemption();
    text.as_scheduled();
    text.messages();
    text.waiting();
    notes::add(&mut text.page, &decision.notes, true);
    text.page
}

/// A table with a row per node, below a gap and a heading.
pub fn nodes(decision: &PodReport) -> Page {
    let mut text = DecisionPage::new(decision);
    text.node_table();
    text.page
}

struct DecisionPage<'d> {
    decision: &'d PodReport<'d>,
    cluster: &'d Cluster,
    page: Page,
    /// The codes of messages that have been explained, so that each is explained once.
    explained: BTreeSet<&'static str>,
}

impl<'d> DecisionPage<'d> {
    fn new(decision: &'d PodReport<'d>) -> Self {
        let cluster = decision.view.cluster;
        Self { decision, cluster, page: Page::default(), explained: BTreeSet::new() }
    }
}

impl DecisionPage<'_> {
    fn node(&self, node: NodeIx) -> String {
        self.decision.node(node).to_owned()
    }

    fn nodes(&self, nodes: &[NodeIx]) -> String {
        let names: Vec<&str> = nodes.iter().map(|node| self.decision.node(*node)).collect();
        words::list(&names, NODES_NAMED)
    }

    fn heading(&mut self, text: &str) {
        self.page.gap();
        self.page.heading(text);
    }

    /// A line with an emphasized beginning.
    fn point(&mut self, head: String, text: String) {
        self.page.line(2, vec![Span::new(head, Tone::Strong), text.into()]);
    }

    /// A message of the scheduler with its meaning; `by` is the plugin that writes it, empty for
    /// the scheduler itself.
    fn quote(&mut self, by: &str, quote: &Quote) {
        let Quote { text, message: known } = quote;
        let mut spans = if by.is_empty() {
            Vec::new()
        } else {
            vec![link::plugin(by, Tone::Plain), ": ".into()]
        };
        spans.push(Span::new(format!("\"{text}\""), Tone::Quiet));
        if let Some(message) = known {
            let code = Span::new(format!("[{}]", message.code), Tone::Quiet);
            spans.extend([" ".into(), code.linked(link::of(message.code))]);
        }
        if let Some(message) = known.filter(|m| self.explained.insert(m.code)) {
            spans.push(format!(": {}", message.meaning).into());
        }
        self.page.line(4, spans);
    }

    fn messages(&mut self) {
        if let Some(message) = self.decision.scheduler_message() {
            self.heading(REPORT);
            self.page.line(2, vec![Span::new(message, Tone::Quiet)]);
            if let Some(other) = ties::other_message(self.decision) {
                self.page.line(2, vec![other.into()]);
            }
        }
        let Some((why, written)) = self.decision.other_condition() else { return };
        if self.decision.scheduler_message().is_none() {
            self.heading(REPORTED);
        }
        self.page.line(2, vec![why.into()]);
        self.page.line(4, vec![Span::new(written, Tone::Quiet)]);
    }

    /// The section about when the scheduler retries the pod.
    fn waiting(&mut self) {
        let Some(waiting) = self.decision.waiting() else { return };
        self.heading(if waiting.kept_by.is_empty() {
            "When it is retried"
        } else {
            "Why it may still be pending"
        });
        for reason in &waiting.kept_by {
            self.page.line(2, vec![reason.as_str().into()]);
        }
        for (plugin, when) in &waiting.retried_on {
            self.page.line(2, vec![link::plugin(plugin, Tone::Strong), format!(": {when}").into()]);
        }
        let again = if waiting.kept_by.is_empty() { "" } else { "it is retried " };
        let latest = match waiting.flush.map(|seconds| seconds / 60) {
            None => "only upon an event".to_owned(),
            Some(minutes) => {
                format!(
                    "at the latest about {} after the last attempt",
                    words::count(minutes as usize, "minute")
                )
            }
        };
        let (first, longest) = (waiting.first_backoff, waiting.longest_backoff);
        let text =
            format!("{again}{latest}; between attempts {first} s, doubling up to {longest} s");
        self.page.line(2, vec![Span::new(text, Tone::Quiet)]);
    }
}

#[cfg(test)]
mod tests;

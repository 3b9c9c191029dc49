//! The decision as text: the verdict, what would help, rejected nodes, victims, the tie-break, upstream's message, and
//! notes. It is about one screen for any size of cluster; `--nodes` and `-o wide` show the rest.

mod candidates;
mod causes;
mod nodes;
mod preemption;
mod sampling;
mod scores;
mod tie_break;
mod verdict;

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::facts::{Facts, REPORT, REPORTED};
use super::page::{Page, Span, Tone};
use super::{notes, words};
use engine::cluster::Cluster;
use engine::cluster::node::NodeIx;
use engine::decision::Decision;
use engine::framework::reason::Quote;

/// The most nodes of a group that are named.
const NODES_NAMED: usize = 5;
/// The most candidates and score columns that are shown without `-o wide`.
const CANDIDATES_SHOWN: usize = 5;
/// The most pods that are named in a list.
const PODS_NAMED: usize = 5;

/// The level of detail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Detail {
    /// Whether everything but a row per node is shown: every cause, every candidate with all its victims and reprieved
    /// pods.
    pub wide: bool,
    /// Whether there is a table with a row per node.
    pub nodes: bool,
    /// The time of the decision, from which ages are computed.
    pub now: Timestamp,
}

/// The page about a decision.
#[must_use]
pub fn page(decision: &Decision, detail: Detail) -> Page {
    let cluster = decision.view.cluster;
    let facts = Facts::new(decision, detail.now);
    let mut text = DecisionPage { decision, cluster, facts, detail, page: Page::default(), explained: BTreeSet::new() };
    text.verdict();
    text.help();
    text.causes();
    text.scores();
    text.preemption();
    text.as_scheduled();
    text.messages();
    text.waiting();
    if detail.nodes {
        text.node_table();
    }
    notes::add(&mut text.page, &decision.notes, detail.wide);
    text.page
}

struct DecisionPage<'d> {
    decision: &'d Decision<'d>,
    cluster: &'d Cluster,
    facts: Facts<'d>,
    detail: Detail,
    page: Page,
    /// The codes of messages that have been explained, so that each is explained once.
    explained: BTreeSet<&'static str>,
}

impl DecisionPage<'_> {
    fn node(&self, node: NodeIx) -> String {
        self.facts.node(node).to_owned()
    }

    fn nodes(&self, nodes: &[NodeIx]) -> String {
        let names: Vec<&str> = nodes.iter().map(|node| self.facts.node(*node)).collect();
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

    /// A message of the scheduler with its meaning; `by` is the plugin that writes it, empty for the scheduler itself.
    fn quote(&mut self, by: &str, quote: &Quote) {
        let Quote { text, message: known } = quote;
        let by = if by.is_empty() { String::new() } else { format!("{by}: ") };
        let code = known.map(|m| format!(" [{}]", m.code)).unwrap_or_default();
        let mut spans = vec![by.into(), Span::new(format!("\"{text}\"{code}"), Tone::Quiet)];
        if let Some(message) = known.filter(|m| self.explained.insert(m.code)) {
            spans.push(format!(": {}", message.meaning).into());
        }
        self.page.line(4, spans);
    }

    fn messages(&mut self) {
        if let Some(message) = self.decision.scheduler_message() {
            self.heading(REPORT);
            self.page.line(2, vec![Span::new(message, Tone::Quiet)]);
        }
        let Some((why, written)) = self.facts.other_condition() else { return };
        if self.decision.scheduler_message().is_none() {
            self.heading(REPORTED);
        }
        self.page.line(2, vec![why.into()]);
        self.page.line(4, vec![Span::new(written, Tone::Quiet)]);
    }

    /// The section about when the scheduler retries the pod.
    fn waiting(&mut self) {
        let Some(waiting) = &self.decision.waiting else { return };
        self.heading(if waiting.kept_by.is_empty() { "When it is tried again" } else { "What may keep it" });
        for reason in &waiting.kept_by {
            self.page.line(2, vec![reason.as_str().into()]);
        }
        for (plugin, when) in &waiting.retried_on {
            self.page.line(2, vec![Span::new(*plugin, Tone::Strong), format!(": {when}").into()]);
        }
        let again = if waiting.kept_by.is_empty() { "" } else { "it is tried again " };
        let latest = match waiting.flush.map(|seconds| seconds / 60) {
            None => "only upon an event".to_owned(),
            Some(minutes) => {
                format!("at the latest about {} after the last attempt", words::count(minutes as usize, "minute"))
            }
        };
        let (first, longest) = (waiting.first_backoff, waiting.longest_backoff);
        let text = format!("{again}{latest}; between attempts {first} s, doubling up to {longest} s");
        self.page.line(2, vec![Span::new(text, Tone::Quiet)]);
    }
}

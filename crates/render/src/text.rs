//! `-o wide`: the decision in full: the verdict, what helps, every cause, every candidate with its
//! victims, the tie-break, the scheduler's message, when the pod is retried, and all notes.
//! [`super::screen`] is the short form.

mod causes;
mod preemption;
pub(crate) mod scores;

use std::collections::BTreeSet;

use super::link;
use super::notes;
use super::page::{Page, Sign, Span, Tone};
use answers::headline::{headline_at, rules_in_short, standing};
use answers::origin::Origin;
use answers::pod_report::{PodReport, REPORT, REPORTED};
use answers::questions::explain;
use answers::{holder, remedies, ties, words};
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
    text.nobody_schedules();
    text.holder();
    text.help();
    text.why_not();
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

    fn verdict(&mut self, origin: &Origin) {
        let headline = headline_at(self.decision, origin.as_of);
        self.page.verdict(Sign::of(standing(self.decision)), headline);
        self.page.based_on_rules(2, origin, &rules_in_short(self.decision.profile()));
    }

    /// What autoscalers do about the pod, in full.
    fn next_steps(&mut self) {
        let Some(lines) = explain::next_steps(self.decision, true) else { return };
        self.page.section(lines.head.as_str());
        for line in lines.lines {
            self.page.line(2, vec![line.into()]);
        }
    }

    /// What is known of the scheduler, if nobody seems to schedule the pod.
    fn nobody_schedules(&mut self) {
        let Some(silence) = &self.decision.silence else { return };
        self.page.section(silence.head());
        for line in silence.lines() {
            self.page.line(2, vec![line.into()]);
        }
    }

    /// The reason given by the program that holds the pod.
    fn holder(&mut self) {
        let Some(found) = holder::words(self.decision) else { return };
        self.page.section(found.head.as_str());
        for line in found.lines {
            self.page.line(2, vec![line.into()]);
        }
    }

    /// What was tried and helps.
    fn help(&mut self) {
        let Some(section) = remedies::section(self.decision) else { return };
        let end = if section.lines.is_empty() { "" } else { ":" };
        self.page.line(2, vec![Span::new(format!("{}{end}", section.head), Tone::Strong)]);
        for line in section.lines {
            self.page.line(4, vec![line.into()]);
        }
        if !section.check.is_empty() {
            let command = Span::command(section.check, Tone::Plain);
            self.page.line(4, vec![Span::new("the first: ", Tone::Quiet), command]);
        }
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
            self.page.section(REPORT);
            self.page.quiet(2, message);
            if let Some(other) = ties::other_message(self.decision) {
                self.page.line(2, vec![other.into()]);
            }
        }
        let Some(other) = self.decision.other_condition() else { return };
        if self.decision.scheduler_message().is_none() {
            self.page.section(REPORTED);
        }
        self.page.line(2, vec![other.why.into()]);
        self.page.quiet(4, other.message);
    }

    /// The section about when the scheduler retries the pod.
    fn waiting(&mut self) {
        let is_seen = self.decision.silence.is_none();
        let Some(waiting) = self.decision.waiting().filter(|_| is_seen) else { return };
        self.page.section(if waiting.kept_by.is_empty() {
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

        // Without any of these events, a timer moves the pod back into the queue.
        let again = if waiting.kept_by.is_empty() { "" } else { "it is retried " };
        let latest = match waiting.flush.map(|seconds| seconds / 60) {
            None => "only upon an event".to_owned(),
            Some(minutes) => {
                let minutes = words::count(minutes as usize, "minute");
                format!("at the latest about {minutes} after the last attempt")
            }
        };
        let (first, longest) = (waiting.first_backoff, waiting.longest_backoff);
        let backoff = format!("between attempts {first} s, doubling up to {longest} s");
        self.page.quiet(2, format!("{again}{latest}; {backoff}"));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use engine::decision::decide;
    use engine::framework::cluster_view::ClusterView;

    use crate::page::Paper;
    use crate::{screen, text};
    use answers::origin::{InputOrigin, Origin};
    use answers::pod_report::PodReport;
    use testing::{NOW, assert_has, assert_lacks, at, cluster, node, pod, tied};

    /// The screen and the wide page about pod `p`, by the rules of 1.37.
    fn shown(objects: Vec<Value>) -> [String; 2] {
        let cluster = cluster(objects);
        let profile = at("1.37").profile();
        let view = ClusterView::new(&cluster, &profile);
        let now = NOW.parse().expect("a time");
        let origin = Origin {
            place: InputOrigin::Files(vec!["f".to_owned()]),
            as_of: now,
            nodes: answers::node_name::NodeNames::default(),
        };
        let pod = cluster.find_pod("default", "p").expect("the pod");
        let decision = PodReport::from(decide(&view, pod, now));
        let wide = text::page(&decision, &origin).print(Paper::PLAIN).to_string();
        [
            screen::page(&[decision], &origin, false, screen::SCREEN)
                .print(Paper::PLAIN)
                .to_string(),
            wide,
        ]
    }

    #[test]
    fn few_sets_are_listed_on_both_pages() {
        let [screen, wide] = shown(tied(&["1", "2", "1"]));
        let line = |page: &str| {
            let line = page
                .lines()
                .find(|line| line.contains("Or others"))
                .unwrap_or_else(|| panic!("{page}"));
            line.trim().to_owned()
        };
        let sets = ["default/v1", "default/v0 and default/v2"];
        let expected =
            sets.map(|set| format!("Or others of the same priority and start second: {set}"));
        assert!(expected.contains(&line(&screen)), "{screen}");
        assert_eq!(line(&screen), line(&wide));
        assert_has(&wide, "n: evicts 1 to 2 pods, reprieves 1 to 2\n");
    }

    #[test]
    fn many_sets_are_counted() {
        let [screen, _] = shown(tied(&["1", "1", "1", "1", "1", "1", "1"]));
        let all =
            "default/v0, default/v1, default/v2, default/v3, default/v4, default/v5 and 1 more";
        assert_has(&screen, &format!("start second: 2 of {all}\n"));
    }

    #[test]
    fn the_message_may_tell_another_number_of_victims() {
        let [_, wide] = shown(tied(&["1", "2", "1"]));
        let (told, other) = if wide.contains("preempting 1 victims\n") {
            (1, "2 victims")
        } else {
            (2, "1 victim")
        };
        assert_has(&wide, &format!("preempting {told} victims\n  or with {other}\n"));
        let [_, settled] = shown(tied(&["2"]));
        assert_lacks(&settled, "or with");
        assert_has(&settled, "preempting 1 victims\n");
    }

    #[test]
    fn node_that_wins_only_in_a_tie_is_shown_with_the_others() {
        // On m two pods go that started last. So n, whose dry run evicts two, too, wins only if it
        // evicts v0 alone.
        let later = "2026-01-01T00:00:30Z";
        let mut objects = tied(&["2", "1", "1"]);
        objects.push(node("m").cpu("2").into());
        objects.extend(
            ["m1", "m2"].map(|name| Value::from(pod(name).cpu("1").on("m").started(later))),
        );
        let [_, wide] = shown(objects);
        let (_, n) =
            wide.split_once("n: evicts 2 pods, reprieves 1\n").unwrap_or_else(|| panic!("{wide}"));
        let others = "Picked only if kube-scheduler evicts others of the same priority and start second: default/v0\n";
        assert!(wide.contains("m: evicts 2 pods\n") && n.contains(others), "{wide}");
    }
}

//! The decision for people: verdict first, then why, whom it would cost, what decided, upstream's words, and doubts.

mod as_scheduled;
mod scores;

use jiff::Timestamp;

use super::groups::{self, Group};
use super::page::{Page, Span, Tone};
use super::{notes, words};
use crate::cluster::Cluster;
use crate::cluster::node::NodeIx;
use crate::cluster::pod::{OwnerRef, PodIx};
use crate::decision::{Decision, Outcome};
use crate::framework::cycle::{NodeVerdict, PreFilter};
use crate::framework::status::Code;
use crate::preemption::dry_run::{Candidate, DryRun};
use crate::preemption::pick_node::{CRITERIA, Step, Unit};
use crate::preemption::{NOT_HELPFUL, PreemptionReport};

/// Nodes of a group that are named.
const NODES_NAMED: usize = 5;
/// Candidates and ladder columns that are shown without `-o wide`.
const CANDIDATES_SHOWN: usize = 5;
/// Pods that are named where only some matter.
const PODS_NAMED: usize = 5;

/// How much is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Detail {
    /// Victims and spared pods of every candidate, not of the winners alone.
    pub wide: bool,
    /// A table with a row per node.
    pub nodes: bool,
    /// The instant of the decision, for ages.
    pub now: Timestamp,
}

/// The page about a decision.
#[must_use]
pub fn page(decision: &Decision, detail: Detail) -> Page {
    let mut text = Text { decision, cluster: decision.world.cluster, detail, page: Page::default() };
    text.verdict();
    text.causes();
    text.scores();
    text.preemption();
    text.as_scheduled();
    text.messages();
    text.waiting();
    if detail.nodes {
        text.node_table();
    }
    notes::add(&mut text.page, &decision.notes);
    text.page
}

struct Text<'d> {
    decision: &'d Decision<'d>,
    cluster: &'d Cluster,
    detail: Detail,
    page: Page,
}

impl Text<'_> {
    fn node(&self, node: NodeIx) -> String {
        self.cluster.text(self.cluster.node(node).name).to_owned()
    }

    fn nodes(&self, nodes: &[NodeIx]) -> String {
        let names: Vec<String> = nodes.iter().take(NODES_NAMED).map(|n| self.node(*n)).collect();
        let more = nodes.len().saturating_sub(names.len());
        if more == 0 { words::list(&names, NODES_NAMED) } else { format!("{} and {more} more", names.join(", ")) }
    }

    fn heading(&mut self, text: impl Into<String>) {
        self.page.gap();
        self.page.heading(text);
    }

    fn verdict(&mut self) {
        let decision = self.decision;
        let pod = self.cluster.pod(decision.pod);
        let name = self.cluster.pod_name(decision.pod);
        let (none, total) = match self.cluster.nodes.len() {
            1 => ("does not fit on the only node".to_owned(), "one node".to_owned()),
            n => (format!("fits on none of {}", words::count(n, "node")), words::count(n, "node")),
        };
        let (mark, tone, text) = match decision.outcome {
            Outcome::NotInQueue => ("-", Tone::Plain, decision.why.clone().unwrap_or_default()),
            Outcome::Schedulable => ("✓", Tone::Good, self.fits(&name, &total)),
            Outcome::Preempt => {
                let victims = self.winner().map_or(0, |c| c.victims.len());
                let text = match decision.selected.as_slice() {
                    [node] => format!(
                        "Pod {name} (priority {}) {none}; preemption evicts {} on node {} for it.",
                        pod.priority,
                        words::count(victims, "pod"),
                        self.node(*node)
                    ),
                    several => format!(
                        "Pod {name} (priority {}) {none}; preemption makes room on one of {}: {}.",
                        pod.priority,
                        several.len(),
                        self.nodes(several)
                    ),
                };
                ("!", Tone::Bad, text)
            }
            Outcome::Unschedulable => {
                let why = match decision.preemption.as_ref() {
                    Some(PreemptionReport { ineligible: Some(_), .. }) => "it may not preempt",
                    Some(_) => "no eviction would help",
                    None => "preemption is not tried",
                };
                let text = if self.cluster.nodes.is_empty() {
                    format!("Pod {name} cannot be scheduled: there are no nodes.")
                } else {
                    format!("Pod {name} (priority {}) {none}, and {why}.", pod.priority)
                };
                ("✗", Tone::Bad, text)
            }
        };
        self.page.line(0, vec![Span::new(format!("{mark} "), tone), Span::new(text, Tone::Strong)]);
    }

    fn fits(&self, name: &str, total: &str) -> String {
        let feasible = self.decision.feasible().count();
        let nominated = self.cluster.pod(self.decision.pod).nominated_node;
        match self.decision.selected.as_slice() {
            [node] if feasible == 1 => {
                format!("Pod {name} fits on one of {total}, {}, and goes there.", self.node(*node))
            }
            [node] if self.cluster.node(*node).name == nominated => {
                format!(
                    "Pod {name} goes to {}, which it is nominated to (it fits on {feasible} of {total}).",
                    self.node(*node)
                )
            }
            [node] => {
                let node = self.node(*node);
                format!("Pod {name} fits on {feasible} of {total}, and goes to {node}, which scores highest.")
            }
            several => format!(
                "Pod {name} fits on {feasible} of {total}; the highest score is shared by {}.",
                self.nodes(several)
            ),
        }
    }

    fn winner(&self) -> Option<&Candidate> {
        let report = self.decision.preemption.as_ref()?;
        report.candidates().find(|c| report.winners.first() == Some(&c.node))
    }

    /// Why nodes refuse the pod.
    fn causes(&mut self) {
        if let PreFilter::Rejected { plugin, rejection, .. } = &self.decision.pre_filter {
            self.heading("Why no node takes it");
            let plugin = if plugin.is_empty() { "" } else { plugin };
            let reasons = rejection.texts(self.cluster).join(", ");
            self.page.line(2, vec![Span::new(format!("all nodes  {plugin}  "), Tone::Strong), reasons.into()]);
            return;
        }
        let nodes = self.cluster.node_indices().zip(&self.decision.nodes);
        let refusals = nodes.filter_map(|(node, verdict)| match verdict {
            NodeVerdict::Filtered { plugin, rejection } => Some((node, *plugin, rejection)),
            _ => None,
        });
        let groups = groups::group(refusals, self.cluster);
        let narrowed: Vec<NodeIx> = self
            .cluster
            .node_indices()
            .zip(&self.decision.nodes)
            .filter(|(_, verdict)| **verdict == NodeVerdict::Narrowed)
            .map(|(node, _)| node)
            .collect();
        if groups.is_empty() && narrowed.is_empty() {
            return;
        }
        let title =
            if self.decision.outcome == Outcome::Schedulable { "Nodes that refuse it" } else { "Why no node takes it" };
        self.heading(title);
        groups.iter().for_each(|group| self.group(group));
        if !narrowed.is_empty() {
            let text = self.excluded();
            let count = words::count(narrowed.len(), "node");
            self.page.line(2, vec![Span::new(format!("{count}  "), Tone::Strong), text.into()]);
            self.page.line(4, vec![Span::new(self.nodes(&narrowed), Tone::Quiet)]);
        }
        self.set_aside();
    }

    /// Why nodes were not looked at: upstream's reason, or our own words for versions that give none.
    fn excluded(&self) -> String {
        let silent = "not among the nodes that the pod asks for by name (the scheduler's message does not count them)";
        self.decision.narrowing_text().unwrap_or_else(|| silent.to_owned())
    }

    /// Nodes that look emptier than they are: room is kept for pods that are nominated to them.
    fn set_aside(&mut self) {
        let world = self.decision.world;
        let refused = self.cluster.node_indices().zip(&self.decision.nodes);
        let kept =
            refused.filter(|(_, verdict)| matches!(verdict, NodeVerdict::Filtered { .. })).filter_map(|(node, _)| {
                let rivals: Vec<String> =
                    world.rivals(node, self.decision.pod).map(|pod| self.cluster.pod_name(pod)).collect();
                (!rivals.is_empty()).then(|| (node, words::list(&rivals, PODS_NAMED)))
            });
        let kept: Vec<(NodeIx, String)> = kept.take(NODES_NAMED).collect();
        for (node, rivals) in kept {
            let text = format!("{} keeps room for {rivals}, nominated to it", self.node(node));
            self.page.line(2, vec![text.into()]);
        }
    }

    fn group(&mut self, group: &Group) {
        let count = words::count(group.nodes.len(), "node");
        let head = format!("{count}  {}  ", group.plugin);
        self.page.line(2, vec![Span::new(head, Tone::Strong), group.reasons.join(", ").into()]);
        for detail in &group.details {
            self.page.line(4, vec![detail.clone().into()]);
        }
        self.page.line(4, vec![Span::new(self.nodes(&group.nodes), Tone::Quiet)]);
    }

    fn preemption(&mut self) {
        let Some(report) = &self.decision.preemption else { return };
        if let Some(ineligible) = &report.ineligible {
            self.heading("Preemption");
            self.page.line(2, vec![Span::new("not tried: ", Tone::Strong), ineligible.reason.into()]);
            for pod in ineligible.terminating.iter().take(PODS_NAMED) {
                let text = format!("waiting for {} to be gone{}", self.cluster.pod_name(*pod), self.due(*pod));
                self.page.line(4, vec![text.into()]);
            }
            return;
        }
        self.hopeless(report);
        self.candidates(report);
        self.ladder(report);
    }

    fn due(&self, pod: PodIx) -> String {
        let Some(due) = self.cluster.pod(pod).deletion else { return String::new() };
        let left = due.as_second() - self.detail.now.as_second();
        if left >= 0 {
            format!(" (due in {})", words::age(left))
        } else {
            format!(" (overdue by {})", words::age(-left))
        }
    }

    /// Nodes that preemption cannot help, and what still blocks them.
    fn hopeless(&mut self, report: &PreemptionReport) {
        let failed = report.dry_runs.iter().filter_map(|(node, run)| match run {
            DryRun::NoCandidate { plugin, rejection } => Some((*node, plugin.unwrap_or(""), rejection)),
            DryRun::Candidate(_) | DryRun::Failed(_) => None,
        });
        let groups = groups::group(failed, self.cluster);
        let errors: Vec<(NodeIx, String)> = report
            .dry_runs
            .iter()
            .filter_map(|(node, run)| if let DryRun::Failed(e) = run { Some((*node, e.clone())) } else { None })
            .collect();
        let resolved = self.cluster.nodes.len() - report.dry_runs.len();
        if groups.is_empty() && resolved == 0 && errors.is_empty() {
            return;
        }
        self.heading("Where evicting pods would not help");
        for group in &groups {
            if group.plugin.is_empty() {
                let count = words::count(group.nodes.len(), "node");
                let mut text = "no pod of lower priority to evict".to_owned();
                let equal = self.equals(&group.nodes);
                if equal > 0 {
                    let priority = self.cluster.pod(self.decision.pod).priority;
                    text.push_str(&format!(", though {} of equal priority {priority}", words::count(equal, "pod")));
                }
                let spans = vec![Span::new(format!("{count}  "), Tone::Strong), text.into()];
                self.page.line(2, spans);
                self.page.line(4, vec![Span::new(self.nodes(&group.nodes), Tone::Quiet)]);
            } else {
                let mut after = group.clone();
                after.details.iter_mut().for_each(|d| d.push_str(", with every pod of lower priority gone"));
                self.group(&after);
            }
        }
        for (node, error) in errors {
            self.page.line(2, vec![Span::new(format!("{}  ", self.node(node)), Tone::Strong), error.into()]);
        }
        if resolved > 0 {
            let count = words::count(resolved, "node");
            let text = "refused for a cause that no eviction removes (see above)";
            self.page.line(2, vec![Span::new(format!("{count}  "), Tone::Strong), text.into()]);
        }
    }

    /// Pods on `nodes` that have the very priority of the preemptor, and are safe from it.
    fn equals(&self, nodes: &[NodeIx]) -> usize {
        let priority = self.cluster.pod(self.decision.pod).priority;
        let pods = nodes.iter().flat_map(|node| self.cluster.pods_on(*node));
        pods.filter(|pod| self.cluster.pod(**pod).priority == priority).count()
    }

    fn candidates(&mut self, report: &PreemptionReport) {
        let ranked = ranked(report);
        if ranked.is_empty() {
            return;
        }
        self.heading(format!("Where evicting pods helps: {}", words::count(ranked.len(), "candidate")));
        let shown = if self.detail.wide { ranked.len() } else { CANDIDATES_SHOWN };
        for candidate in ranked.iter().take(shown) {
            let wins = report.winners.contains(&candidate.node);
            self.candidate(candidate, wins, wins || self.detail.wide);
        }
        if ranked.len() > shown {
            let more = words::count(ranked.len() - shown, "more candidate");
            self.page.line(2, vec![Span::new(format!("and {more}; -o wide shows them"), Tone::Quiet)]);
        }
    }

    fn candidate(&mut self, candidate: &Candidate, wins: bool, whole: bool) {
        let mark = if wins { "> " } else { "  " };
        let tone = if wins { Tone::Good } else { Tone::Plain };
        let mut text = format!(": evicts {}", words::count(candidate.victims.len(), "pod"));
        if candidate.violations > 0 {
            text.push_str(&format!(", {}", words::count(candidate.violations, "PDB violation")));
        }
        if !candidate.spared.is_empty() {
            text.push_str(&format!(", spares {}", candidate.spared.len()));
        }
        self.page.line(0, vec![mark.into(), Span::new(self.node(candidate.node), tone), text.into()]);
        if !whole {
            return;
        }
        let rows = candidate.victims.iter().map(|victim| {
            let pod = self.cluster.pod(victim.pod);
            let age = pod.start_time.map_or_else(
                || "not started".to_owned(),
                |start| words::age(self.detail.now.as_second() - start.as_second()),
            );
            let owner = pod.controller.map_or("-".to_owned(), |OwnerRef { kind, name, .. }| {
                format!("{}/{}", self.cluster.text(kind), self.cluster.text(name))
            });
            let budgets: Vec<String> = victim
                .violates
                .iter()
                .map(|b| self.cluster.budget(*b))
                .map(|b| format!("{} (allows {})", b.name, b.allowed.max(0)))
                .collect();
            let name = self.cluster.pod_name(victim.pod);
            let name = if pod.is_terminating() { format!("{name} (terminating)") } else { name };
            let violates = if budgets.is_empty() { Span::from("-") } else { Span::new(budgets.join(", "), Tone::Bad) };
            vec![name.into(), pod.priority.to_string().into(), age.into(), owner.into(), violates]
        });
        let rows: Vec<Vec<Span>> = rows.collect();
        self.page.table(4, vec!["VICTIM", "PRIORITY", "AGE", "OWNER", "VIOLATES PDB"], rows);
        if !candidate.spared.is_empty() {
            let names: Vec<String> = candidate.spared.iter().map(|p| self.cluster.pod_name(*p)).collect();
            let limit = if self.detail.wide { usize::MAX } else { PODS_NAMED };
            self.page.line(4, vec![format!("spared, most important first: {}", words::list(&names, limit)).into()]);
        }
    }

    /// The tie-break: each step with the values of the candidates that matter, up to the one that decided.
    fn ladder(&mut self, report: &PreemptionReport) {
        if report.ladder.is_empty() {
            return;
        }
        self.heading("What decides between them");
        let columns: Vec<NodeIx> = ranked(report).iter().take(CANDIDATES_SHOWN).map(|c| c.node).collect();
        let last = report.ladder.len() - 1;
        let rows = report.ladder.iter().enumerate().map(|(index, step)| {
            let (name, unit) = CRITERIA.get(step.criterion).map_or(("", Unit::Number), |c| (c.name, c.unit));
            let decided = index == last && report.winners.len() == 1;
            let tone = if decided { Tone::Good } else { Tone::Plain };
            let mut row = vec![Span::new(if decided { format!("{name} (decides)") } else { name.to_owned() }, tone)];
            row.extend(columns.iter().map(|node| step_cell(step, *node, unit)));
            row.push(step.survivors.len().to_string().into());
            row
        });
        let rows: Vec<Vec<Span>> = rows.collect();
        let mut all = vec![
            std::iter::once(Span::new("", Tone::Plain))
                .chain(columns.iter().map(|n| Span::new(self.node(*n), Tone::Strong)))
                .chain(std::iter::once(Span::new("left", Tone::Strong)))
                .collect::<Vec<_>>(),
        ];
        all.extend(rows);
        self.page.table(2, Vec::new(), all);
        if report.winners.len() > 1 {
            let text = format!("still tied: {}; the scheduler takes any of them", self.nodes(&report.winners));
            self.page.line(2, vec![text.into()]);
        }
    }

    fn messages(&mut self) {
        let Some(message) = &self.decision.condition_message.as_ref().or(self.decision.message.as_ref()) else {
            return;
        };
        self.heading("The scheduler's own words");
        self.page.line(2, vec![Span::new((*message).clone(), Tone::Quiet)]);
    }

    /// When the scheduler tries the pod again.
    fn waiting(&mut self) {
        let Some(waiting) = &self.decision.waiting else { return };
        self.heading(if waiting.kept_by.is_empty() { "When it is tried again" } else { "What may keep it" });
        for reason in &waiting.kept_by {
            self.page.line(2, vec![reason.clone().into()]);
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

    fn node_table(&mut self) {
        if self.decision.nodes.is_empty() {
            return;
        }
        self.heading("Nodes");
        let rows = self.cluster.node_indices().zip(&self.decision.nodes).map(|(node, verdict)| {
            let (filter, reason) = self.filter_cells(verdict);
            let preemption =
                self.decision.preemption.as_ref().map_or_else(String::new, |r| self.preemption_cell(r, node, verdict));
            vec![self.node(node).into(), filter.into(), reason.into(), preemption.into()]
        });
        let rows: Vec<Vec<Span>> = rows.collect();
        self.page.table(2, vec!["NODE", "FILTER", "REASON", "PREEMPTION"], rows);
    }

    fn filter_cells(&self, verdict: &NodeVerdict) -> (String, String) {
        match verdict {
            NodeVerdict::Feasible => ("fits".into(), "-".into()),
            NodeVerdict::NotTried => ("not tried".into(), "-".into()),
            NodeVerdict::Narrowed => ("excluded".into(), self.excluded()),
            NodeVerdict::Failed(error) => ("error".into(), error.clone()),
            NodeVerdict::Filtered { plugin, rejection } => {
                let reasons = rejection.reasons.iter().map(|r| {
                    let text = r.text.render(self.cluster);
                    groups::operands(&r.evidence, self.cluster).map_or(text.to_string(), |o| format!("{text} ({o})"))
                });
                ((*plugin).to_owned(), reasons.collect::<Vec<_>>().join(", "))
            }
        }
    }

    fn preemption_cell(&self, report: &PreemptionReport, node: NodeIx, verdict: &NodeVerdict) -> String {
        match report.dry_runs.get(&node) {
            Some(DryRun::Candidate(c)) => {
                let wins = if report.winners.contains(&node) { ", wins" } else { "" };
                format!(
                    "{}, {}{wins}",
                    words::count(c.victims.len(), "victim"),
                    words::count(c.violations, "PDB violation")
                )
            }
            Some(DryRun::NoCandidate { rejection, .. }) => rejection.texts(self.cluster).join(", "),
            Some(DryRun::Failed(error)) => error.clone(),
            None if report.ineligible.is_some() => "not tried".to_owned(),
            None => {
                let hopeless = matches!(verdict, NodeVerdict::Filtered { rejection, .. } if rejection.code == Code::UnschedulableAndUnresolvable);
                let text = NOT_HELPFUL.render(self.cluster).into_owned();
                if hopeless { text } else { format!("{text} (not filtered)") }
            }
        }
    }
}

fn step_cell(step: &Step, node: NodeIx, unit: Unit) -> Span {
    let Some(value) = step.values.get(&node) else { return "-".into() };
    let text = match unit {
        Unit::Number => value.to_string(),
        Unit::Time => {
            Timestamp::from_nanosecond(i128::from(*value)).map_or_else(|_| value.to_string(), |t| t.to_string())
        }
    };
    let stays = step.survivors.contains(&node);
    Span::new(text, if stays { Tone::Good } else { Tone::Plain })
}

/// Candidates, the winners first, then those that stayed in the tie-break longest.
fn ranked(report: &PreemptionReport) -> Vec<&Candidate> {
    let survived = |node: NodeIx| report.ladder.iter().filter(|s| s.survivors.contains(&node)).count();
    let mut candidates: Vec<&Candidate> = report.candidates().collect();
    candidates.sort_by_cached_key(|c| (!report.winners.contains(&c.node), std::cmp::Reverse(survived(c.node)), c.node));
    candidates
}

//! The decisions of several schedulers as text. About one pod: the verdict, a table of the
//! decisions, then every difference with the rules that cause it. About several: a row for each pod
//! that some schedulers decide differently.

use std::collections::BTreeSet;

use indexmap::IndexMap;

use super::page::{Column, Drawn, Page, Sign, Span, Tone};
use answers::extent::Extent;
use answers::headline::doubt;
use answers::node_name::NodeNames;
use answers::questions::compare::{
    CompareReport, EffectiveRule, deciding_plugins, effective_rules,
};
use answers::words;
use engine::cluster::{Cluster, NodeIx, PodIx};
use engine::decision::compare::{Aspect, Comparison, DecisionEffect, Difference, DifferenceCause};
use engine::decision::{CycleErrorKind, Decision, OutcomeKind};
use engine::framework::cycle::{NodeVerdict, PreFilter};
use engine::framework::status::Rejection;
use engine::notes::Severity;
use engine::preemption::dry_run::DryRun;
use engine::profile::{Profile, change};
use engine::simulation::replay::Replay;

/// Maximum number of names in a list.
const NAMED: usize = 5;
/// Maximum number of victims that a table cell names; beyond it, the cell shows their number.
const VICTIMS_NAMED: usize = 2;
/// Maximum number of kinds of node changes that one difference shows.
const CHANGES_SHOWN: usize = 8;

impl Drawn for CompareReport<'_> {
    fn page(&self, extent: Extent) -> Page {
        let mut page = match self.only() {
            Some(one) => page(one, !self.recreated.is_empty(), &self.basis.origin.nodes),
            None if self.comparisons.is_empty() && self.running.is_none() => Page::default(),
            None => list(&self.comparisons, &self.recreated, self.running),
        };
        if let Some(replay) = &self.replay {
            replayed(&mut page, replay, &self.sides, extent);
        }
        page
    }
}

/// Running pods placed again: a row for each scheduler, then the workloads that spread otherwise.
fn replayed(page: &mut Page, replay: &Replay, sides: &[String], extent: Extent) {
    if !page.is_empty() {
        page.gap();
    }
    let pods = words::count(replay.pods.len(), "running pod");
    let text = format!(
        "{pods} placed again, one by one in the order of their start, without evictions, with every node scored"
    );
    page.line(0, vec![Span::new(text, Tone::Strong)]);
    let mut rows = Vec::new();
    let by = std::iter::once("today").chain(sides.iter().map(String::as_str));
    for (layout, by) in replay.layouts.iter().zip(by) {
        let plugins = layout
            .plugins
            .iter()
            .map(|(plugin, pods)| format!("{plugin} {}", words::group_digits(*pods)));
        let plugins: Vec<String> = plugins.collect();
        rows.push(vec![
            by.into(),
            words::group_digits(layout.moved).into(),
            words::group_digits(layout.homeless).into(),
            words::group_digits(layout.nodes_used).into(),
            layout.largest_cpu.as_str().into(),
            layout.largest_memory.as_str().into(),
            Span::new(dash(plugins.join(", ")), Tone::Quiet),
        ]);
    }
    let columns = [
        Column::new("SCHEDULER").names(24),
        Column::new("ELSEWHERE"),
        Column::new("NO NODE"),
        Column::new("NODES USED"),
        Column::new("LARGEST FREE CPU"),
        Column::new("MEMORY"),
        Column::new("DECIDED BY").prose(20).dropped(1),
    ];
    page.table(2, columns, rows);
    page.quiet(2, "ELSEWHERE counts the pods whose node is another one than in the row above");
    if replay.staying > 0 {
        let pods = words::count(replay.staying, "more running pod");
        page.quiet(
            2,
            format!(
                "{pods} stay: not asked about, of DaemonSets, groups or other schedulers, static or terminating"
            ),
        );
    }
    let shown = extent.shown(replay.spreads.len());
    let spreads = replay.spreads.iter().take(shown);
    let rows: Vec<Vec<Span>> = spreads
        .map(|one| {
            let skews: Vec<String> = one.skews.iter().map(usize::to_string).collect();
            vec![format!("{}/{}", one.namespace, one.name).into(), skews.join(" -> ").into()]
        })
        .collect();
    if !rows.is_empty() {
        page.section("Workloads that spread otherwise over zones: pods in the fullest zone more than in the emptiest");
        page.table(2, [Column::new("WORKLOAD").names(24), Column::new("DIFFERENCE")], rows);
        page.left_out(2, replay.spreads.len() - shown, "workload");
    }
}

/// The page about one pod, which runs if it is decided about as if it were `recreated`.
pub fn page(comparison: &Comparison, recreated: bool, nodes: &NodeNames) -> Page {
    let Some(first) = comparison.decisions.first() else { return Page::default() };
    let effects = comparison.decisions.iter().map(DecisionEffect::of).collect();
    let mut text = ComparisonPage {
        comparison,
        recreated,
        cluster: first.view.cluster,
        effects,
        page: Page::default(),
    };
    text.verdict();
    text.page.based_on_text(2, "", nodes);
    text.table();
    text.messages();
    for (pair, difference) in comparison.decisions.windows(2).zip(&comparison.differences) {
        text.difference(pair, difference);
    }
    text.notes();
    text.page
}

struct ComparisonPage<'d> {
    comparison: &'d Comparison<'d>,
    recreated: bool,
    cluster: &'d Cluster,
    effects: Vec<DecisionEffect>,
    page: Page,
}

impl ComparisonPage<'_> {
    fn names(&self, which: impl IntoIterator<Item = usize>) -> String {
        let names = which.into_iter().filter_map(|i| self.comparison.decisions.get(i));
        words::list(&names.map(|d| name(d.profile())).collect::<Vec<_>>(), usize::MAX)
    }

    /// The schedulers grouped by the effect of their decisions, the largest group first; of equal
    /// groups, the one with the last scheduler first.
    fn groups(&self) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for (index, effect) in self.effects.iter().enumerate() {
            match groups
                .iter_mut()
                .find(|group| group.first().and_then(|i| self.effects.get(*i)) == Some(effect))
            {
                Some(group) => group.push(index),
                None => groups.push(vec![index]),
            }
        }
        groups.sort_by_key(|group| std::cmp::Reverse((group.len(), group.last().copied())));
        groups
    }

    fn verdict(&mut self) {
        let groups = self.groups();
        let [most, others @ ..] = groups.as_slice() else { return };
        let all = self.names(most.iter().copied());
        let (sign, tone, text) = if !others.is_empty() {
            // Each outcome is said with its schedulers, the most common one first if several
            // agree on it.
            let mut parts = Vec::new();
            if most.len() > 1 {
                parts.push(format!("Same decision in {all}"));
            }
            parts.extend(others.iter().map(|group| self.would(group)));
            if most.len() == 1 {
                parts.push(self.would(most));
            }
            (Sign::Costs, Tone::Bad, parts.join("; "))
        } else if self.comparison.same() {
            (Sign::Yes, Tone::Good, format!("Same decision in {all}"))
        } else {
            let what = self.what_differs();
            (Sign::Yes, Tone::Good, format!("Same outcome in {all}; {what}"))
        };
        let doubt = doubt(self.comparison.decisions.iter().flat_map(|decision| &decision.notes));
        let (sign, tone) = if doubt.is_empty() { (sign, tone) } else { (Sign::Unknown, Tone::Bad) };
        let first = self.comparison.decisions.first();
        let pod = first.map(|decision| self.cluster.pod_name(decision.pod)).unwrap_or_default();
        let recreated = if self.recreated { ", if it were recreated" } else { "" };
        self.page.verdict((sign, tone), format!("Pod {pod}{recreated}: {text}.{doubt}"));
    }

    /// `1.18 would evict …`.
    fn would(&self, group: &[usize]) -> String {
        format!("{} would {}", self.names(group.iter().copied()), self.does(group))
    }

    /// What differs although the outcome is the same.
    fn what_differs(&self) -> String {
        let mut differing: BTreeSet<Aspect> = BTreeSet::new();
        for difference in &self.comparison.differences {
            differing.extend(&difference.aspects);
        }
        let differing: Vec<Aspect> = differing.into_iter().collect();
        if only_texts(&differing) {
            "the message differs".to_owned()
        } else {
            format!("what differs is {}", aspects(&differing))
        }
    }

    /// What the schedulers of a group do, as a phrase after `would`.
    fn does(&self, group: &[usize]) -> String {
        let Some(effect) = group.first().and_then(|i| self.effects.get(*i)) else {
            return String::new();
        };
        let nodes: Vec<String> = effect.nodes.keys().map(|n| self.node(*n)).collect();
        let place = if nodes.len() > 1 {
            format!("one of {}", words::list(&nodes, NAMED))
        } else {
            nodes.join("")
        };
        match effect.outcome {
            OutcomeKind::NotInQueue => "not try it".to_owned(),
            OutcomeKind::Error(CycleErrorKind::Crash) => "crash".to_owned(),
            OutcomeKind::Error(CycleErrorKind::CycleError | CycleErrorKind::Timeout) => {
                format!(
                    "end with the error `{}`",
                    effect.error.as_ref().map_or("", |error| &error.text)
                )
            }
            OutcomeKind::Unschedulable => "leave it pending".to_owned(),
            OutcomeKind::Schedulable => format!("place it on {place}"),
            OutcomeKind::Preempt => {
                let victims = effect.nodes.values().next().map_or(&[][..], Vec::as_slice);
                // Up to 1.21 preemption may find a node on which the pod fits without evictions.
                if victims.is_empty() {
                    format!("nominate it to {place}")
                } else {
                    format!("evict {} on {place}", self.pods(victims))
                }
            }
        }
    }

    fn node(&self, node: NodeIx) -> String {
        self.cluster.node_name(node).to_owned()
    }

    fn nodes(&self, nodes: &[NodeIx]) -> String {
        let names: Vec<String> = nodes.iter().take(NAMED).map(|n| self.node(*n)).collect();
        let more = nodes.len() - names.len();
        if more == 0 { names.join(", ") } else { format!("{} and {more} more", names.join(", ")) }
    }

    fn pods(&self, pods: &[PodIx]) -> String {
        if pods.len() > VICTIMS_NAMED {
            return words::count(pods.len(), "pod");
        }
        pods.iter().map(|pod| self.cluster.pod_name(*pod)).collect::<Vec<_>>().join(", ")
    }

    /// The table of the decisions.
    fn table(&mut self) {
        let decisions = &self.comparison.decisions;
        let mut rows = vec![
            row("", decisions.iter().map(|d| Span::new(name(d.profile()), Tone::Strong))),
            row("outcome", decisions.iter().map(|d| d.outcome.name().into())),
            row("node", decisions.iter().map(|d| dash(self.nodes(d.selected())).into())),
        ];
        if self.effects.iter().any(|effect| effect.outcome == OutcomeKind::Preempt) {
            rows.push(row("victims", self.effects.iter().map(|e| self.victims(e).into())));
            rows.push(row("violations", decisions.iter().map(|d| dash(violations(d)).into())));
        }
        self.page.gap();
        self.page.table(2, [""], rows);
        self.rejections();
    }

    /// The victims on each node; once, if they are the same on all.
    fn victims(&self, effect: &DecisionEffect) -> String {
        let mut on_nodes: Vec<String> =
            effect.nodes.values().map(|victims| self.pods(victims)).collect();
        on_nodes.dedup();
        dash(words::list(&on_nodes, 1).replace("none", ""))
    }

    /// The table of how many nodes each scheduler rejects for which reason.
    fn rejections(&mut self) {
        let decisions = &self.comparison.decisions;
        let reasons_by_scheduler: Vec<IndexMap<String, usize>> =
            decisions.iter().map(|d| rejections(d, self.cluster)).collect();
        let all: BTreeSet<&String> = reasons_by_scheduler.iter().flat_map(IndexMap::keys).collect();
        if all.is_empty() {
            return;
        }
        let head = decisions.iter().map(|d| Span::new(name(d.profile()), Tone::Strong));
        let mut rows =
            vec![head.chain([Span::new("nodes that reject it", Tone::Quiet)]).collect::<Vec<_>>()];
        for reason in all {
            let counts = reasons_by_scheduler
                .iter()
                .map(|of| of.get(reason).map_or("-".to_owned(), ToString::to_string).into());
            rows.push(counts.chain([reason.clone().into()]).collect());
        }
        self.page.gap();
        self.page.table(2, [""], rows);
    }

    /// The messages that differ, each with the schedulers that write it.
    fn messages(&mut self) {
        let mut texts: IndexMap<Option<String>, Vec<usize>> = IndexMap::new();
        for (index, decision) in self.comparison.decisions.iter().enumerate() {
            let written = decision.scheduler_message().map(str::to_owned);
            texts.entry(written.or_else(|| decision.why())).or_default().push(index);
        }
        if texts.len() < 2 {
            return;
        }
        self.page.section("What the scheduler writes");
        for (text, by) in texts {
            let head = format!("{}  ", self.names(by));
            let text = Span::new(text.unwrap_or_else(|| "(nothing)".to_owned()), Tone::Quiet);
            self.page.line(2, vec![Span::new(head, Tone::Strong), text]);
        }
    }

    fn difference(&mut self, pair: &[Decision], difference: &Difference) {
        let [from, to] = pair else { return };
        let [older, newer] = [from, to].map(|d| name(d.profile()));
        let matter = match difference.causes.len() {
            0 => "none matters here".to_owned(),
            1 => "1 of them matters here".to_owned(),
            n => format!("{n} of them matter here"),
        };
        let changed = words::count(difference.changed, "rule");
        self.page.section(format!("{older} -> {newer}: {changed} changed, {matter}"));
        for cause in &difference.causes {
            self.cause(cause, difference, [&older, &newer]);
        }
        if !difference.aspects.is_empty() && !difference.complete {
            let text = "the search for the rules stopped early: some of these may not matter, or something else does, too";
            self.page.line(2, vec![Span::new(text, Tone::Bad)]);
        }
        self.changes(from, to, difference);
    }

    fn cause(
        &mut self,
        cause: &DifferenceCause,
        difference: &Difference,
        [older, newer]: [&str; 2],
    ) {
        // A rule that changed with a release is dated; one that a gate or the configuration turns on
        // is named with the scheduler that has it.
        let (row, about) = (cause.change.row, cause.change.about);
        let when = match (cause.change.by_version, about.begins) {
            (true, true) => format!("since {}", about.since.release_text()),
            (true, false) => format!("until {}", about.since.release_text()),
            (false, _) => format!("in {}", if cause.change.holds { newer } else { older }),
        };
        self.page.line(
            2,
            vec![
                Span::new(format!("{when}  "), Tone::Good),
                Span::new(about.summary.trim(), Tone::Strong),
            ],
        );
        let gate = row.gate.map(|gate| format!("feature gate {gate}, ")).unwrap_or_default();
        let link = change::link(about.source).unwrap_or_else(|| about.source.to_owned());
        self.page.quiet(4, format!("{gate}{link}"));

        // A single cause explains all that differs, so nothing has to be told apart.
        if difference.causes.len() > 1 {
            let on = if cause.nodes.is_empty() || cause.nodes == difference.nodes {
                String::new()
            } else {
                format!(" on {}", self.nodes(&cause.nodes))
            };
            self.page.line(4, vec![format!("about {}{on}", aspects(&cause.aspects)).into()]);
        }
    }

    /// How the results of nodes change between two decisions; equal changes are combined.
    fn changes(&mut self, from: &Decision, to: &Decision, difference: &Difference) {
        let mut groups: IndexMap<(String, String), Vec<NodeIx>> = IndexMap::new();
        for node in &difference.nodes {
            groups.entry((self.state(from, *node), self.state(to, *node))).or_default().push(*node);
        }
        let [older, newer] = [from, to].map(|d| name(d.profile()));
        let more = groups.len().saturating_sub(CHANGES_SHOWN);
        for ((was, is), nodes) in groups.into_iter().take(CHANGES_SHOWN) {
            self.page.line(2, vec![Span::new(self.nodes(&nodes), Tone::Strong)]);
            for (version, text) in [(&older, was), (&newer, is)] {
                self.page
                    .line(4, vec![Span::new(format!("{version}  "), Tone::Strong), text.into()]);
            }
        }
        if more > 0 {
            let more = words::count(more, "other change");
            self.page.line(2, vec![format!("and {more}; -o json shows them").into()]);
        }
    }

    /// The result of a decision for one node.
    fn state(&self, decision: &Decision, node: NodeIx) -> String {
        // In the order of the cycle: what the filters said, the score, then the dry run.
        let mut parts = vec![match decision.nodes().get(node.0 as usize) {
            None | Some(NodeVerdict::NotTried) => "not looked at".to_owned(),
            Some(NodeVerdict::Feasible) => "fits".to_owned(),
            Some(NodeVerdict::Filtered { plugin, rejection }) => {
                format!(
                    "{plugin}: {} ({})",
                    reasons(rejection, self.cluster),
                    rejection.code.name()
                )
            }
            Some(NodeVerdict::ExcludedByPreFilter) => {
                decision.pre_filter_exclusion().map(|quote| quote.text).unwrap_or_default()
            }
            Some(NodeVerdict::Failed(failure)) => failure.text().to_owned(),
        }];
        let scores = decision.scores();
        parts.extend(
            scores
                .and_then(|t| t.totals.get(t.position(node)?))
                .map(|score| format!("score {score}")),
        );
        match decision.preemption().and_then(|report| report.dry_runs.get(&node)) {
            None => {}
            Some(DryRun::Failed(failure)) => parts.push(failure.text().to_owned()),
            Some(DryRun::NoCandidate { rejection, .. }) => {
                parts.push(format!(
                    "no eviction helps: {}",
                    rejection.texts(self.cluster).join(", ")
                ));
            }
            Some(DryRun::Candidate(candidate)) => {
                let victims: Vec<String> =
                    candidate.victims.iter().map(|v| self.cluster.pod_name(v.pod)).collect();
                let violations = match candidate.violations {
                    _ if words::are_budgets_unknown(self.cluster) => {
                        format!(" ({})", words::BUDGETS_UNKNOWN)
                    }
                    0 => String::new(),
                    n => format!(" ({} of a budget)", words::count(n, "violation")),
                };
                parts.push(format!("evicts {}{violations}", words::list(&victims, NAMED)));
            }
        }
        if decision.selected().contains(&node) {
            parts.push("selected".to_owned());
        }
        parts.join("; ")
    }

    /// The notes, each with the schedulers that it concerns.
    fn notes(&mut self) {
        let mut found: IndexMap<(&'static str, &'static str, String), Vec<usize>> = IndexMap::new();
        for (index, decision) in self.comparison.decisions.iter().enumerate() {
            for note in decision.notes.iter().filter(|note| note.severity != Severity::Info) {
                let key = (note.severity.name(), note.doc.code, answers::notes::sentence(note));
                found.entry(key).or_default().push(index);
            }
        }
        if found.is_empty() {
            return;
        }
        let all = self.comparison.decisions.len();
        self.page.section("Notes");
        for ((severity, code, text), of) in found {
            let of = if of.len() == all { String::new() } else { format!("{}: ", self.names(of)) };
            let head = Span::new(format!("{severity}: "), Tone::Bad);
            let code = Span::new(format!(" [{code}]"), Tone::Quiet);
            self.page.line(2, vec![head, format!("{of}{text}").into(), code]);
        }
    }
}

/// The label of a scheduler: its version, and any gates that are set.
fn name(profile: &Profile) -> String {
    if let Some(label) = &profile.label {
        return label.clone();
    }
    let gates = profile.gates.iter().map(|(gate, on)| format!(" {gate}={on}"));
    format!("{}{}", profile.version, gates.collect::<String>())
}

fn row(title: &str, cells: impl Iterator<Item = Span>) -> Vec<Span> {
    std::iter::once(Span::new(title, Tone::Quiet)).chain(cells).collect()
}

fn dash(text: String) -> String {
    if text.is_empty() { "-".to_owned() } else { text }
}

fn violations(decision: &Decision) -> String {
    let candidates = decision.candidates();
    let chosen = candidates.filter(|c| decision.selected().contains(&c.node));
    let is_unknown = words::are_budgets_unknown(decision.view.cluster);
    let mut counts: Vec<String> = chosen
        .map(|c| if is_unknown { words::UNKNOWN.to_owned() } else { c.violations.to_string() })
        .collect();
    counts.dedup();
    counts.join(" or ")
}

/// Why a node is rejected; an extender may give no reason.
fn reasons(rejection: &Rejection, cluster: &Cluster) -> String {
    if rejection.reasons.is_empty() {
        "no reason given".to_owned()
    } else {
        rejection.texts(cluster).join(", ")
    }
}

/// How many nodes are rejected for each reason.
fn rejections(decision: &Decision, cluster: &Cluster) -> IndexMap<String, usize> {
    let mut counts = IndexMap::new();
    if let PreFilter::Rejected { plugin, rejection, .. } = decision.pre_filter() {
        let texts = rejection.texts(cluster).join(", ");
        let cause = if plugin.is_empty() { texts } else { format!("{plugin} {texts}") };
        counts.insert(cause, cluster.nodes.len());
    }
    for verdict in decision.nodes() {
        let cause = match verdict {
            NodeVerdict::Filtered { plugin, rejection } => {
                format!("{plugin}: {}", reasons(rejection, cluster))
            }
            NodeVerdict::ExcludedByPreFilter => {
                decision.pre_filter_exclusion().map(|quote| quote.text).unwrap_or_default()
            }
            NodeVerdict::Feasible | NodeVerdict::NotTried | NodeVerdict::Failed(_) => continue,
        };
        *counts.entry(cause).or_default() += 1;
    }
    counts
}

/// Names of aspects as text; the condition is named only if the message itself does not differ.
fn aspects(aspects: &[Aspect]) -> String {
    let mut words: Vec<&str> = Vec::new();
    for aspect in aspects {
        if *aspect != Aspect::ConditionMessage || !aspects.contains(&Aspect::Message) {
            words.push(aspect_words(*aspect));
        }
    }
    words::list(&words, usize::MAX)
}

/// Whether only the scheduler's texts differ.
fn only_texts(aspects: &[Aspect]) -> bool {
    !aspects.is_empty()
        && aspects.iter().all(|aspect| matches!(aspect, Aspect::Message | Aspect::ConditionMessage))
}

const fn aspect_words(aspect: Aspect) -> &'static str {
    match aspect {
        Aspect::Outcome => "the outcome",
        Aspect::PreFilter => "why no node is looked at",
        Aspect::Filtered => "why nodes reject it",
        Aspect::Scores => "scores",
        Aspect::Eligible => "whether it may preempt",
        Aspect::Candidates => "which pods it would evict where",
        Aspect::Rejected => "where no eviction helps",
        Aspect::Selected => "the node",
        Aspect::Message => "the message",
        Aspect::ConditionMessage => "what the condition says",
        Aspect::Waiting => "when it is retried",
        Aspect::Doubts => "what is not certain",
    }
}

/// The page about several pods: a row for each pod that some schedulers decide differently, then one
/// for each running pod that they would place differently, and what each of the rules says.
pub fn list(comparisons: &[Comparison], recreated: &[Comparison], running: Option<usize>) -> Page {
    let mut page = Page::default();
    let tables = [("POD", comparisons), ("RUNNING POD, IF RECREATED", recreated)];
    for (heading, comparisons) in tables {
        rows(&mut page, heading, comparisons);
    }
    let rules = effective_rules(comparisons.iter().chain(recreated));
    if !rules.is_empty() {
        page.section("Rules that make the difference".to_owned());
        for EffectiveRule { change, pods } in &rules {
            let heading = format!("{}, {}", change.row.plugin, words::count(*pods, "pod"));
            let summary = change.about.summary.trim();
            let line = vec![Span::new(format!("{heading}  "), Tone::Good), summary.into()];
            page.line(2, line);
        }
    }
    if !page.is_empty() {
        page.gap();
    }

    // Last the line about all of them. Another effect matters more than other words.
    let differing: Vec<&Comparison> =
        comparisons.iter().filter(|comparison| !comparison.same()).collect();
    let changing = differing.iter().filter(|comparison| changes_effect(comparison)).count();
    let others = match differing.len() - changing {
        0 => String::new(),
        1 => "; of 1 only what is said differs".to_owned(),
        others => format!("; of {others} only what is said differs"),
    };
    let pods = words::count(comparisons.len(), "pod");
    let text = format!("{changing} of {pods} would be scheduled differently{others}");
    let decided = comparisons.iter().chain(recreated);
    let decisions = decided.flat_map(|comparison| &comparison.decisions);
    let unsure = doubt(decisions.flat_map(|decision| &decision.notes));
    let stop = if unsure.is_empty() { "" } else { "." };
    let mut counts = Vec::new();
    if !comparisons.is_empty() {
        counts.push(text);
    }
    if let Some(running) = running {
        let changing = recreated.iter().filter(|one| changes_effect(one)).count();
        let running = words::count(running, "running pod");
        counts.push(format!("{changing} of {running} would be placed differently if recreated"));
    }
    if let Some(last) = counts.last_mut() {
        last.push_str(stop);
        last.push_str(&unsure);
    }
    for count in counts {
        page.line(0, vec![Span::new(count, Tone::Strong)]);
    }
    if !differing.is_empty() || !recreated.is_empty() {
        page.line(
            0,
            vec![
                Span::new("name one pod to see why; ", Tone::Quiet),
                Span::command("rules NAME", Tone::Quiet),
                Span::new(" explains a rule", Tone::Quiet),
            ],
        );
    }
    page
}

/// The table of the pods that differ.
fn rows(page: &mut Page, heading: &'static str, comparisons: &[Comparison]) {
    let mut rows = Vec::new();
    for comparison in comparisons {
        for (pair, difference) in comparison.decisions.windows(2).zip(&comparison.differences) {
            if let [from, to] = pair
                && !difference.aspects.is_empty()
            {
                rows.push(difference_row(from, to, difference));
            }
        }
    }
    if rows.is_empty() {
        return;
    }
    let columns = [
        Column::new(heading).names(40),
        Column::new("VERSIONS"),
        Column::new("WHAT CHANGES").prose(24),
        Column::new("RULES").names(16).dropped(1),
    ];
    if !page.is_empty() {
        page.gap();
    }
    page.table(0, columns, rows);
}

/// What changes for a pod from one scheduler to the next.
fn difference_row(from: &Decision, to: &Decision, difference: &Difference) -> Vec<Span> {
    let (was, is) = (DecisionEffect::of(from), DecisionEffect::of(to));
    let (was_in_brief, is_in_brief) = (brief(&was, from), brief(&is, to));
    let what = if was != is {
        if was_in_brief == is_in_brief {
            differently(&was, &is, to).unwrap_or(format!("{is_in_brief}, but not the same"))
        } else {
            format!("{was_in_brief} -> {is_in_brief}")
        }
    } else if only_texts(&difference.aspects) {
        "the message differs".to_owned()
    } else {
        format!("as before, but for {}", aspects(&difference.aspects))
    };
    let rules = deciding_plugins(from, to, difference);
    vec![
        from.view.cluster.pod_name(from.pod).into(),
        format!("{} -> {}", name(from.profile()), name(to.profile())).into(),
        Span::new(what, if was == is { Tone::Plain } else { Tone::Bad }),
        Span::new(rules.join(", "), Tone::Quiet),
    ]
}

/// Whether the schedulers' decisions about the pod have different effects.
fn changes_effect(comparison: &Comparison) -> bool {
    let effects: Vec<DecisionEffect> =
        comparison.decisions.iter().map(DecisionEffect::of).collect();
    effects.windows(2).any(|pair| matches!(pair, [one, next] if one != next))
}

/// A short text of an effect, for a row of the list.
/// That the same nodes get other victims, as many as before.
fn differently(was: &DecisionEffect, is: &DecisionEffect, to: &Decision) -> Option<String> {
    if is.outcome != OutcomeKind::Preempt || !was.nodes.keys().eq(is.nodes.keys()) {
        return None;
    }
    let cluster = to.view.cluster;
    let nodes: Vec<&str> = is.nodes.keys().map(|node| cluster.node_name(*node)).collect();
    let victims = match is.nodes.values().next().map_or(0, Vec::len) {
        1 => "a different pod".to_owned(),
        several => format!("{several} pods, not the same,"),
    };
    Some(format!("evicts {victims} on {}", words::list(&nodes, 2)))
}

fn brief(effect: &DecisionEffect, decision: &Decision) -> String {
    let cluster = decision.view.cluster;
    let nodes: Vec<&str> = effect.nodes.keys().map(|n| cluster.node_name(*n)).collect();
    match effect.outcome {
        OutcomeKind::NotInQueue => "not tried".to_owned(),
        OutcomeKind::Error(CycleErrorKind::Crash) => "crashes".to_owned(),
        OutcomeKind::Error(CycleErrorKind::CycleError | CycleErrorKind::Timeout) => {
            "ends with an error".to_owned()
        }
        OutcomeKind::Unschedulable => "stays pending".to_owned(),
        OutcomeKind::Schedulable => format!("fits on {}", words::list(&nodes, 2)),
        OutcomeKind::Preempt => {
            let victims = effect.nodes.values().next().map_or(0, Vec::len);
            format!("evicts {} on {}", words::count(victims, "pod"), words::list(&nodes, 2))
        }
    }
}

//! The decisions of several schedulers as text. About one pod: the verdict, a table of the
//! decisions, then every difference with the rules that cause it. About several: a row for each pod
//! that some schedulers decide differently.

use std::collections::BTreeSet;

use indexmap::IndexMap;

use super::page::{Column, Drawn, Page, Sign, Span, Tone};
use answers::extent::Extent;
use answers::headline::{Standing, doubt};
use answers::node_name::NodeNames;
use answers::questions::compare::effects::{self, NAMED, aspects, scheduler_name};
use answers::questions::compare::{
    CompareReport, EffectiveRule, deciding_plugins, effective_rules,
};
use answers::words;
use engine::cluster::{Cluster, NodeIx};
use engine::decision::compare::{Comparison, DecisionEffect, Difference, DifferenceCause};
use engine::decision::{Decision, OutcomeKind};
use engine::notes::Severity;
use engine::profile::change;
use engine::simulation::replay::Replay;

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
    let mut text = ComparisonPage {
        comparison,
        cluster: first.view.cluster,
        effects: effects::effects(comparison),
        page: Page::default(),
    };
    let (standing, sentence) = effects::sentence(comparison, recreated);
    let doubt = doubt(comparison.decisions.iter().flat_map(|decision| &decision.notes));
    let standing = if doubt.is_empty() { standing } else { Standing::Unknown };
    text.page.verdict(Sign::of(standing), format!("{sentence}.{doubt}"));
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
    cluster: &'d Cluster,
    effects: Vec<DecisionEffect>,
    page: Page,
}

impl ComparisonPage<'_> {
    fn node(&self, node: NodeIx) -> String {
        self.cluster.node_name(node).to_owned()
    }

    fn nodes(&self, nodes: &[NodeIx]) -> String {
        let names: Vec<String> = nodes.iter().take(NAMED).map(|n| self.node(*n)).collect();
        let more = nodes.len() - names.len();
        if more == 0 { names.join(", ") } else { format!("{} and {more} more", names.join(", ")) }
    }

    /// The table of the decisions.
    fn table(&mut self) {
        let decisions = &self.comparison.decisions;
        let mut rows = vec![
            row("", decisions.iter().map(|d| Span::new(scheduler_name(d.profile()), Tone::Strong))),
            row("outcome", decisions.iter().map(|d| d.outcome.name().into())),
            row("node", decisions.iter().map(|d| dash(self.nodes(d.selected())).into())),
        ];
        if self.effects.iter().any(|effect| effect.outcome == OutcomeKind::Preempt) {
            rows.push(row("victims", self.effects.iter().map(|e| self.victims(e).into())));
            rows.push(row(
                "violations",
                decisions.iter().map(|d| dash(effects::violations(d)).into()),
            ));
        }
        self.page.gap();
        self.page.table(2, [""], rows);
        self.rejections();
    }

    /// The victims on each node; once, if they are the same on all.
    fn victims(&self, effect: &DecisionEffect) -> String {
        let mut on_nodes: Vec<String> =
            effect.nodes.values().map(|victims| effects::pods(victims, self.cluster)).collect();
        on_nodes.dedup();
        dash(words::list(&on_nodes, 1).replace("none", ""))
    }

    /// The table of how many nodes each scheduler rejects for which reason.
    fn rejections(&mut self) {
        let decisions = &self.comparison.decisions;
        let reasons_by_scheduler: Vec<IndexMap<String, usize>> =
            decisions.iter().map(|d| effects::rejections(d, self.cluster)).collect();
        let all: BTreeSet<&String> = reasons_by_scheduler.iter().flat_map(IndexMap::keys).collect();
        if all.is_empty() {
            return;
        }
        let head = decisions.iter().map(|d| Span::new(scheduler_name(d.profile()), Tone::Strong));
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
        let texts = effects::messages(self.comparison);
        if texts.len() < 2 {
            return;
        }
        self.page.section("What the scheduler writes");
        for (text, by) in texts {
            let head = format!("{}  ", effects::names(self.comparison, &by));
            let text = Span::new(text.unwrap_or_else(|| "(nothing)".to_owned()), Tone::Quiet);
            self.page.line(2, vec![Span::new(head, Tone::Strong), text]);
        }
    }

    fn difference(&mut self, pair: &[Decision], difference: &Difference) {
        let [from, to] = pair else { return };
        let [older, newer] = [from, to].map(|d| scheduler_name(d.profile()));
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
        let groups = effects::node_changes(from, to, difference);
        let [older, newer] = [from, to].map(|d| scheduler_name(d.profile()));
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
            let of = if of.len() == all {
                String::new()
            } else {
                format!("{}: ", effects::names(self.comparison, &of))
            };
            let head = Span::new(format!("{severity}: "), Tone::Bad);
            let code = Span::new(format!(" [{code}]"), Tone::Quiet);
            self.page.line(2, vec![head, format!("{of}{text}").into(), code]);
        }
    }
}

fn row(title: &str, cells: impl Iterator<Item = Span>) -> Vec<Span> {
    std::iter::once(Span::new(title, Tone::Quiet)).chain(cells).collect()
}

fn dash(text: String) -> String {
    if text.is_empty() { "-".to_owned() } else { text }
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

    // Last the line about all of them.
    let decided = comparisons.iter().chain(recreated);
    let doubt = doubt(decided.flat_map(|one| &one.decisions).flat_map(|decision| &decision.notes));
    let mut counts = effects::counts(comparisons, recreated, running);
    if let Some(last) = counts.last_mut().filter(|_| !doubt.is_empty()) {
        last.push_str(&format!(".{doubt}"));
    }
    for count in counts {
        page.line(0, vec![Span::new(count, Tone::Strong)]);
    }
    if comparisons.iter().any(|one| !one.same()) || !recreated.is_empty() {
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
    let is_same = DecisionEffect::of(from) == DecisionEffect::of(to);
    let what = effects::change(from, to, difference);
    let rules = deciding_plugins(from, to, difference);
    vec![
        from.view.cluster.pod_name(from.pod).into(),
        format!("{} -> {}", scheduler_name(from.profile()), scheduler_name(to.profile())).into(),
        Span::new(what, if is_same { Tone::Plain } else { Tone::Bad }),
        Span::new(rules.join(", "), Tone::Quiet),
    ]
}

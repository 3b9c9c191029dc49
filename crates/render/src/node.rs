//! Whether nodes can be removed, as text: the answer in a line, the obstacles, and where each pod
//! goes.

use super::notes;
use super::page::{Column, Drawn, Page, Sign, Span, Tone};
use super::simulation::drain;
use answers::extent::{ALL_SHOWS_IT, Extent};
use answers::headline::doubt;
use answers::questions::Report as _;
use answers::questions::node::fates::{self, Fate, FateOfPods, Outlook};
use answers::questions::node::{NodeReport, reason};
use answers::words;
use answers::words::reasons_in_short as short;
use engine::simulation::hazard::Hazard;
use engine::simulation::plan::{Afterwards, PlannedVictim};
use engine::simulation::planning::Proposal;
use engine::simulation::removal::outcomes::DrainOutcome;
use engine::simulation::removal::{self, NodeRemoval, NodesRemoval, RemovalVerdict};
use engine::simulation::sequence::play::{DrainEnd, DrainedPod};
use jiff::Timestamp;
use std::collections::BTreeSet;

/// Maximum number of names in a line.
const NAMED: usize = 3;
/// Maximum number of nodes in a cell.
const PLACES: usize = 4;
/// Maximum number of Events about a node.
const MOST_EVENTS: usize = 3;
/// The cells of the bar of all pods that move.
const CELLS: usize = 20;

/// The page about nodes.
impl Drawn for NodeReport {
    fn page(&self, extent: Extent) -> Page {
        let removal = &self.removal;
        let mut page = Page::default();
        let doubt = doubt(removal.notes.iter());
        let several = removal.nodes.len() > 1;
        // Of several nodes the line about all of them comes first: which can go, in which order.
        page.verdict(Sign::of(self.verdict().into()), format!("{}.{doubt}", self.sentence(extent)));
        basis(&mut page, self);
        // Of several nodes a row each is enough, unless everything is asked for.
        if several && !extent.is_all() {
            rows_of_nodes(&mut page, self, extent);
        }
        let in_full = if several && !extent.is_all() { &[][..] } else { &removal.nodes };
        for node in in_full {
            if several {
                page.gap();
                let sentence = format!("{}.", self.sentence_about(node));
                page.verdict(Sign::of(self.verdict_about(node).into()), sentence);
            } else {
                warnings_of_nodes(&mut page, self);
            }
            section(&mut page, node, self, extent);
        }
        if several {
            warnings_of_nodes(&mut page, self);
        }
        notes::add(&mut page, &removal.notes, true);
        page
    }
}

/// Why pods stay on nodes whose kubelet is silent, and who has to respond to requests for eviction.
fn warnings_of_nodes(page: &mut Page, report: &NodeReport) {
    for why in report.not_evicting.iter().chain(&report.eviction_requests) {
        page.warning(why.as_str());
    }
}

/// What the answer is based on, and the commands that carry it out.
fn basis(page: &mut Page, report: &NodeReport) {
    page.based_on(2, &report.basis);
    for command in &report.commands {
        page.line(2, vec![Span::new(command.as_str(), Tone::Strong)]);
    }
    let drained: Vec<&str> = report.removal.nodes.iter().map(|node| &*node.node).collect();
    drain::changes(page, &report.removal.changes, &drained, "then the drain ends");
}

/// A row for each of several nodes, those that go first on top.
fn rows_of_nodes(page: &mut Page, report: &NodeReport, extent: Extent) {
    let nodes = &report.removal.nodes;
    let shown = extent.shown(nodes.len());
    let mut rows = Vec::with_capacity(shown);
    for (index, node) in nodes.iter().take(shown).enumerate() {
        let pods = fates::of(node);
        let moves: usize =
            pods.iter().filter(|row| row.fate <= Fate::Preempts).map(|row| row.pods.len()).sum();
        let goes = index < report.removal.in_order;
        let order = if goes { (index + 1).to_string() } else { "-".to_owned() };
        let tone = if node.verdict == RemovalVerdict::Can { Tone::Plain } else { Tone::Bad };
        let outlook = Outlook::of(node);
        let most = outlook.pending + outlook.pending_by_timing;
        let pending = match outlook.pending {
            always if always == most => always.to_string(),
            always => format!("{always}-{most}"),
        };
        rows.push(vec![
            order.into(),
            node.node.as_str().into(),
            moves.to_string().into(),
            Span::new(pending, if most == 0 { Tone::Plain } else { Tone::Bad }),
            Span::new(report.clause_about(node), tone),
            Span::new(report.in_a_word(node), tone),
        ]);
    }
    let columns = [
        Column::new("ORDER"),
        Column::new("NODE").nodes(16),
        Column::new("MOVES"),
        Column::new("PENDING"),
        Column::new("ANSWER").prose(24).in_full(),
        Column::new("ANSWER").prose(36).in_short(),
    ];
    page.table(2, columns, rows);
    page.left_out_but(2, nodes.len() - shown, "node", ALL_SHOWS_IT);
    page.quiet(2, "--all shows the pods of each");
}

/// Everything about one node below its first line.
fn section(page: &mut Page, node: &NodeRemoval, report: &NodeReport, extent: Extent) {
    // Where the pods go comes first, and by owner, unless everything is asked for.
    let play = &node.play;
    let in_short = !extent.is_all();
    if in_short && !play.pods.is_empty() {
        fates_of_pods(page, node, words::no_budget_if(report.budgets_unknown), extent);
    }
    for line in reason::lines(&node.obstacles, extent) {
        page.warning(line);
    }
    warnings(page, node, extent);
    for aside in asides(node, &report.removal, extent) {
        page.quiet(2, aside);
    }
    holds(page, node, report.basis.now(), extent);
    if in_short || play.pods.is_empty() {
        return;
    }
    let shown = extent.shown(play.pods.len());
    let rows = play.pods.iter().take(shown).map(|pod| row(pod, node, extent));
    let columns = [
        Column::new("POD").pods(28),
        Column::new("GOES TO").nodes(16).essential(),
        Column::new("ROUND").dropped(2),
        Column::new("WAITS FOR PDB").names(16).dropped(1),
        Column::new("REMARK").prose(20),
    ];
    page.table(2, columns, rows.collect());
    page.left_out_but(2, play.pods.len() - shown, "pod", ALL_SHOWS_IT);
    preempted(page, node, extent);
}

/// How many pods go which way, and a row for each owner.
fn fates_of_pods(page: &mut Page, node: &NodeRemoval, no_budget: &str, extent: Extent) {
    let rows = fates::of(node);
    let all: usize = rows.iter().map(|row| row.pods.len()).sum();
    let mut spans: Vec<Span> = Vec::new();
    for fate in Fate::ALL {
        let pods: usize =
            rows.iter().filter(|row| row.fate == fate).map(|row| row.pods.len()).sum();
        if pods == 0 {
            continue;
        }
        let (word, tone) = fate_words(fate);
        // Every fate has a cell, however few its pods are.
        let cells = (pods * CELLS / all.max(1)).max(1);
        let gap = if spans.is_empty() { "" } else { "   " };
        spans.push(format!("{gap}{word} {pods} ").into());
        spans.push(Span::bar(cells, tone));
    }
    page.line(2, spans);

    let shown = extent.shown(rows.len());
    let table = rows.iter().take(shown).map(|row| row_of_pods(row, no_budget, extent)).collect();
    let columns = [
        Column::new("WORKLOAD").pods(20),
        Column::new("PODS"),
        Column::new("GOES TO").nodes(16).essential().in_full(),
        Column::new("GOES TO").nodes(16).essential().in_short(),
        Column::new("PDB").names(12).dropped(1),
        Column::new("THEN").prose(20).in_full(),
        Column::new("THEN").in_short(),
    ];
    page.table(2, columns, table);
    page.left_out_but(2, rows.len() - shown, "workload", ALL_SHOWS_IT);
}

/// What a fate is called in a bar.
fn fate_words(fate: Fate) -> (&'static str, Tone) {
    match fate {
        Fate::Fits => ("fits", Tone::Good),
        Fate::Preempts => ("preempts", Tone::Plain),
        Fate::Pending => ("Pending", Tone::Bad),
        Fate::Stays => ("stays", Tone::Bad),
        Fate::Lost => ("lost", Tone::Bad),
        Fate::Unknown => ("not known", Tone::Bad),
        Fate::Ends => ("ends already", Tone::Quiet),
    }
}

fn row_of_pods(row: &FateOfPods, no_budget: &str, extent: Extent) -> Vec<Span> {
    let between = if row.pods.len() == 1 { " or " } else { ", " };
    let [goes, goes_in_short] = [extent.named(PLACES), 1].map(|most| {
        let nodes = places_in_short(&row.nodes, between, row.elsewhere, most);
        goes_to(row.fate, nodes, &row.otherwise)
    });
    let names: Vec<&str> = row.budgets.iter().map(String::as_str).collect();
    let budgets = match names.join(" + ") {
        none if none.is_empty() => no_budget.to_owned(),
        names if row.fate == Fate::Stays => names,
        names => format!("{names} (waits)"),
    };
    let [then, then_in_short] = match (&row.why, row.evicts.as_slice()) {
        (Some(why), _) => [reason::message(why, extent).to_owned(), short(why)],
        (None, []) => ["-".to_owned(), "-".to_owned()],
        (None, evicts) => [
            format!("evicts {}", words::list(evicts, extent.named(NAMED))),
            format!("evicts {}", words::count(evicts.len(), "pod")),
        ],
    };
    vec![
        row.name.as_str().into(),
        row.pods.len().to_string().into(),
        goes,
        goes_in_short,
        Span::new(budgets, if row.fate == Fate::Stays { Tone::Bad } else { Tone::Plain }),
        then.into(),
        then_in_short.into(),
    ]
}

/// What a drain may lose, or wait for.
fn warnings(page: &mut Page, node: &NodeRemoval, extent: Extent) {
    let (play, named) = (&node.play, extent.named(NAMED));
    if node.is_silent {
        page.warning(
            "its kubelet does not report: pods that are evicted end only once the node is removed",
        );
    }
    for budget in play.waits() {
        let allows = match budget.allowed {
            0 => "none".to_owned(),
            some => some.to_string(),
        };
        page.warning(format!(
            "PDB {} allows {allows} then ({}): the drain pauses until a replacement is Ready",
            budget.full_name(),
            reason::counts(budget)
        ));
    }
    let victims: Vec<&PlannedVictim> = play.pods.iter().map(|pod| &pod.victim).collect();
    drain::hazards(page, &victims, &LOSSES, named);
    // Replacements are assumed where nothing says that the owner makes none.
    let unknown = play.pods.iter().filter(|pod| pod.victim.afterwards == Afterwards::Unknown);
    let unknown: Vec<String> = unknown.map(|pod| pod.victim.pod.full_name()).collect();
    if !unknown.is_empty() {
        let names = words::list(&unknown, named);
        page.warning(format!("assumes that the owner of {names} recreates it"));
    }
    let pending: Vec<String> = node.pending.iter().cloned().collect();
    drain::competing(page, &pending, named);
}

/// What a drain loses.
const LOSSES: [drain::HazardWords; 2] = [
    (Hazard::Bare, "has no controller: it is lost", "have no controller: they are lost"),
    drain::EMPTY_DIR,
];

/// How the table is to be read, and which pods are not in it.
fn asides(node: &NodeRemoval, removal: &NodesRemoval, extent: Extent) -> Vec<String> {
    let mut asides = Vec::new();
    // Of pods that may stay, no node is drawn.
    let drawn = || {
        let pods = node.play.pods.iter();
        let go = pods.filter(|pod| matches!(Fate::of(pod, node), Fate::Fits | Fate::Preempts));
        go.filter_map(|pod| node.places.get(&pod.victim.pod.full_name()))
    };
    let open = drawn().any(|places| places.nodes.len() > 1);
    let also = drawn().any(|places| !places.also_possible.is_empty());
    if open || also {
        let star = if also { "; * others, if another pod comes first" } else { "" };
        asides.push(format!(
            "of several nodes the first is that of the usual order ({} tried){star}",
            words::count(removal.timings, "order")
        ));
    }
    if !node.fresh.is_empty() {
        let fresh = words::list(&node.fresh, extent.named(PLACES));
        asides.push(format!("fresh nodes at that time: {fresh}"));
    }
    asides.extend(drain::staying(node.play.staying.len()));
    asides
}

/// What stops autoscalers, and their Events.
fn holds(page: &mut Page, node: &NodeRemoval, now: Timestamp, extent: Extent) {
    for ((what, lift), pods) in reason::holds(&node.holds) {
        let text = format!("{what}: {}", words::list(&pods, extent.named(NAMED)));
        page.line(2, vec![text.into()]);
        page.quiet(4, format!("to lift that: {lift}"));
    }
    for event in node.said.iter().take(extent.named(MOST_EVENTS)) {
        let age = event.time.map_or_else(String::new, |time| {
            format!(" {} ago", words::age(now.as_second() - time.as_second()))
        });
        let text = format!("{}{age}: {}: {}", event.component, event.reason, event.message);
        page.quiet(2, text);
    }
}

fn row(pod: &DrainedPod, node: &NodeRemoval, extent: Extent) -> Vec<Span> {
    let name = pod.victim.pod.full_name();
    let places = node.places.get(&name);
    let step = removal::step_of(&node.play, &pod.victim.pod);
    let nodes = places.map(|places| {
        let elsewhere = !places.also_possible.is_empty();
        places_in_short(&places.nodes, " or ", elsewhere, extent.named(PLACES))
    });
    let otherwise = node.other_outcomes.get(&name).cloned().unwrap_or_default();
    let goes = goes_to(Fate::of(pod, node), nodes.unwrap_or_default(), &otherwise);
    let round = match pod.end {
        DrainEnd::Evicted { round } => round.to_string(),
        DrainEnd::Refused(_) | DrainEnd::Stuck => "-".to_owned(),
    };

    // The budget that the eviction waits for, or is refused for in the end.
    let refused = pod.refusal();
    let budgets = refused.map_or_else(
        || "-".to_owned(),
        |refused| {
            let names = refused.budgets.iter().map(|budget| budget.name.as_str());
            names.collect::<Vec<_>>().join(" + ")
        },
    );
    let stays = matches!(pod.end, DrainEnd::Refused(_));
    vec![
        name.into(),
        goes,
        round.into(),
        Span::new(budgets, if stays { Tone::Bad } else { Tone::Plain }),
        remark(pod, step, extent).into(),
    ]
}

/// Where pods go: in the usual order first, then where other orders lead.
fn goes_to(fate: Fate, nodes: String, otherwise: &BTreeSet<DrainOutcome>) -> Span {
    let (word, tone) = fate_words(fate);
    let (goes, tone) = match fate {
        Fate::Fits | Fate::Preempts if !nodes.is_empty() => (nodes, Tone::Plain),
        Fate::Pending => ("nowhere".to_owned(), tone),
        _ => (word.to_owned(), tone),
    };
    let others: Vec<&str> = otherwise.iter().filter_map(|other| goes_instead(*other)).collect();
    match others.as_slice() {
        [] => Span::new(goes, tone),
        others => Span::new(format!("{goes} or {}", others.join(" or ")), Tone::Bad),
    }
}

/// `n1 or n2 +3*`: the first of the nodes that pods may get; a star if others accept them, too.
fn places_in_short(nodes: &[String], between: &str, elsewhere: bool, most: usize) -> String {
    let shown: Vec<&str> = nodes.iter().take(most).map(String::as_str).collect();
    let more = match nodes.len().saturating_sub(most) {
        0 => String::new(),
        more => format!(" +{more}"),
    };
    format!("{}{more}{}", shown.join(between), if elsewhere { "*" } else { "" })
}

/// Where a pod goes in another order than the reported one, if that says more than its nodes.
const fn goes_instead(outcome: DrainOutcome) -> Option<&'static str> {
    match outcome {
        DrainOutcome::NoNode => Some("nowhere"),
        DrainOutcome::Refused => Some("stays"),
        DrainOutcome::Moves => Some("elsewhere"),
        DrainOutcome::ComesBack => Some("back"),
        DrainOutcome::NotRecreated => Some("lost"),
        DrainOutcome::Unknown | DrainOutcome::Stuck | DrainOutcome::Ends => None,
    }
}

fn remark(
    pod: &DrainedPod,
    step: Option<&engine::simulation::sequence::Step>,
    extent: Extent,
) -> String {
    match step.map(|step| &step.proposal) {
        Some(Proposal::Impossible(why)) => {
            let pinned = match &pod.victim.afterwards {
                Afterwards::Pinned(by) => reason::on_node_alone(by),
                _ => None,
            };
            return pinned.unwrap_or_else(|| reason::message(why, extent).to_owned());
        }
        Some(Proposal::Unknown(why)) => return why.clone(),
        Some(Proposal::Evict(plan)) if !plan.victims.is_empty() => {
            let names: Vec<String> = plan.victims.iter().map(|v| v.pod.full_name()).collect();
            return format!("evicts {}", words::list(&names, extent.named(NAMED)));
        }
        _ => {}
    }
    // Without a decision about a replacement, the remark is about the pod itself.
    if pod.end == DrainEnd::Stuck {
        return "is being deleted and does not end".to_owned();
    }
    if pod.victim.terminating_until.is_some() {
        return "is being deleted already".to_owned();
    }
    let kinds: Vec<&str> = (pod.victim.hazards.iter())
        .filter_map(|hazard| match hazard {
            Hazard::Bare => Some("no controller"),
            Hazard::EmptyDir => Some("emptyDir data is lost"),
            _ => None,
        })
        .collect();
    if kinds.is_empty() { "-".to_owned() } else { kinds.join(", ") }
}

/// The pods elsewhere that moved pods preempt, and where their replacements go.
fn preempted(page: &mut Page, node: &NodeRemoval, extent: Extent) {
    for step in node.play.steps.iter().filter(|step| step.depth > 1) {
        let name = step.id.full_name();
        let text = match &step.proposal {
            Proposal::Impossible(why) => {
                format!(
                    "{name} is evicted for them and fits nowhere: {}",
                    reason::message(why, extent)
                )
            }
            Proposal::Unknown(why) => format!("{name} is evicted for them; then: {why}"),
            _ => {
                let to = node.places.get(&name).map(|places| places.nodes.join(" or "));
                format!("{name} is evicted for them and goes to {}", to.unwrap_or_default())
            }
        };
        page.item(2, vec![text.into()]);
    }
}

#[cfg(test)]
mod tests {
    use engine::profile::SchedulerVersion;
    use engine::snapshot::meta::LabelSelector;
    use testing::{NOW, budget, cluster, node, objects, pod};
    use textwrap::core::display_width;

    use crate::page::{Drawn as _, Paper};
    use answers::extent::Extent;
    use answers::input::{InputFlags, LoadedInput, Wishes};
    use answers::origin::InputOrigin;
    use answers::questions::node::{NodeRequest, node as ask};
    use answers::scheduler::SchedulerChoice;

    /// A removal with long names, a pod that fits nowhere, budgets that wait and refuse, and an
    /// autoscaler that leaves the node alone.
    fn printed(width: Option<u16>) -> String {
        let long = "ip-10-0-0-43.eu-central-1.compute.internal";
        let web = |name: &str, app: &str| {
            pod(name).cpu("1").label("app", app).replica_of(app).ready().on(long)
        };
        let list = objects![
            node(long).cpu("16"),
            node("ip-10-0-0-44.eu-central-1.compute.internal").cpu("6"),
            node("ip-10-0-0-45.eu-central-1.compute.internal").cpu("6"),
            web("frontend-7d4b9c6f5d-x8k2p", "frontend"),
            web("frontend-7d4b9c6f5d-z9q4r", "frontend"),
            web("kafka-0", "kafka"),
            web("huge-6c5b8d7f9c-abcde", "huge").cpu("9"),
            pod("debug").ready().on(long),
            budget("frontend").selects("app", "frontend").allowed(1).healthy(2, 1, 2),
            budget("kafka").selects("app", "kafka").allowed(0).healthy(1, 1, 1),
            budget("kafka-old").selects("app", "kafka").allowed(0).healthy(1, 1, 1),
        ];
        let scheduler = SchedulerChoice {
            version: SchedulerVersion::parse("1.37"),
            ..SchedulerChoice::default()
        };
        let (now, selector) = (NOW.parse().expect("a time"), &LabelSelector::default());
        let flags = &InputFlags::default();
        let wishes =
            Wishes { scheduler: &scheduler, now: Some(now), present: now, selector, flags };
        let (place, namespace) =
            (InputOrigin::Files(vec!["cluster.json".to_owned()]), String::new());
        let input = LoadedInput::of_cluster(&mut cluster(list), None, place, namespace, &wishes);
        let input = input.expect("a scheduler");
        let request = NodeRequest { nodes: vec![long.to_owned()], surge: 0 };
        let report = ask(&input, &request).expect("the node");
        let text = report.page(Extent::Top).print(Paper { width, ..Paper::PLAIN });
        text.to_string()
    }

    #[test]
    fn page_of_a_drain_fits_terminals_of_any_width() {
        for width in [80, 120, 200] {
            let text = printed(Some(width));
            let widest = text.lines().map(display_width).max().unwrap_or_default();
            assert!(widest <= usize::from(width), "{width}:\n{text}");
            for want in ["cannot be drained", "frontend", "kafka", "nowhere", "stays"] {
                assert!(text.contains(want), "{want}, {width}:\n{text}");
            }
        }
    }

    #[test]
    fn page_of_a_drain_says_all_in_a_pipe() {
        let text = printed(None);
        for want in [
            "✗ ip-10-0-0-43 cannot be drained: default/kafka-0 has several PDBs; 1 pod stays Pending.",
            "default/kafka-0 is selected by PDBs default/kafka and default/kafka-old: the server always refuses its eviction",
            "default/debug has no controller: it is lost",
            "   Nodes: *.eu-central-1.compute.internal",
            "cluster-autoscaler leaves the node alone (by default: no controller): default/debug",
        ] {
            assert!(text.contains(want), "{want}:\n{text}");
        }
    }
}

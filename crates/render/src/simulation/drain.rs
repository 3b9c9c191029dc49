//! What a drain needs: the pods that leave, what delays them, and the command.

use std::collections::{BTreeMap, BTreeSet};

use super::{row, victim_columns};
use crate::page::{Page, Sign, Span, Tone};
use answers::extent::{ALL_SHOWS_IT, Extent};
use answers::questions::node::changes::{commands, text, undo};
use answers::questions::node::commands::drain_command;
use answers::questions::node::reason;
use answers::questions::simulate::SimulateReport;
use answers::words;
use answers::words::arguments;
use engine::simulation::hazard::Hazard;
use engine::simulation::plan::{Afterwards, BudgetUse, PlannedVictim};
use engine::simulation::planning::Proposal;
use engine::simulation::sequence::{Drain, DrainChange, RemovalVerdict};

/// Maximum number of pods that a line names.
const NAMED: usize = 3;

/// The section about one node.
pub(super) fn add(
    page: &mut Page,
    drain: &Drain,
    report: &SimulateReport,
    doubt: &str,
    extent: Extent,
    below: Option<String>,
) {
    let (simulation, now) = (&report.simulation, report.basis.now());
    let evicted: BTreeSet<String> =
        drain.victims.iter().map(|victim| victim.pod.full_name()).collect();
    let mut pending: BTreeSet<String> = BTreeSet::new();
    let (mut replacements, mut back) = (0, Vec::new());
    for step in &simulation.cascade {
        let name = step.id.full_name();
        if step.depth != 1 || !evicted.contains(&name) {
            continue;
        }
        replacements += 1;
        match &step.proposal {
            Proposal::Fits(nodes) if nodes.contains(&drain.node) => back.push(name),
            _ if !step.is_placed() => {
                pending.insert(name);
            }
            _ => {}
        }
    }

    // The answer and the command come first, then what delays or defeats the drain.
    verdict(page, drain, replacements, pending.len(), doubt);
    if let Some(below) = below {
        page.quiet(2, below);
    }
    let command = drain_command(&drain.node, drain.staying > 0, drain.victims.iter());
    page.line(2, vec![Span::new(command, Tone::Strong)]);
    if let Some(open) = open_verdict(drain) {
        page.warning(open);
    }
    budgets(page, drain, &pending);
    hazards(page, &drain.victims.iter().collect::<Vec<_>>(), &HAZARDS, NAMED);
    pinned(page, drain, &pending);
    if !back.is_empty() {
        let number = words::count(back.len(), "replacement");
        let names = words::list(&back, NAMED);
        page.warning(format!(
            "{number} may come back to this node: they tolerate the taint of a cordon ({names})"
        ));
    }
    let competitors: Vec<String> =
        simulation.competing.iter().map(|step| step.id.full_name()).collect();
    competing(page, &competitors, NAMED);
    if !drain.victims.is_empty() {
        let command = arguments(&report.basis.flags.command(&["node", &drain.node]));
        let command = Span::command(command, Tone::Quiet);
        page.line(2, vec![command, Span::new(" says where each pod may go", Tone::Quiet)]);
    }
    if let Some(staying) = staying(drain.staying) {
        page.quiet(2, staying);
    }
    if drain.victims.is_empty() {
        return;
    }

    // Last the pods themselves, as many as the page has lines for.
    let shown = extent.shown(drain.victims.len());
    let numbered = drain.victims.iter().take(shown).enumerate();
    let rows = numbered.map(|(index, victim)| row(index + 1, victim, false, "waits", now));
    page.table(2, victim_columns(false), rows.collect());
    page.left_out_but(2, drain.victims.len() - shown, "pod", ALL_SHOWS_IT);
    let longest =
        drain.victims.iter().map(|victim| victim.seconds_to_stop(now)).max().unwrap_or_default();
    page.quiet(2, format!("the pods stop within {} of their evictions", words::age(longest)));
}

/// What an administrator may change, with the commands that do and undo it.
pub(crate) fn changes(page: &mut Page, changes: &[DrainChange], drained: &[&str], then: &str) {
    if changes.is_empty() {
        return;
    }
    let texts: Vec<String> = changes.iter().map(text).collect();
    page.line(2, vec![format!("{}: {then} (simulated)", texts.join(", and ")).into()]);
    for command in changes.iter().flat_map(|change| commands(change, drained)) {
        page.line(4, vec![Span::new(command, Tone::Strong)]);
    }
    for command in changes.iter().filter_map(undo) {
        page.line(4, vec![Span::new(format!("{command}  # afterwards"), Tone::Quiet)]);
    }
}

fn verdict(page: &mut Page, drain: &Drain, replacements: usize, pending: usize, doubt: &str) {
    let evicts = words::count(drain.victims.len(), "pod");
    let then = match (replacements, pending) {
        (0, _) => "none of them is recreated".to_owned(),
        (1, 0) => "the replacement gets a node".to_owned(),
        (all, 0) => format!("all {} replacements get nodes", words::group_digits(all)),
        (all, 1) => format!("of {} 1 stays pending", words::count(all, "replacement")),
        (all, pending) => {
            format!(
                "of {} {} stay pending",
                words::count(all, "replacement"),
                words::group_digits(pending)
            )
        }
    };

    // A refused eviction keeps the drain from ending, whatever happens to the others.
    let text = match drain.victims.len() {
        0 => format!("Draining {} evicts no pod.{doubt}", drain.node),
        all if !drain.refused.is_empty() => {
            let then = if replacements == 0 { String::new() } else { format!("; {then}") };
            format!(
                "Draining {} never ends: {} of {} cannot be evicted{then}.{doubt}",
                drain.node,
                drain.refused.len(),
                words::count(all, "pod")
            )
        }
        _ => format!("Draining {} evicts {evicts}; {then}.{doubt}", drain.node),
    };
    let sign = match (doubt, drain.verdict) {
        ("", RemovalVerdict::Can) => (Sign::Yes, Tone::Good),
        ("", RemovalVerdict::Cannot) => (Sign::Costs, Tone::Bad),
        _ => (Sign::Unknown, Tone::Bad),
    };
    page.verdict(sign, text);
}

/// Why it is open whether every pod gets another node. `node` has the reasons.
fn open_verdict(drain: &Drain) -> Option<String> {
    let whether = "whether every pod gets another node";
    Some(match drain.verdict {
        RemovalVerdict::Can | RemovalVerdict::Cannot => return None,
        RemovalVerdict::DependsOnTiming => format!(
            "{whether} depends on timing: {} of {} orders tried work, and this is one that does not",
            drain.timings_done, drain.timings
        ),
        RemovalVerdict::DependsOnReadiness => {
            format!("{whether} depends on replacements whose predecessors are not Ready")
        }
        RemovalVerdict::Unsure => format!("{whether} is not known"),
    })
}

/// The budgets that do not allow all evictions at once. The drain waits until replacements are
/// ready; it does not end if a replacement that the budget counts gets no node.
fn budgets(page: &mut Page, drain: &Drain, pending: &BTreeSet<String>) {
    // All evictions that count on the same budget compete for what it allows.
    let mut by_budget: BTreeMap<(&str, &str), Vec<(&PlannedVictim, &BudgetUse)>> = BTreeMap::new();
    for victim in &drain.victims {
        for used in &victim.budgets {
            by_budget.entry((&used.namespace, &used.name)).or_default().push((victim, used));
        }
    }
    for ((namespace, name), uses) in by_budget {
        let violated = uses.iter().filter(|(_, used)| used.is_violated()).count();
        if violated == 0 {
            continue;
        }
        let allowed = uses.len() - violated;
        let stuck = uses.iter().any(|(victim, _)| pending.contains(&victim.pod.full_name()));
        let then = match (allowed, stuck) {
            (0, _) => "the drain waits until the budget allows one",
            (_, true) => "the drain waits for replacements, and one gets no node",
            (_, false) => "the drain waits until replacements are ready",
        };
        let evictions = words::count(uses.len(), "eviction");
        page.warning(format!(
            "PodDisruptionBudget {namespace}/{name} allows {allowed} of {evictions} now: {then}"
        ));
    }
}

/// A hazard of an eviction, and what is said of one pod and of several.
pub(crate) type HazardWords = (Hazard, &'static str, &'static str);

pub(crate) const EMPTY_DIR: HazardWords = (
    Hazard::EmptyDir,
    "loses the data of its emptyDir volumes",
    "lose the data of their emptyDir volumes",
);

/// What the drain loses, or what it is refused for.
const HAZARDS: [HazardWords; 3] = [
    (
        Hazard::Bare,
        "has no controller: it is not recreated",
        "have no controller: they are not recreated",
    ),
    EMPTY_DIR,
    (
        Hazard::SeveralBudgets,
        "is selected by several PodDisruptionBudgets: the server refuses its eviction",
        "are selected by several PodDisruptionBudgets each: the server refuses their evictions",
    ),
];

/// A warning for each of these hazards that a victim has, naming at most `named` of them.
pub(crate) fn hazards(
    page: &mut Page,
    victims: &[&PlannedVictim],
    words_of: &[HazardWords],
    named: usize,
) {
    for (hazard, one, several) in words_of {
        let with_it = victims.iter().filter(|victim| victim.hazards.contains(hazard));
        let names: Vec<String> = with_it.map(|victim| victim.pod.full_name()).collect();
        match names.as_slice() {
            [] => {}
            [name] => page.warning(format!("{name} {one}")),
            names => page.warning(format!("{} {several}", words::list(names, named))),
        }
    }
}

/// Why replacements that stay pending can run on the drained node alone.
fn pinned(page: &mut Page, drain: &Drain, pending: &BTreeSet<String>) {
    for victim in drain.victims.iter().filter(|one| pending.contains(&one.pod.full_name())) {
        let Afterwards::Pinned(by) = &victim.afterwards else { continue };
        if let Some(why) = reason::on_node_alone(by) {
            page.warning(format!("{} fits nowhere: {why}", victim.pod.full_name()));
        }
    }
}

/// A warning about pods that may take the room of the replacements.
pub(crate) fn competing(page: &mut Page, pods: &[String], named: usize) {
    if pods.is_empty() {
        return;
    }
    let are = if pods.len() == 1 { "is" } else { "are" };
    let names = words::list(pods, named);
    page.warning(format!("{names} {are} already Pending and may take that room first"));
}

/// `2 DaemonSet or static pods stay`.
pub(crate) fn staying(pods: usize) -> Option<String> {
    let stay = if pods == 1 { "stays" } else { "stay" };
    (pods > 0).then(|| format!("{} {stay}", words::count(pods, "DaemonSet or static pod")))
}

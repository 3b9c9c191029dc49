//! A simulation of many pods: the outcome for all of them in a line, then tables by pod, owner and
//! reason.

use super::not_followed;
use crate::page::{Column, Page, Span, Tone};
use answers::extent::{ALL_SHOWS_IT, Extent};
use answers::questions::Basis;
use answers::questions::simulate::SimulateReport;
use answers::questions::simulate::step::{self, members, name, names_of, places, victim_names};
use answers::questions::simulate::workloads::{self, BudgetUses, EvictedPods, Replacements};
use answers::words;
use engine::simulation::plan::PreemptorId;
use engine::simulation::planning::Proposal;
use engine::simulation::sequence::{Simulation, Step};

/// Maximum number of pods with a paragraph each.
const FEW: usize = 5;
/// Maximum number of pods named in a row of several.
const NAMED: usize = 2;

/// Whether there are too many pods for a paragraph each.
pub(super) fn is_long(simulation: &Simulation) -> bool {
    simulation.steps.len() > FEW
}

/// The tables: pods that are placed, pods that are not, evicted pods by owner.
pub(super) fn tables(page: &mut Page, report: &SimulateReport, evicts: bool, extent: Extent) {
    placed(page, &report.simulation, extent);
    pending(page, &report.simulation, extent);
    evicted(page, report, evicts, extent);
}

fn placed(page: &mut Page, simulation: &Simulation, extent: Extent) {
    let steps: Vec<&Step> = simulation.steps.iter().filter(|step| step.is_placed()).collect();
    if steps.is_empty() {
        return;
    }
    let shown = extent.shown(steps.len());
    page.section("Placed, in queue order");
    let columns = [
        Column::new("POD").pods(24),
        Column::new("PRIORITY").dropped(1),
        Column::new("NODE").nodes(14),
        Column::new("EVICTS").prose(12),
    ];
    page.table(2, columns, steps.iter().take(shown).map(|step| placed_row(step)).collect());
    page.left_out_but(2, steps.len() - shown, "pod", ALL_SHOWS_IT);
}

/// A pod or group with its nodes and victims.
fn placed_row(step: &Step) -> Vec<Span> {
    let (nodes, evicts) = match &step.proposal {
        Proposal::Fits(nodes) => (places(nodes), String::new()),
        Proposal::GroupFits(placed) => (names_of(placed), String::new()),
        Proposal::Evict(plan) => {
            (names_of(&plan.placed), words::list(&victim_names(plan), step::NAMED))
        }
        Proposal::Awaits(plan) => {
            (names_of(&plan.placed), "its victims are terminating".to_owned())
        }
        Proposal::Impossible(_) | Proposal::Unknown(_) => (String::new(), String::new()),
    };
    let evicts = if evicts.is_empty() {
        Span::new("-".to_owned(), Tone::Plain)
    } else {
        Span::new(evicts, Tone::Bad)
    };
    // Of a group not all pods may be placed.
    let pod = match (&step.id, &step.proposal) {
        (PreemptorId::Group(_), Proposal::GroupFits(placed)) => {
            format!("{} ({})", name(&step.id), members(step, placed))
        }
        _ => name(&step.id),
    };
    vec![pod.into(), step.priority.to_string().into(), nodes.into(), evicts]
}

/// Pods that get no node, by reason.
fn pending(page: &mut Page, simulation: &Simulation, extent: Extent) {
    let by_reason = workloads::pending_by_reason(simulation);
    if by_reason.is_empty() {
        return;
    }
    let shown = extent.shown(by_reason.len());
    let named = if extent.is_all() { usize::MAX } else { NAMED };
    let rows = by_reason.iter().take(shown).map(|(why, pods)| {
        let number = Span::new(words::group_digits(pods.len()), Tone::Bad);
        vec![number, words::list(pods, named).into(), why.as_str().into()]
    });
    page.section("Stay pending");
    let columns =
        [Column::new("PODS"), Column::new("WHICH").names(24), Column::new("WHY").prose(24)];
    page.table(2, columns, rows.collect());
    page.left_out_but(2, by_reason.len() - shown, "reason", ALL_SHOWS_IT);
}

fn evicted_row(pods: &EvictedPods<'_>, if_violated: &str, basis: &Basis) -> Vec<Span> {
    let stops = pods.victims.iter().map(|victim| victim.seconds_to_stop(basis.now())).max();
    let then = pods.victims.first().map(|victim| victim.afterwards.text());
    let uses = pods.budgets();
    let mut budgets: Vec<String> = Vec::with_capacity(uses.len());
    for (name, BudgetUses { all, violated }) in &uses {
        budgets.push(match violated {
            0 => (*name).to_owned(),
            violated => format!("{name}: {violated} of {all} {if_violated}"),
        });
    }
    let is_violated = uses.values().any(|uses| uses.violated > 0);
    let tone = if is_violated { Tone::Bad } else { Tone::Plain };
    let budgets =
        if budgets.is_empty() { basis.no_budget().to_owned() } else { budgets.join(", ") };
    vec![
        pods.owner.as_str().into(),
        words::group_digits(pods.victims.len()).into(),
        pods.priorities().into(),
        words::age(stops.unwrap_or_default()).into(),
        Span::new(budgets, tone),
        then.unwrap_or_default().into(),
    ]
}

fn evicted(page: &mut Page, report: &SimulateReport, evicts: bool, extent: Extent) {
    let owners = EvictedPods::by_owner(&report.simulation);
    if owners.is_empty() {
        return;
    }
    page.section("Evicted, by owner");
    let columns = [
        Column::new("OWNER").names(32),
        Column::new("PODS"),
        Column::new("PRIORITY").dropped(1),
        Column::new("STOP IN").dropped(3),
        Column::new("BUDGETS").names(12).dropped(2),
        Column::new("THEN").prose(18),
    ];
    let shown = extent.shown(owners.len());
    let if_violated = if evicts { "wait" } else { "violated" };
    let rows = owners.iter().take(shown).map(|pods| evicted_row(pods, if_violated, &report.basis));
    page.table(2, columns, rows.collect());
    page.left_out_but(2, owners.len() - shown, "owner", ALL_SHOWS_IT);

    let hazards: usize = owners.iter().map(EvictedPods::needing_care).sum();
    if hazards > 0 {
        let need = if hazards == 1 { "needs" } else { "need" };
        page.warning(format!(
            "{} {need} care (no controller, local data, …): simulate POD says which",
            words::count(hazards, "victim")
        ));
    }
}

fn replacements_row(found: &Replacements) -> Vec<Span> {
    vec![
        found.owner.as_str().into(),
        number(found.all, Tone::Plain),
        number(found.fit, Tone::Good),
        number(found.evict, Tone::Bad),
        number(found.pending, Tone::Bad),
    ]
}

/// A number, in `tone` unless it is 0.
fn number(number: usize, tone: Tone) -> Span {
    Span::new(words::group_digits(number), if number == 0 { Tone::Plain } else { tone })
}

/// The replacements by owner, with the number of each outcome.
pub(super) fn cascade(page: &mut Page, simulation: &Simulation, extent: Extent) {
    if simulation.cascade.is_empty() && simulation.not_followed == 0 {
        return;
    }
    let by_owner = Replacements::by_owner(simulation);
    let shown = extent.shown(by_owner.len());
    let rows = by_owner.iter().take(shown).map(replacements_row);
    page.section("Replacements of the victims, by owner");
    let columns = [
        Column::new("OWNER").names(32),
        Column::new("PODS"),
        Column::new("FIT"),
        Column::new("EVICT OTHERS"),
        Column::new("STAY PENDING"),
    ];
    page.table(2, columns, rows.collect());
    page.left_out_but(2, by_owner.len() - shown, "owner", ALL_SHOWS_IT);
    not_followed(page, simulation);
}

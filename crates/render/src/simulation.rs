//! The result of `kubectl preempt simulate` as text: the plan for each pod, its consequences, and
//! the notes. For many pods there is a line about all of them, and tables instead of paragraphs.

pub mod csv;
pub(crate) mod drain;
mod summary;

use answers::commands::flag_of;
use answers::extent::Extent;
use answers::headline::{Standing, doubt};
use answers::questions::Basis;
use answers::questions::simulate::SimulateReport;
use answers::questions::simulate::changes;
use answers::questions::simulate::gate::totals;
use answers::questions::simulate::step::{self, name, places};
use indexmap::IndexMap;
use jiff::Timestamp;

use super::gate::{self, GateReport};
use super::notes;
use super::page::{Column, Drawn, Page, Sign, Span, Tone, page_of};
use answers::words;
use engine::edits::Edit;
use engine::simulation::plan::{BudgetUse, Placement, Plan, PlannedVictim, PodId};
use engine::simulation::planning::Proposal;
use engine::simulation::sequence::{Simulation, Step};

/// Maximum number of pods of a group in a table.
const MEMBERS: usize = 12;
/// Maximum number of replacements with a line of their own.
const MOST_LISTED: usize = 20;

impl Drawn for SimulateReport {
    fn page(&self, extent: Extent) -> Page {
        let mut whole = self.cut().map(page_of).unwrap_or_default();
        whole.append(page(self, false, extent));
        if let Some(report) = GateReport::of(self) {
            gate::add(&mut whole, report);
        }
        whole
    }
}

/// The page about a simulation. `evicts`: the plan is carried out through the eviction API, which
/// waits for budgets instead of violating them.
pub fn page(report: &SimulateReport, evicts: bool, extent: Extent) -> Page {
    let (simulation, origin) = (&report.simulation, &report.basis.origin);
    let mut page = Page::default();
    // That a node is drained is the question.
    let is_asked = |edit: &&Edit| report.drained.is_some() && matches!(edit, Edit::Drain { .. });
    let assumed = simulation.assumptions.iter().filter(|edit| !is_asked(edit));
    let assumed: Vec<String> = assumed.map(Edit::words).collect();
    if !assumed.is_empty() {
        let assumed = assumed.join(", ");
        page.line(
            0,
            vec![match &report.nothing_waits {
                Some(nothing) => format!("Assumed: {assumed}. {nothing}").into(),
                None => format!("Assuming {assumed}:").into(),
            }],
        );
    }
    // What is said of a drain is what `node` says.
    if let Some(drained) = &report.drained {
        page.append(drained.page(extent));
        return page;
    }
    let doubt = doubt(simulation.notes.iter());
    let summary = changes::summary(simulation);
    let of_many = report.is_about_many();
    // Doubts stand in the first line, whatever it is about.
    let below = if summary.is_some() { "" } else { doubt.as_str() };
    if let Some(summary) = summary {
        page.line(0, vec![Span::new(format!("{summary}.{doubt}"), Tone::Strong)]);
        for line in simulation.changes.iter().flat_map(changes::lines) {
            page.line(2, vec![line.into()]);
        }
    }
    if of_many {
        let outcome = gate::capitalized(&totals(simulation));
        page.line(0, vec![Span::new(format!("{outcome}.{below}"), Tone::Strong)]);
        page.based_on(0, &report.basis);
    }
    refused(&mut page, simulation);
    // Tables have the pods of many in a row; in full each of them has its paragraph.
    let in_tables = summary::is_long(simulation) && !extent.is_whole();
    if in_tables {
        summary::tables(&mut page, report, evicts, extent);
    } else {
        for (index, step) in simulation.steps.iter().enumerate() {
            if of_many {
                page.gap();
            }
            verdict(&mut page, step, &doubt, origin.as_of, evicts);
            if index == 0 && !of_many {
                page.based_on(2, &report.basis);
            }
            details(&mut page, step, &report.basis, evicts, extent);
        }
    }
    let is_listed = simulation.cascade.len() <= MOST_LISTED || extent.is_whole();
    if in_tables || !is_listed {
        summary::cascade(&mut page, simulation, extent);
    } else {
        cascade(&mut page, simulation, extent);
    }
    notes::add(&mut page, &simulation.notes, true);
    page
}

/// The pods of manifests that the API server would not create, by document and reason.
fn refused(page: &mut Page, simulation: &Simulation) {
    let mut by_reason: IndexMap<(usize, &str), Vec<String>> = IndexMap::new();
    for refused in &simulation.refused {
        let same = by_reason.entry((refused.document, refused.why.as_str())).or_default();
        same.push(refused.pod.full_name());
    }
    for ((document, why), names) in by_reason {
        let maker = simulation.documents.get(document);
        let of = maker.map(|maker| format!(" of {} ({})", maker.object(), maker.place()));
        let of = of.unwrap_or_default();
        let them = if names.len() == 1 { "it" } else { "them" };
        let names = words::list(&names, step::NAMED);
        let text = format!("{names}{of}: the API server would refuse {them}: {why}");
        page.line(0, vec![Span::signed(Sign::No, "", Tone::Bad), text.into()]);
    }
}

/// The line about one pod or group.
fn verdict(page: &mut Page, step: &Step, doubt: &str, now: Timestamp, evicts: bool) {
    let (standing, sentence) = step::headline(step, now, evicts);
    let standing = if doubt.is_empty() { standing } else { Standing::Unknown };
    page.verdict(Sign::of(standing), format!("{sentence}.{doubt}"));
}

/// The plan for one pod or group, or why there is none.
fn details(page: &mut Page, step: &Step, basis: &Basis, evicts: bool, extent: Extent) {
    match &step.proposal {
        Proposal::Evict(plan) | Proposal::Awaits(plan) => {
            if step.id.pod().is_none() {
                placements(page, &plan.placed, extent);
            }
            victims(page, plan, basis, evicts);
            if let Some(open) = &step.open_victims {
                page.line(2, vec![step::open_victims(open).into()]);
            }
        }
        Proposal::GroupFits(placed) => placements(page, placed, extent),
        Proposal::Impossible(why) | Proposal::Unknown(why) => {
            page.quiet(2, why.as_str());
        }
        Proposal::Fits(_) => {}
    }

    // A group may get less than all its pods ask for, and a plan another node than the scheduler.
    if !step.left_out.is_empty() {
        let names: Vec<String> = step.left_out.iter().map(PodId::full_name).collect();
        let verb = if names.len() == 1 { "stays" } else { "stay" };
        let names = words::list(&names, extent.named(step::NAMED));
        page.line(2, vec![format!("{names} {verb} pending").into()]);
    }
    if !step.scheduler_picks.is_empty() {
        let text =
            format!("without --on, kube-scheduler would pick {}", places(&step.scheduler_picks));
        page.line(2, vec![text.into()]);
    }
}

/// The pods of a group with their nodes.
fn placements(page: &mut Page, placed: &[Placement], extent: Extent) {
    let is_short = placed.len() <= extent.named(MEMBERS);
    let shown = if is_short { placed.len() } else { MEMBERS - 1 };
    let rows = placed
        .iter()
        .take(shown)
        .map(|placement| vec![placement.pod.full_name().into(), (&*placement.node).into()]);
    page.table(2, [Column::new("POD").names(40), Column::new("NODE").nodes(24)], rows.collect());
    page.left_out(2, placed.len() - shown, "pod");
}

fn victims(page: &mut Page, plan: &Plan, basis: &Basis, evicts: bool) {
    let now = basis.now();
    let nodes = plan.nodes();
    let elsewhere = plan.victims.iter().any(|victim| nodes != [victim.node.as_str()]);
    let violated = if evicts { "waits" } else { "violated" };
    let mut rows: Vec<Vec<Span>> = Vec::new();
    for (index, victim) in plan.victims.iter().enumerate() {
        rows.push(row(index + 1, victim, elsewhere, violated, basis));
    }
    if rows.is_empty() {
        return;
    }
    page.table(2, victim_columns(elsewhere), rows);
    let free = words::age(plan.seconds_to_room(now));
    // Of pods that are already being deleted, nothing has to be evicted first.
    let terminating = plan.victims.iter().all(|victim| victim.terminating_until.is_some());
    let from = if terminating { "" } else { " of the evictions" };
    page.quiet(
        2,
        format!("room is free within {free}{from}, unless a finalizer or kubelet delays it"),
    );
    if !plan.tied.is_empty() {
        let text = format!("kube-scheduler may also pick {}", places(&plan.tied));
        page.line(2, vec![text.into()]);
    }
    for victim in &plan.victims {
        for hazard in &victim.hazards {
            let flag = hazard
                .waived_by()
                .map_or_else(String::new, |waiver| format!("; --apply needs {}", flag_of(waiver)));
            page.warning(format!("{} {}{flag}", victim.pod.full_name(), hazard.text()));
        }
    }
}

/// The columns of [`row`].
fn victim_columns(with_node: bool) -> Vec<Column> {
    let mut columns = vec![Column::new("#"), Column::new("VICTIM").pods(28)];
    if with_node {
        columns.push(Column::new("NODE").nodes(14));
    }
    columns.extend([
        Column::new("PRIORITY").dropped(2),
        Column::new("STOPS IN").dropped(1),
        Column::new("OWNER").names(16).dropped(4),
        Column::new("PDB ALLOWS").names(16).dropped(3),
        Column::new("THEN").prose(18),
    ]);
    columns
}

fn row(
    number: usize,
    victim: &PlannedVictim,
    with_node: bool,
    if_violated: &str,
    basis: &Basis,
) -> Vec<Span> {
    // From the outermost owner to the one of the pod, as they are read.
    let owners: Vec<String> = victim.owners.iter().rev().map(ToString::to_string).collect();
    let owner = if owners.is_empty() { "-".to_owned() } else { owners.join(" > ") };
    let mut budgets: Vec<String> = Vec::new();
    for budget in &victim.budgets {
        let (name, before) = (&budget.name, budget.before);
        budgets.push(if budget.is_violated() {
            format!("{name}: {}, {if_violated}", before.max(0))
        } else {
            format!("{name}: {before} > {}", budget.after)
        });
    }
    let violated = victim.budgets.iter().any(BudgetUse::is_violated);
    let budgets =
        if budgets.is_empty() { basis.no_budget().to_owned() } else { budgets.join(", ") };
    let mut stops = words::age(victim.seconds_to_stop(basis.now()));
    if victim.terminating_until.is_some() {
        stops.push_str(" (terminating)");
    }
    let node = with_node.then(|| victim.node.as_str().into());
    let rest = [
        victim.priority.to_string().into(),
        stops.into(),
        owner.into(),
        Span::new(budgets, if violated { Tone::Bad } else { Tone::Plain }),
        victim.afterwards.text().into(),
    ];
    [number.to_string().into(), victim.pod.full_name().into()]
        .into_iter()
        .chain(node)
        .chain(rest)
        .collect()
}

/// The section about the replacements of victims.
fn cascade(page: &mut Page, simulation: &Simulation, extent: Extent) {
    if simulation.cascade.is_empty() && simulation.not_followed == 0 {
        return;
    }
    page.section("Replacements of the victims");
    for step in &simulation.cascade {
        let who = format!("{} (priority {}) ", name(&step.id), step.priority);
        let (standing, clause) = step::replacement(step, extent);
        let (_, tone) = Sign::of(standing);
        page.item(2 * step.depth, vec![who.into(), Span::new(clause, tone)]);
    }
    not_followed(page, simulation);
}

/// How many replacements were not followed.
fn not_followed(page: &mut Page, simulation: &Simulation) {
    if simulation.not_followed > 0 {
        let more = words::count(simulation.not_followed, "more replacement");
        page.quiet(2, format!("and {more}, not followed"));
    }
}

#[cfg(test)]
mod tests;

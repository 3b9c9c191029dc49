//! A simulation of many pods: the outcome for all of them in a line, then tables by pod, owner and
//! reason.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::{NODES_NAMED, in_short, members, name, names_of, places};
use crate::extent::{ALL_SHOWS_IT, Extent};
use crate::page::{Column, Page, Span, Tone};
use crate::words;
use engine::simulation::hazard::Hazard;
use engine::simulation::plan::{BudgetUse, PlannedVictim, PreemptorId};
use engine::simulation::planning::Proposal;
use engine::simulation::sequence::{Simulation, Step, Totals};

/// Maximum number of pods with a paragraph each.
const FEW: usize = 5;
/// Maximum number of pods named in a row of several.
const NAMED: usize = 2;

/// Whether there are too many pods for a paragraph each.
pub(super) fn is_long(simulation: &Simulation) -> bool {
    simulation.steps.len() > FEW
}

/// `30 of 30 pods placed by evicting 97 pods; of 101 replacements 84 stay pending`.
pub(super) fn line(simulation: &Simulation) -> String {
    let Totals { pods, placed, evicted, .. } = simulation.totals();
    if pods == 0 {
        return "the manifests make no pods".to_owned();
    }
    let how = match evicted {
        0 if placed > 0 => " without evictions".to_owned(),
        0 => String::new(),
        evicted => format!(" by evicting {}", words::count(evicted, "pod")),
    };
    let of = format!("{} of {}", words::group_digits(placed), words::count(pods, "pod"));
    format!("{of} placed{how}{}", replacements(simulation))
}

/// `; of 101 replacements 84 stay pending`.
pub(super) fn replacements(simulation: &Simulation) -> String {
    let Totals { replacements, replacements_pending, .. } = simulation.totals();
    let followed = replacements - simulation.not_followed;
    let unknown = match simulation.not_followed {
        0 => String::new(),
        rest => format!(", {} not followed", words::group_digits(rest)),
    };
    match (replacements, replacements_pending) {
        (0, _) => String::new(),
        (_, 0) if followed == 0 => {
            format!("; {}{unknown}", words::count(replacements, "replacement"))
        }
        (1, 0) => format!("; the replacement gets a node{unknown}"),
        (all, 0) => format!(
            "; of {} replacements all that are followed get nodes{unknown}",
            words::group_digits(all)
        ),
        (all, 1) => format!("; of {} 1 stays pending{unknown}", words::count(all, "replacement")),
        (all, pending) => {
            format!(
                "; of {} {} stay pending{unknown}",
                words::count(all, "replacement"),
                words::group_digits(pending)
            )
        }
    }
}

/// The tables: pods that are placed, pods that are not, evicted pods by owner.
pub(super) fn tables(
    page: &mut Page,
    simulation: &Simulation,
    now: Timestamp,
    evicts: bool,
    extent: Extent,
) {
    placed(page, simulation, extent);
    pending(page, simulation, extent);
    evicted(page, simulation, now, evicts, extent);
}

fn heading(page: &mut Page, text: &str) {
    page.gap();
    page.heading(text.to_owned());
}

/// Says how many rows are not shown.
fn left_out(page: &mut Page, rest: usize, what: &str) {
    if rest > 0 {
        page.left_out_but(2, words::count(rest, what), ALL_SHOWS_IT);
    }
}

fn placed(page: &mut Page, simulation: &Simulation, extent: Extent) {
    let steps: Vec<&Step> = simulation.steps.iter().filter(|step| step.is_placed()).collect();
    if steps.is_empty() {
        return;
    }
    let row = |step: &&Step| {
        let (nodes, evicts) = match &step.proposal {
            Proposal::Fits(nodes) => (places(nodes), String::new()),
            Proposal::GroupFits(placed) => (names_of(placed), String::new()),
            Proposal::Evict(plan) => {
                let names: Vec<String> =
                    plan.victims.iter().map(|victim| victim.pod.full_name()).collect();
                (names_of(&plan.placed), words::list(&names, NODES_NAMED))
            }
            Proposal::Awaits(plan) => {
                (names_of(&plan.placed), "its victims are terminating".to_owned())
            }
            Proposal::Impossible(_) | Proposal::Unknown(_) => (String::new(), String::new()),
        };
        let tone = if evicts.is_empty() { Tone::Plain } else { Tone::Bad };
        let evicts = if evicts.is_empty() { "-".to_owned() } else { evicts };
        let pod = match (&step.id, &step.proposal) {
            (PreemptorId::Group(_), Proposal::GroupFits(placed)) => {
                format!("{} ({})", name(&step.id), members(step, placed))
            }
            _ => name(&step.id),
        };
        vec![pod.into(), step.priority.to_string().into(), nodes.into(), Span::new(evicts, tone)]
    };
    let shown = extent.shown(steps.len());
    heading(page, "Placed, in queue order");
    let columns = [
        Column::new("POD").pods(24),
        Column::new("PRIORITY").dropped(1),
        Column::new("NODE").nodes(14),
        Column::new("EVICTS").prose(12),
    ];
    page.table(2, columns, steps.iter().take(shown).map(row).collect());
    left_out(page, steps.len() - shown, "more pod");
}

/// Pods that get no node, by reason.
fn pending(page: &mut Page, simulation: &Simulation, extent: Extent) {
    let mut by_reason: Vec<(String, Vec<String>)> = Vec::new();
    for step in simulation.steps.iter().filter(|step| !step.is_placed()) {
        let why = match (&step.proposal, step.gates.as_slice()) {
            (_, [gate, ..]) => format!("scheduling gate {gate}"),
            (Proposal::Impossible(why), []) => in_short(why).to_owned(),
            (Proposal::Unknown(why), []) => format!("not known: {why}"),
            _ => String::new(),
        };
        match by_reason.iter_mut().find(|(known, _)| *known == why) {
            Some((_, pods)) => pods.push(name(&step.id)),
            None => by_reason.push((why, vec![name(&step.id)])),
        }
    }
    if by_reason.is_empty() {
        return;
    }
    let shown = extent.shown(by_reason.len());
    let named = if extent.is_all() { usize::MAX } else { NAMED };
    let rows = by_reason.iter().take(shown).map(|(why, pods)| {
        let number = Span::new(words::group_digits(pods.len()), Tone::Bad);
        vec![number, words::list(pods, named).into(), why.as_str().into()]
    });
    heading(page, "Stay pending");
    let columns =
        [Column::new("PODS"), Column::new("WHICH").names(24), Column::new("WHY").prose(24)];
    page.table(2, columns, rows.collect());
    left_out(page, by_reason.len() - shown, "more reason");
}

/// Evicted pods of one owner.
#[derive(Default)]
struct EvictedPods<'s> {
    victims: Vec<&'s PlannedVictim>,
}

impl EvictedPods<'_> {
    /// `-10`, `-10..1000`.
    fn priorities(&self) -> String {
        let priorities = || self.victims.iter().map(|victim| victim.priority);
        match (priorities().min(), priorities().max()) {
            (Some(least), Some(most)) if least < most => format!("{least}..{most}"),
            (Some(least), _) => least.to_string(),
            (None, _) => String::new(),
        }
    }

    /// `web: 2 of 3 violated`, `web`, `-`.
    fn budgets(&self, if_violated: &str) -> Span {
        let mut uses: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for used in self.victims.iter().flat_map(|victim| &victim.budgets) {
            let (all, violated) = uses.entry(&used.name).or_default();
            *all += 1;
            *violated += usize::from(BudgetUse::is_violated(used));
        }
        let text: Vec<String> = uses
            .iter()
            .map(|(name, (all, violated))| match violated {
                0 => (*name).to_owned(),
                violated => format!("{name}: {violated} of {all} {if_violated}"),
            })
            .collect();
        let tone =
            if uses.values().any(|(_, violated)| *violated > 0) { Tone::Bad } else { Tone::Plain };
        Span::new(if text.is_empty() { "-".to_owned() } else { text.join(", ") }, tone)
    }
}

fn evicted(page: &mut Page, simulation: &Simulation, now: Timestamp, evicts: bool, extent: Extent) {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut by_owner: BTreeMap<String, EvictedPods> = BTreeMap::new();
    let plans = simulation.steps.iter().filter_map(|step| step.proposal.plan());
    for victim in
        plans.flat_map(|plan| &plan.victims).filter(|victim| victim.terminating_until.is_none())
    {
        if seen.insert(victim.pod.full_name()) {
            by_owner.entry(owner(victim)).or_default().victims.push(victim);
        }
    }
    if by_owner.is_empty() {
        return;
    }
    let if_violated = if evicts { "wait" } else { "violated" };
    let mut owners: Vec<(String, EvictedPods)> = by_owner.into_iter().collect();
    owners.sort_by_key(|(_, pods)| std::cmp::Reverse(pods.victims.len()));
    let shown = extent.shown(owners.len());
    let rows = owners.iter().take(shown).map(|(owner, pods)| {
        let stops =
            pods.victims.iter().map(|victim| victim.seconds_to_stop(now)).max().unwrap_or_default();
        let then = pods.victims.first().map(|victim| victim.afterwards.text()).unwrap_or_default();
        vec![
            owner.as_str().into(),
            words::group_digits(pods.victims.len()).into(),
            pods.priorities().into(),
            words::age(stops).into(),
            pods.budgets(if_violated),
            then.into(),
        ]
    });
    heading(page, "Evicted, by owner");
    let columns = [
        Column::new("OWNER").names(32),
        Column::new("PODS"),
        Column::new("PRIORITY").dropped(1),
        Column::new("STOP IN").dropped(3),
        Column::new("BUDGETS").names(12).dropped(2),
        Column::new("THEN").prose(18),
    ];
    page.table(2, columns, rows.collect());
    left_out(page, owners.len() - shown, "more owner");

    let hazards = owners
        .iter()
        .flat_map(|(_, pods)| &pods.victims)
        .filter(|victim| victim.hazards.iter().any(|hazard| !matches!(hazard, Hazard::Guarded(_))))
        .count();
    if hazards > 0 {
        let (pods, need) =
            (words::count(hazards, "victim"), if hazards == 1 { "needs" } else { "need" });
        let text =
            format!("{pods} {need} care (no controller, local data, …): simulate POD says which");
        page.line(2, vec![Span::new("! ", Tone::Bad), text.into()]);
    }
}

/// What owns a victim: `Deployment shop/web`, `Job data/report-*`, `Pod shop/bare`.
fn owner(victim: &PlannedVictim) -> String {
    let namespace = &victim.pod.namespace;
    match victim.owners.last() {
        None => format!("Pod {}", victim.pod.full_name()),
        Some(owner) => match words::schedule_of_job(&owner.name).filter(|_| owner.kind == "Job") {
            Some(stem) => format!("Job {namespace}/{stem}-*"),
            None => format!("{} {namespace}/{}", owner.kind, owner.name),
        },
    }
}

/// The replacements of one owner, by outcome.
#[derive(Default)]
struct Replacements {
    all: usize,
    fit: usize,
    evict: usize,
    pending: usize,
}

/// The replacements by owner, with the number of each outcome.
pub(super) fn cascade(page: &mut Page, simulation: &Simulation, extent: Extent) {
    if simulation.cascade.is_empty() && simulation.not_followed == 0 {
        return;
    }
    let steps = simulation.steps.iter().chain(&simulation.cascade);
    let planned = steps.filter_map(|step| step.proposal.plan()).flat_map(|plan| &plan.victims);
    let drained = simulation.drains.iter().flat_map(|drain| &drain.victims);
    let owners: BTreeMap<String, String> =
        planned.chain(drained).map(|victim| (victim.pod.full_name(), owner(victim))).collect();

    let mut by_owner: BTreeMap<String, Replacements> = BTreeMap::new();
    for step in &simulation.cascade {
        let pod = step.id.full_name();
        let found = by_owner
            .entry(owners.get(&pod).cloned().unwrap_or_else(|| name(&step.id)))
            .or_default();
        found.all += 1;
        match &step.proposal {
            Proposal::Fits(_) | Proposal::GroupFits(_) | Proposal::Awaits(_) => found.fit += 1,
            Proposal::Evict(_) => found.evict += 1,
            Proposal::Impossible(_) | Proposal::Unknown(_) => found.pending += 1,
        }
    }
    let mut by_owner: Vec<(String, Replacements)> = by_owner.into_iter().collect();
    by_owner.sort_by_key(|(_, found)| std::cmp::Reverse((found.pending, found.all)));
    let shown = extent.shown(by_owner.len());
    let cell = |number: usize, tone| {
        let tone = if number == 0 { Tone::Plain } else { tone };
        Span::new(words::group_digits(number), tone)
    };
    let rows = by_owner.iter().take(shown).map(|(owner, found)| {
        vec![
            owner.as_str().into(),
            cell(found.all, Tone::Plain),
            cell(found.fit, Tone::Good),
            cell(found.evict, Tone::Bad),
            cell(found.pending, Tone::Bad),
        ]
    });
    heading(page, "Replacements of the victims, by owner");
    let columns = [
        Column::new("OWNER").names(32),
        Column::new("PODS"),
        Column::new("FIT"),
        Column::new("EVICT OTHERS"),
        Column::new("STAY PENDING"),
    ];
    page.table(2, columns, rows.collect());
    left_out(page, by_owner.len() - shown, "more owner");
    if simulation.not_followed > 0 {
        let text = format!(
            "and {}, not followed",
            words::count(simulation.not_followed, "more replacement")
        );
        page.line(2, vec![Span::new(text, Tone::Quiet)]);
    }
}

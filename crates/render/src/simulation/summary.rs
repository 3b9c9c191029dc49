//! A simulation of many pods: the outcome for all of them in a line, then tables by pod, owner and
//! reason.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;
use jiff::Timestamp;

use super::{NODES_NAMED, members, name, names_of, not_followed, places, victim_names};
use crate::page::{Column, Page, Span, Tone};
use answers::extent::{ALL_SHOWS_IT, Extent};
use answers::words;
use engine::simulation::hazard::Hazard;
use engine::simulation::plan::{BudgetUse, PlannedVictim, PreemptorId};
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
            (names_of(&plan.placed), words::list(&victim_names(plan), NODES_NAMED))
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
    // Pods that wait for the same reason share a row; a gate is a reason before any other.
    let mut by_reason: IndexMap<String, Vec<String>> = IndexMap::new();
    for step in simulation.steps.iter().filter(|step| !step.is_placed()) {
        let why = match (&step.proposal, step.gates.as_slice()) {
            (_, [gate, ..]) => format!("scheduling gate {gate}"),
            (Proposal::Impossible(why), []) => words::without_preemption(why).to_owned(),
            (Proposal::Unknown(why), []) => format!("not known: {why}"),
            _ => String::new(),
        };
        by_reason.entry(why).or_default().push(name(&step.id));
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
    page.section("Stay pending");
    let columns =
        [Column::new("PODS"), Column::new("WHICH").names(24), Column::new("WHY").prose(24)];
    page.table(2, columns, rows.collect());
    page.left_out_but(2, by_reason.len() - shown, "reason", ALL_SHOWS_IT);
}

/// Evicted pods of one owner.
struct EvictedPods<'s> {
    owner: String,
    victims: Vec<&'s PlannedVictim>,
}

impl<'s> EvictedPods<'s> {
    /// The victims of all plans by owner, those with the most victims first.
    fn by_owner(simulation: &'s Simulation) -> Vec<Self> {
        let plans = simulation.steps.iter().filter_map(|step| step.proposal.plan());
        // Several plans may count on the same pod.
        let mut seen: BTreeSet<String> = BTreeSet::new();
        let mut victims: BTreeMap<String, Vec<&PlannedVictim>> = BTreeMap::new();
        for victim in plans.flat_map(|plan| &plan.victims) {
            if victim.terminating_until.is_none() && seen.insert(victim.pod.full_name()) {
                victims.entry(owner(victim)).or_default().push(victim);
            }
        }
        let owners = victims.into_iter().map(|(owner, victims)| Self { owner, victims });
        let mut owners: Vec<Self> = owners.collect();
        owners.sort_by_key(|pods| Reverse(pods.victims.len()));
        owners
    }

    fn row(&self, if_violated: &str, now: Timestamp) -> Vec<Span> {
        let stops = self.victims.iter().map(|victim| victim.seconds_to_stop(now)).max();
        let then = self.victims.first().map(|victim| victim.afterwards.text());
        vec![
            self.owner.as_str().into(),
            words::group_digits(self.victims.len()).into(),
            self.priorities().into(),
            words::age(stops.unwrap_or_default()).into(),
            self.budgets(if_violated),
            then.unwrap_or_default().into(),
        ]
    }

    /// `-10`, `-10..1000`.
    fn priorities(&self) -> String {
        let priorities = self.victims.iter().map(|victim| victim.priority);
        match (priorities.clone().min(), priorities.max()) {
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
    let owners = EvictedPods::by_owner(simulation);
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
    let rows = owners.iter().take(shown).map(|pods| pods.row(if_violated, now));
    page.table(2, columns, rows.collect());
    page.left_out_but(2, owners.len() - shown, "owner", ALL_SHOWS_IT);

    // An annotation only asks other programs not to evict the pod; the other hazards are losses.
    let victims = owners.iter().flat_map(|pods| &pods.victims);
    let needing_care = victims
        .filter(|victim| victim.hazards.iter().any(|hazard| !matches!(hazard, Hazard::Guarded(_))));
    let hazards = needing_care.count();
    if hazards > 0 {
        let need = if hazards == 1 { "needs" } else { "need" };
        page.warning(format!(
            "{} {need} care (no controller, local data, …): simulate POD says which",
            words::count(hazards, "victim")
        ));
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

impl Replacements {
    fn row(&self, owner: &str) -> Vec<Span> {
        vec![
            owner.into(),
            number(self.all, Tone::Plain),
            number(self.fit, Tone::Good),
            number(self.evict, Tone::Bad),
            number(self.pending, Tone::Bad),
        ]
    }
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
    // A replacement has the name of its victim, and so that pod's owner.
    let steps = simulation.steps.iter().chain(&simulation.cascade);
    let planned = steps.filter_map(|step| step.proposal.plan()).flat_map(|plan| &plan.victims);
    let owners: BTreeMap<String, String> =
        planned.map(|victim| (victim.pod.full_name(), owner(victim))).collect();

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
    by_owner.sort_by_key(|(_, found)| Reverse((found.pending, found.all)));
    let shown = extent.shown(by_owner.len());
    let rows = by_owner.iter().take(shown).map(|(owner, found)| found.row(owner));
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

//! The pods of a simulation by what they share: the reason for which they stay pending, or their owner.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use engine::simulation::hazard::Hazard;
use engine::simulation::plan::PlannedVictim;
use engine::simulation::planning::Proposal;
use engine::simulation::sequence::Simulation;
use indexmap::IndexMap;

use super::step::name;
use crate::words;

/// The pods and groups that get no node, by reason. A gate is a reason before any other.
pub fn pending_by_reason(simulation: &Simulation) -> IndexMap<String, Vec<String>> {
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
    by_reason
}

/// Evicted pods of one owner.
#[derive(Debug)]
pub struct EvictedPods<'s> {
    /// `Deployment shop/web`, `Job data/report-*`, `Pod shop/bare`.
    pub owner: String,
    pub victims: Vec<&'s PlannedVictim>,
}

/// How often victims use a budget, and how often that violates it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BudgetUses {
    pub all: usize,
    pub violated: usize,
}

impl<'s> EvictedPods<'s> {
    /// The victims of all plans by owner, those with the most victims first.
    pub fn by_owner(simulation: &'s Simulation) -> Vec<Self> {
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

    /// `-10`, `-10..1000`.
    pub fn priorities(&self) -> String {
        let priorities = self.victims.iter().map(|victim| victim.priority);
        match (priorities.clone().min(), priorities.max()) {
            (Some(least), Some(most)) if least < most => format!("{least}..{most}"),
            (Some(least), _) => least.to_string(),
            (None, _) => String::new(),
        }
    }

    /// The budgets that select them, by name.
    pub fn budgets(&self) -> BTreeMap<&str, BudgetUses> {
        let mut budgets: BTreeMap<&str, BudgetUses> = BTreeMap::new();
        for used in self.victims.iter().flat_map(|victim| &victim.budgets) {
            let uses = budgets.entry(&used.name).or_default();
            uses.all += 1;
            uses.violated += usize::from(used.is_violated());
        }
        budgets
    }

    /// How many of them lose something when they are evicted. An annotation only asks other programs
    /// not to evict the pod; the other hazards are losses.
    pub fn needing_care(&self) -> usize {
        let is_loss = |hazard: &Hazard| !matches!(hazard, Hazard::Guarded(_));
        self.victims.iter().filter(|victim| victim.hazards.iter().any(is_loss)).count()
    }
}

/// What owns a victim. Jobs of a CronJob share a name.
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
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Replacements {
    pub owner: String,
    pub all: usize,
    pub fit: usize,
    pub evict: usize,
    pub pending: usize,
}

impl Replacements {
    /// Those of a simulation, the owner with the most pending ones first.
    pub fn by_owner(simulation: &Simulation) -> Vec<Self> {
        // A replacement has the name of its victim, and so that pod's owner.
        let steps = simulation.steps.iter().chain(&simulation.cascade);
        let planned = steps.filter_map(|step| step.proposal.plan()).flat_map(|plan| &plan.victims);
        let owners: BTreeMap<String, String> =
            planned.map(|victim| (victim.pod.full_name(), owner(victim))).collect();

        let mut by_owner: BTreeMap<String, Self> = BTreeMap::new();
        for step in &simulation.cascade {
            let owner = owners.get(&step.id.full_name()).cloned();
            let owner = owner.unwrap_or_else(|| name(&step.id));
            let found = by_owner.entry(owner.clone()).or_insert(Self { owner, ..Self::default() });
            found.all += 1;
            match &step.proposal {
                Proposal::Fits(_) | Proposal::GroupFits(_) | Proposal::Awaits(_) => found.fit += 1,
                Proposal::Evict(_) => found.evict += 1,
                Proposal::Impossible(_) | Proposal::Unknown(_) => found.pending += 1,
            }
        }
        let mut by_owner: Vec<Self> = by_owner.into_values().collect();
        by_owner.sort_by_key(|found| Reverse((found.pending, found.all)));
        by_owner
    }
}

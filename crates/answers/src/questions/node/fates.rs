//! Where the pods of a drained node go, by owner: what a person reads who does not want a line per
//! pod.

use std::collections::{BTreeMap, BTreeSet};

use engine::simulation::planning::Proposal;
use engine::simulation::removal::outcomes::{DrainOutcome, Holds};
use engine::simulation::removal::reasons::RemovalObstacle;
use engine::simulation::removal::{NodeRemoval, step_of};
use engine::simulation::sequence::play::DrainedPod;

/// How it ends for a pod that has to leave, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    /// Its replacement fits on another node.
    Fits,
    /// Its replacement gets a node by evicting other pods.
    Preempts,
    /// Its replacement stays Pending.
    Pending,
    /// The eviction API refuses its eviction, or it does not end.
    Stays,
    /// Nothing makes it again.
    Lost,
    /// It is not known.
    Unknown,
    /// It is ending already.
    Ends,
}

impl Fate {
    pub const ALL: [Self; 7] = [
        Self::Fits,
        Self::Preempts,
        Self::Pending,
        Self::Stays,
        Self::Lost,
        Self::Unknown,
        Self::Ends,
    ];

    pub fn of(pod: &DrainedPod, node: &NodeRemoval) -> Self {
        let evicts = step_of(&node.play, &pod.victim.pod).is_some_and(
            |step| matches!(&step.proposal, Proposal::Evict(plan) if !plan.victims.is_empty()),
        );
        match DrainOutcome::of(pod, &node.play) {
            DrainOutcome::Moves if evicts => Self::Preempts,
            DrainOutcome::Moves => Self::Fits,
            DrainOutcome::NoNode => Self::Pending,
            DrainOutcome::ComesBack | DrainOutcome::Refused | DrainOutcome::Stuck => Self::Stays,
            DrainOutcome::NotRecreated => Self::Lost,
            DrainOutcome::Unknown => Self::Unknown,
            DrainOutcome::Ends => Self::Ends,
        }
    }
}

/// Pods of one owner with the same fate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FateOfPods {
    /// The topmost owner, `ns/name`; a single pod by its own name.
    pub name: String,
    pub fate: Fate,
    /// The pods, in the order of their evictions.
    pub pods: Vec<String>,
    /// The nodes that they may get, those of the usual order first.
    pub nodes: Vec<String>,
    /// Whether other nodes accept them, too.
    pub elsewhere: bool,
    /// The budgets that refuse an eviction at first or throughout, by name.
    pub budgets: BTreeSet<String>,
    /// The pods that their replacements evict, `ns/name`, each once.
    pub evicts: Vec<String>,
    /// The scheduler's message, or what is not known.
    pub why: Option<String>,
    /// What else may happen to some of them in another order.
    pub otherwise: BTreeSet<DrainOutcome>,
}

/// The pods of a node by owner and fate, in the order of the first eviction of each.
pub fn of(node: &NodeRemoval) -> Vec<FateOfPods> {
    let mut rows: Vec<FateOfPods> = Vec::new();
    let mut row_of: BTreeMap<(String, Fate, Option<String>), usize> = BTreeMap::new();
    for pod in &node.play.pods {
        let (own, fate) = (pod.victim.pod.full_name(), Fate::of(pod, node));
        let owner = pod.victim.owners.last().map_or_else(
            || own.clone(),
            |owner| format!("{}/{}", pod.victim.pod.namespace, owner.name),
        );
        let proposal = step_of(&node.play, &pod.victim.pod).map(|step| &step.proposal);
        let why = match proposal {
            Some(Proposal::Impossible(why) | Proposal::Unknown(why)) => Some(why.clone()),
            _ => None,
        };
        let index = *row_of.entry((owner.clone(), fate, why.clone())).or_insert_with(|| {
            rows.push(FateOfPods {
                name: owner,
                fate,
                pods: Vec::new(),
                nodes: Vec::new(),
                elsewhere: false,
                budgets: BTreeSet::new(),
                evicts: Vec::new(),
                why,
                otherwise: BTreeSet::new(),
            });
            rows.len() - 1
        });
        if let Some(row) = rows.get_mut(index) {
            row.add(pod, proposal, node, own);
        }
    }
    for row in &mut rows {
        if let [only] = row.pods.as_slice() {
            row.name.clone_from(only);
        }
    }
    rows
}

impl FateOfPods {
    fn add(
        &mut self,
        pod: &DrainedPod,
        proposal: Option<&Proposal>,
        node: &NodeRemoval,
        own: String,
    ) {
        if let Some(places) = node.places.get(&own) {
            let new = places.nodes.iter().filter(|place| !self.nodes.contains(place));
            let new: Vec<String> = new.cloned().collect();
            self.nodes.extend(new);
            self.elsewhere |= !places.also_possible.is_empty();
        }
        let budgets = pod.refusal().into_iter().flat_map(|refused| &refused.budgets);
        self.budgets.extend(budgets.map(|budget| budget.name.clone()));
        if let Some(Proposal::Evict(plan)) = proposal {
            // A replacement of a victim has its name, and may be evicted in its turn.
            for victim in plan.victims.iter().map(|victim| victim.pod.full_name()) {
                if !self.evicts.contains(&victim) {
                    self.evicts.push(victim);
                }
            }
        }
        self.otherwise.extend(node.other_outcomes.get(&own).into_iter().flatten());
        self.pods.push(own);
    }
}

/// What keeps a drain from ending well.
#[derive(Debug, Clone, Default)]
pub struct Outlook<'n> {
    /// How many pods stay Pending in every order tried.
    pub pending: usize,
    /// How many more may stay Pending in some of them.
    pub pending_by_timing: usize,
    /// What keeps the drain itself from ending, or is not known of it.
    pub blockers: Vec<&'n RemovalObstacle>,
}

impl<'n> Outlook<'n> {
    pub fn of(node: &'n NodeRemoval) -> Self {
        let mut outlook = Self::default();
        for obstacle in &node.obstacles {
            match (&obstacle.reason, obstacle.holds) {
                (RemovalObstacle::NoNode { .. }, Holds::SomeOrders) => {
                    outlook.pending_by_timing += 1;
                }
                (RemovalObstacle::NoNode { .. }, _) => outlook.pending += 1,
                (reason, _) => outlook.blockers.push(reason),
            }
        }
        outlook
    }

    /// Whether `kubectl drain` ends, although pods stay Pending.
    pub fn drains(&self) -> bool {
        self.blockers.is_empty()
    }
}

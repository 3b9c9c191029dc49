//! Every result that a group's cycle may have: kube-scheduler takes any of the nodes and topology
//! domains that are as good, and evicts any of the units that are as important.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::choices::{Choices, alike};
use super::messages::FOUND;
use super::preemption::possible::{self, PossibleVictims};
use super::{GroupDecision, GroupOutcome};
use crate::framework::cluster_view::ClusterView;
use crate::preemption::victim_choices::VictimCount;
use model::cluster::{Cluster, GroupIx, NodeIx, PodIx, Sym};

/// Maximum number of runs of a cycle.
pub(super) const MOST_RUNS: usize = 128;
/// Maximum number of nodes that pods are tried on over all runs but the first.
pub(super) const MOST_LOOKED_AT: usize = 60_000;

/// One result of a cycle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PossibleOutcome {
    pub outcome: GroupOutcome,
    /// The waiting pods that get a node, now or once the victims are gone.
    pub placed: Vec<(PodIx, NodeIx)>,
    /// What may be evicted, for each order of budgets; empty if nothing is.
    pub victims: Vec<PossibleVictims>,
}

/// The results of which one happens.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PossibleOutcomes {
    /// The one that is shown, then the others. Pods that are alike may also change places.
    pub all: Vec<PossibleOutcome>,
    /// Whether these are all.
    pub complete: bool,
    /// Whether others are possible that no choice among equals leads to.
    pub has_unlisted: bool,
    /// What may be written about each pod.
    texts: BTreeMap<PodIx, BTreeSet<String>>,
}

/// Runs the cycle of a group without parents once for each path through its choices. Returns the
/// decision of the first path, with the outcomes of all.
pub(super) fn decide<'c>(
    view: &'c ClusterView<'c>,
    group: GroupIx,
    now: Timestamp,
) -> GroupDecision<'c> {
    let mut choices = Choices::default();
    let mut first = GroupDecision::nothing(view, group, now);
    first.run(&mut choices);
    if !view.profile.features.pod_groups.gangs_end_early {
        return first;
    }
    let mut outcomes = PossibleOutcomes::none_yet();
    outcomes.add_result(&first);
    let (domains, looked_at) = (domains(&first), looked_at(&first));
    let mut runs = 1;
    while choices.next_path() {
        if runs == MOST_RUNS || looked_at.saturating_mul(runs) > MOST_LOOKED_AT {
            outcomes.complete = false;
            break;
        }
        runs += 1;
        let mut other = GroupDecision::nothing(view, group, now);
        other.run(&mut choices);
        outcomes.add_result(&other);
        // Domains are varied one at a time. That is enough unless what is varied within them
        // decides which one wins.
        outcomes.complete &= self::domains(&other) == domains;
    }
    outcomes.complete &= !choices.is_sampled && !choices.is_unlisted;
    outcomes.has_unlisted = choices.is_unlisted;
    first.outcomes = outcomes;
    first
}

/// How many nodes a run looks at.
fn looked_at(decision: &GroupDecision) -> usize {
    let searches = decision.placements.len().max(1) + usize::from(decision.preemption.is_some());
    let tries = decision.members.waiting.len().saturating_mul(searches);
    tries.saturating_mul(decision.view.cluster.nodes.len())
}

/// Each topology domain with its score, and whether enough pods fit.
fn domains(decision: &GroupDecision) -> Vec<(Sym, Option<i64>, bool)> {
    let placements = decision.placements.iter();
    placements.map(|tried| (tried.domain, tried.score, tried.message.is_none())).collect()
}

impl PossibleOutcomes {
    /// Before the first run of a search for all.
    pub(super) fn none_yet() -> Self {
        Self { complete: true, ..Self::default() }
    }

    pub(super) fn add_result(&mut self, decision: &GroupDecision) {
        let plan = decision.plan();
        self.complete &= plan.is_none_or(|plan| plan.possible_complete);
        let victims = plan.map_or_else(Vec::new, |plan| plan.possible.clone());
        let counts: BTreeSet<usize> = victims.iter().flat_map(PossibleVictims::counts).collect();

        // The text about a pod gives the number of victims, which an order may decide.
        let cluster = decision.view.cluster;
        let number = |count: usize| FOUND.with([&count.to_string()]).render(cluster).into_owned();
        for written in &decision.written {
            let Some((_, text)) = &written.condition else { continue };
            let texts = self.texts.entry(written.pod).or_default();
            texts.insert(text.clone());
            if let Some(plan) = plan {
                let own = number(plan.victims.len());
                texts.extend(counts.iter().map(|count| text.replace(&own, &number(*count))));
            }
        }

        let outcome = decision.outcome.clone();
        let placed = decision.nodes_of_members();
        self.add(PossibleOutcome { outcome, placed, victims }, cluster);
    }

    /// Adds an outcome, unless it is one that is already there with pods that have changed places.
    fn add(&mut self, outcome: PossibleOutcome, cluster: &Cluster) {
        let key = |outcome: &PossibleOutcome| {
            let mut kinds: Vec<(PodIx, NodeIx)> = Vec::with_capacity(outcome.placed.len());
            for (pod, node) in &outcome.placed {
                let like = outcome.placed.iter().find(|(other, _)| alike(*other, *pod, cluster));
                kinds.push((like.map_or(*pod, |(other, _)| *other), *node));
            }
            kinds.sort_unstable();
            kinds
        };
        let own = key(&outcome);
        let is_same = |other: &PossibleOutcome| {
            other.outcome == outcome.outcome
                && other.victims == outcome.victims
                && key(other) == own
        };
        if !self.all.iter().any(is_same) {
            self.all.push(outcome);
        }
    }

    /// Adds the outcomes of a cycle that happens if another one than the first ends otherwise.
    pub(super) fn add_all(&mut self, others: &Self, cluster: &Cluster) {
        self.complete &= others.complete;
        for outcome in &others.all {
            self.add(outcome.clone(), cluster);
        }
    }

    /// Whether more than one result is possible.
    pub fn is_open(&self) -> bool {
        let sets: usize = self.all.iter().map(|outcome| outcome.victims.len()).sum();
        self.all.len() > 1 || sets > 1 || self.victims().any(|victims| !victims.open.is_empty())
    }

    fn victims(&self) -> impl Iterator<Item = &PossibleVictims> {
        self.all.iter().flat_map(|outcome| &outcome.victims)
    }

    /// Whether the outcome itself is one of several.
    pub fn kinds(&self) -> BTreeSet<&'static str> {
        self.all.iter().map(|outcome| outcome.outcome.name()).collect()
    }

    /// The pods that every outcome evicts.
    pub fn always(&self) -> BTreeSet<PodIx> {
        let mut of_outcomes = self.all.iter().flat_map(PossibleOutcome::sets_of_always);
        let first = of_outcomes.next().unwrap_or_default();
        of_outcomes.fold(first, |always, other| &always & &other)
    }

    /// The pods that some but not all outcomes evict.
    pub fn among(&self) -> BTreeSet<PodIx> {
        let any: BTreeSet<PodIx> = self.victims().flat_map(PossibleVictims::any).collect();
        &any - &self.always()
    }

    /// The number of victims.
    pub fn victim_count(&self) -> VictimCount {
        possible::range(&self.all.iter().flat_map(PossibleOutcome::counts).collect())
    }

    /// Every set of victims, if there are at most `limit`.
    pub fn victim_sets(&self, limit: usize) -> Option<BTreeSet<BTreeSet<PodIx>>> {
        let mut sets = BTreeSet::new();
        for outcome in &self.all {
            sets.extend(outcome.sets(limit)?);
            if sets.len() > limit {
                return None;
            }
        }
        Some(sets)
    }

    /// What may be written about a pod.
    pub(super) fn texts_about(&self, pod: PodIx) -> impl Iterator<Item = &String> {
        self.texts.get(&pod).into_iter().flatten()
    }
}

impl PossibleOutcome {
    /// By order of budgets: the pods that it always evicts.
    fn sets_of_always(&self) -> Vec<BTreeSet<PodIx>> {
        if self.victims.is_empty() {
            return vec![BTreeSet::new()];
        }
        self.victims.iter().map(PossibleVictims::always).collect()
    }

    /// Every possible number of victims.
    pub fn counts(&self) -> BTreeSet<usize> {
        if self.victims.is_empty() {
            return BTreeSet::from([0]);
        }
        self.victims.iter().flat_map(PossibleVictims::counts).collect()
    }

    /// Every set of victims, if there are at most `limit`.
    pub fn sets(&self, limit: usize) -> Option<BTreeSet<BTreeSet<PodIx>>> {
        if self.victims.is_empty() {
            return Some(BTreeSet::from([BTreeSet::new()]));
        }
        let mut sets = BTreeSet::new();
        for victims in &self.victims {
            sets.extend(victims.sets(limit)?);
        }
        (sets.len() <= limit).then_some(sets)
    }
}

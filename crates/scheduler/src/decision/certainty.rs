//! How certain the choice of a decision is.

use std::collections::BTreeSet;

use super::Decision;
use crate::preemption::dry_run::Candidate;
use crate::preemption::victim_choices::{VictimChoices, VictimCount};
use model::cluster::{NodeIx, PodIx};
use model::notes::Severity;

/// Maximum number of victim sets that are listed.
const SETS: usize = 32;

/// How certain it is that kube-scheduler makes the same choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// It makes the same choice.
    Certain,
    /// It makes one of several choices that are equally good, or that depend on an order which the
    /// API does not show.
    OneOf,
    /// It samples nodes, and where it starts is not known.
    Sampled,
    /// A note of severity error may change the decision.
    Unsure,
}

impl Certainty {
    /// Its name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Certain => "Certain",
            Self::OneOf => "OneOf",
            Self::Sampled => "Sampled",
            Self::Unsure => "Unsure",
        }
    }
}

impl Decision<'_> {
    /// How certain the choice is.
    pub fn certainty(&self) -> Certainty {
        if self.is_unsure() {
            Certainty::Unsure
        } else if self.odds().is_some() {
            Certainty::Sampled
        } else if self
            .preemption()
            .is_some_and(|r| r.budget_orders.incomplete || r.victim_orders_incomplete)
            || self.selected().len() > 1
            || self.selected().iter().any(|node| self.victims_are_open(*node))
        {
            Certainty::OneOf
        } else {
            Certainty::Certain
        }
    }

    /// Whether an error-level note makes the decision uncertain.
    pub fn is_unsure(&self) -> bool {
        self.notes.iter().any(|note| note.severity == Severity::Error)
    }

    /// The possible sets of victims if kube-scheduler nominates the pod to `node`. The first is
    /// that of the dry run, unless another node would win with it; the others arise from orders
    /// that the API does not show. Empty if nothing needs evicting there. If there are too many,
    /// only the first is given, and [`Self::victim_choices`] describes the rest.
    pub fn victim_sets(&self, node: NodeIx) -> Vec<Vec<PodIx>> {
        let Some(report) = self.preemption() else { return Vec::new() };
        let Some(candidate) = report.candidate(node) else { return Vec::new() };
        let choices = self.victim_choices(node);
        let by_budgets = report.budget_orders.victims.get(&node).into_iter().flatten().cloned();
        let by_pods = choices.and_then(|choices| choices.sets(SETS)).unwrap_or_default();
        let mut sets = vec![choices.filter(|choices| !choices.with_dry_run).map_or_else(
            || candidate.victims.iter().map(|victim| victim.pod).collect(),
            VictimChoices::one,
        )];
        let mut seen: BTreeSet<BTreeSet<PodIx>> =
            sets.iter().map(|set| set.iter().copied().collect()).collect();
        sets.extend(
            by_budgets.chain(by_pods).filter(|set| seen.insert(set.iter().copied().collect())),
        );
        sets.retain(|set| !set.is_empty());
        sets
    }

    /// What depends on the order of equally important pods on `node`, if anything: the victims, or
    /// whether the node wins.
    pub fn victim_choices(&self, node: NodeIx) -> Option<&VictimChoices> {
        self.preemption()?.victim_choices.get(&node)
    }

    /// Whether kube-scheduler may nominate the pod to `node` with the victims of the dry run. With
    /// those victims, another node may win.
    pub fn may_evict_as_in_dry_run(&self, node: NodeIx) -> bool {
        self.victim_choices(node).is_none_or(|choices| choices.with_dry_run)
    }

    /// Whether the victims on `node` depend on an order that the API does not show.
    pub fn victims_are_open(&self, node: NodeIx) -> bool {
        self.victim_choices(node).is_some_and(|choices| !choices.is_settled())
            || self.victim_sets(node).len() > 1
    }

    /// Every possible number of victims on `node`, as far as they were found.
    pub fn victim_counts(&self, node: NodeIx) -> BTreeSet<usize> {
        let of_sets = self.victim_sets(node).into_iter().map(|set| set.len());
        of_sets
            .chain(self.victim_choices(node).into_iter().flat_map(VictimChoices::counts))
            .collect()
    }

    /// The number of victims on `node`.
    pub fn victim_count(&self, node: NodeIx) -> VictimCount {
        let counts = self.victim_counts(node);
        VictimCount {
            fewest: counts.first().copied().unwrap_or(0),
            most: counts.last().copied().unwrap_or(0),
        }
    }

    /// The candidate to whose node kube-scheduler most likely nominates the pod.
    pub fn likely_candidate(&self) -> Option<&Candidate> {
        self.candidate(*self.selected().first()?)
    }
}

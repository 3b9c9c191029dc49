//! How sure the choice of a decision is.

use std::collections::BTreeSet;

use super::Decision;
use crate::preemption::dry_run::Candidate;
use crate::preemption::victim_choices::{VictimChoices, VictimCount};
use model::cluster::node::NodeIx;
use model::cluster::pod::PodIx;
use model::notes::Severity;

/// The most sets of victims that are listed.
const SETS: usize = 32;

/// How sure it is that kube-scheduler makes the same choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// It does.
    Certain,
    /// It makes one of several choices that are equally good, or that depend on an order which the
    /// API does not show.
    OneOf,
    /// It does not look at every node, and where it begins to look is not known.
    Sampled,
    /// A note of severity error may change the decision.
    Unsure,
}

impl Certainty {
    /// Its name in JSON.
    #[must_use]
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
    /// How sure the choice is.
    #[must_use]
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

    /// Whether a note of severity error says that the decision may differ from kube-scheduler's.
    #[must_use]
    pub fn is_unsure(&self) -> bool {
        self.notes.iter().any(|note| note.severity == Severity::Error)
    }

    /// The sets of pods of which kube-scheduler evicts one if it nominates the pod to `node`: the
    /// first is that of the dry run, unless another node wins then; others arise from orders that
    /// the API does not show. Empty if no pod has to be evicted there. Where there are too many,
    /// only the first is given, and [`Self::victim_choices`] says what else there may be.
    #[must_use]
    pub fn victim_sets(&self, node: NodeIx) -> Vec<Vec<PodIx>> {
        let Some(report) = self.preemption() else { return Vec::new() };
        let Some(candidate) = report.candidate(node) else { return Vec::new() };
        let choices = self.victim_choices(node);
        let of_dry_run = || candidate.victims.iter().map(|victim| victim.pod).collect();
        let by_budgets = report.budget_orders.victims.get(&node).into_iter().flatten().cloned();
        let by_pods = choices.and_then(|choices| choices.sets(SETS)).unwrap_or_default();
        let mut sets = vec![
            choices
                .filter(|choices| !choices.with_dry_run)
                .map_or_else(of_dry_run, VictimChoices::one),
        ];
        let mut known: BTreeSet<BTreeSet<PodIx>> =
            sets.iter().map(|set| set.iter().copied().collect()).collect();
        sets.extend(
            by_budgets.chain(by_pods).filter(|set| known.insert(set.iter().copied().collect())),
        );
        sets.retain(|set| !set.is_empty());
        sets
    }

    /// What the order of pods of the same importance leaves open on `node`, if anything: the
    /// victims, or whether it wins.
    #[must_use]
    pub fn victim_choices(&self, node: NodeIx) -> Option<&VictimChoices> {
        self.preemption()?.victim_choices.get(&node)
    }

    /// Whether kube-scheduler may nominate the pod to `node` with the victims of the dry run: with
    /// these, another node may win.
    #[must_use]
    pub fn may_evict_as_in_dry_run(&self, node: NodeIx) -> bool {
        self.victim_choices(node).is_none_or(|choices| choices.with_dry_run)
    }

    /// Whether it depends on an order which pods are evicted on `node`.
    #[must_use]
    pub fn victims_are_open(&self, node: NodeIx) -> bool {
        self.victim_choices(node).is_some_and(|choices| !choices.is_settled())
            || self.victim_sets(node).len() > 1
    }

    /// Every number of pods that may be evicted on `node`, as far as it was found.
    #[must_use]
    pub fn victim_counts(&self, node: NodeIx) -> BTreeSet<usize> {
        let of_sets = self.victim_sets(node).into_iter().map(|set| set.len());
        of_sets
            .chain(self.victim_choices(node).into_iter().flat_map(VictimChoices::counts))
            .collect()
    }

    /// How many pods may be evicted on `node`.
    #[must_use]
    pub fn victim_count(&self, node: NodeIx) -> VictimCount {
        let counts = self.victim_counts(node);
        VictimCount {
            fewest: counts.first().copied().unwrap_or(0),
            most: counts.last().copied().unwrap_or(0),
        }
    }

    /// The candidate on the node that kube-scheduler nominates the pod to most likely.
    #[must_use]
    pub fn likely_candidate(&self) -> Option<&Candidate> {
        self.candidate(*self.selected().first()?)
    }
}

//! How sure the choice of a decision is.

use super::Decision;
use crate::cluster::node::NodeIx;
use crate::cluster::pod::PodIx;
use crate::notes::Severity;
use crate::preemption::PreemptionReport;

/// How sure it is that kube-scheduler makes the same choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// It does.
    Certain,
    /// It makes one of several choices that are equally good, or that depend on an order which the API does not show.
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
        } else if self.odds.is_some() {
            Certainty::Sampled
        } else if self.preemption.as_ref().is_some_and(|report| report.budget_orders.incomplete)
            || self.selected.len() > 1
            || self.selected.iter().any(|node| self.victim_sets(*node).len() > 1)
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

    /// The sets of pods of which kube-scheduler evicts one if it nominates the pod to `node`: the first is that of the dry
    /// run, others arise from orders that the API does not show. Empty if no pod has to be evicted there.
    #[must_use]
    pub fn victim_sets(&self, node: NodeIx) -> Vec<Vec<PodIx>> {
        let Some(report) = &self.preemption else { return Vec::new() };
        let Some(candidate) = report.candidate(node) else { return Vec::new() };
        let victims: Vec<PodIx> = candidate.victims.iter().map(|victim| victim.pod).collect();
        let mut sets = vec![victims];
        let others = report.budget_orders.victims.get(&node).into_iter().flatten().cloned();
        for set in candidate.ties.iter().map(|tie| tie.victims.clone()).chain(others) {
            if !sets.contains(&set) {
                sets.push(set);
            }
        }
        sets.retain(|set| !set.is_empty());
        sets
    }

    /// The candidate on the node that kube-scheduler nominates the pod to most likely.
    #[must_use]
    pub fn likely_candidate(&self) -> Option<&crate::preemption::dry_run::Candidate> {
        self.preemption.as_ref().and_then(|report: &PreemptionReport| report.candidate(*self.selected.first()?))
    }
}

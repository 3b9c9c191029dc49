//! The tie-break between candidates: criteria that are applied one after the other until one
//! candidate is left.
//!
//! Upstream: `pkg/scheduler/framework/preemption/preemption.go` `pickOneNodeForPreemption` (1.37).
//! If several candidates are left after the last criterion, the scheduler picks one in map order,
//! that is at random.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::dry_run::Candidate;
pub use super::victim::PRIORITY_OFFSET;
use super::victim::VictimSums;
use model::cluster::{Cluster, NodeIx};
use profile::history::Preemption;

/// A criterion of the tie-break.
#[derive(Debug)]
pub struct Criterion {
    /// Its name in the output.
    pub name: &'static str,
    /// Stable code, `PRE-42n`.
    pub code: &'static str,
    /// What it prefers, in one sentence.
    pub meaning: &'static str,
    /// Why it picks a node, as the text after "because".
    pub because: &'static str,
    /// Its name as a column heading.
    pub column: &'static str,
    /// Whether the largest value wins; otherwise the smallest one does.
    pub largest_wins: bool,
    /// The unit of the values.
    pub unit: CriterionUnit,
    /// Whether the report omits the step if all candidates have the value 0.
    only_if_it_decides: bool,
    /// Whether a version has the criterion.
    exists: fn(&Preemption) -> bool,
    value: fn(&VictimSums) -> i64,
}

impl Criterion {
    /// Whether a version has the criterion.
    #[must_use]
    pub fn exists_in(&self, features: &Preemption) -> bool {
        (self.exists)(features)
    }
}

/// The unit of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CriterionUnit {
    /// A plain number.
    Number,
    /// How many budgets are violated; not known where they were not read.
    Violations,
    /// A sum of priorities in which each victim counts [`PRIORITY_OFFSET`] more than its priority.
    PrioritySum,
    /// Nanoseconds since 1970.
    Time,
}

impl CriterionUnit {
    #[must_use]
    pub fn text(self, value: i64) -> String {
        match self {
            Self::Number | Self::Violations | Self::PrioritySum => value.to_string(),
            Self::Time => Timestamp::from_nanosecond(i128::from(value))
                .map_or_else(|_| value.to_string(), |t| t.to_string()),
        }
    }
}

/// The criteria, in order.
pub static CRITERIA: [Criterion; 6] = [
    Criterion {
        name: "nobody to evict",
        code: "PRE-421",
        meaning: "A node where nothing else needs evicting is taken at once.",
        because: "it needs no eviction",
        column: "NO EVICTION",
        largest_wins: true,
        unit: CriterionUnit::Number,
        only_if_it_decides: true,
        exists: |features| !features.nobody_to_evict_is_no_candidate,
        value: |victims| i64::from(victims.number == 0),
    },
    Criterion {
        name: "fewest PDB violations",
        code: "PRE-422",
        meaning: "Nodes on which the fewest victims violate a budget remain.",
        because: "its evictions violate the fewest PDBs",
        column: "PDB VIOLATIONS",
        largest_wins: false,
        unit: CriterionUnit::Violations,
        only_if_it_decides: false,
        exists: |_| true,
        value: |victims| i64::try_from(victims.violations).unwrap_or(i64::MAX),
    },
    Criterion {
        name: "lowest priority of the most important victim",
        code: "PRE-423",
        meaning: "Nodes whose most important victim has the lowest priority remain.",
        because: "its most important victim has the lowest priority",
        column: "TOP PRIORITY",
        largest_wins: false,
        unit: CriterionUnit::Number,
        only_if_it_decides: false,
        exists: |_| true,
        value: |victims| victims.first_priority,
    },
    Criterion {
        name: "smallest sum of victim priorities (+2^31 each)",
        code: "PRE-424",
        meaning: "Nodes with the smallest sum of the victims' priorities remain; 2^31 is added to each priority, so that one more victim always costs more.",
        because: "the sum of its victims' priorities is the smallest",
        column: "PRIORITY SUM",
        largest_wins: false,
        unit: CriterionUnit::PrioritySum,
        only_if_it_decides: false,
        exists: |_| true,
        value: |victims| victims.priority_sum,
    },
    Criterion {
        name: "fewest victims",
        code: "PRE-425",
        meaning: "Nodes with the fewest victims remain.",
        because: "it has the fewest victims",
        column: "VICTIMS",
        largest_wins: false,
        unit: CriterionUnit::Number,
        only_if_it_decides: false,
        exists: |_| true,
        value: |victims| i64::try_from(victims.number).unwrap_or(i64::MAX),
    },
    Criterion {
        name: "latest start of the longest-running victim of highest priority",
        code: "PRE-426",
        meaning: "The node wins whose longest-running victim of the highest priority started last; nodes that are still tied are taken at random.",
        because: "its oldest victim of the highest priority has run the shortest",
        column: "EARLIEST START",
        largest_wins: true,
        unit: CriterionUnit::Time,
        only_if_it_decides: false,
        exists: |features| features.start_time_breaks_ties,
        value: |victims| {
            let start = victims.earliest_start.map(Timestamp::as_nanosecond);
            start.map_or(0, |start| i64::try_from(start).unwrap_or(i64::MAX))
        },
    },
];

/// What the criteria read of a candidate's victims. Pods are read only where the dry run has not
/// done that: those of thousands of candidates are scattered in memory.
fn sums(candidate: &Candidate, cluster: &Cluster, now: Timestamp) -> VictimSums {
    candidate.sums.unwrap_or_else(|| {
        let mut sums = VictimSums::of_violations(candidate.violations);
        for victim in &candidate.victims {
            let pod = cluster.pod(victim.pod);
            sums.add(pod.priority, pod.start_time.unwrap_or(now));
        }
        sums
    })
}

/// One step of the tie-break as it was applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TieBreakStep {
    /// The criterion, as an index into [`CRITERIA`].
    pub criterion: usize,
    /// The value of every candidate that was left before this step.
    pub values: BTreeMap<NodeIx, i64>,
    /// The candidates that are left after this step.
    pub survivors: Vec<NodeIx>,
}

/// Applies the criteria until one candidate is left. Returns the steps that were applied and the
/// nodes that are left.
#[must_use]
pub fn pick<'a>(
    candidates: impl Iterator<Item = &'a Candidate>,
    cluster: &Cluster,
    features: &Preemption,
    now: Timestamp,
) -> (Vec<TieBreakStep>, Vec<NodeIx>) {
    let mut remaining: Vec<(NodeIx, VictimSums)> =
        candidates.map(|candidate| (candidate.node, sums(candidate, cluster, now))).collect();
    let mut steps = Vec::new();
    for (index, criterion) in
        CRITERIA.iter().enumerate().filter(|(_, criterion)| (criterion.exists)(features))
    {
        // Parity: a single candidate wins without any criterion.
        if remaining.len() < 2 {
            break;
        }
        let values: BTreeMap<NodeIx, i64> =
            remaining.iter().map(|(node, victims)| (*node, (criterion.value)(victims))).collect();
        // Candidates without victims are rare; a step in which all candidates are equal is left out
        // of the report.
        if criterion.only_if_it_decides && values.values().all(|value| *value == 0) {
            continue;
        }
        let best =
            if criterion.largest_wins { values.values().max() } else { values.values().min() }
                .copied();
        remaining.retain(|(node, _)| values.get(node).copied() == best);
        let survivors = remaining.iter().map(|(node, _)| *node).collect();
        steps.push(TieBreakStep { criterion: index, values, survivors });
    }
    (steps, remaining.into_iter().map(|(node, _)| node).collect())
}

/// The value of a candidate for each criterion, in their order, so that lower is better: [`pick`]
/// keeps the candidates of the lowest cost.
pub(crate) type CandidateCost = [i64; CRITERIA.len()];

/// The cost of a candidate.
#[must_use]
pub(crate) fn cost(
    candidate: &Candidate,
    cluster: &Cluster,
    features: &Preemption,
    now: Timestamp,
) -> CandidateCost {
    let victims = sums(candidate, cluster, now);
    CRITERIA.each_ref().map(|criterion| {
        match ((criterion.exists)(features), criterion.largest_wins) {
            (false, _) => 0,
            (true, false) => (criterion.value)(&victims),
            (true, true) => (criterion.value)(&victims).saturating_neg(),
        }
    })
}

/// The rank of every candidate, in their order: of any subset, [`pick`] keeps those with the lowest
/// rank.
#[must_use]
pub(crate) fn ranks<'a>(
    candidates: impl Iterator<Item = &'a Candidate>,
    cluster: &Cluster,
    features: &Preemption,
    now: Timestamp,
) -> Vec<usize> {
    let mut costs: Vec<(CandidateCost, usize)> = candidates
        .enumerate()
        .map(|(at, candidate)| (cost(candidate, cluster, features, now), at))
        .collect();
    costs.sort_unstable();
    let mut ranks = vec![0; costs.len()];
    for (rank, equals) in costs.chunk_by(|(a, _), (b, _)| a == b).enumerate() {
        for (_, at) in equals {
            if let Some(own) = ranks.get_mut(*at) {
                *own = rank;
            }
        }
    }
    ranks
}

#[cfg(test)]
mod tests;

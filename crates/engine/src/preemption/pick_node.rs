//! The tie-break ladder: which candidate costs least.
//!
//! Upstream: `pkg/scheduler/framework/preemption/preemption.go` `pickOneNodeForPreemption` (1.37). Candidates that are
//! still tied after the last step are picked in map order, that is at random.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::dry_run::Candidate;
use crate::cluster::Cluster;
use crate::cluster::node::NodeIx;
use crate::profile::history::Preemption;

/// What makes every term of the priority sum positive, so that more victims always cost more.
const PRIORITY_OFFSET: i64 = 1 << 31;

/// A step of the ladder.
#[derive(Debug)]
pub struct Criterion {
    /// Its name in the answer.
    pub name: &'static str,
    /// Its name at the top of a column.
    pub column: &'static str,
    /// Whether the largest value wins; otherwise the smallest.
    pub largest_wins: bool,
    /// What the values are.
    pub unit: Unit,
    /// Whether it is passed over when no candidate meets it.
    only_if_it_decides: bool,
    /// Whether a version knows it.
    exists: fn(&Preemption) -> bool,
    value: fn(&Candidate, &Cluster, Timestamp) -> i64,
}

impl Criterion {
    /// Whether a version has the step.
    #[must_use]
    pub fn exists_in(&self, features: &Preemption) -> bool {
        (self.exists)(features)
    }
}

/// How a value reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// A plain number.
    Number,
    /// Nanoseconds since 1970.
    Time,
}

impl Unit {
    /// A value as people read it.
    #[must_use]
    pub fn text(self, value: i64) -> String {
        match self {
            Self::Number => value.to_string(),
            Self::Time => {
                Timestamp::from_nanosecond(i128::from(value)).map_or_else(|_| value.to_string(), |t| t.to_string())
            }
        }
    }
}

/// The steps, in order.
pub static CRITERIA: &[Criterion] = &[
    Criterion {
        name: "nobody to evict",
        column: "NOBODY GOES",
        largest_wins: true,
        unit: Unit::Number,
        only_if_it_decides: true,
        exists: |features| !features.nobody_to_evict_is_no_candidate,
        value: |candidate, _, _| i64::from(candidate.victims.is_empty()),
    },
    Criterion {
        name: "fewest PDB violations",
        column: "PDB VIOLATIONS",
        largest_wins: false,
        unit: Unit::Number,
        only_if_it_decides: false,
        exists: |_| true,
        value: |candidate, _, _| i64::try_from(candidate.violations).unwrap_or(i64::MAX),
    },
    Criterion {
        name: "lowest priority of the most important victim",
        column: "TOP PRIORITY",
        largest_wins: false,
        unit: Unit::Number,
        only_if_it_decides: false,
        exists: |_| true,
        value: |candidate, cluster, _| candidate.victims.first().map_or(0, |v| i64::from(cluster.pod(v.pod).priority)),
    },
    Criterion {
        name: "smallest sum of victim priorities (+2^31 each)",
        column: "PRIORITY SUM",
        largest_wins: false,
        unit: Unit::Number,
        only_if_it_decides: false,
        exists: |_| true,
        value: |candidate, cluster, _| {
            candidate.victims.iter().map(|v| i64::from(cluster.pod(v.pod).priority) + PRIORITY_OFFSET).sum()
        },
    },
    Criterion {
        name: "fewest victims",
        column: "VICTIMS",
        largest_wins: false,
        unit: Unit::Number,
        only_if_it_decides: false,
        exists: |_| true,
        value: |candidate, _, _| i64::try_from(candidate.victims.len()).unwrap_or(i64::MAX),
    },
    Criterion {
        name: "latest start of the longest-running victim of highest priority",
        column: "EARLIEST START",
        largest_wins: true,
        unit: Unit::Time,
        only_if_it_decides: false,
        exists: |features| features.start_time_breaks_ties,
        value: earliest_start,
    },
];

/// The earliest start among the victims of the highest priority. Upstream: `pkg/scheduler/util/utils.go`.
fn earliest_start(candidate: &Candidate, cluster: &Cluster, now: Timestamp) -> i64 {
    let pods = || candidate.victims.iter().map(|v| cluster.pod(v.pod));
    let highest = pods().map(|p| p.priority).max();
    let starts = pods().filter(|p| Some(p.priority) == highest).map(|p| p.start_time.unwrap_or(now));
    starts.min().map_or(0, |start| i64::try_from(start.as_nanosecond()).unwrap_or(i64::MAX))
}

/// One step as it was taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Which criterion, as an index into [`CRITERIA`].
    pub criterion: usize,
    /// The value of every candidate that was still in.
    pub values: BTreeMap<NodeIx, i64>,
    /// Who is left.
    pub survivors: Vec<NodeIx>,
}

/// The steps up to the one that decided, and the candidates that are left.
#[must_use]
pub fn pick<'a>(
    candidates: impl Iterator<Item = &'a Candidate>,
    cluster: &Cluster,
    features: &Preemption,
    now: Timestamp,
) -> (Vec<Step>, Vec<NodeIx>) {
    let mut left: Vec<&Candidate> = candidates.collect();
    let mut steps = Vec::new();
    for (index, criterion) in CRITERIA.iter().enumerate().filter(|(_, criterion)| (criterion.exists)(features)) {
        // Parity: a single candidate is taken without looking at any criterion.
        if left.len() < 2 {
            break;
        }
        let values: BTreeMap<NodeIx, i64> = left.iter().map(|c| (c.node, (criterion.value)(c, cluster, now))).collect();
        // Nobody has to leave in hardly any answer; a step in which nobody differs need not be told.
        if criterion.only_if_it_decides && values.values().all(|value| *value == 0) {
            continue;
        }
        let best = if criterion.largest_wins { values.values().max() } else { values.values().min() }.copied();
        left.retain(|c| values.get(&c.node).copied() == best);
        steps.push(Step { criterion: index, values, survivors: left.iter().map(|c| c.node).collect() });
    }
    (steps, left.into_iter().map(|c| c.node).collect())
}

/// The place of every candidate on the ladder: of any of them together, [`pick`] leaves those with the lowest.
#[must_use]
pub fn places<'a>(
    candidates: impl Iterator<Item = &'a Candidate>,
    cluster: &Cluster,
    features: &Preemption,
    now: Timestamp,
) -> BTreeMap<NodeIx, usize> {
    let cost = |candidate: &Candidate| -> Vec<i64> {
        let criteria = CRITERIA.iter().filter(|criterion| (criterion.exists)(features));
        let cost = |criterion: &Criterion| {
            let value = (criterion.value)(candidate, cluster, now);
            if criterion.largest_wins { value.saturating_neg() } else { value }
        };
        criteria.map(cost).collect()
    };
    let mut by_cost: BTreeMap<Vec<i64>, Vec<NodeIx>> = BTreeMap::new();
    for candidate in candidates {
        by_cost.entry(cost(candidate)).or_default().push(candidate.node);
    }
    let equals = by_cost.into_values().enumerate();
    equals.flat_map(|(place, nodes)| nodes.into_iter().map(move |node| (node, place))).collect()
}

#[cfg(test)]
mod tests;

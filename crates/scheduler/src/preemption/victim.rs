//! Victims and potential victims: units of lower priority, with the budgets that their eviction
//! violates.

use jiff::Timestamp;
use smallvec::SmallVec;

use super::budgets::{Budgets, VictimBudgets};
use super::units::EvictionUnit;
use crate::framework::status::Rejection;
use model::cluster::composite_group::AnyGroup;
use model::cluster::pod::PodIx;
use model::cluster::symbols::PoolIx;

/// A pod to evict.
#[derive(Debug, Clone, PartialEq)]
pub struct Victim {
    pub pod: PodIx,
    /// The budgets that its eviction violates.
    pub violates: Budgets,
    /// What would reject the preemptor if this pod stayed, for a group that preempts. For a pod
    /// that does, see [`crate::decision::blockers::Blockers`].
    pub blocks: Option<Box<Blocker>>,
    /// The group whose pods are evicted together, if the pod is not evicted alone. They may be on
    /// several nodes.
    pub together: Option<AnyGroup>,
}

/// What rejects a preemptor: a plugin, with its rejection.
pub type Blocker = (&'static str, Rejection);

/// An attempt to reprieve a potential victim by adding it back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReprieveAttempt {
    pub pod: PodIx,
    /// Whether its eviction would violate a budget; such pods are added back first.
    pub violates_pdb: bool,
}

/// A pod that could not be reprieved.
pub(super) struct EvictedPod {
    /// Its position in the order of reprieve.
    pub(super) at: usize,
    pub(super) pod: PodIx,
    pub(super) facts: AttemptFacts,
}

/// What a dry run reads of a pod that it adds back.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AttemptFacts {
    /// Its resource requests.
    pub(crate) requests: PoolIx,
    /// Its position in the order of importance.
    pub(super) rank: u32,
    pub(super) priority: i32,
    /// When it started, or the time of the decision if it has not.
    pub(super) start: Timestamp,
}

/// Added to every victim's priority so that each term of the sum is positive and more victims
/// always cost more.
pub const PRIORITY_OFFSET: i64 = 1 << 31;

/// What the criteria read of a candidate's victims.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct VictimSums {
    pub(super) number: usize,
    pub(super) violations: usize,
    /// The priority of the first one, which is the most important.
    pub(super) first_priority: i64,
    /// The sum of their priorities, with [`PRIORITY_OFFSET`] for each.
    pub(super) priority_sum: i64,
    /// The highest priority.
    highest: i32,
    /// The earliest start among those of the highest priority. Upstream:
    /// `pkg/scheduler/util/utils.go`.
    pub(super) earliest_start: Option<Timestamp>,
}

impl VictimSums {
    /// Without victims, as many of which will violate a budget.
    pub(super) const fn new(violations: usize) -> Self {
        Self {
            number: 0,
            violations,
            first_priority: 0,
            priority_sum: 0,
            highest: i32::MIN,
            earliest_start: None,
        }
    }

    /// Adds the next victim, in the scheduler's order.
    pub(super) fn add(&mut self, priority: i32, start: Timestamp) {
        if self.number == 0 {
            self.first_priority = i64::from(priority);
        }
        self.number += 1;
        self.priority_sum += i64::from(priority) + PRIORITY_OFFSET;
        self.earliest_start = match self.earliest_start {
            Some(earliest) if priority < self.highest => Some(earliest),
            Some(earliest) if priority == self.highest => Some(earliest.min(start)),
            Some(_) | None => Some(start),
        };
        self.highest = self.highest.max(priority);
    }
}

/// A unit that may be evicted, with the budgets that this violates.
pub(crate) struct PotentialVictim {
    pub unit: EvictionUnit,
    /// Per pod of the unit.
    violates: SmallVec<[Budgets; 1]>,
}

impl PotentialVictim {
    /// Units with the budgets of their pods, those that violate one first. `pods` are the pods of
    /// all units, in order.
    pub(crate) fn in_order_of_reprieve(
        units: Vec<EvictionUnit>,
        pods: Vec<VictimBudgets>,
    ) -> Vec<Self> {
        let mut pods = pods.into_iter();
        let with_budgets = |unit: EvictionUnit| {
            let violates = pods.by_ref().take(unit.pods.len()).map(|pod| pod.violates).collect();
            Self { unit, violates }
        };
        let mut potential: Vec<Self> = units.into_iter().map(with_budgets).collect();
        // Each part keeps its order.
        potential.sort_by_key(|unit| !unit.violates_pdb());
        potential
    }

    /// Whether evicting the unit violates a budget.
    pub(crate) fn violates_pdb(&self) -> bool {
        self.violates.iter().any(|budgets| !budgets.is_empty())
    }

    /// Whether the unit is among the victims. All its pods are evicted, or none.
    pub(super) fn is_evicted(&self, victims: &[Victim]) -> bool {
        self.unit.pods.first().is_some_and(|pod| victims.iter().any(|victim| victim.pod == *pod))
    }

    /// Its pods, and whether evicting each violates a budget.
    pub(crate) fn violations(&self) -> impl Iterator<Item = (PodIx, bool)> {
        self.unit
            .pods
            .iter()
            .zip(&self.violates)
            .map(|(pod, violates)| (*pod, !violates.is_empty()))
    }

    /// Its pods as victims; `blocks` is what would reject the preemptor if they stayed.
    pub(crate) fn victims(&self, blocks: Option<Blocker>) -> impl Iterator<Item = Victim> {
        let blocks = blocks.map(Box::new);
        self.unit.pods.iter().zip(&self.violates).map(move |(pod, violates)| Victim {
            pod: *pod,
            violates: violates.clone(),
            blocks: blocks.clone(),
            together: self.unit.together,
        })
    }
}

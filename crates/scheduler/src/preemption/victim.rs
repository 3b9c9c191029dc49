//! Victims, and what the criteria for the best candidate read of them.

use jiff::Timestamp;

use super::budgets::Budgets;
pub use crate::framework::cluster_view::potential_victims::ReprieveAttempt;
use crate::framework::status::Rejection;
use model::cluster::composite_group::AnyGroup;
use model::cluster::pod::PodIx;

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

/// Added to every victim's priority so that each term of the sum is positive and more victims
/// always cost more.
pub const PRIORITY_OFFSET: i64 = 1 << 31;

/// What the criteria read of a candidate's victims.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct VictimSums {
    pub(super) number: usize,
    pub(super) violations: usize,
    /// The priority of the first one, which is the most important.
    pub(super) first_priority: i64,
    /// The sum of their priorities, with [`PRIORITY_OFFSET`] for each.
    pub(super) priority_sum: i64,
    /// The highest priority.
    pub(super) highest: i32,
    /// The earliest start among those of the highest priority. Upstream:
    /// `pkg/scheduler/util/utils.go`.
    pub(super) earliest_start: Option<Timestamp>,
}

impl VictimSums {
    /// Without victims, as many of which will violate a budget.
    pub(super) fn of_violations(violations: usize) -> Self {
        Self { violations, ..Self::default() }
    }

    /// Adds the next victim, in the scheduler's order.
    pub(super) fn add(&mut self, priority: i32, start: Timestamp) {
        if self.number == 0 {
            self.first_priority = i64::from(priority);
            self.highest = priority;
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

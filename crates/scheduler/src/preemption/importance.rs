//! The order in which potential victims are reprieved: more important pods first.
//!
//! Upstream: `pkg/scheduler/framework/preemption/util.go` `MoreImportantVictim` (1.37, plain pods),
//! `pkg/scheduler/util/utils.go` `MoreImportantPod` (1.36).

use jiff::Timestamp;

use super::step::StepDoc;
use super::units::{EvictionUnit, UnitRank};
use crate::framework::reason::When;
use model::cluster::{Cluster, Pod};
use profile::history::{Preemption, VictimOrder};

pub(super) static STEP: StepDoc = StepDoc {
    code: "PRE-404",
    name: "importance",
    meaning: "Removed pods are sorted: higher priority first, then the one that started earlier.",
    when: When::Always,
    source: "pkg/scheduler/util/utils.go (1.37)",
};

/// Sorts units by importance, most important first: by priority, groups before pods, large groups
/// before small ones, then by start time. Units that tie end up where the scheduler's unstable sort
/// puts them.
pub fn sort(units: &mut [EvictionUnit], cluster: &Cluster, now: Timestamp, features: &Preemption) {
    go::sort_slice(units, |a, b| is_more_important(a, b, cluster, now, features));
}

/// Whether the scheduler's comparison puts `a` before `b`.
pub(super) fn is_more_important(
    a: &EvictionUnit,
    b: &EvictionUnit,
    cluster: &Cluster,
    now: Timestamp,
    features: &Preemption,
) -> bool {
    let uid = |unit: &EvictionUnit| unit.pods.first().map_or("", |pod| &*cluster.pod(*pod).uid);
    if a.priority != b.priority || features.victim_order == VictimOrder::Priority {
        return a.priority > b.priority;
    }
    if (a.rank, a.pods.len()) != (b.rank, b.pods.len()) {
        return (a.rank, a.pods.len()) > (b.rank, b.pods.len());
    }
    if features.victim_order == VictimOrder::StartTimeThenUid {
        return (a.start.is_none(), a.start, uid(a)) < (b.start.is_none(), b.start, uid(b));
    }
    match (a.start, b.start) {
        // Parity: upstream reads the clock once per pod without a start time: up to 1.36 in each
        // comparison, first for the left pod; later once, in the order of the nodes and their pods.
        // The pod that is handled first counts as older.
        (None, None) => features.victim_order == VictimOrder::StartTime || a.place < b.place,
        (a, b) => a.unwrap_or(now) < b.unwrap_or(now),
    }
}

/// Whether the two units differ only in an order that the API does not show.
pub(crate) fn units_tie(
    a: &EvictionUnit,
    b: &EvictionUnit,
    now: Timestamp,
    features: &Preemption,
) -> bool {
    features.victim_order != VictimOrder::StartTimeThenUid
        && key(a, now, features) == key(b, now, features)
}

/// The ordering criteria of a unit except its UID; the order of units with the same key is
/// arbitrary.
pub(crate) fn key(
    unit: &EvictionUnit,
    now: Timestamp,
    features: &Preemption,
) -> (i32, UnitRank, usize, Timestamp) {
    if features.victim_order == VictimOrder::Priority {
        return (unit.priority, UnitRank::Pod, 0, now);
    }
    (unit.priority, unit.rank, unit.pods.len(), unit.start.unwrap_or(now))
}

/// Whether the two pods differ only in an order that the API does not show.
pub(crate) fn tie(a: &Pod, b: &Pod, now: Timestamp, features: &Preemption) -> bool {
    a.priority == b.priority
        && match features.victim_order {
            VictimOrder::Priority => true,
            VictimOrder::StartTime | VictimOrder::StartTimeAtOnce => {
                a.start_time.unwrap_or(now) == b.start_time.unwrap_or(now)
            }
            VictimOrder::StartTimeThenUid => a.start_time == b.start_time && a.uid == b.uid,
        }
}

#[cfg(test)]
mod tests;

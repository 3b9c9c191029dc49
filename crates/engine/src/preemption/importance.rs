//! The order in which potential victims are reprieved: more important pods first.
//!
//! Upstream: `pkg/scheduler/framework/preemption/util.go` `MoreImportantVictim` (1.37, plain pods),
//! `pkg/scheduler/util/utils.go` `MoreImportantPod` (1.36).

use jiff::Timestamp;

use super::step::StepDoc;
use super::unstable_sort;
use crate::cluster::Cluster;
use crate::cluster::pod::{Pod, PodIx};
use crate::framework::reason::When;
use crate::profile::history::{Preemption, VictimOrder};

/// The step.
pub(super) static STEP: StepDoc = StepDoc {
    code: "PRE-404",
    name: "importance",
    meaning: "Removed pods are sorted: higher priority first, then the one that started earlier.",
    when: When::Always,
    source: "pkg/scheduler/util/utils.go (1.37)",
};

/// Sorts pods by importance, most important first: by priority, then by start time. Pods that tie end up where the
/// scheduler's unstable sort puts them.
pub(crate) fn sort(pods: &mut [PodIx], cluster: &Cluster, now: Timestamp, features: &Preemption) {
    unstable_sort::sort(pods, |x, y| {
        let (a, b) = (cluster.pod(*x), cluster.pod(*y));
        if a.priority != b.priority || features.victim_order == VictimOrder::Priority {
            return a.priority > b.priority;
        }
        if features.victim_order == VictimOrder::StartTimeThenUid {
            return (a.start_time.is_none(), a.start_time, &a.uid) < (b.start_time.is_none(), b.start_time, &b.uid);
        }
        match (a.start_time, b.start_time) {
            // Parity: upstream reads the clock once per pod without a start time: up to 1.36 in each comparison, first
            // for the left pod; later once, in the order of the node's pods. The pod that is handled first counts as
            // older.
            (None, None) => features.victim_order == VictimOrder::StartTime || x < y,
            (a, b) => a.unwrap_or(now) < b.unwrap_or(now),
        }
    });
}

/// Whether the two pods differ only in an order that the API does not show.
#[must_use]
pub(crate) fn tie(a: &Pod, b: &Pod, now: Timestamp, features: &Preemption) -> bool {
    let same_age = || a.start_time.unwrap_or(now) == b.start_time.unwrap_or(now);
    a.priority == b.priority
        && match features.victim_order {
            VictimOrder::Priority => true,
            VictimOrder::StartTime | VictimOrder::StartTimeAtOnce => same_age(),
            VictimOrder::StartTimeThenUid => a.start_time == b.start_time && a.uid == b.uid,
        }
}

#[cfg(test)]
mod tests;

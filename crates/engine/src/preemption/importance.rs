//! The order in which pods are spared: more important ones first.
//!
//! Upstream: `pkg/scheduler/framework/preemption/util.go` `MoreImportantVictim` (1.37, plain pods),
//! `pkg/scheduler/util/utils.go` `MoreImportantPod` (1.36).

use jiff::Timestamp;

use super::unstable_sort;
use crate::cluster::Cluster;
use crate::cluster::pod::{Pod, PodIx};
use crate::profile::history::{Preemption, VictimOrder};

/// Orders pods by importance, most important first: by priority, then by age. Pods that tie stay where the scheduler's
/// sort leaves them.
pub fn sort(pods: &mut [PodIx], cluster: &Cluster, now: Timestamp, features: &Preemption) {
    unstable_sort::sort(pods, |x, y| {
        let (a, b) = (cluster.pod(*x), cluster.pod(*y));
        if a.priority != b.priority || features.victim_order == VictimOrder::Priority {
            return a.priority > b.priority;
        }
        match (a.start_time, b.start_time) {
            // Parity: the time is asked for anew, pod by pod: up to 1.36 in each comparison, first for the left pod, later
            // once, in the order of the node's pods. Who was asked about first looks older.
            (None, None) => features.victim_order == VictimOrder::StartTime || x < y,
            (a, b) => a.unwrap_or(now) < b.unwrap_or(now),
        }
    });
}

/// Whether nothing but an order that the API does not show tells the two apart.
#[must_use]
pub fn tie(a: &Pod, b: &Pod, now: Timestamp, features: &Preemption) -> bool {
    let same_age = || a.start_time.unwrap_or(now) == b.start_time.unwrap_or(now);
    a.priority == b.priority && (features.victim_order == VictimOrder::Priority || same_age())
}

#[cfg(test)]
mod tests;

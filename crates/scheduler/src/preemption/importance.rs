//! The order in which potential victims are reprieved: more important pods first.
//!
//! Upstream: `pkg/scheduler/framework/preemption/util.go` `MoreImportantVictim` (1.37, plain pods),
//! `pkg/scheduler/util/utils.go` `MoreImportantPod` (1.36).

use jiff::Timestamp;

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

/// The documentation of a step.
#[derive(Debug)]
pub struct StepDoc {
    /// Stable code, `PRE-4nn`.
    pub code: &'static str,
    /// Its name in the output.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub meaning: &'static str,
    /// The versions that have it.
    pub when: When,
    /// Upstream path and version that it mirrors.
    pub source: &'static str,
}

#[cfg(test)]
mod tests {
    use super::{sort, tie};
    use crate::preemption::units::Units;
    use crate::testing::{NOW, Pod, cluster, features, pod};
    use profile::{Profile, SchedulerVersion, VersionSource};

    fn profile(version: &str) -> Profile {
        Profile::new(SchedulerVersion::parse(version).expect("a version"), VersionSource::Flag)
    }

    /// Names of pods by importance; the input order is by name.
    fn order(pods: Vec<Pod>, version: &str) -> String {
        let cluster = cluster(pods.into_iter().map(Into::into).collect());
        let pods: Vec<_> = cluster.pod_indices().collect();
        let mut units = Units::new(&cluster, &profile(version)).of(&pods);
        sort(&mut units, &cluster, NOW.parse().expect("a time"), &features(version).preemption);
        let pods = units.iter().flat_map(|unit| &unit.pods);
        pods.map(|p| &*cluster.pod(*p).name).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn priority_then_age() {
        let (old, new) = ("2025-01-01T00:00:00Z", "2025-06-01T00:00:00Z");
        for (row, pods, want) in [
            (
                "higher priority first",
                vec![pod("a").priority(1), pod("b").priority(2), pod("c").priority(-1)],
                "b a c",
            ),
            (
                "priority beats age",
                vec![pod("a").priority(1).started(old), pod("b").priority(2).started(new)],
                "b a",
            ),
            ("older first", vec![pod("a").started(new), pod("b").started(old)], "b a"),
            ("not started is youngest", vec![pod("a"), pod("b").started(new)], "b a"),
            (
                "a start in the future is younger still",
                vec![pod("a").started("2027-01-01T00:00:00Z"), pod("b")],
                "b a",
            ),
            (
                "created is not started",
                vec![pod("a").with("/metadata/creationTimestamp", old), pod("b").started(new)],
                "b a",
            ),
            (
                "the same instant in another zone is a tie",
                vec![pod("a").started("2025-01-01T01:00:00+01:00"), pod("b").started(old)],
                "a b",
            ),
            (
                "ties keep their order",
                vec![pod("a").started(old), pod("b").started(old), pod("c").started(old)],
                "a b c",
            ),
            ("no priority is 0", vec![pod("a").priority(-1), pod("b")], "b a"),
        ] {
            assert_eq!(order(pods.clone(), "1.37"), want, "{row}");
            assert_eq!(order(pods, "1.15"), want, "{row}");
        }
    }

    #[test]
    fn pods_that_have_not_started_came_out_reversed_up_to_1_36() {
        let pods = || vec![pod("a"), pod("b"), pod("c"), pod("d").priority(1)];
        assert_eq!(order(pods(), "1.37"), "d a b c");
        assert_eq!(order(pods(), "1.36"), "d c b a");
    }

    #[test]
    fn ties_are_of_priority_and_start() {
        let now = NOW.parse().expect("a time");
        for (a, b, want) in [
            (pod("a"), pod("b"), true),
            (pod("a").priority(1), pod("b"), false),
            (pod("a").started("2025-01-01T00:00:00Z"), pod("b"), false),
            (pod("a").started(NOW), pod("b"), true),
        ] {
            let cluster = cluster(vec![a.into(), b.into()]);
            assert_eq!(
                tie(&cluster.pods[0], &cluster.pods[1], now, &features("1.37").preemption),
                want
            );
        }
    }

    #[test]
    fn up_to_1_14_only_priority_counts() {
        let pods = || {
            vec![pod("a").started("2025-06-01T00:00:00Z"), pod("b").started("2025-01-01T00:00:00Z")]
        };
        assert_eq!(order(pods(), "1.15"), "b a");
        assert_eq!(order(pods(), "1.14"), "a b");
    }
}

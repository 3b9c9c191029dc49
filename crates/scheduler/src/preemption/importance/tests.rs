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
    let pods =
        || vec![pod("a").started("2025-06-01T00:00:00Z"), pod("b").started("2025-01-01T00:00:00Z")];
    assert_eq!(order(pods(), "1.15"), "b a");
    assert_eq!(order(pods(), "1.14"), "a b");
}

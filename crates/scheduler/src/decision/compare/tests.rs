use jiff::Timestamp;
use serde_json::Value;

use super::{Aspect, Comparison, compare};
use crate::decision::{Decision, OutcomeKind};
use crate::framework::cluster_view::ClusterView;
use crate::testing::{cluster, node, objects, pod};
use model::cluster::Cluster;
use profile::history::HISTORY;
use profile::{Profile, SchedulerVersion, VersionSource, change};

fn profile(version: &str, gates: &str) -> Profile {
    let version = SchedulerVersion::parse(version).expect("a version");
    Profile::new(version, VersionSource::Flag).with_gates(&[gates.to_owned()]).expect("gates")
}

/// Compares what `profiles` decide about pod `p`.
fn compared<T>(cluster: &Cluster, profiles: &[Profile], look: impl FnOnce(&Comparison) -> T) -> T {
    let views: Vec<ClusterView> =
        profiles.iter().map(|profile| ClusterView::new(cluster, profile)).collect();
    let now: Timestamp = crate::testing::NOW.parse().expect("a time");
    let pod = cluster.find_pod("default", "p").expect("the pod");
    look(&compare(&views.iter().collect::<Vec<_>>(), pod, now))
}

fn between<T>(objects: Vec<Value>, from: &str, to: &str, look: impl FnOnce(&Comparison) -> T) -> T {
    compared(&cluster(objects), &[profile(from, ""), profile(to, "")], look)
}

/// The rules behind the only difference, each with the parts that depend on it.
fn causes(comparison: &Comparison) -> Vec<(&'static str, Vec<Aspect>)> {
    let causes = comparison.differences.iter().flat_map(|difference| &difference.causes);
    causes.map(|cause| (cause.change.row.field, cause.aspects.clone())).collect()
}

/// A node on which `p` has to evict `victim`.
fn full() -> Vec<Value> {
    objects![
        node("n1").cpu("2"),
        pod("victim").on("n1").cpu("2").priority(0),
        pod("p").cpu("1").priority(10),
    ]
}

#[test]
fn equal_answers_have_no_causes() {
    between(full(), "1.35", "1.36", |comparison| {
        assert!(comparison.same());
        let difference = &comparison.differences[0];
        assert!(
            difference.changed > 5 && difference.causes.is_empty() && difference.complete,
            "{difference:?}"
        );
        assert_eq!(comparison.decisions.len(), 2);
    });
}

#[test]
fn a_difference_is_put_down_to_the_rule_that_makes_it() {
    between(full(), "1.36", "1.37", |comparison| {
        assert_eq!(causes(comparison), [("success_message", vec![Aspect::ConditionMessage])]);
        let cause = &comparison.differences[0].causes[0];
        assert!(cause.change.by_version);
        assert_eq!(
            (cause.change.about.since.release_text(), cause.change.about.begins),
            ("1.37".to_owned(), true)
        );
        assert!(comparison.differences[0].complete);
    });
}

#[test]
fn comparison_in_reverse_has_the_same_causes() {
    between(full(), "1.37", "1.36", |comparison| {
        let cause = &comparison.differences[0].causes[0];
        assert_eq!((cause.change.row.field, cause.change.holds), ("success_message", false));
        assert!(cause.change.by_version && cause.change.about.begins, "1.37 brought it");
    });
}

#[test]
fn rules_that_only_work_together_are_all_named() {
    let objects = objects![node("n1").cpu("2"), pod("p").cpu("4").priority(10)];
    between(objects, "1.33", "1.35", |comparison| {
        let found = causes(comparison);
        let fields: Vec<&str> = found.iter().map(|(field, _)| *field).collect();
        assert_eq!(
            fields,
            ["fit_beyond_allocatable_unresolvable", "dynamic_resources", "dra_post_filter_text"],
            "its text needs the plugin"
        );
        assert!(
            found[0].1.contains(&Aspect::Filtered) && !found[1].1.contains(&Aspect::Filtered),
            "{found:?}"
        );
        assert!(found.iter().all(|(_, aspects)| aspects.contains(&Aspect::Message)), "{found:?}");
    });
}

#[test]
fn a_gate_is_a_rule_without_a_version() {
    let tainted = node("n1").cpu("4").taint("load", "7", "NoSchedule");
    let waiting = pod("p").cpu("1").priority(10).tolerates("load", "Gt", "5", "NoSchedule");
    let input = cluster(objects![tainted, waiting]);
    let profiles =
        [profile("1.37", ""), profile("1.37", "TaintTolerationComparisonOperators=true")];
    compared(&input, &profiles, |comparison| {
        assert_eq!(
            comparison.decisions.iter().map(Decision::kind).collect::<Vec<_>>(),
            [OutcomeKind::Unschedulable, OutcomeKind::Schedulable]
        );
        let difference = &comparison.differences[0];
        assert_eq!((difference.changed, difference.causes.len()), (1, 1));
        assert!(!difference.causes[0].change.by_version);
        assert_eq!(difference.nodes.len(), 1);
    });
}

#[test]
fn neighbours_are_compared_in_the_order_given() {
    let profiles = ["1.33", "1.36", "1.37"].map(|version| profile(version, ""));
    compared(&cluster(full()), &profiles, |comparison| {
        let differ: Vec<bool> =
            comparison.differences.iter().map(|d| !d.aspects.is_empty()).collect();
        assert_eq!(differ, [false, true]);
    });
}

#[test]
fn all_changes_together_make_the_other_version() {
    let versions = [
        "1.12", "1.16", "1.19", "1.22", "1.24.9", "1.28", "1.33", "1.34", "1.34.2", "1.35", "1.36",
        "1.37", "1.38",
    ]
    .map(|version| profile(version, ""));
    for from in &versions {
        for to in &versions {
            let changes = change::between(from, to);
            let made = from.clone().with_features(change::apply(
                &from.features,
                &to.features,
                &changes.iter().collect::<Vec<_>>(),
            ));
            // Which points a configuration may name shows in no decision.
            let mut features = made.features.clone();
            features.extension_points = to.features.extension_points.clone();
            assert_eq!(
                (&features, &made.plugins),
                (&to.features, &to.plugins),
                "{} {}",
                from.version,
                to.version
            );
        }
    }
}

#[test]
fn every_rule_has_a_page_to_read() {
    for row in HISTORY.iter() {
        for change in row.changes {
            assert!(change::link(change.source).is_some(), "{}: {}", row.field, change.source);
        }
    }
    assert_eq!(
        change::link("pkg/a/b.go (1.34)").as_deref(),
        Some("https://github.com/kubernetes/kubernetes/blob/release-1.34/pkg/a/b.go")
    );
    assert_eq!(
        change::link("kubernetes/kubernetes#7").as_deref(),
        Some("https://github.com/kubernetes/kubernetes/issues/7")
    );
    assert_eq!(
        change::link("pkg/a.go (1.22.6)").as_deref(),
        Some("https://github.com/kubernetes/kubernetes/blob/v1.22.6/pkg/a.go")
    );
    for other in ["somebody/else#7", "a note", "pkg/a.go", "pkg/a.go (now)"] {
        assert_eq!(change::link(other), None, "{other}");
    }
}

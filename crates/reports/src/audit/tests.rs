use serde_json::{Value, json};

use json::audit::{ClassDifference, Evidence};

use super::{Audit, Check, Finding, GapCause, budgets, classes, guards, nominations, pods, spread};
use model::cluster::Cluster;
use model::snapshot::Kind;
use testing::{NOW, Pod, at, budget, cluster, namespace, node, objects, pod, priority_class};

fn audit(cluster: &Cluster) -> Audit {
    super::run(cluster, None, &at("1.37").profile(), NOW.parse().unwrap())
}

fn codes(audit: &Audit) -> Vec<&'static str> {
    audit.findings.iter().map(|found| found.check.code).collect()
}

fn found(objects: Vec<Value>) -> Vec<Evidence> {
    audit(&cluster(objects)).findings.into_iter().map(|found| found.evidence).collect()
}

/// A node, and priority class `high` with a pod.
fn base() -> Vec<Value> {
    objects![
        node("n1").cpu("4").zone("a"),
        namespace("default"),
        priority_class("high", 1000),
        high("h").on("n1").replica_of("h"),
    ]
}

fn with(more: Vec<Value>) -> Vec<Value> {
    [base(), more].concat()
}

pub(super) fn high(name: &str) -> Pod {
    pod(name).cpu("1").priority(1000).with("/spec/priorityClassName", "high")
}

/// A pod of ReplicaSet `web` that nothing is wrong with.
pub(super) fn web(name: &str) -> Pod {
    pod(name).cpu("1").label("app", "web").on("n1").replica_of("web")
}

pub(super) fn counted(name: &str, desired: i64, expected: i64) -> testing::Budget {
    budget(name)
        .selects("app", "web")
        .with("/status/desiredHealthy", desired)
        .with("/status/expectedPods", expected)
}

/// Objects with which a check finds something, and similar ones with which it does not. They stand
/// beside [`base`].
pub(super) struct Example {
    pub(super) code: &'static str,
    pub(super) found: Vec<Value>,
    pub(super) clean: Vec<Value>,
}

fn examples() -> Vec<Example> {
    let themes = [
        budgets::tests::examples(),
        classes::tests::examples(),
        pods::tests::examples(),
        nominations::tests::examples(),
        guards::tests::examples(),
        spread::tests::examples(),
    ];
    themes.into_iter().flatten().collect()
}

#[test]
fn every_check_finds_what_it_is_for_and_nothing_else() {
    for Example { code, found: bad, clean } in examples() {
        let of = |objects| -> Vec<Finding> {
            let findings = audit(&cluster(with(objects))).findings;
            findings.into_iter().filter(|found| found.check.code == code).collect()
        };
        let [found] = &*of(bad) else { panic!("{code}") };
        assert!(!found.clause().is_empty(), "{code}: it has its words");
        assert_eq!(of(clean), [], "{code}");
    }
}

#[test]
fn checks_are_complete_and_in_the_order_of_their_codes() {
    assert!(Check::all().map(|check| check.code).is_sorted_by(|a, b| a < b));
    let of_pairs = [classes::DIFFERS.code];
    let examples: Vec<&str> =
        examples().iter().map(|example| example.code).chain(of_pairs).collect();
    let names: Vec<String> = Check::all().map(|check| format!("{:?}", check.name)).collect();
    for (at, check) in Check::all().enumerate() {
        let Check { code, title, meaning, fix, .. } = check;
        assert_eq!(examples.iter().filter(|known| *known == code).count(), 1, "{code}");
        assert!(![title, meaning, fix].iter().any(|text| text.is_empty()), "{code}");
        assert!(!names[..at].contains(&names[at]) && names[at] != "Other", "{code}");
    }
}

#[test]
fn a_cluster_in_which_nothing_is_wrong() {
    assert_eq!(found(base()), []);
    assert_eq!(found(with(objects![web("w"), counted("b", 0, 1)])), []);
}

#[test]
fn pods_that_only_system_classes_preempt_are_no_finding() {
    let lone = |more: Vec<Value>| {
        found(
            [
                objects![
                    node("n1").cpu("4"),
                    priority_class("system-node-critical", 2_000_001_000)
                ],
                more,
            ]
            .concat(),
        )
    };
    let agent = || pod("agent").on("n1").of("apps/v1", "DaemonSet", "agent").ns("kube-system");
    assert_eq!(lone(objects![agent(), pod("bare").on("n1")]), []);
    assert_eq!(codes(&audit(&cluster(with(objects![agent()])))), ["AUD-303", "AUD-307"]);
}

#[test]
fn the_classes_of_two_clusters() {
    let here = cluster(objects![
        node("n1"),
        priority_class("same", 1),
        priority_class("value", 2),
        priority_class("policy", 3).with("/preemptionPolicy", "Never"),
        priority_class("default", 4).with("/globalDefault", true),
        priority_class("here", 5),
    ]);
    let there = cluster(objects![
        priority_class("same", 1),
        priority_class("value", 20),
        priority_class("policy", 3),
        priority_class("default", 4),
        priority_class("there", 6),
    ]);
    let audit = super::run(&here, Some(&there), &at("1.37").profile(), NOW.parse().unwrap());
    let differences = audit.findings.into_iter().filter_map(|found| match found.evidence {
        Evidence::ClassDiffers { difference } => Some((found.object.name, difference)),
        _ => None,
    });
    let named = |name: &str, difference| (name.to_owned(), difference);
    assert_eq!(
        differences.collect::<Vec<_>>(),
        [
            named("default", ClassDifference::GlobalDefault { default_here: true }),
            named("here", ClassDifference::OnlyHere { value: 5 }),
            named("policy", ClassDifference::PreemptionPolicy { preempts_here: false }),
            named("there", ClassDifference::OnlyThere { value: 6 }),
            named("value", ClassDifference::Value { here: 2, there: 20 }),
        ]
    );
}

#[test]
fn check_whose_kinds_are_unread_is_a_gap() {
    let mut cluster =
        cluster(with(objects![web("w"), web("v").with("/spec/priorityClassName", "gone")]));
    cluster.priority_classes.clear();
    let audit = audit(&cluster);
    assert!(
        audit.findings.iter().all(|found| found.check.needs.is_empty()),
        "{:?}",
        audit.findings
    );
    let gaps: Vec<(&str, bool)> = audit
        .gaps
        .iter()
        .map(|gap| (gap.kind.map_or("", Kind::plural), gap.left_out.is_empty()))
        .collect();
    assert_eq!(gaps, [("poddisruptionbudgets", true), ("priorityclasses", false)]);
}

#[test]
fn the_values_behind_a_finding() {
    let waits = with(objects![web("w").cpu("2"), high("waits").cpu("3").never_preempts()]);
    let findings = audit(&cluster(waits)).findings;
    let never = findings.into_iter().find(|found| found.check.code == "AUD-304");
    let [node, victims] = ["n1", "default/w"].map(str::to_owned);
    assert_eq!(
        never.map(|found| found.evidence),
        Some(Evidence::NeverPreempts { pods: 1, priority: 1000, node, victims: vec![victims] })
    );
}

/// The kind, the first object and the codes of each gap that is about objects.
fn unread(audit: &Audit) -> Vec<(&str, String, Vec<&str>)> {
    let gaps = audit.gaps.iter().filter_map(|gap| match &gap.cause {
        GapCause::Unread(note) | GapCause::UnreadThere(note) => Some((gap, note)),
        GapCause::Absent | GapCause::Refused(_) => None,
    });
    gaps.map(|(gap, note)| {
        let object = note.objects.first().map(ToString::to_string).unwrap_or_default();
        (
            gap.kind.map_or("", Kind::plural),
            object,
            gap.left_out.iter().map(|check| check.code).collect(),
        )
    })
    .collect()
}

#[test]
fn object_with_unreadable_field_is_a_gap_and_no_finding() {
    let typo = || budget("typo").selects("app", "wbe");
    let bad = || budget("bad").with("/spec/selector", json!({"matchLabels": "x"}));
    let audit = audit(&cluster(with(objects![web("w"), typo(), bad()])));
    let names: Vec<&str> = audit.findings.iter().map(|found| found.object.name.as_str()).collect();
    assert!(names.contains(&"typo") && !names.contains(&"bad"), "{:?}", audit.findings);
    let codes = vec!["AUD-101", "AUD-102", "AUD-103", "AUD-104"];
    assert_eq!(
        unread(&audit),
        [("poddisruptionbudgets", "PodDisruptionBudget default/bad".to_owned(), codes)]
    );
    assert!(audit.is_unsure());
}

#[test]
fn a_class_without_a_value_says_nothing_about_its_pods() {
    let bad = || priority_class("bad", 0).with("/value", "1000000");
    let user = || web("w").priority(1_000_000).with("/spec/priorityClassName", "bad");
    for more in [objects![bad()], objects![bad(), user()]] {
        let audit = audit(&cluster(with(more)));
        let about = codes(&audit);
        assert!(!about.contains(&"AUD-204") && !about.contains(&"AUD-301"), "{:?}", audit.findings);
        assert_eq!(unread(&audit).len(), 1, "{:?}", audit.gaps);
    }
}

#[test]
fn unreadable_field_that_no_check_reads_is_no_gap() {
    let odd = node("n2").with("/status/images", "x");
    let shown = budget("b").selects("app", "web").with("/status/expectedPods", "x");
    let audit =
        audit(&cluster(with(objects![web("w"), odd, shown.with("/metadata/resourceVersion", 7)])));
    let of: Vec<&str> = unread(&audit).into_iter().map(|(kind, ..)| kind).collect();
    assert!(!of.contains(&"nodes"), "{:?}", audit.gaps);
}

#[test]
fn rules_that_are_not_known_are_noted() {
    let objects = || cluster(base());
    assert!(!audit(&objects()).is_unsure());
    let audit = super::run(&objects(), None, &at("1.50").profile(), NOW.parse().unwrap());
    let codes: Vec<&str> = audit.notes.iter().map(|note| note.doc.code).collect();
    assert!(audit.is_unsure() && codes.contains(&"PRE-911"), "{:?}", audit.notes);
}

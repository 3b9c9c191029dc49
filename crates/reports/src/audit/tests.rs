use serde_json::{Value, json};

use super::{Audit, Check, ClassDifference, Evidence, GapCause};
use model::cluster::Cluster;
use model::snapshot::Kind;
use testing::{
    NOW, Pod, at, budget, cluster, labels, namespace, node, objects, owner, pod, priority_class,
};

fn audit(cluster: &Cluster) -> Audit {
    super::run(cluster, None, &at("1.37").profile(), NOW.parse().unwrap())
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

fn high(name: &str) -> Pod {
    pod(name).cpu("1").priority(1000).with("/spec/priorityClassName", "high")
}

/// A pod of ReplicaSet `web` that nothing is wrong with.
fn web(name: &str) -> Pod {
    pod(name).cpu("1").label("app", "web").on("n1").replica_of("web")
}

fn counted(name: &str, desired: i64, expected: i64) -> testing::Budget {
    budget(name)
        .selects("app", "web")
        .with("/status/desiredHealthy", desired)
        .with("/status/expectedPods", expected)
}

/// Spreads over zones, of which there is one.
fn spread(name: &str, min_domains: i64) -> Pod {
    web(name).constraint(
        json!({"topologyKey": "zone", "maxSkew": 1, "minDomains": min_domains, "labelSelector": labels("app", "web")}),
    )
}

/// For each check: objects with which it finds something, and similar ones with which it does not.
fn fixtures(check: Check) -> (Vec<Value>, Vec<Value>) {
    let (found, clean) = match check {
        Check::SeveralBudgets => {
            let one = || counted("a", 0, 1);
            (objects![web("w"), one(), counted("b", 0, 1)], objects![web("w"), one()])
        }
        Check::BudgetNeverAllows => (
            objects![web("w"), counted("a", 1, 1)],
            objects![web("w"), web("w2"), counted("a", 1, 2)],
        ),
        Check::BudgetSelectsAll => {
            let all = || budget("all").selector(json!({}));
            // One workload of its own namespace is what the budget is for.
            let alone = web("w").ns("shop");
            (objects![web("w"), all()], objects![alone, all().ns("shop")])
        }
        Check::BudgetSelectsNothing => (
            objects![web("w"), budget("b").selects("app", "wbe")],
            objects![web("w"), counted("b", 0, 1)],
        ),
        Check::SeveralGlobalDefaults => {
            let default = |name, value| priority_class(name, value).with("/globalDefault", true);
            (objects![default("a", 1), default("b", 2)], objects![default("a", 1)])
        }
        Check::OlderThanGlobalDefault => {
            let default = || priority_class("normal", 100).with("/globalDefault", true);
            let newer = web("w").priority(100).with("/spec/priorityClassName", "normal");
            (objects![default(), web("w")], objects![default(), newer])
        }
        Check::GlobalDefaultAboveClass => {
            let default = || priority_class("normal", 100).with("/globalDefault", true);
            (
                objects![default(), priority_class("low", 10)],
                objects![default(), priority_class("background", -10)],
            )
        }
        Check::UnusedClass => (
            objects![priority_class("gone", 5)],
            objects![
                priority_class("used", 5),
                web("w").priority(5).with("/spec/priorityClassName", "used")
            ],
        ),
        Check::PriorityNotOfClass => (
            objects![web("w").priority(7).with("/spec/priorityClassName", "high")],
            objects![high("h2").on("n1")],
        ),
        Check::MissingClass => (
            objects![web("w").priority(7).with("/spec/priorityClassName", "gone")],
            objects![web("w")],
        ),
        Check::AddOnPreemptible => {
            let exporter = |priority| web("e").label("app", "node-exporter").priority(priority);
            (objects![exporter(0)], objects![exporter(1000)])
        }
        Check::NeverPreempts => {
            let waits = || high("waits").cpu("3").never_preempts();
            let (a, b) = (|| web("w").cpu("2"), || web("w").cpu("1").priority(1000));
            (objects![a(), waits()], objects![b(), high("k").on("n1"), waits()])
        }
        Check::BarePod => {
            let bare = |priority| pod("bare").cpu("1").on("n1").priority(priority);
            (objects![bare(0)], objects![bare(1000), web("w")])
        }
        Check::DaemonSetComesBack => {
            let agent = |priority| {
                pod("agent")
                    .cpu("1")
                    .on("n1")
                    .of("apps/v1", "DaemonSet", "agent")
                    .priority(priority)
            };
            (objects![agent(0)], objects![agent(1000)])
        }
        Check::NoRequests => {
            let idle = || pod("idle").on("n1").replica_of("idle");
            (objects![idle()], objects![idle().pod_level("cpu", "1")])
        }
        Check::StaleNomination => {
            let waits = |cpu: &str| pod("n").cpu(cpu).priority(500).replica_of("n").nominated("n1");
            (objects![waits("4")], objects![waits("1")])
        }
        Check::StuckVictim => {
            let leaving = |due: &str| web("w").preempted().with("/metadata/deletionTimestamp", due);
            (objects![leaving("2020-01-01T00:00:00Z")], objects![leaving("2030-01-01T00:00:00Z")])
        }
        Check::SpreadWithoutDomains => {
            let over = |key| web("w").spread(key, 1, "app", "web");
            (objects![over("topology.kubernetes.io/zone")], objects![over("zone")])
        }
        Check::SpreadTooFewDomains => (
            objects![spread("a", 2), spread("b", 2), owner("ReplicaSet", "web", None)],
            objects![spread("a", 2), owner("ReplicaSet", "web", None)],
        ),
        Check::ClassDiffers => unreachable!("it has a test of its own"),
    };
    (with(found), with(clean))
}

#[test]
fn every_check_finds_what_it_is_for_and_nothing_else() {
    for check in Check::all().filter(|check| *check != Check::ClassDiffers) {
        let (bad, clean) = fixtures(check);
        let of =
            |objects| found(objects).iter().filter(|evidence| evidence.check() == check).count();
        assert_eq!(of(bad), 1, "{}", check.code());
        assert_eq!(of(clean), 0, "{}", check.code());
    }
}

#[test]
fn a_cluster_in_which_nothing_is_wrong() {
    assert_eq!(found(base()), []);
    assert_eq!(found(with(objects![web("w"), counted("b", 0, 1)])), []);
}

#[test]
fn what_nothing_of_users_preempts_is_no_matter() {
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
    let preemptors: Vec<Check> =
        found(with(objects![agent()])).iter().map(Evidence::check).collect();
    assert_eq!(preemptors, [Check::AddOnPreemptible, Check::NoRequests]);
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
fn what_was_not_read_is_left_out_and_said() {
    let mut cluster =
        cluster(with(objects![web("w"), web("v").with("/spec/priorityClassName", "gone")]));
    cluster.priority_classes.clear();
    let audit = audit(&cluster);
    assert!(
        audit.findings.iter().all(|found| found.check().needs().is_empty()),
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
    let never = found(waits).into_iter().find(|evidence| evidence.check() == Check::NeverPreempts);
    let [node, victims] = ["n1", "default/w"].map(str::to_owned);
    assert_eq!(
        never,
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
            gap.left_out.iter().map(|check| check.code()).collect(),
        )
    })
    .collect()
}

#[test]
fn what_hangs_on_a_field_that_cannot_be_read_is_not_found() {
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
        let about: Vec<&str> = audit.findings.iter().map(|found| found.check().code()).collect();
        assert!(!about.contains(&"AUD-204") && !about.contains(&"AUD-301"), "{:?}", audit.findings);
        assert_eq!(unread(&audit).len(), 1, "{:?}", audit.gaps);
    }
}

#[test]
fn what_no_check_reads_is_no_gap() {
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

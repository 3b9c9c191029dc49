use super::DryRun;
use crate::framework::evidence::InsufficientResource;
use crate::framework::operands::ResourceId;
use crate::testing::{Pod, at, budget, decide, node, objects, pod};

const NO_VICTIMS: &str = "No preemption victims found for incoming pod";

/// A pod on node `n`.
fn running(name: &str, priority: i32, cpu: &str) -> Pod {
    pod(name).priority(priority).cpu(cpu).on("n")
}

fn incoming(cpu: &str) -> Pod {
    pod("p").cpu(cpu).priority(10)
}

#[test]
fn as_many_as_possible_are_reprieved_the_most_important_first() {
    let n = || node("n").cpu("3");
    for (row, objects, want) in [
        (
            "one place is enough",
            objects![
                n(),
                running("a", 3, "1"),
                running("b", 2, "1"),
                running("c", 1, "1"),
                incoming("1")
            ],
            "victims c, violations 0, spared a b",
        ),
        (
            "two places",
            objects![
                n(),
                running("a", 3, "1"),
                running("b", 2, "1"),
                running("c", 1, "1"),
                incoming("2")
            ],
            "victims b c, violations 0, spared a",
        ),
        (
            "a large pod goes though a smaller, less important one stays",
            objects![n(), running("a", 3, "2"), running("b", 2, "1"), incoming("2")],
            "victims a, violations 0, spared b",
        ),
        (
            "the older one is spared",
            objects![
                node("n").cpu("2"),
                running("a", 1, "1").started("2026-01-01T00:00:00Z"),
                running("b", 1, "1").started("2025-01-01T00:00:00Z"),
                incoming("1")
            ],
            "victims a, violations 0, spared b",
        ),
        (
            "one that has not started is the youngest",
            objects![
                node("n").cpu("2"),
                running("a", 1, "1"),
                running("b", 1, "1").started("2025-01-01T00:00:00Z"),
                incoming("1")
            ],
            "victims a, violations 0, spared b",
        ),
        (
            "one that is being deleted is a victim like any other",
            objects![node("n").cpu("1"), running("a", 1, "1").terminating(), incoming("1")],
            "victims a, violations 0",
        ),
        (
            "a pod without a priority counts as 0",
            objects![
                node("n").cpu("2"),
                pod("a").cpu("1").on("n"),
                running("b", -1, "1"),
                incoming("1")
            ],
            "victims b, violations 0, spared a",
        ),
    ] {
        assert_eq!(decide(objects, "p").dry_run("n"), want, "{row}");
    }
}

#[test]
fn no_pod_of_the_same_or_higher_priority_is_evicted() {
    let n = || node("n").cpu("2");
    for (row, objects, want) in [
        ("nobody there", objects![node("n").cpu("1").pods(0), incoming("1")], NO_VICTIMS),
        ("the same priority", objects![n(), running("a", 10, "2"), incoming("1")], NO_VICTIMS),
        ("a higher one", objects![n(), running("a", 11, "2"), incoming("1")], NO_VICTIMS),
        (
            "not enough without them",
            objects![n(), running("a", 10, "1500m"), running("b", 1, "500m"), incoming("1")],
            "Insufficient cpu",
        ),
        (
            "enough without them",
            objects![
                n(),
                running("a", 10, "1"),
                running("b", 1, "500m"),
                running("c", 1, "500m"),
                incoming("1")
            ],
            "victims b c, violations 0",
        ),
    ] {
        assert_eq!(decide(objects, "p").dry_run("n"), want, "{row}");
    }
}

#[test]
fn protected_pods_are_put_back_first() {
    let n = || node("n").cpu("2");
    let web = |name, priority| running(name, priority, "1").label("app", "web");
    let protect = |allowed| budget("b").selects("app", "web").allowed(allowed);
    for (row, objects, want) in [
        (
            "a protected pod before a more important one",
            objects![n(), protect(0), running("a", 2, "1"), web("b", 1), incoming("1")],
            "victims a, violations 0, spared b",
        ),
        (
            "both have to go: by importance again, whatever their group",
            objects![n(), protect(0), running("a", 2, "1"), web("b", 1), incoming("2")],
            "victims a b, violations 1",
        ),
        (
            "both are protected",
            objects![n(), protect(0), web("a", 2), web("b", 1), incoming("1")],
            "victims b, violations 1, spared a",
        ),
        (
            "the more important pod uses the budget up, so the other one is spared first",
            objects![n(), protect(1), web("a", 2), web("b", 1), incoming("1")],
            "victims a, violations 0, spared b",
        ),
        (
            "the budget allows both",
            objects![n(), protect(2), web("a", 2), web("b", 1), incoming("1")],
            "victims b, violations 0, spared a",
        ),
    ] {
        for version in ["1.33", "1.36", "1.37"] {
            assert_eq!(
                at(version).decide(objects.clone(), "p").dry_run("n"),
                want,
                "{version}: {row}"
            );
        }
    }
}

#[test]
fn victims_name_what_they_block() {
    let answer = decide(
        objects![
            node("n").cpu("2"),
            running("a", 2, "1").port(80, "TCP", ""),
            running("b", 1, "1"),
            incoming("1").port(80, "TCP", "")
        ],
        "p",
    );
    assert_eq!(answer.dry_run("n"), "victims a, violations 0, spared b");
    let Some(DryRun::Candidate(candidate)) = answer.dry_run_of("n") else { panic!("{answer:?}") };
    let (plugin, rejection) = &answer.blockers[&candidate.victims[0].pod];
    assert_eq!(*plugin, "NodePorts");
    assert_eq!(
        rejection.texts(&answer.cluster),
        ["node(s) didn't have free ports for the requested pod ports"]
    );
}

#[test]
fn a_node_that_stays_rejected_names_the_plugin() {
    let answer = decide(
        objects![node("n").cpu("2"), running("a", 10, "2"), running("b", 1, "0"), incoming("1")],
        "p",
    );
    let Some(DryRun::NoCandidate { plugin, rejection, .. }) = answer.dry_run_of("n") else {
        panic!("{answer:?}")
    };
    assert_eq!(*plugin, Some("NodeResourcesFit"));
    let want = InsufficientResource {
        resource: ResourceId::Cpu,
        requested: 1000,
        used: 2000,
        allocatable: 2000,
        parts: None,
    };
    assert_eq!(rejection.reasons[0].lack(), Some(&want));
}

#[test]
fn a_tie_between_reprieved_and_evicted_is_reported() {
    let tie = |later: &str| {
        let objects = objects![
            node("n").cpu("2"),
            running("a", 1, "1").started("2025-01-01T00:00:00Z"),
            running("b", 1, "1").started(later),
            incoming("1"),
        ];
        let notes = decide(objects, "p").notes();
        notes.iter().any(|n| {
            n.contains("2 pods on n are equal in priority and age: kube-scheduler evicts 1 of them")
        })
    };
    assert!(tie("2025-01-01T00:00:00Z"));
    assert!(!tie("2025-01-01T00:00:01Z"));
}

#[test]
fn nominated_pods_keep_their_resources_during_victim_selection() {
    let n = || node("n").cpu("3");
    let pods = || objects![n(), running("a", 2, "1"), running("b", 1, "1"), running("c", 0, "1")];
    for (row, nominee, want) in [
        ("nobody nominated", pod("z").cpu("1").priority(10), "victims c, violations 0, spared a b"),
        (
            "one of the same priority",
            pod("z").cpu("1").priority(10).nominated("n"),
            "victims b c, violations 0, spared a",
        ),
        (
            "one of lower priority",
            pod("z").cpu("1").priority(9).nominated("n"),
            "victims c, violations 0, spared a b",
        ),
        ("one that takes all", pod("z").cpu("3").priority(10).nominated("n"), "Insufficient cpu"),
    ] {
        assert_eq!(
            decide([pods(), objects![nominee, incoming("1")]].concat(), "p").dry_run("n"),
            want,
            "{row}"
        );
    }
}

#[test]
fn equally_important_pods_are_a_choice_only_if_their_order_matters() {
    let holder = || running("holder", 1, "1").port(80, "TCP", "");
    let other = || running("other", 1, "1");
    for (row, pod, certainty, sets) in [
        ("the port has one holder", pod("p").port(80, "TCP", ""), "Certain", 1),
        ("one of two has to go", pod("p").cpu("1"), "OneOf", 2),
        ("both have to go", pod("p").cpu("2"), "Certain", 1),
    ] {
        let answer = decide(objects![node("n").cpu("2"), holder(), other(), pod.priority(9)], "p");
        assert_eq!((answer.outcome(), answer.certainty()), ("Preempt", certainty), "{row}");
        let found = answer.victim_sets().join(" ");
        assert_eq!(found.split(" | ").count(), sets, "{row}: {found}");
    }
}

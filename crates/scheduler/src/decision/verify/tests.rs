use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Verification, VerificationResult, lists};
use crate::testing::{
    BEFORE, NOW, Pod, at, claim, csi_driver, csi_node, decide, node, objects, pod, verify, volume,
};

const FULL: &str = "0/2 nodes are available: 2 Insufficient cpu. preemption: 0/2 nodes are available: 2 No preemption victims \
                    found for incoming pod.";

/// Two full nodes, and a pod about which the scheduler wrote `message`.
fn full(message: &str) -> Vec<Value> {
    let busy = |name: &str, node: &str| {
        pod(name).cpu("4").priority(9).on(node).started("2025-01-01T00:00:00Z")
    };
    objects![
        node("a").cpu("4").created("2025-01-01T00:00:00Z"),
        node("b").cpu("4"),
        busy("x", "a"),
        busy("y", "b"),
        waiting().refused(message)
    ]
}

fn waiting() -> Pod {
    pod("p").cpu("1")
}

fn result(found: &Verification) -> (VerificationResult, &str, String) {
    (found.verdict, &found.what, found.evidence.join("; "))
}

#[test]
fn the_same_words_are_equal() {
    assert_eq!(result(&verify(full(FULL), "p")), (VerificationResult::Equal, "", String::new()));
    assert_eq!(decide(full(FULL), "p").condition(), FULL);
    let error = "running PreFilter plugin \"PodTopologySpread\": ";
    let bad = waiting().constraint(json!({"topologyKey": "z", "maxSkew": 1,
        "labelSelector": {"matchExpressions": [{"key": "a", "operator": "Like"}]}}));
    let said = decide(objects![node("a"), bad.clone()], "p").condition().to_owned();
    assert!(said.starts_with(error), "{said}");
    let found = verify(objects![node("a"), bad.condition("SchedulerError", &said, BEFORE)], "p");
    assert_eq!(found.verdict, VerificationResult::Equal);
}

#[test]
fn message_of_preemption_is_verified_by_version() {
    let base = "0/1 nodes are available: 1 Insufficient cpu.";
    let told = format!(
        "{base} preemption: found a potential placement for pod on node n, preempting 1 victims"
    );
    let objects = |message: &str| {
        objects![
            node("n").cpu("1"),
            pod("v").cpu("1").on("n"),
            waiting().priority(9).refused(message)
        ]
    };
    for (version, message, want) in [
        ("1.36", base, VerificationResult::Equal),
        ("1.36", &told, VerificationResult::Different),
        ("1.37", base, VerificationResult::Different),
        ("1.37", &told, VerificationResult::Equal),
    ] {
        assert_eq!(at(version).verify(objects(message), "p").verdict, want, "{version}: {message}");
    }
    let retry =
        format!("{base} preemption: not eligible due to a terminating pod on the nominated node.");
    let leaving = |message: &str| {
        objects![
            node("n").cpu("1"),
            pod("v").cpu("1").on("n").preempted(),
            waiting().priority(9).nominated("n").refused(message)
        ]
    };
    assert_eq!(
        verify(leaving(&retry), "p").verdict,
        VerificationResult::Equal,
        "tried again while the victim goes"
    );
    let found = verify(leaving(&told), "p");
    assert_eq!(
        (found.verdict, found.what.as_str()),
        (
            VerificationResult::Stale,
            "condition says preemption on n with 1 victims; now preemption not eligible due to a terminating pod on the \
             nominated node."
        ),
        "not tried again yet"
    );
}

#[test]
fn any_of_several_winners_may_be_named() {
    let message = |node: &str, victims: usize| {
        format!(
            "0/2 nodes are available: 2 Insufficient cpu. preemption: found a potential placement for pod on node {node}, \
             preempting {victims} victims"
        )
    };
    let objects = |message: &str| {
        let victim =
            |name: &str, node: &str| pod(name).cpu("1").on(node).started("2025-01-01T00:00:00Z");
        objects![
            node("a").cpu("1"),
            node("b").cpu("1"),
            victim("x", "a"),
            victim("y", "b"),
            waiting().priority(9).refused(message)
        ]
    };
    for (said, want) in [
        (message("a", 1), VerificationResult::Equal),
        (message("b", 1), VerificationResult::Equal),
        (message("b", 2), VerificationResult::Different),
        (message("c", 1), VerificationResult::Different),
        (message("b", 1).replace("2 Insuff", "1 Insuff"), VerificationResult::Different),
    ] {
        assert_eq!(verify(objects(&said), "p").verdict, want, "{said}");
    }
}

#[test]
fn dry_runs_fail_in_any_order() {
    let errors = || BTreeSet::from(["no a, b", "no a", "no c"]);
    for (text, want) in [
        ("[no a, no a, b, no c]", true),
        ("[no c, no a, b, no a]", true),
        ("[no a, b, no a]", false),
        ("[no a, b, no a, no c, no d]", false),
        ("[no a, b, no a, no c, ]", false),
        ("no a, b, no a, no c", false),
        ("[]", false),
    ] {
        assert_eq!(lists(text, errors()), want, "{text}");
    }
}

/// A claim with a volume of the driver of its name, without which kube-scheduler rejects a node.
fn on_driver(name: &str) -> Vec<Value> {
    let driver = format!("{name}.example.com");
    objects![
        csi_driver(&driver).with("/spec/preventPodSchedulingIfMissing", true),
        claim(name, "").bound(name),
        volume(name, "").csi(&driver, name)
    ]
}

/// kube-scheduler names the first that it meets in a map.
#[test]
fn any_of_several_missing_drivers_may_be_named() {
    let objects = |said: &str| {
        let message = format!(
            "0/2 nodes are available: {said}. preemption: 0/2 nodes are available: 2 No preemption victims found for \
             incoming pod."
        );
        let pod = waiting().claim("a").claim("b").refused(&message);
        [on_driver("a"), on_driver("b"), objects![node("n1").cpu("4"), node("n2").cpu("4"), pod]]
            .concat()
    };
    let lacks = |count: usize, driver: &str| {
        format!("{count} {driver}.example.com CSI driver is not installed on the node")
    };
    for (said, want) in [
        (lacks(2, "a"), VerificationResult::Equal),
        (lacks(2, "b"), VerificationResult::Equal),
        (format!("{}, {}", lacks(1, "a"), lacks(1, "b")), VerificationResult::Equal),
        (lacks(2, "c"), VerificationResult::Different),
        (lacks(1, "b"), VerificationResult::Different),
    ] {
        let found = verify(objects(&said), "p");
        assert_eq!(found.verdict, want, "{found:?}");
    }
}

/// Each node has its own of them.
#[test]
fn a_missing_driver_of_other_nodes_is_not_named() {
    let objects = |said: &[&str]| {
        let said: Vec<String> = said
            .iter()
            .map(|driver| format!("1 {driver}.example.com CSI driver is not installed on the node"))
            .collect();
        let message = format!(
            "0/2 nodes are available: {}. preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod.",
            said.join(", ")
        );
        let pod = ["a", "b", "c", "d"]
            .iter()
            .fold(waiting(), |pod, claim| pod.claim(claim))
            .refused(&message);
        let has = |node: &str, drivers: [&str; 2]| csi_node(node, &drivers.map(|name| (name, 9)));
        let nodes = objects![
            node("n1").cpu("4"),
            node("n2").cpu("4"),
            has("n1", ["c.example.com", "d.example.com"]),
            has("n2", ["a.example.com", "b.example.com"]),
            pod
        ];
        [["a", "b", "c", "d"].map(on_driver).concat(), nodes].concat()
    };
    for (said, want) in [
        (["a", "c"], VerificationResult::Equal),
        (["b", "d"], VerificationResult::Equal),
        (["a", "b"], VerificationResult::Different),
    ] {
        let found = verify(objects(&said), "p");
        assert_eq!(found.verdict, want, "{said:?} {found:?}");
    }
}

#[test]
fn any_number_of_victims_that_an_order_leads_to_may_be_named() {
    let objects = |victims: usize| {
        let message = format!(
            "0/1 nodes are available: 1 Insufficient cpu. preemption: found a potential placement for pod on node n, \
             preempting {victims} victims"
        );
        let victim =
            |name: &str, cpu: &str| pod(name).cpu(cpu).on("n").started("2025-01-01T00:00:00Z");
        let pods = objects![victim("a", "1"), victim("b", "2"), victim("c", "1"), victim("d", "1")];
        [pods, objects![node("n").cpu("5"), waiting().cpu("2").priority(9).refused(&message)]]
            .concat()
    };
    for (said, want) in [
        (1, VerificationResult::Equal),
        (2, VerificationResult::Equal),
        (3, VerificationResult::Different),
    ] {
        assert_eq!(verify(objects(said), "p").verdict, want, "{said}");
    }
}

#[track_caller]
fn differs(objects: Vec<Value>, verdict: VerificationResult, what: &str, evidence: &str) {
    assert_eq!(result(&verify(objects, "p")), (verdict, what, evidence.to_owned()));
}

#[test]
fn nodes_and_pods_that_came_explain_counts() {
    let fewer = FULL.replace("2 ", "1 ").replace("0/2", "0/1");
    let what = "condition says 0/1 nodes, 1 Insufficient cpu; now 0/2 nodes, 2 Insufficient cpu";
    differs(full(&fewer), VerificationResult::Stale, what, "number of nodes: 1 then, 2 now");
    let full_of_pods = FULL.replace("2 Insufficient cpu", "1 Insufficient cpu, 1 Too many pods");
    let with = |pod: Pod| [full(&full_of_pods), objects![pod]].concat();
    let what = "condition says 1 Insufficient cpu, 1 Too many pods; now 2 Insufficient cpu, 0 Too many pods";
    differs(full(&full_of_pods), VerificationResult::Different, what, "");
    differs(
        with(pod("new").on("a").started(NOW)),
        VerificationResult::Stale,
        what,
        "pods came to nodes: default/new",
    );
    let old = || pod("old").on("b").started("2025-01-01T00:00:00Z");
    let due = |time: &str| old().with("/metadata/deletionTimestamp", time);
    differs(
        with(due("2026-01-01T00:00:30Z")),
        VerificationResult::Stale,
        what,
        "pods are being deleted: default/old",
    );
    differs(with(due("2025-12-31T23:59:00Z")), VerificationResult::Different, what, "");
}

#[test]
fn only_nodes_explain_what_depends_on_nodes() {
    let tainted = FULL
        .replace("2 Insufficient cpu", "1 Insufficient cpu, 1 node(s) had untolerated taint(s)");
    let with = |object: Value| [full(&tainted), vec![object]].concat();
    let what = "condition says 1 Insufficient cpu, 1 node(s) had untolerated taint(s); now 2 Insufficient cpu, 0 node(s) had \
                untolerated taint(s)";
    let came = pod("new").on("a").started(NOW).into();
    differs(with(came), VerificationResult::Different, what, "pods came to nodes: default/new");
    let taint = json!({"key": "k", "effect": "PreferNoSchedule", "timeAdded": NOW});
    let got_a_taint = node("a").cpu("4").push("/spec/taints", taint).into();
    differs(with(got_a_taint), VerificationResult::Stale, what, "nodes got taints: a");
    differs(
        with(node("a").cpu("4").created(NOW).into()),
        VerificationResult::Stale,
        what,
        "nodes joined: a",
    );
}

/// Two nodes, both full, of which `a` changed after the message; the rest is as in [`full`].
fn changed(a: crate::testing::Node, message: &str, pod: Pod) -> Vec<Value> {
    let busy = |name: &str, node: &str| {
        crate::testing::pod(name).cpu("4").priority(9).on(node).started("2025-01-01T00:00:00Z")
    };
    let pods = objects![busy("x", "a"), busy("y", "b"), pod.refused(message)];
    [objects![a, node("b").cpu("4").label("disk", "ssd")], pods].concat()
}

/// Long before the message.
const OLD: &str = "2020-01-01T00:00:00Z";

#[test]
fn node_that_got_worse_for_the_pod_leaves_the_message_stale() {
    let base = || node("a").cpu("4").label("disk", "ssd");
    let selects = || waiting().selects_nodes("disk", "ssd");
    let not_helpful = FULL.replace(
        "No preemption victims found for incoming pod",
        "Preemption is not helpful for scheduling",
    );
    for (a, pod, what) in [
        (base().cordoned(), waiting(), "cordoned: a"),
        (base().taint("k", "v", "NoSchedule"), waiting(), "tainted: a"),
        (node("a").cpu("4"), selects(), "labelled otherwise: a"),
        (base().pods(1), waiting(), "given a smaller allocatable: a"),
        (base().cordoned().taint("k", "v", "NoSchedule"), waiting(), "cordoned: a"),
    ] {
        let found = verify(changed(a, &not_helpful, pod), "p");
        let line = format!(
            "nodes may have changed without making kube-scheduler try the pod again ({what})"
        );
        assert_eq!(
            (found.verdict, found.evidence),
            (VerificationResult::Stale, vec![line]),
            "{what}"
        );
    }
    // Managed fields say when that was, and by whom; what was there before the condition explains nothing.
    for (time, verdict, what) in [
        (NOW, VerificationResult::Stale, "cordoned by kubectl-cordon, 0s ago at the latest: a"),
        (OLD, VerificationResult::Different, ""),
    ] {
        let fields = json!([{"manager": "kubectl-cordon", "time": time,
            "fieldsV1": {"f:spec": {"f:unschedulable": {}}}}]);
        let cordoned = base().cordoned().with("/metadata/managedFields", fields);
        let found = verify(changed(cordoned, &not_helpful, waiting()), "p");
        assert_eq!(found.verdict, verdict, "{time}");
        assert!(found.evidence.concat().contains(what), "{:?}", found.evidence);
    }
    // The same of a label, and of what is allocatable: a heartbeat dates nothing, a removed label
    // leaves no time.
    let other = || node("a").cpu("4").label("disk", "hdd");
    let few = || base().pods(1);
    let label = json!({"f:metadata": {"f:labels": {".": {}, "f:disk": {}}}});
    let amounts = json!({"f:status": {"f:allocatable": {"f:pods": {}}}});
    let heartbeat =
        json!({"f:status": {"f:allocatable": {"f:pods": {}}, "f:conditions": {".": {}}}});
    let (stale, different) = (VerificationResult::Stale, VerificationResult::Different);
    for (row, a, pod, time, fields, verdict, what) in [
        (
            "label",
            other(),
            selects(),
            NOW,
            &label,
            stale,
            "labelled otherwise by admin, 0s ago at the latest: a",
        ),
        ("old label", other(), selects(), OLD, &label, different, ""),
        ("no label", node("a").cpu("4"), selects(), OLD, &label, stale, "labelled otherwise: a"),
        (
            "amount",
            few(),
            waiting(),
            NOW,
            &amounts,
            stale,
            "smaller allocatable by admin, 0s ago at the latest: a",
        ),
        ("old amount", few(), waiting(), OLD, &amounts, different, ""),
        ("heartbeat", few(), waiting(), NOW, &heartbeat, stale, "smaller allocatable: a"),
        ("old heartbeat", few(), waiting(), OLD, &heartbeat, different, ""),
    ] {
        let managed = json!([{"manager": "admin", "time": time, "fieldsV1": fields}]);
        let a = a.with("/metadata/managedFields", managed);
        let found = verify(changed(a, &not_helpful, pod), "p");
        assert_eq!(found.verdict, verdict, "{row}");
        assert!(found.evidence.concat().contains(what), "{row}: {:?}", found.evidence);
    }
    // Without the cordon the pod would have fitted, so the message was never right.
    let roomy = objects![
        node("a").cpu("4").cordoned(),
        node("b").cpu("1"),
        waiting().cpu("2").refused(&not_helpful)
    ];
    assert_eq!(verify(roomy, "p").verdict, VerificationResult::Different);
}

#[test]
fn differences_of_other_kinds() {
    differs(
        full(&FULL.replace("No preemption victims found for incoming pod", "Insufficient cpu")),
        VerificationResult::Different,
        "condition says preemption nowhere (2 Insufficient cpu); now preemption nowhere (2 No preemption victims found for \
         incoming pod)",
        "",
    );
    differs(
        full(&FULL.replace(". preemption", ". no new claims to deallocate, preemption")),
        VerificationResult::Different,
        "condition says `no new claims to deallocate`; now nothing of other plugins",
        "",
    );
    differs(full("boom"), VerificationResult::Different, "the messages are of different kinds", "");
}

#[test]
fn a_pod_that_fits_by_now() {
    let roomy = |node| objects![node, waiting().refused(&FULL.replace('2', "1"))];
    let what = "condition says 0/1 nodes, 1 Insufficient cpu; now it fits on a";
    let found = verify(roomy(node("a").cpu("4")), "p");
    assert_eq!(result(&found), (VerificationResult::Different, what, String::new()));
    assert_eq!(found.computed, None);
    let found = verify(roomy(node("a").cpu("4").created(NOW)), "p");
    assert_eq!(result(&found), (VerificationResult::Stale, what, "nodes joined: a".to_owned()));
    let nominated =
        objects![node("a").cpu("4"), waiting().nominated("a").refused(&FULL.replace('2', "1"))];
    assert_eq!(
        result(&verify(nominated, "p")),
        (VerificationResult::Stale, what, "it is nominated to a".to_owned())
    );
}

#[test]
fn taints_do_not_go_with_pods() {
    let rejected =
        || waiting().refused("0/1 nodes are available: 1 node(s) had untolerated taint(s).");
    let what = "condition says 0/1 nodes, 1 node(s) had untolerated taint(s); now it fits on a";
    let came = pod("new").on("a").started(NOW);
    differs(
        objects![node("a").cpu("4"), came, rejected()],
        VerificationResult::Different,
        what,
        "pods came to nodes: default/new",
    );
}

#[test]
fn message_of_another_version_is_different_not_stale() {
    let told = "0/1 nodes are available: 1 Insufficient cpu. preemption: found a potential placement for pod on node n, \
                preempting 1 victims";
    let base = "0/1 nodes are available: 1 Insufficient cpu.";
    for (version, message, verdict) in [
        ("1.36", told, VerificationResult::Different),
        ("1.37", told, VerificationResult::Stale),
        ("1.36", base, VerificationResult::Stale),
        ("1.37", base, VerificationResult::Different),
    ] {
        let busy = pod("x").cpu("1").priority(99).on("n").started(NOW);
        let objects = objects![node("n").cpu("1"), busy, waiting().priority(9).refused(message)];
        assert_eq!(at(version).verify(objects, "p").verdict, verdict, "{version}: {message}");
    }
}

#[test]
fn pods_without_a_message() {
    let none =
        "there is no PodScheduled condition that is False: the scheduler has not rejected it yet";
    for (row, pod, want) in [
        ("never tried", waiting(), none),
        (
            "scheduled, it says",
            waiting().push("/status/conditions", json!({"type": "PodScheduled", "status": "True"})),
            none,
        ),
        (
            "gated",
            waiting().gated("g").condition("SchedulingGated", "Scheduling is blocked", BEFORE),
            "Pod default/p waits for its scheduling gate [g]; kube-scheduler ignores it until it is removed.",
        ),
        (
            "gated until now",
            waiting().condition("SchedulingGated", "Scheduling is blocked", BEFORE),
            "its scheduling gates are gone, and the scheduler has not rejected it since",
        ),
        (
            "no text",
            waiting().condition("Unschedulable", "", BEFORE),
            "the PodScheduled condition has no message",
        ),
        (
            "on a node",
            waiting().on("n").refused(FULL),
            "Pod default/p is already assigned to node n.",
        ),
        (
            "another scheduler",
            waiting().scheduler("mine").refused(FULL),
            "Pod default/p is left to scheduler \"mine\", whose rules are not known here; default-scheduler ignores it.",
        ),
    ] {
        let found = verify(objects![node("n"), pod], "p");
        assert_eq!(
            (found.verdict, found.what.as_str()),
            (VerificationResult::NoMessage, want),
            "{row}"
        );
    }
}

use serde_json::{Value, json};

use crate::testing::{Pod, at, claim, node, objects, pod, volume};
use profile::Profile;

const HOST: &str = "kubernetes.io/hostname";
const EXCLUDED: &str = "UU: node is filtered out by the prefilter result";

/// A pod whose volume is on host `n`, nominated to `m`; a pod that it may evict is on each of the
/// two.
fn volume_elsewhere() -> Vec<Value> {
    objects![
        node("m").label(HOST, "m").cpu("1"),
        node("n").label(HOST, "n").cpu("1"),
        pod("on-m").cpu("1").on("m"),
        pod("on-n").cpu("1").on("n"),
        claim("c", "").bound("pv"),
        volume("pv", "").on_nodes(HOST, "n"),
        pod("p").cpu("1").priority(9).claim("c").nominated("m"),
    ]
}

/// A pod that asks for one of the nodes of these names.
fn by_name(names: &[&str]) -> Pod {
    let term = |name: &&str| json!({"matchFields": [{"key": "metadata.name", "operator": "In", "values": [name]}]});
    names.iter().map(term).fold(pod("p"), Pod::node_term)
}

#[test]
fn excluded_nominated_node_is_reported_like_the_others() {
    let own = "U NodeResourcesFit: Insufficient cpu";
    let not_helpful = "Preemption is not helpful for scheduling";
    let affinity = "node(s) had volume node affinity conflict";
    for (version, want, dry_run) in [
        ("1.27.13", own, affinity),
        ("1.27.14", EXCLUDED, not_helpful),
        ("1.28.9", own, affinity),
        ("1.28.10", EXCLUDED, not_helpful),
        ("1.29.4", own, affinity),
        ("1.29.5", EXCLUDED, not_helpful),
        ("1.29.6", own, affinity),
        ("1.30.0", EXCLUDED, not_helpful),
        ("1.30.1", EXCLUDED, not_helpful),
        ("1.30.2", own, affinity),
        ("1.31.2", own, affinity),
    ] {
        let answer = at(version).decide(volume_elsewhere(), "p");
        assert_eq!(
            (answer.node("m").as_str(), answer.dry_run("m").as_str()),
            (want, dry_run),
            "{version}"
        );
        assert_eq!((answer.outcome(), answer.winners().as_str()), ("Preempt", "n"), "{version}");
    }
}

#[test]
fn a_nominated_node_that_fits_is_taken_before_missing_ones_are_looked_for() {
    let error = "nodeinfo not found for node name \"gone\"";
    for (row, version, nominated, want) in [
        ("not nominated", "1.29.4", "", ("Error", error)),
        ("nominated to the node that is there", "1.29.4", "n", ("Schedulable", "n")),
        ("nominated to a node that is not asked for", "1.29.4", "m", ("Error", error)),
        ("nominated to the node that is gone", "1.29.4", "gone", ("Error", error)),
        ("not nominated, a version that does not mind", "1.29.6", "", ("Schedulable", "n")),
    ] {
        let objects = objects![node("m"), node("n"), by_name(&["n", "gone"]).nominated(nominated)];
        let answer = at(version).decide(objects, "p");
        let got =
            if answer.error().is_empty() { answer.selected() } else { answer.message().to_owned() };
        assert_eq!((answer.outcome(), got.as_str()), want, "{row}");
    }
}

#[test]
fn no_requested_node_exists() {
    let crash = ("Error", "Crash");
    for (version, want) in [
        ("1.27.13", ("Error", "CycleError")),
        ("1.27.14", crash),
        ("1.27.15", ("Unschedulable", "")),
        ("1.28.9", ("Error", "CycleError")),
        ("1.28.10", crash),
        ("1.28.11", ("Unschedulable", "")),
        ("1.29.4", ("Error", "CycleError")),
        ("1.29.5", crash),
        ("1.29.6", ("Unschedulable", "")),
        ("1.30.0", crash),
        ("1.30.1", crash),
        ("1.30.2", ("Unschedulable", "")),
        ("1.37.1", ("Unschedulable", "")),
    ] {
        let answer = at(version).decide(objects![node("n"), by_name(&["gone"])], "p");
        assert_eq!((answer.outcome(), answer.error()), want, "{version}");
        if want == crash {
            assert_eq!(
                (answer.node("n").as_str(), answer.message()),
                ("not tried", ""),
                "{version}"
            );
        }
    }
    let one_is_there = objects![node("n"), by_name(&["gone", "n"])];
    assert_eq!(at("1.30.0").decide(one_is_there, "p").outcome(), "Schedulable");
}

/// A pod that claims all devices of its node, of which `a` still publishes some: an error there, no
/// fault of `n`.
fn all_devices(nominated: &str) -> Vec<Value> {
    let resource = |kind: &str, name: &str, spec: Value| json!({"apiVersion": "resource.k8s.io/v1", "kind": kind, "metadata": {"name": name, "namespace": "default"}, "spec": spec});
    let slice = |node: &str, of: u32| {
        resource(
            "ResourceSlice",
            node,
            json!({
                "driver": "gpu.example.com", "nodeName": node, "devices": [{"name": "d"}],
                "pool": {"name": node, "generation": 1, "resourceSliceCount": of},
            }),
        )
    };
    let request =
        json!({"name": "r", "exactly": {"deviceClassName": "gpu", "allocationMode": "All"}});
    let claimed =
        pod("p").push("/spec/resourceClaims", json!({"name": "c", "resourceClaimName": "c"}));
    objects![
        node("a"),
        node("n"),
        slice("a", 2),
        slice("n", 1),
        resource("DeviceClass", "gpu", json!({})),
        resource("ResourceClaim", "c", json!({"devices": {"requests": [request]}})),
        claimed.nominated(nominated),
    ]
}

#[test]
fn a_failing_node_does_not_count_if_the_nominated_node_fits() {
    for (row, nominated, want) in [
        ("not nominated", "", ("Error", "", "not tried")),
        ("nominated to the one that fits", "n", ("Schedulable", "n", "fits")),
        ("nominated to the one that fails", "a", ("Error", "", "not tried")),
    ] {
        let answer = at("1.37").decide(all_devices(nominated), "p");
        let got = (answer.outcome(), answer.selected(), answer.node("n"));
        assert_eq!((got.0, got.1.as_str(), got.2.as_str()), want, "{row}");
        assert_eq!(answer.node("a"), "not tried", "{row}");
    }
}

#[test]
fn missing_requested_nodes_crash_a_scheduler_without_filters_and_scores() {
    let bare = |profile: &mut Profile| {
        profile.plugins.filter.clear();
        profile.plugins.pre_score.clear();
        profile.plugins.score.clear();
    };
    let without_filters = |profile: &mut Profile| profile.plugins.filter.clear();
    for (row, version, adjust, want) in [
        ("the first node is taken", "1.37", bare as fn(&mut Profile), ("Error", "Crash")),
        ("nodes are scored", "1.37", without_filters, ("Unschedulable", "")),
        ("before the first node was taken", "1.27.15", bare, ("Unschedulable", "")),
    ] {
        let answer = at(version).with(adjust).decide(objects![node("n"), by_name(&["gone"])], "p");
        assert_eq!((answer.outcome(), answer.error()), want, "{row}");
    }
}

/// Whether the nomination of a pod keeps autoscalers from it, and the note about a stuck one.
fn nomination(pod: Pod, others: Vec<Value>) -> (bool, Option<String>) {
    let mut objects = objects![node("n").cpu("1"), node("m").cpu("1"), pod];
    objects.extend(others);
    at("1.37.1").look(&crate::testing::cluster(objects), "p", |decision| {
        let nomination = decision.nomination().expect("a nomination");
        let note = decision.notes.iter().find(|note| *note.doc == super::STUCK);
        assert_eq!(nomination.is_stuck(), note.is_some());
        (nomination.stops_autoscalers(), note.map(|note| note.text.clone()))
    })
}

#[test]
fn nomination_of_unschedulable_pod_that_fits_nowhere_is_stuck() {
    let large = |node: &str| pod("p").cpu("2").priority(9).nominated(node).refused("0/2");
    let note = |(stops, note): (bool, Option<String>)| {
        assert!(stops);
        note.expect("a note")
    };

    // The node is gone, or the pod is larger than the node: nothing happens any more.
    let gone = note(nomination(large("gone"), vec![]));
    assert!(gone.contains("is gone, which is gone (cluster-autoscaler up to 1.35 adds one)"));
    assert_eq!(
        note(nomination(large("n"), vec![])),
        "no autoscaler adds a node for it while status.nominatedNodeName is n, where it does not fit; kube-scheduler \
         clears it when it retries the pod"
    );
    let never = note(nomination(large("n").never_preempts(), vec![]));
    assert!(never.ends_with("since it does not try preemption; deleting the pod does"), "{never}");

    // It preempts again at its next attempt.
    let victims = objects![node("big").cpu("2"), pod("v").cpu("2").on("big")];
    let again = note(nomination(large("n"), victims));
    assert!(again.ends_with("kube-scheduler replaces it when it retries the pod"), "{again}");
}

#[test]
fn nomination_with_leaving_victims_stops_autoscalers_and_is_not_stuck() {
    let waits = pod("p").cpu("1").priority(9).nominated("n").refused("0/2");
    let others =
        objects![pod("v").cpu("1").on("n").preempted(), pod("o").cpu("1").priority(9).on("m")];
    assert_eq!(nomination(waits, others), (true, None));
}

#[test]
fn nomination_of_pod_that_is_not_marked_or_fits_stops_no_autoscaler() {
    assert_eq!(nomination(pod("p").cpu("2").nominated("gone"), vec![]), (false, None));
    let gated = pod("p").cpu("2").nominated("gone").condition(
        "SchedulingGated",
        "",
        crate::testing::BEFORE,
    );
    assert_eq!(nomination(gated, vec![]), (false, None));
    let fits = pod("p").cpu("1").nominated("gone").refused("0/2");
    assert_eq!(nomination(fits, vec![]), (false, None));
}

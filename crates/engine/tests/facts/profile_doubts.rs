use serde_json::{Value, json};

use testing::{Pod, at, node, objects, pod};

fn claiming() -> Pod {
    pod("p").push("/spec/resourceClaims", json!({"name": "c", "resourceClaimName": "c"}))
}

const NODE_ALLOCATABLE: &str = "DRANodeAllocatableResources=true";

/// A slice with a device that stands for processors of its node.
fn cpus() -> Value {
    json!({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "s"}, "spec": {
        "driver": "cpu.example.com", "nodeName": "n", "pool": {"name": "n", "generation": 1, "resourceSliceCount": 1},
        "devices": [{"name": "d0", "nodeAllocatableResources": {"cpu": {"mapping": {"deviceMultiplier": "4"}}}}]}})
}

/// A pod on the node that has got processors from a claim.
fn holder() -> Pod {
    let status = json!({"resourceClaimName": "c", "mapping": [{"name": "cpu", "quantity": "4"}]});
    pod("other").on("n").push("/status/nodeAllocatableResourceClaimStatuses", status)
}

/// Severities and certainty of what a scheduler with these gates decides.
fn ask(version: &str, gates: &str, objects: Vec<Value>) -> (Vec<String>, String) {
    let answer = at(version).gates(gates).decide(objects, "p");
    let about_gate = |note: &&String| note.contains(" feature gate ");
    let severity = |note: &String| note.split(' ').next().unwrap_or_default().to_owned();
    (
        answer.notes().iter().filter(about_gate).map(severity).collect(),
        answer.certainty().to_owned(),
    )
}

#[test]
fn a_gate_that_is_not_modelled_makes_the_answers_unsure_that_it_may_change() {
    let (one, two) = (|| objects![node("n")], || objects![node("m"), node("n")]);
    let plain = || objects![pod("p")];
    for (row, version, gates, objects, severity, certainty) in [
        (
            "of any pod",
            "1.37",
            "InPlacePodVerticalScalingSchedulerPreemption=true",
            [one(), plain()],
            "error",
            "Unsure",
        ),
        (
            "a row that begins later",
            "1.31",
            "InPlacePodVerticalScaling=true",
            [one(), plain()],
            "error",
            "Unsure",
        ),
        (
            "of claims, without one",
            "1.31",
            "DynamicResourceAllocation=true",
            [one(), plain()],
            "info",
            "Certain",
        ),
        (
            "of claims",
            "1.31",
            "DynamicResourceAllocation=true",
            [one(), objects![claiming()]],
            "error",
            "Unsure",
        ),
        (
            "of devices, without a claim",
            "1.37",
            "DRASchedulerFilterTimeout=false",
            [one(), plain()],
            "info",
            "Certain",
        ),
        (
            "of devices",
            "1.37",
            "DRASchedulerFilterTimeout=false",
            [one(), objects![claiming()]],
            "error",
            "Unsure",
        ),
        (
            "of devices that are cpu, without",
            "1.37",
            NODE_ALLOCATABLE,
            [one(), plain()],
            "info",
            "Certain",
        ),
        (
            "of devices that are cpu",
            "1.37",
            NODE_ALLOCATABLE,
            [one(), objects![cpus(), pod("p")]],
            "error",
            "Unsure",
        ),
        (
            "of pods that have some",
            "1.36",
            NODE_ALLOCATABLE,
            [one(), objects![holder(), pod("p")]],
            "error",
            "Unsure",
        ),
        (
            "of scores, with one node",
            "1.31",
            "VolumeCapacityPriority=true",
            [one(), plain()],
            "info",
            "Certain",
        ),
        ("of scores", "1.31", "VolumeCapacityPriority=true", [two(), plain()], "error", "Unsure"),
        (
            "of nothing that decides",
            "1.37",
            "APIServerIdentity=false",
            [one(), plain()],
            "info",
            "Certain",
        ),
    ] {
        let found = ask(version, gates, objects.concat());
        assert_eq!(found, (vec![severity.to_owned()], certainty.to_owned()), "{row}");
    }
    assert_eq!(
        ask("1.31", "DynamicResourceAllocation=false", objects![node("n"), pod("p")]).0,
        [""; 0],
        "its default"
    );
    assert_eq!(
        ask("1.33", "PodLevelResources=true", objects![node("n"), pod("p")]).0,
        [""; 0],
        "modelled"
    );
}

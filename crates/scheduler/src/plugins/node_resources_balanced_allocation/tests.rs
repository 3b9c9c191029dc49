use crate::testing::{self, Pod, at, device_class, node, pod};
use profile::Profile;
use profile::args::WeightedResource;
use serde_json::{Value, json};

const NAME: &str = "NodeResourcesBalancedAllocation";

fn objects(cpu: &str, memory: &str) -> Vec<Value> {
    let nodes = ["a", "b"].map(|name| node(name).cpu("4").memory("4Gi"));
    let holds = pod("holds").cpu("2").on("b");
    let incoming = pod("p").cpu(cpu).memory(memory);
    [nodes.map(Into::into).to_vec(), vec![holds.into(), incoming.into()]].concat()
}

#[test]
fn node_with_equal_shares_scores_highest() {
    // On b 2 of 4 cpus are taken already.
    for (cpu, memory, on_a, on_b) in
        [("1", "1Gi", 100, 75), ("1", "3Gi", 75, 100), ("2", "0", 75, 50)]
    {
        let answer = at("1.35").decide(objects(cpu, memory), "p");
        assert_eq!(
            (answer.raw_score("a", NAME), answer.raw_score("b", NAME)),
            (on_a, on_b),
            "{cpu} {memory}"
        );
    }
}

#[test]
fn since_1_36_the_improvement_counts() {
    for (cpu, memory, on_a, on_b) in
        [("1", "1Gi", 75, 75), ("1", "3Gi", 62, 87), ("2", "0", 62, 62)]
    {
        let answer = testing::decide(objects(cpu, memory), "p");
        assert_eq!(
            (answer.raw_score("a", NAME), answer.raw_score("b", NAME)),
            (on_a, on_b),
            "{cpu} {memory}"
        );
    }
}

#[test]
fn a_pod_that_asks_for_nothing_has_no_score() {
    let answer = testing::decide(objects("0", "0"), "p");
    assert!(!answer.score_plugins("a").contains(&NAME.to_owned()));
}

#[test]
fn up_to_1_21_cpu_and_memory_are_compared_and_full_nodes_score_nothing() {
    let of = |version: &str, cpu: &str, memory: &str| {
        let answer = at(version).decide(objects(cpu, memory), "p");
        let name = if version == "1.16" { "BalancedResourceAllocation" } else { NAME };
        (answer.raw_score("a", name), answer.raw_score("b", name))
    };
    // On b 2 of 4 cpus and, of a pod that asks for no memory, 200Mi are taken already.
    assert_eq!(of("1.16", "1", "1Gi"), (10, 5));
    assert_eq!(of("1.21", "1", "1Gi"), (100, 54));
    assert_eq!(of("1.22.0", "1", "1Gi"), (100, 77), "half the difference, with defaults");
    assert_eq!(of("1.22.6", "1", "1Gi"), (100, 75), "as asked");
    assert_eq!(of("1.21", "2", "1Gi").1, 0, "b is full");
    assert_eq!(of("1.22.0", "2", "1Gi").1, 64);
}

#[test]
fn without_pre_score_a_pod_that_asks_for_nothing_scores_nothing() {
    let off = |profile: &mut Profile| profile.plugins.pre_score.retain(|plugin| *plugin != NAME);
    let answer = at("1.37").with(off).decide(objects("0", "0"), "p");
    assert_eq!(answer.raw_score("a", NAME), 0);
}

/// Cpu and the extended resource `example.com/gpu`.
fn scores_gpus(profile: &mut Profile) {
    let scored = |name: &str| WeightedResource { name: name.to_owned(), weight: 1 };
    profile.args.balanced_resources = vec![scored("cpu"), scored("example.com/gpu")];
}

/// Whether a version that scores `example.com/gpu` panics; `wants` is asked of nodes a and b, of
/// which b has two devices.
fn panics(version: &str, selectors: &Value, wants: Pod) -> bool {
    let class = device_class("gpu", "example.com/gpu").with("/spec/selectors", selectors.clone());
    let slice = json!({
        "apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "s"},
        "spec": {
            "driver": "gpu.example.com", "nodeName": "b", "devices": [{"name": "d0"}, {"name": "d1"}],
            "pool": {"name": "b", "generation": 1, "resourceSliceCount": 1},
        },
    });
    let own = |name: &str| node(name).cpu("4").with("/status/allocatable/example.com~1gpu", "4");
    let objects = vec![
        own("a").into(),
        node("b").cpu("4").into(),
        own("c").into(),
        class.into(),
        slice,
        wants.into(),
    ];
    at(version).gates("DRAExtendedResource=true").with(scores_gpus).decide(objects, "p").error()
        == "Crash"
}

#[test]
fn devices_of_classes_with_selectors_make_the_scheduler_panic() {
    let (all, selected) = (json!([]), json!([{"cel": {"expression": "true"}}]));
    let (gpu, cpu) =
        (|| pod("p").requests("example.com/gpu", "1").requests("cpu", "1"), || pod("p").cpu("1"));
    for (row, version, selectors, wants, want) in [
        ("a class with a selector", "1.37", &selected, gpu(), true),
        ("a class with a selector", "1.36", &selected, gpu(), true),
        ("a class without selectors", "1.37", &all, gpu(), false),
        ("a pod that asks for no device", "1.37", &selected, cpu(), false),
        ("no look at devices yet", "1.34", &selected, cpu(), false),
        ("whatever is asked", "1.35", &all, cpu(), true),
        ("nothing asked", "1.35", &all, pod("p"), false),
    ] {
        assert_eq!(panics(version, selectors, wants), want, "{row}, {version}");
    }
}

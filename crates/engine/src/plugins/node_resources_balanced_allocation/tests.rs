use crate::testing::{self, at, node, pod};
use serde_json::Value;

const NAME: &str = "NodeResourcesBalancedAllocation";

fn objects(cpu: &str, memory: &str) -> Vec<Value> {
    let nodes = ["a", "b"].map(|name| node(name).cpu("4").memory("4Gi"));
    let holds = pod("holds").cpu("2").on("b");
    let incoming = pod("p").cpu(cpu).memory(memory);
    [nodes.map(Into::into).to_vec(), vec![holds.into(), incoming.into()]].concat()
}

#[test]
fn what_is_left_equal_is_best() {
    // On b 2 of 4 cpus are taken already.
    for (cpu, memory, on_a, on_b) in [("1", "1Gi", 100, 75), ("1", "3Gi", 75, 100), ("2", "0", 75, 50)] {
        let answer = at("1.35").decide(objects(cpu, memory), "p");
        assert_eq!((answer.raw_score("a", NAME), answer.raw_score("b", NAME)), (on_a, on_b), "{cpu} {memory}");
    }
}

#[test]
fn since_1_36_the_improvement_counts() {
    for (cpu, memory, on_a, on_b) in [("1", "1Gi", 75, 75), ("1", "3Gi", 62, 87), ("2", "0", 62, 62)] {
        let answer = testing::decide(objects(cpu, memory), "p");
        assert_eq!((answer.raw_score("a", NAME), answer.raw_score("b", NAME)), (on_a, on_b), "{cpu} {memory}");
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

use serde_json::{Value, json};

use crate::testing::{Pod, at, cluster, node, objects, pod, pod_group, workload};

const ON: &str = "GenericWorkload=true,GangScheduling=true";

fn member(name: &str) -> Pod {
    pod(name)
        .cpu("2")
        .priority(5)
        .with("/spec/workloadRef", json!({"name": "train", "podGroup": "workers"}))
}

fn replica(name: &str, key: &str) -> Pod {
    member(name).with("/spec/workloadRef/podGroupReplicaKey", key)
}

fn gang(min_count: i64) -> Value {
    workload("train", &json!([{"name": "workers", "policy": {"gang": {"minCount": min_count}}}, {"name": "driver", "policy": {"basic": {}}}])).into()
}

/// The outcome for pod `a`, and what holds it back.
fn told(gates: &str, objects: Vec<Value>) -> String {
    at("1.35").gates(gates).look(&cluster(objects), "a", |decision| {
        format!("{} {}", decision.outcome.name(), decision.gate().unwrap_or_default())
            .trim_end()
            .to_owned()
    })
}

#[test]
fn a_pod_of_a_gang_is_held_until_its_workload_and_enough_pods_exist() {
    let room = || node("n1").cpu("8");
    for (row, objects, expected) in [
        ("enough", objects![room(), gang(2), member("a"), member("b")], "Schedulable"),
        (
            "too few",
            objects![room(), gang(3), member("a"), member("b")],
            "NotInQueue waits for its gang train/workers: 2 of 3 pods exist (minCount 3)",
        ),
        (
            "one is on a node",
            objects![room(), gang(2), member("a"), member("b").on("n1")],
            "Schedulable",
        ),
        (
            "one has finished",
            objects![
                room(),
                gang(2),
                member("a"),
                member("b").on("n1").with("/status/phase", "Succeeded")
            ],
            "NotInQueue waits for its gang train/workers: 1 of 2 pods exist (minCount 2)",
        ),
        (
            "one is of another scheduler",
            objects![
                room(),
                gang(2),
                member("a"),
                member("b").with("/spec/schedulerName", "other")
            ],
            "Schedulable",
        ),
        (
            "one is of another replica",
            objects![room(), gang(2), replica("a", "x"), replica("b", "y")],
            "NotInQueue waits for its gang train/workers/x: 1 of 2 pods exist (minCount 2)",
        ),
        (
            "no Workload",
            objects![room(), member("a"), workload("other", &json!([]))],
            "NotInQueue waits for Workload train, which does not exist; kube-scheduler ignores the pod until it is created",
        ),
        (
            "no Workload in the input",
            objects![room(), member("a")],
            "NotInQueue names Workload train, which is not in the input; if it does not exist, kube-scheduler holds the pod until it is \
             created",
        ),
        (
            "no pod group",
            objects![room(), gang(1), member("a").with("/spec/workloadRef/podGroup", "other")],
            "NotInQueue names pod group other, which Workload train does not have; kube-scheduler holds it until a Workload of that \
             name is created which has it",
        ),
        (
            "a basic group",
            objects![room(), gang(9), member("a").with("/spec/workloadRef/podGroup", "driver")],
            "Schedulable",
        ),
        (
            "a PodGroup, which 1.35 does not know",
            objects![
                room(),
                pod_group("g"),
                pod("a").with("/spec/schedulingGroup/podGroupName", "x")
            ],
            "Schedulable",
        ),
    ] {
        assert_eq!(told(ON, objects), expected, "{row}");
    }
    let alone = |gates| told(gates, objects![room(), gang(3), member("a")]);
    assert_eq!(alone("GenericWorkload=true"), "Schedulable", "only one gate");
    assert_eq!(alone("GenericWorkload=false"), "Schedulable", "off");
}

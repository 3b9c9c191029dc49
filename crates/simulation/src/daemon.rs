//! The pods of a DaemonSet: one for each node that its controller selects, bound to it by node
//! affinity.
//!
//! Upstream: `pkg/controller/daemon/daemon_controller.go` `NodeShouldRunDaemonPod`,
//! `pkg/controller/daemon/util/daemonset_util.go` (1.37).

use serde_json::{Value, json};

use super::workload::{ManifestWorkload, Pods, object_at, object_in};
use model::cluster::{Cluster, PodIx, Template};
use model::snapshot::pod::PodSpec;
use model::wrong_value::WrongValue;

/// The tolerations that the controller adds to every pod: the key of a taint and its effect.
const TOLERATED: [(&str, &str); 6] = [
    ("node.kubernetes.io/not-ready", "NoExecute"),
    ("node.kubernetes.io/unreachable", "NoExecute"),
    ("node.kubernetes.io/disk-pressure", "NoSchedule"),
    ("node.kubernetes.io/memory-pressure", "NoSchedule"),
    ("node.kubernetes.io/pid-pressure", "NoSchedule"),
    ("node.kubernetes.io/unschedulable", "NoSchedule"),
];

/// The toleration that it adds to pods on the host network.
const OF_HOST_NETWORK: (&str, &str) = ("node.kubernetes.io/network-unavailable", "NoSchedule");

/// The pods that a DaemonSet in `cluster` would get. A node that already has one of its pods gets
/// no other.
///
/// # Errors
/// What is wrong with the manifest.
pub(crate) fn pods(set: &ManifestWorkload, cluster: &Cluster) -> Result<Pods, String> {
    pods_beside(set, cluster, Existing::Stay)
}

/// What becomes of the pods that a DaemonSet has already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Existing {
    Stay,
    /// The new pods take their places.
    Leave,
}

/// The pods that a DaemonSet gets on all its nodes, or on those without one that stays.
///
/// # Errors
/// What is wrong with the manifest.
pub(crate) fn pods_beside(
    set: &ManifestWorkload,
    cluster: &Cluster,
    existing: Existing,
) -> Result<Pods, String> {
    let mut model = set.pod(&set.name)?;
    tolerate(&mut model);
    let spec = model.get("spec").map(Value::to_string).unwrap_or_default();
    let spec: PodSpec = serde_json::from_str(&spec).map_err(|e| {
        let wrong =
            WrongValue::of(&spec, &e, &|line| serde_json::from_str::<PodSpec>(line).map(drop));
        format!("DaemonSet {}: spec.template.spec.{} is of the wrong type", set.name, wrong.path)
    })?;
    let mut symbols = cluster.symbols.clone();
    let template = Template::read(&spec, &mut symbols);

    // A node counts as served by a pod that is on it, and by one that waits for it.
    let mut waiting: Vec<PodIx> = cluster.pod_indices().collect();
    waiting.retain(|pod| {
        existing == Existing::Stay && cluster.pod(*pod).is_waiting() && is_of(set, cluster, *pod)
    });
    let mut made = Pods::default();
    let mut there = 0;
    for ix in cluster.node_indices() {
        let node = cluster.node(ix);
        let facts = cluster.node_facts(node);
        if !template.selects(facts, &symbols)
            || template.untolerated(&node.taints, &symbols, true).is_some()
        {
            continue;
        }
        let here = cluster.pods_on(ix).iter().any(|pod| is_of(set, cluster, *pod));
        let has_pod = here && existing == Existing::Stay
            || waiting
                .iter()
                .any(|pod| cluster.template(cluster.pod(*pod)).selects(facts, &cluster.symbols));
        if has_pod {
            there += 1;
            continue;
        }

        let node = cluster.text(node.name);
        let mut pod = model.clone();
        pin(&mut pod, node);
        if let Some(meta) = object_at(&mut pod, "metadata") {
            meta.insert("name".to_owned(), format!("{}-{node}", set.name).into());
        }
        made.pods.push(pod);
    }

    if there > 0 {
        let text = format!(
            "DaemonSet {} has a pod for {there} of its nodes already: those get none",
            set.name
        );
        made.remarks.push(text.into());
    }
    if made.pods.is_empty() {
        let text =
            format!("DaemonSet {} makes no pods: no further node is one of its nodes", set.name);
        made.remarks.push(text.into());
    }
    Ok(made)
}

fn is_of(set: &ManifestWorkload, cluster: &Cluster, pod: PodIx) -> bool {
    let pod = cluster.pod(pod);
    cluster.text(pod.namespace) == set.namespace
        && pod.controller.is_some_and(|owner| {
            cluster.text(owner.kind) == "DaemonSet" && cluster.text(owner.name) == set.name
        })
}

fn tolerate(pod: &mut Value) {
    let host = pod.pointer("/spec/hostNetwork").and_then(Value::as_bool) == Some(true);
    let Some(spec) = object_at(pod, "spec") else { return };
    let list = spec.entry("tolerations").or_insert_with(|| json!([]));
    if list.is_null() {
        *list = json!([]);
    }
    let Some(list) = list.as_array_mut() else { return };
    for (key, effect) in TOLERATED.into_iter().chain(host.then_some(OF_HOST_NETWORK)) {
        list.push(json!({"key": key, "operator": "Exists", "effect": effect}));
    }
}

/// Replaces the required node affinity of the pod by the name of the node: the controller has
/// already evaluated the original one.
fn pin(pod: &mut Value, node: &str) {
    let by_name = json!({"nodeSelectorTerms": [{"matchFields":
        [{"key": "metadata.name", "operator": "In", "values": [node]}]}]});
    let affinity = object_at(pod, "spec").and_then(|spec| object_in(spec, "affinity"));
    if let Some(affinity) = affinity.and_then(|affinity| object_in(affinity, "nodeAffinity")) {
        affinity.insert("requiredDuringSchedulingIgnoredDuringExecution".to_owned(), by_name);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::remark::texts;
    use super::pods;
    use crate::workload::{ManifestWorkload, Pods};
    use testing::{Node, cluster, node, objects, pod};

    fn set(spec: impl Into<Value>) -> Value {
        let spec: Value = spec.into();
        json!({"kind": "DaemonSet", "metadata": {"name": "agent", "namespace": "default"},
            "spec": {"template": {"metadata": {"labels": {"app": "agent"}}, "spec": spec}}})
    }

    fn made(manifest: &Value, objects: Vec<Value>) -> Result<Pods, String> {
        let set = ManifestWorkload::read(manifest, "default")?.expect("a DaemonSet");
        assert!(set.is_daemon());
        pods(&set, &cluster(objects))
    }

    /// Whether a node gets a pod of the DaemonSet.
    fn runs(spec: Value, node: Node) -> bool {
        !made(&set(spec), objects![node]).expect("pods").pods.is_empty()
    }

    /// Upstream: `pkg/controller/daemon/daemon_controller_test.go` `TestNodeShouldRunDaemonPod` (1.37).
    #[test]
    fn nodes_that_the_controller_chooses() {
        let plain = || json!({"containers": [{"name": "c"}]});
        let with = |field: &str, value: Value| {
            let mut spec = plain();
            spec[field] = value;
            spec
        };
        let n = || node("n").label("zone", "a");
        let required = |term: Value| json!({"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}});
        let in_zone = |zone: &str| {
            required(
                json!({"matchExpressions": [{"key": "zone", "operator": "In", "values": [zone]}]}),
            )
        };
        for (spec, node, want) in [
            (plain(), n(), true),
            (plain(), n().cordoned(), true),
            (plain(), n().taint("gpu", "yes", "NoSchedule"), false),
            (plain(), n().taint("gpu", "yes", "NoExecute"), false),
            (plain(), n().taint("gpu", "yes", "PreferNoSchedule"), true),
            (
                with("tolerations", json!([{"operator": "Exists"}])),
                n().taint("gpu", "yes", "NoSchedule"),
                true,
            ),
            (plain(), n().taint("node.kubernetes.io/unschedulable", "", "NoSchedule"), true),
            (plain(), n().taint("node.kubernetes.io/not-ready", "", "NoExecute"), true),
            (plain(), n().taint("node.kubernetes.io/not-ready", "", "NoSchedule"), false),
            (plain(), n().taint("node.kubernetes.io/disk-pressure", "", "NoSchedule"), true),
            (plain(), n().taint("node.kubernetes.io/memory-pressure", "", "NoSchedule"), true),
            (plain(), n().taint("node.kubernetes.io/pid-pressure", "", "NoSchedule"), true),
            (plain(), n().taint("node.kubernetes.io/network-unavailable", "", "NoSchedule"), false),
            (
                with("hostNetwork", json!(true)),
                n().taint("node.kubernetes.io/network-unavailable", "", "NoSchedule"),
                true,
            ),
            (with("nodeSelector", json!({"zone": "a"})), n(), true),
            (with("nodeSelector", json!({"zone": "b"})), n(), false),
            (with("affinity", in_zone("a")), n(), true),
            (with("affinity", in_zone("b")), n(), false),
            // A lack of resources does not count: the pod is created and stays pending.
            (
                json!({"containers": [{"name": "c", "resources": {"requests": {"cpu": "9"}}}]}),
                n().cpu("1"),
                true,
            ),
        ] {
            let text = format!("{spec} {node:?}");
            assert_eq!(runs(spec, node), want, "{text}");
        }
    }

    #[test]
    fn each_pod_is_tied_to_its_node() {
        let affinity = json!({"nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "zone", "operator": "Exists"}]}]},
            "preferredDuringSchedulingIgnoredDuringExecution": []}, "podAffinity": {}});
        let spec = json!({"containers": [{"name": "c"}], "affinity": affinity});
        let found = made(&set(spec), objects![node("a").zone("x"), node("b").zone("x"), node("c")])
            .expect("pods");
        let names: Vec<&Value> = found.pods.iter().map(|p| &p["metadata"]["name"]).collect();
        assert_eq!(names, ["agent-a", "agent-b"]);
        let pod = &found.pods[1];
        let terms = &pod["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
        let by_name =
            json!([{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["b"]}]}]);
        assert_eq!(terms["nodeSelectorTerms"], by_name);
        assert_eq!(pod["spec"]["affinity"]["podAffinity"], json!({}));
        assert_eq!(pod["metadata"]["ownerReferences"][0]["kind"], "DaemonSet");
        assert_eq!(pod["spec"]["tolerations"].as_array().map(Vec::len), Some(6));
    }

    #[test]
    fn nodes_that_have_a_pod_get_none() {
        let by_name = |node: &str| json!({"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]});
        let of = |name: &str| pod(name).of("apps/v1", "DaemonSet", "agent");
        let objects = objects![
            node("a"),
            node("b"),
            node("c"),
            node("d"),
            of("one").on("a"),
            of("waiting").node_term(by_name("b")),
            pod("other").of("apps/v1", "DaemonSet", "other").on("c"),
            of("elsewhere").ns("other").on("c"),
            of("finished").on("d").phase("Failed"),
        ];
        let found = made(&set(json!({"containers": [{"name": "c"}]})), objects).expect("pods");
        let names: Vec<&Value> = found.pods.iter().map(|p| &p["metadata"]["name"]).collect();
        assert_eq!(names, ["agent-c", "agent-d"]);
        assert_eq!(
            texts(&found.remarks),
            ["DaemonSet agent has a pod for 2 of its nodes already: those get none"]
        );
    }

    #[test]
    fn a_set_without_nodes_or_template() {
        let none =
            made(&set(json!({"nodeSelector": {"a": "b"}})), objects![node("n")]).expect("no pods");
        assert_eq!(
            texts(&none.remarks),
            ["DaemonSet agent makes no pods: no further node is one of its nodes"]
        );
        let empty = json!({"kind": "DaemonSet", "metadata": {"name": "agent"}});
        assert_eq!(
            made(&empty, vec![]).expect_err("an error"),
            "DaemonSet agent has no pod template (spec.template.spec)"
        );
        let broken =
            made(&set(json!({"nodeSelector": {"zone": {}}})), vec![]).expect_err("an error");
        assert_eq!(
            broken,
            "DaemonSet agent: spec.template.spec.nodeSelector.zone is of the wrong type"
        );
    }
}

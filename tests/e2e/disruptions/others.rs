//! Everything else that ends a pod: it is distinguished from a preemption, or reported as unknown.

use serde_json::{Value, json};

use super::why_evicted;
use crate::objects::{NAMESPACE, Object, node, pod, replicas};
use crate::plane::{Plane, wait_for};
use crate::stage::Stage;

/// How a pod ends, and what is to be said while it takes its time to end, and when it is gone.
type Row = (&'static str, fn(&Plane, &Stage) -> Ended, &'static str, &'static str);

/// The pod that ends.
struct Ended {
    name: String,
    uid: String,
}

const ROWS: &[Row] = &[
    ("an eviction by the API", evicted, "EvictionApi", "Unknown"),
    ("a deletion by hand", deleted, "Unknown", "Unknown"),
    ("a taint of the node", tainted, "Taint", "Taint"),
    ("the node is gone", left_over, "PodGc", "Unknown"),
    ("its kubelet evicts it", out_of_memory, "Kubelet", "Kubelet"),
    ("its ReplicaSet is scaled down", scaled_down, "Owner", "Owner"),
    ("its StatefulSet is scaled down", last_of_set, "Owner", "Owner"),
    ("its Job is suspended", suspended, "Owner", "Owner"),
    ("the descheduler evicts it", descheduled, "Descheduler", "Descheduler"),
    (
        "an eviction by the API of a pod with a controller",
        evicted_replica,
        "EvictionApi",
        "Unknown",
    ),
];

/// One of them: what was said.
pub fn one(plane: &Plane, seed: u64) -> Vec<String> {
    let (name, end, while_it_ends, afterwards) =
        ROWS[usize::try_from(seed).expect("small") % ROWS.len()];
    let stage = Stage::new(plane);
    stage.forget_events();
    plane.kubelets.finish(false);
    stage.build(&[node("n1", "2"), node("n2", "2")]);
    let ended = end(plane, &stage);
    let mut lines = Vec::new();
    for (state, cause) in [("there", while_it_ends), ("gone", afterwards)] {
        if state == "gone" {
            let path = path(&ended.name);
            // A pod that has failed is there until it is deleted.
            let _ = stage.admin.send(
                "DELETE",
                &path,
                Some(&json!({"gracePeriodSeconds": 0,
                "preconditions": {"uid": ended.uid}})),
            );
            wait_for("its end", || plane.kubelets.life(&ended.uid).gone);
        }
        let said = || {
            let (_, items) = why_evicted(plane, &[&ended.name]);
            let is_it =
                |item: &&Value| item["pod"]["uid"] == *ended.uid || item["pod"]["uid"] == "";
            items
                .iter()
                .find(is_it)
                .unwrap_or_else(|| panic!("nothing about {}: {items:#?}", ended.name))
                .clone()
        };
        // Controllers write their Events a moment later.
        let mut found = said();
        let start = std::time::Instant::now();
        while found["cause"] != cause && start.elapsed() < std::time::Duration::from_secs(5) {
            assert_eq!(found["cause"], "Unknown", "{name}, {state}: {found:#}");
            found = said();
        }
        assert_eq!(found["cause"], cause, "{name}, {state}: {found:#}");
        assert!(found["preemptor"].is_null(), "{found:#}");
        let unknown = found["unknown"].as_array().expect("a list");
        assert!(cause != "Unknown" || !unknown.is_empty(), "{found:#}");
        lines.push(format!("{name}, {state}: {cause}"));
    }
    lines
}

fn path(name: &str) -> String {
    format!("/api/v1/namespaces/{NAMESPACE}/pods/{name}")
}

fn running(stage: &Stage) -> Ended {
    let uid = stage.create(&pod("a").cpu("1").on("n1"));
    Ended { name: "a".to_owned(), uid }
}

fn evict(stage: &Stage, name: &str) {
    let body = json!({"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name, "namespace": NAMESPACE}});
    stage.admin.create(&format!("{}/eviction", path(name)), &body);
}

fn evicted(_: &Plane, stage: &Stage) -> Ended {
    let pod = running(stage);
    evict(stage, &pod.name);
    pod
}

fn deleted(_: &Plane, stage: &Stage) -> Ended {
    let pod = running(stage);
    stage.admin.must("DELETE", &path(&pod.name), None);
    pod
}

/// By the controller that does it.
fn tainted(plane: &Plane, stage: &Stage) -> Ended {
    let pod = running(stage);
    let taint = json!({"key": "broken", "effect": "NoExecute"});
    stage.admin.patch("/api/v1/nodes/n1", &json!({"spec": {"taints": [taint]}}));
    wait_for("the controller of taints", || plane.kubelets.life(&pod.uid).terminating);
    pod
}

/// As the garbage collector of pods does: it marks them, and then deletes them at once.
fn left_over(_: &Plane, stage: &Stage) -> Ended {
    let pod = running(stage);
    stage.admin.must("DELETE", "/api/v1/nodes/n1", None);
    disrupt(
        stage,
        &pod,
        "DeletionByPodGC",
        "PodGC: node no longer exists",
        json!({"phase": "Failed"}),
    );
    pod
}

/// As a kubelet does.
fn out_of_memory(_: &Plane, stage: &Stage) -> Ended {
    let pod = running(stage);
    let message = "The node was low on resource: memory. ";
    event(stage, &pod, "Evicted", message, "kubelet");
    let status = json!({"phase": "Failed", "reason": "Evicted", "message": message});
    disrupt(stage, &pod, "TerminationByKubelet", message, status);
    pod
}

/// As the descheduler does.
fn descheduled(_: &Plane, stage: &Stage) -> Ended {
    let pod = running(stage);
    evict(stage, &pod.name);
    event(
        stage,
        &pod,
        "LowNodeUtilization",
        "pod eviction from n1 node by sigs.k8s.io/descheduler",
        "sigs.k8s.io/descheduler",
    );
    pod
}

fn disrupt(stage: &Stage, pod: &Ended, reason: &str, message: &str, mut status: Value) {
    let condition = json!({"type": "DisruptionTarget", "status": "True", "reason": reason, "message": message,
        "lastTransitionTime": jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()});
    status["conditions"] = json!([condition]);
    stage.admin.patch(&format!("{}/status", path(&pod.name)), &json!({"status": status}));
}

fn event(stage: &Stage, pod: &Ended, reason: &str, message: &str, component: &str) {
    let now = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    let event = json!({"apiVersion": "v1", "kind": "Event", "metadata": {"generateName": "a."},
        "involvedObject": {"apiVersion": "v1", "kind": "Pod", "namespace": NAMESPACE, "name": pod.name, "uid": pod.uid},
        "reason": reason, "message": message, "type": "Warning", "source": {"component": component},
        "firstTimestamp": now, "lastTimestamp": now, "count": 1});
    stage.admin.create(&format!("/api/v1/namespaces/{NAMESPACE}/events"), &event);
}

fn web() -> Object {
    pod("web").label("app", "web").cpu("500m")
}

/// The pods of the app, once there are this many and all of them run.
fn all_running(plane: &Plane, stage: &Stage, count: usize) -> Vec<Ended> {
    let pods = || {
        stage.admin.list(&format!("/api/v1/namespaces/{NAMESPACE}/pods?labelSelector=app%3Dweb"))
    };
    let run = |pod: &Value| pod["status"]["phase"] == "Running";
    wait_for("pods that run", || pods().len() == count && pods().iter().all(run));
    let _ = plane;
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    pods()
        .iter()
        .map(|pod| Ended {
            name: text(&pod["metadata"]["name"]),
            uid: text(&pod["metadata"]["uid"]),
        })
        .collect()
}

/// The first of these that is being deleted.
fn first_to_end(plane: &Plane, pods: Vec<Ended>) -> Ended {
    let ends = |pod: &&Ended| plane.kubelets.life(&pod.uid).terminating;
    wait_for("the controller", || pods.iter().any(|pod| ends(&pod)));
    pods.into_iter().find(|pod| ends(&pod)).expect("a pod")
}

fn scaled_down(plane: &Plane, stage: &Stage) -> Ended {
    let set = replicas("web", 3, &web());
    stage.create(&set);
    let pods = all_running(plane, stage, 3);
    stage.admin.patch(&format!("{}/web", set.path), &json!({"spec": {"replicas": 2}}));
    first_to_end(plane, pods)
}

fn evicted_replica(plane: &Plane, stage: &Stage) -> Ended {
    stage.create(&replicas("web", 2, &web()));
    let pod = all_running(plane, stage, 2).remove(0);
    evict(stage, &pod.name);
    pod
}

fn last_of_set(plane: &Plane, stage: &Stage) -> Ended {
    let template = replicas("web", 2, &web());
    let path = format!("/apis/apps/v1/namespaces/{NAMESPACE}/statefulsets");
    let mut set = template.json.clone();
    set["kind"] = json!("StatefulSet");
    set["spec"]["serviceName"] = json!("web");
    set["spec"]["podManagementPolicy"] = json!("Parallel");
    stage.admin.create(&path, &set);
    let pods = all_running(plane, stage, 2);
    stage.admin.patch(&format!("{path}/web"), &json!({"spec": {"replicas": 1}}));
    first_to_end(plane, pods)
}

fn suspended(plane: &Plane, stage: &Stage) -> Ended {
    let path = format!("/apis/batch/v1/namespaces/{NAMESPACE}/jobs");
    let mut pod = web().json;
    pod["spec"]["restartPolicy"] = json!("Never");
    let template = json!({"metadata": {"labels": {"app": "web"}}, "spec": pod["spec"]});
    let job = json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "web"},
        "spec": {"parallelism": 1, "completions": 1, "template": template}});
    stage.admin.create(&path, &job);
    let pods = all_running(plane, stage, 1);
    stage.admin.patch(&format!("{path}/web"), &json!({"spec": {"suspend": true}}));
    first_to_end(plane, pods)
}

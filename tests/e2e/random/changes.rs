//! What others do to the cluster while a plan is carried out.

use fastrand::Rng;
use serde_json::{Value, json};

use crate::objects::{NAMESPACE, budget, node, pod};
use crate::stage::Stage;

/// What has been changed.
pub struct Change {
    pub what: &'static str,
    /// The objects that others have made or removed, by UID.
    pub touched: Vec<String>,
}

/// The cluster as it is now.
pub struct View {
    pub pods: Vec<Value>,
    pub nodes: Vec<Value>,
}

impl View {
    pub fn now(stage: &Stage) -> Self {
        Self { pods: stage.admin.list(&pods()), nodes: stage.admin.list("/api/v1/nodes") }
    }
}

fn pods() -> String {
    format!("/api/v1/namespaces/{NAMESPACE}/pods")
}

pub fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

pub fn uid(object: &Value) -> &str {
    text(&object["metadata"]["uid"])
}

pub fn name(object: &Value) -> &str {
    text(&object["metadata"]["name"])
}

/// Changes something; nothing if what would be changed is not there any more. `serial` makes names that are new.
pub fn change(rng: &mut Rng, stage: &Stage, target: &str, victims: &[String], serial: usize) -> Option<Change> {
    let view = View::now(stage);
    let admin = &stage.admin;
    let delete = |pod: &Value, grace: i64| {
        admin.send("DELETE", &format!("{}/{}", pods(), name(pod)), Some(&json!({"gracePeriodSeconds": grace})))
    };
    let on_target = |pod: &&Value| pod["spec"]["nodeName"] == target;
    let is_victim = |pod: &&Value| victims.iter().any(|victim| victim == uid(pod));
    let mut pick = |all: Vec<&Value>| (!all.is_empty()).then(|| all[rng.usize(0..all.len())].clone());
    let any_node = pick(view.nodes.iter().collect());
    let victim = pick(view.pods.iter().filter(is_victim).collect());
    let neighbour = pick(view.pods.iter().filter(|pod| on_target(pod) && !is_victim(pod)).collect());
    let stranger = pick(view.pods.iter().filter(|p| !on_target(p) && p["spec"]["nodeName"].is_string()).collect());
    let waiting = view.pods.iter().find(|pod| name(pod) == "p" && pod["spec"]["nodeName"].is_null()).cloned();
    let there = view.nodes.iter().any(|node| name(node) == target);
    let patch =
        |node: &Value, change: &Value| admin.send("PATCH", &format!("/api/v1/nodes/{}", name(node)), Some(change));
    let done = |what: &'static str, touched: &[&str]| {
        Some(Change { what, touched: touched.iter().map(|&uid| uid.to_owned()).collect() })
    };
    let new_pod = |name: &str, class: &str, cpu: u32, node: &str| {
        stage.create(&pod(name).cpu(&format!("{cpu}m")).class(class).on(node))
    };
    let new_name = format!("new-{serial}");
    match rng.u32(0..16) {
        0 => {
            let pod = victim?;
            delete(&pod, 0).ok()?;
            done("a victim is gone", &[uid(&pod)])
        }
        1 => {
            let pod = victim?;
            delete(&pod, 30).ok()?;
            done("a victim is deleted", &[uid(&pod)])
        }
        2 => {
            let pod = victim.filter(|_| there)?;
            delete(&pod, 0).ok()?;
            let new = new_pod(name(&pod), "low", rng.u32(1..=3) * 500, target);
            done("a victim is replaced by another of its name", &[uid(&pod), &new])
        }
        3 => {
            let pod = neighbour?;
            delete(&pod, 0).ok()?;
            done("a neighbour is gone", &[uid(&pod)])
        }
        4 => {
            let pod = neighbour?;
            delete(&pod, 30).ok()?;
            done("a neighbour is deleted", &[uid(&pod)])
        }
        5 => {
            let pod = stranger?;
            delete(&pod, 0).ok()?;
            done("a pod elsewhere is gone", &[uid(&pod)])
        }
        class @ 6..=7 if there => {
            let new = new_pod(&new_name, if class == 6 { "high" } else { "low" }, rng.u32(1..=2) * 500, target);
            done("a new pod on the node", &[&new])
        }
        8 => {
            let app = text(&victim?["metadata"]["labels"]["app"]).to_owned();
            let least = rng.i64(1..=4);
            stage.create(&budget(&new_name, &app, least, 0));
            done("a new budget", &[])
        }
        9 => {
            let path = format!("/apis/policy/v1/namespaces/{NAMESPACE}/poddisruptionbudgets");
            let gone: Vec<String> = admin.list(&path).iter().map(|budget| uid(budget).to_owned()).collect();
            admin.must("DELETE", &path, None);
            Some(Change { what: "all budgets are deleted", touched: gone })
        }
        10 if there => {
            let node = view.nodes.iter().find(|node| name(node) == target)?;
            patch(node, &json!({"spec": {"unschedulable": true}})).ok()?;
            done("the node is cordoned", &[])
        }
        11 => {
            let node = any_node?;
            patch(&node, &json!({"spec": {"taints": [{"key": "new", "effect": "NoSchedule"}]}})).ok()?;
            done("a taint", &[])
        }
        12 => {
            stage.create(&node(&new_name, &format!("{}m", rng.u32(1..=6) * 500)));
            done("a new node", &[])
        }
        13 => {
            let pod = waiting?;
            delete(&pod, 0).ok()?;
            done("the pod that waits is deleted", &[uid(&pod)])
        }
        14 => {
            let pod = waiting?;
            let target = json!({"apiVersion": "v1", "kind": "Node", "name": name(&any_node?)});
            let binding = json!({"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "p"}, "target": target});
            admin.send("POST", &format!("{}/{}/binding", pods(), name(&pod)), Some(&binding)).ok()?;
            done("the pod that waits gets a node", &[])
        }
        15 if there => {
            let gone = view.nodes.iter().find(|node| name(node) == target)?;
            admin.send("DELETE", &format!("/api/v1/nodes/{target}"), None).ok()?;
            done("the node is deleted", &[uid(gone)])
        }
        _ => None,
    }
}

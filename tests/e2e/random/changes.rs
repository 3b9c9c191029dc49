//! What others do to the cluster while a plan is carried out.

use fastrand::Rng;
use serde_json::{Value, json};

use crate::objects::{NAMESPACE, budget, node, pod};
use crate::stage::{FINALIZER, Stage};

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

/// Who changes something, and what they see.
struct Others<'s> {
    rng: &'s mut Rng,
    stage: &'s Stage,
    view: View,
    /// The node of the plan.
    target: &'s str,
    /// The victims of the plan, by UID.
    victims: &'s [String],
    new_name: String,
}

/// Changes something; nothing if what would be changed is not there any more. `serial` makes names
/// that are new.
pub fn change(
    rng: &mut Rng,
    stage: &Stage,
    target: &str,
    victims: &[String],
    serial: usize,
) -> Option<Change> {
    let (view, new_name) = (View::now(stage), format!("new-{serial}"));
    let choice = rng.u32(0..16);
    let mut others = Others { rng, stage, view, target, victims, new_name };
    match choice {
        0..=5 => others.remove(choice),
        6..=7 => others.occupy(choice == 6),
        8..=9 => others.budgets(choice == 8),
        10..=12 => others.nodes(choice),
        13..=14 => others.preemptor(choice == 13),
        _ => others.no_node(),
    }
}

impl Change {
    /// Whether it is about the pod that waits.
    pub fn is_of_preemptor(&self) -> bool {
        self.what.starts_with("the pod that waits")
    }

    fn of(what: &'static str, touched: &[&str]) -> Self {
        Self { what, touched: touched.iter().map(|&uid| uid.to_owned()).collect() }
    }
}

impl Others<'_> {
    fn pick(&mut self, is_meant: impl Fn(&Self, &Value) -> bool) -> Option<Value> {
        let all: Vec<Value> =
            self.view.pods.iter().filter(|pod| is_meant(self, pod)).cloned().collect();
        (!all.is_empty()).then(|| all[self.rng.usize(0..all.len())].clone())
    }

    fn victim(&mut self) -> Option<Value> {
        self.pick(Self::is_victim)
    }

    fn any_node(&mut self) -> Option<String> {
        let nodes = &self.view.nodes;
        (!nodes.is_empty()).then(|| name(&nodes[self.rng.usize(0..nodes.len())]).to_owned())
    }

    fn is_victim(&self, pod: &Value) -> bool {
        self.victims.iter().any(|victim| victim == uid(pod))
    }

    fn is_neighbour(&self, pod: &Value) -> bool {
        pod["spec"]["nodeName"] == self.target && !self.is_victim(pod)
    }

    fn has_target(&self) -> bool {
        self.view.nodes.iter().any(|node| name(node) == self.target)
    }

    fn delete(&self, pod: &Value, grace: i64) -> Option<()> {
        let (path, body) =
            (format!("{}/{}", pods(), name(pod)), json!({"gracePeriodSeconds": grace}));
        self.stage.admin.send("DELETE", &path, Some(&body)).ok().map(|_| ())
    }

    fn patch(&self, node: &str, change: &Value) -> Option<()> {
        self.stage
            .admin
            .send("PATCH", &format!("/api/v1/nodes/{node}"), Some(change))
            .ok()
            .map(|_| ())
    }

    fn new_pod(&mut self, name: &str, class: &str) -> String {
        let cpu = format!("{}m", self.rng.u32(1..=3) * 500);
        self.stage.create(&pod(name).cpu(&cpu).class(class).on(self.target))
    }

    fn remove(&mut self, choice: u32) -> Option<Change> {
        let is_elsewhere = |others: &Self, pod: &Value| {
            pod["spec"]["nodeName"].is_string() && pod["spec"]["nodeName"] != others.target
        };
        let pod = match choice {
            0..=2 => self.victim()?,
            3..=4 => self.pick(Self::is_neighbour)?,
            _ => self.pick(is_elsewhere)?,
        };
        self.delete(&pod, if [1, 4].contains(&choice) { 30 } else { 0 })?;
        let what = match choice {
            1 => "a victim is deleted",
            2 if self.has_target() => {
                let new = self.new_pod(name(&pod), "low");
                return Some(Change::of(
                    "a victim is replaced by another of its name",
                    &[uid(&pod), &new],
                ));
            }
            0 | 2 => "a victim is gone",
            3 => "a neighbour is gone",
            4 => "a neighbour is deleted",
            _ => "a pod elsewhere is gone",
        };
        Some(Change::of(what, &[uid(&pod)]))
    }

    fn occupy(&mut self, is_important: bool) -> Option<Change> {
        let new_name = self.new_name.clone();
        let class = if is_important { "high" } else { "low" };
        let new = self.has_target().then(|| self.new_pod(&new_name, class))?;
        Some(Change::of("a new pod on the node", &[&new]))
    }

    fn budgets(&mut self, is_new: bool) -> Option<Change> {
        if is_new {
            let app = text(&self.victim()?["metadata"]["labels"]["app"]).to_owned();
            self.stage.create(&budget(&self.new_name, &app, self.rng.i64(1..=4), 0));
            return Some(Change::of("a new budget", &[]));
        }
        let path = format!("/apis/policy/v1/namespaces/{NAMESPACE}/poddisruptionbudgets");
        let gone: Vec<String> =
            self.stage.admin.list(&path).iter().map(|budget| uid(budget).to_owned()).collect();
        self.stage.admin.must("DELETE", &path, None);
        Some(Change { what: "all budgets are deleted", touched: gone })
    }

    fn nodes(&mut self, choice: u32) -> Option<Change> {
        match choice {
            10 => {
                self.has_target().then(|| {
                    self.patch(self.target, &json!({"spec": {"unschedulable": true}}))
                })??;
                Some(Change::of("the node is cordoned", &[]))
            }
            11 => {
                let node = self.any_node()?;
                self.patch(
                    &node,
                    &json!({"spec": {"taints": [{"key": "new", "effect": "NoSchedule"}]}}),
                )?;
                Some(Change::of("a taint", &[]))
            }
            _ => {
                self.stage
                    .create(&node(&self.new_name, &format!("{}m", self.rng.u32(1..=6) * 500)));
                Some(Change::of("a new node", &[]))
            }
        }
    }

    fn preemptor(&mut self, is_deleted: bool) -> Option<Change> {
        let waits = |_: &Self, pod: &Value| name(pod) == "p" && pod["spec"]["nodeName"].is_null();
        let pod = self.pick(waits)?;
        if is_deleted && self.rng.bool() {
            // Somebody has to agree first, and so it stays for a while.
            let change = json!({"metadata": {"finalizers": [FINALIZER]}});
            self.stage.admin.send("PATCH", &format!("{}/p", pods()), Some(&change)).ok()?;
            self.delete(&pod, 0)?;
            return Some(Change::of("the pod that waits is being deleted", &[uid(&pod)]));
        }
        if is_deleted {
            self.delete(&pod, 0)?;
            return Some(Change::of("the pod that waits is deleted", &[uid(&pod)]));
        }
        let target = json!({"apiVersion": "v1", "kind": "Node", "name": self.any_node()?});
        let binding = json!({"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "p"}, "target": target});
        self.stage.admin.send("POST", &format!("{}/p/binding", pods()), Some(&binding)).ok()?;
        Some(Change::of("the pod that waits gets a node", &[]))
    }

    fn no_node(&mut self) -> Option<Change> {
        let gone = self.view.nodes.iter().find(|node| name(node) == self.target)?;
        self.stage.admin.send("DELETE", &format!("/api/v1/nodes/{}", self.target), None).ok()?;
        Some(Change::of("the node is deleted", &[uid(gone)]))
    }
}

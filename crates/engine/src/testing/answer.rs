//! What the scheduler makes of a list of objects, in short texts that a table can hold.

use serde_json::{Value, json};

use engine::cluster::Cluster;
use engine::cluster::build::Builder;
use engine::decision::sampling::Starts;
use engine::decision::{self, verify::Verification};
use engine::decode::decode;
use engine::framework::cluster_view::ClusterView;
use engine::framework::cycle::PreparedCycle;
use engine::json::{JsonDecision, SourceKind};
use engine::plugins;
use engine::profile::{Features, Profile, SchedulerVersion, VersionSource};

/// The scheduler that decides.
#[derive(Debug, Clone, Copy)]
pub struct At<'a> {
    version: &'a str,
    gates: &'a str,
    adjust: fn(&mut Profile),
    starts: Option<Starts>,
}

/// The scheduler of a version.
pub fn at(version: &str) -> At<'_> {
    At { version, gates: "", adjust: |_| {}, starts: None }
}

/// What the scheduler of a version does.
pub fn features(version: &str) -> Features {
    Features::of(SchedulerVersion::parse(version).expect("a version"))
}

/// What the newest scheduler decides about `pod`, a name or `namespace/name`.
pub fn decide(objects: Vec<Value>, pod: &str) -> Answer {
    at("1.37").decide(objects, pod)
}

/// The cluster of a list of objects.
pub fn cluster(objects: Vec<Value>) -> Cluster {
    let mut builder = Builder::new();
    let mut list = json!({"apiVersion": "v1", "kind": "List"});
    list["items"] = objects.into();
    decode(&list.to_string(), "test", &mut builder).expect("a readable list");
    builder.finish()
}

/// Runs `look` on the prepared cycle of `pod`.
pub fn with_cycle<T>(objects: Vec<Value>, pod: &str, look: impl FnOnce(&PreparedCycle) -> T) -> T {
    at("1.37").with_cycle(objects, pod, look)
}

/// How what the newest scheduler is said to have written about `pod` compares with its rules.
pub fn verify(objects: Vec<Value>, pod: &str) -> Verification {
    at("1.37").verify(objects, pod)
}

pub(super) fn full_name(pod: &str) -> (&str, &str) {
    pod.split_once('/').unwrap_or(("default", pod))
}

impl<'a> At<'a> {
    /// The same with `--feature-gates`.
    pub fn gates(self, gates: &'a str) -> Self {
        Self { gates, ..self }
    }

    /// The same with another configuration.
    pub fn with(self, adjust: fn(&mut Profile)) -> Self {
        Self { adjust, ..self }
    }

    /// The same with `--as-scheduled`.
    pub fn as_scheduled(self, starts: Starts) -> Self {
        Self { starts: Some(starts), ..self }
    }

    /// Its profile.
    pub fn profile(self) -> Profile {
        let version = SchedulerVersion::parse(self.version).expect("a version");
        let mut profile =
            Profile::new(version, VersionSource::Flag).with_gates(&[self.gates.to_owned()]).expect("gates");
        (self.adjust)(&mut profile);
        profile
    }

    /// What it decides about `pod`.
    pub fn decide(self, objects: Vec<Value>, pod: &str) -> Answer {
        self.decide_in(&cluster(objects), pod)
    }

    /// What it decides about `pod` in a cluster.
    pub fn decide_in(self, cluster: &Cluster, pod: &str) -> Answer {
        let profile = self.profile();
        let view = ClusterView::new(cluster, &profile);
        let (namespace, name) = full_name(pod);
        let pod = cluster.find_pod(namespace, name).expect("the pod is among the objects");
        let now = super::NOW.parse().expect("a time");
        let mut decision = decision::decide(&view, pod, now);
        if let Some(starts) = self.starts {
            decision.enumerate(starts, now);
        }
        let json = JsonDecision::new(&decision, SourceKind::File);
        Answer { json: serde_json::to_value(json).expect("plain JSON") }
    }

    /// How what it is said to have written about `pod` compares with its rules.
    pub fn verify(self, objects: Vec<Value>, pod: &str) -> Verification {
        let (cluster, profile) = (cluster(objects), self.profile());
        let view = ClusterView::new(&cluster, &profile);
        let (namespace, name) = full_name(pod);
        let pod = cluster.find_pod(namespace, name).expect("the pod is among the objects");
        decision::verify::verify(&decision::decide(&view, pod, super::NOW.parse().expect("a time")))
    }

    /// Runs `look` on the prepared cycle of `pod`.
    pub fn with_cycle<T>(self, objects: Vec<Value>, pod: &str, look: impl FnOnce(&PreparedCycle) -> T) -> T {
        let (cluster, profile) = (cluster(objects), self.profile());
        let view = ClusterView::new(&cluster, &profile);
        let (namespace, name) = full_name(pod);
        let pod = cluster.find_pod(namespace, name).expect("the pod is among the objects");
        look(&PreparedCycle::new(&view, pod, super::NOW.parse().expect("a time"), &plugins::filters(&profile.plugins)))
    }
}

/// A decision as its JSON.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The whole answer.
    pub json: Value,
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn texts(value: &Value) -> Vec<&str> {
    value.as_array().into_iter().flatten().map(text).collect()
}

fn named<'v>(list: &'v Value, name: &str) -> &'v Value {
    let found = list.as_array().into_iter().flatten().find(|entry| entry["name"] == name);
    found.unwrap_or_else(|| panic!("{name} is not in {list}"))
}

fn pod_names(list: &Value) -> String {
    let pods = list.as_array().into_iter().flatten();
    pods.map(|p| match text(&p["namespace"]) {
        "default" => text(&p["name"]).to_owned(),
        namespace => format!("{namespace}/{}", text(&p["name"])),
    })
    .collect::<Vec<_>>()
    .join(" ")
}

impl Answer {
    /// `Schedulable`, `Preempt`, `Unschedulable` or `NotInQueue`.
    pub fn outcome(&self) -> &str {
        text(&self.json["outcome"])
    }

    /// Why the pod gets no cycle.
    pub fn why(&self) -> &str {
        text(&self.json["why"])
    }

    /// What filtering said of a node: `fits`, `not tried`, or code (`U`, `UU`), plugin and reasons.
    pub fn node(&self, name: &str) -> String {
        let node = named(&self.json["nodes"], name);
        match text(&node["verdict"]) {
            "Feasible" => "fits".to_owned(),
            "NotTried" => "not tried".to_owned(),
            _ => {
                let code = if node["code"] == "Unschedulable" { "U" } else { "UU" };
                let plugin = node["plugin"].as_str().map(|p| format!(" {p}")).unwrap_or_default();
                format!("{code}{plugin}: {}", texts(&node["reasons"]).join("; "))
            }
        }
    }

    /// What a plugin gives a node before normalizing and weighing.
    pub fn raw_score(&self, node: &str, plugin: &str) -> i64 {
        let details = &named(&self.json["nodes"], node)["scoreDetails"][plugin];
        details["raw"].as_i64().unwrap_or_else(|| panic!("{plugin} does not score {node}: {}", self.json["nodes"]))
    }

    /// Raw and normalized score that a plugin gives a node.
    pub fn score(&self, node: &str, plugin: &str) -> (i64, i64) {
        let normalized = &named(&self.json["nodes"], node)["scoreDetails"][plugin]["normalized"];
        (self.raw_score(node, plugin), normalized.as_i64().expect("a number"))
    }

    /// Names of the plugins that score a node.
    pub fn score_plugins(&self, node: &str) -> Vec<String> {
        let scores = &named(&self.json["nodes"], node)["scores"];
        scores.as_object().into_iter().flatten().map(|(plugin, _)| plugin.clone()).collect()
    }

    /// The operands behind what filtering said of a node.
    pub fn evidence(&self, node: &str) -> &Value {
        &named(&self.json["nodes"], node)["evidence"][0]
    }

    /// What preemption would do on a node: `victims a b, violations n, spared c`, or why it cannot.
    pub fn dry_run(&self, name: &str) -> String {
        let node = named(&self.json["preemption"]["nodes"], name);
        match text(&node["verdict"]) {
            "Candidate" => format!(
                "victims {}, violations {}, spared {}",
                pod_names(&node["victims"]),
                node["numPDBViolations"],
                pod_names(&node["spared"])
            )
            .trim_end_matches(", spared ")
            .to_owned(),
            _ => texts(&node["reasons"]).join("; "),
        }
    }

    /// Nodes that the tie-break leaves.
    pub fn winners(&self) -> String {
        texts(&self.json["preemption"]["winners"]).join(" ")
    }

    /// The steps of the tie-break: `criterion: survivors`.
    pub fn tie_break(&self) -> Vec<String> {
        let steps = self.json["preemption"]["ladder"].as_array().cloned().unwrap_or_default();
        steps.iter().map(|s| format!("{}: {}", text(&s["criterion"]), texts(&s["survivors"]).join(" "))).collect()
    }

    /// Why the pod may not preempt; empty if it may.
    pub fn ineligible(&self) -> &str {
        text(&self.json["preemption"]["ineligibleReason"])
    }

    /// Nodes where the pod goes or is nominated to.
    pub fn selected(&self) -> String {
        texts(&self.json["selected"]["nodes"]).join(" ")
    }

    /// What the scheduler itself may pick: nodes with their exact probabilities.
    pub fn odds(&self) -> Vec<(&str, u64, u64)> {
        let nodes = self.json["asScheduled"]["nodes"].as_array().into_iter().flatten();
        let number = |value: &Value| value.as_u64().expect("a number");
        nodes.map(|n| (text(&n["name"]), number(&n["numerator"]), number(&n["denominator"]))).collect()
    }

    /// The scheduler's message.
    pub fn message(&self) -> &str {
        text(&self.json["message"])
    }

    /// What the `PodScheduled` condition says.
    pub fn condition(&self) -> &str {
        text(&self.json["conditionMessage"])
    }

    /// Texts of the notes.
    pub fn notes(&self) -> Vec<String> {
        let notes = self.json["notes"].as_array().cloned().unwrap_or_default();
        notes
            .iter()
            .map(|n| format!("{} {}: {}", text(&n["severity"]), text(&n["subject"]), text(&n["text"])))
            .collect()
    }
}

//! One scenario about one row of the history table: a small cluster, a pod, and two schedulers that
//! the row sets apart. `tests/versions/rows/README.md` says how it is written;
//! `tests/versions/rows.rs` checks them all, `crates/tools/src/bin/rows` looks for new ones.

use engine::cluster::build::Builder;
use engine::cluster::{Cluster, PodIx};
use engine::decision::{self, Decision};
use engine::decode::decode;
use engine::framework::cluster_view::ClusterView;
use engine::framework::cycle::{NodeVerdict, PreparedCycle};
use engine::framework::extender_client::ExtenderClient;
use engine::groups;
use engine::groups::cycle::TrialResult;
use engine::notes::Severity;
use engine::plugins;
use engine::profile::config::Configuration;
use engine::profile::history::HistoryRow;
use engine::profile::{Profile, SchedulerVersion, VersionSource};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use to_json::SourceKind;

#[path = "extenders.rs"]
mod extenders;

use extenders::{Script, Scripted};

/// The scenario as it is written.
#[derive(Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// A scheduler without the change: its version, then feature gates, such as `1.36
    /// SomeGate=true`.
    pub before: String,
    /// A scheduler with it.
    pub after: String,
    /// `namespace/name` of the pod whose turn it is.
    pub pod: String,
    /// The instant of the decision.
    #[serde(default = "now", skip_serializing_if = "is_now")]
    pub now: String,
    /// Their KubeSchedulerConfiguration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<Value>,
    /// Their extenders, and what these answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extenders: Vec<Scripted>,
    /// The pod is on a node and never gets a cycle: what plugins would make of it in one is what
    /// differs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cycle: bool,
    /// What differs is the decision about the pod's group.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub group: bool,
    /// The cluster.
    pub objects: Vec<Value>,
    /// How many more pods like the pod wait. The more there are, the fewer steps a search for
    /// devices may take.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub copies: usize,
    /// What both decide, as `tests/values.rs` puts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<Value>,
}

fn now() -> String {
    "2026-01-01T00:00:00Z".to_owned()
}

fn is_now(time: &str) -> bool {
    time == now()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// A scenario, ready to be decided.
pub struct Loaded {
    /// The facts.
    pub cluster: Cluster,
    pub pod: PodIx,
    /// The scheduler without the change, and the one with it.
    pub profiles: [Profile; 2],
    /// What extenders answer.
    extenders: Script,
    /// Whether it is about a cycle that the pod never gets.
    pub cycle: bool,
    /// Whether it is about the pod's group.
    pub group: bool,
    /// The instant of the decision.
    pub now: jiff::Timestamp,
}

impl Case {
    /// The objects of the cluster, with the copies of the pod.
    ///
    /// # Errors
    /// What is wrong with the scenario.
    pub fn all_objects(&self) -> Result<Vec<Value>, String> {
        let mut objects = self.objects.clone();
        if self.copies == 0 {
            return Ok(objects);
        }
        let (namespace, name) = self.pod.split_once('/').ok_or("the pod is not namespace/name")?;
        let is_pod = |object: &&Value| {
            object["kind"] == "Pod"
                && object["metadata"]["namespace"] == namespace
                && object["metadata"]["name"] == name
        };
        let pod = objects.iter().find(is_pod).ok_or("the pod is not among the objects")?.clone();
        objects.extend((0..self.copies).map(|number| {
            let mut copy = pod.clone();
            copy["metadata"]["name"] = format!("{name}-{number}").into();
            copy
        }));
        Ok(objects)
    }

    /// Reads the objects and the schedulers.
    ///
    /// # Errors
    /// What is wrong with the scenario.
    pub fn load(&self) -> Result<Loaded, String> {
        let list = json!({"apiVersion": "v1", "kind": "List", "items": self.all_objects()?});
        let mut builder = Builder::new();
        decode(&list.to_string(), "objects", &mut builder).map_err(|e| e.to_string())?;
        let cluster = builder.finish();
        let (namespace, name) = self.pod.split_once('/').ok_or("the pod is not namespace/name")?;
        let pod = cluster.find_pod(namespace, name).ok_or("the pod is not among the objects")?;
        let scheduler_name =
            cluster.text(cluster.template(cluster.pod(pod)).scheduler_name).to_owned();
        let profile = |who: &str| {
            let base = scheduler(who)?;
            let config = self.config.as_ref().map(|config| Configuration::read(config, &base));
            let config = config.transpose().map_err(|e| e.to_string())?;
            let mut profiles =
                config.map_or_else(|| vec![base.clone()], |config| config.profiles(&base));
            let own = profiles.iter().position(|p| p.scheduler_name == scheduler_name).unwrap_or(0);
            let mut profile = profiles.swap_remove(own);
            profile.extenders.extend(self.extenders.iter().map(Scripted::configured));
            Ok::<_, String>(profile)
        };
        let profiles = [profile(&self.before)?, profile(&self.after)?];
        let now = self.now.parse().map_err(|e: jiff::Error| e.to_string())?;
        let extenders = Script(self.extenders.clone());
        Ok(Loaded { cluster, pod, profiles, extenders, cycle: self.cycle, group: self.group, now })
    }
}

/// The scheduler that `1.36 SomeGate=true` names.
///
/// # Errors
/// What is no version, and gates that it does not have.
pub fn scheduler(who: &str) -> Result<Profile, String> {
    let (version, gates) = who.split_once(' ').unwrap_or((who, ""));
    let version =
        SchedulerVersion::parse(version).ok_or_else(|| format!("`{version}` is not a version"))?;
    Profile::new(version, VersionSource::Flag).with_gates(&[gates.trim().replace(' ', ",")])
}

/// `profile` with the value that `other` has of `row`, and nothing else.
pub fn flipped(profile: &Profile, row: &HistoryRow, other: &Profile) -> Profile {
    let mut features = profile.features.clone();
    row.copy(&other.features, &mut features);
    profile.clone().with_features(features)
}

impl Loaded {
    /// The cluster as a scheduler sees it.
    pub fn view<'l>(&'l self, profile: &'l Profile) -> ClusterView<'l> {
        let ask: Option<&dyn ExtenderClient> =
            if self.extenders.0.is_empty() { None } else { Some(&self.extenders) };
        ClusterView::new(&self.cluster, profile).with_extender_client(ask)
    }

    /// What PreFilter makes of the pod in a cycle, and what each node's filters do, a line each.
    fn cycle(&self, profile: &Profile) -> String {
        let view = self.view(profile);
        let prepared =
            PreparedCycle::new(&view, self.pod, self.now, &plugins::filters(&profile.plugins));
        let nodes = self.cluster.nodes.iter().zip(prepared.filter_all()).map(|(node, verdict)| {
            let said = match verdict {
                NodeVerdict::Filtered { plugin, rejection } => {
                    format!(
                        "{plugin}: {} ({})",
                        rejection.texts(&self.cluster).join("; "),
                        rejection.code.name()
                    )
                }
                NodeVerdict::ExcludedByPreFilter => "excluded by PreFilter".to_owned(),
                other => format!("{other:?}"),
            };
            format!("  {}  {said}\n", self.cluster.text(node.name))
        });
        nodes.collect()
    }

    /// What the scheduler decides about the pod's group, a line for each fact.
    fn group(&self, profile: &Profile) -> String {
        let cluster = &self.cluster;
        let view = self.view(profile);
        let Some(group) = cluster.group_of(self.pod) else {
            return "the pod's group is not among the objects\n".to_owned();
        };
        let decision = groups::decide(&view, group, self.now);
        let mut text = format!("  {}\n", decision.outcome.name());
        for written in &decision.written {
            let node = match decision.trial(written.pod).map(|trial| &trial.result) {
                Some(TrialResult::Placed { node, .. }) => cluster.text(cluster.node(*node).name),
                _ => "-",
            };
            let said = written.condition.as_ref().map_or("", |(_, message)| message.as_str());
            text += format!("  {}  {node}  {said}", cluster.pod_name(written.pod)).trim_end();
            text += "\n";
        }
        if let Some(condition) = &decision.condition {
            text += format!("  PodGroup: {} {}", condition.reason, condition.message).trim_end();
            text += "\n";
        }
        let doubts = decision.notes.iter().filter(|note| note.severity == Severity::Error);
        doubts.for_each(|note| text += &format!("  error: {}\n", note.text));
        text
    }

    /// What `look` sees of the decision of a scheduler.
    pub fn decide<T>(&self, profile: &Profile, look: impl FnOnce(&Decision) -> T) -> T {
        let view = self.view(profile);
        look(&decision::decide(&view, self.pod, self.now))
    }

    /// What there is to say where it is not about a decision about the pod: a line for each fact.
    pub fn lines(&self, profile: &Profile) -> Vec<String> {
        let text = if self.group { self.group(profile) } else { self.cycle(profile) };
        text.lines().map(|line| line.trim_start().to_owned()).collect()
    }

    /// The whole answer, but for who gave it.
    pub fn answer(&self, profile: &Profile) -> Value {
        if self.cycle || self.group {
            return self.lines(profile).into();
        }
        let mut json = self.decide(profile, |decision| {
            serde_json::to_value(to_json::decision(decision, SourceKind::File)).unwrap_or_default()
        });
        if let Some(json) = json.as_object_mut() {
            json.remove("scheduler");
        }
        json
    }

    /// Why this does not show what `row` is about, if so: the two schedulers must have different
    /// values of it, they must decide differently, and so must the first one once it has the second
    /// one's value of this row alone.
    pub fn fault(&self, row: &HistoryRow) -> Option<&'static str> {
        let [before, after] = &self.profiles;
        if row.same(&before.features, &after.features) {
            return Some("both schedulers have the same value of it");
        }
        let answer = self.answer(before);
        if answer == self.answer(after) {
            return Some("both schedulers decide the same");
        }
        (answer == self.answer(&flipped(before, row, after)))
            .then_some("the first scheduler decides the same without it")
    }
}

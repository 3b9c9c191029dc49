//! One recorded case: what the scheduler decided, what we decide, and where the two differ.
//! `tests/recorded/parity/README.md` says what a case holds; `tests/recorded/parity.rs` decides
//! recorded cases with this, `crates/tools/src/bin/parity` those of a running oracle.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};

use engine::cluster::Cluster;
use engine::cluster::build::Builder;
use engine::decision::sampling::Starts;
use engine::decision::{self, Decision, Explanation};
use engine::decode::decode;
use engine::framework::cluster_view::ClusterView;
use engine::profile::config::Configuration;
use engine::profile::{Profile, SchedulerVersion, VersionSource};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use to_json::SourceKind;

use super::extenders::{Scripted, Scripts};

/// A case as it is recorded, one line of a file.
#[derive(Deserialize)]
pub struct Case<'a> {
    /// Its name, `v<version>/<family>/...`.
    pub id: String,
    /// Who decides.
    #[serde(borrow)]
    pub scheduler: Scheduler<'a>,
    pub now: String,
    #[serde(default)]
    pub pod: String,
    /// The group whose cycle it is, instead of a pod.
    #[serde(default)]
    pub group: String,
    /// The objects. The same cluster is recorded for several releases, with the same text.
    #[serde(borrow)]
    pub cluster: &'a RawValue,
    /// What the extenders of the configuration answer.
    #[serde(default)]
    pub extenders: Scripts,
    /// What the scheduler decided.
    #[serde(default)]
    pub expect: Value,
    /// The other answers that it gave, where an order that is open by contract leaves a group
    /// several.
    #[serde(default)]
    pub also: Vec<Value>,
    /// The order, open by contract, that the scheduler's decision depends on.
    #[serde(default)]
    pub unspecified: String,
    /// Why there is no decision of the scheduler's.
    #[serde(default)]
    pub failed: String,
}

#[derive(Deserialize)]
pub struct Scheduler<'a> {
    pub version: String,
    #[serde(borrow)]
    pub config: Option<&'a RawValue>,
    /// Feature gates that are set to something else than the version's default.
    #[serde(default, rename = "featureGates")]
    pub gates: BTreeMap<String, bool>,
}

/// How the reason begins of a case on which the scheduler panicked.
const PANIC: &str = "the scheduler panics";

/// The code of the note that an extender returned a node that does not exist: what becomes of it is
/// not modelled.
const INVENTED_NODE: &str = "PRE-963";

/// The reasons of candidates that extenders took away, of which the scheduler writes nothing.
const TAKEN_BY_EXTENDERS: [&str; 2] =
    ["an extender does not leave this node", "no extender names victims"];

/// What is compared, by name.
pub type Fields = BTreeMap<&'static str, Value>;

/// A field, the scheduler's value of it, and ours.
pub type Difference = (&'static str, Value, Value);

/// What comparing a case shows.
pub enum Verdict {
    /// Everything is equal.
    Agrees,
    /// These fields are not.
    Differs(Vec<Difference>),
    /// Our answer says itself that it does not model what the case needs.
    Unsure,
    /// Nothing can be compared, and why.
    Skipped(String),
}

impl<'a> Case<'a> {
    /// Reads one line.
    ///
    /// # Errors
    /// What is not JSON, or not a case.
    pub fn read(line: &'a str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(line)
    }

    /// Its cluster.
    ///
    /// # Errors
    /// What cannot be read.
    pub fn load(&self) -> Result<Cluster, String> {
        let mut builder = Builder::new();
        decode(self.cluster.get(), &self.id, &mut builder).map_err(|e| e.to_string())?;
        Ok(builder.finish())
    }

    fn profiles(&self, base: Profile) -> Result<Vec<Profile>, String> {
        let Some(config) = self.scheduler.config else { return Ok(vec![base]) };
        let value: Value = serde_json::from_str(config.get()).map_err(|e| e.to_string())?;
        Ok(Configuration::read(&value, &base).map_err(|e| e.to_string())?.profiles(&base))
    }

    /// The instant of the decision.
    ///
    /// # Errors
    /// What is no time.
    pub fn now(&self) -> Result<jiff::Timestamp, String> {
        self.now.parse().map_err(|e: jiff::Error| e.to_string())
    }

    /// The profiles of its scheduler.
    ///
    /// # Errors
    /// What is wrong with version, gates or configuration.
    pub fn all_profiles(&self) -> Result<Vec<Profile>, String> {
        let base =
            default_profile(SchedulerVersion::parse(&self.scheduler.version).ok_or("no version")?);
        if self.scheduler.gates.is_empty() {
            return self.profiles(base);
        }
        let gates: Vec<String> =
            self.scheduler.gates.iter().map(|(name, on)| format!("{name}={on}")).collect();
        self.profiles(base.with_gates(&gates)?)
    }

    /// Our decision in its cluster, as `-o json` shows it.
    ///
    /// # Errors
    /// Why the case cannot be decided.
    pub fn decide(&self, cluster: &Cluster) -> Result<Value, String> {
        let sampled = !self.expect["sampled"].is_null();
        self.with_cluster(cluster, |decision, _| {
            let mut explanation = Explanation::from(decision);
            if sampled {
                explanation.enumerate(Starts::All);
            }
            serde_json::to_value(to_json::pod_report(&explanation.into(), SourceKind::File))
                .map_err(|e| e.to_string())
        })?
    }

    /// What `then` makes of our decision and of the profiles of the scheduler.
    ///
    /// # Errors
    /// Why the case cannot be decided.
    pub fn with<R>(&self, then: impl FnOnce(Decision, &[Profile]) -> R) -> Result<R, String> {
        self.with_cluster(&self.load()?, then)
    }

    fn with_cluster<R>(
        &self,
        cluster: &Cluster,
        then: impl FnOnce(Decision, &[Profile]) -> R,
    ) -> Result<R, String> {
        let (namespace, name) = self.pod.split_once('/').ok_or("not a namespace/name")?;
        let pod =
            cluster.find_pod(namespace, name).ok_or("the pod of the case is not in its cluster")?;
        let profiles = self.all_profiles()?;
        let scheduler_name = cluster.text(cluster.template(cluster.pod(pod)).scheduler_name);
        let own = profiles.iter().position(|p| p.scheduler_name == scheduler_name).unwrap_or(0);
        let extenders = Scripted { cluster, scripts: &self.extenders };
        let view = ClusterView::new(cluster, profiles.get(own).ok_or("no profile")?);
        let view = view.with_extender_client((!self.extenders.is_empty()).then_some(&extenders));
        let now = self.now()?;
        Ok(then(decision::decide(&view, pod, now), &profiles))
    }

    /// Decides the case and compares; a panic of ours is a difference like others.
    pub fn compare(&self) -> Verdict {
        self.compare_with(&self.read_cluster())
    }

    /// Its cluster, for [`Self::compare_with`].
    ///
    /// # Errors
    /// Why it cannot be read, a panic included.
    pub fn read_cluster(&self) -> Result<Cluster, String> {
        caught(|| self.load())
    }

    /// The same as [`Self::compare`] in a cluster that was read for it or for a case with the same
    /// one.
    pub fn compare_with(&self, cluster: &Result<Cluster, String>) -> Verdict {
        let open = !self.unspecified.is_empty() && self.also.is_empty();
        if self.group.is_empty() && self.failed.starts_with(PANIC) {
            return caught(|| self.compare_panic(cluster.as_ref().map_err(Clone::clone)?))
                .unwrap_or_else(|error| {
                    Verdict::Differs(vec![("decision", Value::Null, json!(error))])
                });
        }
        if !self.failed.is_empty() || open {
            return Verdict::Skipped(
                if self.failed.is_empty() { &self.unspecified } else { &self.failed }.clone(),
            );
        }
        caught(|| self.compare_in(cluster.as_ref().map_err(Clone::clone)?))
            .unwrap_or_else(|error| Verdict::Differs(vec![("decision", Value::Null, json!(error))]))
    }

    fn compare_in(&self, cluster: &Cluster) -> Result<Verdict, String> {
        if !self.group.is_empty() {
            return super::groups::compare(self, cluster);
        }
        let decided = self.decide(cluster)?;
        if list(&decided["notes"]).any(|note| note["code"] == INVENTED_NODE) {
            return Ok(Verdict::Unsure);
        }
        let differences = differences(&self.expect, &decided);
        Ok(if differences.is_empty() { Verdict::Agrees } else { Verdict::Differs(differences) })
    }
}

impl Case<'_> {
    /// Where the scheduler panics, so must ours.
    fn compare_panic(&self, cluster: &Cluster) -> Result<Verdict, String> {
        let error = self.decide(cluster)?["error"].take();
        if error["kind"] == "Crash" {
            return Ok(Verdict::Agrees);
        }
        let panic = self.failed.lines().next().unwrap_or_default();
        Ok(Verdict::Differs(vec![("panic", json!(panic), error)]))
    }
}

/// What `run` returns; the error of one that panics is what it said.
fn caught<R>(run: impl FnOnce() -> Result<R, String>) -> Result<R, String> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Err(format!("panic: {}", text.unwrap_or_default()))
    })
}

/// The scheduler of a version as it is without flags. Thousands of cases have the same.
fn default_profile(version: SchedulerVersion) -> Profile {
    static MADE: Mutex<BTreeMap<SchedulerVersion, Profile>> = Mutex::new(BTreeMap::new());
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    made.entry(version).or_insert_with(|| Profile::new(version, VersionSource::Flag)).clone()
}

/// An absent array is an empty one; order does not matter.
fn sorted(list: Option<&Value>) -> Value {
    let mut items = list.and_then(Value::as_array).cloned().unwrap_or_default();
    items.sort_by_key(ToString::to_string);
    items.into()
}

/// An absent, null or empty text.
fn text(value: Option<&Value>) -> &str {
    value.and_then(Value::as_str).unwrap_or_default()
}

fn entries(object: &Value) -> impl Iterator<Item = (&String, &Value)> {
    object.as_object().into_iter().flatten()
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// The message, with the errors of dry runs sorted: the scheduler names them in the order in which
/// these end.
fn message(of: &Value) -> Value {
    const ERRORS: &str = " preemption: [";
    let told = of["message"].as_str();
    let errors = told.and_then(|told| told.split_once(ERRORS)).and_then(|(before, rest)| {
        let mut errors: Vec<&str> = rest.strip_suffix(']')?.split(", ").collect();
        errors.sort_unstable();
        Some(format!("{before}{ERRORS}{}]", errors.join(", ")))
    });
    errors.map_or_else(|| of["message"].clone(), Value::from)
}

/// What the scheduler decided.
fn recorded(expect: &Value) -> Fields {
    if !expect["preEnqueue"].is_null() {
        return Fields::from([("outcome", json!("NotInQueue"))]);
    }
    if expect["error"] == true {
        return Fields::from([
            ("outcome", expect["outcome"].clone()),
            ("message", expect["message"].clone()),
        ]);
    }
    let filtered: BTreeMap<&String, Value> = entries(&expect["filtered"])
        .map(|(node, v)| (node, json!([v["code"], text(v.get("plugin")), v["reasons"]])))
        .collect();
    let mut fields = Fields::from([
        ("outcome", expect["outcome"].clone()),
        ("preFilter", expect["preFilter"].clone()),
        ("feasible", sorted(expect.get("feasible"))),
        ("filtered", json!(filtered)),
        ("scores", recorded_scores(&expect["scores"])),
        ("selected", sorted(expect.get("selected"))),
        ("message", message(expect)),
    ]);
    let preemption = &expect["preemption"];
    if preemption.is_null() {
        return fields;
    }
    let candidates: BTreeMap<&String, Value> = entries(&preemption["candidates"])
        .map(|(n, v)| (n, json!([v["victims"], v["numPDBViolations"]])))
        .collect();
    let rejected: BTreeMap<&String, &Value> =
        entries(&preemption["rejected"]).map(|(n, v)| (n, &v["reasons"])).collect();
    fields.extend([
        ("eligible", preemption["eligible"].clone()),
        ("candidates", json!(candidates)),
        ("winners", sorted(preemption.get("winners"))),
    ]);
    // Old schedulers keep neither why a pod may not preempt nor why dry runs fail.
    let reason = &preemption["ineligibleReason"];
    if preemption["eligible"] == true || !reason.is_null() {
        fields.insert("ineligibleReason", reason.clone());
    }
    if !preemption["rejected"].is_null() {
        fields.insert("rejected", json!(rejected));
    }
    fields
}

/// The recorded scores per node.
fn recorded_scores(scores: &Value) -> Value {
    let Some(nodes) = scores.as_object() else { return Value::Null };
    nodes
        .iter()
        .map(|(node, scores)| (node.clone(), with_extenders(scores).into()))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

/// Scores per node and plugin, with their sum; null when nothing was scored.
fn scores(nodes: &Value) -> Value {
    let scored = list(nodes).filter_map(|node| {
        let mut scores = with_extenders(node.get("scores").filter(|scores| scores.is_object())?);
        scores.insert("total".to_owned(), node["score"].clone());
        Some((text(node.get("name")).to_owned(), Value::Object(scores)))
    });
    let scored: serde_json::Map<String, Value> = scored.collect();
    if scored.is_empty() { Value::Null } else { scored.into() }
}

/// Scores of a node by plugin and extender, but for extenders that give it nothing: the scheduler
/// names some of them.
fn with_extenders(scores: &Value) -> serde_json::Map<String, Value> {
    let mut scores = scores.as_object().cloned().unwrap_or_default();
    scores.retain(|name, score| !name.contains("://") || *score != 0);
    scores
}

/// The same fields of our answer.
fn ours(decision: &Value) -> Fields {
    let with =
        |list: &Value, verdict: &str, of: &dyn Fn(&Value) -> Value| -> BTreeMap<String, Value> {
            let named = list.as_array().into_iter().flatten().filter(|n| n["verdict"] == verdict);
            named.map(|n| (text(n.get("name")).to_owned(), of(n))).collect()
        };
    let nodes = &decision["nodes"];
    // A status of an extender names none.
    let plugin = |node: &Value| text(node.get("plugin")).replace("Extender", "");
    let schedulable = decision["outcome"] == "Schedulable";
    // A cycle that ends with an error is recorded as Unschedulable with the error as its message.
    let outcome = if decision["outcome"] == "Error" {
        json!("Unschedulable")
    } else {
        decision["outcome"].clone()
    };
    let pre_filter = &decision["preFilter"];
    let mut fields = Fields::from([
        ("outcome", outcome),
        (
            "preFilter",
            if pre_filter.is_null() {
                Value::Null
            } else {
                json!({"plugin": pre_filter["plugin"], "code": pre_filter["code"], "reasons": pre_filter["reasons"]})
            },
        ),
        ("feasible", with(nodes, "Feasible", &|_| Value::Null).into_keys().collect()),
        (
            "filtered",
            json!(with(nodes, "Filtered", &|n| json!([n["code"], plugin(n), n["reasons"]]))),
        ),
        (
            "selected",
            if schedulable { sorted(decision["selected"].get("nodes")) } else { json!([]) },
        ),
        ("message", message(decision)),
        ("scores", scores(nodes)),
    ]);
    let preemption = &decision["preemption"];
    if preemption.is_null() {
        return fields;
    }
    let victims = |node: &Value| -> Vec<String> {
        list(&node["victims"])
            .map(|v| format!("{}/{}", text(v.get("namespace")), text(v.get("name"))))
            .collect()
    };
    let dry_runs = &preemption["nodes"];
    let mut rejected = with(dry_runs, "NoCandidate", &|n| n["reasons"].clone());
    rejected
        .retain(|_, reasons| !TAKEN_BY_EXTENDERS.iter().any(|taken| *reasons == json!([taken])));
    fields.extend([
        ("eligible", preemption["eligible"].clone()),
        ("ineligibleReason", preemption["ineligibleReason"].clone()),
        (
            "candidates",
            json!(with(dry_runs, "Candidate", &|n| json!([victims(n), n["numPDBViolations"]]))),
        ),
        ("rejected", json!(rejected)),
        ("winners", sorted(preemption.get("winners"))),
    ]);
    fields
}

/// The nodes that the scheduler chose at some start, unless we say of all of them that it may.
fn not_sampled(chosen: &Value, decided: &Value) -> Option<Difference> {
    let ours: Vec<&Value> =
        list(&decided["asScheduled"]["nodes"]).map(|node| &node["name"]).collect();
    list(chosen).any(|node| !ours.contains(&node)).then(|| ("sampled", chosen.clone(), json!(ours)))
}

/// The nodes that preemption nominated at some start, unless we say of all of them that it may.
fn not_nominated(nominated: &Value, decided: &Value) -> Option<Difference> {
    let ours = decided["selected"]["nodes"].as_array().cloned().unwrap_or_default();
    list(nominated)
        .any(|node| !ours.contains(node))
        .then(|| ("nominated", nominated.clone(), json!(ours)))
}

/// Where `decided` differs from what the scheduler decided.
pub fn differences(expect: &Value, decided: &Value) -> Vec<Difference> {
    let mut got = ours(decided);
    let compared = recorded(expect)
        .into_iter()
        .map(|(field, want)| (field, want, got.remove(field).unwrap_or_default()));
    let mut different: Vec<Difference> = compared.filter(|(_, want, got)| want != got).collect();
    if !expect["sampled"].is_null() {
        different.retain(|(field, ..)| *field != "selected");
        different.extend(not_sampled(&expect["sampled"], decided));
    }
    different.extend(not_nominated(&expect["nominated"], decided));
    // Where the scheduler has a choice, the answer must not be certain.
    let choices =
        list(&expect["selected"]).count().max(list(&expect["preemption"]["winners"]).count());
    let certainty = &decided["selected"]["certainty"];
    if choices > 1 && certainty == "Certain" {
        different.push(("certainty", json!("OneOf"), certainty.clone()));
    }
    different
}

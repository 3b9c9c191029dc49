//! The decision as JSON: an API. Fields are only added within a version, never renamed.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;

use super::words;
use crate::cluster::Cluster;
use crate::cluster::node::NodeIx;
use crate::cluster::pod::PodIx;
use crate::cluster::symbols::Sym;
use crate::cluster::template::HostPort;
use crate::decision::{Decision, Outcome};
use crate::framework::cycle::{NodeVerdict, PreFilter};
use crate::framework::status::{Evidence, Rejection};
use crate::preemption::dry_run::{Candidate, DryRun};
use crate::preemption::pick_node::{CRITERIA, Step, Unit};
use crate::preemption::{NOT_HELPFUL, PreemptionReport};
use crate::snapshot::API_VERSION;

/// Where the objects came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceKind {
    /// A cluster.
    Live,
    /// Files or standard input.
    File,
}

/// One decision.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct JsonDecision {
    api_version: &'static str,
    kind: &'static str,
    pod: JsonPod,
    scheduler: JsonScheduler,
    source: JsonSource,
    outcome: &'static str,
    why: Option<String>,
    message: Option<String>,
    condition_message: Option<String>,
    pre_filter: Option<JsonPreFilter>,
    nodes: Vec<JsonNode>,
    preemption: Option<JsonPreemption>,
    selected: JsonSelected,
    notes: Vec<JsonNote>,
}

/// Several decisions.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct JsonDecisionList {
    api_version: &'static str,
    kind: &'static str,
    items: Vec<JsonDecision>,
}

impl JsonDecisionList {
    /// A list of decisions.
    #[must_use]
    pub fn new(items: Vec<JsonDecision>) -> Self {
        Self { api_version: API_VERSION, kind: "DecisionList", items }
    }
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonPod {
    namespace: String,
    name: String,
    uid: String,
    priority: i32,
    preemption_policy: &'static str,
    scheduler_name: String,
    nominated_node_name: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonScheduler {
    version: String,
    version_source: &'static str,
    profile: String,
    config: &'static str,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonSource {
    kind: &'static str,
    captured_at: Option<String>,
    resource_versions: BTreeMap<String, String>,
}

#[derive(Debug, Serialize)]
struct JsonPreFilter {
    plugin: &'static str,
    code: &'static str,
    reasons: Vec<String>,
}

#[derive(Debug, Serialize)]
struct JsonNode {
    name: String,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    stage: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plugin: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasons: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    evidence: Vec<JsonEvidence>,
}

/// The operands of a rejection; which fields there are depends on what was refused.
#[derive(Debug, Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
enum JsonEvidence {
    NodeName {
        node_name: String,
    },
    Cordoned {
        unschedulable: bool,
    },
    Taint {
        taint: String,
    },
    NodeSelector {
        label: String,
        wanted: String,
        found: Option<String>,
    },
    NodeAffinity {
        required_terms: usize,
    },
    Port {
        host_port: String,
        used_by: Option<String>,
        used_port: String,
    },
    Resource {
        resource: String,
        requested: String,
        used: String,
        allocatable: String,
    },
    MissingLabel {
        missing_label: String,
    },
    Spread {
        topology_key: String,
        domain: String,
        matching_pods: i64,
        minimum: i64,
        incoming: i64,
        max_skew: i64,
    },
    Affinity {
        topology_key: String,
        domain: Option<String>,
        matching_pods: i64,
    },
    AntiAffinity {
        topology_key: String,
        domain: String,
        direction: &'static str,
        matching_pods: i64,
        pod: Option<String>,
    },
    Feature {
        feature: &'static str,
    },
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonPreemption {
    eligible: bool,
    ineligible_reason: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    terminating: Vec<String>,
    nodes: Vec<JsonDryRun>,
    ladder: Vec<JsonStep>,
    winners: Vec<String>,
}

#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonDryRun {
    name: String,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    victims: Option<Vec<JsonVictim>>,
    #[serde(rename = "numPDBViolations", skip_serializing_if = "Option::is_none")]
    num_pdb_violations: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    spared: Option<Vec<JsonSpared>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plugin: Option<&'static str>,
    reasons: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    evidence: Vec<JsonEvidence>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonVictim {
    namespace: String,
    name: String,
    uid: String,
    resource_version: String,
    priority: i32,
    start_time: Option<String>,
    terminating: bool,
    owner: Option<String>,
    pdb_violations: Vec<String>,
    blocks: Option<JsonBlock>,
}

/// What refuses the preemptor when the victim stays.
#[derive(Debug, Serialize)]
struct JsonBlock {
    plugin: &'static str,
    reasons: Vec<String>,
}

#[derive(Debug, Serialize)]
struct JsonSpared {
    namespace: String,
    name: String,
    priority: i32,
    why: &'static str,
}

#[derive(Debug, Serialize)]
struct JsonStep {
    criterion: &'static str,
    values: BTreeMap<String, serde_json::Value>,
    survivors: Vec<String>,
}

#[derive(Debug, Serialize)]
struct JsonSelected {
    certainty: &'static str,
    nodes: Vec<String>,
}

#[derive(Debug, Serialize)]
struct JsonNote {
    severity: &'static str,
    subject: String,
    text: String,
}

impl JsonDecision {
    /// The output type of a decision.
    #[must_use]
    pub fn new(decision: &Decision, source: SourceKind) -> Self {
        let view = View { cluster: decision.world.cluster };
        let profile = decision.profile();
        let header = &view.cluster.header;
        Self {
            api_version: API_VERSION,
            kind: "Decision",
            pod: view.pod(decision.pod),
            scheduler: JsonScheduler {
                version: profile.version.to_string(),
                version_source: profile.source.name(),
                profile: profile.scheduler_name.clone(),
                config: "default",
            },
            source: JsonSource {
                kind: if source == SourceKind::Live { "live" } else { "file" },
                captured_at: header.captured_at.clone(),
                resource_versions: header.resource_versions.clone(),
            },
            outcome: decision.outcome.name(),
            why: decision.why.clone(),
            message: decision.message.clone(),
            condition_message: decision.condition_message.clone(),
            pre_filter: view.pre_filter(&decision.pre_filter),
            nodes: view.nodes(decision),
            preemption: decision.preemption.as_ref().map(|report| view.preemption(report)),
            selected: JsonSelected {
                certainty: if decision.selected.len() > 1 { "OneOf" } else { "Certain" },
                nodes: decision.selected.iter().map(|n| view.node(*n)).collect(),
            },
            notes: decision
                .notes
                .iter()
                .map(|n| JsonNote { severity: n.severity.name(), subject: n.subject.clone(), text: n.text.clone() })
                .collect(),
        }
    }
}

struct View<'c> {
    cluster: &'c Cluster,
}

impl View<'_> {
    fn text(&self, sym: Sym) -> String {
        self.cluster.text(sym).to_owned()
    }

    fn node(&self, node: NodeIx) -> String {
        self.text(self.cluster.node(node).name)
    }

    fn pod(&self, ix: PodIx) -> JsonPod {
        let pod = self.cluster.pod(ix);
        let template = self.cluster.template(pod);
        JsonPod {
            namespace: self.text(pod.namespace),
            name: pod.name.to_string(),
            uid: pod.uid.to_string(),
            priority: pod.priority,
            preemption_policy: if template.never_preempts { "Never" } else { "PreemptLowerPriority" },
            scheduler_name: self.text(template.scheduler_name),
            nominated_node_name: (!pod.nominated_node.is_empty()).then(|| self.text(pod.nominated_node)),
        }
    }

    fn pre_filter(&self, pre_filter: &PreFilter) -> Option<JsonPreFilter> {
        match pre_filter {
            PreFilter::Rejected { plugin, rejection, .. } => {
                Some(JsonPreFilter { plugin, code: rejection.code.name(), reasons: rejection.texts(self.cluster) })
            }
            PreFilter::AllNodes | PreFilter::Narrowed { .. } | PreFilter::Failed(_) => None,
        }
    }

    fn nodes(&self, decision: &Decision) -> Vec<JsonNode> {
        let nodes = self.cluster.node_indices().zip(&decision.nodes);
        nodes.map(|(node, verdict)| self.verdict(node, verdict, decision)).collect()
    }

    fn verdict(&self, node: NodeIx, verdict: &NodeVerdict, decision: &Decision) -> JsonNode {
        let plain = |verdict: &'static str| JsonNode {
            name: self.node(node),
            verdict,
            stage: None,
            plugin: None,
            code: None,
            reasons: None,
            evidence: Vec::new(),
        };
        match verdict {
            NodeVerdict::Feasible => plain("Feasible"),
            NodeVerdict::NotTried => plain("NotTried"),
            NodeVerdict::Failed(error) => JsonNode { reasons: Some(vec![error.clone()]), ..plain("NotTried") },
            NodeVerdict::Narrowed => JsonNode {
                stage: Some("PreFilterNarrowing"),
                code: Some("UnschedulableAndUnresolvable"),
                reasons: Some(decision.narrowing_text().into_iter().collect()),
                ..plain("Filtered")
            },
            NodeVerdict::Filtered { plugin, rejection } => JsonNode {
                stage: Some("Filter"),
                plugin: Some(plugin),
                code: Some(rejection.code.name()),
                reasons: Some(rejection.texts(self.cluster)),
                evidence: self.evidence(rejection),
                ..plain("Filtered")
            },
        }
    }

    fn evidence(&self, rejection: &Rejection) -> Vec<JsonEvidence> {
        rejection.reasons.iter().filter_map(|r| self.one_evidence(&r.evidence)).collect()
    }

    fn one_evidence(&self, evidence: &Evidence) -> Option<JsonEvidence> {
        let text = |sym: Sym| self.text(sym);
        let pod = |ix: &Option<PodIx>| ix.map(|p| self.cluster.pod_name(p));
        Some(match evidence {
            Evidence::None => return None,
            Evidence::NodeName { wanted } => JsonEvidence::NodeName { node_name: text(*wanted) },
            Evidence::Cordoned => JsonEvidence::Cordoned { unschedulable: true },
            Evidence::Taint { key, value, effect } => {
                JsonEvidence::Taint { taint: taint(self.cluster, *key, *value, effect.name()) }
            }
            Evidence::NodeSelector { key, value, found } => {
                JsonEvidence::NodeSelector { label: text(*key), wanted: text(*value), found: found.map(text) }
            }
            Evidence::NodeAffinity { terms } => JsonEvidence::NodeAffinity { required_terms: *terms },
            Evidence::Port { wanted, used, pod: by } => JsonEvidence::Port {
                host_port: host_port(self.cluster, *wanted),
                used_by: pod(by),
                used_port: host_port(self.cluster, *used),
            },
            Evidence::Resource { resource, requested, used, allocatable } => {
                let amount = |value: &i64| words::amount(*resource, *value, self.cluster);
                JsonEvidence::Resource {
                    resource: words::resource_name(*resource, self.cluster).to_owned(),
                    requested: amount(requested),
                    used: amount(used),
                    allocatable: amount(allocatable),
                }
            }
            Evidence::MissingLabel { key } => JsonEvidence::MissingLabel { missing_label: text(*key) },
            Evidence::Spread { key, domain, matching, minimum, incoming, max_skew } => JsonEvidence::Spread {
                topology_key: text(*key),
                domain: text(*domain),
                matching_pods: *matching,
                minimum: *minimum,
                incoming: *incoming,
                max_skew: *max_skew,
            },
            Evidence::Affinity { key, domain } => {
                JsonEvidence::Affinity { topology_key: text(*key), domain: domain.map(text), matching_pods: 0 }
            }
            Evidence::AntiAffinity { key, domain, pod: by, pods } => {
                self.anti_affinity(*key, *domain, "incoming pod", *pods, pod(by))
            }
            Evidence::ExistingAntiAffinity { key, domain, pod: by, pods } => {
                self.anti_affinity(*key, *domain, "existing pod", *pods, pod(by))
            }
            Evidence::Feature { name } => JsonEvidence::Feature { feature: name },
        })
    }

    fn anti_affinity(
        &self,
        key: Sym,
        domain: Sym,
        direction: &'static str,
        matching_pods: i64,
        pod: Option<String>,
    ) -> JsonEvidence {
        let (topology_key, domain) = (self.text(key), self.text(domain));
        JsonEvidence::AntiAffinity { topology_key, domain, direction, matching_pods, pod }
    }

    fn preemption(&self, report: &PreemptionReport) -> JsonPreemption {
        let nodes = if report.ineligible.is_some() {
            Vec::new()
        } else {
            self.cluster.node_indices().map(|node| self.dry_run(node, report.dry_runs.get(&node))).collect()
        };
        JsonPreemption {
            eligible: report.ineligible.is_none(),
            ineligible_reason: report.ineligible.as_ref().map(|i| i.reason),
            terminating: report
                .ineligible
                .iter()
                .flat_map(|i| &i.terminating)
                .map(|pod| self.cluster.pod_name(*pod))
                .collect(),
            nodes,
            ladder: report.ladder.iter().map(|step| self.step(step)).collect(),
            winners: report.winners.iter().map(|n| self.node(*n)).collect(),
        }
    }

    fn dry_run(&self, node: NodeIx, run: Option<&DryRun>) -> JsonDryRun {
        let name = self.node(node);
        match run {
            None => {
                let reasons = vec![NOT_HELPFUL.render(self.cluster).into_owned()];
                JsonDryRun { name, verdict: "NotHelpful", reasons, ..JsonDryRun::default() }
            }
            Some(DryRun::Failed(error)) => {
                JsonDryRun { name, verdict: "NoCandidate", reasons: vec![error.clone()], ..JsonDryRun::default() }
            }
            Some(DryRun::NoCandidate { plugin, rejection }) => JsonDryRun {
                name,
                verdict: "NoCandidate",
                plugin: *plugin,
                reasons: rejection.texts(self.cluster),
                evidence: self.evidence(rejection),
                ..JsonDryRun::default()
            },
            Some(DryRun::Candidate(candidate)) => self.candidate(name, candidate),
        }
    }

    fn candidate(&self, name: String, candidate: &Candidate) -> JsonDryRun {
        let victims = candidate.victims.iter().map(|victim| {
            let pod = self.cluster.pod(victim.pod);
            JsonVictim {
                namespace: self.text(pod.namespace),
                name: pod.name.to_string(),
                uid: pod.uid.to_string(),
                resource_version: pod.resource_version.to_string(),
                priority: pod.priority,
                start_time: pod.start_time.map(|t| t.to_string()),
                terminating: pod.is_terminating(),
                owner: pod.controller.map(|(kind, name)| format!("{}/{}", self.text(kind), self.text(name))),
                pdb_violations: victim
                    .violates
                    .iter()
                    .map(|b| self.cluster.budget(*b))
                    .map(|b| format!("{}/{}", self.cluster.text(b.namespace), b.name))
                    .collect(),
                blocks: victim
                    .blocks
                    .as_ref()
                    .map(|(plugin, rejection)| JsonBlock { plugin, reasons: rejection.texts(self.cluster) }),
            }
        });
        let spared = candidate.spared.iter().map(|pod| {
            let pod = self.cluster.pod(*pod);
            JsonSpared {
                namespace: self.text(pod.namespace),
                name: pod.name.to_string(),
                priority: pod.priority,
                why: "fits back",
            }
        });
        JsonDryRun {
            name,
            verdict: "Candidate",
            victims: Some(victims.collect()),
            num_pdb_violations: Some(candidate.violations),
            spared: Some(spared.collect()),
            ..JsonDryRun::default()
        }
    }

    fn step(&self, step: &Step) -> JsonStep {
        let (name, unit) = CRITERIA.get(step.criterion).map_or(("", Unit::Number), |c| (c.name, c.unit));
        JsonStep {
            criterion: name,
            values: step.values.iter().map(|(node, value)| (self.node(*node), step_value(unit, *value))).collect(),
            survivors: step.survivors.iter().map(|n| self.node(*n)).collect(),
        }
    }
}

fn step_value(unit: Unit, value: i64) -> serde_json::Value {
    match unit {
        Unit::Number => value.into(),
        Unit::Time => {
            Timestamp::from_nanosecond(i128::from(value)).map_or_else(|_| value.into(), |t| t.to_string().into())
        }
    }
}

/// `key=value:Effect`, or `key:Effect` without a value.
#[must_use]
pub fn taint(cluster: &Cluster, key: Sym, value: Sym, effect: &str) -> String {
    let (key, value) = (cluster.text(key), cluster.text(value));
    if value.is_empty() { format!("{key}:{effect}") } else { format!("{key}={value}:{effect}") }
}

/// `8080/TCP`, or `10.0.0.1:8080/TCP` on one address.
#[must_use]
pub fn host_port(cluster: &Cluster, port: HostPort) -> String {
    let (ip, protocol) = (cluster.text(port.ip), cluster.text(port.protocol));
    if ip == "0.0.0.0" { format!("{}/{protocol}", port.port) } else { format!("{ip}:{}/{protocol}", port.port) }
}

/// Whether the decision's outcome is a plain yes.
#[must_use]
pub fn is_good(outcome: Outcome) -> bool {
    matches!(outcome, Outcome::Schedulable | Outcome::Preempt)
}

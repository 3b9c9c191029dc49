//! The decision as JSON: an API. Fields are only added within a version, never renamed.

mod types;
mod verification;

use std::collections::BTreeMap;

use jiff::Timestamp;

use types::{
    JsonBlock, JsonDryRun, JsonEvidence, JsonNode, JsonNote, JsonPod, JsonPreFilter, JsonPreemption, JsonRetry,
    JsonScheduler, JsonScore, JsonSelected, JsonSource, JsonSpared, JsonStep, JsonVictim, JsonWaiting,
};
pub use types::{JsonDecision, JsonDecisionList, schema};
pub use verification::JsonVerificationList;

use super::words;
use crate::cluster::Cluster;
use crate::cluster::node::NodeIx;
use crate::cluster::pod::{OwnerRef, PodIx};
use crate::cluster::symbols::Sym;
use crate::cluster::template::HostPort;
use crate::decision::Decision;
use crate::decision::waiting::{FIRST_BACKOFF, FLUSH, LONGEST_BACKOFF, Waiting};
use crate::framework::cycle::{NodeVerdict, PreFilter};
use crate::framework::status::{Evidence, Rejection};
use crate::preemption::dry_run::{Candidate, DryRun};
use crate::preemption::pick_node::{CRITERIA, Step, Unit};
use crate::preemption::{NOT_HELPFUL, PreemptionReport};
use crate::profile::Profile;
use crate::snapshot::{API_VERSION, Header};

/// Where the objects came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceKind {
    /// A cluster.
    Live,
    /// Files or standard input.
    File,
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
            scheduler: scheduler(profile),
            source: origin(header, source),
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
            waiting: decision.waiting.as_ref().map(waiting),
            notes: decision
                .notes
                .iter()
                .map(|n| JsonNote { severity: n.severity.name(), subject: n.subject.clone(), text: n.text.clone() })
                .collect(),
        }
    }
}

fn scheduler(profile: &Profile) -> JsonScheduler {
    JsonScheduler {
        version: profile.version.to_string(),
        version_source: profile.source.name(),
        profile: profile.scheduler_name.clone(),
        config: if profile.from_file { "file" } else { "default" },
        feature_gates: profile.gates.iter().map(|(name, on)| ((*name).to_owned(), *on)).collect(),
    }
}

fn waiting(waiting: &Waiting) -> JsonWaiting {
    JsonWaiting {
        kept_by: waiting.kept_by.clone(),
        retried_on: waiting.retried_on.iter().map(|(plugin, when)| JsonRetry { plugin, when }).collect(),
        first_backoff_seconds: FIRST_BACKOFF,
        longest_backoff_seconds: LONGEST_BACKOFF,
        flush_seconds: FLUSH,
    }
}

fn origin(header: &Header, source: SourceKind) -> JsonSource {
    JsonSource {
        kind: if source == SourceKind::Live { "live" } else { "file" },
        captured_at: header.captured_at.clone(),
        resource_versions: header.resource_versions.clone(),
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
            scores: None,
            score: None,
            score_details: None,
        };
        match verdict {
            NodeVerdict::Feasible => scored(plain("Feasible"), node, decision),
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
            Evidence::None | Evidence::Devices { shortage: None, .. } => return None,
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
            Evidence::Disk { volume, pod } => {
                JsonEvidence::Disk { volume: text(*volume), used_by: self.cluster.pod_name(*pod) }
            }
            Evidence::ClaimInUse { claim, pod } => {
                JsonEvidence::ClaimInUse { claim: text(*claim), used_by: self.cluster.pod_name(*pod) }
            }
            Evidence::VolumeLimit { driver, limit, attached, wanted } => {
                JsonEvidence::VolumeLimit { driver: text(*driver), limit: *limit, attached: *attached, wanted: *wanted }
            }
            Evidence::MissingDriver { driver } => JsonEvidence::MissingDriver { missing_driver: text(*driver) },
            Evidence::Claim { claim, volume } => JsonEvidence::Claim { claim: text(*claim), volume: volume.map(text) },
            Evidence::StorageSpace { claim, class, wanted } => {
                JsonEvidence::StorageSpace { claim: text(*claim), storage_class: text(*class), wanted_bytes: *wanted }
            }
            Evidence::VolumeZone { volume, key, found } => {
                JsonEvidence::VolumeZone { volume: text(*volume), label: text(*key), found: found.map(text) }
            }
            Evidence::Feature { name } => JsonEvidence::Feature { feature: name },
            Evidence::Devices { claim, shortage: Some(shortage) } => JsonEvidence::Devices {
                claim: claim.map(text),
                request: text(shortage.request),
                wanted: shortage.wanted,
                devices: shortage.devices,
                selected: shortage.selected,
                in_use: shortage.held,
                tainted: shortage.tainted,
            },
            Evidence::ClaimElsewhere { claims } => JsonEvidence::ClaimElsewhere {
                claims: claims.iter().filter_map(|ix| self.cluster.devices.get(*ix)).map(|c| text(c.name)).collect(),
            },
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
                owner: pod
                    .controller
                    .map(|OwnerRef { kind, name, .. }| format!("{}/{}", self.text(kind), self.text(name))),
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

fn scored(node: JsonNode, ix: NodeIx, decision: &Decision) -> JsonNode {
    let Some((table, at)) = decision.scores.as_ref().and_then(|t| Some((t, t.position(ix)?))) else { return node };
    let details: BTreeMap<&'static str, JsonScore> = table
        .plugins
        .iter()
        .filter_map(|plugin| {
            let (raw, normalized, weight) = (*plugin.raw.get(at)?, *plugin.normalized.get(at)?, plugin.weight);
            Some((plugin.plugin, JsonScore { raw, normalized, weight, weighted: normalized * weight }))
        })
        .collect();
    JsonNode {
        scores: Some(details.iter().map(|(plugin, score)| (*plugin, score.weighted)).collect()),
        score: table.totals.get(at).copied(),
        score_details: Some(details),
        ..node
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

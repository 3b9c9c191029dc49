//! The decision as JSON, which is a public API: within a version, fields are added but never renamed.

mod evidence;
mod sampling;
mod types;

use std::collections::BTreeMap;

use types::{
    JsonBlock, JsonDryRun, JsonNode, JsonPreFilter, JsonPreemption, JsonRetry, JsonScore, JsonSelected, JsonSpared,
    JsonStep, JsonVictim, JsonWaiting,
};
pub use types::{JsonDecision, JsonDecisionList, JsonNote, JsonPod, JsonScheduler, JsonSource};

use crate::cluster::Cluster;
use crate::cluster::node::NodeIx;
use crate::cluster::pod::{OwnerRef, PodIx};
use crate::cluster::symbols::Sym;
use crate::decision::Decision;
use crate::decision::waiting::Waiting;
use crate::framework::cycle::{NodeVerdict, PreFilter};
use crate::framework::extender::EXTENDER;
use crate::preemption::dry_run::{Candidate, DryRun};
use crate::preemption::pick_node::{CRITERIA, TieBreakStep, Unit};
use crate::preemption::{NOT_HELPFUL, PreemptionReport};
use crate::profile::Profile;
use crate::rules;
use crate::snapshot::{API_VERSION, Header};

/// Where the objects came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
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
        let view = DecisionJson { cluster: decision.view.cluster };
        let profile = decision.profile();
        let header = &view.cluster.header;
        Self {
            api_version: API_VERSION,
            kind: "Decision",
            pod: JsonPod::new(view.cluster, decision.pod),
            scheduler: JsonScheduler::new(profile),
            source: JsonSource::new(header, source),
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
            as_scheduled: decision.sampling.as_ref().map(|found| view.as_scheduled(found)),
            notes: decision.notes.iter().map(JsonNote::new).collect(),
        }
    }
}

/// The codes of messages for the given reasons.
fn codes(reasons: &[String]) -> Vec<Option<&'static str>> {
    reasons.iter().map(|reason| rules::find(reason).map(|message| message.code)).collect()
}

impl JsonScheduler {
    /// Which scheduler decides, and what it is configured with.
    #[must_use]
    pub fn new(profile: &Profile) -> Self {
        Self {
            version: profile.version.to_string(),
            version_source: profile.source.name(),
            profile: profile.scheduler_name.clone(),
            config: if profile.config_source.is_some() { "file" } else { "default" },
            config_source: profile.config_source.clone(),
            feature_gates: profile.gates.iter().map(|(name, on)| ((*name).to_owned(), *on)).collect(),
        }
    }
}

fn waiting(waiting: &Waiting) -> JsonWaiting {
    JsonWaiting {
        kept_by: waiting.kept_by.clone(),
        retried_on: waiting.retried_on.iter().map(|(plugin, when)| JsonRetry { plugin, when }).collect(),
        first_backoff_seconds: waiting.first_backoff,
        longest_backoff_seconds: waiting.longest_backoff,
        flush_seconds: waiting.flush,
    }
}

impl JsonSource {
    /// Where the objects come from, and of when.
    #[must_use]
    pub fn new(header: &Header, source: SourceKind) -> Self {
        Self {
            kind: if source == SourceKind::Live { "live" } else { "file" },
            captured_at: header.captured_at.clone(),
            resource_versions: header.resource_versions.clone(),
        }
    }
}

impl JsonPod {
    /// The pod that is decided about.
    #[must_use]
    pub fn new(cluster: &Cluster, ix: PodIx) -> Self {
        let pod = cluster.pod(ix);
        let template = cluster.template(pod);
        let text = |sym: Sym| cluster.text(sym).to_owned();
        Self {
            namespace: text(pod.namespace),
            name: pod.name.to_string(),
            uid: pod.uid.to_string(),
            priority: pod.priority,
            preemption_policy: if template.never_preempts { "Never" } else { "PreemptLowerPriority" },
            scheduler_name: text(template.scheduler_name),
            nominated_node_name: (!pod.nominated_node.is_empty()).then(|| text(pod.nominated_node)),
        }
    }
}

struct DecisionJson<'c> {
    cluster: &'c Cluster,
}

impl DecisionJson<'_> {
    fn text(&self, sym: Sym) -> String {
        self.cluster.text(sym).to_owned()
    }

    fn node(&self, node: NodeIx) -> String {
        self.text(self.cluster.node(node).name)
    }

    fn pre_filter(&self, pre_filter: &PreFilter) -> Option<JsonPreFilter> {
        match pre_filter {
            PreFilter::Rejected { plugin, rejection, .. } => {
                Some(JsonPreFilter { plugin, code: rejection.code.name(), reasons: rejection.texts(self.cluster) })
            }
            PreFilter::AllNodes | PreFilter::SomeNodes { .. } | PreFilter::Failed(_) => None,
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
            reason_codes: Vec::new(),
            evidence: Vec::new(),
            scores: None,
            score: None,
            score_details: None,
        };
        let told = match verdict {
            NodeVerdict::Feasible => scored(plain("Feasible"), node, decision),
            NodeVerdict::NotTried => plain("NotTried"),
            NodeVerdict::Failed(error) => JsonNode { reasons: Some(vec![error.clone()]), ..plain("NotTried") },
            NodeVerdict::ExcludedByPreFilter => {
                let stage = Some("PreFilterNarrowing");
                match decision.pre_filter_exclusion_text() {
                    Some(text) => JsonNode {
                        stage,
                        code: Some("UnschedulableAndUnresolvable"),
                        reasons: Some(vec![text]),
                        ..plain("Filtered")
                    },
                    // These versions write no reason for such a node.
                    None => JsonNode { stage, ..plain("NotTried") },
                }
            }
            NodeVerdict::Filtered { plugin, rejection } => JsonNode {
                stage: Some(if *plugin == EXTENDER { EXTENDER } else { "Filter" }),
                plugin: Some(*plugin).filter(|plugin| *plugin != EXTENDER),
                code: Some(rejection.code.name()),
                reasons: Some(rejection.texts(self.cluster)),
                evidence: self.evidence(rejection),
                ..plain("Filtered")
            },
        };
        JsonNode { reason_codes: codes(told.reasons.as_deref().unwrap_or_default()), ..told }
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
            ladder: report.tie_break.iter().map(|step| self.step(step)).collect(),
            winners: report.winners.iter().map(|n| self.node(*n)).collect(),
        }
    }

    fn dry_run(&self, node: NodeIx, run: Option<&DryRun>) -> JsonDryRun {
        let name = self.node(node);
        let told = match run {
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
        };
        JsonDryRun { reason_codes: codes(&told.reasons), ..told }
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
        let spared = candidate.reprieved.iter().map(|pod| {
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

    fn step(&self, step: &TieBreakStep) -> JsonStep {
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
    let mut weighted: BTreeMap<String, i64> =
        details.iter().map(|(plugin, score)| ((*plugin).to_owned(), score.weighted)).collect();
    let extenders = table.extenders.iter().filter_map(|e| Some((e.name.clone(), *e.added.get(at)?)));
    weighted.extend(extenders);
    JsonNode { scores: Some(weighted), score: table.totals.get(at).copied(), score_details: Some(details), ..node }
}

fn step_value(unit: Unit, value: i64) -> serde_json::Value {
    match unit {
        Unit::Number => value.into(),
        Unit::Time => unit.text(value).into(),
    }
}

//! The decision as JSON, which is a public API: within a version, fields are added but never renamed.

mod evidence;
mod group;
mod hold;
mod membership;
mod preemption;
mod remedies;
mod sampling;
mod selected;
mod types;

use std::collections::BTreeMap;

pub use group::{JsonGroupDecision, JsonGroupDecisionList};
use remedies::JsonRemedy;
use types::{JsonCondition, JsonError, JsonNode, JsonPreFilter, JsonRefusal, JsonRetry, JsonScore, JsonWaiting};
pub use types::{JsonDecision, JsonDecisionList, JsonNote, JsonPod, JsonScheduler, JsonSource};

use model::cluster::Cluster;
use model::cluster::node::NodeIx;
use model::cluster::pod::PodIx;
use model::cluster::symbols::Sym;
use model::snapshot::{API_VERSION, Header};
use profile::Profile;
use scheduler::decision::Decision;
use scheduler::decision::verify::{Verification, VerificationResult};
use scheduler::decision::waiting::Waiting;
use scheduler::framework::cycle::{NodeVerdict, PreFilter};
use scheduler::framework::extender::EXTENDER;
use scheduler::framework::reason::Quote;
use scheduler::framework::status::Rejection;

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
        let others = decision.other_condition_messages();
        Self {
            api_version: API_VERSION,
            kind: "Decision",
            pod: JsonPod::new(view.cluster, decision.pod),
            scheduler: JsonScheduler::new(profile),
            source: JsonSource::new(header, source),
            decided_at: decision.now.to_string(),
            outcome: decision.outcome.name(),
            group: decision.membership.as_ref().map(|membership| view.membership(membership)),
            permit: decision.permit.as_ref().map(|permit| view.permit(permit)),
            why: decision.why(),
            hold: view.hold(decision),
            error: decision.error().map(|error| JsonError { kind: error.kind.name(), text: error.text.clone() }),
            message: decision.message.clone(),
            condition_message: decision.condition_message.clone(),
            other_condition_messages: others.messages,
            other_condition_messages_left_out: Some(others.left_out).filter(|left_out| *left_out > 0),
            condition: decision.condition.as_ref().map(condition),
            pre_filter: view.pre_filter(&decision.pre_filter),
            nodes: view.nodes(decision),
            preemption: decision.preemption.as_ref().map(|report| view.preemption(report, decision)),
            selected: view.selected(decision),
            waiting: decision.waiting.as_ref().map(waiting),
            as_scheduled: decision.sampling.as_ref().map(|found| view.as_scheduled(found)),
            remedies: decision.remedies.as_ref().map(|found| found.found.iter().map(JsonRemedy::new).collect()),
            remedies_tried: decision.remedies.as_ref().map(|found| found.tried),
            remedies_proposed: decision.remedies.as_ref().map(|found| found.proposed),
            notes: decision.notes.iter().map(JsonNote::new).collect(),
        }
    }
}

/// The texts of the reasons, and the codes of their messages.
fn told(quotes: Vec<Quote>) -> (Vec<String>, Vec<Option<&'static str>>) {
    let codes = quotes.iter().map(Quote::code).collect();
    (quotes.into_iter().map(|quote| quote.text).collect(), codes)
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
            filters: profile.plugins.filter.clone(),
        }
    }
}

fn condition(found: &Verification) -> JsonCondition {
    JsonCondition {
        message: found.written.clone(),
        relation: match found.verdict {
            VerificationResult::Equal => "equal",
            VerificationResult::Stale => "stale",
            VerificationResult::Different => "different",
            VerificationResult::NoMessage => "none",
        },
        why: found.what.clone(),
        changes: found.evidence.clone(),
        written_by: found.written_by.clone(),
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
    /// The pod of this decision.
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
                let (reasons, reason_codes) = told(rejection.quotes(self.cluster));
                let (code, evidence) = (rejection.code.name(), self.evidence(rejection));
                Some(JsonPreFilter { plugin, code, reasons, reason_codes, evidence })
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
            also_refused_by: decision
                .also_refused(node)
                .map(|others| others.iter().map(|(plugin, also)| self.refusal(plugin, also)).collect()),
            nominated_pods: decision
                .view
                .nominated_pods(node, decision.pod)
                .map(|pod| self.cluster.pod_name(pod))
                .collect(),
            scores: None,
            score: None,
            score_details: None,
        };
        let refused = |quotes| {
            let (reasons, reason_codes) = told(quotes);
            JsonNode { reasons: Some(reasons), reason_codes, ..plain("Filtered") }
        };
        match verdict {
            NodeVerdict::Feasible => scored(plain("Feasible"), node, decision),
            NodeVerdict::NotTried => plain("NotTried"),
            NodeVerdict::Failed(failure) => {
                JsonNode { verdict: "NotTried", ..refused(vec![Quote::unknown(failure.text().to_owned())]) }
            }
            NodeVerdict::ExcludedByPreFilter => {
                let stage = Some("PreFilterNarrowing");
                match decision.pre_filter_exclusion() {
                    Some(quote) => {
                        JsonNode { stage, code: Some("UnschedulableAndUnresolvable"), ..refused(vec![quote]) }
                    }
                    // These versions write no reason for such a node.
                    None => JsonNode { stage, ..plain("NotTried") },
                }
            }
            NodeVerdict::Filtered { plugin, rejection } => JsonNode {
                stage: Some(if *plugin == EXTENDER { EXTENDER } else { "Filter" }),
                plugin: Some(*plugin).filter(|plugin| *plugin != EXTENDER),
                code: Some(rejection.code.name()),
                evidence: self.evidence(rejection),
                ..refused(rejection.quotes(self.cluster))
            },
        }
    }

    fn refusal(&self, plugin: &'static str, rejection: &Rejection) -> JsonRefusal {
        let (reasons, reason_codes) = told(rejection.quotes(self.cluster));
        let (code, evidence) = (rejection.code.name(), self.evidence(rejection));
        JsonRefusal { plugin, code, reasons, reason_codes, evidence }
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

#[cfg(test)]
mod tests;

//! Converts decisions to the documented JSON, whose types are in the crate `kubectl-preempt-json`.
//!
//! [`decision`] converts a decision about a pod, [`group_decision`] one about a group; the other
//! functions convert parts that several kinds of answers share.

mod group;
mod preemption;
mod queue;
mod remedies;
mod selected;

use std::collections::BTreeMap;

use answers::certificate;
use answers::headline::headline;
use answers::not_running::{NextLook, NotRunning};
use answers::origin::SourceKind;
use answers::pod_report::PodReport;
use answers::questions::explain::{self, GroupReport, PodReports};
use answers::silence::Silence;
use answers::timeline::{MomentKind, Timeline};
use answers::why_not::{DecidesAgainst, WhyNot};
use engine::cluster::{Cluster, NodeIx, PodIx, Sym};
use engine::decision::competitors::Competitors;
use engine::decision::handlers::PodHandler;
use engine::decision::nearest::{Unmeetable as Found, nearest};
use engine::decision::verify::{Verification, VerificationResult};
use engine::decision::waiting::RetryConditions;
use engine::decision::{Decision, OutcomeKind};
use engine::framework::cycle::{NodeVerdict, PreFilter};
use engine::framework::extender::EXTENDER;
use engine::framework::reason::Quote;
use engine::framework::status::Rejection;
use engine::notes::{Note, SettledBy};
use engine::preemption::proof::{PlanCertificate, PlanCost, PlanProof};
use engine::profile::Profile;
use engine::snapshot::Header;
use json::common::{Note as JsonNote, Scheduler, SettledBy as JsonSettledBy, Source};
use json::decision::{
    Bars, Condition, Decision as JsonDecision, DecisionList, EndingVictim, Error,
    Holder as JsonHolder, Moment, Nearest, Node, NodeBar, NodeStates, NotRunning as JsonNotRunning,
    PlanCertificate as JsonPlanCertificate, PlanCost as JsonPlanCost, PlanProof as JsonPlanProof,
    Pod, PreFilter as JsonPreFilter, Refusal, Retry, Room, Score, Silence as JsonSilence,
    Timeline as JsonTimeline, Unmeetable, Waiting as JsonWaiting, WhyNot as JsonWhyNot,
};
use json::evidence::Evidence;
use json::group::{GroupDecision, GroupDecisionList};
use json::preemption::Competitor;
use json::{ApiVersion, Text, kind};

use crate::{OneOrList, ToJson};
pub use group::{group_decision, group_decision_list};
pub use remedies::{autoscaling, edit, remedy};

/// The JSON of a decision.
pub fn decision(decision: &Decision, source: SourceKind) -> JsonDecision {
    let view = DecisionJson { cluster: decision.view.cluster };
    let profile = decision.profile();
    let header = &view.cluster.header;
    let others = decision.other_condition_messages();
    let holder = decision.holder();
    let error = decision.error();
    JsonDecision {
        pod: self::pod(view.cluster, decision.pod),
        scheduler: scheduler(profile),
        source: self::source(header, source),
        decided_at: decision.now.to_string(),

        // Before the cycle: whether the pod gets one.
        group: decision.membership.as_ref().map(|membership| view.membership(membership)),
        permit: decision.permit.as_ref().map(|permit| view.permit(permit)),
        hold: view.hold(decision),
        holder: holder.map(|found| self::holder(found.name(decision.pod, view.cluster), &found)),

        // The cycle, in its order, and its outcome.
        pre_filter: view.pre_filter(decision.pre_filter()),
        nodes: view.nodes(decision),
        preemption: decision.preemption().map(|report| view.preemption(report, decision)),
        selected: view.selected(decision),
        outcome: decision.outcome.name().into(),
        why: decision.why(),
        error: error.map(|e| Error { kind: e.kind.name().into(), text: e.text.clone() }),

        // What is written about it, and what follows.
        message: decision.message().map(str::to_owned),
        condition_message: decision.condition_message().map(str::to_owned),
        other_condition_messages: others.messages,
        other_condition_messages_left_out: Some(others.left_out).filter(|left_out| *left_out > 0),
        waiting: decision.waiting().as_ref().map(waiting),
        nomination: view.nomination(decision),
        notes: decision.notes.iter().map(note).collect(),

        // The rest is what only an explanation has.
        ..JsonDecision::default()
    }
}

/// The named competitors for the room of evictions.
pub fn competitors(all: &Competitors) -> Vec<Competitor> {
    let mut competitors = Vec::with_capacity(all.named.len());
    for one in &all.named {
        competitors.push(Competitor {
            namespace: one.namespace.clone(),
            name: one.name.clone(),
            uid: one.uid.clone(),
            priority: one.priority,
            scheduler: one.scheduler.clone(),
            reason: one.reason.name().into(),
            certainty: one.certainty.name().into(),
        });
    }
    competitors
}

/// How many competitors there are, if not all are named.
pub fn competitors_total(all: &Competitors) -> Option<usize> {
    Some(all.total).filter(|total| *total > all.named.len())
}

impl ToJson for PodReports<'_> {
    type Json = OneOrList<JsonDecision, DecisionList>;

    fn json(&self) -> Self::Json {
        let items = self.pods.iter().map(|report| pod_report(report, self.basis.source));
        OneOrList::new(items.collect(), self.one, decision_list)
    }
}

impl ToJson for GroupReport<'_> {
    type Json = OneOrList<GroupDecision, GroupDecisionList>;

    fn json(&self) -> Self::Json {
        let items = self.groups.iter().map(|group| group_decision(group, self.basis.source));
        OneOrList::new(items.collect(), self.one, |items| {
            group_decision_list(items, &self.workloads)
        })
    }
}

/// The JSON of the report about a pod.
pub fn pod_report(report: &PodReport, source: SourceKind) -> JsonDecision {
    let view = DecisionJson { cluster: report.view.cluster };
    let remedies = report.remedies.as_ref();
    let mut json = decision(report, source);
    json.headline = Some(headline(report));
    for (node, ix) in json.nodes.iter_mut().zip(view.cluster.node_indices()) {
        let others = report.also_refused(ix).map(|others| others.iter());
        node.also_refused_by =
            others.map(|all| all.map(|(plugin, also)| view.refusal(plugin, also)).collect());
    }
    json.competitors = competitors(&report.competitors);
    json.competitors_total = competitors_total(&report.competitors);
    json.nearest = view.nearest(report);
    json.condition = report.condition.as_ref().map(condition);
    json.as_scheduled = report.sampling.as_ref().map(|found| view.as_scheduled(found));
    json.timeline = Some(Timeline::of(report)).filter(Timeline::is_telling).map(timeline);
    json.why_not = WhyNot::of(report).as_ref().map(why_not);
    json.plan_certificate = report.certificate.as_ref().map(|found| certificate(found, report));
    json.remedies = remedies.map(|found| found.found.iter().map(remedy).collect());
    json.remedies_tried = remedies.map(|found| found.tried);
    json.remedies_proposed = remedies.map(|found| found.proposed);
    json.autoscaling = report.next_step().map(autoscaling);
    json.who_acts = explain::who_acts(report).map(|who| who.text().into());
    json.not_running = answers::not_running::not_running(report.view, report.pod, report.now)
        .as_ref()
        .map(not_running);
    json.silence = report.silence.as_deref().map(silence);
    json
}

/// The JSON of whether the plan of a pod that preempts is the best one.
fn certificate(found: &PlanCertificate, report: &PodReport) -> JsonPlanCertificate {
    JsonPlanCertificate {
        node: report.node(found.node).to_owned(),
        cost: cost(found.cost, report),
        cheapest: proof(&found.cheapest, report),
        fewest: proof(&found.fewest, report),
        text: certificate::sentences(report),
    }
}

fn proof(proof: &PlanProof, report: &PodReport) -> JsonPlanProof {
    let mut json = JsonPlanProof {
        verdict: certificate::verdict(proof).into(),
        node: None,
        victims: Vec::new(),
        cost: None,
        not_searched: Vec::new(),
    };
    match proof {
        PlanProof::Proven => {}
        PlanProof::Better(plan) => {
            json.node = Some(report.node(plan.node).to_owned());
            json.victims = certificate::victims(plan, report.cluster());
            json.cost = Some(cost(plan.cost, report));
        }
        PlanProof::NotTried(why) => {
            json.not_searched.push(format!("all nodes: {}", certificate::no_search(*why)));
        }
        PlanProof::NotProven(nodes) => {
            for (node, why) in nodes {
                let why = certificate::reason(*why);
                json.not_searched.push(format!("{}: {why}", report.node(*node)));
            }
        }
    }
    json
}

fn cost(cost: PlanCost, report: &PodReport) -> JsonPlanCost {
    let PlanCost { violations, highest, sum, victims } = cost;
    let pdbs_unknown = report.cluster().are_budgets_unknown();
    JsonPlanCost { violations, pdbs_unknown, highest, sum, victims }
}

/// The JSON of what decides against one node.
fn timeline(timeline: Timeline) -> JsonTimeline {
    let Timeline { now, moments, next, ending, .. } = timeline;
    let mut happened = Vec::with_capacity(moments.len());
    for moment in moments {
        let (what, at) = (moment.what.name().into(), moment.at.to_string());
        let (text, pods) = match moment.what {
            MomentKind::Created => (None, Vec::new()),
            MomentKind::Marked(text) | MomentKind::FailedScheduling(text) => {
                (Some(text), Vec::new())
            }
            MomentKind::Evicted(pods) => (None, pods),
        };
        let last = moment.last.map(|last| last.to_string());
        happened.push(Moment { what, at, last, count: moment.count, text, pods });
    }
    let mut victims = Vec::with_capacity(ending.len());
    for victim in ending {
        let due = victim.due.map(|due| due.to_string());
        victims.push(EndingVictim { pod: victim.pod, due, kept_by: victim.kept_by });
    }
    let retried_by = next.map(|next| next.at_latest(now).to_string());
    JsonTimeline { moments: happened, retried_by, ending: victims }
}

fn why_not(why: &WhyNot) -> JsonWhyNot {
    let (decides, plugin, criterion) = match &why.decides {
        DecidesAgainst::Nothing => ("Nothing", None, None),
        DecidesAgainst::Awaited => ("Awaited", None, None),
        DecidesAgainst::Assigned { .. } => ("Assigned", None, None),
        DecidesAgainst::Chance { .. } => ("Chance", None, None),
        DecidesAgainst::Sampled { .. } => ("Sample", None, None),
        DecidesAgainst::Filter { plugin, .. } => ("Filter", Some(plugin.as_str()), None),
        DecidesAgainst::TieBreak { criterion, .. } => ("TieBreak", None, Some(*criterion)),
        DecidesAgainst::Score { plugin, .. } => ("Score", plugin.map(|(name, ..)| name), None),
        DecidesAgainst::Nomination => ("Nomination", None, None),
        DecidesAgainst::Sampling => ("Sampling", None, None),
        DecidesAgainst::NoCycle => ("NoCycle", None, None),
    };
    JsonWhyNot {
        node: why.node.clone(),
        selected: why.selected.clone(),
        decides: decides.into(),
        text: why.sentence(),
        plugin: plugin.filter(|name| !name.is_empty()).map(str::to_owned),
        criterion: criterion.map(str::to_owned),
    }
}

/// The JSON of why a pod that has a node does not run.
pub fn not_running(found: &NotRunning) -> JsonNotRunning {
    JsonNotRunning {
        cause: found.cause.clone(),
        details: found.details.clone(),
        command: found.look.as_ref().map(NextLook::text),
    }
}

/// The JSON of what is known of a scheduler that does not look at a pod.
pub fn silence(silence: &Silence) -> JsonSilence {
    JsonSilence {
        scheduler: silence.scheduler.clone(),
        state: silence.state.name().into(),
        seconds: silence.seconds,
        facts: silence.facts.clone(),
        command: silence.look.1.clone(),
    }
}

/// Adds to each node of a decision's JSON how much it has of each resource that the pod requests.
pub fn add_room(json: &mut JsonDecision, decision: &Decision) {
    let (cluster, wanted) = (decision.view.cluster, decision.wanted());
    for (node, ix) in json.nodes.iter_mut().zip(cluster.node_indices()) {
        for room in decision.room_on(ix, &wanted) {
            let [wanted, allocatable, free, freed, missing] =
                [room.wanted, room.allocatable, room.free(), room.freed, room.missing()]
                    .map(|value| room.resource.amount(value, cluster));
            let written = Room {
                wanted,
                allocatable,
                free,
                freed_by_evictions: Some(freed).filter(|_| room.freed > 0),
                missing: Some(missing).filter(|_| room.missing() > 0),
            };
            node.room.insert(room.resource.name(cluster).to_owned(), written);
        }
    }
}

/// The most nodes with a bar.
const BARS: usize = 20;

/// How full the nodes are for the pod of a report; `None` if it was not tried on nodes.
pub fn bars(report: &PodReport) -> Option<Bars> {
    let rooms = report.room_on_nodes()?;
    let cluster = report.cluster();
    let (resource, request) = *rooms.wanted.get(rooms.binding)?;
    let text = |amount| resource.amount(amount, cluster);
    let mut nodes = Vec::new();
    for row in rooms.telling(BARS) {
        let Some(room) = rooms.bar(row) else { continue };
        nodes.push(NodeBar {
            node: cluster.node_name(row.node).to_owned(),
            state: row.state.name().into(),
            kept: text(room.kept()),
            evictable: text(room.freed),
            free: text(room.free()),
            allocatable: text(room.allocatable),
            why: report.why_on(row),
        });
    }
    let mut groups = Vec::with_capacity(rooms.groups.len());
    for group in &rooms.groups {
        let states = group.states.iter().map(|(state, nodes)| (state.name().into(), *nodes));
        groups.push(NodeStates {
            name: group.name.clone(),
            nodes: group.nodes(),
            states: states.collect(),
        });
    }
    Some(Bars {
        resource: resource.name(cluster).to_owned(),
        request: text(request),
        shared_ending: rooms.ending.to_owned(),
        nodes,
        groups,
    })
}

/// The JSON of several decisions.
pub fn decision_list(items: Vec<JsonDecision>) -> DecisionList {
    DecisionList { api_version: ApiVersion::default(), kind: kind::DecisionList::default(), items }
}

/// The JSON of a note.
pub fn note(note: &Note) -> JsonNote {
    JsonNote {
        code: note.doc.code.into(),
        severity: note.severity.name().into(),
        objects: note.objects.iter().map(ToString::to_string).collect(),
        text: note.text.clone(),
        count: note.count,
        settled_by: note.settled_by.map(|answer| match answer {
            SettledBy::FeatureGate(gate) => JsonSettledBy::FeatureGate(gate.to_owned()),
            SettledBy::FeatureGates => JsonSettledBy::FeatureGates,
            SettledBy::AskingExtenders => JsonSettledBy::AskingExtenders,
            SettledBy::Replicas => JsonSettledBy::Replicas,
            SettledBy::AllowedDisruptions => JsonSettledBy::AllowedDisruptions,
        }),
    }
}

/// The texts of reasons, and the codes of their messages.
fn told(quotes: Vec<Quote>) -> (Vec<String>, Vec<Option<Text>>) {
    let codes = quotes.iter().map(|quote| quote.code().map(Text::from)).collect();
    (quotes.into_iter().map(|quote| quote.text).collect(), codes)
}

/// The scheduler that decides, and its configuration.
pub fn scheduler(profile: &Profile) -> Scheduler {
    Scheduler {
        version: profile.version.to_string(),
        version_source: profile.source.name().into(),
        profile: profile.scheduler_name.clone(),
        config: if profile.config_source.is_some() { "file" } else { "default" }.into(),
        config_source: profile.config_source.clone(),
        feature_gates: profile.gates.iter().map(|(name, on)| ((*name).to_owned(), *on)).collect(),
        filters: profile.plugins.filter.iter().map(|plugin| Text::from(*plugin)).collect(),
    }
}

fn condition(found: &Verification) -> Condition {
    Condition {
        message: found.written.clone(),
        relation: match found.verdict {
            VerificationResult::Equal => "equal",
            VerificationResult::Stale => "stale",
            VerificationResult::Different => "different",
            VerificationResult::NoMessage => "none",
        }
        .into(),
        why: found.what.clone(),
        changes: found.evidence.clone(),
        written_by: found.written_by.clone(),
        written_since: found.written_since.clone(),
    }
}

fn waiting(waiting: &RetryConditions) -> JsonWaiting {
    JsonWaiting {
        kept_by: waiting.kept_by.clone(),
        retried_on: waiting.retried_on.iter().map(retry).collect(),
        first_backoff_seconds: waiting.first_backoff,
        longest_backoff_seconds: waiting.longest_backoff,
        flush_seconds: waiting.flush,
    }
}

fn retry((plugin, when): &(&'static str, &'static str)) -> Retry {
    Retry { plugin: (*plugin).into(), when: (*when).into() }
}

/// The program that holds a pod.
pub fn holder(name: &str, found: &PodHandler) -> JsonHolder {
    JsonHolder {
        name: name.to_owned(),
        held_by: found.by.name().into(),
        reason: found.reason.word.clone(),
        place: found.reason.place.clone(),
        message: found.reason.message.clone(),
        facts: found.reason.facts.clone(),
        objects: found.reason.objects.iter().map(ToString::to_string).collect(),
        autoscalers_look: found.reason.autoscalers_look,
        not_read: found.unread.iter().map(|unread| unread.kind.resource().into()).collect(),
    }
}

/// The source of the objects, and the time they were read.
pub fn source(header: &Header, source: SourceKind) -> Source {
    Source {
        kind: if source == SourceKind::Live { "live" } else { "file" }.into(),
        captured_at: header.captured_at.clone(),
        resource_versions: header.resource_versions.clone().into_iter().collect(),
    }
}

/// The pod of this decision.
pub fn pod(cluster: &Cluster, ix: PodIx) -> Pod {
    let pod = cluster.pod(ix);
    let template = cluster.template(pod);
    let nominated = cluster.text(pod.nominated_node);
    let policy = if template.never_preempts { "Never" } else { "PreemptLowerPriority" };
    Pod {
        namespace: cluster.text(pod.namespace).to_owned(),
        name: pod.name.to_string(),
        uid: pod.uid.to_string(),
        priority: pod.priority,
        preemption_policy: policy.into(),
        scheduler_name: cluster.text(template.scheduler_name).to_owned(),
        nominated_node_name: (!nominated.is_empty()).then(|| nominated.to_owned()),
    }
}

/// The names of nodes.
pub(crate) fn node_names<'n>(
    nodes: impl IntoIterator<Item = &'n NodeIx>,
    cluster: &Cluster,
) -> Vec<String> {
    nodes.into_iter().map(|node| cluster.node_name(*node).to_owned()).collect()
}

/// The names of pods, with their namespaces.
pub(crate) fn pod_names<'p>(
    pods: impl IntoIterator<Item = &'p PodIx>,
    cluster: &Cluster,
) -> Vec<String> {
    pods.into_iter().map(|pod| cluster.pod_name(*pod)).collect()
}

struct DecisionJson<'c> {
    cluster: &'c Cluster,
}

impl DecisionJson<'_> {
    fn text(&self, sym: Sym) -> String {
        self.cluster.text(sym).to_owned()
    }

    fn node(&self, node: NodeIx) -> String {
        self.cluster.node_name(node).to_owned()
    }

    fn pre_filter(&self, pre_filter: &PreFilter) -> Option<JsonPreFilter> {
        match pre_filter {
            PreFilter::Rejected { plugin, rejection, .. } => {
                let (reasons, reason_codes) = told(rejection.quotes(self.cluster));
                let (code, evidence) = (rejection.code.name().into(), self.evidence(rejection));
                Some(JsonPreFilter {
                    plugin: (*plugin).into(),
                    code,
                    reasons,
                    reason_codes,
                    evidence,
                })
            }
            PreFilter::AllNodes | PreFilter::SomeNodes { .. } | PreFilter::Failed(_) => None,
        }
    }

    fn nodes(&self, decision: &Decision) -> Vec<Node> {
        let nodes = self.cluster.node_indices().zip(decision.nodes());
        nodes.map(|(node, verdict)| self.verdict(node, verdict, decision)).collect()
    }

    fn verdict(&self, node: NodeIx, verdict: &NodeVerdict, decision: &Decision) -> Node {
        match verdict {
            NodeVerdict::Feasible => scored(self.plain(node, "Feasible", decision), node, decision),
            NodeVerdict::NotTried => self.plain(node, "NotTried", decision),
            NodeVerdict::Failed(failure) => {
                let reason = Quote::unknown(failure.text().to_owned());
                Node { verdict: "NotTried".into(), ..self.filtered(node, vec![reason], decision) }
            }
            NodeVerdict::ExcludedByPreFilter => {
                let excluded = match decision.pre_filter_exclusion() {
                    Some(quote) => Node {
                        code: Some("UnschedulableAndUnresolvable".into()),
                        ..self.filtered(node, vec![quote], decision)
                    },
                    // These versions do not report a reason for such a node.
                    None => self.plain(node, "NotTried", decision),
                };
                Node {
                    stage: Some("PreFilterNarrowing".into()),
                    evidence: self.narrowing(decision),
                    ..excluded
                }
            }
            NodeVerdict::Filtered { plugin, rejection } => {
                let by_extender = *plugin == EXTENDER;
                Node {
                    stage: Some(if by_extender { EXTENDER } else { "Filter" }.into()),
                    plugin: (!by_extender).then(|| (*plugin).into()),
                    code: Some(rejection.code.name().into()),
                    evidence: self.evidence(rejection),
                    ..self.filtered(node, rejection.quotes(self.cluster), decision)
                }
            }
        }
    }

    /// A node with its verdict, and nothing else that depends on it.
    fn plain(&self, node: NodeIx, verdict: &'static str, decision: &Decision) -> Node {
        let nominated = decision.view.nominated_pods(node, decision.pod);
        Node {
            name: self.node(node),
            verdict: verdict.into(),
            nominated_pods: nominated.map(|pod| self.cluster.pod_name(pod)).collect(),
            ..Node::default()
        }
    }

    fn filtered(&self, node: NodeIx, quotes: Vec<Quote>, decision: &Decision) -> Node {
        let (reasons, reason_codes) = told(quotes);
        Node { reasons: Some(reasons), reason_codes, ..self.plain(node, "Filtered", decision) }
    }

    /// The evidence of a rejection; a reason about several claims has an item for each.
    fn evidence(&self, rejection: &Rejection) -> Vec<Evidence> {
        rejection.evidence().flat_map(|evidence| evidence.json(self.cluster)).collect()
    }

    /// Why PreFilter leaves only some nodes.
    fn narrowing(&self, decision: &Decision) -> Vec<Evidence> {
        let PreFilter::SomeNodes { evidence, .. } = decision.pre_filter() else {
            return Vec::new();
        };
        evidence.iter().flat_map(|evidence| evidence.json(self.cluster)).collect()
    }

    fn nearest(&self, decision: &PodReport) -> Option<Nearest> {
        if !matches!(decision.kind(), OutcomeKind::Preempt | OutcomeKind::Unschedulable) {
            return None;
        }
        let beyond_all_nodes = decision.unmeetable();
        let causes = decision.node_causes(&beyond_all_nodes);
        let nearest = nearest(&causes);
        let distance = nearest.first()?.distance;
        // Plugin and reason are those of the first cause on every screen: that of most of them.
        let first = &decision.first_causes().first()?.group;
        Some(Nearest {
            nodes: nearest.iter().map(|cause| self.node(cause.node)).collect(),
            nearness: distance.nearness.name().into(),
            plugin: first.plugin.into(),
            reason: first.reasons.first().map(|reason| reason.text.clone()).unwrap_or_default(),
            unmeetable: beyond_all_nodes.iter().map(|found| self.unmeetable(found)).collect(),
            held_by: first.held_by.clone(),
        })
    }

    fn unmeetable(&self, found: &Found) -> Unmeetable {
        Unmeetable {
            resource: found.resource.name(self.cluster).to_owned(),
            requested: found.resource.amount(found.requested, self.cluster),
            most: found.resource.amount(found.most, self.cluster),
        }
    }

    fn refusal(&self, plugin: &'static str, rejection: &Rejection) -> Refusal {
        let (reasons, reason_codes) = told(rejection.quotes(self.cluster));
        let (code, evidence) = (rejection.code.name().into(), self.evidence(rejection));
        Refusal { plugin: plugin.into(), code, reasons, reason_codes, evidence }
    }
}

fn scored(node: Node, ix: NodeIx, decision: &Decision) -> Node {
    let Some((table, at)) = decision.scores().and_then(|t| Some((t, t.position(ix)?))) else {
        return node;
    };
    let mut details: BTreeMap<Text, Score> = BTreeMap::new();
    let mut weighted: BTreeMap<String, i64> = BTreeMap::new();
    for plugin in &table.plugins {
        let (Some(raw), Some(normalized)) = (plugin.raw.get(at), plugin.normalized.get(at)) else {
            continue;
        };
        let (raw, normalized, weight) = (*raw, *normalized, plugin.weight);
        let score = Score { raw, normalized, weight, weighted: normalized * weight };
        weighted.insert(plugin.plugin.to_owned(), score.weighted);
        details.insert(plugin.plugin.into(), score);
    }
    // Extenders add to the sum of the plugins, and have no raw scores.
    for extender in &table.extenders {
        weighted.extend(extender.added.get(at).map(|added| (extender.name.clone(), *added)));
    }
    Node {
        scores: Some(weighted),
        score: table.totals.get(at).copied(),
        score_details: Some(details),
        ..node
    }
}

#[cfg(test)]
mod tests;

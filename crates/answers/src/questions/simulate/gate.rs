//! A gate: what fails, and the words for what it finds and for the outcome as a whole.

use std::collections::{BTreeMap, BTreeSet};

use engine::Decision;
use engine::cluster::Cluster;
use engine::cluster::selector::{Selector, text};
use engine::framework::cycle::rejections_of;
use engine::notes::Severity;
use engine::rules::{self, LookupResult};
use engine::simulation::change::StopCause;
use engine::simulation::gate::{
    DocumentOutcome, FailCondition, GateEvidence, GateVerdict, Policy, PolicyFinding, PolicyGate,
};
use engine::simulation::plan::PodId;
use engine::simulation::sequence::{Simulation, Totals};
use engine::snapshot::meta::LabelSelector;

use crate::causes;
use crate::error::AnswerError;
use crate::notes;
use crate::words;

/// Maximum number of pods that a sentence names.
const NAMED: usize = 3;

/// What a change is judged by.
#[derive(Debug, Clone, Default)]
pub struct GateRequest {
    /// What fails; without any, what has an exit code of its own.
    pub fail_on: BTreeSet<FailCondition>,
    /// Maximum number of evicted pods.
    pub max_victims: Option<usize>,
    /// The pods that must not be evicted.
    pub protect: Vec<Protection>,
    /// Whether findings are only reported.
    pub report_only: bool,
    /// The codes of findings that are accepted.
    pub ignore: Vec<String>,
}

/// Pods that must not be evicted.
#[derive(Debug, Clone)]
pub struct Protection {
    /// As it was given: a namespace, or a selector, which has an operator.
    text: String,
    /// The labels of the pods; `None`: those of a namespace.
    selector: Option<LabelSelector<'static>>,
}

impl Protection {
    /// Parses a namespace or a selector.
    ///
    /// # Errors
    /// [`AnswerError::Usage`] for neither of them.
    pub fn read(given: &str) -> Result<Self, AnswerError> {
        if given.trim().is_empty() {
            return Err(AnswerError::usage("--protect names no namespace and no labels"));
        }
        let is_selector = given.contains(['=', '!', ',', '(', ' ']);
        let selector = is_selector.then(|| text::parse(given)).transpose().map_err(|part| {
            AnswerError::usage_hint(
                format!("--protect `{given}`: `{part}` is not a requirement of a label selector"),
                "use e.g. app=db or app in (db,cache), or the name of a namespace",
            )
        })?;
        Ok(Self { text: given.to_owned(), selector })
    }

    /// The names of the pods of `cluster` that are meant.
    fn pods(&self, cluster: &mut Cluster) -> Result<Vec<String>, AnswerError> {
        let Self { text, selector } = self;
        let selector = selector
            .as_ref()
            .map(|wire| Selector::read(Some(wire), &mut cluster.symbols))
            .transpose()
            .map_err(|issues| AnswerError::usage(format!("--protect `{text}`: {issues}")))?;
        let namespace = cluster.symbols.get(text);
        let is_there = namespace.is_some_and(|name| {
            cluster.namespaces.contains_key(&name)
                || cluster.pods.iter().any(|pod| pod.namespace == name)
        });
        if selector.is_none() && !is_there {
            return Err(AnswerError::usage_hint(
                format!("--protect {text}: no such namespace"),
                "name one that exists, or labels of pods such as app=db",
            ));
        }
        let mut names = Vec::new();
        for index in cluster.pod_indices() {
            let pod = cluster.pod(index);
            let is_meant = match &selector {
                Some(selector) => selector.matches(cluster.labels(pod.labels)),
                None => cluster.text(pod.namespace) == text,
            };
            if is_meant {
                names.push(cluster.pod_name(index));
            }
        }
        Ok(names)
    }
}

impl GateRequest {
    /// The policy for the pods of this cluster.
    ///
    /// # Errors
    /// [`AnswerError::Usage`] for an invalid selector.
    pub(super) fn policy(&self, cluster: &mut Cluster) -> Result<Policy, AnswerError> {
        let mut protected = BTreeMap::new();
        for protection in &self.protect {
            for name in protection.pods(cluster)? {
                protected.entry(name).or_insert_with(|| protection.text.clone());
            }
        }
        let fail_on = if self.fail_on.is_empty() {
            BTreeSet::from([FailCondition::Unschedulable, FailCondition::Uncertain])
        } else {
            self.fail_on.clone()
        };
        Ok(Policy {
            fail_on,
            max_victims: self.max_victims,
            protected,
            protected_by: self.protect.iter().map(|one| one.text.clone()).collect(),
            report_only: self.report_only,
            ignored: self.ignore.clone(),
        })
    }
}

/// The finding, without the object whose manifest it concerns.
pub fn sentence(finding: &PolicyFinding) -> String {
    let number = words::count(finding.pods.len(), "pod");
    let pods = format!("{number} ({})", words::list(&finding.pods, NAMED));
    let (get, have, wait) =
        if finding.pods.len() == 1 { ("gets", "has", "waits") } else { ("get", "have", "wait") };
    match &finding.evidence {
        GateEvidence::Refused(why) => format!("the API server refuses {pods}: {why}"),
        GateEvidence::NoNode { why, causes } => {
            let causes =
                if causes.is_empty() { String::new() } else { format!(" ({})", causes.join(", ")) };
            format!("{pods} {get} no node: {}{causes}", words::without_preemption(why))
        }
        GateEvidence::Gated(gates) => {
            let noun = if gates.len() == 1 { "gate" } else { "gates" };
            format!("{pods} {have} the scheduling {noun} {}", words::list(gates, NAMED))
        }
        GateEvidence::NeedsNewNode(pool) => format!("{pods} {wait} for a new node: {pool}"),
        GateEvidence::MayGetNewNode(pool) => format!(
            "{pods} {get} no node now, and {pool} may add one: its cloud alone knows the sizes"
        ),
        GateEvidence::Stops(of) => super::changes::stopped(&of.0, &of.1),
        GateEvidence::NotKnown(why) => format!("not known for {pods}: {why}"),
        GateEvidence::Evicts(victims) => format!("evicts {}", victims_of(victims)),
        GateEvidence::TooManyVictims { evicted, indirect, most } => format!(
            "{} evicted for all manifests{}, and --max-victims allows {most}",
            if *evicted == 1 { "1 pod is".to_owned() } else { format!("{evicted} pods are") },
            match indirect {
                0 => String::new(),
                indirect => format!(", {indirect} of them for replacements"),
            }
        ),
        GateEvidence::ViolatesBudget { budget, victims } => {
            format!("violates PDB {budget}: evicts {}", victims_of(victims))
        }
        GateEvidence::Protected { by, victims } => {
            format!("evicts {}, protected by {by}", victims_of(victims))
        }
        GateEvidence::Unread { problem, .. } => {
            format!("cannot be read and is left out: {problem}")
        }
        GateEvidence::Doubt(note) => format!("not certain: {}", notes::sentence(note)),
    }
}

/// `2 pods (shop/a and shop/b)`.
fn victims_of(victims: &[PodId]) -> String {
    let names: Vec<String> = victims.iter().map(PodId::full_name).collect();
    format!("{} ({})", words::count(names.len(), "pod"), words::list(&names, NAMED))
}

/// The code of a finding; for pods without a node, that of the most frequent reason, if it is
/// known.
pub fn code(finding: &PolicyFinding) -> &'static str {
    let why = match &finding.evidence {
        GateEvidence::NoNode { why, .. } => why,
        GateEvidence::Stops(of) => match &of.1.cause {
            StopCause::NoNode { why, .. } => why,
            StopCause::Refused(_) | StopCause::NotReady | StopCause::NotKnown(_) => {
                return finding.evidence.doc().code;
            }
        },
        evidence => return evidence.doc().code,
    };
    cause(why).unwrap_or(finding.evidence.doc().code)
}

fn cause(why: &str) -> Option<&'static str> {
    let LookupResult::Message(parts) = rules::lookup(why, &rules::all()) else { return None };
    let mut most: Option<(usize, &'static str)> = None;
    for part in parts.iter().filter(|part| !part.preemption) {
        let (Some(nodes), Some(rule)) = (part.nodes, &part.rule) else { continue };
        // On a tie, the first reason counts.
        if most.is_none_or(|(known, _)| nodes > known) {
            most = Some((nodes, rule.code));
        }
    }
    most.map(|(_, code)| code)
}

/// Maximum number of causes that a finding names.
const CAUSES: usize = 2;

/// What the nodes nearest to taking a pod lack: `on 28 nodes: cpu: requests 3, at most 0.09 free`.
pub(in crate::questions) fn causes(decision: &Decision) -> Vec<String> {
    let rejected: Vec<_> = rejections_of(&decision.filters.nodes, decision.view.cluster).collect();
    let groups = causes::of_first_filters(&rejected, decision.pod, decision.view);
    let groups = groups.iter().filter(|group| !group.details.is_empty()).take(CAUSES);
    groups
        .map(|group| format!("on {}: {}", words::count(group.nodes.len(), "node"), group.cause()))
        .collect()
}

/// The annotation by which an object accepts findings: their codes, a colon and the reason.
const IGNORE: &str = "kubectl-preempt/ignore";

/// What an object accepts, and why; without a reason it accepts nothing.
pub(super) fn accepted(object: &serde_json::Value) -> Option<(Vec<String>, String)> {
    let annotations = object.pointer("/metadata/annotations")?;
    let (codes, reason) = annotations.get(IGNORE)?.as_str()?.split_once(':')?;
    let codes = codes.split(',').map(|code| code.trim().to_owned()).collect();
    Some((codes, reason.trim().to_owned())).filter(|(_, reason)| !reason.is_empty())
}

/// Accepts the findings that flags or annotations name by their code.
pub(super) fn ignore(verdict: &mut GateVerdict, policy: &Policy, simulation: &Simulation) {
    verdict.ignore(|finding| {
        let codes = [code(finding), finding.evidence.doc().code];
        if matches!(finding.evidence, GateEvidence::Unread { .. }) {
            return None;
        }
        if policy.ignored.iter().any(|one| codes.contains(&one.as_str())) {
            return Some("--ignore".to_owned());
        }
        let document = simulation.documents.get(finding.document?)?;
        if document.is_suspended {
            return Some("it is suspended".to_owned());
        }
        let (accepted, reason) = document.accepts.as_ref()?;
        accepted.iter().any(|one| codes.contains(&one.as_str())).then(|| reason.clone())
    });
}

/// What the gate fails on: `unschedulable, uncertain`.
fn fails_on(gate: &PolicyGate) -> String {
    let policy = &gate.policy;
    let mut names: Vec<String> = FailCondition::ALL
        .into_iter()
        .filter(|condition| policy.fail_on.contains(condition))
        .filter(|condition| *condition != FailCondition::Victims || policy.max_victims.is_none())
        .map(|condition| condition.name().to_owned())
        .collect();
    if let Some(most) = policy.max_victims {
        names.push(format!("more than {most} victims"));
    }
    if !policy.protected_by.is_empty() {
        names.push(format!("victims of {}", policy.protected_by.join(", ")));
    }
    names.join(", ")
}

/// The verdict in a few words.
pub fn verdict(gate: &PolicyGate) -> String {
    let failures = gate.verdict.findings.iter().filter(|finding| finding.fails).count();
    if gate.policy.report_only {
        "the gate only reports (--no-fail)".to_owned()
    } else if failures > 0 {
        format!("the gate fails (on {})", fails_on(gate))
    } else {
        format!("the gate passes (it fails on {})", fails_on(gate))
    }
}

/// The outcomes by document, those with something to say first. A manifest that cannot be read has no
/// pods to count; it is among the failures.
pub fn outcomes(gate: &PolicyGate) -> Vec<&DocumentOutcome> {
    let mut outcomes: Vec<&DocumentOutcome> =
        gate.verdict.outcomes.iter().filter(|outcome| outcome.pods > 0).collect();
    outcomes.sort_by_key(|outcome| {
        (outcome.placed == outcome.pods, outcome.evicted == 0, outcome.awaiting == 0)
    });
    outcomes
}

/// Whether all pods of a document get a node, and none is evicted for them.
pub const fn fits_freely(outcome: &DocumentOutcome) -> bool {
    outcome.placed == outcome.pods && outcome.evicted == 0
}

/// What holds of the nodes of a document's pods, after their names.
pub fn of_nodes(outcome: &DocumentOutcome) -> String {
    let others = if outcome.is_open { ", or others as good" } else { "" };
    let later = if outcome.awaiting > 0 { ", once terminating pods are gone" } else { "" };
    format!("{others}{later}")
}

/// How many pods of a document get which nodes: `2 of 3 pods placed on n1 and n2`.
pub fn placed(outcome: &DocumentOutcome) -> String {
    let placed = format!("{} of {} placed", outcome.placed, words::count(outcome.pods, "pod"));
    if outcome.nodes.is_empty() {
        return placed;
    }
    format!("{placed} on {}{}", words::list(&outcome.nodes, NAMED), of_nodes(outcome))
}

/// How severe a finding is for a CI system. What the gate accepts is mentioned if it is what the
/// user asked for, and otherwise a warning.
pub fn severity(finding: &PolicyFinding) -> Severity {
    match &finding.evidence {
        _ if finding.fails => Severity::Error,
        _ if finding.ignored.is_some() => Severity::Info,
        GateEvidence::Evicts(_) | GateEvidence::NeedsNewNode(_) => Severity::Info,
        _ => Severity::Warning,
    }
}

/// Whether a finding is about the pods of a document, or about a pod that no manifest creates.
pub fn is_of(finding: &PolicyFinding, outcome: &DocumentOutcome) -> bool {
    match outcome.document {
        Some(_) => finding.document == outcome.document && !finding.is_about_all(),
        None => finding.document.is_none() && finding.pods.contains(&outcome.first),
    }
}

/// What a finding comes to for those who read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FindingTopic {
    Fails,
    Refused,
    Waits,
    WithoutNode,
    Evicted,
    NotCertain,
}

/// The topic of a finding. What fails the gate does so before anything else.
pub fn topic(finding: &PolicyFinding) -> FindingTopic {
    if finding.fails {
        return FindingTopic::Fails;
    }
    match &finding.evidence {
        GateEvidence::Refused(_) => FindingTopic::Refused,
        GateEvidence::Gated(_) | GateEvidence::NeedsNewNode(_) | GateEvidence::MayGetNewNode(_) => {
            FindingTopic::Waits
        }
        evidence => match evidence.condition() {
            FailCondition::Unschedulable => FindingTopic::WithoutNode,
            FailCondition::NewNode => FindingTopic::Waits,
            FailCondition::Victims | FailCondition::Pdb => FindingTopic::Evicted,
            FailCondition::Uncertain => FindingTopic::NotCertain,
        },
    }
}

/// The outcome for all pods in a line: `30 of 30 pods placed by evicting 97 pods; of 101 replacements 84 stay pending`.
pub fn totals(simulation: &Simulation) -> String {
    let Totals { pods, placed, evicted, .. } = simulation.totals();
    if pods == 0 && simulation.changes.is_empty() {
        return "the manifests make no pods".to_owned();
    }
    if pods == 0 {
        return "no new pods".to_owned();
    }
    let how = match evicted {
        0 if placed > 0 => " without evictions".to_owned(),
        0 => String::new(),
        evicted => format!(" by evicting {}", words::count(evicted, "pod")),
    };
    let of = format!("{} of {}", words::group_digits(placed), words::count(pods, "pod"));
    format!("{of} placed{how}{}", replacements(simulation))
}

/// What becomes of the replacements: `; of 101 replacements 84 stay pending`.
fn replacements(simulation: &Simulation) -> String {
    let Totals { replacements, replacements_pending, .. } = simulation.totals();
    let followed = replacements - simulation.not_followed;
    let unknown = match simulation.not_followed {
        0 => String::new(),
        rest => format!(", {} not followed", words::group_digits(rest)),
    };
    // Those that were not followed may stay pending, too.
    match (replacements, replacements_pending) {
        (0, _) => String::new(),
        (_, 0) if followed == 0 => {
            format!("; {}{unknown}", words::count(replacements, "replacement"))
        }
        (1, 0) => format!("; the replacement finds a node{unknown}"),
        (all, 0) if unknown.is_empty() => {
            format!("; {} find a node", words::share(all, all, "replacement"))
        }
        (all, 0) => format!(
            "; all of {} replacements that are followed find a node{unknown}",
            words::group_digits(all)
        ),
        (all, 1) => format!("; of {} 1 stays pending{unknown}", words::count(all, "replacement")),
        (all, pending) => {
            format!(
                "; of {} {} stay pending{unknown}",
                words::count(all, "replacement"),
                words::group_digits(pending)
            )
        }
    }
}

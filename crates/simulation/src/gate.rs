//! A gate for manifests: what a change should not do according to a simulation, such as leaving
//! pods without a node or evicting protected pods, and whether that is a failure.

use super::autoscalers::{AutoscalingVerdict, Can};
use super::change::{RolloutStop, StopCause, WorkloadChange};
use super::document::UnreadManifest;
use super::plan::{PlannedVictim, PodId};
use super::planning::Proposal;
use super::sequence::{Simulation, Step};
use model::notes::{Note, NoteDoc, Severity};
use std::collections::{BTreeMap, BTreeSet};

/// The API server rejects a pod.
pub static REFUSED: NoteDoc = NoteDoc {
    code: "PRE-981",
    name: "a pod that the API server refuses",
    meaning: "The API server would not create a pod of the manifest, so nothing schedules it.",
};

/// A pod gets no node.
pub static NO_NODE: NoteDoc = NoteDoc {
    code: "PRE-982",
    name: "a pod of a manifest without a node",
    meaning: "No node takes a pod of the manifest, and no eviction that kube-scheduler considers \
              changes that: it stays pending.",
};

/// A pod is not scheduled until its gates are removed.
pub static GATED: NoteDoc = NoteDoc {
    code: "PRE-983",
    name: "a pod of a manifest with scheduling gates",
    meaning: "A pod of the manifest is not scheduled until a controller removes its scheduling \
              gates.",
};

/// Pods are evicted.
pub static EVICTS: NoteDoc = NoteDoc {
    code: "PRE-984",
    name: "pods that a manifest evicts",
    meaning: "kube-scheduler would evict running pods to make room for those of the manifest.",
};

/// More pods are evicted than allowed.
pub static TOO_MANY_VICTIMS: NoteDoc = NoteDoc {
    code: "PRE-985",
    name: "more evictions than allowed",
    meaning: "The pods of all manifests together evict more pods than the gate's limit.",
};

pub static VIOLATES_BUDGET: NoteDoc = NoteDoc {
    code: "PRE-986",
    name: "a budget that a manifest violates",
    meaning: "kube-scheduler would evict pods for the manifest although their PodDisruptionBudget \
              allows no further disruption.",
};

/// A protected pod is evicted.
pub static PROTECTED: NoteDoc = NoteDoc {
    code: "PRE-987",
    name: "protected pods that a manifest evicts",
    meaning: "kube-scheduler would evict pods for the manifest that are protected.",
};

/// The outcome for a pod is unknown.
pub static NOT_KNOWN: NoteDoc = NoteDoc {
    code: "PRE-988",
    name: "a pod of a manifest without an answer",
    meaning: "What happens to a pod of the manifest is not known, for example because another \
              scheduler decides about it.",
};

/// A new node takes the pod.
pub static NEEDS_NEW_NODE: NoteDoc = NoteDoc {
    code: "PRE-989",
    name: "a pod of a manifest that needs a new node",
    meaning: "No node takes a pod of the manifest, and a pool that can grow would add one that \
              does: the pod waits for it.",
};

/// A manifest cannot be read.
pub static UNREAD: NoteDoc = NoteDoc {
    code: "PRE-990",
    name: "a manifest that cannot be read",
    meaning: "A file is neither valid YAML nor JSON, or an object in it is none that the API \
              server would take, such as one with an unknown field or a value of a wrong type: it \
              has no part in the answer, and the command ends with an error.",
};

/// A new node may take the pod.
pub static MAY_GET_NEW_NODE: NoteDoc = NoteDoc {
    code: "PRE-991",
    name: "a pod of a manifest that may get a new node",
    meaning: "No node takes a pod of the manifest, and a pool may add one that does; the sizes that \
              it can get are known to the cloud alone.",
};

/// A rollout does not complete.
pub static ROLLOUT_STOPS: NoteDoc = NoteDoc {
    code: "PRE-992",
    name: "a change that does not complete",
    meaning: "The controller of a changed workload cannot replace all its pods, or add all that are \
              wanted: it stops where a new pod gets no node and no more old ones may leave.",
};

/// What findings mean.
pub static FINDINGS: &[&NoteDoc] = &[
    &REFUSED,
    &NO_NODE,
    &GATED,
    &EVICTS,
    &TOO_MANY_VICTIMS,
    &VIOLATES_BUDGET,
    &PROTECTED,
    &NOT_KNOWN,
    &NEEDS_NEW_NODE,
    &UNREAD,
    &MAY_GET_NEW_NODE,
    &ROLLOUT_STOPS,
];

/// What a gate can fail on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FailCondition {
    /// A pod gets no node, or is rejected by the API server.
    Unschedulable,
    /// Pods are evicted.
    Victims,
    /// An eviction violates a PodDisruptionBudget.
    Pdb,
    /// A pod waits for a node that an autoscaler adds, or may add.
    NewNode,
    /// The answer is uncertain.
    Uncertain,
}

impl FailCondition {
    /// All of them, in the order in which findings are reported.
    pub const ALL: [Self; 5] =
        [Self::Unschedulable, Self::Victims, Self::Pdb, Self::NewNode, Self::Uncertain];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unschedulable => "unschedulable",
            Self::Victims => "victims",
            Self::Pdb => "pdb",
            Self::NewNode => "new-node",
            Self::Uncertain => "uncertain",
        }
    }
}

/// What a change must not do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    pub fail_on: BTreeSet<FailCondition>,
    /// Maximum number of evicted pods. More than that fails, whatever `fail_on` says; fewer do not.
    pub max_victims: Option<usize>,
    /// Pods whose eviction fails, whatever `fail_on` says: `namespace/name`, and what protects
    /// them.
    pub protected: BTreeMap<String, String>,
    /// The protections as given, including those that match no pod of the cluster.
    pub protected_by: Vec<String>,
    /// Whether findings are only reported and nothing fails.
    pub report_only: bool,
    /// The codes of findings that are accepted.
    pub ignored: Vec<String>,
}

/// A policy and its verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyGate {
    pub policy: Policy,
    pub verdict: GateVerdict,
}

/// Something in a simulation that a change should not do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyFinding {
    /// The index in [`Simulation::documents`] of the manifest that does it.
    pub document: Option<usize>,
    /// The pods and groups of the manifest that it concerns, `namespace/name`; empty if it concerns
    /// all, or a manifest that cannot be read.
    pub pods: Vec<String>,
    /// What was found.
    pub evidence: GateEvidence,
    /// Whether the gate fails for this reason.
    pub fails: bool,
    /// Why it is accepted although the policy fails on it.
    pub ignored: Option<String>,
}

impl PolicyFinding {
    /// Whether it concerns all manifests, rather than pods or one manifest.
    pub fn is_about_all(&self) -> bool {
        self.pods.is_empty() && !matches!(self.evidence, GateEvidence::Unread { .. })
    }
}

/// The content of a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GateEvidence {
    /// The API server rejects the pods, for this reason.
    Refused(String),
    /// No node takes the pods, for this reason.
    NoNode {
        /// The scheduler's message.
        why: String,
        /// What the nodes nearest to taking them lack, with the operands.
        causes: Vec<String>,
    },
    /// The pods have these scheduling gates.
    Gated(Vec<String>),
    /// The pods wait for a node that an autoscaler adds: its pool, group or claim.
    NeedsNewNode(String),
    /// The pods wait for a node that this pool may add: it depends on the sizes that its cloud has.
    MayGetNewNode(String),
    /// A change stops at these pods.
    Stops(Box<(WorkloadChange, RolloutStop)>),
    /// The outcome for the pods is unknown, for this reason.
    NotKnown(String),
    /// These pods are evicted.
    Evicts(Vec<PodId>),
    /// More pods are evicted than allowed.
    TooManyVictims {
        /// How many are evicted.
        evicted: usize,
        /// How many of them for the replacements of others.
        indirect: usize,
        /// Maximum number allowed.
        most: usize,
    },
    /// Evictions violate a budget.
    ViolatesBudget {
        /// The budget, `namespace/name`.
        budget: String,
        /// The pods whose evictions violate it.
        victims: Vec<PodId>,
    },
    /// Protected pods are evicted.
    Protected {
        /// What protects them: a namespace or a selector.
        by: String,
        victims: Vec<PodId>,
    },
    /// The manifest cannot be read.
    Unread {
        /// Where in its line, from 1.
        column: Option<usize>,
        /// Why.
        problem: String,
    },
    /// A note that makes the answer uncertain.
    Doubt(Note),
}

impl GateEvidence {
    /// What it means.
    pub const fn doc(&self) -> &'static NoteDoc {
        match self {
            Self::Refused(_) => &REFUSED,
            Self::NoNode { .. } => &NO_NODE,
            Self::Gated(_) => &GATED,
            Self::NeedsNewNode(_) => &NEEDS_NEW_NODE,
            Self::MayGetNewNode(_) => &MAY_GET_NEW_NODE,
            Self::Stops(_) => &ROLLOUT_STOPS,
            Self::NotKnown(_) => &NOT_KNOWN,
            Self::Evicts(_) => &EVICTS,
            Self::TooManyVictims { .. } => &TOO_MANY_VICTIMS,
            Self::ViolatesBudget { .. } => &VIOLATES_BUDGET,
            Self::Protected { .. } => &PROTECTED,
            Self::Unread { .. } => &UNREAD,
            Self::Doubt(note) => note.doc,
        }
    }

    /// The `--fail-on` condition that it belongs to.
    pub const fn condition(&self) -> FailCondition {
        match self {
            Self::Refused(_) | Self::NoNode { .. } | Self::Gated(_) | Self::Stops(_) => {
                FailCondition::Unschedulable
            }
            Self::NeedsNewNode(_) | Self::MayGetNewNode(_) => FailCondition::NewNode,
            Self::Evicts(_) | Self::TooManyVictims { .. } | Self::Protected { .. } => {
                FailCondition::Victims
            }
            Self::ViolatesBudget { .. } => FailCondition::Pdb,
            Self::NotKnown(_) | Self::Unread { .. } | Self::Doubt(_) => FailCondition::Uncertain,
        }
    }

    /// The victims, for findings about evictions.
    pub fn victims(&self) -> &[PodId] {
        match self {
            Self::Evicts(victims)
            | Self::ViolatesBudget { victims, .. }
            | Self::Protected { victims, .. } => victims,
            Self::Refused(_)
            | Self::NoNode { .. }
            | Self::Gated(_)
            | Self::NeedsNewNode(_)
            | Self::MayGetNewNode(_)
            | Self::Stops(_)
            | Self::NotKnown(_)
            | Self::TooManyVictims { .. }
            | Self::Unread { .. }
            | Self::Doubt(_) => &[],
        }
    }

    /// The same, mutable.
    fn victims_mut(&mut self) -> Option<&mut Vec<PodId>> {
        match self {
            Self::Evicts(victims)
            | Self::ViolatesBudget { victims, .. }
            | Self::Protected { victims, .. } => Some(victims),
            Self::Refused(_)
            | Self::NoNode { .. }
            | Self::Gated(_)
            | Self::NeedsNewNode(_)
            | Self::MayGetNewNode(_)
            | Self::Stops(_)
            | Self::NotKnown(_)
            | Self::TooManyVictims { .. }
            | Self::Unread { .. }
            | Self::Doubt(_) => None,
        }
    }

    /// Whether `other` is the same except for the victims.
    fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Evicts(_), Self::Evicts(_)) => true,
            (Self::ViolatesBudget { budget: a, .. }, Self::ViolatesBudget { budget: b, .. })
            | (Self::Protected { by: a, .. }, Self::Protected { by: b, .. })
            | (Self::NoNode { why: a, .. }, Self::NoNode { why: b, .. }) => a == b,
            (Self::Stops(a), Self::Stops(b)) => a.0.object() == b.0.object(),
            (one, other) => one == other,
        }
    }
}

/// The outcome for the pods of one document, in numbers; for pods that no manifest creates, one
/// each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DocumentOutcome {
    /// The index in [`Simulation::documents`] of the manifest.
    pub document: Option<usize>,
    /// The first of its pods, `namespace/name`.
    pub first: String,
    pub pods: usize,
    /// Those that get a node, with or without evictions.
    pub placed: usize,
    /// The nodes of those, in the order of the decisions.
    pub nodes: Vec<String>,
    /// Whether kube-scheduler may choose other, equally good nodes.
    pub is_open: bool,
    /// Those that get their node once terminating pods are gone.
    pub awaiting: usize,
    /// The pods that are evicted for them.
    pub evicted: usize,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GateVerdict {
    /// The findings, failures first.
    pub findings: Vec<PolicyFinding>,
    /// The outcome for each document, in the order of the documents.
    pub outcomes: Vec<DocumentOutcome>,
    /// The pods that are evicted, including those evicted for replacements.
    pub evicted: usize,
}

impl GateVerdict {
    /// Whether something fails.
    pub fn fails(&self) -> bool {
        self.findings.iter().any(|finding| finding.fails)
    }

    /// Whether it fails because the answer is uncertain.
    pub fn fails_as_uncertain(&self) -> bool {
        self.findings
            .iter()
            .filter(|finding| finding.evidence.condition() == FailCondition::Uncertain)
            .any(|finding| finding.fails)
    }
}

/// Why pods of a group that the last attempt leaves out get no node.
const LEFT_OUT: &str = "no node takes it beside the other pods of its group";

/// What is found about a pod that no node takes. In a cluster that can grow, one for which a node
/// comes is no failure; where the shape of the nodes of a pool is unknown, only the pool's autoscaler
/// knows.
fn without_node(step: &Step, why: &str) -> GateEvidence {
    let no_node = GateEvidence::NoNode { why: why.to_owned(), causes: step.causes.clone() };
    let Some(outlook) = &step.autoscaling else { return no_node };
    let pool = |can: Can| outlook.pools.iter().find(|pool| pool.can == can).map(|p| p.name.clone());
    match outlook.verdict {
        AutoscalingVerdict::Coming => {
            let node = outlook.coming.as_ref().map(|node| node.what.clone());
            GateEvidence::NeedsNewNode(node.unwrap_or_default())
        }
        AutoscalingVerdict::WouldCome => {
            GateEvidence::NeedsNewNode(pool(Can::Would).unwrap_or_default())
        }
        AutoscalingVerdict::MayCome => {
            let pool = pool(Can::May).or_else(|| pool(Can::NotKnown));
            GateEvidence::MayGetNewNode(pool.unwrap_or_default())
        }
        _ => no_node,
    }
}

/// The change that a pod without a node holds up. Several of its pods may wait for a node.
fn stops_at(step: &Step, simulation: &Simulation) -> Option<GateEvidence> {
    let mut changes = simulation.changes.iter();
    let change =
        changes.find(|change| change.document.is_some() && change.document == step.document)?;
    Some(GateEvidence::Stops(Box::new((change.clone(), change.stop.clone()?))))
}

pub fn judge(simulation: &Simulation, policy: &Policy) -> GateVerdict {
    let mut judge = Judge { policy, verdict: GateVerdict::default(), victims: BTreeSet::new() };
    for manifest in &simulation.unread {
        let UnreadManifest { document, column, problem } = manifest.clone();
        judge.outcome(Some(document), "");
        judge.add(Some(document), "", GateEvidence::Unread { column, problem });
    }
    for refused in &simulation.refused {
        let pod = refused.pod.full_name();
        let outcome = judge.outcome(Some(refused.document), &pod);
        outcome.pods += 1;
        judge.add(Some(refused.document), &pod, GateEvidence::Refused(refused.why.clone()));
    }
    for (index, step) in simulation.steps.iter().enumerate() {
        // A group has a step for each time its pods are tried; only the last one leaves pods out.
        let later = simulation.steps.iter().skip(index + 1);
        let is_last = later.clone().all(|other| other.id != step.id);
        judge.step(step, is_last, simulation);
    }
    judge.waiting_controllers(simulation);
    judge.evictions(simulation);
    for note in simulation.notes.iter().filter(|note| note.severity == Severity::Error) {
        judge.add(None, "", GateEvidence::Doubt(note.clone()));
    }

    let Judge { mut verdict, .. } = judge;
    verdict.sort();
    verdict
}

impl GateVerdict {
    /// Accepts a finding for which `reason` gives one.
    pub fn ignore(&mut self, reason: impl Fn(&PolicyFinding) -> Option<String>) {
        for finding in self.findings.iter_mut().filter(|finding| finding.fails) {
            finding.ignored = reason(finding);
            finding.fails = finding.ignored.is_none();
        }
        self.sort();
    }

    /// Brings failures first, among them manifests that cannot be read, then the others by document;
    /// findings about all documents come last.
    fn sort(&mut self) {
        self.findings.sort_by_key(|finding| {
            let document = finding.document.unwrap_or(usize::MAX);
            let is_unread = matches!(finding.evidence, GateEvidence::Unread { .. });
            (!finding.fails, !is_unread, document, finding.evidence.condition())
        });
        self.outcomes.sort_by_key(|outcome| outcome.document.unwrap_or(usize::MAX));
    }
}

struct Judge<'p> {
    policy: &'p Policy,
    verdict: GateVerdict,
    /// The victims. The replacement of a pod has no UID, so it counts as a different pod.
    victims: BTreeSet<PodId>,
}

impl Judge<'_> {
    /// The outcome for a document, or for a pod without one.
    fn outcome(&mut self, document: Option<usize>, first: &str) -> &mut DocumentOutcome {
        let outcomes = &mut self.verdict.outcomes;
        let position = outcomes.iter().position(|outcome| match document {
            Some(_) => outcome.document == document,
            None => outcome.document.is_none() && outcome.first == first,
        });
        let index = position.unwrap_or_else(|| {
            let first = first.to_owned();
            outcomes.push(DocumentOutcome { document, first, ..DocumentOutcome::default() });
            outcomes.len() - 1
        });
        #[expect(clippy::indexing_slicing, reason = "the index of a known or the last outcome")]
        &mut outcomes[index]
    }

    /// Adds a finding, or adds its pod to an equal finding of the same document.
    fn add(&mut self, document: Option<usize>, pod: &str, evidence: GateEvidence) {
        // What is not judged cannot be merely reported.
        let is_unread = matches!(evidence, GateEvidence::Unread { .. });
        let fails = is_unread || !self.policy.report_only && self.is_failure(&evidence);
        let alike = self
            .verdict
            .findings
            .iter_mut()
            .find(|alike| alike.document == document && alike.evidence.is_like(&evidence));
        let Some(alike) = alike else {
            let pods = if pod.is_empty() { Vec::new() } else { vec![pod.to_owned()] };
            self.verdict.findings.push(PolicyFinding {
                document,
                pods,
                evidence,
                fails,
                ignored: None,
            });
            return;
        };
        if !pod.is_empty() && !alike.pods.iter().any(|other| other == pod) {
            alike.pods.push(pod.to_owned());
        }
        let mut evidence = evidence;
        if let (Some(victims), Some(more)) = (alike.evidence.victims_mut(), evidence.victims_mut())
        {
            more.retain(|victim| !victims.contains(victim));
            victims.append(more);
        }
    }

    /// Whether the policy fails on it.
    fn is_failure(&self, evidence: &GateEvidence) -> bool {
        let policy = self.policy;
        match evidence {
            GateEvidence::TooManyVictims { .. }
            | GateEvidence::Protected { .. }
            | GateEvidence::Unread { .. } => true,
            // An allowed number of evictions is no failure.
            GateEvidence::Evicts(_) => {
                policy.fail_on.contains(&FailCondition::Victims) && policy.max_victims.is_none()
            }
            GateEvidence::Refused(_)
            | GateEvidence::NoNode { .. }
            | GateEvidence::Gated(_)
            | GateEvidence::NeedsNewNode(_)
            | GateEvidence::Stops(_)
            | GateEvidence::NotKnown(_)
            | GateEvidence::MayGetNewNode(_)
            | GateEvidence::ViolatesBudget { .. }
            | GateEvidence::Doubt(_) => policy.fail_on.contains(&evidence.condition()),
        }
    }

    /// Records the outcome for a pod or group in question.
    fn step(&mut self, step: &Step, is_last: bool, simulation: &Simulation) {
        let id = step.id.full_name();
        let left_out = if is_last { step.left_out.as_slice() } else { &[] };
        let outcome = self.outcome(step.document, &id);
        outcome.placed += step.placed();
        outcome.pods += step.placed() + left_out.len();
        if is_last && !step.is_placed() {
            outcome.pods += 1;
        }
        let nodes: Vec<&str> = match &step.proposal {
            Proposal::Fits(nodes) => {
                outcome.is_open |= nodes.len() > 1 || step.likelihood.is_some();
                nodes.first().map(String::as_str).into_iter().collect()
            }
            Proposal::GroupFits(placed) => placed.iter().map(|p| p.node.as_str()).collect(),
            Proposal::Evict(plan) | Proposal::Awaits(plan) => {
                outcome.is_open |= !plan.tied.is_empty() || step.likelihood.is_some();
                plan.nodes()
            }
            Proposal::Impossible(_) | Proposal::Unknown(_) => Vec::new(),
        };
        for node in nodes {
            if !outcome.nodes.iter().any(|other| other == node) {
                outcome.nodes.push(node.to_owned());
            }
        }
        if matches!(step.proposal, Proposal::Awaits(_)) {
            outcome.awaiting += step.placed();
        }

        let evidence = match &step.proposal {
            Proposal::Impossible(_) if !step.gates.is_empty() => {
                Some(GateEvidence::Gated(step.gates.clone()))
            }
            Proposal::Impossible(why) => {
                match (without_node(step, why), stops_at(step, simulation)) {
                    (GateEvidence::NoNode { .. }, Some(stops)) => Some(stops),
                    (evidence, _) => Some(evidence),
                }
            }
            Proposal::Unknown(why) => Some(GateEvidence::NotKnown(why.clone())),
            Proposal::Fits(_)
            | Proposal::GroupFits(_)
            | Proposal::Evict(_)
            | Proposal::Awaits(_) => None,
        };
        if let Some(evidence) = evidence.filter(|_| is_last) {
            self.add(step.document, &id, evidence);
        }
        for pod in left_out {
            let evidence = GateEvidence::NoNode { why: LEFT_OUT.to_owned(), causes: Vec::new() };
            self.add(step.document, &pod.full_name(), evidence);
        }
    }

    /// Records the changes that stop although every new pod has a node: at an old one that is not
    /// Ready, or at one that quotas refuse.
    fn waiting_controllers(&mut self, simulation: &Simulation) {
        for change in &simulation.changes {
            if let Some(stop) = &change.stop
                && matches!(stop.cause, StopCause::NotReady | StopCause::Refused(_))
            {
                let evidence = GateEvidence::Stops(Box::new((change.clone(), stop.clone())));
                self.outcome(change.document, &stop.pod);
                self.add(change.document, &stop.pod, evidence);
            }
        }
    }

    /// Records the evictions for the pods in question, and those for the replacements of their
    /// victims, which the same document causes.
    fn evictions(&mut self, simulation: &Simulation) {
        let mut causes: BTreeMap<String, Option<usize>> = BTreeMap::new();
        let mut first_to_evict = None;
        for step in simulation.steps.iter().chain(&simulation.cascade) {
            let id = step.id.full_name();
            let document = step.document.or(causes.get(&id).copied().flatten());
            let Some(plan) = step.proposal.plan() else { continue };
            for victim in &plan.victims {
                if victim.terminating_until.is_some() {
                    continue;
                }
                causes.insert(victim.pod.full_name(), document);
                first_to_evict = first_to_evict.or(document);
                let is_new = self.victims.insert(victim.pod.clone());
                if is_new && step.depth == 0 {
                    self.outcome(document, &id).evicted += 1;
                }
                self.eviction(document, &id, victim);
            }
        }
        self.verdict.evicted = self.victims.len();
        if let Some(most) = self.policy.max_victims.filter(|most| self.victims.len() > *most) {
            let evicted = self.victims.len();
            let direct: usize = self.verdict.outcomes.iter().map(|one| one.evicted).sum();
            let indirect = evicted.saturating_sub(direct);
            let evidence = GateEvidence::TooManyVictims { evicted, indirect, most };
            self.add(first_to_evict, "", evidence);
        }
    }

    fn eviction(&mut self, document: Option<usize>, pod: &str, victim: &PlannedVictim) {
        let name = victim.pod.full_name();
        self.add(document, pod, GateEvidence::Evicts(vec![victim.pod.clone()]));
        for budget in victim.budgets.iter().filter(|budget| budget.is_violated()) {
            let budget = budget.full_name();
            let victims = vec![victim.pod.clone()];
            self.add(document, pod, GateEvidence::ViolatesBudget { budget, victims });
        }
        if let Some(by) = self.policy.protected.get(&name) {
            let victims = vec![victim.pod.clone()];
            self.add(document, pod, GateEvidence::Protected { by: by.clone(), victims });
        }
    }
}

//! The parts of a decision that are compared, and a decision reduced to its effect.

use std::collections::BTreeMap;

use crate::decision::sampling::is_about_sampling;
use crate::decision::{CycleError, Decision, Outcome, OutcomeKind, QueueGate};
use crate::framework::cycle::{NodeVerdict, PreFilter};
use crate::framework::failure::StepFailure;
use crate::framework::status::{Code, Rejection};
use crate::preemption::dry_run::DryRun;
use model::cluster::{NodeIx, PodIx};
use model::notes::{Severity, Subject};
use profile::doubts::is_about_scheduler;

/// A part of a decision. Two decisions that differ in none of them look the same to users.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Aspect {
    /// The outcome for the pod.
    Outcome,
    /// Why PreFilter rejects the pod or the nodes.
    PreFilter,
    /// Which nodes are filtered out, by which plugin and for which reasons.
    Filtered,
    /// The scores of the feasible nodes.
    Scores,
    /// Whether the pod may preempt.
    Eligible,
    /// The candidates for preemption, their victims, and the number of violated budgets.
    Candidates,
    /// The nodes on which evicting pods does not help, and why.
    Rejected,
    /// The node that is selected or nominated.
    Selected,
    /// The scheduler's message.
    Message,
    /// The message in the `PodScheduled` condition.
    ConditionMessage,
    /// When the pod is retried.
    Waiting,
    /// The notes that make the decision uncertain.
    Doubts,
}

impl Aspect {
    /// All parts, in the order of the scheduling cycle.
    pub const ALL: [Self; 12] = [
        Self::Outcome,
        Self::PreFilter,
        Self::Filtered,
        Self::Scores,
        Self::Eligible,
        Self::Candidates,
        Self::Rejected,
        Self::Selected,
        Self::Message,
        Self::ConditionMessage,
        Self::Waiting,
        Self::Doubts,
    ];

    /// Its name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Outcome => "outcome",
            Self::PreFilter => "preFilter",
            Self::Filtered => "filtered",
            Self::Scores => "scores",
            Self::Eligible => "eligible",
            Self::Candidates => "candidates",
            Self::Rejected => "rejected",
            Self::Selected => "selected",
            Self::Message => "message",
            Self::ConditionMessage => "conditionMessage",
            Self::Waiting => "waiting",
            Self::Doubts => "notes",
        }
    }

    fn same(self, a: &Decision, b: &Decision) -> bool {
        match self {
            Self::Outcome => a.kind() == b.kind() && (gate(a), a.error()) == (gate(b), b.error()),
            Self::PreFilter => whole_refusal(a) == whole_refusal(b),
            Self::Filtered => nodes(a).all(|node| filter(a, node) == filter(b, node)),
            Self::Scores => nodes(a).all(|node| scores(a, node) == scores(b, node)),
            Self::Eligible => ineligible(a) == ineligible(b),
            Self::Candidates => nodes(a).all(|node| eviction(a, node) == eviction(b, node)),
            Self::Rejected => {
                nodes(a).all(|node| no_candidate_reasons(a, node) == no_candidate_reasons(b, node))
            }
            Self::Selected => (a.selected(), a.odds()) == (b.selected(), b.odds()),
            Self::Message => a.message() == b.message(),
            Self::ConditionMessage => a.condition_message() == b.condition_message(),
            Self::Waiting => a.waiting() == b.waiting(),
            Self::Doubts => doubts(a).eq(doubts(b)),
        }
    }
}

/// The effect of a decision: what happens to which pod on which node, without the texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecisionEffect {
    /// The outcome for the pod.
    pub outcome: OutcomeKind,
    /// What keeps the pod out of the queue, if anything does.
    gate: Option<QueueGate>,
    /// Why the cycle ends without a result, if it does.
    pub error: Option<CycleError>,
    /// The selected or nominated nodes, each with the pods to evict there.
    pub nodes: BTreeMap<NodeIx, Vec<PodIx>>,
}

impl DecisionEffect {
    /// The effect of `decision`.
    pub fn of(decision: &Decision) -> Self {
        let victims = |node: &NodeIx| {
            eviction(decision, *node).map(|(_, victims)| victims).unwrap_or_default()
        };
        let nodes = decision.selected().iter().map(|node| (*node, victims(node))).collect();
        Self {
            outcome: decision.kind(),
            gate: gate(decision).cloned(),
            error: decision.error().cloned(),
            nodes,
        }
    }
}

/// The parts in which two decisions about one pod differ.
pub(super) fn differing(a: &Decision, b: &Decision) -> Vec<Aspect> {
    Aspect::ALL.into_iter().filter(|aspect| !aspect.same(a, b)).collect()
}

/// The nodes about which two decisions differ.
pub(super) fn differing_nodes(a: &Decision, b: &Decision) -> Vec<NodeIx> {
    nodes(a).filter(|node| !same_about(*node, a, b)).collect()
}

/// Whether two decisions say the same about a node.
fn same_about(node: NodeIx, a: &Decision, b: &Decision) -> bool {
    filter(a, node) == filter(b, node)
        && scores(a, node) == scores(b, node)
        && eviction(a, node) == eviction(b, node)
        && no_candidate_reasons(a, node) == no_candidate_reasons(b, node)
        && a.selected().contains(&node) == b.selected().contains(&node)
}

/// What keeps the pod out of the queue.
fn gate<'d>(decision: &'d Decision) -> Option<&'d QueueGate> {
    if let Outcome::NotInQueue(gate) = &decision.outcome { Some(gate) } else { None }
}

fn nodes<'d>(decision: &'d Decision) -> impl Iterator<Item = NodeIx> + 'd {
    decision.view.cluster.node_indices()
}

/// The code and the reasons of a rejection, without its evidence.
fn code_and_reasons(rejection: &Rejection, decision: &Decision) -> (Code, Vec<String>) {
    (rejection.code, rejection.texts(decision.view.cluster))
}

fn whole_refusal(decision: &Decision) -> Option<(&'static str, (Code, Vec<String>))> {
    match decision.pre_filter() {
        PreFilter::Rejected { plugin, rejection, .. } => {
            Some((plugin, code_and_reasons(rejection, decision)))
        }
        PreFilter::AllNodes | PreFilter::SomeNodes { .. } | PreFilter::Failed(_) => None,
    }
}

/// The result of filtering a node, reduced to what is compared.
#[derive(PartialEq)]
enum NodeAnswer {
    Fits,
    Rejects(Option<&'static str>, (Code, Vec<String>)),
    NotTried,
    Fails(StepFailure),
}

fn filter(decision: &Decision, node: NodeIx) -> Option<NodeAnswer> {
    Some(match decision.filters.node(node)? {
        NodeVerdict::Feasible => NodeAnswer::Fits,
        NodeVerdict::Filtered { plugin, rejection } => {
            NodeAnswer::Rejects(Some(plugin), code_and_reasons(rejection, decision))
        }
        NodeVerdict::ExcludedByPreFilter => {
            let reasons =
                decision.pre_filter_exclusion().into_iter().map(|quote| quote.text).collect();
            NodeAnswer::Rejects(None, (Code::UnschedulableAndUnresolvable, reasons))
        }
        NodeVerdict::NotTried => NodeAnswer::NotTried,
        NodeVerdict::Failed(failure) => NodeAnswer::Fails(failure.clone()),
    })
}

/// A node's weighted scores by plugin.
fn scores(decision: &Decision, node: NodeIx) -> Option<(i64, Vec<(&'static str, i64)>)> {
    let table = decision.scores()?;
    let at = table.position(node)?;
    let parts = table.plugins.iter().map(|p| Some((p.plugin, p.normalized.get(at)? * p.weight)));
    Some((*table.totals.get(at)?, parts.collect::<Option<_>>()?))
}

/// Whether preemption runs and is not off, and the reason if the pod may not preempt.
fn ineligible<'d>(decision: &'d Decision) -> (Option<bool>, Option<&'d str>) {
    let report = decision.preemption();
    (
        report.map(|report| report.off),
        report.and_then(|report| report.ineligible.as_ref()).map(|i| i.reason.text),
    )
}

/// The number of violated budgets and the victims on a node, if it is a candidate.
fn eviction(decision: &Decision, node: NodeIx) -> Option<(usize, Vec<PodIx>)> {
    match decision.preemption()?.dry_runs.get(&node)? {
        DryRun::Candidate(candidate) => {
            Some((candidate.violations, candidate.victims.iter().map(|v| v.pod).collect()))
        }
        DryRun::NoCandidate { .. } | DryRun::Failed(_) => None,
    }
}

/// Why evicting pods does not help on a node.
fn no_candidate_reasons(decision: &Decision, node: NodeIx) -> Option<Vec<String>> {
    match decision.preemption()?.dry_runs.get(&node)? {
        DryRun::NoCandidate { rejection, .. } => Some(rejection.texts(decision.view.cluster)),
        DryRun::Failed(failure) => Some(vec![failure.text().to_owned()]),
        DryRun::Candidate(_) => None,
    }
}

/// The notes that make a decision uncertain: their codes, their subjects and, where the scheduler
/// samples nodes, how many it evaluates.
fn doubts<'d>(
    decision: &'d Decision,
) -> impl Iterator<Item = (&'static str, &'d [Subject], &'d str)> {
    decision
        .notes
        .iter()
        .filter(|note| {
            // Unknown settings concern the scheduler, not its rules for the pod.
            (note.severity == Severity::Error && !is_about_scheduler(note))
                || is_about_sampling(note)
        })
        .map(|note| {
            let text = if is_about_sampling(note) { note.text.as_str() } else { "" };
            (note.doc.code, note.objects.as_slice(), text)
        })
}

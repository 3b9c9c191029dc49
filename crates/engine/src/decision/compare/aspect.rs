//! The parts of an answer that are compared, and what an answer comes down to.

use std::collections::BTreeMap;

use crate::cluster::node::NodeIx;
use crate::cluster::notes::{Note, Severity};
use crate::cluster::pod::PodIx;
use crate::decision::notes::SAMPLING;
use crate::decision::{Decision, Outcome};
use crate::framework::cycle::{NodeVerdict, PreFilter};
use crate::framework::status::{Code, Rejection};
use crate::preemption::dry_run::DryRun;

/// A part of an answer. Two answers that differ in none are the same to everybody who does not read how they came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Aspect {
    /// What becomes of the pod.
    Outcome,
    /// Why no node at all is looked at.
    PreFilter,
    /// Which nodes refuse the pod, by which plugin, for which reasons.
    Filtered,
    /// What the nodes that take it are worth.
    Scores,
    /// Whether it may preempt.
    Eligible,
    /// Where evicting pods makes room, which pods, and how many budgets that violates.
    Candidates,
    /// Where evicting pods does not make room, and why.
    Rejected,
    /// Where the pod goes, or is nominated to.
    Selected,
    /// The scheduler's message.
    Message,
    /// What is written into the `PodScheduled` condition.
    ConditionMessage,
    /// When it is tried again.
    Waiting,
    /// What makes the answer less than certain.
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
    #[must_use]
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
            Self::Outcome => (a.outcome, &a.why) == (b.outcome, &b.why),
            Self::PreFilter => whole_refusal(a) == whole_refusal(b),
            Self::Filtered => nodes(a).all(|node| filter(a, node) == filter(b, node)),
            Self::Scores => nodes(a).all(|node| scores(a, node) == scores(b, node)),
            Self::Eligible => ineligible(a) == ineligible(b),
            Self::Candidates => nodes(a).all(|node| eviction(a, node) == eviction(b, node)),
            Self::Rejected => nodes(a).all(|node| no_candidate_reasons(a, node) == no_candidate_reasons(b, node)),
            Self::Selected => a.selected == b.selected,
            Self::Message => a.message == b.message,
            Self::ConditionMessage => a.condition_message == b.condition_message,
            Self::Waiting => a.waiting == b.waiting,
            Self::Doubts => doubts(a).eq(doubts(b)),
        }
    }
}

/// What an answer comes down to: what happens to which pod on which node, whatever is said about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecisionEffect {
    /// What becomes of the pod.
    pub outcome: Outcome,
    /// Where it goes, or is nominated to, and whom that costs.
    pub nodes: BTreeMap<NodeIx, Vec<PodIx>>,
}

impl DecisionEffect {
    /// What `decision` comes down to.
    #[must_use]
    pub fn of(decision: &Decision) -> Self {
        let victims = |node: &NodeIx| eviction(decision, *node).map(|(_, victims)| victims).unwrap_or_default();
        let nodes = decision.selected.iter().map(|node| (*node, victims(node))).collect();
        Self { outcome: decision.outcome, nodes }
    }
}

/// The parts in which two answers about one pod differ.
pub(super) fn differing(a: &Decision, b: &Decision) -> Vec<Aspect> {
    Aspect::ALL.into_iter().filter(|aspect| !aspect.same(a, b)).collect()
}

/// The nodes about which two answers differ.
pub(super) fn differing_nodes(a: &Decision, b: &Decision) -> Vec<NodeIx> {
    let says = |d, node| {
        (filter(d, node), scores(d, node), eviction(d, node), no_candidate_reasons(d, node), d.selected.contains(&node))
    };
    nodes(a).filter(|node| says(a, *node) != says(b, *node)).collect()
}

fn nodes<'d>(decision: &'d Decision) -> impl Iterator<Item = NodeIx> + 'd {
    decision.view.cluster.node_indices()
}

/// A refusal without the numbers behind it.
fn code_and_reasons(rejection: &Rejection, decision: &Decision) -> (Code, Vec<String>) {
    (rejection.code, rejection.texts(decision.view.cluster))
}

fn whole_refusal(decision: &Decision) -> Option<(&'static str, (Code, Vec<String>))> {
    match &decision.pre_filter {
        PreFilter::Rejected { plugin, rejection, .. } => Some((plugin, code_and_reasons(rejection, decision))),
        PreFilter::AllNodes | PreFilter::SomeNodes { .. } | PreFilter::Failed(_) => None,
    }
}

/// What filtering says of a node.
#[derive(PartialEq)]
enum NodeAnswer {
    Fits,
    Rejects(Option<&'static str>, (Code, Vec<String>)),
    NotTried,
    Fails(String),
}

fn filter(decision: &Decision, node: NodeIx) -> Option<NodeAnswer> {
    Some(match decision.nodes.get(node.0 as usize)? {
        NodeVerdict::Feasible => NodeAnswer::Fits,
        NodeVerdict::Filtered { plugin, rejection } => {
            NodeAnswer::Rejects(Some(plugin), code_and_reasons(rejection, decision))
        }
        NodeVerdict::ExcludedByPreFilter => {
            let reasons = decision.pre_filter_exclusion_text().into_iter().collect();
            NodeAnswer::Rejects(None, (Code::UnschedulableAndUnresolvable, reasons))
        }
        NodeVerdict::NotTried => NodeAnswer::NotTried,
        NodeVerdict::Failed(error) => NodeAnswer::Fails(error.clone()),
    })
}

/// A node's weighted scores by plugin.
fn scores(decision: &Decision, node: NodeIx) -> Option<Vec<(&'static str, i64)>> {
    let table = decision.scores.as_ref()?;
    let at = table.position(node)?;
    table.plugins.iter().map(|p| Some((p.plugin, p.normalized.get(at)? * p.weight))).collect()
}

/// Whether preemption is tried at all, and why the pod may not.
fn ineligible<'d>(decision: &'d Decision) -> (bool, Option<&'d str>) {
    let report = decision.preemption.as_ref();
    (report.is_some(), report.and_then(|report| report.ineligible.as_ref()).map(|i| i.reason))
}

/// How many budgets are violated on a node, and whom it would cost to make room there.
fn eviction(decision: &Decision, node: NodeIx) -> Option<(usize, Vec<PodIx>)> {
    match decision.preemption.as_ref()?.dry_runs.get(&node)? {
        DryRun::Candidate(candidate) => Some((candidate.violations, candidate.victims.iter().map(|v| v.pod).collect())),
        DryRun::NoCandidate { .. } | DryRun::Failed(_) => None,
    }
}

/// Why evicting pods makes no room on a node.
fn no_candidate_reasons(decision: &Decision, node: NodeIx) -> Option<Vec<String>> {
    match decision.preemption.as_ref()?.dry_runs.get(&node)? {
        DryRun::NoCandidate { rejection, .. } => Some(rejection.texts(decision.view.cluster)),
        DryRun::Failed(error) => Some(vec![error.clone()]),
        DryRun::Candidate(_) => None,
    }
}

fn doubts<'d>(decision: &'d Decision) -> impl Iterator<Item = (&'d str, &'d str)> {
    let doubt = |note: &&Note| note.severity == Severity::Error || note.subject == SAMPLING;
    decision.notes.iter().filter(doubt).map(|note| (note.subject.as_str(), note.text.as_str()))
}

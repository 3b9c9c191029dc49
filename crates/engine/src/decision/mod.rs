//! The one entry of the engine: what kube-scheduler decides about a pod, and why.

pub mod compare;
mod extenders;
pub mod fit_error;
mod notes;
mod queue;
pub mod sampling;
mod storage_notes;
mod unreadable;
pub mod verify;
pub mod waiting;

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::cluster::node::NodeIx;
use crate::cluster::notes::{Note, Severity};
use crate::cluster::pod::PodIx;
use crate::cluster::pod_volume::PodVolume;
use crate::cluster::symbols::Sym;
use crate::framework::cluster_view::ClusterView;
use crate::framework::cycle::{NodeVerdict, PreFilter, PreparedCycle};
use crate::framework::message::{FitError, Histogram, NO_NODES};
use crate::framework::score::ScoreTable;
use crate::framework::status::{PANIC, Rejection, Text};
use crate::preemption::{self, PreemptionReport};
use crate::profile::history::{ExcludedNodes, PreemptionText};
use crate::{plugins, profile};
pub use queue::QueueGate;
use sampling::Sampling;
use waiting::Waiting;

/// The plugin that has a PostFilter before DefaultPreemption's.
const DRA: &str = "DynamicResources";

/// What becomes of the pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Some node takes it as it is.
    Schedulable,
    /// No node does, but evicting pods makes room.
    Preempt,
    /// No node does, and no eviction helps.
    Unschedulable,
    /// It never gets a scheduling cycle.
    NotInQueue,
}

impl Outcome {
    /// Its name in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Schedulable => "Schedulable",
            Self::Preempt => "Preempt",
            Self::Unschedulable => "Unschedulable",
            Self::NotInQueue => "NotInQueue",
        }
    }
}

/// A decision and everything that led to it.
#[derive(Debug, Clone)]
#[must_use]
pub struct Decision<'c> {
    /// The cluster it was made on.
    pub view: &'c ClusterView<'c>,
    /// The pod it is about.
    pub pod: PodIx,
    /// What becomes of it.
    pub outcome: Outcome,
    /// What keeps it from a cycle.
    pub queue_gate: Option<QueueGate>,
    /// Why it never gets a cycle: one sentence.
    pub why: Option<String>,
    /// What PreFilter decided for all nodes.
    pub pre_filter: PreFilter,
    /// What filtering said of every node, by name; empty for a pod without a cycle.
    pub nodes: Vec<NodeVerdict>,
    /// What the feasible nodes are worth; `None` where the scheduler does not score: one node takes the pod, or the one it
    /// is nominated to.
    pub scores: Option<ScoreTable>,
    /// What preemption found; `None` when the scheduler does not get to it.
    pub preemption: Option<PreemptionReport>,
    /// The scheduler's message; without the preemption part when preemption picks a node.
    pub message: Option<String>,
    /// What this version writes into the `PodScheduled` condition.
    pub condition_message: Option<String>,
    /// Where the pod goes, or is nominated to: every node that the scheduler may choose.
    pub selected: Vec<NodeIx>,
    /// When it is tried again, and what may keep it; `None` if it is not in the queue.
    pub waiting: Option<Waiting>,
    /// What the scheduler itself may pick, where [`Self::enumerate`] was asked.
    pub sampling: Option<Sampling>,
    /// What makes the answer less than certain.
    pub notes: Vec<Note>,
}

/// Runs the whole scheduling cycle of `pod`, and preemption if no node takes it. `now` is the instant of the decision:
/// pods that have not started count as started now.
pub fn decide<'c>(view: &'c ClusterView<'c>, pod: PodIx, now: Timestamp) -> Decision<'c> {
    let (queue_gate, why) = queue::why_not(view, pod).unzip();
    let mut decision = Decision {
        view,
        pod,
        outcome: Outcome::NotInQueue,
        queue_gate,
        why,
        pre_filter: PreFilter::AllNodes,
        nodes: Vec::new(),
        scores: None,
        preemption: None,
        message: None,
        condition_message: None,
        selected: Vec::new(),
        waiting: None,
        sampling: None,
        notes: view.cluster.notes.clone(),
    };
    if decision.why.is_none() {
        decision.run_cycle(now);
    }
    decision.waiting = waiting::of(&decision);
    notes::add(&mut decision);
    notes::sort(&mut decision.notes);
    decision
}

impl<'c> Decision<'c> {
    fn run_cycle(&mut self, now: Timestamp) {
        self.outcome = Outcome::Unschedulable;
        if let Some(error) = self.claim_error() {
            self.say(error);
            return;
        }
        let prepared = PreparedCycle::new(self.view, self.pod, &plugins::filters(&self.profile().plugins));
        if self.view.cluster.nodes.is_empty() {
            self.say(NO_NODES.to_owned());
            return;
        }
        self.pre_filter = prepared.pre_filter.clone();
        self.nodes = prepared.filter_all();
        if self.nodes.iter().filter_map(NodeVerdict::error).any(is_panic) {
            self.panic();
            return;
        }
        if let Some(error) = self.cycle_error(&prepared) {
            // What was found on other nodes is thrown away with the cycle.
            let spoilt = |verdict: &NodeVerdict| !matches!(verdict, NodeVerdict::Failed(_));
            self.nodes.iter_mut().filter(|v| spoilt(v)).for_each(|v| *v = NodeVerdict::NotTried);
            self.say(error);
            return;
        }
        if let Err(error) = extenders::ask(self, &prepared) {
            self.nodes.fill(NodeVerdict::NotTried);
            self.say(error);
            return;
        }
        let feasible: Vec<NodeIx> = self.feasible().collect();
        self.after_nominated(!feasible.is_empty());
        if feasible.is_empty() {
            self.post_filter(&prepared, now);
        } else {
            self.select_host(&prepared, feasible);
        }
    }

    /// The nominated node is looked at before the others, whatever PreFilter said of it.
    ///
    /// Parity: the plugin that refused it there is then named among those that had excluded nodes, since both are kept in
    /// one set. If another node takes the pod, that first look leaves no trace.
    fn after_nominated(&mut self, fits: bool) {
        let Some(node) = self.tried_first() else { return };
        let PreFilter::SomeNodes { only, by } = &mut self.pre_filter else { return };
        let Some(verdict) = self.nodes.get_mut(node.0 as usize) else { return };
        let NodeVerdict::Filtered { plugin, .. } = verdict else { return };
        if !fits {
            by.push(plugin);
            by.sort_unstable();
            by.dedup();
        } else if !only.contains(&self.view.cluster.node(node).name) {
            *verdict = NodeVerdict::ExcludedByPreFilter;
        }
    }

    /// Where the pod goes: to the node it is nominated to, or to the one with the highest score.
    fn select_host(&mut self, prepared: &PreparedCycle, feasible: Vec<NodeIx>) {
        self.outcome = Outcome::Schedulable;
        let nominated = self.tried_first().filter(|n| feasible.contains(n));
        if nominated.is_some() || feasible.len() == 1 {
            self.selected = nominated.map_or(feasible, |n| vec![n]);
            return;
        }
        match ScoreTable::new(&prepared.cycle, &plugins::scores(&self.profile().plugins), feasible) {
            Ok(scores) => {
                self.selected = scores.best();
                self.scores = Some(scores);
            }
            Err(error) => {
                self.outcome = Outcome::Unschedulable;
                self.say(error);
            }
        }
    }

    /// What is wrong with a claim, where that is looked at before anything else.
    ///
    /// Upstream: `pkg/scheduler/core/generic_scheduler.go` `podPassesBasicChecks` (1.19).
    fn claim_error(&self) -> Option<String> {
        let (cluster, features) = (self.view.cluster, &self.profile().features);
        let used = cluster.volumes_of(cluster.pod(self.pod)).filter_map(|volume| match volume {
            PodVolume::Claim(used) if !used.ephemeral => Some(used),
            PodVolume::Claim(_) | PodVolume::Inline(_) => None,
        });
        used.filter(|_| features.cycle.claims_checked_first).find_map(|used| match used.claim {
            None => Some(format!("persistentvolumeclaim {:?} not found", used.name)),
            Some(claim) if claim.deleting => Some(format!("persistentvolumeclaim {:?} is being deleted", used.name)),
            Some(_) => None,
        })
    }

    /// The scheduler itself dies of this pod: nothing is decided, and said to be.
    fn panic(&mut self) {
        self.nodes.iter_mut().for_each(|verdict| *verdict = NodeVerdict::NotTried);
        let text = "panics on this pod: a pod comes or goes in a topology domain in which it counts no pods; it starts \
                    again and again without deciding anything (fixed in 1.23.8)";
        let about = format!("kube-scheduler {}", self.profile().version);
        self.notes.push(Note::new(Severity::Error, about, text));
    }

    fn say(&mut self, message: String) {
        self.condition_message = Some(message.clone());
        self.message = Some(message);
    }

    /// The error that ends the cycle; such a pod is tried again, it never preempts.
    fn cycle_error(&self, prepared: &PreparedCycle) -> Option<String> {
        match &self.pre_filter {
            PreFilter::Failed(error) => return Some(error.clone()),
            PreFilter::Rejected { plugin, rejection, .. }
                if !prepared.cycle.features().cycle.pre_filter_refusal_is_no_fit =>
            {
                return Some(pre_filter_error(plugin, &rejection.texts(self.view.cluster)));
            }
            PreFilter::SomeNodes { only, .. } if prepared.cycle.features().cycle.narrowing_to_missing_node_fails => {
                let cluster = self.view.cluster;
                let names = only.iter().map(|name| cluster.text(*name));
                if let Some(missing) = names.filter(|name| cluster.find_node(name).is_none()).min() {
                    return Some(format!("nodeinfo not found for node name {missing:?}"));
                }
            }
            PreFilter::Rejected { .. } | PreFilter::SomeNodes { .. } | PreFilter::AllNodes => {}
        }
        let mut errors = self.nodes.iter().filter_map(|v| if let NodeVerdict::Failed(e) = v { Some(e) } else { None });
        if prepared.cycle.features().cycle.node_errors_counted { counted(errors) } else { errors.next().cloned() }
    }

    /// Nodes that take the pod as it is, by name.
    pub fn feasible(&self) -> impl Iterator<Item = NodeIx> {
        let nodes = self.view.cluster.node_indices().zip(&self.nodes);
        nodes.filter(|(_, verdict)| **verdict == NodeVerdict::Feasible).map(|(node, _)| node)
    }

    /// Nodes that a filter refuses, by name: which, who refuses, and why.
    pub fn refusals(&self) -> impl Iterator<Item = (NodeIx, &'static str, &Rejection)> {
        self.view.cluster.node_indices().zip(&self.nodes).filter_map(|(node, verdict)| match verdict {
            NodeVerdict::Filtered { plugin, rejection } => Some((node, *plugin, rejection)),
            NodeVerdict::Feasible
            | NodeVerdict::NotTried
            | NodeVerdict::ExcludedByPreFilter
            | NodeVerdict::Failed(_) => None,
        })
    }

    /// Nodes that PreFilter left out, by name.
    #[must_use]
    pub fn excluded_by_pre_filter(&self) -> Vec<NodeIx> {
        let nodes = self.view.cluster.node_indices().zip(&self.nodes);
        nodes.filter(|(_, verdict)| **verdict == NodeVerdict::ExcludedByPreFilter).map(|(node, _)| node).collect()
    }

    /// What the scheduler writes about the pod, if anything.
    #[must_use]
    pub fn scheduler_message(&self) -> Option<&str> {
        self.condition_message.as_deref().or(self.message.as_deref())
    }

    /// The node that the pod is nominated to.
    fn nominated(&self) -> Option<NodeIx> {
        let cluster = self.view.cluster;
        let name = cluster.pod(self.pod).nominated_node;
        if name == Sym::EMPTY { None } else { cluster.find_node(cluster.text(name)) }
    }

    /// The nominated node, where it is looked at before all others.
    fn tried_first(&self) -> Option<NodeIx> {
        self.nominated().filter(|_| self.profile().features.cycle.nominated_node_first)
    }

    /// The profile that decided.
    #[must_use]
    pub fn profile(&self) -> &'c profile::Profile {
        self.view.profile
    }

    fn post_filter(&mut self, prepared: &PreparedCycle, now: Timestamp) {
        let (cluster, profile) = (self.view.cluster, self.profile());
        let features = &profile.features;
        let error = self.fit_error();
        let stopped = matches!(self.pre_filter, PreFilter::Rejected { plugin, .. } if plugin != DRA);
        let runs = |plugin: &str| profile.plugins.post_filter.contains(&plugin);
        if stopped && runs(DRA) && features.dra.dra_post_filter {
            // Parity: DynamicResources finds no state of its own and fails, so DefaultPreemption never runs.
            self.say(error.render(cluster, features, Some("not found")));
            self.preemption = (!runs("DefaultPreemption")).then(PreemptionReport::default);
            return;
        }
        let claims = || plugins::dynamic_resources::post_filter(&prepared.cycle, &self.nodes);
        let devices = if runs(DRA) { claims() } else { None };
        if !runs("DefaultPreemption") {
            self.say(error.render(cluster, features, devices));
            self.preemption = Some(PreemptionReport::default());
            return;
        }
        let report = preemption::evaluate(prepared, &self.nodes, now);
        if report.errors().into_iter().any(is_panic) {
            self.panic();
            return;
        }
        // Parity: an error replaces what other plugins had to say.
        let devices = devices.filter(|_| report.errors().is_empty());
        if report.winners.is_empty() {
            let told = report.errors().is_empty() || features.message.message_of_preemption == PreemptionText::All;
            let preemption = told.then(|| format!("preemption: {}", report.failure_message(prepared)));
            let texts: Vec<&str> = devices.into_iter().chain(preemption.as_deref()).collect();
            self.say(error.render(cluster, features, Some(&texts.join(", "))));
        } else {
            self.outcome = Outcome::Preempt;
            self.selected.clone_from(&report.winners);
            let found = report.success_message(prepared).filter(|_| features.message.success_message);
            self.message = Some(error.render(cluster, features, None));
            let found = found.map(|text| format!("preemption: {text}"));
            self.condition_message = Some(error.render(cluster, features, found.as_deref()));
        }
        self.preemption = Some(report);
    }

    fn fit_error(&self) -> FitError {
        let cluster = self.view.cluster;
        let mut error = FitError { total: cluster.nodes.len(), ..FitError::default() };
        let mut histogram = Histogram::default();
        if let PreFilter::Rejected { rejection, .. } = &self.pre_filter {
            if self.profile().features.message.pre_filter_message {
                error.pre_filter = Some(rejection.texts(cluster).join(", "));
                return error;
            }
            rejection.reasons.iter().for_each(|r| histogram.count_many(&r.text, error.total));
        }
        let mut narrowed = 0;
        for verdict in &self.nodes {
            match verdict {
                NodeVerdict::Filtered { rejection, .. } => {
                    rejection.reasons.iter().for_each(|r| histogram.count(&r.text));
                }
                NodeVerdict::ExcludedByPreFilter => narrowed += 1,
                NodeVerdict::Feasible | NodeVerdict::NotTried | NodeVerdict::Failed(_) => {}
            }
        }
        if let Some(text) = self.pre_filter_exclusion_text() {
            histogram.count_many(&Text::Owned(text.into()), narrowed);
        }
        error.histogram = histogram;
        error
    }

    /// Upstream's reason for nodes that PreFilter excluded.
    #[must_use]
    pub fn pre_filter_exclusion_text(&self) -> Option<String> {
        let features = &self.profile().features;
        match &self.pre_filter {
            PreFilter::SomeNodes { by, .. } if features.cycle.excluded_nodes == ExcludedNodes::Told => {
                Some(format!("node(s) didn't satisfy plugin(s) [{}]", by.join(" ")))
            }
            PreFilter::SomeNodes { .. } if features.cycle.excluded_nodes == ExcludedNodes::FilteredOut => {
                Some("node is filtered out by the prefilter result".to_owned())
            }
            PreFilter::SomeNodes { .. } | PreFilter::AllNodes | PreFilter::Rejected { .. } | PreFilter::Failed(_) => {
                None
            }
        }
    }
}

fn is_panic(error: &str) -> bool {
    error.contains(PANIC)
}

/// Errors of several nodes as one. Parity: upstream tells different errors in no particular order, here they are sorted.
///
/// Upstream: `apimachinery/pkg/util/errors/errors.go` `CreateAggregateFromMessageCountMap` (1.16).
fn counted<'e>(errors: impl Iterator<Item = &'e String>) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    errors.for_each(|error| *counts.entry(error).or_default() += 1);
    let told = counts.into_iter().map(|(error, count)| match count {
        1 => error.to_owned(),
        _ => format!("{error} (repeated {count} times)"),
    });
    let told: Vec<String> = told.collect();
    match told.as_slice() {
        [] => None,
        [one] => Some(one.clone()),
        several => Some(format!("[{}]", several.join(", "))),
    }
}

/// What a refusal by PreFilter was before it counted as a refusal. Upstream:
/// `pkg/scheduler/framework/v1alpha1/framework.go` `RunPreFilterPlugins` (1.18).
fn pre_filter_error(plugin: &str, reasons: &[String]) -> String {
    format!("rejected by {plugin:?} at prefilter: {}", reasons.join(", "))
}

#[cfg(test)]
mod tests;

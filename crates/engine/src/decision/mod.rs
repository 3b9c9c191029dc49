//! The entry point of the engine: what kube-scheduler decides about a pod, and why.

pub mod compare;
mod errors;
mod extenders;
pub mod fit_error;
mod notes;
mod queue;
pub mod sampling;
mod storage_notes;
mod unreadable;
pub mod verify;
pub mod waiting;

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
use crate::framework::status::{ReasonText, Rejection};
use crate::preemption::{self, PreemptionReport};
use crate::profile::history::{ExcludedNodes, PreemptionText};
use crate::{plugins, profile};
use errors::{counted, is_panic, pre_filter_error};
pub use queue::QueueGate;
use sampling::Sampling;
use waiting::Waiting;

/// The plugin whose PostFilter runs before that of DefaultPreemption.
const DRA: &str = "DynamicResources";

/// The outcome for the pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The pod fits on a node.
    Schedulable,
    /// The pod fits on no node, but evicting pods makes room for it.
    Preempt,
    /// The pod fits on no node, and no eviction helps.
    Unschedulable,
    /// The pod is not in the scheduling queue.
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

/// A decision with everything on which it is based.
#[derive(Debug, Clone)]
#[must_use]
#[non_exhaustive]
pub struct Decision<'c> {
    /// The cluster and the profile.
    pub view: &'c ClusterView<'c>,
    /// The pod.
    pub pod: PodIx,
    /// The instant of the decision.
    pub now: Timestamp,
    /// The outcome for the pod.
    pub outcome: Outcome,
    /// What keeps the pod out of the queue.
    pub queue_gate: Option<QueueGate>,
    /// Why the pod is not in the queue, as a sentence.
    pub why: Option<String>,
    /// The result of PreFilter.
    pub pre_filter: PreFilter,
    /// The result of filtering by node, in the order of names; empty if the pod is not in the queue.
    pub nodes: Vec<NodeVerdict>,
    /// The scores of the feasible nodes; `None` where the scheduler does not score: only one node fits, or the
    /// nominated node does.
    pub scores: Option<ScoreTable>,
    /// The result of preemption; `None` if the scheduler does not run it.
    pub preemption: Option<PreemptionReport>,
    /// The scheduler's message, without the text of preemption if preemption picks a node.
    pub message: Option<String>,
    /// The message that this version writes into the `PodScheduled` condition.
    pub condition_message: Option<String>,
    /// The nodes that the scheduler may select or nominate.
    pub selected: Vec<NodeIx>,
    /// When the pod is tried again, and why it may still be pending; `None` if it is not in the queue.
    pub waiting: Option<Waiting>,
    /// The nodes that the scheduler may pick with sampling, if [`Self::enumerate`] was called.
    pub sampling: Option<Sampling>,
    /// Notes about what makes the decision less than certain.
    pub notes: Vec<Note>,
}

/// Runs the scheduling cycle of `pod`, and preemption if the pod fits on no node. `now` is the time of the decision:
/// pods that have not started count as started at this time.
pub fn decide<'c>(view: &'c ClusterView<'c>, pod: PodIx, now: Timestamp) -> Decision<'c> {
    let (queue_gate, why) = queue::gate(view, pod).unzip();
    let mut decision = Decision {
        view,
        pod,
        now,
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
            self.set_message(error);
            return;
        }
        let prepared = PreparedCycle::new(self.view, self.pod, now, &plugins::filters(&self.profile().plugins));
        if self.view.cluster.nodes.is_empty() {
            self.set_message(NO_NODES.to_owned());
            return;
        }
        self.pre_filter = prepared.pre_filter.clone();
        self.nodes = prepared.filter_all();
        if self.nodes.iter().filter_map(NodeVerdict::error).any(is_panic) {
            self.report_panic();
            return;
        }
        if let Some(error) = self.cycle_error(&prepared) {
            // The results of other nodes are discarded with the cycle.
            let discarded = |verdict: &NodeVerdict| !matches!(verdict, NodeVerdict::Failed(_));
            self.nodes.iter_mut().filter(|v| discarded(v)).for_each(|v| *v = NodeVerdict::NotTried);
            self.set_message(error);
            return;
        }
        if let Err(error) = extenders::ask(self, &prepared) {
            self.nodes.fill(NodeVerdict::NotTried);
            self.set_message(error);
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

    /// Upstream evaluates the nominated node before the others, even if PreFilter excluded it.
    ///
    /// Parity: the plugin that rejected the nominated node is then named among the plugins that excluded nodes, since
    /// upstream keeps both in one set. If another node fits, the first evaluation has no effect.
    fn after_nominated(&mut self, fits: bool) {
        let Some(node) = self.nominated_first() else { return };
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

    /// Selects the nominated node if it fits, or else the node with the highest score.
    fn select_host(&mut self, prepared: &PreparedCycle, feasible: Vec<NodeIx>) {
        self.outcome = Outcome::Schedulable;
        let nominated = self.nominated_first().filter(|n| feasible.contains(n));
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
                self.set_message(error);
            }
        }
    }

    /// The error of a missing or deleted claim, in versions that check claims before anything else.
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

    /// Reports that this version of kube-scheduler panics on the pod, so nothing is decided.
    fn report_panic(&mut self) {
        self.nodes.iter_mut().for_each(|verdict| *verdict = NodeVerdict::NotTried);
        let text = "panics on this pod: a pod comes or goes in a topology domain in which it counts no pods; it starts \
                    again and again without deciding anything (fixed in 1.23.8)";
        let about = format!("kube-scheduler {}", self.profile().version);
        self.notes.push(Note::new(Severity::Error, about, text));
    }

    fn set_message(&mut self, message: String) {
        self.condition_message = Some(message.clone());
        self.message = Some(message);
    }

    /// The error that ends the cycle. The pod is retried, but it does not preempt.
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

    /// The nodes on which the pod fits, by name.
    pub fn feasible(&self) -> impl Iterator<Item = NodeIx> {
        let nodes = self.view.cluster.node_indices().zip(&self.nodes);
        nodes.filter(|(_, verdict)| **verdict == NodeVerdict::Feasible).map(|(node, _)| node)
    }

    /// The nodes that a filter plugin rejects, by name: the node, the plugin, and the rejection.
    pub fn rejections(&self) -> impl Iterator<Item = (NodeIx, &'static str, &Rejection)> {
        self.view.cluster.node_indices().zip(&self.nodes).filter_map(|(node, verdict)| match verdict {
            NodeVerdict::Filtered { plugin, rejection } => Some((node, *plugin, rejection)),
            NodeVerdict::Feasible
            | NodeVerdict::NotTried
            | NodeVerdict::ExcludedByPreFilter
            | NodeVerdict::Failed(_) => None,
        })
    }

    /// The nodes that PreFilter excluded, by name.
    #[must_use]
    pub fn excluded_by_pre_filter(&self) -> Vec<NodeIx> {
        let nodes = self.view.cluster.node_indices().zip(&self.nodes);
        nodes.filter(|(_, verdict)| **verdict == NodeVerdict::ExcludedByPreFilter).map(|(node, _)| node).collect()
    }

    /// The message that the scheduler writes about the pod, if any.
    #[must_use]
    pub fn scheduler_message(&self) -> Option<&str> {
        self.condition_message.as_deref().or(self.message.as_deref())
    }

    /// The nominated node, if it exists.
    fn nominated(&self) -> Option<NodeIx> {
        let cluster = self.view.cluster;
        let name = cluster.pod(self.pod).nominated_node;
        if name == Sym::EMPTY { None } else { cluster.find_node(cluster.text(name)) }
    }

    /// The nominated node, in versions that evaluate it before all others.
    fn nominated_first(&self) -> Option<NodeIx> {
        self.nominated().filter(|_| self.profile().features.cycle.nominated_node_first)
    }

    /// The profile with which the decision was made.
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
            // Parity: DynamicResources lacks its state and fails, so DefaultPreemption never runs.
            self.set_message(error.render(cluster, features, Some("not found")));
            self.preemption = (!runs("DefaultPreemption")).then(PreemptionReport::default);
            return;
        }
        let claims = || plugins::dynamic_resources::post_filter(&prepared.cycle, &self.nodes);
        let devices = if runs(DRA) { claims() } else { None };
        if !runs("DefaultPreemption") {
            self.set_message(error.render(cluster, features, devices));
            self.preemption = Some(PreemptionReport::default());
            return;
        }
        let report = preemption::evaluate(prepared, &self.nodes, now);
        if report.errors().into_iter().any(is_panic) {
            self.report_panic();
            return;
        }
        // Parity: an error replaces the texts of other plugins.
        let devices = devices.filter(|_| report.errors().is_empty());
        if report.winners.is_empty() {
            let told = report.errors().is_empty() || features.message.message_of_preemption == PreemptionText::All;
            let preemption = told.then(|| format!("preemption: {}", report.failure_message(prepared)));
            let texts: Vec<&str> = devices.into_iter().chain(preemption.as_deref()).collect();
            self.set_message(error.render(cluster, features, Some(&texts.join(", "))));
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
        let mut excluded = 0;
        for verdict in &self.nodes {
            match verdict {
                NodeVerdict::Filtered { rejection, .. } => {
                    rejection.reasons.iter().for_each(|r| histogram.count(&r.text));
                }
                NodeVerdict::ExcludedByPreFilter => excluded += 1,
                NodeVerdict::Feasible | NodeVerdict::NotTried | NodeVerdict::Failed(_) => {}
            }
        }
        if let Some(text) = self.pre_filter_exclusion_text() {
            histogram.count_many(&ReasonText::Owned(text.into()), excluded);
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

#[cfg(test)]
mod tests;

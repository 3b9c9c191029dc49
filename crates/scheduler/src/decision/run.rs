//! One scheduling cycle of the pod: filter, then score, or preempt if no node fits.
//!
//! Upstream: `pkg/scheduler/schedule_one.go` `schedulingCycle` (1.37).

use jiff::Timestamp;

use super::errors::{self, CycleError, CycleErrorKind, pre_filter_error};
use super::{Decision, Outcome, extenders};
use crate::framework::claims::{CLAIM_DELETED, CLAIM_NOT_FOUND};
use crate::framework::cycle::{NodeVerdict, PreFilter, PreparedCycle};
use crate::framework::failure::{Crash, Failure};
use crate::framework::message::{FitError, Histogram, NO_NODES};
use crate::framework::nodes_to_find;
use crate::framework::plugin::Cycle;
use crate::framework::reason::quoted;
use crate::framework::score::ScoreTable;
use crate::plugins;
use model::cluster::node::NodeIx;
use model::cluster::pod_volume::PodVolume;
use model::cluster::symbols::Sym;
use profile::history::ExcludedNodes;

impl Decision<'_> {
    /// Runs the cycle and sets what it finds.
    pub(super) fn run_cycle(&mut self, now: Timestamp) {
        if let Some(error) = self.claim_error() {
            return self.fail(CycleError::new(error));
        }
        let prepared = PreparedCycle::new(self.view, self.pod, now, &plugins::filters(&self.profile().plugins));
        if self.view.nodes_in_placement() == 0 {
            self.set_message(NO_NODES.text.to_owned());
            return;
        }
        self.pre_filter = prepared.pre_filter.clone();
        self.nodes = prepared.filter_all();
        if self.take_nominated(&prepared) {
            return;
        }
        let rejected_by = self.after_nominated();
        if let Some(crash) = self.crash() {
            self.nodes.fill(NodeVerdict::NotTried);
            return self.fail(crash.into());
        }
        if let Some(error) = self.cycle_error(&prepared) {
            // The results of other nodes are discarded with the cycle.
            let discarded = |verdict: &NodeVerdict| !matches!(verdict, NodeVerdict::Failed(_));
            self.nodes.iter_mut().filter(|v| discarded(v)).for_each(|v| *v = NodeVerdict::NotTried);
            return self.fail(error);
        }
        if let Err(error) = extenders::ask(self, &prepared) {
            self.nodes.fill(NodeVerdict::NotTried);
            return self.fail(CycleError::new(error));
        }
        // Of extenders, a node may come back several times.
        let feasible: Vec<NodeIx> =
            self.extended.as_ref().map_or_else(|| self.feasible().collect(), |left| left.feasible.clone());
        self.settle_nominated(rejected_by, !feasible.is_empty());
        if feasible.is_empty() {
            self.post_filter(&prepared, now);
        } else {
            self.select_host(&prepared, feasible);
        }
    }

    /// The crash in which the search for a node ends, if it does.
    fn crash(&self) -> Option<Crash> {
        let on_node = self.nodes.iter().filter_map(NodeVerdict::failure).find_map(Failure::crash);
        let PreFilter::SomeNodes { only, .. } = &self.pre_filter else { return on_node };
        let cluster = self.view.cluster;
        let exists = |name: &Sym| cluster.find_node(cluster.text(*name)).is_some();
        if on_node.is_some() || only.iter().any(exists) {
            return on_node;
        }
        let profile = self.profile();
        let plugins = &profile.plugins;
        let filters = !plugins.filter.is_empty() || !plugins.out_of_tree.is_empty();
        if profile.features.cycle.narrowing_to_nothing_crashes {
            Some(Crash::NoNodeLeft)
        } else if !filters && nodes_to_find::takes_first(profile) {
            // Parity: without filters the first of the nodes is taken, and there is none.
            Some(Crash::NoNodeToTake)
        } else {
            None
        }
    }

    /// Selects the node with the highest score.
    pub(super) fn select_host(&mut self, prepared: &PreparedCycle, feasible: Vec<NodeIx>) {
        self.outcome = Outcome::Schedulable;
        if feasible.len() == 1 {
            self.selected = feasible;
            return;
        }
        match self.score(&prepared.cycle, feasible) {
            Ok(scores) => {
                self.selected = scores.best();
                self.scores = Some(scores);
                if !self.in_group {
                    self.sample_feasible();
                }
            }
            Err(failure) => self.fail(failure.into()),
        }
    }

    /// Scores nodes that plugins and extenders left.
    pub(super) fn score(&self, cycle: &Cycle, nodes: Vec<NodeIx>) -> Result<ScoreTable, Failure> {
        let bare = self.extended.as_ref().is_some_and(|left| left.bare);
        ScoreTable::of_answer(cycle, &plugins::scores(&self.profile().plugins), nodes, bare)
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
        let found = used.filter(|_| features.cycle.claims_checked_first).find_map(|used| match used.claim {
            None => Some(CLAIM_NOT_FOUND.with([&quoted(&used.name)])),
            Some(claim) if claim.deleting => Some(CLAIM_DELETED.with([&quoted(&used.name)])),
            Some(_) => None,
        });
        Some(found?.render(cluster).into_owned())
    }

    /// Ends the cycle with an error. A scheduler that crashes writes no message.
    pub(super) fn fail(&mut self, error: CycleError) {
        if error.kind != CycleErrorKind::Crash {
            self.set_message(error.text.clone());
        }
        self.outcome = Outcome::Error(error);
    }

    pub(super) fn set_message(&mut self, message: String) {
        self.condition_message = Some(message.clone());
        self.message = Some(message);
    }

    /// The error that ends the cycle. The pod is retried, but it does not preempt.
    fn cycle_error(&self, prepared: &PreparedCycle) -> Option<CycleError> {
        match &self.pre_filter {
            PreFilter::Failed(error) => return Some(CycleError::new(error.as_str())),
            PreFilter::Rejected { plugin, rejection, .. }
                if !prepared.cycle.features().cycle.pre_filter_refusal_is_no_fit =>
            {
                return Some(CycleError::new(pre_filter_error(plugin, &rejection.texts(self.view.cluster))));
            }
            PreFilter::SomeNodes { only, .. } if prepared.cycle.features().cycle.narrowing_to_missing_node_fails => {
                let cluster = self.view.cluster;
                let names = only.iter().map(|name| cluster.text(*name));
                if let Some(missing) = names.filter(|name| cluster.find_node(name).is_none()).min() {
                    return Some(CycleError::new(format!("nodeinfo not found for node name {missing:?}")));
                }
            }
            PreFilter::Rejected { .. } | PreFilter::SomeNodes { .. } | PreFilter::AllNodes => {}
        }
        let failures = self.nodes.iter().filter_map(NodeVerdict::failure);
        errors::of_nodes(failures, prepared.cycle.features().cycle.node_errors_counted)
    }

    pub(super) fn fit_error(&self) -> FitError {
        let cluster = self.view.cluster;
        let mut error = FitError { total: self.view.nodes_in_placement(), ..FitError::default() };
        let mut histogram = Histogram::default();
        if let PreFilter::Rejected { rejection, .. } = &self.pre_filter {
            if self.profile().features.message.pre_filter_message {
                error.pre_filter = Some(rejection.texts(cluster).join(", "));
                return error;
            }
            rejection.reasons.iter().for_each(|r| histogram.count_many(&r.text, error.total));
        }
        // Nodes without a status of their own; strangers, which have one, take the places of as many.
        let strangers = self.extended.iter().flat_map(|left| left.strangers.values());
        let (mut excluded, mut statuses) = (0, 0);
        for rejection in strangers {
            statuses += 1;
            rejection.reasons.iter().for_each(|r| histogram.count(&r.text));
        }
        for verdict in &self.nodes {
            match verdict {
                NodeVerdict::Filtered { rejection, .. } => {
                    statuses += 1;
                    rejection.reasons.iter().for_each(|r| histogram.count(&r.text));
                }
                NodeVerdict::ExcludedByPreFilter => excluded += 1,
                NodeVerdict::Feasible | NodeVerdict::NotTried | NodeVerdict::Failed(_) => {}
            }
        }
        if let Some(text) = self.pre_filter.exclusion(&self.profile().features) {
            let told = self.profile().features.cycle.excluded_nodes == ExcludedNodes::Told;
            let absent = if told { excluded.min(error.total.saturating_sub(statuses)) } else { excluded };
            histogram.count_many(&text, absent);
        }
        error.histogram = histogram;
        error
    }
}

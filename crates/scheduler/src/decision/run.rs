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
use crate::framework::reason::quoted;
use crate::framework::score::ScoreTable;
use crate::plugins::{self, dynamic_resources};
use crate::preemption::{self, PreemptionReport};
use model::cluster::node::NodeIx;
use model::cluster::pod_volume::PodVolume;
use model::cluster::symbols::Sym;
use profile::history::PreemptionText;

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
        let feasible: Vec<NodeIx> = self.feasible().collect();
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
        let divides = self.profile().features.cycle.narrowing_to_nothing_crashes && !only.iter().any(exists);
        on_node.or(divides.then_some(Crash::NoNodeLeft))
    }

    /// Selects the node with the highest score.
    fn select_host(&mut self, prepared: &PreparedCycle, feasible: Vec<NodeIx>) {
        self.outcome = Outcome::Schedulable;
        if feasible.len() == 1 {
            self.selected = feasible;
            return;
        }
        match ScoreTable::new(&prepared.cycle, &plugins::scores(&self.profile().plugins), feasible) {
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
    fn fail(&mut self, error: CycleError) {
        if error.kind != CycleErrorKind::Crash {
            self.set_message(error.text.clone());
        }
        self.outcome = Outcome::Error(error);
    }

    fn set_message(&mut self, message: String) {
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

    fn post_filter(&mut self, prepared: &PreparedCycle, now: Timestamp) {
        let (cluster, profile) = (self.view.cluster, self.profile());
        let features = &profile.features;
        let error = self.fit_error();
        if self.in_group {
            return self.set_message(error.render(cluster, features, None));
        }
        let runs = |plugin: &str| profile.plugins.post_filter.contains(&plugin);
        if !dynamic_resources::has_state(&self.pre_filter, profile)
            && runs(dynamic_resources::NAME)
            && features.dra.dra_post_filter
        {
            // Parity: DynamicResources lacks its state and fails, so DefaultPreemption never runs.
            self.set_message(error.render(cluster, features, Some("not found")));
            self.preemption = (!runs("DefaultPreemption")).then(PreemptionReport::off);
            return;
        }
        let claims = || dynamic_resources::post_filter(&prepared.cycle, &self.nodes);
        let devices = if runs(dynamic_resources::NAME) { claims() } else { None };
        if !runs("DefaultPreemption") || devices == Some(dynamic_resources::UNRESERVED) {
            self.set_message(error.render(cluster, features, devices));
            self.preemption = Some(PreemptionReport::off());
            return;
        }
        let mut report = preemption::evaluate(prepared, &self.nodes, now);
        if let Some(crash) = report.crash() {
            self.nodes.fill(NodeVerdict::NotTried);
            return self.fail(crash.into());
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
            self.sample_candidates(&report);
            let mut also = report.try_victim_orders(&self.selected, self.odds.is_some(), prepared, now);
            self.selected.append(&mut also);
            let likely = self.selected.first().and_then(|node| report.candidate(*node));
            let message = error.render(cluster, features, None);
            self.condition_message =
                likely.and_then(|c| self.placement_message(&error, c.node, c.victims.len())).or(Some(message.clone()));
            self.message = Some(message);
        }
        self.preemption = Some(report);
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
        if let Some(text) = self.pre_filter.exclusion(&self.profile().features) {
            histogram.count_many(&text, excluded);
        }
        error.histogram = histogram;
        error
    }
}

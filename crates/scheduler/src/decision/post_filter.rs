//! PostFilter: what the plugins do for a pod that fits on no node, one after the other in the order of the profile.

use jiff::Timestamp;

use super::{Decision, Outcome};
use crate::framework::cycle::{NodeVerdict, PreparedCycle};
use crate::framework::message::FitError;
use crate::framework::post_filter::{PostFilterStatus, PostFilterTexts};
use crate::framework::status::Rejection;
use crate::plugins::dynamic_resources;
use crate::preemption::{self, PreemptionReport};
use profile::history::PreemptionText;

impl Decision<'_> {
    /// Runs PostFilter.
    pub(super) fn post_filter(&mut self, prepared: &PreparedCycle, now: Timestamp) {
        let (cluster, profile) = (self.view.cluster, self.profile());
        let error = self.fit_error();
        if self.in_group {
            return self.set_message(error.render(cluster, &profile.features, None));
        }
        let mut told = PostFilterTexts::default();
        for plugin in &profile.plugins.post_filter {
            if *plugin == dynamic_resources::NAME {
                told.add(self.release_claims(prepared));
            } else if *plugin == preemption::NAME {
                let mut report = preemption::evaluate(prepared, &self.nodes, now);
                if let Some(crash) = report.crash() {
                    self.nodes.fill(NodeVerdict::NotTried);
                    return self.fail(crash.into());
                }
                if !report.winners.is_empty() {
                    // A node is nominated, which ends PostFilter.
                    self.nominate(&error, &mut report, prepared, now);
                    self.preemption = Some(report);
                    return;
                }
                told.add(self.preemption_failed(&report, prepared));
                self.preemption = Some(report);
            }
            if told.ended() {
                break;
            }
        }
        self.set_message(error.render(cluster, &profile.features, Some(&told.text())));
        // Parity: where DynamicResources lacks its state and fails before it, DefaultPreemption never runs.
        let is_kept_from = !dynamic_resources::has_state(&self.pre_filter, profile) && told.ended();
        if self.preemption.is_none() && !(profile.plugins.preempts() && is_kept_from) {
            self.preemption = Some(PreemptionReport::off());
        }
    }

    /// PostFilter of DynamicResources. Of claims that no node can use it knows what Filter has found, in dry runs, too.
    fn release_claims(&self, prepared: &PreparedCycle) -> PostFilterStatus {
        let filtered = self.nodes.iter().filter_map(NodeVerdict::rejection);
        let dry_runs = self.preemption.iter().flat_map(PreemptionReport::rejections);
        let rejections: Vec<&Rejection> = filtered.chain(dry_runs.map(|(_, _, rejection)| rejection)).collect();
        dynamic_resources::post_filter(&prepared.cycle, &self.pre_filter, &rejections)
    }

    /// What DefaultPreemption says if it nominates no node.
    fn preemption_failed(&self, report: &PreemptionReport, prepared: &PreparedCycle) -> PostFilterStatus {
        // Errors of dry runs count only where no other one found a candidate: extenders are asked about those that did.
        let no_candidate_failed = report.extender_message.is_none() && !report.errors().is_empty();
        let failed = no_candidate_failed || report.extender_failed;
        let all_told = self.profile().features.message.message_of_preemption == PreemptionText::All;
        match (failed, format!("preemption: {}", report.failure_message(prepared))) {
            (false, text) => PostFilterStatus::Rejects(Some(text)),
            (true, text) if all_told || report.extender_failed => PostFilterStatus::Ends(text),
            (true, _) => PostFilterStatus::Ends(String::new()),
        }
    }

    /// Selects the nodes that DefaultPreemption may nominate.
    fn nominate(&mut self, error: &FitError, report: &mut PreemptionReport, prepared: &PreparedCycle, now: Timestamp) {
        self.outcome = Outcome::Preempt;
        self.selected.clone_from(&report.winners);
        self.sample_candidates(report);
        let mut also = report.try_victim_orders(&self.selected, self.odds.is_some(), prepared, now);
        self.selected.append(&mut also);
        let likely = self.selected.first().and_then(|node| report.candidate(*node));
        let message = error.render(self.view.cluster, &self.profile().features, None);
        self.condition_message =
            likely.and_then(|c| self.placement_message(error, c.node, c.victims.len())).or(Some(message.clone()));
        self.message = Some(message);
    }
}

//! PostFilter: what the plugins do for a pod that fits on no node, in the order of the profile.

use super::filters::FilterReport;
use crate::framework::cycle::{NodeVerdict, PreparedCycle};
use crate::framework::failure::Crash;
use crate::framework::post_filter::{PostFilterStatus, PostFilterTexts};
use crate::framework::status::Rejection;
use crate::plugins::dynamic_resources;
use crate::preemption::{self, PreemptionReport};
use profile::history::PreemptionWording;

/// The result of PostFilter.
pub(super) enum PostFilterResult {
    /// kube-scheduler panics in preemption.
    Crashes(Crash),
    /// DefaultPreemption nominates one of the winners of its report.
    Nominates(PreemptionReport),
    /// No plugin nominates a node.
    Rejects {
        /// The plugins' texts, for the message.
        text: String,
        /// What DefaultPreemption found; `None` if it did not run.
        preemption: Option<PreemptionReport>,
    },
}

/// Runs PostFilter of the plugins.
pub(super) fn run(prepared: &PreparedCycle, filters: &FilterReport) -> PostFilterResult {
    let profile = prepared.cycle.view.profile;
    let (mut texts, mut preemption) = (PostFilterTexts::default(), None);
    for plugin in &profile.plugins.post_filter {
        if *plugin == dynamic_resources::NAME {
            texts.add(release_claims(prepared, filters, preemption.as_ref()));
        } else if *plugin == preemption::NAME {
            let report = preemption::evaluate(prepared, &filters.nodes, prepared.cycle.now);
            if let Some(crash) = report.crash() {
                return PostFilterResult::Crashes(crash);
            }
            // A node is nominated, which ends PostFilter.
            if !report.winners.is_empty() {
                return PostFilterResult::Nominates(report);
            }
            texts.add(preemption_failed(prepared, &report));
            preemption = Some(report);
        }
        if texts.ended() {
            break;
        }
    }
    // No report means that the profile does not preempt. Parity: where DynamicResources runs first,
    // lacks its state and fails, DefaultPreemption never runs.
    let is_kept_from = !dynamic_resources::has_state(&filters.pre_filter, profile) && texts.ended();
    if preemption.is_none() && !(profile.plugins.preempts() && is_kept_from) {
        preemption = Some(PreemptionReport::off());
    }
    PostFilterResult::Rejects { text: texts.text(), preemption }
}

/// PostFilter of DynamicResources. Which claims no node can use, it knows from Filter, including
/// Filter in dry runs.
fn release_claims(
    prepared: &PreparedCycle,
    filters: &FilterReport,
    preemption: Option<&PreemptionReport>,
) -> PostFilterStatus {
    let filtered = filters.nodes.iter().filter_map(NodeVerdict::rejection);
    let dry_runs = preemption.into_iter().flat_map(PreemptionReport::rejections);
    let rejections: Vec<&Rejection> =
        filtered.chain(dry_runs.map(|(_, _, rejection)| rejection)).collect();
    dynamic_resources::post_filter(&prepared.cycle, &filters.pre_filter, &rejections)
}

/// The text of DefaultPreemption when it nominates no node.
fn preemption_failed(prepared: &PreparedCycle, report: &PreemptionReport) -> PostFilterStatus {
    let text = format!("preemption: {}", report.failure_message(prepared));
    // Errors of dry runs count only if no dry run found a candidate, since extenders are asked
    // about candidates.
    let no_candidate_failed = report.extender_message.is_none() && !report.errors().is_empty();
    if !no_candidate_failed && report.extender_failure.is_none() {
        return PostFilterStatus::Rejects(Some(text));
    }
    // Most versions do not report an error, unless it comes from an extender.
    let all_told =
        prepared.cycle.features().message.message_of_preemption == PreemptionWording::All;
    PostFilterStatus::Ends(if all_told || report.extender_failure.is_some() {
        text
    } else {
        String::new()
    })
}

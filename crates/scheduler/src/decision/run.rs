//! One scheduling cycle of the pod: filter, then score, or preempt if no node fits.
//!
//! Upstream: `pkg/scheduler/schedule_one.go` `schedulingCycle` (1.37).

use jiff::Timestamp;

use super::errors::{CycleError, CycleErrorKind};
use super::filters::FilterReport;
use super::find_nodes::find_nodes;
use super::placement_message::placement_message;
use super::sampling::{Sampler, Selection};
use super::{CycleMode, Decision, Outcome, OutcomeKind, QueueGate};
use crate::framework::claims::{CLAIM_DELETED, CLAIM_NOT_FOUND};
use crate::framework::cluster_view::ClusterView;
use crate::framework::cycle::{NodeVerdict, PreparedCycle};
use crate::framework::failure::Crash;
use crate::framework::message::{FitError, NO_NODES, PostFilterStatus, PostFilterTexts};
use crate::framework::plugin::Cycle;
use crate::framework::reason::quoted;
use crate::framework::score::ScoreTable;
use crate::framework::status::Rejection;
use crate::plugins::{self, dynamic_resources};
use crate::preemption::{self, PreemptionReport};
use model::cluster::pod_volume::PodVolume;
use model::cluster::{NodeIx, PodIx};
use model::notes::{Note, NoteDoc};
use profile::history::PreemptionWording;

/// What the scheduler writes about a pod that it did not place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Messages {
    /// Why the pod fits on no node, without the text of preemption if preemption picks a node.
    pub(crate) message: Option<String>,
    /// What this version writes into the `PodScheduled` condition.
    pub(crate) condition: Option<String>,
}

impl From<String> for Messages {
    /// The condition has the same message.
    fn from(message: String) -> Self {
        Self { condition: Some(message.clone()), message: Some(message) }
    }
}

/// The reports of the steps of a cycle, and its outcome.
pub(super) struct CycleReport {
    pub(super) filters: FilterReport,
    pub(super) outcome: Outcome,
    pub(super) messages: Messages,
}

impl CycleReport {
    /// The pod gets no cycle.
    pub(super) fn not_in_queue(gate: QueueGate) -> Self {
        Self {
            filters: FilterReport::default(),
            outcome: Outcome::NotInQueue(gate),
            messages: Messages::default(),
        }
    }

    /// The cycle ends with an error. A scheduler that crashes writes no message.
    fn failed(filters: FilterReport, error: CycleError) -> Self {
        let messages = match error.kind {
            CycleErrorKind::Crash => Messages::default(),
            CycleErrorKind::CycleError | CycleErrorKind::Timeout => {
                Messages::from(error.text.clone())
            }
        };
        Self { filters, outcome: Outcome::Error(error), messages }
    }

    /// The pod gets one of these nodes.
    fn fits(filters: FilterReport, selection: Selection, scores: Option<ScoreTable>) -> Self {
        Self {
            filters,
            outcome: Outcome::Schedulable { selection, scores },
            messages: Messages::default(),
        }
    }

    /// The pod fits on no node, and preemption nominates none.
    fn unfit(filters: FilterReport, message: String, preemption: Option<PreemptionReport>) -> Self {
        let preemption = preemption.map(Box::new);
        Self { filters, outcome: Outcome::Unschedulable { preemption }, messages: message.into() }
    }
}

/// Runs the cycle of a pod.
pub(super) fn cycle(
    view: &ClusterView,
    pod: PodIx,
    now: Timestamp,
    mode: CycleMode,
) -> CycleReport {
    if let Some(error) = claim_error(view, pod) {
        return CycleReport::failed(FilterReport::default(), CycleError::new(error));
    }
    let prepared = PreparedCycle::new(view, pod, now, &plugins::filters(&view.profile.plugins));
    if view.nodes_in_placement() == 0 {
        return CycleReport::unfit(FilterReport::default(), NO_NODES.text.to_owned(), None);
    }
    let mut filters = FilterReport::of_plugins(&prepared);
    match find_nodes(&mut filters, &prepared) {
        Err(error) => CycleReport::failed(filters, error),
        Ok(nodes) if nodes.is_empty() => preempt(&prepared, filters, mode),
        Ok(nodes) => select_host(&prepared.cycle, filters, nodes, mode),
    }
}

/// The nodes that pass the first half of the cycle.
pub(super) fn feasible(view: &ClusterView, pod: PodIx, now: Timestamp) -> Vec<NodeIx> {
    if claim_error(view, pod).is_some() || view.nodes_in_placement() == 0 {
        return Vec::new();
    }
    let prepared = PreparedCycle::new(view, pod, now, &plugins::filters(&view.profile.plugins));
    let mut filters = FilterReport::of_plugins(&prepared);
    match find_nodes(&mut filters, &prepared) {
        Ok(nodes) if !nodes.is_empty() => filters.feasible().collect(),
        Ok(_) | Err(_) => Vec::new(),
    }
}

/// The error about a missing or deleted claim, in versions that check claims before anything else.
///
/// Upstream: `pkg/scheduler/core/generic_scheduler.go` `podPassesBasicChecks` (1.19).
fn claim_error(view: &ClusterView, pod: PodIx) -> Option<String> {
    let cluster = view.cluster;
    if !view.profile.features.cycle.claims_checked_first {
        return None;
    }
    for volume in cluster.volumes_of(cluster.pod(pod)) {
        let PodVolume::Claim(used) = volume else { continue };
        if used.ephemeral {
            continue;
        }
        let error = match used.claim {
            None => CLAIM_NOT_FOUND.with([&quoted(&used.name)]),
            Some(claim) if claim.deleting => CLAIM_DELETED.with([&quoted(&used.name)]),
            Some(_) => continue,
        };
        return Some(error.render(cluster).into_owned());
    }
    None
}

/// Selects the node with the highest score.
fn select_host(
    cycle: &Cycle,
    filters: FilterReport,
    nodes: Vec<NodeIx>,
    mode: CycleMode,
) -> CycleReport {
    // A single node is selected without being scored.
    if nodes.len() == 1 {
        return CycleReport::fits(filters, nodes.into(), None);
    }
    let scored = match filters.score(cycle, nodes) {
        Ok(scored) => scored,
        Err(failure) => return CycleReport::failed(filters, failure.into()),
    };
    // For a pod of a group, the scheduler's own order of nodes is followed instead of computing the
    // odds over every order.
    let selection = match mode {
        CycleMode::Alone | CycleMode::AloneInGroup => {
            Sampler::new(cycle, &filters).select_host(&scored)
        }
        CycleMode::Member => scored.table.best().into(),
    };
    let scores = scored.table;
    CycleReport::fits(filters, selection, Some(scores))
}

/// Runs PostFilter for a pod that fits on no node.
fn preempt(prepared: &PreparedCycle, mut filters: FilterReport, mode: CycleMode) -> CycleReport {
    let (cluster, features) = (prepared.cycle.cluster(), prepared.cycle.features());
    let error = filters.fit_error(prepared.cycle.view);
    if mode == CycleMode::Member {
        return CycleReport::unfit(filters, error.render(cluster, features, None), None);
    }
    match post_filter(prepared, &filters) {
        PostFilterResult::Crashes(crash) => {
            filters.discard();
            CycleReport::failed(filters, crash.into())
        }
        PostFilterResult::Nominates(report) => nominate(prepared, filters, &error, report),
        PostFilterResult::Rejects { text, preemption } => {
            CycleReport::unfit(filters, error.render(cluster, features, Some(&text)), preemption)
        }
    }
}

/// Selects the nodes that DefaultPreemption may nominate.
fn nominate(
    prepared: &PreparedCycle,
    filters: FilterReport,
    error: &FitError,
    mut report: PreemptionReport,
) -> CycleReport {
    let cycle = &prepared.cycle;
    let mut selection = Sampler::new(cycle, &filters).select_candidate(&report);
    let mut also =
        report.try_victim_orders(&selection.nodes, selection.odds.is_some(), prepared, cycle.now);
    selection.nodes.append(&mut also);
    // The condition names the node and the number of victims there: those of the most likely node.
    let message = error.render(cycle.cluster(), cycle.features(), None);
    let likely = selection.nodes.first().and_then(|node| report.candidate(*node));
    let condition =
        likely.and_then(|c| placement_message(cycle.view, error, c.node, c.victims.len()));
    let messages =
        Messages { condition: condition.or_else(|| Some(message.clone())), message: Some(message) };
    CycleReport {
        filters,
        outcome: Outcome::Preempt { selection, plan: Some(Box::new(report)) },
        messages,
    }
}

/// The result of PostFilter.
enum PostFilterResult {
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
fn post_filter(prepared: &PreparedCycle, filters: &FilterReport) -> PostFilterResult {
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

static FAILS: NoteDoc = NoteDoc {
    code: "PRE-969",
    name: "what the pod needs cannot be reserved",
    meaning: "The configuration runs a plugin's Reserve without its PreFilter or Filter, which find what is to be reserved. \
              kube-scheduler chooses a node, fails, and tries the pod again: it gets no node.",
};

/// What its notes mean.
pub(super) static DOCS: &[&NoteDoc] = &[&FAILS];

/// The note about a pod that fits and still gets no node, since Reserve of a plugin fails.
pub(super) fn reserve_doubts(decision: &Decision) -> Option<Note> {
    let profile = decision.profile();
    // After its own filter has passed, Reserve fails only if objects have changed.
    if decision.kind() != OutcomeKind::Schedulable || !profile.plugins.reserves_unprepared() {
        return None;
    }
    let cycle = Cycle::of(decision.view, decision.pod, decision.now);
    let error = plugins::reserve(&cycle, *decision.selected().first()?).err()?;
    let text = format!(
        "the pod fits, but kube-scheduler cannot reserve what it needs there, and it gets no node: {error}"
    );
    Some(Note::error(&FAILS, text).about(cycle.cluster().pod_subject(decision.pod)))
}

#[cfg(test)]
mod reserve_tests {
    use serde_json::{Value, json};

    use crate::testing::{at, node, objects, pod};
    use profile::Profile;

    /// What the notes say of reserving for a pod that fits, with or without a claim for devices.
    fn said(adjust: fn(&mut Profile), claims: bool) -> Vec<String> {
        let mut asks = pod("p");
        let mut more: Vec<Value> = Vec::new();
        if claims {
            asks =
                asks.push("/spec/resourceClaims", json!({"name": "c", "resourceClaimName": "c"}));
            more.push(json!({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
                "metadata": {"name": "c", "namespace": "default", "uid": "c"}, "spec": {"devices": {"requests": [
                    {"name": "r", "exactly": {"deviceClassName": "gpu"}}]}}}));
            more.push(json!({"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "gpu"}}));
        }
        let objects = [objects![node("n")], more, objects![asks]].concat();
        let answer = at("1.37").with(adjust).decide(objects, "p");
        assert_eq!(answer.outcome(), "Schedulable");
        let texts = answer.notes.iter().map(|note| note.text.clone());
        texts.filter(|note| note.contains("cannot reserve")).collect()
    }

    #[test]
    fn reserve_without_its_filter_fails_for_pods_with_claims_to_allocate() {
        let no_filter = |profile: &mut Profile| {
            profile.plugins.filter.retain(|name| *name != "DynamicResources");
        };
        let found =
            "running Reserve plugin \"DynamicResources\": claim allocation not found for node";
        assert!(said(no_filter, true)[0].ends_with(found));
        assert!(said(no_filter, false).is_empty());
        let nowhere = |profile: &mut Profile| {
            profile.plugins.filter.retain(|name| *name != "DynamicResources");
            profile.plugins.reserve.retain(|name| *name != "DynamicResources");
        };
        assert!(said(nowhere, true).is_empty());
        assert!(said(|_| {}, false).is_empty());
    }

    #[test]
    fn reserve_without_state_fails_for_every_pod() {
        let no_state = |profile: &mut Profile| {
            profile.plugins.pre_filter.retain(|name| *name != "VolumeBinding");
            profile.plugins.filter.retain(|name| *name != "VolumeBinding");
        };
        let found = "running Reserve plugin \"VolumeBinding\": not found";
        assert!(said(no_state, false)[0].ends_with(found));
    }
}

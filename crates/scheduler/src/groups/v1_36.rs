//! Groups in 1.36: the pods of a gang wait at Permit until enough are placed, and each of them may
//! preempt alone.
//!
//! Upstream: `pkg/scheduler/schedule_one_podgroup.go`,
//! `pkg/scheduler/framework/plugins/gangscheduling/gangscheduling.go` (1.36).

mod preemption;

use std::cmp::Reverse;

use jiff::Timestamp;

use super::cycle::{GroupSearch, GroupSearchResult, PlacementAttempt, Trial, TrialResult};
use super::messages::{
    GROUP_PREEMPTS, MEMBER_FAILED, PLACEMENT_GROUP, SCHEDULER_NAMES, UNSCHEDULABLE,
    WAITS_FOR_VICTIMS,
};
use super::preemption::{GroupPlan, potential_victims};
use super::select::{Memory, Rotation};
use super::written::{FAILED, NominationChange, REJECTED, WrittenMember};
use super::{GroupDecision, GroupGate, GroupOutcome};
use crate::decision::{self, CycleMode, Decision, OutcomeKind, queue};
use crate::framework::cluster_view::ClusterView;
use crate::framework::cycle::NodeVerdict;
use crate::framework::message::{PostFilterStatus, PostFilterTexts};
use crate::framework::plugin::Cycle;
use crate::framework::status::Rejection;
use crate::plugins::dynamic_resources;
use crate::preemption as pod_preemption;
use crate::preemption::PreemptionReport;
use crate::preemption::dry_run::Victim;
use crate::preemption::units::EvictionUnit;
use model::cluster::{Cluster, NodeIx, PodIx};

/// Runs the cycle of a group that is in the queue.
pub(super) fn run(decision: &mut GroupDecision) {
    let (mut view, members) = searched(decision);
    let view = &mut view;
    if members.is_empty() {
        decision.outcome = GroupOutcome::NotInQueue(GroupGate::Deleting);
        return;
    }
    if let Err(error) = same_scheduler(&members, view.cluster) {
        decision.written = super::written::of_error(&members, &error);
        decision.outcome = GroupOutcome::Error(error);
        return;
    }
    let search = GroupSearch { post_filters: true, ..decision.search(&members) };
    let result = search.run(view, &mut Memory::default());
    let mut after = result.attempt.status.clone();
    let mut report = None;
    let mut awaits = result.attempt.awaits_victims;
    if view.profile.features.pod_groups.workload_preemption
        && matches!(after, GroupSearchResult::Unfit { .. })
    {
        let result = preemption::run(view, &search);
        awaits |= result.awaits;
        after = result.after(after);
        report = result.report;
    }
    decision.outcome = match &after {
        GroupSearchResult::Fits => GroupOutcome::Scheduled,
        GroupSearchResult::Failed(error) => GroupOutcome::Error(error.clone()),
        GroupSearchResult::Unfit { .. } if awaits => GroupOutcome::Preempt,
        GroupSearchResult::Unfit { .. } => GroupOutcome::Unschedulable,
    };
    decision.written = of_members(&members, &result.attempt.trials, &after, awaits);
    decision.condition = super::written::condition(decision.pod_group(), &after);
    decision.trials = result.attempt.trials;
    decision.placements = result.placements;
    decision.chosen = result.chosen;
    decision.preemption = report;
}

/// The view in which nodes are searched, and the pods to place, in order.
fn searched<'c>(decision: &'c GroupDecision) -> (ClusterView<'c>, Vec<PodIx>) {
    let (mut view, members) = decision.searched();
    view.freeze_lists();
    let members = in_order(
        members.into_iter().filter(|pod| is_queued(*pod, &view)).collect(),
        decision,
        view.cluster,
    );
    (view, members)
}

/// The plan of a group that preempts as a whole, in which only these units may be evicted; `None`
/// if too few pods fit then.
pub(super) fn plan(
    decision: &GroupDecision,
    may_go: impl Fn(&EvictionUnit) -> bool,
) -> Option<GroupPlan> {
    if !decision.view.profile.features.pod_groups.workload_preemption {
        return None;
    }
    let (view, members) = searched(decision);
    let units = preemption::units(view.cluster);
    let potential =
        potential_victims(decision.pod_group(), &units, &view).into_iter().filter(may_go).collect();
    preemption::plan(&view, &decision.search(&members), potential, &units).ok()
}

/// Whether a waiting pod is in the queue: others of its group do not hold it back.
fn is_queued(pod: PodIx, view: &ClusterView) -> bool {
    queue::hold(view, pod).is_none()
}

/// The order in which the pods are tried. The pod that completes a gang comes before those that
/// waited for it.
fn in_order(mut members: Vec<PodIx>, decision: &GroupDecision, cluster: &Cluster) -> Vec<PodIx> {
    members.sort_by_key(|pod| arrival(*pod, cluster));
    // Pods that are being deleted or held back count towards the gang, though they are not tried.
    let mut all: Vec<PodIx> =
        decision.members.waiting.iter().chain(&decision.members.running).copied().collect();
    all.sort_by_key(|pod| arrival(*pod, cluster));
    let min_count =
        decision.pod_group().min_count.filter(|_| decision.view.profile.features.pod_groups.gangs);
    let last = min_count.and_then(|min| all.get(usize::try_from(min).ok()?.checked_sub(1)?));
    if let Some(at) = last.and_then(|last| members.iter().position(|pod| pod == last)) {
        let completes = members.remove(at);
        members.insert(0, completes);
    }
    members.sort_by_key(|pod| Reverse(cluster.pod(*pod).priority));
    members
}

/// When the scheduler learned of a pod, as far as the API shows it.
fn arrival(pod: PodIx, cluster: &Cluster) -> (Timestamp, &str) {
    let pod = cluster.pod(pod);
    (pod.created.unwrap_or(Timestamp::MAX), &pod.name)
}

fn same_scheduler(members: &[PodIx], cluster: &Cluster) -> Result<(), String> {
    let scheduler = |pod: &PodIx| cluster.text(cluster.template(cluster.pod(*pod)).scheduler_name);
    let Some(first) = members.first().map(scheduler) else { return Ok(()) };
    match members.iter().map(scheduler).find(|other| *other != first) {
        None => Ok(()),
        Some(other) => Err(SCHEDULER_NAMES.with([other, first]).render(cluster).into_owned()),
    }
}

/// Places one pod after the other; only an error ends the search.
pub(super) fn place_all(
    search: &GroupSearch,
    view: &ClusterView,
    memory: &mut Memory,
) -> PlacementAttempt {
    let cluster = view.cluster;
    let features = &view.profile.features;
    let min_count = cluster
        .pod_group(search.group)
        .min_count
        .filter(|_| features.pod_groups.gangs)
        .unwrap_or(0);
    let mut rotation = Rotation::new(view, memory);
    let mut view = view.clone();
    let mut attempt = PlacementAttempt::of(GroupSearchResult::unfit(Vec::new(), features));
    let (mut scheduled, mut preempts) = (search.running.len(), false);
    for pod in search.members {
        let mut trial = try_pod(search, &view, *pod, &mut rotation);
        trial.place(&mut view, search.now);
        if let TrialResult::Failed(error) = &trial.result {
            attempt.status =
                GroupSearchResult::Failed(MEMBER_FAILED.with([error]).render(cluster).into_owned());
            attempt.awaits_victims = false;
            attempt.trials.push(trial);
            break;
        }
        if trial.node().is_none() {
            attempt.trials.push(trial);
            continue;
        }
        preempts |= trial.preempts.is_some();
        scheduled += 1;
        // The pod that completes the gang decides for all that wait at Permit, and so does every
        // pod after it.
        trial.waits_at_permit = i64::try_from(scheduled).unwrap_or(i64::MAX) < min_count;
        if !trial.waits_at_permit {
            attempt.status = if preempts {
                GroupSearchResult::unfit(vec![WAITS_FOR_VICTIMS.text.to_owned()], features)
            } else {
                GroupSearchResult::Fits
            };
            attempt.awaits_victims = preempts;
        }
        attempt.trials.push(trial);
    }
    attempt
}

/// The cycle of one pod.
fn try_pod(
    search: &GroupSearch,
    view: &ClusterView,
    pod: PodIx,
    rotation: &mut Rotation<'_>,
) -> Trial {
    let features = &view.profile.features;
    let alone = search.post_filters && not_eligible(search, view).is_none();
    if alone && !features.pod_groups.workload_preemption {
        return Trial::alone(view, pod, search.now, rotation);
    }
    let decision = decision::decide_in(view, pod, search.now, CycleMode::Member);
    let text = post_filter_text(search, &decision);
    let mut trial = Trial::of(decision, rotation);
    if trial.result == TrialResult::Rejected && search.post_filters && !trial.nodes.is_empty() {
        let stop = if features.message.message_ends_with_stop { "." } else { "" };
        trial.message = trial.message.map(|message| format!("{message} {text}{stop}"));
    }
    trial
}

/// Why no pod of the group may preempt alone.
fn not_eligible(search: &GroupSearch, view: &ClusterView) -> Option<&'static str> {
    let features = &view.profile.features.pod_groups;
    if features.group_placements && view.cluster.pod_group(search.group).is_constrained {
        Some(PLACEMENT_GROUP.text)
    } else {
        features.workload_preemption.then_some(GROUP_PREEMPTS.text)
    }
}

/// PostFilter's text about a pod that may not preempt alone.
fn post_filter_text(search: &GroupSearch, decision: &Decision) -> String {
    let (view, profile) = (decision.view, decision.profile());
    let cycle = Cycle::of(view, decision.pod, decision.now);
    let rejections: Vec<&Rejection> =
        decision.nodes().iter().filter_map(NodeVerdict::rejection).collect();
    let mut texts = PostFilterTexts::default();
    for plugin in &profile.plugins.post_filter {
        texts.add(match *plugin {
            dynamic_resources::NAME => {
                dynamic_resources::post_filter(&cycle, decision.pre_filter(), &rejections)
            }
            pod_preemption::NAME => PostFilterStatus::Rejects(
                not_eligible(search, view).map(|text| format!("preemption: {text}")),
            ),
            _ => PostFilterStatus::Rejects(None),
        });
        if texts.ended() {
            break;
        }
    }
    texts.text()
}

impl Trial {
    /// The cycle of a pod that may preempt alone.
    pub(super) fn alone(
        view: &ClusterView,
        pod: PodIx,
        now: Timestamp,
        rotation: &mut Rotation<'_>,
    ) -> Self {
        let decision = decision::decide_in(view, pod, now, CycleMode::AloneInGroup);
        let preempts = victims(&decision);
        let preempted = decision.preemption().is_some_and(PreemptionReport::tried);
        let message = decision.condition_message().map(str::to_owned);
        let preempts_on_several = preempts.is_some() && decision.selected().len() > 1;
        let trial = Self::of(decision, rotation);
        match trial.result {
            TrialResult::Rejected => {
                Self { message, preempts, preempted, preempts_on_several, ..trial }
            }
            _ => trial,
        }
    }
}

/// The node that a pod preempts on, and its victims there.
fn victims(decision: &Decision) -> Option<(NodeIx, Vec<Victim>)> {
    if decision.kind() != OutcomeKind::Preempt {
        return None;
    }
    let node = *decision.selected().first()?;
    Some((node, decision.candidate(node)?.victims.clone()))
}

/// Permit's text about a pod that waits for others.
const WAITS: &str = "waiting for minCount pods from a gang to be scheduled, one or more plugins asked to wait and no plugin rejected pod";

/// After a search: `after` is its result including preemption, and `awaits` says whether victims
/// have to leave first.
fn of_members(
    pods: &[PodIx],
    trials: &[Trial],
    after: &GroupSearchResult,
    awaits: bool,
) -> Vec<WrittenMember> {
    let mut written = Vec::with_capacity(pods.len());
    for pod in pods {
        let trial = trials.iter().find(|trial| trial.pod == *pod);
        let (condition, nomination) = match (after, trial) {
            (
                GroupSearchResult::Failed(_),
                Some(Trial { result: TrialResult::Failed(error), .. }),
            ) => (Some((FAILED, error.clone())), NominationChange::Cleared),
            (GroupSearchResult::Failed(error), _) => {
                (Some((FAILED, error.clone())), NominationChange::Cleared)
            }
            (_, None) => (Some((REJECTED, after.text())), NominationChange::Kept),
            (_, Some(trial)) => of_trial(trial, after, awaits),
        };
        written.push(WrittenMember { pod: *pod, condition, nomination });
    }
    written
}

fn of_trial(
    trial: &Trial,
    after: &GroupSearchResult,
    awaits: bool,
) -> (Option<(&'static str, String)>, NominationChange) {
    match (&trial.result, &trial.preempts) {
        (TrialResult::Placed { .. }, _) if *after == GroupSearchResult::Fits => {
            (None, NominationChange::Kept)
        }
        (TrialResult::Placed { node, .. }, _) if awaits => {
            (Some((REJECTED, after.text())), NominationChange::To(*node))
        }
        (TrialResult::Placed { .. }, _) => {
            (Some((REJECTED, at_permit(trial))), NominationChange::Cleared)
        }
        (_, Some(_)) if !awaits => (Some((REJECTED, at_permit(trial))), NominationChange::Cleared),
        (_, Some((node, _))) => (
            Some((REJECTED, trial.message.clone().unwrap_or_default())),
            NominationChange::To(*node),
        ),
        (_, None) => {
            let nomination = if trial.loses_nomination() {
                NominationChange::Cleared
            } else {
                NominationChange::Kept
            };
            (Some((REJECTED, trial.message.clone().unwrap_or_default())), nomination)
        }
    }
}

/// What is written about a pod that is placed while its group is not.
fn at_permit(trial: &Trial) -> String {
    if trial.waits_at_permit {
        format!("{}, {WAITS}", UNSCHEDULABLE.text)
    } else {
        UNSCHEDULABLE.text.to_owned()
    }
}

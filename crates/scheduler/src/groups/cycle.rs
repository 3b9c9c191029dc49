//! The cycle of a group: its pods are tried one after the other, and each sees where the earlier
//! ones went.
//!
//! Upstream: `pkg/scheduler/schedule_one_podgroup.go` `podGroupSchedulingDefaultAlgorithm`,
//! `pkg/scheduler/framework/plugins/gangscheduling/gangscheduling.go` `PlacementFeasible` (1.37).

use jiff::Timestamp;

use super::messages::{MEMBER_FAILED, MIN_COUNT, NO_PLACEMENTS, THRESHOLD, UNSCHEDULABLE};
use super::select::{Memory, Rotation, Selected};
use crate::decision::{self, CycleMode, Decision, Outcome};
use crate::framework::cluster_view::ClusterView;
use crate::framework::cycle::{NodeVerdict, PreFilter};
use crate::framework::message::NO_NODES;
use crate::framework::plugin::Cycle;
use crate::framework::requests;
use crate::framework::reserved::Reserved;
use crate::framework::score::ScoreTable;
use crate::plugins;
use crate::preemption::dry_run::Victim;
use dra::class_for;
use model::cluster::pod_volume::PodVolumeClaim;
use model::cluster::{Cluster, GroupIx, NodeIx, PodIx, Sym};
use model::notes::Note;
use profile::{Features, Profile};

/// The input of a group's cycle.
pub(super) struct GroupSearch<'s> {
    pub group: GroupIx,
    /// The pods to place, in order.
    pub members: &'s [PodIx],
    /// The pods of the group that are on nodes.
    pub running: &'s [PodIx],
    /// The instant of the decision.
    pub now: Timestamp,
    /// Whether pods that do not fit may preempt, as up to 1.36.
    pub post_filters: bool,
}

/// The result for one pod of the group.
#[derive(Debug, Clone)]
pub struct Trial {
    pub pod: PodIx,
    pub result: TrialResult,
    /// The result of PreFilter.
    pub pre_filter: PreFilter,
    /// The result of filtering by node, in the order of names.
    pub nodes: Vec<NodeVerdict>,
    /// The scores of the nodes that fit, if there are several.
    pub scores: Option<ScoreTable>,
    /// kube-scheduler's message, if the pod does not fit.
    pub message: Option<String>,
    /// The node on which the pod preempts, and its victims, where each pod of a group preempts
    /// alone, up to 1.36.
    pub preempts: Option<(NodeIx, Vec<Victim>)>,
    /// Whether it tried to preempt alone, up to 1.36.
    pub(super) preempted: bool,
    /// Whether it may preempt on several nodes, up to 1.36.
    pub(super) preempts_on_several: bool,
    /// Whether it waits at Permit for other pods of its gang, up to 1.36.
    pub waits_at_permit: bool,
    /// Volumes for the pod, each with another one that would have suited equally well.
    pub(super) volume_ties: Vec<(Sym, Sym)>,
    /// What makes the result uncertain.
    pub(super) notes: Vec<Note>,
}

/// The result for one pod of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrialResult {
    /// It fits and is placed.
    Placed {
        node: NodeIx,
        /// All nodes with the same score, by name.
        tied: Vec<NodeIx>,
        /// Whether the scheduler samples the feasible nodes.
        sampled: bool,
    },
    /// It fits on no node.
    Rejected,
    /// Its cycle ends with an error.
    Failed(String),
}

impl TrialResult {
    /// Whether the pod may get a different node.
    pub const fn is_open(&self) -> bool {
        match self {
            Self::Placed { tied, sampled, .. } => *sampled || tied.len() > 1,
            Self::Rejected | Self::Failed(_) => false,
        }
    }
}

/// The result of the search for nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum GroupSearchResult {
    /// Enough pods fit.
    Fits,
    /// Too few do, for kube-scheduler's reasons.
    Unfit {
        /// Whether `pod group is unschedulable` precedes them.
        prefixed: bool,
        /// Whether no topology domain was found to look for nodes in. Pods are told this reason;
        /// of others they are told, since 1.38, only which group does not fit.
        no_domain: bool,
        reasons: Vec<String>,
    },
    /// An error ends the cycle.
    Failed(String),
}

impl GroupSearchResult {
    /// Too few pods fit, for this cause.
    pub(super) fn unfit(reasons: Vec<String>, features: &Features) -> Self {
        let prefixed = !features.pod_groups.group_cause_alone;
        Self::Unfit { prefixed, no_domain: false, reasons }
    }

    /// Too few pods fit, or groups, for a reason that is written without the usual prefix.
    pub(super) fn unfit_for(reason: String) -> Self {
        Self::Unfit { prefixed: false, no_domain: false, reasons: vec![reason] }
    }

    /// There is no topology domain.
    pub(super) fn no_domain() -> Self {
        let reasons = vec![NO_PLACEMENTS.text.to_owned()];
        Self::Unfit { prefixed: false, no_domain: true, reasons }
    }

    /// Enough pods fit, but all of them already run: a group without a new pod is not scheduled.
    pub(super) fn nothing_new(features: &Features) -> Self {
        let reasons = if features.pod_groups.group_cause_alone {
            vec![NOTHING_NEW.to_owned()]
        } else {
            Vec::new()
        };
        Self::unfit(reasons, features)
    }

    /// The text of kube-scheduler.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Fits => String::new(),
            Self::Failed(error) => error.clone(),
            Self::Unfit { prefixed, reasons, .. } => {
                let before = prefixed.then_some(UNSCHEDULABLE.text);
                before
                    .into_iter()
                    .chain(reasons.iter().map(String::as_str))
                    .collect::<Vec<_>>()
                    .join(", ")
            }
        }
    }
}

/// The reason for a group in which no pod fits, since 1.38.
const NOTHING_NEW: &str = "no pods were schedulable";

/// Assumes a pod on a node where it fits, and reserves the devices and volumes that it needs there.
///
/// Upstream: `pkg/scheduler/schedule_one.go` `assumeAndReserve` (1.37).
pub fn assume_and_reserve(pod: PodIx, node: NodeIx, view: &mut ClusterView, now: Timestamp) {
    if let Ok(reserved) = plugins::reserve(&Cycle::of(view, pod, now), node) {
        view.reserve(reserved);
    }
    view.assume(pod, node);
}

/// The devices and volumes that a pod holds once it is bound to a node where it fits.
///
/// # Errors
/// Why Reserve rejects the pod, as it does where the configuration leaves out what finds devices.
pub fn held_by(
    pod: PodIx,
    node: NodeIx,
    view: &ClusterView,
    now: Timestamp,
) -> Result<Reserved, String> {
    plugins::reserve(&Cycle::of(view, pod, now), node)
}

/// Whether a pod may hold devices or new volumes once it is bound: it has resource claims, unbound
/// volume claims, or requests of resources that devices provide.
pub fn may_hold(pod: PodIx, cluster: &Cluster, profile: &Profile) -> bool {
    let facts = cluster.pod(pod);
    let is_unbound = |used: PodVolumeClaim| used.claim.is_some_and(|claim| !claim.is_bound());
    if !cluster.template(facts).claims.is_empty() || cluster.claims_of(facts).any(is_unbound) {
        return true;
    }
    let requested = cluster.resource_requests.get(facts.resource_requests);
    let (Some(requested), false) = (requested, cluster.devices.classes.is_empty()) else {
        return false;
    };
    let features = &profile.features;
    let incoming = requests::incoming(requested, cluster, &features.requests);
    incoming.scalars.iter().any(|(name, _)| class_for(*name, cluster, &features.dra).is_some())
}

/// One search for nodes for all pods of the group.
pub(super) struct PlacementAttempt {
    /// The pods that were tried, in order.
    pub trials: Vec<Trial>,
    pub status: GroupSearchResult,
    /// Whether it waits for victims of its pods, up to 1.36.
    pub awaits_victims: bool,
}

impl PlacementAttempt {
    /// An attempt with a known status and nothing else.
    pub(super) fn of(status: GroupSearchResult) -> Self {
        Self { trials: Vec::new(), status, awaits_victims: false }
    }

    /// Whether an error ends it, and another node gives a different error.
    pub(super) fn names_any_node(&self) -> bool {
        let failed = matches!(self.status, GroupSearchResult::Failed(_));
        let Some(last) = self.trials.last().filter(|_| failed) else { return false };
        let mut errors = last.nodes.iter().filter_map(NodeVerdict::failure);
        let first = errors.next();
        errors.any(|other| Some(other) != first)
    }

    /// The pods that were placed, with their nodes, in order.
    pub(super) fn placed(&self) -> impl Iterator<Item = (PodIx, NodeIx)> {
        self.trials.iter().filter_map(|trial| Some((trial.pod, trial.node()?)))
    }
}

/// How many parts of a group a search has looked at.
#[derive(Debug, Clone, Copy)]
pub(super) struct Looked {
    pub scheduled: usize,
    pub unschedulable: usize,
    pub remaining: usize,
}

/// Why something that needs `min_count` parts can no longer get them, in kube-scheduler's words;
/// `None` while it can. With nothing remaining, `None` means that it has them.
pub(super) fn shortfall(min_count: i64, looked: Looked, view: &ClusterView) -> Option<String> {
    let Looked { scheduled, unschedulable, remaining } = looked;
    let count = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
    if count(remaining + scheduled) >= min_count {
        return None;
    }
    let [least, scheduled, unschedulable, remaining] =
        [min_count, count(scheduled), count(unschedulable), count(remaining)]
            .map(|number| number.to_string());
    let text = if view.profile.features.pod_groups.group_cause_alone {
        THRESHOLD.with([&*least, &*scheduled, &*unschedulable, &*remaining])
    } else {
        MIN_COUNT.with([&*least, &*scheduled, &*remaining])
    };
    Some(text.render(view.cluster).into_owned())
}

impl GroupSearch<'_> {
    fn shortfall(&self, looked: Looked, view: &ClusterView) -> Option<String> {
        shortfall(view.cluster.pod_group(self.group).min_count.unwrap_or(1), looked, view)
    }

    /// Places one pod after the other, until it is clear that too few fit.
    pub(super) fn place_until_decided(
        &self,
        view: &ClusterView,
        memory: &mut Memory,
    ) -> PlacementAttempt {
        let (cluster, features) = (view.cluster, &view.profile.features);
        let mut looked = Looked {
            scheduled: self.running.len(),
            unschedulable: 0,
            remaining: self.members.len(),
        };
        if let Some(reason) = self.shortfall(looked, view) {
            return PlacementAttempt::of(GroupSearchResult::unfit(vec![reason], features));
        }
        let mut rotation = Rotation::new(view, memory);
        let mut view = view.clone();
        let mut attempt = PlacementAttempt::of(GroupSearchResult::Fits);
        for pod in self.members {
            let mut trial = Trial::of(
                decision::decide_in(&view, *pod, self.now, CycleMode::Member),
                &mut rotation,
            );
            trial.place(&mut view, self.now);
            looked.remaining -= 1;
            match &trial.result {
                TrialResult::Placed { .. } => looked.scheduled += 1,
                TrialResult::Rejected => looked.unschedulable += 1,
                TrialResult::Failed(error) => {
                    attempt.status = GroupSearchResult::Failed(
                        MEMBER_FAILED.with([error]).render(cluster).into_owned(),
                    );
                    attempt.trials.push(trial);
                    return attempt;
                }
            }
            attempt.trials.push(trial);
            if let Some(reason) = self.shortfall(looked, &view) {
                // Parity: a reason that ends the search early is written without the usual prefix.
                attempt.status = GroupSearchResult::unfit_for(reason);
                return attempt;
            }
        }
        attempt
    }
}

impl Trial {
    /// Whether a pod that does not fit loses its nomination, up to 1.36: preemption found no
    /// victims for it, or there are no nodes.
    pub(super) fn loses_nomination(&self) -> bool {
        let no_nodes = self.message.as_deref() == Some(NO_NODES.text);
        no_nodes || (self.preempted && self.preempts.is_none())
    }

    /// Assumes the pod on its node, and reserves what it needs there.
    ///
    /// Upstream: `pkg/scheduler/schedule_one.go` `assumeAndReserve` (1.37).
    pub(super) fn place(&mut self, view: &mut ClusterView, now: Timestamp) {
        let Some(node) = self.node() else { return };
        match plugins::reserve(&Cycle::of(view, self.pod, now), node) {
            Ok(mut reserved) => {
                self.volume_ties = std::mem::take(&mut reserved.volume_ties);
                view.reserve(reserved);
                view.assume(self.pod, node);
            }
            Err(error) => {
                self.result = TrialResult::Failed(error);
                self.preempts = None;
            }
        }
    }

    /// The node on which the pod is placed, or up to 1.36 the one on which it evicts others.
    pub fn node(&self) -> Option<NodeIx> {
        match self.result {
            TrialResult::Placed { node, .. } => Some(node),
            TrialResult::Rejected | TrialResult::Failed(_) => Some(self.preempts.as_ref()?.0),
        }
    }

    pub(super) fn of(decision: Decision, rotation: &mut Rotation<'_>) -> Self {
        let selected = rotation.select(&decision);
        let result = match (selected, &decision.outcome) {
            (Some(Selected { node, tied, sampled }), _) => {
                TrialResult::Placed { node, tied, sampled }
            }
            (None, Outcome::Error(error)) => TrialResult::Failed(error.text.clone()),
            (None, _) => TrialResult::Rejected,
        };
        Self {
            pod: decision.pod,
            result,
            message: decision.message().map(str::to_owned),
            pre_filter: decision.filters.pre_filter,
            nodes: decision.filters.nodes,
            scores: decision.outcome.into_scores(),
            preempts: None,
            preempted: false,
            preempts_on_several: false,
            waits_at_permit: false,
            volume_ties: Vec::new(),
            notes: decision.notes,
        }
    }
}

//! The decision about a pod as a member of its group.

use jiff::Timestamp;

use super::choices::alike;
use super::cycle::TrialResult;
use super::summary::MissingGroup;
use super::{GroupDecision, GroupOutcome, decide};
use crate::decision::filters::FilterReport;
use crate::decision::group::{self, MemberResult, MemberTrial, Membership};
use crate::decision::{self, Certainty, Decision, OutcomeKind, QueueGate, gang, queue};
use crate::framework::cluster_view::ClusterView;
use model::cluster::gang_workload::parts;
use model::cluster::{GroupIx, NodeIx, PodIx, Sym};
use model::notes;

/// Decides pods one after the other: members of a group together, where groups are on, and other
/// pods alone. Each group is decided once.
pub struct Decider<'c> {
    view: &'c ClusterView<'c>,
    now: Timestamp,
    groups: Vec<GroupDecision<'c>>,
}

impl<'c> Decider<'c> {
    /// Nothing is decided yet.
    pub fn new(view: &'c ClusterView<'c>, now: Timestamp) -> Self {
        Self { view, now, groups: Vec::new() }
    }

    /// The decision about a pod.
    pub fn decide(&mut self, pod: PodIx) -> Decision<'c> {
        let (view, now) = (self.view, self.now);
        let Some((namespace, name)) = group_in_charge(view, pod) else {
            return self.decide_alone(pod);
        };
        let cluster = view.cluster;
        if let Some(ix) = cluster.group_of(pod) {
            return self.group(ix).member(pod);
        }
        let Some(missing) = MissingGroup::find(view, cluster.text(namespace), cluster.text(name))
        else {
            return decision::decide(view, pod, now);
        };
        let group = missing.summary(view);
        let (result, of_others) = (MemberResult::Held, Vec::new());
        let membership = Membership { group, result, node: None, of_others, scores: None };
        group::decision(
            view,
            pod,
            now,
            membership,
            MemberTrial::default(),
            None,
            missing.notes(view),
        )
    }

    /// The nodes that take a pod as they are, in its own cycle or in that of its group.
    pub fn feasible(&mut self, pod: PodIx) -> Vec<NodeIx> {
        if group_in_charge(self.view, pod).is_some() {
            return self.decide(pod).feasible().collect();
        }
        decision::feasible(self.view, pod, self.now)
    }

    /// The decision about a pod with its own cycle; it may wait at Permit for its gang.
    fn decide_alone(&mut self, pod: PodIx) -> Decision<'c> {
        let mut decision = decision::decide(self.view, pod, self.now);
        let gets_node = matches!(decision.kind(), OutcomeKind::Schedulable | OutcomeKind::Preempt);
        let gang = gang::part_of(self.view, pod)
            .filter(|_| gets_node)
            .and_then(|_| self.view.cluster.group_of(pod));
        if let Some(permit) = gang.and_then(|gang| self.group(gang).permit()) {
            decision.wait_at_permit(permit);
        }
        decision
    }

    /// The decision about a group.
    pub fn group(&mut self, group: GroupIx) -> &GroupDecision<'c> {
        let known = self.groups.iter().position(|decided| decided.group == group);
        let at = known.unwrap_or_else(|| {
            self.groups.push(decide(self.view, group, self.now));
            self.groups.len() - 1
        });
        #[expect(clippy::indexing_slicing, reason = "it was found or added")]
        &self.groups[at]
    }
}

/// The group that kube-scheduler schedules a pod with; `None` for a pod that it schedules alone, or
/// not at all.
pub fn group_in_charge(view: &ClusterView, pod: PodIx) -> Option<(Sym, Sym)> {
    group_of(view, pod).filter(|_| queue::gate(view, pod).is_none())
}

/// Namespace and name of a waiting pod's group, if groups are scheduled as a whole. The pod may be
/// held back, and therefore the group.
pub fn group_of(view: &ClusterView, pod: PodIx) -> Option<(Sym, Sym)> {
    let is_on = view.profile.features.pod_groups.as_a_whole();
    let group = view
        .cluster
        .named_group(pod)
        .filter(|(_, name)| is_on && parts(view.cluster.text(*name)).is_none())?;
    match queue::gate(view, pod) {
        Some(
            QueueGate::Finished(_)
            | QueueGate::Assigned
            | QueueGate::OtherScheduler
            | QueueGate::Group,
        ) => None,
        Some(
            QueueGate::Deleting | QueueGate::Gated | QueueGate::Claims(_) | QueueGate::Gang(_),
        )
        | None => Some(group),
    }
}

impl<'c> GroupDecision<'c> {
    /// What the decision means for a waiting pod of the group.
    pub fn member(&self, pod: PodIx) -> Decision<'c> {
        let trial = self.trial(pod);
        let result = match (&self.outcome, trial.map(|trial| &trial.result)) {
            (GroupOutcome::NotInQueue(_), _) => MemberResult::Held,
            (_, Some(TrialResult::Placed { .. })) => MemberResult::Placed,
            (_, Some(TrialResult::Rejected)) => MemberResult::Rejected,
            (_, Some(TrialResult::Failed(_))) => MemberResult::Failed,
            (_, None) => MemberResult::NotTried,
        };
        let tried = trial.map_or_else(MemberTrial::default, |trial| MemberTrial {
            filters: FilterReport::new(trial.pre_filter.clone(), trial.nodes.clone()),
            scores: trial.scores.clone(),
            message: trial.message.clone(),
            tied: match &trial.result {
                TrialResult::Placed { tied, .. } => tied.clone(),
                TrialResult::Rejected | TrialResult::Failed(_) => Vec::new(),
            },
        });
        let written = self.written.iter().find(|written| written.pod == pod);
        let condition = written.and_then(|written| Some(written.condition.as_ref()?.1.clone()));
        let others = self.written.iter().filter(|other| alike(other.pod, pod, self.view.cluster));
        let mut of_others: Vec<String> =
            others.filter_map(|other| Some(other.condition.as_ref()?.1.clone())).collect();
        // Where no topology domain is chosen, the scheduler tells the reasons of any one of them.
        if self.chosen.is_none() {
            let tried = self.placements.iter().flat_map(|placement| &placement.messages);
            let own = tried.filter(|(other, _)| alike(*other, pod, self.view.cluster));
            of_others.extend(own.filter_map(|(_, message)| message.clone()));
        }
        for other in self.written.iter().filter(|o| alike(o.pod, pod, self.view.cluster)) {
            of_others.extend(self.outcomes.texts_about(other.pod).cloned());
        }
        let membership = Membership {
            group: self.summary(),
            result,
            node: self.node_of(pod),
            of_others,
            scores: None,
        };
        group::decision(self.view, pod, self.now, membership, tried, condition, self.notes.clone())
    }

    /// How certain the decision is.
    pub fn certainty(&self) -> Certainty {
        if self.is_unsure() {
            Certainty::Unsure
        } else if self.trials.iter().any(|trial| trial.result.is_open())
            || self.outcomes.is_open()
            || self.plan().is_some_and(|plan| plan.nodes_tie)
        {
            Certainty::OneOf
        } else {
            Certainty::Certain
        }
    }

    /// Whether an error-level note makes the decision uncertain.
    pub fn is_unsure(&self) -> bool {
        self.notes.iter().any(|note| note.severity == notes::Severity::Error)
    }
}

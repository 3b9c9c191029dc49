//! Groups of pods: what kube-scheduler decides about the pods of a PodGroup together.
//!
//! A group has one cycle: its waiting pods are tried one after the other, and each sees where the
//! earlier ones went (`cycle.rs`), within one topology domain if the group requires that
//! (`placements.rs`). If too few fit, one plan is made for all of them: all pods of lower priority
//! are removed, and as many as possible are reprieved (`preemption.rs`). `written.rs` is what the
//! scheduler then writes about the group and its pods. In 1.35 a group has no cycle of its own;
//! each of its pods has one (`one_by_one.rs`).
//!
//! Upstream: `pkg/scheduler/schedule_one_podgroup.go` (1.37).

mod alternative;
pub mod answer;
mod batch;
mod choices;
pub mod cycle;
pub mod doubts;
pub mod gate;
mod heap;
pub mod made;
pub mod member;
pub mod messages;
mod one_by_one;
pub mod outcomes;
pub mod placements;
pub mod preemption;
mod ranks;
mod select;
pub mod summary;
pub mod tree;
mod v1_36;
mod written;

use jiff::Timestamp;

use crate::framework::cluster_view::ClusterView;
use choices::Choices;
use cycle::{GroupSearch, GroupSearchResult, PlacementAttempt, Trial};
use gate::{GroupGate, Members};
use model::cluster::{GroupIx, PodGroup, PodIx};
use model::notes::{self, Note};
use outcomes::PossibleOutcomes;
use placements::{PlacementTrial, SearchResult};
use preemption::{GroupPlan, GroupPreemption, GroupPreemptionVerdict};
use select::Memory;
use tree::{Standing, TreeDecision, TreeMembership};
pub use written::{NominationChange, WrittenCondition, WrittenMember};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GroupOutcome {
    /// The group is not in the scheduling queue.
    NotInQueue(GroupGate),
    /// The cycle ends with an error.
    Error(String),
    /// Enough pods fit.
    Scheduled,
    /// Too few pods fit, but evictions help.
    Preempt,
    /// Too few pods fit, and the victims of an earlier preemption are still terminating.
    Awaits,
    /// Too few pods fit, and no eviction helps.
    Unschedulable,
}

impl GroupOutcome {
    fn of(status: &GroupSearchResult, preemption: Option<&GroupPreemption>) -> Self {
        match (status, preemption.map(|report| &report.verdict)) {
            (GroupSearchResult::Failed(error), _) => Self::Error(error.clone()),
            (GroupSearchResult::Fits, _) => Self::Scheduled,
            (GroupSearchResult::Unfit { .. }, Some(GroupPreemptionVerdict::Evicts(_))) => {
                Self::Preempt
            }
            (GroupSearchResult::Unfit { .. }, Some(GroupPreemptionVerdict::Ongoing(_))) => {
                Self::Awaits
            }
            (GroupSearchResult::Unfit { .. }, _) => Self::Unschedulable,
        }
    }

    /// Its name in JSON.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::NotInQueue(_) => "NotInQueue",
            Self::Error(_) => "Error",
            Self::Scheduled => "Schedulable",
            Self::Preempt => "Preempt",
            Self::Awaits => "Awaits",
            Self::Unschedulable => "Unschedulable",
        }
    }
}

/// What kube-scheduler decides about a group, with everything on which it is based.
#[derive(Debug)]
#[must_use]
#[non_exhaustive]
pub struct GroupDecision<'c> {
    /// The cluster and the profile.
    pub view: &'c ClusterView<'c>,
    pub group: GroupIx,
    /// The instant of the decision.
    pub now: Timestamp,
    pub outcome: GroupOutcome,
    /// The pods of the group.
    pub members: Members,
    /// The waiting pods that were tried, in the scheduler's order.
    pub trials: Vec<Trial>,
    /// The topology domains that were tried, by name; empty if the group is not limited to one.
    pub placements: Vec<PlacementTrial>,
    /// The domain that was chosen, as an index into [`Self::placements`].
    pub chosen: Option<usize>,
    /// The result of preemption; `None` if the scheduler does not run it.
    pub preemption: Option<GroupPreemption>,
    /// What the cycle may lead to, of which the other fields are one; empty where it is not
    /// searched: up to 1.36.
    pub outcomes: PossibleOutcomes,
    /// The tree of the group, if it has a parent.
    pub tree: Option<Box<TreeMembership>>,
    /// A plan that evicts less than that of [`Self::preemption`], if [`Self::seek_alternative`] was
    /// called and found one. The scheduler does not make it.
    pub alternative: Option<GroupPlan>,
    /// What is written about each waiting pod, in the scheduler's order; empty if the group gets no
    /// cycle.
    pub written: Vec<WrittenMember>,
    /// The condition that is written about the group.
    pub condition: Option<WrittenCondition>,
    /// Whether the cycle ends with a different error if another topology domain or node comes
    /// first.
    pub(crate) other_errors: bool,
    /// Notes about what makes the decision uncertain.
    pub notes: Vec<Note>,
}

/// Runs the scheduling cycle of a group, and preemption if too few of its pods fit; for a group
/// with a parent, that of its tree. The view's profile must be that of the group's pods.
pub fn decide<'c>(view: &'c ClusterView<'c>, group: GroupIx, now: Timestamp) -> GroupDecision<'c> {
    let standing = tree::standing(group, view);
    if let Standing::In(root) = standing
        && let Some(decision) = TreeDecision::of(view, root, now).into_group(group)
    {
        return decision;
    }
    let mut decision = if let Standing::Incomplete(missing) = standing {
        let mut decision = GroupDecision::nothing(view, group, now);
        decision.outcome = GroupOutcome::NotInQueue(GroupGate::NoParent(missing));
        decision
    } else {
        outcomes::decide(view, group, now)
    };
    doubts::add(&mut decision);
    decision
}

impl<'c> GroupDecision<'c> {
    /// Nothing is decided yet.
    fn nothing(view: &'c ClusterView<'c>, group: GroupIx, now: Timestamp) -> Self {
        Self {
            view,
            group,
            now,
            outcome: GroupOutcome::Unschedulable,
            members: Members::of(view, group),
            trials: Vec::new(),
            placements: Vec::new(),
            chosen: None,
            preemption: None,
            outcomes: PossibleOutcomes::default(),
            tree: None,
            alternative: None,
            written: Vec::new(),
            condition: None,
            other_errors: false,
            notes: view.cluster.notes.clone(),
        }
    }
}

impl GroupDecision<'_> {
    pub fn pod_group(&self) -> &PodGroup {
        self.view.cluster.pod_group(self.group)
    }

    /// The effective priority: that of the root of its tree, or its own.
    pub fn priority(&self) -> i32 {
        let root =
            self.tree.as_ref().map(|tree| self.view.cluster.composite_group(tree.root).priority());
        root.unwrap_or_else(|| self.pod_group().priority())
    }

    /// The result of trying the pod.
    pub fn trial(&self, pod: PodIx) -> Option<&Trial> {
        self.trials.iter().find(|trial| trial.pod == pod)
    }

    /// Runs the cycle with these choices.
    fn run(&mut self, choices: &mut Choices) {
        if let Some(gate) = self.members.gate(self.view, self.group) {
            self.outcome = GroupOutcome::NotInQueue(gate);
            return;
        }
        let features = &self.view.profile.features.pod_groups;
        if features.one_by_one() {
            one_by_one::run(self);
            return;
        }
        if !features.gangs_end_early {
            v1_36::run(self);
            return;
        }
        if let Err(error) = gate::check(self) {
            self.written = written::of_error(&self.members.waiting, &error);
            self.condition = written::condition_of_error(self.pod_group(), &error, self.view);
            self.outcome = GroupOutcome::Error(error);
            return;
        }
        let (mut view, members) = self.searched();
        if members.is_empty() {
            self.outcome = GroupOutcome::NotInQueue(GroupGate::Deleting);
            return;
        }
        let search = self.search(&members);
        let mut memory = Memory::taking(std::mem::take(choices));
        let found = search.run(&mut view, &mut memory);
        let text_may_differ = found.text_may_differ();
        let SearchResult {
            attempt: PlacementAttempt { trials, status, .. },
            placements,
            chosen,
            ..
        } = found;
        let mut after = status.clone();
        if let GroupSearchResult::Unfit { .. } = status {
            let found = preemption::run(&view, &search, &trials, &mut memory);
            after = found.after(&status);
            self.preemption = found.report;
        }
        *choices = memory.choices;
        self.outcome = GroupOutcome::of(&after, self.preemption.as_ref());
        self.written = written::of_members(
            self.pod_group(),
            &members,
            &trials,
            &status,
            &after,
            self.preemption.as_ref(),
            self.view,
        );
        self.condition = written::condition(self.pod_group(), &after);
        self.trials = trials;
        self.placements = placements;
        self.chosen = chosen;
        self.other_errors = text_may_differ && matches!(status, GroupSearchResult::Failed(_));
    }

    /// The search for nodes for these pods of the group, which do not preempt one by one.
    fn search<'s>(&'s self, members: &'s [PodIx]) -> GroupSearch<'s> {
        GroupSearch {
            group: self.group,
            members,
            running: &self.members.running,
            now: self.now,
            post_filters: false,
        }
    }

    /// The pods to place, and the view in which nodes are searched for them.
    fn searched(&self) -> (ClusterView<'_>, Vec<PodIx>) {
        let cluster = self.view.cluster;
        let waiting = self.members.waiting.iter().copied();
        let members: Vec<PodIx> =
            waiting.filter(|pod| !cluster.pod(*pod).is_terminating()).collect();
        // Parity: a pod of the group that is being tried is in no queue, where the scheduler looks
        // up the requests of nominated pods.
        let mut view = self.view.clone();
        view.take_from_queue(&self.members.waiting);
        (view, members)
    }

    /// Adds a note that the decision lacks.
    pub(crate) fn note(&mut self, note: Note) {
        notes::add(&mut self.notes, note);
    }
}

#[cfg(test)]
mod tests;

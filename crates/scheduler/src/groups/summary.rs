//! The summary of a decision about a group, and groups that pods name but that do not exist.

use super::cycle::TrialResult;
use super::gate::{GroupGate, Members};
use super::outcomes::PossibleOutcomes;
use super::preemption::{GroupPlan, GroupPreemptionVerdict};
use super::tree::TreeRow;
use super::{GroupDecision, GroupOutcome, NominationChange, decide};
use crate::decision::gang::{self, GangHold};
use crate::decision::group::{GroupSummary, GroupVerdict, Hindrance};
use crate::decision::pod_groups::{self, are_groups_known};
use crate::decision::{Certainty, unread};
use crate::framework::cluster_view::ClusterView;
use crate::framework::doubts::Reliance;
use crate::preemption::dry_run::Victim;
use crate::preemption::victim_choices::VictimCount;
use dra::device_selectors::DeviceSelectors;
use model::cluster::gang_workload::parts;
use model::cluster::{AnyGroup, Cluster, Kind, NodeIx, PodIx, Sym};
use model::notes::{self, Note, Severity, Subject};

/// A PodGroup that pods name but that does not exist: kube-scheduler holds the pods back until it
/// does.
///
/// Upstream: `pkg/scheduler/backend/queue/scheduling_queue.go` `incompletePodGroupPods` (1.37).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingGroup {
    pub namespace: Sym,
    pub name: Sym,
    /// The pods that name it.
    pub members: Members,
}

impl MissingGroup {
    /// The group of that namespace and name, if a pod names it and it does not exist.
    pub fn find(view: &ClusterView, namespace: &str, name: &str) -> Option<Self> {
        let cluster = view.cluster;
        let (namespace, name) = (cluster.symbols.get(namespace)?, cluster.symbols.get(name)?);
        if cluster.find_pod_group(cluster.text(namespace), cluster.text(name)).is_some() {
            return None;
        }
        let members = Members::named(view, namespace, name);
        let all = [&members.waiting, &members.running, &members.of_other_schedulers];
        all.iter().any(|pods| !pods.is_empty()).then_some(Self { namespace, name, members })
    }

    /// Whether the input was complete enough to contain it.
    fn is_known(&self, cluster: &Cluster) -> bool {
        match parts(cluster.text(self.name)) {
            None => are_groups_known(cluster),
            Some(_) => {
                gang::missing(cluster, self.namespace, self.name)
                    != GangHold::NoWorkload { is_known: false }
            }
        }
    }

    /// The notes of the cluster, and how the input shows that groups are on.
    pub fn notes(&self, view: &ClusterView) -> Vec<Note> {
        let cluster = view.cluster;
        let subject =
            Subject::object(Kind::PodGroup, cluster.text(self.namespace), cluster.text(self.name));
        let mut notes = cluster.notes.clone();
        let evidence = pod_groups::evidence_note(view.profile, cluster, subject);
        let exists = Reliance {
            absent: Some(Severity::Error),
            ..Reliance::partial(
                Severity::Error,
                "the group may exist, and its pods are not held back then",
            )
        };
        let kind =
            if parts(cluster.text(self.name)).is_some() { Kind::Workload } else { Kind::PodGroup };
        let unread = unread::of_answer(kind, exists, cluster);
        evidence.into_iter().chain(unread).for_each(|note| notes::add(&mut notes, note));
        notes::sort(&mut notes);
        notes
    }

    /// Whether any error-level note makes the answer uncertain.
    pub fn is_unsure(&self, view: &ClusterView) -> bool {
        self.notes(view).iter().any(|note| note.severity == Severity::Error)
    }

    pub fn summary(&self, view: &ClusterView) -> GroupSummary {
        GroupSummary {
            namespace: self.namespace,
            name: self.name,
            verdict: GroupVerdict::Missing { is_known: self.is_known(view.cluster) },
            min_count: None,
            running: self.members.running.len(),
            waiting: self.members.waiting.len(),
            placed: 0,
            victims: VictimCount::default(),
            domains: 0,
            tree_lacks: false,
        }
    }
}

/// Maximum number of outcomes of a cycle of which the next one is followed.
const MOST_FOLLOWED: usize = 8;
/// Maximum number of cycles of a group that are followed.
const MOST_CYCLES: usize = 10;

/// A cycle of a group that follows at once: kube-scheduler tries the pods again that got no node
/// beside the others.
#[derive(Debug, Clone)]
pub struct LaterCycle {
    pub summary: GroupSummary,
    /// The pods that get a node, now or once the victims are gone.
    pub placed: Vec<(PodIx, NodeIx)>,
    pub victims: Vec<PodIx>,
    /// What it may lead to, whichever outcome the cycle before it has.
    pub outcomes: PossibleOutcomes,
    pub certainty: Certainty,
}

impl GroupDecision<'_> {
    /// The cycles that follow at once, for the pods that are left without a node although enough
    /// fit. In 1.35 each pod has a cycle of its own.
    ///
    /// Upstream: `pkg/scheduler/schedule_one_podgroup.go` (1.37).
    pub fn later_cycles(&self) -> Vec<LaterCycle> {
        let mut cycles: Vec<LaterCycle> = Vec::new();
        if self.view.profile.features.pod_groups.one_by_one() {
            return cycles;
        }
        let mut cluster = self.view.cluster.clone();
        let (mut summary, mut placed) = (self.summary(), self.nodes_of_members());
        while summary.verdict == GroupVerdict::Fits
            && !placed.is_empty()
            && placed.len() < summary.waiting
            && cycles.len() < MOST_CYCLES
        {
            for (pod, node) in placed {
                cluster.bind(pod, node);
            }
            let view = self.view.of_copy(&cluster, DeviceSelectors::of(&cluster));
            let next = decide(&view, self.group, self.now);
            (summary, placed) = (next.summary(), next.nodes_of_members());
            let victims = next.victims().into_iter().map(|victim| victim.pod).collect();
            let mut outcomes = next.outcomes.clone();
            let mut certainty = next.certainty();
            if cycles.is_empty() {
                self.add_later(&mut outcomes, &mut certainty);
            }
            if outcomes.is_open() && certainty == Certainty::Certain {
                certainty = Certainty::OneOf;
            }
            let (summary, placed) = (summary.clone(), placed.clone());
            cycles.push(LaterCycle { summary, placed, victims, outcomes, certainty });
        }
        cycles
    }

    /// Adds what the next cycle leads to if this one has another outcome than the one shown.
    fn add_later(&self, outcomes: &mut PossibleOutcomes, certainty: &mut Certainty) {
        // Of a tree only the pods of this group are bound here, not those of the others.
        outcomes.complete &= self.tree.is_none();
        outcomes.complete &= self.outcomes.complete && self.outcomes.all.len() <= MOST_FOLLOWED;
        for other in self.outcomes.all.iter().take(MOST_FOLLOWED).skip(1) {
            let mut cluster = self.view.cluster.clone();
            for (pod, node) in &other.placed {
                cluster.bind(*pod, *node);
            }
            let view = self.view.of_copy(&cluster, DeviceSelectors::of(&cluster));
            let next = decide(&view, self.group, self.now);
            outcomes.add_all(&next.outcomes, self.view.cluster);
            *certainty = next.certainty().max(*certainty);
        }
        if !outcomes.complete {
            *certainty = Certainty::Unsure;
        }
    }

    /// The waiting pods that get a node.
    pub(super) fn nodes_of_members(&self) -> Vec<(PodIx, NodeIx)> {
        let waiting = self.members.waiting.iter();
        waiting.filter_map(|pod| Some((*pod, self.node_of(*pod)?))).collect()
    }

    pub fn summary(&self) -> GroupSummary {
        let group = self.pod_group();
        let plan = self.plan();
        let preempts = self.outcome == GroupOutcome::Preempt;
        GroupSummary {
            namespace: group.namespace,
            name: group.name,
            verdict: self.verdict(),
            min_count: group.min_count,
            running: self.members.running.len(),
            waiting: self.members.waiting.len(),
            placed: match plan {
                Some(plan) => {
                    plan.placed.iter().filter(|(pod, _)| self.members.waiting.contains(pod)).count()
                }
                None => self
                    .trials
                    .iter()
                    .filter(|trial| {
                        matches!(trial.result, TrialResult::Placed { .. })
                            || preempts && trial.preempts.is_some()
                    })
                    .count(),
            },
            victims: if self.outcomes.complete {
                self.outcomes.victim_count()
            } else {
                VictimCount { fewest: self.victims().len(), most: self.victims().len() }
            },
            domains: if group.topology_key == Sym::EMPTY { 0 } else { self.placements.len() },
            tree_lacks: self.tree_lacks(),
        }
    }

    /// Whether the group has what it needs but its tree does not.
    fn tree_lacks(&self) -> bool {
        let Some(tree) = &self.tree else { return false };
        let own = tree.rows.iter().find(|row| row.group == AnyGroup::Pods(self.group));
        let is_short = matches!(
            tree.outcome,
            GroupOutcome::Preempt | GroupOutcome::Awaits | GroupOutcome::Unschedulable
        );
        is_short && own.is_some_and(TreeRow::has_enough)
    }

    /// Why evictions do not help.
    fn hindrance(&self) -> Hindrance {
        match &self.preemption {
            // Each pod preempts alone, if its policy allows it.
            None if self.trials.iter().any(|trial| trial.preempts.is_some()) => Hindrance::TooFew(
                self.trials.iter().filter(|trial| trial.preempts.is_some()).count(),
            ),
            None if self.trials.iter().any(|trial| trial.preempted) => Hindrance::NotHelpful,
            None => Hindrance::NotTried,
            Some(report) => report.hindrance(),
        }
    }

    fn verdict(&self) -> GroupVerdict {
        match &self.outcome {
            GroupOutcome::NotInQueue(GroupGate::NothingWaits) => GroupVerdict::NothingWaits,
            GroupOutcome::NotInQueue(GroupGate::TooFewPods { .. }) => GroupVerdict::TooFewPods,
            GroupOutcome::NotInQueue(GroupGate::NoParent(name)) => GroupVerdict::NoParent(*name),
            GroupOutcome::NotInQueue(GroupGate::TreeTooSmall { lacks }) => {
                GroupVerdict::TreeTooSmall(lacks.clone())
            }
            GroupOutcome::NotInQueue(GroupGate::Member(pod, gate)) => {
                GroupVerdict::Held(*pod, gate.clone())
            }
            GroupOutcome::NotInQueue(GroupGate::Deleting) => GroupVerdict::Deleting,
            GroupOutcome::Error(error) => match self.lacking_priority() {
                Some(priority) => GroupVerdict::NoPriority(error.clone(), priority),
                None => GroupVerdict::Error(error.clone()),
            },
            GroupOutcome::Scheduled => GroupVerdict::Fits,
            GroupOutcome::Preempt => GroupVerdict::Preempts,
            GroupOutcome::Awaits => GroupVerdict::Awaits,
            GroupOutcome::Unschedulable => GroupVerdict::Cannot(self.hindrance()),
        }
    }

    /// The priority of the first pod, if the cycle ends with an error because the group has none.
    /// The API server gives 0 to a group without a class.
    fn lacking_priority(&self) -> Option<i32> {
        if self.tree.is_some() {
            return None;
        }
        let first = self.members.waiting.first().map(|pod| self.view.cluster.pod(*pod).priority)?;
        let validated =
            self.view.profile.features.pod_groups.group_preemption && self.trials.is_empty();
        let group = self.pod_group();
        (validated && group.priority_class == Sym::EMPTY && group.priority() == 0 && first != 0)
            .then_some(first)
    }

    /// The plan of preemption, if there is one.
    pub fn plan(&self) -> Option<&GroupPlan> {
        match &self.preemption.as_ref()?.verdict {
            GroupPreemptionVerdict::Evicts(plan) => Some(plan),
            GroupPreemptionVerdict::Never
            | GroupPreemptionVerdict::Ongoing(_)
            | GroupPreemptionVerdict::NothingToEvict
            | GroupPreemptionVerdict::NotHelpful(_)
            | GroupPreemptionVerdict::Failed(_) => None,
        }
    }

    /// The victims without duplicates: those of the plan or, where each pod of a group preempts on
    /// its own (up to 1.36), those of all pods.
    pub fn victims(&self) -> Vec<&Victim> {
        let mut victims: Vec<&Victim> =
            self.plan().map_or_else(Vec::new, |plan| plan.victims.iter().collect());
        for victim in self
            .trials
            .iter()
            .filter_map(|trial| trial.preempts.as_ref())
            .flat_map(|(_, victims)| victims)
        {
            if victims.iter().all(|other| other.pod != victim.pod) {
                victims.push(victim);
            }
        }
        victims
    }

    /// How many of the victims violate a budget.
    pub fn violations(&self) -> usize {
        self.plan().map_or_else(
            || self.victims().iter().filter(|victim| !victim.violates.is_empty()).count(),
            |plan| plan.violations,
        )
    }

    /// The pod of the group that would not fit if the victim stayed.
    pub fn blocked_by(&self, victim: PodIx) -> Option<PodIx> {
        match self.plan() {
            Some(plan) => plan.blocked_by(victim),
            None => self
                .trials
                .iter()
                .find(|trial| {
                    let preempts = trial.preempts.as_ref();
                    preempts
                        .is_some_and(|(_, victims)| victims.iter().any(|other| other.pod == victim))
                })
                .map(|trial| trial.pod),
        }
    }

    /// The terminating victims of an earlier preemption that the group waits for.
    pub fn awaited_victims(&self) -> &[PodIx] {
        match self.preemption.as_ref().map(|report| &report.verdict) {
            Some(GroupPreemptionVerdict::Ongoing(victims)) => victims,
            _ => &[],
        }
    }

    /// kube-scheduler's text about the group: what it writes now, or what is already there.
    pub fn message(&self) -> Option<&str> {
        let written = self.condition.as_ref().map(|condition| condition.message.as_str());
        written.or_else(|| self.pod_group().condition.as_ref().map(|condition| &*condition.message))
    }

    /// The node that a waiting pod gets: now, or once the victims are gone.
    pub fn node_of(&self, pod: PodIx) -> Option<NodeIx> {
        let nominated = self
            .written
            .iter()
            .find(|written| written.pod == pod)
            .map(|written| written.nomination);
        match (&self.outcome, nominated, self.trial(pod).map(|trial| &trial.result)) {
            (GroupOutcome::Scheduled, _, Some(TrialResult::Placed { node, .. })) => Some(*node),
            (GroupOutcome::Preempt | GroupOutcome::Awaits, Some(NominationChange::To(node)), _) => {
                Some(node)
            }
            _ => None,
        }
    }
}

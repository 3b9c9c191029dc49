//! The pods of a group on their nodes, and what adding a unit of victims back does to them.

use std::collections::BTreeMap;

use jiff::Timestamp;
use smallvec::SmallVec;

use super::PodPlacements;
use crate::framework::cluster_view::ClusterView;
use crate::framework::cycle::{NodeState, PreparedCycle};
use crate::framework::status::FilterVerdict;
use crate::groups::cycle::assume_and_reserve;
use crate::preemption::dry_run::{Blocker, DryRunContext};
use crate::preemption::importance;
use crate::preemption::reprieve::PotentialUnit;
use crate::preemption::units::{UnitRank, Units};
use model::cluster::{AnyGroup, NodeIx, PodIx};
use profile::history::{Preemption, VictimOrder};

/// A unit whose reprieve was tried: a pod, or a group that is disrupted as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupAttempt {
    pub pods: SmallVec<[PodIx; 1]>,
    /// The group, if the pods are evicted together.
    pub together: Option<AnyGroup>,
    /// Whether evicting them violates a budget.
    pub violates_pdb: bool,
    /// Whether they stay.
    pub stays: bool,
    /// The pod of the group that does not fit with them.
    pub blocked: Option<PodIx>,
}

/// The cluster as each pod of the group sees it in its own cycle: with the pods that were placed
/// before it and stayed.
pub(super) fn views_of_members<'c>(
    context: &DryRunContext<'_, 'c>,
    emptied: &ClusterView<'c>,
    placements: &PodPlacements,
) -> Vec<ClusterView<'c>> {
    let PodPlacements { placed, unseen, .. } = placements;
    let mut views = Vec::with_capacity(placed.len());
    let mut so_far = emptied.clone();
    for (later, (pod, node)) in placed.iter().enumerate() {
        // Usually every pod sees all earlier ones, so the next view is this one plus one pod.
        if unseen.is_empty() {
            views.push(so_far.clone());
            assume_and_reserve(*pod, *node, &mut so_far, context.now);
            continue;
        }
        let mut view = emptied.clone();
        for (earlier, (pod, node)) in placed.iter().enumerate().take(later) {
            if !unseen.contains(&(later, earlier)) {
                assume_and_reserve(*pod, *node, &mut view, context.now);
            }
        }
        views.push(view);
    }
    views
}

/// The pods of the group on their nodes, by index into the placed pods.
pub(super) struct Members<'p, 'c> {
    /// The node of each member, with the filter states of its own cycle.
    states: Vec<NodeState<'p, 'c>>,
    by_node: BTreeMap<NodeIx, SmallVec<[usize; 1]>>,
    /// Those with filters that depend on other nodes too.
    looking_elsewhere: Vec<usize>,
}

/// Indices into the placed pods of the group.
pub(super) type MemberIndices = SmallVec<[usize; 4]>;

/// A pod of the group that does not fit.
pub(super) struct Blocked {
    /// Its index into the placed pods.
    pub(super) member: usize,
    /// The plugin that rejects it, unless a plugin failed.
    pub(super) rejection: Option<Blocker>,
}

impl Blocked {
    pub(super) fn new(member: usize, plugin: &'static str, verdict: FilterVerdict) -> Self {
        let rejection = if let FilterVerdict::Rejected(rejection) = verdict {
            Some((plugin, rejection))
        } else {
            None
        };
        Self { member, rejection }
    }
}

/// The outcome of adding a unit back.
pub(super) struct PutBack {
    /// The members that were filtered again.
    pub(super) affected: MemberIndices,
    /// The first of them that does not fit together with the unit.
    pub blocked: Option<Blocked>,
    /// Whether another order of topology domains, which the API does not show, may reverse the
    /// outcome.
    pub order_dependent: bool,
}

impl PutBack {
    /// The outcome for every unit if members conflict with each other.
    pub(super) fn despite(conflict: &Blocked) -> Self {
        let blocked = Blocked { member: conflict.member, rejection: conflict.rejection.clone() };
        Self {
            affected: SmallVec::from_elem(conflict.member, 1),
            blocked: Some(blocked),
            order_dependent: false,
        }
    }
}

impl<'p, 'c> Members<'p, 'c> {
    pub(super) fn new(prepared: &'p [PreparedCycle<'c>], placed: &[(PodIx, NodeIx)]) -> Self {
        let mut members =
            Self { states: Vec::new(), by_node: BTreeMap::new(), looking_elsewhere: Vec::new() };
        for (member, (prepared, (_, node))) in prepared.iter().zip(placed).enumerate() {
            let state = prepared.node_state(*node);
            members.by_node.entry(*node).or_default().push(member);
            if state.looks_elsewhere() {
                members.looking_elsewhere.push(member);
            }
            members.states.push(state);
        }
        members
    }

    /// Adds the pods that members did not see in their own cycles. Parity: kube-scheduler removed
    /// them again during its search, but preemption counts them as placed.
    pub(super) fn add_unseen(&mut self, placements: &PodPlacements) {
        for (later, earlier) in &placements.unseen {
            if let (Some(state), Some((pod, node))) =
                (self.states.get_mut(*later), placements.placed.get(*earlier))
            {
                state.add_pod_unnoticed(*pod, *node);
            }
        }
    }

    /// The first member that does not fit in the current state.
    pub(super) fn first_conflict(&self) -> Option<Blocked> {
        for (member, state) in self.states.iter().enumerate() {
            if let Some((plugin, verdict)) = state.check() {
                return Some(Blocked::new(member, plugin, verdict));
            }
        }
        None
    }

    /// Adds a unit back, and removes it again if a member does not fit with it.
    pub(super) fn put_back(&mut self, unit: PotentialUnit) -> PutBack {
        let returning = on_nodes(unit);

        // Members that the unit cannot affect fitted before and still fit.
        let affected = self.affected_by(&returning);
        for member in &affected {
            if let Some(state) = self.states.get_mut(*member) {
                returning.iter().for_each(|(pod, node)| state.add_pod_on(*pod, *node));
            }
        }

        // The first member that does not fit decides.
        let (mut blocked, mut order_dependent) = (None, false);
        for member in &affected {
            let Some(state) = self.states.get(*member) else { continue };
            let rejected = state.check();
            order_dependent |=
                state.is_order_dependent(rejected.as_ref().map(|(plugin, _)| *plugin));
            if let Some((plugin, verdict)) = rejected {
                blocked = Some(Blocked::new(*member, plugin, verdict));
                break;
            }
        }

        if blocked.is_some() {
            for member in &affected {
                if let Some(state) = self.states.get_mut(*member) {
                    returning.iter().for_each(|(pod, node)| state.remove_pod_from(*pod, *node));
                }
            }
        }
        PutBack { affected, blocked, order_dependent }
    }

    /// Takes out a unit that was put back.
    pub(super) fn take_out(&mut self, unit: PotentialUnit) {
        let leaving = on_nodes(unit);
        for member in self.affected_by(&leaving) {
            if let Some(state) = self.states.get_mut(member) {
                leaving.iter().for_each(|(pod, node)| state.remove_pod_from(*pod, *node));
            }
        }
    }

    /// Whether the filters of a member depend on pods of other nodes, which may make it fit again.
    pub(super) fn looks_elsewhere(&self, member: usize) -> bool {
        self.looking_elsewhere.contains(&member)
    }

    /// The members that these pods can affect, in their order.
    fn affected_by(&self, pods: &[(PodIx, NodeIx)]) -> MemberIndices {
        let mut affected = MemberIndices::new();
        for (_, node) in pods {
            affected.extend(self.by_node.get(node).into_iter().flatten().copied());
        }
        for member in &self.looking_elsewhere {
            let Some(state) = self.states.get(*member) else { continue };
            if pods.iter().any(|(pod, node)| state.depends_on(*pod, *node)) {
                affected.push(*member);
            }
        }
        affected.sort_unstable();
        affected.dedup();
        affected
    }
}

/// The pods of a unit on their nodes.
fn on_nodes(unit: PotentialUnit) -> SmallVec<[(PodIx, NodeIx); 1]> {
    unit.pods.iter().filter_map(|victim| Some((victim.pod, victim.node?))).collect()
}

/// A unit whose reprieve was tried, and the members that it could affect.
pub(in crate::groups) struct TriedUnit {
    pub attempt: GroupAttempt,
    /// The pods of the group that were filtered again; `None` if all were placed anew.
    pub affected: Option<MemberIndices>,
}

impl TriedUnit {
    /// Whether it can affect a member.
    pub(super) fn is_concerned(&self) -> bool {
        self.affected.as_ref().is_none_or(|affected| !affected.is_empty())
    }

    /// Whether one outcome can change the other: the units share a member, or may draw on the same
    /// budgets.
    fn may_affect(&self, other: &Self) -> bool {
        if self.attempt.violates_pdb || other.attempt.violates_pdb {
            return true;
        }
        match (&self.affected, &other.affected) {
            (Some(own), Some(others)) => own.iter().any(|member| others.contains(member)),
            (None, _) | (_, None) => true,
        }
    }
}

/// Whether units tie in every ordering criterion but differ in their outcome, so that an order that
/// the API does not show may have decided which are evicted.
pub(in crate::groups) fn ties(
    tried: &[TriedUnit],
    units: &Units,
    now: Timestamp,
    features: &Preemption,
) -> bool {
    // Where the UID is the last criterion, nothing ties.
    if features.victim_order == VictimOrder::StartTimeThenUid {
        return false;
    }
    let (spared, evicted): (Vec<_>, Vec<_>) = tried.iter().partition(|tried| tried.attempt.stays);
    if evicted.is_empty() {
        return false;
    }
    let mut evicted_by_key: BTreeMap<_, Vec<&TriedUnit>> = BTreeMap::new();
    for tried in evicted {
        evicted_by_key.entry(tie_key(tried, units, now, features)).or_default().push(tried);
    }
    for tried in spared {
        let tied = evicted_by_key.get(&tie_key(tried, units, now, features));
        if tied.into_iter().flatten().any(|evicted| evicted.may_affect(tried)) {
            return true;
        }
    }
    false
}

/// See [`importance::key`].
pub(super) type TieKey = (i32, UnitRank, usize, Timestamp);

/// The ordering criteria of a unit; the order of units with the same key is arbitrary.
pub(super) fn tie_key(
    tried: &TriedUnit,
    units: &Units,
    now: Timestamp,
    features: &Preemption,
) -> Option<TieKey> {
    units.of(&tried.attempt.pods).first().map(|unit| importance::key(unit, now, features))
}

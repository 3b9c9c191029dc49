//! Finds the pending pods that may take the room that a preemption makes.
//!
//! Once the victims are gone, queueing hints wake every pod that may fit now. Which of them is tried
//! first depends on their priority and on times that the API does not show: when each was added to
//! the queue, and until when it is in backoff.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use jiff::Timestamp;

use super::entry::EntryDecision;
use super::plan::{Placement, Plan, PodId};
use model::cluster::pod::Pod;
use model::cluster::symbols::{PoolIx, Sym};
use model::cluster::{Cluster, NodeIx, PodIx};
use scheduler::decision::competitors::{
    Competitor, CompetitorCertainty, CompetitorReason, Competitors, MOST_NAMED, RoomHeld,
};
use scheduler::decision::{Decision, OutcomeKind, prepare, queue};
use scheduler::framework::cluster_view::ClusterView;
use scheduler::framework::cycle::{NodeState, PreFilter, PreparedCycle};
use scheduler::groups::gate::Members;
use scheduler::groups::member;

/// Maximum number of kinds of competitors that are looked for: a longer list helps nobody.
const MOST_KINDS: usize = 64;
/// Maximum number of pods that are put on the node together with the preemptor.
const MOST_TOGETHER: usize = 300;

/// The pending pods that a scheduler may try, by kind, with what is found out about each kind.
pub struct PendingKinds<'v> {
    cluster: &'v Cluster,
    views: &'v [ClusterView<'v>],
    now: Timestamp,
    /// By priority, the highest first.
    kinds: Vec<Kind<'v>>,
}

/// Pods that the scheduler treats alike.
struct Kind<'v> {
    /// In the order of the queue; at least one.
    pods: Vec<PodIx>,
    view: &'v ClusterView<'v>,
    /// Whether one of the scheduler's profiles has its `schedulerName`.
    own: bool,
    /// Whether a group is scheduled as a whole, so that one pod does not decide alone.
    grouped: bool,
    prepared: OnceLock<PreparedCycle<'v>>,
    /// Up to two nodes on which it fits now.
    fits_now: OnceLock<Vec<NodeIx>>,
}

/// What pods of a kind have in common, besides what few pods have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Common {
    priority: Reverse<i32>,
    namespace: Sym,
    labels: PoolIx,
    template: PoolIx,
    resource_requests: PoolIx,
}

impl Common {
    const fn of(pod: &Pod) -> Self {
        let Pod { namespace, labels, template, resource_requests, priority, .. } = *pod;
        Self { priority: Reverse(priority), namespace, labels, template, resource_requests }
    }
}

/// The room that evictions make.
#[derive(Debug, Clone, Copy)]
pub struct FreedRoom<'r> {
    /// The preemptor; of a group none.
    pub pod: Option<PodIx>,
    pub priority: i32,
    /// The nodes on which room is made.
    pub nodes: &'r [NodeIx],
    pub victims: &'r [PodIx],
    pub held: RoomHeld,
}

/// Which pods were on the nodes of a plan when it was made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Residents(BTreeMap<String, BTreeSet<String>>);

impl Residents {
    /// Those of this cluster.
    pub fn of(plan: &Plan, cluster: &Cluster) -> Self {
        let mut residents = BTreeMap::new();
        for name in plan.nodes() {
            let Some(node) = cluster.find_node(name) else { continue };
            let uids = cluster.pods_on(node).iter().map(|pod| cluster.pod(*pod).uid.to_string());
            residents.insert(name.to_owned(), uids.collect());
        }
        Self(residents)
    }

    /// Whether none have been looked up.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The pods that have come to these nodes since.
    pub fn newcomers(&self, cluster: &Cluster) -> Vec<Placement> {
        let mut newcomers = Vec::new();
        for (name, residents) in &self.0 {
            let Some(node) = cluster.find_node(name) else { continue };
            for ix in cluster.pods_on(node) {
                let pod = cluster.pod(*ix);
                if pod.is_active() && !residents.contains(&*pod.uid) {
                    let pod = PodId::of(pod, cluster);
                    newcomers.push(Placement { pod, node: name.clone() });
                }
            }
        }
        newcomers
    }
}

/// The pending pods that may take the room of a plan, without those that `apart` picks.
/// `preempts` is whether kube-scheduler itself preempts for the pod, and not only by assumption.
pub fn of_plan<'v>(
    plan: &Plan,
    decision: &EntryDecision,
    views: &'v [ClusterView<'v>],
    preempts: bool,
    apart: impl Fn(PodIx) -> bool,
) -> Competitors {
    let (view, now, pod) = match decision {
        EntryDecision::Pod(decision) => (decision.view, decision.now, Some(decision.pod)),
        EntryDecision::Group(decision) => (decision.view, decision.now, None),
    };
    let Some(pending) = PendingKinds::new(views, now, apart) else {
        return Competitors::default();
    };
    let cluster = view.cluster;
    let find = |id: &PodId| cluster.find_pod(&id.namespace, &id.name);
    let victims: Vec<PodIx> = plan.victims.iter().filter_map(|victim| find(&victim.pod)).collect();
    let nodes: Vec<NodeIx> =
        plan.nodes().into_iter().filter_map(|name| cluster.find_node(name)).collect();

    // kube-scheduler nominates what it preempts for, on the node that it picks itself.
    let picks_it = match decision {
        EntryDecision::Pod(decision) => {
            decision.kind() == OutcomeKind::Preempt && decision.selected().first() == nodes.first()
        }
        EntryDecision::Group(_) => true,
    };
    let are_nominated = plan.placed.iter().all(|placed| {
        let pod = find(&placed.pod).map(|pod| cluster.pod(pod));
        pod.is_some_and(|pod| cluster.text(pod.nominated_node) == placed.node)
    });
    let held = if are_nominated {
        RoomHeld::ByNomination
    } else if preempts && picks_it {
        RoomHeld::ByPreemption
    } else {
        RoomHeld::ByNothing
    };
    let priority = plan.preemptor.priority;
    pending.for_room(FreedRoom { pod, priority, nodes: &nodes, victims: &victims, held })
}

impl<'v> PendingKinds<'v> {
    /// The pending pods of the cluster of these views, one for each profile of the scheduler. Pods
    /// that `apart` picks are left out.
    pub fn new(
        views: &'v [ClusterView<'v>],
        now: Timestamp,
        apart: impl Fn(PodIx) -> bool,
    ) -> Option<Self> {
        let cluster = views.first()?.cluster;
        Self::among(views, now, cluster.pod_indices().filter(|pod| !apart(*pod)))
    }

    /// The same of these pods.
    pub fn among(
        views: &'v [ClusterView<'v>],
        now: Timestamp,
        pods: impl Iterator<Item = PodIx>,
    ) -> Option<Self> {
        let first = views.first()?;
        let cluster = first.cluster;
        let mut by_common: BTreeMap<Common, Vec<Kind<'v>>> = BTreeMap::new();
        for ix in pods {
            let pod = cluster.pod(ix);
            if !pod.is_waiting() {
                continue;
            }
            let kinds = by_common.entry(Common::of(pod)).or_default();
            let alike = kinds.iter_mut().find(|kind| {
                kind.pods.first().is_some_and(|first| {
                    let first = cluster.pod(*first);
                    first.is_scheduled_like(pod) && first.nominated_node == pod.nominated_node
                })
            });
            if let Some(kind) = alike {
                kind.pods.push(ix);
                continue;
            }
            let scheduler = cluster.text(cluster.template(pod).scheduler_name);
            let view = views.iter().find(|view| view.profile.scheduler_name == scheduler);
            let own = view.is_some() || first.profile.all_names.iter().any(|n| n == scheduler);
            kinds.push(Kind {
                pods: vec![ix],
                view: view.unwrap_or(first),
                own,
                grouped: false,
                prepared: OnceLock::new(),
                fits_now: OnceLock::new(),
            });
        }

        // What is held back is held back as a kind: gates and claims are part of what its pods have
        // in common.
        let mut kinds: Vec<Kind<'v>> = by_common.into_values().flatten().collect();
        kinds.retain_mut(|kind| kind.is_tried(cluster));
        for kind in &mut kinds {
            kind.pods.sort_by_key(|pod| cluster.pod(*pod).created.unwrap_or(Timestamp::MAX));
        }
        Some(Self { cluster, views, now, kinds })
    }

    /// The competitors for the room that a decision about a pod makes; none if it evicts nobody, or
    /// for a member of a group.
    #[must_use]
    pub fn of_decision(&self, decision: &Decision) -> Competitors {
        let candidate = decision.likely_candidate().or_else(|| decision.awaited());
        let Some(candidate) = candidate.filter(|_| decision.membership.is_none()) else {
            return Competitors::default();
        };
        let cluster = decision.view.cluster;
        let pod = cluster.pod(decision.pod);
        let nominated = pod.nominated_node == cluster.node(candidate.node).name;
        let victims: Vec<PodIx> = candidate.victims.iter().map(|victim| victim.pod).collect();
        self.for_room(FreedRoom {
            pod: Some(decision.pod),
            priority: pod.priority,
            nodes: &[candidate.node],
            victims: &victims,
            held: if nominated { RoomHeld::ByNomination } else { RoomHeld::ByPreemption },
        })
    }

    /// The competitors for this room.
    #[must_use]
    pub fn for_room(&self, room: FreedRoom) -> Competitors {
        if room.victims.is_empty() {
            return Competitors::default();
        }
        // Those that may be tried before the preemptor and fit into the room.
        let mut fitting: Vec<(&Kind, CompetitorReason, CompetitorCertainty)> = Vec::new();
        for kind in &self.kinds {
            // They are in the order of priority, and others take nothing.
            if fitting.len() >= MOST_KINDS {
                break;
            }
            let Some(reason) = self.reason(kind, room) else { continue };
            let node = room.nodes.iter().find(|node| self.fits(kind, **node, room));
            let Some(node) = node else { continue };
            fitting.push((kind, reason, self.certainty(kind, *node, reason)));
        }

        // Some leave enough for the preemptor. They are in its way only if all of them together are.
        if let Some(preemptor) = room.pod {
            let mut beside: Vec<bool> =
                fitting.iter().map(|(kind, ..)| self.fits_beside(preemptor, kind, room)).collect();
            let together: Vec<PodIx> = fitting
                .iter()
                .zip(&beside)
                .filter(|(_, beside)| **beside)
                .flat_map(|((kind, ..), _)| kind.others(room.pod))
                .take(MOST_TOGETHER)
                .collect();
            if !self.fits_with(preemptor, &together, room) {
                beside.iter_mut().for_each(|beside| *beside = false);
            }
            let mut beside = beside.into_iter();
            fitting.retain(|_| !beside.next().unwrap_or_default());
        }

        let mut competitors = Competitors::default();
        for (kind, reason, certainty) in fitting {
            competitors.total += kind.others(room.pod).count();
            // Only one of several pods that fit alone takes the room.
            let pods = kind.others(room.pod).take(MOST_NAMED);
            competitors
                .named
                .extend(pods.map(|pod| Competitor::of(pod, self.cluster, reason, certainty)));
        }
        competitors.named.sort_by_key(|one| match one.certainty {
            CompetitorCertainty::ComesFirst => 0,
            CompetitorCertainty::MayTake => 1,
        });
        competitors.named.truncate(MOST_NAMED);
        competitors
    }

    /// Why the pods of a kind may be tried before the preemptor; `None` if they are not.
    fn reason(&self, kind: &Kind, room: FreedRoom) -> Option<CompetitorReason> {
        let first = kind.others(room.pod).next()?;
        let pod = self.cluster.pod(first);
        if !kind.own {
            return Some(CompetitorReason::OtherScheduler);
        }
        if pod.priority > room.priority {
            return Some(CompetitorReason::HigherPriority);
        }
        if pod.priority < room.priority {
            return (room.held == RoomHeld::ByNothing).then_some(CompetitorReason::NothingHeld);
        }
        match room.held {
            RoomHeld::ByNomination => None,
            // Until the preemptor is nominated, only a pod that preempts as well gets anything.
            RoomHeld::ByPreemption if !kind.may_preempt(self.cluster) => None,
            RoomHeld::ByPreemption | RoomHeld::ByNothing => {
                let is_replica = room.pod.is_some_and(|preemptor| {
                    let preemptor = self.cluster.pod(preemptor);
                    preemptor.controller.is_some()
                        && preemptor.controller == pod.controller
                        && preemptor.is_scheduled_like(pod)
                });
                Some(if is_replica {
                    CompetitorReason::Replica
                } else {
                    CompetitorReason::EqualPriority
                })
            }
        }
    }

    /// Whether pods of the kind take the room if they come first: those that preempt may evict others
    /// elsewhere, and those that fit elsewhere may go there.
    fn certainty(
        &self,
        kind: &Kind<'v>,
        node: NodeIx,
        reason: CompetitorReason,
    ) -> CompetitorCertainty {
        let is_open = reason != CompetitorReason::HigherPriority
            || kind.grouped
            || kind.may_preempt(self.cluster)
            || kind.fits_now(self.now).iter().any(|other| *other != node);
        if is_open { CompetitorCertainty::MayTake } else { CompetitorCertainty::ComesFirst }
    }

    /// Whether pods of the kind fit on a node once the victims are gone, evicting others there if
    /// they may.
    fn fits(&self, kind: &Kind<'v>, node: NodeIx, room: FreedRoom) -> bool {
        let Some(pod) = kind.others(room.pod).next() else { return false };
        let view = kind.view;
        // Its own nomination to the node has been counted.
        if room
            .pod
            .is_some_and(|preemptor| view.nominated_pods(node, preemptor).any(|one| one == pod))
        {
            return false;
        }
        let prepared = kind.prepared(self.now);
        match &prepared.pre_filter {
            PreFilter::AllNodes => {}
            PreFilter::SomeNodes { only, .. } => {
                let name = self.cluster.node(node).name;
                if !only.contains(&name) && self.cluster.pod(pod).nominated_node != name {
                    return false;
                }
            }
            // What PreFilter rejects may be due to the victims, such as a volume that one pod uses.
            PreFilter::Rejected { .. } => return self.fits_without_victims(kind, node, room),
            PreFilter::Failed(_) => return false,
        }
        let mut state = self.state_without_victims(prepared, node, room);
        if kind.may_preempt(self.cluster) {
            let priority = self.cluster.pod(pod).priority;
            for other in self.cluster.pods_on(node) {
                if !room.victims.contains(other) && self.cluster.pod(*other).priority < priority {
                    state.remove_pod(*other);
                }
            }
        }
        state.check().is_none()
    }

    /// The same, prepared on the cluster without the victims.
    fn fits_without_victims(&self, kind: &Kind, node: NodeIx, room: FreedRoom) -> bool {
        let Some(pod) = kind.others(room.pod).next() else { return false };
        let mut after = kind.view.clone();
        for victim in room.victims {
            if let Some(node) = self.node_of(*victim) {
                after.forget(*victim, node);
            }
        }
        let prepared = prepare(&after, pod, self.now);
        let name = self.cluster.node(node).name;
        let is_tried = match &prepared.pre_filter {
            PreFilter::AllNodes => true,
            PreFilter::SomeNodes { only, .. } => only.contains(&name),
            PreFilter::Rejected { .. } | PreFilter::Failed(_) => false,
        };
        is_tried && prepared.node_state(node).check().is_none()
    }

    /// Whether the preemptor still fits with a pod of the kind beside it.
    fn fits_beside(&self, preemptor: PodIx, kind: &Kind, room: FreedRoom) -> bool {
        let Some(pod) = kind.others(Some(preemptor)).next() else { return true };
        self.fits_with(preemptor, &[pod], room)
    }

    /// Whether the preemptor still fits with these pods beside it.
    fn fits_with(&self, preemptor: PodIx, pods: &[PodIx], room: FreedRoom) -> bool {
        if pods.is_empty() {
            return true;
        }
        // A pod that is not in the queue yet has no kind.
        let new;
        let prepared = if let Some(kind) = self.kind_of(preemptor) {
            kind.prepared(self.now)
        } else {
            let scheduler = self.cluster.template(self.cluster.pod(preemptor)).scheduler_name;
            let scheduler = self.cluster.text(scheduler);
            let own = self.views.iter().find(|view| view.profile.scheduler_name == scheduler);
            let Some(view) = own.or(self.views.first()) else { return false };
            new = prepare(view, preemptor, self.now);
            &new
        };
        room.nodes.iter().all(|node| {
            let mut state = self.state_without_victims(prepared, *node, room);
            pods.iter().for_each(|pod| state.add_pod(*pod));
            state.check().is_none()
        })
    }

    fn state_without_victims<'p>(
        &self,
        prepared: &'p PreparedCycle<'v>,
        node: NodeIx,
        room: FreedRoom,
    ) -> NodeState<'p, 'v> {
        let mut state = prepared.node_state(node);
        for victim in room.victims {
            if let Some(on) = self.node_of(*victim) {
                state.remove_pod_from(*victim, on);
            }
        }
        state
    }

    fn node_of(&self, pod: PodIx) -> Option<NodeIx> {
        self.cluster.find_node(self.cluster.text(self.cluster.pod(pod).node_name))
    }

    /// The kind of a pending pod.
    fn kind_of(&self, pod: PodIx) -> Option<&Kind<'v>> {
        let common = Common::of(self.cluster.pod(pod));
        self.kinds.iter().find(|kind| {
            let first = kind.pods.first().map(|first| Common::of(self.cluster.pod(*first)));
            first == Some(common) && kind.pods.contains(&pod)
        })
    }
}

impl<'v> Kind<'v> {
    /// The pods without the preemptor.
    fn others(&self, preemptor: Option<PodIx>) -> impl Iterator<Item = PodIx> {
        self.pods.iter().copied().filter(move |pod| Some(*pod) != preemptor)
    }

    /// Whether a scheduler tries its pods at all: those with gates are not in the queue, and neither
    /// is a group that is not complete.
    fn is_tried(&mut self, cluster: &Cluster) -> bool {
        let view = self.view;
        self.pods.retain(|pod| queue::hold(view, *pod).is_none());
        let Some(first) = self.pods.first().copied() else { return false };
        if !self.own {
            return true;
        }
        let Some((namespace, name)) = member::group_of(view, first) else { return true };
        self.grouped = true;
        let Some(group) = cluster.group_of(first) else { return false };
        let members = Members::named(view, namespace, name).count();
        let wanted = cluster.pod_group(group).min_count.unwrap_or_default();
        i64::try_from(members).unwrap_or(i64::MAX) >= wanted
    }

    fn prepared(&self, now: Timestamp) -> &PreparedCycle<'v> {
        self.prepared.get_or_init(|| {
            let first = self.pods.first().copied().unwrap_or(PodIx(0));
            prepare(self.view, first, now)
        })
    }

    /// Up to two nodes on which it fits now.
    fn fits_now(&self, now: Timestamp) -> &[NodeIx] {
        self.fits_now.get_or_init(|| {
            let prepared = self.prepared(now);
            prepared.feasible().take(2).collect()
        })
    }

    /// Whether the scheduler may preempt for its pods.
    fn may_preempt(&self, cluster: &Cluster) -> bool {
        let Some(first) = self.pods.first() else { return false };
        let (features, profile) = (&self.view.profile.features.preemption, self.view.profile);
        let never = cluster.template(cluster.pod(*first)).never_preempts && features.never_policy;
        !never && (!self.own || profile.plugins.preempts())
    }
}

#[cfg(test)]
mod tests;

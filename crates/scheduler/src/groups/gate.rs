//! The pods of a group, and what keeps the group out of the scheduling queue.
//!
//! Upstream: `pkg/scheduler/framework/plugins/gangscheduling/gangscheduling.go` `PreEnqueue`,
//! `pkg/scheduler/backend/queue/scheduling_queue.go` (1.37). The scheduler writes nothing about it:
//! the pods just stay Pending.
//!
//! Upstream: `pkg/scheduler/schedule_one_podgroup.go` `validatePodGroup` (1.37).

use std::cmp::Reverse;

use jiff::Timestamp;

use super::GroupDecision;
use super::messages::{
    HIERARCHY_POLICIES, HIERARCHY_PRIORITIES, HIERARCHY_SCHEDULERS, POLICIES, POLICY_OF_GROUP,
    PRIORITIES, SCHEDULER_NAMES,
};
use crate::decision::group::GroupShortfall;
use crate::decision::{QueueGate, queue};
use crate::framework::cluster_view::ClusterView;
use crate::framework::reason::ReasonText;
use model::cluster::{AnyGroup, Cluster, GroupIx, PodIx, Sym};

/// The pods of a group that the scheduler knows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Members {
    /// The pods that wait for a node, in the order in which they are tried.
    pub waiting: Vec<PodIx>,
    /// The pods that are assigned to a node, by namespace and name.
    pub running: Vec<PodIx>,
    /// Waiting pods of the group with another scheduler; they do not count.
    pub of_other_schedulers: Vec<PodIx>,
}

/// What keeps a group out of the scheduling queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GroupGate {
    /// No pod of the group waits for a node.
    NothingWaits,
    /// Fewer pods exist than the gang needs.
    TooFewPods {
        /// How many pods exist.
        exist: usize,
        /// `minCount`.
        min_count: i64,
    },
    /// A group's parent of this name does not exist.
    NoParent(Sym),
    /// Too few groups of the tree have what they need.
    TreeTooSmall {
        /// The groups that have less than they need, from the root down.
        lacks: Vec<GroupShortfall>,
    },
    /// A pod of the group or of its tree is held back, which holds back all of them.
    Member(PodIx, QueueGate),
    /// All waiting pods are being deleted.
    Deleting,
}

impl Members {
    /// The pods of `group`.
    pub fn of(view: &ClusterView, group: GroupIx) -> Self {
        let facts = view.cluster.pod_group(group);
        Self::named(view, facts.namespace, facts.name)
    }

    /// The pods that name a group.
    pub fn named(view: &ClusterView, namespace: Sym, name: Sym) -> Self {
        let cluster = view.cluster;
        let mut members = Self::default();
        for ix in cluster.pod_indices() {
            let pod = cluster.pod(ix);
            if !pod.is_active() || pod.namespace != namespace || cluster.template(pod).group != name
            {
                continue;
            }
            let scheduler = cluster.text(cluster.template(pod).scheduler_name);
            if !pod.node_name.is_empty() {
                members.running.push(ix);
            } else if view.profile.all_names.iter().any(|name| name == scheduler) {
                members.waiting.push(ix);
            } else {
                members.of_other_schedulers.push(ix);
            }
        }
        members.waiting.sort_by_key(|ix| order(*ix, cluster));
        members
    }

    /// How many pods of the group the scheduler knows.
    pub fn count(&self) -> usize {
        self.waiting.len() + self.running.len()
    }

    /// What keeps the group out of the queue; `None` if it is in the queue.
    pub(super) fn gate(&self, view: &ClusterView, group: GroupIx) -> Option<GroupGate> {
        if self.waiting.is_empty() {
            return Some(GroupGate::NothingWaits);
        }
        let features = &view.profile.features.pod_groups;
        // 1.35 counts all pods that it sees.
        let others = if features.group_cycle { 0 } else { self.of_other_schedulers.len() };
        let exist = self.count() + others;
        let min_count = view.cluster.pod_group(group).min_count.filter(|_| features.gangs);
        if let Some(min_count) =
            min_count.filter(|min| i64::try_from(exist).unwrap_or(i64::MAX) < *min)
        {
            return Some(GroupGate::TooFewPods { exist, min_count });
        }
        let leaving = self.waiting.iter().all(|pod| view.cluster.pod(*pod).is_terminating());
        let deleting_holds = !features.group_cycle && !leaving;
        let mut held = self.waiting.iter().map(|pod| held(view, *pod, deleting_holds));
        if features.gangs_end_early {
            return held.find_map(|gate| gate);
        }
        // Up to 1.36 a held pod does not hold the others.
        held.collect::<Option<Vec<GroupGate>>>()?.into_iter().next()
    }
}

/// What holds back a pod, and therefore its group. A pod that is being deleted is removed later,
/// unless `deleting_holds`; until then its other gates hold it.
pub(super) fn held(view: &ClusterView, pod: PodIx, deleting_holds: bool) -> Option<GroupGate> {
    let gate = match queue::hold(view, pod)? {
        QueueGate::Deleting if !deleting_holds => queue::pre_enqueue(view, pod)?,
        gate => gate,
    };
    Some(GroupGate::Member(pod, gate))
}

/// The order in which the pods of a group are first tried: by priority, then in the order in which
/// the scheduler learned of them. Of pods created in the same second, the one written first comes
/// first.
///
/// Upstream: `pkg/scheduler/framework/types.go` `PodGroupMemberPodsOrderingFunc` (1.37).
fn order(ix: PodIx, cluster: &Cluster) -> (Reverse<i32>, Timestamp, Option<u64>, &str) {
    let pod = cluster.pod(ix);
    (
        Reverse(pod.priority),
        pod.created.unwrap_or(Timestamp::MAX),
        pod.resource_version.number(),
        &pod.name,
    )
}

/// What the pods must have in common.
pub(super) struct Shared {
    /// The group at the top of the hierarchy.
    pub root: AnyGroup,
    /// The pod whose scheduler and preemption policy count.
    pub first: PodIx,
    /// The priority of the group.
    pub priority: i32,
    /// Whether the preemption policy of the group is `Never`, if it has one.
    pub never_preempts: Option<bool>,
}

impl Shared {
    /// What the pods of a group without parents share; `first` is the one to which they are compared.
    fn of(decision: &GroupDecision, first: PodIx) -> Self {
        let group = decision.pod_group();
        Self {
            root: AnyGroup::Pods(decision.group),
            first,
            priority: group.priority(),
            never_preempts: group.never_preempts,
        }
    }
}

/// Checks the waiting pods in their order, then the running ones.
///
/// # Errors
/// The difference of the first pod that differs.
pub(super) fn check(decision: &GroupDecision) -> Result<(), String> {
    let members = &decision.members;
    let mut pods = members.waiting.iter().chain(&members.running).copied();
    let Some(first) = pods.clone().next() else { return Ok(()) };
    let shared = Shared::of(decision, first);
    pods.find_map(|pod| differs(pod, &shared, decision.view)).map_or(Ok(()), Err)
}

/// Whether the check ends with an error about any of several running pods: the scheduler has them in
/// a map.
pub(super) fn names_any(decision: &GroupDecision) -> bool {
    let members = &decision.members;
    let Some(first) = members.waiting.first().copied() else { return false };
    let shared = Shared::of(decision, first);
    let error = |pod: &PodIx| differs(*pod, &shared, decision.view);
    let mut of_running = members.running.iter().filter_map(error);
    let one = of_running.next();
    members.waiting.iter().all(|pod| error(pod).is_none())
        && of_running.any(|other| Some(other) != one)
}

/// kube-scheduler's error about a pod that differs from the others.
pub(super) fn differs(pod: PodIx, shared: &Shared, view: &ClusterView) -> Option<String> {
    let (cluster, features) = (view.cluster, &view.profile.features.pod_groups);
    if features.groups_checked_together {
        return differs_in_hierarchy(pod, shared, cluster);
    }
    let [own, first] = [pod, shared.first].map(|pod| cluster.template(cluster.pod(pod)));
    if own.scheduler_name != first.scheduler_name {
        let names = [own.scheduler_name, first.scheduler_name].map(|name| cluster.text(name));
        return Some(text(&SCHEDULER_NAMES.with(names), cluster));
    }
    let priority = cluster.pod(pod).priority;
    if priority != shared.priority {
        return Some(text(
            &PRIORITIES.with([&priority.to_string(), &shared.priority.to_string()]),
            cluster,
        ));
    }
    let policy_of_group = shared.never_preempts.unwrap_or(false);
    if features.group_policy && own.never_preempts != policy_of_group {
        return Some(text(
            &POLICY_OF_GROUP.with([policy(own.never_preempts), policy(policy_of_group)]),
            cluster,
        ));
    }
    let differs = !features.group_policy && own.never_preempts != first.never_preempts;
    let policies = [own.never_preempts, first.never_preempts].map(policy);
    differs.then(|| text(&POLICIES.with(policies), cluster))
}

/// The same since 1.38, where a group is checked with all groups that it belongs to.
fn differs_in_hierarchy(pod: PodIx, shared: &Shared, cluster: &Cluster) -> Option<String> {
    let (own, first) = (cluster.pod(pod), cluster.pod(shared.first));
    let [own_template, template] = [own, first].map(|pod| cluster.template(pod));
    let policy_of_all = shared.never_preempts.unwrap_or(template.never_preempts);
    if own_template.scheduler_name != template.scheduler_name {
        let [own_scheduler, scheduler] =
            [own_template, template].map(|template| cluster.text(template.scheduler_name));
        let parts = [own_scheduler, &own.name, scheduler, &first.name];
        return Some(text(&HIERARCHY_SCHEDULERS.with(parts), cluster));
    }
    if own.priority != shared.priority {
        let (own_priority, priority) = (own.priority.to_string(), shared.priority.to_string());
        let parts = [&own_priority, &*own.name, &priority, &key(shared.root, cluster)];
        return Some(text(&HIERARCHY_PRIORITIES.with(parts), cluster));
    }
    (own_template.never_preempts != policy_of_all).then(|| {
        let parts = [policy(own_template.never_preempts), &own.name, policy(policy_of_all)];
        text(&HIERARCHY_POLICIES.with(parts), cluster)
    })
}

/// A group as kube-scheduler names it in its texts.
pub(super) fn key(group: AnyGroup, cluster: &Cluster) -> String {
    let kind = match group {
        AnyGroup::Pods(_) => "podgroup",
        AnyGroup::Groups(_) => "compositepodgroup",
    };
    let (namespace, name) = cluster.names_of(group);
    format!("{kind}/{}/{}", cluster.text(namespace), cluster.text(name))
}

/// A preemption policy.
pub(super) const fn policy(never: bool) -> &'static str {
    if never { "Never" } else { "PreemptLowerPriority" }
}

fn text(reason: &ReasonText, cluster: &Cluster) -> String {
    reason.render(cluster).into_owned()
}

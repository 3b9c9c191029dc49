//! The groups that were created from a Workload: the PodGroups that name its templates, or in 1.35
//! the pod groups that pods name. kube-scheduler does not wait for a PodGroup that nobody created:
//! its pods do not exist either, or they are held back.
//!
//! Upstream: `pkg/controller/controller_utils.go` `createPods` (1.37).

use std::collections::BTreeSet;

use super::gate::Members;
use model::cluster::event::{Event, NOT_MADE};
use model::cluster::gang_workload::{GangWorkload, WorkloadGroup, parts};
use model::cluster::owner::PodHindrance;
use model::cluster::{Cluster, GroupIx, PodIx, Sym};

/// A Workload, and the groups created from each of its templates or pod groups.
#[derive(Debug)]
pub struct MadeOf<'c> {
    pub cluster: &'c Cluster,
    pub workload: &'c GangWorkload,
    /// Its templates or pod groups, in its order.
    pub groups: Vec<MadeGroups>,
}

/// The groups created from one template or pod group.
#[derive(Debug)]
pub struct MadeGroups {
    /// The template or pod group.
    pub of: WorkloadGroup,
    /// The groups of pods, by name.
    pub names: Vec<Sym>,
}

impl<'c> MadeOf<'c> {
    /// The groups created from a Workload; `None` if it does not exist. `by_parts`: the scheduler
    /// reads its pod groups (1.35) instead of the PodGroups that are created from its templates.
    pub fn find(cluster: &'c Cluster, namespace: &str, name: &str, by_parts: bool) -> Option<Self> {
        let workload = cluster.find_workload(namespace, name)?;
        let of_version = workload.groups.iter().filter(|group| group.is_template != by_parts);
        let groups = of_version
            .map(|of| MadeGroups { of: *of, names: names(cluster, workload, *of) })
            .collect();
        Some(Self { cluster, workload, groups })
    }
}

fn names(cluster: &Cluster, workload: &GangWorkload, of: WorkloadGroup) -> Vec<Sym> {
    let own = cluster.pod_groups.iter().filter(|group| {
        let is_own = (group.namespace, group.workload) == (workload.namespace, workload.name);
        let template = if group.is_part {
            parts(cluster.text(group.name)).map(|(_, part, _)| part)
        } else {
            None
        };
        is_own
            && group.is_part != of.is_template
            && template.unwrap_or(cluster.text(group.template)) == cluster.text(of.name)
    });
    own.map(|group| group.name).collect()
}

/// The groups that belong to a Workload, by name: those created from it, and those that pods name
/// as parts of it, whether or not it exists.
pub fn groups_of<'c>(
    cluster: &'c Cluster,
    namespace: &str,
    name: &str,
    by_parts: bool,
) -> Vec<&'c str> {
    let made = cluster.pod_groups.iter().filter(|group| {
        cluster.text(group.namespace) == namespace
            && cluster.text(group.workload) == name
            && group.is_part == by_parts
    });
    let mut names: BTreeSet<&str> = made.map(|group| cluster.text(group.name)).collect();
    let pods =
        cluster.pods.iter().filter(|pod| by_parts && cluster.text(pod.namespace) == namespace);
    let named = pods.map(|pod| cluster.text(cluster.template(pod).group));
    names.extend(named.filter(|group| parts(group).is_some_and(|(workload, ..)| workload == name)));
    names.into_iter().collect()
}

/// A controller that could not create pods of a group, and why.
#[derive(Debug, Clone, Copy)]
pub struct NotMade<'c> {
    /// Kind of the controller.
    pub kind: &'c str,
    pub name: &'c str,
    pub cause: NotCreatedCause<'c>,
}

/// Why pods were not created.
#[derive(Debug, Clone, Copy)]
pub enum NotCreatedCause<'c> {
    /// The controller's newest Event about it.
    Event(&'c Event),
    /// The status of the controller.
    Status(&'c PodHindrance),
}

/// The causes given by the controllers of the group and of its pods, by namespace, kind and name.
/// An Event takes precedence over a status, which often says the same.
pub fn of<'c>(members: &Members, group: Option<GroupIx>, cluster: &'c Cluster) -> Vec<NotMade<'c>> {
    let pods =
        [&members.waiting, &members.running, &members.of_other_schedulers].into_iter().flatten();
    // Pods of one controller have its causes in common.
    let mut owners: BTreeSet<(Sym, &str, &str)> = BTreeSet::new();
    for pod in pods.map(|pod: &PodIx| cluster.pod(*pod)) {
        for owner in cluster.controllers(pod) {
            owners.insert((pod.namespace, cluster.text(owner.kind), cluster.text(owner.name)));
        }
    }
    if let Some(group) = group.map(|group| cluster.pod_group(group))
        && let Some(owner) = group.controller
    {
        owners.insert((group.namespace, cluster.text(owner.kind), cluster.text(owner.name)));
    }
    let mut causes = Vec::new();
    for (namespace, kind, name) in owners {
        let event = newest_event(namespace, kind, name, cluster).map(NotCreatedCause::Event);
        let cause = event.or_else(|| status(namespace, kind, name, cluster));
        causes.extend(cause.map(|cause| NotMade { kind, name, cause }));
    }
    causes
}

/// What the status of a controller says.
fn status<'c>(
    namespace: Sym,
    kind: &str,
    name: &str,
    cluster: &'c Cluster,
) -> Option<NotCreatedCause<'c>> {
    let owner = cluster.owners.iter().find(|owner| {
        owner.namespace == namespace
            && owner.kind.name() == kind
            && cluster.text(owner.name) == name
    });
    owner?.hindrance.as_ref().map(NotCreatedCause::Status)
}

fn newest_event<'c>(
    namespace: Sym,
    kind: &str,
    name: &str,
    cluster: &'c Cluster,
) -> Option<&'c Event> {
    let events = cluster.events.iter().filter(|event| cluster.text(event.reason) == NOT_MADE);
    let of_owner = events.filter(|event| {
        let object = &event.object;
        object.namespace == namespace && cluster.text(object.kind) == kind && *object.name == *name
    });
    of_owner.max_by_key(|event| event.time)
}

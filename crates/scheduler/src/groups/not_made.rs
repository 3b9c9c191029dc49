//! Pods of a group that a controller could not create, according to its Events and its status: a
//! quota, a webhook, a missing service account, a suspended Job.
//!
//! Upstream: `pkg/controller/controller_utils.go` `createPods` (1.37).

use std::collections::BTreeSet;

use super::gate::Members;
use model::cluster::event::{Event, NOT_MADE};
use model::cluster::owner::PodHindrance;
use model::cluster::{Cluster, GroupIx, PodIx, Sym};

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

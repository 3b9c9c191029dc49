//! Pods of a group that a controller could not make, as its Events say: a quota, a webhook, a missing service account.
//!
//! Upstream: `pkg/controller/controller_utils.go` `createPods` (1.37).

use std::collections::BTreeSet;

use super::gate::Members;
use crate::cluster::Cluster;
use crate::cluster::event::{Event, NOT_MADE};
use crate::cluster::pod::{OwnerRef, PodIx};
use crate::cluster::pod_group::GroupIx;
use crate::cluster::symbols::Sym;

/// An Event that tells why a pod was not made.
#[derive(Debug, Clone, Copy)]
pub struct NotMade<'c> {
    /// The newest of its kind.
    pub event: &'c Event,
}

/// The newest such Event of each controller of the group and of its pods.
#[must_use]
pub fn of<'c>(members: &Members, group: Option<GroupIx>, cluster: &'c Cluster) -> Vec<NotMade<'c>> {
    let pods = [&members.waiting, &members.running, &members.of_other_schedulers].into_iter().flatten();
    let mut owners: BTreeSet<(Sym, &str, &str)> = BTreeSet::new();
    let mut add = |namespace: Sym, owner: OwnerRef| {
        owners.insert((namespace, cluster.text(owner.kind), cluster.text(owner.name)));
    };
    for pod in pods.map(|pod: &PodIx| cluster.pod(*pod)) {
        cluster.controllers(pod).into_iter().for_each(|owner| add(pod.namespace, owner));
    }
    if let Some(group) = group.map(|group| cluster.pod_group(group)) {
        group.controller.into_iter().for_each(|owner| add(group.namespace, owner));
    }
    let newest = |(namespace, kind, name): &(Sym, &str, &str)| {
        let events = cluster.events.iter().filter(|event| cluster.text(event.reason) == NOT_MADE);
        let of_owner = events.filter(|event| {
            let object = &event.object;
            object.namespace == *namespace && cluster.text(object.kind) == *kind && *object.name == **name
        });
        of_owner.max_by_key(|event| event.time).map(|event| NotMade { event })
    };
    owners.iter().filter_map(newest).collect()
}

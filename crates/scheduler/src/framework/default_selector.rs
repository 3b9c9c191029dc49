//! The selector of the pods that belong together with the incoming pod, taken from its services and
//! controllers.
//!
//! Upstream: `pkg/scheduler/framework/plugins/helper/spread.go` `DefaultSelector` (1.37; 1.21 for
//! controllers that are asked by selector), `pkg/scheduler/algorithm/priorities/metadata.go`
//! `getSelectors` (1.16).

use super::plugin::Cycle;
use model::cluster::pod::OwnerRef;
use model::cluster::selector::{Labels, Selector, label};
use model::cluster::{Kind, Sym};

/// The kinds whose objects define which pods belong together.
pub(crate) const READS: [Kind; 4] =
    [Kind::Service, Kind::ReplicationController, Kind::ReplicaSet, Kind::StatefulSet];

/// The selectors of all services and controllers that select the pod, combined into one; `{}` if
/// there are none.
pub(crate) fn default_selector(cycle: &Cycle) -> Selector {
    let everything = Selector::All(Box::default());
    if !cycle.features().default_selector.default_selector_by_owner {
        return by_selector(cycle).iter().fold(everything, |all, one| all.and(one));
    }
    let mut pairs: Vec<(Sym, Sym)> = services(cycle).flat_map(|s| s.iter().copied()).collect();
    pairs.sort_unstable();
    pairs.dedup();
    let selector = everything.and_labels(&pairs);
    match cycle.pod.controller.and_then(|owner| controller_selector(cycle, owner)) {
        Some(more) => selector.and(more),
        None => selector,
    }
}

/// The selectors of every service and controller that selects the pod.
pub(crate) fn by_selector(cycle: &Cycle) -> Vec<Selector> {
    let cluster = cycle.cluster();
    let labels = cluster.labels(cycle.pod.labels);
    // Parity: a pod without labels is compared with the selectors of services, but not with those
    // of controllers.
    let controllers = cluster.owners.iter().filter(|_| !labels.is_empty()).filter(|owner| {
        let kind = matches!(
            owner.kind,
            Kind::ReplicationController | Kind::ReplicaSet | Kind::StatefulSet
        );
        kind && owner.namespace == cycle.pod.namespace
            && !owner.selector.is_everything()
            && owner.selector.matches(labels)
    });
    services(cycle)
        .map(|pairs| Selector::All(Box::default()).and_labels(pairs))
        .chain(controllers.map(|owner| owner.selector.clone()))
        .collect()
}

/// The selectors of the services that select the pod.
fn services<'c>(cycle: &Cycle<'c>) -> impl Iterator<Item = &'c Labels> {
    let (cluster, pod) = (cycle.cluster(), cycle.pod);
    let labels = cluster.labels(pod.labels);
    let here =
        cluster.services.iter().filter(|s| s.namespace == pod.namespace).map(|s| &s.selector);
    here.filter(|selector| selector.iter().all(|(key, value)| label(labels, *key) == Some(*value)))
}

fn controller_selector<'c>(cycle: &Cycle<'c>, owner: OwnerRef) -> Option<&'c Selector> {
    let cluster = cycle.cluster();
    let known = match cluster.text(owner.kind) {
        "ReplicationController" => "v1",
        "ReplicaSet" | "StatefulSet" => "apps/v1",
        _ => return None,
    };
    if cluster.text(owner.api_version) != known {
        return None;
    }
    cluster
        .owners
        .iter()
        .find(|o| {
            o.name == owner.name && o.namespace == cycle.pod.namespace && o.is(owner.kind, cluster)
        })
        .map(|o| &o.selector)
}

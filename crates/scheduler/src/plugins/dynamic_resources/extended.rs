//! Extended resources that device classes provide: the scheduler creates its own claim for them,
//! node by node.
//!
//! Upstream: `pkg/scheduler/framework/plugins/dynamicresources/extendeddynamicresources.go` (1.37).

use std::collections::BTreeMap;

use super::messages;
use crate::framework::cluster_view::NodeInfo;
use crate::framework::plugin::Cycle;
use crate::framework::reason::Message;
use dra::class_for;
use model::cluster::devices::{
    AllocationMode, Ask, CLASS_RESOURCE_PREFIX, ClaimIx, DeviceClass, DeviceRequest, Want,
};
use model::cluster::resource_requests::{Container, ResourceRequests};
use model::cluster::resources::is_extended;
use model::cluster::{Cluster, Sym};
use profile::history::ClassLookup;

/// The claim's name before it exists in the API.
pub(super) const NAME: &str = "<extended-resources>";

/// The scheduler's own claims that earlier attempts to schedule the pod have left.
pub(super) fn left_over(cycle: &Cycle) -> impl Iterator<Item = ClaimIx> {
    let (cluster, pod) = (cycle.cluster(), cycle.pod);
    let claims = (0..).map(ClaimIx).zip(&cluster.devices.claims);
    let left_over = claims.filter(|(_, claim)| {
        claim.for_extended_resources
            && cluster.text(claim.controller_name) == &*pod.name
            && claim.controller_uid == pod.uid
    });
    left_over.map(|(claim, _)| claim)
}

/// The scheduler's own claim of a pod.
pub(super) struct Special<'c> {
    /// Extended resources that the pod requests, with the class that provides each.
    resources: Vec<(Sym, Option<&'c DeviceClass>)>,
    /// A claim of an earlier scheduling attempt still exists.
    left_over: bool,
    /// Whether a map lists the class of each resource, as up to 1.34.
    by_map: bool,
    /// Whether the pod has claims of its own.
    with_claims: bool,
}

impl<'c> Special<'c> {
    /// The claim of the cycle's pod, which may have claims of its own; `None` if no class provides
    /// what it requests.
    pub(super) fn of_pod(cycle: &Cycle<'c>, with_claims: bool) -> Option<Self> {
        let (cluster, devices) = (cycle.cluster(), &cycle.cluster().devices);
        let features = &cycle.features().dra;
        if !features.dra_extended_resources || devices.classes.is_empty() {
            return None;
        }
        let by_map = features.dra_class_lookup == ClassLookup::Map;
        let wanted = cycle.view.incoming(cycle.pod).scalars;
        let mut resources: Vec<(Sym, _)> = Vec::new();
        for (name, amount) in &wanted {
            let text = cluster.text(*name);
            let is_of_class = !by_map && text.starts_with(CLASS_RESOURCE_PREFIX);
            if *amount != 0 && (is_extended(text) || is_of_class) {
                resources.push((*name, class_for(*name, cluster, features)));
            }
        }
        if resources.iter().all(|(_, class)| class.is_none()) {
            return None;
        }
        resources.sort_by(|a, b| cluster.text(a.0).cmp(cluster.text(b.0)));
        let left_over = left_over(cycle).next().is_some();
        Some(Self { resources, left_over, by_map, with_claims })
    }

    pub(super) fn is_left_over(&self) -> bool {
        self.left_over
    }

    /// Selectors of the classes.
    pub(super) fn expressions(&self) -> impl Iterator<Item = Sym> {
        self.resources
            .iter()
            .filter_map(|(_, class)| *class)
            .flat_map(|class| &class.selectors)
            .copied()
            .flatten()
    }

    /// What the claim requests on a node: whatever the node does not have itself. `None` if that is
    /// nothing; an error is a rejection with its reason.
    pub(super) fn on_node(
        &self,
        cycle: &Cycle,
        node: &NodeInfo,
    ) -> Result<Option<Vec<DeviceRequest>>, &'static Message> {
        if self.left_over {
            return Err(&messages::LEFT_OVER);
        }
        let allocatable = &cycle.view.node(node.node).allocatable;
        let mut through_devices = Vec::new();
        for (name, class) in &self.resources {
            let has = allocatable.scalar(*name);
            match class {
                Some(class) if has.is_none_or(|has| has == 0 && !self.by_map) => {
                    through_devices.push((*name, *class));
                }
                None if has.is_none() => return Err(&messages::NO_RESOURCE),
                _ => {}
            }
        }
        if through_devices.is_empty() && !(self.by_map && self.with_claims) {
            return Ok(None);
        }
        if self.by_map {
            // Parity: devices are requested even for what the node has itself.
            through_devices = self
                .resources
                .iter()
                .filter_map(|(name, class)| Some((*name, (*class)?)))
                .collect();
        }
        let cluster = cycle.cluster();
        let resource_requests = cluster.resource_requests.get(cycle.pod.resource_requests);
        Ok(Some(
            resource_requests
                .map(|resource_requests| {
                    requests(cluster, resource_requests, &through_devices, self.by_map)
                })
                .unwrap_or_default(),
        ))
    }
}

/// A container's position among all containers, and whether it ends before others start.
struct Placed<'s> {
    index: usize,
    container: &'s Container,
    short_lived: bool,
}

/// One request per container and resource, named after both. Containers that end before others
/// start share theirs, unless each is `alone`.
fn requests(
    cluster: &Cluster,
    resource_requests: &ResourceRequests,
    resources: &[(Sym, &DeviceClass)],
    alone: bool,
) -> Vec<DeviceRequest> {
    let init = resource_requests.init_containers.iter().map(|c| (c, !c.sidecar && !alone));
    let containers: Vec<Placed> = init
        .chain(resource_requests.containers.iter().map(|c| (c, false)))
        .enumerate()
        .map(|(index, (container, short_lived))| Placed { index, container, short_lived })
        .collect();
    let mut named: BTreeMap<String, (Sym, i64)> = BTreeMap::new();
    for (resource, class) in resources {
        let mut long: Vec<Option<i64>> = vec![None; containers.len()];
        for placed in containers.iter().filter(|p| !p.short_lived) {
            let Some(amount) = amount(cluster, placed.container, *resource) else { continue };
            named.insert(request_name(cluster, placed, *resource), (class.name, amount));
            if let Some(slot) = long.get_mut(placed.index) {
                *slot = Some(amount);
            }
        }
        let mut largest: Option<(String, i64)> = None;
        for placed in containers.iter().filter(|p| p.short_lived) {
            let Some(amount) = amount(cluster, placed.container, *resource) else { continue };
            // What containers that start later request can be used by earlier ones.
            let reusable: i64 =
                long.iter().skip(placed.index).flatten().fold(0, |sum, n| sum.saturating_add(*n));
            let more = amount - reusable;
            if more > 0 && largest.as_ref().is_none_or(|(_, most)| *most < more) {
                largest = Some((request_name(cluster, placed, *resource), more));
            }
        }
        named.extend(largest.map(|(name, more)| (name, (class.name, more))));
    }
    named.into_values().map(|(class, count)| request(class, count)).collect()
}

fn request(class: Sym, count: i64) -> DeviceRequest {
    let want = Want {
        name: Sym::EMPTY,
        class,
        selectors: Box::default(),
        mode: AllocationMode::ExactCount,
        count,
        admin_access: None,
        tolerations: Box::default(),
        capacity: None,
        derived_attributes: Box::default(),
    };
    DeviceRequest { name: Sym::EMPTY, ask: Ask::Exactly(want) }
}

/// A container's request, in whole units.
fn amount(cluster: &Cluster, container: &Container, resource: Sym) -> Option<i64> {
    let (_, text) = container.requests.iter().find(|(name, _)| *name == resource)?;
    cluster.quantity(*text)?.as_units().filter(|units| *units != 0)
}

/// Upstream's name, the sort key of requests.
fn request_name(cluster: &Cluster, placed: &Placed, resource: Sym) -> String {
    let mut names: Vec<&str> =
        placed.container.requests.iter().map(|(name, _)| cluster.text(*name)).collect();
    names.sort_unstable();
    let index = names.iter().position(|name| *name == cluster.text(resource)).unwrap_or(0);
    format!("container-{}-request-{index}", placed.index)
}

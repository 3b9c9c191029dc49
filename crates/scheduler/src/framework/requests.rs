//! The resources that a pod requests: while it is being scheduled, once it is on a node, and for
//! scores. Upstream: `component-helpers/resource/helpers.go` (1.37, and 1.36 for the older
//! footprint), `pkg/scheduler/framework/types.go` `calculateResource` (up to 1.31).

use std::collections::{BTreeMap, BTreeSet};

use model::cluster::resource_requests::{
    Container, InitStep, KubeletResources, Requests, ResourceRequests,
};
use model::cluster::resources::{ResourceKind, Resources};
use model::cluster::{Cluster, Quantity, Sym};
use profile::history;

use super::operands::{RequestOrigin, RequestPart};

/// Exact amounts by resource, rounded only once the pod's total is known.
type ExactAmounts = BTreeMap<Sym, Quantity>;

/// The resources that an unscheduled pod requests, according to its spec alone.
pub(crate) fn incoming(
    resource_requests: &ResourceRequests,
    cluster: &Cluster,
    features: &history::Requests,
) -> Resources {
    let sums = Sums::of(resource_requests, cluster, features);
    let mut total = sums.aggregate(&|container| sums.amounts(&container.requests));
    sums.finish(&mut total, false);
    let mut wanted = sums.round(&total);
    if !features.init_zero_scalars_count {
        let listed: BTreeSet<Sym> = resource_requests
            .containers
            .iter()
            .flat_map(|c| &c.requests)
            .map(|(name, _)| *name)
            .collect();
        wanted.scalars.retain(|(name, amount)| *amount != 0 || listed.contains(name));
    }
    wanted
}

/// An incoming pod's request of one resource, split by origin. Empty if there is nothing to
/// explain: only its containers request it, or the parts do not add up to `requested`.
pub(crate) fn parts(
    resource_requests: &ResourceRequests,
    cluster: &Cluster,
    features: &history::Requests,
    resource: Sym,
    requested: i64,
) -> Vec<RequestPart> {
    let sums = Sums::of(resource_requests, cluster, features);
    let kind = ResourceKind::of(cluster.text(resource));
    let amount =
        |requests: &Requests| sums.amounts(requests).get(&resource).copied().unwrap_or_default();
    let mut parts = sums.running_or_step(&amount);
    let has_pod_level =
        resource_requests.pod_level.iter().flatten().any(|(name, _)| *name == resource);
    if features.pod_level_resources && has_pod_level && is_pod_level(cluster.text(resource)) {
        let pod_level = resource_requests.pod_level.as_ref().map(amount).unwrap_or_default();
        parts = vec![(pod_level, RequestOrigin::PodLevel)];
    }
    if features.pod_overhead {
        let runtime_class = resource_requests.runtime_class;
        parts
            .push((amount(&resource_requests.overhead), RequestOrigin::Overhead { runtime_class }));
    }
    let parts: Vec<RequestPart> = (parts.into_iter())
        .map(|(quantity, origin)| RequestPart { amount: kind.count(quantity), origin })
        .filter(|part| part.amount != 0)
        .collect();
    let is_plain = parts.iter().all(|part| part.origin == RequestOrigin::Containers);
    let sum = parts.iter().fold(0i64, |sum, part| sum.saturating_add(part.amount));
    if is_plain || sum != requested { Vec::new() } else { parts }
}

/// The resources that a pod on a node occupies, according to its spec and to what the kubelet has
/// allocated.
pub(crate) fn footprint(
    resource_requests: &ResourceRequests,
    cluster: &Cluster,
    features: &history::Requests,
) -> Resources {
    let sums = Sums::of(resource_requests, cluster, features).of_pod_on_node();
    sums.round(&sums.on_node())
}

/// Cpu in thousandths and memory in bytes that a pod on a node counts with in scores, where a
/// container without requests gets small defaults. Upstream: `pkg/scheduler/framework/types.go`
/// `CalculateResource` (1.37).
pub(crate) fn non_zero_footprint(
    resource_requests: &ResourceRequests,
    cluster: &Cluster,
    features: &history::Requests,
) -> (i64, i64) {
    let mut sums = Sums::of(resource_requests, cluster, features).of_pod_on_node();
    sums.defaults = Some(DEFAULT_REQUESTS);
    sums.rounds_each = !features.scores_rounded_once;
    if features.pod_level_resources && sums.has_pod_level() {
        let counted = Sums::of(resource_requests, cluster, features).on_node();
        sums.defaults =
            Some(DEFAULT_REQUESTS.map(|d| d.filter(|(name, _)| !counted.contains_key(name))));
    }
    let total =
        sums.round(&if features.sidecars_score { sums.on_node() } else { sums.without_sidecars() });
    (total.milli_cpu, total.memory)
}

/// The requests with which `NodeResourcesFit` scores a pod: those of its spec, with defaults for
/// containers without requests.
///
/// Parity: up to 1.37 requests of `spec.resources` are ignored.
pub(crate) fn scored(
    resource_requests: &ResourceRequests,
    cluster: &Cluster,
    features: &history::Requests,
) -> Resources {
    if features.fit_scores_footprint {
        let mut sums = Sums::of(resource_requests, cluster, features).of_pod_on_node();
        sums.defaults = Some(DEFAULT_REQUESTS);
        return sums.round(&sums.on_node());
    }
    asked(resource_requests, cluster, features, Some(DEFAULT_REQUESTS), features.fit_score_overhead)
}

/// The requests with which `NodeResourcesBalancedAllocation` scores a pod, where they differ from
/// those of a pod on a node.
pub(crate) fn scored_by_balance(
    resource_requests: &ResourceRequests,
    cluster: &Cluster,
    features: &history::Requests,
) -> Resources {
    asked(
        resource_requests,
        cluster,
        features,
        Some(DEFAULT_REQUESTS).filter(|_| !features.balance_as_asked),
        true,
    )
}

fn asked(
    resource_requests: &ResourceRequests,
    cluster: &Cluster,
    features: &history::Requests,
    defaults: Option<Defaults>,
    overhead: bool,
) -> Resources {
    let mut sums = Sums::of(resource_requests, cluster, features).of_pod_on_node();
    sums.defaults = defaults;
    let mut total = sums.aggregate(&|container| sums.amounts(&container.requests));
    let mut rounded = sums.round(&total);
    if overhead && features.pod_overhead {
        let more = sums.amounts(&resource_requests.overhead);
        if features.score_overhead_in_thousandths {
            add(&mut total, &more);
            rounded = sums.round(&total);
        } else {
            // Parity: an overhead in cores is added as if it were in thousandths.
            for (name, quantity) in &more {
                rounded.add(ResourceKind::of(cluster.text(*name)), *name, quantity.value());
            }
        }
    }
    rounded
}

/// The default requests of a container without any. Upstream: `pkg/scheduler/util/pod_resources.go`
/// (1.37).
const DEFAULT_REQUESTS: Defaults = [
    Some((Sym::CPU, Quantity::from_milli(100))),
    Some((Sym::MEMORY, Quantity::from_units(200 * 1024 * 1024))),
];

type Defaults = [Option<(Sym, Quantity)>; 2];

struct Sums<'a> {
    resource_requests: &'a ResourceRequests,
    cluster: &'a Cluster,
    features: &'a history::Requests,
    defaults: Option<Defaults>,
    /// Whether init containers count.
    init_containers: bool,
    /// Whether the amounts of each container are rounded before they are summed.
    rounds_each: bool,
}

impl<'a> Sums<'a> {
    const fn of(
        resource_requests: &'a ResourceRequests,
        cluster: &'a Cluster,
        features: &'a history::Requests,
    ) -> Self {
        Self {
            resource_requests,
            cluster,
            features,
            defaults: None,
            init_containers: true,
            rounds_each: false,
        }
    }

    const fn of_pod_on_node(self) -> Self {
        Self { init_containers: self.features.init_containers_on_nodes, ..self }
    }

    fn on_node(&self) -> ExactAmounts {
        let features = self.features;
        let mut total = if !features.in_place_resize {
            self.aggregate(&|container| self.amounts(&container.requests))
        } else if features.whole_pod_footprint {
            self.whole_pod()
        } else {
            // Parity: of two statuses with the same name the last one counts; in later versions the
            // first.
            let statuses = self
                .resource_requests
                .statuses
                .iter()
                .map(|status| (status.name, status))
                .collect();
            self.aggregate(&|container| self.largest_of_container(container, &statuses))
        };
        self.finish(&mut total, features.in_place_resize);
        total
    }

    /// Parity: up to 1.31 sidecars were not added to the containers that run beside them, and an
    /// init container without requests counted once, however many sidecars run beside it.
    fn without_sidecars(&self) -> ExactAmounts {
        // Only cpu and memory are needed.
        let asked = |container: &Container| {
            let mut amounts = self.amounts(&container.requests);
            amounts.retain(|name, _| matches!(*name, Sym::CPU | Sym::MEMORY));
            amounts
        };
        let mut total = ExactAmounts::new();
        for container in &self.resource_requests.containers {
            add(&mut total, &self.counted(asked(container)));
        }
        if self.rounds_each {
            total = self.rounded(total); // a sum of integers may overflow
        }
        let mut sidecars = ExactAmounts::new();
        for container in self.init_containers() {
            let mut step = asked(container);
            add(&mut step, &sidecars);
            if self.is_sidecar(container) {
                sidecars.clone_from(&step);
            }
            raise(&mut total, &self.counted(step));
        }
        if self.features.scores_never_negative {
            total
                .values_mut()
                .filter(|amount| amount.is_negative())
                .for_each(|amount| *amount = Quantity::default());
        }
        if self.features.pod_overhead {
            add(&mut total, &self.overhead());
        }
        total
    }

    fn init_containers(&self) -> &[Container] {
        if self.init_containers { &self.resource_requests.init_containers } else { &[] }
    }

    fn is_sidecar(&self, container: &Container) -> bool {
        container.sidecar && self.features.sidecars_known
    }

    /// The amounts with which one container, or one step of the init containers, counts.
    fn counted(&self, mut amounts: ExactAmounts) -> ExactAmounts {
        for (name, default) in self.defaults.iter().flatten().flatten() {
            amounts.entry(*name).or_insert(*default);
        }
        if self.rounds_each { self.rounded(amounts) } else { amounts }
    }

    fn overhead(&self) -> ExactAmounts {
        let overhead = self.amounts(&self.resource_requests.overhead);
        if self.rounds_each { self.rounded(overhead) } else { overhead }
    }

    fn has_pod_level(&self) -> bool {
        let names = self.resource_requests.pod_level.iter().flatten();
        names.into_iter().any(|(name, _)| is_pod_level(self.cluster.text(*name)))
    }

    fn amounts(&self, requests: &Requests) -> ExactAmounts {
        let exact =
            requests.iter().filter_map(|(name, text)| Some((*name, self.cluster.quantity(*text)?)));
        let exact = exact.collect();
        // Where rounding per container applies only to scores, sidecars are added to init
        // containers before it.
        if self.features.requests_rounded_once { exact } else { self.rounded(exact) }
    }

    /// The amounts as the scheduler counts them.
    fn rounded(&self, mut amounts: ExactAmounts) -> ExactAmounts {
        for (name, quantity) in &mut amounts {
            *quantity = match ResourceKind::of(self.cluster.text(*name)) {
                ResourceKind::Cpu => Quantity::from_milli(quantity.milli_value()),
                _ => Quantity::from_units(quantity.value()),
            };
        }
        amounts
    }

    /// The sum of containers and sidecars, or the largest init step if that is more.
    fn aggregate(&self, asked: &dyn Fn(&Container) -> ExactAmounts) -> ExactAmounts {
        let of = |container: &Container| self.counted(asked(container));
        let mut total = ExactAmounts::new();
        for container in &self.resource_requests.containers {
            add(&mut total, &of(container));
        }
        let (mut sidecars, mut steps) = (ExactAmounts::new(), ExactAmounts::new());
        for container in self.init_containers() {
            let mut own = of(container);
            if self.is_sidecar(container) {
                add(&mut total, &own);
                add(&mut sidecars, &own);
                own.values_mut().for_each(|quantity| *quantity = Quantity::default());
            }
            // Other resources of this step come from the sidecars before it, which the steps
            // already include.
            for (name, quantity) in &mut own {
                *quantity += sidecars.get(name).copied().unwrap_or_default();
            }
            raise(&mut steps, &own);
        }
        if !self.features.requests_rounded_once {
            total = self.rounded(total); // a sum of integers may overflow
        }
        raise(&mut total, &steps);
        total
    }

    /// Containers and sidecars, which run together, or the init container that requests more, with
    /// the sidecars beside it.
    fn running_or_step(
        &self,
        amount: &dyn Fn(&Requests) -> Quantity,
    ) -> Vec<(Quantity, RequestOrigin)> {
        let by_time = self.resource_requests.by_time(
            self.init_containers(),
            |container: &Container| self.is_sidecar(container),
            amount,
        );
        if let Some(InitStep { name, own, sidecars, sidecar_names, .. }) = by_time.deciding_step() {
            let beside = RequestOrigin::Sidecars { names: sidecar_names.clone() };
            return vec![(*own, RequestOrigin::InitContainer { name: *name }), (*sidecars, beside)];
        }
        let sidecars = RequestOrigin::Sidecars { names: by_time.sidecar_names };
        vec![(by_time.containers, RequestOrigin::Containers), (by_time.sidecars, sidecars)]
    }

    /// 1.37: the largest of three sums over the whole pod.
    fn whole_pod(&self) -> ExactAmounts {
        // Of two statuses with the same name the first one counts.
        let statuses = self.resource_requests.statuses.iter().rev();
        let statuses: BTreeMap<Sym, &KubeletResources> =
            statuses.map(|status| (status.name, status)).collect();

        // The amounts of the pod's own status replace those of its containers.
        let own_status = self.pod_level_status();
        let mut total = match own_status {
            Some((allocated, _)) => self.amounts(allocated),
            None => self.aggregate(&|c| self.allocated(c, &statuses)),
        };
        let actuated = match own_status {
            Some((_, actuated)) => self.amounts(actuated),
            None => self.aggregate(&|c| self.actuated(c, &statuses)),
        };
        raise(&mut total, &actuated);
        // A resize that will not happen does not count.
        if !self.resource_requests.resize_infeasible {
            raise(&mut total, &self.aggregate(&|c| self.amounts(&c.requests)));
        }
        total
    }

    /// Allocated and actuated requests in the pod's own status.
    fn pod_level_status(&self) -> Option<(&Requests, &Requests)> {
        if !self.features.in_place_pod_level_resize {
            return None;
        }
        let allocated = self.resource_requests.pod_allocated.as_ref()?;
        let actuated = self.resource_requests.pod_actuated.as_ref()?.as_ref()?;
        Some((allocated, actuated))
    }

    /// What the kubelet has allocated to a container; without a status, what its spec requests.
    fn allocated(
        &self,
        container: &Container,
        statuses: &BTreeMap<Sym, &KubeletResources>,
    ) -> ExactAmounts {
        let status = statuses.get(&container.name);
        match status.and_then(|status| status.allocated.as_ref()) {
            Some(allocated) => self.amounts(allocated),
            None if self.resource_requests.resize_infeasible => ExactAmounts::new(),
            None => self.amounts(&container.requests),
        }
    }

    /// What a container runs with; without a status, what is allocated to it.
    fn actuated(
        &self,
        container: &Container,
        statuses: &BTreeMap<Sym, &KubeletResources>,
    ) -> ExactAmounts {
        let status = statuses.get(&container.name);
        match status.and_then(|status| status.actuated.as_ref()).and_then(Option::as_ref) {
            Some(actuated) => self.amounts(actuated),
            None => self.allocated(container, statuses),
        }
    }

    /// Up to 1.36: the larger amount per container, for containers and sidecars whose status has
    /// `resources`.
    fn largest_of_container(
        &self,
        container: &Container,
        statuses: &BTreeMap<Sym, &KubeletResources>,
    ) -> ExactAmounts {
        let is_init = self
            .resource_requests
            .init_containers
            .as_ptr_range()
            .contains(&std::ptr::from_ref(container));
        let status =
            statuses.get(&container.name).copied().filter(|_| !is_init || container.sidecar);
        let Some((status, actuated)) = status.and_then(|s| Some((s, s.actuated.as_ref()?))) else {
            return self.amounts(&container.requests);
        };
        let mut largest = if self.resource_requests.resize_infeasible {
            ExactAmounts::new()
        } else {
            self.amounts(&container.requests)
        };
        for list in [actuated.as_ref(), status.allocated.as_ref()].into_iter().flatten() {
            raise(&mut largest, &self.amounts(list));
        }
        largest
    }

    /// Applies the pod-level requests and adds the overhead.
    fn finish(&self, total: &mut ExactAmounts, on_node: bool) {
        if self.features.pod_level_resources
            && let Some(pod_level) = self.pod_level(on_node)
        {
            for (name, quantity) in pod_level {
                if is_pod_level(self.cluster.text(name)) {
                    total.insert(name, quantity);
                }
            }
        }
        if self.features.pod_overhead {
            add(total, &self.overhead());
        }
    }

    fn pod_level(&self, on_node: bool) -> Option<ExactAmounts> {
        let features = self.features;
        let spec = self.resource_requests.pod_level.as_ref()?;
        if !self.has_pod_level() {
            return None;
        }
        let Some(actuated) = self
            .resource_requests
            .pod_actuated
            .as_ref()
            .filter(|_| on_node && features.in_place_pod_level_resize)
        else {
            return Some(self.amounts(spec));
        };
        let mut amounts = if self.resource_requests.resize_infeasible {
            ExactAmounts::new()
        } else {
            self.amounts(spec)
        };
        for list in
            [actuated.as_ref(), self.resource_requests.pod_allocated.as_ref()].into_iter().flatten()
        {
            raise(&mut amounts, &self.amounts(list));
        }
        if !features.whole_pod_footprint {
            // Up to 1.36 only resources that the spec lists count.
            amounts
                .retain(|name, _| spec.binary_search_by_key(name, |(listed, _)| *listed).is_ok());
        }
        Some(amounts)
    }

    fn round(&self, amounts: &ExactAmounts) -> Resources {
        let mut resources = Resources::default();
        for (name, quantity) in amounts {
            let kind = ResourceKind::of(self.cluster.text(*name));
            let saturates = self.features.huge_requests_saturate;
            let count =
                if saturates { kind.saturated_count(*quantity) } else { kind.count(*quantity) };
            resources.add(kind, *name, count);
        }
        resources
    }
}

/// Whether `spec.resources` may set the resource.
fn is_pod_level(name: &str) -> bool {
    name == "cpu" || name == "memory" || name.starts_with("hugepages-")
}

fn add(total: &mut ExactAmounts, more: &ExactAmounts) {
    for (name, quantity) in more {
        *total.entry(*name).or_default() += *quantity;
    }
}

/// Raises each amount in `total` to that in `other` if the latter is larger.
fn raise(total: &mut ExactAmounts, other: &ExactAmounts) {
    for (name, quantity) in other {
        total.entry(*name).and_modify(|q| *q = (*q).max(*quantity)).or_insert(*quantity);
    }
}

#[cfg(test)]
mod tests;

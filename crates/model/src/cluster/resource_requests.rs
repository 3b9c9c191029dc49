//! The resource requests of a pod: spec and status as they are; the framework sums them up. Pods of
//! one workload share them.

use super::quantity::Quantity;
use super::symbols::{Sym, Symbols};
use crate::snapshot::Map;
use crate::snapshot::pod as wire;

/// Resource name and quantity text. Quantities are parsed once per text, see
/// [`super::Cluster::quantity`].
pub type Requests = Box<[(Sym, Sym)]>;

/// The resource side of a pod.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct ResourceRequests {
    /// `spec.containers`.
    pub containers: Box<[Container]>,
    /// `spec.initContainers`, in order.
    pub init_containers: Box<[Container]>,
    /// `spec.overhead`.
    pub overhead: Requests,
    /// `spec.runtimeClassName`, which defines the overhead; may be empty.
    pub runtime_class: Sym,
    /// `spec.resources.requests`.
    pub pod_level: Option<Requests>,
    /// `status.containerStatuses`, then `status.initContainerStatuses`, where they have resources.
    pub statuses: Box<[KubeletResources]>,
    /// `status.resources`: present, and its requests.
    pub pod_actuated: Option<Option<Requests>>,
    /// `status.allocatedResources`.
    pub pod_allocated: Option<Requests>,
    /// Whether the first `PodResizePending` condition says Infeasible.
    pub resize_infeasible: bool,
}

/// A container's requests.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Container {
    /// Its name, which links it to its status.
    pub name: Sym,
    /// `resources.requests`.
    pub requests: Requests,
    /// An init container with `restartPolicy: Always`.
    pub sidecar: bool,
}

/// The resources of a container according to the kubelet.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KubeletResources {
    /// Container name.
    pub name: Sym,
    /// `allocatedResources`.
    pub allocated: Option<Requests>,
    /// `resources`: present, and its requests.
    pub actuated: Option<Option<Requests>>,
}

/// Where a pod's manifest has the request that determines how much of a resource the pod requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestPlace {
    /// `spec.resources`.
    Pod,
    /// `spec.containers[]`, by index.
    Container(usize),
    /// `spec.initContainers[]`, by index: a sidecar, or a container that requests more than
    /// everything that runs later.
    InitContainer(usize),
}

/// A request as written in the manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrittenRequest {
    /// Where it is.
    pub place: RequestPlace,
    /// How much it asks for.
    pub amount: Quantity,
    /// The minimum that the API server accepts there: the request of a pod must cover those of its
    /// containers.
    pub least: Quantity,
}

/// What the containers of a pod request of one resource, by when they run.
#[derive(Debug, Clone)]
pub struct RequestsByTime {
    /// The containers together.
    pub containers: Quantity,
    /// The sidecars, which run alongside the containers.
    pub sidecars: Quantity,
    /// The sidecars that request some.
    pub sidecar_names: Vec<Sym>,
    /// The largest of their requests; the first on a tie.
    largest: RequestPlace,
    largest_amount: Quantity,
    /// The init container with the largest request, including the sidecars that run with it.
    step: Option<InitStep>,
}

/// An init container that runs before the containers, with the sidecars that have started before
/// it.
#[derive(Debug, Clone)]
pub struct InitStep {
    index: usize,
    pub name: Sym,
    pub own: Quantity,
    /// What the sidecars that run with it request.
    pub sidecars: Quantity,
    /// Those that request some of the resource.
    pub sidecar_names: Vec<Sym>,
}

impl InitStep {
    fn total(&self) -> Quantity {
        self.own + self.sidecars
    }
}

impl Default for RequestsByTime {
    fn default() -> Self {
        Self {
            containers: Quantity::default(),
            sidecars: Quantity::default(),
            sidecar_names: Vec::new(),
            largest: RequestPlace::Container(0),
            largest_amount: Quantity::default(),
            step: None,
        }
    }
}

impl RequestsByTime {
    fn together(&self) -> Quantity {
        self.containers + self.sidecars
    }

    /// The init container that determines the pod's request; `None` if what runs together requests
    /// as much.
    pub fn deciding_step(&self) -> Option<&InitStep> {
        self.step.as_ref().filter(|step| step.total() > self.together())
    }

    fn note(&mut self, place: RequestPlace, amount: Quantity) {
        if amount > self.largest_amount {
            (self.largest, self.largest_amount) = (place, amount);
        }
    }
}

impl ResourceRequests {
    /// The request that determines how much of `resource` the pod requests: that of the pod, else
    /// the largest among those that count together. The overhead is not considered: a RuntimeClass
    /// sets it. Without any request, it is the first container's.
    pub fn deciding(
        &self,
        resource: Sym,
        quantity: impl Fn(Sym) -> Option<Quantity>,
    ) -> WrittenRequest {
        let amount = |requests: &Requests| {
            let entry = requests.iter().find(|(name, _)| *name == resource);
            entry.and_then(|(_, text)| quantity(*text)).unwrap_or_default()
        };
        let by_time = self.by_time(&self.init_containers, |container| container.sidecar, amount);
        if let Some(requests) =
            self.pod_level.as_ref().filter(|list| list.iter().any(|(name, _)| *name == resource))
        {
            let largest_step = by_time.step.as_ref().map(InitStep::total).unwrap_or_default();
            let least = by_time.together().max(largest_step);
            return WrittenRequest { place: RequestPlace::Pod, amount: amount(requests), least };
        }
        let (place, amount) = match by_time.deciding_step() {
            Some(step) => (RequestPlace::InitContainer(step.index), step.own),
            None => (by_time.largest, by_time.largest_amount),
        };
        WrittenRequest { place, amount, least: Quantity::default() }
    }

    /// What the containers request of one resource, by when they run: containers and sidecars
    /// together, an init container with the sidecars before it. `init_containers` are those that
    /// count, and `is_sidecar` says which of them keep running.
    pub fn by_time(
        &self,
        init_containers: &[Container],
        is_sidecar: impl Fn(&Container) -> bool,
        amount: impl Fn(&Requests) -> Quantity,
    ) -> RequestsByTime {
        // Containers run at the same time, so their requests add up.
        let mut by_time = RequestsByTime::default();
        for (index, container) in self.containers.iter().enumerate() {
            let own = amount(&container.requests);
            by_time.containers += own;
            by_time.note(RequestPlace::Container(index), own);
        }
        // Init containers run one after the other, each beside the sidecars before it; the largest
        // step counts.
        for (index, container) in init_containers.iter().enumerate() {
            let own = amount(&container.requests);
            if is_sidecar(container) {
                by_time.sidecars += own;
                if own != Quantity::default() {
                    by_time.sidecar_names.push(container.name);
                }
                by_time.note(RequestPlace::InitContainer(index), own);
                continue;
            }
            let step = InitStep {
                index,
                name: container.name,
                own,
                sidecars: by_time.sidecars,
                sidecar_names: by_time.sidecar_names.clone(),
            };
            if by_time.step.as_ref().is_none_or(|largest| step.total() > largest.total()) {
                by_time.step = Some(step);
            }
        }
        by_time
    }

    /// Sets a request; others stay as they are.
    pub fn write(&mut self, place: RequestPlace, resource: Sym, amount: Sym) {
        if self.containers.is_empty() && matches!(place, RequestPlace::Container(_)) {
            self.containers = Box::new([Container {
                name: Sym::EMPTY,
                requests: Requests::default(),
                sidecar: false,
            }]);
        }
        let requests = match place {
            RequestPlace::Pod => self.pod_level.as_mut(),
            RequestPlace::Container(index) => {
                self.containers.get_mut(index).map(|container| &mut container.requests)
            }
            RequestPlace::InitContainer(index) => {
                self.init_containers.get_mut(index).map(|container| &mut container.requests)
            }
        };
        if let Some(requests) = requests {
            let mut list: Vec<(Sym, Sym)> =
                requests.iter().copied().filter(|(name, _)| *name != resource).collect();
            list.push((resource, amount));
            list.sort_unstable();
            *requests = list.into();
        }
    }

    pub fn read(pod: &wire::Pod, symbols: &mut Symbols) -> Self {
        let status = &pod.status;
        Self {
            containers: pod.spec.containers.iter().map(|c| Container::read(c, symbols)).collect(),
            init_containers: pod
                .spec
                .init_containers
                .iter()
                .map(|c| Container::read(c, symbols))
                .collect(),
            overhead: requests(&pod.spec.overhead, symbols),
            runtime_class: symbols.intern(&pod.spec.runtime_class_name),
            pod_level: pod.spec.resources.requests.as_ref().map(|m| requests(m, symbols)),
            statuses: status
                .container_statuses
                .iter()
                .chain(&status.init_container_statuses)
                .map(|s| KubeletResources::read(s, symbols))
                .collect(),
            pod_actuated: status
                .resources
                .as_ref()
                .map(|r| r.requests.as_ref().map(|m| requests(m, symbols))),
            pod_allocated: status.allocated_resources.as_ref().map(|m| requests(m, symbols)),
            resize_infeasible: status
                .conditions
                .iter()
                .find(|c| c.kind.as_str() == "PodResizePending")
                .is_some_and(|c| c.reason.as_str() == "Infeasible"),
        }
    }

    /// Every list of quantities with its field.
    pub fn lists(&self) -> impl Iterator<Item = (&'static str, &Requests)> {
        let containers =
            self.containers.iter().map(|c| ("spec.containers[].resources.requests", &c.requests));
        let init = self
            .init_containers
            .iter()
            .map(|c| ("spec.initContainers[].resources.requests", &c.requests));
        let statuses = self.statuses.iter().flat_map(|s| {
            let actuated = s
                .actuated
                .iter()
                .flatten()
                .map(|r| ("status.containerStatuses[].resources.requests", r));
            actuated.chain(
                s.allocated.iter().map(|r| ("status.containerStatuses[].allocatedResources", r)),
            )
        });
        containers
            .chain(init)
            .chain(std::iter::once(("spec.overhead", &self.overhead)))
            .chain(self.pod_level.iter().map(|r| ("spec.resources.requests", r)))
            .chain(statuses)
            .chain(self.pod_actuated.iter().flatten().map(|r| ("status.resources.requests", r)))
            .chain(self.pod_allocated.iter().map(|r| ("status.allocatedResources", r)))
    }
}

impl Container {
    fn read(wire: &wire::Container, symbols: &mut Symbols) -> Self {
        Self {
            name: symbols.intern(&wire.name),
            requests: wire
                .resources
                .requests
                .as_ref()
                .map(|m| requests(m, symbols))
                .unwrap_or_default(),
            sidecar: wire.restart_policy.as_str() == "Always",
        }
    }
}

impl KubeletResources {
    fn read(wire: &wire::ContainerStatus, symbols: &mut Symbols) -> Self {
        Self {
            name: symbols.intern(&wire.name),
            allocated: wire.allocated_resources.as_ref().map(|m| requests(m, symbols)),
            actuated: wire
                .resources
                .as_ref()
                .map(|r| r.requests.as_ref().map(|m| requests(m, symbols))),
        }
    }
}

/// A resource list of the API, ordered by the number of the name.
pub fn requests(map: &Map, symbols: &mut Symbols) -> Requests {
    let pairs = map.0.iter();
    let mut list: Vec<_> =
        pairs.map(|(name, quantity)| (symbols.intern(name), symbols.intern(quantity))).collect();
    list.sort_unstable();
    list.into_boxed_slice()
}

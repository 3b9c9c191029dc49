//! Converts device classes, claims and taint rules of the API to [`Devices`]; slices have their own
//! reader.

use super::slices::read::{amounts, node_selector};
use super::{
    Allocated, Allocation, AllocationMode, Ask, ConstraintRule, DeviceClass, DeviceConstraint,
    DeviceId, DeviceRequest, DeviceStatus, DeviceTaint, DeviceToleration, DeviceTolerationOperator,
    Devices, ResourceClaim, Slice, TaintRule, Want,
};
use crate::cluster::reader::{Identity, ReadContext, or_default};
use crate::cluster::symbols::Sym;
use crate::notes::Subject;
use crate::snapshot::{Kind, devices as wire};

/// The API of groups of pods.
const GROUPS: &str = "scheduling.k8s.io/";

/// Value of the annotation of claims that the scheduler created.
const YES: &str = "true";

impl DeviceClass {
    pub(in crate::cluster) fn read(wire: &wire::DeviceClass, reader: &mut ReadContext) -> Self {
        Self {
            name: reader.intern(&wire.metadata.name),
            extended_resource: reader.intern(&wire.spec.extended_resource_name),
            created: wire.metadata.creation_timestamp.parse().ok(),
            selectors: selectors(&wire.spec.selectors, reader),
        }
    }
}

impl TaintRule {
    pub(in crate::cluster) fn read(wire: &wire::DeviceTaintRule, reader: &mut ReadContext) -> Self {
        let selector = wire.spec.device_selector.as_ref();
        let parts = selector.map(|s| [&s.driver, &s.pool, &s.device]);
        Self {
            selector: parts
                .map(|parts| parts.map(|part| part.as_ref().map(|text| reader.intern(text)))),
            taint: DeviceTaint::read(&wire.spec.taint, reader),
            name: reader.intern(&wire.metadata.name),
        }
    }
}

impl ResourceClaim {
    pub(in crate::cluster) fn read(wire: &wire::ResourceClaim, reader: &mut ReadContext) -> Self {
        let (meta, spec, status) = (&wire.metadata, &wire.spec, &wire.status);
        let about = Subject::object(Kind::ResourceClaim, or_default(&meta.namespace), &meta.name);
        let controller = meta.owner_references.iter().find(|o| o.controller);
        Self {
            namespace: reader.namespace(&meta.namespace),
            name: reader.intern(&meta.name),
            deleting: !meta.deletion_timestamp.is_empty(),
            controller_uid: controller.map_or(Box::from(""), |o| Box::from(o.uid.as_str())),
            controller_name: controller.map_or(Sym::EMPTY, |o| reader.intern(&o.name)),
            is_of_group: controller.is_some_and(|o| {
                o.kind.as_str() == "PodGroup" && o.api_version.starts_with(GROUPS)
            }),
            for_extended_resources: meta.annotations.extended_resource_claim.as_str() == YES,
            requests: spec
                .devices
                .requests
                .iter()
                .map(|r| DeviceRequest::read(&about, r, reader))
                .collect(),
            constraints: spec
                .devices
                .constraints
                .iter()
                .map(|c| DeviceConstraint::read(c, reader))
                .collect(),
            allocation: status.allocation.as_ref().map(|a| Allocation::read(&about, a, reader)),
            reserved_for: status.reserved_for.iter().map(|c| Box::from(c.uid.as_str())).collect(),
            device_statuses: status.devices.iter().map(|d| DeviceStatus::read(d, reader)).collect(),
        }
    }
}

fn selectors(wire: &[wire::DeviceSelector], reader: &mut ReadContext) -> Box<[Option<Sym>]> {
    wire.iter().map(|s| s.cel.as_ref().map(|c| reader.intern(&c.expression))).collect()
}

impl DeviceRequest {
    fn read(about: &Subject, wire: &wire::DeviceRequest, reader: &mut ReadContext) -> Self {
        let name = reader.intern(&wire.name);
        let ask = if let Some(exactly) = &wire.exactly {
            Ask::Exactly(Want { name, ..Want::read(about, exactly, reader) })
        } else if !wire.first_available.is_empty() {
            Ask::FirstAvailable(
                wire.first_available.iter().map(|w| Want::read(about, w, reader)).collect(),
            )
        } else if wire.device_class_name.is_empty() {
            Ask::Unknown
        } else {
            Ask::Exactly(Want::read(about, &exact_request(wire), reader))
        };
        Self { name, ask }
    }
}

/// The request of v1beta1, which has the fields of `exactly` inline.
fn exact_request<'a>(wire: &wire::DeviceRequest<'a>) -> wire::ExactRequest<'a> {
    wire::ExactRequest {
        name: wire.name.clone(),
        device_class_name: wire.device_class_name.clone(),
        selectors: wire.selectors.clone(),
        allocation_mode: wire.allocation_mode.clone(),
        tolerations: wire.tolerations.clone(),
        capacity: wire.capacity.clone(),
        count: wire.count,
        admin_access: wire.admin_access,
        derived_attributes: Vec::new(),
    }
}

impl Want {
    fn read(about: &Subject, wire: &wire::ExactRequest, reader: &mut ReadContext) -> Self {
        // The API server defaults the mode, and the count of the default mode.
        let mode = match wire.allocation_mode.as_str() {
            "" | "ExactCount" => AllocationMode::ExactCount,
            "All" => AllocationMode::All,
            other => AllocationMode::Unknown(reader.intern(other)),
        };
        Self {
            name: reader.intern(&wire.name),
            class: reader.intern(&wire.device_class_name),
            selectors: selectors(&wire.selectors, reader),
            mode,
            count: if mode == AllocationMode::ExactCount && wire.count == 0 {
                1
            } else {
                wire.count
            },
            admin_access: wire.admin_access,
            tolerations: wire
                .tolerations
                .iter()
                .map(|t| DeviceToleration::read(t, reader))
                .collect(),
            capacity: wire
                .capacity
                .as_ref()
                .map(|c| amounts(about, "capacity.requests", &c.requests, reader)),
            derived_attributes: (wire.derived_attributes.iter())
                .map(|derived| (reader.intern(&derived.name), reader.intern(&derived.expression)))
                .collect(),
        }
    }
}

impl DeviceToleration {
    fn read(wire: &wire::DeviceToleration, reader: &mut ReadContext) -> Self {
        Self {
            key: reader.intern(&wire.key),
            operator: match wire.operator.as_str() {
                "" | "Equal" => Some(DeviceTolerationOperator::Equal),
                "Exists" => Some(DeviceTolerationOperator::Exists),
                _ => None,
            },
            value: reader.intern(&wire.value),
            effect: reader.intern(&wire.effect),
        }
    }
}

impl DeviceConstraint {
    fn read(wire: &wire::DeviceConstraint, reader: &mut ReadContext) -> Self {
        let rule = match (&wire.match_attribute, &wire.distinct_attribute) {
            (Some(name), _) => ConstraintRule::Match(reader.intern(name)),
            (None, Some(name)) => ConstraintRule::Distinct(reader.intern(name)),
            (None, None) => ConstraintRule::Unknown,
        };
        Self { requests: reader.intern_all(&wire.requests), rule }
    }
}

impl Allocation {
    fn read(about: &Subject, wire: &wire::AllocationResult, reader: &mut ReadContext) -> Self {
        Self {
            nodes: wire.node_selector.as_ref().map(|s| node_selector(s, reader)),
            results: wire
                .devices
                .results
                .iter()
                .map(|r| Allocated::read(about, r, reader))
                .collect(),
            at: wire.allocation_timestamp.parse().ok(),
        }
    }
}

impl Allocated {
    fn read(about: &Subject, wire: &wire::DeviceResult, reader: &mut ReadContext) -> Self {
        let consumed = wire.consumed_capacity.as_ref();
        Self {
            request: reader.intern(&wire.request),
            device: DeviceId::read(&wire.driver, &wire.pool, &wire.device, reader),
            admin_access: wire.admin_access.unwrap_or(false),
            shared: wire.share_id.is_some(),
            consumed: consumed
                .map(|c| amounts(about, "status.allocation consumedCapacity", c, reader)),
            binding_conditions: reader.intern_all(&wire.binding_conditions),
            binding_failure_conditions: reader.intern_all(&wire.binding_failure_conditions),
            skips_node_operations: !wire.skip_node_operations.is_empty(),
        }
    }
}

impl DeviceStatus {
    fn read(wire: &wire::AllocatedDeviceStatus, reader: &mut ReadContext) -> Self {
        let device = DeviceId::read(&wire.driver, &wire.pool, &wire.device, reader);
        let holding = wire.conditions.iter().filter(|c| c.status.as_str() == "True");
        Self { device, true_conditions: holding.map(|c| reader.intern(&c.kind)).collect() }
    }
}

impl DeviceId {
    fn read(driver: &str, pool: &str, device: &str, reader: &mut ReadContext) -> Self {
        Self {
            driver: reader.intern(driver),
            pool: reader.intern(pool),
            device: reader.intern(device),
        }
    }
}

impl Devices {
    /// Sorts all objects by name, and keeps the later of two with the same name.
    pub(in crate::cluster) fn sort(&mut self, reader: &mut ReadContext) {
        reader
            .sort_named(&mut self.classes, |o| Identity::of(Kind::DeviceClass, Sym::EMPTY, o.name));
        reader.sort_named(&mut self.slices, |o: &Slice| {
            Identity::of(Kind::ResourceSlice, Sym::EMPTY, o.name)
        });
        // Devices are numbered through all slices, which only now are in their order.
        let mut devices = 0;
        for slice in &mut self.slices {
            slice.devices_before = devices;
            devices += slice.devices.len();
        }
        reader.sort_named(&mut self.taint_rules, |o| {
            Identity::of(Kind::DeviceTaintRule, Sym::EMPTY, o.name)
        });
        reader.sort_named(&mut self.claims, |o| {
            Identity::of(Kind::ResourceClaim, o.namespace, o.name)
        });
    }
}

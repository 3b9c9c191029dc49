//! Objects of `resource.k8s.io` to their facts.

use super::super::devices::{
    Allocated, Allocation, AllocationMode, Ask, Attribute, Capacity, Claim, Constraint, ConstraintRule, CounterSet,
    Device, DeviceClass, DeviceId, DeviceStatus, DeviceTaint, DeviceToleration, DeviceTolerationOperator, NodeChoice,
    Request, RequestPolicy, Slice, TaintRule, ValidRange, Want,
};
use super::super::node_selector::{NodeSelector, read_term};
use super::super::notes::{Note, subject};
use super::super::quantity::Quantity;
use super::super::symbols::Sym;
use super::Builder;
use crate::snapshot::devices as wire;
use crate::snapshot::{Entries, Map, Str, pod as wire_pod};

/// Value of the annotation of claims that the scheduler made.
const YES: &str = "true";

impl Builder {
    pub(super) fn device_class(&mut self, wire: &wire::DeviceClass) {
        let created = wire.metadata.creation_timestamp.parse().ok();
        let class = DeviceClass {
            name: self.symbols.intern(&wire.metadata.name),
            extended_resource: self.symbols.intern(&wire.spec.extended_resource_name),
            created,
            selectors: self.selectors(&wire.spec.selectors),
        };
        self.devices.classes.push(class);
    }

    pub(super) fn taint_rule(&mut self, wire: &wire::DeviceTaintRule) {
        let selector =
            wire.spec.device_selector.as_ref().map(|s| {
                [&s.driver, &s.pool, &s.device].map(|part| part.as_ref().map(|text| self.symbols.intern(text)))
            });
        let taint = self.device_taint(&wire.spec.taint);
        let name = self.symbols.intern(&wire.metadata.name);
        self.devices.taint_rules.push(TaintRule { name, selector, taint });
    }

    pub(super) fn claim(&mut self, wire: &wire::ResourceClaim) {
        let meta = &wire.metadata;
        let namespace = if meta.namespace.is_empty() { "default" } else { meta.namespace.as_str() };
        let about = subject("ResourceClaim", namespace, &meta.name);
        let controller = meta.owner_references.iter().find(|o| o.controller);
        let claim = Claim {
            namespace: self.symbols.intern(namespace),
            name: self.symbols.intern(&meta.name),
            deleting: !meta.deletion_timestamp.is_empty(),
            controller_uid: controller.map_or(Box::from(""), |o| Box::from(o.uid.as_str())),
            controller_name: controller.map_or(Sym::EMPTY, |o| self.symbols.intern(&o.name)),
            for_extended_resources: meta.annotations.extended_resource_claim.as_str() == YES,
            requests: wire.spec.devices.requests.iter().map(|r| self.request(&about, r)).collect(),
            constraints: wire.spec.devices.constraints.iter().map(|c| self.constraint(c)).collect(),
            allocation: wire.status.allocation.as_ref().map(|a| self.allocation(&about, a)),
            reserved_for: wire.status.reserved_for.iter().map(|c| Box::from(c.uid.as_str())).collect(),
            device_statuses: wire.status.devices.iter().map(|d| self.device_status(d)).collect(),
        };
        self.devices.claims.push(claim);
    }

    fn selectors(&mut self, wire: &[wire::DeviceSelector]) -> Box<[Option<Sym>]> {
        wire.iter().map(|s| s.cel.as_ref().map(|c| self.symbols.intern(&c.expression))).collect()
    }

    fn request(&mut self, about: &str, wire: &wire::DeviceRequest) -> Request {
        let name = self.symbols.intern(&wire.name);
        let ask = if let Some(exactly) = &wire.exactly {
            Ask::Exactly(Want { name, ..self.want(about, exactly) })
        } else if !wire.first_available.is_empty() {
            Ask::FirstAvailable(wire.first_available.iter().map(|w| self.want(about, w)).collect())
        } else if wire.device_class_name.is_empty() {
            Ask::Unknown
        } else {
            let flat = wire::ExactRequest {
                name: wire.name.clone(),
                device_class_name: wire.device_class_name.clone(),
                selectors: wire.selectors.clone(),
                allocation_mode: wire.allocation_mode.clone(),
                tolerations: wire.tolerations.clone(),
                capacity: wire.capacity.clone(),
                count: wire.count,
                admin_access: wire.admin_access,
                derived_attributes: Vec::new(),
            };
            Ask::Exactly(self.want(about, &flat))
        };
        Request { name, ask }
    }

    fn want(&mut self, about: &str, wire: &wire::ExactRequest) -> Want {
        // The API server fills in the mode, and the count with it.
        let mode = match wire.allocation_mode.as_str() {
            "" | "ExactCount" => AllocationMode::ExactCount,
            "All" => AllocationMode::All,
            other => AllocationMode::Unknown(self.symbols.intern(other)),
        };
        Want {
            name: self.symbols.intern(&wire.name),
            class: self.symbols.intern(&wire.device_class_name),
            selectors: self.selectors(&wire.selectors),
            mode,
            count: if mode == AllocationMode::ExactCount && wire.count == 0 { 1 } else { wire.count },
            admin_access: wire.admin_access,
            tolerations: wire.tolerations.iter().map(|t| self.device_toleration(t)).collect(),
            capacity: wire.capacity.as_ref().map(|c| self.amounts(about, "capacity.requests", &c.requests)),
            derived_attributes: !wire.derived_attributes.is_empty(),
        }
    }

    fn device_toleration(&mut self, wire: &wire::DeviceToleration) -> DeviceToleration {
        DeviceToleration {
            key: self.symbols.intern(&wire.key),
            operator: match wire.operator.as_str() {
                "" | "Equal" => Some(DeviceTolerationOperator::Equal),
                "Exists" => Some(DeviceTolerationOperator::Exists),
                _ => None,
            },
            value: self.symbols.intern(&wire.value),
            effect: self.symbols.intern(&wire.effect),
        }
    }

    fn device_taint(&mut self, wire: &wire::DeviceTaint) -> DeviceTaint {
        DeviceTaint {
            key: self.symbols.intern(&wire.key),
            value: self.symbols.intern(&wire.value),
            effect: self.symbols.intern(&wire.effect),
            repels: matches!(wire.effect.as_str(), "NoSchedule" | "NoExecute"),
        }
    }

    fn constraint(&mut self, wire: &wire::DeviceConstraint) -> Constraint {
        let rule = match (&wire.match_attribute, &wire.distinct_attribute) {
            (Some(name), _) => ConstraintRule::Match(self.symbols.intern(name)),
            (None, Some(name)) => ConstraintRule::Distinct(self.symbols.intern(name)),
            (None, None) => ConstraintRule::Unknown,
        };
        Constraint { requests: wire.requests.iter().map(|r| self.symbols.intern(r)).collect(), rule }
    }

    fn allocation(&mut self, about: &str, wire: &wire::AllocationResult) -> Allocation {
        Allocation {
            nodes: wire.node_selector.as_ref().map(|s| self.node_selector(s)),
            results: wire.devices.results.iter().map(|r| self.allocated(about, r)).collect(),
            at: wire.allocation_timestamp.parse().ok(),
        }
    }

    fn allocated(&mut self, about: &str, wire: &wire::DeviceResult) -> Allocated {
        let consumed = wire.consumed_capacity.as_ref();
        Allocated {
            request: self.symbols.intern(&wire.request),
            device: self.device_id(&wire.driver, &wire.pool, &wire.device),
            admin_access: wire.admin_access.unwrap_or(false),
            shared: wire.share_id.is_some(),
            consumed: consumed.map(|c| self.amounts(about, "status.allocation consumedCapacity", c)),
            binding_conditions: wire.binding_conditions.iter().map(|c| self.symbols.intern(c)).collect(),
            binding_failure_conditions: wire
                .binding_failure_conditions
                .iter()
                .map(|c| self.symbols.intern(c))
                .collect(),
            skips_node_operations: !wire.skip_node_operations.is_empty(),
        }
    }

    fn device_status(&mut self, wire: &wire::AllocatedDeviceStatus) -> DeviceStatus {
        let device = self.device_id(&wire.driver, &wire.pool, &wire.device);
        let holding = wire.conditions.iter().filter(|c| c.status.as_str() == "True");
        DeviceStatus { device, true_conditions: holding.map(|c| self.symbols.intern(&c.kind)).collect() }
    }

    fn device_id(&mut self, driver: &str, pool: &str, device: &str) -> DeviceId {
        DeviceId {
            driver: self.symbols.intern(driver),
            pool: self.symbols.intern(pool),
            device: self.symbols.intern(device),
        }
    }

    fn node_selector(&mut self, wire: &wire_pod::NodeSelector) -> NodeSelector {
        wire.node_selector_terms.iter().map(|t| read_term(t, &mut self.symbols)).collect()
    }

    pub(super) fn slice(&mut self, wire: &wire::ResourceSlice) {
        let about = subject("ResourceSlice", "", &wire.metadata.name);
        let spec = &wire.spec;
        let slice = Slice {
            name: self.symbols.intern(&wire.metadata.name),
            driver: self.symbols.intern(&spec.driver),
            pool: self.symbols.intern(&spec.pool.name),
            generation: spec.pool.generation,
            slice_count: spec.pool.resource_slice_count,
            nodes: self.node_choice(&spec.node_name, spec.all_nodes, spec.node_selector.as_ref()),
            per_device: spec.per_device_node_selection,
            counters: spec
                .shared_counters
                .iter()
                .map(|set| self.counters(&about, "spec.sharedCounters", &set.name, &set.counters))
                .collect(),
            devices: spec.devices.iter().map(|d| self.device(&about, d)).collect(),
        };
        self.devices.slices.push(slice);
    }

    fn node_choice(&mut self, name: &str, all: bool, selector: Option<&wire_pod::NodeSelector>) -> NodeChoice {
        NodeChoice { name: self.symbols.intern(name), all, selector: selector.map(|s| self.node_selector(s)) }
    }

    fn counters(&mut self, about: &str, field: &str, name: &str, wire: &Entries<wire::Counter>) -> CounterSet {
        let counters =
            wire.iter().map(|(counter, c)| (self.symbols.intern(counter), self.amount(about, field, &c.value)));
        CounterSet { counters: counters.collect(), name: self.symbols.intern(name) }
    }

    fn device(&mut self, about: &str, wire: &wire::Device) -> Device {
        let basic = wire.basic.as_ref();
        let attributes = basic.map_or(&wire.attributes, |b| &b.attributes);
        let capacity = basic.map_or(&wire.capacity, |b| &b.capacity);
        let consumes = basic.map_or(&wire.consumes_counters, |b| &b.consumes_counters);
        let taints = basic.map_or(&wire.taints, |b| &b.taints);
        Device {
            name: self.symbols.intern(&wire.name),
            attributes: attributes.iter().map(|(name, a)| (self.symbols.intern(name), self.attribute(a))).collect(),
            capacity: capacity.iter().map(|(name, c)| (self.symbols.intern(name), self.capacity(about, c))).collect(),
            consumes: consumes
                .iter()
                .map(|c| self.counters(about, "consumesCounters", &c.counter_set, &c.counters))
                .collect(),
            compatibility_groups: consumes.iter().any(|c| !c.compatibility_groups.is_empty()),
            nodes: match basic {
                Some(b) => self.node_choice(&b.node_name, b.all_nodes, b.node_selector.as_ref()),
                None => self.node_choice(&wire.node_name, wire.all_nodes, wire.node_selector.as_ref()),
            },
            taints: taints.iter().map(|t| self.device_taint(t)).collect(),
            binding_conditions: basic
                .map_or(&wire.binding_conditions, |b| &b.binding_conditions)
                .as_ref()
                .map(Vec::len),
            binds_to_node: basic.map_or(wire.binds_to_node, |b| b.binds_to_node),
            shareable: basic.map_or(wire.allow_multiple_allocations, |b| b.allow_multiple_allocations),
        }
    }

    fn attribute(&mut self, wire: &wire::Attribute) -> Attribute {
        // Parity: lists come first, as in upstream's look-up.
        if let Some(values) = &wire.ints {
            Attribute::List(values.iter().map(|v| Attribute::Int(*v)).collect())
        } else if let Some(values) = &wire.bools {
            Attribute::List(values.iter().map(|v| Attribute::Bool(*v)).collect())
        } else if let Some(values) = &wire.strings {
            Attribute::List(values.iter().map(|v| Attribute::Text(self.symbols.intern(v))).collect())
        } else if let Some(values) = &wire.versions {
            Attribute::List(values.iter().map(|v| Attribute::Version(self.symbols.intern(v))).collect())
        } else if let Some(value) = wire.int {
            Attribute::Int(value)
        } else if let Some(value) = wire.bool {
            Attribute::Bool(value)
        } else if let Some(value) = &wire.string {
            Attribute::Text(self.symbols.intern(value))
        } else if let Some(value) = &wire.version {
            Attribute::Version(self.symbols.intern(value))
        } else {
            Attribute::Unknown
        }
    }

    fn capacity(&mut self, about: &str, wire: &wire::Capacity) -> Capacity {
        let field = "capacity.requestPolicy";
        let policy = wire.request_policy.as_ref().map(|policy| RequestPolicy {
            default: self.optional_amount(about, field, policy.default.as_ref()),
            valid_values: (policy.valid_values.as_ref())
                .map(|values| values.iter().map(|v| self.amount(about, field, v)).collect()),
            valid_range: policy.valid_range.as_ref().map(|range| ValidRange {
                min: self.optional_amount(about, field, range.min.as_ref()),
                max: self.optional_amount(about, field, range.max.as_ref()),
                step: self.optional_amount(about, field, range.step.as_ref()),
            }),
        });
        Capacity { value: self.amount(about, "capacity", &wire.value), policy }
    }

    fn amounts(&mut self, about: &str, field: &str, wire: &Map) -> Box<[(Sym, Quantity)]> {
        wire.0.iter().map(|(name, text)| (self.symbols.intern(name), self.amount(about, field, text))).collect()
    }

    fn optional_amount(&mut self, about: &str, field: &str, text: Option<&Str>) -> Option<Quantity> {
        text.map(|text| self.amount(about, field, text))
    }

    fn amount(&mut self, about: &str, field: &str, text: &Str) -> Quantity {
        Quantity::parse(text).unwrap_or_else(|e| {
            let problem = format!("{field} `{}` is read as 0: {e}", text.as_str());
            self.notes.add("quantities", Note::warning(about, problem));
            Quantity::ZERO
        })
    }

    /// By name; of objects given twice the last counts.
    pub(super) fn sort_devices(&mut self) {
        let (symbols, notes, devices) = (&self.symbols, &mut self.notes, &mut self.devices);
        let mut twice = |kind: &str, namespace: Sym, name: Sym| {
            let about = subject(kind, symbols.text(namespace), symbols.text(name));
            notes.add("devices given twice", super::twice(about));
        };
        devices.classes.sort_by(|a, b| symbols.text(a.name).cmp(symbols.text(b.name)));
        devices.classes = super::keep_last(
            std::mem::take(&mut devices.classes),
            |a, b| a.name == b.name,
            |c| twice("DeviceClass", Sym::EMPTY, c.name),
        );
        devices.slices.sort_by(|a, b| symbols.text(a.name).cmp(symbols.text(b.name)));
        devices.slices = super::keep_last(
            std::mem::take(&mut devices.slices),
            |a, b| a.name == b.name,
            |s| twice("ResourceSlice", Sym::EMPTY, s.name),
        );
        devices.taint_rules.sort_by(|a, b| symbols.text(a.name).cmp(symbols.text(b.name)));
        devices.taint_rules = super::keep_last(
            std::mem::take(&mut devices.taint_rules),
            |a, b| a.name == b.name,
            |r| twice("DeviceTaintRule", Sym::EMPTY, r.name),
        );
        let key = |c: &Claim| (symbols.text(c.namespace), symbols.text(c.name));
        devices.claims.sort_by(|a, b| key(a).cmp(&key(b)));
        devices.claims = super::keep_last(
            std::mem::take(&mut devices.claims),
            |a, b| a.namespace == b.namespace && a.name == b.name,
            |c| twice("ResourceClaim", c.namespace, c.name),
        );
    }
}

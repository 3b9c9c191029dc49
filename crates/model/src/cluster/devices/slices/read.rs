//! Converts slices of the API to [`Slice`], with quantity helpers shared with claims.

use super::{
    CounterSet, Device, DeviceAttribute, DeviceCapacity, DeviceTaint, NodeChoice, RequestPolicy,
    Slice, ValidRange,
};
use crate::cluster::node_selector::{NodeSelector, read_term};
use crate::cluster::notes::QUANTITY;
use crate::cluster::quantity::Quantity;
use crate::cluster::reader::ReadContext;
use crate::cluster::symbols::Sym;
use crate::notes::{Note, ObjectPart, Subject};
use crate::snapshot::{Amount, Entries, Kind, Map, Str, devices as wire, pod as wire_pod};

impl Slice {
    pub(in crate::cluster) fn read(wire: &wire::ResourceSlice, reader: &mut ReadContext) -> Self {
        let about = Subject::object(Kind::ResourceSlice, "", &wire.metadata.name);
        let spec = &wire.spec;
        Self {
            name: reader.intern(&wire.metadata.name),
            driver: reader.intern(&spec.driver),
            pool: reader.intern(&spec.pool.name),
            generation: spec.pool.generation,
            slice_count: spec.pool.resource_slice_count,
            nodes: NodeChoice::read(
                &spec.node_name,
                spec.all_nodes,
                spec.node_selector.as_ref(),
                reader,
            ),
            per_device: spec.per_device_node_selection,
            counters: (spec.shared_counters.iter())
                .map(|set| {
                    CounterSet::read(
                        &about,
                        "spec.sharedCounters",
                        &set.name,
                        &set.counters,
                        reader,
                    )
                })
                .collect(),
            devices: spec.devices.iter().map(|d| Device::read(&about, d, reader)).collect(),
            devices_before: 0,
            skips_node_operations: !spec.skip_node_operations.is_empty(),
        }
    }

    /// Whether one of its devices provides resources of nodes.
    pub(in crate::cluster) fn is_node_allocatable(wire: &wire::ResourceSlice) -> bool {
        wire.spec.devices.iter().any(|d| {
            !d.node_allocatable_resources.is_empty()
                || !d.node_allocatable_resource_mappings.is_empty()
        })
    }
}

impl NodeChoice {
    fn read(
        name: &str,
        all: bool,
        selector: Option<&wire_pod::NodeSelector>,
        reader: &mut ReadContext,
    ) -> Self {
        Self {
            name: reader.intern(name),
            all,
            selector: selector.map(|s| node_selector(s, reader)),
        }
    }
}

impl CounterSet {
    fn read(
        about: &Subject,
        field: &str,
        name: &str,
        wire: &Entries<wire::Counter>,
        reader: &mut ReadContext,
    ) -> Self {
        let counters = wire
            .iter()
            .map(|(counter, c)| (reader.intern(counter), amount(about, field, &c.value, reader)))
            .collect();
        Self { counters, name: reader.intern(name), groups: Box::default() }
    }
}

impl CounterSet {
    fn read_consumed(
        about: &Subject,
        wire: &wire::CounterConsumption,
        reader: &mut ReadContext,
    ) -> Self {
        let set = Self::read(about, "consumesCounters", &wire.counter_set, &wire.counters, reader);
        Self {
            groups: wire.compatibility_groups.iter().map(|group| reader.intern(group)).collect(),
            ..set
        }
    }
}

impl Device {
    /// Reads a device of v1, or of v1beta1, which has every field but the name in `basic`.
    fn read(about: &Subject, wire: &wire::Device, reader: &mut ReadContext) -> Self {
        // Up to v1beta1 the fields of a device are in its field `basic`.
        let basic = wire.basic.as_ref();
        let attributes = basic.map_or(&wire.attributes, |b| &b.attributes);
        let capacity = basic.map_or(&wire.capacity, |b| &b.capacity);
        let consumes = basic.map_or(&wire.consumes_counters, |b| &b.consumes_counters);
        let taints = basic.map_or(&wire.taints, |b| &b.taints);
        let conditions = basic.map_or(&wire.binding_conditions, |b| &b.binding_conditions);
        Self {
            name: reader.intern(&wire.name),
            attributes: attributes
                .iter()
                .map(|(name, a)| (reader.intern(name), DeviceAttribute::read(a, reader)))
                .collect(),
            capacity: (capacity.iter())
                .map(|(name, c)| (reader.intern(name), DeviceCapacity::read(about, c, reader)))
                .collect(),
            consumes: consumes
                .iter()
                .map(|c| CounterSet::read_consumed(about, c, reader))
                .collect(),
            nodes: match basic {
                Some(b) => {
                    NodeChoice::read(&b.node_name, b.all_nodes, b.node_selector.as_ref(), reader)
                }
                None => NodeChoice::read(
                    &wire.node_name,
                    wire.all_nodes,
                    wire.node_selector.as_ref(),
                    reader,
                ),
            },
            taints: taints.iter().map(|t| DeviceTaint::read(t, reader)).collect(),
            binding_conditions: conditions.as_ref().map(Vec::len),
            binds_to_node: basic.map_or(wire.binds_to_node, |b| b.binds_to_node),
            shareable: basic
                .map_or(wire.allow_multiple_allocations, |b| b.allow_multiple_allocations),
        }
    }
}

impl DeviceTaint {
    pub(in crate::cluster::devices) fn read(
        wire: &wire::DeviceTaint,
        reader: &mut ReadContext,
    ) -> Self {
        Self {
            key: reader.intern(&wire.key),
            value: reader.intern(&wire.value),
            effect: reader.intern(&wire.effect),
            repels: matches!(wire.effect.as_str(), "NoSchedule" | "NoExecute"),
        }
    }
}

impl DeviceAttribute {
    /// Parity: upstream checks for a list before a single value.
    fn read(wire: &wire::Attribute, reader: &mut ReadContext) -> Self {
        if let Some(values) = &wire.ints {
            Self::List(values.iter().map(|v| Self::Int(*v)).collect())
        } else if let Some(values) = &wire.bools {
            Self::List(values.iter().map(|v| Self::Bool(*v)).collect())
        } else if let Some(values) = &wire.strings {
            Self::List(values.iter().map(|v| Self::Text(reader.intern(v))).collect())
        } else if let Some(values) = &wire.versions {
            Self::List(values.iter().map(|v| Self::Version(reader.intern(v))).collect())
        } else if let Some(value) = wire.int {
            Self::Int(value)
        } else if let Some(value) = wire.bool {
            Self::Bool(value)
        } else if let Some(value) = &wire.string {
            Self::Text(reader.intern(value))
        } else if let Some(value) = &wire.version {
            Self::Version(reader.intern(value))
        } else {
            Self::Unknown
        }
    }
}

impl DeviceCapacity {
    fn read(about: &Subject, wire: &wire::Capacity, reader: &mut ReadContext) -> Self {
        let policy =
            wire.request_policy.as_ref().map(|policy| RequestPolicy::read(about, policy, reader));
        // A capacity without a value counts as 0, for selectors too.
        let text = if wire.value.is_empty() { Str::from("0") } else { (*wire.value).clone() };
        Self { value: amount(about, "capacity", &text, reader), text: reader.intern(&text), policy }
    }
}

impl RequestPolicy {
    fn read(about: &Subject, wire: &wire::RequestPolicy, reader: &mut ReadContext) -> Self {
        let mut read = |text: &Amount| amount(about, "capacity.requestPolicy", text, reader);
        Self {
            default: wire.default.as_ref().map(&mut read),
            valid_values: wire
                .valid_values
                .as_ref()
                .map(|values| values.iter().map(&mut read).collect()),
            valid_range: wire.valid_range.as_ref().map(|range| ValidRange {
                min: range.min.as_ref().map(&mut read),
                max: range.max.as_ref().map(&mut read),
                step: range.step.as_ref().map(&mut read),
            }),
        }
    }
}

pub(in crate::cluster::devices) fn node_selector(
    wire: &wire_pod::NodeSelector,
    reader: &mut ReadContext,
) -> NodeSelector {
    wire.node_selector_terms.iter().map(|t| read_term(t, &mut reader.symbols)).collect()
}

/// Names and their quantities, in order.
pub(in crate::cluster::devices) fn amounts(
    about: &Subject,
    field: &str,
    wire: &Map,
    reader: &mut ReadContext,
) -> Box<[(Sym, Quantity)]> {
    wire.0
        .iter()
        .map(|(name, text)| (reader.intern(name), amount(about, field, text, reader)))
        .collect()
}

/// A quantity; an invalid one is noted and counts as 0.
fn amount(about: &Subject, field: &str, text: &Str, reader: &mut ReadContext) -> Quantity {
    Quantity::parse(text).unwrap_or_else(|e| {
        let problem = format!("{field} `{}` is read as 0: {e}", text.as_str());
        reader.note(
            about.clone(),
            Note::warning(&QUANTITY, problem).lacking(Some(about.kind()), ObjectPart::Field),
        );
        Quantity::ZERO
    })
}

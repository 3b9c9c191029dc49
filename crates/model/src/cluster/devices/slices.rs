//! Resource slices, in which drivers publish devices, and taint rules.

pub(super) mod read;

use super::DeviceId;
use crate::cluster::node_selector::{NodeFacts, NodeSelector};
use crate::cluster::quantity::Quantity;
use crate::cluster::symbols::{Sym, Symbols};

/// A ResourceSlice.
#[derive(Debug, Clone)]
pub struct Slice {
    pub name: Sym,
    pub driver: Sym,
    pub pool: Sym,
    /// Generation of the pool that it belongs to.
    pub generation: i64,
    /// How many slices that generation has.
    pub slice_count: i64,
    /// Nodes that can use its devices.
    pub nodes: NodeChoice,
    /// `perDeviceNodeSelection`; `None` is Go's nil.
    pub per_device: Option<bool>,
    /// Counters that devices of the pool share.
    pub counters: Box<[CounterSet]>,
    pub devices: Box<[Device]>,
    /// How many devices the slices before it have. Adding the index of a device gives that device's
    /// number in the cluster.
    pub devices_before: usize,
    /// Whether it has `skipNodeOperations`.
    pub skips_node_operations: bool,
}

impl Slice {
    /// The slice of a copy of a node: those of its devices that are for this node alone. `None` if
    /// there are none.
    pub(super) fn for_copy(&self, node: NodeFacts, copy: Sym) -> Option<Self> {
        let mut slice = self.clone();
        if self.per_device != Some(true) {
            slice.nodes = self.nodes.for_copy(node, copy)?;
            return Some(slice);
        }
        let of_copy = self.devices.iter().filter_map(|device| {
            Some(Device { nodes: device.nodes.for_copy(node, copy)?, ..device.clone() })
        });
        slice.devices = of_copy.collect();
        // Those of other nodes take from the same counters.
        let shares = self.devices.len() > slice.devices.len()
            && slice.devices.iter().any(|device| !device.consumes.is_empty());
        (!slice.devices.is_empty() && !shares).then_some(slice)
    }

    /// Whether it has devices for a node and others, but not for the copy of that node.
    pub(super) fn leaves_out(&self, node: NodeFacts, copy: NodeFacts, symbols: &Symbols) -> bool {
        let leaves_out = |nodes: &NodeChoice| {
            nodes.matches(node, symbols) == Ok(true) && nodes.matches(copy, symbols) == Ok(false)
        };
        let is_copied = self.for_copy(node, copy.name).is_some();
        if self.per_device != Some(true) {
            return !is_copied && leaves_out(&self.nodes);
        }
        self.devices.iter().map(|device| &device.nodes).any(|nodes| {
            leaves_out(nodes) && !(is_copied && nodes.for_copy(node, copy.name).is_some())
        })
    }

    /// Whether one of its devices declares a compatibility group.
    pub fn has_compatibility_groups(&self) -> bool {
        self.devices.iter().flat_map(|device| &device.consumes).any(|set| !set.groups.is_empty())
    }
}

/// Which nodes can use a device.
#[derive(Debug, Clone, Default)]
pub struct NodeChoice {
    /// The node of this name, if not empty.
    pub name: Sym,
    pub all: bool,
    /// The nodes that are selected.
    pub selector: Option<NodeSelector>,
}

/// A node selector that cannot be parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unparsable;

impl NodeChoice {
    /// Whether any node is chosen.
    pub fn is_set(&self) -> bool {
        !self.name.is_empty() || self.all || self.selector.is_some()
    }

    /// The same choice of a copy of a node, if this one names that node alone.
    pub(super) fn for_copy(&self, node: NodeFacts, copy: Sym) -> Option<Self> {
        if !self.name.is_empty() {
            return (self.name == node.name).then(|| Self { name: copy, ..self.clone() });
        }
        let terms = self.selector.as_ref().filter(|terms| !terms.is_empty() && !self.all)?;
        let terms = terms.iter().map(|term| term.for_copy(node, copy));
        Some(Self { selector: Some(terms.collect::<Option<_>>()?), ..self.clone() })
    }

    /// Whether the node is chosen.
    ///
    /// # Errors
    /// When a term of the selector cannot be parsed.
    pub fn matches(&self, node: NodeFacts, symbols: &Symbols) -> Result<bool, Unparsable> {
        if !self.name.is_empty() {
            return Ok(self.name == node.name);
        }
        match &self.selector {
            _ if self.all => Ok(true),
            None => Ok(false),
            Some(terms) if terms.iter().any(|t| t.parsed.is_err()) => Err(Unparsable),
            Some(terms) => Ok(terms.iter().any(|t| t.matches(node, symbols))),
        }
    }
}

/// Counters of one name.
#[derive(Debug, Clone)]
pub struct CounterSet {
    pub name: Sym,
    /// Counter to amount.
    pub counters: Box<[(Sym, Quantity)]>,
    /// `compatibilityGroups` of a device that consumes them.
    pub groups: Box<[Sym]>,
}

#[derive(Debug, Clone)]
pub struct Device {
    pub name: Sym,
    /// Attributes by name as written: `domain/name`, or `name` in the driver's domain.
    pub attributes: Box<[(Sym, DeviceAttribute)]>,
    /// Capacity by name as written.
    pub capacity: Box<[(Sym, DeviceCapacity)]>,
    /// `consumesCounters`: what it uses of shared counters.
    pub consumes: Box<[CounterSet]>,
    /// Nodes that can use it, with `perDeviceNodeSelection`.
    pub nodes: NodeChoice,
    /// Taints, without those of taint rules.
    pub taints: Box<[DeviceTaint]>,
    /// How many `bindingConditions` it has; `None` is Go's nil.
    pub binding_conditions: Option<usize>,
    /// `bindsToNode`: an allocation with it can be used on the chosen node only.
    pub binds_to_node: bool,
    /// Whether several claims may share it.
    pub shareable: bool,
}

/// Value of an attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeviceAttribute {
    /// A number.
    Int(i64),
    /// A boolean.
    Bool(bool),
    Text(Sym),
    /// A semantic version.
    Version(Sym),
    /// Several values of one type (alpha).
    List(Box<[DeviceAttribute]>),
    /// A type that is not known.
    Unknown,
}

#[derive(Debug, Clone)]
pub struct DeviceCapacity {
    /// The available amount.
    pub value: Quantity,
    /// The same as written, for selectors.
    pub text: Sym,
    /// Which amounts may be requested.
    pub policy: Option<RequestPolicy>,
}

/// Which amounts of a capacity may be requested.
#[derive(Debug, Clone, Default)]
pub struct RequestPolicy {
    /// Used if nothing is requested.
    pub default: Option<Quantity>,
    /// The amounts, ascending.
    pub valid_values: Option<Box<[Quantity]>>,
    /// Or a range of them.
    pub valid_range: Option<ValidRange>,
}

/// A range of amounts.
#[derive(Debug, Clone, Copy, Default)]
pub struct ValidRange {
    /// Smallest.
    pub min: Option<Quantity>,
    /// Largest.
    pub max: Option<Quantity>,
    /// Distance between amounts.
    pub step: Option<Quantity>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeviceTaint {
    pub key: Sym,
    pub value: Sym,
    /// Effect, as written.
    pub effect: Sym,
    /// Whether the effect is `NoSchedule` or `NoExecute`: only a toleration allows an allocation.
    pub repels: bool,
}

/// A DeviceTaintRule.
#[derive(Debug, Clone)]
pub struct TaintRule {
    pub name: Sym,
    /// Driver, pool and device that are tainted, `None` for any.
    pub selector: Option<[Option<Sym>; 3]>,
    pub taint: DeviceTaint,
}

impl TaintRule {
    /// Whether it taints a device. `needs_selector`: without a selector it taints none, and not
    /// all.
    pub fn matches(&self, id: DeviceId, needs_selector: bool) -> bool {
        let parts = [id.driver, id.pool, id.device];
        self.selector.map_or(!needs_selector, |wanted| {
            wanted.iter().zip(parts).all(|(w, part)| w.is_none_or(|w| w == part))
        })
    }
}

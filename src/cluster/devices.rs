//! Devices: what drivers publish, what claims ask for and hold. Empty and free of cost in a cluster without them.

use jiff::Timestamp;

use super::node_selector::{NodeFacts, NodeSelector};
use super::quantity::Quantity;
use super::symbols::{Sym, Symbols};

/// Prefix of the extended resource that every device class stands for.
pub const CLASS_RESOURCE_PREFIX: &str = "deviceclass.resource.kubernetes.io/";

/// Everything of `resource.k8s.io`.
#[derive(Debug, Clone, Default)]
pub struct Devices {
    /// Device classes by name.
    pub classes: Vec<DeviceClass>,
    /// Claims by namespace and name.
    pub claims: Vec<Claim>,
    /// Slices by name.
    pub slices: Vec<Slice>,
    /// Taint rules by name.
    pub taint_rules: Vec<TaintRule>,
}

impl Devices {
    /// The class of that name.
    #[must_use]
    pub fn class(&self, name: Sym) -> Option<&DeviceClass> {
        self.classes.iter().find(|c| c.name == name)
    }

    /// The claim of that namespace and name.
    #[must_use]
    pub fn claim(&self, namespace: Sym, name: Sym) -> Option<ClaimIx> {
        let found = self.claims.iter().position(|c| c.namespace == namespace && c.name == name)?;
        Some(ClaimIx(u32::try_from(found).unwrap_or(u32::MAX)))
    }

    /// The claim with an index of this cluster.
    #[must_use]
    pub fn get(&self, claim: ClaimIx) -> Option<&Claim> {
        self.claims.get(claim.0 as usize)
    }

    /// The class that stands for an extended resource: the youngest, of equal age the first by name.
    ///
    /// Upstream: `dynamic-resource-allocation/deviceclass/extendedresourcecache` (1.37).
    #[must_use]
    pub fn class_for(&self, resource: Sym, symbols: &Symbols) -> Option<&DeviceClass> {
        if let Some(name) = symbols.text(resource).strip_prefix(CLASS_RESOURCE_PREFIX) {
            return self.classes.iter().find(|c| symbols.text(c.name) == name);
        }
        let mut named = self.classes.iter().filter(|c| c.extended_resource == resource && !resource.is_empty());
        let first = named.next()?;
        Some(named.fold(first, |best, class| if class.created > best.created { class } else { best }))
    }
}

/// A DeviceClass.
#[derive(Debug, Clone)]
pub struct DeviceClass {
    /// Name.
    pub name: Sym,
    /// `spec.extendedResourceName`; may be empty.
    pub extended_resource: Sym,
    /// When it was created.
    pub created: Option<Timestamp>,
    /// CEL expressions that its devices fulfil; `None` for a selector of another kind.
    pub selectors: Box<[Option<Sym>]>,
}

/// Index of a claim in [`Devices::claims`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClaimIx(pub u32);

/// A ResourceClaim.
#[derive(Debug, Clone)]
pub struct Claim {
    /// Namespace.
    pub namespace: Sym,
    /// Name.
    pub name: Sym,
    /// Whether it is being deleted.
    pub deleting: bool,
    /// UID of its controller.
    pub controller_uid: Box<str>,
    /// Name of its controller.
    pub controller_name: Sym,
    /// Whether the scheduler made it for extended resources.
    pub for_extended_resources: bool,
    /// `spec.devices.requests`.
    pub requests: Box<[Request]>,
    /// `spec.devices.constraints`.
    pub constraints: Box<[Constraint]>,
    /// `status.allocation`.
    pub allocation: Option<Allocation>,
    /// UIDs of `status.reservedFor`.
    pub reserved_for: Box<[Box<str>]>,
    /// `status.devices`.
    pub device_statuses: Box<[DeviceStatus]>,
}

/// One of the requests of a claim.
#[derive(Debug, Clone)]
pub struct Request {
    /// Name.
    pub name: Sym,
    /// What is asked for.
    pub ask: Ask,
}

/// The sort of a request.
#[derive(Debug, Clone)]
pub enum Ask {
    /// Devices of one description.
    Exactly(Want),
    /// The first description of several that can be had.
    FirstAvailable(Box<[Want]>),
    /// A sort that is not known.
    Unknown,
}

/// A description of devices.
#[derive(Debug, Clone)]
pub struct Want {
    /// Name of the alternative, or of the request.
    pub name: Sym,
    /// Device class; may be empty.
    pub class: Sym,
    /// CEL expressions; `None` for a selector of another kind.
    pub selectors: Box<[Option<Sym>]>,
    /// How many.
    pub mode: AllocationMode,
    /// With [`AllocationMode::ExactCount`].
    pub count: i64,
    /// `adminAccess`.
    pub admin_access: Option<bool>,
    /// Taints that do not matter.
    pub tolerations: Box<[DeviceToleration]>,
    /// `capacity`: amounts of a shared device; `None` if the field is absent.
    pub capacity: Option<Box<[(Sym, Quantity)]>>,
    /// Whether it has `derivedAttributes`, which need an alpha gate.
    pub derived_attributes: bool,
}

/// How many devices a request wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AllocationMode {
    /// A number.
    ExactCount,
    /// All that there are.
    All,
    /// Not known.
    Unknown(Sym),
}

/// `tolerations[]` of a request.
#[derive(Debug, Clone)]
pub struct DeviceToleration {
    /// Empty: any key.
    pub key: Sym,
    /// How values compare; `None` tolerates nothing.
    pub operator: Option<DeviceTolerationOperator>,
    /// Compared by `Equal`.
    pub value: Sym,
    /// Empty: any effect.
    pub effect: Sym,
}

/// `tolerations[].operator` of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceTolerationOperator {
    /// Same value.
    Equal,
    /// Any value.
    Exists,
}

/// A condition on devices of several requests.
#[derive(Debug, Clone)]
pub struct Constraint {
    /// Requests it is about; none: all.
    pub requests: Box<[Sym]>,
    /// What it says.
    pub rule: ConstraintRule,
}

/// What a constraint says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConstraintRule {
    /// All devices have the same value of an attribute.
    Match(Sym),
    /// No two devices have the same value of an attribute.
    Distinct(Sym),
    /// Not known.
    Unknown,
}

/// What a claim holds.
#[derive(Debug, Clone)]
pub struct Allocation {
    /// Nodes on which it can be used; `None`: all.
    pub nodes: Option<NodeSelector>,
    /// Its devices.
    pub results: Box<[Allocated]>,
    /// When it was allocated.
    pub at: Option<Timestamp>,
}

/// A device that a claim holds.
#[derive(Debug, Clone)]
pub struct Allocated {
    /// Request, or `request/alternative`.
    pub request: Sym,
    /// The device.
    pub device: DeviceId,
    /// Held without being used up.
    pub admin_access: bool,
    /// Whether it is a share of the device.
    pub shared: bool,
    /// What the share takes; `None` if that is not said.
    pub consumed: Option<Box<[(Sym, Quantity)]>>,
    /// Conditions that must hold before the pod is bound.
    pub binding_conditions: Box<[Sym]>,
    /// Conditions that say that binding failed.
    pub binding_failure_conditions: Box<[Sym]>,
    /// Whether it has `skipNodeOperations`.
    pub skips_node_operations: bool,
}

/// A device's full name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeviceId {
    /// Driver.
    pub driver: Sym,
    /// Pool.
    pub pool: Sym,
    /// Device.
    pub device: Sym,
}

/// What a driver says of an allocated device.
#[derive(Debug, Clone)]
pub struct DeviceStatus {
    /// The device.
    pub device: DeviceId,
    /// Types of the conditions that are True.
    pub true_conditions: Box<[Sym]>,
}

/// A ResourceSlice.
#[derive(Debug, Clone)]
pub struct Slice {
    /// Name.
    pub name: Sym,
    /// Driver.
    pub driver: Sym,
    /// Pool.
    pub pool: Sym,
    /// Generation of the pool that it belongs to.
    pub generation: i64,
    /// How many slices that generation has.
    pub slice_count: i64,
    /// Nodes that can use its devices.
    pub nodes: NodeChoice,
    /// Whether every device says so for itself; `None` is Go's nil.
    pub per_device: Option<bool>,
    /// Counters that devices of the pool share.
    pub counters: Box<[CounterSet]>,
    /// Devices.
    pub devices: Box<[Device]>,
}

/// Which nodes can use a device.
#[derive(Debug, Clone, Default)]
pub struct NodeChoice {
    /// This one, if not empty.
    pub name: Sym,
    /// All.
    pub all: bool,
    /// Those selected.
    pub selector: Option<NodeSelector>,
}

/// A node selector that cannot be parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unparsable;

impl NodeChoice {
    /// Whether anything is said.
    #[must_use]
    pub fn is_set(&self) -> bool {
        !self.name.is_empty() || self.all || self.selector.is_some()
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
            Some(terms) if terms.iter().any(|t| t.parsed.is_none()) => Err(Unparsable),
            Some(terms) => Ok(terms.iter().any(|t| t.matches(node, symbols))),
        }
    }
}

/// Counters of one name.
#[derive(Debug, Clone)]
pub struct CounterSet {
    /// Name.
    pub name: Sym,
    /// Counter to amount.
    pub counters: Box<[(Sym, Quantity)]>,
}

/// A device.
#[derive(Debug, Clone)]
pub struct Device {
    /// Name.
    pub name: Sym,
    /// Attributes by name as written: `domain/name`, or `name` in the driver's domain.
    pub attributes: Box<[(Sym, Attribute)]>,
    /// Capacity by name as written.
    pub capacity: Box<[(Sym, Capacity)]>,
    /// What it takes of shared counters.
    pub consumes: Box<[CounterSet]>,
    /// Whether it declares compatibility groups, which need an alpha gate.
    pub compatibility_groups: bool,
    /// Nodes that can use it, where the slice leaves that to the devices.
    pub nodes: NodeChoice,
    /// Taints, those of taint rules apart.
    pub taints: Box<[DeviceTaint]>,
    /// How many `bindingConditions` it has; `None` is Go's nil.
    pub binding_conditions: Option<usize>,
    /// Whether it can only be used where it is allocated.
    pub binds_to_node: bool,
    /// Whether several claims may share it.
    pub shareable: bool,
}

/// Value of an attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attribute {
    /// A number.
    Int(i64),
    /// A truth value.
    Bool(bool),
    /// A text.
    Text(Sym),
    /// A semantic version.
    Version(Sym),
    /// Several values of one sort (alpha).
    List(Box<[Attribute]>),
    /// Nothing that is known.
    Unknown,
}

/// A capacity.
#[derive(Debug, Clone)]
pub struct Capacity {
    /// How much there is.
    pub value: Quantity,
    /// Which amounts may be asked for.
    pub policy: Option<RequestPolicy>,
}

/// Which amounts of a capacity may be asked for.
#[derive(Debug, Clone, Default)]
pub struct RequestPolicy {
    /// Taken if nothing is asked for.
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

/// A taint of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeviceTaint {
    /// Key.
    pub key: Sym,
    /// Value.
    pub value: Sym,
    /// Effect, as written.
    pub effect: Sym,
    /// Whether the effect keeps claims away.
    pub repels: bool,
}

/// A DeviceTaintRule.
#[derive(Debug, Clone)]
pub struct TaintRule {
    /// Name.
    pub name: Sym,
    /// Driver, pool and device it is about, `None` for any; without a selector it is about none.
    pub selector: Option<[Option<Sym>; 3]>,
    /// The taint.
    pub taint: DeviceTaint,
}

impl TaintRule {
    /// Whether it taints a device.
    #[must_use]
    pub fn matches(&self, id: DeviceId) -> bool {
        let parts = [id.driver, id.pool, id.device];
        self.selector.is_some_and(|wanted| wanted.iter().zip(parts).all(|(w, part)| w.is_none_or(|w| w == part)))
    }
}

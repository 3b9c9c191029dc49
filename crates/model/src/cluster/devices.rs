//! Objects of dynamic resource allocation: device classes, claims, and the slices and taint rules
//! of `slices`.

mod read;
mod slices;

use jiff::Timestamp;

use super::node_selector::{NodeFacts, NodeSelector};
use super::quantity::Quantity;
use super::symbols::{Sym, Symbols};

pub use slices::{
    CounterSet, Device, DeviceAttribute, DeviceCapacity, DeviceTaint, NodeChoice, RequestPolicy,
    Slice, TaintRule, Unparsable, ValidRange,
};

/// Prefix of the implicit extended resource of every device class.
pub const CLASS_RESOURCE_PREFIX: &str = "deviceclass.resource.kubernetes.io/";

/// Everything of `resource.k8s.io`.
#[derive(Debug, Clone, Default)]
pub struct Devices {
    /// Device classes by name.
    pub classes: Vec<DeviceClass>,
    /// Claims by namespace and name.
    pub claims: Vec<ResourceClaim>,
    /// Slices by name.
    pub slices: Vec<Slice>,
    /// Taint rules by name.
    pub taint_rules: Vec<TaintRule>,
    /// Copied nodes whose model shares devices by its name, each with the slice: whether the driver
    /// offers them to a new node is not known.
    pub not_copied: Vec<(Sym, Sym)>,
    /// Whether a device provides resources of its node, such as cpu, or a pod has got such from a
    /// claim (alpha).
    pub node_allocatable: bool,
}

impl Devices {
    pub fn class(&self, name: Sym) -> Option<&DeviceClass> {
        self.classes.iter().find(|c| c.name == name)
    }

    pub fn claim(&self, namespace: Sym, name: Sym) -> Option<ClaimIx> {
        let index = self.claims.iter().position(|c| c.namespace == namespace && c.name == name)?;
        Some(ClaimIx(u32::try_from(index).unwrap_or(u32::MAX)))
    }

    /// The claim with an index of this cluster.
    pub fn get(&self, claim: ClaimIx) -> Option<&ResourceClaim> {
        self.claims.get(claim.0 as usize)
    }

    /// Adds a claim that holds devices for the extended resources of a pod of a namespace.
    pub fn add_holder(&mut self, namespace: Sym) -> ClaimIx {
        self.claims.push(ResourceClaim {
            namespace,
            name: Sym::EMPTY,
            deleting: false,
            controller_uid: Box::default(),
            controller_name: Sym::EMPTY,
            is_of_group: false,
            for_extended_resources: false,
            requests: Box::default(),
            constraints: Box::default(),
            allocation: None,
            reserved_for: Box::default(),
            device_statuses: Box::default(),
        });
        ClaimIx(u32::try_from(self.claims.len() - 1).unwrap_or(u32::MAX))
    }

    /// Gives devices to a claim.
    pub fn allocate(&mut self, claim: ClaimIx, allocation: Allocation) {
        if let Some(claim) = self.claims.get_mut(claim.0 as usize) {
            claim.allocation = Some(allocation);
        }
    }

    /// Takes its devices from a claim that no other pod uses, as PostFilter of DynamicResources does,
    /// which deletes a claim of its own.
    pub fn give_up(&mut self, claim: ClaimIx) {
        let Some(claim) = self.claims.get_mut(claim.0 as usize) else { return };
        claim.allocation = None;
        claim.reserved_for = Box::default();
        claim.device_statuses = Box::default();
        claim.for_extended_resources = false;
    }

    /// Reserves a claim for the pod that [`super::Cluster::claim_user`] names like this.
    pub fn reserve(&mut self, claim: ClaimIx, user: &str) {
        let Some(claim) = self.claims.get_mut(claim.0 as usize) else { return };
        if !claim.reserved_for.iter().any(|reserved| **reserved == *user) {
            let users = claim.reserved_for.iter().cloned().chain([Box::from(user)]);
            claim.reserved_for = users.collect();
        }
    }

    /// Adds the devices that are for one node alone for a copy of it, as its drivers would publish
    /// them: in pools of its own. Devices for several nodes are those that are there.
    pub(crate) fn add_slices_like(
        &mut self,
        model: NodeFacts,
        copy: NodeFacts,
        symbols: &mut Symbols,
    ) {
        let new = copy.name;
        let lost = self.slices.iter().filter(|slice| slice.leaves_out(model, copy, symbols));
        self.not_copied.extend(lost.map(|slice| (new, slice.name)));
        let of_copy = |slice: &Slice| slice.for_copy(model, new);
        let slices: Vec<Slice> = self.slices.iter().filter_map(of_copy).collect();
        let size = |all: &[Slice], of: &Slice| {
            let of_pool = |one: &&Slice| {
                (one.driver, one.pool, one.generation) == (of.driver, of.pool, of.generation)
            };
            i64::try_from(all.iter().filter(of_pool).count()).unwrap_or(i64::MAX)
        };
        // A pool lacks as many slices as the one that it is like.
        let counts: Vec<i64> = slices
            .iter()
            .map(|slice| slice.slice_count - size(&self.slices, slice) + size(&slices, slice))
            .collect();
        for (mut slice, count) in slices.into_iter().zip(counts) {
            slice.slice_count = count;
            let pool = if slice.pool == model.name {
                symbols.text(new).to_owned()
            } else {
                format!("{}-{}", symbols.text(slice.pool), symbols.text(new))
            };
            let name = format!("{}-{}", symbols.text(slice.name), symbols.text(new));
            (slice.pool, slice.name) = (symbols.intern(&pool), symbols.intern(&name));
            slice.devices_before = self
                .slices
                .iter()
                .map(|other| other.devices_before + other.devices.len())
                .max()
                .unwrap_or_default();
            self.slices.push(slice);
        }
    }

    /// Releases the reservations of a user, and the devices of claims that are then reserved for no
    /// pod.
    pub(super) fn release(&mut self, user: &str) {
        for claim in &mut self.claims {
            if claim.reserved_for.iter().any(|reserved| **reserved == *user) {
                claim.reserved_for =
                    claim.reserved_for.iter().filter(|other| ***other != *user).cloned().collect();
                if claim.reserved_for.is_empty() {
                    claim.allocation = None;
                    claim.device_statuses = Box::default();
                }
            }
        }
    }
}

/// A DeviceClass.
#[derive(Debug, Clone)]
pub struct DeviceClass {
    pub name: Sym,
    /// `spec.extendedResourceName`; may be empty.
    pub extended_resource: Sym,
    /// When it was created.
    pub created: Option<Timestamp>,
    /// CEL expressions that select its devices; `None` for a selector of another kind.
    pub selectors: Box<[Option<Sym>]>,
}

/// Index of a claim in [`Devices::claims`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClaimIx(pub u32);

/// A ResourceClaim.
#[derive(Debug, Clone)]
pub struct ResourceClaim {
    pub namespace: Sym,
    pub name: Sym,
    /// Whether it is being deleted.
    pub deleting: bool,
    pub controller_uid: Box<str>,
    pub controller_name: Sym,
    /// Whether its controller is a PodGroup.
    pub is_of_group: bool,
    /// Whether the scheduler created it for extended resources.
    pub for_extended_resources: bool,
    /// `spec.devices.requests`.
    pub requests: Box<[DeviceRequest]>,
    /// `spec.devices.constraints`.
    pub constraints: Box<[DeviceConstraint]>,
    /// `status.allocation`.
    pub allocation: Option<Allocation>,
    /// UIDs of `status.reservedFor`, and pods without one that a simulation has placed.
    pub reserved_for: Box<[Box<str>]>,
    /// `status.devices`.
    pub device_statuses: Box<[DeviceStatus]>,
}

#[derive(Debug, Clone)]
pub struct DeviceRequest {
    pub name: Sym,
    pub ask: Ask,
}

/// The kind of a request.
#[derive(Debug, Clone)]
pub enum Ask {
    /// `exactly`: devices of one description.
    Exactly(Want),
    /// `firstAvailable`: the first of several descriptions that can be allocated.
    FirstAvailable(Box<[Want]>),
    /// A kind that is not known.
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
    /// `allocationMode`.
    pub mode: AllocationMode,
    /// Number of devices with [`AllocationMode::ExactCount`].
    pub count: i64,
    /// `adminAccess`.
    pub admin_access: Option<bool>,
    /// Tolerations of device taints.
    pub tolerations: Box<[DeviceToleration]>,
    /// `capacity`: amounts of a shared device; `None` if the field is absent.
    pub capacity: Option<Box<[(Sym, Quantity)]>>,
    /// `derivedAttributes` (alpha): attributes for constraints, each with its expression.
    pub derived_attributes: Box<[(Sym, Sym)]>,
}

/// `allocationMode` of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AllocationMode {
    /// A number.
    ExactCount,
    /// All devices that match.
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

/// A constraint on the devices of several requests.
#[derive(Debug, Clone)]
pub struct DeviceConstraint {
    /// Names of the constrained requests; empty for all.
    pub requests: Box<[Sym]>,
    pub rule: ConstraintRule,
}

/// The kind of a constraint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConstraintRule {
    /// All devices have the same value of an attribute.
    Match(Sym),
    /// No two devices have the same value of an attribute.
    Distinct(Sym),
    /// Not known.
    Unknown,
}

/// The allocation of a claim.
#[derive(Debug, Clone)]
pub struct Allocation {
    /// Nodes on which it can be used; `None`: all.
    pub nodes: Option<NodeSelector>,
    pub results: Box<[Allocated]>,
    /// When it was allocated.
    pub at: Option<Timestamp>,
}

/// An allocated device of a claim.
#[derive(Debug, Clone)]
pub struct Allocated {
    /// Request, or `request/alternative`.
    pub request: Sym,
    pub device: DeviceId,
    /// `adminAccess`: the device stays available for other claims.
    pub admin_access: bool,
    /// Whether it is a share of the device.
    pub shared: bool,
    /// `consumedCapacity`; `None` if the field is absent.
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
    pub driver: Sym,
    pub pool: Sym,
    pub device: Sym,
}

impl DeviceId {
    /// `driver/pool/device`.
    pub fn text(self, symbols: &Symbols) -> String {
        let Self { driver, pool, device } = self;
        [driver, pool, device].map(|part| symbols.text(part)).join("/")
    }
}

/// The status of an allocated device, which its driver writes.
#[derive(Debug, Clone)]
pub struct DeviceStatus {
    pub device: DeviceId,
    /// Types of the conditions that are True.
    pub true_conditions: Box<[Sym]>,
}

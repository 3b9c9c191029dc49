//! Dynamic resource allocation: which devices can be allocated to claims on a node.
//!
//! Upstream: `dynamic-resource-allocation/structured`, in the variant that the gates select:
//! `experimental` in 1.34, `incubating` since (1.35 to 1.37), and what `experimental` adds to it
//! for the alpha gates that are known here (1.37).

pub mod cel;
pub mod class_totals;
pub mod device_selectors;
pub mod in_use;
pub mod pools;

mod capacity;
mod compatibility;
mod constraints;
mod counters;
mod derived;
mod diagnose;
mod grant;
mod requests;
mod search;
mod search_state;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use class_totals::{ClassTotals, Selectors, class_for};
use derived::Derivations;
use device_selectors::{CompiledSelector, Derivation, DeviceSelectors};
pub use diagnose::Shortage;
pub use grant::Grant;
use in_use::AllocatedDevices;
use model::cluster::devices::{DeviceConstraint, DeviceId, DeviceRequest};
use model::cluster::{Cluster, NodeIx, Sym};
use pools::Pools;
use profile::history::DynamicResources;

/// A claim that is not allocated yet.
#[derive(Debug, Clone, Copy)]
pub struct Unallocated<'a> {
    pub namespace: &'a str,
    pub name: &'a str,
    pub requests: &'a [DeviceRequest],
    pub constraints: &'a [DeviceConstraint],
}

/// Why the search for devices failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AllocationError {
    /// Only this node is rejected: its pools contradict each other.
    InvalidPools,
    /// A request for all devices includes a pool that cannot be used.
    UnusablePool {
        /// Namespace and name.
        claim: String,
        request: String,
        /// Driver and name.
        pool: String,
        /// What is wrong with the pool.
        state: &'static str,
    },
    /// The cycle ends with this error.
    Cycle(String),
    /// The search exceeded its limit.
    TooLong,
    /// kube-scheduler panics: it compares the request with a device that does not exist.
    NoSuchDevice,
    /// kube-scheduler panics: it looks up counters in a pool that the request does not have.
    NoPoolOfCounters,
    /// kube-scheduler panics: it evaluates the expression of a selector of a class that has none.
    NoExpressionInClass,
}

/// What an allocation needs that depends neither on the node nor on the claims.
pub struct Allocator<'c> {
    cluster: &'c Cluster,
    features: &'c DynamicResources,
    pools: Pools<'c>,
    in_use: AllocatedDevices,
    selectors: BTreeMap<Sym, Arc<CompiledSelector>>,
    derivations: Derivations,
    /// Steps of a search on one node that is not expected to be long.
    search_steps: u64,
}

/// Whether constraints compare attributes as sets. Parity: 1.36 passes the gate on to selectors
/// only.
fn compares_lists(features: &DynamicResources) -> bool {
    features.dra_list_attributes && features.dra_list_constraints
}

/// Whether the gates select the variant that supports alpha features (1.37).
fn is_experimental(features: &DynamicResources) -> bool {
    features.dra_compatibility_groups
        || features.dra_optional_node_operations
        || features.dra_derived_attributes
        || compares_lists(features)
}

/// Whether the variant that the gates select supports `distinctAttribute` and knows capacity
/// requests, if only to reject them: the experimental one up to 1.35, and all but the stable one
/// since.
fn knows_capacity(features: &DynamicResources) -> bool {
    features.dra_consumable_capacity
        || features.dra_binding_conditions
        || (features.dra_device_status && features.dra_status_is_experimental)
        || is_experimental(features)
}

/// The declared feature of nodes that allocations with `skipNodeOperations` need.
const NODE_OPERATIONS: &str = "DRAOptionalNodeOperations";

/// Whether the node declares that it can skip operations on devices.
pub fn declares_node_operations(cluster: &Cluster, node: NodeIx) -> bool {
    cluster
        .node(node)
        .declared_features
        .iter()
        .any(|feature| cluster.text(*feature) == NODE_OPERATIONS)
}

impl<'c> Allocator<'c> {
    /// Prepares an allocator for claims with these selectors and derived attributes.
    pub fn new(
        cluster: &'c Cluster,
        features: &'c DynamicResources,
        selectors: &DeviceSelectors,
        in_use: AllocatedDevices,
        expressions: impl IntoIterator<Item = Sym>,
        derivations: impl IntoIterator<Item = Sym>,
    ) -> Self {
        let pools = Pools::new(&cluster.devices, features);
        let nodes = pools.nodes_with_devices(cluster.nodes.len()).max(1);
        Self {
            cluster,
            features,
            pools,
            in_use,
            selectors: expressions
                .into_iter()
                .map(|text| (text, selectors.selector(text, cluster, features)))
                .collect(),
            derivations: derivations
                .into_iter()
                .filter(|_| features.dra_derived_attributes)
                .map(|text| (text, selectors.derivation(text, cluster, features)))
                .collect(),
            search_steps: selectors.search_steps() / (nodes as u64),
        }
    }

    /// One of the selectors that it was prepared for.
    pub fn selector(&self, text: Sym) -> Option<&CompiledSelector> {
        self.selectors.get(&text).map(|selector| &**selector)
    }

    /// One of the derived attributes that it was prepared for.
    pub fn derivation(&self, text: Sym) -> Option<&Derivation> {
        self.derivations.get(&text).map(|derivation| &**derivation)
    }

    /// Whether devices that skip node operations can be allocated on `node`. Only the experimental
    /// variant checks this.
    fn may_skip_node_operations(&self, node: NodeIx) -> bool {
        let features = self.features;
        let is_experimental = features.dra_compatibility_groups
            || features.dra_derived_attributes
            || compares_lists(features);
        if features.dra_optional_node_operations {
            declares_node_operations(self.cluster, node)
        } else {
            !is_experimental
        }
    }

    /// The first allocation on `node` that satisfies all claims, per claim; `None` if there is
    /// none.
    ///
    /// # Errors
    /// [`AllocationError`].
    pub fn allocate(
        &self,
        node: NodeIx,
        claims: &[Unallocated],
    ) -> Result<Option<Vec<Grant>>, AllocationError> {
        search::allocate(self, node, claims)
    }

    /// The request with too few devices on `node` if no allocation is possible there, with the
    /// devices that it could have if they were not in use.
    pub fn shortage(
        &self,
        node: NodeIx,
        claims: &[Unallocated],
    ) -> Option<(Shortage, Vec<DeviceId>)> {
        diagnose::shortage(self, node, claims)
    }
}

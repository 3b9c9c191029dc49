//! Dynamic resource allocation: which devices a claim can get on a node.
//!
//! Upstream: `dynamic-resource-allocation/structured`, of its variants the one that the default gates choose:
//! `experimental` in 1.34, `incubating` since (1.35 to 1.37).

pub mod cel;
pub mod in_use;
pub mod pools;

mod capacity;
mod class_totals;
mod constraints;
mod counters;
mod diagnose;
mod requests;
mod search;
mod search_state;
mod taints;

use std::collections::BTreeMap;

use cel::{Expression, Problem};
use in_use::InUse;
use pools::Pools;

use crate::cluster::Cluster;
use crate::cluster::devices::{Constraint, DeviceId, Request};
use crate::cluster::node::NodeIx;
use crate::cluster::symbols::Sym;
use crate::profile::history::DynamicResources;

pub use class_totals::ClassTotals;
pub use diagnose::Shortage;

/// A claim that wants devices.
#[derive(Debug, Clone, Copy)]
pub struct Unallocated<'a> {
    /// Namespace.
    pub namespace: &'a str,
    /// Name.
    pub name: &'a str,
    /// What it asks for.
    pub requests: &'a [Request],
    /// Conditions on what it gets.
    pub constraints: &'a [Constraint],
}

/// A device that a claim would get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Granted {
    /// Name of the request.
    pub request: Sym,
    /// Index of the alternative, for a request that lists some.
    pub alternative: Option<usize>,
    /// The device.
    pub device: DeviceId,
}

/// Why no devices could be looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    /// Only this node is refused, with this text.
    OnNode(&'static str),
    /// The scheduler gives up the cycle with this error.
    Cycle(String),
    /// The search took too long.
    TooLong,
}

/// Everything that does not depend on the node or on the claims.
pub struct Allocator<'c> {
    cluster: &'c Cluster,
    features: &'c DynamicResources,
    pools: Pools<'c>,
    in_use: InUse,
    expressions: BTreeMap<Sym, Result<Expression, Problem>>,
}

/// Whether the variant that the gates choose knows of capacity, if only to refuse it, and of `distinctAttribute`.
fn knows_capacity(features: &DynamicResources) -> bool {
    features.dra_incubating_capacity
        || features.dra_consumable_capacity
        || features.dra_binding_conditions
        || (features.dra_device_status && features.dra_status_is_experimental)
}

impl<'c> Allocator<'c> {
    /// Prepares for claims that use these expressions.
    pub fn new(
        cluster: &'c Cluster,
        features: &'c DynamicResources,
        expressions: impl IntoIterator<Item = Sym>,
    ) -> Self {
        let compile = |expression: Sym| (expression, Expression::compile(cluster.text(expression)));
        Self {
            cluster,
            features,
            pools: Pools::new(&cluster.devices, features),
            in_use: InUse::of(&cluster.devices, features),
            expressions: expressions.into_iter().map(compile).collect(),
        }
    }

    /// The first assignment of devices on `node` that satisfies all claims; one list per claim. `None`: there is none.
    ///
    /// # Errors
    /// [`Trouble`].
    pub fn allocate(&self, node: NodeIx, claims: &[Unallocated]) -> Result<Option<Vec<Vec<Granted>>>, Trouble> {
        search::allocate(self, node, claims)
    }

    /// What is missing on `node` most visibly, for a node on which there is no assignment.
    #[must_use]
    pub fn shortage(&self, node: NodeIx, claims: &[Unallocated]) -> Option<Shortage> {
        diagnose::shortage(self, node, claims)
    }
}

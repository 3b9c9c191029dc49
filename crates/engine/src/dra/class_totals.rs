//! How many devices of a class a node has and how many of them are in use: the capacity of an extended resource that
//! devices provide.
//!
//! Upstream: `pkg/scheduler/framework/plugins/noderesources/resource_allocation.go` `calculateDRAResourceTotals` (1.37).

use std::collections::BTreeMap;

use super::cel::{CompileError, Expression};
use super::in_use::InUse;
use super::pools::id_of;
use crate::cluster::Cluster;
use crate::cluster::devices::{Device, DeviceClass, Slice};
use crate::cluster::node::NodeIx;
use crate::cluster::node_selector::NodeFacts;
use crate::cluster::symbols::Sym;
use crate::profile::history::DynamicResources;

/// Counts devices of the classes that provide extended resources.
pub(crate) struct ClassTotals<'c> {
    cluster: &'c Cluster,
    in_use: InUse,
    classes: BTreeMap<Sym, &'c DeviceClass>,
    expressions: BTreeMap<Sym, Result<Expression, CompileError>>,
}

impl<'c> ClassTotals<'c> {
    /// Prepares for extended resources.
    pub fn new(cluster: &'c Cluster, features: &DynamicResources, resources: impl IntoIterator<Item = Sym>) -> Self {
        let class = |resource| Some((resource, cluster.devices.class_for(resource, &cluster.symbols)?));
        let classes: BTreeMap<Sym, &DeviceClass> = resources.into_iter().filter_map(class).collect();
        let selectors = classes.values().flat_map(|class| &class.selectors).copied().flatten();
        let expressions = selectors.map(|s| (s, Expression::compile(cluster.text(s)))).collect();
        Self { cluster, in_use: InUse::of(&cluster.devices, features), classes, expressions }
    }

    /// The number of devices that provide `resource` on `node`, and how many of them are in use. Both are 0 if no class
    /// provides the resource or, as in upstream, if a selector fails.
    #[must_use]
    pub(crate) fn of(&self, node: NodeIx, resource: Sym) -> (i64, i64) {
        let Some(class) = self.classes.get(&resource) else { return (0, 0) };
        let facts = self.cluster.node_facts(self.cluster.node(node));
        let (mut total, mut used) = (0, 0);
        for slice in &self.cluster.devices.slices {
            match self.count(class, slice, facts) {
                Some((more, more_used)) => (total, used) = (total + more, used + more_used),
                None => return (0, 0),
            }
        }
        (total, used)
    }

    fn count(&self, class: &DeviceClass, slice: &Slice, node: NodeFacts) -> Option<(i64, i64)> {
        let symbols = &self.cluster.symbols;
        let per_device = slice.per_device == Some(true);
        // Parity: a slice without a node selection counts on all nodes.
        if !per_device && slice.nodes.is_set() && !slice.nodes.matches(node, symbols).ok()? {
            return Some((0, 0));
        }
        let (mut total, mut used) = (0, 0);
        for device in &slice.devices {
            if (per_device && !device.nodes.matches(node, symbols).ok()?) || !self.selects(class, slice, device)? {
                continue;
            }
            total += 1;
            used += i64::from(self.in_use.holds(id_of(slice, device)));
        }
        Some((total, used))
    }

    fn selects(&self, class: &DeviceClass, slice: &Slice, device: &Device) -> Option<bool> {
        for selector in class.selectors.iter().flatten() {
            let Some(Ok(expression)) = self.expressions.get(selector) else { return None };
            if !expression.matches(device, slice.driver, &self.cluster.symbols).ok()? {
                return Some(false);
            }
        }
        Some(true)
    }
}

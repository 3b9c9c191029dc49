//! How many devices of a class a node has and how many of them are in use: the capacity of an
//! extended resource that devices provide.
//!
//! Upstream: `pkg/scheduler/framework/plugins/noderesources/resource_allocation.go`
//! `calculateDRAResourceTotals` (1.37).
//!
//! Upstream: `dynamic-resource-allocation/deviceclass/extendedresourcecache` (1.37),
//! `pkg/scheduler/framework/plugins/dynamicresources/extended/util.go` (1.34).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::device_selectors::{CompiledSelector, DeviceSelectors};
use super::in_use::AllocatedDevices;
use super::pools::id_of;
use model::cluster::devices::{CLASS_RESOURCE_PREFIX, Device, DeviceClass, Slice};
use model::cluster::node_selector::NodeFacts;
use model::cluster::{Cluster, NodeIx, Sym};
use profile::history::{ClassLookup, DynamicResources};

/// Counts devices of the classes that provide extended resources.
pub struct ClassTotals<'c> {
    cluster: &'c Cluster,
    in_use: AllocatedDevices,
    classes: BTreeMap<Sym, &'c DeviceClass>,
    /// The selectors of the classes; `None` for a caller that cannot evaluate any.
    selectors: Option<BTreeMap<Sym, Arc<CompiledSelector>>>,
    /// What a class with a failing selector has: nothing in upstream's count.
    failed: Option<(i64, i64)>,
}

/// Why devices are not counted.
enum Uncounted {
    /// A selector fails, so there are none.
    Fails,
    /// A device must be matched with a selector, and the caller cannot evaluate selectors.
    Selector,
}

/// Whether a caller can evaluate the selectors of classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selectors {
    /// It compiles and evaluates them.
    Read,
    /// It panics if it needs one.
    Unreadable,
}

impl<'c> ClassTotals<'c> {
    /// Prepares for extended resources; `None` if no class provides any of them.
    pub fn new(
        cluster: &'c Cluster,
        features: &DynamicResources,
        compiled: &DeviceSelectors,
        in_use: impl FnOnce() -> AllocatedDevices,
        resources: impl IntoIterator<Item = Sym>,
        selectors: Selectors,
    ) -> Option<Self> {
        let classes: BTreeMap<Sym, &DeviceClass> = resources
            .into_iter()
            .filter_map(|resource| Some((resource, class_for(resource, cluster, features)?)))
            .collect();
        if classes.is_empty() {
            return None;
        }
        let selectors = (selectors == Selectors::Read)
            .then(|| selectors_of(&classes, cluster, features, compiled));
        Some(Self { cluster, in_use: in_use(), classes, selectors, failed: Some((0, 0)) })
    }

    /// Prepares for classes, each by its own name instead of a resource. Those with a failing selector
    /// are not counted: a claim may get devices that were found before it failed.
    pub fn of_classes(
        cluster: &'c Cluster,
        features: &DynamicResources,
        compiled: &DeviceSelectors,
        in_use: AllocatedDevices,
        classes: impl Iterator<Item = &'c DeviceClass>,
    ) -> Self {
        let classes: BTreeMap<Sym, &DeviceClass> =
            classes.map(|class| (class.name, class)).collect();
        let selectors = Some(selectors_of(&classes, cluster, features, compiled));
        Self { cluster, in_use, classes, selectors, failed: None }
    }

    /// The number of devices that provide `resource` on `node`, and how many of them are in use.
    /// Both are 0 if no class provides the resource or, as in upstream, if a selector fails, except
    /// with [`Self::of_classes`]; `None` if they are not known.
    pub fn of(&self, node: NodeIx, resource: Sym) -> Option<(i64, i64)> {
        let Some(class) = self.classes.get(&resource) else { return Some((0, 0)) };
        let facts = self.cluster.node_facts(self.cluster.node(node));
        let (mut total, mut used) = (0, 0);
        for slice in &self.cluster.devices.slices {
            match self.count(class, slice, facts) {
                Ok((more, more_used)) => (total, used) = (total + more, used + more_used),
                Err(Uncounted::Fails) => return self.failed,
                Err(Uncounted::Selector) => return None,
            }
        }
        Some((total, used))
    }

    /// On how many of these nodes a scheduler may still count a device that no longer provides
    /// `resource`: it caches which devices do, and the pool of this one has changed since. Drivers
    /// that have no device for the resource are assumed never to have had one.
    pub fn may_remember(&self, nodes: impl Iterator<Item = NodeIx>, resource: Sym) -> usize {
        let Some(class) = self.classes.get(&resource) else { return 0 };
        let slices = &self.cluster.devices.slices;
        let mut drivers: BTreeSet<Sym> = BTreeSet::new();
        for slice in slices {
            if self.selected(class, slice).any(|(_, is_selected)| is_selected) {
                drivers.insert(slice.driver);
            }
        }

        // A later generation of a pool may have replaced a device that the class selected.
        let mut changed: Vec<(&Slice, &Device)> = Vec::new();
        for slice in slices {
            if slice.generation <= 1 || !drivers.contains(&slice.driver) {
                continue;
            }
            for (device, is_selected) in self.selected(class, slice) {
                if !is_selected {
                    changed.push((slice, device));
                }
            }
        }
        nodes.filter(|node| self.has_any(&changed, *node)).count()
    }

    /// The devices of a slice, with whether the class selects them. Those for which its selectors
    /// have no known result are left out.
    fn selected<'s>(
        &self,
        class: &DeviceClass,
        slice: &'s Slice,
    ) -> impl Iterator<Item = (&'s Device, bool)> {
        slice.devices.iter().enumerate().filter_map(move |(index, device)| {
            Some((device, self.selects(class, slice, index, device).ok()?))
        })
    }

    fn has_any(&self, devices: &[(&Slice, &Device)], node: NodeIx) -> bool {
        let facts = self.cluster.node_facts(self.cluster.node(node));
        devices.iter().any(|(slice, device)| {
            self.has_slice(slice, facts).is_ok_and(|has| has)
                && self.has_device(slice, device, facts).is_ok_and(|has| has)
        })
    }

    fn count(
        &self,
        class: &DeviceClass,
        slice: &Slice,
        node: NodeFacts,
    ) -> Result<(i64, i64), Uncounted> {
        if !self.has_slice(slice, node)? {
            return Ok((0, 0));
        }
        let (mut total, mut used) = (0, 0);
        for (index, device) in slice.devices.iter().enumerate() {
            if self.has_device(slice, device, node)? && self.selects(class, slice, index, device)? {
                total += 1;
                used += i64::from(self.in_use.holds(id_of(slice, device)));
            }
        }
        Ok((total, used))
    }

    /// Whether a node has devices of a slice.
    fn has_slice(&self, slice: &Slice, node: NodeFacts) -> Result<bool, Uncounted> {
        // Parity: a slice without a node selection counts on all nodes.
        if slice.per_device == Some(true) || !slice.nodes.is_set() {
            return Ok(true);
        }
        slice.nodes.matches(node, &self.cluster.symbols).map_err(|_| Uncounted::Fails)
    }

    /// Whether a node that sees the slice has this device.
    fn has_device(
        &self,
        slice: &Slice,
        device: &Device,
        node: NodeFacts,
    ) -> Result<bool, Uncounted> {
        if slice.per_device != Some(true) {
            return Ok(true);
        }
        device.nodes.matches(node, &self.cluster.symbols).map_err(|_| Uncounted::Fails)
    }

    fn selects(
        &self,
        class: &DeviceClass,
        slice: &Slice,
        index: usize,
        device: &Device,
    ) -> Result<bool, Uncounted> {
        for text in class.selectors.iter().flatten() {
            let selectors = self.selectors.as_ref().ok_or(Uncounted::Selector)?;
            let selector = selectors.get(text).ok_or(Uncounted::Fails)?;
            let expression = selector.expression.as_ref().map_err(|_| Uncounted::Fails)?;
            let selected =
                selector.matches(expression, slice, index, device, &self.cluster.symbols);
            if !selected.map_err(|_| Uncounted::Fails)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The compiled selectors of classes.
fn selectors_of(
    classes: &BTreeMap<Sym, &DeviceClass>,
    cluster: &Cluster,
    features: &DynamicResources,
    compiled: &DeviceSelectors,
) -> BTreeMap<Sym, Arc<CompiledSelector>> {
    let texts = classes.values().flat_map(|class| &class.selectors).copied().flatten();
    texts.map(|text| (text, compiled.selector(text, cluster, features))).collect()
}

/// The class of an extended resource: the youngest one; at equal age, the first by name.
pub fn class_for<'c>(
    resource: Sym,
    cluster: &'c Cluster,
    features: &DynamicResources,
) -> Option<&'c DeviceClass> {
    let classes = &cluster.devices.classes;
    if let Some(name) = cluster.text(resource).strip_prefix(CLASS_RESOURCE_PREFIX) {
        return classes.iter().find(|c| cluster.text(c.name) == name).filter(|c| {
            features.dra_class_lookup == ClassLookup::Cache || c.extended_resource.is_empty()
        });
    }
    let mut named =
        classes.iter().filter(|c| c.extended_resource == resource && !resource.is_empty());
    let first = named.next()?;
    Some(named.fold(first, |best, class| if class.created > best.created { class } else { best }))
}

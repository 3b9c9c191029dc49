//! The device pools that a node can use.
//!
//! Upstream: `dynamic-resource-allocation/structured/internal`,
//! `experimental/pools_experimental.go` (1.34) and `incubating/pools_incubating.go` (1.35 to 1.37).
//!
//! Upstream: `dynamic-resource-allocation/resourceclaim/devicetoleration.go`,
//! `resourceslice/tracker` (1.37).

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;

use super::{AllocationError, Allocator};
use model::cluster::devices::{
    Device, DeviceId, DeviceTaint, DeviceToleration, DeviceTolerationOperator, Devices, Slice, Want,
};
use model::cluster::node_selector::NodeFacts;
use model::cluster::{Cluster, Quantity, Sym};
use profile::history::{DynamicResources, SharedCounters};

/// A pool's driver and name.
pub(super) type PoolKey = (Sym, Sym);

/// The resource slices of a cluster, indexed by node and by pool.
#[derive(Debug, Default)]
pub struct Pools<'c> {
    on_node: IndexMap<Sym, Vec<&'c Slice>, foldhash::fast::RandomState>,
    elsewhere: Vec<&'c Slice>,
    by_pool: IndexMap<PoolKey, Vec<&'c Slice>, foldhash::fast::RandomState>,
}

/// The part of a pool that one node can use.
#[derive(Debug)]
pub struct DevicePool<'c> {
    /// Driver and name.
    pub key: PoolKey,
    /// Whether its devices can be allocated.
    pub state: PoolState,
    /// Slices with devices for the node.
    pub slices: Vec<&'c Slice>,
    /// Slices with devices for other nodes, which may consume shared counters.
    pub others: Vec<&'c Slice>,
    /// Counters by set and name.
    pub counters: BTreeMap<(Sym, Sym), Quantity>,
}

/// Whether devices of a pool can be allocated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PoolState {
    /// The devices can be allocated.
    Usable,
    /// Slices of the pool are missing.
    Incomplete,
    /// Its slices are inconsistent, for this reason.
    Invalid(String),
}

/// A device with its slice.
#[derive(Debug, Clone, Copy)]
pub struct PoolDevice<'c> {
    pub slice: &'c Slice,
    /// Its index in the slice.
    pub index: usize,
    pub device: &'c Device,
    /// Its full name.
    pub id: DeviceId,
}

impl<'c> PoolDevice<'c> {
    fn new(slice: &'c Slice, index: usize, device: &'c Device) -> Self {
        Self { slice, index, device, id: id_of(slice, device) }
    }

    /// The device at this index of the same slice.
    pub(super) fn neighbour(self, index: usize) -> Option<Self> {
        Some(Self::new(self.slice, index, self.slice.devices.get(index)?))
    }
}

/// A device's full name.
pub(super) fn id_of(slice: &Slice, device: &Device) -> DeviceId {
    DeviceId { driver: slice.driver, pool: slice.pool, device: device.name }
}

impl<'c> Pools<'c> {
    /// How many of `nodes` may have devices.
    pub(super) fn nodes_with_devices(&self, nodes: usize) -> usize {
        if self.elsewhere.is_empty() { self.on_node.len() } else { nodes }
    }

    /// Indexes the slices.
    pub fn new(devices: &'c Devices, features: &DynamicResources) -> Self {
        let mut pools = Self::default();
        for slice in &devices.slices {
            pools.by_pool.entry((slice.driver, slice.pool)).or_default().push(slice);
            if slice.nodes.name.is_empty() || is_everywhere(slice, features) {
                pools.elsewhere.push(slice);
            } else {
                pools.on_node.entry(slice.nodes.name).or_default().push(slice);
            }
        }
        pools
    }

    /// The pools that a node can use, in the order in which devices are tried: by driver and name,
    /// with pools that have binding conditions last. Up to 1.35 the scheduler's order is random.
    pub(super) fn of_node(
        &self,
        cluster: &Cluster,
        features: &DynamicResources,
        node: NodeFacts,
    ) -> Result<Vec<DevicePool<'c>>, AllocationError> {
        let mut by_pool: BTreeMap<PoolKey, Vec<&'c Slice>> = BTreeMap::new();
        let here = self.on_node.get(&node.name).into_iter().flatten();
        for slice in here.chain(&self.elsewhere) {
            if is_relevant(slice, cluster, features, node)? {
                add_slice(by_pool.entry((slice.driver, slice.pool)).or_default(), slice);
            }
        }
        let gathered = by_pool
            .into_iter()
            .filter_map(|(key, slices)| self.gather(cluster, features, key, slices));
        let mut pools: Vec<DevicePool> = gathered.collect();
        // Pods have to wait for binding conditions, so devices without them are preferred.
        pools.sort_by_cached_key(|pool| {
            let has_conditions = pool.slices.iter().any(|slice| is_bound(slice));
            (has_conditions, cluster.text(pool.key.0), cluster.text(pool.key.1))
        });
        Ok(pools)
    }

    /// The part of a pool that a node with these slices can use; `None` if the pool is about to be
    /// replaced.
    fn gather(
        &self,
        cluster: &Cluster,
        features: &DynamicResources,
        key: PoolKey,
        slices: Vec<&'c Slice>,
    ) -> Option<DevicePool<'c>> {
        let first = *slices.first()?;
        let is_complete = |slices: &[&Slice]| {
            i64::try_from(slices.len()).unwrap_or(i64::MAX) == first.slice_count
        };
        if !features.dra_whole_pools {
            // Parity: devices of an incomplete pool can be allocated, unless the request is for all
            // devices.
            let is_complete = is_complete(&slices);
            let mut pool = build(cluster, features, key, slices, &[]);
            if pool.state == PoolState::Usable && !is_complete {
                pool.state = PoolState::Incomplete;
            }
            return Some(pool);
        }
        if is_complete(&slices) {
            return Some(build(cluster, features, key, slices, &[]));
        }
        // Slices that the node does not see may complete the pool.
        let mut all = self.by_pool.get(&key).cloned().unwrap_or_default();
        if all.iter().any(|slice| slice.generation > first.generation) {
            // The driver is about to replace the pool.
            return None;
        }
        all.retain(|slice| slice.generation == first.generation && !is_skipped(slice, features));
        if is_complete(&all) {
            return Some(build(cluster, features, key, slices, &all));
        }
        let (slices, others, counters) = Default::default();
        Some(DevicePool { key, state: PoolState::Incomplete, slices, others, counters })
    }
}

/// Slices whose devices have compatibility groups are ignored while the gate for these is off.
fn is_skipped(slice: &Slice, features: &DynamicResources) -> bool {
    features.dra_compatibility_groups_skipped
        && !features.dra_compatibility_groups
        && slice.has_compatibility_groups()
}

/// Up to 1.36 a pool's counters apply wherever their slice is.
fn is_everywhere(slice: &Slice, features: &DynamicResources) -> bool {
    [SharedCounters::PerPoolName, SharedCounters::PerPool].contains(&features.dra_counters)
        && !slice.counters.is_empty()
}

/// Whether a device has the field for binding conditions, even if it is empty.
fn is_bound(slice: &Slice) -> bool {
    slice.devices.iter().any(|d| d.binding_conditions.is_some())
}

/// Whether a node can use devices of the slice.
fn is_relevant(
    slice: &Slice,
    cluster: &Cluster,
    features: &DynamicResources,
    node: NodeFacts,
) -> Result<bool, AllocationError> {
    let has_counters =
        features.dra_counters != SharedCounters::PerSlice && !slice.counters.is_empty();
    if !features.dra_partitionable_devices && (slice.per_device.is_some() || has_counters) {
        return Ok(false);
    }
    if is_skipped(slice, features) {
        return Ok(false);
    }
    if is_everywhere(slice, features) {
        return Ok(true);
    }
    if slice.nodes.is_set() {
        let matches = slice.nodes.matches(node, &cluster.symbols);
        return matches.map_err(|_| no_selector(&format!("slice {}", cluster.text(slice.name))));
    }
    if slice.per_device == Some(true) {
        for device in &slice.devices {
            match device.nodes.matches(node, &cluster.symbols) {
                Ok(true) => return Ok(true),
                Ok(false) => {}
                Err(_) => {
                    let (device, slice) = (cluster.text(device.name), cluster.text(slice.name));
                    return Err(no_selector(&format!("device {device} in slice {slice}")));
                }
            }
        }
    }
    Ok(false)
}

/// The error for a node selector that cannot be parsed.
fn no_selector(of: &str) -> AllocationError {
    AllocationError::Cycle(format!(
        "gather pool information: failed to perform node selection for {of}: failed to parse node selector"
    ))
}

/// Adds a slice and keeps only those of the newest generation.
fn add_slice<'c>(slices: &mut Vec<&'c Slice>, slice: &'c Slice) {
    match slices.first() {
        Some(first) if slice.generation < first.generation => {}
        Some(first) if slice.generation > first.generation => *slices = vec![slice],
        _ => slices.push(slice),
    }
}

/// A pool made of the slices that a node sees; `all` are those of the whole pool if they matter.
fn build<'c>(
    cluster: &Cluster,
    features: &DynamicResources,
    key: PoolKey,
    slices: Vec<&'c Slice>,
    all: &[&'c Slice],
) -> DevicePool<'c> {
    // A slice has either shared counters or devices.
    let named: BTreeSet<Sym> = slices.iter().map(|slice| slice.name).collect();
    let per_pool =
        features.dra_partitionable_devices && features.dra_counters != SharedCounters::PerSlice;
    let has_counters = |slice: &&Slice| per_pool && !slice.counters.is_empty();
    let (mut counting, mut with_devices): (Vec<&Slice>, Vec<&Slice>) =
        slices.into_iter().partition(has_counters);

    // Devices without binding conditions are tried first, unless the version orders by name alone.
    with_devices.sort_by_key(|slice| {
        let is_late = !features.dra_slices_by_name && is_bound(slice);
        (is_late, cluster.text(slice.name))
    });

    // Devices of other nodes count because they may have consumed counters.
    let unseen = all.iter().copied().filter(|slice| !named.contains(&slice.name));
    let (unseen_counting, mut others): (Vec<&Slice>, Vec<&Slice>) = unseen.partition(has_counters);
    if features.dra_counters == SharedCounters::OfWholePool {
        counting.extend(unseen_counting);
    } else {
        others.extend(unseen_counting);
    }
    let counters = BTreeMap::new();
    let mut pool =
        DevicePool { key, state: PoolState::Usable, slices: with_devices, others, counters };
    if let Err(reason) = validate(cluster, features, &mut pool, &counting) {
        pool.state = PoolState::Invalid(reason);
    }
    pool
}

/// Checks that names are unique and that devices consume counters that exist.
fn validate(
    cluster: &Cluster,
    features: &DynamicResources,
    pool: &mut DevicePool,
    counting: &[&Slice],
) -> Result<(), String> {
    let mut names = BTreeSet::new();
    for device in pool.slices.iter().flat_map(|s| &s.devices) {
        if !names.insert(device.name) {
            return Err(format!("duplicate device name {}", cluster.text(device.name)));
        }
    }
    if !(features.dra_partitionable_devices && features.dra_counters != SharedCounters::PerSlice) {
        return Ok(());
    }
    let mut sets = BTreeSet::new();
    for set in counting.iter().flat_map(|s| &s.counters) {
        if !sets.insert(set.name) {
            return Err(format!("duplicate counter set name {}", cluster.text(set.name)));
        }
        pool.counters
            .extend(set.counters.iter().map(|(counter, amount)| ((set.name, *counter), *amount)));
    }
    for used in
        pool.slices.iter().chain(&pool.others).flat_map(|s| &s.devices).flat_map(|d| &d.consumes)
    {
        let set = cluster.text(used.name);
        if !sets.contains(&used.name) {
            return Err(format!("counter set {set} not found"));
        }
        for (counter, _) in &used.counters {
            if !pool.counters.contains_key(&(used.name, *counter)) {
                return Err(format!(
                    "counter {} not found in counter set {set}",
                    cluster.text(*counter)
                ));
            }
        }
    }
    Ok(())
}

impl<'c> DevicePool<'c> {
    /// The devices for the node, in the order in which they are tried.
    pub(super) fn places(&self) -> impl Iterator<Item = PoolDevice<'c>> {
        self.slices.iter().flat_map(|slice| {
            slice
                .devices
                .iter()
                .enumerate()
                .map(|(index, device)| PoolDevice::new(slice, index, device))
        })
    }
}

/// The first taint of a device that the request does not tolerate.
pub(super) fn repelling(
    allocator: &Allocator,
    want: &Want,
    id: DeviceId,
    device: &Device,
) -> Option<DeviceTaint> {
    if !allocator.features.dra_device_taints {
        return None;
    }
    let rules = if allocator.features.dra_device_taint_rules {
        allocator.cluster.devices.taint_rules.as_slice()
    } else {
        &[]
    };
    let ruled = rules
        .iter()
        .filter(|rule| rule.matches(id, allocator.features.dra_rules_need_selector))
        .map(|rule| &rule.taint);
    let mut taints = device.taints.iter().chain(ruled);
    taints
        .find(|taint| taint.repels && !want.tolerations.iter().any(|t| tolerates(t, taint)))
        .copied()
}

fn tolerates(toleration: &DeviceToleration, taint: &DeviceTaint) -> bool {
    (toleration.effect.is_empty() || toleration.effect == taint.effect)
        && (toleration.key.is_empty() || toleration.key == taint.key)
        && match toleration.operator {
            Some(DeviceTolerationOperator::Equal) => toleration.value == taint.value,
            Some(DeviceTolerationOperator::Exists) => true,
            None => false,
        }
}

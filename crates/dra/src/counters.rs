//! Shared counters, which devices of a pool consume.
//!
//! Upstream: `incubating/allocator_incubating.go` `checkAvailableCounters` (1.37).

use std::collections::BTreeMap;

use super::in_use::AllocatedDevices;
use super::pools::{DevicePool, PoolKey, id_of};
use model::cluster::devices::{Device, Slice};
use model::cluster::{Quantity, Sym};
use profile::history::DynamicResources;

type Counts = BTreeMap<(Sym, Sym), Quantity>;

/// The remaining counters of all pools or slices during a search.
#[derive(Debug, Default)]
pub(super) struct Counters {
    available: BTreeMap<PoolKey, Counts>,
    consumed: BTreeMap<PoolKey, Counts>,
}

impl Counters {
    /// Subtracts what a device consumes; returns false and changes nothing if the counters are
    /// exhausted.
    pub(super) fn take(
        &mut self,
        key: PoolKey,
        device: &Device,
        available: impl FnOnce() -> Counts,
    ) -> bool {
        let available = self.available.entry(key).or_insert_with(available);
        let consumed = self.consumed.entry(key).or_default();
        for (counter, amount) in amounts(device) {
            *consumed.entry(counter).or_default() += amount;
        }
        // Parity: all counters of the pool must be sufficient, not only those of the device.
        let suffices = available.iter().all(|(counter, amount)| {
            let taken = consumed.get(counter).copied().unwrap_or_default();
            amount.amount_cmp(taken).is_ge()
        });
        if !suffices {
            self.give_back(key, device);
        }
        suffices
    }

    /// Undoes [`Self::take`].
    pub(super) fn give_back(&mut self, key: PoolKey, device: &Device) {
        let Some(consumed) = self.consumed.get_mut(&key) else { return };
        for (counter, amount) in amounts(device) {
            *consumed.entry(counter).or_default() -= amount;
        }
    }
}

fn amounts(device: &Device) -> impl Iterator<Item = ((Sym, Sym), Quantity)> {
    device.consumes.iter().flat_map(|set| {
        set.counters.iter().map(|(counter, amount)| ((set.name, *counter), *amount))
    })
}

/// The counters of a pool minus those of the devices in use; the result may be negative.
pub(super) fn of_pool(
    pool: &DevicePool,
    in_use: &AllocatedDevices,
    features: &DynamicResources,
) -> Counts {
    without_devices_in_use(
        pool.counters.clone(),
        pool.slices.iter().chain(&pool.others).copied(),
        in_use,
        features,
    )
}

/// Up to 1.34: the counters of a slice minus those of its devices in use.
pub(super) fn of_slice(
    slice: &Slice,
    in_use: &AllocatedDevices,
    features: &DynamicResources,
) -> Counts {
    let counters = slice.counters.iter();
    let counters = counters.flat_map(|set| {
        set.counters.iter().map(|(counter, amount)| ((set.name, *counter), *amount))
    });
    without_devices_in_use(counters.collect(), std::iter::once(slice), in_use, features)
}

/// The counters minus those of the devices in use.
fn without_devices_in_use<'a>(
    mut counts: Counts,
    slices: impl Iterator<Item = &'a Slice>,
    in_use: &AllocatedDevices,
    features: &DynamicResources,
) -> Counts {
    for slice in slices {
        for device in
            slice.devices.iter().filter(|d| in_use.has_consumed_counters(id_of(slice, d), features))
        {
            for (counter, amount) in amounts(device) {
                if let Some(remaining) = counts.get_mut(&counter) {
                    *remaining -= amount;
                }
            }
        }
    }
    counts
}

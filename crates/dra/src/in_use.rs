//! Devices that are allocated to claims.
//!
//! Upstream: `pkg/scheduler/framework/plugins/dynamicresources/allocateddevices.go` (1.37).

use std::collections::BTreeMap;

use indexmap::{IndexMap, IndexSet};

use super::Grant;
use model::cluster::devices::{DeviceId, Devices};
use model::cluster::{Quantity, Sym};
use profile::history::DynamicResources;

/// Consumed amounts by capacity.
pub(super) type ConsumedCapacity = BTreeMap<Sym, Quantity>;

/// Devices that are wholly or partly allocated to claims.
#[derive(Debug, Clone, Default)]
pub struct AllocatedDevices {
    whole: IndexSet<DeviceId, foldhash::fast::RandomState>,
    shared: IndexSet<DeviceId, foldhash::fast::RandomState>,
    pub(super) consumed: IndexMap<DeviceId, ConsumedCapacity, foldhash::fast::RandomState>,
}

impl AllocatedDevices {
    /// The devices of the allocated claims of a cluster, without those with admin access.
    pub fn of(devices: &Devices, features: &DynamicResources) -> Self {
        let mut in_use = Self::default();
        let held =
            devices.claims.iter().filter_map(|c| c.allocation.as_ref()).flat_map(|a| &a.results);
        for result in held.filter(|r| !r.admin_access) {
            if result.shared && features.dra_consumable_capacity {
                in_use.share(result.device, result.consumed.as_deref());
            } else {
                in_use.whole.insert(result.device);
            }
        }
        in_use
    }

    /// Counts the devices of a grant as in use before it is written.
    pub fn hold(&mut self, grant: &Grant) {
        for granted in grant.devices.iter().filter(|granted| !granted.admin_access) {
            match &granted.consumed {
                Some(consumed) => self.share(granted.device, Some(consumed)),
                None => _ = self.whole.insert(granted.device),
            }
        }
    }

    fn share(&mut self, device: DeviceId, consumed: Option<&[(Sym, Quantity)]>) {
        self.shared.insert(device);
        if let Some(consumed) = consumed {
            add(self.consumed.entry(device).or_default(), consumed);
        }
    }

    /// Whether the whole device is allocated to one claim.
    pub(super) fn is_whole(&self, device: DeviceId) -> bool {
        self.whole.contains(&device)
    }

    /// Whether claims share the device. Up to 1.36, shares without an amount are ignored.
    pub(super) fn is_shared(&self, device: DeviceId, features: &DynamicResources) -> bool {
        self.consumed.contains_key(&device)
            || (features.dra_strict_capacity && self.shared.contains(&device))
    }

    /// Whether the device counts as one that has consumed its counters.
    pub(super) fn has_consumed_counters(
        &self,
        device: DeviceId,
        features: &DynamicResources,
    ) -> bool {
        self.is_whole(device) || (features.dra_shares_consume_counters && self.holds(device))
    }

    /// Whether the device, or a part of it, is allocated to a claim.
    pub fn holds(&self, device: DeviceId) -> bool {
        self.whole.contains(&device) || self.shared.contains(&device)
    }
}

/// Adds amounts.
pub(super) fn add(total: &mut ConsumedCapacity, more: &[(Sym, Quantity)]) {
    for (name, amount) in more {
        *total.entry(*name).or_default() += *amount;
    }
}

/// Subtracts amounts.
pub(super) fn subtract(total: &mut ConsumedCapacity, less: &[(Sym, Quantity)]) {
    for (name, amount) in less {
        if let Some(left) = total.get_mut(name) {
            *left -= *amount;
        }
    }
}

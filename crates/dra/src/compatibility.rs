//! Compatibility groups: which devices may draw from the same set of counters.
//!
//! Upstream: `experimental/compatibility_groups.go`, `experimental/allocator_experimental.go`
//! `checkAndConsumeCompatibilityGroups` (1.37).

use std::collections::{BTreeMap, BTreeSet};

use super::in_use::AllocatedDevices;
use super::pools::{DevicePool, PoolKey, id_of};
use model::cluster::Sym;
use model::cluster::devices::CounterSet;

/// The compatibility groups that all devices drawing from a counter set share.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
enum Common {
    /// No devices yet.
    #[default]
    Anything,
    /// None of them declares a group.
    NoGroups,
    /// These groups.
    Groups(BTreeSet<Sym>),
}

impl Common {
    /// The common groups with one more device; `None` if it is incompatible.
    fn with(&self, set: &CounterSet) -> Option<Self> {
        let groups: BTreeSet<Sym> = set.groups.iter().copied().collect();
        match self {
            Self::Anything if groups.is_empty() => Some(Self::NoGroups),
            Self::Anything => Some(Self::Groups(groups)),
            Self::NoGroups => groups.is_empty().then_some(Self::NoGroups),
            Self::Groups(common) => {
                let left: BTreeSet<Sym> = common.intersection(&groups).copied().collect();
                (!left.is_empty()).then_some(Self::Groups(left))
            }
        }
    }
}

/// A set of counters of a pool.
type SetKey = (PoolKey, Sym);

/// The sets of counters that devices picked during a search draw from.
#[derive(Debug, Default)]
pub(super) struct CompatibilityGroups {
    picked: BTreeMap<SetKey, Common>,
}

/// The state before a device was picked, in the order of picking.
#[derive(Debug, Default)]
pub(super) struct Before(Vec<(SetKey, Option<Common>)>);

impl CompatibilityGroups {
    /// Adds a device that consumes these counters. `None`, and no change, if it is not compatible
    /// with the devices in use or picked before.
    pub(super) fn add(
        &mut self,
        pool: &DevicePool,
        consumes: &[CounterSet],
        in_use: &AllocatedDevices,
    ) -> Option<Before> {
        let mut before = Before::default();
        for set in consumes {
            let key = (pool.key, set.name);
            let picked = self.picked.get(&key).cloned();
            let common =
                picked.clone().unwrap_or_else(|| of_devices_in_use(pool, set.name, in_use));
            let Some(with) = common.with(set) else {
                self.restore(before);
                return None;
            };
            before.0.push((key, picked));
            self.picked.insert(key, with);
        }
        Some(before)
    }

    /// Undoes [`Self::add`].
    pub(super) fn restore(&mut self, before: Before) {
        for (key, common) in before.0.into_iter().rev() {
            match common {
                Some(common) => self.picked.insert(key, common),
                None => self.picked.remove(&key),
            };
        }
    }
}

/// Parity: a device in use that is not compatible with the others changes nothing, unless it takes
/// their last common group.
fn of_devices_in_use(pool: &DevicePool, name: Sym, in_use: &AllocatedDevices) -> Common {
    let slices = pool.slices.iter().chain(&pool.others);
    let devices =
        slices.flat_map(|slice| slice.devices.iter().map(|device| (id_of(slice, device), device)));
    let sets = devices.filter(|(id, _)| in_use.holds(*id)).flat_map(|(_, device)| &device.consumes);
    sets.filter(|set| set.name == name).fold(Common::Anything, |common, set| {
        match (&common, common.with(set)) {
            (_, Some(with)) => with,
            (Common::Groups(_), None) if !set.groups.is_empty() => Common::Groups(BTreeSet::new()),
            (_, None) => common,
        }
    })
}

//! The disks of a pod, indexed by what makes another disk conflict with them: a pod may have
//! thousands, and so may a node.

use std::collections::BTreeMap;

use model::cluster::pod_volume::{Disk, DiskKey};

/// Among the disks with one key, the first read-only one and the first writable one.
#[derive(Default)]
struct First {
    read: Option<usize>,
    written: Option<usize>,
}

/// The disks of a pod, by their keys.
#[derive(Default)]
pub(super) struct WantedDisks(BTreeMap<DiskKey, First>);

impl WantedDisks {
    /// Adds the disk with this index; indices must ascend.
    pub(super) fn add(&mut self, disk: &Disk, index: usize) {
        for key in disk.keys() {
            let first = self.0.entry(key).or_default();
            let place =
                if disk.is_shared_by_readers() { &mut first.read } else { &mut first.written };
            place.get_or_insert(index);
        }
    }

    /// The first of them that conflicts with `held` on the same node.
    ///
    /// Upstream: `pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go`
    /// `isVolumeConflict` (1.37).
    pub(super) fn first_conflict(&self, held: &Disk) -> Option<usize> {
        let only_read = held.is_shared_by_readers();
        held.keys()
            .into_iter()
            .filter_map(|key| {
                let first = self.0.get(&key)?;
                [first.written, first.read.filter(|_| !only_read)].into_iter().flatten().min()
            })
            .min()
    }
}

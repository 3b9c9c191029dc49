//! The texts that VolumeRestrictions writes.

use crate::framework::claims;
use crate::framework::reason::{Message, Obstacle, When};

/// All of them.
pub(super) static ALL: &[&Message] =
    &[&NO_DISK, &CLAIM_IN_USE, &CLAIM_IN_USE_OLD, &claims::CLAIM_NOT_FOUND];

pub(super) static NO_DISK: Message = Message {
    code: "PRE-228",
    text: "node(s) had no available disk",
    meaning: "A pod on the node uses the same GCE, EBS, iSCSI or RBD disk in a mode that cannot be shared.",
    preemption: "Helps: evicting the pod that holds the disk frees it.",
    remedy: "stop the other pod, or mount the disk read-only in both",
    obstacle: Obstacle::Volume,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go (1.37)",
};

pub(super) static CLAIM_IN_USE: Message = Message {
    code: "PRE-229",
    text: "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
    meaning: "Another pod uses a ReadWriteOncePod claim of this pod, and only one pod may.",
    preemption: "Helps: evicting the pod that uses the claim frees it.",
    remedy: "stop the pod that uses the claim, or use another access mode",
    obstacle: Obstacle::Volume,
    when: When::Rows(&[|f| f.volume_restrictions.claim_in_use_on_any_node]),
    source: "pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go (1.37)",
};

pub(super) static CLAIM_IN_USE_OLD: Message = Message {
    code: "PRE-230",
    text: "node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode",
    meaning: "A pod uses a ReadWriteOncePod claim of this pod, and only one pod may.",
    when: When::Rows(&[
        |f| !f.volume_restrictions.claim_in_use_on_any_node,
        |f| f.volume_restrictions.read_write_once_pod,
    ]),
    source: "pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go (1.33)",
    ..CLAIM_IN_USE
};

//! The texts that VolumeZone writes.

use crate::framework::claims;
use crate::framework::reason::{Message, Obstacle, When};

/// All of them.
pub(super) static ALL: &[&Message] = &[
    &NO_ZONE,
    &CLAIM_WITHOUT_NAME,
    &VOLUME_NOT_FOUND,
    &NO_VOLUME_NO_CLASS,
    &CLASS_NOT_FOUND,
    &MODE_NOT_SET,
    &NO_VOLUME,
    &claims::CLAIM_NOT_FOUND,
];

pub(super) static NO_ZONE: Message = Message {
    code: "PRE-244",
    text: "node(s) had no available volume zone",
    meaning: "A volume of the pod is labelled with a zone or region that is not the node's.",
    preemption: "Never: no eviction moves a volume or a node.",
    remedy: "make room on nodes in the zone of the volume",
    obstacle: Obstacle::Volume,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/volumezone/volume_zone.go (1.37)",
};

pub(super) static CLAIM_WITHOUT_NAME: Message = Message {
    code: "PRE-264",
    text: "PersistentVolumeClaim had no name",
    meaning: "A volume of the pod names no PersistentVolumeClaim.",
    preemption: "Never: evicting pods does not change the pod.",
    remedy: "name the claim in the pod",
    obstacle: Obstacle::Pod,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/volumezone/volume_zone.go (1.37)",
};

pub(super) static VOLUME_NOT_FOUND: Message = Message {
    code: "PRE-265",
    text: "persistentvolume \"{}\" not found",
    meaning: "A claim of the pod is bound to a PersistentVolume that does not exist.",
    preemption: "Never: evicting pods does not change the claim.",
    remedy: "restore the PersistentVolume, or create the claim again",
    obstacle: Obstacle::Volume,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/volumezone/volume_zone.go (1.37)",
};

pub(super) static NO_VOLUME_NO_CLASS: Message = Message {
    code: "PRE-266",
    text: "PersistentVolumeClaim had no pv name and storageClass name",
    meaning: "A claim of the pod is not bound and names no StorageClass, so its zone is unknown.",
    preemption: "Never: evicting pods does not change the claim.",
    remedy: "give the claim a StorageClass, or bind it to a volume",
    obstacle: Obstacle::Volume,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/volumezone/volume_zone.go (1.37)",
};

pub(super) static CLASS_NOT_FOUND: Message = Message {
    code: "PRE-267",
    text: "storageclass.storage.k8s.io \"{}\" not found",
    meaning: "A claim of the pod names a StorageClass that does not exist.",
    preemption: "Never: evicting pods does not change the claim.",
    remedy: "create the StorageClass, or name another in the claim",
    obstacle: Obstacle::Volume,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/volumezone/volume_zone.go (1.37)",
};

pub(super) static MODE_NOT_SET: Message = Message {
    code: "PRE-268",
    text: "VolumeBindingMode not set for StorageClass \"{}\"",
    meaning: "The StorageClass of a claim has no volumeBindingMode.",
    preemption: "Never: evicting pods does not change the claim.",
    remedy: "set volumeBindingMode of the StorageClass",
    obstacle: Obstacle::Volume,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/volumezone/volume_zone.go (1.37)",
};

pub(super) static NO_VOLUME: Message = Message {
    code: "PRE-269",
    text: "PersistentVolume had no name",
    meaning: "A claim of the pod is not bound yet, and its StorageClass binds at once: the scheduler waits for the provisioner.",
    preemption: "Never: evicting pods does not change the claim.",
    remedy: "see kubectl describe pvc: does its provisioner run",
    obstacle: Obstacle::Volume,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/volumezone/volume_zone.go (1.37)",
};

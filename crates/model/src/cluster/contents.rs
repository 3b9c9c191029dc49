//! Which kinds of objects the input contains.

use super::{Cluster, Kind};
use crate::snapshot::{BuiltIn, Unreadable};

impl Cluster {
    /// Whether the cluster may have objects of a kind although the input has none: the input does
    /// not say that the kind was read.
    pub fn may_lack(&self, kind: Kind) -> bool {
        self.has_none(kind)
            && !self.header.resource_versions.contains_key(kind.resource())
            && self.unread(kind).is_none()
    }

    /// Whether the input was read from an API server and not written by hand: it says which kinds were
    /// listed, or has what every API server makes itself.
    pub fn is_dump(&self) -> bool {
        !self.header.resource_versions.is_empty()
            || self.priority_classes.iter().any(|class| {
                ["system-node-critical", "system-cluster-critical"].contains(&self.text(class.name))
            })
            || self.namespaces.keys().any(|name| self.text(*name) == "kube-node-lease")
    }

    /// Whether the budgets were not read, so that nothing is known of their violations: they could not
    /// be, or a dump has none and does not say that it was asked for them. What is written by hand is
    /// complete.
    pub fn are_budgets_unknown(&self) -> bool {
        let kind = Kind::PodDisruptionBudget;
        self.unread(kind).is_some() || self.may_lack(kind) && self.is_dump()
    }

    /// Why a kind could not be read; `None` if it was read, or not asked for.
    pub fn unread(&self, kind: Kind) -> Option<&Unreadable> {
        self.header.unreadable.iter().find(|missing| missing.kind() == Some(kind))
    }

    /// Whether the input has no object of a kind.
    fn has_none(&self, kind: Kind) -> bool {
        let (storage, devices) = (&self.storage, &self.devices);
        let Some(built_in) = kind.built_in() else { return !self.extensions.contains(&kind) };
        match built_in {
            BuiltIn::Node => self.nodes.is_empty(),
            BuiltIn::Pod => self.pods.is_empty(),
            BuiltIn::PodDisruptionBudget => self.budgets.is_empty(),
            BuiltIn::PriorityClass => self.priority_classes.is_empty(),
            BuiltIn::Namespace => self.namespaces.is_empty(),
            BuiltIn::LimitRange => self.limit_ranges.is_empty(),
            BuiltIn::ResourceQuota => self.quotas.is_empty(),
            BuiltIn::Service => self.services.is_empty(),
            BuiltIn::Event => {
                self.events.is_empty()
                    && self.node_events.is_empty()
                    && self.start_events.is_empty()
            }
            BuiltIn::PodGroup => self.pod_groups.iter().all(|group| group.is_part),
            BuiltIn::Workload => self.workloads.is_empty(),
            BuiltIn::CompositePodGroup => self.composite_groups.is_empty(),
            BuiltIn::ReplicationController
            | BuiltIn::StatefulSet
            | BuiltIn::ReplicaSet
            | BuiltIn::Job => !self.owners.iter().any(|owner| owner.kind == kind),
            BuiltIn::DeviceClass => devices.classes.is_empty(),
            BuiltIn::ResourceClaim => devices.claims.is_empty(),
            BuiltIn::ResourceSlice => devices.slices.is_empty(),
            BuiltIn::DeviceTaintRule => devices.taint_rules.is_empty(),
            BuiltIn::PersistentVolumeClaim
            | BuiltIn::PersistentVolume
            | BuiltIn::StorageClass
            | BuiltIn::CsiNode
            | BuiltIn::CsiDriver
            | BuiltIn::CsiStorageCapacity
            | BuiltIn::VolumeAttachment => storage.has_none(kind),
        }
    }
}

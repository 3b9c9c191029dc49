//! Which kinds of objects the input contains.

use super::{Cluster, Kind};
use crate::snapshot::Unreadable;

impl Cluster {
    /// Whether the cluster may have objects of a kind although the input has none: the input does
    /// not say that the kind was read.
    pub fn may_lack(&self, kind: Kind) -> bool {
        self.has_none(kind)
            && !self.header.resource_versions.contains_key(kind.resource())
            && self.unread(kind).is_none()
    }

    /// Why a kind could not be read; `None` if it was read, or not asked for.
    pub fn unread(&self, kind: Kind) -> Option<&Unreadable> {
        self.header.unreadable.iter().find(|missing| missing.kind() == Some(kind))
    }

    /// Whether the input has no object of a kind.
    fn has_none(&self, kind: Kind) -> bool {
        let (storage, devices) = (&self.storage, &self.devices);
        match kind {
            Kind::Node => self.nodes.is_empty(),
            Kind::Pod => self.pods.is_empty(),
            Kind::PodDisruptionBudget => self.budgets.is_empty(),
            Kind::PriorityClass => self.priority_classes.is_empty(),
            Kind::Namespace => self.namespaces.is_empty(),
            Kind::LimitRange => self.limit_ranges.is_empty(),
            Kind::ResourceQuota => self.quotas.is_empty(),
            Kind::Service => self.services.is_empty(),
            Kind::Event => self.events.is_empty() && self.node_events.is_empty(),
            Kind::PodGroup => self.pod_groups.iter().all(|group| group.is_part),
            Kind::Workload => self.workloads.is_empty(),
            Kind::CompositePodGroup => self.composite_groups.is_empty(),
            Kind::ReplicationController | Kind::StatefulSet | Kind::ReplicaSet | Kind::Job => {
                !self.owners.iter().any(|owner| owner.kind == kind)
            }
            Kind::DeviceClass => devices.classes.is_empty(),
            Kind::ResourceClaim => devices.claims.is_empty(),
            Kind::ResourceSlice => devices.slices.is_empty(),
            Kind::DeviceTaintRule => devices.taint_rules.is_empty(),
            Kind::NodePool
            | Kind::NodeClaim
            | Kind::NodeOverlay
            | Kind::Ec2NodeClass
            | Kind::EksNodeClass
            | Kind::AksNodeClass
            | Kind::ProvisioningRequest
            | Kind::CapacityBuffer
            | Kind::CapacityQuota
            | Kind::MachineAutoscaler
            | Kind::ClusterAutoscaler
            | Kind::MachineDeployment
            | Kind::MachineSet
            | Kind::OpenShiftMachineSet
            | Kind::ComputeClass => self.autoscaling.has_none(kind),
            Kind::LocalQueue
            | Kind::ClusterQueue
            | Kind::VolcanoQueue
            | Kind::KaiQueue
            | Kind::ElasticQuota
            | Kind::Reservation
            | Kind::KueueWorkload
            | Kind::VolcanoPodGroup
            | Kind::KoordinatorPodGroup
            | Kind::KaiPodGroup => self.handling.has_none(kind),
            Kind::PersistentVolumeClaim
            | Kind::PersistentVolume
            | Kind::StorageClass
            | Kind::CsiNode
            | Kind::CsiDriver
            | Kind::CsiStorageCapacity
            | Kind::VolumeAttachment => storage.has_none(kind),
        }
    }
}

//! Under which versions of the API a kind is read.

use super::Kind;

impl Kind {
    /// API versions that have all we read of a kind, newest first.
    #[must_use]
    pub const fn versions(self) -> &'static [&'static str] {
        match self {
            Self::PodDisruptionBudget | Self::PriorityClass | Self::CsiStorageCapacity => &["v1", "v1beta1"],
            Self::DeviceClass | Self::ResourceClaim | Self::ResourceSlice => &["v1", "v1beta2", "v1beta1"],
            // Taint rules of v1alpha3 are read only with a gate that is off.
            Self::DeviceTaintRule => &["v1", "v1beta2"],
            Self::Node
            | Self::Pod
            | Self::Namespace
            | Self::PersistentVolumeClaim
            | Self::PersistentVolume
            | Self::StorageClass
            | Self::CsiNode
            | Self::CsiDriver
            | Self::VolumeAttachment
            | Self::Service
            | Self::ReplicationController
            | Self::ReplicaSet
            | Self::StatefulSet
            | Self::Job
            | Self::LimitRange => &["v1"],
        }
    }

    /// Whether nothing is missing where the kind is not served: a cluster without dynamic resource allocation has no
    /// devices, while other kinds are read in newer versions only than an old server may have.
    #[must_use]
    pub fn may_be_absent(self) -> bool {
        self.group() == "resource.k8s.io"
    }

    /// Whether there is no answer without it.
    #[must_use]
    pub const fn is_essential(self) -> bool {
        matches!(self, Self::Node | Self::Pod)
    }
}

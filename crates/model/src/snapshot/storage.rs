//! Storage, as far as the scheduler reads it: claims, volumes, storage classes, and the objects of
//! CSI drivers. Upstream: `api/core/v1/types.go`, `api/storage/v1/types.go` (1.37). Secret
//! references and driver parameters are not listed.

use super::amount::{Amount, Amounts, Time};
use super::annotations::{AllowList, Annotations};
use super::meta::{LabelSelector, OwnerReference};
use super::pod::{AwsDisk, AzureDisk, GceDisk, NodeSelector, VolumeId};
use super::protobuf::message;
use super::record::record;
use super::record::wire;
use super::text::{Map, Str};

/// The annotation that completes the binding of a claim; any value.
pub const BIND_COMPLETED: &str = "pv.kubernetes.io/bind-completed";
/// The annotation that names the node for which a claim is being provisioned.
pub const SELECTED_NODE: &str = "volume.kubernetes.io/selected-node";
/// The annotation that takes precedence over `storageClassName`.
pub const BETA_STORAGE_CLASS: &str = "volume.beta.kubernetes.io/storage-class";
/// The annotation of a CSINode that lists the in-tree plugins that are migrated to a CSI driver.
pub const MIGRATED_PLUGINS: &str = "storage.alpha.kubernetes.io/migrated-plugins";
/// The annotations that make a class the default of new claims, if `true`.
pub const DEFAULT_CLASS: [&str; 2] = [
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
];

/// The annotations of storage objects that the scheduler or the API server reads.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct OfStorage;

impl AllowList for OfStorage {
    const KEYS: &'static [&'static str] = &[
        BIND_COMPLETED,
        SELECTED_NODE,
        BETA_STORAGE_CLASS,
        MIGRATED_PLUGINS,
        DEFAULT_CLASS[0],
        DEFAULT_CLASS[1],
    ];
}

wire! {
    /// `metadata` of storage objects.
    pub struct Meta {
        name: Str<'a> = 1,
        namespace: Str<'a> = 3,
        uid: Str<'a> = 5,
        /// RFC 3339; set on a terminating object.
        deletion_timestamp: Time<'a> = 9,
        labels: Map<'a> = 11,
        annotations: Annotations<'a, OfStorage> = 12,
        owner_references: Vec<OwnerReference<'a>> = 13 ;
    }

    /// core/v1 PersistentVolumeClaim.
    pub struct PersistentVolumeClaim {
        metadata: Meta<'a> = 1,
        spec: ClaimSpec<'a> = 2,
        status: Status<'a> = 3 ;
    }

    /// `spec` of a claim.
    pub struct ClaimSpec {
        access_modes: Vec<Str<'a>> = 1,
        selector: Option<LabelSelector<'a>> = 4,
        resources: ClaimResources<'a> = 2,
        volume_name: Str<'a> = 3,
        storage_class_name: Option<Str<'a>> = 5,
        /// Absent: `Filesystem`.
        volume_mode: Str<'a> = 6,
        volume_attributes_class_name: Str<'a> = 9 ;
    }

    /// `resources` of a claim.
    pub struct ClaimResources {
        requests: Amounts<'a> = 2 ;
    }

    /// `status` of a claim or volume.
    pub struct Status {
        phase: Str<'a> = 1 ;
    }

    /// core/v1 PersistentVolume.
    pub struct PersistentVolume {
        metadata: Meta<'a> = 1,
        spec: VolumeSpec<'a> = 2,
        status: Status<'a> = 3 ;
    }

    /// `spec` of a volume. Of the sources: CSI, and those that are translated to CSI.
    pub struct VolumeSpec {
        access_modes: Vec<Str<'a>> = 3,
        capacity: Amounts<'a> = 1,
        claim_ref: Option<ClaimRef<'a>> = 4,
        storage_class_name: Str<'a> = 6,
        /// Absent: `Filesystem`.
        volume_mode: Str<'a> = 8,
        volume_attributes_class_name: Str<'a> = 10,
        node_affinity: Option<VolumeNodeAffinity<'a>> = 9,
        csi: Option<CsiSource<'a>> = 2 / 22,
        gce_persistent_disk: Option<GceDisk<'a>> = 2 / 1,
        aws_elastic_block_store: Option<AwsDisk<'a>> = 2 / 2,
        azure_disk: Option<AzureDisk<'a>> = 2 / 16,
        cinder: Option<VolumeId<'a>> = 2 / 8,
        portworx_volume: Option<VolumeId<'a>> = 2 / 18 ;
    }

    /// `spec.claimRef`.
    pub struct ClaimRef {
        namespace: Str<'a> = 2,
        name: Str<'a> = 3,
        uid: Str<'a> = 4 ;
    }

    /// `spec.nodeAffinity` of a volume.
    pub struct VolumeNodeAffinity {
        required: Option<NodeSelector<'a>> = 1 ;
    }

    /// `spec.csi` of a volume.
    pub struct CsiSource {
        driver: Str<'a> = 1,
        volume_handle: Str<'a> = 2 ;
    }

    /// storage.k8s.io/v1 StorageClass.
    pub struct StorageClass {
        metadata: Meta<'a> = 1,
        provisioner: Str<'a> = 2,
        volume_binding_mode: Str<'a> = 7,
        allowed_topologies: Vec<TopologyTerm<'a>> = 8 ;
    }

    /// `allowedTopologies[]`: terms are alternatives.
    pub struct TopologyTerm {
        match_label_expressions: Vec<TopologyRequirement<'a>> = 1 ;
    }

    /// `matchLabelExpressions[]` of a topology term.
    pub struct TopologyRequirement {
        key: Str<'a> = 1,
        values: Vec<Str<'a>> = 2 ;
    }

    /// storage.k8s.io/v1 CSINode.
    pub struct CsiNode {
        metadata: Meta<'a> = 1,
        spec: CsiNodeSpec<'a> = 2 ;
    }

    /// `spec` of a CSINode.
    pub struct CsiNodeSpec {
        drivers: Vec<CsiNodeDriver<'a>> = 1 ;
    }

    /// `spec.drivers[]` of a CSINode.
    pub struct CsiNodeDriver {
        name: Str<'a> = 1 ;
        allocatable: Option<Allocatable> = 4,
    }

    /// storage.k8s.io/v1 CSIDriver.
    pub struct CsiDriver {
        metadata: Meta<'a> = 1 ;
        spec: CsiDriverSpec = 2,
    }

    /// storage.k8s.io/v1 CSIStorageCapacity.
    pub struct CsiStorageCapacity {
        metadata: Meta<'a> = 1,
        /// `None` is accessible from no node.
        node_topology: Option<LabelSelector<'a>> = 2,
        storage_class_name: Str<'a> = 3,
        capacity: Option<Amount<'a>> = 4,
        maximum_volume_size: Option<Amount<'a>> = 5 ;
    }

    /// storage.k8s.io/v1 VolumeAttachment.
    pub struct VolumeAttachment {
        metadata: Meta<'a> = 1,
        spec: AttachmentSpec<'a> = 2 ;
    }

    /// `spec` of an attachment.
    pub struct AttachmentSpec {
        attacher: Str<'a> = 1,
        node_name: Str<'a> = 3,
        source: AttachmentSource<'a> = 2 ;
    }

    /// `spec.source` of an attachment.
    pub struct AttachmentSource {
        persistent_volume_name: Str<'a> = 1 ;
    }
}

/// `allocatable` of a CSINode's driver.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Allocatable {
    /// Volumes of the driver that the node takes; absent: any number.
    pub count: Option<i64>,
}

record!(Allocatable { count });
message!(Allocatable { count = 1 });

/// `spec` of a CSIDriver.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct CsiDriverSpec {
    /// Whether the driver publishes `CSIStorageCapacity` objects.
    pub storage_capacity: Option<bool>,
    /// Whether nodes without the driver reject pods that use it (1.36+).
    pub prevent_pod_scheduling_if_missing: Option<bool>,
}

record!(CsiDriverSpec { storage_capacity, prevent_pod_scheduling_if_missing });
message!(CsiDriverSpec { storage_capacity = 4, prevent_pod_scheduling_if_missing = 11 });

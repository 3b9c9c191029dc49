//! Storage, as far as the scheduler reads it: claims, volumes, storage classes, and the objects of CSI drivers.
//! Upstream: `api/core/v1/types.go`, `api/storage/v1/types.go` (1.37). Secret references and driver parameters are not
//! listed.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize as DeriveDeserialize, Serialize};

use super::amount::{Amount, Amounts};
use super::meta::{LabelSelector, OwnerReference};
use super::pod::{AwsDisk, AzureDisk, GceDisk, NodeSelector, VolumeId};
use super::text::{Map, Str, wire};
use crate::object_only;

/// The annotation that completes the binding of a claim; any value.
pub const BIND_COMPLETED: &str = "pv.kubernetes.io/bind-completed";
/// The annotation that names the node for which a claim is being provisioned.
pub const SELECTED_NODE: &str = "volume.kubernetes.io/selected-node";
/// The annotation that takes precedence over `storageClassName`.
pub const BETA_STORAGE_CLASS: &str = "volume.beta.kubernetes.io/storage-class";
/// The annotation of a CSINode that lists the in-tree plugins that are migrated to a CSI driver.
pub const MIGRATED_PLUGINS: &str = "storage.alpha.kubernetes.io/migrated-plugins";
/// The annotations that make a class the default of new claims, if `true`.
pub const DEFAULT_CLASS: [&str; 2] =
    ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"];

wire! {
    /// `metadata` of storage objects.
    pub struct Meta {
        name: Str<'a>,
        namespace: Str<'a>,
        uid: Str<'a>,
        /// RFC 3339; set on a terminating object.
        deletion_timestamp: Str<'a>,
        labels: Map<'a>,
        annotations: Annotations<'a>,
        owner_references: Vec<OwnerReference<'a>> ;
    }

    /// core/v1 PersistentVolumeClaim.
    pub struct PersistentVolumeClaim {
        metadata: Meta<'a>,
        spec: ClaimSpec<'a>,
        status: Status<'a> ;
    }

    /// `spec` of a claim.
    pub struct ClaimSpec {
        access_modes: Vec<Str<'a>>,
        selector: Option<LabelSelector<'a>>,
        resources: ClaimResources<'a>,
        volume_name: Str<'a>,
        storage_class_name: Str<'a>,
        /// Absent: `Filesystem`.
        volume_mode: Str<'a>,
        volume_attributes_class_name: Str<'a> ;
    }

    /// `resources` of a claim.
    pub struct ClaimResources {
        requests: Amounts<'a> ;
    }

    /// `status` of a claim or volume.
    pub struct Status {
        phase: Str<'a> ;
    }

    /// core/v1 PersistentVolume.
    pub struct PersistentVolume {
        metadata: Meta<'a>,
        spec: VolumeSpec<'a>,
        status: Status<'a> ;
    }

    /// `spec` of a volume. Of the sources: CSI, and those that are translated to CSI.
    pub struct VolumeSpec {
        access_modes: Vec<Str<'a>>,
        capacity: Amounts<'a>,
        claim_ref: Option<ClaimRef<'a>>,
        storage_class_name: Str<'a>,
        /// Absent: `Filesystem`.
        volume_mode: Str<'a>,
        volume_attributes_class_name: Str<'a>,
        node_affinity: Option<VolumeNodeAffinity<'a>>,
        csi: Option<CsiSource<'a>>,
        gce_persistent_disk: Option<GceDisk<'a>>,
        aws_elastic_block_store: Option<AwsDisk<'a>>,
        azure_disk: Option<AzureDisk<'a>>,
        cinder: Option<VolumeId<'a>>,
        portworx_volume: Option<VolumeId<'a>> ;
    }

    /// `spec.claimRef`.
    pub struct ClaimRef {
        namespace: Str<'a>,
        name: Str<'a>,
        uid: Str<'a> ;
    }

    /// `spec.nodeAffinity` of a volume.
    pub struct VolumeNodeAffinity {
        required: Option<NodeSelector<'a>> ;
    }

    /// `spec.csi` of a volume.
    pub struct CsiSource {
        driver: Str<'a>,
        volume_handle: Str<'a> ;
    }

    /// storage.k8s.io/v1 StorageClass.
    pub struct StorageClass {
        metadata: Meta<'a>,
        provisioner: Str<'a>,
        volume_binding_mode: Str<'a>,
        allowed_topologies: Vec<TopologyTerm<'a>> ;
    }

    /// `allowedTopologies[]`: terms are alternatives.
    pub struct TopologyTerm {
        match_label_expressions: Vec<TopologyRequirement<'a>> ;
    }

    /// `matchLabelExpressions[]` of a topology term.
    pub struct TopologyRequirement {
        key: Str<'a>,
        values: Vec<Str<'a>> ;
    }

    /// storage.k8s.io/v1 CSINode.
    pub struct CsiNode {
        metadata: Meta<'a>,
        spec: CsiNodeSpec<'a> ;
    }

    /// `spec` of a CSINode.
    pub struct CsiNodeSpec {
        drivers: Vec<CsiNodeDriver<'a>> ;
    }

    /// `spec.drivers[]` of a CSINode.
    pub struct CsiNodeDriver {
        name: Str<'a> ;
        allocatable: Option<Allocatable>,
    }

    /// storage.k8s.io/v1 CSIDriver.
    pub struct CsiDriver {
        metadata: Meta<'a> ;
        spec: CsiDriverSpec,
    }

    /// storage.k8s.io/v1 CSIStorageCapacity.
    pub struct CsiStorageCapacity {
        metadata: Meta<'a>,
        /// `None` is accessible from no node.
        node_topology: Option<LabelSelector<'a>>,
        storage_class_name: Str<'a>,
        capacity: Option<Amount<'a>>,
        maximum_volume_size: Option<Amount<'a>> ;
    }

    /// storage.k8s.io/v1 VolumeAttachment.
    pub struct VolumeAttachment {
        metadata: Meta<'a>,
        spec: AttachmentSpec<'a> ;
    }

    /// `spec` of an attachment.
    pub struct AttachmentSpec {
        attacher: Str<'a>,
        node_name: Str<'a>,
        source: AttachmentSource<'a> ;
    }

    /// `spec.source` of an attachment.
    pub struct AttachmentSource {
        persistent_volume_name: Str<'a> ;
    }
}

/// `allocatable` of a CSINode's driver.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, DeriveDeserialize)]
#[serde(default, remote = "Self")]
pub struct Allocatable {
    /// Volumes of the driver that the node takes; absent: any number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<i64>,
}

object_only!(Allocatable);

/// `spec` of a CSIDriver.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, DeriveDeserialize)]
#[serde(rename_all = "camelCase", default, remote = "Self")]
pub struct CsiDriverSpec {
    /// Whether the driver publishes `CSIStorageCapacity` objects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub storage_capacity: Option<bool>,
    /// Whether nodes without the driver reject pods that use it (1.36+).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prevent_pod_scheduling_if_missing: Option<bool>,
}

object_only!(CsiDriverSpec);

/// The annotations that the scheduler or the API server reads. Any other is skipped while decoding.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Annotations<'a>(pub Map<'a>);

impl Annotations<'_> {
    /// The value of one of the annotations that are read.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key)
    }
}

struct AnnotationsVisitor;

impl<'de> Visitor<'de> for AnnotationsVisitor {
    type Value = Annotations<'de>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object with string values")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
        let mut kept = Map::default();
        while let Some(key) = access.next_key::<Str<'de>>()? {
            let name = key.as_str();
            let known = [BIND_COMPLETED, SELECTED_NODE, BETA_STORAGE_CLASS, MIGRATED_PLUGINS].contains(&name);
            if known || DEFAULT_CLASS.contains(&name) {
                let value = access.next_value::<Option<Str<'de>>>()?.unwrap_or_default();
                kept.insert(key, value);
            } else {
                access.next_value::<IgnoredAny>()?;
            }
        }
        Ok(Annotations(kept))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Annotations<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(AnnotationsVisitor)
    }
}

//! Boundary types: Kubernetes objects narrowed to what the decision reads, and the header of our own snapshot files.
//!
//! The same structs decode API answers, users' files and snapshots, and encode snapshots: one allow-list for all.

mod served;
mod source;
mod text;

pub mod devices;
pub mod meta;
pub mod node;
pub mod others;
pub mod pod;
pub mod scheduler;
pub mod storage;

use std::fmt;

use serde::Deserialize as DeriveDeserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};

pub use source::{Flaw, Header, Sink, Unreadable};
pub use text::{Entries, Map, Str};

/// `apiVersion` of everything this project writes.
pub const API_VERSION: &str = "preempt/v1alpha1";
/// `kind` of a snapshot file.
pub const SNAPSHOT_KIND: &str = "Snapshot";

/// One object of a kind that the decision reads, or the name of a kind that it does not.
#[derive(Debug, Clone, PartialEq)]
pub enum Object<'a> {
    /// A node.
    Node(node::Node<'a>),
    /// A pod.
    Pod(Box<pod::Pod<'a>>),
    /// A disruption budget.
    PodDisruptionBudget(others::PodDisruptionBudget<'a>),
    /// A priority class.
    PriorityClass(others::PriorityClass<'a>),
    /// A namespace.
    Namespace(others::Namespace<'a>),
    /// A device class.
    DeviceClass(devices::DeviceClass<'a>),
    /// A claim.
    PersistentVolumeClaim(Box<storage::PersistentVolumeClaim<'a>>),
    /// A volume.
    PersistentVolume(Box<storage::PersistentVolume<'a>>),
    /// A storage class.
    StorageClass(Box<storage::StorageClass<'a>>),
    /// What CSI drivers say of a node.
    CsiNode(Box<storage::CsiNode<'a>>),
    /// A CSI driver.
    CsiDriver(Box<storage::CsiDriver<'a>>),
    /// Storage that is left somewhere.
    CsiStorageCapacity(Box<storage::CsiStorageCapacity<'a>>),
    /// A volume on a node.
    VolumeAttachment(Box<storage::VolumeAttachment<'a>>),
    /// A claim for devices.
    ResourceClaim(Box<devices::ResourceClaim<'a>>),
    /// Devices of a pool.
    ResourceSlice(Box<devices::ResourceSlice<'a>>),
    /// A taint for devices.
    DeviceTaintRule(devices::DeviceTaintRule<'a>),
    /// A replica set.
    ReplicaSet(others::Owner<'a>),
    /// A stateful set.
    StatefulSet(others::Owner<'a>),
    /// A job.
    Job(others::Owner<'a>),
    /// A replication controller.
    ReplicationController(others::LabelSelecting<'a>),
    /// A service.
    Service(others::LabelSelecting<'a>),
    /// Defaults of a namespace.
    LimitRange(others::LimitRange<'a>),
    /// Any other kind.
    Other(Str<'a>),
}

/// The kinds that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// core/v1 Node.
    Node,
    /// core/v1 Pod.
    Pod,
    /// policy/v1 PodDisruptionBudget.
    PodDisruptionBudget,
    /// scheduling.k8s.io/v1 PriorityClass.
    PriorityClass,
    /// core/v1 Namespace.
    Namespace,
    /// resource.k8s.io/v1 DeviceClass.
    DeviceClass,
    /// core/v1 PersistentVolumeClaim.
    PersistentVolumeClaim,
    /// core/v1 PersistentVolume.
    PersistentVolume,
    /// storage.k8s.io/v1 StorageClass.
    StorageClass,
    /// storage.k8s.io/v1 CSINode.
    CsiNode,
    /// storage.k8s.io/v1 CSIDriver.
    CsiDriver,
    /// storage.k8s.io/v1 CSIStorageCapacity.
    CsiStorageCapacity,
    /// storage.k8s.io/v1 VolumeAttachment.
    VolumeAttachment,
    /// resource.k8s.io/v1 ResourceClaim.
    ResourceClaim,
    /// resource.k8s.io/v1 ResourceSlice.
    ResourceSlice,
    /// resource.k8s.io/v1 DeviceTaintRule.
    DeviceTaintRule,
    /// apps/v1 ReplicaSet.
    ReplicaSet,
    /// apps/v1 StatefulSet.
    StatefulSet,
    /// batch/v1 Job.
    Job,
    /// core/v1 ReplicationController.
    ReplicationController,
    /// core/v1 Service.
    Service,
    /// core/v1 LimitRange: no decision reads it, pods that do not exist yet do.
    LimitRange,
}

impl Kind {
    /// Every kind, in the order in which a live cluster is read: what moves slowly first, pods last.
    pub const ALL: [Self; 22] = [
        Self::Node,
        Self::PodDisruptionBudget,
        Self::PriorityClass,
        Self::Namespace,
        Self::LimitRange,
        Self::DeviceClass,
        Self::StorageClass,
        Self::CsiDriver,
        Self::CsiNode,
        Self::CsiStorageCapacity,
        Self::VolumeAttachment,
        Self::PersistentVolume,
        Self::PersistentVolumeClaim,
        Self::DeviceTaintRule,
        Self::ResourceSlice,
        Self::ResourceClaim,
        Self::Service,
        Self::ReplicationController,
        Self::StatefulSet,
        Self::ReplicaSet,
        Self::Job,
        Self::Pod,
    ];

    /// The `kind` of its objects.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Node => "Node",
            Self::Pod => "Pod",
            Self::PodDisruptionBudget => "PodDisruptionBudget",
            Self::PriorityClass => "PriorityClass",
            Self::Namespace => "Namespace",
            Self::DeviceClass => "DeviceClass",
            Self::PersistentVolumeClaim => "PersistentVolumeClaim",
            Self::PersistentVolume => "PersistentVolume",
            Self::StorageClass => "StorageClass",
            Self::CsiNode => "CSINode",
            Self::CsiDriver => "CSIDriver",
            Self::CsiStorageCapacity => "CSIStorageCapacity",
            Self::VolumeAttachment => "VolumeAttachment",
            Self::ResourceClaim => "ResourceClaim",
            Self::ResourceSlice => "ResourceSlice",
            Self::DeviceTaintRule => "DeviceTaintRule",
            Self::ReplicaSet => "ReplicaSet",
            Self::StatefulSet => "StatefulSet",
            Self::Job => "Job",
            Self::ReplicationController => "ReplicationController",
            Self::Service => "Service",
            Self::LimitRange => "LimitRange",
        }
    }

    /// The plural used in API paths.
    #[must_use]
    pub const fn plural(self) -> &'static str {
        match self {
            Self::Node => "nodes",
            Self::Pod => "pods",
            Self::PodDisruptionBudget => "poddisruptionbudgets",
            Self::PriorityClass => "priorityclasses",
            Self::Namespace => "namespaces",
            Self::DeviceClass => "deviceclasses",
            Self::PersistentVolumeClaim => "persistentvolumeclaims",
            Self::PersistentVolume => "persistentvolumes",
            Self::StorageClass => "storageclasses",
            Self::CsiNode => "csinodes",
            Self::CsiDriver => "csidrivers",
            Self::CsiStorageCapacity => "csistoragecapacities",
            Self::VolumeAttachment => "volumeattachments",
            Self::ResourceClaim => "resourceclaims",
            Self::ResourceSlice => "resourceslices",
            Self::DeviceTaintRule => "devicetaintrules",
            Self::ReplicaSet => "replicasets",
            Self::StatefulSet => "statefulsets",
            Self::Job => "jobs",
            Self::ReplicationController => "replicationcontrollers",
            Self::Service => "services",
            Self::LimitRange => "limitranges",
        }
    }

    /// API group; empty for core.
    #[must_use]
    pub const fn group(self) -> &'static str {
        match self {
            Self::Node
            | Self::Pod
            | Self::Namespace
            | Self::PersistentVolumeClaim
            | Self::PersistentVolume
            | Self::ReplicationController
            | Self::Service
            | Self::LimitRange => "",
            Self::PodDisruptionBudget => "policy",
            Self::PriorityClass => "scheduling.k8s.io",
            Self::StorageClass
            | Self::CsiNode
            | Self::CsiDriver
            | Self::CsiStorageCapacity
            | Self::VolumeAttachment => "storage.k8s.io",
            Self::DeviceClass | Self::ResourceClaim | Self::ResourceSlice | Self::DeviceTaintRule => "resource.k8s.io",
            Self::ReplicaSet | Self::StatefulSet => "apps",
            Self::Job => "batch",
        }
    }

    /// The kind named `name` of API group `group`.
    #[must_use]
    pub fn find(group: Option<&str>, name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|k| k.name() == name && group.is_none_or(|g| g == k.group()))
    }

    /// Decodes one object of this kind.
    ///
    /// # Errors
    /// The decoder's, when a field has another type than Kubernetes gives it.
    pub fn decode<'de, D: Deserializer<'de>>(self, input: D) -> Result<Object<'de>, D::Error> {
        Ok(match self {
            Self::Node => Object::Node(Deserialize::deserialize(input)?),
            Self::Pod => Object::Pod(Box::new(Deserialize::deserialize(input)?)),
            Self::PodDisruptionBudget => Object::PodDisruptionBudget(Deserialize::deserialize(input)?),
            Self::PriorityClass => Object::PriorityClass(Deserialize::deserialize(input)?),
            Self::Namespace => Object::Namespace(Deserialize::deserialize(input)?),
            Self::DeviceClass => Object::DeviceClass(Deserialize::deserialize(input)?),
            Self::PersistentVolumeClaim => Object::PersistentVolumeClaim(Box::new(Deserialize::deserialize(input)?)),
            Self::PersistentVolume => Object::PersistentVolume(Box::new(Deserialize::deserialize(input)?)),
            Self::StorageClass => Object::StorageClass(Box::new(Deserialize::deserialize(input)?)),
            Self::CsiNode => Object::CsiNode(Box::new(Deserialize::deserialize(input)?)),
            Self::CsiDriver => Object::CsiDriver(Box::new(Deserialize::deserialize(input)?)),
            Self::CsiStorageCapacity => Object::CsiStorageCapacity(Box::new(Deserialize::deserialize(input)?)),
            Self::VolumeAttachment => Object::VolumeAttachment(Box::new(Deserialize::deserialize(input)?)),
            Self::ResourceClaim => Object::ResourceClaim(Box::new(Deserialize::deserialize(input)?)),
            Self::ResourceSlice => Object::ResourceSlice(Box::new(Deserialize::deserialize(input)?)),
            Self::DeviceTaintRule => Object::DeviceTaintRule(Deserialize::deserialize(input)?),
            Self::ReplicaSet => Object::ReplicaSet(Deserialize::deserialize(input)?),
            Self::StatefulSet => Object::StatefulSet(Deserialize::deserialize(input)?),
            Self::Job => Object::Job(Deserialize::deserialize(input)?),
            Self::ReplicationController => Object::ReplicationController(Deserialize::deserialize(input)?),
            Self::Service => Object::Service(Deserialize::deserialize(input)?),
            Self::LimitRange => Object::LimitRange(Deserialize::deserialize(input)?),
        })
    }
}

impl Object<'_> {
    /// Its kind; `None` for a kind that is not read.
    #[must_use]
    pub fn kind(&self) -> Option<Kind> {
        Some(match self {
            Self::Node(_) => Kind::Node,
            Self::Pod(_) => Kind::Pod,
            Self::PodDisruptionBudget(_) => Kind::PodDisruptionBudget,
            Self::PriorityClass(_) => Kind::PriorityClass,
            Self::Namespace(_) => Kind::Namespace,
            Self::DeviceClass(_) => Kind::DeviceClass,
            Self::PersistentVolumeClaim(_) => Kind::PersistentVolumeClaim,
            Self::PersistentVolume(_) => Kind::PersistentVolume,
            Self::StorageClass(_) => Kind::StorageClass,
            Self::CsiNode(_) => Kind::CsiNode,
            Self::CsiDriver(_) => Kind::CsiDriver,
            Self::CsiStorageCapacity(_) => Kind::CsiStorageCapacity,
            Self::VolumeAttachment(_) => Kind::VolumeAttachment,
            Self::ResourceClaim(_) => Kind::ResourceClaim,
            Self::ResourceSlice(_) => Kind::ResourceSlice,
            Self::DeviceTaintRule(_) => Kind::DeviceTaintRule,
            Self::ReplicaSet(_) => Kind::ReplicaSet,
            Self::StatefulSet(_) => Kind::StatefulSet,
            Self::Job(_) => Kind::Job,
            Self::ReplicationController(_) => Kind::ReplicationController,
            Self::Service(_) => Kind::Service,
            Self::LimitRange(_) => Kind::LimitRange,
            Self::Other(_) => return None,
        })
    }
}

/// What [`Object::deserialize`] says when `kind` stands behind other fields: decode [`Head`] first, then the kind.
pub const KIND_COMES_LATE: &str = "kind stands behind other fields";

/// The first fields of any object.
#[derive(Debug, Default, DeriveDeserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Head<'a> {
    /// Group and version.
    #[serde(borrow)]
    pub api_version: Option<Str<'a>>,
    /// Kind.
    #[serde(borrow)]
    pub kind: Option<Str<'a>>,
}

/// The API group of an `apiVersion`.
#[must_use]
pub fn group_of(api_version: &str) -> &str {
    api_version.split_once('/').map_or("", |(group, _)| group)
}

struct ObjectVisitor;

impl<'de> Visitor<'de> for ObjectVisitor {
    type Value = Object<'de>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a Kubernetes object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut group: Option<String> = None;
        while let Some(key) = map.next_key::<Str<'de>>()? {
            match key.as_str() {
                "apiVersion" => group = map.next_value::<Option<Str<'de>>>()?.map(|v| group_of(&v).to_owned()),
                "kind" => {
                    let kind = map.next_value::<Option<Str<'de>>>()?.unwrap_or_default();
                    return if let Some(kind) = Kind::find(group.as_deref(), &kind) {
                        kind.decode(MapAccessDeserializer::new(map))
                    } else {
                        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                        Ok(Object::Other(kind))
                    };
                }
                _ => return Err(de::Error::custom(KIND_COMES_LATE)),
            }
        }
        Ok(Object::Other(Str::default()))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Object<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor)
    }
}

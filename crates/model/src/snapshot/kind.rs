//! The kinds of objects that are read, in one table. Everything that depends on the kind alone is
//! generated from it.

use serde::de::Deserializer;
use serde::ser;

use super::encode::JsonText;
use super::json::{Record, read_record};
use super::protobuf::{Malformed, Merge, Value};
use super::text::Str;
use super::{autoscalers, devices, groups, handlers, node, others, pod, storage};

/// Versions of a kind that has always been `v1` in the supported clusters.
const V1: &[&str] = &["v1"];
/// Versions of a kind that was `v1beta1` before.
const SINCE_V1BETA1: &[&str] = &["v1", "v1beta1"];
/// Versions of the kinds of dynamic resource allocation.
const DRA: &[&str] = &["v1", "v1beta2", "v1beta1"];
/// Versions of PodGroup, which has no served version unless pod groups are on.
const POD_GROUP: &[&str] = &["v1", "v1beta1", "v1alpha2"];
/// Versions of Workload: `v1alpha1` has the groups themselves, later ones templates of them.
const WORKLOAD: &[&str] = &["v1", "v1beta1", "v1alpha2", "v1alpha1"];
/// Versions of CompositePodGroup, which needs a gate of its own.
const COMPOSITE_POD_GROUP: &[&str] = &["v1", "v1beta1", "v1alpha3"];
/// Versions of DeviceTaintRule. The scheduler reads `v1alpha3` only with a feature gate that is off
/// by default.
const TAINT_RULE: &[&str] = &["v1", "v1beta2"];
/// Versions of custom kinds that are read alike in each of them.
const KARPENTER: &[&str] = &["v1", "v1beta1"];
const ALPHA: &[&str] = &["v1alpha1"];
const SINCE_V1ALPHA2: &[&str] = &["v1beta1", "v1alpha2"];
const SINCE_V1ALPHA1: &[&str] = &["v1beta1", "v1alpha1"];
const CLUSTER_API: &[&str] = &["v1beta2", "v1beta1"];
const BETA: &[&str] = &["v1beta1"];
const KUEUE: &[&str] = &["v1beta2", "v1beta1"];
const KAI_GROUP: &[&str] = &["v2alpha2"];
const KAI_QUEUE: &[&str] = &["v2"];

/// The namespace of an object: empty for a kind that has none.
macro_rules! namespace {
    (namespaced, $object:expr) => {
        $object.metadata.namespace.as_str()
    };
    (cluster, $object:expr) => {
        ""
    };
}

macro_rules! has_protobuf {
    (protobuf) => {
        true
    };
    ($other:ident) => {
        false
    };
}

macro_rules! is_custom {
    (custom) => {
        true
    };
    ($other:ident) => {
        false
    };
}

/// Identifies a resource: custom kinds share plurals with Kubernetes' own and with each other.
macro_rules! resource {
    (custom, $plural:literal, $group:literal) => {
        concat!($plural, ".", $group)
    };
    ($other:ident, $plural:literal, $group:literal) => {
        $plural
    };
}

macro_rules! unique_name {
    (custom, $name:literal, $group:literal) => {
        concat!($name, ".", $group)
    };
    ($other:ident, $name:literal, $group:literal) => {
        $name
    };
}

macro_rules! from_protobuf {
    (protobuf, $variant:ident, $message:expr) => {{
        let mut object = Default::default();
        Merge::merge(&mut object, Value::Bytes($message))?;
        Ok(Object::$variant(object))
    }};
    ($other:ident, $variant:ident, $message:expr) => {
        Err(Malformed)
    };
}

/// Defines [`Object`] and [`Kind`] from one row per kind.
macro_rules! kinds {
    ($($variant:ident($wire:ty): $name:literal, $plural:literal, $scope:ident, $group:literal, $versions:expr, $encoding:ident;)*) => {
        /// An object of a kind that is read, or the name of any other kind.
        #[derive(Debug, Clone)]
        #[cfg_attr(test, derive(PartialEq))]
        pub enum Object<'a> {
            $(
                #[doc = concat!("`kind: ", $name, "`.")]
                $variant($wire),
            )*
            /// Any other kind.
            Other(Str<'a>),
        }

        /// The kinds that are read, in the order in which a live cluster is listed.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Kind {
            $(
                #[doc = concat!("`kind: ", $name, "`, plural `", $plural, "`.")]
                $variant,
            )*
        }

        const COUNT: usize = [$($name),*].len();

        impl Kind {
            /// Every kind, in the order in which a live cluster is listed.
            pub const ALL: [Self; COUNT] = [$(Self::$variant),*];

            /// The `kind` of its objects.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// The plural used in API paths.
            pub const fn plural(self) -> &'static str {
                match self {
                    $(Self::$variant => $plural,)*
                }
            }

            /// What names the resource among all that are read: its plural, and for a custom kind
            /// also its group, as kubectl writes it: `nodepools.karpenter.sh`.
            pub const fn resource(self) -> &'static str {
                match self {
                    $(Self::$variant => resource!($encoding, $plural, $group),)*
                }
            }

            /// The `kind` of its objects, for a custom kind with its group: `NodePool.karpenter.sh`.
            pub const fn unique_name(self) -> &'static str {
                match self {
                    $(Self::$variant => unique_name!($encoding, $name, $group),)*
                }
            }

            /// Whether it is a kind of an extension: an autoscaler, a queue, another scheduler. No
            /// decision of kube-scheduler reads it, and most clusters do not have it.
            pub const fn is_custom(self) -> bool {
                match self {
                    $(Self::$variant => is_custom!($encoding),)*
                }
            }

            /// API group; empty for core.
            pub const fn group(self) -> &'static str {
                match self {
                    $(Self::$variant => $group,)*
                }
            }

            /// API versions that have every field that is read, newest first.
            #[must_use]
            pub const fn versions(self) -> &'static [&'static str] {
                match self {
                    $(Self::$variant => $versions,)*
                }
            }

            /// Whether objects of the first of these versions can be decoded from protobuf, too.
            pub const fn has_protobuf(self) -> bool {
                match self {
                    $(Self::$variant => has_protobuf!($encoding),)*
                }
            }

            /// Decodes one object of this kind from protobuf.
            ///
            /// # Errors
            /// When it is not valid, or if the kind is read from JSON alone
            /// ([`Self::has_protobuf`]).
            pub fn decode_protobuf(self, message: &[u8]) -> Result<Object<'_>, Malformed> {
                match self {
                    $(Self::$variant => from_protobuf!($encoding, $variant, message),)*
                }
            }

            /// Decodes one object of this kind from its JSON.
            ///
            /// # Errors
            /// The decoder's, when a field has another type than Kubernetes gives it.
            pub fn decode_json(self, text: &str) -> serde_json::Result<Object<'_>> {
                let mut input = serde_json::Deserializer::from_str(text);
                let object = self.decode(&mut input)?;
                input.end()?;
                Ok(object)
            }

            /// Decodes one object of this kind with any decoder of serde.
            ///
            /// # Errors
            /// The decoder's, when a field has another type than Kubernetes gives it.
            pub fn decode<'de, D: Deserializer<'de>>(self, input: D) -> Result<Object<'de>, D::Error> {
                let mut object = self.empty();
                if let Some(record) = object.record() {
                    read_record(input, record)?;
                }
                Ok(object)
            }

            /// An object of this kind without any field.
            pub(super) fn empty<'a>(self) -> Object<'a> {
                match self {
                    $(Self::$variant => Object::$variant(Default::default()),)*
                }
            }
        }

        impl<'a> Object<'a> {
            /// Its fields; `None` for a kind that is not read.
            pub(super) fn record(&mut self) -> Option<&mut dyn Record<'a>> {
                Some(match self {
                    $(Self::$variant(object) => object,)*
                    Self::Other(_) => return None,
                })
            }
        }

        impl Object<'_> {
            /// Its kind; `None` for a kind that is not read.
            pub fn kind(&self) -> Option<Kind> {
                Some(match self {
                    $(Self::$variant(_) => Kind::$variant,)*
                    Self::Other(_) => return None,
                })
            }

            /// Its namespace, empty for a kind that has none, and its name; `None` for a kind that
            /// is not read.
            pub fn namespace_and_name(&self) -> Option<(&str, &str)> {
                Some(match self {
                    $(Self::$variant(object) => (namespace!($scope, object), object.metadata.name.as_str()),)*
                    Self::Other(_) => return None,
                })
            }

            /// The fields that are read, as JSON without `apiVersion` and `kind`.
            ///
            /// # Errors
            /// For a kind that is not read.
            pub fn to_json(&self) -> serde_json::Result<String> {
                match self {
                    $(Self::$variant(object) => JsonText::of(object),)*
                    Self::Other(_) => Err(ser::Error::custom("an object of a kind that is not read")),
                }
            }
        }
    };
}

// Kinds that change rarely are listed first, and pods last: the later a list, the less it lags
// behind the cluster. Variant(type of the objects): kind, plural, scope, API group, versions that
// have every field that is read, `protobuf` if the fields of the first version have their numbers.
// Those of dynamic resource allocation differ between versions. `custom` is the kind of an extension,
// which is read from JSON: a row here and a struct beside it are all that decoding, listing,
// watching, snapshots and `doctor` need. Of two kinds with the same name the first is meant where
// no group is named.
kinds! {
    Node(node::Node<'a>): "Node", "nodes", cluster, "", V1, protobuf;
    PodDisruptionBudget(others::PodDisruptionBudget<'a>):
        "PodDisruptionBudget", "poddisruptionbudgets", namespaced, "policy", SINCE_V1BETA1, protobuf;
    PriorityClass(others::PriorityClass<'a>):
        "PriorityClass", "priorityclasses", cluster, "scheduling.k8s.io", SINCE_V1BETA1, protobuf;
    Namespace(others::Namespace<'a>): "Namespace", "namespaces", cluster, "", V1, protobuf;
    LimitRange(others::LimitRange<'a>): "LimitRange", "limitranges", namespaced, "", V1, protobuf;
    ResourceQuota(others::ResourceQuota<'a>): "ResourceQuota", "resourcequotas", namespaced, "", V1, protobuf;
    DeviceClass(devices::DeviceClass<'a>): "DeviceClass", "deviceclasses", cluster, "resource.k8s.io", DRA, json;
    StorageClass(Box<storage::StorageClass<'a>>): "StorageClass", "storageclasses", cluster, "storage.k8s.io", V1, protobuf;
    CsiDriver(Box<storage::CsiDriver<'a>>): "CSIDriver", "csidrivers", cluster, "storage.k8s.io", V1, protobuf;
    CsiNode(Box<storage::CsiNode<'a>>): "CSINode", "csinodes", cluster, "storage.k8s.io", V1, protobuf;
    CsiStorageCapacity(Box<storage::CsiStorageCapacity<'a>>):
        "CSIStorageCapacity", "csistoragecapacities", namespaced, "storage.k8s.io", SINCE_V1BETA1, protobuf;
    VolumeAttachment(Box<storage::VolumeAttachment<'a>>):
        "VolumeAttachment", "volumeattachments", cluster, "storage.k8s.io", V1, protobuf;
    PersistentVolume(Box<storage::PersistentVolume<'a>>): "PersistentVolume", "persistentvolumes", cluster, "", V1, protobuf;
    PersistentVolumeClaim(Box<storage::PersistentVolumeClaim<'a>>):
        "PersistentVolumeClaim", "persistentvolumeclaims", namespaced, "", V1, protobuf;
    DeviceTaintRule(devices::DeviceTaintRule<'a>):
        "DeviceTaintRule", "devicetaintrules", cluster, "resource.k8s.io", TAINT_RULE, json;
    ResourceSlice(Box<devices::ResourceSlice<'a>>): "ResourceSlice", "resourceslices", cluster, "resource.k8s.io", DRA, json;
    ResourceClaim(Box<devices::ResourceClaim<'a>>):
        "ResourceClaim", "resourceclaims", namespaced, "resource.k8s.io", DRA, json;
    CompositePodGroup(Box<groups::CompositePodGroup<'a>>):
        "CompositePodGroup", "compositepodgroups", namespaced, "scheduling.k8s.io", COMPOSITE_POD_GROUP, json;
    PodGroup(Box<groups::PodGroup<'a>>): "PodGroup", "podgroups", namespaced, "scheduling.k8s.io", POD_GROUP, json;
    Workload(Box<groups::Workload<'a>>): "Workload", "workloads", namespaced, "scheduling.k8s.io", WORKLOAD, json;
    Service(others::LabelSelecting<'a>): "Service", "services", namespaced, "", V1, protobuf;
    ReplicationController(others::LabelSelecting<'a>):
        "ReplicationController", "replicationcontrollers", namespaced, "", V1, protobuf;
    StatefulSet(others::Owner<'a>): "StatefulSet", "statefulsets", namespaced, "apps", V1, protobuf;
    ReplicaSet(others::ReplicaSet<'a>): "ReplicaSet", "replicasets", namespaced, "apps", V1, protobuf;
    Job(others::Job<'a>): "Job", "jobs", namespaced, "batch", V1, protobuf;
    NodePool(Box<autoscalers::NodePool<'a>>): "NodePool", "nodepools", cluster, "karpenter.sh", KARPENTER, custom;
    NodeClaim(Box<autoscalers::NodeClaim<'a>>): "NodeClaim", "nodeclaims", cluster, "karpenter.sh", KARPENTER, custom;
    NodeOverlay(Box<autoscalers::NodeOverlay<'a>>):
        "NodeOverlay", "nodeoverlays", cluster, "karpenter.sh", ALPHA, custom;
    Ec2NodeClass(autoscalers::NodeClass<'a>):
        "EC2NodeClass", "ec2nodeclasses", cluster, "karpenter.k8s.aws", KARPENTER, custom;
    EksNodeClass(autoscalers::NodeClass<'a>): "NodeClass", "nodeclasses", cluster, "eks.amazonaws.com", V1, custom;
    AksNodeClass(autoscalers::NodeClass<'a>):
        "AKSNodeClass", "aksnodeclasses", cluster, "karpenter.azure.com", SINCE_V1ALPHA2, custom;
    ProvisioningRequest(autoscalers::ProvisioningRequest<'a>):
        "ProvisioningRequest", "provisioningrequests", namespaced, "autoscaling.x-k8s.io", SINCE_V1BETA1, custom;
    CapacityBuffer(autoscalers::CapacityBuffer<'a>):
        "CapacityBuffer", "capacitybuffers", namespaced, "autoscaling.x-k8s.io", SINCE_V1ALPHA1, custom;
    CapacityQuota(Box<autoscalers::CapacityQuota<'a>>):
        "CapacityQuota", "capacityquotas", cluster, "autoscaling.x-k8s.io", SINCE_V1ALPHA1, custom;
    MachineAutoscaler(autoscalers::MachineAutoscaler<'a>):
        "MachineAutoscaler", "machineautoscalers", namespaced, "autoscaling.openshift.io", BETA, custom;
    ClusterAutoscaler(autoscalers::ClusterAutoscaler<'a>):
        "ClusterAutoscaler", "clusterautoscalers", cluster, "autoscaling.openshift.io", V1, custom;
    MachineDeployment(Box<autoscalers::MachineGroup<'a>>):
        "MachineDeployment", "machinedeployments", namespaced, "cluster.x-k8s.io", CLUSTER_API, custom;
    MachineSet(Box<autoscalers::MachineGroup<'a>>):
        "MachineSet", "machinesets", namespaced, "cluster.x-k8s.io", CLUSTER_API, custom;
    OpenShiftMachineSet(Box<autoscalers::MachineGroup<'a>>):
        "MachineSet", "machinesets", namespaced, "machine.openshift.io", BETA, custom;
    ComputeClass(autoscalers::ComputeClass<'a>):
        "ComputeClass", "computeclasses", cluster, "cloud.google.com", V1, custom;
    LocalQueue(Box<handlers::Queue<'a>>): "LocalQueue", "localqueues", namespaced, "kueue.x-k8s.io", KUEUE, custom;
    ClusterQueue(Box<handlers::Queue<'a>>): "ClusterQueue", "clusterqueues", cluster, "kueue.x-k8s.io", KUEUE, custom;
    VolcanoQueue(Box<handlers::Queue<'a>>): "Queue", "queues", cluster, "scheduling.volcano.sh", BETA, custom;
    KaiQueue(Box<handlers::Queue<'a>>): "Queue", "queues", cluster, "scheduling.run.ai", KAI_QUEUE, custom;
    ElasticQuota(Box<handlers::Queue<'a>>):
        "ElasticQuota", "elasticquotas", namespaced, "scheduling.sigs.k8s.io", ALPHA, custom;
    Reservation(Box<handlers::Work<'a>>):
        "Reservation", "reservations", cluster, "scheduling.koordinator.sh", ALPHA, custom;
    KueueWorkload(Box<handlers::Work<'a>>): "Workload", "workloads", namespaced, "kueue.x-k8s.io", KUEUE, custom;
    VolcanoPodGroup(Box<handlers::Work<'a>>):
        "PodGroup", "podgroups", namespaced, "scheduling.volcano.sh", BETA, custom;
    KoordinatorPodGroup(Box<handlers::Work<'a>>):
        "PodGroup", "podgroups", namespaced, "scheduling.sigs.k8s.io", ALPHA, custom;
    KaiPodGroup(Box<handlers::Work<'a>>):
        "PodGroup", "podgroups", namespaced, "scheduling.run.ai", KAI_GROUP, custom;
    Event(Box<others::Event<'a>>): "Event", "events", namespaced, "", V1, json;
    Pod(Box<pod::Pod<'a>>): "Pod", "pods", namespaced, "", V1, protobuf;
}

impl Kind {
    /// The kind named `name` of API group `group`, or of any group. Without a group, the name may
    /// have it as a suffix after a dot.
    pub fn find(group: Option<&str>, name: &str) -> Option<Self> {
        let (name, group) = match (group, name.split_once('.')) {
            (None, Some((name, group))) => (name, Some(group)),
            _ => (name, group),
        };
        Self::ALL
            .into_iter()
            .find(|k| k.name() == name && group.is_none_or(|g| g == k.group() || k.is_also_in(g)))
    }

    /// Whether the API server has the same objects in this group, too.
    fn is_also_in(self, group: &str) -> bool {
        self == Self::Event && group == "events.k8s.io"
    }

    /// The kind with this [`Self::resource`]. No two kinds share one.
    pub fn find_resource(resource: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.resource() == resource)
    }

    /// Whether decisions read it. None reads Events, which record the past, or kinds of extensions,
    /// which concern other programs.
    pub const fn decides(self) -> bool {
        !matches!(self, Self::Event) && !self.is_custom()
    }

    /// Whether a cluster that does not serve the kind has none of its objects. This holds for
    /// extensions, dynamic resource allocation and pod groups. An old server may serve other kinds
    /// in versions that are not read.
    pub fn may_be_absent(self) -> bool {
        self.is_custom()
            || self.group() == "resource.k8s.io"
            || matches!(self, Self::PodGroup | Self::CompositePodGroup | Self::Workload)
    }

    /// Whether no decision is possible without it.
    pub const fn is_essential(self) -> bool {
        matches!(self, Self::Node | Self::Pod)
    }
}

//! The kinds of objects that are read, in one table. Everything that depends on the kind alone is
//! generated from it.

use serde::de::Deserializer;
use serde::ser;

use super::json::{Record, read_record};
use super::meta::ObjectMeta;
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

/// The extension that a kind belongs to, by the last column of its row.
macro_rules! extension {
    (karpenter) => {
        Some(Extension::Karpenter)
    };
    (cluster_autoscaler) => {
        Some(Extension::ClusterAutoscaler)
    };
    (handler) => {
        Some(Extension::Handler)
    };
    ($other:ident) => {
        None
    };
}

/// Identifies a resource: kinds of extensions share plurals with Kubernetes' own and with each other.
macro_rules! resource {
    (protobuf, $plural:literal, $group:literal) => {
        $plural
    };
    (json, $plural:literal, $group:literal) => {
        $plural
    };
    ($extension:ident, $plural:literal, $group:literal) => {
        concat!($plural, ".", $group)
    };
}

macro_rules! is_namespaced {
    (namespaced) => {
        true
    };
    (cluster) => {
        false
    };
}

macro_rules! from_protobuf {
    (protobuf, $variant:ident, $message:expr) => {{
        let mut object = Default::default();
        Merge::merge(&mut object, Value::Bytes($message))?;
        Ok(Object::$variant(object))
    }};
    (json, $variant:ident, $message:expr) => {
        Err(Malformed)
    };
}

/// A program beside kube-scheduler whose objects are read. No decision of kube-scheduler reads
/// them, and most clusters do not have them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extension {
    /// Karpenter, whoever runs it.
    Karpenter,
    /// cluster-autoscaler, with what clouds and machine controllers add to it.
    ClusterAutoscaler,
    /// A program that decides about pods instead of kube-scheduler, or before it.
    Handler,
}

/// Defines [`Kind`] from the rows of all sections.
macro_rules! kind_enum {
    ($($variant:ident: $name:literal, $plural:literal, $scope:ident, $group:literal, $versions:expr, $column:ident;)*) => {
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

            /// What names the resource among all that are read: its plural, and for a kind of an
            /// extension also its group, as kubectl writes it: `nodepools.karpenter.sh`.
            pub const fn resource(self) -> &'static str {
                match self {
                    $(Self::$variant => resource!($column, $plural, $group),)*
                }
            }

            /// The `kind` of its objects, for a kind of an extension with its group:
            /// `NodePool.karpenter.sh`.
            pub const fn unique_name(self) -> &'static str {
                match self {
                    $(Self::$variant => resource!($column, $name, $group),)*
                }
            }

            /// The extension that it belongs to; `None` for one of Kubernetes' own.
            pub const fn extension(self) -> Option<Extension> {
                match self {
                    $(Self::$variant => extension!($column),)*
                }
            }

            /// Whether its objects are in namespaces.
            pub const fn is_namespaced(self) -> bool {
                match self {
                    $(Self::$variant => is_namespaced!($scope),)*
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
                    $(Self::$variant => has_protobuf!($column),)*
                }
            }
        }
    };
}

/// Defines [`Kind`], [`BuiltIn`], [`Object`] and [`AutoscalerObject`] from one row per kind.
macro_rules! kinds {
    (
        built_in { $($variant:ident($wire:ty): $name:literal, $plural:literal, $scope:ident, $group:literal, $versions:expr, $column:ident;)* }
        autoscalers { $($pool:ident($pool_wire:ty): $pool_name:literal, $pool_plural:literal, $pool_scope:ident, $pool_group:literal, $pool_versions:expr, $pool_column:ident;)* }
        queues { $($queue:ident: $queue_name:literal, $queue_plural:literal, $queue_scope:ident, $queue_group:literal, $queue_versions:expr;)* }
        works { $($work:ident: $work_name:literal, $work_plural:literal, $work_scope:ident, $work_group:literal, $work_versions:expr;)* }
        last { $($last:ident($last_wire:ty): $last_name:literal, $last_plural:literal, $last_scope:ident, $last_group:literal, $last_versions:expr, $last_column:ident;)* }
    ) => {
        kind_enum! {
            $($variant: $name, $plural, $scope, $group, $versions, $column;)*
            $($pool: $pool_name, $pool_plural, $pool_scope, $pool_group, $pool_versions, $pool_column;)*
            $($queue: $queue_name, $queue_plural, $queue_scope, $queue_group, $queue_versions, handler;)*
            $($work: $work_name, $work_plural, $work_scope, $work_group, $work_versions, handler;)*
            $($last: $last_name, $last_plural, $last_scope, $last_group, $last_versions, $last_column;)*
        }

        /// Kubernetes' own kinds, for a `match` that has to name each of them and no extension.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum BuiltIn {
            $(
                #[doc = concat!("`kind: ", $name, "`.")]
                $variant,
            )*
            $(
                #[doc = concat!("`kind: ", $last_name, "`.")]
                $last,
            )*
        }

        /// An object of a kind that is read, or the name of any other kind.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Object<'a> {
            $(
                #[doc = concat!("`kind: ", $name, "`.")]
                $variant($wire),
            )*
            $(
                #[doc = concat!("`kind: ", $last_name, "`.")]
                $last($last_wire),
            )*
            /// What an autoscaler reads or writes.
            Autoscaler(AutoscalerObject<'a>),
            /// Where work waits for the program that holds it.
            Queue(Kind, Box<handlers::Queue<'a>>),
            /// What represents pods for such a program.
            Work(Kind, Box<handlers::Work<'a>>),
            /// Any other kind.
            Other(Str<'a>),
        }

        /// An object that an autoscaler reads or writes.
        #[derive(Debug, Clone, PartialEq)]
        pub enum AutoscalerObject<'a> {
            $(
                #[doc = concat!("`kind: ", $pool_name, "`.")]
                $pool($pool_wire),
            )*
        }

        impl Kind {
            /// It as one of Kubernetes' own kinds; `None` for a kind of an extension.
            pub const fn built_in(self) -> Option<BuiltIn> {
                match self {
                    $(Self::$variant => Some(BuiltIn::$variant),)*
                    $(Self::$last => Some(BuiltIn::$last),)*
                    $(Self::$pool => None,)*
                    $(Self::$queue => None,)*
                    $(Self::$work => None,)*
                }
            }

            /// Decodes one object of this kind from protobuf.
            ///
            /// # Errors
            /// When it is not valid, or if the kind is read from JSON alone
            /// ([`Self::has_protobuf`]).
            pub fn decode_protobuf(self, message: &[u8]) -> Result<Object<'_>, Malformed> {
                match self {
                    $(Self::$variant => from_protobuf!($column, $variant, message),)*
                    $(Self::$last => from_protobuf!($last_column, $last, message),)*
                    $(Self::$pool => Err(Malformed),)*
                    $(Self::$queue => Err(Malformed),)*
                    $(Self::$work => Err(Malformed),)*
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
                    $(Self::$last => Object::$last(Default::default()),)*
                    $(Self::$pool => Object::Autoscaler(AutoscalerObject::$pool(Default::default())),)*
                    $(Self::$queue => Object::Queue(self, Box::default()),)*
                    $(Self::$work => Object::Work(self, Box::default()),)*
                }
            }
        }

        impl<'a> Object<'a> {
            /// Its fields; `None` for a kind that is not read.
            pub(super) fn record(&mut self) -> Option<&mut dyn Record<'a>> {
                Some(match self {
                    $(Self::$variant(object) => object,)*
                    $(Self::$last(object) => object,)*
                    $(Self::Autoscaler(AutoscalerObject::$pool(object)) => object,)*
                    Self::Queue(_, queue) => queue,
                    Self::Work(_, work) => work,
                    Self::Other(_) => return None,
                })
            }
        }

        impl Object<'_> {
            /// Its kind; `None` for a kind that is not read.
            pub fn kind(&self) -> Option<Kind> {
                Some(match self {
                    $(Self::$variant(_) => Kind::$variant,)*
                    $(Self::$last(_) => Kind::$last,)*
                    $(Self::Autoscaler(AutoscalerObject::$pool(_)) => Kind::$pool,)*
                    Self::Queue(kind, _) | Self::Work(kind, _) => *kind,
                    Self::Other(_) => return None,
                })
            }

            /// Its namespace, empty for a kind that has none, and its name; `None` for a kind that
            /// is not read.
            pub fn namespace_and_name(&self) -> Option<(&str, &str)> {
                let (namespace, name) = match self {
                    $(Self::$variant(object) => (namespace!($scope, object), object.metadata.name.as_str()),)*
                    $(Self::$last(object) => (namespace!($last_scope, object), object.metadata.name.as_str()),)*
                    $(Self::Autoscaler(AutoscalerObject::$pool(object)) => {
                        (namespace!($pool_scope, object), object.metadata.name.as_str())
                    })*
                    Self::Queue(kind, queue) => (in_scope(*kind, &queue.metadata), queue.metadata.name.as_str()),
                    Self::Work(kind, work) => (in_scope(*kind, &work.metadata), work.metadata.name.as_str()),
                    Self::Other(_) => return None,
                };
                Some((namespace, name))
            }

            /// The fields that are read, as JSON without `apiVersion` and `kind`.
            ///
            /// # Errors
            /// For a kind that is not read.
            pub fn to_json(&self) -> serde_json::Result<String> {
                match self {
                    $(Self::$variant(object) => serde_json::to_string(object),)*
                    $(Self::$last(object) => serde_json::to_string(object),)*
                    $(Self::Autoscaler(AutoscalerObject::$pool(object)) => serde_json::to_string(object),)*
                    Self::Queue(_, queue) => serde_json::to_string(queue),
                    Self::Work(_, work) => serde_json::to_string(work),
                    Self::Other(_) => Err(ser::Error::custom("an object of a kind that is not read")),
                }
            }
        }
    };
}

/// The namespace of an object, which counts only if its kind has one.
fn in_scope<'m>(kind: Kind, metadata: &'m ObjectMeta<'_>) -> &'m str {
    if kind.is_namespaced() { metadata.namespace.as_str() } else { "" }
}

// Kinds that change rarely are listed first, and pods last: the later a list, the less it lags
// behind the cluster. Variant(type of the objects): kind, plural, scope, API group, versions that
// have every field that is read, and `protobuf` if the fields of the first version have their
// numbers; those of dynamic resource allocation differ between versions. Kinds of extensions are
// read from JSON, and name their extension instead. A row here and a struct beside it are all that
// decoding, listing, watching, snapshots and `doctor` need; programs that hold pods share the two
// structs of `handlers.rs`. Of two kinds with the same name the first is meant where no group is
// named.
kinds! {
    built_in {
        Node(node::Node<'a>): "Node", "nodes", cluster, "", V1, protobuf;
        PodDisruptionBudget(others::PodDisruptionBudget<'a>):
            "PodDisruptionBudget", "poddisruptionbudgets", namespaced, "policy", SINCE_V1BETA1, protobuf;
        PriorityClass(others::PriorityClass<'a>):
            "PriorityClass", "priorityclasses", cluster, "scheduling.k8s.io", SINCE_V1BETA1, protobuf;
        Namespace(others::Namespace<'a>): "Namespace", "namespaces", cluster, "", V1, protobuf;
        LimitRange(others::LimitRange<'a>):
            "LimitRange", "limitranges", namespaced, "", V1, protobuf;
        ResourceQuota(others::ResourceQuota<'a>):
            "ResourceQuota", "resourcequotas", namespaced, "", V1, protobuf;
        DeviceClass(devices::DeviceClass<'a>):
            "DeviceClass", "deviceclasses", cluster, "resource.k8s.io", DRA, json;
        StorageClass(Box<storage::StorageClass<'a>>):
            "StorageClass", "storageclasses", cluster, "storage.k8s.io", V1, protobuf;
        CsiDriver(Box<storage::CsiDriver<'a>>):
            "CSIDriver", "csidrivers", cluster, "storage.k8s.io", V1, protobuf;
        CsiNode(Box<storage::CsiNode<'a>>):
            "CSINode", "csinodes", cluster, "storage.k8s.io", V1, protobuf;
        CsiStorageCapacity(Box<storage::CsiStorageCapacity<'a>>):
            "CSIStorageCapacity", "csistoragecapacities", namespaced, "storage.k8s.io", SINCE_V1BETA1, protobuf;
        VolumeAttachment(Box<storage::VolumeAttachment<'a>>):
            "VolumeAttachment", "volumeattachments", cluster, "storage.k8s.io", V1, protobuf;
        PersistentVolume(Box<storage::PersistentVolume<'a>>):
            "PersistentVolume", "persistentvolumes", cluster, "", V1, protobuf;
        PersistentVolumeClaim(Box<storage::PersistentVolumeClaim<'a>>):
            "PersistentVolumeClaim", "persistentvolumeclaims", namespaced, "", V1, protobuf;
        DeviceTaintRule(devices::DeviceTaintRule<'a>):
            "DeviceTaintRule", "devicetaintrules", cluster, "resource.k8s.io", TAINT_RULE, json;
        ResourceSlice(Box<devices::ResourceSlice<'a>>):
            "ResourceSlice", "resourceslices", cluster, "resource.k8s.io", DRA, json;
        ResourceClaim(Box<devices::ResourceClaim<'a>>):
            "ResourceClaim", "resourceclaims", namespaced, "resource.k8s.io", DRA, json;
        CompositePodGroup(Box<groups::CompositePodGroup<'a>>):
            "CompositePodGroup", "compositepodgroups", namespaced, "scheduling.k8s.io", COMPOSITE_POD_GROUP, json;
        PodGroup(Box<groups::PodGroup<'a>>):
            "PodGroup", "podgroups", namespaced, "scheduling.k8s.io", POD_GROUP, json;
        Workload(Box<groups::Workload<'a>>):
            "Workload", "workloads", namespaced, "scheduling.k8s.io", WORKLOAD, json;
        Service(others::LabelSelecting<'a>): "Service", "services", namespaced, "", V1, protobuf;
        ReplicationController(others::LabelSelecting<'a>):
            "ReplicationController", "replicationcontrollers", namespaced, "", V1, protobuf;
        StatefulSet(others::Owner<'a>):
            "StatefulSet", "statefulsets", namespaced, "apps", V1, protobuf;
        ReplicaSet(others::ReplicaSet<'a>):
            "ReplicaSet", "replicasets", namespaced, "apps", V1, protobuf;
        Job(others::Job<'a>): "Job", "jobs", namespaced, "batch", V1, protobuf;
    }
    autoscalers {
        NodePool(Box<autoscalers::NodePool<'a>>):
            "NodePool", "nodepools", cluster, "karpenter.sh", KARPENTER, karpenter;
        NodeClaim(Box<autoscalers::NodeClaim<'a>>):
            "NodeClaim", "nodeclaims", cluster, "karpenter.sh", KARPENTER, karpenter;
        NodeOverlay(Box<autoscalers::NodeOverlay<'a>>):
            "NodeOverlay", "nodeoverlays", cluster, "karpenter.sh", ALPHA, karpenter;
        Ec2NodeClass(autoscalers::NodeClass<'a>):
            "EC2NodeClass", "ec2nodeclasses", cluster, "karpenter.k8s.aws", KARPENTER, karpenter;
        EksNodeClass(autoscalers::NodeClass<'a>):
            "NodeClass", "nodeclasses", cluster, "eks.amazonaws.com", V1, karpenter;
        AksNodeClass(autoscalers::NodeClass<'a>):
            "AKSNodeClass", "aksnodeclasses", cluster, "karpenter.azure.com", SINCE_V1ALPHA2, karpenter;
        ProvisioningRequest(autoscalers::ProvisioningRequest<'a>):
            "ProvisioningRequest", "provisioningrequests", namespaced, "autoscaling.x-k8s.io", SINCE_V1BETA1, cluster_autoscaler;
        CapacityBuffer(autoscalers::CapacityBuffer<'a>):
            "CapacityBuffer", "capacitybuffers", namespaced, "autoscaling.x-k8s.io", SINCE_V1ALPHA1, cluster_autoscaler;
        CapacityQuota(Box<autoscalers::CapacityQuota<'a>>):
            "CapacityQuota", "capacityquotas", cluster, "autoscaling.x-k8s.io", SINCE_V1ALPHA1, cluster_autoscaler;
        MachineAutoscaler(autoscalers::MachineAutoscaler<'a>):
            "MachineAutoscaler", "machineautoscalers", namespaced, "autoscaling.openshift.io", BETA, cluster_autoscaler;
        ClusterAutoscaler(autoscalers::ClusterAutoscaler<'a>):
            "ClusterAutoscaler", "clusterautoscalers", cluster, "autoscaling.openshift.io", V1, cluster_autoscaler;
        MachineDeployment(Box<autoscalers::MachineGroup<'a>>):
            "MachineDeployment", "machinedeployments", namespaced, "cluster.x-k8s.io", CLUSTER_API, cluster_autoscaler;
        MachineSet(Box<autoscalers::MachineGroup<'a>>):
            "MachineSet", "machinesets", namespaced, "cluster.x-k8s.io", CLUSTER_API, cluster_autoscaler;
        OpenShiftMachineSet(Box<autoscalers::MachineGroup<'a>>):
            "MachineSet", "machinesets", namespaced, "machine.openshift.io", BETA, cluster_autoscaler;
        ComputeClass(autoscalers::ComputeClass<'a>):
            "ComputeClass", "computeclasses", cluster, "cloud.google.com", V1, cluster_autoscaler;
    }
    queues {
        LocalQueue: "LocalQueue", "localqueues", namespaced, "kueue.x-k8s.io", KUEUE;
        ClusterQueue: "ClusterQueue", "clusterqueues", cluster, "kueue.x-k8s.io", KUEUE;
        VolcanoQueue: "Queue", "queues", cluster, "scheduling.volcano.sh", BETA;
        KaiQueue: "Queue", "queues", cluster, "scheduling.run.ai", KAI_QUEUE;
        ElasticQuota: "ElasticQuota", "elasticquotas", namespaced, "scheduling.sigs.k8s.io", ALPHA;
    }
    works {
        Reservation: "Reservation", "reservations", cluster, "scheduling.koordinator.sh", ALPHA;
        KueueWorkload: "Workload", "workloads", namespaced, "kueue.x-k8s.io", KUEUE;
        VolcanoPodGroup: "PodGroup", "podgroups", namespaced, "scheduling.volcano.sh", BETA;
        KoordinatorPodGroup: "PodGroup", "podgroups", namespaced, "scheduling.sigs.k8s.io", ALPHA;
        KaiPodGroup: "PodGroup", "podgroups", namespaced, "scheduling.run.ai", KAI_GROUP;
        EvictionRequest: "EvictionRequest", "evictionrequests", namespaced, "lifecycle.k8s.io", ALPHA;
        Eviction: "Eviction", "evictions", namespaced, "lifecycle.k8s.io", ALPHA;
    }
    last {
        Event(Box<others::Event<'a>>): "Event", "events", namespaced, "", V1, json;
        Pod(Box<pod::Pod<'a>>): "Pod", "pods", namespaced, "", V1, protobuf;
    }
}

impl Kind {
    /// Whether it is a kind of an extension: an autoscaler, a queue, another scheduler. No decision
    /// of kube-scheduler reads it, and most clusters do not have it.
    pub const fn is_custom(self) -> bool {
        self.extension().is_some()
    }

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

    /// The path of the list of all its objects in an API version.
    pub fn list_path(self, version: &str) -> String {
        match self.group() {
            "" => format!("/api/{version}/{}", self.plural()),
            group => format!("/apis/{group}/{version}/{}", self.plural()),
        }
    }

    /// Whether no decision is possible without it.
    pub const fn is_essential(self) -> bool {
        matches!(self, Self::Node | Self::Pod)
    }
}

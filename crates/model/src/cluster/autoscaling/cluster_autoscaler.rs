//! Objects that cluster-autoscaler and its relatives read. Upstream: `sigs.k8s.io/cluster-autoscaler`
//! (33c3f97b), `openshift/cluster-autoscaler-operator`.

use super::parts::{Amounts, ObjectCondition, amounts};
use crate::cluster::node::{Taint, taint_parts};
use crate::cluster::quantity::Quantity;
use crate::cluster::reader::{ReadContext, or_default};
use crate::cluster::resources::{ResourceKind, Resources};
use crate::cluster::selector::{Labels, Selector};
use crate::cluster::symbols::Sym;
use crate::cluster::template::TaintEffect;
use crate::notes::Subject;
use crate::snapshot::{Kind, autoscalers as wire};

/// Nodes that are requested before the pods are admitted.
#[derive(Debug, Clone)]
pub struct ProvisioningRequest {
    pub namespace: Sym,
    pub name: Sym,
    /// Its class: who handles it, and how.
    pub class: Sym,
    pub conditions: Box<[ObjectCondition]>,
}

/// Capacity that an autoscaler keeps free. Its pods exist only inside the autoscaler.
#[derive(Debug, Clone)]
pub struct CapacityBuffer {
    pub namespace: Sym,
    pub name: Sym,
    /// The number of pods it is for.
    pub replicas: Option<i64>,
    pub conditions: Box<[ObjectCondition]>,
}

/// A limit on the total resources of the selected nodes.
#[derive(Debug, Clone)]
pub struct CapacityQuota {
    pub name: Sym,
    /// Which nodes; `None` if the selector cannot be read.
    pub selector: Option<Selector>,
    /// Whether it selects every node, because it has no selector.
    pub is_of_all: bool,
    pub limits: Amounts,
    /// Current usage, according to its status.
    pub used: Amounts,
    pub conditions: Box<[ObjectCondition]>,
}

/// The size limits of one of OpenShift's machine groups.
#[derive(Debug, Clone)]
pub struct MachineAutoscaler {
    pub namespace: Sym,
    /// Kind of the group.
    pub target_kind: Sym,
    /// Name of the group.
    pub target: Sym,
    /// Minimum number of machines.
    pub min: i64,
    /// Maximum number of machines.
    pub max: i64,
}

/// OpenShift's settings of cluster-autoscaler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenShiftSettings {
    /// Pods with a lower priority do not make it add nodes.
    pub priority_threshold: Option<i64>,
    /// Maximum number of nodes in the cluster.
    pub max_nodes: Option<i64>,
}

/// A group of machines of Cluster API or OpenShift.
#[derive(Debug, Clone)]
pub struct MachineGroup {
    /// Its API.
    pub kind: Kind,
    pub namespace: Sym,
    pub name: Sym,
    /// Desired number of machines.
    pub replicas: Option<i64>,
    /// Minimum number of machines; `None` if it is not scaled.
    pub min: Option<i64>,
    /// Maximum number of machines; `None` if it is not scaled.
    pub max: Option<i64>,
    /// What its annotations say of a new node.
    pub template: Option<MachineTemplate>,
}

/// A new node of a group of machines, by the group's annotations. cluster-autoscaler uses it while
/// the group has no node.
///
/// Upstream: `cluster-autoscaler/cloudprovider/clusterapi` `clusterapi_unstructured.go` (1.36).
#[derive(Debug, Clone)]
pub struct MachineTemplate {
    pub labels: Labels,
    pub taints: Box<[Taint]>,
    pub allocatable: Resources,
    /// How many pods it takes.
    pub pods: i64,
}

/// How GKE chooses nodes for pods that name the class.
#[derive(Debug, Clone)]
pub struct ComputeClass {
    pub name: Sym,
    /// Whether node pools are created for its pods.
    pub creates_pools: bool,
}

impl ProvisioningRequest {
    pub(super) fn read(wire: &wire::ProvisioningRequest, reader: &mut ReadContext) -> Self {
        Self {
            namespace: reader.namespace(&wire.metadata.namespace),
            name: reader.intern(&wire.metadata.name),
            class: reader.intern(&wire.spec.provisioning_class_name),
            conditions: ObjectCondition::read_all(&wire.status.conditions, reader),
        }
    }
}

impl CapacityBuffer {
    pub(super) fn read(wire: &wire::CapacityBuffer, reader: &mut ReadContext) -> Self {
        Self {
            namespace: reader.namespace(&wire.metadata.namespace),
            name: reader.intern(&wire.metadata.name),
            replicas: wire.status.replicas,
            conditions: ObjectCondition::read_all(&wire.status.conditions, reader),
        }
    }
}

impl CapacityQuota {
    pub(super) fn read(wire: &wire::CapacityQuota, reader: &mut ReadContext) -> Self {
        let subject = Subject::object(Kind::CapacityQuota, "", &wire.metadata.name);
        let (limits, used) = (&wire.spec.limits.resources, &wire.status.used.resources);
        Self {
            name: reader.intern(&wire.metadata.name),
            selector: Selector::read(wire.spec.selector.as_ref(), &mut reader.symbols).ok(),
            is_of_all: wire.spec.selector.is_none(),
            limits: amounts(limits, &subject, "spec.limits.resources", reader),
            used: amounts(used, &subject, "status.used.resources", reader),
            conditions: ObjectCondition::read_all(&wire.status.conditions, reader),
        }
    }
}

impl MachineAutoscaler {
    pub(super) fn read(wire: &wire::MachineAutoscaler, reader: &mut ReadContext) -> Self {
        let spec = &wire.spec;
        Self {
            namespace: reader.namespace(&wire.metadata.namespace),
            target_kind: reader.intern(&spec.scale_target_ref.kind),
            target: reader.intern(&spec.scale_target_ref.name),
            min: spec.min_replicas,
            max: spec.max_replicas,
        }
    }
}

impl OpenShiftSettings {
    pub(super) fn read(wire: &wire::ClusterAutoscaler) -> Self {
        Self {
            priority_threshold: wire.spec.pod_priority_threshold,
            max_nodes: wire.spec.resource_limits.max_nodes_total,
        }
    }
}

impl MachineGroup {
    pub(super) fn read(kind: Kind, wire: &wire::MachineGroup, reader: &mut ReadContext) -> Self {
        let (meta, annotations) = (&wire.metadata, &wire.metadata.annotations);
        let size = |own: &str, openshift: &str| {
            let text = if own.is_empty() { openshift } else { own };
            text.trim().parse::<i64>().ok()
        };
        Self {
            kind,
            namespace: reader.symbols.intern(or_default(&meta.namespace)),
            name: reader.intern(&meta.name),
            replicas: wire.spec.replicas,
            min: size(&annotations.min_size, &annotations.openshift_min_size),
            max: size(&annotations.max_size, &annotations.openshift_max_size),
            template: MachineTemplate::read(annotations, reader),
        }
    }
}

/// How many pods a new node takes if no annotation says so.
const MAX_PODS: i64 = 110;

impl MachineTemplate {
    /// Reads the annotations; `None` unless they say how much cpu and memory a node has.
    fn read(annotations: &wire::ScaleAnnotations, reader: &mut ReadContext) -> Option<Self> {
        let own = |own: &str, openshift: String| {
            if own.is_empty() { openshift } else { own.to_owned() }
        };
        let openshift_memory = match annotations.openshift_memory.as_str() {
            "" => String::new(),
            megabytes => format!("{megabytes}Mi"),
        };
        let gpus = own(&annotations.gpu_count, String::from(annotations.openshift_gpu.as_str()));
        let gpu = match annotations.gpu_type.as_str() {
            "" => "nvidia.com/gpu",
            kind => kind,
        };
        let amounts = [
            ("cpu", own(&annotations.cpu, String::from(annotations.openshift_cpu.as_str()))),
            ("memory", own(&annotations.memory, openshift_memory)),
            ("ephemeral-storage", String::from(annotations.ephemeral_storage.as_str())),
            (gpu, gpus),
        ];
        let mut all = Vec::new();
        for (name, text) in amounts {
            let quantity = Quantity::parse(text.trim()).ok();
            // Without these two a group cannot grow from zero.
            if quantity.is_none() && matches!(name, "cpu" | "memory") {
                return None;
            }
            let kind = ResourceKind::of(name);
            all.extend(quantity.map(|amount| (kind, reader.intern(name), kind.count(amount))));
        }
        let mut labels = vec![
            (reader.intern("kubernetes.io/os"), reader.intern("linux")),
            (reader.intern("kubernetes.io/arch"), reader.intern("amd64")),
        ];
        for (key, value) in pairs(&annotations.labels) {
            let key = reader.intern(key);
            labels.retain(|(other, _)| *other != key);
            labels.push((key, reader.intern(value)));
        }
        labels.sort_unstable();
        let mut taints = Vec::new();
        for text in annotations.taints.split(',').map(str::trim).filter(|text| !text.is_empty()) {
            let (key, value, effect) = taint_parts(text);
            taints.push(Taint {
                key: reader.intern(key.unwrap_or_default()),
                value: reader.intern(value.unwrap_or_default()),
                effect: TaintEffect::read(effect.unwrap_or_default())
                    .unwrap_or(TaintEffect::Unknown),
            });
        }
        Some(Self {
            labels: labels.into(),
            taints: taints.into(),
            allocatable: all.into_iter().collect(),
            pods: annotations.max_pods.trim().parse().unwrap_or(MAX_PODS),
        })
    }
}

/// The pairs of an annotation such as `a=b,c=d`.
fn pairs(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split(',').filter_map(|pair| pair.trim().split_once('='))
}

impl ComputeClass {
    pub(super) fn read(wire: &wire::ComputeClass, reader: &mut ReadContext) -> Self {
        let creation = wire.spec.node_pool_auto_creation.as_ref();
        Self {
            name: reader.intern(&wire.metadata.name),
            creates_pools: creation.is_some_and(|creation| creation.enabled),
        }
    }
}

//! A node.

use std::borrow::Cow;

use jiff::Timestamp;
use serde::Deserialize;

use super::node_image::NodeImage;
use super::notes::QUANTITY;
use super::reader::ReadContext;
use super::resources::{ResourceKind, Resources};
use super::symbols::{PoolIx, Sym};
use super::template::TaintEffect;
use super::{Cluster, quantity};
use crate::notes::{Note, ObjectPart, Subject};
use crate::snapshot::meta::pods::DO_NOT_DISRUPT;
use crate::snapshot::{Kind, node as wire};

/// Index of a node in [`super::Cluster::nodes`], which is ordered by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeIx(pub u32);

/// With `true`, cluster-autoscaler does not remove the node.
const SCALE_DOWN_DISABLED: &str = "cluster-autoscaler.kubernetes.io/scale-down-disabled";

#[derive(Debug, Clone)]
pub struct Node {
    pub name: Sym,
    pub labels: PoolIx,
    /// `spec.unschedulable`: cordoned.
    pub unschedulable: bool,
    /// `spec.taints`, in order.
    pub taints: Box<[Taint]>,
    /// `status.allocatable` without pods.
    pub allocatable: Resources,
    /// The same and `pods` where amounts that are too large to count are the largest number, if
    /// that differs.
    pub saturated: Option<Box<Saturated>>,
    /// `status.allocatable.pods`; absent as 0.
    pub allocatable_pods: i64,
    /// `status.declaredFeatures`.
    pub declared_features: Box<[Sym]>,
    /// Resources that are assumed to be free although pods request them.
    pub freed: Resources,
    /// Pods that are assumed to be gone although they count.
    pub freed_pods: i64,
    /// When it was created.
    pub created: Option<Timestamp>,
    /// The latest `timeAdded` of its taints.
    pub tainted: Option<Timestamp>,
    /// When taints were added, by their keys, as far as that is known.
    pub taint_times: Box<[(Sym, Timestamp)]>,
    /// The latest `timeAdded` of its `NoExecute` taints.
    pub evicts_since: Option<Timestamp>,
    /// Its condition `Ready`.
    pub ready: Option<Box<NodeReady>>,
    /// Kind and UID of the controllers whose pods the annotation `preferAvoidPods` names.
    pub avoids: Box<[(Sym, Sym)]>,
    /// Annotations that tell autoscalers not to remove the node.
    pub kept_by: Box<[&'static str]>,
    /// What made it, as its annotations say: `MachineSet/NAMESPACE/NAME` of Cluster API, or
    /// `Machine/NAMESPACE/NAME` of OpenShift; empty if they do not say.
    pub machine: Sym,
    /// `status.nodeInfo.kubeletVersion`; empty if it is not known.
    pub kubelet: Sym,
    /// Images on the node, ordered by the symbols of their names. Most nodes have dozens, and many
    /// have the same ones.
    pub(crate) images: Box<[PoolIx]>,
}

/// The condition `Ready` of a node, which its kubelet writes; without the kubelet, the control plane
/// sets it to `Unknown`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeReady {
    /// `True`, `False` or `Unknown`.
    pub status: Sym,
    pub reason: Sym,
    /// The kubelet's message, if it is not Ready.
    pub message: Box<str>,
    /// `lastTransitionTime`.
    pub since: Option<Timestamp>,
}

/// `spec.taints[]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taint {
    pub key: Sym,
    /// Value, may be empty.
    pub value: Sym,
    pub effect: TaintEffect,
}

/// What a node has for pods, where amounts that are too large to count are the largest number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saturated {
    /// `status.allocatable` without pods.
    pub allocatable: Resources,
    /// `status.allocatable.pods`.
    pub pods: i64,
}

impl Node {
    /// Reads a node; `None` if it has no name.
    pub(super) fn read(wire: &wire::Node, reader: &mut ReadContext) -> Option<Self> {
        let (meta, spec, status) = (&wire.metadata, &wire.spec, &wire.status);
        if reader.is_nameless(Kind::Node, &meta.name) {
            return None;
        }
        let labels = reader.labels(&meta.labels);
        let (allocatable, allocatable_pods, saturated) = allocatable(wire, reader);
        let images = images(&status.images, reader);
        let avoids = avoided_controllers(&meta.annotations.prefer_avoid_pods);
        Some(Self {
            avoids: avoids
                .iter()
                .map(|(kind, uid)| (reader.intern(kind), reader.intern(uid)))
                .collect(),
            name: reader.intern(&meta.name),
            labels,
            unschedulable: spec.unschedulable,
            taints: spec.taints.iter().map(|taint| Taint::read(taint, reader)).collect(),
            allocatable,
            allocatable_pods,
            saturated,
            freed: Resources::default(),
            freed_pods: 0,
            declared_features: reader.intern_all(&status.declared_features),
            created: meta.creation_timestamp.parse().ok(),
            kept_by: kept_by(&meta.annotations),
            tainted: spec.taints.iter().filter_map(|t| t.time_added.parse().ok()).max(),
            machine: reader.intern(&machine(&meta.annotations)),
            taint_times: spec
                .taints
                .iter()
                .filter_map(|taint| {
                    Some((reader.intern(&taint.key), taint.time_added.parse().ok()?))
                })
                .collect(),
            evicts_since: (spec.taints.iter())
                .filter(|taint| taint.effect.as_str() == "NoExecute")
                .filter_map(|taint| taint.time_added.parse().ok())
                .max(),
            ready: NodeReady::read(&status.conditions, reader),
            kubelet: reader.intern(&status.node_info.kubelet_version),
            images,
        })
    }
}

impl NodeReady {
    fn read(conditions: &wire::NodeConditions, reader: &mut ReadContext) -> Option<Box<Self>> {
        let condition = conditions.0.first()?;
        let is_ready = condition.status.as_str() == "True";
        Some(Box::new(Self {
            status: reader.intern(&condition.status),
            reason: reader.intern(&condition.reason),
            message: Box::from(if is_ready { "" } else { condition.message.as_str() }),
            since: condition.last_transition_time.parse().ok(),
        }))
    }
}

impl Node {
    /// The requested resources, minus those assumed to be free.
    pub fn used<'r>(&self, requested: &'r Resources) -> Cow<'r, Resources> {
        if self.freed == Resources::default() {
            Cow::Borrowed(requested)
        } else {
            Cow::Owned(requested.less(&self.freed))
        }
    }

    /// When the first taint with this key was added, if that is known.
    pub fn tainted_since(&self, key: Sym) -> Option<Timestamp> {
        self.taint_times.iter().filter(|(of, _)| *of == key).map(|(_, time)| *time).min()
    }

    /// The number of pods, minus those assumed to be gone.
    pub fn used_pods(&self, pods: usize) -> i64 {
        let pods = i64::try_from(pods).unwrap_or(i64::MAX);
        pods.saturating_sub(self.freed_pods).max(0)
    }
}

impl Cluster {
    /// The size in bytes of an image, by one of its names, on a node that has it.
    #[must_use]
    pub fn image_size(&self, node: &Node, image: Sym) -> Option<i64> {
        let image_at = |at: &PoolIx| self.images.get(*at);
        let index = node
            .images
            .binary_search_by_key(&Some(image), |at| image_at(at).map(|image| image.name))
            .ok()?;
        image_at(node.images.get(index)?).map(|image| image.size)
    }
}

/// Annotations of a node that are `true` and forbid autoscalers to remove it.
fn kept_by(annotations: &wire::NodeAnnotations) -> Box<[&'static str]> {
    let all = [
        (SCALE_DOWN_DISABLED, &annotations.scale_down_disabled),
        (DO_NOT_DISRUPT, &annotations.do_not_disrupt),
    ];
    all.into_iter().filter(|(_, value)| value.as_str() == "true").map(|(key, _)| key).collect()
}

/// The object that made the node's machine, by its annotations.
fn machine(annotations: &wire::NodeAnnotations) -> String {
    let owner = [
        annotations.owner_kind.as_str(),
        annotations.owner_namespace.as_str(),
        annotations.owner_name.as_str(),
    ];
    match annotations.machine.as_str() {
        _ if !annotations.owner_name.is_empty() => owner.join("/"),
        "" => String::new(),
        machine => format!("Machine/{machine}"),
    }
}

/// `status.allocatable`, and the number of pods in it.
fn allocatable(
    wire: &wire::Node,
    reader: &mut ReadContext,
) -> (Resources, i64, Option<Box<Saturated>>) {
    let (mut allocatable, mut pods) = (Vec::new(), 0);
    let (mut saturated, mut saturated_pods, mut is_huge) = (Vec::new(), 0, false);
    for (resource, text) in wire.status.allocatable.iter() {
        let kind = ResourceKind::of(resource);
        let text = reader.intern(text);
        let quantity = reader.quantity(text);
        if let Some(problem) = quantity::problem(quantity, "0") {
            let problem =
                format!("status.allocatable[{resource}] `{}` {problem}", reader.symbols.text(text));
            let node = Subject::object(Kind::Node, "", &wire.metadata.name);
            let note = Note::warning(&QUANTITY, problem);
            reader.note(
                node,
                if quantity.is_err() {
                    note.lacking(Some(Kind::Node), ObjectPart::Field)
                } else {
                    note
                },
            );
        }
        let amount = quantity.map_or(0, |quantity| kind.count(quantity));
        let largest = quantity.map_or(0, |quantity| kind.saturated_count(quantity));
        is_huge |= largest != amount;
        if kind == ResourceKind::Pods {
            (pods, saturated_pods) = (amount, largest);
        }
        let name = reader.intern(resource);
        allocatable.push((kind, name, amount));
        saturated.push((kind, name, largest));
    }
    let saturated =
        || Saturated { allocatable: saturated.into_iter().collect(), pods: saturated_pods };
    (allocatable.into_iter().collect(), pods, is_huge.then(|| Box::new(saturated())))
}

/// Names of images with their size, ordered by symbol. Parity: if an image is listed twice, the
/// first size counts.
fn images(wire: &[wire::Image], reader: &mut ReadContext) -> Box<[PoolIx]> {
    let mut images: Vec<NodeImage> = Vec::new();
    for image in wire {
        for name in &image.names {
            images.push(NodeImage { name: reader.intern(name), size: image.size_bytes });
        }
    }
    images.sort_by_key(|image| image.name);
    images.dedup_by_key(|image| image.name);
    images.into_iter().map(|image| reader.images.intern(image).0).collect()
}

impl Taint {
    pub(super) fn read_all(wire: &[wire::Taint], reader: &mut ReadContext) -> Box<[Self]> {
        wire.iter().map(|taint| Self::read(taint, reader)).collect()
    }

    fn read(wire: &wire::Taint, reader: &mut ReadContext) -> Self {
        Self {
            key: reader.intern(&wire.key),
            value: reader.intern(&wire.value),
            effect: TaintEffect::read(&wire.effect).unwrap_or(TaintEffect::Unknown),
        }
    }

    /// Whether the taint makes the node reject pods that do not tolerate it.
    pub fn repels(&self) -> bool {
        matches!(self.effect, TaintEffect::NoSchedule | TaintEffect::NoExecute)
    }
}

/// The annotation by which a node asks not to be given the pods of some controllers.
///
/// Upstream: `pkg/apis/core/v1/helper/helpers.go` `GetAvoidPodsFromNodeAnnotations` (1.21).
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Avoided {
    prefer_avoid_pods: Vec<Entry>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Entry {
    pod_signature: Signature,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Signature {
    pod_controller: Controller,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Controller {
    kind: String,
    uid: String,
}

/// Kind and UID of each controller whose pods a node avoids, as its annotation names them; none if it cannot be read.
fn avoided_controllers(annotation: &str) -> Vec<(String, String)> {
    let avoided: Avoided = serde_json::from_str(annotation).unwrap_or_default();
    let controllers =
        avoided.prefer_avoid_pods.into_iter().map(|entry| entry.pod_signature.pod_controller);
    controllers.map(|controller| (controller.kind, controller.uid)).collect()
}

/// Key, value and effect of `key=value:Effect`; what is missing is absent.
pub(crate) fn taint_parts(text: &str) -> (Option<&str>, Option<&str>, Option<&str>) {
    let (pair, effect) = match text.rsplit_once(':') {
        Some((pair, effect)) => (pair, Some(effect)),
        None => (text, None),
    };
    let (key, value) = match pair.split_once('=') {
        Some((key, value)) => (key, Some(value)),
        None => (pair, None),
    };
    (Some(key).filter(|key| !key.is_empty()), value, effect)
}

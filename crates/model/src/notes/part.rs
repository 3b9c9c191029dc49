//! The parts of an object that rules read in different decisions.

use crate::snapshot::Kind;
use crate::snapshot::meta::MIRROR;

/// Something in the input that the answer lacks.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct MissingInput {
    /// The kind of the object; `None` if that is not known.
    pub kind: Option<Kind>,
    pub part: ObjectPart,
}

impl MissingInput {
    /// Whether it is a missing object of that kind, or a field that every reader of the object
    /// reads.
    pub fn is_of_all(&self, kind: Kind) -> bool {
        self.kind == Some(kind)
            && matches!(self.part, ObjectPart::Object | ObjectPart::Identity | ObjectPart::Field)
    }

    /// Whether a list of pods may lack a pod, or contain one that it should not.
    pub fn is_of_lists(&self) -> bool {
        self.kind.is_none_or(|kind| kind == Kind::Pod)
            && matches!(self.part, ObjectPart::Object | ObjectPart::Identity)
    }
}

/// A part of an object, where some rules read one part without another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum ObjectPart {
    /// The whole object.
    Object,
    /// Which pod it is, and whether it is pending, running or ended.
    Identity,
    /// A field that every reader of the object reads.
    Field,
    Label(Box<str>),
    Labels,
    /// Names and sizes of images, which only affect scores.
    Images,
    /// The annotation of a node that names pods to keep away, which only affects scores in old
    /// schedulers.
    AvoidedPods,
    /// The features that a node declares.
    DeclaredFeatures,
    /// Fields of a pod on a node, or nominated to one, that are read if pods may be preempted.
    OfVictims,
    /// Fields that no decision reads: they are shown, or sent back to the API server.
    Shown,
}

/// Fields of a pod that are read for the pod in question, and for others if they may be preempted.
const OF_VICTIMS: [&str; 15] = [
    "spec.priority",
    "spec.priorityClassName",
    "spec.preemptionPolicy",
    "spec.terminationGracePeriodSeconds",
    "spec.tolerations",
    "spec.nodeSelector",
    "spec.affinity.nodeAffinity",
    "spec.topologySpreadConstraints",
    "spec.schedulingGates",
    "spec.volumes[].emptyDir",
    "status.startTime",
    "status.conditions",
    "metadata.creationTimestamp",
    "metadata.deletionGracePeriodSeconds",
    "metadata.ownerReferences",
];

/// Fields of a pod that identify it, or show whether it waits for a node.
const IDENTITY: [&str; 8] = [
    "metadata",
    "metadata.name",
    "metadata.namespace",
    "metadata.deletionTimestamp",
    "spec",
    "spec.nodeName",
    "status",
    "status.phase",
];

/// Fields of kinds that no decision reads, by JSON path.
const SHOWN: [(Kind, &[&str]); 3] = [
    (
        Kind::Pod,
        &[
            "metadata.resourceVersion",
            "spec.runtimeClassName",
            "status.qosClass",
            "status.reason",
            "status.message",
            "status.containerStatuses[].state",
            "status.initContainerStatuses[].state",
            "spec.tolerations[].tolerationSeconds",
        ],
    ),
    (
        Kind::Node,
        &[
            "metadata.resourceVersion",
            "metadata.uid",
            "metadata.creationTimestamp",
            "spec.taints[].timeAdded",
            "status.conditions",
        ],
    ),
    (
        Kind::PodDisruptionBudget,
        &[
            "metadata.resourceVersion",
            "metadata.uid",
            "metadata.creationTimestamp",
            "metadata.ownerReferences",
            "metadata.generation",
            "spec.maxUnavailable",
            "spec.minAvailable",
            "spec.unhealthyPodEvictionPolicy",
            "status.conditions",
            "status.currentHealthy",
            "status.desiredHealthy",
            "status.expectedPods",
            "status.observedGeneration",
        ],
    ),
];

impl ObjectPart {
    /// The part that a field belongs to, by its path in the JSON of the object. An unknown field
    /// counts as read.
    pub fn of(kind: Kind, path: &str) -> Self {
        let selected =
            matches!(kind, Kind::Pod | Kind::Node | Kind::Namespace | Kind::PersistentVolume);
        match path.strip_prefix("metadata.labels") {
            Some(_) if !selected => return Self::Shown,
            Some("") => return Self::Labels,
            Some(key) if key.starts_with('.') => {
                return Self::Label(key.trim_start_matches('.').into());
            }
            Some(_) | None => {}
        }
        let path = without_indices(path);
        let within = |part: &str| {
            path.strip_prefix(part)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        };
        if SHOWN.iter().any(|(of, fields)| *of == kind && fields.iter().any(|field| within(field)))
        {
            return Self::Shown;
        }
        if kind == Kind::Pod
            && let Some(key) = path.strip_prefix("metadata.annotations.")
            && key != MIRROR
        {
            return Self::Shown;
        }
        match kind {
            Kind::Node if within("status.images") => Self::Images,
            Kind::Node if within("status.declaredFeatures") => Self::DeclaredFeatures,
            Kind::Node if within("metadata.annotations") => Self::AvoidedPods,
            Kind::Pod if IDENTITY.contains(&path.as_str()) => Self::Identity,
            Kind::Pod if IMAGES.iter().any(|field| within(field)) => Self::Images,
            Kind::Pod if OF_VICTIMS.iter().any(|field| within(field)) => Self::OfVictims,
            _ => Self::Field,
        }
    }
}

/// The images of a pod.
const IMAGES: [&str; 3] =
    ["spec.containers[].image", "spec.initContainers[].image", "spec.volumes[].image"];

/// A path without list indices: `spec.taints[]` for `spec.taints[3]`.
fn without_indices(path: &str) -> String {
    let mut shown = String::with_capacity(path.len());
    for (i, piece) in path.split('[').enumerate() {
        let after = piece
            .split_once(']')
            .filter(|(index, _)| i > 0 && index.bytes().all(|b| b.is_ascii_digit()));
        match after {
            Some((_, rest)) => shown.extend(["[]", rest]),
            None if i > 0 => shown.extend(["[", piece]),
            None => shown.push_str(piece),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::ObjectPart;
    use crate::snapshot::Kind;

    #[test]
    fn parts_of_objects() {
        for (kind, path, part) in [
            (Kind::Pod, "metadata.labels", ObjectPart::Labels),
            (
                Kind::Pod,
                "metadata.labels.app.kubernetes.io/name",
                ObjectPart::Label("app.kubernetes.io/name".into()),
            ),
            (Kind::Pod, "metadata.annotations.karpenter.sh/do-not-disrupt", ObjectPart::Shown),
            (Kind::Pod, "metadata.annotations.kubernetes.io/config.mirror", ObjectPart::Field),
            (Kind::Pod, "metadata", ObjectPart::Identity),
            (Kind::Pod, "status.phase", ObjectPart::Identity),
            (Kind::StorageClass, "metadata.labels.a", ObjectPart::Shown),
            (Kind::Node, "status.images[3].names[0]", ObjectPart::Images),
            (Kind::Node, "spec.taints[1].timeAdded", ObjectPart::Shown),
            (Kind::Node, "spec.taints[1]", ObjectPart::Field),
            (Kind::Node, "status.allocatable.cpu", ObjectPart::Field),
            (Kind::Pod, "spec.containers[0].image", ObjectPart::Images),
            (Kind::Pod, "spec.containers[0].imagePullPolicy", ObjectPart::Field),
            (Kind::Pod, "spec.containers[0]", ObjectPart::Field),
            (Kind::Pod, "spec.tolerations[0].key", ObjectPart::OfVictims),
            (Kind::Pod, "spec.priority", ObjectPart::OfVictims),
            (Kind::Job, "spec.selector", ObjectPart::Field),
        ] {
            assert_eq!(ObjectPart::of(kind, path), part, "{path}");
        }
    }
}

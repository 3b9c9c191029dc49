//! What stops an autoscaler from removing a node, and its Events about it. None of this stops
//! `kubectl drain`.

use jiff::Timestamp;

use crate::afterwards;
use crate::plan::{Afterwards, PodId};
use model::cluster::autoscaling::karpenter::POOL_LABEL;
use model::cluster::{Cluster, NodeIx, Pod, PodIx};
use model::edits::stays_when_drained;
use model::snapshot::meta::pods::{DO_NOT_DISRUPT, SAFE_LOCAL_VOLUMES, SAFE_TO_EVICT};

/// Why an autoscaler leaves a node alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hold {
    pub by: Autoscaler,
    /// The pod that is the cause; `None` if it is the node itself.
    pub pod: Option<PodId>,
    pub why: HoldReason,
    /// The pod's `emptyDir` volumes, if they are the cause.
    pub volumes: Vec<String>,
}

impl Hold {
    /// What lifts it: annotations and flags.
    pub fn lifted_by(&self) -> String {
        let annotate = "annotate the pod with cluster-autoscaler.kubernetes.io/safe-to-evict=true";
        match self.why {
            HoldReason::Annotation(SAFE_TO_EVICT) => format!("set {SAFE_TO_EVICT} to true"),
            HoldReason::Annotation(key) => format!("remove the annotation {key}"),
            HoldReason::Bare => annotate.to_owned(),
            HoldReason::LocalStorage => format!(
                "{annotate}, or with {SAFE_LOCAL_VOLUMES}={}, or run cluster-autoscaler with --skip-nodes-with-local-storage=false",
                self.volumes.join(",")
            ),
            HoldReason::SystemPod => format!(
                "{annotate}, give it a PodDisruptionBudget, or run cluster-autoscaler with --skip-nodes-with-system-pods=false"
            ),
        }
    }
}

/// The program that removes nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Autoscaler {
    Cluster,
    Karpenter,
}

impl Autoscaler {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cluster => "cluster-autoscaler",
            Self::Karpenter => "karpenter",
        }
    }
}

/// Why a pod or node is left alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HoldReason {
    /// An annotation with this name.
    Annotation(&'static str),
    /// Nothing would recreate the pod.
    Bare,
    /// It has an `emptyDir` volume; cluster-autoscaler skips such nodes by default.
    LocalStorage,
    /// It is in kube-system and no budget selects it; cluster-autoscaler skips such nodes by
    /// default.
    SystemPod,
}

impl HoldReason {
    /// Its name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Annotation(_) => "Annotation",
            Self::Bare => "Bare",
            Self::LocalStorage => "LocalStorage",
            Self::SystemPod => "SystemPod",
        }
    }
}

/// An autoscaler's Event about a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeEvent {
    /// The autoscaler.
    pub component: String,
    pub reason: String,
    pub message: String,
    /// When it was last seen.
    pub time: Option<Timestamp>,
}

/// What stops autoscalers from removing a node, besides budgets and pods that fit nowhere.
/// Karpenter's rules apply to its own nodes, cluster-autoscaler's defaults to all others.
///
/// Upstream: cluster-autoscaler `simulator/drainability/rules` (1.33), Karpenter
/// `pkg/utils/pod/scheduling.go` (1.6).
pub(super) fn of(node: NodeIx, cluster: &Cluster) -> Vec<Hold> {
    let facts = cluster.node(node);
    let labels = cluster.labels(facts.labels);
    let of_karpenter = labels.iter().any(|(key, _)| cluster.text(*key) == POOL_LABEL);
    let mut holds: Vec<Hold> = Vec::new();
    for key in &facts.kept_by {
        let by = if *key == DO_NOT_DISRUPT { Autoscaler::Karpenter } else { Autoscaler::Cluster };
        let why = HoldReason::Annotation(key);
        holds.push(Hold { by, pod: None, why, volumes: Vec::new() });
    }
    for ix in cluster.pods_on(node) {
        let pod = cluster.pod(*ix);
        let hold = |by, why| Hold {
            by,
            pod: Some(PodId::of(pod, cluster)),
            why,
            volumes: match why {
                HoldReason::LocalStorage => held_volumes(pod, cluster),
                _ => Vec::new(),
            },
        };
        // Karpenter respects the annotation on any pod that it would have to evict.
        let is_on = |key| cluster.annotation(pod, key) == Some("true");
        if is_on(DO_NOT_DISRUPT) && !pod.is_terminating() {
            let why = HoldReason::Annotation(DO_NOT_DISRUPT);
            holds.push(hold(Autoscaler::Karpenter, why));
        }
        if stays_when_drained(pod, cluster) || pod.is_terminating() {
            continue;
        }
        if cluster.annotation(pod, SAFE_TO_EVICT) == Some("false") {
            holds.push(hold(Autoscaler::Cluster, HoldReason::Annotation(SAFE_TO_EVICT)));
        } else if !of_karpenter && !is_on(SAFE_TO_EVICT) {
            holds.extend(
                by_default(*ix, pod, node, cluster).map(|why| hold(Autoscaler::Cluster, why)),
            );
        }
    }
    holds
}

/// The pod's `emptyDir` volumes of which its annotation does not say that they may be lost.
fn held_volumes(pod: &Pod, cluster: &Cluster) -> Vec<String> {
    let safe = cluster.annotation(pod, SAFE_LOCAL_VOLUMES).unwrap_or_default();
    let names = cluster.template(pod).empty_dirs.iter().map(|name| cluster.text(*name));
    names
        .filter(|name| !safe.split(',').any(|one| one.trim() == *name))
        .map(str::to_owned)
        .collect()
}

/// Why cluster-autoscaler does not evict a pod with its default flags.
fn by_default(ix: PodIx, pod: &Pod, node: NodeIx, cluster: &Cluster) -> Option<HoldReason> {
    if afterwards::of(ix, node, cluster) == Afterwards::Gone {
        Some(HoldReason::Bare)
    } else if !held_volumes(pod, cluster).is_empty() {
        Some(HoldReason::LocalStorage)
    } else if cluster.text(pod.namespace) == "kube-system" {
        let labels = cluster.labels(pod.labels);
        let mut budgets = cluster.budgets.iter().filter(|one| one.namespace == pod.namespace);
        let is_selected = budgets.any(|budget| budget.selector.matches(labels));
        (!is_selected).then_some(HoldReason::SystemPod)
    } else {
        None
    }
}

/// Events of autoscalers about a node, the latest first.
pub(super) fn said(node: NodeIx, cluster: &Cluster, now: Timestamp) -> Vec<NodeEvent> {
    let name = cluster.node_name(node);
    let mut events: Vec<NodeEvent> = Vec::new();
    for event in cluster
        .node_events
        .iter()
        .filter(|event| &*event.object.name == name && event.time.is_none_or(|time| time <= now))
    {
        events.push(NodeEvent {
            component: cluster.text(event.component).to_owned(),
            reason: cluster.text(event.reason).to_owned(),
            message: event.message.to_string(),
            time: event.time,
        });
    }
    events.sort_by(|a, b| b.time.cmp(&a.time).then_with(|| a.message.cmp(&b.message)));
    events
}

//! Edits of nodes.

use std::collections::{BTreeMap, BTreeSet};

use super::{Edit, EditError, TaintPattern, invalid_amount, missing};
use crate::cluster::Cluster;
use crate::cluster::build::Builder;
use crate::cluster::node::{Node, NodeIx, Taint};
use crate::cluster::node_selector::NodeFacts;
use crate::cluster::pod::{Pod, PodIx};
use crate::cluster::quantity::Quantity;
use crate::cluster::resources::Resources;
use crate::cluster::symbols::{PoolIx, Sym};
use crate::decode::decode;
use crate::labels::{is_label_key, is_label_value};
use crate::snapshot::Kind;

/// The taint that the control plane gives to cordoned nodes.
///
/// Upstream: `pkg/scheduler/framework/plugins/nodeunschedulable`, `pkg/controller/nodelifecycle`
/// (1.37).
pub const UNSCHEDULABLE_TAINT: &str = "node.kubernetes.io/unschedulable";

/// Adds the nodes of all edits. If they come with objects, the cluster is rebuilt once, which takes
/// long for a large one.
pub(super) fn add(cluster: &mut Cluster, edits: &[Edit]) -> Result<(), EditError> {
    let mut objects = edits.iter().filter_map(|edit| match edit {
        Edit::AddNode { object, file, .. } => Some((object, file)),
        _ => None,
    });
    if let Some(first) = objects.next() {
        let mut builder = Builder::reopen(std::mem::take(cluster));
        for (object, file) in std::iter::once(first).chain(objects) {
            decode(&object.to_string(), file, &mut builder)
                .map_err(|e| EditError::Value(e.to_string()))?;
        }
        *cluster = builder.finish();
    }
    for edit in edits {
        if let Edit::AddNodeLike { node } = edit {
            let model = find(cluster, node)?;
            let copy = copy(cluster, model);
            let (old, new) = (cluster.node(model).name, copy.name);
            cluster.insert_node(copy);
            let pods = pods_of_a_new_node(cluster, old, new);
            cluster.append(pods);
        }
    }
    Ok(())
}

/// The pods that a new node `new` like `old` has from its beginning: those of its DaemonSets and its
/// static ones. The DaemonSet controller asks whether labels and taints suit, which are those of
/// the old one, so its pods tell which DaemonSets these are; also those that wait for it, since
/// there may be no room for them there.
///
/// Upstream: `pkg/controller/daemon/daemon_controller.go` `NodeShouldRunDaemonPod` (1.37).
fn pods_of_a_new_node(cluster: &mut Cluster, old: Sym, new: Sym) -> Vec<Pod> {
    let Some(model) = cluster.find_node(cluster.text(old)) else { return Vec::new() };
    let here = cluster.pods_on(model).iter().copied();
    let waiting = cluster.pod_indices().filter(|ix| waits_for_node(cluster, *ix, old));
    let mut owners = BTreeSet::new();
    let mut models = Vec::new();
    for ix in here.filter(|ix| stays_when_drained(cluster.pod(*ix), cluster)).chain(waiting) {
        let pod = cluster.pod(ix);
        let selector = cluster.template(pod).node_selector.as_deref().unwrap_or_default();
        // Only that node can run it.
        if selector.iter().any(|(key, _)| *key == Sym::HOSTNAME) {
            continue;
        }
        // A pod that is being replaced exists twice. Static pods are owned by the node.
        let is_new = match pod.controller {
            Some(owner) if cluster.text(owner.kind) == "DaemonSet" => {
                owners.insert((pod.namespace, owner.name, owner.uid))
            }
            _ => true,
        };
        if is_new {
            models.push(ix);
        }
    }
    let name = cluster.text(new).to_owned();
    let mut pods = Vec::new();
    for ix in models {
        let created = cluster.pod(ix).created;
        let mut copy = cluster.copy(ix, created.unwrap_or_default());
        copy.created = created;
        copy.name = format!("{}-{name}", copy.name).into();
        copy.node_name = new;
        pods.push(copy);
    }
    pods
}

/// Whether a pod of a DaemonSet waits for room on the node of that name: its controller asks for the
/// node by name.
fn waits_for_node(cluster: &Cluster, ix: PodIx, node: Sym) -> bool {
    let pod = cluster.pod(ix);
    let is_of_daemon_set =
        pod.controller.is_some_and(|owner| cluster.text(owner.kind) == "DaemonSet");
    if !pod.is_waiting() || !is_of_daemon_set {
        return false;
    }
    let terms = cluster.template(pod).node_affinity.as_deref().unwrap_or_default();
    terms.iter().any(|term| term.names.iter().any(|names| names.contains(&node)))
}

pub(super) fn cordon(cluster: &mut Cluster, name: &str) -> Result<(), EditError> {
    let node = find(cluster, name)?;
    cluster.cordon(node, true);
    Ok(())
}

pub(super) fn uncordon(cluster: &mut Cluster, name: &str) -> Result<(), EditError> {
    let node = find(cluster, name)?;
    let taint = cluster.symbols.get(UNSCHEDULABLE_TAINT);
    let of_node = cluster.node(node);
    if !of_node.unschedulable && !of_node.taints.iter().any(|other| Some(other.key) == taint) {
        return Err(EditError::Value(format!("node {name} is not cordoned")));
    }
    cluster.cordon(node, false);
    cluster.change_taints(node, |other| Some(other.key) != taint);
    Ok(())
}

pub(super) fn drain(cluster: &mut Cluster, name: &str) -> Result<(), EditError> {
    let node = find(cluster, name)?;
    cluster.cordon(node, true);
    let pods = cluster.pods_on(node).iter().copied();
    let leaving: Vec<PodIx> =
        pods.filter(|pod| !stays_when_drained(cluster.pod(*pod), cluster)).collect();
    leaving.into_iter().for_each(|pod| cluster.remove_pod(pod));
    Ok(())
}

pub(super) fn remove(cluster: &mut Cluster, name: &str) -> Result<(), EditError> {
    let node = find(cluster, name)?;
    cluster.remove_node(node);
    Ok(())
}

fn find(cluster: &Cluster, name: &str) -> Result<NodeIx, EditError> {
    cluster.find_node(name).ok_or_else(|| missing(Kind::Node, name))
}

/// Whether `kubectl drain` leaves the pod on its node: one of a DaemonSet, or a static one, whose
/// owner is the node.
///
/// Upstream: `kubectl/pkg/drain/filters.go` (1.37).
pub fn stays_when_drained(pod: &Pod, cluster: &Cluster) -> bool {
    pod.mirror
        || pod
            .controller
            .is_some_and(|owner| ["DaemonSet", "Node"].contains(&cluster.text(owner.kind)))
}

pub(super) fn label(
    cluster: &mut Cluster,
    name: &str,
    key: &str,
    value: &str,
) -> Result<(), EditError> {
    let node = find(cluster, name)?;
    if !is_label_key(key) {
        return Err(EditError::Value(format!("`{key}` is not a label key")));
    }
    if !is_label_value(value) {
        return Err(EditError::Value(format!("`{value}` is not a label value")));
    }
    cluster.label_node(node, key, value);
    Ok(())
}

pub(super) fn remove_taint(
    cluster: &mut Cluster,
    name: &str,
    taint: &TaintPattern,
) -> Result<(), EditError> {
    let node = find(cluster, name)?;
    let (matching, others): (Vec<_>, Vec<_>) = cluster
        .node(node)
        .taints
        .iter()
        .cloned()
        .partition(|of_node| taint.matches(of_node, cluster));
    if matching.is_empty() {
        let names: Vec<String> =
            others.iter().map(|t| t.effect.taint(t.key, t.value, cluster)).collect();
        let has = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        return Err(EditError::Value(format!("node {name} has no taint {taint}: it has {has}")));
    }
    cluster.change_taints(node, |of_node| !matching.contains(of_node));
    Ok(())
}

pub(super) fn free(
    cluster: &mut Cluster,
    name: &str,
    resources: &BTreeMap<String, String>,
) -> Result<(), EditError> {
    let node = find(cluster, name)?;
    for (resource, amount) in resources {
        let quantity = Quantity::parse(amount).map_err(|e| invalid_amount(resource, amount, e))?;
        cluster.free(node, resource, quantity);
    }
    Ok(())
}

/// The name of the next node like `node`.
pub fn name_of_copy(cluster: &Cluster, node: &str) -> String {
    let mut names = (1..)
        .map(|n: u32| if n == 1 { format!("{node}-copy") } else { format!("{node}-copy-{n}") });
    names.find(|name| cluster.find_node(name).is_none()).unwrap_or_default()
}

/// A node with the labels, taints and resources of another one. The pods that come with it are made
/// afterwards.
fn copy(cluster: &mut Cluster, model: NodeIx) -> Node {
    let node = cluster.node(model).clone();
    let name = name_of_copy(cluster, cluster.text(node.name));
    let name = cluster.symbols.intern(&name);
    let labels = cluster
        .labels(node.labels)
        .iter()
        .map(|(key, value)| (*key, if *key == Sym::HOSTNAME { name } else { *value }))
        .collect();
    let (labels, _) = cluster.label_sets.intern(labels);
    // Taints that describe the state of the model are not those of a new node.
    let taints = node.taints.iter().filter(|taint| !taint.is_of_state(cluster)).cloned().collect();
    cluster.storage.add_csi_node_like(node.name, name);
    let own_labels = cluster.labels(node.labels).to_vec();
    let new_labels = cluster.labels(labels).to_vec();
    let model = NodeFacts { labels: &own_labels, name: node.name };
    let new = NodeFacts { labels: &new_labels, name };
    cluster.devices.add_slices_like(model, new, &mut cluster.symbols);
    Node {
        allocatable: node.allocatable,
        allocatable_pods: node.allocatable_pods,
        saturated: node.saturated,
        declared_features: node.declared_features,
        kubelet: node.kubelet,
        machine: node.machine,
        ..new_node(name, labels, taints)
    }
}

/// A node to which nothing has happened yet, without resources.
fn new_node(name: Sym, labels: PoolIx, taints: Box<[Taint]>) -> Node {
    Node {
        name,
        labels,
        taints,
        unschedulable: false,
        allocatable: Resources::default(),
        allocatable_pods: 0,
        saturated: None,
        declared_features: Box::default(),
        freed: Resources::default(),
        freed_pods: 0,
        created: None,
        tainted: None,
        taint_times: Box::default(),
        evicts_since: None,
        ready: None,
        avoids: Box::default(),
        kept_by: Box::default(),
        machine: Sym::EMPTY,
        kubelet: Sym::EMPTY,
        images: Box::default(),
    }
}

/// A node that does not exist yet, as an autoscaler describes it.
#[derive(Debug, Clone)]
pub struct PlannedNode {
    pub name: String,
    /// Its labels, except that of its name.
    pub labels: Vec<(Sym, Sym)>,
    pub taints: Vec<Taint>,
    pub allocatable: Resources,
    /// How many pods it takes.
    pub pods: i64,
}

/// Adds a planned node with pods like those of the DaemonSets of `like`. Indices of nodes change.
pub fn add_planned(cluster: &mut Cluster, plan: PlannedNode, like: Option<NodeIx>) {
    let name = cluster.symbols.intern(&plan.name);
    let mut labels = plan.labels;
    labels.retain(|(key, _)| *key != Sym::HOSTNAME);
    labels.push((Sym::HOSTNAME, name));
    labels.sort_unstable();
    let (labels, _) = cluster.label_sets.intern(labels.into());
    let model = like.map(|like| cluster.node(like));
    let kubelet = model.map_or(Sym::EMPTY, |model| model.kubelet);
    let declared_features = model.map(|model| model.declared_features.clone()).unwrap_or_default();
    let old = model.map(|model| model.name);
    if let Some(old) = old {
        cluster.storage.add_csi_node_like(old, name);
    }
    cluster.insert_node(Node {
        allocatable: plan.allocatable,
        allocatable_pods: plan.pods,
        declared_features,
        kubelet,
        ..new_node(name, labels, plan.taints.into())
    });
    if let Some(old) = old {
        let pods = pods_of_a_new_node(cluster, old, name);
        cluster.append(pods);
    }
}

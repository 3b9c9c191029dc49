//! The node to add: the smallest copy of an existing one.

use std::collections::{BTreeMap, BTreeSet};

use super::SuggestSettings;
use crate::headroom::groups::{self, NodeGrouping};
use model::cluster::selector::label;
use model::cluster::{Cluster, NodeIx, PodIx, Sym};
use model::edits::{self, Edit};
use scheduler::decision::decide;
use scheduler::framework::cluster_view::ClusterView;

/// Maximum number of kinds of nodes that are tried.
const MOST_KINDS: usize = 12;

/// A copy of an existing node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewNode {
    /// The node that it is a copy of.
    pub like: String,
    /// The pool of that node; may be empty.
    pub pool: String,
    /// Its machine type and resources.
    pub shape: String,
}

impl NewNode {
    fn of(cluster: &Cluster, node: NodeIx) -> Self {
        Self {
            like: cluster.node_name(node).to_owned(),
            pool: groups::name(cluster, node, NodeGrouping::Pool),
            shape: groups::name(cluster, node, NodeGrouping::Shape),
        }
    }

    /// The edit that adds it.
    pub fn edit(&self) -> Edit {
        Edit::AddNodeLike { node: self.like.clone() }
    }
}

/// The node that these edits add, and nothing else.
pub(super) fn of_edits(edits: &[Edit], cluster: &Cluster) -> Option<NewNode> {
    let [Edit::AddNodeLike { node }] = edits else { return None };
    Some(NewNode::of(cluster, cluster.find_node(node)?))
}

/// One node of each of the first kinds.
pub(super) fn first_kinds(cluster: &Cluster) -> Vec<NewNode> {
    let mut kinds = kinds(cluster);
    kinds.truncate(MOST_KINDS);
    kinds
}

/// One node of each kind, the smallest kind first. Nodes of a kind have the same pool, resources,
/// zone and taints, as many devices of each driver, and the same values of the labels that decide
/// where the waiting pods fit.
pub fn kinds(cluster: &Cluster) -> Vec<NewNode> {
    let keys = deciding_labels(cluster);
    let devices_of = devices_by_node(cluster);
    let mut seen = BTreeSet::new();
    let mut kinds: Vec<(i64, i64, i64, NewNode)> = Vec::new();
    for node in cluster.node_indices() {
        let facts = cluster.node(node);
        let new = NewNode::of(cluster, node);
        let mut taints: Vec<String> = Vec::new();
        for taint in facts.taints.iter().filter(|taint| !taint.is_of_state(cluster)) {
            taints.push(taint.effect.taint(taint.key, taint.value, cluster));
        }
        let zone = groups::name(cluster, node, NodeGrouping::Zone);
        let labels = cluster.labels(facts.labels);
        let values: Vec<Option<Sym>> = keys.iter().map(|key| label(labels, *key)).collect();
        let drivers = devices_of.get(&facts.name).cloned().unwrap_or_default();
        let published: usize = drivers.values().sum();
        if !seen.insert((new.pool.clone(), new.shape.clone(), zone, taints, values, drivers)) {
            continue;
        }
        let scalars: i64 = facts.allocatable.scalars.iter().map(|(_, amount)| *amount).sum();
        let devices = scalars.saturating_add(i64::try_from(published).unwrap_or(i64::MAX));
        kinds.push((devices, facts.allocatable.milli_cpu, facts.allocatable.memory, new));
    }
    kinds.sort_by(|a, b| (a.0, a.1, a.2, &a.3.like).cmp(&(b.0, b.1, b.2, &b.3.like)));
    kinds.into_iter().map(|(_, _, _, new)| new).collect()
}

/// How many devices each driver offers on a node, by the name of the node.
fn devices_by_node(cluster: &Cluster) -> BTreeMap<Sym, BTreeMap<Sym, usize>> {
    let mut by_node: BTreeMap<Sym, BTreeMap<Sym, usize>> = BTreeMap::new();
    for slice in &cluster.devices.slices {
        let drivers = by_node.entry(slice.nodes.name).or_default();
        *drivers.entry(slice.driver).or_default() += slice.devices.len();
    }
    by_node
}

/// The keys of the labels of nodes that decide where a waiting pod fits. A new node has a host name of
/// its own.
fn deciding_labels(cluster: &Cluster) -> BTreeSet<Sym> {
    let mut keys: BTreeSet<Sym> = BTreeSet::new();
    for pod in cluster.pod_indices().map(|pod| cluster.pod(pod)) {
        let template = cluster.template(pod);
        // Pods that run keep others away, too.
        let apart = template.anti_affinity.iter().flatten();
        keys.extend(apart.map(|term| term.topology_key));
        if !pod.is_waiting() {
            continue;
        }
        keys.extend(template.selected_labels());
        keys.extend(template.affinity.iter().flatten().map(|term| term.topology_key));
        let spread = template.spread.iter().filter(|constraint| constraint.hard);
        keys.extend(spread.map(|constraint| constraint.topology_key));
    }
    keys.remove(&Sym::HOSTNAME);
    keys
}

/// The smallest node with which the pod fits.
pub(super) fn smallest(
    cluster: &Cluster,
    pod: PodIx,
    settings: SuggestSettings,
) -> Option<NewNode> {
    first_kinds(cluster).into_iter().find(|kind| {
        let mut changed = cluster.clone();
        if edits::apply(&mut changed, &[pod], &[kind.edit()]).is_err() {
            return false;
        }
        let view = ClusterView::new(&changed, settings.profile);
        decide(&view, pod, settings.now).fits()
    })
}

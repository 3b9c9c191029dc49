//! The nodes by zone, pool and shape.

use std::collections::BTreeMap;

use super::NodeRoom;
use model::cluster::system_label::{self, MACHINES};
use model::cluster::{Cluster, Node, NodeIx};
use model::words::in_units;
use scheduler::framework::operands::ResourceId;

/// The labels that name the zone of a node.
pub const ZONES: [&str; 2] =
    ["topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"];

/// The labels that name the pool of a node, on the platforms that have pools; elsewhere its type of
/// machine stands for it.
pub const POOLS: [&str; 10] = {
    let mut all = [MACHINES[0]; 10];
    let (pools, _) = all.split_at_mut(system_label::POOLS.len());
    pools.copy_from_slice(&system_label::POOLS);
    all
};

/// What nodes of a group have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NodeGrouping {
    /// Their zone.
    Zone,
    /// Their pool.
    Pool,
    /// Their allocatable resources.
    Shape,
}

impl NodeGrouping {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Zone, Self::Pool, Self::Shape];

    /// Its name in JSON, and in lower case in a heading.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Zone => "Zone",
            Self::Pool => "Pool",
            Self::Shape => "Shape",
        }
    }
}

/// Nodes that have something in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeGroup {
    /// The criterion.
    pub by: NodeGrouping,
    /// The common value; empty for nodes without the label.
    pub name: String,
    /// How many nodes.
    pub nodes: usize,
    /// How many of them take a copy.
    pub with_room: usize,
    /// How many copies fit there.
    pub fits: usize,
}

/// The groups, those with the most copies first. A criterion that puts all nodes into one group is
/// omitted, except the shape.
pub(super) fn of(cluster: &Cluster, rooms: &[NodeRoom]) -> Vec<NodeGroup> {
    let mut groups = Vec::new();
    for by in NodeGrouping::ALL {
        let mut by_name: BTreeMap<String, NodeGroup> = BTreeMap::new();
        for (node, room) in cluster.node_indices().zip(rooms) {
            let name = name(cluster, node, by);
            let group = by_name.entry(name.clone()).or_insert(NodeGroup {
                by,
                name,
                nodes: 0,
                with_room: 0,
                fits: 0,
            });
            group.nodes += 1;
            group.with_room += usize::from(room.fits > 0);
            group.fits += room.fits;
        }
        if by != NodeGrouping::Shape && by_name.len() < 2 {
            continue;
        }
        let mut by_name: Vec<NodeGroup> = by_name.into_values().collect();
        by_name.sort_by(|a, b| b.fits.cmp(&a.fits).then_with(|| a.name.cmp(&b.name)));
        groups.extend(by_name);
    }
    groups
}

pub fn name(cluster: &Cluster, node: NodeIx, by: NodeGrouping) -> String {
    let node = cluster.node(node);
    match by {
        NodeGrouping::Zone => labelled(cluster, node, &ZONES),
        NodeGrouping::Pool => labelled(cluster, node, &POOLS),
        NodeGrouping::Shape => shape(cluster, node),
    }
}

fn labelled(cluster: &Cluster, node: &Node, keys: &[&str]) -> String {
    cluster.first_label(node.labels, keys).unwrap_or_default().to_owned()
}

/// The machine type and the allocatable resources of a node: `m5.large cpu=2,memory=8Gi`.
fn shape(cluster: &Cluster, node: &Node) -> String {
    let of_node = [ResourceId::Cpu, ResourceId::Memory];
    let scalars = node.allocatable.scalars.iter().filter(|(name, amount)| {
        let name = cluster.text(*name);
        *amount > 0 && !name.starts_with("hugepages-") && !name.starts_with("attachable-volumes-")
    });
    let all = of_node.into_iter().chain(scalars.map(|(name, _)| ResourceId::Scalar(*name)));
    let mut parts: Vec<String> = all
        .map(|id| (id, id.of(&node.allocatable)))
        .map(|(id, value)| format!("{}={}", id.name(cluster), rounded(id, value, cluster)))
        .collect();
    // The order of a resource's names may depend on the order of the input.
    parts.get_mut(2..).into_iter().for_each(<[String]>::sort);
    let machine = labelled(cluster, node, &MACHINES);
    let resources = parts.join(",");
    if machine.is_empty() { resources } else { format!("{machine} {resources}") }
}

/// Nodes of one machine type differ by a few bytes, so memory counts in tenths of a gibibyte.
fn rounded(resource: ResourceId, value: i64, cluster: &Cluster) -> String {
    const GIBIBYTE: i64 = 1 << 30;
    if resource != ResourceId::Memory || value % GIBIBYTE == 0 || value < GIBIBYTE {
        return in_units(resource.name(cluster), &resource.amount(value, cluster));
    }
    let tenths = value / (GIBIBYTE / 10);
    format!("{}.{}Gi", tenths / 10, tenths % 10)
}

//! The nodes as a pod finds them: what stays on each, what the pod may evict there, what is free and
//! where its request would end; and all nodes by zone or pool, each with its verdict.

use std::collections::BTreeMap;

use engine::cluster::selector::label;
use engine::cluster::system_taint::NOT_READY;
use engine::cluster::{Cluster, NodeIx};
use engine::decision::room::ResourceRoom;
use engine::framework::cycle::NodeVerdict;
use engine::framework::operands::ResourceId;
use engine::framework::reason::Obstacle;
use engine::framework::status::Rejection;
use engine::simulation::headroom::groups::{POOLS, ZONES};

use crate::causes;
use crate::node_name::shared_ending;
use crate::pod_report::PodReport;
use crate::scale::Scale;
use crate::words;

/// Up to this many nodes each one is shown in the strip; more are shown as shares of their pools.
const SINGLY: usize = 60;

/// What the scheduler says of a node, in a word. The order is that of the strip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NodeState {
    /// kube-scheduler picks it.
    Chosen,
    Fits,
    /// Evictions make the pod fit, and another node may be picked.
    Candidate,
    /// A countable resource is missing.
    Full,
    Cordoned,
    NotReady,
    Tainted,
    /// The pod asks for other nodes.
    Elsewhere,
    /// Another plugin rejects it: volumes, ports, spreading, other pods, devices.
    Otherwise,
    /// No filter ran on it.
    NotTried,
}

impl NodeState {
    /// Its name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Chosen => "Chosen",
            Self::Fits => "Fits",
            Self::Candidate => "Candidate",
            Self::Full => "Full",
            Self::Cordoned => "Cordoned",
            Self::NotReady => "NotReady",
            Self::Tainted => "Tainted",
            Self::Elsewhere => "Elsewhere",
            Self::Otherwise => "Otherwise",
            Self::NotTried => "NotTried",
        }
    }

    /// What a legend says.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Chosen => "chosen",
            Self::Fits => "fits",
            Self::Candidate => "could evict",
            Self::Full => "full",
            Self::Cordoned => "cordoned",
            Self::NotReady => "not ready",
            Self::Tainted => "taint",
            Self::Elsewhere => "other nodes asked for",
            Self::Otherwise => "other reason",
            Self::NotTried => "not tried",
        }
    }
}

/// A node with its room.
#[derive(Debug, Clone)]
pub struct NodeRoom {
    pub node: NodeIx,
    pub state: NodeState,
    /// For each resource that the pod requests.
    pub rooms: Vec<ResourceRoom>,
}

impl NodeRoom {
    /// What is missing, in thousandths of the requests, so that resources can be added up.
    fn missing(&self) -> i64 {
        self.rooms.iter().map(|room| room.missing().saturating_mul(1000) / room.wanted.max(1)).sum()
    }
}

/// Nodes of a zone, or of a pool and zone, by what the scheduler says of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodesAlike {
    /// The zone, or pool and zone; empty for nodes without these labels.
    pub name: String,
    pub states: BTreeMap<NodeState, usize>,
}

impl NodesAlike {
    pub fn nodes(&self) -> usize {
        self.states.values().sum()
    }
}

/// The nodes of a pool in a zone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PoolInZone {
    /// Its name, and that of the zone; empty for nodes without these labels.
    pub pool: String,
    pub zone: String,
    pub nodes: usize,
    /// How many take the pod as they are, and how many after evictions.
    pub fit: usize,
    pub candidates: usize,
    /// The most of each requested resource that is free on one node: a pod runs on one node, so that
    /// counts and not the sum.
    pub most_free: Vec<i64>,
    /// How many of the nodes each plugin rejects, the most first.
    pub rejected_by: Vec<(String, usize)>,
}

/// The room of every node.
#[derive(Debug, Clone)]
pub struct RoomOnNodes<'c> {
    cluster: &'c Cluster,
    /// The resources that the pod requests, with the amounts.
    pub wanted: Vec<(ResourceId, i64)>,
    /// The index of the resource that most nodes lack; where none does, of the one of which the pod
    /// requests the largest share.
    pub binding: usize,
    /// Every node. The candidates come first, the best of them first, then the nodes that lack the
    /// least.
    pub nodes: Vec<NodeRoom>,
    /// The ending that the names of all nodes share.
    pub ending: &'c str,
    /// All nodes by zone, or by pool and zone if they are many; the largest group first.
    pub groups: Vec<NodesAlike>,
    /// Whether each node is one of few, so that it can be shown on its own.
    pub singly: bool,
}

impl<'v> PodReport<'v> {
    /// The room of every node; `None` for a pod that requests nothing, or was not tried on nodes.
    pub fn room_on_nodes(&self) -> Option<RoomOnNodes<'v>> {
        let (cluster, wanted) = (self.cluster(), self.wanted());
        if wanted.is_empty() || self.nodes().is_empty() {
            return None;
        }
        let mut nodes: Vec<NodeRoom> = Vec::with_capacity(cluster.nodes.len());
        for (node, verdict) in cluster.node_indices().zip(self.nodes()) {
            let rooms = self.room_on(node, &wanted);
            nodes.push(NodeRoom { node, state: self.state_of(node, verdict), rooms });
        }
        let binding = binding(&nodes, wanted.len());
        let singly = nodes.len() <= SINGLY;
        let groups = grouped(cluster, &nodes, singly);

        let ranks: BTreeMap<NodeIx, usize> =
            self.ranked().iter().enumerate().map(|(rank, one)| (one.node, rank)).collect();
        nodes.sort_by_cached_key(|row| {
            let rank = ranks.get(&row.node).copied().unwrap_or(usize::MAX);
            (row.state != NodeState::Chosen, rank, row.missing(), row.state, row.node)
        });
        let ending = shared_ending(cluster);
        Some(RoomOnNodes { cluster, wanted, binding, nodes, ending, groups, singly })
    }

    /// The nodes by pool and zone. Where the pod fits comes first, then where it may preempt.
    pub fn by_pool_and_zone(&self, rooms: &RoomOnNodes<'_>) -> Vec<PoolInZone> {
        let cluster = self.cluster();
        let mut groups: BTreeMap<[String; 2], PoolInZone> = BTreeMap::new();
        for NodeRoom { node, rooms: of_node, .. } in &rooms.nodes {
            let Some(verdict) = self.nodes().get(node.0 as usize) else { continue };
            let [pool, zone] = [&POOLS[..], &ZONES]
                .map(|keys| label_of(cluster, *node, keys).unwrap_or_default().to_owned());
            let group = groups.entry([pool, zone]).or_default();
            group.nodes += 1;
            match verdict {
                NodeVerdict::Feasible => group.fit += 1,
                NodeVerdict::Filtered { plugin, .. } => {
                    match group.rejected_by.iter_mut().find(|(name, _)| name == plugin) {
                        Some((_, nodes)) => *nodes += 1,
                        None => group.rejected_by.push(((*plugin).to_owned(), 1)),
                    }
                }
                NodeVerdict::ExcludedByPreFilter
                | NodeVerdict::Failed(_)
                | NodeVerdict::NotTried => {}
            }
            if self.preemption().is_some_and(|report| report.candidate(*node).is_some()) {
                group.candidates += 1;
            }
            group.most_free.resize(of_node.len(), 0);
            for (most, room) in group.most_free.iter_mut().zip(of_node) {
                *most = (*most).max(room.free());
            }
        }
        let mut sorted = Vec::with_capacity(groups.len());
        for ([pool, zone], mut group) in groups {
            group.rejected_by.sort_by(|(a, m), (b, n)| n.cmp(m).then_with(|| a.cmp(b)));
            sorted.push(PoolInZone { pool, zone, ..group });
        }
        sorted.sort_by_key(|group| std::cmp::Reverse((group.fit, group.candidates, group.nodes)));
        sorted
    }

    fn state_of(&self, node: NodeIx, verdict: &NodeVerdict) -> NodeState {
        let is_chosen = matches!(self.selected(), [only] if *only == node);
        match verdict {
            NodeVerdict::Feasible if is_chosen => NodeState::Chosen,
            NodeVerdict::Feasible => NodeState::Fits,
            _ if self.preemption().is_some_and(|report| report.candidate(node).is_some()) => {
                if is_chosen {
                    NodeState::Chosen
                } else {
                    NodeState::Candidate
                }
            }
            NodeVerdict::Filtered { rejection, .. } => {
                state_of_rejection(rejection, node, self.cluster())
            }
            NodeVerdict::ExcludedByPreFilter => NodeState::Elsewhere,
            NodeVerdict::NotTried | NodeVerdict::Failed(_) => NodeState::NotTried,
        }
    }

    /// Why the pod is or is not placed on a node, in a few words.
    pub fn why_on(&self, row: &NodeRoom) -> String {
        let cluster = self.cluster();
        if let Some(candidate) = self.preemption().and_then(|report| report.candidate(row.node)) {
            let priorities =
                candidate.victims.iter().map(|victim| cluster.pod(victim.pod).priority);
            let of = match (priorities.clone().min(), priorities.max()) {
                (Some(least), Some(most)) if least != most => {
                    format!(" of prio {least} to {most}")
                }
                (Some(only), _) => format!(" of prio {only}"),
                (None, _) => String::new(),
            };
            let pods = words::group_digits(candidate.victims.len());
            let violations = match candidate.violations {
                0 => String::new(),
                violations => format!(", {}", words::count(violations, "PDB violation")),
            };
            return format!("{pods}{of}{violations}");
        }
        let verdict = self.nodes().get(row.node.0 as usize);
        let Some(NodeVerdict::Filtered { plugin, rejection }) = verdict else {
            return row.state.words().to_owned();
        };
        let why = match row.state {
            NodeState::Full if self.lacks(row).is_some() => self.lacks(row).unwrap_or_default(),
            NodeState::Cordoned | NodeState::NotReady => row.state.words().to_owned(),
            _ => {
                let one = std::iter::once((row.node, *plugin, rejection));
                let text = causes::group(one, cluster).first().map(causes::CauseGroup::cause);
                let text = text.unwrap_or_default();
                text.strip_prefix("untolerated ").map(str::to_owned).unwrap_or(text)
            }
        };
        // A cordon is a taint, too.
        let alone = self.also_refused(row.node).is_some_and(|others| {
            let mut others = others.iter().map(|(_, other)| other);
            others.all(|other| state_of_rejection(other, row.node, cluster) == row.state)
        });
        if alone && row.state != NodeState::Full { format!("{why}: would fit") } else { why }
    }

    /// What is missing on a node even after evictions; `None` if it is no amount.
    fn lacks(&self, row: &NodeRoom) -> Option<String> {
        let room = row.rooms.iter().find(|room| room.missing() > 0)?;
        let scale = Scale::of(room.resource, &[room.missing()], self.cluster()).in_cores();
        let name = room.resource.name(self.cluster());
        Some(format!("lacks {} {name}", scale.text(room.missing())))
    }
}

/// The state of a node that a filter rejects.
fn state_of_rejection(rejection: &Rejection, node: NodeIx, cluster: &Cluster) -> NodeState {
    let obstacle = rejection.reasons.first().map(|reason| reason.text.message().obstacle);
    let taints = &cluster.node(node).taints;
    let is_ill = taints.iter().any(|taint| NOT_READY.contains(&cluster.text(taint.key)));
    match obstacle {
        Some(Obstacle::Room) => NodeState::Full,
        Some(Obstacle::Cordon) => NodeState::Cordoned,
        Some(Obstacle::Toleration) if cluster.node(node).unschedulable => NodeState::Cordoned,
        Some(Obstacle::Toleration) if is_ill => NodeState::NotReady,
        Some(Obstacle::Toleration) => NodeState::Tainted,
        Some(Obstacle::NodeLabels) => NodeState::Elsewhere,
        _ => NodeState::Otherwise,
    }
}

/// The index of the resource that most nodes lack, or else that of which the pod requests the
/// largest share of a node.
fn binding(nodes: &[NodeRoom], resources: usize) -> usize {
    let key = |at: usize| {
        let rooms = || nodes.iter().filter_map(|node| node.rooms.get(at));
        let lacking = rooms().filter(|room| room.free() < room.wanted).count();
        let shares = rooms()
            .map(|room| i128::from(room.wanted) * 1_000_000 / i128::from(room.allocatable.max(1)));
        (lacking, shares.min().unwrap_or_default(), std::cmp::Reverse(at))
    };
    (0..resources).max_by_key(|at| key(*at)).unwrap_or_default()
}

/// The nodes by zone if they are few, else by pool and zone.
fn grouped(cluster: &Cluster, nodes: &[NodeRoom], singly: bool) -> Vec<NodesAlike> {
    let mut groups: BTreeMap<String, BTreeMap<NodeState, usize>> = BTreeMap::new();
    for row in nodes {
        let name = group_of(cluster, row.node, singly);
        *groups.entry(name).or_default().entry(row.state).or_default() += 1;
    }
    let mut groups: Vec<NodesAlike> =
        groups.into_iter().map(|(name, states)| NodesAlike { name, states }).collect();
    if !singly {
        groups.sort_by_key(|group| std::cmp::Reverse(group.nodes()));
    }
    groups
}

/// The zone of a node, or its pool and zone.
fn group_of(cluster: &Cluster, node: NodeIx, singly: bool) -> String {
    let zone = label_of(cluster, node, &ZONES);
    let pool = label_of(cluster, node, if singly { &[] } else { &POOLS });
    [pool, zone].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// The value of the first of these labels that the node has.
pub fn label_of<'c>(cluster: &'c Cluster, node: NodeIx, keys: &[&str]) -> Option<&'c str> {
    let labels = cluster.labels(cluster.node(node).labels);
    let mut values = keys.iter().filter_map(|key| label(labels, cluster.symbols.get(key)?));
    values.next().map(|value| cluster.text(value))
}

impl<'c> RoomOnNodes<'c> {
    /// The room of a node in the resource that binds.
    pub fn bar(&self, row: &NodeRoom) -> Option<ResourceRoom> {
        row.rooms.get(self.binding).copied()
    }

    /// The name of the group that a node belongs to.
    pub fn group_of(&self, node: NodeIx) -> String {
        group_of(self.cluster, node, self.singly)
    }

    /// The name of a node without the ending that all share.
    pub fn short_name(&self, node: NodeIx) -> &'c str {
        let name = self.cluster.node_name(node);
        name.strip_suffix(self.ending).unwrap_or(name)
    }

    /// The rows that tell the most: the first of every state, then the next ones, in order.
    pub fn telling(&self, most: usize) -> Vec<&NodeRoom> {
        let mut rows: Vec<(usize, &NodeRoom)> = Vec::new();
        for (at, row) in self.nodes.iter().enumerate() {
            if rows.iter().all(|(_, first)| first.state != row.state) {
                rows.push((at, row));
            }
        }
        for (at, row) in self.nodes.iter().enumerate() {
            if rows.len() >= most {
                break;
            }
            if rows.iter().all(|(other, _)| *other != at) {
                rows.push((at, row));
            }
        }
        rows.truncate(most);
        rows.sort_unstable_by_key(|(at, _)| *at);
        rows.into_iter().map(|(_, row)| row).collect()
    }

    /// How the amounts of these nodes in the resource that binds are written.
    pub fn scale(&self, rows: &[&NodeRoom]) -> Scale<'c> {
        let mut amounts = Vec::new();
        for room in rows.iter().filter_map(|row| self.bar(row)) {
            amounts.extend([room.kept(), room.freed, room.free(), room.allocatable]);
        }
        let resource = self.wanted.get(self.binding).map_or(ResourceId::Cpu, |(name, _)| *name);
        Scale::of(resource, &amounts, self.cluster).in_cores()
    }

    /// What the pod requests: the resource that binds first.
    pub fn needs(&self) -> String {
        let mut texts = Vec::new();
        for (resource, amount) in &self.wanted {
            let scale = Scale::of(*resource, &[*amount], self.cluster).in_cores();
            texts.push(format!("{} {}", resource.name(self.cluster), scale.text(*amount)));
        }
        if self.binding < texts.len() {
            let binding = texts.remove(self.binding);
            texts.insert(0, binding);
        }
        texts.join(", ")
    }
}

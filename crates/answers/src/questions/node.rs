//! Whether nodes can be removed, and what prevents it.

pub mod changes;
pub mod commands;
pub mod fates;
pub mod reason;
mod sentence;

use engine::cluster::{Cluster, Kind, NodeIx};
use engine::profile::Profile;
use engine::simulation::removal::{self, NodesRemoval, RemovalRequest};

use super::{Basis, Beside, Report, Verdict, in_order};
use crate::error::AnswerError;
use crate::eviction_requests;
use crate::input::LoadedInput;
use crate::node_name;
use crate::not_running::silence;
use crate::words;
use jiff::Timestamp;

/// The nodes in question.
#[derive(Debug, Clone, Default)]
pub struct NodeRequest {
    /// Their names, without duplicates; empty for those with the labels of the input's selector.
    pub nodes: Vec<String>,
    /// How many fresh nodes there are while one goes.
    pub surge: usize,
}

/// Whether they can be removed.
#[derive(Debug, Clone)]
pub struct NodeReport {
    pub basis: Basis,
    pub removal: NodesRemoval,
    /// The nodes that can be drained one after the other, in an order that works.
    pub order: Vec<String>,
    /// The commands that drain them, in that order.
    pub commands: Vec<String>,
    /// Whether there may be budgets that were not read.
    pub budgets_unknown: bool,
    /// Why the pods of those that do not report are not evicted: sentences without a full stop.
    pub not_evicting: Vec<String>,
    /// Pods of which an `EvictionRequest` asks that somebody responds before a drain goes on: sentences
    /// without a full stop.
    pub eviction_requests: Vec<String>,
    /// Why Events could not be read: what an autoscaler said about the nodes is not known then.
    pub without_events: Option<String>,
}

impl Report for NodeReport {
    fn verdict(&self) -> Verdict {
        Verdict::new(self.removal.all_can(), self.removal.is_unsure())
    }

    fn reorder(&mut self, order: &[usize]) {
        self.removal.nodes = in_order(&self.removal.nodes, order);
    }

    fn beside(&self) -> Beside {
        let warning = self.without_events.as_ref().map(|reason| {
            format!("events could not be read ({reason}): what an autoscaler said about the node is not known")
        });
        Beside { remark: None, warnings: warning.into_iter().collect() }
    }
}

/// What kubectl calls the type of nodes.
const NODE_TYPES: [&str; 3] = ["node", "nodes", "no"];

/// The nodes of `NODE`, `node/NODE`, `node NODE` or `NODE,NODE`, without duplicates.
///
/// # Errors
/// [`AnswerError::Usage`] for what is no node.
pub fn parse(words: &[String]) -> Result<Vec<String>, AnswerError> {
    // kubectl takes the type as a word of its own, too.
    let words = match words {
        [kind, names @ ..] if !names.is_empty() && NODE_TYPES.contains(&kind.as_str()) => names,
        words => words,
    };
    let mut names: Vec<String> = Vec::new();
    for word in words {
        let name = match word.split_once('/') {
            None => word.as_str(),
            Some((kind, name)) if NODE_TYPES.contains(&kind) => name,
            Some(_) => {
                let problem = format!("`{word}` is not a node");
                return Err(AnswerError::usage_hint(problem, "write it as NODE or node/NODE"));
            }
        };
        for name in name.split(',').filter(|name| !name.is_empty()) {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
    }
    Ok(names)
}

/// Drains the nodes in thought.
///
/// # Errors
/// A node that there is not, labels that no node has, and files that lack the nodes.
pub fn node(input: &LoadedInput, request: &NodeRequest) -> Result<NodeReport, AnswerError> {
    input.check_nodes()?;
    let nodes = chosen(input, request)?;
    let profiles: Vec<Profile> = input.profiles().cloned().collect();
    let asked =
        RemovalRequest { nodes: &nodes, surge: request.surge, profiles: &profiles, now: input.now };
    let removal = removal::assess(&input.cluster, asked);
    Ok(NodeReport::of(Basis::of(input), &input.cluster, removal))
}

impl NodeReport {
    /// The answer about these nodes of `cluster`, before anything of it is carried out.
    pub(crate) fn of(basis: Basis, cluster: &Cluster, removal: NodesRemoval) -> Self {
        let now = basis.now();
        let mut nodes = Vec::with_capacity(removal.nodes.len());
        for node in &removal.nodes {
            nodes.extend(cluster.find_node(&node.node));
        }
        let going = removal.nodes.iter().take(removal.in_order);
        Self {
            basis,
            order: going.map(|node| node.node.clone()).collect(),
            commands: commands::of(&removal),
            budgets_unknown: cluster.are_budgets_unknown(),
            not_evicting: not_evicting(&nodes, cluster, now),
            eviction_requests: eviction_requests(&nodes, cluster, now),
            without_events: cluster.unread(Kind::Event).map(|missing| missing.reason.clone()),
            removal,
        }
    }
}

fn not_evicting(nodes: &[NodeIx], cluster: &Cluster, now: Timestamp) -> Vec<String> {
    let mut sentences = Vec::new();
    for node in nodes {
        if let Some(silence) = silence(cluster, *node, now)
            && let Some(why) = silence.not_evicting
        {
            sentences.push(format!("{}; its pods are not evicted: {why}", silence.clause));
        }
    }
    sentences
}

/// Who has to respond before pods of the nodes go.
fn eviction_requests(nodes: &[NodeIx], cluster: &Cluster, now: Timestamp) -> Vec<String> {
    let mut sentences = Vec::new();
    for node in nodes {
        for ix in cluster.pods_on(*node) {
            for sentence in eviction_requests::of_pod(cluster.pod(*ix), cluster, now) {
                sentences.push(format!("{}: {sentence}", cluster.pod_name(*ix)));
            }
        }
    }
    sentences
}

/// The nodes that are named, or that the labels select.
fn chosen(input: &LoadedInput, request: &NodeRequest) -> Result<Vec<String>, AnswerError> {
    let cluster = &input.cluster;
    let mut named: Vec<String> = Vec::new();
    for name in &request.nodes {
        let name = cluster.node_name(node_name::find(name, cluster)?).to_owned();
        if !named.contains(&name) {
            named.push(name);
        }
    }
    if !named.is_empty() {
        return Ok(named);
    }

    let mut selected = Vec::new();
    for node in &cluster.nodes {
        if input.selector.matches(cluster.labels(node.labels)) {
            selected.push(cluster.text(node.name).to_owned());
        }
    }
    if selected.is_empty() {
        let problem =
            format!("{} has these labels (-l)", words::share(0, cluster.nodes.len(), "node"));
        let hint = "kubectl get nodes --show-labels shows them";
        return Err(AnswerError::usage_hint(problem, hint));
    }
    Ok(selected)
}

//! Sets of nodes by name, for the many pods that nearly every node accepts.

use std::sync::Arc;

use model::cluster::{Cluster, NodeIx};

/// Number of nodes per word.
const NODES_PER_WORD: usize = u64::BITS as usize;

/// Nodes of a cluster, in the order of their names. Sets of the same cluster share the names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NodeSet {
    names: NamesOfNodes,
    /// A bit for each of the names.
    members: Vec<u64>,
}

/// The names of all nodes of a cluster, in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NamesOfNodes(Arc<[String]>);

impl NamesOfNodes {
    /// The names of the nodes of a cluster.
    pub fn of(cluster: &Cluster) -> Self {
        Self(cluster.node_indices().map(|node| cluster.node_name(node).to_owned()).collect())
    }
}

impl NodeSet {
    /// These nodes of the cluster that has the names.
    pub fn new(names: &NamesOfNodes, nodes: &[NodeIx]) -> Self {
        let mut set = Self { names: names.clone(), members: Vec::new() };
        for node in nodes {
            set.add(node.0 as usize);
        }
        set
    }

    /// The names, in order.
    pub fn iter(&self) -> impl Iterator<Item = &String> {
        let names = self.names.0.iter().enumerate();
        names.filter(|(at, _)| self.has(*at)).map(|(_, name)| name)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.members.iter().all(|word| *word == 0)
    }

    /// Adds the nodes of another set.
    pub fn extend(&mut self, other: &Self) {
        if self.is_empty() {
            *self = other.clone();
            return;
        }
        // The same nodes are in the same places, unless some were added or removed in between.
        if Arc::ptr_eq(&self.names.0, &other.names.0) {
            let words = self.members.len().max(other.members.len());
            self.members.resize(words, 0);
            for (word, more) in self.members.iter_mut().zip(&other.members) {
                *word |= more;
            }
            return;
        }
        let mut all: Vec<String> = self.iter().chain(other.iter()).cloned().collect();
        all.sort_unstable();
        all.dedup();
        let nodes: Vec<NodeIx> = (0..).take(all.len()).map(NodeIx).collect();
        *self = Self::new(&NamesOfNodes(all.into()), &nodes);
    }

    /// Takes a node out, if it is there.
    pub fn remove(&mut self, name: &str) {
        let Ok(at) = self.names.0.binary_search_by(|other| other.as_str().cmp(name)) else {
            return;
        };
        if let Some(word) = self.members.get_mut(at / NODES_PER_WORD) {
            *word &= !(1 << (at % NODES_PER_WORD));
        }
    }

    fn add(&mut self, at: usize) {
        let words = self.members.len().max(at / NODES_PER_WORD + 1);
        self.members.resize(words, 0);
        if let Some(word) = self.members.get_mut(at / NODES_PER_WORD) {
            *word |= 1 << (at % NODES_PER_WORD);
        }
    }

    fn has(&self, at: usize) -> bool {
        let word = self.members.get(at / NODES_PER_WORD);
        word.is_some_and(|word| word >> (at % NODES_PER_WORD) & 1 == 1)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Nodes that are always there, so that the others are on both sides of a word's end.
    const OTHERS: usize = NODES_PER_WORD - 1;

    /// A cluster for each set of three more nodes that it may have.
    fn clusters() -> Vec<NamesOfNodes> {
        let has = |cluster: usize, at: usize| at < OTHERS || cluster >> (at - OTHERS) & 1 == 1;
        let names = |cluster| (0..OTHERS + 3).filter(move |at| has(cluster, *at));
        (0..8).map(|cluster| NamesOfNodes(names(cluster).map(name).collect())).collect()
    }

    fn name(at: usize) -> String {
        format!("n{at:03}")
    }

    /// Those of the three that the cluster has and that are in the set.
    fn set_of(names: &NamesOfNodes, members: usize) -> (NodeSet, BTreeSet<String>) {
        let mut nodes = Vec::new();
        let mut own = BTreeSet::new();
        for (node, known) in (0..).zip(names.0.iter()) {
            if (0..3).any(|at| members >> at & 1 == 1 && *known == name(OTHERS + at)) {
                nodes.push(NodeIx(node));
                own.insert(known.clone());
            }
        }
        (NodeSet::new(names, &nodes), own)
    }

    #[test]
    fn node_sets_are_those_of_their_names() {
        let clusters = clusters();
        for (first, second) in clusters.iter().flat_map(|a| clusters.iter().map(move |b| (a, b))) {
            for members in 0..64 {
                let (mut set, mut want) = set_of(first, members % 8);
                let (more, added) = set_of(second, members / 8);
                set.extend(&more);
                want.extend(added);
                assert_eq!(set.iter().cloned().collect::<BTreeSet<_>>(), want);
                set.remove(&name(OTHERS + 1));
                want.remove(&name(OTHERS + 1));
                assert_eq!(set.iter().collect::<Vec<_>>(), want.iter().collect::<Vec<_>>());
                assert_eq!(set.is_empty(), want.is_empty());
            }
        }
    }
}

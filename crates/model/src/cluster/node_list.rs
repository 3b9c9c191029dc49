//! The nodes of a cluster, which its copies share one by one.

use std::cmp::Ordering;
use std::ops::Index;
use std::sync::Arc;

use super::node::{Node, NodeIx};

/// A list of nodes, in order. A copy of it costs little, and so does changing a node of a copy.
#[derive(Debug, Clone, Default)]
pub struct NodeList(Vec<Arc<Node>>);

impl NodeList {
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    #[must_use]
    pub fn get(&self, index: usize) -> Option<&Node> {
        self.0.get(index).map(|node| &**node)
    }

    /// The node with an index of this list, as a pointer whose address tells its state: a node that is
    /// changed while others hold it gets another one.
    ///
    /// # Panics
    /// With an index of another list.
    #[must_use]
    #[expect(clippy::indexing_slicing, reason = "the caller has an index of this list")]
    pub fn shared(&self, node: NodeIx) -> &Arc<Node> {
        &self.0[node.0 as usize]
    }

    /// All nodes as such pointers.
    #[must_use]
    pub fn all_shared(&self) -> &[Arc<Node>] {
        &self.0
    }

    #[must_use]
    pub fn first(&self) -> Option<&Node> {
        self.get(0)
    }

    /// The node at `index`, for modification.
    pub fn get_mut(&mut self, index: usize) -> Option<&mut Node> {
        self.0.get_mut(index).map(Arc::make_mut)
    }

    /// Binary search with `order` in an ordered list; returns the index of an equal node.
    pub fn search(&self, order: impl Fn(&Node) -> Ordering) -> Option<usize> {
        self.0.binary_search_by(|node| order(node)).ok()
    }

    pub fn iter(&self) -> Nodes<'_> {
        Nodes(self.0.iter())
    }

    /// The list as a vector that can be sorted and extended.
    pub(super) const fn own(&mut self) -> &mut Vec<Arc<Node>> {
        &mut self.0
    }
}

impl Index<usize> for NodeList {
    type Output = Node;

    #[expect(clippy::indexing_slicing, reason = "as for other lists, the caller knows the length")]
    fn index(&self, index: usize) -> &Node {
        &self.0[index]
    }
}

impl<'n> IntoIterator for &'n NodeList {
    type Item = &'n Node;
    type IntoIter = Nodes<'n>;

    fn into_iter(self) -> Nodes<'n> {
        self.iter()
    }
}

/// An iterator over nodes.
#[derive(Debug, Clone)]
pub struct Nodes<'n>(std::slice::Iter<'n, Arc<Node>>);

impl<'n> Iterator for Nodes<'n> {
    type Item = &'n Node;

    fn next(&mut self) -> Option<&'n Node> {
        self.0.next().map(|node| &**node)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl DoubleEndedIterator for Nodes<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.0.next_back().map(|node| &**node)
    }
}

impl ExactSizeIterator for Nodes<'_> {}

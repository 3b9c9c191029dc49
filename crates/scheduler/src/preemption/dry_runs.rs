//! The dry runs of many nodes.

use super::dry_run::DryRun;
use model::cluster::node::NodeIx;

/// The dry run of each node that was tried, by name of the node.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DryRuns(Vec<(NodeIx, DryRun)>);

impl DryRuns {
    fn search(&self, node: NodeIx) -> Result<usize, usize> {
        self.0.binary_search_by_key(&node, |(known, _)| *known)
    }

    #[must_use]
    pub fn get(&self, node: NodeIx) -> Option<&DryRun> {
        self.0.get(self.search(node).ok()?).map(|(_, run)| run)
    }

    /// Whether the node was tried.
    #[must_use]
    pub fn has(&self, node: NodeIx) -> bool {
        self.search(node).is_ok()
    }

    pub fn iter(&self) -> impl Iterator<Item = (NodeIx, &DryRun)> {
        self.0.iter().map(|(node, run)| (*node, run))
    }

    pub fn values(&self) -> impl Iterator<Item = &DryRun> {
        self.0.iter().map(|(_, run)| run)
    }

    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut DryRun> {
        self.0.iter_mut().map(|(_, run)| run)
    }

    /// Adds the dry run of a node, or replaces it.
    pub(super) fn insert(&mut self, node: NodeIx, run: DryRun) {
        match self.search(node) {
            Ok(at) => {
                if let Some((_, known)) = self.0.get_mut(at) {
                    *known = run;
                }
            }
            Err(at) => self.0.insert(at, (node, run)),
        }
    }

    pub(super) fn retain(&mut self, stays: impl Fn(&DryRun) -> bool) {
        self.0.retain(|(_, run)| stays(run));
    }

    /// How many nodes were tried.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// From the dry runs of nodes in the order of their names.
impl From<Vec<(NodeIx, DryRun)>> for DryRuns {
    fn from(runs: Vec<(NodeIx, DryRun)>) -> Self {
        Self(runs)
    }
}

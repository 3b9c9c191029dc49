//! The filters after the one that rejects a node. They are run only for explanations, since
//! kube-scheduler stops at the first.

use super::{Explanation, OutcomeKind};
use crate::framework::cycle::{NodeVerdict, PreFilter, PreparedCycle};
use crate::framework::status::Rejection;
use crate::plugins;
use model::cluster::NodeIx;

impl Explanation<'_> {
    /// Runs the remaining filters on every node that does not take the pod. Costs at most as much
    /// as filtering did. Nothing is run if the cycle ended with an error, since the nodes' verdicts
    /// are then not known.
    pub fn run_other_filters(&mut self) {
        // These versions run every filter anyway, and name all reasons.
        let all_run = self.profile().features.cycle.filters_all_run;
        if all_run || matches!(self.kind(), OutcomeKind::Error(_) | OutcomeKind::NotInQueue) {
            return;
        }
        let stopped = if let PreFilter::Rejected { plugin, .. } = self.pre_filter() {
            Some(*plugin)
        } else {
            None
        };
        let nodes: Vec<(NodeIx, Option<&'static str>)> = self
            .view
            .cluster
            .node_indices()
            .zip(self.nodes())
            .filter_map(|(node, verdict)| match verdict {
                NodeVerdict::Filtered { plugin, .. } => Some((node, Some(*plugin))),
                NodeVerdict::ExcludedByPreFilter => Some((node, None)),
                NodeVerdict::NotTried => Some((node, stopped)),
                NodeVerdict::Feasible | NodeVerdict::Failed(_) => None,
            })
            .collect();
        let filters = plugins::filters(&self.profile().plugins);
        let prepared = PreparedCycle::of_every_plugin(self.view, self.pod, self.now, &filters);
        let found = prepared.other_rejections(&nodes);
        self.also_refused = nodes
            .into_iter()
            .zip(found)
            .filter_map(|((node, _), also)| Some((node, also?)))
            .collect();
    }

    /// The other plugins that also reject `node`, in the order of the profile; `None` if not known,
    /// as before [`Self::run_other_filters`].
    pub fn also_refused(&self, node: NodeIx) -> Option<&[(&'static str, Rejection)]> {
        self.also_refused.get(&node).map(Vec::as_slice)
    }
}

#[cfg(test)]
mod tests;

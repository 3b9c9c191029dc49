//! Filtering by extenders, after the plugins.

use std::collections::BTreeMap;

use super::filters::FilterReport;
use crate::framework::cycle::{NodeVerdict, PreparedCycle};
use crate::framework::extender::{self, EXTENDER};
use model::cluster::node::NodeIx;

/// Whether the extenders, if they are called at all, keep the nominated node, about which they are asked alone.
pub(super) fn keeps(nominated: NodeIx, prepared: &PreparedCycle) -> bool {
    let Some(ask) = prepared.cycle.view.extender_client else { return true };
    let outcome = extender::filter(&prepared.cycle, ask, vec![nominated], BTreeMap::new());
    outcome.is_ok_and(|outcome| !outcome.feasible.is_empty())
}

/// Calls the extenders to filter the feasible nodes, if they are called at all.
///
/// # Errors
/// The error that ends the cycle.
pub(super) fn ask(report: &mut FilterReport, prepared: &PreparedCycle) -> Result<(), String> {
    let Some(ask) = prepared.cycle.view.extender_client else { return Ok(()) };
    let feasible: Vec<NodeIx> = report.feasible().collect();
    let rejected = |(node, verdict): (NodeIx, &NodeVerdict)| match verdict {
        NodeVerdict::Filtered { rejection, .. } => Some((node, rejection.clone())),
        NodeVerdict::Feasible | NodeVerdict::ExcludedByPreFilter | NodeVerdict::NotTried | NodeVerdict::Failed(_) => {
            None
        }
    };
    let nodes = prepared.cycle.cluster().node_indices();
    let before: BTreeMap<NodeIx, _> = nodes.zip(&report.nodes).filter_map(rejected).collect();
    let mut outcome = extender::filter(&prepared.cycle, ask, feasible, before.clone())?;
    // Parity: a node that is left is feasible, even if an extender says why it is not.
    for (node, rejection) in std::mem::take(&mut outcome.rejected) {
        if let Some(verdict) = report.node_mut(node)
            && before.get(&node) != Some(&rejection)
        {
            *verdict = NodeVerdict::Filtered { plugin: EXTENDER, rejection };
        }
    }
    outcome.feasible.sort_unstable();
    for node in &outcome.feasible {
        if let Some(verdict) = report.node_mut(*node) {
            *verdict = NodeVerdict::Feasible;
        }
    }
    report.extended = Some(outcome);
    Ok(())
}

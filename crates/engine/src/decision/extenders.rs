//! Filtering by extenders, after the plugins.

use std::collections::BTreeMap;

use super::Decision;
use crate::cluster::node::NodeIx;
use crate::cluster::notes::Note;
use crate::framework::cycle::{NodeVerdict, PreparedCycle};
use crate::framework::extender::{self, EXTENDER};

/// Calls the extenders to filter the feasible nodes, if they are called at all: first for the nominated node alone, and
/// for all nodes if that one does not pass.
///
/// # Errors
/// The error that ends the cycle.
pub(super) fn ask(decision: &mut Decision, prepared: &PreparedCycle) -> Result<(), String> {
    let Some(ask) = decision.view.extender_client else { return Ok(()) };
    let feasible: Vec<NodeIx> = decision.feasible().collect();
    let nominated = decision.nominated_first().filter(|node| feasible.contains(node));
    let alone = nominated.map(|node| extender::filter(&prepared.cycle, ask, vec![node], BTreeMap::new()));
    if let Some(Ok(outcome)) = alone
        && !outcome.feasible.is_empty()
    {
        return Ok(());
    }
    let rejected = |(node, verdict): (NodeIx, &NodeVerdict)| match verdict {
        NodeVerdict::Filtered { rejection, .. } => Some((node, rejection.clone())),
        NodeVerdict::Feasible | NodeVerdict::ExcludedByPreFilter | NodeVerdict::NotTried | NodeVerdict::Failed(_) => {
            None
        }
    };
    let nodes = decision.view.cluster.node_indices();
    let before: BTreeMap<NodeIx, _> = nodes.zip(&decision.nodes).filter_map(rejected).collect();
    let outcome = extender::filter(&prepared.cycle, ask, feasible, before.clone())?;
    for (node, rejection) in outcome.rejected {
        if let Some(verdict) = decision.nodes.get_mut(node.0 as usize)
            && before.get(&node) != Some(&rejection)
        {
            *verdict = NodeVerdict::Filtered { plugin: EXTENDER, rejection };
        }
    }
    let note = |(url, error): (String, String)| {
        Note::warning(format!("extender {url}"), format!("is ignorable and was passed over: {error}"))
    };
    decision.notes.extend(outcome.skipped.into_iter().map(note));
    Ok(())
}

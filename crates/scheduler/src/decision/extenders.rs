//! Filtering by extenders, after the plugins.

use std::collections::BTreeMap;

use super::filters::FilterReport;
use crate::framework::cycle::{self, NodeVerdict, PreFilter, PreparedCycle};
use crate::framework::extender::{self, EXTENDER, FilteredNodes};
use crate::framework::extender_client::ExtenderClient;
use model::cluster::NodeIx;
use profile::history::ExcludedNodes;

/// The nodes that the extenders keep when asked only about the nominated node, if they keep any.
///
/// Parity: an extender that answers with objects may name other nodes. The scheduler then chooses
/// among all of them.
pub(super) fn keep(
    nominated: NodeIx,
    ask: &dyn ExtenderClient,
    prepared: &PreparedCycle,
) -> Option<FilteredNodes> {
    let mut kept = extender::filter(&prepared.cycle, ask, vec![nominated], BTreeMap::new()).ok()?;
    kept.feasible.sort_unstable();
    (!kept.feasible.is_empty()).then_some(kept)
}

/// Calls the extenders to filter the feasible nodes, if they are called at all.
///
/// # Errors
/// The error that ends the cycle.
pub(super) fn ask(report: &mut FilterReport, prepared: &PreparedCycle) -> Result<(), String> {
    let Some(ask) = prepared.cycle.view.extender_client else { return Ok(()) };
    let feasible: Vec<NodeIx> = report.feasible().collect();
    let rejections = cycle::rejections_of(&report.nodes, prepared.cycle.cluster());
    let before: BTreeMap<NodeIx, _> =
        rejections.map(|(node, _, rejection)| (node, rejection.clone())).collect();
    let mut outcome = extender::filter(&prepared.cycle, ask, feasible, before.clone())?;
    // Parity: where PreFilter narrowed the nodes, one that an extender omits without a reason is
    // reported like one that PreFilter excluded: neither has a status of its own.
    let narrowed = matches!(report.pre_filter, PreFilter::SomeNodes { .. })
        && prepared.cycle.features().cycle.excluded_nodes == ExcludedNodes::Told;
    // Parity: a node that the extender keeps is feasible even if it also gives a reason against it.
    for (node, rejection) in std::mem::take(&mut outcome.rejected) {
        if let Some(verdict) = report.node_mut(node)
            && before.get(&node) != Some(&rejection)
        {
            *verdict = if narrowed && rejection.reasons.is_empty() {
                NodeVerdict::ExcludedByPreFilter
            } else {
                NodeVerdict::Filtered { plugin: EXTENDER, rejection }
            };
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

//! The result of filtering: the report of PreFilter, the filters and the extenders.

use std::collections::BTreeMap;

use crate::framework::cluster_view::ClusterView;
use crate::framework::cycle::{self, NodeVerdict, PreFilter, PreparedCycle};
use crate::framework::extender::{self, EXTENDER, FilteredNodes};
use crate::framework::extender_client::ExtenderClient;
use crate::framework::failure::StepFailure;
use crate::framework::message::{FitError, Histogram};
use crate::framework::plugin::Cycle;
use crate::framework::score::{ScoreTable, ScoredNodes};
use crate::plugins;
use model::cluster::NodeIx;
use model::notes::Note;
use profile::history::ExcludedNodes;

/// The result of filtering.
#[derive(Debug, Clone)]
pub struct FilterReport {
    /// The result of PreFilter.
    pub pre_filter: PreFilter,
    /// The result of filtering by node, in the order of names; empty if nothing was filtered.
    pub nodes: Vec<NodeVerdict>,
    /// The feasible nodes that extenders kept, if they were asked.
    pub(super) extended: Option<FilteredNodes>,
}

impl Default for FilterReport {
    /// Nothing was filtered.
    fn default() -> Self {
        Self::new(PreFilter::AllNodes, Vec::new())
    }
}

impl FilterReport {
    /// The results of plugins.
    pub(crate) const fn new(pre_filter: PreFilter, nodes: Vec<NodeVerdict>) -> Self {
        Self { pre_filter, nodes, extended: None }
    }

    /// Filters every node.
    pub(super) fn of_plugins(prepared: &PreparedCycle) -> Self {
        Self::new(prepared.pre_filter.clone(), prepared.filter_all())
    }

    /// Discards the results of all nodes: the cycle ends without any.
    pub(super) fn discard(&mut self) {
        self.nodes.fill(NodeVerdict::NotTried);
    }

    /// The nodes on which the pod fits, by name.
    pub fn feasible(&self) -> impl Iterator<Item = NodeIx> {
        let nodes = self.nodes.iter().zip(0..);
        nodes
            .filter(|(verdict, _)| **verdict == NodeVerdict::Feasible)
            .map(|(_, node)| NodeIx(node))
    }

    /// The result on one node.
    pub fn node(&self, node: NodeIx) -> Option<&NodeVerdict> {
        self.nodes.get(node.0 as usize)
    }

    pub(super) fn node_mut(&mut self, node: NodeIx) -> Option<&mut NodeVerdict> {
        self.nodes.get_mut(node.0 as usize)
    }

    /// Notes about the extenders that were asked.
    pub(super) fn notes(&self) -> impl Iterator<Item = Note> {
        self.extended.iter().flat_map(|left| {
            let skipped = left.skipped.iter().map(|(url, error)| extender::passed_over(url, error));
            skipped.chain(left.invented.iter().map(|node| extender::invented(node)))
        })
    }

    /// Why the pod fits on no node, as the scheduler counts it.
    pub(super) fn fit_error(&self, view: &ClusterView) -> FitError {
        let (cluster, features) = (view.cluster, &view.profile.features);
        let mut error = FitError { total: view.nodes_in_placement(), ..FitError::default() };
        let mut histogram = Histogram::default();
        if let PreFilter::Rejected { rejection, .. } = &self.pre_filter {
            if features.message.pre_filter_message {
                error.pre_filter = Some(rejection.texts(cluster).join(", "));
                return error;
            }
            rejection.reasons.iter().for_each(|r| histogram.count_many(&r.text, error.total));
        }
        // Nodes without a status of their own. Nodes unknown to the cluster have one, and are
        // counted in place of as many of these.
        let strangers = self.extended.iter().flat_map(|left| left.strangers.values());
        let (mut excluded, mut statuses) = (0, 0);
        for rejection in strangers {
            statuses += 1;
            rejection.reasons.iter().for_each(|r| histogram.count(&r.text));
        }
        for verdict in &self.nodes {
            match verdict {
                NodeVerdict::Filtered { rejection, .. } => {
                    statuses += 1;
                    rejection.reasons.iter().for_each(|r| histogram.count(&r.text));
                }
                NodeVerdict::ExcludedByPreFilter => excluded += 1,
                NodeVerdict::Feasible | NodeVerdict::NotTried | NodeVerdict::Failed(_) => {}
            }
        }
        if let Some(text) = self.pre_filter.exclusion(features) {
            let are_counted = features.cycle.excluded_nodes == ExcludedNodes::Told;
            let absent = if are_counted {
                excluded.min(error.total.saturating_sub(statuses))
            } else {
                excluded
            };
            histogram.count_many(&text, absent);
        }
        error.histogram = histogram;
        error
    }

    /// Scores the nodes that plugins and extenders kept.
    ///
    /// # Errors
    /// The failure of a plugin.
    pub(super) fn score<'c>(
        &self,
        cycle: &Cycle<'c>,
        nodes: Vec<NodeIx>,
    ) -> Result<ScoredNodes<'c>, StepFailure> {
        let bare = self.extended.as_ref().is_some_and(|left| left.bare);
        ScoreTable::of_answer(cycle, &plugins::scores(&cycle.view.profile.plugins), nodes, bare)
    }

    /// How many nodes passed the plugins. The scheduler asks extenders only after it has found
    /// enough of them.
    pub(super) fn passed_plugins(&self) -> usize {
        self.extended.as_ref().map_or_else(|| self.feasible().count(), |left| left.passed)
    }

    /// How many nodes the filters ran on, or would have run on.
    pub(super) fn searched(&self) -> usize {
        self.nodes.iter().filter(|verdict| **verdict != NodeVerdict::ExcludedByPreFilter).count()
    }
}

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

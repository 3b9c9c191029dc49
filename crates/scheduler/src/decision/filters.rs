//! The first half of a scheduling cycle: which nodes PreFilter, the filters and the extenders leave.
//!
//! Upstream: `pkg/scheduler/schedule_one.go` `findNodesThatFitPod` (1.37).

use super::errors::{self, CycleError, pre_filter_error};
use super::{extenders, nominated_first};
use crate::framework::cluster_view::ClusterView;
use crate::framework::cycle::{NodeVerdict, PreFilter, PreparedCycle};
use crate::framework::extender::{self, FilteredNodes};
use crate::framework::failure::{Crash, Failure};
use crate::framework::message::{FitError, Histogram};
use crate::framework::nodes_to_find;
use model::cluster::node::NodeIx;
use model::cluster::symbols::Sym;
use model::notes::Note;
use profile::history::ExcludedNodes;

/// What filtering found.
#[derive(Debug, Clone)]
pub struct FilterReport {
    /// The result of PreFilter.
    pub pre_filter: PreFilter,
    /// The result of filtering by node, in the order of names; empty if nothing was filtered.
    pub nodes: Vec<NodeVerdict>,
    /// What extenders left of the feasible nodes, if they were asked.
    pub(super) extended: Option<FilteredNodes>,
}

/// What is left when every node was filtered.
pub(super) enum NodesLeft {
    /// The nominated node takes the pod, which ends the search.
    Nominated(NodeIx),
    /// These nodes take it, by name. Extenders may name a node several times.
    Feasible(Vec<NodeIx>),
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

    /// Settles what the results of the plugins come to, and asks the extenders.
    ///
    /// # Errors
    /// The error that ends the cycle. Nodes on which nothing failed then count as not tried.
    pub(super) fn settle(&mut self, prepared: &PreparedCycle) -> Result<NodesLeft, CycleError> {
        // What would end the cycle on other nodes is never met if the nominated node takes the pod.
        if let Some(node) = nominated_first::take(self, prepared) {
            return Ok(NodesLeft::Nominated(node));
        }
        let rejected_by = nominated_first::give_up(self, &prepared.cycle);
        if let Some(crash) = self.crash(prepared.cycle.view) {
            self.discard();
            return Err(crash.into());
        }
        if let Some(error) = self.error(prepared.cycle.view) {
            // The results of other nodes are discarded with the cycle.
            for verdict in self.nodes.iter_mut().filter(|verdict| verdict.failure().is_none()) {
                *verdict = NodeVerdict::NotTried;
            }
            return Err(error);
        }
        if let Err(error) = extenders::ask(self, prepared) {
            self.discard();
            return Err(CycleError::new(error));
        }
        let feasible: Vec<NodeIx> = match &self.extended {
            Some(left) => left.feasible.clone(),
            None => self.feasible().collect(),
        };
        nominated_first::settle(self, &prepared.cycle, rejected_by, !feasible.is_empty());
        Ok(NodesLeft::Feasible(feasible))
    }

    /// Forgets the results of all nodes: the cycle ends without any.
    pub(super) fn discard(&mut self) {
        self.nodes.fill(NodeVerdict::NotTried);
    }

    /// The nodes on which the pod fits, by name.
    pub fn feasible(&self) -> impl Iterator<Item = NodeIx> {
        let nodes = self.nodes.iter().zip(0..);
        nodes.filter(|(verdict, _)| **verdict == NodeVerdict::Feasible).map(|(_, node)| NodeIx(node))
    }

    /// The result on one node.
    #[must_use]
    pub fn node(&self, node: NodeIx) -> Option<&NodeVerdict> {
        self.nodes.get(node.0 as usize)
    }

    pub(super) fn node_mut(&mut self, node: NodeIx) -> Option<&mut NodeVerdict> {
        self.nodes.get_mut(node.0 as usize)
    }

    /// What is to be known about the extenders that were asked.
    pub(super) fn notes(&self) -> impl Iterator<Item = Note> {
        self.extended.iter().flat_map(|left| {
            let skipped = left.skipped.iter().map(|(url, error)| extender::passed_over(url, error));
            skipped.chain(left.invented.iter().map(|node| extender::invented(node)))
        })
    }

    /// The crash in which the search for a node ends, if it does.
    fn crash(&self, view: &ClusterView) -> Option<Crash> {
        let on_node = self.nodes.iter().filter_map(NodeVerdict::failure).find_map(Failure::crash);
        let PreFilter::SomeNodes { only, .. } = &self.pre_filter else { return on_node };
        let (cluster, profile) = (view.cluster, view.profile);
        let exists = |name: &Sym| cluster.find_node(cluster.text(*name)).is_some();
        if on_node.is_some() || only.iter().any(exists) {
            return on_node;
        }
        // PreFilter left names of which no node has one.
        let plugins = &profile.plugins;
        let filters = !plugins.filter.is_empty() || !plugins.out_of_tree.is_empty();
        if profile.features.cycle.narrowing_to_nothing_crashes {
            Some(Crash::NoNodeLeft)
        } else if !filters && nodes_to_find::takes_first(profile) {
            // Parity: without filters the first of the nodes is taken, and there is none.
            Some(Crash::NoNodeToTake)
        } else {
            None
        }
    }

    /// The error that ends the cycle. The pod is retried, but it does not preempt.
    fn error(&self, view: &ClusterView) -> Option<CycleError> {
        let (cluster, features) = (view.cluster, &view.profile.features.cycle);
        match &self.pre_filter {
            PreFilter::Failed(error) => return Some(CycleError::new(error.as_str())),
            PreFilter::Rejected { plugin, rejection, .. } if !features.pre_filter_refusal_is_no_fit => {
                return Some(CycleError::new(pre_filter_error(plugin, &rejection.texts(cluster))));
            }
            PreFilter::SomeNodes { only, .. } if features.narrowing_to_missing_node_fails => {
                let names = only.iter().map(|name| cluster.text(*name));
                if let Some(missing) = names.filter(|name| cluster.find_node(name).is_none()).min() {
                    return Some(CycleError::new(format!("nodeinfo not found for node name {missing:?}")));
                }
            }
            PreFilter::Rejected { .. } | PreFilter::SomeNodes { .. } | PreFilter::AllNodes => {}
        }
        let failures = self.nodes.iter().filter_map(NodeVerdict::failure);
        errors::of_nodes(failures, features.node_errors_counted)
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
        // Nodes without a status of their own; strangers, which have one, take the places of as many.
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
            let told = features.cycle.excluded_nodes == ExcludedNodes::Told;
            let absent = if told { excluded.min(error.total.saturating_sub(statuses)) } else { excluded };
            histogram.count_many(&text, absent);
        }
        error.histogram = histogram;
        error
    }

    /// How many nodes the filters ran on, or would have.
    pub(super) fn searched(&self) -> usize {
        self.nodes.iter().filter(|verdict| **verdict != NodeVerdict::ExcludedByPreFilter).count()
    }
}

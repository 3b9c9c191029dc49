//! One scheduling cycle: prepare every plugin, filter every node in the profile's order, first rejection decides.
//!
//! Upstream: `pkg/scheduler/schedule_one.go` `findNodesThatFitPod`, `pkg/scheduler/framework/runtime/framework.go`
//! `RunPreFilterPlugins`, `RunFilterPluginsWithNominatedPods` (1.37). Every node is filtered: no sampling.

use rayon::prelude::*;

use super::cluster_view::{ClusterView, NodeInfo, PARALLEL_FROM};
use super::plugin::{Cycle, ExtensionState, Filter, FilterPlugins, FilterSlot, Plugin, Preparation, Prepared};
pub use super::pre_filter::PreFilter;
use super::pre_filter::{self, ActiveFilter, Ran};
use super::predicate_group;
use super::status::{PANIC, Rejection, Verdict};
use crate::cluster::node::NodeIx;
use crate::cluster::pod::PodIx;
use crate::profile::history::PluginLists;

/// A cycle whose plugins are prepared.
pub struct PreparedCycle<'c> {
    /// Whose cycle it is.
    pub cycle: Cycle<'c>,
    /// Filters that were not skipped, in order.
    filters: Vec<ActiveFilter<'c>>,
    /// What PreFilter decided for the whole cluster.
    pub pre_filter: PreFilter,
    /// What letting pods come and go fails with, since PreFilter stopped early.
    missing_state: Option<String>,
}

/// What filtering said of one node.
#[derive(Debug, Clone, PartialEq)]
pub enum NodeVerdict {
    /// The pod fits.
    Feasible,
    /// A filter refused it.
    Filtered {
        /// The first plugin that did.
        plugin: &'static str,
        /// Why.
        rejection: Rejection,
    },
    /// PreFilter had excluded it.
    ExcludedByPreFilter,
    /// PreFilter refused the pod as a whole.
    NotTried,
    /// A filter failed; the cycle ends with this error.
    Failed(String),
}

impl NodeVerdict {
    /// What a filter failed with, if one did.
    #[must_use]
    pub fn error(&self) -> Option<&str> {
        if let Self::Failed(error) = self { Some(error) } else { None }
    }
}

impl<'c> PreparedCycle<'c> {
    /// Runs PreFilter of `plugins`.
    #[must_use]
    pub fn new(view: &'c ClusterView<'c>, pod: PodIx, plugins: &FilterPlugins) -> Self {
        let cycle = Cycle::of(view, pod);
        let Ran { prepared, pre_filter, missing_state } = pre_filter::run(&plugins.pre_filter, &cycle);
        let stopped = matches!(&pre_filter, PreFilter::Failed(_) | PreFilter::Rejected { .. });
        let filters = if stopped { Vec::new() } else { in_filter_order(plugins, prepared, &cycle) };
        Self { cycle, filters, pre_filter, missing_state }
    }

    /// Filters every node, by name. The nominated node is filtered even where PreFilter had excluded it.
    #[must_use]
    pub fn filter_all(&self) -> Vec<NodeVerdict> {
        let verdict = |info: &NodeInfo| self.verdict(info);
        let infos = self.cycle.view.infos();
        if infos.len() < PARALLEL_FROM {
            infos.iter().map(verdict).collect()
        } else {
            infos.par_iter().map(verdict).collect()
        }
    }

    fn verdict(&self, info: &NodeInfo) -> NodeVerdict {
        let name = self.cycle.view.node(info.node).name;
        match &self.pre_filter {
            PreFilter::Rejected { .. } | PreFilter::Failed(_) => return NodeVerdict::NotTried,
            PreFilter::SomeNodes { only, .. } if !only.contains(&name) && name != self.cycle.pod.nominated_node => {
                return NodeVerdict::ExcludedByPreFilter;
            }
            PreFilter::SomeNodes { .. } | PreFilter::AllNodes => {}
        }
        match self.check_node(info) {
            Some((plugin, Verdict::Rejected(mut rejection))) => {
                if self.cycle.features().cycle.one_reason_per_node {
                    rejection.reasons.truncate(1);
                }
                NodeVerdict::Filtered { plugin, rejection }
            }
            Some((plugin, Verdict::Failed(error))) => NodeVerdict::Failed(self.filter_error(plugin, &error)),
            None | Some((_, Verdict::Fits)) => NodeVerdict::Feasible,
        }
    }

    /// What a failed filter ends the cycle, or a dry run, with.
    #[must_use]
    pub fn filter_error(&self, plugin: &str, error: &str) -> String {
        let features = self.cycle.features();
        let pod = &self.cycle.pod.name;
        match (features.default_plugins.plugin_lists != PluginLists::Predicates, features.cycle.filter_errors_short) {
            (false, _) => error.to_owned(),
            (true, false) => format!("running {plugin:?} filter plugin for pod {pod:?}: {error}"),
            (true, true) => format!("running {plugin:?} filter plugin: {error}"),
        }
    }

    /// Filters one node as it stands, nominated pods included; `None` when the pod fits.
    fn check_node(&self, info: &NodeInfo) -> Option<(&'static str, Verdict)> {
        if self.cycle.view.nominated_pods(info.node, self.cycle.ix).next().is_some() {
            return self.node_state(info.node).check();
        }
        self.refusal(self.filters.iter().map(|f| (f.plugin, f.filter.check(info))))
    }

    /// The first refusal; where this version asks every plugin, all of them in one.
    fn refusal(&self, mut verdicts: impl Iterator<Item = (&'static str, Verdict)>) -> Option<(&'static str, Verdict)> {
        if !self.cycle.features().cycle.filters_all_run {
            return verdicts.find(|(_, verdict)| !verdict.fits());
        }
        verdicts.fold(None, |told, (plugin, verdict)| match (told, verdict) {
            (told, Verdict::Fits) => told,
            (None, verdict) => Some((plugin, verdict)),
            (Some((before, told)), verdict) => {
                let worse = told.code() < verdict.code();
                Some((if worse { plugin } else { before }, told.and(verdict)))
            }
        })
    }

    /// A copy of what `node` holds, to let pods come and go.
    #[must_use]
    pub fn node_state(&self, node: NodeIx) -> NodeState<'_, 'c> {
        let info = self.cycle.view.info(node).clone();
        let states = self.filters.iter().map(|f| f.filter.extension_state(&info)).collect();
        NodeState { prepared: self, info, states }
    }
}

/// The filters that were not skipped, in the order of Filter.
fn in_filter_order<'c>(
    plugins: &FilterPlugins,
    mut prepared: Vec<ActiveFilter<'c>>,
    cycle: &Cycle<'c>,
) -> Vec<ActiveFilter<'c>> {
    let filter = |FilterSlot { name, rules, pre_filter }: &FilterSlot| {
        if *pre_filter == Preparation::Runs {
            let index = prepared.iter().position(|f| f.plugin == *name)?;
            return Some(prepared.swap_remove(index));
        }
        let mut members = rules.iter().filter_map(|rule| unprepared(*rule, *pre_filter, cycle));
        let first = members.next()?;
        let others: Vec<Box<dyn Filter + 'c>> = members.collect();
        let filter = if others.is_empty() { first } else { predicate_group::all_of(first, others) };
        Some(ActiveFilter { plugin: name, filter })
    };
    plugins.filter.iter().filter_map(filter).collect()
}

/// The filter of a rule whose PreFilter does not run.
fn unprepared<'c>(
    rule: &'static dyn Plugin,
    pre_filter: Preparation,
    cycle: &Cycle<'c>,
) -> Option<Box<dyn Filter + 'c>> {
    if let Some(error) = rule.error_without_pre_filter().filter(|_| pre_filter == Preparation::Disabled) {
        return Some(Box::new(Same(Verdict::Failed(error.to_owned()))));
    }
    match rule.prepare(cycle) {
        Prepared::Ready { filter, .. } => Some(filter),
        Prepared::Skip => None,
        Prepared::Reject(rejection) => Some(Box::new(Same(Verdict::Rejected(rejection)))),
        Prepared::Failed(error) => Some(Box::new(Same(Verdict::Failed(error)))),
    }
}

/// A filter that says the same of every node.
struct Same(Verdict);

impl Filter for Same {
    fn check(&self, _: &NodeInfo) -> Verdict {
        self.0.clone()
    }
}

/// A node whose pods come and go, and the state of every filter for it.
pub struct NodeState<'p, 'c> {
    prepared: &'p PreparedCycle<'c>,
    info: NodeInfo,
    states: Vec<Option<Box<dyn ExtensionState + 'p>>>,
}

impl NodeState<'_, '_> {
    /// Puts a pod on the node.
    pub fn add_pod(&mut self, pod: PodIx) {
        let view = self.prepared.cycle.view;
        self.info.pods.push(pod);
        self.info.requested += view.footprint(view.cluster.pod(pod));
        self.states.iter_mut().flatten().for_each(|t| t.add_pod(pod));
    }

    /// Takes a pod off the node.
    pub fn remove_pod(&mut self, pod: PodIx) {
        let view = self.prepared.cycle.view;
        self.info.pods.retain(|p| *p != pod);
        self.info.requested -= view.footprint(view.cluster.pod(pod));
        self.states.iter_mut().flatten().for_each(|t| t.remove_pod(pod));
    }

    /// What letting pods come and go fails with, if it does: a plugin whose PreFilter did not get to run lacks its state.
    #[must_use]
    pub fn missing_state(&self) -> Option<String> {
        self.prepared.missing_state.clone()
    }

    /// Filters the node: with the nominated pods on it, and then, if there are any, without them. Both must pass.
    /// `None` when the pod fits, else the first plugin that refused and what it said.
    #[must_use]
    pub fn check(&self) -> Option<(&'static str, Verdict)> {
        let mut nominated_pods =
            self.prepared.cycle.view.nominated_pods(self.info.node, self.prepared.cycle.ix).peekable();
        if nominated_pods.peek().is_some() {
            let states = self.states.iter().map(|t| t.as_ref().map(|t| t.fork())).collect();
            let mut crowded = NodeState { prepared: self.prepared, info: self.info.clone(), states };
            nominated_pods.for_each(|pod| crowded.add_pod(pod));
            if let Some(refusal) = crowded.check_as_is() {
                return Some(refusal);
            }
        }
        self.check_as_is()
    }

    fn check_as_is(&self) -> Option<(&'static str, Verdict)> {
        let mut active = self.prepared.filters.iter().zip(&self.states);
        if let Some((filter, _)) = active.find(|(_, state)| state.as_ref().is_some_and(|t| t.panics())) {
            return Some((filter.plugin, Verdict::Failed(PANIC.to_owned())));
        }
        let verdicts = self.prepared.filters.iter().zip(&self.states).map(|(filter, state)| match state {
            Some(state) => (filter.plugin, state.check(&self.info)),
            None => (filter.plugin, filter.filter.check(&self.info)),
        });
        self.prepared.refusal(verdicts)
    }
}

#[cfg(test)]
mod tests;

//! One scheduling cycle: run PreFilter of every plugin, then filter every node in the order of the
//! profile. The first plugin that rejects a node decides for that node.
//!
//! Upstream: `pkg/scheduler/schedule_one.go` `findNodesThatFitPod`,
//! `pkg/scheduler/framework/runtime/framework.go` `RunPreFilterPlugins`,
//! `RunFilterPluginsWithNominatedPods` (1.37). Every node is filtered: no sampling.

use std::cell::Cell;
use std::sync::Arc;

use jiff::Timestamp;

use super::cluster_view::potential_victims::PreemptorKind;
use super::cluster_view::{ClusterView, NodeInfo, PARALLEL_FROM};
use super::evidence::TimedOut;
use super::failure::{Crash, StepFailure};
use super::plugin::{
    Cycle, ExtensionState, Filter, FilterPlugins, FilterSlot, Plugin, Preparation, Prepared,
};
pub use super::pre_filter::PreFilter;
use super::pre_filter::{self, ActiveFilter, FixedVerdict, Ran};
use super::predicate_group;
use super::status::{FilterVerdict, Rejection};
use model::cluster::Cluster;
use model::cluster::node::NodeIx;
use model::cluster::pod::PodIx;
use model::cluster::resources::Resources;
use model::parallel;
use profile::history::PluginLists;

/// A scheduling cycle with prepared plugins.
pub struct PreparedCycle<'c> {
    /// The pod and the view of the cluster.
    pub cycle: Cycle<'c>,
    /// The filters that PreFilter did not skip, in the order of Filter.
    filters: Vec<ActiveFilter<'c>>,
    /// What PreFilter decided for the whole cluster.
    pub pre_filter: PreFilter,
    /// The error of AddPod and RemovePod, if PreFilter stopped before a plugin that needs its state
    /// there.
    missing_state: Option<String>,
}

/// The result of filtering one node.
#[derive(Debug, Clone, PartialEq)]
pub enum NodeVerdict {
    /// The pod fits.
    Feasible,
    /// A filter plugin rejected the node.
    Filtered {
        /// The first plugin that rejected it.
        plugin: &'static str,
        /// Why.
        rejection: Rejection,
    },
    /// PreFilter excluded the node, so no filter ran on it.
    ExcludedByPreFilter,
    /// No filter ran, since PreFilter rejected the pod or the cycle failed.
    NotTried,
    /// A filter failed, which ends the cycle.
    Failed(StepFailure),
}

/// The nodes that a filter plugin rejects, of those with these verdicts, by name: the node, the
/// plugin, and the rejection.
pub fn rejections_of<'v>(
    verdicts: &'v [NodeVerdict],
    cluster: &Cluster,
) -> impl Iterator<Item = (NodeIx, &'static str, &'v Rejection)> {
    cluster.node_indices().zip(verdicts).filter_map(|(node, verdict)| match verdict {
        NodeVerdict::Filtered { plugin, rejection } => Some((node, *plugin, rejection)),
        NodeVerdict::Feasible
        | NodeVerdict::NotTried
        | NodeVerdict::ExcludedByPreFilter
        | NodeVerdict::Failed(_) => None,
    })
}

impl NodeVerdict {
    /// Why a filter plugin rejected the node, if one did.
    #[must_use]
    pub const fn rejection(&self) -> Option<&Rejection> {
        if let Self::Filtered { rejection, .. } = self { Some(rejection) } else { None }
    }

    /// Whether a filter plugin rejected the node for a cause that evicting pods may remove.
    #[must_use]
    pub fn is_resolvable(&self) -> bool {
        self.rejection().is_some_and(Rejection::is_resolvable)
    }

    /// Why a filter failed, if one did.
    #[must_use]
    pub fn failure(&self) -> Option<&StepFailure> {
        if let Self::Failed(failure) = self { Some(failure) } else { None }
    }

    /// Whether a search was abandoned before it had a result.
    #[must_use]
    pub(crate) fn is_given_up(&self) -> bool {
        match self {
            Self::Failed(failure) => matches!(failure, StepFailure::TimedOut(_)),
            Self::Filtered { rejection, .. } => {
                rejection.evidence().any(|evidence| evidence.get::<TimedOut>().is_some())
            }
            Self::Feasible | Self::ExcludedByPreFilter | Self::NotTried => false,
        }
    }
}

impl<'c> PreparedCycle<'c> {
    /// Runs PreFilter of `plugins`.
    #[must_use]
    pub fn new(
        view: &'c ClusterView<'c>,
        pod: PodIx,
        now: Timestamp,
        plugins: &FilterPlugins,
    ) -> Self {
        let cycle = Cycle::of(view, pod, now);
        let Ran { prepared, pre_filter, missing_state } =
            pre_filter::run(&plugins.pre_filter, &cycle);
        let stopped = matches!(&pre_filter, PreFilter::Failed(_) | PreFilter::Rejected { .. });
        let filters = if stopped { Vec::new() } else { in_filter_order(plugins, prepared, &cycle) };
        Self { cycle, filters, pre_filter, missing_state }
    }

    /// The same for an explanation: every plugin is prepared, even if another one rejects the pod
    /// or narrows the nodes.
    #[must_use]
    pub fn of_every_plugin(
        view: &'c ClusterView<'c>,
        pod: PodIx,
        now: Timestamp,
        plugins: &FilterPlugins,
    ) -> Self {
        let cycle = Cycle::of(view, pod, now);
        let filters =
            in_filter_order(plugins, pre_filter::each(&plugins.pre_filter, &cycle), &cycle);
        Self { cycle, filters, pre_filter: PreFilter::AllNodes, missing_state: None }
    }

    /// Per node, the rejections of every plugin except the given one; `None` where one of them
    /// fails.
    #[must_use]
    pub fn other_rejections(
        &self,
        nodes: &[(NodeIx, Option<&'static str>)],
    ) -> Vec<Option<Vec<(&'static str, Rejection)>>> {
        parallel::map(nodes, PARALLEL_FROM, |(node, apart)| self.rejections(*node, *apart))
    }

    fn rejections(
        &self,
        node: NodeIx,
        apart: Option<&'static str>,
    ) -> Option<Vec<(&'static str, Rejection)>> {
        self.refusals_apart(node, apart)
            .into_iter()
            .map(|(plugin, verdict)| match verdict {
                FilterVerdict::Rejected(rejection) => Some((plugin, rejection)),
                FilterVerdict::Fits | FilterVerdict::Failed(_) => None,
            })
            .collect()
    }

    /// Filters every node, in the order of names. The nominated node is filtered even if PreFilter
    /// excluded it.
    #[must_use]
    pub fn filter_all(&self) -> Vec<NodeVerdict> {
        let view = self.cycle.view;
        let filters = self.known_filters();
        let rejections = self.known_rejections();
        match rejections {
            Some(rejections) => {
                // What is left to do is less than threads would cost.
                let nodes = view.infos().iter().zip(rejections.iter());
                nodes.map(|(info, by)| self.verdict_of(info, *by, filters.len())).collect()
            }
            None => parallel::map(view.infos(), PARALLEL_FROM, |info| self.verdict(info)),
        }
    }

    /// For every node the first of [`Self::known_filters`] that rejects it, where decisions remember
    /// them.
    fn known_rejections(&self) -> Option<Arc<Vec<Option<u8>>>> {
        let (view, filters) = (self.cycle.view, self.known_filters());
        let known = view.known_nodes.as_ref().filter(|_| !filters.is_empty())?;
        known.rejections(view, self.cycle.ix, filters.len(), |infos| {
            parallel::map(infos, PARALLEL_FROM, |info| {
                let rejecting = filters.iter().position(|f| !f.filter.fits(info));
                rejecting.and_then(|at| u8::try_from(at).ok())
            })
        })
    }

    /// The filters before all others that look at one node alone; none where every filter runs anyway.
    fn known_filters(&self) -> &[ActiveFilter<'c>] {
        if self.cycle.features().cycle.filters_all_run {
            return &[];
        }
        let count = self.filters.iter().take_while(|f| f.filter.reads_node_alone()).count();
        let count = count.min(usize::from(u8::MAX));
        self.filters.get(..count).unwrap_or_default()
    }

    /// The verdict about a node of which those of the first `known` filters are known: it is rejected
    /// by one of them, or by none.
    fn verdict_of(&self, info: &NodeInfo, rejected_by: Option<u8>, known: usize) -> NodeVerdict {
        let rejecting = rejected_by.and_then(|at| self.filters.get(usize::from(at)));
        self.verdict_with(info, || match rejecting {
            Some(filter) if !self.has_nominated(info.node) => {
                Some((filter.plugin, filter.filter.check(info)))
            }
            _ => self.check_after(info, known),
        })
    }

    /// The nodes on which the pod fits, by name. Each is looked at when it is asked for.
    pub fn feasible(&self) -> impl Iterator<Item = NodeIx> {
        let takes_pod = self.takes_pod();
        self.cycle.view.cluster.node_indices().filter(move |node| takes_pod(*node))
    }

    /// Tells of one node after the other whether the pod fits there. No reasons are put together.
    pub(crate) fn takes_pod(&self) -> impl Fn(NodeIx) -> bool {
        let rejections = self.known_rejections();
        let passed = if rejections.is_some() { self.known_filters().len() } else { 0 };
        move |node| {
            let rejecting = rejections.as_ref().and_then(|known| *known.get(node.0 as usize)?);
            rejecting.is_none() && self.fits(self.cycle.view.info(node), passed)
        }
    }

    /// Whether the pod fits on a node on which it passes the first `passed` filters.
    fn fits(&self, info: &NodeInfo, passed: usize) -> bool {
        let name = self.cycle.view.node(info.node).name;
        let is_tried = match &self.pre_filter {
            PreFilter::Rejected { .. } | PreFilter::Failed(_) => false,
            PreFilter::SomeNodes { only, .. } => {
                only.contains(&name) || name == self.cycle.pod.nominated_node
            }
            PreFilter::AllNodes => true,
        };
        is_tried
            && self.filters.iter().skip(passed).all(|filter| filter.filter.fits(info))
            && (!self.has_nominated(info.node) || self.node_state(info.node).check().is_none())
    }

    /// The verdict about one node.
    #[must_use]
    pub fn verdict_about(&self, node: NodeIx) -> NodeVerdict {
        self.verdict(self.cycle.view.info(node))
    }

    fn verdict(&self, info: &NodeInfo) -> NodeVerdict {
        self.verdict_with(info, || self.check_after(info, 0))
    }

    /// The verdict about a node on which the filters find this, if they run there.
    fn verdict_with(
        &self,
        info: &NodeInfo,
        check: impl FnOnce() -> Option<(&'static str, FilterVerdict)>,
    ) -> NodeVerdict {
        let name = self.cycle.view.node(info.node).name;
        if !self.cycle.view.is_in_placement(info.node) {
            return NodeVerdict::NotTried;
        }
        match &self.pre_filter {
            PreFilter::Rejected { .. } | PreFilter::Failed(_) => return NodeVerdict::NotTried,
            PreFilter::SomeNodes { only, .. }
                if !only.contains(&name) && name != self.cycle.pod.nominated_node =>
            {
                return NodeVerdict::ExcludedByPreFilter;
            }
            PreFilter::SomeNodes { .. } | PreFilter::AllNodes => {}
        }
        match check() {
            Some((plugin, FilterVerdict::Rejected(mut rejection))) => {
                if self.cycle.features().cycle.one_reason_per_node {
                    rejection.reasons.truncate(1);
                }
                NodeVerdict::Filtered { plugin, rejection }
            }
            Some((plugin, FilterVerdict::Failed(failure))) => {
                NodeVerdict::Failed(self.filter_failure(plugin, failure))
            }
            None | Some((_, FilterVerdict::Fits)) => NodeVerdict::Feasible,
        }
    }

    /// The failure with which a failed filter ends the cycle or the dry run.
    #[must_use]
    pub(crate) fn filter_failure(&self, plugin: &str, failure: StepFailure) -> StepFailure {
        let features = self.cycle.features();
        let pod = &self.cycle.pod.name;
        let names_plugin = features.default_plugins.plugin_lists != PluginLists::Predicates;
        failure.map(|error| match (names_plugin, features.cycle.filter_errors_short) {
            (false, _) => error.to_owned(),
            (true, false) => format!("running {plugin:?} filter plugin for pod {pod:?}: {error}"),
            (true, true) => format!("running {plugin:?} filter plugin: {error}"),
        })
    }

    /// Filters one node with its current pods and the nominated ones; `None` if the pod fits. With
    /// the current pods alone it passes the first `passed` filters.
    fn check_after(&self, info: &NodeInfo, passed: usize) -> Option<(&'static str, FilterVerdict)> {
        if self.has_nominated(info.node) {
            return self.node_state(info.node).check();
        }
        let others = self.filters.iter().skip(passed);
        self.first_rejection(others.map(|f| (f.plugin, f.filter.check(info))))
    }

    /// What a dry run on a node, while the potential victims there stay the same, follows from; `None`
    /// if it follows from more.
    pub(crate) fn kind_on(&self, node: NodeIx) -> Option<PreemptorKind> {
        let reads_node_alone = self.missing_state.is_none()
            && !self.has_nominated(node)
            && self.filters.iter().all(|filter| filter.filter.reads_node_alone());
        if reads_node_alone { PreemptorKind::of(self.cycle.pod, self.filters.len()) } else { None }
    }

    /// Whether any nomination to the node counts for the pod.
    fn has_nominated(&self, node: NodeIx) -> bool {
        let (view, pod) = (self.cycle.view, self.cycle.ix);
        view.nominated_pods(node, pod).next().is_some() || view.unqueued_pods(node, pod) > 0
    }

    /// The verdicts of all filters that reject a node or fail there, with its current and nominated
    /// pods, or else with its current pods alone. For explanations, since only the first decides.
    /// Empty if none does, or if PreFilter ended the cycle.
    #[must_use]
    pub fn refusals(&self, node: NodeIx) -> Vec<(&'static str, FilterVerdict)> {
        self.refusals_apart(node, None)
    }

    fn refusals_apart(
        &self,
        node: NodeIx,
        apart: Option<&'static str>,
    ) -> Vec<(&'static str, FilterVerdict)> {
        let with_nominated =
            self.has_nominated(node).then(|| self.node_state(node).with_nominated());
        let info = self.cycle.view.info(node);
        let mut refusals = Vec::new();
        for (index, filter) in self.filters.iter().enumerate() {
            if Some(filter.plugin) == apart {
                continue;
            }
            // As in the cycle, the filter has to pass both with and without the nominated pods.
            let first = with_nominated.as_ref().map(|state| state.verdict(index, filter));
            let verdict = match first {
                Some(verdict) if !verdict.fits() => verdict,
                Some(_) | None => filter.filter.check(info),
            };
            if !verdict.fits() {
                refusals.push((filter.plugin, verdict));
            }
        }
        refusals
    }

    /// The first rejection; in versions that run every filter, all rejections combined.
    fn first_rejection(
        &self,
        mut verdicts: impl Iterator<Item = (&'static str, FilterVerdict)>,
    ) -> Option<(&'static str, FilterVerdict)> {
        if !self.cycle.features().cycle.filters_all_run {
            return verdicts.find(|(_, verdict)| !verdict.fits());
        }
        verdicts.fold(None, |rejected, (plugin, verdict)| match (rejected, verdict) {
            (rejected, FilterVerdict::Fits) => rejected,
            (None, verdict) => Some((plugin, verdict)),
            (Some((before, rejected)), verdict) => {
                let worse = rejected.code() < verdict.code();
                Some((if worse { plugin } else { before }, rejected.and(verdict)))
            }
        })
    }

    /// A copy of the state of `node` on which pods can be added and removed.
    #[must_use]
    pub fn node_state(&self, node: NodeIx) -> NodeState<'_, 'c> {
        self.node_state_of(self.cycle.view.info(node))
    }

    /// The same after some of its pods were removed: `rest` is the node without them.
    pub(crate) fn node_state_of(&self, rest: &NodeInfo) -> NodeState<'_, 'c> {
        let info = self.cycle.view.info(rest.node);
        let mut states: Vec<_> =
            self.filters.iter().map(|f| f.filter.extension_state(info)).collect();
        if states.iter().any(Option::is_some) {
            // The pods of both are in the same order.
            let mut stay = rest.pods.iter().peekable();
            for pod in &info.pods {
                if stay.next_if_eq(&pod).is_none() {
                    states.iter_mut().flatten().for_each(|t| t.remove_pod(*pod, rest.node));
                }
            }
        }
        let has_nominated = self.has_nominated(rest.node);
        // Most of the pods that were removed will be added again.
        let mut pods = Vec::with_capacity(info.pods.len());
        pods.extend_from_slice(&rest.pods);
        let mut info = NodeInfo::new(rest.node, pods, rest.requested.clone());
        (info.unknown, info.bare) = (rest.unknown, rest.bare);
        NodeState { prepared: self, info, states, has_nominated, node_fits: Cell::new(false) }
    }
}

/// The filters that were not skipped, in the order of Filter.
fn in_filter_order<'c>(
    plugins: &FilterPlugins,
    mut prepared: Vec<ActiveFilter<'c>>,
    cycle: &Cycle<'c>,
) -> Vec<ActiveFilter<'c>> {
    let mut filters = Vec::with_capacity(plugins.filter.len());
    for FilterSlot { name, rules, pre_filter } in &plugins.filter {
        // A plugin that PreFilter skipped has no filter.
        if *pre_filter == Preparation::Runs {
            let prepared_by = prepared.iter().position(|filter| filter.plugin == *name);
            filters.extend(prepared_by.map(|index| prepared.swap_remove(index)));
            continue;
        }
        let mut members =
            rules.iter().filter_map(|rule| filter_without_pre_filter(*rule, *pre_filter, cycle));
        let Some(first) = members.next() else { continue };
        let others: Vec<Box<dyn Filter + 'c>> = members.collect();
        let filter = if others.is_empty() { first } else { predicate_group::all_of(first, others) };
        filters.push(ActiveFilter::new(name, filter));
    }
    filters
}

/// The filter of a plugin whose PreFilter does not run.
fn filter_without_pre_filter<'c>(
    rule: &'static dyn Plugin,
    pre_filter: Preparation,
    cycle: &Cycle<'c>,
) -> Option<Box<dyn Filter + 'c>> {
    if pre_filter == Preparation::Disabled {
        if let Some(filter) = rule.filter_without_pre_filter(cycle) {
            return Some(filter);
        }
        if let Some(error) = rule.error_without_pre_filter() {
            return Some(Box::new(FixedVerdict(FilterVerdict::Failed(error.to_owned().into()))));
        }
    }
    match rule.prepare(cycle) {
        Prepared::Ready { filter, .. } => Some(filter),
        Prepared::Skip => None,
        Prepared::Reject(rejection) => {
            Some(Box::new(FixedVerdict(FilterVerdict::Rejected(rejection))))
        }
        Prepared::Failed(error) => {
            Some(Box::new(FixedVerdict(FilterVerdict::Failed(error.into()))))
        }
    }
}

/// A copy of a node on which pods are added and removed, with the state of every filter for it.
pub struct NodeState<'p, 'c> {
    prepared: &'p PreparedCycle<'c>,
    info: NodeInfo,
    states: Vec<Option<Box<dyn ExtensionState + 'p>>>,
    /// Whether any nomination to the node counts for the pod.
    has_nominated: bool,
    /// Whether the pod has passed the filters that do not read pods. It passes them again.
    node_fits: Cell<bool>,
}

impl NodeState<'_, '_> {
    #[must_use]
    pub fn node(&self) -> NodeIx {
        self.info.node
    }

    /// Adds a pod to the node.
    pub fn add_pod(&mut self, pod: PodIx) {
        self.add_pod_on(pod, self.info.node);
    }

    /// Adds a pod to the node, unless the pod of the cycle does not fit beside it. Returns whether it
    /// was added.
    pub fn add_if_it_fits(&mut self, pod: PodIx) -> bool {
        self.add_pod(pod);
        let fits = self.check().is_none();
        if !fits {
            self.remove_pod(pod);
        }
        fits
    }

    /// Removes a pod from the node.
    pub fn remove_pod(&mut self, pod: PodIx) {
        self.remove_pod_from(pod, self.info.node);
    }

    /// Adds a pod to a node. If that is another node, only the filter states are notified.
    pub fn add_pod_on(&mut self, pod: PodIx, node: NodeIx) {
        let view = self.prepared.cycle.view;
        self.add_with(pod, node, view.footprint(view.cluster.pod(pod)));
    }

    /// Removes a pod from a node. If that is another node, only the filter states are notified.
    pub fn remove_pod_from(&mut self, pod: PodIx, node: NodeIx) {
        let view = self.prepared.cycle.view;
        self.remove_with(pod, node, view.footprint(view.cluster.pod(pod)));
    }

    /// [`Self::add_pod_on`] for a pod that takes these resources.
    pub(crate) fn add_with(&mut self, pod: PodIx, node: NodeIx, footprint: &Resources) {
        if node == self.info.node {
            self.info.add(pod, footprint);
        }
        self.states.iter_mut().flatten().for_each(|t| t.add_pod(pod, node));
    }

    /// [`Self::remove_pod_from`] for a pod that took these resources.
    pub(crate) fn remove_with(&mut self, pod: PodIx, node: NodeIx, footprint: &Resources) {
        if node == self.info.node {
            self.info.remove(pod, footprint);
        }
        self.states.iter_mut().flatten().for_each(|t| t.remove_pod(pod, node));
    }

    /// Adds a pod to the pods and requests of the node without notifying the filter states.
    pub(crate) fn add_pod_unnoticed(&mut self, pod: PodIx, node: NodeIx) {
        if node == self.info.node {
            let view = self.prepared.cycle.view;
            self.info.add(pod, view.footprint(view.cluster.pod(pod)));
        }
    }

    /// Whether pods on other nodes can affect the verdict on this one.
    #[must_use]
    pub fn looks_elsewhere(&self) -> bool {
        self.states.iter().flatten().any(|t| t.looks_elsewhere())
    }

    /// Whether a pod that is added to or removed from `node` can affect the verdict on this one.
    #[must_use]
    pub fn depends_on(&self, pod: PodIx, node: NodeIx) -> bool {
        node == self.info.node || self.states.iter().flatten().any(|t| t.depends_on(pod, node))
    }

    /// The error of AddPod and RemovePod, if PreFilter stopped before a plugin that needs its state
    /// there.
    #[must_use]
    pub(crate) fn missing_state(&self) -> Option<String> {
        self.prepared.missing_state.clone()
    }

    /// Filters the node twice: with the nominated pods and, if there are any, without them. Both
    /// runs must pass. Returns `None` if the pod fits, or else the first plugin that rejects it and
    /// its verdict.
    #[must_use]
    pub fn check(&self) -> Option<(&'static str, FilterVerdict)> {
        let rejected = if self.has_nominated { self.with_nominated().check_as_is() } else { None };
        rejected.or_else(|| self.check_as_is())
    }

    /// The plugin whose verdict [`Self::check`] returns; `None` if the pod fits. A dry run asks for
    /// each pod of a node, and most answers are never shown, so no reasons are put together.
    #[must_use]
    pub(crate) fn rejected_by(&self) -> Option<&'static str> {
        if self.prepared.cycle.features().cycle.filters_all_run {
            return self.check().map(|(plugin, _)| plugin);
        }
        let rejected =
            if self.has_nominated { self.with_nominated().rejected_as_is_by() } else { None };
        rejected.or_else(|| self.rejected_as_is_by())
    }

    fn rejected_as_is_by(&self) -> Option<&'static str> {
        // AddPod and RemovePod run before the filters.
        if let Some((filter, _)) = self.crashed() {
            return Some(filter.plugin);
        }
        let node_fits = self.node_fits.get();
        for (filter, state) in self.prepared.filters.iter().zip(&self.states) {
            if node_fits && !filter.reads_pods {
                continue;
            }
            let fits = match state {
                Some(state) => state.check(&self.info).fits(),
                None => filter.filter.fits(&self.info),
            };
            if !fits {
                return Some(filter.plugin);
            }
        }
        self.node_fits.set(true);
        None
    }

    /// The first filter whose AddPod or RemovePod makes kube-scheduler panic, and its index.
    fn crashed(&self) -> Option<(&ActiveFilter<'_>, usize)> {
        let index = self
            .states
            .iter()
            .position(|state| state.as_ref().is_some_and(|state| state.panics()))?;
        Some((self.prepared.filters.get(index)?, index))
    }

    /// Whether [`Self::check`], which returned the verdict of `rejected_by`, may return the opposite
    /// under another order that the API does not show.
    #[must_use]
    pub fn is_order_dependent(&self, rejected_by: Option<&'static str>) -> bool {
        for (filter, state) in self.prepared.filters.iter().zip(&self.states) {
            // The plugin that rejects the node decides. If none does, any of them may reject it
            // under another order.
            let decides = rejected_by.is_none_or(|plugin| plugin == filter.plugin);
            if decides && state.as_ref().is_some_and(|state| state.is_order_dependent()) {
                return true;
            }
        }
        false
    }

    /// The node with the nominated pods added.
    fn with_nominated(&self) -> Self {
        let (view, pod) = (self.prepared.cycle.view, self.prepared.cycle.ix);
        let states = self.states.iter().map(|t| t.as_ref().map(|t| t.fork())).collect();
        let mut with_nominated = NodeState {
            prepared: self.prepared,
            info: self.info.clone(),
            states,
            has_nominated: self.has_nominated,
            node_fits: self.node_fits.clone(),
        };
        view.nominated_pods(self.info.node, pod).for_each(|pod| with_nominated.add_pod(pod));
        with_nominated.info.unknown += view.unqueued_pods(self.info.node, pod);
        with_nominated
    }

    fn check_as_is(&self) -> Option<(&'static str, FilterVerdict)> {
        let verdict =
            |(index, filter): (usize, &ActiveFilter)| (filter.plugin, self.verdict(index, filter));
        let filters = self.prepared.filters.iter().enumerate();
        // AddPod and RemovePod run before the filters.
        if let Some((filter, index)) = self.crashed() {
            return Some(verdict((index, filter)));
        }
        let node_fits = self.node_fits.get();
        let open = filters.filter(|(_, filter)| !node_fits || filter.reads_pods);
        let rejected = self.prepared.first_rejection(open.map(verdict));
        if rejected.is_none() {
            self.node_fits.set(true);
        }
        rejected
    }

    /// The verdict of the filter with this index on the node's current state.
    fn verdict(&self, index: usize, filter: &ActiveFilter) -> FilterVerdict {
        match self.states.get(index) {
            Some(Some(state)) if state.panics() => {
                FilterVerdict::Failed(StepFailure::Crash(Crash::UncountedDomain))
            }
            Some(Some(state)) => state.check(&self.info),
            Some(None) | None => filter.filter.check(&self.info),
        }
    }
}

#[cfg(test)]
mod tests;

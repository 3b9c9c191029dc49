//! One scheduling cycle: prepare every plugin, filter every node in the profile's order, first rejection decides.
//!
//! Upstream: `pkg/scheduler/schedule_one.go` `findNodesThatFitPod`, `pkg/scheduler/framework/runtime/framework.go`
//! `RunPreFilterPlugins`, `RunFilterPluginsWithNominatedPods` (1.37). Every node is filtered: no sampling.

use std::collections::BTreeSet;

use rayon::prelude::*;

use super::plugin::{Cycle, Filter, FilterPlugins, HasPreFilter, Plugin, Prepared, Trial};
use super::status::{Code, Rejection, Text, Verdict};
use super::world::{NodeInfo, PARALLEL_FROM, World};
use crate::cluster::node::NodeIx;
use crate::cluster::pod::PodIx;
use crate::cluster::symbols::Sym;

/// A filter that takes part, with the name of its plugin.
pub struct ActiveFilter<'c> {
    /// Plugin name.
    pub plugin: &'static str,
    filter: Box<dyn Filter + 'c>,
}

/// A cycle whose plugins are prepared.
pub struct PreparedCycle<'c> {
    /// Whose cycle it is.
    pub cycle: Cycle<'c>,
    /// Filters that were not skipped, in order.
    filters: Vec<ActiveFilter<'c>>,
    /// What PreFilter decided for the whole cluster.
    pub pre_filter: PreFilter,
}

/// What PreFilter decided for the whole cluster.
#[derive(Debug, Clone, PartialEq)]
pub enum PreFilter {
    /// Every node is to be filtered.
    AllNodes,
    /// Only the named nodes are; the names of the plugins that said so are sorted.
    Narrowed {
        /// Names, of which some may be no nodes.
        only: BTreeSet<Sym>,
        /// Plugins.
        by: Vec<&'static str>,
    },
    /// The pod is refused on every node.
    Rejected {
        /// The plugin, or empty when several together left no node.
        plugin: &'static str,
        /// Why.
        rejection: Rejection,
        /// Whether later plugins did not get to run.
        stopped: bool,
    },
    /// A plugin failed, which ends the cycle.
    Failed(String),
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
    Narrowed,
    /// PreFilter refused the pod as a whole.
    NotTried,
    /// A filter failed; the cycle ends with this error.
    Failed(String),
}

impl<'c> PreparedCycle<'c> {
    /// Runs PreFilter of `plugins`.
    #[must_use]
    pub fn new(world: &'c World<'c>, pod: PodIx, plugins: &FilterPlugins) -> Self {
        let cycle = Cycle::of(world, pod);
        let mut prepared: Vec<ActiveFilter<'c>> = Vec::with_capacity(plugins.pre_filter.len());
        let mut narrowing: Option<(BTreeSet<Sym>, Vec<&'static str>)> = None;
        let mut remembered = None;
        let ended = |pre_filter| Self { cycle, filters: Vec::new(), pre_filter };
        for plugin in &plugins.pre_filter {
            let name = plugin.doc().name;
            match plugin.prepare(&cycle) {
                Prepared::Skip => {}
                Prepared::Failed(error) => {
                    return ended(PreFilter::Failed(format!("running PreFilter plugin \"{name}\": {error}")));
                }
                Prepared::Reject(rejection) => {
                    let stopped = rejection.code == Code::UnschedulableAndUnresolvable;
                    let rejected = PreFilter::Rejected { plugin: name, rejection, stopped };
                    if stopped {
                        return ended(rejected);
                    }
                    remembered = Some(rejected);
                }
                Prepared::Ready { only, filter } => {
                    prepared.push(ActiveFilter { plugin: name, filter });
                    if let Some(only) = only {
                        narrowing = Some(narrow(narrowing, only, name));
                        if let Some((left, by)) = &narrowing
                            && left.is_empty()
                        {
                            return ended(nothing_left(by));
                        }
                    }
                }
            }
        }
        let narrowed = narrowing.map(|(only, by)| PreFilter::Narrowed { only, by });
        let pre_filter = remembered.or(narrowed).unwrap_or(PreFilter::AllNodes);
        Self { cycle, filters: in_filter_order(plugins, prepared, &cycle), pre_filter }
    }

    /// Filters every node, by name. The nominated node is filtered even where PreFilter had excluded it.
    #[must_use]
    pub fn filter_all(&self) -> Vec<NodeVerdict> {
        let verdict = |info: &NodeInfo| self.verdict(info);
        let infos = self.cycle.world.infos();
        if infos.len() < PARALLEL_FROM {
            infos.iter().map(verdict).collect()
        } else {
            infos.par_iter().map(verdict).collect()
        }
    }

    fn verdict(&self, info: &NodeInfo) -> NodeVerdict {
        let name = self.cycle.world.node(info.node).name;
        match &self.pre_filter {
            PreFilter::Rejected { .. } | PreFilter::Failed(_) => return NodeVerdict::NotTried,
            PreFilter::Narrowed { only, .. } if !only.contains(&name) && name != self.cycle.pod.nominated_node => {
                return NodeVerdict::Narrowed;
            }
            PreFilter::Narrowed { .. } | PreFilter::AllNodes => {}
        }
        match self.check_node(info) {
            Some((plugin, Verdict::Rejected(rejection))) => NodeVerdict::Filtered { plugin, rejection },
            Some((plugin, Verdict::Failed(error))) => {
                NodeVerdict::Failed(format!("running \"{plugin}\" filter plugin: {error}"))
            }
            None | Some((_, Verdict::Fits)) => NodeVerdict::Feasible,
        }
    }

    /// Filters one node as it stands, nominated pods included; `None` when the pod fits.
    fn check_node(&self, info: &NodeInfo) -> Option<(&'static str, Verdict)> {
        if self.cycle.world.rivals(info.node, self.cycle.ix).next().is_some() {
            return self.trial(info.node).check();
        }
        self.filters.iter().find_map(|f| {
            let verdict = f.filter.check(info);
            (!verdict.fits()).then_some((f.plugin, verdict))
        })
    }

    /// A copy of what `node` holds, to let pods come and go.
    #[must_use]
    pub fn trial(&self, node: NodeIx) -> NodeTrial<'_, 'c> {
        let info = self.cycle.world.info(node).clone();
        let trials = self.filters.iter().map(|f| f.filter.trial(&info)).collect();
        NodeTrial { prepared: self, info, trials }
    }
}

/// The filters that were not skipped, in the order of Filter.
fn in_filter_order<'c>(
    plugins: &FilterPlugins,
    mut prepared: Vec<ActiveFilter<'c>>,
    cycle: &Cycle<'c>,
) -> Vec<ActiveFilter<'c>> {
    let filter = |(plugin, pre_filter): &(&'static dyn Plugin, HasPreFilter)| {
        let name = plugin.doc().name;
        if *pre_filter == HasPreFilter::Yes {
            let index = prepared.iter().position(|f| f.plugin == name)?;
            return Some(prepared.swap_remove(index));
        }
        let error = plugin.error_without_pre_filter().filter(|_| *pre_filter == HasPreFilter::Disabled);
        if let Some(error) = error {
            return Some(ActiveFilter { plugin: name, filter: Box::new(Broken(error)) });
        }
        match plugin.prepare(cycle) {
            Prepared::Ready { filter, .. } => Some(ActiveFilter { plugin: name, filter }),
            Prepared::Skip | Prepared::Reject(_) | Prepared::Failed(_) => None,
        }
    };
    plugins.filter.iter().filter_map(filter).collect()
}

/// A filter whose PreFilter is missing.
struct Broken(&'static str);

impl Filter for Broken {
    fn check(&self, _: &NodeInfo) -> Verdict {
        Verdict::Failed(self.0.to_owned())
    }
}

fn narrow(
    before: Option<(BTreeSet<Sym>, Vec<&'static str>)>,
    only: BTreeSet<Sym>,
    plugin: &'static str,
) -> (BTreeSet<Sym>, Vec<&'static str>) {
    match before {
        None => (only, vec![plugin]),
        Some((names, mut by)) => {
            by.push(plugin);
            by.sort_unstable();
            (names.intersection(&only).copied().collect(), by)
        }
    }
}

fn nothing_left(by: &[&'static str]) -> PreFilter {
    let text = match by {
        [one] => format!("node(s) didn't satisfy plugin {one}"),
        several => format!("node(s) didn't satisfy plugin(s) [{}] simultaneously", several.join(" ")),
    };
    PreFilter::Rejected {
        plugin: if let [one] = by { one } else { "" },
        rejection: Rejection::unresolvable(Text::Owned(text.into())),
        stopped: true,
    }
}

/// A node whose pods come and go, and the state of every filter for it.
pub struct NodeTrial<'p, 'c> {
    prepared: &'p PreparedCycle<'c>,
    info: NodeInfo,
    trials: Vec<Option<Box<dyn Trial + 'p>>>,
}

impl NodeTrial<'_, '_> {
    /// Puts a pod on the node.
    pub fn add_pod(&mut self, pod: PodIx) {
        let world = self.prepared.cycle.world;
        self.info.pods.push(pod);
        self.info.requested += world.footprint(world.cluster.pod(pod));
        self.trials.iter_mut().flatten().for_each(|t| t.add_pod(pod));
    }

    /// Takes a pod off the node.
    pub fn remove_pod(&mut self, pod: PodIx) {
        let world = self.prepared.cycle.world;
        self.info.pods.retain(|p| *p != pod);
        self.info.requested -= world.footprint(world.cluster.pod(pod));
        self.trials.iter_mut().flatten().for_each(|t| t.remove_pod(pod));
    }

    /// Filters the node: with the nominated pods on it, and then, if there are any, without them. Both must pass.
    /// `None` when the pod fits, else the first plugin that refused and what it said.
    #[must_use]
    pub fn check(&self) -> Option<(&'static str, Verdict)> {
        let mut rivals = self.prepared.cycle.world.rivals(self.info.node, self.prepared.cycle.ix).peekable();
        if rivals.peek().is_some() {
            let trials = self.trials.iter().map(|t| t.as_ref().map(|t| t.fork())).collect();
            let mut crowded = NodeTrial { prepared: self.prepared, info: self.info.clone(), trials };
            rivals.for_each(|pod| crowded.add_pod(pod));
            if let Some(refusal) = crowded.check_as_is() {
                return Some(refusal);
            }
        }
        self.check_as_is()
    }

    fn check_as_is(&self) -> Option<(&'static str, Verdict)> {
        self.prepared.filters.iter().zip(&self.trials).find_map(|(filter, trial)| {
            let verdict = match trial {
                Some(trial) => trial.check(&self.info),
                None => filter.filter.check(&self.info),
            };
            (!verdict.fits()).then_some((filter.plugin, verdict))
        })
    }
}

#[cfg(test)]
#[path = "cycle/tests.rs"]
mod tests;

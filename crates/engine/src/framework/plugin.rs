//! The contract of a filter plugin.
//!
//! The prepared filter *is* upstream's cycle state, so filtering before preparing cannot be written. What changes when
//! pods of one node come and go is kept in a [`ExtensionState`]: a dry run costs what changes on that node, never a rescan.

use std::collections::BTreeSet;

use super::cluster_view::{ClusterView, NodeInfo};
use super::score::MAX_NODE_SCORE;
use super::status::{Rejection, Verdict};
use crate::cluster::Cluster;
use crate::cluster::pod::{Pod, PodIx};
use crate::cluster::symbols::Sym;
use crate::cluster::template::Template;
use crate::profile::Features;

/// What a rule says of itself.
#[derive(Debug)]
pub struct RuleDoc {
    /// Name in the scheduler's configuration.
    pub name: &'static str,
    /// Stable code, `PRE-1nn`.
    pub code: &'static str,
    /// One sentence: what it checks, or what it prefers if it only scores.
    pub summary: &'static str,
    /// Whether throwing pods out can help, and when.
    pub preemption: &'static str,
    /// What it prefers, if it filters and scores.
    pub scores: Option<&'static str>,
    /// Upstream path and version that it mirrors.
    pub source: &'static str,
}

/// What a plugin may look at while it prepares.
#[derive(Debug, Clone, Copy)]
pub struct Cycle<'c> {
    /// The cluster as the scheduler sees it.
    pub view: &'c ClusterView<'c>,
    /// The incoming pod.
    pub pod: &'c Pod,
    /// Its index.
    pub ix: PodIx,
    /// Its constraints.
    pub template: &'c Template,
}

impl<'c> Cycle<'c> {
    /// The cycle of a pod.
    #[must_use]
    pub fn of(view: &'c ClusterView<'c>, ix: PodIx) -> Self {
        let pod = view.cluster.pod(ix);
        Self { view, pod, ix, template: view.cluster.template(pod) }
    }

    /// The facts.
    #[must_use]
    pub fn cluster(&self) -> &'c Cluster {
        self.view.cluster
    }

    /// The best score of a node by one plugin, before the plugin's weight.
    #[must_use]
    pub fn max_score(&self) -> i64 {
        if self.features().cycle.scores_to_hundred { MAX_NODE_SCORE } else { 10 }
    }

    /// What the scheduler's version does.
    #[must_use]
    pub fn features(&self) -> &'c Features {
        &self.view.profile.features
    }
}

/// A plugin with a Filter, and maybe a PreFilter.
pub trait Plugin: Sync {
    /// What it says of itself.
    fn doc(&self) -> &'static RuleDoc;
    /// PreFilter.
    fn prepare<'c>(&self, cycle: &Cycle<'c>) -> Prepared<'c>;

    /// What Filter fails with when a configuration disables the plugin's PreFilter alone; `None` for one that finds its
    /// state itself.
    fn error_without_pre_filter(&self) -> Option<&'static str> {
        None
    }

    /// What AddPod and RemovePod fail with when PreFilter stopped before the plugin, or when it `skipped` itself and
    /// something behind it stopped; `None` for a plugin that has none of them, or leaves its state all the same.
    fn error_without_extension_state(&self, skipped: bool, features: &Features) -> Option<&'static str> {
        let _ = (skipped, features);
        None
    }
}

/// The filter plugins of a profile, at both of their extension points.
#[derive(Default)]
pub struct FilterPlugins {
    /// PreFilter, in order.
    pub pre_filter: Vec<&'static dyn Plugin>,
    /// Filter, in order.
    pub filter: Vec<FilterSlot>,
}

/// A place in the order of Filter.
pub struct FilterSlot {
    /// The name under which the profile knows it: the plugin's, or that of a predicate.
    pub name: &'static str,
    /// What is checked there; of several all are asked, and their reasons told together.
    pub rules: Vec<&'static dyn Plugin>,
    /// How its Filter comes to the state that PreFilter leaves.
    pub pre_filter: Preparation,
}

/// How Filter or Score of a plugin comes to its state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preparation {
    /// PreFilter or PreScore runs before it.
    Runs,
    /// The plugin has none in this version: it finds its state itself.
    Absent,
    /// The configuration disables it.
    Disabled,
}

impl Preparation {
    /// How it is with a plugin whose preparation this version has or has not, and the profile runs or does not.
    #[must_use]
    pub const fn of(exists: bool, runs: bool) -> Self {
        match (exists, runs) {
            (_, true) => Self::Runs,
            (true, false) => Self::Disabled,
            (false, false) => Self::Absent,
        }
    }
}

/// The outcome of PreFilter.
pub enum Prepared<'c> {
    /// Nothing to check: neither the filter nor its state runs, on any node.
    Skip,
    /// The pod is refused for the whole cluster.
    Reject(Rejection),
    /// The plugin failed; the scheduler gives up the cycle with this error.
    Failed(String),
    /// Ready to filter.
    Ready {
        /// Names of the only nodes to look at; `None` for all.
        only: Option<BTreeSet<Sym>>,
        /// The filter.
        filter: Box<dyn Filter + 'c>,
    },
}

impl<'c> Prepared<'c> {
    /// Ready for every node.
    pub fn ready(filter: impl Filter + 'c) -> Self {
        Self::Ready { only: None, filter: Box::new(filter) }
    }
}

/// Filter, on the state that PreFilter left.
pub trait Filter: Send + Sync {
    /// Whether the pod may go to the node as it stands.
    fn check(&self, node: &NodeInfo) -> Verdict;

    /// State for pods of `node` coming and going, beyond what [`NodeInfo`] holds. `None`: there is none, and
    /// [`Filter::check`] is asked with the changed [`NodeInfo`].
    fn extension_state<'f>(&'f self, node: &NodeInfo) -> Option<Box<dyn ExtensionState + 'f>> {
        let _ = node;
        None
    }
}

/// The state of one filter while pods of one node come and go. Upstream: `PreFilterExtensions` on a cloned state.
pub trait ExtensionState {
    /// AddPod.
    fn add_pod(&mut self, pod: PodIx);
    /// RemovePod.
    fn remove_pod(&mut self, pod: PodIx);
    /// Filter on the changed state. `node` is what the node holds now.
    fn check(&self, node: &NodeInfo) -> Verdict;
    /// Whether AddPod or RemovePod makes the scheduler itself panic.
    fn panics(&self) -> bool {
        false
    }
    /// A copy to go on with.
    fn fork<'t>(&self) -> Box<dyn ExtensionState + 't>
    where
        Self: 't;
}

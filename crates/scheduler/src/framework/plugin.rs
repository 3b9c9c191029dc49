//! The traits of a filter plugin.
//!
//! A prepared filter holds upstream's cycle state, so the types rule out filtering without
//! PreFilter. When pods are added to or removed from one node, an [`ExtensionState`] keeps the
//! difference: a dry run costs what changes on that node and never rescans the cluster.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::cluster_view::{ClusterView, NodeInfo};
use super::evidence::Grounds;
use super::reason::Message;
use super::reserved::Reserved;
use super::status::{FilterVerdict, Rejection};
use model::cluster::template::TaintEffect;
use model::cluster::{Cluster, NodeIx, Pod, PodIx, Sym, Template};
use profile::Features;

/// The key of the taint that a pod must tolerate to go to cordoned nodes.
const CORDON_TAINT: &str = "node.kubernetes.io/unschedulable";

/// The maximum score that a plugin gives a node, before the plugin's weight. Upstream:
/// `kube-scheduler/framework/interface.go` `MaxNodeScore` (1.37).
pub(crate) const MAX_NODE_SCORE: i64 = 100;

/// The documentation of a plugin, as the rulebook shows it.
#[derive(Debug)]
pub struct RuleDoc {
    /// Name in the scheduler's configuration.
    pub name: &'static str,
    /// Stable code, `PRE-1nn`.
    pub code: &'static str,
    /// One sentence: what it checks, or what it prefers if it only scores.
    pub summary: &'static str,
    /// Whether evicting pods can help, and when.
    pub preemption: &'static str,
    /// What it prefers, if it filters and scores.
    pub scores: Option<&'static str>,
    /// The texts that it writes about a node or the pod.
    pub messages: &'static [&'static Message],
    /// The events it registers for: after it rejected a pod, they move the pod back to the queue.
    /// `None` if it rejects nothing. Upstream: `EventsToRegister` (1.37; 1.33 to 1.36 register the
    /// same).
    pub retried_on: Option<&'static str>,
    /// Upstream path and version that it mirrors.
    pub source: &'static str,
}

/// The input of PreFilter and PreScore: the pod and the view of the cluster.
#[derive(Debug, Clone, Copy)]
pub struct Cycle<'c> {
    /// The cluster as the scheduler sees it.
    pub view: &'c ClusterView<'c>,
    /// The incoming pod.
    pub pod: &'c Pod,
    /// Its index.
    pub ix: PodIx,
    /// The pod's scheduling constraints.
    pub template: &'c Template,
    /// The instant of the decision.
    pub now: Timestamp,
}

impl<'c> Cycle<'c> {
    #[must_use]
    pub fn of(view: &'c ClusterView<'c>, ix: PodIx, now: Timestamp) -> Self {
        let pod = view.cluster.pod(ix);
        Self { view, pod, ix, template: view.cluster.template(pod), now }
    }

    /// Whether the pod can go to cordoned nodes.
    pub(crate) fn tolerates_cordons(&self) -> bool {
        let symbols = &self.cluster().symbols;
        let key = symbols.get(CORDON_TAINT);
        let comparison = self.features().tolerations.toleration_comparison;
        let mut tolerations = self.template.tolerations.iter();
        tolerations
            .any(|t| t.tolerates(key, Sym::EMPTY, TaintEffect::NoSchedule, symbols, comparison))
    }

    /// Whether another pod has the same volumes and claims as the incoming one.
    pub(crate) fn has_volumes_of(&self, other: &Pod) -> bool {
        let (own, template) = (self.template, self.cluster().template(other));
        own.volumes == template.volumes
            && own.image_volumes == template.image_volumes
            && own.empty_dirs == template.empty_dirs
            && self.pod.claims == other.claims
    }

    /// The objects of the cluster.
    #[must_use]
    pub fn cluster(&self) -> &'c Cluster {
        self.view.cluster
    }

    /// The maximum score that a plugin gives a node in this version, before the plugin's weight.
    #[must_use]
    pub(crate) fn max_score(&self) -> i64 {
        if self.features().cycle.scores_to_hundred { MAX_NODE_SCORE } else { 10 }
    }

    /// The behaviour of the scheduler's version.
    #[must_use]
    pub fn features(&self) -> &'c Features {
        &self.view.profile.features
    }
}

/// The parts of a pod that affect a plugin's score. Pods with equal parts share scores.
///
/// Upstream: the `SignPod` of each plugin, `k8s.io/kube-scheduler/framework/signers.go` (1.37).
pub trait Signer {
    /// Whether this plugin keeps the cycle's pod from sharing scores with any other pod.
    fn shares_nothing(&self, cycle: &Cycle) -> bool {
        let _ = cycle;
        false
    }

    /// Whether the cycle's pod and `other` are the same to the plugin.
    fn sees_alike(&self, cycle: &Cycle, other: &Pod) -> bool;
}

/// A plugin with a Filter, and maybe a PreFilter.
pub trait Plugin: Signer + Sync {
    /// The plugin's documentation.
    fn doc(&self) -> &'static RuleDoc;
    /// PreFilter.
    fn prepare<'c>(&self, cycle: &Cycle<'c>) -> Prepared<'c>;

    /// The error of Filter when a configuration disables only the plugin's PreFilter; `None` for a
    /// plugin that computes its state itself.
    fn error_without_pre_filter(&self) -> Option<&'static str> {
        None
    }

    /// The Filter of a plugin that can reject a node before it needs its state, when a
    /// configuration disables only the plugin's PreFilter; `None` if
    /// [`Self::error_without_pre_filter`] is all there is.
    fn filter_without_pre_filter<'c>(&self, cycle: &Cycle<'c>) -> Option<Box<dyn Filter + 'c>> {
        let _ = cycle;
        None
    }

    /// Reserve: adds to `reserved` what the pod holds once it is assumed on `node`.
    ///
    /// # Errors
    /// Why the pod cannot be placed there after all, which ends the cycle.
    fn reserve(&self, cycle: &Cycle, node: NodeIx, reserved: &mut Reserved) -> Result<(), String> {
        let _ = (cycle, node, reserved);
        Ok(())
    }

    /// The error of AddPod and RemovePod if PreFilter stopped before this plugin, or if the plugin
    /// was `skipped` and a later one stopped; `None` for a plugin without these extensions, or one
    /// that has written its state anyway.
    fn error_without_extension_state(
        &self,
        skipped: bool,
        features: &Features,
    ) -> Option<&'static str> {
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
    /// Its name in the profile: the plugin's, or that of a predicate.
    pub name: &'static str,
    /// The rules checked there. If there are several, all of them run and their reasons are
    /// combined.
    pub rules: Vec<&'static dyn Plugin>,
    /// How its Filter obtains the state that PreFilter writes.
    pub pre_filter: Preparation,
}

/// How Filter or Score of a plugin obtains its state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preparation {
    /// PreFilter or PreScore runs before it.
    Runs,
    /// The plugin has no PreFilter or PreScore in this version and computes the state itself.
    Absent,
    /// The configuration disables PreFilter or PreScore.
    Disabled,
}

impl Preparation {
    /// Combines whether this version has the extension point for the plugin, and whether the
    /// profile runs it.
    #[must_use]
    pub const fn of(exists: bool, runs: bool) -> Self {
        match (exists, runs) {
            (_, true) => Self::Runs,
            (true, false) => Self::Disabled,
            (false, false) => Self::Absent,
        }
    }
}

/// The result of PreFilter.
pub enum Prepared<'c> {
    /// The plugin has nothing to check: its filter and its extensions do not run on any node.
    Skip,
    /// The pod is rejected for the whole cluster.
    Reject(Rejection),
    /// The plugin failed, which ends the cycle with this error.
    Failed(String),
    /// The filter is ready.
    Ready {
        /// The only nodes to filter; `None` for all nodes.
        only: Option<OnlyNodes>,
        filter: Box<dyn Filter + 'c>,
    },
}

/// The only nodes that a plugin allows.
pub struct OnlyNodes {
    /// Their names; such nodes need not exist.
    pub names: BTreeSet<Sym>,
    /// Why only these.
    pub evidence: Grounds,
}

impl<'c> Prepared<'c> {
    /// A filter that applies to every node.
    pub fn ready(filter: impl Filter + 'c) -> Self {
        Self::Ready { only: None, filter: Box::new(filter) }
    }
}

/// The Filter extension point, with the state that PreFilter wrote.
pub trait Filter: Send + Sync {
    /// Whether the pod fits on the node.
    fn check(&self, node: &NodeInfo) -> FilterVerdict;

    /// Whether [`Self::check`] lets the pod pass, for callers that need no reasons.
    fn fits(&self, node: &NodeInfo) -> bool {
        self.check(node).fits()
    }

    /// Whether pods that are added or removed can change the verdict. If not, a node that has
    /// passed need not be checked again while that happens.
    fn reads_pods(&self) -> bool {
        true
    }

    /// Whether the verdict follows from the pod, the node and the pods on it alone, so that it holds
    /// for every pod like this one while these stay the same.
    fn reads_node_alone(&self) -> bool {
        false
    }

    /// The state for adding and removing pods on `node`, in addition to [`NodeInfo`]. `None` if
    /// there is none: [`Filter::check`] then runs with the changed [`NodeInfo`].
    fn extension_state<'f>(&'f self, node: &NodeInfo) -> Option<Box<dyn ExtensionState + 'f>> {
        let _ = node;
        None
    }
}

/// The state of one filter for one node while pods are added and removed, on this node or on
/// others. Upstream: `PreFilterExtensions` on a cloned state.
pub trait ExtensionState {
    /// AddPod of a pod on `node`.
    fn add_pod(&mut self, pod: PodIx, node: NodeIx);
    /// RemovePod of a pod on `node`.
    fn remove_pod(&mut self, pod: PodIx, node: NodeIx);
    /// Whether pods on other nodes can affect it at all.
    fn looks_elsewhere(&self) -> bool {
        true
    }
    /// Whether a pod that is added to or removed from another node, `node`, may affect it.
    fn depends_on(&self, pod: PodIx, node: NodeIx) -> bool;
    /// Filter with the changed state. `node` is the node with its current pods.
    fn check(&self, node: &NodeInfo) -> FilterVerdict;
    /// Whether AddPod or RemovePod makes this version of kube-scheduler panic.
    fn panics(&self) -> bool {
        false
    }
    /// Whether Filter may return the opposite under another order that the API does not show.
    fn is_order_dependent(&self) -> bool {
        false
    }
    /// An independent copy.
    fn fork<'t>(&self) -> Box<dyn ExtensionState + 't>
    where
        Self: 't;
}

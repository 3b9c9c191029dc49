//! How extenders are called: what the scheduler sends to one, and what it answers. The engine does no network I/O: whoever embeds
//! it implements [`ExtenderClient`].
//!
//! Upstream: `kube-scheduler/extender/v1/types.go` (1.37).

use std::collections::BTreeMap;
use std::fmt::Debug;

use crate::cluster::node::NodeIx;
use crate::cluster::pod::PodIx;
use crate::profile::config::Extender;

/// Asks extenders. Errors are in the scheduler's words as far as they can be known.
pub trait ExtenderClient: Debug + Sync {
    /// Which of `nodes` can the pod go to?
    ///
    /// # Errors
    /// No answer, or one that cannot be read.
    fn filter(&self, extender: &Extender, pod: PodIx, nodes: &[NodeIx]) -> Result<ExtenderFilterResult, String>;

    /// How good are `nodes`? Names with scores.
    ///
    /// # Errors
    /// As [`Self::filter`].
    fn prioritize(&self, extender: &Extender, pod: PodIx, nodes: &[NodeIx]) -> Result<Vec<(String, i64)>, String>;

    /// May these pods be evicted? The answer is by node name; it may leave nodes out and name other victims.
    ///
    /// # Errors
    /// As [`Self::filter`].
    fn preempt(
        &self,
        extender: &Extender,
        pod: PodIx,
        proposed: &[NodeVictims],
    ) -> Result<Vec<ExtenderVictims>, String>;
}

/// The answer to `filter`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExtenderFilterResult {
    /// The extender's own error; empty for none.
    pub error: String,
    /// `nodeNames`.
    pub names: Option<Vec<String>>,
    /// Names of `nodes`.
    pub nodes: Option<Vec<String>>,
    /// `failedNodes`.
    pub failed: BTreeMap<String, String>,
    /// `failedAndUnresolvableNodes`.
    pub unresolvable: BTreeMap<String, String>,
}

/// Victims on one node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeVictims {
    /// The node.
    pub node: NodeIx,
    /// Pods to evict.
    pub victims: Vec<PodIx>,
    /// How many of them violate a budget.
    pub violations: i64,
}

/// What an extender says of one node.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExtenderVictims {
    /// The node's name.
    pub node: String,
    /// UIDs of the victims.
    pub victims: Vec<String>,
    /// How many of them violate a budget.
    pub violations: i64,
}

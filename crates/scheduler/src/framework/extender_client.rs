//! The calls to an extender and its answers. The engine does no network I/O: the program that
//! embeds it implements [`ExtenderClient`].
//!
//! Upstream: `kube-scheduler/extender/v1/types.go` (1.37).

use std::collections::BTreeMap;
use std::fmt::Debug;

use model::cluster::{NodeIx, PodIx};
use profile::config::Extender;

/// Calls extenders. Error texts are those of kube-scheduler, as far as they can be reproduced.
pub trait ExtenderClient: Debug + Sync {
    /// Calls the filter verb: which of `nodes` remain feasible for the pod?
    ///
    /// # Errors
    /// The extender does not answer, or its answer cannot be decoded.
    fn filter(
        &self,
        extender: &Extender,
        pod: PodIx,
        nodes: &[NodeIx],
    ) -> Result<ExtenderFilterResult, String>;

    /// Calls the prioritize verb. Returns node names with scores from 0 to 10.
    ///
    /// # Errors
    /// As [`Self::filter`].
    fn prioritize(
        &self,
        extender: &Extender,
        pod: PodIx,
        nodes: &[NodeIx],
    ) -> Result<Vec<(String, i64)>, String>;

    /// Calls the preempt verb. Returns victims by node name; the answer may omit nodes and name
    /// other victims than proposed.
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

/// The answer to the filter verb.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExtenderFilterResult {
    /// The extender's error; empty if there is none.
    pub error: String,
    /// `nodeNames`.
    pub names: Option<Vec<String>>,
    /// The names of the objects in `nodes`.
    pub nodes: Option<Vec<String>>,
    /// `failedNodes`.
    pub failed: BTreeMap<String, String>,
    /// `failedAndUnresolvableNodes`.
    pub unresolvable: BTreeMap<String, String>,
}

/// The victims that are proposed for one node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeVictims {
    pub node: NodeIx,
    /// Pods to evict.
    pub victims: Vec<PodIx>,
    /// How many of them violate a PodDisruptionBudget.
    pub violations: i64,
}

/// The victims on one node, as an extender names them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExtenderVictims {
    /// The node's name.
    pub node: String,
    /// UIDs of the victims; `None` where the answer has null for the victims or for one of them.
    pub victims: Option<Vec<String>>,
    /// How many of them violate a PodDisruptionBudget.
    pub violations: i64,
}

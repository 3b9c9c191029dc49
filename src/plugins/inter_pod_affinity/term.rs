//! Whom a term of pod (anti-)affinity is about, seen from either side.
//!
//! Upstream: `kube-scheduler/framework/types.go` `AffinityTerm.Matches`,
//! `pkg/scheduler/framework/plugins/interpodaffinity/plugin.go` (1.37).

use std::collections::BTreeSet;

use crate::cluster::Cluster;
use crate::cluster::pod::Pod;
use crate::cluster::symbols::Sym;
use crate::cluster::template::AffinityTerm;
use crate::framework::plugin::Cycle;

/// A term of the incoming pod.
pub(super) struct OwnTerm<'c> {
    pub(super) spec: &'c AffinityTerm,
    /// Namespaces it is about; `None` for all.
    namespaces: Option<BTreeSet<Sym>>,
    /// By label set: whether pods with it match.
    matching: Vec<bool>,
}

impl<'c> OwnTerm<'c> {
    pub(super) fn new(spec: &'c AffinityTerm, cycle: &Cycle) -> Self {
        let cluster = cycle.cluster();
        let selector = &spec.namespace_selector;
        // Parity: in these versions a selector that matches no labels at all is not cleared (#141526).
        let every = selector.is_everything() || (cycle.features().namespace_selector_bug && selector.matches(&[]));
        let namespaces = (!every).then(|| {
            let mut names: BTreeSet<Sym> = spec.namespaces.iter().copied().collect();
            let selected = cluster.namespaces.iter().filter(|(_, labels)| selector.matches(cluster.labels(**labels)));
            names.extend(selected.map(|(name, _)| *name));
            if spec.own_namespace {
                names.insert(cycle.pod.namespace);
            }
            names
        });
        let matching = cluster.label_sets.iter().map(|labels| spec.selector.matches(labels)).collect();
        Self { spec, namespaces, matching }
    }

    pub(super) fn matches(&self, pod: &Pod) -> bool {
        self.matching.get(pod.labels.0 as usize).copied().unwrap_or(false)
            && self.namespaces.as_ref().is_none_or(|names| names.contains(&pod.namespace))
    }
}

/// Whether a term of `owner` is about the incoming pod.
pub(super) fn is_about(term: &AffinityTerm, owner_namespace: Sym, incoming: &Pod, cluster: &Cluster) -> bool {
    let namespace = (term.own_namespace && owner_namespace == incoming.namespace)
        || term.namespaces.contains(&incoming.namespace)
        || term.namespace_selector.matches(cluster.namespace_labels(incoming.namespace));
    namespace && term.selector.matches(cluster.labels(incoming.labels))
}

//! Which pods a term of pod affinity or anti-affinity matches: terms of the incoming pod against
//! running pods, and terms of running pods against the incoming one.
//!
//! Upstream: `kube-scheduler/framework/types.go` `AffinityTerm.Matches`,
//! `pkg/scheduler/framework/plugins/interpodaffinity/plugin.go` (1.37).

use std::collections::BTreeSet;
use std::sync::Arc;

use indexmap::IndexMap;
use smallvec::SmallVec;

use crate::framework::cluster_view::known_nodes::TermSide as Side;
use crate::framework::plugin::Cycle;
use model::cluster::selector::Selector;
use model::cluster::template::AffinityTerm;
use model::cluster::{Pod, PodIx, Sym};
use profile::history;

/// A term of the incoming pod.
pub(super) struct OwnTerm<'c> {
    pub(super) spec: &'c AffinityTerm,
    /// Namespaces whose pods it can match; `None` for all.
    namespaces: Option<BTreeSet<Sym>>,
    /// By label set: whether pods with it match.
    matching: Arc<Vec<bool>>,
}

impl<'c> OwnTerm<'c> {
    pub(super) fn new(spec: &'c AffinityTerm, cycle: &Cycle) -> Self {
        let cluster = cycle.cluster();
        let nothing = Selector::Nothing;
        let by_label = cycle.features().inter_pod_affinity.affinity_namespace_selector;
        let selector = if by_label { &spec.namespace_selector } else { &nothing };
        // Parity: in these versions a selector that matches no labels at all is not cleared
        // (#141526).
        let every = selector.is_everything()
            || (cycle.features().inter_pod_affinity.namespace_selector_bug
                && selector.matches(&[]));
        let namespaces = (!every).then(|| {
            let mut names: BTreeSet<Sym> = spec.namespaces.iter().copied().collect();
            let selected = cluster
                .namespaces
                .iter()
                .filter(|(_, labels)| selector.matches(cluster.labels(**labels)));
            names.extend(selected.map(|(name, _)| *name));
            if is_own_namespace(spec, &cycle.features().inter_pod_affinity) {
                names.insert(cycle.pod.namespace);
            }
            names
        });
        Self { spec, namespaces, matching: cycle.view.label_sets_matching(&spec.selector) }
    }

    /// Whether a pod has the labels, in whichever namespace.
    pub(super) fn selects(&self, pod: &Pod) -> bool {
        self.matching.get(pod.labels.0 as usize).copied().unwrap_or(false)
    }

    pub(super) fn matches(&self, pod: &Pod) -> bool {
        self.selects(pod)
            && self.namespaces.as_ref().is_none_or(|names| names.contains(&pod.namespace))
    }
}

/// Whether a term matches pods in its own pod's namespace because it names no other.
fn is_own_namespace(term: &AffinityTerm, features: &history::InterPodAffinity) -> bool {
    term.own_namespace || (term.namespaces.is_empty() && !features.namespace_selector_known)
}

/// Whether a term of a pod in `owner_namespace` matches the pod of the cycle.
pub(super) fn is_about(term: &AffinityTerm, owner_namespace: Sym, cycle: &Cycle) -> bool {
    let (cluster, features, incoming) =
        (cycle.cluster(), &cycle.features().inter_pod_affinity, cycle.pod);
    let namespace = (is_own_namespace(term, features) && owner_namespace == incoming.namespace)
        || term.namespaces.contains(&incoming.namespace)
        || (features.affinity_namespace_selector
            && term.namespace_selector.matches(cluster.namespace_labels(incoming.namespace)));
    namespace && term.selector.matches(cluster.labels(incoming.labels))
}

/// A topology domain: label key and value.
pub(super) type Domain = (Sym, Sym);

/// Matching pods by domain.
#[derive(Default)]
pub(super) struct Domains {
    pub(super) pods: IndexMap<Domain, Vec<PodIx>, foldhash::fast::RandomState>,
}

impl Domains {
    pub(super) fn count(&self, domain: Domain) -> i64 {
        self.pods.get(&domain).map_or(0, |pods| i64::try_from(pods.len()).unwrap_or(i64::MAX))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pods.is_empty()
    }
}

/// The differences that AddPod and RemovePod made to PreFilter's counts.
#[derive(Default, Clone)]
pub(super) struct Changes {
    by: SmallVec<[(Side, Domain, i64); 4]>,
    pub(super) removed: Vec<PodIx>,
    pub(super) added: Vec<PodIx>,
    /// Pods that were added, whether or not PreFilter counted them.
    pub(super) came: Vec<PodIx>,
}

impl Changes {
    pub(super) fn of(&self, side: Side, domain: Domain) -> i64 {
        self.by.iter().filter(|(s, d, _)| *s == side && *d == domain).map(|(.., by)| by).sum()
    }

    /// Whether any of them is about such terms.
    pub(super) fn are_about(&self, side: Side) -> bool {
        self.by.iter().any(|(changed, ..)| *changed == side)
    }

    pub(super) fn count(&mut self, side: Side, domain: Domain, by: i64) {
        match self.by.iter_mut().find(|(s, d, _)| *s == side && *d == domain) {
            Some((.., sum)) => *sum += by,
            None => self.by.push((side, domain, by)),
        }
    }

    /// Whether no domain has a matching pod left.
    pub(super) fn leaves_none(&self, domains: &Domains, side: Side) -> bool {
        let mut emptied = 0;
        for (_, domain, by) in self.by.iter().filter(|(changed, ..)| *changed == side) {
            let before = domains.count(*domain);
            match (before, before + by) {
                (0, 0) => {}
                // A pod was added to a domain that had none.
                (0, _) => return false,
                (_, 0) => emptied += 1,
                (_, _) => {}
            }
        }
        emptied == domains.pods.len()
    }

    pub(super) fn first_left(&self, domains: &Domains, side: Side, at: Domain) -> Option<PodIx> {
        let before = domains.pods.get(&at).into_iter().flatten();
        let left = before.copied().find(|pod| !self.removed.contains(pod));
        left.or_else(|| self.added.first().copied().filter(|_| self.of(side, at) > 0))
    }
}

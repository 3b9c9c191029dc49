//! Required terms: pods counted by domain once per cycle, then looked up node by node.
//!
//! Upstream: `pkg/scheduler/framework/plugins/interpodaffinity/filtering.go` (1.37).

use std::sync::{Arc, OnceLock};

use indexmap::IndexMap;
use smallvec::SmallVec;

use super::evidence::{MissingPartner, Partner};
use super::term::{Changes, Domain, Domains, OwnTerm, is_about};
use super::{AFFINITY, ANTI_AFFINITY, EXISTING_ANTI_AFFINITY, GENERAL, GENERAL_RULES};
use crate::framework::cluster_view::NodeInfo;
use crate::framework::cluster_view::known_nodes::{MatchedPods, TermSide as Side};
use crate::framework::evidence::{AntiAffinity, Evidence, Grounds, RuleOf};
use crate::framework::plugin::{Cycle, ExtensionState, Filter};
use crate::framework::reason::Message;
use crate::framework::status::{Code, FilterVerdict, Reason, Rejection};
use model::cluster::symbols::PoolIx;
use model::cluster::{Cluster, NodeIx, Pod, PodIx, Sym};
use profile::history::AffinityReasons;

type TopologyKeys = SmallVec<[Sym; 2]>;

/// Namespace and name, by which the first of several pods is chosen.
fn name(pod: PodIx, cluster: &Cluster) -> (&str, &str) {
    let pod = cluster.pod(pod);
    (cluster.text(pod.namespace), &pod.name)
}

/// Why a node is rejected.
struct Refusal {
    code: Code,
    text: &'static Message,
    evidence: Grounds,
}

pub(super) struct Affinities<'c> {
    pub(super) cycle: Cycle<'c>,
    /// The topology key under which each node is its own domain; for the incoming pod's affinity
    /// only if all its terms have that key.
    pub(super) by_node: Option<Sym>,
    pub(super) affinity_terms: Vec<OwnTerm<'c>>,
    pub(super) anti_terms: Vec<OwnTerm<'c>>,
    /// See [`Self::objections`].
    objections: OnceLock<Objections>,
    /// Running pods that match all required affinity terms.
    pub(super) affinity: Domains,
    /// Running pods that match a required anti-affinity term of the incoming pod.
    pub(super) anti_affinity: Domains,
    /// Running pods with a required anti-affinity term that matches the incoming pod.
    pub(super) existing: Domains,
    /// The topology keys of `existing`.
    existing_keys: TopologyKeys,
    /// By topology key of the affinity terms, a pod that matches them all, once it is asked for; no rule
    /// depends on it.
    partners: OnceLock<SmallVec<[(Sym, Partner); 2]>>,
}

/// Topology keys of the anti-affinity terms that match the incoming pod, by template and namespace of
/// their running pod.
type Objections = IndexMap<(PoolIx, Sym), TopologyKeys, foldhash::fast::RandomState>;

impl<'c> Affinities<'c> {
    pub(super) fn new(cycle: &Cycle<'c>) -> Self {
        let [affinity_terms, anti_terms] =
            [&cycle.template.affinity, &cycle.template.anti_affinity]
                .map(|side| side.iter().flatten().map(|term| OwnTerm::new(term, cycle)).collect());
        let by_node = cycle.features().inter_pod_affinity.affinity_by_node.then_some(Sym::HOSTNAME);
        let mut rule = Self {
            cycle: *cycle,
            by_node,
            affinity_terms,
            anti_terms,
            objections: OnceLock::new(),
            affinity: Domains::default(),
            anti_affinity: Domains::default(),
            existing: Domains::default(),
            existing_keys: TopologyKeys::new(),
            partners: OnceLock::new(),
        };
        if rule.has_terms() || cycle.view.any_has_anti_affinity() {
            rule.count_pods();
        }
        rule
    }

    /// Whether the incoming pod has terms of its own.
    pub(super) fn has_terms(&self) -> bool {
        !(self.affinity_terms.is_empty() && self.anti_terms.is_empty())
    }

    /// Counts the pods that a term is about, by domain.
    fn count_pods(&mut self) {
        let view = self.cycle.view;
        let known = view.known_nodes.as_ref().filter(|_| !view.has_frozen_lists());
        let known = known.and_then(|known| {
            known.matched_pods(view, self.cycle.ix, |infos| {
                self.matched_on(infos.iter().map(|info| &***info))
            })
        });
        let found = known
            .unwrap_or_else(|| Arc::new(self.matched_on(view.infos().iter().map(|info| &**info))));
        for (info, matched) in view.infos().iter().zip(found.iter()) {
            // A frozen list of nodes with anti-affinity may lack this one; the terms of its pods
            // then do not count.
            let counts_existing = view.lists_affinity(info.node, true);
            for (pod, side, key) in matched.iter().flatten() {
                let Some(domain) = self.counted_in(info.node, *side, *key) else { continue };
                let is_new = *side == Side::Existing && !self.existing_keys.contains(key);
                self.existing_keys.extend(is_new.then_some(*key));
                let domains = match side {
                    Side::Affinity => &mut self.affinity,
                    Side::Anti => &mut self.anti_affinity,
                    Side::Existing if counts_existing => &mut self.existing,
                    Side::Existing => continue,
                };
                domains.pods.entry(domain).or_default().push(*pod);
            }
        }
    }

    /// The pods of each node that a term is about.
    fn matched_on<'i>(&self, infos: impl Iterator<Item = &'i NodeInfo>) -> Vec<MatchedPods> {
        let cluster = self.cycle.cluster();
        let mut of_kinds = Objections::default();
        let mut found = Vec::new();
        for info in infos {
            let mut matched: SmallVec<[(PodIx, Side, Sym); 4]> = SmallVec::new();
            let pods = if self.has_terms() { &info.pods } else { info.with_affinity(cluster) };
            for ix in pods {
                let pod = cluster.pod(*ix);
                let is_new = || self.objections_of(pod);
                let theirs = of_kinds.entry((pod.template, pod.namespace)).or_insert_with(is_new);
                matched.extend(theirs.iter().map(|key| (*ix, Side::Existing, *key)));
                matched.extend(self.own_terms_about(pod).map(|(side, key)| (*ix, side, key)));
            }
            found.push((!matched.is_empty()).then(|| matched.as_slice().into()));
        }
        found
    }

    /// The first pod by name that matches all affinity terms and has a domain under a key.
    fn find_partner(&self, key: Sym) -> Partner {
        let cluster = self.cycle.cluster();
        let mut in_domain: Option<(Sym, PodIx)> = None;
        for ((of, domain), pods) in &self.affinity.pods {
            if *of != key || *domain == Sym::EMPTY {
                continue;
            }
            for pod in pods {
                if in_domain.is_none_or(|(_, first)| name(*pod, cluster) < name(first, cluster)) {
                    in_domain = Some((*domain, *pod));
                }
            }
        }
        if let Some((domain, pod)) = in_domain {
            return Partner::In { domain, pod };
        }

        // Nobody is in a domain: a pod that matches is on a node without the key, and one that only
        // has the labels is in a namespace that the terms do not name.
        let (mut matching, mut selected): (Option<PodIx>, Option<PodIx>) = (None, None);
        for ix in self.cycle.view.infos().iter().flat_map(|info| &info.pods) {
            let pod = cluster.pod(*ix);
            let partner = if self.affinity_terms.iter().all(|term| term.matches(pod)) {
                &mut matching
            } else if self.affinity_terms.iter().all(|term| term.selects(pod)) {
                &mut selected
            } else {
                continue;
            };
            if partner.is_none_or(|first| name(*ix, cluster) < name(first, cluster)) {
                *partner = Some(*ix);
            }
        }
        match (matching, selected) {
            (Some(pod), _) => Partner::WithoutDomain(pod),
            (None, Some(pod)) => Partner::InOtherNamespace(pod),
            (None, None) => Partner::Nowhere,
        }
    }

    /// Where the pods of the affinity are, unless the known one was removed hypothetically.
    fn partner(&self, key: Sym, changes: &Changes) -> Partner {
        let partners = self.partners.get_or_init(|| {
            let keys = self.affinity_terms.iter().map(|term| term.spec.topology_key);
            keys.map(|key| (key, self.find_partner(key))).collect()
        });
        let of_term = partners.iter().find(|(of, _)| *of == key);
        match of_term.map(|(_, partner)| *partner) {
            Some(Partner::In { pod, .. } | Partner::WithoutDomain(pod))
                if changes.removed.contains(&pod) =>
            {
                Partner::NotKnown
            }
            of_term => of_term.unwrap_or(Partner::NotKnown),
        }
    }

    /// Which anti-affinity terms match the incoming pod, checked once per template and namespace of
    /// running pods.
    pub(super) fn objections(&self) -> &Objections {
        self.objections.get_or_init(|| {
            let cluster = self.cycle.cluster();
            let mut asked = Objections::default();
            for pod in cluster.pods.iter().filter(|p| p.is_active()) {
                if cluster.template(pod).requires_anti_affinity() {
                    let is_new = || self.objections_of(pod);
                    asked.entry((pod.template, pod.namespace)).or_insert_with(is_new);
                }
            }
            asked.retain(|_, keys| !keys.is_empty());
            asked
        })
    }

    /// The topology keys of the anti-affinity terms of a pod that match the incoming one.
    fn objections_of(&self, pod: &Pod) -> TopologyKeys {
        let terms = self.cycle.cluster().template(pod).anti_affinity.iter().flatten();
        let about = terms.filter(|term| is_about(term, pod.namespace, &self.cycle));
        about.map(|term| term.topology_key).collect()
    }

    /// The topology keys of the incoming pod's terms that match a pod.
    fn own_terms_about(&self, pod: &Pod) -> impl Iterator<Item = (Side, Sym)> {
        let features = &self.cycle.features().inter_pod_affinity;
        // Parity: older versions compare nominated pods only with the terms of pods on nodes.
        let is_compared = !pod.node_name.is_empty() || features.nominated_pods_in_own_terms;
        let key = |term: &OwnTerm| term.spec.topology_key;
        let affinity = self.affinity_terms.as_slice();
        let are_matched = is_compared && affinity.iter().all(|term| term.matches(pod));
        let affinity = affinity.iter().filter(move |_| are_matched);
        let anti = self.anti_terms.iter().filter(move |term| is_compared && term.matches(pod));
        let affinity = affinity.map(move |term| (Side::Affinity, key(term)));
        affinity.chain(anti.map(move |term| (Side::Anti, key(term))))
    }

    /// The domain in which a pod on a node counts for a term.
    fn counted_in(&self, node: NodeIx, side: Side, key: Sym) -> Option<Domain> {
        // A matching pod on a node without the label is in no domain, but it exists.
        let is_nowhere = || side == Side::Affinity && self.is_by_node(side, key);
        self.domain(node, side, key).or_else(|| is_nowhere().then_some((key, Sym::EMPTY)))
    }

    /// What a pod on a node adds to the counts.
    fn contributions(&self, pod: PodIx, node: NodeIx) -> SmallVec<[(Side, Domain); 2]> {
        let cluster = self.cycle.cluster();
        let pod = cluster.pod(pod);
        let mut theirs = None;
        if cluster.template(pod).requires_anti_affinity() {
            theirs = self.objections().get(&(pod.template, pod.namespace));
        }
        let theirs = theirs.into_iter().flatten().map(|key| (Side::Existing, *key));
        let matching = theirs.chain(self.own_terms_about(pod));
        matching.filter_map(|(side, key)| Some((side, self.counted_in(node, side, key)?))).collect()
    }

    /// Whether each node is a domain of its own for terms with `key`.
    fn is_by_node(&self, side: Side, key: Sym) -> bool {
        self.by_node == Some(key)
            && (side != Side::Affinity
                || self.affinity_terms.iter().all(|t| t.spec.topology_key == key))
    }

    /// Whether PreFilter cannot skip the plugin because some running pod has anti-affinity by node.
    pub(super) fn looks_at_nodes(&self) -> bool {
        let cluster = self.cycle.cluster();
        let Some(key) = self.by_node else { return false };
        let mut pods = self.cycle.view.infos().iter().flat_map(|info| info.with_affinity(cluster));
        pods.any(|pod| {
            let terms = cluster.template(cluster.pod(*pod)).anti_affinity.iter().flatten();
            terms.into_iter().any(|term| term.topology_key == key)
        })
    }

    /// The domain of a node; `None` if it lacks the label.
    fn domain(&self, node: NodeIx, side: Side, key: Sym) -> Option<Domain> {
        let value = self.cycle.view.node_label(node, key)?;
        Some((
            key,
            if self.is_by_node(side, key) { self.cycle.view.node(node).name } else { value },
        ))
    }

    /// Whether the incoming pod matches all its own affinity terms: the first pod of such a set
    /// fits everywhere.
    pub(super) fn matches_itself(&self) -> bool {
        self.affinity_terms.iter().all(|t| t.matches(self.cycle.pod))
    }

    fn check_with(&self, node: NodeIx, changes: &Changes) -> FilterVerdict {
        // The first of the three that rejects the node gives the reason; their order depends on the
        // version.
        let existing_last = self.cycle.features().inter_pod_affinity.existing_anti_affinity_last;
        let first = if existing_last { None } else { self.existing_object(node, changes) };
        let refusal = first
            .or_else(|| self.affinity_missing(node, changes))
            .or_else(|| self.anti_affinity_taken(node, changes))
            .or_else(|| if existing_last { self.existing_object(node, changes) } else { None });
        match refusal {
            Some(Refusal { code, text, evidence }) => self.refuse(code, text, evidence),
            None => FilterVerdict::Fits,
        }
    }

    /// A rejection with the reasons that this version gives.
    pub(super) fn refuse(
        &self,
        code: Code,
        text: &'static Message,
        evidence: Grounds,
    ) -> FilterVerdict {
        let features = self.cycle.features();
        let general = match features.inter_pod_affinity.affinity_reasons {
            AffinityReasons::GeneralAndOwn => Some(&GENERAL),
            AffinityReasons::RulesAndOwn => Some(&GENERAL_RULES),
            AffinityReasons::Own => None,
        };
        let hopeless = code == Code::UnschedulableAndUnresolvable;
        let one_reason = features.cycle.one_reason_per_node;
        let Some(general) = general.filter(|_| !(one_reason && hopeless)) else {
            return FilterVerdict::reject(code, text.reason(), evidence);
        };
        // If only the general reason is kept, it gets the evidence of both.
        let of_general = if one_reason { evidence.clone() } else { None };
        let reasons = [(general, of_general), (text, evidence)];
        let reasons = reasons.map(|(text, evidence)| Reason { text: text.reason(), evidence });
        FilterVerdict::Rejected(Rejection { code, reasons: reasons.into_iter().collect() })
    }

    fn affinity_missing(&self, node: NodeIx, changes: &Changes) -> Option<Refusal> {
        let key = self.missing_partner(node, changes)?;
        let domain = self.cycle.view.node_label(node, key);
        let partner = self.partner(key, changes);
        let evidence = MissingPartner { key, domain, partner }.grounds();
        Some(Refusal { code: Code::UnschedulableAndUnresolvable, text: &AFFINITY, evidence })
    }

    fn anti_affinity_taken(&self, node: NodeIx, changes: &Changes) -> Option<Refusal> {
        let (at, count) = self.taken(node, changes)?;
        let pod = changes.first_left(&self.anti_affinity, Side::Anti, at);
        let (key, domain) = at;
        let of = RuleOf::Pod;
        let evidence = AntiAffinity { of, key, domain, pod, pods: count }.grounds();
        Some(Refusal { code: Code::Unschedulable, text: &ANTI_AFFINITY, evidence })
    }

    fn existing_object(&self, node: NodeIx, changes: &Changes) -> Option<Refusal> {
        let (at, count) = self.guarded(node, changes)?;
        let pod = changes.first_left(&self.existing, Side::Existing, at);
        let (key, domain) = at;
        let of = RuleOf::Others;
        let evidence = AntiAffinity { of, key, domain, pod, pods: count }.grounds();
        Some(Refusal { code: Code::Unschedulable, text: &EXISTING_ANTI_AFFINITY, evidence })
    }

    /// The first domain of the node that the incoming pod's anti-affinity keeps it away from, with the
    /// number of pods.
    fn taken(&self, node: NodeIx, changes: &Changes) -> Option<(Domain, i64)> {
        let keys = self.anti_terms.iter().map(|t| t.spec.topology_key);
        self.first_taken(keys, node, Side::Anti, changes)
    }

    /// The same for the anti-affinity of running pods.
    fn guarded(&self, node: NodeIx, changes: &Changes) -> Option<(Domain, i64)> {
        if self.existing.is_empty() && !changes.are_about(Side::Existing) {
            return None;
        }
        let keys = self.objections().values().flatten().copied();
        self.first_taken(keys, node, Side::Existing, changes)
    }

    /// The topology key of the first required affinity term without a matching pod in the node's
    /// domain; `None` if there is none, or if no pod matches anywhere and the pod may be the first
    /// of its set.
    fn missing_partner(&self, node: NodeIx, changes: &Changes) -> Option<Sym> {
        let mut missing = None;
        for term in &self.affinity_terms {
            let key = term.spec.topology_key;
            let Some(at) = self.domain(node, Side::Affinity, key) else {
                if self.cycle.features().inter_pod_affinity.self_affinity_needs_key {
                    return Some(key);
                }
                missing = missing.or(Some(key));
                continue;
            };
            let count = self.affinity.count(at) + changes.of(Side::Affinity, at);
            if count <= 0 {
                missing = missing.or(Some(key));
            }
        }
        missing.filter(|_| {
            !(changes.leaves_none(&self.affinity, Side::Affinity) && self.matches_itself())
        })
    }

    /// The first domain of the node in which pods count, with their number.
    fn first_taken(
        &self,
        keys: impl Iterator<Item = Sym>,
        node: NodeIx,
        side: Side,
        changes: &Changes,
    ) -> Option<(Domain, i64)> {
        let domains = if side == Side::Anti { &self.anti_affinity } else { &self.existing };
        for domain in keys.filter_map(|key| self.domain(node, side, key)) {
            let count = domains.count(domain) + changes.of(side, domain);
            if count > 0 {
                return Some((domain, count));
            }
        }
        None
    }
}

impl Filter for Affinities<'_> {
    fn check(&self, node: &NodeInfo) -> FilterVerdict {
        self.check_with(node.node, &Changes::default())
    }

    fn fits(&self, node: &NodeInfo) -> bool {
        let (node, unchanged) = (node.node, Changes::default());
        // Here, the order of the keys decides nothing.
        let keys = self.existing_keys.iter().copied();
        self.taken(node, &unchanged).is_none()
            && self.first_taken(keys, node, Side::Existing, &unchanged).is_none()
            && self.missing_partner(node, &unchanged).is_none()
    }

    fn extension_state<'f>(&'f self, node: &NodeInfo) -> Option<Box<dyn ExtensionState + 'f>> {
        Some(Box::new(AffinityState::new(self, node.node)))
    }
}

/// The counts for one node while AddPod and RemovePod change the pods of nodes.
struct AffinityState<'f, 'c> {
    rule: &'f Affinities<'c>,
    node: NodeIx,
    changes: Changes,
}

impl<'f, 'c> AffinityState<'f, 'c> {
    fn new(rule: &'f Affinities<'c>, node: NodeIx) -> Self {
        Self { rule, node, changes: Changes::default() }
    }

    fn update(&mut self, pod: PodIx, node: NodeIx, by: i64) {
        for (side, domain) in self.rule.contributions(pod, node) {
            self.changes.count(side, domain, by);
        }
    }

    /// Parity: up to 1.17 a pod that was added back counted for all anti-affinity terms if it
    /// matched any, until it was removed again.
    fn count_other_anti_terms(&mut self, pod: PodIx, node: NodeIx, by: i64) {
        let (cycle, terms) = (&self.rule.cycle, &self.rule.anti_terms);
        let pod = cycle.cluster().pod(pod);
        let matched = terms.iter().any(|t| t.matches(pod));
        if cycle.features().inter_pod_affinity.readded_by_term
            || !matched
            || pod.node_name.is_empty()
        {
            return;
        }
        let others = terms.iter().filter(|t| !t.matches(pod)).map(|t| t.spec.topology_key);
        for domain in others.filter_map(|key| self.rule.domain(node, Side::Anti, key)) {
            self.changes.count(Side::Anti, domain, by);
        }
    }
}

impl ExtensionState for AffinityState<'_, '_> {
    fn add_pod(&mut self, pod: PodIx, node: NodeIx) {
        self.update(pod, node, 1);
        self.count_other_anti_terms(pod, node, 1);
        self.changes.came.push(pod);
        match self.changes.removed.iter().position(|p| *p == pod) {
            Some(index) => drop(self.changes.removed.swap_remove(index)),
            None => self.changes.added.push(pod),
        }
    }

    fn remove_pod(&mut self, pod: PodIx, node: NodeIx) {
        self.update(pod, node, -1);
        if let Some(index) = self.changes.came.iter().position(|p| *p == pod) {
            self.changes.came.swap_remove(index);
            self.count_other_anti_terms(pod, node, -1);
        }
        match self.changes.added.iter().position(|p| *p == pod) {
            Some(index) => drop(self.changes.added.swap_remove(index)),
            None => self.changes.removed.push(pod),
        }
    }

    fn depends_on(&self, pod: PodIx, node: NodeIx) -> bool {
        !self.rule.contributions(pod, node).is_empty()
    }

    fn check(&self, _: &NodeInfo) -> FilterVerdict {
        self.rule.check_with(self.node, &self.changes)
    }

    fn fork<'t>(&self) -> Box<dyn ExtensionState + 't>
    where
        Self: 't,
    {
        Box::new(Self { rule: self.rule, node: self.node, changes: self.changes.clone() })
    }
}

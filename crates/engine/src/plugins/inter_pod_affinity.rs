//! InterPodAffinity: required affinity and anti-affinity between pods, in both directions.

mod affinity_state;
mod pod_by_pod;
mod score;
mod term;

use affinity_state::{AffinityState, Changes};
use indexmap::IndexMap;
use pod_by_pod::PodByPod;
use smallvec::SmallVec;
use term::{OwnTerm, is_about};

use crate::cluster::node::NodeIx;
use crate::cluster::pod::PodIx;
use crate::cluster::symbols::PoolIx;
use crate::cluster::symbols::Sym;
use crate::cluster::template::AffinityTerm;
use crate::framework::cluster_view::NodeInfo;
use crate::framework::message;
use crate::framework::plugin::{Cycle, ExtensionState, Filter, Plugin, Prepared, RuleDoc};
use crate::framework::status::{Code, Evidence, Reason, Rejection, Text, Verdict};
use crate::profile::Features;

/// Upstream's first reason, whatever the second one is, in older versions.
const GENERAL: &str = "node(s) didn't match pod affinity/anti-affinity";
/// The same in 1.21.
const GENERAL_RULES: &str = "node(s) didn't match pod affinity/anti-affinity rules";
/// Upstream's reason: nobody of a required affinity term is there.
const AFFINITY: &str = "node(s) didn't match pod affinity rules";
/// Upstream's reason: somebody is there whom the pod keeps away from.
const ANTI_AFFINITY: &str = "node(s) didn't match pod anti-affinity rules";
/// Upstream's reason: somebody is there who keeps the pod away.
const EXISTING_ANTI_AFFINITY: &str = "node(s) didn't satisfy existing pods anti-affinity rules";

/// The plugin.
pub struct InterPodAffinity;

static DOC: RuleDoc = RuleDoc {
    name: "InterPodAffinity",
    code: "PRE-112",
    summary: "Required pod affinity and anti-affinity hold, the pod's own and that of the pods already running.",
    preemption: "Helps against anti-affinity to pods on the node itself; never for a missing affinity partner.",
    scores: Some(
        "Prefers domains by the weights of preferred pod affinity and anti-affinity, of the pod and of those already running.",
    ),
    source: "pkg/scheduler/framework/plugins/interpodaffinity/filtering.go (1.37)",
};

impl Plugin for InterPodAffinity {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn prepare<'c>(&self, cycle: &Cycle<'c>) -> Prepared<'c> {
        let template = cycle.template;
        let errors: Vec<String> = [
            ("requiredAffinityTerms", template.affinity.as_ref().err()),
            ("requiredAntiAffinityTerms", template.anti_affinity.as_ref().err()),
            ("preferredAffinityTerms", template.preferred_affinity.as_ref().err()),
            ("preferredAntiAffinityTerms", template.preferred_anti_affinity.as_ref().err()),
        ]
        .into_iter()
        .filter_map(|(list, error)| Some(format!("{list}: {}", error?)))
        .collect();
        if let Some(errors) = message::aggregate(&errors) {
            return Prepared::Reject(Rejection::unresolvable(Text::Owned(format!("parsing pod: {errors}").into())));
        }
        let rule = Affinities::new(cycle);
        if cycle.features().gone_nodes_kept && cycle.cluster().pods_on_gone_nodes().next().is_some() {
            return Prepared::ready(PodByPod::new(rule));
        }
        let no_terms = rule.affinity_terms.is_empty() && rule.anti_terms.is_empty();
        let nothing = rule.existing.is_empty() && no_terms && !rule.looks_at_nodes();
        // Parity: a plugin that is skipped does not hear of nominated pods, which may object.
        if nothing && cycle.features().affinity_skips {
            return Prepared::Skip;
        }
        Prepared::ready(rule)
    }

    fn error_without_pre_filter(&self) -> Option<&'static str> {
        Some(r#"error reading "PreFilterInterPodAffinity" from cycleState: not found"#)
    }

    fn error_without_extension_state(&self, skipped: bool, features: &Features) -> Option<&'static str> {
        self.error_without_pre_filter().filter(|_| !skipped || features.affinity_skips)
    }
}

/// A topology domain: label key and value.
type Domain = (Sym, Sym);

/// Matching pods by domain.
#[derive(Default)]
struct Domains {
    pods: IndexMap<Domain, Vec<PodIx>, foldhash::fast::RandomState>,
}

impl Domains {
    fn count(&self, domain: Domain) -> i64 {
        self.pods.get(&domain).map_or(0, |pods| i64::try_from(pods.len()).unwrap_or(i64::MAX))
    }

    fn is_empty(&self) -> bool {
        self.pods.is_empty()
    }
}

type TopologyKeys = SmallVec<[Sym; 2]>;

struct Affinities<'c> {
    cycle: Cycle<'c>,
    /// The key whose terms are about the node's own pods; the incoming pod's affinity only if all its terms have it.
    by_node: Option<Sym>,
    affinity_terms: Vec<OwnTerm<'c>>,
    anti_terms: Vec<OwnTerm<'c>>,
    /// By template and namespace of a running pod with anti-affinity: topology keys of its terms about the incoming pod.
    objections: IndexMap<(PoolIx, Sym), TopologyKeys, foldhash::fast::RandomState>,
    /// Running pods that match all required affinity terms.
    affinity: Domains,
    /// Running pods that the incoming pod keeps away from.
    anti_affinity: Domains,
    /// Running pods that keep the incoming pod away.
    existing: Domains,
}

/// Which of the three maps a pod counts in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Affinity,
    Anti,
    Existing,
}

impl<'c> Affinities<'c> {
    fn new(cycle: &Cycle<'c>) -> Self {
        let terms = |side: &'c Result<Box<[AffinityTerm]>, Box<str>>| -> Vec<OwnTerm<'c>> {
            side.iter().flatten().map(|t| OwnTerm::new(t, cycle)).collect()
        };
        let by_node = cycle.features().affinity_by_node.then_some(Sym::HOSTNAME);
        let mut rule = Self {
            cycle: *cycle,
            by_node,
            affinity_terms: terms(&cycle.template.affinity),
            anti_terms: terms(&cycle.template.anti_affinity),
            objections: IndexMap::default(),
            affinity: Domains::default(),
            anti_affinity: Domains::default(),
            existing: Domains::default(),
        };
        rule.objections = rule.find_objections();
        let no_terms = rule.affinity_terms.is_empty() && rule.anti_terms.is_empty();
        if rule.objections.is_empty() && no_terms {
            return rule;
        }
        for info in cycle.view.infos() {
            for pod in &info.pods {
                for (side, domain) in rule.contributions(*pod, info.node) {
                    let domains = match side {
                        Side::Affinity => &mut rule.affinity,
                        Side::Anti => &mut rule.anti_affinity,
                        Side::Existing => &mut rule.existing,
                    };
                    domains.pods.entry(domain).or_default().push(*pod);
                }
            }
        }
        rule
    }

    /// Asks every kind of running pod with anti-affinity once whether it is about the incoming pod.
    fn find_objections(&self) -> IndexMap<(PoolIx, Sym), TopologyKeys, foldhash::fast::RandomState> {
        let cluster = self.cycle.cluster();
        let mut found = IndexMap::default();
        let mut asked: IndexMap<(PoolIx, Sym), (), foldhash::fast::RandomState> = IndexMap::default();
        for pod in cluster.pods.iter().filter(|p| p.is_active()) {
            let Ok(terms) = &cluster.template(pod).anti_affinity else { continue };
            if terms.is_empty() || asked.insert((pod.template, pod.namespace), ()).is_some() {
                continue;
            }
            let about = terms.iter().filter(|t| is_about(t, pod.namespace, &self.cycle));
            let keys: TopologyKeys = about.map(|t| t.topology_key).collect();
            if !keys.is_empty() {
                found.insert((pod.template, pod.namespace), keys);
            }
        }
        found
    }

    /// What a pod on a node adds to the counts.
    fn contributions(&self, pod: PodIx, node: NodeIx) -> SmallVec<[(Side, Domain); 2]> {
        let mut found = SmallVec::new();
        let pod = self.cycle.cluster().pod(pod);
        let nominated = pod.node_name.is_empty() && !self.cycle.features().nominated_pods_in_own_terms;
        let mut count = |side, key| {
            // A partner on a node without the label is nobody's, but there is one.
            let nowhere = (side == Side::Affinity && self.is_by_node(side, key)).then_some((key, Sym::EMPTY));
            found.extend(self.domain(node, side, key).or(nowhere).map(|domain| (side, domain)));
        };
        if !self.objections.is_empty()
            && let Some(keys) = self.objections.get(&(pod.template, pod.namespace))
        {
            keys.iter().for_each(|key| count(Side::Existing, *key));
        }
        if nominated {
            return found;
        }
        if !self.affinity_terms.is_empty() && self.affinity_terms.iter().all(|t| t.matches(pod)) {
            self.affinity_terms.iter().for_each(|t| count(Side::Affinity, t.spec.topology_key));
        }
        self.anti_terms.iter().filter(|t| t.matches(pod)).for_each(|t| count(Side::Anti, t.spec.topology_key));
        found
    }

    /// Whether terms with `key` are about single nodes.
    fn is_by_node(&self, side: Side, key: Sym) -> bool {
        self.by_node == Some(key)
            && (side != Side::Affinity || self.affinity_terms.iter().all(|t| t.spec.topology_key == key))
    }

    /// Whether some node's pods must be looked at: a running pod keeps others away from its node.
    fn looks_at_nodes(&self) -> bool {
        let cluster = self.cycle.cluster();
        let terms = |pod: &PodIx| cluster.template(cluster.pod(*pod)).anti_affinity.as_deref().unwrap_or_default();
        let pods = || self.cycle.view.infos().iter().flat_map(|info| &info.pods);
        self.by_node.is_some_and(|key| pods().any(|pod| terms(pod).iter().any(|t| t.topology_key == key)))
    }

    /// The domain of a node; `None` if it lacks the label.
    fn domain(&self, node: NodeIx, side: Side, key: Sym) -> Option<Domain> {
        let value = self.cycle.view.node_label(node, key)?;
        Some((key, if self.is_by_node(side, key) { self.cycle.view.node(node).name } else { value }))
    }

    /// The incoming pod matches all its own affinity terms: the first of a series may go anywhere.
    fn matches_itself(&self) -> bool {
        self.affinity_terms.iter().all(|t| t.matches(self.cycle.pod))
    }

    fn check_with(&self, node: NodeIx, changes: &Changes) -> Verdict {
        let existing_last = self.cycle.features().existing_anti_affinity_last;
        let own = || self.affinity_missing(node, changes).or_else(|| self.anti_affinity_taken(node, changes));
        let existing = || self.existing_object(node, changes);
        let refusal = if existing_last { own().or_else(existing) } else { existing().or_else(own) };
        refusal.map_or(Verdict::Fits, |(code, text, evidence)| self.refuse(code, text, evidence))
    }

    /// A refusal with the reasons that this version gives.
    fn refuse(&self, code: Code, text: &'static str, evidence: Evidence) -> Verdict {
        let features = self.cycle.features();
        let general = if features.affinity_reason_rules { GENERAL_RULES } else { GENERAL };
        let hopeless = code == Code::UnschedulableAndUnresolvable;
        if features.affinity_one_reason || (features.one_reason_per_node && hopeless) {
            return Verdict::reject(code, Text::Fixed(text), evidence);
        }
        let reasons = [(general, Evidence::None), (text, evidence)];
        let reasons = reasons.map(|(text, evidence)| Reason { text: Text::Fixed(text), evidence });
        Verdict::Rejected(Rejection { code, reasons: reasons.into_iter().collect() })
    }

    fn affinity_missing(&self, node: NodeIx, changes: &Changes) -> Option<(Code, &'static str, Evidence)> {
        let key = self.missing_partner(node, changes)?;
        let evidence = Evidence::Affinity { key, domain: self.cycle.view.node_label(node, key) };
        Some((Code::UnschedulableAndUnresolvable, AFFINITY, evidence))
    }

    fn anti_affinity_taken(&self, node: NodeIx, changes: &Changes) -> Option<(Code, &'static str, Evidence)> {
        let keys = self.anti_terms.iter().map(|t| t.spec.topology_key);
        let (at, count) = self.first_taken(keys, node, Side::Anti, changes)?;
        let pod = changes.first_left(&self.anti_affinity, Side::Anti, at);
        let evidence = Evidence::AntiAffinity { key: at.0, domain: at.1, pod, pods: count };
        Some((Code::Unschedulable, ANTI_AFFINITY, evidence))
    }

    fn existing_object(&self, node: NodeIx, changes: &Changes) -> Option<(Code, &'static str, Evidence)> {
        let keys = self.objections.values().flatten().copied();
        let (at, count) = self.first_taken(keys, node, Side::Existing, changes)?;
        let pod = changes.first_left(&self.existing, Side::Existing, at);
        let evidence = Evidence::ExistingAntiAffinity { key: at.0, domain: at.1, pod, pods: count };
        Some((Code::Unschedulable, EXISTING_ANTI_AFFINITY, evidence))
    }

    /// The topology key of the first required affinity term that has nobody in the node's domain.
    fn missing_partner(&self, node: NodeIx, changes: &Changes) -> Option<Sym> {
        let mut missing = None;
        for term in &self.affinity_terms {
            let key = term.spec.topology_key;
            let Some(at) = self.domain(node, Side::Affinity, key) else {
                if self.cycle.features().self_affinity_needs_key {
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
        missing.filter(|_| !(changes.leaves_none(&self.affinity, Side::Affinity) && self.matches_itself()))
    }

    fn first_taken(
        &self,
        keys: impl Iterator<Item = Sym>,
        node: NodeIx,
        side: Side,
        changes: &Changes,
    ) -> Option<(Domain, i64)> {
        let domains = if side == Side::Anti { &self.anti_affinity } else { &self.existing };
        keys.filter_map(|key| {
            let at = self.domain(node, side, key)?;
            Some((at, domains.count(at) + changes.of(side, at)))
        })
        .find(|(_, count)| *count > 0)
    }
}

impl Filter for Affinities<'_> {
    fn check(&self, node: &NodeInfo) -> Verdict {
        self.check_with(node.node, &Changes::default())
    }

    fn extension_state<'f>(&'f self, node: &NodeInfo) -> Option<Box<dyn ExtensionState + 'f>> {
        Some(Box::new(AffinityState::new(self, node.node)))
    }
}

#[cfg(test)]
mod tests;

//! 1.12 and 1.13 only: InterPodAffinity if some pod is on a node that no longer exists. These
//! schedulers then cannot count pods by domain, and compare the incoming pod with every pod on each
//! node.
//!
//! Upstream: `pkg/scheduler/algorithm/predicates/predicates.go` `satisfiesPodsAffinityAntiAffinity`
//! without metadata (1.12).

use super::evidence::{MissingPartner, Partner};
use super::required::Affinities;
use super::term::OwnTerm;
use super::{AFFINITY, ANTI_AFFINITY, EXISTING_ANTI_AFFINITY};
use crate::framework::cluster_view::NodeInfo;
use crate::framework::evidence::{AntiAffinity, Evidence, Grounds, RuleOf};
use crate::framework::plugin::Filter;
use crate::framework::status::{Code, FilterVerdict};
use model::cluster::{NodeIx, Pod, PodIx, Sym};

/// The rule, pod by pod.
pub(super) struct PodByPod<'c> {
    rule: Affinities<'c>,
    /// Pods on nodes that no longer exist.
    gone: Vec<PodIx>,
}

/// An existing pod.
struct Other {
    ix: PodIx,
    /// Its node; `None` if that no longer exists.
    at: Option<NodeIx>,
}

/// How an existing pod relates to the terms of the incoming pod.
enum Match {
    /// It does not match all of them.
    None,
    /// It matches them, but is in other domains than the node.
    Elsewhere,
    /// It matches them and is in the domains of the node.
    Here,
    /// It matches them, and its node no longer exists.
    Nowhere,
}

impl<'c> PodByPod<'c> {
    /// The required terms, and the pods on nodes that no longer exist.
    pub(super) fn new(rule: Affinities<'c>) -> Self {
        let gone = rule.cycle.cluster().pods_on_gone_nodes().collect();
        Self { rule, gone }
    }

    /// All assigned pods, those of `node` as the dry run has them, each with its node. Nominated
    /// pods do not count.
    fn pods<'s>(&'s self, node: &'s NodeInfo) -> impl Iterator<Item = Other> + 's {
        let (view, cluster) = (self.rule.cycle.view, self.rule.cycle.cluster());
        let others = view.infos().iter().map(|info| &**info).filter(|info| info.node != node.node);
        let placed = others
            .chain(std::iter::once(node))
            .flat_map(|info| info.pods.iter().map(|pod| Other { ix: *pod, at: Some(info.node) }));
        let all = placed.chain(self.gone.iter().map(|pod| Other { ix: *pod, at: None }));
        all.filter(|other| !cluster.pod(other.ix).node_name.is_empty())
    }

    fn compare(&self, terms: &[OwnTerm], pod: &Pod, at: Option<NodeIx>, node: NodeIx) -> Match {
        if terms.is_empty() || !terms.iter().all(|term| term.matches(pod)) {
            return Match::None;
        }
        let Some(at) = at else { return Match::Nowhere };
        let view = self.rule.cycle.view;
        let are_together = terms.iter().all(|term| {
            let [here, there] =
                [node, at].map(|node| view.node_label(node, term.spec.topology_key));
            here.is_some() && here == there
        });
        if are_together { Match::Here } else { Match::Elsewhere }
    }

    /// The topology key of the anti-affinity with which a pod repels the incoming one; `None` if it
    /// does not.
    fn keeps_away(&self, pod: &Pod, at: NodeIx, node: NodeIx) -> Option<Sym> {
        let view = self.rule.cycle.view;
        let keys = self.rule.objections().get(&(pod.template, pod.namespace));
        keys.into_iter().flatten().copied().find(|key| {
            let value = view.node_label(node, *key);
            value.is_some() && view.node_label(at, *key) == value
        })
    }

    fn own_terms(&self, node: &NodeInfo) -> FilterVerdict {
        let (affinity, anti) = (&self.rule.affinity_terms, &self.rule.anti_terms);
        let (mut has_partner, mut elsewhere) = (affinity.is_empty(), false);
        for Other { ix, at } in self.pods(node) {
            let pod = self.rule.cycle.cluster().pod(ix);
            match self.compare(affinity, pod, at, node.node) {
                Match::None => {}
                Match::Elsewhere => elsewhere = true,
                Match::Here => has_partner = true,
                Match::Nowhere if has_partner => {}
                Match::Nowhere => return FilterVerdict::Failed(self.error(pod, node).into()),
            }
            if let Match::Here | Match::Nowhere = self.compare(anti, pod, at, node.node) {
                let evidence = self.own_anti_affinity(ix, node);
                return self.rule.refuse(Code::Unschedulable, &ANTI_AFFINITY, evidence);
            }
        }
        let alone = !elsewhere && self.rule.matches_itself();
        if has_partner || alone {
            return FilterVerdict::Fits;
        }
        let evidence = affinity.first().and_then(|term| {
            let key = term.spec.topology_key;
            let domain = self.rule.cycle.view.node_label(node.node, key);
            MissingPartner { key, domain, partner: Partner::NotKnown }.grounds()
        });
        self.rule.refuse(Code::UnschedulableAndUnresolvable, &AFFINITY, evidence)
    }

    /// The first pod that the incoming pod's anti-affinity keeps it away from, and how many there
    /// are in the domain.
    fn own_anti_affinity(&self, first: PodIx, node: &NodeInfo) -> Grounds {
        let terms = &self.rule.anti_terms;
        let key = terms.first()?.spec.topology_key;
        let cluster = self.rule.cycle.cluster();
        let pods = self
            .pods(node)
            .filter(|other| {
                let matched = self.compare(terms, cluster.pod(other.ix), other.at, node.node);
                matches!(matched, Match::Here | Match::Nowhere)
            })
            .count();
        AntiAffinity {
            of: RuleOf::Pod,
            key,
            domain: self.rule.cycle.view.node_label(node.node, key).unwrap_or_default(),
            pod: Some(first),
            pods: i64::try_from(pods).unwrap_or(i64::MAX),
        }
        .grounds()
    }

    /// The first pod whose anti-affinity keeps the incoming pod off the node, and how many there
    /// are with the same key.
    fn existing_anti_affinity(&self, node: &NodeInfo) -> Grounds {
        let cluster = self.rule.cycle.cluster();
        let key_of = |other: &Other| self.keeps_away(cluster.pod(other.ix), other.at?, node.node);
        let (first, key) = self.pods(node).find_map(|other| Some((other.ix, key_of(&other)?)))?;
        let pods = self.pods(node).filter(|other| key_of(other) == Some(key)).count();
        AntiAffinity {
            of: RuleOf::Others,
            key,
            domain: self.rule.cycle.view.node_label(node.node, key).unwrap_or_default(),
            pod: Some(first),
            pods: i64::try_from(pods).unwrap_or(i64::MAX),
        }
        .grounds()
    }

    fn error(&self, other: &Pod, node: &NodeInfo) -> String {
        let (cycle, cluster) = (&self.rule.cycle, self.rule.cycle.cluster());
        let (pod, gone) = (cluster.pod_name(cycle.ix), cluster.text(other.node_name));
        let name = cluster.text(cycle.view.node(node.node).name);
        format!(
            "Cannot schedule pod {pod} onto node {name}, because of PodAffinity, err: node {gone:?} not found"
        )
    }
}

impl Filter for PodByPod<'_> {
    fn check(&self, node: &NodeInfo) -> FilterVerdict {
        let existing = self.existing_anti_affinity(node);
        if existing.is_some() {
            let text = &EXISTING_ANTI_AFFINITY;
            return self.rule.refuse(Code::Unschedulable, text, existing);
        }
        self.own_terms(node)
    }
}

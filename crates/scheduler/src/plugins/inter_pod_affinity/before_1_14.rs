//! 1.12 and 1.13 only: InterPodAffinity where some pod is on a node that no longer exists. These schedulers cannot
//! count pods by domain then, and compare the incoming pod with every pod on each node.
//!
//! Upstream: `pkg/scheduler/algorithm/predicates/predicates.go` `satisfiesPodsAffinityAntiAffinity` without metadata (1.12).

use super::messages;
use super::required::Affinities;
use super::term::OwnTerm;
use crate::framework::cluster_view::NodeInfo;
use crate::framework::plugin::Filter;
use crate::framework::status::{Code, Evidence, Verdict};
use model::cluster::node::NodeIx;
use model::cluster::pod::{Pod, PodIx};

/// The rule, pod by pod.
pub(super) struct PodByPod<'c> {
    rule: Affinities<'c>,
    /// Pods on nodes that no longer exist.
    gone: Vec<PodIx>,
}

/// How another pod relates to the terms of the incoming pod.
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

    /// All assigned pods, those of `node` as the dry run has them, each with its node. Nominated pods do not count.
    fn pods<'s>(&'s self, node: &'s NodeInfo) -> impl Iterator<Item = (&'c Pod, Option<NodeIx>)> + 's {
        let (view, cluster) = (self.rule.cycle.view, self.rule.cycle.cluster());
        let others = view.infos().iter().map(|info| &**info).filter(|info| info.node != node.node);
        let placed =
            others.chain(std::iter::once(node)).flat_map(|info| info.pods.iter().map(|pod| (pod, Some(info.node))));
        let all = placed.chain(self.gone.iter().map(|pod| (pod, None)));
        all.map(|(pod, at)| (cluster.pod(*pod), at)).filter(|(pod, _)| !pod.node_name.is_empty())
    }

    fn compare(&self, terms: &[OwnTerm], pod: &Pod, at: Option<NodeIx>, node: NodeIx) -> Match {
        if terms.is_empty() || !terms.iter().all(|term| term.matches(pod)) {
            return Match::None;
        }
        let Some(at) = at else { return Match::Nowhere };
        let label = |node, term: &OwnTerm| self.rule.cycle.view.node_label(node, term.spec.topology_key);
        let same = |term: &OwnTerm| label(node, term).is_some_and(|value| label(at, term) == Some(value));
        if terms.iter().all(same) { Match::Here } else { Match::Elsewhere }
    }

    fn keeps_away(&self, pod: &Pod, at: NodeIx, node: NodeIx) -> bool {
        let view = self.rule.cycle.view;
        let keys = self.rule.objections.get(&(pod.template, pod.namespace));
        let same = |key| view.node_label(node, key).is_some_and(|value| view.node_label(at, key) == Some(value));
        keys.into_iter().flatten().any(|key| same(*key))
    }

    fn own_terms(&self, node: &NodeInfo) -> Verdict {
        let (affinity, anti) = (&self.rule.affinity_terms, &self.rule.anti_terms);
        let (mut found, mut elsewhere) = (affinity.is_empty(), false);
        for (pod, at) in self.pods(node) {
            match self.compare(affinity, pod, at, node.node) {
                Match::None => {}
                Match::Elsewhere => elsewhere = true,
                Match::Here => found = true,
                Match::Nowhere if found => {}
                Match::Nowhere => return Verdict::Failed(self.error(pod, node).into()),
            }
            if let Match::Here | Match::Nowhere = self.compare(anti, pod, at, node.node) {
                return self.rule.refuse(Code::Unschedulable, &messages::ANTI_AFFINITY, Evidence::None);
            }
        }
        let alone = !elsewhere && self.rule.matches_itself();
        if found || alone {
            return Verdict::Fits;
        }
        self.rule.refuse(Code::UnschedulableAndUnresolvable, &messages::AFFINITY, Evidence::None)
    }

    fn error(&self, other: &Pod, node: &NodeInfo) -> String {
        let (cycle, cluster) = (&self.rule.cycle, self.rule.cycle.cluster());
        let (pod, gone) = (cluster.pod_name(cycle.ix), cluster.text(other.node_name));
        let name = cluster.text(cycle.view.node(node.node).name);
        format!("Cannot schedule pod {pod} onto node {name}, because of PodAffinity, err: node {gone:?} not found")
    }
}

impl Filter for PodByPod<'_> {
    fn check(&self, node: &NodeInfo) -> Verdict {
        let objects = |(pod, at): (&Pod, Option<NodeIx>)| at.is_some_and(|at| self.keeps_away(pod, at, node.node));
        if self.pods(node).any(objects) {
            return self.rule.refuse(Code::Unschedulable, &messages::EXISTING_ANTI_AFFINITY, Evidence::None);
        }
        self.own_terms(node)
    }
}

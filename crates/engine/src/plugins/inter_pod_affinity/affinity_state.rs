//! The counts of InterPodAffinity while pods of one node come and go.

use smallvec::SmallVec;

use super::{Affinities, Domain, Domains, Side};
use crate::cluster::node::NodeIx;
use crate::cluster::pod::PodIx;
use crate::framework::cluster_view::NodeInfo;
use crate::framework::plugin::ExtensionState;
use crate::framework::status::Verdict;

/// What came and went, against the prepared counts.
#[derive(Default, Clone)]
pub(super) struct Changes {
    by: SmallVec<[(Side, Domain, i64); 4]>,
    removed: Vec<PodIx>,
    added: Vec<PodIx>,
    /// Pods that came, whether or not they were there before.
    came: Vec<PodIx>,
}

impl Changes {
    pub(super) fn of(&self, side: Side, domain: Domain) -> i64 {
        self.by.iter().filter(|(s, d, _)| *s == side && *d == domain).map(|(.., by)| by).sum()
    }

    fn count(&mut self, side: Side, domain: Domain, by: i64) {
        match self.by.iter_mut().find(|(s, d, _)| *s == side && *d == domain) {
            Some((.., sum)) => *sum += by,
            None => self.by.push((side, domain, by)),
        }
    }

    /// Whether no domain has any pod left.
    pub(super) fn leaves_none(&self, domains: &Domains, side: Side) -> bool {
        let changes = || self.by.iter().filter(move |(s, ..)| *s == side);
        let emptied = changes().filter(|(_, d, by)| domains.count(*d) > 0 && domains.count(*d) + by == 0).count();
        let filled = changes().any(|(_, d, by)| domains.count(*d) + by != 0 && domains.count(*d) == 0);
        !filled && emptied == domains.pods.len()
    }

    pub(super) fn first_left(&self, domains: &Domains, side: Side, at: Domain) -> Option<PodIx> {
        let before = domains.pods.get(&at).into_iter().flatten();
        let left = before.copied().find(|pod| !self.removed.contains(pod));
        left.or_else(|| self.added.first().copied().filter(|_| self.of(side, at) > 0))
    }
}

/// Pods of one node coming and going.
pub(super) struct AffinityState<'f, 'c> {
    rule: &'f Affinities<'c>,
    node: NodeIx,
    changes: Changes,
}

impl<'f, 'c> AffinityState<'f, 'c> {
    pub(super) fn new(rule: &'f Affinities<'c>, node: NodeIx) -> Self {
        Self { rule, node, changes: Changes::default() }
    }

    fn update(&mut self, pod: PodIx, by: i64) {
        for (side, domain) in self.rule.contributions(pod, self.node) {
            self.changes.count(side, domain, by);
        }
    }

    /// Parity: up to 1.17 a pod that came back counted for all anti-affinity terms if it matched any, until it went again.
    fn count_other_anti_terms(&mut self, pod: PodIx, by: i64) {
        let (cycle, terms) = (&self.rule.cycle, &self.rule.anti_terms);
        let pod = cycle.cluster().pod(pod);
        let matched = terms.iter().any(|t| t.matches(pod));
        if cycle.features().inter_pod_affinity.readded_by_term || !matched || pod.node_name.is_empty() {
            return;
        }
        let others = terms.iter().filter(|t| !t.matches(pod)).map(|t| t.spec.topology_key);
        for domain in others.filter_map(|key| self.rule.domain(self.node, Side::Anti, key)) {
            self.changes.count(Side::Anti, domain, by);
        }
    }
}

impl ExtensionState for AffinityState<'_, '_> {
    fn add_pod(&mut self, pod: PodIx) {
        self.update(pod, 1);
        self.count_other_anti_terms(pod, 1);
        self.changes.came.push(pod);
        match self.changes.removed.iter().position(|p| *p == pod) {
            Some(index) => drop(self.changes.removed.swap_remove(index)),
            None => self.changes.added.push(pod),
        }
    }

    fn remove_pod(&mut self, pod: PodIx) {
        self.update(pod, -1);
        if let Some(index) = self.changes.came.iter().position(|p| *p == pod) {
            self.changes.came.swap_remove(index);
            self.count_other_anti_terms(pod, -1);
        }
        match self.changes.added.iter().position(|p| *p == pod) {
            Some(index) => drop(self.changes.added.swap_remove(index)),
            None => self.changes.removed.push(pod),
        }
    }

    fn check(&self, _: &NodeInfo) -> Verdict {
        self.rule.check_with(self.node, &self.changes)
    }

    fn fork<'t>(&self) -> Box<dyn ExtensionState + 't>
    where
        Self: 't,
    {
        Box::new(Self { rule: self.rule, node: self.node, changes: self.changes.clone() })
    }
}

//! Topology spread constraints that no placement can meet.

use std::collections::{BTreeMap, BTreeSet};

use super::Scope;
use super::finding::{Evidence, Finding};
use model::cluster::Cluster;
use model::cluster::owner::Workload;
use model::cluster::pod::Pod;
use model::cluster::selector::label;
use model::cluster::symbols::{PoolIx, Sym};
use model::cluster::template::SpreadConstraint;

/// Every pod that is not finished counts: one that waits may wait for this reason.
pub(super) fn check(scope: &Scope, findings: &mut Vec<Finding>) {
    let cluster = scope.cluster;
    let mut counts = Counts {
        cluster,
        domains: BTreeMap::new(),
        by_namespace: BTreeMap::new(),
        pods: BTreeMap::new(),
    };
    for pod in cluster.pods.iter().filter(|pod| is_counted(pod)) {
        counts.by_namespace.entry(pod.namespace).or_default().push(pod);
    }
    let mut seen: BTreeSet<(Workload, Sym)> = BTreeSet::new();
    for pod in cluster.pods.iter().filter(|pod| is_counted(pod)) {
        let constraints = cluster
            .template(pod)
            .spread
            .iter()
            .enumerate()
            .filter(|(_, constraint)| constraint.hard);
        for (index, constraint) in constraints {
            let Some(evidence) = counts.evidence(index, constraint, pod) else { continue };
            let workload = cluster.workload(pod);
            if seen.insert((workload.clone(), constraint.topology_key)) {
                findings.push(Finding { object: (&workload).into(), evidence });
            }
        }
    }
}

fn is_counted(pod: &Pod) -> bool {
    pod.is_active() && !pod.is_terminating()
}

/// What is counted, once for all pods to which it is common.
struct Counts<'c> {
    cluster: &'c Cluster,
    /// By topology key: how many values nodes have.
    domains: BTreeMap<Sym, usize>,
    by_namespace: BTreeMap<Sym, Vec<&'c Pod>>,
    /// By namespace, labels, template and index of the constraint in it.
    pods: BTreeMap<(Sym, PoolIx, PoolIx, usize), usize>,
}

impl Counts<'_> {
    /// Why the constraint of `pod`, the one of this index, cannot be met.
    fn evidence(
        &mut self,
        index: usize,
        constraint: &SpreadConstraint,
        pod: &Pod,
    ) -> Option<Evidence> {
        let cluster = self.cluster;
        let (domains, nodes) = (self.domains(constraint.topology_key), cluster.nodes.len());
        let topology_key = || cluster.text(constraint.topology_key).to_owned();
        if domains == 0 && nodes > 0 {
            return Some(Evidence::SpreadWithoutDomains { topology_key: topology_key(), nodes });
        }
        let SpreadConstraint { max_skew, min_domains, .. } = *constraint;
        if domains as i64 >= min_domains {
            return None;
        }
        let key = (pod.namespace, pod.labels, pod.template, index);
        let pods = self.pods.get(&key).copied().unwrap_or_else(|| self.counted(constraint, pod));
        self.pods.insert(key, pods);
        // With fewer domains than that, the smallest count is taken as 0, so that a domain takes
        // `maxSkew` pods.
        let room = max_skew.saturating_mul(domains as i64);
        (pods as i64 > room).then_some(Evidence::SpreadTooFewDomains {
            topology_key: topology_key(),
            domains,
            min_domains,
            max_skew,
            pods,
        })
    }

    fn domains(&mut self, key: Sym) -> usize {
        let cluster = self.cluster;
        *self.domains.entry(key).or_insert_with(|| {
            let values =
                cluster.nodes.iter().filter_map(|node| label(cluster.labels(node.labels), key));
            values.collect::<BTreeSet<Sym>>().len()
        })
    }

    /// How many pods the constraint of `pod` counts, in any domain.
    fn counted(&self, constraint: &SpreadConstraint, pod: &Pod) -> usize {
        let Ok(selector) = &constraint.selector else { return 0 };
        let own = self.cluster.labels(pod.labels);
        let pairs =
            constraint.match_label_keys.iter().filter_map(|key| Some((*key, label(own, *key)?)));
        let selector = selector.and_labels(&pairs.collect::<Vec<_>>());
        let others = self.by_namespace.get(&pod.namespace).into_iter().flatten();
        others.filter(|other| selector.matches(self.cluster.labels(other.labels))).count()
    }
}

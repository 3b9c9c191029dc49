//! Topology spread constraints that no placement can meet.

use std::collections::BTreeSet;

use super::Scope;
use super::finding::{Evidence, Finding};
use crate::cluster::Cluster;
use crate::cluster::owner::Workload;
use crate::cluster::pod::Pod;
use crate::cluster::selector::label;
use crate::cluster::symbols::Sym;
use crate::cluster::template::SpreadConstraint;

/// Every pod that is not finished counts: one that waits may wait for this reason.
pub(super) fn check(scope: &Scope, findings: &mut Vec<Finding>) {
    let cluster = scope.cluster;
    let mut seen: BTreeSet<(Workload, Sym)> = BTreeSet::new();
    for pod in cluster.pods.iter().filter(|pod| pod.is_active() && !pod.is_terminating()) {
        for constraint in cluster.template(pod).spread.iter().filter(|constraint| constraint.hard) {
            let Some(evidence) = evidence(constraint, pod, cluster) else { continue };
            let workload = cluster.workload(pod);
            if seen.insert((workload.clone(), constraint.topology_key)) {
                findings.push(Finding { object: (&workload).into(), evidence });
            }
        }
    }
}

fn evidence(constraint: &SpreadConstraint, pod: &Pod, cluster: &Cluster) -> Option<Evidence> {
    let values = cluster.nodes.iter().filter_map(|node| label(cluster.labels(node.labels), constraint.topology_key));
    let domains = values.collect::<BTreeSet<Sym>>().len();
    let topology_key = cluster.text(constraint.topology_key).to_owned();
    if domains == 0 && !cluster.nodes.is_empty() {
        return Some(Evidence::SpreadWithoutDomains { topology_key, nodes: cluster.nodes.len() });
    }
    let SpreadConstraint { max_skew, min_domains, .. } = *constraint;
    // With fewer domains than that, the smallest count is taken as 0, so that a domain takes `maxSkew` pods.
    let room = max_skew.saturating_mul(domains as i64);
    let pods = counted(constraint, pod, cluster);
    let too_few = (domains as i64) < min_domains && pods as i64 > room;
    too_few.then_some(Evidence::SpreadTooFewDomains { topology_key, domains, min_domains, max_skew, pods })
}

/// How many pods the constraint of `pod` counts, in any domain.
fn counted(constraint: &SpreadConstraint, pod: &Pod, cluster: &Cluster) -> usize {
    let Ok(selector) = &constraint.selector else { return 0 };
    let own = cluster.labels(pod.labels);
    let pairs = constraint.match_label_keys.iter().filter_map(|key| Some((*key, label(own, *key)?)));
    let selector = selector.and_labels(&pairs.collect::<Vec<_>>());
    let others = cluster.pods.iter().filter(|other| other.namespace == pod.namespace && other.is_active());
    others.filter(|other| !other.is_terminating() && selector.matches(cluster.labels(other.labels))).count()
}

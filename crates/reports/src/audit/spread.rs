//! Topology spread constraints that no placement can satisfy.

use json::audit::{Check as CheckName, Evidence};
use std::collections::{BTreeMap, BTreeSet};

use super::check::{Check, Finding, NodePart};
use super::scope::AuditScope;
use model::cluster::owner::Workload;
use model::cluster::selector::label;
use model::cluster::symbols::PoolIx;
use model::cluster::template::SpreadConstraint;
use model::cluster::{Cluster, Pod, Sym};
use model::notes::Severity;
use model::words::{count, share};

pub(super) static CHECKS: &[&Check] = &[&WITHOUT_DOMAINS, &TOO_FEW_DOMAINS];

const OF_SPREAD: Check = Check {
    is_made: |scope| {
        let mut pods = scope.cluster.pods.iter();
        pods.any(|pod| scope.cluster.template(pod).spread.iter().any(|constraint| constraint.hard))
    },
    reads_nodes: NodePart::Labels,
    is_of_absence: true,
    ..Check::OF_PODS
};

static WITHOUT_DOMAINS: Check = Check {
    code: "AUD-401",
    name: CheckName::SpreadWithoutDomains,
    severity: Severity::Error,
    title: "No node has the label of a topology spread constraint",
    meaning: "With whenUnsatisfiable: DoNotSchedule, every node is rejected.",
    fix: "label the nodes, or correct topologyKey",
    find: |scope| {
        by_workload(scope, &WITHOUT_DOMAINS, |counts, constraint| {
            let nodes = scope.cluster.nodes.len();
            let topology_key = scope.cluster.text(constraint.spec.topology_key).to_owned();
            let is_found = counts.domains(constraint.spec.topology_key) == 0 && nodes > 0;
            is_found.then_some(Evidence::SpreadWithoutDomains { topology_key, nodes })
        })
    },
    clause: |evidence| {
        let Evidence::SpreadWithoutDomains { topology_key, nodes } = evidence else {
            return None;
        };
        Some(format!("{} has label {topology_key}", share(0, *nodes, "node")))
    },
    ..OF_SPREAD
};

static TOO_FEW_DOMAINS: Check = Check {
    code: "AUD-402",
    name: CheckName::SpreadTooFewDomains,
    title: "A topology spread constraint has too few domains for its pods",
    meaning: "With fewer domains than minDomains, each domain takes at most maxSkew pods. The others stay pending, and no \
              preemption helps.",
    fix: "add nodes in another domain, lower minDomains, or raise maxSkew",
    find: |scope| by_workload(scope, &TOO_FEW_DOMAINS, too_few_domains),
    clause: |evidence| {
        let Evidence::SpreadTooFewDomains { topology_key, domains, min_domains, max_skew, pods } =
            evidence
        else {
            return None;
        };
        let (domains, pods) = (count(*domains, "domain"), count(*pods, "pod"));
        Some(format!(
            "{domains} of {topology_key} take {max_skew} each (minDomains {min_domains}), but it counts {pods}"
        ))
    },
    ..OF_SPREAD
};

/// Fewer domains than a constraint requires, and more pods than these can take.
fn too_few_domains(counts: &mut Counts, constraint: &Constraint) -> Option<Evidence> {
    let SpreadConstraint { topology_key, max_skew, min_domains, .. } = *constraint.spec;
    let domains = counts.domains(topology_key);
    let without_domains = domains == 0 && !counts.cluster.nodes.is_empty();
    if without_domains || domains as i64 >= min_domains {
        return None;
    }
    let pods = counts.pods(constraint);
    // With fewer domains than that, the minimum counts as 0, so a domain takes `maxSkew` pods.
    let room = max_skew.saturating_mul(domains as i64);
    let topology_key = counts.cluster.text(topology_key).to_owned();
    let evidence =
        Evidence::SpreadTooFewDomains { topology_key, domains, min_domains, max_skew, pods };
    (pods as i64 > room).then_some(evidence)
}

/// A constraint of a pod.
struct Constraint<'c> {
    pod: &'c Pod,
    /// Its index among the pod's constraints.
    index: usize,
    spec: &'c SpreadConstraint,
}

/// The findings for hard constraints of pods, once per workload and topology key. Every unfinished
/// pod counts: a pending one may be pending for this reason.
fn by_workload(
    scope: &AuditScope,
    check: &'static Check,
    evidence: impl Fn(&mut Counts, &Constraint) -> Option<Evidence>,
) -> Vec<Finding> {
    let cluster = scope.cluster;
    let mut counts = Counts::of(cluster);
    let mut seen: BTreeSet<(Workload, Sym)> = BTreeSet::new();
    let mut findings = Vec::new();
    for pod in cluster.pods.iter().filter(|pod| is_counted(pod)) {
        for (index, spec) in cluster.template(pod).spread.iter().enumerate() {
            if !spec.hard {
                continue;
            }
            let Some(evidence) = evidence(&mut counts, &Constraint { pod, index, spec }) else {
                continue;
            };
            let workload = cluster.workload(pod);
            if seen.insert((workload.clone(), spec.topology_key)) {
                findings.push(Finding { check, object: (&workload).into(), evidence });
            }
        }
    }
    findings
}

fn is_counted(pod: &Pod) -> bool {
    pod.is_active() && !pod.is_terminating()
}

/// Counts, computed once for all pods that share them.
struct Counts<'c> {
    cluster: &'c Cluster,
    /// By topology key: how many values nodes have.
    domains: BTreeMap<Sym, usize>,
    by_namespace: BTreeMap<Sym, Vec<&'c Pod>>,
    /// By namespace, labels, template and index of the constraint in it.
    pods: BTreeMap<(Sym, PoolIx, PoolIx, usize), usize>,
}

impl<'c> Counts<'c> {
    fn of(cluster: &'c Cluster) -> Self {
        let mut by_namespace: BTreeMap<Sym, Vec<&Pod>> = BTreeMap::new();
        for pod in cluster.pods.iter().filter(|pod| is_counted(pod)) {
            by_namespace.entry(pod.namespace).or_default().push(pod);
        }
        Self { cluster, domains: BTreeMap::new(), by_namespace, pods: BTreeMap::new() }
    }

    fn domains(&mut self, key: Sym) -> usize {
        let cluster = self.cluster;
        *self.domains.entry(key).or_insert_with(|| {
            let values =
                cluster.nodes.iter().filter_map(|node| label(cluster.labels(node.labels), key));
            values.collect::<BTreeSet<Sym>>().len()
        })
    }

    /// How many pods a constraint counts, over all domains.
    fn pods(&mut self, constraint: &Constraint) -> usize {
        let pod = constraint.pod;
        let key = (pod.namespace, pod.labels, pod.template, constraint.index);
        if let Some(pods) = self.pods.get(&key) {
            return *pods;
        }
        let pods = self.counted(constraint.spec, pod);
        self.pods.insert(key, pods);
        pods
    }

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

#[cfg(test)]
pub(super) mod tests {
    use serde_json::json;

    use crate::audit::tests::{Example, web};
    use testing::{Pod, labels, objects, owner};

    /// A pod that spreads over zones in a cluster with a single zone.
    fn spread(name: &str, min_domains: i64) -> Pod {
        web(name).constraint(
            json!({"topologyKey": "zone", "maxSkew": 1, "minDomains": min_domains, "labelSelector": labels("app", "web")}),
        )
    }

    pub(in crate::audit) fn examples() -> Vec<Example> {
        let over = |key| web("w").spread(key, 1, "app", "web");
        let set = || owner("ReplicaSet", "web", None);
        vec![
            Example {
                code: "AUD-401",
                found: objects![over("topology.kubernetes.io/zone")],
                clean: objects![over("zone")],
            },
            Example {
                code: "AUD-402",
                found: objects![spread("a", 2), spread("b", 2), set()],
                clean: objects![spread("a", 2), set()],
            },
        ]
    }
}

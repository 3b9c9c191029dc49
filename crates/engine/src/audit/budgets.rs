//! Budgets that make evictions fail, or that protect something else than they seem to.

use std::collections::BTreeMap;

use super::Scope;
use super::finding::{Evidence, Finding, ObjectName};
use crate::cluster::Cluster;
use crate::cluster::budget::{Budget, BudgetIx};
use crate::cluster::owner::Workload;
use crate::cluster::pod::{Pod, PodIx};
use crate::cluster::selector::Selector;
use crate::snapshot::Kind;

pub(super) fn check(scope: &Scope, findings: &mut Vec<Finding>) {
    let cluster = scope.cluster;
    several(scope, findings);
    for budget in &cluster.budgets {
        let mut found = |evidence| findings.push(Finding { object: name(budget, cluster), evidence });
        if budget.health.expected > 0 && budget.health.desired >= budget.health.expected {
            let (expected_pods, desired_healthy) = (budget.health.expected, budget.health.desired);
            found(Evidence::BudgetNeverAllows { expected_pods, desired_healthy });
        }
        if !cluster.pods.iter().any(|pod| pod.is_active() && selects(budget, pod, cluster)) {
            found(Evidence::BudgetSelectsNothing { without_selector: budget.selector == Selector::Nothing });
        } else if budget.selector.is_everything() {
            let own = scope.running.iter().filter(|(of, _)| of.namespace == cluster.text(budget.namespace));
            let (workloads, pods) = own.fold((0, 0), |(n, pods), (_, list)| (n + 1, pods + list.len()));
            if workloads > 1 {
                found(Evidence::BudgetSelectsAll { pods, workloads });
            }
        }
    }
}

/// The eviction API looks at the labels alone. kube-scheduler passes over some budgets, see `preemption::budgets`.
fn selects(budget: &Budget, pod: &Pod, cluster: &Cluster) -> bool {
    budget.namespace == pod.namespace && budget.selector.matches(cluster.labels(pod.labels))
}

/// Workloads of whose pods the eviction API refuses every eviction, because several budgets select them.
fn several(scope: &Scope, findings: &mut Vec<Finding>) {
    let cluster = scope.cluster;
    let mut groups: BTreeMap<(&Workload, Vec<BudgetIx>), usize> = BTreeMap::new();
    for (workload, pods) in &scope.running {
        for pod in pods {
            let budgets = selecting(*pod, cluster);
            if budgets.len() > 1 {
                *groups.entry((workload, budgets)).or_default() += 1;
            }
        }
    }
    for ((workload, budgets), pods) in groups {
        let budgets = budgets.into_iter().map(|ix| cluster.budget(ix).name.to_string()).collect();
        findings.push(Finding { object: workload.into(), evidence: Evidence::SeveralBudgets { budgets, pods } });
    }
}

fn selecting(pod: PodIx, cluster: &Cluster) -> Vec<BudgetIx> {
    let pod = cluster.pod(pod);
    cluster.budget_indices().filter(|ix| selects(cluster.budget(*ix), pod, cluster)).collect()
}

fn name(budget: &Budget, cluster: &Cluster) -> ObjectName {
    ObjectName {
        kind: Kind::PodDisruptionBudget.name().to_owned(),
        namespace: cluster.text(budget.namespace).to_owned(),
        name: budget.name.to_string(),
    }
}

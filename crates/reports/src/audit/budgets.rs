//! Budgets that make evictions fail, or that protect something else than they seem to.

use std::collections::{BTreeMap, BTreeSet};

use super::Scope;
use super::finding::{Evidence, Finding, ObjectName};
use model::cluster::Cluster;
use model::cluster::budget::{Budget, BudgetIx};
use model::cluster::owner::Workload;
use model::cluster::selector::Selector;
use model::cluster::symbols::{PoolIx, Sym};
use model::snapshot::Kind;

pub(super) fn check(scope: &Scope, findings: &mut Vec<Finding>) {
    let cluster = scope.cluster;
    let selecting = selecting(cluster);
    several(scope, &selecting, findings);
    let useful: BTreeSet<BudgetIx> = selecting.into_values().flatten().collect();
    let mut sizes: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (workload, pods) in &scope.running {
        let (workloads, running) = sizes.entry(&workload.namespace).or_default();
        *workloads += 1;
        *running += pods.len();
    }
    for (ix, budget) in cluster.budget_indices().zip(&cluster.budgets) {
        let mut found =
            |evidence| findings.push(Finding { object: name(budget, cluster), evidence });
        if budget.health.expected > 0 && budget.health.desired >= budget.health.expected {
            let (expected_pods, desired_healthy) = (budget.health.expected, budget.health.desired);
            found(Evidence::BudgetNeverAllows { expected_pods, desired_healthy });
        }
        if !useful.contains(&ix) {
            found(Evidence::BudgetSelectsNothing {
                without_selector: budget.selector == Selector::Nothing,
            });
        } else if budget.selector.is_everything()
            && let Some((workloads, pods)) = sizes.get(cluster.text(budget.namespace)).copied()
            && workloads > 1
        {
            found(Evidence::BudgetSelectsAll { pods, workloads });
        }
    }
}

/// The budgets that select the active pods of a namespace with the same labels. The eviction API
/// looks at the labels alone; kube-scheduler passes over some budgets, see `preemption::budgets`.
type Selecting = BTreeMap<(Sym, PoolIx), Vec<BudgetIx>>;

fn selecting(cluster: &Cluster) -> Selecting {
    let mut by_namespace: BTreeMap<Sym, Vec<BudgetIx>> = BTreeMap::new();
    for ix in cluster.budget_indices() {
        by_namespace.entry(cluster.budget(ix).namespace).or_default().push(ix);
    }
    let mut selecting = Selecting::new();
    for pod in cluster.pods.iter().filter(|pod| pod.is_active()) {
        let Some(budgets) = by_namespace.get(&pod.namespace) else { continue };
        selecting.entry((pod.namespace, pod.labels)).or_insert_with(|| {
            let labels = cluster.labels(pod.labels);
            budgets
                .iter()
                .copied()
                .filter(|ix| cluster.budget(*ix).selector.matches(labels))
                .collect()
        });
    }
    selecting
}

/// Workloads of whose pods the eviction API refuses every eviction, because several budgets select
/// them.
fn several(scope: &Scope, selecting: &Selecting, findings: &mut Vec<Finding>) {
    let cluster = scope.cluster;
    let mut groups: BTreeMap<(&Workload, &[BudgetIx]), usize> = BTreeMap::new();
    for (workload, pods) in &scope.running {
        for pod in scope.pods(pods) {
            let budgets =
                selecting.get(&(pod.namespace, pod.labels)).map_or(&[][..], Vec::as_slice);
            if budgets.len() > 1 {
                *groups.entry((workload, budgets)).or_default() += 1;
            }
        }
    }
    for ((workload, budgets), pods) in groups {
        let budgets = budgets.iter().map(|ix| cluster.budget(*ix).name.to_string()).collect();
        findings.push(Finding {
            object: workload.into(),
            evidence: Evidence::SeveralBudgets { budgets, pods },
        });
    }
}

fn name(budget: &Budget, cluster: &Cluster) -> ObjectName {
    ObjectName {
        kind: Kind::PodDisruptionBudget.name().to_owned(),
        namespace: cluster.text(budget.namespace).to_owned(),
        name: budget.name.to_string(),
    }
}

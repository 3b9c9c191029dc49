//! Budgets that make evictions fail, or that do not protect what they seem to.

use json::audit::{Check as CheckName, Evidence};
use std::collections::BTreeMap;

use super::NAMED;
use super::check::{BUDGETS, Check, Finding, ObjectName};
use super::scope::AuditScope;
use model::cluster::owner::Workload;
use model::cluster::selector::Selector;
use model::cluster::{Budget, BudgetIx, Cluster};
use model::notes::Severity;
use model::snapshot::Kind;
use model::words::{count, list};

pub(super) static CHECKS: &[&Check] = &[&SEVERAL, &NEVER_ALLOWS, &SELECTS_ALL, &SELECTS_NOTHING];

/// A check of one budget. Budgets that could not be read at all produce no findings.
const OF_BUDGET: Check =
    Check { needs: BUDGETS, rests_on: |found| vec![&found.object.name], ..Check::OF_PODS };

fn finding(
    check: &'static Check,
    budget: &Budget,
    cluster: &Cluster,
    evidence: Evidence,
) -> Finding {
    let object = ObjectName {
        kind: Kind::PodDisruptionBudget.name().to_owned(),
        namespace: cluster.text(budget.namespace).to_owned(),
        name: budget.name.to_string(),
    };
    Finding { check, object, evidence }
}

static SEVERAL: Check = Check {
    code: "AUD-101",
    name: CheckName::SeveralBudgets,
    severity: Severity::Error,
    title: "Several PodDisruptionBudgets select the same pods",
    meaning: "The eviction API refuses every eviction of such a pod, so kubectl drain and descheduling fail. kube-scheduler \
              preempts it all the same.",
    fix: "delete all budgets but one, or change their selectors so that no pod has two",
    find: several,
    clause: |evidence| {
        let Evidence::SeveralBudgets { budgets, pods } = evidence else { return None };
        let (budgets, pods) = (list(budgets, NAMED), count(*pods, "running pod"));
        Some(format!("PodDisruptionBudgets {budgets} select {pods}"))
    },
    rests_on: |found| match &found.evidence {
        Evidence::SeveralBudgets { budgets, .. } => budgets.iter().map(String::as_str).collect(),
        _ => Vec::new(),
    },
    ..OF_BUDGET
};

/// Workloads whose evictions the eviction API always refuses, because several budgets select their
/// pods.
fn several(scope: &AuditScope) -> Vec<Finding> {
    let cluster = scope.cluster;
    let selecting = scope.selecting();
    let mut groups: BTreeMap<(&Workload, &[BudgetIx]), usize> = BTreeMap::new();
    for (workload, pods) in &scope.running {
        for pod in scope.pods(pods) {
            let budgets = selecting.of_pod(pod);
            if budgets.len() > 1 {
                *groups.entry((workload, budgets)).or_default() += 1;
            }
        }
    }
    groups
        .into_iter()
        .map(|((workload, budgets), pods)| {
            let budgets = budgets.iter().map(|ix| cluster.budget(*ix).name.to_string()).collect();
            let evidence = Evidence::SeveralBudgets { budgets, pods };
            Finding { check: &SEVERAL, object: workload.into(), evidence }
        })
        .collect()
}

static NEVER_ALLOWS: Check = Check {
    code: "AUD-102",
    name: CheckName::BudgetNeverAllows,
    title: "A PodDisruptionBudget never allows a disruption",
    meaning: "The budget requires all of its pods to stay, so every eviction through the API fails, also that of a drain. \
              kube-scheduler counts each preemption of such a pod as a violation, and preempts it if nothing else helps.",
    fix: "lower minAvailable, raise maxUnavailable, or add a replica",
    find: never_allows,
    clause: |evidence| {
        let Evidence::BudgetNeverAllows { expected_pods, desired_healthy } = evidence else {
            return None;
        };
        let expected = count(usize::try_from(*expected_pods).unwrap_or(0), "pod");
        Some(format!("{desired_healthy} of {expected} have to stay healthy"))
    },
    reads_pods: false,
    ..OF_BUDGET
};

/// Budgets that allow no disruption even while all of their pods are healthy.
fn never_allows(scope: &AuditScope) -> Vec<Finding> {
    let mut findings = Vec::new();
    for budget in &scope.cluster.budgets {
        let (expected_pods, desired_healthy) = (budget.health.expected, budget.health.desired);
        if expected_pods > 0 && desired_healthy >= expected_pods {
            let evidence = Evidence::BudgetNeverAllows { expected_pods, desired_healthy };
            findings.push(finding(&NEVER_ALLOWS, budget, scope.cluster, evidence));
        }
    }
    findings
}

static SELECTS_ALL: Check = Check {
    code: "AUD-103",
    name: CheckName::BudgetSelectsAll,
    title: "A PodDisruptionBudget selects every pod of its namespace",
    meaning: "An empty selector selects all pods of the namespace, of different workloads: one disruption counts against all \
              of them. kube-scheduler up to 1.37 passes over a budget with an empty selector.",
    fix: "write a budget for each workload, with a selector of its own",
    find: selects_all,
    clause: |evidence| {
        let Evidence::BudgetSelectsAll { pods, workloads } = evidence else { return None };
        let (pods, workloads) = (count(*pods, "running pod"), count(*workloads, "workload"));
        Some(format!("selects {pods} of {workloads}"))
    },
    ..OF_BUDGET
};

/// What runs in a namespace.
#[derive(Default)]
struct Size {
    workloads: usize,
    pods: usize,
}

/// Budgets with an empty selector, where more than one workload runs.
fn selects_all(scope: &AuditScope) -> Vec<Finding> {
    let cluster = scope.cluster;
    let mut sizes: BTreeMap<&str, Size> = BTreeMap::new();
    for (workload, pods) in &scope.running {
        let size = sizes.entry(&workload.namespace).or_default();
        size.workloads += 1;
        size.pods += pods.len();
    }
    let useful = scope.selecting().useful();
    let mut findings = Vec::new();
    for (ix, budget) in cluster.budget_indices().zip(&cluster.budgets) {
        if !useful.contains(&ix) || !budget.selector.is_everything() {
            continue;
        }
        let Some(Size { workloads, pods }) = sizes.get(cluster.text(budget.namespace)) else {
            continue;
        };
        if *workloads > 1 {
            let evidence = Evidence::BudgetSelectsAll { pods: *pods, workloads: *workloads };
            findings.push(finding(&SELECTS_ALL, budget, cluster, evidence));
        }
    }
    findings
}

static SELECTS_NOTHING: Check = Check {
    code: "AUD-104",
    name: CheckName::BudgetSelectsNothing,
    severity: Severity::Info,
    title: "A PodDisruptionBudget selects no pod",
    meaning: "The budget protects nothing. Its selector may have a typing error.",
    fix: "correct the selector, or delete the budget",
    find: selects_nothing,
    clause: |evidence| {
        let Evidence::BudgetSelectsNothing { without_selector } = evidence else { return None };
        Some(if *without_selector {
            "has no selector that selects anything".to_owned()
        } else {
            "no pod of its namespace has these labels".to_owned()
        })
    },
    is_of_absence: true,
    ..OF_BUDGET
};

fn selects_nothing(scope: &AuditScope) -> Vec<Finding> {
    let cluster = scope.cluster;
    let useful = scope.selecting().useful();
    let mut findings = Vec::new();
    for (ix, budget) in cluster.budget_indices().zip(&cluster.budgets) {
        if !useful.contains(&ix) {
            let without_selector = budget.selector == Selector::Nothing;
            let evidence = Evidence::BudgetSelectsNothing { without_selector };
            findings.push(finding(&SELECTS_NOTHING, budget, cluster, evidence));
        }
    }
    findings
}

#[cfg(test)]
pub(super) mod tests {
    use serde_json::json;

    use crate::audit::tests::{Example, counted, web};
    use testing::{budget, objects};

    pub(in crate::audit) fn examples() -> Vec<Example> {
        let one = || counted("a", 0, 1);
        let all = || budget("all").selector(json!({}));
        // A budget meant for the only workload of its namespace is fine.
        let alone = web("w").ns("shop");
        vec![
            Example {
                code: "AUD-101",
                found: objects![web("w"), one(), counted("b", 0, 1)],
                clean: objects![web("w"), one()],
            },
            Example {
                code: "AUD-102",
                found: objects![web("w"), counted("a", 1, 1)],
                clean: objects![web("w"), web("w2"), counted("a", 1, 2)],
            },
            Example {
                code: "AUD-103",
                found: objects![web("w"), all()],
                clean: objects![alone, all().ns("shop")],
            },
            Example {
                code: "AUD-104",
                found: objects![web("w"), budget("b").selects("app", "wbe")],
                clean: objects![web("w"), counted("b", 0, 1)],
            },
        ]
    }
}

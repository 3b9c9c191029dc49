//! Edits of pods and budgets.

use super::{EditError, PreemptionPolicy, invalid_amount, missing};
use crate::cluster::Cluster;
use crate::cluster::budget::BudgetIx;
use crate::cluster::pod::PodIx;
use crate::cluster::priority_class::SYSTEM_CLASSES;
use crate::cluster::symbols::Sym;
use crate::snapshot::Kind;

/// Removes a pod that is not one of those in question.
pub(super) fn remove(cluster: &mut Cluster, namespace: &str, name: &str, asked: &[PodIx]) -> Result<(), EditError> {
    let found = cluster.find_pod(namespace, name).filter(|pod| cluster.pod(*pod).is_active());
    let pod = found.ok_or_else(|| missing(Kind::Pod, &format!("{namespace}/{name}")))?;
    if asked.contains(&pod) {
        return Err(EditError::Value(format!("pod {namespace}/{name} is the one to place: it cannot be removed")));
    }
    cluster.remove_pod(pod);
    Ok(())
}

pub(super) fn set_budget(cluster: &mut Cluster, namespace: &str, name: &str, allowed: i64) -> Result<(), EditError> {
    let is_it = |b: &BudgetIx| {
        let budget = cluster.budget(*b);
        *budget.name == *name && cluster.text(budget.namespace) == namespace
    };
    let found = cluster.budget_indices().find(is_it);
    let budget = found.ok_or_else(|| missing(Kind::PodDisruptionBudget, &format!("{namespace}/{name}")))?;
    cluster.set_disruptions_allowed(budget, allowed);
    Ok(())
}

pub(super) fn set_priority(cluster: &mut Cluster, pod: PodIx, priority: i32) {
    cluster.set_priority(pod, priority);
    // The class would have set another one.
    cluster.change_template(pod, |template, _| template.priority_class = Sym::EMPTY);
}

pub(super) fn set_class(cluster: &mut Cluster, pod: PodIx, name: &str) -> Result<(), EditError> {
    let known = cluster.priority_classes.iter().find(|class| cluster.text(class.name) == name);
    let of_system = SYSTEM_CLASSES.iter().find(|(system, _)| *system == name).map(|(_, value)| (*value, false));
    let found = known.map(|class| (class.value, class.never_preempts)).or(of_system);
    let (value, never) = found.ok_or_else(|| missing(Kind::PriorityClass, name))?;
    cluster.set_priority(pod, i32::try_from(value).unwrap_or(i32::MAX));
    cluster.change_template(pod, |template, symbols| {
        template.priority_class = symbols.intern(name);
        template.never_preempts = never;
    });
    Ok(())
}

pub(super) fn set_policy(cluster: &mut Cluster, pod: PodIx, policy: PreemptionPolicy) {
    let never = policy == PreemptionPolicy::Never;
    cluster.change_template(pod, |template, _| template.never_preempts = never);
}

pub(super) fn set_request(cluster: &mut Cluster, pod: PodIx, resource: &str, amount: &str) -> Result<(), EditError> {
    cluster.set_request(pod, resource, amount).map_err(|e| invalid_amount(resource, amount, e))
}

//! Edits of pods and budgets.

use super::{EditError, PreemptionPolicy, invalid_amount, missing};
use crate::cluster::Cluster;
use crate::cluster::pod::PodIx;
use crate::cluster::pod_group::PodGroup;
use crate::cluster::priority_class::SYSTEM_CLASSES;
use crate::cluster::symbols::Sym;
use crate::snapshot::Kind;

/// Removes a pod that is not one of those in question.
pub(super) fn remove(
    cluster: &mut Cluster,
    namespace: &str,
    name: &str,
    asked: &[PodIx],
) -> Result<(), EditError> {
    let pod_of_name = cluster.find_pod(namespace, name).filter(|pod| cluster.pod(*pod).is_active());
    let pod = pod_of_name.ok_or_else(|| missing(Kind::Pod, &format!("{namespace}/{name}")))?;
    if asked.contains(&pod) {
        return Err(EditError::Value(format!(
            "pod {namespace}/{name} is the one to place: it cannot be removed"
        )));
    }
    cluster.remove_pod(pod);
    Ok(())
}

pub(super) fn set_budget(
    cluster: &mut Cluster,
    namespace: &str,
    name: &str,
    allowed: i64,
) -> Result<(), EditError> {
    let budget_of_name = cluster.budget_indices().find(|b| {
        let budget = cluster.budget(*b);
        *budget.name == *name && cluster.text(budget.namespace) == namespace
    });
    let budget = budget_of_name
        .ok_or_else(|| missing(Kind::PodDisruptionBudget, &format!("{namespace}/{name}")))?;
    cluster.set_disruptions_allowed(budget, allowed);
    Ok(())
}

/// Changes the pod's PodGroup, if any, which has a priority and a policy of its own.
fn change_group(cluster: &mut Cluster, pod: PodIx, change: impl FnOnce(&mut PodGroup)) {
    let group_of_pod = cluster.group_of(pod);
    if let Some(group) = group_of_pod.and_then(|ix| cluster.pod_groups.get_mut(ix.0 as usize)) {
        change(group);
    }
}

pub(super) fn set_priority(cluster: &mut Cluster, pod: PodIx, priority: i32) {
    cluster.set_priority(pod, priority);
    change_group(cluster, pod, |group| group.own_priority = Some(priority));
    // The class would have set a different one.
    cluster.change_template(pod, |template, _| template.priority_class = Sym::EMPTY);
}

pub(super) fn set_class(cluster: &mut Cluster, pod: PodIx, name: &str) -> Result<(), EditError> {
    let of_input = cluster.priority_classes.iter().find(|class| cluster.text(class.name) == name);
    let of_system =
        SYSTEM_CLASSES.iter().find(|(system, _)| *system == name).map(|(_, value)| (*value, false));
    let class = of_input.map(|class| (class.value, class.never_preempts)).or(of_system);
    let (value, never) = class.ok_or_else(|| missing(Kind::PriorityClass, name))?;
    let priority = i32::try_from(value).unwrap_or(i32::MAX);
    cluster.set_priority(pod, priority);
    change_group(cluster, pod, |group| {
        group.own_priority = Some(priority);
        group.never_preempts = group.never_preempts.map(|_| never);
    });
    cluster.change_template(pod, |template, symbols| {
        template.priority_class = symbols.intern(name);
        template.never_preempts = never;
    });
    Ok(())
}

pub(super) fn set_policy(cluster: &mut Cluster, pod: PodIx, policy: PreemptionPolicy) {
    let never = policy == PreemptionPolicy::Never;
    cluster.change_template(pod, |template, _| template.never_preempts = never);
    change_group(cluster, pod, |group| group.never_preempts = Some(never));
}

/// Removes what keeps a pod from preempting: its scheduling gates, and `preemptionPolicy: Never` of
/// it and of its group.
pub fn allow_preemption(cluster: &mut Cluster, pod: PodIx) {
    cluster.change_template(pod, |template, _| {
        template.never_preempts = false;
        template.gates = Box::default();
    });
    change_group(cluster, pod, |group| group.never_preempts = group.never_preempts.map(|_| false));
}

pub(super) fn set_scheduler(cluster: &mut Cluster, pod: PodIx, name: &str) {
    cluster.change_template(pod, |template, symbols| {
        template.scheduler_name = symbols.intern(name);
    });
}

pub(super) fn set_request(
    cluster: &mut Cluster,
    pod: PodIx,
    resource: &str,
    amount: &str,
) -> Result<(), EditError> {
    cluster.set_request(pod, resource, amount).map_err(|e| invalid_amount(resource, amount, e))
}

//! The victims of a plan: in which order they are evicted, which budgets that uses up, and which
//! hazards there are.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::afterwards;
use super::hazard::Hazard;
use super::plan::{Afterwards, BudgetUse, PlannedVictim, PodId};
use model::cluster::priority_class::SYSTEM_CLASSES;
use model::cluster::{BudgetIx, Cluster, PodIx};
use profile::Features;
use profile::history::Preemption;
use scheduler::framework::cluster_view::ClusterView;
use scheduler::preemption::budgets::{BudgetIndex, Budgets};
use scheduler::preemption::importance;
use scheduler::preemption::units::Units;

/// The lowest priority of system-critical pods.
///
/// Upstream: `pkg/apis/scheduling/types.go` `SystemCriticalPriority` (1.37).
const SYSTEM_CRITICAL: i32 = 2_000_000_000;

/// The budgets that the eviction API checks, including those that the scheduler ignores.
///
/// Upstream: `pkg/registry/core/pod/storage/eviction.go` `getPodDisruptionBudgets` (1.37).
pub(crate) fn protecting(cluster: &Cluster, features: &Features) -> BudgetIndex {
    let all = Preemption {
        budgets_select_everything: true,
        budgets_know_disrupted: false,
        ..features.preemption.clone()
    };
    BudgetIndex::new(cluster, &all)
}

/// `pods` as the victims of a preemptor of this priority, the least important first.
pub(super) fn planned(
    view: &ClusterView,
    priority: i32,
    pods: &[PodIx],
    now: Timestamp,
) -> Vec<PlannedVictim> {
    let cluster = view.cluster;
    let all_units = Units::new(cluster, view.profile);
    let mut units = all_units.of(pods);
    importance::sort(&mut units, cluster, now, &view.profile.features.preemption);
    let order = units.into_iter().rev().flat_map(|unit| unit.pods.into_iter().rev());
    let index = protecting(cluster, &view.profile.features);
    let mut remaining: BTreeMap<BudgetIx, i64> = BTreeMap::new();
    let mut planned = Vec::with_capacity(pods.len());
    for ix in order {
        let pod = cluster.pod(ix);
        // A budget has already counted a pod that is being deleted.
        let protecting = if pod.is_terminating() { Budgets::new() } else { index.of(pod, cluster) };
        let mut budgets = Vec::with_capacity(protecting.len());
        for budget in protecting {
            let facts = cluster.budget(budget);
            let allowed = remaining.entry(budget).or_insert(facts.allowed);
            let before = *allowed;
            *allowed -= 1;
            budgets.push(BudgetUse {
                namespace: cluster.text(facts.namespace).to_owned(),
                name: facts.name.to_string(),
                before,
                after: *allowed,
            });
        }
        let afterwards = cluster
            .node_of(ix)
            .map_or(Afterwards::Unknown, |node| afterwards::of(ix, node, cluster));
        let is_lower = all_units.priority(pod) < priority;
        planned.push(PlannedVictim {
            pod: PodId::of(pod, cluster),
            resource_version: pod.resource_version.to_string(),
            node: cluster.text(pod.node_name).to_owned(),
            priority: pod.priority,
            grace_seconds: pod.grace_seconds.max(0),
            terminating_until: pod.deletion,
            owners: afterwards::owners(pod, cluster),
            hazards: hazards(view, ix, is_lower, &afterwards, &budgets, now),
            budgets,
            afterwards,
        });
    }
    planned
}

fn hazards(
    view: &ClusterView,
    ix: PodIx,
    is_lower: bool,
    afterwards: &Afterwards,
    budgets: &[BudgetUse],
    now: Timestamp,
) -> Vec<Hazard> {
    let cluster = view.cluster;
    let pod = cluster.pod(ix);
    let template = cluster.template(pod);
    let class = cluster.text(template.priority_class);
    let scheduler = template.scheduler_name;
    let ours = view.profile.all_names.iter().any(|name| name == cluster.text(scheduler));
    let mut hazards = Vec::new();
    if pod.is_terminating() {
        // The budget has already counted the deletion.
        if pod.deletion.is_some_and(|due| due < now) {
            hazards.push(Hazard::Stuck);
        }
        if matches!(afterwards, Afterwards::Pinned(_)) {
            hazards.push(Hazard::ComesBack);
        }
        return hazards;
    }
    match afterwards {
        Afterwards::Gone => hazards.push(Hazard::Bare),
        Afterwards::Static => hazards.push(Hazard::Mirror),
        Afterwards::Pinned(_) => hazards.push(Hazard::ComesBack),
        Afterwards::Replaced | Afterwards::Retried | Afterwards::Unknown => {}
    }
    if !template.empty_dirs.is_empty() {
        hazards.push(Hazard::EmptyDir);
    }
    if SYSTEM_CLASSES.iter().any(|(name, _)| *name == class) {
        hazards.push(Hazard::SystemCritical(class.to_owned()));
    } else if pod.priority >= SYSTEM_CRITICAL {
        hazards.push(Hazard::SystemCritical(format!("priority {}", pod.priority)));
    }
    if !is_lower {
        hazards.push(Hazard::PriorityNotLower);
    }
    if !ours && !matches!(afterwards, Afterwards::Gone | Afterwards::Static) {
        hazards.push(Hazard::OtherScheduler(cluster.text(scheduler).to_owned()));
    }
    if budgets.len() > 1 {
        hazards.push(Hazard::SeveralBudgets);
    }
    let guards = cluster.eviction_guards(pod);
    if !guards.is_empty() {
        hazards.push(Hazard::Guarded(guards));
    }
    hazards
}

#[cfg(test)]
mod tests {
    use scheduler::framework::cluster_view::ClusterView;
    use testing::{NOW, at, cluster, find, node, objects, pod};

    use super::planned;
    use crate::hazard::Hazard;

    /// No candidate has such a victim; a plan would still report one.
    #[test]
    fn a_priority_that_is_not_lower_is_a_hazard() {
        let cluster = cluster(objects![
            node("n").cpu("4"),
            pod("equal").replica_of("web").priority(10).cpu("1").on("n"),
            pod("lower").replica_of("web").priority(9).cpu("1").on("n"),
        ]);
        let profile = at("1.37").profile();
        let view = ClusterView::new(&cluster, &profile);
        let now = NOW.parse().expect("a time");
        let of = |name| {
            let victims = planned(&view, 10, &[find(&cluster, name)], now);
            victims.into_iter().flat_map(|victim| victim.hazards).collect::<Vec<Hazard>>()
        };
        assert_eq!(of("equal"), [Hazard::PriorityNotLower]);
        assert_eq!(of("lower"), []);
    }
}

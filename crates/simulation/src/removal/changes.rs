//! What an administrator may change so that a drain which budgets stop, or a loss that leaves a
//! workload without a Ready pod, ends better. Each change is applied to the cluster first, and the
//! same is played again: what does not help is not told.

use std::collections::BTreeSet;

use super::reasons::RemovalObstacle;
use super::{NodesRemoval, RemovalRequest, Search};
use crate::eviction::BudgetState;
use crate::plan::PodId;
use crate::sequence::{DrainChange, DrainSequence, ReplicaLimits, SimulationSettings, add_replica};
use model::cluster::Cluster;
use model::cluster::budget::{BudgetLimit, UnhealthyPods};
use model::cluster::pod::Readiness;

/// Maximum number of nodes of a drain for which changes are tried.
pub const MOST_NODES: usize = 20;
/// The kinds of workloads in which one pod does the work of another. In a StatefulSet each has its own
/// data: one more would satisfy a budget, and replace nothing.
const SCALED: [&str; 3] = ["Deployment", "ReplicaSet", "ReplicationController"];

/// Changes of all budgets that stop the drain; empty if none is known that helps.
pub(super) fn of(
    cluster: &Cluster,
    removal: &NodesRemoval,
    request: RemovalRequest,
) -> Vec<DrainChange> {
    // Only budgets that never open up are changed: one that waits for a pod without a node opens up
    // once that pod has one.
    let mut blocked: Vec<(&BudgetState, BTreeSet<String>)> = Vec::new();
    for obstacle in removal.nodes.iter().flat_map(|node| &node.obstacles) {
        match &obstacle.reason {
            RemovalObstacle::Budget { budget, pods, waits_for } if waits_for.is_empty() => {
                let names = pods.iter().map(PodId::full_name);
                match blocked.iter_mut().find(|(other, _)| other.budget == budget.budget) {
                    Some((_, pods)) => pods.extend(names),
                    None => blocked.push((budget, names.collect())),
                }
            }
            RemovalObstacle::Budget { .. } | RemovalObstacle::NoNode { .. } => {}
            _ => return Vec::new(),
        }
    }
    if blocked.is_empty() || removal.nodes.len() > MOST_NODES {
        return Vec::new();
    }

    // A replica more costs nobody anything, so it is tried first; then every budget is changed.
    for with_replicas in [true, false] {
        let mut changed = cluster.clone();
        for name in request.nodes {
            if let Some(node) = changed.find_node(name) {
                changed.cordon(node, true);
            }
        }
        let mut changes = Vec::with_capacity(blocked.len());
        for (budget, pods) in &blocked {
            let replica =
                if with_replicas { replica(budget, pods, &mut changed, request) } else { None };
            changes.extend(replica.or_else(|| of_budget(budget, pods, &mut changed)));
        }
        let has_replica = changes.iter().any(|one| {
            matches!(one, DrainChange::Replica { .. } | DrainChange::MinReplicas { .. })
        });
        let is_new = has_replica || !with_replicas;
        if changes.len() == blocked.len() && is_new && drains(&changed, removal, request) {
            return changes;
        }
    }
    Vec::new()
}

/// Whether every drain ends in the changed cluster, and leaves no more pods Pending than before.
fn drains(changed: &Cluster, removal: &NodesRemoval, request: RemovalRequest) -> bool {
    let settings = SimulationSettings::new(request.profiles, request.now).following(super::DEPTH);
    let start = DrainSequence::new(changed.clone(), settings);
    let search = Search::new(start, request);
    let played = search.judge(search.order());
    let obstacles = || played.nodes.iter().flat_map(|node| &node.obstacles);
    let is_pending = |reason: &RemovalObstacle| matches!(reason, RemovalObstacle::NoNode { .. });
    let before = removal.nodes.iter().flat_map(|node| &node.obstacles);
    let before = before.filter(|obstacle| is_pending(&obstacle.reason)).count();
    obstacles().all(|obstacle| is_pending(&obstacle.reason))
        && obstacles().count() <= before
        && played.nodes.iter().all(|node| node.play.stuck_or_refused().next().is_none())
}

/// One replica more, if the budget then allows an eviction. Its pods must be those of one workload.
fn replica(
    state: &BudgetState,
    pods: &BTreeSet<String>,
    cluster: &mut Cluster,
    request: RemovalRequest,
) -> Option<DrainChange> {
    let (expected, healthy) = (state.expected + 1, state.healthy + 1);
    let desired = cluster.budget(state.budget).limit.desired(expected)?;
    if healthy <= desired {
        return None;
    }
    let settings = SimulationSettings::new(request.profiles, request.now);
    let mut changed = cluster.clone();
    let change = one_more(pods, &mut changed, settings)?;
    changed.change_budget(state.budget, |budget| {
        budget.health.expected = expected;
        budget.health.current = healthy;
        budget.health.desired = desired;
    });
    *cluster = changed;
    Some(change)
}

/// Adds a pod to the workload of these pods, `ns/name`; `None` if they have several, if one
/// more pod would not do the work of these, or does not fit without evictions.
pub fn one_more(
    pods: &BTreeSet<String>,
    cluster: &mut Cluster,
    settings: SimulationSettings,
) -> Option<DrainChange> {
    let mut found = Vec::with_capacity(pods.len());
    for name in pods {
        let (namespace, name) = name.split_once('/')?;
        found.push(cluster.find_pod(namespace, name)?);
    }
    let model = *found.first()?;
    let workload = cluster.workload(cluster.pod(model));
    let is_of_workload = |pod| cluster.workload(cluster.pod(pod)) == workload;
    // Whether a quota admits one more pod is not tried.
    let has_quota =
        cluster.quotas.iter().any(|quota| *cluster.text(quota.namespace) == *workload.namespace);
    if has_quota
        || !SCALED.contains(&&*workload.kind)
        || !found.iter().all(|pod| is_of_workload(*pod))
    {
        return None;
    }
    let running =
        cluster.pod_indices().filter(|pod| cluster.pod(*pod).is_active() && is_of_workload(*pod));
    let running = i64::try_from(running.count()).unwrap_or(i64::MAX);
    let wanted = cluster.pod_controllers.iter().find(|one| {
        cluster.text(one.kind) == workload.kind
            && cluster.text(one.namespace) == workload.namespace
            && cluster.text(one.name) == workload.name
    });
    let replicas = wanted.and_then(|one| one.wanted).unwrap_or(running).saturating_add(1);
    if !add_replica(cluster, model, settings) {
        return None;
    }
    let autoscaler = cluster.pod_autoscalers.iter().find(|one| {
        cluster.text(one.target_kind) == workload.kind
            && cluster.text(one.namespace) == workload.namespace
            && cluster.text(one.target) == workload.name
    });
    Some(if let Some(one) = autoscaler {
        DrainChange::MinReplicas {
            autoscaler: cluster.text(one.name).to_owned(),
            replicas,
            before: ReplicaLimits { min: one.min_replicas, max: one.max_replicas },
            workload,
        }
    } else {
        let mut of_namespace = cluster.pod_autoscalers.iter();
        let may_be_scaled =
            !of_namespace.any(|one| cluster.text(one.namespace) == workload.namespace);
        DrainChange::Replica { workload, replicas, may_be_scaled }
    })
}

/// Has the budget permit one eviction at a time; `None` if no change of its spec does.
fn of_budget(
    state: &BudgetState,
    pods: &BTreeSet<String>,
    cluster: &mut Cluster,
) -> Option<DrainChange> {
    if state.sync_error.is_some() || state.expected == 0 {
        return None;
    }
    let BudgetState { namespace, name, budget, .. } = state.clone();
    // Pods that are not Ready do no work: their eviction needs no room in the budget.
    let is_unready = |pod: &String| {
        let pod = pod.split_once('/').and_then(|(space, name)| cluster.find_pod(space, name));
        pod.is_some_and(|pod| cluster.pod(pod).readiness != Readiness::Ready)
    };
    if state.unhealthy_pods == UnhealthyPods::IfHealthyBudget && pods.iter().all(is_unready) {
        cluster.change_budget(budget, |budget| budget.unhealthy_pods = UnhealthyPods::AlwaysAllow);
        return Some(DrainChange::EvictUnready { namespace, name });
    }
    // One more than are not healthy already.
    let pods = 1 + (state.expected - state.healthy).max(0);
    let before = cluster.budget(budget).limit.clone();
    let least = (state.expected - pods).max(0);
    cluster.change_budget(budget, |budget| budget.health.desired = least);
    // With maxUnavailable the disruption controller needs the scale of every pod's controller.
    if let BudgetLimit::MinAvailable(number) = &before
        && let Ok(before) = number.parse()
    {
        return Some(DrainChange::MinAvailable { namespace, name, least, before });
    }
    Some(DrainChange::MaxUnavailable { namespace, name, pods, before })
}

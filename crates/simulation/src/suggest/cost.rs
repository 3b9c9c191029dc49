//! The cost of restarting a pod elsewhere, and which of two sets of moves is cheaper.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::plan::Afterwards;
use crate::{afterwards, movable};
use model::cluster::{Cluster, NodeIx, PodIx, Sym};

/// The cost of restarting a pod.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct RestartCost {
    /// Whether work is lost for good: the data of an `emptyDir`, or the progress of a Job's pod.
    pub loses_work: bool,
    /// Whether it is the only running pod of its controller, so that nothing serves meanwhile.
    pub only_replica: bool,
    /// Its grace period in seconds.
    pub grace_seconds: i64,
}

/// How many pods each controller runs.
pub(super) struct Restarts {
    replicas: BTreeMap<(Sym, Sym, Sym), usize>,
}

impl Restarts {
    pub(super) fn new(cluster: &Cluster) -> Self {
        let mut replicas: BTreeMap<(Sym, Sym, Sym), usize> = BTreeMap::new();
        for pod in cluster.pods.iter().filter(|pod| pod.is_running()) {
            if let Some(owner) = pod.controller {
                *replicas.entry((pod.namespace, owner.kind, owner.name)).or_default() += 1;
            }
        }
        Self { replicas }
    }

    pub(super) fn of(&self, pod: PodIx, cluster: &Cluster) -> RestartCost {
        let facts = cluster.pod(pod);
        let of_job = facts.controller.is_some_and(|owner| cluster.text(owner.kind) == "Job");
        let key = facts.controller.map(|owner| (facts.namespace, owner.kind, owner.name));
        let replicas = key.and_then(|key| self.replicas.get(&key));
        RestartCost {
            loses_work: !cluster.template(facts).empty_dirs.is_empty() || of_job,
            only_replica: replicas.is_none_or(|replicas| *replicas < 2),
            grace_seconds: facts.grace_seconds.max(0),
        }
    }
}

/// Orders sets of moves: by their number, then by the priorities of the pods, the highest first,
/// then by the total cost of the restarts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct MoveCost {
    moves: usize,
    priorities: Vec<i32>,
    lose_work: usize,
    only_replicas: usize,
    grace_seconds: i64,
}

impl MoveCost {
    pub(super) fn of(pods: &[PodIx], cluster: &Cluster, restarts: &Restarts) -> Self {
        let mut priorities: Vec<i32> = pods.iter().map(|pod| cluster.pod(*pod).priority).collect();
        priorities.sort_by_key(|priority| Reverse(*priority));
        let mut cost = Self {
            moves: pods.len(),
            priorities,
            lose_work: 0,
            only_replicas: 0,
            grace_seconds: 0,
        };
        for pod in pods {
            let restart = restarts.of(*pod, cluster);
            cost.lose_work += usize::from(restart.loses_work);
            cost.only_replicas += usize::from(restart.only_replica);
            cost.grace_seconds = cost.grace_seconds.saturating_add(restart.grace_seconds);
        }
        cost
    }
}

/// Whether a pod may move at all: a controller recreates it on any node, and the scheduler in
/// question places it.
pub(super) fn may_move(pod: PodIx, node: NodeIx, scheduler: &str, cluster: &Cluster) -> bool {
    let facts = cluster.pod(pod);
    movable::is_movable(facts, cluster)
        && cluster.text(cluster.template(facts).scheduler_name) == scheduler
        && matches!(afterwards::of(pod, node, cluster), Afterwards::Replaced | Afterwards::Retried)
}

//! How the controller of a changed workload replaces its pods: what its strategy permits, and which
//! pods it removes first. [`super::sequence::roll_out`] plays it.
//!
//! Upstream: `pkg/controller/deployment/util/deployment_util.go` `ResolveFenceposts`,
//! `pkg/controller/controller_utils.go` `ActivePodsWithRanks`,
//! `pkg/controller/daemon/util/daemonset_util.go` (1.37).

use std::cmp::Reverse;
use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::Value;

pub use crate::admission::{PodCharge, PodCharges};
use model::cluster::pod::{Readiness, annotations};
use model::cluster::{Cluster, PodIx, Sym};

/// Namespace and name of a pod.
pub type PodName = (String, String);

pub(crate) fn pod_name(pod: PodIx, cluster: &Cluster) -> PodName {
    let facts = cluster.pod(pod);
    (cluster.text(facts.namespace).to_owned(), facts.name.to_string())
}

/// What is added to the name of a pod that another one with the same name replaces.
pub const OLD: &str = " (old)";

/// How a controller replaces pods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// A Deployment replaces its pods step by step.
    Rolling { surge: usize, max_unavailable: usize },
    /// A Deployment removes all old pods first.
    Recreate,
    /// A StatefulSet replaces the pods from the highest ordinal down to the first one plus
    /// `partition`.
    Ordinals { partition: usize, max_unavailable: usize },
    /// A DaemonSet replaces the pod of each node.
    PerNode { surge: usize, max_unavailable: usize },
    /// Old pods stay: only their number changes, or their controller replaces none by itself.
    Keep,
    /// All pods leave once everything else is applied.
    Delete,
}

/// A workload whose pods change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rollout {
    /// Its index in [`super::sequence::Simulation::changes`].
    pub change: usize,
    pub strategy: Strategy,
    /// How many pods it wants.
    pub wanted: usize,
    /// Its pods of the old template that are there.
    pub old: Vec<PodName>,
    /// Pods like the old ones that a scale-up makes.
    pub more: Vec<PodName>,
    /// The pods of the new template, in the order in which they are made.
    pub new: Vec<PodName>,
    /// Whether a StatefulSet makes its pods one after the other.
    pub one_by_one: bool,
}

/// How a percentage of pods becomes a number.
#[derive(Debug, Clone, Copy)]
enum Rounded {
    Up,
    Down,
}

/// A number, or a percentage of `whole`.
fn scaled(value: Option<&Value>, default: &str, whole: usize, rounded: Rounded) -> usize {
    let text = match value {
        Some(Value::Number(number)) => {
            return number.as_u64().and_then(|n| usize::try_from(n).ok()).unwrap_or_default();
        }
        Some(Value::String(text)) => text.as_str(),
        _ => default,
    };
    match text.strip_suffix('%') {
        Some(percent) => {
            let product = percent.trim().parse::<usize>().unwrap_or_default() * whole;
            match rounded {
                Rounded::Up => product.div_ceil(100),
                Rounded::Down => product / 100,
            }
        }
        None => text.parse().unwrap_or_default(),
    }
}

impl Strategy {
    /// That of a Deployment, StatefulSet or DaemonSet for this many pods.
    pub fn of(object: &Value, wanted: usize) -> Self {
        let kind = object.get("kind").and_then(Value::as_str).unwrap_or_default();
        let field = if kind == "Deployment" { "strategy" } else { "updateStrategy" };
        let spec = object.get("spec").unwrap_or(&Value::Null);
        let way = spec.get(field).and_then(|way| way.get("type")?.as_str()).unwrap_or_default();
        let rolling = spec.get(field).and_then(|way| way.get("rollingUpdate"));
        let rolling = rolling.unwrap_or(&Value::Null);
        match kind {
            "Deployment" if spec.get("paused") == Some(&Value::Bool(true)) => Self::Keep,
            "Deployment" if way == "Recreate" => Self::Recreate,
            "Deployment" => {
                let surge = scaled(rolling.get("maxSurge"), "25%", wanted, Rounded::Up);
                let unavailable =
                    scaled(rolling.get("maxUnavailable"), "25%", wanted, Rounded::Down);
                // If both are rounded to nothing, one pod may be unavailable.
                let max_unavailable = if surge + unavailable == 0 { 1 } else { unavailable };
                Self::Rolling { surge, max_unavailable: max_unavailable.min(wanted) }
            }
            "StatefulSet" | "DaemonSet" if way == "OnDelete" => Self::Keep,
            "StatefulSet" => {
                let max_unavailable =
                    scaled(rolling.get("maxUnavailable"), "1", wanted, Rounded::Down);
                Self::Ordinals {
                    partition: scaled(rolling.get("partition"), "0", wanted, Rounded::Down),
                    max_unavailable: max_unavailable.max(1),
                }
            }
            "DaemonSet" => {
                let surge = scaled(rolling.get("maxSurge"), "0", wanted, Rounded::Up);
                let unavailable = scaled(rolling.get("maxUnavailable"), "1", wanted, Rounded::Up);
                let max_unavailable = if surge + unavailable == 0 { 1 } else { unavailable };
                Self::PerNode { surge, max_unavailable }
            }
            _ => Self::Keep,
        }
    }
}

/// What decides which pod leaves first, the smallest first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Worth {
    is_assigned: bool,
    readiness: u8,
    cost: i64,
    /// How many pods of the same workload are on its node; more leave first.
    doubled: Reverse<usize>,
    /// The power of two of its age: younger ones leave first.
    age: u32,
    uid: Box<str>,
}

impl Worth {
    fn without_age(&self) -> Self {
        Self { age: 0, uid: Box::default(), ..self.clone() }
    }
}

/// The order in which a controller removes pods.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeletionOrder {
    pub pods: Vec<PodIx>,
    /// Whether others may be among the first `count`: where all else is equal, the controller goes by
    /// the times at which pods became Ready and by restarts, which are not read.
    is_open_after: Vec<bool>,
}

impl DeletionOrder {
    /// The order for `pods`, which are pods of the workload `related`.
    pub fn of(pods: &[PodIx], related: &[PodIx], cluster: &Cluster, now: Timestamp) -> Self {
        let mut on_node: BTreeMap<Sym, usize> = BTreeMap::new();
        for pod in related {
            *on_node.entry(cluster.pod(*pod).node_name).or_default() += 1;
        }
        let ranked = pods.iter().map(|pod| {
            let facts = cluster.pod(*pod);
            let cost = cluster.annotation(facts, annotations::DELETION_COST);
            let age = facts.created.map(|created| now.duration_since(created).as_nanos());
            let age = age.and_then(|nanos| u128::try_from(nanos).ok()).unwrap_or_default();
            let worth = Worth {
                is_assigned: !facts.node_name.is_empty(),
                readiness: match facts.readiness {
                    Readiness::Pending => 0,
                    Readiness::NotReady => 1,
                    Readiness::Ready => 2,
                },
                cost: cost.and_then(|cost| cost.parse().ok()).unwrap_or_default(),
                doubled: Reverse(on_node.get(&facts.node_name).copied().unwrap_or_default()),
                age: age.checked_ilog2().map_or(0, |log| log + 1),
                uid: facts.uid.clone(),
            };
            (worth, *pod)
        });
        let mut ranked: Vec<(Worth, PodIx)> = ranked.collect();
        ranked.sort();
        // Before age, pods that are equal are told apart by what is not read.
        let pairs = ranked.iter().zip(ranked.iter().skip(1));
        let is_open_after = pairs.map(|((a, one), (b, other))| {
            let is_elsewhere = cluster.pod(*one).node_name != cluster.pod(*other).node_name;
            is_elsewhere && a.is_assigned && a.without_age() == b.without_age()
        });
        let is_open_after = is_open_after.collect();
        Self { pods: ranked.into_iter().map(|(_, pod)| pod).collect(), is_open_after }
    }

    /// Brings the pods into another order that are alike but for what is not read.
    pub(crate) fn rearrange(&mut self, order: impl Fn(Vec<PodIx>) -> Vec<PodIx>) {
        let mut ends: Vec<usize> = Vec::new();
        ends.extend(self.is_open_after.iter().zip(1..).filter(|(open, _)| !**open).map(|(_, n)| n));
        ends.push(self.pods.len());
        let mut start = 0;
        for end in ends {
            if let Some(alike) = self.pods.get_mut(start..end) {
                alike.copy_from_slice(&order(alike.to_vec()));
            }
            start = end;
        }
    }

    /// The first `count` pods, and whether it may be others.
    pub fn first(&self, count: usize) -> (Vec<PodIx>, bool) {
        let is_open = count.checked_sub(1).and_then(|last| self.is_open_after.get(last));
        (self.pods.iter().take(count).copied().collect(), is_open.copied().unwrap_or(false))
    }
}

/// The existing pods of a workload, by namespace and name: those that its name, its ReplicaSets or the
/// hash of their template say are its own.
pub fn pods_of(kind: &str, namespace: &str, name: &str, cluster: &Cluster) -> Vec<PodIx> {
    if kind == "Pod" {
        let pod = cluster.find_pod(namespace, name).filter(|pod| cluster.pod(*pod).is_active());
        return pod.into_iter().collect();
    }
    let via = if kind == "Deployment" { "ReplicaSet" } else { kind };
    let mut pods: Vec<PodIx> = Vec::new();
    for index in cluster.pod_indices() {
        let pod = cluster.pod(index);
        let Some(owner) = pod.controller.filter(|_| pod.is_active()) else { continue };
        let owner_name = cluster.text(owner.name);
        let is_near = cluster.text(owner.kind) == via && cluster.text(pod.namespace) == namespace;
        let is_own = match kind {
            "Deployment" => {
                let rest = owner_name.strip_prefix(name);
                is_near && rest.is_some_and(|rest| rest.starts_with('-')) && {
                    let workload = cluster.workload(pod);
                    workload.kind == kind && workload.name == name
                }
            }
            _ => is_near && owner_name == name,
        };
        if is_own {
            pods.push(index);
        }
    }
    pods
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use testing::{cluster, find, node, objects, pod};

    use super::*;

    #[test]
    fn percentages_are_rounded_as_the_controllers_round_them() {
        let deployment =
            |strategy: Value| json!({"kind": "Deployment", "spec": {"strategy": strategy}});
        let rolling = |surge, max_unavailable| Strategy::Rolling { surge, max_unavailable };
        let per_node = |surge, max_unavailable| Strategy::PerNode { surge, max_unavailable };
        let with = |surge: Value, unavailable: Value| {
            deployment(json!({"rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable}}))
        };
        let set =
            |update: Value| json!({"kind": "StatefulSet", "spec": {"updateStrategy": update}});
        let daemon =
            |update: Value| json!({"kind": "DaemonSet", "spec": {"updateStrategy": update}});
        for (object, wanted, expected) in [
            (deployment(json!({})), 4, rolling(1, 1)),
            (deployment(json!({})), 3, rolling(1, 0)),
            (deployment(json!({})), 1, rolling(1, 0)),
            (with(json!(0), json!("10%")), 5, rolling(0, 1)),
            (with(json!("10%"), json!(0)), 5, rolling(1, 0)),
            (with(json!(0), json!(0)), 5, rolling(0, 1)),
            (with(json!(2), json!(9)), 3, rolling(2, 3)),
            (deployment(json!({"type": "Recreate"})), 4, Strategy::Recreate),
            (json!({"kind": "Deployment", "spec": {"paused": true}}), 4, Strategy::Keep),
            (set(json!({})), 4, Strategy::Ordinals { partition: 0, max_unavailable: 1 }),
            (
                set(json!({"rollingUpdate": {"partition": 2}})),
                4,
                Strategy::Ordinals { partition: 2, max_unavailable: 1 },
            ),
            (set(json!({"type": "OnDelete"})), 4, Strategy::Keep),
            (daemon(json!({})), 10, per_node(0, 1)),
            (daemon(json!({"rollingUpdate": {"maxUnavailable": "15%"}})), 10, per_node(0, 2)),
            (
                daemon(json!({"rollingUpdate": {"maxSurge": "11%", "maxUnavailable": 0}})),
                10,
                per_node(2, 0),
            ),
            (json!({"kind": "ReplicaSet"}), 4, Strategy::Keep),
        ] {
            assert_eq!(Strategy::of(&object, wanted), expected, "{object}");
        }
    }

    #[test]
    fn pods_that_do_least_leave_first() {
        let now: Timestamp = "2026-06-01T12:00:00Z".parse().expect("a time");
        let of = |name: &str| pod(name).replica_of("web");
        let cluster = cluster(objects![
            node("n1"),
            node("n2"),
            node("n3"),
            of("alone").on("n1").ready().created("2026-05-01T00:00:00Z"),
            of("cheap")
                .on("n3")
                .ready()
                .created("2026-05-01T00:00:00Z")
                .with("/metadata/annotations", json!({annotations::DELETION_COST: "-5"})),
            of("double-old").on("n2").ready().created("2026-01-01T00:00:00Z"),
            of("double-young").on("n2").ready().created("2026-06-01T11:00:00Z"),
            of("pending"),
            of("starting").on("n3").phase("Pending"),
            of("unready").on("n1"),
        ]);
        let all = pods_of("ReplicaSet", "default", "web", &cluster);
        assert_eq!(all.len(), 7);
        let related: Vec<PodIx> =
            all.iter().copied().filter(|pod| *pod != find(&cluster, "unready")).collect();
        let order = DeletionOrder::of(&all, &related, &cluster, now);
        let names: Vec<&str> = order.pods.iter().map(|pod| &*cluster.pod(*pod).name).collect();
        assert_eq!(
            names,
            ["pending", "starting", "unready", "cheap", "double-young", "double-old", "alone"]
        );
    }
}

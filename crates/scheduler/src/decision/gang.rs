//! Gangs in 1.35, where each pod has its own cycle: a pod is held back until its Workload exists
//! and the gang has enough pods. A pod that gets a node then waits at Permit until enough pods of
//! the gang have one.
//!
//! Upstream: `pkg/scheduler/framework/plugins/gangscheduling/gangscheduling.go` `PreEnqueue`,
//! `pkg/scheduler/backend/workloadmanager` (1.35). The scheduler writes nothing about it: the pod
//! just stays Pending.

use super::{Decision, OutcomeKind};
use crate::framework::cluster_view::ClusterView;
use model::cluster::gang_workload::parts;
use model::cluster::{Cluster, Kind, PodIx, Sym};
use model::notes::{self, Note, NoteDoc};

/// How long pods of a gang wait at Permit for the others, in minutes, counted from the first of
/// them.
///
/// Upstream: `pkg/scheduler/backend/workloadmanager/podgroupinfo.go`
/// `DefaultSchedulingTimeoutDuration` (1.35).
pub const PERMIT_MINUTES: u32 = 5;

pub(crate) static PERMIT: NoteDoc = NoteDoc {
    code: "PRE-931",
    name: "groups in a version that has no cycle for them",
    meaning: "Each pod of a gang has a cycle of its own in kube-scheduler 1.35, and one that gets a node waits at Permit until enough of \
              them have one. Other pods that wait come between them, in an order that the API does not show; how many get a node is \
              found as if none did.",
};

/// What notes about gangs mean.
pub(crate) static DOCS: &[&NoteDoc] = &[&PERMIT];

/// Why a pod of a gang is held back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GangHold {
    /// The Workload that it names does not exist.
    NoWorkload {
        /// Whether the input was complete enough to contain it.
        is_known: bool,
    },
    /// The Workload has no pod group of that name.
    NoPodGroup,
    /// Fewer pods exist than the gang needs.
    TooFewPods {
        /// How many pods exist.
        exist: usize,
        /// `minCount`.
        min_count: i64,
    },
}

/// What a pod of a gang waits for at Permit in 1.35, where each pod has its own cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Permit {
    pub group: Sym,
    /// How many of its pods must be on nodes or assumed there.
    pub min_count: i64,
    /// How many are on nodes.
    pub running: usize,
    /// How many are on nodes or assumed there after all waiting pods were tried, one after the
    /// other.
    pub assumed: usize,
    /// How many more preempt, and are assumed once their victims are gone.
    pub evicts: usize,
}

impl Permit {
    /// Whether enough pods are assumed, so that none waits at Permit.
    pub fn is_met(&self) -> bool {
        i64::try_from(self.assumed).unwrap_or(i64::MAX) >= self.min_count
    }

    /// Why a pod that gets a node does not start yet, as a clause about it.
    pub fn clause(&self, cluster: &Cluster) -> String {
        let Self { min_count, assumed, evicts, .. } = self;
        let group = cluster.text(self.group);
        let then = match evicts {
            0 => String::new(),
            1 => ", and 1 more once its victims are gone".to_owned(),
            several => format!(", and {several} more once their victims are gone"),
        };
        let waits = format!(
            "it waits at Permit until {min_count} pods of gang {group} have a node; {assumed}"
        );
        if self.is_met() {
            return format!("{waits} {} one", if *assumed == 1 { "gets" } else { "get" });
        }
        format!(
            "{waits} of them get one{then}: after {PERMIT_MINUTES} minutes the pods that wait give their nodes back and are tried again"
        )
    }
}

impl Decision<'_> {
    /// Records that the pod waits at Permit for its gang once it gets a node.
    pub(crate) fn wait_at_permit(&mut self, permit: Permit) {
        let clause = permit.clause(self.view.cluster);
        let subject = self.view.cluster.pod_subject(self.pod);
        let evicts = self.kind() == OutcomeKind::Preempt;
        let note = match (permit.is_met(), evicts) {
            (true, _) => Note::info(&PERMIT, clause),
            (false, true) => {
                Note::warning(&PERMIT, format!("evicts pods for a node on which {clause}"))
            }
            (false, false) => Note::warning(&PERMIT, clause),
        };
        notes::add(&mut self.notes, note.about(subject));
        notes::sort(&mut self.notes);
        self.permit = Some(Box::new(permit));
    }
}

/// Why its gang holds the pod back; `None` if it does not.
pub(crate) fn held(view: &ClusterView, pod: PodIx) -> Option<GangHold> {
    let cluster = view.cluster;
    let (namespace, group) = part_of(view, pod)?;
    let Some(part) = cluster.group_of(pod) else {
        return Some(missing(cluster, namespace, group));
    };
    let min_count = cluster.pod_group(part).min_count?;
    let exist = count(cluster, namespace, group);
    (i64::try_from(exist).unwrap_or(i64::MAX) < min_count)
        .then_some(GangHold::TooFewPods { exist, min_count })
}

/// Namespace and name of the gang or basic group of a pod, where the scheduler knows gangs as parts
/// of Workloads.
pub(crate) fn part_of(view: &ClusterView, pod: PodIx) -> Option<(Sym, Sym)> {
    let named =
        view.cluster.named_group(pod).filter(|_| view.profile.features.pod_groups.one_by_one())?;
    parts(view.cluster.text(named.1)).is_some().then_some(named)
}

/// Why a part of a Workload is missing.
pub fn missing(cluster: &Cluster, namespace: Sym, group: Sym) -> GangHold {
    let workload = parts(cluster.text(group)).map_or("", |(workload, ..)| workload);
    match cluster.find_workload(cluster.text(namespace), workload) {
        Some(_) => GangHold::NoPodGroup,
        None => GangHold::NoWorkload { is_known: are_workloads_known(cluster) },
    }
}

/// Whether a Workload that is not in the input is known to be missing from the cluster.
pub fn are_workloads_known(cluster: &Cluster) -> bool {
    !cluster.workloads.is_empty()
        || cluster.header.resource_versions.contains_key(Kind::Workload.plural())
}

/// How many pods of a group the scheduler counts: all that have not finished, including those of
/// other schedulers and those being deleted.
fn count(cluster: &Cluster, namespace: Sym, group: Sym) -> usize {
    let pods = cluster.pods.iter().filter(|pod| pod.is_active() && pod.namespace == namespace);
    pods.filter(|pod| cluster.template(pod).group == group).count()
}

impl GangHold {
    /// As a clause about a pod of `group`, without a full stop.
    pub fn clause(self, group: &str) -> String {
        let (workload, part, _) = parts(group).unwrap_or((group, "", ""));
        match self {
            Self::NoWorkload { is_known: true } => {
                format!(
                    "waits for Workload {workload}, which does not exist; kube-scheduler ignores the pod until it is created"
                )
            }
            Self::NoWorkload { is_known: false } => format!(
                "names Workload {workload}, which is not in the input; if it does not exist, kube-scheduler holds the pod until it \
                 is created"
            ),
            Self::NoPodGroup => format!(
                "names pod group {part}, which Workload {workload} does not have; kube-scheduler holds it until a Workload of that \
                 name is created which has it"
            ),
            Self::TooFewPods { exist, min_count } => {
                let exists = if min_count == 1 { "pod exists" } else { "pods exist" };
                format!(
                    "waits for its gang {group}: {exist} of {min_count} {exists} (minCount {min_count})"
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::testing::{Pod, at, cluster, node, objects, pod, pod_group, workload};

    const ON: &str = "GenericWorkload=true,GangScheduling=true";

    fn member(name: &str) -> Pod {
        pod(name)
            .cpu("2")
            .priority(5)
            .with("/spec/workloadRef", json!({"name": "train", "podGroup": "workers"}))
    }

    fn replica(name: &str, key: &str) -> Pod {
        member(name).with("/spec/workloadRef/podGroupReplicaKey", key)
    }

    fn gang(min_count: i64) -> Value {
        workload("train", &json!([{"name": "workers", "policy": {"gang": {"minCount": min_count}}}, {"name": "driver", "policy": {"basic": {}}}])).into()
    }

    /// The outcome for pod `a`, and what holds it back.
    fn told(gates: &str, objects: Vec<Value>) -> String {
        at("1.35").gates(gates).look(&cluster(objects), "a", |decision| {
            format!("{} {}", decision.outcome.name(), decision.gate().unwrap_or_default())
                .trim_end()
                .to_owned()
        })
    }

    #[test]
    fn a_pod_of_a_gang_is_held_until_its_workload_and_enough_pods_exist() {
        let room = || node("n1").cpu("8");
        for (row, objects, expected) in [
            ("enough", objects![room(), gang(2), member("a"), member("b")], "Schedulable"),
            (
                "too few",
                objects![room(), gang(3), member("a"), member("b")],
                "NotInQueue waits for its gang train/workers: 2 of 3 pods exist (minCount 3)",
            ),
            (
                "one is on a node",
                objects![room(), gang(2), member("a"), member("b").on("n1")],
                "Schedulable",
            ),
            (
                "one has finished",
                objects![
                    room(),
                    gang(2),
                    member("a"),
                    member("b").on("n1").with("/status/phase", "Succeeded")
                ],
                "NotInQueue waits for its gang train/workers: 1 of 2 pods exist (minCount 2)",
            ),
            (
                "one is of another scheduler",
                objects![
                    room(),
                    gang(2),
                    member("a"),
                    member("b").with("/spec/schedulerName", "other")
                ],
                "Schedulable",
            ),
            (
                "one is of another replica",
                objects![room(), gang(2), replica("a", "x"), replica("b", "y")],
                "NotInQueue waits for its gang train/workers/x: 1 of 2 pods exist (minCount 2)",
            ),
            (
                "no Workload",
                objects![room(), member("a"), workload("other", &json!([]))],
                "NotInQueue waits for Workload train, which does not exist; kube-scheduler ignores the pod until it is created",
            ),
            (
                "no Workload in the input",
                objects![room(), member("a")],
                "NotInQueue names Workload train, which is not in the input; if it does not exist, kube-scheduler holds the pod until it is \
                 created",
            ),
            (
                "no pod group",
                objects![room(), gang(1), member("a").with("/spec/workloadRef/podGroup", "other")],
                "NotInQueue names pod group other, which Workload train does not have; kube-scheduler holds it until a Workload of that \
                 name is created which has it",
            ),
            (
                "a basic group",
                objects![room(), gang(9), member("a").with("/spec/workloadRef/podGroup", "driver")],
                "Schedulable",
            ),
            (
                "a PodGroup, which 1.35 does not know",
                objects![
                    room(),
                    pod_group("g"),
                    pod("a").with("/spec/schedulingGroup/podGroupName", "x")
                ],
                "Schedulable",
            ),
        ] {
            assert_eq!(told(ON, objects), expected, "{row}");
        }
        let alone = |gates| told(gates, objects![room(), gang(3), member("a")]);
        assert_eq!(alone("GenericWorkload=true"), "Schedulable", "only one gate");
        assert_eq!(alone("GenericWorkload=false"), "Schedulable", "off");
    }
}

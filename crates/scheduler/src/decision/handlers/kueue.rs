//! Kueue: admits the Workload of a pod by quota, and removes its gates or unsuspends its Job.
//! kube-scheduler decides about the pod afterwards.
//!
//! Upstream: `apis/kueue/v1beta2/workload_types.go`, `pkg/controller/constants` (August 2026).

use super::{HandlerDocument, HandlerReason, HeldPod, Rule, bounded, queue_subject, subject};
use jiff::Timestamp;
use model::cluster::autoscaling::parts::ObjectCondition;
use model::cluster::handling::{Queue, Work};
use model::cluster::pod::annotations;
use model::cluster::{Cluster, Kind, Quantity, Sym};

pub(super) struct Kueue;

const QUEUE_NAME: &str = "kueue.x-k8s.io/queue-name";
const CLUSTER_QUEUE: &str = "kueue.x-k8s.io/cluster-queue-name";
const GROUP: &str = "kueue.x-k8s.io/pod-group-name";

impl Rule for Kueue {
    fn document(&self) -> HandlerDocument {
        HandlerDocument {
            detected_by: "a gate that begins with `kueue.x-k8s.io/`",
            reason: "in this order: a LocalQueue or ClusterQueue that is stopped (`stopPolicy`) or not `Active`, a Workload that \
             is not active, its condition `QuotaReserved` (or the eviction before it), an \
             admission check that is not `Ready`, the condition `Admitted`. Once Kueue has \
             admitted the pod, kube-scheduler decides",
        }
    }

    fn gates(&self) -> &'static [&'static str] {
        &["kueue.x-k8s.io/"]
    }

    fn reason(&self, pod: HeldPod) -> HandlerReason {
        let Some(work) = workload(pod) else {
            let queue = pod.label(QUEUE_NAME).map(|queue| format!("LocalQueue {queue}"));
            return HandlerReason { place: queue.unwrap_or_default(), ..HandlerReason::default() };
        };
        let cluster = pod.cluster;
        let mut reason = what_it_waits_for(work, cluster);
        reason.objects.push(subject(work, cluster));

        // A stopped queue admits nothing, whatever the Workload's status says.
        let local_name = cluster.text(work.queue);
        let local = pod.queue(Kind::LocalQueue, local_name);
        let cluster_queue = local.map(|queue| cluster.text(queue.cluster_queue));
        let named = [cluster.text(work.reserved_in), pod.label(CLUSTER_QUEUE).unwrap_or_default()];
        let cluster_queue =
            named.into_iter().find(|name| !name.is_empty()).or(cluster_queue).unwrap_or_default();
        let admitting = pod.queue(Kind::ClusterQueue, cluster_queue);
        for queue in [local, admitting].into_iter().flatten() {
            reason.objects.push(queue_subject(queue, cluster));
            let policy = cluster.text(queue.stop_policy);
            if !matches!(policy, "" | "None") {
                reason.word = String::from(policy);
                reason.place = format!("{} {}", queue.kind.name(), cluster.text(queue.name));
                reason.message = String::from("stopPolicy of the queue: it admits nothing");
                return reason;
            }
            // A queue without its flavors or checks is not active, and admits nothing either.
            let active = ObjectCondition::find(&queue.conditions, "Active", &cluster.symbols);
            if let Some(active) = active.filter(|active| cluster.text(active.status) == "False") {
                reason.word = String::from(cluster.text(active.reason));
                reason.place = format!("{} {}", queue.kind.name(), cluster.text(queue.name));
                reason.message = bounded(&active.message);
                return reason;
            }
        }
        reason.place = if cluster_queue.is_empty() {
            format!("LocalQueue {local_name}")
        } else {
            format!("ClusterQueue {cluster_queue}")
        };
        if let Some(queue) = admitting {
            reason.facts = facts(work, queue, cluster);
        }
        reason
    }

    fn reads(&self, pod: HeldPod) -> Vec<Kind> {
        match workload(pod) {
            None => vec![Kind::KueueWorkload],
            Some(_) => vec![Kind::LocalQueue, Kind::ClusterQueue],
        }
    }
}

/// The Workload of a pod: the one that its annotation names, that of its group, that of its Job, or
/// its own.
fn workload(pod: HeldPod<'_>) -> Option<&Work> {
    let named = pod.annotation(annotations::KUEUE_WORKLOAD).or_else(|| pod.label(GROUP));
    if let Some(workload) = named.and_then(|name| pod.work(Kind::KueueWorkload, name)) {
        return Some(workload);
    }
    let job = pod.pod.controller.map(|owner| pod.cluster.text(owner.uid));
    let owners = [job.unwrap_or_default(), &*pod.pod.uid];
    pod.cluster.handling.works.iter().find(|work| {
        let controller = work.controller.map(|owner| pod.cluster.text(owner.uid));
        let made_for = [controller.unwrap_or_default(), &*work.job];
        work.kind == Kind::KueueWorkload
            && work.namespace == pod.pod.namespace
            && made_for.iter().any(|uid| !uid.is_empty() && owners.contains(uid))
    })
}

/// What Kueue says of the Job or other object of this UID, kind and name that it represents by a
/// Workload; `None` if there is no such Workload.
pub fn work_of_job(
    cluster: &Cluster,
    namespace: Sym,
    uid: Sym,
    kind: Sym,
    name: Sym,
) -> Option<HandlerReason> {
    let work = cluster.handling.works.iter().find(|work| {
        let is_its = work.controller.is_some_and(|owner| {
            let has_uid = !owner.uid.is_empty() && !uid.is_empty();
            if has_uid { owner.uid == uid } else { owner.kind == kind && owner.name == name }
        });
        let is_made_for = !work.job.is_empty() && *work.job == *cluster.text(uid);
        work.kind == Kind::KueueWorkload && work.namespace == namespace && (is_its || is_made_for)
    })?;
    let mut reason = what_it_waits_for(work, cluster);
    reason.objects.push(subject(work, cluster));
    let find = |kind: Kind, name: Sym| {
        cluster.handling.queues.iter().find(|queue| {
            queue.kind == kind
                && queue.name == name
                && (queue.namespace.is_empty() || queue.namespace == namespace)
        })
    };
    let local = find(Kind::LocalQueue, work.queue);
    let admitting = local.and_then(|queue| find(Kind::ClusterQueue, queue.cluster_queue));
    for queue in [local, admitting].into_iter().flatten() {
        reason.objects.push(queue_subject(queue, cluster));
        // A stopped queue admits nothing, whatever the Workload's status says.
        let policy = cluster.text(queue.stop_policy);
        if !matches!(policy, "" | "None") {
            reason.word = String::from(policy);
            reason.message = String::from("stopPolicy of the queue: it admits nothing");
        }
    }
    if let Some(queue) = admitting {
        reason.facts = facts(work, queue, cluster);
    }
    reason.place = match local {
        Some(queue) => format!("ClusterQueue {}", cluster.text(queue.cluster_queue)),
        None => format!("LocalQueue {}", cluster.text(work.queue)),
    };
    Some(reason)
}

/// Whether the quota of a Workload is reserved, or it needs none any more.
fn has_quota(work: &Work, cluster: &Cluster) -> bool {
    ["QuotaReserved", "Finished"]
        .into_iter()
        .any(|kind| KueueCondition::of(kind, work, cluster).is_true)
}

/// Where a Workload that waits stands in its ClusterQueue, and how much quota that has of what it
/// asks for: sentences without a full stop.
fn facts(work: &Work, queue: &Queue, cluster: &Cluster) -> Vec<String> {
    if has_quota(work, cluster) {
        return Vec::new();
    }
    let mut facts = Vec::new();
    if work.is_active {
        facts.push(position(work, queue, cluster));
    }
    let cohort = match cluster.text(queue.cohort) {
        "" => "it has no cohort to borrow from".to_owned(),
        cohort => format!("it may borrow in cohort {cohort}"),
    };
    let mut asked: Vec<&(Sym, Quantity)> = work.requests.iter().collect();
    asked.sort_by_key(|(resource, _)| cluster.text(*resource));
    for (resource, amount) in asked {
        let mut flavors = Vec::new();
        for quota in queue.quotas.iter().filter(|quota| quota.resource == *resource) {
            let flavor = cluster.text(quota.flavor);
            let nominal = quota.nominal;
            let quantity = match quota.used {
                Some(used) => format!("{used} of {nominal} used"),
                None => format!("quota {nominal}, use not known"),
            };
            let borrows = quota.borrowing_limit.filter(|_| !queue.cohort.is_empty());
            let limit = borrows.map_or_else(String::new, |most| format!(" (may borrow {most})"));
            flavors.push(format!("flavor {flavor}: {quantity}{limit}"));
        }
        if !flavors.is_empty() {
            let name = cluster.text(*resource);
            facts.push(format!("{name}: it asks for {amount}; {}; {cohort}", flavors.join(", ")));
        }
    }
    facts
}

/// The place of a Workload among those that wait in its ClusterQueue: the highest priority first,
/// then the one that was created or evicted first.
fn position(work: &Work, queue: &Queue, cluster: &Cluster) -> String {
    let mut waiting: Vec<&Work> = Vec::new();
    for other in &cluster.handling.works {
        let is_in_queue = other.kind == Kind::KueueWorkload
            && other.is_active
            && cluster_queue(other, cluster) == Some(queue.name);
        if is_in_queue && !has_quota(other, cluster) {
            waiting.push(other);
        }
    }
    waiting.sort_by_key(|one| (std::cmp::Reverse(one.priority), queued_since(one, cluster)));
    let ahead = waiting.iter().take_while(|other| !std::ptr::eq(**other, work)).count();
    let name = cluster.text(queue.name);
    let first = match waiting.first().filter(|_| ahead > 0) {
        Some(first) => format!(
            "; first is {}/{} of priority {}",
            cluster.text(first.namespace),
            cluster.text(first.name),
            first.priority
        ),
        None => String::new(),
    };
    // Otherwise one that does not fit is put aside, and those behind it are tried.
    let strict =
        if queue.is_strict && ahead > 0 { "; those ahead of it block it (StrictFIFO)" } else { "" };
    format!(
        "it is number {} of {} that wait in ClusterQueue {name} (priority {}){first}{strict}",
        ahead + 1,
        waiting.len(),
        work.priority
    )
}

/// The ClusterQueue of the LocalQueue of a Workload.
fn cluster_queue(work: &Work, cluster: &Cluster) -> Option<Sym> {
    let mut queues = cluster.handling.queues.iter();
    let local = queues.find(|queue| {
        queue.kind == Kind::LocalQueue
            && queue.name == work.queue
            && queue.namespace == work.namespace
    });
    local.map(|queue| queue.cluster_queue)
}

/// Since when a Workload is in the queue: since it was evicted because its pods were not ready or a
/// check failed, else since it was created.
fn queued_since(work: &Work, cluster: &Cluster) -> Option<Timestamp> {
    let evicted = ObjectCondition::find(&work.conditions, "Evicted", &cluster.symbols);
    let again = evicted.filter(|condition| {
        cluster.text(condition.status) == "True"
            && ["PodsReadyTimeout", "AdmissionCheck"].contains(&cluster.text(condition.reason))
    });
    again.and_then(|condition| condition.since).or(work.created)
}

/// A condition of a Workload.
struct KueueCondition {
    is_true: bool,
    /// What it says; `None` without such a condition.
    reason: Option<HandlerReason>,
}

impl KueueCondition {
    fn of(kind: &str, work: &Work, cluster: &Cluster) -> Self {
        let condition = ObjectCondition::find(&work.conditions, kind, &cluster.symbols);
        Self {
            is_true: condition.is_some_and(|condition| cluster.text(condition.status) == "True"),
            reason: condition
                .map(|condition| reason(cluster.text(condition.reason), &condition.message)),
        }
    }
}

fn reason(word: &str, message: &str) -> HandlerReason {
    HandlerReason { word: word.to_owned(), message: bounded(message), ..HandlerReason::default() }
}

/// What a Workload waits for, in the order of Kueue's own checks.
fn what_it_waits_for(work: &Work, cluster: &Cluster) -> HandlerReason {
    let evicted = KueueCondition::of("Evicted", work, cluster);
    let reserved = KueueCondition::of("QuotaReserved", work, cluster);
    let admitted = KueueCondition::of("Admitted", work, cluster);

    // Deactivated by a user: it waits until that is undone.
    if !work.is_active {
        return match evicted.reason {
            Some(reason) if evicted.is_true => reason,
            _ => reason("Deactivated", "spec.active of the Workload is false"),
        };
    }
    if !reserved.is_true {
        // That it was evicted is more informative than that it waits again.
        let says_why = reserved.reason.as_ref().is_some_and(|reason| !reason.message.is_empty());
        let shown = if evicted.is_true && !says_why { evicted } else { reserved };
        let mut reason = shown.reason.unwrap_or_default();
        if let Some(again) = work.requeue_at {
            let end = if reason.message.is_empty() { "" } else { "; " };
            reason.message.push_str(&format!("{end}it is considered again at {again}"));
        }
        return reason;
    }
    if !admitted.is_true {
        for check in &work.checks {
            let state = cluster.text(check.state);
            if state != "Ready" {
                let name = cluster.text(check.name);
                return reason(&format!("admission check {name} is {state}"), &check.message);
            }
        }
        return admitted
            .reason
            .unwrap_or_else(|| reason("QuotaReserved", "it is not admitted yet"));
    }
    reason("Admitted", "its gates are about to be removed")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::decision::handlers::tests::{
        GATE, annotated, condition, gated, holder, object, said, workload,
    };
    use crate::decision::handlers::{Handler, HeldBy};

    fn queues(local_stops: &str, cluster_stops: &str) -> Vec<Value> {
        let local = json!({"clusterQueue": "cq", "stopPolicy": local_stops});
        let cluster = json!({"stopPolicy": cluster_stops});
        vec![
            object("kueue.x-k8s.io/v1beta2", "LocalQueue", "lq", local, json!({})),
            object("kueue.x-k8s.io/v1beta2", "ClusterQueue", "cq", cluster, json!({})),
        ]
    }

    #[test]
    fn kueue_says_what_its_workload_waits_for_in_every_state() {
        let reserved = || condition("QuotaReserved", "True", "QuotaReserved", "");
        let preempted = "Preempted to accommodate a workload (UID: u, JobUID: j) due to prioritization in the ClusterQueue";
        let mut rows = vec![
            (vec![], ["", ""]),
            (vec![condition("Evicted", "True", "Preempted", preempted)], ["Preempted", preempted]),
            (
                vec![
                    reserved(),
                    condition(
                        "Admitted",
                        "False",
                        "UnsatisfiedAdmissionChecks",
                        "The workload has not all checks ready",
                    ),
                ],
                ["UnsatisfiedAdmissionChecks", "The workload has not all checks ready"],
            ),
            (vec![reserved()], ["QuotaReserved", "it is not admitted yet"]),
            (
                vec![reserved(), condition("Admitted", "True", "Admitted", "")],
                ["Admitted", "its gates are about to be removed"],
            ),
        ];
        // Those of 0.19 and later, then those before.
        // Why it is not admitted although its quota is reserved, and why it was evicted.
        for word in ["NoReservation", "PendingDelayedTopologyRequests"] {
            let conditions = vec![reserved(), condition("Admitted", "False", word, "m")];
            rows.push((conditions, [word, "m"]));
        }
        for word in [
            "PodsReadyTimeout",
            "AdmissionCheck",
            "ClusterQueueStopped",
            "LocalQueueStopped",
            "NodeFailures",
            "Deactivated",
        ] {
            rows.push((vec![condition("Evicted", "True", word, "m")], [word, "m"]));
        }
        for word in [
            "NoMatchingFlavor",
            "WaitingForQuota",
            "ExceedsMaxQuota",
            "TopologyPlacementFailed",
            "WaitingForPreemptedWorkloads",
            "Misconfigured",
            "Suspended",
            "PendingEvaluation",
            "WaitingForPodsReady",
            "OnHold",
            "AdmissionGated",
            "Pending",
            "Inadmissible",
            "Waiting",
        ] {
            let message =
                "couldn't assign flavors to pod set main: insufficient unused quota for cpu";
            rows.push((vec![condition("QuotaReserved", "False", word, message)], [word, message]));
        }
        for (conditions, [word, message]) in rows {
            let mut others = queues("None", "None");
            others.push(workload(&conditions));
            let held = annotated(gated(GATE), "kueue.x-k8s.io/workload", "w");
            let found = said(others, held, Handler::Kueue, HeldBy::Gates);
            assert_eq!(found, [word, "ClusterQueue cq", message], "{conditions:?}");
        }
        for gate in ["kueue.x-k8s.io/topology", "kueue.x-k8s.io/elastic-job"] {
            let held = holder(vec![], gated(gate)).expect("a holder");
            assert_eq!((held.handler, held.by), (Some(Handler::Kueue), HeldBy::Gates), "{gate}");
        }
    }

    #[test]
    fn workload_that_waits_has_its_place_in_the_queue_and_the_quota_of_each_flavor() {
        let quota = |name: &str| json!({"name": name, "resources": [{"name": "cpu", "nominalQuota": "500m"}]});
        let used = json!({"name": "arm", "resources": [{"name": "cpu", "total": "400m"}]});
        let mut others = queues("None", "None");
        others[1]["spec"]["resourceGroups"] = json!([{"flavors": [quota("x86"), quota("arm")]}]);
        others[1]["spec"]["queueingStrategy"] = json!("StrictFIFO");
        others[1]["status"]["flavorsReservation"] = json!([used]);
        let waiting = |name: &str, priority: i32, created: &str| {
            let mut work = workload(&[condition("QuotaReserved", "False", "Pending", "full")]);
            work["metadata"]["name"] = json!(name);
            work["metadata"]["creationTimestamp"] = json!(created);
            work["spec"]["priority"] = json!(priority);
            work["spec"]["podSets"] = json!([{"name": "main", "count": 2, "template": {"spec":
                {"containers": [{"resources": {"requests": {"cpu": "300m"}}}]}}}]);
            work
        };
        let mut admitted = waiting("admitted", 9, "2026-01-01T00:00:00Z");
        admitted["status"]["conditions"] =
            json!([condition("QuotaReserved", "True", "QuotaReserved", "")]);
        others.extend([
            waiting("w", 0, "2026-01-01T00:02:00Z"),
            waiting("older", 0, "2026-01-01T00:01:00Z"),
            waiting("urgent", 5, "2026-01-01T00:03:00Z"),
            waiting("newer", 0, "2026-01-01T00:04:00Z"),
            admitted,
        ]);
        let held = holder(others, annotated(gated(GATE), "kueue.x-k8s.io/workload", "w"));
        assert_eq!(
            held.expect("a holder").reason.facts,
            [
                "it is number 3 of 4 that wait in ClusterQueue cq (priority 0); first is default/urgent of priority 5; \
                 those ahead of it block it (StrictFIFO)",
                "cpu: it asks for 600m; flavor x86: quota 500m, use not known, flavor arm: 400m of 500m used; it has \
                 no cohort to borrow from",
            ]
        );
    }

    #[test]
    fn kueue_says_that_a_check_a_stopped_queue_or_an_inactive_workload_holds_the_pod() {
        let held = || annotated(gated("kueue.x-k8s.io/topology"), "kueue.x-k8s.io/workload", "w");
        let waiting = || workload(&[condition("QuotaReserved", "False", "Pending", "full")]);
        for (local, cluster, word, place) in [
            ("Hold", "None", "Hold", "LocalQueue lq"),
            ("", "HoldAndDrain", "HoldAndDrain", "ClusterQueue cq"),
        ] {
            let mut others = queues(local, cluster);
            others.push(waiting());
            let [found, at, _] = said(others, held(), Handler::Kueue, HeldBy::Gates);
            assert_eq!((found.as_str(), at.as_str()), (word, place));
        }

        let mut checked = workload(&[condition("QuotaReserved", "True", "QuotaReserved", "")]);
        checked["status"]["admission"] = json!({"clusterQueue": "other"});
        checked["status"]["admissionChecks"] = json!([{"name": "a", "state": "Ready"},
            {"name": "prov-req", "state": "Pending", "message": "waiting for capacity"}]);
        assert_eq!(
            said(vec![checked], held(), Handler::Kueue, HeldBy::Gates),
            ["admission check prov-req is Pending", "ClusterQueue other", "waiting for capacity"]
        );

        let mut inactive = waiting();
        inactive["spec"]["active"] = json!(false);
        let [word, ..] = said(vec![inactive], held(), Handler::Kueue, HeldBy::Gates);
        assert_eq!(word, "Deactivated");
    }

    #[test]
    fn workload_of_kueue_is_found_by_job_group_or_pod() {
        let waiting = || {
            let mut work = workload(&[condition("QuotaReserved", "False", "Pending", "full")]);
            work["metadata"]["labels"] = json!({"kueue.x-k8s.io/job-uid": "uid-job"});
            work
        };
        let of_job = gated(GATE).with(
            "/metadata/ownerReferences",
            json!([{"apiVersion": "batch/v1", "kind": "Job",
            "name": "job", "uid": "uid-job", "controller": true}]),
        );
        assert_eq!(said(vec![waiting()], of_job, Handler::Kueue, HeldBy::Gates)[0], "Pending");
        let of_group = gated(GATE).label("kueue.x-k8s.io/pod-group-name", "w");
        assert_eq!(said(vec![waiting()], of_group, Handler::Kueue, HeldBy::Gates)[0], "Pending");
        let mut of_pod = waiting();
        of_pod["metadata"]["ownerReferences"] = json!([{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "uid-p", "controller": true}]);
        let alone = gated(GATE).with("/metadata/uid", "uid-p");
        assert_eq!(said(vec![of_pod], alone, Handler::Kueue, HeldBy::Gates)[0], "Pending");
        // One of another namespace is another one.
        let mut elsewhere = waiting();
        elsewhere["metadata"]["namespace"] = json!("other");
        let found = holder(vec![elsewhere], annotated(gated(GATE), "kueue.x-k8s.io/workload", "w"));
        assert!(found.expect("a holder").reason.is_unknown());
    }
}

//! Koordinator: kube-scheduler with plugins for quotas, gangs and reservations. It writes the
//! condition of a pod as kube-scheduler does, with texts of its plugins.
//!
//! Upstream: `pkg/scheduler/plugins/{elasticquota,coscheduling,reservation}`, `apis/extension`
//! (July 2026).

use super::{HandlerDocument, HandlerReason, HeldPod, Rule, queue_subject, subject};
use model::cluster::handling::Work;
use model::cluster::pod::annotations;
use model::cluster::{Cluster, Kind};
use model::words;

pub(super) struct Koordinator;

/// The most reservations that are named.
const NAMED: usize = 3;
const QUOTA: &str = "quota.scheduling.koordinator.sh/name";
const GROUP: &str = "pod-group.scheduling.sigs.k8s.io/name";

impl Rule for Koordinator {
    fn document(&self) -> HandlerDocument {
        HandlerDocument {
            detected_by: "`schedulerName: koord-scheduler`, or its labels for quotas and gangs",
            reason: "the pod's condition: a quota that is used up, a gang that was rejected. If the given \
             configuration knows its scheduler's name, the answer is that of kube-scheduler's \
             filters, and notes say that Koordinator's plugins are not included",
        }
    }

    fn scheduler(&self) -> &'static str {
        "koord-scheduler"
    }

    fn marks(&self, pod: HeldPod) -> bool {
        pod.label(QUOTA).is_some() || pod.annotation(annotations::KOORDINATOR_GANG).is_some()
    }

    /// The prefixes of its quota and gang plugins' messages. A gang is rejected before any filter
    /// runs, so kube-scheduler's filters say nothing about such a pod.
    fn is_quota(&self, message: &str) -> bool {
        [
            "Insufficient quotas, quotaName: ",
            "Insufficient non-preemptible quotas, ",
            "GangGroup \"",
            "Gang \"",
        ]
        .iter()
        .any(|begins| message.starts_with(begins))
    }

    fn reason(&self, pod: HeldPod) -> HandlerReason {
        let cluster = pod.cluster;
        let mut reason = pod.condition();
        if let Some(quota) = pod.label(QUOTA).filter(|_| !reason.message.starts_with("Gang")) {
            reason.place = format!("ElasticQuota {quota}");
            // Quotas of other namespaces may have the same name; only their pods distinguish them.
            if let Some(queue) =
                cluster.handling.queues.iter().find(|queue| {
                    queue.kind == Kind::ElasticQuota && cluster.text(queue.name) == quota
                })
            {
                reason.objects.push(queue_subject(queue, cluster));
                if reason.message.is_empty() {
                    reason.message = used(queue, cluster);
                }
            }
        } else if let Some(group) = group(pod) {
            reason.place = format!("PodGroup {}", cluster.text(group.name));
            reason.objects.push(subject(group, cluster));
            if reason.word.is_empty() {
                reason.word = String::from(cluster.text(group.phase));
            }
        }
        if cluster.annotation(pod.pod, annotations::KOORDINATOR_RESERVATION).is_some() {
            let all: Vec<&Work> = cluster
                .handling
                .works
                .iter()
                .filter(|work| work.kind == Kind::Reservation)
                .collect();
            // Which of them the pod may take is Koordinator's to say; the others have no room yet, or
            // have it no more.
            let available: Vec<&Work> = all
                .iter()
                .copied()
                .filter(|work| cluster.text(work.phase) == "Available")
                .collect();
            if reason.place.is_empty() {
                reason.place = reservations(&all, &available, cluster);
            }
            reason.objects.extend(available.iter().map(|work| subject(work, cluster)));
        }
        reason
    }

    fn reads(&self, pod: HeldPod) -> Vec<Kind> {
        // Its own condition is sufficient.
        if pod.pod.scheduled_condition.is_some() {
            return Vec::new();
        }
        let quota = pod.label(QUOTA).map(|_| Kind::ElasticQuota);
        let group = group_name(pod).map(|_| Kind::KoordinatorPodGroup);
        quota.into_iter().chain(group).collect()
    }
}

/// `Reservation (1 of 3 available: a)`.
fn reservations(all: &[&Work], available: &[&Work], cluster: &Cluster) -> String {
    if available.is_empty() {
        return format!("Reservation (none of {} available)", all.len());
    }
    let names: Vec<&str> = available.iter().map(|work| cluster.text(work.name)).collect();
    let names = words::list(&names, NAMED);
    format!("Reservation ({} of {} available: {names})", available.len(), all.len())
}

fn group_name(pod: HeldPod<'_>) -> Option<&str> {
    pod.label(GROUP).or_else(|| pod.annotation(annotations::KOORDINATOR_GANG))
}

fn group(pod: HeldPod<'_>) -> Option<&Work> {
    pod.work(Kind::KoordinatorPodGroup, group_name(pod)?)
}

/// `used cpu 10 of 10, memory 4Gi of 8Gi`.
fn used(quota: &model::cluster::handling::Queue, cluster: &Cluster) -> String {
    let mut parts = Vec::new();
    for (name, max) in &quota.max {
        let used = quota
            .used
            .iter()
            .find(|(used, _)| used == name)
            .map_or("0", |(_, amount)| cluster.text(*amount));
        parts.push(format!("{} {used} of {}", cluster.text(*name), cluster.text(*max)));
    }
    if parts.is_empty() {
        String::new()
    } else {
        super::bounded(&format!("used {}", parts.join(", ")))
    }
}

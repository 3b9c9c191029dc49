//! Koordinator: kube-scheduler with plugins for quotas, gangs and reservations. It writes the
//! condition of a pod as kube-scheduler does, with texts of its plugins.
//!
//! Upstream: `pkg/scheduler/plugins/{elasticquota,coscheduling,reservation}`, `apis/extension`
//! (July 2026).

use super::{HandlerDocument, HandlerReason, HeldPod, Rule, queue_subject, subject, without_count};
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
        ["Insufficient quotas", "Insufficient non-preemptible quotas", "GangGroup \"", "Gang \""]
            .iter()
            .any(|begins| message.starts_with(begins))
    }

    fn reason(&self, pod: HeldPod) -> HandlerReason {
        let cluster = pod.cluster;
        let mut reason = pod.condition();
        if let Some(quota) =
            pod.label(QUOTA).filter(|_| !without_count(&reason.message).starts_with("Gang"))
        {
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::decision::handlers::tests::{annotated, holder, object, said};
    use crate::decision::handlers::{Handler, HeldBy};
    use crate::testing::{Pod, pod};

    #[test]
    fn koordinator_says_its_quota_or_gang() {
        let quota = "Insufficient quotas, quotaName: team-a, runtime: {\"cpu\":\"10\"}, used: {\"cpu\":\"10\"}, pod's request: {\"cpu\":\"1\"}, exceedDimensions: [cpu]";
        let labelled = |held: Pod| held.label("quota.scheduling.koordinator.sh/name", "team-a");
        let own = labelled(pod("p").cpu("1").scheduler("koord-scheduler")).refused(quota);
        let expected = ["Unschedulable", "ElasticQuota team-a", quota];
        assert_eq!(said(vec![], own, Handler::Koordinator, HeldBy::SchedulerName), expected);
        // The same under a name that a profile of kube-scheduler has: the quota still decides.
        let ours = labelled(pod("p").cpu("1")).refused(quota);
        assert_eq!(said(vec![], ours, Handler::Koordinator, HeldBy::Quota), expected);

        let gang = "GangGroup \"default/g\" gets rejected due to member Pod \"default/q\" is unschedulable with reason \"\", alreadyWaitForBound: 0";
        let member = pod("p")
            .scheduler("koord-scheduler")
            .label("pod-group.scheduling.sigs.k8s.io/name", "g");
        for phase in ["Pending", "PreScheduling", "Scheduling", "Scheduled", "Running", "Unknown"] {
            let group = || {
                object(
                    "scheduling.sigs.k8s.io/v1alpha1",
                    "PodGroup",
                    "g",
                    json!({"minMember": 2}),
                    json!({"phase": phase}),
                )
            };
            let found = said(
                vec![group()],
                Pod(member.0.clone()),
                Handler::Koordinator,
                HeldBy::SchedulerName,
            );
            assert_eq!(found, [phase, "PodGroup g", ""]);
            let rejected = Pod(member.0.clone()).refused(gang);
            let found = said(vec![group()], rejected, Handler::Koordinator, HeldBy::SchedulerName);
            assert_eq!(found, ["Unschedulable", "PodGroup g", gang]);
        }

        // Texts of its plugins under a scheduler name that is kube-scheduler's, and a gang of annotations.
        for text in [
            "Insufficient non-preemptible quotas, quotaName: team-a",
            gang,
            "Gang \"default/g\" gets rejected due to pod is unschedulable",
        ] {
            let found = holder(vec![], pod("p").refused(text)).expect("a holder");
            assert_eq!((found.handler, found.by), (Some(Handler::Koordinator), HeldBy::Quota));
            assert_eq!(found.reason.message, text);
        }
        let by_annotation =
            annotated(pod("p").scheduler("mine"), "gang.scheduling.koordinator.sh/name", "g");
        let found = holder(vec![], by_annotation).expect("a holder");
        assert_eq!(found.handler, Some(Handler::Koordinator));

        let full = object(
            "scheduling.sigs.k8s.io/v1alpha1",
            "ElasticQuota",
            "team-a",
            json!({"max": {"cpu": 10}}),
            json!({"used": {"cpu": "10"}}),
        );
        let silent = labelled(pod("p").scheduler("koord-scheduler"));
        let [.., message] = said(vec![full], silent, Handler::Koordinator, HeldBy::SchedulerName);
        assert_eq!(message, "used cpu 10 of 10");
    }

    #[test]
    fn koordinator_names_available_reservations() {
        let reservation = |name: &str, phase: &str| {
            let mut found = object(
                "scheduling.koordinator.sh/v1alpha1",
                "Reservation",
                name,
                json!({}),
                json!({"phase": phase}),
            );
            found["metadata"].as_object_mut().expect("an object").remove("namespace");
            found
        };
        let held = annotated(
            pod("p").scheduler("koord-scheduler"),
            "scheduling.koordinator.sh/reservation-affinity",
            "{}",
        );
        let others = vec![
            reservation("a", "Available"),
            reservation("b", "Pending"),
            reservation("c", "Failed"),
        ];
        let none =
            said(others[1..].to_vec(), held.clone(), Handler::Koordinator, HeldBy::SchedulerName);
        assert_eq!(none[1], "Reservation (none of 2 available)");
        let found = holder(others, held).expect("a holder");
        assert_eq!(found.reason.place, "Reservation (1 of 3 available: a)");
        let objects: Vec<String> = found.reason.objects.iter().map(ToString::to_string).collect();
        assert_eq!(objects, ["Reservation a"]);
    }
}

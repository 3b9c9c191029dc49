//! KAI: schedules pods by PodGroup and queue, on whole GPUs or parts of them.
//!
//! Upstream: `pkg/apis/scheduling/v2alpha2/podgroup_types.go`,
//! `pkg/scheduler/cache/status_updater/default_status_updater.go` (August 2026).

use super::{HandlerDocument, HandlerReason, HeldPod, Rule, bounded, subject};
use model::cluster::Kind;
use model::cluster::handling::Work;
use model::cluster::pod::annotations;

pub(super) struct Kai;

const QUEUE: &str = "kai.scheduler/queue";
/// Reasons of Events about a PodGroup that are more informative than its conditions, which KAI
/// writes only once the group is ready to be scheduled.
const EVENTS: [&str; 3] = ["NotReady", "Unschedulable", "StaleJob"];

impl Rule for Kai {
    fn document(&self) -> HandlerDocument {
        HandlerDocument {
            detected_by: "`schedulerName: kai-scheduler` or `kai.scheduler/queue`",
            reason: "the first of the PodGroup's `schedulingConditions`, then the newest Event about the \
             group (`NotReady`, `Unschedulable`, `StaleJob`), then the pod's condition",
        }
    }

    fn scheduler(&self) -> &'static str {
        "kai-scheduler"
    }

    fn marks(&self, pod: HeldPod) -> bool {
        pod.label(QUEUE).is_some()
    }

    fn reason(&self, pod: HeldPod) -> HandlerReason {
        let cluster = pod.cluster;
        let group = group(pod);
        let queue = group.map(|group| cluster.text(group.queue)).filter(|name| !name.is_empty());
        let place = queue.or_else(|| pod.label(QUEUE)).map(|queue| format!("Queue {queue}"));
        let mut reason = HandlerReason {
            place: place.unwrap_or_default(),
            objects: group.map(|group| subject(group, cluster)).into_iter().collect(),
            ..HandlerReason::default()
        };
        if let Some(first) = group.and_then(|group| group.explanations.first()) {
            reason.word = String::from(cluster.text(first.reason));
            reason.message = bounded(&first.message);
            return reason;
        }
        let event = group_name(pod).and_then(|name| pod.event("PodGroup", name, &EVENTS));
        if let Some((word, message)) = event {
            reason.word = String::from(word);
            reason.message = bounded(message);
            return reason;
        }
        if let Some((word, message)) = pod.event("Pod", &pod.pod.name, &["Unschedulable"]) {
            reason.word = String::from(word);
            reason.message = bounded(message);
            return reason;
        }
        let own = pod.condition();
        HandlerReason { word: own.word, message: own.message, ..reason }
    }

    fn reads(&self, pod: HeldPod) -> Vec<Kind> {
        if group(pod).is_none() { vec![Kind::KaiPodGroup] } else { Vec::new() }
    }
}

fn group_name(pod: HeldPod<'_>) -> Option<&str> {
    pod.annotation(annotations::KAI_GROUP)
}

fn group(pod: HeldPod<'_>) -> Option<&Work> {
    pod.work(Kind::KaiPodGroup, group_name(pod)?)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::decision::handlers::tests::{annotated, object, said};
    use crate::decision::handlers::{Handler, HeldBy};
    use crate::testing::{BEFORE, pod};

    #[test]
    fn kai_says_the_first_reason_of_its_group_or_its_newest_event() {
        let message = "Workload requested 2 GPUs, but team-a over-capacity quota is 16 GPUs, while 16 GPUs are already allocated.";
        let held = || {
            annotated(
                pod("p").scheduler("kai-scheduler").label("kai.scheduler/queue", "q"),
                "pod-group-name",
                "g",
            )
        };
        let group = |conditions: Value| {
            object(
                "scheduling.run.ai/v2alpha2",
                "PodGroup",
                "g",
                json!({"queue": "team-a"}),
                json!({"schedulingConditions": conditions}),
            )
        };
        let told = |others: Vec<Value>| said(others, held(), Handler::Kai, HeldBy::SchedulerName);
        for word in [
            "NonPreemptibleOverQuota",
            "OverLimit",
            "PreemptionDelayNotElapsed",
            "QueueDoesNotExist",
        ] {
            let conditions = json!([{"type": "UnschedulableOnNodePool", "status": "True",
                "reasons": [{"reason": word, "message": message, "details": {"queueDetails": {"name": "team-a"}}}]}]);
            assert_eq!(told(vec![group(conditions)]), [word, "Queue team-a", message]);
        }
        // Before there was a list, the condition had one reason.
        let old = json!([{"type": "UnschedulableOnNodePool", "status": "True", "reason": "Unschedulable", "message": message}]);
        assert_eq!(told(vec![group(old)]), ["Unschedulable", "Queue team-a", message]);
        for (word, text) in [
            (
                "NotReady",
                "Job is not ready for scheduling. Waiting for 4 pods, currently 1 exist, 0 are gated",
            ),
            ("StaleJob", "Job is stale. 1 pods are active, minMember is 4"),
            ("Unschedulable", "Resources were not found for 1 pods"),
        ] {
            let event = json!({"apiVersion": "v1", "kind": "Event", "metadata": {"name": "e", "namespace": "default"},
                "involvedObject": {"kind": "PodGroup", "namespace": "default", "name": "g"}, "reason": word,
                "message": text, "source": {"component": "kai-scheduler"}, "lastTimestamp": "2026-01-01T00:00:00Z"});
            assert_eq!(told(vec![group(json!([])), event]), [word, "Queue team-a", text]);
        }
        let own = held().condition("Unschedulable", "no node with enough resources", BEFORE);
        assert_eq!(
            said(vec![], own, Handler::Kai, HeldBy::SchedulerName),
            ["Unschedulable", "Queue q", "no node with enough resources"]
        );
    }
}

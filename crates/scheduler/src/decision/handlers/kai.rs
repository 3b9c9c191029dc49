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

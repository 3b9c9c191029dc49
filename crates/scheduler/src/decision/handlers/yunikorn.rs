//! YuniKorn: schedules pods by applications in queues. It reports only through the pod's condition
//! and Events; its queues are not API objects.
//!
//! Upstream: `pkg/cache/{task,context}.go`, `pkg/common/constants/constants.go` of the k8shim
//! (August 2026).

use super::{HandlerDocument, HandlerReason, HeldPod, Rule};
use model::cluster::Kind;
use model::cluster::pod::annotations;

pub(super) struct YuniKorn;

/// The condition's reason for a pod whose queue has no quota left. Autoscalers act only on
/// `Unschedulable`.
const SKIPPED: &str = "SchedulingSkipped";

impl Rule for YuniKorn {
    fn document(&self) -> HandlerDocument {
        HandlerDocument {
            detected_by: "`schedulerName: yunikorn` or `yunikorn.apache.org/app-id`",
            reason: "the pod's condition. `SchedulingSkipped`: the queue's quota is used up, and no \
             autoscaler looks at the pod; with `Unschedulable` they do",
        }
    }

    fn scheduler(&self) -> &'static str {
        "yunikorn"
    }

    fn marks(&self, pod: HeldPod) -> bool {
        pod.annotation(annotations::YUNIKORN_APPLICATION).is_some()
            || pod.label(annotations::YUNIKORN_APPLICATION).is_some()
    }

    fn reason(&self, pod: HeldPod) -> HandlerReason {
        let mut reason = pod.condition();
        let queue = pod
            .label(annotations::YUNIKORN_QUEUE)
            .or_else(|| pod.annotation(annotations::YUNIKORN_QUEUE))
            .or_else(|| pod.label("queue"));
        let application = pod
            .label(annotations::YUNIKORN_APPLICATION)
            .or_else(|| pod.annotation(annotations::YUNIKORN_APPLICATION))
            .or_else(|| pod.label("applicationId"));
        reason.place = match (queue, application) {
            (Some(queue), _) => format!("queue {queue}"),
            (None, Some(application)) => format!("application {application}"),
            (None, None) => String::new(),
        };
        reason.autoscalers_look = match reason.word.as_str() {
            SKIPPED => Some(false),
            "Unschedulable" => Some(true),
            _ => None,
        };
        reason
    }

    fn reads(&self, _pod: HeldPod) -> Vec<Kind> {
        Vec::new()
    }
}

//! YuniKorn: schedules pods by applications in queues. It reports only through the pod's condition
//! and Events; its queues are not API objects.
//!
//! Upstream: `pkg/cache/{task,context}.go`, `pkg/common/constants/constants.go` of the k8shim
//! (August 2026).

use super::{HandlerDocument, HandlerReason, HeldPod, Rule};
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
}

#[cfg(test)]
mod tests {

    use crate::decision::handlers::tests::{holder, said};
    use crate::decision::handlers::{Handler, HeldBy};
    use crate::testing::{BEFORE, pod};

    #[test]
    fn yunikorn_says_whether_autoscalers_look() {
        let held = |reason: &str, message: &str| {
            pod("p")
                .scheduler("yunikorn")
                .label("queue", "root.a")
                .condition(reason, message, BEFORE)
        };
        let quota =
            "Task default/p is skipped from scheduling because the queue quota has been exceed";
        let room = "Task default/p is pending for the requested resources become available";
        for (reason, message, looks) in [
            ("SchedulingSkipped", quota, Some(false)),
            ("Unschedulable", room, Some(true)),
            ("Other", "", None),
        ] {
            let found = holder(vec![], held(reason, message)).expect("a holder");
            assert_eq!(
                (found.handler, found.reason.autoscalers_look),
                (Some(Handler::YuniKorn), looks)
            );
            assert_eq!(
                [found.reason.word, found.reason.place, found.reason.message],
                [reason, "queue root.a", message]
            );
        }
        let marked = pod("p").scheduler("batch").label("yunikorn.apache.org/app-id", "app-1");
        assert_eq!(
            said(vec![], marked, Handler::YuniKorn, HeldBy::SchedulerName)[1],
            "application app-1"
        );
    }
}

//! The scheduling queue: which pods may enter it, and when a pod that was rejected is tried again.

use std::time::Duration;

use super::row::history;

history! {
    Queue for "queue";

    flags {
        /// Scheduling gates hold a pod back.
        scheduling_gates gate "PodSchedulingReadiness" from "pkg/features/kube_features.go (1.27)"
            { (26, 0) => false, (27, 0) => true }

        /// A pod's nomination reserves room while scheduling gates still hold the pod.
        gated_nominations from "kubernetes/kubernetes#139057" { (37, 0) => true }

        /// Plugins name the events after which a pod that they rejected is retried; before, any
        /// event.
        plugins_await_events from "pkg/scheduler/framework/interface.go (1.22)" { (22, 0) => true }
    }

    values {
        /// After which time a rejected pod is tried again without an event.
        queue_flush: Option<Duration> {
            (14, 0) => Some(Duration::from_secs(60)),
                "A rejected pod is retried after 1 minute even without an event.",
                from "pkg/scheduler/internal/queue/scheduling_queue.go (1.14)";
            (24, 0) => Some(Duration::from_secs(300)),
                "A rejected pod is retried after 5 minutes even without an event; before, after 1.",
                from "kubernetes/kubernetes#108761";
        }

        /// How long a pod waits at most between two attempts.
        longest_backoff: Duration {
            (12, 0) => Duration::from_secs(60),
                "A pod waits up to a minute between attempts.",
                from "pkg/scheduler/util/backoff_utils.go (1.12)";
            (15, 0) => Duration::from_secs(10),
                "A pod waits up to 10 seconds between attempts; before, up to a minute.",
                from "pkg/scheduler/internal/queue/scheduling_queue.go (1.15)";
        }
    }
}

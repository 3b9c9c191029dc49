//! The scheduling queue: which pods may enter it, and when a pod that was refused is tried again.

use super::row::history;

history! {
    /// The scheduling queue: which pods may enter it, and when a pod that was refused is tried again.
    Queue of queue for "queue";

    flags {
        /// Scheduling gates hold a pod back.
        scheduling_gates gate "PodSchedulingReadiness" from "pkg/features/kube_features.go (1.27)"
            { (26, 0) => false, (27, 0) => true }

        /// A pod's nomination reserves room while scheduling gates still hold the pod.
        gated_nominations from "kubernetes/kubernetes#139057" { (37, 0) => true }

        /// Pods of a group are scheduled and evicted together.
        pod_groups gate "GenericWorkload" from "pkg/features/kube_features.go (1.37)" { (35, 0) => false }

        /// Plugins say upon which events a pod that they refused is worth another try; before, any event would do.
        plugins_await_events from "pkg/scheduler/framework/interface.go (1.22)" { (22, 0) => true }

        /// A refused pod is tried again after some time even without an event.
        queue_flushes from "pkg/scheduler/internal/queue/scheduling_queue.go (1.14)" { (14, 0) => true }

        /// That time is 5 minutes; before, 1.
        late_flush from "kubernetes/kubernetes#108761" { (24, 0) => true }

        /// A pod waits up to 10 seconds between attempts; before, up to a minute.
        short_backoff from "pkg/scheduler/internal/queue/scheduling_queue.go (1.15)" { (15, 0) => true }
    }
}

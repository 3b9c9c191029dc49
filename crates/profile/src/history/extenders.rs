//! Webhooks that the scheduler asks.

use super::row::history;

history! {
    Extenders for "extenders";

    flags {
        /// Extenders that are not ignorable are asked before the others; before, all were asked in
        /// the order of the file.
        extenders_ignorable_last from "pkg/scheduler/factory/factory.go (1.15)" { (15, 0) => true }

        /// An extender can declare that no eviction helps on a node.
        extender_unresolvable from "pkg/scheduler/core/generic_scheduler.go (1.21)"
            { (21, 0) => true }

        /// The status that an extender gives a node replaces its earlier status; before, it was
        /// added.
        extender_replaces_status from "pkg/scheduler/schedule_one.go (1.32)" { (32, 0) => true }

        /// Nodes that extenders return as objects are scored as if they had no pods and no images.
        extender_nodes_score_bare from "pkg/scheduler/framework/runtime/framework.go (1.33)"
            { (33, 0) => true }

        /// Preemption tries nodes that have no status.
        absent_nodes_potential from "kubernetes/kubernetes#119779"
            { (12, 0) => true, (27, 15) => false, (28, 0) => true, (28, 11) => false,
              (29, 0) => true, (29, 6) => false,
              (30, 0) => true, (30, 2) => false }

        /// The error of an extender is a format of Go's, in which what follows a percent sign is
        /// missing; later, it is the text.
        extender_errors_are_formats from "pkg/scheduler/extender.go (1.31)"
            { (12, 0) => true, (29, 14) => false, (30, 0) => true, (30, 10) => false,
              (31, 0) => true, (31, 6) => false }

        /// The number of budgets that an extender says its victims violate counts; before, none
        /// did.
        extender_violations_kept from "pkg/scheduler/extender.go (1.24)" { (24, 0) => true }
    }
}

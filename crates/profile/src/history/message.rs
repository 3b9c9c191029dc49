//! The message of a pod that fits on no node.

use super::row::history;

history! {
    FitMessage for "message";

    flags {
        /// The message has the reason of PreFilter once; before, once per node.
        pre_filter_message from "kubernetes/kubernetes#110894" { (26, 0) => true }

        /// The message names the node that was found and the number of victims.
        success_message from "kubernetes/kubernetes#140180" { (37, 0) => true }

        /// The message has a sentence for each part; before, one sentence with all reasons, even if
        /// there were none.
        message_in_sentences from "kubernetes/kubernetes#110894" { (26, 0) => true }

        /// A full stop follows the preemption part of the message, whatever it ends with.
        message_ends_with_stop from "kubernetes/kubernetes#120021"
            { (26, 0) => true, (29, 0) => false }
    }

    values {
        /// What the message tells of preemption.
        message_of_preemption: PreemptionWording {
            (24, 0) => PreemptionWording::WithoutErrors,
                "The message has the result of preemption.",
                from "pkg/scheduler/schedule_one.go (1.24)";
            (27, 0) => PreemptionWording::All,
                "The message has an error of preemption.",
                from "pkg/scheduler/schedule_one.go (1.27)";
        }
    }
}

/// What the message tells of preemption.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PreemptionWording {
    #[default]
    Nothing,
    /// What it found out, unless it failed.
    WithoutErrors,
    /// What it found out, or its error.
    All,
}

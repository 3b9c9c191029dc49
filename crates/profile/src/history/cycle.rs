//! The scheduling cycle: how PreFilter, Filter and Score run, and what their errors and rejections
//! lead to.

use super::row::history;

history! {
    SchedulingCycle for "cycle";

    flags {
        /// The message names only one reason of a plugin per node.
        one_reason_per_node from "pkg/scheduler/framework/plugins/migration/utils.go (1.17)"
            { (17, 0) => true, (18, 0) => false }

        /// A claim that is missing or being deleted ends the cycle with an error before anything
        /// else is looked at.
        claims_checked_first from "pkg/scheduler/core/generic_scheduler.go (1.19)"
            { (12, 0) => true, (20, 0) => false }

        /// Errors of all nodes end the cycle together; later, one of them does.
        node_errors_counted from "pkg/scheduler/core/generic_scheduler.go (1.17)"
            { (12, 0) => true, (17, 0) => false }

        /// The best score of a plugin is 100; before, 10.
        scores_to_hundred from "kubernetes/kubernetes#81215" { (17, 0) => true }

        /// The node that a pod is nominated to is tried first, and taken if it fits.
        nominated_node_first gate "PreferNominatedNode" from "pkg/features/kube_features.go (1.22)"
            { (21, 0) => false, (22, 0) => true }

        /// Every filter runs on every node, and the message names all their reasons.
        filters_all_run from "kubernetes/kubernetes#114518"
            { (24, 0) => true, (24, 10) => false, (25, 0) => true, (25, 6) => false,
              (26, 0) => true, (26, 1) => false }

        /// A pod that PreFilter rejects counts as one that no node takes, and may preempt; before,
        /// it was an error.
        pre_filter_refusal_is_no_fit from "pkg/scheduler/core/generic_scheduler.go (1.19)"
            { (19, 0) => true }

        /// A pod that PreFilter rejects is tried on every node by preemption, which then lacks what
        /// PreFilter prepares.
        pre_filter_refusal_forgotten from "kubernetes/kubernetes#119778"
            { (26, 0) => true, (26, 9) => false, (27, 0) => true, (27, 6) => false,
              (28, 0) => true, (28, 2) => false }

        /// A pod that asks for a node which does not exist ends its cycle with an error.
        narrowing_to_missing_node_fails from "kubernetes/kubernetes#124559"
            { (24, 0) => true, (27, 14) => false, (28, 0) => true, (28, 10) => false,
              (29, 0) => true, (29, 5) => false }

        /// A pod that asks only for nodes which do not exist makes the scheduler panic.
        narrowing_to_nothing_crashes from "kubernetes/kubernetes#124930"
            {
                (27, 14) => true, (27, 15) => false, (28, 10) => true, (28, 11) => false,
                (29, 5) => true, (29, 6) => false,
                (30, 0) => true, (30, 2) => false,
            }

        /// A pod for which plugins leave no node at all is rejected as unresolvable.
        pre_filter_empty_unresolvable from "pkg/scheduler/framework/runtime/framework.go (1.30)"
            { (30, 0) => true }

        /// A score out of range ends the cycle.
        scores_checked from "pkg/scheduler/framework/v1alpha1/framework.go (1.17)"
            { (17, 0) => true }

        /// An error of PreFilter, PreScore or Score does not name the pod.
        plugin_errors_short from "pkg/scheduler/framework/runtime/framework.go (1.20)"
            { (20, 0) => true }

        /// The message does not show an error of PreFilter.
        pre_filter_error_lost from "kubernetes/kubernetes#112029"
            { (24, 0) => true, (25, 12) => false }

        /// An error of Filter does not name the pod.
        filter_errors_short from "pkg/scheduler/framework/runtime/framework.go (1.21)"
            { (21, 0) => true }

        /// The share of nodes that is looked for falls with their number; before, it was 50 %
        /// unless configured.
        nodes_to_score_adapt from "kubernetes/kubernetes#72140" { (14, 0) => true }

        /// Without any score the first node that takes the pod ends the search.
        first_node_without_scores from "kubernetes/kubernetes#123384" { (30, 0) => true }

        /// Without any score the total of every node is 0; before, 1.
        no_score_is_zero from "pkg/scheduler/schedule_one.go (1.38)" { (38, 0) => true }

        /// Affinity terms that cannot be parsed end the cycle before any plugin runs.
        unparsed_terms_end_cycle from "pkg/scheduler/framework/types.go (1.38)"
            { (38, 0) => true }

        /// The scheduler keeps deleted nodes as long as pods are on them.
        gone_nodes_kept from "pkg/scheduler/cache/cache.go (1.12)"
            { (12, 0) => true, (14, 0) => false }
    }

    values {
        /// How the scheduler treats nodes that PreFilter has excluded.
        excluded_nodes: ExcludedNodes {
            (24, 0), (28, 0), (29, 0) => ExcludedNodes::Potential,
                "Nodes that PreFilter has excluded are tried by preemption.",
                from "kubernetes/kubernetes#119779";
            (27, 14), (28, 10), (29, 5), (30, 0) => ExcludedNodes::FilteredOut,
                "The message names nodes that PreFilter has excluded, with a reason of their own.",
                from "kubernetes/kubernetes#125197";
            (27, 15), (28, 11), (29, 6), (30, 2) => ExcludedNodes::Untold,
                "The message does not name nodes that PreFilter has excluded, and preemption does not try them.",
                from "kubernetes/kubernetes#125197";
            (32, 0) => ExcludedNodes::Told,
                "The message names nodes that PreFilter has excluded, with the plugins that did it.",
                from "kubernetes/kubernetes#125345";
        }
    }
}

/// How the scheduler treats nodes that PreFilter has excluded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ExcludedNodes {
    /// They are not in the message, and preemption does not try them.
    #[default]
    Untold,
    /// They are not in the message, and preemption tries them.
    Potential,
    /// They are in the message, with a reason of their own.
    FilteredOut,
    /// They are in the message, with the plugins that excluded them.
    Told,
}

//! What differs in NodeResourcesBalancedAllocation from version to version.

use super::row::history;

history! {
    NodeResourcesBalancedAllocation for "NodeResourcesBalancedAllocation";

    flags {
        /// NodeResourcesBalancedAllocation has no score for pods without requests; before, the
        /// node's own balance.
        balance_score_skips from "kubernetes/kubernetes#130260" { (33, 0) => true }

        /// NodeResourcesBalancedAllocation crashes when it is to score an extended resource, which
        /// devices may provide.
        balance_device_lookup_crashes
            from "pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go (1.35)"
            { (35, 0) => true, (36, 0) => false }
    }

    values {
        /// What NodeResourcesBalancedAllocation scores.
        balance_score: BalanceScore {
            (22, 0) => BalanceScore::Deviation,
                "NodeResourcesBalancedAllocation uses the standard deviation, and full nodes can have a score.",
                from "kubernetes/kubernetes#101946";
            (36, 0) => BalanceScore::Improvement,
                "NodeResourcesBalancedAllocation scores how much the pod improves the balance, not the balance \
                 it leaves.",
                from "pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go (1.36)";
        }
    }
}

/// What NodeResourcesBalancedAllocation scores.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum BalanceScore {
    /// The difference between the shares of cpu and memory in use; a full node scores 0.
    #[default]
    Difference,
    /// The standard deviation of the shares of all resources in use.
    Deviation,
    /// By how much the pod lowers that deviation.
    Improvement,
}

//! Preemption: which pods may preempt, which nodes and victims they get.

use super::row::history;

history! {
    /// Preemption: which pods may preempt, which nodes and victims they get.
    Preemption of preemption for "DefaultPreemption";

    flags {
        /// A pod that has not started counts as started when the dry run begins, not when two pods are compared.
        unstarted_keep_order from "pkg/scheduler/framework/preemption/types.go (1.37)" { (37, 0) => true }

        /// A pod violates at the first exhausted budget; budgets behind it are not counted down.
        budgets_stop_at_first from "pkg/scheduler/framework/preemption/util.go (1.37)"
            { (18, 0) => true, (19, 0) => false, (37, 0) => true }

        /// A budget with `selector: {}` protects every pod of its namespace, and pods without labels may be protected.
        budgets_select_everything from "kubernetes/kubernetes#141785" { (38, 0) => true }

        /// A pod with `preemptionPolicy: Never` evicts nobody.
        never_policy gate "NonPreemptingPriority" from "pkg/features/kube_features.go (1.19)"
            { (15, 0) => false, (19, 0) => true }

        /// A pod whose nominated node can no longer be helped may preempt again.
        hopeless_nomination_preempts from "pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go (1.19)"
            { (19, 0) => true }

        /// So may one whose nominated node has no status of its own.
        absent_nomination_preempts from "kubernetes/kubernetes#125345" { (32, 0) => true }

        /// Only pods that leave for a preemption make their preemptor wait; before, any that leave.
        only_preempted_pods_block from "kubernetes/kubernetes#113898" { (27, 0) => true }

        /// Nodes without pods of lower priority are no candidates; before, they were filtered again, and a node where all may
        /// stay was taken at once.
        nobody_to_evict_is_no_candidate from "kubernetes/kubernetes#92604" { (19, 0) => true }

        /// A node where all pods may stay is no candidate.
        nobody_evicted_is_no_candidate from "kubernetes/kubernetes#101560" { (22, 0) => true }

        /// Nodes without pods of lower priority say so without their name.
        no_victims_unnamed from "pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go (1.24)"
            { (24, 0) => true }

        /// Of pods with one priority the older is the more important.
        start_time_orders_victims from "kubernetes/kubernetes#73568" { (15, 0) => true }

        /// Budgets are counted down over the pods of a node; before, a budget that allowed one eviction allowed all.
        budgets_count_down from "pkg/scheduler/core/generic_scheduler.go (1.18)" { (18, 0) => true }

        /// Pods whose eviction a budget has counted already do not violate it.
        budgets_know_disrupted from "kubernetes/kubernetes#91342" { (19, 0) => true }

        /// Victims are put in order again when some violate budgets and some do not.
        victims_sorted_again from "kubernetes/kubernetes#128307"
            { (29, 11) => true, (30, 0) => false, (30, 7) => true, (31, 0) => false, (31, 3) => true }

        /// The node whose most important victims began last wins a tie.
        start_time_breaks_ties from "kubernetes/kubernetes#74974" { (15, 0) => true }

        /// Preemption stops looking once it has enough candidates.
        preemption_samples from "kubernetes/kubernetes#94814" { (20, 0) => true }

        /// Potential nodes are tried in random order; before, in that of the scheduler's nodes.
        potential_nodes_in_any_order from "pkg/scheduler/framework/types.go (1.32)" { (32, 0) => true }
    }
}

//! Preemption: which pods may preempt, which nodes and victims they get.

use super::row::history;

history! {
    Preemption for "DefaultPreemption";

    flags {
        /// A budget with `selector: {}` protects every pod of its namespace, and pods without
        /// labels may be protected.
        budgets_select_everything from "kubernetes/kubernetes#141785" { (38, 0) => true }

        /// A pod with `preemptionPolicy: Never` evicts no pods.
        never_policy gate "NonPreemptingPriority" from "pkg/features/kube_features.go (1.19)"
            { (15, 0) => false, (19, 0) => true }

        /// Only pods that terminate because of preemption make their preemptor wait; before, any
        /// terminating pod.
        only_preempted_pods_block from "kubernetes/kubernetes#113898" { (27, 0) => true }

        /// Nodes without pods of lower priority are no candidates; before, they were filtered
        /// again, and a node where all may stay was taken at once.
        nobody_to_evict_is_no_candidate from "kubernetes/kubernetes#92604" { (19, 0) => true }

        /// A node where all pods may stay is no candidate.
        nobody_evicted_is_no_candidate from "kubernetes/kubernetes#101560" { (22, 0) => true }

        /// A node where all pods may stay is proposed to extenders without victims, and dropped if
        /// they name none; before, it was an error.
        extenders_find_victims from "kubernetes/kubernetes#135486" { (38, 0) => true }

        /// Nodes without pods of lower priority say so without their name.
        no_victims_unnamed
            from "pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go (1.24)"
            { (24, 0) => true }

        /// Pods whose eviction a budget has counted already do not violate it.
        budgets_know_disrupted from "kubernetes/kubernetes#91342" { (19, 0) => true }

        /// Victims are put in order again when some violate budgets and some do not.
        victims_sorted_again from "kubernetes/kubernetes#128307"
            { (29, 11) => true, (30, 0) => false, (30, 7) => true, (31, 0) => false,
              (31, 3) => true }

        /// The node whose most important victims started last wins a tie.
        start_time_breaks_ties from "kubernetes/kubernetes#74974" { (15, 0) => true }

        /// Preemption stops looking once it has enough candidates.
        preemption_samples from "kubernetes/kubernetes#94814" { (20, 0) => true }

        /// Potential nodes are tried in random order; before, in that of the scheduler's nodes.
        potential_nodes_in_any_order from "pkg/scheduler/framework/types.go (1.32)"
            { (32, 0) => true }
    }

    values {
        /// When a pod that is nominated to a node may preempt again, whatever still leaves that
        /// node.
        nominated_preempts: NominatedPreempts {
            (19, 0) => NominatedPreempts::Unresolvable,
                "A pod whose nominated node no eviction can help may preempt again.",
                from "pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go (1.19)";
            (32, 0) => NominatedPreempts::UnresolvableOrAbsent,
                "A pod whose nominated node has no status of its own may preempt again, too.",
                from "kubernetes/kubernetes#125345";
        }

        /// Which of two pods of one priority is more important.
        victim_order: VictimOrder {
            (15, 0) => VictimOrder::StartTime,
                "Of pods with one priority the older is the more important.",
                from "kubernetes/kubernetes#73568";
            (37, 0) => VictimOrder::StartTimeAtOnce,
                "A pod that has not started counts as started when the dry run begins, not when two pods are compared.",
                from "pkg/scheduler/framework/preemption/types.go (1.37)";
            (38, 0) => VictimOrder::StartTimeThenUid,
                "Of pods with the same priority and start time, the one with the lower UID is more important; a pod \
                 that has not started counts as the youngest.",
                from "kubernetes/kubernetes#140999";
        }

        /// How evictions are counted against disruption budgets.
        budget_counting: BudgetCounting {
            (18, 0) => BudgetCounting::UntilFirst,
                "Budgets are counted down over the pods of a node; before, a budget that allowed one eviction \
                 allowed all.",
                from "pkg/scheduler/core/generic_scheduler.go (1.18)";
            (19, 0) => BudgetCounting::All,
                "All of a pod's budgets are counted down, those behind an exhausted one, too.",
                from "pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go (1.19)";
            (37, 0) => BudgetCounting::UntilFirst,
                "A pod violates at the first exhausted budget; budgets behind it are not counted down.",
                from "pkg/scheduler/framework/preemption/util.go (1.37)";
        }
    }
}

/// When a pod that is nominated to a node may preempt again, although victims still leave that
/// node.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum NominatedPreempts {
    #[default]
    Never,
    /// If no eviction can help on the node any more.
    Unresolvable,
    /// The same, or if the node has no status of its own.
    UnresolvableOrAbsent,
}

/// Which of two pods of one priority is more important.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum VictimOrder {
    /// Neither.
    #[default]
    Priority,
    /// The older one; a pod that has not started counts as started when the two are compared.
    StartTime,
    /// The older one; a pod that has not started counts as started when the dry run begins.
    StartTimeAtOnce,
    /// The older one, of equal age that with the lower UID; a pod that has not started is younger
    /// than any that has.
    StartTimeThenUid,
}

/// How evictions are counted against disruption budgets.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum BudgetCounting {
    /// They are not: a budget that allows one eviction allows all.
    #[default]
    NotCounted,
    /// Each pod counts against its budgets up to the first exhausted one.
    UntilFirst,
    /// Each pod counts against all its budgets.
    All,
}

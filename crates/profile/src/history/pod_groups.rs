//! Groups of pods: whether they are scheduled and evicted as a whole, and how.

use super::row::history;

history! {
    PodGroups for "pod groups";

    flags {
        /// Pods of a group are scheduled and evicted together.
        pod_groups gate "GenericWorkload" from "pkg/features/kube_features.go (1.37)"
            { (35, 0) => false }

        /// Pods name a PodGroup, whose pods are tried in one cycle; before, they name a part of a
        /// Workload, and have a cycle each.
        group_cycle from "pkg/scheduler/schedule_one_podgroup.go (1.36)" { (36, 0) => true }

        /// A gang needs a number of pods that are placed together.
        gangs gate "GangScheduling" from "pkg/features/kube_features.go (1.36)"
            { (35, 0) => false, (37, 0) => true }

        /// Too few pods of a gang end its cycle; before, they wait at Permit, each on its own.
        gangs_end_early
            from "pkg/scheduler/framework/plugins/gangscheduling/gangscheduling.go (1.37)"
            { (37, 0) => true }

        /// A group preempts as a whole; before, each of its pods alone.
        workload_preemption gate "WorkloadAwarePreemption"
            from "pkg/features/kube_features.go (1.36)"
            { (36, 0) => false, (37, 0) => true }

        /// A group whose pods do not fit makes one plan for all of them, and groups are evicted as
        /// their disruption mode says.
        group_preemption from "pkg/scheduler/framework/preemption/podgrouppreemption.go (1.37)"
            { (37, 0) => true }

        /// Pods that are alike share scores, those of a group since 1.37.
        group_batches gate "OpportunisticBatching"
            from "pkg/scheduler/framework/runtime/batch.go (1.37)" { (35, 0) => true }

        /// The pods of a group are placed in one topology domain.
        group_placements gate "TopologyAwareWorkloadScheduling"
            from "pkg/features/kube_features.go (1.37)"
            { (36, 0) => false }

        /// A group has a preemption policy of its own.
        group_policy gate "PodGroupPreemptionPolicy" from "pkg/features/kube_features.go (1.37)"
            { (37, 0) => false, (38, 0) => true }

        /// Groups can belong to composite groups.
        composite_groups gate "CompositePodGroup" from "pkg/features/kube_features.go (1.37)"
            { (37, 0) => false }

        /// What is written about a group that does not fit begins with its cause, not with `pod
        /// group is unschedulable`.
        group_cause_alone from "kubernetes/kubernetes#141253" { (38, 0) => true }

        /// The message of a pod that does not fail itself names its group, and not why that one fails.
        pods_told_their_group from "pkg/scheduler/schedule_one.go (1.38.0-beta.0)"
            { (38, 0) => true }

        /// Preemption by a group tries nodes in the order of what it would evict there.
        group_nodes_ranked from "kubernetes/kubernetes#142718" { (38, 0) => true }

        /// Pods of a group keep their own priority as victims, and count as single pods unless they
        /// are evicted together.
        victims_keep_priority from "pkg/scheduler/framework/preemption/types.go (1.38.0-beta.0)"
            { (38, 0) => true }

        /// Victims of an earlier preemption are awaited even if the group may not preempt.
        group_awaits_first from "pkg/scheduler/framework/preemption/podgrouppreemption.go (1.38.0-beta.0)"
            { (38, 0) => true }

        /// A group is checked with all groups that it belongs to, and the errors name the pods and
        /// groups that differ. A group without a preemption policy has that of its pods.
        groups_checked_together from "pkg/scheduler/schedule_one_podgroup.go (1.38.0-beta.0)"
            { (38, 0) => true }

        /// A group is first tried in the topology domain of its nominated nodes, and keeps it.
        group_nominations_first from "pkg/scheduler/algorithm_podgroup.go (1.38.0-beta.0)"
            { (38, 0) => true }

        /// Topology domains are tried in a random order, until enough of them fit; a node with an
        /// empty label belongs to none.
        group_domains_sampled from "pkg/scheduler/algorithm_podgroup.go (1.38.0-beta.0)"
            { (38, 0) => true }
    }
}

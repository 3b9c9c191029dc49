//! What pods request of a node's resources, in filtering and in scores.

use super::row::history;

history! {
    Requests for "requests";

    flags {
        /// Init containers of pods on nodes count.
        init_containers_on_nodes from "kubernetes/kubernetes#90378"
            { (16, 10) => true, (17, 0) => false, (17, 6) => true, (18, 0) => false,
              (18, 3) => true }

        /// The overhead of pods counts.
        pod_overhead gate "PodOverhead" from "pkg/features/kube_features.go (1.18)"
            { (16, 0) => false, (18, 0) => true }

        /// A scalar resource of which only init containers ask, and for nothing, is asked for.
        init_zero_scalars_count from "pkg/scheduler/framework/types.go (1.22)" { (22, 0) => true }

        /// Requests are rounded when the pod's sum is known; before, container by container.
        requests_rounded_once from "pkg/scheduler/framework/types.go (1.27)" { (27, 0) => true }

        /// An amount that is too large to count is the largest number; before, some of its digits
        /// were lost.
        huge_requests_saturate from "kubernetes/kubernetes#141305" { (38, 0) => true }

        /// A sum of requests on a node that is too large to count is the largest number; before, it
        /// wrapped around.
        huge_sums_saturate from "pkg/scheduler/framework/types.go (1.38.0-beta.0)" { (38, 0) => true }

        /// An incoming pod whose requests overflow to less than zero requests nothing.
        requests_never_negative from "pkg/scheduler/framework/plugins/noderesources/fit.go (1.27)"
            { (27, 0) => true }

        /// Scores round what pods on nodes request when the pod's sum is known; before, container
        /// by container.
        scores_rounded_once from "pkg/scheduler/framework/types.go (1.32)" { (32, 0) => true }

        /// Scores count containers on nodes whose requests overflow to less than zero as if they
        /// requested nothing.
        scores_never_negative from "pkg/scheduler/framework/types.go (1.27)"
            { (27, 0) => true, (32, 0) => false }

        /// Scores count overhead of cpu in thousandths; before, whole cores counted for
        /// thousandths.
        score_overhead_in_thousandths
            from "pkg/scheduler/framework/plugins/noderesources/resource_allocation.go (1.27)"
            { (27, 0) => true }

        /// NodeResourcesFit scores count the incoming pod's overhead.
        fit_score_overhead from "pkg/scheduler/framework/plugins/noderesources/fit.go (1.24)"
            { (16, 0) => true, (22, 0) => false, (24, 0) => true }

        /// NodeResourcesFit scores a pod by what it takes of a node, with requests of
        /// `spec.resources`; before, by its containers alone.
        fit_scores_footprint
            from "pkg/scheduler/framework/plugins/noderesources/fit.go (1.38.0-beta.0)"
            { (38, 0) => true }

        /// Sidecars of pods on nodes count in NodeResourcesFit scores as they count in filtering.
        sidecars_score from "pkg/scheduler/framework/types.go (1.32)" { (32, 0) => true }

        /// NodeResourcesBalancedAllocation counts requests; before, containers without requests
        /// counted with a small default.
        balance_as_asked
            from "pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go (1.22.6)"
            { (22, 3) => true }

        /// Resources that a node lacks do not count in scores; before, they counted as fully used.
        absent_resources_unscored
            from "pkg/scheduler/framework/plugins/noderesources/resource_allocation.go (1.22)"
            { (22, 0) => true }

        /// `restartPolicy` of init containers is known.
        sidecars_known from "component-helpers/resource/helpers.go (1.28)" { (28, 0) => true }

        /// Init containers with `restartPolicy: Always` run beside the others.
        sidecars gate "SidecarContainers" from "pkg/features/kube_features.go (1.29)"
            { (28, 0) => false, (29, 0) => true }

        /// Requests of `spec.resources` replace the sum of the containers.
        pod_level_resources gate "PodLevelResources" from "pkg/features/kube_features.go (1.34)"
            { (34, 0) => true }

        /// Pods on nodes count what the kubelet has allocated.
        in_place_resize gate "InPlacePodVerticalScaling" from "pkg/features/kube_features.go (1.33)"
            { (33, 0) => true }

        /// Pods on nodes count pod-level amounts that the kubelet has allocated.
        in_place_pod_level_resize gate "InPlacePodLevelResourcesVerticalScaling"
            from "pkg/features/kube_features.go (1.36)" { (36, 0) => true }

        /// Allocated resources are compared with the spec for the whole pod, not container by
        /// container.
        whole_pod_footprint from "kubernetes/kubernetes#140047" { (37, 0) => true }

        /// Scores of extended resources count the devices that stand for them.
        dra_extended_resources_score
            from "pkg/scheduler/framework/plugins/noderesources/resource_allocation.go (1.35)"
            { (35, 0) => true }
    }
}

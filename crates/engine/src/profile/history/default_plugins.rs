//! Which plugins run by default, and in which order.

use super::row::history;

history! {
    /// Which plugins run by default, and in which order.
    DefaultPlugins of default_plugins for "default plugins";

    flags {
        /// Filters and scores are plugins of the scheduling framework; before, they were predicates and priorities.
        framework_filters from "pkg/scheduler/framework/plugins/default_registry.go (1.17)" { (17, 0) => true }

        /// One list of plugins for all extension points, with new weights; before, each point had its own.
        multi_point from "pkg/scheduler/apis/config/v1beta3/default_plugins.go (1.23)" { (23, 0) => true }

        /// One list of default plugins has PreFilter, too; before, the cycle began with filtering.
        pre_filters from "pkg/scheduler/algorithmprovider/registry.go (1.18)" { (18, 0) => true }

        /// Taints and node affinity are looked at before resources.
        taints_before_resources from "kubernetes/kubernetes#91450" { (20, 0) => true }

        /// PodTopologySpread runs before InterPodAffinity, and SelectorSpread bears its own name.
        spread_before_affinity from "pkg/scheduler/algorithmprovider/registry.go (1.19)" { (19, 0) => true }
    }
}

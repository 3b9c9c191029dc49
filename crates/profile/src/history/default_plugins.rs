//! Which plugins run by default, and in which order.

use super::row::history;

history! {
    /// Which plugins run by default, and in which order.
    DefaultPlugins for "default plugins";

    flags {
        /// Taints and node affinity are looked at before resources.
        taints_before_resources from "kubernetes/kubernetes#91450" { (20, 0) => true }

        /// PodTopologySpread runs before InterPodAffinity, and SelectorSpread bears its own name.
        spread_before_affinity from "pkg/scheduler/algorithmprovider/registry.go (1.19)" { (19, 0) => true }
    }

    values {
        /// How the default plugins are listed.
        plugin_lists: PluginLists {
            (17, 0) => PluginLists::Framework,
                "Filters and scores are plugins of the scheduling framework; before, they were predicates and \
                 priorities.",
                from "pkg/scheduler/framework/plugins/default_registry.go (1.17)";
            (18, 0) => PluginLists::PerPoint,
                "One list of default plugins has PreFilter, too; before, the cycle began with filtering.",
                from "pkg/scheduler/algorithmprovider/registry.go (1.18)";
            (23, 0) => PluginLists::MultiPoint,
                "One list of plugins for all extension points, with new weights; before, each point had its own.",
                from "pkg/scheduler/apis/config/v1beta3/default_plugins.go (1.23)";
        }
    }
}

/// How the default plugins are listed, oldest first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum PluginLists {
    /// As predicates and priorities.
    #[default]
    Predicates,
    /// As plugins of the framework that filter or score.
    Framework,
    /// As plugins, a list for each extension point.
    PerPoint,
    /// As plugins, one list for all extension points.
    MultiPoint,
}

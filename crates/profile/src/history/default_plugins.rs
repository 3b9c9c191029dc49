//! Which plugins run by default, and in which order.

use super::row::history;

history! {
    DefaultPlugins for "default plugins";

    flags {
        /// Taints and node affinity are looked at before resources.
        taints_before_resources from "kubernetes/kubernetes#91450" { (20, 0) => true }

        /// PodTopologySpread runs before InterPodAffinity, and SelectorSpread bears its own name.
        spread_before_affinity from "pkg/scheduler/algorithmprovider/registry.go (1.19)"
            { (19, 0) => true }
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

        /// In which order the plugins of a point run that a configuration enables there and for all
        /// points.
        point_order: PointOrder {
            (23, 7), (27, 0), (28, 0), (29, 0) => PointOrder::SomeOverriding,
                "Of the plugins that a point enables, those that are enabled for all points too run first, but the one behind \
                 each of them in the configuration is passed over and runs at the end; before, all that the point enables ran first.",
                from "pkg/scheduler/framework/runtime/framework.go (1.23.7)";
            (26, 13), (27, 10), (28, 6), (29, 1) => PointOrder::Overriding,
                "All plugins that a point enables and that are enabled for all points, too, run first, each once.",
                from "pkg/scheduler/framework/runtime/framework.go (1.29.1)";
        }
    }
}

/// Which of the plugins that a point enables run before those that are enabled for all points.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PointOrder {
    /// All of them.
    #[default]
    Own,
    /// Those that are enabled for all points too, but not the one behind each of them.
    SomeOverriding,
    /// Those that are enabled for all points, too.
    Overriding,
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

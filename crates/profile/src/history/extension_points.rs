//! Which of the scheduler's own plugins, and which of their extension points, a version has, if
//! that only affects whether a configuration may name them. Differences at a point that affects
//! decisions are rows of the plugin.
//!
//! Versions before 1.23, which have a list for each point, are not covered.

use super::row::{At, PartRow};
use crate::point::Point;
use crate::version::SchedulerVersion;

/// The plugins and extension points of one version that not every version has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExtensionPoints {
    /// A bit for each entry of [`POINT_ENTRIES`] that the version has.
    present: u32,
}

impl ExtensionPoints {
    pub(in crate::history) fn at(at: &At) -> Self {
        let bit =
            |(index, entry): (usize, &PointEntry)| u32::from(entry.is_in(at.version)) << index;
        Self { present: POINT_ENTRIES.iter().enumerate().map(bit).fold(0, |all, bit| all | bit) }
    }

    /// Whether the version has a plugin, whatever its gates say; unknown plugins are assumed to
    /// exist.
    pub fn has_plugin(&self, plugin: &str) -> bool {
        !plugin.is_empty() && self.has_entry(plugin, None)
    }

    /// Whether the plugin implements the extension point, given that the version has the plugin.
    pub fn has(&self, plugin: &str, point: Point) -> bool {
        self.has_entry(plugin, Some(point))
    }

    /// Anything without an entry exists in every version.
    fn has_entry(&self, plugin: &str, point: Option<Point>) -> bool {
        let index =
            POINT_ENTRIES.iter().position(|entry| entry.plugin == plugin && entry.point == point);
        index.is_none_or(|index| self.present & (1 << index) != 0)
    }
}

/// This part has no rows, because its entries affect no decision.
pub(in crate::history) const ROWS: &[PartRow<ExtensionPoints>] = &[];

/// A plugin, or one of its extension points, that only some versions have.
#[derive(Debug)]
pub struct PointEntry {
    /// The plugin's name.
    pub plugin: &'static str,
    /// `None` for the plugin as a whole.
    pub point: Option<Point>,
    /// The first version that has it; `None` for those before 1.23.
    pub since: Option<SchedulerVersion>,
    /// The first version that no longer has it.
    pub until: Option<SchedulerVersion>,
    /// Its upstream source.
    pub source: &'static str,
}

impl PointEntry {
    fn is_in(&self, version: SchedulerVersion) -> bool {
        self.since.is_none_or(|since| since <= version)
            && self.until.is_none_or(|until| version < until)
    }

    const fn since(
        plugin: &'static str,
        point: Option<Point>,
        minor: u16,
        source: &'static str,
    ) -> Self {
        Self { plugin, point, since: Some(SchedulerVersion::new(minor, 0)), until: None, source }
    }

    const fn until(
        plugin: &'static str,
        point: Option<Point>,
        minor: u16,
        source: &'static str,
    ) -> Self {
        Self { plugin, point, since: None, until: Some(SchedulerVersion::new(minor, 0)), source }
    }
}

pub static POINT_ENTRIES: &[PointEntry] = &[
    PointEntry::since(
        "SchedulingGates",
        None,
        26,
        "pkg/scheduler/framework/plugins/registry.go (1.26)",
    ),
    PointEntry::since(
        "DynamicResources",
        None,
        26,
        "pkg/scheduler/framework/plugins/registry.go (1.26)",
    ),
    PointEntry::until("NodeLabel", None, 28, "pkg/scheduler/framework/plugins/registry.go (1.28)"),
    PointEntry::until(
        "ServiceAffinity",
        None,
        28,
        "pkg/scheduler/framework/plugins/registry.go (1.28)",
    ),
    PointEntry::until(
        "NodePreferAvoidPods",
        None,
        28,
        "pkg/scheduler/framework/plugins/registry.go (1.28)",
    ),
    PointEntry::until(
        "NodeResourcesLeastAllocated",
        None,
        28,
        "pkg/scheduler/framework/plugins/registry.go (1.28)",
    ),
    PointEntry::until(
        "NodeResourcesMostAllocated",
        None,
        28,
        "pkg/scheduler/framework/plugins/registry.go (1.28)",
    ),
    PointEntry::until(
        "RequestedToCapacityRatio",
        None,
        28,
        "pkg/scheduler/framework/plugins/registry.go (1.28)",
    ),
    PointEntry::until(
        "SelectorSpread",
        None,
        29,
        "pkg/scheduler/framework/plugins/registry.go (1.29)",
    ),
    PointEntry::until(
        "CinderLimits",
        None,
        32,
        "pkg/scheduler/framework/plugins/registry.go (1.32)",
    ),
    PointEntry::until("EBSLimits", None, 32, "pkg/scheduler/framework/plugins/registry.go (1.32)"),
    PointEntry::until(
        "GCEPDLimits",
        None,
        32,
        "pkg/scheduler/framework/plugins/registry.go (1.32)",
    ),
    PointEntry::until(
        "AzureDiskLimits",
        None,
        32,
        "pkg/scheduler/framework/plugins/registry.go (1.32)",
    ),
    PointEntry::since(
        "NodeDeclaredFeatures",
        None,
        35,
        "pkg/scheduler/framework/plugins/registry.go (1.35)",
    ),
    PointEntry::since(
        "GangScheduling",
        None,
        35,
        "pkg/scheduler/framework/plugins/registry.go (1.35)",
    ),
    PointEntry::since(
        "TopologyPlacementGenerator",
        None,
        36,
        "pkg/scheduler/framework/plugins/registry.go (1.36)",
    ),
    PointEntry::since(
        "PodGroupPodsCount",
        None,
        36,
        "pkg/scheduler/framework/plugins/registry.go (1.36)",
    ),
    PointEntry::since(
        "DeferredPodScheduling",
        None,
        37,
        "pkg/scheduler/framework/plugins/registry.go (1.37)",
    ),
    PointEntry::since(
        "DynamicResources",
        Some(Point::PreBind),
        30,
        "pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (1.30)",
    ),
    PointEntry::until(
        "DynamicResources",
        Some(Point::PreScore),
        32,
        "pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (1.32)",
    ),
    PointEntry::until(
        "DynamicResources",
        Some(Point::PostBind),
        32,
        "pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (1.32)",
    ),
    PointEntry::since(
        "DefaultPreemption",
        Some(Point::PreEnqueue),
        32,
        "pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go (1.32)",
    ),
    PointEntry::until(
        "GangScheduling",
        Some(Point::Reserve),
        36,
        "pkg/scheduler/framework/plugins/gangscheduling/gangscheduling.go (1.36)",
    ),
    PointEntry::since(
        "NodeResourcesFit",
        Some(Point::PlacementScore),
        36,
        "pkg/scheduler/framework/plugins/noderesources/fit.go (1.36)",
    ),
    PointEntry::since(
        "NodeUnschedulable",
        Some(Point::PreFilter),
        37,
        "pkg/scheduler/framework/plugins/nodeunschedulable/node_unschedulable.go (1.37)",
    ),
    PointEntry::since(
        "TaintToleration",
        Some(Point::PreFilter),
        37,
        "pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go (1.37)",
    ),
    PointEntry::since(
        "DefaultPreemption",
        Some(Point::Reserve),
        38,
        "pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go (1.38.0-beta.0)",
    ),
    PointEntry::until(
        "GangScheduling",
        Some(Point::Permit),
        38,
        "pkg/scheduler/framework/plugins/gangscheduling/gangscheduling.go (1.38.0-beta.0)",
    ),
    PointEntry::since(
        "GangScheduling",
        Some(Point::PlacementFeasible),
        38,
        "pkg/scheduler/framework/plugins/gangscheduling/gangscheduling.go (1.38.0-beta.0)",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry;

    fn points(minor: u16) -> ExtensionPoints {
        let gates = crate::Overrides::new();
        ExtensionPoints::at(&At { version: SchedulerVersion::new(minor, 0), gates: &gates })
    }

    #[test]
    fn every_entry_is_of_a_registered_point_and_has_a_source() {
        assert!(POINT_ENTRIES.len() <= 32, "a bit each");
        for (index, PointEntry { plugin, point, since, until, source }) in
            POINT_ENTRIES.iter().enumerate()
        {
            if let Some(point) = point {
                let registered =
                    registry::in_tree(plugin).expect("a plugin of the scheduler's own");
                assert!(registered.elsewhere.contains(point), "{plugin} {point:?}");
            }
            assert!(since.is_some() || until.is_some(), "{plugin} {point:?}");
            assert!(source.contains('/') && source.ends_with(')'), "{source}");
            let again = POINT_ENTRIES
                .iter()
                .skip(index + 1)
                .any(|other| (other.plugin, other.point) == (plugin, *point));
            assert!(!again, "{plugin} {point:?}");
        }
    }

    #[test]
    fn entry_in_its_versions_is_present() {
        for (minor, pre_bind, post_bind) in
            [(29, false, true), (30, true, true), (31, true, true), (32, true, false)]
        {
            let points = points(minor);
            let has = |point| points.has("DynamicResources", point);
            assert_eq!(
                (has(Point::PreBind), has(Point::PostBind)),
                (pre_bind, post_bind),
                "1.{minor}"
            );
        }
        assert!(points(31).has_plugin("EBSLimits") && !points(32).has_plugin("EBSLimits"));
        assert!(
            points(23).has("DynamicResources", Point::Reserve)
                && points(23).has_plugin("ImageLocality")
        );
    }
}

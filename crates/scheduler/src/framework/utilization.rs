//! The utilization of a node with and without the pod, the input of resource scores.
//!
//! Upstream: `pkg/scheduler/framework/plugins/noderesources/resource_allocation.go`,
//! `pkg/scheduler/framework/plugins/helper/shape_score.go` (1.37).

use super::cluster_view::NodeInfo;
use super::cluster_view::known_nodes::ScoreKey;
use super::failure::{Crash, StepFailure};
use super::plugin::Cycle;
use super::plugin::MAX_NODE_SCORE;
use dra::{ClassTotals, Selectors};
use model::cluster::resources::{ResourceKind, Resources, capped_add, less};
use model::cluster::{NodeIx, Sym};
use profile::args::{ShapePoint, WeightedResource};

/// How containers without requests count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequestCounting {
    /// With their own requests only.
    AsAsked,
    /// With defaults for cpu and memory.
    WithDefaults,
}

/// One resource of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// Requested by the pods on the node.
    pub used: i64,
    /// Requested by the pods on the node and the incoming pod.
    pub requested: i64,
    /// The allocatable amount; it is 0 only up to 1.21.
    pub allocatable: i64,
    /// The weight of the resource in the score.
    pub weight: i64,
}

/// The scored resources, and how much of each the pod requests.
pub(crate) struct Scored<'c> {
    cycle: Cycle<'c>,
    resources: Vec<(ResourceKind, Sym, i64)>,
    wanted: Resources,
    /// By index of resource requests: cpu and memory with defaults; empty if they are not asked
    /// for.
    non_zero: &'c [(i64, i64)],
    /// Devices of the classes that provide scored extended resources.
    devices: Option<ClassTotals<'c>>,
}

impl<'c> Scored<'c> {
    /// Prepares the profile's `resources` for a pod that requests `wanted`.
    pub fn new(
        cycle: &Cycle<'c>,
        resources: &[WeightedResource],
        wanted: Resources,
        counting: RequestCounting,
        selectors: Selectors,
    ) -> Self {
        let (cluster, features) = (cycle.cluster(), cycle.features());
        let non_zero = match counting {
            RequestCounting::AsAsked => &[],
            RequestCounting::WithDefaults => cycle.view.non_zero_footprints(),
        };
        let resources: Vec<(ResourceKind, Sym, i64)> = resources
            .iter()
            .filter_map(|r| {
                // A resource that no object of the cluster names does not exist on any node.
                Some((ResourceKind::of(&r.name), cluster.symbols.get(&r.name)?, r.weight))
            })
            .collect();
        let scalars = resources.iter().filter(|(kind, ..)| *kind == ResourceKind::Scalar);
        let mut scalars = scalars.map(|(_, name, _)| *name).peekable();
        let are_devices_counted = scalars.peek().is_some()
            && features.dra.dra_extended_resources
            && features.requests.dra_extended_resources_score
            && cycle.view.profile.watches_device_classes();
        let devices = if are_devices_counted {
            let (known, in_use) = (cycle.view.device_selectors(), || cycle.view.devices_in_use());
            ClassTotals::new(cluster, &features.dra, known, in_use, scalars, selectors)
        } else {
            None
        };
        Self { cycle: *cycle, resources, wanted, non_zero, devices }
    }

    /// Nothing else of the pod counts than its requests, and nothing but the node and its pods, unless
    /// there are devices, which may be in use elsewhere.
    pub(crate) fn known_by(&self) -> Option<ScoreKey> {
        self.devices.is_none().then_some(ScoreKey::Requests(self.cycle.pod.resource_requests))
    }

    /// Whether the pod requests none of them.
    pub(crate) fn wants_nothing(&self) -> bool {
        self.resources.iter().all(|(kind, name, _)| self.wanted.amount(*kind, *name) == 0)
    }

    /// The resources that count on a node: those that the node has, and extended ones only if the
    /// pod requests them; up to 1.21, all.
    ///
    /// # Errors
    /// The crash of a scheduler that cannot evaluate the selectors of a class.
    pub(crate) fn on(&self, info: &NodeInfo) -> Result<Vec<Usage>, StepFailure> {
        let node = self.cycle.view.node(info.node);
        let non_zero = self.non_zero_on(info);
        let features = &self.cycle.features().requests;
        let add = if features.huge_sums_saturate { capped_add } else { i64::wrapping_add };
        let (requested, allocatable_there) =
            (self.cycle.view.requested(info), self.cycle.view.allocatable(info.node));
        let mut usages = Vec::with_capacity(self.resources.len());
        for (kind, name, weight) in &self.resources {
            let wanted = self.wanted.amount(*kind, *name);
            if wanted == 0 && *kind == ResourceKind::Scalar && features.absent_resources_unscored {
                continue;
            }
            let own = allocatable_there.amount(*kind, *name);
            // Devices may provide a resource that the node itself does not have.
            let totals =
                self.devices.as_ref().filter(|_| *kind == ResourceKind::Scalar && own == 0);
            let totals = match totals.map(|totals| totals.of(info.node, *name)) {
                Some(None) => return Err(StepFailure::Crash(Crash::NoSelectorsToScore)),
                totals => totals.flatten().filter(|(devices, _)| *devices > 0),
            };
            let allocatable = totals.map_or(own, |(devices, _)| devices);
            let takes_part = allocatable != 0 && (wanted != 0 || *kind != ResourceKind::Scalar);
            if !takes_part && features.absent_resources_unscored {
                continue;
            }
            let used = match (kind, non_zero) {
                (ResourceKind::Cpu, Some((cpu, _))) => cpu,
                (ResourceKind::Memory, Some((_, memory))) => memory,
                _ => totals.map_or(requested.amount(*kind, *name), |(_, in_use)| in_use),
            };
            let used = less(used, node.freed.amount(*kind, *name));
            usages.push(Usage { used, requested: add(used, wanted), allocatable, weight: *weight });
        }
        Ok(usages)
    }

    /// On how many of these nodes the scheduler may still remember a device as providing a resource
    /// that it no longer provides.
    pub(crate) fn may_remember_devices(&self, nodes: &[NodeIx]) -> usize {
        let Some(devices) = &self.devices else { return 0 };
        self.resources
            .iter()
            .filter(|(kind, name, _)| {
                *kind == ResourceKind::Scalar && self.wanted.amount(*kind, *name) != 0
            })
            .map(|(kind, name, _)| {
                devices.may_remember(
                    nodes.iter().copied().filter(|node| {
                        self.cycle.view.node(*node).allocatable.amount(*kind, *name) == 0
                    }),
                    *name,
                )
            })
            .max()
            .unwrap_or(0)
    }

    fn non_zero_on(&self, info: &NodeInfo) -> Option<(i64, i64)> {
        if self.non_zero.is_empty() {
            return None;
        }
        let cluster = self.cycle.cluster();
        let saturates = self.cycle.features().requests.huge_sums_saturate;
        let add = if saturates { capped_add } else { i64::wrapping_add };
        let (mut cpu, mut memory) = (0_i64, 0_i64);
        for pod in &info.pods {
            let requests = cluster.pod(*pod).resource_requests.0 as usize;
            let (more_cpu, more_memory) = self.non_zero.get(requests).copied().unwrap_or_default();
            (cpu, memory) = (add(cpu, more_cpu), add(memory, more_memory));
        }
        Some((cpu, memory))
    }
}

/// `part` of `whole` as a percentage; 100 if it exceeds `whole`, or if `whole` is 0.
pub(crate) fn percent(part: i64, whole: i64) -> i64 {
    if whole == 0 || part > whole {
        MAX_NODE_SCORE
    } else {
        part.wrapping_mul(MAX_NODE_SCORE).wrapping_div(whole)
    }
}

/// The value of a piecewise linear curve at `utilization`; constant outside its points.
pub(crate) fn on_curve(points: &[ShapePoint], utilization: i64) -> i64 {
    let Some(above) = points.iter().position(|p| utilization <= p.utilization) else {
        return points.last().map_or(0, |p| p.score);
    };
    match (above.checked_sub(1).and_then(|below| points.get(below)), points.get(above)) {
        (Some(from), Some(to)) => {
            let rise = (to.score - from.score) * (utilization - from.utilization);
            from.score + rise.checked_div(to.utilization - from.utilization).unwrap_or(0)
        }
        (None, Some(first)) => first.score,
        (_, None) => 0,
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use serde_json::json;

    use super::*;
    use crate::framework::cluster_view::ClusterView;
    use crate::testing::{cluster, device_class, node, objects, pod};
    use model::cluster::{NodeIx, PodIx};
    use profile::plugins::PointSettings;
    use profile::{PluginSettings, Profile, SchedulerVersion, VersionSource};

    fn curve(points: &[(i64, i64)]) -> Vec<ShapePoint> {
        points
            .iter()
            .map(|(utilization, score)| ShapePoint { utilization: *utilization, score: *score })
            .collect()
    }

    #[test]
    fn a_curve_is_straight_between_its_points_and_level_outside() {
        let rising = curve(&[(10, 20), (50, 40), (70, 100)]);
        for (utilization, score) in
            [(0, 20), (10, 20), (11, 20), (30, 30), (50, 40), (60, 70), (70, 100), (100, 100)]
        {
            assert_eq!(on_curve(&rising, utilization), score, "at {utilization}");
        }
        let falling = curve(&[(0, 100), (100, 0)]);
        assert_eq!(on_curve(&falling, 33), 67);
        assert_eq!(on_curve(&[], 50), 0);
    }

    #[test]
    fn more_than_all_is_all() {
        for (part, whole, expected) in
            [(1, 3, 33), (3, 3, 100), (4, 3, 100), (0, 3, 0), (1, 0, 100)]
        {
            assert_eq!(percent(part, whole), expected, "{part} of {whole}");
        }
    }

    #[test]
    fn devices_stand_for_extended_resources_that_a_node_lacks() {
        let class = serde_json::Value::from(device_class("gpus", "example.com/gpu"));
        let slice = json!({
            "apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "n"},
            "spec": {"driver": "gpu.example.com", "nodeName": "n", "devices": [{"name": "d0"}, {"name": "d1"}],
                "pool": {"name": "n", "generation": 1, "resourceSliceCount": 1}},
        });
        let gpu = WeightedResource { name: "example.com/gpu".to_owned(), weight: 1 };
        let incoming = pod("p").requests("example.com/gpu", "1");
        let cluster = cluster(objects![
            node("m").allocatable("example.com/gpu", "4"),
            node("n"),
            incoming,
            class,
            slice
        ]);
        let usage = |minor: u16, settings: PluginSettings| {
            let mut profile = Profile::new(SchedulerVersion::new(minor, 0), VersionSource::Flag);
            profile.features.dra.dra_extended_resources = true;
            profile.settings = settings;
            let view = ClusterView::new(&cluster, &profile);
            let cycle = Cycle::of(&view, PodIx(0), Timestamp::UNIX_EPOCH);
            let wanted = view.incoming(cycle.pod);
            let scored = Scored::new(
                &cycle,
                std::slice::from_ref(&gpu),
                wanted,
                RequestCounting::AsAsked,
                Selectors::Read,
            );
            [0, 1].map(|index| {
                scored
                    .on(view.info(NodeIx(index)))
                    .expect("no crash")
                    .first()
                    .map(|u| (u.requested, u.allocatable))
            })
        };
        assert_eq!(usage(35, PluginSettings::default()), [Some((1, 4)), Some((1, 2))]);
        assert_eq!(usage(34, PluginSettings::default()), [Some((1, 4)), None]);
        let without = |plugins: &[&str]| PluginSettings {
            multi_point: PointSettings {
                disabled: plugins.iter().map(ToString::to_string).collect(),
                ..PointSettings::default()
            },
            ..PluginSettings::default()
        };
        assert_eq!(usage(37, without(&["NodeResourcesFit"])), [Some((1, 4)), Some((1, 2))]);
        assert_eq!(usage(37, without(&["DynamicResources"])), [Some((1, 4)), Some((1, 2))]);
        assert_eq!(
            usage(37, without(&["NodeResourcesFit", "DynamicResources"])),
            [Some((1, 4)), None],
            "no plugin watches"
        );
        let mut at_one_point = without(&["*"]);
        at_one_point.elsewhere = vec![(
            "reserve",
            PointSettings {
                enabled: vec![("DynamicResources".to_owned(), 0)],
                disabled: Vec::new(),
            },
        )];
        assert_eq!(usage(37, at_one_point), [Some((1, 4)), Some((1, 2))]);
    }
}

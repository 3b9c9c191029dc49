//! The utilization of a node with and without the pod, the input of resource scores.
//!
//! Upstream: `pkg/scheduler/framework/plugins/noderesources/resource_allocation.go`,
//! `pkg/scheduler/framework/plugins/helper/shape_score.go` (1.37).

use super::cluster_view::NodeInfo;
use super::failure::{Crash, StepFailure};
use super::plugin::Cycle;
use super::plugin::MAX_NODE_SCORE;
use crate::dra::{ClassTotals, Selectors};
use model::cluster::resources::{ResourceKind, Resources, less};
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
        let scalars = resources
            .iter()
            .filter(|(kind, ..)| *kind == ResourceKind::Scalar)
            .map(|(_, name, _)| *name);
        let devices = features.dra.dra_extended_resources
            && features.requests.dra_extended_resources_score
            && cycle.view.profile.watches_device_classes();
        let devices = if devices {
            let (known, in_use) = (cycle.view.device_selectors(), || cycle.view.devices_in_use());
            ClassTotals::new(cluster, &features.dra, known, in_use, scalars, selectors)
        } else {
            None
        };
        Self { cycle: *cycle, resources, wanted, non_zero, devices }
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
        let mut usages = Vec::with_capacity(self.resources.len());
        for (kind, name, weight) in &self.resources {
            let wanted = self.wanted.amount(*kind, *name);
            if wanted == 0 && *kind == ResourceKind::Scalar && features.absent_resources_unscored {
                continue;
            }
            let own = node.allocatable.amount(*kind, *name);
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
                _ => totals.map_or(info.requested.amount(*kind, *name), |(_, in_use)| in_use),
            };
            let used = less(used, node.freed.amount(*kind, *name));
            usages.push(Usage {
                used,
                requested: used.wrapping_add(wanted),
                allocatable,
                weight: *weight,
            });
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
        let (mut cpu, mut memory) = (0_i64, 0_i64);
        for pod in &info.pods {
            let requests = cluster.pod(*pod).resource_requests.0 as usize;
            let (more_cpu, more_memory) = self.non_zero.get(requests).copied().unwrap_or_default();
            (cpu, memory) = (cpu.wrapping_add(more_cpu), memory.wrapping_add(more_memory));
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
mod tests;

//! How full a node is, and would be with the pod: what resource scores are made of.
//!
//! Upstream: `pkg/scheduler/framework/plugins/noderesources/resource_allocation.go`,
//! `pkg/scheduler/framework/plugins/helper/shape_score.go` (1.37).

use super::cluster_view::NodeInfo;
use super::plugin::Cycle;
use super::requests;
use super::score::MAX_NODE_SCORE;
use crate::cluster::resources::{ResourceKind, Resources};
use crate::cluster::symbols::Sym;
use crate::dra::ClassTotals;
use crate::profile::args::{ShapePoint, WeightedResource};

/// Whether containers that ask for nothing count for a little.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counting {
    /// As asked.
    AsAsked,
    /// With defaults for cpu and memory.
    WithDefaults,
}

/// One resource of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// In use without the pod.
    pub used: i64,
    /// In use with the pod.
    pub requested: i64,
    /// What the node has; 0 only up to 1.21.
    pub allocatable: i64,
    /// What the resource weighs.
    pub weight: i64,
}

/// The resources that a score looks at, and what the pod asks of them.
pub struct Scored<'c> {
    cycle: Cycle<'c>,
    resources: Vec<(ResourceKind, Sym, i64)>,
    wanted: Resources,
    /// By index of resource requests: cpu and memory with defaults; empty if they are not asked for.
    non_zero: Vec<(i64, i64)>,
    /// Devices of the classes that stand for scored resources.
    devices: Option<ClassTotals<'c>>,
}

impl<'c> Scored<'c> {
    /// Prepares `resources` of the profile for a pod that asks for `wanted`.
    #[must_use]
    pub fn new(cycle: &Cycle<'c>, resources: &[WeightedResource], wanted: Resources, counting: Counting) -> Self {
        let (cluster, features) = (cycle.cluster(), cycle.features());
        let of_name = |r: &WeightedResource| {
            // A resource that nothing in the cluster names is nowhere.
            Some((ResourceKind::of(&r.name), cluster.symbols.get(&r.name)?, r.weight))
        };
        let non_zero = match counting {
            Counting::AsAsked => Vec::new(),
            Counting::WithDefaults => {
                cluster.resource_requests.iter().map(|s| requests::non_zero_footprint(s, cluster, features)).collect()
            }
        };
        let resources: Vec<(ResourceKind, Sym, i64)> = resources.iter().filter_map(of_name).collect();
        let scalars = resources.iter().filter(|(kind, ..)| *kind == ResourceKind::Scalar).map(|(_, name, _)| *name);
        let devices = features.dra_extended_resources && features.dra_extended_resources_score;
        let devices = devices.then(|| ClassTotals::new(cluster, features, scalars));
        Self { cycle: *cycle, resources, wanted, non_zero, devices }
    }

    /// Whether the pod asks for none of them.
    #[must_use]
    pub fn wants_nothing(&self) -> bool {
        self.resources.iter().all(|(kind, name, _)| amount(&self.wanted, *kind, *name) == 0)
    }

    /// The resources that count on a node: those it has, extended ones only if the pod asks for them; up to 1.21, all.
    #[must_use]
    pub fn on(&self, info: &NodeInfo) -> Vec<Usage> {
        let node = self.cycle.view.node(info.node);
        let non_zero = self.non_zero_on(info);
        let usage = |(kind, name, weight): &(ResourceKind, Sym, i64)| {
            let wanted = amount(&self.wanted, *kind, *name);
            let own = amount(&node.allocatable, *kind, *name);
            // What a node does not have itself, its devices may stand for.
            let totals = self.devices.as_ref().filter(|_| *kind == ResourceKind::Scalar && own == 0);
            let totals = totals.map(|totals| totals.of(info.node, *name)).filter(|(devices, _)| *devices > 0);
            let allocatable = totals.map_or(own, |(devices, _)| devices);
            let takes_part = allocatable != 0 && (wanted != 0 || *kind != ResourceKind::Scalar);
            if !takes_part && self.cycle.features().absent_resources_unscored {
                return None;
            }
            let used = match (kind, non_zero) {
                (ResourceKind::Cpu, Some((cpu, _))) => cpu,
                (ResourceKind::Memory, Some((_, memory))) => memory,
                _ => totals.map_or(amount(&info.requested, *kind, *name), |(_, in_use)| in_use),
            };
            Some(Usage { used, requested: used.wrapping_add(wanted), allocatable, weight: *weight })
        };
        self.resources.iter().filter_map(usage).collect()
    }

    fn non_zero_on(&self, info: &NodeInfo) -> Option<(i64, i64)> {
        let cluster = self.cycle.cluster();
        let resource_requests =
            |pod| self.non_zero.get(cluster.pod(pod).resource_requests.0 as usize).copied().unwrap_or_default();
        let sum = |(cpu, memory): (i64, i64), (more_cpu, more_memory): (i64, i64)| {
            (cpu.wrapping_add(more_cpu), memory.wrapping_add(more_memory))
        };
        (!self.non_zero.is_empty()).then(|| info.pods.iter().map(|pod| resource_requests(*pod)).fold((0, 0), sum))
    }
}

fn amount(of: &Resources, kind: ResourceKind, name: Sym) -> i64 {
    match kind {
        ResourceKind::Cpu => of.milli_cpu,
        ResourceKind::Memory => of.memory,
        ResourceKind::EphemeralStorage => of.ephemeral_storage,
        ResourceKind::Scalar => of.scalar(name).unwrap_or(0),
        ResourceKind::Pods | ResourceKind::Ignored => 0,
    }
}

/// What `part` of `whole` is, in percent, as a share of the best score; 100 when it is more than all, or `whole` is 0.
#[must_use]
pub fn percent(part: i64, whole: i64) -> i64 {
    share(part, whole, MAX_NODE_SCORE)
}

/// What `part` of `whole` is, as a share of `best`; all of it when it is more than all, or `whole` is 0.
#[must_use]
pub fn share(part: i64, whole: i64, best: i64) -> i64 {
    if whole == 0 || part > whole { best } else { part.wrapping_mul(best).wrapping_div(whole) }
}

/// The score of a curve at `utilization`: straight lines between its points, level outside.
#[must_use]
pub fn on_curve(points: &[ShapePoint], utilization: i64) -> i64 {
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

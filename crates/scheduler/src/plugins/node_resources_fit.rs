//! `NodeResourcesFit`: the node has enough free resources for the pod.

mod doubts;
mod evidence;
mod messages;

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use smallvec::SmallVec;

use crate::dra::Selectors;
use crate::framework::cluster_view::NodeInfo;
use crate::framework::delegated;
use crate::framework::evidence::{Evidence, InsufficientResource};
use crate::framework::failure::StepFailure;
use crate::framework::operands::{RequestPart, ResourceId};
use crate::framework::plugin::{Cycle, Filter, Plugin, Prepared, RuleDoc, Signer};
use crate::framework::reason::ReasonText;
use crate::framework::requests;
use crate::framework::score::{PreparedScore, Score, ScorePlugin};
use crate::framework::status::{Code, FilterVerdict, Reason, Rejection};
use crate::framework::utilization::{RequestCounting, Scored, Usage, on_curve, percent};
use model::cluster::resources::{Resources, is_extended};
use model::cluster::{NodeIx, Pod, Sym};
use profile::PluginArgs;
use profile::args::{FitScoring, FitStrategy};
use profile::history::{ClassLookup, ZeroRequests};

pub struct NodeResourcesFit;

static DOC: RuleDoc = RuleDoc {
    name: "NodeResourcesFit",
    code: "PRE-106",
    summary: "The node's allocatable resources, less the requests of its pods, cover the requests of the pod.",
    preemption: "Helps, unless the pod requests more than the node's allocatable (since 1.34 such a node is not tried).",
    scores: Some(
        "Prefers nodes with the largest share of cpu and memory left (LeastAllocated, unless configured otherwise).",
    ),
    messages: messages::ALL,
    retried_on: Some("a node is added or its allocatable changes, a pod is deleted or scaled down"),
    source: "pkg/scheduler/framework/plugins/noderesources/fit.go (1.37)",
};

impl Signer for NodeResourcesFit {
    fn shares_nothing(&self, cycle: &Cycle) -> bool {
        delegated::leaves_to_devices(cycle)
    }

    fn sees_alike(&self, cycle: &Cycle, other: &Pod) -> bool {
        cycle.view.incoming(cycle.pod) == cycle.view.incoming(other)
    }
}

impl Plugin for NodeResourcesFit {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn prepare<'c>(&self, cycle: &Cycle<'c>) -> Prepared<'c> {
        let (cluster, features) = (cycle.cluster(), cycle.features());
        let wanted = cycle.view.incoming(cycle.pod);
        if features.requests.sidecars_known && !features.requests.sidecars && has_sidecar(cycle) {
            let refused = Rejection::unresolvable(messages::NO_SIDECARS.reason());
            return if features.node_resources_fit.sidecars_refused_in_pre_filter {
                Prepared::Reject(refused)
            } else {
                Prepared::ready(NoSidecars(refused))
            };
        }
        let args = &cycle.view.profile.args;
        let mut scalars: Vec<(Sym, i64)> = wanted.scalars.to_vec();
        scalars.retain(|(name, _)| {
            let name = cluster.text(*name);
            let group = name.split_once('/').map_or(name, |(group, _)| group);
            let is_ignored = args.ignored_resources.iter().any(|r| r == name)
                || args.ignored_resource_groups.iter().any(|g| g == group);
            !(is_ignored && is_extended(name))
        });
        // Upstream's order is that of a map; sorting by name makes the reasons reproducible.
        scalars.sort_by(|a, b| cluster.text(a.0).cmp(cluster.text(b.0)));
        let delegated = delegated::to_devices(cycle, &wanted);
        let parts = parts(cycle, &wanted, &scalars);
        let asks = wanted != Resources::default();
        Prepared::ready(FitFilter { cycle: *cycle, wanted, asks, scalars, delegated, parts })
    }

    fn error_without_pre_filter(&self) -> Option<&'static str> {
        Some(r#"error reading "PreFilterNodeResourcesFit" from cycleState: not found"#)
    }
}

fn has_sidecar(cycle: &Cycle) -> bool {
    let resource_requests = cycle.cluster().resource_requests.get(cycle.pod.resource_requests);
    resource_requests.is_some_and(|resource_requests| {
        resource_requests.init_containers.iter().any(|container| container.sidecar)
    })
}

/// Rejects every node.
struct NoSidecars(Rejection);

impl Filter for NoSidecars {
    fn check(&self, _: &NodeInfo) -> FilterVerdict {
        FilterVerdict::Rejected(self.0.clone())
    }

    fn reads_pods(&self) -> bool {
        false
    }
}

/// The origin of the requests, for resources that not only containers request.
fn parts(
    cycle: &Cycle,
    wanted: &Resources,
    scalars: &[(Sym, i64)],
) -> Vec<(ResourceId, Arc<[RequestPart]>)> {
    let (cluster, features) = (cycle.cluster(), &cycle.features().requests);
    let Some(requests) = cluster.resource_requests.get(cycle.pod.resource_requests) else {
        return Vec::new();
    };
    let mut all = vec![(ResourceId::Cpu, wanted.milli_cpu), (ResourceId::Memory, wanted.memory)];
    all.push((ResourceId::EphemeralStorage, wanted.ephemeral_storage));
    all.extend(scalars.iter().map(|(name, amount)| (ResourceId::Scalar(*name), *amount)));
    let mut found = Vec::new();
    for (resource, requested) in all {
        let Some(name) = cluster.symbols.get(resource.name(cluster)) else { continue };
        let parts = requests::parts(requests, cluster, features, name, requested);
        if !parts.is_empty() {
            found.push((resource, parts.into()));
        }
    }
    found
}

struct FitFilter<'c> {
    cycle: Cycle<'c>,
    wanted: Resources,
    /// Whether the pod requests anything.
    asks: bool,
    /// Scalar resources by name.
    scalars: Vec<(Sym, i64)>,
    /// Scalar resources that DynamicResources allocates on nodes that do not have them.
    delegated: BTreeSet<Sym>,
    /// The origin of the requests, for those who read the rejection.
    parts: Vec<(ResourceId, Arc<[RequestPart]>)>,
}

/// Amounts of one resource: requested by the pod, used on the node, and allocatable there.
#[derive(Clone, Copy)]
struct Amounts {
    requested: i64,
    used: i64,
    allocatable: i64,
}

impl FitFilter<'_> {
    /// Passes each resource that the node has too little of to `found`, in upstream's order, until
    /// that breaks.
    fn shortages(
        &self,
        info: &NodeInfo,
        mut found: impl FnMut(ResourceId, Amounts) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let (node, features) =
            (self.cycle.view.node(info.node), &self.cycle.features().node_resources_fit);
        let (wanted, used, has) = (&self.wanted, node.used(&info.requested), &node.allocatable);

        let pods = node.used_pods(info.pods.len() + info.unknown);
        if pods.saturating_add(1) > node.allocatable_pods {
            let amounts = Amounts { requested: 1, used: pods, allocatable: node.allocatable_pods };
            found(ResourceId::Pods, amounts)?;
        }

        // A pod without any requests fits on an overcommitted node.
        let zero_counts = self.asks && features.fit_zero_requests != ZeroRequests::NeverShort;
        for (resource, requested, used, allocatable) in [
            (ResourceId::Cpu, wanted.milli_cpu, used.milli_cpu, has.milli_cpu),
            (ResourceId::Memory, wanted.memory, used.memory, has.memory),
            (
                ResourceId::EphemeralStorage,
                wanted.ephemeral_storage,
                used.ephemeral_storage,
                has.ephemeral_storage,
            ),
        ] {
            let amounts = Amounts { requested, used, allocatable };
            if self.is_short(amounts, zero_counts) {
                found(resource, amounts)?;
            }
        }

        let zero_counts = features.fit_zero_requests == ZeroRequests::Short;
        for (name, requested) in &self.scalars {
            let allocatable = has.scalar(*name).unwrap_or(0);
            // DynamicResources allocates these on nodes that do not have them.
            let lacks = match self.cycle.features().dra.dra_class_lookup {
                ClassLookup::Map => has.scalar(*name).is_none(),
                ClassLookup::Cache => allocatable <= 0,
            };
            if lacks && self.delegated.contains(name) {
                continue;
            }
            let used = used.scalar(*name).unwrap_or(0);
            let amounts = Amounts { requested: *requested, used, allocatable };
            if self.is_short(amounts, zero_counts) {
                found(ResourceId::Scalar(*name), amounts)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Upstream's reason for too little of a resource.
    fn text(&self, resource: ResourceId) -> ReasonText {
        match resource {
            ResourceId::Pods if self.cycle.features().node_resources_fit.too_many_pods_text => {
                messages::TOO_MANY_PODS.reason()
            }
            ResourceId::Pods => messages::INSUFFICIENT_PODS.reason(),
            ResourceId::Cpu => messages::INSUFFICIENT_CPU.reason(),
            ResourceId::Memory => messages::INSUFFICIENT_MEMORY.reason(),
            ResourceId::EphemeralStorage => messages::INSUFFICIENT_EPHEMERAL_STORAGE.reason(),
            ResourceId::Scalar(name) => messages::INSUFFICIENT.name(name),
        }
    }

    /// Whether a request exceeds what is left. On an overcommitted node a request of zero does only
    /// if it counts.
    fn is_short(&self, amounts: Amounts, zero_counts: bool) -> bool {
        let Amounts { requested, used, allocatable } = amounts;
        if requested == 0 && !zero_counts {
            return false;
        }
        if self.cycle.features().node_resources_fit.fit_by_what_is_left {
            requested > allocatable.wrapping_sub(used)
        } else {
            requested.wrapping_add(used) > allocatable
        }
    }

    /// The origin of the request for a resource.
    fn parts_of(&self, resource: ResourceId) -> Option<Arc<[RequestPart]>> {
        let (_, parts) = self.parts.iter().find(|(of, _)| *of == resource)?;
        Some(Arc::clone(parts))
    }
}

impl Filter for FitFilter<'_> {
    fn check(&self, node: &NodeInfo) -> FilterVerdict {
        let mut reasons = SmallVec::new();
        let mut exceeds_node = false;
        let _: ControlFlow<()> = self.shortages(node, |resource, amounts| {
            let Amounts { requested, used, allocatable } = amounts;
            exceeds_node |= resource != ResourceId::Pods && requested > allocatable;
            let parts = self.parts_of(resource);
            let lack = InsufficientResource { resource, requested, used, allocatable, parts };
            reasons.push(Reason { text: self.text(resource), evidence: lack.grounds() });
            ControlFlow::Continue(())
        });
        if reasons.is_empty() {
            return FilterVerdict::Fits;
        }
        let hopeless = exceeds_node
            && self.cycle.features().node_resources_fit.fit_beyond_allocatable_unresolvable;
        let code = if hopeless { Code::UnschedulableAndUnresolvable } else { Code::Unschedulable };
        FilterVerdict::Rejected(Rejection { code, reasons })
    }

    fn fits(&self, node: &NodeInfo) -> bool {
        self.shortages(node, |_, _| ControlFlow::Break(())).is_continue()
    }
}

impl ScorePlugin for NodeResourcesFit {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn prepare<'c>(&self, cycle: &Cycle<'c>, nodes: &[NodeIx]) -> PreparedScore<'c> {
        FIT.prepare(cycle, nodes)
    }
}

/// A scoring strategy with its own arguments; up to 1.22 there was one plugin for each.
pub struct Scoring(fn(&PluginArgs) -> &FitScoring);

/// NodeResourcesFit.
static FIT: Scoring = Scoring(|args| &args.fit_scoring);
/// NodeResourcesLeastAllocated.
pub static LEAST_ALLOCATED: Scoring = Scoring(|args| &args.least_allocated);
/// NodeResourcesMostAllocated.
pub static MOST_ALLOCATED: Scoring = Scoring(|args| &args.most_allocated);
/// RequestedToCapacityRatio.
pub static CAPACITY_RATIO: Scoring = Scoring(|args| &args.capacity_ratio);

impl Scoring {
    /// The resources that it uses.
    fn scored<'c>(&self, cycle: &Cycle<'c>) -> Scored<'c> {
        let wanted = cycle.cluster().resource_requests.get(cycle.pod.resource_requests);
        let wanted = wanted.map(|resource_requests| {
            requests::scored(resource_requests, cycle.cluster(), &cycle.features().requests)
        });
        let (wanted, counting) = (wanted.unwrap_or_default(), RequestCounting::WithDefaults);
        let resources = &(self.0)(&cycle.view.profile.args).resources;
        Scored::new(cycle, resources, wanted, counting, Selectors::Read)
    }
}

impl Signer for Scoring {
    fn sees_alike(&self, _: &Cycle, _: &Pod) -> bool {
        // No release that has it shares scores.
        true
    }
}

impl ScorePlugin for Scoring {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn prepare<'c>(&self, cycle: &Cycle<'c>, _: &[NodeIx]) -> PreparedScore<'c> {
        let strategy = &(self.0)(&cycle.view.profile.args).strategy;
        PreparedScore::ready(Fullness {
            scored: self.scored(cycle),
            strategy,
            best: cycle.max_score(),
        })
    }
}

/// The utilization that the node would have.
struct Fullness<'c> {
    scored: Scored<'c>,
    strategy: &'c FitStrategy,
    /// The maximum score.
    best: i64,
}

impl Fullness<'_> {
    fn of_resource(&self, usage: &Usage) -> i64 {
        match self.strategy {
            FitStrategy::LeastAllocated | FitStrategy::MostAllocated if usage.allocatable == 0 => 0,
            FitStrategy::LeastAllocated if usage.requested > usage.allocatable => 0,
            FitStrategy::LeastAllocated => {
                // Parity: sums that overflowed are negative, and give scores above the maximum.
                let left = usage.allocatable.wrapping_sub(usage.requested);
                left.wrapping_mul(self.best).wrapping_div(usage.allocatable)
            }
            FitStrategy::MostAllocated => percent(usage.requested, usage.allocatable),
            FitStrategy::RequestedToCapacityRatio(points) => {
                on_curve(points, percent(usage.requested, usage.allocatable))
            }
        }
    }
}

impl Score for Fullness<'_> {
    fn score(&self, node: &NodeInfo) -> Result<i64, StepFailure> {
        let usages = self.scored.on(node)?;
        let curved = matches!(self.strategy, FitStrategy::RequestedToCapacityRatio(_));
        let (mut sum, mut weights) = (0i64, 0i64);
        for usage in &usages {
            let score = self.of_resource(usage);
            if score > 0 || !curved {
                sum = sum.wrapping_add(score.wrapping_mul(usage.weight));
                weights += usage.weight;
            }
        }
        Ok(match (weights, curved) {
            (0, _) => 0,
            (_, true) => round(sum, weights),
            (_, false) => sum / weights,
        })
    }

    fn narrowed(&self, _: &[NodeIx]) -> Option<Box<dyn Score + '_>> {
        None
    }
}

/// To the nearest integer, halves away from zero.
#[expect(clippy::cast_precision_loss, reason = "upstream divides as float64, too")]
fn round(sum: i64, by: i64) -> i64 {
    (sum as f64 / by as f64).round() as i64
}

#[cfg(test)]
mod tests;

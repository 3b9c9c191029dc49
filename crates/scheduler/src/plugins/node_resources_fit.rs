//! `NodeResourcesFit`: the node has enough free resources for the pod.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use smallvec::SmallVec;

use crate::framework::claims::{leaves_to_devices, to_devices};
use crate::framework::cluster_view::NodeInfo;
use crate::framework::cluster_view::known_nodes::ScoreKey;
use crate::framework::doubts::{DoubtContext, Doubts};
use crate::framework::evidence::{
    Evidence, Fact, InsufficientResource, Nearness, Obstruction, RejectedOn,
};
use crate::framework::failure::StepFailure;
use crate::framework::operands::{RequestOrigin, RequestPart, ResourceId};
use crate::framework::plugin::{Cycle, Filter, MAX_NODE_SCORE, Plugin, Prepared, RuleDoc, Signer};
use crate::framework::reason::{Message, Obstacle, ReasonText, When};
use crate::framework::requests;
use crate::framework::score::{PreparedScore, Score, ScorePlugin};
use crate::framework::status::{Code, FilterVerdict, Reason, Rejection};
use crate::framework::utilization::{RequestCounting, Scored, Usage, on_curve, percent};
use dra::Selectors;
use json::evidence::{Evidence as JsonEvidence, RequestPart as RequestPartJson};
use model::cluster::resources::{Resources, is_extended};
use model::cluster::{Cluster, NodeIx, Pod, Sym};
use model::notes::{Note, NoteDoc};
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
    messages: ALL,
    retried_on: Some("a node is added or its allocatable changes, a pod is deleted or scaled down"),
    source: "pkg/scheduler/framework/plugins/noderesources/fit.go (1.37)",
};

impl Signer for NodeResourcesFit {
    fn shares_nothing(&self, cycle: &Cycle) -> bool {
        leaves_to_devices(cycle)
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
            let refused = Rejection::unresolvable(NO_SIDECARS.reason());
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
        let delegated = to_devices(cycle, &wanted);
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
    let mut by_resource = Vec::new();
    for (resource, requested) in all {
        let Some(name) = cluster.symbols.get(resource.name(cluster)) else { continue };
        let parts = requests::parts(requests, cluster, features, name, requested);
        if !parts.is_empty() {
            by_resource.push((resource, parts.into()));
        }
    }
    by_resource
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
        let (view, features) = (self.cycle.view, &self.cycle.features().node_resources_fit);
        let (node, requested) = (view.node(info.node), view.requested(info));
        let (wanted, used) = (&self.wanted, node.used(&requested));
        let has = view.allocatable(info.node);

        let (pods, allocatable) =
            (node.used_pods(info.pods.len() + info.unknown), view.allocatable_pods(info.node));
        if pods.saturating_add(1) > allocatable {
            let amounts = Amounts { requested: 1, used: pods, allocatable };
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
                TOO_MANY_PODS.reason()
            }
            ResourceId::Pods => INSUFFICIENT_PODS.reason(),
            ResourceId::Cpu => INSUFFICIENT_CPU.reason(),
            ResourceId::Memory => INSUFFICIENT_MEMORY.reason(),
            ResourceId::EphemeralStorage => INSUFFICIENT_EPHEMERAL_STORAGE.reason(),
            ResourceId::Scalar(name) => INSUFFICIENT.name(name),
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

    fn reads_node_alone(&self) -> bool {
        true
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
            exact: cycle.features().node_resources_fit.fit_scores_exact,
        })
    }
}

/// The utilization that the node would have.
struct Fullness<'c> {
    scored: Scored<'c>,
    strategy: &'c FitStrategy,
    /// The maximum score.
    best: i64,
    /// Whether shares are exact however large the amounts are.
    exact: bool,
}

impl Fullness<'_> {
    fn of_resource(&self, usage: &Usage) -> i64 {
        match self.strategy {
            FitStrategy::LeastAllocated | FitStrategy::MostAllocated if usage.allocatable == 0 => 0,
            FitStrategy::LeastAllocated if usage.requested > usage.allocatable => 0,
            FitStrategy::LeastAllocated if self.exact => {
                let left = usage.allocatable.saturating_sub(usage.requested.max(0));
                exact_share(left, usage.allocatable, self.best)
            }
            FitStrategy::LeastAllocated => {
                // Parity: sums that overflowed are negative, and give scores above the maximum.
                let left = usage.allocatable.wrapping_sub(usage.requested);
                left.wrapping_mul(self.best).wrapping_div(usage.allocatable)
            }
            FitStrategy::MostAllocated => self.utilization(usage),
            FitStrategy::RequestedToCapacityRatio(points) => {
                on_curve(points, self.utilization(usage))
            }
        }
    }

    fn utilization(&self, usage: &Usage) -> i64 {
        if self.exact && usage.allocatable != 0 {
            exact_share(usage.requested, usage.allocatable, MAX_NODE_SCORE)
        } else {
            percent(usage.requested, usage.allocatable)
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

    fn known_by(&self) -> Option<ScoreKey> {
        self.scored.known_by()
    }

    fn narrowed(&self, _: &[NodeIx]) -> Option<Box<dyn Score + '_>> {
        None
    }
}

/// How much of `best` the `part` of a `whole` is worth.
fn exact_share(part: i64, whole: i64, best: i64) -> i64 {
    if whole <= 0 || part <= 0 {
        return 0;
    }
    let share = i128::from(part.min(whole)) * i128::from(best) / i128::from(whole);
    i64::try_from(share).unwrap_or(best)
}

/// To the nearest integer, halves away from zero.
#[expect(clippy::cast_precision_loss, reason = "upstream divides as float64, too")]
fn round(sum: i64, by: i64) -> i64 {
    (sum as f64 / by as f64).round() as i64
}

/// All of them.
static ALL: &[&Message] = &[
    &INSUFFICIENT_CPU,
    &INSUFFICIENT_MEMORY,
    &INSUFFICIENT_EPHEMERAL_STORAGE,
    &INSUFFICIENT_PODS,
    &TOO_MANY_PODS,
    &INSUFFICIENT,
    &NO_SIDECARS,
];

static INSUFFICIENT_CPU: Message = Message {
    code: "PRE-201",
    text: "Insufficient cpu",
    meaning: "Not enough unrequested CPU; real usage does not count.",
    preemption: "Helps, unless the pod requests more than the node's allocatable.",
    remedy: "lower the cpu requests, free cpu on a node, or add a node that has enough",
    obstacle: Obstacle::Room,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/noderesources/fit.go (1.37)",
};

static INSUFFICIENT_MEMORY: Message = Message {
    code: "PRE-202",
    text: "Insufficient memory",
    meaning: "Not enough unrequested memory; real usage does not count.",
    preemption: "Helps, unless the pod requests more than the node's allocatable.",
    remedy: "lower the memory requests, free memory on a node, or add a node that has enough",
    obstacle: Obstacle::Room,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/noderesources/fit.go (1.37)",
};

static INSUFFICIENT_EPHEMERAL_STORAGE: Message = Message {
    code: "PRE-203",
    text: "Insufficient ephemeral-storage",
    meaning: "The node's pods leave less ephemeral storage of its allocatable than the pod requests.",
    preemption: "Helps, unless the pod requests more than the node's allocatable.",
    remedy: "lower the ephemeral-storage requests, or add a node that has enough",
    obstacle: Obstacle::Room,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/noderesources/fit.go (1.37)",
};

static INSUFFICIENT_PODS: Message = Message {
    code: "PRE-204",
    text: "Insufficient pods",
    meaning: "The node runs as many pods as it may.",
    preemption: "Helps: an evicted pod makes room for one.",
    remedy: "add a node, or raise maxPods of the kubelet",
    obstacle: Obstacle::Room,
    when: When::Rows(&[|f| !f.node_resources_fit.too_many_pods_text]),
    source: "pkg/scheduler/framework/plugins/noderesources/fit.go (1.17)",
};

static TOO_MANY_PODS: Message = Message {
    code: "PRE-205",
    text: "Too many pods",
    when: When::Rows(&[|f| f.node_resources_fit.too_many_pods_text]),
    source: "pkg/scheduler/framework/plugins/noderesources/fit.go (1.37)",
    ..INSUFFICIENT_PODS
};

pub static INSUFFICIENT: Message = Message {
    code: "PRE-207",
    text: "Insufficient {}",
    meaning: "The node has too little unrequested of this extended resource or hugepage size, or none at all.",
    preemption: "Helps, unless the pod requests more than the node's allocatable.",
    remedy: "make sure that the device plugin runs on a node that has the resource, free some of it, or request less",
    obstacle: Obstacle::Room,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/noderesources/fit.go (1.37)",
};

static NO_SIDECARS: Message = Message {
    code: "PRE-208",
    text: "Pod has a restartable init container and the SidecarContainers feature is disabled",
    meaning: "The scheduler of this version refuses pods with sidecar containers (init containers with restartPolicy Always), since its gate is off.",
    preemption: "Never: evicting pods does not change the pod.",
    remedy: "enable SidecarContainers, or make the sidecar an ordinary container",
    obstacle: Obstacle::Pod,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/noderesources/fit.go (1.32)",
};

impl Evidence for InsufficientResource {
    fn nearness(&self, _: &RejectedOn) -> Nearness {
        if self.is_enough_when_empty() {
            return Nearness::Full;
        }
        match (self.resource, self.allocatable) {
            // A node without any of an extended resource belongs to a pool without the device.
            (ResourceId::Scalar(_), 0) => Nearness::OtherPool,
            _ => Nearness::TooSmall,
        }
    }

    fn obstruction(&self) -> Obstruction<'_> {
        Obstruction::Lack(self)
    }

    fn json(&self, cluster: &Cluster) -> Vec<JsonEvidence> {
        let amount = |value: i64| self.resource.amount(value, cluster);
        let parts = self.parts.iter().flat_map(|parts| parts.iter());
        vec![JsonEvidence::Resource {
            resource: self.resource.name(cluster).to_owned(),
            requested: amount(self.requested),
            used: amount(self.used),
            allocatable: amount(self.allocatable),
            parts: parts.map(|part| part_json(self.resource, part, cluster)).collect(),
        }]
    }

    fn facts<'e>(&'e self, _: &Cluster) -> Vec<Fact<'e>> {
        vec![Fact::Lack(self)]
    }
}

fn part_json(resource: ResourceId, part: &RequestPart, cluster: &Cluster) -> RequestPartJson {
    let names = |names: &[Sym]| {
        let given = names.iter().filter(|name| !name.is_empty());
        given.map(|name| cluster.text(*name).to_owned()).collect()
    };
    let (origin, names) = match &part.origin {
        RequestOrigin::Containers => ("Containers", Vec::new()),
        RequestOrigin::Sidecars { names: sidecars } => ("Sidecars", names(sidecars)),
        RequestOrigin::InitContainer { name } => ("InitContainer", names(&[*name])),
        RequestOrigin::PodLevel => ("PodLevel", Vec::new()),
        RequestOrigin::Overhead { runtime_class } => ("Overhead", names(&[*runtime_class])),
    };
    RequestPartJson { amount: resource.amount(part.amount, cluster), origin: origin.into(), names }
}

static REMEMBERED_DEVICES: NoteDoc = NoteDoc {
    code: "PRE-966",
    name: "devices that a scheduler may remember as they were",
    meaning: "NodeResourcesFit scores an extended resource by the devices that its DeviceClass selects. kube-scheduler keeps in mind which devices were selected and does not look at them again, even when their ResourceSlice changes.",
};

static NOTES: &[&NoteDoc] = &[&REMEMBERED_DEVICES];

impl Doubts for NodeResourcesFit {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn notes(&self) -> &'static [&'static NoteDoc] {
        NOTES
    }

    fn doubts(&self, context: &DoubtContext) -> Vec<Note> {
        let cycle = context.cycle;
        let scores = cycle.view.profile.plugins.score.iter().any(|(name, _)| *name == DOC.name);
        if !scores || !context.scores_decide() {
            return Vec::new();
        }
        let scored = FIT.scored(cycle);
        let feasible: Vec<NodeIx> = context.feasible().collect();
        let count = scored.may_remember_devices(&feasible);
        if count == 0 {
            return Vec::new();
        }
        let text = format!(
            "devices on {count} nodes are not of the class that provides an extended resource, and their ResourceSlices have \
             changed; a scheduler that saw them when they were of that class still counts them in scores"
        );
        vec![Note::error(&REMEMBERED_DEVICES, text).about(cycle.cluster().pod_subject(cycle.ix))]
    }
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod doubts_tests {
    use profile::args::WeightedResource;
    use serde_json::{Value, json};

    use crate::testing::{at, device_class, node, objects, pod};

    const GPU: &str = "example.com/gpu";

    /// Devices of a node with these models, in a pool of this generation.
    fn devices(node: &str, models: &[&str], generation: i64) -> Value {
        let of_model = |(index, model): (usize, &&str)| json!({"name": format!("d{index}"), "attributes": {"model": {"string": model}}});
        let devices: Vec<Value> = models.iter().enumerate().map(of_model).collect();
        json!({"kind": "ResourceSlice", "metadata": {"name": node}, "spec": {"driver": "d.example.com", "nodeName": node,
            "pool": {"name": node, "generation": generation, "resourceSliceCount": 1}, "devices": devices}})
    }

    #[test]
    fn devices_that_were_of_a_class_may_still_count() {
        let of_model_a = r#"device.attributes["d.example.com"].model == "a""#;
        let of_driver =
            r#"device.driver == "other.example.com" || device.driver == "d.example.com""#;
        let notes = |selector: &str, models: &[&str], generation: i64, scored: bool| {
            let mut class: Value = device_class("g", GPU).into();
            class["spec"]["selectors"] = json!([{"cel": {"expression": selector}}]);
            let at = at("1.37").with(if scored {
                |profile| {
                    profile
                        .args
                        .fit_scoring
                        .resources
                        .push(WeightedResource { name: GPU.to_owned(), weight: 1 });
                }
            } else {
                |_| {}
            });
            let objects = objects![
                class,
                node("n1").cpu("4"),
                node("n2").cpu("4"),
                devices("n1", models, generation),
                devices("n2", models, 1),
                pod("p").cpu("1").requests(GPU, "1")
            ];
            let answer = at.decide(objects, "p");
            answer
                .notes()
                .iter()
                .filter(|note| note.contains("still counts them"))
                .cloned()
                .collect::<Vec<_>>()
        };
        for (row, selector, models, generation, scored, want) in [
            ("one is not any more", of_model_a, &["a", "b"][..], 2, true, 1),
            ("all are", of_model_a, &["a", "a"], 2, true, 0),
            ("nothing has changed", of_model_a, &["a", "b"], 1, true, 0),
            ("all of its driver are", of_driver, &["a", "b"], 2, true, 0),
            ("it is not scored", of_model_a, &["a", "b"], 2, false, 0),
        ] {
            let notes = notes(selector, models, generation, scored);
            assert_eq!(notes.len(), want, "{row}: {notes:?}");
            assert!(notes.iter().all(|note| note.starts_with("error")), "{row}: {notes:?}");
        }
    }
}

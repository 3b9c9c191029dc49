//! An in-place resize that a kubelet has deferred or refused: what is lacking, who has it, and what
//! the preemption for resizes would evict.

use engine::cluster::{Cluster, Kind, Pod, PodIx};
use engine::framework::cluster_view::ClusterView;
use engine::framework::operands::ResourceId;
use engine::preemption::budgets::{self, BudgetIndex};

use super::{NextLook, NotRunning, cut};
use crate::words;
use crate::words::arguments;

/// Maximum number of pods that are named.
const NAMED: usize = 3;
/// The feature gate of 1.37 (alpha) with which kube-scheduler evicts pods for a deferred resize.
const GATE: &str = "InPlacePodVerticalScalingSchedulerPreemption";

/// A resource of which the node has too little for the resize.
struct Lacking {
    resource: ResourceId,
    wanted: i64,
    allocatable: i64,
    /// What the other pods of the node have.
    others: i64,
}

impl Lacking {
    fn missing(&self) -> i64 {
        self.wanted - (self.allocatable - self.others)
    }

    fn amount(&self, amount: i64, cluster: &Cluster) -> String {
        self.resource.amount(amount, cluster)
    }
}

/// The resize that the pod waits for.
pub(super) fn pending(view: &ClusterView<'_>, ix: PodIx) -> Option<NotRunning> {
    let cluster = view.cluster;
    let pod = cluster.pod(ix);
    let resize = pod.resize.as_deref()?;
    let cause = cause(pod)?;
    let node = cluster.node_of(ix)?;
    let name = cluster.node_name(node);
    let mut details = Vec::new();

    // An infeasible resize does not count in what the pod requests, so only its text is known.
    if &*resize.reason == "Deferred" {
        for lacking in lacking(view, ix) {
            let holders = holders(view, ix, &lacking);
            details.push(format!(
                "{name} has {} of {}: {} wanted, {} in use by other pods ({}), {} more has to become free",
                lacking.amount(lacking.allocatable, cluster),
                lacking.resource.name(cluster),
                lacking.amount(lacking.wanted, cluster),
                lacking.amount(lacking.others, cluster),
                words::list(&holders, NAMED),
                lacking.amount(lacking.missing(), cluster)
            ));
        }
        details.extend(evicted(view, ix));
    }
    let look = ["node", name].map(str::to_owned);
    Some(NotRunning { cause, details, look: Some(NextLook::Own(arguments(&look))) })
}

/// What the kubelet says of the resize.
pub(super) fn cause(pod: &Pod) -> Option<String> {
    let resize = pod.resize.as_deref()?;
    let what = match &*resize.reason {
        "Deferred" => "is deferred",
        "Infeasible" => "can never be done on this node",
        _ => "fails",
    };
    let said = match &*resize.message {
        "" => String::new(),
        message => format!(": {}", cut(message)),
    };
    Some(format!("its in-place resize {what}{said}"))
}

/// The resources of which the node has too little.
fn lacking(view: &ClusterView<'_>, ix: PodIx) -> Vec<Lacking> {
    let cluster = view.cluster;
    let Some(node) = cluster.node_of(ix) else { return Vec::new() };
    let allocatable = &cluster.node(node).allocatable;
    let (all, own) = (view.requested_on(node), view.requested_by(ix));
    let mut lacking = Vec::new();
    for resource in [ResourceId::Cpu, ResourceId::Memory, ResourceId::EphemeralStorage] {
        let one = Lacking {
            resource,
            wanted: resource.of(own),
            allocatable: resource.of(allocatable),
            others: resource.of(all) - resource.of(own),
        };
        if one.wanted > 0 && one.missing() > 0 {
            lacking.push(one);
        }
    }
    lacking
}

/// The pods of the node with most of a resource.
fn holders(view: &ClusterView<'_>, ix: PodIx, lacking: &Lacking) -> Vec<String> {
    let cluster = view.cluster;
    let Some(node) = cluster.node_of(ix) else { return Vec::new() };
    let mut held: Vec<(i64, PodIx)> = Vec::new();
    for other in cluster.pods_on(node).iter().filter(|other| **other != ix) {
        let amount = lacking.resource.of(view.requested_by(*other));
        if amount > 0 {
            held.push((amount, *other));
        }
    }
    held.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    held.into_iter()
        .map(|(amount, other)| {
            let priority = cluster.pod(other).priority;
            let amount = lacking.amount(amount, cluster);
            format!("{} with {amount} (priority {priority})", cluster.pod_name(other))
        })
        .collect()
}

/// What kube-scheduler 1.37 would evict with the gate on: it takes off every pod of lower priority,
/// and brings back those beside which the resize fits: pods that a budget protects first, then the
/// most important ones.
fn evicted(view: &ClusterView<'_>, ix: PodIx) -> Option<String> {
    let cluster = view.cluster;
    let (node, pod) = (cluster.node_of(ix)?, cluster.pod(ix));
    let mut lower: Vec<PodIx> = Vec::new();
    for other in cluster.pods_on(node) {
        if cluster.pod(*other).priority < pod.priority {
            lower.push(*other);
        }
    }
    let with_gate = format!("With the alpha gate {GATE} of 1.37, kube-scheduler");
    let mut missing = lacking(view, ix);
    if missing.is_empty() {
        return None;
    }
    let is_enough = |missing: &[Lacking]| missing.iter().all(|lacking| lacking.missing() <= 0);
    for other in &lower {
        take_off(view, *other, &mut missing);
    }
    if !is_enough(&missing) {
        return Some(format!(
            "{with_gate} would evict nothing: pods of lower priority do not have enough"
        ));
    }
    // Pods whose eviction violates a budget come first, so that they have the best chance to stay.
    lower.sort_by_key(|a| importance(cluster.pod(*a)));
    let features = &view.profile.features.preemption;
    let violating =
        budgets::violating(&lower, &BudgetIndex::new(cluster, features), cluster, features);
    let mut order: Vec<(bool, PodIx)> = violating.into_iter().zip(lower).collect();
    order.sort_by_key(|(violates, _)| !violates);
    let mut victims = Vec::new();
    for (violates, other) in order {
        put_back(view, other, &mut missing);
        if !is_enough(&missing) {
            take_off(view, other, &mut missing);
            let priority = cluster.pod(other).priority;
            let budget = if violates { ", against a budget" } else { "" };
            victims.push(format!("{} (priority {priority}{budget})", cluster.pod_name(other)));
        }
    }
    let unread = match cluster.unread(Kind::PodDisruptionBudget) {
        Some(_) => ", unless budgets that could not be read protect them",
        None => "",
    };
    Some(format!("{with_gate} would evict {} for it{unread}", words::list(&victims, NAMED)))
}

/// The most important pod sorts first: higher priority, then longer running.
fn importance(pod: &Pod) -> (std::cmp::Reverse<i32>, Option<jiff::Timestamp>) {
    (std::cmp::Reverse(pod.priority), pod.start_time)
}

fn take_off(view: &ClusterView<'_>, other: PodIx, missing: &mut [Lacking]) {
    for lacking in missing {
        lacking.others -= lacking.resource.of(view.requested_by(other));
    }
}

fn put_back(view: &ClusterView<'_>, other: PodIx, missing: &mut [Lacking]) {
    for lacking in missing {
        lacking.others += lacking.resource.of(view.requested_by(other));
    }
}

//! How many new nodes are needed at least, wherever kube-scheduler puts the pods: limits that
//! hold for every placement, each with the constraint that it comes from.
//!
//! Only filters count here that a pod on another node, or one more pod, can never turn from no to
//! yes. What these reject stays rejected, so a bound may be too low but never too high.

use std::collections::BTreeSet;

use jiff::Timestamp;
use rayon::prelude::*;

use crate::headroom::Shape;
use model::cluster::{Cluster, NodeIx, PodIx};
use profile::Profile;
use scheduler::decision::prepare;
use scheduler::framework::cluster_view::ClusterView;
use scheduler::framework::cycle::{NodeVerdict, PreparedCycle};
use scheduler::framework::operands::ResourceId;
use scheduler::framework::status::FilterVerdict;

/// The filters that look at one node alone, and that more pods only make stricter.
const LOCAL: [&str; 11] = [
    FIT,
    "AzureDiskLimits",
    "EBSLimits",
    "GCEPDLimits",
    "NodeAffinity",
    "NodeName",
    "NodePorts",
    "NodeUnschedulable",
    "NodeVolumeLimits",
    "TaintToleration",
    "VolumeZone",
];
const FIT: &str = "NodeResourcesFit";
/// Makes more pods stricter, too, unless the pod itself follows others.
const AFFINITY: &str = "InterPodAffinity";

/// What needs nodes, and what might take it.
#[derive(Debug, Clone, Copy)]
pub struct Demand<'d> {
    /// The cluster with one new node of each kind.
    pub cluster: &'d Cluster,
    /// The new node of each kind.
    pub fresh: &'d [NodeIx],
    /// The pods that have to get a node.
    pub pods: &'d [PodIx],
    /// The pods that may leave without being replaced.
    pub leaving: &'d BTreeSet<PodIx>,
    /// Whether pods of lower priority may move for them.
    pub evictions: bool,
    /// The scheduler's profiles.
    pub profiles: &'d [Profile],
    /// The time of the decisions.
    pub now: Timestamp,
}

/// A number of nodes of some kinds without which not every pod has a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    /// The kinds, by their index. Those of two bounds differ, so their numbers add up.
    pub kinds: Vec<usize>,
    pub at_least: usize,
    /// The resource that is short, or the plugin that limits the pods of a node.
    pub constraint: String,
    pub why: BoundReason,
}

/// What a bound counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BoundReason {
    /// The pods request more of a resource in sum than is free where they fit.
    Sum { requested: String, free: String, per_node: String },
    /// So many pods that are alike have no room on the nodes that are there, and a new node takes
    /// only so many.
    Alike { pods: usize, first: String, per_node: usize },
}

/// Pods that are alike, and how many of them each node takes while no other pod comes.
struct Class<'v> {
    pods: Vec<PodIx>,
    view: &'v ClusterView<'v>,
    /// Those that are there and take at least one.
    there: Vec<(NodeIx, usize)>,
    /// By kind.
    fresh: Vec<usize>,
    /// What limits the new node that takes the most.
    limit: String,
}

/// The bounds of each set of kinds that no pod can choose another kind for.
pub fn of(demand: &Demand) -> Vec<Bound> {
    // Each profile with the filters that count here, without and with those about other pods.
    let relaxed: Vec<[Profile; 2]> = demand.profiles.iter().map(relaxed).collect();
    let views: Vec<[ClusterView; 2]> =
        relaxed.iter().map(|pair| [view(&pair[0], demand), view(&pair[1], demand)]).collect();
    let classes: Vec<Class> =
        alike(demand).into_par_iter().filter_map(|pods| class(pods, demand, &views)).collect();

    let mut bounds = Vec::new();
    for kinds in components(&classes, demand) {
        let own: Vec<&Class> =
            classes.iter().filter(|one| kinds.iter().any(|kind| takes(one, *kind))).collect();
        let alike = own.iter().filter_map(|class| of_class(class, &kinds, demand));
        let most = alike.chain(of_sums(&own, &kinds, demand)).max_by_key(|one| one.at_least);
        bounds.extend(most.filter(|bound| bound.at_least > 0));
    }
    bounds
}

fn relaxed(profile: &Profile) -> [Profile; 2] {
    let with = |also: Option<&str>| {
        let mut profile = profile.clone();
        let counts = |name: &&str| LOCAL.contains(name) || also == Some(*name);
        profile.plugins.pre_filter.retain(counts);
        profile.plugins.filter.retain(counts);
        profile.extenders.clear();
        profile
    };
    [with(None), with(Some(AFFINITY))]
}

/// The cluster without the pods that may be gone before the last pod has its node.
fn view<'v>(profile: &'v Profile, demand: &Demand<'v>) -> ClusterView<'v> {
    let cluster = demand.cluster;
    let mut view = ClusterView::new(cluster, profile);
    let highest = demand.pods.iter().map(|pod| cluster.pod(*pod).priority).max();
    for pod in cluster.pod_indices() {
        let facts = cluster.pod(pod);
        let Some(node) = cluster.node_of(pod).filter(|_| facts.is_active()) else { continue };
        let may_move = demand.evictions && highest.is_some_and(|highest| facts.priority < highest);
        if may_move || facts.is_terminating() || demand.leaving.contains(&pod) {
            view.forget(pod, node);
        }
    }
    // What is nominated is asked about itself.
    for pod in demand.pods {
        view.nominate(*pod, None);
    }
    view
}

/// The pods by what the scheduler sees of them.
fn alike(demand: &Demand) -> Vec<Vec<PodIx>> {
    let cluster = demand.cluster;
    let mut classes: Vec<Vec<PodIx>> = Vec::new();
    for pod in demand.pods {
        let facts = cluster.pod(*pod);
        let known = classes.iter_mut().find(|class| {
            class.first().is_some_and(|first| facts.is_scheduled_like(cluster.pod(*first)))
        });
        match known {
            Some(class) => class.push(*pod),
            None => classes.push(vec![*pod]),
        }
    }
    classes
}

/// Fills each node with pods of a class. `None` if their scheduler is not known or its filters say
/// nothing.
fn class<'v>(
    pods: Vec<PodIx>,
    demand: &Demand,
    views: &'v [[ClusterView<'v>; 2]],
) -> Option<Class<'v>> {
    let (cluster, first) = (demand.cluster, *pods.first()?);
    let template = cluster.template(cluster.pod(first));
    let scheduler = cluster.text(template.scheduler_name);
    let own = demand.profiles.iter().position(|one| one.scheduler_name == scheduler)?;
    // A pod that follows others may be let in by them.
    let follows = template.affinity.as_ref().map_or(true, |terms| !terms.is_empty());
    let [without, with] = views.get(own)?;
    let view = if follows { without } else { with };
    let prepared = prepare(view, first, demand.now);
    let verdicts = prepared.filter_all();
    if verdicts.iter().any(|one| matches!(one, NodeVerdict::NotTried | NodeVerdict::Failed(_))) {
        return None;
    }

    let mut class = Class {
        there: Vec::new(),
        fresh: vec![0; demand.fresh.len()],
        limit: String::new(),
        view,
        pods,
    };
    for (node, verdict) in cluster.node_indices().zip(&verdicts) {
        if !matches!(verdict, NodeVerdict::Feasible) {
            continue;
        }
        let (number, limit) = fill(&prepared, node, &class.pods);
        match demand.fresh.iter().position(|fresh| *fresh == node) {
            Some(kind) => {
                if class.fresh.iter().all(|most| *most < number) {
                    class.limit = limit;
                }
                if let Some(here) = class.fresh.get_mut(kind) {
                    *here = number;
                }
            }
            None => class.there.push((node, number)),
        }
    }
    Some(class)
}

/// How many of the pods a node takes, and what rejects the next one.
fn fill(prepared: &PreparedCycle, node: NodeIx, pods: &[PodIx]) -> (usize, String) {
    let mut state = prepared.node_state(node);
    let mut number = 0;
    // The last pod is that of the cycle, which is asked about and never added.
    for pod in pods.iter().skip(1).chain(pods.first()) {
        if let Some((plugin, verdict)) = state.check() {
            let FilterVerdict::Rejected(rejection) = verdict else {
                return (pods.len(), String::new());
            };
            let lack = rejection.reasons.iter().find_map(|reason| reason.lack());
            let cluster = prepared.cycle.cluster();
            let limit = lack.map_or(plugin, |lack| lack.resource.name(cluster));
            return (number, limit.to_owned());
        }
        number += 1;
        if number < pods.len() {
            state.add_pod(*pod);
        }
    }
    (number, String::new())
}

fn takes(class: &Class, kind: usize) -> bool {
    class.fresh.get(kind).is_some_and(|number| *number > 0)
}

/// The kinds between which a pod may choose, joined. With evictions every kind may get pods that
/// make room for any other.
fn components(classes: &[Class], demand: &Demand) -> Vec<Vec<usize>> {
    let all = 0..demand.fresh.len();
    if demand.evictions {
        return vec![all.collect()];
    }
    let mut components: Vec<Vec<usize>> = all.map(|kind| vec![kind]).collect();
    for class in classes {
        let (joined, others): (Vec<_>, Vec<_>) =
            components.into_iter().partition(|kinds| kinds.iter().any(|kind| takes(class, *kind)));
        components = others;
        if !joined.is_empty() {
            components.push(joined.concat());
        }
    }
    components
}

/// Pods of one class that have no room on the nodes that are there.
fn of_class(class: &Class, kinds: &[usize], demand: &Demand) -> Option<Bound> {
    let there: usize = class.there.iter().map(|(_, number)| *number).sum();
    let without = class.pods.len().saturating_sub(there);
    let per_node = class.fresh.iter().copied().max().filter(|most| *most > 0)?;
    let first = demand.cluster.pod_name(*class.pods.first()?);
    (without > 0).then(|| Bound {
        kinds: kinds.to_vec(),
        at_least: without.div_ceil(per_node),
        constraint: class.limit.clone(),
        why: BoundReason::Alike { pods: without, first, per_node },
    })
}

/// What the pods of the classes request in sum, against what is free where any of them fits.
fn of_sums(classes: &[&Class], kinds: &[usize], demand: &Demand) -> Option<Bound> {
    let cluster = demand.cluster;
    let first = classes.first()?;
    let checks = |profile: &Profile| {
        profile.plugins.filter.contains(&FIT)
            && profile.args.ignored_resources.is_empty()
            && profile.args.ignored_resource_groups.is_empty()
    };
    // Devices of resource claims may stand for what a node has not.
    if !cluster.devices.slices.is_empty() || !demand.profiles.iter().all(checks) {
        return None;
    }
    let mut resources: BTreeSet<ResourceId> = BTreeSet::new();
    for class in classes {
        let shape = Shape::of(class.view, *class.pods.first()?);
        resources.extend(shape.requests.iter().map(|(resource, _)| *resource));
    }
    // With evictions pods move, but what they request stays in the cluster.
    let staying = Demand { evictions: false, ..*demand };
    let view = view(first.view.profile, &staying);
    let free_on = |node: NodeIx, resource: ResourceId| {
        let facts = cluster.node(node);
        let used = resource.of(&facts.used(view.requested_on(node)));
        resource.of(&facts.allocatable).saturating_sub(used).max(0)
    };
    let there: BTreeSet<NodeIx> = if demand.evictions {
        cluster.node_indices().filter(|node| !demand.fresh.contains(node)).collect()
    } else {
        classes.iter().flat_map(|class| &class.there).map(|(node, _)| *node).collect()
    };

    let mut most: Option<Bound> = None;
    for resource in resources {
        let requested: i64 = classes.iter().map(|class| requests(class, resource)).sum();
        let free: i64 = there.iter().map(|node| free_on(*node, resource)).sum();
        let fresh = kinds.iter().filter_map(|kind| demand.fresh.get(*kind));
        let per_node = fresh.map(|node| free_on(*node, resource)).max().unwrap_or(0);
        let missing = requested.saturating_sub(free);
        if missing <= 0 || per_node <= 0 {
            continue;
        }
        let at_least = usize::try_from(missing.div_euclid(per_node)).unwrap_or(usize::MAX)
            + usize::from(missing % per_node > 0);
        if most.as_ref().is_none_or(|most| most.at_least < at_least) {
            let text = |value| resource.amount(value, cluster);
            let (requested, free) = (text(requested), text(free));
            most = Some(Bound {
                kinds: kinds.to_vec(),
                at_least,
                constraint: resource.name(cluster).to_owned(),
                why: BoundReason::Sum { requested, free, per_node: text(per_node) },
            });
        }
    }
    most
}

/// What the pods of a class take of a resource at least.
fn requests(class: &Class, resource: ResourceId) -> i64 {
    let cluster = class.view.cluster;
    let one = class.pods.first().map_or(0, |pod| {
        let incoming = resource.of(&class.view.incoming(cluster.pod(*pod)));
        incoming.min(resource.of(class.view.requested_by(*pod)))
    });
    one.saturating_mul(i64::try_from(class.pods.len()).unwrap_or(i64::MAX)).max(0)
}

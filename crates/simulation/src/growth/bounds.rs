//! How many new nodes are needed at least, wherever kube-scheduler puts the pods: limits that
//! hold for every placement, each with the constraint that it comes from.
//!
//! Only filters count here that a pod on another node, or one more pod, can never turn from no to
//! yes. What these reject stays rejected, so a bound may be too low but never too high.

mod domains;

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use rayon::prelude::*;

use crate::headroom::Shape;
use dra::class_totals::ClassTotals;
use dra::in_use::AllocatedDevices;
use model::cluster::{Cluster, NodeIx, PodIx};
use profile::Profile;
use scheduler::decision::prepare;
use scheduler::framework::cluster_view::ClusterView;
use scheduler::framework::cycle::{NodeVerdict, PreparedCycle, rejections_of};
use scheduler::framework::operands::ResourceId;
use scheduler::framework::status::{FilterVerdict, Rejection};
use scheduler::plugins::dynamic_resources::needed_devices;
use scheduler::plugins::node_volume_limits::{free_attachments, new_volumes};

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
const SPREAD: &str = "PodTopologySpread";
const DEVICES: &str = "DynamicResources";
const VOLUME_LIMITS: &str = "NodeVolumeLimits";

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
    /// So many pods request this much of a resource or more each, of which the nodes that are there have
    /// room for `room`, and a new node takes only so many.
    Large { pods: usize, request: String, room: usize, per_node: usize },
    /// So many pods that are alike keep apart by the values of a label, and a new node takes only so
    /// many.
    Apart { pods: usize, first: String, key: String, per_node: usize },
    /// They spread over them.
    Spread { pods: usize, first: String, key: String, max_skew: i64, per_node: usize },
}

/// Pods that are alike, and how many of them each node takes while no other pod comes.
struct Class<'v> {
    pods: Vec<PodIx>,
    view: &'v ClusterView<'v>,
    /// Those that are there and take at least one.
    there: Vec<(NodeIx, usize)>,
    /// By kind.
    fresh: Vec<usize>,
    /// What limits the new node that takes the most, or else a node that is there.
    limit: String,
    filters: DomainFilters,
}

/// Which filters about domains of nodes the scheduler of a class has.
#[derive(Debug, Clone, Copy)]
struct DomainFilters {
    spreads: bool,
    keeps_apart: bool,
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
        let by_domain = own.iter().flat_map(|class| domains::of_class(class, &kinds, demand));
        let alike = own.iter().filter_map(|class| of_class(class, &kinds, demand));
        // Of bounds that are equal the last one is told: a resource is known best.
        let all = by_domain.chain(alike).chain(of_sums(&own, &kinds, demand));
        let most = all.max_by_key(|one| one.at_least);
        bounds.extend(most.filter(|bound| bound.at_least > 0));
    }
    bounds
}

fn relaxed(profile: &Profile) -> [Profile; 2] {
    [None, Some(AFFINITY)].map(|also| {
        let mut profile = profile.clone();
        let plugins = &mut profile.plugins;
        for filters in [&mut plugins.pre_filter, &mut plugins.filter] {
            filters.retain(|name| LOCAL.contains(name) || also == Some(*name));
        }
        profile.extenders.clear();
        profile
    })
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
    let filters = &demand.profiles.get(own)?.plugins.filter;
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
        limit: limit_of_rejected(&verdicts, cluster),
        filters: DomainFilters {
            spreads: filters.contains(&SPREAD),
            keeps_apart: filters.contains(&AFFINITY),
        },
        view,
        pods,
    };
    for (node, verdict) in cluster.node_indices().zip(&verdicts) {
        if !matches!(verdict, NodeVerdict::Feasible) {
            continue;
        }
        let (number, limit) = fill(&prepared, node, &class.pods);
        if let Some(kind) = demand.fresh.iter().position(|fresh| *fresh == node) {
            if class.fresh.iter().all(|most| *most < number) && !limit.is_empty() {
                class.limit = limit;
            }
            if let Some(here) = class.fresh.get_mut(kind) {
                *here = number;
            }
        } else {
            if class.limit.is_empty() {
                class.limit = limit;
            }
            class.there.push((node, number));
        }
    }
    Some(class)
}

/// The resource that is short, or else the plugin that rejects a node.
fn limit_of(plugin: &str, rejection: &Rejection, cluster: &Cluster) -> String {
    let lack = rejection.reasons.iter().find_map(|reason| reason.lack());
    lack.map_or(plugin, |lack| lack.resource.name(cluster)).to_owned()
}

/// What limits the nodes that take no pod, of most of them.
fn limit_of_rejected(verdicts: &[NodeVerdict], cluster: &Cluster) -> String {
    let mut limits: BTreeMap<String, usize> = BTreeMap::new();
    for (_, plugin, rejection) in rejections_of(verdicts, cluster) {
        *limits.entry(limit_of(plugin, rejection, cluster)).or_default() += 1;
    }
    limits.into_iter().max_by_key(|(_, nodes)| *nodes).map_or_else(String::new, |(limit, _)| limit)
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
            return (number, limit_of(plugin, &rejection, prepared.cycle.cluster()));
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

/// What pods need in sum, against what there is of it where any of them fits.
struct Sum {
    constraint: String,
    requested: i64,
    /// On the nodes that are there, and on the new node that has the most.
    free: i64,
    per_node: i64,
    /// The resource, whose amounts have units; `None` for a number.
    resource: Option<ResourceId>,
}

impl Sum {
    fn nodes(&self) -> usize {
        let missing = self.requested.saturating_sub(self.free);
        if missing <= 0 || self.per_node <= 0 {
            return 0;
        }
        let nodes = missing.div_euclid(self.per_node) + i64::from(missing % self.per_node > 0);
        usize::try_from(nodes).unwrap_or(usize::MAX)
    }

    fn bound(self, kinds: &[usize], cluster: &Cluster) -> Bound {
        let amounts = [self.requested, self.free, self.per_node];
        let [requested, free, per_node] = amounts.map(|value| match self.resource {
            Some(resource) => resource.amount(value, cluster),
            None => value.to_string(),
        });
        Bound {
            kinds: kinds.to_vec(),
            at_least: self.nodes(),
            why: BoundReason::Sum { requested, free, per_node },
            constraint: self.constraint,
        }
    }
}

/// The sum of what the pods of the classes need that takes the most nodes.
fn of_sums(classes: &[&Class], kinds: &[usize], demand: &Demand) -> Option<Bound> {
    let cluster = demand.cluster;
    let first = classes.first()?;
    // With evictions pods move, but what they request stays in the cluster.
    let staying = Demand { evictions: false, ..*demand };
    let view = view(first.view.profile, &staying);
    let there: BTreeSet<NodeIx> = if demand.evictions {
        cluster.node_indices().filter(|node| !demand.fresh.contains(node)).collect()
    } else {
        classes.iter().flat_map(|class| &class.there).map(|(node, _)| *node).collect()
    };
    let fresh = kinds.iter().filter_map(|kind| demand.fresh.get(*kind)).copied();
    let nodes = NodesOfSum { there: there.into_iter().collect(), fresh: fresh.collect() };

    let large = of_large(classes, kinds, &nodes, &view, demand);
    let resources = of_resources(classes, &nodes, &view, demand).into_iter();
    let sums = resources
        .chain(of_volumes(classes, &nodes, &view, demand))
        .chain(of_devices(classes, &nodes, &view, demand));
    let most = sums.max_by_key(Sum::nodes);
    let most = most.map(|sum| sum.bound(kinds, cluster));
    large.into_iter().chain(most).max_by_key(|bound| bound.at_least)
}

/// The nodes on which pods need something in sum.
struct NodesOfSum {
    there: Vec<NodeIx>,
    fresh: Vec<NodeIx>,
}

/// The resources that the pods request.
fn of_resources(
    classes: &[&Class],
    nodes: &NodesOfSum,
    view: &ClusterView,
    demand: &Demand,
) -> Vec<Sum> {
    let mut sums = Vec::new();
    for resource in resources(classes, demand) {
        let free_on = |node: &NodeIx| free_on(*node, resource, view);
        let requested = classes.iter().map(|class| {
            let pods = i64::try_from(class.pods.len()).unwrap_or(i64::MAX);
            request(class, resource).saturating_mul(pods)
        });
        sums.push(Sum {
            constraint: resource.name(demand.cluster).to_owned(),
            requested: requested.sum(),
            free: nodes.there.iter().map(free_on).sum(),
            per_node: nodes.fresh.iter().map(free_on).max().unwrap_or(0),
            resource: Some(resource),
        });
    }
    sums
}

/// The pods that request at least so much of a resource, of which a node takes only so many: what is
/// left on it is too little for another one.
fn of_large(
    classes: &[&Class],
    kinds: &[usize],
    nodes: &NodesOfSum,
    view: &ClusterView,
    demand: &Demand,
) -> Option<Bound> {
    // Where pods may be evicted, which pods a node takes depends on which ones it has then.
    if demand.evictions {
        return None;
    }
    let mut most: Option<Bound> = None;
    for resource in resources(classes, demand) {
        let [there, fresh] = [&nodes.there, &nodes.fresh].map(|nodes| {
            let free = nodes.iter().map(|node| free_on(*node, resource, view));
            free.collect::<Vec<i64>>()
        });
        let requests: BTreeSet<i64> = classes.iter().map(|one| request(one, resource)).collect();
        for least in requests.into_iter().filter(|request| *request > 0) {
            let takes = |free: &i64| usize::try_from(free / least).unwrap_or_default();
            let (room, per_node) = (there.iter().map(takes).sum(), fresh.iter().map(takes).max());
            let Some(per_node) = per_node.filter(|per_node| *per_node > 0) else { continue };
            let large = classes.iter().filter(|class| request(class, resource) >= least);
            let pods: usize = large.map(|class| class.pods.len()).sum();
            let at_least = pods.saturating_sub(room).div_ceil(per_node);
            if most.as_ref().is_none_or(|most| most.at_least < at_least) {
                let request = resource.amount(least, demand.cluster);
                most = Some(Bound {
                    kinds: kinds.to_vec(),
                    at_least,
                    constraint: resource.name(demand.cluster).to_owned(),
                    why: BoundReason::Large { pods, request, room, per_node },
                });
            }
        }
    }
    most
}

/// The resources that the pods request and that the filter checks.
fn resources(classes: &[&Class], demand: &Demand) -> BTreeSet<ResourceId> {
    let all_check = demand.profiles.iter().all(|profile| {
        profile.plugins.filter.contains(&FIT)
            && profile.args.ignored_resources.is_empty()
            && profile.args.ignored_resource_groups.is_empty()
    });
    let devices = &demand.cluster.devices;
    if !all_check || devices.node_allocatable {
        return BTreeSet::new();
    }
    let mut resources: BTreeSet<ResourceId> = BTreeSet::new();
    for class in classes {
        let shape = class.pods.first().map(|first| Shape::of(class.view, *first));
        resources.extend(shape.iter().flat_map(|shape| &shape.requests).map(|(one, _)| *one));
    }
    // Devices of resource claims may stand for an extended resource that a node has not.
    resources.retain(|one| !matches!(one, ResourceId::Scalar(_)) || devices.slices.is_empty());
    resources
}

/// What is free of a resource on a node.
fn free_on(node: NodeIx, resource: ResourceId, view: &ClusterView) -> i64 {
    let facts = view.cluster.node(node);
    let used = resource.of(&facts.used(view.requested_on(node)));
    resource.of(&facts.allocatable).saturating_sub(used).max(0)
}

/// The volumes that CSI drivers have to attach, where the nodes have limits.
fn of_volumes(
    classes: &[&Class],
    nodes: &NodesOfSum,
    view: &ClusterView,
    demand: &Demand,
) -> Vec<Sum> {
    let first = classes.first().and_then(|class| class.pods.first());
    let mut profiles = demand.profiles.iter();
    let all_check = profiles.all(|profile| profile.plugins.filter.contains(&VOLUME_LIMITS));
    let Some(first) = first.filter(|_| all_check) else { return Vec::new() };
    let cycle = prepare(view, *first, demand.now).cycle;
    let pods: Vec<PodIx> = classes.iter().flat_map(|class| &class.pods).copied().collect();
    let mut sums = Vec::new();
    for (driver, volumes) in new_volumes(&cycle, &pods) {
        // One node without a limit takes all of them.
        let free = [&nodes.there, &nodes.fresh].map(|nodes| {
            let free = nodes.iter().map(|node| free_attachments(&cycle, *node, driver));
            free.collect::<Option<Vec<i64>>>()
        });
        let [Some(there), Some(fresh)] = free else { continue };
        sums.push(Sum {
            constraint: format!("volumes of {}", demand.cluster.text(driver)),
            requested: i64::try_from(volumes).unwrap_or(i64::MAX),
            free: there.into_iter().sum(),
            per_node: fresh.into_iter().max().unwrap_or(0),
            resource: None,
        });
    }
    sums
}

/// The devices that claims of the pods request in exact numbers, by their class. A device that the
/// claim itself does not select, or that has a taint, counts as free.
fn of_devices(
    classes: &[&Class],
    nodes: &NodesOfSum,
    view: &ClusterView,
    demand: &Demand,
) -> Vec<Sum> {
    let (cluster, features) = (demand.cluster, &view.profile.features.dra);
    let mut profiles = demand.profiles.iter();
    let all_check = profiles.all(|profile| profile.plugins.filter.contains(&DEVICES));
    // A device that is shared serves any number of claims.
    let mut all = cluster.devices.slices.iter().flat_map(|slice| &slice.devices);
    let are_known = cluster.devices.not_copied.is_empty();
    if !all_check || !are_known || all.any(|device| device.shareable) {
        return Vec::new();
    }
    let pods = classes.iter().flat_map(|class| &class.pods).copied();
    let needed = needed_devices(pods, cluster, features);
    if needed.is_empty() {
        return Vec::new();
    }

    let in_use = if may_free_devices(demand) {
        AllocatedDevices::default()
    } else {
        AllocatedDevices::of(&cluster.devices, features)
    };
    let of_needed = needed.keys().filter_map(|class| cluster.devices.class(*class));
    let totals =
        ClassTotals::of_classes(cluster, features, view.device_selectors(), in_use, of_needed);
    let mut sums = Vec::new();
    for (class, requested) in needed {
        let free = [&nodes.there, &nodes.fresh].map(|nodes| {
            let free = nodes.iter().map(|node| {
                let (total, used) = totals.of(*node, class)?;
                Some(total - used)
            });
            free.collect::<Option<Vec<i64>>>()
        });
        let [Some(there), Some(fresh)] = free else { continue };
        sums.push(Sum {
            constraint: format!("devices of class {}", cluster.text(class)),
            requested,
            free: there.into_iter().sum(),
            per_node: fresh.into_iter().max().unwrap_or(0),
            resource: None,
        });
    }
    sums
}

/// Whether devices that are in use may become free: those of pods that may leave, and those of a claim
/// that no running pod uses, which PostFilter may give up.
fn may_free_devices(demand: &Demand) -> bool {
    if demand.evictions {
        return true;
    }
    let cluster = demand.cluster;
    let mut users = BTreeSet::new();
    for pod in cluster.pod_indices() {
        let facts = cluster.pod(pod);
        if facts.is_terminating() || demand.leaving.contains(&pod) {
            return true;
        }
        if facts.is_running() {
            users.insert(cluster.claim_user(pod));
        }
    }
    let mut held = cluster.devices.claims.iter().filter(|claim| claim.allocation.is_some());
    held.any(|claim| !claim.reserved_for.iter().any(|user| users.contains(&**user)))
}

/// What a pod of a class takes of a resource at least.
fn request(class: &Class, resource: ResourceId) -> i64 {
    let cluster = class.view.cluster;
    let request = class.pods.first().map_or(0, |pod| {
        let incoming = resource.of(&class.view.incoming(cluster.pod(*pod)));
        incoming.min(resource.of(class.view.requested_by(*pod)))
    });
    request.max(0)
}

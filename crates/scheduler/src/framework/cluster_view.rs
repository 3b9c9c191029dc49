//! The scheduler's cache, rebuilt from a cluster: the pods on each node and the pods that are
//! nominated to it.
//!
//! Upstream: `pkg/scheduler/framework/types.go` `NodeInfo`,
//! `pkg/scheduler/backend/queue/nominator.go` (1.37).

pub mod known_nodes;
pub(crate) mod potential_victims;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use indexmap::IndexSet;
use jiff::Timestamp;

use super::added_affinity::ProfileAffinity;
use super::extender_client::ExtenderClient;
use super::requests;
use super::reserved::Reserved;
use dra::device_selectors::DeviceSelectors;
use dra::in_use::AllocatedDevices;
use known_nodes::KnownNodes;
use model::cluster::Cluster;
use model::cluster::node::{Node, NodeIx, Saturated};
use model::cluster::pod::{Pod, PodIx};
use model::cluster::resources::Resources;
use model::cluster::selector::Selector;
use model::cluster::symbols::{PoolIx, Sym};
use model::cluster::template::Template;
use model::parallel;
use potential_victims::{VictimTable, VictimTables};
use profile::Profile;

/// Among how many lists of pods that of a node is searched for, besides those of nodes before it
/// that were not found.
const NODES_SEARCHED: usize = 4;

/// The sum of amounts up to this is not too large to count, however many pods are on a node.
const LARGEST_OF_MANY: i64 = i64::MAX >> 24;

/// Below this number of nodes, parallel filtering costs more than it saves.
pub(crate) const PARALLEL_FROM: usize = 64;

/// A node with the pods that count on it, like upstream's `NodeInfo`.
#[derive(Debug, Clone)]
pub struct NodeInfo {
    pub node: NodeIx,
    pub pods: Vec<PodIx>,
    /// The sum of the resources that these pods request.
    pub requested: Resources,
    /// How many more pods count on it, about which nothing is known.
    pub unknown: usize,
    /// Whether only the node itself is known, without pods and images.
    pub(crate) bare: bool,
    /// The cluster's list of these pods, as long as they are those of a list.
    list: Option<Arc<Vec<PodIx>>>,
    /// Those of the pods that have pod affinity, once they are asked for.
    with_affinity: OnceLock<Box<[PodIx]>>,
    /// Namespace and label set of those that are not terminating, once they are asked for.
    labels_of_pods: OnceLock<Box<[(Sym, PoolIx)]>>,
}

impl NodeInfo {
    /// The node without pods, like one that an extender returns as an object.
    pub(crate) fn bare(node: NodeIx) -> Self {
        Self { bare: true, ..Self::new(node, Vec::new(), Resources::default()) }
    }

    /// The node with these pods, which request this.
    pub(super) const fn new(node: NodeIx, pods: Vec<PodIx>, requested: Resources) -> Self {
        Self {
            node,
            pods,
            requested,
            unknown: 0,
            bare: false,
            list: None,
            with_affinity: OnceLock::new(),
            labels_of_pods: OnceLock::new(),
        }
    }

    /// Those of the pods that have terms of pod affinity or anti-affinity, required or preferred.
    pub(crate) fn with_affinity(&self, cluster: &Cluster) -> &[PodIx] {
        self.with_affinity.get_or_init(|| {
            let pods = self.pods.iter().copied();
            pods.filter(|pod| cluster.template(cluster.pod(*pod)).has_affinity()).collect()
        })
    }

    /// Namespace and label set of each of the pods that are not terminating.
    pub(crate) fn labels_of_pods(&self, cluster: &Cluster) -> &[(Sym, PoolIx)] {
        self.labels_of_pods.get_or_init(|| {
            let pods = self.pods.iter().map(|pod| cluster.pod(*pod));
            let pods = pods.filter(|pod| !pod.is_terminating());
            pods.map(|pod| (pod.namespace, pod.labels)).collect()
        })
    }

    /// Whether both have the pods of one list, whose pods are still what they were.
    fn has_list_of(&self, other: &Self) -> bool {
        self.list.as_ref().zip(other.list.as_ref()).is_some_and(|(own, its)| Arc::ptr_eq(own, its))
    }

    /// Forgets what was known of the pods.
    fn change_pods(&mut self) {
        self.list = None;
        self.with_affinity.take();
        self.labels_of_pods.take();
    }

    /// Adds a pod that takes these resources.
    pub(super) fn add(&mut self, pod: PodIx, footprint: &Resources) {
        self.change_pods();
        self.pods.push(pod);
        self.requested += footprint;
    }

    /// Removes the pods that `goes` picks.
    pub(crate) fn remove_all(&mut self, goes: impl Fn(PodIx) -> bool, view: &ClusterView) {
        self.change_pods();
        let requested = &mut self.requested;
        self.pods.retain(|pod| {
            let goes = goes(*pod);
            if goes {
                *requested -= view.footprint(view.cluster.pod(*pod));
            }
            !goes
        });
    }

    /// Removes a pod that took these resources.
    pub(super) fn remove(&mut self, pod: PodIx, footprint: &Resources) {
        self.change_pods();
        // The pod added last is often the next one removed.
        if self.pods.pop_if(|last| *last == pod).is_none() {
            self.pods.retain(|other| *other != pod);
        }
        self.requested -= footprint;
    }
}

/// A cluster as one scheduler sees it: the objects, the scheduler's profile, and what is computed
/// once for all pods. Clones share the large parts, so hypothetical moves of pods
/// ([`Self::assume`], [`Self::forget`]) are cheap.
#[derive(Debug, Clone)]
pub struct ClusterView<'c> {
    /// The objects of the cluster.
    pub cluster: &'c Cluster,
    /// The profile of the scheduler that decides.
    pub profile: &'c Profile,
    /// The affinity that the profile adds to every pod.
    pub(crate) added_affinity: Arc<ProfileAffinity>,
    /// Calls the profile's extenders; `None` where extenders are not called.
    pub extender_client: Option<&'c dyn ExtenderClient>,
    /// What the cluster sums up to, before pods are moved.
    sums: Arc<ClusterSums>,
    infos: Arc<Vec<Arc<NodeInfo>>>,
    nominated: Arc<BTreeMap<NodeIx, Vec<PodIx>>>,
    /// Nominated pods that are in no queue.
    unqueued: Arc<BTreeMap<NodeIx, Vec<PodIx>>>,
    /// Whether images affect scores.
    pub(crate) knows_images: bool,
    /// The nodes to which the pods of a group are limited, by name; `None`: all.
    placement: Option<Arc<[NodeIx]>>,
    /// Lookups that still use the state from before pods were moved; `None`: none do.
    frozen: Option<Arc<Frozen>>,
    /// Devices and volumes held by assumed pods.
    reserved: Arc<Reserved>,
    /// What earlier decisions found about nodes; `None` where nothing is kept.
    pub(crate) known_nodes: Option<Arc<KnownNodes>>,
    device_selectors: DeviceSelectors,
}

/// The topology domains of the nodes under one key, numbered from 0.
#[derive(Debug, Clone)]
pub(crate) struct NodeDomains {
    /// By node; `None` for one without the label.
    of_nodes: Arc<Vec<Option<u32>>>,
    /// How many numbers there are.
    pub(crate) count: usize,
}

impl NodeDomains {
    /// The number of a node's domain; `None` if the node lacks the label.
    pub(crate) fn of(&self, node: NodeIx) -> Option<usize> {
        self.of_nodes.get(node.0 as usize)?.map(|number| number as usize)
    }
}

/// The numbers of the domains of a topology key, by the label's value.
#[derive(Debug, Clone, Default)]
struct DomainNumbers(IndexSet<Sym, foldhash::fast::RandomState>);

impl DomainNumbers {
    fn of(&mut self, domain: Sym) -> Option<u32> {
        u32::try_from(self.0.insert_full(domain).0).ok()
    }
}

/// What the pods of a cluster request, by index of their resource requests.
#[derive(Debug, Clone, Default)]
struct KnownRequests {
    /// What a pod takes on a node.
    footprints: Vec<Resources>,
    /// The same in scores, cpu and memory with defaults, once a score asks for it.
    non_zero: OnceLock<Vec<(i64, i64)>>,
    /// Whether sums of footprints may be too large to count.
    may_overflow: bool,
}

impl KnownRequests {
    /// Adds those that the cluster has besides. Requests are interned: what is known keeps its
    /// index.
    fn extend(&mut self, cluster: &Cluster, profile: &Profile) {
        let features = &profile.features.requests;
        let new = || cluster.resource_requests.iter().skip(self.footprints.len());
        if let Some(mut footprints) = self.non_zero.take() {
            footprints.extend(new().map(|of| requests::non_zero_footprint(of, cluster, features)));
            self.non_zero = OnceLock::from(footprints);
        }
        let footprints: Vec<Resources> =
            new().map(|of| requests::footprint(of, cluster, features)).collect();
        self.may_overflow |= footprints.iter().any(|of| of.largest() > LARGEST_OF_MANY);
        self.footprints.extend(footprints);
    }
}

/// What the templates of a cluster's pods have, as far as they are known.
#[derive(Debug, Clone, Copy, Default)]
struct KnownTemplates {
    /// How many they are.
    count: usize,
    any_has_affinity: bool,
    any_has_anti_affinity: bool,
}

impl KnownTemplates {
    /// Adds those that the cluster has besides. Templates are interned, too.
    fn extend(&mut self, cluster: &Cluster) {
        for template in cluster.templates.iter().skip(self.count) {
            self.any_has_affinity |= template.has_affinity();
            self.any_has_anti_affinity |= template.requires_anti_affinity();
        }
        self.count = cluster.templates.len();
    }
}

/// The sums of a cluster that every view of it needs. They are those of one scheduler version, and
/// can be brought up to date after pods have moved, which costs only what has changed.
#[derive(Debug, Clone)]
pub struct ClusterSums {
    requests: Arc<KnownRequests>,
    templates: KnownTemplates,
    /// The nodes, and the lists of their pods, that `infos` were computed from.
    nodes: Arc<Vec<Arc<Node>>>,
    pods: Arc<Vec<Arc<Vec<PodIx>>>>,
    /// This state of the nodes and their pods: another one whenever any of them has changed.
    state: NodesState,
    infos: Arc<Vec<Arc<NodeInfo>>>,
    /// What dry runs keep about the nodes. Copies share it while their pools are the same: after
    /// that, an index may mean one thing in a copy and another in its original.
    victims: Arc<VictimTables>,
    pools: PoolSizes,
}

/// Stands for a state of the nodes and of the pods on them.
#[derive(Debug, Clone, Default)]
pub(crate) struct NodesState(Arc<()>);

impl PartialEq for NodesState {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// How many label sets, templates and requests the pods of a cluster have.
type PoolSizes = [usize; 3];

fn pool_sizes(cluster: &Cluster) -> PoolSizes {
    [cluster.label_sets.len(), cluster.templates.len(), cluster.resource_requests.len()]
}

impl ClusterSums {
    /// Sums up the requests of the pods on every node.
    #[must_use]
    pub fn new(cluster: &Cluster, profile: &Profile) -> Self {
        let mut requests = KnownRequests::default();
        requests.extend(cluster, profile);
        let nodes: Vec<NodeIx> = cluster.node_indices().collect();
        let infos: Vec<Arc<NodeInfo>> = parallel::map(&nodes, PARALLEL_FROM, |node| {
            Arc::new(node_info(*node, cluster, &requests.footprints))
        });
        let mut templates = KnownTemplates::default();
        templates.extend(cluster);
        Self {
            requests: Arc::new(requests),
            templates,
            nodes: Arc::new(cluster.nodes.all_shared().to_vec()),
            pods: Arc::new(cluster.pods_by_node().to_vec()),
            state: NodesState::default(),
            infos: Arc::new(infos),
            victims: Arc::default(),
            pools: pool_sizes(cluster),
        }
    }

    /// The sums of the cluster that these were made of, or of a copy of it, after some of its pods
    /// have moved.
    #[must_use]
    pub fn updated(self: &Arc<Self>, cluster: &Cluster, profile: &Profile) -> Arc<Self> {
        let mut sums = Arc::clone(self);
        sums.update_to(cluster, profile);
        sums
    }

    /// The same in place, where no view uses them any more.
    pub fn update_to(self: &mut Arc<Self>, cluster: &Cluster, profile: &Profile) {
        if !self.are_of(cluster) {
            Arc::make_mut(self).update(cluster, profile);
        }
    }

    /// Whether nothing has changed since.
    fn are_of(&self, cluster: &Cluster) -> bool {
        self.pools == pool_sizes(cluster)
            && self.have_lists_of(cluster)
            && self.have_nodes_of(cluster)
    }

    /// Whether the nodes themselves are the same.
    fn have_nodes_of(&self, cluster: &Cluster) -> bool {
        let now = cluster.nodes.all_shared();
        self.nodes.len() == now.len()
            && self.nodes.iter().zip(now).all(|(node, now)| Arc::ptr_eq(node, now))
    }

    /// Whether every node has the pods that it had.
    fn have_lists_of(&self, cluster: &Cluster) -> bool {
        let now = cluster.pods_by_node();
        self.pods.len() == now.len()
            && self.pods.iter().zip(now).all(|(list, now)| Arc::ptr_eq(list, now))
    }

    fn update(&mut self, cluster: &Cluster, profile: &Profile) {
        let pools = pool_sizes(cluster);
        if self.pools != pools {
            (self.pools, self.victims) = (pools, Arc::default());
            Arc::make_mut(&mut self.requests).extend(cluster, profile);
            self.templates.extend(cluster);
        }
        if !self.have_nodes_of(cluster) {
            self.nodes = Arc::new(cluster.nodes.all_shared().to_vec());
        }
        self.state = NodesState::default();
        let now = cluster.pods_by_node();
        // Mostly the nodes are the same, and few of them have got or lost pods.
        if now.len() == self.infos.len() {
            self.replace_lists(now, cluster);
            return;
        }
        let mut infos = Vec::with_capacity(now.len());
        let (mut next, mut missed) = (0, 0);
        for (node, pods) in cluster.node_indices().zip(now) {
            // A list with a different address belongs to a different node or state. Nodes keep
            // their order, so where some were added or removed, those after them are found a
            // little earlier or later.
            let mut nearby = self.pods.iter().enumerate().skip(next).take(missed + NODES_SEARCHED);
            let known = nearby.find(|(_, known)| Arc::ptr_eq(known, pods));
            let known = known.map(|(at, _)| at);
            let info = known.and_then(|at| self.infos.get(at));
            (next, missed) = known.map_or((next, missed + 1), |at| (at + 1, 0));
            infos.push(match info {
                Some(info) if info.node == node => Arc::clone(info),
                Some(info) => Arc::new(NodeInfo { node, ..NodeInfo::clone(info) }),
                None => Arc::new(node_info(node, cluster, &self.requests.footprints)),
            });
        }
        (self.pods, self.infos) = (Arc::new(now.to_vec()), Arc::new(infos));
    }

    /// Sums up the requests on the nodes that have other pods than before.
    fn replace_lists(&mut self, now: &[Arc<Vec<PodIx>>], cluster: &Cluster) {
        let (lists, infos) = (Arc::make_mut(&mut self.pods), Arc::make_mut(&mut self.infos));
        let known = lists.iter_mut().zip(infos);
        for (node, ((list, info), now)) in cluster.node_indices().zip(known.zip(now)) {
            if !Arc::ptr_eq(list, now) {
                *info = Arc::new(node_info(node, cluster, &self.requests.footprints));
                *list = Arc::clone(now);
            }
        }
    }
}

fn node_info(node: NodeIx, cluster: &Cluster, footprints: &[Resources]) -> NodeInfo {
    let list = cluster.pods_by_node().get(node.0 as usize).cloned();
    let pods = list.as_ref().map(|list| list.to_vec()).unwrap_or_default();
    let mut requested = Resources::default();
    for pod in &pods {
        if let Some(footprint) = footprints.get(cluster.pod(*pod).resource_requests.0 as usize) {
            requested += footprint;
        }
    }
    NodeInfo { list, ..NodeInfo::new(node, pods, requested) }
}

/// What a snapshot of 1.36 keeps while pods are moved.
#[derive(Debug)]
struct Frozen {
    /// The nodes considered for pods with affinity, and with required anti-affinity, by name.
    affinity_lists: [Vec<NodeIx>; 2],
    /// The nodes with the pods that use claims.
    infos: Arc<Vec<Arc<NodeInfo>>>,
}

impl<'c> ClusterView<'c> {
    /// Sums up the requests of the pods on every node.
    #[must_use]
    pub fn new(cluster: &'c Cluster, profile: &'c Profile) -> Self {
        Self::with_selectors(cluster, profile, DeviceSelectors::of(cluster))
    }

    /// The same with device selectors that may already have cached results.
    #[must_use]
    pub fn with_selectors(
        cluster: &'c Cluster,
        profile: &'c Profile,
        device_selectors: DeviceSelectors,
    ) -> Self {
        let sums = Arc::new(ClusterSums::new(cluster, profile));
        Self::with_sums(cluster, profile, device_selectors, sums)
    }

    /// The same scheduler's view of a copy of the cluster that was changed. What was not changed is
    /// not summed up again.
    #[must_use]
    pub fn of_copy<'d>(
        &'d self,
        copy: &'d Cluster,
        device_selectors: DeviceSelectors,
    ) -> ClusterView<'d> {
        let sums = self.sums.updated(copy, self.profile);
        ClusterView::with_sums(copy, self.profile, device_selectors, sums)
    }

    /// The same with the sums of the cluster's current state for this profile.
    #[must_use]
    pub fn with_sums(
        cluster: &'c Cluster,
        profile: &'c Profile,
        device_selectors: DeviceSelectors,
        sums: Arc<ClusterSums>,
    ) -> Self {
        let nominated = Arc::new(nominations(cluster, profile));
        let added_affinity = Arc::new(ProfileAffinity::new(cluster, &profile.args));
        Self {
            cluster,
            profile,
            added_affinity,
            extender_client: None,
            infos: Arc::clone(&sums.infos),
            sums,
            nominated,
            unqueued: Arc::default(),
            knows_images: true,
            placement: None,
            frozen: None,
            reserved: Arc::default(),
            known_nodes: None,
            device_selectors,
        }
    }

    /// The same view, which remembers what decisions find about nodes. It is for views of one cluster
    /// after the other, each of which the previous one became.
    #[must_use]
    pub fn remembering(self, known_nodes: Arc<KnownNodes>) -> Self {
        Self { known_nodes: Some(known_nodes), ..self }
    }

    /// The device selectors of the cluster.
    #[must_use]
    pub fn device_selectors(&self) -> &DeviceSelectors {
        &self.device_selectors
    }

    /// Devices and volumes held by assumed pods.
    #[must_use]
    pub fn reserved(&self) -> &Reserved {
        &self.reserved
    }

    /// The devices in use, including those held by assumed pods.
    #[must_use]
    pub(crate) fn devices_in_use(&self) -> AllocatedDevices {
        let mut in_use = AllocatedDevices::of(&self.cluster.devices, &self.profile.features.dra);
        self.reserved().devices.iter().for_each(|reserved| in_use.hold(&reserved.grant));
        in_use
    }

    /// Sets what assumed pods hold.
    pub fn reserve(&mut self, reserved: Reserved) {
        self.reserved = Arc::new(reserved);
    }

    /// Assumes a pod on a node.
    ///
    /// Upstream: `pkg/scheduler/schedule_one.go` `assume` (1.37).
    pub fn assume(&mut self, pod: PodIx, node: NodeIx) {
        let footprint = self.footprint(self.cluster.pod(pod)).clone();
        if let Some(info) = Arc::make_mut(&mut self.infos).get_mut(node.0 as usize) {
            Arc::make_mut(info).add(pod, &footprint);
        }
        self.forget_nomination(pod);
    }

    /// Drops the pod's nomination: once it was assumed on a node, it reserves nothing, even if the
    /// pod is forgotten again.
    ///
    /// Upstream: `pkg/scheduler/schedule_one.go` `assume` (1.37).
    pub fn forget_nomination(&mut self, pod: PodIx) {
        if self.unqueued.values().flatten().any(|other| *other == pod) {
            Arc::make_mut(&mut self.unqueued)
                .values_mut()
                .for_each(|pods| pods.retain(|other| *other != pod));
        }
    }

    /// Marks these pods as being tried, and so in no queue: their nominations count as a pod,
    /// without what they request.
    ///
    /// Upstream: `pkg/scheduler/backend/queue/scheduling_queue.go` `nominatedPodToInfo` (1.37),
    /// which looks pods up in the queues.
    pub fn take_from_queue(&mut self, pods: &[PodIx]) {
        let taken = |pod: &PodIx| pods.contains(pod);
        if self.nominated.values().flatten().any(taken) {
            let (nominated, unqueued) =
                (Arc::make_mut(&mut self.nominated), Arc::make_mut(&mut self.unqueued));
            for (node, pods) in nominated {
                unqueued.entry(*node).or_default().extend(pods.extract_if(.., |pod| taken(pod)));
            }
        }
    }

    /// Hypothetically nominates a pod to another node, or to none.
    pub fn nominate(&mut self, pod: PodIx, node: Option<NodeIx>) {
        let nominated = Arc::make_mut(&mut self.nominated);
        nominated.values_mut().for_each(|pods| pods.retain(|other| *other != pod));
        node.into_iter().for_each(|node| nominated.entry(node).or_default().push(pod));
    }

    /// Ignores images from now on.
    ///
    /// Upstream: `pkg/scheduler/backend/cache/snapshot.go` `StartMutations` (1.37),
    /// `BackupSnapshot` (1.36). Parity: a copy of a snapshot has images without the number of nodes
    /// that have them.
    pub fn forget_images(&mut self) {
        self.knows_images = false;
    }

    /// Forgets a pod that was assumed on a node, or hypothetically removes a running one.
    pub fn forget(&mut self, pod: PodIx, node: NodeIx) {
        let footprint = self.footprint(self.cluster.pod(pod)).clone();
        if let Some(info) = Arc::make_mut(&mut self.infos).get_mut(node.0 as usize) {
            Arc::make_mut(info).remove(pod, &footprint);
        }
    }

    /// Limits the search to these nodes, given by name.
    #[must_use]
    pub fn within(&self, nodes: Arc<[NodeIx]>) -> Self {
        Self { placement: Some(nodes), ..self.clone() }
    }

    /// The same view with the limit of `outer` instead of that of [`Self::within`].
    #[must_use]
    pub fn within_that_of(self, outer: &Self) -> Self {
        Self { placement: outer.placement.clone(), ..self }
    }

    /// Drops the nominations that `other` has dropped.
    pub fn forget_as(&mut self, other: &Self) {
        self.unqueued = Arc::clone(&other.unqueued);
    }

    /// From now on, pods with affinity count only on nodes that have some now, and only pods that
    /// use a claim now count as its users.
    ///
    /// Upstream: `pkg/scheduler/backend/cache/snapshot.go` `AssumePod` (1.36), which does not
    /// update the lists of such nodes and the set of claims in use.
    pub fn freeze_lists(&mut self) {
        let affinity_lists = [Template::has_affinity, Template::requires_anti_affinity]
            .map(|wanted| self.nodes_with(wanted));
        self.frozen = Some(Arc::new(Frozen { affinity_lists, infos: Arc::clone(&self.infos) }));
    }

    /// The nodes with a pod of such a template.
    fn nodes_with(&self, wanted: fn(&Template) -> bool) -> Vec<NodeIx> {
        let mut nodes = Vec::new();
        for info in self.infos.iter() {
            let mut pods = info.pods.iter().map(|pod| self.cluster.pod(*pod));
            if pods.any(|pod| wanted(self.cluster.template(pod))) {
                nodes.push(info.node);
            }
        }
        nodes
    }

    /// The nodes with the pods that count as users of claims.
    #[must_use]
    pub(crate) fn infos_of_claims(&self) -> &[Arc<NodeInfo>] {
        let frozen = self.frozen.as_ref().map(|frozen| &frozen.infos);
        frozen.unwrap_or(&self.infos)
    }

    /// Whether lookups use the state from before pods were moved.
    #[must_use]
    pub(crate) const fn has_frozen_lists(&self) -> bool {
        self.frozen.is_some()
    }

    /// Whether the node is considered for pods with affinity or, if `required`, with required
    /// anti-affinity.
    #[must_use]
    pub(crate) fn lists_affinity(&self, node: NodeIx, required: bool) -> bool {
        let Some(frozen) = &self.frozen else { return true };
        let [any, anti] = &frozen.affinity_lists;
        if required { anti } else { any }.binary_search(&node).is_ok()
    }

    /// How many nodes the search is limited to.
    #[must_use]
    pub(crate) fn nodes_in_placement(&self) -> usize {
        self.placement.as_ref().map_or(self.infos.len(), |nodes| nodes.len())
    }

    /// Whether the search considers the node.
    #[must_use]
    pub(crate) fn is_in_placement(&self, node: NodeIx) -> bool {
        self.placement.as_ref().is_none_or(|nodes| nodes.binary_search(&node).is_ok())
    }

    /// The same view, with a client that calls the extenders.
    #[must_use]
    pub fn with_extender_client(self, extender_client: Option<&'c dyn ExtenderClient>) -> Self {
        Self { extender_client, ..self }
    }

    /// The pods and the requested resources of `node`.
    ///
    /// # Panics
    /// With an index of another cluster.
    #[must_use]
    #[expect(clippy::indexing_slicing, reason = "one entry per node of the cluster")]
    pub(crate) fn info(&self, node: NodeIx) -> &NodeInfo {
        &self.infos[node.0 as usize]
    }

    /// The same as a shared pointer, whose address is stable as long as its pods are.
    ///
    /// # Panics
    /// With an index of another cluster.
    #[must_use]
    #[expect(clippy::indexing_slicing, reason = "one entry per node of the cluster")]
    pub(crate) fn shared_info(&self, node: NodeIx) -> &Arc<NodeInfo> {
        &self.infos[node.0 as usize]
    }

    /// What stands for the state of the nodes and their pods; `None` after pods were moved.
    #[must_use]
    pub(crate) fn nodes_state(&self) -> Option<&NodesState> {
        Arc::ptr_eq(&self.infos, &self.sums.infos).then_some(&self.sums.state)
    }

    /// Whether any pod has terms of pod affinity or anti-affinity, required or preferred.
    #[must_use]
    pub(crate) fn any_has_affinity(&self) -> bool {
        self.sums.templates.any_has_affinity
    }

    /// Whether any pod has required anti-affinity.
    #[must_use]
    pub(crate) fn any_has_anti_affinity(&self) -> bool {
        self.sums.templates.any_has_anti_affinity
    }

    /// All nodes, by name.
    #[must_use]
    pub(crate) fn infos(&self) -> &[Arc<NodeInfo>] {
        &self.infos
    }

    /// The resources that a pod takes on a node.
    ///
    /// # Panics
    /// With a pod of another cluster.
    #[must_use]
    pub(crate) fn footprint(&self, pod: &Pod) -> &Resources {
        self.footprint_of(pod.resource_requests)
    }

    /// The resources that a pod with these requests takes on a node.
    ///
    /// # Panics
    /// With requests of another cluster.
    #[must_use]
    #[expect(
        clippy::indexing_slicing,
        reason = "one entry per value in `Cluster::resource_requests`"
    )]
    pub(crate) fn footprint_of(&self, requests: PoolIx) -> &Resources {
        &self.sums.requests.footprints[requests.0 as usize]
    }

    /// The potential victims on the nodes, for preemptors of this priority.
    pub(crate) fn potential_victims(&self, priority: i32, now: Timestamp) -> Arc<VictimTable> {
        self.sums.victims.table(priority, now, self.infos().len())
    }

    /// Cpu in thousandths and memory in bytes that pods on a node take in scores, by index of their
    /// resource requests.
    #[must_use]
    pub(crate) fn non_zero_footprints(&self) -> &[(i64, i64)] {
        self.sums.requests.non_zero.get_or_init(|| {
            let (cluster, features) = (self.cluster, &self.profile.features.requests);
            cluster
                .resource_requests
                .iter()
                .map(|of| requests::non_zero_footprint(of, cluster, features))
                .collect()
        })
    }

    /// What the pods on a node request, as this version sums it up: since 1.38, sums that are too
    /// large to count are the largest number, and exact again once pods are removed.
    pub(crate) fn requested<'i>(&self, info: &'i NodeInfo) -> Cow<'i, Resources> {
        let saturates = self.profile.features.requests.huge_sums_saturate;
        if !saturates || !self.sums.requests.may_overflow {
            return Cow::Borrowed(&info.requested);
        }
        let mut sum = Resources::default();
        for pod in &info.pods {
            sum.add_capped(self.footprint(self.cluster.pod(*pod)));
        }
        Cow::Owned(sum)
    }

    /// What a node has for pods, as this version counts it.
    pub(crate) fn allocatable(&self, node: NodeIx) -> &'c Resources {
        let node = self.node(node);
        self.saturated(node).map_or(&node.allocatable, |saturated| &saturated.allocatable)
    }

    /// How many pods a node may have, as this version counts it.
    pub(crate) fn allocatable_pods(&self, node: NodeIx) -> i64 {
        let node = self.node(node);
        self.saturated(node).map_or(node.allocatable_pods, |saturated| saturated.pods)
    }

    fn saturated(&self, node: &'c Node) -> Option<&'c Saturated> {
        let saturates = self.profile.features.requests.huge_requests_saturate;
        node.saturated.as_deref().filter(|_| saturates)
    }

    /// The resources that the pods on a node take there.
    ///
    /// # Panics
    /// With an index of another cluster.
    #[must_use]
    pub fn requested_on(&self, node: NodeIx) -> &Resources {
        &self.info(node).requested
    }

    /// The resources that a pod takes on a node.
    ///
    /// # Panics
    /// With an index of another cluster.
    #[must_use]
    pub fn requested_by(&self, pod: PodIx) -> &Resources {
        self.footprint(self.cluster.pod(pod))
    }

    /// The resources that the pod requests while it is being scheduled; negative sums count as 0.
    #[must_use]
    pub fn incoming(&self, pod: &Pod) -> Resources {
        let Some(resource_requests) = self.cluster.resource_requests.get(pod.resource_requests)
        else {
            return Resources::default();
        };
        let features = &self.profile.features.requests;
        let mut wanted = requests::incoming(resource_requests, self.cluster, features);
        if !features.requests_never_negative {
            return wanted;
        }
        wanted.milli_cpu = wanted.milli_cpu.max(0);
        wanted.memory = wanted.memory.max(0);
        wanted.ephemeral_storage = wanted.ephemeral_storage.max(0);
        wanted.scalars.iter_mut().for_each(|(_, amount)| *amount = (*amount).max(0));
        wanted
    }

    /// The pods nominated to `node` whose resources `incoming` must leave free: those of the same
    /// or a higher priority, without `incoming` itself.
    pub fn nominated_pods(&self, node: NodeIx, incoming: PodIx) -> impl Iterator<Item = PodIx> {
        let cluster = self.cluster;
        let priority = cluster.pod(incoming).priority;
        let nominated = self.nominated.get(&node).into_iter().flatten().copied();
        nominated.filter(move |pod| *pod != incoming && cluster.pod(*pod).priority >= priority)
    }

    /// How many nominated pods that are in no queue count on `node` for `incoming`. Parity: they
    /// are treated as pods of priority 0 without requests, ports and labels.
    #[must_use]
    pub(crate) fn unqueued_pods(&self, node: NodeIx, incoming: PodIx) -> usize {
        let pods = self.unqueued.get(&node).filter(|_| self.cluster.pod(incoming).priority <= 0);
        pods.map_or(0, |pods| pods.iter().filter(|pod| **pod != incoming).count())
    }

    /// The node itself.
    #[must_use]
    pub(crate) fn node(&self, node: NodeIx) -> &'c Node {
        self.cluster.node(node)
    }

    /// A node's label.
    #[must_use]
    pub(crate) fn node_label(&self, node: NodeIx, key: Sym) -> Option<Sym> {
        model::cluster::selector::label(self.cluster.labels(self.node(node).labels), key)
    }

    /// By label set of pods: whether a selector matches it.
    #[must_use]
    pub(crate) fn label_sets_matching(&self, selector: &Selector) -> Arc<Vec<bool>> {
        if let Some(known) = &self.known_nodes {
            return known.label_sets_matching(self, selector);
        }
        let sets = self.cluster.label_sets.iter();
        Arc::new(sets.map(|labels| selector.matches(labels)).collect())
    }

    /// The label of every node.
    #[must_use]
    pub(crate) fn node_labels(&self, key: Sym) -> Arc<Vec<Option<Sym>>> {
        let known = self.known_nodes.as_ref().and_then(|known| {
            known.labels(self, key, |infos| self.labels_on(infos.iter().copied(), key))
        });
        known.unwrap_or_else(|| Arc::new(self.labels_on(self.infos.iter(), key)))
    }

    /// The topology domains of the nodes under a key.
    #[must_use]
    pub(crate) fn node_domains(&self, key: Sym) -> NodeDomains {
        let known = self.known_nodes.as_ref().and_then(|known| known.domains(self, key));
        known.unwrap_or_else(|| {
            let mut numbers = DomainNumbers::default();
            let of_nodes = self
                .infos
                .iter()
                .map(|info| self.node_label(info.node, key).and_then(|domain| numbers.of(domain)));
            NodeDomains { of_nodes: Arc::new(of_nodes.collect()), count: numbers.0.len() }
        })
    }

    fn labels_on<'i>(
        &self,
        infos: impl Iterator<Item = &'i Arc<NodeInfo>>,
        key: Sym,
    ) -> Vec<Option<Sym>> {
        infos.map(|info| self.node_label(info.node, key)).collect()
    }
}

/// The nodes to which pods are nominated.
fn nominations(cluster: &Cluster, profile: &Profile) -> BTreeMap<NodeIx, Vec<PodIx>> {
    let mut nominated: BTreeMap<NodeIx, Vec<PodIx>> = BTreeMap::new();
    let features = &profile.features;
    let schedulers: Vec<Sym> =
        profile.all_names.iter().filter_map(|name| cluster.symbols.get(name)).collect();
    for ix in cluster.nominees() {
        let pod = cluster.pod(ix);
        if !pod.is_waiting() {
            continue;
        }
        let template = cluster.template(pod);
        // What other profiles disable is unknown here.
        let own = cluster.text(template.scheduler_name) == profile.scheduler_name;
        let gates_hold =
            if own { profile.plugins.scheduling_gates() } else { features.queue.scheduling_gates };
        let held = !template.gates.is_empty() && gates_hold && !features.queue.gated_nominations;
        if schedulers.contains(&template.scheduler_name)
            && !held
            && let Some(node) = cluster.find_node(cluster.text(pod.nominated_node))
        {
            nominated.entry(node).or_default().push(ix);
        }
    }
    nominated
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::testing::{at, cluster, find, node, objects, pod};

    /// What every view has of the nodes: the pods, and the sums of what they request.
    fn seen(view: &ClusterView) -> Vec<(NodeIx, Vec<PodIx>, Resources)> {
        let of = |info: &Arc<NodeInfo>| (info.node, info.pods.clone(), info.requested.clone());
        view.infos().iter().map(of).collect()
    }

    fn small() -> Cluster {
        cluster(objects![
            node("a").cpu("4"),
            node("b").cpu("4"),
            node("c").cpu("4"),
            pod("one").cpu("1").on("a"),
            pod("two").cpu("2").memory("1Gi").on("a"),
            pod("resized").cpu("1").on("b"),
            pod("waits").cpu("1"),
            pod("nominated").cpu("1").nominated("c"),
        ])
    }

    #[test]
    fn updated_sums_after_changes_are_those_of_a_new_view() {
        type Change = fn(&mut Cluster);
        let changes: [(&str, Change); 11] = [
            ("nothing", |_| {}),
            ("nominate", |cluster| {
                let pod = find(cluster, "waits");
                cluster.nominate(pod, Some(NodeIx(1)));
            }),
            ("nominate elsewhere", |cluster| {
                let pod = find(cluster, "nominated");
                cluster.nominate(pod, Some(NodeIx(0)));
            }),
            ("bind", |cluster| {
                let pod = find(cluster, "waits");
                cluster.bind(pod, NodeIx(2));
            }),
            ("remove", |cluster| {
                let pod = find(cluster, "one");
                cluster.remove_pod(pod);
            }),
            ("come back", |cluster| {
                let pod = find(cluster, "two");
                cluster.recreate(pod, Timestamp::UNIX_EPOCH);
                cluster.bind(pod, NodeIx(0));
            }),
            ("resize where it is", |cluster| {
                let pod = find(cluster, "resized");
                cluster.set_request(pod, "cpu", "3").expect("a quantity");
            }),
            ("add a pod", |cluster| {
                let two = find(cluster, "two");
                let mut copy = cluster.copy(two, Timestamp::UNIX_EPOCH);
                copy.name = "a-first-one".into();
                copy.node_name = cluster.node(NodeIx(1)).name;
                cluster.insert(vec![copy]);
            }),
            ("add a node", |cluster| {
                let mut like = cluster.node(NodeIx(0)).clone();
                like.name = cluster.symbols.intern("aa");
                cluster.insert_node(like);
            }),
            ("remove a node", |cluster| cluster.remove_node(NodeIx(0))),
            ("cordon", |cluster| cluster.cordon(NodeIx(0), true)),
        ];
        for version in ["1.19", "1.30", "1.37"] {
            let profile = at(version).profile();
            let mut cluster = small();
            let before = cluster.clone();
            let first = ClusterView::new(&before, &profile);
            assert_eq!(first.non_zero_footprints().len(), before.resource_requests.len());
            let mut sums = Arc::clone(&first.sums);
            for (what, change) in changes {
                change(&mut cluster);
                // From one change to the next, as a simulation goes on, and from the first state.
                sums = sums.updated(&cluster, &profile);
                let selectors = DeviceSelectors::of(&cluster);
                let next = ClusterView::with_sums(
                    &cluster,
                    &profile,
                    selectors.clone(),
                    Arc::clone(&sums),
                );
                let copy = first.of_copy(&cluster, selectors);
                let new = ClusterView::new(&cluster, &profile);
                for view in [&next, &copy] {
                    assert_eq!(seen(view), seen(&new), "{version}: {what}");
                    assert_eq!(view.nominated, new.nominated, "{version}: {what}");
                    assert_eq!(
                        view.sums.requests.footprints, new.sums.requests.footprints,
                        "{version}: {what}"
                    );
                    assert_eq!(
                        view.non_zero_footprints(),
                        new.non_zero_footprints(),
                        "{version}: {what}"
                    );
                }
            }
        }
    }

    #[test]
    fn sums_of_an_unchanged_cluster_are_shared() {
        let (cluster, profile) = (small(), at("1.37").profile());
        let view = ClusterView::new(&cluster, &profile);
        let copy = cluster.clone();
        assert!(Arc::ptr_eq(&view.sums, &view.sums.updated(&copy, &profile)));
    }
}

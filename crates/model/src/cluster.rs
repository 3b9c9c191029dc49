//! The cluster as decisions read it, with every object parsed once.
//!
//! Nodes are ordered by name, and pods by namespace and name, including the pods of a node. A
//! scheduler that has just listed its objects has them in this order (1.34 and older); newer
//! schedulers start in random order, which matters only for ties.

pub mod autoscaling;
pub mod budget;
pub mod build;
pub mod composite_group;
pub mod contents;
pub mod devices;
pub mod edit;
pub mod event;
pub mod eviction_guard;
pub mod gang_workload;
pub mod handling;
pub mod in_tree;
mod known_values;
pub mod limit_range;
pub mod matching;
pub mod node;
mod node_image;
pub mod node_list;
pub mod node_selector;
pub mod notes;
pub mod owner;
pub mod pod;
pub mod pod_controller;
pub mod pod_group;
pub mod pod_volume;
pub mod priority_class;
pub mod quantity;
pub mod quota;
mod reader;
pub mod resource_requests;
pub mod resources;
pub mod selector;
pub mod service;
pub mod shared_list;
pub mod storage;
pub mod symbols;
pub mod system_label;
pub mod system_taint;
pub mod template;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use autoscaling::AutoscalerObjects;
pub use budget::{Budget, BudgetIx};
use composite_group::CompositeGroup;
pub use composite_group::{AnyGroup, CompositeIx};
use devices::Devices;
use event::Event;
use gang_workload::GangWorkload;
use handling::Handling;
use indexmap::IndexMap;
use limit_range::LimitRange;
pub use node::{Node, NodeIx};
use node_image::NodeImage;
use node_list::NodeList;
use node_selector::NodeFacts;
use owner::Owner;
use pod::OwnerRef;
pub use pod::{Pod, PodIx};
use pod_controller::{PodAutoscaler, PodController};
pub use pod_group::{GroupIx, PodGroup};
use priority_class::PriorityClass;
pub use quantity::Quantity;
use quota::ResourceQuota;
use resource_requests::ResourceRequests;
use selector::Labels;
use service::Service;
use shared_list::SharedList;
use storage::Storage;
pub use symbols::Sym;
use symbols::{Interner, PoolIx, Symbols};
pub use template::Template;

use crate::notes::{MissingInput, Note, Subject};
use crate::snapshot::Header;
pub use crate::snapshot::Kind;

/// All objects that were read. Strings, label sets, templates and resource requests are interned.
/// Clones share the large parts, so hypothetical changes are cheap.
#[derive(Debug, Clone, Default)]
pub struct Cluster {
    /// Strings.
    pub symbols: Symbols,
    /// Label sets of nodes, pods and namespaces.
    pub label_sets: Interner<Labels>,
    /// Images of nodes.
    images: Interner<NodeImage>,
    /// Pod constraints.
    pub templates: Interner<Template>,
    /// Pod resources.
    pub resource_requests: Interner<ResourceRequests>,
    quantities: IndexMap<Sym, Quantity, foldhash::fast::RandomState>,
    /// Nodes by name.
    pub nodes: NodeList,
    /// Pods by namespace and name: assigned, pending and finished ones.
    pub pods: SharedList<Pod>,
    /// A changed list is replaced, never modified, so a holder can tell by its address whether it
    /// is still current.
    pods_on: Vec<Arc<Vec<PodIx>>>,
    /// The pods with a nominated node, whether or not it exists.
    nominees: BTreeSet<PodIx>,
    /// Budgets by namespace and name.
    pub budgets: Vec<Budget>,
    pub priority_classes: Vec<PriorityClass>,
    /// The kinds of extensions of which the input has objects.
    extensions: BTreeSet<Kind>,
    /// Labels of namespaces.
    pub namespaces: BTreeMap<Sym, PoolIx>,
    /// Claims, volumes and what they depend on.
    pub storage: Storage,
    /// Devices and claims for them.
    pub devices: Devices,
    /// Controllers of pods.
    pub owners: Vec<Owner>,
    /// How many pods controllers want, by kind, namespace and name; affects no decision.
    pub pod_controllers: Vec<PodController>,
    /// What sets how many, as far as the input has it.
    pub pod_autoscalers: Vec<PodAutoscaler>,
    /// Groups of pods, by namespace and name.
    pub pod_groups: Vec<PodGroup>,
    /// Workloads that groups of pods are created from, by namespace and name.
    pub workloads: Vec<GangWorkload>,
    /// Composite groups, by namespace and name.
    pub composite_groups: Vec<CompositeGroup>,
    /// Services with a selector.
    pub services: Vec<Service>,
    /// Namespace defaults for containers, by namespace and name.
    pub limit_ranges: Vec<LimitRange>,
    /// Limits on the total requests of a namespace's pods, by namespace and name.
    pub quotas: Vec<ResourceQuota>,
    /// Events that say why pods were evicted or deleted.
    pub events: Vec<Event>,
    /// Events that say why pods that have a node do not start.
    pub start_events: Vec<Event>,
    /// Events in which schedulers say that they found no node for a pod.
    pub scheduling_events: Vec<Event>,
    /// Events of autoscalers: what they do with nodes, or why they do nothing.
    pub node_events: Vec<Event>,
    /// What autoscalers show in the cluster; affects no decision.
    pub autoscaling: Arc<AutoscalerObjects>,
    /// The objects of programs that decide about pods instead of kube-scheduler, or before it.
    pub handling: Arc<Handling>,
    /// Kinds for which the input contains a list, even an empty one.
    pub listed: BTreeSet<Kind>,
    /// The origin of the input.
    pub header: Header,
    /// Problems with the input.
    pub notes: Vec<Note>,
}

static NO_LABELS: &[(Sym, Sym)] = &[];

impl Cluster {
    /// Assigns active pods to their nodes. The scheduler does not see a pod on an unknown node, for
    /// which `unknown` is called.
    fn assign(&mut self, mut unknown: impl FnMut(Subject, String)) {
        let index: IndexMap<Sym, usize, foldhash::fast::RandomState> =
            self.nodes.iter().enumerate().map(|(i, n)| (n.name, i)).collect();
        let mut pods_on = vec![Vec::new(); self.nodes.len()];
        self.nominees.clear();
        for (i, pod) in self.pods.iter().enumerate() {
            if !pod.nominated_node.is_empty() {
                self.nominees.insert(PodIx(ix(i)));
            }
            if !pod.is_running() {
                continue;
            }
            if let Some(pods) = index.get(&pod.node_name).and_then(|n| pods_on.get_mut(*n)) {
                pods.push(PodIx(ix(i)));
            } else {
                let node = self.symbols.text(pod.node_name);
                let text = format!(
                    "is on node {node}, which is not in the input; the scheduler would not see it"
                );
                unknown(
                    Subject::object(Kind::Pod, self.symbols.text(pod.namespace), &pod.name),
                    text,
                );
            }
        }
        let shrunk = pods_on.into_iter().map(|mut pods| {
            pods.shrink_to_fit();
            Arc::new(pods)
        });
        self.pods_on = shrunk.collect();
    }

    /// The pods with a nominated node, whether or not it exists.
    pub fn nominees(&self) -> impl Iterator<Item = PodIx> {
        self.nominees.iter().copied()
    }

    /// Notes about pods that a list of pods may lack, or contain although they are gone.
    pub fn notes_on_lists(&self) -> impl Iterator<Item = &Note> {
        self.notes.iter().filter(|note| note.lacks.iter().any(MissingInput::is_of_lists))
    }

    /// The node with an index of this cluster.
    ///
    /// # Panics
    /// With an index of another cluster.
    #[must_use]
    #[expect(clippy::indexing_slicing, reason = "indices are only made by this cluster")]
    pub fn node(&self, node: NodeIx) -> &Node {
        &self.nodes[node.0 as usize]
    }

    /// The pod with an index of this cluster.
    ///
    /// # Panics
    /// With an index of another cluster.
    #[must_use]
    #[expect(clippy::indexing_slicing, reason = "indices are only made by this cluster")]
    pub fn pod(&self, pod: PodIx) -> &Pod {
        &self.pods[pod.0 as usize]
    }

    /// The node to which a pod is assigned.
    #[must_use]
    pub fn node_of(&self, pod: PodIx) -> Option<NodeIx> {
        self.find_node(self.text(self.pod(pod).node_name))
    }

    /// The budget with an index of this cluster.
    ///
    /// # Panics
    /// With an index of another cluster.
    #[must_use]
    #[expect(clippy::indexing_slicing, reason = "indices are only made by this cluster")]
    pub fn budget(&self, budget: BudgetIx) -> &Budget {
        &self.budgets[budget.0 as usize]
    }

    /// Active pods assigned to `node`, by namespace and name.
    #[must_use]
    pub fn pods_on(&self, node: NodeIx) -> &[PodIx] {
        self.pods_on.get(node.0 as usize).map_or(&[], |pods| pods.as_slice())
    }

    /// The lists of [`Self::pods_on`] of all nodes, by name. As long as a list is kept, no other has
    /// its address, and every change of the pods on a node makes another list.
    #[must_use]
    pub fn pods_by_node(&self) -> &[Arc<Vec<PodIx>>] {
        &self.pods_on
    }

    /// The number of active pods on `node` with the priority of `pod`, which it cannot preempt.
    #[must_use]
    pub fn pods_of_equal_priority(&self, node: NodeIx, pod: PodIx) -> usize {
        let priority = self.pod(pod).priority;
        self.pods_on(node).iter().filter(|other| self.pod(**other).priority == priority).count()
    }

    /// Active pods assigned to nodes that are not in the input, by namespace and name.
    pub fn pods_on_gone_nodes(&self) -> impl Iterator<Item = PodIx> + '_ {
        self.pod_indices().filter(|ix| {
            let pod = self.pod(*ix);
            pod.is_running() && self.find_node(self.text(pod.node_name)).is_none()
        })
    }

    /// Indices of all nodes, by name.
    pub fn node_indices(&self) -> impl ExactSizeIterator<Item = NodeIx> + use<> {
        (0..ix(self.nodes.len())).map(NodeIx)
    }

    /// Indices of all pods, by namespace and name.
    pub fn pod_indices(&self) -> impl ExactSizeIterator<Item = PodIx> + use<> {
        (0..ix(self.pods.len())).map(PodIx)
    }

    /// Indices of all budgets, by namespace and name.
    pub fn budget_indices(&self) -> impl ExactSizeIterator<Item = BudgetIx> + use<> {
        (0..ix(self.budgets.len())).map(BudgetIx)
    }

    #[must_use]
    pub fn find_node(&self, name: &str) -> Option<NodeIx> {
        let index = self.nodes.search(|n| self.symbols.text(n.name).cmp(name))?;
        Some(NodeIx(ix(index)))
    }

    #[must_use]
    pub fn find_pod(&self, namespace: &str, name: &str) -> Option<PodIx> {
        Some(PodIx(ix(self.pods.search(|p| {
            self.symbols.text(p.namespace).cmp(namespace).then_with(|| (*p.name).cmp(name))
        })?)))
    }

    /// Indices of all groups, by namespace and name.
    pub fn group_indices(&self) -> impl ExactSizeIterator<Item = GroupIx> + use<> {
        (0..ix(self.pod_groups.len())).map(GroupIx)
    }

    /// The group with an index of this cluster.
    ///
    /// # Panics
    /// With a group of another cluster.
    #[must_use]
    #[expect(clippy::indexing_slicing, reason = "indices are only made by this cluster")]
    pub fn pod_group(&self, group: GroupIx) -> &PodGroup {
        &self.pod_groups[group.0 as usize]
    }

    #[must_use]
    pub fn find_pod_group(&self, namespace: &str, name: &str) -> Option<GroupIx> {
        Some(GroupIx(ix(self.find(
            &self.pod_groups,
            |group| (group.namespace, group.name),
            namespace,
            name,
        )?)))
    }

    #[must_use]
    pub fn find_workload(&self, namespace: &str, name: &str) -> Option<&GangWorkload> {
        let at = self.find(
            &self.workloads,
            |workload| (workload.namespace, workload.name),
            namespace,
            name,
        )?;
        self.workloads.get(at)
    }

    /// The position of an object in a list ordered by namespace and name.
    fn find<T>(
        &self,
        all: &[T],
        names: impl Fn(&T) -> (Sym, Sym),
        namespace: &str,
        name: &str,
    ) -> Option<usize> {
        all.binary_search_by(|object| {
            let (own_namespace, own_name) = names(object);
            self.text(own_namespace).cmp(namespace).then_with(|| self.text(own_name).cmp(name))
        })
        .ok()
    }

    /// Namespace and name of the group that a pod names, whether or not it exists; `None` if it
    /// names none.
    #[must_use]
    pub fn named_group(&self, pod: PodIx) -> Option<(Sym, Sym)> {
        let pod = self.pod(pod);
        let name = self.template(pod).group;
        (!name.is_empty()).then_some((pod.namespace, name))
    }

    /// The group that a pod names, if it exists.
    #[must_use]
    pub fn group_of(&self, pod: PodIx) -> Option<GroupIx> {
        let (namespace, name) = self.named_group(pod)?;
        self.find_pod_group(self.text(namespace), self.text(name))
    }

    /// A group as `namespace/name`.
    #[must_use]
    pub fn group_name(&self, group: GroupIx) -> String {
        self.any_group_name(AnyGroup::Pods(group))
    }

    #[must_use]
    pub fn find_uid(&self, namespace: &str, name: &str, uid: &str) -> Option<PodIx> {
        self.find_pod(namespace, name).filter(|ix| *self.pod(*ix).uid == *uid)
    }

    /// The text of a symbol.
    #[must_use]
    pub fn text(&self, sym: Sym) -> &str {
        self.symbols.text(sym)
    }

    /// The labels with an index of this cluster.
    #[must_use]
    pub fn labels(&self, labels: PoolIx) -> &[(Sym, Sym)] {
        self.label_sets.get(labels).map_or(NO_LABELS, |l| l)
    }

    /// The value of the first of these keys that labels have.
    #[must_use]
    pub fn first_label(&self, labels: PoolIx, keys: &[&str]) -> Option<&str> {
        let labels = self.labels(labels);
        let value = |key: &&str| selector::label(labels, self.symbols.get(key)?);
        keys.iter().find_map(value).map(|value| self.text(value))
    }

    /// Labels of a namespace; an unknown namespace has none.
    #[must_use]
    pub fn namespace_labels(&self, namespace: Sym) -> &[(Sym, Sym)] {
        self.namespaces.get(&namespace).map_or(NO_LABELS, |l| self.labels(*l))
    }

    /// Constraints of a pod.
    ///
    /// # Panics
    /// With a pod of another cluster.
    #[must_use]
    #[expect(clippy::expect_used, reason = "indices are only made by this cluster")]
    pub fn template(&self, pod: &Pod) -> &Template {
        self.templates.get(pod.template).expect("pods know their template")
    }

    /// The value of a pod's annotation, among those that are read.
    #[must_use]
    pub fn annotation(&self, pod: &Pod, key: &str) -> Option<&str> {
        let entry = pod.annotations.iter().find(|(name, _)| self.text(*name) == key);
        entry.map(|(_, value)| self.text(*value))
    }

    /// The value of a label of a pod.
    #[must_use]
    pub fn label(&self, pod: &Pod, key: &str) -> Option<&str> {
        let entry = self.labels(pod.labels).iter().find(|(name, _)| self.text(*name) == key);
        entry.map(|(_, value)| self.text(*value))
    }

    /// The quantity that a text represents; an invalid one counts as absent.
    #[must_use]
    pub fn quantity(&self, text: Sym) -> Option<Quantity> {
        self.quantities.get(&text).copied()
    }

    /// The part of a node that node selectors read.
    #[must_use]
    pub fn node_facts(&self, node: &Node) -> NodeFacts<'_> {
        NodeFacts { labels: self.labels(node.labels), name: node.name }
    }

    /// The pod as the subject of a note.
    #[must_use]
    pub fn pod_subject(&self, pod: PodIx) -> Subject {
        let pod = self.pod(pod);
        Subject::object(Kind::Pod, self.text(pod.namespace), &pod.name)
    }

    /// A group as the subject of a note.
    #[must_use]
    pub fn group_subject(&self, group: GroupIx) -> Subject {
        self.any_group_subject(AnyGroup::Pods(group))
    }

    /// An object in a namespace as `namespace/name`.
    #[must_use]
    pub fn full_name(&self, namespace: Sym, name: Sym) -> String {
        format!("{}/{}", self.text(namespace), self.text(name))
    }

    /// A pod as `namespace/name`.
    #[must_use]
    pub fn pod_name(&self, pod: PodIx) -> String {
        let pod = self.pod(pod);
        format!("{}/{}", self.text(pod.namespace), pod.name)
    }

    /// A budget as `namespace/name`.
    #[must_use]
    pub fn budget_name(&self, budget: BudgetIx) -> String {
        let budget = self.budget(budget);
        format!("{}/{}", self.text(budget.namespace), budget.name)
    }

    /// A budget as the subject of a note.
    #[must_use]
    pub fn budget_subject(&self, budget: BudgetIx) -> Subject {
        let budget = self.budget(budget);
        Subject::object(Kind::PodDisruptionBudget, self.text(budget.namespace), &budget.name)
    }

    /// A controller as `Kind/name`.
    #[must_use]
    pub fn owner_name(&self, owner: &OwnerRef) -> String {
        format!("{}/{}", self.text(owner.kind), self.text(owner.name))
    }

    #[must_use]
    pub fn node_name(&self, node: NodeIx) -> &str {
        self.text(self.node(node).name)
    }
}

/// Narrows an index for storage: no cluster has four billion objects of a kind.
fn ix(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

//! What is known about nodes from earlier decisions about pods of the same kind, while the nodes
//! and the pods on them stay as they are.
//!
//! Most filters, most scores, and all counts of pods look at one node alone. Of the many pods that a
//! simulation decides one after the other, most are replicas of the same workloads, and from one
//! decision to the next few nodes change: only these are looked at again.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use indexmap::IndexMap;
use model::cluster::node::Node;
use model::cluster::selector::Selector;
use model::cluster::symbols::{PoolIx, Sym};
use model::cluster::{NodeIx, Pod, PodIx};

use super::{ClusterView, DomainNumbers, NodeDomains, NodeInfo, NodesState};

/// Maximum number of values that are remembered, each for a node: at most 128 MB.
const MOST_KNOWN: usize = 8_000_000;

/// What is known about nodes. Copies share it until one of them learns more.
#[derive(Debug, Default)]
pub struct KnownNodes(Mutex<Known>);

#[derive(Debug, Clone, Default)]
struct Known {
    /// By the name of the scheduler, which sees the nodes in its own way.
    by_scheduler: Vec<(String, KnownOfScheduler)>,
    order: KnownOrder,
    /// By selector and label set of pods: whether it matches. Label sets are interned: what is known
    /// keeps its index.
    matching: IndexMap<Selector, Arc<Vec<bool>>, foldhash::fast::RandomState>,
}

/// The order in which the scheduler goes through nodes.
#[derive(Debug, Clone, Default)]
struct KnownOrder {
    nodes: Vec<Arc<Node>>,
    order: Arc<[NodeIx]>,
}

#[derive(Debug, Clone, Default)]
struct KnownOfScheduler {
    /// The nodes as they were seen last, and the state of the view that they were seen in.
    nodes: Vec<SeenNode>,
    state: Option<NodesState>,
    /// How often they had changed.
    looks: u64,
    /// The last changes: at which look, of which node.
    changes: VecDeque<(u64, usize)>,
    /// By the constraints and the requests of pods: the kinds that have them.
    kinds: BTreeMap<(PoolIx, PoolIx), Vec<KnownKind>>,
    /// By plugin and what it reads of pods.
    scores: BTreeMap<(&'static str, ScoreKey), Column<Option<i64>>>,
    /// By namespace: how many of its pods selectors select.
    selected: BTreeMap<Sym, Vec<(Selector, Column<i64>)>>,
    /// By topology key: the label of every node.
    labels: Vec<(Sym, Column<Option<Sym>>)>,
    /// By topology key.
    domains: Vec<(Sym, KnownDomains)>,
    /// By image: its size on every node that has it.
    image_sizes: Vec<(Sym, Column<Option<i64>>)>,
    /// How many columns there are.
    columns: usize,
}

/// The topology domains under a key, and the number of that of every node.
#[derive(Debug, Clone, Default)]
struct KnownDomains {
    numbers: DomainNumbers,
    of_nodes: Column<Option<u32>>,
}

/// A node in a state in which it was seen.
#[derive(Debug, Clone)]
struct SeenNode {
    node: Arc<Node>,
    info: Arc<NodeInfo>,
    /// At which look it was first seen so.
    since: u64,
}

/// What is known for pods that the scheduler treats alike.
#[derive(Debug, Clone)]
struct KnownKind {
    pod: Pod,
    /// By the number of filters that were asked: which of them come before all others depends on the
    /// other pods, too.
    rejections: Vec<(usize, Column<Option<u8>>)>,
    pulls: Column<Pulls>,
    matched_pods: Column<MatchedPods>,
}

/// What of a pod a raw score depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ScoreKey {
    Template(PoolIx),
    Requests(PoolIx),
}

/// The weights by which pods of a node pull a pod, or push it away, by topology key; `None` for none.
pub(crate) type Pulls = Option<Box<[(Sym, i64)]>>;

/// The pods of a node that a required term of pod affinity or anti-affinity is about, each with the
/// term's topology key; `None` for none.
pub(crate) type MatchedPods = Option<Box<[(PodIx, TermSide, Sym)]>>;

/// Whose term it is that is about a running pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TermSide {
    /// The incoming pod's affinity.
    Affinity,
    /// The incoming pod's anti-affinity.
    Anti,
    /// The running pod's own anti-affinity, which is about the incoming pod.
    Existing,
}

/// A value for every node, by index.
#[derive(Debug, Clone)]
struct Column<T> {
    values: Arc<Vec<T>>,
    /// The look at which they were those of all nodes; 0 if nothing was found yet.
    as_of: u64,
}

/// A column of any values.
trait AnyColumn {
    /// Keeps only the values at these positions, if it has one for each of `count` nodes, or else none.
    fn keep(&mut self, positions: &[usize], count: usize);
}

impl<T: Clone> AnyColumn for Column<T> {
    fn keep(&mut self, positions: &[usize], count: usize) {
        let is_whole = self.values.len() == count;
        let kept = positions.iter().filter(|_| is_whole).filter_map(|at| self.values.get(*at));
        self.values = Arc::new(kept.cloned().collect());
    }
}

/// While somebody fills in a column, it is empty for others.
const IN_USE: u64 = u64::MAX;

impl<T> Default for Column<T> {
    fn default() -> Self {
        Self { values: Arc::default(), as_of: 0 }
    }
}

impl Clone for KnownNodes {
    fn clone(&self) -> Self {
        Self(Mutex::new(self.lock().clone()))
    }
}

impl KnownOfScheduler {
    /// Looks at the nodes, and remembers which of them have changed since the last time.
    fn look(&mut self, view: &ClusterView) {
        let state = view.nodes_state();
        if state.is_some() && self.state.as_ref() == state {
            return;
        }
        self.state = state.cloned();
        self.looks += 1;
        let (nodes, infos) = (view.cluster.nodes.all_shared(), view.infos());
        if infos.len() < self.nodes.len() {
            self.drop_removed(nodes, infos);
        }
        self.nodes.truncate(infos.len());
        for (at, (node, info)) in nodes.iter().zip(infos).enumerate() {
            let seen = self.nodes.get(at);
            if seen.is_some_and(|s| Arc::ptr_eq(&s.info, info) && Arc::ptr_eq(&s.node, node)) {
                continue;
            }
            let seen =
                SeenNode { node: Arc::clone(node), info: Arc::clone(info), since: self.looks };
            match self.nodes.get_mut(at) {
                Some(earlier) => *earlier = seen,
                None => self.nodes.push(seen),
            }
            self.changes.push_back((self.looks, at));
        }
        let many = self.changes.len().saturating_sub(self.nodes.len());
        self.changes.drain(..many);
    }

    /// Drops what is known of removed nodes, if all others are what they were: they keep their order,
    /// and get other indices.
    fn drop_removed(&mut self, nodes: &[Arc<Node>], infos: &[Arc<NodeInfo>]) {
        let mut kept: Vec<usize> = Vec::with_capacity(infos.len());
        let mut earlier = self.nodes.iter().enumerate();
        for (node, info) in nodes.iter().zip(infos) {
            let is_it =
                |seen: &SeenNode| Arc::ptr_eq(&seen.node, node) && seen.info.has_list_of(info);
            match earlier.find(|(_, seen)| is_it(seen)) {
                Some((at, _)) => kept.push(at),
                None => return,
            }
        }
        let (count, columns) = (self.nodes.len(), self.all_columns());
        columns.into_iter().for_each(|column| column.keep(&kept, count));
        let seen = kept.iter().zip(infos).filter_map(|(at, info)| {
            let SeenNode { node, since, .. } = self.nodes.get(*at)?;
            Some(SeenNode { node: Arc::clone(node), info: Arc::clone(info), since: *since })
        });
        self.nodes = seen.collect();
        self.changes.clear();
    }

    fn all_columns(&mut self) -> Vec<&mut dyn AnyColumn> {
        let mut columns: Vec<&mut dyn AnyColumn> = Vec::new();
        for kind in self.kinds.values_mut().flatten() {
            let KnownKind { rejections, pulls, matched_pods, .. } = kind;
            columns.extend(rejections.iter_mut().map(|(_, column)| column as &mut dyn AnyColumn));
            columns.push(pulls);
            columns.push(matched_pods);
        }
        columns.extend(self.scores.values_mut().map(|column| column as &mut dyn AnyColumn));
        let selected = self.selected.values_mut().flatten();
        columns.extend(selected.map(|(_, column)| column as &mut dyn AnyColumn));
        columns.extend(self.labels.iter_mut().map(|(_, column)| column as &mut dyn AnyColumn));
        let domains = self.domains.iter_mut().map(|(_, known)| &mut known.of_nodes);
        columns.extend(domains.map(|column| column as &mut dyn AnyColumn));
        columns.extend(self.image_sizes.iter_mut().map(|(_, column)| column as &mut dyn AnyColumn));
        columns
    }

    /// The nodes that have changed since a column was filled in.
    fn changed_since<T>(&self, column: &Column<T>) -> Vec<usize> {
        let known = column.values.len();
        // As long as its last look is among the last changes, these are all.
        let is_recent = self.changes.front().is_some_and(|(look, _)| *look <= column.as_of);
        if is_recent && known == self.nodes.len() {
            let first = self.changes.partition_point(|(look, _)| *look <= column.as_of);
            let changed: BTreeSet<usize> = self.changes.range(first..).map(|(_, at)| *at).collect();
            return changed.into_iter().collect();
        }
        let nodes = self.nodes.iter().enumerate();
        let changed = nodes.filter(|(at, seen)| *at >= known || seen.since > column.as_of);
        changed.map(|(at, _)| at).collect()
    }

    /// What is known for pods like this one, which is nothing at first.
    fn kind(&mut self, pod: &Pod) -> &mut KnownKind {
        let kinds = self.kinds.entry((pod.template, pod.resource_requests)).or_default();
        found_or_added(
            kinds,
            |kind| kind.pod.is_scheduled_like(pod),
            || KnownKind {
                pod: pod.clone(),
                rejections: Vec::new(),
                pulls: Column::default(),
                matched_pods: Column::default(),
            },
        )
    }
}

impl KnownNodes {
    /// For every node the filter of so many that `check` finds to reject a pod first, which is asked
    /// about nodes that have changed since they were seen for a pod like it; `None` where all let it
    /// pass. `None` if too much is known already.
    pub(crate) fn rejections(
        &self,
        view: &ClusterView,
        pod: PodIx,
        filters: usize,
        check: impl Fn(&[&Arc<NodeInfo>]) -> Vec<Option<u8>>,
    ) -> Option<Arc<Vec<Option<u8>>>> {
        let pod = view.cluster.pod(pod);
        self.column(view, |known| of_key(&mut known.kind(pod).rejections, &filters), check)
    }

    /// The raw scores of a plugin that looks at one node alone; `None` where it fails.
    pub(crate) fn scores(
        &self,
        view: &ClusterView,
        key: (&'static str, ScoreKey),
        score: impl Fn(&[&Arc<NodeInfo>]) -> Vec<Option<i64>>,
    ) -> Option<Arc<Vec<Option<i64>>>> {
        self.column(view, |known| known.scores.entry(key).or_default(), score)
    }

    /// How the pods of every node pull a pod, or push it away.
    pub(crate) fn pulls(
        &self,
        view: &ClusterView,
        pod: PodIx,
        find: impl Fn(&[&Arc<NodeInfo>]) -> Vec<Pulls>,
    ) -> Option<Arc<Vec<Pulls>>> {
        let pod = view.cluster.pod(pod);
        self.column(view, |known| &mut known.kind(pod).pulls, find)
    }

    /// The pods of every node that required terms are about, for a pod.
    pub(crate) fn matched_pods(
        &self,
        view: &ClusterView,
        pod: PodIx,
        find: impl Fn(&[&Arc<NodeInfo>]) -> Vec<MatchedPods>,
    ) -> Option<Arc<Vec<MatchedPods>>> {
        let pod = view.cluster.pod(pod);
        self.column(view, |known| &mut known.kind(pod).matched_pods, find)
    }

    /// The label of every node.
    pub(crate) fn labels(
        &self,
        view: &ClusterView,
        key: Sym,
        find: impl Fn(&[&Arc<NodeInfo>]) -> Vec<Option<Sym>>,
    ) -> Option<Arc<Vec<Option<Sym>>>> {
        self.column(view, |known| of_key(&mut known.labels, &key), find)
    }

    /// The domains of the nodes under a topology key.
    pub(crate) fn domains(&self, view: &ClusterView, key: Sym) -> Option<NodeDomains> {
        let of_nodes = self.column(
            view,
            |known| &mut of_key(&mut known.domains, &key).of_nodes,
            |infos| {
                let mut all = self.lock();
                let numbers = &mut of_key(&mut all.of(view).domains, &key).numbers;
                let labels = infos.iter().map(|info| view.node_label(info.node, key));
                labels.map(|label| label.and_then(|domain| numbers.of(domain))).collect()
            },
        )?;
        let count = of_key(&mut self.lock().of(view).domains, &key).numbers.0.len();
        Some(NodeDomains { of_nodes, count })
    }

    /// The size of an image on every node that has it.
    pub(crate) fn image_sizes(
        &self,
        view: &ClusterView,
        image: Sym,
        find: impl Fn(&[&Arc<NodeInfo>]) -> Vec<Option<i64>>,
    ) -> Option<Arc<Vec<Option<i64>>>> {
        self.column(view, |known| of_key(&mut known.image_sizes, &image), find)
    }

    /// How many pods of a namespace a selector selects on every node, as `count` finds it.
    pub(crate) fn selected(
        &self,
        view: &ClusterView,
        namespace: Sym,
        selector: &Selector,
        count: impl Fn(&[&Arc<NodeInfo>]) -> Vec<i64>,
    ) -> Option<Arc<Vec<i64>>> {
        self.column(
            view,
            |known| of_key(known.selected.entry(namespace).or_default(), selector),
            count,
        )
    }

    /// A column, in which `find` fills in the nodes that have changed.
    fn column<T: Clone>(
        &self,
        view: &ClusterView,
        place: impl Fn(&mut KnownOfScheduler) -> &mut Column<T>,
        find: impl Fn(&[&Arc<NodeInfo>]) -> Vec<T>,
    ) -> Option<Arc<Vec<T>>> {
        let mut all = self.lock();
        let known = all.of(view);
        known.look(view);
        let look = known.looks;
        let in_use = Column { values: Arc::default(), as_of: IN_USE };
        let mut column = std::mem::replace(place(known), in_use);
        if column.as_of == 0 {
            if (known.columns + 1) * known.nodes.len() > MOST_KNOWN {
                *place(known) = column;
                return None;
            }
            known.columns += 1;
        }
        let changed = known.changed_since(&column);
        drop(all);

        // It is changed in place, as nobody else has it by now.
        let infos: Vec<&Arc<NodeInfo>> =
            changed.iter().filter_map(|at| view.infos().get(*at)).collect();
        if !infos.is_empty() || column.values.len() > view.infos().len() {
            let values = Arc::make_mut(&mut column.values);
            values.truncate(view.infos().len());
            for (at, value) in changed.iter().zip(find(&infos)) {
                match values.get_mut(*at) {
                    Some(known) => *known = value,
                    None => values.push(value),
                }
            }
        }
        column.as_of = look;
        let values = Arc::clone(&column.values);
        *place(self.lock().of(view)) = column;
        Some(values)
    }

    /// By label set of pods: whether a selector matches it.
    pub(crate) fn label_sets_matching(
        &self,
        view: &ClusterView,
        selector: &Selector,
    ) -> Arc<Vec<bool>> {
        let mut known = self.lock();
        let sets = &view.cluster.label_sets;
        if known.matching.get(selector).is_none_or(|matching| matching.len() != sets.len()) {
            let matching = known.matching.entry(selector.clone()).or_default();
            let new = sets.iter().skip(matching.len()).map(|labels| selector.matches(labels));
            Arc::make_mut(matching).extend(new);
        }
        known.matching.get(selector).cloned().unwrap_or_default()
    }

    /// The scheduler's order of the nodes, which `make` finds if they have changed.
    pub(crate) fn order(
        &self,
        view: &ClusterView,
        make: impl FnOnce() -> Arc<[NodeIx]>,
    ) -> Arc<[NodeIx]> {
        let mut known = self.lock();
        let (nodes, earlier) = (view.cluster.nodes.all_shared(), known.order.nodes.iter());
        let is_same = earlier.len() == nodes.len()
            && earlier.zip(nodes).all(|(known, node)| Arc::ptr_eq(known, node));
        if !is_same {
            known.order = KnownOrder { nodes: nodes.to_vec(), order: make() };
        }
        Arc::clone(&known.order.order)
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn of(&mut self, view: &ClusterView) -> &mut KnownOfScheduler {
        of_key(&mut self.by_scheduler, &view.profile.scheduler_name)
    }
}

/// The value of a key in a short list, to which it is added if it is new.
fn of_key<'l, Q: PartialEq + ToOwned<Owned = K> + ?Sized, K: Borrow<Q>, V: Default>(
    list: &'l mut Vec<(K, V)>,
    key: &Q,
) -> &'l mut V {
    let is_it = |(other, _): &(K, V)| other.borrow() == key;
    &mut found_or_added(list, is_it, || (key.to_owned(), V::default())).1
}

/// The first of a short list that is meant, or a new one at its end.
fn found_or_added<T>(
    list: &mut Vec<T>,
    is_it: impl Fn(&T) -> bool,
    new: impl FnOnce() -> T,
) -> &mut T {
    let at = list.iter().position(is_it).unwrap_or_else(|| {
        list.push(new());
        list.len() - 1
    });
    #[expect(clippy::indexing_slicing, reason = "it was found or added")]
    &mut list[at]
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use model::cluster::Cluster;
    use proptest::prelude::*;
    use serde_json::json;

    use dra::device_selectors::DeviceSelectors;

    use super::super::ClusterSums;
    use super::*;
    use crate::decision;
    use crate::testing::{at, cluster, find, node, objects, pod};

    const AWAY: &str =
        "/spec/affinity/podAntiAffinity/preferredDuringSchedulingIgnoredDuringExecution";

    const KINDS: [&str; 9] =
        ["small", "high", "port", "even", "zonal", "served", "shy", "apart", "near"];

    /// Pods of a few kinds on nodes of different sizes, some of them tainted, and pods that wait.
    fn mixed(sizes: &[u8]) -> Cluster {
        let mut objects = objects![];
        for (index, size) in sizes.iter().enumerate() {
            let name = format!("n{index}");
            let zone = ["a", "b"][index % 2];
            let mut own = node(&name).cpu(&(size % 4 + 1).to_string()).zone(zone);
            own = own.label("kubernetes.io/hostname", &name);
            if size % 5 == 0 {
                own = own.taint("old", "yes", "NoSchedule");
            }
            objects.push(own.into());
        }
        for number in 0..6 {
            let of = |kind: &str| pod(&format!("{kind}-{number}")).label("app", kind);
            objects.push(of("small").cpu("1").into());
            objects.push(of("high").cpu("2").priority(10).into());
            objects.push(of("port").cpu("100m").port(80, "TCP", "").into());
            objects.push(of("even").cpu("1").spread("zone", 1, "app", "even").into());
            objects.push(of("zonal").cpu("1").with("/spec/nodeSelector/zone", "a").into());
            // These spread by themselves, as pods of a service, and away from one another.
            objects.push(of("served").cpu("500m").replica_of("served").into());
            let away = json!({"weight": 7, "podAffinityTerm": {
                "topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "shy"}}}});
            objects.push(of("shy").cpu("300m").push(AWAY, away).into());
            objects.push(
                of("apart").cpu("200m").away("kubernetes.io/hostname", "app", "apart").into(),
            );
            objects.push(of("near").cpu("200m").near("zone", "app", "served").into());
        }
        objects.push(
            json!({"apiVersion": "v1", "kind": "Service", "spec": {"selector": {"app": "served"}},
            "metadata": {"name": "served", "namespace": "default"}}),
        );
        cluster(objects)
    }

    /// What the decision about a pod says.
    fn said(view: &ClusterView, pod: PodIx) -> String {
        let decision = decision::decide(view, pod, Timestamp::UNIX_EPOCH);
        let (nodes, outcome) = (decision.nodes(), &decision.outcome);
        format!("{nodes:?} {outcome:?} {:?} {:?}", decision.condition_message(), decision.notes)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(builders::share::of(48, 2000)))]

        #[test]
        fn decisions_with_and_without_what_is_known_are_the_same(
            sizes in prop::collection::vec(any::<u8>(), 2..7),
            changes in prop::collection::vec((0..10_u8, 0..KINDS.len(), 0..6_usize, any::<u32>()), 1..40),
            version in prop::sample::select(vec!["1.14", "1.19", "1.28", "1.37"]),
        ) {
            let profile = at(version).profile();
            let mut cluster = mixed(&sizes);
            let mut known = Arc::new(KnownNodes::default());
            let mut sums = Arc::new(ClusterSums::new(&cluster, &profile));
            for (what, kind, number, node) in changes {
                let pod = find(&cluster, &format!("{}-{number}", KINDS[kind]));
                let node = NodeIx(node % cluster.nodes.len() as u32);
                match what {
                    0 => cluster.cordon(node, true),
                    1 => cluster.cordon(node, false),
                    2 => cluster.recreate(pod, Timestamp::UNIX_EPOCH),
                    3 => cluster.nominate(pod, Some(node)),
                    4 => cluster.change_taints(node, |_| false),
                    5 => known = Arc::new(KnownNodes::clone(&known)),
                    6 if cluster.nodes.len() > 1 => cluster.remove_node(node),
                    8 if cluster.pod(pod).is_running() => cluster.preempt(pod, Timestamp::UNIX_EPOCH),
                    9 if cluster.pod(pod).is_running() => cluster.terminate(pod, Timestamp::UNIX_EPOCH),
                    _ if cluster.pod(pod).is_waiting() => cluster.bind(pod, node),
                    _ => cluster.remove_pod(pod),
                }
                let view = ClusterView::new(&cluster, &profile);
                // As in a simulation, sums go on from one state to the next.
                sums.update_to(&cluster, &profile);
                let selectors = DeviceSelectors::of(&cluster);
                let remembering =
                    ClusterView::with_sums(&cluster, &profile, selectors, Arc::clone(&sums))
                        .remembering(Arc::clone(&known));
                for kind in KINDS {
                    let asked = find(&cluster, &format!("{kind}-0"));
                    prop_assert_eq!(said(&remembering, asked), said(&view, asked), "{}", version);
                }
            }
        }
    }
}

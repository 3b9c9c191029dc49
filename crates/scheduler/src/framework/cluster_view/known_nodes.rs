//! What is known about nodes from earlier decisions about pods of the same kind, while the nodes
//! and the pods on them stay as they are.
//!
//! Most filters look at one node alone. Of the many pods that a simulation decides one after the
//! other, most are replicas of the same workloads, and from one decision to the next few nodes
//! change.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use model::cluster::node::Node;
use model::cluster::symbols::PoolIx;
use model::cluster::{NodeIx, Pod, PodIx};

use super::{ClusterView, NodeInfo};

/// Maximum number of nodes that are remembered, over all kinds of pods.
const MOST_KNOWN: usize = 4_000_000;

/// A node in the state in which filters have seen it.
#[derive(Debug, Clone)]
pub(crate) struct KnownNode {
    node: Arc<Node>,
    pub(crate) info: Arc<NodeInfo>,
    /// Which of the filters that look at nothing else rejects it first; `None` if all of them let the
    /// pod pass.
    pub(crate) rejected_by: Option<usize>,
}

/// What is known about nodes. Copies share it until one of them learns more.
#[derive(Debug, Default)]
pub struct KnownNodes(Mutex<Known>);

#[derive(Debug, Clone, Default)]
struct Known {
    /// By the constraints and the requests of pods: the kinds that have them.
    kinds: BTreeMap<(PoolIx, PoolIx), Vec<KnownKind>>,
    /// How many nodes are known, over all kinds.
    count: usize,
    order: KnownOrder,
}

/// The order in which the scheduler goes through nodes.
#[derive(Debug, Clone, Default)]
struct KnownOrder {
    nodes: Vec<Arc<Node>>,
    order: Arc<[NodeIx]>,
}

/// What is known for pods that the scheduler treats alike.
#[derive(Debug, Clone)]
struct KnownKind {
    pod: Pod,
    nodes: Arc<Vec<KnownNode>>,
}

impl Clone for KnownNodes {
    fn clone(&self) -> Self {
        Self(Mutex::new(self.lock().clone()))
    }
}

impl Known {
    fn kind(&mut self, pod: &Pod) -> Option<&mut KnownKind> {
        let kinds = self.kinds.get_mut(&(pod.template, pod.resource_requests))?;
        kinds.iter_mut().find(|kind| kind.pod.is_scheduled_like(pod))
    }

    /// Takes what is known for a pod, so that it can be changed in place: nothing of a new kind.
    /// `None` if `nodes` more would be too many.
    fn take(&mut self, pod: &Pod, nodes: usize) -> Option<Arc<Vec<KnownNode>>> {
        if let Some(kind) = self.kind(pod) {
            return Some(std::mem::take(&mut kind.nodes));
        }
        if self.count + nodes > MOST_KNOWN {
            return None;
        }
        self.count += nodes;
        let kinds = self.kinds.entry((pod.template, pod.resource_requests)).or_default();
        kinds.push(KnownKind { pod: pod.clone(), nodes: Arc::default() });
        Some(Arc::default())
    }
}

impl KnownNodes {
    /// Every node as it is now, with the filter that `check` finds to reject a pod, which is asked
    /// about nodes that have changed since they were seen for a pod like it. `None` if too much is
    /// known already.
    pub(crate) fn up_to_date(
        &self,
        view: &ClusterView,
        pod: PodIx,
        check: impl Fn(&[&Arc<NodeInfo>]) -> Vec<Option<usize>>,
    ) -> Option<Arc<Vec<KnownNode>>> {
        let pod = view.cluster.pod(pod);
        let mut earlier = self.lock().take(pod, view.infos().len())?;

        let changed: Vec<usize> = (0..view.infos().len())
            .filter(|at| !earlier.get(*at).is_some_and(|known| known.is_as_in(view)))
            .collect();
        if !changed.is_empty() || earlier.len() != view.infos().len() {
            let infos: Vec<&Arc<NodeInfo>> =
                changed.iter().filter_map(|at| view.infos().get(*at)).collect();
            let rejections = check(&infos);
            let nodes = Arc::make_mut(&mut earlier);
            nodes.truncate(view.infos().len());
            for ((at, info), rejected_by) in changed.iter().zip(infos).zip(rejections) {
                let node = Arc::clone(view.cluster.nodes.shared(info.node));
                let now = KnownNode { node, info: Arc::clone(info), rejected_by };
                match nodes.get_mut(*at) {
                    Some(known) => *known = now,
                    None => nodes.push(now),
                }
            }
        }

        if let Some(kind) = self.lock().kind(pod) {
            kind.nodes = Arc::clone(&earlier);
        }
        Some(earlier)
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

impl KnownNode {
    /// Whether the node and its pods are those of the view.
    fn is_as_in(&self, view: &ClusterView) -> bool {
        Arc::ptr_eq(&self.info, view.shared_info(self.info.node))
            && Arc::ptr_eq(&self.node, view.cluster.nodes.shared(self.info.node))
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use model::cluster::Cluster;
    use proptest::prelude::*;

    use super::*;
    use crate::decision;
    use crate::testing::{at, cluster, find, node, objects, pod};

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
        }
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
            changes in prop::collection::vec((0..8_u8, 0..5_usize, 0..6_usize, any::<u32>()), 1..40),
            version in prop::sample::select(vec!["1.14", "1.19", "1.28", "1.37"]),
        ) {
            let profile = at(version).profile();
            let mut cluster = mixed(&sizes);
            let mut known = Arc::new(KnownNodes::default());
            for (what, kind, number, node) in changes {
                let kind = ["small", "high", "port", "even", "zonal"][kind];
                let pod = find(&cluster, &format!("{kind}-{number}"));
                let node = NodeIx(node % cluster.nodes.len() as u32);
                match what {
                    0 => cluster.cordon(node, true),
                    1 => cluster.cordon(node, false),
                    2 => cluster.recreate(pod, Timestamp::UNIX_EPOCH),
                    3 => cluster.nominate(pod, Some(node)),
                    4 => cluster.change_taints(node, |_| false),
                    5 => known = Arc::new(KnownNodes::clone(&known)),
                    6 if cluster.nodes.len() > 1 => cluster.remove_node(node),
                    _ if cluster.pod(pod).is_waiting() => cluster.bind(pod, node),
                    _ => cluster.remove_pod(pod),
                }
                let view = ClusterView::new(&cluster, &profile);
                let remembering = view.clone().remembering(Arc::clone(&known));
                for asked in ["small-0", "high-0", "port-0", "even-0", "zonal-0", "small-1"] {
                    let asked = find(&cluster, asked);
                    prop_assert_eq!(said(&remembering, asked), said(&view, asked), "{}", version);
                }
            }
        }
    }
}

//! Counts copies: all nodes at once if they are independent of each other, otherwise one copy after
//! the other.

use rayon::prelude::*;

use super::HeadroomSettings;
use super::copies::{self, Asker, PriorityRow};
use model::cluster::{Cluster, NodeIx, Pod, PodIx};
use scheduler::decision::{OutcomeKind, decide, prepare};
use scheduler::framework::cluster_view::ClusterView;
use scheduler::framework::cycle::{NodeState, NodeVerdict, PreparedCycle};
use scheduler::groups::cycle::assume_and_reserve;

/// Maximum number of copies on one node. No kubelet runs as many pods.
const MOST_ON_A_NODE: usize = 10_000;

/// How many copies fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count {
    pub number: usize,
    /// Whether no more fit; otherwise the steps ran out, and the number is a lower bound.
    pub is_complete: bool,
    /// How they were counted.
    pub method: CountMethod,
    /// Whether kube-scheduler may place some of them elsewhere, so that a different number may fit.
    pub is_order_open: bool,
    /// How many pods are evicted for them; `None` if that was not counted.
    pub evicted: Option<usize>,
}

/// How copies are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CountMethod {
    /// Nodes were filled independently, since no copy affects another node. A decision confirmed
    /// that the last copy fits and one more does not.
    NodeByNode,
    /// Each copy was decided, and then counted as bound.
    OneByOne,
}

/// A count with what it leaves.
#[derive(Debug, Clone)]
pub(super) struct CountResult {
    pub(super) count: Count,
    /// The node of each copy, in the order in which they were placed.
    pub(super) placed: Vec<NodeIx>,
    /// kube-scheduler's message about one more copy.
    pub(super) next: Option<String>,
}

/// Counts the copies of one row.
pub(super) struct Counter<'a> {
    pub(super) view: &'a ClusterView<'a>,
    pub(super) row: &'a PriorityRow,
    pub(super) asker: &'a Asker,
    /// Maximum number of copies that are placed one after the other.
    pub(super) steps: usize,
    pub(super) settings: HeadroomSettings<'a>,
}

/// Which pods leave the nodes for the copies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Leaving {
    /// None does.
    NoPod,
    /// Those of a lower priority than this.
    Below(i32),
    /// Those that can run elsewhere.
    Movable,
}

impl Leaving {
    fn takes(self, pod: &Pod, cluster: &Cluster) -> bool {
        match self {
            Self::NoPod => false,
            Self::Below(priority) => pod.priority < priority,
            Self::Movable => crate::movable::is_movable(pod, cluster),
        }
    }
}

impl Counter<'_> {
    /// How many fit without evictions.
    pub(super) fn without_preemption(&self) -> CountResult {
        let (view, asker) = (self.view, self.asker);
        self.node_by_node(asker.never, Leaving::NoPod).unwrap_or_else(|| {
            let mut steps = OneByOne::new(view.cluster, self);
            steps.run(Preemption::Never)
        })
    }

    /// How many fit with preemption; `None` if pods of the row do not preempt, or if the devices
    /// that victims free are not counted.
    pub(super) fn with_preemption(&self, without: &CountResult) -> Option<Count> {
        if !self.row.preempts {
            return None;
        }
        let (view, asker) = (self.view, self.asker);
        let below = Leaving::Below(self.row.priority);
        if let Some(counted) = self.node_by_node(asker.preempts, below) {
            return Some(counted.count);
        }
        if without.count.method == CountMethod::OneByOne && holds_devices(view, asker.preempts) {
            return None;
        }
        Some(OneByOne::new(view.cluster, self).run(Preemption::Allowed).count)
    }

    /// Fills each node independently. `None` if nodes depend on each other, or if a decision does
    /// not confirm the number.
    fn node_by_node(&self, asks: PodIx, leaving: Leaving) -> Option<CountResult> {
        let view = self.view;
        let filled = fill(view, asks, self.asker.copy, leaving, self.settings)?;
        let number = filled.iter().map(|(_, copies)| copies).sum();

        // With all copies but one placed, one more must fit; with all of them placed, none.
        let mut after = view.clone();
        leave(&mut after, leaving, &filled);
        let last = filled.iter().rev().find(|(_, copies)| *copies > 0).map(|(node, _)| *node);
        for (node, copies) in &filled {
            let kept = if Some(*node) == last { copies - 1 } else { *copies };
            (0..kept).for_each(|_| after.assume(self.asker.copy, *node));
        }
        if let Some(node) = last {
            if !decide(&after, self.asker.never, self.settings.now).fits() {
                return None;
            }
            after.assume(self.asker.copy, node);
        }
        let next = decide(&after, asks, self.settings.now);
        if !matches!(next.kind(), OutcomeKind::Unschedulable) {
            return None;
        }
        let evicted = (leaving == Leaving::NoPod).then_some(0);
        Some(CountResult {
            count: Count {
                number,
                is_complete: true,
                method: CountMethod::NodeByNode,
                is_order_open: false,
                evicted,
            },
            next: next.message().map(str::to_owned),
            placed: filled
                .iter()
                .flat_map(|(node, copies)| std::iter::repeat_n(*node, *copies))
                .collect(),
        })
    }
}

/// Removes the leaving pods from the nodes that were filled.
fn leave(view: &mut ClusterView, leaving: Leaving, filled: &[(NodeIx, usize)]) {
    let cluster = view.cluster;
    if leaving == Leaving::NoPod {
        return;
    }
    for (node, _) in filled {
        for pod in cluster.pods_on(*node) {
            if leaving.takes(cluster.pod(*pod), cluster) {
                view.forget(*pod, *node);
            }
        }
    }
}

/// How many copies each node takes, in the order of names, for nodes that take any or might once
/// pods leave. `None` if a copy or a leaving pod affects another node, or if a filter fails.
pub(super) fn fill(
    view: &ClusterView,
    asks: PodIx,
    copy: PodIx,
    leaving: Leaving,
    settings: HeadroomSettings,
) -> Option<Vec<(NodeIx, usize)>> {
    if holds_devices(view, asks) || view.cluster.claims_of(view.cluster.pod(asks)).next().is_some()
    {
        return None;
    }
    let prepared = prepare(view, asks, settings.now);
    let mut nodes: Vec<NodeIx> = Vec::new();
    for (node, verdict) in view.cluster.node_indices().zip(prepared.filter_all()) {
        match verdict {
            NodeVerdict::Feasible => nodes.push(node),
            NodeVerdict::Failed(_) => return None,
            verdict if leaving != Leaving::NoPod && verdict.is_resolvable() => nodes.push(node),
            NodeVerdict::Filtered { .. }
            | NodeVerdict::ExcludedByPreFilter
            | NodeVerdict::NotTried => {}
        }
    }
    if !stand_alone(&prepared, &nodes, copy, leaving) {
        return None;
    }
    let filled = nodes.into_par_iter().map(|node| {
        let mut state = prepared.node_state(node);
        for pod in view.cluster.pods_on(node) {
            if leaving.takes(view.cluster.pod(*pod), view.cluster) {
                state.remove_pod(*pod);
            }
        }
        let mut copies = 0;
        while copies < MOST_ON_A_NODE && state.check().is_none() {
            state.add_pod(copy);
            copies += 1;
        }
        (node, copies)
    });
    let filled: Vec<(NodeIx, usize)> = filled.collect();
    // A node that never fills up has no pod limit: the copies are endless.
    filled.iter().all(|(_, copies)| *copies < MOST_ON_A_NODE).then_some(filled)
}

/// Whether nothing that happens on one of the nodes affects another one.
fn stand_alone(prepared: &PreparedCycle, nodes: &[NodeIx], copy: PodIx, leaving: Leaving) -> bool {
    let [first, others @ ..] = nodes else { return true };
    let Some(second) = others.first() else { return true };
    let states = [prepared.node_state(*first), prepared.node_state(*second)];
    if !states.iter().any(NodeState::looks_elsewhere) {
        return true;
    }
    let cluster = prepared.cycle.cluster();
    if leaving != Leaving::NoPod {
        for node in nodes {
            for pod in cluster.pods_on(*node) {
                if leaving.takes(cluster.pod(*pod), cluster)
                    && counts_elsewhere(&states, *pod, *node)
                {
                    return false;
                }
            }
        }
    }
    nodes.iter().all(|node| !counts_elsewhere(&states, copy, *node))
        || repels_itself_alone(prepared, nodes)
}

/// Whether a pod on `node` counts for other nodes. That depends only on the pod and its node, so
/// the state of one other node represents all.
fn counts_elsewhere(states: &[NodeState; 2], pod: PodIx, node: NodeIx) -> bool {
    let other = states.iter().find(|state| state.node() != node);
    other.is_some_and(|state| state.depends_on(pod, node))
}

/// Whether copies affect each other only by anti-affinity with every node as its own domain: a copy
/// then counts only on its own node.
fn repels_itself_alone(prepared: &PreparedCycle, nodes: &[NodeIx]) -> bool {
    let (view, template) = (prepared.cycle.view, prepared.cycle.template);
    let (Ok(affinity), Ok(anti)) = (&template.affinity, &template.anti_affinity) else {
        return false;
    };
    let spreads = template.spread.iter().any(|constraint| constraint.hard)
        || view.profile.args.default_constraints.is_some();
    if spreads || !affinity.is_empty() {
        return false;
    }
    anti.iter().all(|term| {
        let mut values = Vec::with_capacity(nodes.len());
        for node in nodes {
            let labels = view.cluster.labels(view.cluster.node(*node).labels);
            let Some(value) = model::cluster::selector::label(labels, term.topology_key) else {
                return false;
            };
            values.push(value);
        }
        values.sort_unstable();
        values.windows(2).all(|pair| matches!(pair, [a, b] if a != b))
    })
}

/// Whether the pod may hold devices, which a node's pods do not show.
fn holds_devices(view: &ClusterView, pod: PodIx) -> bool {
    let cluster = view.cluster;
    let scalars = !view.requested_by(pod).scalars.is_empty();
    !cluster.template(cluster.pod(pod)).claims.is_empty()
        || (scalars && !cluster.devices.slices.is_empty())
}

/// Whether copies may evict pods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Preemption {
    Never,
    Allowed,
}

/// Copies that are placed one after the other.
struct OneByOne<'a> {
    cluster: Cluster,
    copies: Vec<PodIx>,
    settings: HeadroomSettings<'a>,
}

impl<'a> OneByOne<'a> {
    fn new(cluster: &Cluster, counter: &Counter<'a>) -> Self {
        let mut cluster = cluster.clone();
        let (model, now) = (counter.asker.preempts, counter.settings.now);
        let copies = copies::add(&mut cluster, model, counter.steps, now);
        copies::prepare(&mut cluster, &copies, counter.row);
        Self { cluster, copies, settings: counter.settings }
    }

    fn run(&mut self, preemption: Preemption) -> CountResult {
        let now = self.settings.now;
        if preemption == Preemption::Never {
            copies::never_preempt(&mut self.cluster, &self.copies);
        }
        let mut view = ClusterView::new(&self.cluster, self.settings.profile);
        let mut placed: Vec<NodeIx> = Vec::new();
        let (mut evicted, mut is_order_open, mut is_complete) = (0, false, false);
        let mut next = None;
        for copy in &self.copies {
            let decision = decide(&view, *copy, now);
            let selected = decision.selected().to_vec();
            let Some(node) = selected.first().copied() else {
                next = decision.message().map(str::to_owned);
                is_complete = true;
                break;
            };
            is_order_open |= selected.len() > 1;
            let victims: Vec<PodIx> = decision
                .candidate(node)
                .map(|candidate| candidate.victims.iter().map(|victim| victim.pod).collect())
                .unwrap_or_default();
            is_order_open |= !victims.is_empty() && decision.victims_are_open(node);
            drop(decision);

            // Victims are gone before the copy is bound, as after their grace period.
            for victim in &victims {
                view.forget(*victim, node);
            }
            evicted += victims.len();
            assume_and_reserve(*copy, node, &mut view, now);
            placed.push(node);
        }
        CountResult {
            count: Count {
                number: placed.len(),
                is_complete,
                method: CountMethod::OneByOne,
                is_order_open,
                evicted: Some(evicted),
            },
            placed,
            next,
        }
    }
}

//! What dry runs of preemption keep about the nodes of a cluster, for the decisions after theirs.
//! [`crate::preemption`] fills it in; it is here because it stays as long as the sums of the nodes.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use smallvec::SmallVec;

use super::NodeInfo;
use model::cluster::budget::BudgetIx;
use model::cluster::composite_group::AnyGroup;
use model::cluster::node::{Node, NodeIx};
use model::cluster::pod::{Pod, PodIx};
use model::cluster::symbols::{PoolIx, Sym};

/// How many tables are kept. Pods are decided in the order of their priorities, so the last ones are
/// those that are asked for again.
const MOST_TABLES: usize = 8;
/// For how many kinds of preemptors the reprieve pass of a node is remembered.
const MOST_KINDS: usize = 64;

/// The budgets that select one pod.
pub type Budgets = SmallVec<[BudgetIx; 2]>;

/// The potential victims of a cluster, for the preemptors of the last priorities.
#[derive(Debug, Default)]
pub(crate) struct VictimTables {
    tables: Mutex<VecDeque<Arc<VictimTable>>>,
}

impl VictimTables {
    /// The table for preemptors of this priority, at this time, on so many nodes.
    pub(super) fn table(&self, priority: i32, now: Timestamp, nodes: usize) -> Arc<VictimTable> {
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        let at = tables.iter().position(|table| {
            (table.priority, table.now, table.nodes.len()) == (priority, now, nodes)
        });
        let table = at.and_then(|at| tables.remove(at)).unwrap_or_else(|| {
            let nodes = std::iter::repeat_with(Mutex::default).take(nodes).collect();
            Arc::new(VictimTable { priority, now, nodes })
        });
        // Most recently used first.
        tables.push_front(Arc::clone(&table));
        tables.truncate(MOST_TABLES);
        table
    }
}

/// The potential victims on each node.
#[derive(Debug)]
pub(crate) struct VictimTable {
    pub(crate) priority: i32,
    /// Pods that have not started count as started then.
    now: Timestamp,
    pub(crate) nodes: Box<[Mutex<Option<Arc<PotentialVictims>>>]>,
}

/// The pods of a node that preemptors of one priority may evict, each alone.
#[derive(Debug)]
pub(crate) struct PotentialVictims {
    /// The node with all its pods. Where it is replaced, its pods have changed.
    pub(crate) of: Arc<NodeInfo>,
    /// The node without the potential victims.
    pub(crate) rest: NodeInfo,
    /// Their order, once a pod has been found to fit without them.
    pub(crate) order: Mutex<Option<Arc<NodeOrder>>>,
    /// The reprieve passes so far.
    pub(crate) reprieves: Mutex<Vec<KnownReprieve>>,
}

/// What the filters read of a preemptor. Pods with claims of their own are of no kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PreemptorKind {
    namespace: Sym,
    labels: PoolIx,
    template: PoolIx,
    requests: PoolIx,
    /// How many filters were not skipped.
    filters: usize,
}

impl PreemptorKind {
    /// The kind of a pod that waits, for which so many filters run.
    pub(crate) fn of(pod: &Pod, filters: usize) -> Option<Self> {
        let holds_nothing = pod.claims.is_empty() && pod.resource_claims.is_empty();
        (holds_nothing && pod.is_waiting() && !pod.is_terminating()).then_some(Self {
            namespace: pod.namespace,
            labels: pod.labels,
            template: pod.template,
            requests: pod.resource_requests,
            filters,
        })
    }
}

/// A reprieve pass for preemptors of one kind.
#[derive(Debug)]
pub(crate) struct KnownReprieve {
    kind: PreemptorKind,
    node: Arc<Node>,
    order: Arc<NodeOrder>,
    /// By unit of the order, whether it is evicted.
    evicted: Arc<[bool]>,
}

impl PotentialVictims {
    /// Which units of `order` a preemptor of this kind evicts from the node, if it was found before.
    pub(crate) fn known_reprieve(
        &self,
        kind: PreemptorKind,
        node: &Arc<Node>,
        order: &Arc<NodeOrder>,
    ) -> Option<Arc<[bool]>> {
        let reprieves = self.reprieves.lock().unwrap_or_else(PoisonError::into_inner);
        let known = reprieves.iter().find(|known| {
            known.kind == kind && Arc::ptr_eq(&known.node, node) && Arc::ptr_eq(&known.order, order)
        });
        known.map(|known| Arc::clone(&known.evicted))
    }

    /// Remembers which units of `order` it evicts.
    pub(crate) fn remember_reprieve(
        &self,
        kind: PreemptorKind,
        node: &Arc<Node>,
        order: &Arc<NodeOrder>,
        evicted: &Arc<[bool]>,
    ) {
        let mut reprieves = self.reprieves.lock().unwrap_or_else(PoisonError::into_inner);
        reprieves.retain(|known| known.kind != kind && Arc::ptr_eq(&known.order, order));
        if reprieves.len() >= MOST_KINDS {
            reprieves.clear();
        }
        let (node, order) = (Arc::clone(node), Arc::clone(order));
        reprieves.push(KnownReprieve { kind, node, order, evicted: Arc::clone(evicted) });
    }
}

/// The order in which the reprieve of a node's potential victims is tried, and what it depends on.
#[derive(Debug)]
pub(crate) struct NodeOrder {
    pub(crate) order: ReprieveOrder,
    pub(crate) attempts: Arc<[ReprieveAttempt]>,
    /// See [`crate::preemption::dry_run::Candidate`].
    pub(crate) depends_on_budget_order: bool,
    /// See [`crate::preemption::dry_run::Candidate`].
    pub(crate) pods_tie: bool,
    pub(crate) budgets: Box<[CountedBudget]>,
}

/// A budget of potential victims.
#[derive(Debug)]
pub(crate) struct CountedBudget {
    pub(crate) budget: BudgetIx,
    /// How many of them it selects.
    pub(crate) pods: i64,
    /// How many of these may be evicted.
    pub(crate) allowed: i64,
}

/// Potential victims in the order in which their reprieve is tried: those that violate a budget
/// first, so that they have the best chance to stay, and within both groups the most important one
/// first.
#[derive(Debug)]
pub(crate) struct ReprieveOrder {
    /// The pods of a unit are neighbours.
    pub(crate) pods: Box<[PotentialVictim]>,
    /// The budgets that the evictions of the first ones violate; the others violate none.
    pub(crate) violates: Box<[Budgets]>,
    /// Whether no two units tie in the order of importance.
    pub(crate) is_strict: bool,
    /// Whether units of groups are among them.
    pub(crate) has_groups: bool,
}

/// A pod that may be evicted, with what a dry run reads of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PotentialVictim {
    pub(crate) pod: PodIx,
    /// The node from which it was removed, if it is on one.
    pub(crate) node: Option<NodeIx>,
    /// The group whose pods are evicted together, if it is not evicted alone.
    pub(crate) together: Option<AnyGroup>,
    /// The position of its unit in the order of importance: pods of equal rank are evicted
    /// together.
    pub(crate) rank: u32,
    /// The position of its unit among the units that were found with it.
    pub(crate) place: u32,
    /// Its resource requests.
    pub(crate) requests: PoolIx,
    pub(crate) priority: i32,
    /// When it started, or the time of the decision if it has not.
    pub(crate) start: Timestamp,
}

/// An attempt to reprieve a potential victim by adding it back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReprieveAttempt {
    pub pod: PodIx,
    /// Whether its eviction would violate a budget; such pods are added back first.
    pub violates_pdb: bool,
}

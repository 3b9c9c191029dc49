//! A change in several orders: in which order controllers act, pods come to the scheduler and pods
//! that are alike leave is a matter of chance. What depends on it is a range.

use std::collections::BTreeMap;

use model::cluster::owner::Workload;
use model::cluster::{Cluster, PodIx};

use super::play::{EvictionOrder, TieChoice};
use super::range::Range;

/// Minimum and maximum number of orders that are played.
const LEAST: usize = 2;
const MOST: usize = 64;
/// How many orders that end alike are enough.
pub(super) const ENOUGH: usize = 16;
/// Budget of decisions for that: nodes of the cluster times pods that come or go.
const MOST_WORK: usize = 60_000;

/// Which new pods are in the scheduler's queue together, which sorts them by priority. They are
/// decided before those exist that come later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Together {
    All,
    /// Those of one controller.
    Controller,
    /// None.
    None,
}

/// An order in which a change happens.
#[derive(Debug, Clone, Copy)]
pub(super) struct ChangeOrder {
    /// In which order new pods come to the scheduler.
    pub pods: EvictionOrder,
    pub ties: TieChoice,
    /// Which of them are in the queue together.
    pub together: Together,
    /// Which of several pods leaves first that differ only by what is not read.
    pub leaving: EvictionOrder,
    /// Which controllers act in a round; without it all of them.
    pub turns: Option<u64>,
    /// Whether pods that are deleted or preempted end before any controller does something else.
    /// Usually they take longer.
    pub ends_at_once: bool,
}

impl ChangeOrder {
    /// The order that is reported in detail.
    const USUAL: Self = Self {
        pods: EvictionOrder::Listed,
        ties: TieChoice::First,
        together: Together::All,
        leaving: EvictionOrder::Listed,
        turns: None,
        ends_at_once: false,
    };

    /// As many orders as the work permits that differ as much as possible, starting with
    /// [`Self::USUAL`]. `pods` come or go.
    pub(super) fn several(pods: usize, cluster: &Cluster) -> impl Iterator<Item = Self> {
        use EvictionOrder::{Backwards, LargestFirst, Listed, Shuffled, SmallestFirst};
        let count = (MOST_WORK / (pods * cluster.nodes.len()).max(1)).clamp(LEAST, MOST);
        let of =
            |together, pods, ties, leaving| Self { pods, ties, together, leaving, ..Self::USUAL };
        let chosen = [
            Self::USUAL,
            of(Together::None, Backwards, TieChoice::Last, Backwards),
            of(Together::Controller, Listed, TieChoice::First, Backwards),
            of(Together::Controller, Backwards, TieChoice::Last, Listed),
            of(Together::None, SmallestFirst, TieChoice::First, Backwards),
            of(Together::None, LargestFirst, TieChoice::Last, Listed),
        ];
        let by_chance = (1..).map(|n: u64| Self {
            pods: Shuffled(n),
            ties: TieChoice::Turns(n),
            together: if n.is_multiple_of(3) { Together::All } else { Together::None },
            leaving: Shuffled(n),
            turns: n.is_multiple_of(2).then_some(n),
            ends_at_once: n.is_multiple_of(4),
        });
        chosen.into_iter().chain(by_chance).take(count)
    }
}

/// The end of one order.
#[derive(Debug, Default)]
pub(super) struct OrderEnd {
    /// Whether every pod of the change gets a node, and no rollout stops.
    pub completes: bool,
    /// How many pods of each workload end Pending, and are preempted.
    pub pending: BTreeMap<Workload, usize>,
    pub preempted: BTreeMap<Workload, usize>,
}

impl OrderEnd {
    /// Counts pods by their workload.
    pub(super) fn count<'p>(
        pods: impl IntoIterator<Item = &'p PodIx>,
        cluster: &Cluster,
    ) -> BTreeMap<Workload, usize> {
        let mut numbers: BTreeMap<Workload, usize> = BTreeMap::new();
        for pod in pods {
            *numbers.entry(cluster.workload(cluster.pod(*pod))).or_default() += 1;
        }
        numbers
    }
}

/// What a change comes to in all orders that were played.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlayedOrders {
    /// How many orders were played, and in how many of them the change completes.
    pub played: usize,
    pub completes: usize,
    /// The workloads of which pods end Pending or are preempted in one of them.
    pub workloads: Vec<WorkloadRange>,
}

/// How many pods of a workload end Pending, and are preempted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkloadRange {
    pub workload: Workload,
    pub pending: Range,
    pub preempted: Range,
}

impl PlayedOrders {
    pub(super) fn of(ends: &[OrderEnd]) -> Self {
        let all = ends.iter().flat_map(|end| end.pending.keys().chain(end.preempted.keys()));
        let mut workloads: Vec<&Workload> = all.collect();
        workloads.sort_unstable();
        workloads.dedup();
        let range = |workload: &Workload| {
            let number =
                |of: &BTreeMap<Workload, usize>| of.get(workload).copied().unwrap_or_default();
            WorkloadRange {
                workload: workload.clone(),
                pending: Range::of(ends.iter().map(|end| number(&end.pending))),
                preempted: Range::of(ends.iter().map(|end| number(&end.preempted))),
            }
        };
        Self {
            played: ends.len(),
            completes: ends.iter().filter(|end| end.completes).count(),
            workloads: workloads.into_iter().map(range).collect(),
        }
    }

    /// Whether all orders end alike.
    pub fn is_settled(&self) -> bool {
        !self.is_open() && self.open().next().is_none()
    }

    /// Whether the change completes in some orders only.
    pub const fn is_open(&self) -> bool {
        0 < self.completes && self.completes < self.played
    }

    /// The workloads of which more or fewer pods end Pending or are preempted, depending on the order.
    pub fn open(&self) -> impl Iterator<Item = &WorkloadRange> {
        let is_open = |range: Range| range.fewest < range.most;
        self.workloads.iter().filter(move |one| is_open(one.pending) || is_open(one.preempted))
    }
}

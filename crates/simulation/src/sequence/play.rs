//! A drain played step by step: pods leave the node as the eviction API permits, their owners
//! replace them, the scheduler decides the replacements and the pods that were already pending, and
//! the budgets are updated. This repeats until nothing changes any more.
//!
//! The order in which a drain evicts, and in which replacements reach the scheduler, depends on
//! timing. A [`Timing`] is one of many possible ones.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use model::cluster::pod::Readiness;
use model::cluster::{Cluster, NodeIx, PodIx};
use model::edits::stays_when_drained;
use scheduler::decision::lingering;
use scheduler::framework::cluster_view::ClusterView;

use super::{EvictedPod, SimulationRun, Step};
use crate::eviction::{BudgetState, EvictionRefusal, Evictions, RefusedEviction};
use crate::plan::{Afterwards, PlannedVictim, PodId};
use crate::planning::Proposal;
use crate::{afterwards, victims};

/// Maximum number of already pending pods that are followed.
const MOST_PENDING: usize = 2000;
/// Maximum number of kinds among them, that is, of pods that differ for the scheduler.
const MOST_KINDS: usize = 100;

/// Maximum number of rounds of evictions and decisions. Each changes something, so no drain needs
/// that many.
const MOST_ROUNDS: usize = 5000;

/// The order in which a drain evicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EvictionOrder {
    /// By namespace and name, as they are listed.
    Listed,
    /// The reverse.
    Backwards,
    /// The pods that request the most CPU first.
    LargestFirst,
    /// The pods that request the least CPU first.
    SmallestFirst,
    /// At random; each number gives one order.
    Shuffled(u64),
}

/// How many pods a drain evicts before the controllers and the scheduler act.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EvictionPace {
    /// Every pod that the API permits.
    All,
    /// One: its replacement may be Ready, and its budget allow another eviction, before the next
    /// pod is evicted.
    OneByOne,
    /// A different number each time, of pods in another order each time; each number gives one
    /// sequence.
    Random(u64),
}

impl EvictionPace {
    /// How many of `count` pods at most leave next.
    fn most(&mut self, count: usize) -> usize {
        match self {
            Self::All => count,
            Self::OneByOne => 1,
            Self::Random(state) => {
                let number = usize::try_from(next(state)).unwrap_or_default();
                1 + number.checked_rem(count).unwrap_or_default()
            }
        }
    }
}

/// When the scheduler decides again about pods that found no node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retries {
    /// Once nothing else happens.
    Last,
    /// With each new pod, as if an event had woken them.
    Early,
}

/// When the scheduler decides about replacements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// All that exist at the same time together, in the order of its queue.
    Together,
    /// Each before the next one is created.
    OneByOne,
}

/// When the scheduler decides about pods that already wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitingTurn {
    /// While the nodes can still take them, and so are the replacements of the pods that they
    /// preempt.
    BeforeCordon,
    /// While the nodes can still take them. The replacements of the pods that they preempt come
    /// after the cordon.
    JustBeforeCordon,
    /// After the cordon, and before the first eviction.
    First,
    /// After the replacements: a pod that failed before is in backoff.
    Last,
}

impl WaitingTurn {
    /// Whether the nodes are not cordoned yet.
    pub const fn is_before_cordon(self) -> bool {
        matches!(self, Self::BeforeCordon | Self::JustBeforeCordon)
    }
}

/// Which of several equally good nodes a pod gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TieChoice {
    First,
    Last,
    /// A different one each time; each number gives one sequence.
    Turns(u64),
}

/// What is random about a drain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timing {
    /// Which pods are evicted first.
    pub order: EvictionOrder,
    /// How many are evicted at a time.
    pub evictions: EvictionPace,
    /// When pods that found no node are tried again.
    pub retries: Retries,
    /// When the scheduler decides.
    pub pace: Pace,
    /// How it breaks ties.
    pub ties: TieChoice,
    /// When pods that already wait are tried.
    pub waiting: WaitingTurn,
    /// Whether the replacements of pods that are not Ready become Ready.
    pub unready_recover: bool,
}

impl Timing {
    /// The timing that is reported in detail.
    pub const USUAL: Self = Self {
        order: EvictionOrder::Listed,
        evictions: EvictionPace::All,
        retries: Retries::Last,
        pace: Pace::Together,
        ties: TieChoice::First,
        waiting: WaitingTurn::First,
        unready_recover: false,
    };

    /// This many timings that differ as much as possible, starting with [`Self::USUAL`].
    pub fn several(count: usize) -> impl Iterator<Item = Self> {
        use EvictionOrder::{Backwards, LargestFirst, Listed, SmallestFirst};
        use TieChoice::{First, Last, Turns};
        use WaitingTurn as Turn;
        let of = |order, evictions, ties, waiting| Self {
            order,
            evictions,
            pace: Pace::OneByOne,
            ties,
            waiting,
            ..Self::USUAL
        };
        let (all, one) = (EvictionPace::All, EvictionPace::OneByOne);
        let chosen = [
            Self::USUAL,
            of(Backwards, one, Last, Turn::JustBeforeCordon),
            of(LargestFirst, all, First, Turn::Last),
            of(SmallestFirst, one, Last, Turn::Last),
            of(SmallestFirst, all, First, Turn::BeforeCordon),
            of(Listed, one, Turns(1), Turn::Last),
            of(LargestFirst, one, Last, Turn::First),
            of(Backwards, all, First, Turn::Last),
        ];
        chosen.into_iter().chain((2..).map(Self::by_chance)).take(count)
    }

    /// A timing in which everything is random; each number gives one.
    const fn by_chance(seed: u64) -> Self {
        Self {
            order: EvictionOrder::Shuffled(seed),
            evictions: match seed % 3 {
                0 => EvictionPace::All,
                1 => EvictionPace::OneByOne,
                _ => EvictionPace::Random(seed),
            },
            retries: if seed % 4 < 2 { Retries::Last } else { Retries::Early },
            pace: if seed.is_multiple_of(5) { Pace::Together } else { Pace::OneByOne },
            ties: TieChoice::Turns(seed),
            waiting: match seed % 8 {
                0 | 4 => WaitingTurn::First,
                2 => WaitingTurn::BeforeCordon,
                6 => WaitingTurn::JustBeforeCordon,
                _ => WaitingTurn::Last,
            },
            unready_recover: false,
        }
    }
}

/// The next number of a pseudo-random sequence; the same state gives the same sequence.
pub(super) fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

impl TieChoice {
    /// Chooses the index of one of `count` nodes.
    pub(super) fn choose(&mut self, count: usize) -> usize {
        match self {
            Self::First => 0,
            Self::Last => count.saturating_sub(1),
            Self::Turns(state) => {
                let number = usize::try_from(next(state)).unwrap_or_default();
                number.checked_rem(count).unwrap_or_default()
            }
        }
    }
}

/// A pod that a drain evicts, or would.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DrainedPod {
    /// The pod, what its eviction costs and what its owner does afterwards.
    pub victim: PlannedVictim,
    /// Who first refused its eviction.
    pub refused: Option<RefusedEviction>,
    /// What finally happens to it.
    pub end: DrainEnd,
}

impl DrainedPod {
    /// Who refuses its eviction: throughout, else at first.
    pub fn refusal(&self) -> Option<&RefusedEviction> {
        match &self.end {
            DrainEnd::Refused(refused) => Some(refused),
            DrainEnd::Evicted { .. } | DrainEnd::Stuck => self.refused.as_ref(),
        }
    }
}

/// What finally happens to a pod on a drained node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DrainEnd {
    /// It is evicted in this round, counting from 1. What its replacement gets is a step of the
    /// play.
    Evicted { round: usize },
    /// Its eviction is refused throughout.
    Refused(RefusedEviction),
    /// It is terminating and long overdue.
    Stuck,
}

/// A pod that a drain leaves where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StayingPod {
    pub pod: PodId,
    /// Whether its kubelet runs it from a file; otherwise it is one of a DaemonSet.
    pub is_static: bool,
}

/// The result of draining a node.
#[derive(Debug, Clone, Default)]
pub struct DrainPlay {
    pub node: String,
    /// The pods that have to leave, in the order of their evictions.
    pub pods: Vec<DrainedPod>,
    /// Those that stay.
    pub staying: Vec<StayingPod>,
    /// The decisions about the replacements, and about those of the pods that they preempt: the
    /// last decision about each.
    pub steps: Vec<Step>,
    /// Pods that were already pending and got a node meanwhile.
    pub pending: Vec<Step>,
    /// How many rounds of evictions it takes.
    pub rounds: usize,
    /// The nodes that pods got, by the name of the pod.
    pub places: BTreeMap<String, String>,
    /// Pods that are not Ready and whose replacements are assumed not to become Ready, if a budget
    /// depends on that.
    pub unready: Vec<PodId>,
    /// Replacements or pending pods that are not followed because there are too many.
    pub not_followed: usize,
}

impl DrainPlay {
    /// The pods whose eviction is refused throughout.
    pub fn refused(&self) -> impl Iterator<Item = (&DrainedPod, &RefusedEviction)> {
        self.pods.iter().filter_map(|pod| match &pod.end {
            DrainEnd::Refused(refused) => Some((pod, refused)),
            DrainEnd::Evicted { .. } | DrainEnd::Stuck => None,
        })
    }

    /// The pods that never leave the node.
    pub fn stuck_or_refused(&self) -> impl Iterator<Item = &DrainedPod> {
        self.pods.iter().filter(|pod| !matches!(pod.end, DrainEnd::Evicted { .. }))
    }

    /// The steps about pods that get no node, or whose outcome is unknown.
    pub fn homeless(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter().filter(|step| !step.is_placed() || !step.left_out.is_empty())
    }

    /// Pods that return to the node because they tolerate its cordon.
    pub fn back(&self) -> Vec<&str> {
        let here = self.places.iter().filter(|(_, node)| **node == self.node);
        here.map(|(pod, _)| pod.as_str()).collect()
    }

    /// Whether the node ends up empty and every pod on it has another one.
    pub fn is_done(&self) -> bool {
        self.pods.iter().all(|pod| matches!(pod.end, DrainEnd::Evicted { .. }))
            && self.homeless().next().is_none()
            && self.back().is_empty()
            && self.not_followed == 0
    }

    /// Whether something about it is unknown.
    pub fn is_unsure(&self) -> bool {
        self.steps.iter().any(|step| matches!(step.proposal, Proposal::Unknown(_)))
            || self.pods.iter().any(|pod| match &pod.end {
                DrainEnd::Refused(refused) => refused.why == EvictionRefusal::NotObserved,
                DrainEnd::Evicted { .. } | DrainEnd::Stuck => false,
            })
            || self.not_followed > 0
    }

    /// The budgets that first refused an eviction and later permitted it.
    pub fn waits(&self) -> Vec<&BudgetState> {
        let mut budgets: BTreeMap<(&str, &str), &BudgetState> = BTreeMap::new();
        for pod in &self.pods {
            if !matches!(pod.end, DrainEnd::Evicted { .. }) {
                continue;
            }
            for budget in pod.refused.iter().flat_map(|refused| &refused.budgets) {
                budgets.entry((&budget.namespace, &budget.name)).or_insert(budget);
            }
        }
        budgets.into_values().collect()
    }
}

/// A pod that waits for a node during a drain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Waiting {
    pod: PodIx,
    /// Since when it waits.
    since: WaitsSince,
    /// The generation: 0 for a pod that was already pending.
    depth: usize,
    /// Whether it becomes Ready once it has a node.
    recovers: bool,
    /// Whether the scheduler has decided it since it began to wait.
    tried: bool,
}

/// Since when a pod waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WaitsSince {
    /// It was already pending, or was preempted by such a pod: that would happen without the drain,
    /// too.
    Before,
    /// The drain evicted it, or an evicted pod preempts it.
    Drain,
}

/// Which waiting pods the scheduler decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// Those not decided yet.
    New,
    /// All of them.
    All,
}

/// The remaining work of a drain.
struct DrainState<'e> {
    evictions: &'e mut Evictions,
    timing: Timing,
    waiting: Vec<Waiting>,
    /// Pods that are preempted by others than those of the drain: `ns/name`.
    beside: BTreeSet<String>,
    play: DrainPlay,
}

impl<'e> DrainState<'e> {
    fn new(evictions: &'e mut Evictions, timing: Timing, play: DrainPlay) -> Self {
        Self { evictions, timing, waiting: Vec::new(), beside: BTreeSet::new(), play }
    }
}

/// A pod whose eviction is refused, and who first refused it.
struct Remaining {
    pod: PodIx,
    first: Option<RefusedEviction>,
}

/// A pod that would leave a node with its drain, and that a waiting pod preempts before the cordon.
#[derive(Debug, Clone)]
pub(super) struct Displaced {
    pod: PodIx,
    victim: PlannedVictim,
}

impl Displaced {
    /// The node that it had.
    pub(super) fn node(&self) -> &str {
        &self.victim.node
    }
}

impl SimulationRun<'_> {
    /// Decides the pods that already wait while `nodes` are not cordoned yet. Returns the pods of
    /// these nodes that they preempt: their replacements count with those of the drain.
    pub(super) fn decide_before_cordon(
        &mut self,
        nodes: &[NodeIx],
        timing: Timing,
        evictions: &mut Evictions,
    ) -> Vec<Displaced> {
        let Some(profile) = self.settings.profiles.first() else { return Vec::new() };
        self.ties = timing.ties;
        let mut leaving: Vec<PodIx> = Vec::new();
        for node in nodes {
            let pods = self.cluster.pods_on(*node).iter().copied();
            leaving.extend(
                pods.filter(|pod| !stays_when_drained(self.cluster.pod(*pod), &self.cluster)),
            );
        }
        let view = self.view(profile);
        let planned = victims::planned(&view, i32::MAX, &leaving, self.settings.now);
        drop(view);

        let mut state = DrainState::new(evictions, timing, DrainPlay::default());
        self.add_pending(&mut state);
        self.schedule(&mut state, Turn::New);
        if timing.waiting == WaitingTurn::BeforeCordon {
            while state.waiting.iter().any(|one| !one.tried) {
                self.schedule(&mut state, Turn::New);
            }
        }

        let mut displaced: Vec<Displaced> = Vec::new();
        for victim in planned {
            let Some(pod) = self.cluster.find_pod(&victim.pod.namespace, &victim.pod.name) else {
                continue;
            };
            let facts = self.cluster.pod(pod);
            let stays = facts.is_running() && self.cluster.text(facts.node_name) == victim.node;
            if !stays {
                displaced.push(Displaced { pod, victim });
            }
        }
        // What becomes of these is told with their node; other pods are preempted without the
        // drain, too.
        let mut others = std::mem::take(&mut self.simulation.cascade);
        others.retain(|step| {
            displaced.iter().all(|one| one.victim.pod.full_name() != step.id.full_name())
        });
        self.simulation.steps.append(&mut others);
        displaced
    }

    /// Adds the pods of the node that were preempted before its cordon: they have left it, and
    /// their replacements wait for another node.
    fn add_displaced(&self, displaced: Vec<Displaced>, state: &mut DrainState) {
        for Displaced { pod, victim } in displaced {
            let facts = self.cluster.pod(pod);
            if facts.is_waiting() {
                let since = WaitsSince::Drain;
                state.waiting.push(Waiting { pod, since, depth: 1, recovers: true, tried: false });
            } else if facts.is_running() {
                // It got its node while another one was drained.
                let node = self.cluster.text(facts.node_name).to_owned();
                state.play.places.insert(victim.pod.full_name(), node);
            }
            let end = DrainEnd::Evicted { round: 1 };
            state.play.pods.push(DrainedPod { victim, refused: None, end });
        }
    }

    /// Cordons `node`, and drains it as `kubectl drain --ignore-daemonsets` does.
    pub(super) fn play(
        &mut self,
        node: NodeIx,
        timing: Timing,
        displaced: Vec<Displaced>,
        evictions: &mut Evictions,
    ) -> DrainPlay {
        let Some(profile) = self.settings.profiles.first() else { return DrainPlay::default() };
        self.ties = timing.ties;
        // The usual timing is reported in detail. In others the scheduler goes on from node to node, as
        // one does.
        if timing != Timing::USUAL {
            self.next_start.get_or_insert_default();
        }
        self.cluster.cordon(node, true);
        let (staying, leaving): (Vec<PodIx>, Vec<PodIx>) = (self.cluster.pods_on(node).iter())
            .partition(|pod| stays_when_drained(self.cluster.pod(**pod), &self.cluster));
        let view = self.view(profile);
        let planned = victims::planned(&view, i32::MAX, &leaving, self.settings.now);
        let mut planned: BTreeMap<String, PlannedVictim> =
            planned.into_iter().map(|victim| (victim.pod.full_name(), victim)).collect();
        let leaving = in_order(leaving, timing.order, &view);
        drop(view);
        let play = DrainPlay {
            node: self.cluster.node_name(node).to_owned(),
            staying: staying.into_iter().map(|pod| self.staying(pod)).collect(),
            ..DrainPlay::default()
        };
        let mut state = DrainState::new(evictions, timing, play);

        // Already pending pods compete for the same resources. The cordon takes nothing from them
        // but this node, so those that fit elsewhere may be placed before the first eviction.
        self.add_displaced(displaced, &mut state);
        self.add_pending(&mut state);
        if timing.waiting != WaitingTurn::Last {
            self.schedule(&mut state, Turn::New);
        }

        let mut remaining: Vec<Remaining> =
            leaving.into_iter().map(|pod| Remaining { pod, first: None }).collect();
        let mut pace = timing.evictions;
        for _ in 0..MOST_ROUNDS {
            // Evict everything that may leave, or as many as the timing wants. Retry the rest once
            // the replacements are running.
            state.evictions.settle(&mut self.cluster);
            if let EvictionPace::Random(seed) = &mut pace {
                shuffle(&mut remaining, seed);
            }
            let most = pace.most(remaining.len());
            let evicted = self.evict(&mut remaining, most, node, &mut planned, &mut state);
            state.play.rounds += usize::from(!evicted.is_empty());
            for pod in &evicted {
                self.end_pod(*pod, node, &mut state);
            }

            // The scheduler decides the new pods. Pods that found no node are usually retried only
            // when nothing else happens any more, since evictions here rarely free resources
            // elsewhere.
            let any_new = state.waiting.iter().any(|one| !one.tried);
            let retry = timing.retries == Retries::Early && (any_new || !evicted.is_empty());
            if any_new || retry {
                self.schedule(&mut state, if retry { Turn::All } else { Turn::New });
            } else if evicted.is_empty() && !self.schedule(&mut state, Turn::All) {
                break;
            }
        }

        for Remaining { pod, first } in remaining {
            let (Some(victim), Some(first)) = (planned.remove(&self.cluster.pod_name(pod)), first)
            else {
                continue;
            };
            let last = state.evictions.evict(pod, &self.cluster).err();
            let end = DrainEnd::Refused(last.unwrap_or_else(|| first.clone()));
            state.play.pods.push(DrainedPod { victim, refused: Some(first), end });
        }
        let DrainState { mut play, beside, .. } = state;
        self.hand_over_steps(&mut play, &beside);
        play
    }

    fn staying(&self, pod: PodIx) -> StayingPod {
        let facts = self.cluster.pod(pod);
        let by_node = facts.controller.is_some_and(|o| self.cluster.text(o.kind) == "Node");
        StayingPod { pod: PodId::of(facts, &self.cluster), is_static: facts.mirror || by_node }
    }

    /// Evicts those of `remaining` that the API permits, at most `most`, and returns them. The
    /// others stay in `remaining`.
    fn evict(
        &self,
        remaining: &mut Vec<Remaining>,
        most: usize,
        node: NodeIx,
        planned: &mut BTreeMap<String, PlannedVictim>,
        state: &mut DrainState,
    ) -> Vec<PodIx> {
        let now = self.settings.now;
        let round = state.play.rounds + 1;
        let mut evicted = Vec::new();
        for Remaining { pod, first } in std::mem::take(remaining) {
            if evicted.len() >= most {
                remaining.push(Remaining { pod, first });
                continue;
            }
            let facts = self.cluster.pod(pod);
            let is_here = facts.is_running() && self.cluster.node_of(pod) == Some(node);
            let end = if !is_here {
                // A pod that preempted it meanwhile.
                DrainEnd::Evicted { round: state.play.rounds.max(1) }
            } else if facts.deletion.is_some_and(|due| lingering::is_overdue(due, now)) {
                DrainEnd::Stuck
            } else if let Err(refused) = state.evictions.evict(pod, &self.cluster) {
                remaining.push(Remaining { pod, first: first.or(Some(refused)) });
                continue;
            } else {
                evicted.push(pod);
                DrainEnd::Evicted { round }
            };
            if let Some(victim) = planned.remove(&self.cluster.pod_name(pod)) {
                state.play.pods.push(DrainedPod { victim, refused: first, end });
            }
        }
        evicted
    }

    /// Adds the already pending pods that the scheduler tries.
    fn add_pending(&self, state: &mut DrainState) {
        // Replacements wait as well, and are in the state already.
        let mut pending = self.waiting();
        pending.retain(|pod| state.waiting.iter().all(|one| one.pod != *pod));
        // If one pod gets no node, neither does any pod like it.
        let mut kinds: Vec<PodIx> = Vec::new();
        for pod in super::queue_order(&pending, &self.cluster) {
            let is_known = kinds.iter().any(|kind| self.is_alike(pod, *kind));
            let is_one_too_many = !is_known && kinds.len() >= MOST_KINDS;
            if is_one_too_many || state.waiting.len() >= MOST_PENDING {
                state.play.not_followed += 1;
                continue;
            }
            if !is_known {
                kinds.push(pod);
            }
            let since = WaitsSince::Before;
            state.waiting.push(Waiting { pod, since, depth: 0, recovers: true, tried: false });
        }
    }

    /// Whether the scheduler treats two pods alike.
    fn is_alike(&self, pod: PodIx, other: PodIx) -> bool {
        self.cluster.pod(pod).is_scheduled_like(self.cluster.pod(other))
    }

    /// Ends an evicted pod, which its owner then replaces.
    fn end_pod(&mut self, pod: PodIx, node: NodeIx, state: &mut DrainState) {
        let facts = self.cluster.pod(pod);
        let is_ending = facts.is_terminating();
        let recovers =
            is_ending || facts.readiness == Readiness::Ready || state.timing.unready_recover;
        if !recovers && !state.evictions.of(pod, &self.cluster).is_empty() {
            state.play.unready.push(PodId::of(facts, &self.cluster));
        }
        let comes_again = comes_again(pod, node, &self.cluster);
        self.cluster.remove_pod(pod);
        if comes_again {
            self.cluster.recreate(pod, self.settings.now);
            let since = WaitsSince::Drain;
            state.waiting.push(Waiting { pod, since, depth: 1, recovers, tried: false });
        }
    }

    /// Decides waiting pods; those that get a node become Ready. Returns whether any got one.
    fn schedule(&mut self, state: &mut DrainState, turn: Turn) -> bool {
        let (asked, others): (Vec<Waiting>, Vec<Waiting>) = std::mem::take(&mut state.waiting)
            .into_iter()
            .partition(|one| turn == Turn::All || !one.tried);
        state.waiting = others;
        let mut preempted: Vec<(EvictedPod, Waiting)> = Vec::new();
        let mut refused: Vec<PodIx> = Vec::new();
        for batch in batches(&asked, state.timing) {
            let Some(first) = batch.first() else { continue };
            let depth = first.depth;
            let mut pods: Vec<PodIx> = Vec::with_capacity(batch.len());
            for one in &batch {
                // A pod of a group may have got its node with the others.
                if !self.cluster.pod(one.pod).is_waiting() {
                    continue;
                }
                // A pod like one that just got none gets none, either.
                if depth == 0 && refused.iter().any(|other| self.is_alike(one.pod, *other)) {
                    continue;
                }
                pods.push(one.pod);
            }
            let evicted = self.decide_all(&pods, depth);
            if !evicted.is_empty() || pods.iter().any(|pod| self.cluster.pod(*pod).is_running()) {
                refused.clear();
            }
            refused.extend(pods.iter().filter(|pod| self.cluster.pod(**pod).is_waiting()));
            preempted.extend(evicted.into_iter().map(|victim| (victim, *first)));
        }
        keep_last(&mut self.simulation.cascade);
        keep_last(&mut self.simulation.steps);

        // Those with a node are Ready from now on; the others wait for the next turn.
        let mut any_placed = false;
        for one in asked {
            let facts = self.cluster.pod(one.pod);
            if !facts.is_running() {
                state.waiting.push(Waiting { tried: true, ..one });
                continue;
            }
            any_placed = true;
            let node = self.cluster.text(facts.node_name).to_owned();
            state.play.places.insert(self.cluster.pod_name(one.pod), node);
            if one.recovers {
                self.cluster.set_readiness(one.pod, Readiness::Ready);
                state.evictions.ready(one.pod, &self.cluster);
            }
        }
        for (victim, by) in preempted {
            self.follow_preempted(&victim, by, state);
        }
        any_placed
    }

    /// The owner of a preempted pod replaces it too.
    fn follow_preempted(&mut self, victim: &EvictedPod, by: Waiting, state: &mut DrainState) {
        let depth = by.depth + 1;
        state.evictions.preempted(victim.pod, &self.cluster);
        state.play.places.remove(&self.cluster.pod_name(victim.pod));
        if !is_recreated(&victim.afterwards) {
            return;
        }
        let too_many = self.simulation.cascade.len() >= super::MOST_REPLACEMENTS;
        if depth > self.settings.depth || too_many {
            state.play.not_followed += usize::from(by.since == WaitsSince::Drain);
            return;
        }
        self.cluster.recreate(victim.pod, self.settings.now);
        if by.since == WaitsSince::Before {
            state.beside.insert(self.cluster.pod_name(victim.pod));
        }
        let (pod, since) = (victim.pod, by.since);
        state.waiting.push(Waiting { pod, since, depth, recovers: true, tried: false });
    }

    /// Moves the steps to `play`; of those unrelated to the drain, only the ones about pods that
    /// get a node.
    fn hand_over_steps(&mut self, play: &mut DrainPlay, beside: &BTreeSet<String>) {
        let (of_others, steps): (Vec<Step>, Vec<Step>) =
            std::mem::take(&mut self.simulation.cascade)
                .into_iter()
                .partition(|step| beside.contains(&step.id.full_name()));
        play.steps = steps;
        play.pending = std::mem::take(&mut self.simulation.steps);
        play.pending.extend(of_others);
        play.pending.retain(Step::is_placed);
        super::drop_milder(&mut self.simulation.notes);
    }
}

/// The pods that the scheduler decides before others are created; already pending pods are decided
/// alone.
fn batches(asked: &[Waiting], timing: Timing) -> Vec<Vec<Waiting>> {
    let mut by_depth: BTreeMap<usize, Vec<Waiting>> = BTreeMap::new();
    let mut before: Vec<Vec<Waiting>> = Vec::new();
    for one in asked {
        match one.since {
            WaitsSince::Before => before.push(vec![*one]),
            WaitsSince::Drain => by_depth.entry(one.depth).or_default().push(*one),
        }
    }
    let mut batches = Vec::new();
    for together in by_depth.into_values() {
        match timing.pace {
            Pace::Together => batches.push(together),
            Pace::OneByOne => batches.extend(together.into_iter().map(|one| vec![one])),
        }
    }
    // An already pending pod may be retried late: after a failure it is in backoff.
    match timing.waiting {
        WaitingTurn::Last => [batches, before].concat(),
        WaitingTurn::BeforeCordon | WaitingTurn::JustBeforeCordon | WaitingTurn::First => {
            [before, batches].concat()
        }
    }
}

impl SimulationRun<'_> {
    /// Pods in this order, by what they request.
    pub(super) fn arranged(&self, pods: Vec<PodIx>, order: EvictionOrder) -> Vec<PodIx> {
        match self.settings.profiles.first() {
            Some(profile) if order != EvictionOrder::Listed => {
                in_order(pods, order, &self.view(profile))
            }
            _ => pods,
        }
    }
}

/// Pods in the order in which they are evicted.
pub(super) fn in_order(
    mut pods: Vec<PodIx>,
    order: EvictionOrder,
    view: &ClusterView,
) -> Vec<PodIx> {
    let cpu = |pod: &PodIx| view.requested_by(*pod).milli_cpu;
    match order {
        EvictionOrder::Listed => {}
        EvictionOrder::Backwards => pods.reverse(),
        EvictionOrder::LargestFirst => pods.sort_by_key(|pod| Reverse(cpu(pod))),
        EvictionOrder::SmallestFirst => pods.sort_by_key(cpu),
        EvictionOrder::Shuffled(mut seed) => shuffle(&mut pods, &mut seed),
    }
    pods
}

/// Brings items into a pseudo-random order.
fn shuffle<T>(items: &mut [T], seed: &mut u64) {
    for end in (1..items.len()).rev() {
        let number = usize::try_from(next(seed)).unwrap_or_default();
        items.swap(end, number % (end + 1));
    }
}

/// Whether a pod on `node` is recreated once it is gone. Some owners have done so already while it is
/// terminating.
pub(super) fn comes_again(pod: PodIx, node: NodeIx, cluster: &Cluster) -> bool {
    let facts = cluster.pod(pod);
    let is_replaced_already = facts.is_terminating()
        && afterwards::is_replaced_early(&afterwards::owners(facts, cluster));
    is_recreated(&afterwards::of(pod, node, cluster)) && !is_replaced_already
}

/// Whether a pod is recreated. Owners of an unknown kind are assumed to do so.
pub(super) fn is_recreated(afterwards: &Afterwards) -> bool {
    match afterwards {
        Afterwards::Replaced
        | Afterwards::Pinned(_)
        | Afterwards::Retried
        | Afterwards::Unknown => true,
        Afterwards::Gone | Afterwards::Static => false,
    }
}

/// Keeps the last step about each pod or group. The steps of a group that gets nodes in several
/// rounds belong together.
pub(super) fn keep_last(steps: &mut Vec<Step>) {
    let all = std::mem::take(steps);
    for (index, step) in all.iter().enumerate() {
        let is_last = all.iter().skip(index + 1).all(|later| later.id != step.id);
        if is_last || matches!(step.proposal, Proposal::GroupFits(_)) {
            steps.push(step.clone());
        }
    }
}

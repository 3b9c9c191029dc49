//! Whether nodes can be removed. Each is drained hypothetically, in an order that works if there is
//! one, and with several timings, as a drain leaves much to chance.

pub mod changes;
pub mod holds;
pub mod node_set;
pub mod outcomes;
pub mod reasons;

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use crate::plan::PodId;
use crate::planning::Proposal;
pub use crate::sequence::RemovalVerdict;
use crate::sequence::play::{DrainPlay, Timing};
use crate::sequence::{DrainChange, DrainSequence, Simulation, SimulationSettings, Step};
use holds::{Hold, NodeEvent};
use model::cluster::{Cluster, NodeIx};
use model::notes::{self, Note, Severity};
use model::parallel;
use node_set::NodeSet;
use outcomes::{DrainObstacle, DrainOutcome, Holds, TimingComparison};
use profile::Profile;
use reasons::RemovalObstacle;
use scheduler::decision::unread::Question;

/// How many generations of preemptions are followed.
const DEPTH: usize = 3;

/// Minimum number of timings that are tried where they may make a difference.
const LEAST_TIMINGS: usize = 2;
/// Maximum number of timings that are tried.
const MOST_TIMINGS: usize = 64;
/// One of this many timings is also tried with replacements that become Ready although their
/// predecessors are not.
const RECOVERING_SHARE: usize = 4;
/// Budget of decisions for that: nodes of the cluster times pods that move.
const MOST_WORK: usize = 60_000;
/// How many orders of nodes are tried before one is left out.
const MOST_ORDERS: usize = 24;

/// The question.
#[derive(Debug, Clone, Copy)]
pub struct RemovalRequest<'r> {
    /// The nodes, by name.
    pub nodes: &'r [String],
    /// How many new nodes like them exist while one is drained; each replaces one that was removed.
    /// Without any, the nodes are removed for good.
    pub surge: usize,
    /// The scheduler's profiles, at least one.
    pub profiles: &'r [Profile],
    /// The time of every decision.
    pub now: Timestamp,
}

/// Whether nodes can be removed.
#[derive(Debug, Clone)]
pub struct NodesRemoval {
    /// The nodes that can be drained, in an order that works, followed by those that cannot.
    pub nodes: Vec<NodeRemoval>,
    /// How many of them can be drained one after the other.
    pub in_order: usize,
    /// How many new nodes exist while one is drained.
    pub surge: usize,
    /// How many timings were tried.
    pub timings: usize,
    /// Whether a rule shows that every order of evictions and bindings ends alike. Otherwise the
    /// answer holds for the timings tried.
    pub every_order: bool,
    /// Whether some orders of the nodes were not tried.
    pub orders_left: bool,
    /// What an administrator may change so that the drain of every node ends, all of it together:
    /// played with the same orders. Empty if nothing is known that helps, or nothing is needed.
    pub changes: Vec<DrainChange>,
    /// Notes about what makes the answer uncertain.
    pub notes: Vec<Note>,
}

/// Whether one node can be removed.
#[derive(Debug, Clone)]
pub struct NodeRemoval {
    /// Its name.
    pub node: String,
    /// The answer.
    pub verdict: RemovalVerdict,
    /// The drain with the usual timing, or with the first one that fails.
    pub play: DrainPlay,
    /// With how many of the timings tried it ends with every pod on another node.
    pub timings_done: usize,
    /// What keeps it with some of the timings tried; nothing if it can be drained.
    pub obstacles: Vec<DrainObstacle>,
    /// What else than in `play` happens to its pods with other timings tried, by `ns/name`.
    pub other_outcomes: BTreeMap<String, BTreeSet<DrainOutcome>>,
    /// Where the replacements may go, by the name of the pod.
    pub places: BTreeMap<String, Places>,
    /// Pods that were already pending and got a node in one of the orders tried: `ns/name`.
    pub pending: BTreeSet<String>,
    /// The new nodes that exist while it is drained.
    pub fresh: Vec<String>,
    /// Whether its kubelet does not report: evicted pods then do not end.
    pub is_silent: bool,
    /// What stops autoscalers from removing it.
    pub holds: Vec<Hold>,
    /// Events of autoscalers about it, the latest first.
    pub said: Vec<NodeEvent>,
}

/// Where a pod may move.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Places {
    /// The nodes that the scheduler may pick with the timings tried, those of the usual timing
    /// first.
    pub nodes: Vec<String>,
    /// Other nodes that accept it, where it may move under another timing.
    pub also_possible: NodeSet,
}

impl NodeRemoval {
    /// Whether another pod may be in the way with another timing, or none.
    pub fn depends_on_timing(&self) -> bool {
        self.obstacles.iter().any(|obstacle| obstacle.holds == Holds::SomeOrders)
            || !self.other_outcomes.is_empty()
    }
}

impl NodesRemoval {
    /// Whether all nodes can be removed.
    pub fn all_can(&self) -> bool {
        self.nodes.iter().all(|node| node.verdict == RemovalVerdict::Can)
    }

    /// Whether the answer is uncertain.
    pub fn is_unsure(&self) -> bool {
        self.nodes.iter().any(|node| node.verdict.is_open())
            || self.notes.iter().any(|note| note.severity == Severity::Error)
    }
}

/// Finds out whether nodes can be removed.
pub fn assess(cluster: &Cluster, request: RemovalRequest) -> NodesRemoval {
    let settings = SimulationSettings::new(request.profiles, request.now).following(DEPTH);
    let start = DrainSequence::new(cluster.clone(), settings);
    let search = Search::new(start, request);
    let mut removal = search.judge(search.order());
    removal.changes = changes::of(cluster, &removal, request);
    removal
}

/// Drains all of `nodes` together, one after the other in this order, and follows the replacements
/// of the evicted pods and the pods that were already pending. The second is what [`assess`] says
/// of that order, and the steps are those of the play that it reports.
pub fn drain(
    cluster: Cluster,
    nodes: &[NodeIx],
    settings: SimulationSettings,
) -> (Simulation, NodesRemoval) {
    let name = |node: &NodeIx| cluster.node_name(*node).to_owned();
    let names: Vec<String> = nodes.iter().map(name).collect();
    let SimulationSettings { profiles, now, depth, .. } = settings;
    let start =
        DrainSequence::new(cluster, SimulationSettings::new(profiles, now).following(depth));
    let mut simulation = Simulation::default();
    for name in &names {
        simulation.drains.extend(start.planned(name));
    }
    let request = RemovalRequest { nodes: &names, surge: 0, profiles, now };
    let search = Search::new(start, request);
    let order = Order { nodes: names.clone(), left_out: Vec::new(), complete: true, usual: None };
    let mut removal = search.judge(order);
    removal.changes = changes::of(search.start.cluster(), &removal, request);
    for (drain, node) in simulation.drains.iter_mut().zip(&removal.nodes) {
        let play = &node.play;
        drain.verdict = node.verdict;
        drain.timings_done = node.timings_done;
        drain.timings = removal.timings;
        let refused = play.stuck_or_refused().map(|pod| pod.victim.pod.clone());
        drain.refused = refused.collect();
        simulation.not_followed += play.not_followed;
        let others = play.pending.iter().cloned();
        simulation
            .competing
            .extend(others.filter(|step| waits_already(step, search.start.cluster())));
        simulation.cascade.extend(play.steps.iter().cloned());
    }
    simulation.notes.clone_from(&removal.notes);
    (simulation, removal)
}

/// Notes about what the input lacks for an answer about nodes that go.
pub(crate) fn notes_on_input(cluster: &Cluster) -> Vec<Note> {
    let mut all = Vec::new();
    let unlisted = cluster.notes_on_lists().cloned().map(Note::raised);
    for note in Question::Drain.notes(cluster).into_iter().chain(unlisted) {
        notes::add(&mut all, note);
    }
    all
}

/// What rules show about orders that were not tried.
struct Proofs {
    /// Whether every order ends alike.
    every_order: bool,
    /// Whether a pod that waits already may come to the nodes, and preempt their pods, before the
    /// cordon.
    before_cordon: bool,
    /// The budgets that allow no disruption in any order.
    closed_budgets: BTreeSet<String>,
}

impl Proofs {
    /// In which orders something is in the way, if that is more than the orders that were tried.
    fn holds(&self, obstacle: &DrainObstacle) -> Holds {
        // Preemption removes pods that no eviction does.
        let is_kept = !self.before_cordon;
        let always = match &obstacle.reason {
            RemovalObstacle::Stuck { .. } => true,
            RemovalObstacle::SeveralBudgets { .. } => is_kept,
            RemovalObstacle::Budget { budget, .. } => {
                is_kept && self.closed_budgets.contains(&budget.full_name())
            }
            _ => false,
        };
        match obstacle.holds {
            Holds::OrdersTried if self.every_order || always => Holds::EveryOrder,
            holds => holds,
        }
    }
}

/// Combines the drains of a node under different timings.
fn of_node(
    node: &str,
    plays: &[&PlayedNode],
    recovered: &[&PlayedNode],
    cluster: &Cluster,
    now: Timestamp,
) -> Option<NodeRemoval> {
    let usual = plays.first()?;
    let done = plays.iter().filter(|play| play.play.is_done()).count();
    let verdict = if plays.iter().any(|play| play.play.is_unsure()) {
        RemovalVerdict::Unsure
    } else if done == plays.len() {
        RemovalVerdict::Can
    } else if done > 0 {
        RemovalVerdict::DependsOnTiming
    } else if recovered.iter().any(|play| play.play.is_done()) {
        RemovalVerdict::DependsOnReadiness
    } else {
        RemovalVerdict::Cannot
    };
    // If some timing fails, report that one.
    let wrong = plays.iter().find(|play| !play.play.is_done());
    let shown = wrong.filter(|_| verdict == RemovalVerdict::DependsOnTiming).unwrap_or(usual);
    let ix = cluster.find_node(node)?;
    let all: Vec<&PlayedNode> = plays.iter().chain(recovered).copied().collect();
    let outcomes: Vec<&DrainPlay> = all.iter().map(|played| &played.play).collect();
    let comparison = TimingComparison::new(&outcomes, &shown.play, cluster);
    Some(NodeRemoval {
        node: node.to_owned(),
        verdict,
        timings_done: done,
        obstacles: comparison.obstacles(),
        other_outcomes: comparison.other_outcomes(),
        play: shown.play.clone(),
        places: places(&all),
        pending: plays
            .iter()
            .flat_map(|played| &played.play.pending)
            .filter(|step| waits_already(step, cluster))
            .map(|step| step.id.full_name())
            .collect(),
        fresh: usual.fresh.clone(),
        is_silent: cluster.node(ix).is_silent(cluster),
        holds: holds::of(ix, cluster),
        said: holds::said(ix, cluster, now),
    })
}

/// Whether it is about a pod that waits now, not about one that another pod evicts.
fn waits_already(step: &Step, cluster: &Cluster) -> bool {
    let pod = cluster.find_pod(step.id.namespace(), step.id.name());
    pod.is_none_or(|pod| cluster.pod(pod).is_waiting())
}

/// The nodes of each pod over all plays.
fn places(plays: &[&PlayedNode]) -> BTreeMap<String, Places> {
    let mut places_by_pod: BTreeMap<String, Places> = BTreeMap::new();
    for played in plays {
        for (pod, node) in &played.play.places {
            let nodes = &mut places_by_pod.entry(pod.clone()).or_default().nodes;
            if !nodes.contains(node) {
                nodes.push(node.clone());
            }
        }
        for step in &played.play.steps {
            // If several nodes tie, each is possible.
            let nodes = match &step.proposal {
                Proposal::Fits(nodes) => nodes,
                Proposal::Evict(plan) => &plan.tied,
                _ => continue,
            };
            if let Some(pod) = step.id.pod()
                && let Some(places) = places_by_pod.get_mut(&pod.full_name())
            {
                let more = nodes.iter().filter(|node| !places.nodes.contains(node));
                let more: Vec<String> = more.cloned().collect();
                places.nodes.extend(more);
            }
        }
    }

    // A single pod goes where the scheduler decides. Of several, each may find the others already
    // there, or not yet.
    let is_alone = plays
        .iter()
        .all(|played| played.play.steps.len() + played.play.pending.len() <= 1 && played.is_first);
    if is_alone {
        return places_by_pod;
    }
    for (pod, places) in &mut places_by_pod {
        for accepting in plays.iter().filter_map(|played| played.accepting.get(pod)) {
            places.also_possible.extend(accepting);
        }
        for node in &places.nodes {
            places.also_possible.remove(node);
        }
    }
    places_by_pod
}

/// The drain of all nodes under one timing.
struct Round {
    /// In the order of the nodes, followed by those that are left out.
    plays: Vec<PlayedNode>,
    notes: Vec<Note>,
}

/// A hypothetical drain of a node.
#[derive(Debug, Clone)]
struct PlayedNode {
    play: DrainPlay,
    fresh: Vec<String>,
    /// The nodes that accept each moved pod, if it comes first.
    accepting: BTreeMap<String, NodeSet>,
    /// Whether no node was drained before it.
    is_first: bool,
}

struct Order {
    /// Those that can be drained one after the other.
    nodes: Vec<String>,
    left_out: Vec<String>,
    /// Whether all orders in which more of them could be drained were tried.
    complete: bool,
    /// Their drain with the usual timing, if it was played to find that order.
    usual: Option<Round>,
}

struct Search<'r> {
    start: DrainSequence<'r>,
    request: RemovalRequest<'r>,
    /// Whether a pod that waits already may come to the nodes before they are cordoned.
    before_cordon: bool,
}

impl<'r> Search<'r> {
    fn new(mut start: DrainSequence<'r>, request: RemovalRequest<'r>) -> Self {
        let before_cordon = start.may_come_before_cordon(request.nodes);
        // Of the drain of one node all the nodes are told that its pods may get.
        if request.nodes.len() > 1 {
            start.go_on_from_node_to_node();
        }
        Self { start, request, before_cordon }
    }
}

impl Search<'_> {
    /// The work of draining all of them once: the pods that leave, times nodes.
    fn work(&self) -> usize {
        let cluster = self.start.cluster();
        let nodes = self.request.nodes.iter().filter_map(|name| cluster.find_node(name));
        let pods: usize = nodes.map(|node| cluster.pods_on(node).len()).sum();
        pods * cluster.nodes.len()
    }

    /// Whether the nodes of this order can be removed.
    fn judge(&self, mut order: Order) -> NodesRemoval {
        let cluster = self.start.cluster();

        // The same with other timings: which pods are evicted first, and which of several equally good
        // nodes they get. Where the order makes no other difference, none has to be tried.
        let every_order = self.request.surge == 0
            && !self.before_cordon
            && self.start.is_order_irrelevant(self.request.nodes);
        let least = if every_order { 1 } else { LEAST_TIMINGS };
        let timings = match self.work() {
            0 if !self.before_cordon => 1,
            work => (MOST_WORK / work.max(1)).clamp(least, MOST_TIMINGS),
        };
        let proofs = Proofs {
            every_order,
            before_cordon: self.before_cordon,
            closed_budgets: self.start.closed_budgets(self.request.nodes),
        };
        let usual = order.usual.take();
        let all: Vec<Timing> = Timing::several(timings).skip(usual.iter().len()).collect();
        let others: Vec<Round> =
            parallel::map(&all, 2, |timing| self.round(&order.nodes, &order.left_out, *timing));
        let mut rounds: Vec<Round> = usual.into_iter().chain(others).collect();

        // The same if replacements become Ready whose predecessors are not, as budgets may then allow
        // more.
        let has_unready =
            |round: &Round| round.plays.iter().any(|play| !play.play.unready.is_empty());
        let with_recovery = match rounds.first() {
            Some(usual) if has_unready(usual) => (timings / RECOVERING_SHARE).max(1),
            _ => 0,
        };
        let all: Vec<Timing> = Timing::several(with_recovery)
            .map(|timing| Timing { unready_recover: true, ..timing })
            .collect();
        let recovered: Vec<Round> =
            parallel::map(&all, 2, |timing| self.round(&order.nodes, &order.left_out, *timing));

        let mut removal = NodesRemoval {
            nodes: Vec::new(),
            in_order: order.nodes.len(),
            surge: self.request.surge,
            timings,
            every_order,
            orders_left: !order.complete,
            changes: Vec::new(),
            notes: notes_on_input(cluster),
        };

        // What makes it uncertain, and what all plays of a node come to.
        for note in rounds.iter_mut().flat_map(|round| std::mem::take(&mut round.notes)) {
            notes::add(&mut removal.notes, note);
        }
        for (index, node) in order.nodes.iter().chain(&order.left_out).enumerate() {
            let plays: Vec<&PlayedNode> =
                rounds.iter().filter_map(|round| round.plays.get(index)).collect();
            let recovered: Vec<&PlayedNode> =
                recovered.iter().filter_map(|round| round.plays.get(index)).collect();
            let mut one = of_node(node, &plays, &recovered, cluster, self.request.now);
            for obstacle in one.iter_mut().flat_map(|node| &mut node.obstacles) {
                obstacle.holds = proofs.holds(obstacle);
            }
            removal.nodes.extend(one);
        }
        removal
    }

    /// The order in which the most nodes can be drained.
    fn order(&self) -> Order {
        let all = self.request.nodes.to_vec();
        if let Some(round) = self.done_together(&all) {
            return Order { nodes: all, left_out: Vec::new(), complete: true, usual: Some(round) };
        }

        // A node that cannot be drained alone cannot be drained with others, either.
        let (mut nodes, mut left_out): (Vec<String>, Vec<String>) = if all.len() == 1 {
            (Vec::new(), all)
        } else {
            all.into_iter().partition(|node| self.reaches(std::slice::from_ref(node)) == 1)
        };

        // Each order of the others may fail at a different node. If none works for all, leave out
        // the node at which the best one fails.
        let most_orders = (10 * MOST_WORK / self.work().max(1)).clamp(2, MOST_ORDERS);
        let mut complete = true;
        while !nodes.is_empty() {
            let mut best = (0, nodes.clone());
            let mut tried = 0;
            for order in orders(&nodes, self.start.cluster()) {
                if tried >= most_orders {
                    complete = false;
                    break;
                }
                tried += 1;
                let reached = self.reaches(&order);
                if reached > best.0 || tried == 1 {
                    best = (reached, order);
                }
                if best.0 == nodes.len() {
                    break;
                }
            }
            complete &= tried < most_orders || best.0 == nodes.len();
            let (reached, order) = best;
            nodes = order;
            if reached == nodes.len() {
                break;
            }
            left_out.push(nodes.remove(reached));
        }

        // As the nodes that are left out stay, one of them may be drainable after all.
        for node in std::mem::take(&mut left_out) {
            nodes.push(node);
            if nodes.len() < 2 || self.reaches(&nodes) < nodes.len() {
                left_out.extend(nodes.pop());
            }
        }
        Order { nodes, left_out, complete, usual: None }
    }

    /// The drain of all nodes with the usual timing; `None` if one of them cannot be drained.
    fn done_together(&self, nodes: &[String]) -> Option<Round> {
        let mut drained = 0;
        let round = self.round_while(nodes, &[], Timing::USUAL, |play| {
            drained += usize::from(play.is_done());
            play.is_done()
        });
        (drained == nodes.len()).then_some(round)
    }

    /// How many nodes of this order can be drained before one cannot.
    fn reaches(&self, order: &[String]) -> usize {
        let mut sequence = self.start.clone();
        self.prepare(&mut sequence, order);
        let mut fresh = Vec::new();
        let mut reached = 0;
        for (index, node) in order.iter().enumerate() {
            let Some(play) =
                self.drain(&mut sequence, order, index, node, Timing::USUAL, &mut fresh)
            else {
                break;
            };
            if !play.is_done() {
                break;
            }
            reached += 1;
        }
        reached
    }

    /// Nodes that are removed for good are cordoned together, so that no pod moves twice. In a
    /// rolling upgrade, only the current one is cordoned.
    fn prepare(&self, sequence: &mut DrainSequence, order: &[String]) {
        if self.request.surge == 0 {
            sequence.cordon(order);
        }
    }

    /// Drains one node of an order, with the new nodes that exist meanwhile.
    fn drain(
        &self,
        sequence: &mut DrainSequence,
        order: &[String],
        index: usize,
        node: &str,
        timing: Timing,
        fresh: &mut Vec<String>,
    ) -> Option<DrainPlay> {
        let surge = self.request.surge;
        if surge > 0 {
            let wanted = (index + surge).min(order.len().max(surge));
            while fresh.len() < wanted {
                let like = order.get(fresh.len()).map_or(node, String::as_str);
                // The node to copy may be gone by then.
                let like = if sequence.cluster().find_node(like).is_some() { like } else { node };
                fresh.push(sequence.add_like(like)?);
            }
        }
        let play = sequence.play(node, timing)?;
        // An upgraded node is replaced by a new one.
        if surge > 0 && play.is_done() {
            sequence.remove(node);
        }
        Some(play)
    }

    /// Drains all nodes under this timing: those of the order, then each that is left out on its
    /// own.
    fn round(&self, nodes: &[String], left_out: &[String], timing: Timing) -> Round {
        self.round_while(nodes, left_out, timing, |_| true)
    }

    /// The same as long as `goes_on` accepts the drain of each node.
    fn round_while(
        &self,
        nodes: &[String],
        left_out: &[String],
        timing: Timing,
        mut goes_on: impl FnMut(&DrainPlay) -> bool,
    ) -> Round {
        let mut sequence = self.start.clone();
        if self.before_cordon && timing.waiting.is_before_cordon() {
            sequence.decide_before_cordon(self.request.nodes, timing);
        }
        self.prepare(&mut sequence, nodes);
        let mut fresh = Vec::new();
        let mut plays = Vec::new();
        for (index, node) in nodes.iter().enumerate() {
            let play = self.drain(&mut sequence, nodes, index, node, timing, &mut fresh);
            let Some(play) = play else { continue };
            if !goes_on(&play) {
                break;
            }
            let accepting = accepting(&sequence, &play);
            plays.push(PlayedNode { play, fresh: fresh.clone(), accepting, is_first: index == 0 });
        }
        let mut notes = sequence.notes().to_vec();
        for node in left_out {
            // New nodes that replaced others exist in any case.
            let (mut alone, mut its_fresh) = (sequence.clone(), Vec::new());
            let spare = fresh.len().saturating_sub(nodes.len());
            for _ in spare..self.request.surge {
                its_fresh.extend(alone.add_like(node));
            }
            let play = alone.play(node, timing);
            plays.extend(play.map(|play| {
                let accepting = accepting(&alone, &play);
                PlayedNode { play, fresh: its_fresh, accepting, is_first: nodes.is_empty() }
            }));
            for note in alone.notes() {
                notes::add(&mut notes, note.clone());
            }
        }
        Round { plays, notes }
    }
}

/// The nodes that accept each moved pod.
fn accepting(sequence: &DrainSequence, play: &DrainPlay) -> BTreeMap<String, NodeSet> {
    let moved: Vec<&str> = play.places.keys().map(String::as_str).collect();
    sequence.accepting(&moved)
}

/// Orders of nodes in which they may be drained, the most promising first.
fn orders(nodes: &[String], cluster: &Cluster) -> impl Iterator<Item = Vec<String>> {
    let given = nodes.to_vec();
    let backwards: Vec<String> = nodes.iter().rev().cloned().collect();
    let mut fewest_first = given.clone();
    fewest_first
        .sort_by_key(|name| cluster.find_node(name).map_or(0, |n| cluster.pods_on(n).len()));
    let most_first: Vec<String> = fewest_first.iter().rev().cloned().collect();
    let rotated = (1..nodes.len()).map(|by| {
        let mut rotated = nodes.to_vec();
        rotated.rotate_left(by);
        rotated
    });
    let mut swapped: Vec<Vec<String>> = Vec::new();
    for (a, _) in nodes.iter().enumerate() {
        for (b, _) in nodes.iter().enumerate().skip(a + 1) {
            let mut order = nodes.to_vec();
            order.swap(a, b);
            swapped.push(order);
        }
    }
    let all =
        [given, backwards, fewest_first, most_first].into_iter().chain(rotated).chain(swapped);
    let mut seen: BTreeSet<Vec<String>> = BTreeSet::new();
    all.filter(move |order| seen.insert(order.clone())).collect::<Vec<_>>().into_iter()
}

/// The pods that a drain loses: nothing recreates them.
pub fn lost(play: &DrainPlay) -> Vec<&PodId> {
    play.pods
        .iter()
        .filter(|pod| pod.victim.afterwards == crate::plan::Afterwards::Gone)
        .map(|pod| &pod.victim.pod)
        .collect()
}

/// The last step about a pod that left, if its replacement was decided.
pub fn step_of<'p>(play: &'p DrainPlay, pod: &PodId) -> Option<&'p Step> {
    play.steps.iter().rev().find(|step| match step.id.pod() {
        Some(id) => (&id.namespace, &id.name) == (&pod.namespace, &pod.name),
        None => (step.proposal.placed().iter().map(|placed| &placed.pod).chain(&step.left_out))
            .any(|id| (&id.namespace, &id.name) == (&pod.namespace, &pod.name)),
    })
}

#[cfg(test)]
mod tests;

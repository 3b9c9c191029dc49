//! Proposes moves, the smallest set first, and has each played until the pod fits with one.
//!
//! If pods on other nodes do not affect a node, a move helps only if it removes a pod from the node
//! that the waiting pod gets, or from the node that a moved pod gets. These sets are enumerated
//! completely, and those that cannot be played are dropped. Otherwise every set of pods and every
//! node is played, as far as the budget for a cluster of this size allows.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::SuggestSettings;
use super::cost::{MoveCost, Restarts, may_move};
use super::play::{self, PlayedMoves};
use crate::victims;
use dra::device_selectors::DeviceSelectors;
use model::cluster::symbols::PoolIx;
use model::cluster::{BudgetIx, Cluster, NodeIx, Pod, PodIx, Sym};
use scheduler::decision::prepare;
use scheduler::framework::cluster_view::ClusterView;
use scheduler::framework::cycle::{NodeState, NodeVerdict, PreparedCycle};
use scheduler::framework::operands::ResourceId;
use scheduler::framework::status::FilterVerdict;
use scheduler::preemption::budgets::BudgetIndex;

/// The budget of all plays, in pods; a node counts as ten.
const WORK: usize = 1_800_000;
/// Minimum and maximum number of plays.
const PLAYS: (usize, usize) = (12, 6_000);
/// Maximum number of sets checked over all nodes, and minimum and maximum on one.
const SETS: usize = 200_000;
const SETS_ON_A_NODE: (usize, usize) = (50, 20_000);
/// Maximum number of candidates of one size that are kept for playing.
const MOST_CANDIDATES: usize = 60_000;
/// Maximum number of pods that leave one node.
const MOST_MOVES: usize = 12;

/// How certain it is that no smaller set is enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// Every smaller set of moves was ruled out.
    Smallest,
    /// Every set of fewer moves was ruled out, but not every set of the same number.
    FewestMoves,
    /// It is the best found within the budget.
    BestFound,
}

/// The extent of a search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Searched {
    /// How many sets of moves were played through.
    pub plays: usize,
    /// Every set of at most this many moves was ruled out or played.
    pub complete_up_to: usize,
}

/// Moves with which the pod fits.
pub(super) struct FoundMoves {
    pub(super) play: PlayedMoves,
    pub(super) proof: Proof,
}

/// Moves to play.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    cost: MoveCost,
    freed: NodeIx,
    pods: Vec<PodIx>,
}

/// Candidates of one size, and whether they are complete.
struct Level {
    candidates: Vec<Candidate>,
    is_complete: bool,
}

/// Looks for the smallest set of moves with which `goal` fits.
pub(super) fn moves(
    view: &ClusterView,
    goal: PodIx,
    settings: SuggestSettings,
) -> (Option<FoundMoves>, Searched) {
    let mut search = Search::new(view, goal, settings);
    let mut searched = Searched::default();
    let mut all_fewer = true;
    for size in 1..=MOST_MOVES {
        let level = match size {
            1 | 2 if search.may_play_all(size) => search.every_set(size),
            1 => search.singles(),
            2 => search.pairs(),
            3 => search.triples(),
            _ => search.large_sets(size),
        };
        let (play, is_complete) = search.first_that_plays(level);
        searched.plays = search.plays;
        if let Some(play) = play {
            let proof = match (all_fewer, is_complete) {
                (true, true) => Proof::Smallest,
                (true, false) => Proof::FewestMoves,
                (false, _) => Proof::BestFound,
            };
            return (Some(FoundMoves { play, proof }), searched);
        }
        all_fewer &= is_complete;
        if all_fewer {
            searched.complete_up_to = size;
        }
    }
    (None, searched)
}

/// Criteria by which pods are alike: where one fits, so does the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Alike {
    namespace: Sym,
    labels: PoolIx,
    template: PoolIx,
    requests: PoolIx,
    priority: i32,
}

/// Where a pod fits once it has left its node.
#[derive(Debug, Clone, Default)]
struct Elsewhere {
    nodes: Vec<NodeIx>,
    /// Whether pods on other nodes do not affect it.
    is_local: bool,
}

/// A node that rejects the waiting pod only because of its pods.
struct Target {
    node: NodeIx,
    /// The movable pods, the cheapest first.
    movable: Vec<PodIx>,
    /// How much of each resource is missing, if nothing but resources is.
    missing: Option<Vec<(ResourceId, i64)>>,
}

struct Search<'a> {
    view: &'a ClusterView<'a>,
    goal: PodIx,
    settings: SuggestSettings<'a>,
    restarts: Restarts,
    budgets: BudgetIndex,
    selectors: DeviceSelectors,
    /// Per node, the movable pods, the cheapest first.
    movable: Vec<Vec<PodIx>>,
    targets: Vec<Target>,
    /// The sets of [`Self::most_at_once`], computed on demand.
    large_sets: Option<Vec<Candidate>>,
    /// Whether pods on other nodes do not affect the waiting pod.
    goal_is_local: bool,
    /// Whether they affect no pod at all.
    all_are_local: bool,
    /// Where alike pods fit once one has left its node.
    elsewhere: BTreeMap<Alike, Elsewhere>,
    plays: usize,
    most_plays: usize,
}

impl<'a> Search<'a> {
    fn new(view: &'a ClusterView<'a>, goal: PodIx, settings: SuggestSettings<'a>) -> Self {
        let cluster = view.cluster;
        let (fewest, most) = PLAYS;
        let size = cluster.pods.len() + 10 * cluster.nodes.len() + 1;
        let mut search = Self {
            view,
            goal,
            settings,
            restarts: Restarts::new(cluster),
            budgets: victims::protecting(cluster, &view.profile.features),
            selectors: DeviceSelectors::of(cluster),
            movable: Vec::new(),
            targets: Vec::new(),
            large_sets: None,
            goal_is_local: true,
            all_are_local: true,
            elsewhere: BTreeMap::new(),
            plays: 0,
            most_plays: (WORK / size).clamp(fewest, most),
        };
        let nodes: Vec<NodeIx> = cluster.node_indices().collect();
        search.movable = nodes.into_par_iter().map(|node| search.movable_on(node)).collect();
        search.find_targets();
        search
    }

    fn prepared(&self, view: &'a ClusterView<'a>, pod: PodIx) -> PreparedCycle<'a> {
        prepare(view, pod, self.settings.now)
    }

    /// Finds the nodes on which moving pods away may help, and whether nodes depend on each other.
    fn find_targets(&mut self) {
        let prepared = self.prepared(self.view, self.goal);
        let cluster = self.view.cluster;
        let verdicts = prepared.filter_all();
        let verdicts = cluster.node_indices().zip(&verdicts);
        let open = verdicts.filter(|(_, verdict)| verdict.is_resolvable());
        let nodes: Vec<NodeIx> = open.map(|(node, _)| node).collect();
        let first = cluster.node_indices().next();
        self.goal_is_local = first.is_some_and(|node| !prepared.node_state(node).looks_elsewhere());
        let targets: Vec<Target> =
            nodes.into_par_iter().map(|node| self.target(&prepared, node)).collect();
        self.targets = targets.into_iter().filter(|target| !target.movable.is_empty()).collect();

        // Moved pods must not depend on other nodes, either.
        let mut active = cluster.pods.iter().filter(|pod| pod.is_active());
        self.all_are_local = self.goal_is_local
            && self.view.profile.args.default_constraints.is_none()
            && cluster.devices.slices.is_empty()
            && active.all(|pod| is_local(pod, cluster));
    }

    fn target(&self, prepared: &PreparedCycle, node: NodeIx) -> Target {
        let mut movable = self.movable_of(node).to_vec();
        let missing = missing(prepared, node);
        // Without all its movable pods, the node is either large enough or hopeless.
        if missing.is_some() {
            let mut state = prepared.node_state(node);
            movable.iter().for_each(|pod| state.remove_pod(*pod));
            if state.check().is_some() {
                movable.clear();
            }
        }
        Target { node, movable, missing }
    }

    /// The movable pods of a node whose budgets allow it.
    fn movable_on(&self, node: NodeIx) -> Vec<PodIx> {
        let cluster = self.view.cluster;
        let scheduler = &self.view.profile.scheduler_name;
        let pods = cluster.pods_on(node).iter().copied();
        let mut movable: Vec<PodIx> = pods
            .filter(|pod| may_move(*pod, node, scheduler, cluster) && self.budgets_allow(&[*pod]))
            .collect();
        movable.sort_by_cached_key(|pod| (MoveCost::of(&[*pod], cluster, &self.restarts), *pod));
        movable
    }

    fn movable_of(&self, node: NodeIx) -> &[PodIx] {
        self.movable.get(node.0 as usize).map_or(&[], Vec::as_slice)
    }

    /// Whether budgets allow these evictions together, and the eviction API each of them: it
    /// refuses a pod with several budgets.
    fn budgets_allow(&self, pods: &[PodIx]) -> bool {
        let cluster = self.view.cluster;
        let mut used: Vec<BudgetIx> = Vec::new();
        for pod in pods {
            let budgets = self.budgets.of(cluster.pod(*pod), cluster);
            if budgets.len() > 1 {
                return false;
            }
            used.extend(budgets);
        }
        used.iter().all(|budget| {
            let evictions = used.iter().filter(|other| *other == budget).count();
            i64::try_from(evictions).is_ok_and(|n| n <= cluster.budget(*budget).allowed)
        })
    }

    fn candidate(&self, pods: Vec<PodIx>, freed: NodeIx) -> Candidate {
        let cost = MoveCost::of(&pods, self.view.cluster, &self.restarts);
        Candidate { cost, freed, pods }
    }

    /// Every single pod with whose departure the waiting pod fits on its node.
    fn singles(&self) -> Level {
        let mut level = self.direct(1);
        level.is_complete &= self.goal_is_local;
        level
    }

    /// Every pair of pods that frees enough on one node only together; and every pod that frees
    /// enough but fits nowhere else, with one that makes it fit elsewhere.
    fn pairs(&mut self) -> Level {
        let mut level = self.direct(2);
        level.is_complete &= self.goal_is_local;
        let chains = self.chains();
        level.is_complete &= chains.is_complete;
        level.candidates.extend(chains.candidates);
        level
    }

    /// Triples of pods that free enough on one node only together. Chains of three are not
    /// searched.
    fn triples(&self) -> Level {
        Level { is_complete: false, ..self.direct(3) }
    }

    /// The minimal sets of `size` pods that free enough on their node, in every order.
    fn direct(&self, size: usize) -> Level {
        let prepared = self.prepared(self.view, self.goal);
        let (fewest, most) = SETS_ON_A_NODE;
        let most_sets = (SETS / self.targets.len().max(1)).clamp(fewest, most);
        let levels: Vec<Level> = self
            .targets
            .par_iter()
            .map(|target| {
                let mut sets = Sets {
                    search: self,
                    target,
                    state: prepared.node_state(target.node),
                    chosen: Vec::new(),
                    found: Vec::new(),
                    left: most_sets,
                };
                sets.choose(0, size);
                let is_complete = sets.left > 0;
                Level { candidates: sets.found, is_complete }
            })
            .collect();
        let mut level = Level { candidates: Vec::new(), is_complete: true };
        for of_node in levels {
            level.is_complete &= of_node.is_complete;
            level.candidates.extend(of_node.candidates);
        }
        level
    }

    /// Pods that free enough but fit nowhere else, each with one that makes them fit elsewhere.
    fn chains(&mut self) -> Level {
        let mut level = Level { candidates: Vec::new(), is_complete: true };
        let singles = self.direct(1).candidates;
        let mut by_kind: BTreeMap<Alike, Vec<Candidate>> = BTreeMap::new();
        for single in singles {
            let Some(pod) = single.pods.first().copied() else { continue };
            let Some(elsewhere) = self.elsewhere(pod) else {
                level.is_complete = false;
                continue;
            };
            level.is_complete &= elsewhere.is_local;
            if elsewhere.nodes.iter().any(|node| *node != single.freed) {
                continue;
            }
            by_kind.entry(self.alike(pod)).or_default().push(single);
        }
        for singles in by_kind.into_values() {
            let Some(first) = singles.first().and_then(|single| single.pods.first()).copied()
            else {
                continue;
            };
            if self.plays >= self.most_plays {
                level.is_complete = false;
                break;
            }
            self.plays += 1;
            let makers = self.makers_of_room(first);
            for single in &singles {
                for (other, node) in &makers {
                    if *node == single.freed {
                        continue;
                    }
                    if level.candidates.len() >= MOST_CANDIDATES {
                        level.is_complete = false;
                        return level;
                    }
                    let pods: Vec<PodIx> =
                        std::iter::once(*other).chain(single.pods.iter().copied()).collect();
                    if self.budgets_allow(&pods) {
                        let candidate = self.candidate(pods, single.freed);
                        level.candidates.push(candidate);
                    }
                }
            }
        }
        level
    }

    /// The pods of which each alone makes `pod` fit on its node.
    fn makers_of_room(&self, pod: PodIx) -> Vec<(PodIx, NodeIx)> {
        let mut cluster = self.view.cluster.clone();
        cluster.restart(pod, self.settings.now);
        let view =
            ClusterView::with_selectors(&cluster, self.settings.profile, self.selectors.clone());
        let prepared = prepare(&view, pod, self.settings.now);
        let nodes: Vec<NodeIx> = cluster.node_indices().collect();
        nodes.into_par_iter().flat_map_iter(|node| self.makers_on(node, &prepared)).collect()
    }

    /// The pods on a node of which each alone makes the pod of the cycle fit there.
    fn makers_on(&self, node: NodeIx, prepared: &PreparedCycle) -> Vec<(PodIx, NodeIx)> {
        let mut makers = Vec::new();
        let mut state = prepared.node_state(node);
        if state.check().is_none() {
            return makers;
        }
        for other in self.movable_of(node).iter().filter(|other| **other != prepared.cycle.ix) {
            state.remove_pod(*other);
            if state.check().is_none() {
                makers.push((*other, node));
            }
            state.add_pod(*other);
        }
        makers
    }

    /// Per node, the set of pods that leaves if as many of its pods as possible stay, the most
    /// expensive first: the sets with `size` pods.
    fn large_sets(&mut self, size: usize) -> Level {
        if self.large_sets.is_none() {
            self.large_sets = Some(self.most_at_once());
        }
        let of_size = self.large_sets.iter().flatten().filter(|set| set.pods.len() == size);
        Level { candidates: of_size.cloned().collect(), is_complete: false }
    }

    fn most_at_once(&self) -> Vec<Candidate> {
        let prepared = self.prepared(self.view, self.goal);
        let targets = self.targets.par_iter();
        targets.flat_map_iter(|target| self.most_leave(target, &prepared)).collect()
    }

    /// The orders in which pods leave a node if as many of its pods as possible stay.
    fn most_leave(&self, target: &Target, prepared: &PreparedCycle) -> Vec<Candidate> {
        let mut state = prepared.node_state(target.node);
        target.movable.iter().for_each(|pod| state.remove_pod(*pod));
        if state.check().is_some() {
            return Vec::new();
        }
        let mut leaving = Vec::new();
        for pod in target.movable.iter().rev() {
            if !state.add_if_it_fits(*pod) {
                leaving.push(*pod);
            }
        }
        if leaving.len() > MOST_MOVES || !self.budgets_allow(&leaving) {
            return Vec::new();
        }
        let orders = orders(&leaving).into_iter();
        orders.map(|pods| self.candidate(pods, target.node)).collect()
    }

    /// Whether pods depend on other nodes, and the cluster is small enough to play every set of
    /// this size.
    fn may_play_all(&self, size: usize) -> bool {
        let pods = self.movable.iter().map(Vec::len).sum::<usize>();
        let sequences = if size == 1 { pods } else { pods.saturating_mul(pods.saturating_sub(1)) };
        let plays = sequences.saturating_mul(self.view.cluster.nodes.len());
        !self.all_are_local && plays <= self.most_plays.saturating_sub(self.plays)
    }

    /// Every sequence of `size` movable pods, with every node kept free.
    fn every_set(&self, size: usize) -> Level {
        let cluster = self.view.cluster;
        let nodes: Vec<NodeIx> =
            cluster.node_indices().filter(|node| !cluster.node(*node).unschedulable).collect();
        let pods: Vec<PodIx> = self.movable.iter().flatten().copied().collect();
        let mut sequences: Vec<Vec<PodIx>> = Vec::new();
        for first in &pods {
            if size == 1 {
                sequences.push(vec![*first]);
                continue;
            }
            for second in pods.iter().filter(|second| *second != first) {
                sequences.push(vec![*first, *second]);
            }
        }
        let mut level = Level { candidates: Vec::new(), is_complete: true };
        for pods in sequences.into_iter().filter(|pods| self.budgets_allow(pods)) {
            for node in &nodes {
                level.candidates.push(self.candidate(pods.clone(), *node));
            }
        }
        level
    }

    /// Plays the candidates, the cheapest first. Returns the first with which the pod fits, and
    /// whether every one before it was ruled out.
    fn first_that_plays(&mut self, level: Level) -> (Option<PlayedMoves>, bool) {
        let mut candidates = level.candidates;
        let mut is_complete = level.is_complete;
        candidates.sort();
        for candidate in candidates {
            if self.is_surely_lost(&candidate) {
                continue;
            }
            if self.plays >= self.most_plays {
                is_complete = false;
                break;
            }
            self.plays += 1;
            let play = play::play(
                self.view.cluster,
                self.goal,
                &candidate.pods,
                candidate.freed,
                self.settings,
                &self.selectors,
            );
            if let Ok(play) = play {
                return (Some(play), is_complete);
            }
        }
        (None, is_complete)
    }

    /// Whether a pod of the candidate fits on no other node, even after those before it have left
    /// theirs.
    fn is_surely_lost(&mut self, candidate: &Candidate) -> bool {
        let cluster = self.view.cluster;
        let mut is_room_made = false;
        for pod in &candidate.pods {
            let Some(node) = cluster.node_of(*pod) else { return true };
            let freed = candidate.freed;
            if !is_room_made
                && let Some(elsewhere) = self.elsewhere(*pod)
                && elsewhere.is_local
                && elsewhere.nodes.iter().all(|other| *other == freed || *other == node)
            {
                return true;
            }
            // A node that an earlier pod has left may take the later ones.
            is_room_made |= node != freed;
        }
        false
    }

    /// Where a pod fits once it has left its node; `None` if the budget is used up.
    fn elsewhere(&mut self, pod: PodIx) -> Option<&Elsewhere> {
        let alike = self.alike(pod);
        if !self.elsewhere.contains_key(&alike) {
            if self.plays >= self.most_plays {
                return None;
            }
            self.plays += 1;
            let mut cluster = self.view.cluster.clone();
            cluster.restart(pod, self.settings.now);
            let view = ClusterView::with_selectors(
                &cluster,
                self.settings.profile,
                self.selectors.clone(),
            );
            let prepared = prepare(&view, pod, self.settings.now);
            let verdicts = cluster.node_indices().zip(prepared.filter_all());
            let nodes = verdicts
                .filter(|(_, verdict)| *verdict == NodeVerdict::Feasible)
                .map(|(node, _)| node)
                .collect();
            let first = cluster.node_indices().next();
            let is_local = self.view.cluster.devices.slices.is_empty()
                && self.view.cluster.volumes_of(self.view.cluster.pod(pod)).next().is_none()
                && first.is_some_and(|node| !prepared.node_state(node).looks_elsewhere());
            self.elsewhere.insert(alike, Elsewhere { nodes, is_local });
        }
        self.elsewhere.get(&alike)
    }

    fn alike(&self, pod: PodIx) -> Alike {
        let pod = self.view.cluster.pod(pod);
        Alike {
            namespace: pod.namespace,
            labels: pod.labels,
            template: pod.template,
            requests: pod.resource_requests,
            priority: pod.priority,
        }
    }
}

/// Enumerates the sets of pods that free enough on a node.
struct Sets<'s, 'a, 'p, 'c> {
    search: &'s Search<'a>,
    target: &'s Target,
    state: NodeState<'p, 'c>,
    chosen: Vec<PodIx>,
    found: Vec<Candidate>,
    /// How many more sets may be checked.
    left: usize,
}

impl Sets<'_, '_, '_, '_> {
    /// Chooses `more` of the pods, starting at index `from`.
    fn choose(&mut self, from: usize, more: usize) {
        if more == 0 {
            self.keep();
            return;
        }
        let target = self.target;
        for (at, pod) in target.movable.iter().enumerate().skip(from) {
            if self.left == 0 {
                return;
            }
            self.chosen.push(*pod);
            self.choose(at + 1, more - 1);
            self.chosen.pop();
        }
    }

    /// Keeps the chosen set if it frees enough and none of its pods can stay.
    fn keep(&mut self) {
        if !self.is_enough() {
            return;
        }
        self.left = self.left.saturating_sub(1);
        let chosen = self.chosen.clone();
        chosen.iter().for_each(|pod| self.state.remove_pod(*pod));
        let mut makes_room = self.state.check().is_none();
        for pod in &chosen {
            if !makes_room || chosen.len() == 1 {
                break;
            }
            self.state.add_pod(*pod);
            makes_room = self.state.check().is_some();
            self.state.remove_pod(*pod);
        }
        chosen.iter().for_each(|pod| self.state.add_pod(*pod));
        if !makes_room || !self.search.budgets_allow(&chosen) {
            return;
        }
        // The order decides which of the pods gets its node first.
        for pods in orders(&chosen) {
            self.found.push(self.search.candidate(pods, self.target.node));
        }
    }

    /// Whether the pods request as much as is missing, for a node that lacks nothing but resources.
    fn is_enough(&self) -> bool {
        let Some(missing) = &self.target.missing else { return true };
        let view = self.search.view;
        missing.iter().all(|(resource, missing)| {
            let freed: i64 = self
                .chosen
                .iter()
                .map(|pod| match resource {
                    ResourceId::Pods => 1,
                    other => other.of(view.requested_by(*pod)),
                })
                .sum();
            freed >= *missing
        })
    }
}

/// All orders of up to three pods; of more, the given one and its reverse.
fn orders(pods: &[PodIx]) -> Vec<Vec<PodIx>> {
    match *pods {
        [a, b] => vec![vec![a, b], vec![b, a]],
        [a, b, c] => vec![
            vec![a, b, c],
            vec![a, c, b],
            vec![b, a, c],
            vec![b, c, a],
            vec![c, a, b],
            vec![c, b, a],
        ],
        _ => vec![pods.to_vec(), pods.iter().rev().copied().collect()],
    }
}

/// Whether nothing that a pod requires depends on the pods, volumes or devices of other nodes.
fn is_local(pod: &Pod, cluster: &Cluster) -> bool {
    let template = cluster.template(pod);
    [&template.affinity, &template.anti_affinity]
        .into_iter()
        .all(|terms| terms.as_ref().is_ok_and(|terms| terms.is_empty()))
        && !template.spread.iter().any(|constraint| constraint.hard)
        && template.claims.is_empty()
        && cluster.volumes_of(pod).next().is_none()
}

/// How much of each resource a node lacks; `None` if it also rejects the pod for another reason.
fn missing(prepared: &PreparedCycle, node: NodeIx) -> Option<Vec<(ResourceId, i64)>> {
    let mut missing = Vec::new();
    for (_, verdict) in prepared.refusals(node) {
        let FilterVerdict::Rejected(rejection) = verdict else { return None };
        for reason in &rejection.reasons {
            let lack = reason.lack()?;
            missing.push((lack.resource, lack.requested.saturating_sub(lack.free())));
        }
    }
    Some(missing)
}

//! The fewest new nodes with which every pod of a simulation gets a node.
//!
//! A number is only given if the simulation was played with that many nodes and placed everything.
//! That fewer are not enough is either a bound, which holds wherever pods go, or every smaller
//! combination was played, too.

pub mod bounds;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use rayon::prelude::*;

use crate::plan::{Afterwards, PreemptorId};
use crate::planning::Proposal;
use crate::sequence::Simulation;
use crate::suggest::NewNode;
use bounds::Bound;
use model::notes::Note;

/// What is without a node. A replacement has the name of the pod that it replaces.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unplaced {
    /// A whole group, `namespace/name`.
    Group(String),
    /// A pod, `namespace/name`.
    Pod(String),
    /// Replacements that are not followed.
    NotFollowed,
}

impl Unplaced {
    fn of(id: &PreemptorId) -> Self {
        match id {
            PreemptorId::Pod(_) => Self::Pod(id.full_name()),
            PreemptorId::Group(_) => Self::Group(id.full_name()),
        }
    }
}

impl fmt::Display for Unplaced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Group(name) => write!(f, "group {name}"),
            Self::Pod(name) => f.write_str(name),
            Self::NotFollowed => f.write_str("more replacements"),
        }
    }
}

/// What a simulation leaves without a node.
#[derive(Debug, Clone, Default)]
pub struct Trial {
    /// The pods in question and the replacements that get no node, with what the nodes lack.
    pub left: BTreeMap<Unplaced, Vec<String>>,
    /// Those of them of which it is not known whether they get one.
    pub unknown: BTreeSet<Unplaced>,
    /// How many pods are evicted.
    pub evicted: usize,
    /// Whether kube-scheduler may choose other nodes that are as good.
    pub is_open: bool,
    pub notes: Vec<Note>,
}

impl Trial {
    /// Sums up a simulation. A victim that nothing replaces is left, too: it does not run any more.
    pub fn of(simulation: &Simulation) -> Self {
        let mut trial = Self { notes: simulation.notes.clone(), ..Self::default() };
        // The last step about a pod or group says what becomes of it.
        let mut by_step: BTreeMap<Unplaced, Vec<(Unplaced, Vec<String>)>> = BTreeMap::new();
        let mut victims: BTreeMap<String, bool> = BTreeMap::new();
        for step in simulation.steps.iter().chain(&simulation.cascade) {
            let id = Unplaced::of(&step.id);
            let mut left = Vec::new();
            trial.unknown.remove(&id);
            match &step.proposal {
                Proposal::Impossible(why) | Proposal::Unknown(why) => {
                    let causes = if step.causes.is_empty() {
                        vec![why.clone()]
                    } else {
                        step.causes.clone()
                    };
                    // Of a group that is tried again only the pods are left that were left out.
                    let before = by_step.get(&id).map(Vec::as_slice).unwrap_or_default();
                    let before = before.iter().map(|(pod, _)| pod.clone());
                    let which: Vec<Unplaced> = before.filter(|pod| *pod != id).collect();
                    let which = if which.is_empty() { vec![id.clone()] } else { which };
                    if matches!(step.proposal, Proposal::Unknown(_)) {
                        trial.unknown.extend(which.iter().cloned());
                    }
                    left.extend(which.into_iter().map(|one| (one, causes.clone())));
                }
                Proposal::Fits(nodes) => trial.is_open |= nodes.len() > 1,
                Proposal::Evict(plan) | Proposal::Awaits(plan) => {
                    trial.is_open |= !plan.tied.is_empty();
                }
                Proposal::GroupFits(_) => {}
            }
            trial.is_open |= step.likelihood.is_some() || step.is_open;
            let beside = "no node takes it beside the other pods of its group";
            let left_out = step.left_out.iter().map(|pod| Unplaced::Pod(pod.full_name()));
            left.extend(left_out.map(|pod| (pod, vec![beside.to_owned()])));
            by_step.insert(id, left);
            for victim in step.proposal.plan().iter().flat_map(|plan| &plan.victims) {
                if victim.terminating_until.is_none() {
                    let is_lost =
                        matches!(victim.afterwards, Afterwards::Gone | Afterwards::Unknown);
                    victims.insert(victim.pod.full_name(), is_lost);
                }
            }
        }
        trial.evicted = victims.len();
        trial.left.extend(by_step.into_values().flatten());
        for (victim, _) in victims.into_iter().filter(|(_, is_lost)| *is_lost) {
            let why = "evicted, and no controller replaces it".to_owned();
            trial.left.insert(Unplaced::Pod(victim), vec![why]);
        }
        for refused in &simulation.refused {
            trial.left.insert(Unplaced::Pod(refused.pod.full_name()), vec![refused.why.clone()]);
        }
        for change in &simulation.changes {
            let Some(stop) = &change.stop else { continue };
            let why = "its rollout stops there".to_owned();
            trial.left.entry(Unplaced::Pod(stop.pod.clone())).or_insert_with(|| vec![why]);
            for pod in &change.unmade {
                let why = format!("not made: its rollout stops at {}", stop.pod);
                trial.left.entry(Unplaced::Pod(pod.full_name())).or_insert_with(|| vec![why]);
            }
        }
        if simulation.not_followed > 0 {
            let why = format!("{} are not followed: there are too many", simulation.not_followed);
            trial.left.insert(Unplaced::NotFollowed, vec![why]);
            trial.unknown.insert(Unplaced::NotFollowed);
        }
        let Self { left, unknown, .. } = &mut trial;
        unknown.retain(|one| left.contains_key(one));
        trial
    }

    /// How much is left: groups, and then everything. Of a group that fits pods may be left over,
    /// which is less than a group that does not.
    fn shortfall(&self) -> (usize, usize) {
        let groups = self.left.keys().filter(|one| matches!(one, Unplaced::Group(_)));
        (groups.count(), self.left.len())
    }
}

/// Why no smaller number is enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GrowthProof {
    /// Fewer are not enough wherever the pods go.
    Bound,
    /// Every smaller combination was played.
    Tried,
    /// It is the fewest found.
    BestFound,
}

/// New nodes with which every pod gets a node.
#[derive(Debug, Clone)]
pub struct Growth {
    /// How many pods get no node without new ones.
    pub left_now: usize,
    /// The kinds of which nodes are needed.
    pub nodes: Vec<NodesOfKind>,
    /// How many nodes are needed at least.
    pub at_least: usize,
    pub proof: GrowthProof,
    /// How many combinations of nodes were played.
    pub tried: usize,
    /// Where the limit comes from, if it does not come from what was played.
    pub bounds: Vec<Bound>,
    /// The pods that get no node with any number of nodes of these kinds, with what the nodes lack.
    /// The rest of the answer is about the others.
    pub left: BTreeMap<Unplaced, Vec<String>>,
    /// Those of them of which it is not known whether they get one.
    pub unknown: BTreeSet<Unplaced>,
    /// The most new nodes that were tried.
    pub most_tried: usize,
    /// How many pods are evicted with these nodes.
    pub evicted: usize,
    /// Whether a smaller combination that was played might do if kube-scheduler broke ties
    /// otherwise.
    pub is_open: bool,
    pub notes: Vec<Note>,
}

impl Growth {
    /// How many nodes were found to be enough.
    pub fn number(&self) -> usize {
        self.nodes.iter().map(|kind| kind.number).sum()
    }

    /// The pods that no new node helps.
    pub fn helpless(&self) -> impl Iterator<Item = (&Unplaced, &Vec<String>)> {
        self.left.iter().filter(|(one, _)| !self.unknown.contains(*one))
    }

    /// The pods of which it is not known whether they get a node, with what is not known.
    pub fn undecided(&self) -> impl Iterator<Item = (&Unplaced, &Vec<String>)> {
        self.left.iter().filter(|(one, _)| self.unknown.contains(*one))
    }
}

/// How many nodes of a kind, and why not one less.
#[derive(Debug, Clone)]
pub struct NodesOfKind {
    pub node: NewNode,
    pub number: usize,
    /// The pods that get no node with one less, with what the nodes lack.
    pub left_without: BTreeMap<Unplaced, Vec<String>>,
}

/// Whether a trial says of pods without a node what the nodes lack, which takes longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Explained {
    No,
    Yes,
}

/// Plays the simulation with so many new nodes of each kind.
pub type Play<'t, E> = dyn Fn(&[usize], Explained) -> Result<Trial, E> + Sync + 't;

/// Looks for the fewest new nodes of `kinds`. `members` says how many pods a group has, `bounds` how
/// many nodes are needed at least for every pod but those named. At most about `most` combinations
/// are played.
///
/// # Errors
/// Those of `play`.
pub fn search<E: Send>(
    kinds: &[NewNode],
    most: usize,
    play: &Play<E>,
    members: &dyn Fn(&str) -> usize,
    bounds: impl FnOnce(&BTreeSet<&Unplaced>) -> Result<Vec<Bound>, E>,
) -> Result<Growth, E> {
    let mut search = Search { kinds: kinds.len(), play, tried: BTreeMap::new(), most };
    let now = search.trial(&vec![0; kinds.len()])?;
    let (counts, saturated) = search.grow(&now, members)?;

    // What stays without a node there is nothing that nodes can help.
    let helpless: BTreeSet<&Unplaced> = saturated.left.keys().collect();
    let is_enough = |trial: &Trial| trial.left.keys().all(|one| helpless.contains(one));
    let mut found = search.trimmed(counts, &is_enough)?;

    // Where the bound is lower, every combination between is played, the smallest first.
    let number: usize = found.iter().sum();
    let mut bounds = if number == 0 { Vec::new() } else { bounds(&helpless)? };
    let mut bound: usize = bounds.iter().map(|bound| bound.at_least).sum();
    debug_assert!(bound <= number, "{number} nodes are enough: {bounds:?}");
    if bound > number {
        // What was played is right.
        (bounds, bound) = (Vec::new(), 0);
    }
    let mut at_least = bound.max(usize::from(!is_enough(&now)));
    let mut proof = GrowthProof::Bound;
    while at_least < found.iter().sum() {
        proof = GrowthProof::Tried;
        match search.all_of(at_least, &bounds, &is_enough)? {
            Outcome::Enough(counts) => found = counts,
            Outcome::NotEnough => at_least += 1,
            Outcome::NotTried => {
                proof = GrowthProof::BestFound;
                break;
            }
        }
    }
    if bound < found.iter().sum() && proof == GrowthProof::Bound {
        // That none is not enough was played.
        proof = GrowthProof::Tried;
    }

    // What is not known of a smaller combination is not ruled out.
    let number: usize = found.iter().sum();
    let open = search.tried.iter().filter(|(counts, trial)| {
        let mut left = trial.left.keys();
        !trial.unknown.is_empty()
            && bounds.iter().all(|bound| keeps_to(counts, bound))
            && left.all(|one| helpless.contains(one) || trial.unknown.contains(one))
    });
    let open = open.map(|(counts, _)| counts.iter().sum()).filter(|size| *size < number).min();
    if let Some(size) = open {
        (at_least, proof) = (at_least.min(size), GrowthProof::BestFound);
    }

    // The answer is played once more, for its evictions and for what one node less leaves.
    let answer = (search.play)(&found, Explained::Yes)?;
    let smaller = search.tried.iter().filter(|(counts, _)| counts.iter().sum::<usize>() < number);
    let is_open = smaller.clone().any(|(_, trial)| trial.is_open);
    let tried = search.tried.len();
    let most_tried = search.tried.keys().map(|counts| counts.iter().sum()).max();
    let mut nodes = Vec::new();
    for (kind, node) in kinds.iter().enumerate() {
        let Some((number, fewer)) = one_less(&found, kind) else { continue };
        let mut without = (search.play)(&fewer, Explained::Yes)?;
        without.left.retain(|one, _| !helpless.contains(one));
        nodes.push(NodesOfKind { node: node.clone(), number, left_without: without.left });
    }
    Ok(Growth {
        left_now: now.left.len(),
        nodes,
        at_least,
        proof,
        tried,
        bounds,
        left: answer.left,
        unknown: answer.unknown,
        most_tried: most_tried.unwrap_or_default(),
        evicted: answer.evicted,
        is_open: is_open && proof == GrowthProof::Tried,
        notes: answer.notes,
    })
}

/// The number of a kind that is there, and the combination with one less of it.
fn one_less(counts: &[usize], kind: usize) -> Option<(usize, Vec<usize>)> {
    let mut fewer = counts.to_vec();
    let here = fewer.get_mut(kind).filter(|number| **number > 0)?;
    let number = *here;
    *here -= 1;
    Some((number, fewer))
}

/// The combination with this many of a kind instead.
fn with(counts: &[usize], kind: usize, number: usize) -> Vec<usize> {
    let mut changed = counts.to_vec();
    if let Some(here) = changed.get_mut(kind) {
        *here = number;
    }
    changed
}

/// What came of all combinations of a size.
enum Outcome {
    Enough(Vec<usize>),
    NotEnough,
    NotTried,
}

struct Search<'t, E> {
    kinds: usize,
    play: &'t Play<'t, E>,
    tried: BTreeMap<Vec<usize>, Trial>,
    most: usize,
}

impl<E: Send> Search<'_, E> {
    fn trial(&mut self, counts: &[usize]) -> Result<Trial, E> {
        Ok(self.trials(&[counts.to_vec()])?.pop().unwrap_or_default())
    }

    /// Plays these combinations, unless they were.
    fn trials(&mut self, all: &[Vec<usize>]) -> Result<Vec<Trial>, E> {
        let tried = &self.tried;
        let new: Vec<&Vec<usize>> = all.iter().filter(|one| !tried.contains_key(*one)).collect();
        let played: Vec<Trial> =
            new.par_iter().map(|one| (self.play)(one, Explained::No)).collect::<Result<_, E>>()?;
        let played: Vec<(Vec<usize>, Trial)> = new.into_iter().cloned().zip(played).collect();
        self.tried.extend(played);
        Ok(all.iter().filter_map(|one| self.tried.get(one).cloned()).collect())
    }

    /// Adds nodes until no more pods get a node: each time of the kind that helps the most pods.
    fn grow(
        &mut self,
        now: &Trial,
        members: &dyn Fn(&str) -> usize,
    ) -> Result<(Vec<usize>, Trial), E> {
        let mut counts = vec![0; self.kinds];
        let mut current = now.clone();
        let mut step = 1;
        while !current.left.is_empty() {
            let mut options = Vec::new();
            for (kind, number) in counts.iter().enumerate() {
                options.push(with(&counts, kind, number + step));
            }
            // Pods that spread over zones may need a node in each before any of them gets one.
            options.push(counts.iter().map(|number| number + step).collect());
            let trials = self.trials(&options)?;
            let (Some((several, single)), Some(of_each)) = (trials.split_last(), options.pop())
            else {
                break;
            };
            let left = current.shortfall();
            let best = single.iter().enumerate().min_by_key(|(_, trial)| trial.shortfall());
            let Some((kind, trial)) = best.filter(|(_, trial)| trial.shortfall() < left) else {
                if several.shortfall() < left {
                    (counts, current, step) = (of_each, several.clone(), 1);
                    continue;
                }
                // A group may need a node for each of its pods before any of them gets one.
                let groups = current.left.keys().filter_map(|one| match one {
                    Unplaced::Group(name) => Some(members(name)),
                    Unplaced::Pod(_) | Unplaced::NotFollowed => None,
                });
                let most: usize = groups.sum();
                if step >= most {
                    break;
                }
                step = (step * 2).min(most);
                continue;
            };
            let helped = current.left.len().saturating_sub(trial.left.len());
            let here = counts.get(kind).copied().unwrap_or_default() + step;
            counts = with(&counts, kind, here);
            (current, step) = (trial.clone(), 1);

            // Half as many more as would be enough if each helped as much.
            let more = current.left.len().checked_div(helped).unwrap_or_default() / 2;
            if more > 1 {
                let further = with(&counts, kind, here + more);
                let trial = self.trial(&further)?;
                if current.left.len().saturating_sub(trial.left.len()) >= more {
                    (counts, current) = (further, trial);
                }
            }
        }
        Ok((counts, current))
    }

    /// Takes away the nodes that are not needed, of the largest kind first.
    fn trimmed(
        &mut self,
        mut counts: Vec<usize>,
        is_enough: &dyn Fn(&Trial) -> bool,
    ) -> Result<Vec<usize>, E> {
        for kind in (0..self.kinds).rev() {
            let mut cut = counts.get(kind).copied().unwrap_or_default();
            while cut > 0 {
                let number = counts.get(kind).copied().unwrap_or_default();
                let fewer = with(&counts, kind, number.saturating_sub(cut));
                if number >= cut && is_enough(&self.trial(&fewer)?) {
                    counts = fewer;
                } else {
                    cut /= 2;
                }
            }
        }
        Ok(counts)
    }

    /// Plays every combination of `size` nodes that keeps to the bounds.
    fn all_of(
        &mut self,
        size: usize,
        bounds: &[Bound],
        is_enough: &dyn Fn(&Trial) -> bool,
    ) -> Result<Outcome, E> {
        let left = self.most.saturating_sub(self.tried.len());
        let mut all = Vec::new();
        if !combinations(size, &vec![0; self.kinds], 0, bounds, left, &mut all) {
            return Ok(Outcome::NotTried);
        }
        let trials = self.trials(&all)?;
        let enough = all.into_iter().zip(&trials).find(|(_, trial)| is_enough(trial));
        Ok(enough.map_or(Outcome::NotEnough, |(counts, _)| Outcome::Enough(counts)))
    }
}

/// Adds to `all` every way to choose `size` nodes of the kinds from `kind` on. Returns whether these
/// are at most `most`.
fn combinations(
    size: usize,
    counts: &[usize],
    kind: usize,
    bounds: &[Bound],
    most: usize,
    all: &mut Vec<Vec<usize>>,
) -> bool {
    if kind + 1 >= counts.len() {
        let counts = with(counts, kind, size);
        if bounds.iter().all(|bound| keeps_to(&counts, bound)) {
            all.push(counts);
        }
        return all.len() <= most;
    }
    (0..=size).all(|here| {
        let counts = with(counts, kind, here);
        combinations(size - here, &counts, kind + 1, bounds, most, all)
    })
}

fn keeps_to(counts: &[usize], bound: &Bound) -> bool {
    let nodes = bound.kinds.iter().filter_map(|kind| counts.get(*kind));
    nodes.sum::<usize>() >= bound.at_least
}

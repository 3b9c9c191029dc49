//! The fewest new nodes with which every pod of a simulation gets a node.
//!
//! A number is only given if the simulation was played with that many nodes and placed everything.
//! That fewer are not enough is either a bound, which holds wherever pods go, or every smaller
//! combination was played, too.

pub mod bounds;

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use crate::plan::Afterwards;
use crate::planning::Proposal;
use crate::sequence::Simulation;
use crate::suggest::NewNode;
use bounds::Bound;
use model::notes::Note;

/// What a simulation leaves without a node.
#[derive(Debug, Clone, Default)]
pub struct Trial {
    /// The pods in question and the replacements that get no node, by name, with what the nodes
    /// lack.
    pub left: BTreeMap<String, Vec<String>>,
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
        let mut by_step: BTreeMap<String, Vec<(String, Vec<String>)>> = BTreeMap::new();
        let mut victims: BTreeMap<String, bool> = BTreeMap::new();
        for step in simulation.steps.iter().chain(&simulation.cascade) {
            let name = step.id.full_name();
            let mut left = Vec::new();
            match &step.proposal {
                Proposal::Impossible(why) | Proposal::Unknown(why) => {
                    let causes = if step.causes.is_empty() {
                        vec![why.clone()]
                    } else {
                        step.causes.clone()
                    };
                    left.push((name.clone(), causes));
                }
                Proposal::Fits(nodes) => trial.is_open |= nodes.len() > 1,
                Proposal::Evict(plan) | Proposal::Awaits(plan) => {
                    trial.is_open |= !plan.tied.is_empty();
                }
                Proposal::GroupFits(_) => {}
            }
            trial.is_open |= step.likelihood.is_some();
            let beside = "no node takes it beside the other pods of its group";
            left.extend(step.left_out.iter().map(|pod| (pod.full_name(), vec![beside.to_owned()])));
            by_step.insert(name, left);
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
            trial.left.insert(victim, vec!["evicted, and no controller replaces it".to_owned()]);
        }
        for refused in &simulation.refused {
            trial.left.insert(refused.pod.full_name(), vec![refused.why.clone()]);
        }
        for stop in simulation.changes.iter().filter_map(|change| change.stop.as_ref()) {
            let why = "its rollout stops there".to_owned();
            trial.left.entry(stop.pod.clone()).or_insert_with(|| vec![why]);
        }
        if simulation.not_followed > 0 {
            let name = format!("{} more replacements", simulation.not_followed);
            trial.left.insert(name, vec!["not followed: there are too many".to_owned()]);
        }
        trial
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
    /// The pods that no number of nodes of these kinds helps, with what the nodes lack. The rest of
    /// the answer is about the others.
    pub helpless: BTreeMap<String, Vec<String>>,
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
}

/// How many nodes of a kind, and why not one less.
#[derive(Debug, Clone)]
pub struct NodesOfKind {
    pub node: NewNode,
    pub number: usize,
    /// The pods that get no node with one less, with what the nodes lack.
    pub left_without: BTreeMap<String, Vec<String>>,
}

/// Whether a trial says of pods without a node what the nodes lack, which takes longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Explained {
    No,
    Yes,
}

/// Plays the simulation with so many new nodes of each kind.
pub type Play<'t, E> = dyn Fn(&[usize], Explained) -> Result<Trial, E> + Sync + 't;

/// Looks for the fewest new nodes of `kinds`. `bounds` says how many are needed at least for every
/// pod but those named. At most about `most` combinations are played.
///
/// # Errors
/// Those of `play`.
pub fn search<E: Send>(
    kinds: &[NewNode],
    most: usize,
    play: &Play<E>,
    bounds: impl FnOnce(&BTreeSet<&str>) -> Result<Vec<Bound>, E>,
) -> Result<Growth, E> {
    let mut search = Search { kinds: kinds.len(), play, tried: BTreeMap::new(), most };
    let now = search.trial(&vec![0; kinds.len()])?;
    let (counts, saturated) = search.grow(&now)?;

    // What stays without a node there is nothing that nodes can help.
    let helpless: BTreeSet<&str> = saturated.left.keys().map(String::as_str).collect();
    let is_enough = |trial: &Trial| trial.left.keys().all(|pod| helpless.contains(pod.as_str()));
    let mut found = search.trimmed(counts, &is_enough)?;

    // Where the bound is lower, every combination between is played, the smallest first.
    let bounds = if found.iter().sum::<usize>() == 0 { Vec::new() } else { bounds(&helpless)? };
    let bound: usize = bounds.iter().map(|bound| bound.at_least).sum();
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

    // The answer is played once more, for its evictions and for what one node less leaves.
    let number: usize = found.iter().sum();
    let answer = (search.play)(&found, Explained::Yes)?;
    let smaller = search.tried.iter().filter(|(counts, _)| counts.iter().sum::<usize>() < number);
    let is_open = smaller.clone().any(|(_, trial)| trial.is_open);
    let tried = search.tried.len();
    let mut nodes = Vec::new();
    for (kind, node) in kinds.iter().enumerate() {
        let Some((number, fewer)) = one_less(&found, kind) else { continue };
        let mut without = (search.play)(&fewer, Explained::Yes)?;
        without.left.retain(|pod, _| !helpless.contains(pod.as_str()));
        nodes.push(NodesOfKind { node: node.clone(), number, left_without: without.left });
    }
    Ok(Growth {
        left_now: now.left.len(),
        nodes,
        at_least,
        proof,
        tried,
        bounds,
        helpless: answer.left,
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
    fn grow(&mut self, now: &Trial) -> Result<(Vec<usize>, Trial), E> {
        let mut counts = vec![0; self.kinds];
        let mut current = now.clone();
        while !current.left.is_empty() {
            let left = current.left.len();
            let mut options = Vec::new();
            for (kind, number) in counts.iter().enumerate() {
                options.push(with(&counts, kind, number + 1));
            }
            // Pods that spread over zones may need a node in each before any of them gets one.
            options.push(counts.iter().map(|number| number + 1).collect());
            let trials = self.trials(&options)?;
            let Some((several, single)) = trials.split_last() else { break };
            let best = single.iter().enumerate().min_by_key(|(_, trial)| trial.left.len());
            let Some((kind, trial)) = best.filter(|(_, trial)| trial.left.len() < left) else {
                if several.left.len() >= left {
                    break;
                }
                current = several.clone();
                counts.iter_mut().for_each(|number| *number += 1);
                continue;
            };
            let here = counts.get(kind).copied().unwrap_or_default();
            counts = with(&counts, kind, here + 1);
            current = trial.clone();

            // Half as many more as would be enough if each helped as much.
            let more = current.left.len() / (left - current.left.len()) / 2;
            if more > 1 {
                let further = with(&counts, kind, here + 1 + more);
                let trial = self.trial(&further)?;
                if current.left.len() - trial.left.len().min(current.left.len()) >= more {
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
    let of = |kind: &usize| counts.get(*kind).copied().unwrap_or_default();
    bound.kinds.iter().map(of).sum::<usize>() >= bound.at_least
}

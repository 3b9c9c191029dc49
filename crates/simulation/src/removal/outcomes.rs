//! What happens to each pod of a drain, in one play and over the plays of all timings tried: what
//! is in the way in all of them, and what only in some.

use std::collections::{BTreeMap, BTreeSet};

use super::reasons::{self, RemovalObstacle};
use super::step_of;
use crate::plan::Afterwards;
use crate::planning::Proposal;
use crate::sequence::play::{DrainEnd, DrainPlay, DrainedPod};
use model::cluster::{Cluster, PodIx};

/// What finally happens to a pod of a drained node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DrainOutcome {
    /// Its replacement gets another node.
    Moves,
    /// Its replacement gets no node.
    NoNode,
    /// Its replacement returns to the drained node.
    ComesBack,
    /// It is unknown where its replacement goes.
    Unknown,
    /// Nothing creates it again.
    NotRecreated,
    /// A budget refuses its eviction throughout.
    Refused,
    /// It is terminating and long overdue.
    Stuck,
    /// It was terminating, and its replacement exists already.
    Ends,
}

impl DrainOutcome {
    pub fn of(pod: &DrainedPod, play: &DrainPlay) -> Self {
        match pod.end {
            DrainEnd::Refused(_) => return Self::Refused,
            DrainEnd::Stuck => return Self::Stuck,
            DrainEnd::Evicted { .. } => {}
        }
        let name = pod.victim.pod.full_name();
        match step_of(play, &pod.victim.pod).map(|step| &step.proposal) {
            Some(Proposal::Unknown(_)) => Self::Unknown,
            Some(Proposal::Impossible(_)) => Self::NoNode,
            Some(_) if play.back().contains(&name.as_str()) => Self::ComesBack,
            Some(_) if !play.places.contains_key(&name) => Self::NoNode,
            Some(_) => Self::Moves,
            None if play.places.contains_key(&name) => Self::Moves,
            None if pod.victim.afterwards == Afterwards::Gone => Self::NotRecreated,
            None => Self::Ends,
        }
    }

    /// Its name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Moves => "Moves",
            Self::NoNode => "NoNode",
            Self::ComesBack => "ComesBack",
            Self::Unknown => "Unknown",
            Self::NotRecreated => "NotRecreated",
            Self::Refused => "Refused",
            Self::Stuck => "Stuck",
            Self::Ends => "Ends",
        }
    }
}

/// In which orders of evictions and bindings something holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Holds {
    /// In every order; a rule shows it.
    EveryOrder,
    /// In all orders that were tried.
    OrdersTried,
    /// In some of them, or only if some replacements become Ready, or do not.
    SomeOrders,
}

impl Holds {
    /// Its name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::EveryOrder => "EveryOrder",
            Self::OrdersTried => "OrdersTried",
            Self::SomeOrders => "SomeOrders",
        }
    }
}

/// Something in the way of a drain, and in which orders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DrainObstacle {
    pub reason: RemovalObstacle,
    pub holds: Holds,
}

/// The pods of a drain that are alike: it makes no difference which of their replacements gets a
/// node.
struct Kinds<'c> {
    cluster: &'c Cluster,
    first: Vec<PodIx>,
    known: BTreeMap<String, usize>,
}

impl<'c> Kinds<'c> {
    /// The kinds of these pods of `cluster`, `ns/name`.
    fn of(names: impl Iterator<Item = String>, cluster: &'c Cluster) -> Self {
        let mut kinds = Self { cluster, first: Vec::new(), known: BTreeMap::new() };
        for name in names {
            kinds.add(name);
        }
        kinds
    }

    fn add(&mut self, name: String) {
        let pod_of_name =
            name.split_once('/').and_then(|(space, own)| self.cluster.find_pod(space, own));
        let Some(pod) = pod_of_name.filter(|_| !self.known.contains_key(&name)) else { return };
        let facts = self.cluster.pod(pod);
        let kind = self
            .first
            .iter()
            .position(|first| {
                let other = self.cluster.pod(*first);
                facts.readiness == other.readiness && facts.is_scheduled_like(other)
            })
            .unwrap_or_else(|| {
                self.first.push(pod);
                self.first.len() - 1
            });
        self.known.insert(name, kind);
    }

    /// How many pods of each kind get no node in a play.
    fn homeless(&self, play: &DrainPlay) -> Vec<usize> {
        let mut counts = vec![0; self.first.len()];
        for name in homeless_names(play) {
            let count = self.known.get(&name).and_then(|kind| counts.get_mut(*kind));
            if let Some(count) = count {
                *count += 1;
            }
        }
        counts
    }
}

/// The pods without a node at the end of a play, `ns/name`.
fn homeless_names(play: &DrainPlay) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for step in play.homeless() {
        match &step.proposal {
            Proposal::Impossible(_) => names.insert(step.id.full_name()),
            Proposal::Unknown(_) => false,
            _ => {
                names.extend(step.left_out.iter().map(crate::plan::PodId::full_name));
                false
            }
        };
    }
    names
}

/// What plays of different timings have in common, and how they differ.
pub(super) struct TimingComparison<'c> {
    plays: &'c [&'c DrainPlay],
    /// The play that is reported in detail.
    told: &'c DrainPlay,
    kinds: Kinds<'c>,
    /// The fewest and the most pods of each kind that get no node.
    homeless: Vec<(usize, usize)>,
}

impl<'c> TimingComparison<'c> {
    pub(super) fn new(
        plays: &'c [&'c DrainPlay],
        told: &'c DrainPlay,
        cluster: &'c Cluster,
    ) -> Self {
        let mut names: BTreeSet<String> = BTreeSet::new();
        for play in plays {
            names.extend(play.pods.iter().map(|pod| pod.victim.pod.full_name()));
            names.extend(homeless_names(play));
            names.extend(play.places.keys().cloned());
        }
        let kinds = Kinds::of(names.into_iter(), cluster);
        let counts: Vec<Vec<usize>> = plays.iter().map(|play| kinds.homeless(play)).collect();
        let homeless = (0..kinds.first.len()).map(|kind| {
            let of_kind = || counts.iter().filter_map(|play| play.get(kind)).copied();
            (of_kind().min().unwrap_or_default(), of_kind().max().unwrap_or_default())
        });
        let homeless = homeless.collect();
        Self { plays, told, kinds, homeless }
    }

    /// What else than in the reported play may happen to each pod of the node.
    pub(super) fn other_outcomes(&self) -> BTreeMap<String, BTreeSet<DrainOutcome>> {
        let mut outcomes_by_pod: BTreeMap<String, BTreeSet<DrainOutcome>> = BTreeMap::new();
        let own: BTreeSet<String> =
            self.told.pods.iter().map(|pod| pod.victim.pod.full_name()).collect();
        for play in self.plays {
            for pod in &play.pods {
                // A pod that comes to the node only in some orders is no pod of it.
                let name = pod.victim.pod.full_name();
                if own.contains(&name) {
                    outcomes_by_pod.entry(name).or_default().insert(DrainOutcome::of(pod, play));
                }
            }
        }

        // Of pods that are alike, any may be the one that gets no node.
        let mut of_kind: BTreeMap<usize, BTreeSet<DrainOutcome>> = BTreeMap::new();
        for (name, outcomes) in &outcomes_by_pod {
            if let Some(kind) = self.kinds.known.get(name) {
                of_kind.entry(*kind).or_default().extend(outcomes);
            }
        }
        for (name, outcomes) in &mut outcomes_by_pod {
            let Some(kind) = self.kinds.known.get(name) else { continue };
            let is_placement = |outcome: &DrainOutcome| {
                matches!(outcome, DrainOutcome::Moves | DrainOutcome::NoNode)
            };
            let differs = self.homeless.get(*kind).is_some_and(|(least, most)| least < most);
            let usual = self.told.pods.iter().find(|pod| pod.victim.pod.full_name() == *name);
            let usual = usual.map(|pod| DrainOutcome::of(pod, self.told));
            if differs && outcomes.iter().any(is_placement) {
                let all = of_kind.get(kind).into_iter().flatten();
                outcomes.extend(all.filter(|outcome| is_placement(outcome)));
            } else if !differs && usual.as_ref().is_some_and(is_placement) {
                outcomes.retain(|outcome| !is_placement(outcome));
            }
            if let Some(usual) = usual {
                outcomes.remove(&usual);
            }
        }
        outcomes_by_pod.retain(|_, outcomes| !outcomes.is_empty());
        outcomes_by_pod
    }

    /// What is in the way in some play, those of the reported play first.
    pub(super) fn obstacles(&self) -> Vec<DrainObstacle> {
        let mut plays: Vec<&DrainPlay> = vec![self.told];
        plays.extend(self.plays.iter().filter(|play| !std::ptr::eq(**play, self.told)));

        // Each reason pod by pod, as the pods differ between the plays.
        let mut counted: Vec<(RemovalObstacle, usize)> = Vec::new();
        for play in &plays {
            for reason in reasons::of(play).iter().flat_map(RemovalObstacle::by_pod) {
                match counted.iter_mut().find(|(other, _)| other.is_same(&reason)) {
                    Some((_, count)) => *count += 1,
                    None => counted.push((reason, 1)),
                }
            }
        }

        let mut obstacles: Vec<DrainObstacle> = Vec::new();
        let mut homeless: BTreeMap<usize, usize> = BTreeMap::new();
        for (reason, count) in counted {
            let kind = match &reason {
                RemovalObstacle::NoNode { pod, .. } => self.kinds.known.get(&pod.full_name()),
                _ => None,
            };
            let holds = if let Some(kind) = kind {
                // As many pods of a kind as get no node in each play always get none, whichever
                // they are.
                let (least, most) = self.homeless.get(*kind).copied().unwrap_or_default();
                let number = homeless.entry(*kind).or_default();
                *number += 1;
                if *number > most {
                    continue;
                }
                if *number <= least { Holds::OrdersTried } else { Holds::SomeOrders }
            } else if count < plays.len() {
                Holds::SomeOrders
            } else {
                Holds::OrdersTried
            };
            let together = obstacles
                .iter_mut()
                .find(|other| other.holds == holds && other.reason.is_of_same_budgets(&reason));
            match together {
                Some(other) => other.reason.add_pods(&reason),
                None => obstacles.push(DrainObstacle { reason, holds }),
            }
        }
        obstacles
    }
}

//! The nodes that a scheduler may pick, with their odds if it samples.

use std::collections::BTreeMap;

use model::cluster::NodeIx;

/// The nodes that the scheduler picks from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SamplingStage {
    /// The feasible nodes.
    Feasible,
    /// The candidates for preemption.
    Preemption,
}

/// The nodes that the scheduler may pick with sampling, with their probabilities.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Sampling {
    /// The nodes that it picks from.
    pub stage: SamplingStage,
    /// Whether it may stop before it has evaluated all nodes.
    pub sampled: bool,
    /// The number of starts that were evaluated; 1 if all of them lead to the same result.
    pub starts: usize,
    /// The number of nodes or candidates after which the scheduler stops.
    pub sample_size: usize,
    /// The nodes that it may pick, the most probable first. Their probabilities add up to 1. Empty
    /// if they take too long to compute.
    pub nodes: Vec<NodeProbability>,
    /// Whether these are all the nodes that it may pick. If not, only some starts were evaluated,
    /// or the scheduler's order of nodes is unknown.
    pub complete: bool,
    /// The number of nodes that it may pick: those in `nodes` if that is complete, or else the
    /// whole set.
    pub possible: usize,
}

/// The nodes that the scheduler may select or nominate.
#[derive(Debug, Clone, PartialEq)]
pub struct Selection {
    /// The most likely first, by name where they are equally likely.
    pub nodes: Vec<NodeIx>,
    /// How likely each of them is, where the scheduler samples nodes.
    pub odds: Option<Sampling>,
}

impl From<Vec<NodeIx>> for Selection {
    fn from(nodes: Vec<NodeIx>) -> Self {
        Self { nodes, odds: None }
    }
}

/// How likely the most likely node is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Likelihood {
    /// Its probability; `None` if it takes too long to compute.
    pub probability: Option<f64>,
    /// Whether the probability covers every start in the real order of nodes, as far as that is
    /// known.
    pub complete: bool,
    /// The number of nodes that the scheduler may pick.
    pub possible: usize,
}

/// The probability with which a node is picked.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeProbability {
    pub node: NodeIx,
    /// The number of starts with which it is one of the best nodes.
    pub best: usize,
    /// The number of these starts with which other nodes tie with it.
    pub tied: usize,
    /// The exact probability as a fraction in lowest terms; `None` if it does not fit in 64 bits.
    pub fraction: Option<(u64, u64)>,
    pub probability: f64,
}

/// The result of one or more starts.
pub(super) struct StartResult {
    /// The number of starts.
    pub(super) starts: usize,
    /// The best nodes, without duplicates.
    pub(super) best: Vec<NodeIx>,
}

/// What a scheduler that samples picks from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Picks {
    /// The nodes that the evaluated starts lead to.
    Listed,
    /// Any of this many nodes.
    AnyOf(usize),
}

impl Sampling {
    /// How likely the most likely node is.
    pub fn likelihood(&self) -> Likelihood {
        let probability = self.nodes.first().map(|share| share.probability);
        Likelihood { probability, complete: self.complete, possible: self.possible }
    }

    /// The scheduler picks one of this many nodes, and their odds take too long to compute.
    pub(super) fn unknown(stage: SamplingStage, sample_size: usize, possible: usize) -> Self {
        Self {
            stage,
            sampled: true,
            starts: 0,
            sample_size,
            nodes: Vec::new(),
            complete: false,
            possible,
        }
    }

    /// `from` is what the scheduler picks from; `None` if it looks at every node.
    pub(super) fn new(
        stage: SamplingStage,
        from: Option<Picks>,
        sample_size: usize,
        ends: &[StartResult],
    ) -> Self {
        let starts = ends.iter().map(|end| end.starts).sum();
        let places = ends
            .iter()
            .flat_map(|end| &end.best)
            .map(|node| node.0 as usize + 1)
            .max()
            .unwrap_or(0);
        // The number of starts, by node and by number of tied nodes. The latter seldom changes from
        // one start to the next.
        let mut shares: Vec<Vec<(usize, usize)>> = vec![Vec::new(); places];
        for StartResult { starts, best } in ends {
            for node in best {
                let Some(share) = shares.get_mut(node.0 as usize) else { continue };
                match share.last_mut() {
                    Some((equals, from)) if *equals == best.len() => *from += starts,
                    Some(_) | None => share.push((best.len(), *starts)),
                }
            }
        }
        let listed = shares.into_iter().zip(0..).filter(|(share, _)| !share.is_empty());
        let mut nodes: Vec<NodeProbability> = listed
            .map(|(share, node)| {
                let mut ties: BTreeMap<usize, usize> = BTreeMap::new();
                share
                    .into_iter()
                    .for_each(|(equals, from)| *ties.entry(equals).or_default() += from);
                NodeProbability::new(NodeIx(node), &ties, starts)
            })
            .collect();
        nodes.sort_by(|a, b| b.probability.total_cmp(&a.probability).then(a.node.cmp(&b.node)));
        let possible = match from {
            Some(Picks::AnyOf(possible)) => possible,
            Some(Picks::Listed) | None => nodes.len(),
        };
        let complete = !matches!(from, Some(Picks::AnyOf(_)));
        Self { stage, sampled: from.is_some(), starts, sample_size, nodes, complete, possible }
    }
}

impl NodeProbability {
    #[expect(
        clippy::cast_precision_loss,
        reason = "numbers of nodes are far from where that matters"
    )]
    fn new(node: NodeIx, ties: &BTreeMap<usize, usize>, starts: usize) -> Self {
        let probability =
            ties.iter().map(|(equals, from)| *from as f64 / *equals as f64).sum::<f64>()
                / starts as f64;
        let best = ties.values().sum();
        let tied = best - ties.get(&1).copied().unwrap_or(0);
        Self { node, best, tied, fraction: fraction(ties, starts), probability }
    }
}

/// The sum of `from / equals` divided by `starts`, as a fraction in lowest terms.
pub(super) fn fraction(ties: &BTreeMap<usize, usize>, starts: usize) -> Option<(u64, u64)> {
    let (mut above, mut below) = (0_u128, u128::try_from(starts).ok()?);
    for (equals, from) in ties {
        let (equals, from) = (u128::try_from(*equals).ok()?, u128::try_from(*from).ok()?);
        let own = equals.checked_mul(u128::try_from(starts).ok()?)?;
        let common = (below / greatest_common_divisor(below, own)).checked_mul(own)?;
        above = above.checked_mul(common / below)?.checked_add(from.checked_mul(common / own)?)?;
        below = common;
    }
    let common_divisor = greatest_common_divisor(above, below);
    Some((u64::try_from(above / common_divisor).ok()?, u64::try_from(below / common_divisor).ok()?))
}

/// The greatest common divisor; `b` is not 0.
pub(super) fn greatest_common_divisor(a: u128, b: u128) -> u128 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

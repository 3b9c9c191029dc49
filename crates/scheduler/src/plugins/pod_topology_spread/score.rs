//! Score of PodTopologySpread: the fewer matching pods in the node's domains, the better.
//!
//! Upstream: `pkg/scheduler/framework/plugins/podtopologyspread/scoring.go` (1.37).

use std::collections::BTreeSet;
use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};

use super::before_1_19::PlainCounts;
use super::constraint::Constraint;
use crate::framework::cluster_view::NodeInfo;
use crate::framework::failure::StepFailure;
use crate::framework::plugin::Cycle;
use crate::framework::plugin::MAX_NODE_SCORE;
use crate::framework::score::{CountsByNode, GroupedScore, NodeGroup, PreparedScore, Score};
use model::cluster::{NodeIx, Sym};
use profile::history::SpreadScore;

/// PreScore.
pub(super) fn prepare<'c>(cycle: &Cycle<'c>, feasible: &[NodeIx]) -> PreparedScore<'c> {
    let spread = &cycle.template.spread;
    let constraints = if spread.is_empty() {
        Ok(Constraint::defaults(cycle, false))
    } else {
        spread.iter().filter(|c| !c.hard).map(|c| Constraint::new(c, cycle)).collect()
    };
    match constraints {
        Ok(constraints) if constraints.is_empty() => PreparedScore::Skip,
        Ok(constraints) => evenness(cycle, constraints, feasible),
        Err(e) => {
            let context =
                "calculating preScoreState: obtaining pod's soft topology spread constraints";
            PreparedScore::failed(format!("{context}: {e}"))
        }
    }
}

/// The same where the scheduler never skips the score.
pub(super) fn prepare_without_pre_score<'c>(
    cycle: &Cycle<'c>,
    feasible: &[NodeIx],
) -> PreparedScore<'c> {
    match prepare(cycle, feasible) {
        // All nodes satisfy zero constraints equally well.
        PreparedScore::Skip => evenness(cycle, Vec::new(), feasible),
        prepared => prepared,
    }
}

fn evenness<'c>(
    cycle: &Cycle<'c>,
    constraints: Vec<Constraint>,
    feasible: &[NodeIx],
) -> PreparedScore<'c> {
    let features = &cycle.features().pod_topology_spread;
    // The scheduler's own defaults do not require every label: a cluster without zones still
    // spreads over hosts.
    let own = !cycle.template.spread.is_empty()
        || cycle.view.added_affinity.default_constraints.is_some();
    let all_labels = own || !features.spread_defaults_lenient;
    match features.spread_score {
        SpreadScore::PlainCounts => {
            PreparedScore::ready(PlainCounts::new(cycle, constraints, feasible))
        }
        SpreadScore::Truncated | SpreadScore::Rounded => {
            PreparedScore::ready(Evenness::new(cycle, constraints, all_labels, feasible))
        }
    }
}

/// Matching pods by domain.
#[derive(Default)]
struct Counts(IndexMap<Sym, i64, foldhash::fast::RandomState>);

/// Up to this many domains are found sooner one after the other.
const FEW_DOMAINS: usize = 8;

impl Counts {
    /// The number of a domain.
    fn number(&self, domain: Sym) -> Option<usize> {
        if self.0.len() > FEW_DOMAINS {
            self.0.get_index_of(&domain)
        } else {
            self.0.keys().position(|other| *other == domain)
        }
    }

    fn count(&self, domain: Sym) -> Option<i64> {
        Some(*self.0.get_index(self.number(domain)?)?.1)
    }

    fn count_mut(&mut self, domain: Sym) -> Option<&mut i64> {
        Some(self.0.get_index_mut(self.number(domain)?)?.1)
    }

    /// Adds a domain without pods, if it is new.
    fn add(&mut self, domain: Sym) {
        if self.number(domain).is_none() {
            self.0.insert(domain, 0);
        }
    }
}

/// A soft constraint with the counts of the domains of feasible nodes.
struct Weighed {
    constraint: Arc<Constraint>,
    domains: Domains,
    /// None for the hostname, whose domains are the nodes.
    counts: Counts,
    /// Matching pods by node, for the hostname.
    on_nodes: CountsByNode,
    /// Counts of many small domains weigh as much as those of a few large ones.
    weight: f64,
}

/// The domain of every node.
type Domains = Arc<Vec<Option<Sym>>>;

fn domain_of(node: NodeIx, domains: &Domains) -> Option<Sym> {
    domains.get(node.0 as usize).copied().flatten()
}

struct Evenness<'c> {
    cycle: Cycle<'c>,
    constraints: Vec<Weighed>,
    /// Feasible nodes without a required label.
    ignored: BTreeSet<NodeIx>,
    feasible: Vec<NodeIx>,
}

impl<'c> Evenness<'c> {
    fn new(
        cycle: &Cycle<'c>,
        constraints: Vec<Constraint>,
        all_labels: bool,
        feasible: &[NodeIx],
    ) -> Self {
        let view = cycle.view;
        let domains: Vec<Domains> =
            constraints.iter().map(|c| view.node_labels(c.topology_key)).collect();
        let is_ignored = |node: NodeIx| {
            all_labels && domains.iter().any(|domains| domain_of(node, domains).is_none())
        };
        let (ignored, taking_part): (Vec<NodeIx>, Vec<NodeIx>) =
            feasible.iter().copied().partition(|node| is_ignored(*node));
        // Pods count on all nodes with the labels, also on those that a filter has rejected.
        let mut weighed = Vec::with_capacity(constraints.len());
        for (constraint, domains) in constraints.into_iter().zip(domains.iter().cloned()) {
            weighed.push(Weighed::new(cycle, constraint, domains, &taking_part, &is_ignored));
        }
        Self {
            cycle: *cycle,
            constraints: weighed,
            ignored: ignored.into_iter().collect(),
            feasible: feasible.to_vec(),
        }
    }
}

impl Weighed {
    /// Counts the matching pods in the domains of the nodes that take part.
    fn new(
        cycle: &Cycle,
        constraint: Constraint,
        domains: Domains,
        taking_part: &[NodeIx],
        is_ignored: &impl Fn(NodeIx) -> bool,
    ) -> Self {
        let view = cycle.view;
        let mut counts = Counts::default();
        if constraint.topology_key == Sym::HOSTNAME {
            // Each node is a domain, and its pods are counted when it is scored.
            return Self {
                weight: weight(taking_part.len()),
                counts,
                on_nodes: match constraint.known_counts(cycle) {
                    Some(counts) => CountsByNode::Known(Arc::clone(counts)),
                    None => CountsByNode::new(view.infos().len()),
                },
                constraint: Arc::new(constraint),
                domains,
            };
        }
        for node in taking_part {
            counts.add(domain_of(*node, &domains).unwrap_or_default());
        }
        let known = constraint.known_counts(cycle).cloned();
        for (at, info) in view.infos().iter().enumerate() {
            // Most nodes have none of these pods.
            let has_none = known.as_ref().is_some_and(|known| known.get(at) == Some(&0));
            if has_none || is_ignored(info.node) {
                continue;
            }
            let domain = domain_of(info.node, &domains).unwrap_or_default();
            if constraint.includes(cycle, info.node)
                && let Some(count) = counts.count_mut(domain)
            {
                *count += constraint.count(cycle, info);
            }
        }
        Self {
            weight: weight(counts.0.len()),
            constraint: Arc::new(constraint),
            domains,
            counts,
            on_nodes: CountsByNode::new(0),
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "no cluster has that many domains")]
fn weight(domains: usize) -> f64 {
    ((domains + 2) as f64).ln()
}

impl Score for Evenness<'_> {
    #[expect(clippy::cast_precision_loss, reason = "upstream computes in float64, too")]
    fn score(&self, node: &NodeInfo) -> Result<i64, StepFailure> {
        if self.ignored.contains(&node.node) {
            return Ok(0);
        }
        let mut score = 0.0;
        for Weighed { constraint, domains, counts, on_nodes, weight } in &self.constraints {
            let Some(domain) = domain_of(node.node, domains) else { continue };
            let count = if constraint.topology_key == Sym::HOSTNAME {
                on_nodes.of(node, || constraint.count(&self.cycle, node))
            } else {
                counts.count(domain).unwrap_or(0)
            };
            score += count as f64 * weight + (constraint.max_skew - 1) as f64;
        }
        Ok(if self.cycle.features().pod_topology_spread.spread_score == SpreadScore::Rounded {
            score.round() as i64
        } else {
            score as i64
        })
    }

    fn normalize(&self, raw: &[i64]) -> Option<Vec<i64>> {
        let taking_part =
            || raw.iter().zip(&self.feasible).filter(|(_, node)| !self.ignored.contains(node));
        let least = taking_part().map(|(score, _)| *score).min().unwrap_or(0);
        let most = taking_part().map(|(score, _)| *score).max().unwrap_or(0).max(0);
        let evenness = raw.iter().zip(&self.feasible).map(|(score, node)| match most {
            _ if self.ignored.contains(node) => 0,
            0 => MAX_NODE_SCORE,
            _ => MAX_NODE_SCORE * (most + least - score) / most,
        });
        Some(evenness.collect())
    }

    fn narrowed(&self, feasible: &[NodeIx]) -> Option<Box<dyn Score + '_>> {
        let each: Vec<NodeGroup> =
            feasible.iter().map(|node| NodeGroup { first: *node, count: 1 }).collect();
        Some(GroupedScore::narrowed(self, &each))
    }

    fn grouped(&self) -> Option<&dyn GroupedScore> {
        Some(self)
    }
}

impl GroupedScore for Evenness<'_> {
    /// The domains of the node, but for its own, of which the count matters alone.
    fn add_key(&self, node: &NodeInfo, key: &mut Vec<i64>) {
        let is_ignored = self.ignored.contains(&node.node);
        key.push(i64::from(is_ignored));
        if is_ignored {
            return;
        }
        for Weighed { constraint, domains, counts, on_nodes, .. } in &self.constraints {
            let Some(domain) = domain_of(node.node, domains) else {
                key.push(-1);
                continue;
            };
            if constraint.topology_key == Sym::HOSTNAME {
                key.push(on_nodes.of(node, || constraint.count(&self.cycle, node)));
            } else {
                // Every domain of a feasible node was counted.
                let number = counts.number(domain);
                key.extend(number.and_then(|number| i64::try_from(number).ok()));
            }
        }
    }

    /// Their number is the weight of the hostname.
    fn counted(&self, groups: &[NodeGroup]) -> usize {
        let taking_part = groups.iter().filter(|group| !self.ignored.contains(&group.first));
        taking_part.map(|group| group.count).sum()
    }

    fn narrowed(&self, groups: &[NodeGroup]) -> Box<dyn Score + '_> {
        let is_ignored = |node: NodeIx| self.ignored.contains(&node);
        // Every domain of these nodes was counted, because they are among those of this state.
        let mut constraints = Vec::with_capacity(self.constraints.len());
        for Weighed { constraint, domains, counts, on_nodes, .. } in &self.constraints {
            let taking_part = groups.iter().filter(|group| !is_ignored(group.first));
            let (size, counts) = if constraint.topology_key == Sym::HOSTNAME {
                (taking_part.map(|group| group.count).sum(), Counts::default())
            } else {
                let present: IndexSet<Sym, foldhash::fast::RandomState> = taking_part
                    .map(|group| domain_of(group.first, domains).unwrap_or_default())
                    .collect();
                let counted = present.iter().map(|domain| Some((*domain, counts.count(*domain)?)));
                (present.len(), Counts(counted.flatten().collect()))
            };
            constraints.push(Weighed {
                constraint: Arc::clone(constraint),
                domains: Arc::clone(domains),
                counts,
                on_nodes: on_nodes.clone(),
                weight: weight(size),
            });
        }
        let feasible: Vec<NodeIx> = groups.iter().map(|group| group.first).collect();
        let ignored = feasible.iter().copied().filter(|node| is_ignored(*node)).collect();
        Box::new(Self { cycle: self.cycle, constraints, ignored, feasible })
    }
}

#[cfg(test)]
mod tests;

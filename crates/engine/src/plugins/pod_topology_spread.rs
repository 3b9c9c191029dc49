//! PodTopologySpread: with the pod, no domain holds more than `maxSkew` matching pods above the emptiest one.

mod constraint;
mod doubts;
mod legacy;
mod messages;
mod score;

use std::collections::BTreeMap;

use constraint::Constraint;
use indexmap::IndexMap;
use rayon::prelude::*;
use smallvec::SmallVec;

use crate::cluster::node::NodeIx;
use crate::cluster::pod::PodIx;
use crate::cluster::symbols::Sym;
use crate::framework::cluster_view::{NodeInfo, PARALLEL_FROM};
use crate::framework::plugin::{Cycle, ExtensionState, Filter, Plugin, Prepared, RuleDoc};
use crate::framework::score::{PreparedScore, ScorePlugin};
use crate::framework::status::{Code, Evidence, Verdict};
use crate::profile::Features;
use crate::profile::history::SpreadUpdate;

/// The plugin.
pub struct PodTopologySpread;

static DOC: RuleDoc = RuleDoc {
    name: "PodTopologySpread",
    code: "PRE-111",
    summary: "Every DoNotSchedule constraint holds with the pod on the node.",
    preemption: "Helps where evicting matching pods lowers the count of the node's domain; never without the label.",
    scores: Some("Prefers domains with few matching pods, by ScheduleAnyway constraints or the default ones."),
    messages: messages::ALL,
    retried_on: Some(
        "a pod is added, deleted or changes its labels, a node is added, deleted or changes labels or taints",
    ),
    source: "pkg/scheduler/framework/plugins/podtopologyspread/filtering.go (1.37)",
};

impl Plugin for PodTopologySpread {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn prepare<'c>(&self, cycle: &Cycle<'c>) -> Prepared<'c> {
        let constraints: Result<Vec<_>, String> = if cycle.template.spread.is_empty() {
            Ok(Constraint::defaults(cycle, true))
        } else {
            cycle.template.spread.iter().filter(|c| c.hard).map(|c| Constraint::new(c, cycle)).collect()
        };
        let constraints = constraints.map(|list| list.into_iter().map(Counted::new).collect::<Vec<_>>());
        let constraints = match constraints {
            Ok(constraints) if constraints.is_empty() => return Prepared::Skip,
            Ok(constraints) => constraints,
            Err(e) => {
                let context = "get constraints from pod: obtaining pod's hard topology spread constraints";
                return Prepared::Failed(format!("{context}: {e}"));
            }
        };
        let mut spread = Spread { cycle: *cycle, constraints };
        spread.count_pods();
        Prepared::ready(spread)
    }

    fn error_without_pre_filter(&self) -> Option<&'static str> {
        Some(r#"reading "PreFilterPodTopologySpread" from cycleState: not found"#)
    }

    fn error_without_extension_state(&self, skipped: bool, features: &Features) -> Option<&'static str> {
        self.error_without_pre_filter().filter(|_| !skipped || features.pod_topology_spread.spread_skips)
    }
}

impl ScorePlugin for PodTopologySpread {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn prepare<'c>(&self, cycle: &Cycle<'c>, feasible: &[NodeIx]) -> PreparedScore<'c> {
        score::prepare(cycle, feasible)
    }

    fn prepare_without_pre_score<'c>(&self, cycle: &Cycle<'c>, feasible: &[NodeIx]) -> PreparedScore<'c> {
        score::prepare_without_pre_score(cycle, feasible)
    }

    fn error_without_pre_score(&self, _: &str, _: &Cycle) -> Option<String> {
        Some(r#"error reading "PreScorePodTopologySpread" from cycleState: not found"#.to_owned())
    }
}

/// A constraint with the counts of its domains.
struct Counted {
    constraint: Constraint,
    /// Matching pods by domain.
    counts: IndexMap<Sym, i64, foldhash::fast::RandomState>,
    /// Number of domains by count.
    histogram: BTreeMap<i64, usize>,
}

impl Counted {
    fn new(constraint: Constraint) -> Self {
        Self { constraint, counts: IndexMap::default(), histogram: BTreeMap::new() }
    }

    /// Fewest matching pods of any domain, with `changes` applied.
    fn minimum(&self, changes: &Changes) -> i64 {
        let new = changes.iter().filter(|(domain, _)| !self.counts.contains_key(domain)).count();
        let domains = i64::try_from(self.counts.len() + new).unwrap_or(i64::MAX);
        if domains < self.constraint.min_domains {
            return 0;
        }
        let count = |domain: &Sym| self.counts.get(domain).copied();
        let unchanged = self.histogram.iter().find(|(value, domains)| {
            let changed = changes.iter().filter(|(domain, _)| count(domain) == Some(**value)).count();
            **domains > changed
        });
        let changed = changes.iter().map(|(domain, by)| count(domain).unwrap_or(0) + by);
        unchanged.map(|(value, _)| *value).into_iter().chain(changed).min().unwrap_or(i64::MAX)
    }
}

/// Domains whose count differs from the prepared one, and by how much.
type Changes = SmallVec<[(Sym, i64); 1]>;

struct Spread<'c> {
    cycle: Cycle<'c>,
    constraints: Vec<Counted>,
}

impl Spread<'_> {
    /// Counts matching pods of the pod's namespace per domain, terminating ones apart.
    fn count_pods(&mut self) {
        let eligible_only = self.cycle.features().pod_topology_spread.spread_counts_eligible_nodes;
        // By constraint: domain, pods in it, and whether the node makes it a domain that counts.
        let of_node = |info: &NodeInfo| -> Vec<Option<(Sym, i64, bool)>> {
            let domains = self.domains(info.node);
            let of_constraint = |c: &Counted| {
                let included = domains.is_some() && c.constraint.includes(&self.cycle, info.node);
                let label = self.cycle.view.node_label(info.node, c.constraint.topology_key);
                // Parity: where every node counts, one without the label counts as if the label were empty.
                let domain = if eligible_only { label? } else { label.unwrap_or(Sym::EMPTY) };
                (included || !eligible_only).then(|| (domain, c.constraint.count(&self.cycle, info), included))
            };
            self.constraints.iter().map(of_constraint).collect()
        };
        let infos = self.cycle.view.infos();
        let counts: Vec<_> = if infos.len() < PARALLEL_FROM {
            infos.iter().map(of_node).collect()
        } else {
            infos.par_iter().map(of_node).collect()
        };
        for (index, constraint) in self.constraints.iter_mut().enumerate() {
            let of_constraint = || counts.iter().filter_map(|node| *node.get(index)?);
            for (domain, ..) in of_constraint().filter(|(.., included)| *included) {
                constraint.counts.entry(domain).or_default();
            }
            for (domain, count, _) in of_constraint() {
                if let Some(sum) = constraint.counts.get_mut(&domain) {
                    *sum += count;
                }
            }
        }
        for constraint in &mut self.constraints {
            for count in constraint.counts.values() {
                *constraint.histogram.entry(*count).or_default() += 1;
            }
        }
    }

    /// The node's domain in every constraint; `None` if it lacks one of the labels.
    fn domains(&self, node: NodeIx) -> Option<SmallVec<[Sym; 4]>> {
        self.constraints.iter().map(|c| self.cycle.view.node_label(node, c.constraint.topology_key)).collect()
    }

    fn check_with(&self, node: NodeIx, changes: impl Fn(usize) -> Changes) -> Verdict {
        let nobody_counts = self.constraints.iter().all(|c| c.counts.is_empty());
        if nobody_counts && !self.cycle.features().pod_topology_spread.spread_unknown_key_refuses {
            return Verdict::Fits;
        }
        for (index, counted) in self.constraints.iter().enumerate() {
            let key = counted.constraint.topology_key;
            let Some(domain) = self.cycle.view.node_label(node, key) else {
                let evidence = Evidence::MissingLabel { key };
                return if self.cycle.features().pod_topology_spread.spread_missing_key_unresolvable {
                    Verdict::reject(Code::UnschedulableAndUnresolvable, messages::MISSING_LABEL.reason(), evidence)
                } else {
                    Verdict::reject(Code::Unschedulable, messages::SKEW.reason(), evidence)
                };
            };
            let changes = changes(index);
            let change = changes.iter().filter(|(d, _)| *d == domain).map(|(_, by)| by).sum::<i64>();
            let matching = counted.counts.get(&domain).copied().unwrap_or(0) + change;
            let minimum = counted.minimum(&changes);
            let (incoming, max_skew) = (counted.constraint.incoming, counted.constraint.max_skew);
            if matching + incoming - minimum > max_skew {
                let evidence = Evidence::Spread { key, domain, matching, minimum, incoming, max_skew };
                return Verdict::reject(Code::Unschedulable, messages::SKEW.reason(), evidence);
            }
        }
        Verdict::Fits
    }
}

impl Filter for Spread<'_> {
    fn check(&self, node: &NodeInfo) -> Verdict {
        self.check_with(node.node, |_| Changes::new())
    }

    fn extension_state<'f>(&'f self, node: &NodeInfo) -> Option<Box<dyn ExtensionState + 'f>> {
        let node = node.node;
        let domains = self.domains(node).unwrap_or_default();
        let checks = self.cycle.features().pod_topology_spread.spread_update == SpreadUpdate::CountedNodes;
        let counted = self.constraints.iter().map(|c| !checks || c.constraint.includes(&self.cycle, node)).collect();
        let changes = SmallVec::from_elem(0, self.constraints.len());
        Some(Box::new(NodeCounts { rule: self, node, domains, counted, changes, panics: false }))
    }
}

/// The counts while AddPod and RemovePod change the pods of one node.
struct NodeCounts<'f, 'c> {
    rule: &'f Spread<'c>,
    node: NodeIx,
    /// The node's domains; empty if it lacks a label, and then nothing counts.
    domains: SmallVec<[Sym; 4]>,
    /// By constraint: whether the node's pods count.
    counted: SmallVec<[bool; 4]>,
    /// By constraint: change of the count of the node's domain.
    changes: SmallVec<[i64; 4]>,
    /// Whether AddPod or RemovePod panics in this version of the scheduler.
    panics: bool,
}

impl NodeCounts<'_, '_> {
    /// Parity: upstream does not ask here whether the pod is terminating, nor whether the selector is `{}`, though such
    /// pods were never counted.
    fn update(&mut self, pod: PodIx, by: i64) {
        let pod = self.rule.cycle.cluster().pod(pod);
        if pod.namespace != self.rule.cycle.pod.namespace || self.domains.is_empty() {
            return;
        }
        let panics = self.rule.cycle.features().pod_topology_spread.spread_update == SpreadUpdate::Panic;
        let counted = self.rule.constraints.iter().zip(&self.counted).zip(&self.domains);
        for (((rule, counted), domain), change) in counted.zip(self.changes.iter_mut()) {
            if *counted && rule.constraint.selects(pod) {
                *change += by;
                self.panics |= panics && !rule.counts.contains_key(domain);
            }
        }
    }
}

impl ExtensionState for NodeCounts<'_, '_> {
    fn add_pod(&mut self, pod: PodIx) {
        self.update(pod, 1);
    }

    fn remove_pod(&mut self, pod: PodIx) {
        self.update(pod, -1);
    }

    fn check(&self, _: &NodeInfo) -> Verdict {
        self.rule.check_with(self.node, |index| {
            let change = self.domains.get(index).copied().zip(self.changes.get(index).copied());
            change.filter(|(_, by)| *by != 0).into_iter().collect()
        })
    }

    fn panics(&self) -> bool {
        self.panics
    }

    fn fork<'t>(&self) -> Box<dyn ExtensionState + 't>
    where
        Self: 't,
    {
        Box::new(Self {
            rule: self.rule,
            node: self.node,
            domains: self.domains.clone(),
            counted: self.counted.clone(),
            changes: self.changes.clone(),
            panics: self.panics,
        })
    }
}

#[cfg(test)]
mod tests;

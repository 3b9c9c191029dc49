//! PodTopologySpread: with the pod, no domain holds more than `maxSkew` matching pods above the emptiest one.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use rayon::prelude::*;
use smallvec::SmallVec;

use crate::cluster::node::NodeIx;
use crate::cluster::pod::{Pod, PodIx};
use crate::cluster::selector::{Selector, label};
use crate::cluster::symbols::Sym;
use crate::cluster::template::SpreadConstraint;
use crate::framework::plugin::{Cycle, Filter, Plugin, Prepared, RuleDoc, Trial};
use crate::framework::status::{Code, Evidence, Text, Verdict};
use crate::framework::world::{NodeInfo, PARALLEL_FROM};

/// Upstream's reason.
const SKEW: &str = "node(s) didn't match pod topology spread constraints";
/// Upstream's reason for a node without the topology label.
const MISSING_LABEL: &str = "node(s) didn't match pod topology spread constraints (missing required label)";

/// The plugin.
pub struct PodTopologySpread;

static DOC: RuleDoc = RuleDoc {
    name: "PodTopologySpread",
    summary: "Every DoNotSchedule constraint holds with the pod on the node.",
    preemption: "Helps where evicting matching pods lowers the count of the node's domain; never without the label.",
    source: "pkg/scheduler/framework/plugins/podtopologyspread/filtering.go (1.37)",
};

impl Plugin for PodTopologySpread {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn prepare<'c>(&self, cycle: &Cycle<'c>) -> Prepared<'c> {
        let mut constraints = Vec::new();
        for constraint in cycle.template.spread.iter().filter(|c| c.hard) {
            match Constraint::new(constraint, cycle) {
                Ok(constraint) => constraints.push(constraint),
                Err(e) => {
                    let context = "get constraints from pod: obtaining pod's hard topology spread constraints";
                    return Prepared::Failed(format!("{context}: {e}"));
                }
            }
        }
        if constraints.is_empty() {
            return Prepared::Skip;
        }
        let mut spread = Spread { cycle: *cycle, constraints };
        spread.count_pods();
        Prepared::ready(spread)
    }
}

/// A constraint with the counts of its domains.
struct Constraint<'c> {
    spec: &'c SpreadConstraint,
    selector: Selector,
    /// 1 if the incoming pod matches its own constraint.
    incoming: i64,
    /// By label set: whether pods with it match.
    matching: Vec<bool>,
    /// Matching pods by domain.
    counts: IndexMap<Sym, i64, foldhash::fast::RandomState>,
    /// Number of domains by count.
    histogram: BTreeMap<i64, usize>,
}

impl<'c> Constraint<'c> {
    fn new(spec: &'c SpreadConstraint, cycle: &Cycle<'c>) -> Result<Self, String> {
        let cluster = cycle.cluster();
        let own = cluster.labels(cycle.pod.labels);
        let keys = if cycle.features().spread_match_label_keys { &*spec.match_label_keys } else { &[] };
        let pairs: Vec<(Sym, Sym)> = keys.iter().filter_map(|key| Some((*key, label(own, *key)?))).collect();
        let selector = spec.selector.as_ref().map_err(ToString::to_string)?.and_labels(&pairs);
        let matching = cluster.label_sets.iter().map(|labels| selector.matches(labels)).collect();
        Ok(Self {
            spec,
            incoming: i64::from(selector.matches(own)),
            selector,
            matching,
            counts: IndexMap::default(),
            histogram: BTreeMap::new(),
        })
    }

    fn selects(&self, pod: &Pod) -> bool {
        self.matching.get(pod.labels.0 as usize).copied().unwrap_or(false)
    }

    /// Whether the node's pods are counted.
    fn includes(&self, cycle: &Cycle, node: NodeIx) -> bool {
        let cluster = cycle.cluster();
        let (node, template) = (cluster.node(node), cycle.template);
        (!self.spec.honors_affinity || template.selects(cluster.node_facts(node), &cluster.symbols))
            && (!self.spec.honors_taints
                || template
                    .untolerated(&node.taints, &cluster.symbols, cycle.features().toleration_comparison)
                    .is_none())
    }

    /// Fewest matching pods of any domain, with `changes` applied.
    fn minimum(&self, changes: &Changes) -> i64 {
        let new = changes.iter().filter(|(domain, _)| !self.counts.contains_key(domain)).count();
        let domains = i64::try_from(self.counts.len() + new).unwrap_or(i64::MAX);
        if domains < self.spec.min_domains {
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
    constraints: Vec<Constraint<'c>>,
}

impl Spread<'_> {
    /// Counts matching pods of the pod's namespace per domain, terminating ones apart.
    fn count_pods(&mut self) {
        let of_node = |info: &NodeInfo| -> Vec<Option<(Sym, i64)>> {
            let Some(domains) = self.domains(info.node) else { return Vec::new() };
            let counted = self.constraints.iter().zip(domains);
            counted
                .map(|(c, domain)| c.includes(&self.cycle, info.node).then(|| (domain, self.count_on(c, info))))
                .collect()
        };
        let infos = self.cycle.world.infos();
        let counts: Vec<_> = if infos.len() < PARALLEL_FROM {
            infos.iter().map(of_node).collect()
        } else {
            infos.par_iter().map(of_node).collect()
        };
        for node in counts {
            for (constraint, (domain, count)) in
                self.constraints.iter_mut().zip(node).filter_map(|(c, entry)| Some((c, entry?)))
            {
                *constraint.counts.entry(domain).or_default() += count;
            }
        }
        for constraint in &mut self.constraints {
            for count in constraint.counts.values() {
                *constraint.histogram.entry(*count).or_default() += 1;
            }
        }
    }

    fn count_on(&self, constraint: &Constraint, info: &NodeInfo) -> i64 {
        // Parity: `labelSelector: {}` counts nothing up to 1.37 (kubernetes/kubernetes#141339).
        if constraint.selector.is_everything() && !self.cycle.features().spread_counts_everything {
            return 0;
        }
        let cluster = self.cycle.cluster();
        let counted = |pod: &&PodIx| {
            let pod = cluster.pod(**pod);
            pod.namespace == self.cycle.pod.namespace && !pod.is_terminating() && constraint.selects(pod)
        };
        i64::try_from(info.pods.iter().filter(counted).count()).unwrap_or(i64::MAX)
    }

    /// The node's domain in every constraint; `None` if it lacks one of the labels.
    fn domains(&self, node: NodeIx) -> Option<SmallVec<[Sym; 4]>> {
        self.constraints.iter().map(|c| self.cycle.world.node_label(node, c.spec.topology_key)).collect()
    }

    fn check_with(&self, node: NodeIx, changes: impl Fn(usize) -> Changes) -> Verdict {
        for (index, constraint) in self.constraints.iter().enumerate() {
            let key = constraint.spec.topology_key;
            let Some(domain) = self.cycle.world.node_label(node, key) else {
                let (code, evidence) = (Code::UnschedulableAndUnresolvable, Evidence::MissingLabel { key });
                return Verdict::reject(code, Text::Fixed(MISSING_LABEL), evidence);
            };
            let changes = changes(index);
            let change = changes.iter().filter(|(d, _)| *d == domain).map(|(_, by)| by).sum::<i64>();
            let matching = constraint.counts.get(&domain).copied().unwrap_or(0) + change;
            let minimum = constraint.minimum(&changes);
            let (incoming, max_skew) = (constraint.incoming, constraint.spec.max_skew);
            if matching + incoming - minimum > max_skew {
                let evidence = Evidence::Spread { key, domain, matching, minimum, incoming, max_skew };
                return Verdict::reject(Code::Unschedulable, Text::Fixed(SKEW), evidence);
            }
        }
        Verdict::Fits
    }
}

impl Filter for Spread<'_> {
    fn check(&self, node: &NodeInfo) -> Verdict {
        self.check_with(node.node, |_| Changes::new())
    }

    fn trial<'f>(&'f self, node: &NodeInfo) -> Option<Box<dyn Trial + 'f>> {
        let node = node.node;
        let domains = self.domains(node).unwrap_or_default();
        let counted = self.constraints.iter().map(|c| c.includes(&self.cycle, node)).collect();
        let changes = SmallVec::from_elem(0, self.constraints.len());
        Some(Box::new(Recount { rule: self, node, domains, counted, changes }))
    }
}

/// Pods of one node coming and going.
struct Recount<'f, 'c> {
    rule: &'f Spread<'c>,
    node: NodeIx,
    /// The node's domains; empty if it lacks a label, and then nothing counts.
    domains: SmallVec<[Sym; 4]>,
    /// By constraint: whether the node's pods count.
    counted: SmallVec<[bool; 4]>,
    /// By constraint: change of the count of the node's domain.
    changes: SmallVec<[i64; 4]>,
}

impl Recount<'_, '_> {
    /// Parity: upstream does not ask here whether the pod is terminating, nor whether the selector is `{}`, though such
    /// pods were never counted.
    fn update(&mut self, pod: PodIx, by: i64) {
        let pod = self.rule.cycle.cluster().pod(pod);
        if pod.namespace != self.rule.cycle.pod.namespace || self.domains.is_empty() {
            return;
        }
        for ((constraint, counted), change) in
            self.rule.constraints.iter().zip(&self.counted).zip(self.changes.iter_mut())
        {
            if *counted && constraint.selects(pod) {
                *change += by;
            }
        }
    }
}

impl Trial for Recount<'_, '_> {
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

    fn fork<'t>(&self) -> Box<dyn Trial + 't>
    where
        Self: 't,
    {
        Box::new(Self {
            rule: self.rule,
            node: self.node,
            domains: self.domains.clone(),
            counted: self.counted.clone(),
            changes: self.changes.clone(),
        })
    }
}

#[cfg(test)]
#[path = "pod_topology_spread/tests.rs"]
mod tests;

//! PodTopologySpread: with the pod, no domain holds more than `maxSkew` matching pods above the
//! emptiest one.

mod before_1_19;
mod constraint;
mod critical_paths;
mod evidence;
mod score;

use std::sync::{Arc, OnceLock};

use indexmap::IndexMap;
use smallvec::SmallVec;

use crate::framework::cluster_view::{NodeInfo, PARALLEL_FROM};
use crate::framework::default_selector;
use crate::framework::doubts::{DoubtContext, Doubts, Reliance};
use crate::framework::evidence::{Evidence, Skew};
use crate::framework::operands::EmptiestDomain;
use crate::framework::plugin::{Cycle, ExtensionState, Filter, Plugin, Prepared, RuleDoc, Signer};
use crate::framework::reason::{Message, Obstacle, When};
use crate::framework::score::{PreparedScore, ScorePlugin};
use crate::framework::status::{Code, FilterVerdict};
use constraint::Constraint;
use critical_paths::CriticalPaths;
use evidence::MissingTopologyLabel;
use model::cluster::{Kind, NodeIx, Pod, PodIx, Sym};
use model::notes::Severity;
use model::parallel;
use profile::Features;
use profile::history::SpreadUpdate;

pub struct PodTopologySpread;

static DOC: RuleDoc = RuleDoc {
    name: "PodTopologySpread",
    code: "PRE-111",
    summary: "Every DoNotSchedule constraint holds with the pod on the node.",
    preemption: "Helps where evicting matching pods lowers the count of the node's domain; never without the label.",
    scores: Some(
        "Prefers domains with few matching pods, by ScheduleAnyway constraints or the default ones.",
    ),
    messages: ALL,
    retried_on: Some(
        "a pod is added, deleted or changes its labels, a node is added, deleted or changes labels or taints",
    ),
    source: "pkg/scheduler/framework/plugins/podtopologyspread/filtering.go (1.37)",
};

impl Signer for PodTopologySpread {
    fn shares_nothing(&self, cycle: &Cycle) -> bool {
        // By default every pod has the constraints of the profile.
        let defaults = cycle.view.profile.args.default_constraints.as_ref();
        defaults.is_none_or(|all| !all.is_empty()) || !cycle.template.spread.is_empty()
    }

    fn sees_alike(&self, _: &Cycle, _: &Pod) -> bool {
        true
    }
}

impl Plugin for PodTopologySpread {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn prepare<'c>(&self, cycle: &Cycle<'c>) -> Prepared<'c> {
        let constraints = hard_constraints(cycle);
        let constraints = constraints
            .map(|list| list.into_iter().map(|one| Counted::new(one, cycle)).collect::<Vec<_>>());
        let constraints = match constraints {
            Ok(constraints) if constraints.is_empty() => return Prepared::Skip,
            Ok(constraints) => constraints,
            Err(e) => {
                let context =
                    "get constraints from pod: obtaining pod's hard topology spread constraints";
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

    fn error_without_extension_state(
        &self,
        skipped: bool,
        features: &Features,
    ) -> Option<&'static str> {
        self.error_without_pre_filter()
            .filter(|_| !skipped || features.pod_topology_spread.spread_skips)
    }
}

impl ScorePlugin for PodTopologySpread {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn prepare<'c>(&self, cycle: &Cycle<'c>, feasible: &[NodeIx]) -> PreparedScore<'c> {
        score::prepare(cycle, feasible)
    }

    fn prepare_without_pre_score<'c>(
        &self,
        cycle: &Cycle<'c>,
        feasible: &[NodeIx],
    ) -> PreparedScore<'c> {
        score::prepare_without_pre_score(cycle, feasible)
    }

    fn error_without_pre_score(&self, _: &str, _: &Cycle) -> Option<String> {
        Some(r#"error reading "PreScorePodTopologySpread" from cycleState: not found"#.to_owned())
    }
}

/// A constraint that a pod counts for itself, with what it counts on each node.
#[derive(Debug, Clone)]
pub struct SpreadLimit {
    pub topology_key: Sym,
    pub max_skew: i64,
    /// By node; `None` for nodes without the labels of all constraints, which are rejected.
    pub nodes: Vec<Option<SpreadNode>>,
    /// The pods that count if they are on a counted node.
    pub selected: Vec<PodIx>,
}

/// What a node is to a constraint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpreadNode {
    pub domain: Sym,
    pub matching: i64,
    /// Whether its domain exists because of it.
    pub is_eligible: bool,
}

/// The `DoNotSchedule` constraints of the pod of a cycle that select the pod itself, so that each pod
/// like it leaves less room for the next one.
pub fn limits(cycle: &Cycle) -> Vec<SpreadLimit> {
    let Ok(constraints) = hard_constraints(cycle) else { return Vec::new() };
    let constraints = constraints.into_iter().map(|one| Counted::new(one, cycle)).collect();
    let spread = Spread { cycle: *cycle, constraints };
    let cluster = cycle.cluster();
    let mut limits = Vec::new();
    for (index, Counted { constraint, .. }) in spread.constraints.iter().enumerate() {
        if constraint.incoming == 0 {
            continue;
        }
        let mut nodes = Vec::with_capacity(cycle.view.infos().len());
        for info in cycle.view.infos() {
            let domain = spread.domains(info.node).and_then(|all| all.get(index).copied());
            let counted = spread.count_on(index, info);
            nodes.push(domain.map(|domain| SpreadNode {
                domain,
                matching: counted.as_ref().map_or(0, |counted| counted.matching),
                is_eligible: counted.is_some_and(|counted| counted.eligible),
            }));
        }
        let is_selected = |pod: &PodIx| {
            let facts = cluster.pod(*pod);
            facts.namespace == cycle.pod.namespace && constraint.selects(facts, cycle)
        };
        limits.push(SpreadLimit {
            topology_key: constraint.topology_key,
            max_skew: constraint.max_skew,
            nodes,
            selected: cluster.pod_indices().filter(is_selected).collect(),
        });
    }
    limits
}

/// The `DoNotSchedule` constraints of a pod, its own or those of the profile.
fn hard_constraints(cycle: &Cycle) -> Result<Vec<Constraint>, String> {
    if cycle.template.spread.is_empty() {
        return Ok(Constraint::defaults(cycle, true));
    }
    cycle.template.spread.iter().filter(|c| c.hard).map(|c| Constraint::new(c, cycle)).collect()
}

/// A constraint with the counts of its domains.
struct Counted {
    constraint: Constraint,
    /// The label of every node that names its domain.
    labels: Arc<Vec<Option<Sym>>>,
    /// Matching pods by domain.
    counts: IndexMap<Sym, i64, foldhash::fast::RandomState>,
    /// The domains with the fewest matching pods.
    fewest: CriticalPaths,
    /// One of these domains, found when a node is first rejected.
    emptiest: OnceLock<Option<EmptiestDomain>>,
}

impl Counted {
    fn new(constraint: Constraint, cycle: &Cycle) -> Self {
        Self {
            labels: cycle.view.node_labels(constraint.topology_key),
            constraint,
            counts: IndexMap::default(),
            fewest: CriticalPaths::of(std::iter::empty()),
            emptiest: OnceLock::new(),
        }
    }

    /// Nothing changed.
    fn unchanged(&self) -> Changes {
        Changes { by: SmallVec::new(), fewest: self.fewest.clone() }
    }

    /// Matching pods in a domain, with `changes` applied.
    fn count(&self, domain: Sym, changes: &Changes) -> i64 {
        let change =
            changes.by.iter().find(|(changed, _)| *changed == domain).map_or(0, |(_, by)| *by);
        self.counts.get(&domain).copied().unwrap_or(0) + change
    }

    /// Minimum of matching pods over all domains, with `changes` applied.
    fn minimum(&self, changes: &Changes) -> i64 {
        if self.has_enough_domains(changes) { changes.fewest.minimum() } else { 0 }
    }

    fn has_enough_domains(&self, changes: &Changes) -> bool {
        i64::try_from(self.domains(changes)).unwrap_or(i64::MAX) >= self.constraint.min_domains
    }

    /// How many domains count, with `changes` applied.
    fn domains(&self, changes: &Changes) -> usize {
        let new = changes.by.iter().filter(|(domain, _)| !self.counts.contains_key(domain)).count();
        self.counts.len() + new
    }

    /// Whether the verdict for a domain depends on which of several domains with the fewest pods
    /// the scheduler tracks.
    fn is_order_dependent(&self, domain: Sym, changes: &Changes) -> bool {
        // If too few domains count, the minimum is 0 whichever are tracked.
        if !self.has_enough_domains(changes) {
            return false;
        }
        let Some(mut minima) = changes.fewest.minima() else { return true };
        let with_pod = self.count(domain, changes) + self.constraint.incoming;
        let max_skew = self.constraint.max_skew;
        let rejects = with_pod - changes.fewest.minimum() > max_skew;
        minima.any(|minimum| (with_pod - minimum > max_skew) != rejects)
    }

    /// Counts a matching pod that is added to a domain or removed from it.
    fn change(&self, changes: &mut Changes, domain: Sym, by: i64) {
        let earlier = changes.by.iter_mut().find(|(changed, _)| *changed == domain);
        let before = if earlier.is_none() { self.counts.get(&domain).copied() } else { None };
        if let Some((_, sum)) = earlier {
            *sum += by;
        } else {
            changes.by.push((domain, by));
        }
        changes.fewest.update(domain, self.count(domain, changes), before);
    }
}

/// Differences from the prepared counts of a constraint.
#[derive(Clone)]
struct Changes {
    /// Domains with a different count, and the difference.
    by: SmallVec<[(Sym, i64); 1]>,
    /// The domains with the fewest matching pods.
    fewest: CriticalPaths,
}

fn label_of(node: NodeIx, labels: &[Option<Sym>]) -> Option<Sym> {
    labels.get(node.0 as usize).copied().flatten()
}

struct Spread<'c> {
    cycle: Cycle<'c>,
    constraints: Vec<Counted>,
}

/// What a node adds to the count of a constraint.
struct NodeCount {
    domain: Sym,
    matching: i64,
    /// Whether the node has the labels of all constraints, and the constraint's policies include
    /// it.
    eligible: bool,
}

impl Spread<'_> {
    /// Counts the matching pods of the pod's namespace by domain, without terminating ones.
    fn count_pods(&mut self) {
        // What each node adds to each constraint does not depend on the other nodes. Where decisions
        // are remembered, there is little to do for each node.
        let view = self.cycle.view;
        let least = if view.known_nodes.is_some() { usize::MAX } else { PARALLEL_FROM };
        let mut by_constraint: Vec<Vec<Option<NodeCount>>> = Vec::new();
        for index in 0..self.constraints.len() {
            by_constraint
                .push(parallel::map(view.infos(), least, |info| self.count_on(index, info)));
        }

        for (counted, on_nodes) in self.constraints.iter_mut().zip(by_constraint) {
            // A domain exists if it has an eligible node, even one without matching pods: it then
            // has the fewest.
            for node in on_nodes.iter().flatten().filter(|node| node.eligible) {
                counted.counts.entry(node.domain).or_default();
            }
            // Pods on nodes that are not eligible count only in a domain that exists anyway.
            for node in on_nodes.iter().flatten() {
                if let Some(sum) = counted.counts.get_mut(&node.domain) {
                    *sum += node.matching;
                }
            }
            counted.fewest =
                CriticalPaths::of(counted.counts.iter().map(|(domain, count)| (*domain, *count)));
        }
    }

    /// What a node adds to the count of a constraint; `None` if its pods are not counted.
    fn count_on(&self, index: usize, info: &NodeInfo) -> Option<NodeCount> {
        let eligible_only = self.cycle.features().pod_topology_spread.spread_counts_eligible_nodes;
        let Counted { constraint, labels, .. } = self.constraints.get(index)?;
        let has_all_labels =
            self.constraints.iter().all(|other| label_of(info.node, &other.labels).is_some());
        let eligible = has_all_labels && constraint.includes(&self.cycle, info.node);
        let label = label_of(info.node, labels);
        let domain = if eligible_only {
            label.filter(|_| eligible)?
        } else {
            // Parity: if every node counts, one without the label counts as if the label were
            // empty.
            label.unwrap_or(Sym::EMPTY)
        };
        Some(NodeCount { domain, matching: constraint.count(&self.cycle, info), eligible })
    }

    /// The node's domain in every constraint; `None` if it lacks one of the labels.
    fn domains(&self, node: NodeIx) -> Option<SmallVec<[Sym; 4]>> {
        self.constraints.iter().map(|counted| label_of(node, &counted.labels)).collect()
    }

    /// By constraint: the domain of a node, if pods on the node count; empty if the node lacks a
    /// label.
    fn counted_domains(&self, node: NodeIx) -> SmallVec<[Option<Sym>; 4]> {
        let mut counted_domains = SmallVec::new();
        // Parity: some versions also update the count for nodes that were not counted initially.
        let only_counted =
            self.cycle.features().pod_topology_spread.spread_update == SpreadUpdate::CountedNodes;
        for (counted, domain) in self.constraints.iter().zip(self.domains(node).unwrap_or_default())
        {
            let counts = !only_counted || counted.constraint.includes(&self.cycle, node);
            counted_domains.push(counts.then_some(domain));
        }
        counted_domains
    }

    /// Whether there is nothing to compare.
    fn holds_everywhere(&self) -> bool {
        let nobody_counts = self.constraints.iter().all(|c| c.counts.is_empty());
        nobody_counts && !self.cycle.features().pod_topology_spread.spread_unknown_key_refuses
    }

    fn check_with(
        &self,
        node: NodeIx,
        changes: impl Fn(usize, &Counted) -> Changes,
    ) -> FilterVerdict {
        if self.holds_everywhere() {
            return FilterVerdict::Fits;
        }
        for (index, counted) in self.constraints.iter().enumerate() {
            let key = counted.constraint.topology_key;
            let Some(domain) = label_of(node, &counted.labels) else {
                let evidence = MissingTopologyLabel { key }.grounds();
                return if self.cycle.features().pod_topology_spread.spread_missing_key_unresolvable
                {
                    FilterVerdict::reject(
                        Code::UnschedulableAndUnresolvable,
                        MISSING_LABEL.reason(),
                        evidence,
                    )
                } else {
                    FilterVerdict::reject(Code::Unschedulable, SKEW.reason(), evidence)
                };
            };
            let changes = changes(index, counted);
            let matching = counted.count(domain, &changes);
            let minimum = counted.minimum(&changes);
            let (incoming, max_skew) = (counted.constraint.incoming, counted.constraint.max_skew);
            if matching + incoming - minimum > max_skew {
                let fewest = critical_paths::fewest(counted, &changes, &self.cycle);
                let skew = Skew { key, domain, matching, minimum, incoming, max_skew, fewest };
                let text = SKEW.reason();
                return FilterVerdict::reject(Code::Unschedulable, text, skew.grounds());
            }
        }
        FilterVerdict::Fits
    }
}

impl Filter for Spread<'_> {
    fn check(&self, node: &NodeInfo) -> FilterVerdict {
        self.check_with(node.node, |_, counted| counted.unchanged())
    }

    fn fits(&self, node: &NodeInfo) -> bool {
        let holds = |counted: &Counted| {
            let Some(domain) = label_of(node.node, &counted.labels) else { return false };
            let Constraint { incoming, max_skew, .. } = counted.constraint;
            let unchanged = counted.unchanged();
            let matching = counted.count(domain, &unchanged);
            matching + incoming - counted.minimum(&unchanged) <= max_skew
        };
        self.holds_everywhere() || self.constraints.iter().all(holds)
    }

    fn extension_state<'f>(&'f self, node: &NodeInfo) -> Option<Box<dyn ExtensionState + 'f>> {
        let node = node.node;
        let changes = self.constraints.iter().map(Counted::unchanged).collect();
        Some(Box::new(NodeCounts {
            rule: self,
            node,
            domains: self.counted_domains(node),
            changes,
            panics: false,
        }))
    }
}

/// The counts for one node while AddPod and RemovePod change the pods of nodes.
struct NodeCounts<'f, 'c> {
    rule: &'f Spread<'c>,
    node: NodeIx,
    domains: SmallVec<[Option<Sym>; 4]>,
    /// By constraint.
    changes: SmallVec<[Changes; 2]>,
    /// Whether AddPod or RemovePod panics in this version of the scheduler.
    panics: bool,
}

impl NodeCounts<'_, '_> {
    /// Parity: upstream does not check here whether the pod is terminating or the selector is `{}`,
    /// though such pods were never counted.
    fn update(&mut self, pod: PodIx, node: NodeIx, by: i64) {
        let elsewhere = (node != self.node).then(|| self.rule.counted_domains(node));
        // Parity: the release that looks up a domain without checking that it exists panics.
        let panics =
            self.rule.cycle.features().pod_topology_spread.spread_update == SpreadUpdate::Panic;
        for (index, domain) in
            self.rule.contributions(pod, elsewhere.as_ref().unwrap_or(&self.domains))
        {
            if let (Some(rule), Some(changes)) =
                (self.rule.constraints.get(index), self.changes.get_mut(index))
            {
                rule.change(changes, domain, by);
                self.panics |= panics && !rule.counts.contains_key(&domain);
            }
        }
    }
}

impl Spread<'_> {
    /// The constraints for which a pod counts, with its domain, on a node with these domains.
    fn contributions(&self, pod: PodIx, domains: &[Option<Sym>]) -> SmallVec<[(usize, Sym); 2]> {
        let cluster = self.cycle.cluster();
        let pod = cluster.pod(pod);
        let mut contributions = SmallVec::new();
        if pod.namespace != self.cycle.pod.namespace {
            return contributions;
        }
        for (index, (counted, domain)) in self.constraints.iter().zip(domains).enumerate() {
            if let Some(domain) = domain
                && counted.constraint.selects(pod, &self.cycle)
            {
                contributions.push((index, *domain));
            }
        }
        contributions
    }
}

impl ExtensionState for NodeCounts<'_, '_> {
    fn add_pod(&mut self, pod: PodIx, node: NodeIx) {
        self.update(pod, node, 1);
    }

    fn remove_pod(&mut self, pod: PodIx, node: NodeIx) {
        self.update(pod, node, -1);
    }

    fn depends_on(&self, pod: PodIx, node: NodeIx) -> bool {
        !self.rule.contributions(pod, &self.rule.counted_domains(node)).is_empty()
    }

    fn check(&self, _: &NodeInfo) -> FilterVerdict {
        self.rule.check_with(self.node, |index, counted| {
            self.changes.get(index).cloned().unwrap_or_else(|| counted.unchanged())
        })
    }

    fn panics(&self) -> bool {
        self.panics
    }

    fn is_order_dependent(&self) -> bool {
        self.rule.constraints.iter().zip(&self.changes).any(|(counted, changes)| {
            let domain =
                self.rule.cycle.view.node_label(self.node, counted.constraint.topology_key);
            domain.is_some_and(|domain| counted.is_order_dependent(domain, changes))
        })
    }

    fn fork<'t>(&self) -> Box<dyn ExtensionState + 't>
    where
        Self: 't,
    {
        Box::new(Self {
            rule: self.rule,
            node: self.node,
            domains: self.domains.clone(),
            changes: self.changes.clone(),
            panics: self.panics,
        })
    }
}

/// All of them.
static ALL: &[&Message] = &[&SKEW, &MISSING_LABEL];

static SKEW: Message = Message {
    code: "PRE-221",
    text: "node(s) didn't match pod topology spread constraints",
    meaning: "With this pod, the node's domain would hold more matching pods than the emptiest domain by more than maxSkew.",
    preemption: "Helps where evicting matching pods lowers the count of the node's domain.",
    remedy: "raise maxSkew, free or add nodes in the emptier domains, or set whenUnsatisfiable: ScheduleAnyway",
    obstacle: Obstacle::Spread,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/podtopologyspread/filtering.go (1.37)",
};

static MISSING_LABEL: Message = Message {
    code: "PRE-222",
    text: "node(s) didn't match pod topology spread constraints (missing required label)",
    meaning: "The node lacks the label that defines the domains of a spread constraint (topologyKey).",
    preemption: "Never: no eviction labels a node.",
    remedy: "label the node with the topologyKey, or change the constraint",
    obstacle: Obstacle::NodeLabels,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/podtopologyspread/filtering.go (1.37)",
};

impl Doubts for PodTopologySpread {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn relies_on(&self, kind: Kind, context: &DoubtContext) -> Option<Reliance> {
        if !default_selector::READS.contains(&kind) || !context.cycle.template.spread.is_empty() {
            return None;
        }
        let configured = context.cycle.view.added_affinity.default_constraints.as_deref();
        if configured.into_iter().flatten().any(|constraint| constraint.hard) {
            let effect =
                "default constraints spread the pods that they select, and reject nodes for it";
            return Some(Reliance::partial(Severity::Error, effect));
        }
        let defaults = match configured {
            Some(constraints) => !constraints.is_empty(),
            None => context.cycle.features().pod_topology_spread.spread_system_defaults,
        };
        let effect = "the pods that they select are spread: another node may score best";
        (defaults && context.scores_decide()).then_some(Reliance::partial(Severity::Error, effect))
    }
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod doubts_tests {
    use crate::testing::{node, objects, pod, without};

    #[test]
    fn services_and_controllers_matter_to_default_spreading() {
        let two = || objects![node("a"), node("b")];
        for resource in ["services", "replicationcontrollers", "replicasets", "statefulsets"] {
            for (version, objects, expected) in [
                ("1.37", [two(), objects![pod("p")]].concat(), "error"),
                (
                    "1.37",
                    [two(), objects![pod("p").spread("zone", 1, "app", "a")]].concat(),
                    "info",
                ),
                ("1.37", objects![node("a"), pod("p")], "info"),
            ] {
                assert_eq!(without(version, resource, objects), expected, "{version} {resource}");
            }
        }
    }
}

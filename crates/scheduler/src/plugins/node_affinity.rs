//! `NodeAffinity`: `nodeSelector` and required node affinity select the node.

use std::collections::BTreeSet;

use crate::framework::asked_label::{AskedLabel, unmet_json};
use crate::framework::cluster_view::NodeInfo;
use crate::framework::cluster_view::known_nodes::ScoreKey;
use crate::framework::evidence::{Evidence, Fact, Grounds, Nearness, Obstruction, RejectedOn};
use crate::framework::failure::StepFailure;
use crate::framework::operands::MissingPair;
use crate::framework::plugin::{Cycle, Filter, OnlyNodes, Plugin, Prepared, RuleDoc, Signer};
use crate::framework::reason::{Message, Obstacle, When};
use crate::framework::score::{PreparedScore, Score, ScorePlugin, normalize_by_max};
use crate::framework::selector_error::preferred_terms_error;
use crate::framework::status::{Code, FilterVerdict, Rejection};
use json::evidence::{Evidence as JsonEvidence, UnmetExpression};
use model::cluster::node_selector::unmet::{self, TermPart, Unmet};
use model::cluster::node_selector::{NodeFacts, NodeTerm};
use model::cluster::selector::label;
use model::cluster::symbols::Symbols;
use model::cluster::{Cluster, NodeIx, Pod, Sym};
use model::words;
use profile::history::NodeAffinityText;

pub struct NodeAffinity;

static DOC: RuleDoc = RuleDoc {
    name: "NodeAffinity",
    code: "PRE-104",
    summary: "The node has every label of spec.nodeSelector and matches a term of the required node affinity.",
    preemption: "Never helps: no eviction changes a node's labels.",
    scores: Some(
        "Prefers nodes that match preferred node affinity terms, by the sum of their weights.",
    ),
    messages: ALL,
    retried_on: Some("a node is added or its labels change"),
    source: "pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go (1.37)",
};

/// The most nodes that are named.
const NAMED: usize = 3;

impl Signer for NodeAffinity {
    fn sees_alike(&self, cycle: &Cycle, other: &Pod) -> bool {
        let (own, template) = (cycle.template, cycle.cluster().template(other));
        own.node_selector == template.node_selector
            && own.node_affinity == template.node_affinity
            && own.preferred_nodes == template.preferred_nodes
    }
}

impl Plugin for NodeAffinity {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn prepare<'c>(&self, cycle: &Cycle<'c>) -> Prepared<'c> {
        let template = cycle.template;
        let added = &cycle.view.added_affinity.required_nodes;
        if template.node_selector.is_none() && template.node_affinity.is_none() && added.is_none() {
            return Prepared::Skip;
        }
        let features = &cycle.features().node_affinity;
        let narrows = features.node_affinity_narrows
            && cycle.view.profile.plugins.pre_filter.contains(&DOC.name);
        let terms = template.node_affinity.as_ref().filter(|_| narrows);
        let only = terms.and_then(|terms| names(terms, features.affinity_conflict_of_all_terms));
        if only.as_ref().is_some_and(BTreeSet::is_empty) {
            return Prepared::Reject(Rejection::unresolvable(CONFLICT.reason()));
        }
        let only = only.map(|names| {
            let evidence = no_such_nodes(&names, cycle.cluster());
            OnlyNodes { names, evidence }
        });
        Prepared::Ready { only, filter: Box::new(Selected { cycle: *cycle }) }
    }
}

/// The only nodes that any term can select, if every term requires node names; `None` as soon as
/// one term can select no node, unless `all_count` is set.
fn names(terms: &[NodeTerm], all_count: bool) -> Option<BTreeSet<Sym>> {
    let mut all: Option<BTreeSet<Sym>> = None;
    for term in terms {
        let mut lists =
            term.names.iter().map(|values| values.iter().copied().collect::<BTreeSet<Sym>>());
        let first = lists.next()?;
        let of_term: BTreeSet<Sym> =
            lists.fold(first, |names, list| names.intersection(&list).copied().collect());
        if of_term.is_empty() && !all_count {
            return Some(of_term);
        }
        all.get_or_insert_default().extend(of_term);
    }
    all
}

/// The evidence that no node has any of these names.
fn no_such_nodes(names: &BTreeSet<Sym>, cluster: &Cluster) -> Grounds {
    if names.iter().any(|name| cluster.find_node(cluster.text(*name)).is_some()) {
        return None;
    }
    NoSuchNodes { names: names.iter().copied().collect() }.grounds()
}

/// The pod asks for nodes by name, and none of them exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoSuchNodes {
    names: Box<[Sym]>,
}

impl NoSuchNodes {
    fn sorted<'c>(&self, cluster: &'c Cluster) -> Vec<&'c str> {
        let mut names: Vec<&str> = self.names.iter().map(|name| cluster.text(*name)).collect();
        names.sort_unstable();
        names
    }
}

impl Evidence for NoSuchNodes {
    fn nearness(&self, _: &RejectedOn) -> Nearness {
        Nearness::OtherName
    }

    fn obstruction(&self) -> Obstruction<'_> {
        Obstruction::Fixed
    }

    fn json(&self, cluster: &Cluster) -> Vec<JsonEvidence> {
        let values = self.sorted(cluster).into_iter().map(str::to_owned).collect();
        let (key, operator) = ("metadata.name".to_owned(), "In".into());
        let unmet = vec![UnmetExpression { key, operator, values, found: None }];
        vec![JsonEvidence::NodeAffinity { required_terms: 1, unmet }]
    }

    fn facts<'e>(&'e self, cluster: &Cluster) -> Vec<Fact<'e>> {
        let names = self.sorted(cluster);
        let text = match names.as_slice() {
            [name] => format!("it asks for node {name} by name, which does not exist"),
            names => {
                let names = words::list(names, NAMED);
                format!("it asks by name for {names}, none of which exists")
            }
        };
        vec![Fact::Words(text)]
    }
}

struct Selected<'c> {
    cycle: Cycle<'c>,
}

impl Filter for Selected<'_> {
    fn check(&self, node: &NodeInfo) -> FilterVerdict {
        let (cluster, template) = (self.cycle.cluster(), self.cycle.template);
        let facts = cluster.node_facts(cluster.node(node.node));
        let added = self.cycle.view.added_affinity.required_nodes.as_ref();
        if let Some(terms) =
            added.filter(|terms| !terms.iter().any(|t| t.matches(facts, &cluster.symbols)))
        {
            let evidence = no_term_selects(terms, facts, &cluster.symbols);
            return FilterVerdict::reject(
                Code::UnschedulableAndUnresolvable,
                NOT_ENFORCED.reason(),
                evidence,
            );
        }
        if template.selects(facts, &cluster.symbols) {
            return FilterVerdict::Fits;
        }
        let pairs = template.node_selector.iter().flatten();
        let missing: Box<[MissingPair]> = pairs
            .map(|(key, value)| MissingPair {
                key: *key,
                value: *value,
                found: label(facts.labels, *key),
            })
            .filter(|pair| pair.found != Some(pair.value))
            .collect();
        let evidence = if missing.is_empty() {
            let terms = template.node_affinity.as_deref().unwrap_or_default();
            no_term_selects(terms, facts, &cluster.symbols)
        } else {
            UnmetNodeSelector { missing }.grounds()
        };
        let text = match self.cycle.features().node_affinity.node_affinity_text {
            NodeAffinityText::Selector => &NO_SELECTOR,
            NodeAffinityText::Affinity => &NO_AFFINITY,
            NodeAffinityText::AffinityOrSelector => &NO_MATCH,
        };
        FilterVerdict::reject(Code::UnschedulableAndUnresolvable, text.reason(), evidence)
    }

    fn reads_pods(&self) -> bool {
        false
    }

    fn reads_node_alone(&self) -> bool {
        true
    }
}

/// What the node lacks for the closest of several terms that do not match.
fn no_term_selects(terms: &[NodeTerm], facts: NodeFacts, symbols: &Symbols) -> Grounds {
    let unmet = unmet::of_closest_term(terms, facts, TermPart::All, symbols);
    UnmetNodeAffinity { terms: terms.len(), unmet }.grounds()
}

/// Pairs of `nodeSelector` that the node's labels do not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnmetNodeSelector {
    /// The pairs, by key.
    missing: Box<[MissingPair]>,
}

impl Evidence for UnmetNodeSelector {
    fn nearness(&self, _: &RejectedOn) -> Nearness {
        Nearness::OtherPool
    }

    fn obstruction(&self) -> Obstruction<'_> {
        Obstruction::Pairs(&self.missing)
    }

    fn json(&self, cluster: &Cluster) -> Vec<JsonEvidence> {
        let mut missing = self.missing.iter().map(|pair| pair.json(cluster));
        let first = missing.next();
        first
            .map(|first| JsonEvidence::NodeSelector {
                label: first.label,
                wanted: first.wanted,
                found: first.found,
                also: missing.collect(),
            })
            .into_iter()
            .collect()
    }

    fn facts<'e>(&'e self, cluster: &Cluster) -> Vec<Fact<'e>> {
        let pairs = self.missing.iter();
        pairs.map(|pair| Fact::Label(AskedLabel::of_pair(*pair, cluster))).collect()
    }
}

/// No term of the required node affinity selects the node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnmetNodeAffinity {
    /// Number of terms.
    terms: usize,
    /// What the node lacks for the closest term; empty if no term can select any node.
    unmet: Box<[Unmet]>,
}

impl Evidence for UnmetNodeAffinity {
    fn nearness(&self, _: &RejectedOn) -> Nearness {
        let by_name = self.unmet.iter().any(|one| matches!(one, Unmet::Field { .. }));
        if by_name { Nearness::OtherName } else { Nearness::OtherPool }
    }

    fn obstruction(&self) -> Obstruction<'_> {
        Obstruction::Expressions(&self.unmet)
    }

    fn json(&self, cluster: &Cluster) -> Vec<JsonEvidence> {
        let (required_terms, unmet) = (self.terms, unmet_json(&self.unmet, cluster));
        vec![JsonEvidence::NodeAffinity { required_terms, unmet }]
    }

    fn facts<'e>(&'e self, cluster: &Cluster) -> Vec<Fact<'e>> {
        match (&*self.unmet, self.terms) {
            ([], 1) => {
                let text = "the only term of required node affinity can select no node";
                vec![Fact::Words(text.to_owned())]
            }
            ([], terms) => {
                let terms = words::share(0, terms, "term");
                let text = format!("{terms} of required node affinity can select a node");
                vec![Fact::Words(text)]
            }
            (unmet, _) => unmet
                .iter()
                .map(|unmet| Fact::Label(AskedLabel::of_expression(unmet, cluster)))
                .collect(),
        }
    }
}

impl ScorePlugin for NodeAffinity {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn prepare<'c>(&self, cycle: &Cycle<'c>, _: &[NodeIx]) -> PreparedScore<'c> {
        let terms = &cycle.template.preferred_nodes;
        if terms.is_empty() && cycle.view.added_affinity.preferred_nodes.is_empty() {
            return PreparedScore::Skip;
        }
        match preferred_terms_error(terms, cycle.features()) {
            None => PreparedScore::ready(Selected { cycle: *cycle }),
            Some(error) if cycle.features().node_affinity.node_affinity_pre_filter => {
                PreparedScore::failed(error)
            }
            // Schedulers without PreScore fail in Score instead.
            Some(error) => PreparedScore::ready(Unreadable(error)),
        }
    }
}

/// Preferred terms that cannot be parsed.
struct Unreadable(String);

impl Score for Unreadable {
    fn score(&self, _: &NodeInfo) -> Result<i64, StepFailure> {
        Err(StepFailure::Error(self.0.clone()))
    }

    fn narrowed(&self, _: &[NodeIx]) -> Option<Box<dyn Score + '_>> {
        None
    }
}

impl Score for Selected<'_> {
    /// The weights of the preferred terms that select the node.
    fn score(&self, node: &NodeInfo) -> Result<i64, StepFailure> {
        let (cluster, template) = (self.cycle.cluster(), self.cycle.template);
        let facts = cluster.node_facts(cluster.node(node.node));
        let all =
            self.cycle.view.added_affinity.preferred_nodes.iter().chain(&template.preferred_nodes);
        let fields = self.cycle.features().node_affinity.preferred_node_fields;
        let matching = all.filter(|preferred| {
            if fields {
                preferred.term.matches(facts, &cluster.symbols)
            } else {
                preferred.term.matches_labels_alone(facts, &cluster.symbols)
            }
        });
        Ok(matching.map(|preferred| preferred.weight).sum())
    }

    fn known_by(&self) -> Option<ScoreKey> {
        Some(ScoreKey::Template(self.cycle.pod.template))
    }

    fn normalize(&self, raw: &[i64]) -> Option<Vec<i64>> {
        Some(normalize_by_max(raw, self.cycle.max_score(), false))
    }

    fn narrowed(&self, _: &[NodeIx]) -> Option<Box<dyn Score + '_>> {
        None
    }
}

/// All of them.
static ALL: &[&Message] = &[&NO_MATCH, &NO_AFFINITY, &NO_SELECTOR, &NOT_ENFORCED, &CONFLICT];

static NO_MATCH: Message = Message {
    code: "PRE-213",
    text: "node(s) didn't match Pod's node affinity/selector",
    meaning: "The node lacks a label of spec.nodeSelector, or matches no term of the pod's required node affinity.",
    preemption: "Never: no eviction changes a node's labels.",
    remedy: "label a node, or change nodeSelector or the required node affinity",
    obstacle: Obstacle::NodeLabels,
    when: When::Rows(&[|f| {
        f.node_affinity.node_affinity_text == NodeAffinityText::AffinityOrSelector
    }]),
    source: "pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go (1.37)",
};

static NO_AFFINITY: Message = Message {
    code: "PRE-214",
    text: "node(s) didn't match Pod's node affinity",
    when: When::Rows(&[|f| f.node_affinity.node_affinity_text == NodeAffinityText::Affinity]),
    source: "pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go (1.20)",
    ..NO_MATCH
};

static NO_SELECTOR: Message = Message {
    code: "PRE-215",
    text: "node(s) didn't match node selector",
    when: When::Rows(&[|f| f.node_affinity.node_affinity_text == NodeAffinityText::Selector]),
    source: "pkg/scheduler/algorithm/predicates/error.go (1.17)",
    ..NO_MATCH
};

static NOT_ENFORCED: Message = Message {
    code: "PRE-216",
    text: "node(s) didn't match scheduler-enforced node affinity",
    meaning: "The scheduler's own configuration (addedAffinity of its profile) keeps pods of this profile off the node.",
    preemption: "Never: no eviction changes a node's labels.",
    remedy: "label a node, change the profile's addedAffinity, or use another schedulerName",
    obstacle: Obstacle::NodeLabels,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go (1.37)",
};

static CONFLICT: Message = Message {
    code: "PRE-217",
    text: "pod affinity terms conflict",
    meaning: "The required node affinity asks for several different metadata.name at once; no node can have them.",
    preemption: "Never: evicting pods does not change the pod.",
    remedy: "name one node per term of the node affinity",
    obstacle: Obstacle::Pod,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go (1.37)",
};

#[cfg(test)]
mod tests;

//! Extenders: in which order they are asked, and what becomes of their answers.
//!
//! Upstream: `pkg/scheduler/extender.go`, `pkg/scheduler/schedule_one.go` `findNodesThatPassExtenders`,
//! `prioritizeNodes` (1.37). Asking itself is somebody else's: see [`Ask`].

use std::collections::BTreeMap;
use std::fmt::Debug;

use super::cluster_view::ClusterView;
use super::plugin::Cycle;
use super::status::{Code, Evidence, Reason, Rejection, Text};
use crate::cluster::node::NodeIx;
use crate::cluster::pod::PodIx;
use crate::profile::config::Extender;

/// What stands for a plugin's name where an extender refuses a node.
pub const EXTENDER: &str = "Extender";
/// An extender's scores go to 10, those of plugins to 100.
const SCALE: i64 = 10;

/// Asks extenders. Errors are in the scheduler's words as far as they can be known.
pub trait Ask: Debug + Sync {
    /// Which of `nodes` can the pod go to?
    ///
    /// # Errors
    /// No answer, or one that cannot be read.
    fn filter(&self, extender: &Extender, pod: PodIx, nodes: &[NodeIx]) -> Result<Filtered, String>;

    /// How good are `nodes`? Names with scores.
    ///
    /// # Errors
    /// As [`Self::filter`].
    fn prioritize(&self, extender: &Extender, pod: PodIx, nodes: &[NodeIx]) -> Result<Vec<(String, i64)>, String>;

    /// May these pods be evicted? The answer is by node name; it may leave nodes out and name other victims.
    ///
    /// # Errors
    /// As [`Self::filter`].
    fn preempt(&self, extender: &Extender, pod: PodIx, proposed: &[Proposal]) -> Result<Vec<Answered>, String>;
}

/// The answer to `filter`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filtered {
    /// The extender's own error; empty for none.
    pub error: String,
    /// `nodeNames`.
    pub names: Option<Vec<String>>,
    /// Names of `nodes`.
    pub nodes: Option<Vec<String>>,
    /// `failedNodes`.
    pub failed: BTreeMap<String, String>,
    /// `failedAndUnresolvableNodes`.
    pub unresolvable: BTreeMap<String, String>,
}

/// Victims on one node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// The node.
    pub node: NodeIx,
    /// Pods to evict.
    pub victims: Vec<PodIx>,
    /// How many of them violate a budget.
    pub violations: i64,
}

/// What an extender says of one node.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answered {
    /// The node's name.
    pub node: String,
    /// UIDs of the victims.
    pub victims: Vec<String>,
    /// How many of them violate a budget.
    pub violations: i64,
}

/// What filtering by extenders left.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outcome {
    /// Nodes that all of them left.
    pub feasible: Vec<NodeIx>,
    /// Nodes that were refused, or of which more is now known. Without a reason: dropped without a word.
    pub refused: BTreeMap<NodeIx, Rejection>,
    /// Extenders that failed and are ignorable, with their errors.
    pub skipped: Vec<(String, String)>,
}

/// An extender's part in the scores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtenderScores {
    /// Its URL, which is its name.
    pub name: String,
    /// What it adds to each node's score, by node.
    pub added: Vec<i64>,
}

/// The extenders that are interested in the pod, in the order in which they are asked.
#[must_use]
pub fn interested<'c>(cycle: &Cycle<'c>) -> Vec<&'c Extender> {
    let profile = cycle.view.profile;
    let wanted = profile.extenders.iter().filter(|extender| is_interested(cycle.view, cycle.ix, extender));
    let mut order: Vec<&Extender> = wanted.collect();
    if profile.features.extenders_ignorable_last {
        order.sort_by_key(|extender| extender.ignorable);
    }
    order
}

/// Whether the pod asks for something that the extender manages.
#[must_use]
pub fn is_interested(view: &ClusterView, pod: PodIx, extender: &Extender) -> bool {
    let cluster = view.cluster;
    let Some(resource_requests) = cluster.resource_requests.get(cluster.pod(pod).resource_requests) else {
        return false;
    };
    let containers = resource_requests.containers.iter().chain(&resource_requests.init_containers);
    let mut names = containers.flat_map(|c| c.requests.iter()).map(|(name, _)| cluster.text(*name));
    extender.managed_resources.is_empty() || names.any(|name| extender.managed_resources.iter().any(|r| r == name))
}

/// Has extenders filter `nodes`, one after the other, as long as any are left. `refused` are the nodes that plugins
/// refused: an extender may have something to say of them, too.
///
/// # Errors
/// The error of an extender that is not ignorable; it ends the cycle.
pub fn filter(
    cycle: &Cycle,
    ask: &dyn Ask,
    nodes: Vec<NodeIx>,
    refused: BTreeMap<NodeIx, Rejection>,
) -> Result<Outcome, String> {
    let mut outcome = Outcome { feasible: nodes, refused, skipped: Vec::new() };
    for extender in interested(cycle).into_iter().filter(|e| !e.filter_verb.is_empty()) {
        if outcome.feasible.is_empty() {
            break;
        }
        let answer = ask.filter(extender, cycle.ix, &outcome.feasible);
        match answer.and_then(|answer| left(cycle, extender, &answer, &outcome.feasible).map(|left| (answer, left))) {
            Ok((answer, left)) => outcome.take(cycle, &answer, left),
            Err(error) if extender.ignorable => outcome.skipped.push((extender.url.clone(), error)),
            Err(error) => return Err(error),
        }
    }
    Ok(outcome)
}

/// The nodes that an answer leaves.
fn left(cycle: &Cycle, extender: &Extender, answer: &Filtered, asked: &[NodeIx]) -> Result<Vec<NodeIx>, String> {
    if !answer.error.is_empty() {
        return Err(answer.error.clone());
    }
    let cluster = cycle.cluster();
    let find = |name: &String| cluster.find_node(name).filter(|node| asked.contains(node));
    if let Some(names) = answer.names.as_ref().filter(|_| extender.node_cache_capable) {
        let unknown = |name: &String| {
            let url = &extender.url;
            format!("extender {url:?} claims a filtered node {name:?} which is not found in the input node list")
        };
        return names.iter().map(|name| find(name).ok_or_else(|| unknown(name))).collect();
    }
    Ok(answer.nodes.iter().flatten().filter_map(find).collect())
}

impl Outcome {
    fn take(&mut self, cycle: &Cycle, answer: &Filtered, left: Vec<NodeIx>) {
        let (cluster, features) = (cycle.cluster(), cycle.features());
        let unresolvable = features.extender_unresolvable;
        for (name, text) in answer.unresolvable.iter().filter(|_| unresolvable) {
            if let Some(node) = cluster.find_node(name) {
                self.refuse(node, Code::UnschedulableAndUnresolvable, text, features.extender_replaces_status);
            }
        }
        let twice = |name: &&String| unresolvable && answer.unresolvable.contains_key(*name);
        for (name, text) in answer.failed.iter().filter(|(name, _)| !twice(name)) {
            if let Some(node) = cluster.find_node(name) {
                self.refuse(node, Code::Unschedulable, text, features.extender_replaces_status);
            }
        }
        // A node that is dropped without a word has no status.
        let absent =
            if features.absent_nodes_potential { Code::Unschedulable } else { Code::UnschedulableAndUnresolvable };
        for node in self.feasible.iter().filter(|node| !left.contains(node)) {
            self.refused.entry(*node).or_insert_with(|| Rejection { code: absent, reasons: Default::default() });
        }
        self.feasible = left;
    }

    /// Adds a reason to what is known of a node, or replaces it. A status keeps its code unless it becomes worse.
    fn refuse(&mut self, node: NodeIx, code: Code, text: &str, replace: bool) {
        let reason = Reason { text: Text::Owned(text.into()), evidence: Evidence::None };
        let known = self.refused.get_mut(&node).filter(|_| !replace);
        let Some(known) = known else {
            self.refused.insert(node, Rejection { code, reasons: std::iter::once(reason).collect() });
            return;
        };
        known.reasons.push(reason);
        known.code = known.code.max(code);
    }
}

/// What extenders add to the scores of `nodes`. Those that fail add nothing.
#[must_use]
pub fn scores(cycle: &Cycle, ask: &dyn Ask, nodes: &[NodeIx]) -> Vec<ExtenderScores> {
    let cluster = cycle.cluster();
    let scale = if cycle.features().scores_to_hundred { SCALE } else { 1 };
    let prioritizers = interested(cycle).into_iter().filter(|e| !e.prioritize_verb.is_empty());
    let of = |extender: &Extender| {
        let answer = ask.prioritize(extender, cycle.ix, nodes).ok()?;
        let added = nodes.iter().map(|node| {
            let name = cluster.text(cluster.node(*node).name);
            let all = answer.iter().filter(|(host, _)| host == name).map(|(_, score)| *score);
            all.fold(0_i64, |sum, score| {
                sum.saturating_add(score.saturating_mul(extender.weight).saturating_mul(scale))
            })
        });
        Some(ExtenderScores { name: extender.url.clone(), added: added.collect() })
    };
    prioritizers.filter_map(of).collect()
}

/// What became of the victims that were proposed to the extenders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Preemption {
    /// No extender wanted to be asked.
    NotAsked,
    /// These are left, by node.
    Left(Vec<Proposal>),
    /// An extender that is not ignorable failed: nothing is evicted.
    Failed(String),
}

/// Asks every extender that has a say in preemption; what one leaves is proposed to the next.
#[must_use]
pub fn preempt(cycle: &Cycle, ask: &dyn Ask, proposed: Vec<Proposal>) -> Preemption {
    let mut left = proposed;
    let mut asked = false;
    for extender in interested(cycle).into_iter().filter(|e| !e.preempt_verb.is_empty()) {
        if left.is_empty() {
            break;
        }
        let answer = ask.preempt(extender, cycle.ix, &left).and_then(|answer| resolve(cycle, extender, answer));
        match answer {
            Ok(proposals) => (left, asked) = (proposals, true),
            Err(_) if extender.ignorable => {}
            Err(error) => return Preemption::Failed(error),
        }
    }
    if asked { Preemption::Left(left) } else { Preemption::NotAsked }
}

/// Finds the nodes and pods that an answer names.
fn resolve(cycle: &Cycle, extender: &Extender, answer: Vec<Answered>) -> Result<Vec<Proposal>, String> {
    let (cluster, features) = (cycle.cluster(), cycle.features());
    let mut proposals: BTreeMap<NodeIx, Proposal> = BTreeMap::new();
    for Answered { node: name, victims, violations } in answer {
        let node = cluster.find_node(&name);
        let node = node.ok_or_else(|| format!("nodeinfo not found for node name {name:?}"))?;
        if victims.is_empty() && features.nobody_evicted_is_no_candidate {
            if extender.ignorable {
                continue;
            }
            return Err(format!("expected at least one victim pod on node {name:?}"));
        }
        let find = |uid: &String| {
            let found = cluster.pods_on(node).iter().copied().find(|pod| *cluster.pod(*pod).uid == **uid);
            let url = &extender.url;
            let missing = || {
                format!(
                    "extender: {url} claims to preempt pod (UID: &{{{uid}}}) on node: {name}, but the pod is not found \
                     on that node"
                )
            };
            found.ok_or_else(missing)
        };
        let victims = victims.iter().map(find).collect::<Result<_, _>>()?;
        let violations = if features.extender_violations_kept { violations } else { 0 };
        proposals.insert(node, Proposal { node, victims, violations });
    }
    Ok(proposals.into_values().collect())
}

#[cfg(test)]
mod tests;

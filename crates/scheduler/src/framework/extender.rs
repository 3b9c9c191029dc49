//! Extenders in a scheduling cycle: the order of the calls, and how each answer changes the nodes,
//! scores and victims.
//!
//! Upstream: `pkg/scheduler/extender.go`, `pkg/scheduler/schedule_one.go`
//! `findNodesThatPassExtenders`, `prioritizeNodes` (1.37). The calls themselves are made by an
//! [`ExtenderClient`].

use std::collections::BTreeMap;

use super::cluster_view::ClusterView;
use super::extender_client::{ExtenderClient, ExtenderFilterResult, ExtenderVictims, NodeVictims};
use super::failure::{Crash, StepFailure};
use super::plugin::Cycle;
use super::reason::{Message, Obstacle, When};
use super::status::{Code, Reason, Rejection};
use model::cluster::{Cluster, NodeIx, PodIx};
use model::notes::{Note, NoteDoc, SettledBy};
use profile::config::Extender;

/// The name that is reported in place of a plugin's where an extender rejects a node.
pub const EXTENDER: &str = "Extender";
/// The factor from an extender's scores (0 to 10) to those of plugins (0 to 100).
const SCALE: i64 = 10;

/// An extender's own words.
pub static WORDS_OF_EXTENDER: Message = Message {
    code: "PRE-260",
    text: "{}",
    meaning: "An extender refused the node; these are its own words.",
    preemption: "Depends on the extender: it may have said that no eviction helps.",
    remedy: "ask the extender (see the scheduler's configuration)",
    obstacle: Obstacle::None,
    when: When::Always,
    source: "pkg/scheduler/extender.go (1.37)",
};

static NOT_ASKED: NoteDoc = NoteDoc {
    code: "PRE-917",
    name: "an extender that is not asked",
    meaning: "The configuration names an extender, which may refuse nodes, prefer nodes or spare victims; it was not asked.",
};
static ASKED: NoteDoc = NoteDoc {
    code: "PRE-918",
    name: "an extender that was asked",
    meaning: "The extender was asked as far as the scheduler would have asked it.",
};
static PASSED_OVER: NoteDoc = NoteDoc {
    code: "PRE-919",
    name: "an extender that failed",
    meaning: "The extender is ignorable and failed, so the answer ignores it; kube-scheduler does that only if it fails there, too.",
};

static INVENTED: NoteDoc = NoteDoc {
    code: "PRE-963",
    name: "a node that an extender invents",
    meaning: "The extender returned a node that is not in the cluster; kube-scheduler may choose it, and then fails to bind the pod.",
};

/// What notes about extenders mean.
pub static DOCS: &[&NoteDoc] = &[&NOT_ASKED, &ASKED, &PASSED_OVER, &INVENTED];

/// Notes about the extenders that are interested in the pod.
pub(crate) fn doubts(view: &ClusterView, pod: PodIx) -> Vec<Note> {
    let mut notes = Vec::new();
    for extender in
        view.profile.extenders.iter().filter(|extender| is_interested(view, pod, extender))
    {
        let verbs: Vec<&str> =
            extender.verbs().into_iter().filter(|verb| *verb != "bind").collect();
        let (url, verbs) = (&extender.url, verbs.join(", "));
        notes.push(match view.extender_client {
            _ if verbs.is_empty() => continue,
            Some(_) => Note::info(
                &ASKED,
                format!("extender {url} was asked as far as the scheduler would have ({verbs})"),
            ),
            None => {
                let text =
                    format!("extender {url} is not asked ({verbs}): it may decide otherwise");
                Note::error(&NOT_ASKED, text).settled_by(SettledBy::AskingExtenders)
            }
        });
    }
    notes
}

/// The note about an ignorable extender that failed.
pub(crate) fn passed_over(url: &str, error: &str) -> Note {
    Note::error(&PASSED_OVER, format!("extender {url} is ignorable and was passed over: {error}"))
}

/// The note about a node that only an extender knows.
pub(crate) fn invented(node: &str) -> Note {
    Note::error(&INVENTED, format!("an extender returned node {node}, which is not in the cluster"))
}

/// The result of filtering by extenders.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FilteredNodes {
    /// Nodes that no extender filtered out, in the order of the last answer, which may name a node
    /// several times.
    pub feasible: Vec<NodeIx>,
    /// How many nodes the extenders were asked about.
    pub passed: usize,
    /// Whether they are objects from an answer; this version then knows neither their pods nor
    /// their images.
    pub bare: bool,
    /// Nodes that plugins or extenders rejected. A rejection without a reason is a node that an
    /// extender omitted from its answer.
    pub rejected: BTreeMap<NodeIx, Rejection>,
    /// What extenders said about nodes that are not in the cluster, by name. The message counts
    /// them.
    pub strangers: BTreeMap<String, Rejection>,
    /// Nodes that an extender returned as objects and that are not in the cluster.
    pub invented: Vec<String>,
    /// Ignorable extenders that failed, each with its error.
    pub skipped: Vec<(String, String)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtenderScores {
    /// The extender's URL, which identifies it.
    pub name: String,
    /// The weighted score that it adds, by node.
    pub added: Vec<i64>,
}

/// The extenders that are called for the pod, in the order of the calls.
pub(crate) fn interested<'c>(cycle: &Cycle<'c>) -> Vec<&'c Extender> {
    let profile = cycle.view.profile;
    let wanted =
        profile.extenders.iter().filter(|extender| is_interested(cycle.view, cycle.ix, extender));
    let mut order: Vec<&Extender> = wanted.collect();
    if profile.features.extenders.extenders_ignorable_last {
        order.sort_by_key(|extender| extender.ignorable);
    }
    order
}

/// Whether the extender is called for the pod: it manages all pods, or a resource that the pod
/// requests.
pub(crate) fn is_interested(view: &ClusterView, pod: PodIx, extender: &Extender) -> bool {
    let cluster = view.cluster;
    let Some(resource_requests) = cluster.resource_requests.get(cluster.pod(pod).resource_requests)
    else {
        return false;
    };
    let containers = resource_requests.containers.iter().chain(&resource_requests.init_containers);
    let mut names = containers.flat_map(|c| c.requests.iter()).map(|(name, _)| cluster.text(*name));
    extender.managed_resources.is_empty()
        || names.any(|name| extender.managed_resources.iter().any(|r| r == name))
}

/// Calls the extenders' filter verb, one after the other, while any node is left. `rejected` are
/// the nodes that plugins rejected; an extender may add reasons to them or replace them.
///
/// # Errors
/// The error of an extender that is not ignorable; it ends the cycle.
pub(crate) fn filter(
    cycle: &Cycle,
    client: &dyn ExtenderClient,
    nodes: Vec<NodeIx>,
    rejected: BTreeMap<NodeIx, Rejection>,
) -> Result<FilteredNodes, String> {
    let mut outcome = FilteredNodes {
        passed: nodes.len(),
        feasible: nodes,
        rejected,
        ..FilteredNodes::default()
    };
    for extender in interested(cycle).into_iter().filter(|e| !e.filter_verb.is_empty()) {
        if outcome.feasible.is_empty() {
            break;
        }
        let resolved = client.filter(extender, cycle.ix, &outcome.feasible).and_then(|answer| {
            let nodes = AnsweredNodes::of(&answer, cycle, extender, &outcome.feasible)?;
            Ok((answer, nodes))
        });
        match resolved {
            Ok((answer, nodes)) => outcome.take(cycle, &answer, nodes),
            Err(error) if extender.ignorable => outcome.skipped.push((extender.url.clone(), error)),
            Err(error) => return Err(error),
        }
    }
    Ok(outcome)
}

/// The nodes that remain feasible after an answer.
#[derive(Default)]
struct AnsweredNodes {
    nodes: Vec<NodeIx>,
    /// Whether they are objects, not names.
    objects: bool,
    /// Objects that are not in the cluster.
    invented: Vec<String>,
}

impl AnsweredNodes {
    /// The nodes in an answer to a question about `asked`.
    fn of(
        answer: &ExtenderFilterResult,
        cycle: &Cycle,
        extender: &Extender,
        asked: &[NodeIx],
    ) -> Result<Self, String> {
        if !answer.error.is_empty() {
            // Parity: a percent sign in the error was once taken for a format operand that is
            // missing.
            if cycle.features().extenders.extender_errors_are_formats {
                return Err(go::formatted_without_operands(&answer.error));
            }
            return Err(answer.error.clone());
        }
        let cluster = cycle.cluster();

        // An extender that keeps its own cache of nodes answers with names.
        if let Some(names) = answer.names.as_ref().filter(|_| extender.node_cache_capable) {
            let mut nodes = Vec::with_capacity(names.len());
            for name in names {
                let Some(node) = cluster.find_node(name).filter(|node| asked.contains(node)) else {
                    return Err(format!(
                        "extender {:?} claims a filtered node {name:?} which is not found in the input node list",
                        extender.url
                    ));
                };
                nodes.push(node);
            }
            return Ok(Self { nodes, ..Self::default() });
        }

        // Parity: objects may be of nodes that the extender was not asked about.
        let mut answered = Self { objects: true, ..Self::default() };
        for name in answer.nodes.iter().flatten() {
            match cluster.find_node(name) {
                Some(node) => answered.nodes.push(node),
                None => answered.invented.push(name.clone()),
            }
        }
        Ok(answered)
    }
}

impl FilteredNodes {
    /// Applies an answer after which these nodes remain.
    fn take(&mut self, cycle: &Cycle, answer: &ExtenderFilterResult, answered: AnsweredNodes) {
        let features = &cycle.features().extenders;
        let unresolvable = features.extender_unresolvable;
        for (name, text) in answer.unresolvable.iter().filter(|_| unresolvable) {
            self.reject(cycle, name, Code::UnschedulableAndUnresolvable, text);
        }
        // A node that is in both lists counts as unresolvable.
        for (name, text) in &answer.failed {
            if !(unresolvable && answer.unresolvable.contains_key(name)) {
                self.reject(cycle, name, Code::Unschedulable, text);
            }
        }
        // A node that the answer omits without a reason has no status.
        let absent = if features.absent_nodes_potential {
            Code::Unschedulable
        } else {
            Code::UnschedulableAndUnresolvable
        };
        for node in self.feasible.iter().filter(|node| !answered.nodes.contains(node)) {
            self.rejected
                .entry(*node)
                .or_insert_with(|| Rejection { code: absent, reasons: Default::default() });
        }
        self.feasible = answered.nodes;
        self.bare |= answered.objects && features.extender_nodes_score_bare;
        self.invented.extend(answered.invented);
    }

    /// Adds a reason to the rejection of a node, or replaces the rejection. The code of a rejection
    /// changes only if the new one is worse.
    fn reject(&mut self, cycle: &Cycle, name: &str, code: Code, text: &str) {
        let reason = Reason { text: WORDS_OF_EXTENDER.with([text]), evidence: None };
        let rejection = Rejection { code, reasons: std::iter::once(reason).collect() };
        // Parity: nodes that do not exist get a status too.
        let node = cycle.cluster().find_node(name);
        let known = match node {
            Some(node) => self.rejected.get_mut(&node),
            None => self.strangers.get_mut(name),
        };
        match known.filter(|_| !cycle.features().extenders.extender_replaces_status) {
            Some(known) => {
                known.reasons.extend(rejection.reasons);
                known.code = known.code.max(code);
            }
            None => match node {
                Some(node) => _ = self.rejected.insert(node, rejection),
                None => _ = self.strangers.insert(name.to_owned(), rejection),
            },
        }
    }
}

/// The scores of the extenders for `nodes`. An extender that fails adds nothing.
pub(crate) fn scores(
    cycle: &Cycle,
    client: &dyn ExtenderClient,
    nodes: &[NodeIx],
) -> Vec<ExtenderScores> {
    let cluster = cycle.cluster();
    let scale = if cycle.features().cycle.scores_to_hundred { SCALE } else { 1 };
    let mut scores = Vec::new();
    for extender in interested(cycle) {
        if extender.prioritize_verb.is_empty() {
            continue;
        }
        let Ok(answer) = client.prioritize(extender, cycle.ix, nodes) else { continue };
        let mut added = Vec::with_capacity(nodes.len());
        for node in nodes {
            let name = cluster.node_name(*node);
            // A node that the answer names several times gets all of its scores.
            let mut sum = 0_i64;
            for (_, score) in answer.iter().filter(|(host, _)| host == name) {
                // Parity: a product or sum that does not fit into 64 bits wraps.
                sum = sum.wrapping_add(score.wrapping_mul(extender.weight).wrapping_mul(scale));
            }
            added.push(sum);
        }
        scores.push(ExtenderScores { name: extender.url.clone(), added });
    }
    scores
}

/// The result of proposing victims to the extenders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExtenderPreemption {
    /// No extender takes part in preemption.
    NotAsked,
    /// The remaining nodes with their victims.
    Left(Vec<NodeVictims>),
    /// An extender that is not ignorable failed, so preemption fails; or one answered what makes
    /// kube-scheduler panic.
    Failed(StepFailure),
}

/// Whether an extender of the pod has a preempt verb.
pub(crate) fn takes_part_in_preemption(cycle: &Cycle) -> bool {
    interested(cycle).iter().any(|extender| !extender.preempt_verb.is_empty())
}

/// Calls the preempt verb of every extender that has one; the answer of one is the proposal to the
/// next.
pub(crate) fn preempt(
    cycle: &Cycle,
    client: &dyn ExtenderClient,
    proposed: Vec<NodeVictims>,
) -> ExtenderPreemption {
    let mut proposals = proposed;
    let mut asked = false;
    for extender in interested(cycle).into_iter().filter(|e| !e.preempt_verb.is_empty()) {
        if proposals.is_empty() {
            break;
        }
        let answer = client.preempt(extender, cycle.ix, &proposals);
        let answer = answer
            .map_err(StepFailure::from)
            .and_then(|answer| resolve(cycle, extender, answer, &proposals));
        match answer {
            Ok(resolved) => (proposals, asked) = (resolved, true),
            // A panic ends the scheduler, whether the extender is ignorable or not.
            Err(StepFailure::Error(_)) if extender.ignorable => {}
            Err(error) => return ExtenderPreemption::Failed(error),
        }
    }
    if asked { ExtenderPreemption::Left(proposals) } else { ExtenderPreemption::NotAsked }
}

/// Resolves the node names and pod UIDs of an answer about `proposed`.
fn resolve(
    cycle: &Cycle,
    extender: &Extender,
    answer: Vec<ExtenderVictims>,
    proposed: &[NodeVictims],
) -> Result<Vec<NodeVictims>, StepFailure> {
    let (cluster, features) = (cycle.cluster(), cycle.features());
    // Every name is looked up before any node is checked for victims: an unknown one is the error
    // that is reported.
    let mut proposals: BTreeMap<NodeIx, NodeVictims> = BTreeMap::new();
    for ExtenderVictims { node: name, victims: uids, violations } in answer {
        let Some(node) = cluster.find_node(&name) else {
            return Err(format!("nodeinfo not found for node name {name:?}").into());
        };
        // Upstream dereferences the victims without checking that there are any.
        let uids = uids.ok_or(StepFailure::Crash(Crash::NoVictimsInAnswer))?;
        let mut victims = Vec::with_capacity(uids.len());
        for uid in &uids {
            victims.push(find_victim(cluster, extender, &name, node, uid)?);
        }
        let violations = if features.extenders.extender_violations_kept { violations } else { 0 };
        proposals.insert(node, NodeVictims { node, victims, violations });
    }

    if !features.preemption.nobody_evicted_is_no_candidate {
        return Ok(proposals.into_values().collect());
    }
    // A node without victims is not a candidate, unless it had none before and other extenders may
    // name some.
    let may_stay = features.preemption.extenders_find_victims;
    let is_candidate = |proposal: &NodeVictims| {
        !proposal.victims.is_empty() || may_stay && had_no_victims(proposal.node, proposed)
    };
    if extender.ignorable {
        proposals.retain(|_, proposal| is_candidate(proposal));
    } else if let Some(proposal) = proposals.values().find(|proposal| !is_candidate(proposal)) {
        let name = cluster.node_name(proposal.node);
        return Err(format!("expected at least one victim pod on node {name:?}").into());
    }
    Ok(proposals.into_values().collect())
}

/// The pod with this UID on the node. Another pod of the cluster is not looked for.
fn find_victim(
    cluster: &Cluster,
    extender: &Extender,
    name: &str,
    node: NodeIx,
    uid: &str,
) -> Result<PodIx, String> {
    let found = cluster.pods_on(node).iter().copied().find(|pod| *cluster.pod(*pod).uid == *uid);
    found.ok_or_else(|| {
        format!(
            "extender: {} claims to preempt pod (UID: &{{{uid}}}) on node: {name}, but the pod is not found on that node",
            extender.url
        )
    })
}

fn had_no_victims(node: NodeIx, proposed: &[NodeVictims]) -> bool {
    proposed.iter().any(|before| before.node == node && before.victims.is_empty())
}

#[cfg(test)]
mod tests;

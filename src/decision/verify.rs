//! Does the scheduler's own message say what its rules give now, and if not, does anything explain it?

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use jiff::{SignedDuration, Timestamp};

use super::written::{Preemption, Refusal, Written};
use super::{Decision, Outcome};
use crate::cluster::Cluster;
use crate::cluster::node::NodeIx;
use crate::cluster::notes::Severity;
use crate::cluster::pod::{Pod, PodIx, Said};

/// How the two messages compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Byte for byte.
    Equal,
    /// Not equal, and the cluster has changed since in ways that can do that.
    Stale,
    /// Not equal, and nothing that can be seen explains it.
    Different,
    /// The scheduler has not said anything that could be compared.
    NoMessage,
}

impl Verdict {
    /// Every verdict, in the order of a summary.
    pub const ALL: [Self; 4] = [Self::Equal, Self::Stale, Self::Different, Self::NoMessage];

    /// Its name in text.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::Stale => "stale",
            Self::Different => "different",
            Self::NoMessage => "no message",
        }
    }

    /// Its name in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Equal => "Equal",
            Self::Stale => "Stale",
            Self::Different => "Different",
            Self::NoMessage => "NoMessage",
        }
    }
}

/// What came of comparing one pod's condition with the rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verification {
    /// The pod.
    pub pod: PodIx,
    /// How they compare.
    pub verdict: Verdict,
    /// The difference, or why there is nothing to compare, in one line; empty if equal.
    pub what: String,
    /// What the condition says.
    pub written: Option<String>,
    /// What the scheduler would write now; `None` if it would place the pod instead.
    pub computed: Option<String>,
    /// When the condition became False; its text may be younger.
    pub since: Option<Timestamp>,
    /// What is seen to have changed since then.
    pub evidence: Vec<String>,
    /// Whether part of what decides is not modelled or could not be read.
    pub unsure: bool,
    /// If different: a minor of the scheduler that writes exactly this.
    pub written_by: Option<String>,
}

impl Verification {
    /// Whether the scheduler of another version would write what the condition says.
    #[must_use]
    pub fn is_what_writes(&self, other: &Decision) -> bool {
        self.written.is_some() && self.written == other.condition_message
    }
}

/// Reasons that hang on the node's own fields, or on the pod's; pods that come and go do not change them.
const ABOUT_NODES: &[&str] = &[
    "node(s) were unschedulable",
    "node(s) didn't match the requested node name",
    "node(s) had untolerated taint",
    "node(s) didn't match Pod's node affinity/selector",
    "node(s) didn't match scheduler-enforced node affinity",
    "node(s) didn't satisfy plugin(s)",
];
/// Objects that are named as evidence of one sort.
const NAMED: usize = 3;

/// Compares what the scheduler wrote about the pod of `decision` with what was decided.
#[must_use]
pub fn verify(decision: &Decision) -> Verification {
    let cluster = decision.world.cluster;
    let pod = cluster.pod(decision.pod);
    let said = pod.said.as_deref();
    let mut found = Verification {
        pod: decision.pod,
        verdict: Verdict::NoMessage,
        what: String::new(),
        written: said.map(|s| s.message.to_string()),
        computed: decision.condition_message.clone(),
        since: said.and_then(|s| s.since),
        evidence: Vec::new(),
        unsure: decision.notes.iter().any(|n| n.severity == Severity::Error),
        written_by: None,
    };
    match (nothing_said(decision, said), said) {
        (Some(why), _) => found.what = why,
        (None, Some(said)) => compare(decision, said, &mut found),
        (None, None) => {}
    }
    found
}

/// Why there is no message about this pod's being unschedulable.
fn nothing_said(decision: &Decision, said: Option<&Said>) -> Option<String> {
    if let Some(why) = &decision.why {
        return Some(why.clone());
    }
    match said {
        None => {
            Some("there is no PodScheduled condition that is False: the scheduler has not refused it yet".to_owned())
        }
        Some(said) if &*said.reason == "SchedulingGated" => {
            Some("its scheduling gates are gone, and the scheduler has not refused it since".to_owned())
        }
        Some(said) if said.message.is_empty() => Some("the PodScheduled condition has no message".to_owned()),
        Some(_) => None,
    }
}

fn compare(decision: &Decision, said: &Said, found: &mut Verification) {
    let computed = found.computed.as_deref().unwrap_or_default();
    let (then, now) = (Written::parse(&said.message), Written::parse(computed));
    let chance = then.as_ref().zip(now.as_ref()).is_some_and(|(then, now)| differ_by_choice(decision, then, now));
    if *said.message == *computed || chance {
        found.verdict = Verdict::Equal;
        return;
    }
    let difference = Difference::new(decision, then.as_ref(), now.as_ref());
    let changes = Changes::since(decision, said);
    found.evidence = changes.tell(then.as_ref(), decision);
    found.verdict = if changes.explain(&difference) { Verdict::Stale } else { Verdict::Different };
    found.what = difference.what;
}

/// Whether two messages name different nodes among those that the scheduler may choose from, and nothing else differs.
fn differ_by_choice(decision: &Decision, then: &Written, now: &Written) -> bool {
    let Some(Preemption::Found { node, victims }) = &then.preemption else { return false };
    let Some(report) = &decision.preemption else { return false };
    let cluster = decision.world.cluster;
    let same = Written { preemption: now.preemption.clone(), ..then.clone() } == *now;
    let chosen = cluster.find_node(node).filter(|node| report.winners.contains(node));
    let cost = report.candidates().find(|c| Some(c.node) == chosen).map(|c| c.victims.len());
    same && matches!(now.preemption, Some(Preemption::Found { .. })) && cost == Some(*victims)
}

/// What differs between two messages.
struct Difference {
    what: String,
    /// The number of nodes.
    nodes: bool,
    /// Something that hangs on fields of nodes.
    fields: bool,
    /// Something that cannot be told apart any further.
    form: bool,
}

impl Difference {
    fn new(decision: &Decision, then: Option<&Written>, now: Option<&Written>) -> Self {
        let mut difference = Self { what: String::new(), nodes: false, fields: false, form: false };
        let fits = decision.outcome == Outcome::Schedulable;
        match (then, now) {
            (Some(then), Some(now)) => difference.between(then, now),
            (Some(then), None) if fits => {
                difference.nodes = then.total != decision.world.cluster.nodes.len();
                difference.what = format!("condition says {}; now it fits on {}", short(then), places(decision));
            }
            (None, _) if fits => {
                difference.form = true;
                difference.what = format!("condition says something else; now it fits on {}", places(decision));
            }
            _ => {
                difference.form = true;
                "the messages are of different kinds".clone_into(&mut difference.what);
            }
        }
        difference
    }

    fn between(&mut self, then: &Written, now: &Written) {
        let mut parts: Vec<(String, String)> = Vec::new();
        self.nodes = then.total != now.total;
        match (&then.refusal, &now.refusal) {
            (Refusal::Nodes(before), Refusal::Nodes(after)) => {
                let changed = changed(before, after);
                self.fields = changed.iter().any(|reason| ABOUT_NODES.iter().any(|known| reason.starts_with(known)));
                for reason in changed {
                    let count = |counts: &BTreeMap<String, usize>| counts.get(reason).copied().unwrap_or(0);
                    parts.push((format!("{} {reason}", count(before)), format!("{} {reason}", count(after))));
                }
            }
            (before, after) if before != after => {
                self.form = true;
                let text = |refusal: &Refusal| match refusal {
                    Refusal::Nodes(_) => "reasons by node".to_owned(),
                    Refusal::Pod(text) => text.clone(),
                };
                parts.push((text(before), text(after)));
            }
            _ => {}
        }
        if then.others != now.others {
            self.form = true;
            parts.push((quote(&then.others), quote(&now.others)));
        }
        if parts.is_empty() && !same_preemption(then, now) {
            let text = |p: &Option<Preemption>| p.as_ref().map_or("nothing of preemption".to_owned(), tell);
            parts.push((text(&then.preemption), text(&now.preemption)));
        }
        let (before, after): (Vec<String>, Vec<String>) = parts.into_iter().unzip();
        let side = |total: usize, parts: Vec<String>| {
            let total = self.nodes.then(|| format!("0/{total} nodes"));
            total.into_iter().chain(parts).collect::<Vec<_>>().join(", ")
        };
        self.what = format!("condition says {}; now {}", side(then.total, before), side(now.total, after));
    }
}

/// Whether preemption says the same; that it counts as many nodes as the rest of its message says nothing new.
fn same_preemption(then: &Written, now: &Written) -> bool {
    match (&then.preemption, &now.preemption) {
        (Some(Preemption::Nowhere { reasons: before, .. }), Some(Preemption::Nowhere { reasons: after, .. })) => {
            before == after
        }
        (before, after) => before == after,
    }
}

/// Reasons whose count is not the same.
fn changed<'a>(before: &'a BTreeMap<String, usize>, after: &'a BTreeMap<String, usize>) -> BTreeSet<&'a str> {
    let reasons = before.keys().chain(after.keys());
    reasons.filter(|reason| before.get(*reason) != after.get(*reason)).map(String::as_str).collect()
}

fn quote(text: &str) -> String {
    if text.is_empty() { "nothing of other plugins".to_owned() } else { format!("`{text}`") }
}

fn tell(preemption: &Preemption) -> String {
    match preemption {
        Preemption::Found { node, victims } => format!("preemption on {node} with {victims} victims"),
        Preemption::Nowhere { reasons, .. } => format!("preemption nowhere ({})", list(reasons)),
        Preemption::Text(text) => format!("preemption {text}"),
    }
}

fn short(written: &Written) -> String {
    let refusal = match &written.refusal {
        Refusal::Nodes(reasons) => list(reasons),
        Refusal::Pod(text) => text.clone(),
    };
    format!("0/{} nodes, {refusal}", written.total)
}

fn list(reasons: &BTreeMap<String, usize>) -> String {
    reasons.iter().map(|(reason, count)| format!("{count} {reason}")).collect::<Vec<_>>().join(", ")
}

fn places(decision: &Decision) -> String {
    let cluster = decision.world.cluster;
    let names: Vec<&str> = decision.selected.iter().map(|n| cluster.text(cluster.node(*n).name)).collect();
    some(&names)
}

/// `a, b, c and 4 more`.
fn some(names: &[&str]) -> String {
    let mut text = names.iter().copied().take(NAMED).collect::<Vec<_>>().join(", ");
    if names.len() > NAMED {
        // Writing to a string cannot fail.
        let _ = write!(text, " and {} more", names.len() - NAMED);
    }
    text
}

/// What is seen to have changed since the condition became False. What is gone leaves no trace, apart from the number of
/// nodes.
struct Changes {
    joined: Vec<NodeIx>,
    tainted: Vec<NodeIx>,
    came: Vec<PodIx>,
    leaving: Vec<PodIx>,
    nominated: bool,
    sampled: bool,
}

impl Changes {
    fn since(decision: &Decision, said: &Said) -> Self {
        let cluster = decision.world.cluster;
        let pod = cluster.pod(decision.pod);
        let since = said.since.or(pod.created);
        let later = |time: Option<Timestamp>| time.zip(since).is_some_and(|(time, since)| time >= since);
        let nodes = |time: fn(&crate::cluster::node::Node) -> Option<Timestamp>| {
            cluster.node_indices().filter(|n| later(time(cluster.node(*n)))).collect::<Vec<_>>()
        };
        let placed = |ix: &PodIx| {
            let other = cluster.pod(*ix);
            other.is_active() && *ix != decision.pod && !(other.node_name.is_empty() && other.nominated_node.is_empty())
        };
        let pods = |of: &dyn Fn(&Pod) -> bool| {
            cluster.pod_indices().filter(placed).filter(|ix| of(cluster.pod(*ix))).collect::<Vec<_>>()
        };
        Self {
            joined: nodes(|node| node.created),
            tainted: nodes(|node| node.tainted),
            came: pods(&|pod| later(pod.start_time.max(pod.created))),
            leaving: pods(&|pod| later(deleted(pod))),
            nominated: !pod.nominated_node.is_empty(),
            sampled: decision.preemption.as_ref().is_some_and(|report| report.sample_size < report.dry_runs.len()),
        }
    }

    /// Whether these changes can make that difference.
    fn explain(&self, difference: &Difference) -> bool {
        let nodes = difference.nodes || !self.joined.is_empty();
        let pods = !self.came.is_empty() || !self.leaving.is_empty() || self.nominated || self.sampled;
        if difference.form {
            false
        } else if difference.fields {
            nodes || !self.tainted.is_empty()
        } else {
            nodes || pods
        }
    }

    fn tell(&self, then: Option<&Written>, decision: &Decision) -> Vec<String> {
        let cluster = decision.world.cluster;
        let nodes =
            |list: &[NodeIx]| some(&list.iter().map(|n| cluster.text(cluster.node(*n).name)).collect::<Vec<_>>());
        let mut told = Vec::new();
        if let Some(then) = then.filter(|then| then.total != cluster.nodes.len()) {
            told.push(format!("number of nodes: {} then, {} now", then.total, cluster.nodes.len()));
        }
        if !self.joined.is_empty() {
            told.push(format!("nodes joined: {}", nodes(&self.joined)));
        }
        if !self.tainted.is_empty() {
            told.push(format!("nodes got taints: {}", nodes(&self.tainted)));
        }
        if !self.came.is_empty() {
            told.push(format!("pods came to nodes: {}", names(&self.came, cluster)));
        }
        if !self.leaving.is_empty() {
            told.push(format!("pods are being deleted: {}", names(&self.leaving, cluster)));
        }
        if self.nominated {
            let node = cluster.text(cluster.pod(decision.pod).nominated_node);
            told.push(format!("it is nominated to {node}"));
        }
        if self.sampled {
            told.push("on large clusters the scheduler tries preemption on a random sample of nodes".to_owned());
        }
        told
    }
}

fn names(pods: &[PodIx], cluster: &Cluster) -> String {
    let names: Vec<String> = pods.iter().take(NAMED).map(|pod| cluster.pod_name(*pod)).collect();
    let mut text = names.join(", ");
    if pods.len() > NAMED {
        // Writing to a string cannot fail.
        let _ = write!(text, " and {} more", pods.len() - NAMED);
    }
    text
}

/// When its deletion was asked for: the API shows when it is due.
fn deleted(pod: &Pod) -> Option<Timestamp> {
    pod.deletion?.checked_sub(SignedDuration::from_secs(pod.grace_seconds.max(0))).ok()
}

#[cfg(test)]
mod tests;

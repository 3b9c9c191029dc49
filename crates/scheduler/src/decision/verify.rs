//! Compares the message that the scheduler wrote about a pod with the one that its rules give now,
//! and looks for changes in the cluster that explain a difference.

mod changes;
mod difference;
mod unseen;

use std::collections::BTreeSet;

use changes::ClusterChanges;
use difference::MessageDifference;
use jiff::Timestamp;

use super::fit_error::{ParsedFitError, PreemptionText};
use super::handlers::HeldBy;
use super::waiting::GATES_GONE;
use super::{Decision, Explanation};
use crate::framework::cycle::NodeVerdict;
use model::cluster::PodIx;
use model::cluster::pod::ScheduledCondition;

/// The result of the comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum VerificationResult {
    /// The messages are equal, or differ only in what the scheduler chooses at random.
    Equal,
    /// They differ, and changes in the cluster since then explain it, or changes of nodes that leave
    /// no time behind can.
    Stale,
    /// They differ, and no such change explains it.
    Different,
    /// The scheduler has written no message that can be compared.
    NoMessage,
}

impl VerificationResult {
    /// Every result, in the order of a summary.
    pub const ALL: [Self; 4] = [Self::Equal, Self::Stale, Self::Different, Self::NoMessage];

    /// Its name in text.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::Stale => "stale",
            Self::Different => "different",
            Self::NoMessage => "no message",
        }
    }

    /// Its name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Equal => "Equal",
            Self::Stale => "Stale",
            Self::Different => "Different",
            Self::NoMessage => "NoMessage",
        }
    }
}

/// The comparison of one pod's condition with the rules.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verification {
    pub pod: PodIx,
    pub verdict: VerificationResult,
    /// The difference, or why there is nothing to compare, in one line; empty if the messages are
    /// equal.
    pub what: String,
    /// The message in the condition.
    pub written: Option<String>,
    /// The message that the scheduler would write now; `None` if it would schedule the pod.
    pub computed: Option<String>,
    /// When the condition became False; its message may be newer.
    pub since: Option<Timestamp>,
    /// The visible changes since then, one line each.
    pub evidence: Vec<String>,
    /// Whether something that affects the decision is not modelled or could not be read.
    pub unsure: bool,
    /// If the messages differ: the newest minor version of the scheduler that writes exactly this
    /// message.
    pub written_by: Option<String>,
    /// The oldest of the versions before that one that all write it.
    pub written_since: Option<String>,
}

impl Verification {
    /// The scheduler versions that write exactly this message, if another one than this does:
    /// `1.22`, `1.20 to 1.22`.
    pub fn writers(&self) -> Option<String> {
        let newest = self.written_by.as_ref()?;
        let oldest = self.written_since.as_ref().filter(|oldest| *oldest != newest);
        Some(oldest.map_or_else(|| newest.clone(), |oldest| format!("{oldest} to {newest}")))
    }

    /// Whether another scheduler version would write the message in the condition.
    pub fn is_what_writes(&self, other: &Decision) -> bool {
        self.written.is_some() && self.written.as_deref() == other.condition_message()
    }
}

impl Explanation<'_> {
    /// Compares the condition that the pod carries with what the scheduler would report now.
    pub fn compare_condition(&mut self) {
        self.condition = Some(verify(&self.decision));
    }
}

/// Compares the condition of the pod with `decision`.
pub fn verify(decision: &Decision) -> Verification {
    let cluster = decision.view.cluster;
    let pod = cluster.pod(decision.pod);
    let condition = pod.scheduled_condition.as_deref();
    let mut verification = Verification {
        pod: decision.pod,
        verdict: VerificationResult::NoMessage,
        what: String::new(),
        written: condition.map(|s| s.message.to_string()),
        computed: decision.condition_message().map(str::to_owned),
        since: condition.and_then(|s| s.since),
        evidence: Vec::new(),
        unsure: decision.is_unsure(),
        written_by: None,
        written_since: None,
    };
    match (no_message_reason(decision, condition), condition) {
        (Some(why), _) => verification.what = why,
        (None, Some(condition)) => compare(decision, condition, &mut verification),
        (None, None) => {}
    }
    verification
}

/// Why there is no message to compare, if there is none.
fn no_message_reason(
    decision: &Decision,
    condition: Option<&ScheduledCondition>,
) -> Option<String> {
    if let Some(why) = decision.why() {
        return Some(why);
    }
    if let Some(holder) = decision.holder().filter(|holder| holder.by == HeldBy::Quota) {
        let name = holder.name(decision.pod, decision.view.cluster);
        return Some(format!(
            "its message is that of a plugin of {name}, whose rules are not known here"
        ));
    }
    match condition {
        None => {
            Some("there is no PodScheduled condition that is False: the scheduler has not rejected it yet".to_owned())
        }
        Some(condition) if &*condition.reason == "SchedulingGated" => Some(GATES_GONE.to_owned()),
        Some(condition) if condition.message.is_empty() => Some("the PodScheduled condition has no message".to_owned()),
        Some(_) => None,
    }
}

fn compare(decision: &Decision, condition: &ScheduledCondition, verification: &mut Verification) {
    let cluster = decision.view.cluster;
    let computed = verification.computed.as_deref().unwrap_or_default();
    let (then, now) = (ParsedFitError::parse(&condition.message), ParsedFitError::parse(computed));
    let chance = then
        .as_ref()
        .zip(now.as_ref())
        .is_some_and(|(then, now)| differ_by_choice(decision, then, now));
    let group = decision.membership.as_ref();
    let changed_places =
        group.is_some_and(|group| group.of_others.iter().any(|text| **text == *condition.message));
    if *condition.message == *computed || chance || changed_places {
        verification.verdict = VerificationResult::Equal;
        return;
    }
    let difference = MessageDifference::new(decision, then.as_ref(), now.as_ref());
    let changes = ClusterChanges::since(decision, condition);
    verification.evidence = changes.lines(then.as_ref(), &difference, decision);
    verification.verdict = VerificationResult::Stale;
    if !changes.explain(&difference) {
        // The scheduler does not try the pod again when a node gets worse for it.
        let since = condition.since.or(cluster.pod(decision.pod).created);
        match unseen::explanation(decision, then.as_ref(), now.as_ref(), &difference, since) {
            Some(line) => verification.evidence.push(line),
            None => verification.verdict = VerificationResult::Different,
        }
    }
    verification.what = difference.what;
}

/// Whether two messages differ only in what the scheduler may choose (the node, and the number of
/// victims there), or in an order that is not in the API: that of concurrent failing dry runs, or
/// of several causes on one node.
fn differ_by_choice(decision: &Decision, then: &ParsedFitError, now: &ParsedFitError) -> bool {
    let cluster = decision.view.cluster;
    let alternatives = alternatives(decision);
    if then.total != now.total
        || then.others != now.others
        || then.rejection.as_one(&alternatives) != now.rejection.as_one(&alternatives)
    {
        return false;
    }
    match (&then.preemption, &now.preemption) {
        (Some(PreemptionText::Found { node, victims }), Some(PreemptionText::Found { .. })) => {
            let chosen = cluster.find_node(node).filter(|node| decision.selected().contains(node));
            let counts = chosen.map(|node| decision.victim_count(node));
            counts.is_some_and(|counts| (counts.fewest..=counts.most).contains(victims))
        }
        (Some(PreemptionText::Text(text)), Some(PreemptionText::Text(_))) => {
            then.preemption == now.preemption
                || decision.preemption().is_some_and(|report| lists(text, report.errors()))
        }
        (then, now) => then == now,
    }
}

/// Groups of reasons that the scheduler may write in place of one another on some node. Groups with
/// a common reason are merged.
fn alternatives(decision: &Decision) -> Vec<BTreeSet<String>> {
    let reasons = decision
        .nodes()
        .iter()
        .filter_map(NodeVerdict::rejection)
        .flat_map(|rejection| &rejection.reasons);
    let sets: BTreeSet<BTreeSet<String>> =
        reasons.map(|reason| reason.any_of(decision.view.cluster)).collect();
    let mut groups: Vec<BTreeSet<String>> = Vec::new();
    for mut group in sets {
        let (apart, overlapping): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|other| other.is_disjoint(&group));
        group.extend(overlapping.into_iter().flatten());
        groups = apart;
        groups.push(group);
    }
    groups
}

/// Whether the text lists exactly these errors, in any order.
fn lists(text: &str, mut errors: BTreeSet<&str>) -> bool {
    let Some(mut rest) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) else {
        return false;
    };
    loop {
        let begins = errors.iter().copied().filter(|error| rest.starts_with(error));
        let Some(error) = begins.max_by_key(|error| error.len()) else { return false };
        errors.remove(error);
        rest = rest.get(error.len()..).unwrap_or_default();
        match rest.strip_prefix(", ") {
            Some(others) => rest = others,
            None => return rest.is_empty() && errors.is_empty(),
        }
    }
}

#[cfg(test)]
mod tests;

//! A message of the scheduler taken apart: how many nodes, which reasons how often, and what preemption said.
//!
//! Upstream: `pkg/scheduler/framework/types.go` `FitError.Error` and the PostFilter texts appended to it (1.29 to 1.37).

use std::collections::BTreeMap;

/// How PostFilter texts begin; reasons queue_gate full stops of their own, so these tell where the reasons end.
const POST_FILTER: &[&str] = &[
    PREEMPTION,
    "no new claims to deallocate",
    "not found",
    "still not schedulable",
    "plugin disabled",
    "deallocation of ",
    "deletion of ",
    "running ",
];
const PREEMPTION: &str = "preemption: ";

/// A message of the form `0/5 nodes are available: …`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedFitError {
    /// Nodes in the cluster.
    pub total: usize,
    /// Why nodes were refused.
    pub rejection: FitErrorReasons,
    /// What other PostFilter plugins than preemption said.
    pub others: String,
    /// What preemption said.
    pub preemption: Option<PreemptionText>,
}

/// Why nodes were refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FitErrorReasons {
    /// Reasons over nodes.
    Nodes(BTreeMap<String, usize>),
    /// One reason for the pod as a whole.
    Pod(String),
}

/// What preemption said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PreemptionText {
    /// Where it makes room.
    Found {
        /// The node.
        node: String,
        /// How many pods it costs.
        victims: usize,
    },
    /// Why it helps nowhere: reasons over nodes.
    Nowhere {
        /// Nodes in the cluster.
        total: usize,
        /// Reasons over nodes.
        reasons: BTreeMap<String, usize>,
    },
    /// Anything else, such as why the pod may not preempt.
    Text(String),
}

impl ParsedFitError {
    /// Takes a message apart; `None` if it has another form, as errors have.
    #[must_use]
    pub fn parse(message: &str) -> Option<Self> {
        let (total, rest) = head(message)?;
        let (body, post) = split(rest);
        let rejection = reasons(body).map_or_else(|| FitErrorReasons::Pod(body.to_owned()), FitErrorReasons::Nodes);
        let (others, preemption) = match post.split_once(PREEMPTION) {
            Some((others, text)) => (others.trim_end_matches([',', ' ']), Some(PreemptionText::parse(text))),
            None => (post, None),
        };
        Some(Self { total, rejection, others: others.to_owned(), preemption })
    }
}

impl PreemptionText {
    fn parse(text: &str) -> Self {
        // 1.26 to 1.28 end with a full stop of their own.
        let text = if text.ends_with("..") { text.strip_suffix('.').unwrap_or(text) } else { text };
        let found = text.strip_prefix("found a potential placement for pod on node ").and_then(|rest| {
            let (node, rest) = rest.split_once(", preempting ")?;
            Some(Self::Found { node: node.to_owned(), victims: rest.strip_suffix(" victims")?.parse().ok()? })
        });
        let nowhere = || {
            let (total, rest) = head(text)?;
            Some(Self::Nowhere { total, reasons: reasons(rest.strip_suffix('.')?)? })
        };
        found.or_else(nowhere).unwrap_or_else(|| Self::Text(text.to_owned()))
    }
}

/// `0/5 nodes are available:` and the rest, without the space between.
fn head(text: &str) -> Option<(usize, &str)> {
    let (total, rest) = text.strip_prefix("0/")?.split_once(" nodes are available:")?;
    Some((total.parse().ok()?, rest.strip_prefix(' ').unwrap_or(rest)))
}

/// The reasons, without their full stop, and what PostFilter plugins said.
fn split(rest: &str) -> (&str, &str) {
    let stops = rest.match_indices(". ");
    let post = stops.filter_map(|(at, stop)| rest.split_at_checked(at + stop.len()));
    let known = post.filter(|(_, post)| POST_FILTER.iter().any(|start| post.starts_with(start)));
    let (body, post) = known.map(|(body, post)| (body.trim_end(), post)).next().unwrap_or((rest, ""));
    (body.strip_suffix('.').unwrap_or(body), post)
}

/// `2 Insufficient cpu, 1 Too many pods`; a comma may also be part of a reason. `None` if it is something else.
fn reasons(text: &str) -> Option<BTreeMap<String, usize>> {
    let mut reasons = BTreeMap::new();
    let mut last: Option<(String, usize)> = None;
    for piece in text.split(", ") {
        let counted = piece.split_once(' ').and_then(|(count, reason)| Some((reason, count.parse().ok()?)));
        match (counted, &mut last) {
            (Some((reason, count)), _) => {
                reasons.extend(last.take());
                last = Some((reason.to_owned(), count));
            }
            (None, Some((reason, _))) => {
                reason.push_str(", ");
                reason.push_str(piece);
            }
            (None, None) => return None,
        }
    }
    reasons.extend(last);
    Some(reasons)
}

#[cfg(test)]
mod tests;

//! What differs between two messages, and what that hangs on.

use std::collections::{BTreeMap, BTreeSet};

use super::changes::some;
use crate::decision::fit_error::{ParsedFitError, Preemption, Refusal};
use crate::decision::{Decision, Outcome};

/// Reasons that hang on the node's own fields, or on the pod's; pods that come and go do not change them.
const ABOUT_NODES: &[&str] = &[
    "node(s) were unschedulable",
    "node(s) didn't match the requested node name",
    "node(s) had untolerated taint",
    "node(s) didn't match Pod's node affinity/selector",
    "node(s) didn't match scheduler-enforced node affinity",
    "node(s) didn't satisfy plugin(s)",
];
/// What differs between two messages.
pub(super) struct Difference {
    /// In one line.
    pub(super) what: String,
    /// Whether the number of nodes does.
    pub(super) nodes: bool,
    /// What it hangs on.
    pub(super) sort: Sort,
}

/// What a difference hangs on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    /// Counts that pods change that come and go.
    Counts,
    /// Fields of nodes.
    Fields,
    /// Where preemption makes room, and nothing else.
    Place,
    /// Something that cannot be told apart any further.
    Form,
}

impl Difference {
    /// What differs between what was written and what would be written now; `None` is another form of text.
    pub(super) fn new(decision: &Decision, then: Option<&ParsedFitError>, now: Option<&ParsedFitError>) -> Self {
        let mut difference = Self { what: String::new(), nodes: false, sort: Sort::Counts };
        let fits = decision.outcome == Outcome::Schedulable;
        match (then, now) {
            (Some(then), Some(now)) => {
                difference.between(then, now);
                if !may_write(decision, then, now) {
                    difference.sort = Sort::Form;
                }
            }
            (Some(then), None) if fits => {
                difference.nodes = then.total != decision.view.cluster.nodes.len();
                if let Refusal::Nodes(reasons) = &then.refusal
                    && reasons.keys().all(|reason| is_about_nodes(reason))
                {
                    difference.sort = Sort::Fields;
                }
                difference.what = format!("condition says {}; now it fits on {}", short(then), places(decision));
            }
            (None, _) if fits => {
                difference.sort = Sort::Form;
                difference.what = format!("condition says something else; now it fits on {}", places(decision));
            }
            _ => {
                difference.sort = Sort::Form;
                "the messages are of different kinds".clone_into(&mut difference.what);
            }
        }
        difference
    }

    fn between(&mut self, then: &ParsedFitError, now: &ParsedFitError) {
        let mut parts: Vec<(String, String)> = Vec::new();
        self.nodes = then.total != now.total;
        match (&then.refusal, &now.refusal) {
            (Refusal::Nodes(before), Refusal::Nodes(after)) => {
                let changed = changed(before, after);
                if changed.iter().any(|reason| is_about_nodes(reason)) {
                    self.sort = Sort::Fields;
                }
                for reason in changed {
                    let count = |counts: &BTreeMap<String, usize>| counts.get(reason).copied().unwrap_or(0);
                    parts.push((format!("{} {reason}", count(before)), format!("{} {reason}", count(after))));
                }
            }
            (before, after) if before != after => {
                self.sort = Sort::Form;
                let text = |refusal: &Refusal| match refusal {
                    Refusal::Nodes(_) => "reasons by node".to_owned(),
                    Refusal::Pod(text) => text.clone(),
                };
                parts.push((text(before), text(after)));
            }
            _ => {}
        }
        // A version that does not tell of success tells nothing of other plugins then either.
        if then.others != now.others && then.preemption.is_some() == now.preemption.is_some() {
            self.sort = Sort::Form;
            parts.push((quote(&then.others), quote(&now.others)));
        }
        if parts.is_empty() && !same_preemption(then, now) {
            let found = |p: &Option<Preemption>| matches!(p, Some(Preemption::Found { .. }));
            if found(&then.preemption) && found(&now.preemption) {
                self.sort = Sort::Place;
            }
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

fn is_about_nodes(reason: &str) -> bool {
    ABOUT_NODES.iter().any(|known| reason.starts_with(known))
}

/// Whether this version may write such a message at all: some tell where preemption makes room, some never do.
fn may_write(decision: &Decision, then: &ParsedFitError, now: &ParsedFitError) -> bool {
    let tells = decision.profile().features.message.success_message;
    match &then.preemption {
        Some(Preemption::Found { .. }) => tells,
        None => !tells || now.preemption.is_none() || matches!(then.refusal, Refusal::Pod(_)),
        Some(Preemption::Nowhere { .. } | Preemption::Text(_)) => true,
    }
}

/// Whether preemption says the same; that it counts as many nodes as the rest of its message says nothing new.
fn same_preemption(then: &ParsedFitError, now: &ParsedFitError) -> bool {
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

fn short(written: &ParsedFitError) -> String {
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
    let cluster = decision.view.cluster;
    let names: Vec<&str> = decision.selected.iter().map(|n| cluster.text(cluster.node(*n).name)).collect();
    some(&names)
}

//! The difference between two messages of the scheduler, and its possible cause.

use std::collections::{BTreeMap, BTreeSet};

use crate::decision::Decision;
use crate::decision::fit_error::{FitErrorReasons, ParsedFitError, PreemptionText};

/// Maximum number of objects of one kind that a text names.
const NAMED: usize = 3;

/// Reasons that depend on fields of the node or of the pod, and not on other pods.
const ABOUT_NODES: &[&str] = &[
    "node(s) were unschedulable",
    "node(s) didn't match the requested node name",
    "node(s) had untolerated taint",
    "node(s) didn't match Pod's node affinity/selector",
    "node(s) didn't match scheduler-enforced node affinity",
    "node(s) didn't satisfy plugin(s)",
];
/// The difference between two messages.
pub(super) struct MessageDifference {
    /// The difference in one line.
    pub(super) what: String,
    /// Whether the number of nodes differs.
    pub(super) nodes: bool,
    /// The kind of change that may cause it.
    pub(super) sort: ChangeKind,
}

/// The kind of change that may cause a difference.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ChangeKind {
    /// Counts that change when pods are created or deleted.
    Counts,
    /// Fields of nodes.
    Fields,
    /// Only the node that preemption picks.
    Place,
    /// Any other difference.
    Form,
}

impl MessageDifference {
    /// The difference between the message that was written and the one that would be written now;
    /// `None` stands for a text of another form.
    pub(super) fn new(
        decision: &Decision,
        then: Option<&ParsedFitError>,
        now: Option<&ParsedFitError>,
    ) -> Self {
        let mut difference = Self { what: String::new(), nodes: false, sort: ChangeKind::Counts };
        let fits = decision.fits();
        match (then, now) {
            (Some(then), Some(now)) => {
                difference.between(then, now);
                if !may_write(decision, then, now) {
                    difference.sort = ChangeKind::Form;
                }
            }
            (Some(then), None) if fits => {
                difference.nodes = then.total != decision.view.cluster.nodes.len();
                if let FitErrorReasons::Nodes(reasons) = &then.rejection
                    && reasons.keys().all(|reason| is_about_nodes(reason))
                {
                    difference.sort = ChangeKind::Fields;
                }
                difference.what =
                    format!("condition says {}; now it fits on {}", short(then), places(decision));
            }
            (None, _) if fits => {
                difference.sort = ChangeKind::Form;
                difference.what =
                    format!("condition says something else; now it fits on {}", places(decision));
            }
            _ => {
                difference.sort = ChangeKind::Form;
                "the messages are of different kinds".clone_into(&mut difference.what);
            }
        }
        difference
    }

    fn between(&mut self, then: &ParsedFitError, now: &ParsedFitError) {
        let (mut before, mut after) = (Vec::new(), Vec::new());
        self.nodes = then.total != now.total;
        if self.nodes {
            before.push(format!("0/{} nodes", then.total));
            after.push(format!("0/{} nodes", now.total));
        }
        let head = before.len();

        match (&then.rejection, &now.rejection) {
            (FitErrorReasons::Nodes(counts_then), FitErrorReasons::Nodes(counts_now)) => {
                for reason in changed(counts_then, counts_now) {
                    if is_about_nodes(reason) {
                        self.sort = ChangeKind::Fields;
                    }
                    let [was, is] = [counts_then, counts_now]
                        .map(|counts| counts.get(reason).copied().unwrap_or_default());
                    before.push(format!("{was} {reason}"));
                    after.push(format!("{is} {reason}"));
                }
            }
            (rejection_then, rejection_now) if rejection_then != rejection_now => {
                self.sort = ChangeKind::Form;
                before.push(reasons_text(rejection_then));
                after.push(reasons_text(rejection_now));
            }
            _ => {}
        }

        // A version that does not report a successful preemption omits the texts of the other
        // plugins as well.
        if then.others != now.others && then.preemption.is_some() == now.preemption.is_some() {
            self.sort = ChangeKind::Form;
            before.push(quote(&then.others));
            after.push(quote(&now.others));
        }

        // What preemption does follows from the reasons, so it is worth a word only without them.
        if before.len() == head && !same_preemption(then, now) {
            if let (Some(PreemptionText::Found { .. }), Some(PreemptionText::Found { .. })) =
                (&then.preemption, &now.preemption)
            {
                self.sort = ChangeKind::Place;
            }
            before.push(preemption_text(then));
            after.push(preemption_text(now));
        }
        self.what = format!("condition says {}; now {}", before.join(", "), after.join(", "));
    }
}

fn reasons_text(rejection: &FitErrorReasons) -> String {
    match rejection {
        FitErrorReasons::Nodes(_) => "reasons by node".to_owned(),
        FitErrorReasons::Pod(text) => text.clone(),
    }
}

fn preemption_text(message: &ParsedFitError) -> String {
    message.preemption.as_ref().map_or("nothing of preemption".to_owned(), tell)
}

fn is_about_nodes(reason: &str) -> bool {
    ABOUT_NODES.iter().any(|start| reason.starts_with(start))
}

/// Whether this version can write such a message: some versions report the node of a successful
/// preemption, some do not.
fn may_write(decision: &Decision, then: &ParsedFitError, now: &ParsedFitError) -> bool {
    let tells = decision.profile().features.message.success_message;
    match &then.preemption {
        Some(PreemptionText::Found { .. }) => tells,
        None => {
            !tells || now.preemption.is_none() || matches!(then.rejection, FitErrorReasons::Pod(_))
        }
        Some(PreemptionText::Nowhere { .. } | PreemptionText::Text(_)) => true,
    }
}

/// Whether the texts of preemption are equal; the number of nodes in them is already compared.
fn same_preemption(then: &ParsedFitError, now: &ParsedFitError) -> bool {
    match (&then.preemption, &now.preemption) {
        (
            Some(PreemptionText::Nowhere { reasons: before, .. }),
            Some(PreemptionText::Nowhere { reasons: after, .. }),
        ) => before == after,
        (before, after) => before == after,
    }
}

/// The reasons whose counts differ.
fn changed<'a>(
    before: &'a BTreeMap<String, usize>,
    after: &'a BTreeMap<String, usize>,
) -> BTreeSet<&'a str> {
    let reasons = before.keys().chain(after.keys());
    reasons.filter(|reason| before.get(*reason) != after.get(*reason)).map(String::as_str).collect()
}

fn quote(text: &str) -> String {
    if text.is_empty() { "nothing of other plugins".to_owned() } else { format!("`{text}`") }
}

fn tell(preemption: &PreemptionText) -> String {
    match preemption {
        PreemptionText::Found { node, victims } => {
            format!("preemption on {node} with {victims} victims")
        }
        PreemptionText::Nowhere { reasons, .. } => {
            format!("preemption nowhere ({})", list(reasons))
        }
        PreemptionText::Text(text) => format!("preemption {text}"),
    }
}

fn short(written: &ParsedFitError) -> String {
    let rejection = match &written.rejection {
        FitErrorReasons::Nodes(reasons) => list(reasons),
        FitErrorReasons::Pod(text) => text.clone(),
    };
    format!("0/{} nodes, {rejection}", written.total)
}

fn list(reasons: &BTreeMap<String, usize>) -> String {
    reasons.iter().map(|(reason, count)| format!("{count} {reason}")).collect::<Vec<_>>().join(", ")
}

fn places(decision: &Decision) -> String {
    let cluster = decision.view.cluster;
    first_names(decision.selected().iter().map(|n| cluster.node_name(*n).to_owned()))
}

/// The first few names as `a, b, c and 4 more`.
pub(super) fn first_names(names: impl ExactSizeIterator<Item = String>) -> String {
    let more = names.len().saturating_sub(NAMED);
    let named = names.take(NAMED).collect::<Vec<_>>().join(", ");
    if more == 0 { named } else { format!("{named} and {more} more") }
}

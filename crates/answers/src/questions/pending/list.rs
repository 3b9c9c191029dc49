//! The answer of `pending`: a row for each pod or group that waits, with its verdict.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::group;
use super::row::{PendingRow, PendingVerdict};
use crate::headline::rules_in_short;
use crate::input_flags::InputFlags;
use crate::pod_report::PodReport;
use crate::words;
use crate::workload::MissingPods;
use engine::autoscalers::Autoscalers;
use engine::groups::answer::GroupAnswer;
use engine::notes::{self, Note};
use engine::profile::Profile;

/// All rows, most important first, with the notes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Pending {
    /// One row per pod, or per group of pods that is scheduled as a whole.
    pub rows: Vec<PendingRow>,
    /// The notes, without duplicates.
    pub notes: Vec<Note>,
    /// The workloads whose pods were never created.
    pub workloads: Vec<MissingPods>,
    /// How the pods were decided.
    pub sequence: DecisionSequence,
    /// The version whose rules decided.
    pub rules: Option<String>,
    /// How a command asks about the same input.
    pub flags: Arc<InputFlags>,
    /// The ending that the names of all nodes share.
    pub ending: String,
    /// What becomes of the pods one after the other, where that is quickly known and other than what
    /// becomes of each alone.
    pub together: Option<Vec<(PendingVerdict, usize)>>,
}

/// Whether decisions depend on those about earlier pods.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum DecisionSequence {
    /// Each pod alone, on the current cluster.
    #[default]
    Alone,
    /// One after the other: each sees where the earlier ones went.
    InOrder,
}

impl DecisionSequence {
    /// The text after the number of pods: the counts differ if each pod sees where the earlier ones
    /// went.
    const fn of_count(self) -> &'static str {
        match self {
            Self::Alone => ", each decided alone",
            Self::InOrder => ", in queue order",
        }
    }
}

impl Pending {
    /// Adds the pod of `decision`.
    pub fn add(&mut self, decision: &PodReport) {
        self.add_row(PendingRow::of(decision), &decision.notes, decision.profile());
    }

    /// Adds the row of a decision by `profile` that has these notes.
    pub fn add_row(&mut self, row: PendingRow, notes: &[Note], profile: &Profile) {
        self.rows.push(row);
        self.rules.get_or_insert_with(|| rules_in_short(profile));
        notes.iter().for_each(|note| notes::add(&mut self.notes, note.clone()));
    }

    /// Whether any row says who acts next.
    #[must_use]
    pub fn names_actors(&self) -> bool {
        self.rows.iter().any(|row| row.autoscalers.is_some())
    }

    /// Adds a group of pods.
    pub(super) fn add_group(&mut self, answer: &GroupAnswer, autoscalers: Option<&Autoscalers>) {
        self.rows.push(PendingRow::of_group(answer, autoscalers));
        self.rules.get_or_insert_with(|| rules_in_short(answer.view().profile));
        answer.notes().iter().for_each(|note| notes::add(&mut self.notes, note.clone()));
    }

    /// The rows of the list, in which pods of one owner share a row if they get the same answer:
    /// the index of the first of them, that row, and their common name.
    #[must_use]
    pub fn shared_rows(&self) -> Vec<(usize, &PendingRow, String)> {
        let place = |row: &PendingRow| {
            self.rows.iter().position(|other| std::ptr::eq(row, other)).unwrap_or_default()
        };
        let groups = group::groups(&self.rows);
        groups.iter().map(|group| (place(group.first), group.first, group.name())).collect()
    }

    /// The number of pods with `verdict`.
    #[must_use]
    pub fn count(&self, verdict: PendingVerdict) -> usize {
        let counted = self.rows.iter().flat_map(PendingRow::counted);
        counted.filter(|(of, _)| *of == verdict).map(|(_, pods)| pods).sum()
    }

    /// `12 pending: 3 fit now, 4 preempt, 5 blocked (2 not certain)`.
    #[must_use]
    pub fn summary(&self) -> String {
        summary(&self.rows.iter().collect::<Vec<_>>(), "", "")
    }

    /// The node that keeps the most pods waiting because it is cordoned. It is often one that is to
    /// go away and does not, and `node` says what is in the way.
    fn cordoned_node(&self) -> Option<&str> {
        let mut pods: BTreeMap<&str, usize> = BTreeMap::new();
        for row in &self.rows {
            let is_kept = matches!(row.verdict, PendingVerdict::Blocked | PendingVerdict::Errors);
            let node = row.cause.as_ref().and_then(|cause| cause.cordoned.as_deref());
            if let Some(node) = node.filter(|_| is_kept) {
                *pods.entry(node).or_default() += row.pods();
            }
        }
        // Of several, the first by name.
        pods.into_iter().min_by_key(|(_, pods)| Reverse(*pods)).map(|(node, _)| node)
    }

    /// The command that says what is in the way of that node, without the program's name.
    pub fn next_command(&self) -> Option<Vec<String>> {
        Some(self.flags.command(&["node", self.cordoned_node()?]))
    }

    /// The command that explains the most important row that will not fit by itself, or else the first
    /// one; without the program's name.
    pub fn explain_command(&self) -> Option<Vec<String>> {
        let settled = [PendingVerdict::Fits, PendingVerdict::Preempts, PendingVerdict::Waits];
        let stays = self.rows.iter().find(|row| !settled.contains(&row.verdict));
        let row = stays.or_else(|| self.rows.first())?;
        let name = match &row.group {
            Some(_) => format!("podgroup/{}", row.name),
            None => row.name.clone(),
        };
        Some(self.flags.command(&["explain", &name, "-n", &row.namespace]))
    }

    /// How many pods have which verdict.
    pub(super) fn verdicts(&self) -> Vec<(PendingVerdict, usize)> {
        let all = PendingVerdict::ALL.map(|verdict| (verdict, self.count(verdict)));
        all.into_iter().filter(|(_, pods)| *pods > 0).collect()
    }

    /// What becomes of the pods one after the other, as the end of the summary; empty if it is not
    /// known, or the same as for each alone.
    pub fn together_text(&self) -> String {
        let Some(together) = &self.together else { return String::new() };
        let texts: Vec<String> =
            together.iter().map(|(verdict, pods)| verdict.counted(*pods)).collect();
        format!("; together: {}", texts.join(", "))
    }

    /// How the pods are counted, if there is more than one.
    pub fn counted(&self) -> &'static str {
        if self.rows.len() > 1 { self.sequence.of_count() } else { "" }
    }
}

/// The numbers of the pods in `rows`: the total with `of` after it, then by verdict with `counted`
/// before it.
pub fn summary(rows: &[&PendingRow], of: &str, counted: &str) -> String {
    let mut total = 0;
    let mut unsure = 0;
    let mut by_verdict = PendingVerdict::ALL.map(|verdict| (verdict, 0));
    for row in rows {
        total += row.pods();
        if row.is_unsure() {
            unsure += row.pods();
        }
        for (of, pods) in row.counted() {
            for (verdict, number) in &mut by_verdict {
                if *verdict == of {
                    *number += pods;
                }
            }
        }
    }
    let mut shown = Vec::new();
    for (verdict, number) in by_verdict {
        if number > 0 {
            shown.push(verdict.counted(number));
        }
    }
    let total = words::group_digits(total);
    if shown.is_empty() {
        return format!("{total}{of} pending");
    }
    let doubt = match unsure {
        0 => String::new(),
        unsure => format!(" ({} not certain)", words::group_digits(unsure)),
    };
    format!("{total}{of} pending{counted}: {}{doubt}", shown.join(", "))
}

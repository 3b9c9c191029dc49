//! What makes preemption surprising, dangerous or useless in a cluster: findings with stable codes
//! and the values behind them.
//!
//! A rule for this whole folder: a check compares what the cluster says, and claims nothing that it
//! cannot know. What it could not examine is listed in [`Audit::gaps`].

mod add_ons;
mod budgets;
pub mod check;
mod classes;
mod guards;
mod nominated;
mod nominations;
mod pods;
mod scope;
mod spread;
mod unread;

use jiff::Timestamp;

use check::NodePart;
pub use check::{Check, Finding, ObjectName};
use model::cluster::Cluster;
use model::notes::{Note, Severity, Subject};
use model::snapshot::Kind;
use profile::Profile;
use profile::doubts::is_about_scheduler;
use profile::gates::Reach;
use scheduler::decision::unread::{Question, QuestionKind};
use scope::AuditScope;

/// The checks of each theme, in the order of the codes.
static THEMES: [&[&Check]; 6] = [
    budgets::CHECKS,
    classes::CHECKS,
    pods::CHECKS,
    nominations::CHECKS,
    guards::CHECKS,
    spread::CHECKS,
];

/// Maximum number of names that a sentence lists.
const NAMED: usize = 4;

/// The result of an audit.
#[derive(Debug, Clone, Default, PartialEq)]
#[must_use]
pub struct Audit {
    /// The findings: the most severe first, then by code and object.
    pub findings: Vec<Finding>,
    /// What could not be examined.
    pub gaps: Vec<AuditGap>,
    /// What makes the rules of the scheduler uncertain.
    pub notes: Vec<Note>,
}

/// Something that checks need and that was not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditGap {
    /// The kind; `None` for an object whose kind could not be read either.
    pub kind: Option<Kind>,
    /// Why it was not read.
    pub cause: GapCause,
    /// The checks that were left out.
    pub left_out: Vec<&'static Check>,
}

/// Why something was not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GapCause {
    /// The input has no object of the kind, and does not say that the kind was read.
    Absent,
    /// The server refused the list with this answer.
    Refused(String),
    /// Objects, or fields of objects, could not be read. The checks are skipped only for these
    /// objects.
    Unread(Note),
    /// The same, in the cluster with which classes are compared.
    UnreadThere(Note),
}

impl Audit {
    /// Whether a check could not be run, or rules of the scheduler are unknown.
    pub fn is_unsure(&self) -> bool {
        self.gaps.iter().any(|gap| !gap.left_out.is_empty())
            || self.notes.iter().any(|note| note.severity == Severity::Error)
    }

    /// Drops everything about other namespaces.
    pub fn keep_namespace(&mut self, namespace: &str) {
        self.findings
            .retain(|one| one.object.namespace.is_empty() || one.object.namespace == namespace);
        self.gaps
            .retain(|gap| gap.kind != Some(Kind::PodDisruptionBudget) || gap.may_be_of(namespace));
    }
}

impl AuditGap {
    /// Whether it may concern an object of that namespace.
    fn may_be_of(&self, namespace: &str) -> bool {
        let (GapCause::Unread(note) | GapCause::UnreadThere(note)) = &self.cause else {
            return true;
        };
        note.count > note.objects.len()
            || note.objects.iter().any(|object| match object {
                Subject::Kind(_) => true,
                Subject::Object { namespace: of, .. } => of.is_empty() || &**of == namespace,
            })
    }
}

/// Examines a cluster, and compares its priority classes with those of `other`, if given. `profile`
/// is the scheduler's, `now` the time of its decisions.
pub fn run(cluster: &Cluster, other: Option<&Cluster>, profile: &Profile, now: Timestamp) -> Audit {
    let scope = AuditScope::new(cluster, other, profile, now);
    let unread = unread::find(cluster, |check| (check.is_made)(&scope));
    let there = other
        .map(|other| unread::find(other, |check| *check == classes::DIFFERS))
        .unwrap_or_default();
    let mut gaps = gaps(cluster);
    let mut findings: Vec<Finding> = Check::all().flat_map(|check| (check.find)(&scope)).collect();
    findings.retain(|finding| {
        !gaps.iter().any(|gap| gap.left_out.contains(&finding.check))
            && !unread.iter().chain(&there).any(|unread| unread.decides(finding))
    });
    gaps.extend(unread.into_iter().map(|unread| unread.gap(GapCause::Unread)));
    gaps.extend(there.into_iter().map(|unread| unread.gap(GapCause::UnreadThere)));
    findings.sort_by(|a, b| {
        let (of_a, of_b) = (a.check, b.check);
        of_b.severity
            .cmp(&of_a.severity)
            .then_with(|| (of_a.code, &a.object).cmp(&(of_b.code, &b.object)))
    });
    Audit { findings, gaps, notes: unknown_rules(profile) }
}

/// Notes about unknown rules of the scheduler that affect any pod.
fn unknown_rules(profile: &Profile) -> Vec<Note> {
    let mut notes = profile.doubts(|reach| reach == Reach::Any);
    notes.retain(|note| note.severity == Severity::Error && is_about_scheduler(note));
    notes
}

/// The kinds that checks need and that were not read.
fn gaps(cluster: &Cluster) -> Vec<AuditGap> {
    let mut gaps = Vec::new();
    for QuestionKind { kind, reliance, .. } in Question::Audit.kinds() {
        let refused = cluster.unread(*kind);
        if refused.is_none() && !cluster.may_lack(*kind) {
            continue;
        }
        let mut left_out = Vec::new();
        if refused.is_some() || reliance.absent == Some(Severity::Error) {
            left_out.extend(Check::all().filter(|check| check.needs.contains(kind)));
        }
        let cause =
            refused.map_or(GapCause::Absent, |missing| GapCause::Refused(missing.reason.clone()));
        gaps.push(AuditGap { kind: Some(*kind), cause, left_out });
    }
    // Whoever may not list nodes, or the pods of all namespaces, gets the checks that need neither.
    for kind in [Kind::Node, Kind::Pod] {
        let Some(missing) = cluster.unread(kind) else { continue };
        let mut left_out = Vec::new();
        for check in Check::all() {
            let reads_nodes = check.reads_nodes != NodePart::Nothing;
            let needs_it = if kind == Kind::Node { reads_nodes } else { check.reads_pods };
            if needs_it {
                left_out.push(check);
            }
        }
        let cause = GapCause::Refused(missing.reason.clone());
        gaps.push(AuditGap { kind: Some(kind), cause, left_out });
    }
    gaps
}

#[cfg(test)]
mod tests;

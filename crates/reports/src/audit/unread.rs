//! Objects and fields that could not be read: checks that read them are skipped for whatever
//! depends on them.

use std::collections::{BTreeMap, BTreeSet};

use super::check::{Check, Finding, NodePart, ObjectName};
use super::{AuditGap, GapCause};
use model::cluster::Cluster;
use model::cluster::notes::TIME;
use model::notes::{MissingInput, Note, ObjectPart, Subject};
use model::snapshot::Kind;

/// A note about the input, restricted to objects of one kind.
pub(super) struct UnreadNote {
    /// `None` if not even the kind could be read.
    kind: Option<Kind>,
    /// Whether the objects are missing as a whole.
    whole: bool,
    /// The note, restricted to objects of this kind.
    note: Note,
    /// The checks that read it.
    left_out: Vec<&'static Check>,
    /// The workloads of the pods that it concerns.
    workloads: BTreeSet<ObjectName>,
}

/// What checks read and could not be read, for all kinds. `is_made` says whether a check has
/// anything to examine.
pub(super) fn find(cluster: &Cluster, is_made: impl Fn(&Check) -> bool) -> Vec<UnreadNote> {
    let mut unread_parts = Vec::new();
    // No check reads a time.
    for note in cluster.notes.iter().filter(|note| *note.doc != TIME) {
        let mut by_kind: BTreeMap<Option<Kind>, Vec<&MissingInput>> = BTreeMap::new();
        for lack in &note.lacks {
            by_kind.entry(lack.kind).or_default().push(lack);
        }
        for (kind, lacks) in by_kind {
            let left_out: Vec<&Check> = Check::all()
                .filter(|check| is_made(check))
                .filter(|check| lacks.iter().any(|lack| reads(check, lack)))
                .collect();
            if !left_out.is_empty() {
                let whole = lacks.iter().all(|lack| lack.part == ObjectPart::Object);
                let mut unread = UnreadNote {
                    kind,
                    whole,
                    note: of_kind(note, kind),
                    left_out,
                    workloads: BTreeSet::new(),
                };
                unread.workloads = unread.workloads(cluster);
                unread_parts.push(unread);
            }
        }
    }
    unread_parts
}

/// Whether a check reads that part of objects of that kind.
fn reads(check: &Check, lack: &MissingInput) -> bool {
    let is_about_labels = match lack.part {
        ObjectPart::Shown | ObjectPart::Images | ObjectPart::AvoidedPods => return false,
        ObjectPart::Object | ObjectPart::Label(_) | ObjectPart::Labels => true,
        ObjectPart::Identity
        | ObjectPart::Field
        | ObjectPart::DeclaredFeatures
        | ObjectPart::OfVictims => false,
    };
    match lack.kind {
        None => true,
        Some(Kind::Node) => match check.reads_nodes {
            NodePart::Nothing => false,
            NodePart::Labels => is_about_labels,
            NodePart::All => true,
        },
        Some(Kind::Pod) => check.reads_pods,
        Some(kind) => check.needs.contains(&kind),
    }
}

/// The note about its objects of one kind.
fn of_kind(note: &Note, kind: Option<Kind>) -> Note {
    let mut own = note.clone();
    own.objects.retain(|object| kind.is_none_or(|kind| object.kind() == kind));
    if note.count == note.objects.len() {
        own.count = own.objects.len().max(1);
    }
    own
}

impl UnreadNote {
    /// The gap in the audit for this reason.
    pub(super) fn gap(self, cause: impl Fn(Note) -> GapCause) -> AuditGap {
        AuditGap { kind: self.kind, cause: cause(self.note), left_out: self.left_out }
    }

    /// Whether the note concerns unknown objects of the kind.
    fn may_be_any(&self) -> bool {
        self.note.objects.is_empty()
            || self.note.count > self.note.objects.len()
            || self.note.objects.iter().any(|object| match object {
                Subject::Kind(_) => true,
                Subject::Object { name, .. } => name.is_empty(),
            })
    }

    fn may_be(&self, kind: Kind, namespace: &str, name: &str) -> bool {
        self.may_be_any() || self.note.objects.contains(&Subject::object(kind, namespace, name))
    }

    fn workloads(&self, cluster: &Cluster) -> BTreeSet<ObjectName> {
        if self.kind != Some(Kind::Pod) || self.whole {
            return BTreeSet::new();
        }
        let pods =
            cluster.pod_indices().filter(|ix| self.note.may_be_about(&cluster.pod_subject(*ix)));
        pods.map(|ix| ObjectName::from(&cluster.workload(cluster.pod(ix)))).collect()
    }

    /// Whether the finding may be wrong because of what could not be read.
    pub(super) fn decides(&self, finding: &Finding) -> bool {
        self.left_out.contains(&finding.check)
            && match self.kind {
                None => finding.check.is_of_absence,
                Some(kind @ (Kind::PodDisruptionBudget | Kind::PriorityClass)) => {
                    // Classes have no namespace.
                    let namespace = match kind {
                        Kind::PriorityClass => "",
                        _ => &finding.object.namespace,
                    };
                    (!self.whole || finding.check.rests_on_absent)
                        && (finding.check.rests_on)(finding)
                            .into_iter()
                            .any(|name| self.may_be(kind, namespace, name))
                }
                Some(Kind::Pod) => {
                    self.workloads.contains(&finding.object)
                        || (finding.check.is_of_absence && self.is_in(&finding.object.namespace))
                }
                Some(_) => true,
            }
    }

    /// Whether it may concern an object of that namespace, or of any if empty.
    fn is_in(&self, namespace: &str) -> bool {
        namespace.is_empty()
            || self.may_be_any()
            || self.note.objects.iter().any(|object| match object {
                Subject::Kind(_) => true,
                Subject::Object { namespace: of, .. } => &**of == namespace,
            })
    }
}

//! Which kinds of objects the answer to each question depends on, besides those on which the
//! decisions that it is made of rely: one table for all questions.

use super::{ABSENT, UNREADABLE};
use crate::framework::doubts::{DoubtContext, Reliance};
use crate::framework::plugin::Plugin as _;
use crate::framework::score::ScorePlugin as _;
use crate::plugins;
use crate::plugins::before_1_31::node_prefer_avoid_pods::NodePreferAvoidPods;
use crate::plugins::image_locality::ImageLocality;
use crate::plugins::node_declared_features::NodeDeclaredFeatures;
use model::cluster::{Cluster, Kind};
use model::notes::{MissingInput, Note, ObjectPart, Severity, Subject};
use profile::PluginArgs;

/// What is asked about a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// What kube-scheduler decides about pods: `explain`, `pending`, `verify`, a comparison of
    /// schedulers, and the steps of every simulation. The rules that decide say themselves on which
    /// kinds they rely.
    Decide,
    /// What becomes of pods that are created: `simulate -f`, `headroom -f`.
    Create,
    /// Whether nodes can be drained: `node`, `simulate --drain`.
    Drain,
    /// Which pods may move: `suggest`, and what `headroom` says of moves.
    Move,
    /// How many more pods fit: `headroom`.
    Headroom,
    /// How many more pods fit if they preempt.
    HeadroomByPreemption,
    /// Which running pods can be preempted: `risk`.
    Risk,
    /// Which running pods can be preempted by pods of any priority class.
    RiskByClass,
    /// What makes preemption surprising: `audit`.
    Audit,
    /// Why pods were evicted: `why-evicted`.
    WhyEvicted,
}

/// How the answer to a question depends on a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuestionKind {
    pub question: Question,
    pub kind: Kind,
    pub reliance: Reliance,
}

/// Without the kind the answer may be another one, and then `effect` holds.
const fn needs(
    question: Question,
    kind: Kind,
    absent: Option<Severity>,
    effect: &'static str,
) -> QuestionKind {
    let reliance = Reliance { unreadable: Severity::Error, absent, effect: Some(effect) };
    QuestionKind { question, kind, reliance }
}

const BUDGETS: Kind = Kind::PodDisruptionBudget;
const CLASSES: Kind = Kind::PriorityClass;
const WARNING: Option<Severity> = Some(Severity::Warning);
const ERROR: Option<Severity> = Some(Severity::Error);

/// The kinds without which the answer to a question may be another one.
pub static TABLE: &[QuestionKind] = &[
    needs(Question::Create, Kind::LimitRange, None, "they may set requests, or refuse pods"),
    needs(Question::Create, CLASSES, None, "they may set another priority"),
    needs(Question::Create, Kind::ResourceQuota, None, "they may refuse pods"),
    needs(Question::Drain, BUDGETS, WARNING, "they may refuse evictions"),
    needs(Question::Move, BUDGETS, WARNING, "they may forbid these moves"),
    needs(Question::Headroom, CLASSES, None, "how many pods of other priorities fit is not known"),
    needs(
        Question::HeadroomByPreemption,
        BUDGETS,
        WARNING,
        "they may change which pods are preempted, and how many fit",
    ),
    needs(Question::Risk, BUDGETS, WARNING, "which of them select these pods is not known"),
    needs(Question::RiskByClass, CLASSES, None, "pods of other classes may preempt these pods"),
    // Every API server has priority classes. If a file has no budgets, the cluster may not have
    // any.
    needs(Question::Audit, BUDGETS, WARNING, "checks of budgets are left out"),
    needs(Question::Audit, CLASSES, ERROR, "checks of classes are left out"),
    needs(Question::WhyEvicted, Kind::Event, ERROR, "why pods were evicted is not known"),
];

impl Question {
    /// Its rows of the table.
    pub fn kinds(self) -> impl Iterator<Item = &'static QuestionKind> {
        TABLE.iter().filter(move |row| row.question == self)
    }

    /// Notes about what the answer depends on and what could not be read, as a kind or in part, or
    /// is not in the input.
    pub fn notes(self, cluster: &Cluster) -> Vec<Note> {
        let mut notes = Vec::new();
        for QuestionKind { kind, reliance, .. } in self.kinds() {
            let in_part = cluster.notes.iter().filter(|note| {
                note.lacks.iter().any(|lack| lack.kind.is_none_or(|other| other == *kind))
            });
            notes.extend(in_part.cloned().map(Note::raised));
            notes.extend(of_answer(*kind, *reliance, cluster));
        }
        notes
    }
}

/// The note about a kind that an answer about several pods relies on, and that could not be read or
/// is not in the input.
pub fn of_answer(kind: Kind, reliance: Reliance, cluster: &Cluster) -> Option<Note> {
    let effect = reliance.effect.unwrap_or_default();
    let note = match (cluster.unread(kind), reliance.absent) {
        (Some(missing), _) => Note::new(
            &UNREADABLE,
            reliance.unreadable,
            format!("could not be read: {}; {effect}", missing.reason),
        ),
        (None, Some(severity)) if cluster.may_lack(kind) => Note::new(
            &ABSENT,
            severity,
            format!("not in the input; if the cluster has some, {effect}"),
        ),
        (None, _) => return None,
    };
    Some(note.about(Subject::Kind(kind)))
}

/// Parts of label keys that plugins read unasked: zones, regions, hosts.
const READ_ANYWAY: [&str; 2] = ["kubernetes.io/", "k8s.io/"];

/// Whether the decision reads this field of objects of a kind that it reads. `is_own`: the object
/// may be the pod in question.
pub(super) fn is_read(lack: &MissingInput, is_own: bool, context: &DoubtContext) -> bool {
    let profile = context.cycle.view.profile;
    let runs = |plugin: &str| plugins::runs(&profile.plugins, plugin);
    let cluster = context.cycle.cluster();
    match &lack.part {
        ObjectPart::Object | ObjectPart::Identity | ObjectPart::Field | ObjectPart::Labels => true,
        ObjectPart::Label(key) => {
            READ_ANYWAY.iter().any(|prefix| key.contains(prefix))
                || cluster.symbols.is_label_key(key)
                || asks_for(&profile.args, key)
        }
        ObjectPart::Images => context.scores_decide() && runs(ImageLocality.doc().name),
        ObjectPart::AvoidedPods => context.scores_decide() && runs(NodePreferAvoidPods.doc().name),
        ObjectPart::DeclaredFeatures => runs(NodeDeclaredFeatures.doc().name),
        ObjectPart::OfVictims => is_own || !context.fits || cluster.nominees().next().is_some(),
        ObjectPart::Shown => false,
    }
}

/// Whether the profile itself selects nodes by labels with this key.
fn asks_for(args: &PluginArgs, key: &str) -> bool {
    let preferred = args.added_affinity.preferred.iter().map(|(_, term)| term);
    let mut terms = args.added_affinity.required.iter().flatten().chain(preferred);
    terms.any(|term| term.expressions.iter().any(|expression| expression.key == key))
        || args
            .default_constraints
            .iter()
            .flatten()
            .any(|constraint| constraint.topology_key == key)
}

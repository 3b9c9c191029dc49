//! Who decides about a pod that kube-scheduler does not schedule, or not yet: the program that
//! holds it, and that one's own reason, word for word. What these programs will do is not decided
//! here: each of the files beside this one knows what its program writes, and nothing of how it
//! decides.
//!
//! The order: scheduling gates first, then a scheduler of another name, then a quota of which the
//! pod's condition tells. A pod that none of them holds is kube-scheduler's.

mod kai;
mod koordinator;
mod kueue;
mod volcano;
mod yunikorn;

use super::{Decision, Outcome, QueueGate};
use model::cluster::autoscaling::parts::Condition;
use model::cluster::handling::{Queue, Work};
use model::cluster::pod::{Pod, PodIx};
use model::cluster::symbols::Sym;
use model::cluster::{Cluster, Kind};
use model::notes::{Note, NoteDoc, Subject};

/// The reason of a program that holds a pod is not known.
pub static REASON_NOT_KNOWN: NoteDoc = NoteDoc {
    code: "PRE-968",
    name: "why another program holds a pod",
    meaning: "Another program than kube-scheduler holds the pod, and the object in which it says why could not be read, or is not \
              in the input.",
};

/// What the notes about other programs mean.
pub static DOCS: &[&NoteDoc] = &[&REASON_NOT_KNOWN];

/// The most characters of a message that are kept: longer ones repeat themselves for each node.
const MESSAGE: usize = 600;

/// A program that decides about pods instead of kube-scheduler, or before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Handler {
    /// It admits pods by quota; kube-scheduler places them afterwards.
    Kueue,
    /// A scheduler for batches.
    Volcano,
    /// kube-scheduler with plugins of its own.
    Koordinator,
    /// A scheduler with queues.
    YuniKorn,
    /// A scheduler for GPUs.
    Kai,
}

impl Handler {
    /// All of them, in the order in which they are asked.
    pub const ALL: [Self; 5] =
        [Self::Kueue, Self::Volcano, Self::Koordinator, Self::YuniKorn, Self::Kai];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kueue => "Kueue",
            Self::Volcano => "Volcano",
            Self::Koordinator => "Koordinator",
            Self::YuniKorn => "YuniKorn",
            Self::Kai => "KAI",
        }
    }

    const fn rule(self) -> &'static dyn Rule {
        match self {
            Self::Kueue => &kueue::Kueue,
            Self::Volcano => &volcano::Volcano,
            Self::Koordinator => &koordinator::Koordinator,
            Self::YuniKorn => &yunikorn::YuniKorn,
            Self::Kai => &kai::Kai,
        }
    }

    /// Whether kube-scheduler decides about the pod once this program lets it.
    #[must_use]
    pub const fn hands_over(self) -> bool {
        matches!(self, Self::Kueue)
    }
}

/// By what a pod is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeldBy {
    /// By scheduling gates.
    Gates,
    /// By `spec.schedulerName`, which no profile of kube-scheduler has.
    SchedulerName,
    /// By a quota of which the pod's condition tells; the scheduler looks at the pod.
    Quota,
}

impl HeldBy {
    /// Its name in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gates => "Gates",
            Self::SchedulerName => "SchedulerName",
            Self::Quota => "Quota",
        }
    }
}

/// Who holds a pod, and what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// The program; `None` for a scheduler that is not known here.
    pub handler: Option<Handler>,
    /// By what.
    pub by: HeldBy,
    /// Its own reason.
    pub reason: Reason,
    /// Kinds in whose objects it says why, and that could not be read or are not in the input.
    pub unread: Vec<Unread>,
}

/// What a program says about a pod that it holds. All texts are the program's.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reason {
    /// In one word, such as `WaitingForQuota`; empty if it says nothing.
    pub word: String,
    /// What the pod waits in or with, such as `ClusterQueue team-a`, as `KIND NAME`; may be empty.
    pub place: String,
    /// In a sentence, at most `MESSAGE` characters of it; may be empty.
    pub message: String,
    /// The objects that say so.
    pub objects: Vec<Subject>,
    /// Whether autoscalers look at the pod, where its program says that otherwise than by marking
    /// the pod as unschedulable.
    pub autoscalers_look: Option<bool>,
}

/// A kind that says why a pod is held, and was not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// The kind.
    pub kind: Kind,
    /// The server's answer; `None` if the input has none of the kind.
    pub refused: Option<String>,
}

/// What one program writes.
trait Rule: Sync {
    /// How its scheduling gates begin; empty if it sets none.
    fn gates(&self) -> &'static [&'static str] {
        &[]
    }

    /// The name of its scheduler as it is installed; empty if it is none.
    fn scheduler(&self) -> &'static str {
        ""
    }

    /// Whether the pod belongs to it though its scheduler has another name.
    fn marks(&self, _pod: HeldPod) -> bool {
        false
    }

    /// Whether the pod's condition tells of its quota.
    fn is_quota(&self, _message: &str) -> bool {
        false
    }

    /// What it says about the pod.
    fn reason(&self, pod: HeldPod) -> Reason;

    /// The kinds that say why the pod is held.
    fn reads(&self, pod: HeldPod) -> Vec<Kind>;
}

/// A pod, as the rules see it.
#[derive(Clone, Copy)]
struct HeldPod<'c> {
    cluster: &'c Cluster,
    pod: &'c Pod,
}

impl<'c> HeldPod<'c> {
    fn label(self, key: &str) -> Option<&'c str> {
        self.cluster.label(self.pod, key).filter(|value| !value.is_empty())
    }

    fn annotation(self, key: &str) -> Option<&'c str> {
        self.cluster.annotation(self.pod, key).filter(|value| !value.is_empty())
    }

    /// The object of that kind and name in the namespace of the pod.
    fn work(self, kind: Kind, name: &str) -> Option<&'c Work> {
        let is_it = |work: &&Work| {
            work.kind == kind
                && self.cluster.text(work.name) == name
                && work.namespace == self.pod.namespace
        };
        self.cluster.handling.works.iter().find(is_it)
    }

    /// The queue of that kind and name, in the namespace of the pod if it is in one.
    fn queue(self, kind: Kind, name: &str) -> Option<&'c Queue> {
        let is_it = |queue: &&Queue| {
            queue.kind == kind
                && self.cluster.text(queue.name) == name
                && (queue.namespace.is_empty() || queue.namespace == self.pod.namespace)
        };
        self.cluster.handling.queues.iter().find(is_it)
    }

    /// What the pod's own condition says.
    fn condition(self) -> Reason {
        let Some(condition) = &self.pod.scheduled_condition else { return Reason::default() };
        Reason {
            word: condition.reason.to_string(),
            message: bounded(&condition.message),
            ..Reason::default()
        }
    }

    /// The newest Event about one of its objects with one of these reasons.
    fn event(self, kind: &str, name: &str, reasons: &[&str]) -> Option<(&'c str, &'c str)> {
        let text = |sym: Sym| self.cluster.text(sym);
        let events = self.cluster.handling.events.iter().rev();
        let mut about = events.filter(|event| {
            text(event.object.kind) == kind
                && *event.object.name == *name
                && event.object.namespace == self.pod.namespace
                && reasons.contains(&text(event.reason))
        });
        about.next().map(|event| (text(event.reason), &*event.message))
    }
}

/// The object, as a note names it.
fn subject(work: &Work, cluster: &Cluster) -> Subject {
    Subject::object(work.kind, cluster.text(work.namespace), cluster.text(work.name))
}

fn queue_subject(queue: &Queue, cluster: &Cluster) -> Subject {
    Subject::object(queue.kind, cluster.text(queue.namespace), cluster.text(queue.name))
}

/// The condition of that type.
fn condition_of<'w>(
    conditions: &'w [Condition],
    kind: &str,
    cluster: &Cluster,
) -> Option<&'w Condition> {
    conditions.iter().find(|condition| cluster.text(condition.kind) == kind)
}

/// The beginning of a message.
fn bounded(message: &str) -> String {
    match message.char_indices().nth(MESSAGE) {
        Some((end, _)) => format!("{}…", message.get(..end).unwrap_or_default()),
        None => message.to_owned(),
    }
}

impl Decision<'_> {
    /// Who holds the pod; `None` if kube-scheduler decides about it, or nothing waits.
    #[must_use]
    pub fn holder(&self) -> Option<Holder> {
        let (cluster, ix) = (self.view.cluster, self.pod);
        let pod = HeldPod { cluster, pod: cluster.pod(ix) };
        let (handler, by) = match &self.outcome {
            Outcome::NotInQueue(QueueGate::Gated | QueueGate::OtherScheduler) => {
                self.who_holds(pod)?
            }
            Outcome::NotInQueue(_) => return None,
            _ => (Some(who_counts(pod)?), HeldBy::Quota),
        };
        let Some(found) = handler else {
            return Some(Holder { handler, by, reason: pod.condition(), unread: Vec::new() });
        };
        let reason = found.rule().reason(pod);
        // Only where the reason hangs on objects is it worth saying that they were not read.
        let kinds = if by == HeldBy::Quota { Vec::new() } else { found.rule().reads(pod) };
        let unread = kinds.into_iter().filter_map(|kind| unread(kind, cluster)).collect();
        Some(Holder { handler, by, reason, unread })
    }

    fn who_holds(&self, pod: HeldPod) -> Option<(Option<Handler>, HeldBy)> {
        let cluster = self.view.cluster;
        let template = cluster.template(pod.pod);
        // Gates keep the pod from any scheduler.
        for handler in Handler::ALL {
            let begins = |gate: &Sym| {
                let prefixes = handler.rule().gates();
                prefixes.iter().any(|prefix| cluster.text(*gate).starts_with(prefix))
            };
            if template.gates.iter().any(begins) {
                return Some((Some(handler), HeldBy::Gates));
            }
        }
        let scheduler = cluster.text(template.scheduler_name);
        let is_ours = self.profile().all_names.iter().any(|name| name == scheduler);
        if !template.gates.is_empty() || is_ours {
            return None;
        }
        let by_name = Handler::ALL.into_iter().find(|one| one.rule().scheduler() == scheduler);
        let by_marks = || Handler::ALL.into_iter().find(|one| one.rule().marks(pod));
        Some((by_name.or_else(by_marks), HeldBy::SchedulerName))
    }
}

/// The program of whose quota the condition of a pod tells.
fn who_counts(pod: HeldPod) -> Option<Handler> {
    let condition = pod.pod.scheduled_condition.as_ref()?;
    Handler::ALL.into_iter().find(|one| one.rule().is_quota(&condition.message))
}

/// Whether objects of a kind were not read, and why.
fn unread(kind: Kind, cluster: &Cluster) -> Option<Unread> {
    let refused = cluster.header.unreadable.iter().find(|missing| missing.kind() == Some(kind));
    match refused {
        Some(missing) => Some(Unread { kind, refused: Some(missing.reason.clone()) }),
        None => cluster.may_lack(kind).then_some(Unread { kind, refused: None }),
    }
}

/// The note about a program that holds the pod and whose reason is not known.
pub(super) fn doubts(decision: &Decision) -> Option<Note> {
    let holder = decision.holder().filter(|holder| holder.reason.is_unknown())?;
    let (handler, unread) = (holder.handler?, holder.unread.first()?);
    let resource = unread.kind.resource();
    let why = match &unread.refused {
        Some(answer) => format!("{resource} could not be read: {answer}"),
        None => format!("the input has no {resource}; kubectl get {resource} -A -o json adds them"),
    };
    let text = format!("why {} holds the pod is not known: {why}", handler.name());
    Some(
        Note::warning(&REASON_NOT_KNOWN, text)
            .about(decision.view.cluster.pod_subject(decision.pod)),
    )
}

impl Reason {
    /// Whether the program says nothing.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        self.word.is_empty() && self.message.is_empty()
    }
}

impl Holder {
    /// Whether it says nothing, and objects in which it might were not read.
    #[must_use]
    pub fn is_unread(&self) -> bool {
        self.reason.is_unknown() && !self.unread.is_empty()
    }

    /// The name of the program, or of the scheduler that is not known here.
    #[must_use]
    pub fn name<'h>(&self, pod: PodIx, cluster: &'h Cluster) -> &'h str {
        match self.handler {
            Some(handler) => handler.name(),
            None => cluster.text(cluster.template(cluster.pod(pod)).scheduler_name),
        }
    }
}

#[cfg(test)]
mod tests;

//! Which program holds a pod that kube-scheduler does not schedule, or not yet, and that program's
//! own reason, verbatim. What these programs will do is not decided here: each file beside this one
//! knows what its program writes, and nothing about how it decides.
//!
//! The order: scheduling gates first, then a scheduler of another name, then a quota that the pod's
//! condition names. A pod that none of them holds belongs to kube-scheduler.

mod kai;
mod koordinator;
mod kueue;
mod named;
mod scheduler_plugins;
mod volcano;
mod yunikorn;

use super::{Decision, Outcome, QueueGate};
pub use kueue::work_of_job;
use model::cluster::handling::{Queue, Work};
use model::cluster::{Cluster, Kind, Pod, PodIx, Sym};
use model::notes::{Note, NoteDoc, Subject};
use model::words;

/// The holding program's reason is not known.
pub static REASON_NOT_KNOWN: NoteDoc = NoteDoc {
    code: "PRE-968",
    name: "why another program holds a pod",
    meaning: "Another program than kube-scheduler holds the pod, and the object in which it says why could not be read, or is not \
              in the input.",
};

/// What the notes about other programs mean.
pub static DOCS: &[&NoteDoc] = &[&REASON_NOT_KNOWN];

/// Maximum length of a message in characters: longer ones repeat themselves for each node.
const MESSAGE: usize = 600;

/// Defines [`Handler`] from one row per program: the variant, its name for people, its [`Rule`].
macro_rules! handlers {
    ($($(#[$doc:meta])* $variant:ident: $name:literal, $rule:expr;)*) => {
        /// A program that decides about pods instead of kube-scheduler, or before it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Handler {
            $($(#[$doc])* $variant,)*
        }

        impl Handler {
            /// All handlers; the first that claims a pod holds it.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            const fn rule(self) -> &'static dyn Rule {
                match self {
                    $(Self::$variant => &$rule,)*
                }
            }
        }
    };
}

handlers! {
    /// Admits pods by quota; kube-scheduler places them afterwards.
    Kueue: "Kueue", kueue::Kueue;
    /// A batch scheduler.
    Volcano: "Volcano", volcano::Volcano;
    /// kube-scheduler with additional plugins.
    Koordinator: "Koordinator", koordinator::Koordinator;
    /// A scheduler with queues.
    YuniKorn: "YuniKorn", yunikorn::YuniKorn;
    /// A GPU scheduler.
    Kai: "KAI", kai::Kai;
    /// A plugin of scheduler-plugins that places groups of pods together.
    Coscheduling: "coscheduling", scheduler_plugins::Coscheduling;
    /// A plugin of scheduler-plugins that counts quotas.
    CapacityScheduling: "capacity scheduling", scheduler_plugins::CapacityScheduling;
    /// Makes a node for each pod of its profiles.
    Fargate: "EKS Fargate", named::FARGATE;
    /// A GPU scheduler.
    RunAi: "Run:ai", named::RUN_AI;
    /// Has Slurm schedule pods.
    Slinky: "Slinky", named::SLINKY;
}

impl Handler {
    /// How the documents describe it.
    pub fn document(self) -> HandlerDocument {
        self.rule().document()
    }

    /// Whether kube-scheduler schedules the pod once this program releases it.
    pub const fn hands_over(self) -> bool {
        matches!(self, Self::Kueue)
    }
}

/// How a pod is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeldBy {
    /// By scheduling gates.
    Gates,
    /// By a `spec.schedulerName` that no kube-scheduler profile has.
    SchedulerName,
    /// By a quota that the pod's condition names; kube-scheduler still runs its cycle.
    Quota,
}

impl HeldBy {
    /// Its name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gates => "Gates",
            Self::SchedulerName => "SchedulerName",
            Self::Quota => "Quota",
        }
    }
}

/// The program that holds a pod, and its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PodHandler {
    /// The program; `None` for an unknown scheduler.
    pub handler: Option<Handler>,
    /// How it holds the pod.
    pub by: HeldBy,
    /// Its own reason.
    pub reason: HandlerReason,
    /// Kinds whose objects would give the reason, and that could not be read or are not in the
    /// input.
    pub unread: Vec<UnreadKind>,
}

/// Why a program holds a pod, in the program's own words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HandlerReason {
    /// One word, such as `WaitingForQuota`; may be empty.
    pub word: String,
    /// What the pod waits in or with, as `KIND NAME`, such as `ClusterQueue team-a`; may be empty.
    pub place: String,
    /// In a sentence, cut to `MESSAGE` characters; may be empty.
    pub message: String,
    /// What else is known of where it waits: sentences without a full stop.
    pub facts: Vec<String>,
    pub objects: Vec<Subject>,
    /// Whether autoscalers act for the pod, if its program shows that in another way than by
    /// marking the pod unschedulable.
    pub autoscalers_look: Option<bool>,
}

/// An unread kind that may say why a pod is held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadKind {
    pub kind: Kind,
    /// The server's answer; `None` if the input has none of the kind.
    pub refused: Option<String>,
}

/// A row of docs/HANDLERS.md about one program.
#[derive(Debug, Clone, Copy)]
pub struct HandlerDocument {
    /// What shows that it holds a pod.
    pub detected_by: &'static str,
    /// Where its reason stands.
    pub reason: &'static str,
}

/// What one program writes into the cluster.
trait Rule: Sync {
    fn document(&self) -> HandlerDocument;

    /// The prefixes of its scheduling gates; empty if it sets none.
    fn gates(&self) -> &'static [&'static str] {
        &[]
    }

    /// Its default scheduler name; empty if it is not a scheduler.
    fn scheduler(&self) -> &'static str {
        ""
    }

    /// Whether the pod belongs to it even if its `schedulerName` differs.
    fn marks(&self, _pod: HeldPod) -> bool {
        false
    }

    /// Whether the pod's condition names its quota.
    fn is_quota(&self, _message: &str) -> bool {
        false
    }

    /// Its reason for holding the pod.
    fn reason(&self, pod: HeldPod) -> HandlerReason;

    /// The kinds whose objects give the reason; none where the pod itself has it.
    fn reads(&self, _pod: HeldPod) -> Vec<Kind> {
        Vec::new()
    }
}

/// A held pod, as the rules see it.
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
        self.cluster.handling.works.iter().find(|work| {
            work.kind == kind
                && self.cluster.text(work.name) == name
                && work.namespace == self.pod.namespace
        })
    }

    /// The queue of that kind and name, in the pod's namespace if the kind is namespaced.
    fn queue(self, kind: Kind, name: &str) -> Option<&'c Queue> {
        self.cluster.handling.queues.iter().find(|queue| {
            queue.kind == kind
                && self.cluster.text(queue.name) == name
                && (queue.namespace.is_empty() || queue.namespace == self.pod.namespace)
        })
    }

    /// The reason in the pod's own condition.
    fn condition(self) -> HandlerReason {
        let Some(condition) = &self.pod.scheduled_condition else {
            return HandlerReason::default();
        };
        HandlerReason {
            word: condition.reason.to_string(),
            message: bounded(&condition.message),
            ..HandlerReason::default()
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

/// The object as the subject of a note.
fn subject(work: &Work, cluster: &Cluster) -> Subject {
    Subject::object(work.kind, cluster.text(work.namespace), cluster.text(work.name))
}

fn queue_subject(queue: &Queue, cluster: &Cluster) -> Subject {
    Subject::object(queue.kind, cluster.text(queue.namespace), cluster.text(queue.name))
}

/// The beginning of a message, cut to the maximum length.
fn bounded(message: &str) -> String {
    words::beginning(message, MESSAGE)
}

impl Decision<'_> {
    /// Which program holds the pod; `None` if kube-scheduler schedules it, or if nothing waits.
    pub fn holder(&self) -> Option<PodHandler> {
        let (cluster, ix) = (self.view.cluster, self.pod);
        let pod = HeldPod { cluster, pod: cluster.pod(ix) };
        let (handler, by) = match &self.outcome {
            Outcome::NotInQueue(QueueGate::Gated | QueueGate::OtherScheduler) => {
                self.who_holds(pod)?
            }
            Outcome::NotInQueue(_) => return None,
            _ => (Some(who_counts(pod)?), HeldBy::Quota),
        };
        let Some(rule_owner) = handler else {
            return Some(PodHandler { handler, by, reason: pod.condition(), unread: Vec::new() });
        };
        let reason = rule_owner.rule().reason(pod);
        // Unread kinds are worth naming only if the reason depends on objects.
        let kinds = if by == HeldBy::Quota { Vec::new() } else { rule_owner.rule().reads(pod) };
        let unread = kinds.into_iter().filter_map(|kind| unread(kind, cluster)).collect();
        Some(PodHandler { handler, by, reason, unread })
    }

    fn who_holds(&self, pod: HeldPod) -> Option<(Option<Handler>, HeldBy)> {
        let cluster = self.view.cluster;
        let template = cluster.template(pod.pod);
        // Gates hold the pod back from every scheduler.
        for handler in Handler::ALL.iter().copied() {
            let prefixes = handler.rule().gates();
            let mut gates = template.gates.iter().map(|gate| cluster.text(*gate));
            if gates.any(|gate| prefixes.iter().any(|prefix| gate.starts_with(prefix))) {
                return Some((Some(handler), HeldBy::Gates));
            }
        }
        let scheduler = cluster.text(template.scheduler_name);
        let is_ours = self.profile().all_names.iter().any(|name| name == scheduler);
        if !template.gates.is_empty() || is_ours {
            return None;
        }
        let mut handlers = Handler::ALL.iter().copied();
        let by_name = handlers.clone().find(|one| one.rule().scheduler() == scheduler);
        let handler = by_name.or_else(|| handlers.find(|one| one.rule().marks(pod)));
        Some((handler, HeldBy::SchedulerName))
    }
}

/// The program whose quota the pod's condition names.
fn who_counts(pod: HeldPod) -> Option<Handler> {
    let condition = pod.pod.scheduled_condition.as_ref()?;
    let message = without_count(&condition.message);
    Handler::ALL.iter().copied().find(|one| one.rule().is_quota(message))
}

/// A message without `0/3 nodes are available: `, which stands before the text of a plugin that
/// rejects the pod for every node.
fn without_count(message: &str) -> &str {
    let Some((count, text)) = message.split_once(" nodes are available: ") else { return message };
    let mut numbers = count.split('/');
    let is_count = numbers.by_ref().take(2).all(|number| number.parse::<u32>().is_ok());
    if is_count && numbers.next().is_none() { text } else { message }
}

/// Whether objects of a kind were not read, and why.
fn unread(kind: Kind, cluster: &Cluster) -> Option<UnreadKind> {
    let refused = cluster.unread(kind);
    match refused {
        Some(missing) => Some(UnreadKind { kind, refused: Some(missing.reason.clone()) }),
        None => cluster.may_lack(kind).then_some(UnreadKind { kind, refused: None }),
    }
}

/// The note about a program that holds the pod for an unknown reason.
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

impl HandlerReason {
    /// Whether the program gives no reason.
    pub fn is_unknown(&self) -> bool {
        self.word.is_empty() && self.message.is_empty()
    }
}

impl PodHandler {
    /// Whether it gives no reason, and objects that might have one were not read.
    pub fn is_unread(&self) -> bool {
        self.reason.is_unknown() && !self.unread.is_empty()
    }

    /// The name of the program, or of the scheduler that is not known here.
    pub fn name<'h>(&self, pod: PodIx, cluster: &'h Cluster) -> &'h str {
        match self.handler {
            Some(handler) => handler.name(),
            None => cluster.text(cluster.template(cluster.pod(pod)).scheduler_name),
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(
        clippy::needless_pass_by_value,
        reason = "tables of JSON, written where they are used"
    )]

    use serde_json::{Value, json};

    use super::{Handler, HeldBy, PodHandler};
    use crate::testing::{Pod, at, cluster, node, objects, pod};

    pub(super) const GATE: &str = "kueue.x-k8s.io/admission";

    pub(super) fn holder(mut others: Vec<Value>, held: Pod) -> Option<PodHandler> {
        let mut all = objects![node("n").cpu("4"), held];
        all.append(&mut others);
        at("1.37.1").look(&cluster(all), "p", |decision| decision.holder())
    }

    /// The word, the place and the message of a program.
    pub(super) fn said(others: Vec<Value>, held: Pod, handler: Handler, by: HeldBy) -> [String; 3] {
        let found = holder(others, held).expect("a holder");
        assert_eq!((found.handler, found.by), (Some(handler), by));
        [found.reason.word, found.reason.place, found.reason.message]
    }

    pub(super) fn gated(gate: &str) -> Pod {
        pod("p").cpu("1").with("/spec/schedulingGates", json!([{"name": gate}]))
    }

    pub(super) fn annotated(held: Pod, key: &str, value: &str) -> Pod {
        held.with("/metadata/annotations", json!({key: value}))
    }

    pub(super) fn condition(kind: &str, status: &str, reason: &str, message: &str) -> Value {
        json!({"type": kind, "status": status, "reason": reason, "message": message,
            "lastTransitionTime": "2026-01-01T00:00:00Z"})
    }

    pub(super) fn object(
        version: &str,
        kind: &str,
        name: &str,
        spec: Value,
        status: Value,
    ) -> Value {
        json!({"apiVersion": version, "kind": kind, "metadata": {"name": name, "namespace": "default", "uid": format!("uid-{name}")},
            "spec": spec, "status": status})
    }

    /// A Workload of Kueue in LocalQueue `lq` with these conditions.
    pub(super) fn workload(conditions: &[Value]) -> Value {
        object(
            "kueue.x-k8s.io/v1beta2",
            "Workload",
            "w",
            json!({"queueName": "lq"}),
            json!({"conditions": conditions}),
        )
    }

    #[test]
    fn reason_that_is_not_read_is_a_note_and_only_then() {
        let note = |others: Vec<Value>, held: Pod| {
            let mut all = objects![node("n").cpu("4"), held];
            all.extend(others);
            at("1.37.1").look(&cluster(all), "p", |decision| {
                let found = decision.notes.iter().find(|note| note.doc.code == "PRE-968");
                found.map(|note| note.text.clone())
            })
        };
        let queued = || gated(GATE).label("kueue.x-k8s.io/queue-name", "lq");
        assert_eq!(
            note(vec![], queued()).as_deref(),
            Some(
                "why Kueue holds the pod is not known: the input has no workloads.kueue.x-k8s.io; kubectl get \
                 workloads.kueue.x-k8s.io -A -o json adds them"
            )
        );
        let known = workload(&[condition("QuotaReserved", "False", "Pending", "full")]);
        assert_eq!(note(vec![known], annotated(queued(), "kueue.x-k8s.io/workload", "w")), None);
        assert_eq!(note(vec![], pod("p").cpu("1")), None);
    }

    #[test]
    fn gates_come_before_scheduler_names_and_quotas() {
        let both = gated(GATE).scheduler("volcano");
        let found = holder(vec![], both).expect("a holder");
        assert_eq!((found.handler, found.by), (Some(Handler::Kueue), HeldBy::Gates));
        // A gate of an unknown program is shown by its name alone.
        assert_eq!(holder(vec![], gated("example.com/wait").scheduler("volcano")), None);
        let unknown = pod("p").scheduler("mine").refused("no");
        let found = holder(vec![], unknown).expect("a holder");
        assert_eq!((found.handler, found.reason.message.as_str()), (None, "no"));
        assert_eq!(holder(vec![], pod("p").cpu("9").refused("0/1 nodes are available")), None);
        let done = pod("p").scheduler("volcano").phase("Failed");
        assert_eq!(holder(vec![], done), None);
    }

    #[test]
    fn long_message_is_cut_at_a_character() {
        let long = "ä".repeat(2000);
        let found = holder(vec![], pod("p").scheduler("volcano").refused(&long)).expect("a holder");
        assert_eq!(found.reason.message.chars().count(), super::MESSAGE + 1);
    }
}

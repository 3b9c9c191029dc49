//! Identical replicas of an owner: one answer for all of them.

use engine::cluster::pod::PodIx;
use engine::decision::Decision;
use jiff::Timestamp;

use super::Answer;
use answers::words;

/// Maximum number of replicas that are named.
pub(super) const NAMED: usize = 10;

/// A pod in question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Asked {
    pod: PodIx,
    /// Its name without the namespace.
    pub(super) name: String,
    namespace: String,
    priority: i32,
    /// Kind and name of its controller.
    owner: Option<(String, String)>,
    /// How many seconds it has been pending, if it is.
    pending: Option<i64>,
}

impl Asked {
    /// The pod of a decision.
    pub(super) fn new(decision: &Decision, now: Timestamp) -> Self {
        let cluster = decision.view.cluster;
        let pod = cluster.pod(decision.pod);
        let text = |sym| cluster.text(sym).to_owned();
        let is_pending = pod.is_waiting();
        let age = |created: Timestamp| now.as_second() - created.as_second();
        Self {
            pod: decision.pod,
            name: pod.name.to_string(),
            namespace: text(pod.namespace),
            priority: pod.priority,
            owner: pod.controller.map(|owner| (text(owner.kind), text(owner.name))),
            pending: pod.created.filter(|_| is_pending).map(age),
        }
    }

    fn is_replica_of(&self, other: &Self) -> bool {
        self.owner.is_some()
            && (&self.owner, &self.namespace, self.priority)
                == (&other.owner, &other.namespace, other.priority)
    }
}

/// Adds an answer to those that are known. One that is the same for replicas of an owner stands
/// where the first of their pods does.
pub(super) fn add(answers: &mut Vec<Answer>, mut answer: Answer) {
    let is_same = |known: &&mut Answer| {
        let replicas =
            known.pods.iter().zip(&answer.pods).all(|(one, other)| one.is_replica_of(other));
        replicas && (&known.verdict, &known.body) == (&answer.verdict, &answer.body)
    };
    match answers.iter_mut().find(is_same) {
        Some(known) => known.pods.append(&mut answer.pods),
        None => answers.push(answer),
    }
}

/// The pod, or the owner of several pods, with priority and waiting time.
pub(super) fn title(pods: &[Asked]) -> String {
    let Some(first) = pods.first() else { return String::new() };
    let times = || pods.iter().filter_map(|pod| pod.pending);
    let waits = match (times().min(), times().max()) {
        (Some(least), Some(most)) if words::age(least) != words::age(most) => {
            format!(", pending {} to {}", words::age(least), words::age(most))
        }
        (Some(age), _) => format!(", pending {}", words::age(age)),
        (None, _) => String::new(),
    };
    match &first.owner {
        Some((kind, name)) if pods.len() > 1 => {
            let number = words::count(pods.len(), "pod");
            format!(
                "{kind} {}/{name} ({number}, priority {}{waits})",
                first.namespace, first.priority
            )
        }
        _ => format!("{}/{} (priority {}{waits})", first.namespace, first.name, first.priority),
    }
}

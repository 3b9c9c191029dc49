//! What can be said about pods to whoever may not read the nodes, or the pods of other namespaces:
//! what was written about the pods, and what they themselves show. Nothing is decided, because a
//! decision reads every node and every pod.

use crate::error::AnswerError;
use crate::input::LoadedInput;
use crate::questions::{Basis, Report};
use crate::target::{self, Target};
use crate::verdict::Verdict;
use crate::words;
use crate::workload::{self, MissingPods};
use engine::cluster::pod::PodIx;
use engine::cluster::{Cluster, Kind, Pod};
use engine::decision::waiting::unseen_for;
use engine::rules::{self, LookupResult, MessagePart};
use jiff::Timestamp;

/// The most characters of a message.
const MESSAGE: usize = 2000;

/// What is known of pods without the rest of the cluster.
#[derive(Debug, Clone)]
pub struct PartialReport {
    pub basis: Basis,
    pub pods: Vec<PartialPod>,
    /// What is said if there are no pods here.
    pub nothing: &'static str,
    /// The workloads whose pods were never created.
    pub workloads: Vec<MissingPods>,
    /// What could not be read: the resource, and the server's answer.
    pub unread: Vec<(String, String)>,
}

/// A pod, as far as it shows itself.
#[derive(Debug, Clone)]
pub struct PartialPod {
    pub namespace: String,
    pub name: String,
    pub priority: i32,
    /// For how many seconds it has waited, if it waits.
    pub pending: Option<i64>,
    /// The state of it in a clause.
    pub state: String,
    /// The message of its condition, with who wrote it.
    pub said: Option<String>,
    /// The parts of that message, each with its rule.
    pub parts: Vec<MessagePart>,
    /// Facts of the pod and of what belongs to it, a sentence each without a full stop.
    pub facts: Vec<String>,
}

impl Report for PartialReport {
    /// Nothing is decided.
    fn verdict(&self) -> Verdict {
        Verdict::Uncertain
    }
}

impl PartialReport {
    /// Whether the answer is about a cluster, or what was kept of one, which may refuse to show
    /// something; a text that was pasted lacks it.
    pub fn is_refused(&self) -> bool {
        let is_kept = self.basis.header.server_version.is_some();
        self.basis.origin.place.files().is_none() || is_kept
    }

    /// What an administrator would have to grant for a decision, a line each.
    pub fn grants(&self) -> Vec<String> {
        if !self.is_refused() {
            return Vec::new();
        }
        let mut lines = Vec::with_capacity(self.unread.len());
        for (resource, _) in &self.unread {
            let where_from =
                if resource == Kind::Node.plural() { "" } else { " in all namespaces" };
            lines.push(format!("list {resource}{where_from}"));
        }
        lines
    }
}

/// The kinds without which nothing can be decided and that could not be read.
fn unread(cluster: &Cluster) -> Vec<(String, String)> {
    let essential = [Kind::Node, Kind::Pod];
    let missing = essential.into_iter().filter_map(|kind| cluster.unread(kind));
    missing.map(|missing| (missing.resource.clone(), missing.reason.clone())).collect()
}

/// What a question is about, for an answer in part.
#[derive(Debug, Clone, Copy)]
pub enum PartialSubject<'s> {
    /// Pods or owners of pods, or the pods that wait if none is named.
    Waiting { targets: &'s [Target], all_namespaces: bool },
    /// The same, or the pods that run if none is named.
    Running { targets: &'s [Target], all_namespaces: bool },
    /// The pods on these nodes.
    OnNodes(&'s [String]),
    /// Pods that do not exist yet, or changes of the cluster.
    Nothing,
}

/// What is known of the pods that `targets` name, or of those that wait, where decisions are
/// impossible because nodes or the pods of other namespaces could not be read; `None` where they
/// are possible.
///
/// # Errors
/// [`AnswerError::NotFound`] for a target that is not among what could be read.
pub fn in_part(
    input: &LoadedInput,
    targets: &[Target],
    all_namespaces: bool,
) -> Result<Option<PartialReport>, AnswerError> {
    in_part_about(input, PartialSubject::Waiting { targets, all_namespaces })
}

/// The same about any subject.
///
/// # Errors
/// [`AnswerError::NotFound`] for a target that is not among what could be read.
pub fn in_part_about(
    input: &LoadedInput,
    subject: PartialSubject<'_>,
) -> Result<Option<PartialReport>, AnswerError> {
    let cluster = &input.cluster;
    let unread = unread(cluster);
    if unread.is_empty() {
        return Ok(None);
    }
    let (mut chosen, mut workloads): (Vec<PodIx>, Vec<MissingPods>) = (Vec::new(), Vec::new());
    match subject {
        PartialSubject::Waiting { targets: [], all_namespaces } => {
            chosen = target::waiting(input.pod_filter(all_namespaces), cluster);
            let namespace = (!all_namespaces).then_some(input.namespace.as_str());
            workloads = workload::lacking(input, namespace);
        }
        PartialSubject::Running { targets: [], all_namespaces } => {
            chosen = target::running(input.pod_filter(all_namespaces), cluster);
        }
        PartialSubject::Waiting { targets, .. } | PartialSubject::Running { targets, .. } => {
            for target in targets {
                match (input.find(target), workload::without_pods(target, input)) {
                    (Ok(pods), _) => chosen.extend(pods),
                    (Err(_), Some(missing)) => workloads.push(missing),
                    (Err(error), None) => return Err(error),
                }
            }
        }
        PartialSubject::OnNodes(nodes) => {
            chosen.extend(cluster.pod_indices().filter(|ix| {
                let pod = cluster.pod(*ix);
                let node = cluster.text(pod.node_name);
                pod.is_active() && nodes.iter().any(|name| name == node)
            }));
        }
        PartialSubject::Nothing => {}
    }
    Ok(Some(PartialReport {
        basis: Basis::of(input),
        nothing: nothing(subject),
        pods: chosen.into_iter().map(|pod| PartialPod::of(pod, cluster, input.now)).collect(),
        workloads,
        unread,
    }))
}

/// What is said if no pod can be shown.
const fn nothing(subject: PartialSubject<'_>) -> &'static str {
    match subject {
        PartialSubject::Waiting { .. } => "No pods that may be read wait for a node.",
        PartialSubject::Running { .. } => "No pods that may be read run.",
        PartialSubject::OnNodes(_) => "No pods that may be read are on it.",
        PartialSubject::Nothing => "Nothing can be said without the nodes and their pods.",
    }
}

impl PartialPod {
    fn of(ix: PodIx, cluster: &Cluster, now: Timestamp) -> Self {
        let pod = cluster.pod(ix);
        let age = pod.created.map(|created| now.as_second() - created.as_second());
        let said = pod
            .scheduled_condition
            .as_ref()
            .map(|condition| words::beginning(&condition.message, MESSAGE));
        let parts = match said.as_deref().map(|message| rules::lookup(message, &rules::all())) {
            Some(LookupResult::Message(parts)) => parts,
            _ => Vec::new(),
        };
        Self {
            namespace: cluster.text(pod.namespace).to_owned(),
            name: pod.name.to_string(),
            priority: pod.priority,
            pending: age.filter(|_| pod.is_waiting()),
            state: state(ix, cluster, now),
            said: said.filter(|said| !said.is_empty()),
            parts,
            facts: facts(pod, cluster),
        }
    }

    /// `shop/web-1 (priority 0, pending 5m)`.
    pub fn title(&self) -> String {
        let waits =
            self.pending.map_or_else(String::new, |s| format!(", pending {}", words::age(s)));
        format!("{}/{} (priority {}{waits})", self.namespace, self.name, self.priority)
    }
}

/// What the pod itself shows of where it stands.
fn state(ix: PodIx, cluster: &Cluster, now: Timestamp) -> String {
    let pod = cluster.pod(ix);
    let template = cluster.template(pod);
    let scheduler = cluster.text(template.scheduler_name);
    if !pod.node_name.is_empty() {
        return format!("it is on node {}", cluster.text(pod.node_name));
    }
    if !pod.is_waiting() {
        return "it has ended".to_owned();
    }
    if pod.is_terminating() {
        return "it is being deleted".to_owned();
    }
    if !template.gates.is_empty() {
        let gates: Vec<&str> = template.gates.iter().map(|gate| cluster.text(*gate)).collect();
        return format!("it waits until gate {} is removed", gates.join(", "));
    }
    let who = if scheduler == "default-scheduler" { "kube-scheduler" } else { scheduler };
    match (&pod.scheduled_condition, unseen_for(cluster, ix, now)) {
        (Some(condition), _) => format!("{who} has rejected it ({})", condition.reason),
        (None, Some(seconds)) => {
            format!("no scheduler has looked at it for {}: does {who} run?", words::age(seconds))
        }
        (None, None) => "it is new, in the queue, or about to be bound".to_owned(),
    }
}

/// Which budgets protect a running pod from evictions.
fn budgets(pod: &Pod, cluster: &Cluster) -> Vec<String> {
    let mut facts = Vec::new();
    for budget in cluster.budgets.iter().filter(|budget| budget.namespace == pod.namespace) {
        if budget.selector.matches(cluster.labels(pod.labels)) {
            let allowed = words::count(usize::try_from(budget.allowed).unwrap_or(0), "eviction");
            facts.push(format!("PDB {} allows {allowed} now", budget.name));
        }
    }
    facts
}

/// What else the namespace shows about the pod.
fn facts(pod: &Pod, cluster: &Cluster) -> Vec<String> {
    let mut facts = Vec::new();
    for used in cluster.claims_of(pod).filter(|_| pod.is_waiting()) {
        let Some(claim) = used.claim else {
            if cluster.unread(Kind::PersistentVolumeClaim).is_none() {
                facts.push("one of its PersistentVolumeClaims does not exist".to_owned());
            }
            continue;
        };
        let name = cluster.text(claim.name);
        if claim.lost {
            facts.push(format!("the volume of its claim {name} no longer exists"));
        } else if claim.volume_name.is_empty() {
            let class = cluster.text(claim.class);
            facts.push(format!("its claim {name} (class {class}) has no volume yet"));
        }
    }
    if !pod.nominated_node.is_empty() {
        let node = cluster.text(pod.nominated_node);
        facts.push(format!("it is nominated to {node}, where pods are evicted for it"));
    }
    if pod.is_running() {
        facts.extend(budgets(pod, cluster));
    }
    let workload = cluster.workload(pod);
    if workload.kind != Kind::Pod.name() {
        facts.push(format!("it belongs to {} {}", workload.kind, workload.name));
    }
    for event in &cluster.events {
        let is_about = *event.object.uid == *pod.uid
            || event.object.uid.is_empty() && event.object.name == pod.name;
        if is_about && event.object.namespace == pod.namespace {
            let (reason, by) = (cluster.text(event.reason), cluster.text(event.component));
            facts.push(format!("{reason} by {by}: {}", words::beginning(&event.message, MESSAGE)));
        }
    }
    facts
}

//! After the fact: who preempted or evicted a pod, and why? And what is not known of it?

pub mod cause;

use engine::cluster::Cluster;
use engine::cluster::pod::{Phase, Pod};
use engine::decision::lingering;
use engine::decision::unread::Question;
use engine::disruption::rerun::{self, NoRerun, Rerun};
use engine::disruption::{self, Disruption, EvictionCause, PodState, RecordedPreemptor};
use engine::simulation::plan::PodId;
use jiff::SignedDuration;

use super::{Basis, Report, Verdict, in_order};
use crate::error::AnswerError;
use crate::eviction_requests;
use crate::input::LoadedInput;
use crate::not_running::silence;
use crate::stuck::stuck_victim;
use crate::target;

/// The pods in question.
#[derive(Debug, Default)]
pub struct EvictionsRequest {
    /// Pods, which may be gone; empty for every pod that was evicted.
    pub pods: Vec<NamedPod>,
    /// Whether pods of every namespace are meant.
    pub all_namespaces: bool,
    /// If no pod is named: only what happened in this time until now.
    pub since: Option<SignedDuration>,
    /// An earlier state of the cluster, on which the decision is run again.
    pub before: Option<Cluster>,
}

impl EvictionsRequest {
    /// About these pods, or else about what happened in a time until now, which is given by the named
    /// flag.
    ///
    /// # Errors
    /// [`AnswerError::Usage`] for what is no pod, and for pods together with a time.
    pub fn new(
        words: &[String],
        all_namespaces: bool,
        since: Option<(&str, std::time::Duration)>,
    ) -> Result<Self, AnswerError> {
        if let Some((flag, _)) = since.filter(|_| !words.is_empty()) {
            let problem = format!("{flag} limits the list: it does not go with a pod");
            return Err(AnswerError::usage(problem));
        }
        let pods = words.iter().map(|word| NamedPod::parse(word));
        Ok(Self {
            pods: pods.collect::<Result<_, _>>()?,
            all_namespaces,
            // What is too long for the clock has no beginning.
            since: since.and_then(|(_, since)| SignedDuration::try_from(since).ok()),
            before: None,
        })
    }
}

/// A pod by its name or UID.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedPod {
    pub namespace: Option<String>,
    /// The name or UID.
    pub word: String,
}

impl NamedPod {
    /// The pod of `POD`, `UID` or `NAMESPACE/POD`.
    ///
    /// # Errors
    /// [`AnswerError::Usage`] for what is no pod.
    pub fn parse(word: &str) -> Result<Self, AnswerError> {
        match target::parse(&[word.to_owned()])?.into_iter().next() {
            Some(target) if target.kind == "Pod" => {
                Ok(Self { namespace: target.namespace, word: target.name })
            }
            _ => Err(AnswerError::usage_hint(
                format!("`{word}` is not a pod"),
                "without a name it lists what was evicted in the namespace",
            )),
        }
    }
}

/// Why they were evicted.
#[derive(Debug, Clone)]
pub struct EvictionsReport {
    pub basis: Basis,
    pub items: Vec<EvictionAnswer>,
    /// Why Events may be missing.
    pub gap: Option<EventGap>,
    /// Whether pods were named.
    pub are_named: bool,
}

impl Report for EvictionsReport {
    /// Whether everything that was asked is known. A list may lack pods that were evicted before the
    /// oldest Event; an answer about a pod that was named says so itself.
    fn verdict(&self) -> Verdict {
        let is_complete = self.gap.is_none() || self.are_named;
        let is_known = is_complete && self.items.iter().all(EvictionAnswer::is_known);
        Verdict::new(true, !is_known)
    }

    fn reorder(&mut self, order: &[usize]) {
        self.items = in_order(&self.items, order);
    }
}

/// Reads the traces of evictions.
///
/// # Errors
/// None so far: a pod without traces is an answer.
pub fn evictions(
    input: &LoadedInput,
    request: &EvictionsRequest,
) -> Result<EvictionsReport, AnswerError> {
    let mut items = Vec::new();
    for found in chosen(input, request) {
        let before = request.before.as_ref();
        let rerun = before.and_then(|before| run_again(&found, before, input));
        let stays = stays(&found, input);
        items.push(EvictionAnswer { found, rerun, stays });
    }
    Ok(EvictionsReport {
        basis: Basis::of(input),
        items,
        gap: gap(&input.cluster),
        are_named: !request.pods.is_empty(),
    })
}

/// The named pods, with or without traces, or the evicted pods.
fn chosen(input: &LoadedInput, request: &EvictionsRequest) -> Vec<Disruption> {
    let all = disruption::find(&input.cluster);
    if request.pods.is_empty() {
        return evicted(all, input, request);
    }
    let mut chosen = Vec::new();
    for pod in &request.pods {
        let namespace = pod.namespace.as_deref().unwrap_or(&input.namespace);
        let any_namespace = request.all_namespaces && pod.namespace.is_none();
        let before = chosen.len();
        for found in &all {
            let is_here = any_namespace || found.pod.namespace == namespace;
            if found.pod.uid == pod.word || is_here && found.pod.name == pod.word {
                chosen.push(found.clone());
            }
        }
        if chosen.len() == before {
            chosen.push(without_traces(pod, namespace, &input.cluster));
        }
    }
    chosen
}

/// The pods that were evicted in the namespace, since the time that was asked for. A pod whose
/// owner deleted it, or of which only its end is known, was not evicted.
fn evicted(
    all: Vec<Disruption>,
    input: &LoadedInput,
    request: &EvictionsRequest,
) -> Vec<Disruption> {
    let since = request.since.and_then(|since| input.now.checked_sub(since).ok());
    let mut evicted = Vec::new();
    for found in all {
        let is_here = request.all_namespaces || found.pod.namespace == input.namespace;
        // A pod without a time may be recent.
        let is_too_old = match (since, found.time) {
            (Some(since), Some(time)) => time < since,
            (None, _) | (_, None) => false,
        };
        let was_evicted = !matches!(
            found.cause,
            EvictionCause::Owner { .. } | EvictionCause::Refused { .. } | EvictionCause::Unknown
        );
        if is_here && was_evicted && !is_too_old {
            evicted.push(found);
        }
    }
    evicted
}

/// A pod without traces of an eviction.
fn without_traces(name: &NamedPod, namespace: &str, cluster: &Cluster) -> Disruption {
    let pod = cluster.find_pod(namespace, &name.word).map(|ix| cluster.pod(ix));
    let node = pod.map(|pod| cluster.text(pod.node_name)).filter(|node| !node.is_empty());
    let exits = pod.and_then(|pod| pod.end.as_ref()).map(|end| end.exits.to_vec());
    Disruption {
        pod: PodId {
            namespace: namespace.to_owned(),
            name: name.word.clone(),
            uid: pod.map(|pod| pod.uid.to_string()).unwrap_or_default(),
        },
        cause: EvictionCause::Unknown,
        time: None,
        node: node.map(str::to_owned),
        priority: pod.map(|pod| pod.priority),
        state: match pod {
            Some(pod) if pod.phase != Phase::Active => PodState::Finished,
            Some(_) => PodState::There,
            None => PodState::Gone,
        },
        exits: exits.unwrap_or_default(),
        sources: Vec::new(),
    }
}

/// Repeats the decision of a preemption on an earlier snapshot; `None` if the pod was not
/// preempted.
fn run_again(
    found: &Disruption,
    before: &Cluster,
    input: &LoadedInput,
) -> Option<Result<Rerun, NoRerun>> {
    let EvictionCause::Preempted(by) = &found.cause else { return None };
    let preemptor = match by {
        RecordedPreemptor::Pod { pod, .. } => pod.clone(),
        RecordedPreemptor::Uid { kind, uid } if kind == "pod" => {
            PodId { namespace: String::new(), name: String::new(), uid: uid.clone() }
        }
        RecordedPreemptor::Uid { .. } | RecordedPreemptor::NotNamed { .. } => {
            return Some(Err(NoRerun::PreemptorNotKnown));
        }
    };
    let now = before
        .header
        .captured_at
        .as_deref()
        .and_then(|time| time.parse().ok())
        .unwrap_or(input.now);
    Some(rerun::run(before, &input.profile, &found.pod, &preemptor, now))
}

/// Why a pod has not left: its node does not report, or somebody has to respond before.
fn stays(found: &Disruption, input: &LoadedInput) -> Vec<String> {
    let cluster = &input.cluster;
    let node = found.node.as_deref().and_then(|node| cluster.find_node(node));
    let pod = cluster.find_uid(&found.pod.namespace, &found.pod.name, &found.pod.uid);
    let Some((ix, pod)) = pod.map(|ix| (ix, cluster.pod(ix))).filter(|(_, pod)| pod.is_active())
    else {
        return Vec::new();
    };
    let mut sentences = Vec::new();
    if found.cause == EvictionCause::Unknown {
        sentences.extend(nominated_in_its_place(pod, cluster));
    }
    if let Some(silence) = node.and_then(|node| silence(cluster, node, input.now)) {
        sentences.extend([silence.clause.clone(), silence.of_pod(cluster, pod, input.now)]);
    } else if let Some(lingering) = lingering::of(ix, cluster, input.now) {
        sentences.push(stuck_victim(&lingering, cluster));
    }
    sentences.extend(eviction_requests::of_pod(pod, cluster, input.now));
    sentences
}

/// The pod that is nominated to the node of one that is being deleted, and may have had it evicted.
fn nominated_in_its_place(pod: &Pod, cluster: &Cluster) -> Option<String> {
    if !pod.is_terminating() || pod.node_name.is_empty() {
        return None;
    }
    let preemptor = cluster.pods.iter().find(|other| {
        other.is_waiting() && other.nominated_node == pod.node_name && other.priority > pod.priority
    })?;
    Some(format!(
        "{}/{} (priority {}) is nominated to its node: the preemption for that pod may have deleted it",
        cluster.text(preemptor.namespace),
        preemptor.name,
        preemptor.priority
    ))
}

/// Why Events may be missing.
fn gap(cluster: &Cluster) -> Option<EventGap> {
    let mut kinds = Question::WhyEvicted.kinds().map(|needed| needed.kind);
    kinds.find_map(|kind| match cluster.unread(kind) {
        Some(missing) => Some(EventGap::Refused(missing.reason.clone())),
        None => cluster.may_lack(kind).then_some(EventGap::NotInInput),
    })
}

/// A pod that was evicted, with the decision run again on an earlier snapshot, or why it was not.
#[derive(Debug, Clone)]
pub struct EvictionAnswer {
    /// What was seen.
    pub found: Disruption,
    /// The decision on an earlier snapshot; `None` if none was given, or the pod was not preempted.
    pub rerun: Option<Result<Rerun, NoRerun>>,
    /// Of a pod that is still there: why it has not left. Its node does not report, or somebody has to
    /// respond to an `EvictionRequest` before. Sentences without a full stop.
    pub stays: Vec<String>,
}

impl EvictionAnswer {
    /// What the answer leaves unknown, as sentences without a full stop.
    pub fn unknown(&self) -> Vec<String> {
        let mut unknown = Vec::new();
        match &self.found.cause {
            // The snapshot names it.
            EvictionCause::Preempted(RecordedPreemptor::Uid { .. })
                if matches!(self.rerun, Some(Ok(_))) => {}
            EvictionCause::Preempted(RecordedPreemptor::Uid { kind, uid }) => {
                unknown.push(format!("which {kind} had UID {uid}: it is no longer in the cluster"));
            }
            EvictionCause::Preempted(RecordedPreemptor::NotNamed { .. }) => {
                unknown.push("which pod preempted it: no event names it".to_owned());
            }
            EvictionCause::EvictionApi => {
                unknown.push(
                    "which client sent the eviction: only the API server's audit log has it"
                        .to_owned(),
                );
            }
            EvictionCause::Unknown if self.found.sources.is_empty() && !self.stays.is_empty() => {}
            EvictionCause::Unknown if self.found.sources.is_empty() => {
                unknown.push(
                    "whether it was evicted: no event mentions it, and Events are kept for one hour by default"
                        .to_owned(),
                );
            }
            EvictionCause::Unknown => {
                unknown.push(
                    "who deleted it: no event says so, and Events are kept for one hour by default"
                        .to_owned(),
                );
            }
            EvictionCause::Kueue { by, .. } if by.name.is_none() => {
                unknown.push(format!(
                    "which Workload had UID {}: no workloads.kueue.x-k8s.io that was read has it",
                    by.uid
                ));
            }
            EvictionCause::Kai { group: None, .. } => {
                unknown
                    .push("for which PodGroup KAI evicted it: its event does not say".to_owned());
            }
            EvictionCause::Refused { .. } if self.found.state == PodState::Gone => {
                unknown.push(
                    "whether it was evicted later: it is no longer there, and no event says why"
                        .to_owned(),
                );
            }
            EvictionCause::Preempted(RecordedPreemptor::Pod { .. })
            | EvictionCause::Refused { .. }
            | EvictionCause::Kueue { .. }
            | EvictionCause::Kai { .. }
            | EvictionCause::Karpenter { .. }
            | EvictionCause::ScaleDown
            | EvictionCause::VerticalAutoscaler
            | EvictionCause::NodeShutdown { .. }
            | EvictionCause::Descheduler { .. }
            | EvictionCause::Kubelet { .. }
            | EvictionCause::KubeletAdmission { .. }
            | EvictionCause::Taint { .. }
            | EvictionCause::PodGc
            | EvictionCause::Owner { .. } => {}
        }
        match &self.rerun {
            Some(Err(why)) => {
                unknown.push(format!("why this pod and not another: {}", no_rerun(*why)));
            }
            Some(Ok(rerun)) if rerun.unsure => {
                unknown.push(
                    "whether the decision was this one: part of what decides could not be read"
                        .to_owned(),
                );
            }
            Some(Ok(rerun)) if !rerun.is_victim => {
                unknown.push(
                    "why this pod: on the snapshot kube-scheduler does not preempt it; the cluster has changed since"
                        .to_owned(),
                );
            }
            Some(Ok(_)) | None => {}
        }
        unknown
    }

    /// Whether the question is answered: the cause is known, and the preemptor too, if it was
    /// preempted.
    pub fn is_known(&self) -> bool {
        self.unknown().is_empty()
    }
}

const fn no_rerun(why: NoRerun) -> &'static str {
    match why {
        NoRerun::PreemptorNotKnown => {
            "the preemptor is not known, so the decision cannot be run again"
        }
        NoRerun::PreemptorMissing => "the snapshot does not have the preemptor",
        NoRerun::PreemptorPlaced => "in the snapshot the preemptor is on a node already",
        NoRerun::VictimMissing => "in the snapshot the pod is not on a node",
    }
}

/// Why Events may be missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EventGap {
    /// The server's answer to the request for them.
    Refused(String),
    /// The input has none.
    NotInInput,
}

impl EventGap {
    /// A sentence without a full stop.
    pub fn text(&self) -> String {
        match self {
            Self::Refused(answer) => format!("Events could not be read: {answer}"),
            Self::NotInInput => {
                "the input has no Event about an eviction; kubectl get events -A adds them"
                    .to_owned()
            }
        }
    }
}

//! Why a pod that has a node does not run, or did not: its containers, its volumes, its node, or
//! its kubelet's refusal. kube-scheduler has done its part by then, so nothing here is a decision:
//! it is what the kubelet and controllers wrote, and where to read more.

mod resize;
mod silent_node;

use jiff::Timestamp;

use engine::cluster::event::Event;
use engine::cluster::pod::{Phase, PodEnd, Readiness, WaitingContainer};
use engine::cluster::{Cluster, Pod, PodIx};
use engine::decision::queue::unbound_claims;
use engine::framework::cluster_view::ClusterView;

use crate::holder_words::{HolderLine, HolderWords};
use crate::words::{self, arguments, shell_word};

pub use silent_node::{NodeSilence, silence};

/// Reasons of a waiting container that say nothing: it waits for volumes, network or others.
const NOT_YET: [&str; 3] = ["", "ContainerCreating", "PodInitializing"];
/// Reasons of a waiting container whose image is the obstacle.
const OF_IMAGES: [&str; 7] = [
    "ErrImagePull",
    "ImagePullBackOff",
    "InvalidImageName",
    "ErrImageNeverPull",
    "ImageInspectError",
    "RegistryUnavailable",
    "SignatureValidationFailed",
];
/// A kubelet takes a few seconds to begin with a pod.
const USUAL_START: i64 = 60;
/// Maximum number of characters of another program's message.
const MESSAGE: usize = 240;

/// Why a pod that has a node does not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotRunning {
    /// A clause about the pod: `container main does not start: ImagePullBackOff`.
    pub cause: String,
    /// Sentences without a full stop.
    pub details: Vec<String>,
    /// The command that shows more.
    pub look: Option<NextLook>,
}

/// A command that shows more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NextLook {
    /// One of kubectl's, quoted for a shell.
    Kubectl(String),
    /// The arguments of one of this program's.
    Own(String),
}

impl NextLook {
    /// The command as it is typed.
    pub fn text(&self) -> String {
        match self {
            Self::Kubectl(command) => format!("kubectl {command}"),
            Self::Own(command) => format!("kubectl preempt {command}"),
        }
    }
}

impl NotRunning {
    fn new(cause: String, look: NextLook) -> Self {
        Self { cause, details: Vec::new(), look: Some(look) }
    }
}

/// A pod of the list of those that are Pending and have a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartingPod {
    pub namespace: String,
    pub name: String,
    pub uid: String,
    pub node: String,
    pub created: Option<Timestamp>,
    pub not_running: NotRunning,
}

impl StartingPod {
    fn new(cluster: &Cluster, pod: &Pod, not_running: NotRunning) -> Self {
        Self {
            namespace: cluster.text(pod.namespace).to_owned(),
            name: pod.name.to_string(),
            uid: pod.uid.to_string(),
            node: cluster.text(pod.node_name).to_owned(),
            created: pod.created,
            not_running,
        }
    }
}

/// The pods that are Pending although they have a node, in the order of the cluster. Those that
/// were created a moment ago are about to start.
pub fn starting(
    cluster: &Cluster,
    now: Timestamp,
    is_asked: impl Fn(&Pod) -> bool,
) -> Vec<StartingPod> {
    let mut starting = Vec::new();
    for ix in cluster.pod_indices() {
        let pod = cluster.pod(ix);
        if !pod.is_running() || pod.readiness != Readiness::Pending || !is_asked(pod) {
            continue;
        }
        if let Some(not_running) = of_status(cluster, ix, now) {
            starting.push(StartingPod::new(cluster, pod, not_running));
        }
    }
    starting
}

/// The running pods with an in-place resize that is not done, in the order of the cluster.
pub fn resizing(cluster: &Cluster, is_asked: impl Fn(&Pod) -> bool) -> Vec<StartingPod> {
    let mut resizing = Vec::new();
    for pod in cluster.pods.iter().filter(|pod| pod.is_running() && is_asked(pod)) {
        let Some(cause) = resize::cause(pod) else { continue };
        let look = ["explain", &*pod.name, "-n", cluster.text(pod.namespace)];
        let look = NextLook::Own(arguments(&look.map(str::to_owned)));
        resizing.push(StartingPod::new(cluster, pod, NotRunning::new(cause, look)));
    }
    resizing
}

/// Why a pod does not run although it has a node, or had one; `None` if it runs, or nothing says
/// that it does not.
pub fn not_running(view: &ClusterView<'_>, ix: PodIx, now: Timestamp) -> Option<NotRunning> {
    of_status(view.cluster, ix, now).or_else(|| resize::pending(view, ix))
}

/// The same without resizes, which need the sums of a scheduler.
fn of_status(cluster: &Cluster, ix: PodIx, now: Timestamp) -> Option<NotRunning> {
    let pod = cluster.pod(ix);
    if pod.node_name.is_empty() && pod.phase == Phase::Active {
        return None;
    }
    if let Phase::Failed = pod.phase {
        return failed(cluster, pod);
    }
    if pod.phase != Phase::Active {
        return None;
    }

    // Without its node nothing else matters: no kubelet acts.
    let node_name = cluster.text(pod.node_name);
    let Some(node) = cluster.find_node(node_name) else {
        return (!cluster.nodes.is_empty()).then(|| gone_node(cluster, pod));
    };
    if let Some(silence) = silence(cluster, node, now) {
        let mut answer = NotRunning::new(
            silence.clause.clone(),
            NextLook::Kubectl(format!("describe node {}", shell_word(node_name))),
        );
        answer.details.push(silence.of_pod(cluster, pod, now));
        return Some(answer);
    }
    of_containers(cluster, ix, now)
}

/// The same as a clause after `is already assigned to node NAME`.
pub(crate) fn clause(view: &ClusterView<'_>, ix: PodIx, now: Timestamp) -> Option<String> {
    let cluster = view.cluster;
    let pod = cluster.pod(ix);
    let found = not_running(view, ix, now)?;
    Some(if pod.phase == Phase::Active {
        format!("is already assigned to node {}; {}", cluster.text(pod.node_name), found.cause)
    } else {
        format!("{}; there is nothing to schedule", found.cause)
    })
}

/// The details, and where to look.
pub(crate) fn words(view: &ClusterView<'_>, ix: PodIx, now: Timestamp) -> Option<HolderWords> {
    let found = not_running(view, ix, now)?;
    let head = if found.details.is_empty() { "Where to look" } else { "What is in the way" };
    let mut lines: Vec<HolderLine> = found.details.into_iter().map(HolderLine::Text).collect();
    match found.look {
        Some(NextLook::Kubectl(command)) => {
            lines.push(HolderLine::Text(format!("kubectl {command}")));
        }
        Some(NextLook::Own(command)) => lines.push(HolderLine::Command(command)),
        None => {}
    }
    (!lines.is_empty()).then(|| HolderWords { head: head.to_owned(), lines })
}

/// A pod that has failed: its kubelet rejected or evicted it, or its containers ended.
fn failed(cluster: &Cluster, pod: &Pod) -> Option<NotRunning> {
    let end = pod.end.as_deref()?;
    let node = cluster.text(pod.node_name);
    let cause = match &*end.reason {
        "" => {
            let exit = end.exits.iter().find(|exit| exit.code != 0)?;
            let reason =
                if exit.reason.is_empty() { String::new() } else { format!(" ({})", exit.reason) };
            format!("has failed: container {} exited with {}{reason}", exit.container, exit.code)
        }
        "DeadlineExceeded" => "has failed: it ran longer than its activeDeadlineSeconds".to_owned(),
        "Evicted" => format!("was evicted by the kubelet of {node}: {}", sentence(end)),
        "Terminated" | "NodeShutdown" | "Shutdown" => {
            format!("was ended when node {node} shut down: {}", sentence(end))
        }
        "Preempting" => format!("was ended by the kubelet of {node} for a critical pod"),
        "NodeLost" => format!("was lost with node {node}, which stopped reporting"),
        reason => format!("was rejected by the kubelet of {node} ({reason}): {}", sentence(end)),
    };
    let mut details = Vec::new();
    let scheduler = cluster.text(cluster.template(pod).scheduler_name);
    if end.reason.starts_with("OutOf") {
        details.push(format!(
            "Scheduler {scheduler} placed it on {node}, where the kubelet then counted more in use"
        ));
    }
    details.push(match pod.controller {
        Some(owner) => format!(
            "It stays Failed and is never tried again: {} has to make another pod",
            cluster.owner_name(&owner)
        ),
        None => "It stays Failed and is never tried again, and no controller makes another pod"
            .to_owned(),
    });
    let why = ["why-evicted", &pod.name, "-n", cluster.text(pod.namespace)].map(str::to_owned);
    let look = match (&*end.reason, end.exits.iter().find(|exit| exit.code != 0)) {
        ("", Some(exit)) => kubectl_on_pod(cluster, pod, "logs", &["-c", &exit.container]),
        _ => NextLook::Own(arguments(&why)),
    };
    Some(NotRunning { cause, details, look: Some(look) })
}

/// The kubelet's sentence, with the numbers of a refusal in the order in which one reads them.
fn sentence(end: &PodEnd) -> String {
    let text = end.message.trim_end_matches('.');
    let numbers = text.split_once("enough resource: ").and_then(|(_, rest)| {
        let mut parts = rest.split(", ");
        let resource = parts.next()?;
        let [requested, used, capacity] = ["requested: ", "used: ", "capacity: "]
            .map(|name| parts.next().and_then(|part| part.strip_prefix(name)));
        let unit = if resource == "cpu" { "m" } else { "" };
        Some(format!(
            "{resource}: {}{unit} requested, {}{unit} of {}{unit} used",
            requested?, used?, capacity?
        ))
    });
    numbers.unwrap_or_else(|| match text {
        "" => end.reason.to_string(),
        text => cut(text),
    })
}

fn gone_node(cluster: &Cluster, pod: &Pod) -> NotRunning {
    let node = cluster.text(pod.node_name);
    let mut answer = NotRunning::new(
        format!("node {node} does not exist, so no kubelet starts it"),
        kubectl_on_pod(cluster, pod, "delete pod", &[]),
    );
    answer.details.push(
        "The pod garbage collector of kube-controller-manager deletes pods of nodes that are gone within about a minute; \
         if it stays, is the controller running?"
            .to_owned(),
    );
    answer
}

/// What its containers wait for, and what Events say about their volumes and network.
fn of_containers(cluster: &Cluster, ix: PodIx, now: Timestamp) -> Option<NotRunning> {
    let pod = cluster.pod(ix);
    let event = |reasons: &[&str]| last_event(cluster, pod, reasons);
    let speaking =
        pod.waiting.iter().find(|container| !NOT_YET.contains(&container.reason.as_ref()));
    if let Some(container) = speaking {
        return Some(of_container(cluster, pod, container, event(&["Failed", "BackOff"])));
    }
    if pod.readiness != Readiness::Pending {
        return None;
    }

    // Volumes come before the network, and both before the containers.
    let volumes =
        ["FailedAttachVolume", "FailedMount", "FailedMapVolume", "FailedPrepareDynamicResources"];
    let by_event =
        event(&volumes).or_else(|| event(&["FailedCreatePodSandBox", "NetworkNotReady"]));
    let describe = kubectl_on_pod(cluster, pod, "describe pod", &[]);
    let holder = other_user(cluster, ix);
    if let Some(event) = by_event {
        let mut answer =
            NotRunning::new(format!("{}: {}", what(cluster, event), cut(&event.message)), describe);
        answer.details.extend(holder);
        answer.details.extend(seen(event, now));
        return Some(answer);
    }
    if let Some(holder) = holder {
        return Some(NotRunning::new(
            format!("its containers are not created; {holder}"),
            describe,
        ));
    }
    // A claim without a volume is said with the assignment.
    if unbound_claims(cluster, ix).next().is_some() {
        return None;
    }

    let age = now.as_second() - pod.created?.as_second();
    if age <= USUAL_START {
        return None;
    }
    let age = words::age(age);
    let cause = match pod.waiting.first() {
        None => format!("its kubelet has not begun with it for {age}"),
        Some(first) if &*first.reason == "PodInitializing" => {
            format!("its init containers have not ended for {age}")
        }
        Some(_) => format!(
            "its containers have been in creation for {age} (volumes, network or runtime of the node)"
        ),
    };
    let mut answer = NotRunning::new(cause, describe);
    if cluster.start_events.is_empty() {
        answer.details.push("The input has no Event that says why".to_owned());
    }
    Some(answer)
}

/// A container that says why it does not run.
fn of_container(
    cluster: &Cluster,
    pod: &Pod,
    waiting: &WaitingContainer,
    event: Option<&Event>,
) -> NotRunning {
    let WaitingContainer { container, reason, message, image } = waiting;
    // The Event has the registry's answer, the status only that it is tried again later.
    let said = event.map(|event| &event.message).filter(|said| said.contains("ull image"));
    let said = match said {
        Some(said) if OF_IMAGES.contains(&&**reason) => said,
        _ => message,
    };
    let said = if said.is_empty() { String::new() } else { format!(": {}", cut(said)) };
    let (cause, verb) = match &**reason {
        reason if OF_IMAGES.contains(&reason) => (
            match &**image {
                "" => {
                    format!("the image of container {container} cannot be pulled ({reason}){said}")
                }
                _ => format!(
                    "image {image} of container {container} cannot be pulled ({reason}){said}"
                ),
            },
            "describe pod",
        ),
        "CrashLoopBackOff" => {
            (format!("container {container} ends again and again ({reason}){said}"), "logs")
        }
        reason => {
            (format!("container {container} does not start ({reason}){said}"), "describe pod")
        }
    };
    let more: &[&str] = if verb == "logs" { &["-c", container, "--previous"] } else { &[] };
    NotRunning::new(cause, kubectl_on_pod(cluster, pod, verb, more))
}

/// What an Event is about, in a few words.
fn what(cluster: &Cluster, event: &Event) -> &'static str {
    match cluster.text(event.reason) {
        "FailedAttachVolume" => "a volume cannot be attached to the node",
        "FailedMount" | "FailedMapVolume" => "a volume cannot be mounted",
        "FailedCreatePodSandBox" | "NetworkNotReady" => "its network cannot be set up",
        "FailedPrepareDynamicResources" => "its devices cannot be prepared",
        _ => "it does not start",
    }
}

fn seen(event: &Event, now: Timestamp) -> Option<String> {
    let ago = now.as_second() - event.time?.as_second();
    (ago >= 0).then(|| format!("Last said {} ago", words::age(ago)))
}

/// The newest Event about the pod with one of these reasons. An Event of an earlier pod of this
/// name has another UID.
fn last_event<'c>(cluster: &'c Cluster, pod: &Pod, reasons: &[&str]) -> Option<&'c Event> {
    let own = cluster.start_events.iter().filter(|event| {
        let object = &event.object;
        reasons.contains(&cluster.text(event.reason))
            && object.namespace == pod.namespace
            && object.name == pod.name
            && (object.uid.is_empty() || pod.uid.is_empty() || object.uid == pod.uid)
    });
    own.max_by(|a, b| a.time.cmp(&b.time).then_with(|| a.message.cmp(&b.message)))
}

/// The pod on another node that uses a claim which one node alone can use.
fn other_user(cluster: &Cluster, ix: PodIx) -> Option<String> {
    let pod = cluster.pod(ix);
    for used in cluster.claims_of(pod) {
        let Some(claim) = used.claim else { continue };
        let modes: Vec<&str> = claim.access_modes.iter().map(|mode| cluster.text(*mode)).collect();
        if modes.is_empty() || modes.iter().any(|mode| mode.ends_with("Many")) {
            continue;
        }
        let other = cluster.pod_indices().find(|other| {
            let facts = cluster.pod(*other);
            *other != ix
                && facts.is_running()
                && facts.namespace == pod.namespace
                && facts.node_name != pod.node_name
                && facts.claims.contains(&claim.name)
        });
        if let Some(other) = other {
            return Some(format!(
                "claim {} is for one node at a time ({}), and {} on {} uses it",
                cluster.text(claim.name),
                modes.join(", "),
                cluster.pod_name(other),
                cluster.text(cluster.pod(other).node_name)
            ));
        }
    }
    None
}

/// A command of kubectl about the pod: `describe pod NAME -n NAMESPACE`.
fn kubectl_on_pod(cluster: &Cluster, pod: &Pod, verb: &str, more: &[&str]) -> NextLook {
    let [name, namespace] = [&*pod.name, cluster.text(pod.namespace)].map(shell_word);
    let mut command = format!("{verb} {name} -n {namespace}");
    for word in more {
        command.push(' ');
        command.push_str(&shell_word(word));
    }
    NextLook::Kubectl(command)
}

/// The beginning of another program's message, on one line.
fn cut(text: &str) -> String {
    let text = text.trim().trim_end_matches('.').replace(['\n', '\r'], " ");
    words::beginning(&text, MESSAGE)
}

#[cfg(test)]
mod tests;

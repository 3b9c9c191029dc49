//! Workloads whose pods are missing: nothing is Pending, because the pods were never created. What
//! the API server, the controller or a queue says about that.

mod refusal;

use std::collections::{BTreeMap, BTreeSet};

use crate::input::LoadedInput;
use crate::questions::{Basis, Report};
use crate::target::Target;
use crate::verdict::Verdict;
use crate::words::{self, kubectl};
use engine::cluster::event::NOT_MADE;
use engine::cluster::pod::Pod;
use engine::cluster::pod_controller::PodController;
use engine::cluster::{Cluster, Kind, Sym};
use engine::decision::handlers::work_of_job;
use engine::snapshot::managed_fields::FieldChange;
use jiff::Timestamp;
pub use refusal::{Refusal, RefusalKind};

/// How many seconds a controller may take to create pods.
const PATIENCE: i64 = 60;
/// The most characters of a message.
const MESSAGE: usize = 600;
/// The Lease of the controllers of Kubernetes.
const CONTROLLER_MANAGER: &str = "kube-controller-manager";

/// Why pods of a workload are missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MissingCause {
    /// The API server refuses them.
    Refused(Refusal),
    /// Kueue holds the workload back; with its reason and the queue.
    Kueue { word: String, place: String, message: String, facts: Vec<String> },
    /// It is suspended or paused; by whom and when, if its managed fields say so.
    Suspended(Option<FieldChange>),
    /// A pod with an earlier ordinal is not Ready.
    EarlierPod(String),
    /// Its controller has not looked at it.
    Unobserved { seconds: Option<i64> },
    /// The phase or condition in which its own program says that it does not run.
    Says { reason: String, message: String },
    /// It has finished.
    Finished(String),
    /// It wants none.
    NoneWanted,
    /// Nothing says why.
    NotKnown,
}

impl MissingCause {
    /// Its name in JSON.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Refused(_) => "Refused",
            Self::Kueue { .. } => "Kueue",
            Self::Suspended(_) => "Suspended",
            Self::EarlierPod(_) => "EarlierPod",
            Self::Unobserved { .. } => "NotObserved",
            Self::Says { .. } => "Condition",
            Self::Finished(_) => "Finished",
            Self::NoneWanted => "NoneWanted",
            Self::NotKnown => "NotKnown",
        }
    }

    /// Whether the workload runs no pods because it should not.
    const fn is_intended(&self) -> bool {
        matches!(self, Self::Finished(_) | Self::NoneWanted)
    }
}

/// A workload that has fewer pods than it wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingPods {
    pub kind: String,
    pub namespace: String,
    pub name: String,
    /// How many pods it wants; `None` if it does not say.
    pub wanted: Option<i64>,
    /// How many it has.
    pub exist: usize,
    pub cause: MissingCause,
    /// The cause as a clause.
    pub why: String,
    /// Who says so, and the message itself.
    pub said: Option<(String, String)>,
    /// What else is known: sentences without a full stop.
    pub facts: Vec<String>,
    /// What to do, and with which command.
    pub next: Vec<String>,
}

impl MissingPods {
    /// `Deployment shop/web (0 of 3 pods)`.
    pub fn title(&self) -> String {
        format!("{} {}/{} ({})", self.kind, self.namespace, self.name, self.pods())
    }

    /// `0 of 3 pods`.
    pub fn pods(&self) -> String {
        match self.wanted {
            Some(1) => format!("{} of 1 pod", self.exist),
            Some(wanted) => format!("{} of {wanted} pods", self.exist),
            None => words::count(self.exist, "pod"),
        }
    }

    /// Whether the pods are missing although they are wanted.
    pub fn is_trouble(&self) -> bool {
        !self.cause.is_intended()
    }
}

/// The answer about workloads that have no pods.
#[derive(Debug, Clone)]
pub struct WorkloadReport {
    pub basis: Basis,
    pub workloads: Vec<MissingPods>,
}

impl WorkloadReport {
    /// About these workloads of `input`.
    pub fn new(input: &LoadedInput, workloads: Vec<MissingPods>) -> Self {
        Self { basis: Basis::of(input), workloads }
    }
}

impl Report for WorkloadReport {
    /// Whether no pod is missing that is wanted.
    fn verdict(&self) -> Verdict {
        Verdict::new(!self.workloads.iter().any(MissingPods::is_trouble), false)
    }

    fn reorder(&mut self, order: &[usize]) {
        self.workloads = order.iter().filter_map(|at| self.workloads.get(*at).cloned()).collect();
    }
}

/// What is known of a target that exists and has no pods; `None` if there is no such workload here.
pub(crate) fn without_pods(target: &Target, input: &LoadedInput) -> Option<MissingPods> {
    let cluster = &input.cluster;
    let namespace = target.namespace.as_deref().unwrap_or(&input.namespace);
    let found = cluster.pod_controller(target.kind, namespace, &target.name);
    let index = &WorkloadIndex::new(cluster);
    let Some(owner) = found else { return implied(target, namespace, index, input.now) };
    Some(WorkloadView { owner, cluster, index, now: input.now }.missing())
}

/// Why some pods of a target are missing although others exist, as a sentence without its full stop;
/// `None` if none is, or if nothing says why.
pub fn missing_beside(target: &Target, input: &LoadedInput) -> Option<String> {
    let cluster = &input.cluster;
    let namespace = target.namespace.as_deref().unwrap_or(&input.namespace);
    let owner = cluster.pod_controller(target.kind, namespace, &target.name)?;
    let index = &WorkloadIndex::new(cluster);
    let view = WorkloadView { owner, cluster, index, now: input.now };
    let exist = i64::try_from(view.pods().len()).ok()?;
    if exist == 0 || exist >= owner.wanted? {
        return None;
    }
    let missing = view.missing();
    let is_told = matches!(missing.cause, MissingCause::Refused(_) | MissingCause::EarlierPod(_));
    is_told.then(|| format!("{}: {}", missing.title(), missing.why))
}

/// The workloads of which pods are missing and something says why, by namespace, kind and name.
/// Those of which a pod waits for a node are left out: that pod is the answer.
pub(crate) fn lacking(input: &LoadedInput, namespace: Option<&str>) -> Vec<MissingPods> {
    let cluster = &input.cluster;
    let index = WorkloadIndex::new(cluster);
    let failing: BTreeSet<(Sym, Sym, &str)> = cluster
        .events
        .iter()
        .filter(|event| cluster.text(event.reason) == NOT_MADE)
        .map(|event| (event.object.namespace, event.object.kind, &*event.object.name))
        .collect();

    // Most controllers have all their pods, and show no sign of anything else.
    let mut workloads: BTreeSet<(&str, &str, &str)> = BTreeSet::new();
    for owner in &cluster.pod_controllers {
        let is_meant = namespace.is_none_or(|only| cluster.text(owner.namespace) == only);
        let fails = failing.contains(&(owner.namespace, owner.kind, cluster.text(owner.name)));
        if is_meant && (fails || index.has_a_sign(owner)) {
            let workload = index.outermost(owner);
            let [kind, namespace, name] =
                [workload.kind, workload.namespace, workload.name].map(|sym| cluster.text(sym));
            workloads.insert((namespace, kind, name));
        }
    }
    let mut lacking = Vec::new();
    for (namespace, kind, name) in workloads {
        let Some(owner) = cluster.pod_controller(kind, namespace, name) else { continue };
        let view = WorkloadView { owner, cluster, index: &index, now: input.now };
        if view.is_complete() {
            continue;
        }
        let missing = view.missing();
        let is_told =
            !matches!(missing.cause, MissingCause::NotKnown | MissingCause::EarlierPod(_));
        if is_told && missing.is_trouble() {
            lacking.push(missing);
        }
    }
    lacking
}

/// The kinds of workloads that could not be read, a sentence each: some may lack pods.
pub(crate) fn unread(cluster: &Cluster) -> Vec<String> {
    let mut sentences = Vec::new();
    for unread in cluster.header.programs.iter().flat_map(|all| &all.unread_controllers) {
        let (what, reason) = (&unread.resource, &unread.reason);
        sentences.push(format!(
            "{what} could not be read ({reason}): which of them lack pods is not known"
        ));
    }
    sentences
}

/// A Deployment that is not in the input, of which a ReplicaSet is.
fn implied(
    target: &Target,
    namespace: &str,
    index: &WorkloadIndex<'_>,
    now: Timestamp,
) -> Option<MissingPods> {
    let cluster = index.cluster;
    let mut parts: Vec<&PodController> = Vec::new();
    for one in &cluster.pod_controllers {
        let is_its = one.controller.is_some_and(|by| {
            cluster.text(by.kind) == target.kind && cluster.text(by.name) == target.name
        });
        if is_its && cluster.text(one.namespace) == namespace {
            parts.push(one);
        }
    }
    // Older ReplicaSets want none.
    let part = parts.into_iter().max_by_key(|part| (part.wanted, part.created))?;
    let missing = WorkloadView { owner: part, cluster, index, now }.missing();
    Some(MissingPods { kind: target.kind.to_owned(), name: target.name.clone(), ..missing })
}

/// Namespace, kind and name of a controller.
type ControllerName = (Sym, Sym, Sym);

/// What each controller has made: pods that have not ended, and other controllers.
struct WorkloadIndex<'c> {
    cluster: &'c Cluster,
    pods: BTreeMap<ControllerName, Vec<&'c Pod>>,
    controllers: BTreeMap<ControllerName, Vec<&'c PodController>>,
}

impl<'c> WorkloadIndex<'c> {
    fn new(cluster: &'c Cluster) -> Self {
        let mut pods: BTreeMap<ControllerName, Vec<&Pod>> = BTreeMap::new();
        for pod in cluster.pods.iter().filter(|pod| pod.is_active()) {
            if let Some(by) = pod.controller {
                pods.entry((pod.namespace, by.kind, by.name)).or_default().push(pod);
            }
        }
        let mut controllers: BTreeMap<ControllerName, Vec<&PodController>> = BTreeMap::new();
        for one in &cluster.pod_controllers {
            if let Some(by) = one.controller {
                controllers.entry((one.namespace, by.kind, by.name)).or_default().push(one);
            }
        }
        Self { cluster, pods, controllers }
    }

    /// What a controller has made, such as the ReplicaSets of a Deployment.
    fn made_by(&self, owner: &PodController) -> &[&'c PodController] {
        let name = (owner.namespace, owner.kind, owner.name);
        self.controllers.get(&name).map_or(&[], Vec::as_slice)
    }

    /// Whether anything shows that pods of a controller may be missing.
    fn has_a_sign(&self, owner: &PodController) -> bool {
        let cluster = self.cluster;
        let has = |kind: &str| owner.condition(kind, cluster).is_some();
        if ["Complete", "Completed", "Failed"].into_iter().any(has) {
            return false;
        }
        let has_made_nothing =
            cluster.text(owner.kind) == "Deployment" && self.made_by(owner).is_empty();
        owner.is_suspended
            || owner.is_unobserved
            || has_made_nothing
            || has("ReplicaFailure")
            || has("State")
    }

    /// The workload that a controller belongs to: what is made by another one is told of that one.
    fn outermost(&self, owner: &'c PodController) -> &'c PodController {
        let cluster = self.cluster;
        let by = owner.controller.and_then(|by| {
            let namespace = cluster.text(owner.namespace);
            cluster.pod_controller(cluster.text(by.kind), namespace, cluster.text(by.name))
        });
        by.unwrap_or(owner)
    }
}

/// A workload in its cluster.
#[derive(Clone, Copy)]
struct WorkloadView<'c> {
    owner: &'c PodController,
    cluster: &'c Cluster,
    index: &'c WorkloadIndex<'c>,
    now: Timestamp,
}

impl<'c> WorkloadView<'c> {
    /// The workload, and what it has made.
    fn family(self) -> Vec<&'c PodController> {
        let mut family = vec![self.owner];
        family.extend(self.index.made_by(self.owner));
        family
    }

    /// The pods of it that have not ended.
    fn pods(self) -> Vec<&'c Pod> {
        let mut pods = Vec::new();
        for owner in self.family() {
            let name = (owner.namespace, owner.kind, owner.name);
            pods.extend(self.index.pods.get(&name).into_iter().flatten());
        }
        pods
    }

    /// Whether nothing is missing, or what is there says why the rest is not.
    fn is_complete(self) -> bool {
        let wanted = match self.owner.wanted {
            Some(wanted) => wanted,
            // Only its own words say that it should have pods.
            None => i64::from(!self.owner.conditions.is_empty() || self.owner.is_suspended),
        };
        if wanted == 0 {
            return true;
        }
        let pods = self.pods();
        let has_enough = i64::try_from(pods.len()).is_ok_and(|exist| exist >= wanted);
        has_enough || pods.iter().any(|pod| pod.is_waiting())
    }

    fn missing(self) -> MissingPods {
        let Self { owner, cluster, .. } = self;
        let cause = self.cause();
        let said = self.said(&cause);
        let kind = cluster.text(owner.kind).to_owned();
        let [namespace, name] =
            [owner.namespace, owner.name].map(|sym| cluster.text(sym).to_owned());
        let next = self.next(&cause);
        let facts = match &cause {
            MissingCause::Kueue { facts, .. } => facts.clone(),
            _ => Vec::new(),
        };
        MissingPods {
            facts,
            why: self.why(&cause),
            wanted: owner.wanted,
            exist: self.pods().len(),
            kind,
            namespace,
            name,
            cause,
            said,
            next,
        }
    }

    /// Why its pods are missing, the most telling first.
    fn cause(self) -> MissingCause {
        let Self { owner, cluster, now, .. } = self;
        // What has ended wants no pods, whatever it said before.
        for kind in ["Complete", "Completed", "Failed"] {
            if let Some(end) = owner.condition(kind, cluster) {
                let reason = cluster.text(end.reason);
                let how = if reason.is_empty() { kind } else { reason };
                return MissingCause::Finished(if kind == "Failed" {
                    format!("Failed: {how}")
                } else {
                    "Complete".to_owned()
                });
            }
        }
        if let Some(held) = self.kueue() {
            return held;
        }
        if owner.is_suspended {
            return MissingCause::Suspended(self.suspended_by());
        }
        // Its controller writes how many pods a DaemonSet wants.
        let is_written = cluster.text(owner.kind) == "DaemonSet";
        if owner.wanted == Some(0) && !(is_written && owner.is_unobserved) {
            return MissingCause::NoneWanted;
        }
        if let Some(refused) = self.refused() {
            return MissingCause::Refused(Refusal::of(&refused.1, cluster, owner.namespace));
        }
        if let Some(earlier) = self.earlier_pod() {
            return MissingCause::EarlierPod(earlier);
        }
        let age = owner.created.map(|created| now.as_second() - created.as_second());
        let is_old = age.is_none_or(|age| age > PATIENCE);
        let has_nothing = cluster.text(owner.kind) == "Deployment"
            && self.index.made_by(owner).is_empty()
            && self.pods().is_empty();
        if is_old && (owner.is_unobserved || has_nothing) {
            return MissingCause::Unobserved { seconds: age };
        }
        let state = owner.condition("State", cluster);
        if let Some(state) = state.filter(|state| cluster.text(state.reason) != "Running") {
            return MissingCause::Says {
                reason: cluster.text(state.reason).to_owned(),
                message: words::beginning(&state.message, MESSAGE),
            };
        }
        MissingCause::NotKnown
    }

    /// Who suspended it.
    fn suspended_by(self) -> Option<FieldChange> {
        let Self { owner, cluster, .. } = self;
        if owner.suspended_by.is_some() {
            return owner.suspended_by.clone();
        }
        let programs = cluster.header.programs.as_ref();
        let is_job = cluster.text(owner.kind) == Kind::Job.name();
        let [namespace, name] = [owner.namespace, owner.name].map(|sym| cluster.text(sym));
        programs.filter(|_| is_job).and_then(|all| all.suspension(namespace, name)).cloned()
    }

    /// Kueue's reason, if a Workload of it represents this one, or if it names a queue of Kueue.
    fn kueue(self) -> Option<MissingCause> {
        let Self { owner, cluster, .. } = self;
        if let Some(reason) =
            work_of_job(cluster, owner.namespace, owner.uid, owner.kind, owner.name)
        {
            // What is admitted waits for something else.
            if reason.word == "Admitted" && !owner.is_suspended {
                return None;
            }
            return Some(MissingCause::Kueue {
                word: reason.word,
                place: reason.place,
                message: words::beginning(&reason.message, MESSAGE),
                facts: reason.facts,
            });
        }
        if !owner.is_suspended || owner.queue.is_empty() {
            return None;
        }
        let place = format!("LocalQueue {}", cluster.text(owner.queue));
        let (word, message) = (String::new(), String::new());
        Some(MissingCause::Kueue { word, place, message, facts: Vec::new() })
    }

    /// Who could not create a pod, and the message: the newest Event, else the status.
    fn refused(self) -> Option<(String, String)> {
        let cluster = self.cluster;
        let family = self.family();
        let events = cluster.events.iter().filter(|event| {
            cluster.text(event.reason) == NOT_MADE
                && family.iter().any(|owner| {
                    event.object.namespace == owner.namespace
                        && event.object.kind == owner.kind
                        && *event.object.name == *cluster.text(owner.name)
                })
        });
        if let Some(event) = events.max_by_key(|event| event.time) {
            return Some((cluster.text(event.component).to_owned(), event.message.to_string()));
        }
        // That of the ReplicaSet has the whole message.
        for owner in family.iter().rev() {
            if let Some(failure) = owner.condition("ReplicaFailure", cluster) {
                let by = format!("the condition ReplicaFailure of {}", cluster.text(owner.name));
                return Some((by, failure.message.to_string()));
            }
        }
        None
    }

    /// The first pod of a StatefulSet that is not Ready; the next is only created after it is.
    fn earlier_pod(self) -> Option<String> {
        let is_set = self.cluster.text(self.owner.kind) == Kind::StatefulSet.name();
        let unready = self
            .pods()
            .into_iter()
            .find(|pod| pod.readiness != engine::cluster::pod::Readiness::Ready);
        unready.filter(|_| is_set).map(|pod| pod.name.to_string())
    }

    /// Who says so, and what.
    fn said(self, cause: &MissingCause) -> Option<(String, String)> {
        match cause {
            MissingCause::Refused(_) => {
                self.refused().map(|(by, message)| (by, words::beginning(&message, MESSAGE)))
            }
            MissingCause::Kueue { message, .. } if !message.is_empty() => {
                Some(("Kueue".to_owned(), message.clone()))
            }
            MissingCause::Says { message, .. } if !message.is_empty() => {
                Some(("its status".to_owned(), message.clone()))
            }
            _ => None,
        }
    }

    fn why(self, cause: &MissingCause) -> String {
        match cause {
            MissingCause::Refused(refusal) => refusal.clause(),
            MissingCause::Kueue { word, place, .. } if word.is_empty() => {
                format!("Kueue holds it ({place}); why is not in the input")
            }
            MissingCause::Kueue { word, place, message, .. } => {
                let brief = if message.is_empty() { String::new() } else { format!(": {message}") };
                format!("Kueue holds it ({place}): {word}{brief}")
            }
            MissingCause::Suspended(by) => {
                let who = by.as_ref().map_or_else(String::new, |by| format!(" {}", self.who(by)));
                match self.cluster.text(self.owner.kind) {
                    "Deployment" => {
                        format!("it is paused{who} (spec.paused), so changes of it make no pods")
                    }
                    _ => format!("it is suspended{who} (spec.suspend: true)"),
                }
            }
            MissingCause::EarlierPod(pod) => {
                format!(
                    "it creates the next pod once {pod} is Ready, unless its podManagementPolicy is Parallel"
                )
            }
            MissingCause::Unobserved { seconds } => {
                let long = seconds.map_or_else(String::new, |s| format!(" for {}", words::age(s)));
                format!("no controller has acted on it{long}: {}", self.controller_manager())
            }
            MissingCause::Says { reason, .. } => format!("it is {reason}"),
            MissingCause::Finished(how) => format!("it has ended ({how})"),
            MissingCause::NoneWanted => match self.cluster.text(self.owner.kind) {
                "DaemonSet" => "its node selector, affinity and tolerations allow no node \
                                (desiredNumberScheduled: 0)"
                    .to_owned(),
                "Job" => "it wants none (parallelism: 0, or all completions are there)".to_owned(),
                _ => "it wants none (replicas: 0)".to_owned(),
            },
            MissingCause::NotKnown => "nothing in the input says why".to_owned(),
        }
    }

    /// `by kubectl-edit, 5m ago at the latest`: the time is that of the client's last write.
    fn who(self, by: &FieldChange) -> String {
        let ago = by.at().map(|at| self.now.as_second() - at.as_second());
        let when =
            ago.map_or_else(String::new, |s| format!(", {} ago at the latest", words::age(s)));
        format!("by {}{when}", words::beginning(&by.manager, 60))
    }

    /// What is known of the program that should act.
    fn controller_manager(self) -> String {
        let cluster = self.cluster;
        let pods = cluster.pods.iter().filter(|pod| {
            cluster.text(pod.namespace) == "kube-system" && pod.name.starts_with(CONTROLLER_MANAGER)
        });
        let programs = cluster.header.programs.as_ref();
        for pod in pods {
            if pod.readiness == engine::cluster::pod::Readiness::Ready {
                continue;
            }
            let state = programs.and_then(|all| all.pod("kube-system", &pod.name));
            let how = state.filter(|state| !state.waiting.is_empty());
            let how = how.map_or_else(
                || "is not Ready".to_owned(),
                |state| format!("is in {} ({} restarts)", state.waiting, state.restarts),
            );
            return format!("{} {how}", pod.name);
        }
        let lease = programs.and_then(|all| {
            all.leases.iter().find(|lease| lease.name == CONTROLLER_MANAGER)?.ends()
        });
        match lease.map(|end| self.now.as_second() - end.as_second()) {
            Some(overdue) if overdue > PATIENCE => {
                format!("the Lease of {CONTROLLER_MANAGER} expired {} ago", words::age(overdue))
            }
            Some(_) => format!("{CONTROLLER_MANAGER} renews its Lease, so look at its log"),
            None => {
                format!("does {CONTROLLER_MANAGER} run? kubectl get leases,pods -n kube-system")
            }
        }
    }

    /// What to do next.
    fn next(self, cause: &MissingCause) -> Vec<String> {
        let Self { owner, cluster, .. } = self;
        let [kind, namespace, name] =
            [owner.kind, owner.namespace, owner.name].map(|sym| cluster.text(sym).to_owned());
        let object = format!("{}/{name}", kind.to_lowercase());
        match cause {
            MissingCause::Refused(refusal) => refusal.remedies(),
            MissingCause::NotKnown => {
                vec![format!("Its Events: {}", kubectl(&["describe", &object, "-n", &namespace]))]
            }
            MissingCause::Suspended(_) if kind == "Deployment" => {
                vec![kubectl(&["rollout", "resume", &object, "-n", &namespace])]
            }
            MissingCause::Suspended(_) => {
                let patch = r#"{"spec":{"suspend":false}}"#;
                vec![kubectl(&["patch", &object, "-n", &namespace, "--type=merge", "-p", patch])]
            }
            MissingCause::Kueue { .. } => vec![
                "Kueue creates no pods before it admits the workload; what the scheduler would do is not asked yet"
                    .to_owned(),
            ],
            _ => Vec::new(),
        }
    }
}

//! Whether anybody schedules: a pod that no scheduler has looked at long after its creation, and
//! what the input shows of the scheduler that it names. A control plane that somebody else manages
//! shows neither pods nor Leases, so what is absent proves nothing.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::words::{self, kubectl};
use engine::cluster::pod::{Phase, Pod, Readiness};
use engine::cluster::{Cluster, Kind, Sym};
use engine::decision::waiting::unseen_for;
use engine::decision::{Decision, Outcome, QueueGate};
use engine::snapshot::programs::{Lease, Programs};
use engine::snapshot::scheduler::{NAMESPACE, OPENSHIFT_NAMESPACE};
use jiff::Timestamp;

/// The scheduler of pods that name none, and the name of its Lease.
const DEFAULT: &str = "default-scheduler";
const KUBE_SCHEDULER: &str = "kube-scheduler";
/// How many seconds a Lease may be overdue: clocks differ, and reading takes time.
const SLACK: i64 = 30;
/// The most pods of a scheduler that are named.
const NAMED: usize = 2;
/// The most characters of a name or an answer of the server.
const SHORT: usize = 160;

/// What is known of the scheduler of a silent pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchedulerState {
    /// None of its pods is Ready, or its Lease is not renewed.
    Down,
    /// It runs, as far as the input shows.
    Runs,
    /// The input shows nothing of it.
    NotShown,
}

impl SchedulerState {
    /// Its name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Down => "Down",
            Self::Runs => "Runs",
            Self::NotShown => "NotShown",
        }
    }
}

/// A pod that no scheduler looks at, as far as can be seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Silence {
    /// The program that should: `kube-scheduler`, or the `schedulerName` of the pod.
    pub scheduler: String,
    pub state: SchedulerState,
    /// For how many seconds no scheduler has looked at the pod; `None` if it was rejected before.
    pub seconds: Option<i64>,
    /// What was read about the scheduler, a clause each.
    pub facts: Vec<String>,
    /// The same without times, which change while the cluster does not.
    pub timeless: Vec<String>,
    /// What would tell more, and how: a sentence, and a command of kubectl.
    pub look: (String, String),
}

impl Silence {
    /// That no scheduler looks at the pod, and why.
    pub fn clause(&self) -> String {
        let facts = self.facts.join("; ");
        match (self.seconds, self.state) {
            (Some(seconds), SchedulerState::Down) => {
                format!("no scheduler has looked at it for {}: {facts}", words::age(seconds))
            }
            (Some(seconds), _) => {
                format!("no scheduler has looked at it for {}", words::age(seconds))
            }
            (None, _) => format!("{} does not run: {facts}", self.scheduler),
        }
    }

    /// The same for a cell of a table, without times.
    pub fn in_short(&self) -> String {
        let facts = self.timeless.join("; ");
        match (self.seconds, self.state) {
            (Some(_), SchedulerState::Down) => format!("no scheduler has looked at it: {facts}"),
            (Some(_), _) => "no scheduler has looked at it".to_owned(),
            (None, _) => format!("{} does not run: {facts}", self.scheduler),
        }
    }

    /// Whether the scheduler does not run, according to what was read.
    pub fn is_down(&self) -> bool {
        self.state == SchedulerState::Down
    }

    /// The heading over what was read.
    pub fn head(&self) -> String {
        match self.state {
            SchedulerState::Down => format!("{} does not run", self.scheduler),
            SchedulerState::Runs => format!("{} seems to run", self.scheduler),
            SchedulerState::NotShown => {
                format!("Whether {} runs is not in the input", self.scheduler)
            }
        }
    }

    /// What was read about the scheduler and what would tell more, a line each.
    pub fn lines(&self) -> Vec<String> {
        let (what, command) = &self.look;
        let mut lines = self.facts.clone();
        lines.push(format!("{what}: {command}"));
        lines
    }
}

/// What the input shows of schedulers, each looked for once.
pub(crate) struct SeenSchedulers<'i> {
    cluster: &'i Cluster,
    now: Timestamp,
    /// Whether the input says when it was taken.
    is_dated: bool,
    seen: Mutex<BTreeMap<(Sym, bool), Arc<SeenScheduler>>>,
}

impl<'i> SeenSchedulers<'i> {
    pub(crate) const fn new(cluster: &'i Cluster, now: Timestamp, is_dated: bool) -> Self {
        Self { cluster, now, is_dated, seen: Mutex::new(BTreeMap::new()) }
    }

    /// The scheduler of this name; `is_other` if it is not kube-scheduler with one of its profiles.
    fn of(&self, name: Sym, is_other: bool) -> Arc<SeenScheduler> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let observed = seen.entry((name, is_other)).or_insert_with(|| {
            let cluster = self.cluster;
            let wanted = WantedScheduler { name: cluster.text(name), is_other, cluster };
            Arc::new(wanted.observe(reference_time(cluster, self.now, self.is_dated)))
        });
        observed.clone()
    }
}

/// What is known of the scheduler of a pod that no scheduler has looked at for long, or whose
/// scheduler does not run; `None` for other pods.
pub(crate) fn silence(decision: &Decision, schedulers: &SeenSchedulers) -> Option<Silence> {
    let cluster = decision.view.cluster;
    let pod = cluster.pod(decision.pod);
    // A group is looked at as a whole, and a pod at Permit has been.
    let waits_with_others = decision.membership.is_some() || decision.permit.is_some();
    let is_queued = match &decision.outcome {
        Outcome::NotInQueue(gate) => matches!(gate, QueueGate::OtherScheduler),
        _ => true,
    };
    if !pod.is_waiting() || pod.is_terminating() || waits_with_others || !is_queued {
        return None;
    }
    let is_other = matches!(decision.outcome, Outcome::NotInQueue(_));
    let gates = &cluster.template(pod).gates;
    if is_other && !gates.is_empty() {
        return None;
    }
    let name = cluster.template(pod).scheduler_name;
    let seen = schedulers.of(name, is_other);

    let overdue = unseen_for(cluster, decision.pod, decision.now);
    let seconds = match (seen.state, &pod.scheduled_condition, pod.created) {
        (SchedulerState::Down, None, Some(created)) => {
            Some(decision.now.as_second() - created.as_second())
        }
        _ => overdue,
    };
    // Old Leases of a scheduler that uses another lock now would call a healthy one dead.
    let is_proven = seen.is_down() && (overdue.is_some() || seen.pods_are_down);
    if overdue.is_none() && !is_proven {
        return None;
    }
    let (mut facts, mut timeless) = (seen.facts.clone(), seen.timeless.clone());
    let placed = seen.newest.as_ref().filter(|newest| {
        pod.created.is_some_and(|created| newest.created > created) && !seen.is_down()
    });
    if let Some(newest) = placed {
        let text = format!("it has placed pods that are newer, such as {}", newest.name);
        facts.push(text.clone());
        timeless.push(text);
    }
    Some(Silence {
        scheduler: words::beginning(
            if is_other { cluster.text(name) } else { KUBE_SCHEDULER },
            SHORT,
        ),
        state: seen.state,
        seconds,
        facts,
        timeless,
        look: seen.look.clone(),
    })
}

/// The scheduler that a pod names.
#[derive(Clone, Copy)]
struct WantedScheduler<'c> {
    name: &'c str,
    /// Whether it is not kube-scheduler with one of its profiles.
    is_other: bool,
    cluster: &'c Cluster,
}

/// What was read about a scheduler.
struct SeenScheduler {
    state: SchedulerState,
    /// Whether it has pods here, none of which is Ready.
    pods_are_down: bool,
    /// As those of a [`Silence`].
    facts: Vec<String>,
    timeless: Vec<String>,
    look: (String, String),
    newest: Option<PlacedPod>,
}

/// The pod that was created last of those that a scheduler has placed.
struct PlacedPod {
    name: String,
    created: Timestamp,
    started: Timestamp,
}

impl SeenScheduler {
    fn is_down(&self) -> bool {
        self.state == SchedulerState::Down
    }
}

impl WantedScheduler<'_> {
    /// What the input shows of it.
    fn observe(self, reference: Timestamp) -> SeenScheduler {
        let cluster = self.cluster;
        let none = Programs::default();
        let programs = cluster.header.programs.as_ref().unwrap_or(&none);
        let pods: Vec<&Pod> = cluster
            .pods
            .iter()
            .filter(|pod| pod.phase != Phase::Succeeded && self.runs_in(pod))
            .collect();
        let ready: Vec<&Pod> =
            pods.iter().copied().filter(|pod| pod.readiness == Readiness::Ready).collect();
        let lease = programs.leases.iter().find(|lease| self.holds(lease));
        let read_at = programs.read_at.unwrap_or(reference);
        let overdue = lease.map(|lease| overdue(lease, read_at));

        // A pod that it has placed since the Lease ended shows another lock, or another clock.
        let newest = self.newest();
        let ended = lease.and_then(Lease::ends);
        let outlives_lease =
            newest.as_ref().is_some_and(|pod| ended.is_some_and(|end| pod.started > end));
        let is_expired =
            matches!(overdue, Some(Some(seconds)) if seconds > SLACK) || overdue == Some(None);
        let is_renewed = lease.is_some() && !is_expired;
        let pods_are_down = !pods.is_empty() && ready.is_empty() && !is_renewed;
        let state = match (pods_are_down, is_expired && !outlives_lease, lease, ready.as_slice()) {
            (true, ..) | (_, true, ..) => SchedulerState::Down,
            (_, _, None, []) => SchedulerState::NotShown,
            _ => SchedulerState::Runs,
        };

        // Each fact with its time, and without.
        let (mut facts, mut timeless) = (Vec::new(), Vec::new());
        let mut add = |fact: String, short: String| {
            facts.push(fact);
            timeless.push(short);
        };
        if ready.is_empty() {
            for pod in pods.iter().take(NAMED) {
                let text = self.how_it_does(pod, programs);
                add(text.clone(), text);
            }
        } else if let Some(pod) = ready.first() {
            let text = format!("{} is Ready", self.pod_name(pod));
            add(text.clone(), text);
        }
        if let Some(lease) = lease {
            let name = words::beginning(&format!("{}/{}", lease.namespace, lease.name), SHORT);
            match (is_expired, overdue.flatten()) {
                (true, Some(seconds)) => add(
                    format!("its Lease {name} expired {} ago", words::age(seconds)),
                    format!("its Lease {name} has expired"),
                ),
                (true, None) => {
                    let text = format!("its Lease {name} has no holder");
                    add(text.clone(), text);
                }
                (false, _) => {
                    let text = format!("its Lease {name} is renewed");
                    add(text.clone(), text);
                }
            }
        }
        if state == SchedulerState::NotShown && self.is_other && !cluster.may_lack(Kind::Pod) {
            let text = format!(
                "no pod here has a name like {}: is the schedulerName right, and is it installed?",
                words::beginning(self.name, SHORT)
            );
            add(text.clone(), text);
        }
        if let Some(refused) = programs.unreadable.as_ref().filter(|_| lease.is_none()) {
            let text = format!(
                "Leases could not be read ({}); it takes list on leases in {NAMESPACE}",
                words::beginning(refused, SHORT)
            );
            add(text.clone(), text);
        }
        let look = self.look(state, &pods);
        SeenScheduler { state, pods_are_down, facts, timeless, look, newest }
    }

    /// What would tell more.
    fn look(self, state: SchedulerState, pods: &[&Pod]) -> (String, String) {
        match (state, pods.first()) {
            (SchedulerState::Down, Some(pod)) => {
                let namespace = self.cluster.text(pod.namespace);
                let logs = kubectl(&["logs", "--previous", &pod.name, "-n", namespace]);
                ("To see why".to_owned(), logs)
            }
            (SchedulerState::Runs, Some(pod)) => {
                let logs = kubectl(&["logs", &pod.name, "-n", self.cluster.text(pod.namespace)]);
                ("What it says about the pod".to_owned(), logs)
            }
            _ if self.is_other => {
                ("What would tell".to_owned(), "kubectl get pods,leases -A".to_owned())
            }
            _ => ("What would tell".to_owned(), format!("kubectl get leases,pods -n {NAMESPACE}")),
        }
    }

    /// Whether the scheduler runs in this pod, by the names and labels that are usual.
    fn runs_in(self, pod: &Pod) -> bool {
        let cluster = self.cluster;
        let namespace = cluster.text(pod.namespace);
        if !self.is_other {
            let is_its_namespace = [NAMESPACE, OPENSHIFT_NAMESPACE].contains(&namespace);
            let is_labelled = cluster.label(pod, "component") == Some(KUBE_SCHEDULER)
                || cluster.label(pod, "k8s-app") == Some(KUBE_SCHEDULER)
                || cluster.label(pod, "app") == Some("openshift-kube-scheduler");
            let is_named = pod.name.starts_with("kube-scheduler-") || &*pod.name == KUBE_SCHEDULER;
            if is_its_namespace && (is_labelled || namespace == NAMESPACE && is_named) {
                return true;
            }
            // A profile may be one of a second kube-scheduler, which is named after it.
            if self.name == DEFAULT {
                return false;
            }
        }
        let owner =
            pod.controller.map(|owner| (cluster.text(owner.kind), cluster.text(owner.name)));
        let program = match owner {
            // The name of the Deployment, without the hash of its template.
            Some(("ReplicaSet", set)) => set.rsplit_once('-').map_or(set, |(name, _)| name),
            Some((_, name)) => name,
            None => &pod.name,
        };
        is_named_after(program, namespace, self.name)
    }

    /// Whether this is the scheduler's Lease.
    fn holds(self, lease: &Lease) -> bool {
        let is_default = !self.is_other
            && lease.name == KUBE_SCHEDULER
            && [NAMESPACE, OPENSHIFT_NAMESPACE].contains(&lease.namespace.as_str());
        if is_default || self.name == DEFAULT {
            return is_default;
        }
        let name = lease.name.strip_suffix("-lock").unwrap_or(&lease.name);
        name == self.name || is_named_after(name, &lease.namespace, self.name)
    }

    /// The pod of this scheduler that runs and was created last. Static pods have no scheduler.
    fn newest(self) -> Option<PlacedPod> {
        let cluster = self.cluster;
        let mut newest: Option<PlacedPod> = None;
        for pod in cluster.pods.iter().filter(|pod| pod.is_running() && !pod.mirror) {
            let (Some(created), Some(started)) = (pod.created, pod.start_time) else { continue };
            let is_its = cluster.text(cluster.template(pod).scheduler_name) == self.name;
            if is_its && newest.as_ref().is_none_or(|known| created > known.created) {
                let name = format!("{}/{}", cluster.text(pod.namespace), pod.name);
                newest = Some(PlacedPod { name, created, started });
            }
        }
        newest
    }

    /// `kube-scheduler-cp1 is in CrashLoopBackOff (40 restarts)`.
    fn how_it_does(self, pod: &Pod, programs: &Programs) -> String {
        let name = self.pod_name(pod);
        let state = programs.pod(self.cluster.text(pod.namespace), &pod.name);
        let waiting = state.map_or("", |state| state.waiting.as_str());
        let how = match (waiting, pod.phase, pod.readiness) {
            ("", Phase::Failed, _) => "has failed".to_owned(),
            ("", ..) if pod.node_name.is_empty() => "has no node itself".to_owned(),
            ("", _, Readiness::Pending) => "has not started".to_owned(),
            ("", ..) => "is not Ready".to_owned(),
            (waiting, ..) => format!("is in {}", words::beginning(waiting, SHORT)),
        };
        let restarts = match state.map_or(0, |state| state.restarts) {
            0 => String::new(),
            1 => " (1 restart)".to_owned(),
            restarts => format!(" ({restarts} restarts)"),
        };
        format!("{name} {how}{restarts}")
    }

    /// The name of a pod; without its namespace in that of the control plane.
    fn pod_name(self, pod: &Pod) -> String {
        match self.cluster.text(pod.namespace) {
            NAMESPACE => pod.name.to_string(),
            namespace => format!("{namespace}/{}", pod.name),
        }
    }
}

/// Whether a program of this name and namespace is the scheduler `scheduler`: they share the name up
/// to what a chart puts before or after it, or the namespace is named after the scheduler.
fn is_named_after(program: &str, namespace: &str, scheduler: &str) -> bool {
    if program == scheduler {
        return true;
    }
    let is_scheduler = program.contains("scheduler");
    // A part of a name has to say more than that it is a scheduler.
    let says_much = program.len() > "scheduler".len();
    is_scheduler
        && (has_end(program, scheduler)
            || says_much && has_end(scheduler, program)
            || namespace == scheduler)
}

/// Whether `short` is the beginning or the end of `long`, before or after a hyphen.
fn has_end(long: &str, short: &str) -> bool {
    long.strip_suffix(short).is_some_and(|rest| rest.ends_with('-'))
        || long.strip_prefix(short).is_some_and(|rest| rest.starts_with('-'))
}

/// How many seconds ago a Lease has ended, negative if it has not; `None` if nobody holds it.
fn overdue(lease: &Lease, now: Timestamp) -> Option<i64> {
    Some(now.as_second() - lease.ends()?.as_second())
}

/// The time at which Leases are judged. Files without a time may have been written long ago: there
/// it is the latest time in them.
fn reference_time(cluster: &Cluster, now: Timestamp, is_dated: bool) -> Timestamp {
    if is_dated {
        return now;
    }
    let programs = cluster.header.programs.iter();
    let leases = programs.flat_map(|programs| &programs.leases);
    let renewed = leases.filter_map(|lease| lease.renewed.as_deref()?.parse().ok());
    let pods = cluster.pods.iter().flat_map(|pod| [pod.created, pod.start_time]).flatten();
    let events = cluster.events.iter().filter_map(|event| event.time);
    renewed.chain(pods).chain(events).max().unwrap_or(now)
}

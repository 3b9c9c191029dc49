//! A row for one pending pod, and its cells.

use std::sync::Arc;

use jiff::Timestamp;

use super::cause::BlockingCause;
use crate::silence::Silence;
use crate::who_acts::WhoActs;
use crate::{competition, ties, words};
use engine::autoscalers::{NextActor, NextStep};
use engine::cluster::Cluster;
use engine::decision::Certainty;
use engine::decision::competitors::Competitors;
use engine::decision::handlers::{Handler, PodHandler};
use engine::decision::nearest::Nearness;
use engine::decision::sampling::Likelihood;
use engine::framework::reason::Obstacle;
use engine::preemption::victim_choices::VictimCount;

/// Maximum number of nodes or pods that a field of a narrow table names.
pub const NAMED: usize = 3;

/// Maximum number of nodes that the narrow table names.
pub const NODES_NAMED: usize = 1;
/// What stands behind the number of victims if a budget is violated.
const PDB_VIOLATED: &str = "‼PDB";

/// The verdict on a pending pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PendingVerdict {
    /// It fits on a node.
    Fits,
    /// Evictions make it fit.
    Preempts,
    /// Its victims are still terminating; until then it may not preempt again.
    Waits,
    /// It fits on no node, and no eviction helps or it may not preempt.
    Blocked,
    /// Its scheduling cycle ends with an error.
    Errors,
    /// It has scheduling gates.
    Gated,
    /// Something else keeps it out of the queue.
    NotInQueue,
    /// It is no longer pending: it is on a node.
    Placed,
    /// It is no longer pending: it was deleted or has finished.
    Gone,
}

impl PendingVerdict {
    /// The verdicts on pending pods, in the order of the summary.
    pub const ALL: [Self; 7] = [
        Self::Fits,
        Self::Preempts,
        Self::Waits,
        Self::Blocked,
        Self::Errors,
        Self::Gated,
        Self::NotInQueue,
    ];

    /// Its name in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fits => "Fits",
            Self::Preempts => "Preempts",
            Self::Waits => "Waits",
            Self::Blocked => "Blocked",
            Self::Errors => "Error",
            Self::Gated => "Gated",
            Self::NotInQueue => "NotInQueue",
            Self::Placed => "Placed",
            Self::Gone => "Gone",
        }
    }

    /// Its name in a table, one word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Fits => "fits",
            Self::Preempts => "preempts",
            Self::Waits => "waits",
            Self::Blocked => "blocked",
            Self::Errors => "error",
            Self::Gated => "gated",
            Self::NotInQueue => "not-queued",
            Self::Placed => "placed",
            Self::Gone => "gone",
        }
    }

    pub(super) fn counted(self, number: usize) -> String {
        let one = number == 1;
        let text = match self {
            Self::Fits if one => "fits now",
            Self::Fits => "fit now",
            Self::Preempts if one => "preempts",
            Self::Preempts => "preempt",
            Self::Waits if one => "waits for its victims",
            Self::Waits => "wait for their victims",
            Self::Blocked => "blocked",
            Self::Errors if one => "ends with an error",
            Self::Errors => "end with an error",
            Self::Gated => "gated",
            Self::NotInQueue => "not in the queue",
            Self::Placed => "placed",
            Self::Gone => "gone",
        };
        format!("{} {text}", words::group_digits(number))
    }
}

/// The controller of a pod.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PodOwner {
    /// Kind, such as `ReplicaSet`.
    pub kind: String,
    pub name: String,
    pub uid: String,
}

/// What the row of a group has in addition to that of a pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingGroup {
    /// The names of its pods that wait for a node, in the order in which they are tried.
    pub waiting: Vec<String>,
    /// How many of its pods are on nodes.
    pub running: usize,
    /// How many of the waiting pods have which verdict: not all pods of a group that fits do.
    pub verdicts: Vec<(PendingVerdict, usize)>,
}

/// The state of a pod's nomination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingNomination {
    pub node: String,
    /// The name of its state.
    pub state: &'static str,
    /// What ends it, by name.
    pub ends: &'static str,
    /// Whether autoscalers ignore the pod because of it.
    pub stops_autoscalers: bool,
    /// The code of the note about it, if they do so to no purpose.
    pub code: Option<&'static str>,
}

/// The program that holds a pod, and its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingHolder {
    /// The name of the program or scheduler.
    pub name: String,
    /// Its text.
    pub found: PodHandler,
}

/// One pod, or a group of pods that is scheduled as a whole. The row owns its data, so that it can
/// be compared with a later one.
#[derive(Debug, Clone, PartialEq)]
pub struct PendingRow {
    pub namespace: String,
    pub name: String,
    pub uid: String,
    /// Its controller.
    pub owner: Option<PodOwner>,
    /// The group's data; `None` for a pod.
    pub group: Option<PendingGroup>,
    pub priority: i32,
    /// The name of its priority class; empty without one.
    pub priority_class: String,
    /// Its creation time.
    pub created: Option<Timestamp>,
    pub verdict: PendingVerdict,
    /// What keeps it off the nodes nearest to taking it.
    pub cause: Option<BlockingCause>,
    /// The nodes that the scheduler may select or nominate, the most likely first; for a pod that
    /// waits for its victims, the node that it gets then.
    pub nodes: Vec<String>,
    /// How likely the first of them is, if the scheduler samples nodes.
    pub likelihood: Option<Likelihood>,
    /// How certain the choice is.
    pub certainty: Certainty,
    /// The victims on the first of them.
    pub victims: Vec<String>,
    /// How many pods may be evicted there.
    pub victim_count: VictimCount,
    /// The number of violated budgets.
    pub violations: usize,
    /// Whether the budgets were not read.
    pub budgets_unknown: bool,
    /// What has to happen next.
    pub waits_for: String,
    /// What autoscalers do about it; `None` where none was found.
    pub autoscalers: Option<AutoscalerRole>,
    /// What its own nomination is worth, if it has one.
    pub nomination: Option<PendingNomination>,
    /// The program that holds it, unless that is kube-scheduler.
    pub holder: Option<PendingHolder>,
    /// The pending pods that may take the room of its victims.
    pub competitors: Competitors,
    /// What is known of the scheduler, if nobody seems to schedule it.
    pub silence: Option<Arc<Silence>>,
}

/// What autoscalers do about a pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AutoscalerRole {
    /// It needs no node that they could add.
    NotNeeded,
    /// This.
    Says(NextStep),
}

impl PendingRow {
    /// How many pending pods it represents.
    #[must_use]
    pub fn pods(&self) -> usize {
        self.group.as_ref().map_or(1, |group| group.waiting.len())
    }

    /// How many pods it represents, by verdict.
    pub fn counted(&self) -> Vec<(PendingVerdict, usize)> {
        match &self.group {
            Some(group) => group.verdicts.clone(),
            None => vec![(self.verdict, 1)],
        }
    }

    /// The program that holds it, if it is known here.
    pub(super) fn handler(&self) -> Option<Handler> {
        self.holder.as_ref()?.found.handler
    }

    /// What autoscalers do about the pod or group, if it needs nodes, where one was found.
    pub(super) fn role_of_autoscalers(&self, step: Option<NextStep>) -> Option<AutoscalerRole> {
        let needs_no_node = self.handler().is_some()
            || matches!(
                self.verdict,
                PendingVerdict::Fits | PendingVerdict::Preempts | PendingVerdict::Waits
            );
        match step {
            Some(step) => Some(AutoscalerRole::Says(step)),
            None => needs_no_node.then_some(AutoscalerRole::NotNeeded),
        }
    }

    /// Who acts next; `None` where no autoscaler was found.
    #[must_use]
    pub fn who_acts(&self) -> Option<WhoActs> {
        let step = match self.autoscalers? {
            AutoscalerRole::Says(step) => Some(step),
            AutoscalerRole::NotNeeded => None,
        };
        let adds_node = step
            .is_some_and(|step| step.actor == NextActor::Autoscaler && step.verdict.may_add_node());
        Some(match (Actor::of(self), step) {
            (Actor::Scheduler | Actor::Victims, _) => WhoActs::Scheduler,
            (Actor::Handler(handler), _) if adds_node => WhoActs::HandlerAndAutoscaler(handler),
            (Actor::Handler(handler), _) => WhoActs::Handler(handler),
            (_, Some(step)) => WhoActs::Step(step.actor),
            (_, None) => WhoActs::Step(NextActor::NoOne),
        })
    }

    /// Whether the decision is uncertain.
    #[must_use]
    pub fn is_unsure(&self) -> bool {
        self.certainty == Certainty::Unsure
    }

    /// The row of a pod that is no longer pending, according to `cluster`.
    #[must_use]
    pub fn left(&self, cluster: &Cluster) -> Self {
        // A group's row represents all its pods, even after their UIDs have changed.
        let names = match &self.group {
            Some(group) => group.waiting.as_slice(),
            None => std::slice::from_ref(&self.name),
        };
        let mut node = None;
        for name in names {
            let Some(pod) = cluster.find_pod(&self.namespace, name) else { continue };
            let pod = cluster.pod(pod);
            let is_same = self.group.is_some() || *pod.uid == *self.uid;
            if is_same && pod.is_active() {
                node = Some(cluster.text(pod.node_name)).filter(|node| !node.is_empty());
                break;
            }
        }
        Self {
            verdict: if node.is_some() { PendingVerdict::Placed } else { PendingVerdict::Gone },
            cause: None,
            nodes: node.map(str::to_owned).into_iter().collect(),
            likelihood: None,
            certainty: Certainty::Certain,
            victims: Vec::new(),
            victim_count: VictimCount::default(),
            violations: 0,
            waits_for: String::new(),
            autoscalers: None,
            nomination: None,
            holder: None,
            competitors: Competitors::default(),
            silence: None,
            ..self.clone()
        }
    }

    /// Whether `other` is a row of the same pod.
    #[must_use]
    pub fn is_about(&self, other: &Self) -> bool {
        (&self.namespace, &self.name, &self.uid) == (&other.namespace, &other.name, &other.uid)
    }

    /// The combined row of several pods, whose cause names no node.
    #[must_use]
    pub fn of_several(&self) -> Self {
        Self { cause: self.cause.as_ref().map(BlockingCause::on_any_node), ..self.clone() }
    }

    /// Whether the table shows the same for both pods except their names and ages.
    pub(super) fn has_same_answer(&self, other: &Self) -> bool {
        let Self {
            namespace: _,
            name: _,
            uid: _,
            owner: _,
            group: _,
            priority,
            priority_class: _,
            created: _,
            verdict,
            cause,
            nodes,
            likelihood,
            certainty,
            victims,
            victim_count,
            violations,
            budgets_unknown: _,
            waits_for,
            autoscalers,
            nomination,
            holder,
            competitors,
            // The cause and what it waits for say the same without the time.
            silence: _,
        } = self;
        (*priority, *verdict, *violations) == (other.priority, other.verdict, other.violations)
            && (*likelihood, *certainty, *victim_count)
                == (other.likelihood, other.certainty, other.victim_count)
            && cause.as_ref().map(BlockingCause::on_any_node)
                == other.cause.as_ref().map(BlockingCause::on_any_node)
            && (nodes, victims, waits_for) == (&other.nodes, &other.victims, &other.waits_for)
            && (autoscalers, nomination, holder)
                == (&other.autoscalers, &other.nomination, &other.holder)
            // Replicas compete with one another, and the table does not show that.
            && competitors.contested().eq(other.competitors.contested())
    }

    /// Everything that the row shows in any layout, as one text to search in, without the age,
    /// which changes by itself.
    #[must_use]
    pub fn searched(&self) -> String {
        let doubt = if self.is_unsure() { "?" } else { "" };
        let cause = |wide| self.cause.as_ref().map(|cause| cause.text(wide)).unwrap_or_default();
        [
            format!("{}/{} {}", self.namespace, self.name, self.priority),
            format!("{}{doubt} {}", self.verdict.word(), cause(false)),
            cause(true),
            self.place(usize::MAX),
            self.victims_text(false),
            self.victims_text(true),
            self.waits_for_whom(),
            self.who_acts().map(WhoActs::text).unwrap_or_default(),
        ]
        .join("\n")
    }

    /// Verdict, cause, node and victims as in the table; empty if absent.
    #[must_use]
    pub fn answer(&self) -> [String; 4] {
        let doubt = if self.is_unsure() { "?" } else { "" };
        let cause = self.cause.as_ref().map(|cause| cause.text(false)).unwrap_or_default();
        [
            format!("{}{doubt}", self.verdict.word()),
            cause,
            self.place(NODES_NAMED),
            self.victims_text(false),
        ]
    }

    /// The nodes; with sampling, the most likely one, its probability, and how many others are
    /// possible. A question mark says that another pod may take the room.
    pub fn place(&self, named: usize) -> String {
        let contested = if self.competitors.contested().next().is_some() { "?" } else { "" };
        format!("{}{contested}", self.sampled_place(named))
    }

    /// The most likely node without `ending`, and how many others are possible.
    pub fn short_place(&self, ending: &str) -> String {
        let contested = if self.competitors.contested().next().is_some() { "?" } else { "" };
        let others = match self.likelihood {
            Some(likelihood) => likelihood.possible.saturating_sub(1),
            None => self.nodes.len().saturating_sub(1),
        };
        let Some(node) = self.nodes.first() else { return String::new() };
        let node = node.strip_suffix(ending).unwrap_or(node);
        if others > 0 {
            format!("{node} +{others}{contested}")
        } else {
            format!("{node}{contested}")
        }
    }

    fn sampled_place(&self, named: usize) -> String {
        let Some(likelihood) = self.likelihood else { return joined(&self.nodes, " ", named) };
        match (likelihood.probability, self.nodes.first()) {
            (Some(probability), Some(node)) if likelihood.possible > 1 => {
                format!("{node} ({}) +{}", words::percent(probability), likelihood.possible - 1)
            }
            (Some(_), Some(node)) => node.clone(),
            _ => format!("one of {}", words::group_digits(likelihood.possible)),
        }
    }

    /// What the pod needs and what the nodes have of it, in few characters each; empty if nothing is
    /// missing.
    pub fn needs_and_has(&self) -> [String; 2] {
        if let Some(holder) = &self.holder {
            return [holder.name.clone(), "held".to_owned()];
        }
        match (self.verdict, &self.cause) {
            (PendingVerdict::Waits, Some(cause))
                if self.group.is_none() && cause.plugin.is_empty() =>
            {
                ["victims gone".to_owned(), "stuck".to_owned()]
            }
            (PendingVerdict::Waits, _) => ["victims gone".to_owned(), "nominated".to_owned()],
            (PendingVerdict::Gated, _) => ["no gate".to_owned(), "gated".to_owned()],
            (_, Some(cause)) => [cause.needs(), cause.has()],
            (_, None) => Default::default(),
        }
    }

    /// What has to happen next, and who may take the room.
    pub fn waits_for_whom(&self) -> String {
        match competition::in_short(&self.competitors) {
            Some(text) => format!("{}; {text}", self.waits_for),
            None => self.waits_for.clone(),
        }
    }

    /// How many victims there are, or which ones if `wide`, and that budgets are violated.
    pub fn victims_text(&self, wide: bool) -> String {
        let violations = match self.violations {
            _ if self.budgets_unknown && wide => format!(" ({})", words::BUDGETS_UNKNOWN),
            _ if self.budgets_unknown => " PDB?".to_owned(),
            0 => String::new(),
            _ if !wide => format!(" {PDB_VIOLATED}"),
            n => format!(" ({})", words::count(n, "PDB violation")),
        };
        let (count, names) = (ties::range(self.victim_count), self.victims.join(","));
        match self.victims.len() {
            0 => String::new(),
            _ if wide && self.victim_count.fewest < self.victim_count.most => {
                format!("{count} such as {names}{violations}")
            }
            _ if wide => format!("{names}{violations}"),
            _ => format!("{count}{violations}"),
        }
    }
}

/// Who has to act before a pod that waits gets a node: for metrics, and for WHO ACTS, which names
/// programs alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Actor {
    /// kube-scheduler, at its next attempt: the pod fits, or it preempts.
    Scheduler,
    /// The kubelets that end its victims.
    Victims,
    /// An autoscaler, which adds or may add a node for it.
    Autoscaler,
    /// The program that holds the pod and is known here, such as Kueue.
    Handler(Handler),
    /// Someone who ends other pods or adds nodes: the nodes for this pod are full.
    Room,
    /// The operator of the nodes for this pod: they are cordoned, still starting or unhealthy.
    Nodes,
    /// The pod's owner, or someone who adds a different kind of node: it requires what no node has.
    Spec,
    /// The program or person that removes its scheduling gates.
    Gates,
    /// What brings it into the queue: another scheduler, or the controller of its claims or group.
    Queue,
    /// It is not known.
    Unknown,
}

impl Actor {
    /// The names of all of them in metrics.
    pub const NAMES: [&'static str; 10] = [
        "scheduler",
        "victims",
        "autoscaler",
        "handler",
        "room",
        "nodes",
        "spec",
        "gates",
        "queue",
        "unknown",
    ];

    /// Its name in metrics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scheduler => "scheduler",
            Self::Victims => "victims",
            Self::Autoscaler => "autoscaler",
            Self::Handler(_) => "handler",
            Self::Room => "room",
            Self::Nodes => "nodes",
            Self::Spec => "spec",
            Self::Gates => "gates",
            Self::Queue => "queue",
            Self::Unknown => "unknown",
        }
    }

    /// Who has to act for the pod of `row`.
    pub fn of(row: &PendingRow) -> Self {
        // Until that program lets the pod go, what kube-scheduler would do does not matter.
        if let Some(handler) = row.handler() {
            return Self::Handler(handler);
        }
        match row.verdict {
            PendingVerdict::Fits | PendingVerdict::Preempts => Self::Scheduler,
            PendingVerdict::Waits => Self::Victims,
            PendingVerdict::Gated => Self::Gates,
            PendingVerdict::NotInQueue => Self::Queue,
            PendingVerdict::Errors | PendingVerdict::Placed | PendingVerdict::Gone => Self::Unknown,
            PendingVerdict::Blocked => Self::of_blocked(row),
        }
    }

    /// Who has to act for a pod that no node takes and that does not preempt, judged by its
    /// obstacles on the nearest nodes.
    fn of_blocked(row: &PendingRow) -> Self {
        if let Some(AutoscalerRole::Says(step)) = row.autoscalers
            && step.actor == NextActor::Autoscaler
        {
            return Self::Autoscaler;
        }
        let Some(cause) = &row.cause else { return Self::Unknown };
        match (cause.nearness, cause.obstacle) {
            // If the pod asks for nodes by name, only its obstacles there count.
            (Some(Nearness::Full), _) | (Some(Nearness::OtherName), Some(Obstacle::Room)) => {
                Self::Room
            }
            (Some(Nearness::Closed), _) | (Some(Nearness::OtherName), Some(Obstacle::Cordon)) => {
                Self::Nodes
            }
            (Some(Nearness::TooSmall | Nearness::OtherPool | Nearness::Reserved), _)
            | (Some(Nearness::OtherName), Some(_)) => Self::Spec,
            (Some(Nearness::OtherName) | None, _) => Self::Unknown,
        }
    }
}

/// `a b`, `a b +3`.
pub(super) fn joined(names: &[String], separator: &str, at_most: usize) -> String {
    let mut shown: Vec<String> = names.iter().take(at_most).cloned().collect();
    if names.len() > shown.len() {
        shown.push(format!("+{}", names.len() - shown.len()));
    }
    shown.join(separator)
}

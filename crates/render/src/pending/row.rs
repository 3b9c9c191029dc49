//! A row for one pending pod, derived from a decision and independent of it.

use jiff::Timestamp;

use super::{Layout, PendingVerdict};
use crate::groups::{self, Group};
use crate::page::Span;
use crate::{ties, words};
use engine::cluster::Cluster;
use engine::cluster::pod::Pod;
use engine::decision::gang::GangHold;
use engine::decision::sampling::{Likelihood, Sampling};
use engine::decision::{Certainty, Decision, Outcome, QueueGate, waiting};
use engine::framework::cycle::PreFilter;
use engine::preemption::victim_choices::VictimCount;

/// The most nodes or pods that one field of a narrow table names.
const NAMED: usize = 3;

/// The reason for which most nodes reject a pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockingCause {
    /// The plugin; empty if the cycle ended before any plugin could reject the pod.
    pub plugin: String,
    /// The reasons in upstream's words.
    pub reasons: Vec<String>,
    /// Explanations of the reasons.
    pub details: Vec<String>,
    /// The number of nodes that it rejects.
    pub nodes: usize,
    /// The number of nodes in the cluster.
    pub of: usize,
}

/// The controller of a pod.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PodOwner {
    /// Kind, such as `ReplicaSet`.
    pub kind: String,
    /// Name.
    pub name: String,
    /// UID.
    pub uid: String,
}

/// What the row of a group says besides that of a pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingGroup {
    /// The names of its pods that wait for a node, in the order in which they are tried.
    pub waiting: Vec<String>,
    /// How many of its pods are on nodes.
    pub running: usize,
}

/// One pod, or a group of pods that is scheduled as a whole. The row owns its data, so that it can be compared with a later one.
#[derive(Debug, Clone, PartialEq)]
pub struct PendingRow {
    /// Namespace.
    pub namespace: String,
    /// Name.
    pub name: String,
    /// UID.
    pub uid: String,
    /// Its controller.
    pub owner: Option<PodOwner>,
    /// What it says of a group of pods; `None` for a pod.
    pub group: Option<PendingGroup>,
    /// Priority.
    pub priority: i32,
    /// Its creation time.
    pub created: Option<Timestamp>,
    /// Its verdict.
    pub(crate) verdict: PendingVerdict,
    /// The reason for which most nodes reject it.
    pub cause: Option<BlockingCause>,
    /// The nodes that the scheduler may select or nominate, the most likely first.
    pub nodes: Vec<String>,
    /// How likely the first of them is, if the scheduler does not look at every node.
    pub likelihood: Option<Likelihood>,
    /// How sure the choice is.
    pub certainty: Certainty,
    /// The victims on the first of them.
    pub victims: Vec<String>,
    /// How many pods may be evicted there.
    pub victim_count: VictimCount,
    /// The number of violated budgets.
    pub violations: usize,
    /// What has to happen next.
    pub waits_for: String,
}

impl PendingRow {
    /// The row of a decision.
    #[must_use]
    pub(crate) fn of(decision: &Decision) -> Self {
        let cluster = decision.view.cluster;
        let pod = cluster.pod(decision.pod);
        let verdict = verdict(decision);
        let cause = cause(decision);
        let candidate = decision.likely_candidate();
        Self {
            namespace: cluster.text(pod.namespace).to_owned(),
            name: pod.name.to_string(),
            uid: pod.uid.to_string(),
            owner: pod.controller.map(|owner| PodOwner {
                kind: cluster.text(owner.kind).to_owned(),
                name: cluster.text(owner.name).to_owned(),
                uid: cluster.text(owner.uid).to_owned(),
            }),
            group: None,
            priority: pod.priority,
            created: pod.created,
            verdict,
            waits_for: waits_for(decision, verdict, cause.as_ref()),
            cause,
            nodes: decision.selected.iter().map(|n| cluster.text(cluster.node(*n).name).to_owned()).collect(),
            likelihood: decision.odds.as_ref().map(Sampling::likelihood),
            certainty: decision.certainty(),
            victims: candidate.iter().flat_map(|c| &c.victims).map(|v| cluster.pod_name(v.pod)).collect(),
            victim_count: candidate.map(|c| decision.victim_count(c.node)).unwrap_or_default(),
            violations: candidate.map_or(0, |c| c.violations),
        }
    }

    /// How many pods that wait it stands for.
    #[must_use]
    pub(crate) fn pods(&self) -> usize {
        self.group.as_ref().map_or(1, |group| group.waiting.len())
    }

    /// Whether the decision is uncertain.
    #[must_use]
    pub fn is_unsure(&self) -> bool {
        self.certainty == Certainty::Unsure
    }

    /// The row of a pod that is no longer pending, according to `cluster`.
    #[must_use]
    pub fn left(&self, cluster: &Cluster) -> Self {
        let names = self.group.as_ref().map_or(std::slice::from_ref(&self.name), |group| &group.waiting);
        let pods = names.iter().filter_map(|name| cluster.find_pod(&self.namespace, name)).map(|ix| cluster.pod(ix));
        let same = |pod: &&Pod| self.group.is_some() || *pod.uid == *self.uid;
        let now = pods.filter(same).find(|pod| pod.is_active());
        let node = now.map(|pod| cluster.text(pod.node_name)).filter(|n| !n.is_empty());
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
            ..self.clone()
        }
    }

    /// Whether `other` is about the same pod.
    #[must_use]
    pub fn is_about(&self, other: &Self) -> bool {
        (&self.namespace, &self.name, &self.uid) == (&other.namespace, &other.name, &other.uid)
    }

    /// Whether the table says the same about both pods, but for their names and ages.
    pub(super) fn has_same_answer(&self, other: &Self) -> bool {
        let Self {
            namespace: _,
            name: _,
            uid: _,
            owner: _,
            group: _,
            priority,
            created: _,
            verdict,
            cause,
            nodes,
            likelihood,
            certainty,
            victims,
            victim_count,
            violations,
            waits_for,
        } = self;
        (*priority, *verdict, *violations) == (other.priority, other.verdict, other.violations)
            && (*likelihood, *certainty, *victim_count) == (other.likelihood, other.certainty, other.victim_count)
            && (cause, nodes, victims, waits_for) == (&other.cause, &other.nodes, &other.victims, &other.waits_for)
    }

    /// What the row shows in any layout, as one text to search in; without the age, which changes by itself.
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
            self.waits_for.clone(),
        ]
        .join("\n")
    }

    /// The cells of the row, with `name` in the column of names.
    pub(super) fn cells(&self, name: String, layout: Layout) -> Vec<Span> {
        let or_none = |text: String| if text.is_empty() { "-".to_owned() } else { text };
        let age = self
            .created
            .map_or_else(|| "<unknown>".to_owned(), |created| words::age(layout.now.as_second() - created.as_second()));
        let verdict = format!("{}{}", self.verdict.word(), if self.is_unsure() { "?" } else { "" });
        let named = if layout.wide { usize::MAX } else { NAMED };
        let mut cells = vec![
            name.into(),
            self.priority.to_string().into(),
            age.into(),
            Span::new(verdict, self.verdict.tone()),
            or_none(self.cause.as_ref().map(|c| c.text(layout.wide)).unwrap_or_default()).into(),
            or_none(self.place(named)).into(),
            or_none(self.victims_text(layout.wide)).into(),
            or_none(self.waits_for.clone()).into(),
        ];
        if layout.namespaces {
            cells.insert(0, self.namespace.clone().into());
        }
        cells
    }

    /// The nodes; with chance the most likely one, its probability, and how many others are possible.
    fn place(&self, named: usize) -> String {
        let Some(likelihood) = self.likelihood else { return joined(&self.nodes, "|", named) };
        match (likelihood.probability, self.nodes.first()) {
            (Some(probability), Some(node)) if likelihood.possible > 1 => {
                format!("{node} ({})|+{}", words::percent(probability), likelihood.possible - 1)
            }
            (Some(_), Some(node)) => node.clone(),
            _ => format!("one of {}", words::group_digits(likelihood.possible)),
        }
    }

    fn victims_text(&self, wide: bool) -> String {
        let violations = match self.violations {
            0 => String::new(),
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

impl BlockingCause {
    /// A short text: the number of nodes, and the values or else upstream's words; if `wide`, all of them and the plugin.
    #[must_use]
    pub(crate) fn text(&self, wide: bool) -> String {
        let reasons = self.reasons.join(", ");
        let what = match (wide, self.details.is_empty()) {
            (_, true) => reasons,
            (true, false) => format!("{reasons} ({})", self.details.join("; ")),
            (false, false) => self.details.join("; "),
        };
        match (self.plugin.as_str(), wide) {
            ("", _) => what,
            (_, false) => format!("{}/{} {what}", self.nodes, self.of),
            (plugin, true) => format!("{plugin} {}/{}: {what}", self.nodes, self.of),
        }
    }
}

/// `a|b`, `a|b|+3`.
fn joined(names: &[String], separator: &str, at_most: usize) -> String {
    let mut shown: Vec<String> = names.iter().take(at_most).cloned().collect();
    if names.len() > shown.len() {
        shown.push(format!("+{}", names.len() - shown.len()));
    }
    shown.join(separator)
}

fn verdict(decision: &Decision) -> PendingVerdict {
    let ineligible = decision.preemption.as_ref().and_then(|report| report.ineligible.as_ref());
    match &decision.outcome {
        Outcome::Schedulable => PendingVerdict::Fits,
        Outcome::Preempt => PendingVerdict::Preempts,
        Outcome::Unschedulable if ineligible.is_some_and(|i| !i.terminating.is_empty()) => PendingVerdict::Waits,
        Outcome::Unschedulable => PendingVerdict::Blocked,
        Outcome::Error(_) => PendingVerdict::Errors,
        Outcome::NotInQueue(QueueGate::Gated) => PendingVerdict::Gated,
        Outcome::NotInQueue(_) => PendingVerdict::NotInQueue,
    }
}

/// The reason for which most nodes reject the pod.
fn cause(decision: &Decision) -> Option<BlockingCause> {
    let cluster = decision.view.cluster;
    let of = cluster.nodes.len();
    match &decision.outcome {
        Outcome::Schedulable | Outcome::NotInQueue(_) => return None,
        Outcome::Error(error) => {
            let reasons = vec![error.text.clone()];
            return Some(BlockingCause { plugin: String::new(), reasons, details: Vec::new(), nodes: 0, of });
        }
        Outcome::Preempt | Outcome::Unschedulable => {}
    }
    if let PreFilter::Rejected { plugin, rejection, .. } = &decision.pre_filter {
        let (plugin, reasons) = ((*plugin).to_owned(), rejection.texts(cluster));
        return Some(BlockingCause { plugin, reasons, details: Vec::new(), nodes: of, of });
    }
    let excluded = decision.excluded_by_pre_filter();
    let largest = groups::group(decision.rejections(), cluster).into_iter().next();
    match (largest, &decision.pre_filter) {
        (Some(group), _) if group.nodes.len() >= excluded.len() => {
            let Group { plugin, reasons, details, nodes, .. } = group;
            let reasons = reasons.into_iter().map(|quote| quote.text).collect();
            Some(BlockingCause { plugin: plugin.to_owned(), reasons, details, nodes: nodes.len(), of })
        }
        (_, PreFilter::SomeNodes { by, .. }) if !excluded.is_empty() => {
            let reason = decision
                .pre_filter_exclusion()
                .map_or_else(|| "asked for other nodes by name".to_owned(), |quote| quote.text);
            let reasons = vec![reason];
            Some(BlockingCause { plugin: by.join(","), reasons, details: Vec::new(), nodes: excluded.len(), of })
        }
        _ => {
            let message = decision.condition_message.clone()?;
            Some(BlockingCause { plugin: String::new(), reasons: vec![message], details: Vec::new(), nodes: 0, of })
        }
    }
}

/// What has to happen next.
fn waits_for(decision: &Decision, verdict: PendingVerdict, cause: Option<&BlockingCause>) -> String {
    let cluster = decision.view.cluster;
    let pod = cluster.pod(decision.pod);
    let template = cluster.template(pod);
    let attempt = if pod.scheduled_condition.is_some() { "its next attempt" } else { "its first attempt" };
    match verdict {
        PendingVerdict::Fits | PendingVerdict::Preempts | PendingVerdict::Waits => {
            let ineligible = decision.preemption.as_ref().and_then(|report| report.ineligible.as_ref());
            let leaving = ineligible.map_or_else(|| waiting::leaving(decision), |i| i.terminating.clone());
            if let Some(permit) = decision.permit.as_ref().filter(|permit| leaving.is_empty() && !permit.is_met()) {
                return format!("its gang, {} of {} pods", permit.assumed, permit.min_count);
            }
            if leaving.is_empty() {
                return attempt.to_owned();
            }
            let names: Vec<String> = leaving.iter().map(|pod| cluster.pod_name(*pod)).collect();
            format!("{} leaving {}", joined(&names, ",", NAMED), cluster.text(pod.nominated_node))
        }
        PendingVerdict::Blocked | PendingVerdict::Errors => {
            let events = decision.waiting.iter().flat_map(|w| &w.retried_on);
            let of_cause = |(plugin, _): &&(&str, &str)| cause.is_some_and(|c| c.plugin == *plugin);
            let event = events.clone().find(of_cause).or_else(|| events.clone().next());
            event.map_or_else(|| attempt.to_owned(), |(_, when)| (*when).to_owned())
        }
        PendingVerdict::Gated => {
            let gates: Vec<&str> = template.gates.iter().map(|gate| cluster.text(*gate)).collect();
            format!("{} {}", if gates.len() == 1 { "gate" } else { "gates" }, gates.join(","))
        }
        PendingVerdict::NotInQueue => match &decision.outcome {
            Outcome::NotInQueue(QueueGate::OtherScheduler) => {
                format!("scheduler {}", cluster.text(template.scheduler_name))
            }
            Outcome::NotInQueue(QueueGate::Deleting) => "its deletion".to_owned(),
            Outcome::NotInQueue(QueueGate::Claims(_)) => "its resource claims".to_owned(),
            Outcome::NotInQueue(QueueGate::Gang(GangHold::TooFewPods { .. })) => "more pods".to_owned(),
            Outcome::NotInQueue(QueueGate::Gang(_)) => "its Workload".to_owned(),
            Outcome::NotInQueue(QueueGate::Group) => format!("group {}", cluster.text(template.group)),
            _ => String::new(),
        },
        PendingVerdict::Placed | PendingVerdict::Gone => String::new(),
    }
}

//! A row for one pending pod, derived from a decision and independent of it.

use jiff::Timestamp;

use super::{Layout, PendingVerdict};
use crate::groups::{self, Group};
use crate::page::Span;
use crate::words;
use engine::cluster::Cluster;
use engine::cluster::notes::Severity;
use engine::decision::{Decision, Outcome, QueueGate, waiting};
use engine::framework::cycle::PreFilter;
use engine::preemption::PreemptionReport;

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

/// One pod. The row owns its data, so that it can be compared with a later one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingRow {
    /// Namespace.
    pub namespace: String,
    /// Name.
    pub name: String,
    /// UID.
    pub uid: String,
    /// Priority.
    pub priority: i32,
    /// Its creation time.
    pub created: Option<Timestamp>,
    /// Its verdict.
    pub(crate) verdict: PendingVerdict,
    /// The reason for which most nodes reject it.
    pub cause: Option<BlockingCause>,
    /// The nodes that the scheduler may select or nominate.
    pub nodes: Vec<String>,
    /// The victims on the first of them.
    pub victims: Vec<String>,
    /// The number of violated budgets.
    pub violations: usize,
    /// What has to happen next.
    pub waits_for: String,
    /// Whether the decision is uncertain.
    pub unsure: bool,
}

impl PendingRow {
    /// The row of a decision.
    #[must_use]
    pub(crate) fn of(decision: &Decision) -> Self {
        let cluster = decision.view.cluster;
        let pod = cluster.pod(decision.pod);
        let verdict = verdict(decision);
        let cause = cause(decision);
        let candidate = decision.preemption.as_ref().and_then(PreemptionReport::winner);
        Self {
            namespace: cluster.text(pod.namespace).to_owned(),
            name: pod.name.to_string(),
            uid: pod.uid.to_string(),
            priority: pod.priority,
            created: pod.created,
            verdict,
            waits_for: waits_for(decision, verdict, cause.as_ref()),
            cause,
            nodes: decision.selected.iter().map(|n| cluster.text(cluster.node(*n).name).to_owned()).collect(),
            victims: candidate.iter().flat_map(|c| &c.victims).map(|v| cluster.pod_name(v.pod)).collect(),
            violations: candidate.map_or(0, |c| c.violations),
            unsure: decision.notes.iter().any(|n| n.severity == Severity::Error),
        }
    }

    /// The row of a pod that is no longer pending, according to `cluster`.
    #[must_use]
    pub fn left(&self, cluster: &Cluster) -> Self {
        let now = cluster.find_uid(&self.namespace, &self.name, &self.uid).map(|ix| cluster.pod(ix));
        let node = now.filter(|pod| pod.is_active()).map(|pod| cluster.text(pod.node_name)).filter(|n| !n.is_empty());
        Self {
            verdict: if node.is_some() { PendingVerdict::Placed } else { PendingVerdict::Gone },
            cause: None,
            nodes: node.map(str::to_owned).into_iter().collect(),
            victims: Vec::new(),
            violations: 0,
            waits_for: String::new(),
            unsure: false,
            ..self.clone()
        }
    }

    /// Whether `other` is about the same pod.
    #[must_use]
    pub fn is_about(&self, other: &Self) -> bool {
        (&self.namespace, &self.name, &self.uid) == (&other.namespace, &other.name, &other.uid)
    }

    pub(super) fn cells(&self, layout: Layout) -> Vec<Span> {
        let or_none = |text: String| if text.is_empty() { "-".to_owned() } else { text };
        let age = self
            .created
            .map_or_else(|| "<unknown>".to_owned(), |created| words::age(layout.now.as_second() - created.as_second()));
        let verdict = format!("{}{}", self.verdict.word(), if self.unsure { "?" } else { "" });
        let named = if layout.wide { usize::MAX } else { NAMED };
        let mut cells = vec![
            self.name.clone().into(),
            self.priority.to_string().into(),
            age.into(),
            Span::new(verdict, self.verdict.tone()),
            or_none(self.cause.as_ref().map(|c| c.text(layout.wide)).unwrap_or_default()).into(),
            or_none(joined(&self.nodes, "|", named)).into(),
            or_none(self.victims_text(layout.wide)).into(),
            or_none(self.waits_for.clone()).into(),
        ];
        if layout.namespaces {
            cells.insert(0, self.namespace.clone().into());
        }
        cells
    }

    fn victims_text(&self, wide: bool) -> String {
        let violations = match self.violations {
            0 => String::new(),
            n => format!(" ({})", words::count(n, "PDB violation")),
        };
        match self.victims.len() {
            0 => String::new(),
            _ if wide => format!("{}{violations}", self.victims.join(",")),
            n => format!("{n}{violations}"),
        }
    }
}

impl BlockingCause {
    /// A short text: the plugin, the number of nodes, and the values or else upstream's words.
    #[must_use]
    pub(crate) fn text(&self, wide: bool) -> String {
        let reasons = self.reasons.join(", ");
        let what = match (wide, self.details.is_empty()) {
            (_, true) => reasons,
            (true, false) => format!("{reasons} ({})", self.details.join("; ")),
            (false, false) => self.details.join("; "),
        };
        if self.plugin.is_empty() { what } else { format!("{} {}/{}: {what}", self.plugin, self.nodes, self.of) }
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
    match (decision.outcome, decision.queue_gate) {
        (Outcome::Schedulable, _) => PendingVerdict::Fits,
        (Outcome::Preempt, _) => PendingVerdict::Preempts,
        (Outcome::Unschedulable, _) if ineligible.is_some_and(|i| !i.terminating.is_empty()) => PendingVerdict::Waits,
        (Outcome::Unschedulable, _) => PendingVerdict::Blocked,
        (Outcome::NotInQueue, Some(QueueGate::Gated)) => PendingVerdict::Gated,
        (Outcome::NotInQueue, _) => PendingVerdict::NotInQueue,
    }
}

/// The reason for which most nodes reject the pod.
fn cause(decision: &Decision) -> Option<BlockingCause> {
    let cluster = decision.view.cluster;
    let of = cluster.nodes.len();
    if matches!(decision.outcome, Outcome::Schedulable | Outcome::NotInQueue) {
        return None;
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
            Some(BlockingCause { plugin: plugin.to_owned(), reasons, details, nodes: nodes.len(), of })
        }
        (_, PreFilter::SomeNodes { by, .. }) if !excluded.is_empty() => {
            let reason =
                decision.pre_filter_exclusion_text().unwrap_or_else(|| "asked for other nodes by name".to_owned());
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
            if leaving.is_empty() {
                return attempt.to_owned();
            }
            let names: Vec<String> = leaving.iter().map(|pod| cluster.pod_name(*pod)).collect();
            format!("{} leaving {}", joined(&names, ",", NAMED), cluster.text(pod.nominated_node))
        }
        PendingVerdict::Blocked => {
            let events = decision.waiting.iter().flat_map(|w| &w.retried_on);
            let of_cause = |(plugin, _): &&(&str, &str)| cause.is_some_and(|c| c.plugin == *plugin);
            let event = events.clone().find(of_cause).or_else(|| events.clone().next());
            event.map_or_else(|| attempt.to_owned(), |(_, when)| (*when).to_owned())
        }
        PendingVerdict::Gated => {
            let gates: Vec<&str> = template.gates.iter().map(|gate| cluster.text(*gate)).collect();
            format!("{} {}", if gates.len() == 1 { "gate" } else { "gates" }, gates.join(","))
        }
        PendingVerdict::NotInQueue => match decision.queue_gate {
            Some(QueueGate::OtherScheduler) => format!("scheduler {}", cluster.text(template.scheduler_name)),
            Some(QueueGate::Deleting) => "its deletion".to_owned(),
            Some(QueueGate::Claims) => "its resource claims".to_owned(),
            Some(QueueGate::Finished | QueueGate::Assigned | QueueGate::Gated) | None => String::new(),
        },
        PendingVerdict::Placed | PendingVerdict::Gone => String::new(),
    }
}

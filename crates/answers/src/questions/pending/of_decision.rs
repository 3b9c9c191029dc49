//! The row of a decision, independent of the decision itself.

use super::cause::{BlockingCause, cause};
use super::row::{
    NAMED, PendingHolder, PendingNomination, PendingRow, PendingVerdict, PodOwner, joined,
};
use crate::headline::counted_out;
use crate::pod_report::PodReport;
use crate::silence::Silence;
use crate::stuck::kept_by;
use engine::decision::gang::GangHold;
use engine::decision::nominated::{Nomination, STUCK};
use engine::decision::sampling::Sampling;
use engine::decision::{Decision, Outcome, QueueGate, waiting};
use engine::framework::reason::Obstacle;

impl PendingRow {
    /// The row of a decision.
    #[must_use]
    pub fn of(decision: &PodReport) -> Self {
        let cluster = decision.view.cluster;
        let pod = cluster.pod(decision.pod);
        let silence = decision.silence.as_deref();
        // Without a scheduler there is no queue.
        let verdict = if silence.is_some_and(Silence::is_down) {
            PendingVerdict::NotInQueue
        } else {
            verdict(decision)
        };
        let stuck = stuck(decision);
        let cause = cause(decision, stuck.as_deref());
        let candidate = decision.likely_candidate();
        let mut row = Self {
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
            priority_class: cluster.text(cluster.template(pod).priority_class).to_owned(),
            created: pod.created,
            verdict,
            waits_for: silence.map_or_else(
                || waits_for(decision, verdict, cause.as_ref()),
                |silence| waits_for_scheduler(silence, decision),
            ),
            cause,
            nodes: nodes(decision),
            likelihood: decision.odds().map(Sampling::likelihood),
            certainty: decision.certainty(),
            victims: candidate
                .iter()
                .flat_map(|c| &c.victims)
                .map(|v| cluster.pod_name(v.pod))
                .collect(),
            victim_count: candidate.map(|c| decision.victim_count(c.node)).unwrap_or_default(),
            violations: candidate.map_or(0, |c| c.violations),
            budgets_unknown: cluster.are_budgets_unknown(),
            autoscalers: None,
            nomination: nomination(decision),
            holder: decision.holder().map(|found| PendingHolder {
                name: found.name(decision.pod, cluster).to_owned(),
                found,
            }),
            competitors: decision.competitors.clone(),
            silence: decision.silence.clone(),
        };
        if decision.has_autoscalers {
            let step = decision.autoscaling.as_ref().map(|outlook| outlook.next_step());
            row.autoscalers = row.role_of_autoscalers(step);
        }
        row
    }
}

fn nomination(decision: &Decision) -> Option<PendingNomination> {
    let found = decision.nomination()?;
    Some(PendingNomination {
        node: decision.view.cluster.text(found.node).to_owned(),
        state: found.state.name(),
        ends: found.ends.name(),
        stops_autoscalers: found.stops_autoscalers(),
        code: found.is_stuck().then_some(STUCK.code),
    })
}

fn verdict(decision: &Decision) -> PendingVerdict {
    let ineligible = decision.preemption().and_then(|report| report.ineligible.as_ref());
    match &decision.outcome {
        // The plugin of another program rejects it, whatever kube-scheduler's own say.
        Outcome::Schedulable { .. } if counted_out(decision).is_some() => PendingVerdict::Blocked,
        Outcome::Schedulable { .. } => PendingVerdict::Fits,
        Outcome::Preempt { .. } => PendingVerdict::Preempts,
        Outcome::Unschedulable { .. }
            if ineligible.is_some_and(|i| !i.terminating.is_empty())
                || decision.awaited().is_some() =>
        {
            PendingVerdict::Waits
        }
        Outcome::Unschedulable { .. } => PendingVerdict::Blocked,
        Outcome::Error(_) => PendingVerdict::Errors,
        Outcome::NotInQueue(QueueGate::Gated) => PendingVerdict::Gated,
        Outcome::NotInQueue(_) => PendingVerdict::NotInQueue,
    }
}

/// The nodes that the scheduler may select or nominate; for a pod that waits for its victims, the
/// node that it gets then.
fn nodes(decision: &Decision) -> Vec<String> {
    // Where it would fit does not matter while the plugin of another program rejects it.
    if counted_out(decision).is_some() {
        return Vec::new();
    }
    let cluster = decision.view.cluster;
    let awaited = decision.awaited().map(|awaited| awaited.node);
    let nodes = decision.selected().iter().copied().chain(awaited);
    nodes.map(|node| cluster.node_name(node).to_owned()).collect()
}

/// What has to change for a pod that asks for nodes by name, so that another node does not help;
/// `None` if the events of the plugin already say so.
const fn on_its_own_nodes(obstacle: Obstacle) -> Option<&'static str> {
    match obstacle {
        Obstacle::Room => Some("a pod is deleted or scaled down"),
        Obstacle::Toleration => Some("the node's taints or the pod's tolerations change"),
        Obstacle::Cordon => Some("the node is uncordoned"),
        Obstacle::NodeLabels => Some("the node's labels change"),
        Obstacle::Volume
        | Obstacle::Spread
        | Obstacle::PodAffinity
        | Obstacle::Devices
        | Obstacle::Wait
        | Obstacle::Pod
        | Obstacle::None => None,
    }
}

/// What has to happen next.
fn waits_for(
    decision: &Decision,
    verdict: PendingVerdict,
    cause: Option<&BlockingCause>,
) -> String {
    let cluster = decision.view.cluster;
    let pod = cluster.pod(decision.pod);
    match verdict {
        PendingVerdict::Fits | PendingVerdict::Preempts | PendingVerdict::Waits => {
            waits_with_node(decision)
        }
        PendingVerdict::Blocked | PendingVerdict::Errors => {
            if decision.nomination().as_ref().is_some_and(Nomination::is_stuck) {
                return format!("stuck nomination to {}", cluster.text(pod.nominated_node));
            }
            if let Some(holder) = counted_out(decision) {
                return holder.name(decision.pod, cluster).to_owned();
            }
            waits_without_node(decision, cause)
        }
        PendingVerdict::Gated => {
            let gates = &cluster.template(pod).gates;
            let names: Vec<&str> = gates.iter().map(|gate| cluster.text(*gate)).collect();
            format!("{} {}", if names.len() == 1 { "gate" } else { "gates" }, names.join(","))
        }
        PendingVerdict::NotInQueue => waits_outside_queue(decision),
        PendingVerdict::Placed | PendingVerdict::Gone => String::new(),
    }
}

/// What a pod waits for that nobody schedules.
fn waits_for_scheduler(silence: &Silence, decision: &Decision) -> String {
    let name = match decision.outcome {
        Outcome::NotInQueue(_) => format!("scheduler {}", silence.scheduler),
        _ => silence.scheduler.clone(),
    };
    if silence.is_down() { format!("{name}, which does not run") } else { name }
}

/// The next attempt of the scheduler.
fn attempt(decision: &Decision) -> &'static str {
    let pod = decision.view.cluster.pod(decision.pod);
    if pod.scheduled_condition.is_some() { "scheduler retry" } else { "first attempt" }
}

/// The victims of a pod that should have ended: `shop/a,shop/b stuck on worker-1`.
pub(super) fn stuck(decision: &Decision) -> Option<String> {
    let cluster = decision.view.cluster;
    let stuck = decision.stuck_victims();
    let names: Vec<String> = stuck.iter().map(|victim| cluster.pod_name(victim.pod)).collect();
    let node = cluster.text(cluster.pod(decision.pod).nominated_node);
    (!names.is_empty()).then(|| format!("{} stuck on {node}", joined(&names, ",", NAMED)))
}

/// What a pod waits for that has a node, or gets one once its victims are gone.
fn waits_with_node(decision: &Decision) -> String {
    let cluster = decision.view.cluster;
    let ineligible = decision.preemption().and_then(|report| report.ineligible.as_ref());
    let leaving = match ineligible {
        Some(ineligible) => ineligible.terminating.clone(),
        None => waiting::leaving(decision),
    };
    if leaving.is_empty() {
        return match &decision.permit {
            Some(permit) if !permit.is_met() => {
                format!("its gang, {} of {} pods", permit.assumed, permit.min_count)
            }
            Some(_) | None => attempt(decision).to_owned(),
        };
    }

    // Victims that should have ended need somebody to look at them, and that comes before the
    // others.
    if let (Some(stuck), Some(first)) = (stuck(decision), decision.stuck_victims().first()) {
        return format!("{stuck}: {}", kept_by(first, cluster).join("; "));
    }
    let node = cluster.text(cluster.pod(decision.pod).nominated_node);
    let names: Vec<String> = leaving.iter().map(|pod| cluster.pod_name(*pod)).collect();
    format!("{} leaving {node}", joined(&names, ",", NAMED))
}

/// What a pod waits for that no node takes: a change of its own nodes if it can run on few, else
/// the event of the plugin that is its cause, else that of any plugin.
fn waits_without_node(decision: &Decision, cause: Option<&BlockingCause>) -> String {
    if let Some(cause) = cause
        && cause.of < decision.view.cluster.nodes.len()
        && let Some(change) = cause.obstacle.and_then(on_its_own_nodes)
    {
        return change.to_owned();
    }
    let waiting = decision.waiting();
    let mut event: Option<&str> = None;
    for (plugin, when) in waiting.iter().flat_map(|waiting| &waiting.retried_on) {
        if cause.is_some_and(|cause| cause.plugin == *plugin) {
            return (*when).to_owned();
        }
        event = event.or(Some(when));
    }
    event.unwrap_or(attempt(decision)).to_owned()
}

/// What a pod waits for that is not in the queue; empty if that is not known.
fn waits_outside_queue(decision: &Decision) -> String {
    let cluster = decision.view.cluster;
    let template = cluster.template(cluster.pod(decision.pod));
    let Outcome::NotInQueue(gate) = &decision.outcome else { return String::new() };
    match gate {
        QueueGate::OtherScheduler => format!("scheduler {}", cluster.text(template.scheduler_name)),
        QueueGate::Deleting => "its deletion".to_owned(),
        QueueGate::Claims(_) => "its resource claims".to_owned(),
        QueueGate::Gang(GangHold::TooFewPods { .. }) => "more pods".to_owned(),
        QueueGate::Gang(_) => "its Workload".to_owned(),
        QueueGate::Group => format!("group {}", cluster.text(template.group)),
        _ => String::new(),
    }
}

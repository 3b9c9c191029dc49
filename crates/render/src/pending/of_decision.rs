//! The row of a decision, independent of the decision itself.

use super::PendingVerdict;
use super::cause::{BlockingCause, cause};
use super::row::{NAMED, PendingHolder, PendingNomination, PendingRow, PodOwner, joined};
use crate::headline::kept_by;
use engine::decision::gang::GangHold;
use engine::decision::nominated::{Nomination, STUCK};
use engine::decision::sampling::Sampling;
use engine::decision::{Decision, Explanation, Outcome, QueueGate, waiting};
use engine::framework::reason::Obstacle;

impl PendingRow {
    /// The row of a decision.
    #[must_use]
    pub(crate) fn of(decision: &Explanation) -> Self {
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
            priority_class: cluster.text(cluster.template(pod).priority_class).to_owned(),
            created: pod.created,
            verdict,
            waits_for: waits_for(decision, verdict, cause.as_ref()),
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
            autoscalers: None,
            nomination: nomination(decision),
            holder: decision.holder().map(|found| PendingHolder {
                name: found.name(decision.pod, cluster).to_owned(),
                found,
            }),
        }
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
        Outcome::Schedulable { .. } => PendingVerdict::Fits,
        Outcome::Preempt { .. } => PendingVerdict::Preempts,
        Outcome::Unschedulable { .. } if ineligible.is_some_and(|i| !i.terminating.is_empty()) => {
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
    let cluster = decision.view.cluster;
    let awaited = decision.awaited().map(|awaited| awaited.node);
    let nodes = decision.selected().iter().copied().chain(awaited);
    nodes.map(|node| cluster.text(cluster.node(node).name).to_owned()).collect()
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
    let template = cluster.template(pod);
    let attempt =
        if pod.scheduled_condition.is_some() { "scheduler retry" } else { "first attempt" };
    match verdict {
        PendingVerdict::Fits | PendingVerdict::Preempts | PendingVerdict::Waits => {
            let ineligible = decision.preemption().and_then(|report| report.ineligible.as_ref());
            let leaving =
                ineligible.map_or_else(|| waiting::leaving(decision), |i| i.terminating.clone());
            if let Some(permit) =
                decision.permit.as_ref().filter(|permit| leaving.is_empty() && !permit.is_met())
            {
                return format!("its gang, {} of {} pods", permit.assumed, permit.min_count);
            }
            if leaving.is_empty() {
                return attempt.to_owned();
            }
            let node = cluster.text(pod.nominated_node);
            let stuck = decision.stuck_victims();
            if let Some(first) = stuck.first() {
                let names: Vec<String> =
                    stuck.iter().map(|victim| cluster.pod_name(victim.pod)).collect();
                let why = kept_by(first, cluster).join("; ");
                return format!("{} stuck on {node}: {why}", joined(&names, ",", NAMED));
            }
            let names: Vec<String> = leaving.iter().map(|pod| cluster.pod_name(*pod)).collect();
            format!("{} leaving {node}", joined(&names, ",", NAMED))
        }
        PendingVerdict::Blocked | PendingVerdict::Errors
            if decision.nomination().as_ref().is_some_and(Nomination::is_stuck) =>
        {
            format!("stuck nomination to {}", cluster.text(pod.nominated_node))
        }
        PendingVerdict::Blocked | PendingVerdict::Errors => {
            let waiting = decision.waiting();
            let events = waiting.iter().flat_map(|w| &w.retried_on);
            let of_cause = |(plugin, _): &&(&str, &str)| cause.is_some_and(|c| c.plugin == *plugin);
            let event = events.clone().find(of_cause).or_else(|| events.clone().next());
            let by_name = cause.filter(|cause| cause.of < cluster.nodes.len());
            let own = by_name.and_then(|cause| on_its_own_nodes(cause.obstacle?));
            own.or(event.map(|(_, when)| *when)).unwrap_or(attempt).to_owned()
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
            Outcome::NotInQueue(QueueGate::Gang(GangHold::TooFewPods { .. })) => {
                "more pods".to_owned()
            }
            Outcome::NotInQueue(QueueGate::Gang(_)) => "its Workload".to_owned(),
            Outcome::NotInQueue(QueueGate::Group) => {
                format!("group {}", cluster.text(template.group))
            }
            _ => String::new(),
        },
        PendingVerdict::Placed | PendingVerdict::Gone => String::new(),
    }
}

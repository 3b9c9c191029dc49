//! Volcano: schedules pods by PodGroup, and preempts by its own rules.
//!
//! Upstream: `staging/src/volcano.sh/apis/pkg/apis/scheduling/v1beta1/{types,labels}.go`,
//! `pkg/scheduler/framework/job_updater.go` (August 2026).

use super::{HandlerDocument, HandlerReason, HeldPod, Rule, bounded, queue_subject, subject};
use model::cluster::Kind;
use model::cluster::autoscaling::parts::ObjectCondition;
use model::cluster::handling::Work;
use model::cluster::pod::annotations;

pub(super) struct Volcano;

impl Rule for Volcano {
    fn document(&self) -> HandlerDocument {
        HandlerDocument {
            detected_by: "`schedulerName: volcano`, a gate of its own, or the annotation \
             `scheduling.volcano.sh/group-name`",
            reason: "phase and condition `Unschedulable` of the PodGroup, or the newest Event about it, \
             and a Queue that is closed. It \
             has its own preemption rules, so no victims are shown",
        }
    }

    fn gates(&self) -> &'static [&'static str] {
        &["scheduling.volcano.sh/"]
    }

    fn scheduler(&self) -> &'static str {
        "volcano"
    }

    fn marks(&self, pod: HeldPod) -> bool {
        pod.annotation(annotations::VOLCANO_GROUP).is_some()
    }

    fn reason(&self, pod: HeldPod) -> HandlerReason {
        let cluster = pod.cluster;
        let Some(group) = group(pod) else { return pod.condition() };
        let name = cluster.text(group.name);
        let mut reason = HandlerReason {
            place: format!("PodGroup {name}"),
            objects: vec![subject(group, cluster)],
            ..HandlerReason::default()
        };
        // Nothing in a closed queue is scheduled.
        if let Some(queue) = pod.queue(Kind::VolcanoQueue, cluster.text(group.queue)) {
            reason.objects.push(queue_subject(queue, cluster));
            let state = cluster.text(queue.state);
            if !matches!(state, "" | "Open") {
                reason.word = String::from(state);
                reason.place = format!("Queue {}", cluster.text(queue.name));
                return reason;
            }
        }
        let phase = cluster.text(group.phase);
        let condition = ObjectCondition::find(&group.conditions, "Unschedulable", &cluster.symbols)
            .filter(|condition| cluster.text(condition.status) == "True");
        if let Some(condition) = condition {
            let why = cluster.text(condition.reason);
            reason.word = [phase, why]
                .into_iter()
                .filter(|word| !word.is_empty())
                .collect::<Vec<_>>()
                .join(", ");
            reason.message = bounded(&condition.message);
        } else if let Some((_, message)) = pod.event("PodGroup", name, &["Unschedulable"]) {
            // A group that is not let into its queue has no condition yet.
            reason.word = [phase, message]
                .into_iter()
                .filter(|word| !word.is_empty())
                .collect::<Vec<_>>()
                .join(", ");
            reason.message = bounded(message);
        } else {
            let own = pod.condition();
            reason.word = if phase.is_empty() { own.word } else { phase.to_owned() };
            reason.message = own.message;
        }
        reason
    }

    fn reads(&self, pod: HeldPod) -> Vec<Kind> {
        match group(pod) {
            None => vec![Kind::VolcanoPodGroup],
            Some(_) => vec![Kind::VolcanoQueue],
        }
    }
}

/// The group that the pod's annotation names, or the one that Volcano creates for its controller or
/// for the pod alone.
fn group(pod: HeldPod<'_>) -> Option<&Work> {
    let named = pod
        .annotation(annotations::VOLCANO_GROUP)
        .or_else(|| pod.annotation(annotations::KUBE_GROUP));
    let owner = pod.pod.controller.map_or(&*pod.pod.uid, |owner| pod.cluster.text(owner.uid));
    let name = named.map_or_else(|| format!("podgroup-{owner}"), str::to_owned);
    pod.work(Kind::VolcanoPodGroup, &name)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::decision::handlers::tests::{annotated, condition, object, said};
    use crate::decision::handlers::{Handler, HeldBy};
    use crate::testing::pod;

    #[test]
    fn volcano_says_the_phase_and_condition_of_the_group() {
        let group = |phase: &str, conditions: Value| {
            object(
                "scheduling.volcano.sh/v1beta1",
                "PodGroup",
                "g",
                json!({"minMember": 4, "queue": "q"}),
                json!({"phase": phase, "conditions": conditions}),
            )
        };
        let held = || {
            annotated(pod("p").cpu("1").scheduler("volcano"), "scheduling.k8s.io/group-name", "g")
        };
        let told =
            |others: Vec<Value>| said(others, held(), Handler::Volcano, HeldBy::SchedulerName);
        let message =
            "3/4 tasks in gang unschedulable: pod group is not ready, 1 Pending, 4 minAvailable";
        for word in ["NotEnoughResources", "NotEnoughTasks", "NotEnoughPodsOfTask"] {
            for phase in ["Pending", "Inqueue", "Unknown"] {
                let conditions = json!([condition("Unschedulable", "True", word, message)]);
                let expected = [&format!("{phase}, {word}"), "PodGroup g", message];
                assert_eq!(told(vec![group(phase, conditions)]), expected);
            }
        }
        for phase in ["Pending", "Inqueue", "Running", "Completed"] {
            assert_eq!(told(vec![group(phase, json!([]))]), [phase, "PodGroup g", ""]);
        }
        // Its own annotation names the group as that of Kubernetes does.
        let own = annotated(
            pod("p").cpu("1").scheduler("volcano"),
            "scheduling.volcano.sh/group-name",
            "g",
        );
        assert_eq!(
            said(vec![group("Pending", json!([]))], own, Handler::Volcano, HeldBy::SchedulerName),
            ["Pending", "PodGroup g", ""]
        );
        // Its Event counts where it has no condition.
        let event = json!({"apiVersion": "v1", "kind": "Event",
            "metadata": {"name": "g.1", "namespace": "default"},
            "involvedObject": {"kind": "PodGroup", "namespace": "default", "name": "g"},
            "reason": "Unschedulable", "source": {"component": "volcano"},
            "message": "queue resource quota insufficient: insufficient cpu"});
        assert_eq!(
            told(vec![group("Pending", json!([])), event]),
            [
                "Pending, queue resource quota insufficient: insufficient cpu",
                "PodGroup g",
                "queue resource quota insufficient: insufficient cpu"
            ]
        );
        for state in ["Closed", "Closing"] {
            let mut queue = object(
                "scheduling.volcano.sh/v1beta1",
                "Queue",
                "q",
                json!({}),
                json!({"state": state}),
            );
            queue["metadata"].as_object_mut().expect("an object").remove("namespace");
            let others = vec![group("Pending", json!([])), queue];
            assert_eq!(told(others), [state, "Queue q", ""]);
        }
        // Without the group, its own condition.
        let own = held().refused("all nodes are unavailable: 3 node(s) resource fit failed.");
        assert_eq!(
            said(vec![], own, Handler::Volcano, HeldBy::SchedulerName),
            ["Unschedulable", "", "all nodes are unavailable: 3 node(s) resource fit failed."]
        );
    }
}

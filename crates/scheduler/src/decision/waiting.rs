//! When the scheduler retries a pending pod, and why a pod that fits may still be pending.
//!
//! Upstream: `pkg/scheduler/backend/queue/scheduling_queue.go` (1.37).

use std::collections::BTreeSet;
use std::time::Duration;

use super::handlers::HeldBy;
use super::{Decision, OutcomeKind};
use crate::framework::cycle::{NodeVerdict, PreFilter};
use crate::plugins;
use jiff::Timestamp;
use model::cluster::{Cluster, PodIx};
use model::words;

/// The text for a pod whose condition still reports scheduling gates that it no longer has.
pub(super) const GATES_GONE: &str =
    "its scheduling gates are gone, and the scheduler has not rejected it since";

/// The events of versions in which plugins do not register for events.
const ANY_EVENT: (&str, &str) = (
    "any plugin",
    "a node is added or changes, a pod is scheduled or deleted, a volume, claim or service changes",
);

/// How long the first look at a pod may take, in seconds.
const FIRST_LOOK: i64 = 300;
/// How long a pod that has its node may wait for its claims, without any condition: the default of
/// `bindTimeoutSeconds`.
const BINDING: i64 = 600;

/// For how many seconds no scheduler has looked at a pod that waits; `None` if that is not long, or
/// if one has rejected it.
pub fn unseen_for(cluster: &Cluster, pod: PodIx, now: Timestamp) -> Option<i64> {
    let pod = cluster.pod(pod);
    let seconds = now.as_second() - pod.created?.as_second();
    let is_binding = !pod.claims.is_empty() || !cluster.template(pod).claims.is_empty();
    let patience = if is_binding { FIRST_LOOK + BINDING } else { FIRST_LOOK };
    (pod.scheduled_condition.is_none() && pod.is_waiting() && seconds >= patience)
        .then_some(seconds)
}

/// When a pod is retried.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RetryConditions {
    /// The shortest backoff, in seconds; the default of `podInitialBackoffSeconds`.
    pub first_backoff: u32,
    /// The longest backoff, in seconds, up to which it doubles; the default of
    /// `podMaxBackoffSeconds`.
    pub longest_backoff: u32,
    /// The time in seconds after which the pod is retried without any event; `None` if only events
    /// lead to a retry.
    pub flush: Option<u32>,
    /// Why the pod may still be pending although it fits: one sentence each.
    pub kept_by: Vec<String>,
    /// The plugins that rejected the pod, in the scheduler's order, each with the events after
    /// which the pod is retried.
    pub retried_on: Vec<(&'static str, &'static str)>,
}

impl Decision<'_> {
    /// When the pod is retried, and why it may still be pending; `None` if it is not in the queue,
    /// or only with its group.
    pub fn waiting(&self) -> Option<RetryConditions> {
        if self.membership.is_some() {
            return None;
        }
        let waits_at_permit = self.permit.as_ref().is_some_and(|permit| !permit.is_met());
        let (kept_by, retried_on) = match self.kind() {
            OutcomeKind::NotInQueue => return None,
            OutcomeKind::Schedulable if waits_at_permit => {
                (vec!["it waits at Permit for its gang".to_owned()], Vec::new())
            }
            OutcomeKind::Schedulable => (kept_by(self), Vec::new()),
            OutcomeKind::Preempt | OutcomeKind::Unschedulable | OutcomeKind::Error(_) => {
                (Vec::new(), retry_events(self))
            }
        };
        let queue = &self.profile().features.queue;
        Some(RetryConditions {
            first_backoff: 1,
            longest_backoff: seconds(queue.longest_backoff),
            flush: queue.queue_flush.map(seconds),
            kept_by,
            retried_on,
        })
    }
}

fn seconds(time: Duration) -> u32 {
    u32::try_from(time.as_secs()).unwrap_or(u32::MAX)
}

/// The events after which the rejected pod is retried.
fn retry_events(decision: &Decision) -> Vec<(&'static str, &'static str)> {
    if !decision.profile().features.queue.plugins_await_events {
        return vec![ANY_EVENT];
    }
    let rejecting = rejecting_plugins(decision);
    let docs =
        plugins::ALL.iter().map(|plugin| plugin.doc()).filter(|doc| rejecting.contains(doc.name));
    docs.filter_map(|doc| Some((doc.name, doc.retried_on?))).collect()
}

/// The plugins that rejected the pod on a node or on all nodes.
fn rejecting_plugins<'d>(decision: &'d Decision) -> BTreeSet<&'d str> {
    let mut plugins: BTreeSet<&str> = match decision.pre_filter() {
        PreFilter::AllNodes | PreFilter::Failed(_) => BTreeSet::new(),
        PreFilter::SomeNodes { by, .. } => by.iter().copied().collect(),
        PreFilter::Rejected { plugin, .. } => BTreeSet::from([*plugin]),
    };
    plugins.extend(decision.nodes().iter().filter_map(|verdict| match verdict {
        NodeVerdict::Filtered { plugin, .. } => Some(*plugin),
        _ => None,
    }));
    plugins
}

/// Why a pod that fits may still be pending.
fn kept_by(decision: &Decision) -> Vec<String> {
    let cluster = decision.view.cluster;
    let pod = cluster.pod(decision.pod);
    let queue = &decision.profile().features.queue;
    let mut reasons = Vec::new();
    let leaving: Vec<String> = leaving(decision).iter().map(|pod| cluster.pod_name(*pod)).collect();
    if !leaving.is_empty() {
        let node = cluster.text(pod.nominated_node);
        reasons.push(format!(
            "it is nominated to {node}, where {} is still terminating",
            leaving.join(", ")
        ));
    }
    // What kube-scheduler itself finds does not matter to the plugin of another program.
    if let Some(holder) = decision.holder().filter(|holder| holder.by == HeldBy::Quota) {
        let name = holder.name(decision.pod, cluster);
        reasons
            .push(format!("a plugin of {name} rejects it, although kube-scheduler's own do not"));
        return reasons;
    }
    reasons.push(match pod.scheduled_condition.as_deref() {
        None => match unseen_for(cluster, decision.pod, decision.now) {
            Some(seconds) => format!(
                "no condition says that it was rejected: no scheduler has looked at it for {}",
                words::age(seconds)
            ),
            None => "no condition says that it was rejected: it is new, in the queue, or about to be bound"
                .to_owned(),
        },
        Some(condition) if &*condition.reason == "SchedulingGated" => GATES_GONE.to_owned(),
        Some(condition) if &*condition.reason == "SchedulerError" => {
            format!("its last attempt ended with an error: {}", condition.message)
        }
        Some(_) => {
            let within = queue.queue_flush.map(|flush| match flush.as_secs() / 60 {
                1 => ", within a minute".to_owned(),
                minutes => format!(", within {minutes} minutes"),
            });
            let within = within.unwrap_or_default();
            format!("fits now: kube-scheduler should place it at its next retry{within}")
        }
    });
    reasons
}

/// Terminating pods of lower priority on the nominated node.
pub fn leaving(decision: &Decision) -> Vec<PodIx> {
    let cluster = decision.view.cluster;
    let pod = cluster.pod(decision.pod);
    let pods = decision.nominated().map_or(&[][..], |node| cluster.pods_on(node));
    pods.iter()
        .filter(|ix| {
            let other = cluster.pod(**ix);
            other.is_terminating() && other.priority < pod.priority
        })
        .copied()
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::plugins::ALL;
    use crate::testing::{BEFORE, at, decide, node, objects, pod};

    #[test]
    fn every_plugin_has_events_for_a_retry() {
        for plugin in ALL {
            assert!(plugin.doc().retried_on.is_some(), "{}", plugin.doc().name);
        }
    }

    #[test]
    fn plugins_that_reject_a_pod_name_the_events_for_a_retry() {
        let objects = objects![
            node("a").cpu("1"),
            node("b").cpu("4").taint("k", "v", "NoSchedule"),
            node("c").cpu("4"),
            pod("p").cpu("2").node_term(
                json!({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["b"]}]})
            )
        ];
        let waiting = decide(objects, "p").waiting.expect("it is in the queue");
        let plugins: Vec<_> = waiting.retried_on.iter().map(|(plugin, _)| *plugin).collect();
        assert_eq!(plugins, ["TaintToleration", "NodeAffinity"], "NodeAffinity narrowed to b");
        assert_eq!(waiting.retried_on[1].1, "a node is added or its labels change");
        assert!(waiting.kept_by.is_empty(), "{waiting:?}");
        assert_eq!(
            (waiting.first_backoff, waiting.longest_backoff, waiting.flush),
            (1, 10, Some(300))
        );
        assert_eq!(decide(objects![node("a"), pod("p").gated("g")], "p").waiting, None);
    }

    #[test]
    fn pod_that_fits_and_waits_has_causes() {
        let waiting = || pod("p").cpu("1").priority(9);
        let fits = || node("n").cpu("4");
        let leaving = pod("v").cpu("1").priority(1).on("n").terminating();
        for (row, objects, want) in [
            (
                "new",
                objects![fits(), waiting()],
                &[
                    "no condition says that it was rejected: it is new, in the queue, or about to be bound",
                ][..],
            ),
            (
                "its victim goes",
                objects![fits(), leaving.clone(), waiting().nominated("n")],
                &[
                    "it is nominated to n, where default/v is still terminating",
                    "no condition says that it was rejected: it is new, in the queue, or about to be bound",
                ],
            ),
            (
                "who goes is more important",
                objects![
                    fits(),
                    leaving.priority(10),
                    waiting().nominated("n").condition("SchedulerError", "boom", BEFORE)
                ],
                &["its last attempt ended with an error: boom"],
            ),
            (
                "gates are gone",
                objects![
                    fits(),
                    waiting().condition("SchedulingGated", "Scheduling is blocked", BEFORE)
                ],
                &["its scheduling gates are gone, and the scheduler has not rejected it since"],
            ),
            (
                "rejected before",
                objects![fits(), waiting().refused("0/1 nodes are available: 1 Insufficient cpu.")],
                &["fits now: kube-scheduler should place it at its next retry, within 5 minutes"],
            ),
        ] {
            let answer = decide(objects, "p");
            assert_eq!(answer.outcome(), "Schedulable", "{row}");
            assert_eq!(answer.waiting.expect("it is in the queue").kept_by, want, "{row}");
        }
    }

    #[test]
    fn older_schedulers_tried_again_at_other_times() {
        let waiting = |version: &str| {
            let answer = at(version).decide(objects![node("a").cpu("1"), pod("p").cpu("2")], "p");
            let waiting = answer.waiting.expect("it is in the queue");
            (waiting.longest_backoff, waiting.flush, waiting.retried_on[0].0)
        };
        for (version, want) in [
            ("1.13", (60, None, "any plugin")),
            ("1.14", (60, Some(60), "any plugin")),
            ("1.15", (10, Some(60), "any plugin")),
            ("1.22", (10, Some(60), "NodeResourcesFit")),
            ("1.24", (10, Some(300), "NodeResourcesFit")),
        ] {
            assert_eq!(waiting(version), want, "{version}");
        }
    }
}

//! Whether a pod may preempt others.
//!
//! Upstream: `pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go`
//! `PodEligibleToPreemptOthers` (1.37).

use super::importance::StepDoc;
use super::units::Units;
use crate::framework::cycle::{NodeVerdict, PreFilter, PreparedCycle};
use crate::framework::reason::{Message, Obstacle, When};
use crate::framework::status::Code;
use model::cluster::{NodeIx, PodIx};
use profile::history::{ExcludedNodes, NominatedPreempts};

/// The pod's policy forbids it.
pub(crate) static NEVER: Message = Message {
    code: "PRE-304",
    text: "not eligible due to preemptionPolicy=Never.",
    meaning: "The pod, or its PriorityClass, has preemptionPolicy Never: it is ahead of pods of lower priority in the queue, but evicts no pods.",
    preemption: "Never: the pod forbids it.",
    remedy: "use a PriorityClass with preemptionPolicy PreemptLowerPriority",
    obstacle: Obstacle::Pod,
    when: When::Rows(&[|f| f.preemption.never_policy]),
    source: "pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go (1.37)",
};

/// The pod waits for the victims of its last preemption.
pub(super) static TERMINATING: Message = Message {
    code: "PRE-305",
    text: "not eligible due to a terminating pod on the nominated node.",
    meaning: "The scheduler has already evicted pods for this one, and waits until they are gone.",
    preemption: "Preemption has already happened.",
    remedy: "wait for the grace period of the victims; look for finalizers or a dead node if it takes longer",
    obstacle: Obstacle::Wait,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go (1.37)",
};

pub(super) static STEP: StepDoc = StepDoc {
    code: "PRE-401",
    name: "eligibility",
    meaning: "A pod with preemptionPolicy Never, or whose nominated node still has a terminating victim of lower priority, does not preempt.",
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go (1.37)",
};

/// Why a pod may not preempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ineligible {
    pub reason: &'static Message,
    /// The victims of an earlier preemption that are still terminating.
    pub terminating: Vec<PodIx>,
}

/// Checks whether the pod of the cycle may preempt, given the results of filtering.
///
/// # Errors
/// The reason why it may not.
pub(crate) fn check(prepared: &PreparedCycle, verdicts: &[NodeVerdict]) -> Result<(), Ineligible> {
    let (cycle, features) = (&prepared.cycle, prepared.cycle.features());
    if cycle.template.never_preempts && features.preemption.never_policy {
        return Err(Ineligible { reason: &NEVER, terminating: Vec::new() });
    }
    let cluster = cycle.cluster();
    let Some(node) = nominated(prepared) else { return Ok(()) };
    let unresolvable = match verdicts.get(node.0 as usize) {
        Some(NodeVerdict::Filtered { rejection, .. }) if !rejection.reasons.is_empty() => {
            rejection.code == Code::UnschedulableAndUnresolvable
        }
        Some(NodeVerdict::NotTried) => match &prepared.pre_filter {
            PreFilter::Rejected { .. } if features.cycle.pre_filter_refusal_forgotten => false,
            PreFilter::Rejected { rejection, .. } => {
                rejection.code == Code::UnschedulableAndUnresolvable
            }
            _ => true,
        },
        Some(NodeVerdict::ExcludedByPreFilter)
            if features.cycle.excluded_nodes == ExcludedNodes::FilteredOut =>
        {
            true
        }
        // A node without a status, such as one that an extender omitted without a reason, has the
        // default status of absent nodes.
        _ => features.preemption.nominated_preempts == NominatedPreempts::UnresolvableOrAbsent,
    };
    if unresolvable && features.preemption.nominated_preempts != NominatedPreempts::Never {
        return Ok(());
    }
    let units = Units::new(cluster, cycle.view.profile);
    let terminating: Vec<PodIx> = cluster
        .pods_on(node)
        .iter()
        .copied()
        .filter(|pod| {
            let pod = cluster.pod(*pod);
            let counts =
                pod.is_disrupted_by_scheduler() || !features.preemption.only_preempted_pods_block;
            pod.is_terminating() && counts && units.priority(pod) < cycle.pod.priority
        })
        .collect();
    if terminating.is_empty() {
        Ok(())
    } else {
        Err(Ineligible { reason: &TERMINATING, terminating })
    }
}

/// The node that the pod is nominated to, if it exists.
pub(super) fn nominated(prepared: &PreparedCycle) -> Option<NodeIx> {
    let (cluster, pod) = (prepared.cycle.cluster(), prepared.cycle.pod);
    cluster.find_node(cluster.text(pod.nominated_node)).filter(|_| !pod.nominated_node.is_empty())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testing::{Node, Pod, at, decide, node, objects, pod};

    const TERMINATING: &str = "not eligible due to a terminating pod on the nominated node.";

    fn full() -> Node {
        node("n").cpu("1")
    }

    fn victim() -> Pod {
        pod("v").cpu("1").on("n")
    }

    fn incoming() -> Pod {
        pod("p").cpu("1").priority(10).nominated("n")
    }

    #[test]
    fn terminating_victim_of_an_earlier_preemption_is_awaited() {
        let condition = |status: &str, reason: &str| json!({"type": "DisruptionTarget", "status": status, "reason": reason});
        for (row, victim, want) in [
            ("preempted and terminating", victim().preempted(), TERMINATING),
            (
                "not terminating yet",
                victim().push("/status/conditions", condition("True", "PreemptionByScheduler")),
                "",
            ),
            ("deleted by a user", victim().terminating(), ""),
            (
                "deleted for another reason",
                victim()
                    .terminating()
                    .push("/status/conditions", condition("True", "EvictionByEvictionAPI")),
                "",
            ),
            (
                "the condition is not true",
                victim()
                    .terminating()
                    .push("/status/conditions", condition("False", "PreemptionByScheduler")),
                "",
            ),
            (
                "only the first condition of the type counts",
                victim()
                    .terminating()
                    .push("/status/conditions", condition("True", "DeletionByTaintManager"))
                    .push("/status/conditions", condition("True", "PreemptionByScheduler")),
                "",
            ),
            (
                "conditions of other types do not matter",
                victim()
                    .push("/status/conditions", json!({"type": "Ready", "status": "False"}))
                    .preempted(),
                TERMINATING,
            ),
            ("of the same priority", victim().preempted().priority(10), ""),
            ("of one priority less", victim().preempted().priority(9), TERMINATING),
            ("on another node", victim().preempted().on("m"), ""),
        ] {
            let objects = objects![
                full(),
                node("m").cpu("1").cordoned(),
                pod("w").cpu("1").on("n"),
                victim,
                incoming()
            ];
            assert_eq!(decide(objects, "p").ineligible(), want, "{row}");
        }
    }

    #[test]
    fn only_a_resolvable_nominated_node_is_checked() {
        for (row, node, incoming, want) in [
            ("nominated", full(), incoming(), TERMINATING),
            ("not nominated", full(), pod("p").cpu("1").priority(10), ""),
            (
                "nominated to a node that is gone",
                full(),
                pod("p").cpu("1").priority(10).nominated("gone"),
                "",
            ),
            ("the nominated node is cordoned meanwhile", full().cordoned(), incoming(), ""),
            ("the pod has grown beyond the node", full(), incoming().cpu("2"), ""),
        ] {
            assert_eq!(
                decide(objects![node, victim().preempted(), incoming], "p").ineligible(),
                want,
                "{row}"
            );
        }
    }

    #[test]
    fn pod_that_awaits_victims_names_them() {
        let answer = decide(objects![full(), victim().preempted(), incoming()], "p");
        let report = answer.preemption.as_ref().expect("preemption is asked");
        assert_eq!(
            report.ineligible.as_ref().map(|why| &*why.terminating),
            Some(&[answer.pod_ix("v")][..])
        );
        assert!(report.dry_runs.is_empty(), "{report:?}");
        assert_eq!(answer.outcome(), "Unschedulable");
        assert_eq!(
            answer.message(),
            format!("0/1 nodes are available: 1 Insufficient cpu. preemption: {TERMINATING}")
        );
    }

    #[test]
    fn never_means_never() {
        let never = "not eligible due to preemptionPolicy=Never.";
        let answer = decide(
            objects![full(), victim(), pod("p").cpu("1").priority(10).never_preempts()],
            "p",
        );
        assert_eq!((answer.ineligible(), answer.outcome()), (never, "Unschedulable"));
        assert_eq!(
            answer.message(),
            format!("0/1 nodes are available: 1 Insufficient cpu. preemption: {never}")
        );
        let waiting =
            decide(objects![full(), victim().preempted(), incoming().never_preempts()], "p");
        assert_eq!(waiting.ineligible(), never, "the policy is asked first");
    }

    #[test]
    fn a_pod_rejected_as_a_whole_does_not_wait() {
        let names =
            |name: &str| json!({"key": "metadata.name", "operator": "In", "values": [name]});
        let conflict = incoming().node_term(json!({"matchFields": [names("n"), names("m")]}));
        let answer = at("1.33").decide(objects![full(), victim().preempted(), conflict], "p");
        assert_eq!(answer.ineligible(), "");
        let want = "0/1 nodes are available: pod affinity terms conflict. preemption: 0/1 nodes are available: 1 Preemption is \
                    not helpful for scheduling.";
        assert_eq!(answer.message(), want);
    }
}

//! Similar pods get the same decision, which is made once. A large cluster has hundreds of pending
//! pods of one workload.

use super::{Decision, OutcomeKind};
use model::cluster::Cluster;
use model::cluster::pod::PodIx;

/// Whether a decision about one of two pods may be one about the other, as far as the pods alone
/// tell: the scheduler reads the same from both.
#[must_use]
pub fn are_alike(cluster: &Cluster, decided: PodIx, other: PodIx) -> bool {
    let (decided, other) = (cluster.pod(decided), cluster.pod(other));
    // Claims belong to one pod, and so do devices and a nomination.
    let template = cluster.template(decided);
    let holds_nothing = template.volumes.is_empty()
        && template.claims.is_empty()
        && template.group.is_empty()
        && decided.claims.is_empty()
        && decided.nominated_node.is_empty()
        && decided.is_waiting()
        && cluster.devices.classes.is_empty();
    holds_nothing
        && decided.is_scheduled_like(other)
        && other.is_waiting()
        && decided.nominated_node == other.nominated_node
        && decided.controller == other.controller
        && decided.start_time == other.start_time
        && decided.deletion == other.deletion
        && decided.disruption == other.disruption
        && decided.end == other.end
        && decided.mirror == other.mirror
        && decided.qos == other.qos
        && decided.grace_seconds == other.grace_seconds
}

impl Decision<'_> {
    /// Reuses this decision for `pod` if it is known to be the same: `pod` differs only in its
    /// identity, and nothing in the decision names a pod. Otherwise nothing changes, and `false` is
    /// returned.
    #[must_use]
    pub fn passes_on_to(&mut self, pod: PodIx) -> bool {
        let holds = self.is_general()
            && are_alike(self.view.cluster, self.pod, pod)
            && self.names_neither(pod);
        if holds {
            self.pod = pod;
        }
        holds
    }

    /// Whether the decision depends only on the cluster and on what alike pods have in common.
    fn is_general(&self) -> bool {
        let has_result = matches!(
            self.kind(),
            OutcomeKind::Schedulable | OutcomeKind::Preempt | OutcomeKind::Unschedulable
        );
        // Groups are decided as a whole, and extenders are called for each pod.
        has_result
            && self.membership.is_none()
            && self.permit.is_none()
            && self.view.extender_client.is_none()
    }

    /// Whether no message and no note mentions either of the two pods.
    fn names_neither(&self, pod: PodIx) -> bool {
        let cluster = self.view.cluster;
        let messages = [&self.messages.message, &self.messages.condition];
        [self.pod, pod].into_iter().all(|pod| {
            let (name, subject) = (&*cluster.pod(pod).name, cluster.pod_subject(pod));
            let in_message = messages.iter().any(|m| m.as_ref().is_some_and(|m| m.contains(name)));
            // A note about many objects names only the first of them.
            let in_note = self.notes.iter().any(|note| {
                note.text.contains(name)
                    || note.objects.contains(&subject)
                    || note.count > note.objects.len().max(1)
            });
            !in_message && !in_note
        })
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use crate::decision::decide;
    use crate::framework::cluster_view::ClusterView;
    use crate::testing::{at, cluster, node, objects, pod};

    #[test]
    fn a_decision_passes_on_to_pods_that_differ_in_their_identity_alone() {
        let cluster = cluster(objects![
            node("n").cpu("2"),
            node("m").cpu("2"),
            pod("low-1").on("n").cpu("2"),
            pod("low-2").on("m").cpu("2"),
            pod("web-1x").cpu("1").priority(5),
            pod("web-2x").cpu("1").priority(5),
            pod("larger").cpu("2").priority(5),
            pod("higher").cpu("1").priority(6),
            pod("labelled").cpu("1").priority(5).label("x", "y"),
            pod("nominated").cpu("1").priority(5).nominated("n"),
        ]);
        let profile = at("1.37").profile();
        let view = ClusterView::new(&cluster, &profile);
        let index = |name: &str| cluster.find_pod("default", name).expect("it exists");
        let now = Timestamp::UNIX_EPOCH;
        for (other, passes) in [
            ("web-2x", true),
            ("larger", false),
            ("higher", false),
            ("labelled", false),
            ("nominated", false),
            ("low-1", false),
        ] {
            let mut decision = decide(&view, index("web-1x"), now);
            assert_eq!(decision.passes_on_to(index(other)), passes, "{other}");
            if passes {
                let own = decide(&view, index(other), now);
                assert_eq!(decision.pod, own.pod);
                assert_eq!(format!("{:?}", decision.outcome), format!("{:?}", own.outcome));
                assert_eq!(decision.messages, own.messages);
                assert_eq!(decision.notes, own.notes);
            }
        }
    }
}

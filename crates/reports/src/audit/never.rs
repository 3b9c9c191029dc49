//! Pods that wait although preemption would make room for them, because their policy is `Never`.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::finding::{Evidence, Finding};
use model::cluster::Cluster;
use model::cluster::owner::Workload;
use model::cluster::pod::PodIx;
use model::edits::{self, Edit, PreemptionPolicy};
use profile::Profile;
use scheduler::decision::{OutcomeKind, decide};
use scheduler::framework::cluster_view::ClusterView;

/// One pod of each workload is decided about, as it is and with the other policy.
pub(super) fn check(
    cluster: &Cluster,
    profile: &Profile,
    now: Timestamp,
    findings: &mut Vec<Finding>,
) {
    let mut waiting: BTreeMap<Workload, Vec<PodIx>> = BTreeMap::new();
    for ix in cluster.pod_indices() {
        let pod = cluster.pod(ix);
        let waits = pod.is_waiting() && !pod.is_terminating();
        if waits && cluster.template(pod).never_preempts {
            waiting.entry(cluster.workload(pod)).or_default().push(ix);
        }
    }
    let view = ClusterView::new(cluster, profile);
    for (workload, pods) in waiting {
        let Some(first) = pods.first().copied() else { continue };
        if decide(&view, first, now).kind() != OutcomeKind::Unschedulable {
            continue;
        }
        let mut edited = cluster.clone();
        let policy = PreemptionPolicy::PreemptLowerPriority;
        if edits::apply(&mut edited, &[first], &[Edit::PreemptionPolicy { policy }]).is_err() {
            continue;
        }
        let edited_view =
            ClusterView::with_selectors(&edited, profile, view.device_selectors().clone());
        let decision = decide(&edited_view, first, now);
        let mut candidates = decision.candidates();
        let Some(best) = candidates.find(|candidate| decision.selected().contains(&candidate.node))
        else {
            continue;
        };
        let evidence = Evidence::NeverPreempts {
            pods: pods.len(),
            priority: cluster.pod(first).priority,
            node: cluster.text(cluster.node(best.node).name).to_owned(),
            victims: best.victims.iter().map(|victim| cluster.pod_name(victim.pod)).collect(),
        };
        findings.push(Finding { object: (&workload).into(), evidence });
    }
}

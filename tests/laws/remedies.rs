//! Laws of remedies: each does what it promises, in random clusters.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::{Quirks, law, small};
use crate::recorded::parity::remedies::wrong;
use engine::cluster::Quantity;
use engine::cluster::system_taint::{SystemTaint, TaintRole};
use engine::decision::remedy::{Remedy, RemedyKind};
use engine::decision::{Decision, Explanation, OutcomeKind, decide};
use engine::edits::{self, Edit, TaintPattern};
use engine::framework::cluster_view::ClusterView;
use testing::{NOW, at, cluster, priority_class};

#[test]
fn every_remedy_holds() {
    law(250, 300, small(Quirks::All, 1..=6), |small| {
        let mut objects = small.objects(&BTreeSet::new());
        objects
            .extend([3, 6, 9].map(|value| priority_class(&format!("class-{value}"), value).into()));
        let cluster = cluster(objects);
        let profile = at(small.version).profile();
        let view = ClusterView::new(&cluster, &profile);
        let pod = cluster.find_pod("default", "p").expect("the pod");
        let mut decision = Explanation::from(decide(&view, pod, NOW.parse().expect("a time")));
        decision.seek_remedies();
        let Some(remedies) = decision.remedies.take() else { return Ok(0) };
        prop_assert!(remedies.found.is_sorted_by_key(|remedy| remedy.kind));
        for remedy in &remedies.found {
            prop_assert_eq!(wrong(&decision, std::slice::from_ref(&profile), remedy), None);
            prop_assert!(
                unfit(remedy, &decision).is_none(),
                "{}: {:?}",
                remedy.summary,
                unfit(remedy, &decision)
            );
        }
        Ok(remedies.found.len())
    });
}

/// What a careful person would not do, if a remedy asks for it.
fn unfit(remedy: &Remedy, decision: &Decision) -> Option<&'static str> {
    let cluster = decision.view.cluster;
    let own = cluster.pod(decision.pod).priority;
    let role = |taint: &TaintPattern| SystemTaint::of(&taint.key).map(|system| system.role);
    let is_of_system = |taint: &TaintPattern| role(taint).is_some();
    for edit in &remedy.edits {
        match edit {
            Edit::Priority { .. } => return Some("a priority that no class has"),
            // A pod may ask for the control plane.
            Edit::Toleration { taint }
                if is_of_system(taint) && role(taint) != Some(TaintRole::ControlPlane) =>
            {
                return Some("tolerates a taint that a program sets");
            }
            Edit::RemoveTaint { taint, .. }
                if is_of_system(taint) && remedy.kind == RemedyKind::RemoveTaint =>
            {
                return Some("removes a taint that a program sets");
            }
            Edit::RemovePod { namespace, name } => {
                let victim =
                    cluster.find_pod(namespace, name).map(|victim| cluster.pod(victim).priority);
                let is_leaving = matches!(remedy.kind, RemedyKind::Wait | RemedyKind::EndStuckPod);
                if !is_leaving && victim.is_none_or(|priority| priority > own) {
                    return Some("evicts a pod of a higher priority");
                }
            }
            _ => {}
        }
    }
    None
}

/// Where the cpu is what is lowered, a hundredth of a core more does not fit on the nodes of the
/// cluster.
#[test]
fn the_request_that_is_proposed_is_the_largest() {
    law(250, 20, small(Quirks::None, 1..=4), |mut small| {
        small.incoming.near = None;
        let cluster = cluster(small.objects(&BTreeSet::new()));
        let profile = at(small.version).profile();
        let view = ClusterView::new(&cluster, &profile);
        let pod = cluster.find_pod("default", "p").expect("the pod");
        let now = NOW.parse().expect("a time");
        let mut decision = Explanation::from(decide(&view, pod, now));
        decision.seek_remedies();
        let found = decision.remedies.take().unwrap_or_default().found;
        let lowered = found.iter().find(|remedy| remedy.kind == RemedyKind::LowerRequest);
        let Some([Edit::Request { resource, amount }]) =
            lowered.map(|remedy| remedy.edits.as_slice())
        else {
            return Ok(0);
        };
        if resource != "cpu" {
            return Ok(0);
        }
        let milli = Quantity::parse(amount).expect("a quantity").milli_value();
        let more = Edit::Request { resource: resource.clone(), amount: format!("{}m", milli + 10) };
        let mut changed = cluster.clone();
        edits::apply(&mut changed, &[pod], &[more]).expect("an edit");
        let view = ClusterView::new(&changed, &profile);
        prop_assert_ne!(decide(&view, pod, now).kind(), OutcomeKind::Schedulable, "{}", amount);
        Ok(1)
    });
}

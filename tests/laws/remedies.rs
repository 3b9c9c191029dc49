//! Laws of remedies: each does what it promises, in clusters that nobody thought of.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::{Quirks, law, small};
use crate::parity::remedies::wrong;
use engine::cluster::quantity::Quantity;
use engine::decision::remedy::RemedyKind;
use engine::decision::{Explanation, OutcomeKind, decide};
use engine::edits::{self, Edit};
use engine::framework::cluster_view::ClusterView;
use testing::{NOW, at, cluster};

#[test]
fn every_remedy_holds() {
    law(250, 300, small(Quirks::All, 1..=6), |small| {
        let cluster = cluster(small.objects(&BTreeSet::new()));
        let profile = at(small.version).profile();
        let view = ClusterView::new(&cluster, &profile);
        let pod = cluster.find_pod("default", "p").expect("the pod");
        let mut decision = Explanation::from(decide(&view, pod, NOW.parse().expect("a time")));
        decision.seek_remedies();
        let Some(remedies) = decision.remedies.take() else { return Ok(0) };
        prop_assert!(remedies.found.is_sorted_by_key(|remedy| remedy.kind));
        for remedy in &remedies.found {
            prop_assert_eq!(wrong(&decision, std::slice::from_ref(&profile), remedy), None);
        }
        Ok(remedies.found.len())
    });
}

/// Where the cpu is what is lowered, a hundredth of a core more does not fit on the nodes of the cluster.
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
        let Some([Edit::Request { resource, amount }]) = lowered.map(|remedy| remedy.edits.as_slice()) else {
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

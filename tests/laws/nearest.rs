//! A law of the nearest nodes: the cause that is named keeps the pod off them, whatever else is
//! removed.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::{Quirks, law, small};
use engine::cluster::NodeIx;
use engine::decision::nearest::nearest;
use engine::decision::{Explanation, OutcomeKind, decide};
use engine::framework::cluster_view::ClusterView;
use testing::{NOW, at, cluster};

#[test]
fn cause_of_the_nearest_nodes_blocks_the_pod_if_all_others_are_removed() {
    law(250, 60, small(Quirks::All, 1..=6), |small| {
        let cluster = cluster(small.objects(&BTreeSet::new()));
        let profile = at(small.version).profile();
        let view = ClusterView::new(&cluster, &profile);
        let pod = cluster.find_pod("default", "p").expect("the pod");
        let now = NOW.parse().expect("a time");
        let mut decision = Explanation::from(decide(&view, pod, now));
        if !matches!(decision.kind(), OutcomeKind::Preempt | OutcomeKind::Unschedulable) {
            return Ok(0);
        }
        decision.run_other_filters();
        let causes = decision.node_causes(&decision.unmeetable());
        let nearest: Vec<NodeIx> = nearest(&causes).iter().map(|cause| cause.node).collect();
        let Some(named) = causes
            .iter()
            .filter(|cause| nearest.contains(&cause.node))
            .min_by_key(|cause| cause.node)
        else {
            return Ok(0);
        };

        // A scheduler that has no other rule still rejects these nodes, with the same words.
        let mut alone = profile.clone();
        alone.plugins.filter.retain(|plugin| *plugin == named.plugin);
        alone.plugins.pre_filter.retain(|plugin| *plugin == named.plugin);
        let view = ClusterView::new(&cluster, &alone);
        let again = decide(&view, pod, now);
        for cause in causes
            .iter()
            .filter(|cause| nearest.contains(&cause.node) && cause.plugin == named.plugin)
        {
            let rejection = again.rejections().find(|(node, ..)| *node == cause.node);
            let Some((_, plugin, rejection)) = rejection else {
                return Err(TestCaseError::fail(format!(
                    "{} is not what keeps the pod off",
                    cause.plugin
                )));
            };
            let text = cause.reason.text.render(&cluster).into_owned();
            prop_assert_eq!(plugin, cause.plugin);
            prop_assert!(rejection.texts(&cluster).contains(&text), "{}", text);
        }
        prop_assert!(
            causes.iter().all(|cause| named.distance <= cause.distance),
            "no node is nearer"
        );
        Ok(1)
    });
}

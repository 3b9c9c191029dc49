//! Pods that are alike: what was decided about one and passed on to another is what deciding about
//! that one gives, in every word.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Quirks, law, small};
use answers::origin::SourceKind;
use answers::origin::{InputOrigin, Origin};
use answers::pod_report::PodReport;
use engine::cluster::{Cluster, PodIx};
use engine::decision::sampling::Starts;
use engine::decision::{Explanation, decide};
use engine::framework::cluster_view::ClusterView;
use render::page::Paper;
use render::{screen, text};
use testing::{NOW, at, cluster};

/// Names that stand in no message of kube-scheduler.
const ALIKE: [&str; 3] = ["zq-one", "zq-two", "zq-three"];

/// The pod `p` of the objects under other names, each with its own identity and condition.
fn copies(objects: &[Value]) -> Vec<Value> {
    let of = |name: &&str| {
        let mut copy = objects.last().cloned().expect("the pod");
        copy["metadata"]["name"] = json!(name);
        copy["metadata"]["uid"] = json!(format!("uid-{name}"));
        copy["status"]["conditions"] = json!([{"type": "PodScheduled", "status": "False",
            "reason": "Unschedulable", "message": format!("0/9 nodes are available: {name}."),
            "lastTransitionTime": "2025-12-01T00:00:00Z"}]);
        copy
    };
    ALIKE.iter().map(of).collect()
}

fn explained<'v>(view: &'v ClusterView<'v>, pod: PodIx) -> PodReport<'v> {
    let mut explanation = Explanation::from(decide(view, pod, NOW.parse().expect("a time")));
    explanation.run_other_filters();
    explanation.enumerate(Starts::All);
    explanation.seek_remedies();
    explanation.compare_condition();
    explanation.into()
}

/// Everything that is said of a pod: as data, on a screen and in full.
fn told(explanation: &PodReport) -> [String; 3] {
    let origin = Origin {
        place: InputOrigin::Files(vec!["f".to_owned()]),
        as_of: explanation.now,
        nodes: answers::node_name::NodeNames::default(),
    };
    let one = std::slice::from_ref(explanation);
    [
        serde_json::to_string_pretty(&to_json::pod_report(explanation, SourceKind::File))
            .expect("plain JSON"),
        screen::page(one, &origin, true, screen::SCREEN).print(Paper::PLAIN).to_string(),
        text::page(explanation, &origin).print(Paper::PLAIN).to_string(),
    ]
}

#[test]
fn an_explanation_that_is_passed_on_is_that_of_deciding_anew() {
    let find = |cluster: &Cluster, name| cluster.find_pod("default", name).expect("a pod");
    law(200, 200, small(Quirks::All, 1..=6), |small| {
        let mut objects = small.objects(&BTreeSet::new());
        objects.extend(copies(&objects));
        let cluster = cluster(objects);
        let profile = at(small.version).profile();
        let view = ClusterView::new(&cluster, &profile);
        let mut passed_on = explained(&view, find(&cluster, ALIKE[0]));
        let mut passed = 0;
        for name in &ALIKE[1..] {
            let pod = find(&cluster, name);
            if passed_on.explanation.decision.passes_on_to(pod) {
                passed_on.explanation.compare_condition();
                let anew = explained(&view, pod);
                prop_assert_eq!(told(&passed_on), told(&anew), "{}", name);
                passed += 1;
            }
        }
        Ok(passed)
    });
}

use engine::decision::decide;
use engine::decision::sampling::Likelihood;
use engine::framework::cluster_view::ClusterView;

use super::{Standing, sampled, standing, verdict};
use crate::pod_report::PodReport;
use testing::{NOW, at, cluster, node, objects, pod};

#[test]
fn the_odds_decide_the_words() {
    let words = |probability, possible, complete| {
        let likelihood = Likelihood { probability, complete, possible };
        sampled(
            likelihood,
            |likely| format!("{}on n0", likely.adverb()),
            |possible| format!("on one of {possible}"),
        )
    };
    for (probability, possible, complete, expected) in [
        (None, 3, true, "on one of 3 nodes"),
        (Some(0.01), 100, true, "on one of 100 nodes"),
        (Some(1.0), 1, true, "on n0, wherever it starts its search"),
        (Some(1.0 / 3.0), 3, true, "on one of 3 nodes, each as likely"),
        (Some(1.0 / 3.0), 3, false, "on one of 3 nodes, each about as likely"),
        (Some(0.75), 3, true, "most likely on n0 (75.0 %); 3 nodes are possible"),
        (Some(0.4), 3, false, "perhaps on n0 (about 40.0 %), the likeliest of 3 nodes"),
    ] {
        assert_eq!(words(probability, possible, complete), expected);
    }
}

/// The headline about pod `p`, nominated to n.
fn waiting(leaving: &[(&str, &str)]) -> String {
    let mut objects = objects![node("n").cpu("2"), pod("p").cpu("2").priority(9).nominated("n")];
    for (name, due) in leaving {
        let victim =
            pod(name).cpu("1").preempted().with("/metadata/deletionTimestamp", *due).on("n");
        objects.push(victim.into());
    }
    let (cluster, profile) = (cluster(objects), at("1.37").profile());
    let view = ClusterView::new(&cluster, &profile);
    let decision = decide(&view, cluster.find_pod("default", "p").unwrap(), NOW.parse().unwrap());
    let decision = PodReport::from(decision);
    let standing = standing(&decision);
    assert!([Standing::Yes, Standing::Costs].contains(&standing));
    format!("{}{}", if standing == Standing::Yes { "yes: " } else { "" }, verdict(&decision))
}

#[test]
fn a_pod_that_waits_for_its_victims_gets_its_node() {
    let [soon, late, just] =
        ["2026-01-01T00:00:10Z", "2026-01-01T00:00:30Z", "2025-12-31T23:59:50Z"];
    for (leaving, expected) in [
        (
            vec![("a", soon), ("b", late)],
            "yes: it gets n in about 30s, when 2 terminating pods are gone",
        ),
        (
            vec![("a", just), ("b", late)],
            "yes: it gets n when 2 terminating pods are gone (overdue by 10s)",
        ),
    ] {
        assert_eq!(waiting(&leaving), expected);
    }
    let one = super::once_gone("it gets", "n", [None].into_iter(), NOW.parse().unwrap());
    assert_eq!(one, "it gets n when 1 terminating pod is gone");
}

#[test]
fn victim_that_should_have_ended_is_stuck() {
    let [late, past] = ["2026-01-01T00:00:30Z", "2025-12-31T23:00:00Z"];
    let kubelet = "its grace period of 30s is over and the kubelet of n has not ended it";
    let stuck = |more: &str| {
        format!("stuck: it waits on n for default/a{more}, overdue by 60m ({kubelet})")
    };
    assert_eq!(waiting(&[("a", past), ("b", late)]), stuck(""), "b is not due yet");
    assert_eq!(
        waiting(&[("a", past), ("b", past)]).matches("1 more victim, overdue by 60m").count(),
        1
    );
}

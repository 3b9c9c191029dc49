use serde_json::Value;

use engine::decision::decide;
use engine::framework::cluster_view::ClusterView;

use crate::page::Paper;
use crate::{screen, text};
use answers::origin::{InputOrigin, Origin};
use answers::pod_report::PodReport;
use testing::{NOW, assert_has, assert_lacks, at, cluster, node, pod, tied};

/// The screen and the wide page about pod `p`, by the rules of 1.37.
fn shown(objects: Vec<Value>) -> [String; 2] {
    let cluster = cluster(objects);
    let profile = at("1.37").profile();
    let view = ClusterView::new(&cluster, &profile);
    let now = NOW.parse().expect("a time");
    let origin = Origin { place: InputOrigin::Files(vec!["f".to_owned()]), as_of: now };
    let pod = cluster.find_pod("default", "p").expect("the pod");
    let decision = PodReport::from(decide(&view, pod, now));
    let wide = text::page(&decision, &origin).print(Paper::PLAIN).to_string();
    [
        screen::page(&[decision], &origin, false, screen::SCREEN).print(Paper::PLAIN).to_string(),
        wide,
    ]
}

#[test]
fn few_sets_are_listed_on_both_pages() {
    let [screen, wide] = shown(tied(&["1", "2", "1"]));
    let line = |page: &str| {
        let line = page
            .lines()
            .find(|line| line.contains("Or others"))
            .unwrap_or_else(|| panic!("{page}"));
        line.trim().to_owned()
    };
    let sets = ["default/v1", "default/v0 and default/v2"];
    let expected =
        sets.map(|set| format!("Or others of the same priority and start second: {set}"));
    assert!(expected.contains(&line(&screen)), "{screen}");
    assert_eq!(line(&screen), line(&wide));
    assert_has(&wide, "n: evicts 1 to 2 pods, reprieves 1 to 2\n");
}

#[test]
fn many_sets_are_counted() {
    let [screen, _] = shown(tied(&["1", "1", "1", "1", "1", "1", "1"]));
    let all = "default/v0, default/v1, default/v2, default/v3, default/v4, default/v5 and 1 more";
    assert_has(&screen, &format!("start second: 2 of {all}\n"));
}

#[test]
fn the_message_may_tell_another_number_of_victims() {
    let [_, wide] = shown(tied(&["1", "2", "1"]));
    let (told, other) =
        if wide.contains("preempting 1 victims\n") { (1, "2 victims") } else { (2, "1 victim") };
    assert_has(&wide, &format!("preempting {told} victims\n  or with {other}\n"));
    let [_, settled] = shown(tied(&["2"]));
    assert_lacks(&settled, "or with");
    assert_has(&settled, "preempting 1 victims\n");
}

#[test]
fn node_that_wins_only_in_a_tie_is_shown_with_the_others() {
    // On m two pods go that started last. So n, whose dry run evicts two, too, wins only if it
    // evicts v0 alone.
    let later = "2026-01-01T00:00:30Z";
    let mut objects = tied(&["2", "1", "1"]);
    objects.push(node("m").cpu("2").into());
    objects.extend(["m1", "m2"].map(|name| Value::from(pod(name).cpu("1").on("m").started(later))));
    let [_, wide] = shown(objects);
    let (_, n) =
        wide.split_once("n: evicts 2 pods, reprieves 1\n").unwrap_or_else(|| panic!("{wide}"));
    let others = "Picked only if kube-scheduler evicts others of the same priority and start second: default/v0\n";
    assert!(wide.contains("m: evicts 2 pods\n") && n.contains(others), "{wide}");
}

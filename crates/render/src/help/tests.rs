use serde_json::Value;

use super::ways_out;
use crate::testing::{NOW, at, cluster, node, objects, pod};
use engine::decision::decide;
use engine::framework::cluster_view::ClusterView;

/// The suggestions for pod `p`: the certain ones, a bar, and the others.
fn told(objects: Vec<Value>) -> String {
    let cluster = cluster(objects);
    let profile = at("1.37").profile();
    let view = ClusterView::new(&cluster, &profile);
    let pod = cluster.find_pod("default", "p").unwrap();
    let decision = decide(&view, pod, NOW.parse().unwrap());
    let (sure, perhaps): (Vec<_>, Vec<_>) = ways_out(&decision).into_iter().partition(super::WayOut::is_sure);
    let texts = |ways_out: Vec<super::WayOut>| ways_out.iter().map(|w| w.text(&cluster)).collect::<Vec<_>>().join("; ");
    format!("{} | {}", texts(sure), texts(perhaps))
}

#[test]
fn only_what_follows_is_reported() {
    let full = |name: &str, priority| pod(name).cpu("3").priority(priority);
    for (objects, expected) in [
        (objects![node("n").cpu("4"), pod("p").cpu("2")], " | "),
        (
            objects![node("n").cpu("4"), full("v", 1).on("n"), pod("p").cpu("2").priority(5)],
            "evicting 1 pod on n (the scheduler does it itself) | 1 more cpu free on n",
        ),
        // No pod is left that a higher priority would allow to evict.
        (
            objects![node("n").cpu("4"), pod("v").priority(1).on("n"), pod("p").cpu("9").priority(5)],
            "no eviction; a priority above 5 would not, either | a node with 9 cpu (these have at most 4)",
        ),
        // A higher priority may help, so there is no suggestion about it.
        (objects![node("n").cpu("4"), full("v", 5).on("n"), pod("p").cpu("2").priority(5)], " | 1 more cpu free on n"),
        (
            objects![node("a").cordoned(), node("b").cordoned(), pod("p")],
            "no eviction; a priority above 0 would not, either | uncordon one of 2 nodes",
        ),
        (
            objects![node("n").cpu("4"), full("v", 1).on("n"), pod("p").cpu("2").priority(5).never_preempts()],
            " | preemptionPolicy PreemptLowerPriority instead of Never; 1 more cpu free on n",
        ),
    ] {
        assert_eq!(told(objects), expected);
    }
}

#[test]
fn the_least_that_is_lacking_is_named() {
    let busy = |name: &str, cpu: &str, on: &str| pod(name).cpu(cpu).priority(9).on(on);
    let nodes = objects![node("a").cpu("4"), node("b").cpu("4"), busy("x", "3500m", "a"), busy("y", "2600m", "b")];
    let told = told([nodes, objects![pod("p").cpu("2")]].concat());
    assert_eq!(told, " | 600m more cpu free on b");
}

#[test]
fn taints_are_counted() {
    let tainted = |name: &str, key: &str| node(name).taint(key, "", "NoSchedule");
    let told = told(objects![tainted("a", "gpu"), tainted("b", "spot"), tainted("c", "spot"), pod("p")]);
    assert_eq!(
        told,
        "no eviction; a priority above 0 would not, either | tolerate taint spot:NoSchedule (2 nodes); tolerate taint \
         gpu:NoSchedule (1 node)"
    );
}

//! What can be checked on the page without a browser; `tests/html` opens it in one.

use super::page;
use crate::program::ProgramName;
use answers::pod_report::PodReport;
use engine::decision::decide;
use engine::framework::cluster_view::ClusterView;
use testing::{NOW, assert_has, at, cluster, node, objects, pod};

/// Two pods that may preempt on either of two nodes alike.
fn tied() -> Vec<serde_json::Value> {
    let busy = |name: &str, node: &str| pod(name).cpu("2").on(node).started(NOW);
    objects![
        node("node-1").cpu("2"),
        node("node-2").cpu("2"),
        busy("old-1", "node-1"),
        busy("old-2", "node-2"),
        pod("web-1").cpu("2").priority(5),
        pod("web-2").cpu("2").priority(5),
    ]
}

fn with_models<R>(
    objects: Vec<serde_json::Value>,
    pods: &[&str],
    then: impl FnOnce(&[PodReport]) -> R,
) -> R {
    let (cluster, profile, now) =
        (cluster(objects), at("1.37").profile(), NOW.parse().expect("a time"));
    let view = ClusterView::new(&cluster, &profile);
    let decide = |name: &&str| {
        PodReport::from(decide(&view, cluster.find_pod("default", name).expect("the pod"), now))
    };
    let decisions: Vec<PodReport> = pods.iter().map(decide).collect();
    then(&decisions)
}

#[test]
fn several_pods_begin_with_the_queue() {
    let html = with_models(tied(), &["web-1", "web-2"], |models| {
        page(models, ProgramName::PLUGIN).expect("a page")
    });
    let queue = html.find("<section class=\"queue\"").expect("the queue");
    assert!(queue < html.find("<section class=\"pod\"").expect("a pod"), "{html}");
    assert_has(&html, "<a href=\"#pod-1\"><span class=\"name\">default/web-2</span></a>");
    let one = with_models(tied(), &["web-1"], |models| {
        page(models, ProgramName::PLUGIN).expect("a page")
    });
    assert!(!one.contains("<section class=\"queue\""));
}

#[test]
fn a_node_that_ties_may_win() {
    let graph = with_models(tied(), &["web-1"], crate::dot::graph);
    assert!(graph.contains("may win") && !graph.contains("\"wins\""), "{graph}");
    let mut alone = tied();
    alone.remove(1);
    let graph = with_models(alone, &["web-1"], crate::dot::graph);
    assert!(graph.contains("wins") && !graph.contains("may win"), "{graph}");
}

use jiff::Timestamp;

use super::*;
use crate::testing::{at, cluster, find, node, objects, pod};

/// What every view has of the nodes: the pods, and the sums of what they request.
fn seen(view: &ClusterView) -> Vec<(NodeIx, Vec<PodIx>, Resources)> {
    let of = |info: &Arc<NodeInfo>| (info.node, info.pods.clone(), info.requested.clone());
    view.infos().iter().map(of).collect()
}

fn small() -> Cluster {
    cluster(objects![
        node("a").cpu("4"),
        node("b").cpu("4"),
        node("c").cpu("4"),
        pod("one").cpu("1").on("a"),
        pod("two").cpu("2").memory("1Gi").on("a"),
        pod("resized").cpu("1").on("b"),
        pod("waits").cpu("1"),
        pod("nominated").cpu("1").nominated("c"),
    ])
}

#[test]
fn updated_sums_after_changes_are_those_of_a_new_view() {
    type Change = fn(&mut Cluster);
    let changes: [(&str, Change); 11] = [
        ("nothing", |_| {}),
        ("nominate", |cluster| {
            let pod = find(cluster, "waits");
            cluster.nominate(pod, Some(NodeIx(1)));
        }),
        ("nominate elsewhere", |cluster| {
            let pod = find(cluster, "nominated");
            cluster.nominate(pod, Some(NodeIx(0)));
        }),
        ("bind", |cluster| {
            let pod = find(cluster, "waits");
            cluster.bind(pod, NodeIx(2));
        }),
        ("remove", |cluster| {
            let pod = find(cluster, "one");
            cluster.remove_pod(pod);
        }),
        ("come back", |cluster| {
            let pod = find(cluster, "two");
            cluster.recreate(pod, Timestamp::UNIX_EPOCH);
            cluster.bind(pod, NodeIx(0));
        }),
        ("resize where it is", |cluster| {
            let pod = find(cluster, "resized");
            cluster.set_request(pod, "cpu", "3").expect("a quantity");
        }),
        ("add a pod", |cluster| {
            let two = find(cluster, "two");
            let mut copy = cluster.copy(two, Timestamp::UNIX_EPOCH);
            copy.name = "a-first-one".into();
            copy.node_name = cluster.node(NodeIx(1)).name;
            cluster.insert(vec![copy]);
        }),
        ("add a node", |cluster| {
            let mut like = cluster.node(NodeIx(0)).clone();
            like.name = cluster.symbols.intern("aa");
            cluster.insert_node(like);
        }),
        ("remove a node", |cluster| cluster.remove_node(NodeIx(0))),
        ("cordon", |cluster| cluster.cordon(NodeIx(0), true)),
    ];
    for version in ["1.19", "1.30", "1.37"] {
        let profile = at(version).profile();
        let mut cluster = small();
        let before = cluster.clone();
        let first = ClusterView::new(&before, &profile);
        assert_eq!(first.non_zero_footprints().len(), before.resource_requests.len());
        let mut sums = Arc::clone(&first.sums);
        for (what, change) in changes {
            change(&mut cluster);
            // From one change to the next, as a simulation goes on, and from the first state.
            sums = sums.updated(&cluster, &profile);
            let selectors = DeviceSelectors::of(&cluster);
            let next =
                ClusterView::with_sums(&cluster, &profile, selectors.clone(), Arc::clone(&sums));
            let copy = first.of_copy(&cluster, selectors);
            let new = ClusterView::new(&cluster, &profile);
            for view in [&next, &copy] {
                assert_eq!(seen(view), seen(&new), "{version}: {what}");
                assert_eq!(view.nominated, new.nominated, "{version}: {what}");
                assert_eq!(
                    view.sums.requests.footprints, new.sums.requests.footprints,
                    "{version}: {what}"
                );
                assert_eq!(
                    view.non_zero_footprints(),
                    new.non_zero_footprints(),
                    "{version}: {what}"
                );
            }
        }
    }
}

#[test]
fn sums_of_an_unchanged_cluster_are_shared() {
    let (cluster, profile) = (small(), at("1.37").profile());
    let view = ClusterView::new(&cluster, &profile);
    let copy = cluster.clone();
    assert!(Arc::ptr_eq(&view.sums, &view.sums.updated(&copy, &profile)));
}

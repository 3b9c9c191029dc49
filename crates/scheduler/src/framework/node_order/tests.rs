use serde_json::Value;

use super::by_zone;
use crate::framework::cluster_view::ClusterView;
use crate::testing::{cluster, node};
use profile::{Profile, SchedulerVersion, VersionSource};

const BETA: &str = "failure-domain.beta.kubernetes.io/zone";
const STABLE: &str = "topology.kubernetes.io/zone";

/// The order of nodes a, b, c, … with these labels.
fn order(version: &str, zones: &[(&str, &str)]) -> String {
    let named = ["a", "b", "c", "d", "e", "f"].iter().zip(zones);
    let nodes: Vec<Value> =
        named.map(|(name, (key, zone))| node(name).label(key, zone).into()).collect();
    let (cluster, version) = (cluster(nodes), SchedulerVersion::parse(version).expect("a version"));
    let profile = Profile::new(version, VersionSource::Flag);
    let view = ClusterView::new(&cluster, &profile);
    by_zone(&view).into_iter().map(|ix| cluster.node_name(ix)).collect::<Vec<_>>().join("")
}

#[test]
fn zones_take_turns() {
    for (row, zones, want) in [
        ("no zones", vec![("x", ""); 3], "abc"),
        ("one zone", vec![(STABLE, "z"); 3], "abc"),
        ("two of a size", vec![(STABLE, "y"), (STABLE, "y"), (STABLE, "x"), (STABLE, "x")], "acbd"),
        ("one runs out", vec![(STABLE, "y"), (STABLE, "x"), (STABLE, "y"), (STABLE, "y")], "abcd"),
        (
            "without a zone is a zone",
            vec![(STABLE, "y"), (STABLE, "y"), ("x", ""), ("x", "")],
            "acbd",
        ),
        (
            "one place for both labels",
            vec![(STABLE, "y"), (BETA, "y"), (STABLE, "x"), (BETA, "x")],
            "acbd",
        ),
    ] {
        assert_eq!(order("1.37", &zones), want, "{row}");
    }
}

#[test]
fn stable_labels_count_since_1_17() {
    let zones = [(STABLE, "y"), (STABLE, "y"), (STABLE, "x")];
    assert_eq!(
        (order("1.16", &zones), order("1.17", &zones)),
        ("abc".to_owned(), "acb".to_owned())
    );
}

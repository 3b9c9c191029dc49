use jiff::Timestamp;
use serde_json::json;

use super::*;
use crate::framework::cluster_view::ClusterView;
use crate::testing::{cluster, device_class, node, objects, pod};
use model::cluster::{NodeIx, PodIx};
use profile::plugins::PointSettings;
use profile::{PluginSettings, Profile, SchedulerVersion, VersionSource};

fn curve(points: &[(i64, i64)]) -> Vec<ShapePoint> {
    points
        .iter()
        .map(|(utilization, score)| ShapePoint { utilization: *utilization, score: *score })
        .collect()
}

#[test]
fn a_curve_is_straight_between_its_points_and_level_outside() {
    let rising = curve(&[(10, 20), (50, 40), (70, 100)]);
    for (utilization, score) in
        [(0, 20), (10, 20), (11, 20), (30, 30), (50, 40), (60, 70), (70, 100), (100, 100)]
    {
        assert_eq!(on_curve(&rising, utilization), score, "at {utilization}");
    }
    let falling = curve(&[(0, 100), (100, 0)]);
    assert_eq!(on_curve(&falling, 33), 67);
    assert_eq!(on_curve(&[], 50), 0);
}

#[test]
fn more_than_all_is_all() {
    for (part, whole, expected) in [(1, 3, 33), (3, 3, 100), (4, 3, 100), (0, 3, 0), (1, 0, 100)] {
        assert_eq!(percent(part, whole), expected, "{part} of {whole}");
    }
}

#[test]
fn devices_stand_for_extended_resources_that_a_node_lacks() {
    let class = serde_json::Value::from(device_class("gpus", "example.com/gpu"));
    let slice = json!({
        "apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "n"},
        "spec": {"driver": "gpu.example.com", "nodeName": "n", "devices": [{"name": "d0"}, {"name": "d1"}],
            "pool": {"name": "n", "generation": 1, "resourceSliceCount": 1}},
    });
    let gpu = WeightedResource { name: "example.com/gpu".to_owned(), weight: 1 };
    let incoming = pod("p").requests("example.com/gpu", "1");
    let cluster = cluster(objects![
        node("m").allocatable("example.com/gpu", "4"),
        node("n"),
        incoming,
        class,
        slice
    ]);
    let usage = |minor: u16, settings: PluginSettings| {
        let mut profile = Profile::new(SchedulerVersion::new(minor, 0), VersionSource::Flag);
        profile.features.dra.dra_extended_resources = true;
        profile.settings = settings;
        let view = ClusterView::new(&cluster, &profile);
        let cycle = Cycle::of(&view, PodIx(0), Timestamp::UNIX_EPOCH);
        let wanted = view.incoming(cycle.pod);
        let scored = Scored::new(
            &cycle,
            std::slice::from_ref(&gpu),
            wanted,
            RequestCounting::AsAsked,
            Selectors::Read,
        );
        [0, 1].map(|index| {
            scored
                .on(view.info(NodeIx(index)))
                .expect("no crash")
                .first()
                .map(|u| (u.requested, u.allocatable))
        })
    };
    assert_eq!(usage(35, PluginSettings::default()), [Some((1, 4)), Some((1, 2))]);
    assert_eq!(usage(34, PluginSettings::default()), [Some((1, 4)), None]);
    let without = |plugins: &[&str]| PluginSettings {
        multi_point: PointSettings {
            disabled: plugins.iter().map(ToString::to_string).collect(),
            ..PointSettings::default()
        },
        ..PluginSettings::default()
    };
    assert_eq!(usage(37, without(&["NodeResourcesFit"])), [Some((1, 4)), Some((1, 2))]);
    assert_eq!(usage(37, without(&["DynamicResources"])), [Some((1, 4)), Some((1, 2))]);
    assert_eq!(
        usage(37, without(&["NodeResourcesFit", "DynamicResources"])),
        [Some((1, 4)), None],
        "no plugin watches"
    );
    let mut at_one_point = without(&["*"]);
    at_one_point.elsewhere = vec![(
        "reserve",
        PointSettings { enabled: vec![("DynamicResources".to_owned(), 0)], disabled: Vec::new() },
    )];
    assert_eq!(usage(37, at_one_point), [Some((1, 4)), Some((1, 2))]);
}

use super::*;
use crate::SchedulerVersion;

fn settings(enabled: &[(&str, i64)], disabled: &[&str]) -> PointSettings {
    PointSettings {
        enabled: enabled.iter().map(|(name, weight)| ((*name).to_owned(), *weight)).collect(),
        disabled: disabled.iter().map(|name| (*name).to_owned()).collect(),
    }
}

fn set(settings: &PluginSettings) -> PluginSet {
    PluginSet::new(&Features::of(SchedulerVersion::NEWEST), settings)
}

#[test]
fn defaults_differ_by_version() {
    let first = |minor| {
        let set = PluginSet::new(
            &Features::of(SchedulerVersion::new(minor, 0)),
            &PluginSettings::default(),
        );
        (set.filter[..2].to_vec(), set.filter.contains(&"NodeDeclaredFeatures"))
    };
    assert_eq!(first(37), (vec!["NodeName", "NodeUnschedulable"], true));
    assert_eq!(first(36), (vec!["NodeUnschedulable", "NodeName"], true));
    assert_eq!(first(35), (vec!["NodeUnschedulable", "NodeName"], false));
}

#[test]
fn multi_point_changes_every_point() {
    let all = |enabled, disabled| PluginSettings {
        multi_point: settings(enabled, disabled),
        ..PluginSettings::default()
    };
    let without = set(&all(&[], &["NodeAffinity"]));
    assert!(
        !without.filter.contains(&"NodeAffinity")
            && !without.score.iter().any(|(name, _)| *name == "NodeAffinity")
    );
    let again = set(&all(&[("TaintToleration", 7)], &[]));
    assert_eq!(again.score[0], ("TaintToleration", 7), "it keeps its place");
    let moved = set(&all(&[("TaintToleration", 0)], &["TaintToleration"]));
    assert_eq!(
        moved.score.last(),
        Some(&("TaintToleration", 1)),
        "disabled and enabled: to the end, weight 1"
    );
    let few = set(&all(&[("NodePorts", 0), ("NodeResourcesFit", 3)], &["*"]));
    assert_eq!(few.filter, ["NodePorts", "NodeResourcesFit"]);
    assert_eq!(few.score, [("NodeResourcesFit", 3)]);
    assert!(few.post_filter.is_empty());
}

#[test]
fn extension_point_overrides_multi_point() {
    let filter = |enabled, disabled| PluginSettings {
        filter: settings(enabled, disabled),
        ..PluginSettings::default()
    };
    let without = set(&filter(&[], &["NodePorts"]));
    assert!(!without.filter.contains(&"NodePorts") && without.pre_filter.contains(&"NodePorts"));
    let first = set(&filter(&[("NodePorts", 0)], &[]));
    assert_eq!(first.filter[0], "NodePorts", "named plugins come first, in their own order");
    assert_eq!(first.filter.len(), set(&PluginSettings::default()).filter.len());
    let only = set(&filter(&[("NodePorts", 0)], &["*"]));
    assert_eq!(only.filter, ["NodePorts"]);
    let weighed = PluginSettings {
        score: settings(&[("ImageLocality", 9)], &[]),
        ..PluginSettings::default()
    };
    assert_eq!(set(&weighed).score[0], ("ImageLocality", 9));
}

#[test]
fn point_that_enables_plugins_of_multi_point_orders_them_as_its_release_does() {
    let names = ["NodeName", "NodePorts", "TaintToleration", "VolumeZone", "NodeAffinity"];
    let filters = |minor, patch, multi_point: &[(&str, i64)], count| {
        let enabled: Vec<_> = names.iter().take(count).map(|name| (*name, 0)).collect();
        let settings = PluginSettings {
            multi_point: settings(multi_point, &["*"]),
            filter: settings(&enabled, &[]),
            ..PluginSettings::default()
        };
        PluginSet::new(&Features::of(SchedulerVersion::new(minor, patch)), &settings).filter
    };
    let all = [("NodeUnschedulable", 0), ("VolumeZone", 0), ("NodeAffinity", 0), ("NodeName", 0)];
    let all = [&all[..], &[("NodePorts", 0), ("TaintToleration", 0)]].concat();

    // All that the point enables runs first, whatever is enabled for all points.
    let own = ["NodeName", "NodePorts", "TaintToleration", "NodeUnschedulable", "VolumeZone"];
    assert_eq!(filters(23, 6, &all[..2], 3), own);

    // Every second one is skipped: the loop continues after the gap.
    let skipping = |count| filters(29, 0, &all, count);
    let last = "NodeUnschedulable";
    assert_eq!(skipping(2)[..3], ["NodeName", "NodePorts", last]);
    assert_eq!(skipping(3)[..3], ["NodeName", "TaintToleration", last]);
    assert_eq!(skipping(3)[5], "NodePorts");
    assert_eq!(skipping(5)[..4], ["NodeName", "TaintToleration", "NodeAffinity", last]);
    assert_eq!(skipping(5)[4..], ["NodePorts", "VolumeZone"]);

    // What is for this point alone runs at the end, and so does what is passed over.
    let some = [all[0], all[1], all[3], all[4]];
    let mixed = |patch| filters(29, patch, &some, 5);
    let (begin, end) =
        (["NodeName", "NodePorts", "VolumeZone"], ["TaintToleration", "NodeAffinity"]);
    assert_eq!(mixed(1), [&begin[..], &[last], &end].concat());
    assert_eq!(mixed(0), [&["NodeName", "VolumeZone", last, "NodePorts"][..], &end].concat());
    for (minor, patch) in [(26, 13), (27, 10), (28, 6), (29, 1), (37, 0)] {
        assert_eq!(filters(minor, patch, &all, 5)[..5], names, "1.{minor}.{patch}");
    }
    for (minor, patch) in [(23, 7), (26, 12), (27, 9), (28, 5)] {
        assert_eq!(filters(minor, patch, &all, 5), skipping(5), "1.{minor}.{patch}");
    }
}

#[test]
fn plugin_that_scores_twice_is_named() {
    let twice = |minor, patch| {
        let settings = PluginSettings {
            score: settings(
                &[("ImageLocality", 0), ("NodeAffinity", 0), ("TaintToleration", 0)],
                &[],
            ),
            ..PluginSettings::default()
        };
        PluginSet::new(&Features::of(SchedulerVersion::new(minor, patch)), &settings).scored_twice
    };
    assert_eq!(twice(29, 0), ["TaintToleration"]);
    assert!(twice(29, 1).is_empty() && twice(23, 6).is_empty());
}

#[test]
fn pod_group_post_filter_follows_release_and_settings() {
    let of = |minor, settings: PluginSettings| {
        PluginSet::new(&Features::of(SchedulerVersion::new(minor, 0)), &settings)
            .pod_group_post_filter
    };
    let default = PluginSettings::default;
    let first = || PluginSettings {
        pod_group_post_filter: settings(&[("DefaultPreemption", 0)], &[]),
        ..default()
    };
    let no_post_filter = || PluginSettings { post_filter: settings(&[], &["*"]), ..default() };
    let nowhere =
        PluginSettings { multi_point: settings(&[], &["DefaultPreemption"]), ..default() };
    assert_eq!(of(37, default()), ["DynamicResources", "DefaultPreemption"]);
    assert_eq!(of(37, first()), ["DefaultPreemption", "DynamicResources"]);
    assert_eq!(
        of(37, no_post_filter()),
        ["DynamicResources", "DefaultPreemption"],
        "a point of its own"
    );
    assert_eq!(of(36, no_post_filter()), ["DefaultPreemption"], "no point yet");
    assert!(of(36, nowhere).is_empty());
}

#[test]
fn plugins_of_others_are_named() {
    let with = PluginSettings {
        filter: settings(&[("Coscheduling", 0), ("NodePorts", 0)], &[]),
        ..Default::default()
    };
    let strangers = set(&with).out_of_tree;
    assert_eq!(strangers.iter().map(|s| s.name.as_str()).collect::<Vec<_>>(), ["Coscheduling"]);
    assert!(set(&PluginSettings::default()).out_of_tree.is_empty());
}

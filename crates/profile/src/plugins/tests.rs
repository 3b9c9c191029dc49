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
fn what_runs_for_groups() {
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

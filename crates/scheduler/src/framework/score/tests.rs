use serde_json::{Value, json};

use super::*;
use crate::framework::cluster_view::ClusterView;
use crate::plugins;
use crate::testing::{at, cluster, node, objects, pod};
use jiff::Timestamp;
use model::cluster::Cluster;
use profile::Profile;
use proptest::prelude::*;

#[test]
fn the_largest_score_becomes_100() {
    for (raw, plain, reversed) in [
        (vec![0, 1, 3], vec![0, 33, 100], vec![100, 67, 0]),
        (vec![0, 0], vec![0, 0], vec![100, 100]),
        (vec![7], vec![100], vec![0]),
        (vec![], vec![], vec![]),
    ] {
        assert_eq!(normalize_by_max(&raw, 100, false), plain, "{raw:?}");
        assert_eq!(normalize_by_max(&raw, 100, true), reversed, "{raw:?} reversed");
    }
}

#[test]
fn a_score_out_of_range_ends_the_cycle() {
    let scores = |plugin, normalized: [i64; 2]| PluginScores {
        plugin,
        weight: 1,
        raw: Vec::new(),
        normalized: normalized.into(),
    };
    for (row, one, other, want) in [
        ("in range", [0, 100], [100, 0], None),
        ("above", [3, 101], [0, 0], Some("plugin \"P\" returns an invalid score 101")),
        ("below", [-1, 0], [0, 0], Some("plugin \"P\" returns an invalid score -1")),
        ("node by node", [0, 102], [103, 0], Some("plugin \"Q\" returns an invalid score 103")),
    ] {
        let error = check_ranges(&[scores("P", one), scores("Q", other)], || vec![0, 1]).err();
        assert_eq!(error.is_some(), want.is_some(), "{row}");
        assert!(error.unwrap_or_default().contains(want.unwrap_or_default()), "{row}");
    }
}

/// Two nodes, and a pod whose soft constraint PodTopologySpread cannot read, which PreFilter does
/// not look at.
fn unreadable() -> Vec<Value> {
    let selector =
        json!({"matchExpressions": [{"key": "app", "operator": "Like", "values": ["x"]}]});
    let constraint = json!({"topologyKey": "zone", "maxSkew": 1, "whenUnsatisfiable": "ScheduleAnyway", "labelSelector": selector});
    objects![node("a"), node("b"), pod("p").constraint(constraint)]
}

#[test]
fn pre_score_runs_whether_or_not_score_does() {
    const SPREAD: &str = "PodTopologySpread";
    let message = |version: &str, adjust: fn(&mut Profile)| {
        at(version).with(adjust).decide(unreadable(), "p").message().to_owned()
    };
    let error = "running PreScore plugin \"PodTopologySpread\": calculating preScoreState: obtaining pod's soft topology \
                 spread constraints: \"Like\" is not a valid label selector operator";
    assert_eq!(message("1.37", |_| {}), error);
    assert_eq!(
        message("1.37", |profile| profile.plugins.score.retain(|(plugin, _)| *plugin != SPREAD)),
        error
    );
    assert_eq!(
        message("1.27", |profile| profile.plugins.score.retain(|(plugin, _)| *plugin != SPREAD)),
        error
    );
    // The errors of PreScore come before those of Score.
    let without_state = |profile: &mut Profile| {
        profile.plugins.pre_score.retain(|plugin| *plugin != "TaintToleration");
    };
    assert_eq!(message("1.37", without_state), error);
    // Without any score plugin PreScore does not run.
    assert_eq!(message("1.37", |profile| profile.plugins.score.clear()), "");
}

#[test]
fn totals_are_one_only_without_any_score_plugin() {
    let total = |adjust: fn(&mut Profile)| {
        at("1.37").with(adjust).decide(objects![node("a"), node("b"), pod("p")], "p").total("a")
    };
    assert_eq!(total(|profile| profile.plugins.score.clear()), Some(1));
    // Pods without preferences are not scored by node affinity.
    assert_eq!(
        total(|profile| profile.plugins.score.retain(|(plugin, _)| *plugin == "NodeAffinity")),
        Some(0)
    );
}

/// Forty nodes in three zones, some tainted or without labels, with pods of a service on them; and a
/// pod of the service that prefers much.
fn varied() -> Cluster {
    let mut objects = objects![];
    for index in 0..40_usize {
        let name = format!("n{index:02}");
        let mut own = node(&name).cpu(&format!("{}", 4 + index % 5)).memory("64Gi");
        if index % 7 != 0 {
            own = own.label("kubernetes.io/hostname", &name).zone(["a", "b", "c"][index % 3]);
            own = own.label("topology.kubernetes.io/zone", ["a", "b", "c"][index % 3]);
        }
        if index % 4 == 0 {
            own = own.taint("slow", "yes", "PreferNoSchedule");
        }
        if index % 11 == 0 {
            own = own.taint("old", "yes", "PreferNoSchedule");
        }
        objects.push(own.into());
        for number in 0..index % 4 {
            let web = pod(&format!("web-{index}-{number}")).label("app", "web").cpu("100m");
            objects.push(web.on(&name).into());
        }
    }
    let preferred = json!([{"weight": 30, "podAffinityTerm": {"topologyKey": "zone",
        "labelSelector": {"matchLabels": {"app": "web"}}}}]);
    let constraint = |key: &str| {
        json!({"topologyKey": key, "maxSkew": 1, "whenUnsatisfiable": "ScheduleAnyway",
            "labelSelector": {"matchLabels": {"app": "web"}}})
    };
    objects.push(
        pod("prefers")
            .label("app", "web")
            .cpu("1")
            .with(
                "/spec/affinity/podAffinity/preferredDuringSchedulingIgnoredDuringExecution",
                preferred,
            )
            .constraint(constraint("zone"))
            .constraint(constraint("kubernetes.io/hostname"))
            .into(),
    );
    objects.push(pod("plain").label("app", "web").cpu("1").into());
    objects.push(json!({"apiVersion": "v1", "kind": "Service",
        "metadata": {"name": "web", "namespace": "default"}, "spec": {"selector": {"app": "web"}}}));
    cluster(objects)
}

#[test]
fn narrowed_scores_are_those_of_scoring_these_nodes_alone() {
    let cluster = varied();
    let mut compared = 0;
    for version in ["1.12", "1.16", "1.18", "1.19", "1.22", "1.28", "1.34", "1.37"] {
        let profile = at(version).profile();
        let view = ClusterView::new(&cluster, &profile);
        for name in ["prefers", "plain"] {
            let pod = cluster.find_pod("default", name).expect("it exists");
            let cycle = Cycle::of(&view, pod, Timestamp::UNIX_EPOCH);
            let plugins = plugins::scores(&profile.plugins);
            let all: Vec<NodeIx> = cluster.node_indices().collect();
            let scored = ScoreTable::of_answer(&cycle, &plugins, all.clone(), false)
                .unwrap_or_else(|failure| panic!("{version} {name}: {}", failure.text()));
            for (step, offset) in [(1, 0), (2, 0), (2, 1), (3, 1), (5, 2), (7, 0), (13, 4)] {
                let some: Vec<NodeIx> = all.iter().copied().skip(offset).step_by(step).collect();
                let alone = ScoreTable::new(&cycle, &plugins, some.clone());
                let narrowed = scored.narrowed(&cycle, some);
                assert_eq!(narrowed.ok(), alone.ok(), "{version} {name} {step} {offset}");
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 8 * 2 * 7);
}

/// Size, taints, zone and number of pods of a node.
type NodeTraits = (u8, u8, u8, u8);

fn nodes() -> impl Strategy<Value = Vec<NodeTraits>> {
    prop::collection::vec((1..6_u8, 0..4_u8, 0..4_u8, 0..4_u8), 2..30)
}

/// A cluster of such nodes with pods of a service, and pods that look at other pods in every way.
fn cluster_of(nodes: &[NodeTraits]) -> Cluster {
    let mut objects = objects![];
    for (index, (size, taints, zone, pods)) in nodes.iter().enumerate() {
        let name = format!("n{index:02}");
        let mut own = node(&name).cpu(&size.to_string()).memory("64Gi");
        if *zone > 0 {
            own = own
                .label("kubernetes.io/hostname", &name)
                .zone(["a", "b", "c"][*zone as usize - 1]);
            own = own.label("topology.kubernetes.io/zone", &zone.to_string());
        }
        for taint in 0..taints % 3 {
            own = own.taint(&format!("t{taint}"), "yes", "PreferNoSchedule");
        }
        objects.push(own.into());
        for number in 0..*pods {
            let web = pod(&format!("web-{index}-{number}")).label("app", "web").cpu("100m");
            objects.push(web.on(&name).into());
        }
    }
    let affinity = json!([{"weight": 30, "podAffinityTerm": {"topologyKey": "zone",
        "labelSelector": {"matchLabels": {"app": "web"}}}}]);
    let labels = json!([{"weight": 7, "preference": {"matchExpressions": [
        {"key": "zone", "operator": "In", "values": ["b"]}]}}]);
    let path = |kind: &str| {
        format!("/spec/affinity/{kind}/preferredDuringSchedulingIgnoredDuringExecution")
    };
    let constraint = |key: &str| {
        json!({"topologyKey": key, "maxSkew": 1, "whenUnsatisfiable": "ScheduleAnyway",
            "labelSelector": {"matchLabels": {"app": "web"}}})
    };
    let web = |name: &str| pod(name).label("app", "web").cpu("500m");
    objects.push(web("plain").into());
    objects.push(pod("alone").cpu("1").into());
    objects.push(web("near").with(&path("podAffinity"), affinity.clone()).into());
    objects.push(web("labels").with(&path("nodeAffinity"), labels.clone()).into());
    objects.push(
        web("all")
            .with(&path("podAntiAffinity"), affinity)
            .with(&path("nodeAffinity"), labels)
            .constraint(constraint("zone"))
            .constraint(constraint("kubernetes.io/hostname"))
            .into(),
    );
    objects.push(json!({"apiVersion": "v1", "kind": "Service",
        "metadata": {"name": "web", "namespace": "default"}, "spec": {"selector": {"app": "web"}}}));
    cluster(objects)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(builders::share::of(24, 2000)))]

    #[test]
    fn best_of_windows_are_those_of_scoring_each_alone(
        nodes in nodes(),
        // Where the order begins, and how small windows are and how far apart.
        sets in prop::collection::vec((0..5_usize, 1..6_usize), 1..6),
    ) {
        let cluster = cluster_of(&nodes);
        for version in ["1.12", "1.18", "1.19", "1.28", "1.37"] {
            let profile = at(version).profile();
            let view = ClusterView::new(&cluster, &profile);
            for name in ["plain", "alone", "near", "labels", "all"] {
                let pod = cluster.find_pod("default", name).expect("it exists");
                let cycle = Cycle::of(&view, pod, Timestamp::UNIX_EPOCH);
                let all: Vec<NodeIx> = cluster.node_indices().collect();
                let plugins = plugins::scores(&profile.plugins);
                let Ok(scored) = ScoreTable::of_answer(&cycle, &plugins, all.clone(), false) else {
                    continue;
                };
                let Some(grouped) = NodeSets::new(&scored, &cycle) else {
                    prop_assert!(version < "1.31", "{} {}", version, name);
                    continue;
                };
                for (skipped, step) in &sets {
                    let mut order: Vec<usize> = (0..all.len()).rev().collect();
                    order.rotate_left(skipped % all.len());
                    let size = (all.len() / step).max(1);
                    let firsts = || (0..order.len()).step_by(*step);
                    let mut alone = Some(Vec::new());
                    for first in firsts() {
                        let window = order.iter().cycle().skip(first).take(size);
                        let mut some: Vec<NodeIx> = window.map(|at| all[*at]).collect();
                        some.sort_unstable();
                        let best = ScoreTable::new(&cycle, &plugins, some).map(|table| table.best());
                        alone = alone.zip(best.ok()).map(|(mut all, best)| {
                            all.push(best);
                            all
                        });
                    }
                    let mut found = grouped.best_of_windows(&order, size, firsts());
                    found.iter_mut().flatten().for_each(|best| best.sort_unstable());
                    prop_assert_eq!(found, alone, "{} {} {:?} {}", version, name, order, size);
                }
            }
        }
    }
}

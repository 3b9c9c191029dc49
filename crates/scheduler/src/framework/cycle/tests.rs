use serde_json::json;

use super::PreFilter;
use crate::testing::{Pod, at, claim, decide, labels, node, objects, pod, volume, with_cycle};

const NO_CPU: &str = "U NodeResourcesFit: Insufficient cpu";

/// The result of filtering an empty node with one cpu, to which `other` is nominated.
fn beside(version: &str, other: Pod) -> String {
    at(version)
        .decide(objects![node("n").cpu("1"), other, pod("p").cpu("1").priority(5)], "p")
        .node("n")
}

#[test]
fn nominated_pods_of_equal_or_higher_priority_count() {
    let nominee = || pod("z").cpu("1").priority(5).nominated("n");
    for (row, other, want) in [
        ("the same priority", nominee(), NO_CPU),
        ("a higher one", nominee().priority(6), NO_CPU),
        ("a lower one", nominee().priority(4), "fits"),
        ("none, which is 0", pod("z").cpu("1").nominated("n"), "fits"),
        ("being deleted, but still there", nominee().terminating(), NO_CPU),
        ("finished", nominee().phase("Failed"), "fits"),
        ("of another scheduler", nominee().scheduler("other"), "fits"),
        ("nominated elsewhere", nominee().nominated("gone"), "fits"),
        ("of another namespace", nominee().ns("other"), NO_CPU),
    ] {
        assert_eq!(beside("1.37", other), want, "{row}");
    }
    let own = decide(objects![node("n").cpu("1"), pod("p").cpu("1").nominated("n")], "p");
    assert_eq!(own.node("n"), "fits", "a pod does not stand in its own way");
}

#[test]
fn gated_nominated_pod_counts_since_1_37() {
    let gated = || pod("z").cpu("1").priority(5).nominated("n").gated("g");
    assert_eq!(beside("1.36", gated()), "fits");
    assert_eq!(beside("1.37", gated()), NO_CPU);
}

#[test]
fn the_node_must_do_without_the_nominees_too() {
    // The only matching pod is nominated and not on the node: the pod fits with it and does not fit
    // without it.
    let partner = || pod("z").label("app", "db").priority(5);
    let incoming = || pod("p").priority(5).near("zone", "app", "db");
    let rejected = "UU InterPodAffinity: node(s) didn't match pod affinity rules";
    for (row, partner, want) in
        [("nominated", partner().nominated("n"), rejected), ("there", partner().on("n"), "fits")]
    {
        assert_eq!(
            decide(objects![node("n").zone("a"), partner, incoming()], "p").node("n"),
            want,
            "{row}"
        );
    }
}

#[test]
fn a_skipped_plugin_sees_no_nominees() {
    let objector = || pod("z").priority(5).away("zone", "app", "web").nominated("n");
    let web = || pod("p").label("app", "web").priority(5);
    let rejected = "U InterPodAffinity: node(s) didn't satisfy existing pods anti-affinity rules";
    for (row, incoming, want) in [
        ("no terms anywhere: the plugin is skipped", web(), "fits"),
        ("own terms, though about others", web().away("zone", "app", "nobody"), rejected),
    ] {
        assert_eq!(
            decide(objects![node("n").zone("a"), objector(), incoming], "p").node("n"),
            want,
            "{row}"
        );
    }
}

#[test]
fn nominees_count_for_spread_and_ports() {
    let spread = |p: Pod| p.label("app", "web").spread("zone", 1, "app", "web");
    for (row, nominee, incoming, want) in [
        (
            "spread",
            pod("z").label("app", "web").nominated("n"),
            spread(pod("p")),
            "U PodTopologySpread: node(s) didn't match pod topology spread constraints",
        ),
        (
            "ports",
            pod("z").port(80, "TCP", "").nominated("n"),
            pod("p").port(80, "TCP", ""),
            "U NodePorts: node(s) didn't have free ports for the requested pod ports",
        ),
        ("places", pod("z").nominated("n"), pod("p"), "U NodeResourcesFit: Too many pods"),
    ] {
        let objects = objects![
            node("n").zone("a").pods(if row == "places" { 1 } else { 9 }),
            node("m").zone("b").cordoned(),
            nominee,
            incoming
        ];
        assert_eq!(decide(objects, "p").node("n"), want, "{row}");
    }
}

#[test]
fn a_feasible_nominated_node_is_taken() {
    let nodes = || objects![node("a").cpu("1"), node("b").cpu("1")];
    let answer = decide([nodes(), objects![pod("p").cpu("1").nominated("b")]].concat(), "p");
    assert_eq!((answer.node("a").as_str(), answer.selected().as_str()), ("fits", "b"));
    let answer = decide(
        [nodes(), objects![pod("p").cpu("1").nominated("b"), pod("v").cpu("1").on("b")]].concat(),
        "p",
    );
    assert_eq!(answer.selected(), "a");
}

#[test]
fn the_first_plugin_that_rejects_decides() {
    let bad = || node("n").cpu("1").cordoned().taint("k", "", "NoSchedule");
    let picky = || pod("p").cpu("2").selects_nodes("disk", "ssd").port(80, "TCP", "");
    let holder = || pod("v").port(80, "TCP", "").on("n");
    let tolerant = |p: Pod| p.tolerates("node.kubernetes.io/unschedulable", "Exists", "", "");
    for (node, pod, plugin) in [
        (bad(), picky(), "NodeUnschedulable"),
        (bad(), tolerant(picky()), "TaintToleration"),
        (bad(), picky().tolerates("", "Exists", "", ""), "NodeAffinity"),
        (bad().label("disk", "ssd"), picky().tolerates("", "Exists", "", ""), "NodePorts"),
        (
            bad().label("disk", "ssd"),
            pod("p").cpu("2").tolerates("", "Exists", "", "").spread("zone", 1, "a", "b"),
            "NodeResourcesFit",
        ),
        (
            bad(),
            pod("p")
                .tolerates("", "Exists", "", "")
                .spread("zone", 1, "a", "b")
                .near("zone", "a", "c"),
            "PodTopologySpread",
        ),
        (
            bad(),
            pod("p").tolerates("", "Exists", "", "").near("zone", "a", "c"),
            "InterPodAffinity",
        ),
    ] {
        let verdict = decide(objects![node, holder(), pod], "p").node("n");
        assert_eq!(verdict.split([' ', ':']).nth(1), Some(plugin), "{verdict}");
    }
}

#[test]
fn plugins_that_leave_no_node_together_reject_the_pod() {
    let term =
        json!({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["a"]}]});
    let objects =
        objects![node("a"), node("b"), pod("p").with("/spec/nodeName", "b").node_term(term)];
    with_cycle(objects, "p", |cycle| {
        let PreFilter::Rejected { plugin, rejection, .. } = &cycle.pre_filter else {
            panic!("{:?}", cycle.pre_filter)
        };
        let texts = rejection.texts(cycle.cycle.cluster());
        assert_eq!(*plugin, "");
        assert_eq!(
            texts,
            ["node(s) didn't satisfy plugin(s) [NodeAffinity NodeName] simultaneously"]
        );
    });
}

#[test]
fn preemption_lacks_state_of_plugins_after_the_one_that_leaves_no_node() {
    let host = "kubernetes.io/hostname";
    let spread = "running RemovePod on PreFilter plugin \"PodTopologySpread\": reading \"PreFilterPodTopologySpread\" from \
                  cycleState: not found";
    let restrictions = "running RemovePod on PreFilter plugin \"VolumeRestrictions\": cannot read \
                        \"PreFilterVolumeRestrictions\" from cycleState";
    let not_helpful = "Preemption is not helpful for scheduling";
    let term =
        json!({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["a"]}]});
    let two_hosts = || pod("p").claim("on-a").claim("on-b");
    let other_node = || pod("p").claim("on-b").node_term(term.clone());
    let alone = "node(s) didn't satisfy plugin VolumeBinding";
    let together = "node(s) didn't satisfy plugin(s) [NodeAffinity VolumeBinding] simultaneously";
    for (version, pod_to_place, code, reason, dry_run) in [
        ("1.27.5", two_hosts(), "U", alone, spread),
        ("1.27.6", two_hosts(), "U", alone, spread),
        ("1.28.1", two_hosts(), "U", alone, restrictions),
        ("1.28.2", two_hosts(), "U", alone, spread),
        ("1.29.6", two_hosts(), "U", alone, spread),
        ("1.29.6", other_node(), "U", together, spread),
        ("1.30.6", two_hosts(), "UU", alone, not_helpful),
        ("1.31.2", two_hosts(), "UU", alone, not_helpful),
    ] {
        let objects = objects![
            node("a").label(host, "a"),
            node("b").label(host, "b"),
            claim("on-a", "").bound("pv-a"),
            claim("on-b", "").bound("pv-b"),
            volume("pv-a", "").on_nodes(host, "a"),
            volume("pv-b", "").on_nodes(host, "b"),
            pod("v").on("a"),
            pod_to_place.priority(9),
        ];
        let answer = at(version).decide(objects, "p");
        assert_eq!(answer.pre_filter(), format!("{code}: {reason}"), "{version}");
        assert_eq!(answer.dry_run("a"), dry_run, "{version} {reason}");
    }
}

#[test]
fn the_nominated_node_is_filtered_though_it_was_excluded() {
    let term =
        json!({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["a"]}]});
    let objects = objects![
        node("a").cordoned(),
        node("b"),
        node("c"),
        pod("p").node_term(term).nominated("b")
    ];
    let answer = decide(objects, "p");
    assert_eq!(
        answer.node("b"),
        "UU NodeAffinity: node(s) didn't match Pod's node affinity/selector"
    );
    assert_eq!(answer.node("c"), "UU: node(s) didn't satisfy plugin(s) [NodeAffinity]");
}

#[test]
fn a_failing_plugin_ends_the_cycle_before_later_ones_reject() {
    let selector = json!({"matchExpressions": [{"key": "a", "operator": "Like"}]});
    let failing = pod("p").constraint(
        json!({"topologyKey": "zone", "maxSkew": 1, "labelSelector": selector.clone()}),
    );
    let rejected =
        failing.affinity("podAffinity", json!({"topologyKey": "zone", "labelSelector": selector}));
    with_cycle(objects![node("n"), rejected], "p", |cycle| {
        let PreFilter::Failed(error) = &cycle.pre_filter else { panic!("{:?}", cycle.pre_filter) };
        assert!(error.starts_with("running PreFilter plugin \"PodTopologySpread\": "), "{error}");
    });
    let scoring = pod("p").constraint(
        json!({"topologyKey": "zone", "maxSkew": 1, "whenUnsatisfiable": "ScheduleAnyway",
        "labelSelector": labels("a", "b")}),
    );
    assert_eq!(decide(objects![node("n"), scoring], "p").outcome(), "Schedulable");
}

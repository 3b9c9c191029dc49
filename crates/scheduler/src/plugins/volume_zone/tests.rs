use super::OtherZone;
use super::VolumeZone;
use crate::framework::plugin::{Plugin, Prepared};
use crate::framework::status::FilterVerdict;
use crate::testing::{Node, Volume, at, claim, class, decide, node, objects, pod, volume};

const ELSEWHERE: &str = "UU VolumeZone: node(s) had no available volume zone";
const ZONE: &str = "topology.kubernetes.io/zone";
const REGION: &str = "topology.kubernetes.io/region";
const BETA_ZONE: &str = "failure-domain.beta.kubernetes.io/zone";

fn verdict(node: Node, volume: Volume) -> String {
    decide(objects![node, volume, claim("c", "").bound("pv"), pod("p").claim("c")], "p").node("n")
}

#[test]
fn the_node_is_where_the_volume_is() {
    let labelled = |key: &str, value: &str| volume("pv", "").label(key, value);
    let at = |key: &str, value: &str| node("n").label(key, value);
    for (row, node, volume, want) in [
        ("the same zone", at(ZONE, "a"), labelled(ZONE, "a"), "fits"),
        ("another zone", at(ZONE, "b"), labelled(ZONE, "a"), ELSEWHERE),
        ("one of several zones", at(ZONE, "b"), labelled(ZONE, "a__b"), "fits"),
        ("none of several zones", at(ZONE, "c"), labelled(ZONE, "a__b"), ELSEWHERE),
        ("a list with an empty part is passed over", at(ZONE, "c"), labelled(ZONE, "a__"), "fits"),
        ("a node without any such label", node("n"), labelled(ZONE, "a"), "fits"),
        ("a node with another of the labels", at(REGION, "r"), labelled(ZONE, "a"), ELSEWHERE),
        (
            "an old label on the volume, a new one on the node",
            at(ZONE, "a"),
            labelled(BETA_ZONE, "a"),
            "fits",
        ),
        (
            "an old label on the volume, another new one",
            at(ZONE, "b"),
            labelled(BETA_ZONE, "a"),
            ELSEWHERE,
        ),
        (
            "a new label on the volume, an old one on the node",
            at(BETA_ZONE, "a"),
            labelled(ZONE, "a"),
            ELSEWHERE,
        ),
        ("an unlabelled volume", at(ZONE, "a"), volume("pv", ""), "fits"),
        (
            "zone and region must both hold",
            at(ZONE, "a").label(REGION, "r"),
            labelled(ZONE, "a").label(REGION, "s"),
            ELSEWHERE,
        ),
    ] {
        assert_eq!(verdict(node, volume), want, "{row}");
    }
    let objects = objects![
        node("n").label(ZONE, "b"),
        volume("pv", "").label(ZONE, "a"),
        claim("c", "").bound("pv"),
        pod("p").claim("c")
    ];
    let answer = decide(objects, "p");
    let (volume, key, place, found) =
        (answer.sym("pv"), answer.sym(ZONE), answer.sym("a"), Some(answer.sym("b")));
    assert_eq!(answer.evidence::<OtherZone>("n"), &OtherZone { volume, key, place, found });
}

#[test]
fn a_volume_that_is_not_there_rejects_the_pod() {
    let answer = decide(objects![node("n"), claim("c", "").bound("pv"), pod("p").claim("c")], "p");
    assert_eq!(answer.pre_filter(), "UU VolumeZone: persistentvolume \"pv\" not found");
}

#[test]
fn a_claim_that_waits_for_a_pod_is_nowhere_yet() {
    let objects = objects![
        node("n").label(ZONE, "a"),
        class("fast", "d"),
        claim("c", "fast"),
        pod("p").claim("c")
    ];
    assert_eq!(decide(objects, "p").node("n"), "fits");
}

#[test]
fn stable_labels_count_since_1_19_and_stand_in_for_old_ones_since_1_29() {
    let verdict = |version: &str, of_node: &str, of_volume: &str| {
        let (node, volume) = (
            node("n").label(of_node, "a").label(REGION, "r"),
            volume("pv", "").label(of_volume, "b"),
        );
        at(version)
            .decide(objects![node, volume, claim("c", "").bound("pv"), pod("p").claim("c")], "p")
            .node("n")
    };
    assert_eq!(verdict("1.18", ZONE, ZONE), "fits");
    assert_eq!(verdict("1.19", ZONE, ZONE), ELSEWHERE);
    assert_eq!(verdict("1.18", BETA_ZONE, BETA_ZONE), ELSEWHERE);
    assert_eq!(
        verdict("1.16", BETA_ZONE, BETA_ZONE),
        "UU NoVolumeZoneConflict: node(s) had no available volume zone"
    );
    let stands_in = |version: &str| {
        let (node, volume) = (node("n").label(ZONE, "a"), volume("pv", "").label(BETA_ZONE, "a"));
        at(version)
            .decide(objects![node, volume, claim("c", "").bound("pv"), pod("p").claim("c")], "p")
            .node("n")
    };
    assert_eq!((stands_in("1.28"), stands_in("1.29")), (ELSEWHERE.to_owned(), "fits".to_owned()));
}

#[test]
fn claims_were_looked_up_for_each_labelled_node_before_1_27() {
    // VolumeBinding rejects such a pod before this plugin is asked.
    let ask = |version: &str, node: Node| {
        let objects = objects![node, claim("c", "").bound("pv"), pod("p").claim("c")];
        at(version).with_cycle(objects, "p", |prepared| match VolumeZone.prepare(&prepared.cycle) {
            Prepared::Ready { filter, .. } => match filter.check(&prepared.cycle.view.infos()[0]) {
                FilterVerdict::Fits => "fits".to_owned(),
                FilterVerdict::Failed(failure) => format!("E {}", failure.text()),
                FilterVerdict::Rejected(r) => {
                    format!("{} {}", r.code.name(), r.texts(prepared.cycle.cluster()).join(", "))
                }
            },
            Prepared::Reject(_) => "rejected everywhere".to_owned(),
            Prepared::Skip | Prepared::Failed(_) => "neither".to_owned(),
        })
    };
    let text = "persistentvolume \"pv\" not found";
    let rejected = format!("UnschedulableAndUnresolvable {text}");
    let labelled = || node("n").label(BETA_ZONE, "a");
    for version in ["1.18", "1.20.7", "1.21.1"] {
        assert_eq!(ask(version, labelled()), format!("E {text}"), "{version}");
    }
    for version in ["1.19.12", "1.20.8", "1.21.2", "1.22", "1.26"] {
        assert_eq!(ask(version, labelled()), rejected, "{version}");
    }
    assert_eq!(ask("1.26", node("n")), "fits");
    assert_eq!(ask("1.27", node("n")), "rejected everywhere");
}

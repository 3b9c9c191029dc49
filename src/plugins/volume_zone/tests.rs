use serde_json::json;

use crate::testing::{Node, Volume, claim, class, decide, node, objects, pod, volume};

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
        ("an old label on the volume, a new one on the node", at(ZONE, "a"), labelled(BETA_ZONE, "a"), "fits"),
        ("an old label on the volume, another new one", at(ZONE, "b"), labelled(BETA_ZONE, "a"), ELSEWHERE),
        ("a new label on the volume, an old one on the node", at(BETA_ZONE, "a"), labelled(ZONE, "a"), ELSEWHERE),
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
    let want = json!({"volume": "pv", "label": ZONE, "found": "b"});
    assert_eq!(decide(objects, "p").evidence("n"), &want);
}

#[test]
fn a_volume_that_is_not_there_refuses_the_pod() {
    let answer = decide(objects![node("n"), claim("c", "").bound("pv"), pod("p").claim("c")], "p");
    assert_eq!(answer.json["preFilter"]["plugin"], "VolumeZone");
    assert_eq!(answer.json["preFilter"]["reasons"], json!(["persistentvolume \"pv\" not found"]));
}

#[test]
fn a_claim_that_waits_for_a_pod_is_nowhere_yet() {
    let objects = objects![node("n").label(ZONE, "a"), class("fast", "d"), claim("c", "fast"), pod("p").claim("c")];
    assert_eq!(decide(objects, "p").node("n"), "fits");
}

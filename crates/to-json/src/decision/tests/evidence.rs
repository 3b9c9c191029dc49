//! The evidence of each plugin as JSON.

use serde_json::{Value, json};

use crate::{SourceKind, decision};
use testing::{
    at, claim, class, cluster, csi_driver, csi_node, node, objects, pod, storage_left, volume,
};

/// The evidence of the newest scheduler for not taking `p` on `n`.
fn evidence(objects: Vec<Value>) -> Value {
    let json = at("1.37").look(&cluster(objects), "p", |decision| {
        serde_json::to_value(self::decision(decision, SourceKind::File)).expect("plain JSON")
    });
    let node = json["nodes"].as_array().into_iter().flatten().find(|node| node["name"] == "n");
    node.unwrap_or_else(|| panic!("{json}"))["evidence"].clone()
}

#[test]
fn of_what_a_node_is_and_has() {
    for (want, objects) in [
        (json!({"unschedulable": true}), objects![node("n").cordoned(), pod("p")]),
        (json!({"taint": "k=v:NoSchedule"}), objects![node("n").taint("k", "v", "NoSchedule"), pod("p")]),
        (
            json!({"label": "disk", "wanted": "hdd", "found": "ssd"}),
            objects![node("n").label("disk", "ssd"), pod("p").selects_nodes("disk", "hdd")],
        ),
        (
            json!({"label": "disk", "wanted": "hdd", "found": null}),
            objects![node("n"), pod("p").selects_nodes("disk", "hdd")],
        ),
        (
            json!({"label": "disk", "wanted": "hdd", "found": null,
                "also": [{"label": "gone", "wanted": "x", "found": "y"}]}),
            objects![node("n").label("gone", "y"), pod("p").selects_nodes("disk", "hdd").selects_nodes("gone", "x")],
        ),
        (
            json!({"requiredTerms": 1, "unmet": [{"key": "disk", "operator": "Exists", "values": [], "found": null}]}),
            objects![
                node("n"),
                pod("p").node_term(json!({"matchExpressions": [{"key": "disk", "operator": "Exists"}]}))
            ],
        ),
        (
            json!({"requiredTerms": 2, "unmet": [
                {"key": "kubernetes.io/arch", "operator": "In", "values": ["arm64"], "found": "amd64"}]}),
            objects![
                node("n").label("kubernetes.io/arch", "amd64"),
                pod("p")
                    .node_term(json!({"matchExpressions": [
                        {"key": "disk", "operator": "Exists"}, {"key": "gpu", "operator": "Exists"}]}))
                    .node_term(json!({"matchExpressions": [
                        {"key": "kubernetes.io/arch", "operator": "In", "values": ["arm64"]}]}))
            ],
        ),
        (
            json!({"hostPort": "80/TCP", "usedBy": "default/v", "usedPort": "127.0.0.1:80/TCP"}),
            objects![node("n"), pod("v").port(80, "TCP", "127.0.0.1").on("n"), pod("p").port(80, "TCP", "")],
        ),
        (
            json!({"resource": "cpu", "requested": "1", "used": "3500m", "allocatable": "4"}),
            objects![node("n").cpu("4"), pod("v").cpu("3500m").on("n"), pod("p").cpu("1")],
        ),
    ] {
        assert_eq!(evidence(objects), json!([want]));
    }
}

#[test]
fn of_pods_in_the_same_domain() {
    let web = |name| pod(name).label("app", "web");
    for (want, objects) in [
        (
            json!({"missingLabel": "zone"}),
            objects![node("n"), web("p").spread("zone", 1, "app", "web")],
        ),
        (
            json!({
                "topologyKey": "zone", "domain": "a", "matchingPods": 1, "minimum": 0, "incoming": 1, "maxSkew": 1,
                "emptiest": {"domain": "b", "others": 0}
            }),
            objects![
                node("n").label("zone", "a"),
                node("o").label("zone", "b"),
                web("v").on("n"),
                web("p").spread("zone", 1, "app", "web")
            ],
        ),
        (
            json!({
                "topologyKey": "zone", "domain": "a", "matchingPods": 1, "minimum": 0, "incoming": 1, "maxSkew": 1,
                "emptiest": {"domain": "b", "others": 0, "closedNode": "o", "closedBy": "Taint", "taint": "k=v:NoSchedule"}
            }),
            objects![
                node("n").label("zone", "a"),
                node("o").label("zone", "b").taint("k", "v", "NoSchedule"),
                web("v").on("n"),
                web("p").spread("zone", 1, "app", "web")
            ],
        ),
        (
            json!({
                "topologyKey": "zone", "domain": "a", "matchingPods": 1, "minimum": 0, "incoming": 1, "maxSkew": 1,
                "tooFewDomains": {"domains": 1, "minDomains": 2}
            }),
            objects![
                node("n").label("zone", "a"),
                web("v").on("n"),
                web("p").constraint(json!({"topologyKey": "zone", "maxSkew": 1, "minDomains": 2,
                    "labelSelector": {"matchLabels": {"app": "web"}}}))
            ],
        ),
        (
            json!({
                "topologyKey": "zone", "domain": "a", "direction": "incoming pod", "matchingPods": 1, "pod": "default/v"
            }),
            objects![
                node("n").label("zone", "a"),
                web("v").on("n"),
                pod("p").away("zone", "app", "web")
            ],
        ),
        (
            json!({
                "topologyKey": "zone", "domain": "a", "direction": "existing pod", "matchingPods": 1, "pod": "default/v"
            }),
            objects![
                node("n").label("zone", "a"),
                pod("v").away("zone", "app", "web").on("n"),
                web("p")
            ],
        ),
        (
            json!({"topologyKey": "zone", "domain": "a", "matchingPods": 0}),
            objects![node("n").label("zone", "a"), pod("p").near("zone", "app", "web")],
        ),
    ] {
        assert_eq!(evidence(objects), json!([want]));
    }
}

#[test]
fn of_storage() {
    let zone = "topology.kubernetes.io/zone";
    let with_disk =
        |name| pod(name).volume(json!({"name": "v", "gcePersistentDisk": {"pdName": "a"}}));
    let of_one_pod = || objects![claim("c", "").one_pod().bound("pv"), volume("pv", "")];
    let driver = "ebs.csi.aws.com";
    let on_driver = |name: &str| {
        let volume_name = format!("pv-{name}");
        objects![claim(name, "").bound(&volume_name), volume(&volume_name, "").csi(driver, name)]
    };
    for (want, objects) in [
        (
            json!({"volume": "v", "usedBy": "default/v"}),
            objects![node("n"), with_disk("v").on("n"), with_disk("p")],
        ),
        (
            json!({"claim": "c", "usedBy": "default/v"}),
            [of_one_pod(), objects![node("n"), pod("v").claim("c").on("n"), pod("p").claim("c")]]
                .concat(),
        ),
        (
            json!({"driver": driver, "limit": 1, "attached": 1, "wanted": 1}),
            [
                on_driver("a"),
                on_driver("b"),
                objects![
                    node("n"),
                    csi_node("n", &[(driver, 1)]),
                    pod("v").claim("a").on("n"),
                    pod("p").claim("b")
                ],
            ]
            .concat(),
        ),
        (
            json!({"missingDrivers": [driver]}),
            [
                on_driver("a"),
                objects![
                    node("n"),
                    csi_driver(driver).with("/spec/preventPodSchedulingIfMissing", true),
                    pod("p").claim("a")
                ],
            ]
            .concat(),
        ),
        (
            json!({"claim": "c", "volume": "pv", "unmet": [
                {"key": "zone", "operator": "In", "values": ["b"], "found": "a"}]}),
            objects![
                node("n").label("zone", "a"),
                claim("c", "").bound("pv"),
                volume("pv", "").on_nodes("zone", "b"),
                pod("p").claim("c")
            ],
        ),
        (
            json!({"volume": "pv", "label": zone, "volumeValue": "a", "found": "b"}),
            objects![
                node("n").label(zone, "b"),
                claim("c", "").bound("pv"),
                volume("pv", "").label(zone, "a"),
                pod("p").claim("c")
            ],
        ),
    ] {
        assert_eq!(evidence(objects), json!([want]));
    }
}

#[test]
fn of_claims_without_a_volume() {
    let driver = "csi.example.com";
    for (want, objects) in [
        (
            json!({"claim": "c", "volume": null, "unbound": {
                "storageClass": "hand", "wanted": "2Gi", "cause": "NoProvisioner", "volumesOfOtherClaims": 1, "volumes": [
                    {"volume": "far", "reason": "Unreachable", "nodes": 0,
                        "asks": [{"key": "zone", "operator": "In", "values": ["z"]}]},
                    {"volume": "small", "reason": "Size", "found": "1Gi", "wanted": "2Gi"},
                    {"volume": "released", "reason": "Reserved", "found": "default/gone"}]}}),
            objects![
                node("n"),
                class("hand", "kubernetes.io/no-provisioner"),
                claim("c", "hand").size("2Gi"),
                claim("d", "hand").bound("of-d"),
                volume("of-d", "hand").reserved("d"),
                volume("far", "hand").size("2Gi").on_nodes("zone", "z"),
                volume("small", "hand").size("1Gi"),
                volume("released", "hand").size("2Gi").reserved("gone"),
                pod("p").claim("c")
            ],
        ),
        (
            json!({"claim": "c", "volume": null, "unbound": {"storageClass": "fast", "wanted": "1Gi", "cause": "SelectedNode",
                "selectedNode": {"name": "gone", "exists": false}, "byAnnotation": true}}),
            objects![
                node("n"),
                class("fast", driver),
                claim("c", "fast")
                    .with("/metadata/annotations/volume.kubernetes.io~1selected-node", "gone"),
                pod("p").claim("c")
            ],
        ),
        (
            json!({"claim": "c", "volume": null, "unbound": {"storageClass": "fast", "wanted": "1Gi",
                "cause": "AllowedTopologies", "allowedTopologies": [[{"label": "zone", "values": ["z"]}]]}}),
            objects![
                node("n"),
                class("fast", driver).with(
                    "/allowedTopologies",
                    json!([{"matchLabelExpressions": [{"key": "zone", "values": ["z"]}]}])
                ),
                claim("c", "fast"),
                pod("p").claim("c")
            ],
        ),
        (
            json!({"claim": "c", "storageClass": "fast", "wantedBytes": 1_073_741_824, "wanted": "1Gi", "here": "1Mi",
                "offers": [
                    {"room": "4Gi", "topology": [{"key": "zone", "operator": "In", "values": ["z"]}], "nodes": 0},
                    {"room": "1Mi", "topology": [{"key": "zone", "operator": "In", "values": ["a"]}], "nodes": 1}]}),
            objects![
                node("n").label("zone", "a"),
                class("fast", driver),
                csi_driver(driver),
                storage_left("here", "fast", "1Mi", ("zone", "a")),
                storage_left("there", "fast", "4Gi", ("zone", "z")),
                claim("c", "fast"),
                pod("p").claim("c")
            ],
        ),
    ] {
        assert_eq!(evidence(objects), json!([want]));
    }
}

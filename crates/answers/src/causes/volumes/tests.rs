use serde_json::{Value, json};

use crate::causes;
use testing::{
    Claim, Node, Volume, at, claim, class, cluster, csi_driver, csi_node, node, objects, pod,
    storage_left, volume,
};

const BY_HAND: &str = "kubernetes.io/no-provisioner";
const DRIVER: &str = "csi.example.com";

/// The first cause in a line, and what it leaves out.
fn cause(version: &str, objects: Vec<Value>) -> (String, Vec<String>) {
    at(version).look(&cluster(objects), "p", |decision| {
        let of_pod = causes::of_pre_filter(decision);
        let group = of_pod.or_else(|| {
            causes::first_causes(decision).1.into_iter().next().map(|cause| cause.group)
        });
        group.map(|group| (group.details.join("; "), group.more_details)).unwrap_or_default()
    })
}

/// What is said of claim `c` of the class `hand`, whose volumes nothing provisions, and of its
/// volumes.
fn by_hand(claim: Claim, volumes: Vec<Value>) -> String {
    let objects = objects![node("n"), class("hand", BY_HAND), claim, pod("p").claim("c")];
    cause("1.37", [objects, volumes].concat()).0
}

#[test]
fn a_volume_that_does_not_suit_is_said_with_what_differs() {
    let (c, pv) = (|| claim("c", "hand").size("2Gi"), || volume("pv", "hand").size("2Gi"));
    let tier = || c().with("/spec/selector", json!({"matchLabels": {"tier": "a"}}));
    let any_tier =
        json!({"matchExpressions": [{"key": "tier", "operator": "In", "values": ["a", "b"]}]});
    let rows: [(&str, Claim, Volume); 12] = [
        ("pv has 1Gi, the claim wants 2Gi", c(), pv().size("1Gi")),
        (
            "pv has volumeMode Block, the claim wants Filesystem",
            c(),
            pv().with("/spec/volumeMode", "Block"),
        ),
        (
            "pv has volumeAttributesClassName gold, the claim wants none",
            c(),
            pv().with("/spec/volumeAttributesClassName", "gold"),
        ),
        ("pv is being deleted", c(), pv().with("/metadata/deletionTimestamp", testing::NOW)),
        ("pv is not Available", c(), pv().with("/status/phase", "Failed")),
        ("pv has tier=b, the selector asks for tier=a", tier(), pv().label("tier", "b")),
        ("pv lacks label tier, the selector asks for tier=a", tier(), pv()),
        (
            "pv lacks label tier, the selector asks for tier In [a, b]",
            c().with("/spec/selector", any_tier),
            pv(),
        ),
        ("pv is of class other", c(), volume("pv", "other").size("2Gi")),
        (
            "pv allows ReadOnlyMany, not ReadWriteOnce",
            c(),
            pv().with("/spec/accessModes", json!(["ReadOnlyMany"])),
        ),
        (
            "pv is only on host w3, which no node has",
            c(),
            pv().on_nodes("kubernetes.io/hostname", "w3"),
        ),
        ("pv is still reserved for claim default/d, which is gone", c(), pv().reserved("d")),
    ];
    for (want, claim, volume) in rows {
        let want = format!("claim c: {want}; nothing provisions volumes of class hand");
        assert_eq!(by_hand(claim, objects![volume]), want);
    }
}

#[test]
fn volumes_that_are_not_named_are_counted_and_listed_in_full() {
    assert_eq!(
        by_hand(claim("c", "hand"), Vec::new()),
        "claim c: there is no volume of class hand, and nothing provisions one"
    );
    let other = objects![claim("d", "hand").bound("pv-d"), volume("pv-d", "hand").reserved("d")];
    assert_eq!(
        by_hand(claim("c", "hand"), other.clone()),
        "claim c: pv-d suits it, but belongs to claim default/d; nothing provisions volumes of class hand"
    );
    let small: Vec<Value> =
        ["a", "b", "c", "d"].map(|name| volume(name, "hand").size("1Mi").into()).to_vec();
    let objects =
        objects![node("n"), class("hand", BY_HAND), claim("c", "hand"), pod("p").claim("c")];
    let (text, more) = cause("1.37", [objects, other, small].concat());
    assert_eq!(
        text,
        "claim c: a has 1Mi, the claim wants 1Gi; b has 1Mi, the claim wants 1Gi; 2 more volumes do not suit it either; \
         1 belongs to other claims; nothing provisions volumes of class hand"
    );
    assert_eq!(more.len(), 4);
    assert_eq!(more.last().map(String::as_str), Some("d has 1Mi, the claim wants 1Gi"));
}

#[test]
fn a_volume_that_another_claim_of_the_pod_gets_is_said() {
    let objects = objects![
        node("n"),
        class("hand", BY_HAND),
        claim("c", "hand").size("2Gi"),
        claim("small", "hand"),
        volume("pv", "hand").size("3Gi"),
        pod("p").claim("c").claim("small")
    ];
    assert_eq!(
        cause("1.37", objects).0,
        "claim c: the volumes there that suit it go to other claims of the pod; nothing provisions volumes of class hand"
    );
}

#[test]
fn a_claim_that_is_not_bound_says_what_it_waits_for() {
    let now = || class("now", DRIVER).with("/volumeBindingMode", "Immediate");
    let selected = "/metadata/annotations/volume.kubernetes.io~1selected-node";
    let fast = || class("fast", DRIVER);
    let in_zone = |zone: &str| {
        fast().with(
            "/allowedTopologies",
            json!([{"matchLabelExpressions": [{"key": "zone", "values": [zone]}]}]),
        )
    };
    let taint = json!({"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"});
    for (want, claim, others) in [
        ("claim c has no storage class", claim("c", ""), Vec::new()),
        (
            "claim c has no storage class; pv has 1Mi, the claim wants 1Gi",
            claim("c", ""),
            objects![volume("pv", "").size("1Mi")],
        ),
        (
            "claim c asks for storage class gone, which does not exist (there are fast and now)",
            claim("c", "gone"),
            objects![now(), fast()],
        ),
        (
            "claim c is not bound: csi.example.com has made no volume for it (class now)",
            claim("c", "now"),
            objects![now()],
        ),
        (
            "claim c names volume pv, which does not exist",
            claim("c", "now").with("/spec/volumeName", "pv"),
            objects![now()],
        ),
        (
            "claim c names volume pv and is not bound to it yet",
            claim("c", "now").with("/spec/volumeName", "pv"),
            objects![now(), volume("pv", "now")],
        ),
        (
            "claim c: class fast provisions only with zone=z, which no node has",
            claim("c", "fast"),
            objects![in_zone("z")],
        ),
        (
            "claim c is pinned to node gone, which does not exist (annotation volume.kubernetes.io/selected-node)",
            claim("c", "fast").with(selected, "gone"),
            objects![fast()],
        ),
        (
            "claim c is pinned to node m (annotation volume.kubernetes.io/selected-node)",
            claim("c", "fast").with(selected, "m"),
            // A node that is farther from taking the pod than `n`, so that the claim is the first
            // cause.
            objects![fast(), node("m").cpu("4").with("/spec/taints", json!([taint]))],
        ),
    ] {
        let objects = objects![node("n").cpu("4"), claim, pod("p").claim("c").cpu("2")];
        assert_eq!(cause("1.37", [objects, others].concat()).0, want);
    }
}

#[test]
fn too_little_storage_is_said_with_what_there_is_and_where() {
    let ask = |more: Vec<Value>| {
        let objects = objects![
            node("a").zone("a"),
            class("fast", DRIVER),
            csi_driver(DRIVER),
            claim("c", "fast").size("4Gi"),
            pod("p").claim("c")
        ];
        cause("1.37", [objects, more].concat())
    };
    let left = |name: &str, capacity: &str, zone: &str| {
        storage_left(name, "fast", capacity, ("zone", zone))
    };
    let wants = "claim c wants 4Gi of storage class fast";
    for (want, more) in [
        ("no CSIStorageCapacity covers it there", Vec::new()),
        (
            "0 there, 12Gi with zone=z, which no node has",
            objects![left("l1", "0", "a"), left("l2", "12Gi", "z")],
        ),
        ("1Gi there, at most 1Gi with zone=a", objects![left("l1", "1Gi", "a")]),
        (
            "at most 1Gi there, 12Gi with zone=z, which no node has",
            objects![
                left("l1", "1Gi", "a"),
                left("l2", "12Gi", "z"),
                left("l3", "2Mi", "b"),
                node("b").zone("b")
            ],
        ),
    ] {
        assert_eq!(ask(more).0, format!("{wants}: {want}"));
    }
}

#[test]
fn volume_limits_are_said_with_what_is_in_use() {
    let on_driver = |name: &str| {
        let pv = format!("pv-{name}");
        objects![claim(name, "").bound(&pv), volume(&pv, "").csi(DRIVER, name)]
    };
    let n = || objects![node("n"), csi_node("n", &[(DRIVER, 2)]), pod("v").claim("a").on("n")];
    let wants_two = || objects![pod("p").claim("b").claim("c")];
    let claims = || [on_driver("a"), on_driver("b"), on_driver("c"), on_driver("d")].concat();
    assert_eq!(
        cause("1.37", [n(), wants_two(), claims()].concat()).0,
        "driver csi.example.com: 2 more, 2 at most, 1 in use"
    );
    let m = objects![node("m"), csi_node("m", &[(DRIVER, 1)])];
    assert_eq!(
        cause("1.37", [n(), m, wants_two(), claims()].concat()).0,
        "driver csi.example.com: 2 more, 1 to 2 at most, 0 to 1 in use"
    );
}

#[test]
fn a_claim_of_one_pod_names_the_pod_in_every_release() {
    let objects = || {
        objects![
            node("a"),
            claim("c", "").one_pod().bound("pv"),
            volume("pv", ""),
            pod("v").claim("c").on("a").priority(9),
            pod("p").claim("c")
        ]
    };
    for version in ["1.29", "1.37"] {
        assert_eq!(
            cause(version, objects()).0,
            "claim c is used by default/v on a, and only one pod may use it",
            "{version}"
        );
    }
    // Up to 1.26 it is found before any node is looked at, if the feature is on.
    let before =
        at("1.26").gates("ReadWriteOncePod=true").look(&cluster(objects()), "p", |decision| {
            causes::of_pre_filter(decision).map(|group| group.cause())
        });
    assert_eq!(
        before.as_deref(),
        Some("claim c is used by default/v on a, and only one pod may use it")
    );
}

#[test]
fn hosts_that_have_a_volume_are_said_where_they_narrow_the_nodes() {
    let host = |name: &str| -> Node { node(name).label("kubernetes.io/hostname", name) };
    let objects = objects![
        host("a"),
        host("b"),
        claim("c", "").bound("pv"),
        volume("pv", "").on_nodes("kubernetes.io/hostname", "a"),
        pod("p").claim("c")
    ];
    let said = at("1.28").look(&cluster(objects), "p", |decision| causes::narrowing(decision));
    assert_eq!(said, ["volume pv (claim c) is only on host a"]);
    let apart = objects![
        host("a"),
        claim("c", "").bound("pv"),
        claim("d", "").bound("pw"),
        volume("pv", "").on_nodes("kubernetes.io/hostname", "a"),
        volume("pw", "").on_nodes("kubernetes.io/hostname", "gone"),
        pod("p").claim("c").claim("d")
    ];
    assert_eq!(
        cause("1.28", apart).0,
        "volume pv (claim c) is only on host a; volume pw (claim d) is only on host gone: no node has that hostname"
    );
}

#[test]
fn only_node_with_the_volume_is_said_with_what_else_rejects_the_pod() {
    let host = "kubernetes.io/hostname";
    let named = |name: &str| node(name).label(host, name);
    let pod = || {
        let hdd = json!({"key": "disktype", "operator": "NotIn", "values": ["ssd"]});
        pod("p").claim("c").node_term(json!({"matchExpressions": [hdd]}))
    };
    let objects = |home: Node| {
        let bound = objects![
            class("local", BY_HAND),
            claim("c", "local").bound("pv"),
            volume("pv", "local").on_nodes(host, "a").reserved("c")
        ];
        [objects![home, named("b"), named("c"), pod()], bound].concat()
    };
    // Up to 1.24 PreFilter does not narrow the nodes to the volume's host.
    for (row, home, want) in [
        (
            "excluded",
            named("a").label("disktype", "ssd"),
            "volume pv (claim c) is only on host a: 2 nodes are others; a rejects it, too: disktype NotIn [ssd]: the node has ssd",
        ),
        (
            "tainted",
            named("a").taint("team", "x", "NoSchedule"),
            "volume pv (claim c) is only on host a: 2 nodes are others; a rejects it, too: untolerated taint team=x:NoSchedule",
        ),
        ("cordoned", named("a").cordoned(), "cordoned; volume pv (claim c) is only on host a"),
    ] {
        assert_eq!(cause("1.22", objects(home)).0, want, "{row}");
    }
}

#[test]
fn volume_that_another_claim_has_is_said_if_no_other_suits() {
    let (c, pv) = (|| claim("c", "hand"), || volume("pv", "hand"));
    let other = || claim("d", "hand").bound("pv");
    assert_eq!(
        by_hand(c(), objects![other(), pv().reserved("d")]),
        "claim c: pv suits it, but belongs to claim default/d; nothing provisions volumes of class hand"
    );
    assert_eq!(
        by_hand(c().size("2Gi"), objects![other(), pv().reserved("d").size("1Gi")]),
        "claim c: there is no free volume of class hand, and nothing provisions one",
        "it would not suit"
    );
}

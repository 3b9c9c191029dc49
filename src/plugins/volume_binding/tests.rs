use serde_json::{Value, json};

use crate::testing::{Claim, at, claim, class, csi_driver, csi_node, decide, node, objects, pod, storage_left, volume};

const DRIVER: &str = "csi.example.com";
const AFFINITY: &str = "UU VolumeBinding: node(s) didn't match PersistentVolume's node affinity";
const NO_VOLUME: &str = "UU VolumeBinding: node(s) didn't find available persistent volumes to bind";
const NO_SPACE: &str = "UU VolumeBinding: node(s) did not have enough free storage";

/// Nodes `a` and `b` of the zones `a` and `b`, and a pod with claim `c`.
fn ask(objects: Vec<Value>) -> (String, String) {
    let more = objects![node("a").zone("a"), node("b").zone("b"), pod("p").claim("c")];
    let answer = decide([more, objects].concat(), "p");
    (answer.node("a"), answer.node("b"))
}

fn pair(a: &str, b: &str) -> (String, String) {
    (a.to_owned(), b.to_owned())
}

#[test]
fn a_bound_volume_must_be_usable_on_the_node() {
    let bound = |volume| ask(objects![claim("c", "").bound("pv"), volume]);
    let fields = |field: &str, operator: &str| {
        let term = json!({"matchFields": [{"key": field, "operator": operator, "values": ["b"]}]});
        volume("pv", "").push("/spec/nodeAffinity/required/nodeSelectorTerms", term)
    };
    let plain = || volume("pv", "");
    for (row, volume, want) in [
        ("in a zone", plain().on_nodes("zone", "a"), pair("fits", AFFINITY)),
        ("in either zone", plain().on_nodes("zone", "a").on_nodes("zone", "b"), pair("fits", "fits")),
        ("anywhere", plain(), pair("fits", "fits")),
        ("affinity that requires nothing", plain().with("/spec/nodeAffinity", json!({})), pair("fits", "fits")),
        (
            "no terms match nothing",
            plain().with("/spec/nodeAffinity/required", json!({"nodeSelectorTerms": []})),
            pair(AFFINITY, AFFINITY),
        ),
        (
            "an empty term matches nothing",
            plain().push("/spec/nodeAffinity/required/nodeSelectorTerms", json!({})),
            pair(AFFINITY, AFFINITY),
        ),
        ("fields do not count", fields("metadata.name", "In"), pair("fits", "fits")),
        ("but must be understood", fields("metadata.name", "Exists"), pair(AFFINITY, AFFINITY)),
    ] {
        assert_eq!(bound(volume), want, "{row}");
    }
    let objects = objects![
        node("a").zone("a"),
        claim("c", "").bound("pv"),
        volume("pv", "").on_nodes("zone", "b"),
        pod("p").claim("c")
    ];
    assert_eq!(decide(objects, "p").evidence("a"), &json!({"claim": "c", "volume": "pv"}));
}

#[test]
fn in_tree_affinity_is_the_drivers_where_the_node_says_so() {
    let key = "topology.gke.io/zone";
    let in_tree = volume("pv", "")
        .with("/spec/gcePersistentDisk", json!({"pdName": "d"}))
        .on_nodes("topology.kubernetes.io/zone", "a");
    let moved = |name: &str| {
        let mut object = Value::from(csi_node(name, &[]));
        object["metadata"]["annotations"]["storage.alpha.kubernetes.io/migrated-plugins"] =
            "x,kubernetes.io/gce-pd".into();
        object
    };
    let objects = objects![
        node("old").label("topology.kubernetes.io/zone", "a"),
        node("new").label(key, "a"),
        node("new-without-label").label("topology.kubernetes.io/zone", "a"),
        moved("new"),
        moved("new-without-label"),
        in_tree,
        claim("c", "").bound("pv"),
        pod("p").claim("c"),
    ];
    let answer = decide(objects, "p");
    assert_eq!(answer.node("old"), "fits");
    assert_eq!(answer.node("new"), "fits");
    assert_eq!(answer.node("new-without-label"), AFFINITY);
}

#[test]
fn claims_that_cannot_be_used_refuse_the_pod() {
    let waiting = "waiting for ephemeral volume controller to create the persistentvolumeclaim \"p-v\"";
    let foreign = "PVC default/p-v was not created for pod default/p (pod is not owner)";
    let with_claim = |claim: Claim| objects![claim, pod("p").claim("c")];
    let with_ephemeral = || objects![pod("p").volume(json!({"ephemeral": {}}))];
    let unbound = "pod has unbound immediate PersistentVolumeClaims";
    for (row, objects, want) in [
        (
            "lost",
            with_claim(claim("c", "").bound("pv").with("/status/phase", "Lost")),
            "persistentvolumeclaim \"c\" bound to non-existent persistentvolume \"pv\"",
        ),
        (
            "being deleted",
            with_claim(claim("c", "").bound("pv").with("/metadata/deletionTimestamp", crate::testing::NOW)),
            "persistentvolumeclaim \"c\" is being deleted",
        ),
        ("without class and volume", with_claim(claim("c", "")), unbound),
        ("of a class that is not there", with_claim(claim("c", "gone")), unbound),
        ("with a volume, but not bound yet", with_claim(claim("c", "fast").with("/spec/volumeName", "pv")), unbound),
        ("of a class that binds at once", with_claim(claim("c", "now")), unbound),
        ("of an ephemeral volume, not made yet", with_ephemeral(), waiting),
        (
            "of an ephemeral volume, but somebody else's",
            [objects![claim("p-v", "fast").of_pod("q")], with_ephemeral()].concat(),
            foreign,
        ),
    ] {
        let classes = objects![class("fast", DRIVER), class("now", DRIVER).with("/volumeBindingMode", "Immediate")];
        let answer = decide([objects![node("n")], classes, objects].concat(), "p");
        assert_eq!(answer.json["preFilter"]["plugin"], "VolumeBinding", "{row}");
        assert_eq!(answer.json["preFilter"]["reasons"], json!([want]), "{row}");
    }
    let own = objects![node("n"), class("fast", DRIVER), claim("p-v", "fast").of_pod("p")];
    assert_eq!(decide([own, with_ephemeral()].concat(), "p").node("n"), "fits", "an ephemeral volume with its claim");
}

#[test]
fn a_class_without_binding_mode_ends_the_cycle() {
    let no_mode = class("odd", DRIVER).with("/volumeBindingMode", Value::Null);
    let answer = decide(objects![node("n"), no_mode, claim("c", "odd"), pod("p").claim("c")], "p");
    let want = "running PreFilter plugin \"VolumeBinding\": VolumeBindingMode not set for StorageClass \"odd\"";
    assert_eq!(answer.message(), want);
}

#[test]
fn volumes_are_matched_by_what_the_claim_asks_for() {
    let by_hand = |claim: Claim, volume: crate::testing::Volume| {
        ask(objects![class("hand", "kubernetes.io/no-provisioner"), claim, volume]).0
    };
    let (c, pv) = (|| claim("c", "hand"), || volume("pv", "hand"));
    for (row, claim, volume, want) in [
        ("all the same", c(), pv(), "fits"),
        ("larger", c(), pv().size("2Gi"), "fits"),
        ("smaller", c().size("2Gi"), pv(), NO_VOLUME),
        ("the same in other words", c().size("1Gi"), pv().size("1073741824"), "fits"),
        ("of another class", c(), volume("pv", "other"), NO_VOLUME),
        (
            "of the class by the old annotation",
            c(),
            volume("pv", "other").with("/metadata/annotations/volume.beta.kubernetes.io~1storage-class", "hand"),
            "fits",
        ),
        ("of another mode", c(), pv().with("/spec/volumeMode", "Block"), NO_VOLUME),
        ("no mode is the usual one", c(), pv().with("/spec/volumeMode", Value::Null), "fits"),
        ("with another access mode", c(), pv().with("/spec/accessModes", json!(["ReadOnlyMany"])), NO_VOLUME),
        (
            "with more access modes",
            c(),
            pv().with("/spec/accessModes", json!(["ReadOnlyMany", "ReadWriteOnce"])),
            "fits",
        ),
        ("not available", c(), pv().with("/status/phase", "Released"), NO_VOLUME),
        ("being deleted", c(), pv().with("/metadata/deletionTimestamp", crate::testing::NOW), NO_VOLUME),
        ("elsewhere", c(), pv().on_nodes("zone", "b"), NO_VOLUME),
        ("reserved for another claim", c(), pv().reserved("d"), NO_VOLUME),
        (
            "reserved for the claim, though not available",
            c(),
            pv().reserved("c").with("/status/phase", "Bound"),
            "fits",
        ),
        (
            "reserved for an earlier claim of that name",
            c(),
            pv().reserved("c").with("/spec/claimRef/uid", "old"),
            NO_VOLUME,
        ),
        (
            "with a label that the claim selects",
            c().with("/spec/selector", json!({"matchLabels": {"tier": "a"}})),
            pv().label("tier", "a"),
            "fits",
        ),
        ("without it", c().with("/spec/selector", json!({"matchLabels": {"tier": "a"}})), pv(), NO_VOLUME),
        ("of another attributes class", c(), pv().with("/spec/volumeAttributesClassName", "gold"), NO_VOLUME),
        (
            "of the same attributes class",
            c().with("/spec/volumeAttributesClassName", "gold"),
            pv().with("/spec/volumeAttributesClassName", "gold"),
            "fits",
        ),
    ] {
        assert_eq!(by_hand(claim, volume), want, "{row}");
    }
}

#[test]
fn a_reserved_volume_elsewhere_leaves_the_claim_without_any() {
    let objects = objects![
        class("hand", "kubernetes.io/no-provisioner"),
        claim("c", "hand"),
        volume("free", "hand"),
        volume("mine", "hand").reserved("c").on_nodes("zone", "b"),
    ];
    assert_eq!(ask(objects), pair(NO_VOLUME, "fits"));
}

#[test]
fn several_claims_get_the_smallest_volumes_that_suit() {
    let by_hand = || class("hand", "kubernetes.io/no-provisioner");
    let two =
        || objects![claim("big", "hand").size("2Gi"), claim("small", "hand"), pod("p").claim("big").claim("small")];
    for (row, volumes, want) in [
        ("one for each", objects![volume("x", "hand").size("3Gi"), volume("y", "hand")], "fits"),
        ("the larger one suits both, but only once", objects![volume("x", "hand").size("3Gi")], NO_VOLUME),
        (
            "neither is too large for the small claim",
            objects![volume("x", "hand").size("2Gi"), volume("y", "hand").size("3Gi")],
            "fits",
        ),
    ] {
        let answer = decide([objects![node("n"), by_hand()], volumes, two()].concat(), "p");
        assert_eq!(answer.node("n"), want, "{row}");
    }
}

#[test]
fn volumes_are_made_where_the_class_and_its_storage_reach() {
    let zone_a = || json!([{"matchLabelExpressions": [{"key": "zone", "values": ["a", "c"]}]}]);
    let fast = || class("fast", DRIVER);
    let left = |capacity: &str| storage_left("left", "fast", capacity, ("zone", "a"));
    let c = || claim("c", "fast");
    for (row, objects, want) in [
        ("anywhere", objects![fast(), c()], pair("fits", "fits")),
        ("in a zone", objects![fast().with("/allowedTopologies", zone_a()), c()], pair("fits", NO_VOLUME)),
        (
            "a topology without keys is nowhere",
            objects![fast().with("/allowedTopologies", json!([{}])), c()],
            pair(NO_VOLUME, NO_VOLUME),
        ),
        ("by nobody", objects![class("fast", ""), c()], pair(NO_VOLUME, NO_VOLUME)),
        ("where storage is left", objects![fast(), csi_driver(DRIVER), left("1Gi"), c()], pair("fits", NO_SPACE)),
        ("too little is left", objects![fast(), csi_driver(DRIVER), left("1023Mi"), c()], pair(NO_SPACE, NO_SPACE)),
        (
            "much is left, but not for a volume as large",
            objects![fast(), csi_driver(DRIVER), left("9Gi").with("/maximumVolumeSize", "1Mi"), c()],
            pair(NO_SPACE, NO_SPACE),
        ),
        (
            "no node reaches it",
            objects![fast(), csi_driver(DRIVER), left("9Gi").with("/nodeTopology", Value::Null), c()],
            pair(NO_SPACE, NO_SPACE),
        ),
        (
            "a driver that does not say what is left",
            objects![fast(), csi_driver(DRIVER).with("/spec/storageCapacity", false), c()],
            pair("fits", "fits"),
        ),
        (
            "a claim that does not say how much it wants",
            objects![fast(), csi_driver(DRIVER), c().with("/spec/resources", json!({}))],
            pair("fits", "fits"),
        ),
        (
            "being made for a node",
            objects![fast(), c().with("/metadata/annotations/volume.kubernetes.io~1selected-node", "b")],
            pair(NO_VOLUME, "fits"),
        ),
    ] {
        assert_eq!(ask(objects), want, "{row}");
    }
}

#[test]
fn reasons_add_up() {
    let objects = objects![
        class("hand", "kubernetes.io/no-provisioner"),
        claim("c", "").bound("pv"),
        volume("pv", "").on_nodes("zone", "b"),
        claim("d", "hand"),
        node("a").zone("a"),
        pod("p").claim("c").claim("d"),
    ];
    let both = format!("{AFFINITY}; {}", NO_VOLUME.trim_start_matches("UU VolumeBinding: "));
    assert_eq!(decide(objects, "p").node("a"), both);
}

#[test]
fn what_the_scheduler_stumbles_over_ends_the_cycle() {
    let ask = |version: &str, claim: Claim| {
        let objects = objects![node("n"), class("fast", DRIVER), claim, pod("p").claim("c")];
        at(version).decide(objects, "p").message().to_owned()
    };
    let gold = || claim("c", "fast").with("/spec/volumeAttributesClassName", "gold");
    let want = "running \"VolumeBinding\" filter plugin: unsupported volumeAttributesClassName is set on claim default/c \
                when the feature-gate VolumeAttributesClass is disabled";
    assert_eq!(ask("1.33", gold()), want);
    assert_eq!(ask("1.34", gold()), "");
    let broken =
        claim("c", "fast").with("/spec/selector", json!({"matchExpressions": [{"key": "a", "operator": "Foo"}]}));
    let want = "running \"VolumeBinding\" filter plugin: error creating internal label selector for claim: default/c: \
                \"Foo\" is not a valid label selector operator";
    assert_eq!(ask("1.37", broken), want);
}

#[test]
fn the_volume_of_an_ephemeral_claim_may_be_gone() {
    let gone = claim("p-v", "").bound("gone").of_pod("p");
    let answer = decide(objects![node("n"), gone, pod("p").volume(json!({"ephemeral": {}}))], "p");
    let want = "UU VolumeBinding: node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";
    assert_eq!(answer.node("n"), want);
}

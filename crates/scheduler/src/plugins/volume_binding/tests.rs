use serde_json::{Value, json};

use super::VolumeBinding;
use super::evidence::{OnOtherHosts, VolumeElsewhere};
use crate::framework::plugin::{Plugin, Prepared};
use crate::testing::{
    Claim, at, claim, class, csi_driver, csi_node, decide, node, objects, pod, storage_left, volume,
};
use profile::Profile;

const DRIVER: &str = "csi.example.com";
const AFFINITY: &str = "UU VolumeBinding: node(s) didn't match PersistentVolume's node affinity";
const NO_VOLUME: &str =
    "UU VolumeBinding: node(s) didn't find available persistent volumes to bind";
/// The label that tells a node's host.
const HOST: &str = "kubernetes.io/hostname";
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
        (
            "in either zone",
            plain().on_nodes("zone", "a").on_nodes("zone", "b"),
            pair("fits", "fits"),
        ),
        ("anywhere", plain(), pair("fits", "fits")),
        (
            "affinity that requires nothing",
            plain().with("/spec/nodeAffinity", json!({})),
            pair("fits", "fits"),
        ),
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
    let answer = decide(objects, "p");
    let VolumeElsewhere { claim, volume, unmet } = answer.evidence("a");
    assert_eq!((*claim, *volume), (answer.sym("c"), answer.sym("pv")));
    let [zone] = &**unmet else { panic!("{unmet:?}") };
    assert_eq!((zone.label(), zone.found()), (Some(answer.sym("zone")), Some(answer.sym("a"))));
    assert_eq!(zone.any_of(), [answer.sym("b")]);
}

#[test]
fn in_tree_affinity_is_migrated_with_the_annotation_of_the_node() {
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
    let waiting =
        "waiting for ephemeral volume controller to create the persistentvolumeclaim \"p-v\"";
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
            with_claim(
                claim("c", "").bound("pv").with("/metadata/deletionTimestamp", crate::testing::NOW),
            ),
            "persistentvolumeclaim \"c\" is being deleted",
        ),
        ("without class and volume", with_claim(claim("c", "")), unbound),
        ("of a class that is not there", with_claim(claim("c", "gone")), unbound),
        (
            "with a volume, but not bound yet",
            with_claim(claim("c", "fast").with("/spec/volumeName", "pv")),
            unbound,
        ),
        ("of a class that binds at once", with_claim(claim("c", "now")), unbound),
        ("of an ephemeral volume, not made yet", with_ephemeral(), waiting),
        (
            "of an ephemeral volume, but somebody else's",
            [objects![claim("p-v", "fast").of_pod("q")], with_ephemeral()].concat(),
            foreign,
        ),
    ] {
        let classes = objects![
            class("fast", DRIVER),
            class("now", DRIVER).with("/volumeBindingMode", "Immediate")
        ];
        let answer = decide([objects![node("n")], classes, objects].concat(), "p");
        assert_eq!(answer.pre_filter(), format!("UU VolumeBinding: {want}"), "{row}");
    }
    let own = objects![node("n"), class("fast", DRIVER), claim("p-v", "fast").of_pod("p")];
    assert_eq!(
        decide([own, with_ephemeral()].concat(), "p").node("n"),
        "fits",
        "an ephemeral volume with its claim"
    );
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
            volume("pv", "other")
                .with("/metadata/annotations/volume.beta.kubernetes.io~1storage-class", "hand"),
            "fits",
        ),
        ("of another mode", c(), pv().with("/spec/volumeMode", "Block"), NO_VOLUME),
        ("no mode is the usual one", c(), pv().with("/spec/volumeMode", Value::Null), "fits"),
        (
            "with another access mode",
            c(),
            pv().with("/spec/accessModes", json!(["ReadOnlyMany"])),
            NO_VOLUME,
        ),
        (
            "with more access modes",
            c(),
            pv().with("/spec/accessModes", json!(["ReadOnlyMany", "ReadWriteOnce"])),
            "fits",
        ),
        ("not available", c(), pv().with("/status/phase", "Released"), NO_VOLUME),
        (
            "being deleted",
            c(),
            pv().with("/metadata/deletionTimestamp", crate::testing::NOW),
            NO_VOLUME,
        ),
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
        (
            "without it",
            c().with("/spec/selector", json!({"matchLabels": {"tier": "a"}})),
            pv(),
            NO_VOLUME,
        ),
        (
            "of another attributes class",
            c(),
            pv().with("/spec/volumeAttributesClassName", "gold"),
            NO_VOLUME,
        ),
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
    let two = || {
        objects![
            claim("big", "hand").size("2Gi"),
            claim("small", "hand"),
            pod("p").claim("big").claim("small")
        ]
    };
    for (row, volumes, want) in [
        ("one for each", objects![volume("x", "hand").size("3Gi"), volume("y", "hand")], "fits"),
        (
            "the larger one suits both, but only once",
            objects![volume("x", "hand").size("3Gi")],
            NO_VOLUME,
        ),
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
fn volumes_are_provisioned_where_class_and_storage_allow() {
    let zone_a = || json!([{"matchLabelExpressions": [{"key": "zone", "values": ["a", "c"]}]}]);
    let fast = || class("fast", DRIVER);
    let left = |capacity: &str| storage_left("left", "fast", capacity, ("zone", "a"));
    let c = || claim("c", "fast");
    for (row, objects, want) in [
        ("anywhere", objects![fast(), c()], pair("fits", "fits")),
        (
            "in a zone",
            objects![fast().with("/allowedTopologies", zone_a()), c()],
            pair("fits", NO_VOLUME),
        ),
        (
            "a topology without keys is nowhere",
            objects![fast().with("/allowedTopologies", json!([{}])), c()],
            pair(NO_VOLUME, NO_VOLUME),
        ),
        ("by nobody", objects![class("fast", ""), c()], pair(NO_VOLUME, NO_VOLUME)),
        (
            "where storage is left",
            objects![fast(), csi_driver(DRIVER), left("1Gi"), c()],
            pair("fits", NO_SPACE),
        ),
        (
            "too little is left",
            objects![fast(), csi_driver(DRIVER), left("1023Mi"), c()],
            pair(NO_SPACE, NO_SPACE),
        ),
        (
            "much is left, but not for a volume as large",
            objects![
                fast(),
                csi_driver(DRIVER),
                left("9Gi").with("/maximumVolumeSize", "1Mi"),
                c()
            ],
            pair(NO_SPACE, NO_SPACE),
        ),
        (
            "no node reaches it",
            objects![
                fast(),
                csi_driver(DRIVER),
                left("9Gi").with("/nodeTopology", Value::Null),
                c()
            ],
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
            objects![
                fast(),
                c().with("/metadata/annotations/volume.kubernetes.io~1selected-node", "b")
            ],
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
fn claim_with_unusable_field_ends_cycle_with_error() {
    let ask = |version: &str, claim: Claim| {
        let objects = objects![node("n"), class("fast", DRIVER), claim, pod("p").claim("c")];
        at(version).decide(objects, "p").message().to_owned()
    };
    let gold = || claim("c", "fast").with("/spec/volumeAttributesClassName", "gold");
    let want = "running \"VolumeBinding\" filter plugin: unsupported volumeAttributesClassName is set on claim default/c \
                when the feature-gate VolumeAttributesClass is disabled";
    assert_eq!(ask("1.33", gold()), want);
    assert_eq!(ask("1.34", gold()), "");
    let broken = claim("c", "fast")
        .with("/spec/selector", json!({"matchExpressions": [{"key": "a", "operator": "Foo"}]}));
    let want = "running \"VolumeBinding\" filter plugin: error creating internal label selector for claim: default/c: \
                \"Foo\" is not a valid label selector operator";
    assert_eq!(ask("1.37", broken), want);
}

#[test]
fn ephemeral_claim_may_have_lost_its_volume() {
    let gone = claim("p-v", "").bound("gone").of_pod("p");
    let answer = decide(objects![node("n"), gone, pod("p").volume(json!({"ephemeral": {}}))], "p");
    let want = "UU VolumeBinding: node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";
    assert_eq!(answer.node("n"), want);
}

/// A pod with claim `c` on one node `n` of zone `a`.
fn in_zone(version: &str, more: Vec<Value>) -> crate::testing::Answer {
    at(version).decide([objects![node("n").zone("a"), pod("p").claim("c")], more].concat(), "p")
}

#[test]
fn the_reasons_had_other_words() {
    let elsewhere = || objects![claim("c", "").bound("pv"), volume("pv", "").on_nodes("zone", "b")];
    let old = "UU VolumeBinding: node(s) had volume node affinity conflict";
    assert_eq!(in_zone("1.32", elsewhere()).node("n"), old);
    assert_eq!(in_zone("1.33", elsewhere()).node("n"), AFFINITY);
    assert_eq!(
        in_zone("1.12", elsewhere()).node("n"),
        old.replace("VolumeBinding", "CheckVolumeBinding")
    );
    let missing = || objects![claim("c", "").bound("pv")];
    let new = "UU VolumeBinding: node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";
    assert_eq!(
        in_zone("1.22", missing()).node("n"),
        "UU VolumeBinding: pvc(s) bound to non-existent pv(s)"
    );
    assert_eq!(in_zone("1.23", missing()).node("n"), new);
}

#[test]
fn a_volume_that_is_not_there_was_an_error() {
    let missing = || objects![claim("c", "").bound("pv")];
    let error = "could not find v1.PersistentVolume \"pv\"";
    assert_eq!(in_zone("1.16", missing()).message(), error);
    for version in ["1.17", "1.18.12", "1.19.4"] {
        let want = format!("running \"VolumeBinding\" filter plugin for pod \"p\": {error}");
        assert_eq!(in_zone(version, missing()).message(), want, "{version}");
    }
    for version in ["1.18.13", "1.19.5"] {
        let want = "UU VolumeBinding: pvc(s) bound to non-existent pv(s)";
        assert_eq!(in_zone(version, missing()).node("n"), want, "{version}");
    }
}

#[test]
fn an_unbound_claim_was_an_error_then_a_reason_of_each_node() {
    let unbound = || objects![claim("c", "")];
    let text = "pod has unbound immediate PersistentVolumeClaims";
    assert_eq!(in_zone("1.16", unbound()).message(), text);
    let error = format!("running \"VolumeBinding\" filter plugin for pod \"p\": {text}");
    assert_eq!(in_zone("1.18.8", unbound()).message(), error);
    assert_eq!(in_zone("1.18.9", unbound()).node("n"), format!("UU VolumeBinding: {text}"));
    assert_eq!(in_zone("1.19", unbound()).pre_filter(), format!("UU VolumeBinding: {text}"));
}

#[test]
fn claims_that_are_missing_or_leaving_ended_the_cycle_before_1_20() {
    let leaving = || {
        objects![
            claim("c", "").bound("pv").with("/metadata/deletionTimestamp", crate::testing::NOW)
        ]
    };
    for (objects, text) in [
        (Vec::new(), "persistentvolumeclaim \"c\" not found"),
        (leaving(), "persistentvolumeclaim \"c\" is being deleted"),
    ] {
        for version in ["1.12", "1.16", "1.19"] {
            assert_eq!(in_zone(version, objects.clone()).message(), text, "{version}");
        }
        let answer = in_zone("1.20", objects);
        assert_eq!(answer.pre_filter(), format!("UU VolumeBinding: {text}"));
    }
}

#[test]
fn ephemeral_claims_count_since_1_21_and_are_explained_since_1_23() {
    let ask = |version: &str, more: Vec<Value>| {
        at(version).decide(
            [objects![node("n"), pod("p").volume(json!({"ephemeral": {}}))], more].concat(),
            "p",
        )
    };
    let reasons = |version: &str, more: Vec<Value>| {
        let rejection = ask(version, more).pre_filter();
        rejection.split_once(": ").expect("reasons").1.to_owned()
    };
    let foreign = || objects![class("fast", DRIVER), claim("p-v", "fast").of_pod("q")];
    assert_eq!(ask("1.20", Vec::new()).node("n"), "fits");
    assert_eq!(reasons("1.21", Vec::new()), "persistentvolumeclaim \"p-v\" not found");
    assert_eq!(
        reasons("1.22", foreign()),
        "persistentvolumeclaim \"p-v\" was not created for the pod"
    );
    let waiting =
        "waiting for ephemeral volume controller to create the persistentvolumeclaim \"p-v\"";
    assert_eq!(reasons("1.23", Vec::new()), waiting);
    let not_owner = "PVC default/p-v was not created for pod default/p (pod is not owner)";
    assert_eq!(reasons("1.23", foreign()), not_owner);
}

#[test]
fn a_lost_claim_rejects_the_pod_since_1_23() {
    let lost =
        || objects![claim("c", "").bound("pv").with("/status/phase", "Lost"), volume("pv", "")];
    assert_eq!(in_zone("1.22", lost()).node("n"), "fits");
    let text = "persistentvolumeclaim \"c\" bound to non-existent persistentvolume \"pv\"";
    assert_eq!(in_zone("1.23", lost()).pre_filter(), format!("UU VolumeBinding: {text}"));
}

#[test]
fn volumes_were_matched_with_fewer_questions() {
    let selected = |version: &str| {
        let made_for = "/metadata/annotations/volume.kubernetes.io~1selected-node";
        in_zone(version, objects![class("fast", DRIVER), claim("c", "fast").with(made_for, "n")])
    };
    assert_eq!(selected("1.13").message(), "pod has unbound immediate PersistentVolumeClaims");
    assert_eq!(selected("1.14").node("n"), "fits");
    let by_hand = |version: &str, claim: Claim, volume: crate::testing::Volume| {
        let class = class("hand", "kubernetes.io/no-provisioner");
        in_zone(version, objects![class, claim, volume]).node("n")
    };
    let rejected = NO_VOLUME.replace("VolumeBinding", "CheckVolumeBinding");
    let bound = || volume("pv", "hand").with("/status/phase", "Bound");
    assert_eq!(by_hand("1.12", claim("c", "hand"), bound()), "fits");
    assert_eq!(by_hand("1.13", claim("c", "hand"), bound()), rejected);
    let annotated = || {
        claim("c", "")
            .with("/metadata/annotations/volume.beta.kubernetes.io~1storage-class", "hand")
    };
    assert_eq!(by_hand("1.15", annotated(), volume("pv", "hand")), rejected);
    assert_eq!(by_hand("1.16", annotated(), volume("pv", "hand")), "fits");
    // A volume of the class of the spec is listed, and does not match.
    assert_eq!(by_hand("1.15", annotated(), volume("pv", "")), rejected);
    assert_eq!(by_hand("1.15", annotated(), volume("pv", "").reserved("c")), "fits");
}

#[test]
fn remaining_storage_counts_since_1_21() {
    let small = || {
        let left = storage_left("pool", "fast", "1Mi", ("zone", "a"));
        objects![class("fast", DRIVER), csi_driver(DRIVER), left, claim("c", "fast")]
    };
    assert_eq!(in_zone("1.20", small()).node("n"), "fits");
    assert_eq!(in_zone("1.21", small()).node("n"), NO_SPACE);
}

#[test]
fn attributes_classes_are_known_since_1_31() {
    let field = "/spec/volumeAttributesClassName";
    let hand = || class("hand", "kubernetes.io/no-provisioner");
    let of_volume = |version: &str| {
        in_zone(
            version,
            objects![hand(), claim("c", "hand"), volume("pv", "hand").with(field, "gold")],
        )
        .node("n")
    };
    assert_eq!((of_volume("1.30"), of_volume("1.31")), ("fits".to_owned(), NO_VOLUME.to_owned()));
    let of_claim = |version: &str| {
        in_zone(
            version,
            objects![hand(), claim("c", "hand").with(field, "gold"), volume("pv", "hand")],
        )
    };
    assert_eq!(of_claim("1.30").node("n"), "fits");
    let error = "running \"VolumeBinding\" filter plugin: unsupported volumeAttributesClassName is set on claim default/c \
                 when the feature-gate VolumeAttributesClass is disabled";
    assert_eq!(of_claim("1.31").message(), error);
}

#[test]
fn volumes_of_hosts_narrowed_the_nodes() {
    let ask = |version: &str, volumes: Vec<Value>| {
        let nodes = objects![
            node("a").label(HOST, "a"),
            node("b").label(HOST, "b"),
            node("c").label(HOST, "a")
        ];
        let claims = objects![claim("c", "").bound("pv"), claim("d", "").bound("pw")];
        at(version).decide(
            [nodes, claims, volumes, objects![pod("p").claim("c").claim("d")]].concat(),
            "p",
        )
    };
    let of_host = |name: &str, host: &str| volume(name, "").on_nodes(HOST, host);
    let verdicts = |answer: &crate::testing::Answer| ["a", "b", "c"].map(|node| answer.node(node));
    let old = AFFINITY.replace(
        "didn't match PersistentVolume's node affinity",
        "had volume node affinity conflict",
    );
    let on_a = || objects![of_host("pv", "a"), volume("pw", "")];
    for (version, narrows) in [
        ("1.26", false),
        ("1.27", true),
        ("1.28", true),
        ("1.29.10", true),
        ("1.29.11", false),
        ("1.30.6", true),
        ("1.30.7", false),
        ("1.31.2", true),
        ("1.31.3", false),
        ("1.32", false),
    ] {
        let found = verdicts(&ask(version, on_a()));
        let want =
            if narrows { ["fits", "not tried", "not tried"] } else { ["fits", &old, "fits"] };
        assert_eq!(found, want, "{version}: hosts are taken for names");
    }
    let narrowed = |volumes| verdicts(&ask("1.28", volumes)).map(|verdict| verdict == "not tried");
    let either = of_host("pv", "a").on_nodes(HOST, "b");
    assert_eq!(
        narrowed(objects![either, volume("pw", "")]),
        [false, false, true],
        "terms are alternatives"
    );
    let or_elsewhere = of_host("pv", "a").on_nodes("zone", "z");
    assert_eq!(
        narrowed(objects![or_elsewhere, volume("pw", "")]),
        [false, true, true],
        "others name no host"
    );
    let both = of_host("pv", "a").on_nodes(HOST, "b");
    assert_eq!(
        narrowed(objects![both, of_host("pw", "b")]),
        [true, false, true],
        "each volume narrows"
    );
    let with_missing = objects![
        node("a"),
        claim("c", "").bound("pv"),
        claim("d", "").bound("pw"),
        of_host("pv", "a")
    ];
    let objects = [with_missing, objects![pod("p").claim("c").claim("d")]].concat();
    at("1.28").with_cycle(objects, "p", |prepared| match VolumeBinding.prepare(&prepared.cycle) {
        Prepared::Ready { only, .. } => assert!(only.is_none(), "a volume is not there"),
        Prepared::Skip | Prepared::Reject(_) | Prepared::Failed(_) => panic!("there are claims"),
    });
    assert_eq!(
        narrowed(objects![volume("pv", ""), volume("pw", "")]),
        [false; 3],
        "no volume names a host"
    );
    let disjoint = ask("1.28", objects![of_host("pv", "a"), of_host("pw", "b")]);
    let evidence = disjoint.pre_filter_evidence();
    let [OnOtherHosts { volumes: hosted }] = evidence.as_slice() else { panic!("{evidence:?}") };
    let found: Vec<_> =
        hosted.iter().map(|volume| (volume.claim, volume.volume, &*volume.hosts)).collect();
    let [c, d, pv, pw, a, b] = ["c", "d", "pv", "pw", "a", "b"].map(|name| disjoint.sym(name));
    assert_eq!(found, [(c, pv, &[a][..]), (d, pw, &[b][..])], "and says which volume is where");
}

#[test]
fn in_tree_affinity_was_the_drivers_only_where_its_gate_was_on() {
    let ask = |version: &str, source: (&str, Value), plugin: &str, key: &str| {
        let listed = csi_node("n", &[])
            .with("/metadata/annotations/storage.alpha.kubernetes.io~1migrated-plugins", plugin);
        let disk = volume("pv", "").with(&format!("/spec/{}", source.0), source.1);
        let disk = disk.on_nodes("topology.kubernetes.io/zone", "a");
        let node = node("n").label(key, "a");
        let objects = objects![node, listed, disk, claim("c", "").bound("pv"), pod("p").claim("c")];
        at(version).decide(objects, "p").node("n") == "fits"
    };
    let gce = |version: &str| {
        let source = ("gcePersistentDisk", json!({"pdName": "d"}));
        ask(version, source, "kubernetes.io/gce-pd", "topology.gke.io/zone")
    };
    let cinder = |version: &str| {
        let source = ("cinder", json!({"volumeID": "d"}));
        ask(version, source, "kubernetes.io/cinder", "topology.cinder.csi.openstack.org/zone")
    };
    assert_eq!((gce("1.22"), gce("1.23")), (false, true));
    assert_eq!((cinder("1.20"), cinder("1.21")), (false, true));
}

#[test]
fn scored_is_what_filter_has_found() {
    let of = |adjust: fn(&mut Profile)| {
        let objects = objects![
            node("a").zone("a"),
            node("b").zone("b"),
            class("hand", "kubernetes.io/no-provisioner"),
            claim("c", "hand").size("1Gi"),
            volume("x", "hand").size("2Gi").on_nodes("zone", "a"),
            volume("y", "hand").size("4Gi").on_nodes("zone", "b"),
            pod("p").claim("c"),
        ];
        at("1.37").with(adjust).decide(objects, "p")
    };
    let scores = |adjust| ["a", "b"].map(|node| of(adjust).raw_score(node, "VolumeBinding"));
    assert_eq!(scores(|_| {}), [50, 75]);
    assert_eq!(
        scores(|profile| profile.plugins.filter.retain(|plugin| *plugin != "VolumeBinding")),
        [0, 0]
    );
    let no_state = |profile: &mut Profile| {
        profile.plugins.pre_filter.retain(|plugin| *plugin != "VolumeBinding");
        profile.plugins.filter.retain(|plugin| *plugin != "VolumeBinding");
    };
    assert_eq!(of(no_state).message(), "running PreScore plugin \"VolumeBinding\": not found");
    let nor_pre_score = |profile: &mut Profile| {
        profile.plugins.pre_filter.retain(|plugin| *plugin != "VolumeBinding");
        profile.plugins.filter.retain(|plugin| *plugin != "VolumeBinding");
        profile.plugins.pre_score.retain(|plugin| *plugin != "VolumeBinding");
    };
    assert_eq!(
        of(nor_pre_score).message(),
        "running Score plugins: plugin \"VolumeBinding\" failed with: not found"
    );
}

#[test]
fn scoring_a_claim_by_storage_capacity_may_crash_the_scheduler() {
    let annotated = || {
        claim("c", "fast")
            .with("/spec/storageClassName", Value::Null)
            .with("/metadata/annotations/volume.beta.kubernetes.io~1storage-class", "fast")
    };
    let left = || storage_left("left", "fast", "10Gi", ("disk", "ssd"));
    let without_size = || left().with("/maximumVolumeSize", "5Gi").with("/capacity", Value::Null);
    let fast = |name: &str| node(name).label("disk", "ssd");
    let two = || objects![fast("a"), fast("b")];
    let crash = ("Error", "Crash");
    for (row, version, nodes, more, want) in [
        ("a class in the annotation alone", "1.37", two(), objects![annotated(), left()], crash),
        (
            "one node is not scored",
            "1.37",
            objects![fast("a")],
            objects![annotated(), left()],
            ("Schedulable", ""),
        ),
        (
            "a class in both",
            "1.37",
            two(),
            objects![claim("c", "fast"), left()],
            ("Schedulable", ""),
        ),
        (
            "an empty class beside the annotation",
            "1.37",
            two(),
            objects![annotated().with("/spec/storageClassName", ""), left()],
            ("Schedulable", ""),
        ),
        (
            "scores do not look at storage",
            "1.36",
            two(),
            objects![annotated(), left()],
            ("Schedulable", ""),
        ),
        (
            "a capacity without size",
            "1.37",
            two(),
            objects![claim("c", "fast"), without_size()],
            crash,
        ),
    ] {
        let objects =
            [nodes, objects![class("fast", DRIVER), csi_driver(DRIVER), pod("p").claim("c")], more]
                .concat();
        let answer = at(version).decide(objects, "p");
        assert_eq!((answer.outcome(), answer.error()), want, "{row}");
    }
}

use serde_json::{Value, json};

use super::*;
use crate::testing::{
    Answer, Claim, NOW, Volume, claim, class, decide, node, objects, pod, volume,
};

const BY_HAND: &str = "kubernetes.io/no-provisioner";
const SELECTED: &str = "/metadata/annotations/volume.kubernetes.io~1selected-node";

/// Pod `p` with claim `c` on the nodes `a` and `b` of these zones, beside other objects.
fn ask(claim: Claim, others: Vec<Value>) -> Answer {
    let objects = objects![node("a").zone("a"), node("b").zone("b"), claim, pod("p").claim("c")];
    decide([objects, others].concat(), "p")
}

/// The claim that keeps the pod from node `a`.
fn on_a(answer: &Answer) -> &UnboundClaim {
    match &*answer.evidence::<Unbound>("a").claims {
        [one] => one,
        several => panic!("{several:?}"),
    }
}

#[test]
fn each_volume_that_does_not_suit_has_its_first_mismatch() {
    let (c, pv) = (|| claim("c", "hand").size("2Gi"), || volume("pv", "hand").size("2Gi"));
    let tier = || c().with("/spec/selector", json!({"matchLabels": {"tier": "a"}}));
    let rows: [(&str, Claim, Volume, &str); 12] = [
        ("smaller", c(), pv().size("1Gi"), "Size"),
        ("of another mode", c(), pv().with("/spec/volumeMode", "Block"), "VolumeMode"),
        (
            "of an attributes class",
            c(),
            pv().with("/spec/volumeAttributesClassName", "gold"),
            "VolumeAttributesClass",
        ),
        ("being deleted", c(), pv().with("/metadata/deletionTimestamp", NOW), "Deleting"),
        ("released", c(), pv().with("/status/phase", "Released"), "NotAvailable"),
        ("with another label", tier(), pv().label("tier", "b"), "Selector"),
        ("of another class", c(), volume("pv", "other").size("2Gi"), "StorageClass"),
        (
            "with other access modes",
            c(),
            pv().with("/spec/accessModes", json!(["ReadOnlyMany"])),
            "AccessModes",
        ),
        ("in another zone", c(), pv().on_nodes("zone", "z"), "Unreachable"),
        ("kept for a claim that is gone", c(), pv().reserved("d"), "Reserved"),
        (
            "kept for an earlier claim",
            c(),
            pv().reserved("c").with("/spec/claimRef/uid", "old"),
            "Reserved",
        ),
        (
            "too small and of another mode",
            c(),
            pv().size("1Gi").with("/spec/volumeMode", "Block"),
            "Size",
        ),
    ];
    for (row, claim, volume, want) in rows {
        let answer = ask(claim, objects![class("hand", BY_HAND), volume]);
        let found = on_a(&answer);
        assert_eq!((found.cause, found.wanted), (UnboundCause::ByHand, 2 << 30), "{row}");
        let mismatches: Vec<&str> =
            found.volumes.unsuited.iter().map(|volume| volume.mismatch.name()).collect();
        assert_eq!(mismatches, [want], "{row}");
    }
}

#[test]
fn mismatches_have_the_values_of_volume_and_claim() {
    let selects = claim("c", "hand").with("/spec/selector", json!({"matchLabels": {"tier": "a"}}));
    let answer =
        ask(selects, objects![class("hand", BY_HAND), volume("pv", "hand").label("tier", "b")]);
    let [one] = &*on_a(&answer).volumes.unsuited else { panic!("one volume") };
    let VolumeMismatch::Selector { unmet } = &one.mismatch else { panic!("{one:?}") };
    let [tier] = &**unmet else { panic!("{unmet:?}") };
    assert_eq!((tier.found(), tier.any_of()), (Some(answer.sym("b")), &[answer.sym("a")][..]));

    let elsewhere = volume("pv", "hand").on_nodes("zone", "b");
    let answer = ask(claim("c", "hand"), objects![class("hand", BY_HAND), elsewhere]);
    let [one] = &*on_a(&answer).volumes.unsuited else { panic!("one volume") };
    let VolumeMismatch::Unreachable { asks, nodes: 1 } = &one.mismatch else { panic!("{one:?}") };
    assert_eq!(
        asks.iter().map(|ask| ask.any_of().to_vec()).collect::<Vec<_>>(),
        [[answer.sym("b")]]
    );
}

#[test]
fn a_volume_that_matches_a_claim_which_binds_at_once_is_no_mismatch() {
    let now = || class("now", "csi.example.com").with("/volumeBindingMode", "Immediate");
    let volumes = |affinity: Option<&str>| {
        let pv = match affinity {
            Some(label) => volume("pv", "now").on_nodes(label, "a"),
            None => volume("pv", "now"),
        };
        let nodes = objects![node("a").label("disk", "a"), node("b").label("disk", "a").zone("b")];
        let others = objects![now(), claim("c", "now"), pv, pod("p").claim("c")];
        let answer = decide([nodes, others].concat(), "p");
        let of_claim = on_a(&answer).volumes.clone();
        let text = answer.evidence::<Unbound>("a").sentence(&answer.cluster);
        (of_claim.matching.len(), of_claim.unsuited.len(), text)
    };
    let said = "claim c is not bound: csi.example.com has made no volume for it (class now); pv suits it, but the claim is \
                not bound to it yet";
    for everywhere in [None, Some("disk")] {
        assert_eq!(volumes(everywhere), (1, 0, said.to_owned()), "{everywhere:?}");
    }
    let (matching, unsuited, text) = volumes(Some("zone"));
    assert_eq!((matching, unsuited), (0, 1), "{text}");
}

#[test]
fn volumes_of_other_claims_are_counted_and_sorted_by_closeness() {
    let objects = objects![
        class("hand", BY_HAND),
        claim("d", "hand").bound("pv-d"),
        volume("pv-d", "hand").reserved("d"),
        volume("pv-small", "hand").size("1Mi"),
        volume("pv-far", "hand").on_nodes("zone", "z"),
        volume("pv-other", "other").with("/spec/volumeMode", "Block"),
    ];
    let answer = ask(claim("c", "hand"), objects);
    let volumes = &on_a(&answer).volumes;
    let names: Vec<_> = volumes.unsuited.iter().map(|volume| volume.volume).collect();
    assert_eq!(
        names,
        [answer.sym("pv-far"), answer.sym("pv-small")],
        "one of another class differs in more than that"
    );
    assert_eq!((volumes.of_other_claims, volumes.more), (1, 0));
    let many: Vec<Value> =
        (0..25).map(|n| volume(&format!("pv-{n:02}"), "hand").size("1Mi").into()).collect();
    let answer = ask(claim("c", "hand"), [objects![class("hand", BY_HAND)], many].concat());
    let volumes = &on_a(&answer).volumes;
    assert_eq!((volumes.unsuited.len(), volumes.more), (10, 15));
}

#[test]
fn a_volume_that_another_claim_of_the_pod_gets_is_taken() {
    let objects = objects![
        node("n"),
        class("hand", BY_HAND),
        claim("big", "hand").size("2Gi"),
        claim("small", "hand"),
        volume("pv", "hand").size("3Gi"),
        pod("p").claim("big").claim("small")
    ];
    let answer = decide(objects, "p");
    let [big] = &*answer.evidence::<Unbound>("n").claims else { panic!("one claim") };
    assert_eq!((big.claim, &*big.taken), (answer.sym("big"), &[answer.sym("pv")][..]));
}

#[test]
fn claim_without_provisioning_has_a_reason() {
    let zone_z = json!([{"matchLabelExpressions": [{"key": "zone", "values": ["z"]}]}]);
    let fast = class("fast", "csi.example.com").with("/allowedTopologies", zone_z);
    let answer = ask(claim("c", "fast"), objects![fast]);
    assert_eq!(on_a(&answer).cause, UnboundCause::OtherTopology);

    for (node, exists) in [("b", true), ("gone", false)] {
        let pinned = claim("c", "fast").with(SELECTED, node);
        let answer = ask(pinned, objects![class("fast", "csi.example.com")]);
        let UnboundCause::ForNode { node: selected, exists: found, .. } = on_a(&answer).cause
        else {
            panic!("{:?}", on_a(&answer))
        };
        assert_eq!((selected, found), (answer.sym(node), exists));
    }
}

#[test]
fn claims_that_cannot_wait_for_a_pod_have_causes() {
    let now = || class("now", "csi.example.com").with("/volumeBindingMode", "Immediate");
    for (row, claim, want) in [
        ("no class", claim("c", ""), "NoStorageClass"),
        ("a class that is not there", claim("c", "gone"), "StorageClassMissing"),
        ("a class that binds at once", claim("c", "now"), "Immediate"),
        ("a volume by name", claim("c", "now").with("/spec/volumeName", "pv"), "VolumeName"),
        ("a class without provisioner", claim("c", "hand"), "NoProvisioner"),
    ] {
        let by_hand = class("hand", BY_HAND).with("/volumeBindingMode", "Immediate");
        let answer = ask(claim, objects![now(), by_hand]);
        assert_eq!(on_a(&answer).cause.name(), want, "{row}");
    }
    let two = objects![node("n"), claim("c", ""), claim("d", ""), pod("p").claim("c").claim("d")];
    let answer = decide(two, "p");
    assert_eq!(answer.evidence::<Unbound>("n").claims.len(), 2, "one for each claim");
}

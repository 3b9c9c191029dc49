use serde_json::{Value, json};

use super::{ClaimInUse, DiskInUse};
use crate::testing::{Pod, at, claim, decide, node, objects, pod};
use profile::Profile;

const NO_DISK: &str = "U VolumeRestrictions: node(s) had no available disk";
const IN_USE: &str = "U VolumeRestrictions: node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod \
                      access mode already in-use by another pod";

fn verdict(used: Value, wanted: Value) -> String {
    decide(objects![node("n"), pod("v").volume(used).on("n"), pod("p").volume(wanted)], "p")
        .node("n")
}

fn gce(name: &str, read_only: bool) -> Value {
    json!({"gcePersistentDisk": {"pdName": name, "readOnly": read_only}})
}

fn iscsi(iqn: &str, read_only: bool) -> Value {
    json!({"iscsi": {"iqn": iqn, "readOnly": read_only}})
}

fn rbd(monitors: &[&str], pool: &str, image: &str, read_only: bool) -> Value {
    json!({"rbd": {"monitors": monitors, "pool": pool, "image": image, "readOnly": read_only}})
}

#[test]
fn disks_that_cannot_be_shared_conflict() {
    let ebs = |id: &str| json!({"awsElasticBlockStore": {"volumeID": id, "readOnly": true}});
    for (row, used, wanted, want) in [
        ("one GCE disk", gce("a", false), gce("a", false), NO_DISK),
        ("one GCE disk, one of two only reads", gce("a", true), gce("a", false), NO_DISK),
        ("one GCE disk, both only read", gce("a", true), gce("a", true), "fits"),
        ("two GCE disks", gce("a", false), gce("b", false), "fits"),
        ("one EBS volume, though only read", ebs("vol-1"), ebs("vol-1"), NO_DISK),
        ("two EBS volumes", ebs("vol-1"), ebs("vol-2"), "fits"),
        ("one iSCSI target", iscsi("a", false), iscsi("a", true), NO_DISK),
        ("one iSCSI target, both only read", iscsi("a", true), iscsi("a", true), "fits"),
        (
            "one RBD image",
            rbd(&["m", "o"], "p", "i", false),
            rbd(&["n", "o"], "p", "i", true),
            NO_DISK,
        ),
        ("no common monitor", rbd(&["m"], "p", "i", false), rbd(&["n"], "p", "i", false), "fits"),
        ("another pool", rbd(&["m"], "p", "i", false), rbd(&["m"], "q", "i", false), "fits"),
        ("another image", rbd(&["m"], "p", "i", false), rbd(&["m"], "p", "j", false), "fits"),
        (
            "one RBD image, both only read",
            rbd(&["m"], "p", "i", true),
            rbd(&["m"], "p", "i", true),
            "fits",
        ),
        ("disks of two kinds", gce("a", false), iscsi("a", false), "fits"),
    ] {
        assert_eq!(verdict(used, wanted), want, "{row}");
    }
}

#[test]
fn a_disk_is_in_use_on_its_node_only() {
    let holder = || pod("v").volume(gce("a", false)).on("a");
    let incoming = pod("p").volume(gce("a", false)).priority(10);
    let answer = decide(objects![node("a"), node("b"), holder(), incoming], "p");
    assert_eq!((answer.node("a"), answer.node("b")), (NO_DISK.to_owned(), "fits".to_owned()));
    let (volume, pod) = (answer.sym("v"), answer.pod_ix("v"));
    assert_eq!(answer.evidence::<DiskInUse>("a"), &DiskInUse { volume, pod });
}

/// Pods around a claim `c` that only one pod may use.
fn one_pod(pods: Vec<Value>) -> Vec<Value> {
    [
        objects![
            node("a"),
            node("b"),
            claim("c", "").one_pod().bound("pv"),
            crate::testing::volume("pv", "")
        ],
        pods,
    ]
    .concat()
}

#[test]
fn a_claim_of_one_pod_that_is_in_use_rejects_every_node() {
    let incoming = || pod("p").claim("c").priority(10);
    for (row, other, want) in [
        ("used on one node", pod("v").claim("c").on("a"), IN_USE),
        ("the user is being deleted", pod("v").claim("c").on("a").terminating(), IN_USE),
        ("the user is finished", pod("v").claim("c").on("a").phase("Succeeded"), "fits"),
        ("the user is on no node", pod("v").claim("c"), "fits"),
        (
            "a claim of that name in another namespace",
            pod("v").ns("other").claim("c").on("a"),
            "fits",
        ),
        ("another claim", pod("v").claim("d").on("a"), "fits"),
    ] {
        let answer = decide(one_pod(objects![other, incoming()]), "p");
        assert_eq!(
            (answer.node("a"), answer.node("b")),
            (want.to_owned(), want.to_owned()),
            "{row}"
        );
    }
    let used = decide(one_pod(objects![pod("v").claim("c").on("a"), incoming()]), "p");
    let (claim, pod) = (used.sym("c"), used.pod_ix("v"));
    assert_eq!(used.evidence::<ClaimInUse>("b"), &ClaimInUse { claim, pod });
}

#[test]
fn the_reason_has_other_words_since_1_34() {
    let objects = one_pod(objects![pod("v").claim("c").on("a"), pod("p").claim("c")]);
    assert_eq!(at("1.34").decide(objects.clone(), "p").node("b"), IN_USE);
    let old = "U VolumeRestrictions: node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod \
               access mode";
    assert_eq!(at("1.33").decide(objects, "p").node("b"), old);
}

#[test]
fn a_claim_that_is_not_there_rejects_the_pod() {
    let answer = decide(objects![node("n"), pod("p").claim("c")], "p");
    assert_eq!(answer.pre_filter(), "UU VolumeRestrictions: persistentvolumeclaim \"c\" not found");
    assert_eq!(
        answer.message(),
        "0/1 nodes are available: persistentvolumeclaim \"c\" not found. not found"
    );
}

/// What preemption would do on `a` and `b`.
fn dry_runs(others: Vec<Pod>) -> (String, String) {
    let pods = others
        .into_iter()
        .map(Value::from)
        .chain(objects![pod("p").claim("c").priority(10)])
        .collect();
    let answer = decide(one_pod(pods), "p");
    (answer.dry_run("a"), answer.dry_run("b"))
}

#[test]
fn evicting_the_user_of_the_claim_helps() {
    let reason = IN_USE.trim_start_matches("U VolumeRestrictions: ");
    let user = || pod("v").claim("c").on("a");
    assert_eq!(
        dry_runs(vec![user(), pod("w").on("a"), pod("x").on("b")]),
        ("victims v, violations 0, spared w".into(), reason.into()),
        "on its node"
    );
    // Uses of a node's pods are counted by the claim's name alone, wherever the claim is.
    assert_eq!(
        dry_runs(vec![user(), pod("x").ns("other").claim("c").on("b")]).1,
        "victims other/x, violations 0",
        "a claim of the same name in another namespace counts, too"
    );
    assert_eq!(
        dry_runs(vec![pod("v").claim("c").claim("c").on("a"), user().with("/metadata/name", "u")])
            .0,
        "victims v, violations 0, spared u",
        "a claim counts once, but less by each volume that goes: one user may stay"
    );
}

#[test]
fn a_claim_of_one_pod_is_one_since_1_27() {
    let objects = || one_pod(objects![pod("v").claim("c").on("a"), pod("p").claim("c")]);
    assert_eq!(at("1.26").decide(objects(), "p").outcome(), "Schedulable");
    assert!(at("1.27").decide(objects(), "p").node("b").starts_with("U VolumeRestrictions: "));
    // With the gate, PreFilter rejected the pod.
    let answer = at("1.26").gates("ReadWriteOncePod=true").decide(objects(), "p");
    let text = "node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode";
    assert_eq!(answer.pre_filter(), format!("UU VolumeRestrictions: {text}"));
    let gone = "persistentvolumeclaim \"c\" not found";
    let missing = |version: &str| at(version).decide(objects![node("n"), pod("p").claim("c")], "p");
    assert_eq!(missing("1.26").pre_filter(), format!("UU VolumeBinding: {gone}"));
    assert_eq!(missing("1.27").pre_filter(), format!("UU VolumeRestrictions: {gone}"));
}

#[test]
fn a_nominated_pod_with_the_claim_counts_only_in_1_27() {
    let objects =
        || one_pod(objects![pod("v").claim("c").nominated("a").priority(9), pod("p").claim("c")]);
    assert_eq!(at("1.26").gates("ReadWriteOncePod=true").decide(objects(), "p").node("a"), "fits");
    assert!(at("1.27").decide(objects(), "p").node("a").starts_with("U VolumeRestrictions: "));
    assert_eq!(at("1.28").decide(objects(), "p").node("a"), "fits");
}

#[test]
fn without_pre_filter_disks_are_looked_at_first() {
    let off = |profile: &mut Profile| {
        profile.plugins.pre_filter.retain(|plugin| *plugin != "VolumeRestrictions");
    };
    let verdict = |version: &'static str, gates: &'static str, wanted: Value| {
        let holder = pod("v").volume(gce("a", false)).claim("c").on("n");
        let (claim, volume) =
            (claim("c", "").one_pod().bound("pv"), crate::testing::volume("pv", ""));
        let objects =
            objects![node("n"), claim, volume, holder, pod("p").volume(wanted).claim("c")];
        let answer = at(version).gates(gates).with(off).decide(objects, "p");
        (answer.node("n"), answer.message().to_owned())
    };
    let failed = r#"running "VolumeRestrictions" filter plugin: cannot read "PreFilterVolumeRestrictions" from cycleState"#;
    for version in ["1.27", "1.37"] {
        assert_eq!(verdict(version, "", gce("a", false)).0, NO_DISK, "{version}");
        assert_eq!(verdict(version, "", gce("b", false)).1, failed, "{version}");
    }
    // What PreFilter looked at before, nothing does.
    assert_eq!(verdict("1.26", "ReadWriteOncePod=true", gce("b", false)).0, "fits");
    assert_eq!(verdict("1.27", "ReadWriteOncePod=false", gce("b", false)).0, "fits");
}

use serde_json::{Value, json};

use super::EBS as EBS_LIMITS;
use crate::framework::plugin::{Plugin, Prepared};
use crate::framework::storage_evidence::{VolumeDriver, VolumeLimit};
use crate::testing::{at, claim, class, csi_node, node, objects, pod, volume};

const EBS: &str = "attachable-volumes-aws-ebs";
const AWS: &str = "kubernetes.io/aws-ebs";
const EBS_FULL: &str = "U EBSLimits: node(s) exceed max volume count";
const GCE_FULL: &str = "U GCEPDLimits: node(s) exceed max volume count";
const AZURE_FULL: &str = "U AzureDiskLimits: node(s) exceed max volume count";

fn ebs(id: &str) -> Value {
    json!({"awsElasticBlockStore": {"volumeID": id}})
}

/// A node that takes one EBS volume and has it, and more.
fn full_node(more: Vec<Value>) -> Vec<Value> {
    [objects![node("n").allocatable(EBS, "1"), pod("v").volume(ebs("vol-v")).on("n")], more]
        .concat()
}

fn verdict(version: &str, objects: Vec<Value>) -> String {
    at(version).decide(objects, "p").node("n")
}

#[test]
fn disks_of_each_cloud_have_their_own_limit() {
    let gce = |name: &str| json!({"gcePersistentDisk": {"pdName": name}});
    let azure = |name: &str| json!({"azureDisk": {"diskName": name, "diskURI": "/same"}});
    let verdict = |resource: &str, used: Value, wanted: Value| {
        let room = node("n").allocatable(&format!("attachable-volumes-{resource}"), "1");
        verdict("1.22", objects![room, pod("v").volume(used).on("n"), pod("p").volume(wanted)])
    };
    assert_eq!(verdict("aws-ebs", ebs("a"), ebs("b")), EBS_FULL);
    assert_eq!(verdict("gce-pd", gce("a"), gce("b")), GCE_FULL);
    assert_eq!(verdict("azure-disk", azure("a"), azure("b")), AZURE_FULL);
    assert_eq!(verdict("azure-disk", azure("a"), azure("a")), "fits", "one disk counts once");
    assert_eq!(
        verdict("aws-ebs", gce("a"), ebs("b")),
        "fits",
        "disks of another cloud do not count"
    );
    assert_eq!(verdict("gce-pd", ebs("a"), ebs("b")), "fits", "nor does their limit");
    let answer = at("1.22").decide(full_node(objects![pod("p").volume(ebs("b")).priority(9)]), "p");
    let want = VolumeLimit { driver: VolumeDriver::InTree(AWS), limit: 1, attached: 1, wanted: 1 };
    assert_eq!(answer.evidence::<VolumeLimit>("n"), &want);
    assert_eq!(answer.dry_run("n"), "victims v, violations 0");
}

#[test]
fn predicates_bore_other_names_and_the_plugins_are_gone_since_1_31() {
    let wanted = || full_node(objects![pod("p").volume(ebs("b"))]);
    assert_eq!(verdict("1.16", wanted()), "U MaxEBSVolumeCount: node(s) exceed max volume count");
    assert_eq!(verdict("1.30", wanted()), EBS_FULL);
    assert_eq!(verdict("1.31", wanted()), "fits");
}

#[test]
fn a_node_that_does_not_say_takes_as_many_as_its_machine() {
    let verdict = |version: &str, key: &str, value: &str, disks: usize| {
        let incoming = (0..disks).fold(pod("p"), |pod, i| pod.volume(ebs(&format!("vol-{i}"))));
        verdict(version, objects![node("n").label(key, value), incoming])
    };
    let (beta, stable) = ("beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type");
    for (version, key, value, disks, want) in [
        ("1.22", "other", "m5.large", 39, "fits"),
        ("1.22", "other", "m5.large", 40, EBS_FULL),
        ("1.22", beta, "m5.large", 25, "fits"),
        ("1.22", beta, "m5.large", 26, EBS_FULL),
        ("1.22", beta, "m4.large", 26, "fits"),
        ("1.22", beta, "at3.large", 26, EBS_FULL),
        ("1.22", beta, "xm5.large", 26, "fits"),
        ("1.22", stable, "z1d.large", 26, EBS_FULL),
        ("1.17", stable, "z1d.large", 26, EBS_FULL),
        ("1.16", stable, "z1d.large", 26, "fits"),
    ] {
        assert_eq!(verdict(version, key, value, disks), want, "{version} {key} {value} {disks}");
    }
}

#[test]
fn allocatable_resources_count_since_1_13() {
    let wanted = || full_node(objects![pod("p").volume(ebs("b"))]);
    assert_eq!(verdict("1.12", wanted()), "fits");
    assert_eq!(
        at("1.12").gates("AttachVolumeLimit=true").decide(wanted(), "p").outcome(),
        "Unschedulable"
    );
    assert_eq!(verdict("1.13", wanted()), "U MaxEBSVolumeCount: node(s) exceed max volume count");
}

#[test]
fn claims_count_by_their_volume_or_their_class() {
    let bound = |source: Value| {
        let disk = volume("pv", "").with("/spec/awsElasticBlockStore", source);
        objects![claim("c", "").bound("pv"), disk, pod("p").claim("c")]
    };
    let unbound = |provisioner: &str| {
        objects![class("fast", provisioner), claim("c", "fast"), pod("p").claim("c")]
    };
    let annotated = || {
        let class_of_claim = "/metadata/annotations/volume.beta.kubernetes.io~1storage-class";
        objects![
            class("fast", AWS),
            claim("c", "").with(class_of_claim, "fast"),
            pod("p").claim("c")
        ]
    };
    for (row, objects, want) in [
        ("bound to another disk", bound(json!({"volumeID": "b"})), EBS_FULL),
        ("bound to the disk in use", bound(json!({"volumeID": "vol-v"})), "fits"),
        ("bound to something else", bound(Value::Null), "fits"),
        ("of a class that makes such disks", unbound(AWS), EBS_FULL),
        ("of another class", unbound("kubernetes.io/gce-pd"), "fits"),
        ("the annotation does not count", annotated(), "fits"),
    ] {
        assert_eq!(verdict("1.22", full_node(objects)), want, "{row}");
    }
}

#[test]
fn unknown_disks_were_every_clouds_before_1_16() {
    let full = "U MaxEBSVolumeCount: node(s) exceed max volume count";
    let wanted = || {
        full_node(objects![
            class("fast", "other.example.com"),
            claim("c", "fast"),
            pod("p").claim("c")
        ])
    };
    assert_eq!(verdict("1.15", wanted()), full);
    assert_eq!(verdict("1.16", wanted()), "fits");
    // One of a pod on the node, whose claim is not there.
    let used = || {
        let room = node("n").allocatable("attachable-volumes-gce-pd", "1");
        objects![
            room,
            pod("v").claim("gone").on("n"),
            pod("p").volume(json!({"gcePersistentDisk": {"pdName": "d"}}))
        ]
    };
    assert_eq!(verdict("1.15", used()), "U MaxGCEPDVolumeCount: node(s) exceed max volume count");
    assert_eq!(verdict("1.16", used()), "fits");
}

#[test]
fn disks_of_ephemeral_volumes_count_since_1_23() {
    let wanted = || {
        let own = claim("p-v", "fast").of_pod("p");
        full_node(objects![class("fast", AWS), own, pod("p").volume(json!({"ephemeral": {}}))])
    };
    assert_eq!(verdict("1.22", wanted()), "fits");
    assert_eq!(verdict("1.23", wanted()), EBS_FULL);
}

#[test]
fn migrated_disks_are_left_to_the_drivers_limits() {
    let listed = |version: &str, plugins: &str| {
        let drivers = csi_node("n", &[])
            .with("/metadata/annotations/storage.alpha.kubernetes.io~1migrated-plugins", plugins);
        verdict(version, full_node(objects![drivers, pod("p").volume(ebs("b"))]))
    };
    for (version, plugins, want) in [
        ("1.22", AWS, EBS_FULL),
        ("1.23", AWS, "fits"),
        ("1.23", "", EBS_FULL),
        ("1.26", "", EBS_FULL),
        ("1.27", "", "fits"),
    ] {
        assert_eq!(listed(version, plugins), want, "{version} {plugins}");
    }
    let gated = |version: &str, gates: &str| {
        let drivers = csi_node("n", &[])
            .with("/metadata/annotations/storage.alpha.kubernetes.io~1migrated-plugins", AWS);
        at(version)
            .gates(gates)
            .decide(full_node(objects![drivers, pod("p").volume(ebs("b"))]), "p")
            .outcome()
            == "Schedulable"
    };
    assert!(gated("1.22", "CSIMigrationAWS=true"));
    assert!(!gated("1.22", "CSIMigrationAWS=true,CSIMigration=false"));
    assert!(gated("1.17", "CSIMigrationAWS=true"), "the gate for all plugins is on");
    assert!(!gated("1.16", "CSIMigrationAWS=true"), "and was off");
}

#[test]
fn the_other_clouds_disks_migrated_when_their_gates_came_on() {
    let verdict = |version: &str, kind: &str, disk: Value, plugins: &str| {
        let room = node("n").allocatable(&format!("attachable-volumes-{kind}"), "0");
        let drivers = csi_node("n", &[])
            .with("/metadata/annotations/storage.alpha.kubernetes.io~1migrated-plugins", plugins);
        verdict(version, objects![room, drivers, pod("p").volume(disk)])
    };
    let gce = |version: &str, plugins: &str| {
        verdict(version, "gce-pd", json!({"gcePersistentDisk": {"pdName": "d"}}), plugins)
    };
    let azure = |version: &str, plugins: &str| {
        verdict(
            version,
            "azure-disk",
            json!({"azureDisk": {"diskName": "d", "diskURI": "/d"}}),
            plugins,
        )
    };
    let (gce_plugin, azure_plugin) = ("kubernetes.io/gce-pd", "kubernetes.io/azure-disk");
    assert_eq!(
        (gce("1.22", gce_plugin), azure("1.22", azure_plugin)),
        (GCE_FULL.into(), AZURE_FULL.into())
    );
    assert_eq!(
        (gce("1.23", gce_plugin), azure("1.23", azure_plugin)),
        ("fits".into(), "fits".into())
    );
    assert_eq!(
        (gce("1.26", ""), azure("1.26", "")),
        (GCE_FULL.into(), AZURE_FULL.into()),
        "the CSINode lists nothing"
    );
    assert_eq!(
        (gce("1.27", ""), azure("1.27", "")),
        (GCE_FULL.into(), "fits".into()),
        "nor need it for Azure"
    );
    assert_eq!(gce("1.28", ""), "fits", "nor for GCE");
}

#[test]
fn missing_claim_is_uncounted_then_error_then_rejects_node() {
    // Other plugins refuse such a pod before this one is asked.
    let ask = |version: &str| {
        at(version).with_cycle(full_node(objects![pod("p").claim("gone")]), "p", |prepared| {
            match EBS_LIMITS.prepare(&prepared.cycle) {
                Prepared::Skip => "skips".to_owned(),
                Prepared::Ready { .. } => "counts".to_owned(),
                Prepared::Failed(error) => format!("E {error}"),
                Prepared::Reject(r) => {
                    format!("{} {}", r.code.name(), r.texts(prepared.cycle.cluster()).join(", "))
                }
            }
        })
    };
    let text = "looking up PVC default/gone: persistentvolumeclaim \"gone\" not found";
    assert_eq!(
        (ask("1.15"), ask("1.16"), ask("1.22")),
        ("counts".into(), "skips".into(), "skips".into())
    );
    assert_eq!((ask("1.23"), ask("1.29")), (format!("E {text}"), format!("E {text}")));
    assert_eq!(ask("1.30"), format!("UnschedulableAndUnresolvable {text}"));
}

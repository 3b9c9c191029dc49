use serde_json::{Value, json};

use super::MissingDrivers;
use super::NodeVolumeLimits;
use crate::framework::plugin::{Plugin, Prepared};
use crate::framework::status::FilterVerdict;
use crate::framework::storage_evidence::{VolumeDriver, VolumeLimit};
use crate::testing::{
    at, attachment, claim, class, csi_driver, csi_node, decide, node, objects, pod, volume,
};

const EBS: &str = "ebs.csi.aws.com";
const FULL: &str = "U NodeVolumeLimits: node(s) exceed max volume count";

/// A node that takes `limit` volumes of the driver, and claims `a`, `b` and `c` bound to volumes of
/// it.
fn cluster(limit: i64) -> Vec<Value> {
    let bound = |name: &str| {
        let volume_name = format!("pv-{name}");
        objects![
            claim(name, "").bound(&volume_name),
            volume(&volume_name, "").csi(EBS, &format!("vol-{name}"))
        ]
    };
    [objects![node("n"), csi_node("n", &[(EBS, limit)])], bound("a"), bound("b"), bound("c")]
        .concat()
}

#[test]
fn volumes_of_a_driver_are_counted_once_each() {
    for (row, limit, pods, want) in [
        (
            "room for one more",
            2,
            objects![pod("v").claim("a").on("n"), pod("p").claim("b")],
            "fits",
        ),
        ("no room", 1, objects![pod("v").claim("a").on("n"), pod("p").claim("b")], FULL),
        ("no limit", -1, objects![pod("v").claim("a").on("n"), pod("p").claim("b")], "fits"),
        ("none at all", 0, objects![pod("p").claim("b")], FULL),
        ("two volumes of one pod", 1, objects![pod("p").claim("b").claim("c")], FULL),
        (
            "a claim that a pod on the node uses, too",
            1,
            objects![pod("v").claim("a").on("n"), pod("p").claim("a")],
            "fits",
        ),
        ("a claim used twice by the pod", 1, objects![pod("p").claim("a").claim("a")], "fits"),
        (
            "a finished pod",
            1,
            objects![pod("v").claim("a").on("n").phase("Failed"), pod("p").claim("b")],
            "fits",
        ),
        (
            "a claim that is not there, of another pod",
            1,
            objects![pod("v").claim("gone").on("n"), pod("p").claim("b")],
            "fits",
        ),
        (
            "a pod that is nominated to the node",
            1,
            objects![pod("v").claim("a").nominated("n"), pod("p").claim("b")],
            FULL,
        ),
    ] {
        assert_eq!(decide([cluster(limit), pods].concat(), "p").node("n"), want, "{row}");
    }
    let answer = decide(
        [cluster(1), objects![pod("v").claim("a").on("n"), pod("p").claim("b")]].concat(),
        "p",
    );
    let driver = VolumeDriver::Csi(answer.sym(EBS));
    let want = VolumeLimit { driver, limit: 1, attached: 1, wanted: 1 };
    assert_eq!(answer.evidence::<VolumeLimit>("n"), &want);
}

#[test]
fn volumes_that_are_still_attached_count() {
    let one_more = || objects![pod("p").claim("b")];
    for (row, more, want) in [
        ("attached, and no pod uses it", objects![attachment(EBS, "n", "pv-a")], FULL),
        ("attached elsewhere", objects![attachment(EBS, "m", "pv-a")], "fits"),
        (
            "attached, and a pod uses it",
            objects![attachment(EBS, "n", "pv-a"), pod("v").claim("a").on("n")],
            FULL,
        ),
        ("a volume that is not there", objects![attachment(EBS, "n", "gone")], "fits"),
        // The pod's own volume, left behind by its last incarnation, counts twice.
        ("the pod's own volume", objects![attachment(EBS, "n", "pv-b")], FULL),
    ] {
        assert_eq!(decide([cluster(1), more, one_more()].concat(), "p").node("n"), want, "{row}");
    }
}

#[test]
fn evicting_a_pod_makes_room_only_where_its_volume_is_not_attached() {
    let pods = || objects![pod("v").claim("a").on("n"), pod("p").claim("b").priority(10)];
    assert_eq!(decide([cluster(1), pods()].concat(), "p").dry_run("n"), "victims v, violations 0");
    let attached =
        decide([cluster(1), pods(), objects![attachment(EBS, "n", "pv-a")]].concat(), "p");
    assert_eq!(attached.dry_run("n"), "node(s) exceed max volume count");
}

#[test]
fn volumes_that_are_to_be_made_count_by_their_class() {
    let to_make = |provisioner: &str| {
        let made =
            objects![class("fast", provisioner), claim("new", "fast"), claim("newer", "fast")];
        let pods = objects![pod("v").claim("new").on("n"), pod("p").claim("newer")];
        decide([objects![node("n"), csi_node("n", &[(EBS, 1)])], made, pods].concat(), "p")
            .node("n")
    };
    assert_eq!(to_make(EBS), FULL);
    assert_eq!(
        to_make("kubernetes.io/aws-ebs"),
        FULL,
        "the in-tree provisioner has moved to the driver"
    );
    assert_eq!(to_make("other.example.com"), "fits");
    assert_eq!(to_make("kubernetes.io/vsphere-volume"), "fits", "never counted");
}

#[test]
fn in_tree_volumes_count_as_the_drivers() {
    let inline =
        |id: &str| pod("v").volume(json!({"awsElasticBlockStore": {"volumeID": id}})).on("n");
    let aws = volume("pv-t", "")
        .with("/spec/awsElasticBlockStore", json!({"volumeID": "aws://zone/vol-t"}));
    let with_claim = objects![
        claim("t", "").bound("pv-t"),
        aws,
        pod("v").claim("t").on("n"),
        pod("p").claim("b")
    ];
    for version in ["1.33", "1.37"] {
        let answer = at(version).decide([cluster(1), with_claim.clone()].concat(), "p");
        assert_eq!(answer.node("n"), FULL, "{version}");
    }
    for (row, id, want) in [
        ("a volume without a claim", "vol-x", FULL),
        ("the very volume that the pod uses", "aws:///vol-b", "fits"),
    ] {
        let answer = decide([cluster(1), objects![inline(id), pod("p").claim("b")]].concat(), "p");
        assert_eq!(answer.node("n"), want, "{row}");
    }
    let broken =
        decide([cluster(1), objects![inline("aws://zone/bad"), pod("p").claim("b")]].concat(), "p");
    let want = "running \"NodeVolumeLimits\" filter plugin: converting volume(v) from inline to csi: failed to translate \
                Kubernetes ID to EBS Volume ID Invalid format for AWS volume (aws://zone/bad)";
    assert_eq!(broken.message(), want);
}

#[test]
fn portworx_volumes_count_where_the_node_lists_the_plugin_and_everywhere_since_1_36() {
    let verdict = |version: &str, plugins: &str| {
        let drivers = csi_node("n", &[("pxd.portworx.com", 0)])
            .with("/metadata/annotations/storage.alpha.kubernetes.io~1migrated-plugins", plugins);
        let incoming = pod("p").volume(json!({"portworxVolume": {"volumeID": "v"}}));
        at(version).decide(objects![node("n"), drivers, incoming], "p").node("n")
    };
    for (version, plugins, want) in [
        ("1.35", "", "fits"),
        ("1.35", "kubernetes.io/aws-ebs,kubernetes.io/portworx-volume", FULL),
        ("1.36", "", FULL),
    ] {
        assert_eq!(verdict(version, plugins), want, "{version} {plugins}");
    }
}

#[test]
fn a_driver_may_ask_that_pods_keep_away_from_nodes_without_it() {
    let wanted = || csi_driver(EBS).with("/spec/preventPodSchedulingIfMissing", true);
    let missing = format!("U NodeVolumeLimits: {EBS} CSI driver is not installed on the node");
    let one = || {
        objects![
            claim("a", "").bound("pv"),
            volume("pv", "").csi(EBS, "vol-a"),
            pod("p").claim("a")
        ]
    };
    for (row, version, more, want) in [
        (
            "another driver only",
            "1.37",
            objects![wanted(), csi_node("n", &[("other", 1)])],
            missing.as_str(),
        ),
        ("no CSINode", "1.37", objects![wanted()], missing.as_str()),
        ("the driver is there", "1.37", objects![wanted(), csi_node("n", &[(EBS, -1)])], "fits"),
        ("the driver does not ask", "1.37", objects![csi_driver(EBS)], "fits"),
        ("before the gate was on", "1.36", objects![wanted()], "fits"),
    ] {
        let answer = at(version).decide([objects![node("n")], more, one()].concat(), "p");
        assert_eq!(answer.node("n"), want, "{row}");
    }
    let answer = decide([objects![node("n"), wanted()], one()].concat(), "p");
    assert_eq!(
        answer.evidence::<MissingDrivers>("n"),
        &MissingDrivers { drivers: [answer.sym(EBS)].into() }
    );
}

#[test]
fn the_claim_of_an_ephemeral_volume_must_be_the_pods_own() {
    let foreign = || claim("v-v", "").bound("pv-a").of_pod("somebody");
    let ephemeral = |name: &str| pod(name).volume(json!({"ephemeral": {}}));
    let pods = objects![foreign(), ephemeral("v").on("n"), pod("p").claim("b")];
    let want = "running \"NodeVolumeLimits\" filter plugin: PVC default/v-v was not created for pod default/v (pod is not \
                owner)";
    assert_eq!(decide([cluster(1), pods].concat(), "p").message(), want);
}

/// The result for `p` on `n`.
fn verdict(version: &str, objects: Vec<Value>) -> String {
    at(version).decide(objects, "p").node("n")
}

#[test]
fn the_predicate_bore_another_name_and_rejected_nothing_in_1_12() {
    let full = || {
        let room = node("n").allocatable(&format!("attachable-volumes-csi-{EBS}"), "0");
        [
            objects![room, claim("a", "").bound("pv-a"), volume("pv-a", "").csi(EBS, "vol-a")],
            objects![pod("p").claim("a")],
        ]
        .concat()
    };
    assert_eq!(verdict("1.12", full()), "fits");
    assert_eq!(verdict("1.13", full()), "U MaxCSIVolumeCountPred: node(s) exceed max volume count");
}

#[test]
fn limits_are_the_nodes_up_to_1_31_and_the_csi_nodes_since_1_16() {
    let limited = |of_node: &str, of_csi_node: i64| {
        let room = node("n").allocatable(&format!("attachable-volumes-csi-{EBS}"), of_node);
        let mut objects = cluster(of_csi_node);
        objects[0] = room.into();
        [objects, objects![pod("v").claim("a").on("n"), pod("p").claim("b")]].concat()
    };
    for (version, of_node, of_csi_node, want) in [
        ("1.15", "1", 5, "U MaxCSIVolumeCountPred: node(s) exceed max volume count"),
        ("1.15", "5", 1, "fits"),
        ("1.16", "1", 5, "fits"),
        ("1.16", "5", 1, "U MaxCSIVolumeCountPred: node(s) exceed max volume count"),
        ("1.31", "1", -1, FULL),
        ("1.32", "1", -1, "fits"),
    ] {
        assert_eq!(
            verdict(version, limited(of_node, of_csi_node)),
            want,
            "{version} {of_node} {of_csi_node}"
        );
    }
}

#[test]
fn the_resource_of_a_long_driver_name_is_short() {
    // `attachable-volumes-csi-` and this name are 62 and 63 characters.
    let (short, long) =
        ("a123456789b123456789c123456789d12345678", "a123456789b123456789c123456789d123456789");
    let limited = |driver: &str, resource: &str| {
        let room = node("n").allocatable(&format!("attachable-volumes-csi-{resource}"), "0");
        let source = volume("pv", "").csi(driver, "vol");
        verdict("1.22", objects![room, claim("c", "").bound("pv"), source, pod("p").claim("c")])
    };
    assert_eq!(limited(short, short), FULL);
    assert_eq!(limited(long, long), "fits");
    // `printf %s NAME | sha1sum`
    assert_eq!(limited(long, "a123456789b123456789c121907fe8d37b96c2c"), FULL);
}

#[test]
fn attached_volumes_count_since_1_32() {
    let objects =
        || [cluster(1), objects![attachment(EBS, "n", "pv-a"), pod("p").claim("b")]].concat();
    assert_eq!(verdict("1.31", objects()), "fits");
    assert_eq!(verdict("1.32", objects()), FULL);
}

#[test]
fn volumes_to_be_made_count_since_1_15_and_know_the_annotation_since_1_16() {
    let of_class = |claim: crate::testing::Claim| {
        let room = node("n").allocatable(&format!("attachable-volumes-csi-{EBS}"), "0");
        objects![room, class("fast", EBS), claim, pod("p").claim("c")]
    };
    let plain = || of_class(claim("c", "fast"));
    let annotated = || {
        of_class(
            claim("c", "")
                .with("/metadata/annotations/volume.beta.kubernetes.io~1storage-class", "fast"),
        )
    };
    let full = "U MaxCSIVolumeCountPred: node(s) exceed max volume count";
    assert_eq!(verdict("1.14", plain()), "fits");
    assert_eq!(verdict("1.15", plain()), full);
    assert_eq!(verdict("1.15", annotated()), "fits");
    assert_eq!(verdict("1.16", annotated()), full);
}

#[test]
fn handles_are_told_apart_by_driver_since_1_16() {
    let objects = || {
        let room = node("n").allocatable(&format!("attachable-volumes-csi-{EBS}"), "0");
        let (one, other) = (
            volume("pv-a", "").csi("other.example.com", "same"),
            volume("pv-b", "").csi(EBS, "same"),
        );
        let claims = objects![claim("a", "").bound("pv-a"), claim("b", "").bound("pv-b")];
        [
            objects![room, one, other],
            claims,
            objects![pod("v").claim("a").on("n"), pod("p").claim("b")],
        ]
        .concat()
    };
    assert_eq!(verdict("1.15", objects()), "fits", "the volume is on the node already");
    assert_eq!(
        verdict("1.16", objects()),
        "U MaxCSIVolumeCountPred: node(s) exceed max volume count"
    );
}

#[test]
fn ephemeral_volumes_count_since_1_23_and_volumes_without_a_claim_since_1_25() {
    let ephemeral = || {
        let own = claim("p-v", "fast").of_pod("p");
        [cluster(0), objects![class("fast", EBS), own, pod("p").volume(json!({"ephemeral": {}}))]]
            .concat()
    };
    assert_eq!(verdict("1.22", ephemeral()), "fits");
    assert_eq!(verdict("1.23", ephemeral()), FULL);
    let inline = || {
        let mut objects = [
            cluster(0),
            objects![pod("p").volume(json!({"awsElasticBlockStore": {"volumeID": "x"}}))],
        ]
        .concat();
        objects[1]["metadata"]["annotations"]["storage.alpha.kubernetes.io/migrated-plugins"] =
            "kubernetes.io/aws-ebs".into();
        objects
    };
    assert_eq!(verdict("1.24", inline()), "fits");
    assert_eq!(verdict("1.25", inline()), FULL);
}

#[test]
fn missing_claim_is_uncounted_then_error_then_rejects_node() {
    // Other plugins refuse such a pod before this one is asked.
    let ask = |version: &str| {
        at(version).with_cycle(
            [cluster(1), objects![pod("p").claim("gone")]].concat(),
            "p",
            |prepared| {
                let Prepared::Ready { filter, .. } = NodeVolumeLimits.prepare(&prepared.cycle)
                else {
                    panic!("a filter")
                };
                match filter.check(&prepared.cycle.view.infos()[0]) {
                    FilterVerdict::Fits => "fits".to_owned(),
                    FilterVerdict::Failed(failure) => format!("E {}", failure.text()),
                    FilterVerdict::Rejected(r) => format!(
                        "{} {}",
                        r.code.name(),
                        r.texts(prepared.cycle.cluster()).join(", ")
                    ),
                }
            },
        )
    };
    let text = "looking up PVC default/gone: persistentvolumeclaim \"gone\" not found";
    assert_eq!(ask("1.22"), "fits");
    assert_eq!((ask("1.23"), ask("1.29")), (format!("E {text}"), format!("E {text}")));
    assert_eq!(ask("1.30"), format!("UnschedulableAndUnresolvable {text}"));
}

#[test]
fn openstack_and_portworx_volumes_became_the_drivers() {
    let verdict = |version: &str, driver: &str, source: (&str, Value), plugins: &str| {
        let drivers = csi_node("n", &[(driver, 0)])
            .with("/metadata/annotations/storage.alpha.kubernetes.io~1migrated-plugins", plugins);
        let disk = volume("pv", "").with(&format!("/spec/{}", source.0), source.1);
        verdict(
            version,
            objects![node("n"), drivers, claim("c", "").bound("pv"), disk, pod("p").claim("c")],
        )
    };
    let cinder = |version: &str, plugins: &str| {
        verdict(version, "cinder.csi.openstack.org", ("cinder", json!({"volumeID": "v"})), plugins)
    };
    let portworx = |version: &str, plugins: &str| {
        verdict(version, "pxd.portworx.com", ("portworxVolume", json!({"volumeID": "v"})), plugins)
    };
    assert_eq!(cinder("1.20", "kubernetes.io/cinder"), "fits");
    assert_eq!(cinder("1.21", "kubernetes.io/cinder"), FULL);
    assert_eq!(cinder("1.23", ""), "fits", "the CSINode lists nothing");
    assert_eq!(cinder("1.24", ""), FULL, "it need not");
    assert_eq!(portworx("1.30", "kubernetes.io/portworx-volume"), "fits");
    assert_eq!(portworx("1.31", "kubernetes.io/portworx-volume"), FULL);
}

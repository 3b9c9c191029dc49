//! What pods of a group take from later ones: devices and volumes.

use serde_json::{Value, json};

use super::{ON, gang, member, told};
use crate::testing::{Pod, claim, class, node, objects, volume};

fn of_devices(kind: &str, name: &str, spec: Value) -> Value {
    let mut object =
        json!({"apiVersion": "resource.k8s.io/v1", "kind": kind, "metadata": {"name": name}});
    object["spec"] = spec;
    object
}

fn gpu_class() -> Value {
    of_devices("DeviceClass", "gpu", json!({"extendedResourceName": "example.com/gpu"}))
}

/// That many devices of a node.
fn gpus(node: &str, count: usize) -> Value {
    let devices: Vec<Value> = (0..count).map(|i| json!({"name": format!("d{i}")})).collect();
    slice(node, json!(devices))
}

fn slice(node: &str, devices: Value) -> Value {
    let pool = json!({"name": node, "generation": 1, "resourceSliceCount": 1});
    let mut spec = json!({"driver": "gpu.example.com", "nodeName": node, "pool": pool});
    spec["devices"] = devices;
    of_devices("ResourceSlice", node, spec)
}

/// A claim for one device.
fn wants(name: &str) -> Value {
    wants_with(name, json!({"deviceClassName": "gpu"}))
}

fn wants_with(name: &str, exactly: Value) -> Value {
    let mut request = json!({"name": "r"});
    request["exactly"] = exactly;
    let mut claim = of_devices("ResourceClaim", name, json!({"devices": {"requests": [request]}}));
    claim["metadata"]["namespace"] = "default".into();
    claim
}

/// A member with these claims, in order.
fn with(name: &str, cpu: &str, claims: &[&str]) -> Pod {
    let used = |pod: Pod, claim: &&str| {
        pod.push("/spec/resourceClaims", json!({"name": claim, "resourceClaimName": claim}))
    };
    claims.iter().fold(member(name, cpu), used)
}

/// A gang of these pods, each of which has a claim of its own for a device.
fn gang_with_devices(pods: &[&str]) -> Vec<Value> {
    let mut objects = objects![gang(pods.len() as i64)];
    for pod in pods {
        let claim = format!("c{pod}");
        objects.extend(objects![wants(&claim), with(pod, "1", &[claim.as_str()])]);
    }
    objects
}

/// A gang of `a` and `b`, each of which has a claim of its own for a volume of a class.
fn gang_with_volumes(class: &str, cpu: &str) -> Vec<Value> {
    objects![
        gang(2),
        claim("ca", class),
        claim("cb", class),
        member("a", cpu).claim("ca"),
        member("b", cpu).claim("cb")
    ]
}

/// Three pods with a device of their own and one that they share, on a node of three devices;
/// `order` is that of a pod's claims.
fn beside_own(order: fn(&'static str) -> [&'static str; 2]) -> Vec<Value> {
    objects![
        node("n1").cpu("8"),
        gpu_class(),
        gpus("n1", 3),
        gang(3),
        wants("both"),
        wants("ca"),
        wants("cb"),
        wants("cc"),
        with("a", "1", &order("ca")),
        with("b", "1", &order("cb")),
        with("c", "1", &order("cc"))
    ]
}

#[test]
fn devices_of_a_pod_are_unavailable_to_later_pods() {
    let (one, two) = (|| node("n1").cpu("8"), || node("n2").cpu("8"));
    let shares = |device: &str| json!([{"name": device, "allowMultipleAllocations": true, "capacity": {"memory": {"value": "10Gi"}}}]);
    let part = |name: &str| {
        wants_with(
            name,
            json!({"deviceClassName": "gpu", "capacity": {"requests": {"memory": "6Gi"}}}),
        )
    };
    for (row, objects, expected) in [
        (
            "the third finds none",
            [objects![one(), gpu_class(), gpus("n1", 2)], gang_with_devices(&["a", "b", "c"])]
                .concat(),
            "Unschedulable: a@n1 b@n1 c@-",
        ),
        (
            "the second takes another node",
            [
                objects![one(), two(), gpu_class(), gpus("n1", 1), gpus("n2", 1)],
                gang_with_devices(&["a", "b"]),
            ]
            .concat(),
            "Schedulable: a@n1 b@n2",
        ),
        (
            "a claim that pods share gets devices once",
            objects![
                one(),
                gpu_class(),
                gpus("n1", 1),
                gang(2),
                wants("both"),
                with("a", "1", &["both"]),
                with("b", "1", &["both"])
            ],
            "Schedulable: a@n1 b@n1",
        ),
        (
            "a shared claim keeps the pods on the node of its devices",
            objects![
                one(),
                two(),
                gpu_class(),
                gpus("n1", 1),
                gpus("n2", 1),
                gang(2),
                wants("both"),
                with("a", "5", &["both"]),
                with("b", "5", &["both"])
            ],
            "Unschedulable: a@n1 b@-",
        ),
        (
            "a shared claim after an own one is counted right",
            beside_own(|own| [own, "both"]),
            "Unschedulable: a@n1 b@n1 c@-",
        ),
        (
            "a shared claim before an own one counts as that one, whose device is given twice",
            beside_own(|own| ["both", own]),
            "Schedulable: a@n1 b@n1 c@n1",
        ),
        (
            "extended resources that are devices",
            objects![
                one(),
                gpu_class(),
                gpus("n1", 1),
                gang(2),
                member("a", "1").requests("example.com/gpu", "1"),
                member("b", "1").requests("example.com/gpu", "1")
            ],
            "Unschedulable: a@n1 b@-",
        ),
        (
            "parts of a device",
            objects![
                one(),
                gpu_class(),
                slice("n1", shares("d0")),
                gang(2),
                part("ca"),
                part("cb"),
                with("a", "1", &["ca"]),
                with("b", "1", &["cb"])
            ],
            "Unschedulable: a@n1 b@-",
        ),
        (
            "a device held for admin access is still available",
            objects![
                one(),
                gpu_class(),
                gpus("n1", 1),
                gang(2),
                wants_with("ca", json!({"deviceClassName": "gpu", "adminAccess": true})),
                wants("cb"),
                with("a", "1", &["ca"]),
                with("b", "1", &["cb"])
            ],
            "Schedulable: a@n1 b@n1",
        ),
    ] {
        assert_eq!(told(objects, ON), expected, "{row}");
    }
}

#[test]
fn volumes_of_a_pod_are_unavailable_to_later_pods() {
    let nodes = || objects![node("n1").cpu("8").zone("a"), node("n2").cpu("8").zone("b")];
    let local = || class("local", "kubernetes.io/no-provisioner");
    let made = || class("made", "csi.example.com");
    let in_zone = |name: &str, zone: &str| volume(name, "local").on_nodes("zone", zone);
    for (row, objects, expected) in [
        (
            "one volume for two claims",
            [objects![local(), in_zone("pv", "a")], gang_with_volumes("local", "1")].concat(),
            "Unschedulable: a@n1 b@-",
        ),
        (
            "one on each node",
            [
                objects![local(), in_zone("pv1", "a"), in_zone("pv2", "b")],
                gang_with_volumes("local", "1"),
            ]
            .concat(),
            "Schedulable: a@n1 b@n2",
        ),
        (
            "one for a claim that both use",
            objects![
                local(),
                in_zone("pv1", "a"),
                in_zone("pv2", "b"),
                gang(2),
                claim("both", "local"),
                member("a", "5").claim("both"),
                member("b", "5").claim("both")
            ],
            "Unschedulable: a@n1 b@-",
        ),
        (
            "a volume that is made for one node",
            objects![
                made(),
                gang(2),
                claim("both", "made"),
                member("a", "5").claim("both"),
                member("b", "5").claim("both")
            ],
            "Unschedulable: a@n1 b@-",
        ),
        (
            "volumes that are made for each",
            [objects![made()], gang_with_volumes("made", "5")].concat(),
            "Schedulable: a@n1 b@n2",
        ),
    ] {
        assert_eq!(told([nodes(), objects].concat(), ON), expected, "{row}");
    }
}

/// Which of two volumes of the same size a claim gets is not in the API; it matters if they are not
/// alike.
#[test]
fn equal_volumes_make_a_group_unsure() {
    let notes = |other: &str| {
        let zone = "zone";
        let objects = objects![
            node("n1").cpu("8").zone("a"),
            class("local", "kubernetes.io/no-provisioner"),
            volume("pv1", "local").on_nodes(zone, "a"),
            volume("pv2", "local").on_nodes(zone, "a").on_nodes(zone, other)
        ];
        let objects = [objects, gang_with_volumes("local", "1")].concat();
        super::decided(objects, ON, |decision| {
            decision.notes.iter().any(|note| note.doc.code == "PRE-929")
        })
    };
    assert!(notes("b"), "one is for two zones");
    let objects = objects![
        node("n1").cpu("8").zone("a"),
        class("local", "kubernetes.io/no-provisioner"),
        volume("pv1", "local"),
        volume("pv2", "local")
    ];
    let objects = [objects, gang_with_volumes("local", "1")].concat();
    assert!(!super::decided(objects, ON, |decision| decision.is_unsure()), "they are alike");
}

/// A group that does not fit gives up what its claims hold, if no pod of it has a node yet.
#[test]
fn claims_of_a_group_that_does_not_fit() {
    const GATES: &str = "GenericWorkload=true,DRAWorkloadResourceClaims=true";
    let world = |node_name: &str, by: &str, cpu: &str| {
        let mut group = gang(1);
        group["metadata"]["uid"] = "uid-gang".into();
        group["spec"]["resourceClaims"] = json!([{"name": "c", "resourceClaimName": "c"}]);
        let mut held = wants("c");
        let names = json!({"key": "metadata.name", "operator": "In", "values": [node_name]});
        held["status"] = json!({
            "allocation": {
                "devices": {"results": [{"request": "r", "driver": "gpu.example.com", "pool": "n1", "device": "d0"}]},
                "nodeSelector": {"nodeSelectorTerms": [{"matchFields": [names]}]},
            },
            "reservedFor": [{"apiGroup": "scheduling.k8s.io", "resource": "podgroups", "name": "gang", "uid": by}],
        });
        objects![
            node("n1").cpu("2"),
            gpu_class(),
            gpus("n1", 1),
            group,
            held,
            with("a", cpu, &["c"])
        ]
    };
    let told = |objects, gates: &str| {
        super::decided(objects, gates, |decision| {
            decision.condition.map(|condition| condition.message).unwrap_or_default()
        })
    };
    let none = "pod group preemption: No preemption victims found for incoming preemptor";
    for (row, objects, gates, expected) in [
        (
            "its reservation",
            world("n1", "uid-gang", "4"),
            GATES,
            "ResourceClaim unreserved for PodGroup",
        ),
        ("not that of others", world("n1", "uid-b", "4"), GATES, none),
        ("not without the gate", world("n1", "uid-gang", "4"), ON, none),
        (
            "its devices, and what has a lower priority is looked for",
            world("n2", "uid-gang", "1"),
            GATES,
            none,
        ),
    ] {
        let message = told(objects, gates);
        assert_eq!(
            message,
            format!("minCount (1) cannot be satisfied: 0 scheduled, 0 remaining, {expected}"),
            "{row}"
        );
    }
    let mut devices = world("n2", "uid-gang", "1");
    let never = devices.pop().map(|mut pod| {
        pod["spec"]["preemptionPolicy"] = "Never".into();
        pod
    });
    devices.extend(never);
    assert_eq!(
        told(devices, GATES),
        "minCount (1) cannot be satisfied: 0 scheduled, 0 remaining, deallocation of PodGroup ResourceClaim completed, \
         pod group preemption: not eligible due to preemptionPolicy=Never."
    );
}

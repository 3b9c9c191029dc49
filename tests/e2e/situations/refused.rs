//! Pods that get no node, and whom throwing others out does not help; and some that get one.

use serde_json::json;

use super::Outcome::{Binds, Ignores, Refuses};
use super::Situation;
use crate::objects::{claim, device_on, node, node_in, pod, storage_class, volume_on};

const ZONE: &str = "topology.kubernetes.io/zone";
const HOST: &str = "kubernetes.io/hostname";

pub static SITUATIONS: &[Situation] = &[
    Situation::new(
        "cpu is short, and nobody is less important",
        || {
            vec![
                node("n1", "2"),
                node("n2", "2"),
                pod("a").cpu("2").on("n1"),
                pod("b").cpu("1500m").on("n2"),
            ]
        },
        || pod("p").cpu("1"),
        Refuses("2 No preemption victims found for incoming pod"),
    )
    .smoke(),
    Situation::new(
        "too big for every node",
        || vec![node("n1", "2"), node("n2", "3"), pod("a").cpu("1").class("low").on("n1")],
        || pod("p").cpu("4").class("high"),
        Refuses("2 Insufficient cpu. preemption: 0/2 nodes are available"),
    )
    .smoke(),
    Situation::new(
        "a taint that it does not tolerate",
        || vec![node("n1", "2").taint("gpu"), node("n2", "2").taint("gpu")],
        || pod("p").cpu("1").class("high"),
        Refuses("untolerated taint"),
    )
    .smoke(),
    Situation::new(
        "a label that no node has",
        || vec![node("n1", "2"), node("n2", "2")],
        || pod("p").with("/spec/nodeSelector/disk", json!("ssd")),
        Refuses("2 node(s) didn't match Pod's node affinity/selector"),
    )
    .smoke(),
    Situation::new(
        "a node that there is not",
        || vec![node("n1", "2"), node("n2", "2")],
        || {
            let field = json!({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n9"]}]});
            pod("p").with(
                "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms",
                json!([field]),
            )
        },
        Refuses("0/2 nodes are available"),
    ),
    Situation::new(
        "cordoned nodes",
        || vec![node("n1", "2").with("/spec/unschedulable", json!(true)), node("n2", "500m")],
        || pod("p").cpu("1").class("high"),
        Refuses("1 node(s) were unschedulable"),
    ),
    Situation::new(
        "a port that equals hold",
        || {
            vec![
                node("n1", "2"),
                node("n2", "2"),
                pod("a").port(80).on("n1"),
                pod("b").port(80).on("n2"),
            ]
        },
        || pod("p").port(80),
        Refuses("2 node(s) didn't have free ports"),
    ),
    Situation::new(
        "no nearness to its own kind",
        || {
            let kin = |name| pod(name).label("app", "web").class("high");
            vec![node("n1", "2"), node("n2", "2"), kin("a").on("n1"), kin("b").on("n2")]
        },
        || pod("p").label("app", "web").class("high").near("podAntiAffinity", "web", HOST),
        Refuses("2 node(s) didn't match pod anti-affinity rules"),
    ),
    Situation::new(
        "others that bear no nearness",
        || {
            let shy = pod("shy").class("high").near("podAntiAffinity", "web", ZONE);
            vec![node_in("east", "n1", "2"), node_in("east", "n2", "2"), shy.on("n1")]
        },
        || pod("p").label("app", "web"),
        Refuses("2 node(s) didn't satisfy existing pods anti-affinity rules"),
    )
    .smoke(),
    Situation::new(
        "company that is nowhere",
        || {
            vec![
                node_in("east", "n1", "2"),
                node_in("west", "n2", "2"),
                pod("a").label("app", "other").on("n1"),
            ]
        },
        || pod("p").class("high").near("podAffinity", "cache", ZONE),
        Refuses("2 node(s) didn't match pod affinity rules"),
    ),
    Situation::new(
        "zones that would be too uneven, and a node without one",
        || {
            let web = |name| pod(name).label("app", "web").class("high").cpu("1");
            vec![
                node_in("east", "n1", "4"),
                node_in("west", "n2", "1"),
                node("n3", "4"),
                web("a").on("n1"),
                pod("b").class("high").cpu("1").on("n2"),
            ]
        },
        || pod("p").label("app", "web").class("high").cpu("1").spread("web", ZONE),
        Refuses("node(s) didn't match pod topology spread constraints"),
    ),
    Situation::new(
        "too polite to preempt",
        || vec![node("n1", "1"), pod("a").cpu("1").class("low").on("n1")],
        || pod("p").cpu("1").class("polite"),
        Refuses("preemption: not eligible due to preemptionPolicy=Never."),
    )
    .smoke(),
    Situation::new(
        "a claim that there is not",
        || vec![node("n1", "2")],
        || pod("p").claim("data"),
        Refuses("persistentvolumeclaim \"data\" not found"),
    ),
    Situation::new(
        "a claim that nobody binds",
        || vec![node("n1", "2"), storage_class("now", "Immediate"), claim("data", "now")],
        || pod("p").claim("data"),
        Refuses("pod has unbound immediate PersistentVolumeClaims"),
    ),
    Situation::new(
        "a claim that no volume is for",
        || {
            vec![
                node("n1", "2"),
                node("n2", "2"),
                storage_class("later", "WaitForFirstConsumer"),
                claim("data", "later"),
            ]
        },
        || pod("p").claim("data"),
        Refuses("2 node(s) didn't find available persistent volumes to bind"),
    ),
    Situation::new(
        "a volume that is on another node, which is full",
        || {
            let mut view = vec![
                node("n1", "1"),
                node("n2", "2"),
                storage_class("later", "WaitForFirstConsumer"),
                pod("a").cpu("1").class("high").on("n1"),
            ];
            view.extend(volume_on("n1", "data", "later"));
            view
        },
        || pod("p").cpu("1").class("high").claim("data"),
        Refuses("1 Insufficient cpu"),
    ),
    Situation::new(
        "a device that is not what is asked for",
        || [node("n1", "2"), node("n2", "2")].into_iter().chain(device_on("n1", "big")).collect(),
        || {
            pod("p")
                .class("high")
                .with("/spec/resourceClaims", json!([{"name": "gpu", "resourceClaimName": "big"}]))
                .with("/spec/containers/0/resources/claims", json!([{"name": "gpu"}]))
        },
        Refuses("2 cannot allocate all claims"),
    ),
    Situation::new(
        "as many pods as a node takes",
        || {
            let pods = (0..2).map(|i| pod(&format!("a{i}")).on("n1"));
            [node("n1", "8").offers("pods", "2"), node("n2", "8").offers("pods", "0")]
                .into_iter()
                .chain(pods)
                .collect()
        },
        || pod("p"),
        Refuses("2 Too many pods"),
    ),
    Situation::new(
        "every node for another reason",
        || {
            vec![
                node("n1", "1"),
                node("n2", "4").taint("gpu"),
                node("n3", "4").with("/spec/unschedulable", json!(true)),
                node("n4", "4").label("disk", "ssd").offers("example.com/gpu", "1"),
                node("n5", "4").label("disk", "ssd"),
                pod("a").asks("example.com/gpu", "1").class("high").on("n4"),
            ]
        },
        || pod("p").cpu("2").asks("memory", "1Gi").asks("example.com/gpu", "1").class("high"),
        Refuses("0/5 nodes are available"),
    )
    .smoke(),
    Situation::new(
        "a gate",
        || vec![node("n1", "2")],
        || pod("p").with("/spec/schedulingGates", json!([{"name": "example.com/wait"}])),
        Ignores,
    ),
    Situation::new(
        "another scheduler's",
        || vec![node("n1", "2")],
        || pod("p").with("/spec/schedulerName", json!("mine")),
        Ignores,
    ),
    Situation::new(
        "one node is free",
        || {
            vec![
                node("n1", "2"),
                node("n2", "2"),
                node("n3", "2").taint("gpu"),
                pod("a").cpu("2").on("n1"),
            ]
        },
        || pod("p").cpu("1"),
        Binds("n2"),
    )
    .smoke(),
    Situation::new(
        "several nodes are free, one is best",
        || {
            let busy = |name, cpu| pod(name).cpu(cpu).asks("memory", "1Gi");
            vec![
                node("n1", "4"),
                node("n2", "4"),
                node("n3", "4"),
                busy("a", "3").on("n1"),
                busy("b", "1").on("n2"),
                busy("c", "2").on("n3"),
            ]
        },
        || pod("p").cpu("1").asks("memory", "256Mi"),
        Binds("n2"),
    ),
];

use serde_json::Value;

use super::{Exposure, OnNode, Risk, WorkloadRisk, assess};
use model::cluster::{Cluster, PodIx};
use scheduler::framework::cluster_view::ClusterView;
use testing::{NOW, Pod, at, budget, cluster, node, objects, pod, priority_class};

fn risk(cluster: &Cluster, declared: &[&str]) -> Risk {
    let profile = at("1.37").profile();
    let view = ClusterView::new(cluster, &profile);
    let running: Vec<PodIx> = cluster.pod_indices().collect();
    let declared: Vec<PodIx> =
        declared.iter().filter_map(|name| cluster.find_pod("default", name)).collect();
    assess(&[view], &|_| 0, &running, &declared, NOW.parse().unwrap())
}

fn workload<'r>(risk: &'r Risk, name: &str) -> &'r WorkloadRisk {
    risk.workloads.iter().find(|workload| workload.workload.name == name).expect("a workload")
}

fn exposures(risk: &Risk) -> String {
    let pods = risk.pods().map(|risk| format!("{}={}", risk.pod.name, risk.exposure.name()));
    let mut found: Vec<String> = pods.collect();
    found.sort();
    found.join(" ")
}

fn web(name: &str, node: &str) -> Pod {
    pod(name).cpu("1").label("app", "web").on(node).replica_of("web")
}

fn nodes() -> Vec<Value> {
    objects![node("n1").cpu("2"), node("n2").cpu("2"), priority_class("high", 1000)]
}

#[test]
fn workload_below_no_priority_class_is_safe() {
    let top = |name| web(name, "n1").priority(2_000_001_000);
    for (row, more, want) in [
        ("a class above", objects![web("a", "n1")], "a=Exposed"),
        ("only the system above", objects![web("a", "n1").priority(1000)], "a=Exposed"),
        ("nothing above", objects![top("a")], "a=Safe"),
        (
            "a pod without a class above",
            objects![top("a"), pod("b").on("n1").priority(2_000_002_000)],
            "a=Exposed b=Safe",
        ),
        (
            "one that does not preempt",
            objects![top("a"), pod("b").on("n1").priority(2_000_002_000).never_preempts()],
            "a=Safe b=Safe",
        ),
    ] {
        let cluster = cluster([nodes(), more].concat());
        assert_eq!(exposures(&risk(&cluster, &[])), want, "{row}");
    }
}

#[test]
fn pods_that_wait_have_victims_now() {
    let cluster = cluster(
        [
            nodes(),
            objects![
                web("a", "n1"),
                web("b", "n1"),
                web("c", "n2"),
                web("d", "n2").priority(2000),
                pod("waits").cpu("1").priority(1000),
            ],
        ]
        .concat(),
    );
    let found = risk(&cluster, &[]);
    // On n1 b is the victim, and a is spared; c would be the victim on n2.
    assert_eq!(exposures(&found), "a=Candidate b=Victim c=Candidate d=Exposed");
    assert!(found.declared.is_empty());
}

#[test]
fn a_named_preemptor_reaches_its_candidate_nodes_alone() {
    let cluster = cluster(
        [
            nodes(),
            objects![
                web("a", "n1"),
                web("b", "n1").priority(5),
                web("c", "n2").cpu("2"),
                pod("one").cpu("1").priority(1000).selects_nodes("kubernetes.io/hostname", "n3"),
                pod("two").cpu("1").priority(1000).with("/spec/nodeSelector", Value::Null),
            ],
        ]
        .concat(),
    );
    let nowhere = risk(&cluster, &["one"]);
    assert_eq!(exposures(&nowhere), "a=Safe b=Safe c=Safe", "no node has the label");
    let found = risk(&cluster, &["two"]);
    assert_eq!(exposures(&found), "a=Victim b=Exposed c=Candidate");
    let victims: Vec<usize> = found.declared[0]
        .nodes
        .iter()
        .map(|(_, on)| if let OnNode::Preempts(pods) = on { pods.len() } else { 0 })
        .collect();
    assert_eq!(victims, [1, 1]);
    assert!(workload(&found, "web").preemptors.is_empty(), "the question names the preemptor");
}

#[test]
fn all_at_once_and_budgets() {
    let scene = |second: &str| {
        let web = objects![
            web("a", "n1"),
            web("b", second),
            budget("pdb").selects("app", "web").allowed(1)
        ];
        cluster([nodes(), web].concat())
    };
    let (together, apart) = (scene("n1"), scene("n2"));
    let of = |cluster: &Cluster| workload(&risk(cluster, &[]), "web").clone();
    assert!(of(&together).all_at_once && !of(&apart).all_at_once);
    assert_eq!(of(&together).budgets.len(), 1);
    assert_eq!(of(&together).count(Exposure::Exposed), 2);
}

#[test]
fn replicas_elsewhere_keep_a_workload_from_going_at_once() {
    let cluster =
        cluster([nodes(), objects![web("a", "n1"), web("b", "n1"), web("c", "n2")]].concat());
    let profile = at("1.37").profile();
    let view = ClusterView::new(&cluster, &profile);
    let on_n1: Vec<PodIx> =
        ["a", "b"].iter().filter_map(|name| cluster.find_pod("default", name)).collect();
    let found = assess(&[view], &|_| 0, &on_n1, &[], NOW.parse().unwrap());
    let web = workload(&found, "web");
    assert_eq!(
        (web.pods.len(), web.running, web.all_on.as_deref(), web.all_at_once),
        (2, 3, None, false)
    );
}

#[test]
fn a_replica_beside_the_one_that_is_asked_about_goes_with_it() {
    let cluster = cluster([nodes(), objects![web("a", "n1"), web("b", "n1")]].concat());
    let profile = at("1.37").profile();
    let view = ClusterView::new(&cluster, &profile);
    let one: Vec<PodIx> = cluster.find_pod("default", "a").into_iter().collect();
    let found = assess(&[view], &|_| 0, &one, &[], NOW.parse().unwrap());
    let web = workload(&found, "web");
    assert_eq!((web.pods.len(), web.running, web.all_at_once), (1, 2, true));
}

#[test]
fn pods_are_evicted_for_the_pods_whose_turn_it_is() {
    let waits = |name| pod(name).cpu("2").priority(1000);
    let cluster = cluster(
        [
            nodes(),
            objects![
                node("n3").cpu("2"),
                web("a", "n1").cpu("2"),
                web("b", "n2").cpu("2"),
                web("c", "n3").cpu("2")
            ],
            objects![waits("first"), waits("second")],
        ]
        .concat(),
    );
    let found = risk(&cluster, &[]);
    let web = workload(&found, "web");
    // Each pod alone may choose any of the three nodes; together they evict two.
    assert_eq!((web.count(Exposure::Victim), web.count(Exposure::Candidate)), (2, 1));
    assert_eq!(web.evicted(), 2);
    let mut by: Vec<String> =
        web.pods.iter().filter_map(|pod| Some(pod.evicted_by.as_ref()?.full_name())).collect();
    by.sort();
    assert_eq!(by, ["default/first", "default/second"]);
}

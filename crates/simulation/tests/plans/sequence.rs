use std::ops::ControlFlow;

use serde_json::{Value, json};

use model::cluster::PodIx;
use simulation::plan::Afterwards;
use simulation::sequence::{Position, SimulationSettings, Watch, each_in_order, run};
use testing::{
    NOW, Pod, assert_begins, at, budget, claim, class, cluster, csi_node, device_class, find, node,
    objects, pod, scene, simulate, volume,
};

fn replica(name: &str) -> Pod {
    pod(name).cpu("2").replica_of("web")
}

#[test]
fn pods_come_by_priority_and_then_by_age() {
    let objects = objects![
        node("n").cpu("4"),
        pod("young").priority(5).created("2025-12-02T00:00:00Z"),
        pod("old").priority(5).created("2025-12-01T00:00:00Z"),
        pod("low").created("2025-11-01T00:00:00Z"),
        pod("ageless").priority(5),
        pod("high").priority(9).created(NOW),
    ];
    let order = ["high fits n", "old fits n", "young fits n", "ageless fits n", "low fits n"];
    assert_eq!(
        simulate(objects.clone(), &["young", "old", "low", "ageless", "high"]).steps(),
        order
    );
    assert_eq!(simulate(objects, &["ageless", "low", "old", "high", "young"]).steps(), order);
}

#[test]
fn each_sees_where_the_former_went() {
    let pods = |n: usize| (0..n).map(|i| pod(&format!("p{i}")).cpu("2").into());
    let mut objects = objects![node("n1").cpu("4")];
    objects.extend(pods(3));
    let steps = simulate(objects, &["p0", "p1", "p2"]).steps();
    assert_eq!(steps[..2], ["p0 fits n1", "p1 fits n1"]);
    assert_begins(&steps[2], "p2 no: 0/1 nodes are available: 1 Insufficient cpu.");
}

/// A pod that is placed holds its devices and its volume: none of these serves the next one.
#[test]
fn each_sees_the_devices_and_volumes_of_the_former() {
    let on_n = json!([{"matchExpressions": [{"key": "disk", "operator": "In", "values": ["n"]}]}]);
    let local = |name: &str| {
        volume(name, "local").with("/spec/nodeAffinity/required/nodeSelectorTerms", on_n.clone())
    };
    let device_claim = |name: &str| {
        json!({
            "apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
            "metadata": {"name": name, "namespace": "default"},
            "spec": {"devices": {"requests": [{"name": "r", "exactly": {
                "deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 1,
            }}]}},
        })
    };
    let uses = |pod: Pod, claim: &str| {
        pod.with("/spec/resourceClaims", json!([{"name": "c", "resourceClaimName": claim}]))
    };
    let objects = objects![
        node("n").label("disk", "n"),
        class("local", "kubernetes.io/no-provisioner")
            .with("/volumeBindingMode", "WaitForFirstConsumer"),
        local("v1"),
        claim("a", "local"),
        claim("b", "local"),
        pod("p1").claim("a"),
        pod("p2").claim("b"),
        device_class("gpu", "").with("/spec", json!({})),
        json!({
            "apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "n"},
            "spec": {
                "driver": "gpu", "nodeName": "n", "devices": [{"name": "d"}],
                "pool": {"name": "n", "generation": 1, "resourceSliceCount": 1},
            },
        }),
        device_claim("q1"),
        device_claim("q2"),
        uses(pod("q1"), "q1"),
        uses(pod("q2"), "q2"),
    ];
    let steps = simulate(objects, &["p1", "p2", "q1", "q2"]).steps();
    assert_eq!((&*steps[0], &*steps[2]), ("p1 fits n", "q1 fits n"));
    assert_begins(&steps[1], "p2 no: 0/1 nodes are available: 1 node(s) didn't find available");
    assert_begins(&steps[3], "q2 no: 0/1 nodes are available: 1 cannot allocate all claims");
}

/// A device of `gpu`, in a pool of its own, for all nodes or for one.
fn device(pool: &str, node: Option<&str>) -> Value {
    let mut slice = json!({
        "apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": pool},
        "spec": {
            "driver": "gpu", "devices": [{"name": "d"}],
            "pool": {"name": pool, "generation": 1, "resourceSliceCount": 1},
        },
    });
    let (key, value) = node.map_or(("allNodes", json!(true)), |node| ("nodeName", json!(node)));
    slice["spec"][key] = value;
    slice
}

/// A claim for one device of `gpu`.
fn device_claim(name: &str) -> Value {
    json!({
        "apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"devices": {"requests": [{"name": "r", "exactly": {
            "deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 1,
        }}]}},
    })
}

/// The same with the device of a pool, reserved for a pod.
fn held(name: &str, pool: &str, pod: &str) -> Value {
    let mut claim = device_claim(name);
    claim["status"] = json!({
        "allocation": {"devices": {"results": [
            {"request": "r", "driver": "gpu", "pool": pool, "device": "d"},
        ]}},
        "reservedFor": [{"resource": "pods", "name": pod, "uid": format!("uid-{pod}")}],
    });
    claim
}

fn with_device(pod: Pod, claim: &str) -> Pod {
    pod.with("/spec/resourceClaims", json!([{"name": "c", "resourceClaimName": claim}]))
}

/// A claim keeps its devices for a pod that shares it when its first user is evicted.
#[test]
fn who_shares_an_allocated_claim_keeps_its_devices() {
    let host = |name: &str| node(name).cpu("4").label("host", name);
    let objects = objects![
        device_class("gpu", "").with("/spec", json!({})),
        device("net", None),
        device("n1", Some("n1")),
        host("n1"),
        host("n2"),
        held("c", "net", "q1"),
        held("cz", "n1", "z"),
        with_device(pod("q1").cpu("1").replica_of("web").on("n1"), "c"),
        with_device(pod("z").cpu("1").priority(1).replica_of("web").on("n1"), "cz"),
        with_device(pod("q2").cpu("3").priority(100).selects_nodes("host", "n2"), "c"),
        pod("h").cpu("4").priority(50).selects_nodes("host", "n1"),
    ];
    let simulated = simulate(objects, &["q2", "h"]);
    assert_eq!(simulated.steps(), ["q2 fits n2", "h takes n1 from q1 z"]);
    let cascade = simulated.cascade();
    assert_begins(&cascade[0], "1 z no: 0/2 nodes are available: 1 Insufficient cpu, 1 cannot");
    assert_eq!(cascade[1], "1 q1 fits n2", "it shares the claim of q2");
}

/// A volume that is provisioned for one pod is not provisioned elsewhere for another one.
#[test]
fn who_shares_a_claim_follows_its_first_user() {
    let objects = objects![
        class("fast", "csi").with("/volumeBindingMode", "WaitForFirstConsumer"),
        node("na").cpu("1"),
        node("nb").cpu("4").cordoned(),
        node("nc").cpu("4").cordoned(),
        claim("c", "fast"),
        pod("p1").cpu("1").priority(3).claim("c"),
        pod("p2").cpu("1").priority(2).claim("c").tolerates(
            "node.kubernetes.io/unschedulable",
            "Exists",
            "",
            "NoSchedule"
        ),
    ];
    let steps = simulate(objects, &["p1", "p2"]).steps();
    assert_eq!(steps[0], "p1 fits na");
    assert_begins(&steps[1], "p2 no: 0/3 nodes are available");
}

/// PostFilter deallocates a claim that no pod uses, and the scheduler tries the pod again; which of
/// several it takes first is open.
#[test]
fn an_unused_claim_does_not_hold_its_pod_back() {
    let unused = |name: &str| {
        let mut claim = held(name, "n1", "gone");
        claim["status"]["reservedFor"] = json!([]);
        claim["status"]["allocation"]["nodeSelector"] = json!({"nodeSelectorTerms": [
            {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]},
        ]});
        claim
    };
    let objects = objects![
        device_class("gpu", "").with("/spec", json!({})),
        device("n1", Some("n1")),
        device("n2", Some("n2")),
        node("n1").cordoned(),
        node("n2"),
        unused("c"),
        unused("d"),
        with_device(pod("p"), "c"),
        with_device(pod("both"), "c")
            .push("/spec/resourceClaims", json!({"name": "d", "resourceClaimName": "d"})),
    ];
    for version in ["1.34", "1.37"] {
        let simulated = scene(objects.clone()).at(at(version)).run(&["p"]);
        assert_eq!(simulated.steps(), ["p fits n2"], "{version}");
        let simulated = scene(objects.clone()).at(at(version)).run(&["both"]);
        assert!(simulated.0.is_unsure(), "{version}: {:?}", simulated.steps());
    }
}

#[test]
fn each_sees_whose_place_the_former_takes() {
    let objects = objects![
        node("n1").cpu("2"),
        node("n2").cpu("2"),
        replica("a").on("n1"),
        replica("b").on("n2").priority(1),
        pod("p").cpu("2").priority(10),
        pod("q").cpu("2").priority(9),
        pod("r").cpu("2").priority(8),
    ];
    let simulated = simulate(objects, &["r", "q", "p"]);
    let steps = simulated.steps();
    // The resources reserved for p are not free for q, and none are left for r.
    assert_eq!(steps[..2], ["p takes n1 from a", "q takes n2 from b"]);
    assert_begins(&steps[2], "r no: ");
}

#[test]
fn every_decision_in_order_sees_the_earlier_ones() {
    let cluster = cluster(objects![
        node("n1").cpu("2"),
        node("n2").cpu("2"),
        replica("a").on("n1"),
        pod("p").cpu("2").priority(10),
        pod("q").cpu("2").priority(9),
        pod("r").cpu("2").priority(8).scheduler("mine"),
        pod("s").cpu("2").priority(7),
    ]);
    let pods: Vec<PodIx> = ["s", "r", "q", "p"].map(|name| find(&cluster, name)).into();
    let mut seen = Vec::new();
    each_in_order(cluster, &pods, &[at("1.37").profile()], NOW.parse().unwrap(), |decision| {
        let cluster = decision.view.cluster;
        let nodes: Vec<&str> =
            decision.selected().iter().map(|node| cluster.node_name(*node)).collect();
        seen.push(format!(
            "{} {} {}",
            cluster.pod(decision.pod).name,
            decision.outcome.name(),
            nodes.join(" ")
        ));
        ControlFlow::Continue(())
    });
    assert_eq!(seen, ["p Schedulable n2", "q Preempt n1", "r NotInQueue ", "s Unschedulable "]);
}

#[test]
fn simulation_that_is_ended_counts_replacements_that_are_not_decided() {
    let cluster = cluster(objects![
        node("n1").cpu("2"),
        node("n2").cpu("2"),
        replica("a").on("n1"),
        replica("b").on("n2"),
        pod("p").cpu("2").priority(10),
        pod("q").cpu("2").priority(9),
    ]);
    let pods: Vec<PodIx> = ["p", "q"].map(|name| find(&cluster, name)).into();
    let profiles = [at("1.37").profile()];
    // Where it is ended, how many pods and replacements are decided, and how many are not followed.
    for (end, decided, not_followed) in
        [((0, 1), (1, 0), 1), ((1, 0), (2, 0), 2), ((1, 1), (2, 1), 1), ((9, 0), (2, 2), 0)]
    {
        let watch = |at: Position| {
            if (at.depth, at.decided) == end {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let settings = SimulationSettings::new(&profiles, NOW.parse().unwrap());
        let settings = settings.following(3).watched(Watch(&watch));
        let simulation = run(cluster.clone(), &pods, settings);
        assert_eq!((simulation.steps.len(), simulation.cascade.len()), decided, "{end:?}");
        assert_eq!(simulation.not_followed, not_followed, "{end:?}");
        assert_eq!(simulation.cut.map(|at| (at.depth, at.decided)), (end.0 < 9).then_some(end));
    }
}

#[test]
fn a_nomination_makes_room_for_a_higher_one_only() {
    let objects = objects![
        node("n1").cpu("4"),
        pod("a").cpu("4").replica_of("web").on("n1"),
        pod("p").cpu("2").priority(10),
        pod("q").cpu("2").priority(9),
    ];
    // Both fit in the place of a: q can only preempt a, which is already being deleted.
    let simulated = simulate(objects, &["p", "q"]);
    assert_eq!(simulated.steps(), ["p takes n1 from a", "q takes n1 once gone a"]);
    let victim = &simulated.0.steps[1].proposal.plan().expect("a plan").victims[0];
    assert!(victim.terminating_until.is_some(), "q sees that a is being deleted");
    assert!(victim.budgets.is_empty() && victim.hazards.is_empty());
    assert_eq!(simulated.cascade().len(), 1, "a is made again once: {:?}", simulated.cascade());
}

#[test]
fn rivals_of_lower_priority_lose_their_nomination() {
    // The resources on n are reserved for the rival until p is scheduled; then q may use what p
    // leaves.
    let objects = |rival: i32| {
        objects![
            node("n").cpu("4"),
            pod("a").cpu("3").on("n"),
            pod("rival").cpu("4").priority(rival).nominated("n"),
            pod("p").cpu("3").priority(10),
            pod("q").cpu("1").priority(3),
        ]
    };
    assert_eq!(simulate(objects(5), &["q"]).steps()[0].split(' ').nth(1), Some("no:"), "reserved");
    assert_eq!(
        simulate(objects(5), &["p", "q"]).steps(),
        ["p takes n from a", "q takes n once gone a"]
    );
    assert_eq!(
        simulate(objects(11), &["p"]).steps()[0].split(' ').nth(1),
        Some("no:"),
        "of a higher one"
    );
}

#[test]
fn budgets_that_one_plan_uses_up_are_used_up_for_the_next() {
    let web = |name: &str| replica(name).label("app", "web");
    let objects = objects![
        node("n1").cpu("2"),
        node("n2").cpu("2"),
        web("a").on("n1"),
        web("b").on("n2"),
        budget("b").selects("app", "web").allowed(1),
        pod("p").cpu("2").priority(10),
        pod("q").cpu("2").priority(9),
    ];
    let simulated = simulate(objects, &["p", "q"]);
    let uses = simulated
        .0
        .steps
        .iter()
        .filter_map(|s| s.proposal.plan())
        .flat_map(|p| &p.victims[0].budgets);
    assert_eq!(uses.map(|b| (b.before, b.after)).collect::<Vec<_>>(), [(1, 0), (0, -1)]);
}

/// Three nodes of two CPUs. The pod of priority 10 takes the place of `a`.
fn chain(second: Pod, third: Option<Pod>) -> Vec<Value> {
    let mut objects = objects![
        node("n1").cpu("2").label("n", "1"),
        node("n2").cpu("2").label("n", "2"),
        node("n3").cpu("2").label("n", "3"),
        replica("a").priority(5).on("n1"),
        second.on("n2"),
        pod("p").cpu("2").priority(10).selects_nodes("n", "1"),
    ];
    objects.extend(third.map(|third| third.on("n3").into()));
    objects
}

#[test]
fn a_replacement_goes_elsewhere() {
    assert_eq!(simulate(chain(replica("b"), None), &["p"]).cascade(), ["1 a fits n3"]);
}

#[test]
fn a_replacement_preempts_in_turn() {
    let objects = chain(replica("b").priority(3), Some(replica("c").priority(4)));
    let simulated = simulate(objects.clone(), &["p"]);
    let cascade = simulated.cascade();
    assert_eq!(cascade[0], "1 a takes n2 from b");
    assert_begins(&cascade[1], "2 b no: 0/3 nodes are available");
    assert_eq!((cascade.len(), simulated.0.not_followed), (2, 0));
    for (depth, followed, left) in [(0, 0, 1), (1, 1, 1), (2, 2, 0), (9, 2, 0)] {
        let simulated = scene(objects.clone()).depth(depth).run(&["p"]);
        assert_eq!(
            (simulated.cascade().len(), simulated.0.not_followed),
            (followed, left),
            "depth {depth}"
        );
    }
}

#[test]
fn a_replacement_is_a_new_pod_of_that_name() {
    let simulated = simulate(chain(replica("b"), None), &["p"]);
    let step = &simulated.0.cascade[0];
    assert_eq!((step.id.full_name().as_str(), step.id.uid(), step.priority), ("default/a", "", 5));
}

#[test]
fn a_replacement_stays_pending() {
    let full = simulate(chain(replica("b").priority(5), Some(replica("c").priority(5))), &["p"]);
    let cascade = full.cascade();
    assert_begins(&cascade[0], "1 a no: 0/3 nodes are available: 3 Insufficient cpu.");
    assert!(full.0.all_placed(), "the pod that was asked about has its node");
    assert!(!full.0.is_unsure());
}

#[test]
fn evicted_pod_is_recreated_depending_on_its_owner() {
    for (victim, afterwards, cascade) in [
        (replica("a"), "Replaced", 1),
        (pod("a").cpu("2").of("batch/v1", "Job", "j"), "Retried", 1),
        (pod("a").cpu("2").of("apps/v1", "StatefulSet", "s"), "Replaced", 1),
        (pod("a").cpu("2"), "Gone", 0),
        (pod("a").cpu("2").of("v1", "Node", "n"), "Static", 0),
        (pod("a").cpu("2").of("example.com/v1", "Thing", "t"), "Unknown", 0),
    ] {
        let mut objects = objects![node("n").cpu("2"), node("m"), pod("p").cpu("2").priority(10)];
        objects.push(victim.on("n").into());
        let simulated = simulate(objects, &["p"]);
        assert_eq!(simulated.plan().victims[0].afterwards.name(), afterwards);
        assert_eq!(
            (simulated.cascade().len(), simulated.0.not_followed),
            (cascade, 0),
            "{afterwards}"
        );
    }
}

#[test]
fn pod_pinned_by_node_name_comes_back() {
    let by_name =
        json!({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]});
    let daemon = |priority| {
        let d = pod("d")
            .cpu("2")
            .of("apps/v1", "DaemonSet", "d")
            .node_term(by_name.clone())
            .priority(priority);
        objects![
            node("n").cpu("3"),
            node("m").cpu("9"),
            d.on("n"),
            pod("low").cpu("1").on("n").priority(-1),
            pod("p").cpu("2").priority(10).selects_nodes("only", "n")
        ]
    };
    let mut objects = daemon(5);
    objects[0] = node("n").cpu("3").label("only", "n").into();
    let cascade = simulate(objects, &["p"]).cascade();
    // Even without the pod of lower priority there is not enough room.
    assert_begins(&cascade[0], "1 d no: 0/2 nodes are available");
}

#[test]
fn terminating_victim_gets_no_second_replacement() {
    let going = |victim: Pod| {
        let objects = objects![
            node("n").cpu("2"),
            node("m"),
            pod("p").cpu("2").priority(10),
            victim.terminating().on("n")
        ];
        simulate(objects, &["p"]).cascade().len()
    };
    assert_eq!(going(replica("a")), 0);
    assert_eq!(going(pod("a").cpu("2").of("batch/v1", "Job", "j")), 0);
    assert_eq!(
        going(pod("a").cpu("2").of("apps/v1", "StatefulSet", "s")),
        1,
        "the name has to be free first"
    );
}

#[test]
fn replacements_have_the_spec_and_not_the_status() {
    // Resized in place to one CPU, but replaced with two.
    let shrunk = json!([{"name": "c", "allocatedResources": {"cpu": "1"}, "resources": {"requests": {"cpu": "1"}}}]);
    let objects = objects![
        node("n").cpu("2"),
        node("m").cpu("1"),
        replica("a").on("n").with("/status/containerStatuses", shrunk),
        pod("p").cpu("2").priority(10),
    ];
    let cascade = simulate(objects, &["p"]).cascade();
    assert_begins(&cascade[0], "1 a no:");
}

#[test]
fn replacements_are_followed_up_to_a_limit() {
    let mut objects =
        objects![node("n").cpu("8").pods(250), node("m").pods(500), pod("p").cpu("8").priority(10)];
    for i in 0..205 {
        objects.push(pod(&format!("v{i:03}")).cpu("10m").replica_of("web").on("n").into());
    }
    objects[2] = pod("p").cpu("8").priority(10).away("host", "app", "web").into();
    let victims = objects.iter_mut().skip(3);
    victims.for_each(|v| v["metadata"]["labels"] = json!({"app": "web"}));
    objects[0] = node("n").cpu("8").pods(250).label("host", "n").into();
    let simulated = simulate(objects, &["p"]);
    assert_eq!(simulated.plan().victims.len(), 205);
    assert_eq!((simulated.cascade().len(), simulated.0.not_followed), (200, 5));
}

#[test]
fn hypothetical_pod_with_unmade_claim_is_unknown() {
    let waits = || class("slow", "csi.example.com");
    let at_once = || class("fast", "csi.example.com").with("/volumeBindingMode", "Immediate");
    let new_claim = |class: &str| claim("c", class).with("/metadata/uid", "");
    let with_claim =
        |class: &str| vec![Value::from(new_claim(class)), waits().into(), at_once().into()];
    let ephemeral = json!({"name": "e", "ephemeral": {"volumeClaimTemplate": {"spec": {}}}});
    let of_template = json!({"name": "gpu", "resourceClaimTemplateName": "t"});
    let of_claim = json!({"name": "gpu", "resourceClaimName": "absent"});
    let p = || pod("p").unmade();
    for (pod, more, want) in [
        (p(), vec![], "p fits n"),
        (
            p().volume(ephemeral.clone()),
            vec![],
            "p unknown: its ephemeral volumes are claimed first",
        ),
        (
            p().push("/spec/resourceClaims", of_template.clone()),
            vec![],
            "p unknown: its resource claims are created from",
        ),
        (
            p().push("/spec/resourceClaims", of_claim),
            vec![],
            "p no: Pod default/p waits for its resource claims",
        ),
        (p().claim("c"), with_claim("slow"), "p fits n"),
        (p().claim("c"), with_claim("fast"), "p unknown: its new claim c is bound first"),
        (p().claim("c"), with_claim(""), "p unknown: its new claim c is bound first"),
        (
            p().claim("c"),
            with_claim("absent"),
            "p unknown: its new claim c asks for storage class absent, which does not exist (there are fast and slow)",
        ),
        (
            p().claim("absent"),
            vec![],
            "p no: 0/1 nodes are available: persistentvolumeclaim \"absent\" not found.",
        ),
        (
            p().claim("c"),
            objects![claim("c", "fast").bound("pv"), volume("pv", "fast"), at_once()],
            "p fits n",
        ),
        (
            pod("p").volume(ephemeral),
            vec![],
            "p no: 0/1 nodes are available: waiting for ephemeral volume controller",
        ),
        (
            pod("p").push("/spec/resourceClaims", of_template),
            vec![],
            "p no: Pod default/p waits for its resource claims",
        ),
        (p().scheduler("volcano"), vec![], "p unknown: it is left to scheduler \"volcano\""),
    ] {
        let mut objects = objects![node("n"), pod, csi_node("n", &[("csi.example.com", 5)])];
        objects.extend(more);
        let simulated = simulate(objects, &["p"]);
        let steps = simulated.steps();
        assert!(steps[0].starts_with(want), "{want}: {steps:?}");
        assert_eq!(
            simulated.0.is_unsure(),
            want.contains("unknown") || want.contains("are available"),
            "{want}"
        );
        assert_eq!(simulated.0.all_placed(), want.contains("fits"), "{want}");
    }
}

#[test]
fn replacements_with_ephemeral_volumes_or_another_scheduler_are_unknown() {
    let ephemeral = json!({"name": "e", "ephemeral": {"volumeClaimTemplate": {"spec": {}}}});
    for (victim, want) in [
        (replica("a").volume(ephemeral), "1 a unknown: its ephemeral volumes"),
        (replica("a").scheduler("volcano"), "1 a unknown: it is left to scheduler"),
    ] {
        let objects = objects![
            node("n").cpu("2"),
            node("m").cpu("2"),
            claim("a-e", "").of_pod("a").bound("pv"),
            volume("pv", ""),
            victim.on("n"),
            pod("p").cpu("2").priority(10).selects_nodes("x", "y"),
        ];
        let mut objects = objects;
        objects[0] = node("n").cpu("2").label("x", "y").into();
        let simulated = simulate(objects, &["p"]);
        let cascade = simulated.cascade();
        assert!(cascade[0].starts_with(want), "{cascade:?}");
        assert!(!simulated.0.is_unsure(), "what is asked about is sure");
    }
}

#[test]
fn the_claims_of_a_stateful_set_follow_its_pod() {
    let local = |node: &str| volume("pv", "").on_nodes("host", node);
    let objects = |victim: Pod, volume: testing::Volume| {
        objects![
            node("n1").cpu("2").label("host", "n1"),
            node("n2").cpu("2").label("host", "n2"),
            claim("data-db-0", "").bound("pv"),
            volume,
            victim.on("n1"),
            pod("p").cpu("2").priority(10).selects_nodes("host", "n1"),
        ]
    };
    let db = || pod("db-0").cpu("2").of("apps/v1", "StatefulSet", "db").claim("data-db-0");
    let simulated = simulate(objects(db(), local("n1")), &["p"]);
    assert!(matches!(simulated.plan().victims[0].afterwards, Afterwards::Pinned(_)));
    assert!(simulated.cascade()[0].starts_with("1 db-0 no:"), "{:?}", simulated.cascade());
    assert_eq!(simulate(objects(db(), volume("pv", "")), &["p"]).cascade(), ["1 db-0 fits n2"]);
}

#[test]
fn notes_are_reported_once() {
    let broken = pod("broken").cpu("lots");
    let objects = objects![node("n").cpu("4"), broken, pod("p").cpu("1"), pod("q").cpu("1")];
    let simulated = simulate(objects, &["p", "q"]);
    let notes = simulated.notes();
    assert_eq!(notes.iter().filter(|n| n.contains("lots")).count(), 1, "{notes:?}");
}

#[test]
fn simulation_of_no_pods_has_no_steps() {
    let simulated = simulate(objects![node("n")], &[]);
    assert!(
        simulated.0.steps.is_empty() && simulated.0.cascade.is_empty() && simulated.0.all_placed()
    );
}

#[test]
fn every_version_simulates() {
    for version in ["1.12", "1.18", "1.22", "1.26", "1.30", "1.33", "1.35", "1.37"] {
        let simulated = scene(chain(replica("b").priority(3), None)).at(at(version)).run(&["p"]);
        assert_eq!(simulated.steps(), ["p takes n1 from a"], "{version}");
        assert_eq!(simulated.cascade(), ["1 a fits n3"], "{version}");
    }
}

#[test]
fn the_order_of_pods_of_the_same_age_is_said_to_be_open() {
    let notes = |q: testing::Pod| {
        let simulated = simulate(objects![node("n").cpu("2"), pod("p").cpu("1"), q], &["p", "q"]);
        let open = simulated.0.notes.iter().filter(|note| note.doc.code == "PRE-962");
        let expected = "2 pods have the same priority and creation second: kube-scheduler may take them in any order";
        open.inspect(|note| assert_eq!(note.text, expected)).count()
    };
    assert_eq!(notes(pod("q").cpu("2")), 1, "which of them is tried first decides");
    assert_eq!(notes(pod("q").cpu("1")), 0, "they can stand for each other");
    assert_eq!(notes(pod("q").cpu("2").priority(1)), 0, "the priority decides");
    assert_eq!(notes(pod("q").cpu("2").created("2025-12-31T23:59:00Z")), 0, "the age decides");
}

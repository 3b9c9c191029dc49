use model::edits::Edit;
use simulation::hazard::{Hazard, Waiver};
use simulation::plan::{Afterwards, Plan, PreemptorId};
use simulation::planning::Proposal;
use testing::{
    NOW, Pod, assert_begins, budget, decide, node, objects, owner, pod, scene, simulate,
};

/// A node of four CPUs with its pods, which a pod of priority 10 needs completely.
fn full(on: Vec<Pod>) -> Vec<serde_json::Value> {
    let mut objects = objects![node("n").cpu("4"), pod("p").cpu("4").priority(10)];
    objects.extend(on.into_iter().map(|pod| pod.cpu("1").on("n").into()));
    objects
}

fn names(plan: &Plan) -> String {
    plan.victims.iter().map(|v| v.pod.name.as_str()).collect::<Vec<_>>().join(" ")
}

#[test]
fn the_least_important_go_first_and_of_these_the_newest() {
    let (old, new) = ("2025-12-01T00:00:00Z", "2025-12-02T00:00:00Z");
    let on = vec![
        pod("high").priority(2).started(new),
        pod("old").started(old),
        pod("new").started(new),
        pod("negative").priority(-1).started(old),
    ];
    assert_eq!(names(simulate(full(on), &["p"]).plan()), "negative new old high");
}

#[test]
fn budgets_are_counted_down_in_the_order_of_eviction() {
    let web = |name: &str| pod(name).label("app", "web");
    let on = || vec![web("a").priority(2), web("b").priority(1), pod("c")];
    let allowed = |n: i64| {
        let mut objects = full(on());
        objects.push(budget("b").selects("app", "web").allowed(n).into());
        simulate(objects, &["p"]).budgets()
    };
    assert_eq!(allowed(3), ["c:", "b: b 3>2", "a: b 2>1"]);
    assert_eq!(allowed(1), ["c:", "b: b 1>0", "a: b 0>-1 violated"]);
    assert_eq!(allowed(0), ["c:", "b: b 0>-1 violated", "a: b -1>-2 violated"]);
}

#[test]
fn budgets_that_the_scheduler_passes_over_count_for_evictions() {
    let budgets = |b: testing::Budget| {
        let mut objects = full(vec![pod("a").label("app", "web")]);
        objects.push(b.allowed(1).into());
        simulate(objects, &["p"]).budgets()
    };
    let broken = serde_json::json!({"matchExpressions": [{"key": "app", "operator": "Like"}]});
    assert_eq!(budgets(budget("all").selector(serde_json::json!({}))), ["a: all 1>0"]);
    assert_eq!(budgets(budget("counted").selects("app", "web").disrupted("a")), ["a: counted 1>0"]);
    assert_eq!(budgets(budget("elsewhere").ns("other").selects("app", "web")), ["a:"]);
    assert_eq!(budgets(budget("without selector")), ["a:"]);
    assert_eq!(budgets(budget("broken").selector(broken)), ["a:"]);
    let mut objects = full(vec![pod("a")]);
    let absent =
        serde_json::json!({"matchExpressions": [{"key": "x", "operator": "DoesNotExist"}]});
    objects.push(budget("absent").selector(absent).allowed(1).into());
    assert_eq!(simulate(objects, &["p"]).budgets(), ["a: absent 1>0"], "a pod without labels");
}

#[test]
fn a_victim_that_is_being_deleted_costs_no_budget_any_more() {
    let web = |name: &str| pod(name).label("app", "web").replica_of("web");
    let mut objects = full(vec![web("a").terminating(), web("b").priority(1)]);
    objects.push(budget("b").selects("app", "web").allowed(1).into());
    let plan = simulate(objects, &["p"]);
    assert_eq!(plan.budgets(), ["a:", "b: b 1>0"]);
}

#[test]
fn victim_kind_decides_its_hazard() {
    let replica = |name: &str| pod(name).replica_of("web");
    for (victim, want) in [
        (replica("plain"), ""),
        (pod("bare"), "Bare"),
        (pod("static").of("v1", "Node", "n"), "Mirror"),
        (replica("scratch").volume(serde_json::json!({"emptyDir": {}})), "EmptyDir"),
        (
            replica("cluster").with("/spec/priorityClassName", "system-cluster-critical"),
            "SystemCritical",
        ),
        (replica("node").with("/spec/priorityClassName", "system-node-critical"), "SystemCritical"),
        (replica("system-like").with("/spec/priorityClassName", "system-like"), ""),
        (replica("other").scheduler("volcano"), "OtherScheduler"),
        (pod("bare-other").scheduler("volcano"), "Bare"),
        (pod("daemon").of("apps/v1", "DaemonSet", "d"), "ComesBack"),
        (pod("job").of("batch/v1", "Job", "j"), ""),
        (pod("crd").of("example.com/v1", "ReplicaSet", "j"), ""),
        (replica("in-time").with("/metadata/deletionTimestamp", NOW), ""),
        (replica("stuck").with("/metadata/deletionTimestamp", "2025-12-31T23:59:59Z"), "Stuck"),
        (pod("bare-stuck").with("/metadata/deletionTimestamp", "2025-12-31T23:59:59Z"), "Stuck"),
        (pod("daemon-going").of("apps/v1", "DaemonSet", "d").terminating(), "ComesBack"),
    ] {
        let got = simulate(full(vec![victim]), &["p"]).hazards().concat();
        assert_eq!(got.split_once(": ").map_or("", |(_, hazards)| hazards), want, "{got}");
    }
}

#[test]
fn a_priority_of_the_system_is_one_without_its_class() {
    let mut objects = full(vec![pod("a").replica_of("web").priority(2_000_000_000)]);
    objects[1] = pod("p").cpu("4").priority(2_000_000_001).into();
    let simulated = simulate(objects, &["p"]);
    assert_eq!(
        simulated.plan().victims[0].hazards,
        [Hazard::SystemCritical("priority 2000000000".to_owned())]
    );
}

#[test]
fn several_budgets_of_one_victim_are_a_hazard() {
    let mut objects = full(vec![pod("a").label("app", "web").replica_of("web")]);
    for name in ["one", "two"] {
        objects.push(budget(name).selects("app", "web").allowed(5).into());
    }
    let simulated = simulate(objects, &["p"]);
    assert_eq!(simulated.hazards(), ["a: SeveralBudgets"]);
    assert_eq!(simulated.budgets(), ["a: one 5>4, two 5>4"]);
}

#[test]
fn every_hazard_has_a_text_and_a_flag() {
    let all = [
        Hazard::Mirror,
        Hazard::Bare,
        Hazard::EmptyDir,
        Hazard::SystemCritical("x".to_owned()),
        Hazard::PriorityNotLower,
        Hazard::Stuck,
        Hazard::OtherScheduler("x".to_owned()),
        Hazard::SeveralBudgets,
        Hazard::ComesBack,
    ];
    for hazard in &all {
        assert!(hazard.text().len() > 10 && !hazard.text().ends_with('.'), "{hazard:?}");
    }
    let said: Vec<&str> =
        all.iter().filter(|h| h.waived_by().is_none()).map(Hazard::name).collect();
    assert_eq!(said, ["ComesBack"]);
    assert_eq!(Hazard::EmptyDir.waived_by(), Some(Waiver::EmptyDirData));
}

#[test]
fn the_facts_about_a_victim_in_a_plan() {
    let victim =
        pod("a").replica_of("web-5d").priority(3).grace(45).with("/metadata/resourceVersion", "7");
    let mut objects = full(vec![victim, pod("b").grace(-5), pod("c").grace(7).terminating()]);
    objects.push(owner("ReplicaSet", "web-5d", Some(("Deployment", "web"))).into());
    objects[1] = pod("p").cpu("4").priority(10).nominated("n").into();
    let simulated = simulate(objects, &["p"]);
    let plan = simulated.plan();
    assert_eq!((plan.nodes().join(" ").as_str(), names(plan).as_str()), ("n", "c b a"));
    let preemptor = &plan.preemptor;
    assert_eq!(
        (preemptor.id.uid(), preemptor.priority, preemptor.scheduler.as_str()),
        ("uid-p", 10, "default-scheduler")
    );
    let [c, b, a] = plan.victims.as_slice() else { panic!("three victims") };
    assert_eq!(
        (a.pod.uid.as_str(), a.resource_version.as_str(), a.priority, a.grace_seconds),
        ("uid-a", "7", 3, 45)
    );
    let owners: Vec<String> = a.owners.iter().map(|o| format!("{}/{}", o.kind, o.name)).collect();
    assert_eq!(owners, ["ReplicaSet/web-5d", "Deployment/web"]);
    let now = NOW.parse().expect("a time");
    assert_eq!([a, b, c].map(|v| v.seconds_to_stop(now)), [45, 0, 0]);
    assert_eq!(plan.seconds_to_room(now), 45);
}

/// One node on which the pod fits, one that needs evictions, one that is too small.
fn three_nodes() -> Vec<serde_json::Value> {
    objects![
        node("empty").cpu("4"),
        node("taken").cpu("4"),
        node("tiny").cpu("1"),
        pod("a").cpu("4").on("taken"),
        pod("p").cpu("4").priority(10),
    ]
}

#[test]
fn on_a_node() {
    let on = |objects, node| scene(objects).on(node).run(&["p"]).steps().concat();
    assert_eq!(on(three_nodes(), "empty"), "p fits empty");
    assert_eq!(
        on(three_nodes(), "taken"),
        "p no: node taken rejects the pod (Insufficient cpu), and the scheduler does not preempt because it fits on other nodes"
    );
    let without_empty = || three_nodes().split_off(1);
    assert_eq!(on(without_empty(), "taken"), "p takes taken from a");
    assert_eq!(
        on(without_empty(), "tiny"),
        "p no: node tiny rejects the pod (Insufficient cpu), and no eviction that the scheduler considers changes that"
    );
    let gated = {
        let mut objects = three_nodes();
        objects[4] = pod("p").gated("wait").into();
        objects
    };
    assert!(on(gated, "empty").starts_with("p no: Pod default/p waits for its scheduling gate"));
}

#[test]
fn with_a_given_node_the_picks_of_the_scheduler_are_reported() {
    let run = scene(three_nodes()).on("taken").run(&["p"]);
    assert_eq!(run.0.steps[0].scheduler_picks, ["empty"]);
    assert_eq!(simulate(three_nodes(), &["p"]).0.steps[0].scheduler_picks, [""; 0]);
}

#[test]
fn nodes_that_tie_are_named() {
    let objects = objects![
        node("n1").cpu("4"),
        node("n2").cpu("4"),
        pod("a").cpu("4").on("n1").started(NOW),
        pod("b").cpu("4").on("n2").started(NOW),
        pod("p").cpu("4").priority(10),
    ];
    let simulated = simulate(objects.clone(), &["p"]);
    assert_eq!(
        (simulated.plan().nodes()[0], simulated.plan().tied.as_slice()),
        ("n1", &["n2".to_owned()][..])
    );
    assert_eq!(scene(objects).on("n2").run(&["p"]).plan().tied, [""; 0]);
}

#[test]
fn pod_without_candidate_is_impossible_with_its_message() {
    let objects = objects![
        node("n").cpu("1"),
        pod("p").cpu("4").never_preempts(),
        pod("done").phase("Succeeded")
    ];
    let steps = simulate(objects.clone(), &["p", "done"]).steps();
    let want = decide(objects, "p").condition().to_owned();
    assert_eq!(steps[0], format!("p no: {want}"));
    assert_begins(&steps[1], "done no: Pod default/done has finished");
    assert_eq!(Proposal::Impossible(want).plan(), None);
}

#[test]
fn plans_are_the_same_if_the_same_pods_go() {
    let run = || simulate(full(vec![pod("a"), pod("b")]), &["p"]).plan().clone();
    let plan = run();
    let changed = |change: &dyn Fn(&mut Plan)| {
        let mut other = run();
        change(&mut other);
        plan.is_same(&other)
    };
    assert!(changed(&|_| {}));
    assert!(changed(&|p| p.victims.reverse()));
    assert!(changed(&|p| p.victims[0].resource_version = "9".to_owned()));
    assert!(changed(&|p| p.tied.push("m".to_owned())));
    assert!(!changed(&|p| p.victims[0].pod.uid = "another".to_owned()));
    assert!(!changed(&|p| drop(p.victims.pop())));
    assert!(!changed(&|p| p.placed[0].node = "m".to_owned()));
    assert!(!changed(&|p| p.placed[0].pod.uid = "another".to_owned()));
    assert!(!changed(&|p| p.preemptor.id = PreemptorId::Pod(p.victims[0].pod.clone())));
}

#[test]
fn a_nominated_pod_waits_for_victims_that_are_terminating() {
    let leaving = |name: &str, seconds: &str| {
        pod(name)
            .preempted()
            .with("/metadata/deletionTimestamp", format!("2026-01-01T00:00:{seconds}Z"))
    };
    let objects = |cpu: &str| {
        objects![
            node("n").cpu("4"),
            node("m").cpu("1"),
            pod("p").cpu(cpu).priority(10).nominated("n"),
            leaving("a", "20").cpu("2").on("n"),
            leaving("b", "30").cpu("1").on("n"),
            pod("c").cpu("1").on("n"),
        ]
    };
    let simulated = simulate(objects("3"), &["p"]);
    assert_eq!(simulated.steps(), ["p takes n once gone b a"]);
    assert_eq!(simulated.plan().seconds_to_room(NOW.parse().unwrap()), 30);
    assert_eq!(
        simulate(objects("2"), &["p"]).steps(),
        ["p takes n once gone a"],
        "the room of one is enough"
    );
    assert_begins(&simulate(objects("4"), &["p"]).steps()[0], "p no:");
    assert_eq!(scene(objects("3")).on("n").run(&["p"]).steps(), ["p takes n once gone b a"]);
    assert!(scene(objects("3")).on("m").run(&["p"]).steps()[0].starts_with("p no:"));
}

#[test]
fn pods_that_may_not_preempt_can_be_taken_to() {
    let objects =
        |pod: Pod| objects![node("n").cpu("1"), testing::pod("a").cpu("1").on("n"), pod.cpu("1")];
    for (row, pod) in [
        ("its policy", pod("p").priority(10).never_preempts()),
        ("its gates", pod("p").priority(10).gated("quota")),
        ("both", pod("p").priority(10).gated("quota").never_preempts()),
    ] {
        assert!(simulate(objects(pod.clone()), &["p"]).steps()[0].starts_with("p no:"), "{row}");
        let taken = scene(objects(pod)).edit(Edit::AsIfPreempting).run(&["p"]);
        assert_eq!(taken.steps(), ["p takes n from a"], "{row}");
    }
}

#[test]
fn mirror_pod_is_recognized_by_its_annotation() {
    let mirror = pod("a")
        .with("/metadata/annotations", serde_json::json!({"kubernetes.io/config.mirror": "abc"}));
    let simulated = simulate(full(vec![mirror.clone()]), &["p"]);
    let victim = &simulated.plan().victims[0];
    assert_eq!(
        (&victim.afterwards, victim.hazards.as_slice()),
        (&Afterwards::Static, &[Hazard::Mirror][..])
    );
    let drained = scene(full(vec![mirror])).edit(Edit::Drain { node: "n".to_owned() }).run(&["p"]);
    assert!(drained.steps()[0].starts_with("p no:"), "it stays: {:?}", drained.steps());
}

use crate::simulation::what_if::{WhatIf, WhatIfError};
use crate::snapshot::pod::Toleration;
use crate::testing::{budget, node, objects, pod, priority_class, scene};

fn objects() -> Vec<serde_json::Value> {
    objects![
        node("n1").cpu("2").label("zone", "a").taint("gpu", "yes", "NoSchedule"),
        node("n2").cpu("2").label("zone", "b"),
        pod("a").cpu("2").priority(5).label("app", "web").on("n2"),
        pod("done").on("n2").phase("Succeeded"),
        budget("b").selects("app", "web").allowed(1),
        budget("b").ns("other").allowed(7),
        priority_class("high", 10),
        priority_class("polite", 10).with("/preemptionPolicy", "Never"),
        priority_class("huge", 3_000_000_000),
        pod("p").cpu("2"),
    ]
}

fn tolerates(key: &str) -> WhatIf {
    WhatIf::Toleration(Toleration {
        key: key.to_owned().into(),
        operator: "Exists".into(),
        value: "".into(),
        effect: "".into(),
    })
}

fn class(name: &str) -> WhatIf {
    WhatIf::PriorityClass(name.to_owned())
}

fn remove(name: &str) -> WhatIf {
    WhatIf::RemovePod { namespace: "default".to_owned(), name: name.to_owned() }
}

fn zone(value: &str) -> WhatIf {
    WhatIf::NodeSelector { key: "zone".to_owned(), value: value.to_owned() }
}

fn request(resource: &str, amount: &str) -> WhatIf {
    WhatIf::Request { resource: resource.to_owned(), amount: amount.to_owned() }
}

fn pdb(namespace: &str, allowed: i64) -> WhatIf {
    WhatIf::Budget { namespace: namespace.to_owned(), name: "b".to_owned(), allowed }
}

/// The first word of the answer about `p` and the node.
fn with(what_ifs: &[WhatIf]) -> String {
    let scene = what_ifs.iter().cloned().fold(scene(objects()), crate::testing::Scene::edit);
    let steps = scene.run(&["p"]).steps();
    steps[0].split(':').next().expect("a word").to_owned()
}

#[test]
fn what_each_what_if_changes() {
    for (what_ifs, want) in [
        (vec![], "p no"),
        (vec![WhatIf::Priority(10)], "p takes n2 from a"),
        (vec![WhatIf::Priority(5)], "p no"),
        (vec![class("high")], "p takes n2 from a"),
        (vec![class("polite")], "p no"),
        (vec![class("system-cluster-critical")], "p takes n2 from a"),
        (vec![class("huge")], "p takes n2 from a"),
        (vec![tolerates("gpu")], "p fits n1"),
        (vec![tolerates("other")], "p no"),
        (vec![tolerates("gpu"), zone("b")], "p no"),
        (vec![tolerates("gpu"), zone("b"), zone("a")], "p fits n1"),
        (vec![tolerates("gpu"), WhatIf::Cordon("n1".to_owned())], "p no"),
        (vec![remove("a")], "p fits n2"),
        (vec![remove("a"), WhatIf::Cordon("n2".to_owned())], "p no"),
        (vec![request("cpu", "0")], "p fits n2"),
        (vec![request("cpu", "100m"), tolerates("gpu"), zone("a")], "p fits n1"),
        (vec![request("example.com/fpga", "1"), remove("a")], "p no"),
        (vec![request("cpu", "3"), remove("a")], "p no"),
    ] {
        assert_eq!(with(&what_ifs), want, "{what_ifs:?}");
    }
}

#[test]
fn a_request_is_what_the_pod_asks_for_in_all() {
    let edited = |spec: crate::testing::Pod, amount: &str| {
        let objects = objects![node("n").cpu("2"), spec];
        let run = scene(objects).edit(request("cpu", amount)).run(&["p"]);
        run.steps()[0].contains("fits")
    };
    let container = |cpu: &str| crate::testing::container(cpu, &[("cpu", cpu)]);
    for (spec, what) in [
        (pod("p").cpu("9"), "one container"),
        (pod("p"), "one without requests"),
        (pod("p").containers(vec![container("5"), container("6")]), "several containers"),
        (pod("p").init(container("5")), "an init container"),
        (pod("p").sidecar(container("5")), "a sidecar"),
        (pod("p").overhead("cpu", "5"), "overhead"),
        (pod("p").pod_level("cpu", "5"), "the pod as a whole"),
        (pod("p").pod_level("memory", "0").cpu("1"), "the pod as a whole, of something else"),
    ] {
        assert!(edited(spec.clone(), "2"), "{what}: two fit");
        assert!(!edited(spec, "2001m"), "{what}: more does not");
    }
}

#[test]
fn a_budget_is_set_where_it_is() {
    let uses = |edit| scene(objects()).edit(WhatIf::Priority(10)).edit(edit).run(&["p"]).budgets();
    assert_eq!(uses(pdb("default", 0)), ["a: b 0>-1 violated"]);
    assert_eq!(uses(pdb("default", 3)), ["a: b 3>2"]);
    assert_eq!(uses(pdb("other", 0)), ["a: b 1>0"]);
}

#[test]
fn what_is_not_there_cannot_be_edited() {
    let missing = |resource, name: &str| WhatIfError::NotFound { resource, name: name.to_owned() };
    for (edit, want) in [
        (remove("absent"), missing("pods", "default/absent")),
        (remove("done"), missing("pods", "default/done")),
        (WhatIf::Cordon("n9".to_owned()), missing("nodes", "n9")),
        (pdb("nowhere", 1), missing("poddisruptionbudgets", "nowhere/b")),
        (class("absent"), missing("priorityclasses", "absent")),
        (remove("p"), WhatIfError::Value("pod default/p is asked about: it cannot be gone".to_owned())),
    ] {
        let error = scene(objects()).edit(edit).try_run(&["p"]).expect_err("a refusal");
        assert_eq!(error, want);
    }
    let error = scene(objects()).edit(request("cpu", "much")).try_run(&["p"]).expect_err("a refusal");
    assert!(matches!(&error, WhatIfError::Value(why) if why.starts_with("the amount `much` of cpu is not a quantity")));
}

#[test]
fn all_pods_that_are_asked_about_are_edited_and_no_others() {
    let mut objects = objects();
    objects.push(pod("q").cpu("2").into());
    let simulated = scene(objects).edit(WhatIf::Priority(7)).run(&["p", "q"]);
    assert_eq!(simulated.0.steps.iter().map(|s| s.priority).collect::<Vec<_>>(), [7, 7]);
    assert_eq!(simulated.plan().victims[0].priority, 5);
}

use engine::profile::{Profile, SchedulerVersion, VersionSource};
use serde_json::{Value, json};

use super::{Page, page, victims};
use crate::page::{Paper, is_hostile};
use crate::testing::{NOW, Simulated, budget, node, objects, owner, pod, scene, simulate};

const PLAIN: Paper = Paper::PLAIN;

fn text(simulated: &Simulated) -> String {
    let profile = Profile::new(SchedulerVersion::NEWEST, VersionSource::Flag);
    page(&simulated.0, &profile, NOW.parse().expect("a time")).print(PLAIN).to_string()
}

#[track_caller]
fn prints(simulated: &Simulated, want: &str) {
    let got = text(simulated);
    assert_eq!(got.trim_end(), want.trim(), "\n{got}");
}

#[test]
fn a_pod_that_fits() {
    prints(
        &simulate(objects![node("n"), pod("p").priority(3)], &["p"]),
        "✓ Pod default/p (priority 3) fits as it is, on node n.",
    );
    let nodes = (1..=6).map(|i| node(&format!("n{i}")).into());
    let mut objects: Vec<Value> = nodes.collect();
    objects.push(pod("p").into());
    prints(
        &simulate(objects, &["p"]),
        "✓ Pod default/p (priority 0) fits as it is, on one of 6 nodes: n1, n2, n3, n4, n5 and 1 more.",
    );
}

#[test]
fn a_pod_that_gets_nothing() {
    let objects = objects![node("n").cpu("1"), pod("p").cpu("2"), pod("other").scheduler("volcano")];
    prints(
        &simulate(objects, &["other", "p"]),
        r#"
? Pod default/other (priority 0): it cannot be told.
  it is left to scheduler "volcano", whose rules are not known here

✗ Pod default/p (priority 0) gets no node.
  0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.
"#,
    );
}

/// A Deployment's pod and one without a controller are evicted, and the replacement of the first one is followed.
fn busy() -> Vec<Value> {
    let web = pod("web-1").cpu("2").priority(5).label("app", "web").replica_of("web-5d").grace(300);
    objects![
        node("n1").cpu("4").label("n", "1"),
        node("n2").cpu("2"),
        node("n3").cpu("1"),
        web.on("n1"),
        pod("bare").cpu("2").priority(1).volume(json!({"emptyDir": {}})).on("n1"),
        pod("batch").cpu("2").of("batch/v1", "Job", "nightly").on("n2"),
        owner("ReplicaSet", "web-5d", Some(("Deployment", "web"))),
        budget("web").selects("app", "web").allowed(0),
        pod("p").cpu("4").priority(10).selects_nodes("n", "1"),
    ]
}

#[test]
fn a_plan_and_what_follows_from_it() {
    prints(&simulate(busy(), &["p"]), "
! Pod default/p (priority 10) gets node n1, and 2 pods go for it.
  #  VICTIM         PRIORITY  STOPS IN  OWNER                               PDB ALLOWS        THEN
  1  default/bare   1         30s       -                                   -                 gone for good
  2  default/web-1  5         5m        Deployment/web > ReplicaSet/web-5d  web: 0, violated  made again, may go elsewhere
  the room is free within 5m of the evictions, unless a node or a finalizer keeps a pod
  ! default/bare has no controller: it is gone for good; --apply needs --force
  ! default/bare loses the data of its emptyDir volumes; --apply needs --delete-emptydir-data

What becomes of the victims' replacements
  default/web-1 (priority 5) throws default/batch out of node n2
    default/batch (priority 0) stays pending: 0/3 nodes are available: 3 Insufficient cpu.
");
}

#[test]
fn a_plan_alone() {
    let simulated = simulate(busy(), &["p"]);
    let mut alone = Page::default();
    victims(&mut alone, simulated.plan(), NOW.parse().expect("a time"));
    let alone = alone.print(PLAIN).to_string();
    assert!(alone.starts_with("  #") && text(&simulated).contains(alone.trim_end()), "{alone}");
}

#[test]
fn a_cascade_that_is_cut_off() {
    let cut = text(&scene(busy()).depth(0).run(&["p"]));
    assert!(
        cut.ends_with("What becomes of the victims' replacements\n  and 1 more replacement, not followed\n"),
        "{cut}"
    );
}

#[test]
fn another_node_than_the_scheduler_would_take() {
    let on = scene(objects![node("n1"), node("n2"), pod("p")]).on("n2").run(&["p"]);
    prints(
        &on,
        "✓ Pod default/p (priority 0) fits as it is, on node n2.\n  the scheduler itself would take one of 2 nodes: n1 and n2",
    );
}

#[test]
fn nodes_that_tie_and_victims_that_are_going() {
    let objects = objects![
        node("n1").cpu("1"),
        node("n2").cpu("1"),
        pod("a")
            .cpu("1")
            .terminating()
            .with("/metadata/deletionTimestamp", "2026-01-01T00:00:20Z")
            .on("n1")
            .started(NOW),
        pod("b")
            .cpu("1")
            .terminating()
            .with("/metadata/deletionTimestamp", "2026-01-01T00:00:20Z")
            .on("n2")
            .started(NOW),
        pod("p").cpu("1").priority(1),
    ];
    let text = text(&simulate(objects, &["p"]));
    for want in ["20s (terminating)", "within 20s", "kube-scheduler may also take node n2"] {
        assert!(text.contains(want), "{text}");
    }
}

#[test]
fn nothing_of_a_cluster_reaches_the_terminal_raw() {
    let mut objects = busy();
    let hostile = "x\u{1b}[2J\u{202e}";
    objects[8] = pod(hostile).cpu("4").priority(10).scheduler(hostile).into();
    let name = |name: &str| format!("{name}{hostile}");
    objects[3] = pod(&name("web")).cpu("2").replica_of(&name("set")).scheduler(hostile).on("n1").into();
    objects.push(pod("q").cpu("4").priority(10).selects_nodes("n", "1").into());
    let text = text(&simulate(objects, &[hostile, "q"]));
    assert_eq!(text.chars().find(|c| *c != '\n' && is_hostile(*c)), None, "{text}");
    assert!(text.contains("OtherScheduler") || text.contains("another scheduler"), "{text}");
}

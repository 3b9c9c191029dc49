use engine::profile::{Profile, SchedulerVersion, VersionSource};
use serde_json::{Value, json};
use std::sync::Arc;

use super::{Page, page, victims};
use crate::page::{Paper, is_hostile};
use answers::extent::Extent;
use answers::origin::{InputOrigin, Origin, SourceKind};
use answers::questions::Basis;
use answers::questions::simulate::SimulateReport;
use engine::snapshot::Header;
use testing::{
    NOW, Simulated, assert_begins, assert_ends, assert_has, assert_lacks, budget, node, objects,
    owner, pod, scene, simulate,
};

const PLAIN: Paper = Paper::PLAIN;
/// What stands below the first verdict.
const ORIGIN: &str = "  Rules: kube-scheduler 1.37   File: f   As of: 2026-01-01 00:00:00 UTC\n";

fn report(simulated: &Simulated) -> SimulateReport {
    let basis = Basis {
        profile: Profile::new(SchedulerVersion::NEWEST, VersionSource::Flag),
        header: Header::default(),
        source: SourceKind::File,
        origin: Origin {
            place: InputOrigin::Files(vec!["f".to_owned()]),
            as_of: NOW.parse().expect("a time"),
            nodes: answers::node_name::NodeNames::default(),
        },
        budgets_unknown: false,
        flags: Arc::default(),
    };
    SimulateReport::of(basis, simulated.0.clone())
}

fn text(simulated: &Simulated) -> String {
    page(&report(simulated), false, Extent::Top).print(PLAIN).to_string()
}

#[test]
fn evictions_wait_for_a_budget_that_forbids_them() {
    let got = page(&report(&simulate(busy(), &["p"])), true, Extent::Top).print(PLAIN).to_string();
    assert!(got.contains("web: 0, waits") && !got.contains("violated"), "{got}");
}

#[track_caller]
fn prints(simulated: &Simulated, want: &str) {
    let got = text(simulated).replacen(ORIGIN, "", 1).replacen(ORIGIN.trim_start(), "", 1);
    assert_eq!(got.trim_end(), want.trim(), "\n{got}");
}

#[test]
fn a_pod_that_fits() {
    prints(
        &simulate(objects![node("n"), pod("p").priority(3)], &["p"]),
        "✓ default/p (priority 3): it fits without evictions on n.",
    );
    let nodes = (1..=6).map(|i| node(&format!("n{i}")).into());
    let mut objects: Vec<Value> = nodes.collect();
    objects.push(pod("p").into());
    prints(
        &simulate(objects, &["p"]),
        "✓ default/p (priority 0): it fits without evictions on one of 6 nodes: n1, n2, n3, n4, n5 and 1 more.",
    );
}

#[test]
fn a_pod_that_gets_nothing() {
    let objects =
        objects![node("n").cpu("1"), pod("p").cpu("2"), pod("other").scheduler("volcano")];
    prints(
        &simulate(objects, &["other", "p"]),
        r#"
0 of 2 pods placed.

? default/other (priority 0): not known.
  it is left to scheduler "volcano", whose rules are not known here

✗ default/p (priority 0): no node fits.
  0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.
"#,
    );
}

/// A Deployment's pod and one without a controller are evicted, and the replacement of the first
/// one is followed.
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
! default/p (priority 10): kube-scheduler evicts 2 pods on n1.
  #  VICTIM         PRIORITY  STOPS IN  OWNER                               PDB ALLOWS        THEN
  1  default/bare   1         30s       -                                   -                 not recreated
  2  default/web-1  5         5m        Deployment/web > ReplicaSet/web-5d  web: 0, violated  recreated
  room is free within 5m of the evictions, unless a finalizer or kubelet delays it
  ! default/bare has no controller: it is not recreated; --apply needs --force
  ! default/bare loses the data of its emptyDir volumes; --apply needs --delete-emptydir-data

Replacements of the victims
  default/web-1 (priority 5) evicts default/batch from n2
    default/batch (priority 0) stays pending: 0/3 nodes are available: 3 Insufficient cpu.
");
}

#[test]
fn a_plan_alone() {
    let simulated = simulate(busy(), &["p"]);
    let mut alone = Page::default();
    victims(&mut alone, simulated.plan(), &report(&simulated).basis, false);
    let alone = alone.print(PLAIN).to_string();
    assert!(alone.starts_with("  #") && text(&simulated).contains(alone.trim_end()), "{alone}");
}

#[test]
fn a_cascade_that_is_cut_off() {
    let cut = text(&scene(busy()).depth(0).run(&["p"]));
    assert_ends(&cut, "Replacements of the victims\n  and 1 more replacement, not followed\n");
}

#[test]
fn another_node_than_the_scheduler_would_take() {
    let on = scene(objects![node("n1"), node("n2"), pod("p")]).on("n2").run(&["p"]);
    prints(
        &on,
        "✓ default/p (priority 0): it fits without evictions on n2.\n  without --on, kube-scheduler would pick one of 2 nodes: n1 and n2",
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
    for want in ["20s (terminating)", "within 20s", "kube-scheduler may also pick n2"] {
        assert!(text.contains(want), "{text}");
    }
}

#[test]
fn text_of_a_cluster_is_escaped() {
    let mut objects = busy();
    let hostile = "x\u{1b}[2J\u{202e}";
    objects[8] = pod(hostile).cpu("4").priority(10).scheduler(hostile).into();
    let name = |name: &str| format!("{name}{hostile}");
    objects[3] =
        pod(&name("web")).cpu("2").replica_of(&name("set")).scheduler(hostile).on("n1").into();
    objects.push(pod("q").cpu("4").priority(10).selects_nodes("n", "1").into());
    let text = text(&simulate(objects, &[hostile, "q"]));
    assert_eq!(text.chars().find(|c| *c != '\n' && is_hostile(*c)), None, "{text}");
    assert!(text.contains("OtherScheduler") || text.contains("another scheduler"), "{text}");
}

#[test]
fn gated_pod_is_rejected_on_any_nodes() {
    for (pod, expected) in [
        (pod("p").gated("a"), "it gets no node while it has the scheduling gate a."),
        (
            pod("p").gated("a").gated("b"),
            "it gets no node while it has the scheduling gates a and b.",
        ),
        (pod("p").terminating(), "it gets no node."),
    ] {
        let text = text(&simulate(objects![node("n"), pod], &["p"]));
        assert_begins(&text, &format!("✗ default/p (priority 0): {expected}\n"));
    }
}

#[test]
fn other_victims_of_the_same_importance() {
    let victim = |name: &str, cpu: &str| pod(name).cpu(cpu).on("n").started(NOW);
    let text = text(&simulate(
        objects![
            node("n").cpu("4"),
            victim("a", "1"),
            victim("b", "2"),
            victim("c", "1"),
            pod("p").cpu("2").priority(9)
        ],
        &["p"],
    ));
    let line = "  kube-scheduler itself may evict 1 to 2 of default/a, default/b and default/c; this plan names one set that is enough\n";
    assert!(text.contains(line), "{text}");
}

/// Nine pods for five nodes that others fill.
fn many() -> Simulated {
    let mut objects: Vec<Value> = Vec::new();
    for index in 1..=5 {
        let (node_name, victim) = (format!("n{index}"), format!("batch-29670480-{index}"));
        objects.push(node(&node_name).cpu("2").into());
        objects.push(
            pod(&victim).cpu("2").of("batch/v1", "Job", "batch-29670480").on(&node_name).into(),
        );
    }
    let names: Vec<String> = (0..9).map(|index| format!("web-{index}")).collect();
    objects.extend(names.iter().map(|name| pod(name).cpu("2").priority(5).into()));
    objects.push(pod("gated").gated("a").into());
    let names: Vec<&str> = names.iter().map(String::as_str).chain(["gated"]).collect();
    simulate(objects, &names)
}

#[test]
fn many_pods_have_a_line_about_all_and_tables() {
    let got = text(&many());
    let first = "5 of 10 pods placed by evicting 5 pods; of 5 replacements 5 stay pending.\n";
    assert!(got.starts_with(first), "{got}");
    for want in [
        "\nPlaced, in queue order\n",
        "\nStay pending\n  PODS  WHICH ",
        "scheduling gate a\n",
        "\nEvicted, by owner\n",
        "  Job default/batch-*  5 ",
        "\nReplacements of the victims, by owner\n",
    ] {
        assert!(got.contains(want), "{want}: {got}");
    }
    assert!(got.lines().count() < 40, "{got}");
}

#[test]
fn long_tables_end_after_twenty_rows_unless_all_are_asked_for() {
    let mut objects: Vec<Value> = vec![node("n").cpu("100").into()];
    let names: Vec<String> = (0..40).map(|index| format!("p{index:02}")).collect();
    objects.extend(names.iter().map(|name| pod(name).cpu("1").into()));
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let simulated = simulate(objects, &names);
    let got = text(&simulated);
    assert_begins(&got, "40 of 40 pods placed without evictions.\n");
    assert_has(&got, "p19");
    assert_lacks(&got, "p20");
    assert_has(&got, "  and 20 more pods: --all\n");
    let all = page(&report(&simulated), false, Extent::All).print(PLAIN).to_string();
    assert!(all.contains("p39") && !all.contains("--all"), "{all}");
}

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{Layout, head_of, page};
use crate::page::Paper;
use answers::origin::{InputOrigin, Origin};
use answers::questions::pending::{DecisionSequence, Pending, PendingRow, PendingVerdict};
use engine::decision;
use engine::framework::cluster_view::ClusterView;
use engine::simulation::sequence::queue_order;
use testing::{NOW, assert_has, at, budget, cluster, node, objects, pod};

fn now() -> Timestamp {
    NOW.parse().unwrap()
}

fn pending(objects: Vec<Value>) -> Pending {
    let cluster = cluster(objects);
    let profile = at("1.37").profile();
    let view = ClusterView::new(&cluster, &profile);
    let waiting: Vec<_> = cluster
        .pod_indices()
        .filter(|p| cluster.pod(*p).is_active() && cluster.pod(*p).node_name.is_empty())
        .collect();
    let mut pending = Pending::default();
    for pod in queue_order(&waiting, &cluster) {
        pending.add(&decision::decide(&view, pod, now()).into());
    }
    pending
}

fn row(objects: Vec<Value>) -> PendingRow {
    pending(objects).rows.remove(0)
}

fn text(pending: &Pending, wide: bool, headers: bool) -> String {
    let layout =
        Layout { namespaces: false, wide, headers, actors: false, answered: false, now: now() };
    let origin = Origin {
        place: InputOrigin::Files(vec!["input".to_owned()]),
        as_of: layout.now,
        nodes: answers::node_name::NodeNames::default(),
    };
    page(pending, layout, &origin).print(Paper::PLAIN).to_string()
}

#[test]
fn verdicts_and_what_is_waited_for() {
    let small = || node("n").cpu("2");
    let vip = || pod("p").cpu("2").priority(9);
    let low = || pod("v").cpu("1").priority(1).on("n");
    for (objects, verdict, nodes, victims, waits_for) in [
        (objects![small(), vip()], PendingVerdict::Fits, vec!["n"], 0, "first attempt"),
        (
            objects![small(), vip().refused("no")],
            PendingVerdict::Fits,
            vec!["n"],
            0,
            "scheduler retry",
        ),
        (
            objects![small(), low(), vip().refused("no")],
            PendingVerdict::Preempts,
            vec!["n"],
            1,
            "scheduler retry",
        ),
        (
            objects![small(), low().terminating().preempted(), vip().nominated("n")],
            PendingVerdict::Waits,
            vec!["n"],
            0,
            "default/v leaving n",
        ),
        (
            // What leaves is not enough.
            objects![
                small(),
                low().terminating().preempted(),
                pod("w").cpu("1").priority(9).on("n"),
                vip().nominated("n"),
            ],
            PendingVerdict::Waits,
            vec![],
            0,
            "default/v leaving n",
        ),
        (
            objects![node("n").cpu("4"), low().terminating().preempted(), vip().nominated("n")],
            PendingVerdict::Fits,
            vec!["n"],
            0,
            "default/v leaving n",
        ),
        (
            objects![node("n").cpu("1"), vip()],
            PendingVerdict::Blocked,
            vec![],
            0,
            "a node is added or its allocatable changes, a pod is deleted or scaled down",
        ),
        (
            objects![small(), low(), vip().never_preempts()],
            PendingVerdict::Blocked,
            vec![],
            0,
            "a node is added or its \
            allocatable changes, a pod is deleted or scaled down",
        ),
        (
            objects![small(), vip().gated("a/b").gated("c")],
            PendingVerdict::Gated,
            vec![],
            0,
            "gates a/b,c",
        ),
        (
            objects![small(), vip().scheduler("mine")],
            PendingVerdict::NotInQueue,
            vec![],
            0,
            "scheduler mine",
        ),
        (
            objects![small(), vip().terminating()],
            PendingVerdict::NotInQueue,
            vec![],
            0,
            "its deletion",
        ),
    ] {
        let row = row(objects);
        assert_eq!((row.verdict, row.waits_for.as_str()), (verdict, waits_for));
        assert_eq!(
            (row.nodes.as_slice(), row.victims.len()),
            (nodes.iter().map(ToString::to_string).collect::<Vec<_>>().as_slice(), victims)
        );
    }
}

#[test]
fn cause_is_that_of_the_nearest_nodes() {
    let gpu = |name: &str| node(name).cpu("4").taint("gpu", "only", "NoSchedule");
    let crowd = || {
        objects![
            gpu("g1"),
            gpu("g2"),
            node("a").cpu("4"),
            pod("busy").cpu("3").on("a"),
            pod("p").cpu("2")
        ]
    };
    let cause = row(crowd()).cause.unwrap();
    assert_eq!(cause.text(false), "1/3 cpu: requests 2, 1 free of 4 (a)");
    assert_eq!(
        cause.text(true),
        "NodeResourcesFit 1/3: Insufficient cpu (cpu: requests 2, 1 free of 4) (a)"
    );
    let by_name =
        json!({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["a"]}]});
    let mut of_daemon_set = crowd();
    of_daemon_set.pop();
    of_daemon_set.push(pod("p").cpu("2").node_term(by_name.clone()).into());
    let row = row(of_daemon_set);
    assert_eq!(row.cause.unwrap().text(false), "1/1 cpu: requests 2, 1 free of 4 (a)");
    assert_eq!(row.waits_for, "a pod is deleted or scaled down", "another node is no use to it");
    let gone = objects![node("b"), node("c"), pod("p").cpu("2").node_term(by_name)];
    let cause = self::row(gone).cause.unwrap();
    assert_eq!(cause.text(false), "2/2 it asks for node a by name, which does not exist");
}

#[test]
fn pods_of_a_daemon_set_share_a_row_that_names_no_node() {
    let agent = |node: &str| {
        let by_name =
            json!({"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]});
        pod(&format!("agent-{node}"))
            .cpu("2")
            .of("apps/v1", "DaemonSet", "agent")
            .node_term(by_name)
    };
    let full = |name: &str| {
        objects![node(name).cpu("4"), pod(&format!("busy-{name}")).cpu("3").on(name), agent(name)]
    };
    let text = text(&pending([full("a"), full("b")].concat()), false, false);
    assert_eq!(text.lines().count(), 1, "{text}");
    assert_has(&text, "DaemonSet/agent (2 pods)");
    assert_has(&text, "1/1 cpu: requests 2, 1 free of 4  ");
}

#[test]
fn request_that_no_node_could_meet_is_the_cause() {
    let objects = objects![
        node("a").cpu("4").allocatable("nvidia.com/gpu", "4"),
        node("b").cpu("1"),
        pod("p").cpu("2").requests("nvidia.com/gpu", "8"),
    ];
    assert_eq!(
        row(objects).cause.unwrap().text(false),
        "2/2 nvidia.com/gpu: needs 8, no node has more than 4"
    );
    let nobody = objects![node("a").cpu("4"), pod("p").requests("example.com/fpga", "1")];
    assert_eq!(
        row(nobody).cause.unwrap().text(false),
        "1/1 example.com/fpga: needs 1, no node has any"
    );
}

#[test]
fn victim_that_should_have_ended_is_said_with_what_keeps_it() {
    let victim = pod("v").cpu("1").priority(1).on("n").preempted();
    let victim = victim.with("/metadata/deletionTimestamp", "2025-12-31T23:00:00Z");
    let held = victim.with("/metadata/finalizers", json!(["example.com/protect"]));
    let row = row(objects![node("n").cpu("2"), held, pod("p").cpu("2").priority(9).nominated("n")]);
    assert_eq!(row.waits_for, "default/v stuck on n: finalizer example.com/protect is still set");
}

/// Two pods that preempt (one violates a budget), one that fits, one gated, one blocked, in the
/// order of the queue.
fn several() -> Pending {
    pending(objects![
        node("n").cpu("2"),
        node("m").cpu("1"),
        pod("kept").cpu("2").priority(1).on("n").label("app", "db"),
        budget("db").selects("app", "db").allowed(0),
        pod("late").cpu("2").priority(9).created("2025-12-31T23:00:00Z"),
        pod("early").cpu("2").priority(9).created("2025-12-31T22:00:00Z"),
        pod("small").cpu("500m").priority(10).created("2025-12-31T23:59:00Z"),
        pod("huge").cpu("64").created("2025-12-31T23:59:30Z"),
        pod("held").gated("wait").created("2025-12-31T23:59:59Z"),
    ])
}

#[test]
fn a_row_each_the_most_important_first() {
    let shown = text(&several(), false, true);
    assert_eq!(
        shown.lines().next(),
        Some("5 pending, each decided alone: 1 fits now, 2 preempt, 1 blocked, 1 gated")
    );
    let columns: Vec<&str> = shown
        .lines()
        .nth(2)
        .unwrap()
        .split("  ")
        .filter(|c| !c.is_empty())
        .map(str::trim)
        .collect();
    assert_eq!(
        columns,
        ["NAME", "PRIORITY", "AGE", "VERDICT", "CAUSE", "NODE", "VICTIMS", "WAITING ON"]
    );
    let names: Vec<&str> =
        shown.lines().skip(3).filter_map(|line| line.split("  ").next()).take(5).collect();
    assert_eq!(names, ["small", "early", "late", "huge", "held"]);
    assert_has(&shown, "1 ‼PDB");
    assert!(text(&several(), true, true).contains("default/kept (1 PDB violation)"));
}

/// Six pods of one ReplicaSet, two of which ask for more, one of another and one without an owner.
fn replicas() -> Pending {
    let of = |name: &str, owner: &str, cpu: &str| pod(name).cpu(cpu).replica_of(owner);
    pending(objects![
        node("n").cpu("2"),
        of("web-a", "web", "4").created("2025-12-31T22:00:00Z"),
        of("api-a", "api", "4").created("2025-12-31T22:30:00Z"),
        of("web-b", "web", "4").created("2025-12-31T23:00:00Z"),
        of("web-c", "web", "6").created("2025-12-31T23:10:00Z"),
        of("web-d", "web", "6").created("2025-12-31T23:20:00Z"),
        of("web-e", "web", "4").priority(5).created("2025-12-31T23:30:00Z"),
        pod("bare").cpu("4").created("2025-12-31T23:40:00Z"),
        of("web-f", "web", "4").created("2025-12-31T23:50:00Z"),
    ])
}

/// The first two columns of each row.
fn names_and_priorities(shown: &str) -> Vec<String> {
    let cells = |line: &str| {
        line.split("  ")
            .map(str::trim)
            .filter(|c| !c.is_empty())
            .take(3)
            .collect::<Vec<_>>()
            .join("; ")
    };
    shown.lines().map(cells).collect()
}

#[test]
fn pods_of_one_owner_with_one_answer_are_one_row() {
    let rows = names_and_priorities(&text(&replicas(), false, false));
    assert_eq!(
        rows,
        [
            "web-e; 5; 30m",
            "ReplicaSet/web (3 pods); 0; 120m",
            "api-a; 0; 90m",
            "ReplicaSet/web (2 pods); 0; 50m",
            "bare; 0; 20m"
        ]
    );
    let first = "8 pending, each decided alone: 8 blocked";
    assert_eq!(text(&replicas(), false, true).lines().next(), Some(first), "pods are counted");
    assert_eq!(
        names_and_priorities(&text(&replicas(), true, false)).len(),
        8,
        "wide has a row for each pod"
    );
    assert_eq!(super::names(&replicas().rows).unwrap().lines().count(), 8);
}

#[test]
fn pods_of_different_answers_or_owners_are_not_grouped() {
    let of = |name: &str| pod(name).cpu("4").replica_of("web");
    for (what, objects, rows) in [
        ("the same", objects![of("a"), of("b")], 1),
        ("another owner", objects![of("a"), pod("b").cpu("4").replica_of("api")], 2),
        (
            "another kind of owner",
            objects![of("a"), pod("b").cpu("4").of("batch/v1", "Job", "web")],
            2,
        ),
        ("another namespace", objects![of("a"), of("b").with("/metadata/namespace", "other")], 2),
        ("another priority", objects![of("a"), of("b").priority(1)], 2),
        ("another verdict", objects![of("a"), of("b").gated("x")], 2),
        ("another cause", objects![of("a"), of("b").cpu("8")], 2),
        ("another doubt", objects![of("a"), of("b").claim("absent")], 2),
        ("no owner", objects![pod("a").cpu("4"), pod("b").cpu("4")], 2),
    ] {
        let objects = [objects, objects![node("n").cpu("2")]].concat();
        let shown = text(&pending(objects), false, false);
        assert_eq!(shown.lines().take_while(|line| !line.is_empty()).count(), rows, "{what}");
    }
}

#[test]
fn page_of_pods_that_a_cordon_keeps_waiting_names_the_command_about_the_node() {
    let last = |objects: Vec<Value>| {
        let page = text(&pending(objects), false, true);
        page.lines().last().unwrap_or_default().to_owned()
    };
    let cordoned = || {
        objects![
            node("a").cpu("1"),
            node("b").cpu("4").cordoned(),
            node("c").cpu("4").cordoned().label("k", "c")
        ]
    };
    let only = pod("q").cpu("2").with("/spec/nodeSelector", json!({"k": "c"}));
    let two = objects![pod("p").cpu("2"), only];
    let more = "More: kubectl preempt node b";
    assert_eq!(last([cordoned(), objects![pod("p").cpu("2")]].concat()), more);
    assert_eq!(last([cordoned(), two].concat()), more, "of two, the first by name");
    // What is short is room, and not a node that is cordoned.
    let full = objects![node("a").cpu("1"), pod("p").cpu("2")];
    assert!(!last(full).starts_with("More"));
    // Where rows alone are asked for, there is nothing else.
    let rows = pending([cordoned(), objects![pod("p").cpu("2")]].concat());
    assert!(!text(&rows, false, false).contains("More"));
}

#[test]
fn the_page_says_how_the_pods_were_decided() {
    let mut pending = replicas();
    let last = |pending: &Pending| text(pending, false, true).lines().last().map(str::to_owned);
    let alone = "Counted one by one, so several may count on the same room; --in-order places them together.";
    assert_eq!(last(&pending).as_deref(), Some(alone));
    pending.sequence = DecisionSequence::InOrder;
    let in_order =
        "The pods are placed one after the other: each is decided with the earlier ones placed.";
    assert_eq!(last(&pending).as_deref(), Some(in_order));
    assert!(!text(&pending, false, false).contains(in_order), "rows alone");
    let one = super::tests::pending(objects![node("n"), pod("p")]);
    assert_eq!(text(&one, false, true).lines().count(), 4, "one pod is decided alone anyway");
}

#[test]
fn without_headers_there_are_rows_alone() {
    let rows = text(&several(), false, false);
    assert!(rows.starts_with("small  10 ") && rows.lines().count() == 5, "{rows}");
}

#[test]
fn a_head_says_how_many_rows_are_shown_and_a_row_all_that_is_searched() {
    let pending = several();
    let shown: Vec<&PendingRow> =
        pending.rows.iter().filter(|row| row.searched().contains("preempts")).collect();
    let origin = Origin {
        place: InputOrigin::Files(vec!["input".to_owned()]),
        as_of: now(),
        nodes: answers::node_name::NodeNames::default(),
    };
    let head =
        |rows: &[&PendingRow]| head_of(&pending, rows, &origin).print(Paper::PLAIN).to_string();
    assert_eq!(head(&shown).lines().next(), Some("2 of 5 pending, each decided alone: 2 preempt"));
    assert_eq!(head(&[]).lines().next(), Some("0 of 5 pending"));
    for (row, text) in [("huge", "Insufficient cpu"), ("late", "1 ‼PDB"), ("held", "gate wait")] {
        let row = pending.rows.iter().find(|r| r.name == row).unwrap();
        assert!(row.searched().contains(text), "{}", row.searched());
    }
}

#[test]
fn no_pod_is_pending() {
    let none = pending(objects![node("n")]);
    assert_eq!((none.summary().as_str(), text(&none, false, true).as_str()), ("0 pending", ""));
}

#[test]
fn doubts_are_reported_once_and_mark_the_row() {
    let doubtful = || {
        pending(objects![
            node("n").cpu("1"),
            pod("a").claim("c").cpu("2"),
            pod("b").claim("c").cpu("2")
        ])
    };
    let shown = text(&doubtful(), false, true);
    assert!(doubtful().rows.iter().all(PendingRow::is_unsure), "{shown}");
    let notes: Vec<&str> = shown.lines().skip_while(|line| *line != "Notes").collect();
    let mut once = notes.clone();
    once.sort_unstable();
    once.dedup();
    assert!(notes.len() > 1 && notes.len() == once.len(), "{shown}");
    assert_has(&shown, "  blocked?  ");
}

#[test]
fn a_pod_that_is_not_pending_is_placed_or_gone() {
    let row = row(objects![node("n"), pod("p")]);
    for (objects, verdict, nodes) in [
        (objects![node("n"), pod("p").on("n")], PendingVerdict::Placed, vec!["n".to_owned()]),
        (objects![node("n"), pod("p").on("n").phase("Failed")], PendingVerdict::Gone, vec![]),
        (
            objects![node("n"), pod("p").on("n").with("/metadata/uid", "another")],
            PendingVerdict::Gone,
            vec![],
        ),
        (objects![node("n")], PendingVerdict::Gone, vec![]),
    ] {
        let left = row.left(&cluster(objects));
        assert_eq!((left.verdict, left.nodes.clone()), (verdict, nodes));
        assert!(left.is_about(&row));
    }
}

#[test]
fn an_open_number_of_victims_is_a_range() {
    let victim = |name: &str, cpu: &str| pod(name).cpu(cpu).on("n").started(NOW);
    let found = pending(objects![
        node("n").cpu("4"),
        victim("a", "1"),
        victim("b", "2"),
        victim("c", "1"),
        pod("p").cpu("2").priority(9),
    ]);
    assert_has(&text(&found, false, true), "  n     1-2      first attempt");
    assert_has(&text(&found, true, true), "  1-2 such as default/");
}

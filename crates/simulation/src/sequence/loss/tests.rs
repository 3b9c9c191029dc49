use serde_json::{Value, json};
use testing::{NOW, Pod, at, budget, claim, cluster, node, objects, pod, volume};

use super::*;

fn lost(objects: Vec<Value>, nodes: &[&str]) -> NodesLoss {
    let nodes: Vec<String> = nodes.iter().map(|name| (*name).to_owned()).collect();
    let profiles = [at("1.37").profile()];
    let now = NOW.parse().expect("a time");
    let causes = Causes(&|_| Vec::new());
    Losses::new(&cluster(objects), &profiles, now, causes, false).play(&nodes).0
}

/// `NAME READY>LEFT`, and everything else that is not zero, of each workload by its name.
fn told(loss: &NodesLoss) -> Vec<String> {
    let mut rows: Vec<String> = loss.workloads.iter().map(words).collect();
    rows.sort();
    rows
}

fn words(workload: &WorkloadLoss) -> String {
    let mut words = format!("{} {}>{}", workload.name, workload.ready, workload.left);
    for (name, number) in [
        ("lost", workload.lost),
        ("gone", workload.gone),
        ("until deleted", workload.until_deleted),
    ] {
        if number > 0 {
            words.push_str(&format!(", {name} {number}"));
        }
    }
    for (name, Range { fewest, most }) in
        [("preempted", workload.preempted), ("pending", workload.pending)]
    {
        if fewest == most && most > 0 {
            words.push_str(&format!(", {name} {most}"));
        } else if most > 0 {
            words.push_str(&format!(", {name} {fewest}-{most}"));
        }
    }
    for (node, pods) in &workload.places {
        words.push_str(&format!(", {pods} to {node}"));
    }
    for claim in &workload.volumes {
        words.push_str(&format!(", volume of {claim}"));
    }
    words
}

fn web(name: &str, on: &str) -> Pod {
    pod(name).cpu("1").label("app", "web").replica_of("web").ready().on(on)
}

#[test]
fn replacements_of_lost_pods_are_placed_preempt_or_stay_pending() {
    let two = || objects![node("n1").cpu("4"), node("n2").cpu("2")];
    let low = || pod("low").cpu("2").priority(-1).replica_of("low").ready().on("n2");
    let other = || pod("other").cpu("1").replica_of("other").ready().on("n1");
    for (why, pods, want) in [
        ("room", objects![web("a", "n1"), web("b", "n2")], vec!["web 2>1, lost 1, 1 to n2"]),
        (
            "no room",
            objects![web("a", "n1"), pod("x").cpu("2").replica_of("x").ready().on("n2")],
            vec!["web 1>0, lost 1, pending 1"],
        ),
        (
            "room after a preemption",
            objects![web("a", "n1"), low()],
            vec!["low 1>1, preempted 1, pending 1", "web 1>0, lost 1, 1 to n2"],
        ),
        (
            "room for one of two",
            objects![web("a", "n1"), other(), pod("x").cpu("1").ready().on("n2")],
            vec!["other 1>0, lost 1, pending 0-1", "web 1>0, lost 1, pending 0-1, 1 to n2"],
        ),
    ] {
        let mut told = told(&lost([two(), pods].concat(), &["n1"]));
        // Which of two gets the room is a tie: only the numbers are compared.
        if why == "room for one of two" {
            told = told.into_iter().map(|row| row.replace(", 1 to n2", "")).collect();
            let want = vec!["other 1>0, lost 1, pending 0-1", "web 1>0, lost 1, pending 0-1"];
            assert_eq!(told, want, "{why}");
            continue;
        }
        assert_eq!(told, want, "{why}");
    }
}

#[test]
fn replacement_that_comes_first_may_take_the_room_of_a_more_important_one() {
    let loss = lost(
        objects![
            node("n1").cpu("4"),
            node("n2").cpu("1"),
            web("a", "n1").priority(9),
            pod("b").cpu("1").replica_of("b").never_preempts().ready().on("n1"),
        ],
        &["n1"],
    );
    assert_eq!(
        (loss.pending, loss.preempted),
        (Range { fewest: 1, most: 1 }, Range { fewest: 0, most: 1 })
    );
}

#[test]
fn what_nothing_replaces_or_only_later_is_told_apart() {
    let set = |kind: &str| pod("db-0").cpu("1").of("apps/v1", kind, "db").ready().on("n1");
    let for_ever = || web("a", "n1").tolerates("", "Exists", "", "");
    for (pods, of_nodes, want) in [
        (objects![set("StatefulSet")], 0, vec!["db 1>0, lost 1, until deleted 1, 1 to n2"]),
        (objects![set("DaemonSet")], 1, vec![]),
        (objects![pod("bare").cpu("1").ready().on("n1")], 0, vec!["bare 1>0, lost 1, gone 1"]),
        (objects![for_ever()], 0, vec!["web 1>0, lost 1, until deleted 1, 1 to n2"]),
    ] {
        let nodes = objects![node("n1").cpu("4"), node("n2").cpu("4")];
        let loss = lost([nodes, pods].concat(), &["n1"]);
        assert_eq!(told(&loss), want);
        assert_eq!(loss.of_nodes, of_nodes);
    }
}

#[test]
fn volume_of_a_dead_zone_is_lost() {
    let loss = lost(
        objects![
            node("n1").cpu("4").zone("a"),
            node("n2").cpu("4").zone("b"),
            claim("data", "").bound("pv"),
            volume("pv", "").on_nodes("zone", "a"),
            web("a", "n1").claim("data"),
        ],
        &["n1"],
    );
    assert_eq!(told(&loss), ["web 1>0, lost 1, pending 1, volume of data"]);
}

#[test]
fn budget_is_short_of_pods_until_replacements_are_ready() {
    let short = |desired: i64| {
        let loss = lost(
            objects![
                node("n1").cpu("4"),
                node("n2").cpu("4"),
                budget("web").selects("app", "web").allowed(2 - desired).healthy(2, desired, 2),
                web("a", "n1"),
                web("b", "n2"),
            ],
            &["n1"],
        );
        loss.budgets.iter().map(|one| (one.healthy, one.desired)).collect::<Vec<_>>()
    };
    assert_eq!(short(1), []);
    assert_eq!(short(2), [(1, 2)]);
}

#[test]
fn pods_that_wait_already_are_no_effect_of_the_loss() {
    let waits = pod("waits").cpu("9").replica_of("waits");
    let king = pod("king").cpu("2").priority(9).replica_of("king");
    let low = pod("low").cpu("2").replica_of("low").ready().on("n2");
    let nodes =
        objects![node("n1").cpu("4"), node("n2").cpu("2"), pod("x").cpu("4").priority(10).on("n1")];
    let loss = lost([nodes, objects![waits, king, low]].concat(), &["n1"]);
    assert_eq!(told(&loss), ["x 0>0, lost 1, gone 1"], "king evicts low in any case");
    assert_eq!(loss.pending_anyway, 2, "waits, and low, which king preempts");
}

/// A pod on a lost node that a waiting pod would preempt in any case.
#[test]
fn lost_pod_that_is_pending_anyway_is_counted_apart() {
    let king = pod("king").cpu("2").priority(9).replica_of("king");
    let low = pod("low").cpu("2").replica_of("low").ready().on("n1");
    let full = pod("full").cpu("2").priority(10).replica_of("full").ready().on("n2");
    let nodes = objects![node("n1").cpu("2"), node("n2").cpu("2")];
    let loss = lost([nodes, objects![king, low, full]].concat(), &["n1"]);
    assert_eq!(told(&loss), ["low 1>0, lost 1"]);
    assert_eq!((loss.pending_anyway, loss.workloads[0].pending_anyway), (1, 1));
    assert_eq!(loss.workloads[0].why, ["1 Insufficient cpu"]);
}

/// A claim that is created for a replacement may get any device, also where a pod like it waits for
/// its own claim.
#[test]
fn pods_of_which_nothing_is_known_are_not_said_to_be_pending() {
    let claims = json!([{"name": "r", "resourceClaimTemplateName": "t"}]);
    let user = |name: &str| {
        pod(name).cpu("1").replica_of("web").with("/spec/resourceClaims", claims.clone())
    };
    let statuses = json!([{"name": "r", "resourceClaimName": "w1-r"}]);
    let on = user("w1").with("/status/resourceClaimStatuses", statuses).ready().on("n1");
    let nodes = || objects![node("n1").cpu("4"), node("n2").cpu("4")];
    let pending = Range { fewest: 0, most: 1 };
    for waiting in [objects![], objects![user("w3")]] {
        let loss = lost([nodes(), objects![on.clone()], waiting].concat(), &["n1"]);
        assert_eq!(
            (loss.pending, loss.workloads[0].pending, loss.unknown, loss.is_unsure()),
            (pending, pending, 1, true)
        );
        assert!(loss.workloads[0].why[0].ends_with("not known"), "{:?}", loss.workloads[0].why);
    }
}

/// A pod that waits already gets the room that a preemptor leaves only if it is decided after that.
#[test]
fn what_is_pending_without_the_loss_may_depend_on_the_order() {
    for (cpu, differs) in [("1", true), ("2", false)] {
        let loss = lost(
            objects![
                node("n1").cpu("1"),
                node("n2").cpu("2"),
                web("king", "n1").priority(9),
                pod("low").cpu("2").priority(-1).replica_of("low").ready().on("n2"),
                pod("waits").cpu(cpu).priority(-1).replica_of("waits"),
            ],
            &["n1"],
        );
        assert_eq!((loss.pending_anyway, loss.is_anyway_open), (1, differs), "{cpu}");
    }
}

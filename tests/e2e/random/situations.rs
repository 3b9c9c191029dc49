//! Does the program say what the scheduler then does, in any situation? Of every preemption,
//! `why-evicted` is asked as well.

use std::collections::BTreeSet;
use std::thread::sleep;
use std::time::Duration;

use fastrand::Rng;
use serde_json::{Value, json};

use super::cluster::{RandomCluster, any_cluster};
use crate::disruptions::{preempted_by_others, preemptions};
use crate::fidelity::Test;
use crate::objects::NAMESPACE;
use crate::plane::{Plane, wait_for};
use crate::stage::Stage;
use crate::tool::ask;

/// After this long, the scheduler has seen what was written.
const SETTLED: Duration = Duration::from_millis(400);

/// One situation: what happened.
pub fn one(plane: &Plane, seed: u64) -> Vec<String> {
    let mut rng = Rng::with_seed(seed);
    let stage = Stage::new(plane);
    let cluster = any_cluster(&mut rng);
    set_up(plane, &stage, &cluster);
    plane.scheduler.pause();
    let test = Test { plane, others: stage.uids(), gates: "" };
    let uid = stage.create(&cluster.pod);
    let arguments = ["explain", "p", "-n", NAMESPACE, "-o", "json", "--exit-code"];
    let run = ask(plane, &arguments);
    let ours = run.json();
    let doubts =
        ours["notes"].as_array().expect("notes").iter().filter(|note| note["severity"] == "error");
    assert_eq!(doubts.count(), 0, "{ours:#}");
    plane.scheduler.go_on();
    let outcome = ours["outcome"].as_str().expect("an outcome");
    assert_eq!(run.code, Some(i32::from(outcome == "Unschedulable")), "{run:?}");
    let mut lines = vec![line(&ours)];
    match outcome {
        "Unschedulable" => {
            assert_eq!(ours["conditionMessage"], json!(test.message(&uid)), "{ours:#}");
            test.verify("p", &["Equal"]);
            assert_eq!(told_to_end(&test), BTreeSet::new(), "{ours:#}");
        }
        "Schedulable" => {
            let node = test.bound(&uid).node;
            assert!(contains(&ours["selected"]["nodes"], &node), "bound to {node}: {ours:#}");
            assert_eq!(told_to_end(&test), BTreeSet::new(), "{ours:#}");
        }
        "Preempt" => lines.extend(preempts(&test, &stage, &mut rng, &cluster, &ours, &uid)),
        other => panic!("{other}: {ours:#}"),
    }
    lines
}

/// Makes the cluster, and waits until the scheduler knows it. Pods that are deleted from now on
/// take their time to end.
fn set_up(plane: &Plane, stage: &Stage, cluster: &RandomCluster) {
    plane.kubelets.finish(false);
    stage.build(&cluster.objects);
    let pods = format!("/api/v1/namespaces/{NAMESPACE}/pods");
    for name in &cluster.leaving {
        stage.admin.must("DELETE", &format!("{pods}/{name}"), None);
    }
    settle(stage);
    if let Some(first) = &cluster.first {
        let uid = stage.create(first);
        let life = || plane.kubelets.life(&uid);
        wait_for("a decision about the first pod", || {
            !life().messages.is_empty() || !life().node.is_empty()
        });
        sleep(SETTLED);
        settle(stage);
    }
}

/// Waits until budgets count the pods as they are now, and the scheduler has seen that. Of several
/// budgets for the same pods, the controller counts anew for one alone when a pod changes.
fn settle(stage: &Stage) {
    let list = |api: &str, plural: &str| {
        stage.admin.list(&format!("{api}/namespaces/{NAMESPACE}/{plural}"))
    };
    wait_for("the controller of budgets", || {
        let pods = list("/api/v1", "pods");
        let is_healthy = |pod: &&Value, app: &Value| {
            let conditions = pod["status"]["conditions"].as_array();
            let is_ready =
                |condition: &Value| condition["type"] == "Ready" && condition["status"] == "True";
            let is_alive = pod["metadata"]["deletionTimestamp"].is_null();
            is_alive
                && pod["metadata"]["labels"]["app"] == *app
                && conditions.is_some_and(|all| all.iter().any(is_ready))
        };
        let budgets = list("/apis/policy/v1", "poddisruptionbudgets");
        let app = |budget: &Value| budget["spec"]["selector"]["matchLabels"]["app"].clone();
        budgets.iter().map(app).all(|selected| {
            let healthy = json!(pods.iter().filter(|pod| is_healthy(pod, &selected)).count());
            let mut of_app = budgets.iter().filter(|budget| app(budget) == selected);
            of_app.any(|budget| budget["status"]["currentHealthy"] == healthy)
        })
    });
    sleep(SETTLED);
}

/// The pod is nominated to a node that we name, and exactly the pods that we name are told to end.
/// If nothing else is in the way, it is bound there.
fn preempts(
    test: &Test,
    stage: &Stage,
    rng: &mut Rng,
    cluster: &RandomCluster,
    ours: &Value,
    uid: &str,
) -> Vec<String> {
    let (plane, kubelets) = (test.plane, &test.plane.kubelets);
    let acted =
        || !kubelets.life(uid).nominations.is_empty() || !kubelets.life(uid).node.is_empty();
    wait_for("a nomination", acted);
    let node = kubelets.life(uid).nominations.first().cloned();
    let node = node.unwrap_or_else(|| panic!("bound without a nomination: {ours:#}"));
    assert!(contains(&ours["selected"]["nodes"], &node), "nominated to {node}: {ours:#}");
    let alive: BTreeSet<String> = test.others.iter().map(|uid| name(plane, uid)).collect();
    // A pod that was nominated before, and has lost that to this one, may preempt others once more.
    let evicted = || -> BTreeSet<String> {
        let by_others = preempted_by_others(plane, uid);
        test.told_to_end().difference(&by_others).cloned().collect()
    };
    let names = |uids: BTreeSet<String>| -> BTreeSet<String> {
        uids.iter().map(|uid| name(plane, uid)).collect()
    };
    wait_for("the victims' ends", || is_foreseen(ours, &node, &names(evicted()), &alive));
    sleep(SETTLED);
    let evicted = evicted();
    let victims = names(evicted.clone());
    assert!(is_foreseen(ours, &node, &victims, &alive), "on {node}: {victims:?}: {ours:#}");
    if ours["selected"]["certainty"] == "Certain" {
        assert_eq!(ours["conditionMessage"], json!(test.message(uid)), "{ours:#}");
    }
    // Another preemptor may take the room, and be the one that an Event names.
    let alone = cluster.first.is_none();
    let mut lines = preemptions::victims(plane, stage, rng, uid, &evicted, alone);
    let is_there = !kubelets.life(uid).gone;
    if alone && is_there {
        kubelets.finish(true);
        let landed = test.bound(uid).node;
        // Pods that leave elsewhere may make room there before the victims are gone.
        assert!(landed == node || !cluster.leaving.is_empty(), "on {landed}: {ours:#}");
        assert_eq!(told_to_end(test), victims);
        lines.extend(preemptions::afterwards(plane, uid, &evicted));
    }
    lines
}

/// The names of the pods that have been told to end since.
fn told_to_end(test: &Test) -> BTreeSet<String> {
    test.told_to_end().iter().map(|uid| name(test.plane, uid)).collect()
}

fn line(ours: &Value) -> String {
    format!(
        "{} {}",
        ours["outcome"].as_str().unwrap_or_default(),
        ours["selected"]["certainty"].as_str().unwrap_or("-")
    )
}

fn name(plane: &Plane, uid: &str) -> String {
    let life = plane.kubelets.life(uid);
    format!("{}/{}", life.namespace, life.name)
}

fn contains(list: &Value, text: &str) -> bool {
    list.as_array().is_some_and(|list| list.iter().any(|item| item == text))
}

/// Whether these pods are a set of victims that we name for the node, as far as they are `alive`:
/// what is being deleted already is not deleted again.
fn is_foreseen(
    ours: &Value,
    node: &str,
    victims: &BTreeSet<String>,
    alive: &BTreeSet<String>,
) -> bool {
    let of_node = ours["selected"]["victims"]
        .as_array()
        .and_then(|all| all.iter().find(|of| of["node"] == node));
    let Some(of_node) = of_node else { return victims.is_empty() };
    let names = |list: &Value| -> BTreeSet<String> {
        let names = list
            .as_array()
            .into_iter()
            .flatten()
            .map(|name| name.as_str().expect("a name").to_owned());
        names.filter(|name| alive.contains(name)).collect()
    };
    let open = &of_node["open"];
    let may_be_open = || {
        let (always, among) = (names(&open["always"]), names(&open["among"]));
        let count = u64::try_from(victims.len()).expect("few");
        open.is_object()
            && always.is_subset(victims)
            && victims.iter().all(|name| always.contains(name) || among.contains(name))
            && (open["fewest"].as_u64() <= Some(count) && Some(count) <= open["most"].as_u64())
    };
    of_node["sets"].as_array().expect("sets").iter().any(|set| names(set) == *victims)
        || may_be_open()
}

//! What comes before the scheduler: schedulers that do not run, gates that nobody removes, and
//! workloads whose pods were never created. `explain`, `pending` and the JSON say the same.

use serde_json::{Value, json};
use testing::{assert_has, assert_lacks};

use super::{NOW, Run, list, node, pod, run_with, with};

fn ask(arguments: &[&str], items: &[Value]) -> Run {
    let arguments = [arguments, &["--from", "-", "--now", NOW]].concat();
    run_with(&arguments, list(items).as_bytes())
}

/// A pod that nobody has looked at since 11:30.
fn unseen(name: &str) -> Value {
    with(pod(name), "/metadata/creationTimestamp", json!("2026-06-01T11:30:00Z"))
}

/// The pod of a program, which is not Ready.
fn unready(namespace: &str, name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, "uid": name},
        "spec": {"nodeName": "n1", "containers": [{"name": "c"}]},
        "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "False"}]}})
}

fn lease(name: &str, renewed: &str) -> Value {
    json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
        "metadata": {"name": name, "namespace": "kube-system"},
        "spec": {"leaseDurationSeconds": 15, "renewTime": renewed}})
}

#[test]
fn pod_without_condition_is_told_of_the_scheduler_that_does_not_run() {
    let crashing = with(
        unready("kube-system", "kube-scheduler-cp1"),
        "/status/containerStatuses",
        json!([{"name": "c", "restartCount": 40, "state": {"waiting": {"reason": "CrashLoopBackOff"}}}]),
    );
    let items =
        [node("n1"), unseen("web"), crashing, lease("kube-scheduler", "2026-06-01T11:31:45Z")];
    let clause = "no scheduler has looked at it for 30m: kube-scheduler-cp1 is in CrashLoopBackOff (40 restarts); its \
                  Lease kube-system/kube-scheduler expired 28m ago; by kube-scheduler's rules it fits on the only node";
    let answer = ask(&["explain", "web"], &items);
    assert_has(&answer.out, &format!("! default/web (priority 0, pending 30m): {clause}"));
    assert_has(&answer.out, "kubectl logs --previous kube-scheduler-cp1 -n kube-system");
    assert_lacks(&answer.out, "it is new");
    assert_has(&ask(&["explain", "web", "-o", "wide"], &items).out, clause);
    let json = ask(&["explain", "web", "-o", "json"], &items).json();
    assert_eq!(
        (&json["outcome"], &json["silence"]["state"]),
        (&json!("Schedulable"), &json!("Down"))
    );
    assert_eq!(json["silence"]["seconds"], 1800);
    assert_eq!(ask(&["explain", "web", "--exit-code"], &items).code, 1);
    let verified = ask(&["verify"], &items);
    assert_has(
        &verified.out,
        "no message  no scheduler has looked at it for 30m: kube-scheduler-cp1",
    );

    let table = ask(&["pending"], &items);
    assert_has(&table.out, "1 pending: 1 not in the queue");
    assert_has(&table.out, "kube-scheduler, which does not run");
    let row = &ask(&["pending", "-o", "json"], &items).json()["items"][0];
    assert_eq!((&row["verdict"], &row["silence"]), (&json!("NotInQueue"), &json["silence"]));
}

#[test]
fn scheduler_that_the_input_does_not_show_is_not_called_dead() {
    let answer = ask(&["explain", "web"], &[node("n1"), unseen("web")]);
    assert_has(&answer.out, "no scheduler has looked at it for 30m; by kube-scheduler's rules");
    assert_has(&answer.out, "Whether kube-scheduler runs is not in the input");
    assert_has(&answer.out, "kubectl get leases,pods -n kube-system");
    assert_eq!(ask(&["explain", "web", "--exit-code"], &[node("n1"), unseen("web")]).code, 0);

    // One that renews its Lease runs, and a pod that is young enough is new.
    let renewed = lease("kube-scheduler", "2026-06-01T11:59:50Z");
    let answer = ask(&["explain", "web"], &[node("n1"), unseen("web"), renewed]);
    assert_has(&answer.out, "kube-scheduler seems to run");
    let young = with(pod("web"), "/metadata/creationTimestamp", json!("2026-06-01T11:59:00Z"));
    assert_has(&ask(&["explain", "web"], &[node("n1"), young]).out, "it is new, in the queue");
}

#[test]
fn lease_of_a_file_of_unknown_age_is_judged_by_the_times_in_it() {
    let items = [node("n1"), unseen("web"), lease("kube-scheduler", "2026-06-01T11:30:10Z")];
    let input = list(&items);
    let answer = run_with(&["explain", "web", "--from", "-"], input.as_bytes());
    assert_lacks(&answer.out, "expired");
}

#[test]
fn pod_of_another_scheduler_is_told_of_its_pods_and_asked_as_kube_scheduler_would() {
    let mine = with(unseen("web"), "/spec/schedulerName", json!("jhub-user-scheduler"));
    let owner = json!([{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "user-scheduler-6b",
        "uid": "rs", "controller": true}]);
    let program = with(unready("jhub", "user-scheduler-6b-1"), "/metadata/ownerReferences", owner);
    let items = [node("n1"), mine.clone(), program];
    let answer = ask(&["explain", "web"], &items);
    assert_has(
        &answer.out,
        "no scheduler has looked at it for 30m: jhub/user-scheduler-6b-1 is not Ready",
    );
    assert_has(&answer.out, "simulate web -n default --as-if-preempting");
    let table = ask(&["pending"], &items);
    assert_has(&table.out, "scheduler jhub-user-scheduler, which does not run");

    let simulated = ask(&["simulate", "web", "--as-if-preempting"], &items);
    assert_has(&simulated.out, "schedulerName=default-scheduler");
    assert_has(&simulated.out, "it fits without evictions on n1");

    // A misspelt name has no pods anywhere.
    let typo = with(mine, "/spec/schedulerName", json!("default-schedular"));
    let answer = ask(&["explain", "web"], &[node("n1"), typo]);
    assert_has(&answer.out, "no pod here has a name like default-schedular");
}

#[test]
fn gates_that_no_known_program_sets_point_to_what_comes_after_them() {
    let gated =
        with(unseen("web"), "/spec/schedulingGates", json!([{"name": "example.com/checks"}]));
    let answer = ask(&["explain", "web"], &[node("n1"), gated]);
    assert_has(&answer.out, "The controller that set gate example.com/checks has to remove it");
    assert_has(&answer.out, "simulate web -n default --as-if-preempting");
}

/// A Deployment with a ReplicaSet that could not create its pod for this reason.
fn refused(message: &str) -> Vec<Value> {
    vec![
        node("n1"),
        json!({"apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": "web", "namespace": "default", "uid": "d"}, "spec": {"replicas": 2}}),
        json!({"apiVersion": "apps/v1", "kind": "ReplicaSet",
            "metadata": {"name": "web-6d", "namespace": "default", "uid": "r", "ownerReferences":
                [{"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": "d", "controller": true}]},
            "spec": {"replicas": 2}, "status": {"conditions": [{"type": "ReplicaFailure", "status": "True",
                "reason": "FailedCreate", "message": message}]}}),
    ]
}

#[test]
fn workload_whose_pods_are_refused_says_by_what() {
    let quota = "pods \"web-6d-x\" is forbidden: exceeded quota: team, requested: requests.cpu=8500m, used: \
                 requests.cpu=792200m, limited: requests.cpu=800";
    for (message, why) in [
        (quota, "ResourceQuota team refuses them: requests.cpu: 792.2 of 800 used, 8.5 asked"),
        (
            "admission webhook \"validate.kyverno.svc\" denied the request: no latest tags",
            "admission webhook validate.kyverno.svc refuses them: no latest tags",
        ),
        (
            "pods \"web-6d-\" is forbidden: error looking up service account default/ci: serviceaccount \"ci\" not found",
            "ServiceAccount ci does not exist",
        ),
    ] {
        let items = refused(message);
        let answer = ask(&["explain", "deploy/web"], &items);
        assert_has(&answer.out, &format!("Deployment default/web (0 of 2 pods): {why}"));
        assert_has(&ask(&["pending", "-A"], &items).out, why);
        let json = ask(&["pending", "-A", "-o", "json"], &items).json();
        assert_eq!(json["workloads"][0]["why"], why);
        // The ReplicaSet and the Deployment that is not in the input say the same.
        assert_has(&ask(&["explain", "rs/web-6d"], &items).out, why);
        assert_has(
            &ask(&["explain", "deploy/web"], &[items[0].clone(), items[2].clone()]).out,
            why,
        );
    }
    let simulated = ask(&["simulate", "deploy/web"], &refused(quota));
    assert_eq!(simulated.code, 2, "{simulated:?}");
    assert_has(&simulated.err, "Deployment default/web has no pods; kubectl preempt explain");
}

#[test]
fn workload_of_which_some_pods_exist_says_why_the_others_do_not() {
    let quota = "pods \"web-6d-x\" is forbidden: exceeded quota: team, requested: pods=1, used: pods=1, limited: pods=1";
    let owned = |name: &str, kind: &str, owner: &str| {
        with(
            pod(name),
            "/metadata/ownerReferences",
            json!([{"apiVersion": "apps/v1", "kind": kind,
            "name": owner, "uid": "r", "controller": true}]),
        )
    };
    let mut items = refused(quota);
    items.push(owned("web-6d-a", "ReplicaSet", "web-6d"));
    let answer = ask(&["explain", "deploy/web"], &items);
    assert_has(
        &answer.err,
        "Deployment default/web (1 of 2 pods): ResourceQuota team refuses them",
    );
    assert_has(&answer.out, "default/web-6d-a");

    let set = json!({"apiVersion": "apps/v1", "kind": "StatefulSet",
        "metadata": {"name": "db", "namespace": "default", "uid": "r"}, "spec": {"replicas": 3}});
    let items = [node("n1"), set, owned("db-0", "StatefulSet", "db")];
    let answer = ask(&["explain", "sts/db"], &items);
    assert_has(
        &answer.err,
        "StatefulSet default/db (1 of 3 pods): it creates the next pod once db-0 is Ready",
    );
    assert_eq!(ask(&["explain", "db-0"], &items).err, "");
}

#[test]
fn quota_that_was_read_counts_before_what_the_message_says() {
    let mut items = refused(
        "pods \"x\" is forbidden: exceeded quota: team, requested: pods=1, used: pods=9, limited: pods=10",
    );
    items.push(json!({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "team", "namespace": "default"},
        "spec": {"hard": {"pods": "10"}}, "status": {"hard": {"pods": "10"}, "used": {"pods": "10"}}}));
    assert_has(&ask(&["explain", "deploy/web"], &items).out, "pods: 10 of 10 used, 1 asked");
}

#[test]
fn suspended_job_names_kueue_or_nobody() {
    let job = json!({"apiVersion": "batch/v1", "kind": "Job",
        "metadata": {"name": "train", "namespace": "default", "uid": "j"},
        "spec": {"suspend": true, "parallelism": 3}});
    let workload = json!({"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Workload",
        "metadata": {"name": "job-train", "namespace": "default", "ownerReferences":
            [{"apiVersion": "batch/v1", "kind": "Job", "name": "train", "uid": "j", "controller": true}]},
        "spec": {"queueName": "team-a"}, "status": {"conditions": [{"type": "QuotaReserved", "status": "False",
            "reason": "Pending", "message": "insufficient unused quota for cpu, 3 more needed"}]}});
    let queue = json!({"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "LocalQueue",
        "metadata": {"name": "team-a", "namespace": "default"}, "spec": {"clusterQueue": "gpus"}});
    let why = "Kueue holds it (ClusterQueue gpus): Pending: insufficient unused quota for cpu, 3 more needed";
    let items = [node("n1"), job.clone(), workload, queue];
    let answer = ask(&["explain", "job/train"], &items);
    assert_has(&answer.out, &format!("Job default/train (0 of 3 pods): {why}"));
    assert_has(&ask(&["pending", "-A"], &items).out, why);

    let answer = ask(&["explain", "job/train"], &[node("n1"), job.clone()]);
    assert_has(&answer.out, "it is suspended (spec.suspend: true)");
    let done =
        with(job, "/status", json!({"conditions": [{"type": "Complete", "status": "True"}]}));
    assert_has(
        &ask(&["explain", "job/train"], &[node("n1"), done.clone()]).out,
        "it has ended (Complete)",
    );
    assert_lacks(&ask(&["pending", "-A"], &[node("n1"), done]).out, "job/train");
}

#[test]
fn deployment_without_replica_set_asks_for_the_controller_manager() {
    let deployment = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web",
        "namespace": "default", "uid": "d", "generation": 1, "creationTimestamp": "2026-06-01T11:30:00Z"},
        "spec": {"replicas": 1}});
    let items =
        [node("n1"), deployment.clone(), lease("kube-controller-manager", "2026-06-01T11:20:00Z")];
    let answer = ask(&["explain", "deploy/web"], &items);
    assert_has(
        &answer.out,
        "no controller has acted on it for 30m: the Lease of kube-controller-manager expired 39m ago",
    );
    let none = with(deployment, "/spec/replicas", json!(0));
    let answer = ask(&["explain", "deploy/web"], &[node("n1"), none]);
    assert_has(&answer.out, "it wants none (replicas: 0)");
    ask(&["explain", "deploy/api"], &items).fails("error: deployments.apps \"api\" not found");
}

#[test]
fn daemon_set_without_a_node_has_no_number_of_replicas() {
    let set = json!({"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "agent",
        "namespace": "default", "uid": "s", "generation": 1, "creationTimestamp": "2026-06-01T11:30:00Z"},
        "spec": {}, "status": {"desiredNumberScheduled": 0, "observedGeneration": 1}});
    let answer = ask(&["explain", "ds/agent"], &[node("n1"), set.clone()]);
    assert_has(&answer.out, "tolerations allow no node (desiredNumberScheduled: 0)");
    let unseen = with(set, "/status", json!({}));
    let answer = ask(&["explain", "ds/agent"], &[node("n1"), unseen]);
    assert_has(&answer.out, "no controller has acted on it for 30m");
}

//! The status of cluster-autoscaler as each cloud has it: names of groups, their nodes' labels, forms
//! of its time. Names and numbers are made up in the forms of the clouds.

use super::*;

/// The name of a group of GKE, as its status and Events have it.
const OF_GKE: &str = "https://www.googleapis.com/compute/v1/projects/shop-1/zones/us-central1-c/\
                      instanceGroups/gke-shop-pool-1-40ce0341-grp";

/// A node of a group with these labels, on which there is no room, so that a new one takes the pod.
fn full(name: &str, labels: Value) -> [Value; 2] {
    [node(name, "4", labels), running(&format!("{name}-busy"), 10, "3", name)]
}

#[test]
fn group_of_each_cloud_is_joined_with_its_nodes_and_named_in_the_first_line() {
    for (cloud, group, labels, named) in [
        (
            "GKE",
            OF_GKE,
            json!({"cloud.google.com/gke-nodepool": "pool-1",
                "topology.kubernetes.io/zone": "us-central1-c"}),
            "gke-shop-pool-1-40ce0341-grp",
        ),
        (
            "EKS",
            "eks-workers-a2c1d3e4-1111-2222-3333-444444444444",
            json!({"eks.amazonaws.com/nodegroup": "workers"}),
            "eks-workers-a2c1d3e4-1111-2222-3333-444444444444",
        ),
        (
            "AKS",
            "aks-worker-17816125-vmss",
            json!({"kubernetes.azure.com/agentpool": "worker", "agentpool": "worker"}),
            "aks-worker-17816125-vmss",
        ),
        (
            "AKS before 1.25",
            "aks-worker-17816125-vmss",
            json!({"agentpool": "worker"}),
            "aks-worker-17816125-vmss",
        ),
        (
            "Cluster API",
            "MachineDeployment/default/md-workers",
            json!({"node.cluster.x-k8s.io/machinedeployment": "md-workers"}),
            "MachineDeployment/default/md-workers",
        ),
        (
            "DigitalOcean",
            "7c2e9a52-0000-4c7e-9a8d-1a2b3c4d5e6f",
            json!({"doks.digitalocean.com/node-pool": "workers",
                "doks.digitalocean.com/node-pool-id": "7c2e9a52-0000-4c7e-9a8d-1a2b3c4d5e6f"}),
            "7c2e9a52-0000-4c7e-9a8d-1a2b3c4d5e6f",
        ),
    ] {
        let mut objects = stuck(json!({}));
        objects.extend(full("g1", labels));
        objects.push(groups(&[(group, 1, 3, "NoActivity")]));
        let told = ask(&objects);
        assert_eq!(told.verdict, "wouldCome", "{cloud}: {}", told.screen);
        assert!(
            told.first.contains(&format!("a node of group {named} would take it")),
            "{cloud}: {}",
            told.first
        );
        assert!(told.first.chars().count() <= 120, "{cloud}: {}", told.first);

        let mut objects = stuck(json!({}));
        objects.push(groups(&[(group, 3, 3, "NoActivity")]));
        let told = ask(&objects);
        assert_eq!(told.verdict, "cannot", "{cloud}: {}", told.screen);
        assert!(
            told.screen.contains(&format!("group {named} is at its maximum 3: raise it")),
            "{cloud}: {}",
            told.screen
        );
        assert!(told.first.chars().count() <= 120, "{cloud}: {}", told.first);
    }
}

#[test]
fn group_of_gke_that_grows_is_named_by_the_end_of_its_url() {
    let text = format!("pod triggered scale-up: [{{{OF_GKE} 3->4 (max: 9)}}]");
    let mut objects = stuck(json!({}));
    objects.extend([
        groups(&[(OF_GKE, 4, 9, "InProgress")]),
        event("cluster-autoscaler", "TriggeredScaleUp", &text),
    ]);
    says(
        &objects,
        "coming",
        "no pods to evict; a node is coming: group gke-shop-pool-1-40ce0341-grp 3→4",
    );
}

#[test]
fn failed_scale_up_of_gke_has_its_cause() {
    let text = "Node scale up in zones us-central1-c associated with this pod failed: GCE quota \
                exceeded. Pod is at risk of not being scheduled.";
    let mut objects = stuck(json!({}));
    objects.extend([
        groups(&[(OF_GKE, 3, 9, "NoActivity")]),
        event("cluster-autoscaler", "FailedScaleUp", text),
    ]);
    let told = ask(&objects);
    assert_eq!(told.verdict, "failed", "{}", told.screen);
    assert!(told.screen.contains("GCE quota exceeded"), "{}", told.screen);
    assert!(told.first.chars().count() <= 120, "{}", told.first);
}

/// GKE makes node pools that are in no list, so a list in which every group is full does not mean that
/// no node comes.
#[test]
fn full_groups_of_gke_are_no_answer_where_it_makes_node_pools() {
    let class = json!({"apiVersion": "cloud.google.com/v1", "kind": "ComputeClass",
        "metadata": {"name": "any"}, "spec": {"nodePoolAutoCreation": {"enabled": true}}});
    for more in [class, node("gk3-shop-nap-1", "1", json!({}))] {
        let mut objects = stuck(json!({}));
        objects.extend([groups(&[(OF_GKE, 3, 3, "NoActivity")]), more]);
        assert_eq!(ask(&objects).verdict, "unknown");
    }
}

#[test]
fn time_of_a_status_is_read_in_every_form() {
    for time in [
        "2026-06-01 11:59:55 +0000 UTC",
        "2026-06-01 11:59:55.090873082 +0000 UTC",
        "\"2026-06-01 11:59:55.09 +0000 UTC\"",
        "2026-06-01 13:59:55 +0200 CEST",
        "2026-06-01 11:59:55.09 +0000 UTC m=+1081389.237180180",
        "2026-06-01T11:59:55Z",
        "\"2026-06-01T11:59:55Z\"",
    ] {
        let mut objects = stuck(json!({}));
        let text = format!("time: {time}\nautoscalerStatus: Running\nnodeGroups: []\n");
        objects.push(status(&text));
        let told = ask(&objects);
        assert!(told.screen.contains("(status 5s old)"), "{time}: {}", told.screen);
    }
}

/// AKS had this text until its cluster-autoscaler 1.30, and while it started a shorter one.
#[test]
fn status_for_people_says_what_that_of_later_releases_says() {
    let at = |time: &str, group: &str| {
        format!(
            "Cluster-autoscaler status at {time} +0000 UTC:\nCluster-wide:\n  Health:      Healthy \
             (ready=1 unready=0 (resourceUnready=0) notStarted=0)\n\nNodeGroups:\n  \
             Name:        aks-cpu-38371103-vmss\n  {group}\n\n"
        )
    };
    let full = "Health:      Healthy (ready=3 cloudProviderTarget=3 (minSize=0, maxSize=3))\n  \
                ScaleUp:     NoActivity (ready=3 cloudProviderTarget=3)";
    let grows = "Health:      Healthy (ready=1 cloudProviderTarget=2 (minSize=0, maxSize=3))\n  \
                 ScaleUp:     InProgress (ready=1 cloudProviderTarget=2)";
    let failed = "Health:      Healthy (ready=1 cloudProviderTarget=1 (minSize=0, maxSize=3))\n  \
                  ScaleUp:     Backoff (ready=1 cloudProviderTarget=1)";
    let now = "2026-06-01 11:59:55.001925665";
    for (text, verdict, said) in [
        (at(now, full), "cannot", "is at its maximum 3: raise it"),
        (at(now, grows), "coming", "a node is coming"),
        (at(now, failed), "cannot", "waits after a failed scale-up"),
        (at("2023-11-29 13:34:29", full), "unknown", "it may not run"),
        (at(now, "Health:      Heal"), "unknown", "it is cut off"),
        (
            format!("Cluster-autoscaler status at {now} +0000 UTC:\nInitializing"),
            "unknown",
            "is starting",
        ),
    ] {
        let mut objects = stuck(json!({}));
        objects.extend(full_of_aks());
        objects.push(status(&text));
        let told = ask(&objects);
        assert_eq!(told.verdict, verdict, "{text}: {}", told.screen);
        assert!(told.screen.contains(said), "{text}: {}", told.screen);
    }
}

/// A full node of the group whose status is read.
fn full_of_aks() -> [Value; 2] {
    full("aks-1", json!({"kubernetes.azure.com/agentpool": "cpu", "agentpool": "cpu"}))
}

/// The status is written at the end of every loop, of which the flag says how long it takes.
#[test]
fn status_is_old_after_a_minute_or_three_loops() {
    let program = |interval: &str| {
        json!({"apiVersion": "v1", "kind": "Pod", "metadata":
            {"name": "cluster-autoscaler-1", "namespace": "kube-system"}, "spec": {"nodeName": "n1",
            "containers": [{"name": "c", "image": "x/cluster-autoscaler:v1.36.0", "command":
                ["cluster-autoscaler", format!("--scan-interval={interval}")]}]},
            "status": {"phase": "Running"}})
    };
    for (written, interval, is_old) in [
        ("11:59:00", None, false),
        ("11:58:59", None, true),
        ("11:57:00", Some("1m"), false),
        ("11:56:59", Some("1m"), true),
        ("11:58:59", Some("5s"), true),
    ] {
        let mut objects = stuck(json!({}));
        objects.extend(interval.map(program));
        objects.push(status(&format!(
            "time: 2026-06-01 {written} +0000 UTC\nautoscalerStatus: Running\nnodeGroups:\n- name: a\n  \
             health: {{cloudProviderTarget: 1, maxSize: 3}}\n"
        )));
        let told = ask(&objects);
        let expected = if is_old { "unknown" } else { "mayCome" };
        assert_eq!(told.verdict, expected, "{written} {interval:?}: {}", told.screen);
        let says_so =
            told.screen.contains("has not written its status for too long; it may not run");
        assert_eq!(says_so, is_old, "{}", told.screen);
    }
}

//! What rules out pods, groups and pools: one fixture for each cause, and for what beats what.

use super::*;
use testing::assert_has;

pub(super) fn program(version: &str, flags: &[&str]) -> Value {
    let command: Vec<&str> = ["cluster-autoscaler"].iter().chain(flags).copied().collect();
    json!({"apiVersion": "v1", "kind": "Pod", "metadata":
        {"name": "cluster-autoscaler-1", "namespace": "kube-system"}, "spec": {"nodeName": "n1",
        "containers": [{"name": "c", "image": format!("x/cluster-autoscaler:v{version}"),
            "command": command}]}, "status": {"phase": "Running"}})
}

fn group() -> Value {
    groups(&[("asg-a", 1, 3, "NoActivity")])
}

#[test]
fn nominated_pod_waits_for_its_victims_and_no_autoscaler_looks() {
    let mut leaving = running("low", 0, "3", "n1");
    merge(
        &mut leaving,
        &json!({
            "metadata": {"deletionTimestamp": "2026-06-01T12:00:20Z",
                "deletionGracePeriodSeconds": 30},
            "status": {"conditions": [{"type": "DisruptionTarget", "status": "True",
                "reason": "PreemptionByScheduler"}]}
        }),
    );
    let objects = [
        node("n1", "4", json!({})),
        leaving,
        web(json!({"status": {"nominatedNodeName": "n1"}})),
        pool("general", json!({})),
    ];
    let told = ask(&objects);
    assert_eq!(told.verdict, "notLooking", "{}", told.screen);
    assert_has(&told.first, "gets n1 in about 20s, when 1 terminating pod is gone");
    assert_has(&told.screen, "Karpenter does not look at it: it is nominated");
}

#[test]
fn nomination_to_a_node_without_room_keeps_autoscalers_away() {
    for with in [pool("general", json!({})), group()] {
        let mut objects = stuck(json!({"status": {"nominatedNodeName": "n1"}}));
        objects.push(with);
        says(
            &objects,
            "notLooking",
            "no pods to evict; no node comes while nominatedNodeName=n1 is set",
        );
    }
}

/// Up to 1.35 cluster-autoscaler looks whether the nominated node exists.
#[test]
fn pod_whose_nominated_node_is_gone_gets_a_node_of_an_older_cluster_autoscaler() {
    for (version, verdict) in [("1.35.2", "mayCome"), ("1.36.0", "notLooking")] {
        let mut objects = stuck(json!({"status": {"nominatedNodeName": "gone"}}));
        objects.extend([group(), program(version, &[])]);
        let told = ask(&objects);
        assert_eq!(told.verdict, verdict, "{version}: {}", told.screen);
    }
}

#[test]
fn flags_of_cluster_autoscaler_say_which_pods_it_looks_at() {
    let young = json!({"metadata": {"annotations":
        {"cluster-autoscaler.kubernetes.io/pod-scale-up-delay": "10m"}}});
    for (change, flag, because) in [
        (json!({}), "--expendable-pods-priority-cutoff=50", "its priority is below 50"),
        (
            json!({}),
            "--allowed-scheduler-names=batch,other",
            "it does not act for scheduler default-scheduler",
        ),
        (json!({}), "--new-pod-scale-up-delay=5m", "it waits 300s before it acts for a new pod"),
        // The pod's own delay counts where it is the longer one.
        (young.clone(), "--new-pod-scale-up-delay=5m", "it waits 600s before it acts"),
        (young, "--new-pod-scale-up-delay=20m", "it waits 1200s before it acts"),
    ] {
        let mut objects = stuck(change);
        objects.extend([group(), program("1.36.0", &[flag])]);
        let told = ask(&objects);
        let line = format!("cluster-autoscaler does not look at it: {because}");
        assert!(told.screen.contains(&line), "{flag}: {}", told.screen);
    }

    // Pods of these schedulers need no mark.
    for (flag, verdict) in
        [("--bypassed-scheduler-names=default-scheduler", "mayCome"), ("", "mayCome")]
    {
        let mut objects = stuck(json!({"status": {"conditions": []}}));
        objects.extend([group(), program("1.36.0", &[flag])]);
        let told = ask(&objects);
        assert_eq!(told.verdict, verdict, "{flag}: {}", told.screen);
        let unmarked = told.screen.contains("it is not marked Unschedulable");
        assert_eq!(unmarked, flag.is_empty(), "{}", told.screen);
    }
}

/// A few patch releases spared pods that never preempt.
#[test]
fn pod_that_never_preempts_is_spared_by_some_releases_alone() {
    let change = json!({"spec": {"priority": -20, "preemptionPolicy": "Never"}});
    for (version, verdict) in [
        ("1.29.5", "notLooking"),
        ("1.30.4", "mayCome"),
        ("1.30.5", "notLooking"),
        ("1.31.2", "mayCome"),
        ("1.32.1", "mayCome"),
        ("1.32.2", "notLooking"),
        ("1.33.0", "mayCome"),
        ("1.33.1", "notLooking"),
    ] {
        let mut objects = stuck(change.clone());
        objects.extend([group(), program(version, &[])]);
        assert_eq!(ask(&objects).verdict, verdict, "{version}");
    }
}

#[test]
fn full_cluster_is_a_no_of_every_group() {
    let mut objects = stuck(json!({}));
    objects.extend([group(), program("1.36.0", &["--max-nodes-total=1"])]);
    let told = ask(&objects);
    assert_eq!(told.verdict, "cannot", "{}", told.screen);
    assert_has(&told.screen, "the cluster has all of its 1 nodes");
}

#[test]
fn program_that_starts_or_is_held_by_unready_nodes_gives_no_verdict() {
    for (text, because) in [
        ("autoscalerStatus: Initializing\n", "is starting"),
        (
            "autoscalerStatus: Running\nclusterWide: {health: {status: Unhealthy}}\n",
            "does nothing: too many nodes are unready",
        ),
    ] {
        let mut objects = stuck(json!({}));
        objects.push(status(&format!("time: 2026-06-01 11:59:55 +0000 UTC\n{text}")));
        let told = ask(&objects);
        assert_eq!(told.verdict, "unknown", "{}", told.screen);
        assert!(told.screen.contains(because), "{}", told.screen);
    }
}

#[test]
fn every_cause_of_a_group_has_a_text() {
    let quota = json!({"apiVersion": "autoscaling.x-k8s.io/v1beta1", "kind": "CapacityQuota",
        "metadata": {"name": "team"}, "spec": {"limits": {"resources": {"cpu": "10"}}},
        "status": {"used": {"resources": {"cpu": "8"}}, "conditions": [
            {"type": "cluster-autoscaler.kubernetes.io/valid", "status": "True"}]}});
    let member = || {
        [
            node("g1", "4", json!({"eks.amazonaws.com/nodegroup": "general"})),
            running("g1-busy", 10, "3", "g1"),
        ]
    };
    let general = |state: &str| groups(&[("eks-general-0ac3f1d2", 1, 3, state)]);
    for (more, cause) in [
        (vec![general("Unhealthy")], "is not ready for scale-up"),
        (vec![general("Backoff")], "waits after a failed scale-up (QUOTA_EXCEEDED)"),
        (
            vec![general("NoActivity"), quota],
            "CapacityQuota team allows no further node (cpu 8 of 10)",
        ),
    ] {
        let mut objects = stuck(json!({}));
        objects.extend(member());
        objects.extend(more);
        let told = ask(&objects);
        assert_eq!(told.verdict, "cannot", "{cause}: {}", told.screen);
        assert_has(&told.screen, &format!("group eks-general-0ac3f1d2 cannot: {cause}"));
        assert!(told.first.chars().count() <= 120, "{}", told.first);
    }
}

#[test]
fn every_cause_of_a_pool_has_a_text() {
    let selects = |key: &str, value: &str| json!({"spec": {"nodeSelector": {key: value}}});
    let requires = |key: &str, more: Value| {
        let mut requirement = json!({"key": key, "operator": "In", "values": ["a", "b"]});
        merge(&mut requirement, &more);
        json!({"template": {"spec": {"requirements": [requirement]}}})
    };
    let mut not_ready = pool("general", json!({}));
    not_ready["status"]["conditions"] = json!([
        {"type": "NodeClassReady", "status": "False", "reason": "NodeClassNotFound"},
        {"type": "Ready", "status": "False", "reason": "UnhealthyDependents"}]);
    let mut leaving = pool("general", json!({}));
    leaving["metadata"]["deletionTimestamp"] = NOW.into();
    let mut full = pool("general", json!({"limits": {"nodes": "2"}}));
    full["status"]["resources"] = json!({"nodes": "2"});
    let mut used = pool("general", json!({"limits": {"memory": "10Gi"}}));
    used["status"]["resources"] = json!({"memory": "12Gi"});
    for (change, with, cause) in [
        (json!({}), pool("general", json!({"replicas": 3})), "has a fixed number of nodes"),
        (json!({}), leaving, "is being deleted"),
        (json!({}), not_ready, "is not ready (NodeClassNotFound)"),
        (json!({}), full, "has all of its 2 nodes"),
        (json!({}), used, "limit memory 10Gi, 12Gi used"),
        (
            selects("team", "c"),
            pool("general", requires("team", json!({}))),
            "team: the pod wants c, the pool gives a or b",
        ),
        (selects("team", "c"), pool("general", json!({})), "gives no label team"),
    ] {
        let mut objects = stuck(change);
        objects.push(with);
        let told = ask(&objects);
        assert!(
            told.screen.contains(&format!("NodePool general cannot: {cause}")),
            "{cause}: {}",
            told.screen
        );
        assert!(told.first.chars().count() <= 120, "{}", told.first);
    }

    // In doubt is no no.
    for (change, with, cause) in [
        (
            selects("karpenter.k8s.aws/instance-family", "m7"),
            pool("general", json!({})),
            "its provider may give label karpenter.k8s.aws/instance-family",
        ),
        (
            selects("team", "a"),
            pool("general", requires("team", json!({"minValues": 2}))),
            "the pod leaves too few values of team (minValues)",
        ),
    ] {
        let mut objects = stuck(change);
        objects.push(with);
        let told = ask(&objects);
        assert_eq!(told.verdict, "mayCome", "{cause}: {}", told.screen);
        assert_has(&told.screen, &format!("NodePool general may: {cause}"));
    }
}

#[test]
fn claim_says_how_far_its_node_is() {
    let at = "2026-06-01T11:59:40Z";
    let is = |kind: &str| json!({"type": kind, "status": "True", "lastTransitionTime": at});
    let waits = |kind: &str, reason: &str, message: &str| json!({"type": kind, "status": "Unknown", "reason": reason, "message": message});
    for (conditions, state) in [
        (json!([]), "asked for 12s ago"),
        (json!([is("Launched")]), "its instance started 20s ago, it is not yet a node"),
        (
            json!([is("Launched"), waits("Registered", "NodeNotFound", "Node not registered")]),
            "its instance started 20s ago, it is not yet a node",
        ),
        (
            json!([is("Launched"), is("Registered"), waits("Initialized", "NodeNotReady", "")]),
            "registered 20s ago, waits to get ready",
        ),
        (
            json!([
                is("Launched"),
                is("Registered"),
                waits("Initialized", "ResourceNotRegistered", "Resource \"x/gpu\" was requested")
            ]),
            "registered 20s ago, waits: Resource \"x/gpu\" was requested",
        ),
        (
            json!([
                is("Launched"),
                is("Registered"),
                waits("Initialized", "DRADriverPoolsNotPublished", "")
            ]),
            "registered 20s ago, waits: DRADriverPoolsNotPublished",
        ),
    ] {
        let mut objects = stuck(json!({}));
        objects.extend([
            pool("general", json!({})),
            claim("general-x7k", "general", conditions),
            event("karpenter", "Nominated", "Pod should schedule on: nodeclaim/general-x7k"),
        ]);
        let told = ask(&objects);
        assert_eq!(told.verdict, "coming", "{state}: {}", told.screen);
        let line = format!("coming: nodeclaim/general-x7k, NodePool general: {state}");
        assert!(told.screen.contains(&line), "{line}: {}", told.screen);
    }
}

/// Of two autoscalers one adds a node: that the other does not is no matter.
#[test]
fn node_that_one_autoscaler_adds_beats_the_refusal_of_another() {
    let refuses = |at: &str| {
        let mut refuses = event(
            "cluster-autoscaler",
            "NotTriggerScaleUp",
            "pod didn't trigger scale-up: 1 Insufficient cpu",
        );
        refuses["lastTimestamp"] = at.into();
        refuses
    };
    for at in ["2026-06-01T11:59:50Z", "2026-06-01T11:59:59Z"] {
        let mut objects = stuck(json!({}));
        objects.extend([
            group(),
            pool("general", json!({})),
            claim("general-x7k", "general", json!([])),
            event("karpenter", "Nominated", "Pod should schedule on: nodeclaim/general-x7k"),
            refuses(at),
        ]);
        let told = ask(&objects);
        assert_eq!(told.verdict, "coming", "{}", told.screen);
    }
    // One has refused, the other has not answered.
    let mut objects = stuck(json!({}));
    objects.extend([group(), pool("general", json!({})), refuses("2026-06-01T11:59:59Z")]);
    says(
        &objects,
        "mayCome",
        "no pods to evict; NodePool general may get a node for it; not answered yet",
    );
}

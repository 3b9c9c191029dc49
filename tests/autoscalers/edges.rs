//! Nodes on their way, claims that fail, limits while nodes go, and groups of which little is known.

use super::causes::program;
use super::*;

const UUID: &str = "0ac3f1d2-1111-2222-3333-444455556666";

fn eks(name: &str) -> String {
    format!("eks-{name}-{UUID}")
}

fn of_eks(name: &str) -> Value {
    json!({"eks.amazonaws.com/nodegroup": name})
}

fn is(kind: &str, status: &str, reason: &str, at: &str) -> Value {
    json!({"type": kind, "status": status, "reason": reason, "lastTransitionTime": at})
}

/// A claim with the conditions up to the one named, and what its node has.
fn claim_until(name: &str, state: &str, ready_at: &str) -> Value {
    let steps = ["Launched", "Registered", "Initialized"];
    let reached = steps.iter().position(|step| *step == state).map_or(0, |at| at + 1);
    let conditions: Vec<Value> = steps
        .iter()
        .enumerate()
        .map(|(at, step)| {
            let status = if at < reached { "True" } else { "Unknown" };
            is(step, status, "NotYet", ready_at)
        })
        .collect();
    let mut claim = claim(name, "general", json!(conditions));
    claim["status"]["allocatable"] = json!({"cpu": "3900m", "memory": "14Gi", "pods": "58"});
    claim
}

fn nominated(claim: &str) -> Value {
    event("karpenter", "Nominated", &format!("Pod should schedule on: nodeclaim/{claim}"))
}

fn of_pool(name: &str) -> [Value; 2] {
    [
        node(name, "4", json!({"karpenter.sh/nodepool": "general"})),
        running(&format!("{name}-busy"), 10, "3", name),
    ]
}

/// A pool whose nodes use up its limit.
fn full_pool() -> Value {
    let mut pool = pool("general", json!({"limits": {"cpu": "4"}}));
    pool["status"]["resources"] = json!({"cpu": "4"});
    pool
}

/// A status of one group with nodes on their way since a minute.
fn growing(name: &str, ready: u32, target: u32, max: u32) -> Value {
    status(&format!(
        "time: 2026-06-01 11:59:55 +0000 UTC\nautoscalerStatus: Running\nclusterWide:\n  health:\n    \
         status: Healthy\nnodeGroups:\n- name: {name}\n  health:\n    cloudProviderTarget: {target}\n    \
         maxSize: {max}\n    nodeCounts:\n      registered:\n        ready: {ready}\n  scaleUp:\n    \
         status: InProgress\n    lastTransitionTime: \"2026-06-01T11:59:00Z\"\n"
    ))
}

#[test]
fn claim_on_its_way_without_an_event_has_room_or_not() {
    let with = |claim: Value, change: Value| {
        let mut objects = stuck(change);
        objects.extend([full_pool(), claim]);
        ask(&objects)
    };
    let coming = || claim_until("general-x7k2p", "Launched", "2026-06-01T11:59:40Z");
    let told = with(coming(), json!({}));
    assert_eq!(told.verdict, "coming", "{}", told.screen);
    assert_has(
        &told.screen,
        "coming: nodeclaim/general-x7k2p, NodePool general: its instance started 20s ago, it is not \
         yet a node; it has room for the pod",
    );

    let large = json!({"spec": {"containers": [{"name": "c", "image": "i", "resources":
        {"requests": {"cpu": "4"}}}]}});
    assert_eq!(with(coming(), large).verdict, "cannot");

    // What it will have is not known before its instance has started.
    let mut asked_for = claim("general-x7k2p", "general", json!([]));
    asked_for["status"] = json!({});
    let told = with(asked_for, json!({}));
    assert_eq!(told.verdict, "mayCome", "{}", told.screen);
    assert_has(&told.screen, "1 node is on its way; what it has is not known");

    // Its node is there and still has its start-up taint.
    let mut starting = claim_until("general-x7k2p", "Registered", "2026-06-01T11:59:40Z");
    starting["status"]["nodeName"] = "g1".into();
    starting["spec"] = json!({"startupTaints": [{"key": "agent", "effect": "NoExecute"}]});
    let mut started = node("g1", "4", json!({"karpenter.sh/nodepool": "general"}));
    started["spec"] = json!({"taints": [{"key": "agent", "effect": "NoExecute"}]});
    let mut objects = stuck(json!({}));
    objects.extend([full_pool(), starting, started]);
    assert_eq!(ask(&objects).verdict, "coming");
}

#[test]
fn room_of_a_coming_node_is_not_given_twice() {
    let mut other = pod("other", 10, "3");
    other["status"] = web(json!({}))["status"].clone();
    let mut about_other = nominated("general-x7k2p");
    about_other["metadata"]["name"] = "other.1".into();
    about_other["involvedObject"] =
        json!({"kind": "Pod", "namespace": "shop", "name": "other", "uid": "uid-other"});
    let mut objects = stuck(json!({}));
    let coming = claim_until("general-x7k2p", "Launched", "2026-06-01T11:59:40Z");
    objects.extend([full_pool(), coming, other, about_other]);
    let told = ask(&objects);
    assert_eq!(told.verdict, "cannot", "{}", told.screen);
}

#[test]
fn group_whose_target_is_above_its_nodes_has_nodes_on_their_way() {
    let name = eks("workers");
    let mut objects = stuck(json!({}));
    objects.extend([node("w1", "4", of_eks("workers")), running("w1-busy", 10, "3", "w1")]);
    objects.push(growing(&name, 1, 2, 2));
    let told = ask(&objects);
    assert_eq!(told.verdict, "coming", "{}", told.screen);
    assert_has(&told.screen, "1 node is on its way for 1m; one like w1 has room for the pod");

    // Without a node to judge by, whether it has room is not known.
    let mut objects = stuck(json!({}));
    objects.push(growing(&name, 0, 2, 2));
    let told = ask(&objects);
    assert_eq!(told.verdict, "mayCome", "{}", told.screen);
    assert_has(&told.screen, "2 nodes are on their way; what they have is not known");
}

/// A pod that waits as `web` does.
fn rival(name: &str, priority: i32, cpu: &str) -> Value {
    let mut pod = pod(name, priority, cpu);
    pod["status"] = web(json!({}))["status"].clone();
    pod
}

#[test]
fn room_that_other_waiting_pods_may_take_first_is_not_promised() {
    // cluster-autoscaler packs by priority: equal pods may come first, less important ones do not.
    let of_group = |target: u32, others: Vec<Value>| {
        let mut objects = stuck(json!({}));
        objects.extend([node("w1", "4", of_eks("workers")), running("w1-busy", 10, "3", "w1")]);
        objects.push(growing(&eks("workers"), 1, target, target));
        objects.extend(others);
        ask(&objects)
    };
    for (target, others, verdict) in [
        (2, vec![rival("other", 10, "3")], "mayCome"),
        (2, vec![rival("other", 9, "3")], "coming"),
        (2, vec![rival("other", 10, "2")], "coming"),
        (2, vec![rival("a", 10, "2"), rival("b", 10, "2")], "mayCome"),
        (3, vec![rival("other", 10, "3")], "coming"),
        (3, vec![rival("a", 10, "3"), rival("b", 10, "3")], "mayCome"),
        // What no coming node takes fills none.
        (2, vec![rival("huge", 10, "9")], "coming"),
    ] {
        let told = of_group(target, others);
        assert_eq!(told.verdict, verdict, "{}", told.screen);
    }
    assert_has(
        &of_group(2, vec![rival("other", 10, "3")]).screen,
        "1 node is on its way, which other pods may fill",
    );

    // Karpenter packs by size, whatever the priority, together with the pods of nodes that it deletes.
    for (others, verdict) in
        [(vec![rival("other", 0, "3")], "mayCome"), (vec![rival("other", 90, "1")], "coming")]
    {
        let mut objects = stuck(json!({}));
        let coming = claim_until("general-x7k2p", "Launched", "2026-06-01T11:59:40Z");
        objects.extend([full_pool(), coming]);
        objects.extend(others);
        let told = ask(&objects);
        assert_eq!(told.verdict, verdict, "{}", told.screen);
    }
}

#[test]
fn pods_below_the_cutoff_do_not_count_in_the_spread_of_a_new_node() {
    let spread = json!({"metadata": {"labels": {"app": "web"}}, "spec": {"preemptionPolicy": "Never",
        "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "zone",
            "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {"matchLabels": {"app": "web"}}}]}});
    for (priority, verdict) in [(-20, "wouldCome"), (0, "cannot")] {
        let mut objects = stuck(spread.clone());
        objects[0]["metadata"]["labels"]["zone"] = "a".into();
        let mut here = node("w1", "4", of_eks("workers"));
        here["metadata"]["labels"]["zone"] = "b".into();
        let mut replica = running("replica", priority, "500m", "w1");
        replica["metadata"]["labels"] = json!({"app": "web"});
        objects.extend([here, replica, running("w1-busy", 10, "3", "w1")]);
        objects.extend([groups(&[(&eks("workers"), 1, 3, "NoActivity")])]);
        let told = ask(&objects);
        assert_eq!(told.verdict, verdict, "{priority}: {}", told.screen);
    }
}

#[test]
fn flag_says_how_long_a_node_may_take() {
    let mut old = event(
        "cluster-autoscaler",
        "TriggeredScaleUp",
        "pod triggered scale-up: [{asg-a 1->2 (max: 5)}]",
    );
    old["lastTimestamp"] = "2026-06-01T11:40:00Z".into();
    let marked = json!({"status": {"conditions": [{"type": "PodScheduled", "status": "False",
        "reason": "Unschedulable", "lastTransitionTime": "2026-06-01T11:39:00Z"}]}});
    for (flag, verdict) in
        [("--max-node-provision-time=40m", "coming"), ("--max-node-provision-time=10m", "mayCome")]
    {
        let mut objects = stuck(marked.clone());
        objects.extend([growing("asg-a", 1, 2, 5), old.clone(), program("1.34.1", &[flag])]);
        let told = ask(&objects);
        assert_eq!(told.verdict, verdict, "{flag}: {}", told.screen);
    }
}

#[test]
fn node_that_is_there_and_does_not_take_the_pod_is_named() {
    let mut ready = claim_until("general-x7k2p", "Initialized", "2026-06-01T11:30:00Z");
    ready["status"]["nodeName"] = "g1".into();
    let mut objects = stuck(json!({}));
    objects.extend(of_pool("g1"));
    objects.extend([pool("general", json!({})), ready.clone(), nominated("general-x7k2p")]);
    says(
        &objects,
        "countsOnNode",
        "no node is coming: Karpenter counts on g1, where it does not fit",
    );

    // It came after it was named: Karpenter looks at the pod again.
    let index = objects.iter().position(|object| object == &ready).unwrap();
    let mut new = claim_until("general-x7k2p", "Initialized", "2026-06-01T11:59:58Z");
    new["status"]["nodeName"] = "g1".into();
    objects[index] = new;
    let told = ask(&objects);
    assert_eq!(told.verdict, "wouldCome", "{}", told.screen);
    assert_has(&told.first, "its node g1 came and does not take it");
    assert_lacks(&told.first, "not answered yet");
}

#[test]
fn claim_that_fails_is_not_coming_and_says_why() {
    let failed = |more: Vec<Value>, why: &str| {
        let mut objects = stuck(json!({}));
        objects.extend([pool("general", json!({})), nominated("general-x7k2p")]);
        objects.extend(more);
        let told = ask(&objects);
        assert_eq!(told.verdict, "failed", "{why}: {}", told.screen);
        assert_has(&told.screen, &format!("failed: nodeclaim/general-x7k2p: {why}"));
    };
    let no_capacity = json!({"apiVersion": "v1", "kind": "Event",
        "metadata": {"name": "general-x7k2p.1", "namespace": "default"},
        "involvedObject": {"kind": "NodeClaim", "name": "general-x7k2p"},
        "source": {"component": "karpenter"}, "reason": "InsufficientCapacityError",
        "message": "NodeClaim general-x7k2p event: all requested instance types were unavailable",
        "lastTimestamp": "2026-06-01T11:59:56Z"});
    failed(
        vec![no_capacity.clone()],
        "InsufficientCapacityError: all requested instance types were unavailable",
    );
    let mut leaving = claim_until("general-x7k2p", "Launched", "2026-06-01T11:45:00Z");
    merge(
        &mut leaving["metadata"],
        &json!({"creationTimestamp": "2026-06-01T11:44:00Z", "deletionTimestamp": NOW}),
    );
    failed(vec![leaving], "it is being deleted: not a node after 15m");
    let mut late = claim_until("general-x7k2p", "Launched", "2026-06-01T11:40:00Z");
    late["metadata"]["creationTimestamp"] = "2026-06-01T11:39:00Z".into();
    failed(vec![late], "it is not a node after 20m");

    // While the cloud has none for a pool, a node like an existing one is not promised.
    let mut objects = stuck(json!({}));
    objects.extend(of_pool("g1"));
    objects.extend([pool("general", json!({})), no_capacity]);
    let told = ask(&objects);
    assert_eq!(told.verdict, "mayCome", "{}", told.screen);
    assert_has(&told.screen, "InsufficientCapacityError for nodeclaim/general-x7k2p 4s ago");
}

#[test]
fn nodes_that_go_do_not_count_against_a_limit_and_larger_ones_than_it_leaves_do_not_come() {
    let mut leaving = claim_until("c1", "Initialized", "2026-06-01T11:00:00Z");
    leaving["metadata"]["deletionTimestamp"] = NOW.into();
    leaving["status"]["nodeName"] = "g1".into();
    let mut objects = stuck(json!({}));
    objects.extend(of_pool("g1"));
    objects.extend([full_pool(), leaving.clone()]);
    // Karpenter places the larger pod of the node that goes first.
    let told = ask(&objects);
    assert_eq!(told.verdict, "mayCome", "{}", told.screen);
    assert_has(&told.screen, "other pods that wait may use up what is left of its limits");
    // One that ends is not placed again.
    for object in objects.iter_mut().filter(|object| object["metadata"]["name"] == "g1-busy") {
        object["metadata"]["deletionTimestamp"] = NOW.into();
    }
    let told = ask(&objects);
    assert_eq!(told.verdict, "wouldCome", "{}", told.screen);

    // 6 of 10 cpu are used: a node of 8 does not come, and only that one would take the pod.
    let large = json!({"spec": {"containers": [{"name": "c", "image": "i", "resources":
        {"requests": {"cpu": "5"}}}]}});
    let mut limited = pool("general", json!({"limits": {"cpu": "10"}}));
    limited["status"]["resources"] = json!({"cpu": "6"});
    let mut objects = stuck(large);
    objects.extend([limited, node("g8", "8", json!({"karpenter.sh/nodepool": "general"}))]);
    objects.push(running("g8-busy", 10, "7", "g8"));
    let told = ask(&objects);
    assert_eq!(told.verdict, "mayCome", "{}", told.screen);
}

#[test]
fn nodes_of_another_group_say_nothing_of_a_group_whose_name_has_theirs() {
    let tainted = json!({"spec": {"taints": [{"key": "db", "effect": "NoSchedule"}]}});
    for (other, change) in [("app-gpu", json!({})), ("app-spot", tainted)] {
        let mut app = node("app-1", "4", of_eks("app"));
        merge(&mut app, &change);
        let mut objects = stuck(json!({}));
        objects.extend([app, running("app-busy", 10, "3", "app-1")]);
        objects.push(groups(&[(&eks(other), 0, 5, "NoActivity")]));
        let told = ask(&objects);
        assert_eq!(told.verdict, "mayCome", "{other}: {}", told.screen);
        assert_has(&told.screen, "is not known: no ready node here is known to be of it");
    }
}

#[test]
fn every_one_of_many_groups_is_tried() {
    let names: Vec<String> = (0..40).map(|at| eks(&format!("team{at}"))).collect();
    let reported: Vec<_> = names.iter().map(|name| (name.as_str(), 1, 5, "NoActivity")).collect();
    let mut objects = stuck(json!({}));
    for at in 0..40 {
        let mut node = node(&format!("w{at}"), "4", of_eks(&format!("team{at}")));
        node["spec"] = json!({"taints": [{"key": "team", "effect": "NoSchedule"}]});
        objects.push(node);
    }
    objects.push(groups(&reported));
    let told = ask(&objects);
    assert_eq!(told.verdict, "cannot", "{}", told.screen);
}

const CPU: &str = "capacity.cluster-autoscaler.kubernetes.io/cpu";
const MEMORY: &str = "capacity.cluster-autoscaler.kubernetes.io/memory";
const TAINTS: &str = "capacity.cluster-autoscaler.kubernetes.io/taints";

#[test]
fn annotations_of_a_machine_group_describe_its_first_node() {
    let group = |annotations: Value| {
        let mut group = json!({"apiVersion": "cluster.x-k8s.io/v1beta1",
            "kind": "MachineDeployment", "metadata": {"name": "md-0", "namespace": "default",
            "annotations": {
                "cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size": "0",
                "cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size": "5"}},
            "spec": {"replicas": 0}});
        merge(&mut group["metadata"]["annotations"], &annotations);
        group
    };
    let with = |annotations: Value| {
        let mut objects = stuck(json!({}));
        objects.push(group(annotations));
        objects.push(groups(&[("MachineDeployment/default/md-0", 0, 5, "NoActivity")]));
        ask(&objects)
    };
    let told = with(json!({CPU: "1", MEMORY: "8G"}));
    assert_eq!(told.verdict, "cannot", "{}", told.screen);
    assert_has(
        &told.screen,
        "a new node of 1 cpu, by its annotations, would reject it: Insufficient cpu",
    );
    let told = with(json!({CPU: "4", MEMORY: "8G"}));
    assert_eq!(told.verdict, "wouldCome", "{}", told.screen);
    let told = with(json!({CPU: "4", MEMORY: "8G", TAINTS: "team=a:NoSchedule"}));
    assert_eq!(told.verdict, "cannot", "{}", told.screen);
    assert_eq!(with(json!({})).verdict, "mayCome");
}

#[test]
fn taint_of_a_starting_node_counts_unless_a_flag_names_it() {
    let mut starting = node("w1", "4", of_eks("workers"));
    starting["spec"] =
        json!({"taints": [{"key": "node.cilium.io/agent-not-ready", "effect": "NoExecute"}]});
    let name = eks("workers");
    for (flags, verdict) in [
        (None, "mayCome"),
        (Some(vec![]), "cannot"),
        (Some(vec!["--startup-taint=node.cilium.io/agent-not-ready"]), "wouldCome"),
        (Some(vec!["--startup-taint-prefix=node.cilium.io/"]), "wouldCome"),
    ] {
        let mut objects = stuck(json!({}));
        objects.extend([starting.clone(), groups(&[(&name, 1, 5, "NoActivity")])]);
        objects.extend(flags.as_ref().map(|flags| program("1.36.0", flags)));
        let told = ask(&objects);
        assert_eq!(told.verdict, verdict, "{flags:?}: {}", told.screen);
    }
}

#[test]
fn labels_that_a_provider_never_gives_rule_a_pool_out() {
    for (key, verdict) in [
        ("eks.amazonaws.com/nodegroup", "cannot"),
        ("node.kubernetes.io/lifecycle", "cannot"),
        ("cloud.google.com/gke-nodepool", "cannot"),
        ("karpenter.k8s.aws/instance-family", "mayCome"),
        ("topology.k8s.aws/zone-id", "mayCome"),
    ] {
        let mut objects = stuck(json!({"spec": {"nodeSelector": {key: "a"}}}));
        objects.push(pool("general", json!({})));
        let told = ask(&objects);
        assert_eq!(told.verdict, verdict, "{key}: {}", told.screen);
    }
}

#[test]
fn pool_that_wants_several_values_may_and_no_more() {
    let family = "karpenter.k8s.aws/instance-family";
    let wants = json!({"template": {"spec": {"requirements": [{"key": family, "operator": "Exists",
        "minValues": 2}]}}});
    let mut objects = stuck(json!({}));
    objects.extend(of_pool("g1"));
    objects.push(pool("general", wants));
    let told = ask(&objects);
    assert_eq!(told.verdict, "mayCome", "{}", told.screen);
    assert_has(&told.screen, &format!("it wants several values of {family} (minValues)"));
}

#[test]
fn volume_claim_that_no_node_binds_keeps_autoscalers_away() {
    let class = |mode: &str| {
        json!({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
            "metadata": {"name": "ebs"}, "provisioner": "ebs.csi.aws.com",
            "volumeBindingMode": mode})
    };
    let claim = |spec: Value| {
        json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "metadata": {"name": "data", "namespace": "shop"}, "spec": spec,
            "status": {"phase": "Pending"}})
    };
    let of_class = || claim(json!({"storageClassName": "ebs"}));
    let volume = json!({"spec": {"volumes": [
        {"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]}});
    for (objects_of_claim, fault) in [
        (vec![], Some("claim data does not exist")),
        (
            vec![of_class(), class("Immediate")],
            Some("claim data is not bound, and class ebs waits for no node"),
        ),
        (vec![claim(json!({}))], Some("claim data is not bound and names no class")),
        (vec![of_class(), class("WaitForFirstConsumer")], None),
    ] {
        let mut objects = stuck(volume.clone());
        objects.push(pool("general", json!({})));
        objects.extend(objects_of_claim);
        let told = ask(&objects);
        match fault {
            Some(fault) => {
                assert_eq!(told.verdict, "notLooking", "{}", told.screen);
                assert_has(&told.screen, &format!("Karpenter does not look at it: {fault}"));
            }
            None => assert_eq!(told.verdict, "mayCome", "{}", told.screen),
        }
    }
}

#[test]
fn refusal_for_a_state_that_has_passed_is_outdated() {
    let refuses = |cause: &str| {
        let text = format!("pod didn't trigger scale-up: 1 {cause}");
        let mut refuses = event("cluster-autoscaler", "NotTriggerScaleUp", &text);
        refuses["lastTimestamp"] = "2026-06-01T11:59:50Z".into();
        refuses
    };
    for (cause, state, verdict) in [
        ("max node group size reached", (1, 5, "NoActivity"), "mayCome"),
        ("max node group size reached", (5, 5, "NoActivity"), "refused"),
        ("in backoff after failed scale-up", (1, 5, "NoActivity"), "mayCome"),
        ("in backoff after failed scale-up", (1, 5, "Backoff"), "refused"),
        ("Insufficient cpu", (1, 5, "NoActivity"), "refused"),
    ] {
        let (target, max, scale_up) = state;
        let mut objects = stuck(json!({}));
        objects.extend([groups(&[("asg-a", target, max, scale_up)]), refuses(cause)]);
        let told = ask(&objects);
        assert_eq!(told.verdict, verdict, "{cause}: {}", told.screen);
    }

    // It would have been repeated since.
    let marked = json!({"status": {"conditions": [{"type": "PodScheduled", "status": "False",
        "reason": "Unschedulable", "lastTransitionTime": "2026-06-01T11:00:00Z"}]}});
    let mut old = refuses("Insufficient cpu");
    old["lastTimestamp"] = "2026-06-01T11:30:00Z".into();
    let mut objects = stuck(marked);
    objects.extend([groups(&[("asg-a", 1, 5, "NoActivity")]), old]);
    let told = ask(&objects);
    assert_eq!(told.verdict, "mayCome", "{}", told.screen);
    assert_has(&told.screen, "NotTriggerScaleUp, outdated");
}

#[test]
fn limit_of_all_nodes_and_a_quota_come_with_their_remedy() {
    let name = eks("workers");
    let group = || {
        let full = [node("w1", "4", of_eks("workers")), running("w1-busy", 10, "3", "w1")];
        full.into_iter().chain([groups(&[(&name, 1, 5, "NoActivity")])])
    };
    let mut objects = stuck(json!({}));
    objects.extend(group());
    objects.push(program("1.36.0", &["--max-nodes-total=2"]));
    assert_has(&ask(&objects).screen, "raise --max-nodes-total from 2 (checked)");
    let quota = json!({"apiVersion": "autoscaling.x-k8s.io/v1beta1", "kind": "CapacityQuota",
        "metadata": {"name": "team"}, "spec": {"limits": {"resources": {"cpu": "10"}}},
        "status": {"used": {"resources": {"cpu": "8"}}, "conditions": [
            {"type": "cluster-autoscaler.kubernetes.io/valid", "status": "True"}]}});
    let mut objects = stuck(json!({}));
    objects.extend(group());
    objects.push(quota);
    assert_has(&ask(&objects).screen, "raise CapacityQuota team's limit of cpu from 10 (checked)");
}

#[test]
fn program_that_is_known_by_its_pods_alone_leaves_the_answer_open() {
    for (name, says) in [
        ("castai-cluster-controller-7d9", "CAST AI"),
        ("spotinst-kubernetes-cluster-controller-7d9", "Spot Ocean"),
    ] {
        let mut objects = stuck(json!({}));
        objects.push(running(name, 10, "100m", "n1"));
        let told = ask(&objects);
        assert_eq!(told.verdict, "unknown", "{}", told.screen);
        assert_has(&told.screen, &format!("Who acts next: not known; found: {says}"));
    }
}

#[test]
fn pods_of_other_schedulers_get_nodes_once_they_are_marked() {
    let volcano = json!({"spec": {"schedulerName": "volcano"}});
    let mut objects = stuck(volcano.clone());
    objects.extend(of_pool("g1"));
    objects.push(pool("general", json!({})));
    assert_eq!(ask(&objects).verdict, "wouldCome");
    let mut objects = stuck(volcano);
    objects.extend([node("w1", "4", of_eks("workers")), running("w1-busy", 10, "3", "w1")]);
    objects.push(groups(&[(&eks("workers"), 1, 5, "NoActivity")]));
    assert_eq!(ask(&objects).verdict, "wouldCome");
}

#[test]
fn cores_and_memory_of_all_nodes_are_limited_by_flags() {
    let with = |flag: &str| {
        let mut objects = stuck(json!({}));
        objects.extend([node("w1", "4", of_eks("workers")), running("w1-busy", 10, "3", "w1")]);
        objects.push(groups(&[(&eks("workers"), 1, 5, "NoActivity")]));
        objects.push(program("1.36.1", &[flag]));
        ask(&objects)
    };
    let told = with("--cores-total=0:10");
    assert_eq!(told.verdict, "cannot", "{}", told.screen);
    assert_has(&told.screen, "--cores-total allows no further node (cpu 8 of 10)");
    assert_has(&told.screen, "raise --cores-total above 10 (checked)");
    let told = with("--memory-total=0:20");
    assert_has(&told.screen, "--memory-total allows no further node (memory 16Gi of 20Gi)");
    assert_eq!(with("--cores-total=0:12").verdict, "wouldCome");
}

#[test]
fn group_whose_nodes_differ_may_give_either() {
    let in_zone = |name: &str, zone: &str| {
        let mut node = node(name, "4", of_eks("workers"));
        node["metadata"]["labels"]["topology.kubernetes.io/zone"] = zone.into();
        [node, running(&format!("{name}-busy"), 10, "3", name)]
    };
    let zone = json!({"spec": {"nodeSelector": {"topology.kubernetes.io/zone": "a"}}});
    for (zones, verdict) in
        [(["a", "b"], "mayCome"), (["b", "a"], "mayCome"), (["a", "a"], "wouldCome")]
    {
        let mut objects = stuck(zone.clone());
        objects.extend(in_zone("w1", zones[0]).into_iter().chain(in_zone("w2", zones[1])));
        objects.push(groups(&[(&eks("workers"), 2, 5, "NoActivity")]));
        let told = ask(&objects);
        assert_eq!(told.verdict, verdict, "{zones:?}: {}", told.screen);
    }
}

#[test]
fn pods_below_the_cutoff_take_no_room_for_cluster_autoscaler() {
    for (priority, verdict) in [(-20, "countsOnNode"), (-5, "wouldCome")] {
        let mut objects = vec![
            node("n1", "4", of_eks("workers")),
            running("low", priority, "3", "n1"),
            web(json!({"spec": {"preemptionPolicy": "Never"}})),
        ];
        objects.push(groups(&[(&eks("workers"), 1, 5, "NoActivity")]));
        let told = ask(&objects);
        assert_eq!(told.verdict, verdict, "{}", told.screen);
    }
}

#[test]
fn nodes_that_it_has_not_asked_for_count_up_to_1_35() {
    for (version, verdict) in [("1.35.2", "coming"), ("1.36.1", "mayCome")] {
        let mut objects = stuck(json!({}));
        objects.extend([node("w1", "4", of_eks("workers")), running("w1-busy", 10, "3", "w1")]);
        let mut idle = growing(&eks("workers"), 1, 2, 2);
        let text = idle["data"]["status"].as_str().unwrap().replace("InProgress", "NoActivity");
        idle["data"]["status"] = text.into();
        objects.extend([idle, program(version, &[])]);
        let told = ask(&objects);
        assert_eq!(told.verdict, verdict, "{version}: {}", told.screen);
    }
}

#[test]
fn node_that_comes_for_another_pod_leaves_open_who_gets_it() {
    let name = eks("workers");
    let mut other = pod("other", 10, "3");
    other["status"] = web(json!({}))["status"].clone();
    let text = format!("pod triggered scale-up: [{{{name} 1->2 (max: 2)}}]");
    let mut about_other = event("cluster-autoscaler", "TriggeredScaleUp", &text);
    about_other["involvedObject"] =
        json!({"kind": "Pod", "namespace": "shop", "name": "other", "uid": "uid-other"});
    let mut objects = stuck(json!({}));
    objects.extend([node("w1", "4", of_eks("workers")), running("w1-busy", 10, "3", "w1")]);
    objects.extend([growing(&name, 1, 2, 2), other, about_other]);
    let told = ask(&objects);
    assert_eq!(told.verdict, "mayCome", "{}", told.screen);
    assert_has(&told.screen, "1 node is on its way, which other pods may fill");
}

use super::{LookupResult, MessagePart, lookup};

fn found(query: &str) -> LookupResult {
    lookup(query, &super::super::all())
}

fn codes(query: &str) -> Vec<&'static str> {
    match found(query) {
        LookupResult::Rules(rules) => rules.into_iter().map(|rule| rule.code).collect(),
        LookupResult::Message(parts) => panic!("{query} is a message: {parts:?}"),
        LookupResult::Nothing => Vec::new(),
    }
}

/// The parts of a message: code, `p` for preemption, number of nodes, text.
fn parts(query: &str) -> Vec<String> {
    let LookupResult::Message(parts) = found(query) else { panic!("{query} is no message") };
    let part = |MessagePart { text, nodes, preemption, rule }: &MessagePart| {
        let code = rule.as_ref().map_or("unknown", |rule| rule.code);
        let nodes = nodes.map_or_else(String::new, |nodes| format!(" {nodes}"));
        format!("{code}{}{nodes}: {text}", if *preemption { " p" } else { "" })
    };
    parts.iter().map(part).collect()
}

#[test]
fn a_rule_is_found_by_code_name_and_old_name() {
    assert_eq!(codes("pre-101"), ["PRE-101"]);
    assert_eq!(
        codes("tainttoleration"),
        ["PRE-103", "PRE-103", "PRE-803"],
        "it filters and scores; kubelets have it, too"
    );
    assert_eq!(codes("PodFitsHostPorts"), ["PRE-105"]);
    assert_eq!(codes("No preemption victims found for incoming pod"), ["PRE-302"]);
    assert_eq!(codes("victims found for incoming pod"), ["PRE-302"]);
    assert!(codes("TaintTolerration").is_empty());
}

#[test]
fn message_without_its_full_stop_is_found() {
    let text = "not eligible due to a terminating pod on the nominated node";
    assert_eq!(parts(text), [format!("PRE-305: {text}.")]);
    assert_eq!(parts(&format!("preemption: {text}")), [format!("PRE-305 p: {text}.")]);
    assert_eq!(parts(&format!("{text}.")), [format!("PRE-305: {text}.")]);
}

#[test]
fn state_of_a_pod_is_no_part_of_a_name() {
    for state in
        ["Error", "failed", "Pending", "Ready", "Running", "Unknown", "Waiting", "Completed"]
    {
        assert_eq!(codes(state), [""; 0], "{state}");
    }
    // What is the whole reason of a component is found, and so is a longer part of a name.
    assert_eq!(codes("Evicted"), ["PRE-812"]);
    assert_eq!(codes("AdmissionError"), ["PRE-806"]);
}

#[test]
fn a_message_is_explained_part_by_part_in_its_order() {
    for (message, want) in [
        (
            "0/8 nodes are available: 1 Insufficient memory, 1 node(s) had untolerated taint {a: b}, 1 node(s) of my own, \
             4 Insufficient cpu, 4 Insufficient nvidia.com/gpu. preemption: 0/8 nodes are available: 2 Preemption is not \
             helpful for scheduling, 6 No preemption victims found for incoming pod.",
            &[
                "PRE-202 1: Insufficient memory",
                "PRE-209 1: node(s) had untolerated taint {a: b}",
                "unknown 1: node(s) of my own",
                "PRE-201 4: Insufficient cpu",
                "PRE-207 4: Insufficient nvidia.com/gpu",
                "PRE-301 p 2: Preemption is not helpful for scheduling",
                "PRE-302 p 6: No preemption victims found for incoming pod",
            ][..],
        ),
        (
            "0/1 nodes are available: 1 node(s) had taint {k: v}, that the pod didn't tolerate.",
            &["PRE-210 1: node(s) had taint {k: v}, that the pod didn't tolerate"],
        ),
        (
            "0/2 nodes are available: persistentvolumeclaim \"data\" not found. preemption: 0/2 nodes are available: 2 \
             Preemption is not helpful for scheduling..",
            &[
                "PRE-240: persistentvolumeclaim \"data\" not found",
                "PRE-301 p 2: Preemption is not helpful for scheduling",
            ],
        ),
        (
            "0/1 nodes are available: 1 cannot allocate all claims. still not schedulable, preemption: not eligible due to \
             preemptionPolicy=Never.",
            &[
                "PRE-245 1: cannot allocate all claims",
                "PRE-310: still not schedulable",
                "PRE-304 p: not eligible due to preemptionPolicy=Never.",
            ],
        ),
        (
            "0/2 nodes are available: 2 Insufficient cpu. preemption: found a potential placement for pod on node n, \
             preempting 2 victims",
            &[
                "PRE-201 2: Insufficient cpu",
                "PRE-306 p: found a potential placement for pod on node n, preempting 2 victims",
            ],
        ),
        ("0/1 nodes are available: 1 something of ours.", &["unknown 1: something of ours"]),
    ] {
        assert_eq!(parts(message), want, "{message}");
    }
}

#[test]
fn events_are_read_as_kubectl_prints_them() {
    let want = ["PRE-201 3: Insufficient cpu"];
    for event in [
        "Warning  FailedScheduling  3m  default-scheduler  0/3 nodes are available: 3 Insufficient cpu.",
        "  Warning  FailedScheduling  3m12s (x5 over 10m)  default-scheduler  0/3 nodes are available: 3 Insufficient cpu.",
        "Warning FailedScheduling 3m (x5 over 10m) default-scheduler, host 0/3 nodes are available: 3 Insufficient cpu.",
        "3m12s       Warning   FailedScheduling   pod/web-0   0/3 nodes are available: 3 Insufficient cpu.",
        "<unknown>   Warning   FailedScheduling   pod/web-0   0/3 nodes are available: 3 Insufficient cpu.",
    ] {
        assert_eq!(parts(event), want, "{event}");
    }
    assert_eq!(
        parts("Normal  Preempted  2m  default-scheduler  Preempted by pod 0c1d on node worker-1"),
        ["PRE-604: Preempted by pod 0c1d on node worker-1"]
    );
}

#[test]
fn texts_of_victims_and_groups_are_known() {
    for (text, want) in [
        ("by shop/web on node worker-1", &["PRE-601: by shop/web on node worker-1"][..]),
        (
            "Preempted by shop/web on node worker-1",
            &["PRE-602: Preempted by shop/web on node worker-1"],
        ),
        ("Preempted by a pod on node worker-1", &["PRE-603: Preempted by a pod on node worker-1"]),
        (
            "Preempted by pod 0c1d on node n (in kube-scheduler memory).",
            &["PRE-604: Preempted by pod 0c1d on node n (in kube-scheduler memory)."],
        ),
        (
            "Preempted by podgroup 0c1d on node cluster",
            &["PRE-605: Preempted by podgroup 0c1d on node cluster"],
        ),
        (
            "default-scheduler: preempting to accommodate a higher priority pod",
            &["PRE-608: default-scheduler: preempting to accommodate a higher priority pod"],
        ),
        (
            "gangs: preempting to accommodate a higher priority podgroup",
            &["PRE-609: gangs: preempting to accommodate a higher priority podgroup"],
        ),
        (
            "pod group is unschedulable, minCount (3) cannot be satisfied: 2 scheduled, 0 remaining, pod group preemption: No \
             preemption victims found for incoming preemptor",
            &[
                "PRE-621: pod group is unschedulable",
                "PRE-622: minCount (3) cannot be satisfied: 2 scheduled, 0 remaining",
                "PRE-628 p: No preemption victims found for incoming preemptor",
            ],
        ),
        (
            "minCount (3) cannot be satisfied: 1 scheduled, 1 remaining, deallocation and deletion of ResourceClaims completed, \
             pod group preemption: minCount (3) cannot be satisfied: 2 scheduled, 0 remaining",
            &[
                "PRE-622: minCount (3) cannot be satisfied: 1 scheduled, 1 remaining",
                "PRE-633: deallocation and deletion of ResourceClaims completed",
                "PRE-622 p: minCount (3) cannot be satisfied: 2 scheduled, 0 remaining",
            ],
        ),
        (
            "all pods in a single pod group should have the same priority as the pod group's priority, got 100 and 0",
            &[
                "PRE-625: all pods in a single pod group should have the same priority as the pod group's priority, got 100 and 0",
            ],
        ),
        (
            "pod group is unschedulable, a plugin of ours said no, and why",
            &["PRE-621: pod group is unschedulable", "unknown: a plugin of ours said no, and why"],
        ),
    ] {
        assert_eq!(parts(text), want, "{text}");
    }
}

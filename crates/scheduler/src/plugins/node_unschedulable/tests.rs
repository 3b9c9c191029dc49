use crate::testing::{decide, node, objects, pod};

const REJECTED: &str = "UU NodeUnschedulable: node(s) were unschedulable";

#[test]
fn cordoned_node_rejects_pods_without_toleration() {
    let key = "node.kubernetes.io/unschedulable";
    for (row, node, pod, want) in [
        ("a plain node fits", node("n"), pod("p"), "fits"),
        ("a cordoned node does not", node("n").cordoned(), pod("p"), REJECTED),
        (
            "the cordon's taint is reported as the cordon",
            node("n").cordoned().taint(key, "", "NoSchedule"),
            pod("p"),
            REJECTED,
        ),
        (
            "tolerated by key and effect",
            node("n").cordoned(),
            pod("p").tolerates(key, "Exists", "", "NoSchedule"),
            "fits",
        ),
        (
            "tolerated by key alone",
            node("n").cordoned(),
            pod("p").tolerates(key, "Exists", "", ""),
            "fits",
        ),
        (
            "tolerated with everything else",
            node("n").cordoned(),
            pod("p").tolerates("", "Exists", "", ""),
            "fits",
        ),
        (
            "the taint of a cordon has an empty value",
            node("n").cordoned(),
            pod("p").tolerates(key, "Equal", "", ""),
            "fits",
        ),
        (
            "another value does not tolerate it",
            node("n").cordoned(),
            pod("p").tolerates(key, "Equal", "x", ""),
            REJECTED,
        ),
        (
            "another effect does not tolerate it",
            node("n").cordoned(),
            pod("p").tolerates(key, "Exists", "", "NoExecute"),
            REJECTED,
        ),
        (
            "another key does not tolerate it",
            node("n").cordoned(),
            pod("p").tolerates("k", "Exists", "", ""),
            REJECTED,
        ),
        (
            "a daemon set's pod passes the taint of the cordon, too",
            node("n").cordoned().taint(key, "", "NoSchedule"),
            pod("p").tolerates(key, "Exists", "", "NoSchedule"),
            "fits",
        ),
    ] {
        assert_eq!(decide(objects![node, pod], "p").node("n"), want, "{row}");
    }
}

#[test]
fn no_eviction_uncordons_a_node() {
    let answer =
        decide(objects![node("n").cordoned(), pod("v").on("n"), pod("p").priority(9)], "p");
    assert_eq!(answer.dry_run("n"), "Preemption is not helpful for scheduling");
}

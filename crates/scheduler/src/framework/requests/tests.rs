use serde_json::{Value, json};

use super::{footprint, incoming, non_zero_footprint};
use crate::testing::{Pod, cluster, container, features, objects, pod};
use model::cluster::PodIx;
use model::cluster::resources::Resources;
use profile::{Features, SchedulerVersion};

/// The requests of a pod: while it is being scheduled, and on a node.
fn counts(version: &str, pod: Pod) -> (Resources, Resources) {
    let cluster = cluster(objects![pod]);
    let features = Features::of(SchedulerVersion::parse(version).expect("a version"));
    let resource_requests = cluster
        .resource_requests
        .get(cluster.pod(PodIx(0)).resource_requests)
        .expect("resource requests");
    (
        incoming(resource_requests, &cluster, &features.requests),
        footprint(resource_requests, &cluster, &features.requests),
    )
}

/// Thousandths of a core that a pod requests.
fn cpu(version: &str, pod: Pod) -> i64 {
    counts(version, pod).0.milli_cpu
}

/// Thousandths of a core that a pod on a node takes.
fn cpu_on_node(version: &str, pod: Pod) -> i64 {
    counts(version, pod).1.milli_cpu
}

/// Thousandths of a core that a pod on a node takes in scores.
fn non_zero_cpu(version: &str, pod: Pod) -> i64 {
    let cluster = cluster(objects![pod]);
    let resource_requests = cluster
        .resource_requests
        .get(cluster.pod(PodIx(0)).resource_requests)
        .expect("resource requests");
    non_zero_footprint(resource_requests, &cluster, &features(version).requests).0
}

fn cpus(name: &str, quantity: &str) -> Value {
    container(name, &[("cpu", quantity)])
}

/// The status of a container: its resources and what the kubelet has allocated. Empty texts are
/// left out.
fn status(name: &str, actuated: &str, allocated: &str) -> Value {
    let mut status = json!({"name": name});
    if !actuated.is_empty() {
        status["resources"] = json!({"requests": {"cpu": actuated}});
    }
    if !allocated.is_empty() {
        status["allocatedResources"] = json!({"cpu": allocated});
    }
    status
}

fn infeasible(pod: Pod) -> Pod {
    pod.push(
        "/status/conditions",
        json!({"type": "PodResizePending", "status": "True", "reason": "Infeasible"}),
    )
}

#[test]
fn containers_sidecars_and_init_steps() {
    for (row, pod, want) in [
        ("nothing", pod("p"), 0),
        ("containers add up", pod("p").containers(vec![cpus("a", "1"), cpus("b", "500m")]), 1500),
        ("a small init container costs nothing", pod("p").cpu("2").init(cpus("i", "1")), 2000),
        ("a large one decides", pod("p").cpu("1").init(cpus("i", "3")), 3000),
        (
            "init containers run one after the other",
            pod("p").cpu("1").init(cpus("i", "3")).init(cpus("j", "3")),
            3000,
        ),
        ("a sidecar stays", pod("p").cpu("1").sidecar(cpus("s", "500m")), 1500),
        (
            "a sidecar runs beside later init containers",
            pod("p").cpu("1").sidecar(cpus("s", "500m")).init(cpus("i", "2")),
            2500,
        ),
        (
            "but not beside earlier ones",
            pod("p").cpu("1").init(cpus("i", "2")).sidecar(cpus("s", "500m")),
            2000,
        ),
        (
            "a sidecar between two init containers",
            pod("p").cpu("1").init(cpus("i", "2")).sidecar(cpus("s", "500m")).init(cpus("j", "1")),
            2000,
        ),
        ("overhead comes on top", pod("p").cpu("1").overhead("cpu", "250m"), 1250),
        (
            "overhead comes on top of an init container",
            pod("p").init(cpus("i", "1")).overhead("cpu", "250m"),
            1250,
        ),
        (
            "the sum is rounded, not the parts",
            pod("p").containers(vec![cpus("a", "0.5m"), cpus("b", "0.5m")]),
            1,
        ),
        (
            "what cannot be parsed is absent",
            pod("p").containers(vec![cpus("a", "1"), cpus("b", "1Gx")]),
            1000,
        ),
        (
            "limits do not count",
            pod("p").with(
                "/spec/containers",
                json!([{"name": "c", "resources": {"limits": {"cpu": "1"}}}]),
            ),
            0,
        ),
    ] {
        let (before, after) = counts("1.37", pod);
        assert_eq!((before.milli_cpu, after.milli_cpu), (want, want), "{row}");
    }
}

#[test]
fn resources_are_taken_apart() {
    let pod = pod("p")
        .containers(vec![
            container("a", &[("memory", "1"), ("ephemeral-storage", "2")]),
            container("b", &[("x.com/y", "3")]),
        ])
        .init(container("i", &[("memory", "5"), ("x.com/y", "1")]));
    let (total, _) = counts("1.37", pod);
    assert_eq!(
        (total.milli_cpu, total.memory, total.ephemeral_storage),
        (0, 5, 2),
        "each resource has its own maximum"
    );
    assert_eq!(total.scalars.iter().map(|(_, n)| *n).collect::<Vec<_>>(), [3]);
}

#[test]
fn pod_level_requests_replace_the_sum_since_1_34() {
    let two = || pod("p").containers(vec![cpus("a", "1"), cpus("b", "1")]);
    for (row, version, pod, want) in [
        ("replaced, even by less", "1.34", two().pod_level("cpu", "1"), 1000),
        ("not before", "1.33", two().pod_level("cpu", "1"), 2000),
        ("another resource leaves it", "1.37", two().pod_level("memory", "1Gi"), 2000),
        ("overhead comes on top", "1.37", two().pod_level("cpu", "1").overhead("cpu", "1"), 2000),
    ] {
        assert_eq!(cpu(version, pod), want, "{row}");
    }
    let storage = pod("p")
        .requests("ephemeral-storage", "1")
        .pod_level("ephemeral-storage", "9")
        .pod_level("cpu", "1");
    assert_eq!(
        counts("1.37", storage).0.ephemeral_storage,
        1,
        "only cpu, memory and huge pages can be asked for as a whole"
    );
}

#[test]
fn a_resize_counts_the_larger_amount_until_it_is_done() {
    let resized = |spec: &str, actuated: &str, allocated: &str| {
        pod("p").cpu(spec).push("/status/containerStatuses", status("c", actuated, allocated))
    };
    for version in ["1.33", "1.36", "1.37"] {
        for (row, pod, want) in [
            ("smaller, not done yet", resized("1", "2", "2"), 2000),
            ("larger, allocated but not done yet", resized("3", "2", "3"), 3000),
            ("larger, deferred: what is wanted counts", resized("4", "2", "2"), 4000),
            ("larger, infeasible: what is there counts", infeasible(resized("4", "2", "2")), 2000),
            ("done", resized("2", "2", "2"), 2000),
        ] {
            assert_eq!(cpu_on_node(version, pod), want, "{version}: {row}");
        }
        assert_eq!(
            cpu(version, resized("1", "2", "2")),
            1000,
            "{version}: a pod without a place counts its spec alone"
        );
    }
}

#[test]
fn the_footprint_changed_in_1_37() {
    let two = |a: &str, b: &str| pod("p").containers(vec![cpus("a", a), cpus("b", b)]);
    let with = |pod: Pod, status: Value| pod.push("/status/containerStatuses", status);
    for (row, pod, up_to_1_36, since_1_37) in [
        (
            "one container grows as another shrinks: sums are compared, not containers",
            with(with(two("1", "3"), status("a", "3", "3")), status("b", "1", "1")),
            6000,
            4000,
        ),
        (
            "an infeasible resize: a container without a status counts nothing",
            infeasible(with(two("1", "1"), status("a", "2", "2"))),
            3000,
            2000,
        ),
        ("allocated without resources", with(two("1", "0"), status("a", "", "2")), 1000, 2000),
        (
            "an init container's status",
            pod("p")
                .init(cpus("i", "1"))
                .push("/status/initContainerStatuses", status("i", "3", "3")),
            1000,
            3000,
        ),
        (
            "a sidecar's status",
            pod("p")
                .sidecar(cpus("s", "1"))
                .push("/status/initContainerStatuses", status("s", "3", "3")),
            3000,
            3000,
        ),
        (
            "amounts of the whole pod replace the sum of the statuses",
            with(two("1", "0"), status("a", "5", "5"))
                .with("/status/allocatedResources/cpu", "2")
                .with("/status/resources/requests/cpu", "2"),
            5000,
            2000,
        ),
    ] {
        assert_eq!(cpu_on_node("1.36", pod.clone()), up_to_1_36, "1.36: {row}");
        assert_eq!(cpu_on_node("1.37", pod), since_1_37, "1.37: {row}");
    }
}

#[test]
fn pod_level_resizes_count_since_1_36() {
    let resized = || pod("p").pod_level("cpu", "1").with("/status/resources/requests/cpu", "2");
    for (version, want) in [("1.35", 1000), ("1.36", 2000), ("1.37", 2000)] {
        assert_eq!(cpu_on_node(version, resized()), want, "{version}");
    }
    let allocated = || resized().with("/status/allocatedResources/cpu", "3");
    assert_eq!(cpu_on_node("1.36", allocated()), 3000);
    for (version, want) in [("1.36", 3000), ("1.37", 3000)] {
        assert_eq!(
            cpu_on_node(version, infeasible(allocated().pod_level("cpu", "9"))),
            want,
            "{version}: infeasible"
        );
    }
    // Memory is only in the status, not in the spec.
    let memory = || resized().with("/status/resources/requests/memory", "4");
    assert_eq!(counts("1.36", memory()).1.memory, 0);
    assert_eq!(counts("1.37", memory()).1.memory, 4);
}

#[test]
fn eras_count_less() {
    let init = || pod("p").cpu("1").init(cpus("i", "2"));
    for (version, want) in
        [("1.16.6", 1000), ("1.17.0", 1000), ("1.17.17", 2000), ("1.18.0", 1000), ("1.19", 2000)]
    {
        assert_eq!(
            (cpu(version, init()), cpu_on_node(version, init())),
            (2000, want),
            "init containers in {version}"
        );
    }
    let overhead = || pod("p").cpu("1").with("/spec/overhead", json!({"cpu": "250m"}));
    assert_eq!((cpu("1.17", overhead()), cpu("1.18", overhead())), (1000, 1250));
    let halves = || pod("p").containers(vec![cpus("a", "0.5m"), cpus("b", "0.5m")]);
    assert_eq!(
        (cpu("1.26", halves()), cpu("1.27", halves())),
        (2, 1),
        "rounded for each container, or once"
    );
    let sidecar = || pod("p").cpu("1").sidecar(cpus("s", "500m"));
    assert_eq!((cpu("1.27", sidecar()), cpu("1.28", sidecar())), (1000, 1500));
}

#[test]
fn scores_rounded_each_container_up_to_1_31() {
    let small = || vec![cpus("a", "400u"), cpus("b", "400u"), cpus("c", "400u")];
    for (row, pod, before, since) in [
        ("containers", pod("p").containers(small()), 3, 2),
        ("overhead", pod("p").containers(small()).overhead("cpu", "400u"), 4, 2),
        ("what is large enough", pod("p").containers(vec![cpus("a", "1m"), cpus("b", "1m")]), 2, 2),
    ] {
        for (version, want) in
            [("1.26", before), ("1.27", before), ("1.31", before), ("1.32", since), ("1.37", since)]
        {
            assert_eq!(non_zero_cpu(version, pod.clone()), want, "{version}: {row}");
        }
    }
}

#[test]
fn scores_take_an_overflow_for_nothing_from_1_27_to_1_31() {
    let huge = || pod("p").containers(vec![cpus("a", "9223372036854775807")]);
    let overhead = || huge().overhead("cpu", "250m");
    for (version, want) in
        [("1.26", -1000), ("1.27", 0), ("1.31", 0), ("1.32", -1000), ("1.37", -1000)]
    {
        assert_eq!(non_zero_cpu(version, huge()), want, "{version}");
    }
    for (version, want) in [("1.26", -750), ("1.27", 250), ("1.31", 250)] {
        assert_eq!(
            non_zero_cpu(version, overhead()),
            want,
            "{version}: overhead is added after that"
        );
    }
    let largest = "9223372036854775807m";
    let sum =
        || pod("p").containers(vec![cpus("a", largest), cpus("b", "1m")]).init(cpus("i", "1m"));
    for (version, want) in [("1.26", 1), ("1.27", 1), ("1.31", 1), ("1.32", i64::MIN)] {
        assert_eq!(
            non_zero_cpu(version, sum()),
            want,
            "{version}: the sum of the containers overflows"
        );
    }
}

#[test]
fn zero_requests_of_init_containers_are_ignored_up_to_1_21() {
    let gpu = || pod("p").init(container("i", &[("example.com/gpu", "0")]));
    assert_eq!(counts("1.21", gpu()).0.scalars.len(), 0);
    assert_eq!(counts("1.22", gpu()).0.scalars.len(), 1);
    let both = gpu().requests("example.com/gpu", "0");
    assert_eq!(counts("1.21", both).0.scalars.len(), 1);
}

use jiff::Timestamp;

use crate::framework::operands::ResourceId;

use crate::framework::evidence::InsufficientResource;
use crate::testing::{Node, Pod, at, container, decide, device_class, node, objects, pod};

fn verdict(node: Node, running: Vec<Pod>, incoming: Pod) -> String {
    let running = running.into_iter().map(|p| p.on("n").into());
    decide(running.chain(objects![node, incoming]).collect(), "p").node("n")
}

const CPU: &str = "U NodeResourcesFit: Insufficient cpu";

#[test]
fn request_above_unrequested_amount_rejects_node() {
    for (row, node, running, incoming, want) in [
        ("exactly enough", node("n").cpu("2"), vec![pod("v").cpu("1")], pod("p").cpu("1"), "fits"),
        (
            "a thousandth too much",
            node("n").cpu("2"),
            vec![pod("v").cpu("1")],
            pod("p").cpu("1001m"),
            CPU,
        ),
        (
            "memory",
            node("n").memory("1Gi"),
            vec![pod("v").memory("1Gi")],
            pod("p").memory("1"),
            "U NodeResourcesFit: Insufficient memory",
        ),
        (
            "ephemeral storage",
            node("n").allocatable("ephemeral-storage", "1Gi"),
            vec![pod("v").requests("ephemeral-storage", "1Gi")],
            pod("p").requests("ephemeral-storage", "1"),
            "U NodeResourcesFit: Insufficient ephemeral-storage",
        ),
        (
            "nothing wanted of a node that is overcommitted",
            node("n").cpu("1"),
            vec![pod("v").cpu("2")],
            pod("p"),
            "fits",
        ),
        (
            "an explicit zero is nothing",
            node("n").cpu("1"),
            vec![pod("v").cpu("2")],
            pod("p").cpu("0"),
            "fits",
        ),
        (
            "half a thousandth counts as a whole one",
            node("n").cpu("1m"),
            vec![pod("v").cpu("0.5m")],
            pod("p").cpu("0.5m"),
            CPU,
        ),
        (
            "a resource that is not counted",
            node("n"),
            vec![],
            pod("p").requests("storage", "9"),
            "fits",
        ),
        (
            "two short resources are two reasons, in the scheduler's order",
            node("n").cpu("1").memory("1"),
            vec![pod("v").cpu("1").memory("1")],
            pod("p").memory("1").cpu("1"),
            "U NodeResourcesFit: Insufficient cpu; Insufficient memory",
        ),
    ] {
        assert_eq!(verdict(node, running, incoming), want, "{row}");
    }
}

#[test]
fn the_number_of_pods_is_limited() {
    for (row, node, running, want) in [
        ("the last place", node("n").pods(2), vec![pod("v")], "fits"),
        ("no place left", node("n").pods(1), vec![pod("v")], "U NodeResourcesFit: Too many pods"),
        ("no allowance at all", node("n").bare(), vec![], "U NodeResourcesFit: Too many pods"),
    ] {
        assert_eq!(verdict(node, running, pod("p")), want, "{row}");
    }
    let short = verdict(node("n").pods(1).cpu("1"), vec![pod("v").cpu("1")], pod("p").cpu("1"));
    assert_eq!(short, "U NodeResourcesFit: Too many pods; Insufficient cpu");
}

#[test]
fn scalars_are_listed_by_name() {
    let gpu = "example.com/gpu";
    for (row, node, running, incoming, want) in [
        (
            "free",
            node("n").allocatable(gpu, "2"),
            vec![pod("v").requests(gpu, "1")],
            pod("p").requests(gpu, "1"),
            "fits",
        ),
        (
            "taken",
            node("n").allocatable(gpu, "1"),
            vec![pod("v").requests(gpu, "1")],
            pod("p").requests(gpu, "1"),
            "U NodeResourcesFit: Insufficient example.com/gpu",
        ),
        (
            "a node that has none",
            node("n"),
            vec![],
            pod("p").requests(gpu, "1"),
            "UU NodeResourcesFit: Insufficient example.com/gpu",
        ),
        (
            "zero of what a node does not have",
            node("n"),
            vec![],
            pod("p").requests(gpu, "0"),
            "fits",
        ),
        (
            "huge pages",
            node("n").allocatable("hugepages-2Mi", "4Mi"),
            vec![pod("v").requests("hugepages-2Mi", "4Mi")],
            pod("p").requests("hugepages-2Mi", "2Mi"),
            "U NodeResourcesFit: Insufficient hugepages-2Mi",
        ),
        (
            "several",
            node("n").cpu("1"),
            vec![pod("v").cpu("1")],
            pod("p").requests("b.com/x", "1").requests("a.com/x", "1").cpu("1"),
            "UU NodeResourcesFit: Insufficient cpu; Insufficient a.com/x; Insufficient b.com/x",
        ),
    ] {
        assert_eq!(verdict(node, running, incoming), want, "{row}");
    }
}

#[test]
fn more_than_the_node_has_cannot_be_helped_since_1_34() {
    let running = || pod("v").cpu("1").memory("1Gi").on("n");
    for (row, version, node, incoming, code) in [
        ("more than there is", "1.34", node("n").cpu("1"), pod("p").cpu("2"), "UU"),
        ("more than there is, before", "1.33", node("n").cpu("1"), pod("p").cpu("2"), "U"),
        ("more than is left", "1.34", node("n").cpu("2"), pod("p").cpu("2"), "U"),
        (
            "one of two is hopeless",
            "1.37",
            node("n").cpu("1").memory("1Gi"),
            pod("p").cpu("1").memory("2Gi"),
            "UU",
        ),
        ("no allowance of pods is never hopeless", "1.37", node("n").pods(0), pod("p"), "U"),
        ("too many pods and hopeless", "1.37", node("n").pods(0).cpu("1"), pod("p").cpu("2"), "UU"),
    ] {
        let verdict = at(version).decide(objects![node, running(), incoming], "p").node("n");
        assert_eq!(verdict.split_once(' ').expect("a refusal").0, code, "{row}: {verdict}");
    }
}

#[test]
fn extended_resources_of_device_classes_are_left_to_another_plugin_since_1_36() {
    let gpu = "example.com/gpu";
    let by_class = "deviceclass.resource.kubernetes.io/g";
    let short = |name: &str| format!("UU NodeResourcesFit: Insufficient {name}");
    // The node has no devices, either.
    let left = "UU DynamicResources: cannot allocate all claims";
    for (row, version, node, resource, want) in [
        ("a node without it", "1.36", node("n"), gpu, left.to_owned()),
        ("before", "1.35", node("n"), gpu, short(gpu)),
        (
            "a node with none left to give",
            "1.37",
            node("n").allocatable(gpu, "0"),
            gpu,
            left.to_owned(),
        ),
        (
            "a node that has some of it is counted as ever",
            "1.37",
            node("n").allocatable(gpu, "1"),
            gpu,
            short(gpu),
        ),
        ("a resource without a class", "1.37", node("n"), "other.com/gpu", short("other.com/gpu")),
        ("the name of the class", "1.37", node("n"), by_class, left.to_owned()),
        (
            "the name of no class",
            "1.37",
            node("n"),
            "deviceclass.resource.kubernetes.io/h",
            short("deviceclass.resource.kubernetes.io/h"),
        ),
    ] {
        let objects = objects![device_class("g", gpu), node, pod("p").requests(resource, "2")];
        assert_eq!(at(version).decide(objects, "p").node("n"), want, "{row}");
    }
}

#[test]
fn the_evidence_holds_the_operands() {
    let answer =
        decide(objects![node("n").cpu("4"), pod("v").cpu("3500m").on("n"), pod("p").cpu("1")], "p");
    let want = InsufficientResource {
        resource: ResourceId::Cpu,
        requested: 1000,
        used: 3500,
        allocatable: 4000,
        parts: None,
    };
    assert_eq!(answer.evidence::<InsufficientResource>("n"), &want);
}

#[test]
fn a_node_counts_every_pod_that_has_not_finished() {
    let running = |p: Pod| p.cpu("1").on("n");
    for (row, running, want) in [
        ("running", running(pod("v")), CPU),
        ("terminating", running(pod("v")).terminating(), CPU),
        ("of another scheduler", running(pod("v")).scheduler("other"), CPU),
        ("of another namespace", running(pod("v")).ns("other"), CPU),
        ("succeeded", running(pod("v")).phase("Succeeded"), "fits"),
        ("failed", running(pod("v")).phase("Failed"), "fits"),
        ("on another node", pod("v").cpu("1").on("m"), "fits"),
        (
            "with two containers",
            pod("v")
                .containers(vec![
                    container("a", &[("cpu", "500m")]),
                    container("b", &[("cpu", "500m")]),
                ])
                .on("n"),
            CPU,
        ),
    ] {
        let answer = decide(objects![node("n").cpu("1"), running, pod("p").cpu("1")], "p");
        assert_eq!(answer.node("n"), want, "{row}");
    }
}

#[test]
fn unparsable_amounts_are_noted_and_count_as_nothing() {
    let answer =
        decide(objects![node("n").cpu("1"), pod("v").cpu("1Gx").on("n"), pod("p").cpu("1")], "p");
    assert_eq!(answer.node("n"), "fits");
    assert!(
        answer.notes().iter().any(|n| n.contains("Pod default/v") && n.contains("1Gx")),
        "{:?}",
        answer.notes()
    );
}

mod scoring {
    use super::*;
    use crate::framework::cluster_view::ClusterView;
    use crate::framework::plugin::Cycle;
    use crate::framework::score::{PreparedScore, ScorePlugin};
    use crate::plugins::node_resources_fit::NodeResourcesFit;
    use crate::testing::cluster;
    use profile::args::{FitScoring, FitStrategy, ShapePoint, WeightedResource};
    use profile::{Profile, SchedulerVersion, VersionSource};

    /// The score of a node with 4 cpu, 4 GiB and 2 `example.com/gpu`, of which a pod uses 1 cpu, 3
    /// GiB and no gpu.
    fn score(
        strategy: FitStrategy,
        resources: &[(&str, i64)],
        incoming: crate::testing::Pod,
    ) -> i64 {
        let node = node("n").cpu("4").memory("4Gi").allocatable("example.com/gpu", "2");
        let cluster = cluster(objects![node, pod("o").cpu("1").memory("3Gi").on("n"), incoming]);
        let mut profile = Profile::new(SchedulerVersion::NEWEST, VersionSource::Default);
        let weighted = |(name, weight): &(&str, i64)| WeightedResource {
            name: (*name).to_owned(),
            weight: *weight,
        };
        profile.args.fit_scoring =
            FitScoring { strategy, resources: resources.iter().map(weighted).collect() };
        let view = ClusterView::new(&cluster, &profile);
        let cycle = Cycle::of(
            &view,
            cluster.find_pod("default", "p").expect("the pod"),
            Timestamp::UNIX_EPOCH,
        );
        let PreparedScore::Ready(score) = ScorePlugin::prepare(&NodeResourcesFit, &cycle, &[])
        else {
            panic!("it always scores")
        };
        score.score(&view.infos()[0]).expect("a score")
    }

    #[test]
    fn strategies_weigh_the_resources_that_count() {
        let curve = || {
            let points = [(0, 0), (50, 100), (100, 20)];
            FitStrategy::RequestedToCapacityRatio(
                points.map(|(utilization, score)| ShapePoint { utilization, score }).to_vec(),
            )
        };
        let both: &[_] = &[("cpu", 1), ("memory", 1)];
        let with_gpu: &[_] = &[("cpu", 1), ("example.com/gpu", 3)];
        let incoming = || pod("p").cpu("1").memory("512Mi");
        // With the pod: half of the cpu, 87 % of the memory.
        for (row, strategy, resources, incoming, want) in [
            ("least", FitStrategy::LeastAllocated, both, incoming(), 31),
            ("most", FitStrategy::MostAllocated, both, incoming(), 68),
            ("on a curve", curve(), both, incoming(), 71),
            (
                "least, cpu weighs three times",
                FitStrategy::LeastAllocated,
                &[("cpu", 3), ("memory", 1)],
                incoming(),
                40,
            ),
            (
                "an extended resource that is not asked for is left out",
                FitStrategy::LeastAllocated,
                with_gpu,
                incoming(),
                50,
            ),
            (
                "one that is asked for counts",
                FitStrategy::LeastAllocated,
                with_gpu,
                incoming().requests("example.com/gpu", "2"),
                12,
            ),
            (
                "a request of 0 stays 0",
                curve(),
                &[("cpu", 1), ("memory", 1)],
                pod("p").cpu("0").memory("0"),
                55,
            ),
            (
                "a pod that asks for nothing counts for a little",
                FitStrategy::LeastAllocated,
                both,
                pod("p"),
                46,
            ),
            (
                "resources that no node has",
                FitStrategy::LeastAllocated,
                &[("example.com/none", 1)],
                incoming(),
                0,
            ),
        ] {
            assert_eq!(score(strategy, resources, incoming), want, "{row}");
        }
    }

    #[test]
    fn more_than_there_is_scores_as_all() {
        let huge = || pod("p").cpu("9").memory("9Gi");
        let resources: &[_] = &[("cpu", 1), ("memory", 1)];
        assert_eq!(score(FitStrategy::LeastAllocated, resources, huge()), 0);
        assert_eq!(score(FitStrategy::MostAllocated, resources, huge()), 100);
    }
}

#[test]
fn up_to_1_27_what_is_overcommitted_is_short_of_nothing_too() {
    let overcommitted = || objects![node("n").cpu("1").memory("4Gi"), pod("v").cpu("2").on("n")];
    for (version, asks_for_memory, asks_for_nothing) in [
        ("1.16", "U GeneralPredicates: Insufficient cpu", "fits"),
        ("1.27", CPU, "fits"),
        ("1.28", "fits", "fits"),
    ] {
        let of = |incoming: Pod| {
            at(version).decide([overcommitted(), objects![incoming]].concat(), "p").node("n")
        };
        assert_eq!(of(pod("p").memory("1Gi")), asks_for_memory, "{version}");
        assert_eq!(of(pod("p")), asks_for_nothing, "{version}");
    }
    let gpus = objects![
        node("n").allocatable("example.com/gpu", "1"),
        pod("v").requests("example.com/gpu", "2").on("n"),
        pod("p").requests("example.com/gpu", "0"),
    ];
    assert_eq!(
        at("1.25").decide(gpus.clone(), "p").node("n"),
        "U NodeResourcesFit: Insufficient example.com/gpu"
    );
    assert_eq!(at("1.26").decide(gpus, "p").node("n"), "fits");
}

#[test]
fn up_to_1_20_a_sum_that_overflows_fits() {
    let cluster =
        objects![node("n").cpu("1"), pod("v").cpu("9223372036854775").on("n"), pod("p").cpu("1")];
    for (version, want) in [("1.16", "fits"), ("1.20", "fits"), ("1.21", CPU), ("1.37", CPU)] {
        assert_eq!(at(version).decide(cluster.clone(), "p").node("n"), want, "{version}");
    }
}

#[test]
fn a_full_node_and_a_pod_with_a_sidecar_by_era() {
    for (version, want) in [
        ("1.16", "U GeneralPredicates: Insufficient pods"),
        ("1.17", "U NodeResourcesFit: Insufficient pods"),
        ("1.18", "U NodeResourcesFit: Too many pods"),
    ] {
        assert_eq!(
            at(version).decide(objects![node("n").pods(0), pod("p")], "p").node("n"),
            want,
            "{version}"
        );
    }
    let with_sidecar =
        || objects![node("n").cpu("1"), pod("p").sidecar(container("s", &[("cpu", "2")]))];
    let disabled = "UU NodeResourcesFit: Pod has a restartable init container and the SidecarContainers feature is disabled";
    assert_eq!(
        at("1.27").decide(with_sidecar(), "p").node("n"),
        CPU,
        "an init container like others"
    );
    assert_eq!(at("1.28").decide(with_sidecar(), "p").node("n"), disabled);
    assert_eq!(
        at("1.28").gates("SidecarContainers=true").decide(with_sidecar(), "p").node("n"),
        CPU
    );
    assert_eq!(at("1.29").decide(with_sidecar(), "p").node("n"), CPU);
    let off = at("1.30").gates("SidecarContainers=false").decide(with_sidecar(), "p");
    assert_eq!(off.node("n"), "not tried", "rejected in PreFilter");
}

#[test]
fn amounts_that_overflow_score_beyond_the_best() {
    let objects = objects![
        node("a").cpu("8"),
        node("b").cpu("8"),
        pod("v").cpu("10000000000000001").on("a"),
        pod("p").cpu("1")
    ];
    for (version, want) in [
        (
            "1.37",
            "applying score defaultWeights on Score plugins: plugin \"NodeResourcesFit\" returns an invalid score -",
        ),
        ("1.20", "applying score defaultWeights on Score plugins: plugin \""),
        ("1.19", "error while applying score defaultWeights for pod \"p\": score plugin \""),
    ] {
        let error = at(version).decide(objects.clone(), "p").message().to_owned();
        assert!(error.starts_with(want), "{version}: {error}");
    }
}

//! The fewest new nodes, against every combination of nodes of small random clusters.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;

use model::cluster::{Cluster, PodIx};
use model::edits::{self, name_of_copy};
use profile::Profile;
use scheduler::plugins::dynamic_resources::NAME;
use serde_json::{Value, json};
use simulation::growth::bounds::{self, Bound, BoundReason, Demand};
use simulation::growth::{Growth, GrowthProof, Trial, Unplaced, search};
use simulation::sequence::{SimulationSettings, run};
use simulation::suggest::{NewNode, kinds};
use testing::{
    NOW, at, claim, cluster, csi_node, device_class, node, objects, pod, pod_group, share, volume,
};

/// A cluster, its waiting pods, and the scheduler that places them.
struct Case {
    cluster: Cluster,
    waiting: Vec<PodIx>,
    kinds: Vec<NewNode>,
    profiles: [Profile; 1],
}

impl Case {
    fn new(objects: Vec<Value>, evictions: bool) -> Self {
        let cluster = cluster(objects);
        let waiting = cluster.pod_indices().filter(|pod| cluster.pod(*pod).is_waiting()).collect();
        let mut profile = at("1.37").gates("GenericWorkload=true").profile();
        if !evictions {
            profile.plugins.post_filter.retain(|plugin| *plugin == NAME);
            profile.plugins.pod_group_post_filter.clear();
        }
        Self { waiting, kinds: kinds(&cluster), profiles: [profile], cluster }
    }

    fn with(&self, counts: &[usize]) -> (Cluster, Vec<PodIx>) {
        let mut cluster = self.cluster.clone();
        let new = self.kinds.iter().zip(counts);
        let new: Vec<_> =
            new.flat_map(|(kind, number)| std::iter::repeat_n(kind.edit(), *number)).collect();
        edits::apply(&mut cluster, &[], &new).expect("nodes that are there");
        let names = self.waiting.iter().map(|pod| &self.cluster.pod(*pod).name);
        let waiting = names.map(|name| cluster.find_pod("default", name).expect("a pod")).collect();
        (cluster, waiting)
    }

    fn play(&self, counts: &[usize]) -> Trial {
        let (cluster, waiting) = self.with(counts);
        let settings = SimulationSettings::new(&self.profiles, NOW.parse().expect("a time"));
        Trial::of(&run(cluster, &waiting, settings.following(3)))
    }

    fn bounds(&self, helpless: &BTreeSet<&Unplaced>) -> Vec<Bound> {
        let (cluster, mut pods) = self.with(&vec![1; self.kinds.len()]);
        let name = |kind: &NewNode| name_of_copy(&self.cluster, &kind.like);
        let fresh = self.kinds.iter().map(|kind| cluster.find_node(&name(kind)).expect("a node"));
        let fresh: Vec<_> = fresh.collect();
        if helpless.iter().any(|one| matches!(one, Unplaced::Group(_))) {
            return Vec::new();
        }
        let is_helpless = |pod: &PodIx| helpless.contains(&Unplaced::Pod(cluster.pod_name(*pod)));
        let leaving = cluster.pod_indices().filter(is_helpless).collect();
        pods.retain(|pod| !is_helpless(pod));
        bounds::of(&Demand {
            cluster: &cluster,
            fresh: &fresh,
            pods: &pods,
            leaving: &leaving,
            evictions: self.profiles[0].plugins.preempts(),
            profiles: &self.profiles,
            now: NOW.parse().expect("a time"),
        })
    }

    fn search(&self, most: usize) -> Growth {
        let found = search(
            &self.kinds,
            most,
            &|counts, _| Ok::<_, Infallible>(self.play(counts)),
            &|_| self.waiting.len(),
            |helpless| Ok(self.bounds(helpless)),
        );
        match found {
            Ok(found) => found,
            Err(never) => match never {},
        }
    }

    /// The fewest nodes with which only these pods get none, up to a number, of all combinations.
    fn fewest(&self, helpless: &BTreeSet<&Unplaced>, up_to: usize) -> Option<usize> {
        self.smallest(up_to, |trial| trial.left.keys().all(|one| helpless.contains(one)))
    }

    /// The size of the smallest combination of which this holds.
    fn smallest(&self, up_to: usize, holds: impl Fn(&Trial) -> bool) -> Option<usize> {
        let mut all = vec![vec![0; self.kinds.len()]];
        for number in 0..=up_to {
            if all.iter().any(|counts| holds(&self.play(counts))) {
                return Some(number);
            }
            let more = all.iter().flat_map(|counts| {
                (0..counts.len()).map(|kind| {
                    let mut more = counts.clone();
                    more[kind] += 1;
                    more
                })
            });
            all = more.collect::<BTreeSet<_>>().into_iter().collect();
        }
        None
    }
}

/// A pseudo-random sequence.
struct Dice(u64);

impl Dice {
    /// Less than `most`.
    fn roll(&mut self, most: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }

    fn one_in(&mut self, number: u64) -> bool {
        self.roll(number) == 0
    }
}

/// A class of devices, of which `slices` has some per node.
fn gpu_class() -> Value {
    let only = json!([{"cel": {"expression": "device.driver == 'gpu.example.com'"}}]);
    device_class("gpu", "").with("/spec", json!({"selectors": only})).into()
}

/// The devices of a node.
fn slice(node: &str, number: u64) -> Value {
    let devices: Vec<Value> = (0..number).map(|n| json!({"name": format!("d{n}")})).collect();
    json!({
        "apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": node},
        "spec": {
            "driver": "gpu.example.com", "nodeName": node, "devices": devices,
            "pool": {"name": node, "generation": 1, "resourceSliceCount": 1},
        },
    })
}

/// A claim for devices of the class.
fn device_claim(name: &str, count: u64) -> Value {
    let exactly = json!({"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": count});
    json!({
        "apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"devices": {"requests": [{"name": "r", "exactly": exactly}]}},
    })
}

/// The same with the first of the devices of a node, for a pod that runs there.
fn allocated(name: &str, node: &str) -> Value {
    let mut claim = device_claim(name, 1);
    claim["status"] = json!({
        "allocation": {"devices": {"results": [
            {"request": "r", "driver": "gpu.example.com", "pool": node, "device": "d0"},
        ]}},
        "reservedFor": [{"resource": "pods", "name": name, "uid": format!("uid-{name}")}],
    });
    claim
}

fn uses(pod: testing::Pod, claim: &str) -> testing::Pod {
    let pod = pod.with("/metadata/uid", format!("uid-{claim}"));
    pod.with("/spec/resourceClaims", json!([{"name": "c", "resourceClaimName": claim}]))
}

/// One to three kinds of nodes in two zones, a few running pods, and one to five kinds of waiting
/// pods.
fn objects_of(dice: &mut Dice) -> Vec<Value> {
    let mut all = Vec::new();
    let nodes = 1 + dice.roll(3);
    let has_devices = dice.one_in(3);
    if has_devices {
        all.push(gpu_class());
    }
    for n in 0..nodes {
        let zone = if dice.one_in(2) { "a" } else { "b" };
        let mut one = node(&format!("n{n}"))
            .cpu(&(2 + dice.roll(4)).to_string())
            .memory(&format!("{}Gi", 4 + 2 * dice.roll(4)))
            .zone(zone)
            .label("kubernetes.io/hostname", &format!("n{n}"));
        if dice.one_in(4) {
            one = one.taint("only", "x", "NoSchedule");
        }
        if dice.one_in(4) {
            one = one.allocatable("example.com/gpu", "2");
        }
        if dice.one_in(8) {
            one = one.cordoned();
        }
        if dice.one_in(6) {
            one = one.pods(2);
        }
        all.push(one.into());
        if has_devices && dice.one_in(2) {
            all.push(slice(&format!("n{n}"), 1 + dice.roll(3)));
            if dice.one_in(3) {
                let name = format!("gpu-{n}");
                all.push(allocated(&name, &format!("n{n}")));
                let holder = pod(&name).cpu("500m").priority(2).on(&format!("n{n}"));
                all.push(uses(holder.replica_of("gpu"), &name).into());
            }
        }
        if dice.one_in(2) {
            let disks = 1 + i64::try_from(dice.roll(3)).expect("small");
            all.push(csi_node(&format!("n{n}"), &[("disks.example.com", disks)]).into());
        }
        if dice.one_in(3) {
            let agent = pod(&format!("agent-{n}")).cpu("500m").of("apps/v1", "DaemonSet", "agent");
            all.push(agent.priority(100).on(&format!("n{n}")).into());
        }
    }
    for n in 0..dice.roll(4) {
        let mut one = pod(&format!("low-{n}"))
            .cpu(&(1 + dice.roll(2)).to_string())
            .label("app", if dice.one_in(2) { "w0" } else { "low" })
            .priority(i32::try_from(dice.roll(3)).expect("small"))
            .on(&format!("n{}", dice.roll(nodes)));
        if dice.one_in(5) {
            one = one.terminating();
        }
        all.push(if dice.one_in(4) { one.into() } else { one.replica_of("low").into() });
    }
    for kind in 0..=dice.roll(2) {
        let app = format!("w{kind}");
        let priority = i32::try_from(dice.roll(4)).expect("small");
        let (cpu, memory) = (500 * (1 + dice.roll(5)), 1 + dice.roll(5));
        let rules: Vec<u64> = (0..13).map(|_| dice.roll(6)).collect();
        if rules[8] == 0 {
            let gang = json!({"gang": {"minCount": 1 + dice.roll(4)}});
            let group = pod_group(&app).with("/spec/priority", priority);
            all.push(group.with("/spec/schedulingPolicy", gang).into());
        }
        for n in 0..=dice.roll(4) {
            let mut one = pod(&format!("{app}-{n}"))
                .cpu(&format!("{cpu}m"))
                .memory(&format!("{memory}Gi"))
                .label("app", &app)
                .priority(priority)
                .replica_of(&app);
            if rules[0] == 0 {
                one = one.away("kubernetes.io/hostname", "app", &app);
            }
            if rules[1] == 0 {
                one = one.spread("zone", 1, "app", &app);
            }
            if rules[2] == 0 {
                one = one.port(8080, "TCP", "");
            }
            if rules[3] < 2 {
                one = one.tolerates("only", "Exists", "", "");
            }
            if rules[4] == 0 {
                one = one.requests("example.com/gpu", "1");
            }
            if rules[5] == 0 {
                one = one.near("zone", "app", "w0");
            }
            if rules[6] == 0 {
                one = one.selects_nodes("zone", "a");
            }
            if rules[9] == 0 {
                one = one.away("zone", "app", &app);
            }
            if rules[10] == 0 {
                let max_skew = if rules[2] < 3 { 1 } else { 2 };
                one = one.spread("kubernetes.io/hostname", max_skew, "app", &app);
            }
            if rules[11] == 0 {
                let name = format!("{app}-{n}");
                one = one.claim(&name);
                all.push(claim(&name, "disks").bound(&name).into());
                all.push(volume(&name, "disks").csi("disks.example.com", &name).into());
            }
            if rules[12] < 3 && has_devices {
                let name = format!("{app}-{n}");
                all.push(device_claim(&name, 1 + rules[12] % 2));
                one = uses(one, &name);
            }
            if rules[8] == 0 {
                one = one.with("/spec/schedulingGroup/podGroupName", app.as_str());
            } else if rules[7] == 0 && n == 0 {
                one = one.nominated("n0");
            }
            all.push(one.into());
        }
    }
    all
}

/// A number that is proven is the fewest of all combinations, a limit is never above it, and the
/// number places everything.
#[test]
fn proven_number_of_nodes_is_the_fewest_of_all_combinations() {
    let mut dice = Dice(57);
    let (mut proven, mut by_bound, mut open, mut grown, mut gangs) = (0, 0, 0, 0, 0);
    let mut constraints: BTreeMap<String, usize> = BTreeMap::new();
    for case in 0..share::of(120, 2_000) {
        let objects = objects_of(&mut dice);
        let evictions = dice.one_in(2);
        // With few plays the search has to say what it has not ruled out.
        let most = if dice.one_in(3) { 5 } else { 2_000 };
        let case_of = Case::new(objects.clone(), evictions);
        let found = case_of.search(most);
        let text = || format!("case {case}, evictions {evictions}: {found:?}\n{objects:?}");

        let counts: Vec<usize> = case_of
            .kinds
            .iter()
            .map(|kind| {
                found.nodes.iter().find(|one| one.node == *kind).map_or(0, |one| one.number)
            })
            .collect();
        let helpless: BTreeSet<&Unplaced> = found.left.keys().collect();
        let left = case_of.play(&counts).left;
        assert!(left.keys().all(|name| helpless.contains(name)), "places all: {}", text());

        // A group that nothing helps is one that no combination places.
        let groups: Vec<&&Unplaced> =
            helpless.iter().filter(|one| matches!(one, Unplaced::Group(_))).collect();
        if most > 5 && !evictions && !groups.is_empty() {
            let helped = |trial: &Trial| groups.iter().any(|one| !trial.left.contains_key(one));
            assert_eq!(case_of.smallest(4, helped), None, "helps a group: {}", text());
        }

        let number = found.number();
        gangs +=
            usize::from(number > 0 && !case_of.cluster.pod_groups.is_empty() && groups.is_empty());
        let fewest = case_of.fewest(&helpless, number).expect("the number itself is enough");
        assert!(found.at_least <= fewest, "{} is too high: {}", found.at_least, text());
        let bound: usize = found.bounds.iter().map(|bound| bound.at_least).sum();
        assert!(bound <= fewest, "bound {bound} is above {fewest}: {}", text());
        if found.proof == GrowthProof::BestFound {
            open += 1;
        } else {
            assert_eq!(number, fewest, "proven: {}", text());
            proven += 1;
        }
        by_bound += usize::from(number > 0 && found.proof == GrowthProof::Bound);
        for bound in &found.bounds {
            assert!(!bound.constraint.is_empty(), "names a constraint: {}", text());
            *constraints.entry(bound.constraint.clone()).or_default() += 1;
        }
        grown += usize::from(number > 0);
    }
    println!(
        "{proven} proven, {by_bound} of {grown} with nodes by a bound, {gangs} with gangs, {open} open, {constraints:?}"
    );
    // The tests below ask for each of these by itself; a short search may miss one.
    let asked = ["cpu", "NodePorts", "volumes of disks.example.com", "devices of class gpu"];
    for one in asked.into_iter().chain(["InterPodAffinity", "PodTopologySpread"]) {
        let is_found = constraints.contains_key(one);
        assert!(is_found || !share::is_long(), "no bound comes from {one}: {constraints:?}");
    }
    assert!(
        proven > 90 && by_bound > 20 && gangs > 5 && open > 0,
        "{proven} {by_bound} {gangs} {open}"
    );
}

fn growth(objects: Vec<Value>, evictions: bool) -> Growth {
    Case::new(objects, evictions).search(1_000)
}

fn web(number: usize, cpu: &str) -> Vec<testing::Pod> {
    let pods = (0..number).map(|n| pod(&format!("web-{n}")).cpu(cpu).label("app", "web"));
    pods.map(|one| one.replica_of("web").priority(5)).collect()
}

fn with(mut objects: Vec<Value>, pods: Vec<testing::Pod>) -> Vec<Value> {
    objects.extend(pods.into_iter().map(Value::from));
    objects
}

#[test]
fn sum_of_requests_is_a_bound_and_names_its_resource() {
    let found = growth(with(objects![node("n").cpu("4")], web(10, "1")), false);
    assert_eq!((found.number(), found.at_least, found.proof), (2, 2, GrowthProof::Bound));
    assert_eq!(found.bounds[0].constraint, "cpu");
}

#[test]
fn pods_that_repel_each_other_need_a_node_each() {
    let apart = web(4, "1").into_iter().map(|one| one.away("kubernetes.io/hostname", "app", "web"));
    let node = node("n").cpu("16").label("kubernetes.io/hostname", "n");
    let found = growth(with(objects![node], apart.collect()), false);
    assert_eq!((found.number(), found.proof), (3, GrowthProof::Bound));
    assert_eq!(found.bounds[0].constraint, "InterPodAffinity");
    let BoundReason::Alike { pods: 3, per_node: 1, .. } = found.bounds[0].why else {
        panic!("{:?}", found.bounds);
    };
}

#[test]
fn pods_of_which_a_node_takes_one_need_a_node_each() {
    // In sum they request no more than two new nodes have.
    let pods = ["2500m", "2600m", "2700m"].into_iter().zip(1..);
    let pods = pods.map(|(cpu, n)| pod(&format!("large-{n}")).cpu(cpu).priority(5));
    let found = growth(with(objects![node("n").cpu("4").cordoned()], pods.collect()), false);
    assert_eq!((found.number(), found.proof), (3, GrowthProof::Bound), "{found:?}");
    let BoundReason::Large { pods: 3, room: 0, per_node: 1, .. } = found.bounds[0].why else {
        panic!("{:?}", found.bounds);
    };
}

#[test]
fn volumes_that_a_node_may_attach_are_a_bound() {
    let mut objects = objects![node("n").cpu("16"), csi_node("n", &[("disks.example.com", 2)])];
    for (n, one) in web(5, "1").into_iter().enumerate() {
        let name = format!("disk-{n}");
        objects.push(one.claim(&name).into());
        objects.push(claim(&name, "disks").bound(&name).into());
        objects.push(volume(&name, "disks").csi("disks.example.com", &name).into());
    }
    let found = growth(objects, false);
    assert_eq!((found.number(), found.proof), (2, GrowthProof::Bound), "{found:?}");
    assert_eq!(found.bounds[0].constraint, "volumes of disks.example.com");
}

/// Devices of claims are a bound: each new node has its own, and a running pod holds one.
#[test]
fn devices_that_claims_request_are_a_bound() {
    for (count, expected) in [(1, 2), (2, 5)] {
        let mut objects = objects![node("n").cpu("64"), gpu_class(), slice("n", 2)];
        objects.push(allocated("held", "n"));
        objects.push(uses(pod("held").priority(5).on("n"), "held").into());
        for (n, one) in web(5, "1").into_iter().enumerate() {
            let name = format!("web-{n}");
            objects.push(device_claim(&name, count));
            objects.push(uses(one, &name).into());
        }
        let found = growth(objects, false);
        assert_eq!((found.number(), found.proof), (expected, GrowthProof::Bound), "{found:?}");
        assert_eq!(found.bounds[0].constraint, "devices of class gpu");
    }
}

/// Where a selector fails on a device, a claim may still get one that comes before it: the devices of
/// the class are no bound.
#[test]
fn devices_with_a_failing_selector_are_no_bound() {
    let only =
        json!([{"cel": {"expression": "device.attributes['gpu.example.com'].model == 'a'"}}]);
    let class = device_class("gpu", "").with("/spec", json!({"selectors": only}));
    let mut devices = slice("n", 2);
    devices["spec"]["devices"][0]["attributes"] = json!({"model": {"string": "a"}});
    let mut objects = objects![node("n").cpu("64"), class, devices];
    for (n, one) in web(2, "1").into_iter().enumerate() {
        let name = format!("web-{n}");
        objects.push(device_claim(&name, 1));
        objects.push(uses(one, &name).into());
    }
    let found = growth(objects, false);
    assert!(found.bounds.is_empty(), "{found:?}");
    assert_eq!(found.left.len(), 1, "the first pod gets its device: {found:?}");
}

/// The device of a claim that no running pod uses is free once the claim is given up.
#[test]
fn devices_of_an_unused_claim_count_as_free() {
    let mut unused = allocated("p0", "n");
    unused["status"]["reservedFor"] = json!([]);
    let other = json!({"nodeSelectorTerms": [{"matchFields": [
        {"key": "metadata.name", "operator": "In", "values": ["elsewhere"]},
    ]}]});
    unused["status"]["allocation"]["nodeSelector"] = other;
    let objects = objects![
        node("n").cpu("64"),
        gpu_class(),
        slice("n", 2),
        unused,
        device_claim("p1", 1),
        uses(pod("p0").priority(1), "p0"),
        uses(pod("p1"), "p1"),
    ];
    let found = growth(objects, false);
    assert_eq!((found.number(), found.left.len()), (0, 0), "{found:?}");
    assert!(found.bounds.is_empty(), "{found:?}");
}

#[test]
fn pods_that_spread_need_nodes_in_each_zone() {
    let spread = web(4, "2").into_iter().map(|one| one.spread("zone", 1, "app", "web"));
    let nodes = objects![node("a").cpu("8").zone("a"), node("b").cpu("1").zone("b")];
    // The pods of zone b do not fit on its kind.
    let found = growth(with(nodes, spread.clone().collect()), false);
    assert_eq!((found.number(), found.left.len()), (0, 3));
    let nodes = objects![node("a").cpu("8").zone("a"), node("b").cpu("2").zone("b").cordoned()];
    let found = growth(with(nodes, spread.collect()), false);
    assert_eq!((found.number(), found.proof), (2, GrowthProof::Bound));
    assert_eq!(found.bounds[0].constraint, "PodTopologySpread");
    assert_eq!((found.nodes[0].node.like.as_str(), found.nodes[0].left_without.len()), ("b", 1));
}

#[test]
fn evictions_save_a_node_only_if_the_victims_find_one() {
    let low = || pod("low").cpu("2").replica_of("low").on("big");
    let nodes = || objects![node("big").cpu("4"), node("small").cpu("2").label("kind", "small")];
    let asks = || web(1, "4");
    let found = growth(with(with(nodes(), vec![low()]), asks()), false);
    assert_eq!((found.number(), found.evicted), (1, 0));
    let found = growth(with(with(nodes(), vec![low()]), asks()), true);
    assert_eq!((found.number(), found.evicted), (0, 1));
    // Without a controller the victim is lost.
    let bare = pod("low").cpu("2").on("big");
    let found = growth(with(with(nodes(), vec![bare]), asks()), true);
    assert_eq!((found.number(), found.evicted), (1, 0));
}

/// The members of a gang fit together or not at all: a node for each of them is tried, and a pod
/// with the name of the group is told from it.
#[test]
fn gang_that_needs_several_nodes_at_once_is_helped() {
    for (min_count, pods, expected) in [(2, 2, 1), (3, 4, 3), (5, 5, 4)] {
        let gang = json!({"gang": {"minCount": min_count}});
        let group = pod_group("g").with("/spec/priority", 5);
        let group = group.with("/spec/schedulingPolicy", gang);
        let members = web(pods, "3").into_iter();
        let members = members.map(|one| one.with("/spec/schedulingGroup/podGroupName", "g"));
        let mut objects = with(objects![node("n").cpu("4"), group], members.collect());
        objects.push(pod("g").cpu("9").into());
        let found = growth(objects, false);
        let left: Vec<_> = found.left.keys().map(Unplaced::to_string).collect();
        assert_eq!((found.number(), left), (expected, vec!["default/g".to_owned()]), "{pods}");
        assert_ne!(found.proof, GrowthProof::BestFound);
    }
}

/// What is not known of fewer nodes does not rule them out.
#[test]
fn unknown_answers_of_smaller_combinations_prove_nothing() {
    let kinds = kinds(&cluster(objects![node("n").cpu("4")]));
    for (is_unknown, proof, at_least) in
        [(false, GrowthProof::Tried, 3), (true, GrowthProof::BestFound, 2)]
    {
        let play = |counts: &[usize], _| {
            let mut trial = Trial::default();
            let pod = |n: usize| Unplaced::Pod(format!("default/p{n}"));
            trial.left = (counts[0]..3).map(|n| (pod(n), Vec::new())).collect();
            trial.unknown = (is_unknown && counts[0] == 2).then(|| pod(2)).into_iter().collect();
            Ok::<_, Infallible>(trial)
        };
        let found = search(&kinds, 100, &play, &|_| 1, |_| Ok(Vec::new()));
        let found = found.unwrap_or_else(|never| match never {});
        assert_eq!((found.number(), found.proof, found.at_least), (3, proof, at_least));
    }
}

#[test]
fn more_than_64_nodes_are_found() {
    let found = growth(with(objects![node("n").cpu("1")], web(100, "1")), false);
    assert_eq!((found.number(), found.proof), (99, GrowthProof::Bound));
}

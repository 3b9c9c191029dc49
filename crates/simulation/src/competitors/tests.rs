use std::collections::BTreeSet;

use jiff::Timestamp;
use serde_json::Value;

use super::{FreedRoom, PendingKinds};
use model::cluster::{Cluster, NodeIx, PodIx};
use profile::Profile;
use scheduler::decision::competitors::{Competitors, RoomHeld};
use scheduler::decision::{Decision, OutcomeKind, decide};
use scheduler::framework::cluster_view::ClusterView;
use testing::{NOW, Pod, at, cluster, find, node, objects, pod};

fn now() -> Timestamp {
    NOW.parse().expect("a time")
}

fn named(found: &Competitors) -> Vec<String> {
    let one = |one: &super::Competitor| {
        format!("{} {} {}", one.name, one.certainty.name(), one.reason.name())
    };
    found.named.iter().map(one).collect()
}

/// The competitors for the room that two victims leave on `n1`, where `vip` needs it.
fn competitors(others: Vec<Value>, held: RoomHeld) -> Vec<String> {
    let mut objects = objects![
        node("n1").cpu("4"),
        pod("v1").cpu("2").on("n1"),
        pod("v2").cpu("2").on("n1"),
        pod("vip").cpu("3").priority(10).replica_of("vip"),
    ];
    objects.extend(others);
    let cluster = cluster(objects);
    let profile = at("1.37").profile();
    let views = [ClusterView::new(&cluster, &profile)];
    let pending = PendingKinds::new(&views, now(), |_| false).expect("a view");
    let node = cluster.find_node("n1").expect("a node");
    let victims = ["v1", "v2"].map(|name| find(&cluster, name));
    named(&pending.for_room(FreedRoom {
        pod: Some(find(&cluster, "vip")),
        priority: 10,
        nodes: &[node],
        victims: &victims,
        held,
    }))
}

#[test]
fn competitors_are_pending_pods_that_may_come_first_and_fit_into_the_room() {
    use RoomHeld::{ByNomination, ByNothing, ByPreemption};
    let king = || pod("king").cpu("4").priority(50).never_preempts();
    let equal = || pod("equal").cpu("4").priority(10);
    let low = || pod("low").cpu("4").priority(1);
    let replica = || pod("vip-2").cpu("3").priority(10).replica_of("vip");
    let rows: Vec<(&str, Vec<Value>, RoomHeld, &[&str])> = vec![
        ("nobody", objects![], ByNothing, &[]),
        ("a higher priority", objects![king()], ByNomination, &["king ComesFirst HigherPriority"]),
        (
            "one that preempts may do so elsewhere",
            objects![pod("queen").cpu("4").priority(50)],
            ByNomination,
            &["queen MayTake HigherPriority"],
        ),
        (
            "one that fits elsewhere",
            objects![king(), node("n2").cpu("4")],
            ByNomination,
            &["king MayTake HigherPriority"],
        ),
        (
            "one that preempts more on the node than it finds free",
            objects![
                node("n2").cpu("1"),
                pod("queen").cpu("5").priority(50),
                pod("small").cpu("1").on("n2")
            ],
            ByNomination,
            &[],
        ),
        ("one that does not fit", objects![king().cpu("5")], ByNomination, &[]),
        ("one that leaves enough", objects![king().cpu("1")], ByNomination, &[]),
        (
            "several that leave too little together",
            objects![king().cpu("1"), pod("king-2").cpu("1").priority(50).never_preempts()],
            ByNomination,
            &["king ComesFirst HigherPriority", "king-2 ComesFirst HigherPriority"],
        ),
        ("one with a gate", objects![king().gated("g")], ByNothing, &[]),
        ("one that is being deleted", objects![king().terminating()], ByNothing, &[]),
        ("one for another node", objects![king().selects_nodes("disk", "ssd")], ByNothing, &[]),
        (
            "one of another scheduler",
            objects![low().scheduler("theirs")],
            ByNomination,
            &["low MayTake OtherScheduler"],
        ),
        ("an equal priority, nominated", objects![equal()], ByNomination, &[]),
        (
            "an equal priority that preempts, too",
            objects![equal()],
            ByPreemption,
            &["equal MayTake EqualPriority"],
        ),
        (
            "an equal priority that must wait for the victims",
            objects![equal().never_preempts()],
            ByPreemption,
            &[],
        ),
        (
            "an equal priority, nothing held",
            objects![equal().never_preempts()],
            ByNothing,
            &["equal MayTake EqualPriority"],
        ),
        ("a replica", objects![replica()], ByPreemption, &["vip-2 MayTake Replica"]),
        ("a lower priority", objects![low()], ByPreemption, &[]),
        (
            "a lower priority, nothing held",
            objects![low()],
            ByNothing,
            &["low MayTake NothingReserved"],
        ),
    ];
    for (what, others, held, expected) in rows {
        assert_eq!(competitors(others, held), expected, "{what}");
    }
}

#[test]
fn many_competitors_are_counted_and_some_of_them_named() {
    let mut objects = objects![node("n").cpu("2"), pod("v").cpu("2").on("n")];
    objects.push(pod("p").cpu("2").priority(1).into());
    objects.extend(
        (0..30).map(|i| pod(&format!("king-{i}")).cpu("2").priority(5).never_preempts().into()),
    );
    let cluster = cluster(objects);
    let profile = at("1.37").profile();
    let views = [ClusterView::new(&cluster, &profile)];
    let pending = PendingKinds::new(&views, now(), |_| false).expect("a view");
    let decision = decide(&views[0], find(&cluster, "p"), now());
    let found = pending.of_decision(&decision);
    assert_eq!((found.named.len(), found.total), (10, 30));
}

/// A generator of numbers: the same ones for a seed.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % end
    }
}

/// A small cluster with 2 to 6 pending pods.
fn random_cluster(numbers: &mut Numbers) -> Cluster {
    let mut objects = Vec::new();
    let nodes = 1 + numbers.below(3);
    for i in 0..nodes {
        objects.push(node(&format!("n{i}")).cpu("4").into());
        for k in 0..=numbers.below(4) {
            let running = pod(&format!("run-{i}-{k}")).cpu(["1", "1", "2"][numbers.below(3)]);
            let priority = i32::try_from(numbers.below(4)).expect("small");
            objects.push(running.priority(priority).on(&format!("n{i}")).into());
        }
    }
    for i in 0..2 + numbers.below(5) {
        let mut waiting: Pod = pod(&format!("p{i}"))
            .cpu(["1", "2", "3", "4"][numbers.below(4)])
            .priority([2, 5, 5, 9][numbers.below(4)]);
        if numbers.below(3) == 0 {
            waiting = waiting.never_preempts();
        }
        match numbers.below(8) {
            0 => waiting = waiting.gated("g"),
            1 => waiting = waiting.nominated(&format!("n{}", numbers.below(nodes))),
            _ => {}
        }
        objects.push(waiting.into());
    }
    cluster(objects)
}

/// Every order of `items`.
fn orders(items: &[PodIx]) -> Vec<Vec<PodIx>> {
    let Some((first, rest)) = items.split_first() else { return vec![Vec::new()] };
    let mut all = Vec::new();
    for order in orders(rest) {
        for at in 0..=order.len() {
            let mut order = order.clone();
            order.insert(at, *first);
            all.push(order);
        }
    }
    all
}

/// Tries the pods in this order, and returns those that get `room`, if the preemptor does not fit
/// there afterwards.
fn who_takes(
    after: &Cluster,
    profile: &Profile,
    order: &[PodIx],
    preemptor: PodIx,
    room: NodeIx,
) -> Vec<PodIx> {
    let mut view = ClusterView::new(after, profile);
    let mut takers = Vec::new();
    for pod in order {
        let decision = decide(&view, *pod, now());
        let Some(node) = decision.selected().first().copied() else { continue };
        let victims: Vec<PodIx> = decision
            .candidate(node)
            .into_iter()
            .flat_map(|candidate| candidate.victims.iter().map(|victim| victim.pod))
            .collect();
        drop(decision);
        victims.into_iter().for_each(|victim| view.forget(victim, node));
        view.nominate(*pod, None);
        view.assume(*pod, node);
        if node == room {
            takers.push(*pod);
        }
    }
    let decision = decide(&view, preemptor, now());
    if decision.feasible().any(|node| node == room) { Vec::new() } else { takers }
}

/// The cluster after the victims of a decision are gone.
fn without_victims(decision: &Decision, node: NodeIx) -> Cluster {
    let mut after = decision.view.cluster.clone();
    let candidate = decision.candidate(node).expect("a candidate");
    candidate.victims.iter().for_each(|victim| after.remove_pod(victim.pod));
    after
}

#[test]
fn nobody_takes_the_room_in_any_order_who_is_not_a_competitor() {
    let profile = at("1.37").profile();
    let (mut plans, mut lost) = (0, 0);
    for seed in 0..testing::share::of(6, 500) {
        let cluster = random_cluster(&mut Numbers(seed));
        let views = [ClusterView::new(&cluster, &profile)];
        let pending = PendingKinds::new(&views, now(), |_| false).expect("a view");
        let waiting: Vec<PodIx> =
            cluster.pod_indices().filter(|pod| cluster.pod(*pod).is_waiting()).collect();
        for preemptor in waiting.iter().copied() {
            let decision = decide(&views[0], preemptor, now());
            let [node, ..] = *decision.selected() else { continue };
            if decision.kind() != OutcomeKind::Preempt {
                continue;
            }
            plans += 1;
            let victims: Vec<PodIx> = decision
                .candidate(node)
                .expect("a candidate")
                .victims
                .iter()
                .map(|v| v.pod)
                .collect();
            let others: Vec<PodIx> =
                waiting.iter().copied().filter(|pod| *pod != preemptor).collect();
            for held in [RoomHeld::ByNomination, RoomHeld::ByNothing] {
                // Its own nomination holds the room.
                let own = cluster.pod(preemptor).nominated_node;
                if held == RoomHeld::ByNothing && own == cluster.node(node).name {
                    continue;
                }
                let found = pending.for_room(FreedRoom {
                    pod: Some(preemptor),
                    priority: cluster.pod(preemptor).priority,
                    nodes: &[node],
                    victims: &victims,
                    held,
                });
                let names: BTreeSet<&str> =
                    found.named.iter().map(|one| one.name.as_str()).collect();
                let mut after = without_victims(&decision, node);
                let name = cluster.node_name(node);
                after.nominate(preemptor, (held == RoomHeld::ByNomination).then_some(node));
                for order in orders(&others) {
                    let takers = who_takes(&after, &profile, &order, preemptor, node);
                    let takers: Vec<&str> =
                        takers.iter().map(|pod| &*cluster.pod(*pod).name).collect();
                    let is_foretold =
                        takers.is_empty() || takers.iter().any(|name| names.contains(name));
                    lost += usize::from(!takers.is_empty());
                    assert!(
                        is_foretold,
                        "seed {seed}, {held:?}: {takers:?} took {name} from {}, named: {names:?}",
                        cluster.pod(preemptor).name
                    );
                }
            }
        }
    }
    assert!(plans > 6 && lost > 50, "{plans} plans, {lost} orders in which the room is taken");
}

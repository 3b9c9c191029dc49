//! Laws of hypothetical changes of a cluster, and of simulations in it.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::Value;

use super::{Quirks, Small, SomePod, law, node_name, small, some_pod, whole};
use engine::cluster::build::Builder;
use engine::cluster::{Cluster, PodIx};
use engine::decision::competitors::Competitors;
use engine::edits::Edit;
use engine::simulation::planning::Proposal;
use engine::simulation::sequence::Step;
use testing::{Scene, Simulated, at, cluster, scene};

fn nobody() -> BTreeSet<String> {
    BTreeSet::new()
}

/// Names are unique without their namespace.
fn find(cluster: &Cluster, name: &str) -> PodIx {
    let found = ["default", "other"].iter().find_map(|namespace| cluster.find_pod(namespace, name));
    found.unwrap_or_else(|| panic!("there is no pod {name}"))
}

/// All that is decided but what the input itself is said to be.
fn decided(version: &str, cluster: &Cluster) -> Value {
    let mut json = whole(at(version), cluster);
    json["source"].take();
    json
}

impl Small {
    fn scene(&self, objects: Vec<Value>) -> Scene<'static> {
        scene(objects).at(at(self.version))
    }

    fn simulate(&self, pods: &[&str]) -> Simulated {
        self.scene(self.objects(&nobody())).run(pods)
    }

    fn plan(&self) -> Option<(String, Vec<String>)> {
        let simulated = self.simulate(&["p"]);
        let plan = simulated.0.steps.first()?.proposal.plan()?;
        Some((
            plan.nodes()[0].to_owned(),
            plan.victims.iter().map(|v| v.pod.name.clone()).collect(),
        ))
    }
}

#[test]
fn after_the_plan_the_pod_fits() {
    law(200, 60, small(Quirks::None, 1..=5), |small| {
        let Some((node, victims)) = small.plan() else { return Ok(0) };
        let mut cluster = cluster(small.objects(&nobody()));
        for victim in &victims {
            cluster.remove_pod(find(&cluster, victim));
        }
        let after = at(small.version).decide_in(&cluster, "p");
        prop_assert_eq!(after.node(&node), "fits", "{:?}", victims);
        Ok(1)
    });
}

/// As for dry runs: with affinity partners of the pod one that stays may even help.
#[test]
fn after_all_but_one_of_the_victims_it_does_not() {
    law(200, 60, small(Quirks::None, 1..=5), |mut small| {
        small.incoming.near = None;
        let Some((node, victims)) = small.plan() else { return Ok(0) };
        for kept in &victims {
            let mut cluster = cluster(small.objects(&nobody()));
            for victim in victims.iter().filter(|victim| *victim != kept) {
                cluster.remove_pod(find(&cluster, victim));
            }
            let after = at(small.version).decide_in(&cluster, "p");
            prop_assert_ne!(after.node(&node), "fits", "{} might have stayed", kept);
        }
        Ok(victims.len())
    });
}

#[test]
fn a_pod_that_is_taken_away_was_never_there() {
    let inputs = (small(Quirks::All, 1..=5), any::<prop::sample::Index>());
    law(150, 40, inputs, |(small, which)| {
        if small.running.is_empty() {
            return Ok(0);
        }
        let name = format!("v{:02}", which.index(small.running.len()));
        let mut changed = cluster(small.objects(&nobody()));
        changed.remove_pod(find(&changed, &name));
        let never = decided(small.version, &cluster(small.objects(&BTreeSet::from([name]))));
        prop_assert_eq!(&decided(small.version, &changed), &never);
        Ok(usize::from(never["outcome"] == "Preempt"))
    });
}

#[test]
fn a_pod_that_is_placed_was_always_there() {
    let inputs = (small(Quirks::All, 1..=5), some_pod());
    law(150, 40, inputs, |(small, placed): (Small, SomePod)| {
        let node = node_name(placed.node.index(small.nodes.len()));
        let built = SomePod { terminating: false, ..placed }.build("q");
        let with = |pod: Value| [small.objects(&nobody()), vec![pod]].concat();
        let always = cluster(with(built.clone().with("/spec/nodeName", &*node).into()));
        let always = decided(small.version, &always);
        let mut changed = cluster(with(built.into()));
        let ix = changed.find_node(&node).expect("a node");
        changed.bind(find(&changed, "q"), ix);
        prop_assert_eq!(&decided(small.version, &changed), &always);
        Ok(usize::from(always["outcome"] == "Preempt"))
    });
}

#[test]
fn a_cluster_that_is_reopened_is_the_same() {
    let inputs = (small(Quirks::All, 1..=5), any::<prop::sample::Index>());
    law(150, 40, inputs, |(small, cut)| {
        let objects = small.objects(&nobody());
        let unopened = cluster(objects.clone());
        let mut before = whole(at(small.version), &unopened);
        let again = Builder::reopen(unopened).finish();
        prop_assert_eq!(&before, &whole(at(small.version), &again));
        let (first, rest) = objects.split_at(cut.index(objects.len()));
        let mut builder = Builder::reopen(cluster(first.to_vec()));
        for object in rest {
            engine::decode::decode(&object.to_string(), "test", &mut builder).expect("an object");
        }
        let pieced = builder.finish();
        // Pods that came before their nodes were said to be nowhere.
        let mut pieced = whole(at(small.version), &pieced);
        pieced["notes"].take();
        before["notes"].take();
        prop_assert_eq!(&before, &pieced);
        Ok(usize::from(before["outcome"] == "Preempt"))
    });
}

#[test]
fn changes_that_change_nothing_change_nothing() {
    law(150, 40, small(Quirks::All, 1..=5), |small| {
        let plain = small.simulate(&["p"]);
        let mut same = vec![
            Edit::Priority { priority: small.incoming.priority },
            Edit::Request { resource: "cpu".to_owned(), amount: small.incoming.cpu.to_string() },
            Edit::Request { resource: "example.com/none".to_owned(), amount: "0".to_owned() },
        ];
        for (i, (_, allowed)) in small.budgets.iter().enumerate() {
            same.push(Edit::Budget {
                namespace: "default".to_owned(),
                name: format!("b{i}"),
                allowed: *allowed,
            });
        }
        let cordoned = small.nodes.iter().enumerate().filter(|(_, node)| node.cordoned);
        same.extend(cordoned.map(|(i, _)| Edit::Cordon { node: node_name(i) }));
        for edit in same {
            let edited = small.scene(small.objects(&nobody())).edit(edit.clone()).run(&["p"]);
            prop_assert_eq!(format!("{plain:?}"), format!("{edited:?}"), "{:?}", edit);
        }
        Ok(usize::from(plain.0.steps[0].proposal.plan().is_some()))
    });
}

/// Several pods of one priority or another, each older than the next.
fn several() -> impl Strategy<Value = (Small, Vec<SomePod>, Vec<usize>)> {
    let more = prop::collection::vec(some_pod(), 1..=3);
    (small(Quirks::All, 1..=4), more).prop_flat_map(|(small, more)| {
        let order: Vec<usize> = (0..=more.len()).collect();
        (Just(small), Just(more), Just(order).prop_shuffle())
    })
}

fn waiting(small: &Small, more: &[SomePod]) -> Vec<Value> {
    let mut objects = small.objects(&nobody());
    for (i, pod) in more.iter().enumerate() {
        let pod = SomePod {
            namespace: false,
            terminating: false,
            priority: pod.priority + 2,
            ..pod.clone()
        };
        let created = format!("2025-11-0{}T00:00:00Z", i + 1);
        objects.push(pod.build(&format!("q{i}")).created(&created).into());
    }
    objects
}

#[test]
fn the_order_in_which_pods_are_asked_about_changes_nothing() {
    law(120, 30, several(), |(small, more, order)| {
        let objects = waiting(&small, &more);
        let names: Vec<String> = std::iter::once("p".to_owned())
            .chain((0..more.len()).map(|i| format!("q{i}")))
            .collect();
        let run = |order: &[usize]| {
            let pods: Vec<&str> = order.iter().map(|i| names[*i].as_str()).collect();
            small.scene(objects.clone()).run(&pods)
        };
        let straight = run(&(0..names.len()).collect::<Vec<_>>());
        prop_assert_eq!(format!("{:?}", straight), format!("{:?}", run(&order)));
        let mut turned = objects.clone();
        turned.reverse();
        let pods: Vec<&str> = names.iter().map(String::as_str).collect();
        prop_assert_eq!(
            format!("{:?}", straight.0.steps),
            format!("{:?}", small.scene(turned).run(&pods).0.steps)
        );
        Ok(usize::from(straight.0.steps.iter().any(|step| step.proposal.plan().is_some())))
    });
}

/// The proposal of a step, without the pods that may take its room.
fn without_competitors(step: &Step) -> Proposal {
    let mut proposal = step.proposal.clone();
    if let Proposal::Evict(plan) | Proposal::Awaits(plan) = &mut proposal {
        plan.competitors = Competitors::default();
    }
    proposal
}

#[test]
fn the_first_of_several_is_decided_as_if_it_were_alone() {
    law(120, 30, several(), |(small, more, _)| {
        let names: Vec<String> = std::iter::once("p".to_owned())
            .chain((0..more.len()).map(|i| format!("q{i}")))
            .collect();
        let pods: Vec<&str> = names.iter().map(String::as_str).collect();
        let objects = waiting(&small, &more);
        let all = small.scene(objects.clone()).run(&pods);
        let alone = small.scene(objects).run(&[all.0.steps[0].id.name()]);
        // The others come later in the one run and compete in the other.
        let [together, apart] = [&all, &alone].map(|run| without_competitors(&run.0.steps[0]));
        prop_assert_eq!(together, apart);
        for step in &all.0.steps {
            if let Proposal::Evict(plan) = &step.proposal {
                let victims = plan.victims.iter().map(|victim| victim.pod.name.as_str());
                prop_assert!(
                    victims.clone().collect::<BTreeSet<_>>().len() == plan.victims.len(),
                    "each once"
                );
                prop_assert!(plan.victims.iter().all(|victim| victim.priority < step.priority));
                prop_assert!(
                    plan.victims.is_sorted_by_key(|victim| victim.priority),
                    "the least important first"
                );
            }
        }
        Ok(usize::from(all.0.steps.iter().any(|step| step.proposal.plan().is_some())))
    });
}

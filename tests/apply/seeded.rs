//! Many runs against a server that fails at random, and whose watches are silent at random: only
//! victims of the plan are removed, whatever watch is silent for however long no pod is removed
//! that a decision on the true state would not remove, and the journal has everything that was
//! done.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use fastrand::Rng;
use kubectl_preempt::apply::journal::{
    ConditionState, Landing, NominationState, PreemptorRecord, VictimState,
};
use kubectl_preempt::apply::{ApplyOptions, DryRunMode, Mode, Signal, WaitTimes};
use kubectl_preempt::capture::live::PAGE;
use testing::share;

use super::faults::{self, Badness};
use super::model::{Budget, Model};
use super::rig::{LIMIT, Ran, Rig, fast};
use super::server::{Arrived, FakeCluster, Silence};

/// How many runs with every change, unless `KUBECTL_PREEMPT_APPLY_RUNS` says otherwise. They are
/// the first of the long run's.
const RUNS: u64 = 32;
/// How many in the long run.
const LONG: u64 = 1000;
/// The first seed, unless `KUBECTL_PREEMPT_APPLY_SEED` says otherwise.
const SEED: u64 = 1;
const THREADS: u64 = 3;

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).map_or(default, |text| text.parse().expect("a number"))
}

/// A cluster in which the pod `web`, or a group that it belongs to, may need victims.
fn cluster(rng: &mut Rng) -> Model {
    let mut model = Model { grace: rng.u32(0..5), schedules: true, ..Model::default() };
    for n in 0..rng.usize(1..4) {
        let node = format!("n{n}");
        let mut free = 4000;
        model.add_node(&node, free);
        let mut p = 0;
        while free >= 500 {
            let cpu = rng.i64(1..=(free / 500).min(4)) * 500;
            let app = ["a", "b", "c"][rng.usize(0..3)];
            let uid = model.add_pod(&format!("p{n}-{p}"), rng.i32(0..5), cpu, Some(&node), app);
            if rng.u32(0..30) == 0 {
                model.delete(&uid, false);
            }
            free -= cpu;
            p += 1;
        }
    }
    for app in ["a", "b"] {
        if rng.u32(0..3) == 0 {
            let allowed = rng.i64(0..4);
            let name = format!("guard-{app}");
            model.set_budget(Budget {
                name,
                app: app.to_owned(),
                allowed,
                desired: 2,
                expected: 4,
                version: 0,
            });
        }
    }
    let web = model.add_pod("web", 100, rng.i64(1..=6) * 500, None, "web");
    if rng.u32(0..3) == 0 {
        let others =
            (1..rng.usize(2..4)).map(|n| model.add_pod(&format!("web-{n}"), 100, 500, None, "web"));
        let members: Vec<String> = others.chain([web]).collect();
        model.add_group("web", &members);
    }
    model
}

/// How lists can be watched: some watches are silent for a while or for ever.
fn watches(rng: &mut Rng, watched: bool, rig: &mut Rig) {
    // Where a page is short, all kinds have many objects.
    rig.scope.chunk = if rng.bool() { PAGE } else { 4 };
    rig.scope.patience = Duration::from_millis(5);
    let lists = [
        "/api/v1/nodes",
        "/api/v1/pods",
        "/apis/policy/v1/poddisruptionbudgets",
        "/apis/scheduling.k8s.io/v1/podgroups",
    ];
    rig.view(|view| {
        view.lists_watched = watched;
        view.bookmarks = rng.bool();
        for path in lists {
            let pause = Duration::from_millis(rng.u64(0..500));
            let until = rng.bool().then(|| Instant::now() + pause);
            let silence = Silence { until, bookmarks: rng.bool() };
            if rng.bool() {
                view.silent.insert(path, silence);
            }
        }
    });
}

fn chosen(rng: &mut Rng) -> ApplyOptions {
    ApplyOptions {
        mode: if rng.u32(0..10) < 6 { Mode::Evict } else { Mode::Delete },
        dry_run: match rng.u32(0..20) {
            0 => DryRunMode::Client,
            1 => DryRunMode::Server,
            _ => DryRunMode::None,
        },
        nominate: rng.u32(0..3) == 0,
        force: rng.bool(),
        yes_despite_competitors: false,
        delete_emptydir_data: false,
        begun: None,
        timeout: Some(LIMIT),
        wait: rng.u32(0..6) > 0,
        grace_period: (rng.u32(0..8) == 0).then_some(5),
        yes: rng.bool(),
        record: rng.u32(0..4) == 0,
        request_timeout: Some(Duration::from_secs(3)),
        wait_times: WaitTimes { decide: Duration::from_millis(20), ..fast() },
        reservation: Default::default(),
    }
}

/// One run: its outcome, the number of removals, and what is wrong with it.
fn one(seed: u64) -> (String, usize, Vec<String>) {
    let mut rng = Rng::with_seed(seed);
    let badness = match rng.u32(0..4) {
        0 => Badness { reads: 0, writes: 0, changes: 0 },
        1 => Badness { reads: 20, writes: 150, changes: 0 },
        2 => Badness { reads: 10, writes: 100, changes: 250 },
        _ => Badness { reads: 40, writes: 300, changes: 350 },
    };
    let (mut rig, options) = loop {
        let model = cluster(&mut rng);
        let preemptor = model.now.preemptor().unwrap();
        let victims = match super::planner::plan(&model.now, &preemptor) {
            kubectl_preempt::apply::PreemptorStatus::NeedsEviction(plan) => {
                plan.victims.into_iter().map(|v| v.pod.uid).collect()
            }
            _ => continue,
        };
        let hook = faults::hook(rng.fork(), badness, victims);
        let options = chosen(&mut rng);
        let (signals, at) = (Arc::new(Mutex::new(None)), rng.usize(0..100));
        let shared: Arc<Mutex<Option<tokio::sync::watch::Sender<_>>>> = signals.clone();
        let (mut hook, mut count, terminate) = (hook, 0, rng.bool());
        // What waits for something reads the cluster again and again, so that its time ends, too.
        let (time_is_up, out_of_time_at) = (Arc::new(Mutex::new(None)), rng.usize(150..400));
        let clock: Arc<Mutex<Option<tokio::sync::watch::Sender<bool>>>> = time_is_up.clone();
        let rig = Rig::new(model, move |request, model| {
            count += 1;
            if count == at {
                let signal = if terminate { Signal::Terminate } else { Signal::Interrupt };
                shared
                    .lock()
                    .unwrap()
                    .iter()
                    .for_each(|sender| sender.send(Some((signal, 1))).unwrap());
            }
            if count == out_of_time_at
                && let Some(clock) = &*clock.lock().unwrap()
            {
                clock.send_replace(true);
            }
            hook(request, model)
        });
        let Some(mut rig) = rig else { continue };
        *time_is_up.lock().unwrap() = Some(rig.time_is_up.clone());
        watches(&mut rng, seed.is_multiple_of(2), &mut rig);
        if rng.u32(0..8) == 0 {
            *signals.lock().unwrap() = Some(rig.signals.clone());
        }
        break (rig, options);
    };
    if !options.yes {
        rig.user.agrees = true;
        rig.user.answers = Some(if rng.u32(0..10) == 0 { vec!["no"] } else { Vec::new() });
        let mut meanwhile = rng.fork();
        let victims: Vec<String> = rig.plan.victims.iter().map(|v| v.pod.uid.clone()).collect();
        let change = move |view: &mut FakeCluster| {
            if meanwhile.u32(0..1000) < badness.changes {
                faults::change(&mut meanwhile, &mut view.model, &victims);
            }
        };
        rig.user.on_ask = Some((rig.server.view.clone(), Box::new(change)));
    }
    let ran = rig.run(options.clone());
    // Requests whose connections were cut are carried out nevertheless.
    rig.server.settle();
    let mut wrong = check(&rig, &ran, &options);
    if !wrong.is_empty() {
        wrong.push(format!("{:#?}", ran.report.journal));
        wrong.push(format!("{:#?}", rig.writes()));
        wrong.push(ran.lines.join("\n"));
    }
    let removed = rig.writes().iter().filter(|w| is_removal(w) && w.accepted.is_some()).count();
    (format!("{} {}", ran.json["outcome"], ran.code()), removed, wrong)
}

fn is_removal(write: &Arrived) -> bool {
    ["evict", "delete"].contains(&write.label)
}

fn check(rig: &Rig, ran: &Ran, options: &ApplyOptions) -> Vec<String> {
    let mut wrong = Vec::new();
    let writes = rig.writes();
    let victims = ran.report.journal.victims();
    let planned: Vec<&str> = rig.plan.victims.iter().map(|v| v.pod.uid.as_str()).collect();
    if victims.iter().map(|v| v.pod.uid.as_str()).collect::<Vec<_>>() != planned {
        wrong.push("the result is about another plan".to_owned());
    }
    // Only victims of the plan are removed, and only while it holds.
    // The user may have confirmed a newer plan, with the same victims, that violates more budgets.
    let confirmed =
        ran.report.journal.confirmation().map(|confirmation| &confirmation.violated_budgets);
    let is_confirmed = |text: &str| {
        let names = confirmed.into_iter().flatten().filter_map(|budget| budget.split_once('/'));
        names
            .into_iter()
            .any(|(_, name)| text.ends_with(&format!(": {name} was not to be violated")))
    };
    let carried_out = writes.iter().filter(|w| w.accepted.is_some());
    wrong.extend(carried_out.filter_map(|w| w.wrong.clone()).filter(|text| !is_confirmed(text)));
    if options.dry_run != DryRunMode::None && !writes.is_empty() {
        wrong.push("a dry run has written".to_owned());
    }
    for victim in victims {
        wrong.extend(check_victim(victim, &writes, rig));
    }
    wrong.extend(check_nomination(rig, ran, &writes));
    wrong.extend(check_code(rig, ran, &writes, options));
    wrong
}

/// The journal has everything that was done to a victim, and nothing else.
fn check_victim(
    victim: &kubectl_preempt::apply::journal::VictimRecord,
    writes: &[Arrived],
    rig: &Rig,
) -> Vec<String> {
    let mut wrong = Vec::new();
    let name = &victim.pod.name;
    for label in ["evict", "delete", "condition", "clearCondition"] {
        let arrived = writes.iter().filter(|w| w.label == label && w.name == *name).count();
        let told = victim
            .attempts
            .iter()
            .filter(|a| a.request.name() == label && !a.dry_run && a.outcome.name() != "NotSent")
            .count();
        if arrived != told {
            wrong.push(format!("{name}: {arrived} requests {label} arrived, {told} are told"));
        }
    }
    // A victim that stays does not say that it is preempted, or the result says that it does.
    let told = matches!(victim.condition(), ConditionState::Set | ConditionState::MaybeSet);
    let stays = rig.view(|w| {
        w.model.now.pod(&victim.pod.uid).is_some_and(|pod| pod.leaving.is_none() && pod.preempted())
    });
    if stays && !told {
        wrong.push(format!(
            "{name} stays with the condition DisruptionTarget, and the result does not say so"
        ));
    }
    let removal =
        writes.iter().find(|w| is_removal(w) && w.accepted.as_ref() == Some(&victim.pod.uid));
    let done = matches!(
        victim.state,
        VictimState::Accepted | VictimState::Terminating | VictimState::Gone
    );
    match removal {
        Some(write) => {
            let settled = done || victim.state == VictimState::Unknown && !write.told;
            // It may have left by itself between an attempt that failed and one without an answer.
            let claimed =
                matches!(victim.state, VictimState::GoneByItself | VictimState::AlreadyTerminating);
            if !settled || claimed {
                wrong.push(format!("{name} was removed, and is told to be {:?}", victim.state));
            }
        }
        None if victim.accepted_at.is_some() => {
            wrong.push(format!("{name} is told to be accepted, and was not"));
        }
        None if done => {
            // It left after a request without an answer.
            let unknown =
                victim.attempts.iter().any(|a| a.outcome.name() == "Unknown" && !a.dry_run);
            let going = rig
                .view(|w| w.model.now.pod(&victim.pod.uid).is_none_or(|pod| pod.leaving.is_some()));
            if !unknown || !going {
                wrong
                    .push(format!("{name} is told to be {:?}, and nothing was done", victim.state));
            }
        }
        None => {}
    }
    wrong
}

fn check_nomination(rig: &Rig, ran: &Ran, writes: &[Arrived]) -> Option<String> {
    ran.report.journal.preemptors().iter().find_map(|preemptor| {
        let ours = rig.view(|view| {
            let pod = view.model.now.pod(&preemptor.pod.uid);
            pod.and_then(|pod| pod.nominated.clone()).is_some_and(|(_, by)| by == "kubectl-preempt")
        });
        let (name, state) = (&preemptor.pod.name, preemptor.nomination.state);
        let told = matches!(state, NominationState::Set | NominationState::Unknown);
        let late = writes.iter().any(|w| w.label == "nominate" && w.name == *name && !w.told);
        (ours && !told && !late)
            .then(|| format!("the nomination of {name} stands, and is told to be {state:?}"))
    })
}

fn check_code(rig: &Rig, ran: &Ran, writes: &[Arrived], options: &ApplyOptions) -> Option<String> {
    let done = writes
        .iter()
        .filter(|w| w.label != "nominate" && w.label != "event")
        .any(|w| w.accepted.is_some());
    match ran.code() {
        2 if done => Some("something was done, and the code is 2".to_owned()),
        0 if options.dry_run == DryRunMode::None && options.wait => {
            let waits = |preemptor: &PreemptorRecord| {
                let uid = &preemptor.pod.uid;
                let pod = rig.view(|view| view.model.now.pod(uid).cloned());
                let bound = pod.as_ref().is_some_and(|pod| pod.node.is_some());
                // A run that may not read the pod succeeds, and so does one for a group whose other
                // pods are bound.
                let is_leaving = pod.as_ref().is_none_or(|pod| pod.leaving.is_some());
                let one_of_several = rig.plan.preemptor.id.pod().is_none() && is_leaving;
                let unseen = preemptor.landing == Landing::NotAwaited
                    && (ran.said("cannot wait") || one_of_several);
                !unseen && (!bound || !matches!(preemptor.landing, Landing::Bound { .. }))
            };
            let waiting = ran.report.journal.preemptors().iter().find(|preemptor| waits(preemptor));
            waiting
                .map(|preemptor| format!("{} is not bound, and the code is 0", preemptor.pod.name))
        }
        0 | 2 | 4 | 130 | 143 => None,
        other => Some(format!("the code is {other}")),
    }
}

/// The first 100 seeds with every change, a thousand in the long run: every seed draws its cluster,
/// its options and how badly the server behaves, and the checks after each run are the same. So few
/// runs have to remove pods, succeed and be refused; in the long run every exit code occurs.
#[test]
fn applies_of_random_clusters() {
    let (runs, first) = (
        number("KUBECTL_PREEMPT_APPLY_RUNS", share::of(RUNS, LONG)),
        number("KUBECTL_PREEMPT_APPLY_SEED", SEED),
    );
    let next = AtomicU64::new(first);
    let found = Mutex::new((BTreeMap::<String, u64>::new(), 0, Vec::new()));
    thread::scope(|threads| {
        for _ in 0..THREADS {
            threads.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= first + runs {
                        return;
                    }
                    let (outcome, removed, wrong) = one(seed);
                    let mut found = found.lock().unwrap();
                    *found.0.entry(outcome).or_default() += 1;
                    found.1 += removed;
                    if !wrong.is_empty() {
                        found.2.push((seed, wrong));
                    }
                }
            });
        }
    });
    let (outcomes, removed, wrong) = found.into_inner().unwrap();
    println!("{runs} applies from seed {first}: {removed} pods removed; {outcomes:?}");
    for (seed, wrong) in wrong.iter().take(3) {
        println!("seed {seed}:\n{}", wrong.join("\n"));
    }
    let seeds: Vec<u64> = wrong.iter().map(|(seed, _)| *seed).collect();
    assert!(wrong.is_empty(), "{} runs went wrong: seeds {seeds:?}", wrong.len());
    if runs >= RUNS {
        let codes =
            if runs >= LONG { &[" 0", " 2", " 4", " 130", " 143"][..] } else { &[" 0", " 2"] };
        let missing =
            codes.iter().filter(|code| !outcomes.keys().any(|outcome| outcome.ends_with(*code)));
        assert_eq!(missing.collect::<Vec<_>>(), Vec::<&&str>::new(), "{outcomes:?}");
        assert!(removed > runs as usize / 3, "{removed} pods were removed");
    }
}

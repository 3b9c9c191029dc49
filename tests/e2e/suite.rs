//! Which tests run on which control plane: each has one for itself while it runs.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use libtest_mimic::{Arguments, Trial};

use crate::apply::{faults as broken, meanwhile, plain};
use crate::plane::{Features, Plane, Release};
use crate::random::many;
use crate::situations;
use crate::{
    apply, disruptions, drains, faults, fidelity, groups, karpenter, permissions, program, random,
    rollouts,
};

/// Everything runs on this release.
const NEWEST: &str = "1.37.1";
/// What is marked so runs on the oldest release that is supported and builds, too.
const OLDEST: &str = "1.33.13";
/// The scheduler of a release that is not out yet decides beside the other programs of [`NEWEST`].
const NEXT: &str = "1.38.0-beta.0";

/// How many control planes run at a time, if `--test-threads` does not say: a test waits for them
/// most of the time.
const PLANES: usize = 3;

/// The control planes that no test uses at the moment.
type Free = Arc<Mutex<Vec<Plane>>>;

/// What is tried on it.
type Test = Box<dyn Fn(&mut Plane) + Send>;

pub fn run() -> ExitCode {
    if wish() == "off" {
        println!("e2e: skipped: KUBECTL_PREEMPT_E2E=off");
        return ExitCode::SUCCESS;
    }
    let mut arguments = Arguments::from_args();
    arguments.test_threads.get_or_insert(PLANES);
    let free = Free::default();
    let mut trials = Vec::new();
    for version in [NEWEST, OLDEST, NEXT] {
        match release(version) {
            Some(release) => trials.extend(tests(&release, &free)),
            None if is_required() && version == NEWEST => {
                println!(
                    "e2e: there is no control plane of {version}: `tests/e2e/build {version}` makes one"
                );
                return ExitCode::FAILURE;
            }
            None => println!(
                "e2e: {version} skipped: no control plane; `tests/e2e/build {version}` makes one, `just e2e` also runs it"
            ),
        }
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    free.lock().unwrap_or_else(PoisonError::into_inner).clear();
    conclusion.exit_code()
}

/// The programs of a release, if they have been built.
fn release(version: &'static str) -> Option<Release> {
    let scheduler = program::built(version)?;
    let others = if version == NEXT { program::built(NEWEST)? } else { scheduler.clone() };
    Some(Release { version, scheduler, others })
}

/// Whether everything must run, or nothing; otherwise what is built runs.
fn wish() -> String {
    std::env::var("KUBECTL_PREEMPT_E2E").unwrap_or_default()
}

fn is_required() -> bool {
    wish() == "required"
}

/// A control plane of this kind that is free; if there is none, one of another kind ends, so that
/// there are not too many.
fn take(free: &Free, version: &'static str, features: Features) -> Option<Plane> {
    let mut free = free.lock().unwrap_or_else(PoisonError::into_inner);
    let fits = free
        .iter()
        .position(|plane| (plane.release.version, plane.features) == (version, features));
    fits.map(|at| free.swap_remove(at)).or_else(|| {
        free.pop();
        None
    })
}

fn tests(release: &Release, free: &Free) -> Vec<Trial> {
    let version = release.version;
    let trial_with = |features: Features, name: String, test: Test| {
        let (release, free) = (release.clone(), free.clone());
        Trial::test(format!("{version}: {name}"), move || {
            // That of a test that fails is not used again. Nor is one whose API server was away: each watch of the
            // scheduler comes back in its own time, and until then it decides about what was there before.
            let mut plane =
                take(&free, version, features).unwrap_or_else(|| Plane::start(&release, features));
            test(&mut plane);
            if !plane.was_interrupted() {
                free.lock().unwrap_or_else(PoisonError::into_inner).push(plane);
            }
            Ok(())
        })
    };
    let trial = |name: String, test: Test| trial_with(Features::Default, name, test);
    let everything = version == NEWEST;
    let decisions = everything || version == NEXT;
    let mut trials = Vec::new();
    for situation in situations::all().filter(|situation| decisions || situation.smoke) {
        trials.push(trial(
            format!("explain: {}", situation.name),
            Box::new(|plane| fidelity::check(plane, situation)),
        ));
    }
    for (name, test, smoke) in READ.iter().chain(NODE).chain(DOCTOR).chain(APPLY) {
        if everything || (*smoke && version != NEXT) {
            trials.push(trial((*name).to_owned(), Box::new(*test)));
        }
    }
    for random in RANDOM.iter().filter(|random| version != NEXT || random.next) {
        let what = format!("{version}: {}", random.name);
        trials.push(trial(
            random.name.to_owned(),
            Box::new(move |plane| {
                let (outcomes, count) = many(&what, random.usual, |seed| (random.one)(plane, seed));
                (random.sum_up)(&outcomes, count);
            }),
        ));
    }
    for row in apply::faults::AT_THE_FIRST.iter().filter(|_| everything) {
        let test: Test = Box::new(|plane| apply::faults::at_the_first(plane, row));
        trials.push(trial(format!("apply: at the first eviction: {}", row.0), test));
    }
    // PodGroups are served from this release on. What follows has a control plane of its own.
    if decisions {
        for situation in groups::situations().filter(|situation| everything || situation.has_next) {
            let test: Test = Box::new(|plane| groups::fidelity::check(plane, situation));
            trials.push(trial_with(
                Features::Groups,
                format!("groups: explain: {}", situation.name),
                test,
            ));
        }
        for (situation, gates) in groups::single_pods() {
            let test: Test = Box::new(move |plane| {
                groups::stage(plane, gates);
                fidelity::check(plane, situation);
            });
            trials.push(trial_with(
                Features::Groups,
                format!("groups: explain: {}", situation.name),
                test,
            ));
        }
    }
    if everything {
        for (name, test, _) in GROUPS {
            trials.push(trial_with(Features::Groups, format!("groups: {name}"), Box::new(*test)));
        }
        let test: Test = match program::karpenter() {
            Some(program) => Box::new(move |plane| karpenter::check(plane, &program)),
            None if is_required() && std::env::var_os("KUBECTL_PREEMPT_KARPENTER").is_none() => {
                Box::new(|_| panic!("there is no Karpenter: `tests/e2e/karpenter/build` makes it"))
            }
            None => {
                println!("e2e: Karpenter skipped: `tests/e2e/karpenter/build` makes it");
                return trials;
            }
        };
        trials.push(trial_with(Features::Karpenter, karpenter::NAME.to_owned(), test));
    }
    trials
}

/// A test, and whether it is one of those that run on old releases, too.
type Row = (&'static str, fn(&mut Plane), bool);

/// What runs with one seed after the other, on all releases.
struct Random {
    name: &'static str,
    /// Whether it is about what the scheduler decides, and so runs with that of [`NEXT`], too.
    next: bool,
    /// Runs one seed and says what happened.
    one: fn(&Plane, u64) -> Vec<String>,
    /// How many seeds usually.
    usual: u64,
    /// Looks at how often what happened, and at the number of seeds.
    sum_up: fn(&BTreeMap<String, u64>, u64),
}

impl Random {
    const fn new(name: &'static str, one: fn(&Plane, u64) -> Vec<String>, usual: u64) -> Self {
        Self { name, next: false, one, usual, sum_up: |_, _| {} }
    }

    const fn next(mut self) -> Self {
        self.next = true;
        self
    }
}

const RANDOM: &[Random] = &[
    Random::new("random: situations", random::situations::one, 10).next(),
    Random::new("random: applies while the cluster changes", apply::random::one, 10),
    Random::new(
        "random: applies while watches hold back what changes",
        apply::random::one_behind,
        5,
    ),
    Random::new("random: who gets the room", apply::competitors::one, 10),
    Random::new("random: why-evicted", disruptions::others::one, 10),
    Random {
        sum_up: drains::mostly_certain,
        ..Random::new("node: random drains", drains::one, 4).next()
    },
    Random::new("simulate: random losses of a node", drains::lost, 4).next(),
    Random {
        sum_up: rollouts::mostly_certain,
        ..Random::new("simulate: random rollouts", rollouts::one, 6)
    },
];

const READ: &[Row] = &[
    (
        "read: a server that says when to come back is asked again",
        |plane| faults::patience(plane),
        false,
    ),
    ("read: without pods there is no answer", |plane| faults::no_pods(plane), false),
    ("read: the pods of one namespace", |plane| faults::pods_of_one_namespace(plane), false),
    ("read: who may do nothing is told so", |plane| faults::nobody(plane), true),
    ("read: budgets that may not be read", |plane| faults::no_budgets(plane), true),
    (
        "read: the same objects from protobuf and from JSON",
        |plane| faults::both_formats(plane),
        true,
    ),
    ("read: the API server restarts", faults::restart, false),
    ("simulate: the plan, and nothing is sent", |plane| plain::plan_only(plane), true),
    ("simulate: manifests that the API server checks", |plane| rollouts::checked(plane), false),
];

const NODE: &[Row] = &[(
    "node: a pod that waits, decided before the cordon and after it",
    drains::around_the_cordon,
    false,
)];

/// What runs where PodGroups are on, besides the situations. A row that applies a plan begins with
/// `apply: `, as those of [`APPLY`] do.
const GROUPS: &[Row] = &[
    ("read: what shows that groups are on", groups::shown::evidence, false),
    ("read: groups that may not be read", groups::shown::no_groups, false),
    ("read: budgets that may not be read", groups::shown::no_budgets, false),
    (
        "verify: a scheduler that was started after the pods were made",
        groups::shown::started_later,
        false,
    ),
    ("doctor: the roles of the manifest do", |plane| groups::shown::roles(plane), false),
    ("apply: by eviction", groups::apply::evict, false),
    ("apply: by deletion, with nominations", groups::apply::delete, false),
    ("apply: dry runs", groups::apply::dry_run, false),
    ("apply: who may only read", groups::apply::reader, false),
];

const DOCTOR: &[Row] = &[
    ("doctor: the roles of the manifest do", |plane| permissions::roles(plane), true),
    ("doctor: what is missing is enough", |plane| permissions::missing(plane), true),
];

const APPLY: &[Row] = &[
    ("apply: by eviction", |plane| plain::evict(plane), true),
    ("apply: by deletion", |plane| plain::delete(plane), true),
    ("apply: with a nomination", |plane| plain::nominate(plane), true),
    ("apply: victims that take too long", |plane| plain::slow_victims(plane), false),
    ("apply: without waiting", |plane| plain::no_waiting(plane), false),
    ("apply: the scheduler was first", |plane| plain::scheduler_was_first(plane), true),
    ("apply: dry runs", |plane| plain::dry_runs(plane), true),
    ("apply: cannot ask for confirmation", |plane| plain::unasked(plane), false),
    ("apply: who may only read", |plane| plain::reader(plane), true),
    ("apply: pods that nobody makes again", |plane| plain::bare(plane), false),
    ("apply: a budget that spares nobody", |plane| plain::budget_forbids(plane), true),
    ("apply: a budget that spares one", |plane| plain::budget_spares_one(plane), true),
    ("apply: a budget that is taken away", |plane| plain::budget_released(plane), true),
    ("apply: an event on each victim", |plane| plain::record(plane), true),
    ("apply: two budgets of one pod", |plane| plain::two_budgets(plane), false),
    ("apply: a deletion whose answer is lost", |plane| broken::delete_cut_off(plane), true),
    ("apply: forbidden half-way", |plane| broken::half_way(plane), false),
    ("apply: evictions that nobody answers", |plane| broken::never_answered(plane), false),
    ("apply: no watching", |plane| broken::no_watch(plane), true),
    ("apply: reads that fail", |plane| broken::reads(plane), false),
    ("apply: the API server restarts before an eviction", meanwhile::restart_before, true),
    ("apply: the API server restarts after an eviction", meanwhile::restart_after, false),
    ("apply: the API server hangs after an eviction", meanwhile::hangs, true),
    ("apply: an interrupt", |plane| meanwhile::interrupt(plane), false),
    (
        "apply: a victim is replaced by another of its name",
        |plane| meanwhile::replaced(plane),
        true,
    ),
    ("apply: a victim goes by itself", |plane| meanwhile::gone_by_itself(plane), false),
    ("apply: a new budget", |plane| meanwhile::new_budget(plane), false),
    ("apply: the pod that waits is deleted", |plane| meanwhile::preemptor_gone(plane), false),
    ("apply: room elsewhere", |plane| meanwhile::room_elsewhere(plane), false),
    ("apply: the pod gets another node", |plane| meanwhile::bound_elsewhere(plane), false),
];

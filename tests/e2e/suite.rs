//! Which tests run on which control plane, one after the other.

use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use libtest_mimic::{Arguments, Trial};

use crate::plane::Plane;
use crate::situations;
use crate::{faults, fidelity, permissions, program};

/// Everything runs on this release.
const NEWEST: &str = "1.37.1";
/// What is marked so runs on the oldest release that is supported and builds, too.
const OLDEST: &str = "1.33.13";

/// The control plane of the tests that are running; it is started by the first that needs it.
type Current = Arc<Mutex<Option<Plane>>>;

/// What is tried on it.
type Test = Box<dyn Fn(&mut Plane) + Send>;

pub fn run() -> ExitCode {
    let wish = std::env::var("KUBECTL_PREEMPT_E2E").unwrap_or_default();
    if wish == "off" {
        println!("e2e: skipped: KUBECTL_PREEMPT_E2E=off");
        return ExitCode::SUCCESS;
    }
    let mut arguments = Arguments::from_args();
    // They share a control plane, and each wants it for itself.
    arguments.test_threads = Some(1);
    let current = Current::default();
    let mut trials = Vec::new();
    for version in [NEWEST, OLDEST] {
        match program::built(version) {
            Some(binary) => trials.extend(tests(version, &binary, &current)),
            None if wish == "required" && version == NEWEST => {
                println!("e2e: there is no control plane of {version}: `tests/e2e/build {version}` makes one");
                return ExitCode::FAILURE;
            }
            None => println!(
                "e2e: {version} skipped: no control plane; `tests/e2e/build {version}` makes one, `just e2e` also runs it"
            ),
        }
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    drop(current.lock().unwrap_or_else(PoisonError::into_inner).take());
    conclusion.exit_code()
}

fn tests(version: &'static str, binary: &Path, current: &Current) -> Vec<Trial> {
    let trial = |name: String, test: Test| {
        let (binary, current) = (binary.to_path_buf(), current.clone());
        Trial::test(format!("{version}: {name}"), move || {
            // A test that failed leaves a plane that works.
            let mut current = current.lock().unwrap_or_else(PoisonError::into_inner);
            if current.as_ref().is_none_or(|plane| plane.version != version) {
                // The former ends before the next begins: two at once are too much for a small machine.
                *current = None;
                *current = Some(Plane::start(version, &binary));
            }
            test(current.as_mut().expect("a control plane"));
            Ok(())
        })
    };
    let everything = version == NEWEST;
    let mut trials = Vec::new();
    for situation in situations::all().filter(|situation| everything || situation.smoke) {
        trials.push(trial(format!("explain: {}", situation.name), Box::new(|plane| fidelity::check(plane, situation))));
    }
    let faults: [(&str, Test); 5] = [
        ("a server that says when to come back is asked again", Box::new(|plane| faults::patience(plane))),
        ("without pods there is no answer", Box::new(|plane| faults::no_pods(plane))),
        ("who may do nothing is told so", Box::new(|plane| faults::nobody(plane))),
        ("budgets that may not be read", Box::new(|plane| faults::no_budgets(plane))),
        ("the API server restarts", Box::new(faults::restart)),
    ];
    for (name, test) in faults {
        trials.push(trial(format!("read: {name}"), test));
    }
    let doctor: [(&str, Test); 2] = [
        ("the roles of the manifest do", Box::new(|plane| permissions::roles(plane))),
        ("what is missing is enough", Box::new(|plane| permissions::missing(plane))),
    ];
    for (name, test) in doctor {
        trials.push(trial(format!("doctor: {name}"), test));
    }
    trials
}

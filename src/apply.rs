//! Applies a plan to a cluster: the only part of the program that writes.
//!
//! The steps, in the order of `steps`:
//!
//! | step | file |
//! | --- | --- |
//! | which server, and as which user | `access` |
//! | does the user have the permissions | `access` |
//! | does the plan still hold | `confirm` |
//! | does a hazard forbid it | `hazards` |
//! | would the server accept each removal | `dry_run` |
//! | does the user confirm it | `confirm` |
//! | does the plan hold after the confirmation | `confirm` |
//! | nominate the pods that preempt | `nominate` |
//! | remove the victims, one at a time, each after a new decision | `evict`, `remove`, `answer` |
//! | wait until these pods are bound, or their room is lost | `wait` |
//! | whatever happened: read once more, clear the nomination if the run failed, report | `finish` |
//!
//! The steps share an `executor`. It records everything in a `journal`, from which `json` makes the
//! result. `server` has the requests and the meaning of the answers. No write is repeated before
//! its pod was read again, and no pod is removed before the pods that get its room were.

mod access;
mod answer;
mod confirm;
mod dry_run;
mod evict;
mod executor;
mod finish;
mod hazards;
pub mod journal;
pub mod json;
mod nominate;
mod options;
mod planner;
mod remove;
mod server;
pub(crate) mod signals;
mod steps;
mod wait;

use crate::api::Env;
use crate::api::config::{self, Connection, Destination};
use crate::api::flags::ConnectionFlags;
use crate::api::runtime;
use crate::error::Error;
use engine::simulation::plan::{Placement, Plan, PodId};
use executor::{ApplySession, Clock, Executor, PlannerThread, now};
use journal::{Header, Journal, VictimState};

pub use options::{ApplyOptions, DryRunMode, Mode, Reservation, WaitTimes};
pub use planner::{PlanResult, Planner, PreemptorStatus};
pub use signals::{Signal, StopSource};

/// The result of a run.
#[derive(Debug)]
#[must_use]
pub struct ApplyReport {
    pub journal: Journal,
    /// The problem that stopped the run, if there was one.
    pub problem: Option<Error>,
}

/// The dialog with the user. All texts are sanitized: they contain no control sequences.
pub trait Ui: Send {
    /// Prints an informational line, without its newline.
    fn say(&mut self, line: &str);

    /// Prints a line that `--quiet` does not suppress.
    fn warn(&mut self, line: &str);

    /// Whether the user can be prompted.
    fn can_ask(&self) -> bool;

    /// Asks a question. The receiver gets the user's line, or `None` at the end of the input.
    fn ask(&mut self, question: &str) -> tokio::sync::oneshot::Receiver<Option<String>>;

    /// Shows the state of a victim, with an optional detail.
    fn progress(&mut self, victim: &PodId, state: VictimState, detail: &str);

    /// The journal after each change of it, and before each request that removes a pod, for whoever
    /// tells what was done if the program fails.
    fn recorded(&mut self, _: &Journal) {}

    /// Ends the display of progress.
    fn done(&mut self);
}

/// Applies `plan`. Blocks until it is complete, or the run stops or is interrupted.
///
/// # Errors
/// When the connection cannot be set up, or the preemptor is not in the cluster. Every later
/// problem is part of the report.
pub fn run_in(
    env: &Env,
    plan: &Plan,
    options: ApplyOptions,
    planner: Box<dyn Planner>,
    flags: &ConnectionFlags,
    ui: &mut dyn Ui,
    stop: StopSource,
) -> Result<ApplyReport, Error> {
    if let Some(missing) = plan.placed.iter().find(|placement| placement.pod.uid.is_empty()) {
        return Err(Error::Usage {
            problem: format!(
                "pod {} is not in the cluster: there is nothing to do",
                missing.pod.full_name()
            ),
            hint: Some("create it first, then --apply".to_owned()),
        });
    }
    let connection = config::resolve(flags, env)?;
    let runtime = runtime::start("start")?;
    let report = runtime.block_on(async {
        let executor = set_up(plan, options, planner, connection, ui, stop)?;
        Ok(steps::run(executor).await)
    });
    // A pending read or question must not delay the exit.
    runtime.shutdown_background();
    report
}

/// Why a run ends before its first step.
#[derive(Debug, Clone)]
pub enum EarlyEnd {
    /// Every pod of the plan is already bound.
    AlreadyBound,
    /// No eviction helps, for this reason.
    Impossible(String),
    /// Nothing is evicted, because of this problem.
    Refused(String),
    Interrupted(Signal),
}

impl EarlyEnd {
    pub const fn outcome(&self) -> journal::ApplyOutcome {
        match self {
            Self::AlreadyBound => journal::ApplyOutcome::NotNeeded,
            Self::Impossible(_) => journal::ApplyOutcome::Impossible,
            Self::Refused(_) => journal::ApplyOutcome::Refused,
            Self::Interrupted(signal) => journal::ApplyOutcome::Interrupted(*signal),
        }
    }
}

/// The journal of a run that ends before its first step. `plan` is empty if there is none.
///
/// # Errors
/// When kubeconfig and flags name no cluster.
pub fn not_started(
    plan: &Plan,
    options: &ApplyOptions,
    end: EarlyEnd,
    flags: &ConnectionFlags,
) -> Result<Journal, Error> {
    let Destination { context, server, .. } = config::destination(flags, &Env::process())?;
    let mut journal = Journal::new(header(plan, options, context, server), plan);
    let outcome = end.outcome();
    if let EarlyEnd::AlreadyBound = end {
        for Placement { pod, node } in &plan.placed {
            let event = journal::PreemptorEvent::Bound(node.clone());
            journal.record(now(), journal::JournalEvent::Preemptor(pod.clone(), event));
        }
    }
    let problem = match end {
        EarlyEnd::AlreadyBound => None,
        EarlyEnd::Impossible(problem) | EarlyEnd::Refused(problem) => Some(problem),
        EarlyEnd::Interrupted(signal) => Some(format!("nothing was done: {}", signal.text())),
    };
    journal.record(now(), journal::JournalEvent::Ended { outcome, problem });
    Ok(journal)
}

fn header(plan: &Plan, options: &ApplyOptions, context: Option<String>, server: String) -> Header {
    Header {
        mode: options.mode,
        dry_run: options.dry_run,
        context,
        server,
        plan_hash: journal::plan_hash(plan),
        preemptor: plan.preemptor.id.clone(),
        started_at: now(),
    }
}

/// Must be called inside a runtime.
fn set_up<'u>(
    plan: &Plan,
    options: ApplyOptions,
    planner: Box<dyn Planner>,
    connection: Connection,
    ui: &'u mut dyn Ui,
    stop: StopSource,
) -> Result<Executor<'u>, Error> {
    let (context, server) = (connection.context.clone(), connection.config.cluster_url.to_string());
    let journal = Journal::new(header(plan, &options, context, server), plan);
    let unverified = connection.config.accept_invalid_certs;
    let begun = options.begun.unwrap_or_else(std::time::Instant::now).into();
    let clock = Clock::new(stop, options.timeout, begun);
    let session = ApplySession::new(connection, options)?;
    let mut executor =
        Executor::new(plan.clone(), session, clock, journal, PlannerThread::new(planner), ui);
    if unverified {
        executor.warn("the server's certificate is not checked: it may be another one");
    }
    Ok(executor)
}

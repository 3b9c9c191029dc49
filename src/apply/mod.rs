//! Carries a plan out on a cluster: the only part of the program that writes.
//!
//! The order is always the same: which cluster and as whom, may we, does the plan still hold, does anything forbid it,
//! would the server do it, does the user want it, does the plan hold even now; then one victim at a time, and before each
//! the cluster is read and decided about again. Nothing is ever sent twice without having looked, and whatever was sent
//! stands in the result.

mod access;
mod budget;
mod confirm;
mod desk;
mod difference;
mod ending;
mod events;
mod evict;
mod freshness;
mod hazards;
mod nominate;
mod observe;
mod outcome;
mod pace;
mod pods;
mod preflight;
mod request;
pub mod result;
mod run;
mod send;
pub(crate) mod signals;
mod wait;

use std::collections::BTreeMap;
use std::time::Duration;

use crate::api::Env;
use crate::api::config;
use crate::api::flags::ConnectionFlags;
use crate::apply::result::{JsonApplyResult, VictimState};
use crate::error::Error;
use crate::exit::Exit;
use engine::simulation::plan::{Plan, PodId};

pub use pace::Pace;
pub use signals::{Signal, Signals};

/// How victims are made to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// By the eviction API: the server sees that budgets are kept.
    #[default]
    Evict,
    /// As kube-scheduler does it: a condition says why, then the pod is deleted. No server looks at budgets.
    Delete,
}

impl Mode {
    /// Its name as typed.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Evict => "evict",
            Self::Delete => "delete",
        }
    }

    /// What is being done, and what was: `evicting`, `evicted`.
    const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Evict => ("evicting", "evicted"),
            Self::Delete => ("deleting", "deleted"),
        }
    }
}

/// How much is only pretended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DryRun {
    /// Nothing.
    #[default]
    None,
    /// The cluster is read, nothing is sent.
    Client,
    /// The server tries everything and does nothing.
    Server,
}

impl DryRun {
    /// Its name as typed.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Client => "client",
            Self::Server => "server",
        }
    }

    /// What kubectl puts behind a line that is not the truth.
    const fn suffix(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Client => " (dry run)",
            Self::Server => " (server dry run)",
        }
    }
}

/// How a plan is carried out.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct ApplyOptions {
    /// How victims are made to go.
    pub mode: Mode,
    /// How much is only pretended.
    pub dry_run: DryRun,
    /// Whether the pod's `status.nominatedNodeName` is set before the first eviction.
    pub nominate: bool,
    /// Whether victims may be evicted that are better not.
    pub force: bool,
    /// Whether data of `emptyDir` volumes may be lost.
    pub delete_emptydir_data: bool,
    /// How long all of it may take once it was agreed to; zero: for ever; `None`: 5 minutes and the longest grace period.
    pub timeout: Option<Duration>,
    /// Whether to wait until the pod is on a node.
    pub wait: bool,
    /// Seconds that victims get to stop, instead of what they ask for themselves.
    pub grace_period: Option<u32>,
    /// Whether nobody is asked.
    pub yes: bool,
    /// Whether an Event is written for each victim.
    pub record: bool,
    /// Longest time for a single request; zero or `None`: what the server itself allows a request.
    pub request_timeout: Option<Duration>,
    /// How long things take between requests.
    pub pace: Pace,
}

/// What a decision says about a pod now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing<T> {
    /// Somebody has to go.
    Needed(T),
    /// These nodes take it without anybody going.
    Fits(Vec<String>),
    /// No eviction helps (on that node), and why.
    Impossible(String),
    /// It is on this node already.
    Bound(String),
    /// It is not there any more, or it is another pod of the same name.
    Gone,
}

/// A decision, and how new what it was made on is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading<T> {
    /// What was decided.
    pub answer: T,
    /// `metadata.resourceVersion` of the lists that were read, by plural resource.
    pub versions: BTreeMap<String, String>,
}

/// Reads the cluster anew and decides anew; the reads are consistent ones, without `resourceVersion`. Where something
/// that may decide could not be read, the answer is an error.
pub trait Planner: Send {
    /// The whole decision about a pod, which is meant by its UID.
    ///
    /// # Errors
    /// When the cluster cannot be read.
    fn plan(&mut self, preemptor: &PodId) -> Result<Reading<Standing<Plan>>, Error>;

    /// The plan for who else has to go from `plan`'s node so that its pod fits there, if all of `gone` are no longer counted,
    /// although some of them may still be there and stopping. [`Standing::Fits`] names any node.
    ///
    /// # Errors
    /// When the cluster cannot be read.
    fn remaining(&mut self, plan: &Plan, gone: &[PodId]) -> Result<Reading<Standing<Plan>>, Error>;
}

/// Whom one talks to. Texts are clean: nothing in them acts on a terminal.
pub trait Ui: Send {
    /// A line beside the answer. Without its newline.
    fn say(&mut self, line: &str);

    /// Something that the user must see, even if little is to be said.
    fn warn(&mut self, line: &str);

    /// Whether there is somebody to ask.
    fn can_ask(&self) -> bool;

    /// Asks; the answer comes when there is one, `None` for none at all.
    fn ask(&mut self, question: &str) -> tokio::sync::oneshot::Receiver<Option<String>>;

    /// How far a victim is.
    fn progress(&mut self, victim: &PodId, state: VictimState, what: &str);

    /// No more progress will come.
    fn done(&mut self);
}

/// What came of it.
#[derive(Debug)]
#[must_use]
pub struct ApplyReport {
    /// The audit trail.
    pub result: JsonApplyResult,
    /// How the program ends.
    pub exit: Exit,
    /// What went wrong, to be told last.
    pub problem: Option<Error>,
}

/// Carries `plan` out. Blocks until that is done, given up or broken off by `signals`.
///
/// # Errors
/// When there is no connection to be made, or nobody in the cluster whom the plan is for. Everything later is part of the
/// report.
pub fn run(
    plan: &Plan,
    options: ApplyOptions,
    planner: Box<dyn Planner>,
    connection: &ConnectionFlags,
    ui: &mut dyn Ui,
) -> Result<ApplyReport, Error> {
    run_in(&Env::process(), plan, options, planner, connection, ui, Signals::OfProcess)
}

/// [`run()`] in an environment that need not be the process's.
///
/// # Errors
/// As [`run()`].
pub fn run_in(
    env: &Env,
    plan: &Plan,
    options: ApplyOptions,
    planner: Box<dyn Planner>,
    flags: &ConnectionFlags,
    ui: &mut dyn Ui,
    signals: Signals,
) -> Result<ApplyReport, Error> {
    if plan.preemptor.pod.uid.is_empty() {
        return Err(Error::Usage {
            problem: format!(
                "pod {} is not in the cluster: there is nobody to make room for",
                plan.preemptor.pod.full_name()
            ),
            hint: Some("create it first, then --apply".to_owned()),
        });
    }
    let connection = config::resolve(flags, env)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|e| Error::Cluster { problem: format!("cannot start: {e}"), hint: None })?;
    let report = runtime.block_on(run::run(plan, options, planner, connection, ui, signals));
    // A read that hangs, or a prompt that nobody answers, must not hold us.
    runtime.shutdown_background();
    report
}

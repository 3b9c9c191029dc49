//! One apply, from the first question to the result: what every step shares, and the order of the steps.

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::time::Duration;

use jiff::Timestamp;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::desk::Desk;
use super::evict::Evicted;
use super::freshness::Freshness;
use super::pods::{self, Unread};
use super::signals::{Ear, Signal, Signals};
use super::{ApplyOptions, ApplyReport, DryRun, Planner, Reading, Standing, Ui, difference, ending, request};
use crate::api::client::Reader;
use crate::api::config::Connection;
use crate::api::writer::Writer;
use crate::apply::result::{ApplyOutcome, JsonApplyResult};
use crate::error::Error;
use engine::simulation::plan::{Plan, PodId};
use render::page::sanitize;

/// How long a server gives a request before it gives up itself, and a little.
const SERVER_TIMEOUT: Duration = Duration::from_secs(65);
/// What everything may take if nothing is said, besides the longest grace period.
const TIMEOUT: Duration = Duration::from_secs(300);
/// A list of one object tells how new a list is.
const PROBES: [(&str, &str); 3] = [
    ("nodes", "/api/v1/nodes?limit=1"),
    ("poddisruptionbudgets", "/apis/policy/v1/poddisruptionbudgets?limit=1"),
    ("pods", "/api/v1/pods?limit=1"),
];

/// Why it does not go on.
#[derive(Debug)]
pub(super) enum Halt {
    /// Somebody wants it to end.
    Signal(Signal),
    /// The time is up.
    Late(Duration),
    /// It must not, or cannot.
    Stop {
        /// Why, in a sentence.
        reason: String,
        /// What to do.
        hint: Option<String>,
    },
    /// The cluster cannot be read.
    Failed(Error),
}

/// What a step comes to.
pub(super) type Step<T> = Result<T, Halt>;

/// It must not go on.
pub(super) fn stop<T>(reason: impl Into<String>) -> Step<T> {
    Err(Halt::Stop { reason: reason.into(), hint: None })
}

/// It must not go on, and this helps.
pub(super) fn stop_with<T>(reason: impl Into<String>, hint: impl Into<String>) -> Step<T> {
    Err(Halt::Stop { reason: reason.into(), hint: Some(hint.into()) })
}

/// What ends every wait: a signal, or the end of the time.
#[derive(Clone)]
pub(super) struct Guard {
    ear: Ear,
    deadline: Option<(Instant, Duration)>,
}

impl Guard {
    /// Does `work` unless it has to end before that is done.
    pub(super) async fn run<T>(mut self, work: impl Future<Output = T>) -> Step<T> {
        let late = async {
            match self.deadline {
                Some((at, _)) => sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            signal = self.ear.more_than(0) => Err(Halt::Signal(signal)),
            done = work => Ok(done),
            () = late => Err(Halt::Late(self.deadline.map_or(Duration::ZERO, |(_, all)| all))),
        }
    }
}

/// Everything that the steps share.
pub(super) struct Run<'r> {
    /// The plan that is carried out: as new as the last reading of all of it.
    pub plan: Plan,
    pub options: ApplyOptions,
    pub reader: Reader,
    pub writer: Writer,
    pub desk: Desk,
    pub ui: &'r mut dyn Ui,
    pub ear: Ear,
    /// What was seen of the cluster, so that nothing older is believed.
    pub seen: Freshness,
    /// The audit trail.
    pub result: JsonApplyResult,
    /// Until when all must be done, and how long that was in all.
    pub deadline: Option<(Instant, Duration)>,
    /// Victims that do not count any more.
    pub gone: Vec<PodId>,
    /// Whether the plan was seen to hold, and nothing was sent or waited for since.
    pub checked: bool,
    /// The budgets that the user has agreed to violate, once there was an agreement.
    pub agreed: Option<BTreeSet<String>>,
    /// Whether conditions may be patched.
    pub may_patch: bool,
    /// Whether the server wants evictions of before 1.22.
    pub old_evictions: bool,
}

/// Carries `plan` out.
pub(super) async fn run(
    plan: &Plan,
    options: ApplyOptions,
    planner: Box<dyn Planner>,
    connection: Connection,
    ui: &mut dyn Ui,
    signals: Signals,
) -> Result<ApplyReport, Error> {
    let mut result = JsonApplyResult::new(plan, request::hash(plan), request::seconds(Timestamp::now()));
    result.mode = options.mode.name();
    result.dry_run = options.dry_run.name();
    result.cluster.context.clone_from(&connection.context);
    result.cluster.server = connection.config.cluster_url.to_string();
    let for_request = options.request_timeout.filter(|t| !t.is_zero()).unwrap_or(SERVER_TIMEOUT);
    let unverified = connection.config.accept_invalid_certs;
    let mut run = Run {
        plan: plan.clone(),
        reader: Reader::new(connection.clone(), Some(for_request))?,
        writer: Writer::new(connection, for_request)?,
        desk: Desk::new(planner),
        ear: Ear::new(signals),
        ui,
        seen: Freshness::default(),
        result,
        deadline: None,
        gone: Vec::new(),
        checked: false,
        agreed: None,
        may_patch: false,
        old_evictions: false,
        options,
    };
    if unverified {
        run.warn("the server's certificate is not checked: it may be another one");
    }
    let end = run.steps().await;
    Ok(ending::conclude(run, end).await)
}

impl Run<'_> {
    /// All steps, in their order.
    async fn steps(&mut self) -> Step<ApplyOutcome> {
        self.identify().await?;
        self.check_access().await?;
        if let Some(standing) = self.check_plan().await? {
            return self.not_needed(&standing).await;
        }
        self.check_hazards()?;
        if self.options.dry_run == DryRun::Client {
            self.pretend();
            return Ok(ApplyOutcome::DryRun);
        }
        if self.options.dry_run == DryRun::None {
            self.check_can_agree()?;
        }
        self.try_all().await?;
        if self.options.dry_run == DryRun::Server {
            return Ok(ApplyOutcome::DryRun);
        }
        self.confirm().await?;
        self.start_clock();
        if let Some(standing) = self.check_plan().await? {
            return self.not_needed(&standing).await;
        }
        self.nominate().await?;
        let evicted = self.evict_all().await?;
        if self.options.wait {
            self.wait().await?;
        } else if let Evicted::Early(Standing::Bound(node)) = &evicted {
            self.landed(&node.clone());
        }
        Ok(match evicted {
            Evicted::Early(_) if !self.was_touched() => ApplyOutcome::NotNeeded,
            Evicted::Early(_) | Evicted::All => ApplyOutcome::Applied,
        })
    }

    /// From now on the time runs.
    fn start_clock(&mut self) {
        self.result.confirmed_at = Some(request::seconds(Timestamp::now()));
        let longest = self.plan.victims.iter().map(|v| u64::try_from(v.grace_seconds).unwrap_or(0)).max().unwrap_or(0);
        let all = self.options.timeout.unwrap_or(TIMEOUT + Duration::from_secs(longest.min(86_400)));
        self.deadline = (!all.is_zero()).then(|| (Instant::now() + all, all));
    }

    /// The pod needs nobody's room.
    async fn not_needed(&mut self, standing: &Standing<Plan>) -> Step<ApplyOutcome> {
        let name = self.plan.preemptor.pod.full_name();
        self.say(&format!("{}: nothing has to be evicted", difference::of_standing(&name, standing)));
        match standing {
            Standing::Bound(node) => self.landed(&node.clone()),
            Standing::Fits(_) if self.options.wait && self.options.dry_run == DryRun::None => {
                if self.deadline.is_none() {
                    self.start_clock();
                    self.result.confirmed_at = None;
                }
                self.wait().await?;
            }
            Standing::Fits(_) | Standing::Needed(_) | Standing::Impossible(_) | Standing::Gone => {}
        }
        Ok(ApplyOutcome::NotNeeded)
    }

    /// Reads and decides about everything, and compares. `None`: the plan holds.
    async fn check_plan(&mut self) -> Step<Option<Standing<Plan>>> {
        let preemptor = self.plan.preemptor.pod.clone();
        let standing = self.decide(move |planner| planner.plan(&preemptor)).await?;
        let name = self.plan.preemptor.pod.full_name();
        match standing {
            Standing::Needed(plan) if plan.victims.is_empty() => Ok(Some(Standing::Fits(vec![plan.node]))),
            Standing::Needed(plan) => {
                if !self.plan.is_same(&plan) {
                    let lines = difference::between(&self.plan, &plan);
                    return stop_with(
                        format!("the plan has changed: {}", lines.join("; ")),
                        "look at the new plan: kubectl preempt simulate",
                    );
                }
                self.check_agreed(&plan)?;
                // Another order of the same victims would be another plan to the eye; the order shown stays.
                let order: Vec<PodId> = self.plan.victims.iter().map(|victim| victim.pod.clone()).collect();
                self.plan = plan;
                self.plan.victims.sort_by_key(|victim| order.iter().position(|pod| *pod == victim.pod));
                self.checked = true;
                Ok(None)
            }
            Standing::Fits(_) | Standing::Bound(_) => Ok(Some(standing)),
            Standing::Impossible(_) | Standing::Gone => {
                stop(format!("the plan has changed: {}", difference::of_standing(&name, &standing)))
            }
        }
    }

    /// Has the planner read and decide. A read that fails or is older than what was seen is made again, with more and more
    /// patience: until the time is up where the clock runs, else a few times.
    pub(super) async fn decide<T, F>(&mut self, job: F) -> Step<T>
    where
        T: Send + 'static,
        F: Fn(&mut dyn Planner) -> Result<Reading<T>, Error> + Send + Clone + 'static,
    {
        let (mut failed, mut alone) = (0, 0);
        loop {
            let trouble = match self.probe().await? {
                Ok(()) => {
                    let guard = self.guard();
                    match guard.run(self.desk.ask(job.clone())).await? {
                        Ok(reading) => match self.stale(&reading.versions) {
                            None => return Ok(reading.answer),
                            Some(stale) => Error::Cluster { problem: stale, hint: None },
                        },
                        Err(error) => {
                            alone += 1;
                            error
                        }
                    }
                }
                Err(unread) => Error::Cluster { problem: unread.text().to_owned(), hint: None },
            };
            failed += 1;
            // Where single reads work and the planner's do not, time does not help.
            if !matches!(trouble, Error::Cluster { .. })
                || alone >= self.options.pace.attempts
                || self.deadline.is_none() && failed >= self.options.pace.attempts
            {
                return Err(Halt::Failed(trouble));
            }
            self.warn(&format!("{trouble} (will read again)"));
            self.pause(self.options.pace.backoff(failed - 1)).await?;
        }
    }

    /// Asks how new the cluster is, so that an older reading is known for what it is.
    async fn probe(&mut self) -> Step<Result<(), Unread>> {
        for (resource, path) in PROBES {
            let read = pods::get(&self.reader, path);
            match self.guard().run(read).await? {
                Ok(Some(body)) => {
                    if let Some(version) = list_version(&body) {
                        self.seen.saw(resource, &version);
                    }
                }
                // What may not be read or is not served is the planner's affair.
                Ok(None) | Err(Unread::Denied(_)) => {}
                Err(Unread::Now(text)) => return Ok(Err(Unread::Now(text))),
            }
        }
        Ok(Ok(()))
    }

    /// What is wrong with a reading, if it is older than what was seen before.
    fn stale(&mut self, versions: &BTreeMap<String, String>) -> Option<String> {
        let older = self.seen.older(versions);
        if !older.is_empty() {
            return Some(format!("the server showed an older state of {} than before", older.join(", ")));
        }
        versions.iter().for_each(|(resource, version)| self.seen.saw(resource, version));
        None
    }

    /// What ends a wait.
    pub(super) fn guard(&self) -> Guard {
        Guard { ear: self.ear.clone(), deadline: self.deadline }
    }

    /// Waits, and a little longer. What was known of the cluster is not known any more afterwards.
    pub(super) async fn pause(&mut self, wait: Duration) -> Step<()> {
        self.checked = false;
        let wait = self.options.pace.jittered(wait, fastrand::u64(..));
        self.guard().run(sleep(wait)).await
    }

    /// Looks at a pod, again and again until it can be seen or it is clear that it cannot.
    pub(super) async fn look(&mut self, pod: &PodId) -> Step<Result<pods::Look, String>> {
        let (mut failed, mut denied) = (0, 0);
        loop {
            let read = pods::look(&self.reader, pod);
            match self.guard().run(read).await? {
                Ok(look) => {
                    if let pods::Look::Here(view) = &look {
                        self.seen.saw("pods", &view.resource_version);
                    }
                    return Ok(Ok(look));
                }
                // It was allowed before: a server that has just started knows nobody's roles for a moment.
                Err(Unread::Denied(text)) if denied >= self.options.pace.attempts => return Ok(Err(text)),
                Err(Unread::Denied(_)) => denied += 1,
                Err(Unread::Now(text)) if self.deadline.is_none() && failed >= self.options.pace.attempts => {
                    return Ok(Err(text));
                }
                Err(Unread::Now(text)) => {
                    if failed == 0 {
                        self.warn(&format!("cannot look at pod {}: {text} (will try again)", pod.full_name()));
                    }
                }
            }
            self.pause(self.options.pace.backoff(failed)).await?;
            failed += 1;
        }
    }

    /// Looks at a pod once, in a limited time, whatever was signalled before; a further signal ends it.
    pub(super) async fn last_look(&self, pod: &PodId) -> Option<pods::Look> {
        let heard = self.ear.heard().map_or(0, |(_, count)| count);
        let mut ear = self.ear.clone();
        let looks = async {
            for attempt in 0..self.options.pace.attempts {
                match pods::look(&self.reader, pod).await {
                    Ok(look) => return Some(look),
                    Err(Unread::Denied(_) | Unread::Now(_)) => sleep(self.options.pace.backoff(attempt)).await,
                }
            }
            None
        };
        tokio::select! {
            look = timeout(self.options.pace.finish, looks) => look.ok().flatten(),
            _ = ear.more_than(heard) => None,
        }
    }

    /// Says something beside.
    pub(super) fn say(&mut self, text: &str) {
        self.ui.say(&sanitize(text));
    }

    /// Says what the user should see in any case, and keeps it.
    pub(super) fn warn(&mut self, text: &str) {
        let line = format!("Warning: {}", sanitize(text));
        self.ui.warn(&line);
        if !self.result.warnings.iter().any(|known| known == text) {
            self.result.warnings.push(text.to_owned());
        }
    }
}

/// `metadata.resourceVersion` of a list.
fn list_version(body: &str) -> Option<String> {
    let list: serde_json::Value = serde_json::from_str(body).ok()?;
    Some(list.pointer("/metadata/resourceVersion")?.as_str()?.to_owned())
}

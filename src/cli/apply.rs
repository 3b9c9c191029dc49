//! `simulate --apply`: its flags, its time limit and signals from the beginning of the command on,
//! its terminal, and how its result is told.

use std::cell::Cell;
use std::fs::OpenOptions;
use std::io::{self, BufRead as _, IsTerminal, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use tokio::sync::{oneshot, watch};

use super::flags::GlobalFlags;
use super::output::{self, Reader};
use super::printer::Encoding;
use crate::api::flags::{ConnectionFlags, parse_bool, parse_timeout};
use crate::api::{Env, config, runtime};
use crate::apply::journal::{Journal, VictimState};
use crate::apply::json::apply_result;
use crate::apply::{
    self, ApplyOptions, DryRunMode, EarlyEnd, Mode, Planner, Reservation, Signal, StopSource, Ui,
    WaitTimes, signals,
};
use crate::crash;
use crate::error::Error;
use crate::exit::Exit;
use answers::target::Target;
use answers::words;
use engine::simulation::plan::{GroupId, Plan, PodId, PreemptorId};
use jiff::Timestamp;
use render::page::sanitize;
use render::safe::Printable;

/// Interval between frames of the spinners.
const TICK: Duration = Duration::from_millis(200);

/// Flags of `--apply`.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Apply")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct ApplyArgs {
    /// Evict the victims, and wait until the pod is on a node
    #[arg(long)]
    pub apply: bool,

    /// Remove victims by evict or delete (default: evict)
    ///
    /// evict respects PodDisruptionBudgets. delete deletes pods as kube-scheduler does, and may
    /// violate them.
    #[arg(long, value_enum, hide_possible_values = true)]
    pub mode: Option<ModeArg>,

    /// Set the pod's nominatedNodeName if it is not set, and reset it if the plan fails
    #[arg(long, hide_short_help = true)]
    pub nominate: bool,

    /// Do not ask for confirmation
    ///
    /// Plans that violate a PodDisruptionBudget with --mode=delete also need --force.
    #[arg(short = 'y', long, alias = "no-interactive")]
    pub yes: bool,

    /// Continue even if victims are unsafe to evict
    ///
    /// Such as static pods, pods without a controller, pods of the system, and pods that return to
    /// the same node.
    #[arg(long)]
    pub force: bool,

    /// Continue even if another pending pod may take the room
    #[arg(long)]
    pub yes_despite_competitors: bool,

    /// Continue even if victims use emptyDir volumes, whose data is lost
    #[arg(long)]
    pub delete_emptydir_data: bool,

    /// Time to wait before giving up, e.g. 90s; 0 waits for ever
    ///
    /// It is the time of the whole command, without the time in which you are asked. Default: 5m
    /// and the longest grace period of a victim, from the confirmation on.
    #[arg(long, value_name = "DURATION", value_parser = parse_timeout)]
    pub timeout: Option<Duration>,

    /// If false, return when the last eviction is accepted (default: true)
    #[arg(long, hide_short_help = true, value_name = "BOOL", value_parser = parse_bool, num_args = 0..=1, require_equals = true,
          default_missing_value = "true", action = clap::ArgAction::Set)]
    pub wait: Option<bool>,

    /// Seconds that each victim gets to stop (default: its own)
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub grace_period: Option<i64>,

    /// none, client (send nothing) or server (the server only checks)
    ///
    /// With -f, server has the API server check the manifests: what it refuses is refused. That takes
    /// the permission to patch and create them.
    #[arg(long, value_name = "HOW", value_parser = parse_dry_run, num_args = 0..=1, require_equals = true,
          default_missing_value = "client")]
    pub dry_run: Option<DryRunMode>,

    /// Write an Event about each victim
    #[arg(long, hide_short_help = true)]
    pub record: bool,
}

/// `--mode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum ModeArg {
    /// By the eviction API.
    Evict,
    /// As kube-scheduler.
    Delete,
}

/// As in kubectl, booleans are still accepted.
fn parse_dry_run(text: &str) -> Result<DryRunMode, String> {
    match text {
        "none" => Ok(DryRunMode::None),
        "client" | "unchanged" => Ok(DryRunMode::Client),
        "server" => Ok(DryRunMode::Server),
        other => match parse_bool(other) {
            Ok(true) => Ok(DryRunMode::Client),
            Ok(false) => Ok(DryRunMode::None),
            Err(_) => Err("use none, client or server".to_owned()),
        },
    }
}

impl ApplyArgs {
    /// Checks that flags that only affect `--apply` were given with it.
    ///
    /// # Errors
    /// [`Error::Usage`] names those that were given without it. Manifests may be checked by the
    /// server without it, too.
    pub fn check(&self, has_manifests: bool) -> Result<(), Error> {
        // Named one by one, so that a new flag cannot be forgotten here.
        let Self {
            apply,
            mode,
            nominate,
            yes,
            force,
            yes_despite_competitors,
            delete_emptydir_data,
            timeout,
            wait,
            grace_period,
            dry_run,
            record,
        } = self;
        let typed = [
            ("--mode", mode.is_some()),
            ("--nominate", *nominate),
            ("--yes", *yes),
            ("--force", *force),
            ("--yes-despite-competitors", *yes_despite_competitors),
            ("--delete-emptydir-data", *delete_emptydir_data),
            ("--timeout", timeout.is_some()),
            ("--wait", wait.is_some()),
            ("--grace-period", grace_period.is_some()),
            ("--dry-run", dry_run.is_some() && !(has_manifests && self.asks_server())),
            ("--record", *record),
        ];
        let typed: Vec<&str> =
            typed.into_iter().filter_map(|(flag, is_typed)| is_typed.then_some(flag)).collect();
        if *apply || typed.is_empty() {
            return Ok(());
        }
        let verb = if typed.len() == 1 { "needs" } else { "need" };
        let flags = words::list(&typed, typed.len());
        Err(Error::usage(format!(
            "{flags} {verb} --apply: without it, simulate shows the plan and changes nothing"
        )))
    }

    /// Whether the server is to check what is sent.
    pub fn asks_server(&self) -> bool {
        self.dry_run == Some(DryRunMode::Server)
    }

    fn options(&self, connection: &ConnectionFlags) -> Result<ApplyOptions, Error> {
        // As for kubectl, a negative period is that of the pod.
        let grace_period = match self.grace_period {
            Some(seconds @ 0..) => Some(
                u32::try_from(seconds)
                    .map_err(|_| Error::usage(format!("--grace-period={seconds} is too long")))?,
            ),
            Some(_) | None => None,
        };
        Ok(ApplyOptions {
            mode: match self.mode {
                None | Some(ModeArg::Evict) => Mode::Evict,
                Some(ModeArg::Delete) => Mode::Delete,
            },
            dry_run: self.dry_run.unwrap_or(DryRunMode::None),
            nominate: self.nominate,
            reservation: Reservation::default(),
            force: self.force,
            yes_despite_competitors: self.yes_despite_competitors,
            delete_emptydir_data: self.delete_emptydir_data,
            timeout: self.timeout,
            begun: None,
            wait: self.wait.unwrap_or(true),
            grace_period,
            yes: self.yes,
            record: self.record,
            request_timeout: connection.request_timeout,
            wait_times: WaitTimes::default(),
        })
    }
}

/// What is known of a run of `--apply` before its cluster is read.
#[derive(Clone)]
pub struct ApplyRequest {
    pub args: ApplyArgs,
    /// That of the result; `None` if only people read it.
    pub encoding: Option<Encoding>,
    pub global: GlobalFlags,
    pub connection: ConnectionFlags,
    /// The pod, group or owner, if only one is named.
    pub target: Option<Target>,
}

impl ApplyRequest {
    /// Prints the result of a run that ends before its first step, if the format is JSON or YAML:
    /// see [`apply::not_started`].
    fn not_started(&self, plan: &Plan, end: EarlyEnd) -> anyhow::Result<Exit> {
        let exit = end.outcome().exit();
        let Some(encoding) = self.encoding else { return Ok(exit) };
        let options = self.args.options(&self.connection)?;
        let journal = apply::not_started(plan, &options, end, &self.connection)?;
        output::print(&encoding.write(&apply_result(&journal))?)?;
        Ok(exit)
    }

    /// The same before the decision about the pod or group.
    fn undecided(&self, end: EarlyEnd) -> anyhow::Result<()> {
        let Some(Target { kind, name, namespace }) = &self.target else { return Ok(()) };
        // The error itself says why the kubeconfig names no cluster.
        let Ok(meant) = config::destination(&self.connection, &Env::process()) else {
            return Ok(());
        };
        let namespace = namespace.clone().or_else(|| self.global.namespace.clone());
        let namespace = namespace.unwrap_or(meant.namespace);
        let (name, uid) = (name.clone(), String::new());
        let id = match *kind {
            "Pod" => PreemptorId::Pod(PodId { namespace, name, uid }),
            "PodGroup" => PreemptorId::Group(GroupId { namespace, name, uid }),
            // The pod of an owner has another name.
            _ => return Ok(()),
        };
        self.not_started(&Plan::empty(id, 0, Vec::new()), end).map(|_| ())
    }

    /// Ends the process because of a signal before anything was sent.
    fn interrupted(&self, signal: Signal) -> ! {
        let end = EarlyEnd::Interrupted(signal);
        let exit = end.outcome().exit();
        let problem = format!("nothing was done: {}", signal.text());
        output::report(&Error::Cluster { problem, hint: None }.into(), &self.global);
        // The exit code tells of the signal, also where standard output cannot be written.
        if let Err(error) = self.undecided(end) {
            output::report(&error, &self.global);
        }
        std::process::exit(exit.code().into())
    }
}

/// A run of `--apply`, from the beginning of the command on.
pub struct ApplyStart {
    request: ApplyRequest,
    begun: Instant,
    signals: watch::Receiver<Option<(Signal, u32)>>,
    /// Whether signals are the business of the run; before, the first one ends the process.
    is_handed_over: Arc<Mutex<bool>>,
}

impl ApplyStart {
    /// Begins to count the time and to listen to signals.
    pub fn new(request: ApplyRequest) -> Self {
        let (sender, signals) = watch::channel(None);
        let is_handed_over = Arc::new(Mutex::new(false));
        let (ready, listening) = mpsc::channel();
        let (early, handed_over) = (request.clone(), is_handed_over.clone());
        thread::spawn(move || {
            let Ok(runtime) = runtime::start("listen to signals") else { return };
            runtime.block_on(signals::each(ready, |signal| {
                sender.send_modify(|last: &mut Option<(Signal, u32)>| {
                    *last = Some((signal, last.map_or(0, |(_, count)| count) + 1));
                });
                // Held while the result is printed, so that there is only one.
                let handed_over = lock(&handed_over);
                if !*handed_over {
                    early.interrupted(signal);
                }
            }));
        });
        // An error means that nothing listens: then a signal ends the process as usual.
        let _ = listening.recv();
        Self { request, begun: Instant::now(), signals, is_handed_over }
    }

    /// The environment of everything that happens before the user is asked: it ends with the time
    /// limit.
    pub fn env(&self) -> Env {
        Env::process().until(self.deadline())
    }

    fn deadline(&self) -> Option<Instant> {
        let timeout = self.request.args.timeout.filter(|timeout| !timeout.is_zero())?;
        self.begun.checked_add(timeout)
    }

    /// Prints the result of a run that ends with this error before the decision about its pod or
    /// group, and returns the error to report: that of a time-out, if the time is over.
    ///
    /// # Errors
    /// When standard output cannot be written.
    pub fn refused(&self, error: anyhow::Error) -> anyhow::Result<anyhow::Error> {
        self.hand_over();
        let is_late = self.deadline().is_some_and(|deadline| deadline <= Instant::now());
        let error = match self.request.args.timeout {
            Some(timeout) if is_late => anyhow::Error::from(Error::Cluster {
                problem: format!(
                    "nothing was done: timed out after {timeout:?}; last error: {error}"
                ),
                hint: Some("--timeout sets a longer time".to_owned()),
            }),
            Some(_) | None => error,
        };
        self.request.undecided(EarlyEnd::Refused(error.to_string()))?;
        Ok(error)
    }

    /// Prints the result of a run that ends before its first step, if the format is JSON or YAML.
    ///
    /// # Errors
    /// When kubeconfig and flags name no cluster, or standard output cannot be written.
    pub fn not_started(&self, plan: &Plan, end: EarlyEnd) -> anyhow::Result<Exit> {
        self.hand_over();
        self.request.not_started(plan, end)
    }

    /// Executes `plan` with the flags `args`, shows its progress, and prints the result as JSON or
    /// YAML if the format says so.
    ///
    /// # Errors
    /// When the connection cannot be set up, or nothing was changed and standard output cannot be
    /// written. Later errors are printed and are part of the result.
    pub fn carry_out(
        &self,
        args: &ApplyArgs,
        plan: &Plan,
        reservation: Reservation,
        planner: Box<dyn Planner>,
    ) -> anyhow::Result<Exit> {
        let ApplyRequest { encoding, global, connection, .. } = &self.request;
        let begun = Some(self.begun);
        let options = ApplyOptions { reservation, begun, ..args.options(connection)? };
        let mut terminal = Terminal::new(global, *encoding);
        self.hand_over();
        let stop = StopSource { signals: self.signals.clone(), time_is_up: None };
        let report =
            apply::run_in(&self.env(), plan, options, planner, connection, &mut terminal, stop)?;
        crash::set_last_words(None);
        if let Some(problem) = report.problem {
            output::report(&problem.into(), global);
        }
        tell(&report.journal, *encoding, terminal.summary.get(), global)
    }

    /// From now on the run handles signals, or has ended.
    fn hand_over(&self) {
        *lock(&self.is_handed_over) = true;
    }
}

fn lock(flag: &Mutex<bool>) -> MutexGuard<'_, bool> {
    flag.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether the lines about a run have arrived at standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Summary {
    Written,
    /// Standard error is closed or full, or the run has failed before it wrote them.
    Lost,
}

/// Prints the result of a run, and returns the exit code. What was changed is reported in any case: what
/// standard output does not take goes to standard error, else into a file, and the exit code is that
/// of a run that needs a look.
///
/// # Errors
/// When nothing was changed, and standard output cannot be written.
fn tell(
    journal: &Journal,
    encoding: Option<Encoding>,
    summary: Summary,
    global: &GlobalFlags,
) -> anyhow::Result<Exit> {
    let (exit, result) = (journal.exit(), apply_result(journal));
    let written = match encoding {
        None => Ok(Reader::HasLeft),
        Some(encoding) => encoding.write(&result).and_then(|text| output::write(&text)),
    };
    match (&written, encoding) {
        (Ok(Reader::Reads), _) => return Ok(exit),
        // Text for people has gone to standard error.
        (_, None) if summary == Summary::Written => return Ok(exit),
        (_, None | Some(_)) => {}
    }
    if !journal.has_changed_anything() {
        return written.map(|_| exit);
    }
    if let Err(error) = &written {
        output::report(error, global);
    }
    let text = output::json(&result)?;
    let kept = output::insist(&text).or_else(|_| keep(journal, &text));
    Ok(match (encoding, kept) {
        // Nothing else was asked for.
        (None, Ok(())) => exit,
        (None | Some(_), _) => Exit::Stopped.or_worse(exit),
    })
}

/// Writes the result into a new file of the current folder.
fn keep(journal: &Journal, text: &Printable) -> io::Result<()> {
    let begun = journal.header().started_at.strftime("%Y%m%dT%H%M%SZ");
    let name = format!("kubectl-preempt-apply-{begun}-{}.json", std::process::id());
    OpenOptions::new().write(true).create_new(true).open(name)?.write_all(text.as_bytes())
}

/// Standard error and standard input. On a terminal, each victim has a line with a spinner.
struct Terminal {
    global: GlobalFlags,
    moving: Option<MultiProgress>,
    /// Whether the cursor is after a question. The terminal echoes the newline of the reply.
    asking: Arc<AtomicBool>,
    bars: Vec<(String, ProgressBar)>,
    encoding: Option<Encoding>,
    /// Whether every line so far was written.
    summary: Cell<Summary>,
}

impl Terminal {
    fn new(global: &GlobalFlags, encoding: Option<Encoding>) -> Self {
        let moving = (!global.quiet && io::stderr().is_terminal())
            .then(|| MultiProgress::with_draw_target(ProgressDrawTarget::stderr()));
        Self {
            global: global.clone(),
            moving,
            asking: Arc::default(),
            bars: Vec::new(),
            encoding,
            summary: Cell::new(Summary::Written),
        }
    }

    fn line(&self, line: &str) {
        self.end_question();
        let write = || {
            let line = output::wrapped(line, &self.global);
            if writeln!(io::stderr().lock(), "{line}").is_err() {
                self.summary.set(Summary::Lost);
            }
        };
        match &self.moving {
            Some(moving) => moving.suspend(write),
            None => write(),
        }
    }

    /// Starts a new line if a question was not answered.
    fn end_question(&self) {
        if self.asking.swap(false, Ordering::Relaxed) {
            let _ = writeln!(io::stderr().lock());
        }
    }

    fn bar(&mut self, victim: &PodId) -> Option<&ProgressBar> {
        let moving = self.moving.as_ref()?;
        if !self.bars.iter().any(|(uid, _)| *uid == victim.uid) {
            let bar = moving.add(ProgressBar::new_spinner());
            bar.set_style(
                ProgressStyle::with_template("{spinner} {prefix}: {wide_msg} {elapsed}  ").ok()?,
            );
            bar.set_prefix(sanitize(&victim.full_name()).into_owned());
            bar.enable_steady_tick(TICK);
            self.bars.push((victim.uid.clone(), bar));
        }
        self.bars.iter().find(|(uid, _)| *uid == victim.uid).map(|(_, bar)| bar)
    }
}

impl Ui for Terminal {
    fn say(&mut self, line: &str) {
        if !self.global.quiet {
            self.line(line);
        }
    }

    fn warn(&mut self, line: &str) {
        self.line(line);
    }

    fn can_ask(&self) -> bool {
        io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    fn ask(&mut self, question: &str) -> oneshot::Receiver<Option<String>> {
        // A spinner would draw over the question. After the reply each victim gets a new one.
        self.done();
        let question = output::wrapped(question.trim_end(), &self.global);
        let mut err = io::stderr().lock();
        // An error here means that standard error is closed.
        let _ = write!(err, "{question} ").and_then(|()| err.flush());
        self.asking.store(true, Ordering::Relaxed);
        let asking = self.asking.clone();
        let (sender, answer) = oneshot::channel();
        // Reading a terminal cannot be cancelled: after a signal the thread ends with the process.
        thread::spawn(move || {
            let mut line = String::new();
            let read = io::stdin().lock().read_line(&mut line);
            let read = read.ok().filter(|bytes| *bytes > 0);
            if read.is_some() {
                asking.store(false, Ordering::Relaxed);
            }
            let _ = sender.send(read.map(|_| line));
        });
        answer
    }

    fn progress(&mut self, victim: &PodId, state: VictimState, detail: &str) {
        let Some(bar) = self.bar(victim) else { return };
        let shown = match state {
            VictimState::NotStarted | VictimState::DryRunPassed => "waiting",
            VictimState::DryRunRefused | VictimState::Refused => "refused",
            VictimState::Unknown | VictimState::Other => "not known",
            VictimState::Accepted => "accepted",
            VictimState::AlreadyTerminating | VictimState::Terminating => "being deleted",
            VictimState::GoneByItself | VictimState::Gone => "gone",
        };
        let text = if detail.is_empty() { shown.to_owned() } else { format!("{shown} ({detail})") };
        if matches!(state, VictimState::GoneByItself | VictimState::Gone) {
            bar.finish_with_message(text);
        } else {
            bar.set_message(text);
        }
    }

    fn recorded(&mut self, journal: &Journal) {
        if !journal.has_changed_anything() {
            return crash::set_last_words(None);
        }
        let (journal, encoding) = (journal.clone(), self.encoding);
        let global = self.global.clone();
        crash::set_last_words(Some(Box::new(move || {
            let problem = "stopped half-way: the program has failed";
            let broken_off = journal.broken_off(Timestamp::now(), problem);
            let told = tell(&broken_off, encoding, Summary::Lost, &global);
            told.unwrap_or(Exit::Stopped).or_worse(Exit::Stopped).code()
        })));
    }

    fn done(&mut self) {
        self.end_question();
        for (_, bar) in self.bars.drain(..) {
            bar.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        apply: ApplyArgs,
        pod: Option<String>,
    }

    fn parse(line: &str) -> Result<Line, clap::Error> {
        Line::try_parse_from(format!("test {line}").split_whitespace())
    }

    fn options(line: &str) -> ApplyOptions {
        parse(line).unwrap().apply.options(&ConnectionFlags::default()).unwrap()
    }

    #[test]
    fn flags_read_as_kubectl_drain_reads_them() {
        let plain = options("--apply web");
        assert_eq!((plain.mode, plain.dry_run, plain.wait), (Mode::Evict, DryRunMode::None, true));
        assert_eq!((plain.timeout, plain.grace_period, plain.yes), (None, None, false));
        let all = options(
            "--apply -y --mode=delete --timeout 90 --wait=false --grace-period=5 --dry-run=server --force",
        );
        assert_eq!((all.mode, all.dry_run, all.wait), (Mode::Delete, DryRunMode::Server, false));
        assert_eq!((all.timeout, all.grace_period), (Some(Duration::from_secs(90)), Some(5)));
        assert!(all.yes && all.force);
        let bare = parse("--apply --dry-run web").unwrap();
        assert_eq!(
            (bare.apply.dry_run, bare.pod.as_deref()),
            (Some(DryRunMode::Client), Some("web"))
        );
        assert_eq!(options("--apply --grace-period -1").grace_period, None);
        assert_eq!(options("--apply --dry-run=false").dry_run, DryRunMode::None);
        assert!(options("--apply --no-interactive").yes);
    }

    #[test]
    fn flags_of_apply_need_it() {
        let needs =
            |line: &str| parse(line).unwrap().apply.check(false).map_err(|error| error.to_string());
        for (line, flags) in [
            ("--mode=evict", "--mode needs"),
            ("--nominate", "--nominate needs"),
            ("-y", "--yes needs"),
            ("--no-interactive", "--yes needs"),
            ("--force", "--force needs"),
            ("--delete-emptydir-data", "--delete-emptydir-data needs"),
            ("--timeout=1s", "--timeout needs"),
            ("--wait", "--wait needs"),
            ("--wait=false", "--wait needs"),
            ("--grace-period=-1", "--grace-period needs"),
            ("--dry-run", "--dry-run needs"),
            ("--dry-run=none", "--dry-run needs"),
            ("--record", "--record needs"),
            (
                "--dry-run=server --grace-period 5 --wait=false",
                "--wait, --grace-period and --dry-run need",
            ),
        ] {
            let error = needs(line).unwrap_err();
            let why = " --apply: without it, simulate shows the plan and changes nothing";
            assert_eq!(error, format!("{flags}{why}"), "{line}");
            assert_eq!(needs(&format!("--apply {line}")), Ok(()), "{line}");
        }
        assert_eq!(needs(""), Ok(()));
        assert!(parse("--apply --dry-run=perhaps").is_err());
    }

    #[test]
    fn no_flag_of_apply_is_unchecked() {
        use clap::CommandFactory as _;

        let line = Line::command();
        let flags = line
            .get_arguments()
            .filter(|arg| arg.get_long().is_some_and(|long| !["apply", "help"].contains(&long)));
        let names: Vec<String> =
            flags.map(|arg| format!("--{}", arg.get_long().unwrap_or_default())).collect();
        for flag in &names {
            let value = match flag.as_str() {
                "--mode" => "=evict",
                "--timeout" | "--grace-period" => "=1",
                _ => "",
            };
            let error = parse(&format!("{flag}{value}")).unwrap().apply.check(false).unwrap_err();
            assert!(error.to_string().starts_with(&format!("{flag} needs")), "{error}");
        }
        assert_eq!(names.len(), 11);
    }
}

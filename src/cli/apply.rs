//! `simulate --apply`: its flags, its terminal, and how its result is shown.

use std::io::{self, BufRead as _, IsTerminal, Write as _};
use std::thread;
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use tokio::sync::oneshot;

use super::flags::GlobalFlags;
use super::output;
use super::printer::BasicFormat;
use crate::api::flags::{ConnectionFlags, parse_bool, parse_timeout};
use crate::apply::journal::VictimState;
use crate::apply::json::JsonApplyResult;
use crate::apply::{self, ApplyOptions, DryRun, Mode, Planner, Ui, WaitTimes};
use crate::error::Error;
use crate::exit::Exit;
use engine::simulation::plan::{Plan, PodId};
use render::page::sanitize;

/// How often the spinners move.
const TICK: Duration = Duration::from_millis(200);

/// Flags of `--apply`.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Apply")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct ApplyArgs {
    /// Carry the plan out: evict the victims, one at a time, and wait until the pod is on a node
    #[arg(long)]
    pub apply: bool,

    /// How victims are made to go: evict keeps disruption budgets, delete does what kube-scheduler does and does not
    #[arg(long, value_enum, default_value_t = ModeArg::Evict, requires = "apply")]
    pub mode: ModeArg,

    /// Set the pod's nominatedNodeName before the first eviction, if it is unset, and take it back if the plan fails
    #[arg(long, requires = "apply")]
    pub nominate: bool,

    /// Do not ask. Plans that violate a PodDisruptionBudget with --mode=delete need --force, too
    #[arg(short = 'y', long, alias = "no-interactive", requires = "apply")]
    pub yes: bool,

    /// Continue even if there are victims that should better stay: static pods, pods without a controller, pods of the
    /// system, pods that come back to the same node
    #[arg(long, requires = "apply")]
    pub force: bool,

    /// Continue even if victims use emptyDir volumes, whose data are lost
    #[arg(long, requires = "apply")]
    pub delete_emptydir_data: bool,

    /// The length of time to wait before giving up, zero means infinite [default: 5m and the longest grace period]
    #[arg(long, value_name = "DURATION", value_parser = parse_timeout, requires = "apply")]
    pub timeout: Option<Duration>,

    /// If false, return when the last eviction is accepted
    #[arg(long, value_name = "BOOL", default_value = "true", value_parser = parse_bool, num_args = 0..=1,
          require_equals = true, default_missing_value = "true", action = clap::ArgAction::Set)]
    pub wait: bool,

    /// Period of time in seconds given to each victim to stop. If negative, what the pod itself asks for
    #[arg(long, value_name = "SECONDS", default_value_t = -1, allow_negative_numbers = true)]
    pub grace_period: i64,

    /// Must be "none", "server", or "client". client: nothing is sent. server: the server tries and does nothing
    #[arg(long, value_name = "HOW", default_value = "none", value_parser = parse_dry_run, num_args = 0..=1,
          require_equals = true, default_missing_value = "client")]
    pub dry_run: DryRun,

    /// Write an Event on each victim
    #[arg(long, requires = "apply")]
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

/// As kubectl reads it: booleans still work.
fn parse_dry_run(text: &str) -> Result<DryRun, String> {
    match text {
        "none" => Ok(DryRun::None),
        "client" | "unchanged" => Ok(DryRun::Client),
        "server" => Ok(DryRun::Server),
        other => match parse_bool(other) {
            Ok(true) => Ok(DryRun::Client),
            Ok(false) => Ok(DryRun::None),
            Err(_) => Err("must be \"none\", \"server\", or \"client\"".to_owned()),
        },
    }
}

impl ApplyArgs {
    fn options(&self, connection: &ConnectionFlags) -> Result<ApplyOptions, Error> {
        let grace_period = match u32::try_from(self.grace_period) {
            Ok(seconds) => Some(seconds),
            Err(_) if self.grace_period < 0 => None,
            Err(_) => return Err(Error::usage(format!("--grace-period={} is too long", self.grace_period))),
        };
        Ok(ApplyOptions {
            mode: match self.mode {
                ModeArg::Evict => Mode::Evict,
                ModeArg::Delete => Mode::Delete,
            },
            dry_run: self.dry_run,
            nominate: self.nominate,
            force: self.force,
            delete_emptydir_data: self.delete_emptydir_data,
            timeout: self.timeout,
            wait: self.wait,
            grace_period,
            yes: self.yes,
            record: self.record,
            request_timeout: connection.request_timeout,
            wait_times: WaitTimes::default(),
        })
    }
}

/// Carries `plan` out, shows its progress, and prints the result as JSON or YAML if `format` asks for it.
///
/// # Errors
/// When the connection cannot be set up, or standard output cannot be written. Later errors are printed and are part of the
/// result.
pub fn carry_out(
    args: &ApplyArgs,
    plan: &Plan,
    planner: Box<dyn Planner>,
    format: BasicFormat,
    global: &GlobalFlags,
    connection: &ConnectionFlags,
) -> anyhow::Result<Exit> {
    let options = args.options(connection)?;
    let mut terminal = Terminal::new(global.quiet);
    let report = apply::run(plan, options, planner, connection, &mut terminal)?;
    if let Some(problem) = report.problem {
        output::report(&problem.into(), global);
    }
    if format != BasicFormat::Text {
        output::print(&format.encode(&JsonApplyResult::new(&report.journal))?)?;
    }
    Ok(report.journal.exit())
}

/// Standard error and standard input. On a terminal, each victim has a line with a spinner.
struct Terminal {
    quiet: bool,
    moving: Option<MultiProgress>,
    bars: Vec<(String, ProgressBar)>,
}

impl Terminal {
    fn new(quiet: bool) -> Self {
        let moving = (!quiet && io::stderr().is_terminal())
            .then(|| MultiProgress::with_draw_target(ProgressDrawTarget::stderr()));
        Self { quiet, moving, bars: Vec::new() }
    }

    fn line(&self, line: &str) {
        let write = || {
            // An error here means that standard error is closed.
            let _ = writeln!(io::stderr().lock(), "{line}");
        };
        match &self.moving {
            Some(moving) => moving.suspend(write),
            None => write(),
        }
    }

    fn bar(&mut self, victim: &PodId) -> Option<&ProgressBar> {
        let moving = self.moving.as_ref()?;
        if !self.bars.iter().any(|(uid, _)| *uid == victim.uid) {
            let bar = moving.add(ProgressBar::new_spinner());
            bar.set_style(ProgressStyle::with_template("{spinner} {prefix}: {wide_msg} {elapsed}").ok()?);
            bar.set_prefix(sanitize(&victim.full_name()).into_owned());
            bar.enable_steady_tick(TICK);
            self.bars.push((victim.uid.clone(), bar));
        }
        self.bars.iter().find(|(uid, _)| *uid == victim.uid).map(|(_, bar)| bar)
    }
}

impl Ui for Terminal {
    fn say(&mut self, line: &str) {
        if !self.quiet {
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
        // A spinner that turns would draw over the question. After the answer each victim gets a new one.
        self.done();
        let mut err = io::stderr().lock();
        // An error here means that standard error is closed.
        let _ = write!(err, "{question}").and_then(|()| err.flush());
        let (sender, answer) = oneshot::channel();
        // Reading a terminal cannot be cancelled: after a signal the thread ends with the process.
        thread::spawn(move || {
            let mut line = String::new();
            let read = io::stdin().lock().read_line(&mut line);
            let _ = sender.send(read.ok().filter(|bytes| *bytes > 0).map(|_| line));
        });
        answer
    }

    fn progress(&mut self, victim: &PodId, state: VictimState, detail: &str) {
        let Some(bar) = self.bar(victim) else { return };
        let shown = match state {
            VictimState::NotStarted | VictimState::DryRunPassed => "waiting",
            VictimState::DryRunRefused | VictimState::Refused => "refused",
            VictimState::Unknown => "not known",
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

    fn done(&mut self) {
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
        assert_eq!((plain.mode, plain.dry_run, plain.wait), (Mode::Evict, DryRun::None, true));
        assert_eq!((plain.timeout, plain.grace_period, plain.yes), (None, None, false));
        let all =
            options("--apply -y --mode=delete --timeout 90 --wait=false --grace-period=5 --dry-run=server --force");
        assert_eq!((all.mode, all.dry_run, all.wait), (Mode::Delete, DryRun::Server, false));
        assert_eq!((all.timeout, all.grace_period), (Some(Duration::from_secs(90)), Some(5)));
        assert!(all.yes && all.force);
        let bare = parse("--apply --dry-run web").unwrap();
        assert_eq!((bare.apply.dry_run, bare.pod.as_deref()), (DryRun::Client, Some("web")));
        assert_eq!(options("--apply --grace-period -1").grace_period, None);
        assert_eq!(options("--apply --dry-run=false").dry_run, DryRun::None);
        assert!(options("--apply --no-interactive").yes);
    }

    #[test]
    fn flags_of_apply_need_it() {
        for line in ["--yes", "--force", "--nominate", "--mode=delete", "--timeout=1s", "--record"] {
            assert!(parse(line).is_err(), "{line}");
        }
        assert!(parse("--apply --dry-run=perhaps").is_err());
    }
}

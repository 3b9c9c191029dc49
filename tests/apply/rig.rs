//! A server, a scripted user and a run of the program.

use std::process::Command;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use clap::Parser;
use engine::simulation::plan::{Plan, PodId};
use kubectl_preempt::api::Env;
use kubectl_preempt::api::flags::ConnectionFlags;
use kubectl_preempt::apply::journal::{Landing, RecordedNomination, VictimState};
use kubectl_preempt::apply::json::apply_result;
use kubectl_preempt::apply::{
    self, ApplyOptions, ApplyReport, PreemptorStatus, Signal, StopSource, Ui, WaitTimes,
};
use kubectl_preempt::capture::live::ReadScope;
use kubectl_preempt::error::Error;
use serde_json::Value;
use tempfile::TempDir;
use tokio::sync::{oneshot, watch};

use super::model::Model;
use super::planner::{self, KINDS, LivePlanner};
use super::server::{Arrived, FakeCluster, Fault, Request, Server};
use engine::simulation::competitors::Residents;

/// The waiting times in tests: a fraction of the usual ones.
pub fn fast() -> WaitTimes {
    WaitTimes {
        budget: Duration::from_millis(4),
        busy: Duration::from_millis(2),
        retry: Duration::from_millis(1),
        longest: Duration::from_millis(10),
        poll: Duration::from_millis(3),
        watch: Duration::from_secs(1),
        finish: LIMIT,
        ..WaitTimes::default()
    }
}

/// The time limit of a run. Only a broken one reaches it; a test that is about it ends the time
/// with [`Rig::time_is_up`].
pub const LIMIT: Duration = Duration::from_secs(300);

/// The options of most tests: `--yes`, and short waits.
pub fn options() -> ApplyOptions {
    ApplyOptions {
        yes: true,
        wait: true,
        timeout: Some(LIMIT),
        request_timeout: Some(Duration::from_secs(5)),
        wait_times: fast(),
        ..ApplyOptions::default()
    }
}

/// A certificate authority for the kubeconfig: with one, the client does not load those of the
/// system in each run.
fn authority() -> &'static str {
    static PEM: OnceLock<String> = OnceLock::new();
    PEM.get_or_init(|| {
        rcgen::generate_simple_self_signed(["nobody".to_owned()]).unwrap().cert.pem()
    })
}

type OnAsk = Box<dyn FnMut(&mut FakeCluster) + Send>;
type OnProgress = Box<dyn FnMut(&[(String, VictimState)]) + Send>;

/// A user with prepared answers.
pub struct User {
    pub lines: Vec<String>,
    /// The answers, in turn; `None`: there is no terminal.
    pub answers: Option<Vec<&'static str>>,
    /// Whether the user agrees to every further question.
    pub agrees: bool,
    /// Whether the user never answers.
    pub thinks: bool,
    thoughts: Vec<oneshot::Sender<Option<String>>>,
    pub asked: Vec<String>,
    /// What happens at each question.
    pub on_ask: Option<(Arc<Mutex<FakeCluster>>, OnAsk)>,
    pub progress: Vec<(String, VictimState)>,
    /// What happens at each progress, with all of it.
    pub on_progress: Option<OnProgress>,
}

impl Ui for User {
    fn say(&mut self, line: &str) {
        self.lines.push(line.to_owned());
    }
    fn warn(&mut self, line: &str) {
        self.lines.push(line.to_owned());
    }
    fn can_ask(&self) -> bool {
        self.answers.is_some()
    }
    fn ask(&mut self, question: &str) -> oneshot::Receiver<Option<String>> {
        self.asked.push(question.to_owned());
        if let Some((view, act)) = &mut self.on_ask {
            act(&mut view.lock().unwrap());
        }
        let (sender, receiver) = oneshot::channel();
        let answers = self.answers.as_mut().unwrap();
        let agreed = if question.contains("Type main") { "main\n" } else { "y\n" };
        let answer = match answers.first() {
            Some(_) => Some(format!("{}\n", answers.remove(0))),
            None => self.agrees.then(|| agreed.to_owned()),
        };
        if self.thinks {
            self.thoughts.push(sender);
        } else {
            sender.send(answer).unwrap();
        }
        receiver
    }
    fn progress(&mut self, victim: &PodId, state: VictimState, _: &str) {
        self.progress.push((victim.name.clone(), state));
        if let Some(act) = &mut self.on_progress {
            act(&self.progress);
        }
    }
    fn done(&mut self) {}
}

/// The connection flags of an empty command line.
fn flags() -> ConnectionFlags {
    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        flags: ConnectionFlags,
    }
    Line::try_parse_from(["test"]).unwrap().flags
}

pub struct Rig {
    pub server: Server,
    pub plan: Plan,
    /// How the cluster is read and kept.
    pub scope: ReadScope,
    pub user: User,
    pub signals: watch::Sender<Option<(Signal, u32)>>,
    /// Ends the time of a run that has a limit, which is longer than any run takes.
    pub time_is_up: watch::Sender<bool>,
    stop: StopSource,
    home: TempDir,
}

/// A run that ended.
pub struct Ran {
    pub report: ApplyReport,
    pub json: Value,
    pub lines: Vec<String>,
}

impl Rig {
    /// A rig for the group, or for the pod named `web`; `None` if it needs no victims.
    pub fn new(
        model: Model,
        hook: impl FnMut(&Request, &mut Model) -> Option<Fault> + Send + 'static,
    ) -> Option<Self> {
        let preemptor = model.now.preemptor().unwrap();
        let PreemptorStatus::NeedsEviction(plan) = planner::plan(&model.now, &preemptor) else {
            return None;
        };
        let plan = *plan;
        let server = Server::start(model, hook);
        server.view.lock().unwrap().plan = Some(plan.clone());
        let (signals, signals_heard) = watch::channel(None);
        let (time_is_up, up_heard) = watch::channel(false);
        let stop = StopSource { signals: signals_heard, time_is_up: Some(up_heard) };
        let home = tempfile::tempdir().unwrap();
        let config = format!(
            "apiVersion: v1\nkind: Config\ncurrent-context: main\n\
             contexts: [{{name: main, context: {{cluster: c, user: me, namespace: shop}}}}]\n\
             clusters: [{{name: c, cluster: {{server: 'http://{}', certificate-authority: ca.pem}}}}]\n\
             users: [{{name: me, user: {{token: t}}}}]\n",
            server.address
        );
        std::fs::write(home.path().join("config"), config).unwrap();
        std::fs::write(home.path().join("ca.pem"), authority()).unwrap();
        let user = User {
            lines: Vec::new(),
            answers: None,
            agrees: false,
            thinks: false,
            thoughts: Vec::new(),
            asked: Vec::new(),
            on_ask: None,
            progress: Vec::new(),
            on_progress: None,
        };
        let scope = ReadScope::of(&KINDS);
        Some(Self { server, plan, scope, user, signals, time_is_up, stop, home })
    }

    pub fn run(&mut self, options: ApplyOptions) -> Ran {
        let report = self.try_run(options).unwrap();
        let json = serde_json::to_value(apply_result(&report.journal)).unwrap();
        Ran { report, json, lines: std::mem::take(&mut self.user.lines) }
    }

    /// The error of a run that did not start.
    pub fn refused(&mut self, options: ApplyOptions) -> String {
        self.try_run(options).unwrap_err().to_string()
    }

    /// The program itself, connected to the server.
    pub fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-preempt"));
        command
            .env("KUBECONFIG", self.home.path().join("config"))
            .env("TERM", "xterm-256color")
            .env("LANG", "C.UTF-8");
        command
    }

    fn try_run(&mut self, options: ApplyOptions) -> Result<ApplyReport, Error> {
        let env = Env::of([("KUBECONFIG", self.home.path().join("config").to_str().unwrap())]);
        let planner = LivePlanner {
            env: env.clone(),
            flags: flags(),
            scope: self.scope.clone(),
            kept: None,
            residents: Residents::default(),
        };
        let stop = self.stop.clone();
        apply::run_in(&env, &self.plan, options, Box::new(planner), &flags(), &mut self.user, stop)
    }

    pub fn view<T>(&self, look: impl FnOnce(&mut FakeCluster) -> T) -> T {
        look(&mut self.server.view.lock().unwrap())
    }

    /// The writes that arrived at the server and were no dry runs.
    pub fn writes(&self) -> Vec<Arrived> {
        self.view(|view| view.writes.clone())
    }
}

impl Ran {
    pub fn code(&self) -> u8 {
        let code = self.report.journal.exit().code();
        assert_eq!(self.json["exitCode"], code);
        code
    }

    pub fn problem(&self) -> String {
        self.report.problem.as_ref().map(ToString::to_string).unwrap_or_default()
    }

    /// The states of the victims, in the plan's order.
    pub fn states(&self) -> Vec<VictimState> {
        self.report.journal.victims().iter().map(|victim| victim.state).collect()
    }

    /// The nomination of the first pod that gets room.
    pub fn nomination(&self) -> &RecordedNomination {
        &self.report.journal.preemptors()[0].nomination
    }

    /// Where the pods are that get room.
    pub fn landings(&self) -> Vec<&Landing> {
        self.report.journal.preemptors().iter().map(|preemptor| &preemptor.landing).collect()
    }

    /// The outcomes of the requests for a victim that were no dry runs.
    pub fn outcomes(&self, victim: usize) -> Vec<&'static str> {
        let attempts = &self.report.journal.victims()[victim].attempts;
        attempts.iter().filter(|a| !a.dry_run).map(|a| a.outcome.name()).collect()
    }

    pub fn said(&self, text: &str) -> bool {
        self.lines.iter().any(|line| line.contains(text))
    }
}

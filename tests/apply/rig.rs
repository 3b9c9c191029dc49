//! A server, a user and a run of the program.

use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use clap::Parser;
use engine::simulation::plan::{Plan, PodId};
use kubectl_preempt::api::Env;
use kubectl_preempt::api::flags::ConnectionFlags;
use kubectl_preempt::apply::result::VictimState;
use kubectl_preempt::apply::{self, ApplyOptions, ApplyReport, Pace, Signal, Signals, Standing, Ui};
use kubectl_preempt::error::Error;
use serde_json::Value;
use tempfile::TempDir;
use tokio::sync::{oneshot, watch};

use super::model::Model;
use super::planner::{self, LivePlanner};
use super::server::{Arrived, ClusterView, Fault, Request, Server};

/// Time in a test: a hundredth of the usual.
pub fn fast() -> Pace {
    Pace {
        budget: Duration::from_millis(4),
        busy: Duration::from_millis(2),
        retry: Duration::from_millis(1),
        longest: Duration::from_millis(10),
        poll: Duration::from_millis(3),
        watch: Duration::from_secs(1),
        finish: Duration::from_millis(200),
        ..Pace::default()
    }
}

/// What most tests want: yes to everything, and no long waits.
pub fn options() -> ApplyOptions {
    ApplyOptions {
        yes: true,
        wait: true,
        timeout: Some(Duration::from_secs(20)),
        request_timeout: Some(Duration::from_secs(5)),
        pace: fast(),
        ..ApplyOptions::default()
    }
}

/// A certificate of nobody: with one at hand, those of the system are not read, a thousand times.
fn authority() -> &'static str {
    static PEM: OnceLock<String> = OnceLock::new();
    PEM.get_or_init(|| rcgen::generate_simple_self_signed(["nobody".to_owned()]).unwrap().cert.pem())
}

type OnAsk = Box<dyn FnMut(&mut ClusterView) + Send>;

/// A user who answers what was agreed before.
pub struct User {
    pub lines: Vec<String>,
    /// What is answered, in turn; `None`: nobody is there.
    pub answers: Option<Vec<&'static str>>,
    /// Whether everything else is answered with what is asked for.
    pub agrees: bool,
    /// Whether no answer ever comes.
    pub thinks: bool,
    thoughts: Vec<oneshot::Sender<Option<String>>>,
    pub asked: Vec<String>,
    /// What happens meanwhile.
    pub on_ask: Option<(Arc<Mutex<ClusterView>>, OnAsk)>,
    pub progress: Vec<(String, VictimState)>,
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
    }
    fn done(&mut self) {}
}

/// Flags as typed.
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
    pub user: User,
    pub signals: watch::Sender<Option<(Signal, u32)>>,
    heard: watch::Receiver<Option<(Signal, u32)>>,
    home: TempDir,
}

/// What is known after a run.
pub struct Ran {
    pub report: ApplyReport,
    pub json: Value,
    pub lines: Vec<String>,
}

impl Rig {
    /// A run for the pod named `web`; `None` if nobody has to go for it.
    pub fn new(model: Model, hook: impl FnMut(&Request, &mut Model) -> Option<Fault> + Send + 'static) -> Option<Self> {
        let preemptor = model.now.named("web").unwrap().id();
        let Standing::Needed(plan) = planner::plan(&model.now, &preemptor) else { return None };
        let server = Server::start(model, hook);
        server.view.lock().unwrap().plan = Some(plan.clone());
        let (signals, heard) = watch::channel(None);
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
        };
        Some(Self { server, plan, user, signals, heard, home })
    }

    pub fn run(&mut self, options: ApplyOptions) -> Ran {
        let report = self.try_run(options).unwrap();
        let json = serde_json::to_value(&report.result).unwrap();
        Ran { report, json, lines: std::mem::take(&mut self.user.lines) }
    }

    /// Why nothing was even tried.
    pub fn refused(&mut self, options: ApplyOptions) -> String {
        self.try_run(options).unwrap_err().to_string()
    }

    fn try_run(&mut self, options: ApplyOptions) -> Result<ApplyReport, Error> {
        let env = Env::of([("KUBECONFIG", self.home.path().join("config").to_str().unwrap())]);
        let planner = LivePlanner { env: env.clone(), flags: flags() };
        let signals = Signals::From(self.heard.clone());
        apply::run_in(&env, &self.plan, options, Box::new(planner), &flags(), &mut self.user, signals)
    }

    pub fn view<T>(&self, look: impl FnOnce(&mut ClusterView) -> T) -> T {
        look(&mut self.server.view.lock().unwrap())
    }

    /// What arrived at the server and was more than a dry run.
    pub fn writes(&self) -> Vec<Arrived> {
        self.view(|view| view.writes.clone())
    }
}

impl Ran {
    pub fn code(&self) -> u8 {
        assert_eq!(self.report.exit.code(), self.report.result.exit_code);
        self.report.exit.code()
    }

    pub fn problem(&self) -> String {
        self.report.problem.as_ref().map(ToString::to_string).unwrap_or_default()
    }

    /// The states of the victims, in the plan's order.
    pub fn states(&self) -> Vec<VictimState> {
        self.report.result.victims.iter().map(|victim| victim.state).collect()
    }

    /// The outcomes of the requests for a victim, dry runs apart.
    pub fn outcomes(&self, victim: usize) -> Vec<&'static str> {
        let attempts = &self.report.result.victims[victim].attempts;
        attempts.iter().filter(|a| !a.dry_run).map(|a| a.outcome).collect()
    }

    pub fn said(&self, text: &str) -> bool {
        self.lines.iter().any(|line| line.contains(text))
    }
}

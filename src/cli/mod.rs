//! The command line: what is typed, and what is done with it. The only place besides `capture` that touches files,
//! environment, clock and terminal.

pub mod apply;
pub mod charset;
pub mod color;
pub mod compare;
pub mod complete;
pub mod completion;
pub mod doctor;
pub mod explain;
pub mod extenders;
pub mod man;
pub mod options;
pub mod output;
pub mod pending;
pub mod printer;
pub mod progress;
pub mod question;
pub mod rules;
pub mod scheduler;
pub mod schema;
pub mod selector;
pub mod simulate;
pub mod snapshot;
pub mod target;
pub mod verify;
pub mod version;

use std::ffi::OsString;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::api::flags::ConnectionFlags;
use crate::error::Error;
use crate::exit::Exit;
use color::ColorChoice;

const EXAMPLES: &str = "\
Examples:
  # Why is pod web-1 pending, and whom would the scheduler throw out for it?
  kubectl preempt explain web-1

  # The pending pods of a deployment in another namespace, as JSON
  kubectl preempt explain deploy/web -n shop -o json

  # What becomes of every pending pod, and what is each waiting for? (-w: as it changes)
  kubectl preempt pending -A

  # Which pending pods would be decided about differently after an upgrade, and by which rule?
  kubectl preempt explain -A --compare 1.35,1.37

  # What would become of a pod that does not exist yet, with another priority?
  kubectl preempt simulate -f pod.yaml --priority high

  # Does the scheduler's own message agree with this program, for every pending pod?
  kubectl preempt verify -A

  # What does the scheduler mean by that?
  kubectl preempt rules 'No preemption victims found for incoming pod'

  # Can the cluster be reached, and what may I do on it?
  kubectl preempt doctor

  # No cluster needed: from what kubectl wrote
  kubectl get nodes,pods,pdb,priorityclasses,namespaces -A -o json > cluster.json
  kubectl preempt explain web-1 --from cluster.json";

/// Why is a pod pending, and whom would kube-scheduler throw out for it?
///
/// Reads nodes, pods and `PodDisruptionBudgets` from the cluster or from a file and runs the scheduler's whole decision
/// offline: every filter on every node, the dry run of preemption on every node that it may help, and the tie-break.
/// Nothing is ever written to the cluster.
#[derive(Debug, Parser)]
#[command(name = "kubectl-preempt", bin_name = "kubectl preempt", version, after_help = EXAMPLES)]
#[command(subcommand_required = true, arg_required_else_help = true, disable_help_subcommand = false)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,

    #[command(flatten)]
    global: GlobalFlags,

    #[command(flatten)]
    connection: ConnectionFlags,
}

/// Flags of every command.
#[derive(Debug, Default, Clone, clap::Args)]
pub struct GlobalFlags {
    /// If present, the namespace scope for this CLI request
    #[arg(short = 'n', long, value_name = "NAMESPACE", global = true)]
    pub namespace: Option<String>,

    /// When to use colour
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = ColorChoice::Auto, global = true)]
    pub color: ColorChoice,

    /// Write ASCII alone; other characters are shown as \u{...}. The default where the locale is not UTF-8
    #[arg(long, env = "KUBECTL_PREEMPT_ASCII", hide_env_values = true, global = true,
        value_parser = clap::builder::FalseyValueParser::new())]
    pub ascii: bool,

    /// Say nothing but the answer and errors
    #[arg(short = 'q', long, global = true)]
    pub quiet: bool,

    /// Log level: 1 shows what is connected to, 4 what is read, 6 requests, 8 headers
    #[arg(short = 'v', long = "v", value_name = "LEVEL", default_value_t = 0, global = true)]
    pub verbosity: u8,
}

#[derive(Debug, Subcommand)]
enum Command {
    Explain(explain::ExplainArgs),
    Pending(pending::PendingArgs),
    Simulate(Box<simulate::SimulateArgs>),
    Snapshot(snapshot::SnapshotArgs),
    Verify(verify::VerifyArgs),
    Doctor(doctor::DoctorArgs),
    Completion(completion::CompletionArgs),
    Rules(rules::RulesArgs),
    /// Print the JSON Schema of `-o json`
    Schema,
    /// Print the flags that every command takes
    Options,
    Version(version::VersionArgs),
}

/// Runs the program on the process's arguments, environment and streams.
#[must_use]
pub fn main() -> Exit {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    if let Some(words) = complete::asked(&arguments) {
        complete::run(words);
        return Exit::Answered;
    }
    let cli = match parse(arguments) {
        Ok(cli) => cli,
        Err(e) => {
            output::usage(&e);
            return if e.use_stderr() { Exit::Failed } else { Exit::Answered };
        }
    };
    run(&cli).unwrap_or_else(|error| {
        output::report(&error, &cli.global);
        Exit::Failed
    })
}

/// Everything that can be typed.
#[must_use]
pub fn command() -> clap::Command {
    complete::hinted(Cli::command())
}

/// Reads the arguments. Called other than as a kubectl plugin, the program goes by the name it was called by.
fn parse(arguments: Vec<OsString>) -> Result<Cli, clap::Error> {
    let called = arguments.first().map(std::path::Path::new).and_then(std::path::Path::file_stem);
    let called = called.map(|stem| stem.to_string_lossy().into_owned()).filter(|stem| !stem.starts_with("kubectl-"));
    let mut command = Cli::command();
    if let Some(name) = called {
        command = command.bin_name(name);
    }
    let matches = command.try_get_matches_from_mut(arguments)?;
    Cli::from_arg_matches(&matches).map_err(|e| e.format(&mut command))
}

fn run(cli: &Cli) -> Result<Exit, Error> {
    output::log(cli.global.verbosity);
    match &cli.command {
        Command::Explain(args) => explain::run(args, &cli.global, &cli.connection),
        Command::Pending(args) => pending::run(args, &cli.global, &cli.connection),
        Command::Simulate(args) => simulate::run(args, &cli.global, &cli.connection),
        Command::Snapshot(args) => snapshot::run(args, &cli.connection, &cli.global).map(|()| Exit::Answered),
        Command::Verify(args) => verify::run(args, &cli.global, &cli.connection),
        Command::Doctor(args) => doctor::run(args, &cli.global, &cli.connection),
        Command::Completion(args) => completion::run(args, &cli.global).map(|()| Exit::Answered),
        Command::Rules(args) => rules::run(args, &cli.global),
        Command::Schema => {
            output::print(&output::json(&schema::schema())?)?;
            Ok(Exit::Answered)
        }
        Command::Options => output::print(&options::text()).map(|()| Exit::Answered),
        Command::Version(args) => version::run(args).map(|()| Exit::Answered),
    }
}

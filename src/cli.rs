//! The command line: reads the arguments and runs the command that they name.
//!
//! Each command has a module with its arguments (`…Args`) and a function `run`. This file declares
//! them as subcommands and dispatches; no command imports it. The commands return `anyhow::Result`,
//! because an error is only printed from here on; what they call returns `crate::error::Error`,
//! whose kind and hint can be read.
//!
//! Besides `capture`, `api` and `apply` this is the only folder that uses files, environment, clock
//! and terminal.

mod apply;
mod audit;
mod booleans;
mod complete;
pub mod completion;
mod deciding;
mod decision_list;
mod doctor;
pub mod ending;
mod explain;
mod extenders;
pub mod flags;
mod headroom;
mod help;
mod input;
mod kubectl_format;
mod mcp;
mod node;
mod options;
pub mod output;
mod pager;
mod pending;
mod printer;
mod printing;
mod progress;
mod risk;
mod rules;
mod scheduler;
mod schema;
mod simulate;
pub mod snapshot;
mod suggest;
mod terminal;
mod usage;
mod verify;
mod version;
mod why_evicted;

use std::ffi::OsString;

use clap::error::{ContextKind, ErrorKind};
use clap::parser::ValueSource;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::api::flags::ConnectionFlags;
use crate::exit::Exit;
use crate::program;
use ending::Ending;
use flags::GlobalFlags;
use render::safe::Printable;

const EXAMPLES: &str = "\
Examples:
  # Why is pod web-1 pending, and which pods would be evicted to make room?
  kubectl preempt explain web-1

  # Which pods of the cluster are pending, and what blocks each of them?
  kubectl preempt pending -A

  # Which running pods can be preempted, and by which priority classes?
  kubectl preempt risk -A

  # Can that node go away, and why has it not been removed?
  kubectl preempt node worker-3

  # Who preempted that pod, and why?
  kubectl preempt why-evicted web-1

  # What makes preemption surprising or dangerous in this cluster?
  kubectl preempt audit

  # No cluster needed: from what kubectl wrote
  kubectl get nodes,pods,namespaces,services,rc,rs,sts,pdb,priorityclasses -A -o json > cluster.json
  kubectl preempt explain web-1 --from cluster.json";

/// Why is a pod pending, and which pods would kube-scheduler evict to make room?
///
/// Reads nodes, pods and PodDisruptionBudgets from the cluster or from files, and runs the
/// scheduler's whole decision offline: every filter on every node, the dry run of preemption, and
/// the tie-break. Only `simulate --apply` writes to the cluster.
#[derive(Debug, Parser)]
#[command(name = "kubectl-preempt", bin_name = "kubectl preempt", version, before_help = EXAMPLES)]
#[command(subcommand_required = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,

    #[command(flatten)]
    global: GlobalFlags,

    #[command(flatten)]
    connection: ConnectionFlags,
}

#[derive(Debug, Subcommand)]
enum Command {
    Explain(explain::args::ExplainArgs),
    #[command(aliases = ["list", "ls", "pods"])]
    Pending(pending::args::PendingArgs),
    Simulate(Box<simulate::args::SimulateArgs>),
    #[command(alias = "nodes")]
    Node(node::NodeArgs),
    Snapshot(snapshot::SnapshotArgs),
    Verify(verify::VerifyArgs),
    Audit(audit::AuditArgs),
    Risk(risk::RiskArgs),
    Headroom(headroom::HeadroomArgs),
    Suggest(suggest::SuggestArgs),
    WhyEvicted(why_evicted::WhyEvictedArgs),
    Doctor(doctor::DoctorArgs),
    Mcp(mcp::McpArgs),
    Completion(completion::CompletionArgs),
    Rules(rules::RulesArgs),
    /// Print the JSON Schema of everything that -o json prints
    #[command(before_help = schema::EXAMPLES)]
    Schema,
    /// Print the flags that every command takes
    #[command(before_help = options::EXAMPLES)]
    Options,
    Version(version::VersionArgs),
}

/// Runs the program with `arguments`, including its name, and with the environment and streams of
/// the process.
pub fn main(mut arguments: Vec<OsString>, ending: Ending) -> Exit {
    program::set(arguments.first().map(OsString::as_os_str));
    if let Some(words) = complete::requested(&arguments) {
        complete::run(words, command());
        return Exit::Answered;
    }
    let cli = match parse(&mut arguments) {
        Ok(cli) => cli,
        Err(e) => return refuse(&e, &arguments),
    };
    run(&cli, ending).unwrap_or_else(|error| {
        output::report(&error, &cli.global);
        Exit::Failed
    })
}

/// The clap definition of the program with all its commands and flags, under the name by which it
/// was called.
pub fn command() -> clap::Command {
    help::named(help::shape(Cli::command()), program::program())
}

/// Parses the arguments; `POD` is expanded to `explain POD`.
fn parse(arguments: &mut Vec<OsString>) -> Result<Cli, clap::Error> {
    let mut command = command().arg_required_else_help(arguments.len() < 2);
    *arguments = booleans::taken_off(std::mem::take(arguments), &command);
    let matches = match command.try_get_matches_from_mut(&*arguments) {
        Err(error) if names_a_pod(&error, arguments) => {
            arguments.insert(1, "explain".into());
            command.try_get_matches_from_mut(&*arguments)?
        }
        matches => matches?,
    };
    let mut cli = Cli::from_arg_matches(&matches)?;
    cli.global.reads_files = matches.subcommand().is_some_and(|(_, given)| {
        given.try_contains_id("from").unwrap_or_default()
            && given.value_source("from") == Some(ValueSource::CommandLine)
    });
    Ok(cli)
}

/// Whether the arguments start with a word that is neither a command, here or in kubectl, nor similar
/// to one.
fn names_a_pod(error: &clap::Error, arguments: &[OsString]) -> bool {
    let helps = arguments.get(1).is_some_and(|first| first == "help");
    let similar = error.get(ContextKind::SuggestedSubcommand).is_some();
    let habit = arguments.get(1).and_then(|first| first.to_str()).is_some_and(usage::is_of_kubectl);
    error.kind() == ErrorKind::InvalidSubcommand && !similar && !helps && !habit
}

/// Prints the requested help, or the error about the arguments.
fn refuse(error: &clap::Error, arguments: &[OsString]) -> Exit {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            output::help(error);
            Exit::Answered
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            output::help(error);
            Exit::Failed
        }
        _ => {
            output::report(
                &usage::explain(error, &command(), arguments).into(),
                &GlobalFlags::default(),
            );
            Exit::Failed
        }
    }
}

fn run(cli: &Cli, ending: Ending) -> anyhow::Result<Exit> {
    output::log(cli.global.verbosity, cli.global.quiet);
    // A command that only reads ends the program with its answer; one that writes or serves ends
    // what it has begun first.
    match &cli.command {
        Command::Explain(args) => explain::run(args, &cli.global, &cli.connection, ending),
        Command::Pending(args) => pending::run(args, &cli.global, &cli.connection, ending),
        Command::Simulate(args) => simulate::run(args, &cli.global, &cli.connection),
        Command::Node(args) => node::run(args, &cli.global, &cli.connection, ending),
        Command::Snapshot(args) => {
            snapshot::run(args, &cli.connection, &cli.global).map(|()| Exit::Answered)
        }
        Command::Verify(args) => verify::run(args, &cli.global, &cli.connection, ending),
        Command::Audit(args) => audit::run(args, &cli.global, &cli.connection, ending),
        Command::Suggest(args) => suggest::run(args, &cli.global, &cli.connection, ending),
        Command::Headroom(args) => headroom::run(args, &cli.global, &cli.connection, ending),
        Command::Risk(args) => risk::run(args, &cli.global, &cli.connection, ending),
        Command::WhyEvicted(args) => why_evicted::run(args, &cli.global, &cli.connection, ending),
        Command::Doctor(args) => doctor::run(args, &cli.global, &cli.connection),
        Command::Mcp(args) => mcp::run(args, &cli.global, &cli.connection),
        Command::Completion(args) => completion::run(args, &cli.global).map(|()| Exit::Answered),
        Command::Rules(args) => rules::run(args, &cli.global),
        Command::Schema => output::print(&Printable::new(schema::SCHEMA)).map(|()| Exit::Answered),
        Command::Options => output::print(&options::text(&command())).map(|()| Exit::Answered),
        Command::Version(args) => version::run(args, &cli.global).map(|()| Exit::Answered),
    }
}

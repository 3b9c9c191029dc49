//! `kubectl preempt simulate`: what would happen, and what would follow from it.

mod flags;
mod replan;
mod scene;

use self::flags::Edits;
use self::replan::Replanner;
use self::scene::Files;
use super::apply::ApplyArgs;
use super::printer::{self, Basic};
use super::question::InputArgs;
use super::target::{self, Target};
use super::{GlobalFlags, output};
use crate::api::flags::ConnectionFlags;
use crate::error::Error;
use crate::exit::Exit;
use engine::profile::Profile;
use engine::simulation::sequence::{self, Settings, Simulation};
use render::json::JsonSimulation;
use render::safe::Printable;
use render::simulation;

const EXAMPLES: &str = "\
Examples:
  # Whom would the scheduler throw out for web-1, what becomes of them, and where would they go?
  kubectl preempt simulate web-1

  # Would three replicas of this deployment fit, in which order, and at whose expense?
  kubectl preempt simulate -f deployment.yaml --replicas 3

  # What if web-1 asked for less, or that node were cordoned?
  kubectl preempt simulate web-1 --requests cpu=500m,memory=1Gi --cordon node-7

  # Carry the plan out, after having shown it, tried it and asked
  kubectl preempt simulate web-1 --apply";

/// Show what would happen: the plan for pending pods or for pods that do not exist yet, and what follows from it
///
/// Decides about the pods one after the other in the scheduler's order: each sees where the former went or whom it takes the
/// place of. Then follows the victims: who makes them again, where those go, and whom they throw out in turn. Nothing is
/// written to the cluster without --apply. Without POD and -f: about every pod of the namespace that waits for a node.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{}", Exit::help()))]
pub struct SimulateArgs {
    /// Pods that wait, or owners of pods: deploy/web means its waiting pods, or one more
    #[arg(value_name = "POD | TYPE/NAME")]
    pub pods: Vec<String>,

    /// Pods or workloads that do not exist yet: a file, a directory or - (standard input), JSON or YAML. Other objects in it
    /// are taken to be in the cluster
    #[arg(short = 'f', long = "filename", value_name = "FILE|DIR|-")]
    pub filenames: Vec<String>,

    /// Read the directories of -f with all that is below them
    #[arg(short = 'R', long)]
    pub recursive: bool,

    /// So many pods of each manifest or owner, whatever it says
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MOST_REPLICAS))]
    pub replicas: Option<u32>,

    /// Pods of all namespaces
    #[arg(short = 'A', long)]
    pub all_namespaces: bool,

    /// How many generations of replacements are followed
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub depth: usize,

    /// Where objects come from, and who decides.
    #[command(flatten)]
    pub input: InputArgs,

    /// Output format
    #[arg(short = 'o', long, value_name = "FORMAT", value_parser = printer::words::<Basic>(), default_value = "text")]
    pub output: Basic,

    /// What is changed in thought. Behind the others, because its heading goes for what follows.
    #[command(flatten)]
    pub edits: Edits,

    /// Whether and how the plan is carried out.
    #[command(flatten)]
    pub apply: ApplyArgs,
}

/// Pods that `--replicas` can ask for.
const MOST_REPLICAS: i64 = 10_000;

/// Reads, decides and prints.
///
/// # Errors
/// When flags, input or cluster give nothing to decide on.
pub fn run(args: &SimulateArgs, global: &GlobalFlags, connection: &ConnectionFlags) -> Result<Exit, Error> {
    let targets = target::parse(&args.pods)?;
    check(args, &targets)?;
    check_apply(args, &targets)?;
    // What is wrong with a flag needs no cluster to be told.
    args.edits.read("default")?;
    if args.input.selector.is_some() && !args.filenames.is_empty() {
        return Err(Error::usage("-l selects pods that are there: it does not go with -f"));
    }
    let files = Files::read(args)?;
    let mut request = args.input.check()?;
    if files.have_manifests() {
        request.for_new_pods();
    }
    let mut question = request.read(&targets, global, connection)?;
    let header = question.cluster.header.clone();
    let scene = scene::set(args, &targets, &files, &mut question, global)?;
    let profiles: Vec<Profile> = std::iter::once(&question.profile).chain(&question.more_profiles).cloned().collect();
    let settings = Settings { profiles: &profiles, now: question.now, on: args.edits.on.as_deref(), depth: args.depth };
    let mut simulation = sequence::run(scene.cluster, &scene.pods, settings);
    simulation.notes.splice(0..0, scene.notes);
    let text = match args.output {
        Basic::Text => simulation::page(&simulation, question.now).print(output::paper(global)),
        Basic::Json | Basic::Yaml => {
            let json = JsonSimulation::new(&simulation, &header, &question.profile, question.source, question.now);
            args.output.encode(&json)?
        }
    };
    if args.apply.apply {
        return carry_out(args, &simulation, &text, question.now, global, connection);
    }
    output::print(&text)?;
    Ok(exit(&simulation))
}

/// Shows the plan, and carries it out. The result alone goes to standard output if it is for machines.
fn carry_out(
    args: &SimulateArgs,
    simulation: &Simulation,
    text: &Printable,
    now: jiff::Timestamp,
    global: &GlobalFlags,
    connection: &ConnectionFlags,
) -> Result<Exit, Error> {
    let [step] = simulation.steps.as_slice() else {
        let number = simulation.steps.len();
        return Err(Error::usage(format!("--apply carries out the plan of one pod, and {number} are meant: name one")));
    };
    let Some(plan) = step.proposal.plan().filter(|_| !simulation.is_unsure()) else {
        // There is nothing to carry out, and the answer says why.
        output::print(text)?;
        return Ok(exit(simulation));
    };
    if args.output == Basic::Text {
        output::print(text)?;
    } else {
        output::say_lines(&simulation::page(simulation, now).print(output::plain_paper(global)));
    }
    let planner = Replanner {
        input: args.input.clone(),
        global: global.clone(),
        connection: connection.clone(),
        on: args.edits.on.clone(),
    };
    super::apply::carry_out(&args.apply, plan, Box::new(planner), args.output, global, connection)
}

/// What is carried out is the plan of one pod, on the cluster as it is.
fn check_apply(args: &SimulateArgs, targets: &[Target]) -> Result<(), Error> {
    let refused = if !args.apply.apply {
        return Ok(());
    } else if !args.filenames.is_empty() {
        "a pod that is in the cluster: it does not go with -f"
    } else if !args.edits.is_empty() {
        "the cluster as it is: it does not go with what-if flags"
    } else if args.input.from.is_some() || args.input.now.is_some() {
        "a cluster, now: it goes neither with --from nor with --now"
    } else if targets.len() != 1 || args.replicas.is_some() {
        "one pod: name it"
    } else {
        return Ok(());
    };
    Err(Error::usage(format!("--apply is about {refused}")))
}

/// How a run ends.
fn exit(simulation: &Simulation) -> Exit {
    match (simulation.is_unsure(), simulation.all_placed()) {
        (true, _) => Exit::Partial,
        (false, true) => Exit::Answered,
        (false, false) => Exit::No,
    }
}

fn check(args: &SimulateArgs, targets: &[Target]) -> Result<(), Error> {
    let from_stdin = [&args.filenames, &args.edits.add_node].into_iter().flatten().filter(|f| *f == "-").count();
    let all = from_stdin + usize::from(args.input.from.as_deref() == Some("-"));
    if all > 1 {
        return Err(Error::usage("standard input can be read once: only one of -f, --add-node and --from may be -"));
    }
    if args.all_namespaces && !(targets.is_empty() && args.filenames.is_empty()) {
        return Err(Error::usage(
            "--all-namespaces is about every pod that waits: it goes neither with POD nor with -f",
        ));
    }
    if args.replicas.is_some() && args.filenames.is_empty() && targets.iter().all(|t| t.kind == "Pod") {
        return Err(Error::usage("--replicas is about a manifest (-f) or an owner such as deploy/web"));
    }
    if args.input.scheduler.call_extenders {
        return Err(Error::usage("simulate asks about things that are not so: it does not go with --call-extenders"));
    }
    Ok(())
}

//! `kubectl preempt suggest`: the smallest change that lets a pod in and loses no pod.

use super::ending::Ending;
use super::flags::GlobalFlags;
use super::input::InputArgs;
use super::node::{self, NodeArgs};
use super::printing::{self, Format, ListArgs, NoFormat, Printing};
use crate::api::flags::ConnectionFlags;
use crate::error::Error;
use crate::exit::Exit;
use answers::questions::suggest::{self, SuggestRequest, suggest};
use answers::target;

const EXAMPLES: &str = "\
Examples:
  # Which pods have to move so that web-1 fits and no pod is lost?
  kubectl preempt suggest web-1 -n shop

  # Which single action places the most pending pods, and how many nodes place them all?
  kubectl preempt suggest -A

  # Only the commands
  kubectl preempt suggest web-1 -o jsonpath='{range .items[0].moves.commands[*]}{@}{\"\\n\"}{end}'";

/// Suggest the smallest change that lets a pod in and loses no pod
///
/// Looks for running pods that can move to other nodes so that the pod fits: as few as possible, of
/// a priority as low as possible, then those whose restart costs the least. PodDisruptionBudgets
/// are kept, and pods that no controller creates again stay where they are. Each suggestion was
/// simulated: kube-scheduler's decision about each replacement and the pod itself. Says whether
/// it is the smallest, or the best that was found. Also what else helps without an eviction: a
/// change of the pod or of a node, and the smallest node to add. Of several pods: which single
/// action places the most of them, and how many nodes place them all. Without POD: every pending
/// pod of the namespace. Nothing is written to the cluster: the commands are printed.
#[derive(Debug, Default, Clone, clap::Args)]
#[command(before_help = EXAMPLES, next_help_heading = "What to look at")]
pub struct SuggestArgs {
    /// Pending pods, owners of pods (default: all pending pods), or node/NAME: what lets it drain
    #[arg(value_name = "POD | TYPE/NAME")]
    pub pods: Vec<String>,

    /// Pods of all namespaces
    #[arg(short = 'A', long)]
    pub all_namespaces: bool,

    /// Where objects come from, and who decides.
    #[command(flatten)]
    pub input: InputArgs,

    /// text, wide, json, yaml, html, jsonpath=TEMPLATE or custom-columns=HEADER:PATH,...
    #[arg(short = 'o', long, value_name = "FORMAT", value_parser = printing::formats::<NoFormat>(), default_value = "text",
           help_heading = "Output", hide_possible_values = true, hide_default_value = true)]
    pub output: Format<NoFormat>,

    /// The order of the items, and their headings.
    #[command(flatten)]
    pub list: ListArgs,
}

impl SuggestArgs {
    /// What is asked.
    fn request(&self) -> Result<SuggestRequest, Error> {
        let targets = target::parse(&self.pods)?;
        target::check_all_namespaces(&targets, self.all_namespaces)?;
        self.input.scheduler.reject_extenders("suggest simulates changes of the cluster")?;
        Ok(SuggestRequest { targets, all_namespaces: self.all_namespaces })
    }
}

/// Reads, searches and prints.
///
/// # Errors
/// When flags, input or cluster give nothing to look for.
pub fn run(
    args: &SuggestArgs,
    global: &GlobalFlags,
    connection: &ConnectionFlags,
    ending: Ending,
) -> anyhow::Result<Exit> {
    if suggest::is_about_nodes(&args.pods) && !args.all_namespaces {
        let SuggestArgs { pods, input, output, list, .. } = args.clone();
        let args = NodeArgs { nodes: pods, surge: 0, input, output, list };
        return node::run(&args, global, connection, ending);
    }
    let request = args.request()?;
    let mut options = args.input.check()?;
    options.in_part();
    let input = options.read(&request.targets, global, connection)?;
    let printing = Printing { format: &args.output, list: &args.list, global };
    let printed = printing.answer(&input, request.in_part(), || Ok(suggest(&input, &request)?))?;
    Ok(ending.end(printed))
}

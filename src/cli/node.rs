//! `kubectl preempt node`: whether nodes can be removed, and what prevents it.

use super::ending::Ending;
use super::flags::GlobalFlags;
use super::input::InputArgs;
use super::printing::{self, Format, ListArgs, NoFormat, Printing};
use crate::api::flags::ConnectionFlags;
use crate::error::Error;
use crate::exit::Exit;
use crate::program;
use answers::in_part::PartialSubject;
use answers::questions::node::{self, NodeRequest};

const EXAMPLES: &str = "\
Examples:
  # Can this node go away, and why has it not been removed?
  kubectl preempt node worker-3

  # Can all nodes of a pool go away one after the other, and in which order?
  kubectl preempt node -l pool=spot

  # A rolling upgrade with one fresh node: in which order does it get through?
  kubectl preempt node worker-2 worker-3 --surge 1";

/// Show whether nodes can be drained, and what blocks them
///
/// Simulates kubectl drain: evicts what the eviction API allows and reschedules the replacements;
/// kube-scheduler decides about the replacements and about the pods that wait
/// already, and the budgets count again. A node can be drained if every pod of it gets another
/// node. Which pod comes first is a matter of chance: unless that makes no difference, many orders
/// are tried, and what depends on them is said (exit code 3 if the answer does). Nothing is written
/// to the cluster.
#[derive(Debug, Default, Clone, clap::Args)]
#[command(before_help = EXAMPLES, next_help_heading = "What to look at")]
#[command(mut_arg("selector", |arg| arg.help("The nodes with these labels, e.g. pool=spot")))]
pub struct NodeArgs {
    /// Nodes; several go away one after the other
    #[arg(value_name = "NODE")]
    pub nodes: Vec<String>,

    /// Number of extra nodes during the upgrade (surge)
    ///
    /// They are like those that go, and each takes the place of one that went. Without it the nodes
    /// go away for good.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=100),
           hide_default_value = true)]
    pub surge: u16,

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

impl NodeArgs {
    /// What is asked.
    fn request(&self) -> Result<NodeRequest, Error> {
        let nodes = node::parse(&self.nodes)?;
        match (nodes.is_empty(), &self.input.selector) {
            (true, None) => {
                let problem = "no node is named";
                let example = program::command("node worker-3");
                let hint = format!("name one, e.g. {example}, or select nodes with -l");
                return Err(Error::usage_hint(problem, hint));
            }
            (false, Some(_)) => {
                let problem = "a node cannot be named together with a label selector (-l)";
                return Err(Error::usage_hint(problem, "leave one of them out"));
            }
            _ => {}
        }
        self.input.scheduler.reject_extenders("node simulates changes of the cluster")?;
        Ok(NodeRequest { nodes, surge: usize::from(self.surge) })
    }
}

/// Reads, simulates the drain and prints.
///
/// # Errors
/// When flags, input or cluster give nothing to decide on.
pub fn run(
    args: &NodeArgs,
    global: &GlobalFlags,
    connection: &ConnectionFlags,
    ending: Ending,
) -> anyhow::Result<Exit> {
    let request = args.request()?;
    let mut options = args.input.check()?;
    options.with_events();
    options.in_part();
    let input = options.read(&[], global, connection)?;
    let printing = Printing { format: &args.output, list: &args.list, global };
    let subject = PartialSubject::OnNodes(&request.nodes);
    let printed = printing.answer(&input, subject, || Ok(node::node(&input, &request)?))?;
    Ok(ending.end(printed))
}

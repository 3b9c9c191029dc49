//! `kubectl preempt verify`: compares the scheduler's messages with the decisions of this program.

use super::ending::Ending;
use super::flags::GlobalFlags;
use super::input::{InputArgs, InputOfCommand as _};
use super::printing::{self, Format, ListArgs, NoFormat, Printing};
use crate::api::flags::ConnectionFlags;
use crate::error::Error;
use crate::exit::Exit;
use answers::questions::verify::{VerifyRequest, verify};
use answers::target;

const EXAMPLES: &str = "\
Examples:
  # Does kube-scheduler's own message agree with this program, for every pending pod?
  kubectl preempt verify -A

  # Does it for pod web-1, if the scheduler is of another version?
  kubectl preempt verify web-1 --scheduler-version 1.35";

/// Compare kube-scheduler's messages about pending pods with what its rules give
///
/// Recomputes the message of each pending pod and compares it, byte for byte, with the message in
/// the pod's PodScheduled condition. `equal`: both are the same. `stale`: they differ, and a change
/// of the cluster since then explains the difference. `different`: nothing visible explains it. `no
/// message`: the scheduler has not rejected the pod yet.
#[derive(Debug, Default, Clone, clap::Args)]
#[command(before_help = EXAMPLES, next_help_heading = "What to verify")]
pub struct VerifyArgs {
    /// Pods, or owners of pods (default: all pending pods)
    #[arg(value_name = "POD | TYPE/NAME", display_order = 0)]
    pub pods: Vec<String>,

    /// Pods of all namespaces
    #[arg(short = 'A', long)]
    pub all_namespaces: bool,

    /// text, wide, json, yaml, html, jsonpath=TEMPLATE or custom-columns=HEADER:PATH,...
    #[arg(short = 'o', long, value_name = "FORMAT", value_parser = printing::formats::<NoFormat>(), default_value = "text",
          help_heading = "Output", hide_possible_values = true, hide_default_value = true)]
    pub output: Format<NoFormat>,

    /// The order of the items, and their headings.
    #[command(flatten)]
    pub list: ListArgs,

    /// Where objects come from, and who decides.
    #[command(flatten)]
    pub input: InputArgs,
}

impl VerifyArgs {
    /// What is asked.
    fn request(&self) -> Result<VerifyRequest, Error> {
        let targets = target::parse(&self.pods)?;
        target::check_all_namespaces(&targets, self.all_namespaces)?;
        Ok(VerifyRequest { targets, all_namespaces: self.all_namespaces })
    }
}

/// Reads, decides, compares and prints.
///
/// # Errors
/// When flags, input or cluster give nothing to compare.
pub fn run(
    args: &VerifyArgs,
    global: &GlobalFlags,
    connection: &ConnectionFlags,
    ending: Ending,
) -> anyhow::Result<Exit> {
    let request = args.request()?;
    let mut options = args.input.check()?;
    options.in_part();
    options.with_node_changes();
    let input = options.read(&request.targets, global, connection)?;
    let printing = Printing { format: &args.output, list: &args.list, global };
    let printed = printing.answer(&input, request.in_part(), || {
        let callers = input.callers()?;
        Ok(verify(&input, &request, callers.as_deref())?)
    })?;
    Ok(ending.end(printed))
}

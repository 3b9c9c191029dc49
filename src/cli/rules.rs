//! `kubectl preempt rules`: what the scheduler's plugins, steps and messages mean. It reads no
//! cluster.

use super::flags::GlobalFlags;
use super::printing::{self, Format, ListArgs, NoFormat, Printing};
use crate::exit::Exit;
use answers::questions::rules::{RulesRequest, rules};

const EXAMPLES: &str = "\
Examples:
  # Which rules decide about pods?
  kubectl preempt rules

  # What does this plugin check, and what does this code mean?
  kubectl preempt rules TaintToleration
  kubectl preempt rules PRE-302

  # What does the scheduler mean by this message?
  kubectl preempt rules 'No preemption victims found for incoming pod'";

/// Explain a plugin, a preemption step or a message of kube-scheduler
///
/// Without NAME, it lists all of them. A message of a pod's condition or of an event is explained
/// part by part. Codes never change their meaning.
#[derive(Debug, Default, Clone, clap::Args)]
#[command(before_help = EXAMPLES)]
pub struct RulesArgs {
    /// A plugin, a step, a code such as PRE-302, or a message
    #[arg(value_name = "NAME | CODE | MESSAGE", help_heading = "What to explain")]
    pub name: Vec<String>,

    /// text, wide, json, yaml, html, jsonpath=TEMPLATE or custom-columns=HEADER:PATH,...
    #[arg(short = 'o', long, value_name = "FORMAT", value_parser = printing::formats::<NoFormat>(), default_value = "text",
          help_heading = "Output", hide_possible_values = true, hide_default_value = true)]
    pub output: Format<NoFormat>,

    /// The order of the items, and their headings.
    #[command(flatten)]
    pub list: ListArgs,
}

/// Prints the requested rules.
///
/// # Errors
/// When there is no such rule.
pub fn run(args: &RulesArgs, global: &GlobalFlags) -> anyhow::Result<Exit> {
    // An unquoted message arrives as several words.
    let report = rules(&RulesRequest { query: args.name.join(" ") })?;
    Printing { format: &args.output, list: &args.list, global }.print(report)
}

//! `kubectl preempt why-evicted`: after the fact, who preempted or evicted a pod, and why.

use std::time::Duration;

use super::ending::Ending;
use super::flags::GlobalFlags;
use super::input::{self, InputArgs};
use super::printing::{self, Format, ListArgs, NoFormat, Printing};
use crate::api::flags::{self, ConnectionFlags};
use crate::error::Error;
use crate::exit::Exit;
use answers::questions::evictions::{EvictionsRequest, evictions};

const EXAMPLES: &str = "\
Examples:
  # Who preempted this pod, and why? Its UID, which events name, will do
  kubectl preempt why-evicted web-6d4cf56db6-q7rtz -n shop

  # What was evicted in the last hour, and by which pods?
  kubectl preempt why-evicted -A --since 1h

  # Why this pod and not its neighbours? The decision is run again on an earlier snapshot
  kubectl preempt why-evicted web-1 --before preempt-snapshot-20260601T120000Z.snap";

/// Say why a pod was evicted: which pod preempted it, or what else ended it
///
/// Reads Events, the pods that are left and their conditions. A cause is named only where one of
/// them says so; what cannot be known is said (exit code 3). Events are kept for one hour by
/// default. With --before, the decision of a preemption is run again on an earlier snapshot: why
/// this pod and not its neighbours, and what would have spared it. Without POD: what was evicted in
/// the namespace.
#[derive(Debug, Default, Clone, clap::Args)]
#[command(before_help = EXAMPLES, next_help_heading = "What to explain")]
pub struct WhyEvictedArgs {
    /// Names or UIDs of pods, which may be gone
    #[arg(value_name = "POD | UID")]
    pub gone: Vec<String>,

    /// Pods of all namespaces
    #[arg(short = 'A', long)]
    pub all_namespaces: bool,

    /// Without names: only what happened in this time until now (e.g. 30m, 12h, 1d)
    #[arg(long, value_name = "DURATION", value_parser = flags::parse_age)]
    pub since: Option<Duration>,

    /// Run the decision again on a snapshot from before the preemption
    #[arg(long, value_name = "FILE|DIR")]
    pub before: Option<String>,

    /// Where objects come from, and who decides.
    #[command(flatten)]
    pub input: InputArgs,

    /// text, wide, json, yaml, html, jsonpath=TEMPLATE or custom-columns=HEADER:PATH,...
    ///
    /// text has a row for each of several pods, wide everything that is known of each.
    #[arg(short = 'o', long, value_name = "FORMAT", value_parser = printing::formats::<NoFormat>(), default_value = "text",
           help_heading = "Output", hide_possible_values = true, hide_default_value = true)]
    pub output: Format<NoFormat>,

    /// The order of the items, and their headings.
    #[command(flatten)]
    pub list: ListArgs,
}

impl WhyEvictedArgs {
    /// What is asked, without the snapshot of `--before`.
    fn request(&self) -> Result<EvictionsRequest, Error> {
        if self.input.selector.is_some() {
            let problem = "pods that are gone have no labels: -l does not go with why-evicted";
            return Err(Error::usage(problem));
        }
        let since = self.since.map(|since| ("--since", since));
        Ok(EvictionsRequest::new(&self.gone, self.all_namespaces, since)?)
    }
}

/// Reads the traces of evictions and prints their interpretation.
///
/// # Errors
/// When flags, input or cluster give nothing to look at.
pub fn run(
    args: &WhyEvictedArgs,
    global: &GlobalFlags,
    connection: &ConnectionFlags,
    ending: Ending,
) -> anyhow::Result<Exit> {
    let mut request = args.request()?;
    let mut options = args.input.check()?;
    options.for_the_past();
    options.in_part();
    request.before =
        args.before.as_deref().map(|file| input::read_file(file, global)).transpose()?;
    let input = options.read(&[], global, connection)?;
    let report = evictions(&input, &request)?;
    let printing = Printing { format: &args.output, list: &args.list, global };
    Ok(ending.end(printing.print(report)?))
}

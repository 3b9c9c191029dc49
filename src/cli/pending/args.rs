//! The flags of `pending`.

use std::time::Duration;

use crate::api::flags;
use crate::cli::input::InputArgs;
use crate::cli::printer;
use crate::exit::Exit;

const EXAMPLES: &str = "\
Examples:
  # What becomes of every pending pod of the cluster, and what is each waiting for?
  kubectl preempt pending -A

  # The same, as it changes
  kubectl preempt pending -A -w

  # Names of the pods of a namespace that wait, the most important first
  kubectl preempt pending -n shop -o name";

/// List every pod that waits for a node: what becomes of it, what blocks it, and what it waits for
///
/// Each pod is decided about for itself, on the cluster as it is. The highest priority comes first, then the oldest pod, as
/// in the scheduler's queue. CAUSE is what blocks the pod on most nodes, and on how many of them; NODE is where it goes, or
/// would be nominated to (a|b: to one of these); VICTIMS whom it would throw out there; a question mark behind the verdict
/// says that the answer is not certain, and the notes say why.
#[derive(Debug, Default, Clone, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{}", Exit::help()))]
pub struct PendingArgs {
    /// Pods of all namespaces
    #[arg(short = 'A', long)]
    pub all_namespaces: bool,

    /// Show changes: on a terminal the list is kept up to date, in a pipe the rows that change are added
    #[arg(short = 'w', long, conflicts_with_all = ["from", "now"])]
    pub watch: bool,

    /// With --watch: how often the cluster is read if it may not be watched (e.g. 5s, 1m)
    #[arg(long, value_name = "DURATION", requires = "watch", value_parser = flags::parse_timeout)]
    pub interval: Option<Duration>,

    /// Where objects come from, and who decides.
    #[command(flatten)]
    pub input: InputArgs,

    /// Output format
    #[arg(short = 'o', long, value_name = "FORMAT", value_parser = printer::words::<PendingFormat>(), default_value = "text")]
    pub output: PendingFormat,

    /// Print neither column headings nor counts
    #[arg(long)]
    pub no_headers: bool,
}

/// `-o`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum PendingFormat {
    /// For people.
    #[default]
    Text,
    /// For people, with causes and victims in full, and all notes.
    Wide,
    /// As JSON.
    Json,
    /// As YAML.
    Yaml,
    /// `pod/NAME`, one per line.
    Name,
}

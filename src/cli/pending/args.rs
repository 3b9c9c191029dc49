//! The flags of `pending`.

use std::time::Duration;

use crate::api::flags;
use crate::cli::input::InputArgs;
use crate::cli::printer::FormatParser;
use crate::exit::Exit;
use render::custom_columns::CustomColumns;
use render::jsonpath::PathTemplate;
use render::pending::DecisionSequence;

const EXAMPLES: &str = "\
Examples:
  # Which pending pods of the cluster fit, preempt or are blocked, and what does each wait for?
  kubectl preempt pending -A

  # How many of them fit if they are placed one after the other?
  kubectl preempt pending -A --in-order

  # The same, as it changes
  kubectl preempt pending -A -w

  # The oldest first, with columns of my own
  kubectl preempt pending -A --sort-by .created -o custom-columns=POD:.name,WHY:.cause.details

  # Names of the pods of a namespace that wait, the most important first
  kubectl preempt pending -n shop -o name";

/// List every pod that waits for a node: whether it fits, what blocks it, and what it waits for
///
/// Each pod is decided alone, on the current cluster, unless --in-order is given. The highest priority comes first,
/// then the oldest pod, as in the scheduler's queue. Pods of one owner that get the same answer are one row, with their
/// number and the age of the oldest; -o wide has a row for each pod. CAUSE is what blocks the pod on most nodes, and on how
/// many of them; NODE is where it goes, or would be nominated to (a|b: to one of these); VICTIMS are the pods that it would
/// preempt there; a question mark behind the verdict says that the answer is not certain, and the notes say why.
#[derive(Debug, Default, Clone, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{}", Exit::help()))]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct PendingArgs {
    /// Pods of all namespaces
    #[arg(short = 'A', long)]
    pub all_namespaces: bool,

    /// Place the pods one after the other, as the scheduler does: each sees where the earlier ones went, and which pods
    /// they preempted. A pod that may go to several nodes goes to the first that is listed
    #[arg(long, conflicts_with = "call_extenders")]
    pub in_order: bool,

    /// Show changes: on a terminal the list is kept up to date, in a pipe the rows that change are added, a row for each pod
    #[arg(short = 'w', long, conflicts_with_all = ["from", "now"])]
    pub watch: bool,

    /// With --watch: how often the cluster is read if it may not be watched (e.g. 5s, 1m)
    #[arg(long, value_name = "DURATION", requires = "watch", value_parser = flags::parse_timeout)]
    pub interval: Option<Duration>,

    /// Where objects come from, and who decides.
    #[command(flatten)]
    pub input: InputArgs,

    /// Output format. Columns are those of kubectl, HEADER:PATH,..., over the items of `-o json`
    #[arg(short = 'o', long, value_name = "FORMAT", value_parser = formats(), default_value = "text")]
    pub output: PendingFormat,

    /// Sort the pods by what stands at this path in an item of `-o json`, e.g. '{.name}' or .created
    #[arg(long, value_name = "JSONPATH", value_parser = PathTemplate::parse, conflicts_with = "watch")]
    pub sort_by: Option<PathTemplate>,

    /// Print the rows alone, without column headings and counts
    #[arg(long)]
    pub no_headers: bool,
}

impl PendingArgs {
    /// How the pods are decided.
    pub(super) fn sequence(&self) -> DecisionSequence {
        if self.in_order { DecisionSequence::InOrder } else { DecisionSequence::Alone }
    }
}

/// `-o`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum PendingFormat {
    /// For people.
    #[default]
    Text,
    /// For people, with a row for each pod, causes and victims in full, and all notes.
    Wide,
    /// As JSON.
    Json,
    /// As YAML.
    Yaml,
    /// `pod/NAME`, one per line.
    Name,
    /// A table whose columns the user names.
    CustomColumns(CustomColumns),
}

/// The formats that are a word.
const WORDS: [(&str, PendingFormat); 5] = [
    ("text", PendingFormat::Text),
    ("wide", PendingFormat::Wide),
    ("json", PendingFormat::Json),
    ("yaml", PendingFormat::Yaml),
    ("name", PendingFormat::Name),
];
/// The format that takes columns, as completion proposes it.
const CUSTOM_COLUMNS: &str = "custom-columns=";

fn formats() -> FormatParser<PendingFormat> {
    let names = WORDS.iter().map(|(name, _)| *name).chain([CUSTOM_COLUMNS]).collect();
    FormatParser::new(names, |text| {
        if let Some((_, format)) = WORDS.iter().find(|(name, _)| *name == text) {
            return Ok(Some(format.clone()));
        }
        let (name, columns) = text.split_once('=').unwrap_or((text, ""));
        if name != CUSTOM_COLUMNS.trim_end_matches('=') {
            return Ok(None);
        }
        CustomColumns::parse(columns).map(|columns| Some(PendingFormat::CustomColumns(columns)))
    })
}

//! `kubectl preempt pending`: every pod that waits for a node, one line each, once or as it changes.

mod pace;
mod view;
mod watch;

use std::mem::ManuallyDrop;
use std::time::Duration;

use jiff::Timestamp;

use super::question::{InputArgs, Question};
use super::{GlobalFlags, output, printer};
use crate::api::flags;
use crate::api::flags::ConnectionFlags;
use crate::error::Error;
use crate::exit::Exit;
use engine::cluster::pod::PodIx;
use engine::decision;
use engine::json::SourceKind;
use engine::profile::Profile;
use engine::simulation::sequence;
use engine::snapshot::Header;
use render::json::JsonPendingList;
use render::page::Paper;
use render::pending::{self, Layout, Pending};
use render::safe::Printable;

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
    #[arg(short = 'o', long, value_name = "FORMAT", value_parser = printer::words::<Format>(), default_value = "text")]
    pub output: Format,

    /// Print neither column headings nor counts
    #[arg(long)]
    pub no_headers: bool,
}

/// `-o`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
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

/// What was found by one look at the cluster.
#[derive(Debug)]
struct Look {
    pending: Pending,
    header: Header,
    profile: Profile,
    source: SourceKind,
    now: Timestamp,
}

/// Reads, decides and prints; with `--watch` until it is told to stop.
///
/// # Errors
/// When flags, input or cluster give nothing to decide on.
pub fn run(args: &PendingArgs, global: &GlobalFlags, connection: &ConnectionFlags) -> Result<Exit, Error> {
    if args.watch {
        return watch::run(args, global, connection);
    }
    let request = args.input.check()?;
    // Freeing a large cluster takes longer than deciding on it, and the process ends anyway.
    let question = ManuallyDrop::new(request.read(&[], global, connection)?);
    let pods = question.pods(&[], args.all_namespaces, global)?;
    let look = Look::at(&question, &pods)?;
    output::print(&look.text(args, output::paper(global))?)?;
    Ok(look.exit())
}

impl Look {
    /// Decides about `pods`.
    fn at(question: &Question, pods: &[PodIx]) -> Result<Self, Error> {
        let callers = question.callers()?;
        let views = question.views(callers.as_deref());
        let mut pending = Pending::default();
        for pod in sequence::queue_order(pods, &question.cluster) {
            if let Some(view) = views.get(question.view_of(pod)) {
                pending.add(&decision::decide(view, pod, question.now));
            }
        }
        Ok(Self {
            pending,
            header: question.cluster.header.clone(),
            profile: question.profile.clone(),
            source: question.source,
            now: question.now,
        })
    }

    fn text(&self, args: &PendingArgs, paper: Paper) -> Result<Printable, Error> {
        match args.output {
            Format::Text | Format::Wide => Ok(self.pending.page(layout(args, self.now)).print(paper)),
            Format::Name => Ok(pending::names(&self.pending.rows)),
            Format::Json => output::json(&self.list()),
            Format::Yaml => output::yaml(&self.list()),
        }
    }

    fn list(&self) -> JsonPendingList {
        JsonPendingList::new(&self.pending, &self.header, &self.profile, self.source)
    }

    fn exit(&self) -> Exit {
        if self.pending.rows.iter().any(|row| row.unsure) { Exit::Partial } else { Exit::Answered }
    }
}

fn layout(args: &PendingArgs, now: Timestamp) -> Layout {
    Layout { namespaces: args.all_namespaces, wide: args.output == Format::Wide, headers: !args.no_headers, now }
}

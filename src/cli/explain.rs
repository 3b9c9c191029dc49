//! `kubectl preempt explain`: the scheduler's decision about pods, and why.

use std::mem::ManuallyDrop;

use super::printer::{self, Format};
use super::question::{InputArgs, Question};
use super::target;
use super::{GlobalFlags, compare, output};
use crate::api::flags::ConnectionFlags;
use crate::error::Error;
use crate::exit::Exit;
use engine::cluster::notes::Severity;
use engine::decision::sampling::Starts;
use engine::decision::{self, Decision, Outcome};
use engine::json::{JsonDecision, JsonDecisionList};
use render::facts::Facts;
use render::safe::Printable;
use render::text::{self, Detail};

/// Explain what kube-scheduler decides about a pod, and why
///
/// Without POD: about every pod of the namespace that waits for a node. TYPE/NAME may name an owner, such as deploy/web,
/// whose waiting pods are meant.
#[derive(Debug, Default, Clone, clap::Args)]
#[command(after_help = Exit::help())]
#[expect(clippy::struct_excessive_bools, reason = "flags are bools")]
pub struct ExplainArgs {
    /// Pods, or owners of pods
    #[arg(value_name = "POD | TYPE/NAME")]
    pub pods: Vec<String>,

    /// Where objects come from, and who decides.
    #[command(flatten)]
    pub input: InputArgs,

    /// Output format. `name` is pod/NAME of every victim on the nodes that the scheduler may pick, without namespaces, or
    /// node/NAME where nobody has to go. A jsonpath template is kubectl's, over what `-o json` prints
    #[arg(short = 'o', long, value_name = "FORMAT", value_parser = printer::formats(), default_value = "text")]
    pub output: Format,

    /// Pods of all namespaces
    #[arg(short = 'A', long)]
    pub all_namespaces: bool,

    /// Decide as each of these versions of kube-scheduler does, and show where they differ and by which rules; of several
    /// pods, those that change
    #[arg(long, value_name = "1.MINOR,1.MINOR,...", value_delimiter = ',')]
    pub compare: Vec<String>,

    /// Also show what the scheduler itself may pick, and how likely: it stops looking once it has seen enough nodes, so that
    /// depends on where it starts
    #[arg(long)]
    pub as_scheduled: bool,

    /// With --as-scheduled: one start instead of all, the node of that number in the scheduler's order, counted around
    #[arg(long, value_name = "N", requires = "as_scheduled")]
    pub seed: Option<u64>,

    /// Show every node, one row each
    #[arg(long)]
    pub nodes: bool,

    /// Exit with 1 if no node takes a pod and preemption does not help; with --compare: in one of the versions
    #[arg(long)]
    pub exit_code: bool,
}

/// Reads, decides and prints.
///
/// # Errors
/// When flags, input or cluster give nothing to decide on.
pub fn run(args: &ExplainArgs, global: &GlobalFlags, connection: &ConnectionFlags) -> Result<Exit, Error> {
    let targets = target::parse(&args.pods)?;
    if args.all_namespaces && !targets.is_empty() {
        return Err(Error::usage("a pod cannot be named together with --all-namespaces; -n names its namespace"));
    }
    let starts = starts(args)?;
    let request = args.input.check()?;
    if !args.compare.is_empty() {
        check_compare(args)?;
        return compare::run(args, &targets, &compare::versions(&args.compare)?, request, global, connection);
    }
    // Freeing a large cluster takes longer than deciding on it, and the process ends anyway.
    let question = ManuallyDrop::new(request.read(&targets, global, connection)?);
    let pods = question.pods(&targets, args.all_namespaces, global)?;
    let callers = ManuallyDrop::new(question.callers()?);
    let views = ManuallyDrop::new(question.views(callers.as_deref()));
    let decide = |pod| {
        let mut decision = decision::decide(views.get(question.view_of(pod))?, pod, question.now);
        if let Some(starts) = starts {
            decision.enumerate(starts, question.now);
        }
        Some(decision)
    };
    let decisions: Vec<Decision> = pods.into_iter().filter_map(decide).collect();
    let text = render(args, global, targets.len() == 1, &decisions, &question)?;
    output::print(&text)?;
    let exit = exit(args, decisions.iter());
    std::mem::forget(decisions);
    Ok(exit)
}

/// Where the scheduler is to begin, with `--as-scheduled`.
fn starts(args: &ExplainArgs) -> Result<Option<Starts>, Error> {
    if args.as_scheduled && args.input.scheduler.call_extenders {
        return Err(Error::usage(
            "--as-scheduled would ask extenders once per start: it does not go with --call-extenders",
        ));
    }
    Ok(args.as_scheduled.then(|| args.seed.map_or(Starts::All, Starts::Seed)))
}

/// Flags that say which scheduler decides, or how one decision is shown.
fn check_compare(args: &ExplainArgs) -> Result<(), Error> {
    if !matches!(args.output, Format::Text | Format::Wide | Format::Json | Format::Yaml) {
        let format = args.output.name();
        return Err(Error::usage(format!(
            "-o {format} is about one decision: --compare prints text, wide, json or yaml"
        )));
    }
    if args.input.scheduler.scheduler_version.is_some() {
        return Err(Error::usage("--compare names the versions: it does not go with --scheduler-version"));
    }
    if args.as_scheduled {
        return Err(Error::usage("--as-scheduled is about one decision: it does not go with --compare"));
    }
    if args.nodes {
        return Err(Error::usage("--nodes is about one decision: it does not go with --compare"));
    }
    Ok(())
}

fn render(
    args: &ExplainArgs,
    global: &GlobalFlags,
    one: bool,
    decisions: &[Decision],
    question: &Question,
) -> Result<Printable, Error> {
    match &args.output {
        Format::Text | Format::Wide => {
            let paper = output::paper(global);
            let detail = Detail { wide: args.output == Format::Wide, nodes: args.nodes, now: question.now };
            let pages: Vec<Printable> = decisions.iter().map(|d| text::page(d, detail).print(paper)).collect();
            Ok(Printable::pages(&pages))
        }
        Format::Name | Format::Csv | Format::Markdown | Format::Html | Format::Dot => {
            let facts: Vec<Facts> = decisions.iter().map(|d| Facts::new(d, question.now)).collect();
            printer::share(&args.output, &facts, global)
        }
        format => {
            let mut items: Vec<JsonDecision> =
                decisions.iter().map(|d| JsonDecision::new(d, question.source)).collect();
            let asked_for_one = one && items.len() == 1;
            match items.pop() {
                Some(one) if asked_for_one => printer::data(format, &one),
                last => printer::data(format, &JsonDecisionList::new(items.into_iter().chain(last).collect())),
            }
        }
    }
}

/// How a run ends that came to `decisions`.
pub(super) fn exit<'d>(args: &ExplainArgs, decisions: impl Iterator<Item = &'d Decision<'d>> + Clone) -> Exit {
    let unsure = decisions.clone().flat_map(|d| &d.notes).any(|n| n.severity == Severity::Error);
    let refused = decisions.into_iter().any(|d| d.outcome == Outcome::Unschedulable);
    match (unsure, args.exit_code && refused) {
        (true, _) => Exit::Partial,
        (false, true) => Exit::No,
        (false, false) => Exit::Answered,
    }
}

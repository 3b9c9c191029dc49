//! `kubectl preempt explain`: the scheduler's decision about pods, and why.

pub mod args;
mod compare;

use std::mem::ManuallyDrop;

use self::args::ExplainArgs;
use super::flags::GlobalFlags;
use super::input::LoadedInput;
use super::printer::{self, ExplainFormat};
use super::{output, target};
use crate::api::flags::ConnectionFlags;
use crate::error::Error;
use crate::exit::Exit;
use engine::decision::sampling::Starts;
use engine::decision::{self, Decision};
use engine::json::{JsonDecision, JsonDecisionList};
use render::facts::Facts;
use render::safe::Printable;
use render::text::{self, Detail};

/// Reads, decides and prints.
///
/// # Errors
/// When flags, input or cluster give nothing to decide on.
pub fn run(args: &ExplainArgs, global: &GlobalFlags, connection: &ConnectionFlags) -> anyhow::Result<Exit> {
    let targets = target::parse(&args.pods)?;
    if args.all_namespaces && !targets.is_empty() {
        return Err(Error::usage("a pod cannot be named together with --all-namespaces; -n names its namespace").into());
    }
    let starts = starts(args)?;
    let options = args.input.check()?;
    if !args.compare.is_empty() {
        check_compare(args)?;
        return compare::run(args, &targets, &compare::versions(&args.compare)?, options, global, connection);
    }
    // Freeing a large cluster takes longer than deciding on it, and the process ends anyway.
    let input = ManuallyDrop::new(options.read(&targets, global, connection)?);
    let pods = input.pods(&targets, args.all_namespaces, global)?;
    let callers = ManuallyDrop::new(input.callers()?);
    let views = ManuallyDrop::new(input.views(callers.as_deref()));
    let decide = |pod| {
        let mut decision = decision::decide(views.get(input.view_of(pod))?, pod, input.now);
        if let Some(starts) = starts {
            decision.enumerate(starts, input.now);
        }
        Some(decision)
    };
    let decisions: Vec<Decision> = pods.into_iter().filter_map(decide).collect();
    let text = render(args, global, targets.len() == 1, &decisions, &input)?;
    output::print(&text)?;
    let exit = args.exit(decisions.iter());
    std::mem::forget(decisions);
    Ok(exit)
}

/// The nodes at which the scheduler may start to look for feasible nodes; `None` without `--as-scheduled`.
fn starts(args: &ExplainArgs) -> Result<Option<Starts>, Error> {
    if args.as_scheduled && args.input.scheduler.call_extenders {
        return Err(Error::usage(
            "--as-scheduled would ask extenders once per start: it does not go with --call-extenders",
        ));
    }
    Ok(args.as_scheduled.then(|| args.seed.map_or(Starts::All, Starts::Seed)))
}

/// Refuses the flags that do not go with `--compare`.
fn check_compare(args: &ExplainArgs) -> Result<(), Error> {
    if !matches!(args.output, ExplainFormat::Text | ExplainFormat::Wide | ExplainFormat::Json | ExplainFormat::Yaml) {
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
    input: &LoadedInput,
) -> anyhow::Result<Printable> {
    match &args.output {
        ExplainFormat::Text | ExplainFormat::Wide => {
            let paper = output::paper(global);
            let detail = Detail { wide: args.output == ExplainFormat::Wide, nodes: args.nodes, now: input.now };
            let pages: Vec<Printable> = decisions.iter().map(|d| text::page(d, detail).print(paper)).collect();
            Ok(Printable::pages(&pages))
        }
        ExplainFormat::Name
        | ExplainFormat::Csv
        | ExplainFormat::Markdown
        | ExplainFormat::Html
        | ExplainFormat::Dot => {
            let facts: Vec<Facts> = decisions.iter().map(|d| Facts::new(d, input.now)).collect();
            printer::share(&args.output, &facts, global)
        }
        format => {
            let mut items: Vec<JsonDecision> = decisions.iter().map(|d| JsonDecision::new(d, input.source)).collect();
            let asked_for_one = one && items.len() == 1;
            match items.pop() {
                Some(one) if asked_for_one => printer::data(format, &one),
                last => printer::data(format, &JsonDecisionList::new(items.into_iter().chain(last).collect())),
            }
        }
    }
}

//! `kubectl preempt explain`: the scheduler's decision about pods, and why.

pub mod args;
mod check;
mod compare;
mod groups;
mod sheet;

use std::ops::ControlFlow;

use self::args::ExplainArgs;
use self::sheet::{Destination, DrawnPart, Sheet, SheetDrawer, WriteEnd, Writing};
use super::answer::{CommandAnswer, Deliver};
use super::deciding::Deciding;
use super::ending::Ending;
use super::flags::GlobalFlags;
use super::input::{InputOfCommand as _, LoadedInput};
use super::output;
use super::printer::{DataFormat, ExplainFormat};
use crate::api::flags::ConnectionFlags;
use crate::error::Error;
use crate::exit::Exit;
use answers::explain::{Drawing, Extras, deciders, explain_each};
use answers::target::{self, Target};
use engine::cluster::pod::PodIx;
use engine::decision::sampling::Starts;
use render::safe::Printable;
use render::{pod_group, screen};

/// Reads, decides and prints.
///
/// # Errors
/// When flags, input or cluster give nothing to decide on.
pub fn run(
    args: &ExplainArgs,
    global: &GlobalFlags,
    connection: &ConnectionFlags,
    ending: Ending,
) -> anyhow::Result<Exit> {
    if !args.compare.is_empty() {
        return compare(args, global, connection, ending);
    }
    let formats = [args.output.clone()];
    answer_to(Destination::Output, args, &formats, global, connection, &mut |answer| {
        answer.print(global, ending)
    })
}

/// Like [`run`], with `--compare`.
fn compare(
    args: &ExplainArgs,
    global: &GlobalFlags,
    connection: &ConnectionFlags,
    ending: Ending,
) -> anyhow::Result<Exit> {
    let targets = targets(args)?;
    starts(args)?;
    let options = args.input.check()?;
    check_compare(args)?;
    let versions = compare::versions(&args.compare)?;
    compare::run(args, &targets, &versions, options, global, connection, ending)
}

/// The targets that the arguments name.
fn targets(args: &ExplainArgs) -> Result<Vec<Target>, Error> {
    let targets = target::parse(&args.pods)?;
    target::check_all_namespaces(&targets, args.all_namespaces)?;
    if target::name_groups(&targets) {
        groups::check(args, &targets)?;
    }
    Ok(targets)
}

/// Reads and decides, and passes the answer in each of the formats to `deliver`.
///
/// # Errors
/// When flags, input or cluster give nothing to decide on.
pub(super) fn answer(
    args: &ExplainArgs,
    formats: &[ExplainFormat],
    global: &GlobalFlags,
    connection: &ConnectionFlags,
    deliver: Deliver<'_>,
) -> anyhow::Result<Exit> {
    answer_to(Destination::Caller, args, formats, global, connection, deliver)
}

/// The explanation of a pod for each sheet.
struct DrawnExplanation<'v> {
    exit: Exit,
    parts: Vec<DrawnPart<'v>>,
}

/// Reads and decides. What is not written meanwhile is passed to `deliver`.
fn answer_to(
    destination: Destination,
    args: &ExplainArgs,
    formats: &[ExplainFormat],
    global: &GlobalFlags,
    connection: &ConnectionFlags,
    deliver: Deliver<'_>,
) -> anyhow::Result<Exit> {
    let targets = targets(args)?;
    let of_groups = target::name_groups(&targets);
    let starts = starts(args)?;
    let options = args.input.check()?;
    let input = options.read(&targets, global, connection)?;
    let callers = input.callers()?;
    let views = input.views(callers.as_deref());
    if of_groups && groups::are_on(&input, &targets) {
        return deliver(groups::answers(args, formats, &targets, &input, &views, global)?);
    }
    if of_groups {
        let why = groups::why_alone(&input);
        output::warn(
            global,
            &format!("{why}, so kube-scheduler decides about each pod of a group alone"),
        );
    }
    let pods = input.pods(&targets, args.all_namespaces, global)?;
    let tells_remedies = formats.iter().any(ExplainFormat::tells_remedies);
    let extras =
        Extras { starts, remedies: tells_remedies.then(|| check::flags(&args.input, connection)) };

    let origin = input.origin();
    let (number, one) = (pods.len(), targets.len() == 1);
    let writing =
        Writing { args, global, input: &input, origin: &origin, pods: number, one, destination };
    let (mut sheets, drawers): (Vec<Sheet>, Vec<SheetDrawer>) =
        formats.iter().map(|format| Sheet::new(format, writing)).unzip();
    let mut exit = Exit::Answered;
    let mut deciding = if formats.iter().any(|format| destination.streams(format)) {
        Deciding::while_written(number, global)
    } else {
        Deciding::new(number, global)
    };
    let drawing = Drawing {
        draw: &|explanation| DrawnExplanation {
            exit: args.exit_after(explanation),
            parts: drawers.iter().map(|drawer| drawer.draw(explanation)).collect(),
        },
        most: drawers.iter().map(SheetDrawer::most).min().unwrap_or(usize::MAX),
    };
    let end = explain_each(
        &input,
        &views,
        &pods,
        &extras,
        &mut || deciding.goes_on(),
        &drawing,
        &mut |drawn| {
            exit = exit.or_worse(drawn.exit);
            sheets.iter_mut().zip(drawn.parts).try_for_each(|(sheet, part)| sheet.add(part))
        },
    );
    let cut = match end {
        ControlFlow::Continue(()) => deciding.end(),
        ControlFlow::Break(WriteEnd::NobodyReads) => deciding.end_unread(),
        ControlFlow::Break(WriteEnd::Failed(error)) => return Err(error),
    };
    let texts = sheets.into_iter().filter_map(|sheet| sheet.finish(cut).transpose());
    let texts = texts.collect::<anyhow::Result<Vec<Printable>>>()?;
    let exit = if cut.is_some() { Exit::Interrupted } else { input.exit(&targets, exit) };
    deliver(CommandAnswer { texts, exit })
}

/// The page about one pod of `input`, without remedies.
///
/// # Errors
/// Extenders that cannot be called.
pub(super) fn page_without_remedies(
    input: &LoadedInput,
    pod: PodIx,
    global: &GlobalFlags,
) -> Result<Printable, Error> {
    let callers = input.callers()?;
    let views = input.views(callers.as_deref());
    let decision = answers::explain::decide(input, &mut deciders(input, &views), pod);
    Ok(screen::page(decision.as_slice(), &input.origin(), false, output::lines())
        .print(output::paper(global)))
}

/// The page about a group of `input`, by its namespace and name; `None` if there is no such group.
///
/// # Errors
/// Extenders that cannot be called.
pub(super) fn page_of_group(
    input: &LoadedInput,
    (namespace, name): (&str, &str),
    global: &GlobalFlags,
) -> Result<Option<Printable>, Error> {
    let callers = input.callers()?;
    let views = input.views(callers.as_deref());
    let answer = groups::answer((namespace, name), input, &views);
    let print = |answer| {
        pod_group::page(&[answer], &[], &input.origin(), false).print(output::paper(global))
    };
    Ok(answer.map(print))
}

/// The start nodes of the scheduler's search for feasible nodes; `None` without `--as-scheduled`.
fn starts(args: &ExplainArgs) -> Result<Option<Starts>, Error> {
    if args.as_scheduled && args.input.scheduler.call_extenders {
        return Err(Error::usage(
            "--as-scheduled would ask extenders once per start: it does not go with --call-extenders",
        ));
    }
    if args.seed.is_some() && !args.as_scheduled {
        return Err(Error::usage("--seed needs --as-scheduled"));
    }
    Ok(args.as_scheduled.then(|| args.seed.map_or(Starts::All, Starts::Seed)))
}

/// Rejects the flags that conflict with `--compare`.
fn check_compare(args: &ExplainArgs) -> Result<(), Error> {
    match args.output {
        ExplainFormat::People(_) | ExplainFormat::Data(DataFormat::Encoded(_)) => {}
        ExplainFormat::Data(DataFormat::Kubectl(_)) | ExplainFormat::Share(_) => {
            return Err(compare::shows_one_decision(&args.output));
        }
    }
    if args.input.scheduler.scheduler_version.is_some() {
        return Err(Error::usage(
            "--compare names the versions: it does not go with --scheduler-version",
        ));
    }
    if args.as_scheduled {
        return Err(Error::usage(
            "--as-scheduled shows one decision: it does not go with --compare",
        ));
    }
    if args.nodes {
        return Err(Error::usage("--nodes shows one decision: it does not go with --compare"));
    }
    Ok(())
}

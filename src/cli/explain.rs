//! `kubectl preempt explain`: the scheduler's decision about pods, and why.

pub mod args;
mod compare;
mod groups;
mod sheet;

use self::args::{ExplainArgs, ExplainQuery};
use self::sheet::{Destination, Sheet, SheetDrawer, WriteEnd, Writing};
use super::answer::{CommandAnswer, Deliver};
use super::deciding::Deciding;
use super::ending::Ending;
use super::flags::GlobalFlags;
use super::input::InputOfCommand as _;
use super::output;
use super::printer::ExplainFormat;
use crate::api::flags::ConnectionFlags;
use crate::exit::Exit;
use answers::questions::Report as _;
use answers::questions::explain::{Drawing, ExplainSubject, explain_each, explain_groups};
use render::safe::Printable;

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
    let formats = [args.output.clone()];
    let query = args.check(&formats)?;
    if !query.versions.is_empty() {
        return compare::run(args, query, global, connection, ending);
    }
    answer_to(Destination::Output, args, query, &formats, global, connection, &mut |answer| {
        answer.print(global, ending)
    })
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
    let query = args.check(formats)?;
    answer_to(Destination::Caller, args, query, formats, global, connection, deliver)
}

/// Reads and decides. What is not written meanwhile is passed to `deliver`.
fn answer_to(
    destination: Destination,
    args: &ExplainArgs,
    ExplainQuery { request, options, .. }: ExplainQuery<'_>,
    formats: &[ExplainFormat],
    global: &GlobalFlags,
    connection: &ConnectionFlags,
    deliver: Deliver<'_>,
) -> anyhow::Result<Exit> {
    let input = options.read(&request.targets, global, connection)?;
    let callers = input.callers()?;
    let views = input.views(callers.as_deref());
    let (pods, groups_are_off) = match request.subject(&input)? {
        ExplainSubject::Groups => {
            let report = explain_groups(&input, &views, &request)?;
            let texts = formats.iter().map(|format| groups::text(format, &report, global));
            let texts = texts.collect::<anyhow::Result<Vec<Printable>>>()?;
            return deliver(CommandAnswer { texts, exit: args.exit(report.verdict()) });
        }
        ExplainSubject::Pods { pods, groups_are_off } => (pods, groups_are_off),
    };
    if let Some(why) = groups_are_off {
        let text = format!("{why}, so kube-scheduler decides about each pod of a group alone");
        output::warn(global, &text);
    }
    if request.targets.is_empty() && pods.is_empty() {
        input.say_nothing_waits(args.all_namespaces, global);
    }

    // Each pod is drawn on every sheet as soon as it is explained.
    let origin = input.origin();
    let one = request.targets.len() == 1;
    let writing = Writing {
        args,
        global,
        input: &input,
        origin: &origin,
        pods: pods.len(),
        one,
        destination,
    };
    let (mut sheets, drawers): (Vec<Sheet>, Vec<SheetDrawer>) =
        formats.iter().map(|format| Sheet::new(format, writing)).unzip();
    let mut deciding = if formats.iter().any(|format| destination.streams(format)) {
        Deciding::while_written(pods.len(), global)
    } else {
        Deciding::new(pods.len(), global)
    };
    let drawing = Drawing {
        draw: &|report| drawers.iter().map(|drawer| drawer.draw(report)).collect::<Vec<_>>(),
        most: drawers.iter().map(SheetDrawer::most).min().unwrap_or(usize::MAX),
    };
    let end = explain_each(
        &input,
        &views,
        &pods,
        &request,
        &mut || deciding.goes_on(),
        &drawing,
        &mut |parts| sheets.iter_mut().zip(parts).try_for_each(|(sheet, part)| sheet.add(part)),
    );

    // If nobody reads further, the list is complete unless it was interrupted before.
    let cut = match end.broken_off {
        Some(WriteEnd::Failed(error)) => return Err(error),
        Some(WriteEnd::NobodyReads) => end.cut.filter(|_| deciding.is_interrupted()),
        None => end.cut,
    };
    drop(deciding);
    let texts = sheets.into_iter().filter_map(|sheet| sheet.finish(cut).transpose());
    let texts = texts.collect::<anyhow::Result<Vec<Printable>>>()?;
    let exit = if cut.is_some() { Exit::Interrupted } else { args.exit(end.verdict) };
    deliver(CommandAnswer { texts, exit })
}

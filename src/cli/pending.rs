//! `kubectl preempt pending`: every pod that waits for a node, once or as it changes.

pub mod args;
mod decider;
mod event;
mod listener;
mod redraw;
mod report;
mod schedule;
mod screen;
mod view;
mod watch;

use self::args::{PendingArgs, PendingFormat};
use super::answer::{CommandAnswer, Deliver};
use super::deciding::Deciding;
use super::ending::Ending;
use super::flags::GlobalFlags;
use super::input::InputOfCommand as _;
use super::output;
use crate::api::flags::ConnectionFlags;
use crate::exit::Exit;
use answers::questions::Report as _;
use render::safe::Printable;

/// Reads, decides and prints; with `--watch` until a signal ends it.
///
/// # Errors
/// When flags, input or cluster give nothing to decide on.
pub fn run(
    args: &PendingArgs,
    global: &GlobalFlags,
    connection: &ConnectionFlags,
    ending: Ending,
) -> anyhow::Result<Exit> {
    args.check()?;
    if args.watch {
        return watch::run(args, global, connection);
    }
    let formats = [args.output.clone()];
    answer(args, &formats, global, connection, &mut |answer| answer.print(global, ending))
}

/// Reads and decides, and hands the answer in each of the formats to `deliver`.
///
/// # Errors
/// When flags, input or cluster give nothing to decide on.
pub(super) fn answer(
    args: &PendingArgs,
    formats: &[PendingFormat],
    global: &GlobalFlags,
    connection: &ConnectionFlags,
    deliver: Deliver<'_>,
) -> anyhow::Result<Exit> {
    let (options, request) = (args.input.check()?, args.request());
    let input = options.read(&[], global, connection)?;
    let pods = input.pods(&[], request.all_namespaces, global)?;
    let callers = input.callers()?;
    let views = input.views(callers.as_deref());
    let mut deciding = Deciding::new(pods.len(), global);
    let mut report =
        answers::questions::pending::pending(&input, &views, &pods, &request, &mut || {
            deciding.goes_on()
        });
    drop(deciding);
    // Pages for people begin with it.
    let for_people =
        |format: &PendingFormat| matches!(format, PendingFormat::Text | PendingFormat::Wide);
    if let Some(cut) = report.cut.filter(|_| !formats.iter().all(for_people)) {
        output::warn(global, &cut.sentence());
    }
    if let Some(path) = &args.sort_by {
        report::sort(&mut report, path)?;
    }
    let write = |format| report::text(&report, args, format, output::paper(global));
    let texts = formats.iter().map(write).collect::<anyhow::Result<Vec<Printable>>>()?;
    let exit = if report.cut.is_some() { Exit::Interrupted } else { report.verdict().into() };
    deliver(CommandAnswer { texts, exit })
}

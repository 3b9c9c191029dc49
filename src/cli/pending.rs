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

use self::args::PendingArgs;
use super::deciding::Deciding;
use super::ending::Ending;
use super::flags::GlobalFlags;
use super::input::InputOfCommand as _;
use super::{output, pager, printing};
use crate::api::flags::ConnectionFlags;
use crate::exit::Exit;
use answers::questions::Report as _;

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
    let (options, request) = (args.input.check()?, args.request());
    let input = options.read(&[], global, connection)?;
    let pods = input.pods(&[], request.all_namespaces, global)?;
    let callers = input.callers()?;
    let views = input.views(callers.as_deref());
    let mut deciding = Deciding::new(pods.len(), global);
    let mut report =
        answers::questions::pending::pending(&input, &views, &pods, request, &mut || {
            deciding.goes_on()
        });
    drop(deciding);
    // Pages for people begin with it.
    let for_people = args.output.is_for_people();
    if let Some(cut) = report.cut.filter(|_| !for_people) {
        output::warn(global, &cut.sentence());
    }
    if let Some(path) = &args.sort_by {
        printing::sort(&mut report, path)?;
    }
    pager::print(&report::text(&report, args, output::paper(global))?, global)?;
    let exit = if report.cut.is_some() { Exit::Interrupted } else { report.verdict().into() };
    Ok(ending.end(exit))
}

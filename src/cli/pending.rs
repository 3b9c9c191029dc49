//! `kubectl preempt pending`: every pod that waits for a node, once or as it changes.

pub mod args;
mod decider;
mod event;
mod redraw;
mod report;
mod schedule;
mod screen;
mod view;
mod watch;

use self::args::{PendingArgs, PendingFormat};
use self::report::PendingReport;
use super::ending::Ending;
use super::flags::GlobalFlags;
use super::{output, pager};
use crate::api::flags::ConnectionFlags;
use crate::error::Error;
use crate::exit::Exit;

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
    if args.watch {
        if matches!(args.output, PendingFormat::Kubectl(_)) {
            return Err(
                Error::usage("-o custom-columns and jsonpath do not go with --watch").into()
            );
        }
        return watch::run(args, global, connection);
    }
    if args.interval.is_some() {
        return Err(Error::usage("--interval needs --watch").into());
    }
    let options = args.input.check()?;
    let input = options.read(&[], global, connection)?;
    let pods = input.pods(&[], args.all_namespaces, global)?;
    let mut report = PendingReport::new(&input, &pods, args)?;
    if let Some(path) = &args.sort_by {
        report.sort(path)?;
    }
    pager::print(&report.text(args, output::paper(global))?, global)?;
    Ok(ending.end(input.exit(&[], report.exit())))
}

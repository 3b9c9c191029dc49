//! `kubectl preempt pending`: every pod that waits for a node, once or as it changes.

pub mod args;
mod refresh_interval;
mod report;
mod screen;
mod view;
mod watch;

use std::mem::ManuallyDrop;

use self::args::PendingArgs;
use self::report::PendingReport;
use super::flags::GlobalFlags;
use super::output;
use crate::api::flags::ConnectionFlags;
use crate::exit::Exit;

/// Reads, decides and prints; with `--watch` until a signal ends it.
///
/// # Errors
/// When flags, input or cluster give nothing to decide on.
pub fn run(args: &PendingArgs, global: &GlobalFlags, connection: &ConnectionFlags) -> anyhow::Result<Exit> {
    if args.watch {
        return watch::run(args, global, connection);
    }
    let options = args.input.check()?;
    // Freeing a large cluster takes longer than deciding on it, and the process ends anyway.
    let input = ManuallyDrop::new(options.read(&[], global, connection)?);
    let pods = input.pods(&[], args.all_namespaces, global)?;
    let report = PendingReport::new(&input, &pods, args.sequence())?;
    output::print(&report.text(args, output::paper(global))?)?;
    Ok(report.exit())
}

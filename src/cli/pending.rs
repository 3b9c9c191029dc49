//! `kubectl preempt pending`: every pod that waits for a node, once or as it changes.

pub mod args;
mod changes;
mod decider;
mod event;
mod listener;
mod redraw;
mod report;
mod schedule;
mod screen;
mod view;
mod watch;

use std::path::Path;

use self::args::PendingArgs;
use super::deciding::Deciding;
use super::ending::Ending;
use super::explain::compare as comparison;
use super::flags::GlobalFlags;
use super::input::InputOfCommand as _;
use super::printing::{Format, ListArgs, Printing};
use super::{output, pager, printing};
use crate::api::flags::ConnectionFlags;
use crate::capture::manifest::ReadManifests;
use crate::error::Error;
use crate::exit::Exit;
use crate::small_file::{self, NamedBy};
use answers::in_part::in_part;
use answers::questions::Report as _;
use answers::questions::compare::{CompareRequest, ComparedSide};

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
        return match watch::run(args, global, connection) {
            Err(error) if matches!(error.downcast_ref(), Some(Error::Forbidden { .. })) => {
                watch::run_in_part(args, global, connection)
            }
            ended => ended,
        };
    }
    if !args.compare.is_empty() {
        return compare(args, global, connection, ending);
    }
    let (mut options, request) = (args.input.check()?, args.request());
    options.in_part();
    options.with_missing_pods();
    let input = options.read(&[], global, connection)?;
    if let Some(report) = in_part(&input, &[], request.all_namespaces)? {
        let printing = Printing { format: &args.output, list: &ListArgs::default(), global };
        let printed = printing.print_with(report, |_, _| {
            let problem = "what can be said without the nodes is printed as text, json or yaml";
            Err(Error::usage(problem).into())
        })?;
        return Ok(ending.end(printed));
    }
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
    for unread in &report.unread_workloads {
        output::warn(global, unread);
    }
    if let Some(path) = &args.sort_by {
        printing::sort(&mut report, path)?;
    }
    pager::print(&report::text(&report, args, output::paper(global))?, global)?;
    let exit = if report.cut.is_some() { Exit::Interrupted } else { report.verdict().into() };
    Ok(ending.end(exit))
}

/// `--compare`: what several versions decide about the pending pods.
fn compare(
    args: &PendingArgs,
    global: &GlobalFlags,
    connection: &ConnectionFlags,
    ending: Ending,
) -> anyhow::Result<Exit> {
    let refused = || Error::usage("--compare prints text, wide, json, yaml or html");
    if matches!(args.output, Format::Kubectl(_) | Format::Own(_)) {
        return Err(refused().into());
    }
    let mut options = args.input.check()?;
    let sides = ComparedSide::named(&args.compare, options.scheduler(), add_file)?;
    let request = CompareRequest {
        targets: Vec::new(),
        all_namespaces: args.all_namespaces,
        running: args.running,
        replay: args.replay,
    };
    let printing = Printing { format: &args.output, list: &ListArgs::default(), global };
    let refuse = |_| refused();
    let printed = comparison::print(&mut options, &sides, &request, &printing, refuse, connection)?;
    Ok(ending.end(printed.as_answer()))
}

/// Adds what a file holds: a configuration of kube-scheduler, or other objects.
fn add_file(side: &mut ComparedSide, path: &str) -> Result<(), Error> {
    if !Path::new(path).exists() {
        return Err(Error::usage_hint(
            format!("--compare: `{path}` is not a version of kube-scheduler, and no such file"),
            "write versions as 1.37 or 1.37.1, a gate as NAME=true, and commas between them",
        ));
    }
    let text = small_file::read_text(Path::new(path), NamedBy::User)
        .map_err(|error| Error::io(Path::new(path), "cannot be read", &error))?;
    if !side.take_configuration(&text, path) {
        side.objects = ReadManifests::of(&[path.to_owned()], false)?.all()?;
    }
    Ok(())
}

//! `kubectl preempt explain`: the scheduler's decision about pods, and why.

pub mod args;
pub(super) mod compare;
mod groups;
mod sheet;

use self::args::{ExplainArgs, ExplainQuery};
use self::sheet::{Sheet, WriteEnd, Writing};
use super::deciding::Deciding;
use super::ending::Ending;
use super::flags::GlobalFlags;
use super::input::InputOfCommand as _;
use super::printer::ShareFormat;
use super::printing::{Format, ListArgs};
use super::{output, pager};
use crate::api::flags::ConnectionFlags;
use crate::error::Error;
use crate::exit::Exit;
use answers::in_part::in_part;
use answers::questions::explain::{Drawing, ExplainSubject, explain_each, explain_groups};
use answers::workload::{self, WorkloadReport};

/// The error for a format that shows decisions, where there is none.
fn shows_decisions(format: ShareFormat) -> Error {
    let name = Format::Own(format).name();
    Error::usage_hint(
        format!("-o {name} shows decisions, and there is none here"),
        "text, wide, json, yaml and jsonpath show this",
    )
}

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
    let query = args.check()?;
    if !query.versions.is_empty() {
        return compare::run(args, query, global, connection, ending);
    }
    let ExplainQuery { request, mut options, .. } = query;
    options.in_part();
    options.with_missing_pods();
    let input = options.read(&request.targets, global, connection)?;
    if let Some(report) = in_part(&input, &request.targets, request.all_namespaces)? {
        let list = ListArgs::default();
        let printed = args
            .printing(&list, global)
            .print_with(report, |_, format| Err(shows_decisions(format).into()))?;
        return Ok(ending.end(printed));
    }
    let callers = input.callers()?;
    let views = input.views(callers.as_deref());
    let (pods, groups_are_off) = match request.subject(&input)? {
        ExplainSubject::Groups => {
            let report = explain_groups(&input, &views, &request)?;
            let list = ListArgs::default();
            let printed = args.printing(&list, global).print_with(report, groups::own)?;
            return Ok(ending.end(args.exit(printed)));
        }
        ExplainSubject::Workloads(workloads) => {
            let report = WorkloadReport::new(&input, workloads);
            let list = ListArgs::default();
            let printed = args
                .printing(&list, global)
                .print_with(report, |_, format| Err(shows_decisions(format).into()))?;
            return Ok(ending.end(args.exit(printed)));
        }
        ExplainSubject::Pods { pods, groups_are_off } => (pods, groups_are_off),
    };
    if let Some(why) = groups_are_off {
        let text = format!("{why}, so kube-scheduler decides about each pod of a group alone");
        output::warn(global, &text);
    }
    for target in &request.targets {
        if let Some(missing) = workload::missing_beside(target, &input) {
            output::warn(global, &missing);
        }
    }
    if request.targets.is_empty() && pods.is_empty() {
        input.say_nothing_waits(args.all_namespaces, global);
    }

    // Each pod is drawn as soon as it is explained.
    let origin = input.origin();
    let one = request.targets.len() == 1;
    let writing = Writing { args, global, input: &input, origin: &origin, pods: pods.len(), one };
    let (mut sheet, drawer) = Sheet::new(&args.output, writing);
    let mut deciding = if args.output.encoding().is_some() {
        Deciding::while_written(pods.len(), global)
    } else {
        Deciding::new(pods.len(), global)
    };
    let drawing = Drawing { draw: &|report| drawer.draw(report), most: drawer.most() };
    let end = explain_each(
        &input,
        &views,
        &pods,
        &request,
        &mut || deciding.goes_on(),
        &drawing,
        &mut |part| sheet.add(part),
    );

    // If nobody reads further, the list is complete unless it was interrupted before.
    let cut = match end.broken_off {
        Some(WriteEnd::Failed(error)) => return Err(error),
        Some(WriteEnd::NobodyReads) => end.cut.filter(|_| deciding.is_interrupted()),
        None => end.cut,
    };
    drop(deciding);
    if let Some(text) = sheet.finish(cut)? {
        pager::print(&text, global)?;
    }
    let exit = if cut.is_some() { Exit::Interrupted } else { args.exit(end.verdict.into()) };
    Ok(ending.end(exit))
}

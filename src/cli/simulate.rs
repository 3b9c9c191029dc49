//! `kubectl preempt simulate`: the plan for pending or new pods, and its consequences.

pub mod args;
mod replan;
pub(super) mod what_if_flags;

use self::args::{SimulateArgs, SimulateFormat, SimulateQuery};
use self::replan::Replanner;
use super::apply::{ApplyRequest, ApplyStart, ModeArg};
use super::deciding::Deciding;
use super::flags::GlobalFlags;
use super::input::{KeptInput, LoadedInput};
use super::printing::{self, Format, Printing, no_decisions};
use super::{output, pager, progress};
use crate::api::Env;
use crate::api::flags::ConnectionFlags;
use crate::apply::{EarlyEnd, Reservation};
use crate::capture::live::server_check;
use crate::error::Error;
use crate::exit::Exit;
use answers::extent::Extent;
use answers::in_part::{PartialSubject, in_part_about};
use answers::questions::Report as _;
use answers::questions::loss::{LossRequest, loss};
use answers::questions::simulate::growth::nodes_needed;
use answers::questions::simulate::{
    AlreadyBound, Manifests, Replanning, SimulateReport, SimulateRequest, already_bound, plan_of,
    simulate,
};
use answers::target::Target;
use answers::words;
use engine::simulation::competitors::Residents;
use engine::simulation::plan::Plan;
use engine::simulation::sequence::Step;
use render::gate::{self, GateReport};
use render::page::{Page, page_of};
use render::safe::Printable;
use render::simulation::{csv, page};
use to_json::ToJson as _;

/// Why a plan that the scheduler would not make is not executed as the scheduler does.
const AS_SCHEDULER: &str = "--mode=delete does what kube-scheduler does, and it preempts no pod for this one: use --mode=evict";

/// Reads, decides and prints.
///
/// # Errors
/// When flags, input or cluster give nothing to decide on.
pub fn run(
    args: &SimulateArgs,
    global: &GlobalFlags,
    connection: &ConnectionFlags,
) -> anyhow::Result<Exit> {
    if let Some(request) = args.loss()? {
        return lose(args, &request, global, connection);
    }
    let targets = args.check_flags()?;
    if args.apply.apply {
        let start = ApplyStart::new(ApplyRequest {
            args: args.apply.clone(),
            encoding: args.output.encoding(),
            global: global.clone(),
            connection: connection.clone(),
            target: targets.first().cloned(),
        });
        return apply(args, targets, &start, global, connection);
    }
    let SimulateQuery { mut request, mut options } = args.query(targets)?;
    options.in_part();
    let input = options.read(&request.targets, global, connection)?;
    if args.apply.asks_server() {
        let Manifests { objects, not_asked, .. } = &mut request.manifests;
        *not_asked = if args.input.from.is_empty() {
            server_check::check(&Env::process(), connection, objects, &input.namespace)?
        } else {
            vec!["the manifests: --from reads files".to_owned()]
        };
    }
    if let Some(report) = in_part_about(&input, request.in_part())? {
        let printing = Printing { format: &args.output, list: &args.list, global };
        return printing.print_with(report, |_, _| Err(no_decisions().into()));
    }
    if args.nodes_needed {
        let printing = Printing { format: &args.output.without_own(), list: &args.list, global };
        return printing.print(nodes_needed(&input, &request)?);
    }
    let mut report = decide(input, &request, global)?;
    // The decisions have been made in the scheduler's order.
    if let Some(path) = &args.list.sort_by {
        printing::sort(&mut report, path)?;
    }
    let for_people = args.output == Format::Text;
    if let Some(cut) = report.cut().filter(|_| !for_people) {
        output::warn(global, &cut.sentence());
    }
    pager::print(&text(args, &report, global)?, global)?;
    if report.cut().is_some() {
        return Ok(Exit::Interrupted);
    }
    // Everything that could be read is judged by now.
    if let Some(error) = report.unread() {
        return Err(error.into());
    }
    Ok(report.verdict().into())
}

/// Reads, plays the loss of nodes and prints.
fn lose(
    args: &SimulateArgs,
    request: &LossRequest,
    global: &GlobalFlags,
    connection: &ConnectionFlags,
) -> anyhow::Result<Exit> {
    let mut options = args.input.check()?;
    options.in_part();
    let input = options.read(&[], global, connection)?;
    let format = args.output.without_own();
    let printing = Printing { format: &format, list: &args.list, global };
    match in_part_about(&input, PartialSubject::Nothing)? {
        Some(report) => printing.print(report),
        None => printing.print(loss(&input, request)?),
    }
}

/// Decides, unless somebody interrupts it.
fn decide(
    input: LoadedInput,
    request: &SimulateRequest,
    global: &GlobalFlags,
) -> anyhow::Result<SimulateReport> {
    // A single pod is decided at once, or not at all.
    let deciding = if request.may_be_cut() {
        Deciding::new(input.cluster.pods.len(), global)
    } else {
        Deciding::uninterrupted(global)
    };
    let report = simulate(input, request, &|at| deciding.goes_on_after(at.decided, at.total))?;
    drop(deciding);
    if let Some(remark) = report.beside().remark {
        output::say(global, &remark);
    }
    Ok(report)
}

fn extent(args: &SimulateArgs) -> Extent {
    args.output.extent(args.list.rows.all)
}

fn plan_page(args: &SimulateArgs, report: &SimulateReport, extent: Extent) -> Page {
    let uses_evictions = args.apply.apply && args.apply.mode != Some(ModeArg::Delete);
    page(report, uses_evictions, extent)
}

/// The answer in the format of `-o`.
fn text(
    args: &SimulateArgs,
    report: &SimulateReport,
    global: &GlobalFlags,
) -> anyhow::Result<Printable> {
    let headers = !args.list.rows.no_headers;
    if let Some(data) = args.output.data(|| report.json(), headers, output::paper(global))? {
        return Ok(data);
    }
    Ok(match (&args.output, GateReport::of(report)) {
        (Format::Own(SimulateFormat::Csv), _) => {
            let table =
                csv::table(&report.json()).map_err(|error| Error::input("output", error))?;
            Printable::new(table)
        }
        (Format::Own(SimulateFormat::Markdown), Some(gate)) => Printable::new(gate::comment(gate)),
        (Format::Own(SimulateFormat::Github), Some(gate)) => gate::annotations(gate),
        (Format::Own(SimulateFormat::Sarif), Some(gate)) => {
            output::json(&gate::sarif(gate, env!("CARGO_PKG_VERSION")))?
        }
        (Format::Own(SimulateFormat::Junit), Some(gate)) => gate::junit(gate),
        (Format::Html, _) => printing::html(report, global),
        // The other formats of its own have a gate; what is left is text.
        (_, gate) => {
            let page = |extent| {
                let mut page = report.cut().map(page_of).unwrap_or_default();
                page.append(plan_page(args, report, extent));
                if let Some(gate) = gate {
                    gate::add(&mut page, gate);
                }
                page
            };
            // What is carried out is shown as a whole.
            if args.apply.apply {
                page(extent(args)).print(output::paper_for(extent(args), global))
            } else {
                printing::page(&page, extent(args), global)
            }
        }
    })
}

/// Makes the plan of `--apply`, shows it and carries it out. An error before that is a result of the
/// run, too.
fn apply(
    args: &SimulateArgs,
    targets: Vec<Target>,
    start: &ApplyStart,
    global: &GlobalFlags,
    connection: &ConnectionFlags,
) -> anyhow::Result<Exit> {
    let found = args.query(targets).map_err(anyhow::Error::from);
    let (report, kept) = match found.and_then(|query| find_plan(query, start, global, connection)) {
        Ok(FoundOrBound::Found(report, kept)) => (*report, *kept),
        Ok(FoundOrBound::Bound(bound)) => return report_bound(start, bound),
        Err(error) => return Err(start.refused(error)?),
    };
    let text = text(args, &report, global)?;
    let step = report.applied_step()?;
    let as_if_preempting = report.is_as_if_preempting();
    if as_if_preempting && args.apply.mode == Some(ModeArg::Delete) {
        return Err(Error::usage(AS_SCHEDULER).into());
    }

    // The plan is shown before anything is asked or sent. With -o json or yaml, only the result goes
    // to standard output.
    if args.output.encoding().is_none() {
        output::print(&text)?;
    } else {
        let page = plan_page(args, &report, extent(args));
        output::say_lines(&page.print(output::plain_paper(global)));
    }

    // An answer that may be wrong is not executed.
    if let Some(refusal) = report.refusal(step) {
        let error = Error::from(refusal);
        end_early(start, step, EarlyEnd::Refused(error.to_string()))?;
        return Err(error.into());
    }
    let plan = match plan_of(step) {
        Ok(plan) => plan,
        // The page says why there is nothing to execute.
        Err(why) => return end_early(start, step, EarlyEnd::Impossible(why)),
    };

    warn_of_lists(&kept, global);
    let mut apply_args = args.apply.clone();
    let reservation = if report.any_gated {
        // A gated pod is not scheduled until its gates are removed, which may take any time.
        apply_args.wait.get_or_insert(false);
        Reservation::Gated
    } else if as_if_preempting || args.what_if.on.is_some() {
        Reservation::Nothing
    } else {
        Reservation::Scheduler
    };
    let planner = Box::new(Replanner {
        input: args.input.clone(),
        kept,
        decisions: Replanning { on: args.what_if.on.clone(), as_if_preempting },
        residents: Residents::default(),
    });
    start.carry_out(&apply_args, &plan, reservation, planner)
}

/// A simulation, with what is kept of the cluster, or the finding that the pod of `--apply`, or every
/// pod of the group, is already bound.
enum FoundOrBound {
    Found(Box<SimulateReport>, Box<KeptInput>),
    Bound(AlreadyBound),
}

/// Decides about the pod of `--apply`. The plan is decided again before each step, so its cluster is
/// kept up to date.
fn find_plan(
    SimulateQuery { request, options }: SimulateQuery<'_>,
    start: &ApplyStart,
    global: &GlobalFlags,
    connection: &ConnectionFlags,
) -> anyhow::Result<FoundOrBound> {
    let progress = progress::shown(global.quiet);
    let (env, targets) = (start.env(), &request.targets);
    let kept = options.keep(&env, targets, global, connection, progress, Box::new(|_| {}))?;
    let input: LoadedInput = options.read_kept(&kept)?;
    if let Some(bound) = already_bound(targets, &input) {
        return Ok(FoundOrBound::Bound(bound));
    }
    let deciding = Deciding::uninterrupted(global);
    let report = simulate(input, &request, &|at| deciding.goes_on_after(at.decided, at.total))?;
    Ok(FoundOrBound::Found(Box::new(report), Box::new(kept)))
}

/// Prints the result of a run without anything to execute.
fn end_early(start: &ApplyStart, step: &Step, end: EarlyEnd) -> anyhow::Result<Exit> {
    start.not_started(&Plan::empty(step.id.clone(), step.priority, Vec::new()), end)
}

/// Reports that the pod, or every pod of the group, is already bound.
fn report_bound(start: &ApplyStart, bound: AlreadyBound) -> anyhow::Result<Exit> {
    let AlreadyBound { id, placed } = bound;
    let (what, name) = (id.resource(), id.full_name());
    let plan = Plan::empty(id, 0, placed);
    let on = if plan.preemptor.id.pod().is_some() { "on node" } else { "with all its pods on" };
    let nodes = words::list(&plan.nodes(), 5);
    let text = format!("{what} {name} is {on} {nodes} already: nothing else needs evicting\n");
    output::say_lines(&Printable::new(text));
    start.not_started(&plan, EarlyEnd::AlreadyBound)
}

/// Warns about the cost of missing permissions to watch.
fn warn_of_lists(kept: &KeptInput, global: &GlobalFlags) {
    kept.cluster.settle();
    let kinds = kept.cluster.not_watched();
    let names: Vec<&str> = kinds.iter().map(|kind| kind.plural()).collect();
    if !names.is_empty() {
        let text =
            format!("may not watch {}: read again before each eviction", words::list(&names, 4));
        output::warn(global, &text);
    }
}

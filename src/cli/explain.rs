//! `kubectl preempt explain`: the scheduler's decision about pods, and why.

pub mod args;
mod check;
mod compare;
mod explainer;
mod groups;
mod sheet;

use self::args::ExplainArgs;
use self::explainer::Explainer;
use self::sheet::{Sheet, Writing};
use super::answer::{Answer, Deliver};
use super::deciding::Deciding;
use super::ending::Ending;
use super::flags::GlobalFlags;
use super::input::LoadedInput;
use super::printer::{DataFormat, ExplainFormat};
use super::subject::Target;
use super::verify::try_other_versions;
use super::{output, subject};
use crate::api::flags::ConnectionFlags;
use crate::error::Error;
use crate::exit::Exit;
use engine::autoscalers::Autoscalers;
use engine::cluster::pod::PodIx;
use engine::decision::Explanation;
use engine::decision::sampling::Starts;
use engine::groups::member::Decider;
use engine::simulation::sequence::queue_order;
use render::safe::Printable;
use render::{pod_group, screen};

/// Limit, over all pods, of the nodes for which every version is checked whether it writes the text
/// of a pod's condition.
const NODES_OF_OTHER_VERSIONS: usize = 500;

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
    answer(args, &formats, global, connection, &mut |answer| answer.print(global, ending))
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
    let targets = subject::parse(&args.pods)?;
    subject::check_all_namespaces(&targets, args.all_namespaces)?;
    if subject::name_groups(&targets) {
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
    let targets = targets(args)?;
    let of_groups = subject::name_groups(&targets);
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
    let pods = queue_order(&pods, &input.cluster);
    let deciders = views.iter().map(|view| Decider::new(view, input.now)).collect();
    let autoscalers = Autoscalers::find(&input.cluster, input.now);
    let mut explainer = Explainer::new(args, connection, &input, deciders, autoscalers.as_ref());
    explainer.starts = starts;
    explainer.remedies = formats.iter().any(ExplainFormat::tells_remedies);

    let origin = input.origin();
    let (number, one) = (pods.len(), targets.len() == 1);
    let writing = Writing { args, global, input: &input, origin: &origin, pods: number, one };
    let mut sheets: Vec<Sheet> = formats.iter().map(|format| Sheet::new(format, writing)).collect();
    let mut exit = Exit::Answered;
    let mut deciding = Deciding::new(number, global);
    if input.cluster.nodes.len() * number <= NODES_OF_OTHER_VERSIONS {
        // Each version is asked about all pods at once, so that its view of the cluster is made once.
        let pods = pods.into_iter().take_while(|_| deciding.goes_on());
        let mut explanations: Vec<Explanation> =
            pods.filter_map(|pod| explainer.explain(pod)).collect();
        let alone = explanations.iter_mut().filter(|one| one.membership.is_none());
        let mut conditions: Vec<_> = alone.filter_map(|one| one.condition.as_mut()).collect();
        try_other_versions(&mut conditions, &input);
        for explanation in &explanations {
            sheets.iter_mut().for_each(|sheet| sheet.add(explanation));
            exit = worse(exit, args.exit(&explanation.decision));
        }
    } else {
        for pod in pods {
            if !deciding.goes_on() {
                break;
            }
            let Some(explanation) = explainer.explained(pod) else { continue };
            sheets.iter_mut().for_each(|sheet| sheet.add(explanation));
            exit = worse(exit, args.exit(&explanation.decision));
        }
    }
    let cut = deciding.end();
    let texts = sheets.into_iter().map(|sheet| sheet.finish(cut));
    let texts = texts.collect::<anyhow::Result<Vec<Printable>>>()?;
    let exit = if cut.is_some() { Exit::Interrupted } else { input.exit(&targets, exit) };
    deliver(Answer { texts, exit })
}

/// The exit code of a list with answers of both.
fn worse(one: Exit, other: Exit) -> Exit {
    if one.code() < other.code() { other } else { one }
}

/// The explained decision about a pod: with every node's rejections if it is not scheduled with its
/// group.
fn decide<'v>(
    input: &LoadedInput,
    deciders: &mut [Decider<'v>],
    pod: PodIx,
) -> Option<Explanation<'v>> {
    let mut decision = Explanation::from(deciders.get_mut(input.view_of(pod))?.decide(pod));
    if decision.membership.is_none() {
        decision.run_other_filters();
    }
    decision.compare_condition();
    Some(decision)
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
    let mut deciders: Vec<Decider> =
        views.iter().map(|view| Decider::new(view, input.now)).collect();
    let decision = decide(input, &mut deciders, pod);
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

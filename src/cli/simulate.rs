//! `kubectl preempt simulate`: the plan for pending or new pods, and what follows from it.

pub mod args;
mod replan;
mod what_if_cluster;
pub(super) mod what_if_flags;

use self::args::SimulateArgs;
use self::replan::Replanner;
use self::what_if_cluster::{Manifests, WhatIfCluster};
use super::apply::ModeArg;
use super::flags::GlobalFlags;
use super::input::KeptInput;
use super::listing::ListFormat;
use super::printer::BasicFormat;
use super::subject::Target;
use super::{apply, output, pager, progress, subject};
use crate::api::flags::ConnectionFlags;
use crate::api::{Env, config};
use crate::apply::Reservation;
use crate::apply::journal::ApplyOutcome;
use crate::error::Error;
use crate::exit::Exit;
use engine::edits::Edit;
use engine::groups::doubts;
use engine::json::SourceKind;
use engine::notes::{Note, Severity};
use engine::profile::Profile;
use engine::simulation::plan::{GroupId, Placement, Plan, PodId, PreemptorId};
use engine::simulation::planning::Proposal;
use engine::simulation::sequence::{self, Settings, Simulation};
use engine::snapshot::Header;
use render::extent::Extent;
use render::headline::assumed_rules;
use render::origin::Origin;
use render::safe::Printable;
use render::simulation::page;
use render::words;

/// Why a plan that the scheduler would not make is not carried out as it does.
const AS_SCHEDULER: &str =
    "--mode=delete does what kube-scheduler does, and it preempts no pod for this one: use --mode=evict";

/// Reads, decides and prints.
///
/// # Errors
/// When flags, input or cluster give nothing to decide on.
pub fn run(args: &SimulateArgs, global: &GlobalFlags, connection: &ConnectionFlags) -> anyhow::Result<Exit> {
    let targets = subject::parse(&args.pods)?;
    args.check(&targets)?;
    let found = match find(args, &targets, global, connection) {
        Ok(found) => found,
        Err(error) => {
            refused(args, &targets, &error, global, connection)?;
            return Err(error);
        }
    };
    let Found { simulation, profile, header, source, origin, any_gated, kept } = match found {
        FoundOrBound::Found(found) => *found,
        FoundOrBound::Bound(id, placed) => return bound(args, id, placed, connection),
    };
    let as_evicted = args.apply.apply && args.apply.mode != Some(ModeArg::Delete);
    let json = || render::json::simulation(&simulation, &header, &profile, source, origin.as_of);
    let text = match &args.output {
        ListFormat::Own(BasicFormat::Text) => {
            page(&simulation, &profile, &origin, as_evicted, extent(args)).print(output::paper(global))
        }
        ListFormat::Own(format) => format.encode(&json())?,
        ListFormat::Kubectl(format) => format.text(&json(), true, output::paper(global))?,
    };
    if let Some(kept) = kept {
        return carry_out(args, (&simulation, &profile), any_gated, &text, (&origin, kept), global, connection);
    }
    pager::print(&text, global)?;
    Ok(exit(&simulation))
}

/// How much of long tables is shown.
fn extent(args: &SimulateArgs) -> Extent {
    if args.all { Extent::All } else { Extent::Top }
}

/// What follows from the cluster, and what it follows from.
struct Found {
    simulation: Simulation,
    profile: Profile,
    header: Header,
    source: SourceKind,
    origin: Origin,
    any_gated: bool,
    kept: Option<KeptInput>,
}

/// The same, or that the pod of `--apply`, or every pod of the group, is on a node already.
enum FoundOrBound {
    Found(Box<Found>),
    Bound(PreemptorId, Vec<Placement>),
}

/// Reads and decides.
fn find(
    args: &SimulateArgs,
    targets: &[Target],
    global: &GlobalFlags,
    connection: &ConnectionFlags,
) -> anyhow::Result<FoundOrBound> {
    let manifests = Manifests::read(args)?;
    let mut options = args.input.check()?;
    if manifests.have_pods() {
        options.for_new_pods();
    }
    // A plan that is carried out is decided again and again.
    let progress = || progress::shown(global.quiet);
    let keep = || options.keep(&Env::process(), targets, global, connection, progress(), Box::new(|_| {}));
    let kept = args.apply.apply.then(keep).transpose()?;
    let input = match &kept {
        Some(kept) => options.read_kept(kept)?,
        None => options.read(targets, global, connection)?,
    };
    let header = input.cluster.header.clone();
    let profiles: Vec<Profile> = input.profiles().cloned().collect();
    let (profile, source, origin) = (input.profile.clone(), input.source, input.origin());
    let now = origin.as_of;
    if args.apply.apply
        && let Some((id, placed)) = what_if_cluster::bound(targets, &input)
    {
        return Ok(FoundOrBound::Bound(id, placed));
    }
    let what_if = WhatIfCluster::build(args, targets, &manifests, input, global)?;
    let any_gated = what_if.any_gated;
    let unlisted: Vec<Note> = what_if.cluster.notes_on_lists().cloned().map(Note::raised).collect();
    let settings = Settings { profiles: &profiles, now, on: args.what_if.on.as_deref(), depth: args.depth };
    let mut simulation = if what_if.drains.is_empty() {
        sequence::run(what_if.cluster, &what_if.pods, settings)
    } else {
        sequence::drain(what_if.cluster, &what_if.drains, settings)
    };
    simulation.notes.splice(0..0, what_if.notes);
    if simulation.steps.is_empty() {
        simulation.notes.extend(unlisted);
    }
    simulation.assumptions = what_if.assumptions;
    Ok(FoundOrBound::Found(Box::new(Found { simulation, profile, header, source, origin, any_gated, kept })))
}

/// Prints the result of a run that ends before there is a decision about the pod or group that it names.
fn refused(
    args: &SimulateArgs,
    targets: &[Target],
    error: &anyhow::Error,
    global: &GlobalFlags,
    connection: &ConnectionFlags,
) -> anyhow::Result<()> {
    let [target] = targets else { return Ok(()) };
    // The error itself says why the kubeconfig gives no connection.
    let (true, Ok(config)) = (args.apply.apply, config::resolve(connection, &Env::process())) else { return Ok(()) };
    let namespace = target.namespace.clone().or_else(|| global.namespace.clone());
    let namespace = namespace.unwrap_or(config.config.default_namespace);
    let (name, uid) = (target.name.clone(), String::new());
    let id = match target.kind {
        "Pod" => PreemptorId::Pod(PodId { namespace, name, uid }),
        "PodGroup" => PreemptorId::Group(GroupId { namespace, name, uid }),
        // The pod of an owner has another name.
        _ => return Ok(()),
    };
    let end = (ApplyOutcome::Refused, false, Some(error.to_string()));
    apply::not_started(&args.apply, &Plan::empty(id, 0, Vec::new()), end, args.basic_format(), connection)?;
    Ok(())
}

/// Shows the plan and carries it out. With `-o json` or `yaml`, only the result goes to standard output.
fn carry_out(
    args: &SimulateArgs,
    (simulation, profile): (&Simulation, &Profile),
    any_gated: bool,
    text: &Printable,
    (origin, kept): (&Origin, KeptInput),
    global: &GlobalFlags,
    connection: &ConnectionFlags,
) -> anyhow::Result<Exit> {
    // What follows the first step of a group concerns the pods that do not fit beside the others.
    let Some(step) = simulation.steps.first().filter(|step| simulation.steps.iter().all(|other| other.id == step.id))
    else {
        let number = simulation.steps.len();
        let problem = format!("--apply carries out the plan of one pod or group, and {number} are meant: name one");
        return Err(Error::usage(problem).into());
    };
    let as_if_preempting = simulation.assumptions.contains(&Edit::AsIfPreempting);
    if as_if_preempting && args.apply.mode == Some(ModeArg::Delete) {
        return Err(Error::usage(AS_SCHEDULER).into());
    }
    if args.basic_format() == BasicFormat::Text {
        output::print(text)?;
    } else {
        let as_evicted = args.apply.mode != Some(ModeArg::Delete);
        output::say_lines(
            &page(simulation, profile, origin, as_evicted, extent(args)).print(output::plain_paper(global)),
        );
    }
    let ends = |placed, end| {
        let plan = Plan::empty(step.id.clone(), step.priority, placed);
        apply::not_started(&args.apply, &plan, end, args.basic_format(), connection)
    };
    let refusal = match assumed_rules(profile) {
        Some(rules) => Some(Error::assumed(&rules)),
        None => uncertain(simulation, &step.proposal),
    };
    if let Some(error) = refusal {
        ends(Vec::new(), (ApplyOutcome::Refused, false, Some(error.to_string())))?;
        return Err(error.into());
    }
    // Where there is nothing to carry out, the page says why.
    let plan = match &step.proposal {
        Proposal::Evict(plan) | Proposal::Awaits(plan) => plan.clone(),
        // It is only waited for.
        Proposal::Fits(nodes) => {
            let pod = step.id.pod().cloned();
            let placed = pod.into_iter().zip(nodes).map(|(pod, node)| Placement { pod, node: node.clone() });
            Plan::empty(step.id.clone(), step.priority, placed.collect())
        }
        Proposal::GroupFits(placed) => Plan::empty(step.id.clone(), step.priority, placed.clone()),
        Proposal::Impossible(why) | Proposal::Unknown(why) => {
            return ends(Vec::new(), (ApplyOutcome::Impossible, false, Some(why.clone())));
        }
    };
    warn_of_lists(&kept, global);
    let planner = Replanner { input: args.input.clone(), kept, on: args.what_if.on.clone(), as_if_preempting };
    let mut apply = args.apply.clone();
    let reservation = if any_gated {
        apply.wait.get_or_insert(false);
        Reservation::Gated
    } else if as_if_preempting || args.what_if.on.is_some() {
        Reservation::Nothing
    } else {
        Reservation::Scheduler
    };
    apply::carry_out(&apply, (&plan, reservation), Box::new(planner), args.basic_format(), global, connection)
}

/// Says what it costs if the cluster may not be watched.
fn warn_of_lists(kept: &KeptInput, global: &GlobalFlags) {
    kept.cluster.settle();
    let kinds = kept.cluster.not_watched();
    let names: Vec<&str> = kinds.iter().map(|kind| kind.plural()).collect();
    if !names.is_empty() {
        let text = format!("may not watch {}: read again before each eviction", words::list(&names, 4));
        output::warn(global, &text);
    }
}

/// Says that the pod, or every pod of the group, is on a node already.
fn bound(
    args: &SimulateArgs,
    id: PreemptorId,
    placed: Vec<Placement>,
    connection: &ConnectionFlags,
) -> anyhow::Result<Exit> {
    let (what, name) = (id.resource(), id.full_name());
    let plan = Plan::empty(id, 0, placed);
    let node = if plan.preemptor.id.pod().is_some() { "on node" } else { "with all its pods on" };
    let text =
        format!("{what} {name} is {node} {} already: nothing else needs evicting\n", words::list(&plan.nodes(), 5));
    output::say_lines(&Printable::new(text));
    apply::not_started(&args.apply, &plan, (ApplyOutcome::NotNeeded, true, None), args.basic_format(), connection)
}

/// The note for which no plan is carried out: the answer may be wrong. That it is one of several that are as good is no such doubt.
fn doubt(notes: &[Note]) -> Option<&Note> {
    notes.iter().find(|note| note.severity == Severity::Error && !doubts::is_open_choice(note))
}

/// Why nothing of an uncertain answer is carried out; `None` if it is certain, or one of several that are as good.
fn uncertain(simulation: &Simulation, proposal: &Proposal) -> Option<Error> {
    let doubt = doubt(&simulation.notes).map(render::notes::sentence);
    let unknown = if let Proposal::Unknown(why) = proposal { Some(why.clone()) } else { None };
    doubt.or(unknown).map(|why| Error::uncertain(&why))
}

/// The exit code after this simulation.
fn exit(simulation: &Simulation) -> Exit {
    match (simulation.is_unsure(), simulation.all_placed()) {
        (true, _) => Exit::Partial,
        (false, true) => Exit::Answered,
        (false, false) => Exit::No,
    }
}

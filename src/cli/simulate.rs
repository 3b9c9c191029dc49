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
use super::printer::BasicFormat;
use super::{apply, output, pager, target};
use crate::api::flags::ConnectionFlags;
use crate::apply::journal::ApplyOutcome;
use crate::error::Error;
use crate::exit::Exit;
use engine::edits::Edit;
use engine::groups::doubts;
use engine::notes::{Note, Severity};
use engine::profile::Profile;
use engine::simulation::plan::{Placement, Plan, PreemptorId};
use engine::simulation::planning::Proposal;
use engine::simulation::sequence::{self, Settings, Simulation};
use render::headline::assumed_rules;
use render::json::JsonSimulation;
use render::origin::Origin;
use render::safe::Printable;
use render::{simulation, words};

/// Why a plan that the scheduler would not make is not carried out as it does.
const AS_SCHEDULER: &str =
    "--mode=delete does what kube-scheduler does, and it preempts no pod for this one: use --mode=evict";
/// Before room is made for a pod with scheduling gates.
const GATED: &str = "the pod has scheduling gates: kube-scheduler does not try it before they are removed, and until then the \
                     room is not reserved for it (not waiting; --wait waits)\n";

/// Reads, decides and prints.
///
/// # Errors
/// When flags, input or cluster give nothing to decide on.
pub fn run(args: &SimulateArgs, global: &GlobalFlags, connection: &ConnectionFlags) -> anyhow::Result<Exit> {
    let targets = target::parse(&args.pods)?;
    args.check(&targets)?;
    let manifests = Manifests::read(args)?;
    let mut options = args.input.check()?;
    if manifests.have_pods() {
        options.for_new_pods();
    }
    // A plan that is carried out is decided again and again.
    let kept =
        if args.apply.apply { Some(options.keep(&targets, global, connection, Box::new(|_| {}))?) } else { None };
    let input = match &kept {
        Some(kept) => options.read_kept(kept)?,
        None => options.read(&targets, global, connection)?,
    };
    let header = input.cluster.header.clone();
    let profiles: Vec<Profile> = input.profiles().cloned().collect();
    let (profile, source, origin) = (input.profile.clone(), input.source, input.origin());
    let now = origin.as_of;
    if args.apply.apply
        && let Some((id, placed)) = what_if_cluster::bound(&targets, &input)
    {
        return bound(args, id, placed, connection);
    }
    let what_if = WhatIfCluster::build(args, &targets, &manifests, input, global)?;
    let any_gated = what_if.any_gated;
    let settings = Settings { profiles: &profiles, now, on: args.what_if.on.as_deref(), depth: args.depth };
    let mut simulation = sequence::run(what_if.cluster, &what_if.pods, settings);
    simulation.notes.splice(0..0, what_if.notes);
    simulation.assumptions = what_if.assumptions;
    let text = match args.output {
        BasicFormat::Text => simulation::page(&simulation, &profile, &origin).print(output::paper(global)),
        BasicFormat::Json | BasicFormat::Yaml => {
            let json = JsonSimulation::new(&simulation, &header, &profile, source, now);
            args.output.encode(&json)?
        }
    };
    if let Some(kept) = kept {
        return carry_out(args, (&simulation, &profile), any_gated, &text, (&origin, kept), global, connection);
    }
    pager::print(&text, global)?;
    Ok(exit(&simulation))
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
    if args.output == BasicFormat::Text {
        output::print(text)?;
    } else {
        output::say_lines(&simulation::page(simulation, profile, origin).print(output::plain_paper(global)));
    }
    let ends = |placed, end| {
        let plan = Plan::empty(step.id.clone(), step.priority, placed);
        apply::not_started(&args.apply, &plan, end, args.output, connection)
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
        Proposal::Evict(plan) | Proposal::Awaits(plan) => plan,
        Proposal::Fits(nodes) => {
            let pod = step.id.pod().cloned();
            let placed = pod.into_iter().zip(nodes).map(|(pod, node)| Placement { pod, node: node.clone() });
            return ends(placed.collect(), (ApplyOutcome::NotNeeded, false, None));
        }
        Proposal::GroupFits(placed) => return ends(placed.clone(), (ApplyOutcome::NotNeeded, false, None)),
        Proposal::Impossible(why) | Proposal::Unknown(why) => {
            return ends(Vec::new(), (ApplyOutcome::Impossible, false, Some(why.clone())));
        }
    };
    warn_of_lists(&kept, global);
    let planner = Replanner {
        input: args.input.clone(),
        kept,
        nodes: plan.concerned_nodes().into_iter().map(str::to_owned).collect(),
        on: args.what_if.on.clone(),
        as_if_preempting,
    };
    let mut apply = args.apply.clone();
    if any_gated && apply.wait.is_none() {
        output::say_lines(&Printable::new(GATED));
        apply.wait = Some(false);
    }
    apply::carry_out(&apply, plan, Box::new(planner), args.output, global, connection)
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
    let text = format!("{what} {name} is {node} {} already: no pod has to be evicted\n", words::list(&plan.nodes(), 5));
    output::say_lines(&Printable::new(text));
    apply::not_started(&args.apply, &plan, (ApplyOutcome::NotNeeded, true, None), args.output, connection)
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

//! `kubectl preempt simulate`: the plan for pending or new pods, and what follows from it.

pub mod args;
mod replan;
mod what_if_cluster;
mod what_if_flags;

use self::args::SimulateArgs;
use self::replan::Replanner;
use self::what_if_cluster::{Manifests, WhatIfCluster};
use super::flags::GlobalFlags;
use super::printer::BasicFormat;
use super::{apply, output, pager, target};
use crate::api::flags::ConnectionFlags;
use crate::error::Error;
use crate::exit::Exit;
use engine::notes::Severity;
use engine::profile::Profile;
use engine::simulation::planning::Proposal;
use engine::simulation::sequence::{self, Settings, Simulation};
use render::headline::assumed_rules;
use render::json::JsonSimulation;
use render::origin::Origin;
use render::safe::Printable;
use render::simulation;

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
    let input = options.read(&targets, global, connection)?;
    let header = input.cluster.header.clone();
    let profiles: Vec<Profile> = input.profiles().cloned().collect();
    let (profile, source, origin) = (input.profile.clone(), input.source, input.origin());
    let now = origin.as_of;
    let what_if = WhatIfCluster::build(args, &targets, &manifests, input, global)?;
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
    if args.apply.apply {
        return carry_out(args, (&simulation, &profile), &text, &origin, global, connection);
    }
    pager::print(&text, global)?;
    Ok(exit(&simulation))
}

/// Shows the plan and carries it out. With `-o json` or `yaml`, only the result goes to standard output.
fn carry_out(
    args: &SimulateArgs,
    (simulation, profile): (&Simulation, &Profile),
    text: &Printable,
    origin: &Origin,
    global: &GlobalFlags,
    connection: &ConnectionFlags,
) -> anyhow::Result<Exit> {
    let [step] = simulation.steps.as_slice() else {
        let number = simulation.steps.len();
        return Err(
            Error::usage(format!("--apply carries out the plan of one pod, and {number} are meant: name one")).into()
        );
    };
    if let Some(rules) = assumed_rules(profile) {
        output::print(text)?;
        return Err(Error::assumed(&rules).into());
    }
    if simulation.is_unsure() {
        output::print(text)?;
        return Err(uncertain(simulation, &step.proposal).into());
    }
    let Some(plan) = step.proposal.plan() else {
        // There is nothing to carry out, and the answer says why.
        output::print(text)?;
        return Ok(exit(simulation));
    };
    if args.output == BasicFormat::Text {
        output::print(text)?;
    } else {
        output::say_lines(&simulation::page(simulation, profile, origin).print(output::plain_paper(global)));
    }
    let planner = Replanner {
        input: args.input.clone(),
        global: global.clone(),
        connection: connection.clone(),
        on: args.what_if.on.clone(),
    };
    apply::carry_out(&args.apply, plan, Box::new(planner), args.output, global, connection)
}

/// Why nothing of an uncertain answer is carried out.
fn uncertain(simulation: &Simulation, proposal: &Proposal) -> Error {
    let note = simulation.notes.iter().find(|note| note.severity == Severity::Error);
    let unknown = if let Proposal::Unknown(why) = proposal { why.as_str() } else { "it is not known" };
    Error::uncertain(&note.map_or_else(|| unknown.to_owned(), render::notes::sentence))
}

/// The exit code after this simulation.
fn exit(simulation: &Simulation) -> Exit {
    match (simulation.is_unsure(), simulation.all_placed()) {
        (true, _) => Exit::Partial,
        (false, true) => Exit::Answered,
        (false, false) => Exit::No,
    }
}

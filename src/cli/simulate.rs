//! `kubectl preempt simulate`: the plan for pending or new pods, and its consequences.

pub mod args;
mod gate_flags;
mod replan;
mod what_if_cluster;
pub(super) mod what_if_flags;

use std::ops::ControlFlow;

use self::args::{SimulateArgs, SimulateFormat};
use self::replan::Replanner;
use self::what_if_cluster::{Manifests, WhatIfCluster};
use super::answer::{CommandAnswer, Deliver};
use super::apply::{ApplyRequest, ApplyStart, ModeArg};
use super::deciding::{CutShort, Deciding};
use super::flags::GlobalFlags;
use super::input::{KeptInput, LoadedInput};
use super::listing::ListFormat;
use super::printer::BasicFormat;
use super::{output, pager, progress};
use crate::api::flags::ConnectionFlags;
use crate::apply::{EarlyEnd, Reservation};
use crate::error::Error;
use crate::exit::Exit;
use answers::extent::Extent;
use answers::headline::assumed_rules;
use answers::origin::Origin;
use answers::origin::SourceKind;
use answers::target::{self, Target};
use answers::words;
use engine::autoscalers::Autoscalers;
use engine::cluster::Cluster;
use engine::edits::Edit;
use engine::groups::doubts;
use engine::notes::{self, Note, Severity};
use engine::profile::Profile;
use engine::simulation::competitors::Residents;
use engine::simulation::gate::{Policy, PolicyGate};
use engine::simulation::plan::{Placement, Plan, PreemptorId};
use engine::simulation::planning::Proposal;
use engine::simulation::removal;
use engine::simulation::sequence::{self, Position, Simulation, SimulationSettings, Step, Watch};
use engine::snapshot::Header;
use render::gate::{self, GateReport};
use render::page::Page;
use render::safe::Printable;
use render::simulation::{csv, page};

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
    let targets = target::parse(&args.pods)?;
    args.check(&targets)?;
    let start = args.apply.apply.then(|| {
        let target = if let [target] = targets.as_slice() { Some(target.clone()) } else { None };
        ApplyStart::new(ApplyRequest {
            args: args.apply.clone(),
            format: args.basic_format(),
            global: global.clone(),
            connection: connection.clone(),
            target,
        })
    });
    let context = Context {
        args,
        targets: &targets,
        global,
        connection,
        listens: true,
        start: start.as_ref(),
    };
    let mut found = match context.find() {
        Ok(FoundOrBound::Found(found)) => *found,
        Ok(FoundOrBound::Bound(start, id, placed)) => return already_bound(start, id, placed),
        Err(error) => {
            return Err(match &start {
                Some(start) => start.refused(error)?,
                None => error,
            });
        }
    };
    context.sort(&mut found)?;
    let cut = found.cut();
    let for_people = matches!(args.output, ListFormat::Own(SimulateFormat::Text));
    if let Some(cut) = cut.filter(|_| !for_people) {
        output::warn(global, &cut.sentence());
    }
    let text = context.text(&found, &args.output)?;
    if let (Some(kept), Some(start)) = (found.kept.take(), &start) {
        return context.carry_out(start, &found, &text, kept);
    }
    pager::print(&text, global)?;
    if cut.is_some() {
        return Ok(Exit::Interrupted);
    }
    // Everything that could be read is judged by now.
    if let Some(error) = found.unread() {
        return Err(error.into());
    }
    Ok(found.exit())
}

/// Reads and decides without executing anything, and passes the answer in each of the formats to
/// `deliver`.
///
/// # Errors
/// When flags, input or cluster give nothing to decide on; `--apply`.
pub(super) fn answer(
    args: &SimulateArgs,
    formats: &[ListFormat<SimulateFormat>],
    global: &GlobalFlags,
    connection: &ConnectionFlags,
    deliver: Deliver<'_>,
) -> anyhow::Result<Exit> {
    if args.apply.apply {
        return Err(Error::usage("--apply writes: nothing is carried out here").into());
    }
    let targets = target::parse(&args.pods)?;
    args.check(&targets)?;
    let context =
        Context { args, targets: &targets, global, connection, listens: false, start: None };
    let FoundOrBound::Found(mut found) = context.find()? else {
        return Err(Error::usage("the pod is on a node already").into());
    };
    context.sort(&mut found)?;
    let write = |format| context.text(&found, format);
    let texts = formats.iter().map(write).collect::<anyhow::Result<Vec<Printable>>>()?;
    let exit = if found.unread().is_some() { Exit::Failed } else { found.exit() };
    deliver(CommandAnswer { texts, exit })
}

/// The arguments of the command.
#[derive(Clone, Copy)]
struct Context<'a> {
    args: &'a SimulateArgs,
    targets: &'a [Target],
    global: &'a GlobalFlags,
    connection: &'a ConnectionFlags,
    /// Whether an interrupt ends the list in place of the process.
    listens: bool,
    /// The run of `--apply`.
    start: Option<&'a ApplyStart>,
}

/// The simulation and its input.
struct Found {
    simulation: Simulation,
    /// The verdict of the gate, if requested.
    gate: Option<PolicyGate>,
    profile: Profile,
    header: Header,
    source: SourceKind,
    origin: Origin,
    any_gated: bool,
    kept: Option<KeptInput>,
}

impl Found {
    /// What is missing because of an interrupt.
    fn cut(&self) -> Option<CutShort> {
        let at = self.simulation.cut?;
        let noun = if at.depth == 0 { "pod" } else { "replacement" };
        Some(CutShort { decided: at.decided, total: at.total, noun })
    }

    /// The first of the manifests that cannot be read.
    fn unread(&self) -> Option<Error> {
        let [first, others @ ..] = self.simulation.unread.as_slice() else { return None };
        let origin = self.simulation.documents.get(first.document)?.file.clone();
        let mut problem = first.problem.clone();
        if !others.is_empty() {
            let more = words::count(others.len(), "more manifest");
            problem.push_str(&format!(" (and {more} cannot be read)"));
        }
        Some(Error::input(origin, problem))
    }

    /// How the command ends if everything could be read.
    fn exit(&self) -> Exit {
        self.gate.as_ref().map_or_else(|| exit(&self.simulation), gate_flags::exit)
    }
}

/// A simulation, or the finding that the pod of `--apply`, or every pod of the group, is already
/// bound.
enum FoundOrBound<'a> {
    Found(Box<Found>),
    Bound(&'a ApplyStart, PreemptorId, Vec<Placement>),
}

impl<'a> Context<'a> {
    /// Whether a plan is executed through the eviction API.
    fn uses_evictions(&self) -> bool {
        self.args.apply.apply && self.args.apply.mode != Some(ModeArg::Delete)
    }

    /// Reads the cluster. A plan that is executed is decided again before each step, so its cluster
    /// is kept up to date.
    fn read(&self, manifests: &Manifests) -> anyhow::Result<(LoadedInput, Option<KeptInput>)> {
        let Self { args, targets, global, connection, .. } = *self;
        let mut options = args.input.check()?;
        if manifests.have_pods() {
            options.for_new_pods();
        }
        let Some(start) = self.start else {
            return Ok((options.read(targets, global, connection)?, None));
        };
        let progress = progress::shown(global.quiet);
        let kept =
            options.keep(&start.env(), targets, global, connection, progress, Box::new(|_| {}))?;
        Ok((options.read_kept(&kept)?, Some(kept)))
    }

    /// Reads and decides.
    fn find(&self) -> anyhow::Result<FoundOrBound<'a>> {
        let Self { args, targets, global, listens, .. } = *self;
        let manifests = Manifests::read(args)?;
        let (input, kept) = self.read(&manifests)?;
        let header = input.cluster.header.clone();
        let profiles: Vec<Profile> = input.profiles().cloned().collect();
        let (profile, source, origin) = (input.profile.clone(), input.source, input.origin());
        if let Some(start) = self.start
            && let Some((id, placed)) = what_if_cluster::bound(targets, &input)
        {
            return Ok(FoundOrBound::Bound(start, id, placed));
        }

        let mut what_if = WhatIfCluster::build(args, targets, &manifests, input, global)?;
        let policy: Option<Policy> =
            args.has_gate().then(|| args.gate.policy(&mut what_if.cluster)).transpose()?;
        let any_gated = what_if.any_gated;
        let unlisted: Vec<Note> =
            what_if.cluster.notes_on_lists().cloned().map(Note::raised).collect();
        let on = args.what_if.on.as_deref();
        // What a gate says of a part would pass for the whole, a plan is carried out only if it is
        // complete, and a drain tries several timings at once: an interrupt ends these.
        let may_be_cut = !args.has_gate() && !args.apply.apply && what_if.drains.is_empty();
        let deciding = if may_be_cut && listens {
            Deciding::new(what_if.pods.len(), global)
        } else {
            Deciding::uninterrupted(global)
        };
        let watch = |at: Position| {
            let goes_on = deciding.goes_on_after(at.decided, at.total);
            // The first pod is always decided.
            if goes_on || (at.depth, at.decided) == (0, 0) {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        };
        let settings = SimulationSettings::new(&profiles, origin.as_of)
            .on(on)
            .as_if_preempting(what_if.assumptions.contains(&Edit::AsIfPreempting))
            .following(args.depth)
            .watched(Watch(&watch));
        // The simulation changes its cluster; what autoscalers show of it stays as it was read.
        // Only with an autoscaler a copy has to be kept.
        let told = Autoscalers::find(&what_if.cluster, origin.as_of).map(|autoscalers| {
            let mut simulation = play(what_if.cluster.clone(), &what_if, settings);
            add_next_steps(&mut simulation, &what_if.cluster, &autoscalers);
            simulation
        });
        let mut simulation = match told {
            Some(simulation) => simulation,
            None => play(std::mem::take(&mut what_if.cluster), &what_if, settings),
        };
        drop(deciding);
        simulation.notes.splice(0..0, what_if.notes);
        // An empty selection may be due to lists that could not be read.
        for note in unlisted.into_iter().filter(|_| simulation.steps.is_empty()) {
            notes::add(&mut simulation.notes, note);
        }
        simulation.assumptions = what_if.assumptions;
        simulation.add_documents(what_if.documents, what_if.refused, what_if.unread);
        let gate = policy.map(|policy| gate_flags::gate(&simulation, policy));
        Ok(FoundOrBound::Found(Box::new(Found {
            simulation,
            gate,
            profile,
            header,
            source,
            origin,
            any_gated,
            kept,
        })))
    }

    fn extent(&self) -> Extent {
        self.args.output.extent(self.args.all)
    }

    fn page(&self, simulation: &Simulation, profile: &Profile, origin: &Origin) -> Page {
        page(simulation, profile, origin, self.uses_evictions(), self.extent())
    }

    /// Sorts the pods that are asked about as `--sort-by` says. The decisions about them have been
    /// made in the scheduler's order.
    fn sort(&self, found: &mut Found) -> anyhow::Result<()> {
        let list = &self.args.list;
        if list.sort_by.is_none() {
            return Ok(());
        }
        let root = output::to_value(&json_of(found))?;
        list.sort(&mut found.simulation.steps, |_| Ok(root))
    }

    /// The printed result.
    fn text(
        &self,
        found: &Found,
        format: &ListFormat<SimulateFormat>,
    ) -> anyhow::Result<Printable> {
        let Found { simulation, gate, profile, origin, .. } = found;
        let json = || json_of(found);
        let paper = output::paper(self.global);
        let report = gate.as_ref().map(|gate| GateReport { simulation, gate, profile, origin });
        Ok(match (format, report) {
            (ListFormat::Own(SimulateFormat::Json), _) => output::json(&json())?,
            (ListFormat::Own(SimulateFormat::Yaml), _) => output::yaml(&json())?,
            (ListFormat::Own(SimulateFormat::Csv), _) => {
                let table = csv::table(&json()).map_err(|error| Error::input("output", error))?;
                Printable::new(table)
            }
            (ListFormat::Kubectl(format), _) => {
                format.text(&json(), !self.args.list.no_headers, paper)?
            }
            (ListFormat::Own(SimulateFormat::Markdown), Some(report)) => {
                Printable::new(gate::comment(report))
            }
            (ListFormat::Own(SimulateFormat::Github), Some(report)) => gate::annotations(report),
            (ListFormat::Own(SimulateFormat::Sarif), Some(report)) => {
                output::json(&gate::sarif(report, env!("CARGO_PKG_VERSION")))?
            }
            (ListFormat::Own(SimulateFormat::Junit), Some(report)) => gate::junit(report),
            // Every other format has a gate.
            (ListFormat::Own(_), report) => {
                let mut page = found.cut().map(CutShort::page).unwrap_or_default();
                page.append(self.page(simulation, profile, origin));
                if let Some(report) = report {
                    gate::add(&mut page, report);
                }
                page.print(output::paper_for(self.extent(), self.global))
            }
        })
    }

    /// Shows the plan and executes it. With `-o json` or `yaml`, only the result goes to standard
    /// output.
    fn carry_out(
        &self,
        start: &ApplyStart,
        found: &Found,
        text: &Printable,
        kept: KeptInput,
    ) -> anyhow::Result<Exit> {
        let Self { args, global, .. } = *self;
        let Found { simulation, profile, origin, .. } = found;
        let step = only_step(simulation)?;
        let as_if_preempting = simulation.assumptions.contains(&Edit::AsIfPreempting);
        if as_if_preempting && args.apply.mode == Some(ModeArg::Delete) {
            return Err(Error::usage(AS_SCHEDULER).into());
        }

        // The plan is shown before anything is asked or sent.
        if args.basic_format() == BasicFormat::Text {
            output::print(text)?;
        } else {
            let page = self.page(simulation, profile, origin);
            output::say_lines(&page.print(output::plain_paper(global)));
        }

        // An answer that may be wrong is not executed.
        let refusal = match assumed_rules(profile) {
            Some(rules) => Some(Error::assumed(&rules)),
            None => uncertain(simulation, &step.proposal),
        };
        if let Some(error) = refusal {
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
        let reservation = if found.any_gated {
            // A gated pod is not scheduled until its gates are removed, which may take any time.
            apply_args.wait.get_or_insert(false);
            Reservation::Gated
        } else if as_if_preempting || args.what_if.on.is_some() {
            Reservation::Nothing
        } else {
            Reservation::Scheduler
        };
        let (input, on) = (args.input.clone(), args.what_if.on.clone());
        let planner = Box::new(Replanner {
            input,
            kept,
            on,
            as_if_preempting,
            residents: Residents::default(),
        });
        start.carry_out(&apply_args, &plan, reservation, planner)
    }
}

/// Prints the result of a run without anything to execute.
fn end_early(start: &ApplyStart, step: &Step, end: EarlyEnd) -> anyhow::Result<Exit> {
    start.not_started(&Plan::empty(step.id.clone(), step.priority, Vec::new()), end)
}

/// Reports that the pod, or every pod of the group, is already bound.
fn already_bound(
    start: &ApplyStart,
    id: PreemptorId,
    placed: Vec<Placement>,
) -> anyhow::Result<Exit> {
    let (what, name) = (id.resource(), id.full_name());
    let plan = Plan::empty(id, 0, placed);
    let on = if plan.preemptor.id.pod().is_some() { "on node" } else { "with all its pods on" };
    let nodes = words::list(&plan.nodes(), 5);
    let text = format!("{what} {name} is {on} {nodes} already: nothing else needs evicting\n");
    output::say_lines(&Printable::new(text));
    start.not_started(&plan, EarlyEnd::AlreadyBound)
}

/// Decides about the pods, or drains the nodes.
fn play(cluster: Cluster, what_if: &WhatIfCluster, settings: SimulationSettings) -> Simulation {
    if what_if.drains.is_empty() {
        sequence::run(cluster, &what_if.pods, settings)
    } else {
        removal::drain(cluster, &what_if.drains, settings)
    }
}

/// The JSON of the result.
fn json_of(found: &Found) -> json::Simulation {
    let Found { simulation, gate, header, profile, source, origin, .. } = found;
    to_json::simulation(simulation, gate.as_ref(), header, profile, *source, origin.as_of)
}

/// Says of each pod that stays pending what autoscalers do about it. A replacement is a new pod of
/// the same spec, about which none has said anything yet.
fn add_next_steps(simulation: &mut Simulation, cluster: &Cluster, autoscalers: &Autoscalers) {
    for step in simulation.steps.iter_mut().chain(&mut simulation.cascade) {
        if !matches!(step.proposal, Proposal::Impossible(_)) {
            continue;
        }
        let PreemptorId::Pod(pod) = &step.id else { continue };
        let pod = cluster.find_pod(&pod.namespace, &pod.name);
        step.autoscaling = pod.map(|pod| Box::new(autoscalers.about_new(pod)));
    }
}

/// The step that `--apply` executes: the first, if all are about one pod or group. The steps after
/// the first one of a group are about the pods that do not fit with the others.
fn only_step(simulation: &Simulation) -> Result<&Step, Error> {
    let steps = &simulation.steps;
    match steps.first() {
        Some(first) if steps.iter().all(|step| step.id == first.id) => Ok(first),
        Some(_) | None => {
            let number = steps.len();
            let problem = format!(
                "--apply carries out the plan of one pod or group, and {number} are meant: name one"
            );
            Err(Error::usage(problem))
        }
    }
}

/// The plan of a step; empty if nothing has to be evicted and the run only waits for the pods.
///
/// # Errors
/// Why there is none.
fn plan_of(step: &Step) -> Result<Plan, String> {
    let placed = match &step.proposal {
        Proposal::Evict(plan) | Proposal::Awaits(plan) => return Ok(plan.clone()),
        Proposal::Fits(nodes) => {
            let pod = step.id.pod().cloned();
            pod.into_iter()
                .zip(nodes)
                .map(|(pod, node)| Placement { pod, node: node.clone() })
                .collect()
        }
        Proposal::GroupFits(placed) => placed.clone(),
        Proposal::Impossible(why) | Proposal::Unknown(why) => return Err(why.clone()),
    };
    Ok(Plan::empty(step.id.clone(), step.priority, placed))
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

/// The note that forbids the execution, because the answer may be wrong. An answer that is one of
/// several equivalent ones is not uncertain in this sense.
fn doubt(notes: &[Note]) -> Option<&Note> {
    notes.iter().find(|note| note.severity == Severity::Error && !doubts::is_open_choice(note))
}

/// Why an uncertain answer is not executed; `None` if it is certain, or one of several equivalent
/// ones.
fn uncertain(simulation: &Simulation, proposal: &Proposal) -> Option<Error> {
    let doubt = doubt(&simulation.notes).map(answers::notes::sentence);
    let unknown = if let Proposal::Unknown(why) = proposal { Some(why.clone()) } else { None };
    doubt.or(unknown).map(|why| Error::uncertain(&why))
}

fn exit(simulation: &Simulation) -> Exit {
    match (simulation.is_unsure() || simulation.loses_room(), simulation.all_placed()) {
        (true, _) => Exit::Partial,
        (false, true) => Exit::Answered,
        (false, false) => Exit::No,
    }
}

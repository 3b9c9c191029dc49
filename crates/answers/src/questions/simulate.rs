//! `simulate`: what would happen to pending or new pods, or to the pods of nodes that are drained,
//! what a gate says about that, and the plan that `--apply` carries out.

pub mod changes;
mod cluster;
pub mod gate;
pub mod growth;
mod plan;
mod replan;
pub mod step;
pub mod workloads;

use std::ops::ControlFlow;

use self::cluster::ON_AND_GROUPS;
use self::cluster::WhatIfCluster;
use self::gate::GateRequest;
use super::node::NodeReport;
use super::{Basis, Beside, Cut, Report, Verdict, in_order};
use crate::error::AnswerError;
use crate::extent::Extent;
use crate::in_part::PartialSubject;
use crate::input::LoadedInput;
use crate::new_pods::Manifest;
use crate::target::{self, Target};
use crate::words;
use engine::autoscalers::{Autoscalers, NodeSeeker};
use engine::cluster::Cluster;
use engine::edits::Edit;
use engine::framework::cluster_view::ClusterView;
use engine::notes::{self, Note};
use engine::profile::Profile;
use engine::simulation::gate::{PolicyGate, judge};
use engine::simulation::plan::PreemptorId;
use engine::simulation::planning::Proposal;
use engine::simulation::removal::{self, NodesRemoval};
use engine::simulation::sequence::{
    self, Causes, Position, Simulation, SimulationSettings, Step, Watch, roll_out,
};
use jiff::Timestamp;

pub use plan::{AlreadyBound, Refusal, already_bound, plan_of};
pub use replan::{PreemptorStatus, Replanning};

/// How many generations of replacements are followed, if nothing else is asked.
pub const GENERATIONS: usize = 3;

/// What is simulated.
#[derive(Debug, Clone, Default)]
pub struct SimulateRequest {
    /// Pods, owners or groups; without any, and without manifests, every pending pod.
    pub targets: Vec<Target>,
    /// Whether the pending pods are those of all namespaces.
    pub all_namespaces: bool,
    pub manifests: Manifests,
    /// How many pods each workload or owner gets, whatever it says itself.
    pub replicas: Option<u32>,
    /// The assumptions. A namespace that is empty is that of the input.
    pub edits: Vec<Edit>,
    /// Whether the question is what drains do, and not what happens to pods after them.
    pub is_about_drain: bool,
    /// The node that the pods must use, whichever the scheduler would pick.
    pub on: Option<String>,
    /// How many generations of replacements are followed.
    pub depth: usize,
    /// What the answer is judged by.
    pub gate: Option<GateRequest>,
    /// Whether a part of the answer is of no use, as to a plan that is carried out.
    pub in_whole: bool,
}

impl SimulateRequest {
    /// What it is about, for an answer in part.
    pub fn in_part(&self) -> PartialSubject<'_> {
        let are_new = !self.manifests.objects.is_empty() || self.is_about_drain;
        if are_new && self.targets.is_empty() {
            return PartialSubject::Nothing;
        }
        PartialSubject::Waiting { targets: &self.targets, all_namespaces: self.all_namespaces }
    }
}

/// Whether one of them has a number of replicas, as owners have.
pub fn have_replicas(targets: &[Target]) -> bool {
    targets.iter().any(|target| target.kind != "Pod")
}

/// Rejects a node that all pods must use together with groups, whose pods share no node.
///
/// # Errors
/// [`AnswerError::Usage`] if there are both.
pub fn check_on(node: Option<&str>, targets: &[Target]) -> Result<(), AnswerError> {
    if node.is_some() && target::name_groups(targets) {
        return Err(AnswerError::usage(ON_AND_GROUPS));
    }
    Ok(())
}

/// Objects that do not exist yet.
#[derive(Debug, Clone, Default)]
pub struct Manifests {
    /// Those of which pods are made, and what is there besides.
    pub objects: Vec<Manifest>,
    /// The manifests before the change: what they have and `objects` lack is deleted.
    pub before: Vec<Manifest>,
    /// Whether what was applied before, and is not among `objects`, is deleted.
    pub prune: bool,
    /// Of which objects the API server was not asked although it should be, and why.
    pub not_asked: Vec<String>,
    /// Nodes that are assumed.
    pub nodes: Vec<Manifest>,
    /// The files that cannot be read. A gate reports them; without one they are errors.
    pub unreadable: Vec<UnreadableFile>,
}

/// A file of manifests that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadableFile {
    pub origin: String,
    /// Where, from 1.
    pub line: usize,
    pub column: Option<usize>,
    pub problem: String,
}

/// The answer.
#[derive(Debug, Clone)]
pub struct SimulateReport {
    pub basis: Basis,
    pub simulation: Simulation,
    /// What `node` says of the nodes, if they are drained.
    pub drained: Option<NodeReport>,
    /// The verdict of the gate, if there is one.
    pub gate: Option<PolicyGate>,
    /// Whether one of the pods has scheduling gates.
    pub any_gated: bool,
    /// That no pod was meant, in a sentence.
    pub nothing_waits: Option<String>,
}

impl Manifests {
    /// Whether there are none of which pods could be made.
    fn are_none(&self) -> bool {
        self.objects.is_empty() && self.unreadable.is_empty()
    }
}

impl SimulateRequest {
    /// Whether an interrupt may end it. What a gate says of a part would pass for the whole, a plan
    /// is carried out only if it is complete, and a drain tries several timings at once.
    pub fn may_be_cut(&self) -> bool {
        self.gate.is_none() && !self.in_whole && !self.is_about_drain
    }
}

impl Report for SimulateReport {
    /// How the question is answered: whether the gate lets the change through, or else whether every
    /// pod gets a node. If an uncertain answer fails a gate, that counts even if other conditions
    /// fail as well.
    fn verdict(&self) -> Verdict {
        let simulation = &self.simulation;
        match &self.gate {
            Some(gate) => Verdict::new(!gate.verdict.fails(), gate.verdict.fails_as_uncertain()),
            None => Verdict::new(
                simulation.all_placed(),
                simulation.is_unsure() || simulation.loses_room(),
            ),
        }
    }

    /// Puts the pods that are asked about into this order. The decisions about them have been made in
    /// the scheduler's order.
    fn reorder(&mut self, order: &[usize]) {
        self.simulation.steps = in_order(&self.simulation.steps, order);
    }

    fn beside(&self) -> Beside {
        // What was assumed stands before it on the page.
        let remark = self.nothing_waits.clone().filter(|_| self.simulation.assumptions.is_empty());
        Beside { remark, warnings: Vec::new() }
    }
}

impl SimulateReport {
    /// The answer that consists of a simulation alone.
    pub const fn of(basis: Basis, simulation: Simulation) -> Self {
        Self { basis, simulation, drained: None, gate: None, any_gated: false, nothing_waits: None }
    }

    /// Whether there is a line about all pods, above those about each.
    pub fn is_about_many(&self) -> bool {
        let simulation = &self.simulation;
        let of_none = simulation.steps.is_empty() && !simulation.documents.is_empty();
        simulation.steps.len() > 1
            || of_none
            || !simulation.refused.is_empty()
            || changes::summary(simulation).is_some()
    }

    /// The answer in a sentence without a full stop: about the drain, about all pods, or about the
    /// only one.
    pub fn sentence(&self) -> String {
        let simulation = &self.simulation;
        match (&self.drained, simulation.steps.as_slice()) {
            (Some(drained), _) => drained.sentence(Extent::Top),
            (None, [only]) if !self.is_about_many() => step::sentence(only, self.basis.now()),
            (None, []) if !self.is_about_many() => self.nothing_waits.clone().unwrap_or_default(),
            _ => {
                let summary = changes::summary(simulation).map(|summary| format!("{summary}; "));
                format!("{}{}", summary.unwrap_or_default(), gate::totals(simulation))
            }
        }
    }

    /// What is missing because of an interrupt.
    pub fn cut(&self) -> Option<Cut> {
        let at = self.simulation.cut?;
        let noun = if at.depth == 0 { "pod" } else { "replacement" };
        Some(Cut { decided: at.decided, total: at.total, noun })
    }

    /// The first of the manifests that cannot be read, about which nothing is judged.
    pub fn unread(&self) -> Option<AnswerError> {
        let [first, others @ ..] = self.simulation.unread.as_slice() else { return None };
        let origin = self.simulation.documents.get(first.document)?.file.clone();
        let mut problem = first.problem.clone();
        if !others.is_empty() {
            let more = words::count(others.len(), "more manifest");
            problem.push_str(&format!(" (and {more} cannot be read)"));
        }
        Some(AnswerError::input(origin, problem))
    }
}

/// Decides about the pods one after the other, or plays the drains. Before each decision, `goes_on`
/// is asked with the position whether the simulation does.
///
/// # Errors
/// What is wrong with a manifest, and names of objects that are not in the cluster.
pub fn simulate(
    input: LoadedInput,
    request: &SimulateRequest,
    goes_on: &(dyn Fn(Position) -> bool + Sync),
) -> Result<SimulateReport, AnswerError> {
    let basis = Basis::of(&input);
    let profiles: Vec<Profile> = input.profiles().cloned().collect();
    let mut what_if = WhatIfCluster::build(request, input, &[])?;
    let policy = match &request.gate {
        Some(gate) => Some(gate.policy(&mut what_if.cluster)?),
        None => None,
    };
    let unlisted: Vec<Note> = what_if.cluster.notes_on_lists().cloned().map(Note::raised).collect();

    let watch = |at: Position| {
        // The first pod is always decided.
        let is_first = (at.depth, at.decided) == (0, 0);
        if goes_on(at) || is_first || !request.may_be_cut() {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    };
    let settings = SimulationSettings::new(&profiles, basis.now())
        .on(what_if.on.as_deref())
        .as_if_preempting(what_if.assumptions.contains(&Edit::AsIfPreempting))
        .following(request.depth)
        .watched(Watch(&watch))
        .with_causes(Causes(&gate::causes));
    // The simulation changes its cluster; what autoscalers and drained nodes show of it stays as it was read.
    // Only for them a copy has to be kept.
    let with_copy = match Autoscalers::find(&what_if.cluster, basis.now()) {
        Some(autoscalers) => {
            let (mut simulation, removal) = play(what_if.cluster.clone(), &what_if, settings);
            let steps = simulation.steps.iter_mut().chain(&mut simulation.cascade);
            add_outlooks(steps, &what_if.cluster, &profiles, basis.now(), &autoscalers);
            Some((simulation, removal))
        }
        None if what_if.drains.is_empty() => None,
        None => Some(play(what_if.cluster.clone(), &what_if, settings)),
    };
    let (mut simulation, removal) = match with_copy {
        Some(played) => played,
        None => play(std::mem::take(&mut what_if.cluster), &what_if, settings),
    };
    simulation.notes.splice(0..0, what_if.notes);
    // An empty selection may be due to lists that could not be read.
    if simulation.steps.is_empty() {
        for note in unlisted {
            notes::add(&mut simulation.notes, note);
        }
    }
    for change in &simulation.changes {
        if let Some(note) = changes::doubt(change) {
            notes::add(&mut simulation.notes, note);
        }
    }
    if let Some(note) = changes::order_doubt(&simulation) {
        notes::add(&mut simulation.notes, note);
    }
    let drained = removal.map(|mut removal| {
        removal.notes.clone_from(&simulation.notes);
        NodeReport::of(basis.clone(), &what_if.cluster, removal)
    });
    simulation.assumptions = what_if.assumptions;
    simulation.add_documents(what_if.documents, what_if.refused, what_if.unread);
    let gate = policy.map(|policy| {
        let mut verdict = judge(&simulation, &policy);
        gate::ignore(&mut verdict, &policy, &simulation);
        PolicyGate { policy, verdict }
    });
    Ok(SimulateReport {
        gate,
        drained,
        any_gated: what_if.any_gated,
        nothing_waits: what_if.nothing_waits,
        ..SimulateReport::of(basis, simulation)
    })
}

/// Decides about the pods, or drains the nodes.
fn play(
    cluster: Cluster,
    what_if: &WhatIfCluster,
    settings: SimulationSettings,
) -> (Simulation, Option<NodesRemoval>) {
    if !what_if.drains.is_empty() {
        let (simulation, removal) = removal::drain(cluster, &what_if.drains, settings);
        return (simulation, Some(removal));
    }
    let simulation = if what_if.changes.is_empty() {
        sequence::run(cluster, &what_if.pods, settings)
    } else {
        let (changes, rollouts) = (what_if.changes.clone(), what_if.rollouts.clone());
        roll_out::run(cluster, &what_if.pods, changes, rollouts, &what_if.charges, settings)
    };
    (simulation, None)
}

/// Says of each pod that stays pending what autoscalers do about it.
pub(super) fn add_outlooks<'s>(
    steps: impl IntoIterator<Item = &'s mut Step>,
    cluster: &Cluster,
    profiles: &[Profile],
    now: Timestamp,
    autoscalers: &Autoscalers,
) {
    let views: Vec<ClusterView> =
        profiles.iter().map(|profile| ClusterView::new(cluster, profile)).collect();
    for step in steps {
        if !step.queued || !matches!(step.proposal, Proposal::Impossible(_)) {
            continue;
        }
        let PreemptorId::Pod(pod) = &step.id else { continue };
        let Some(pod) = cluster.find_pod(&pod.namespace, &pod.name) else { continue };
        let scheduler = cluster.text(cluster.template(cluster.pod(pod)).scheduler_name);
        let own = views.iter().find(|view| view.profile.scheduler_name == scheduler);
        let Some(view) = own else { continue };
        let seeker = NodeSeeker { view, pod, now };
        // Replacements and the pods of a manifest are new: no autoscaler has said anything about them.
        let is_new = step.depth > 0 || cluster.pod(pod).uid.is_empty();
        let outlook =
            if is_new { autoscalers.about_new(seeker) } else { autoscalers.about_blocked(seeker) };
        step.autoscaling = Some(Box::new(outlook));
    }
}

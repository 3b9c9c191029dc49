//! Decides about several pods and groups one after the other: each sees the placements and evictions of the earlier ones.
//! Also follows the replacements of the victims and the pods that they preempt in turn.

mod effects;
mod open_victims;
mod queue;
mod unknown;

use jiff::Timestamp;

use super::plan::{Afterwards, GroupId, Plan, PodId, PreemptorId};
use super::planning::{self, Proposal};
use super::{ORDER, group_planning};
use model::cluster::Cluster;
use model::cluster::pod::PodIx;
use model::cluster::pod_group::GroupIx;
use model::edits::Edit;
use model::notes::{self, Note, Severity};
pub use open_victims::OpenVictims;
use profile::Profile;
pub use queue::queue_order;
use queue::{Entry, order_is_open};
use scheduler::decision::sampling::{Likelihood, Sampling};
use scheduler::decision::{Decision, Outcome, QueueGate};
use scheduler::dra::device_selectors::DeviceSelectors;
use scheduler::framework::cluster_view::ClusterView;
use scheduler::groups;
use scheduler::groups::member::Decider;
use unknown::unknown_reason;

/// The most replacements that are followed.
const MOST_REPLACEMENTS: usize = 200;

/// The settings of a simulation.
#[derive(Debug, Clone, Copy)]
pub struct Settings<'s> {
    /// The scheduler's profiles, at least one.
    pub profiles: &'s [Profile],
    /// The time of every decision.
    pub now: Timestamp,
    /// The node that the pods have to use, whichever the scheduler would pick.
    pub on: Option<&'s str>,
    /// How many generations of replacements are followed.
    pub depth: usize,
}

/// The result for a pod, or for the pods of a group.
#[derive(Debug, Clone)]
pub struct Step {
    /// The pod or group. A replacement has the name of the pod that it replaces, and no UID.
    pub id: PreemptorId,
    /// Its priority.
    pub priority: i32,
    /// The generation: 0 for a pod in question, 1 for the replacement of a victim of it, and so on.
    pub depth: usize,
    /// What follows from the decision.
    pub proposal: Proposal,
    /// The pods of a group that get no node, if others do.
    pub left_out: Vec<PodId>,
    /// The nodes that the scheduler would pick, if another node was given.
    pub scheduler_picks: Vec<String>,
    /// How likely the scheduler picks the first node of the proposal, if it does not look at every node.
    pub likelihood: Option<Likelihood>,
    /// Which pods of the same importance may be evicted instead of those of the plan.
    pub open_victims: Option<OpenVictims>,
    /// Whether the pod is in the scheduling queue, or is not known to be out of it.
    pub queued: bool,
    /// Its scheduling gates, if these keep it out of the queue.
    pub gates: Vec<String>,
}

/// The result for all pods.
#[derive(Debug, Clone, Default)]
pub struct Simulation {
    /// What is assumed; the caller applied it to the cluster.
    pub assumptions: Vec<Edit>,
    /// The pods in question, in the scheduler's order.
    pub steps: Vec<Step>,
    /// The replacements of victims, in the order of the decisions.
    pub cascade: Vec<Step>,
    /// Replacements without a decision, because the cascade is deeper or longer than the limits.
    pub not_followed: usize,
    /// Notes about what makes the results less than certain.
    pub notes: Vec<Note>,
}

impl Step {
    /// About which nothing is known yet.
    fn unknown(id: PreemptorId, priority: i32, depth: usize) -> Self {
        Self {
            id,
            priority,
            depth,
            proposal: Proposal::Unknown(String::new()),
            left_out: Vec::new(),
            scheduler_picks: Vec::new(),
            likelihood: None,
            open_victims: None,
            queued: true,
            gates: Vec::new(),
        }
    }
}

impl Simulation {
    /// Whether every pod in question gets a node, with or without evictions.
    #[must_use]
    pub fn all_placed(&self) -> bool {
        let fits = |step: &Step| match &step.proposal {
            Proposal::Fits(_) | Proposal::GroupFits(_) | Proposal::Evict(_) | Proposal::Awaits(_) => true,
            Proposal::Impossible(_) | Proposal::Unknown(_) => false,
        };
        self.steps.iter().all(fits)
    }

    /// Whether something that affects a decision is unknown.
    #[must_use]
    pub fn is_unsure(&self) -> bool {
        let unknown = |step: &Step| matches!(step.proposal, Proposal::Unknown(_));
        self.notes.iter().any(|note| note.severity == Severity::Error) || self.steps.iter().any(unknown)
    }
}

/// Decides about `pods` in the scheduler's order, and follows the replacements of the victims.
#[must_use]
pub fn run(cluster: Cluster, pods: &[PodIx], settings: Settings) -> Simulation {
    let mut run = SimulationRun::new(cluster, settings);
    let queued: Vec<PodIx> = pods.iter().copied().filter(|pod| run.profile_of(*pod).is_some()).collect();
    let order_note = order_is_open(&queued, &run.cluster, settings.profiles);
    let mut evicted = run.decide_all(pods, 0);
    if let Some(note) = order_note {
        notes::add(&mut run.simulation.notes, note);
    }

    // Follow the replacements of the victims, a generation at a time: they wait only once their victims are gone.
    for depth in 1..=settings.depth {
        let waiting = run.replacements(&evicted);
        if waiting.is_empty() {
            break;
        }
        let followed = waiting.len().min(MOST_REPLACEMENTS.saturating_sub(run.simulation.cascade.len()));
        run.simulation.not_followed += waiting.len() - followed;
        evicted = run.decide_all(waiting.get(..followed).unwrap_or_default(), depth);
    }
    // The replacements of the last generation are not decided about.
    run.simulation.not_followed += evicted.iter().filter(|evicted| evicted.is_replaced()).count();

    drop_milder(&mut run.simulation.notes);
    run.simulation
}

/// Decides about `pods` in the scheduler's order and passes each decision to `each`. As in [`run`], each pod sees the
/// placements and evictions of the earlier ones; a pod that fits goes to the first of the nodes that the scheduler may
/// pick. Replacements of victims are not followed. A pod whose `schedulerName` no profile has is decided about with the
/// first profile.
pub fn each_in_order(
    cluster: Cluster,
    pods: &[PodIx],
    profiles: &[Profile],
    now: Timestamp,
    mut each: impl FnMut(&Decision),
) {
    let settings = Settings { profiles, now, on: None, depth: 0 };
    let mut run = SimulationRun::new(cluster, settings);
    for (entry, asked) in queue::entries(pods, &run.cluster, profiles) {
        let Some(first) = asked.first() else { continue };
        let Some(profile) = run.profile_of(*first).or(profiles.first()) else { return };
        let view = run.view(profile);
        let mut decider = Decider::new(&view, now);
        asked.iter().for_each(|pod| each(&decider.decide(*pod)));
        let proposal = match entry {
            Entry::Pod(pod) => planning::propose(&decider.decide(pod), None, now),
            Entry::Group(group) => group_planning::propose(decider.group(group), now),
        };
        drop(decider);
        run.place(entry, &proposal);
    }
}

struct SimulationRun<'s> {
    cluster: Cluster,
    settings: Settings<'s>,
    simulation: Simulation,
    /// Those of the cluster at the beginning: what is simulated changes no devices.
    device_selectors: DeviceSelectors,
}

/// A victim of the simulation.
struct EvictedPod {
    pod: PodIx,
    /// What its owner does afterwards.
    afterwards: Afterwards,
}

impl EvictedPod {
    /// Whether the owner replaces the pod.
    fn is_replaced(&self) -> bool {
        matches!(self.afterwards, Afterwards::Replaced | Afterwards::Pinned(_) | Afterwards::Retried)
    }
}

impl<'s> SimulationRun<'s> {
    fn new(cluster: Cluster, settings: Settings<'s>) -> Self {
        let device_selectors = DeviceSelectors::of(&cluster);
        Self { cluster, settings, simulation: Simulation::default(), device_selectors }
    }

    fn view<'v>(&'v self, profile: &'v Profile) -> ClusterView<'v> {
        ClusterView::with_selectors(&self.cluster, profile, self.device_selectors.clone())
    }

    /// Decides about the pods of one generation, then binds those that preempted to their nodes. Returns the evicted
    /// pods.
    fn decide_all(&mut self, pods: &[PodIx], depth: usize) -> Vec<EvictedPod> {
        let mut plans: Vec<(Entry, Plan)> = Vec::new();
        for (entry, _) in queue::entries(pods, &self.cluster, self.settings.profiles) {
            loop {
                let step = match entry {
                    Entry::Pod(pod) => self.decide(pod, depth),
                    Entry::Group(group) => self.decide_group(group, depth),
                };
                self.place(entry, &step.proposal);
                plans.extend(step.proposal.plan().map(|plan| (entry, plan.clone())));
                // The scheduler tries the pods of a group again at once that did not fit beside the others.
                let again = matches!(step.proposal, Proposal::GroupFits(_)) && !step.left_out.is_empty();
                let list = if depth == 0 { &mut self.simulation.steps } else { &mut self.simulation.cascade };
                list.push(step);
                if !again {
                    break;
                }
            }
        }

        // Victims take their grace period, in which the scheduler decides about all pods of the generation. Only then do the
        // preemptors get their nodes.
        plans.into_iter().flat_map(|(entry, plan)| self.complete(entry, &plan)).collect()
    }

    fn decide(&mut self, pod: PodIx, depth: usize) -> Step {
        let cluster = &self.cluster;
        let facts = cluster.pod(pod);
        let mut step = Step::unknown(PreemptorId::Pod(PodId::of(facts, cluster)), facts.priority, depth);
        if let Some(why) = unknown_reason(pod, cluster) {
            step.proposal = Proposal::Unknown(why);
            return step;
        }
        let Some(profile) = self.profile_of(pod) else {
            let scheduler = cluster.text(cluster.template(facts).scheduler_name);
            step.proposal =
                Proposal::Unknown(format!("it is left to scheduler \"{scheduler}\", whose rules are not known here"));
            return step;
        };
        let view = self.view(profile);
        let decision = Decider::new(&view, self.settings.now).decide(pod);
        let asked = self.settings.on.filter(|_| depth == 0).and_then(|name| cluster.find_node(name));
        step.proposal = planning::propose(&decision, asked, self.settings.now);
        if asked.is_none() {
            step.likelihood = decision.odds.as_ref().map(Sampling::likelihood);
        } else {
            step.scheduler_picks =
                decision.selected.iter().map(|node| cluster.text(cluster.node(*node).name).to_owned()).collect();
        }
        if let Outcome::NotInQueue(gate) = &decision.outcome {
            step.queued = false;
            let gates = cluster.template(facts).gates.iter().filter(|_| *gate == QueueGate::Gated);
            step.gates = gates.map(|gate| cluster.text(*gate).to_owned()).collect();
        }
        let on = asked.or(decision.selected.first().copied()).filter(|_| matches!(step.proposal, Proposal::Evict(_)));
        step.open_victims = on.and_then(|node| OpenVictims::of(&decision, node));
        decision.notes.iter().for_each(|note| notes::add(&mut self.simulation.notes, note.clone()));
        step
    }

    fn decide_group(&mut self, group: GroupIx, depth: usize) -> Step {
        let cluster = &self.cluster;
        let id = GroupId::of(group, cluster);
        let mut step = Step::unknown(PreemptorId::Group(id), cluster.pod_group(group).priority(), depth);
        let is_waiting_member = |pod: &PodIx| cluster.pod(*pod).is_waiting() && cluster.group_of(*pod) == Some(group);
        let members: Vec<PodIx> = cluster.pod_indices().filter(is_waiting_member).collect();
        if let Some(why) = members.iter().find_map(|pod| unknown_reason(*pod, cluster)) {
            step.proposal = Proposal::Unknown(why);
            return step;
        }
        // The group is in the queue because a profile schedules one of its pods.
        let Some(profile) = members.iter().find_map(|pod| self.profile_of(*pod)) else { return step };
        let view = self.view(profile);
        // Another group of the tree, if this one has no waiting pods any more.
        let group = groups::tree::representative(group, &view);
        let decision = groups::decide(&view, group, self.settings.now);
        step.proposal = group_planning::propose(&decision, self.settings.now);
        step.left_out = group_planning::left_out(&decision, &step.proposal);
        decision.notes.iter().for_each(|note| notes::add(&mut self.simulation.notes, note.clone()));
        step
    }

    /// The profile with the pod's `schedulerName`.
    fn profile_of(&self, pod: PodIx) -> Option<&'s Profile> {
        let scheduler = self.cluster.text(self.cluster.template(self.cluster.pod(pod)).scheduler_name);
        self.settings.profiles.iter().find(|profile| profile.scheduler_name == scheduler)
    }

    /// Creates the replacements of `evicted` for owners that replace their pods.
    fn replacements(&mut self, evicted: &[EvictedPod]) -> Vec<PodIx> {
        let mut replacements = Vec::new();
        for evicted in evicted.iter().filter(|evicted| evicted.is_replaced()) {
            self.cluster.recreate(evicted.pod, self.settings.now);
            replacements.push(evicted.pod);
        }
        replacements
    }
}

/// Drops each note that a more severe one repeats: a flaw may change the decision about one pod and not that about another.
fn drop_milder(notes: &mut Vec<Note>) {
    let all = notes.clone();
    notes.retain(|note| !all.iter().any(|other| other.severity > note.severity && repeats(other, note)));
}

/// Whether a note says what another one says, about the same objects at least.
fn repeats(note: &Note, other: &Note) -> bool {
    (note.doc.code, &note.text) == (other.doc.code, &other.text)
        && note.count >= other.count
        && other.objects.iter().all(|object| note.objects.contains(object))
}

#[cfg(test)]
mod tests;

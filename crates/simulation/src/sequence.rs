//! Decides several pods and groups one after the other: each sees the placements and evictions of
//! the earlier ones. Also follows the replacements of victims, and the pods that those preempt in
//! turn.

mod drain;
mod effects;
mod hopeless;
mod independence;
pub mod loss;
pub mod orders;
pub mod play;
mod queue;
mod quotas;
pub mod roll_out;

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

use jiff::Timestamp;

use super::autoscalers::AutoscalingOutlook;
use super::change::WorkloadChange;
use super::document::{ManifestDocument, ManifestDocuments, RefusedPod, UnreadManifest};
use super::entry::{EntryDecision, Goal, QueueEntry};
use super::headroom::copies;
use super::plan::{Afterwards, GroupId, Plan, PlannedVictim, PodId, PreemptorId};
use super::planning::Proposal;
use super::{ORDER, competitors, group_planning, planning};
use dra::device_selectors::DeviceSelectors;
pub use drain::{Drain, DrainChange, DrainSequence, RemovalVerdict, ReplicaLimits};
use model::cluster::devices::ClaimIx;
use model::cluster::pod::Readiness;
use model::cluster::storage::{BindingMode, VolumeClaim};
use model::cluster::symbols::PoolIx;
use model::cluster::template::ClaimSource;
use model::cluster::{Cluster, NodeIx, PodIx, Sym};
use model::edits::Edit;
use model::notes::{self, Note, Severity};
use model::words;
use orders::PlayedOrders;
use play::TieChoice;
use profile::Profile;
use queue::order_is_open;
pub use queue::queue_order;
use quotas::QuotaLimits;
use scheduler::decision::pick::{Pick, pick};
use scheduler::decision::sampling::{Likelihood, Sampling};
use scheduler::decision::{Decision, Outcome, OutcomeKind, QueueGate};
use scheduler::framework::cluster_view::known_nodes::KnownNodes;
use scheduler::framework::cluster_view::{ClusterSums, ClusterView};
use scheduler::framework::cycle::NodeVerdict;
use scheduler::framework::plugin::Cycle;
use scheduler::groups;
use scheduler::groups::member::Decider;
use scheduler::plugins::dynamic_resources;
use scheduler::preemption::victim_choices::VictimCount;

/// Maximum number of pods in question for whose plans competitors are looked for.
const FEW_ASKED: usize = 8;
/// Maximum number of replacements that are followed.
const MOST_REPLACEMENTS: usize = 200;

/// How far a simulation has come: in one generation, how many of its pods and groups are decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// 0 for the pods in question, 1 for the replacements of their victims, and so on.
    pub depth: usize,
    pub decided: usize,
    /// How many there are.
    pub total: usize,
}

/// Called before each decision with the progress of the simulation, which it may end.
#[derive(Clone, Copy)]
pub struct Watch<'s>(pub &'s (dyn Fn(Position) -> ControlFlow<()> + Sync));

impl fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Watch")
    }
}

#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct SimulationSettings<'s> {
    /// The scheduler's profiles, at least one.
    pub profiles: &'s [Profile],
    /// The time of every decision.
    pub now: Timestamp,
    /// The node that the pods must use, whichever the scheduler would pick.
    pub on: Option<&'s str>,
    /// Whether the pods only preempt by assumption: kube-scheduler does not preempt for them.
    pub as_if_preempting: bool,
    /// How many generations of replacements are followed.
    pub depth: usize,
    /// Called with its progress.
    pub watch: Option<Watch<'s>>,
    /// Says what the nodes nearest to taking a pod lack.
    pub causes: Option<Causes<'s>>,
}

/// Says in short texts why no node takes a pod.
#[derive(Clone, Copy)]
pub struct Causes<'s>(pub &'s (dyn Fn(&Decision) -> Vec<String> + Sync));

impl fmt::Debug for Causes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Causes")
    }
}

impl<'s> SimulationSettings<'s> {
    /// The scheduler picks the node, and replacements are not followed.
    pub const fn new(profiles: &'s [Profile], now: Timestamp) -> Self {
        Self {
            profiles,
            now,
            on: None,
            as_if_preempting: false,
            depth: 0,
            watch: None,
            causes: None,
        }
    }

    /// The same, with the node that the pods must use.
    #[must_use]
    pub const fn on(self, node: Option<&'s str>) -> Self {
        Self { on: node, ..self }
    }

    /// The same, where kube-scheduler itself does not preempt for the pods.
    #[must_use]
    pub const fn as_if_preempting(self, as_if_preempting: bool) -> Self {
        Self { as_if_preempting, ..self }
    }

    /// The same, with this many generations of replacements.
    #[must_use]
    pub const fn following(self, depth: usize) -> Self {
        Self { depth, ..self }
    }

    /// The same, reporting progress to `watch`.
    #[must_use]
    pub const fn watched(self, watch: Watch<'s>) -> Self {
        Self { watch: Some(watch), ..self }
    }

    /// The same, saying of each pod in question without a node what the nodes lack.
    #[must_use]
    pub const fn with_causes(self, causes: Causes<'s>) -> Self {
        Self { causes: Some(causes), ..self }
    }
}

/// The result for a pod, or for the pods of a group.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Step {
    /// The pod or group. A replacement has the name of the pod that it replaces, and no UID.
    pub id: PreemptorId,
    pub priority: i32,
    /// The generation: 0 for a pod in question, 1 for the replacement of one of its victims, and so
    /// on.
    pub depth: usize,
    /// The proposal that follows from the decision.
    pub proposal: Proposal,
    /// What the nodes nearest to taking it lack, if no node takes it and the settings ask for it.
    pub causes: Vec<String>,
    /// The pods of a group that get no node although others do.
    pub left_out: Vec<PodId>,
    /// The nodes that the scheduler would pick, if another node was given.
    pub scheduler_picks: Vec<String>,
    /// How likely the scheduler picks the first node of the proposal, if it samples.
    pub likelihood: Option<Likelihood>,
    /// Whether pods of a group may get other nodes, which are as good.
    pub is_open: bool,
    /// Which equally important pods may be evicted instead of those of the plan.
    pub open_victims: Option<OpenVictims>,
    /// Whether the pod is in the scheduling queue, or at least not known to be out of it.
    pub queued: bool,
    /// Its scheduling gates, if these keep it out of the queue.
    pub gates: Vec<String>,
    /// The index in [`Simulation::documents`] of the manifest that creates it.
    pub document: Option<usize>,
    /// What autoscalers do about it if it stays pending; filled in by the caller, if one was found.
    pub autoscaling: Option<Box<AutoscalingOutlook>>,
    /// Whether nodes were filtered for a pod. What refuses it before may be about this pod alone.
    is_filtered: bool,
}

/// The result for all pods.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Simulation {
    /// The assumptions, which the caller has applied to the cluster.
    pub assumptions: Vec<Edit>,
    /// The drained nodes, for a drain.
    pub drains: Vec<Drain>,
    /// Pods that were pending before the drain and get a node meanwhile: they may take the
    /// resources first.
    pub competing: Vec<Step>,
    /// The documents of the manifests that create pods; filled in by the caller.
    pub documents: Vec<ManifestDocument>,
    /// Pods of manifests that the API server would reject; filled in by the caller.
    pub refused: Vec<RefusedPod>,
    /// Manifests about which nothing is decided; filled in by the caller.
    pub unread: Vec<UnreadManifest>,
    /// What becomes of the workloads of the manifests, in their order; filled in by the caller except
    /// for what the play finds.
    pub changes: Vec<WorkloadChange>,
    /// What the change comes to in the orders that were played; without a change none.
    pub orders: PlayedOrders,
    /// The pods in question, in the scheduler's order.
    pub steps: Vec<Step>,
    /// The replacements of victims, in the order of the decisions.
    pub cascade: Vec<Step>,
    /// Replacements without a decision, because the cascade is deeper or longer than the limits, or
    /// was ended.
    pub not_followed: usize,
    /// Where [`Watch`] has ended it: what comes after that is not decided.
    pub cut: Option<Position>,
    /// Notes about what makes the results uncertain.
    pub notes: Vec<Note>,
}

impl Step {
    /// A result that is not known yet.
    fn unknown(id: PreemptorId, priority: i32, depth: usize) -> Self {
        Self {
            id,
            priority,
            depth,
            proposal: Proposal::Unknown(String::new()),
            causes: Vec::new(),
            left_out: Vec::new(),
            scheduler_picks: Vec::new(),
            likelihood: None,
            is_open: false,
            open_victims: None,
            queued: true,
            gates: Vec::new(),
            document: None,
            autoscaling: None,
            is_filtered: false,
        }
    }

    /// Adds what the scheduler chooses for a pod, and what makes the choice uncertain; `asked` is
    /// the node that the pod must use.
    fn add_choice(&mut self, decision: &Decision, asked: Option<NodeIx>) {
        let cluster = decision.view.cluster;
        if asked.is_none() {
            self.likelihood = decision.odds().map(Sampling::likelihood);
        } else {
            self.scheduler_picks = decision
                .selected()
                .iter()
                .map(|node| cluster.node_name(*node).to_owned())
                .collect();
        }
        if let Outcome::NotInQueue(gate) = &decision.outcome {
            self.queued = false;
            let gates = &cluster.template(cluster.pod(decision.pod)).gates;
            let gates = gates.iter().filter(|_| *gate == QueueGate::Gated);
            self.gates = gates.map(|gate| cluster.text(*gate).to_owned()).collect();
        }
        let on = asked
            .or(decision.selected().first().copied())
            .filter(|_| matches!(self.proposal, Proposal::Evict(_)));
        self.open_victims = on.and_then(|node| OpenVictims::of(decision, node));
    }

    /// Whether it gets a node, with or without evictions.
    pub fn is_placed(&self) -> bool {
        match &self.proposal {
            Proposal::Fits(_)
            | Proposal::GroupFits(_)
            | Proposal::Evict(_)
            | Proposal::Awaits(_) => true,
            Proposal::Impossible(_) | Proposal::Unknown(_) => false,
        }
    }

    /// Whether an autoscaler adds a node for the pod.
    pub fn gets_new_node(&self) -> bool {
        self.autoscaling.as_ref().is_some_and(|outlook| outlook.verdict.adds_node())
    }

    /// How many pods get a node.
    pub fn placed(&self) -> usize {
        match &self.proposal {
            Proposal::Fits(_) => 1,
            Proposal::GroupFits(placed) => placed.len(),
            Proposal::Evict(plan) | Proposal::Awaits(plan) => plan.placed.len(),
            Proposal::Impossible(_) | Proposal::Unknown(_) => 0,
        }
    }
}

/// The totals of a simulation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    /// The pods in question.
    pub pods: usize,
    /// Those that get a node, with or without evictions.
    pub placed: usize,
    /// The pods evicted for them, or by a drain.
    pub evicted: usize,
    /// The replacements of all victims, including victims of replacements.
    pub replacements: usize,
    /// The replacements that get no node.
    pub replacements_pending: usize,
}

impl Simulation {
    /// Adds which manifest creates which pod, the pods that would be rejected, and the manifests
    /// that cannot be read.
    pub fn add_documents(
        &mut self,
        documents: ManifestDocuments,
        refused: Vec<RefusedPod>,
        unread: Vec<UnreadManifest>,
    ) {
        for step in &mut self.steps {
            step.document = documents.of(&step.id);
        }
        self.documents = documents.list;
        self.refused = refused;
        self.unread = unread;
    }

    /// Whether every pod in question gets a node, with or without evictions, or one that an
    /// autoscaler adds. For a drain: whether every pod leaves and gets another node that is there.
    pub fn all_placed(&self) -> bool {
        self.refused.is_empty()
            && self.steps.iter().all(|step| step.is_placed() || step.gets_new_node())
            && self
                .changes
                .iter()
                .all(|change| change.stop.is_none() || self.waits_for_node(change))
            && self.drains.iter().all(|drain| drain.verdict == RemovalVerdict::Can)
    }

    /// Whether a rollout goes on as soon as an autoscaler has added the node for the pod that holds
    /// it up.
    pub fn waits_for_node(&self, change: &WorkloadChange) -> bool {
        let Some(stop) = &change.stop else { return false };
        self.steps.iter().any(|step| step.id.full_name() == stop.pod && step.gets_new_node())
    }

    /// The numbers that sum it up.
    pub fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        for (index, step) in self.steps.iter().enumerate() {
            totals.placed += step.placed();
            // A group has a step for each time its pods are tried: those that the last one leaves
            // out get no node.
            let is_last = self.steps.iter().skip(index + 1).all(|later| later.id != step.id);
            if is_last {
                totals.pods += if step.is_placed() { step.left_out.len() } else { 1 };
            }
        }
        totals.pods += totals.placed + self.refused.len();
        let victims = self.drains.iter().flat_map(|drain| &drain.victims).chain(self.victims());
        let evicted =
            victims.filter(|victim| victim.terminating_until.is_none()).map(|victim| &victim.pod);
        totals.evicted = evicted.collect::<BTreeSet<&PodId>>().len();
        totals.replacements = self.cascade.len() + self.not_followed;
        totals.replacements_pending = self.cascade.iter().filter(|step| !step.is_placed()).count();
        totals
    }

    /// The victims of the pods in question.
    fn victims(&self) -> impl Iterator<Item = &PlannedVictim> {
        self.steps.iter().filter_map(|step| step.proposal.plan()).flat_map(|plan| &plan.victims)
    }

    /// Whether the room that evictions make for a pod in question goes to another one.
    pub fn loses_room(&self) -> bool {
        let plans = self.steps.iter().filter_map(|step| step.proposal.plan());
        plans.into_iter().any(|plan| plan.competitors.is_certain())
    }

    /// Whether something that affects a decision is unknown.
    pub fn is_unsure(&self) -> bool {
        self.notes.iter().any(|note| note.severity == Severity::Error)
            || self.steps.iter().any(|step| matches!(step.proposal, Proposal::Unknown(_)))
            || self.drains.iter().any(|drain| drain.verdict.is_open())
    }
}

/// Decides `pods` in the scheduler's order, and follows the replacements of the victims.
pub fn run(cluster: Cluster, pods: &[PodIx], settings: SimulationSettings) -> Simulation {
    let mut run = SimulationRun::new(cluster, settings);
    let queued: Vec<PodIx> =
        pods.iter().copied().filter(|pod| run.profile_of(*pod).is_some()).collect();
    let order_note = order_is_open(&queued, &run.cluster, settings.profiles);
    run.undecided = pods.to_vec();
    run.seeks_competitors = pods.len() <= FEW_ASKED;
    let evicted = run.decide_all(pods, 0);
    if let Some(note) = order_note {
        notes::add(&mut run.simulation.notes, note);
    }
    run.follow(evicted);
    run.simulation
}

/// Decides about `pods` in the scheduler's order and passes each decision to `each`. As in [`run`],
/// each pod sees the placements and evictions of the earlier ones; a pod that fits goes to the
/// first of the nodes that the scheduler may pick. Replacements of victims are not followed. A pod
/// whose `schedulerName` no profile has is decided about with the first profile. It ends where
/// `each` breaks off.
pub fn each_in_order(
    cluster: Cluster,
    pods: &[PodIx],
    profiles: &[Profile],
    now: Timestamp,
    mut each: impl FnMut(&Decision) -> ControlFlow<()>,
) {
    let settings = SimulationSettings::new(profiles, now);
    let mut run = SimulationRun::new(cluster, settings);
    for (entry, asked) in queue::entries(pods, &run.cluster, profiles) {
        let Some(first) = asked.first() else { continue };
        let Some(profile) = run.profile_of(*first).or(profiles.first()) else { return };
        run.update_sums(profile);
        let view = run.view(profile);
        let mut decider = Decider::new(&view, now);
        let proposal = match entry {
            QueueEntry::Pod(pod) => {
                let decision = decider.decide(pod);
                if each(&decision).is_break() {
                    return;
                }
                planning::as_scheduled(&decision)
            }
            QueueEntry::Group(group) => {
                if asked.iter().any(|pod| each(&decider.decide(*pod)).is_break()) {
                    return;
                }
                group_planning::as_scheduled(decider.group(group))
            }
        };
        drop(decider);
        // A pod that Reserve rejects is not bound.
        let _ = run.place(entry, &proposal);
    }
}

/// Adds a pod like `model`, which is Ready once the scheduler has placed it. Returns whether it fits
/// without evictions. Indices of pods change.
pub(crate) fn add_replica(
    cluster: &mut Cluster,
    model: PodIx,
    settings: SimulationSettings,
) -> bool {
    let added = copies::add(cluster, model, 1, settings.now);
    let mut run = SimulationRun::new(std::mem::take(cluster), settings);
    run.decide_all(&added, 0);
    for pod in &added {
        run.cluster.set_readiness(*pod, Readiness::Ready);
    }
    let fits = run.simulation.steps.iter().all(|step| matches!(step.proposal, Proposal::Fits(_)));
    *cluster = run.cluster;
    fits && !added.is_empty() && added.iter().all(|pod| cluster.pod(*pod).is_running())
}

#[derive(Clone)]
struct SimulationRun<'s> {
    cluster: Cluster,
    settings: SimulationSettings<'s>,
    simulation: Simulation,
    /// The device selectors of the cluster: only a new node changes devices.
    device_selectors: DeviceSelectors,
    /// The sums of the cluster for each profile that has decided, by its name, as of its last
    /// decision.
    sums: BTreeMap<&'s str, Arc<ClusterSums>>,
    /// What decisions have found about nodes so far.
    known_nodes: KnownNodesOfRun,
    /// Which of several nodes that are equally good a pod gets.
    ties: TieChoice,
    /// Where in the scheduler's order of nodes its next cycle starts, if that is played, too. Otherwise
    /// a pod gets the node that the most starts lead to.
    next_start: Option<usize>,
    /// The kinds of pods of which one was found to fit, with the notes of that decision: for others of
    /// them the node is enough.
    decided: BTreeSet<PodKind>,
    /// The pods in question that come later. Their order is played, so they do not compete.
    undecided: Vec<PodIx>,
    /// Whether it is found out who may take the room of the plans for pods in question.
    seeks_competitors: bool,
    /// Whether a pod gets the answer of one like it that was refused before, without a decision of
    /// its own: its message may then be a little older.
    repeats_refusals: bool,
    /// What quotas leave, while a change is played.
    quotas: QuotaLimits,
    /// Waiting pods that are not followed, as no change of pods gives them a node.
    hopeless: BTreeSet<PodIx>,
    /// Pods that a controller has deleted and that have not ended yet.
    leaving: Vec<PodIx>,
    /// Whether preemptors wait for their victims while others are decided, and those that do.
    victims_linger: bool,
    nominated: Vec<(QueueEntry, Plan)>,
    /// The pods about which there is no decision, as something about them is not known.
    unknown: BTreeSet<PodIx>,
}

/// What decisions of a run have found about nodes. A copy of the run learns on its own: its cluster
/// becomes another one.
#[derive(Default)]
struct KnownNodesOfRun(Arc<KnownNodes>);

impl Clone for KnownNodesOfRun {
    fn clone(&self) -> Self {
        Self(Arc::new(KnownNodes::clone(&self.0)))
    }
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
        matches!(
            self.afterwards,
            Afterwards::Replaced | Afterwards::Pinned(_) | Afterwards::Retried
        )
    }
}

impl<'s> SimulationRun<'s> {
    fn new(cluster: Cluster, settings: SimulationSettings<'s>) -> Self {
        let device_selectors = DeviceSelectors::of(&cluster);
        let simulation = Simulation::default();
        Self {
            cluster,
            settings,
            simulation,
            device_selectors,
            sums: BTreeMap::new(),
            known_nodes: KnownNodesOfRun::default(),
            ties: TieChoice::First,
            next_start: None,
            decided: BTreeSet::new(),
            undecided: Vec::new(),
            seeks_competitors: false,
            repeats_refusals: false,
            quotas: QuotaLimits::default(),
            hopeless: BTreeSet::new(),
            leaving: Vec::new(),
            victims_linger: false,
            nominated: Vec::new(),
            unknown: BTreeSet::new(),
        }
    }

    /// Keeps the sums for the next views, which then have only to bring up to date what has changed
    /// since.
    fn update_sums(&mut self, profile: &'s Profile) {
        let cluster = &self.cluster;
        match self.sums.entry(&profile.scheduler_name) {
            Entry::Occupied(mut known) => known.get_mut().update_to(cluster, profile),
            Entry::Vacant(new) => {
                new.insert(Arc::new(ClusterSums::new(cluster, profile)));
            }
        }
    }

    fn view<'v>(&'v self, profile: &'v Profile) -> ClusterView<'v> {
        self.view_of(&self.cluster, profile).remembering(Arc::clone(&self.known_nodes.0))
    }

    /// The view of another state of the cluster.
    fn view_of<'v>(&self, cluster: &'v Cluster, profile: &'v Profile) -> ClusterView<'v> {
        let selectors = self.device_selectors.clone();
        match self.sums.get(profile.scheduler_name.as_str()) {
            Some(earlier) => {
                let sums = earlier.updated(cluster, profile);
                ClusterView::with_sums(cluster, profile, selectors, sums)
            }
            None => ClusterView::with_selectors(cluster, profile, selectors),
        }
    }

    /// The view of a copy of the current cluster that was changed.
    fn view_of_copy<'v>(&self, copy: &'v Cluster, profile: &'v Profile) -> ClusterView<'v> {
        self.view_of(copy, profile).remembering(self.known_nodes.clone().0)
    }

    /// Decides the pods of one generation, then binds those that preempted to their nodes. Returns
    /// the evicted pods.
    fn decide_all(&mut self, pods: &[PodIx], depth: usize) -> Vec<EvictedPod> {
        let mut plans: Vec<(QueueEntry, Plan)> = Vec::new();
        let entries = queue::entries(pods, &self.cluster, self.settings.profiles);
        let total = entries.len();
        let mut refused: Vec<(PodIx, Step)> = Vec::new();
        for (decided, (entry, asked)) in entries.into_iter().enumerate() {
            self.undecided.retain(|pod| !asked.contains(pod));
            let position = Position { depth, decided, total };
            if self.settings.watch.is_some_and(|Watch(watch)| watch(position).is_break()) {
                self.simulation.cut = Some(position);
                break;
            }
            loop {
                let mut step = self.like_refused(entry, &refused).unwrap_or_else(|| {
                    let step = self.decide_again(entry, depth);
                    refused.extend(self.repeatable(entry, &step));
                    step
                });
                if let Err(why) = self.place(entry, &step.proposal) {
                    step.proposal = Proposal::Unknown(why);
                }
                if matches!(step.proposal, Proposal::Unknown(_)) {
                    self.unknown.extend(waiting_pods(entry, &self.cluster));
                }
                plans.extend(step.proposal.plan().map(|plan| (entry, plan.clone())));
                // The scheduler immediately retries pods of a group that did not fit with the
                // others.
                let again =
                    matches!(step.proposal, Proposal::GroupFits(_)) && !step.left_out.is_empty();
                let list = if depth == 0 {
                    &mut self.simulation.steps
                } else {
                    &mut self.simulation.cascade
                };
                list.push(step);
                if !again {
                    break;
                }
            }
        }

        // Victims take their grace period, during which the scheduler decides all pods of the
        // generation. Only then do the preemptors get their nodes.
        if self.victims_linger {
            self.nominated.extend(plans);
            return Vec::new();
        }
        plans.into_iter().flat_map(|(entry, plan)| self.complete(entry, &plan)).collect()
    }

    /// The step of a pod like one of the same generation that was refused.
    fn like_refused(&self, entry: QueueEntry, refused: &[(PodIx, Step)]) -> Option<Step> {
        let QueueEntry::Pod(pod) = entry else { return None };
        // The pods may be alike and their claims not: only those of a new pod are still to come.
        if refused.is_empty() || unknown_reason(pod, &self.cluster).is_some() {
            return None;
        }
        let facts = self.cluster.pod(pod);
        let (_, step) =
            refused.iter().find(|(other, _)| facts.is_scheduled_like(self.cluster.pod(*other)))?;
        let id = PreemptorId::Pod(PodId::of(facts, &self.cluster));
        Some(Step { id, ..step.clone() })
    }

    /// A refusal that holds for pods like this one until pods leave: those that are placed meanwhile
    /// help no pod that neither follows others nor spreads among them.
    fn repeatable(&self, entry: QueueEntry, step: &Step) -> Option<(PodIx, Step)> {
        let (QueueEntry::Pod(pod), Proposal::Impossible(_)) = (entry, &step.proposal) else {
            return None;
        };
        let template = self.cluster.template(self.cluster.pod(pod));
        let follows = template.affinity.as_ref().map_or(true, |terms| !terms.is_empty());
        (self.repeats_refusals && step.is_filtered && !follows && template.spread.is_empty())
            .then(|| (pod, step.clone()))
    }

    /// Follows the replacements of the evicted pods, one generation at a time: they become pending
    /// only once their victims are gone.
    fn follow(&mut self, mut evicted: Vec<EvictedPod>) {
        let generations = if self.simulation.cut.is_some() { 0 } else { self.settings.depth };
        for depth in 1..=generations {
            let waiting = self.replacements(&evicted);
            if waiting.is_empty() {
                break;
            }
            let followed =
                waiting.len().min(MOST_REPLACEMENTS.saturating_sub(self.simulation.cascade.len()));
            self.simulation.not_followed += waiting.len() - followed;
            evicted = self.decide_all(waiting.get(..followed).unwrap_or_default(), depth);
            if let Some(cut) = self.simulation.cut {
                self.simulation.not_followed += cut.total - cut.decided;
                break;
            }
        }
        // The replacements of the last generation are not decided.
        self.simulation.not_followed +=
            evicted.iter().filter(|evicted| evicted.is_replaced()).count();
        drop_milder(&mut self.simulation.notes);
    }

    /// The step of an entry, and the resource claims of which PostFilter gives up one.
    fn decide(&mut self, entry: QueueEntry, depth: usize) -> (Step, BTreeSet<ClaimIx>) {
        let cluster = &self.cluster;
        let waiting = waiting_pods(entry, cluster);
        let (id, priority) = match entry {
            QueueEntry::Pod(pod) => {
                let pod = cluster.pod(pod);
                (PreemptorId::Pod(PodId::of(pod, cluster)), pod.priority)
            }
            QueueEntry::Group(group) => {
                let id = PreemptorId::Group(GroupId::of(group, cluster));
                (id, cluster.pod_group(group).priority())
            }
        };
        let mut step = Step::unknown(id, priority, depth);

        // Without the facts of every pod, or the rules of its scheduler, there is no decision.
        if let Some(why) = waiting.iter().find_map(|pod| unknown_reason(*pod, cluster)) {
            step.proposal = Proposal::Unknown(why);
            return (step, BTreeSet::new());
        }
        // A group is in the queue because a profile schedules one of its pods.
        let Some(profile) = waiting.iter().find_map(|pod| self.profile_of(*pod)) else {
            let scheduler = waiting.first().map_or("", |pod| scheduler_name(*pod, cluster));
            step.proposal = Proposal::Unknown(format!(
                "it is left to scheduler \"{scheduler}\", whose rules are not known here"
            ));
            return (step, BTreeSet::new());
        };

        self.update_sums(profile);
        let view = self.view(profile);
        let entry = match entry {
            QueueEntry::Pod(_) => entry,
            // Another group represents the tree if this one has no waiting pods any more.
            QueueEntry::Group(group) => {
                QueueEntry::Group(groups::tree::representative(group, &view))
            }
        };
        // The given node is meant for the pods in question; replacements go where the scheduler
        // puts them.
        let on = self.settings.on.filter(|_| depth == 0);
        let asked = on.and_then(|name| self.cluster.find_node(name));
        if let Some(picked) = self.pick(entry, &view).filter(|_| asked.is_none()) {
            let names = picked.best.iter().map(|node| self.cluster.node_name(*node).to_owned());
            step.proposal = Proposal::Fits(names.collect());
            self.next_start = Some(picked.next);
            return (step, BTreeSet::new());
        }
        let decision = EntryDecision::of(entry, &view, self.settings.now);
        step.proposal = decision.propose(asked.map_or(Goal::AsScheduled, Goal::On));

        // Several nodes may be equally good for a preemption, too: the play says which one it is.
        let mut ties = self.ties;
        if let (Proposal::Evict(plan), None) = (&step.proposal, asked)
            && let Some(other) = ties.choose(plan.tied.len() + 1).checked_sub(1)
            && let Some(node) = plan.tied.get(other).and_then(|name| self.cluster.find_node(name))
        {
            let tied = plan.tied.clone();
            step.proposal = decision.propose(Goal::On(node));
            if let Proposal::Evict(plan) = &mut step.proposal {
                plan.tied = tied;
            }
        }

        if self.seeks_competitors
            && depth == 0
            && let Proposal::Evict(plan) | Proposal::Awaits(plan) = &mut step.proposal
        {
            let own = waiting_pods(entry, &self.cluster);
            let preempts = !self.settings.as_if_preempting;
            let views = std::slice::from_ref(&view);
            plan.competitors = competitors::of_plan(plan, &decision, views, preempts, |pod| {
                self.undecided.contains(&pod) || own.contains(&pod)
            });
        }

        match &decision {
            EntryDecision::Pod(decision) => {
                step.add_choice(decision, asked);
                step.is_filtered = decision
                    .nodes()
                    .iter()
                    .any(|verdict| matches!(verdict, NodeVerdict::Filtered { .. }));
                // Where refusals are repeated, there are few to explain: also those of replacements.
                let is_explained = depth == 0 || self.repeats_refusals;
                let says = self
                    .settings
                    .causes
                    .filter(|_| is_explained && matches!(step.proposal, Proposal::Impossible(_)));
                step.causes = says.map(|Causes(says)| says(decision)).unwrap_or_default();
            }
            EntryDecision::Group(decision) => {
                step.left_out = group_planning::left_out(decision, &step.proposal);
                // The trials of a tree are not kept.
                step.is_open = decision.tree.is_some()
                    || decision.trials.iter().any(|trial| trial.result.is_open());
            }
        }
        let given_up = match &decision {
            EntryDecision::Pod(decision)
                if matches!(step.proposal, Proposal::Impossible(_))
                    && decision.kind() == OutcomeKind::Unschedulable =>
            {
                if let Some(why) = devices_of_copy(decision) {
                    step.proposal = Proposal::Unknown(why);
                }
                let cycle = Cycle::of(decision.view, decision.pod, decision.now);
                dynamic_resources::given_up(&cycle, decision.nodes())
            }
            EntryDecision::Pod(_) | EntryDecision::Group(_) => BTreeSet::new(),
        };
        let notes = decision.notes().to_vec();
        if let (QueueEntry::Pod(pod), Proposal::Fits(_)) = (entry, &step.proposal) {
            self.decided.insert(kind_of(pod, &self.cluster));
        }
        self.ties = ties;
        for note in notes {
            notes::add(&mut self.simulation.notes, note);
        }
        (step, given_up)
    }

    /// The nodes that the scheduler picks for a pod from where it is in its order, without the decision
    /// that says why; `None` where that is needed.
    fn pick(&self, entry: QueueEntry, view: &ClusterView) -> Option<Pick> {
        let QueueEntry::Pod(pod) = entry else { return None };
        let start = self.next_start.filter(|_| self.decided.contains(&kind_of(pod, &self.cluster)));
        pick(view, pod, self.settings.now, start?)
    }

    /// The profile with the pod's `schedulerName`.
    fn profile_of(&self, pod: PodIx) -> Option<&'s Profile> {
        let scheduler = scheduler_name(pod, &self.cluster);
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

/// The waiting pods of an entry of the queue.
fn waiting_pods(entry: QueueEntry, cluster: &Cluster) -> Vec<PodIx> {
    match entry {
        QueueEntry::Pod(pod) => vec![pod],
        QueueEntry::Group(group) => cluster
            .pod_indices()
            .filter(|pod| cluster.pod(*pod).is_waiting() && cluster.group_of(*pod) == Some(group))
            .collect(),
    }
}

/// What the notes about a pod that fits depend on: its namespace and its template.
type PodKind = (Sym, PoolIx);

fn kind_of(pod: PodIx, cluster: &Cluster) -> PodKind {
    let facts = cluster.pod(pod);
    (facts.namespace, facts.template)
}

/// The pod's `schedulerName`.
fn scheduler_name(pod: PodIx, cluster: &Cluster) -> &str {
    cluster.text(cluster.template(cluster.pod(pod)).scheduler_name)
}

/// Drops each note that a more severe one repeats: a decode issue may affect the decision about one
/// pod and not that about another.
fn drop_milder(notes: &mut Vec<Note>) {
    let all = notes.clone();
    notes.retain(|note| {
        !all.iter().any(|other| other.severity > note.severity && repeats(other, note))
    });
}

/// Whether a note says the same as another one, which names at least the same objects.
fn repeats(note: &Note, other: &Note) -> bool {
    (note.doc.code, &note.text) == (other.doc.code, &other.text)
        && note.count >= other.count
        && other.objects.iter().all(|object| note.objects.contains(object))
}

/// Why a refusal is not certain: a copied node may have devices for the pod.
fn devices_of_copy(decision: &Decision) -> Option<String> {
    let cluster = decision.view.cluster;
    let refusing =
        decision.rejections().filter(|(_, plugin, _)| *plugin == dynamic_resources::NAME);
    let names: BTreeSet<Sym> = refusing.map(|(node, ..)| cluster.node(node).name).collect();
    let not_copied = &cluster.devices.not_copied;
    let (node, slice) = not_copied.iter().find(|(node, _)| names.contains(node))?;
    Some(format!(
        "whether the driver of ResourceSlice {} offers its devices to {} is not known",
        cluster.text(*slice),
        cluster.text(*node)
    ))
}

/// Why no decision is possible about the pod; `None` if one is.
pub(crate) fn unknown_reason(pod: PodIx, cluster: &Cluster) -> Option<String> {
    let pod = cluster.pod(pod);
    if !pod.uid.is_empty() {
        return None;
    }
    let template = cluster.template(pod);
    let are_created = template.claims.iter().any(|claim| claim.source == ClaimSource::Template);
    if pod.resource_claims.is_empty() && are_created {
        return Some(
            "its resource claims are created from a template first: which devices they get is not known".to_owned(),
        );
    }
    for used in cluster.claims_of(pod) {
        if used.ephemeral && (used.claim.is_none() || used.is_foreign(pod)) {
            return Some(
                "its ephemeral volumes are claimed first: where they can be provisioned is not known"
                    .to_owned(),
            );
        }
    }
    for claim in cluster.claims_of(pod).filter_map(|used| used.claim) {
        let is_new = claim.uid.is_empty() && claim.volume_name.is_empty();
        if is_new && !waits_for_pod(claim, cluster) {
            let name = cluster.text(claim.name);
            if let Some(classes) = existing_classes(claim, cluster) {
                let class = cluster.text(claim.class);
                return Some(format!(
                    "its new claim {name} asks for storage class {class}, which does not exist ({classes})"
                ));
            }
            return Some(format!(
                "its new claim {name} is bound first, and where its volume can be used is not known"
            ));
        }
    }
    None
}

/// The storage classes that exist, if that of the claim does not and no volume has its name either;
/// `None` also if the input has no classes at all.
fn existing_classes(claim: &VolumeClaim, cluster: &Cluster) -> Option<String> {
    const NAMED: usize = 3;
    let (storage, symbols) = (&cluster.storage, &cluster.symbols);
    let names = storage.class_names(symbols);
    if claim.class.is_empty()
        || storage.class(claim.class).is_some()
        || !storage.volumes_of_class(claim.class, symbols).is_empty()
    {
        return None;
    }
    let names: Vec<&str> = names.iter().map(|name| cluster.text(*name)).collect();
    let are = if names.len() == 1 { "is" } else { "are" };
    (!names.is_empty()).then(|| format!("there {are} {}", words::list(&names, NAMED)))
}

/// Whether a claim is bound only once a pod that uses it is scheduled.
fn waits_for_pod(claim: &VolumeClaim, cluster: &Cluster) -> bool {
    let class = cluster.storage.class(claim.class);
    class.is_some_and(|class| class.mode == BindingMode::WaitForFirstConsumer)
}

/// Equally important pods on a node, of which kube-scheduler evicts some; which ones depends on an
/// order that the API does not show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenVictims {
    /// How many of them are evicted.
    pub count: VictimCount,
    pub pods: Vec<PodId>,
    /// Whether every order was tried.
    pub complete: bool,
}

impl OpenVictims {
    /// What the decision leaves open on `node`, if anything.
    fn of(decision: &Decision, node: NodeIx) -> Option<Self> {
        let (choices, cluster) = (decision.victim_choices(node)?, decision.view.cluster);
        let pods: Vec<PodId> =
            choices.open().iter().map(|pod| PodId::of(cluster.pod(*pod), cluster)).collect();
        let open = Self { count: choices.count_of_open(), pods, complete: choices.complete };
        (!open.pods.is_empty()).then_some(open)
    }
}

#[cfg(test)]
mod tests {
    //! Tests of what is said of a whole sequence.

    use model::notes::{Note, NoteDoc, Subject};
    use model::snapshot::Kind;

    use super::drop_milder;

    #[test]
    fn a_note_that_a_more_severe_one_repeats_is_dropped() {
        static DOC: NoteDoc = NoteDoc { code: "PRE-999", name: "test", meaning: "test" };
        let about = |note: Note, name: &str| note.about(Subject::object(Kind::Node, "", name));
        let kept = [
            about(Note::warning(&DOC, "a"), "n2"),
            about(Note::error(&DOC, "a"), "n1"),
            Note::warning(&DOC, "b"),
        ];
        let mut notes = kept.to_vec();
        notes.insert(0, about(Note::warning(&DOC, "a"), "n1"));
        drop_milder(&mut notes);
        assert_eq!(notes, kept);
    }
}

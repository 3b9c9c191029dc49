//! The loss of nodes: they are gone at once with the pods on them, whatever budgets allow.
//! Controllers replace the pods, and the scheduler decides the replacements and the pods that wait
//! already, in the order of its queue.
//!
//! In which order replacements come to the scheduler is a matter of chance, so several orders are
//! played, and what depends on them is a range.
//!
//! Upstream: `pkg/controller/podgc/gc_controller.go`,
//! `pkg/controller/tainteviction/taint_eviction.go`, `pkg/controller/disruption/disruption.go`
//! (1.37).

#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use model::cluster::pod::Readiness;
use model::cluster::system_taint::UNREACHABLE;
use model::cluster::template::TaintEffect;
use model::cluster::{Cluster, NodeIx, Pod, PodIx, Sym};
use model::edits::stays_when_drained;
use model::notes::{self, Note, Severity};
use model::parallel;
use profile::Profile;
use scheduler::decision::fit_error;

use super::orders::Range;
use super::play::{EvictionOrder, TieChoice, comes_again};
use super::{Causes, EvictedPod, PodKind, SimulationRun, SimulationSettings, Step, kind_of};
use crate::entry::QueueEntry;
use crate::eviction::{BudgetState, Evictions};
use crate::plan::{Afterwards, OwnerName};
use crate::planning::Proposal;
use crate::{afterwards, removal};

/// How many generations of replacements of preempted pods are followed.
const DEPTH: usize = 3;
/// Minimum and maximum number of orders that are played.
const LEAST_ORDERS: usize = 2;
const MOST_ORDERS: usize = 16;
/// Budget of decisions for that: nodes of the cluster times pods that are lost.
const MOST_WORK: usize = 60_000;
/// Maximum number of preempted pods whose replacements are followed.
const MOST_PREEMPTED: usize = 2000;

/// The cluster whose nodes are lost, and what its waiting pods do in any case.
pub struct Losses<'c> {
    cluster: &'c Cluster,
    /// Whether it is one of many losses that are compared, so that few orders are enough.
    are_compared: bool,
    /// What the pods that wait already do without a loss is not its effect.
    anyway: LossEnd,
    /// The run before any loss, with what is known of the nodes.
    before: SimulationRun<'c>,
    /// The notes about kinds of pods that fit, if many losses are compared.
    notes: BTreeMap<PodKind, Vec<Note>>,
}

/// What becomes of the pods of lost nodes, and of others because of them.
#[derive(Debug, Clone, Default)]
pub struct NodesLoss {
    pub nodes: Vec<String>,
    /// The workloads that lose pods, directly or to a preemptor, the worst hit first.
    pub workloads: Vec<WorkloadLoss>,
    /// The budgets that have fewer healthy pods afterwards than they ask for, until replacements are
    /// Ready.
    pub budgets: Vec<BudgetState>,
    /// How many pods stay Pending in the end, and how many are preempted by replacements. Pods of
    /// which this is not known are only in the most.
    pub pending: Range,
    pub preempted: Range,
    /// Of how many pods, at most, it is not known whether they stay Pending.
    pub unknown: usize,
    /// How many more pods stay Pending in the first order that do so without the loss, too: those that
    /// wait already, and those that these preempt.
    pub pending_anyway: usize,
    /// Whether these are more or fewer in another order.
    pub is_anyway_open: bool,
    /// How many pods of DaemonSets and static pods go with their nodes.
    pub of_nodes: usize,
    /// The decisions of the first order: about the replacements, then about those of pods that they
    /// preempt.
    pub steps: Vec<Step>,
    /// How many orders were played.
    pub orders: usize,
    /// Replacements of preempted pods that are not followed because there are too many.
    pub not_followed: usize,
    /// Notes about what makes the answer uncertain.
    pub notes: Vec<Note>,
}

/// What happens to the pods of one owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkloadLoss {
    pub namespace: String,
    /// The topmost controller; `None` for a pod without one.
    pub owner: Option<OwnerName>,
    /// The name of the owner or of the pod.
    pub name: String,
    /// How many of its pods are Ready before, and right after the loss.
    pub ready: usize,
    pub left: usize,
    /// How many are lost with the nodes.
    pub lost: usize,
    /// How many of these nothing replaces.
    pub gone: usize,
    /// How many are replaced only once their node's object is deleted, if the node stays in the API:
    /// those of a StatefulSet, and those that tolerate an unreachable node for ever.
    pub until_deleted: usize,
    /// How many are preempted by replacements of others.
    pub preempted: Range,
    /// How many stay Pending in the end; those of which this is not known are only in the most.
    pub pending: Range,
    /// How many more of its lost and preempted pods would be Pending in the first order without the
    /// loss, too.
    pub pending_anyway: usize,
    /// Whether one of these is not Pending in another order.
    pub is_anyway_open: bool,
    /// The nodes of the replacements in the first order, with the number of pods on each.
    pub places: BTreeMap<String, usize>,
    /// What the nodes nearest to taking its Pending pods lack, or what is not known of them.
    pub why: Vec<String>,
    /// The claims whose volumes no node that is left can use.
    pub volumes: BTreeSet<String>,
}

impl WorkloadLoss {
    /// Whether no Ready pod is left until a replacement is Ready.
    pub const fn is_down(&self) -> bool {
        self.ready > 0 && self.left == 0
    }
}

impl NodesLoss {
    /// How many pods are lost with the nodes, but for those of DaemonSets and static ones.
    pub fn lost(&self) -> usize {
        self.workloads.iter().map(|workload| workload.lost).sum()
    }

    /// How many of them nothing replaces.
    pub fn gone(&self) -> usize {
        self.workloads.iter().map(|workload| workload.gone).sum()
    }

    /// How many workloads have no Ready pod until a replacement is Ready.
    pub fn down(&self) -> usize {
        self.workloads.iter().filter(|workload| workload.is_down()).count()
    }

    /// Whether every pod that something replaces gets a node, and nothing else is lost for good.
    pub fn is_survived(&self) -> bool {
        self.gone() == 0 && self.pending.most == 0
    }

    /// Whether something that the answer depends on is not known.
    pub fn is_unsure(&self) -> bool {
        self.not_followed > 0
            || (self.gone() == 0 && self.pending.fewest == 0 && self.pending.most > 0)
            || self.notes.iter().any(|note| note.severity == Severity::Error)
            || self.steps.iter().any(|step| matches!(step.proposal, Proposal::Unknown(_)))
    }
}

/// An order in which the replacements come to the scheduler.
#[derive(Debug, Clone, Copy)]
struct LossOrder {
    pods: EvictionOrder,
    ties: TieChoice,
    /// Whether pods that wait already are decided before any replacement exists.
    waiting_first: bool,
    /// Whether each replacement is decided before the next one exists: lost pods are deleted one after
    /// the other. Otherwise all of them are in the queue together, which sorts them by priority.
    one_by_one: bool,
}

impl LossOrder {
    /// The order that is reported in detail.
    const USUAL: Self = Self {
        pods: EvictionOrder::Listed,
        ties: TieChoice::First,
        waiting_first: false,
        one_by_one: false,
    };

    /// This many orders that differ as much as possible, starting with [`Self::USUAL`].
    fn several(count: usize) -> impl Iterator<Item = Self> {
        use EvictionOrder::{Backwards, LargestFirst, Shuffled, SmallestFirst};
        let one_by_one =
            |pods, ties, waiting_first| Self { pods, ties, waiting_first, one_by_one: true };
        let chosen = [
            Self::USUAL,
            one_by_one(SmallestFirst, TieChoice::Last, true),
            one_by_one(LargestFirst, TieChoice::First, false),
            one_by_one(Backwards, TieChoice::Last, true),
        ];
        let by_chance = (1..).map(|n: u64| Self {
            pods: Shuffled(n),
            ties: TieChoice::Turns(n),
            waiting_first: n.is_multiple_of(2),
            one_by_one: !n.is_multiple_of(3),
        });
        chosen.into_iter().chain(by_chance).take(count)
    }
}

/// A pod on a lost node.
struct LostPod {
    pod: PodIx,
    workload: usize,
    /// Whether something makes it again.
    is_replaced: bool,
}

/// The end of one order.
#[derive(Debug)]
struct LossEnd {
    /// The last step about each pod.
    steps: Vec<Step>,
    /// The replacements: of lost pods, and of preempted ones.
    replacements: BTreeSet<PodIx>,
    pending: BTreeSet<PodIx>,
    /// Those of them about which there is no decision.
    unknown: BTreeSet<PodIx>,
    /// The pods that waited already and still do.
    waiting: BTreeSet<PodIx>,
    preempted: BTreeSet<PodIx>,
    not_followed: usize,
    notes: Vec<Note>,
}

impl LossEnd {
    /// How many pods are Pending without the loss, too.
    fn pending_anyway(&self, anyway: &Self) -> usize {
        self.waiting.intersection(&anyway.waiting).count()
            + self.pending.intersection(&anyway.pending).count()
    }

    /// How many pods of each workload there are in a set, without those of another end.
    fn count(
        pods: &BTreeSet<PodIx>,
        without: &BTreeSet<PodIx>,
        workloads: &mut Workloads,
        cluster: &Cluster,
    ) -> BTreeMap<usize, usize> {
        let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
        for pod in pods.difference(without) {
            *numbers.entry(workloads.of(*pod, cluster)).or_default() += 1;
        }
        numbers
    }
}

/// What the pods of a workload have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum WorkloadKey {
    /// Their namespace, and the kind and name of their topmost controller.
    Owner(Sym, Sym, Sym),
    /// Nothing controls the pod.
    Pod(PodIx),
}

impl WorkloadKey {
    fn of(pod: PodIx, cluster: &Cluster) -> Self {
        let facts = cluster.pod(pod);
        let owner = cluster.controllers(facts).pop();
        owner.map_or(Self::Pod(pod), |one| Self::Owner(facts.namespace, one.kind, one.name))
    }
}

/// The workloads of a loss, found by their owner.
#[derive(Default)]
struct Workloads {
    list: Vec<WorkloadLoss>,
    index: BTreeMap<WorkloadKey, usize>,
}

impl Workloads {
    /// The workload of a pod, if it is one of them.
    fn find(&mut self, pod: PodIx, cluster: &Cluster) -> Option<&mut WorkloadLoss> {
        self.list.get_mut(*self.index.get(&WorkloadKey::of(pod, cluster))?)
    }

    /// The index of the workload of a pod, which is added if it is new.
    fn of(&mut self, pod: PodIx, cluster: &Cluster) -> usize {
        let list = &mut self.list;
        *self.index.entry(WorkloadKey::of(pod, cluster)).or_insert_with(|| {
            let facts = cluster.pod(pod);
            let owner = afterwards::owners(facts, cluster).pop();
            let name = owner.as_ref().map_or_else(|| facts.name.to_string(), |o| o.name.clone());
            list.push(WorkloadLoss {
                namespace: cluster.text(facts.namespace).to_owned(),
                owner,
                name,
                ready: 0,
                left: 0,
                lost: 0,
                gone: 0,
                until_deleted: 0,
                preempted: Range::default(),
                pending: Range::default(),
                pending_anyway: 0,
                is_anyway_open: false,
                places: BTreeMap::new(),
                why: Vec::new(),
                volumes: BTreeSet::new(),
            });
            list.len() - 1
        })
    }
}

impl<'c> Losses<'c> {
    /// Losses of nodes of a cluster, at a time, with the scheduler's profiles. Of one of many that are
    /// compared, few orders are enough.
    pub fn new(
        cluster: &'c Cluster,
        profiles: &'c [Profile],
        now: Timestamp,
        causes: Causes<'c>,
        are_compared: bool,
    ) -> Self {
        let settings = SimulationSettings::new(profiles, now).following(DEPTH).with_causes(causes);
        let anyway = run(cluster, settings).replace_lost(&[], LossOrder::USUAL);
        let mut before = run(cluster, settings);
        let mut notes = BTreeMap::new();
        if are_compared {
            notes = before.get_to_know(cluster.pod_indices());
        }
        Self { cluster, are_compared, anyway, before, notes }
    }

    /// Plays the loss of nodes, by name. Returns also the cluster that is left, in which the pods that
    /// stay Pending in the first order wait.
    pub fn play(&self, names: &[String]) -> (NodesLoss, Cluster) {
        let (cluster, anyway) = (self.cluster, &self.anyway);
        let nodes: Vec<NodeIx> = names.iter().filter_map(|name| cluster.find_node(name)).collect();
        let mut workloads = Workloads::default();
        let (lost, of_nodes) = lost_pods(cluster, &nodes, &mut workloads);

        // Each order is played on its own. The work bounds their number: a large loss is played twice.
        let work = (lost.len() * cluster.nodes.len()).max(1);
        let orders = if lost.is_empty() {
            1
        } else {
            let most = if self.are_compared { LEAST_ORDERS } else { MOST_ORDERS };
            (MOST_WORK / work).clamp(LEAST_ORDERS, most)
        };
        let mut gone = self.before.clone();
        let replaced = || lost.iter().filter(|one| one.is_replaced).map(|one| one.pod);
        let of_kinds = if self.are_compared {
            let kinds: BTreeSet<PodKind> = replaced().map(|pod| kind_of(pod, cluster)).collect();
            kinds.iter().filter_map(|kind| Some((*kind, self.notes.get(kind)?.clone()))).collect()
        } else {
            gone.get_to_know(replaced())
        };
        for note in of_kinds.into_values().flatten() {
            notes::add(&mut gone.simulation.notes, note);
        }
        let budgets = gone.take_away(names, &lost);
        let all: Vec<(usize, LossOrder)> = LossOrder::several(orders).enumerate().collect();
        let played: Vec<(LossEnd, Option<Cluster>)> = parallel::map(&all, 2, |(number, order)| {
            let mut run = gone.clone();
            // The first of the orders of one loss is reported in detail. In the others the scheduler
            // goes on from node to node, as one does.
            run.next_start = (self.are_compared || *number > 0).then_some(*number);
            let end = run.replace_lost(&lost, *order);
            // What is left is told of the first order alone.
            (end, (*number == 0).then_some(run.cluster))
        });
        let (mut ends, left): (Vec<LossEnd>, Vec<Option<Cluster>>) = played.into_iter().unzip();
        let left = left.into_iter().flatten().next().unwrap_or_default();
        for lost in lost.iter().filter(|lost| left.pod(lost.pod).is_waiting()) {
            if let Some(workload) = workloads.list.get_mut(lost.workload) {
                workload.volumes.extend(afterwards::lost_volume(lost.pod, &left));
            }
        }

        // A pod about which nothing is known may get a node: each order is counted with and without
        // those.
        let mut pending = Vec::with_capacity(2 * orders);
        let mut preempted = Vec::with_capacity(orders);
        for end in &ends {
            let known = &end.pending - &end.unknown;
            let mut count = |pods, without| LossEnd::count(pods, without, &mut workloads, cluster);
            pending.push(count(&end.pending, &anyway.pending));
            pending.push(count(&known, &anyway.pending));
            preempted.push(count(&end.preempted, &anyway.preempted));
        }
        for (index, workload) in workloads.list.iter_mut().enumerate() {
            let of = |numbers: &BTreeMap<usize, usize>| numbers.get(&index).copied().unwrap_or(0);
            workload.pending = Range::of(pending.iter().map(of));
            workload.preempted = Range::of(preempted.iter().map(of));
        }
        let totals = |counts: &[BTreeMap<usize, usize>]| {
            Range::of(counts.iter().map(|of_order| of_order.values().sum()))
        };
        let mut loss = NodesLoss {
            nodes: names.to_vec(),
            pending: totals(&pending),
            preempted: totals(&preempted),
            budgets,
            of_nodes,
            orders,
            notes: removal::notes_on_input(cluster),
            ..NodesLoss::default()
        };
        let of_anyway = Range::of(ends.iter().map(|end| end.pending_anyway(anyway)));
        loss.is_anyway_open = of_anyway.fewest < of_anyway.most;
        let mut always = anyway.pending.clone();
        for end in &ends {
            always.retain(|pod| end.pending.contains(pod));
        }
        for end in &mut ends {
            loss.unknown = loss.unknown.max(end.unknown.difference(&anyway.pending).count());
            loss.not_followed = loss.not_followed.max(end.not_followed);
            for note in std::mem::take(&mut end.notes) {
                notes::add(&mut loss.notes, note);
            }
        }
        if let Some(first) = ends.into_iter().next() {
            // What stays Pending in any case is no effect of the loss, which is said.
            loss.pending_anyway = first.pending_anyway(anyway);
            for pod in first.pending.intersection(&anyway.pending) {
                if let Some(workload) = workloads.find(*pod, cluster) {
                    workload.pending_anyway += 1;
                    workload.is_anyway_open |= !always.contains(pod);
                }
            }
            explain(&mut workloads, &first, &left);
            loss.steps = first.steps;
        }
        count_ready(cluster, &lost, &mut workloads);
        loss.workloads = workloads.list;
        loss.workloads.sort_by_key(|one| {
            let worst = (Reverse(one.pending.most + one.gone), Reverse(one.is_down()));
            (worst, Reverse(one.lost + one.preempted.most))
        });
        (loss, left)
    }
}

/// A run in which pods like one that was refused are refused without a decision of their own.
fn run<'s>(cluster: &Cluster, settings: SimulationSettings<'s>) -> SimulationRun<'s> {
    let mut run = SimulationRun::new(cluster.clone(), settings);
    run.repeats_refusals = true;
    run
}

/// The pods that are lost with their nodes, by namespace and name, and how many more go with them as
/// they belong to nodes.
fn lost_pods(
    cluster: &Cluster,
    nodes: &[NodeIx],
    workloads: &mut Workloads,
) -> (Vec<LostPod>, usize) {
    let (mut lost, mut of_nodes) = (Vec::new(), 0);
    for node in nodes {
        for pod in cluster.pods_on(*node) {
            let facts = cluster.pod(*pod);
            if !facts.is_active() {
                continue;
            }
            if stays_when_drained(facts, cluster) {
                of_nodes += 1;
                continue;
            }
            let workload = workloads.of(*pod, cluster);
            let is_replaced = comes_again(*pod, *node, cluster);
            if let Some(of_owner) = workloads.list.get_mut(workload) {
                of_owner.lost += 1;
                let then = afterwards::of(*pod, *node, cluster);
                of_owner.gone += usize::from(then == Afterwards::Gone);
                let owners = afterwards::owners(facts, cluster);
                let waits = !afterwards::is_replaced_early(&owners)
                    || tolerates_unreachable_for_ever(facts, cluster);
                of_owner.until_deleted += usize::from(is_replaced && waits);
            }
            lost.push(LostPod { pod: *pod, workload, is_replaced });
        }
    }
    lost.sort_unstable_by_key(|one| one.pod);
    (lost, of_nodes)
}

/// Whether the taint of an unreachable node does not evict a pod.
fn tolerates_unreachable_for_ever(pod: &Pod, cluster: &Cluster) -> bool {
    let (symbols, effect) = (&cluster.symbols, TaintEffect::NoExecute);
    let key = symbols.get(UNREACHABLE);
    cluster.template(pod).tolerations.iter().any(|toleration| {
        toleration.seconds.is_none()
            && toleration.tolerates(key, Sym::EMPTY, effect, symbols, false)
    })
}

/// Counts the Ready pods of the workloads, before and right after the loss.
fn count_ready(cluster: &Cluster, lost: &[LostPod], workloads: &mut Workloads) {
    let lost: BTreeSet<PodIx> = lost.iter().map(|one| one.pod).collect();
    for pod in cluster.pod_indices() {
        let facts = cluster.pod(pod);
        if !facts.is_running() || facts.readiness != Readiness::Ready || facts.is_terminating() {
            continue;
        }
        if let Some(workload) = workloads.find(pod, cluster) {
            workload.ready += 1;
            workload.left += usize::from(!lost.contains(&pod));
        }
    }
}

/// Says where the replacements of each workload go, and why some stay Pending: what the nodes lack, or
/// else the scheduler's reasons, and never both.
fn explain(workloads: &mut Workloads, end: &LossEnd, left: &Cluster) {
    let mut without_cause: Vec<(PodIx, &str)> = Vec::new();
    for step in &end.steps {
        let id = step.id.pod();
        let Some(pod) = id
            .and_then(|id| left.find_pod(&id.namespace, &id.name))
            .filter(|pod| end.replacements.contains(pod))
        else {
            continue;
        };
        let Some(workload) = workloads.find(pod, left) else { continue };
        let facts = left.pod(pod);
        if facts.is_running() {
            let node = left.text(facts.node_name).to_owned();
            *workload.places.entry(node).or_default() += 1;
            continue;
        }
        for cause in &step.causes {
            if !workload.why.contains(cause) {
                workload.why.push(cause.clone());
            }
        }
        if let Proposal::Impossible(why) | Proposal::Unknown(why) = &step.proposal {
            without_cause.push((pod, why));
        }
    }
    for (pod, message) in without_cause {
        let Some(workload) = workloads.find(pod, left) else { continue };
        if workload.why.is_empty() {
            let reasons = fit_error::sections(message).map_or(message, |sections| sections.body);
            workload.why.push(reasons.trim_end_matches('.').to_owned());
        }
    }
}

impl SimulationRun<'_> {
    /// Decides about one pod of each kind as if it were replaced, so that what decisions find about
    /// nodes is known to all copies of this run. Returns the notes about those that fit.
    fn get_to_know(&mut self, pods: impl Iterator<Item = PodIx>) -> BTreeMap<PodKind, Vec<Note>> {
        let mut first_of_kinds: BTreeMap<PodKind, PodIx> = BTreeMap::new();
        for pod in pods {
            let facts = self.cluster.pod(pod);
            let is_grouped = !self.cluster.template(facts).group.is_empty();
            if facts.is_running() && !is_grouped && !stays_when_drained(facts, &self.cluster) {
                first_of_kinds.entry(kind_of(pod, &self.cluster)).or_insert(pod);
            }
        }
        let mut ahead = self.clone();
        let mut notes = BTreeMap::new();
        for (kind, pod) in first_of_kinds {
            ahead.cluster.recreate(pod, self.settings.now);
            let (step, _) = ahead.decide(QueueEntry::Pod(pod), 0);
            let found = std::mem::take(&mut ahead.simulation.notes);
            if matches!(step.proposal, Proposal::Fits(_)) {
                notes.insert(kind, found);
            }
        }
        (self.known_nodes, self.decided) = (ahead.known_nodes, ahead.decided);
        notes
    }

    /// Removes nodes with their pods, and lets the budgets count what is left. Returns the budgets
    /// that have too few pods only now.
    fn take_away(&mut self, nodes: &[String], lost: &[LostPod]) -> Vec<BudgetState> {
        let Some(profile) = self.settings.profiles.first() else { return Vec::new() };
        let mut evictions = Evictions::new(&self.cluster, &profile.features);
        let budgets: Vec<_> = self.cluster.budget_indices().collect();
        let has_enough = |evictions: &Evictions, cluster: &Cluster| -> Vec<bool> {
            let states = budgets.iter().map(|budget| evictions.state(*budget, cluster));
            states.map(|state| state.healthy >= state.desired).collect()
        };
        let before = has_enough(&evictions, &self.cluster);
        for pod in lost {
            evictions.preempted(pod.pod, &self.cluster);
        }
        let after = has_enough(&evictions, &self.cluster);
        for name in nodes {
            if let Some(node) = self.cluster.find_node(name) {
                self.cluster.remove_node(node);
            }
        }
        evictions.settle(&mut self.cluster);
        let missed = budgets.iter().zip(before.into_iter().zip(after));
        missed
            .filter(|(_, (before, after))| *before && !after)
            .map(|(budget, _)| evictions.state(*budget, &self.cluster))
            .collect()
    }

    /// Replaces the lost pods in this order, and decides about them and about the pods that wait
    /// already.
    fn replace_lost(&mut self, lost: &[LostPod], order: LossOrder) -> LossEnd {
        self.ties = order.ties;
        let waited = self.waiting();
        let replaced = lost.iter().filter(|one| one.is_replaced).map(|one| one.pod).collect();
        let replaced = self.arranged(replaced, order.pods);
        for (pod, nth) in replaced.iter().zip(1..) {
            let after = SignedDuration::from_nanos(nth);
            let created = self.settings.now.checked_add(after).unwrap_or(Timestamp::MAX);
            self.cluster.recreate(*pod, created);
        }

        // The preempted pods are replaced in their turn, one generation at a time.
        let mut preempted: Vec<PodIx> = Vec::new();
        let mut not_followed = 0;
        let mut evicted: Vec<EvictedPod> = Vec::new();
        let mut asked = replaced.clone();
        if order.waiting_first {
            evicted.extend(self.decide_all(&waited, 0));
        } else {
            asked.extend(&waited);
        }
        let at_once = if order.one_by_one { 1 } else { asked.len().max(1) };
        for pods in asked.chunks(at_once) {
            evicted.extend(self.decide_all(pods, 0));
        }
        for depth in 1..=DEPTH + 1 {
            preempted.extend(evicted.iter().map(|one| one.pod));
            let next = self.replacements(&evicted);
            let room = MOST_PREEMPTED.saturating_sub(preempted.len());
            let followed = if depth > DEPTH { 0 } else { next.len().min(room) };
            not_followed += next.len() - followed;
            if followed == 0 {
                break;
            }
            evicted = self.decide_all(next.get(..followed).unwrap_or_default(), depth);
        }

        // What waited before is told only if it gets a node, which it would take from the others.
        let is_waiting = |pod: &PodIx| self.cluster.pod(*pod).is_waiting();
        let waiting = waited.iter().copied().filter(is_waiting).collect();
        let waited: BTreeSet<String> =
            waited.iter().map(|pod| self.cluster.pod_name(*pod)).collect();
        let decided = std::mem::take(&mut self.simulation.steps).into_iter();
        let decided = decided.chain(std::mem::take(&mut self.simulation.cascade));
        let mut last: BTreeMap<String, usize> = BTreeMap::new();
        let mut steps: Vec<Step> = Vec::new();
        for step in decided {
            let name = step.id.full_name();
            if waited.contains(&name) && !step.is_placed() {
                continue;
            }
            match last.get(&name).and_then(|at| steps.get_mut(*at)) {
                Some(earlier) if !matches!(step.proposal, Proposal::GroupFits(_)) => {
                    *earlier = step;
                }
                Some(_) => steps.push(step),
                None => {
                    last.insert(name, steps.len());
                    steps.push(step);
                }
            }
        }

        let replacements: BTreeSet<PodIx> = replaced.iter().chain(&preempted).copied().collect();
        let mut pending = replacements.clone();
        pending.retain(|pod| self.cluster.pod(*pod).is_waiting());
        LossEnd {
            replacements,
            unknown: self.unknown.intersection(&pending).copied().collect(),
            pending,
            waiting,
            preempted: preempted.into_iter().collect(),
            steps,
            not_followed,
            notes: std::mem::take(&mut self.simulation.notes),
        }
    }
}

//! A change played step by step: controllers make and remove pods as far as their strategy permits,
//! the scheduler decides the new ones, and those that get a node become Ready. This repeats until
//! nothing changes any more.
//!
//! Upstream: `pkg/controller/deployment/rolling.go`, `pkg/controller/deployment/recreate.go`,
//! `pkg/controller/statefulset/stateful_set_control.go`, `pkg/controller/daemon/update.go` (1.37).

use std::collections::{BTreeMap, BTreeSet};

use model::cluster::pod::Readiness;
use model::cluster::resources::Resources;
use model::cluster::{Cluster, PodIx};
use model::notes;

use super::orders::{ChangeOrder, ENOUGH, OrderEnd, PlayedOrders, Together};
use super::play::{EvictionOrder, in_order, keep_last, next};
use super::queue::{order_is_open, queue_order};
use super::quotas::QuotaLimits;
use super::{
    EvictedPod, FEW_ASKED, MOST_REPLACEMENTS, Simulation, SimulationRun, SimulationSettings, Step,
    drop_milder, waiting_pods,
};
use crate::change::{ChangeKind, RolloutStop, StopCause, WorkloadChange};
use crate::plan::PodId;
use crate::planning::Proposal;
use crate::rollout::{DeletionOrder, OLD, PodCharges, PodName, Rollout, Strategy};

/// Maximum number of rounds. Each makes or removes pods, so no rollout needs that many.
const MOST_ROUNDS: usize = 20_000;

/// A rollout that is being played.
#[derive(Clone)]
struct Played {
    rollout: Rollout,
    /// The old pods that are still there.
    old: Vec<PodIx>,
    /// The pods of the new template that are made, and those that are not yet.
    made: Vec<PodIx>,
    to_make: Vec<PodIx>,
    /// Pods of the old template that a scale-up makes.
    more: Vec<PodIx>,
    removed: Vec<PodId>,
    is_open: bool,
    /// The pod that a StatefulSet waits for, although it is not a new one.
    waits_for: Option<PodIx>,
    /// The pod that quotas do not let its controller make, and why. It tries again when pods leave.
    refused: Option<(PodIx, String)>,
    /// Which of its pods leaves first, of those that are alike.
    leaving: EvictionOrder,
}

/// Plays the change of a cluster: `pods` are made at once, the pods of `rollouts` as their controllers
/// make them. These are in the cluster already, and are taken out of it until then. It is played in
/// several orders, of which the first one is reported in detail.
pub fn run(
    cluster: Cluster,
    pods: &[PodIx],
    changes: Vec<WorkloadChange>,
    rollouts: Vec<Rollout>,
    charges: &PodCharges,
    settings: SimulationSettings,
) -> Simulation {
    let mut run = SimulationRun::new(cluster, settings);
    run.simulation.changes = changes;
    let queued: Vec<PodIx> =
        pods.iter().copied().filter(|pod| run.profile_of(*pod).is_some()).collect();
    let order_note = order_is_open(&queued, &run.cluster, settings.profiles);
    run.undecided = pods.to_vec();
    run.quotas = QuotaLimits::of(charges, &run.cluster);
    run.count_existing(pods, &rollouts);
    // Those that are made at once were admitted before, which the status of a quota does not show.
    for pod in pods {
        run.count_in_quotas(*pod, 1);
    }
    run.seeks_competitors = pods.len() <= FEW_ASKED;
    let moving =
        pods.len() + rollouts.iter().map(|one| one.old.len() + one.new.len()).sum::<usize>();
    let played: Vec<Played> = rollouts.into_iter().map(|one| run.begin(one)).collect();

    let waited = run.refused_before(pods);
    let mut simulation: Option<Simulation> = None;
    let mut ends: Vec<OrderEnd> = Vec::new();
    for order in ChangeOrder::several(moving, &run.cluster) {
        let mut run = run.clone();
        if simulation.is_some() {
            // Only what becomes of the pods counts in the other orders.
            run.settings.causes = None;
            run.seeks_competitors = false;
            run.repeats_refusals = true;
        }
        let end = ChangePlay::new(&mut run, played.clone(), waited.clone(), order).play(pods);
        let cut = run.simulation.cut;
        let kept = simulation.get_or_insert(run.simulation);
        // An order that is broken off says nothing about its end, and so the orders are not all there.
        if cut.is_some() {
            kept.cut = cut;
            break;
        }
        ends.push(end);
        if ends.len() == ENOUGH && PlayedOrders::of(&ends).is_settled() {
            break;
        }
    }
    let mut simulation = simulation.unwrap_or_default();
    simulation.orders = PlayedOrders::of(&ends);
    if let Some(note) = order_note {
        notes::add(&mut simulation.notes, note);
    }
    simulation
}

/// A change that is played in one order.
struct ChangePlay<'r, 's> {
    run: &'r mut SimulationRun<'s>,
    order: ChangeOrder,
    played: Vec<Played>,
    /// Pods that found no node so far.
    waiting: Vec<PodIx>,
    /// Pods that waited before the change and get no node without it.
    waited: Vec<PodIx>,
    /// New pods about which nothing is decided yet.
    fresh: Vec<PodIx>,
    /// The generation of each replacement of a preempted pod.
    depths: BTreeMap<PodIx, usize>,
    preempted: Vec<PodIx>,
    /// Whether a pod has ended since pods without a node were tried last.
    any_removed: bool,
}

impl<'r, 's> ChangePlay<'r, 's> {
    fn new(
        run: &'r mut SimulationRun<'s>,
        mut played: Vec<Played>,
        waited: Vec<PodIx>,
        order: ChangeOrder,
    ) -> Self {
        run.ties = order.ties;
        run.victims_linger = true;
        for one in &mut played {
            one.leaving = order.leaving;
        }
        Self {
            run,
            order,
            played,
            waiting: Vec::new(),
            waited,
            fresh: Vec::new(),
            depths: BTreeMap::new(),
            preempted: Vec::new(),
            any_removed: false,
        }
    }

    /// Plays until no controller and no decision changes anything.
    fn play(mut self, pods: &[PodIx]) -> OrderEnd {
        self.fresh = pods.to_vec();
        for one in &mut self.played {
            self.fresh.extend(self.run.scale_first(one));
        }

        // Controllers that are slower than others do not act in each round. Once nothing changes, all of
        // them have a turn.
        let mut all_act = false;
        for round in 0..MOST_ROUNDS {
            let acts: Vec<bool> = (0..self.played.len()).map(|_| all_act || self.acts()).collect();
            for (one, _) in self.played.iter_mut().zip(&acts).filter(|(_, acts)| **acts) {
                self.fresh.extend(self.run.make(one));
            }
            // New pods are decided while others are still there that were deleted or preempted: these take
            // time to stop.
            let fresh = std::mem::take(&mut self.fresh);
            let mut changes = !fresh.is_empty();
            if changes {
                self.settle(&fresh);
            }
            self.waiting.extend(fresh);
            for (one, _) in self.played.iter_mut().zip(&acts).filter(|(_, acts)| **acts) {
                let any = self.run.remove(one, round);
                self.any_removed |= any;
                changes |= any;
            }
            // Once no controller has anything to do, they end, which makes room for pods that found none,
            // also for those that waited before.
            if (!changes || self.order.ends_at_once) && self.end_terminating() {
                changes = true;
                let run = &*self.run;
                let waits = |pod: &PodIx| run.cluster.pod(*pod).is_waiting();
                self.waiting.retain(waits);
                let mut again = self.waiting.clone();
                again.extend(self.waited.iter().copied().filter(waits));
                self.settle(&again);
            }
            if self.run.simulation.cut.is_some() || !changes && (all_act || !acts.contains(&false))
            {
                break;
            }
            all_act = !changes;
        }
        self.end()
    }

    /// Whether a controller acts in this round.
    fn acts(&mut self) -> bool {
        self.order.turns.as_mut().is_none_or(|state| next(state).is_multiple_of(2))
    }

    /// Ends the pods that were deleted or preempted. Their preemptors get their nodes, and their owners
    /// replace them. Returns whether there are any.
    fn end_terminating(&mut self) -> bool {
        let nominated = std::mem::take(&mut self.run.nominated);
        let any = !self.run.leaving.is_empty() || self.any_removed || !nominated.is_empty();
        self.any_removed = false;
        for (entry, plan) in nominated {
            let depth =
                waiting_pods(entry, &self.run.cluster).first().map_or(0, |pod| self.depth_of(*pod));
            // A more important pod may have taken the node meanwhile, or a controller the pod away.
            let is_nominated = self.run.is_still_nominated(&plan);
            let evicted = self.run.end_victims(&plan);
            self.replace(evicted, depth);
            if !is_nominated {
                continue;
            }
            self.run.bind_plan(entry, &plan);
            for placed in &plan.placed {
                let id = &placed.pod;
                if let Some(pod) = self.run.cluster.find_pod(&id.namespace, &id.name) {
                    self.run.cluster.set_readiness(pod, Readiness::Ready);
                }
            }
        }
        self.run.end_leaving();
        any
    }

    /// Decides pods; those that get a node become Ready.
    fn settle(&mut self, pods: &[PodIx]) {
        let queue = self.run.arranged(pods.to_vec(), self.order.pods);
        let cluster = &self.run.cluster;
        let batches: Vec<Vec<PodIx>> = match self.order.together {
            Together::All => vec![queue],
            Together::Controller => {
                let owner = |pod: &PodIx| cluster.workload(cluster.pod(*pod));
                queue.chunk_by(|a, b| owner(a) == owner(b)).map(<[PodIx]>::to_vec).collect()
            }
            Together::None => queue.into_iter().map(|pod| vec![pod]).collect(),
        };
        for batch in batches {
            // Pods of several generations are in one queue.
            let queue = queue_order(&batch, &self.run.cluster);
            let depths: Vec<usize> = queue.iter().map(|pod| self.depth_of(*pod)).collect();
            let mut at = 0;
            for alike in depths.chunk_by(PartialEq::eq) {
                let pods = queue.get(at..at + alike.len()).unwrap_or_default();
                self.decide(pods, alike.first().copied().unwrap_or_default());
                at += alike.len();
            }
        }
        keep_last(&mut self.run.simulation.steps);
        keep_last(&mut self.run.simulation.cascade);
        for pod in pods {
            if self.run.cluster.pod(*pod).is_running() {
                self.run.cluster.set_readiness(*pod, Readiness::Ready);
            }
        }
    }

    fn depth_of(&self, pod: PodIx) -> usize {
        self.depths.get(&pod).copied().unwrap_or_default()
    }

    /// Decides pods of one generation. Those that preempt wait for their victims.
    fn decide(&mut self, pods: &[PodIx], depth: usize) {
        let evicted = self.run.decide_all(pods, depth);
        self.replace(evicted, depth);
    }

    /// Has owners replace preempted pods, whose preemptors are of the generation `depth`.
    fn replace(&mut self, evicted: Vec<EvictedPod>, depth: usize) {
        for EvictedPod { pod, afterwards } in evicted {
            self.preempted.push(pod);
            if self.run.leaving.contains(&pod) {
                // Its controller has deleted it, and wants one less.
                continue;
            }
            let by_rollout = self.of_rollout(pod);
            let comes_again =
                by_rollout.unwrap_or_else(|| EvictedPod { pod, afterwards }.is_replaced());
            // One that does not come again gives back what quotas count of it.
            if !comes_again {
                self.run.count_in_quotas(pod, -1);
            }
            let is_replaced = match by_rollout {
                Some(_) => comes_again,
                None if !comes_again => false,
                None => {
                    let is_followed =
                        depth < self.run.settings.depth && self.depths.len() < MOST_REPLACEMENTS;
                    self.run.simulation.not_followed += usize::from(!is_followed);
                    is_followed
                }
            };
            if is_replaced {
                self.run.cluster.recreate(pod, self.run.settings.now);
                self.depths.insert(pod, depth + 1);
                self.fresh.push(pod);
            }
        }
    }

    /// Whether the controller of a changed workload makes a pod again that is preempted; `None` if no
    /// rollout has to do with it.
    fn of_rollout(&mut self, pod: PodIx) -> Option<bool> {
        for one in &mut self.played {
            if one.made.contains(&pod) {
                return Some(true);
            }
            if !one.old.contains(&pod) {
                continue;
            }
            // One that is replaced by name or by node comes again with the new template.
            let has_successor =
                one.to_make.iter().any(|new| self.run.predecessor(one, *new) == Some(pod));
            let stays_away = has_successor || one.rollout.strategy == Strategy::Delete;
            if stays_away {
                one.old.retain(|old| *old != pod);
            }
            return Some(!stays_away);
        }
        None
    }

    /// Says what was found, and counts the pods that have no node in the end.
    fn end(self) -> OrderEnd {
        let Self { run, played, waited, mut waiting, depths, preempted, .. } = self;
        // Steps about pods that their controller removed again answer nothing.
        let cluster = &run.cluster;
        let made_again = played.iter().flat_map(|one| &one.more).chain(depths.keys());
        let gone: BTreeSet<String> = made_again
            .filter(|pod| !cluster.pod(**pod).is_active())
            .map(|pod| cluster.pod_name(*pod))
            .collect();
        let waited_names: BTreeSet<String> =
            waited.iter().map(|pod| cluster.pod_name(*pod)).collect();
        waiting.retain(|pod| cluster.pod(*pod).is_waiting());
        waiting.sort_unstable();
        waiting.dedup();

        // Those that waited before are not asked about.
        let (competing, mut steps): (Vec<Step>, Vec<Step>) =
            std::mem::take(&mut run.simulation.steps)
                .into_iter()
                .partition(|step| waited_names.contains(&step.id.full_name()));
        run.simulation.competing = competing.into_iter().filter(Step::is_placed).collect();
        steps.retain(|step| !gone.contains(&step.id.full_name()));
        run.simulation.steps = steps;
        run.simulation.cascade.retain(|step| !gone.contains(&step.id.full_name()));
        for one in &played {
            run.end(one);
        }
        drop_milder(&mut run.simulation.notes);
        OrderEnd {
            completes: run.simulation.all_placed(),
            pending: OrderEnd::count(&waiting, &run.cluster),
            preempted: OrderEnd::count(&preempted, &run.cluster),
        }
    }
}

impl SimulationRun<'_> {
    /// What a pod requests, which is what a quota counts of it.
    fn requests_of(&self, pod: PodIx) -> Resources {
        let profile = self.profile_of(pod).or_else(|| self.settings.profiles.first());
        profile.map_or_else(Resources::default, |profile| {
            self.view(profile).incoming(self.cluster.pod(pod))
        })
    }

    fn count_in_quotas(&mut self, pod: PodIx, times: i64) {
        if !self.quotas.is_empty() {
            let requests = self.requests_of(pod);
            self.quotas.count(pod, &requests, times, &self.cluster);
        }
    }

    /// Counts the pods that are there in quotas that their controller has not counted yet: those of the
    /// change itself.
    fn count_existing(&mut self, pods: &[PodIx], rollouts: &[Rollout]) {
        let mut uncounted = self.quotas.uncounted();
        if uncounted.is_empty() {
            return;
        }
        let later = rollouts.iter().flat_map(|one| one.new.iter().chain(&one.more));
        let later: Vec<PodIx> =
            later.filter_map(|(namespace, name)| self.cluster.find_pod(namespace, name)).collect();
        for index in self.cluster.pod_indices() {
            if self.cluster.pod(index).is_active()
                && !later.contains(&index)
                && !pods.contains(&index)
            {
                let requests = self.requests_of(index);
                uncounted.count(index, &requests, 1, &self.cluster);
            }
        }
        self.quotas.take_over(uncounted);
    }

    /// Makes the first of these pods, as many as quotas admit. Returns them.
    fn create(&mut self, one: &mut Played, pods: &[PodIx]) -> Vec<PodIx> {
        let mut made = Vec::new();
        one.refused = None;
        for pod in pods {
            if !self.quotas.is_empty() {
                let requests = self.requests_of(*pod);
                if let Err(why) = self.quotas.admit(*pod, &requests, &self.cluster) {
                    one.refused = Some((*pod, why));
                    break;
                }
            }
            self.cluster.recreate(*pod, self.settings.now);
            made.push(*pod);
        }
        made
    }

    fn find(&self, names: &[PodName]) -> Vec<PodIx> {
        names
            .iter()
            .filter_map(|(namespace, name)| self.cluster.find_pod(namespace, name))
            .collect()
    }

    fn begin(&mut self, rollout: Rollout) -> Played {
        let (old, to_make) = (self.find(&rollout.old), self.find(&rollout.new));
        let more = self.find(&rollout.more);
        for pod in to_make.iter().chain(&more) {
            self.cluster.remove_pod(*pod);
        }
        Played {
            rollout,
            old,
            made: Vec::new(),
            to_make,
            more,
            removed: Vec::new(),
            is_open: false,
            waits_for: None,
            refused: None,
            leaving: EvictionOrder::Listed,
        }
    }

    /// The pods beside `pods` that wait and get no node as the cluster is. What the others do is no
    /// effect of a change: competitors of a plan are told apart.
    fn refused_before(&self, pods: &[PodIx]) -> Vec<PodIx> {
        let mut waited = self.waiting();
        waited.retain(|pod| !pods.contains(pod));
        if waited.is_empty() {
            return waited;
        }
        let mut before = self.clone();
        before.settings.causes = None;
        before.repeats_refusals = true;
        for pod in pods {
            before.cluster.remove_pod(*pod);
        }
        before.decide_all(&waited, 0);
        let placed: BTreeSet<String> = (before.simulation.steps.iter())
            .filter(|step| step.is_placed())
            .map(|step| step.id.full_name())
            .collect();
        waited.retain(|pod| !placed.contains(&self.cluster.pod_name(*pod)));
        waited
    }

    /// Ends the pods that controllers have deleted.
    fn end_leaving(&mut self) {
        for pod in std::mem::take(&mut self.leaving) {
            self.count_in_quotas(pod, -1);
            self.cluster.remove_pod(pod);
        }
    }

    fn is_available(&self, pod: PodIx) -> bool {
        let facts = self.cluster.pod(pod);
        facts.is_running() && facts.readiness == Readiness::Ready && !facts.is_terminating()
    }

    fn available(&self, pods: &[PodIx]) -> usize {
        pods.iter().filter(|pod| self.is_available(**pod)).count()
    }

    /// Before it replaces pods, a controller brings the old ones to the number that is wanted now.
    fn scale_first(&mut self, one: &mut Played) -> Vec<PodIx> {
        let is_scaled = matches!(
            one.rollout.strategy,
            Strategy::Rolling { .. } | Strategy::Recreate | Strategy::Keep
        );
        if !is_scaled {
            // A DaemonSet removes its pods from nodes that it no longer selects.
            if matches!(one.rollout.strategy, Strategy::PerNode { .. }) {
                let new = one.to_make.clone();
                let stay: BTreeSet<PodIx> =
                    new.iter().filter_map(|new| self.predecessor(one, *new)).collect();
                for pod in one.old.clone() {
                    if !stay.contains(&pod) {
                        self.take_out(one, pod);
                    }
                }
            }
            return Vec::new();
        }
        let surplus = one.old.len().saturating_sub(one.rollout.wanted);
        self.remove_old(one, surplus);
        let more = one.more.clone();
        let made = self.create(one, &more);
        one.old.extend(&made);
        made
    }

    /// Makes the pods of the new template that the strategy permits now.
    fn make(&mut self, one: &mut Played) -> Vec<PodIx> {
        let Rollout { strategy, wanted, .. } = one.rollout;
        let number = match strategy {
            Strategy::Rolling { surge, .. } => {
                let there = one.old.len() + one.made.len();
                (wanted + surge).saturating_sub(there).min(wanted - one.made.len().min(wanted))
            }
            Strategy::Recreate if !one.old.is_empty() => 0,
            Strategy::Recreate | Strategy::Keep => one.to_make.len(),
            Strategy::Ordinals { .. } => self.next_ordinals(one),
            Strategy::PerNode { .. } => self.next_nodes(one),
            Strategy::Delete => 0,
        };
        let number = number.min(one.to_make.len());
        // What a scale-up was refused stays so: this makes none of its pods.
        if number == 0 {
            return Vec::new();
        }
        let permitted = one.to_make.get(..number).unwrap_or_default().to_vec();
        let made = self.create(one, &permitted);
        one.to_make.drain(..made.len());
        one.made.extend(&made);
        made
    }

    /// Removes the old pods that the strategy permits now. Returns whether there are any.
    fn remove(&mut self, one: &mut Played, round: usize) -> bool {
        let Rollout { strategy, wanted, .. } = one.rollout;
        match strategy {
            Strategy::Rolling { max_unavailable, .. } => {
                self.scale_down(one, wanted, max_unavailable)
            }
            Strategy::Recreate => {
                let all = one.old.len();
                self.remove_old(one, all)
            }
            // What is deleted goes after everything else is applied.
            Strategy::Delete if round == 0 => {
                let all = one.old.len();
                self.remove_old(one, all)
            }
            Strategy::Ordinals { .. }
            | Strategy::PerNode { .. }
            | Strategy::Keep
            | Strategy::Delete => {
                // Their pods leave one by one, each just before the new one is made.
                self.remove_next(one)
            }
        }
    }

    /// The number of old pods that a rolling update removes: so many that enough stay available, those
    /// first that are not available anyway.
    fn scale_down(&mut self, one: &mut Played, wanted: usize, max_unavailable: usize) -> bool {
        let old = one.old.len();
        let (available_old, available_new) = (self.available(&one.old), self.available(&one.made));
        let least = wanted.saturating_sub(max_unavailable);
        let unavailable_new = one.made.len() - available_new;
        let most = (old + one.made.len()).saturating_sub(least + unavailable_new);
        if old == 0 || most == 0 {
            return false;
        }
        let unavailable = (old - available_old).min(most);
        let broken: Vec<PodIx> =
            one.old.iter().copied().filter(|pod| !self.is_available(*pod)).collect();
        let any = self.remove_some(one, &broken, unavailable);

        let spare = (available_old + available_new).saturating_sub(least);
        any | self.remove_old(one, spare.min(one.old.len()))
    }

    fn remove_old(&mut self, one: &mut Played, count: usize) -> bool {
        let all = one.old.clone();
        self.remove_some(one, &all, count)
    }

    /// Removes `count` of these old pods in the controller's order.
    fn remove_some(&mut self, one: &mut Played, among: &[PodIx], count: usize) -> bool {
        let related: Vec<PodIx> = one.old.iter().chain(&one.made).copied().collect();
        let mut order = DeletionOrder::of(among, &related, &self.cluster, self.settings.now);
        if let Some(profile) = self.settings.profiles.first() {
            let view = self.view(profile);
            order.rearrange(|alike| in_order(alike, one.leaving, &view));
        }
        let (pods, is_open) = order.first(count);
        one.is_open |= is_open && count < among.len();
        for pod in &pods {
            self.take_out(one, *pod);
        }
        !pods.is_empty()
    }

    fn take_out(&mut self, one: &mut Played, pod: PodIx) {
        one.old.retain(|other| *other != pod);
        // One that is preempted already leaves for that.
        if !one.more.contains(&pod) && !self.cluster.pod(pod).is_terminating() {
            let mut id = PodId::of(self.cluster.pod(pod), &self.cluster);
            if let Some(name) = id.name.strip_suffix(OLD).map(str::to_owned) {
                id.name = name;
            }
            one.removed.push(id);
        }
        // Controllers that do not wait until it has ended make others while it is still on its node.
        let waits = matches!(
            one.rollout.strategy,
            Strategy::Recreate | Strategy::Ordinals { .. } | Strategy::PerNode { .. }
        );
        if waits || !self.cluster.pod(pod).is_running() {
            self.count_in_quotas(pod, -1);
            self.cluster.remove_pod(pod);
        } else {
            self.cluster.terminate(pod, self.settings.now);
            self.leaving.push(pod);
        }
    }

    /// How many pods of a StatefulSet are made next: those without a predecessor. A StatefulSet that
    /// makes its pods in order waits for each that comes before.
    fn next_ordinals(&mut self, one: &mut Played) -> usize {
        self.free_first(one);
        let free = self.without_predecessor(one);
        let next = one.to_make.get_mut(..free).unwrap_or_default();
        next.sort_by_key(|pod| self.ordinal(*pod));
        if !one.rollout.one_by_one {
            return free;
        }
        let next = one.to_make.first().filter(|_| free > 0).map(|pod| self.ordinal(*pod));
        let mut before = one.made.iter().chain(&one.old);
        let held_up = before.find(|pod| {
            !self.is_available(**pod) && next.is_none_or(|next| self.ordinal(**pod) < next)
        });
        one.waits_for = held_up.copied().filter(|pod| one.old.contains(pod));
        if held_up.is_some() { 0 } else { free.min(1) }
    }

    /// The number at the end of the name of a pod of a StatefulSet.
    fn ordinal(&self, pod: PodIx) -> usize {
        let name = &self.cluster.pod(pod).name;
        let name = name.strip_suffix(OLD).unwrap_or(name);
        name.rsplit('-').next().and_then(|number| number.parse().ok()).unwrap_or_default()
    }

    /// Puts the pods first that take the place of no old pod.
    fn free_first(&self, one: &mut Played) {
        let (free, others): (Vec<PodIx>, Vec<PodIx>) = std::mem::take(&mut one.to_make)
            .into_iter()
            .partition(|new| self.predecessor(one, *new).is_none());
        one.to_make = [free, others].concat();
    }

    /// How many of the pods that are made next take the place of no old pod that is still there.
    fn without_predecessor(&self, one: &Played) -> usize {
        let is_free = |pod: &&PodIx| self.predecessor(one, **pod).is_none();
        one.to_make.iter().take_while(is_free).count()
    }

    /// The old pod that has the name of a new one, or the node of one that a DaemonSet makes.
    fn predecessor(&self, one: &Played, new: PodIx) -> Option<PodIx> {
        let new = &self.cluster.pod(new).name;
        let is_of_node = matches!(one.rollout.strategy, Strategy::PerNode { .. });
        one.old.iter().copied().find(|old| {
            let old = self.cluster.pod(*old);
            match old.name.strip_suffix(OLD) {
                Some(name) => *name == **new,
                None => {
                    is_of_node && new.ends_with(&format!("-{}", self.cluster.text(old.node_name)))
                }
            }
        })
    }

    /// A DaemonSet makes the pods of free nodes at once. With a surge it makes others beside the old
    /// pods, at once beside those that are not available.
    fn next_nodes(&self, one: &mut Played) -> usize {
        let Strategy::PerNode { surge, .. } = one.rollout.strategy else { return 0 };
        self.free_first(one);
        let free = self.without_predecessor(one);
        if surge == 0 {
            return free;
        }
        // Beside which of the old pods the next ones are made, its controller leaves to chance.
        one.to_make = self.arranged(std::mem::take(&mut one.to_make), one.leaving);
        let is_beside =
            |new: &&PodIx| !self.is_available(**new) && self.predecessor(one, **new).is_some();
        let mut left = surge.saturating_sub(one.made.iter().filter(is_beside).count());
        let (now, later): (Vec<PodIx>, Vec<PodIx>) =
            one.to_make.iter().partition(|new| match self.predecessor(one, **new) {
                Some(old) if self.is_available(old) => {
                    let is_permitted = left > 0;
                    left -= usize::from(is_permitted);
                    is_permitted
                }
                _ => true,
            });
        let number = now.len();
        one.to_make = [now, later].concat();
        number
    }

    /// Removes the next old pod of a StatefulSet or DaemonSet, and what neither wants any more.
    fn remove_next(&mut self, one: &mut Played) -> bool {
        match one.rollout.strategy {
            Strategy::Ordinals { .. } => self.remove_ordinals(one),
            Strategy::PerNode { surge: 0, max_unavailable } => {
                self.remove_per_node(one, max_unavailable)
            }
            Strategy::PerNode { .. } => {
                // With a surge, an old pod leaves once the new one of its node is available.
                let mut any = false;
                for new in one.made.clone() {
                    if self.is_available(new)
                        && let Some(old) = self.predecessor(one, new)
                    {
                        self.take_out(one, old);
                        any = true;
                    }
                }
                any
            }
            Strategy::Rolling { .. } | Strategy::Recreate | Strategy::Keep | Strategy::Delete => {
                false
            }
        }
    }

    /// Removes pods of a StatefulSet: first those beyond the number that it wants, then those that are
    /// replaced, from the highest ordinal.
    fn remove_ordinals(&mut self, one: &mut Played) -> bool {
        let Strategy::Ordinals { max_unavailable, .. } = one.rollout.strategy else { return false };
        // Pods beyond the number stand at the end of the old ones.
        let unwanted = self.unwanted(one);
        let kept = one.old.len() - unwanted;
        let condemned: Vec<PodIx> = one.old.get(kept..).unwrap_or_default().to_vec();
        let replicas: Vec<PodIx> =
            one.made.iter().chain(one.old.get(..kept).unwrap_or_default()).copied().collect();
        let missing = self.without_predecessor(one);
        let unavailable: Vec<PodIx> =
            replicas.iter().copied().filter(|pod| !self.is_available(*pod)).collect();
        if one.rollout.one_by_one {
            // Nothing leaves before every pod that is to stay is there and available.
            if missing > 0 || !unavailable.is_empty() {
                return false;
            }
            // Parity: of several pods that are not available, only the lowest may leave; a higher one
            // blocks the others.
            let lowest_broken = condemned.iter().find(|pod| !self.is_available(**pod));
            if let Some(last) = condemned.last().copied() {
                let may_leave = self.is_available(last) || lowest_broken == Some(&last);
                if may_leave {
                    self.take_out(one, last);
                } else {
                    one.waits_for = Some(last);
                }
                return may_leave;
            }
        }
        for pod in &condemned {
            self.take_out(one, *pod);
        }

        // As many of the others leave as may be unavailable. In parallel, those that are not available
        // anyway leave first, and do not count.
        let replaced: Vec<PodIx> =
            one.to_make.iter().filter_map(|new| self.predecessor(one, *new)).collect();
        let is_broken = |pod: &&PodIx| unavailable.contains(pod);
        let broken: Vec<PodIx> = replaced.iter().filter(is_broken).copied().collect();
        let mut left = max_unavailable.saturating_sub(unavailable.len() + missing);
        let mut any = !condemned.is_empty();
        one.waits_for = unavailable.iter().find(|pod| one.old.contains(pod)).copied();
        for pod in broken {
            self.take_out(one, pod);
            any = true;
        }
        for pod in replaced.iter().filter(|pod| !is_broken(pod)) {
            if left == 0 {
                break;
            }
            left -= 1;
            self.take_out(one, *pod);
            any = true;
        }
        any
    }

    /// Removes old pods of a DaemonSet without a surge: those that are not available, and of the
    /// others as many as may be unavailable. Of which nodes, its controller leaves to chance.
    fn remove_per_node(&mut self, one: &mut Played, max_unavailable: usize) -> bool {
        let old = one.to_make.iter().filter_map(|new| self.predecessor(one, *new)).collect();
        let mut old = self.arranged(old, one.leaving);
        let broken: Vec<PodIx> =
            old.iter().copied().filter(|pod| !self.is_available(*pod)).collect();
        old.retain(|pod| !broken.contains(pod));
        let missing = self.without_predecessor(one);
        let unavailable = one.made.len() - self.available(&one.made) + broken.len() + missing;
        old.truncate(max_unavailable.saturating_sub(unavailable));
        let leaving = [broken, old].concat();
        for pod in &leaving {
            self.take_out(one, *pod);
        }
        self.free_first(one);
        !leaving.is_empty()
    }

    /// How many old pods of a StatefulSet are beyond the number of pods that it wants.
    fn unwanted(&self, one: &Played) -> usize {
        let there = one.old.len() + one.made.len();
        let to_come =
            one.to_make.iter().filter(|new| self.predecessor(one, **new).is_none()).count();
        (there + to_come).saturating_sub(one.rollout.wanted).min(one.old.len())
    }

    /// Says what the play found about a change.
    fn end(&mut self, one: &Played) {
        let Played { rollout, old, made, to_make, .. } = one;
        let what = self.simulation.changes.get(rollout.change).map(|change| change.what);
        let keeps = what != Some(ChangeKind::RolledOut);
        let available = self.available(made);
        let of_new = made.len() + to_make.len();
        let unready = old.iter().find(|pod| one.waits_for == Some(**pod));
        let pending = made.iter().chain(&one.more).find(|pod| {
            let facts = self.cluster.pod(**pod);
            facts.is_active() && !facts.is_running()
        });
        let is_short = available < of_new || keeps;
        let refused = one.refused.as_ref().filter(|_| pending.is_none() && is_short);
        let stop = match (pending.or(unready), keeps) {
            (Some(pod), _) if available < of_new || keeps => {
                let name = self.cluster.pod_name(*pod);
                let name = name.strip_suffix(OLD).map_or(name.clone(), str::to_owned);
                let step = self.simulation.steps.iter().find(|step| step.id.full_name() == name);
                let max_unavailable = match rollout.strategy {
                    Strategy::Rolling { max_unavailable, .. }
                    | Strategy::PerNode { max_unavailable, .. } => max_unavailable,
                    _ => 0,
                };
                let cause = match step.map(|step| &step.proposal) {
                    Some(Proposal::Impossible(why)) => {
                        StopCause::NoNode { why: why.clone(), max_unavailable }
                    }
                    Some(Proposal::Unknown(why)) => StopCause::NotKnown(why.clone()),
                    _ => StopCause::NotReady,
                };
                let (available, wanted) = if keeps {
                    (self.available(old) + available, rollout.wanted)
                } else {
                    (available, of_new)
                };
                Some(RolloutStop { available, wanted, pod: name, old: old.len(), cause })
            }
            _ => None,
        };
        let stop = refused.map_or(stop, |(pod, why)| {
            let there = if keeps { self.available(old) + available } else { available };
            Some(RolloutStop {
                available: there,
                wanted: if keeps { rollout.wanted } else { of_new },
                pod: self.cluster.pod_name(*pod),
                old: old.len(),
                cause: StopCause::Refused(why.clone()),
            })
        });
        let unmade = to_make.iter().map(|pod| PodId::of(self.cluster.pod(*pod), &self.cluster));
        let unmade = unmade.collect();
        if let Some(change) = self.simulation.changes.get_mut(rollout.change) {
            change.unmade = unmade;
            change.removed.clone_from(&one.removed);
            change.is_removal_open = one.is_open;
            change.stop = stop;
        }
    }
}

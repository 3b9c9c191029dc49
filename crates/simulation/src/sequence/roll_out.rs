//! A change played step by step: controllers make and remove pods as far as their strategy permits,
//! the scheduler decides the new ones, and those that get a node become Ready. This repeats until
//! nothing changes any more.
//!
//! Upstream: `pkg/controller/deployment/rolling.go`, `pkg/controller/deployment/recreate.go`,
//! `pkg/controller/statefulset/stateful_set_control.go`, `pkg/controller/daemon/update.go` (1.37).

use std::collections::BTreeSet;

use model::cluster::pod::Readiness;
use model::cluster::resources::Resources;
use model::cluster::{Cluster, PodIx};
use model::notes;

use super::play::keep_last;
use super::queue::order_is_open;
use super::quotas::QuotaLimits;
use super::{EvictedPod, FEW_ASKED, Simulation, SimulationRun, SimulationSettings};
use crate::change::{ChangeKind, RolloutStop, StopCause, WorkloadChange};
use crate::plan::PodId;
use crate::planning::Proposal;
use crate::rollout::{DeletionOrder, OLD, PodName, Rollout, Strategy, pod_name};

/// Maximum number of rounds. Each makes or removes pods, so no rollout needs that many.
const MOST_ROUNDS: usize = 20_000;

/// A rollout that is being played.
struct Played {
    rollout: Rollout,
    /// The old pods that are still there.
    old: Vec<PodIx>,
    /// Pods of the old template that it wants and that were evicted meanwhile.
    lost: usize,
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
}

/// Plays the change of a cluster: `pods` are made at once, the pods of `rollouts` as their controllers
/// make them. These are in the cluster already, and are taken out of it until then.
pub fn run(
    cluster: Cluster,
    pods: &[PodIx],
    changes: Vec<WorkloadChange>,
    rollouts: Vec<Rollout>,
    settings: SimulationSettings,
) -> Simulation {
    let mut run = SimulationRun::new(cluster, settings);
    run.simulation.changes = changes;
    let queued: Vec<PodIx> =
        pods.iter().copied().filter(|pod| run.profile_of(*pod).is_some()).collect();
    let order_note = order_is_open(&queued, &run.cluster, settings.profiles);
    run.undecided = pods.to_vec();
    run.quotas = QuotaLimits::of(&run.cluster);
    // Those that are made at once were admitted before, which the status of a quota does not show.
    for pod in pods {
        run.count_in_quotas(*pod, 1);
    }
    run.seeks_competitors = pods.len() <= FEW_ASKED;
    let mut played: Vec<Played> = rollouts.into_iter().map(|one| run.begin(one)).collect();
    let evicted = run.roll_out(pods, &mut played);
    if let Some(note) = order_note {
        notes::add(&mut run.simulation.notes, note);
    }
    for one in &played {
        run.end(one);
    }
    run.follow(evicted);
    run.simulation
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
            let (namespace, requests) = (self.cluster.pod(pod).namespace, self.requests_of(pod));
            self.quotas.count(namespace, &requests, times);
        }
    }

    /// Makes the first of these pods, as many as quotas admit. Returns them.
    fn create(&mut self, one: &mut Played, pods: &[PodIx]) -> Vec<PodIx> {
        let mut made = Vec::new();
        one.refused = None;
        for pod in pods {
            if !self.quotas.is_empty() {
                let (namespace, requests) =
                    (self.cluster.pod(*pod).namespace, self.requests_of(*pod));
                if let Err(why) = self.quotas.admit(namespace, &requests, &self.cluster) {
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
            lost: 0,
            made: Vec::new(),
            to_make,
            more,
            removed: Vec::new(),
            is_open: false,
            waits_for: None,
            refused: None,
        }
    }

    /// Plays until no controller and no decision changes anything. Returns the victims that their
    /// owners replace.
    fn roll_out(&mut self, pods: &[PodIx], played: &mut [Played]) -> Vec<EvictedPod> {
        let mut waiting: Vec<PodIx> = Vec::new();
        let mut fresh: Vec<PodIx> = pods.to_vec();
        let mut evicted: Vec<EvictedPod> = Vec::new();
        for one in played.iter_mut() {
            fresh.extend(self.scale_first(one));
        }
        for round in 0..MOST_ROUNDS {
            for one in played.iter_mut() {
                fresh.extend(self.make(one));
            }
            // New pods are decided while the old ones are still there: these take time to stop.
            let mut any_placed = !fresh.is_empty() && self.settle(&fresh, &mut evicted, played);
            waiting.append(&mut fresh);
            let mut any_removed = false;
            for one in played.iter_mut() {
                any_removed |= self.remove(one, round);
            }
            // What left makes room for pods that found none.
            waiting.retain(|pod| self.cluster.pod(*pod).is_waiting());
            if any_removed && !waiting.is_empty() {
                any_placed |= self.settle(&waiting.clone(), &mut evicted, played);
                waiting.retain(|pod| self.cluster.pod(*pod).is_waiting());
            }
            if self.simulation.cut.is_some() || !(any_placed || any_removed) {
                break;
            }
        }
        // Steps about pods that their controller removed again answer nothing.
        let cluster = &self.cluster;
        let gone: BTreeSet<String> = played
            .iter()
            .flat_map(|one| &one.more)
            .filter(|pod| !cluster.pod(**pod).is_active())
            .map(|pod| cluster.pod_name(*pod))
            .collect();
        self.simulation.steps.retain(|step| !gone.contains(&step.id.full_name()));
        // Nobody replaces an old pod that a rollout has given up.
        evicted.retain(|victim| {
            played.iter().all(|one| {
                one.lost > 0 || !one.rollout.old.contains(&pod_name(victim.pod, &self.cluster))
            })
        });
        evicted
    }

    /// Decides pods; those that get a node become Ready. Returns whether any got one.
    fn settle(
        &mut self,
        pods: &[PodIx],
        evicted: &mut Vec<EvictedPod>,
        played: &mut [Played],
    ) -> bool {
        let victims = self.decide_all(pods, 0);
        keep_last(&mut self.simulation.steps);
        for victim in &victims {
            for one in played.iter_mut() {
                let before = one.old.len();
                one.old.retain(|pod| *pod != victim.pod);
                one.lost += before - one.old.len();
            }
        }
        evicted.extend(victims);
        let mut any_placed = false;
        for pod in pods {
            if self.cluster.pod(*pod).is_running() {
                any_placed = true;
                self.cluster.set_readiness(*pod, Readiness::Ready);
            }
        }
        any_placed
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
                let there = one.old.len() + one.lost + one.made.len();
                (wanted + surge).saturating_sub(there).min(wanted - one.made.len().min(wanted))
            }
            Strategy::Recreate if one.old.len() + one.lost > 0 => 0,
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
                let lost = std::mem::take(&mut one.lost);
                self.remove_old(one, all) || lost > 0
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
        let old = one.old.len() + one.lost;
        let (available_old, available_new) = (self.available(&one.old), self.available(&one.made));
        let least = wanted.saturating_sub(max_unavailable);
        let unavailable_new = one.made.len() - available_new;
        let most = (old + one.made.len()).saturating_sub(least + unavailable_new);
        if old == 0 || most == 0 {
            return false;
        }
        let unavailable = (old - available_old).min(most);
        let of_lost = unavailable.min(one.lost);
        one.lost -= of_lost;
        let broken: Vec<PodIx> =
            one.old.iter().copied().filter(|pod| !self.is_available(*pod)).collect();
        let mut any = of_lost > 0;
        any |= self.remove_some(one, &broken, unavailable - of_lost);

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
        let order = DeletionOrder::of(among, &related, &self.cluster, self.settings.now);
        let (pods, is_open) = order.first(count);
        one.is_open |= is_open && count < among.len();
        for pod in &pods {
            self.take_out(one, *pod);
        }
        !pods.is_empty()
    }

    fn take_out(&mut self, one: &mut Played, pod: PodIx) {
        one.old.retain(|other| *other != pod);
        if !one.more.contains(&pod) {
            one.removed.push(PodId::of(self.cluster.pod(pod), &self.cluster));
        }
        self.count_in_quotas(pod, -1);
        self.cluster.remove_pod(pod);
    }

    /// How many pods of a StatefulSet are made next: those without a predecessor, and one that takes
    /// the place of a removed pod. A StatefulSet that makes its pods in order waits for each.
    fn next_ordinals(&mut self, one: &mut Played) -> usize {
        if !one.rollout.one_by_one {
            return self.without_predecessor(one);
        }
        let held_up =
            one.made.iter().chain(&one.old).find(|pod| !self.is_available(**pod)).copied();
        one.waits_for = held_up.filter(|pod| one.old.contains(pod));
        if held_up.is_some() { 0 } else { self.without_predecessor(one).min(1) }
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

    /// A DaemonSet makes the pods of free nodes at once, and with a surge the next ones beside the old
    /// pods.
    fn next_nodes(&self, one: &Played) -> usize {
        let Strategy::PerNode { surge, .. } = one.rollout.strategy else { return 0 };
        let free = self.without_predecessor(one);
        let waiting = one.made.len() - self.available(&one.made);
        free.max(surge.saturating_sub(waiting))
    }

    /// Removes the next old pod of a StatefulSet or DaemonSet, and what neither wants any more.
    fn remove_next(&mut self, one: &mut Played) -> bool {
        match one.rollout.strategy {
            Strategy::Ordinals { .. } => {
                let all_available =
                    one.made.iter().chain(&one.old).all(|pod| self.is_available(*pod));
                // Pods beyond the wanted number have no successor: they leave before any is replaced.
                let unwanted = self.unwanted(one);
                let next = one.to_make.first().and_then(|new| self.predecessor(one, *new));
                let Some(pod) = unwanted.or(next) else { return false };
                let all_made = one.made.iter().all(|pod| self.is_available(*pod));
                let goes_on = if one.rollout.one_by_one { all_available } else { all_made };
                if !goes_on {
                    return false;
                }
                self.take_out(one, pod);
                true
            }
            Strategy::PerNode { surge, max_unavailable } => {
                let waiting = one.made.len() - self.available(&one.made);
                let mut any = false;
                if surge > 0 {
                    // An old pod leaves once the new one of its node is available.
                    for new in one.made.clone() {
                        if self.is_available(new)
                            && let Some(old) = self.predecessor(one, new)
                        {
                            self.take_out(one, old);
                            any = true;
                        }
                    }
                    return any;
                }
                let mut left = max_unavailable.saturating_sub(waiting);
                for new in one.to_make.clone() {
                    let Some(old) = self.predecessor(one, new) else { continue };
                    if self.is_available(old) {
                        if left == 0 {
                            continue;
                        }
                        left -= 1;
                    }
                    self.take_out(one, old);
                    any = true;
                }
                // What is removed comes first from now on.
                let (free, others): (Vec<PodIx>, Vec<PodIx>) = std::mem::take(&mut one.to_make)
                    .into_iter()
                    .partition(|new| self.predecessor(one, *new).is_none());
                one.to_make = [free, others].concat();
                any
            }
            Strategy::Rolling { .. } | Strategy::Recreate | Strategy::Keep | Strategy::Delete => {
                false
            }
        }
    }

    /// The last old pod of a StatefulSet beyond the number of pods that it wants: those that stay as
    /// they are come first in the list.
    fn unwanted(&self, one: &Played) -> Option<PodIx> {
        let there = one.old.len() + one.made.len();
        let to_come =
            one.to_make.iter().filter(|new| self.predecessor(one, **new).is_none()).count();
        if there + to_come <= one.rollout.wanted {
            return None;
        }
        one.old.last().copied()
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

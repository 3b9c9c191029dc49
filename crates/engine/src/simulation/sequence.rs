//! Decides about several pods one after the other: each sees the placements and evictions of the earlier ones. Also
//! follows the replacements of the victims and the pods that they preempt in turn.

use std::cmp::Reverse;
use std::mem::ManuallyDrop;

use jiff::{SignedDuration, Timestamp};

use super::plan::{Afterwards, Plan, PodId};
use super::planning::{self, Proposal};
use super::{ORDER, afterwards};
use crate::cluster::Cluster;
use crate::cluster::pod::PodIx;
use crate::cluster::pod_volume as used;
use crate::cluster::storage::{BindingMode, Claim};
use crate::cluster::template::{ClaimSource, PodClaim};
use crate::decision::sampling::{Likelihood, Sampling};
use crate::decision::{self, Decision};
use crate::edits::Edit;
use crate::framework::cluster_view::ClusterView;
use crate::notes::{self, Note, Severity};
use crate::profile::Profile;

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

/// The result for one pod.
#[derive(Debug, Clone)]
pub struct PodOutcome {
    /// The pod. A replacement has the name of the pod that it replaces, and no UID.
    pub pod: PodId,
    /// Its priority.
    pub priority: i32,
    /// The generation: 0 for a pod in question, 1 for the replacement of a victim of it, and so on.
    pub depth: usize,
    /// What follows from the decision.
    pub proposal: Proposal,
    /// The nodes that the scheduler would pick, if another node was given.
    pub scheduler_picks: Vec<String>,
    /// How likely the scheduler picks the first node of the proposal, if it does not look at every node.
    pub likelihood: Option<Likelihood>,
}

/// The result for all pods.
#[derive(Debug, Clone, Default)]
pub struct Simulation {
    /// What is assumed; the caller applied it to the cluster.
    pub assumptions: Vec<Edit>,
    /// The pods in question, in the scheduler's order.
    pub steps: Vec<PodOutcome>,
    /// The replacements of victims, in the order of the decisions.
    pub cascade: Vec<PodOutcome>,
    /// Replacements without a decision, because the cascade is deeper or longer than the limits.
    pub not_followed: usize,
    /// Notes about what makes the results less than certain.
    pub notes: Vec<Note>,
}

impl Simulation {
    /// Whether every pod in question gets a node, with or without evictions.
    #[must_use]
    pub fn all_placed(&self) -> bool {
        self.steps.iter().all(|step| step.proposal.plan().is_some() || matches!(step.proposal, Proposal::Fits(_)))
    }

    /// Whether something that affects a decision is unknown.
    #[must_use]
    pub fn is_unsure(&self) -> bool {
        let unknown = |step: &PodOutcome| matches!(step.proposal, Proposal::Unknown(_));
        self.notes.iter().any(|note| note.severity == Severity::Error) || self.steps.iter().any(unknown)
    }
}

/// Decides about `pods` in the scheduler's order, and follows the replacements of the victims.
#[must_use]
pub fn run(cluster: Cluster, pods: &[PodIx], settings: Settings) -> Simulation {
    // Freeing a large cluster takes longer than a decision, and the process ends soon, so the memory is not freed.
    let mut run = ManuallyDrop::new(SimulationRun { cluster, settings, simulation: Simulation::default() });
    let queued: Vec<PodIx> = pods.iter().copied().filter(|pod| run.profile_of(*pod).is_some()).collect();
    let open = order_is_open(&queued, &run.cluster);
    let mut evicted = run.decide_all(pods, 0);
    open.into_iter().for_each(|note| notes::add(&mut run.simulation.notes, note));
    for depth in 1..=settings.depth {
        let waiting = run.replacements(&evicted);
        if waiting.is_empty() {
            break;
        }
        let followed = waiting.len().min(MOST_REPLACEMENTS.saturating_sub(run.simulation.cascade.len()));
        run.simulation.not_followed += waiting.len() - followed;
        evicted = run.decide_all(waiting.get(..followed).unwrap_or_default(), depth);
    }
    run.simulation.not_followed += evicted.iter().filter(|(_, afterwards)| is_replaced(afterwards)).count();
    std::mem::take(&mut run.simulation)
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
    // As in `run`, the memory of the cluster is not freed.
    let mut run = ManuallyDrop::new(SimulationRun { cluster, settings, simulation: Simulation::default() });
    for pod in queue_order(pods, &run.cluster) {
        let Some(profile) = run.profile_of(pod).or(profiles.first()) else { return };
        let view = ClusterView::new(&run.cluster, profile);
        let decision = decision::decide(&view, pod, now);
        each(&decision);
        let proposal = planning::propose(&decision, None, now);
        drop(decision);
        run.place(pod, &proposal);
    }
}

/// The order of the scheduling queue for pods that are all ready to be scheduled: highest priority first, then the
/// oldest.
///
/// Upstream: `pkg/scheduler/framework/plugins/queuesort/priority_sort.go` (1.37).
#[must_use]
pub fn queue_order(pods: &[PodIx], cluster: &Cluster) -> Vec<PodIx> {
    let mut pods = pods.to_vec();
    pods.sort_by_key(|ix| {
        let pod = cluster.pod(*ix);
        (Reverse(pod.priority), pod.created.unwrap_or(Timestamp::MAX))
    });
    pods
}

/// What to say about pods that kube-scheduler may try in any order: it sorts by priority and by the time at which a pod came to
/// its queue, and the API shows the creation alone, in seconds. Pods that can stand for each other need no order.
fn order_is_open(pods: &[PodIx], cluster: &Cluster) -> Option<Note> {
    let order = queue_order(pods, cluster);
    let tie = |a: &PodIx, b: &PodIx| {
        let (a, b) = (cluster.pod(*a), cluster.pod(*b));
        (a.priority, a.created) == (b.priority, b.created)
    };
    let differ = |group: &&[PodIx]| {
        group.iter().zip(group.iter().skip(1)).any(|(a, b)| !cluster.pod(*a).can_stand_for(cluster.pod(*b)))
    };
    let groups: Vec<&[PodIx]> = order.chunk_by(tie).filter(differ).collect();
    let first = groups.first()?;
    let count: usize = groups.iter().map(|group| group.len()).sum();
    let text = format!(
        "{count} pods have the priority and creation time of another: kube-scheduler may try these in another order than this one"
    );
    Some(first.iter().fold(Note::warning(&ORDER, text), |note, pod| note.about(cluster.pod_subject(*pod))))
}

/// Whether the owner replaces the pod.
fn is_replaced(afterwards: &Afterwards) -> bool {
    matches!(afterwards, Afterwards::Replaced | Afterwards::Pinned(_) | Afterwards::Retried)
}

struct SimulationRun<'s> {
    cluster: Cluster,
    settings: Settings<'s>,
    simulation: Simulation,
}

/// The victims, each with what its owner does afterwards.
type EvictedPods = Vec<(PodIx, Afterwards)>;

impl<'s> SimulationRun<'s> {
    /// Decides about the pods of one generation, then binds those that preempted to their nodes. Returns the evicted
    /// pods.
    fn decide_all(&mut self, pods: &[PodIx], depth: usize) -> EvictedPods {
        let mut plans: Vec<(PodIx, Plan)> = Vec::new();
        for pod in queue_order(pods, &self.cluster) {
            let step = self.decide(pod, depth);
            self.place(pod, &step.proposal);
            plans.extend(step.proposal.plan().map(|plan| (pod, plan.clone())));
            let list = if depth == 0 { &mut self.simulation.steps } else { &mut self.simulation.cascade };
            list.push(step);
        }
        plans.into_iter().flat_map(|(pod, plan)| self.complete(pod, &plan)).collect()
    }

    fn decide(&mut self, pod: PodIx, depth: usize) -> PodOutcome {
        let cluster = &self.cluster;
        let facts = cluster.pod(pod);
        let mut step = PodOutcome {
            pod: planning::id_of(facts, cluster),
            priority: facts.priority,
            depth,
            proposal: Proposal::Unknown(String::new()),
            scheduler_picks: Vec::new(),
            likelihood: None,
        };
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
        let view = ClusterView::new(cluster, profile);
        let decision = decision::decide(&view, pod, self.settings.now);
        let asked = self.settings.on.filter(|_| depth == 0).and_then(|name| cluster.find_node(name));
        step.proposal = planning::propose(&decision, asked, self.settings.now);
        if asked.is_none() {
            step.likelihood = decision.odds.as_ref().map(Sampling::likelihood);
        } else {
            step.scheduler_picks =
                decision.selected.iter().map(|node| cluster.text(cluster.node(*node).name).to_owned()).collect();
        }
        decision.notes.iter().for_each(|note| notes::add(&mut self.simulation.notes, note.clone()));
        step
    }

    /// The profile with the pod's `schedulerName`.
    fn profile_of(&self, pod: PodIx) -> Option<&'s Profile> {
        let scheduler = self.cluster.text(self.cluster.template(self.cluster.pod(pod)).scheduler_name);
        self.settings.profiles.iter().find(|profile| profile.scheduler_name == scheduler)
    }

    /// Binds a pod that fits to the first of its nodes, or nominates one that preempts.
    fn place(&mut self, pod: PodIx, proposal: &Proposal) {
        match proposal {
            Proposal::Fits(nodes) => {
                if let Some(node) = nodes.first().and_then(|name| self.cluster.find_node(name)) {
                    self.cluster.bind(pod, node);
                }
            }
            Proposal::Evict(plan) | Proposal::Awaits(plan) => self.nominate(pod, plan),
            Proposal::Impossible(_) | Proposal::Unknown(_) => {}
        }
    }

    /// Applies the immediate effects of preemption: the pod is nominated, its victims are being deleted, and pods of
    /// lower priority lose their nomination to the node.
    fn nominate(&mut self, pod: PodIx, plan: &Plan) {
        let Some(node) = self.cluster.find_node(&plan.node) else { return };
        let name = self.cluster.node(node).name;
        let priority = self.cluster.pod(pod).priority;
        let nominated_pods: Vec<PodIx> = self
            .cluster
            .pod_indices()
            .filter(|ix| {
                let other = self.cluster.pod(*ix);
                other.nominated_node == name && other.node_name.is_empty() && other.priority < priority
            })
            .collect();
        for rival in nominated_pods {
            self.cluster.nominate(rival, None);
        }
        self.cluster.nominate(pod, Some(node));
        let features = self.settings.profiles.first().map(|profile| &profile.features);
        let budgets = features.map(|features| planning::protecting(&self.cluster, features)).unwrap_or_default();
        for victim in plan.victims.iter().filter(|victim| victim.terminating_until.is_none()) {
            let Some(ix) = self.cluster.find_pod(&victim.pod.namespace, &victim.pod.name) else { continue };
            for budget in budgets.of(self.cluster.pod(ix), &self.cluster) {
                let left = self.cluster.budget(budget).allowed - 1;
                self.cluster.set_disruptions_allowed(budget, left.max(0));
            }
            let due = self.settings.now.checked_add(SignedDuration::from_secs(victim.grace_seconds));
            self.cluster.preempt(ix, due.unwrap_or(Timestamp::MAX));
        }
    }

    /// Completes preemption: the victims are removed, and the pod is bound to the nominated node.
    fn complete(&mut self, pod: PodIx, plan: &Plan) -> EvictedPods {
        let mut evicted = EvictedPods::new();
        for victim in &plan.victims {
            let Some(ix) = self.cluster.find_pod(&victim.pod.namespace, &victim.pod.name) else { continue };
            // Two pods may share a victim.
            if !self.cluster.pod(ix).is_active() {
                continue;
            }
            self.cluster.remove_pod(ix);
            let there = victim.terminating_until.is_some() && afterwards::is_replaced_early(&victim.owners);
            if !there {
                evicted.push((ix, victim.afterwards.clone()));
            }
        }
        if let Some(node) = self.cluster.find_node(&plan.node) {
            self.cluster.bind(pod, node);
        }
        evicted
    }

    /// Creates the replacements of `evicted` for owners that replace their pods.
    fn replacements(&mut self, evicted: &EvictedPods) -> Vec<PodIx> {
        let again: Vec<PodIx> =
            evicted.iter().filter(|(_, afterwards)| is_replaced(afterwards)).map(|(pod, _)| *pod).collect();
        for pod in &again {
            self.cluster.recreate(*pod, self.settings.now);
        }
        again
    }
}

/// Why no decision is possible about a pod that does not exist yet.
fn unknown_reason(pod: PodIx, cluster: &Cluster) -> Option<String> {
    let pod = cluster.pod(pod);
    if !pod.uid.is_empty() {
        return None;
    }
    let from_template = |claim: &PodClaim| matches!(claim.source, ClaimSource::Template);
    if pod.resource_claims.is_empty() && cluster.template(pod).claims.iter().any(from_template) {
        return Some(
            "its resource claims are created from a template first: which devices they get is not known".to_owned(),
        );
    }
    let is_unmade = |used: &used::PodClaim| used.ephemeral && (used.claim.is_none() || used.is_foreign(pod));
    if cluster.claims_of(pod).any(|used| is_unmade(&used)) {
        return Some("its ephemeral volumes are claimed first: where they can be provisioned is not known".to_owned());
    }
    let waits = |claim: &Claim| {
        let class = cluster.storage.class(claim.class);
        class.is_some_and(|class| class.mode == BindingMode::WaitForFirstConsumer)
    };
    let bound_first = |claim: &&Claim| claim.uid.is_empty() && claim.volume_name.is_empty() && !waits(claim);
    let claim = cluster.claims_of(pod).filter_map(|used| used.claim).find(bound_first)?;
    let name = cluster.text(claim.name);
    Some(format!("its new claim {name} is bound first, and where its volume can be used is not known"))
}

#[cfg(test)]
mod tests;

//! Which running pods can be preempted, by which pods, and what protects them.
//!
//! A pod is [`Exposure::Safe`] only if no preemptor of the declared kind can have it among its
//! victims. The kind is every pod of any priority class, or the pods that the question names; for
//! the latter, the decision on the current cluster shows on which nodes they preempt.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use model::cluster::eviction_guard::EvictionGuard;
use model::cluster::owner::Workload;
use model::cluster::priority_class::SYSTEM_CLASSES;
use model::cluster::{BudgetIx, Cluster, NodeIx, PodIx};
use model::notes::{self, MissingInput, Note, ObjectPart, Severity};
use model::snapshot::Kind;
use profile::Profile;
use scheduler::decision::unread::Question;
use scheduler::decision::{Decision, OutcomeKind, decide};
use scheduler::framework::cluster_view::ClusterView;
use scheduler::framework::cycle::NodeVerdict;
use scheduler::preemption::PreemptionReport;
use scheduler::preemption::budgets::BudgetIndex;
use simulation::plan::{PodId, PreemptorId};
use simulation::planning::Proposal;
use simulation::sequence::{self, SimulationSettings};

/// How exposed a running pod is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exposure {
    /// No preemptor of the declared kind can preempt it.
    Safe,
    /// It can be preempted, but no pending pod does so now.
    Exposed,
    /// A pending pod, or one that the question names, has it among its victims on a candidate node,
    /// and evicts it only if it comes first.
    Candidate,
    /// It is evicted if the pending or named pods are scheduled in queue order.
    Victim,
}

impl Exposure {
    /// All of them, the safest first.
    pub const ALL: [Self; 4] = [Self::Safe, Self::Exposed, Self::Candidate, Self::Victim];

    /// Its name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Safe => "Safe",
            Self::Exposed => "Exposed",
            Self::Candidate => "Candidate",
            Self::Victim => "Victim",
        }
    }
}

/// A preemptor of a running pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taker {
    /// The pod that preempts, as `ns/name`.
    pub pod: String,
    /// Whether the scheduler nominates it to this node. On other candidate nodes nothing is evicted
    /// now.
    pub chosen: bool,
}

/// The risk to a running pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PodRisk {
    pub pod: PodId,
    /// Its node.
    pub node: String,
    pub priority: i32,
    /// How exposed it is.
    pub exposure: Exposure,
    /// Which pending or named pods have it among their victims, each decided alone.
    pub takers: Vec<Taker>,
    /// The pod or group for which it is evicted if the pending or named pods are scheduled in queue
    /// order.
    pub evicted_by: Option<PreemptorId>,
    /// The annotations that seem to protect it; they do not stop kube-scheduler.
    pub guards: Vec<EvictionGuard>,
}

/// A budget that selects pods, and how many disruptions it allows.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct BudgetOfPods {
    pub namespace: String,
    pub name: String,
    pub allowed: i64,
}

/// The risk to the running pods of a workload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkloadRisk {
    pub workload: Workload,
    /// Its running pods that are in question.
    pub pods: Vec<PodRisk>,
    /// How many of its pods run, whether or not they are in question.
    pub running: usize,
    /// The lowest priority of the pods in question.
    pub priority: i32,
    /// Whose pods can preempt one of its pods, with their priority, the highest first. Empty if the
    /// question names the preemptors.
    pub preemptors: Vec<(i64, PreemptingPods)>,
    /// The node that all of its running pods are on, if there are several.
    pub all_on: Option<String>,
    /// Whether a single preemptor can evict all of its running pods: they are on one node, and none
    /// is safe.
    pub all_at_once: bool,
    /// The budgets that select one of its pods.
    pub budgets: Vec<BudgetOfPods>,
}

impl WorkloadRisk {
    /// How exposed its most exposed pod is.
    pub fn exposure(&self) -> Exposure {
        self.pods.iter().map(|pod| pod.exposure).max().unwrap_or(Exposure::Safe)
    }

    /// How many of its pods are so exposed.
    pub fn count(&self, exposure: Exposure) -> usize {
        self.pods.iter().filter(|pod| pod.exposure == exposure).count()
    }

    /// How many of its pods are evicted if the pending or named pods are scheduled.
    pub fn evicted(&self) -> usize {
        self.count(Exposure::Victim)
    }
}

/// The result for a named preemptor on a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OnNode {
    /// It fits without preemption.
    Fits,
    /// It preempts these pods, `ns/name` in the scheduler's order.
    Preempts(Vec<String>),
    /// Preemption does not help, or is not tried.
    Cannot,
}

/// The decision about a named preemptor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredPreemptor {
    /// `ns/name`.
    pub pod: String,
    pub priority: i32,
    pub outcome: OutcomeKind,
    /// The nodes that it may be placed on or nominated to.
    pub selected: Vec<String>,
    /// The result on each node, by name.
    pub nodes: Vec<(String, OnNode)>,
}

/// How many of the running pods in question are how exposed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExposureCounts {
    pub running: usize,
    pub evicted: usize,
    /// Victims only on candidate nodes that are not chosen.
    pub elsewhere: usize,
    pub exposed: usize,
    pub safe: usize,
}

/// Which running pods can be preempted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[must_use]
pub struct Risk {
    /// The most exposed first, then by name.
    pub workloads: Vec<WorkloadRisk>,
    /// The preemptors that the question names.
    pub declared: Vec<DeclaredPreemptor>,
    /// What makes the decisions uncertain.
    pub notes: Vec<Note>,
}

impl Risk {
    /// Whether something that affects the decisions is not modelled or could not be read.
    pub fn is_unsure(&self) -> bool {
        self.notes.iter().any(|note| note.severity == Severity::Error)
    }

    /// The pods of all workloads.
    pub fn pods(&self) -> impl Iterator<Item = &PodRisk> {
        self.workloads.iter().flat_map(|workload| &workload.pods)
    }

    /// How many pods are how exposed.
    pub fn counts(&self) -> ExposureCounts {
        let count = |exposure| self.pods().filter(|pod| pod.exposure == exposure).count();
        ExposureCounts {
            running: self.pods().count(),
            evicted: count(Exposure::Victim),
            elsewhere: count(Exposure::Candidate),
            exposed: count(Exposure::Exposed),
            safe: count(Exposure::Safe),
        }
    }
}

/// What the decisions about pending or named pods mean for running ones.
#[derive(Default)]
struct Threats {
    /// The preemptors of a pod, each with whether it is nominated to the pod's node.
    takers: BTreeMap<PodIx, BTreeSet<(PodIx, bool)>>,
    evicted_by: BTreeMap<PodIx, PreemptorId>,
    /// Pods that a named preemptor may preempt although it spares them now.
    in_reach: BTreeSet<PodIx>,
    notes: Vec<Note>,
}

/// The running pods among `asked`, with their risk. `declared` are the preemptors that the question
/// names; without any, it is about every priority class and the pending pods. `view_of` says which
/// of `views` decides a pod.
pub fn assess(
    views: &[ClusterView],
    view_of: &dyn Fn(PodIx) -> usize,
    asked: &[PodIx],
    declared: &[PodIx],
    now: Timestamp,
) -> Risk {
    let Some(first) = views.first() else { return Risk::default() };
    let cluster = first.cluster;

    // Who preempts now: the declared preemptors, or every pending pod.
    let any_declared = !declared.is_empty();
    let mut deciding: Vec<PodIx> = declared.to_vec();
    if !any_declared {
        deciding.extend(cluster.pod_indices().filter(|ix| {
            let pod = cluster.pod(*ix);
            pod.is_waiting() && !pod.is_terminating()
        }));
    }
    let (mut threats, mut named) = (Threats::default(), Vec::new());
    threats.evicted_by = evictions(views, &deciding, now);
    for pod in deciding {
        let Some(view) = views.get(view_of(pod)) else { continue };
        let decision = decide(view, pod, now);
        threats.add(&decision, any_declared);
        if any_declared {
            named.push(summary(&decision));
        }
    }

    // Who may preempt some day: pods of every priority class, unless preemptors are declared.
    let everything = if any_declared { None } else { Some(Preemptors::of(cluster)) };
    let budgets = BudgetIndex::new(cluster, &first.profile.features.preemption);
    let mut asked: BTreeSet<PodIx> = asked.iter().copied().collect();
    asked.retain(|ix| cluster.pod(*ix).is_running());
    let mut workloads: Vec<WorkloadRisk> = Vec::new();
    for (workload, pods) in running_pods(&asked, cluster) {
        let all = everything.as_ref();
        workloads.push(of_workload(workload, &pods, &asked, &threats, all, &budgets, cluster));
    }
    workloads
        .sort_by(|a, b| b.exposure().cmp(&a.exposure()).then_with(|| a.workload.cmp(&b.workload)));

    // An input that lacks what decides makes every row uncertain, and not only the decisions that
    // have said so.
    for note in cluster.notes.iter().filter(|note| note.lacks.iter().any(decides)) {
        let mut same =
            threats.notes.iter().filter(|one| (one.doc, &one.text) == (note.doc, &note.text));
        if !same.any(|one| one.severity == Severity::Error) {
            threats.notes.retain(|one| (one.doc, &one.text) != (note.doc, &note.text));
            notes::add(&mut threats.notes, note.clone().raised());
        }
    }
    let mut relies: Vec<Question> = Vec::new();
    if !workloads.is_empty() {
        relies.push(Question::Risk);
        relies.extend((!any_declared).then_some(Question::RiskByClass));
    }
    for note in relies.into_iter().flat_map(|question| question.notes(cluster)) {
        notes::add(&mut threats.notes, note);
    }
    notes::sort(&mut threats.notes);
    Risk { workloads, declared: named, notes: threats.notes }
}

/// Whether this affects which pods run, and which can be preempted.
fn decides(lack: &MissingInput) -> bool {
    lack.is_of_lists() || lack.kind == Some(Kind::Pod) && lack.part == ObjectPart::OfVictims
}

/// The running pods of the workloads that the pods `asked` belong to. A question may name only some
/// pods of a workload; whether a single preemptor can evict all of them depends on the others, too.
fn running_pods(asked: &BTreeSet<PodIx>, cluster: &Cluster) -> BTreeMap<Workload, Vec<PodIx>> {
    let mut of_workload: BTreeMap<Workload, Vec<PodIx>> =
        asked.iter().map(|ix| (cluster.workload(cluster.pod(*ix)), Vec::new())).collect();
    for ix in cluster.pod_indices().filter(|ix| cluster.pod(*ix).is_running()) {
        if let Some(pods) = of_workload.get_mut(&cluster.workload(cluster.pod(ix))) {
            pods.push(ix);
        }
    }
    of_workload
}

/// Which pods are evicted, and for what, if those of `deciding` are scheduled in queue order.
/// Decided alone, alike pods would all choose the same node.
fn evictions(
    views: &[ClusterView],
    deciding: &[PodIx],
    now: Timestamp,
) -> BTreeMap<PodIx, PreemptorId> {
    let mut evicted_by = BTreeMap::new();
    let Some(first) = views.first().filter(|_| !deciding.is_empty()) else { return evicted_by };
    let profiles: Vec<Profile> = views.iter().map(|view| view.profile.clone()).collect();
    let settings = SimulationSettings::new(&profiles, now);
    let simulated = sequence::run(first.cluster.clone(), deciding, settings);
    for step in &simulated.steps {
        let Proposal::Evict(plan) = &step.proposal else { continue };
        for victim in plan.victims.iter().filter(|victim| victim.terminating_until.is_none()) {
            if let Some(pod) = first.cluster.find_pod(&victim.pod.namespace, &victim.pod.name) {
                evicted_by.entry(pod).or_insert_with(|| step.id.clone());
            }
        }
    }
    evicted_by
}

fn of_workload(
    workload: Workload,
    running: &[PodIx],
    asked: &BTreeSet<PodIx>,
    threats: &Threats,
    everything: Option<&Preemptors>,
    budgets: &BudgetIndex,
    cluster: &Cluster,
) -> WorkloadRisk {
    // One preemption evicts from one node: a workload is lost at once only if all of it is there.
    let nodes: BTreeSet<&str> =
        running.iter().map(|pod| cluster.text(cluster.pod(*pod).node_name)).collect();
    let only = nodes.first().filter(|_| nodes.len() == 1 && running.len() > 1);
    let all_on = only.and_then(|node| cluster.find_node(node));
    let all_at_once = all_on.is_some()
        && running.iter().all(|pod| threats.exposure(*pod, everything, cluster) != Exposure::Safe);

    // Whoever preempts its least important pod is a threat to the workload.
    let asked: Vec<PodIx> = running.iter().copied().filter(|pod| asked.contains(pod)).collect();
    let pods = asked.iter().map(|pod| threats.of(*pod, everything, cluster)).collect();
    let priority = asked.iter().map(|pod| cluster.pod(*pod).priority).min().unwrap_or_default();
    let above = everything.iter().flat_map(|preemptors| preemptors.above(priority));
    let preemptors = above.map(|(value, preemptor)| (value, preemptor.clone())).collect();
    let selecting: BTreeSet<BudgetIx> =
        asked.iter().flat_map(|pod| budgets.of(cluster.pod(*pod), cluster)).collect();
    let mut selecting_budgets = Vec::new();
    for ix in selecting {
        let budget = cluster.budget(ix);
        selecting_budgets.push(BudgetOfPods {
            namespace: cluster.text(budget.namespace).to_owned(),
            name: budget.name.to_string(),
            allowed: budget.allowed,
        });
    }
    WorkloadRisk {
        workload,
        running: running.len(),
        pods,
        priority,
        preemptors,
        all_on: all_on.map(|node| cluster.node_name(node).to_owned()),
        all_at_once,
        budgets: selecting_budgets,
    }
}

impl Threats {
    /// How exposed a running pod is.
    fn exposure(&self, pod: PodIx, everything: Option<&Preemptors>, cluster: &Cluster) -> Exposure {
        let in_reach = match everything {
            Some(preemptors) => preemptors.threaten(cluster.pod(pod).priority),
            None => self.in_reach.contains(&pod),
        };
        if self.evicted_by.contains_key(&pod) {
            Exposure::Victim
        } else if self.takers.contains_key(&pod) {
            Exposure::Candidate
        } else if in_reach {
            Exposure::Exposed
        } else {
            Exposure::Safe
        }
    }

    /// The risk to a running pod.
    fn of(&self, ix: PodIx, everything: Option<&Preemptors>, cluster: &Cluster) -> PodRisk {
        let pod = cluster.pod(ix);
        let mut takers = Vec::new();
        for (by, chosen) in self.takers.get(&ix).into_iter().flatten().copied() {
            takers.push(Taker { pod: cluster.pod_name(by), chosen });
        }
        PodRisk {
            pod: PodId::of(pod, cluster),
            node: cluster.text(pod.node_name).to_owned(),
            priority: pod.priority,
            exposure: self.exposure(ix, everything, cluster),
            takers,
            evicted_by: self.evicted_by.get(&ix).cloned(),
            guards: cluster.eviction_guards(pod),
        }
    }

    /// Adds the victims of a decision. For a preemptor that the question `names`, they may also be
    /// the other pods of lower priority on a candidate node, once the pods there change; if the
    /// decision is uncertain, on any node.
    fn add(&mut self, decision: &Decision, names: bool) {
        let cluster = decision.view.cluster;
        decision.notes.iter().for_each(|note| notes::add(&mut self.notes, note.clone()));
        let Some(report) = decision.preemption() else { return };
        for (node, victims) in all_victims(report) {
            let taker = (decision.pod, decision.selected().contains(&node));
            victims.into_iter().for_each(|pod| {
                self.takers.entry(pod).or_default().insert(taker);
            });
        }
        let priority = cluster.pod(decision.pod).priority;
        for node in cluster.node_indices().filter(|_| names && report.tried()) {
            if decision.is_unsure() || report.candidate(node).is_some() {
                self.in_reach.extend(
                    cluster
                        .pods_on(node)
                        .iter()
                        .copied()
                        .filter(|pod| cluster.pod(*pod).priority < priority),
                );
            }
        }
    }
}

/// The victims on each candidate node, over every order that the API leaves open.
fn all_victims(report: &PreemptionReport) -> BTreeMap<NodeIx, BTreeSet<PodIx>> {
    let mut victims_by_node: BTreeMap<NodeIx, BTreeSet<PodIx>> = BTreeMap::new();
    for candidate in report.candidates() {
        victims_by_node
            .entry(candidate.node)
            .or_default()
            .extend(candidate.victims.iter().map(|victim| victim.pod));
    }
    for (node, orders) in &report.budget_orders.victims {
        victims_by_node.entry(*node).or_default().extend(orders.iter().flatten().copied());
    }
    for (node, choices) in &report.victim_choices {
        victims_by_node
            .entry(*node)
            .or_default()
            .extend(choices.always().into_iter().chain(choices.open()));
    }
    victims_by_node
}

fn summary(decision: &Decision) -> DeclaredPreemptor {
    let cluster = decision.view.cluster;
    DeclaredPreemptor {
        pod: cluster.pod_name(decision.pod),
        priority: cluster.pod(decision.pod).priority,
        outcome: decision.kind(),
        selected: decision
            .selected()
            .iter()
            .map(|node| cluster.node_name(*node).to_owned())
            .collect(),
        nodes: cluster
            .node_indices()
            .zip(decision.nodes())
            .map(|(node, verdict)| {
                let candidate = decision.candidate(node);
                // A node that takes the pod as it is loses nobody, even if it is a candidate.
                let on_node = match (verdict, candidate) {
                    (NodeVerdict::Feasible, _) => OnNode::Fits,
                    (_, Some(candidate)) => OnNode::Preempts(
                        candidate
                            .victims
                            .iter()
                            .map(|victim| cluster.pod_name(victim.pod))
                            .collect(),
                    ),
                    (_, None) => OnNode::Cannot,
                };
                (cluster.node_name(node).to_owned(), on_node)
            })
            .collect(),
    }
}

/// Whose pods preempt: those of a priority class, or existing ones.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum PreemptingPods {
    /// Pods of this priority class.
    Class(String),
    /// Existing pods with a priority that no class has; their number.
    Pods(usize),
}

/// Everything that preempts in a cluster, by priority.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Preemptors {
    by_priority: BTreeMap<i64, Vec<PreemptingPods>>,
}

impl Preemptors {
    /// The classes whose pods preempt, and the priorities of pods without one.
    pub fn of(cluster: &Cluster) -> Self {
        let mut by_priority: BTreeMap<i64, Vec<PreemptingPods>> = BTreeMap::new();
        for class in cluster.priority_classes.iter().filter(|class| !class.never_preempts) {
            let name = cluster.text(class.name).to_owned();
            by_priority.entry(class.value).or_default().push(PreemptingPods::Class(name));
        }
        for (name, value) in SYSTEM_CLASSES {
            // Every API server has them, whether or not they were read.
            let preemptors = by_priority.entry(value).or_default();
            if !preemptors.contains(&PreemptingPods::Class(name.to_owned())) {
                preemptors.push(PreemptingPods::Class(name.to_owned()));
            }
        }
        let mut without_class: BTreeMap<i64, usize> = BTreeMap::new();
        for pod in cluster
            .pods
            .iter()
            .filter(|pod| pod.is_active() && !cluster.template(pod).never_preempts)
        {
            *without_class.entry(i64::from(pod.priority)).or_default() += 1;
        }
        for (priority, pods) in without_class {
            by_priority.entry(priority).or_insert_with(|| vec![PreemptingPods::Pods(pods)]);
        }
        Self { by_priority }
    }

    /// The same without the two system classes, whose pods an administrator creates.
    pub fn of_users(cluster: &Cluster) -> Self {
        let mut all = Self::of(cluster);
        all.by_priority.retain(|priority, _| *priority < SYSTEM_CLASSES[0].1);
        all
    }

    /// What preempts pods of `priority`, with its own priority, the highest first.
    pub fn above(&self, priority: i32) -> impl Iterator<Item = (i64, &PreemptingPods)> {
        let higher = self.by_priority.range(i64::from(priority) + 1..).rev();
        higher.flat_map(|(value, preemptors)| {
            preemptors.iter().map(move |preemptor| (*value, preemptor))
        })
    }

    /// Whether something preempts pods of `priority`.
    pub fn threaten(&self, priority: i32) -> bool {
        self.above(priority).next().is_some()
    }
}

#[cfg(test)]
mod tests;

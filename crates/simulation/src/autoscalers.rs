//! Who acts after kube-scheduler: which autoscalers a cluster has, which pods each looks at, what it
//! has answered, and what each of its groups or pools can do for a pod.
//!
//! kube-scheduler is always first: autoscalers start from pods that it has marked unschedulable, and
//! they pass over pods that it has nominated. What they will do is said only as far as the cluster
//! shows it: labels, taints, limits and sizes so far; which instance types a cloud has left, it does
//! not show. That no Event is there is never taken for an answer.

mod cluster_autoscaler;
mod contradictions;
mod events;
mod in_flight;
mod karpenter;
mod membership;
mod outlook;
mod remedies;
mod requirements;
mod status;
mod trial;
mod verdict;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;

use self::cluster_autoscaler::{AutoscalerSettings, GroupState};
use self::karpenter::{ClaimProgress, Judged, PreparedPool};
pub use self::outlook::{
    ArrivedNode, AutoscalerAnswer, AutoscalerKind, AutoscalerRefusal, AutoscalingOutlook,
    AutoscalingVerdict, Can, ComingNode, Conclusion, Contradiction, Exclusion, ExclusionCause,
    FoundAutoscaler, Growth, GrowthObstacle, NextActor, NextStep, PoolAnswer, PoolRemedy,
    RequestState, Says, Stalled, known_name,
};
use self::status::AutoscalerStatus;
pub use self::trial::NodeSeeker;
use self::trial::{Company, NodeTrialResult, NodeTrials};
use model::cluster::autoscaling::karpenter::{NodeClaim, NodePool, POOL_LABEL};
use model::cluster::event::Event;
use model::cluster::pod::Readiness;
use model::cluster::symbols::PoolIx;
use model::cluster::{Cluster, Node, NodeIx, Pod, PodIx, Quantity, Sym};
use model::edits::PlannedNode;
use model::snapshot::{Kind, autoscaler};
use scheduler::decision::group::GroupVerdict;
use scheduler::decision::nominated::NominationState;
use scheduler::decision::{Decision, Outcome, OutcomeKind, QueueGate};
use scheduler::groups::answer::GroupAnswer;

/// The most answers of a pod that are kept, the newest.
const MOST_ANSWERS: usize = 10;
/// The most nodes of a pool that a new one is tried to be like: nodes of one shape count once.
const MOST_SHAPES: usize = 3;
/// The most nodes of a group that a new one is tried to be like.
const MOST_MODELS: usize = 3;
/// For how many seconds a refusal of cluster-autoscaler counts while it writes its status.
const REFUSAL_COUNTS: i64 = 10 * 60;
/// For how many seconds a pool whose last claim got no instance is in doubt.
const FAILURE_COUNTS: i64 = 5 * 60;
/// Where autoscalers run.
const PROGRAM_NAMESPACES: [&str; 2] = ["kube-system", "karpenter"];
/// The most pods of a group that are looked at: most have the same template.
const MOST_MEMBERS: usize = 200;

/// The autoscalers of a cluster, prepared for asking about its pods.
pub struct Autoscalers<'c> {
    cluster: &'c Cluster,
    now: Timestamp,
    found: Vec<FoundAutoscaler>,
    settings: AutoscalerSettings,
    groups: Vec<GroupState>,
    /// Whether the groups are all that cluster-autoscaler can scale.
    knows_all_groups: bool,
    pools: Vec<PreparedPool<'c>>,
    /// What the pools can do for pods of a template, which pods of one workload share.
    judged: Mutex<BTreeMap<PoolIx, Arc<[Judged]>>>,
    /// What is known of pods that are alike, by their template.
    known: Mutex<BTreeMap<PoolIx, Vec<KnownAnswers>>>,
    /// Whether coming nodes take pods, by the pods' template and the name of the claim or group.
    room: Mutex<BTreeMap<(PoolIx, String), Vec<KnownRoom>>>,
    /// A node that takes pods of another scheduler, by their template.
    fits_on: Mutex<BTreeMap<PoolIx, Option<String>>>,
    /// Pods on nodes that cluster-autoscaler does not count.
    expendable: Vec<PodIx>,
    /// Pods that kube-scheduler has marked and that no node is nominated for.
    waiting: Vec<PodIx>,
    /// Pods on nodes that Karpenter deletes.
    displaced: Vec<PodIx>,
    /// Events of autoscalers about pods, by the pod's UID.
    events: BTreeMap<&'c str, Vec<&'c Event>>,
    /// The waiting pods for which a claim or group gets nodes, by its name.
    expected_by: BTreeMap<String, Vec<PodIx>>,
    /// The newest Events that say that the cloud gave no instance, by the name of the claim.
    failed_claims: BTreeMap<&'c str, &'c Event>,
    unread: Vec<String>,
    buffers: Vec<String>,
}

/// How much is said about a pod. The verdict is the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Also what would let a node come, which has to be tried.
    Remedies,
    /// Who acts, for a list of many pods.
    Verdict,
}

/// What groups and pools can do for pods that the scheduler treats alike.
struct KnownAnswers {
    /// One of these pods.
    like: PodIx,
    pools: Vec<PoolAnswer>,
    /// How many trials are left then.
    left: usize,
}

/// Whether a coming node takes pods that the scheduler treats alike.
struct KnownRoom {
    /// One of these pods.
    like: PodIx,
    result: Option<NodeTrialResult>,
}

impl fmt::Debug for Autoscalers<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Autoscalers").field("found", &self.found).finish_non_exhaustive()
    }
}

impl<'c> Autoscalers<'c> {
    /// What a cluster shows of its autoscalers at the time `now`; `None` if it shows none, which
    /// does not mean that it has none.
    pub fn find(cluster: &'c Cluster, now: Timestamp) -> Option<Self> {
        let facts = &cluster.autoscaling;
        let settings = AutoscalerSettings::of(cluster);
        let shown = cluster.header.autoscaler.as_ref();
        let status = shown.and_then(|shown| shown.status.as_deref()).map(AutoscalerStatus::read);
        let groups = cluster_autoscaler::groups(status.as_ref(), &settings, cluster);
        let pools = PreparedPool::all(cluster, |pool| kind_of(pool, cluster));
        let autoscalers = found(&pools, status.as_ref(), &settings, &groups, cluster, now);
        if autoscalers.is_empty() {
            return None;
        }
        let mut events: BTreeMap<&str, Vec<&Event>> = BTreeMap::new();
        let mut failed_claims = BTreeMap::new();
        for event in &facts.events {
            match cluster.text(event.object.kind) {
                "Pod" => events.entry(&event.object.uid).or_default().push(event),
                "NodeClaim" if events::is_failure(cluster.text(event.reason)) => {
                    failed_claims.insert(&*event.object.name, event);
                }
                _ => {}
            }
        }
        let expendable = cluster.pod_indices().filter(|ix| {
            let pod = cluster.pod(*ix);
            pod.is_running() && settings.is_expendable(pod, cluster)
        });
        let expendable = expendable.collect();
        let kinds = [Kind::NodePool, Kind::NodeClaim, Kind::Event];
        let refused = cluster
            .header
            .unreadable
            .iter()
            .filter(|missing| missing.kind().is_some_and(|kind| kinds.contains(&kind)));
        let buffers =
            facts.buffers.iter().map(|buffer| cluster.full_name(buffer.namespace, buffer.name));
        Some(Self {
            now,
            knows_all_groups: matches!(status, Some(AutoscalerStatus::Read(_)))
                && !cluster_autoscaler::may_create_groups(cluster),
            cluster,
            found: autoscalers,
            settings,
            groups,
            pools,
            judged: Mutex::default(),
            known: Mutex::default(),
            room: Mutex::default(),
            fits_on: Mutex::default(),
            expendable,
            waiting: waiting(cluster),
            displaced: karpenter::displaced(cluster),
            expected_by: in_flight::expected_by(&events, cluster, now),
            events,
            failed_claims,
            unread: refused
                .map(|missing| missing.resource.clone())
                .chain(shown.and_then(|shown| shown.unreadable.as_ref()).map(|_| {
                    format!("ConfigMap {}/{}", autoscaler::STATUS.0, autoscaler::STATUS.1)
                }))
                .collect(),
            buffers: buffers.collect(),
        })
    }

    /// What they do about the pod of a decision; `None` for a pod that needs no node, because it has
    /// one, gets one, or has ended.
    pub fn about(&self, decision: &Decision, detail: Detail) -> Option<AutoscalingOutlook> {
        let needs_none = match &decision.outcome {
            Outcome::NotInQueue(gate) => {
                matches!(gate, QueueGate::Finished(_) | QueueGate::Assigned)
            }
            outcome => outcome.kind() == OutcomeKind::Schedulable,
        };
        if needs_none {
            return None;
        }
        let mut outlook = self.about_waiting(decision.pod, Some(decision));
        outlook.overlays = self.overlays(decision);
        let mut trials = NodeTrials::new(NodeSeeker::of(decision));
        self.settle(&mut outlook, decision.pod, &mut trials);
        if matches!(decision.outcome, Outcome::NotInQueue(QueueGate::OtherScheduler)) {
            self.look_at_existing(&mut outlook, decision.pod, &trials);
        }
        if decision.kind() != OutcomeKind::Preempt {
            self.look_past_expendable(&mut outlook, &mut trials);
        }
        if detail == Detail::Remedies && outlook.coming.is_none() {
            outlook.remedies = remedies::of(&outlook, self, decision.pod, &mut trials);
        }
        Some(outlook)
    }

    /// For the pod of another scheduler: an autoscaler adds no node if the pod fits on one that is
    /// there by the filters of kube-scheduler. Whether it gets that one, its own scheduler decides.
    fn look_at_existing(&self, outlook: &mut AutoscalingOutlook, pod: PodIx, trials: &NodeTrials) {
        if !outlook.is_concluded() {
            return;
        }
        let template = self.cluster.pod(pod).template;
        let known = || self.fits_on.lock().unwrap_or_else(PoisonError::into_inner);
        let seen = known().get(&template).cloned();
        let node = seen.unwrap_or_else(|| {
            let node = trials.existing();
            known().insert(template, node.clone());
            node
        });
        if node.is_some() {
            outlook.fits_on = node;
            outlook.coming = None;
            outlook.verdict = AutoscalingVerdict::Unknown;
            return;
        }
        // Whether that scheduler ever marks the pod is not known.
        if outlook.verdict == AutoscalingVerdict::WouldCome
            && outlook.excluded.iter().any(|one| one.cause == ExclusionCause::NotMarked)
        {
            outlook.verdict = AutoscalingVerdict::MayCome;
        }
    }

    /// cluster-autoscaler does not count pods below its cutoff: a pod that fits once they are gone
    /// is left to kube-scheduler, also where that does not preempt for it.
    fn look_past_expendable(&self, outlook: &mut AutoscalingOutlook, trials: &mut NodeTrials) {
        let by = AutoscalerKind::ClusterAutoscaler;
        let is_alone = outlook.found.iter().all(|found| found.kind == by);
        let may_act = is_alone && outlook.may_act(by) && outlook.is_concluded();
        if !may_act || self.expendable.is_empty() {
            return;
        }
        let room = self.tried_once("", trials, |trials| Some(trials.without(&self.expendable)));
        let Some(NodeTrialResult::Takes(name)) = room else { return };
        let node = self.cluster.find_node(&name).map(|node| trials.as_it_is(node));
        if let Some(NodeTrialResult::Rejects { node, reasons }) = node {
            // Other waiting pods may take that room first. Then a group that can gets a node.
            let own = trials.seeker.map(|seeker| seeker.pod);
            let mut pods = self.cluster.pod_indices();
            if pods.any(|ix| own != Some(ix) && self.cluster.pod(ix).is_waiting()) {
                if outlook.verdict != AutoscalingVerdict::Cannot {
                    outlook.coming = None;
                    outlook.verdict = AutoscalingVerdict::MayCome;
                }
                return;
            }
            outlook.arrived = Some(ArrivedNode { by, node, reasons, is_new: false });
            outlook.coming = None;
            outlook.verdict = AutoscalingVerdict::CountsOnNode;
        }
    }

    /// Whether a coming node takes the pod, tried once for pods that are alike.
    fn tried_once(
        &self,
        name: &str,
        trials: &mut NodeTrials,
        attempt: impl FnOnce(&mut NodeTrials) -> Option<NodeTrialResult>,
    ) -> Option<NodeTrialResult> {
        let seeker = trials.seeker?;
        if !std::ptr::eq(seeker.view.cluster, self.cluster) {
            return attempt(trials);
        }
        let facts = self.cluster.pod(seeker.pod);
        let key = (facts.template, name.to_owned());
        let known = || self.room.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(room) = known().get(&key).and_then(|kinds| {
            kinds.iter().find(|kind| self.cluster.pod(kind.like).is_scheduled_like(facts))
        }) {
            return room.result.clone();
        }
        let result = attempt(trials);
        let room = KnownRoom { like: seeker.pod, result: result.clone() };
        known().entry(key).or_default().push(room);
        result
    }

    /// What they do about the pods of a group, which kube-scheduler places together or not at all;
    /// `None` if it needs no node. No new node is tried.
    pub fn about_group(&self, answer: &GroupAnswer) -> Option<NextStep> {
        match answer.summary().verdict {
            GroupVerdict::Fits
            | GroupVerdict::Preempts
            | GroupVerdict::Awaits
            | GroupVerdict::NothingWaits => None,
            GroupVerdict::Cannot(_) | GroupVerdict::Error(_) | GroupVerdict::NoPriority(..) => {
                let waiting = answer.members().waiting.iter().take(MOST_MEMBERS);
                NextStep::of_all(waiting.map(|pod| {
                    let mut outlook = self.about_waiting(*pod, None);
                    self.settle(&mut outlook, *pod, &mut NodeTrials::none());
                    outlook.next_step()
                }))
            }
            // kube-scheduler does not try its pods, so it does not mark them.
            GroupVerdict::Missing { .. }
            | GroupVerdict::TooFewPods
            | GroupVerdict::Held(..)
            | GroupVerdict::NoParent(_)
            | GroupVerdict::TreeTooSmall(_)
            | GroupVerdict::Deleting => Some(NextStep::NOT_LOOKING),
        }
    }

    /// What is known of a waiting pod before groups and pools are judged.
    fn about_waiting(&self, ix: PodIx, decision: Option<&Decision>) -> AutoscalingOutlook {
        let pod = self.cluster.pod(ix);
        let condition = pod.scheduled_condition.as_deref();
        let marked = condition.filter(|condition| &*condition.reason == "Unschedulable");
        let marked_at = marked.and_then(|condition| condition.since);
        let mut outlook = self.about_none();
        outlook.excluded = self.exclusions(decision, pod, marked.is_some());
        outlook.answers = self.answers(pod, marked_at);
        outlook.marked_for = marked_at.map(|since| self.now.as_second() - since.as_second());
        outlook
    }

    /// What can be said without a pod.
    fn about_none(&self) -> AutoscalingOutlook {
        AutoscalingOutlook {
            found: self.found.clone(),
            verdict: AutoscalingVerdict::Unknown,
            excluded: Vec::new(),
            answers: Vec::new(),
            pools: Vec::new(),
            coming: None,
            failure: None,
            arrived: None,
            fits_on: None,
            contradictions: Vec::new(),
            remedies: Vec::new(),
            marked_for: None,
            unread: self.unread.clone(),
            buffers: self.buffers.clone(),
            overlays: Vec::new(),
        }
    }

    /// What they do about a pod that kube-scheduler finds no node for.
    pub fn about_blocked(&self, seeker: NodeSeeker) -> AutoscalingOutlook {
        let mut outlook = self.about_waiting(seeker.pod, None);
        self.settle(&mut outlook, seeker.pod, &mut NodeTrials::new(seeker));
        outlook
    }

    /// What they do about a new pod of the same spec, once kube-scheduler finds no node for it.
    pub fn about_new(&self, seeker: NodeSeeker) -> AutoscalingOutlook {
        let facts = self.cluster.pod(seeker.pod);
        let mut outlook = self.about_none();
        for autoscaler in &self.found {
            let cause = self.own_exclusion(autoscaler.kind, facts);
            let excluded = cause.map(|cause| Exclusion { by: autoscaler.kind, cause });
            outlook.excluded.extend(excluded);
        }
        self.settle(&mut outlook, seeker.pod, &mut NodeTrials::new(seeker));
        outlook
    }

    /// The overlays that give nodes a resource which the pod requests.
    fn overlays(&self, decision: &Decision) -> Vec<String> {
        let requested = decision.view.requested_by(decision.pod);
        let overlays = self.cluster.autoscaling.overlays.iter().filter(|overlay| {
            overlay.capacity.iter().any(|(name, _)| requested.scalar(*name).unwrap_or(0) > 0)
        });
        overlays.map(|overlay| self.cluster.text(overlay.name).to_owned()).collect()
    }

    /// Judges groups and pools, and comes to a verdict.
    fn settle(&self, outlook: &mut AutoscalingOutlook, pod: PodIx, trials: &mut NodeTrials) {
        // An autoscaler that has answered acts for the pod, regardless of flags and defaults.
        contradictions::of_exclusions(outlook, self);
        // Groups and pools matter only where some autoscaler may look at the pod.
        if outlook.excluded.iter().filter(|one| !one.cause.passes()).count() >= outlook.found.len()
        {
            outlook.verdict = AutoscalingVerdict::NotLooking;
            return;
        }
        outlook.pools = self.pool_answers(pod, trials);
        verdict::settle(outlook, self, trials);
        contradictions::of_pools(outlook, self);
    }

    /// Why each autoscaler that does not look at the pod does not.
    fn exclusions(
        &self,
        decision: Option<&Decision>,
        pod: &Pod,
        is_marked: bool,
    ) -> Vec<Exclusion> {
        let mut excluded = Vec::new();
        for autoscaler in &self.found {
            let by = autoscaler.kind;
            if let Some(cause) = self.exclusion(by, decision, pod, is_marked) {
                excluded.push(Exclusion { by, cause });
            }
        }
        excluded
    }

    /// Why an autoscaler passes over pods of this spec.
    fn own_exclusion(&self, by: AutoscalerKind, pod: &Pod) -> Option<ExclusionCause> {
        match by {
            AutoscalerKind::ClusterAutoscaler => {
                self.settings.exclusion(pod, self.cluster, self.now)
            }
            // Their rules are not known here.
            AutoscalerKind::CastAi | AutoscalerKind::SpotOcean => None,
            _ => karpenter::exclusion(pod, self.cluster),
        }
    }

    fn exclusion(
        &self,
        by: AutoscalerKind,
        decision: Option<&Decision>,
        pod: &Pod,
        is_marked: bool,
    ) -> Option<ExclusionCause> {
        if pod.is_terminating() {
            return Some(ExclusionCause::Deleting);
        }
        if decision.is_some_and(|decision| decision.kind() == OutcomeKind::Preempt) {
            return Some(ExclusionCause::Nominated);
        }
        if !self.cluster.template(pod).gates.is_empty() {
            return Some(ExclusionCause::Gated);
        }
        let is_ca = by == AutoscalerKind::ClusterAutoscaler;
        if !pod.nominated_node.is_empty() {
            let node = self.cluster.text(pod.nominated_node).to_owned();
            let is_gone = self.cluster.find_node(&node).is_none();
            let nomination = decision.and_then(Decision::nomination);
            match nomination.map(|nomination| nomination.state) {
                // Up to 1.35 cluster-autoscaler checks whether the node exists.
                _ if is_gone && is_ca && !self.settings.keeps_any_nomination() => {}
                Some(
                    NominationState::Waits | NominationState::Stuck(_) | NominationState::Used,
                ) => return Some(ExclusionCause::Nominated),
                // What that of a group is worth depends on its other pods.
                _ if decision.is_none() => return Some(ExclusionCause::Nominated),
                _ => return Some(ExclusionCause::StuckNomination(node)),
            }
        }
        let own = self.own_exclusion(by, pod);
        let needs_mark = !(is_ca && self.settings.needs_no_mark(pod, self.cluster));
        own.or_else(|| (needs_mark && !is_marked).then_some(ExclusionCause::NotMarked))
    }

    /// Their answers about a pod, newest first.
    fn answers(&self, pod: &Pod, marked: Option<Timestamp>) -> Vec<AutoscalerAnswer> {
        let events = if pod.uid.is_empty() { None } else { self.events.get(&*pod.uid) };
        let newest_first = events.into_iter().flatten().rev();
        let answers =
            newest_first.filter_map(|event| events::answer(event, self.cluster, self.now, marked));
        let mut answers: Vec<AutoscalerAnswer> = answers.take(MOST_ANSWERS).collect();
        for answer in &mut answers {
            answer.is_stale |= self.is_outdated(answer);
        }
        answers
    }

    /// Whether a refusal is older than the status of cluster-autoscaler and rests on a state in
    /// which its groups are no longer.
    fn is_outdated(&self, answer: &AutoscalerAnswer) -> bool {
        let Says::Refuses(causes) = &answer.says else { return false };
        let status_age = self.found.iter().find_map(|found| {
            found.status_age.filter(|_| found.kind == AutoscalerKind::ClusterAutoscaler)
        });
        let (Some(status_age), Some(age)) = (status_age, answer.age) else { return false };
        if answer.by != AutoscalerKind::ClusterAutoscaler || age <= status_age {
            return false;
        }
        // While it runs, it repeats a refusal after five minutes at the latest.
        if age > REFUSAL_COUNTS && status_age <= self.settings.silence() {
            return true;
        }
        let groups_with = |is_so: fn(&GrowthObstacle) -> bool| {
            self.groups.iter().filter(|group| group.state.iter().any(is_so)).count() as u64
        };
        causes.iter().any(|cause| {
            let now = match cause.cause.as_str() {
                "max node group size reached" => {
                    groups_with(|state| matches!(state, GrowthObstacle::Full { .. }))
                }
                "in backoff after failed scale-up" => {
                    groups_with(|state| matches!(state, GrowthObstacle::Backoff { .. }))
                }
                "not ready for scale-up" => {
                    groups_with(|state| matches!(state, GrowthObstacle::Unhealthy))
                }
                _ => return false,
            };
            cause.groups.is_some_and(|then| now < then)
        })
    }

    /// What each group and pool can do, in the order in which they are tried. Pods that are alike
    /// are tried once.
    fn pool_answers(&self, pod: PodIx, trials: &mut NodeTrials) -> Vec<PoolAnswer> {
        // Trials in another cluster than this, such as one that earlier pods have changed, may end
        // otherwise.
        let is_here =
            trials.seeker.is_some_and(|seeker| std::ptr::eq(seeker.view.cluster, self.cluster));
        if !is_here {
            return self.judged_and_tried(pod, trials);
        }
        let facts = self.cluster.pod(pod);
        if let Some(answered) = self.known_answers().get(&facts.template).and_then(|kinds| {
            kinds.iter().find(|kind| self.cluster.pod(kind.like).is_scheduled_like(facts))
        }) {
            trials.left = answered.left;
            return answered.pools.clone();
        }
        let pools = self.judged_and_tried(pod, trials);
        let answers = KnownAnswers { like: pod, pools: pools.clone(), left: trials.left };
        self.known_answers().entry(facts.template).or_default().push(answers);
        pools
    }

    fn known_answers(&self) -> MutexGuard<'_, BTreeMap<PoolIx, Vec<KnownAnswers>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn judged_and_tried(&self, pod: PodIx, trials: &mut NodeTrials) -> Vec<PoolAnswer> {
        let mut answers = Vec::new();
        let pod = self.cluster.pod(pod);
        let fault = karpenter::faulty_volume(pod, self.cluster).filter(|fault| fault.is_for_all);
        for group in &self.groups {
            let mut answer = self.of_group(group, pod, trials);
            if let Some(fault) = &fault {
                answer.can = Can::No;
                answer.precedent = None;
                answer.causes = vec![GrowthObstacle::Volume(fault.text.clone())];
            }
            answers.push(answer);
        }
        for (pool, judged) in self.pools.iter().zip(self.judged(pod).iter()) {
            answers.push(self.of_pool(pool, judged, trials));
        }
        answers
    }

    fn of_group(&self, group: &GroupState, pod: &Pod, trials: &mut NodeTrials) -> PoolAnswer {
        let mut answer = PoolAnswer {
            name: group.name.clone(),
            of: AutoscalerKind::ClusterAutoscaler,
            can: group.can,
            causes: group.state.clone(),
            precedent: None,
        };
        let full = self.found.iter().find_map(|autoscaler| match autoscaler.stalled {
            Some(Stalled::MaxNodes(max)) if autoscaler.kind == answer.of => Some(max),
            _ => None,
        });
        if let Some(max) = full {
            answer.can = Can::No;
            answer.causes.push(GrowthObstacle::MaxNodes(max));
        }
        if answer.can != Can::May {
            return answer;
        }
        // cluster-autoscaler makes its template of a ready node of the group, too; of which one, is
        // not known where they differ.
        let models = self.models_of(group);
        let Some((model, others)) = models.split_first() else {
            self.of_template(group, &mut answer, trials);
            return answer;
        };
        let taints = self.settings.taints_of_new(self.cluster.node(*model), self.cluster);
        let first = trials.nodes_like(*model, 1, &taints, self.counted());
        let differs = others.iter().find_map(|other| {
            let taints = self.settings.taints_of_new(self.cluster.node(*other), self.cluster);
            match (&first, &trials.nodes_like(*other, 1, &taints, self.counted())) {
                (NodeTrialResult::Takes(_), NodeTrialResult::Rejects { node, reasons })
                | (NodeTrialResult::Rejects { node, reasons }, NodeTrialResult::Takes(_)) => {
                    Some(GrowthObstacle::Rejects { node: node.clone(), reasons: reasons.clone() })
                }
                _ => None,
            }
        });
        if let Some(rejects) = differs {
            answer.causes.push(rejects);
            return answer;
        }
        match first {
            NodeTrialResult::Takes(node) => {
                answer.can = Can::Would;
                answer.precedent = Some(node);
                self.ask_for_daemons(&mut answer);
            }
            NodeTrialResult::Rejects { node, reasons } => {
                let doubt = if self.cluster.template(pod).claims.is_empty() {
                    let taint = self.settings.taint_in_doubt(&taints, self.cluster);
                    taint.map(|taint| GrowthObstacle::StartupTaint { node: node.clone(), taint })
                } else {
                    Some(GrowthObstacle::ResourceClaims)
                };
                answer.can = if doubt.is_some() { Can::May } else { Can::No };
                answer.causes.extend(doubt);
                answer.causes.push(GrowthObstacle::Rejects { node, reasons });
            }
            NodeTrialResult::No => {
                answer.can = Can::NotKnown;
                answer.causes.push(GrowthObstacle::NotTried);
            }
        }
        answer
    }

    /// The pods that cluster-autoscaler counts beside one that it tries on a new node.
    fn counted(&self) -> Company<'_> {
        Company { uncounted: &self.expendable, ..Company::default() }
    }

    /// The node of a group that new ones are like: one that is ready, best without start-up taints.
    fn model_of(&self, group: &GroupState) -> Option<NodeIx> {
        self.models_of(group).first().copied()
    }

    /// The nodes of a group that new ones may be like, of each kind one: those that are ready, the
    /// ones without start-up taints first.
    fn models_of(&self, group: &GroupState) -> Vec<NodeIx> {
        let mut models: Vec<NodeIx> = Vec::new();
        for ix in group.nodes.iter().copied() {
            let node = self.cluster.node(ix);
            if models.len() < MOST_MODELS
                && cluster_autoscaler::is_model(node, self.cluster)
                && !models.iter().any(|other| self.are_alike(ix, *other))
            {
                models.push(ix);
            }
        }
        models.sort_by_key(|ix| {
            let taints = self.settings.taints_of_new(self.cluster.node(*ix), self.cluster);
            taints.iter().any(|taint| taint.is_of_state(self.cluster))
        });
        models
    }

    /// Whether new nodes like these two are alike, as far as most pods see it.
    fn are_alike(&self, one: NodeIx, other: NodeIx) -> bool {
        let (facts, others) = (self.cluster.node(one), self.cluster.node(other));
        facts.allocatable == others.allocatable
            && facts.allocatable_pods == others.allocatable_pods
            && self.zone(facts) == self.zone(others)
            && self.taints_of_new(facts) == self.taints_of_new(others)
            && self.daemons_on(one) == self.daemons_on(other)
    }

    /// Keys and values of the taints that a new node like this one has.
    fn taints_of_new(&self, node: &Node) -> Vec<(Sym, Sym)> {
        let taints = self.settings.taints_of_new(node, self.cluster);
        taints.iter().map(|taint| (taint.key, taint.value)).collect()
    }

    fn daemons_on(&self, node: NodeIx) -> usize {
        let pods = self.cluster.pods_on(node).iter();
        pods.filter(|pod| self.is_of_daemon_set(**pod)).count()
    }

    fn zone(&self, node: &Node) -> Option<Sym> {
        let labels = self.cluster.labels(node.labels);
        labels.iter().find(|(key, _)| *key == Sym::ZONE).map(|(_, zone)| *zone)
    }

    fn is_of_daemon_set(&self, pod: PodIx) -> bool {
        let controller = self.cluster.pod(pod).controller;
        controller.is_some_and(|owner| self.cluster.text(owner.kind) == "DaemonSet")
    }

    /// What a group without a ready node can do, by the annotations of its machines.
    fn of_template(&self, group: &GroupState, answer: &mut PoolAnswer, trials: &mut NodeTrials) {
        let Some(template) = &group.template else {
            answer.can = Can::NotKnown;
            answer.causes.push(GrowthObstacle::NoNode);
            return;
        };
        let plan = PlannedNode {
            name: format!("{}-new", group.name.rsplit('/').next().unwrap_or_default()),
            labels: template.labels.to_vec(),
            taints: template.taints.to_vec(),
            allocatable: template.allocatable.clone(),
            pods: template.pods,
        };
        // Pods of DaemonSets take their share of it; those of any node show which they are.
        let like = self.cluster.node_indices().find(|ix| {
            let node = self.cluster.node(*ix);
            !node.is_control_plane(self.cluster) && cluster_autoscaler::is_ready(node, self.cluster)
        });
        match trials.planned(plan, like, self.counted()) {
            NodeTrialResult::Takes(_) => answer.can = Can::Would,
            NodeTrialResult::Rejects { reasons, .. } => {
                answer.can = Can::No;
                let cpu = Quantity::from_milli(template.allocatable.milli_cpu).to_string();
                answer.causes.push(GrowthObstacle::TemplateRejects { cpu, reasons });
            }
            NodeTrialResult::No => {
                answer.can = Can::NotKnown;
                answer.causes.push(GrowthObstacle::NotTried);
            }
        }
    }

    /// What each pool can do for a pod, judged by its template.
    fn judged(&self, pod: &Pod) -> Arc<[Judged]> {
        if let Some(judgement) = self.known_judgements().get(&pod.template) {
            return Arc::clone(judgement);
        }
        let wishes = karpenter::wishes(pod, self.cluster);
        let judged: Arc<[Judged]> =
            self.pools.iter().map(|pool| pool.judge(pod, &wishes, self.cluster)).collect();
        self.known_judgements().insert(pod.template, Arc::clone(&judged));
        judged
    }

    fn known_judgements(&self) -> MutexGuard<'_, BTreeMap<PoolIx, Arc<[Judged]>>> {
        self.judged.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn of_pool(
        &self,
        pool: &PreparedPool<'c>,
        judged: &Judged,
        trials: &mut NodeTrials,
    ) -> PoolAnswer {
        let mut answer = PoolAnswer {
            name: pool.name.to_owned(),
            of: pool.of,
            can: judged.can,
            causes: judged.causes.clone(),
            precedent: None,
        };
        if answer.can != Can::May || !answer.causes.is_empty() {
            return answer;
        }
        if let Some(failure) = self.capacity_failure(pool.name) {
            answer.causes.push(failure);
            return answer;
        }
        let (precedent, rejected) = self.precedent(pool, trials);
        if precedent.is_some() {
            answer.can = Can::Would;
            answer.precedent = precedent;
        }
        answer.causes.extend(rejected);
        self.ask_for_daemons(&mut answer);
        // Nodes that Karpenter makes for other pods of its batch count against the limits first.
        let is_limited = answer.can == Can::Would && !pool.facts.limits.is_empty();
        if is_limited
            && let rivals @ 1.. = in_flight::rivals(pool.of, self, trials).len()
            && let nodes = i64::try_from(rivals).unwrap_or(i64::MAX).saturating_add(1)
            && karpenter::may_exceed_limits(pool.facts, nodes, self.cluster)
        {
            answer.causes.push(GrowthObstacle::SharedLimit);
            answer.precedent = None;
            answer.can = Can::May;
        }
        answer
    }

    /// Leaves open whether a node like an existing one takes the pod if that has no pods of
    /// DaemonSets although the cluster has some: a new one may have less room.
    fn ask_for_daemons(&self, answer: &mut PoolAnswer) {
        let Some(node) = &answer.precedent else { return };
        let Some(ix) = self.cluster.find_node(node) else { return };
        let mut pods = self.cluster.pods_on(ix).iter();
        if self.cluster.autoscaling.daemon_sets > 0 && !pods.any(|pod| self.is_of_daemon_set(*pod))
        {
            answer.causes.push(GrowthObstacle::NoDaemons(node.clone()));
            answer.precedent = None;
            answer.can = Can::May;
        }
    }

    /// That the cloud has just had no instance for a pool: a node of the same type need not come.
    fn capacity_failure(&self, pool: &str) -> Option<GrowthObstacle> {
        let mut newest: Option<(i64, &str, &Event)> = None;
        for (claim, event) in &self.failed_claims {
            // A claim is named after its pool, with five letters behind.
            let end = claim.strip_prefix(pool).and_then(|rest| rest.strip_prefix('-'));
            let age = event.time.map(|time| self.now.as_second() - time.as_second());
            if let (Some(5), Some(age)) = (end.map(str::len), age)
                && age <= FAILURE_COUNTS
                && newest.is_none_or(|(least, ..)| age < least)
            {
                newest = Some((age, claim, event));
            }
        }
        let (age, claim, event) = newest?;
        let reason = self.cluster.text(event.reason).to_owned();
        Some(GrowthObstacle::NoCapacity { claim: claim.to_owned(), reason, age })
    }

    /// A node of a pool like which a new one takes the pod; else why one like the largest does not.
    /// Karpenter may choose a larger one.
    fn precedent(
        &self,
        pool: &PreparedPool<'c>,
        trials: &mut NodeTrials,
    ) -> (Option<String>, Option<GrowthObstacle>) {
        let mut rejected = None;
        for model in self.shapes(pool) {
            if karpenter::exceeds_limits(pool.facts, model, self.cluster) {
                continue;
            }
            match trials.node_like(model, Some(&pool.facts.taints), None) {
                NodeTrialResult::Takes(node) => return (Some(node), None),
                NodeTrialResult::Rejects { node, reasons } => {
                    rejected.get_or_insert(GrowthObstacle::Rejects { node, reasons });
                }
                NodeTrialResult::No => break,
            }
        }
        (None, rejected)
    }

    /// Nodes of a pool, the largest first, one of each size.
    fn shapes(&self, pool: &PreparedPool) -> Vec<NodeIx> {
        let (Some(label), name) = (self.cluster.symbols.get(POOL_LABEL), pool.facts.name) else {
            return Vec::new();
        };
        let mut nodes: Vec<NodeIx> = self
            .cluster
            .node_indices()
            .filter(|ix| {
                let labels = self.cluster.labels(self.cluster.node(*ix).labels);
                labels.contains(&(label, name)) && pool.allows(labels, self.cluster)
            })
            .collect();
        let size = |ix: &NodeIx| {
            let allocatable = &self.cluster.node(*ix).allocatable;
            (allocatable.milli_cpu, allocatable.memory)
        };
        nodes.sort_by_key(|ix| std::cmp::Reverse(size(ix)));
        let mut seen = BTreeSet::new();
        nodes.retain(|ix| seen.insert(size(ix)));
        nodes.truncate(MOST_SHAPES);
        nodes
    }

    /// A claim by its name.
    fn claim(&self, name: &str) -> Option<&'c NodeClaim> {
        let claims = &self.cluster.autoscaling.claims;
        claims.iter().find(|claim| self.cluster.text(claim.name) == name)
    }

    /// The progress of a claim. An Event may say what its conditions do not say yet.
    fn progress(&self, claim: &NodeClaim) -> ClaimProgress {
        let progress = ClaimProgress::of(claim, self.cluster, self.now);
        let failed = self.failed_claims.get(self.cluster.text(claim.name));
        match (progress, failed) {
            (ClaimProgress::Coming(_), Some(event)) if claim.allocatable.is_empty() => {
                ClaimProgress::NotLaunched(events::failure_text(event, self.cluster))
            }
            (progress, _) => progress,
        }
    }
}

/// Which program a pool is of.
fn kind_of(pool: &NodePool, cluster: &Cluster) -> AutoscalerKind {
    let group = cluster.text(pool.class.group);
    let of_cloud = AutoscalerKind::ALL.into_iter().find(|kind| kind.class_group() == Some(group));
    // The classes of AKS are also those of Karpenter that runs in the cluster.
    let mut pods = cluster.pods.iter();
    match of_cloud {
        Some(AutoscalerKind::AksNodeAutoProvisioning)
            if pods.any(|pod| pod.is_running() && pod.name.starts_with("karpenter-")) =>
        {
            AutoscalerKind::Karpenter
        }
        Some(kind) => kind,
        None => AutoscalerKind::Karpenter,
    }
}

/// The pods that autoscalers take for unschedulable.
fn waiting(cluster: &Cluster) -> Vec<PodIx> {
    let pods = cluster.pod_indices().filter(|ix| {
        let pod = cluster.pod(*ix);
        pod.is_waiting() && is_marked(pod) && !pod.is_terminating() && pod.nominated_node.is_empty()
    });
    pods.collect()
}

/// Whether kube-scheduler has marked the pod as unschedulable.
fn is_marked(pod: &Pod) -> bool {
    let condition = pod.scheduled_condition.as_deref();
    condition.is_some_and(|condition| &*condition.reason == "Unschedulable")
}

/// The autoscalers that objects, status, pods or Events show.
fn found(
    pools: &[PreparedPool],
    status: Option<&AutoscalerStatus>,
    settings: &AutoscalerSettings,
    groups: &[GroupState],
    cluster: &Cluster,
    now: Timestamp,
) -> Vec<FoundAutoscaler> {
    let shown = cluster.header.autoscaler.as_ref();
    let mut authors: BTreeSet<AutoscalerKind> = BTreeSet::new();
    for event in &cluster.autoscaling.events {
        authors.extend(events::author(cluster.text(event.component)));
    }

    // Which ones there are. Karpenter's Events alone may be those of a relative, because AKS writes
    // its Events under Karpenter's name.
    let mut kinds: BTreeSet<AutoscalerKind> = pools.iter().map(|pool| pool.of).collect();
    let shows_pods = shown.is_some_and(|shown| !shown.pods.is_empty());
    if status.is_some() || shows_pods || !groups.is_empty() {
        kinds.insert(AutoscalerKind::ClusterAutoscaler);
    }
    let wrote_as_karpenter = authors.remove(&AutoscalerKind::Karpenter);
    kinds.append(&mut authors);
    let has_relative = kinds.iter().any(|kind| *kind != AutoscalerKind::ClusterAutoscaler);
    if wrote_as_karpenter && !has_relative {
        kinds.insert(AutoscalerKind::Karpenter);
    }
    for kind in AutoscalerKind::ALL {
        let mut running = cluster.pods.iter().filter(|pod| pod.is_running());
        if running.any(|pod| kind.pod_prefixes().iter().any(|own| pod.name.starts_with(own))) {
            kinds.insert(kind);
        }
    }

    // What is known of each: cluster-autoscaler writes a status, the others have only their pools.
    let mut autoscalers = Vec::with_capacity(kinds.len());
    for kind in kinds {
        let mut autoscaler =
            FoundAutoscaler { kind, version: None, status_age: None, stalled: None };
        if kind == AutoscalerKind::ClusterAutoscaler {
            if let Some(AutoscalerStatus::Read(report)) = status {
                autoscaler.status_age = report.time.map(|time| now.as_second() - time.as_second());
            }
            autoscaler.version = shown.and_then(|shown| shown.version.clone());
            autoscaler.stalled =
                cluster_autoscaler::stalled(status, settings, groups, cluster, now);
        } else {
            let mut own = pools.iter().filter(|pool| pool.of == kind).peekable();
            if own.peek().is_some() && !own.any(PreparedPool::is_dynamic) {
                autoscaler.stalled = Some(Stalled::NoPool);
            }
        }
        // A status that is fresh says more than the state of a pod.
        if autoscaler.stalled.is_none() && autoscaler.status_age.is_none() {
            autoscaler.stalled = unready_pod(kind, cluster).map(Stalled::NotReady);
        }
        autoscalers.push(autoscaler);
    }
    autoscalers
}

/// The first pod of an autoscaler that runs in the cluster, if none of them is Ready.
fn unready_pod(kind: AutoscalerKind, cluster: &Cluster) -> Option<String> {
    let program = kind.program()?;
    let mut own = cluster.pods.iter().filter(|pod| {
        PROGRAM_NAMESPACES.contains(&cluster.text(pod.namespace))
            && pod.name.starts_with(program)
            && pod.is_active()
    });
    let first = own.next()?;
    // Some inputs have no conditions of pods at all.
    let shows_readiness = cluster.pods.iter().any(|pod| pod.readiness == Readiness::Ready);
    let is_unready =
        first.readiness != Readiness::Ready && own.all(|pod| pod.readiness != Readiness::Ready);
    (shows_readiness && is_unready).then(|| first.name.to_string())
}

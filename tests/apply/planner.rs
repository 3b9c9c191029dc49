//! Decisions of the engine: on the cluster as the program reads it, and on the model itself.

use engine::cluster::build::Builder;
use engine::cluster::{Cluster, PodIx};
use engine::decode::decode;
use engine::framework::cluster_view::ClusterView;
use engine::profile::{Profile, SchedulerVersion, VersionSource};
use engine::simulation::competitors::Residents;
use engine::simulation::entry::{EntryDecision, Goal, QueueEntry};
use engine::simulation::plan::{GroupId, Placement, Plan, PodId, PreemptorId};
use engine::simulation::planning::Proposal;
use engine::snapshot::Kind;
use kubectl_preempt::api::Env;
use kubectl_preempt::api::flags::ConnectionFlags;
use kubectl_preempt::apply::{PlanResult, Planner, PreemptorStatus};
use kubectl_preempt::capture::live::ReadScope;
use kubectl_preempt::capture::live::kept::KeptCluster;
use kubectl_preempt::error::Error;

use super::model::State;

/// The kinds that matter in the clusters of the tests.
pub const KINDS: [Kind; 6] = [
    Kind::Node,
    Kind::Pod,
    Kind::PodDisruptionBudget,
    Kind::PriorityClass,
    Kind::Namespace,
    Kind::PodGroup,
];

/// Decides on what it keeps of the server's cluster.
pub struct LivePlanner {
    pub env: Env,
    pub flags: ConnectionFlags,
    pub scope: ReadScope,
    pub kept: Option<KeptCluster>,
    pub residents: Residents,
}

/// The decision about a pod or a group; of a plan that is carried out, what is left of it. Pods of
/// `gone` do not count.
fn status(
    mut cluster: Cluster,
    preemptor: &PreemptorId,
    carried_out: Option<&Plan>,
    gone: &[PodId],
) -> PreemptorStatus {
    let leaving: Vec<_> = cluster
        .pod_indices()
        .filter(|ix| gone.iter().any(|pod| *pod.uid == *cluster.pod(*ix).uid))
        .collect();
    leaving.into_iter().for_each(|pod| cluster.remove_pod(pod));
    let proposal = match preemptor {
        PreemptorId::Pod(pod) => of_pod(&mut cluster, pod, carried_out),
        PreemptorId::Group(group) => of_group(&mut cluster, group, carried_out),
    };
    match proposal {
        Err(status) => status,
        Ok(Proposal::Fits(nodes)) => PreemptorStatus::Fits(nodes),
        Ok(Proposal::GroupFits(placed)) => {
            PreemptorStatus::Fits(placed.into_iter().map(|p| p.node).collect())
        }
        Ok(Proposal::Awaits(plan)) => PreemptorStatus::Awaits(Box::new(plan)),
        Ok(Proposal::Evict(plan)) => PreemptorStatus::NeedsEviction(Box::new(plan)),
        Ok(Proposal::Impossible(why) | Proposal::Unknown(why)) => PreemptorStatus::Impossible(why),
    }
}

fn of_pod(
    cluster: &mut Cluster,
    id: &PodId,
    carried_out: Option<&Plan>,
) -> Result<Proposal, PreemptorStatus> {
    let found = cluster.find_uid(&id.namespace, &id.name, &id.uid);
    let pod = found.ok_or(PreemptorStatus::Gone)?;
    let there = cluster.text(cluster.pod(pod).node_name);
    if !there.is_empty() {
        return Err(PreemptorStatus::Bound(vec![Placement {
            pod: id.clone(),
            node: there.to_owned(),
        }]));
    }
    if cluster.pod(pod).is_terminating() {
        return Err(PreemptorStatus::Terminating);
    }
    if carried_out.is_some() {
        // As in the program: a nomination must not prevent the dry run of preemption.
        cluster.nominate(pod, None);
    }
    let profile = profile();
    let view = ClusterView::new(cluster, &profile);
    let goal = carried_out.map_or(Goal::AsScheduled, Goal::Rest);
    Ok(EntryDecision::of(QueueEntry::Pod(pod), &view, NOW).propose(goal))
}

fn of_group(
    cluster: &mut Cluster,
    id: &GroupId,
    carried_out: Option<&Plan>,
) -> Result<Proposal, PreemptorStatus> {
    let found = cluster.find_pod_group(&id.namespace, &id.name);
    let group =
        found.filter(|ix| *cluster.pod_group(*ix).uid == *id.uid).ok_or(PreemptorStatus::Gone)?;
    let is_member = |ix: &PodIx| cluster.text(cluster.template(cluster.pod(*ix)).group) == id.name;
    let (leaving, members): (Vec<PodIx>, Vec<PodIx>) = cluster
        .pod_indices()
        .filter(|ix| is_member(ix) && cluster.pod(*ix).is_active())
        .partition(|ix| cluster.pod(*ix).is_waiting() && cluster.pod(*ix).is_terminating());
    leaving.into_iter().for_each(|pod| cluster.remove_pod(pod));
    let waiting: Vec<PodIx> =
        members.iter().copied().filter(|ix| cluster.pod(*ix).is_waiting()).collect();
    if waiting.is_empty() {
        let place = |ix: &PodIx| Placement {
            pod: PodId::of(cluster.pod(*ix), cluster),
            node: cluster.text(cluster.pod(*ix).node_name).to_owned(),
        };
        let bound: Vec<Placement> = members.iter().map(place).collect();
        return Err(if bound.is_empty() {
            PreemptorStatus::Gone
        } else {
            PreemptorStatus::Bound(bound)
        });
    }
    if carried_out.is_some() {
        waiting.iter().for_each(|pod| cluster.nominate(*pod, None));
    }
    let profile = profile();
    let view = ClusterView::new(cluster, &profile);
    let goal = carried_out.map_or(Goal::AsScheduled, Goal::Rest);
    Ok(EntryDecision::of(QueueEntry::Group(group), &view, NOW).propose(goal))
}

const NOW: jiff::Timestamp = jiff::Timestamp::UNIX_EPOCH;

fn profile() -> Profile {
    let profile = Profile::new(SchedulerVersion::NEWEST, VersionSource::Default);
    profile.with_gates(&["GenericWorkload=true".to_owned()]).unwrap()
}

fn cluster(state: &State) -> Cluster {
    let mut builder = Builder::new();
    decode(&state.objects().to_string(), "the model", &mut builder).unwrap();
    builder.finish()
}

/// The decision about a pod or a group in this state.
pub fn plan(state: &State, preemptor: &PreemptorId) -> PreemptorStatus {
    status(cluster(state), preemptor, None, &[])
}

/// The victims that are still needed in this state.
pub fn still_needed(state: &State, plan: &Plan, gone: &[PodId]) -> PreemptorStatus {
    status(cluster(state), &plan.preemptor.id, Some(plan), gone)
}

impl LivePlanner {
    fn read(&mut self) -> Result<Cluster, Error> {
        let kept = match &mut self.kept {
            Some(kept) => kept,
            none => {
                let (scope, notify) = (&self.scope, Box::new(|_| {}));
                let kept =
                    KeptCluster::open(&self.env, &self.flags, scope, false, &mut |_| {}, notify)?;
                none.insert(kept)
            }
        };
        kept.catch_up()?;
        let mut builder = Builder::new();
        kept.read(&mut builder);
        let cluster = builder.finish();
        match cluster.header.unreadable.first() {
            Some(gap) => Err(Error::Cluster {
                problem: format!("{}: {}", gap.resource, gap.reason),
                hint: None,
            }),
            None => Ok(cluster),
        }
    }
}

impl Planner for LivePlanner {
    fn plan(&mut self, preemptor: &PreemptorId) -> Result<PlanResult, Error> {
        let cluster = self.read()?;
        let versions = cluster.header.resource_versions.clone();
        let newcomers = self.residents.newcomers(&cluster);
        let status = status(cluster.clone(), preemptor, None, &[]);
        if let (PreemptorStatus::NeedsEviction(plan), true) = (&status, self.residents.is_empty()) {
            self.residents = Residents::of(plan, &cluster);
        }
        Ok(PlanResult { status, versions, newcomers })
    }

    fn remaining(&mut self, plan: &Plan, gone: &[PodId]) -> Result<PlanResult, Error> {
        let cluster = self.read()?;
        let versions = cluster.header.resource_versions.clone();
        let newcomers = self.residents.newcomers(&cluster);
        let status = status(cluster, &plan.preemptor.id, Some(plan), gone);
        Ok(PlanResult { status, versions, newcomers })
    }
}

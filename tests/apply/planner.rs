//! Decisions of the engine: on the cluster as the program reads it, and on the model itself.

use engine::cluster::Cluster;
use engine::cluster::build::Builder;
use engine::decision::decide;
use engine::decode::decode;
use engine::framework::cluster_view::ClusterView;
use engine::profile::{Profile, SchedulerVersion, VersionSource};
use engine::simulation::plan::{Plan, PodId};
use engine::simulation::planning::{Proposal, propose};
use engine::simulation::remaining;
use engine::snapshot::Kind;
use kubectl_preempt::api::Env;
use kubectl_preempt::api::flags::ConnectionFlags;
use kubectl_preempt::apply::{PlanResult, Planner, PodStatus};
use kubectl_preempt::capture::live::Scope;
use kubectl_preempt::capture::live::kept::KeptCluster;
use kubectl_preempt::error::Error;

use super::model::State;

/// The kinds that matter in the clusters of the tests.
const KINDS: [Kind; 5] = [Kind::Node, Kind::Pod, Kind::PodDisruptionBudget, Kind::PriorityClass, Kind::Namespace];

/// Decides on what it keeps of the server's cluster.
pub struct LivePlanner {
    pub env: Env,
    pub flags: ConnectionFlags,
    /// The node of the plan.
    pub node: String,
    pub kept: Option<KeptCluster>,
}

/// The decision about a pod; of a plan that is carried out, what is left of it. Pods of `gone` do not count.
fn status(mut cluster: Cluster, preemptor: &PodId, carried_out: Option<&Plan>, gone: &[PodId]) -> PodStatus {
    let leaving: Vec<_> =
        cluster.pod_indices().filter(|ix| gone.iter().any(|pod| *pod.uid == *cluster.pod(*ix).uid)).collect();
    leaving.into_iter().for_each(|pod| cluster.remove_pod(pod));
    let found = cluster.find_pod(&preemptor.namespace, &preemptor.name);
    let Some(pod) = found.filter(|pod| *cluster.pod(*pod).uid == *preemptor.uid) else { return PodStatus::Gone };
    let there = cluster.text(cluster.pod(pod).node_name);
    if !there.is_empty() {
        return PodStatus::Bound(there.to_owned());
    }
    if carried_out.is_some() {
        // As in the program: a nomination must not prevent the dry run of preemption.
        cluster.nominate(pod, None);
    }
    let profile = Profile::new(SchedulerVersion::NEWEST, VersionSource::Default);
    let view = ClusterView::new(&cluster, &profile);
    let now = jiff::Timestamp::UNIX_EPOCH;
    let decision = decide(&view, pod, now);
    let proposal = match carried_out {
        Some(plan) => remaining::propose(&decision, plan, now),
        None => propose(&decision, None, now),
    };
    match proposal {
        Proposal::Fits(nodes) => PodStatus::Fits(nodes),
        Proposal::Awaits(plan) => PodStatus::Awaits(Box::new(plan)),
        Proposal::Evict(plan) => PodStatus::NeedsEviction(Box::new(plan)),
        Proposal::Impossible(why) | Proposal::Unknown(why) => PodStatus::Impossible(why),
    }
}

fn cluster(state: &State) -> Cluster {
    let mut builder = Builder::new();
    decode(&state.objects().to_string(), "the model", &mut builder).unwrap();
    builder.finish()
}

/// The decision about a pod in this state.
pub fn plan(state: &State, preemptor: &PodId) -> PodStatus {
    status(cluster(state), preemptor, None, &[])
}

/// The victims that are still needed in this state.
pub fn still_needed(state: &State, plan: &Plan, gone: &[PodId]) -> PodStatus {
    status(cluster(state), &plan.preemptor.pod, Some(plan), gone)
}

impl LivePlanner {
    fn read(&mut self) -> Result<Cluster, Error> {
        let kept = match &mut self.kept {
            Some(kept) => kept,
            none => {
                let scope = Scope::of(&KINDS);
                let kept = KeptCluster::open(&self.env, &self.flags, &scope, false, &mut |_| {}, Box::new(|_| {}))?;
                none.insert(kept)
            }
        };
        kept.catch_up(&self.node)?;
        let mut builder = Builder::new();
        kept.read(&mut builder);
        let cluster = builder.finish();
        match cluster.header.unreadable.first() {
            Some(gap) => Err(Error::Cluster { problem: format!("{}: {}", gap.resource, gap.reason), hint: None }),
            None => Ok(cluster),
        }
    }
}

impl Planner for LivePlanner {
    fn plan(&mut self, preemptor: &PodId) -> Result<PlanResult, Error> {
        let cluster = self.read()?;
        let versions = cluster.header.resource_versions.clone();
        Ok(PlanResult { status: status(cluster, preemptor, None, &[]), versions })
    }

    fn remaining(&mut self, plan: &Plan, gone: &[PodId]) -> Result<PlanResult, Error> {
        let cluster = self.read()?;
        let versions = cluster.header.resource_versions.clone();
        let status = status(cluster, &plan.preemptor.pod, Some(plan), gone);
        Ok(PlanResult { status, versions })
    }
}

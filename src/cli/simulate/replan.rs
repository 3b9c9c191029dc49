//! The planner of `--apply`: makes new decisions on the cluster, which was read once and is kept up to date.

use std::collections::BTreeMap;

use crate::apply::{PlanResult, Planner, PodStatus};
use crate::cli::input::{InputArgs, KeptInput, LoadedInput};
use crate::error::Error;
use engine::cluster::pod::PodIx;
use engine::decision::{self, Decision};
use engine::notes::Severity;
use engine::simulation::plan::{Plan, PodId};
use engine::simulation::planning::{self, Proposal};
use engine::simulation::remaining;
use render::headline::assumed_rules;

/// Makes the decisions of a run.
pub struct Replanner {
    /// Which scheduler decides.
    pub input: InputArgs,
    /// What is kept of the cluster.
    pub kept: KeptInput,
    /// The node of the plan.
    pub node: String,
    /// The node on which the pod shall run, whichever the scheduler would pick.
    pub on: Option<String>,
    /// Whether the pod is taken to preempt, although it has scheduling gates or a policy against it.
    pub as_if_preempting: bool,
}

impl Replanner {
    /// The cluster as it is now. What concerns the node of the plan is not older than this call.
    fn read(&self) -> Result<LoadedInput, Error> {
        self.kept.cluster.catch_up(&self.node)?;
        self.input.check()?.read_kept(&self.kept)
    }
}

impl Replanner {
    fn edit(&self, input: &mut LoadedInput, pod: PodIx) {
        if self.as_if_preempting {
            input.cluster.allow_preemption(pod);
        }
    }
}

impl Planner for Replanner {
    fn plan(&mut self, preemptor: &PodId) -> Result<PlanResult, Error> {
        let mut input = self.read()?;
        let status = match find(&input, preemptor) {
            Err(status) => status,
            Ok(pod) => {
                self.edit(&mut input, pod);
                decide(&input, pod, |decision| {
                    let on = self.on.as_deref().and_then(|name| input.cluster.find_node(name));
                    if let (Some(name), None) = (&self.on, on) {
                        return Ok(PodStatus::Impossible(format!("node {name} is gone")));
                    }
                    status(planning::propose(decision, on, input.now))
                })?
            }
        };
        Ok(PlanResult { status, versions: versions(input) })
    }

    fn remaining(&mut self, plan: &Plan, leaving: &[PodId]) -> Result<PlanResult, Error> {
        let mut input = self.read()?;
        for pod in leaving {
            if let Some(ix) = input.cluster.find_uid(&pod.namespace, &pod.name, &pod.uid) {
                input.cluster.remove_pod(ix);
            }
        }
        let status = match find(&input, &plan.preemptor.pod) {
            Err(status) => status,
            Ok(pod) => {
                // A nomination, ours or the scheduler's, must not keep the dry run from being tried again.
                input.cluster.nominate(pod, None);
                self.edit(&mut input, pod);
                decide(&input, pod, |decision| status(remaining::propose(decision, plan, input.now)))?
            }
        };
        Ok(PlanResult { status, versions: versions(input) })
    }
}

fn versions(input: LoadedInput) -> BTreeMap<String, String> {
    // Freeing a large cluster takes longer than reading on.
    let input = std::mem::ManuallyDrop::new(input);
    input.cluster.header.resource_versions.clone()
}

/// The pending pod, or its status if it is not pending any more.
fn find(input: &LoadedInput, id: &PodId) -> Result<PodIx, PodStatus> {
    let cluster = &input.cluster;
    let found = cluster.find_uid(&id.namespace, &id.name, &id.uid).filter(|ix| cluster.pod(*ix).is_active());
    let Some(ix) = found else { return Err(PodStatus::Gone) };
    match cluster.text(cluster.pod(ix).node_name) {
        "" => Ok(ix),
        node => Err(PodStatus::Bound(node.to_owned())),
    }
}

/// Decides about `pod` and passes the decision to `then` if it is certain.
fn decide(
    input: &LoadedInput,
    pod: PodIx,
    then: impl FnOnce(&Decision) -> Result<PodStatus, Error>,
) -> Result<PodStatus, Error> {
    if let Some(rules) = assumed_rules(&input.profile) {
        return Err(Error::assumed(&rules));
    }
    let views = input.views(None);
    let Some(view) = views.get(input.view_of(pod)) else { return Ok(PodStatus::Gone) };
    let decision = decision::decide(view, pod, input.now);
    if let Some(note) = decision.notes.iter().find(|note| note.severity == Severity::Error) {
        return Err(Error::uncertain(&render::notes::sentence(note)));
    }
    then(&decision)
}

fn status(proposal: Proposal) -> Result<PodStatus, Error> {
    match proposal {
        Proposal::Fits(nodes) => Ok(PodStatus::Fits(nodes)),
        Proposal::Evict(plan) => Ok(PodStatus::NeedsEviction(Box::new(plan))),
        Proposal::Awaits(plan) => Ok(PodStatus::Awaits(Box::new(plan))),
        Proposal::Impossible(why) => Ok(PodStatus::Impossible(why)),
        Proposal::Unknown(why) => Err(Error::Cluster { problem: why, hint: None }),
    }
}

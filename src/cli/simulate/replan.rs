//! The planner of `--apply`: reads the cluster anew and makes a new decision.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::super::GlobalFlags;
use super::super::question::{InputArgs, Question};
use crate::api::flags::ConnectionFlags;
use crate::apply::{PlanResult, Planner, PodStatus};
use crate::error::Error;
use engine::cluster::notes::Severity;
use engine::cluster::pod::PodIx;
use engine::decision::{self, Decision, Outcome};
use engine::simulation::plan::{Plan, PodId};
use engine::simulation::planning::{self, Proposal};

/// Makes the decisions of a run.
pub struct Replanner {
    /// Which scheduler decides.
    pub input: InputArgs,
    /// What was typed.
    pub global: GlobalFlags,
    /// Which cluster is read.
    pub connection: ConnectionFlags,
    /// The node on which the pod shall run, whichever the scheduler would pick.
    pub on: Option<String>,
}

impl Replanner {
    fn read(&self) -> Result<Question, Error> {
        // The warnings of the server were printed the first time.
        let quiet = GlobalFlags { quiet: true, ..self.global.clone() };
        self.input.check()?.read(&[], &quiet, &self.connection)
    }
}

impl Planner for Replanner {
    fn plan(&mut self, preemptor: &PodId) -> Result<PlanResult, Error> {
        let question = self.read()?;
        let status = match find(&question, preemptor) {
            Err(status) => status,
            Ok(pod) => decide(&question, pod, |decision| {
                let on = self.on.as_deref().and_then(|name| question.cluster.find_node(name));
                if let (Some(name), None) = (&self.on, on) {
                    return Ok(PodStatus::Impossible(format!("node {name} is gone")));
                }
                status(planning::propose(decision, on, question.now))
            })?,
        };
        Ok(PlanResult { status, versions: versions(question) })
    }

    fn remaining(&mut self, plan: &Plan, leaving: &[PodId]) -> Result<PlanResult, Error> {
        let mut question = self.read()?;
        for pod in leaving {
            if let Some(ix) = question.cluster.find_uid(&pod.namespace, &pod.name, &pod.uid) {
                question.cluster.retire(ix);
            }
        }
        let status = match find(&question, &plan.preemptor.pod) {
            Err(status) => status,
            Ok(pod) => {
                // A nomination, ours or the scheduler's, must not keep the dry run from being tried again.
                question.cluster.nominate(pod, None);
                decide(&question, pod, |decision| remaining(decision, plan, question.now))?
            }
        };
        Ok(PlanResult { status, versions: versions(question) })
    }
}

fn versions(question: Question) -> BTreeMap<String, String> {
    // Freeing a large cluster takes longer than reading on.
    let question = std::mem::ManuallyDrop::new(question);
    question.cluster.header.resource_versions.clone()
}

/// The pending pod, or its status if it is not pending any more.
fn find(question: &Question, id: &PodId) -> Result<PodIx, PodStatus> {
    let cluster = &question.cluster;
    let found = cluster.find_uid(&id.namespace, &id.name, &id.uid).filter(|ix| cluster.pod(*ix).is_active());
    let Some(ix) = found else { return Err(PodStatus::Gone) };
    match cluster.text(cluster.pod(ix).node_name) {
        "" => Ok(ix),
        node => Err(PodStatus::Bound(node.to_owned())),
    }
}

/// Decides about `pod` and passes the decision to `then` if it is certain.
fn decide(
    question: &Question,
    pod: PodIx,
    then: impl FnOnce(&Decision) -> Result<PodStatus, Error>,
) -> Result<PodStatus, Error> {
    let worlds = question.worlds(None);
    let Some(world) = worlds.get(question.world_of(pod)) else { return Ok(PodStatus::Gone) };
    let decision = decision::decide(world, pod, question.now);
    if let Some(note) = decision.notes.iter().find(|note| note.severity == Severity::Error) {
        return Err(Error::Cluster {
            problem: format!("nothing is evicted on an uncertain answer: {}: {}", note.subject, note.text),
            hint: Some("kubectl preempt explain shows all notes".to_owned()),
        });
    }
    then(&decision)
}

fn status(proposal: Proposal) -> Result<PodStatus, Error> {
    match proposal {
        Proposal::Fits(nodes) => Ok(PodStatus::Fits(nodes)),
        Proposal::Evict(plan) => Ok(PodStatus::NeedsEviction(Box::new(plan))),
        Proposal::Impossible(why) => Ok(PodStatus::Impossible(why)),
        Proposal::Unknown(why) => Err(Error::Cluster { problem: why, hint: None }),
    }
}

/// The victims that still have to be removed from the plan's node.
fn remaining(decision: &Decision, plan: &Plan, now: Timestamp) -> Result<PodStatus, Error> {
    let cluster = decision.world.cluster;
    if decision.outcome == Outcome::Schedulable {
        let name = |node| cluster.text(cluster.node(node).name).to_owned();
        return Ok(PodStatus::Fits(decision.feasible().map(name).collect()));
    }
    let Some(node) = cluster.find_node(&plan.node) else {
        return Ok(PodStatus::Impossible(format!("node {} is gone", plan.node)));
    };
    status(planning::propose(decision, Some(node), now))
}

//! Reads the cluster anew and decides anew, for `--apply`: before it begins, and before every further step.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::super::GlobalFlags;
use super::super::question::{InputArgs, Question};
use crate::api::flags::ConnectionFlags;
use crate::apply::{Planner, Reading, Standing};
use crate::error::Error;
use engine::cluster::notes::Severity;
use engine::cluster::pod::PodIx;
use engine::decision::{self, Decision, Outcome};
use engine::simulation::plan::{Plan, PodId};
use engine::simulation::planning::{self, Proposal};

/// Who is asked again and again.
pub struct Replanner {
    /// Which scheduler decides.
    pub input: InputArgs,
    /// What was typed.
    pub global: GlobalFlags,
    /// Which cluster is read.
    pub connection: ConnectionFlags,
    /// The node that the pod is to go to, whatever the scheduler would pick.
    pub on: Option<String>,
}

impl Replanner {
    fn read(&self) -> Result<Question, Error> {
        // What a server warns of was said the first time.
        let quiet = GlobalFlags { quiet: true, ..self.global.clone() };
        self.input.check()?.read(&[], &quiet, &self.connection)
    }
}

impl Planner for Replanner {
    fn plan(&mut self, preemptor: &PodId) -> Result<Reading<Standing<Plan>>, Error> {
        let question = self.read()?;
        let answer = match find(&question, preemptor) {
            Err(standing) => standing,
            Ok(pod) => decide(&question, pod, |decision| {
                let on = self.on.as_deref().and_then(|name| question.cluster.find_node(name));
                if let (Some(name), None) = (&self.on, on) {
                    return Ok(Standing::Impossible(format!("node {name} is gone")));
                }
                standing(planning::propose(decision, on, question.now))
            })?,
        };
        Ok(Reading { answer, versions: versions(question) })
    }

    fn remaining(&mut self, plan: &Plan, gone: &[PodId]) -> Result<Reading<Standing<Plan>>, Error> {
        let mut question = self.read()?;
        for pod in gone {
            if let Some(ix) = question.cluster.find_uid(&pod.namespace, &pod.name, &pod.uid) {
                question.cluster.remove_pod(ix);
            }
        }
        let answer = match find(&question, &plan.preemptor.pod) {
            Err(standing) => standing,
            Ok(pod) => {
                // A nomination, ours or the scheduler's, must not keep the dry run from being tried again.
                question.cluster.nominate(pod, None);
                decide(&question, pod, |decision| remaining(decision, plan, question.now))?
            }
        };
        Ok(Reading { answer, versions: versions(question) })
    }
}

fn versions(question: Question) -> BTreeMap<String, String> {
    // Freeing a large cluster takes longer than reading on.
    let question = std::mem::ManuallyDrop::new(question);
    question.cluster.header.resource_versions.clone()
}

/// The pod that waits, or what became of it.
fn find<T>(question: &Question, id: &PodId) -> Result<PodIx, Standing<T>> {
    let cluster = &question.cluster;
    let found = cluster.find_uid(&id.namespace, &id.name, &id.uid).filter(|ix| cluster.pod(*ix).is_active());
    let Some(ix) = found else { return Err(Standing::Gone) };
    match cluster.text(cluster.pod(ix).node_name) {
        "" => Ok(ix),
        node => Err(Standing::Bound(node.to_owned())),
    }
}

/// Decides about `pod`, and hands the decision on if it can be relied on.
fn decide(
    question: &Question,
    pod: PodIx,
    then: impl FnOnce(&Decision) -> Result<Standing<Plan>, Error>,
) -> Result<Standing<Plan>, Error> {
    let views = question.views(None);
    let Some(view) = views.get(question.view_of(pod)) else { return Ok(Standing::Gone) };
    let decision = decision::decide(view, pod, question.now);
    if let Some(note) = decision.notes.iter().find(|note| note.severity == Severity::Error) {
        return Err(Error::Cluster {
            problem: format!("nothing is evicted on an uncertain answer: {}: {}", note.subject, note.text),
            hint: Some("kubectl preempt explain shows all notes".to_owned()),
        });
    }
    then(&decision)
}

fn standing(proposal: Proposal) -> Result<Standing<Plan>, Error> {
    match proposal {
        Proposal::Fits(nodes) => Ok(Standing::Fits(nodes)),
        Proposal::Evict(plan) => Ok(Standing::Needed(plan)),
        Proposal::Impossible(why) => Ok(Standing::Impossible(why)),
        Proposal::Unknown(why) => Err(Error::Cluster { problem: why, hint: None }),
    }
}

/// Who else has to go from the plan's node.
fn remaining(decision: &Decision, plan: &Plan, now: Timestamp) -> Result<Standing<Plan>, Error> {
    let cluster = decision.view.cluster;
    if decision.outcome == Outcome::Schedulable {
        let name = |node| cluster.text(cluster.node(node).name).to_owned();
        return Ok(Standing::Fits(decision.feasible().map(name).collect()));
    }
    let Some(node) = cluster.find_node(&plan.node) else {
        return Ok(Standing::Impossible(format!("node {} is gone", plan.node)));
    };
    standing(planning::propose(decision, Some(node), now))
}

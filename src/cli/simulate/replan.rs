//! Plans again for `--apply`: reads the cluster and decides anew before the first eviction and before every further one.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::api::flags::ConnectionFlags;
use crate::apply::{Planner, Reading, Standing};
use crate::cli::flags::GlobalFlags;
use crate::cli::input::{InputArgs, LoadedInput};
use crate::error::Error;
use engine::cluster::notes::Severity;
use engine::cluster::pod::PodIx;
use engine::decision::{self, Decision, Outcome};
use engine::simulation::plan::{Plan, PodId};
use engine::simulation::planning::{self, Proposal};

/// The planner of `--apply`, with the flags that say what to read and how to decide.
pub struct Replanner {
    /// The scheduler that decides.
    pub input: InputArgs,
    /// Flags of every command.
    pub global: GlobalFlags,
    /// The cluster that is read.
    pub connection: ConnectionFlags,
    /// The node to plan for (`--on`), whichever the scheduler would pick.
    pub on: Option<String>,
}

impl Replanner {
    fn read(&self) -> Result<LoadedInput, Error> {
        // The server's warnings were shown when the plan was made.
        let quiet = GlobalFlags { quiet: true, ..self.global.clone() };
        self.input.check()?.read(&[], &quiet, &self.connection)
    }
}

impl Planner for Replanner {
    fn plan(&mut self, preemptor: &PodId) -> Result<Reading<Standing<Plan>>, Error> {
        let input = self.read()?;
        let answer = match find(&input, preemptor) {
            Err(standing) => standing,
            Ok(pod) => decide(&input, pod, |decision| {
                let on = self.on.as_deref().and_then(|name| input.cluster.find_node(name));
                if let (Some(name), None) = (&self.on, on) {
                    return Ok(Standing::Impossible(format!("node {name} is gone")));
                }
                standing(planning::propose(decision, on, input.now))
            })?,
        };
        Ok(Reading { answer, versions: versions(input) })
    }

    fn remaining(&mut self, plan: &Plan, gone: &[PodId]) -> Result<Reading<Standing<Plan>>, Error> {
        let mut input = self.read()?;
        for pod in gone {
            if let Some(ix) = input.cluster.find_uid(&pod.namespace, &pod.name, &pod.uid) {
                input.cluster.retire(ix);
            }
        }
        let answer = match find(&input, &plan.preemptor.pod) {
            Err(standing) => standing,
            Ok(pod) => {
                // With a nomination, ours or the scheduler's, the pod would not be eligible to preempt again.
                input.cluster.nominate(pod, None);
                decide(&input, pod, |decision| remaining(decision, plan, input.now))?
            }
        };
        Ok(Reading { answer, versions: versions(input) })
    }
}

fn versions(input: LoadedInput) -> BTreeMap<String, String> {
    // Freeing a large cluster takes longer than reading on.
    let input = std::mem::ManuallyDrop::new(input);
    input.cluster.header.resource_versions.clone()
}

/// The pod if it still waits for a node, else its state.
fn find<T>(input: &LoadedInput, id: &PodId) -> Result<PodIx, Standing<T>> {
    let cluster = &input.cluster;
    let found = cluster.find_uid(&id.namespace, &id.name, &id.uid).filter(|ix| cluster.pod(*ix).is_active());
    let Some(ix) = found else { return Err(Standing::Gone) };
    match cluster.text(cluster.pod(ix).node_name) {
        "" => Ok(ix),
        node => Err(Standing::Bound(node.to_owned())),
    }
}

/// Decides about `pod` and passes the decision to `then`. A decision with an error note is refused.
fn decide(
    input: &LoadedInput,
    pod: PodIx,
    then: impl FnOnce(&Decision) -> Result<Standing<Plan>, Error>,
) -> Result<Standing<Plan>, Error> {
    let views = input.views(None);
    let Some(view) = views.get(input.view_of(pod)) else { return Ok(Standing::Gone) };
    let decision = decision::decide(view, pod, input.now);
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

/// The victims that are still on the plan's node.
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

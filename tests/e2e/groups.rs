//! Groups of pods, on a control plane that has them on: the situations in which the scheduler's
//! decision about a group and ours are compared, what shows that groups are on, and permissions.

pub mod apply;
pub mod fidelity;
mod refused;
mod scheduled;
pub mod shown;
mod single;
mod topology;
mod written;

use crate::objects::{Object, node, pod};
use crate::plane::{Plane, wait_for};
use crate::stage::Stage;

/// The scheduler knows groups.
pub const GROUPS: &str = "GenericWorkload=true";
/// It does not, though the API server does.
pub const ALONE: &str = "GenericWorkload=false";
/// It keeps groups in a topology domain, too.
const TOPOLOGY: &str = "GenericWorkload=true,TopologyAwareWorkloadScheduling=true";
/// It heeds the preemption policy of groups, too.
const POLICY: &str = "GenericWorkload=true,PodGroupPreemptionPolicy=true";
/// It does not, though the API server keeps that policy.
const NO_POLICY: &str = "GenericWorkload=true,PodGroupPreemptionPolicy=false";

/// What the scheduler does with a group, in short.
#[derive(Debug, Clone, Copy)]
pub enum Outcome {
    /// It never looks at it: what `hold` of our answer is.
    Waits(&'static str),
    /// It places this many of its pods at once.
    Fits(usize),
    /// It evicts this many pods for it.
    Preempts(usize),
    /// It writes that to the group, with reason `Unschedulable`.
    Refuses(&'static str),
    /// It writes that to the group, with reason `SchedulerError`.
    Fails(&'static str),
}

pub struct Situation {
    pub name: &'static str,
    /// What is there, and known to the scheduler.
    pub view: fn() -> Vec<Object>,
    /// The groups and pods that wait; the group in question is `g`.
    pub waiting: fn() -> Vec<Object>,
    pub outcome: Outcome,
    /// What a scheduler that is not released yet does instead.
    next: Option<Outcome>,
    /// Whether it can be asked: it has lost some gates and rules.
    pub has_next: bool,
    /// The scheduler's feature gates.
    pub gates: &'static str,
    /// A part of our text.
    pub says: &'static str,
}

impl Situation {
    const fn new(
        name: &'static str,
        view: fn() -> Vec<Object>,
        waiting: fn() -> Vec<Object>,
        outcome: Outcome,
    ) -> Self {
        Self { name, view, waiting, outcome, next: None, has_next: true, gates: GROUPS, says: "" }
    }

    const fn gates(mut self, gates: &'static str) -> Self {
        self.gates = gates;
        self
    }

    const fn next(mut self, outcome: Outcome) -> Self {
        self.next = Some(outcome);
        self
    }

    const fn without_next(mut self) -> Self {
        self.has_next = false;
        self
    }

    /// What the scheduler of a control plane does.
    fn outcome(&self, plane: &Plane) -> Outcome {
        self.next.filter(|_| plane.release.is_next()).unwrap_or(self.outcome)
    }

    const fn says(mut self, part: &'static str) -> Self {
        self.says = part;
        self
    }
}

/// An empty stage, and a scheduler with these gates that reads what happens on it. One that has
/// just started reads pods in any order, which is then the order of the pods of a group.
pub fn stage(plane: &mut Plane, gates: &'static str) -> Stage {
    if plane.gates == gates {
        return Stage::new(plane);
    }
    plane.replace_scheduler(gates);
    let stage = Stage::new(plane);
    stage.build(&[node("first", "1")]);
    let uid = stage.create(&pod("first"));
    wait_for("the scheduler", || !plane.kubelets.life(&uid).node.is_empty());
    Stage::new(plane)
}

/// A pod of low priority that belongs to group `old` and runs on a node.
fn old(name: &str, node: &str) -> Object {
    pod(name).cpu("1").class("low").of("old").on(node)
}

/// All of them.
pub fn situations() -> impl Iterator<Item = &'static Situation> {
    scheduled::SITUATIONS.iter().chain(refused::SITUATIONS).chain(topology::SITUATIONS)
}

/// Those of single pods, and the scheduler's feature gates.
pub fn single_pods() -> impl Iterator<Item = (&'static crate::situations::Situation, &'static str)>
{
    let groups = single::SITUATIONS.iter().map(|situation| (situation, GROUPS));
    groups.chain(single::ALONE.iter().map(|situation| (situation, ALONE)))
}

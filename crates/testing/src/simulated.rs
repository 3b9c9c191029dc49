//! Simulations for tests, in short texts that fit into a table.

use serde_json::Value;

use crate::decisions::{At, NOW, at, cluster, find};
use model::cluster::{Cluster, PodIx};
use model::edits::{self, Edit, EditError};
use simulation::hazard::Hazard;
use simulation::plan::{Placement, Plan, PlannedVictim, PreemptorId};
use simulation::planning::Proposal;
use simulation::sequence::{self, Simulation, SimulationSettings, Step};

/// A simulation's input and settings.
#[derive(Debug, Clone)]
pub struct Scene<'a> {
    cluster: Cluster,
    at: At<'a>,
    on: Option<&'a str>,
    depth: usize,
    edits: Vec<Edit>,
}

/// A simulation of the newest scheduler in the cluster of a list of objects.
pub fn scene<'a>(objects: Vec<Value>) -> Scene<'a> {
    Scene { cluster: cluster(objects), at: at("1.37"), on: None, depth: 3, edits: Vec::new() }
}

/// A simulation of `pods`, names or `namespace/name`, with the newest scheduler.
pub fn simulate(objects: Vec<Value>, pods: &[&str]) -> Simulated {
    scene(objects).run(pods)
}

impl<'a> Scene<'a> {
    /// The same with another scheduler.
    pub fn at(self, at: At<'a>) -> Self {
        Self { at, ..self }
    }

    /// The same with `--on`.
    pub fn on(self, node: &'a str) -> Self {
        Self { on: Some(node), ..self }
    }

    /// The same with `--depth`.
    pub fn depth(self, depth: usize) -> Self {
        Self { depth, ..self }
    }

    /// The same with a hypothetical edit.
    pub fn edit(mut self, edit: Edit) -> Self {
        self.edits.push(edit);
        self
    }

    pub fn run(self, pods: &[&str]) -> Simulated {
        self.try_run(pods).expect("edits that can be made")
    }

    /// Runs it, or returns the edit that cannot be applied.
    pub fn try_run(mut self, pods: &[&str]) -> Result<Simulated, EditError> {
        let pods: Vec<PodIx> = pods.iter().map(|pod| find(&self.cluster, pod)).collect();
        edits::apply(&mut self.cluster, &pods, &self.edits)?;
        let profile = self.at.profile();
        let now = NOW.parse().expect("a time");
        let profiles = [profile];
        let settings = SimulationSettings::new(&profiles, now).on(self.on).following(self.depth);
        Ok(Simulated(sequence::run(self.cluster, &pods, settings)))
    }
}

/// A simulation as texts.
#[derive(Debug, Clone)]
pub struct Simulated(pub Simulation);

fn words(step: &Step) -> String {
    let name = step.id.full_name();
    let name = name.strip_prefix("default/").unwrap_or(&name);
    let placed = |placed: &[Placement]| {
        let each =
            placed.iter().map(|placement| format!("{}@{}", placement.pod.name, placement.node));
        each.collect::<Vec<_>>().join(" ")
    };
    let nodes = |plan: &Plan| match step.id {
        PreemptorId::Pod(_) => plan.nodes().join(" "),
        PreemptorId::Group(_) => placed(&plan.placed),
    };
    match &step.proposal {
        Proposal::Fits(nodes) => format!("{name} fits {}", nodes.join(" ")),
        Proposal::GroupFits(all) => format!("{name} fits {}", placed(all)),
        Proposal::Evict(plan) => format!("{name} takes {} from {}", nodes(plan), victims(plan)),
        Proposal::Awaits(plan) => {
            format!("{name} takes {} once gone {}", nodes(plan), victims(plan))
        }
        Proposal::Impossible(why) => format!("{name} no: {why}"),
        Proposal::Unknown(why) => format!("{name} unknown: {why}"),
    }
}

fn victims(plan: &Plan) -> String {
    plan.victims.iter().map(|v| v.pod.name.as_str()).collect::<Vec<_>>().join(" ")
}

impl Simulated {
    /// The results of the pods that were asked about: `p fits NODE…`, `p takes NODE from VICTIM…`,
    /// `p no: WHY` or `p unknown: WHY`.
    pub fn steps(&self) -> Vec<String> {
        self.0.steps.iter().map(words).collect()
    }

    /// The same of the replacements, with their generation before.
    pub fn cascade(&self) -> Vec<String> {
        self.0.cascade.iter().map(|step| format!("{} {}", step.depth, words(step))).collect()
    }

    /// The plan of the first step.
    pub fn plan(&self) -> &Plan {
        self.0
            .steps
            .first()
            .and_then(|step| step.proposal.plan())
            .unwrap_or_else(|| panic!("no plan: {:?}", self.steps()))
    }

    /// The plan's victims in order: `name` and the hazards of its eviction.
    pub fn hazards(&self) -> Vec<String> {
        let text = |v: &PlannedVictim| {
            let names: Vec<&str> = v.hazards.iter().map(Hazard::name).collect();
            format!("{}: {}", v.pod.name, names.join(" ")).trim_end().to_owned()
        };
        self.plan().victims.iter().map(text).collect()
    }

    /// How the plan's victims use their budgets, in order: `name: BUDGET BEFORE>AFTER…`.
    pub fn budgets(&self) -> Vec<String> {
        let used = |v: &PlannedVictim| {
            let budgets = v.budgets.iter().map(|b| {
                let violated = if b.is_violated() { " violated" } else { "" };
                format!("{} {}>{}{violated}", b.name, b.before, b.after)
            });
            format!("{}: {}", v.pod.name, budgets.collect::<Vec<_>>().join(", "))
                .trim_end()
                .to_owned()
        };
        self.plan().victims.iter().map(used).collect()
    }

    /// Texts of the notes.
    pub fn notes(&self) -> Vec<String> {
        self.0
            .notes
            .iter()
            .map(|n| format!("{} {:?}: {}", n.severity.name(), n.objects, n.text))
            .collect()
    }
}

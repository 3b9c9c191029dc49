//! `-o csv` of `simulate`: one row for each pod that is placed, evicted, replaced or refused, for a
//! spreadsheet. RFC 4180.

use crate::csv;
use json::common::PodId;
use json::simulation::{Simulation, Step, Victim};

/// The columns. They are never renamed or moved; new ones are appended.
const HEADER: [&str; 12] = [
    "PART",
    "DEPTH",
    "POD",
    "PRIORITY",
    "OUTCOME",
    "NODE",
    "FOR",
    "OWNER",
    "GRACE_SECONDS",
    "BUDGETS",
    "WHO_ACTS",
    "WHY",
];

/// The subject of a row.
#[derive(Debug, Clone, Copy)]
enum Part {
    /// A pod that was asked about.
    Pod,
    /// A pod that is evicted.
    Victim,
    /// A pod that its owner makes instead of a victim.
    Replacement,
    /// A pod that waits already, and gets a node while another is drained.
    Competing,
    /// A pod that the API server would not create.
    Refused,
}

impl Part {
    const fn name(self) -> &'static str {
        match self {
            Self::Pod => "pod",
            Self::Victim => "victim",
            Self::Replacement => "replacement",
            Self::Competing => "competing",
            Self::Refused => "refused",
        }
    }
}

/// A row; most kinds of rows fill only some of the cells.
#[derive(Default)]
struct Row {
    part: &'static str,
    depth: String,
    pod: String,
    priority: String,
    outcome: String,
    node: String,
    evicted_for: String,
    owner: String,
    grace_seconds: String,
    budgets: String,
    who_acts: String,
    why: String,
}

impl Row {
    fn of(part: Part, pod: String) -> Self {
        Self { part: part.name(), pod, ..Self::default() }
    }

    /// A pod of a step, with what holds for all of its pods.
    fn of_step(step: &Step, part: Part, pod: String) -> Self {
        Self {
            depth: step.depth.to_string(),
            priority: step.priority.to_string(),
            outcome: step.outcome.to_string(),
            node: step.nodes.join(" "),
            who_acts: step.who_acts.as_deref().unwrap_or_default().to_owned(),
            why: step.why.clone().unwrap_or_default(),
            ..Self::of(part, pod)
        }
    }

    fn cells(&self) -> [&str; 12] {
        [
            self.part,
            &self.depth,
            &self.pod,
            &self.priority,
            &self.outcome,
            &self.node,
            &self.evicted_for,
            &self.owner,
            &self.grace_seconds,
            &self.budgets,
            &self.who_acts,
            &self.why,
        ]
    }
}

/// The table.
///
/// # Errors
/// None in practice: the table is written to memory.
pub fn table(simulation: &Simulation) -> Result<String, String> {
    let mut rows: Vec<Row> = Vec::new();
    for drain in &simulation.drains {
        let cause = format!("drain of {}", drain.node);
        // Of a pod whose eviction is refused, nothing else happens.
        for victim in &drain.victims {
            let refused = drain.refused.iter().any(|pod| pod.uid == victim.uid);
            let mut row = victim_row(victim, &cause);
            if refused {
                row.outcome = String::from("Stays");
            }
            rows.push(row);
        }
    }
    for step in &simulation.steps {
        add_step(&mut rows, step, Part::Pod);
    }
    for refused in &simulation.refused {
        let mut row = Row::of(Part::Refused, full_name(&refused.pod));
        row.why.clone_from(&refused.why);
        rows.push(row);
    }
    for step in &simulation.competing {
        add_step(&mut rows, step, Part::Competing);
    }
    for step in &simulation.cascade {
        add_step(&mut rows, step, Part::Replacement);
    }

    csv::write(HEADER, rows.iter().map(Row::cells))
}

/// The rows of a pod or group, and of its victims.
fn add_step(rows: &mut Vec<Row>, step: &Step, part: Part) {
    let name = match (&step.pod, &step.group) {
        (Some(pod), _) => full_name(pod),
        (None, Some(group)) => format!("PodGroup {}/{}", group.namespace, group.name),
        (None, None) => String::new(),
    };
    // Of a group each pod has a row; the group has one where none gets a node.
    if step.placements.is_empty() {
        rows.push(Row::of_step(step, part, name.clone()));
    }
    for placement in &step.placements {
        rows.push(Row {
            node: placement.node.clone(),
            owner: name.clone(),
            ..Row::of_step(step, part, full_name(&placement.pod))
        });
    }
    for pod in &step.left_out {
        rows.push(Row {
            outcome: "Impossible".to_owned(),
            node: String::new(),
            owner: name.clone(),
            ..Row::of_step(step, part, full_name(pod))
        });
    }
    for victim in step.plan.iter().flat_map(|plan| &plan.victims) {
        rows.push(Row { depth: step.depth.to_string(), ..victim_row(victim, &name) });
    }
}

fn victim_row(victim: &Victim, cause: &str) -> Row {
    let budgets = victim.budgets.iter().map(|budget| {
        let violated = if budget.violated { " violated" } else { "" };
        format!("{}: {} > {}{violated}", budget.name, budget.allowed_before, budget.allowed_after)
    });
    let hazards: Vec<&str> = victim.hazards.iter().map(|hazard| hazard.text.as_str()).collect();
    Row {
        priority: victim.priority.to_string(),
        outcome: if victim.terminating { "Terminating" } else { "Evicted" }.to_owned(),
        node: victim.node.clone(),
        evicted_for: cause.to_owned(),
        owner: victim.owners.first().cloned().unwrap_or_default(),
        grace_seconds: victim.grace_period_seconds.to_string(),
        budgets: budgets.collect::<Vec<_>>().join("; "),
        why: hazards.join("; "),
        ..Row::of(Part::Victim, format!("{}/{}", victim.namespace, victim.name))
    }
}

fn full_name(pod: &PodId) -> String {
    format!("{}/{}", pod.namespace, pod.name)
}

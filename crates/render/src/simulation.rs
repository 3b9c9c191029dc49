//! The result of `kubectl preempt simulate` as text: the plan for each pod, what follows from it, and the notes.

use super::headline::{doubt, rules, sampled};
use jiff::Timestamp;

use super::page::{Page, Sign, Span, Tone};
use super::{notes, words};
use engine::edits::Edit;
use engine::profile::Profile;
use engine::simulation::plan::{BudgetUse, Plan, PlannedVictim};
use engine::simulation::planning::Proposal;
use engine::simulation::sequence::{PodOutcome, Simulation};

/// The most nodes that are named if the scheduler may pick several.
const NODES_NAMED: usize = 5;

/// The page about a simulation.
#[must_use]
pub fn page(simulation: &Simulation, profile: &Profile, now: Timestamp) -> Page {
    let mut page = Page::default();
    if !simulation.assumptions.is_empty() {
        let assumed: Vec<String> = simulation.assumptions.iter().map(Edit::words).collect();
        page.line(0, vec![format!("Assuming {}:", assumed.join(", ")).into()]);
    }
    let said = Said { rules: rules(profile), doubt: doubt(simulation.notes.iter()) };
    for (index, step) in simulation.steps.iter().enumerate() {
        if index > 0 {
            page.gap();
        }
        self::step(&mut page, step, &said, now);
    }
    cascade(&mut page, simulation);
    notes::add(&mut page, &simulation.notes, true);
    page
}

/// The sentences that follow every verdict.
struct Said {
    rules: String,
    doubt: String,
}

/// The section about one pod.
fn step(page: &mut Page, step: &PodOutcome, said: &Said, now: Timestamp) {
    let pod = format!("Pod {} (priority {})", step.pod.full_name(), step.priority);
    let (sign, tone, text) = match &step.proposal {
        Proposal::Fits(nodes) => {
            let place = match step.likelihood {
                None => format!("on {}", places(nodes)),
                Some(likelihood) => {
                    let first = nodes.first().map(String::as_str).unwrap_or_default();
                    sampled(likelihood, |likely| format!("{likely}on node {first}"), || "and runs".to_owned())
                }
            };
            (Sign::Yes, Tone::Good, format!("{pod} fits as it is, {place}."))
        }
        Proposal::Evict(plan) if plan.victims.is_empty() => {
            (Sign::Yes, Tone::Good, format!("{pod} gets node {} without an eviction.", plan.node))
        }
        Proposal::Evict(plan) => {
            let verb = if plan.victims.len() == 1 { "goes" } else { "go" };
            let victims = words::count(plan.victims.len(), "pod");
            let node = format!("node {}, and {victims} {verb} for it", plan.node);
            let text = match step.likelihood {
                None => format!("{pod} gets {node}."),
                Some(chance) => {
                    let gets = |likely: &str| format!("{pod} {likely}gets {node}");
                    format!("{}.", sampled(chance, gets, || format!("{pod} runs")))
                }
            };
            (Sign::Costs, Tone::Bad, text)
        }
        Proposal::Awaits(plan) => {
            let (pods, time) = (words::count(plan.victims.len(), "pod"), words::age(plan.seconds_to_room(now)));
            let (gone, are) = if plan.victims.len() == 1 { ("is gone", "it is") } else { ("are gone", "they are") };
            let text = format!(
                "{pod} gets node {} once {pods} {gone} (about {time}): {are} terminating already, and no pod has to be evicted.",
                plan.node
            );
            (Sign::Yes, Tone::Good, text)
        }
        Proposal::Impossible(_) => (Sign::No, Tone::Bad, format!("{pod} gets no node.")),
        Proposal::Unknown(_) => (Sign::Unknown, Tone::Bad, format!("{pod}: it cannot be told.")),
    };
    let (sign, tone) = if said.doubt.is_empty() { (sign, tone) } else { (Sign::Unknown, Tone::Bad) };
    page.line(0, vec![Span::signed(sign, "", tone), Span::new(text + &said.rules + &said.doubt, Tone::Strong)]);
    match &step.proposal {
        Proposal::Evict(plan) | Proposal::Awaits(plan) => victims(page, plan, now),
        Proposal::Impossible(why) | Proposal::Unknown(why) => page.line(2, vec![Span::new(why.as_str(), Tone::Quiet)]),
        Proposal::Fits(_) => {}
    }
    if !step.scheduler_picks.is_empty() {
        let text = format!("the scheduler itself would take {}", places(&step.scheduler_picks));
        page.line(2, vec![text.into()]);
    }
}

/// `node a`, `one of a, b and c`.
fn places(nodes: &[String]) -> String {
    match nodes {
        [node] => format!("node {node}"),
        nodes => format!("one of {}: {}", words::count(nodes.len(), "node"), words::list(nodes, NODES_NAMED)),
    }
}

fn victims(page: &mut Page, plan: &Plan, now: Timestamp) {
    let rows = plan.victims.iter().enumerate().map(|(index, victim)| row(index + 1, victim, now));
    let rows: Vec<Vec<Span>> = rows.collect();
    if rows.is_empty() {
        return;
    }
    page.table(2, vec!["#", "VICTIM", "PRIORITY", "STOPS IN", "OWNER", "PDB ALLOWS", "THEN"], rows);
    let free = words::age(plan.seconds_to_room(now));
    let from = if plan.victims.iter().all(|v| v.terminating_until.is_some()) { "" } else { " of the evictions" };
    let text = format!("the room is free within {free}{from}, unless a node or a finalizer keeps a pod");
    page.line(2, vec![Span::new(text, Tone::Quiet)]);
    if !plan.tied.is_empty() {
        let text = format!("kube-scheduler may also take {}", places(&plan.tied));
        page.line(2, vec![text.into()]);
    }
    for victim in &plan.victims {
        for hazard in &victim.hazards {
            let flag = hazard.waived_by().map_or_else(String::new, |flag| format!("; --apply needs {flag}"));
            let text = format!("{} {}{flag}", victim.pod.full_name(), hazard.text());
            page.line(2, vec![Span::new("! ", Tone::Bad), text.into()]);
        }
    }
}

fn row(number: usize, victim: &PlannedVictim, now: Timestamp) -> Vec<Span> {
    let owner = match victim.owners.as_slice() {
        [] => "-".to_owned(),
        owners => owners.iter().rev().map(|o| format!("{}/{}", o.kind, o.name)).collect::<Vec<_>>().join(" > "),
    };
    let violated = victim.budgets.iter().any(BudgetUse::is_violated);
    let budgets: Vec<String> = victim
        .budgets
        .iter()
        .map(|budget| {
            if budget.is_violated() {
                format!("{}: {}, violated", budget.name, budget.before.max(0))
            } else {
                format!("{}: {} > {}", budget.name, budget.before, budget.after)
            }
        })
        .collect();
    let budgets = if budgets.is_empty() { "-".to_owned() } else { budgets.join(", ") };
    let stops = words::age(victim.seconds_to_stop(now));
    let stops = if victim.terminating_until.is_some() { format!("{stops} (terminating)") } else { stops };
    vec![
        number.to_string().into(),
        victim.pod.full_name().into(),
        victim.priority.to_string().into(),
        stops.into(),
        owner.into(),
        Span::new(budgets, if violated { Tone::Bad } else { Tone::Plain }),
        victim.afterwards.text().into(),
    ]
}

/// The section about the replacements of victims.
fn cascade(page: &mut Page, simulation: &Simulation) {
    if simulation.cascade.is_empty() && simulation.not_followed == 0 {
        return;
    }
    page.gap();
    page.heading("What becomes of the victims' replacements");
    for step in &simulation.cascade {
        let who = format!("{} (priority {})", step.pod.full_name(), step.priority);
        let (tone, text) = match &step.proposal {
            Proposal::Fits(nodes) => (Tone::Good, format!("goes to {}", places(nodes))),
            Proposal::Evict(plan) => {
                let names: Vec<String> = plan.victims.iter().map(|v| v.pod.full_name()).collect();
                (Tone::Bad, format!("throws {} out of node {}", words::list(&names, NODES_NAMED), plan.node))
            }
            Proposal::Awaits(plan) => {
                let names: Vec<String> = plan.victims.iter().map(|v| v.pod.full_name()).collect();
                (Tone::Good, format!("goes to node {} once {} is gone", plan.node, words::list(&names, NODES_NAMED)))
            }
            Proposal::Impossible(why) => (Tone::Bad, format!("stays pending: {}", in_short(why))),
            Proposal::Unknown(why) => (Tone::Bad, format!("cannot be told: {why}")),
        };
        page.line(2 * step.depth, vec![format!("{who} ").into(), Span::new(text, tone)]);
    }
    if simulation.not_followed > 0 {
        let text = format!("and {}, not followed", words::count(simulation.not_followed, "more replacement"));
        page.line(2, vec![Span::new(text, Tone::Quiet)]);
    }
}

/// The scheduler's message without the text of preemption.
fn in_short(message: &str) -> &str {
    message.split_once(" preemption: ").map_or(message, |(nodes, _)| nodes)
}

#[cfg(test)]
mod tests;

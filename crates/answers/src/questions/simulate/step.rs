//! What a simulation says of a pod or group, in words.

use engine::decision::lingering;
use engine::simulation::plan::{Placement, Plan, PodId, PreemptorId, nodes_of};
use engine::simulation::planning::Proposal;
use engine::simulation::sequence::{OpenVictims, Step};
use jiff::Timestamp;

use crate::extent::Extent;
use crate::headline::{Standing, once_gone, sampled};
use crate::{autoscaling, competition, ties, words};

/// Maximum number of nodes and pods named in a clause.
pub const NAMED: usize = 5;
/// What is said of a pod that no node takes.
const NO_NODE: &str = "no node fits";

/// `shop/web-0 (priority 100): kube-scheduler evicts 2 pods on worker-3`, without a full stop. `evicts`:
/// the plan is carried out through the eviction API.
pub fn headline(step: &Step, now: Timestamp, evicts: bool) -> (Standing, String) {
    let head = format!("{} (priority {}): ", name(&step.id), step.priority);
    let (standing, mut clause) = outcome(step, now, evicts);
    if let Some(told) = step.autoscaling.as_deref().filter(|_| step.queued) {
        // The sign takes two columns.
        let told = autoscaling::without_node(told, NO_NODE, head.chars().count() + 2);
        clause = told.unwrap_or(clause);
    }
    (standing, format!("{head}{clause}"))
}

/// The same, or what becomes of a replacement: `shop/web-0 (priority 100) fits on worker-3`.
pub fn sentence(step: &Step, now: Timestamp) -> String {
    if step.depth == 0 {
        return headline(step, now, false).1;
    }
    let (_, clause) = replacement(step, Extent::Top);
    format!("{} (priority {}) {clause}", name(&step.id), step.priority)
}

const fn good(clause: String) -> (Standing, String) {
    (Standing::Yes, clause)
}

/// The outcome for a pod or group in a clause.
fn outcome(step: &Step, now: Timestamp, evicts: bool) -> (Standing, String) {
    let of_group = step.id.pod().is_none();
    match &step.proposal {
        Proposal::Fits(nodes) => {
            let place = match step.likelihood {
                None => format!("on {}", places(nodes)),
                Some(likelihood) => {
                    let first = nodes.first().map(String::as_str).unwrap_or_default();
                    sampled(
                        likelihood,
                        |likely| format!("{}on {first}", likely.adverb()),
                        |possible| format!("on one of {possible}"),
                    )
                }
            };
            good(format!("it fits without evictions {place}"))
        }
        Proposal::GroupFits(placed) => {
            let fit = if placed.len() == 1 { "fits" } else { "fit" };
            let (members, nodes) = (members(step, placed), names_of(placed));
            good(format!("{members} {fit} without evictions on {nodes}"))
        }
        // Preemption may nominate a node on which nothing has to go.
        Proposal::Evict(plan) if plan.victims.is_empty() => {
            let nodes = names_of(&plan.placed);
            good(if of_group {
                format!("{} fit on {nodes} without evictions", members(step, &plan.placed))
            } else {
                format!("it fits on {nodes} without evictions")
            })
        }
        Proposal::Evict(plan) => (Standing::Costs, evicting(step, plan, evicts)),
        Proposal::Awaits(plan) => awaiting(step, plan, now),
        Proposal::Impossible(_) if of_group => (Standing::No, "its pods get no nodes".to_owned()),
        Proposal::Impossible(_) => (Standing::No, no_node(step)),
        Proposal::Unknown(_) => (Standing::Unknown, "not known".to_owned()),
    }
}

/// The clause about a plan with victims: `kube-scheduler evicts 2 pods on worker-3`, or, if somebody
/// else does or kube-scheduler would pick another node, `evicting 2 pods makes room on worker-3`.
fn evicting(step: &Step, plan: &Plan, evicts: bool) -> String {
    let victims = words::count(plan.victims.len(), "pod");
    let nodes = names_of(&plan.placed);
    let for_pods = match step.id.pod() {
        Some(_) => String::new(),
        None => format!("for {} ", members(step, &plan.placed)),
    };
    let is_scheduler = !evicts && step.scheduler_picks.is_empty() && step.id.pod().is_some();
    let evicting = |likely: &str| {
        if is_scheduler {
            format!("kube-scheduler {likely}evicts {victims} on {nodes}")
        } else {
            format!("evicting {victims} {likely}makes room {for_pods}on {nodes}")
        }
    };
    let room = match step.likelihood {
        None => evicting(""),
        Some(chance) => sampled(
            chance,
            |likely| evicting(likely.adverb()),
            |possible| {
                if is_scheduler {
                    format!("kube-scheduler evicts pods on one of {possible}")
                } else {
                    format!("evicting pods makes room on one of {possible}")
                }
            },
        ),
    };
    contested(room, plan)
}

/// The clause about a plan, with who may take its room.
fn contested(clause: String, plan: &Plan) -> String {
    match competition::clause(&plan.competitors) {
        Some(but) => format!("{clause}, {but}"),
        None => clause,
    }
}

/// The clause about a plan whose victims are already being deleted.
fn awaiting(step: &Step, plan: &Plan, now: Timestamp) -> (Standing, String) {
    let gets = match (step.id.pod(), plan.placed.len()) {
        (Some(_), _) => "it gets".to_owned(),
        (None, 0 | 1) => format!("{} gets", members(step, &plan.placed)),
        (None, _) => format!("{} get", members(step, &plan.placed)),
    };
    let due = plan.victims.iter().map(|victim| victim.terminating_until);
    let text = contested(once_gone(&gets, &names_of(&plan.placed), due, now), plan);
    for victim in &plan.victims {
        if victim.terminating_until.is_some_and(|due| lingering::is_overdue(due, now)) {
            return (Standing::Costs, format!("stuck: {text}"));
        }
    }
    good(text)
}

/// Why a pod gets no node, in a few words.
fn no_node(step: &Step) -> String {
    match (step.gates.as_slice(), step.queued) {
        (_, true) => NO_NODE.to_owned(),
        ([], false) => "it gets no node".to_owned(),
        ([gate], false) => format!("it gets no node while it has the scheduling gate {gate}"),
        (gates, false) => {
            format!(
                "it gets no node while it has the scheduling gates {}",
                words::list(gates, usize::MAX)
            )
        }
    }
}

/// `ns/web-0`, `PodGroup ns/train`.
pub fn name(id: &PreemptorId) -> String {
    match id {
        PreemptorId::Pod(pod) => pod.full_name(),
        PreemptorId::Group(_) => format!("PodGroup {}", id.full_name()),
    }
}

/// `3 pods`, `2 of its 3 waiting pods`.
pub fn members(step: &Step, placed: &[Placement]) -> String {
    match step.left_out.len() {
        0 => words::count(placed.len(), "pod"),
        others => format!("{} of its {} waiting pods", placed.len(), placed.len() + others),
    }
}

/// The nodes of these pods in words.
pub fn names_of(placed: &[Placement]) -> String {
    let nodes: Vec<&str> = nodes_of(placed).into_iter().collect();
    words::list(&nodes, NAMED)
}

/// Which pods kube-scheduler may evict instead of the victims of the plan.
pub fn open_victims(open: &OpenVictims) -> String {
    let mut names: Vec<String> = open.pods.iter().map(PodId::full_name).collect();
    names.sort_unstable();
    let tried = if open.complete { "" } else { " in the orders that were tried" };
    format!(
        "kube-scheduler itself may evict {} of {}{tried}; this plan names one set that is enough",
        open.count,
        words::list(&names, ties::NAMED)
    )
}

/// `a`, `one of 3 nodes: a, b and c`.
pub fn places(nodes: &[String]) -> String {
    match nodes {
        [node] => node.clone(),
        nodes => {
            format!("one of {}: {}", words::count(nodes.len(), "node"), words::list(nodes, NAMED))
        }
    }
}

/// What becomes of a replacement, in a clause without its name.
pub fn replacement(step: &Step, extent: Extent) -> (Standing, String) {
    match &step.proposal {
        Proposal::Fits(nodes) => good(format!("fits on {}", places(nodes))),
        Proposal::GroupFits(placed) => {
            let (members, nodes) = (members(step, placed), names_of(placed));
            good(format!("fits with {members} on {nodes}"))
        }
        // It goes on: what it evicts has replacements, too.
        Proposal::Evict(plan) => {
            let victims = words::list(&victim_names(plan), extent.named(NAMED));
            (Standing::Costs, format!("evicts {victims} from {}", names_of(&plan.placed)))
        }
        Proposal::Awaits(plan) => {
            let names = victim_names(plan);
            let are = if names.len() == 1 { "is" } else { "are" };
            let victims = words::list(&names, extent.named(NAMED));
            let node = names_of(&plan.placed);
            good(format!("goes to node {node} once {victims} {are} gone"))
        }
        Proposal::Impossible(why) => {
            let next = autoscaling::of_replacement(step.autoscaling.as_deref());
            let why = if extent.is_whole() { why } else { words::without_preemption(why) };
            (Standing::No, format!("stays pending: {why}{next}"))
        }
        Proposal::Unknown(why) => (Standing::Unknown, format!("is not known: {why}")),
    }
}

/// The victims of a plan, `ns/name`.
pub fn victim_names(plan: &Plan) -> Vec<String> {
    plan.victims.iter().map(|victim| victim.pod.full_name()).collect()
}

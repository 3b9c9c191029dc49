//! The answer about nodes, and about each of them, in a sentence.

use engine::simulation::plan::PodId;
use engine::simulation::planning::Proposal;
use engine::simulation::removal::outcomes::Holds;
use engine::simulation::removal::reasons::RemovalObstacle;
use engine::simulation::removal::{self, NodeRemoval, RemovalVerdict};
use engine::simulation::sequence::Step;

use super::fates::Outlook;
use super::{NodeReport, Verdict, reason};
use crate::extent::Extent;
use crate::words;

/// Maximum number of names in a line.
const NAMED: usize = 3;
/// Maximum number of nodes in an order.
const PLACES: usize = 4;

impl NodeReport {
    /// The answer in a clause: about the only node, or about all of them together.
    pub fn sentence(&self, extent: Extent) -> String {
        match self.removal.nodes.as_slice() {
            [only] => self.sentence_about(only),
            nodes => self.overview(nodes, extent),
        }
    }

    /// `2 of 3 nodes can be drained in this order: n1, n3; 1 is blocked`.
    fn overview(&self, nodes: &[NodeRemoval], extent: Extent) -> String {
        let removal = &self.removal;
        let can: Vec<&str> = (nodes.iter().filter(|node| node.verdict == RemovalVerdict::Can))
            .map(|node| node.node.as_str())
            .collect();
        let all = nodes.len();
        let fresh = match removal.surge {
            0 => String::new(),
            1 => " with 1 fresh node".to_owned(),
            fresh => format!(" with {fresh} fresh nodes"),
        };
        let which = match can.len() {
            0 => String::new(),
            1 => format!(": {}", can.join("")),
            _ => format!(" in this order: {}", places_in_order(&can, extent)),
        };
        let number = words::share(can.len(), all, "node");
        // A larger set may exist if not every order was tried.
        let left = if removal.orders_left { "; more orders were not tried" } else { "" };
        format!("{number} can be drained{fresh}{which}{left}{}", others(nodes))
    }

    /// How the question is answered for one of the nodes.
    pub fn verdict_about(&self, node: &NodeRemoval) -> Verdict {
        Verdict::new(node.verdict == RemovalVerdict::Can, node.verdict.is_open())
    }

    /// `n1 can be drained: 14 pods move, 2 budgets make it wait`.
    pub fn sentence_about(&self, node: &NodeRemoval) -> String {
        let (name, clause) = (&node.node, self.clause_about(node));
        match node.verdict {
            RemovalVerdict::Unsure => format!("whether {name} can be drained is {clause}"),
            _ => format!("{name} {clause}"),
        }
    }

    /// The same without the numbers, for a row that has them.
    pub fn in_a_word(&self, node: &NodeRemoval) -> String {
        let outlook = Outlook::of(node);
        match node.verdict {
            RemovalVerdict::Can => "can be drained".to_owned(),
            RemovalVerdict::Cannot if outlook.drains() => "drains".to_owned(),
            RemovalVerdict::Cannot => in_the_way(&outlook.blockers),
            RemovalVerdict::DependsOnTiming => {
                format!("{} of {} orders work", node.timings_done, self.removal.timings)
            }
            RemovalVerdict::DependsOnReadiness => "if a replacement becomes Ready".to_owned(),
            RemovalVerdict::Unsure => "not known".to_owned(),
        }
    }

    /// The answer about a node without its name. What no rule shows for every order is said of the
    /// orders that were tried.
    pub fn clause_about(&self, node: &NodeRemoval) -> String {
        let removal = &self.removal;
        let tried = removal.timings;
        let reasons: Vec<&RemovalObstacle> = node.obstacles.iter().map(|one| &one.reason).collect();
        let any = in_the_way(&reasons);
        let outlook = Outlook::of(node);
        let pending = stays_pending(&outlook);
        match node.verdict {
            RemovalVerdict::Can if removal.every_order || tried == 1 => {
                format!("can be drained: {}", moves(node))
            }
            RemovalVerdict::Can => {
                format!("can be drained in all {tried} orders tried: {}", moves(node))
            }
            RemovalVerdict::Cannot => {
                let is_proven = tried == 1
                    || node.obstacles.iter().any(|obstacle| obstacle.holds == Holds::EveryOrder);
                let in_orders = |of: &str| {
                    if is_proven { String::new() } else { format!(" in {of} {tried} orders tried") }
                };
                if outlook.drains() {
                    let budgets =
                        if self.budgets_unknown { "PDBs are unknown" } else { "no PDB blocks it" };
                    let orders = in_orders("all");
                    return format!("drains, but {pending}{orders}; {budgets}");
                }
                let (orders, blocked) = (in_orders("any of"), in_the_way(&outlook.blockers));
                let pending = if pending.is_empty() { pending } else { format!("; {pending}") };
                format!("cannot be drained{orders}: {blocked}{pending}")
            }
            RemovalVerdict::DependsOnTiming if outlook.drains() => format!(
                "drains; in {} of {tried} orders tried every pod gets a node, else {pending}",
                node.timings_done,
            ),
            RemovalVerdict::DependsOnTiming => format!(
                "may or may not drain: {} of {tried} orders tried work; else {any}",
                node.timings_done,
            ),
            RemovalVerdict::DependsOnReadiness => format!(
                "may or may not drain: only if the replacement of {} becomes Ready; else {any}",
                words::list(
                    &node.play.unready.iter().map(PodId::full_name).collect::<Vec<_>>(),
                    NAMED
                ),
            ),
            RemovalVerdict::Unsure => format!("not known: {any}"),
        }
    }
}

/// The first nodes of an order, and how many follow.
fn places_in_order(nodes: &[&str], extent: Extent) -> String {
    let shown = nodes.get(..extent.named(PLACES)).unwrap_or(nodes);
    match nodes.len() - shown.len() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// What becomes of the nodes that cannot be drained for certain: `; 2 drain and leave pods Pending, 1
/// is blocked`.
fn others(nodes: &[NodeRemoval]) -> String {
    let (mut leave, mut open, mut blocked, mut unknown) = (0, 0, 0, 0);
    for node in nodes {
        match node.verdict {
            RemovalVerdict::Can => {}
            RemovalVerdict::Cannot if Outlook::of(node).drains() => leave += 1,
            RemovalVerdict::Cannot => blocked += 1,
            RemovalVerdict::DependsOnTiming | RemovalVerdict::DependsOnReadiness => open += 1,
            RemovalVerdict::Unsure => unknown += 1,
        }
    }
    let mut parts = Vec::new();
    let several = format!("{leave} drain and leave pods Pending");
    add(&mut parts, leave, "1 drains and leaves pods Pending", &several);
    add(&mut parts, blocked, "1 is blocked", &format!("{blocked} are blocked"));
    add(&mut parts, open, "1 depends on timing", &format!("{open} depend on timing"));
    add(&mut parts, unknown, "1 is not known", &format!("{unknown} are not known"));
    if parts.is_empty() { String::new() } else { format!("; {}", parts.join(", ")) }
}

/// `1 pod stays Pending (up to 24 by timing)`; empty if none does.
fn stays_pending(outlook: &Outlook) -> String {
    let most = outlook.pending + outlook.pending_by_timing;
    match (outlook.pending, outlook.pending_by_timing) {
        (0, 0) => String::new(),
        (0, 1) | (1, 0) => "1 pod stays Pending".to_owned(),
        (0, _) => format!("up to {most} pods stay Pending"),
        (1, _) => format!("1 pod stays Pending (up to {most} by timing)"),
        (always, 0) => format!("{always} pods stay Pending"),
        (always, _) => format!("{always} pods stay Pending (up to {most} by timing)"),
    }
}

/// `14 pods move, 1 is lost, 2 budgets make it wait`.
fn moves(node: &NodeRemoval) -> String {
    let play = &node.play;
    let lost = removal::lost(play).len();
    let moving = play.pods.len() - lost;
    let preempted: usize = play.steps.iter().map(victims_of).sum();
    let mut parts = Vec::new();
    let moves = format!("{} move", words::count(moving, "pod"));
    add(&mut parts, moving, "1 pod moves", &moves);
    // The noun is said once.
    if moving == 0 {
        let pods = format!("{} are lost for good", words::count(lost, "pod"));
        add(&mut parts, lost, "1 pod is lost for good", &pods);
    } else {
        add(&mut parts, lost, "1 is lost for good", &format!("{lost} are lost for good"));
    }
    let waits = play.waits().len();
    add(&mut parts, waits, "1 budget makes it wait", &format!("{waits} budgets make it wait"));
    let evicted = format!("{preempted} pods elsewhere are evicted for them");
    add(&mut parts, preempted, "1 pod elsewhere is evicted for them", &evicted);
    if parts.is_empty() { "nothing to drain".to_owned() } else { parts.join(", ") }
}

/// Adds what is said of one, or of several; nothing if there are none.
fn add(parts: &mut Vec<String>, number: usize, one: &str, several: &str) {
    match number {
        0 => {}
        1 => parts.push(one.to_owned()),
        _ => parts.push(several.to_owned()),
    }
}

/// How many pods a step preempts.
fn victims_of(step: &Step) -> usize {
    match &step.proposal {
        Proposal::Evict(plan) => plan.victims.len(),
        _ => 0,
    }
}

/// What keeps a node from being removed, in short: `3 pods fit nowhere`, `PDB data/kafka allows
/// none`.
fn in_the_way(reasons: &[&RemovalObstacle]) -> String {
    // Pods are counted by what happens to them, and budgets that never open up together.
    let (mut own, mut preempted, mut unknown, mut closed) = (0, 0, 0, 0);
    for reason in reasons {
        match reason {
            RemovalObstacle::NoNode { is_preempted: false, .. } => own += 1,
            RemovalObstacle::NoNode { is_preempted: true, .. } => preempted += 1,
            RemovalObstacle::Unknown { .. } => unknown += 1,
            reason if is_closed_budget(reason) => closed += 1,
            _ => {}
        }
    }
    let mut parts = Vec::new();
    add(&mut parts, own, "1 pod fits nowhere", &format!("{own} pods fit nowhere"));
    let one = "1 pod that is evicted for them fits nowhere";
    let several = format!("{preempted} pods that are evicted for them fit nowhere");
    add(&mut parts, preempted, one, &several);
    // A few budgets are named, more of them counted.
    let are_named = closed <= NAMED;
    if !are_named {
        parts.push(format!("{closed} PDBs allow none"));
    }
    let rest = reasons.iter().filter(|reason| are_named || !is_closed_budget(reason));
    parts.extend(rest.filter_map(|reason| reason::in_short(reason)));
    add(&mut parts, unknown, "where 1 pod goes", &format!("where {unknown} pods go"));
    if parts.is_empty() { "see the notes".to_owned() } else { parts.join(", ") }
}

/// Whether a budget allows no eviction even after waiting.
fn is_closed_budget(reason: &RemovalObstacle) -> bool {
    matches!(reason, RemovalObstacle::Budget { waits_for, .. } if waits_for.is_empty())
}

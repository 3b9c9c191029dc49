//! What a change does to workloads that exist, in words.

use engine::cluster::owner::Workload;
use engine::notes::Note;
use engine::simulation::change::{ChangeKind, RolloutStop, StopCause, WorkloadChange};
use engine::simulation::plan::PodId;
use engine::simulation::sequence::orders::Range;
use engine::simulation::sequence::orders::WorkloadRange;
use engine::simulation::sequence::{Simulation, Step};
use engine::simulation::{CHANGE, MANIFEST};

use crate::words;

/// Maximum number of workloads and pods that a sentence names.
const NAMED: usize = 3;

/// What is new, changed and gone, in a line; `None` if everything is new.
///
/// `1 new, 2 changed, 7 unchanged, 1 gone: Deployment shop/web rolls out 4 pods`
pub fn summary(simulation: &Simulation) -> Option<String> {
    let changes = &simulation.changes;
    let of = |wanted: &[ChangeKind]| {
        changes.iter().filter(|change| wanted.contains(&change.what)).count()
    };
    if of(&[ChangeKind::New]) == changes.len() {
        return None;
    }
    let mut numbers = Vec::new();
    for (kinds, word) in [
        (&[ChangeKind::New][..], "new"),
        (&[ChangeKind::Scaled, ChangeKind::RolledOut], "changed"),
        (&[ChangeKind::Unchanged], "unchanged"),
        (&[ChangeKind::Gone], "gone"),
    ] {
        let number = of(kinds);
        if number > 0 {
            numbers.push(format!("{} {word}", words::group_digits(number)));
        }
    }
    let named: Vec<String> = changes.iter().filter_map(clause).collect();
    let numbers = numbers.join(", ");
    Some(if named.is_empty() {
        numbers
    } else {
        format!("{numbers}: {}", words::list(&named, NAMED))
    })
}

/// What becomes of a workload: `Deployment shop/web goes from 4 to 2 pods`.
fn clause(change: &WorkloadChange) -> Option<String> {
    let (object, before, after) = (change.object(), change.before, change.after);
    match change.what {
        ChangeKind::New | ChangeKind::Unchanged => None,
        ChangeKind::Scaled => Some(format!("{object} goes from {before} to {after} pods")),
        ChangeKind::RolledOut if change.kind == "CronJob" => Some(format!("{object} changes")),
        ChangeKind::RolledOut if before == after => {
            Some(format!("{object} rolls out {}", words::count(after, "pod")))
        }
        ChangeKind::RolledOut => {
            Some(format!("{object} rolls out {after} pods instead of {before}"))
        }
        ChangeKind::Gone => Some(format!("{object} and its {} leave", words::count(before, "pod"))),
    }
}

/// The outcome for a workload that changes, as lines below the summary.
pub fn lines(change: &WorkloadChange) -> Vec<String> {
    let mut lines = Vec::new();
    let is_changed = matches!(change.what, ChangeKind::Scaled | ChangeKind::RolledOut);
    match &change.stop {
        Some(stop) => lines.push(format!("{}: {}", change.object(), stopped(change, stop))),
        None if is_changed && change.kind != "CronJob" => {
            lines.push(format!("{}: the change completes", change.object()));
        }
        None => {}
    }
    if change.what != ChangeKind::RolledOut && !change.removed.is_empty() {
        let names: Vec<String> = change.removed.iter().map(PodId::full_name).collect();
        let others = if change.is_removal_open { ", or others like them" } else { "" };
        lines.push(format!("{}: {} leave{others}", change.object(), words::list(&names, NAMED)));
    }
    lines
}

/// Where a rollout stops, and why: `the rollout stops at 3 of 4: shop/web-new-0 gets no node until an
/// old pod leaves, and maxUnavailable is 0`.
pub fn stopped(change: &WorkloadChange, stop: &RolloutStop) -> String {
    let RolloutStop { available, wanted, pod, old, cause } = stop;
    let what = if change.what == ChangeKind::RolledOut { "rollout" } else { "scaling" };
    let head = format!("the {what} stops at {available} of {wanted}: {pod}");
    match cause {
        StopCause::NoNode { max_unavailable: 0, .. }
            if change.kind == "Deployment" && *old > 0 && what == "rollout" =>
        {
            format!("{head} gets no node until an old pod leaves, and maxUnavailable is 0")
        }
        StopCause::NoNode { why, max_unavailable } if *old > 0 && *max_unavailable > 0 => {
            format!(
                "{head} gets no node, and no more old pods may leave (maxUnavailable is {max_unavailable}): {}",
                words::without_preemption(why)
            )
        }
        StopCause::NoNode { why, .. } => {
            format!("{head} gets no node: {}", words::without_preemption(why))
        }
        StopCause::Refused(why) => format!("{head} is refused: {why}"),
        StopCause::NotReady => {
            format!("{head} is not Ready, and its controller waits for it")
        }
        StopCause::NotKnown(why) => format!("whether {pod} gets a node is not known: {why}"),
    }
}

/// What is not certain about a change.
pub(super) fn doubt(change: &WorkloadChange) -> Option<Note> {
    let (object, stops) = (change.object(), change.stop.is_some());
    if !change.is_template_known && change.what != ChangeKind::Unchanged {
        let text = format!(
            "whether the pods of {object} change is not known: the input has no template of them; they are replaced here"
        );
        // If they stay as they are, nothing stops.
        return Some(if stops {
            Note::error(&MANIFEST, text)
        } else {
            Note::warning(&MANIFEST, text)
        });
    }
    let is_changed = matches!(change.what, ChangeKind::Scaled | ChangeKind::RolledOut);
    if is_changed && change.unready > 0 {
        let text = format!(
            "{} of {object} {} not Ready: the change is played as if they stayed so, and as if every new pod became Ready",
            words::count(change.unready, "pod"),
            if change.unready == 1 { "is" } else { "are" }
        );
        return Some(Note::warning(&CHANGE, text));
    }
    if change.is_removal_open {
        let text = format!(
            "which pods of {object} leave first also depends on when they became Ready and how often they restarted, which is not read"
        );
        return Some(Note::warning(&CHANGE, text));
    }
    None
}

/// What of a change depends on the order in which controllers act and pods come to the scheduler.
pub(super) fn order_doubt(simulation: &Simulation) -> Option<Note> {
    let orders = &simulation.orders;
    let ends: Vec<String> = orders.open().map(open_end).collect();
    if orders.is_settled() {
        // Where many pods move among many nodes, there was time for a few orders alone.
        let text = || {
            let tried = words::count(orders.played, "order");
            format!(
                "{tried} of controllers and pods were tried, as the change is large: others may end otherwise"
            )
        };
        return orders.are_few().then(|| Note::warning(&CHANGE, text()));
    }
    let mut text = "what the change comes to depends on the order in which controllers act and pods come to the scheduler".to_owned();
    let mut parts: Vec<String> = Vec::new();
    if orders.is_open() {
        parts.push(format!("it completes in {} of {} orders", orders.completes, orders.played));
    }
    if !ends.is_empty() {
        parts.push(words::list(&ends, NAMED));
    }
    text.push_str(&format!(": {}", parts.join("; ")));
    // A node that an autoscaler adds takes what is left over.
    let mut waiting = simulation.steps.iter().filter(|step| !step.is_placed()).peekable();
    let is_settled =
        !orders.is_open() || waiting.peek().is_some() && waiting.all(Step::gets_new_node);
    Some(if is_settled { Note::warning(&CHANGE, text) } else { Note::error(&CHANGE, text) })
}

/// `0 to 2 pods of Deployment shop/web end Pending`.
fn open_end(range: &WorkloadRange) -> String {
    let Workload { kind, namespace, name } = &range.workload;
    let pods = |range: Range, end: &str| {
        let number = if range.fewest == range.most {
            range.most.to_string()
        } else {
            format!("{} to {}", range.fewest, range.most)
        };
        let noun = if range.most == 1 { "pod" } else { "pods" };
        (range.most > 0).then(|| format!("{number} {noun} of {kind} {namespace}/{name} {end}"))
    };
    let ends = [pods(range.pending, "end Pending"), pods(range.preempted, "are preempted")];
    let ends: Vec<String> = ends.into_iter().flatten().collect();
    ends.join(", ")
}

//! The words for what keeps a node from being removed.

use engine::cluster::budget::UnhealthyPods;
use engine::simulation::eviction::BudgetState;
use engine::simulation::plan::{PinnedBy, PodId};
use engine::simulation::removal::holds::{Hold, HoldReason};
use engine::simulation::removal::outcomes::{DrainObstacle, Holds};
use engine::simulation::removal::reasons::RemovalObstacle;

use indexmap::IndexMap;

use crate::extent::Extent;
use crate::words;

/// Maximum number of pods that are named.
const NAMED: usize = 3;

fn names(pods: &[PodId], extent: Extent) -> String {
    let names: Vec<String> = pods.iter().map(PodId::full_name).collect();
    words::list(&names, extent.named(NAMED))
}

/// A few words for the first line; `None` for what is only counted there.
pub fn in_short(reason: &RemovalObstacle) -> Option<String> {
    match reason {
        RemovalObstacle::Budget { budget, waits_for, .. } if waits_for.is_empty() => {
            Some(format!("PDB {} allows none", budget.full_name()))
        }
        RemovalObstacle::Budget { budget, .. } => {
            Some(format!("PDB {} waits for pods that fit nowhere", budget.full_name()))
        }
        RemovalObstacle::NotObserved { budget, .. } => {
            Some(format!("PDB {} was changed and is not counted yet", budget.full_name()))
        }
        RemovalObstacle::SeveralBudgets { pods, .. } => Some(match pods.as_slice() {
            [pod] => format!("{} has several PDBs", pod.full_name()),
            pods => format!("{} have several PDBs", words::count(pods.len(), "pod")),
        }),
        RemovalObstacle::Stuck { pod } => Some(format!("{} does not end", pod.full_name())),
        RemovalObstacle::ComesBack { pod } => Some(format!("{pod} comes back to it")),
        RemovalObstacle::NotFollowed { count } => {
            Some(format!("{} are too many to follow", words::count(*count, "waiting pod")))
        }
        RemovalObstacle::NoNode { .. } | RemovalObstacle::Unknown { .. } => None,
    }
}

fn digits(number: i64) -> String {
    words::group_digits(usize::try_from(number).unwrap_or_default())
}

/// `2 of 3 pods Ready, 2 have to be`.
pub fn counts(budget: &BudgetState) -> String {
    let expected = usize::try_from(budget.expected).unwrap_or_default();
    let have = if budget.desired == 1 { "has" } else { "have" };
    format!(
        "{} of {} Ready, {} {have} to be",
        digits(budget.healthy),
        words::count(expected, "pod"),
        digits(budget.desired)
    )
}

/// The whole sentence.
pub fn text(reason: &RemovalObstacle, extent: Extent) -> String {
    match reason {
        RemovalObstacle::Budget { budget, pods, waits_for } => {
            format!("{}; it keeps {}", of_budget(budget, waits_for, extent), names(pods, extent))
        }
        RemovalObstacle::NotObserved { budget, pods } => format!(
            "PDB {}: its controller has not seen its latest change, so every eviction is refused for now; \
             it keeps {}",
            budget.full_name(),
            names(pods, extent)
        ),
        RemovalObstacle::SeveralBudgets { budgets, pods } => {
            let budgets: Vec<String> = budgets.iter().map(BudgetState::full_name).collect();
            let (is, it) = if pods.len() == 1 { ("is", "its") } else { ("are", "their") };
            format!(
                "{} {is} selected by PDBs {}: the server always refuses {it} eviction",
                names(pods, extent),
                words::list(&budgets, extent.named(NAMED))
            )
        }
        RemovalObstacle::NoNode { pod, why, pinned, is_preempted } => {
            let evicted = if *is_preempted { " is evicted for a pod that moves and" } else { "" };
            let why = why_nowhere(why, pinned.as_ref(), extent);
            format!("{}{evicted} fits nowhere: {why}", pod.full_name())
        }
        RemovalObstacle::Stuck { pod } => format!(
            "{} is being deleted and should have ended long ago: the drain waits for it (its node, or a finalizer, keeps it)",
            pod.full_name()
        ),
        RemovalObstacle::ComesBack { pod } => {
            format!("{pod} comes back to the node: it tolerates the taint of a cordon")
        }
        RemovalObstacle::Unknown { pod, why } => format!("{}: {why}", pod.full_name()),
        RemovalObstacle::NotFollowed { count } => format!(
            "{} and replacements are too many to follow",
            words::count(*count, "waiting pod")
        ),
    }
}

/// What is in the way, a sentence each without a full stop. In short, pods of the node that fit nowhere
/// have a row of their own, and those that are evicted for them share a line.
pub fn lines(obstacles: &[DrainObstacle], extent: Extent) -> Vec<String> {
    let mut lines = Vec::new();
    let [mut always, mut by_timing]: [Vec<(String, String)>; 2] = Default::default();
    for obstacle in obstacles {
        let is_by_timing = obstacle.holds == Holds::SomeOrders;
        match (&obstacle.reason, nowhere(&obstacle.reason, extent)) {
            (RemovalObstacle::NoNode { is_preempted: false, .. }, _) if !extent.is_all() => {}
            (_, Some(pod)) if !extent.is_all() => {
                if is_by_timing { &mut by_timing } else { &mut always }.push(pod);
            }
            (reason, _) => {
                let when = if is_by_timing { "depending on timing: " } else { "" };
                lines.push(format!("{when}{}", text(reason, extent)));
            }
        }
    }
    if let [(_, why), ..] = always.as_slice() {
        let stay = if always.len() == 1 { "stays" } else { "stay" };
        let pods = words::count(always.len(), "preempted pod");
        let (names, why) = (first_names(&always), words::first_reason(why));
        lines.push(format!("{pods} {stay} Pending ({names}): {why}"));
    }
    if let [(_, why), ..] = by_timing.as_slice() {
        let pods = words::count(by_timing.len(), "preempted pod");
        let (names, why) = (first_names(&by_timing), words::first_reason(why));
        lines.push(format!("by timing, {pods} may stay Pending ({names}): {why}"));
    }
    lines
}

/// The first of these pods by name.
fn first_names(pods: &[(String, String)]) -> String {
    let names: Vec<&str> = pods.iter().map(|(pod, _)| pod.as_str()).collect();
    words::list(&names, NAMED)
}

/// `cluster-autoscaler leaves the node alone (by default: emptyDir)`.
pub fn of_hold(hold: &Hold) -> String {
    let why = match hold.why {
        HoldReason::Annotation(key) => format!("annotation {key}"),
        HoldReason::Bare => "by default: no controller".to_owned(),
        HoldReason::LocalStorage => "by default: emptyDir".to_owned(),
        HoldReason::SystemPod => "by default: kube-system without a PDB".to_owned(),
    };
    format!("{} leaves the node alone ({why})", hold.by.name())
}

/// What keeps autoscalers from removing a node: each clause and what lifts it, with the pods, or
/// `the node`, because of which it holds.
pub fn holds(holds: &[Hold]) -> IndexMap<(String, String), Vec<String>> {
    let mut by_words: IndexMap<(String, String), Vec<String>> = IndexMap::new();
    for hold in holds {
        let pod = hold.pod.as_ref().map_or_else(|| "the node".to_owned(), PodId::full_name);
        by_words.entry((of_hold(hold), hold.lifted_by())).or_default().push(pod);
    }
    by_words
}

/// A pod that fits nowhere, and why.
fn nowhere(reason: &RemovalObstacle, extent: Extent) -> Option<(String, String)> {
    let RemovalObstacle::NoNode { pod, why, pinned, .. } = reason else { return None };
    Some((pod.full_name(), why_nowhere(why, pinned.as_ref(), extent)))
}

fn why_nowhere(why: &str, pinned: Option<&PinnedBy>, extent: Extent) -> String {
    pinned.and_then(on_node_alone).unwrap_or_else(|| message(why, extent).to_owned())
}

/// Why a pod can run on the drained node alone. Each node says something else of that.
pub fn on_node_alone(pinned: &PinnedBy) -> Option<String> {
    match pinned {
        PinnedBy::Volume(claim) => {
            Some(format!("only this node has the volume of its claim {claim}"))
        }
        PinnedBy::NodeSelector => Some("its node selector matches this node alone".to_owned()),
        PinnedBy::DaemonSet => None,
    }
}

/// Why a budget allows nothing.
fn of_budget(budget: &BudgetState, waits_for: &[PodId], extent: Extent) -> String {
    let name = budget.full_name();
    // The causes that waiting does not remove come first: a drain never gets past them.
    if let Some(error) = &budget.sync_error {
        return format!(
            "PDB {name} allows none, as its controller cannot count its pods ({error})"
        );
    }
    if !waits_for.is_empty() {
        return format!(
            "PDB {name} ({}) waits for the replacement of {}, which fits nowhere",
            counts(budget),
            names(waits_for, extent)
        );
    }
    if budget.expected == 0 && budget.desired == 0 && budget.healthy == 0 {
        return format!("PDB {name} allows none: its controller has counted no pod");
    }
    if budget.expected > 0 && budget.desired >= budget.expected {
        let all = match budget.expected {
            1 => "its only pod has".to_owned(),
            many => format!("all its {many} pods have"),
        };
        return format!("PDB {name} never allows an eviction: {all} to be Ready");
    }
    let policy = match budget.unhealthy_pods {
        UnhealthyPods::IfHealthyBudget if budget.healthy < budget.desired => {
            " (pods that are not Ready stay, too: unhealthyPodEvictionPolicy is IfHealthyBudget)"
        }
        UnhealthyPods::IfHealthyBudget | UnhealthyPods::AlwaysAllow => "",
    };
    format!("PDB {name} allows none: {}{policy}", counts(budget))
}

/// The scheduler's message, which only in full has the text of preemption.
pub fn message(message: &str, extent: Extent) -> &str {
    if extent.is_whole() { message } else { words::without_preemption(message) }
}

//! What depends on an order that the API does not show: which equally important pods are evicted,
//! and how many.

use std::collections::BTreeSet;

use super::pod_report::PodReport;
use super::words;
use engine::cluster::PodIx;
use engine::decision::{Decision, OutcomeKind};
use engine::preemption::dry_run::Candidate;
use engine::preemption::victim_choices::VictimCount;

/// Maximum number of pods named if an order decides which of them are evicted.
pub const NAMED: usize = 6;
/// Maximum number of victim sets that are listed, including that of the dry run.
const SETS: usize = 6;

/// `1 pod`, `1 to 3 pods`.
pub fn pods(count: VictimCount) -> String {
    if count.fewest == count.most {
        words::count(count.most, "pod")
    } else {
        format!("{count} pods")
    }
}

/// `1`, `1-3`.
pub fn range(count: VictimCount) -> String {
    if count.fewest == count.most {
        count.most.to_string()
    } else {
        format!("{}-{}", count.fewest, count.most)
    }
}

/// Which other pods may be evicted on the node of `candidate`: every other set if there are few,
/// else how many of which pods; and which pods are always evicted. `None` if no order of pods
/// matters.
pub fn others(model: &PodReport, candidate: &Candidate) -> Option<String> {
    let choices = model.victim_choices(candidate.node)?;
    if choices.with_dry_run && choices.open().is_empty() {
        return None;
    }
    // A single set already names every pod.
    let always = if choices.is_settled() { Vec::new() } else { choices.always() };
    let which = if let Some(sets) = choices.sets(SETS) {
        let own: BTreeSet<PodIx> = candidate.victims.iter().map(|victim| victim.pod).collect();
        let differ = sets.iter().filter(|set| set.iter().copied().collect::<BTreeSet<_>>() != own);
        let open = |set: &Vec<PodIx>| {
            set.iter().copied().filter(|pod| !always.contains(pod)).collect::<Vec<_>>()
        };
        let mut sets: Vec<Vec<String>> = differ.map(|set| names(model, &open(set))).collect();
        sets.sort_by_cached_key(|set| (set.len(), set.clone()));
        let sets: Vec<String> = sets.iter().map(|set| words::list(set, usize::MAX)).collect();
        if sets.is_empty() {
            return None;
        }
        let with = match names(model, &always) {
            always if always.is_empty() => String::new(),
            always => format!(", each with {}", words::list(&always, NAMED)),
        };
        format!("{}{with}", sets.join("; "))
    } else {
        let tried = if choices.complete { "" } else { " in the orders that were tried" };
        let open = words::list(&names(model, &choices.open()), NAMED);
        format!("{} of {open}{tried}", choices.count_of_open())
    };
    let or = if choices.with_dry_run {
        "Or others"
    } else {
        "Picked only if kube-scheduler evicts others"
    };
    Some(format!("{or} of the same priority and start second: {which}"))
}

/// The names of pods, sorted.
fn names(model: &PodReport, pods: &[PodIx]) -> Vec<String> {
    let mut names: Vec<String> = pods.iter().map(|pod| model.cluster().pod_name(*pod)).collect();
    names.sort_unstable();
    names
}

/// Other numbers of victims that the message of preemption may give, as an addition to it: `or with
/// 2 victims`. `None` if it gives no number, or the only possible one.
pub fn other_message(decision: &Decision) -> Option<String> {
    if decision.kind() != OutcomeKind::Preempt
        || !decision.profile().features.message.success_message
    {
        return None;
    }
    let told = decision.likely_candidate()?;
    let mut others = decision.victim_counts(told.node);
    others.remove(&told.victims.len());
    let (fewest, most) = (*others.first()?, *others.last()?);
    let numbers = VictimCount { fewest, most };
    Some(format!("or with {numbers} victim{}", if most == 1 { "" } else { "s" }))
}

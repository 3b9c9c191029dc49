//! How a plan that was made later differs, in words.

use std::collections::BTreeSet;

use super::Standing;
use engine::simulation::plan::{Plan, PodId};

/// What is different, one line each; nothing if carrying the new plan out means the same.
pub(super) fn between(old: &Plan, new: &Plan) -> Vec<String> {
    let mut lines = Vec::new();
    if old.preemptor.pod != new.preemptor.pod {
        lines.push(format!("pod {} is another one now", old.preemptor.pod.full_name()));
    }
    if old.node != new.node {
        lines.push(format!("node {} instead of {}", new.node, old.node));
    }
    let ids = |plan: &Plan| plan.victims.iter().map(|victim| victim.pod.clone()).collect::<BTreeSet<_>>();
    lines.extend(of_victims(&ids(old), &ids(new)));
    lines
}

/// What is different about the victims.
pub(super) fn of_victims(old: &BTreeSet<PodId>, new: &BTreeSet<PodId>) -> Vec<String> {
    let mut lines = Vec::new();
    for pod in new.difference(old) {
        let name = pod.full_name();
        let again = old.iter().any(|o| o.full_name() == name);
        lines.push(if again { format!("{name} is another pod now") } else { format!("{name} would have to go, too") });
    }
    for pod in old.difference(new) {
        let name = pod.full_name();
        if !new.iter().any(|n| n.full_name() == name) {
            lines.push(format!("{name} need not go any more"));
        }
    }
    lines
}

/// What a decision that is no plan says of pod `name`.
pub(super) fn of_standing<T>(name: &str, standing: &Standing<T>) -> String {
    match standing {
        Standing::Needed(_) => format!("somebody has to go for {name}"),
        Standing::Fits(nodes) => format!("{name} fits on {} without anybody going", nodes.join(", ")),
        Standing::Impossible(why) => format!("no eviction helps {name} any more: {why}"),
        Standing::Bound(node) => format!("{name} is on node {node} already"),
        Standing::Gone => format!("{name} is not there any more"),
    }
}

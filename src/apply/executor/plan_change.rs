//! How a newer plan differs from the one that is carried out.

use std::collections::BTreeSet;
use std::fmt;

use engine::simulation::plan::{Plan, PodId};

/// A difference that stops the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::apply) enum PlanChange {
    /// Another pod has the name of the preemptor.
    OtherPreemptor(String),
    /// The plan is for another node.
    OtherNode {
        /// The node of the newer plan.
        new: String,
        /// The node of the plan that is carried out.
        old: String,
    },
    /// Another pod has the name of this victim.
    OtherVictim(String),
    /// This pod has to be removed as well.
    MoreVictims(String),
    /// This victim need not be removed any more.
    FewerVictims(String),
    /// A victim has a hazard that it did not have before.
    Hazard(String),
    /// This PodDisruptionBudget would be violated, and the user did not confirm that.
    ViolatedBudget(String),
}

impl fmt::Display for PlanChange {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::OtherPreemptor(name) => write!(f, "pod {name} is another one now"),
            Self::OtherNode { new, old } => write!(f, "node {new} instead of {old}"),
            Self::OtherVictim(name) => write!(f, "{name} is another pod now"),
            Self::MoreVictims(name) => write!(f, "{name} is a victim, too"),
            Self::FewerVictims(name) => write!(f, "{name} is no longer a victim"),
            Self::Hazard(text) => f.write_str(text),
            Self::ViolatedBudget(budget) => write!(f, "PodDisruptionBudget {budget} would be violated now"),
        }
    }
}

/// The differences between two plans; none if carrying out either has the same effect.
pub(in crate::apply) fn between_plans(old: &Plan, new: &Plan) -> Vec<PlanChange> {
    let mut changes = Vec::new();
    if old.preemptor.pod != new.preemptor.pod {
        changes.push(PlanChange::OtherPreemptor(old.preemptor.pod.full_name()));
    }
    if old.node != new.node {
        changes.push(PlanChange::OtherNode { new: new.node.clone(), old: old.node.clone() });
    }
    let ids = |plan: &Plan| plan.victims.iter().map(|victim| victim.pod.clone()).collect::<BTreeSet<_>>();
    changes.extend(between_victims(&ids(old), &ids(new)));
    changes
}

/// The differences between the victims of two plans.
pub(in crate::apply) fn between_victims(old: &BTreeSet<PodId>, new: &BTreeSet<PodId>) -> Vec<PlanChange> {
    let mut changes = Vec::new();
    for pod in new.difference(old) {
        let name = pod.full_name();
        let replaced = old.iter().any(|o| o.full_name() == name);
        changes.push(if replaced { PlanChange::OtherVictim(name) } else { PlanChange::MoreVictims(name) });
    }
    for pod in old.difference(new) {
        let name = pod.full_name();
        if !new.iter().any(|n| n.full_name() == name) {
            changes.push(PlanChange::FewerVictims(name));
        }
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn victims_that_differ_are_named_once() {
        let pod =
            |name: &str, uid: &str| PodId { namespace: "a".to_owned(), name: name.to_owned(), uid: uid.to_owned() };
        let old = BTreeSet::from([pod("same", "1"), pod("replaced", "2"), pod("left", "3")]);
        let new = BTreeSet::from([pod("same", "1"), pod("replaced", "9"), pod("more", "4")]);
        let changes: Vec<String> = between_victims(&old, &new).iter().map(ToString::to_string).collect();
        assert_eq!(
            changes,
            ["a/more is a victim, too", "a/replaced is another pod now", "a/left is no longer a victim"]
        );
        assert_eq!(between_victims(&old, &old), []);
    }
}

//! Differences between a newer plan and the one that is being executed.

use std::collections::BTreeSet;
use std::fmt;

use engine::simulation::plan::{Placement, Plan, PodId, PreemptorId};

/// A difference that stops the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::apply) enum PlanChange {
    /// Another object has the name of the preemptor.
    OtherPreemptor(PreemptorId),
    OtherNode {
        /// The pod, if it is one of a group.
        pod: Option<String>,
        /// The node of the newer plan.
        new: String,
        /// The node of the current plan.
        old: String,
    },
    /// This pod of the group gets a node as well.
    MorePods(String),
    /// This pod of the group no longer gets a node.
    FewerPods(String),
    /// Another pod has the name of this victim.
    OtherVictim(String),
    /// This pod has to be removed as well.
    MoreVictims(String),
    /// This victim no longer has to be removed.
    FewerVictims(String),
    /// A victim has a new hazard.
    Hazard(String),
    /// This PodDisruptionBudget would be violated without the user's confirmation.
    ViolatedBudget(String),
}

impl fmt::Display for PlanChange {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::OtherPreemptor(id) => {
                write!(f, "{} {} is another one now", id.resource(), id.full_name())
            }
            Self::OtherNode { pod: None, new, old } => write!(f, "node {new} instead of {old}"),
            Self::OtherNode { pod: Some(pod), new, old } => {
                write!(f, "node {new} instead of {old} for {pod}")
            }
            Self::MorePods(name) => write!(f, "{name} gets a node, too"),
            Self::FewerPods(name) => write!(f, "{name} gets no node any more"),
            Self::OtherVictim(name) => write!(f, "{name} is another pod now"),
            Self::MoreVictims(name) => write!(f, "{name} is a victim, too"),
            Self::FewerVictims(name) => write!(f, "{name} is no longer a victim"),
            Self::Hazard(text) => f.write_str(text),
            Self::ViolatedBudget(budget) => {
                write!(f, "PodDisruptionBudget {budget} would be violated now")
            }
        }
    }
}

/// The differences between two plans; empty if their execution has the same effect.
pub(in crate::apply) fn between_plans(old: &Plan, new: &Plan) -> Vec<PlanChange> {
    let mut changes = Vec::new();
    if old.preemptor.id != new.preemptor.id {
        changes.push(PlanChange::OtherPreemptor(old.preemptor.id.clone()));
    }
    let of_group = old.preemptor.id.pod().is_none();
    for Placement { pod, node } in &new.placed {
        match old.placed.iter().find(|before| before.pod == *pod) {
            Some(before) if before.node != *node => changes.push(PlanChange::OtherNode {
                pod: of_group.then(|| pod.full_name()),
                new: node.clone(),
                old: before.node.clone(),
            }),
            None if of_group => changes.push(PlanChange::MorePods(pod.full_name())),
            Some(_) | None => {}
        }
    }
    let lost = old
        .placed
        .iter()
        .filter(|before| of_group && new.placed.iter().all(|now| now.pod != before.pod));
    changes.extend(lost.map(|before| PlanChange::FewerPods(before.pod.full_name())));
    let ids =
        |plan: &Plan| plan.victims.iter().map(|victim| victim.pod.clone()).collect::<BTreeSet<_>>();
    changes.extend(between_victims(&ids(old), &ids(new)));
    changes
}

/// The differences between the victims of two plans.
pub(in crate::apply) fn between_victims(
    old: &BTreeSet<PodId>,
    new: &BTreeSet<PodId>,
) -> Vec<PlanChange> {
    let mut changes = Vec::new();
    for pod in new.difference(old) {
        let name = pod.full_name();
        let replaced = old.iter().any(|o| o.full_name() == name);
        changes.push(if replaced {
            PlanChange::OtherVictim(name)
        } else {
            PlanChange::MoreVictims(name)
        });
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
        let pod = |name: &str, uid: &str| PodId {
            namespace: "a".to_owned(),
            name: name.to_owned(),
            uid: uid.to_owned(),
        };
        let old = BTreeSet::from([pod("same", "1"), pod("replaced", "2"), pod("left", "3")]);
        let new = BTreeSet::from([pod("same", "1"), pod("replaced", "9"), pod("more", "4")]);
        let changes: Vec<String> =
            between_victims(&old, &new).iter().map(ToString::to_string).collect();
        assert_eq!(
            changes,
            [
                "a/more is a victim, too",
                "a/replaced is another pod now",
                "a/left is no longer a victim"
            ]
        );
        assert_eq!(between_victims(&old, &old), []);
    }
}

//! What default constraints depend on. Those of the pod itself name the pods that they count.

use super::{DOC, PodTopologySpread};
use crate::framework::default_selector;
use crate::framework::doubts::{DoubtContext, Doubts, Reliance};
use crate::framework::plugin::RuleDoc;
use model::cluster::Kind;
use model::notes::Severity;

impl Doubts for PodTopologySpread {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn relies_on(&self, kind: Kind, context: &DoubtContext) -> Option<Reliance> {
        if !default_selector::READS.contains(&kind) || !context.cycle.template.spread.is_empty() {
            return None;
        }
        let configured = context.cycle.view.added_affinity.default_constraints.as_deref();
        if configured.into_iter().flatten().any(|constraint| constraint.hard) {
            let effect =
                "default constraints spread the pods that they select, and reject nodes for it";
            return Some(Reliance::partial(Severity::Error, effect));
        }
        let defaults = match configured {
            Some(constraints) => !constraints.is_empty(),
            None => context.cycle.features().pod_topology_spread.spread_system_defaults,
        };
        let effect = "the pods that they select are spread: another node may score best";
        (defaults && context.scores_decide()).then_some(Reliance::partial(Severity::Error, effect))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{node, objects, pod, without};

    #[test]
    fn services_and_controllers_matter_to_default_spreading() {
        let two = || objects![node("a"), node("b")];
        for resource in ["services", "replicationcontrollers", "replicasets", "statefulsets"] {
            for (version, objects, expected) in [
                ("1.37", [two(), objects![pod("p")]].concat(), "error"),
                (
                    "1.37",
                    [two(), objects![pod("p").spread("zone", 1, "app", "a")]].concat(),
                    "info",
                ),
                ("1.37", objects![node("a"), pod("p")], "info"),
            ] {
                assert_eq!(without(version, resource, objects), expected, "{version} {resource}");
            }
        }
    }
}

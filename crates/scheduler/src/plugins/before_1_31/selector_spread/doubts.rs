//! What the spreading of services and controllers depends on.

use super::{DOC, SelectorSpread};
use crate::framework::default_selector;
use crate::framework::doubts::{DoubtContext, Doubts, Reliance};
use crate::framework::plugin::RuleDoc;
use model::cluster::Kind;
use model::notes::Severity;

impl Doubts for SelectorSpread {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn relies_on(&self, kind: Kind, context: &DoubtContext) -> Option<Reliance> {
        let effect = "the pods that they select are spread: another node may score best";
        let decides = default_selector::READS.contains(&kind) && context.scores_decide();
        decides.then_some(Reliance::partial(Severity::Error, effect))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{node, objects, pod, without};

    #[test]
    fn services_and_controllers_matter_where_scores_decide() {
        for resource in ["services", "replicationcontrollers", "replicasets", "statefulsets"] {
            for (objects, expected) in [
                (objects![node("a"), node("b"), pod("p")], "error"),
                (objects![node("a"), pod("p")], "info"),
            ] {
                assert_eq!(without("1.16", resource, objects), expected, "{resource}");
            }
        }
    }
}

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
mod tests;

//! A decision plus what only an explanation of it needs. Each part costs as much as the decision or
//! more, so it is computed on demand.

use std::collections::BTreeMap;
use std::ops::Deref;

use super::Decision;
use super::competitors::Competitors;
use super::remedy::Remedies;
use super::sampling::Sampling;
use super::verify::Verification;
use crate::framework::status::Rejection;
use model::cluster::NodeIx;

/// A decision, with more about its nodes, odds, remedies and the condition that the pod carries.
#[derive(Debug, Clone)]
#[must_use]
#[non_exhaustive]
pub struct Explanation<'c> {
    pub decision: Decision<'c>,
    /// The rejections by filters that come after the first one that rejects a node.
    pub(super) also_refused: BTreeMap<NodeIx, Vec<(&'static str, Rejection)>>,
    /// Like [`Decision::odds`], from more starts or from a single one, if [`Self::enumerate`] was
    /// called.
    pub sampling: Option<Sampling>,
    /// What would help, if [`Self::seek_remedies`] was called and the pod fits nowhere.
    pub remedies: Option<Remedies>,
    /// How the condition that the pod carries compares with the one that would be written now, if
    /// [`Self::compare_condition`] was called.
    pub condition: Option<Verification>,
    /// The pending pods that may take the room of the evictions, if asked for.
    pub competitors: Competitors,
}

impl<'c> From<Decision<'c>> for Explanation<'c> {
    fn from(decision: Decision<'c>) -> Self {
        Self {
            decision,
            also_refused: BTreeMap::new(),
            sampling: None,
            remedies: None,
            condition: None,
            competitors: Competitors::default(),
        }
    }
}

/// Code that explains a decision also reads the decision itself.
impl<'c> Deref for Explanation<'c> {
    type Target = Decision<'c>;

    fn deref(&self) -> &Decision<'c> {
        &self.decision
    }
}

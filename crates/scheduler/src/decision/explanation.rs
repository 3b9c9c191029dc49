//! A decision with what only an explanation of it needs. Each part costs as much as the decision or
//! more, so it is made on demand.

use std::collections::BTreeMap;
use std::ops::Deref;

use super::Decision;
use super::autoscaling::Autoscaling;
use super::remedy::Remedies;
use super::sampling::Sampling;
use super::verify::Verification;
use crate::framework::status::Rejection;
use model::cluster::node::NodeIx;

/// A decision, and what is known beyond it of nodes, odds, remedies and the condition that the pod
/// carries.
#[derive(Debug, Clone)]
#[must_use]
#[non_exhaustive]
pub struct Explanation<'c> {
    /// The decision.
    pub decision: Decision<'c>,
    /// What is known of the filters behind the first that rejects a node.
    pub(super) also_refused: BTreeMap<NodeIx, Vec<(&'static str, Rejection)>>,
    /// The same as [`Decision::odds`], from more starts or from one, if [`Self::enumerate`] was
    /// called.
    pub sampling: Option<Sampling>,
    /// What helps, if [`Self::seek_remedies`] was called and the pod fits nowhere.
    pub remedies: Option<Remedies>,
    /// How the condition that the pod carries compares with what would be written now, if
    /// [`Self::compare_condition`] was called.
    pub condition: Option<Verification>,
    /// What autoscalers do about the pod, if that was asked for and one was found.
    pub autoscaling: Option<Box<Autoscaling>>,
}

impl<'c> From<Decision<'c>> for Explanation<'c> {
    fn from(decision: Decision<'c>) -> Self {
        Self {
            decision,
            also_refused: BTreeMap::new(),
            sampling: None,
            remedies: None,
            condition: None,
            autoscaling: None,
        }
    }
}

/// Whoever explains a decision reads it, too.
impl<'c> Deref for Explanation<'c> {
    type Target = Decision<'c>;

    fn deref(&self) -> &Decision<'c> {
        &self.decision
    }
}

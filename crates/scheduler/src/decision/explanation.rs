//! A decision plus what only an explanation of it needs. Each part costs as much as the decision or
//! more, so it is computed on demand.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

use super::Decision;
use super::autoscaling::AutoscalingOutlook;
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
    /// What autoscalers do about the pod, if asked for and if one was found.
    pub autoscaling: Option<Box<AutoscalingOutlook>>,
    /// The pending pods that may take the room of the evictions, if asked for.
    pub competitors: Competitors,
    pub(super) of_nodes: Memo,
}

/// What others have made of the nodes' rejections. It is the same for pods that are alike, so it
/// stays when the decision passes on to another pod.
#[derive(Clone, Default)]
pub(super) struct Memo(Arc<Mutex<Vec<Arc<dyn Any + Send + Sync>>>>);

impl fmt::Debug for Memo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Memo")
    }
}

impl Explanation<'_> {
    /// The result of `make`, which is computed once and cached by its type; it must depend on
    /// nothing but the nodes' rejections.
    pub fn of_nodes<T: Any + Send + Sync>(&self, make: impl FnOnce(&Self) -> T) -> Arc<T> {
        let find = || {
            let known = self.of_nodes.0.lock().unwrap_or_else(PoisonError::into_inner);
            known.iter().find_map(|known| Arc::clone(known).downcast::<T>().ok())
        };
        find().unwrap_or_else(|| {
            let made = Arc::new(make(self));
            let mut known = self.of_nodes.0.lock().unwrap_or_else(PoisonError::into_inner);
            known.push(Arc::<T>::clone(&made));
            made
        })
    }
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
            competitors: Competitors::default(),
            of_nodes: Memo::default(),
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

//! An explanation, with the causes on its nodes.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, OnceLock};

use crate::causes::{self, CauseGroup, FirstCauses};
use engine::decision::{Decision, Explanation};

/// An explanation, with the groups of causes on its nodes. They are made when they are first asked
/// for, and stay when the decision passes on to a pod that is alike.
#[derive(Debug, Clone)]
pub struct ExplainedDecision<'c> {
    explanation: Explanation<'c>,
    causes: Arc<Causes>,
}

#[derive(Debug, Default)]
struct Causes {
    by_first_reason: OnceLock<FirstCauses>,
    closest_first: OnceLock<Vec<CauseGroup>>,
}

impl ExplainedDecision<'_> {
    /// See [`causes::by_first_reason`].
    pub fn first_causes(&self) -> &FirstCauses {
        self.causes.by_first_reason.get_or_init(|| causes::by_first_reason(&self.explanation))
    }

    /// See [`causes::closest_first`].
    pub fn closest_causes(&self) -> &[CauseGroup] {
        self.causes.closest_first.get_or_init(|| causes::closest_first(&self.explanation))
    }

    /// Runs the filters that come after the first one that rejects a node. The causes are then
    /// grouped anew.
    pub fn run_other_filters(&mut self) {
        self.causes = Arc::default();
        self.explanation.run_other_filters();
    }
}

impl<'c> From<Explanation<'c>> for ExplainedDecision<'c> {
    fn from(explanation: Explanation<'c>) -> Self {
        Self { explanation, causes: Arc::default() }
    }
}

impl<'c> From<Decision<'c>> for ExplainedDecision<'c> {
    fn from(decision: Decision<'c>) -> Self {
        Explanation::from(decision).into()
    }
}

impl<'c> Deref for ExplainedDecision<'c> {
    type Target = Explanation<'c>;

    fn deref(&self) -> &Explanation<'c> {
        &self.explanation
    }
}

/// Changes nothing that the causes depend on: those of the nodes' rejections have methods here.
impl<'c> DerefMut for ExplainedDecision<'c> {
    fn deref_mut(&mut self) -> &mut Explanation<'c> {
        &mut self.explanation
    }
}

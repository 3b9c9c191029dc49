//! The answer about a group requested by name, whether it exists or pods merely name it.

use std::borrow::Cow;

use jiff::Timestamp;

use super::gate::Members;
use super::made::{NotMade, of};
use super::summary::{LaterCycle, MissingGroup};
use super::{GroupDecision, decide};
use crate::decision::group::GroupSummary;
use crate::framework::cluster_view::ClusterView;
use model::cluster::GroupIx;
use model::notes::Note;

/// The answer about a group.
#[derive(Debug)]
pub enum GroupAnswer<'c> {
    /// The group exists.
    Decided(Box<GroupDecision<'c>>),
    /// Pods name it, but it does not exist.
    Missing {
        group: MissingGroup,
        /// The cluster and the profile.
        view: &'c ClusterView<'c>,
        /// The instant of the answer.
        now: Timestamp,
    },
}

impl<'c> GroupAnswer<'c> {
    /// The answer about the group of that namespace and name; `None` if it does not exist and no
    /// pod names it.
    pub fn find(
        view: &'c ClusterView<'c>,
        namespace: &str,
        name: &str,
        now: Timestamp,
    ) -> Option<Self> {
        if let Some(group) = view.cluster.find_pod_group(namespace, name) {
            return Some(Self::Decided(Box::new(decide(view, group, now))));
        }
        let group = MissingGroup::find(view, namespace, name)?;
        Some(Self::Missing { group, view, now })
    }

    pub fn view(&self) -> &'c ClusterView<'c> {
        match self {
            Self::Decided(decision) => decision.view,
            Self::Missing { view, .. } => view,
        }
    }

    /// The decision, if the group exists.
    pub fn decision(&self) -> Option<&GroupDecision<'c>> {
        match self {
            Self::Decided(decision) => Some(decision),
            Self::Missing { .. } => None,
        }
    }

    /// Finds a plan that evicts less than the scheduler's.
    pub fn seek_alternative(&mut self) {
        if let Self::Decided(decision) = self {
            decision.seek_alternative();
        }
    }

    /// The pods that name the group.
    pub fn members(&self) -> &Members {
        match self {
            Self::Decided(decision) => &decision.members,
            Self::Missing { group, .. } => &group.members,
        }
    }

    pub fn summary(&self) -> GroupSummary {
        match self {
            Self::Decided(decision) => decision.summary(),
            Self::Missing { group, view, .. } => group.summary(view),
        }
    }

    /// The cycles that follow at once, for the pods that this one leaves without a node.
    pub fn later_cycles(&self) -> Vec<LaterCycle> {
        self.decision().map(GroupDecision::later_cycles).unwrap_or_default()
    }

    pub fn notes(&self) -> Cow<'_, [Note]> {
        match self {
            Self::Decided(decision) => Cow::Borrowed(&decision.notes),
            Self::Missing { group, view, .. } => Cow::Owned(group.notes(view)),
        }
    }

    /// Why controllers could not create pods of the group.
    pub fn not_made(&self) -> Vec<NotMade<'c>> {
        let group: Option<GroupIx> = self.decision().map(|decision| decision.group);
        of(self.members(), group, self.view().cluster)
    }

    /// Whether any error-level note makes the answer uncertain.
    pub fn is_unsure(&self) -> bool {
        match self {
            Self::Decided(decision) => decision.is_unsure(),
            Self::Missing { group, view, .. } => group.is_unsure(view),
        }
    }
}

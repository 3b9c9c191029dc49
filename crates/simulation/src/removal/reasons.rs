//! Why a node cannot be removed.

use std::collections::BTreeMap;

use crate::eviction::{BudgetState, EvictionRefusal};
use crate::plan::{Afterwards, PinnedBy, PodId};
use crate::planning::Proposal;
use crate::sequence::play::{DrainEnd, DrainPlay};

/// Something that keeps pods on a node, or leaves them without one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RemovalObstacle {
    /// A budget still allows no disruption at the end.
    Budget {
        /// The budget's final state.
        budget: BudgetState,
        /// The pods that it keeps.
        pods: Vec<PodId>,
        /// Its evicted pods whose replacements get no node: with them it would allow more.
        waits_for: Vec<PodId>,
    },
    /// The controller of a budget has not seen its latest change.
    NotObserved {
        budget: BudgetState,
        /// The pods that it keeps.
        pods: Vec<PodId>,
    },
    /// Several budgets select each of these pods.
    SeveralBudgets { budgets: Vec<BudgetState>, pods: Vec<PodId> },
    /// The replacement of a pod gets no node.
    NoNode {
        /// The pod, or the group by its name.
        pod: PodId,
        why: String,
        /// What keeps it on the drained node, if it can run there alone.
        pinned: Option<PinnedBy>,
        /// Whether it is not a pod of the node, but was preempted by a moved pod.
        is_preempted: bool,
    },
    /// A pod is terminating and does not end.
    Stuck { pod: PodId },
    /// A pod returns to the node because it tolerates the cordon.
    ComesBack {
        /// The pod, `ns/name`.
        pod: String,
    },
    /// It is unknown where the replacement of a pod goes.
    Unknown { pod: PodId, why: String },
    /// Too many pending pods or replacements to follow.
    NotFollowed {
        /// How many.
        count: usize,
    },
}

impl RemovalObstacle {
    /// Its name in JSON.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Budget { .. } => "Budget",
            Self::NotObserved { .. } => "BudgetNotObserved",
            Self::SeveralBudgets { .. } => "SeveralBudgets",
            Self::NoNode { .. } => "NoNode",
            Self::Stuck { .. } => "Stuck",
            Self::ComesBack { .. } => "ComesBack",
            Self::Unknown { .. } => "Unknown",
            Self::NotFollowed { .. } => "NotFollowed",
        }
    }

    /// The pods that a budget, or several, keep.
    fn kept(&self) -> &[PodId] {
        match self {
            Self::Budget { pods, .. }
            | Self::NotObserved { pods, .. }
            | Self::SeveralBudgets { pods, .. } => pods,
            _ => &[],
        }
    }

    fn kept_mut(&mut self) -> Option<&mut Vec<PodId>> {
        match self {
            Self::Budget { pods, .. }
            | Self::NotObserved { pods, .. }
            | Self::SeveralBudgets { pods, .. } => Some(pods),
            _ => None,
        }
    }

    /// The names of the budgets that keep pods.
    fn budgets(&self) -> Vec<String> {
        match self {
            Self::Budget { budget, .. } | Self::NotObserved { budget, .. } => {
                vec![budget.full_name()]
            }
            Self::SeveralBudgets { budgets, .. } => {
                budgets.iter().map(BudgetState::full_name).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The reason for each of its pods alone.
    pub(super) fn by_pod(&self) -> Vec<Self> {
        let mut reasons = Vec::new();
        for pod in self.kept() {
            let mut one = self.clone();
            if let Some(pods) = one.kept_mut() {
                *pods = vec![pod.clone()];
            }
            reasons.push(one);
        }
        if reasons.is_empty() { vec![self.clone()] } else { reasons }
    }

    /// Whether two reasons have the same effect on the same pods, ignoring counts and messages.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let is_named = match (self, other) {
            (Self::NoNode { pod, .. }, Self::NoNode { pod: other, .. })
            | (Self::Stuck { pod }, Self::Stuck { pod: other })
            | (Self::Unknown { pod, .. }, Self::Unknown { pod: other, .. }) => {
                pod.full_name() == other.full_name()
            }
            (Self::ComesBack { pod }, Self::ComesBack { pod: other }) => pod == other,
            _ => self.name() == other.name(),
        };
        is_named && self.budgets() == other.budgets() && self.kept() == other.kept()
    }

    /// Whether the same budgets keep pods for the same reason.
    pub(super) fn is_of_same_budgets(&self, other: &Self) -> bool {
        !self.kept().is_empty() && self.name() == other.name() && self.budgets() == other.budgets()
    }

    /// Adds the pods of a reason with the same budgets.
    pub(super) fn add_pods(&mut self, other: &Self) {
        if let Some(pods) = self.kept_mut() {
            pods.extend_from_slice(other.kept());
        }
    }
}

/// Refusals of the same kind by the same budgets.
struct Group {
    why: EvictionRefusal,
    budgets: Vec<BudgetState>,
    pods: Vec<PodId>,
}

/// What keeps a node from being removed at the end of a play: pods without a node first, then
/// budgets, then the rest.
pub(super) fn of(play: &DrainPlay) -> Vec<RemovalObstacle> {
    let mut reasons = Vec::new();
    for step in play.homeless() {
        let pod = PodId {
            namespace: step.id.namespace().to_owned(),
            name: step.id.name().to_owned(),
            uid: step.id.uid().to_owned(),
        };
        match &step.proposal {
            Proposal::Unknown(why) => {
                reasons.push(RemovalObstacle::Unknown { pod, why: why.clone() });
            }
            Proposal::Impossible(why) => {
                let (why, is_preempted) = (why.clone(), step.depth > 1);
                let pinned = pinned(&pod, play);
                reasons.push(RemovalObstacle::NoNode { pod, why, pinned, is_preempted });
            }
            // A group with pods left out.
            _ => {
                for pod in &step.left_out {
                    let why = "the others of its group take the room".to_owned();
                    let (pod, is_preempted) = (pod.clone(), step.depth > 1);
                    let pinned = pinned(&pod, play);
                    reasons.push(RemovalObstacle::NoNode { pod, why, pinned, is_preempted });
                }
            }
        }
    }
    reasons.extend(refusals(play));
    for pod in play.pods.iter().filter(|pod| pod.end == DrainEnd::Stuck) {
        reasons.push(RemovalObstacle::Stuck { pod: pod.victim.pod.clone() });
    }
    let back = play.back().into_iter();
    reasons.extend(back.map(|pod| RemovalObstacle::ComesBack { pod: pod.to_owned() }));
    if play.not_followed > 0 {
        reasons.push(RemovalObstacle::NotFollowed { count: play.not_followed });
    }
    reasons
}

/// What keeps a pod of the drained node there.
fn pinned(pod: &PodId, play: &DrainPlay) -> Option<PinnedBy> {
    let of_node =
        play.pods.iter().find(|drained| drained.victim.pod.full_name() == pod.full_name());
    match &of_node?.victim.afterwards {
        Afterwards::Pinned(by) => Some(by.clone()),
        _ => None,
    }
}

fn refusals(play: &DrainPlay) -> Vec<RemovalObstacle> {
    let mut groups: BTreeMap<(EvictionRefusal, Vec<String>), Group> = BTreeMap::new();
    for (pod, refused) in play.refused() {
        let names = refused.budgets.iter().map(BudgetState::full_name).collect();
        let group = groups.entry((refused.why, names)).or_insert_with(|| Group {
            why: refused.why,
            budgets: refused.budgets.clone(),
            pods: Vec::new(),
        });
        group.pods.push(pod.victim.pod.clone());
    }
    let mut reasons = Vec::new();
    for Group { why, budgets, pods } in groups.into_values() {
        let first = budgets.first().cloned();
        reasons.extend(match (why, first) {
            (EvictionRefusal::SeveralBudgets, _) => {
                Some(RemovalObstacle::SeveralBudgets { budgets, pods })
            }
            (EvictionRefusal::NotObserved, Some(budget)) => {
                Some(RemovalObstacle::NotObserved { budget, pods })
            }
            (EvictionRefusal::Exhausted, Some(budget)) => {
                let waits_for = homeless_of(&budget, play);
                Some(RemovalObstacle::Budget { budget, pods, waits_for })
            }
            (EvictionRefusal::NotObserved | EvictionRefusal::Exhausted, None) => None,
        });
    }
    reasons
}

/// The evicted pods of a budget whose replacements get no node.
fn homeless_of(budget: &BudgetState, play: &DrainPlay) -> Vec<PodId> {
    let mut homeless = Vec::new();
    for pod in &play.pods {
        let id = &pod.victim.pod;
        let is_selected = pod
            .victim
            .budgets
            .iter()
            .any(|used| (&used.namespace, &used.name) == (&budget.namespace, &budget.name));
        let is_homeless = play.homeless().any(|step| {
            (step.id.namespace(), step.id.name()) == (id.namespace.as_str(), id.name.as_str())
        });
        if is_selected && is_homeless {
            homeless.push(id.clone());
        }
    }
    homeless
}

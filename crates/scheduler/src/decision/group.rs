//! The group that a pod belongs to, where kube-scheduler schedules groups as a whole: a summary of
//! the group's decision, and what it means for one of its pods.

use jiff::Timestamp;

use super::filters::FilterReport;
use super::gang::{self, GangHold};
use super::{CycleError, Decision, Messages, Outcome, QueueGate};
use crate::framework::cluster_view::ClusterView;
use crate::framework::score::ScoreTable;
use crate::preemption::victim_choices::VictimCount;
use model::cluster::gang_workload::parts;
use model::cluster::{AnyGroup, Cluster, NodeIx, PodIx, Sym};
use model::notes::Note;

/// A summary of the decision about a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupSummary {
    pub namespace: Sym,
    pub name: Sym,
    /// The answer.
    pub verdict: GroupVerdict,
    /// `minCount` of a gang; `None` if the policy is basic, or if the group does not exist.
    pub min_count: Option<i64>,
    /// How many of its pods are on nodes.
    pub running: usize,
    /// How many of its pods wait for a node.
    pub waiting: usize,
    /// How many of the waiting pods get a node: now, or once the victims are gone.
    pub placed: usize,
    /// How many pods are evicted.
    pub victims: VictimCount,
    /// How many topology domains were tried; 0 if the group is not limited to one.
    pub domains: usize,
    /// Whether the group has what it needs but its tree does not.
    pub tree_lacks: bool,
}

impl GroupSummary {
    /// How many of its pods exist.
    pub fn pods(&self) -> usize {
        self.running + self.waiting
    }

    /// What keeps the group out of the scheduling queue, as a clause that begins with a verb or a
    /// number; `None` if it gets a cycle.
    pub fn gate(&self, view: &ClusterView) -> Option<String> {
        let waiting =
            if self.waiting == 1 { "1 pod".to_owned() } else { format!("{} pods", self.waiting) };
        if let (GroupVerdict::Missing { .. }, Some((workload, part, _))) =
            (&self.verdict, parts(view.cluster.text(self.name)))
        {
            let held = format!("kube-scheduler holds its {waiting} until it is created");
            return Some(match gang::missing(view.cluster, self.namespace, self.name) {
                GangHold::NoPodGroup => {
                    format!("Workload {workload} has no pod group {part}, and {held} anew with it")
                }
                GangHold::NoWorkload { is_known: true } => {
                    format!("Workload {workload} does not exist; {held}")
                }
                GangHold::NoWorkload { is_known: false } | GangHold::TooFewPods { .. } => {
                    format!("Workload {workload} is not in the input; if it does not exist, {held}")
                }
            });
        }
        Some(match &self.verdict {
            GroupVerdict::Missing { is_known: true } => {
                format!("does not exist; kube-scheduler holds its {waiting} until it is created")
            }
            GroupVerdict::Missing { is_known: false } => format!(
                "is not in the input; if it does not exist, kube-scheduler holds its {waiting} until it is created"
            ),
            GroupVerdict::NothingWaits if self.running == 1 => {
                "none of its pods waits for a node; 1 is on a node".to_owned()
            }
            GroupVerdict::NothingWaits => {
                format!("none of its pods waits for a node; {} are on nodes", self.running)
            }
            GroupVerdict::TooFewPods => {
                let needed = self.min_count.unwrap_or_default();
                let more = needed - i64::try_from(self.pods()).unwrap_or(i64::MAX);
                let exist = if needed == 1 { "pod exists" } else { "pods exist" };
                let pods = self.pods();
                format!(
                    "{pods} of {needed} {exist}; kube-scheduler waits for {more} more (minCount {needed})"
                )
            }
            GroupVerdict::NoParent(parent) => {
                let parent = view.cluster.text(*parent);
                format!(
                    "belongs to a tree whose CompositePodGroup {parent} does not exist; kube-scheduler holds its {waiting} until it is \
                     created"
                )
            }
            GroupVerdict::TreeTooSmall(lacks) => {
                let lacks: Vec<String> =
                    lacks.iter().map(|lack| lack.clause(view.cluster)).collect();
                format!("waits for its tree: {}", lacks.join("; "))
            }
            GroupVerdict::Held(pod, gate) => {
                let name = view.cluster.pod_name(*pod);
                format!("is held back with all its pods: pod {name} {}", gate.clause(view, *pod))
            }
            GroupVerdict::Deleting => "all of its waiting pods are being deleted".to_owned(),
            GroupVerdict::Error(_)
            | GroupVerdict::NoPriority(..)
            | GroupVerdict::Fits
            | GroupVerdict::Preempts
            | GroupVerdict::Awaits
            | GroupVerdict::Cannot(_) => return None,
        })
    }
}

/// The outcome for a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GroupVerdict {
    /// Pods name a PodGroup that does not exist.
    Missing {
        /// Whether the input was complete enough to contain it.
        is_known: bool,
    },
    /// No pod of the group waits for a node.
    NothingWaits,
    /// Fewer pods exist than the gang needs.
    TooFewPods,
    /// Its parent, the group of groups of this name, does not exist.
    NoParent(Sym),
    /// Too few groups of its tree have what they need; these do not, from the root down.
    TreeTooSmall(Vec<GroupShortfall>),
    /// This pod is held back, and therefore the group.
    Held(PodIx, QueueGate),
    /// All waiting pods are being deleted.
    Deleting,
    /// The cycle ends with this error.
    Error(String),
    /// The cycle ends with this error, because the group has no priority and its pods have this
    /// one.
    NoPriority(String, i32),
    /// Enough pods fit.
    Fits,
    /// Too few pods fit, but evictions help.
    Preempts,
    /// Too few pods fit, and the victims of an earlier preemption are still terminating.
    Awaits,
    /// Too few pods fit, and evictions do not help, for this reason.
    Cannot(Hindrance),
}

impl GroupVerdict {
    /// The outcome in JSON.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Missing { .. }
            | Self::NothingWaits
            | Self::TooFewPods
            | Self::NoParent(_)
            | Self::TreeTooSmall(_)
            | Self::Held(..)
            | Self::Deleting => "NotInQueue",
            Self::Error(_) | Self::NoPriority(..) => "Error",
            Self::Fits => "Schedulable",
            Self::Preempts => "Preempt",
            Self::Awaits => "Awaits",
            Self::Cannot(_) => "Unschedulable",
        }
    }
}

/// A group that has less than it needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupShortfall {
    pub group: AnyGroup,
    /// How many pods exist, or how many of its groups have what they need.
    pub has: usize,
    /// How many it needs.
    pub needs: i64,
}

impl GroupShortfall {
    /// As a clause: `PodGroup train needs 2 pods and has 1`.
    pub fn clause(&self, cluster: &Cluster) -> String {
        let Self { group, has, needs } = self;
        let (kind, name) = (group.kind().name(), cluster.text(cluster.names_of(*group).1));
        let what = match (group, *needs) {
            (AnyGroup::Pods(_), 1) => "pod",
            (AnyGroup::Pods(_), _) => "pods",
            (AnyGroup::Groups(_), 1) => "group with its pods",
            (AnyGroup::Groups(_), _) => "groups with their pods",
        };
        format!("{kind} {name} needs {needs} {what} and has {has}")
    }
}

/// Why no eviction helps a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hindrance {
    /// The group or one of its pods may not preempt.
    Never,
    /// Nothing has a lower priority.
    NothingToEvict,
    /// Too few pods fit even without everything of lower priority.
    NotHelpful,
    /// The profile does not preempt.
    NotTried,
    /// Each pod preempts alone, and even then only this many get a node, which is too few.
    TooFew(usize),
}

/// What a group means for one of its pods.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Membership {
    /// A summary of the decision about the group.
    pub group: GroupSummary,
    /// What was found for the pod.
    pub result: MemberResult,
    /// The node that it gets, now or once the victims are gone.
    pub node: Option<NodeIx>,
    /// What is written about the pods of the group with the same requests. The order in which they
    /// are tried is not in the API.
    pub of_others: Vec<String>,
    /// The scores with which the pod was tried. They chose its node, whatever happens to the group.
    pub scores: Option<ScoreTable>,
}

/// The result for one pod of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemberResult {
    /// It fits, in addition to the pods of the group that were tried before it.
    Placed,
    /// It fits on no node.
    Rejected,
    /// The search ended before it was tried.
    NotTried,
    /// Its cycle ends with an error.
    Failed,
    /// The group gets no cycle.
    Held,
}

impl MemberResult {
    /// Its name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Placed => "Placed",
            Self::Rejected => "Rejected",
            Self::NotTried => "NotTried",
            Self::Failed => "Failed",
            Self::Held => "Held",
        }
    }
}

/// The result of trying a pod as a member of its group.
#[derive(Debug, Clone, Default)]
pub(crate) struct MemberTrial {
    /// The result of filtering.
    pub filters: FilterReport,
    pub scores: Option<ScoreTable>,
    /// kube-scheduler's message.
    pub message: Option<String>,
    /// Nodes that tie with the one that it gets.
    pub tied: Vec<NodeIx>,
}

/// The decision about a pod as a member of its group. `condition` is what is written about the pod.
pub(crate) fn decision<'c>(
    view: &'c ClusterView<'c>,
    pod: PodIx,
    now: Timestamp,
    mut membership: Membership,
    tried: MemberTrial,
    condition: Option<String>,
    notes: Vec<Note>,
) -> Decision<'c> {
    let MemberTrial { filters, scores, message, tied } = tried;
    let outcome = match (&membership.group.verdict, membership.result, membership.node) {
        (_, MemberResult::Held, _) => Outcome::NotInQueue(QueueGate::Group),
        (GroupVerdict::Error(error) | GroupVerdict::NoPriority(error, _), ..) => {
            // The message about the pod itself is more specific than the group's error.
            let own = condition.as_ref().or(message.as_ref());
            Outcome::Error(CycleError::new(own.unwrap_or(error).clone()))
        }
        (GroupVerdict::Fits, MemberResult::Placed, node) => {
            let others = tied.into_iter().filter(|other| node != Some(*other));
            let nodes: Vec<NodeIx> = node.into_iter().chain(others).collect();
            Outcome::Schedulable { selection: nodes.into(), scores: None }
        }
        (GroupVerdict::Preempts, _, Some(node)) => {
            Outcome::Preempt { selection: vec![node].into(), plan: None }
        }
        _ => Outcome::Unschedulable { preemption: None },
    };
    membership.scores = scores;
    let messages = Messages { message, condition };
    let membership = Some(Box::new(membership));
    Decision { view, pod, now, outcome, filters, messages, notes, membership, permit: None }
}

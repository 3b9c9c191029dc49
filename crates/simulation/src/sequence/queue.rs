//! The order of the scheduling queue for pods and groups that are all ready to be scheduled.

use std::cmp::Reverse;

use jiff::Timestamp;

use super::ORDER;
use crate::entry::QueueEntry;
use model::cluster::{Cluster, GroupIx, PodIx};
use model::notes::Note;
use profile::Profile;
use scheduler::framework::cluster_view::ClusterView;
use scheduler::groups::{member, tree};

/// An entry with its ordering criteria, and the pods in question that it represents.
struct Queued {
    entry: QueueEntry,
    priority: i32,
    created: Timestamp,
    pods: Vec<PodIx>,
}

impl Queued {
    fn key(&self) -> (Reverse<i32>, Timestamp) {
        (Reverse(self.priority), self.created)
    }
}

/// The entries of the queue for these pods, in its order, each with the pods that it represents. A
/// group has the priority of its PodGroup, and the age of its oldest pod.
///
/// Upstream: `pkg/scheduler/framework/types.go` `QueuedPodGroupInfo` (1.37).
pub(super) fn entries(
    pods: &[PodIx],
    cluster: &Cluster,
    profiles: &[Profile],
) -> Vec<(QueueEntry, Vec<PodIx>)> {
    queued(pods, cluster, profiles).into_iter().map(|queued| (queued.entry, queued.pods)).collect()
}

fn queued(pods: &[PodIx], cluster: &Cluster, profiles: &[Profile]) -> Vec<Queued> {
    let is_grouped = |pod: &PodIx| !cluster.template(cluster.pod(*pod)).group.is_empty();
    let grouped = pods.iter().any(is_grouped);
    let views: Vec<ClusterView> = profiles
        .iter()
        .filter(|_| grouped)
        .map(|profile| ClusterView::new(cluster, profile))
        .collect();
    let mut queue: Vec<Queued> = Vec::new();
    for pod in queue_order(pods, cluster) {
        let facts = cluster.pod(pod);
        let created = facts.created.unwrap_or(Timestamp::MAX);
        let scheduler = cluster.text(cluster.template(facts).scheduler_name);
        let view = views.iter().find(|view| view.profile.scheduler_name == scheduler);
        let group = view.filter(|_| is_grouped(&pod)).and_then(|view| group_of(view, pod));
        let (entry, priority) = match group {
            None => (QueueEntry::Pod(pod), facts.priority),
            Some(group) => (QueueEntry::Group(group), priority(group, view, cluster)),
        };
        let others = if group.is_some() { queue.as_mut_slice() } else { &mut [] };
        if let Some(queued) = others.iter_mut().find(|queued| queued.entry == entry) {
            queued.created = created.min(queued.created);
            queued.pods.push(pod);
        } else {
            queue.push(Queued { entry, priority, created, pods: vec![pod] });
        }
    }
    queue.sort_by_key(Queued::key);
    queue
}

/// The existing group with which a waiting pod is scheduled, as the representative of its tree.
fn group_of(view: &ClusterView, pod: PodIx) -> Option<GroupIx> {
    member::group_of(view, pod)?;
    Some(tree::representative(view.cluster.group_of(pod)?, view))
}

/// The priority of a group in the queue: that of the root of its tree, or its own.
fn priority(group: GroupIx, view: Option<&ClusterView>, cluster: &Cluster) -> i32 {
    let root = view.and_then(|view| tree::root(group, view));
    root.map_or_else(
        || cluster.pod_group(group).priority(),
        |root| cluster.composite_group(root).priority(),
    )
}

/// The order of the scheduling queue for pods that are all ready to be scheduled: highest priority
/// first, then the oldest.
///
/// Upstream: `pkg/scheduler/framework/plugins/queuesort/priority_sort.go` (1.37).
pub fn queue_order(pods: &[PodIx], cluster: &Cluster) -> Vec<PodIx> {
    let mut pods = pods.to_vec();
    pods.sort_by_key(|ix| {
        let pod = cluster.pod(*ix);
        (Reverse(pod.priority), pod.created.unwrap_or(Timestamp::MAX))
    });
    pods
}

/// The note about pods and groups that kube-scheduler may try in any order. It sorts by priority
/// and by the time at which they entered its queue, but the API shows only their creation, in
/// seconds. Interchangeable pods need no order.
pub(super) fn order_is_open(
    pods: &[PodIx],
    cluster: &Cluster,
    profiles: &[Profile],
) -> Option<Note> {
    let queue = queued(pods, cluster, profiles);
    // Order matters only between entries that differ.
    let mut ties: Vec<&[Queued]> = queue.chunk_by(|a, b| a.key() == b.key()).collect();
    ties.retain(|tied| {
        tied.iter().zip(tied.iter().skip(1)).any(|(a, b)| match (a.entry, b.entry) {
            (QueueEntry::Pod(a), QueueEntry::Pod(b)) => {
                !cluster.pod(a).can_stand_for(cluster.pod(b))
            }
            (QueueEntry::Pod(_) | QueueEntry::Group(_), QueueEntry::Group(_))
            | (QueueEntry::Group(_), QueueEntry::Pod(_)) => true,
        })
    });
    let first = ties.first()?;
    let count: usize = ties.iter().map(|tied| tied.len()).sum();
    let groups = queue.iter().any(|queued| matches!(queued.entry, QueueEntry::Group(_)));
    let what = if groups { "pods and groups" } else { "pods" };
    let text = if ties.len() == 1 {
        format!(
            "{count} {what} have the same priority and creation second: kube-scheduler may take them in any order"
        )
    } else {
        format!(
            "{count} {what} have the priority and creation second of another: kube-scheduler may take those that tie in any order"
        )
    };
    let mut note = Note::warning(&ORDER, text);
    for queued in *first {
        note = match queued.entry {
            QueueEntry::Pod(pod) => note.about(cluster.pod_subject(pod)),
            QueueEntry::Group(group) => note.about(cluster.group_subject(group)),
        };
    }
    Some(note)
}

//! Which pods preempt, by priority: those of each priority class, and existing ones.

use std::collections::BTreeMap;

use model::cluster::Cluster;
use model::cluster::priority_class::SYSTEM_CLASSES;

/// Whose pods preempt.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum PreemptingPods {
    /// Pods of this priority class.
    Class(String),
    /// Existing pods with a priority that no class has; their number.
    Pods(usize),
}

/// Everything that preempts in a cluster, by priority.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Preemptors {
    by_priority: BTreeMap<i64, Vec<PreemptingPods>>,
}

impl Preemptors {
    /// The classes whose pods preempt, and the priorities of pods without one.
    pub fn of(cluster: &Cluster) -> Self {
        let mut by_priority: BTreeMap<i64, Vec<PreemptingPods>> = BTreeMap::new();
        for class in cluster.priority_classes.iter().filter(|class| !class.never_preempts) {
            let name = cluster.text(class.name).to_owned();
            by_priority.entry(class.value).or_default().push(PreemptingPods::Class(name));
        }
        for (name, value) in SYSTEM_CLASSES {
            // Every API server has them, whether or not they were read.
            let preemptors = by_priority.entry(value).or_default();
            if !preemptors.contains(&PreemptingPods::Class(name.to_owned())) {
                preemptors.push(PreemptingPods::Class(name.to_owned()));
            }
        }
        let mut without_class: BTreeMap<i64, usize> = BTreeMap::new();
        for pod in cluster
            .pods
            .iter()
            .filter(|pod| pod.is_active() && !cluster.template(pod).never_preempts)
        {
            *without_class.entry(i64::from(pod.priority)).or_default() += 1;
        }
        for (priority, pods) in without_class {
            by_priority.entry(priority).or_insert_with(|| vec![PreemptingPods::Pods(pods)]);
        }
        Self { by_priority }
    }

    /// The same without the two system classes, whose pods an administrator creates.
    pub fn of_users(cluster: &Cluster) -> Self {
        let mut all = Self::of(cluster);
        all.by_priority.retain(|priority, _| *priority < SYSTEM_CLASSES[0].1);
        all
    }

    /// What preempts pods of `priority`, with its own priority, the highest first.
    pub fn above(&self, priority: i32) -> impl Iterator<Item = (i64, &PreemptingPods)> {
        let higher = self.by_priority.range(i64::from(priority) + 1..).rev();
        higher.flat_map(|(value, preemptors)| {
            preemptors.iter().map(move |preemptor| (*value, preemptor))
        })
    }

    /// Whether something preempts pods of `priority`.
    pub fn threaten(&self, priority: i32) -> bool {
        self.above(priority).next().is_some()
    }
}

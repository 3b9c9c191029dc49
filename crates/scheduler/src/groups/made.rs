//! The groups that were created from a Workload: the PodGroups that name its templates, or in 1.35
//! the pod groups that pods name. kube-scheduler does not wait for a PodGroup that nobody created:
//! its pods do not exist either, or they are held back.

use std::collections::BTreeSet;

use model::cluster::gang_workload::{GangWorkload, WorkloadGroup, parts};
use model::cluster::{Cluster, Sym};

/// A Workload, and the groups created from each of its templates or pod groups.
#[derive(Debug)]
pub struct MadeOf<'c> {
    pub cluster: &'c Cluster,
    pub workload: &'c GangWorkload,
    /// Its templates or pod groups, in its order.
    pub groups: Vec<MadeGroups>,
}

/// The groups created from one template or pod group.
#[derive(Debug)]
pub struct MadeGroups {
    /// The template or pod group.
    pub of: WorkloadGroup,
    /// The groups of pods, by name.
    pub names: Vec<Sym>,
}

impl<'c> MadeOf<'c> {
    /// The groups created from a Workload; `None` if it does not exist. `by_parts`: the scheduler
    /// reads its pod groups (1.35) instead of the PodGroups that are created from its templates.
    pub fn find(cluster: &'c Cluster, namespace: &str, name: &str, by_parts: bool) -> Option<Self> {
        let workload = cluster.find_workload(namespace, name)?;
        let of_version = workload.groups.iter().filter(|group| group.is_template != by_parts);
        let groups = of_version
            .map(|of| MadeGroups { of: *of, names: names(cluster, workload, *of) })
            .collect();
        Some(Self { cluster, workload, groups })
    }
}

fn names(cluster: &Cluster, workload: &GangWorkload, of: WorkloadGroup) -> Vec<Sym> {
    let own = cluster.pod_groups.iter().filter(|group| {
        let is_own = (group.namespace, group.workload) == (workload.namespace, workload.name);
        let template = if group.is_part {
            parts(cluster.text(group.name)).map(|(_, part, _)| part)
        } else {
            None
        };
        is_own
            && group.is_part != of.is_template
            && template.unwrap_or(cluster.text(group.template)) == cluster.text(of.name)
    });
    own.map(|group| group.name).collect()
}

/// The groups that belong to a Workload, by name: those created from it, and those that pods name
/// as parts of it, whether or not it exists.
pub fn groups_of<'c>(
    cluster: &'c Cluster,
    namespace: &str,
    name: &str,
    by_parts: bool,
) -> Vec<&'c str> {
    let made = cluster.pod_groups.iter().filter(|group| {
        cluster.text(group.namespace) == namespace
            && cluster.text(group.workload) == name
            && group.is_part == by_parts
    });
    let mut names: BTreeSet<&str> = made.map(|group| cluster.text(group.name)).collect();
    let pods =
        cluster.pods.iter().filter(|pod| by_parts && cluster.text(pod.namespace) == namespace);
    let named = pods.map(|pod| cluster.text(cluster.template(pod).group));
    names.extend(named.filter(|group| parts(group).is_some_and(|(workload, ..)| workload == name)));
    names.into_iter().collect()
}

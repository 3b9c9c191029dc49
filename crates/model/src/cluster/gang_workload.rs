//! Workloads, from which groups of pods are created. kube-scheduler 1.35 reads them: their pod
//! groups are groups of pods, and a pod names one of them. Since 1.36 they have templates, from
//! which controllers create PodGroups, and kube-scheduler does not read them.
//!
//! Upstream: `api/scheduling/v1alpha1/types.go` (1.35), `api/scheduling/v1alpha2/types.go` (1.36),
//! `api/scheduling/v1beta1/types.go` (1.37).

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::Cluster;
use super::pod_group::PodGroup;
use super::reader::ReadContext;
use super::symbols::Sym;
use crate::snapshot::groups as wire;
use crate::snapshot::pod::PodSpec;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GangWorkload {
    pub namespace: Sym,
    pub name: Sym,
    /// Its pod groups (1.35), or its templates of PodGroups, including those of its composite
    /// groups.
    pub groups: Box<[WorkloadGroup]>,
}

/// A pod group of a Workload, or a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkloadGroup {
    pub name: Sym,
    /// `minCount` of a gang; `None` if the policy is basic.
    pub min_count: Option<i64>,
    /// Whether it is a template from which PodGroups are created.
    pub is_template: bool,
}

impl GangWorkload {
    pub(super) fn read(wire: &wire::Workload, reader: &mut ReadContext) -> Self {
        let (meta, spec) = (&wire.metadata, &wire.spec);
        let mut groups = Vec::new();
        let mut add = |name: &str,
                       policy: &wire::SchedulingPolicy,
                       is_template: bool,
                       reader: &mut ReadContext| {
            let min_count = policy.gang.as_ref().map(|gang| gang.min_count);
            groups.push(WorkloadGroup { name: reader.intern(name), min_count, is_template });
        };
        spec.pod_groups.iter().for_each(|group| add(&group.name, &group.policy, false, reader));
        let mut templates: Vec<&wire::PodGroupTemplate> = spec.pod_group_templates.iter().collect();
        let mut composites: Vec<&wire::CompositePodGroupTemplate> =
            spec.composite_pod_group_templates.iter().collect();
        while let Some(composite) = composites.pop() {
            templates.extend(&composite.pod_group_templates);
            composites.extend(&composite.composite_pod_group_templates);
        }
        templates
            .iter()
            .for_each(|template| add(&template.name, &template.scheduling_policy, true, reader));
        Self {
            namespace: reader.namespace(&meta.namespace),
            name: reader.intern(&meta.name),
            groups: groups.into(),
        }
    }

    /// The pod group with this name.
    fn part(&self, name: Sym) -> Option<WorkloadGroup> {
        self.groups.iter().copied().find(|group| !group.is_template && group.name == name)
    }
}

/// The name of a pod's group: that of its PodGroup, or of the part of a Workload that it names,
/// which is `WORKLOAD/POD-GROUP`, or `WORKLOAD/POD-GROUP/KEY` for a replica of it. No PodGroup has
/// a name with a slash.
pub(super) fn group_name<'s>(spec: &'s PodSpec) -> Cow<'s, str> {
    match (&spec.scheduling_group, &spec.workload_ref) {
        (Some(group), _) => Cow::Borrowed(&group.pod_group_name),
        (None, Some(named)) => {
            let key = [
                if named.pod_group_replica_key.is_empty() { "" } else { "/" },
                &named.pod_group_replica_key,
            ];
            Cow::Owned(format!("{}/{}{}", &*named.name, &*named.pod_group, key.concat()))
        }
        (None, None) => Cow::Borrowed(""),
    }
}

/// Workload, pod group and replica key of a group that is a part of a Workload; `None` for a
/// PodGroup.
pub fn parts(group: &str) -> Option<(&str, &str, &str)> {
    let (workload, rest) = group.split_once('/')?;
    let (part, key) = rest.split_once('/').unwrap_or((rest, ""));
    Some((workload, part, key))
}

/// Adds the parts of Workloads that pods name to the groups of pods. `named` are the namespaces and
/// names of all pods' groups.
pub(super) fn add_parts(cluster: &mut Cluster, named: &BTreeSet<(Sym, Sym)>, reader: &ReadContext) {
    cluster.pod_groups.retain(|group| !group.is_part);
    if !cluster
        .workloads
        .iter()
        .any(|workload| workload.groups.iter().any(|group| !group.is_template))
    {
        return;
    }
    let mut parts_of_workload: Vec<PodGroup> = Vec::new();
    for (namespace, group) in named.iter().copied() {
        let Some((workload, part, _)) = parts(reader.symbols.text(group)) else { continue };
        let (Some(workload), Some(part)) = (reader.symbols.get(workload), reader.symbols.get(part))
        else {
            continue;
        };
        let of = cluster
            .workloads
            .iter()
            .rfind(|other| (other.namespace, other.name) == (namespace, workload));
        if let Some(part) = of.and_then(|of| of.part(part)) {
            parts_of_workload.push(PodGroup::part(namespace, group, workload, part.min_count));
        }
    }
    cluster.pod_groups.append(&mut parts_of_workload);
}

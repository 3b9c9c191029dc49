//! Up to 1.30: `EBSLimits`, `GCEPDLimits` and `AzureDiskLimits`, which limit the disks of a cloud
//! on a node. They share one rule. Since 1.31 all such disks are volumes of CSI drivers, which
//! NodeVolumeLimits counts.

use std::collections::BTreeSet;

use crate::framework::cluster_view::NodeInfo;
use crate::framework::evidence::Evidence;
use crate::framework::plugin::{Cycle, Filter, Plugin, Prepared, RuleDoc, Signer};
use crate::framework::status::{Code, FilterVerdict};
use crate::framework::storage_evidence::{VolumeDriver, VolumeLimit};
use crate::framework::volume_limits::{
    self, Handle, LOOKUP_FAILED, TOO_MANY, VolumeCountProblem, counts_as_csi,
};
use model::cluster::Pod;
use model::cluster::in_tree::{AWS_PLUGIN, AZURE_PLUGIN, GCE_PLUGIN, InTreeVolume, Provisioner};
use model::cluster::pod_volume::{Inline, PodVolumeClaim};
use model::cluster::storage::{VolumeClaim, VolumeSource};

/// The label with the instance type of a node, and the newer one.
const INSTANCE_TYPES: [&str; 2] =
    ["beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type"];

/// One of the plugins.
pub struct CloudDiskLimits {
    doc: &'static RuleDoc,
    /// The in-tree plugin whose volumes it counts.
    plugin: &'static str,
    /// The allocatable resource that limits them.
    resource: &'static str,
    /// The default limit for an instance type, if the node has none.
    usual: fn(&str) -> i64,
}

/// The plugin for EBS volumes.
pub static EBS: CloudDiskLimits = CloudDiskLimits {
    doc: &RuleDoc {
        name: "EBSLimits",
        code: "PRE-115",
        summary: "With the pod's volumes, the node has no more EBS volumes than it takes.",
        preemption: PREEMPTION,
        scores: None,
        messages: &[&TOO_MANY, &LOOKUP_FAILED],
        retried_on: Some(RETRIED_ON),
        source: SOURCE,
    },
    plugin: AWS_PLUGIN,
    resource: "attachable-volumes-aws-ebs",
    usual: |instance| if is_nitro(instance) { 25 } else { 39 },
};

/// The plugin for GCE disks.
pub static GCE_PD: CloudDiskLimits = CloudDiskLimits {
    doc: &RuleDoc {
        name: "GCEPDLimits",
        code: "PRE-116",
        summary: "With the pod's volumes, the node has no more GCE disks than it takes.",
        preemption: PREEMPTION,
        scores: None,
        messages: &[&TOO_MANY, &LOOKUP_FAILED],
        retried_on: Some(RETRIED_ON),
        source: SOURCE,
    },
    plugin: GCE_PLUGIN,
    resource: "attachable-volumes-gce-pd",
    usual: |_| 16,
};

/// The plugin for Azure disks.
pub static AZURE_DISK: CloudDiskLimits = CloudDiskLimits {
    doc: &RuleDoc {
        name: "AzureDiskLimits",
        code: "PRE-117",
        summary: "With the pod's volumes, the node has no more Azure disks than it takes.",
        preemption: PREEMPTION,
        scores: None,
        messages: &[&TOO_MANY, &LOOKUP_FAILED],
        retried_on: Some(RETRIED_ON),
        source: SOURCE,
    },
    plugin: AZURE_PLUGIN,
    resource: "attachable-volumes-azure-disk",
    usual: |_| 16,
};

/// The events for which they register.
const RETRIED_ON: &str = "a node is added, a pod leaves one; in 1.30 also a claim is added";
const PREEMPTION: &str = "Helps: the disks of the evicted pod no longer count.";
const SOURCE: &str = "pkg/scheduler/framework/plugins/nodevolumelimits/non_csi.go (1.30)";

/// Parity: upstream's expression is anchored in its first alternative only.
fn is_nitro(instance: &str) -> bool {
    let begins = instance.starts_with(['c', 'm', 'r'])
        && instance.get(1..).is_some_and(|rest| rest.starts_with('5'));
    begins || instance.contains("t3") || instance.contains("z1d")
}

impl Signer for CloudDiskLimits {
    fn sees_alike(&self, _: &Cycle, _: &Pod) -> bool {
        // No release that has it shares scores.
        true
    }
}

impl Plugin for CloudDiskLimits {
    fn doc(&self) -> &'static RuleDoc {
        self.doc
    }

    fn prepare<'c>(&self, cycle: &Cycle<'c>) -> Prepared<'c> {
        let Self { plugin, resource, usual, .. } = *self;
        let mut limits = Limits { cycle: *cycle, plugin, resource, usual, new: BTreeSet::new() };
        match limits.disks(cycle.pod, true) {
            Ok(new) if new.is_empty() => Prepared::Skip,
            Ok(new) => {
                limits.new = new;
                Prepared::ready(limits)
            }
            Err(problem) => {
                problem.into_rejection(cycle).map_or_else(Prepared::Failed, Prepared::Reject)
            }
        }
    }
}

struct Limits<'c> {
    cycle: Cycle<'c>,
    plugin: &'static str,
    resource: &'static str,
    usual: fn(&str) -> i64,
    /// Disks of the incoming pod.
    new: BTreeSet<Handle>,
}

impl Filter for Limits<'_> {
    fn check(&self, node: &NodeInfo) -> FilterVerdict {
        let (cluster, facts) = (self.cycle.cluster(), self.cycle.view.node(node.node));
        if counts_as_csi(self.plugin, cluster.storage.csi_node(facts.name), &self.cycle) {
            return FilterVerdict::Fits;
        }
        let mut attached = BTreeSet::new();
        for pod in &node.pods {
            match self.disks(cluster.pod(*pod), false) {
                Ok(disks) => attached.extend(disks),
                Err(problem) => {
                    return FilterVerdict::Failed(problem.into_error(&self.cycle).into());
                }
            }
        }
        let count = |disks: usize| i64::try_from(disks).unwrap_or(i64::MAX);
        let (attached, wanted) =
            (count(attached.len()), count(self.new.difference(&attached).count()));
        let limit = self.limit(node);
        if attached + wanted <= limit {
            return FilterVerdict::Fits;
        }
        let driver = VolumeDriver::InTree(self.plugin);
        let exceeded = VolumeLimit { driver, limit, attached, wanted };
        FilterVerdict::reject(Code::Unschedulable, TOO_MANY.reason(), exceeded.grounds())
    }
}

impl Limits<'_> {
    /// Maximum number of disks on the node. Parity: if two labels differ, upstream reads either at
    /// random; here it is the older one.
    fn limit(&self, node: &NodeInfo) -> i64 {
        let (symbols, features) = (&self.cycle.cluster().symbols, self.cycle.features());
        let facts = self.cycle.view.node(node.node);
        let allocatable =
            symbols.get(self.resource).and_then(|name| facts.allocatable.scalar(name));
        allocatable.filter(|_| features.volume_limits.attach_limits).unwrap_or_else(|| {
            let keys = INSTANCE_TYPES
                .iter()
                .take(if features.cloud_disk_limits.stable_instance_type { 2 } else { 1 });
            let mut labels =
                keys.filter_map(|key| self.cycle.view.node_label(node.node, symbols.get(key)?));
            (self.usual)(labels.next().map_or("", |value| symbols.text(value)))
        })
    }

    fn disks(&self, pod: &Pod, incoming: bool) -> Result<BTreeSet<Handle>, VolumeCountProblem> {
        volume_limits::volumes(
            pod,
            &self.cycle,
            incoming,
            |volume: &Inline| Ok(volume.in_tree.as_ref().and_then(|disk| self.own(disk))),
            |claim: Result<&VolumeClaim, &PodVolumeClaim>| match claim {
                Ok(claim) => self.of_claim(claim),
                Err(missing) => self.of_missing(pod, missing),
            },
        )
    }

    fn own(&self, disk: &InTreeVolume) -> Option<Handle> {
        (self.cycle.cluster().text(disk.plugin) == self.plugin).then_some(Handle::Known(disk.id))
    }

    fn of_missing(&self, pod: &Pod, used: &PodVolumeClaim) -> Option<Handle> {
        let name = self.cycle.cluster().symbols.get(&used.name)?;
        self.cycle
            .features()
            .cloud_disk_limits
            .unknown_disks_count
            .then_some(Handle::OfClaim(pod.namespace, name))
    }

    fn of_claim(&self, claim: &VolumeClaim) -> Option<Handle> {
        let storage = &self.cycle.cluster().storage;
        match Some(claim.volume_name)
            .filter(|name| !name.is_empty())
            .and_then(|name| storage.volume(name))
        {
            Some(volume) => match &volume.source {
                VolumeSource::InTree { volume, .. } => self.own(volume),
                VolumeSource::Csi { .. } | VolumeSource::Other => None,
            },
            None => {
                self.is_provisioner(claim).then_some(Handle::OfClaim(claim.namespace, claim.name))
            }
        }
    }

    /// Whether the claim's disk, about which nothing is known, counts as one of the cloud's.
    fn is_provisioner(&self, claim: &VolumeClaim) -> bool {
        let class = self.cycle.cluster().storage.class(claim.spec_class.unwrap_or_default());
        self.cycle.features().cloud_disk_limits.unknown_disks_count
            || class.is_some_and(|class| match class.provisioner {
                Provisioner::InTree { plugin, .. } => {
                    self.cycle.cluster().text(plugin) == self.plugin
                }
                Provisioner::Driver(_) | Provisioner::Uncounted => false,
            })
    }
}

#[cfg(test)]
mod tests;

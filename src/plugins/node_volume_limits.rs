//! `NodeVolumeLimits`: the node takes the pod's volumes, as many as its CSI drivers allow.

use std::collections::BTreeSet;

use crate::cluster::in_tree::{InTree, PORTWORX_PLUGIN, Provisioner};
use crate::cluster::pod::Pod;
use crate::cluster::pod_volume::{Inline, PodVolume, TemplateVolume};
use crate::cluster::storage::{Claim, CsiNode, Source};
use crate::cluster::symbols::Sym;
use crate::framework::plugin::{Cycle, Filter, Plugin, Prepared, RuleDoc};
use crate::framework::status::{Code, Evidence, Text, Verdict};
use crate::framework::world::NodeInfo;

/// Upstream's reason.
const TOO_MANY: &str = "node(s) exceed max volume count";

/// The plugin.
pub struct NodeVolumeLimits;

static DOC: RuleDoc = RuleDoc {
    name: "NodeVolumeLimits",
    summary: "With the pod's volumes, no CSI driver has more volumes on the node than its CSINode allows.",
    preemption: "Helps only where the evicted pod's volume has no VolumeAttachment: attached volumes count until they \
                 are detached.",
    source: "pkg/scheduler/framework/plugins/nodevolumelimits/csi.go (1.37)",
};

impl Plugin for NodeVolumeLimits {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn prepare<'c>(&self, cycle: &Cycle<'c>) -> Prepared<'c> {
        let countable = |volume: &TemplateVolume| match volume {
            TemplateVolume::Claim | TemplateVolume::Ephemeral { .. } => true,
            TemplateVolume::Inline(inline) => inline.in_tree.is_some(),
        };
        if cycle.template.volumes.iter().any(countable) {
            Prepared::ready(Limits { cycle: *cycle })
        } else {
            Prepared::Skip
        }
    }
}

/// A volume as its driver knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct VolumeId {
    driver: Sym,
    handle: Handle,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Handle {
    /// The driver's name for it.
    Known(Sym),
    /// Not made yet: it is the volume of this claim.
    OfClaim(Sym, Sym),
}

/// Why the volumes of a pod cannot be counted.
enum Problem {
    /// A claim of the incoming pod is not there.
    NotFound(String),
    /// The scheduler gives up the cycle.
    Failed(String),
}

struct Limits<'c> {
    cycle: Cycle<'c>,
}

impl Filter for Limits<'_> {
    fn check(&self, node: &NodeInfo) -> Verdict {
        let name = self.cycle.world.node(node.node).name;
        let csi_node = self.cycle.cluster().storage.csi_node(name);
        let mut new = match self.volumes(self.cycle.pod, csi_node, true) {
            Ok(new) => new,
            Err(Problem::Failed(error)) => return Verdict::Failed(error),
            Err(Problem::NotFound(text)) => {
                let code = Code::UnschedulableAndUnresolvable;
                return Verdict::reject(code, Text::Owned(text.into()), Evidence::None);
            }
        };
        if let Some(driver) = self.missing_driver(&new, csi_node) {
            let text = format!("{} CSI driver is not installed on the node", self.cycle.cluster().text(driver));
            let evidence = Evidence::MissingDriver { driver };
            return Verdict::reject(Code::Unschedulable, Text::Owned(text.into()), evidence);
        }
        let limit = |driver: Sym| {
            // Of a driver listed twice, the later entry holds.
            csi_node.and_then(|n| n.drivers.iter().rev().find_map(|(d, limit)| limit.filter(|_| *d == driver)))
        };
        if new.is_empty() || !csi_node.is_some_and(|n| n.drivers.iter().any(|(_, limit)| limit.is_some())) {
            return Verdict::Fits;
        }
        let mut attached = BTreeSet::new();
        for pod in &node.pods {
            match self.volumes(self.cycle.cluster().pod(*pod), csi_node, false) {
                Ok(volumes) => attached.extend(volumes),
                Err(Problem::Failed(error) | Problem::NotFound(error)) => return Verdict::Failed(error),
            }
        }
        new.retain(|volume| !attached.contains(volume));
        attached.extend(self.still_attached(name));
        let exceeded = self.by_name(&new).into_iter().find_map(|driver| {
            let count = |volumes: &BTreeSet<VolumeId>| {
                i64::try_from(volumes.iter().filter(|v| v.driver == driver).count()).unwrap_or(i64::MAX)
            };
            let (limit, attached, wanted) = (limit(driver)?, count(&attached), count(&new));
            (attached + wanted > limit).then_some(Evidence::VolumeLimit { driver, limit, attached, wanted })
        });
        exceeded.map_or(Verdict::Fits, |e| Verdict::reject(Code::Unschedulable, Text::Fixed(TOO_MANY), e))
    }
}

impl Limits<'_> {
    /// The volumes of a pod that CSI drivers attach. Claims of other pods that are not there do not count.
    fn volumes(&self, pod: &Pod, csi_node: Option<&CsiNode>, incoming: bool) -> Result<BTreeSet<VolumeId>, Problem> {
        let cluster = self.cycle.cluster();
        let mut volumes = BTreeSet::new();
        for volume in cluster.volumes_of(pod) {
            let id = match volume {
                PodVolume::Inline(inline) => self.inline(inline, csi_node)?,
                PodVolume::Claim(used) if used.name.is_empty() => {
                    return Err(Problem::Failed("PersistentVolumeClaim had no name".into()));
                }
                PodVolume::Claim(used) => match used.claim {
                    Some(claim) => {
                        used.check_owner(pod, cluster).map_err(Problem::Failed)?;
                        self.of_claim(claim, csi_node)
                    }
                    None if incoming => {
                        let (namespace, name) = (cluster.text(pod.namespace), &used.name);
                        return Err(Problem::NotFound(format!(
                            "looking up PVC {namespace}/{name}: persistentvolumeclaim \"{name}\" not found"
                        )));
                    }
                    None => None,
                },
            };
            volumes.extend(id);
        }
        Ok(volumes)
    }

    fn inline(&self, inline: &Inline, csi_node: Option<&CsiNode>) -> Result<Option<VolumeId>, Problem> {
        let Some(in_tree) = inline.in_tree.as_ref().filter(|v| self.is_migrated(v.plugin, csi_node)) else {
            return Ok(None);
        };
        match &in_tree.handle {
            Ok(handle) => Ok(Some(VolumeId { driver: in_tree.driver, handle: Handle::Known(*handle) })),
            Err(e) => {
                let name = self.cycle.cluster().text(inline.name);
                Err(Problem::Failed(format!("converting volume({name}) from inline to csi: {e}")))
            }
        }
    }

    fn of_claim(&self, claim: &Claim, csi_node: Option<&CsiNode>) -> Option<VolumeId> {
        let storage = &self.cycle.cluster().storage;
        let Some(volume) = Some(claim.volume_name).filter(|n| !n.is_empty()).and_then(|n| storage.volume(n)) else {
            return self.to_be_made(claim, csi_node);
        };
        let (driver, handle) = match &volume.source {
            Source::Csi { driver, handle } => (*driver, *handle),
            Source::InTree { volume: InTree { plugin, driver, handle: Ok(handle) }, .. }
                if self.is_migrated(*plugin, csi_node) =>
            {
                (*driver, *handle)
            }
            Source::InTree { .. } | Source::Other => return None,
        };
        let nameless = driver.is_empty() || handle.is_empty();
        (!nameless).then_some(VolumeId { driver, handle: Handle::Known(handle) })
    }

    fn to_be_made(&self, claim: &Claim, csi_node: Option<&CsiNode>) -> Option<VolumeId> {
        let driver = match self.cycle.cluster().storage.class(claim.class)?.provisioner {
            Provisioner::Driver(driver) => Some(driver).filter(|d| !d.is_empty()),
            Provisioner::InTree { plugin, driver } => self.is_migrated(plugin, csi_node).then_some(driver),
            Provisioner::Uncounted => None,
        }?;
        Some(VolumeId { driver, handle: Handle::OfClaim(claim.namespace, claim.name) })
    }

    /// Whether the volumes of an in-tree plugin are a CSI driver's on the node. Parity: a CSINode is enough, whatever it
    /// lists; only older versions ask that for Portworx.
    fn is_migrated(&self, plugin: Sym, csi_node: Option<&CsiNode>) -> bool {
        let asks = !self.cycle.features().portworx_migrated_on_every_csi_node
            && self.cycle.cluster().text(plugin) == PORTWORX_PLUGIN;
        csi_node.is_some_and(|node| !asks || node.migrated.contains(&plugin))
    }

    /// A driver of `volumes` that the node must have and has not.
    fn missing_driver(&self, volumes: &BTreeSet<VolumeId>, csi_node: Option<&CsiNode>) -> Option<Sym> {
        let (features, storage) = (self.cycle.features(), &self.cycle.cluster().storage);
        if !features.volume_limit_scaling {
            return None;
        }
        let must_be_there = |driver: Sym| {
            storage.driver(driver).is_some_and(|d| d.prevents_if_missing || !features.missing_driver_is_opt_in)
        };
        let is_there = |driver: Sym| csi_node.is_some_and(|node| node.drivers.iter().any(|(d, _)| *d == driver));
        self.by_name(volumes).into_iter().find(|driver| must_be_there(*driver) && !is_there(*driver))
    }

    /// Volumes that are attached to the node, whether or not a pod uses them. Parity: an in-tree volume does not count.
    fn still_attached(&self, node: Sym) -> impl Iterator<Item = VolumeId> {
        let storage = &self.cycle.cluster().storage;
        storage.attachments(node).iter().filter_map(|attachment| match storage.volume(attachment.volume)?.source {
            Source::Csi { handle, .. } => Some(VolumeId { driver: attachment.attacher, handle: Handle::Known(handle) }),
            Source::InTree { .. } | Source::Other => None,
        })
    }

    /// The drivers of `volumes`, by name.
    fn by_name(&self, volumes: &BTreeSet<VolumeId>) -> Vec<Sym> {
        let mut drivers: Vec<Sym> = volumes.iter().map(|v| v.driver).collect();
        drivers.sort_by_key(|driver| self.cycle.cluster().text(*driver));
        drivers.dedup();
        drivers
    }
}

#[cfg(test)]
#[path = "node_volume_limits/tests.rs"]
mod tests;

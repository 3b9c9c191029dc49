//! The volumes of a pod for which the scheduler has rules. Replicas share a template although each
//! has its own claims: the template has the position of a claim among the volumes, the pod has its
//! name.

use std::borrow::Cow;

use smallvec::{SmallVec, smallvec};

use super::Cluster;
use super::in_tree::{InTreeVolume, Sources};
use super::pod::Pod;
use super::storage::VolumeClaim;
use super::symbols::{Sym, Symbols};
use crate::snapshot::{Map, pod as wire};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum TemplateVolume {
    /// `persistentVolumeClaim`; the pod has its name, in order.
    Claim,
    /// `ephemeral`: a claim that is named after the pod and the volume.
    Ephemeral { name: Sym },
    /// Storage without a claim.
    Inline(Inline),
}

/// Storage without a claim.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Inline {
    pub name: Sym,
    /// The disk, if another pod on the node may conflict with it.
    pub disk: Option<Disk>,
    /// Its translation for the CSI driver.
    pub in_tree: Option<InTreeVolume>,
}

/// A disk that two pods on a node can share only under conditions.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Disk {
    /// `gcePersistentDisk`.
    Gce {
        /// `pdName`.
        name: Sym,
        read_only: bool,
    },
    /// `awsElasticBlockStore`.
    Aws {
        /// `volumeID`.
        id: Sym,
    },
    /// `iscsi`.
    Iscsi {
        /// Name of the target.
        iqn: Sym,
        read_only: bool,
    },
    /// `rbd`.
    Rbd {
        /// Addresses.
        monitors: Box<[Sym]>,
        pool: Sym,
        image: Sym,
        read_only: bool,
    },
}

/// What two conflicting disks have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DiskKey {
    /// The name of a GCE disk.
    Gce(Sym),
    /// The volume ID of an EBS volume.
    Aws(Sym),
    /// The IQN of an iSCSI target.
    Iscsi(Sym),
    /// An RBD image at one monitor.
    Rbd {
        /// One of the Ceph monitors.
        monitor: Sym,
        /// The RADOS pool.
        pool: Sym,
        image: Sym,
    },
}

impl Disk {
    /// The keys of the disk; a conflicting disk shares at least one.
    pub fn keys(&self) -> SmallVec<[DiskKey; 1]> {
        match self {
            Self::Gce { name, .. } => smallvec![DiskKey::Gce(*name)],
            Self::Aws { id } => smallvec![DiskKey::Aws(*id)],
            Self::Iscsi { iqn, .. } => smallvec![DiskKey::Iscsi(*iqn)],
            Self::Rbd { monitors, pool, image, .. } => monitors
                .iter()
                .map(|monitor| DiskKey::Rbd { monitor: *monitor, pool: *pool, image: *image })
                .collect(),
        }
    }

    /// Whether it is read-only, and of a kind that pods may then share.
    pub fn is_shared_by_readers(&self) -> bool {
        match self {
            Self::Gce { read_only, .. }
            | Self::Iscsi { read_only, .. }
            | Self::Rbd { read_only, .. } => *read_only,
            Self::Aws { .. } => false,
        }
    }

    fn read(wire: &wire::Volume, symbols: &mut Symbols) -> Option<Self> {
        Some(if let Some(disk) = &wire.gce_persistent_disk {
            Self::Gce { name: symbols.intern(&disk.pd_name), read_only: disk.read_only }
        } else if let Some(disk) = &wire.aws_elastic_block_store {
            Self::Aws { id: symbols.intern(&disk.volume_id) }
        } else if let Some(disk) = &wire.iscsi {
            Self::Iscsi { iqn: symbols.intern(&disk.iqn), read_only: disk.read_only }
        } else if let Some(disk) = &wire.rbd {
            Self::Rbd {
                monitors: disk.monitors.iter().map(|m| symbols.intern(m)).collect(),
                pool: symbols.intern(&disk.pool),
                image: symbols.intern(&disk.image),
                read_only: disk.read_only,
            }
        } else {
            return None;
        })
    }
}

impl TemplateVolume {
    /// Reads a volume; `None` for one for which the scheduler has no rule.
    pub(super) fn read(wire: &wire::Volume, symbols: &mut Symbols) -> Option<Self> {
        if wire.persistent_volume_claim.is_some() {
            return Some(Self::Claim);
        }
        let name = symbols.intern(&wire.name);
        if wire.ephemeral.is_some() {
            return Some(Self::Ephemeral { name });
        }
        let sources = Sources {
            gce: wire.gce_persistent_disk.as_ref(),
            aws: wire.aws_elastic_block_store.as_ref(),
            azure: wire.azure_disk.as_ref(),
            cinder: wire.cinder.as_ref(),
            portworx: wire.portworx_volume.as_ref(),
        };
        let disk = Disk::read(wire, symbols);
        let in_tree = sources.translate(&Map::default(), symbols);
        (disk.is_some() || in_tree.is_some()).then_some(Self::Inline(Inline {
            name,
            disk,
            in_tree,
        }))
    }
}

/// Names of the claims that a pod refers to, in order.
pub(super) fn claims(spec: &wire::PodSpec, symbols: &mut Symbols) -> Box<[Sym]> {
    let claims = spec.volumes.iter().filter_map(|v| v.persistent_volume_claim.as_ref());
    claims.map(|c| symbols.intern(&c.claim_name)).collect()
}

#[derive(Debug, Clone)]
pub enum PodVolume<'c> {
    /// Storage through a claim.
    Claim(PodVolumeClaim<'c>),
    /// Storage without a claim.
    Inline(&'c Inline),
}

/// A claim that a pod refers to, or that its ephemeral volume creates.
#[derive(Debug, Clone)]
pub struct PodVolumeClaim<'c> {
    pub name: Cow<'c, str>,
    /// Whether it is created and deleted with the pod.
    pub ephemeral: bool,
    /// The claim; `None` if it does not exist.
    pub claim: Option<&'c VolumeClaim>,
}

impl PodVolumeClaim<'_> {
    /// Whether the claim with the name of an ephemeral volume belongs to something other than the
    /// pod.
    ///
    /// Upstream: `component-helpers/storage/ephemeral/ephemeral.go` `VolumeIsForPod` (1.37).
    pub fn is_foreign(&self, pod: &Pod) -> bool {
        self.ephemeral
            && self.claim.is_some_and(|claim| claim.controller.as_deref() != Some(&*pod.uid))
    }
}

impl Cluster {
    /// The volumes of a pod, in order.
    pub fn volumes_of<'c>(&'c self, pod: &'c Pod) -> impl Iterator<Item = PodVolume<'c>> {
        let mut claims = pod.claims.iter();
        self.template(pod).volumes.iter().filter_map(move |volume| {
            Some(match volume {
                TemplateVolume::Claim => {
                    let name = *claims.next()?;
                    let claim = self.storage.claim(pod.namespace, name);
                    PodVolume::Claim(PodVolumeClaim {
                        name: Cow::Borrowed(self.text(name)),
                        ephemeral: false,
                        claim,
                    })
                }
                TemplateVolume::Ephemeral { name } => {
                    let name = format!("{}-{}", pod.name, self.text(*name));
                    let claim = self
                        .symbols
                        .get(&name)
                        .and_then(|sym| self.storage.claim(pod.namespace, sym));
                    PodVolume::Claim(PodVolumeClaim {
                        name: Cow::Owned(name),
                        ephemeral: true,
                        claim,
                    })
                }
                TemplateVolume::Inline(inline) => PodVolume::Inline(inline),
            })
        })
    }

    /// The claims of a pod, in order.
    pub fn claims_of<'c>(&'c self, pod: &'c Pod) -> impl Iterator<Item = PodVolumeClaim<'c>> {
        self.volumes_of(pod).filter_map(|volume| match volume {
            PodVolume::Claim(claim) => Some(claim),
            PodVolume::Inline(_) => None,
        })
    }
}

//! What NodeVolumeLimits and the limits of cloud disks share: how they count the volumes of a pod.
//!
//! Upstream: `pkg/scheduler/framework/plugins/nodevolumelimits/csi.go` and `non_csi.go`
//! `filterAttachableVolumes` (1.30).
//!
//! Upstream: `pkg/scheduler/framework/plugins/nodevolumelimits/utils.go` `isCSIMigrationOn`,
//! `pkg/scheduler/framework/plugins/volumebinding/binder.go` `isCSIMigrationOnForPlugin` (1.12 to
//! 1.37).

use super::claims;
use super::evidence::{Evidence, Fact, Nearness, Obstruction, RejectedOn};
use super::plugin::Cycle;
use super::reason::{Message, Obstacle, ReasonText, When};
use super::status::Rejection;
use super::storage_evidence::VolumeLimit;
use json::evidence::Evidence as JsonEvidence;
use model::cluster::in_tree::{AWS_PLUGIN, AZURE_PLUGIN, CINDER_PLUGIN, GCE_PLUGIN};
use model::cluster::pod_volume::{Inline, PodVolume, PodVolumeClaim};
use model::cluster::storage::{CsiNode, VolumeClaim};
use model::cluster::{Cluster, Pod, Sym};
use profile::history::{MissingClaims, VolumeMigration};

/// The volumes of the pod would exceed the limit.
pub static TOO_MANY: Message = Message {
    code: "PRE-231",
    text: "node(s) exceed max volume count",
    meaning: "With this pod's volumes the node would have more volumes of a driver than it takes.",
    preemption: "Helps only where the evicted pod's volume is not attached any more.",
    remedy: "spread pods with volumes over more nodes, or use nodes that take more volumes",
    obstacle: Obstacle::Room,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/nodevolumelimits/csi.go (1.37)",
};

/// A claim of the pod does not exist.
pub static LOOKUP_FAILED: Message = Message {
    code: "PRE-261",
    text: "looking up PVC {}/{}: persistentvolumeclaim \"{}\" not found",
    meaning: "The volumes of the pod cannot be counted, since it names a PersistentVolumeClaim that does not exist.",
    preemption: "Never: evicting pods does not change the claim.",
    remedy: "create the claim, or correct its name in the pod",
    obstacle: Obstacle::Volume,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/nodevolumelimits/csi.go (1.37)",
};

impl Evidence for VolumeLimit {
    fn nearness(&self, _: &RejectedOn) -> Nearness {
        Nearness::Full
    }

    fn obstruction(&self) -> Obstruction<'_> {
        Obstruction::Crowd
    }

    fn json(&self, cluster: &Cluster) -> Vec<JsonEvidence> {
        vec![JsonEvidence::VolumeLimit {
            driver: self.driver.name(cluster).to_owned(),
            limit: self.limit,
            attached: self.attached,
            wanted: self.wanted,
        }]
    }

    fn facts<'e>(&'e self, _: &Cluster) -> Vec<Fact<'e>> {
        vec![Fact::VolumeLimit(self)]
    }
}

/// The identity of a volume.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Handle {
    /// The driver's or cloud's name for the volume.
    Known(Sym),
    /// The future volume of this claim, by namespace and name.
    OfClaim(Sym, Sym),
}

/// Why the volumes of a pod cannot be counted.
pub enum VolumeCountProblem {
    /// A claim of the incoming pod does not exist.
    NotFound(ReasonText),
    /// The cycle ends with this error.
    Failed(String),
}

impl VolumeCountProblem {
    /// As a rejection of the pod.
    ///
    /// # Errors
    /// The error that ends the cycle, where the version has no rejection for the problem.
    pub fn into_rejection(self, cycle: &Cycle) -> Result<Rejection, String> {
        let rejects = cycle.features().volume_limits.limits_missing_claims == MissingClaims::Reject;
        match self {
            Self::NotFound(text) if rejects => Ok(Rejection::unresolvable(text)),
            other => Err(other.into_error(cycle)),
        }
    }

    /// As the error about a pod on a node, whose claims need not exist.
    pub fn into_error(self, cycle: &Cycle) -> String {
        match self {
            Self::NotFound(text) => text.render(cycle.cluster()).into_owned(),
            Self::Failed(error) => error,
        }
    }
}

/// The volumes of `pod` that count, according to `inline` and `claimed`. `claimed` gets the claim,
/// or the reference to one that does not exist. `incoming` is set for the pod of the cycle, whose
/// claims must exist since 1.23.
///
/// # Errors
/// Why they cannot be counted.
pub fn volumes<V, C: Default + Extend<V>>(
    pod: &Pod,
    cycle: &Cycle,
    incoming: bool,
    inline: impl Fn(&Inline) -> Result<Option<V>, VolumeCountProblem>,
    claimed: impl Fn(Result<&VolumeClaim, &PodVolumeClaim>) -> Option<V>,
) -> Result<C, VolumeCountProblem> {
    let (cluster, features) = (cycle.cluster(), &cycle.features().volume_limits);
    let mut volumes = C::default();
    for volume in cluster.volumes_of(pod) {
        volumes.extend(match volume {
            PodVolume::Inline(volume) => inline(volume)?,
            PodVolume::Claim(used) if used.ephemeral && !features.limits_count_ephemeral => None,
            PodVolume::Claim(used) if used.name.is_empty() => {
                return Err(VolumeCountProblem::Failed("PersistentVolumeClaim had no name".into()));
            }
            PodVolume::Claim(used) => match used.claim {
                Some(claim) => {
                    if used.is_foreign(pod) {
                        let text = claims::foreign(&used, pod, cluster);
                        return Err(VolumeCountProblem::Failed(text.render(cluster).into_owned()));
                    }
                    claimed(Ok(claim))
                }
                None if incoming && features.limits_missing_claims != MissingClaims::NotCounted => {
                    let (namespace, name) = (cluster.text(pod.namespace), &used.name);
                    return Err(VolumeCountProblem::NotFound(
                        LOOKUP_FAILED.with([namespace, name, name]),
                    ));
                }
                None => claimed(Err(&used)),
            },
        });
    }
    Ok(volumes)
}

/// Whether CSI migration of `plugin` is on for nodes whose CSINode lists it.
pub(crate) fn moves(plugin: &str, features: &VolumeMigration) -> bool {
    features.csi_migration
        && match plugin {
            AWS_PLUGIN => features.aws_volumes_migrate,
            GCE_PLUGIN => features.gce_volumes_migrate,
            AZURE_PLUGIN => features.azure_volumes_migrate,
            CINDER_PLUGIN => features.cinder_volumes_migrate,
            _ => features.portworx_volumes_migrate,
        }
}

/// Whether the CSINode of a node lists `plugin`.
pub(crate) fn is_listed(plugin: &str, csi_node: Option<&CsiNode>, cycle: &Cycle) -> bool {
    csi_node.is_some_and(|node| {
        cycle.cluster().symbols.get(plugin).is_some_and(|p| node.migrated.contains(&p))
    })
}

/// Whether the volumes of `plugin` count as those of a CSI driver on a node. Parity: in versions in
/// which migration cannot be turned off, any CSINode is sufficient, even without drivers.
pub(crate) fn counts_as_csi(plugin: &str, csi_node: Option<&CsiNode>, cycle: &Cycle) -> bool {
    let features = &cycle.features().volume_migration;
    let on_every_csi_node = match plugin {
        AWS_PLUGIN | AZURE_PLUGIN => features.disks_migrated_on_every_csi_node,
        GCE_PLUGIN => features.gce_migrated_on_every_csi_node,
        CINDER_PLUGIN => features.cinder_migrated_on_every_csi_node,
        _ => features.portworx_migrated_on_every_csi_node,
    };
    moves(plugin, features)
        && if on_every_csi_node { csi_node.is_some() } else { is_listed(plugin, csi_node, cycle) }
}

//! CSI migration: when the volumes of an in-tree plugin count as volumes of a CSI driver.
//!
//! Upstream: `pkg/scheduler/framework/plugins/nodevolumelimits/utils.go` `isCSIMigrationOn`,
//! `pkg/scheduler/framework/plugins/volumebinding/binder.go` `isCSIMigrationOnForPlugin` (1.12 to
//! 1.37).

use super::plugin::Cycle;
use model::cluster::in_tree::{AWS_PLUGIN, AZURE_PLUGIN, CINDER_PLUGIN, GCE_PLUGIN};
use model::cluster::storage::CsiNode;
use profile::history::VolumeMigration;

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

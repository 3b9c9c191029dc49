//! CSI migration: where the volumes of an in-tree plugin are a CSI driver's.

use super::row::history;

history! {
    VolumeMigration for "CSI migration";

    flags {
        /// Volumes of in-tree plugins may count as those of a CSI driver.
        csi_migration gate "CSIMigration" from "pkg/features/kube_features.go (1.17)"
            { (16, 0) => false, (17, 0) => true }

        /// EBS volumes may count as those of a CSI driver.
        aws_volumes_migrate gate "CSIMigrationAWS" from "pkg/features/kube_features.go (1.23)"
            { (16, 0) => false, (23, 0) => true }

        /// GCE disks may count as volumes of a CSI driver.
        gce_volumes_migrate gate "CSIMigrationGCE" from "pkg/features/kube_features.go (1.23)"
            { (16, 0) => false, (23, 0) => true }

        /// Azure disks may count as volumes of a CSI driver.
        azure_volumes_migrate gate "CSIMigrationAzureDisk"
            from "pkg/features/kube_features.go (1.23)"
            { (16, 0) => false, (23, 0) => true }

        /// Cinder volumes may count as those of a CSI driver.
        cinder_volumes_migrate gate "CSIMigrationOpenStack"
            from "pkg/features/kube_features.go (1.21)"
            { (16, 0) => false, (21, 0) => true }

        /// Portworx volumes may count as those of a CSI driver.
        portworx_volumes_migrate gate "CSIMigrationPortworx"
            from "pkg/features/kube_features.go (1.31)"
            { (23, 0) => false, (31, 0) => true }

        /// Cinder volumes count as CSI volumes on every node with a CSINode, not only where the
        /// CSINode lists the plugin.
        cinder_migrated_on_every_csi_node
            from "pkg/scheduler/framework/plugins/nodevolumelimits/utils.go (1.24)"
            { (24, 0) => true }

        /// EBS volumes and Azure disks count as CSI volumes on every node with a CSINode.
        disks_migrated_on_every_csi_node
            from "pkg/scheduler/framework/plugins/nodevolumelimits/utils.go (1.27)"
            { (27, 0) => true }

        /// GCE disks count as CSI volumes on every node with a CSINode.
        gce_migrated_on_every_csi_node
            from "pkg/scheduler/framework/plugins/nodevolumelimits/utils.go (1.28)"
            { (28, 0) => true }

        /// Portworx volumes count as CSI volumes on every node with a CSINode, as those of other
        /// in-tree plugins did before, not only where the CSINode lists the plugin.
        portworx_migrated_on_every_csi_node
            from "pkg/scheduler/framework/plugins/nodevolumelimits/utils.go (1.36)"
            { (36, 0) => true }
    }
}

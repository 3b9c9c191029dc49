//! The differences of VolumeZone.

use super::row::history;

history! {
    /// The differences of VolumeZone.
    VolumeZone of volume_zone for "VolumeZone";

    flags {
        /// VolumeZone looks at claims in PreFilter.
        volume_zone_pre_filter from "pkg/scheduler/framework/plugins/volumezone/volume_zone.go (1.27)" { (27, 0) => true }

        /// The status of a lookup that VolumeZone cannot make refuses the node; before, it ended the cycle with an error.
        zone_lookups_refuse from "kubernetes/kubernetes#102306"
            { (19, 12) => true, (20, 0) => false, (20, 8) => true, (21, 0) => false, (21, 2) => true }

        /// VolumeZone knows the labels that are not beta.
        zone_stable_labels from "pkg/scheduler/framework/plugins/volumezone/volume_zone.go (1.19)" { (19, 0) => true }

        /// A node's label that is not beta stands in where a volume has the beta one and the node has not.
        zone_labels_stand_in from "pkg/scheduler/framework/plugins/volumezone/volume_zone.go (1.29)" { (29, 0) => true }
    }
}

//! What differs in VolumeZone from version to version.

use super::row::history;

history! {
    VolumeZone for "VolumeZone";

    flags {
        /// VolumeZone looks at claims in PreFilter.
        volume_zone_pre_filter
            from "pkg/scheduler/framework/plugins/volumezone/volume_zone.go (1.27)"
            { (27, 0) => true }

        /// The status of a lookup that VolumeZone cannot make rejects the node; before, it ended
        /// the cycle with an error.
        zone_lookups_refuse from "kubernetes/kubernetes#102306"
            { (19, 12) => true, (20, 0) => false, (20, 8) => true, (21, 0) => false,
              (21, 2) => true }
    }

    values {
        /// Which labels of zones and regions VolumeZone knows.
        zone_labels: ZoneLabels {
            (19, 0) => ZoneLabels::BetaAndStable,
                "VolumeZone knows the labels that are not beta.",
                from "pkg/scheduler/framework/plugins/volumezone/volume_zone.go (1.19)";
            (29, 0) => ZoneLabels::StableForBeta,
                "A node's label that is not beta also matches a volume's beta label, if the node lacks the beta one.",
                from "pkg/scheduler/framework/plugins/volumezone/volume_zone.go (1.29)";
        }
    }
}

/// Which labels of zones and regions VolumeZone knows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ZoneLabels {
    /// The beta ones.
    #[default]
    Beta,
    /// Both, each compared with itself.
    BetaAndStable,
    /// Both, and a node's stable label counts where it lacks the beta one of a volume.
    StableForBeta,
}

//! What the limits on the disks of a cloud and on the volumes of a CSI driver have in common.

use super::row::history;

history! {
    VolumeLimits for "volume limits";

    flags {
        /// A node's room for the disks of a cloud, or for the volumes of a CSI driver, may be among
        /// its allocatable resources.
        attach_limits gate "AttachVolumeLimit" from "pkg/features/kube_features.go (1.13)"
            { (12, 0) => false, (13, 0) => true }

        /// Limits on disks and volumes count those of generic ephemeral volumes.
        limits_count_ephemeral from "pkg/scheduler/framework/plugins/nodevolumelimits/csi.go (1.23)"
            { (23, 0) => true }
    }

    values {
        /// What limits on disks and volumes make of a claim of the pod that does not exist.
        limits_missing_claims: MissingClaims {
            (23, 0) => MissingClaims::Fail,
                "Limits on disks and volumes need the pod's claims to be there; before, a claim that was not \
                 did not count.",
                from "pkg/scheduler/framework/plugins/nodevolumelimits/csi.go (1.23)";
            (30, 0) => MissingClaims::Reject,
                "A claim that is not there rejects the node; before, it ended the cycle with an error.",
                from "pkg/scheduler/framework/plugins/nodevolumelimits/csi.go (1.30)";
        }
    }
}

/// What limits on disks and volumes make of a claim of the pod that does not exist.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MissingClaims {
    /// It does not count.
    #[default]
    NotCounted,
    /// It ends the cycle with an error.
    Fail,
    /// The node is rejected.
    Reject,
}

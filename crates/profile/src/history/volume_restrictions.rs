//! What differs in VolumeRestrictions from version to version.

use super::row::history;

history! {
    VolumeRestrictions for "VolumeRestrictions";

    flags {
        /// Only one pod may use a `ReadWriteOncePod` claim.
        read_write_once_pod gate "ReadWriteOncePod" from "pkg/features/kube_features.go (1.27)"
            { (22, 0) => false, (27, 0) => true }

        /// Evicting the pod that uses a `ReadWriteOncePod` claim frees it; before, the pod was
        /// rejected in PreFilter.
        claims_in_use_by_node
            from "pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go (1.27)"
            { (27, 0) => true }

        /// VolumeRestrictions is skipped for pods that it cannot reject, even if a nominated pod
        /// shares a claim.
        volume_restrictions_skips
            from "pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go (1.28)"
            { (28, 0) => true }

        /// The reason for a claim in use says that no node fits, not that this node has the pod.
        claim_in_use_on_any_node
            from "pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go (1.34)"
            { (34, 0) => true }
    }
}

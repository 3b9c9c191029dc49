//! What differs in VolumeBinding from version to version.

use super::row::history;

history! {
    VolumeBinding for "VolumeBinding";

    flags {
        /// VolumeBinding has no score where it has nothing to bind; before, 0 for every node.
        volume_binding_score_skips
            from "pkg/scheduler/framework/plugins/volumebinding/volume_binding.go (1.30)"
            { (30, 0) => true }

        /// VolumeBinding looks at claims in PreFilter.
        volume_binding_pre_filter from "pkg/scheduler/algorithmprovider/registry.go (1.19)"
            { (19, 0) => true }

        /// The claim of a generic ephemeral volume is one of the pod's.
        ephemeral_volumes gate "GenericEphemeralVolume" from "pkg/features/kube_features.go (1.21)"
            { (21, 0) => true }

        /// VolumeBinding tells apart why the claim of a generic ephemeral volume cannot be used.
        ephemeral_claims_explained
            from "pkg/scheduler/framework/plugins/volumebinding/volume_binding.go (1.23)"
            { (23, 0) => true }

        /// A claim whose volume is lost rejects the pod.
        lost_claims_refused from "kubernetes/kubernetes#105245" { (23, 0) => true }

        /// A claim that should have been bound before the pod rejects it; before, it ended the
        /// cycle with an error.
        unbound_claims_refused from "kubernetes/kubernetes#93892" { (18, 9) => true }

        /// A claim that is being provisioned for a node waits for the pod; before, it should have
        /// been bound.
        provisioning_claims_wait from "pkg/controller/volume/scheduling/scheduler_binder.go (1.14)"
            { (14, 0) => true }

        /// A claim whose volume is not there rejects the node; before, it ended the cycle with an
        /// error.
        missing_volumes_refused from "kubernetes/kubernetes#95541"
            { (18, 13) => true, (19, 0) => false, (19, 5) => true }

        /// The reason for a claim with a missing volume names nodes.
        missing_volumes_text from "pkg/scheduler/framework/plugins/volumebinding/binder.go (1.23)"
            { (23, 0) => true }

        /// The reason for a volume's node affinity says that the node did not match it.
        volume_affinity_text from "pkg/scheduler/framework/plugins/volumebinding/binder.go (1.33)"
            { (33, 0) => true }

        /// VolumeBinding says in PreFilter which nodes have the volumes of bound claims, as far as
        /// these name hosts.
        bound_volumes_narrow from "kubernetes/kubernetes#109877"
            { (27, 0) => true, (29, 11) => false, (30, 0) => true, (30, 7) => false,
              (31, 0) => true, (31, 3) => false }

        /// Only volumes whose phase is Available are bound to a claim.
        volumes_must_be_available from "component-helpers/storage/volume/pv_helpers.go (1.13)"
            { (13, 0) => true }

        /// The volumes of a claim's class are looked for by its annotation, too; before, by its
        /// spec alone.
        volumes_by_class_annotation
            from "pkg/controller/volume/scheduling/scheduler_binder.go (1.16)" { (16, 0) => true }

        /// The free storage capacity limits the volumes that can be provisioned.
        storage_capacity gate "CSIStorageCapacity" from "pkg/features/kube_features.go (1.21)"
            { (21, 0) => true }

        /// A claim's request is compared with the free capacity exactly; before, both were rounded
        /// to bytes that fit into 64 bits.
        storage_capacity_exact
            from "pkg/scheduler/framework/plugins/volumebinding/binder.go (1.38.0-beta.0)"
            { (38, 0) => true }

        /// VolumeBinding knows volume attributes classes.
        volume_attributes_class_known from "component-helpers/storage/volume/pv_helpers.go (1.31)"
            { (31, 0) => true }

        /// Claims and volumes of different volume attributes classes do not match.
        volume_attributes_class gate "VolumeAttributesClass"
            from "pkg/features/kube_features.go (1.34)"
            { (34, 0) => true }

        /// VolumeBinding scores nodes by the storage that is left.
        storage_capacity_scoring gate "StorageCapacityScoring"
            from "pkg/features/kube_features.go (1.37)" { (33, 0) => false, (37, 0) => true }
    }
}

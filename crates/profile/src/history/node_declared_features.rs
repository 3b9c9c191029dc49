//! What differs in NodeDeclaredFeatures from version to version.

use super::row::history;

history! {
    NodeDeclaredFeatures for "NodeDeclaredFeatures";

    flags {
        /// Nodes must declare the features that a pod's spec needs.
        node_declared_features gate "NodeDeclaredFeatures"
            from "pkg/features/kube_features.go (1.36)" { (36, 0) => true }

        /// The message does not name the missing features.
        missing_features_unnamed
            from "pkg/scheduler/framework/plugins/nodedeclaredfeatures/nodedeclaredfeatures.go (1.36)"
            { (36, 0) => true }

        /// User namespaces of pods on the host's network need a declared feature.
        user_namespace_feature
            from "component-helpers/nodedeclaredfeatures/features/usernamespaceshostnetwork (1.36)"
            { (36, 0) => true }

        /// `bindMountOptions` need a declared feature.
        bind_mount_options_feature
            from "component-helpers/nodedeclaredfeatures/features/volumebindmountoptions (1.37)"
            { (37, 0) => true }
    }
}

//! What differs in NodeAffinity from version to version.

use super::row::history;

history! {
    NodeAffinity for "NodeAffinity";

    flags {
        /// NodeAffinity has no score without preferences; before, 0 for every node.
        node_affinity_score_skips
            from "pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go (1.30)"
            { (30, 0) => true }

        /// NodeAffinity has a PreFilter and a PreScore.
        node_affinity_pre_filter from "pkg/scheduler/algorithmprovider/registry.go (1.21)"
            { (21, 0) => true }

        /// Terms that conflict reject the pod only if no term is left; before, one was enough.
        affinity_conflict_of_all_terms
            from "pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go (1.27)"
            { (27, 0) => true }

        /// Preferred terms look at fields of nodes.
        preferred_node_fields
            from "pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go (1.20)"
            { (20, 0) => true }

        /// The message has the errors of all preferred terms; before, only the first.
        node_term_errors_of_all
            from "component-helpers/scheduling/corev1/nodeaffinity/nodeaffinity.go (1.20)"
            { (20, 0) => true }

        /// The error of an operator that does not exist lists those that do.
        node_operators_listed
            from "component-helpers/scheduling/corev1/nodeaffinity/nodeaffinity.go (1.28)"
            { (28, 0) => true }

        /// NodeAffinity says in PreFilter which nodes a pod asks for by name.
        node_affinity_narrows from "kubernetes/kubernetes#109877" { (24, 0) => true }
    }

    values {
        /// What the reason of NodeAffinity speaks of.
        node_affinity_text: NodeAffinityText {
            (20, 0) => NodeAffinityText::Affinity,
                "The reason of NodeAffinity names node affinity.",
                from "pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go (1.20)";
            (21, 0) => NodeAffinityText::AffinityOrSelector,
                "The reason of NodeAffinity names node affinity and the node selector.",
                from "pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go (1.21)";
        }
    }
}

/// What the reason of NodeAffinity speaks of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum NodeAffinityText {
    #[default]
    Selector,
    Affinity,
    AffinityOrSelector,
}

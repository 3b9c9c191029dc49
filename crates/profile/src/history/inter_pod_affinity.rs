//! What differs in InterPodAffinity from version to version.

use super::row::history;

history! {
    InterPodAffinity for "InterPodAffinity";

    flags {
        /// InterPodAffinity has no score where no pod prefers anything; before, 0 for every node.
        affinity_score_skips
            from "pkg/scheduler/framework/plugins/interpodaffinity/scoring.go (1.28)"
            { (28, 0) => true }

        /// Anti-affinity of running pods is checked after the pod's own terms.
        existing_anti_affinity_last
            from "pkg/scheduler/framework/plugins/interpodaffinity/filtering.go (1.19)"
            { (19, 0) => true }

        /// The first pod of a series needs nodes with its topology keys.
        self_affinity_needs_key
            from "pkg/scheduler/framework/plugins/interpodaffinity/filtering.go (1.19)"
            { (19, 0) => true }

        /// Nominated pods count for the pod's own terms.
        nominated_pods_in_own_terms
            from "pkg/scheduler/framework/plugins/interpodaffinity/filtering.go (1.19)"
            { (19, 0) => true }

        /// A pod put back counts for the terms that it matches; before, for all anti-affinity terms
        /// if it matches one.
        readded_by_term from "pkg/scheduler/framework/plugins/interpodaffinity/filtering.go (1.18)"
            { (18, 0) => true }

        /// Namespaces of affinity terms may be selected by label.
        affinity_namespace_selector gate "PodAffinityNamespaceSelector"
            from "pkg/features/kube_features.go (1.22)"
            { (21, 0) => false, (22, 0) => true }

        /// A namespace selector that is ignored still removes the pod's own namespace from its
        /// term.
        namespace_selector_known from "pkg/scheduler/framework/types.go (1.21)" { (21, 0) => true }

        /// The score of InterPodAffinity spans its least and its most; before, also 0.
        affinity_score_spans_extremes
            from "pkg/scheduler/framework/plugins/interpodaffinity/scoring.go (1.21)"
            { (21, 0) => true }

        /// InterPodAffinity is skipped for pods that no affinity term concerns, even if the
        /// anti-affinity of a nominated pod matches them.
        affinity_skips from "pkg/scheduler/framework/plugins/interpodaffinity/filtering.go (1.27)"
            { (27, 0) => true }

        /// A namespace selector of the pod's own terms also matches every namespace if it matches
        /// no labels at all.
        namespace_selector_bug from "kubernetes/kubernetes#141526"
            { (34, 0) => true, (37, 0) => false }

        /// Terms on `kubernetes.io/hostname` count the node's own pods, not those of all nodes with
        /// its host name.
        affinity_by_node gate "InterPodAffinityHostnameFastPath" from "kubernetes/kubernetes#138198"
            { (37, 0) => false }
    }

    values {
        /// Which reasons InterPodAffinity gives.
        affinity_reasons: AffinityReasons {
            (21, 0) => AffinityReasons::RulesAndOwn,
                "The general reason of InterPodAffinity names rules.",
                from "pkg/scheduler/framework/plugins/interpodaffinity/filtering.go (1.21)";
            (22, 0) => AffinityReasons::Own,
                "InterPodAffinity gives one reason; before, a general one came first.",
                from "pkg/scheduler/framework/plugins/interpodaffinity/filtering.go (1.22)";
        }
    }
}

/// Which reasons InterPodAffinity gives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AffinityReasons {
    /// A general one, `node(s) didn't match pod affinity/anti-affinity`, then that of the terms.
    #[default]
    GeneralAndOwn,
    /// A general one, `node(s) didn't match pod affinity/anti-affinity rules`, then that of the
    /// terms.
    RulesAndOwn,
    /// That of the terms.
    Own,
}

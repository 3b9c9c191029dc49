//! What differs in PodTopologySpread from version to version.

use super::row::history;

history! {
    PodTopologySpread for "PodTopologySpread";

    flags {
        /// PodTopologySpread has no score without constraints; before, 100 for every node.
        spread_score_skips
            from "pkg/scheduler/framework/plugins/podtopologyspread/scoring.go (1.28)"
            { (28, 0) => true }

        /// PodTopologySpread runs.
        pods_spread gate "EvenPodsSpread" from "pkg/features/kube_features.go (1.18)"
            { (16, 0) => false, (18, 0) => true }

        /// PodTopologySpread counts pods of the nodes that the pod may go to; before, of all nodes
        /// in their domains, where a node without the label is in the domain of the empty value.
        spread_counts_eligible_nodes
            from "pkg/scheduler/framework/plugins/podtopologyspread/filtering.go (1.24)"
            { (16, 0) => true, (19, 0) => false, (24, 0) => true }

        /// A constraint on a key that no node has keeps the pod away; before, it was ignored.
        spread_unknown_key_refuses
            from "pkg/scheduler/framework/plugins/podtopologyspread/filtering.go (1.20)"
            { (18, 20) => true, (19, 0) => false, (20, 0) => true }

        /// A node without the label of a constraint is rejected as unresolvable.
        spread_missing_key_unresolvable
            from "pkg/scheduler/framework/plugins/podtopologyspread/filtering.go (1.19)"
            { (19, 0) => true }

        /// Pods without constraints are spread by default constraints.
        spread_system_defaults gate "DefaultPodTopologySpread"
            from "pkg/features/kube_features.go (1.20)"
            { (19, 0) => false, (20, 0) => true }

        /// Default constraints ignore labels that a node lacks.
        spread_defaults_lenient
            from "pkg/scheduler/framework/plugins/podtopologyspread/scoring.go (1.22.6)"
            { (20, 15) => true, (21, 0) => false, (21, 14) => true, (22, 0) => false,
              (22, 3) => true }

        /// A constraint may ask for a number of domains.
        spread_min_domains gate "MinDomainsInPodTopologySpread"
            from "pkg/features/kube_features.go (1.27)"
            { (24, 0) => false, (27, 0) => true }

        /// A constraint says itself whether node affinity and taints exclude nodes from counting.
        spread_node_inclusion gate "NodeInclusionPolicyInPodTopologySpread"
            from "pkg/features/kube_features.go (1.26)"
            { (25, 0) => false, (26, 0) => true }

        /// PodTopologySpread is skipped for pods without constraints.
        spread_skips from "pkg/scheduler/framework/plugins/podtopologyspread/filtering.go (1.28)"
            { (28, 0) => true }

        /// `matchLabelKeys` of a spread constraint narrow its selector.
        spread_match_label_keys gate "MatchLabelKeysInPodTopologySpread"
            from "pkg/features/kube_features.go (1.27)"
            { (25, 0) => false, (27, 0) => true }

        /// `labelSelector: {}` of a spread constraint counts every pod of the namespace.
        spread_counts_everything from "kubernetes/kubernetes#141340"
            { (16, 0) => true, (27, 0) => false, (38, 0) => true }
    }

    values {
        /// What AddPod and RemovePod count.
        spread_update: SpreadUpdate {
            (19, 0) => SpreadUpdate::Panic,
                "Pods that come and go where no pods are counted make the scheduler panic.",
                from "pkg/scheduler/framework/plugins/podtopologyspread/filtering.go (1.19)";
            (24, 0) => SpreadUpdate::AnyNode,
                "Pods that come and go count on any node.",
                from "pkg/scheduler/framework/plugins/podtopologyspread/filtering.go (1.24)";
            (23, 8), (24, 3) => SpreadUpdate::CountedNodes,
                "Pods that come and go count only on nodes that count.",
                from "pkg/scheduler/framework/plugins/podtopologyspread/filtering.go (1.25)";
        }

        /// How PodTopologySpread scores.
        spread_score: SpreadScore {
            (19, 0) => SpreadScore::Truncated,
                "Scores of PodTopologySpread weigh domains and skew; before, they were plain counts.",
                from "pkg/scheduler/framework/plugins/podtopologyspread/scoring.go (1.19)";
            (24, 0) => SpreadScore::Rounded,
                "Scores of PodTopologySpread are rounded; before, truncated.",
                from "pkg/scheduler/framework/plugins/podtopologyspread/scoring.go (1.24)";
        }
    }
}

/// What AddPod and RemovePod of PodTopologySpread count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SpreadUpdate {
    #[default]
    AnyNode,
    /// Pods of any node; where the domain has no count, the scheduler panics.
    Panic,
    CountedNodes,
}

/// How PodTopologySpread scores.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SpreadScore {
    #[default]
    PlainCounts,
    /// By counts weighted by the number of domains and `maxSkew`, truncated.
    Truncated,
    /// The same, rounded.
    Rounded,
}

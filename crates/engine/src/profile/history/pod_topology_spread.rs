//! The differences of PodTopologySpread.

use super::row::history;

history! {
    /// The differences of PodTopologySpread.
    PodTopologySpread of pod_topology_spread for "PodTopologySpread";

    flags {
        /// PodTopologySpread has no score without constraints; before, 100 for every node.
        spread_score_skips from "pkg/scheduler/framework/plugins/podtopologyspread/scoring.go (1.28)" { (28, 0) => true }

        /// PodTopologySpread runs.
        pods_spread gate "EvenPodsSpread" from "pkg/features/kube_features.go (1.18)" { (16, 0) => false, (18, 0) => true }

        /// PodTopologySpread counts pods of the nodes that the pod may go to; before, of all nodes in their domains.
        spread_counts_eligible_nodes from "pkg/scheduler/framework/plugins/podtopologyspread/filtering.go (1.24)"
            { (24, 0) => true }

        /// Pods that come and go count only on nodes that count.
        spread_update_checks_node from "pkg/scheduler/framework/plugins/podtopologyspread/filtering.go (1.25)"
            { (23, 8) => true, (24, 0) => false, (24, 3) => true }

        /// Pods that come and go where no pods are counted make the scheduler panic.
        spread_update_panics from "pkg/scheduler/framework/plugins/podtopologyspread/filtering.go (1.19)"
            { (19, 0) => true, (23, 8) => false }

        /// A constraint on a key that no node has keeps the pod away; before, it was ignored.
        spread_unknown_key_refuses from "pkg/scheduler/framework/plugins/podtopologyspread/filtering.go (1.20)"
            { (18, 20) => true, (19, 0) => false, (20, 0) => true }

        /// A node without the label of a constraint is refused for good.
        spread_missing_key_unresolvable from "pkg/scheduler/framework/plugins/podtopologyspread/filtering.go (1.19)"
            { (19, 0) => true }

        /// Scores of PodTopologySpread weigh domains and skew; before, they were plain counts.
        spread_score_weighted from "pkg/scheduler/framework/plugins/podtopologyspread/scoring.go (1.19)" { (19, 0) => true }

        /// They are rounded; before, cut off.
        spread_score_rounds from "pkg/scheduler/framework/plugins/podtopologyspread/scoring.go (1.24)" { (24, 0) => true }

        /// Pods without constraints are spread by default constraints.
        spread_system_defaults gate "DefaultPodTopologySpread" from "pkg/features/kube_features.go (1.20)"
            { (19, 0) => false, (20, 0) => true }

        /// Default constraints do without labels that a node lacks.
        spread_defaults_lenient from "pkg/scheduler/framework/plugins/podtopologyspread/scoring.go (1.22.6)"
            { (20, 15) => true, (21, 0) => false, (21, 14) => true, (22, 0) => false, (22, 3) => true }

        /// A constraint may ask for a number of domains.
        spread_min_domains gate "MinDomainsInPodTopologySpread" from "pkg/features/kube_features.go (1.27)"
            { (24, 0) => false, (27, 0) => true }

        /// A constraint says itself whether node affinity and taints exclude nodes from counting.
        spread_node_inclusion gate "NodeInclusionPolicyInPodTopologySpread" from "pkg/features/kube_features.go (1.26)"
            { (25, 0) => false, (26, 0) => true }

        /// PodTopologySpread passes over pods without constraints.
        spread_skips from "pkg/scheduler/framework/plugins/podtopologyspread/filtering.go (1.28)" { (28, 0) => true }

        /// `matchLabelKeys` of a spread constraint narrow its selector.
        spread_match_label_keys gate "MatchLabelKeysInPodTopologySpread" from "pkg/features/kube_features.go (1.27)"
            { (25, 0) => false, (27, 0) => true }

        /// `labelSelector: {}` of a spread constraint counts every pod of the namespace.
        spread_counts_everything from "kubernetes/kubernetes#141340" { (16, 0) => true, (27, 0) => false, (38, 0) => true }
    }
}

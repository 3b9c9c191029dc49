//! What a profile sets for its plugins. Upstream: `pkg/scheduler/apis/config/v1/defaults.go`
//! (1.37).

use std::time::Duration;

/// Arguments of the plugins that have any.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PluginArgs {
    /// `NodeResourcesFitArgs.ignoredResources`: extended resources that are not checked.
    pub ignored_resources: Vec<String>,
    /// `NodeResourcesFitArgs.ignoredResourceGroups`: the prefixes, before the slash, of such
    /// resources.
    pub ignored_resource_groups: Vec<String>,
    /// `NodeResourcesFitArgs.scoringStrategy`.
    pub fit_scoring: FitScoring,
    /// `NodeResourcesLeastAllocatedArgs`, of a separate plugin up to 1.22.
    pub least_allocated: FitScoring,
    /// `NodeResourcesMostAllocatedArgs`, as above.
    pub most_allocated: FitScoring,
    /// `RequestedToCapacityRatioArgs`, as above.
    pub capacity_ratio: FitScoring,
    /// `NodeResourcesBalancedAllocationArgs.resources`.
    pub balanced_resources: Vec<WeightedResource>,
    /// `InterPodAffinityArgs.hardPodAffinityWeight`: the weight of a required affinity term of a
    /// running pod.
    pub hard_pod_affinity_weight: i64,
    /// `InterPodAffinityArgs.ignorePreferredTermsOfExistingPods`.
    pub ignore_preferred_terms_of_existing_pods: bool,
    /// `VolumeBindingArgs.shape`.
    pub volume_binding_shape: Vec<ShapePoint>,
    /// `NodeAffinityArgs.addedAffinity`: node affinity of every pod of the profile.
    pub added_affinity: AddedAffinity,
    /// `PodTopologySpreadArgs.defaultConstraints` for pods that have none; `None`: the scheduler's
    /// own.
    pub default_constraints: Option<Vec<DefaultConstraint>>,
    /// `DynamicResourcesArgs.bindingTimeout`: how long an allocated device may take until its
    /// binding conditions hold.
    pub binding_timeout: Duration,
    /// `DefaultPreemptionArgs.minCandidateNodesPercentage`.
    pub min_candidate_nodes_percentage: i64,
    /// `DefaultPreemptionArgs.minCandidateNodesAbsolute`.
    pub min_candidate_nodes_absolute: i64,
}

/// Node affinity that a profile adds to that of its pods.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AddedAffinity {
    /// Alternatives, one of which must select the node.
    pub required: Option<Vec<NodeTermSpec>>,
    /// Terms with their weight.
    pub preferred: Vec<(i64, NodeTermSpec)>,
}

/// A node selector term as the configuration writes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NodeTermSpec {
    /// `matchExpressions`.
    pub expressions: Vec<NodeExpression>,
    /// `matchFields`.
    pub fields: Vec<NodeExpression>,
}

/// A requirement of a node selector term.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NodeExpression {
    /// Label or field.
    pub key: String,
    /// `In`, `NotIn`, `Exists`, `DoesNotExist`, `Gt` or `Lt`.
    pub operator: String,
    /// The values that it is compared with.
    pub values: Vec<String>,
}

/// A topology spread constraint of a profile; its selector is deduced for each pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefaultConstraint {
    /// Node label that defines the domains.
    pub topology_key: String,
    /// `DoNotSchedule`; otherwise it only scores.
    pub hard: bool,
    /// Largest allowed difference between domains, in pods.
    pub max_skew: i64,
    /// Fewer domains than this count as having one more, empty domain.
    pub min_domains: i64,
    /// `nodeAffinityPolicy` is Honor.
    pub honors_affinity: bool,
    /// `nodeTaintsPolicy` is Honor.
    pub honors_taints: bool,
}

impl Default for PluginArgs {
    fn default() -> Self {
        Self {
            ignored_resources: Vec::new(),
            ignored_resource_groups: Vec::new(),
            fit_scoring: FitScoring {
                strategy: FitStrategy::LeastAllocated,
                resources: cpu_and_memory(),
            },
            least_allocated: FitScoring {
                strategy: FitStrategy::LeastAllocated,
                resources: cpu_and_memory(),
            },
            most_allocated: FitScoring {
                strategy: FitStrategy::MostAllocated,
                resources: cpu_and_memory(),
            },
            capacity_ratio: FitScoring {
                strategy: FitStrategy::RequestedToCapacityRatio(vec![
                    ShapePoint { utilization: 0, score: 100 },
                    ShapePoint { utilization: 100, score: 0 },
                ]),
                resources: cpu_and_memory(),
            },
            balanced_resources: cpu_and_memory(),
            hard_pod_affinity_weight: 1,
            ignore_preferred_terms_of_existing_pods: false,
            volume_binding_shape: vec![
                ShapePoint { utilization: 0, score: 100 },
                ShapePoint { utilization: 100, score: 0 },
            ],
            added_affinity: AddedAffinity::default(),
            default_constraints: None,
            binding_timeout: Duration::from_secs(600),
            min_candidate_nodes_percentage: 10,
            min_candidate_nodes_absolute: 100,
        }
    }
}

fn cpu_and_memory() -> Vec<WeightedResource> {
    ["cpu", "memory"].map(|name| WeightedResource { name: name.to_owned(), weight: 1 }).into()
}

/// How `NodeResourcesFit` scores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FitScoring {
    /// The function.
    pub strategy: FitStrategy,
    pub resources: Vec<WeightedResource>,
}

/// `scoringStrategy.type`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FitStrategy {
    /// The emptier the better.
    LeastAllocated,
    /// The fuller the better.
    MostAllocated,
    /// As a curve over utilization says.
    RequestedToCapacityRatio(Vec<ShapePoint>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WeightedResource {
    pub name: String,
    /// 1 to 100.
    pub weight: i64,
}

/// A point of a scoring curve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShapePoint {
    /// Percent in use, 0 to 100; rises from point to point.
    pub utilization: i64,
    /// Score, 0 to 100: ten times the configured value.
    pub score: i64,
}

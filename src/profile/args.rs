//! What a profile sets for its plugins. Upstream: `pkg/scheduler/apis/config/v1/defaults.go` (1.37).

/// Arguments of the plugins that have any.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PluginArgs {
    /// `NodeResourcesFitArgs.scoringStrategy`.
    pub fit_scoring: FitScoring,
    /// `NodeResourcesBalancedAllocationArgs.resources`.
    pub balanced_resources: Vec<WeightedResource>,
    /// `InterPodAffinityArgs.hardPodAffinityWeight`: what a required affinity term of a running pod counts for.
    pub hard_pod_affinity_weight: i64,
    /// `InterPodAffinityArgs.ignorePreferredTermsOfExistingPods`.
    pub ignore_preferred_terms_of_existing_pods: bool,
    /// `VolumeBindingArgs.shape`.
    pub volume_binding_shape: Vec<ShapePoint>,
}

impl Default for PluginArgs {
    fn default() -> Self {
        Self {
            fit_scoring: FitScoring { strategy: FitStrategy::LeastAllocated, resources: cpu_and_memory() },
            balanced_resources: cpu_and_memory(),
            hard_pod_affinity_weight: 1,
            ignore_preferred_terms_of_existing_pods: false,
            volume_binding_shape: vec![
                ShapePoint { utilization: 0, score: 100 },
                ShapePoint { utilization: 100, score: 0 },
            ],
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
    /// What it looks at.
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

/// A resource and what it weighs against the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WeightedResource {
    /// Resource name.
    pub name: String,
    /// 1 to 100.
    pub weight: i64,
}

/// A point of a scoring curve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShapePoint {
    /// Percent in use, 0 to 100; rises from point to point.
    pub utilization: i64,
    /// Score, 0 to 100: ten times what the configuration says.
    pub score: i64,
}

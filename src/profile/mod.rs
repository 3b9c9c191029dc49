//! Everything that depends on the scheduler's version. Nothing outside this module compares versions.

pub mod args;
pub mod gates;
pub mod history;
pub mod version;

pub use args::PluginArgs;
pub use gates::Overrides;
pub use history::Features;
pub use version::SchedulerVersion;

/// Where the version came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VersionSource {
    /// `--scheduler-version`.
    Flag,
    /// The API server said it.
    Server,
    /// The snapshot said it.
    Snapshot,
    /// Nothing said it: the newest that is known.
    Default,
}

impl VersionSource {
    /// Its name in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Flag => "flag",
            Self::Server => "server",
            Self::Snapshot => "snapshot",
            Self::Default => "default",
        }
    }
}

/// One scheduler: its version and what that makes it do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// The version asked for or found.
    pub version: SchedulerVersion,
    /// Where it came from.
    pub source: VersionSource,
    /// `schedulerName` of the pods it schedules.
    pub scheduler_name: String,
    /// Feature gates that are set to something else than its default.
    pub gates: Overrides,
    /// What it does.
    pub features: Features,
    /// What its plugins are set to.
    pub args: PluginArgs,
}

impl Profile {
    /// The default profile of a version. Outside the known range: the rules of the nearest version, see
    /// [`SchedulerVersion::nearest_supported`].
    #[must_use]
    pub fn new(version: SchedulerVersion, source: VersionSource) -> Self {
        Self {
            version,
            source,
            scheduler_name: "default-scheduler".into(),
            gates: Overrides::new(),
            features: Features::of(version.nearest_supported()),
            args: PluginArgs::default(),
        }
    }

    /// The same with feature gates set as `--feature-gates` sets them.
    ///
    /// # Errors
    /// The scheduler's own words about a gate that it does not know or that cannot be set so.
    pub fn with_gates(mut self, flags: &[String]) -> Result<Self, String> {
        self.gates = gates::read(flags, self.version)?;
        self.features = Features::with(self.version.nearest_supported(), &self.gates);
        Ok(self)
    }

    /// The names of the filter plugins, in the order in which they run.
    ///
    /// Upstream: `pkg/scheduler/apis/config/v1/default_plugins.go` (1.37).
    #[must_use]
    pub fn filters(&self) -> Vec<&'static str> {
        let mut order = vec![
            "NodeUnschedulable",
            "NodeName",
            "TaintToleration",
            "NodeAffinity",
            "NodePorts",
            "NodeResourcesFit",
            "PodTopologySpread",
            "InterPodAffinity",
        ];
        if self.features.node_name_first {
            order.swap(0, 1);
        }
        if self.features.dynamic_resources {
            order.push("DynamicResources");
        }
        if self.features.node_declared_features {
            order.push("NodeDeclaredFeatures");
        }
        order
    }

    /// The score plugins with their weights, in the order in which they run.
    ///
    /// Upstream: `pkg/scheduler/apis/config/v1/default_plugins.go` (1.37).
    #[must_use]
    pub fn scores(&self) -> Vec<(&'static str, i64)> {
        let features = &self.features;
        let all = [
            ("TaintToleration", 3, true),
            ("NodeAffinity", 2, true),
            ("NodeResourcesFit", 1, true),
            ("VolumeBinding", 1, features.storage_capacity_scoring),
            ("PodTopologySpread", 2, true),
            ("InterPodAffinity", 2, true),
            ("DynamicResources", 2, features.dra_scores),
            ("NodeResourcesBalancedAllocation", 1, true),
            ("ImageLocality", 1, true),
        ];
        all.into_iter().filter(|(.., on)| *on).map(|(name, weight, _)| (name, weight)).collect()
    }
}

//! Everything that depends on the scheduler's version. Nothing outside this module compares versions.

pub mod history;
pub mod version;

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
    /// What it does.
    pub features: Features,
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
            features: Features::of(version.nearest_supported()),
        }
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
}

//! Everything that depends on the scheduler's version. Nothing outside this module compares
//! versions.

pub mod args;
pub mod before_1_23;
pub mod change;
pub mod condition;
pub mod config;
pub mod doubts;
pub mod gates;
pub mod history;
pub mod plugins;
pub mod pod_groups;
pub mod point;
pub mod registry;
pub mod span;
pub mod startup;
pub mod version;

pub use args::PluginArgs;
use config::{ConfigRemark, Extender};
pub use history::{Features, Overrides};
pub use plugins::{PluginSet, PluginSettings};
use pod_groups::GroupEvidence;
pub use version::SchedulerVersion;

/// Where the version came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum VersionSource {
    /// `--scheduler-version`.
    Flag,
    /// The API server reported it.
    Server,
    /// The snapshot recorded it.
    Snapshot,
    /// The image of kube-scheduler's static pod in a file.
    StaticPod,
    /// Unknown: that of the newest kubelet, which is no newer than the scheduler may be.
    Kubelets,
    /// Unknown: the newest that is known.
    Default,
}

/// Why the version is assumed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VersionGap {
    /// The input does not contain it.
    NotInInput,
    /// The API server did not report it.
    NotAnswered,
    /// The reported version, whose rules are unknown.
    NotKnown(String),
}

impl VersionSource {
    /// Its name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Flag => "flag",
            Self::Server => "server",
            Self::Snapshot => "snapshot",
            Self::StaticPod => "staticPod",
            Self::Kubelets => "kubelets",
            Self::Default => "default",
        }
    }
}

/// One scheduler: its version, and what it therefore does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// The version asked for or found.
    pub version: SchedulerVersion,
    /// Where it came from.
    pub source: VersionSource,
    /// What a comparison of schedulers calls it, if not by its version.
    pub label: Option<String>,
    /// Why it is assumed; `None` if it is known.
    pub version_gap: Option<VersionGap>,
    /// `schedulerName` of the pods it schedules.
    pub scheduler_name: String,
    /// `schedulerName` of every profile of the same scheduler, its own included.
    pub all_names: Vec<String>,
    /// The source of the settings below: a file, or a ConfigMap and its key; `None` for the
    /// defaults.
    pub config_source: Option<String>,
    /// Share of the nodes to find before scoring; 0 or `None`: by the number of nodes.
    pub percentage_of_nodes_to_score: Option<i64>,
    /// After which share of a group's topology domains in which it fits the search ends, in
    /// percent; `None` and 0 depend on the number of nodes. Since 1.38.
    pub percentage_of_placements_to_score: Option<i64>,
    /// Webhooks that the scheduler calls.
    pub extenders: Vec<Extender>,
    /// Remarks about where all this comes from.
    pub remarks: Vec<ConfigRemark>,
    /// Feature gates that are not at their default, or whose default is not settled.
    pub gates: Overrides,
    /// How the input shows whether groups of pods are on; `None` if the input was not examined.
    pub group_evidence: Option<GroupEvidence>,
    pub features: Features,
    /// The configuration of its plugins.
    pub settings: PluginSettings,
    /// The configuration of the plugins of the scheduler's other profiles.
    pub other_settings: Vec<PluginSettings>,
    pub plugins: PluginSet,
    /// The arguments of its plugins.
    pub args: PluginArgs,
}

impl Profile {
    /// The default profile of a version. Outside the known range: the rules of the nearest version,
    /// see [`SchedulerVersion::nearest_supported`].
    pub fn new(version: SchedulerVersion, source: VersionSource) -> Self {
        let features = Features::of(version.nearest_supported());
        Self {
            version,
            source,
            label: None,
            version_gap: None,
            scheduler_name: "default-scheduler".into(),
            all_names: vec!["default-scheduler".into()],
            config_source: None,
            percentage_of_nodes_to_score: None,
            percentage_of_placements_to_score: None,
            extenders: Vec::new(),
            remarks: Vec::new(),
            gates: Overrides::new(),
            group_evidence: None,
            plugins: PluginSet::new(&features, &PluginSettings::default()),
            settings: PluginSettings::default(),
            other_settings: Vec::new(),
            features,
            args: PluginArgs::default(),
        }
    }

    /// Sets feature gates as `--feature-gates` does.
    ///
    /// # Errors
    /// The scheduler's own words about a gate that it does not know or that cannot be set like
    /// that.
    pub fn with_gates(mut self, flags: &[String]) -> Result<Self, String> {
        self.gates = gates::read(flags, self.version)?;
        let features = Features::with(self.version.nearest_supported(), &self.gates);
        Ok(self.with_features(features))
    }

    /// The same scheduler with other rules.
    #[must_use]
    pub fn with_features(mut self, features: Features) -> Self {
        self.plugins = PluginSet::new(&features, &self.settings);
        self.features = features;
        self
    }

    /// Whether a plugin of the scheduler, in any of its profiles, registers for events of each
    /// DeviceClass. Without one, the scheduler does not learn which extended resources the classes
    /// provide.
    pub fn watches_device_classes(&self) -> bool {
        let mut all = std::iter::once(&self.settings).chain(&self.other_settings);
        all.any(|settings| {
            plugins::makes_any(&self.features, settings, &registry::DEVICE_CLASS_WATCHERS)
        })
    }
}

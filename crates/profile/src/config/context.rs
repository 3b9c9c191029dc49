//! The scheduler that reads a configuration, and the version in which the configuration is written.

use super::api::Api;
use crate::history::PluginLists;
use crate::{Features, Profile};

/// What the checks depend on.
pub(in crate::config) struct Context<'b> {
    /// The version in which the file is written.
    pub(in crate::config) api: Api,
    /// The scheduler that reads it.
    pub(in crate::config) base: &'b Profile,
}

impl Context<'_> {
    /// Whether what a configuration says about placements of groups is checked like the rest (1.38).
    pub(in crate::config) fn checks_placements(&self) -> bool {
        self.minor() >= 38
    }

    /// Minor of the scheduler.
    pub(in crate::config) fn minor(&self) -> u16 {
        self.base.version.nearest_supported().minor
    }
}

/// The features that determine the default plugins: a scheduler that reads several versions of the
/// configuration has default plugins for each.
///
/// Upstream: `pkg/scheduler/apis/config/v1beta1/default_plugins.go` (1.22),
/// `v1beta2/default_plugins.go` (1.22 to 1.27).
pub(in crate::config) fn lineup(api: Api, base: &Profile) -> Features {
    let mut lineup = base.features.clone();
    match api {
        Api::V1Beta1 | Api::Policy => {
            (lineup.node_resources_fit.fit_scores, lineup.node_prefer_avoid_pods.avoid_pods) =
                (false, true);
        }
        Api::V1Beta2 => lineup.default_plugins.plugin_lists = PluginLists::PerPoint,
        Api::V1Alpha1 | Api::V1Alpha2 | Api::V1Beta3 | Api::V1 => {}
    }
    lineup
}

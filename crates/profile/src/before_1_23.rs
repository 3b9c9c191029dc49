//! How schedulers before 1.23 are configured: the lists of their default plugins, and algorithm
//! providers (`--algorithm-provider` and `algorithmSource`), which choose among built-in sets of
//! plugins up to 1.21.

pub mod lists;

use crate::Features;
use crate::history::PluginLists;
use crate::plugins::PluginSettings;

/// How `--algorithm-provider` changes the plugins; `None` for a provider that does not exist.
///
/// Upstream: `pkg/scheduler/algorithmprovider/registry.go` (1.18).
pub fn provider_plugins(name: &str, features: &Features) -> Option<PluginSettings> {
    let mut settings = PluginSettings::default();
    match name {
        "" | "DefaultProvider" => {}
        "ClusterAutoscalerProvider" => {
            let [least, most] = if features.default_plugins.plugin_lists == PluginLists::Predicates
            {
                ["LeastRequestedPriority", "MostRequestedPriority"]
            } else {
                ["NodeResourcesLeastAllocated", "NodeResourcesMostAllocated"]
            };
            settings.score.disabled.push(least.to_owned());
            settings.score.enabled.push((most.to_owned(), 1));
        }
        _ => return None,
    }
    Some(settings)
}

//! Which pods are alike to every plugin of a profile, so that they share scores.
//!
//! Upstream: `pkg/scheduler/framework/runtime/framework.go` `SignPod` (1.37).

use crate::framework::plugin::{Cycle, Signer};
use crate::plugins;
use model::cluster::PodIx;
use profile::plugins::PluginSet;

/// Whether a pod can share scores at all.
pub(in crate::groups) fn is_signed(cycle: &Cycle) -> bool {
    let profile = cycle.view.profile;
    profile.extenders.is_empty()
        && profile.plugins.out_of_tree.is_empty()
        && !signers()
            .any(|(name, signer)| signer.shares_nothing(cycle) && has_a_say(name, &profile.plugins))
}

/// Whether the pod of a cycle is like another one that can share scores.
pub(super) fn is_like(other: PodIx, cycle: &Cycle) -> bool {
    let cluster = cycle.view.cluster;
    let other = cluster.pod(other);
    is_signed(cycle)
        && cycle.template.scheduler_name == cluster.template(other).scheduler_name
        && signers().all(|(name, signer)| {
            signer.sees_alike(cycle, other) || !has_a_say(name, &cycle.view.profile.plugins)
        })
}

/// Every plugin with its name: those that filter, and those that score.
fn signers() -> impl Iterator<Item = (&'static str, &'static dyn Signer)> {
    let filters = plugins::ALL.iter().map(|plugin| {
        let signer: &dyn Signer = *plugin;
        (plugin.doc().name, signer)
    });
    let scores = plugins::SCORES.iter().map(|plugin| {
        let signer: &dyn Signer = *plugin;
        (plugin.doc().name, signer)
    });
    filters.chain(scores)
}

/// Whether a plugin affects pods of the profile.
fn has_a_say(plugin: &str, set: &PluginSet) -> bool {
    let mut points = set.pre_filter.iter().chain(&set.filter).chain(&set.pre_score);
    points.any(|name| *name == plugin) || set.score.iter().any(|(name, _)| *name == plugin)
}

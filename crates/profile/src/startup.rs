//! What the command line of a kube-scheduler changes, if it is known.
//!
//! Upstream: `cmd/kube-scheduler/app/options/deprecated.go` (1.12 to 1.22), `options.go` (1.37).

use std::collections::BTreeMap;

use super::before_1_23::provider::provider_plugins;
use super::config::ConfigRemark;
use super::{PluginSet, Profile};

/// The last minor with flags for a Policy, and the last one that other flags set up.
const POLICY_UNTIL: u16 = 22;
const FLAGS_UNTIL: u16 = 21;

/// Applies `flags` (names without dashes) to a profile without a configuration. `origin` says whose
/// flags they are.
pub fn apply(flags: &BTreeMap<String, String>, origin: &str, profile: &mut Profile) {
    let minor = profile.version.nearest_supported().minor;
    let config = flag(flags, "config");
    let policy = flag(flags, "policy-config-file").filter(|_| minor <= POLICY_UNTIL);

    // Files of the scheduler's machine cannot be read. A Policy counts in addition to a
    // configuration only in the last minor that knows it.
    match (config, policy) {
        (Some(path), None) => profile.remarks.push(unread(origin, "config", path)),
        (Some(path), Some(_)) if minor < POLICY_UNTIL => {
            profile.remarks.push(unread(origin, "config", path));
        }
        (_, Some(path)) => profile.remarks.push(unread(origin, "policy-config-file", path)),
        (None, None) => {}
    }

    // A configuration replaces what the other flags say.
    if config.is_some() || minor > FLAGS_UNTIL {
        return;
    }
    if let Some(name) = flag(flags, "scheduler-name") {
        name.clone_into(&mut profile.scheduler_name);
        profile.all_names = vec![name.to_owned()];
    }
    if let Some(weight) = flag(flags, "hard-pod-affinity-symmetric-weight")
        && let Ok(weight) = weight.parse()
    {
        profile.args.hard_pod_affinity_weight = weight;
    }
    if let Some(provider) = flag(flags, "algorithm-provider").filter(|_| policy.is_none()) {
        match provider_plugins(provider, &profile.features) {
            Some(settings) => profile.plugins = PluginSet::new(&profile.features, &settings),
            None => profile.remarks.push(ConfigRemark::deciding(format!(
                "{origin} is started with --algorithm-provider={provider}, which is not one of kube-scheduler's"
            ))),
        }
    }
}

/// The value of a flag, unless it is empty.
fn flag<'f>(flags: &'f BTreeMap<String, String>, name: &str) -> Option<&'f str> {
    flags.get(name).map(String::as_str).filter(|value| !value.is_empty())
}

/// The remark about a flag that names a file.
fn unread(origin: &str, name: &str, path: &str) -> ConfigRemark {
    ConfigRemark::deciding(format!(
        "{origin} is started with --{name}={path}, a file that the API does not show: this answer is that of the \
         default profile; pass a copy of the file with --scheduler-config"
    ))
}

#[cfg(test)]
mod tests;

//! What the command line of a kube-scheduler changes, if it is known.
//!
//! Upstream: `cmd/kube-scheduler/app/options/deprecated.go` (1.12 to 1.22), `options.go` (1.37).

use super::before_1_23::provider_plugins;
use super::config::ConfigRemark;
use super::{PluginSet, Profile};
use std::collections::BTreeMap;

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
mod tests {
    use super::*;
    use crate::{SchedulerVersion, VersionSource};

    fn started(version: &str, flags: &[(&str, &str)]) -> Profile {
        let version = SchedulerVersion::parse(version).expect("a version");
        let mut profile = Profile::new(version, VersionSource::Server);
        let flags = flags.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        apply(&flags, "kube-system/s", &mut profile);
        profile
    }

    #[test]
    fn a_file_that_cannot_be_read_is_named() {
        let profile = started("1.37", &[("config", "/etc/s.yaml"), ("feature-gates", "A=true")]);
        let [remark] = profile.remarks.as_slice() else { panic!("{:?}", profile.remarks) };
        assert!(remark.decides && remark.text.contains("--config=/etc/s.yaml"), "{remark:?}");
        assert!(started("1.37", &[]).remarks.is_empty());
        // These flags are gone; a scheduler that has them does not start.
        assert!(
            started("1.37", &[("policy-config-file", "/p"), ("algorithm-provider", "X")])
                .remarks
                .is_empty()
        );
    }

    #[test]
    fn flags_of_old_schedulers_decide_without_a_configuration() {
        let flags = [
            ("scheduler-name", "mine"),
            ("hard-pod-affinity-symmetric-weight", "7"),
            ("algorithm-provider", "ClusterAutoscalerProvider"),
        ];
        for (version, most) in
            [("1.16", "MostRequestedPriority"), ("1.21", "NodeResourcesMostAllocated")]
        {
            let profile = started(version, &flags);
            assert_eq!(
                (profile.scheduler_name.as_str(), profile.args.hard_pod_affinity_weight),
                ("mine", 7)
            );
            assert!(
                profile.plugins.score.iter().any(|(name, _)| *name == most),
                "{version} {:?}",
                profile.plugins.score
            );
        }
        assert_eq!(started("1.22", &flags).scheduler_name, "default-scheduler");
        let with_file = started("1.16", &[("scheduler-name", "mine"), ("config", "/c")]);
        assert_eq!(
            (with_file.scheduler_name.as_str(), with_file.remarks.len()),
            ("default-scheduler", 1)
        );
        let policy = started("1.20", &[("policy-config-file", "/p")]);
        assert!(policy.remarks[0].text.contains("--policy-config-file=/p"), "{:?}", policy.remarks);
        assert!(started("1.20", &[("algorithm-provider", "X")]).remarks[0].decides);
    }
}

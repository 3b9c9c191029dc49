//! The profiles of OpenShift's scheduler: the configuration that its operator derives from the
//! profile of the `Scheduler` object.
//!
//! Upstream: `bindata/assets/config` of openshift/cluster-kube-scheduler-operator (4.9 to 4.20).

use serde_json::{Value, json};

use super::api::{self, Api};
use crate::SchedulerVersion;

/// The configuration of a profile for the scheduler of that version; `None` for an unknown profile,
/// or one that the configuration of this version cannot express. The empty profile is the default.
pub fn openshift(profile: &str, version: SchedulerVersion) -> Option<Value> {
    let api = api::newest(version)?;
    let plugins = match profile {
        "" | "LowNodeUtilization" => json!({}),
        // A strategy has been an argument since the second beta.
        "HighNodeUtilization" if api >= Api::V1Beta2 => json!({"score": {
            "disabled": [{"name": "NodeResourcesBalancedAllocation"}],
            "enabled": [{"name": "NodeResourcesFit", "weight": 5}],
        }}),
        "NoScoring" => {
            json!({"preScore": {"disabled": [{"name": "*"}]}, "score": {"disabled": [{"name": "*"}]}})
        }
        _ => return None,
    };
    let arguments = match profile {
        "HighNodeUtilization" => {
            json!([{"name": "NodeResourcesFit", "args": {"scoringStrategy": {"type": "MostAllocated"}}}])
        }
        _ => json!([]),
    };
    let profile_of = json!({"schedulerName": "default-scheduler", "plugins": plugins, "pluginConfig": arguments});
    Some(json!({"apiVersion": api.name(), "kind": api::KIND, "profiles": [profile_of]}))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Configuration;
    use crate::{Profile, VersionSource};

    #[test]
    fn profiles_are_configurations_that_the_scheduler_of_the_version_reads() {
        for minor in 20..=37 {
            let version = SchedulerVersion::parse(&format!("1.{minor}")).expect("a version");
            for name in ["", "LowNodeUtilization", "HighNodeUtilization", "NoScoring"] {
                let Some(value) = openshift(name, version) else {
                    assert!(minor < 22 && name == "HighNodeUtilization", "1.{minor} {name}");
                    continue;
                };
                let base = Profile::new(version, VersionSource::Flag);
                let read = Configuration::read(&value, &base);
                assert!(read.is_ok(), "1.{minor} {name}: {:?}", read.err());
            }
            assert_eq!(openshift("Fastest", version), None);
        }
    }
}

//! The scheduler that decides: its version, feature gates and configuration, from flags and from
//! the cluster.

use std::path::Path;

use serde_json::Value;

use crate::error::Error;
use crate::small_file::{self, NamedBy};
use engine::cluster::Cluster;
use engine::decision::pod_groups;
use engine::decode::yaml_value;
use engine::plain::yaml_problem;
use engine::profile::config::{ConfigFile, Configuration, Remark, openshift};
use engine::profile::{Profile, SchedulerVersion, VersionSource, startup};
use engine::snapshot::scheduler::{self, ConfigMapName, NAMESPACE, Scheduler};

/// Flags about the scheduler.
#[derive(Debug, Default, Clone, clap::Args)]
#[command(next_help_heading = "Scheduler")]
pub struct SchedulerArgs {
    /// Decide as this version, e.g. 1.36
    ///
    /// Default: the version of the cluster or snapshot, else that of the newest kubelet, else the
    /// newest that is known.
    #[arg(long, value_name = "VERSION")]
    pub scheduler_version: Option<String>,

    /// Set kube-scheduler's feature gates
    ///
    /// As kube-scheduler's own flag takes them: NAME=true or NAME=false, separated by commas. They
    /// are added to those that its static pod shows.
    #[arg(long, value_name = "NAME=BOOL")]
    pub feature_gates: Vec<String>,

    /// Read kube-scheduler's configuration
    ///
    /// A KubeSchedulerConfiguration or Policy that its version reads, or a ConfigMap with one.
    /// Default: what the cluster shows, else the default profile.
    #[arg(long, value_name = "FILE")]
    pub scheduler_config: Option<String>,

    /// Read that configuration from a ConfigMap
    ///
    /// From its only key, or from config.yaml, scheduler-config.yaml, kube-scheduler-config.yaml,
    /// scheduler-config or policy.cfg.
    #[arg(
        long,
        value_name = "NAMESPACE/NAME",
        conflicts_with = "scheduler_config",
        hide_short_help = true
    )]
    pub scheduler_configmap: Option<String>,

    /// Call the extenders of the configuration, as the scheduler does
    ///
    /// Sends whole pods and nodes to the addresses that the configuration names, to filter,
    /// prioritize and preempt.
    #[arg(long, hide_short_help = true)]
    pub call_extenders: bool,
}

/// The flags with validated values.
#[derive(Debug)]
pub struct SchedulerOptions<'a> {
    args: &'a SchedulerArgs,
    /// `--scheduler-version`.
    pub version: Option<SchedulerVersion>,
    /// `--scheduler-configmap`.
    pub config_map: Option<ConfigMapName>,
    file: Option<ConfigSource>,
}

/// A configuration and its source.
#[derive(Debug, Clone)]
struct ConfigSource {
    origin: String,
    file: ConfigFile,
}

/// Parses the scheduler version in `flag`.
///
/// # Errors
/// [`Error::Usage`] for an invalid version, and for one whose rules are not known.
pub fn read_version(flag: &str, text: &str) -> Result<SchedulerVersion, Error> {
    let usage = |problem: String, hint: String| Error::Usage { problem, hint: Some(hint) };
    let version = SchedulerVersion::parse(text).ok_or_else(|| {
        let problem = format!("{flag} `{text}` is not a version of kube-scheduler");
        usage(problem, "write it as 1.37 or 1.37.1".to_owned())
    })?;
    if version.nearest_supported() != version {
        let [oldest, newest, alpha] =
            [SchedulerVersion::OLDEST, SchedulerVersion::NEWEST, SchedulerVersion::ALPHA]
                .map(SchedulerVersion::minor_text);
        let problem = format!("{flag} `{text}` is out of range");
        return Err(usage(
            problem,
            format!("rules are known for {oldest} to {newest}, and some of {alpha}"),
        ));
    }
    Ok(version)
}

/// Parses `--scheduler-configmap`.
///
/// # Errors
/// When it is not `NAMESPACE/NAME`.
pub fn config_map_name(text: Option<&str>) -> Result<Option<ConfigMapName>, Error> {
    let read = |text: &str| {
        ConfigMapName::parse(text).ok_or_else(|| Error::Usage {
            problem: format!("--scheduler-configmap `{text}` does not name a ConfigMap"),
            hint: Some("write it as NAMESPACE/NAME".to_owned()),
        })
    };
    text.map(read).transpose()
}

impl SchedulerArgs {
    /// Validates the flags, and reads the file that they name.
    ///
    /// # Errors
    /// [`Error::Usage`] for an invalid value, [`Error::Input`] for an unreadable file.
    pub fn check(&self) -> Result<SchedulerOptions<'_>, Error> {
        let version =
            self.scheduler_version.as_deref().map(|text| read_version("--scheduler-version", text));
        Ok(SchedulerOptions {
            args: self,
            version: version.transpose()?,
            config_map: config_map_name(self.scheduler_configmap.as_deref())?,
            file: self.scheduler_config.as_deref().map(read_file).transpose()?,
        })
    }
}

impl SchedulerOptions<'_> {
    /// Validates the flags as far as possible without the cluster.
    ///
    /// # Errors
    /// As [`Self::profiles`].
    pub fn check(&self, version: SchedulerVersion) -> Result<(), Error> {
        configured(self.gated(version, VersionSource::Flag)?, self.file.as_ref()).map(drop)
    }

    /// The profiles of the scheduler, at least one. `cluster` shows its flags, and whether it
    /// supports pod groups.
    ///
    /// # Errors
    /// Feature gates or a configuration that the scheduler of that version rejects, and a missing
    /// ConfigMap.
    pub fn profiles(
        &self,
        version: SchedulerVersion,
        from: VersionSource,
        cluster: &Cluster,
    ) -> Result<Vec<Profile>, Error> {
        let mut base = self.gated(version, from)?;
        let found = cluster.header.scheduler.as_ref();
        if let Some(found) = found {
            base = self.with_found_gates(base, found);
            if from == VersionSource::StaticPod && !found.other_versions.is_empty() {
                let others = found.other_versions.join(", ");
                let text = format!(
                    "{others} has another version than {}, whose version is taken",
                    origin(found)
                );
                base.remarks.push(Remark::deciding(text));
            }
        }
        base = pod_groups::settle(base, cluster);
        let source = match &self.file {
            Some(file) => Some(file.clone()),
            None => match self.in_config_map(found, &mut base)? {
                None => of_openshift(found, &mut base),
                in_config_map => in_config_map,
            },
        };
        if let (None, Some(found)) = (&source, found) {
            apply_flags(found, &mut base);
        }
        configured(base, source.as_ref())
    }

    fn gated(&self, version: SchedulerVersion, from: VersionSource) -> Result<Profile, Error> {
        Profile::new(version, from).with_gates(&self.args.feature_gates).map_err(|problem| Error::Usage {
            problem,
            hint: Some(format!(
                "--feature-gates takes NAME=true or NAME=false, with the gates of kube-scheduler {version}"
            )),
        })
    }

    /// Applies the gates of the static pod first, then those of this program's flag. Invalid gates
    /// of the static pod are a remark, not an error.
    fn with_found_gates(&self, base: Profile, found: &Scheduler) -> Profile {
        let Some(gates) = found.flags.get("feature-gates") else { return base };
        let all: Vec<String> =
            std::iter::once(gates).chain(&self.args.feature_gates).cloned().collect();
        match Profile::new(base.version, base.source).with_gates(&all) {
            Ok(profile) => profile,
            Err(problem) => {
                let mut base = base;
                let text = format!(
                    "{} is started with --feature-gates={gates}, passed over: {problem}",
                    origin(found)
                );
                base.remarks.push(Remark::deciding(text));
                base
            }
        }
    }

    /// The configuration in the ConfigMap named by this program's flag or the scheduler's flags.
    fn in_config_map(
        &self,
        found: Option<&Scheduler>,
        base: &mut Profile,
    ) -> Result<Option<ConfigSource>, Error> {
        let map = found.and_then(|found| found.config_map.as_ref());
        let Some(map) =
            map.filter(|map| self.config_map.as_ref().is_none_or(|asked| *asked == map.name))
        else {
            let named = found.and_then(Scheduler::policy_config_map).filter(|_| map.is_none());
            return match &self.config_map {
                None => {
                    let text =
                        |name: ConfigMapName| format!("its Policy is in ConfigMap {name}, which is not in the input");
                    base.remarks.extend(named.map(|name| Remark::deciding(text(name))));
                    Ok(None)
                }
                Some(asked) => Err(Error::Usage {
                    problem: format!("there is no ConfigMap {asked} in the input"),
                    hint: Some(
                        "a snapshot has it when it is taken with --scheduler-configmap; or pass the file with \
                         --scheduler-config"
                            .to_owned(),
                    ),
                }),
            };
        };
        if let Some(reason) = &map.unreadable {
            let text = format!(
                "its Policy is in ConfigMap {}, which could not be read: {reason}",
                map.name
            );
            base.remarks.push(Remark::deciding(text));
            return Ok(None);
        }
        let origin = format!("ConfigMap {}, key {}", map.name, map.key);
        let file = parse(&map.text, &origin)?;
        Ok(Some(ConfigSource { origin, file }))
    }
}

/// The configuration of the profile that OpenShift's `Scheduler` object selects, if the input lacks
/// the ConfigMap with it.
fn of_openshift(found: Option<&Scheduler>, base: &mut Profile) -> Option<ConfigSource> {
    let profile = found?.openshift_profile.as_deref()?;
    let named = if profile.is_empty() {
        "its default profile".to_owned()
    } else {
        format!("profile {profile}")
    };
    let origin = format!("OpenShift's Scheduler cluster, {named}");
    let value = openshift(profile, base.version);
    if value.is_none() {
        let version = base.version.minor_text();
        let text = format!("{origin}: not known for kube-scheduler {version}, and passed over");
        base.remarks.push(Remark::deciding(text));
    }
    Some(ConfigSource { origin, file: value?.into() })
}

fn configured(mut base: Profile, source: Option<&ConfigSource>) -> Result<Vec<Profile>, Error> {
    let Some(ConfigSource { origin, file }) = source else { return Ok(vec![base]) };
    base.config_source = Some(origin.clone());
    let config =
        Configuration::read_file(file, &base).map_err(|e| Error::input(origin, e.to_string()))?;
    Ok(config.profiles(&base))
}

/// The static pod whose flags are used.
fn origin(found: &Scheduler) -> String {
    format!("{NAMESPACE}/{}", found.pods.first().map_or("kube-scheduler", String::as_str))
}

/// Applies the flags of the cluster's scheduler, if no configuration is given.
fn apply_flags(found: &Scheduler, base: &mut Profile) {
    startup::apply(&found.flags, &origin(found), base);
    if let Some(reason) = &found.unreadable {
        let text = format!(
            "how kube-scheduler is started could not be seen: {reason}; the default profile decides"
        );
        base.remarks.push(Remark::harmless(text));
    } else if found.pods.is_empty() {
        let text = format!(
            "{NAMESPACE} has no static pod of kube-scheduler, so its configuration is not known: the default profile \
             decides; --scheduler-config names another"
        );
        base.remarks.push(Remark::harmless(text));
    } else if !base.remarks.iter().any(|remark| remark.decides) {
        let text = format!("{} is started without one: the default profile decides", origin(found));
        base.remarks.push(Remark::harmless(text));
    }
    if !found.differing.is_empty() {
        let others = found.differing.join(", ");
        let text = format!(
            "{others} is started with other flags than {}, whose flags are taken",
            origin(found)
        );
        base.remarks.push(Remark::deciding(text));
    }
}

/// Reads `--scheduler-config`.
fn read_file(path: &str) -> Result<ConfigSource, Error> {
    let text = small_file::read_text(Path::new(path), NamedBy::User)
        .map_err(|e| Error::io(Path::new(path), "cannot be read", &e))?;
    let file = parse(&text, path)?;
    if file.value.get("kind").and_then(Value::as_str) != Some("ConfigMap") {
        return Ok(ConfigSource { origin: path.to_owned(), file });
    }
    let data = file.value.get("data").cloned().unwrap_or_default();
    let data =
        serde_json::from_value(data).map_err(|_| Error::input(path, "data: is no map of texts"))?;
    let key = scheduler::config_key(&data).map_err(|problem| Error::input(path, problem))?;
    let origin = format!("{path}, key {key}");
    let file = parse(data.get(key).map(String::as_str).unwrap_or_default(), &origin)?;
    Ok(ConfigSource { origin, file })
}

fn parse(text: &str, origin: &str) -> Result<ConfigFile, Error> {
    if ConfigFile::is_json(text) {
        return ConfigFile::from_json(text).map_err(|e| {
            let how = "it begins with `{`, so kube-scheduler reads it as JSON";
            Error::input(origin, format!("not valid JSON: {e}; {how}"))
        });
    }
    yaml_value(text).map(ConfigFile::from).map_err(|e| {
        if matches!(e.without_snippet(), serde_saphyr::Error::MultipleDocuments { .. }) {
            return Error::input(
                origin,
                "holds several YAML documents: keep the one that configures kube-scheduler",
            );
        }
        Error::input(origin, format!("not valid YAML: {}", yaml_problem(&e)))
    })
}

//! The scheduler that decides: its version, feature gates and configuration, from what the user
//! gives and from what the cluster shows.

use serde_json::Value;

use crate::error::AnswerError;
use crate::origin::SourceKind;
use engine::cluster::Cluster;
use engine::decision::pod_groups;
use engine::decode::yaml_value;
use engine::plain::yaml_problem;
use engine::profile::config::{ConfigFile, ConfigRemark, Configuration, openshift};
use engine::profile::{Profile, SchedulerVersion, VersionGap, VersionSource, gates, startup};
use engine::snapshot::scheduler::{self, ConfigMapName, NAMESPACE, Scheduler};

/// The user's settings of the scheduler; the others are read from the cluster.
#[derive(Debug, Default, Clone)]
pub struct SchedulerChoice {
    /// `--scheduler-version`.
    pub version: Option<SchedulerVersion>,
    /// `--feature-gates`, as kube-scheduler's own flag takes them.
    pub feature_gates: Vec<String>,
    /// `--scheduler-configmap`.
    pub config_map: Option<ConfigMapName>,
    /// `--scheduler-config`.
    pub config: Option<ConfigSource>,
}

/// The version that decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecidingVersion {
    /// The version.
    pub version: SchedulerVersion,
    /// The source of the version.
    pub from: VersionSource,
    /// Why it is assumed, if it is.
    pub gap: Option<VersionGap>,
}

/// Parses the scheduler version in `flag`.
///
/// # Errors
/// [`AnswerError::Usage`] for an invalid version, and for one whose rules are not known.
pub fn read_version(flag: &str, text: &str) -> Result<SchedulerVersion, AnswerError> {
    let version = SchedulerVersion::parse(text).ok_or_else(|| {
        let problem = format!("{flag} `{text}` is not a version of kube-scheduler");
        AnswerError::usage_hint(problem, "write it as 1.37 or 1.37.1")
    })?;
    if version.nearest_supported() != version {
        let problem = format!("{flag} `{text}` is out of range");
        return Err(AnswerError::usage_hint(
            problem,
            format!("rules are known for {}", SchedulerVersion::known_text()),
        ));
    }
    Ok(version)
}

/// A configuration and its source.
#[derive(Debug, Clone)]
pub struct ConfigSource {
    origin: String,
    file: ConfigFile,
}

impl ConfigSource {
    /// Reads the text of a `KubeSchedulerConfiguration` or `Policy`, or of a `ConfigMap` with one.
    /// `path` names the file.
    ///
    /// # Errors
    /// [`AnswerError::Input`] for what is neither YAML nor JSON, and for a `ConfigMap` that does not hold one
    /// configuration.
    pub fn read(text: &str, path: &str) -> Result<Self, AnswerError> {
        let file = parse(text, path)?;
        if file.value.get("kind").and_then(Value::as_str) != Some("ConfigMap") {
            return Ok(Self { origin: path.to_owned(), file });
        }
        let data = file.value.get("data").cloned().unwrap_or_default();
        let data = serde_json::from_value(data)
            .map_err(|_| AnswerError::input(path, "data: is no map of texts"))?;
        let key =
            scheduler::config_key(&data).map_err(|problem| AnswerError::input(path, problem))?;
        let origin = format!("{path}, key {key}");
        let file = parse(data.get(key).map(String::as_str).unwrap_or_default(), &origin)?;
        Ok(Self { origin, file })
    }
}

impl ConfigSource {
    /// Whether it is a configuration of kube-scheduler, and not another object.
    pub fn is_configuration(&self) -> bool {
        let kind = self.file.value.get("kind").and_then(Value::as_str);
        matches!(kind, Some("KubeSchedulerConfiguration" | "Policy"))
    }
}

impl SchedulerChoice {
    /// The version of the scheduler that decides about a cluster that came from `source`.
    pub fn version(&self, cluster: &Cluster, source: SourceKind) -> DecidingVersion {
        let known = |version, from| DecidingVersion { version, from, gap: None };
        if let Some(version) = self.version {
            return known(version, VersionSource::Flag);
        }
        let said = cluster.header.server_version.as_deref().filter(|said| !said.is_empty());
        if let Some(version) = said.and_then(SchedulerVersion::parse) {
            let from = if source == SourceKind::Live {
                VersionSource::Server
            } else {
                VersionSource::Snapshot
            };
            return known(version, from);
        }
        let shown = cluster
            .header
            .scheduler
            .as_ref()
            .filter(|_| said.is_none() && source == SourceKind::File);
        if let Some(version) =
            shown.and_then(|found| SchedulerVersion::parse(found.version.as_deref()?))
        {
            return known(version, VersionSource::StaticPod);
        }
        let gap = match (said, source) {
            (Some(said), _) => VersionGap::NotKnown(said.to_owned()),
            (None, SourceKind::Live) => VersionGap::NotAnswered,
            (None, _) => VersionGap::NotInInput,
        };
        // No kubelet is newer than its control plane, so the scheduler may be newer.
        let kubelets = cluster
            .nodes
            .iter()
            .filter_map(|node| SchedulerVersion::parse(cluster.text(node.kubelet)));
        let (version, from) = match kubelets.max() {
            Some(version) => (version, VersionSource::Kubelets),
            None => (SchedulerVersion::NEWEST, VersionSource::Default),
        };
        DecidingVersion { version, from, gap: Some(gap) }
    }

    /// Checks what is given as far as that is possible without the cluster.
    ///
    /// # Errors
    /// As [`Self::profiles`].
    pub fn check(&self, version: SchedulerVersion) -> Result<(), AnswerError> {
        configured(self.gated(version, VersionSource::Flag)?, self.config.as_ref()).map(drop)
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
    ) -> Result<Vec<Profile>, AnswerError> {
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
                base.remarks.push(ConfigRemark::deciding(text));
            }
        }
        base = pod_groups::settle(base, cluster);

        // A configuration that is given replaces what the cluster's own scheduler is started with.
        let source = match &self.config {
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

    fn gated(
        &self,
        version: SchedulerVersion,
        from: VersionSource,
    ) -> Result<Profile, AnswerError> {
        Profile::new(version, from).with_gates(&self.feature_gates).map_err(|problem| {
            let hint = format!(
                "--feature-gates takes NAME=true or NAME=false, with the gates of kube-scheduler {version}"
            );
            AnswerError::usage_hint(problem, hint)
        })
    }

    /// Applies the gates of the static pod first, then those of this program's flag. Invalid gates
    /// of the static pod are a remark, not an error.
    fn with_found_gates(&self, base: Profile, found: &Scheduler) -> Profile {
        let Some(flag) = found.flags.get("feature-gates") else { return base };
        // OpenShift hands its own gates to every component, which no rule of kube-scheduler reads. One of
        // a newer kube-scheduler may be a backport.
        let (own, of_kubernetes): (Vec<&str>, Vec<&str>) = flag.split(',').partition(|pair| {
            let name = pair.split('=').next().unwrap_or_default().trim();
            found.is_openshift && !gates::exists_since(name, base.version)
        });
        let all: Vec<String> = std::iter::once(of_kubernetes.join(","))
            .chain(self.feature_gates.iter().cloned())
            .collect();
        match Profile::new(base.version, base.source).with_gates(&all) {
            Ok(mut profile) => {
                if !own.is_empty() {
                    let text = format!(
                        "{} also sets gates that kube-scheduler does not have, passed over: {}",
                        origin(found),
                        own.join(", ")
                    );
                    profile.remarks.push(ConfigRemark::harmless(text));
                }
                profile
            }
            Err(problem) => {
                let mut base = base;
                let text = format!(
                    "{} is started with --feature-gates={flag}, passed over: {problem}",
                    origin(found)
                );
                base.remarks.push(ConfigRemark::deciding(text));
                base
            }
        }
    }

    /// The configuration in the ConfigMap named by this program's flag or the scheduler's flags.
    fn in_config_map(
        &self,
        found: Option<&Scheduler>,
        base: &mut Profile,
    ) -> Result<Option<ConfigSource>, AnswerError> {
        let map = found.and_then(|found| found.config_map.as_ref());
        let Some(map) =
            map.filter(|map| self.config_map.as_ref().is_none_or(|asked| *asked == map.name))
        else {
            let named = found.and_then(Scheduler::policy_config_map).filter(|_| map.is_none());
            return match &self.config_map {
                None => {
                    if let Some(name) = named {
                        base.remarks.push(ConfigRemark::deciding(format!(
                            "its Policy is in ConfigMap {name}, which is not in the input"
                        )));
                    }
                    Ok(None)
                }
                Some(asked) => Err(AnswerError::usage_hint(
                    format!("there is no ConfigMap {asked} in the input"),
                    "a snapshot has it when it is taken with --scheduler-configmap; or pass the file with \
                     --scheduler-config",
                )),
            };
        };
        // A list may name a ConfigMap that the user may not read.
        if let Some(reason) = &map.unreadable {
            let text = format!(
                "its Policy is in ConfigMap {}, which could not be read: {reason}",
                map.name
            );
            base.remarks.push(ConfigRemark::deciding(text));
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
        base.remarks.push(ConfigRemark::deciding(text));
    }
    Some(ConfigSource { origin, file: value?.into() })
}

fn configured(
    mut base: Profile,
    source: Option<&ConfigSource>,
) -> Result<Vec<Profile>, AnswerError> {
    let Some(ConfigSource { origin, file }) = source else { return Ok(vec![base]) };
    base.config_source = Some(origin.clone());
    let config = Configuration::read_file(file, &base)
        .map_err(|e| AnswerError::input(origin, e.to_string()))?;
    Ok(config.profiles(&base))
}

/// The static pod whose flags are used.
fn origin(found: &Scheduler) -> String {
    let name = found.pods.first().map_or("kube-scheduler", String::as_str);
    format!("{}/{name}", found.namespace())
}

/// Applies the flags of the cluster's scheduler, if no configuration is given.
fn apply_flags(found: &Scheduler, base: &mut Profile) {
    startup::apply(&found.flags, &origin(found), base);
    if found.is_openshift {
        let text = "on OpenShift that file is in ConfigMap config of namespace openshift-kube-scheduler: an input with \
                    it, or with the Scheduler object cluster, is enough";
        base.remarks.push(ConfigRemark::harmless(text.to_owned()));
    }

    // Why the default profile decides, unless a remark about its flags says so already.
    if let Some(reason) = &found.unreadable {
        let text = format!(
            "how kube-scheduler is started could not be seen: {reason}; the default profile decides"
        );
        base.remarks.push(ConfigRemark::harmless(text));
    } else if found.pods.is_empty() {
        let text = format!(
            "{NAMESPACE} has no static pod of kube-scheduler, so its configuration is not known: the default profile \
             decides; --scheduler-config names another"
        );
        base.remarks.push(ConfigRemark::harmless(text));
    } else if !base.remarks.iter().any(|remark| remark.decides) {
        let text = format!("{} is started without one: the default profile decides", origin(found));
        base.remarks.push(ConfigRemark::harmless(text));
    }
    if !found.differing.is_empty() {
        let others = found.differing.join(", ");
        let text = format!(
            "{others} is started with other flags than {}, whose flags are taken",
            origin(found)
        );
        base.remarks.push(ConfigRemark::deciding(text));
    }
}

fn parse(text: &str, origin: &str) -> Result<ConfigFile, AnswerError> {
    if ConfigFile::is_json(text) {
        return ConfigFile::from_json(text).map_err(|e| {
            let how = "it begins with `{`, so kube-scheduler reads it as JSON";
            AnswerError::input(origin, format!("not valid JSON: {e}; {how}"))
        });
    }
    yaml_value(text).map(ConfigFile::from).map_err(|e| {
        if matches!(e.without_snippet(), serde_saphyr::Error::MultipleDocuments { .. }) {
            return AnswerError::input(
                origin,
                "holds several YAML documents: keep the one that configures kube-scheduler",
            );
        }
        AnswerError::input(origin, format!("not valid YAML: {}", yaml_problem(&e)))
    })
}

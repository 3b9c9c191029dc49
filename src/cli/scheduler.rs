//! The flags about the scheduler that decides.

use std::path::Path;

use crate::error::Error;
use crate::small_file::{self, NamedBy};
use answers::scheduler::{ConfigSource, SchedulerChoice, read_version};
use engine::snapshot::scheduler::ConfigMapName;

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

/// Parses `--scheduler-configmap`.
///
/// # Errors
/// When it is not `NAMESPACE/NAME`.
pub fn config_map_name(text: Option<&str>) -> Result<Option<ConfigMapName>, Error> {
    let Some(text) = text else { return Ok(None) };
    let name = ConfigMapName::parse(text).ok_or_else(|| Error::Usage {
        problem: format!("--scheduler-configmap `{text}` does not name a ConfigMap"),
        hint: Some("write it as NAMESPACE/NAME".to_owned()),
    })?;
    Ok(Some(name))
}

impl SchedulerArgs {
    /// Rejects `--call-extenders`: extenders must not be asked about a cluster that does not exist.
    ///
    /// # Errors
    /// [`Error::Usage`] with the reason.
    pub fn reject_extenders(&self, why: &str) -> Result<(), Error> {
        if self.call_extenders {
            return Err(Error::usage(format!("{why}: it does not go with --call-extenders")));
        }
        Ok(())
    }

    /// Validates the flags, and reads the file that they name.
    ///
    /// # Errors
    /// [`Error::Usage`] for an invalid value, [`Error::Input`] for an unreadable file.
    pub fn check(&self) -> Result<SchedulerChoice, Error> {
        let version =
            self.scheduler_version.as_deref().map(|text| read_version("--scheduler-version", text));
        Ok(SchedulerChoice {
            version: version.transpose()?,
            feature_gates: self.feature_gates.clone(),
            config_map: config_map_name(self.scheduler_configmap.as_deref())?,
            config: self.scheduler_config.as_deref().map(read_file).transpose()?,
        })
    }
}

/// Reads `--scheduler-config`.
fn read_file(path: &str) -> Result<ConfigSource, Error> {
    let text = small_file::read_text(Path::new(path), NamedBy::User)
        .map_err(|e| Error::io(Path::new(path), "cannot be read", &e))?;
    Ok(ConfigSource::read(&text, path)?)
}

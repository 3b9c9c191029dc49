//! The environment variables that decide which cluster is used, as a value that tests can set.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// Where a pod finds its service account.
const SERVICE_ACCOUNT: &str = "/var/run/secrets/kubernetes.io/serviceaccount";

/// Environment variables, and the folder of the pod's service account. No `Debug`: proxies carry passwords.
#[derive(Clone)]
pub struct Env {
    vars: BTreeMap<OsString, OsString>,
    /// Token, CA and namespace inside a pod.
    pub service_account: PathBuf,
    unattended: bool,
}

impl Env {
    /// This process's.
    #[must_use]
    pub fn process() -> Self {
        Self::of(std::env::vars_os())
    }

    /// The variables given, and no others.
    pub fn of<K: Into<OsString>, V: Into<OsString>>(vars: impl IntoIterator<Item = (K, V)>) -> Self {
        let vars = vars.into_iter().map(|(k, v)| (k.into(), v.into())).collect();
        Self { vars, service_account: PathBuf::from(SERVICE_ACCOUNT), unattended: false }
    }

    /// The same for a run in which credential plugins can neither ask nor write to the user.
    #[must_use]
    pub fn unattended(self) -> Self {
        Self { unattended: true, ..self }
    }

    /// Whether plugins can neither ask nor write to the user.
    pub(crate) fn is_unattended(&self) -> bool {
        self.unattended
    }

    /// A variable that is set and not empty.
    pub(crate) fn path(&self, name: &str) -> Option<&OsStr> {
        self.vars.get(OsStr::new(name)).map(OsString::as_os_str).filter(|v| !v.is_empty())
    }

    /// A variable that is set, not empty and text.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.path(name)?.to_str()
    }

    /// `NAME`, else `name`, as Go's proxy settings.
    pub(crate) fn either_case(&self, upper: &str) -> Option<&str> {
        self.text(upper).or_else(|| self.text(&upper.to_lowercase()))
    }

    /// A file of the user's `.kube` folder.
    pub(crate) fn kube_folder(&self, file: &str) -> Option<PathBuf> {
        let home = self.path("HOME").or_else(|| self.path("USERPROFILE"))?;
        Some(PathBuf::from(home).join(".kube").join(file))
    }
}

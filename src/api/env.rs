//! The environment variables that decide which cluster is used, as a value that tests can set.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use super::awaited::Waits;

/// Where a pod finds its service account.
const SERVICE_ACCOUNT: &str = "/var/run/secrets/kubernetes.io/serviceaccount";

/// Whether credential plugins reach the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attendance {
    /// They ask and write on the terminal.
    Terminal,
    /// They do so for the first login; then a screen covers the terminal.
    FirstLogin,
    /// A screen covers the terminal: they cannot ask, and what they write is logged.
    Covered,
    /// There is no user.
    Unattended,
}

/// Environment variables, the folder of the pod's service account, and the user. No `Debug`:
/// proxies carry passwords.
#[derive(Clone)]
pub struct Env {
    vars: BTreeMap<OsString, OsString>,
    /// Token, CA and namespace inside a pod.
    pub service_account: PathBuf,
    /// What is waited for by whoever has this environment or a copy of it.
    pub waits: Waits,
    attendance: Attendance,
}

impl Env {
    /// This process's.
    #[must_use]
    pub fn process() -> Self {
        Self::of(std::env::vars_os())
    }

    /// The variables given, and no others.
    pub fn of<K: Into<OsString>, V: Into<OsString>>(
        vars: impl IntoIterator<Item = (K, V)>,
    ) -> Self {
        let vars = vars.into_iter().map(|(k, v)| (k.into(), v.into())).collect();
        Self {
            vars,
            service_account: PathBuf::from(SERVICE_ACCOUNT),
            waits: Waits::default(),
            attendance: Attendance::Terminal,
        }
    }

    /// The same for a run in which credential plugins can neither ask nor write to the user.
    #[must_use]
    pub fn unattended(self) -> Self {
        Self { attendance: Attendance::Unattended, ..self }
    }

    /// The same for a run that covers the terminal by a screen after its first login.
    #[must_use]
    pub fn covered_after_login(self) -> Self {
        Self { attendance: Attendance::FirstLogin, ..self }
    }

    /// The same for what is done after the first login.
    pub(crate) fn after_login(&self) -> Self {
        let attendance = match self.attendance {
            Attendance::FirstLogin => Attendance::Covered,
            other => other,
        };
        Self { attendance, ..self.clone() }
    }

    /// Whether credential plugins reach the user.
    pub(crate) fn attendance(&self) -> Attendance {
        self.attendance
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

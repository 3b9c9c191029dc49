//! The environment variables that select the cluster, as a value that tests can set.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::Instant;

use super::awaited::Waits;

/// The folder of the service account inside a pod.
const SERVICE_ACCOUNT: &str = "/var/run/secrets/kubernetes.io/serviceaccount";

/// Whether credential plugins can interact with the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attendance {
    /// Plugins may prompt on the terminal.
    Terminal,
    /// Plugins may prompt for the first login; then a screen covers the terminal.
    FirstLogin,
    /// A screen covers the terminal: plugins cannot prompt, and their stderr is logged.
    Covered,
    /// There is no user.
    Unattended,
}

/// Environment variables, the folder of the pod's service account, and the interaction with the
/// user. No `Debug`: proxy variables contain passwords.
#[derive(Clone)]
pub struct Env {
    vars: BTreeMap<OsString, OsString>,
    pub service_account: PathBuf,
    /// The waits of everything that uses this environment or a clone of it.
    pub waits: Waits,
    attendance: Attendance,
    /// When a credential plugin must have ended, besides its own time limit.
    deadline: Option<Instant>,
}

impl Env {
    /// The environment of this process.
    pub fn process() -> Self {
        Self::of(std::env::vars_os())
    }

    /// An environment with exactly these variables.
    pub fn of<K: Into<OsString>, V: Into<OsString>>(
        vars: impl IntoIterator<Item = (K, V)>,
    ) -> Self {
        let vars = vars.into_iter().map(|(k, v)| (k.into(), v.into())).collect();
        Self {
            vars,
            service_account: PathBuf::from(SERVICE_ACCOUNT),
            waits: Waits::default(),
            attendance: Attendance::Terminal,
            deadline: None,
        }
    }

    /// The same environment for a run in which credential plugins cannot interact with the user.
    #[must_use]
    pub fn unattended(self) -> Self {
        Self { attendance: Attendance::Unattended, ..self }
    }

    /// The same environment for a run that covers the terminal with a screen after its first login.
    #[must_use]
    pub fn covered_after_login(self) -> Self {
        Self { attendance: Attendance::FirstLogin, ..self }
    }

    /// The same environment as it applies after the first login.
    pub(crate) fn after_login(&self) -> Self {
        let attendance = match self.attendance {
            Attendance::FirstLogin => Attendance::Covered,
            other => other,
        };
        Self { attendance, ..self.clone() }
    }

    /// The same environment for a run that ends at this time.
    #[must_use]
    pub fn until(self, deadline: Option<Instant>) -> Self {
        Self { deadline, ..self }
    }

    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    pub(crate) fn attendance(&self) -> Attendance {
        self.attendance
    }

    /// The value of a variable; `None` if it is unset or empty.
    pub(crate) fn path(&self, name: &str) -> Option<&OsStr> {
        self.vars.get(OsStr::new(name)).map(OsString::as_os_str).filter(|v| !v.is_empty())
    }

    /// The value of a variable; `None` if it is unset, empty or not UTF-8.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.path(name)?.to_str()
    }

    /// The value of `NAME`, else of `name`, as in Go's proxy settings.
    pub(crate) fn either_case(&self, upper: &str) -> Option<&str> {
        self.text(upper).or_else(|| self.text(&upper.to_lowercase()))
    }

    /// The path of a file in the user's `.kube` folder.
    pub(crate) fn kube_folder(&self, file: &str) -> Option<PathBuf> {
        let home = self.path("HOME").or_else(|| self.path("USERPROFILE"))?;
        Some(PathBuf::from(home).join(".kube").join(file))
    }
}

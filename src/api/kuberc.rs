//! The part of kubectl's preferences file (kuberc) that also applies to other programs: which
//! credential plugins may run. Upstream: `kubectl/pkg/config/types.go`,
//! `client-go/plugin/pkg/client/auth/exec` (1.35+).

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::env::Env;
use crate::error::Error;
use crate::small_file::{self, NamedBy};
use engine::plain::yaml_problem;

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Preference {
    credential_plugin_policy: Option<String>,
    credential_plugin_allowlist: Option<Vec<Entry>>,
}

/// The field is `name` in 1.35, and `command` since.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Entry {
    name: Option<String>,
    command: Option<String>,
}

/// Whether the user's policy allows `command`.
pub(crate) fn check(command: &str, env: &Env) -> Result<(), Error> {
    let Some((path, preference)) = load(env)? else { return Ok(()) };
    let policy = preference.credential_plugin_policy.as_deref().unwrap_or_default();
    let allowed = match policy {
        "" | "AllowAll" => true,
        "Allowlist" => {
            preference.credential_plugin_allowlist.iter().flatten().any(|e| e.matches(command, env))
        }
        _ => false,
    };
    if allowed {
        return Ok(());
    }
    Err(Error::Cluster {
        problem: format!(
            "getting credentials: plugin {command:?} not allowed: policy set to {policy:?}"
        ),
        hint: Some(format!("credentialPluginPolicy is set in {}", path.display())),
    })
}

/// The file at `$KUBERC` (`off` disables it), else `~/.kube/kuberc` if it exists.
fn load(env: &Env) -> Result<Option<(PathBuf, Preference)>, Error> {
    let explicit = env.path("KUBERC");
    if explicit.is_some_and(|v| v == "off") {
        return Ok(None);
    }
    let Some(path) = explicit.map(PathBuf::from).or_else(|| env.kube_folder("kuberc")) else {
        return Ok(None);
    };
    let text = match small_file::read_text(&path, NamedBy::User) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound && explicit.is_none() => {
            return Ok(None);
        }
        Err(e) => return Err(Error::input(path.display().to_string(), e.to_string())),
    };
    let documents: Vec<Preference> = serde_saphyr::from_multiple(&text).map_err(|e| {
        Error::input(
            path.display().to_string(),
            format!("not a valid kuberc: {}", yaml_problem(&e)),
        )
    })?;
    Ok(documents.into_iter().next().map(|preference| (path, preference)))
}

impl Entry {
    /// Resolves a bare name in `PATH`, on both sides.
    fn matches(&self, command: &str, env: &Env) -> bool {
        let entry = self.command.as_deref().or(self.name.as_deref()).unwrap_or_default();
        if entry.is_empty() {
            return false;
        }
        entry == command
            || look_up(entry, env).is_some_and(|found| Some(found) == look_up(command, env))
    }
}

fn look_up(command: &str, env: &Env) -> Option<PathBuf> {
    if command.contains(std::path::MAIN_SEPARATOR) {
        return Some(PathBuf::from(command));
    }
    std::env::split_paths(env.path("PATH")?).map(|folder| folder.join(command)).find(|p| is_file(p))
}

fn is_file(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|m| m.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(kuberc: &str, command: &str) -> Result<(), String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kuberc");
        std::fs::write(&path, kuberc).unwrap();
        let bin = folder.path().join("bin");
        std::fs::create_dir(&bin).unwrap();
        std::fs::write(bin.join("login"), "").unwrap();
        let command = command.replace("BIN", bin.to_str().unwrap());
        let env = Env::of([("KUBERC", path.as_os_str()), ("PATH", bin.as_os_str())]);
        check(&command, &env).map_err(|e| e.to_string())
    }

    #[test]
    fn a_policy_decides_which_plugins_run() {
        let list = "credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist:\n";
        assert_eq!(verdict("kind: Preference\n", "login"), Ok(()));
        assert_eq!(verdict("credentialPluginPolicy: AllowAll\n", "login"), Ok(()));
        assert_eq!(verdict(&format!("{list}- name: login\n"), "login"), Ok(()));
        assert_eq!(verdict(&format!("{list}- command: login\n"), "BIN/login"), Ok(()));
        assert!(verdict(&format!("{list}- command: /opt/login\n"), "login").is_err());
        assert!(verdict(&format!("{list}- command: ''\n"), "").is_err());
        let denied = r#"getting credentials: plugin "login" not allowed: policy set to "DenyAll""#;
        assert_eq!(verdict("credentialPluginPolicy: DenyAll\n", "login"), Err(denied.to_owned()));
    }

    #[test]
    fn without_a_file_everything_runs() {
        let folder = tempfile::tempdir().unwrap();
        assert!(check("login", &Env::of([("HOME", folder.path().as_os_str())])).is_ok());
        assert!(check("login", &Env::of([("KUBERC", "off")])).is_ok());
        assert!(
            check("login", &Env::of([("KUBERC", folder.path().join("none").as_os_str())])).is_err()
        );
    }
}

//! Selects cluster, user and namespace from kubeconfig files and flags, by client-go's rules
//! (`tools/clientcmd/{loader,client_config,validation}.go`).
//!
//! kube's own loader is not used: it fails on a missing file of `$KUBECONFIG`, treats an unknown
//! user as anonymous, and falls back to the pod's service account on any error.

use std::path::{Path, PathBuf};

use kube::config::{AuthInfo, Cluster, Context, Kubeconfig, KubeconfigError};

use super::env::Env;
use super::flags::ConnectionFlags;
use crate::error::Error;
use crate::small_file::{self, NamedBy};
use engine::plain::{yaml_field, yaml_problem};

/// Maximum number of names in a hint.
const NAMES_IN_HINT: usize = 8;

/// The entries that kubeconfig and flags select, before flags override single values.
#[derive(Default)]
pub(crate) struct Choice {
    /// Name of the context; `None` inside a pod, or with `--server` alone.
    pub context: Option<String>,
    pub user_name: Option<String>,
    pub cluster: Cluster,
    pub user: AuthInfo,
    /// Namespace of the context.
    pub namespace: Option<String>,
}

/// The merged kubeconfig files.
pub(crate) enum Loaded {
    /// Non-empty files.
    Files(Box<Kubeconfig>),
    /// No file, or only empty files.
    Nothing,
}

/// Reads the kubeconfig files: `--kubeconfig`, else `$KUBECONFIG`, else `~/.kube/config`.
pub(crate) fn load(flags: &ConnectionFlags, env: &Env) -> Result<Loaded, Error> {
    let merged = match &flags.kubeconfig {
        Some(path) => read(path)?.ok_or_else(|| missing(path))?,
        None => merge(&candidates(env))?,
    };
    let empty =
        merged.clusters.is_empty() && merged.contexts.is_empty() && merged.auth_infos.is_empty();
    if empty && merged.current_context.is_none() && flags.kubeconfig.is_none() {
        return Ok(Loaded::Nothing);
    }
    Ok(Loaded::Files(Box::new(merged)))
}

/// The candidate files, whether they exist or not.
pub(crate) fn files(flags: &ConnectionFlags, env: &Env) -> Vec<PathBuf> {
    flags.kubeconfig.clone().map_or_else(|| candidates(env), |path| vec![path])
}

fn candidates(env: &Env) -> Vec<PathBuf> {
    match env.path("KUBECONFIG") {
        Some(list) => std::env::split_paths(list).filter(|p| !p.as_os_str().is_empty()).collect(),
        None => env.kube_folder("config").into_iter().collect(),
    }
}

/// Merges files: the first entry with a name takes precedence. Missing files are skipped.
fn merge(paths: &[PathBuf]) -> Result<Kubeconfig, Error> {
    let mut merged = Kubeconfig::default();
    for path in paths {
        if let Some(next) = read(path)? {
            merged = merged
                .merge(next)
                .map_err(|e| Error::input(path.display().to_string(), e.to_string()))?;
        }
    }
    Ok(merged)
}

/// One file with its relative paths resolved; `None` if it does not exist.
fn read(path: &Path) -> Result<Option<Kubeconfig>, Error> {
    // It may be an endless device, which is detected before it is parsed.
    let read = match small_file::read(path, NamedBy::User) {
        // A pipe can be read only once.
        Ok(bytes) if !path.is_file() => Kubeconfig::from_yaml(&String::from_utf8_lossy(&bytes)),
        Ok(_) => Kubeconfig::read_from(path),
        Err(e) => Err(KubeconfigError::ReadConfig(e, path.to_owned())),
    };
    match read {
        Ok(mut config) => {
            // client-go merges values, so an empty value does not hide that of a later file.
            config.current_context = config.current_context.filter(|c| !c.is_empty());
            config.kind = None;
            config.api_version = None;
            Ok(Some(config))
        }
        Err(KubeconfigError::ReadConfig(e, _)) if e.kind() == std::io::ErrorKind::NotFound => {
            Ok(None)
        }
        Err(KubeconfigError::ReadConfig(e, _)) => {
            Err(Error::input(path.display().to_string(), e.to_string()))
        }
        Err(KubeconfigError::Parse(e)) => {
            // The value may be a password.
            let text = small_file::read_text(path, NamedBy::User).unwrap_or_default();
            let field = yaml_field(&text, &e)
                .map_or_else(String::new, |field| format!(" (field `{field}`)"));
            let problem = format!("not a valid kubeconfig: {}{field}", yaml_problem(&e));
            Err(Error::input(path.display().to_string(), problem))
        }
        Err(e) => Err(Error::input(path.display().to_string(), e.to_string())),
    }
}

fn missing(path: &Path) -> Error {
    Error::Usage {
        problem: format!("{}: no such kubeconfig file", path.display()),
        hint: Some("--kubeconfig must name an existing file".to_owned()),
    }
}

/// Selects context, cluster and user.
pub(crate) fn choose(config: &Kubeconfig, flags: &ConnectionFlags) -> Result<Choice, Error> {
    let (name, context) = choose_context(config, flags)?;
    let cluster_name = flags.cluster.as_deref().or_else(|| non_empty(Some(&context.cluster)));
    let user_name = flags.user.as_deref().or_else(|| non_empty(context.user.as_ref()));
    let cluster = match cluster_name {
        Some(wanted) => {
            find_cluster(config, wanted, name.as_deref().filter(|_| flags.cluster.is_none()))?
        }
        None => Cluster::default(),
    };
    let user = match user_name {
        Some(wanted) => {
            find_user(config, wanted, name.as_deref().filter(|_| flags.user.is_none()))?
        }
        None => AuthInfo::default(),
    };
    Ok(Choice {
        user_name: user_name.map(str::to_owned),
        namespace: context.namespace.clone().filter(|n| !n.is_empty()),
        context: name,
        cluster,
        user,
    })
}

fn choose_context(
    config: &Kubeconfig,
    flags: &ConnectionFlags,
) -> Result<(Option<String>, Context), Error> {
    let Some(name) =
        flags.context.as_deref().or_else(|| non_empty(config.current_context.as_ref()))
    else {
        if flags.server.is_some() || flags.cluster.is_some() {
            return Ok((None, Context::default()));
        }
        return Err(Error::Usage {
            problem: "the kubeconfig has no current context".to_owned(),
            hint: Some(format!(
                "choose one with --context or kubectl config use-context; {}",
                list("contexts", config.contexts.iter().map(|c| c.name.as_str()))
            )),
        });
    };
    let found = config.contexts.iter().find(|c| c.name == name);
    let context = found.ok_or_else(|| {
        unknown("context", name, list("contexts", config.contexts.iter().map(|c| c.name.as_str())))
    })?;
    Ok((Some(name.to_owned()), context.context.clone().unwrap_or_default()))
}

fn find_cluster(
    config: &Kubeconfig,
    wanted: &str,
    of_context: Option<&str>,
) -> Result<Cluster, Error> {
    let found = config.clusters.iter().find(|c| c.name == wanted);
    let found = found.ok_or_else(|| {
        let names = list("clusters", config.clusters.iter().map(|c| c.name.as_str()));
        dangling("cluster", "cluster", wanted, of_context, names)
    })?;
    Ok(found.cluster.clone().unwrap_or_default())
}

fn find_user(
    config: &Kubeconfig,
    wanted: &str,
    of_context: Option<&str>,
) -> Result<AuthInfo, Error> {
    let found = config.auth_infos.iter().find(|u| u.name == wanted);
    let found = found.ok_or_else(|| {
        let names = list("users", config.auth_infos.iter().map(|u| u.name.as_str()));
        dangling("auth info", "user", wanted, of_context, names)
    })?;
    Ok(found.auth_info.clone().unwrap_or_default())
}

/// The error for a name, given by flag or context, without an entry in the file; in client-go's
/// words.
fn dangling(
    flag: &str,
    entry: &str,
    wanted: &str,
    of_context: Option<&str>,
    names: String,
) -> Error {
    match of_context {
        None => unknown(flag, wanted, names),
        Some(context) => Error::Usage {
            problem: format!("{entry} {wanted:?} was not found for context {context:?}"),
            hint: Some(names),
        },
    }
}

fn unknown(what: &str, name: &str, names: String) -> Error {
    Error::Usage { problem: format!("{what} {name:?} does not exist"), hint: Some(names) }
}

fn list<'n>(what: &str, names: impl Iterator<Item = &'n str>) -> String {
    let mut names: Vec<_> = names.collect();
    let more = names.len().saturating_sub(NAMES_IN_HINT);
    names.truncate(NAMES_IN_HINT);
    match (names.is_empty(), more) {
        (true, _) => format!("the kubeconfig has no {what}"),
        (false, 0) => format!("{what}: {}", names.join(", ")),
        (false, more) => format!("{what}: {} and {more} more", names.join(", ")),
    }
}

fn non_empty(text: Option<&String>) -> Option<&str> {
    text.map(String::as_str).filter(|t| !t.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_type_names_the_field_and_not_its_value() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config");
        std::fs::write(&file, "users:\n- name: jane\n  user:\n    token: [s3cret]\n").unwrap();
        let error = read(&file).unwrap_err().to_string();
        assert!(
            error.contains("expected text (field `token`)") && !error.contains("s3cret"),
            "{error}"
        );
    }
}

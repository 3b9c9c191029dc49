//! Builds kube's `Config` from flags, kubeconfig and environment. kube's own `Config::infer` and
//! its loader are not used because they differ from kubectl (see [`super::kubeconfig`],
//! [`super::proxy`], [`super::exec`]).

use std::fs;
use std::path::{Path, PathBuf};

use http::{HeaderValue, Uri, header};
use kube::Config;
use kube::config::{AuthInfo, Cluster};
use secrecy::{ExposeSecret as _, SecretString};

use super::awaited::Waits;
use super::env::Env;
use super::flags::{ConnectionFlags, Secret};
use super::kubeconfig::{self, Choice, Loaded};
use super::{certificates, exec, proxy, url};
use crate::error::Error;
use crate::small_file::{self, NamedBy};
use engine::login::may_hide_login;

const DEFAULT_NAMESPACE: &str = "default";

/// Everything that is needed to connect.
#[derive(Clone)]
pub(crate) struct Connection {
    /// kube's configuration, with exec plugin and token file already resolved to credentials.
    pub config: Config,
    /// Name of the context, if one was used.
    pub context: Option<String>,
    /// Name of the user, for hints.
    pub user: Option<String>,
    /// The current waits of this connection.
    pub waits: Waits,
}

/// Which cluster is meant, as far as kubeconfig and flags say it.
#[derive(Debug, Clone)]
pub(crate) struct Destination {
    /// Name of the context, if one was used.
    pub context: Option<String>,
    /// The server's URL.
    pub server: String,
    /// The namespace of the context.
    pub namespace: String,
}

/// The cluster that [`resolve`] connects to. Uses neither the network nor a credential plugin.
pub(crate) fn destination(flags: &ConnectionFlags, env: &Env) -> Result<Destination, Error> {
    let choice = chosen(flags, env)?;
    let server = server_url(&choice.cluster, &choice.user)?.to_string();
    Ok(Destination { namespace: namespace(&choice), context: choice.context, server })
}

/// The entries of the kubeconfig with what the flags change in them.
fn chosen(flags: &ConnectionFlags, env: &Env) -> Result<Choice, Error> {
    let mut choice = select(flags, env)?;
    override_cluster(&mut choice.cluster, flags)?;
    override_user(&mut choice.user, flags)?;
    check_impersonation(&choice, flags)?;
    refuse_hidden_login(choice.cluster.server.as_deref())?;
    log_in_by_url(&mut choice);
    Ok(choice)
}

/// Resolves the connection. Runs the user's credential plugin; does not contact the cluster.
pub(crate) fn resolve(flags: &ConnectionFlags, env: &Env) -> Result<Connection, Error> {
    let mut choice = chosen(flags, env)?;
    let server = server_url(&choice.cluster, &choice.user)?;
    exec::resolve(&mut choice.user, &choice.cluster, env)?;
    read_token_file(&mut choice.user)?;
    check_token(&choice)?;
    certificates::read_client(&mut choice.user)?;
    refuse_plain_http(&server, &choice.user)?;
    let mut config = Config::new(server);
    config.proxy_url =
        proxy::proxy_for(&config.cluster_url, choice.cluster.proxy_url.as_deref(), env)?;
    config.root_cert = certificates::root(&choice.cluster)?;
    config.accept_invalid_certs = choice.cluster.insecure_skip_tls_verify == Some(true);
    config.tls_server_name = choice.cluster.tls_server_name.take().filter(|n| !n.is_empty());
    config.disable_compression =
        flags.disable_compression.or(choice.cluster.disable_compression).unwrap_or_default();
    // `Reader` retries only after `Retry-After`; kube would retry for minutes.
    config.default_retry = false;
    config.default_namespace = namespace(&choice);
    config
        .headers
        .extend(HeaderValue::try_from(user_agent()).ok().map(|agent| (header::USER_AGENT, agent)));
    config.auth_info = choice.user;
    Ok(Connection {
        config,
        context: choice.context,
        user: choice.user_name,
        waits: env.waits.clone(),
    })
}

/// The existing kubeconfig files.
pub(crate) fn kubeconfig_files(flags: &ConnectionFlags, env: &Env) -> Vec<PathBuf> {
    kubeconfig::files(flags, env).into_iter().filter(|file| file.is_file()).collect()
}

/// Names in the kubeconfig, with a short description of each.
#[derive(Debug, Default)]
pub(crate) struct Names {
    pub contexts: Vec<(String, String)>,
    pub clusters: Vec<(String, String)>,
    pub users: Vec<(String, String)>,
    /// Namespaces of the contexts.
    pub namespaces: Vec<String>,
}

/// The names in the kubeconfig, for completion; empty if it cannot be read. Uses neither the
/// network nor a credential plugin.
pub(crate) fn names(flags: &ConnectionFlags, env: &Env) -> Names {
    let Ok(Loaded::Files(config)) = kubeconfig::load(flags, env) else { return Names::default() };
    let contexts = config.contexts.iter().map(|named| {
        let about =
            named.context.as_ref().map(|c| format!("cluster {}", c.cluster)).unwrap_or_default();
        (named.name.clone(), about)
    });
    let clusters = config.clusters.iter().map(|named| {
        let mut server = named.cluster.as_ref().and_then(|c| c.server.clone()).unwrap_or_default();
        // Completions are shown, so no password may be among them.
        let _ = url::take_user_info(&mut server);
        if may_hide_login(&server) {
            server.clear();
        }
        (named.name.clone(), server)
    });
    let namespaces =
        config.contexts.iter().filter_map(|named| named.context.as_ref()?.namespace.clone());
    let namespaces: std::collections::BTreeSet<String> =
        namespaces.filter(|n| !n.is_empty()).collect();
    Names {
        contexts: contexts.collect(),
        clusters: clusters.collect(),
        users: config.auth_infos.iter().map(|named| (named.name.clone(), String::new())).collect(),
        namespaces: namespaces.into_iter().collect(),
    }
}

/// The namespace of the context.
fn namespace(choice: &Choice) -> String {
    choice.namespace.clone().unwrap_or_else(|| DEFAULT_NAMESPACE.to_owned())
}

fn select(flags: &ConnectionFlags, env: &Env) -> Result<Choice, Error> {
    match kubeconfig::load(flags, env)? {
        Loaded::Files(config) => kubeconfig::choose(&config, flags),
        Loaded::Nothing => match in_cluster(env) {
            Some(choice)
                if flags.context.is_none() && flags.cluster.is_none() && flags.user.is_none() =>
            {
                Ok(choice)
            }
            _ if flags.server.is_some() => {
                kubeconfig::choose(&kube::config::Kubeconfig::default(), flags)
            }
            _ => Err(no_kubeconfig(&kubeconfig::files(flags, env))),
        },
    }
}

/// The error for kubeconfig files that are all missing or empty.
fn no_kubeconfig(files: &[PathBuf]) -> Error {
    let looked_for: Vec<String> = files
        .iter()
        .map(|file| {
            format!(
                "{} {}",
                file.display(),
                if file.exists() { "is empty" } else { "does not exist" }
            )
        })
        .collect();
    let found =
        if looked_for.is_empty() { String::new() } else { format!(" ({})", looked_for.join(", ")) };
    Error::Usage {
        problem: format!("no kubeconfig found{found}, and this is not a pod of a cluster"),
        hint: Some("set KUBECONFIG or --kubeconfig, or read a file with --from".to_owned()),
    }
}

/// The pod's service account, found as client-go does.
fn in_cluster(env: &Env) -> Option<Choice> {
    let (host, port) = (env.text("KUBERNETES_SERVICE_HOST")?, env.text("KUBERNETES_SERVICE_PORT")?);
    let token = env.service_account.join("token");
    fs::metadata(&token).ok().filter(fs::Metadata::is_file)?;
    let host = if host.contains(':') { format!("[{host}]") } else { host.to_owned() };
    let ca = env.service_account.join("ca.crt");
    let mounted = small_file::read_text(&env.service_account.join("namespace"), NamedBy::File).ok();
    let namespace = env.text("POD_NAMESPACE").map(str::to_owned).or(mounted);
    Some(Choice {
        cluster: Cluster {
            server: Some(format!("https://{host}:{port}")),
            certificate_authority: ca.exists().then(|| ca.display().to_string()),
            ..Cluster::default()
        },
        user: AuthInfo { token_file: Some(token.display().to_string()), ..AuthInfo::default() },
        namespace: namespace.map(|n| n.trim().to_owned()).filter(|n| !n.is_empty()),
        ..Choice::default()
    })
}

/// Upstream: `DirectClientConfig.getCluster`.
fn override_cluster(cluster: &mut Cluster, flags: &ConnectionFlags) -> Result<(), Error> {
    let insecure = flags.insecure_skip_tls_verify;
    if insecure == Some(true) || flags.certificate_authority.is_some() {
        cluster.certificate_authority_data = None;
        cluster.certificate_authority = flags.certificate_authority.as_deref().map(absolute);
        cluster.insecure_skip_tls_verify = insecure;
    } else if insecure.is_some() {
        cluster.insecure_skip_tls_verify = insecure;
    }
    // The name in the kubeconfig is that of its own server.
    if flags.server.is_some() || flags.tls_server_name.is_some() {
        cluster.tls_server_name.clone_from(&flags.tls_server_name);
    }
    if let Some(server) = &flags.server {
        cluster.server = Some(server.clone());
    }
    let has_ca =
        cluster.certificate_authority.is_some() || cluster.certificate_authority_data.is_some();
    if has_ca && cluster.insecure_skip_tls_verify == Some(true) {
        return Err(Error::Usage {
            problem: "specifying a root certificates file with the insecure flag is not allowed"
                .to_owned(),
            hint: Some(
                "choose either a certificate authority or --insecure-skip-tls-verify".to_owned(),
            ),
        });
    }
    Ok(())
}

/// A token, or a name and password, given by flag replaces every other kind of credentials except
/// client certificates.
fn override_user(user: &mut AuthInfo, flags: &ConnectionFlags) -> Result<(), Error> {
    let token = flags.token.as_ref().map(Secret::expose).filter(|t| !t.is_empty());
    if token.is_some() || flags.username.is_some() || flags.password.is_some() {
        (user.exec, user.auth_provider, user.token_file, user.token) = (None, None, None, None);
    }
    if token.is_some() {
        (user.username, user.password) = (None, None);
        user.token = token.map(Into::into);
    }
    if let Some(name) = &flags.username {
        user.username = Some(name.clone());
    }
    if let Some(password) = &flags.password {
        user.password = Some(password.expose().into());
    }
    if let Some(certificate) = &flags.client_certificate {
        (user.client_certificate, user.client_certificate_data) =
            (Some(absolute(certificate)), None);
    }
    if let Some(key) = &flags.client_key {
        (user.client_key, user.client_key_data) = (Some(absolute(key)), None);
    }
    impersonate(user, flags)
}

/// Rejects a server URL that may contain a password. The message does not quote the URL.
fn refuse_hidden_login(server: Option<&str>) -> Result<(), Error> {
    if !server.is_some_and(may_hide_login) {
        return Ok(());
    }
    Err(Error::Usage {
        problem: "the server's URL has an `@` behind a `/`, `?` or `#`: it is not clear what is a password".to_owned(),
        hint: Some(
            "in a name or password write %2F for `/`, %3F for `?` and %23 for `#`; in a path, %40 for `@`".to_owned(),
        ),
    })
}

/// Sends the name and password of the server URL instead of other credentials except client
/// certificates, as Go's `net/http` does, and removes them from every URL that is shown.
fn log_in_by_url(choice: &mut Choice) {
    let Some(info) = choice.cluster.server.as_mut().and_then(url::take_user_info) else { return };
    let user = &mut choice.user;
    (user.exec, user.auth_provider, user.token_file, user.token) = (None, None, None, None);
    user.username = Some(info.name);
    user.password = Some(info.password.into());
}

fn impersonate(user: &mut AuthInfo, flags: &ConnectionFlags) -> Result<(), Error> {
    if let Some(name) = &flags.as_user {
        user.impersonate = Some(name.clone());
    }
    if let Some(uid) = &flags.as_uid {
        user.impersonate_uid = Some(uid.clone());
    }
    if !flags.as_group.is_empty() {
        user.impersonate_groups = Some(flags.as_group.clone());
    }
    if !flags.as_user_extra.is_empty() {
        let extra = user.impersonate_user_extra.insert(Default::default());
        for (key, value) in &flags.as_user_extra {
            extra.entry(key.clone()).or_default().push(value.clone());
        }
    }
    // As kubectl: these only say more about the user of --as.
    let more = user.impersonate_uid.is_some()
        || user.impersonate_groups.as_ref().is_some_and(|g| !g.is_empty())
        || user.impersonate_user_extra.as_ref().is_some_and(|e| !e.is_empty());
    if more && user.impersonate.as_ref().is_none_or(String::is_empty) {
        return Err(Error::Usage {
            problem: "requesting uid, groups or user-extra without impersonating a user".to_owned(),
            hint: Some("name the user with --as".to_owned()),
        });
    }
    Ok(())
}

fn server_url(cluster: &Cluster, user: &AuthInfo) -> Result<Uri, Error> {
    let server =
        cluster.server.as_deref().map(str::trim).filter(|s| !s.is_empty()).ok_or_else(|| {
            Error::Usage {
                problem: "the kubeconfig names no API server".to_owned(),
                hint: Some("its cluster entry needs a server, or give --server".to_owned()),
            }
        })?;
    // As in client-go, an address without a scheme means TLS if anything about TLS is configured.
    let tls = cluster.certificate_authority.is_some()
        || cluster.certificate_authority_data.is_some()
        || cluster.insecure_skip_tls_verify == Some(true)
        || user.client_certificate.is_some()
        || user.client_certificate_data.is_some();
    let url = match (server.contains("://"), tls) {
        (true, _) => server.to_owned(),
        (false, true) => format!("https://{server}"),
        (false, false) => format!("http://{server}"),
    };
    let uri = url.parse::<Uri>().ok();
    uri.filter(|u| {
        matches!(u.scheme_str(), Some("http" | "https")) && u.host().is_some_and(|h| !h.is_empty())
    })
    .ok_or_else(|| Error::Usage {
        problem: format!("{server:?} is not the address of an API server"),
        hint: Some("write it as https://host:port".to_owned()),
    })
}

/// Reads the token once, because a run is short. kube would also send the trailing newline of the
/// file.
fn read_token_file(user: &mut AuthInfo) -> Result<(), Error> {
    let Some(path) = user.token_file.take().filter(|p| !p.is_empty()) else { return Ok(()) };
    if user.token.as_ref().is_some_and(|t| !t.expose_secret().is_empty()) {
        return Ok(());
    }
    let token = small_file::read_text(Path::new(&path), NamedBy::File)
        .map_err(|e| Error::input(&path, format!("cannot read the token: {e}")))?;
    user.token = Some(token.trim().into());
    Ok(())
}

/// Rejects a token with bytes that a header cannot carry. As in client-go, only a token from a file
/// is trimmed; kube panics on others.
fn check_token(choice: &Choice) -> Result<(), Error> {
    let token = choice.user.token.as_ref().map(SecretString::expose_secret).unwrap_or_default();
    if HeaderValue::try_from(token).is_ok() {
        return Ok(());
    }
    let user =
        choice.user_name.as_ref().map_or_else(String::new, |user| format!(" of user {user:?}"));
    Err(Error::Cluster {
        problem: format!(
            "the token{user} cannot be sent: it has a line break or another control character"
        ),
        hint: Some(
            "in a kubeconfig, write it behind `token:` on the same line, without `|`".to_owned(),
        ),
    })
}

/// Rejects impersonation values that a header cannot carry: kube's error would not say which value
/// it is.
fn check_impersonation(choice: &Choice, flags: &ConnectionFlags) -> Result<(), Error> {
    let user = &choice.user;
    let extra = user.impersonate_user_extra.iter().flatten();
    let fields = [
        ("--as", "as", flags.as_user.is_some(), user.impersonate.iter().collect::<Vec<_>>()),
        ("--as-uid", "as-uid", flags.as_uid.is_some(), user.impersonate_uid.iter().collect()),
        (
            "--as-group",
            "as-groups",
            !flags.as_group.is_empty(),
            user.impersonate_groups.iter().flatten().collect(),
        ),
        (
            "--as-user-extra",
            "as-user-extra",
            !flags.as_user_extra.is_empty(),
            extra.flat_map(|(_, v)| v).collect(),
        ),
    ];
    let wrong = fields
        .into_iter()
        .find(|(_, _, _, values)| values.iter().any(|v| HeaderValue::try_from(*v).is_err()));
    let Some((flag, field, by_flag, _)) = wrong else { return Ok(()) };
    let of_user =
        choice.user_name.as_ref().map_or_else(String::new, |user| format!(" of user {user:?}"));
    let origin =
        if by_flag { flag.to_owned() } else { format!("`{field}`{of_user} in the kubeconfig") };
    Err(Error::Usage {
        problem: format!(
            "{origin} cannot be sent: it has a line break or another control character"
        ),
        hint: Some("write the name on one line".to_owned()),
    })
}

/// Rejects credentials over an unencrypted connection.
fn refuse_plain_http(server: &Uri, user: &AuthInfo) -> Result<(), Error> {
    let host = server.host().unwrap_or_default().trim_matches(['[', ']']);
    let local =
        host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback());
    let secret = user.token.is_some() || user.password.is_some() || user.auth_provider.is_some();
    if server.scheme_str() != Some("http") || local || !secret {
        return Ok(());
    }
    Err(Error::Cluster {
        problem: format!("refusing to send credentials to http://{host} without TLS"),
        hint: Some("use the https address of the API server".to_owned()),
    })
}

fn absolute(path: impl AsRef<Path>) -> String {
    let path = path.as_ref();
    std::path::absolute(path).unwrap_or_else(|_| PathBuf::from(path)).display().to_string()
}

/// `kubectl-preempt/<version> (<os>/<arch>)`, in Go's names as kubectl has them.
fn user_agent() -> String {
    let os = match std::env::consts::OS {
        "macos" => "darwin",
        other => other,
    };
    let arch = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    };
    format!("kubectl-preempt/{} ({os}/{arch})", env!("CARGO_PKG_VERSION"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inside_a_pod_the_namespace_is_that_of_the_service_account() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("token"), "t").unwrap();
        fs::write(folder.path().join("namespace"), "shop\n").unwrap();
        let mut env =
            Env::of([("KUBERNETES_SERVICE_HOST", "10.0.0.1"), ("KUBERNETES_SERVICE_PORT", "443")]);
        env.service_account = folder.path().to_owned();
        let choice = select(&ConnectionFlags::default(), &env).unwrap();
        assert_eq!(choice.cluster.server.as_deref(), Some("https://10.0.0.1:443"));
        assert_eq!(namespace(&choice), "shop");
    }
    #[test]
    fn impersonation_that_cannot_be_sent_names_its_flag_or_field() {
        let user = AuthInfo { impersonate: Some("x\ny".to_owned()), ..AuthInfo::default() };
        let choice = Choice { user_name: Some("jane".to_owned()), user, ..Choice::default() };
        let error =
            check_impersonation(&choice, &ConnectionFlags::default()).unwrap_err().to_string();
        assert!(
            error.contains("`as` of user \"jane\" in the kubeconfig cannot be sent"),
            "{error}"
        );
        for flags in [
            ConnectionFlags { as_user: Some("x\ny".to_owned()), ..ConnectionFlags::default() },
            ConnectionFlags {
                as_group: vec!["a".to_owned(), "\u{1}".to_owned()],
                ..ConnectionFlags::default()
            },
            ConnectionFlags {
                as_user_extra: vec![("k".to_owned(), "\r".to_owned())],
                ..ConnectionFlags::default()
            },
        ] {
            let mut choice = Choice::default();
            choice.user.impersonate = Some("jane".to_owned());
            impersonate(&mut choice.user, &flags).unwrap();
            let error = check_impersonation(&choice, &flags).unwrap_err().to_string();
            assert!(error.contains("--as"), "{error}");
        }
        let mut choice = Choice::default();
        choice.user.impersonate = Some("jürgen".to_owned());
        assert!(check_impersonation(&choice, &ConnectionFlags::default()).is_ok());
    }

    #[test]
    fn a_password_with_a_bare_slash_is_refused_and_not_shown() {
        for server in [
            "http://us/r:s3cr3tpw@127.0.0.1",
            "http://user:s3cr3tpw/x@127.0.0.1",
            "user:s3cr3tpw/x@127.0.0.1",
        ] {
            let flags =
                ConnectionFlags { server: Some(server.to_owned()), ..ConnectionFlags::default() };
            let error = resolve(&flags, &Env::of([("HOME", "/nonexistent")])).err().unwrap();
            let text = format!("{error} {error:?}");
            assert!(
                text.contains("not clear what is a password") && !text.contains("s3cr3tpw"),
                "{text}"
            );
        }
    }
}

//! `extenders`: webhooks that the scheduler calls.
//!
//! Upstream: `kube-scheduler/config/*/types.go` `Extender`,
//! `pkg/scheduler/apis/config/validation/validation.go`, `pkg/scheduler/scheduler.go`
//! `buildExtenders` (1.37).

use std::time::Duration;

use serde_json::Value;

use super::api::Api;
use super::error::{ConfigError, ConfigStage, Problems};
use super::settings::ProfileSettings;
use super::wire;
use model::labels::is_label_key;
use model::login::{Login, may_hide_login, without_logins};

/// The timeout used where the scheduler waits for ever.
const FOR_EVER: Duration = Duration::from_secs(24 * 60 * 60);
/// The scheduler's default timeout.
const TIMEOUT: Duration = Duration::from_secs(5);
/// The prefix of the quota name of a resource.
const QUOTA: &str = "requests.";

/// A webhook that the scheduler calls.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extender {
    /// `urlPrefix` without a login: its address, which is also its name.
    pub url: String,
    /// The login of `urlPrefix`.
    pub login: Login,
    /// Path suffix for filtering nodes; empty: not called.
    pub filter_verb: String,
    /// Path suffix for scoring nodes.
    pub prioritize_verb: String,
    /// Path suffix for proposing victims.
    pub preempt_verb: String,
    /// Path suffix for binding the pod.
    pub bind_verb: String,
    /// The factor for its scores.
    pub weight: i64,
    /// Whether the scheduler continues without it if it fails.
    pub ignorable: bool,
    /// Whether it caches nodes and pods, so that only their names are sent.
    pub node_cache_capable: bool,
    /// Resources that make it interested in a pod; if empty, it is interested in every pod.
    pub managed_resources: Vec<String>,
    /// How long an answer may take.
    pub timeout: Duration,
    /// Its TLS settings.
    pub tls: ExtenderTls,
}

/// `enableHTTPS` and `tlsConfig`; files are paths on the scheduler's machine, data is base64.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExtenderTls {
    /// `enableHTTPS`: without a CA, certificates are not checked.
    pub https: bool,
    /// Whether certificates are not checked.
    pub insecure: bool,
    /// The name that its certificate must have.
    pub server_name: String,
    /// Client certificate, a file.
    pub cert_file: String,
    pub key_file: String,
    /// Certificate authority, a file.
    pub ca_file: String,
    /// Client certificate.
    pub cert_data: String,
    pub key_data: String,
    /// Certificate authority.
    pub ca_data: String,
}

impl Extender {
    /// The verbs that it handles, by their names in the configuration.
    pub fn verbs(&self) -> Vec<&'static str> {
        let verbs = [
            ("filter", &self.filter_verb),
            ("prioritize", &self.prioritize_verb),
            ("preempt", &self.preempt_verb),
            ("bind", &self.bind_verb),
        ];
        verbs.into_iter().filter(|(_, verb)| !verb.is_empty()).map(|(name, _)| name).collect()
    }
}

/// Reads and checks all of them, in the order of the file; problems are added to `problems`.
pub(super) fn read(raw: &[wire::Extender], api: Api, problems: &mut Problems) -> Vec<Extender> {
    problems.keep(check(raw));
    let mut read = Vec::with_capacity(raw.len());
    for (index, raw) in raw.iter().enumerate() {
        let path = format!("extenders[{index}]");
        read.extend(problems.keep(convert(raw, &path, api)));
        problems.keep(check_tls(raw, &format!("{path}.tlsConfig")));
    }
    read
}

fn check(raw: &[wire::Extender]) -> Result<(), ConfigError> {
    let mut managed: Vec<&str> = Vec::new();
    for (index, extender) in raw.iter().enumerate() {
        let path = format!("extenders[{index}]");
        if !extender.prioritize_verb.is_empty() && extender.weight <= 0 {
            let problem = "must have a positive weight applied to it";
            return Err(ConfigError::invalid(format!("{path}.weight"), extender.weight, problem));
        }
        for (index, resource) in extender.managed_resources.iter().enumerate() {
            let path = format!("{path}.managedResources[{index}].name");
            check_resource(&resource.name, &path)?;
            if managed.contains(&resource.name.as_str()) {
                return Err(ConfigError::invalid(
                    path,
                    &resource.name,
                    "duplicate extender managed resource name",
                ));
            }
            managed.push(&resource.name);
        }
    }
    let binders = raw.iter().filter(|e| !e.bind_verb.is_empty()).count();
    if binders > 1 {
        let count = format!("found {binders} extenders implementing bind");
        return Err(ConfigError::invalid(
            "extenders",
            count,
            "only one extender can implement bind",
        ));
    }
    Ok(())
}

/// Checks what can be known about its TLS settings without the files of the scheduler's machine:
/// invalid base64 cannot be decoded, and the rest is rejected when its client is created.
///
/// Upstream: `client-go/transport/transport.go` `TLSConfigFor` (1.37).
fn check_tls(raw: &wire::Extender, path: &str) -> Result<(), ConfigError> {
    let tls = &raw.tls_config;
    let cert = decoded(&tls.cert_data.0, path, "certData")?;
    let key = decoded(&tls.key_data.0, path, "keyData")?;
    let authority = decoded(&tls.ca_data.0, path, "caData")?;

    // In the order of the client, which reports only the first problem.
    let has_authority = !authority.is_empty() || !tls.ca_file.is_empty();
    if has_authority && tls.insecure {
        let problem = "specifying a root certificates file with the insecure flag is not allowed";
        return Err(refused_by_client(path, "insecure", problem));
    }
    if !authority.is_empty() && !has_pem(&authority, "CERTIFICATE") {
        return Err(refused_by_client(path, "caData", "unable to load root certificates"));
    }

    // A certificate counts only together with its key; data counts before the file.
    let has_cert = !cert.is_empty() || !tls.cert_file.is_empty();
    let has_key_pair = has_cert && (!key.is_empty() || !tls.key_file.is_empty());
    if has_key_pair && !cert.is_empty() && !has_pem(&cert, "CERTIFICATE") {
        let problem = "tls: failed to find any PEM data in certificate input";
        return Err(refused_by_client(path, "certData", problem));
    }
    if has_key_pair && !key.is_empty() && !has_pem(&key, "PRIVATE KEY") {
        let problem = "tls: failed to find any PEM data in key input";
        return Err(refused_by_client(path, "keyData", problem));
    }
    Ok(())
}

/// The bytes of a field in base64.
fn decoded(text: &str, path: &str, field: &str) -> Result<Vec<u8>, ConfigError> {
    go::decode_base64(text).ok_or_else(|| {
        let problem = "strict decoding error: illegal base64 data";
        ConfigError::new(format!("{path}.{field}"), problem).at(ConfigStage::Values)
    })
}

/// A problem that kube-scheduler finds when it creates the client of an extender.
fn refused_by_client(path: &str, field: &str, problem: &str) -> ConfigError {
    ConfigError::new(format!("{path}.{field}"), problem).at(ConfigStage::Extenders)
}

/// Whether `data` contains the start of a PEM block with a type that ends like this.
fn has_pem(data: &[u8], kind: &str) -> bool {
    let text = String::from_utf8_lossy(data);
    text.lines().any(|line| {
        let label =
            line.trim_end().strip_prefix("-----BEGIN ").and_then(|rest| rest.strip_suffix("-----"));
        label.is_some_and(|label| label.ends_with(kind))
    })
}

fn convert(raw: &wire::Extender, path: &str, api: Api) -> Result<Extender, ConfigError> {
    let tls = raw.tls_config.clone();
    // The part before the last `@` may be a password, and is not shown.
    if let Some((before, host)) = raw.url_prefix.rsplit_once('@') {
        let refused =
            |problem| Err(ConfigError::invalid(format!("{path}.urlPrefix"), host, problem));
        if may_hide_login(&raw.url_prefix) {
            return refused(
                "has an `@` behind a `/`, `?` or `#`: write %2F, %3F and %23 in a password, %40 in a path",
            );
        }
        if !before.contains("://") {
            return refused("has a login without http:// or https:// before it");
        }
    }
    Ok(Extender {
        url: without_logins(&raw.url_prefix),
        login: Login::of(&raw.url_prefix),
        filter_verb: raw.filter_verb.clone(),
        prioritize_verb: raw.prioritize_verb.clone(),
        preempt_verb: raw.preempt_verb.clone(),
        bind_verb: raw.bind_verb.clone(),
        weight: raw.weight,
        ignorable: raw.ignorable,
        node_cache_capable: raw.node_cache_capable,
        managed_resources: raw.managed_resources.iter().map(|r| r.name.clone()).collect(),
        timeout: read_timeout(&raw.http_timeout, &format!("{path}.httpTimeout"), api)?,
        tls: ExtenderTls {
            https: raw.enable_https,
            insecure: tls.insecure,
            server_name: tls.server_name,
            cert_file: tls.cert_file,
            key_file: tls.key_file,
            ca_file: tls.ca_file,
            cert_data: tls.cert_data.0,
            key_data: tls.key_data.0,
            ca_data: tls.ca_data.0,
        },
    })
}

/// A text such as `5s`; nanoseconds in a Policy and before v1beta1.
fn read_timeout(raw: &Value, path: &str, api: Api) -> Result<Duration, ConfigError> {
    let nanos = match raw {
        Value::Null => 0,
        Value::Number(nanoseconds) if api < Api::V1Beta1 || api == Api::Policy => {
            nanoseconds.as_i64().unwrap_or_default()
        }
        Value::String(text) => wire::nanos(text, path)?,
        other => {
            let error = ConfigError::invalid(path, other, "must be a duration such as 5s");
            return Err(error.at(ConfigStage::Values));
        }
    };
    Ok(match u64::try_from(nanos) {
        Ok(0) => TIMEOUT,
        Ok(nanos) => Duration::from_nanos(nanos),
        // Parity: a negative timeout means none.
        Err(_) => FOR_EVER,
    })
}

/// Checks that a resource is extended: qualified, outside Kubernetes' domains, and with a valid
/// quota name. Upstream: `IsExtendedResourceName`.
fn check_resource(name: &str, path: &str) -> Result<(), ConfigError> {
    if !is_label_key(name) {
        return Err(ConfigError::invalid(
            path,
            name,
            "must be a qualified name such as example.com/resource",
        ));
    }
    let native = !name.contains('/') || name.contains("kubernetes.io/");
    if native || name.starts_with(QUOTA) || !is_label_key(&format!("{QUOTA}{name}")) {
        return Err(ConfigError::invalid(path, name, "is an invalid extended resource name"));
    }
    Ok(())
}

/// Names of the resources that the scheduler leaves to extenders.
pub(super) fn ignored_resources(extenders: &[wire::Extender]) -> Vec<String> {
    let managed =
        extenders.iter().flat_map(|e| &e.managed_resources).filter(|r| r.ignored_by_scheduler);
    managed.map(|r| r.name.clone()).collect()
}

/// NodeResourcesFit ignores resources that extenders manage.
pub(super) fn ignore_managed_resources(
    extenders: &[wire::Extender],
    profiles: &mut [ProfileSettings],
) {
    let ignored = ignored_resources(extenders);
    if !ignored.is_empty() {
        profiles.iter_mut().for_each(|p| p.args.ignored_resources.clone_from(&ignored));
    }
}

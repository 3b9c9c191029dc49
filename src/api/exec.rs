//! Credential plugins (`users[].exec`). A plugin runs once, before the first client is built, and
//! again only when its credentials have expired. kube would run it three times per client.
//! Upstream: `client-go/plugin/pkg/client/auth/exec/exec.go`. A user's kuberc may forbid plugins
//! (`credentialPluginPolicy`).

use std::io::{self, BufRead as _, BufReader, IsTerminal as _, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use jiff::Timestamp;
use kube::config::{AuthInfo, Cluster, ExecAuthCluster, ExecConfig, ExecInteractiveMode};
use serde::{Deserialize, Serialize};

use super::awaited::{self, Awaited};
use super::env::{Attendance, Env};
use super::kuberc;
use crate::error::Error;

const VERSIONS: [&str; 2] =
    ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"];

/// Time limit of a plugin. Some wait for a login in a browser, which times out after a quarter of
/// an hour.
const PATIENCE: Duration = Duration::from_secs(15 * 60);
/// Time limit of a plugin that runs without a visible terminal, as for completions.
const PATIENCE_UNSEEN: Duration = Duration::from_secs(60);
/// Output limit in bytes: certificates and tokens have a few thousand.
const MAX_OUTPUT: u64 = 1 << 20;
/// Maximum number of characters of a logged line.
const MAX_LINE: usize = 400;
/// Interval of polling whether a plugin that closed its output has exited.
const TICK: Duration = Duration::from_millis(5);

/// The request to the plugin, in `KUBERNETES_EXEC_INFO`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ExecRequest<'a> {
    kind: &'static str,
    api_version: &'a str,
    spec: ExecSpec,
}

#[derive(Serialize)]
struct ExecSpec {
    interactive: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    cluster: Option<ExecAuthCluster>,
}

/// The `ExecCredential` that the plugin writes to stdout.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ExecCredential {
    api_version: String,
    status: Option<Status>,
}

#[derive(Default, Clone, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Status {
    expiration_timestamp: Option<Timestamp>,
    token: Option<String>,
    client_certificate_data: Option<String>,
    client_key_data: Option<String>,
}

/// The credentials received in this process, each with the plugin and server that they belong to.
static CACHE: Mutex<Vec<(String, Status)>> = Mutex::new(Vec::new());

impl Status {
    fn is_valid(&self) -> bool {
        self.expiration_timestamp.is_none_or(|until| until > Timestamp::now())
    }
}

/// The plugin's credentials, from the cache while they are valid.
fn credentials(
    exec: &ExecConfig,
    command: &str,
    cluster: &Cluster,
    env: &Env,
) -> Result<Status, Error> {
    let key = serde_json::to_string(&(exec, &cluster.server))
        .map_err(|e| failed(command, &e.to_string()))?;
    let mut cache = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
    cache.retain(|(_, status)| status.is_valid());
    if let Some((_, status)) = cache.iter().find(|(known, _)| *known == key) {
        return Ok(status.clone());
    }
    let status = run(exec, command, cluster, env)?;
    cache.push((key, status.clone()));
    Ok(status)
}

/// Runs the user's plugin, unless the user has a token or a password, and stores its credentials in
/// the user.
pub(crate) fn resolve(user: &mut AuthInfo, cluster: &Cluster, env: &Env) -> Result<(), Error> {
    let Some(exec) = user.exec.take() else { return Ok(()) };
    // As in client-go, these come before a plugin, which is not even run.
    let has_credentials = user.token.is_some() || user.username.is_some();
    if has_credentials {
        return Ok(());
    }
    let command = exec.command.as_deref().unwrap_or_default();
    kuberc::check(command, env)?;
    let status = credentials(&exec, command, cluster, env)?;
    let token = status.token.filter(|t| !t.is_empty());
    let pair = (status.client_certificate_data, status.client_key_data);
    if token.is_none() && pair == (None, None) {
        return Err(failed(command, "didn't return a token or cert/key pair"));
    }
    match pair {
        (Some(certificate), Some(key)) => {
            user.client_certificate_data = Some(BASE64.encode(certificate));
            user.client_key_data = Some(BASE64.encode(key).into());
        }
        (None, None) => {}
        (Some(_), None) | (None, Some(_)) => {
            return Err(failed(command, "returned only certificate or key, not both"));
        }
    }
    user.token = token.map(Into::into);
    user.token_file = None;
    Ok(())
}

fn run(exec: &ExecConfig, command: &str, cluster: &Cluster, env: &Env) -> Result<Status, Error> {
    let version = exec.api_version.as_deref().unwrap_or_default();
    if !VERSIONS.contains(&version) {
        let hint = format!("set it to {} in the kubeconfig", VERSIONS.join(" or "));
        return Err(problem(command, &format!("has the unknown apiVersion {version:?}"), hint));
    }
    // The plugin may open a browser and wait for a login there.
    let mut prepared = prepare(exec, command, version, cluster, env)?;
    let _waiting = env.waits.begin(Awaited::Login(command.to_owned()), awaited::ANSWER);
    let mut child =
        prepared.stdout(Stdio::piped()).spawn().map_err(|e| not_started(exec, command, &e))?;
    if let Some(stderr) = child.stderr.take() {
        log_lines(command.to_owned(), stderr);
    }
    let own = if env.attendance() == Attendance::Unattended { PATIENCE_UNSEEN } else { PATIENCE };
    let left = env.deadline().map(|end| end.saturating_duration_since(Instant::now()));
    let patience = left.map_or(own, |left| left.min(own));
    let (status, printed) = output_of(child, patience).map_err(|what| failed(command, &what))?;
    if !status.success() {
        return Err(failed(command, &format!("failed: {status}")));
    }
    // Nothing that it printed is quoted: it may be a password.
    let answer: ExecCredential = serde_json::from_slice(&printed)
        .map_err(|e| failed(command, &format!("did not print an ExecCredential: {}", place(&e))))?;
    if answer.api_version != version {
        let what = format!(
            "is configured to use API version {version}, but returned version {}",
            answer.api_version
        );
        return Err(failed(command, &what));
    }
    answer.status.ok_or_else(|| failed(command, "didn't return a status field"))
}

/// Logs the stderr of a plugin while a screen covers the terminal, up to [`MAX_OUTPUT`].
fn log_lines(command: String, stderr: impl Read + Send + 'static) {
    thread::spawn(move || {
        let mut stderr = stderr.take(MAX_OUTPUT);
        for line in BufReader::new(&mut stderr).split(b'\n').map_while(Result::ok) {
            let line: String = String::from_utf8_lossy(&line).chars().take(MAX_LINE).collect();
            log::warn!("{command}: {line}");
        }
        // A plugin blocks if its output is not drained.
        let _ = io::copy(&mut stderr.into_inner(), &mut io::sink());
    });
}

/// The stdout of a plugin. A plugin that exceeds `patience` or [`MAX_OUTPUT`] is killed.
fn output_of(mut child: Child, patience: Duration) -> Result<(ExitStatus, Vec<u8>), String> {
    let until = Instant::now() + patience;
    let (sender, printed) = mpsc::channel();
    let stdout = child.stdout.take();
    // The thread is not joined: a child process of the plugin may hold its output open.
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read =
            stdout.map_or(Ok(0), |stdout| stdout.take(MAX_OUTPUT + 1).read_to_end(&mut bytes));
        // The receiver is gone once the time is up.
        let _ = sender.send(read.map(|_| bytes));
    });
    let ended = match printed.recv_timeout(patience) {
        Err(_) => Err(format!("did not end within {patience:?}")),
        Ok(Err(e)) => Err(format!("failed: {e}")),
        Ok(Ok(bytes)) if bytes.len() as u64 > MAX_OUTPUT => {
            Err(format!("printed more than {} MiB", MAX_OUTPUT >> 20))
        }
        Ok(Ok(bytes)) => loop {
            match child.try_wait() {
                Ok(Some(status)) => break Ok((status, bytes)),
                Ok(None) if Instant::now() < until => thread::sleep(TICK),
                Ok(None) => break Err(format!("did not end within {patience:?}")),
                Err(e) => break Err(format!("failed: {e}")),
            }
        },
    };
    if ended.is_err() {
        // It may have ended meanwhile.
        let _ = child.kill();
        let _ = child.wait();
    }
    ended
}

fn prepare(
    exec: &ExecConfig,
    command: &str,
    version: &str,
    cluster: &Cluster,
    env: &Env,
) -> Result<Command, Error> {
    let interactive = is_interactive(exec, command, env)?;
    let cluster = exec.provide_cluster_info.then(|| ExecAuthCluster::try_from(cluster)).transpose();
    let cluster =
        cluster.map_err(|e| failed(command, &format!("cannot be given the cluster: {e}")))?;
    let request = ExecRequest {
        kind: "ExecCredential",
        api_version: version,
        spec: ExecSpec { interactive, cluster },
    };
    let info = serde_json::to_string(&request).map_err(|e| failed(command, &e.to_string()))?;

    // A plugin that cannot prompt gets no terminal, or it would wait for an answer for ever.
    let mut prepared = Command::new(command);
    prepared
        .args(exec.args.iter().flatten())
        .env("KUBERNETES_EXEC_INFO", info)
        .stdin(if interactive { Stdio::inherit() } else { Stdio::null() })
        .stderr(match env.attendance() {
            Attendance::Unattended => Stdio::null(),
            Attendance::Covered if io::stderr().is_terminal() => Stdio::piped(),
            Attendance::Covered | Attendance::FirstLogin | Attendance::Terminal => Stdio::inherit(),
        });
    for variable in exec.env.iter().flatten() {
        if let (Some(name), Some(value)) = (variable.get("name"), variable.get("value")) {
            prepared.env(name, value);
        }
    }
    Ok(prepared)
}

fn is_interactive(exec: &ExecConfig, command: &str, env: &Env) -> Result<bool, Error> {
    let asks = matches!(env.attendance(), Attendance::Terminal | Attendance::FirstLogin);
    let terminal = io::stdin().is_terminal() && asks;
    match exec.interactive_mode {
        Some(ExecInteractiveMode::Never) => Ok(false),
        Some(ExecInteractiveMode::Always) if env.attendance() == Attendance::Covered => {
            let what = "needs a terminal to ask on, and the screen covers it";
            Err(problem(command, what, "leave the screen, and start again".to_owned()))
        }
        Some(ExecInteractiveMode::Always) if !terminal => {
            Err(failed(command, "needs a terminal to ask on, and standard input is none"))
        }
        Some(ExecInteractiveMode::Always | ExecInteractiveMode::IfAvailable) | None => Ok(terminal),
    }
}

fn not_started(exec: &ExecConfig, command: &str, e: &io::Error) -> Error {
    if e.kind() != io::ErrorKind::NotFound {
        return failed(command, &format!("cannot be started: {e}"));
    }
    let advice = exec.install_hint.as_deref().map(str::trim).filter(|h| !h.is_empty());
    let hint = advice.unwrap_or("install it, or add its folder to PATH").to_owned();
    Error::Cluster {
        problem: format!("getting credentials: exec: executable {command} not found"),
        hint: Some(hint),
    }
}

fn failed(command: &str, what: &str) -> Error {
    problem(
        command,
        what,
        format!("run {command} by hand, as the user entry of the kubeconfig does"),
    )
}

fn problem(command: &str, what: &str, hint: String) -> Error {
    Error::Cluster {
        problem: format!("getting credentials: exec: plugin {command} {what}"),
        hint: Some(hint),
    }
}

/// Where the decoder stopped. Its own message is not used, because it may quote a token.
fn place(e: &serde_json::Error) -> String {
    format!("not valid JSON at line {}, column {}", e.line(), e.column())
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    fn output(script: &str, patience: Duration) -> Result<(ExitStatus, Vec<u8>), String> {
        let child = Command::new("sh").args(["-c", script]).stdout(Stdio::piped()).spawn().unwrap();
        output_of(child, patience)
    }

    #[test]
    fn a_plugin_has_a_limit_of_time_and_of_output() {
        let (status, printed) = output("echo yes; exit 3", PATIENCE).unwrap();
        assert_eq!((status.code(), printed.as_slice()), (Some(3), b"yes\n".as_slice()));
        let short = Duration::from_millis(50);
        for never_ends in ["exec sleep 600", "exec >&-; exec sleep 600", "sleep 5 & exec sleep 600"]
        {
            assert_eq!(
                output(never_ends, short).unwrap_err(),
                "did not end within 50ms",
                "{never_ends}"
            );
        }
        assert_eq!(output("exec yes", PATIENCE).unwrap_err(), "printed more than 1 MiB");
    }
}

//! `kubectl preempt doctor`: whether the cluster can be reached, and which commands have the
//! permissions that they need.

use std::path::Path;
use std::time::Duration;

use super::flags::GlobalFlags;
use super::printing::{self, Format, NoFormat};
use super::{output, pager};
use crate::api::Env;
use crate::api::client::Reader;
use crate::api::config::{self, Connection};
use crate::api::failure::{self, Peer};
use crate::api::flags::ConnectionFlags;
use crate::api::inquiry;
use crate::api::runtime;
use crate::error::Error;
use crate::exit::Exit;
use crate::program::program;
use answers::doctor::requirement;
use answers::doctor::{
    ClusterReport, ConnectionInfo, DoctorReport, SchedulerRules, Unreachable, role,
};
use engine::profile::SchedulerVersion;
use render::safe::Printable;

/// Time limit of all questions together, unless `--request-timeout` waits for ever: a server that
/// fell silent would have the time of one answer for each.
const DEADLINE: Duration = Duration::from_secs(120);

const EXAMPLES: &str = "\
Examples:
  # Can the cluster be reached, and which commands have the permissions that they need?
  kubectl preempt doctor

  # Create the roles that the commands need
  kubectl preempt doctor --rbac | kubectl apply -f -";

/// Check the connection and the permissions that the commands need
///
/// Asks the API server who you are and, by SelfSubjectAccessReview, whether you may do what the
/// commands do. With -n, it asks about evictions in that namespace only. It reads no objects of the
/// cluster and writes nothing. If permissions are missing, it prints the role that grants them.
///
/// Exits with 0 if everything can be read, with 3 if only a part can be read or the server does not
/// say, with 1 if nodes or pods may not be listed, and with 2 if the cluster cannot be reached.
#[derive(Debug, Default, Clone, clap::Args)]
#[command(before_help = EXAMPLES, next_help_heading = "Output")]
pub struct DoctorArgs {
    /// text, wide, json, yaml, jsonpath=TEMPLATE or custom-columns=HEADER:PATH,...
    #[arg(short = 'o', long, value_name = "FORMAT", value_parser = printing::formats_without_page(), default_value = "text",
          hide_possible_values = true, hide_default_value = true)]
    pub output: Format<NoFormat>,

    /// Only print the roles that the commands need, for kubectl apply -f -
    #[arg(long)]
    pub rbac: bool,
}

/// Examines the server and prints the report.
///
/// # Errors
/// When flags or kubeconfig give no cluster, or the server warned and warnings are errors. An
/// unreachable cluster is part of the report.
pub fn run(
    args: &DoctorArgs,
    global: &GlobalFlags,
    flags: &ConnectionFlags,
) -> anyhow::Result<Exit> {
    if args.rbac {
        output::print(&Printable::new(role::manifest(program().typed())))?;
        return Ok(Exit::Answered);
    }
    let report = examine(&Env::process(), flags, global.namespace.as_deref())?;
    let paper = output::paper(global);
    let data = args.output.data(|| to_json::doctor(&report), true, paper)?;
    let text = data
        .unwrap_or_else(|| render::doctor::page(&report, args.output == Format::Wide).print(paper));
    pager::print(&text, global)?;

    // The report comes first: a warning that fails the command must not hide it.
    let warnings =
        report.cluster.as_ref().map(|cluster| cluster.warnings.as_slice()).unwrap_or_default();
    for warning in warnings {
        output::warn(global, warning);
    }
    match warnings {
        [first, ..] if flags.warnings_as_errors == Some(true) => {
            Err(failure::warned(first, warnings.len()).into())
        }
        _ => Ok(report.reads().map_or(Exit::Failed, Exit::from)),
    }
}

fn examine(
    env: &Env,
    flags: &ConnectionFlags,
    namespace: Option<&str>,
) -> Result<DoctorReport, Error> {
    let connection = config::resolve(flags, env)?;
    let files = config::kubeconfig_files(flags, env);
    let connection_info = ConnectionInfo {
        kubeconfig: files.iter().map(|file| file.display().to_string()).collect(),
        context: connection.context.clone(),
        server: connection.config.cluster_url.to_string(),
        proxy: Peer::of(&connection).proxy,
        user: connection.user.clone(),
        acting_as: connection.config.auth_info.impersonate.clone().filter(|name| !name.is_empty()),
        namespace: namespace.map(str::to_owned),
    };

    // What is unsafe although it works is found without the cluster.
    let mut cautions = Vec::new();
    if connection.config.accept_invalid_certs {
        cautions
            .push("the server's certificate is not checked (insecure-skip-tls-verify): give its authority".to_owned());
    }
    cautions.extend(files.iter().filter(|file| others_may_read(file)).map(|file| {
        let name = file.display();
        format!("{name} may be read by other users of this machine: chmod 600 {name}")
    }));
    let cluster = ask(connection, flags.request_timeout, namespace)
        .map_err(|e| Unreachable { problem: e.to_string(), hint: e.hint().map(str::to_owned) });
    Ok(DoctorReport {
        version: env!("CARGO_PKG_VERSION"),
        program: program().typed(),
        connection: connection_info,
        cluster,
        cautions,
    })
}

/// Whether other users may read a kubeconfig, which may contain credentials.
#[cfg(unix)]
fn others_may_read(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(file).is_ok_and(|metadata| metadata.permissions().mode() & 0o044 != 0)
}

#[cfg(not(unix))]
fn others_may_read(_: &Path) -> bool {
    false
}

fn ask(
    connection: Connection,
    timeout: Option<Duration>,
    namespace: Option<&str>,
) -> Result<ClusterReport, Error> {
    let runtime = runtime::start("start asking the cluster")?;
    let server = Peer::of(&connection).server;
    let asked = async {
        let reader = Reader::new(connection, timeout)?;
        let version = inquiry::version(&reader).await?;
        let (health, took) = inquiry::health(&reader).await;
        let identity = inquiry::who_am_i(&reader).await;
        let answers = inquiry::answers(&reader, &requirement::questions(namespace)).await;
        let rules = rules(version.as_deref());
        let millis = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        Ok(ClusterReport {
            version,
            rules,
            health,
            millis,
            identity,
            answers,
            warnings: reader.warnings(),
        })
    };
    let cluster = runtime.block_on(async {
        if timeout == Some(Duration::ZERO) {
            return asked.await;
        }
        tokio::time::timeout(DEADLINE, asked).await.unwrap_or_else(|_| {
            Err(Error::Cluster {
                problem: format!("the server {server} did not answer everything within {DEADLINE:?}"),
                hint: Some(
                    "kubectl get --raw '/readyz?verbose' shows how it is; --request-timeout=0 waits for ever"
                        .to_owned(),
                ),
            })
        })
    });
    // Does not wait for a DNS lookup in flight.
    runtime.shutdown_background();
    cluster
}

/// The scheduler version whose rules apply to a server of this version.
fn rules(server: Option<&str>) -> SchedulerRules {
    let Some(asked) = server.and_then(SchedulerVersion::parse) else {
        let minor = SchedulerVersion::NEWEST.minor_text();
        let remark =
            "the server's version is not known; --scheduler-version names another".to_owned();
        return SchedulerRules { minor, exact: false, remark };
    };
    let used = asked.nearest_supported();
    let remark = if used == asked {
        String::new()
    } else {
        format!("known are {}", SchedulerVersion::known_text())
    };
    SchedulerRules { minor: used.minor_text(), exact: remark.is_empty(), remark }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_of_a_version_outside_the_range_are_said_to_be_others() {
        for (server, minor, exact) in [
            (Some("v1.37.1"), "1.37", true),
            (Some("v1.30.4-gke.1"), "1.30", true),
            (Some("v1.38.0-beta.0"), "1.38", true),
            (Some("v1.40.0"), "1.38", false),
            (Some("v1.9.0"), "1.12", false),
            (Some("custom"), "1.37", false),
            (None, "1.37", false),
        ] {
            let rules = rules(server);
            assert_eq!((rules.minor.as_str(), rules.exact), (minor, exact), "{server:?}");
            assert_eq!(rules.remark.is_empty(), exact, "{server:?}");
        }
    }
}

//! kubectl's connection flags, as given. `config` interprets them. Mirrors
//! `cli-runtime/pkg/genericclioptions/config_flags.go`.

use std::convert::Infallible;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// How to reach the cluster. Every flag that kubectl has, because a plugin's flags stand behind its
/// name.
#[derive(Debug, Default, Clone, clap::Args)]
#[command(next_help_heading = "Connection")]
pub struct ConnectionFlags {
    /// Kubeconfig file to use (default: those of KUBECONFIG, else ~/.kube/config)
    #[arg(long, value_name = "FILE", global = true)]
    pub kubeconfig: Option<PathBuf>,

    /// Context of the kubeconfig to use
    #[arg(long, value_name = "NAME", global = true)]
    pub context: Option<String>,

    /// Cluster of the kubeconfig to use
    #[arg(long, value_name = "NAME", global = true)]
    pub cluster: Option<String>,

    /// User of the kubeconfig to use
    #[arg(long, value_name = "NAME", global = true)]
    pub user: Option<String>,

    /// Address and port of the API server
    #[arg(short = 's', long, value_name = "URL", global = true)]
    pub server: Option<String>,

    /// Bearer token for the API server
    #[arg(long, value_name = "TOKEN", help_heading = "Credentials", global = true)]
    pub token: Option<Secret>,

    /// User or service account to impersonate
    #[arg(long = "as", value_name = "USER", help_heading = "Credentials", global = true)]
    pub as_user: Option<String>,

    /// Group to impersonate; repeat the flag for several
    #[arg(long, value_name = "GROUP", help_heading = "Credentials", global = true)]
    pub as_group: Vec<String>,

    /// UID to impersonate
    #[arg(long, value_name = "UID", help_heading = "Credentials", global = true)]
    pub as_uid: Option<String>,

    /// Extra field of the user to impersonate; repeat the flag for several
    #[arg(long, value_name = "KEY=VALUE", help_heading = "Credentials", global = true, value_parser = parse_extra)]
    pub as_user_extra: Vec<(String, String)>,

    /// Do not check the server's certificate (insecure)
    #[arg(long, value_name = "BOOL", help_heading = "TLS", global = true, value_parser = parse_bool,
          num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub insecure_skip_tls_verify: Option<bool>,

    /// Certificate of the server's certificate authority
    #[arg(long, value_name = "FILE", help_heading = "TLS", global = true)]
    pub certificate_authority: Option<PathBuf>,

    /// Client certificate for TLS
    #[arg(long, value_name = "FILE", help_heading = "TLS", global = true)]
    pub client_certificate: Option<PathBuf>,

    /// Client key for TLS
    #[arg(long, value_name = "FILE", help_heading = "TLS", global = true)]
    pub client_key: Option<PathBuf>,

    /// Name that the server's certificate must have (default: the server's host name)
    #[arg(long, value_name = "NAME", help_heading = "TLS", global = true)]
    pub tls_server_name: Option<String>,

    /// Time to wait for one answer of the server, e.g. 30s or 2m; 0 waits for ever
    ///
    /// Default: 65s until an answer begins, and for each pause in it; 30s for a connection.
    #[arg(long, value_name = "DURATION", global = true, value_parser = parse_timeout)]
    pub request_timeout: Option<Duration>,

    /// Ask the server not to compress its answers
    #[arg(long, value_name = "BOOL", global = true, value_parser = parse_bool,
          num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub disable_compression: Option<bool>,

    /// Accepted because kubectl has it: nothing is cached
    #[arg(long, value_name = "DIR", global = true)]
    pub cache_dir: Option<PathBuf>,

    /// User name for basic authentication
    #[arg(long, value_name = "NAME", help_heading = "Credentials", global = true)]
    pub username: Option<String>,

    /// Password for basic authentication
    #[arg(long, value_name = "PASSWORD", help_heading = "Credentials", global = true)]
    pub password: Option<Secret>,

    /// Exit with 2 if the server sends a warning
    #[arg(long, value_name = "BOOL", global = true, value_parser = parse_bool,
          num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub warnings_as_errors: Option<bool>,
}

/// A value that must not be shown.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("***")
    }
}

impl FromStr for Secret {
    type Err = Infallible;
    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self(text.to_owned()))
    }
}

/// Parses a boolean like Go's `strconv.ParseBool`.
pub(crate) fn parse_bool(text: &str) -> Result<bool, String> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Ok(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Ok(false),
        _ => Err("use true or false".to_owned()),
    }
}

fn parse_extra(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("use KEY=VALUE".to_owned()),
    }
}

/// A whole number of seconds, or a Go duration such as `1m30s`.
pub(crate) fn parse_timeout(text: &str) -> Result<Duration, String> {
    let seconds = match text.parse::<u32>() {
        Ok(seconds) => Some(Duration::from_secs(seconds.into())),
        Err(_) => go_duration(text),
    };
    seconds.ok_or_else(|| {
        "use a number of seconds, or a number with a unit (e.g. 1s, 2m, 3h)".to_owned()
    })
}

/// Parses an age: a number of seconds, a Go duration, or days as kubectl shows ages, such as `1d`
/// and `2d12h`.
pub(crate) fn parse_age(text: &str) -> Result<Duration, String> {
    let (days, rest) = text.split_once('d').unwrap_or(("0", text));
    let rest = if rest.is_empty() { Some(Duration::ZERO) } else { parse_timeout(rest).ok() };
    let days = days.parse::<u32>().ok().map(|days| Duration::from_secs(u64::from(days) * 86_400));
    let age = days.zip(rest).filter(|_| !text.is_empty()).map(|(days, rest)| days + rest);
    age.ok_or_else(|| "use a number with a unit (e.g. 30m, 12h, 1d)".to_owned())
}

/// `time.ParseDuration` without signs.
fn go_duration(text: &str) -> Option<Duration> {
    let mut rest = text;
    let mut total = 0.0;
    while !rest.is_empty() {
        let number_end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, tail) = rest.split_at_checked(number_end)?;
        let unit_end = tail.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(tail.len());
        let (unit, tail) = tail.split_at_checked(unit_end)?;
        let scale = match unit {
            "ns" => 1e-9,
            "us" | "µs" | "μs" => 1e-6,
            "ms" => 1e-3,
            "s" => 1.0,
            "m" => 60.0,
            "h" => 3600.0,
            _ => return None,
        };
        total += number.parse::<f64>().ok()? * scale;
        rest = tail;
    }
    if text.is_empty() { None } else { Duration::try_from_secs_f64(total).ok() }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[test]
    fn ages_may_be_days() {
        let hours = |text: &str| parse_age(text).ok().map(|age| age.as_secs() / 3600);
        assert_eq!(
            ["1d", "2d12h", "90m", "7200"].map(hours),
            [Some(24), Some(60), Some(1), Some(2)]
        );
        assert_eq!(["", "d", "1x", "1d2x", "-1d"].map(hours), [None; 5]);
    }

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        flags: ConnectionFlags,
        pod: Option<String>,
    }

    fn parse(line: &str) -> Line {
        Line::try_parse_from(format!("test {line}").split_whitespace()).unwrap()
    }

    #[test]
    fn flags_read_as_kubectl_reads_them() {
        let line = parse(
            "--insecure-skip-tls-verify web -s=https://a:6443 --as-group=a --as-group b --as-user-extra k=v=w",
        );
        assert_eq!(line.flags.insecure_skip_tls_verify, Some(true));
        assert_eq!(line.pod.as_deref(), Some("web"));
        assert_eq!(line.flags.server.as_deref(), Some("https://a:6443"));
        assert_eq!(line.flags.as_group, ["a", "b"]);
        assert_eq!(line.flags.as_user_extra, [("k".to_owned(), "v=w".to_owned())]);
        assert_eq!(
            parse("--insecure-skip-tls-verify=false").flags.insecure_skip_tls_verify,
            Some(false)
        );
        assert_eq!(parse("--disable-compression=T").flags.disable_compression, Some(true));
        assert_eq!(parse("--warnings-as-errors").flags.warnings_as_errors, Some(true));
    }

    #[test]
    fn timeouts_are_seconds_or_go_durations() {
        for (text, millis) in [
            ("0", 0),
            ("30", 30_000),
            ("1s", 1000),
            ("2m", 120_000),
            ("1m30.5s", 90_500),
            ("1h", 3_600_000),
            ("250ms", 250),
        ] {
            assert_eq!(parse_timeout(text), Ok(Duration::from_millis(millis)), "{text}");
        }
        for text in ["", "-1s", "1x", "s", "1s2", "x", "1.2.3s", "1e400h"] {
            assert!(parse_timeout(text).is_err(), "{text}");
        }
    }

    #[test]
    fn secrets_stay_out_of_debug_output() {
        let line = parse("--token=hunter2 --password hunter2");
        assert!(!format!("{line:?}").contains("hunter2"));
        assert_eq!(line.flags.token.unwrap().expose(), "hunter2");
    }
}

//! The name this process was invoked as. It is set once at startup and passed to the renderers as a
//! value.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::OnceLock;

use render::program::ProgramName;

static PROGRAM: OnceLock<ProgramName> = OnceLock::new();

/// The prefix that kubectl adds to the name of a plugin to find its file.
const PLUGIN: &str = "kubectl-";

/// Maximum length of an accepted name.
const LONGEST: usize = 64;

/// The name this process was invoked as; `kubectl preempt` until it is set.
pub fn program() -> ProgramName {
    PROGRAM.get().copied().unwrap_or(ProgramName::PLUGIN)
}

/// `kubectl preempt` with these arguments, under the name by which this process was called.
pub fn command(arguments: &str) -> String {
    format!("{} {arguments}", program())
}

/// Sets the name from the first argument of the process. Only the first call has an effect.
pub fn set(called: Option<&OsStr>) {
    let _ = PROGRAM.set(called.and_then(read).unwrap_or(ProgramName::PLUGIN));
}

/// The program with this file name: `kubectl-preempt` is `kubectl preempt`, as kubectl calls a
/// plugin; any other name is used as it is. `None` for a name that a shell would not accept
/// unquoted.
///
/// Upstream: kubectl's `pkg/cmd/plugin.go`, 1.37: dashes in a file name separate the words of the
/// command, and underscores represent dashes in a word.
fn read(called: &OsStr) -> Option<ProgramName> {
    let file = Path::new(called).file_name()?.to_str()?;
    let file = file.strip_suffix(std::env::consts::EXE_SUFFIX).unwrap_or(file);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if file.is_empty() || file.len() > LONGEST || !file.chars().all(is_plain) {
        return None;
    }
    if file == ProgramName::PLUGIN.file() {
        return Some(ProgramName::PLUGIN);
    }
    let typed = match file.strip_prefix(PLUGIN).filter(|plugin| !plugin.is_empty()) {
        Some(plugin) => format!("kubectl {}", plugin.replace('-', " ").replace('_', "-")),
        None => file.to_owned(),
    };
    // A process has one name during its lifetime.
    Some(ProgramName::new(typed.leak(), file.to_owned().leak()))
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::read;

    #[test]
    fn file_names_are_read_as_kubectl_reads_those_of_plugins() {
        for (called, typed) in [
            ("/usr/bin/kubectl-preempt", Some("kubectl preempt")),
            ("kubectl-podpreempt", Some("kubectl podpreempt")),
            ("./kubectl-pod_preempt", Some("kubectl pod-preempt")),
            ("kubectl-pod-preempt", Some("kubectl pod preempt")),
            ("kubectl-", Some("kubectl-")),
            ("why-pending", Some("why-pending")),
            ("", None),
            ("a b", None),
            ("\u{1b}[31m", None),
        ] {
            let program = read(OsStr::new(called));
            assert_eq!(program.map(super::ProgramName::typed), typed, "{called}");
        }
    }
}

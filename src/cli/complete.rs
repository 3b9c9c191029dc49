//! Completion by the protocol between kubectl and plugins (see `protocol`). Nothing but the
//! candidates is printed, the user is not prompted, and the reply takes at most a second.

mod candidates;
mod cluster;
mod from_files;
mod list;
mod protocol;
mod typed;
mod values;

use std::ffi::{OsStr, OsString};
use std::sync::{Arc, mpsc};
use std::thread;

use clap_complete::engine::{ArgValueCompleter, CompletionCandidate, complete};

use self::protocol::{Completions, DEADLINE, KEEP_ORDER, NO_FILES, NO_SPACE};
use self::typed::Typed;
use self::values::ValueSource;
use super::output;
use render::safe::{Printable, sanitize};

pub use protocol::requested;

/// Maximum length of a candidate's description, in characters.
const MAX_DESCRIPTION: usize = 80;

/// Prints the candidates for the last of `words`, arguments of `program`. Any failure results in no
/// candidates.
pub fn run(words: Vec<OsString>, program: clap::Command) {
    std::panic::set_hook(Box::new(|_| {}));
    let (sender, answer) = mpsc::channel();
    // The thread is not joined: a server may never respond.
    thread::spawn(move || sender.send(answer_to(words, program)));
    let answer = answer.recv_timeout(DEADLINE).unwrap_or(Completions::EMPTY);
    // An error means that the shell no longer reads.
    let _ = output::print(&Printable::new(answer.text()));
}

fn answer_to(mut words: Vec<OsString>, program: clap::Command) -> Completions {
    let last = words.pop().unwrap_or_default();
    let typed = Arc::new(Typed::read(&words, program.clone()));
    words.insert(0, "kubectl-preempt".into());
    words.push(last.clone());
    let (used, used_values) = mpsc::channel();
    let mut program = attach(program, &typed, &used);
    let index = words.len() - 1;
    let found = complete(&mut program, words, index, None).unwrap_or_default();
    let flags = last.to_string_lossy().starts_with('-');
    let found = found.iter().filter(|c| flags || !c.get_value().to_string_lossy().starts_with('-'));
    let candidates: Vec<(String, String)> = found.filter_map(printed).collect();
    let directive = used_values.try_iter().find_map(ValueSource::directive);
    let open = !candidates.is_empty()
        && candidates.iter().all(|(value, _)| value.ends_with(['/', '=', ':']));
    let space = if open { NO_SPACE } else { 0 };
    Completions { directive: directive.unwrap_or(NO_FILES | KEEP_ORDER | space), candidates }
}

/// The printed form of a candidate: value and description. A value with other characters than names
/// and flags have is omitted: shells insert it as it is, and it may come from the cluster.
fn printed(candidate: &CompletionCandidate) -> Option<(String, String)> {
    let value = candidate.get_value().to_str()?.to_owned();
    let is_plain = |one: char| one.is_ascii_alphanumeric() || "._/:=,@%+-".contains(one);
    if value.is_empty() || !value.chars().all(is_plain) {
        return None;
    }
    let help = candidate.get_help().map(ToString::to_string).unwrap_or_default();
    let line = sanitize(help.lines().next().unwrap_or_default()).into_owned();
    let cut: String = line.chars().take(MAX_DESCRIPTION).collect();
    Some((value, if cut.len() < line.len() { cut + "..." } else { cut }))
}

/// Adds a completer to each argument that takes values. It reports the requested values to `used`.
fn attach(
    command: clap::Command,
    typed: &Arc<Typed>,
    used: &mpsc::Sender<ValueSource>,
) -> clap::Command {
    let command = command.mut_args(|arg| match ValueSource::of(&arg) {
        Some(values) => {
            let (typed, used) = (typed.clone(), used.clone());
            arg.add(ArgValueCompleter::new(move |current: &OsStr| {
                // The receiver lives as long as clap's completion runs.
                let _ = used.send(values);
                candidates::of(values, &current.to_string_lossy(), &typed)
            }))
        }
        None => arg,
    });
    command.mut_subcommands(|sub| attach(sub, typed, used))
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use clap_complete::engine::CompletionCandidate;

    use super::{answer_to, requested};
    use crate::cli::command;

    fn words(line: &[&str]) -> Vec<OsString> {
        line.iter().map(OsString::from).collect()
    }

    /// What is proposed for the last of these words: values, and the directive.
    fn complete(line: &[&str]) -> (Vec<String>, String) {
        let text = answer_to(words(line), command()).text();
        let mut lines: Vec<&str> = text.lines().collect();
        let directive = lines.pop().unwrap_or_default().to_owned();
        (
            lines
                .iter()
                .map(|line| line.split('\t').next().unwrap_or_default().to_owned())
                .collect(),
            directive,
        )
    }

    #[test]
    fn the_program_is_asked_by_a_word_or_by_its_name() {
        let line = |line: &[&str]| requested(&words(line)).map(|words| words.len());
        assert_eq!(line(&["/bin/kubectl_complete-preempt", "explain", ""]), Some(2));
        assert_eq!(line(&["kubectl_complete-preempt.exe", "a"]), Some(1));
        assert_eq!(line(&["kubectl-preempt", "__complete", "explain", ""]), Some(2));
        assert_eq!(line(&["kubectl-preempt", "__complete"]), Some(0));
        for other in [&["kubectl-preempt", "explain", "__complete"][..], &["kubectl-preempt"], &[]]
        {
            assert_eq!(line(other), None, "{other:?}");
        }
    }

    #[test]
    fn commands_and_flags() {
        let (commands, directive) = complete(&[""]);
        assert!(
            commands.contains(&"explain".to_owned()) && commands.contains(&"pending".to_owned()),
            "{commands:?}"
        );
        assert!(commands.iter().all(|c| !c.starts_with('-')), "{commands:?}");
        assert_eq!(directive, ":36");
        assert_eq!(complete(&["ver"]).0, ["verify", "version"]);
        let (flags, _) = complete(&["explain", "--sched"]);
        assert_eq!(flags, ["--scheduler-version", "--scheduler-config", "--scheduler-configmap"]);
        assert!(complete(&["explain", "-"]).0.contains(&"-n".to_owned()));
        assert!(complete(&["explain", "--"]).0.contains(&"--namespace".to_owned()));
        assert_eq!(complete(&["nonsense", "x", ""]).1, ":36");
        assert_eq!(complete(&[]).1, ":36");
    }

    #[test]
    fn values_that_are_known_without_a_cluster() {
        assert_eq!(
            complete(&["pending", "-o", ""]).0,
            [
                "text",
                "wide",
                "json",
                "yaml",
                "html",
                "name",
                "openmetrics",
                "jsonpath=",
                "custom-columns=",
            ]
        );
        assert_eq!(complete(&["pending", "--output=j"]).0, ["--output=json", "--output=jsonpath="]);
        assert_eq!(complete(&["completion", ""]).0, ["bash", "zsh", "fish", "powershell"]);
        assert_eq!(complete(&["explain", "--scheduler-version", "1.3"]).0[0], "1.37");
        assert_eq!(complete(&["explain", "--compare", "1.33,1.12"]).0, ["1.33,1.12"]);
        assert_eq!(complete(&["explain", "--color", "al"]).0, ["always"]);
    }

    #[test]
    fn files_are_left_to_the_shell() {
        for line in [
            &["explain", "--from", ""][..],
            &["simulate", "-f", "x"],
            &["explain", "--kubeconfig", ""],
        ] {
            assert_eq!(complete(line), (vec![], ":0".to_owned()), "{line:?}");
        }
        assert_eq!(complete(&["completion", "--install", "--dir", ""]), (vec![], ":16".to_owned()));
        assert_eq!(complete(&["explain", "--feature-gates", ""]), (vec![], ":36".to_owned()));
    }

    #[test]
    fn names_in_files_are_offered() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/pending-web/cluster.yaml");
        for (line, expected) in [
            (&["explain", "-n", "shop", ""][..], "web-6d4cf56db6-q7rtz"),
            (&["explain", "-n", "shop", "rs/"], "rs/web-6d4cf56db6"),
            (&["explain", "-n", "shop", "pod/w"], "pod/web-6d4cf56db6-q7rtz"),
            (&["pending", "-n", ""], "shop"),
            (&["node", ""], "worker-1"),
            (&["simulate", "--drain", "worker-3"], "worker-3"),
            (&["simulate", "--add-node-like", "worker-"], "worker-2"),
            (&["simulate", "--free", "worker-1"], "worker-1:"),
            (&["simulate", "--label-node", "edge"], "edge-1:"),
            (&["simulate", "--fail", "zone/"], "zone/zone-a"),
            (&["simulate", "--fail", "node/e"], "node/edge-1"),
            (&["simulate", "-n", "shop", "--pdb", ""], "cart="),
            (&["simulate", "--priority", "bus"], "business"),
            (&["simulate", "--protect", "sh"], "shop"),
            (&["explain", "-n", "shop", "x", "--why-not", "w"], "worker-1"),
        ] {
            let (command, rest) = line.split_first().unwrap();
            let line = [&[*command, "--from", file][..], rest].concat();
            let (found, _) = complete(&line);
            assert!(found.iter().any(|name| name == expected), "{line:?}: {found:?}");
        }
    }

    #[test]
    fn rules_and_codes_are_offered() {
        assert!(complete(&["rules", "Taint"]).0.contains(&"TaintToleration".to_owned()));
        assert_eq!(complete(&["rules", "PRE-302"]).0, ["PRE-302"]);
        assert_eq!(complete(&["simulate", "-f", "x", "--ignore", "PRE-984"]).0, ["PRE-984"]);
    }

    #[test]
    fn nodes_are_offered_without_the_ending_that_all_share() {
        use super::cluster::of_nodes;
        use super::list::Name;
        use super::values::ValueSource;

        let nodes = |names: &[&str]| -> Vec<Name> {
            names
                .iter()
                .map(|name| Name { name: (*name).to_owned(), about: String::new() })
                .collect()
        };
        let offered = |values, names: &[&str]| -> Vec<String> {
            of_nodes(values, nodes(names)).into_iter().map(|name| name.name).collect()
        };
        let cloud = ["ip-10-0-0-1.eu.internal", "ip-10-0-0-2.eu.internal"];
        assert_eq!(offered(ValueSource::Nodes, &cloud), ["ip-10-0-0-1", "ip-10-0-0-2"]);
        assert_eq!(offered(ValueSource::NodesAnd, &cloud), ["ip-10-0-0-1:", "ip-10-0-0-2:"]);
        assert_eq!(offered(ValueSource::Nodes, &["a.eu.internal", "b"]), ["a.eu.internal", "b"]);
        assert_eq!(offered(ValueSource::Nodes, &cloud[..1]), [cloud[0]]);
    }

    #[test]
    fn values_that_a_shell_would_take_for_more_than_a_word_are_not_offered() {
        for (value, is_offered) in [
            ("shop/web-1", true),
            ("arn:aws:eks:eu-1:12:cluster/a", true),
            ("me@a.example", true),
            ("node.role=a,b%+_", true),
            ("$(id)", false),
            ("a;id", false),
            ("a b", false),
            ("`id`", false),
            ("a'b", false),
            ("\u{1b}[1m", false),
        ] {
            let printed = super::printed(&CompletionCandidate::new(value));
            assert_eq!(printed.is_some(), is_offered, "{value}");
        }
    }
}

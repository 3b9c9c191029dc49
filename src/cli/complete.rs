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
mod tests;

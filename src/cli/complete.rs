//! Completion as kubectl asks plugins for it: it runs `kubectl_complete-preempt ARGS… LAST` and reads a candidate per line,
//! `value<TAB>description`, and at the end `:N`, what the shell shall do (`kubectl/pkg/cmd/plugin_completion.go`, and cobra's
//! `ShellCompDirective`). Nothing else is ever printed, nobody is asked for anything, and it is over within a second.

mod cluster;
mod values;

use std::ffi::OsString;
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use clap::{ArgMatches, FromArgMatches as _};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate, complete};

use super::{GlobalFlags, command, output};
use crate::api::flags::ConnectionFlags;
use render::safe::{Printable, is_hostile, sanitize};
use values::Values;
pub use values::hinted;

/// The word that asks for it. kubectl's helper calls the program so, or is the program by another name.
const WORD: &str = "__complete";
/// That name, without its ending.
const HELPER: &str = "kubectl_complete-preempt";
/// Whoever presses TAB waits this long at most.
const DEADLINE: Duration = Duration::from_millis(800);
/// Longest description.
const DESCRIPTION: usize = 80;

/// What the shell shall do: complete files.
const FILES: u32 = 0;
/// Add no space.
const NO_SPACE: u32 = 2;
/// Complete no files.
const NO_FILES: u32 = 4;
/// Complete folders.
const FOLDERS: u32 = 16;
/// Leave the order as it is.
const KEEP_ORDER: u32 = 32;

/// The words that are to be completed, the last of them as far as it is typed, if that is what the program was called for.
#[must_use]
pub fn asked(arguments: &[OsString]) -> Option<Vec<OsString>> {
    let (program, rest) = arguments.split_first()?;
    if Path::new(program).file_stem().is_some_and(|stem| stem == HELPER) {
        return Some(rest.to_vec());
    }
    rest.split_first().filter(|(first, _)| *first == WORD).map(|(_, words)| words.to_vec())
}

/// Prints what may come next. Whatever is wrong, there are just no candidates.
pub fn run(words: Vec<OsString>) {
    std::panic::set_hook(Box::new(|_| {}));
    let (sender, answer) = mpsc::channel();
    // It is not waited for: what it waits for may never come.
    thread::spawn(move || sender.send(answer_to(words)));
    let text = answer.recv_timeout(DEADLINE).unwrap_or_else(|_| Answer::default().text());
    // A shell that does not listen any more needs no answer.
    let _ = output::print(&Printable::new(text));
}

/// Candidates, and what the shell shall do with them.
#[derive(Debug, Default, PartialEq, Eq)]
struct Answer {
    candidates: Vec<(String, String)>,
    directive: Option<u32>,
}

impl Answer {
    fn text(&self) -> String {
        let mut text = String::new();
        for (value, description) in &self.candidates {
            text.push_str(value);
            if !description.is_empty() {
                text.push('\t');
                text.push_str(description);
            }
            text.push('\n');
        }
        text.push_str(&format!(":{}\n", self.directive.unwrap_or(NO_FILES)));
        text
    }
}

/// What is known of the line so far.
#[derive(Debug, Default)]
struct Typed {
    connection: ConnectionFlags,
    namespace: Option<String>,
    /// Pods and owners that were named.
    pods: Vec<String>,
}

fn answer_to(mut words: Vec<OsString>) -> String {
    let last = words.pop().unwrap_or_default();
    let typed = Arc::new(Typed::read(&words));
    words.insert(0, "kubectl-preempt".into());
    words.push(last.clone());
    let (seen, sources) = mpsc::channel();
    let mut command = attach(command(), &typed, &seen);
    let index = words.len() - 1;
    let found = complete(&mut command, words, index, None).unwrap_or_default();
    let flags = last.to_string_lossy().starts_with('-');
    let found = found.iter().filter(|c| flags || !c.get_value().to_string_lossy().starts_with('-'));
    let candidates: Vec<(String, String)> = found.filter_map(shown).collect();
    let directive = sources.try_iter().find_map(Values::directive);
    let open = !candidates.is_empty() && candidates.iter().all(|(value, _)| value.ends_with(['/', '=']));
    let space = if open { NO_SPACE } else { 0 };
    Answer { directive: Some(directive.unwrap_or(NO_FILES | KEEP_ORDER | space)), candidates }.text()
}

/// A candidate as it is printed; one that a terminal would act on is none.
fn shown(candidate: &CompletionCandidate) -> Option<(String, String)> {
    let value = candidate.get_value().to_str()?.to_owned();
    if value.is_empty() || value.chars().any(is_hostile) {
        return None;
    }
    let help = candidate.get_help().map(ToString::to_string).unwrap_or_default();
    let line = sanitize(help.lines().next().unwrap_or_default()).into_owned();
    let cut: String = line.chars().take(DESCRIPTION).collect();
    Some((value, if cut.len() < line.len() { cut + "..." } else { cut }))
}

/// Ties values to the arguments that take them.
fn attach(command: clap::Command, typed: &Arc<Typed>, seen: &mpsc::Sender<Values>) -> clap::Command {
    let command = command.mut_args(|arg| match Values::of(&arg) {
        Some(values) => {
            let (typed, seen) = (typed.clone(), seen.clone());
            arg.add(ArgValueCompleter::new(move |current: &std::ffi::OsStr| {
                // The other end lives as long as the engine runs.
                let _ = seen.send(values);
                values.candidates(&current.to_string_lossy(), &typed)
            }))
        }
        None => arg,
    });
    command.mut_subcommands(|sub| attach(sub, typed, seen))
}

impl Typed {
    /// Reads what can be read of an unfinished line.
    fn read(words: &[OsString]) -> Self {
        let lenient = command().ignore_errors(true).subcommand_required(false).arg_required_else_help(false);
        let name = [OsString::from("kubectl-preempt")];
        let Ok(matches) = lenient.try_get_matches_from(name.iter().chain(words)) else { return Self::default() };
        let global = GlobalFlags::from_arg_matches(&matches).unwrap_or_default();
        let pods = |(_, sub): (&str, &ArgMatches)| {
            let pods = sub.try_get_many::<String>("pods").ok().flatten();
            pods.map(|pods| pods.cloned().collect())
        };
        Self {
            connection: ConnectionFlags::from_arg_matches(&matches).unwrap_or_default(),
            namespace: global.namespace,
            pods: matches.subcommand().and_then(pods).unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests;

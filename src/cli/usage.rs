//! Errors about arguments, in kubectl's words and one line, with a suggestion.

use std::error::Error as _;
use std::ffi::OsString;
use std::num::ParseIntError;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};

use crate::error::Error;
use crate::program;
use answers::similar::misspelt_name;
use answers::words;

/// Why clap rejects `arguments` of `program`.
pub fn explain(error: &clap::Error, program: &Command, arguments: &[OsString]) -> Error {
    let called = program::program();
    let typed = Typed { program, arguments, command: command(program, arguments) };
    let first = |kind| texts(error, kind).into_iter().next();
    let (argument, value) = (first(ContextKind::InvalidArg), first(ContextKind::InvalidValue));
    let argument = bare(flag_name(argument.unwrap_or_default()));

    // A hint is the one change that helps: the place where the flag is, a similar name, a value.
    match error.kind() {
        ErrorKind::UnknownArgument if argument.starts_with('-') => {
            let problem = format!("unknown flag: {argument}");
            let similar = || {
                first(ContextKind::SuggestedArg)
                    .map(flag_name)
                    .filter(|flag| flag.len() > SHORTEST_SIMILAR)
                    .map(|flag| format!("did you mean {flag}?"))
            };
            Error::usage_hint(
                problem,
                typed.where_flag_is(argument).or_else(similar).unwrap_or_else(|| typed.see_help()),
            )
        }
        ErrorKind::UnknownArgument => {
            Error::usage_hint(typed.unexpected(argument), typed.instead_of(argument))
        }
        ErrorKind::InvalidSubcommand => {
            let name = first(ContextKind::InvalidSubcommand).unwrap_or_default();
            let similar = texts(error, ContextKind::SuggestedSubcommand);
            let commands = program.get_subcommands().map(Command::get_name);
            let hint = match similar.as_slice() {
                _ if is_of_kubectl(name) => instead_of_kubectl(name, arguments),
                [] => misspelt_name(name, commands).map_or_else(
                    || format!("see '{called} --help'"),
                    |meant| format!("did you mean {meant}?"),
                ),
                names => format!("did you mean {}?", any_of(names)),
            };
            Error::usage_hint(format!("unknown command {name:?} for \"{called}\""), hint)
        }
        ErrorKind::MissingSubcommand => Error::usage_hint("a command is missing", typed.see_help()),
        ErrorKind::ArgumentConflict => {
            let others = texts(error, ContextKind::PriorArg);
            let others: Vec<&str> =
                others.into_iter().map(|other| bare(flag_name(other))).collect();
            let problem =
                format!("{argument} does not go with {}", words::list(&others, others.len()));
            Error::usage_hint(problem, "leave one of them out")
        }
        ErrorKind::MissingRequiredArgument => {
            let values = typed.values_of(argument);
            let hint = if values.is_empty() {
                typed.see_help()
            } else {
                format!("use {}", any_of(&values))
            };
            Error::usage_hint(format!("an argument is missing: {argument}"), hint)
        }
        ErrorKind::TooManyValues => {
            Error::usage_hint(format!("{argument} takes no value"), format!("write {argument}"))
        }
        ErrorKind::InvalidUtf8 => Error::usage("the arguments are not UTF-8"),
        _ => wrong_value(error, argument, value),
    }
}

/// The length up to which a flag is similar to too many others, with its dashes.
const SHORTEST_SIMILAR: usize = 4;

/// Flags that people type out of habit, each with the one that does it here.
const HABITS: [(&str, &str); 8] = [
    ("-f", "--from"),
    ("--file", "--from"),
    ("--filename", "--from"),
    ("--input", "--from"),
    ("--snapshot", "--from"),
    ("--version", "--scheduler-version"),
    ("--kube-version", "--scheduler-version"),
    ("--kubernetes-version", "--scheduler-version"),
];

/// Commands of kubectl that people type here out of habit, each with what answers their question.
const OF_KUBECTL: [(&str, &str); 14] = [
    ("get", "pending"),
    ("describe", "explain"),
    ("events", "why-evicted"),
    ("logs", "explain"),
    ("top", "headroom"),
    ("drain", "node"),
    ("cordon", "simulate --cordon"),
    ("uncordon", "simulate --uncordon"),
    ("taint", "simulate --remove-taint"),
    ("delete", "simulate --remove-pod"),
    ("apply", "simulate -f"),
    ("create", "simulate -f"),
    ("scale", "headroom"),
    ("rollout", "simulate -f"),
];

/// Whether kubectl has a command with this name, and this program does not.
pub fn is_of_kubectl(word: &str) -> bool {
    OF_KUBECTL.iter().any(|(habit, _)| *habit == word)
}

/// The command of this program that answers what somebody asks kubectl for.
fn instead_of_kubectl(habit: &str, arguments: &[OsString]) -> String {
    let words: Vec<&str> = arguments.iter().skip(2).filter_map(|word| word.to_str()).collect();
    let words: Vec<&str> = words.into_iter().take_while(|word| !word.starts_with('-')).collect();
    let (kind, name) = match words.as_slice() {
        [one] => one.split_once('/').unwrap_or((one, "")),
        [kind, name, ..] => (*kind, *name),
        [] => ("", ""),
    };
    let is_node = ["no", "node", "nodes"].contains(&kind);
    let named = OF_KUBECTL.iter().find(|(other, _)| *other == habit);
    let instead = named.map_or("explain", |(_, instead)| instead);
    match (habit, name) {
        // Tables of nodes or of pods are asked for; a pod that is named has an answer of its own.
        ("get" | "describe", "") if is_node => {
            format!("{} says whether a node can be drained", program::command("node NODE"))
        }
        ("get" | "describe", name) if is_node => {
            format!("did you mean {}?", program::command(&format!("node {name}")))
        }
        ("logs", "") if !kind.is_empty() => {
            format!("did you mean {}?", program::command(&format!("explain {kind}")))
        }
        ("get" | "describe" | "logs", name) if !name.is_empty() => {
            let asked = if ["po", "pod", "pods"].contains(&kind) {
                format!("explain {name}")
            } else {
                format!("explain {kind}/{name}")
            };
            format!("did you mean {}?", program::command(&asked))
        }
        ("get", _) => format!("{} lists the pods that wait for a node", program::command(instead)),
        ("drain" | "cordon" | "uncordon", _) if !kind.is_empty() => {
            let node = if name.is_empty() { kind } else { name };
            format!("did you mean {}?", program::command(&format!("{instead} {node}")))
        }
        _ => format!("did you mean {}?", program::command(instead)),
    }
}

/// What is wrong with the value of an argument.
fn wrong_value(error: &clap::Error, argument: &str, value: Option<&str>) -> Error {
    let allowed = texts(error, ContextKind::ValidValue);
    let allowed = (!allowed.is_empty()).then(|| format!("use {}", any_of(&allowed)));
    if let Some(ContextValue::String(problem)) = error.get(ContextKind::Custom) {
        return Error::usage(problem.clone());
    }
    let value = value.unwrap_or_default();
    if value.is_empty() {
        return Error::Usage {
            problem: format!("flag needs an argument: {argument}"),
            hint: allowed,
        };
    }
    let problem = match error.source() {
        Some(source) if source.is::<ParseIntError>() => "use a whole number".to_owned(),
        Some(source) => source.to_string(),
        None => allowed.unwrap_or_else(|| "it makes no sense".to_owned()),
    };
    Error::usage(format!("{argument} `{value}`: {problem}"))
}

/// The texts in clap's context of an error.
fn texts(error: &clap::Error, kind: ContextKind) -> Vec<&str> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text],
        Some(ContextValue::Strings(texts)) => texts.iter().map(String::as_str).collect(),
        _ => Vec::new(),
    }
}

/// Removes the value names that clap shows after a flag.
fn flag_name(shown: &str) -> &str {
    if shown.starts_with('-') {
        shown.split([' ', '=', '[']).next().unwrap_or(shown)
    } else {
        shown
    }
}

/// Removes the brackets that clap shows around an argument.
fn bare(shown: &str) -> &str {
    let shown = shown.strip_suffix("...").unwrap_or(shown);
    shown.trim_start_matches(['<', '[']).trim_end_matches(['>', ']'])
}

/// `a, b or c`.
fn any_of(words: &[impl AsRef<str>]) -> String {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    match words.as_slice() {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [most @ .., last] => format!("{} or {last}", most.join(", ")),
    }
}

/// The subcommand that was given, as far as it can be parsed.
fn command<'p>(program: &'p Command, arguments: &[OsString]) -> Option<&'p Command> {
    let read = program.clone().ignore_errors(true).try_get_matches_from(arguments).ok()?;
    program.find_subcommand(read.subcommand_name()?)
}

/// The command line in question.
struct Typed<'a> {
    program: &'a Command,
    arguments: &'a [OsString],
    command: Option<&'a Command>,
}

impl Typed<'_> {
    /// Says which flag of the command was meant, or which other commands have this flag.
    fn where_flag_is(&self, flag: &str) -> Option<String> {
        let here = self.command.unwrap_or(self.program);

        // clap parses `-from x` as `-f rom x`, and then rejects `-f`.
        if !flag.starts_with("--") {
            for argument in self.arguments {
                let Some(word) = argument.to_str().and_then(|text| text.strip_prefix('-')) else {
                    continue;
                };
                let word = word.split('=').next().unwrap_or(word);
                let long = format!("--{word}");
                if word.len() > 2 && (has(here, &long) || has(self.program, &long)) {
                    return Some(format!("did you mean {long}?"));
                }
            }
        }

        let habit = HABITS.iter().find(|(habit, meant)| *habit == flag && has(here, meant));
        if let Some((_, meant)) = habit {
            return Some(format!("did you mean {meant}?"));
        }

        let others = self.program.get_subcommands().filter(|command| has(command, flag));
        let others: Vec<&str> = others.map(Command::get_name).collect();
        if !others.is_empty() {
            return Some(format!("it belongs to {}", words::list(&others, others.len())));
        }

        // Some letters are flags in one case alone.
        let letter = flag.strip_prefix('-').filter(|letter| letter.len() == 1)?;
        for letter in [letter.to_uppercase(), letter.to_lowercase()] {
            let other = format!("-{letter}");
            if has(here, &other) || has(self.program, &other) {
                return Some(format!("did you mean {other}?"));
            }
        }
        None
    }

    fn name(&self) -> String {
        let command =
            self.command.map(|command| format!(" {}", command.get_name())).unwrap_or_default();
        format!("{}{command}", program::program())
    }

    fn see_help(&self) -> String {
        format!("see '{} --help'", self.name())
    }

    fn unexpected(&self, word: &str) -> String {
        format!("{} takes no argument `{word}`", self.name())
    }

    /// A suggestion for a word that the command does not accept.
    fn instead_of(&self, word: &str) -> String {
        match self.command.map(Command::get_name) {
            Some("pending") => program::command("explain takes pods, -n a namespace"),
            Some("audit") => "-n names a namespace".to_owned(),
            Some("snapshot") => format!("-o {word} names the file"),
            _ => self.see_help(),
        }
    }

    /// The possible values of an argument, if they are enumerated.
    fn values_of(&self, argument: &str) -> Vec<String> {
        let mut positionals = self.command.into_iter().flat_map(Command::get_positionals);
        let values = positionals
            .find(|arg| bare(&arg.to_string()) == argument)
            .map(Arg::get_possible_values);
        values.into_iter().flatten().map(|value| value.get_name().to_owned()).collect()
    }
}

/// Whether a command itself has a flag.
fn has(command: &Command, flag: &str) -> bool {
    command.get_arguments().any(|arg| {
        arg.get_short().is_some_and(|short| flag == format!("-{short}"))
            || arg.get_long().is_some_and(|long| flag.strip_prefix("--") == Some(long))
    })
}

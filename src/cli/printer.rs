//! `-o`: the formats of each command and their writers.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, ValueEnum};
use serde::Serialize;

use super::output;
use crate::error::Error;
use crate::program::program;
use answers::pod_report::PodReport;
use render::safe::Printable;
use render::{csv, dot, markdown, name};

/// How data is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Encoding {
    /// JSON.
    Json,
    /// YAML.
    Yaml,
}

/// Files that other programs read, or that are handed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ShareFormat {
    /// The victims, as `type/name`.
    Name,
    /// A row per node.
    Csv,
    /// For a ticket.
    Markdown,
    /// A graph for Graphviz.
    Dot,
}

impl Encoding {
    /// The value in it.
    ///
    /// # Errors
    /// As [`output::json`].
    pub fn write(self, value: &impl Serialize) -> anyhow::Result<Printable> {
        match self {
            Self::Json => output::json(value),
            Self::Yaml => output::yaml(value),
        }
    }
}

impl ShareFormat {
    /// Whether it shows remedies.
    pub const fn tells_remedies(self) -> bool {
        match self {
            Self::Markdown => true,
            Self::Name | Self::Csv | Self::Dot => false,
        }
    }
}

/// Parses the value of `-o`, and rejects unknown formats in kubectl's words.
#[derive(Debug, Clone)]
pub struct FormatParser<T: 'static> {
    words: Vec<PossibleValue>,
    read: fn(&str) -> Result<Option<T>, String>,
}

impl<T: 'static> FormatParser<T> {
    /// The formats with these prefixes, as proposed by completion; `read` returns `None` for any
    /// other text.
    pub fn new(words: Vec<PossibleValue>, read: fn(&str) -> Result<Option<T>, String>) -> Self {
        Self { words, read }
    }
}

/// The names of formats, as proposed by completion.
pub fn names<T: ValueEnum + 'static>() -> Vec<PossibleValue> {
    let words = T::value_variants().iter().filter_map(T::to_possible_value);
    // The help of the flag explains them.
    words.map(|word| word.help(None::<&'static str>)).collect()
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for FormatParser<T> {
    type Value = T;

    fn parse_ref(&self, _: &Command, _: Option<&Arg>, value: &OsStr) -> Result<T, clap::Error> {
        let text = value.to_string_lossy();
        let problem = match (self.read)(&text) {
            Ok(Some(format)) => return Ok(format),
            Ok(None) => {
                let names = self.words.iter().map(PossibleValue::get_name);
                let mut names: Vec<&str> = names.map(|name| name.trim_end_matches('=')).collect();
                names.sort_unstable();
                let allowed = names.join(",");
                format!(
                    "unable to match a printer suitable for the output format {text:?}, allowed formats are: {allowed}"
                )
            }
            Err(problem) => problem,
        };
        let mut error = clap::Error::new(ErrorKind::InvalidValue);
        error.insert(ContextKind::Custom, ContextValue::String(problem));
        Err(error)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.words.iter().cloned()))
    }
}

/// Parses one of `all` by its name.
pub fn one_of<T: Copy + Send + Sync + 'static, const N: usize>(
    all: [T; N],
    name: impl Fn(T) -> &'static str + Clone + Send + Sync + 'static,
) -> impl TypedValueParser<Value = T> {
    let names = all.map(name.clone());
    PossibleValuesParser::new(names).try_map(move |text| {
        all.into_iter().find(|one| name(*one) == text).ok_or("not one of these values")
    })
}

/// Decisions in one of the formats for sharing.
///
/// # Errors
/// [`Error::Input`] for decisions that it cannot show.
pub fn share(format: ShareFormat, decisions: &[PodReport]) -> anyhow::Result<Printable> {
    Ok(Printable::new(match format {
        ShareFormat::Name => name::lines(decisions).map_err(Error::from)?,
        ShareFormat::Csv => csv::table(decisions).map_err(|e| Error::input("output", e))?,
        ShareFormat::Markdown => markdown::page(decisions, program()),
        ShareFormat::Dot => dot::graph(decisions),
    }))
}

#[cfg(test)]
mod tests {
    use crate::cli;

    #[test]
    fn output_flag_names_every_format_in_its_help() {
        let mut line = cli::command();
        line.build();
        let mut flags = 0;
        for command in line.get_subcommands() {
            let Some(flag) = command.get_arguments().find(|flag| flag.get_id() == "output") else {
                continue;
            };
            let help = flag.get_help().map(ToString::to_string).unwrap_or_default();
            for format in flag.get_possible_values() {
                let name = format.get_name().trim_end_matches('=');
                assert!(help.contains(name), "{}: {name} is not in {help:?}", command.get_name());
            }
            flags += 1;
        }
        assert!(flags > 5, "{flags}");
    }
}

//! `-o`: the formats of each command, and how an answer is written in them.

use std::ffi::OsStr;
use std::io::IsTerminal;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, ValueEnum};
use serde::Serialize;

use super::flags::GlobalFlags;
use super::kubectl_format::{self, KubectlFormat};
use super::output;
use crate::error::Error;
use render::safe::Printable;
use render::view_model::ViewModel;
use render::{csv, dot, html, markdown, name};

/// `-o` of `explain`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ExplainFormat {
    /// For people.
    #[default]
    Text,
    /// For people, with every candidate in full.
    Wide,
    /// The decision as JSON.
    Json,
    /// The decision as YAML.
    Yaml,
    /// The victims, as `type/name`.
    Name,
    /// A row per node.
    Csv,
    /// For a ticket.
    Markdown,
    /// A page for the browser.
    Html,
    /// A graph for Graphviz.
    Dot,
    /// Text out of the JSON, or columns of it.
    Kubectl(KubectlFormat),
}

/// `-o` of commands that print text for people, or data.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum BasicFormat {
    /// For people.
    #[default]
    Text,
    /// JSON.
    Json,
    /// YAML.
    Yaml,
}

impl BasicFormat {
    /// The value as data: as YAML for [`Self::Yaml`], else as JSON.
    ///
    /// # Errors
    /// As [`output::json`].
    pub fn encode(self, value: &impl Serialize) -> anyhow::Result<Printable> {
        if self == Self::Yaml { output::yaml(value) } else { output::json(value) }
    }
}

/// `-o` of commands that can also print more text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum DetailedFormat {
    /// For people.
    #[default]
    Text,
    /// For people, in full.
    Wide,
    /// JSON.
    Json,
    /// YAML.
    Yaml,
}

/// Formats that are a word.
const WORDS: [(&str, ExplainFormat); 9] = [
    ("text", ExplainFormat::Text),
    ("wide", ExplainFormat::Wide),
    ("json", ExplainFormat::Json),
    ("yaml", ExplainFormat::Yaml),
    ("name", ExplainFormat::Name),
    ("csv", ExplainFormat::Csv),
    ("markdown", ExplainFormat::Markdown),
    ("html", ExplainFormat::Html),
    ("dot", ExplainFormat::Dot),
];
impl ExplainFormat {
    /// The name of the format, without a template.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Kubectl(KubectlFormat::JsonPath(_)) => "jsonpath",
            Self::Kubectl(KubectlFormat::CustomColumns(_)) => "custom-columns",
            word => WORDS.iter().find(|(_, format)| format == word).map_or("", |(name, _)| name),
        }
    }

    /// Whether it tells what would help.
    #[must_use]
    pub fn tells_remedies(&self) -> bool {
        match self {
            Self::Text
            | Self::Wide
            | Self::Json
            | Self::Yaml
            | Self::Markdown
            | Self::Html
            | Self::Kubectl(_) => true,
            Self::Name | Self::Csv | Self::Dot => false,
        }
    }

    /// Reads a format; `None` if there is no such format.
    fn read(text: &str) -> Result<Option<Self>, String> {
        if let Some((_, format)) = WORDS.iter().find(|(name, _)| *name == text) {
            return Ok(Some(format.clone()));
        }
        Ok(KubectlFormat::read(text)?.map(Self::Kubectl))
    }
}

/// Reads the value of `-o`, and refuses unknown formats in kubectl's words.
#[derive(Debug, Clone)]
pub struct FormatParser<T: 'static> {
    names: Vec<&'static str>,
    read: fn(&str) -> Result<Option<T>, String>,
}

/// The formats of `explain`.
#[must_use]
pub fn formats() -> FormatParser<ExplainFormat> {
    let names = WORDS.iter().map(|(name, _)| *name).chain(kubectl_format::NAMES).collect();
    FormatParser { names, read: ExplainFormat::read }
}

impl<T: 'static> FormatParser<T> {
    /// The formats with these names, as completion proposes them; `read` is `None` for a text that
    /// is none of them.
    pub fn new(names: Vec<&'static str>, read: fn(&str) -> Result<Option<T>, String>) -> Self {
        Self { names, read }
    }
}

/// Formats that only commands other than `explain` have.
const OTHER_WORDS: [&str; 3] = ["sarif", "junit", "prometheus"];

/// The formats of a command that are words.
#[must_use]
pub fn words<T: ValueEnum + 'static>() -> FormatParser<T> {
    FormatParser { names: names::<T>(), read: |text| Ok(T::from_str(text, false).ok()) }
}

/// Their names, as completion proposes them.
#[must_use]
pub fn names<T: ValueEnum + 'static>() -> Vec<&'static str> {
    fn name<T: ValueEnum>(format: &T) -> Option<&'static str> {
        let name = format.to_possible_value()?.get_name().to_owned();
        WORDS.iter().map(|(known, _)| *known).chain(OTHER_WORDS).find(|known| *known == name)
    }
    T::value_variants().iter().filter_map(name).collect()
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for FormatParser<T> {
    type Value = T;

    fn parse_ref(&self, _: &Command, _: Option<&Arg>, value: &OsStr) -> Result<T, clap::Error> {
        let text = value.to_string_lossy();
        let problem = match (self.read)(&text) {
            Ok(Some(format)) => return Ok(format),
            Ok(None) => {
                let mut names: Vec<&str> =
                    self.names.iter().map(|name| name.trim_end_matches('=')).collect();
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
        Some(Box::new(self.names.iter().map(PossibleValue::new)))
    }
}

/// Decisions in one of the formats for sharing.
///
/// # Errors
/// Never for these formats; for others [`Error::Usage`].
pub fn share(
    format: &ExplainFormat,
    decisions: &[ViewModel],
    global: &GlobalFlags,
) -> anyhow::Result<Printable> {
    Ok(Printable::new(match format {
        ExplainFormat::Name => name::lines(decisions).map_err(Error::from)?,
        ExplainFormat::Csv => csv::table(decisions).map_err(|e| Error::input("output", e))?,
        ExplainFormat::Markdown => markdown::page(decisions),
        ExplainFormat::Dot => dot::graph(decisions),
        ExplainFormat::Html => {
            if std::io::stdout().is_terminal() {
                output::say(
                    global,
                    "hint: this is a page for a browser: send it to a file with > preempt.html",
                );
            }
            html::page(decisions).map_err(|e| Error::input("output", e))?
        }
        other => {
            return Err(
                Error::usage(format!("-o {} is no format for sharing", other.name())).into()
            );
        }
    }))
}

/// A decision or a list of them as data: JSON, YAML, or the text of a template filled in.
///
/// # Errors
/// [`Error::Usage`] for a template that does not go with the answer.
pub fn data(
    format: &ExplainFormat,
    value: &impl Serialize,
    global: &GlobalFlags,
) -> anyhow::Result<Printable> {
    match format {
        ExplainFormat::Yaml => output::yaml(value),
        ExplainFormat::Kubectl(format) => format.text(value, true, output::paper(global)),
        _ => output::json(value),
    }
}

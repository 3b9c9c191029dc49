//! `-o`: which formats there are, and how an answer gets into them.

use std::ffi::OsStr;
use std::io::IsTerminal;
use std::path::PathBuf;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, Command, ValueEnum};
use serde::Serialize;
use serde_json::Value;

use super::{GlobalFlags, output};
use crate::error::Error;
use render::facts::Facts;
use render::jsonpath::PathTemplate;
use render::safe::Printable;
use render::{csv, dot, html, markdown, name};

/// `-o` of `explain`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Format {
    /// For people.
    #[default]
    Text,
    /// For people, with every candidate in full.
    Wide,
    /// The decision as JSON.
    Json,
    /// The decision as YAML.
    Yaml,
    /// Whom it would cost, `type/name`.
    Name,
    /// A row per node.
    Csv,
    /// For a ticket.
    Markdown,
    /// A page for the browser.
    Html,
    /// A graph for Graphviz.
    Dot,
    /// Text out of the JSON.
    JsonPath(PathTemplate),
    /// What a path finds in the JSON.
    JsonPathAsJson(PathTemplate),
    /// [`Format::JsonPath`], the template in a file.
    JsonPathFile(PathBuf),
}

/// `-o` of commands that answer people or programs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Basic {
    /// For people.
    #[default]
    Text,
    /// JSON.
    Json,
    /// YAML.
    Yaml,
}

impl Basic {
    /// An answer for programs: YAML if that is asked for, else JSON.
    ///
    /// # Errors
    /// As [`output::json`].
    pub fn encode(self, value: &impl Serialize) -> Result<Printable, Error> {
        if self == Self::Yaml { output::yaml(value) } else { output::json(value) }
    }
}

/// [`Basic`] of commands that can tell people more.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Detailed {
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

/// Those that are a word, and those that take a value.
const WORDS: [(&str, Format); 9] = [
    ("text", Format::Text),
    ("wide", Format::Wide),
    ("json", Format::Json),
    ("yaml", Format::Yaml),
    ("name", Format::Name),
    ("csv", Format::Csv),
    ("markdown", Format::Markdown),
    ("html", Format::Html),
    ("dot", Format::Dot),
];
const WITH_VALUE: [&str; 3] = ["jsonpath=", "jsonpath-as-json=", "jsonpath-file="];

impl Format {
    /// As it is typed, without its value.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::JsonPath(_) => "jsonpath",
            Self::JsonPathAsJson(_) => "jsonpath-as-json",
            Self::JsonPathFile(_) => "jsonpath-file",
            word => WORDS.iter().find(|(_, format)| format == word).map_or("", |(name, _)| name),
        }
    }

    /// `None` for a format that there is not.
    fn read(text: &str) -> Result<Option<Self>, String> {
        if let Some((_, format)) = WORDS.iter().find(|(name, _)| *name == text) {
            return Ok(Some(format.clone()));
        }
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        if !WITH_VALUE.iter().any(|known| known.trim_end_matches('=') == name) {
            return Ok(None);
        }
        if value.is_empty() {
            return Err(format!("-o {name}: template format specified but no template given"));
        }
        if name == "jsonpath-file" {
            return Ok(Some(Self::JsonPathFile(value.into())));
        }
        let template = PathTemplate::parse(value).map_err(|e| format!("error parsing jsonpath {value}, {e}"))?;
        Ok(Some(if name == "jsonpath" { Self::JsonPath(template) } else { Self::JsonPathAsJson(template) }))
    }
}

/// Reads the value of `-o`, and refuses others in kubectl's words.
#[derive(Debug, Clone)]
pub struct FormatParser<T: 'static> {
    names: Vec<&'static str>,
    read: fn(&str) -> Result<Option<T>, String>,
}

/// The formats of `explain`.
#[must_use]
pub fn formats() -> FormatParser<Format> {
    let names = WORDS.iter().map(|(name, _)| *name).chain(WITH_VALUE).collect();
    FormatParser { names, read: Format::read }
}

/// The formats of a command that knows but words.
#[must_use]
pub fn words<T: ValueEnum + 'static>() -> FormatParser<T> {
    fn name<T: ValueEnum>(format: &T) -> Option<&'static str> {
        let name = format.to_possible_value()?.get_name().to_owned();
        WORDS.iter().map(|(known, _)| *known).find(|known| *known == name)
    }
    let names = T::value_variants().iter().filter_map(name).collect();
    FormatParser { names, read: |text| Ok(T::from_str(text, false).ok()) }
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for FormatParser<T> {
    type Value = T;

    fn parse_ref(&self, _: &Command, _: Option<&Arg>, value: &OsStr) -> Result<T, clap::Error> {
        let text = value.to_string_lossy();
        let problem = match (self.read)(&text) {
            Ok(Some(format)) => return Ok(format),
            Ok(None) => {
                let mut names: Vec<&str> = self.names.iter().map(|name| name.trim_end_matches('=')).collect();
                names.sort_unstable();
                let allowed = names.join(",");
                format!(
                    "unable to match a printer suitable for the output format {text:?}, allowed formats are: {allowed}"
                )
            }
            Err(problem) => problem,
        };
        Err(clap::Error::raw(ErrorKind::InvalidValue, format!("{problem}\n")))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.names.iter().map(PossibleValue::new)))
    }
}

/// Decisions in one of the formats for sharing.
///
/// # Errors
/// Never for these formats; [`Error::Usage`] for others.
pub fn share(format: &Format, decisions: &[Facts], global: &GlobalFlags) -> Result<Printable, Error> {
    let text = match format {
        Format::Name => Ok(name::lines(decisions)),
        Format::Csv => csv::table(decisions).map_err(|e| Error::input("output", e)),
        Format::Markdown => Ok(markdown::page(decisions)),
        Format::Dot => Ok(dot::graph(decisions)),
        Format::Html => {
            if std::io::stdout().is_terminal() {
                output::say(global, "hint: this is a page for a browser: send it to a file with > preempt.html");
            }
            html::page(decisions).map_err(|e| Error::input("output", e))
        }
        other => Err(Error::usage(format!("-o {} is no format for sharing", other.name()))),
    };
    text.map(Printable::new)
}

/// A decision or a list of them as data: JSON, YAML, or what a template makes of it.
///
/// # Errors
/// [`Error::Input`] for a template file that cannot be read, [`Error::Usage`] for a template that does not go with the
/// answer.
pub fn data(format: &Format, value: &impl Serialize) -> Result<Printable, Error> {
    match format {
        Format::Yaml => output::yaml(value),
        Format::JsonPath(template) => fill(template, value),
        Format::JsonPathAsJson(template) => {
            let root = tree(value)?;
            output::json(&template.values(&root).map_err(|e| refused(&e))?)
        }
        Format::JsonPathFile(path) => {
            let origin = path.display().to_string();
            let text = std::fs::read_to_string(path)
                .map_err(|e| Error::input(&origin, format!("error reading the jsonpath template: {e}")))?;
            let template = PathTemplate::parse(&text)
                .map_err(|e| Error::input(&origin, format!("error parsing jsonpath, {e}")))?;
            fill(&template, value)
        }
        _ => output::json(value),
    }
}

fn fill(template: &PathTemplate, value: &impl Serialize) -> Result<Printable, Error> {
    template.fill(&tree(value)?).map(Printable::new).map_err(|e| refused(&e))
}

fn refused(problem: &str) -> Error {
    Error::Usage {
        problem: format!("error executing jsonpath: {problem}"),
        hint: Some("-o json shows what there is".to_owned()),
    }
}

fn tree(value: &impl Serialize) -> Result<Value, Error> {
    serde_json::to_value(value).map_err(|e| Error::input("output", e.to_string()))
}

//! `-o`: the formats that every command has, those of its own, and the one place that prints a report
//! in any of them.

use std::io::IsTerminal as _;

use clap::ValueEnum;
use clap::builder::PossibleValue;
use serde::Serialize;

use super::flags::GlobalFlags;
use super::kubectl_format::{self, KubectlFormat};
use super::printer::{self, Encoding, FormatParser};
use super::{output, pager};
use crate::error::Error;
use crate::exit::Exit;
use answers::extent::Extent;
use answers::in_part::{PartialSubject, in_part_about};
use answers::input::LoadedInput;
use answers::questions::{Beside, Report};
use render::custom_columns;
use render::html;
use render::jsonpath::PathTemplate;
use render::page::{Drawn, Page, Paper};
use render::safe::Printable;
use to_json::ToJson;

/// `-o` of a command: the formats that every command has, and those of its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Format<Own> {
    /// For people.
    #[default]
    Text,
    /// For people, in full.
    Wide,
    Json,
    Yaml,
    /// A page for the browser.
    Html,
    /// Text extracted from the JSON, or a table of user-defined columns.
    Kubectl(KubectlFormat),
    Own(Own),
}

impl<Own> Format<Own> {
    /// The same without formats of its own, which become text.
    pub fn without_own(&self) -> Format<NoFormat> {
        match self {
            Self::Text | Self::Own(_) => Format::Text,
            Self::Wide => Format::Wide,
            Self::Json => Format::Json,
            Self::Yaml => Format::Yaml,
            Self::Html => Format::Html,
            Self::Kubectl(format) => Format::Kubectl(format.clone()),
        }
    }

    /// The formats that every command has, except those that take a value, with their words.
    const COMMON: [(&'static str, Self); 5] = [
        ("text", Self::Text),
        ("wide", Self::Wide),
        ("json", Self::Json),
        ("yaml", Self::Yaml),
        ("html", Self::Html),
    ];

    /// How much the text shows: everything with `-o wide`, every row with `--all`, and otherwise
    /// the first rows.
    pub fn extent(&self, all: bool) -> Extent {
        match self {
            Self::Wide => Extent::Whole,
            _ if all => Extent::All,
            _ => Extent::Top,
        }
    }

    /// The JSON that `make` makes, if that is what is asked for: as it is, or what kubectl's formats
    /// take out of it, with `headers` above columns.
    ///
    /// # Errors
    /// A template that does not match it.
    pub fn data<J: Serialize>(
        &self,
        make: impl FnOnce() -> J,
        headers: bool,
        paper: Paper,
    ) -> anyhow::Result<Option<Printable>> {
        match self {
            Self::Json => output::json(&make()).map(Some),
            Self::Yaml => output::yaml(&make()).map(Some),
            Self::Kubectl(format) => format.text(&make(), headers, paper).map(Some),
            Self::Text | Self::Wide | Self::Html | Self::Own(_) => Ok(None),
        }
    }

    /// How it is written, if it is the JSON.
    pub fn encoding(&self) -> Option<Encoding> {
        match self {
            Self::Json => Some(Encoding::Json),
            Self::Yaml => Some(Encoding::Yaml),
            Self::Text | Self::Wide | Self::Html | Self::Kubectl(_) | Self::Own(_) => None,
        }
    }

    /// Whether it is text for people.
    pub fn is_for_people(&self) -> bool {
        matches!(self, Self::Text | Self::Wide)
    }
}

impl<Own: ValueEnum + PartialEq> Format<Own> {
    /// The word by which it is asked for, without a template.
    pub fn name(&self) -> String {
        let word = match self {
            Self::Kubectl(KubectlFormat::JsonPath(_)) => Some("jsonpath".to_owned()),
            Self::Kubectl(KubectlFormat::CustomColumns(_)) => Some("custom-columns".to_owned()),
            Self::Own(own) => own.to_possible_value().map(|word| word.get_name().to_owned()),
            common => {
                let same = Self::COMMON.into_iter().find(|(_, format)| format == common);
                same.map(|(word, _)| word.to_owned())
            }
        };
        word.unwrap_or_default()
    }
}

/// The own formats of a command that has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoFormat {}

impl ValueEnum for NoFormat {
    fn value_variants<'a>() -> &'a [Self] {
        &[]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match *self {}
    }
}

/// The formats of a command, as `-o` parses them.
pub fn formats<Own: ValueEnum + 'static>() -> FormatParser<Format<Own>> {
    FormatParser::new(format_names::<Own>(), read_format::<Own>)
}

/// The formats of a command whose answer is no report, so that there is no page of it.
pub fn formats_without_page() -> FormatParser<Format<NoFormat>> {
    let mut names = format_names::<NoFormat>();
    names.retain(|name| name.get_name() != "html");
    FormatParser::new(names, |text| {
        Ok(read_format::<NoFormat>(text)?.filter(|format| *format != Format::Html))
    })
}

fn format_names<Own: ValueEnum + 'static>() -> Vec<PossibleValue> {
    let common = Format::<Own>::COMMON.into_iter();
    let mut names: Vec<PossibleValue> = common.map(|(word, _)| PossibleValue::new(word)).collect();
    names.extend(printer::names::<Own>());
    names.extend(kubectl_format::NAMES.iter().map(PossibleValue::new));
    names
}

fn read_format<Own: ValueEnum>(text: &str) -> Result<Option<Format<Own>>, String> {
    let common = Format::<Own>::COMMON.into_iter().find(|(word, _)| *word == text);
    Ok(match (common, Own::from_str(text, false)) {
        (Some((_, format)), _) => Some(format),
        (None, Ok(own)) => Some(Format::Own(own)),
        (None, Err(_)) => KubectlFormat::read(text)?.map(Format::Kubectl),
    })
}

/// Flags about the items of a list.
#[derive(Debug, Default, Clone, clap::Args)]
#[command(next_help_heading = "Output")]
pub struct ListArgs {
    /// Sort by this path of an item of -o json, e.g. .name
    #[arg(long, value_name = "JSONPATH", value_parser = PathTemplate::parse)]
    pub sort_by: Option<PathTemplate>,

    /// Which rows and headings.
    #[command(flatten)]
    pub rows: RowArgs,
}

/// Flags about the rows of tables.
#[derive(Debug, Default, Clone, clap::Args)]
#[command(next_help_heading = "Output")]
pub struct RowArgs {
    /// Every row of each table; otherwise the first 20
    #[arg(long)]
    pub all: bool,

    /// With -o custom-columns: no column headings
    #[arg(long, hide_short_help = true)]
    pub no_headers: bool,
}

/// A report that every common format can show.
pub trait Printed: Report + Drawn + ToJson<Json: Serialize> {}

impl<R: Report + Drawn + ToJson<Json: Serialize>> Printed for R {}

/// How the flags of a command have its report printed.
pub struct Printing<'a, Own> {
    pub format: &'a Format<Own>,
    pub list: &'a ListArgs,
    pub global: &'a GlobalFlags,
}

impl Printing<'_, NoFormat> {
    /// Prints the report. Its verdict is how the command ends.
    ///
    /// # Errors
    /// A path that no item has, or standard output that cannot be written.
    pub fn print(&self, report: impl Printed) -> anyhow::Result<Exit> {
        self.print_with(report, |_, format| match format {})
    }

    /// As [`Printing::answer_with`], without formats of its own.
    ///
    /// # Errors
    /// Those of `ask`, and as [`Printing::print`].
    pub fn answer<R: Printed>(
        &self,
        input: &LoadedInput,
        subject: PartialSubject<'_>,
        ask: impl FnOnce() -> anyhow::Result<R>,
    ) -> anyhow::Result<Exit> {
        self.answer_with(input, subject, ask, |_, format| match format {})
    }
}

impl<Own: Copy> Printing<'_, Own> {
    /// Asks the question and prints its report, or, if nodes or their pods could not be read, what can
    /// be said of the subject without them.
    ///
    /// # Errors
    /// Those of `ask`, and as [`Printing::print_with`].
    pub fn answer_with<R: Printed>(
        &self,
        input: &LoadedInput,
        subject: PartialSubject<'_>,
        ask: impl FnOnce() -> anyhow::Result<R>,
        own: impl FnOnce(&R, Own) -> anyhow::Result<Printable>,
    ) -> anyhow::Result<Exit> {
        match in_part_about(input, subject)? {
            Some(report) => self.print_with(report, |_, _| Err(no_decisions().into())),
            None => self.print_with(ask()?, own),
        }
    }

    /// Prints the report, of which `own` makes the formats of the command's own.
    ///
    /// # Errors
    /// As [`Printing::print`], and those of `own`.
    pub fn print_with<R: Printed>(
        &self,
        mut report: R,
        own: impl FnOnce(&R, Own) -> anyhow::Result<Printable>,
    ) -> anyhow::Result<Exit> {
        say(&report.beside(), self.global);
        // Sorted by a field of the JSON, in every format: text rows have the order of its items.
        if let Some(path) = &self.list.sort_by {
            sort(&mut report, path)?;
        }
        let (headers, paper) = (!self.list.rows.no_headers, output::paper(self.global));
        let text = match (self.format.data(|| report.json(), headers, paper)?, self.format) {
            (Some(data), _) => data,
            (None, Format::Own(format)) => own(&report, *format)?,
            (None, Format::Html) => html(&report, self.global),
            (None, format) => {
                let extent = format.extent(self.list.rows.all);
                page(&|extent| report.page(extent), extent, self.global)
            }
        };
        pager::print(&text, self.global)?;
        Ok(report.verdict().into())
    }
}

/// A page that shows this much. Its first line stays on a terminal, unless a pager shows it.
pub fn page(draw: &dyn Fn(Extent) -> Page, extent: Extent, global: &GlobalFlags) -> Printable {
    let paper = output::paper_for(extent, global);
    // The prompt has an empty line above it.
    match output::lines().checked_sub(1) {
        Some(lines @ 1..) if !extent.is_all() && !pager::is_wanted(global) => {
            Page::print_fitted(draw, paper, lines, "-o wide")
        }
        _ => draw(extent).print(paper),
    }
}

/// The error for a format of a command's own where nothing could be decided.
pub fn no_decisions() -> Error {
    Error::usage_hint(
        "this format shows decisions, and there is none without the nodes and their pods",
        "text, wide, json, yaml and jsonpath show what is known without them",
    )
}

/// Puts the items into the order of what stands at `path` in their JSON.
///
/// # Errors
/// A usage error for a path that no item has.
pub fn sort(
    report: &mut (impl Report + ToJson<Json: Serialize>),
    path: &PathTemplate,
) -> anyhow::Result<()> {
    let root = output::to_value(&report.json())?;
    kubectl_format::check("--sort-by", std::iter::once(path), &root)?;
    report.reorder(&custom_columns::order(&kubectl_format::items(&root), path));
    Ok(())
}

/// The page of a report for the browser.
pub fn html(report: &impl Drawn, global: &GlobalFlags) -> Printable {
    say_to_open(global);
    html::report(report)
}

/// Says that a page is to be opened with a browser, if it goes to a terminal.
pub fn say_to_open(global: &GlobalFlags) {
    if std::io::stdout().is_terminal() {
        let hint = "hint: this is a page for a browser: send it to a file with > preempt.html";
        output::say(global, hint);
    }
}

/// Says what stands beside an answer, to standard error.
fn say(beside: &Beside, global: &GlobalFlags) {
    if let Some(remark) = &beside.remark {
        output::say(global, remark);
    }
    for warning in &beside.warnings {
        output::warn(global, warning);
    }
}

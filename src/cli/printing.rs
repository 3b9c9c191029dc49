//! `-o`: the formats that every command has, those of its own, and the one place that prints a report
//! in any of them.

use clap::ValueEnum;
use clap::builder::PossibleValue;
use serde::Serialize;

use super::answer::CommandAnswer;
use super::flags::GlobalFlags;
use super::kubectl_format::{self, KubectlFormat};
use super::printer::{self, FormatParser};
use super::{output, pager};
use crate::exit::Exit;
use answers::extent::Extent;
use answers::questions::{ListRemarks, Verdict};
use render::custom_columns;
use render::jsonpath::PathTemplate;
use render::page::Page;
use render::safe::Printable;

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
    /// Text extracted from the JSON, or a table of user-defined columns.
    Kubectl(KubectlFormat),
    Own(Own),
}

/// The names of the formats that every command has, except those that take a value.
const COMMON: [&str; 4] = ["text", "wide", "json", "yaml"];

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
    let mut words: Vec<PossibleValue> = COMMON.iter().map(PossibleValue::new).collect();
    words.extend(printer::names::<Own>());
    words.extend(kubectl_format::NAMES.iter().map(PossibleValue::new));
    FormatParser::new(words, |text| {
        Ok(match text {
            "text" => Some(Format::Text),
            "wide" => Some(Format::Wide),
            "json" => Some(Format::Json),
            "yaml" => Some(Format::Yaml),
            _ => match Own::from_str(text, false) {
                Ok(own) => Some(Format::Own(own)),
                Err(_) => KubectlFormat::read(text)?.map(Format::Kubectl),
            },
        })
    })
}

/// Flags about the items of a list.
#[derive(Debug, Default, Clone, clap::Args)]
#[command(next_help_heading = "Output")]
pub struct ListArgs {
    /// Sort by this path of an item of -o json, e.g. .name
    #[arg(long, value_name = "JSONPATH", value_parser = PathTemplate::parse)]
    pub sort_by: Option<PathTemplate>,

    /// With -o custom-columns: no column headings
    #[arg(long, hide_short_help = true)]
    pub no_headers: bool,
}

/// A report that a command prints.
pub trait Printed {
    /// The formats that only this command has.
    type Own: Copy;

    fn verdict(&self) -> Verdict;

    /// The page for people.
    fn page(&self, extent: Extent) -> Page;

    /// The documented JSON.
    fn json(&self) -> impl Serialize;

    /// The report in a format of the command's own.
    ///
    /// # Errors
    /// When the format cannot show this report.
    fn own(&self, format: Self::Own) -> anyhow::Result<Printable>;

    /// Puts the items of the JSON into this order, given by their present places.
    fn reorder(&mut self, _order: &[usize]) {}

    fn beside(&self) -> Beside {
        Beside::default()
    }
}

/// What is said on standard error beside the answer.
#[derive(Debug, Default)]
pub struct Beside {
    pub remark: Option<String>,
    pub warnings: Vec<String>,
}

impl Beside {
    /// What is said beside a list of pods.
    pub fn of(remarks: &ListRemarks) -> Self {
        Self { remark: remarks.nothing_waits.clone(), warnings: remarks.warnings() }
    }

    fn say(self, global: &GlobalFlags) {
        if let Some(remark) = &self.remark {
            output::say(global, remark);
        }
        for warning in &self.warnings {
            output::warn(global, warning);
        }
    }
}

/// How the flags of a command have its report printed.
pub struct Printing<'a, Own> {
    pub format: &'a Format<Own>,
    pub list: &'a ListArgs,
    /// Whether long lists are shown with every row.
    pub all: bool,
    pub global: &'a GlobalFlags,
}

impl<Own: Copy> Printing<'_, Own> {
    /// Prints the report. Its verdict is how the command ends.
    ///
    /// # Errors
    /// A path that no item has, or standard output that cannot be written.
    pub fn print(&self, mut report: impl Printed<Own = Own>) -> anyhow::Result<Exit> {
        report.beside().say(self.global);
        if let Some(path) = &self.list.sort_by {
            let root = output::to_value(&report.json())?;
            kubectl_format::check("--sort-by", std::iter::once(path), &root)?;
            report.reorder(&custom_columns::order(&kubectl_format::items(&root), path));
        }
        pager::print(&self.text(&report)?, self.global)?;
        Ok(report.verdict().into())
    }

    fn text(&self, report: &impl Printed<Own = Own>) -> anyhow::Result<Printable> {
        let extent = match self.format {
            Format::Wide => Extent::Whole,
            _ if self.all => Extent::All,
            _ => Extent::Top,
        };
        match self.format {
            Format::Text | Format::Wide => {
                Ok(report.page(extent).print(output::paper_for(extent, self.global)))
            }
            Format::Json => output::json(&report.json()),
            Format::Yaml => output::yaml(&report.json()),
            Format::Kubectl(format) => {
                let headers = !self.list.no_headers;
                format.text(&report.json(), headers, output::paper(self.global))
            }
            Format::Own(format) => report.own(*format),
        }
    }
}

/// A report for an agent: its JSON, then its text.
///
/// # Errors
/// Never for the reports of this program.
pub fn for_agent(report: &impl Printed, global: &GlobalFlags) -> anyhow::Result<CommandAnswer> {
    report.beside().say(global);
    let page = report.page(Extent::Top).print(output::paper(global));
    let exit = report.verdict().into();
    Ok(CommandAnswer { texts: vec![output::json(&report.json())?, page], exit })
}

/// The things in this order, given by their present places.
pub fn in_order<T: Clone>(things: &[T], order: &[usize]) -> Vec<T> {
    order.iter().filter_map(|place| things.get(*place).cloned()).collect()
}

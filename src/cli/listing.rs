//! What commands that list share: kubectl's formats over the items of the JSON, and the order of the items.

use clap::ValueEnum;
use serde::Serialize;
use serde_json::Value;

use super::printer::{self, FormatParser};
use super::{output, schema};
use crate::error::Error;
use render::custom_columns::{self, CustomColumns};
use render::jsonpath::PathTemplate;
use render::page::Paper;
use render::safe::Printable;
use render::words;

/// The similarity from which a field is suggested, 0 to 1.
const SIMILAR: f64 = 0.7;

/// The formats of kubectl that take a value, as completion proposes them.
const WITH_VALUE: [&str; 2] = ["jsonpath=", "custom-columns="];

/// `-o` of a command that lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListFormat<T> {
    /// One of its own formats.
    Own(T),
    /// Text out of the JSON, or a table of columns that the user names.
    Kubectl(KubectlFormat),
}

/// A format of kubectl that takes a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KubectlFormat {
    /// Text out of the JSON.
    JsonPath(PathTemplate),
    /// A table with a row per item.
    CustomColumns(CustomColumns),
}

impl<T: Default> Default for ListFormat<T> {
    fn default() -> Self {
        Self::Own(T::default())
    }
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

/// The formats of a command that lists.
#[must_use]
pub fn formats<T: ValueEnum + Clone + 'static>() -> FormatParser<ListFormat<T>> {
    let names = printer::names::<T>().into_iter().chain(WITH_VALUE).collect();
    FormatParser::new(names, |text| match T::from_str(text, false) {
        Ok(format) => Ok(Some(ListFormat::Own(format))),
        Err(_) => Ok(KubectlFormat::read(text)?.map(ListFormat::Kubectl)),
    })
}

impl KubectlFormat {
    /// Reads a format; `None` if it is none of these.
    ///
    /// # Errors
    /// What is wrong with its value, in kubectl's words.
    pub fn read(text: &str) -> Result<Option<Self>, String> {
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        Ok(match name {
            "jsonpath" => Some(Self::JsonPath(printer::template(value)?)),
            "custom-columns" => Some(Self::CustomColumns(CustomColumns::parse(value)?)),
            _ => None,
        })
    }

    /// The answer in this format.
    ///
    /// # Errors
    /// [`Error::Usage`] for a template or column that does not go with the answer.
    pub fn text(&self, answer: &impl Serialize, headers: bool, paper: Paper) -> anyhow::Result<Printable> {
        let root = output::to_value(answer)?;
        match self {
            Self::JsonPath(template) => printer::fill(template, &root),
            Self::CustomColumns(columns) => {
                check("-o custom-columns", columns.paths(), &root)?;
                Ok(columns.page(&items(&root), headers).print(Paper { width: None, ..paper }))
            }
        }
    }
}

impl ListArgs {
    /// `things` in the order of `--sort-by`, `answer` being their JSON.
    ///
    /// # Errors
    /// [`Error::Usage`] for a path that no item has.
    pub fn sort<T>(
        &self,
        things: &mut Vec<T>,
        answer: impl FnOnce(&[T]) -> anyhow::Result<Value>,
    ) -> anyhow::Result<()> {
        let Some(path) = &self.sort_by else { return Ok(()) };
        let root = answer(things)?;
        check("--sort-by", std::iter::once(path), &root)?;
        let mut rest: Vec<Option<T>> = std::mem::take(things).into_iter().map(Some).collect();
        let order = custom_columns::order(&items(&root), path);
        things.extend(order.into_iter().filter_map(|index| rest.get_mut(index)?.take()));
        Ok(())
    }
}

/// The items of an answer: those of a list, the steps of a simulation, or the answer itself.
#[must_use]
pub fn items(root: &Value) -> Vec<Value> {
    let list = ["items", "steps"].iter().find_map(|key| root.get(key)?.as_array());
    list.cloned().unwrap_or_else(|| vec![root.clone()])
}

/// Refuses paths that no item of an answer of this kind has: in a table, such a column would be empty for a typing error.
///
/// # Errors
/// [`Error::Usage`] for such a path.
pub fn check<'p>(flag: &str, paths: impl Iterator<Item = &'p PathTemplate>, root: &Value) -> Result<(), Error> {
    let schema: Value = serde_json::from_str(schema::SCHEMA).unwrap_or_default();
    let kind = root.get("kind").and_then(Value::as_str).unwrap_or_default();
    let Some(answer) = schema.get("$defs").and_then(|defs| defs.get(kind)) else { return Ok(()) };
    let of_list = |key: &&str| root.get(key).is_some_and(Value::is_array);
    let item = ["items", "steps"].iter().find(|key| of_list(key)).and_then(|key| {
        let list = answer.get("properties")?.get(key)?;
        list.get("items")
    });
    for path in paths {
        let Some(unknown) = path.unknown_field(&schema, item.unwrap_or(answer)) else { continue };
        let problem = format!("{flag}: no item has a field `{}`", unknown.name);
        let similarity = |known: &&String| strsim::jaro_winkler(&unknown.name.to_lowercase(), &known.to_lowercase());
        let similar = unknown.known.iter().filter(|known| similarity(known) > SIMILAR);
        let hint = match similar.max_by(|a, b| similarity(a).total_cmp(&similarity(b))) {
            Some(field) => format!("did you mean {field}?"),
            None if unknown.known.is_empty() => "-o json shows what there is".to_owned(),
            None => format!("there are {}", words::list(&unknown.known, usize::MAX)),
        };
        return Err(Error::usage_hint(problem, hint));
    }
    Ok(())
}

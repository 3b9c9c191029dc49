//! Common parts of commands that list: kubectl's formats over the items of the JSON, and the order
//! of the items.

use clap::ValueEnum;
use clap::builder::PossibleValue;
use serde_json::Value;

use super::kubectl_format::{self, KubectlFormat};
use super::printer::{self, ForPeople, FormatParser};
pub use super::printing::ListArgs;
use answers::extent::Extent;
use render::custom_columns;

/// `-o` of a command that lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListFormat<T> {
    /// One of its own formats.
    Own(T),
    /// Text extracted from the JSON, or a table of user-defined columns.
    Kubectl(KubectlFormat),
}

impl<T: ForPeople> ListFormat<T> {
    /// How much the text shows: everything with `-o wide`, every row with `--all`, and otherwise
    /// the first rows.
    pub fn extent(&self, all: bool) -> Extent {
        match self {
            Self::Own(format) if *format == T::WIDE => Extent::Whole,
            _ if all => Extent::All,
            _ => Extent::Top,
        }
    }
}

impl<T: Default> Default for ListFormat<T> {
    fn default() -> Self {
        Self::Own(T::default())
    }
}

/// The formats of a command that lists.
pub fn formats<T: ValueEnum + Clone + 'static>() -> FormatParser<ListFormat<T>> {
    let mut words = printer::names::<T>();
    words.extend(kubectl_format::NAMES.iter().map(PossibleValue::new));
    FormatParser::new(words, |text| match T::from_str(text, false) {
        Ok(format) => Ok(Some(ListFormat::Own(format))),
        Err(_) => Ok(KubectlFormat::read(text)?.map(ListFormat::Kubectl)),
    })
}

impl ListArgs {
    /// `things` in the order of `--sort-by`; `answer` is their JSON.
    ///
    /// # Errors
    /// A usage error for a path that no item has.
    pub fn sort<T>(
        &self,
        things: &mut Vec<T>,
        answer: impl FnOnce(&[T]) -> anyhow::Result<Value>,
    ) -> anyhow::Result<()> {
        let Some(path) = &self.sort_by else { return Ok(()) };
        let root = answer(things)?;
        kubectl_format::check("--sort-by", std::iter::once(path), &root)?;
        let mut rest: Vec<Option<T>> = std::mem::take(things).into_iter().map(Some).collect();
        let order = custom_columns::order(&kubectl_format::items(&root), path);
        things.extend(order.into_iter().filter_map(|index| rest.get_mut(index)?.take()));
        Ok(())
    }
}

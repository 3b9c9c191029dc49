//! `-o custom-columns` and `--sort-by`, with kubectl's syntax, over the items of the JSON output.

use std::cmp::Ordering;

use serde_json::Value;

use super::jsonpath::PathTemplate;
use super::page::{Column, Page, Span};

/// What kubectl writes for a missing value.
const MISSING: &str = "<none>";

/// A table whose columns the user names: `NAME:.name,NODE:.nodes[0]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomColumns(Vec<(String, PathTemplate)>);

impl CustomColumns {
    /// Parses the columns.
    ///
    /// # Errors
    /// In kubectl's words: no column, a column without a path, or an invalid path.
    pub fn parse(columns: &str) -> Result<Self, String> {
        if columns.is_empty() {
            return Err("custom-columns format specified but no custom columns given".to_owned());
        }
        let mut parsed = Vec::new();
        for column in columns.split(',') {
            let (title, path) = column.split_once(':').ok_or_else(|| {
                format!(
                    "unexpected custom-columns spec: {column}, expected <header>:<json-path-expr>"
                )
            })?;
            parsed.push((title.to_owned(), PathTemplate::parse(path)?));
        }
        Ok(Self(parsed))
    }

    pub fn paths(&self) -> impl Iterator<Item = &PathTemplate> {
        self.0.iter().map(|(_, path)| path)
    }

    /// The table, with a row per item; without headings unless `headers`.
    pub fn page(&self, items: &[Value], headers: bool) -> Page {
        let mut page = Page::default();
        let mut rows: Vec<Vec<Span>> = Vec::new();
        if headers {
            rows.push(self.0.iter().map(|(title, _)| Span::from(title.as_str())).collect());
        }
        for item in items {
            rows.push(self.0.iter().map(|(_, path)| Span::from(text(path, item))).collect());
        }
        page.table(0, self.0.iter().map(|_| Column::default()), rows);
        page
    }
}

fn text(path: &PathTemplate, item: &Value) -> String {
    path.fill(item).ok().filter(|text| !text.is_empty()).unwrap_or_else(|| MISSING.to_owned())
}

/// The indices of `items` sorted by the value at `path`: numbers by value, texts as they are,
/// missing values last.
pub fn order(items: &[Value], path: &PathTemplate) -> Vec<usize> {
    let keys: Vec<Option<String>> =
        items.iter().map(|item| path.fill(item).ok().filter(|text| !text.is_empty())).collect();
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by(|a, b| {
        match (keys.get(*a).and_then(Option::as_ref), keys.get(*b).and_then(Option::as_ref)) {
            (Some(a), Some(b)) => compare(a, b),
            (a, b) => b.is_some().cmp(&a.is_some()),
        }
    });
    order
}

fn compare(a: &str, b: &str) -> Ordering {
    match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(a), Ok(b)) => a.total_cmp(&b),
        _ => a.cmp(b),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{CustomColumns, order};
    use crate::jsonpath::PathTemplate;
    use crate::page::Paper;

    #[test]
    fn columns_as_kubectl_has_them() {
        let items = [
            json!({"name": "a", "nodes": ["n1", "n2"]}),
            json!({"name": "b\u{1b}[2J", "nodes": []}),
        ];
        let table = |columns, headers| {
            CustomColumns::parse(columns).unwrap().page(&items, headers).print(Paper::PLAIN)
        };
        let text = "NAME            NODE\na               n1\nb\\u{1b}[2J      <none>\n";
        assert_eq!(
            table("NAME:.name,NODE:.nodes[0]", true).replace(' ', ""),
            text.replace(' ', "")
        );
        assert_eq!(&*table("X:{.nodes[*]}", false), "n1 n2\n<none>\n");
        for wrong in ["", "NAME", "NAME:{.a"] {
            assert!(CustomColumns::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn numbers_are_sorted_by_value_and_missing_values_last() {
        let by = |path, values: [serde_json::Value; 3]| {
            order(&values, &PathTemplate::parse(path).unwrap())
        };
        assert_eq!(by(".a", [json!({"a": 10}), json!({}), json!({"a": 9})]), [2, 0, 1]);
        assert_eq!(
            by("{.a}", [json!({"a": "b"}), json!({"a": "a"}), json!({"a": "b"})]),
            [1, 0, 2]
        );
    }
}

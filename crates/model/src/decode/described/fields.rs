//! Fields of a description: a name, a value, and the lines below it that are further in.

use serde_json::{Map, Value};

/// One field.
#[derive(Debug)]
pub(super) struct Field<'t> {
    pub name: &'t str,
    value: &'t str,
    /// The lines below it, as they are.
    pub body: Vec<&'t str>,
}

impl<'t> Field<'t> {
    /// Its value on its own line; `None` if it is empty or says so.
    pub(super) fn value(&self) -> Option<&'t str> {
        Some(self.value).filter(|value| !is_none(value))
    }

    /// Its values, one on each line: that of its own line first.
    pub(super) fn lines(&self) -> Vec<&'t str> {
        let below = self.body.iter().map(|line| line.trim());
        [self.value].into_iter().chain(below).filter(|line| !is_none(line)).collect()
    }

    /// Its pairs, one on each line, with `between` between name and value.
    pub(super) fn pairs(&self, between: &str) -> Map<String, Value> {
        let pairs = self.lines().into_iter().filter_map(|line| line.split_once(between));
        pairs.map(|(name, value)| (name.trim().to_owned(), value.trim().into())).collect()
    }

    /// The values of the fields below it, by their names.
    pub(super) fn values(&self) -> Map<String, Value> {
        let fields = self.fields();
        let values =
            fields.iter().filter_map(|field| Some((field.name.to_owned(), field.value()?.into())));
        values.collect()
    }

    /// The values of the fields below that field, by their names.
    pub(super) fn values_of(&self, name: &str) -> Map<String, Value> {
        self.field(name).map(|field| field.values()).unwrap_or_default()
    }

    /// The fields below it.
    pub(super) fn fields(&self) -> Vec<Field<'t>> {
        fields(&self.body)
    }

    /// The field of that name below it.
    pub(super) fn field(&self, name: &str) -> Option<Field<'t>> {
        self.fields().into_iter().find(|field| field.name == name)
    }

    /// The value of that field below it, if it has one.
    pub(super) fn value_of(&self, name: &str) -> Option<&'t str> {
        self.field(name)?.value()
    }
}

fn is_none(value: &str) -> bool {
    ["", "<none>", "<unset>", "<nil>", "<unknown>"].contains(&value)
}

fn depth(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The fields of these lines: those that are least far in, each with what is below it.
pub(super) fn fields<'t>(lines: &[&'t str]) -> Vec<Field<'t>> {
    let lines = lines.iter().filter(|line| !line.trim().is_empty());
    let base = lines.clone().map(|line| depth(line)).min().unwrap_or_default();
    let mut fields: Vec<Field<'t>> = Vec::new();
    for line in lines {
        if depth(line) > base {
            if let Some(field) = fields.last_mut() {
                field.body.push(line);
            }
            continue;
        }
        // A name may have colons, and ends at the first that is followed by space.
        let line = line.trim();
        let end = line.char_indices().find(|(at, c)| {
            let behind = line.get(at + 1..).unwrap_or_default();
            *c == ':' && (behind.is_empty() || behind.starts_with([' ', '\t']))
        });
        let (name, value) = match end {
            Some((at, _)) => (line.get(..at), line.get(at + 1..)),
            None => (Some(line), None),
        };
        fields.push(Field {
            name: name.unwrap_or_default(),
            value: value.unwrap_or_default().trim(),
            body: Vec::new(),
        });
    }
    fields
}

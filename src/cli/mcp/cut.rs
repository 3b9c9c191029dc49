//! Shortens answers for agents: keeps the first items of each list, and reports what was omitted.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use render::escape::visible;

/// Default number of items per list.
pub(super) const ROWS: usize = 20;
/// Maximum number of items per list.
pub(super) const MOST_ROWS: usize = 500;
/// Minimum limit of lines of the text; more if more items are requested.
const LINES: usize = 100;
/// Maximum length of one string in characters.
const CHARACTERS: usize = 2000;
/// Maximum number of fields of a map, such as one by node. Other objects have fewer.
const FIELDS: usize = 64;
/// Size limit of an answer in bytes. Lists are shortened until it is met.
const BYTES: usize = 256 << 10;

/// A place where something was omitted.
#[derive(Debug, Default)]
struct Cut {
    unit: &'static str,
    shown: usize,
    of: usize,
}

/// Omissions by place. The same place in several items of a list is reported once, for the longest.
type Cuts = BTreeMap<String, Cut>;

/// An answer that is short enough for an agent.
#[derive(Debug)]
pub(super) struct ShortAnswer {
    pub answer: Value,
    pub screen: Vec<String>,
    /// Reports of what was omitted.
    pub cut: Vec<Value>,
}

impl ShortAnswer {
    /// Shortens an answer to `rows` items per list, or fewer if it is still too long.
    pub(super) fn new(answer: &Value, screen: &str, rows: usize) -> Self {
        let mut rows = rows.clamp(1, MOST_ROWS);
        loop {
            let short = Self::with_rows(answer, screen, rows);
            if rows == 1 || short.bytes() <= BYTES {
                return short;
            }
            rows /= 2;
        }
    }

    fn with_rows(answer: &Value, screen: &str, rows: usize) -> Self {
        let mut cuts = Cuts::new();
        let answer = shortened(answer, rows, ".answer", &mut cuts);
        let most = LINES.max(rows);
        let lines: Vec<&str> = screen.lines().collect();
        note(&mut cuts, ".screen", "lines", most, lines.len());
        let screen = lines.into_iter().take(most).map(|line| text(line, ".screen[]", &mut cuts));
        Self { answer, screen: screen.collect(), cut: cuts.into_iter().map(json).collect() }
    }

    fn bytes(&self) -> usize {
        let screen: usize = self.screen.iter().map(String::len).sum();
        self.answer.to_string().len() + screen
    }
}

/// Records that at most `shown` of `of` things are included, if that is fewer.
fn note(cuts: &mut Cuts, path: &str, unit: &'static str, shown: usize, of: usize) {
    if of > shown {
        let cut = cuts.entry(path.to_owned()).or_insert(Cut { unit, shown, of });
        cut.of = cut.of.max(of);
    }
}

fn json((path, Cut { unit, shown, of }): (String, Cut)) -> Value {
    json!({"path": path, "unit": unit, "shown": shown, "of": of})
}

/// The value with at most `rows` items per list.
fn shortened(value: &Value, rows: usize, path: &str, cuts: &mut Cuts) -> Value {
    match value {
        Value::String(string) => Value::String(text(string, path, cuts)),
        Value::Array(items) => {
            note(cuts, path, "items", rows, items.len());
            let inner = format!("{path}[]");
            items.iter().take(rows).map(|item| shortened(item, rows, &inner, cuts)).collect()
        }
        Value::Object(fields) => {
            let most = FIELDS.max(rows);
            note(cuts, path, "fields", most, fields.len());
            let is_map = fields.len() > most;
            let shown = fields.iter().take(most).map(|(name, inner)| {
                // Keys of a map are names from the cluster, of which there may be any number.
                let step = if is_map { "*" } else { name };
                (visible(name), shortened(inner, rows, &format!("{path}.{step}"), cuts))
            });
            Value::Object(shown.collect())
        }
        other => other.clone(),
    }
}

/// The text with invisible characters escaped, cut to the maximum length.
fn text(string: &str, path: &str, cuts: &mut Cuts) -> String {
    let seen = visible(string);
    let length = seen.chars().count();
    note(cuts, path, "characters", CHARACTERS, length);
    if length > CHARACTERS { seen.chars().take(CHARACTERS).collect() } else { seen }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_cut_at_any_depth_and_cuts_are_reported() {
        let pods: Vec<Value> = (0..9).map(|n| json!({"name": n, "nodes": [1, 2, 3]})).collect();
        let short = ShortAnswer::new(&json!({"items": pods, "all": [1, 2]}), "a\nb\n", 2);
        assert_eq!(short.answer["items"].as_array().unwrap().len(), 2);
        assert_eq!(short.answer["items"][1]["nodes"], json!([1, 2]));
        assert_eq!(
            short.cut,
            [
                json!({"path": ".answer.items", "unit": "items", "shown": 2, "of": 9}),
                json!({"path": ".answer.items[].nodes", "unit": "items", "shown": 2, "of": 3}),
            ]
        );
        assert_eq!(short.screen, ["a", "b"]);
    }

    #[test]
    fn long_texts_long_maps_and_many_lines_are_cut() {
        let map: serde_json::Map<String, Value> =
            (0..200).map(|n| (format!("n{n}"), json!(n))).collect();
        let answer = json!({"long": "x".repeat(5000), "by_node": map});
        let short = ShortAnswer::new(&answer, &"line\n".repeat(300), 20);
        assert_eq!(short.answer["long"].as_str().unwrap().len(), CHARACTERS);
        assert_eq!(short.answer["by_node"].as_object().unwrap().len(), FIELDS);
        assert_eq!(short.screen.len(), LINES);
        let units: Vec<&str> = short.cut.iter().map(|cut| cut["unit"].as_str().unwrap()).collect();
        assert_eq!(units, ["fields", "characters", "lines"]);
    }

    #[test]
    fn an_answer_that_is_too_long_gets_fewer_rows() {
        let rows: Vec<Value> = (0..500).map(|_| json!("y".repeat(1900))).collect();
        let short = ShortAnswer::new(&json!({"rows": rows}), "", 500);
        assert!(short.bytes() <= BYTES, "{}", short.bytes());
        let shown = short.answer["rows"].as_array().unwrap().len();
        assert_eq!(short.cut[0]["shown"], shown);
        assert_eq!(short.cut[0]["of"], 500);
    }

    #[test]
    fn invisible_characters_are_shown_as_escapes() {
        let short = ShortAnswer::new(&json!({"a": "x\u{202e}\u{e0041}\u{1b}y"}), "\u{200b}", 20);
        let seen = short.answer["a"].as_str().unwrap();
        assert!(seen.chars().all(|c| c.is_ascii() && !c.is_ascii_control()), "{seen:?}");
        assert!(short.screen[0].is_ascii(), "{:?}", short.screen);
    }
}

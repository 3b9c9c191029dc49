//! How much of an answer an agent gets: the first items of each list, and what was left out.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use render::escape::visible;

/// The items of a list where the question does not say how many.
pub(super) const ROWS: usize = 20;
/// The most that a question may ask for.
pub(super) const MOST_ROWS: usize = 500;
/// Lines of the text, at least; more if more items are asked for.
const LINES: usize = 100;
/// Characters of one string.
const CHARACTERS: usize = 2000;
/// Fields of an object that is a map, such as one by node. Other objects have fewer.
const FIELDS: usize = 64;
/// The most bytes of a whole answer. Lists get shorter until it is no longer.
const BYTES: usize = 256 << 10;

/// A place at which something was left out.
#[derive(Debug, Default)]
struct Cut {
    unit: &'static str,
    shown: usize,
    of: usize,
}

/// What was left out, by place. The same place in several items of a list is one, with the longest.
type Cuts = BTreeMap<String, Cut>;

/// An answer that is short enough for an agent.
#[derive(Debug)]
pub(super) struct ShortAnswer {
    /// The JSON.
    pub answer: Value,
    /// The lines of the text.
    pub screen: Vec<String>,
    /// What was left out.
    pub cut: Vec<Value>,
}

impl ShortAnswer {
    /// Shortens an answer to `rows` items of each list, or fewer if it is too long still.
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

/// Notes that of `of` things at most `shown` are there, if that is fewer.
fn note(cuts: &mut Cuts, path: &str, unit: &'static str, shown: usize, of: usize) {
    if of > shown {
        let cut = cuts.entry(path.to_owned()).or_insert(Cut { unit, shown, of });
        cut.of = cut.of.max(of);
    }
}

fn json((path, Cut { unit, shown, of }): (String, Cut)) -> Value {
    json!({"path": path, "unit": unit, "shown": shown, "of": of})
}

/// The value with at most `rows` items of each list.
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
            let field = |(name, inner): (&String, &Value)| {
                // The names of a map are names of the cluster, of which there may be any number.
                let step = if is_map { "*" } else { name };
                (visible(name), shortened(inner, rows, &format!("{path}.{step}"), cuts))
            };
            Value::Object(fields.iter().take(most).map(field).collect())
        }
        other => other.clone(),
    }
}

/// The text with invisible characters as escapes, and at most so many characters.
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
    fn lists_are_cut_at_any_depth_and_it_is_said() {
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

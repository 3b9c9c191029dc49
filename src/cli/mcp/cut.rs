//! Shortens answers for agents: keeps the first items of each list, and reports what was omitted.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use render::escape::visible;

/// Default number of items per list.
pub(super) const ROWS: usize = 20;
/// Maximum number of items of a list within a list, or within another value, of a concise answer.
const INNER_ROWS: usize = 5;
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
    pub values: Value,
    pub screen: Vec<String>,
    /// Reports of what was omitted.
    pub cut: Vec<Value>,
}

/// How much of each list and text an answer has.
#[derive(Debug, Clone, Copy)]
struct Limits {
    rows: usize,
    /// The items of lists below those of the answer itself.
    inner_rows: usize,
    /// How many items of each list of the answer itself are passed over.
    offset: usize,
    characters: usize,
    lines: usize,
}

impl ShortAnswer {
    /// The screen, and the values at these paths of the answer: together not longer than `bytes`.
    pub(super) fn concise(
        answer: &Value,
        screen: &str,
        paths: &[&str],
        rows: usize,
        bytes: usize,
    ) -> Self {
        let chosen =
            projected(answer, &paths.iter().map(|path| path.split('.').collect()).collect());
        let mut limits = Limits {
            rows: rows.clamp(1, MOST_ROWS),
            inner_rows: INNER_ROWS,
            offset: 0,
            characters: CHARACTERS / 4,
            lines: LINES / 2,
        };
        loop {
            let short = Self::within(&chosen, screen, limits);
            if short.bytes() <= bytes || limits.lines <= 1 {
                return short;
            }
            // The screen is the answer in short: it stays as long as lists can be shorter.
            if limits.rows > 1 {
                limits.rows -= limits.rows.div_ceil(4);
            } else {
                limits.characters = (limits.characters * 3 / 4).max(40);
                limits.lines = limits.lines * 3 / 4;
            }
        }
    }

    /// All of an answer, with `rows` items of each list, or fewer if it is still too long.
    pub(super) fn full(answer: &Value, screen: &str, rows: usize, offset: usize) -> Self {
        let mut rows = rows.clamp(1, MOST_ROWS);
        loop {
            let lines = LINES.max(rows);
            let limits = Limits { rows, inner_rows: rows, offset, characters: CHARACTERS, lines };
            let short = Self::within(answer, screen, limits);
            if rows == 1 || short.bytes() <= BYTES {
                return short;
            }
            rows /= 2;
        }
    }

    fn within(answer: &Value, screen: &str, limits: Limits) -> Self {
        let mut cuts = Cuts::new();
        let values = shortened(answer, limits, ".values", &mut cuts);
        let lines: Vec<&str> = screen.lines().filter(|line| !line.trim().is_empty()).collect();
        note(&mut cuts, ".screen", "lines", limits.lines, lines.len());
        let lines = lines.into_iter().take(limits.lines);
        let screen = lines.map(|line| text(line, limits.characters, ".screen[]", &mut cuts));
        Self { values, screen: screen.collect(), cut: cuts.into_iter().map(json).collect() }
    }

    fn bytes(&self) -> usize {
        let parts =
            [&self.values, &Value::from(self.screen.clone()), &Value::from(self.cut.clone())];
        parts.map(|part| part.to_string().len()).iter().sum()
    }
}

/// What stands at the paths, each a list of the names of fields. Items of lists are not counted.
fn projected(value: &Value, paths: &Vec<Vec<&str>>) -> Value {
    match value {
        Value::Array(items) => items.iter().map(|item| projected(item, paths)).collect(),
        Value::Object(fields) => {
            let mut chosen = Map::new();
            for (name, inner) in fields {
                let mut rests = Vec::new();
                for path in paths {
                    if let Some((first, rest)) = path.split_first()
                        && first == name
                    {
                        rests.push(rest.to_vec());
                    }
                }
                if inner.is_null() {
                    // Nothing is said of what does not apply.
                } else if rests.iter().any(Vec::is_empty) {
                    chosen.insert(name.clone(), inner.clone());
                } else if !rests.is_empty() {
                    chosen.insert(name.clone(), projected(inner, &rests));
                }
            }
            Value::Object(chosen)
        }
        other => other.clone(),
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

/// The value within the limits. Only lists that are fields of the answer itself have an offset.
fn shortened(value: &Value, limits: Limits, path: &str, cuts: &mut Cuts) -> Value {
    let Limits { rows, offset, characters, .. } = limits;
    match value {
        Value::String(string) => Value::String(text(string, characters, path, cuts)),
        Value::Array(items) => {
            note(cuts, path, "items", offset + rows, items.len());
            let inner = format!("{path}[]");
            let within = Limits { rows: limits.inner_rows.min(rows), offset: 0, ..limits };
            let shown = items.iter().skip(offset).take(rows);
            shown.map(|item| shortened(item, within, &inner, cuts)).collect()
        }
        Value::Object(fields) => {
            let most = FIELDS.max(rows);
            note(cuts, path, "fields", most, fields.len());
            let is_map = fields.len() > most;
            let shown = fields.iter().take(most).map(|(name, inner)| {
                // Keys of a map are names from the cluster, of which there may be any number.
                let step = if is_map { "*" } else { name };
                let within = if path == ".values" && inner.is_array() {
                    limits
                } else {
                    Limits { rows: limits.inner_rows.min(rows), offset: 0, ..limits }
                };
                (visible(name), shortened(inner, within, &format!("{path}.{step}"), cuts))
            });
            Value::Object(shown.collect())
        }
        other => other.clone(),
    }
}

/// The text with invisible characters escaped, cut to so many characters.
fn text(string: &str, characters: usize, path: &str, cuts: &mut Cuts) -> String {
    let seen = visible(string);
    let length = seen.chars().count();
    note(cuts, path, "characters", characters, length);
    if length > characters { seen.chars().take(characters).collect() } else { seen }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_cut_at_any_depth_and_cuts_are_reported() {
        let pods: Vec<Value> = (0..9).map(|n| json!({"name": n, "nodes": [1, 2, 3]})).collect();
        let short = ShortAnswer::full(&json!({"items": pods, "all": [1, 2]}), "a\nb\n", 2, 0);
        assert_eq!(short.values["items"].as_array().unwrap().len(), 2);
        assert_eq!(short.values["items"][1]["nodes"], json!([1, 2]));
        assert_eq!(
            short.cut,
            [
                json!({"path": ".values.items", "unit": "items", "shown": 2, "of": 9}),
                json!({"path": ".values.items[].nodes", "unit": "items", "shown": 2, "of": 3}),
            ]
        );
        assert_eq!(short.screen, ["a", "b"]);
    }

    #[test]
    fn long_texts_long_maps_and_many_lines_are_cut() {
        let map: serde_json::Map<String, Value> =
            (0..200).map(|n| (format!("n{n}"), json!(n))).collect();
        let answer = json!({"long": "x".repeat(5000), "by_node": map});
        let short = ShortAnswer::full(&answer, &"line\n".repeat(300), 20, 0);
        assert_eq!(short.values["long"].as_str().unwrap().len(), CHARACTERS);
        assert_eq!(short.values["by_node"].as_object().unwrap().len(), FIELDS);
        assert_eq!(short.screen.len(), LINES);
        let units: Vec<&str> = short.cut.iter().map(|cut| cut["unit"].as_str().unwrap()).collect();
        assert_eq!(units, ["lines", "fields", "characters"]);
    }

    #[test]
    fn an_answer_that_is_too_long_gets_fewer_rows() {
        let rows: Vec<Value> = (0..500).map(|_| json!("y".repeat(1900))).collect();
        let short = ShortAnswer::full(&json!({"rows": rows}), "", 500, 0);
        assert!(short.bytes() <= BYTES, "{}", short.bytes());
        let shown = short.values["rows"].as_array().unwrap().len();
        assert_eq!(short.cut[0]["shown"], shown);
        assert_eq!(short.cut[0]["of"], 500);
    }

    #[test]
    fn invisible_characters_are_shown_as_escapes() {
        let short =
            ShortAnswer::full(&json!({"a": "x\u{202e}\u{e0041}\u{1b}y"}), "\u{200b}", 20, 0);
        let seen = short.values["a"].as_str().unwrap();
        assert!(seen.chars().all(|c| c.is_ascii() && !c.is_ascii_control()), "{seen:?}");
        assert!(short.screen[0].is_ascii(), "{:?}", short.screen);
    }

    #[test]
    fn offset_passes_over_items_of_the_lists_of_the_answer() {
        let pods: Vec<Value> = (0..9).map(|n| json!({"name": n, "nodes": [1, 2, 3]})).collect();
        let short = ShortAnswer::full(&json!({"items": pods}), "", 3, 6);
        let names: Vec<u64> = (6..9).collect();
        let items = short.values["items"].as_array().unwrap();
        assert_eq!(
            items.iter().map(|item| item["name"].as_u64().unwrap()).collect::<Vec<_>>(),
            names
        );
        assert_eq!(items[0]["nodes"], json!([1, 2, 3]), "inner lists begin with their first item");
        assert!(short.cut.is_empty(), "{:?}", short.cut);
    }

    #[test]
    fn concise_answer_has_the_chosen_values_and_is_short_enough() {
        let pod =
            json!({"name": "x".repeat(300), "uid": "u", "cause": {"code": "PRE-201", "text": "t"}});
        let answer = json!({"items": vec![pod; 500], "notes": [{"text": "n", "severity": "error"}], "kind": "K"});
        let paths = ["items.name", "items.cause.code", "notes"];
        let short = ShortAnswer::concise(&answer, &"line\n".repeat(30), &paths, 20, 3000);
        assert!(short.bytes() <= 3000, "{}", short.bytes());
        assert_eq!(short.screen.len(), 30);
        assert_eq!(short.values["items"][0]["cause"], json!({"code": "PRE-201"}));
        assert_eq!(short.values["notes"], answer["notes"]);
        assert_eq!(short.values.get("kind"), None);
        assert_eq!(short.cut[0]["of"], 500);
        // A screen that is too long alone is cut, too.
        let short = ShortAnswer::concise(&answer, &"a long line\n".repeat(9000), &paths, 20, 900);
        assert!(short.bytes() <= 900, "{}", short.bytes());
    }
}

//! Texts.
//!
//! Upstream: cel-go `ext/strings.go`, version 2.

use go::quoted_with;

use super::costs;
use super::declare::{Function, Run, function, global, member};
use super::format::format;
use crate::release::Release;
use crate::values::{EvalResult, Value, fail, show};

pub(super) const FUNCTIONS: &[Function] = &[
    function(
        "charAt",
        &[member("string_char_at_int", "string, int -> string", Run::Direct(char_at))],
    ),
    function(
        "indexOf",
        &[
            member(
                "string_index_of_string",
                "string, string -> int",
                Run::Direct(|_, args| index_of(args, 0, true)),
            ),
            member(
                "string_index_of_string_int",
                "string, string, int -> int",
                Run::InTurn(index_of_from),
            ),
        ],
    )
    .costs(costs::traversal),
    function(
        "lastIndexOf",
        &[
            member(
                "string_last_index_of_string",
                "string, string -> int",
                Run::Direct(last_index_of),
            ),
            member(
                "string_last_index_of_string_int",
                "string, string, int -> int",
                Run::InTurn(last_index_of_from),
            ),
        ],
    )
    .costs(costs::traversal),
    function(
        "lowerAscii",
        &[member(
            "string_lower_ascii",
            "string -> string",
            Run::Direct(|_, args| made(args, str::to_ascii_lowercase)),
        )],
    )
    .costs(costs::first),
    function(
        "replace",
        &[
            member(
                "string_replace_string_string",
                "string, string, string -> string",
                Run::InTurn(replace),
            ),
            member(
                "string_replace_string_string_int",
                "string, string, string, int -> string",
                Run::InTurn(replace),
            ),
        ],
    )
    .costs(costs::first_twice),
    function(
        "split",
        &[
            member("string_split_string", "string, string -> list(string)", Run::Direct(split)),
            member(
                "string_split_string_int",
                "string, string, int -> list(string)",
                Run::InTurn(split),
            ),
        ],
    )
    .costs(costs::first_twice),
    function(
        "substring",
        &[
            member("string_substring_int", "string, int -> string", Run::Direct(substring)),
            member(
                "string_substring_int_int",
                "string, int, int -> string",
                Run::InTurn(substring),
            ),
        ],
    )
    .costs(costs::first),
    function(
        "trim",
        &[member(
            "string_trim",
            "string -> string",
            Run::Direct(|_, args| made(args, |t| t.trim_matches(is_space).into())),
        )],
    )
    .costs(costs::first),
    function(
        "upperAscii",
        &[member(
            "string_upper_ascii",
            "string -> string",
            Run::Direct(|_, args| made(args, str::to_ascii_uppercase)),
        )],
    )
    .costs(costs::first),
    function(
        "format",
        &[member("string_format", "string, list(dyn) -> string", Run::InTurn(format))
            .costs(|call| Ok(Some(costs::reading(costs::inner_size(call.args.first())))))],
    ),
    function(
        "strings.quote",
        &[global(
            "strings_quote",
            "string -> string",
            Run::Direct(|_, args| made(args, |text| quoted_with(text, |c, out| out.push(c)))),
        )
        .costs(|call| Ok(Some(costs::reading(costs::inner_size(call.args.first())))))],
    ),
    function(
        "join",
        &[
            member("list_join", "list(string) -> string", Run::Direct(join)),
            member("list_join_string", "list(string), string -> string", Run::Direct(join)),
        ],
    )
    .costs(costs::result_twice),
];

/// Go's `unicode.IsSpace`.
fn is_space(c: char) -> bool {
    c.is_whitespace() && !('\u{1c}'..='\u{1f}').contains(&c)
}

fn text(args: &[Value], at: usize) -> &str {
    args.get(at).and_then(Value::as_text).unwrap_or_default()
}

fn int(args: &[Value], at: usize) -> Option<i64> {
    if let Some(Value::Int(value)) = args.get(at) { Some(*value) } else { None }
}

#[expect(clippy::unnecessary_wraps, reason = "one of several")]
fn made(args: &[Value], make: impl Fn(&str) -> String) -> EvalResult {
    Ok(Value::text(&make(text(args, 0))))
}

fn out_of_range(index: i64) -> EvalResult {
    fail(format!("index out of range: {index}"))
}

fn characters(args: &[Value], at: usize) -> Vec<char> {
    text(args, at).chars().collect()
}

fn char_at(_: &Release, args: &[Value]) -> EvalResult {
    let (characters, index) = (characters(args, 0), int(args, 1).unwrap_or_default());
    match usize::try_from(index) {
        Ok(at) if at <= characters.len() => {
            Ok(Value::text(&characters.get(at).map(char::to_string).unwrap_or_default()))
        }
        _ => out_of_range(index),
    }
}

#[expect(clippy::unnecessary_wraps, reason = "one of several")]
fn found(index: Option<usize>) -> EvalResult {
    Ok(Value::Int(index.map_or(-1, |index| i64::try_from(index).unwrap_or(i64::MAX))))
}

fn index_of_from(release: &Release, args: &[Value]) -> EvalResult {
    index_of(args, int(args, 2).unwrap_or_default(), release.finds_nothing_at_the_end)
}

/// Searching for "" returns `from`, clamped to the length if `ends`.
fn nothing_at(from: i64, length: usize, ends: bool) -> EvalResult {
    let end = i64::try_from(length).unwrap_or(i64::MAX);
    Ok(Value::Int(if ends { from.min(end) } else { from }))
}

fn index_of(args: &[Value], from: i64, ends: bool) -> EvalResult {
    if !ends && text(args, 1).is_empty() {
        return Ok(Value::Int(from));
    }
    let Ok(begin) = usize::try_from(from) else { return out_of_range(from) };
    let (all, part) = (characters(args, 0), characters(args, 1));
    if part.is_empty() {
        return nothing_at(from, all.len(), ends);
    }
    let rest = all.get(begin..).unwrap_or_default();
    found(rest.windows(part.len()).position(|window| window == part).map(|at| at + begin))
}

fn last_index_of(release: &Release, args: &[Value]) -> EvalResult {
    let length = text(args, 0).chars().count();
    if text(args, 1).is_empty() {
        return found(Some(length));
    }
    if text(args, 0).len() < text(args, 1).len() {
        return found(None);
    }
    last_index(args, i64::try_from(length).unwrap_or(i64::MAX) - 1, release)
}

fn last_index_of_from(release: &Release, args: &[Value]) -> EvalResult {
    last_index(args, int(args, 2).unwrap_or_default(), release)
}

fn last_index(args: &[Value], from: i64, release: &Release) -> EvalResult {
    if !release.finds_nothing_at_the_end && text(args, 1).is_empty() {
        return Ok(Value::Int(from));
    }
    let Ok(begin) = usize::try_from(from) else { return out_of_range(from) };
    let (all, part) = (characters(args, 0), characters(args, 1));
    if part.is_empty() {
        return nothing_at(from, all.len(), release.finds_nothing_at_the_end);
    }
    if begin >= all.len() {
        return found(None);
    }
    found(all.windows(part.len()).take(begin + 1).rposition(|window| window == part))
}

fn replace(_: &Release, args: &[Value]) -> EvalResult {
    let (old, new) = (text(args, 1), text(args, 2));
    made(args, |text| match int(args, 3).map(usize::try_from) {
        Some(Ok(most)) => text.replacen(old, new, most),
        _ => text.replace(old, new),
    })
}

#[expect(clippy::unnecessary_wraps, reason = "one of several")]
fn split(_: &Release, args: &[Value]) -> EvalResult {
    let (all, separator) = (text(args, 0), text(args, 1));
    let most = int(args, 2).map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX));
    let parts: Vec<&str> = match (most, separator) {
        (0, _) => Vec::new(),
        // An empty separator splits between all characters; the rest is the last part.
        (_, "") => {
            let mut parts = Vec::new();
            let mut rest = all;
            while let Some(c) = rest.chars().next().filter(|_| parts.len() + 1 < most) {
                let (first, behind) = rest.split_at(c.len_utf8());
                parts.push(first);
                rest = behind;
            }
            parts.extend(Some(rest).filter(|rest| !rest.is_empty()));
            parts
        }
        _ => all.splitn(most, separator).collect(),
    };
    Ok(Value::list(parts.into_iter().map(Value::text).collect()))
}

fn substring(_: &Release, args: &[Value]) -> EvalResult {
    let (all, begin) = (characters(args, 0), int(args, 1).unwrap_or_default());
    let end = int(args, 2);
    if let Some(end) = end.filter(|end| begin > *end) {
        return fail(format!("invalid substring range. start: {begin}, end: {end}"));
    }
    let within = |index: i64| usize::try_from(index).ok().filter(|index| *index <= all.len());
    let Some(from) = within(begin) else { return out_of_range(begin) };
    let Some(to) = end.map_or(Some(all.len()), within) else {
        return out_of_range(end.unwrap_or_default());
    };
    Ok(Value::text(&all.get(from..to).unwrap_or_default().iter().collect::<String>()))
}

fn join(_: &Release, args: &[Value]) -> EvalResult {
    let Some(Value::List(list)) = args.first() else { return fail("no such overload") };
    let mut joined = String::new();
    for (index, value) in list.values().iter().enumerate() {
        let Value::Text(part) = value else {
            return fail(format!("join: invalid input: {}", show(value)));
        };
        if index > 0 {
            joined.push_str(text(args, 1));
        }
        joined.push_str(part);
    }
    Ok(Value::text(&joined))
}

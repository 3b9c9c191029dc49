//! Texts, and searches in them for regular expressions.
//!
//! Upstream: cel-go `ext/strings.go`, version 2; `apiserver/pkg/cel/library/regex.go`.

use go::quoted_with;

use super::costs;
use super::declare::{Overload, global, member};
use super::format::format;
use super::regex::{Regex, check_regex};
use crate::release::Release;
use crate::values::{EvalResult, EvaluationStop, Value, fail, show};

pub(super) const SEARCHES: &[Overload] = &[
    member("find", "string_find_string", "string, string -> string", find),
    member("findAll", "string_find_all_string", "string, string -> list(string)", find_all),
    member(
        "findAll",
        "string_find_all_string_int",
        "string, string, int -> list(string)",
        find_all,
    ),
];

pub(super) const OVERLOADS: &[Overload] = &[
    member("charAt", "string_char_at_int", "string, int -> string", char_at),
    member("indexOf", "string_index_of_string", "string, string -> int", |_, args| {
        index_of(args, 0, true)
    }),
    member("indexOf", "string_index_of_string_int", "string, string, int -> int", index_of_from),
    member("lastIndexOf", "string_last_index_of_string", "string, string -> int", last_index_of),
    member(
        "lastIndexOf",
        "string_last_index_of_string_int",
        "string, string, int -> int",
        last_index_of_from,
    ),
    member("lowerAscii", "string_lower_ascii", "string -> string", |_, args| {
        made(args, str::to_ascii_lowercase)
    }),
    member("replace", "string_replace_string_string", "string, string, string -> string", replace),
    member(
        "replace",
        "string_replace_string_string_int",
        "string, string, string, int -> string",
        replace,
    ),
    member("split", "string_split_string", "string, string -> list(string)", split),
    member("split", "string_split_string_int", "string, string, int -> list(string)", split),
    member("substring", "string_substring_int", "string, int -> string", substring),
    member("substring", "string_substring_int_int", "string, int, int -> string", substring),
    member("trim", "string_trim", "string -> string", |_, args| {
        made(args, |text| text.trim_matches(is_space).into())
    }),
    member("upperAscii", "string_upper_ascii", "string -> string", |_, args| {
        made(args, str::to_ascii_uppercase)
    }),
    member("format", "string_format", "string, list(dyn) -> string", format)
        .costs(costs::inner_first)
        .in_turn(),
    global("strings.quote", "strings_quote", "string -> string", |_, args| {
        made(args, |text| quoted_with(text, |c, out| out.push(c)))
    })
    .costs(costs::inner_first),
    member("join", "list_join", "list(string) -> string", join),
    member("join", "list_join_string", "list(string), string -> string", join),
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
fn index_or_minus_one(index: Option<usize>) -> EvalResult {
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
    index_or_minus_one(
        rest.windows(part.len()).position(|window| window == part).map(|at| at + begin),
    )
}

fn last_index_of(release: &Release, args: &[Value]) -> EvalResult {
    let length = text(args, 0).chars().count();
    if text(args, 1).is_empty() {
        return index_or_minus_one(Some(length));
    }
    if text(args, 0).len() < text(args, 1).len() {
        return index_or_minus_one(None);
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
        return index_or_minus_one(None);
    }
    index_or_minus_one(all.windows(part.len()).take(begin + 1).rposition(|window| window == part))
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
    Ok(Value::slice("string", parts.into_iter().map(Value::text).collect()))
}

/// The index as a position in a text of this length.
fn position(index: i64, length: usize) -> Option<usize> {
    usize::try_from(index).ok().filter(|index| *index <= length)
}

fn substring(_: &Release, args: &[Value]) -> EvalResult {
    let (all, begin) = (characters(args, 0), int(args, 1).unwrap_or_default());
    let end = int(args, 2);
    if let Some(end) = end.filter(|end| begin > *end) {
        return fail(format!("invalid substring range. start: {begin}, end: {end}"));
    }
    let Some(from) = position(begin, all.len()) else { return out_of_range(begin) };
    let to = match end {
        None => all.len(),
        Some(end) => match position(end, all.len()) {
            Some(to) => to,
            None => return out_of_range(end),
        },
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

/// Compiles the pattern argument of a call.
fn compiled(args: &[Value]) -> Result<Result<Regex, Value>, EvaluationStop> {
    let pattern = args.get(1).and_then(Value::as_text).unwrap_or_default();
    match check_regex(pattern) {
        None => Err(EvaluationStop::Unknown(format!("searches for the pattern `{pattern}`"))),
        Some(Err(e)) => Ok(Err(Value::error(format!("Illegal regex: {e}")))),
        Some(Ok(regex)) => Ok(Ok(regex)),
    }
}

fn find(_: &Release, args: &[Value]) -> EvalResult {
    Ok(match compiled(args)? {
        Err(error) => error,
        Ok(regex) => search(&regex, args),
    })
}

fn find_all(_: &Release, args: &[Value]) -> EvalResult {
    Ok(match compiled(args)? {
        Err(error) => error,
        Ok(regex) => search_all(&regex, args),
    })
}

/// The first match of a compiled pattern.
pub(crate) fn search(regex: &Regex, args: &[Value]) -> Value {
    match args.first() {
        Some(Value::Text(text)) => Value::text(regex.find(text)),
        _ => Value::no_overload(),
    }
}

/// All matches of a compiled pattern, as a list.
pub(crate) fn search_all(regex: &Regex, args: &[Value]) -> Value {
    let most = match args.get(2) {
        None => -1,
        Some(Value::Int(most)) => *most,
        Some(_) => return Value::no_overload(),
    };
    match args.first() {
        Some(Value::Text(text)) => Value::slice(
            "string",
            regex.find_all(text, most).into_iter().map(Value::text).collect(),
        ),
        _ => Value::no_overload(),
    }
}

//! CEL functions of strings.

use super::{FunctionSignature, Ty, f, m};
use crate::dra::cel::value::{EvalError, EvalResult, Value};
use Ty::{Any, Bool, Int, List, Text};

pub(super) static TEXTS: &[FunctionSignature] = &[
    m("contains", &[Text, Text], Bool, |a| two(a, |a, b| Ok(Value::Bool(a.contains(b))))),
    m("startsWith", &[Text, Text], Bool, |a| two(a, |a, b| Ok(Value::Bool(a.starts_with(b))))),
    m("endsWith", &[Text, Text], Bool, |a| two(a, |a, b| Ok(Value::Bool(a.ends_with(b))))),
    m("matches", &[Text, Text], Bool, matches_regex),
    f("matches", &[Text, Text], Bool, matches_regex),
    m("find", &[Text, Text], Text, |a| {
        two(a, |text, pattern| Ok(Value::text(regex(pattern)?.find(text).map_or("", |found| found.as_str()))))
    }),
    m("findAll", &[Text, Text], List, |a| find_all(a, usize::MAX)),
    m("findAll", &[Text, Text, Int], List, |a| match a {
        [text, pattern, Value::Int(limit)] => {
            find_all(&[text.clone(), pattern.clone()], usize::try_from(*limit).unwrap_or(usize::MAX))
        }
        _ => Err(EvalError::no_overload()),
    }),
    m("lowerAscii", &[Text], Text, |a| one(a, |text| Value::text(&text.to_ascii_lowercase()))),
    m("upperAscii", &[Text], Text, |a| one(a, |text| Value::text(&text.to_ascii_uppercase()))),
    m("trim", &[Text], Text, |a| one(a, |text| Value::text(text.trim()))),
    m("charAt", &[Text, Int], Text, |a| match a {
        [Value::Text(text), Value::Int(at)] => {
            let count = text.chars().count();
            match usize::try_from(*at) {
                Ok(at) if at <= count => Ok(Value::text(&text.chars().nth(at).map(String::from).unwrap_or_default())),
                _ => Err(EvalError::error(format!("index out of range: {at}"))),
            }
        }
        _ => Err(EvalError::no_overload()),
    }),
    m("indexOf", &[Text, Text], Int, |a| two(a, |text, part| Ok(char_index(text, text.find(part))))),
    m("lastIndexOf", &[Text, Text], Int, |a| two(a, |text, part| Ok(char_index(text, text.rfind(part))))),
    m("replace", &[Text, Text, Text], Text, |a| replace(a, -1)),
    m("replace", &[Text, Text, Text, Int], Text, |a| match a {
        [.., Value::Int(limit)] => replace(a.get(..3).unwrap_or_default(), *limit),
        _ => Err(EvalError::no_overload()),
    }),
    m("split", &[Text, Text], List, |a| two(a, |text, by| Ok(split(text, by, -1)))),
    m("split", &[Text, Text, Int], List, |a| match a {
        [Value::Text(text), Value::Text(by), Value::Int(limit)] => Ok(split(text, by, *limit)),
        _ => Err(EvalError::no_overload()),
    }),
    m("substring", &[Text, Int], Text, |a| match a {
        [Value::Text(text), Value::Int(from)] => {
            let count = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
            substring(text, *from, count)
        }
        _ => Err(EvalError::no_overload()),
    }),
    m("substring", &[Text, Int, Int], Text, |a| match a {
        [Value::Text(text), Value::Int(from), Value::Int(to)] => substring(text, *from, *to),
        _ => Err(EvalError::no_overload()),
    }),
    m("join", &[List], Text, |a| match a {
        [Value::List(list)] => join(list, ""),
        _ => Err(EvalError::no_overload()),
    }),
    m("join", &[List, Text], Text, |a| match a {
        [Value::List(list), Value::Text(by)] => join(list, by),
        _ => Err(EvalError::no_overload()),
    }),
    m("indexOf", &[Text, Text, Int], Int, |_| Err(EvalError::Unsupported("indexOf with an offset".into()))),
    m("lastIndexOf", &[Text, Text, Int], Int, |_| Err(EvalError::Unsupported("lastIndexOf with an offset".into()))),
    m("size", &[Any], Int, |_| Err(EvalError::no_overload())),
    f("size", &[Any], Int, |_| Err(EvalError::no_overload())),
];

fn one(args: &[Value], run: impl Fn(&str) -> Value) -> EvalResult {
    match args {
        [Value::Text(text)] => Ok(run(text)),
        _ => Err(EvalError::no_overload()),
    }
}

fn two(args: &[Value], run: impl Fn(&str, &str) -> EvalResult) -> EvalResult {
    match args {
        [Value::Text(a), Value::Text(b)] => run(a, b),
        _ => Err(EvalError::no_overload()),
    }
}

/// RE2 and the `regex` crate share their syntax; a pattern that only one of them accepts is an error.
fn regex(pattern: &str) -> Result<regex::Regex, EvalError> {
    let built = regex::RegexBuilder::new(pattern).size_limit(1 << 20).build();
    built.map_err(|_| EvalError::error(format!("error parsing regexp: invalid pattern: `{pattern}`")))
}

fn matches_regex(args: &[Value]) -> EvalResult {
    two(args, |text, pattern| Ok(Value::Bool(regex(pattern)?.is_match(text))))
}

fn find_all(args: &[Value], limit: usize) -> EvalResult {
    two(args, |text, pattern| {
        let regex = regex(pattern)?;
        Ok(Value::list(regex.find_iter(text).take(limit).map(|found| Value::text(found.as_str())).collect()))
    })
}

fn char_index(text: &str, byte: Option<usize>) -> Value {
    let index = byte.and_then(|byte| text.get(..byte)).map(|before| before.chars().count());
    Value::Int(index.and_then(|i| i64::try_from(i).ok()).unwrap_or(-1))
}

fn replace(args: &[Value], limit: i64) -> EvalResult {
    match args {
        [Value::Text(text), Value::Text(from), Value::Text(to)] => Ok(Value::text(&match usize::try_from(limit) {
            Ok(limit) => text.replacen(&**from, to, limit),
            Err(_) => text.replace(&**from, to),
        })),
        _ => Err(EvalError::no_overload()),
    }
}

fn split(text: &str, by: &str, limit: i64) -> Value {
    let parts: Vec<Value> = match usize::try_from(limit) {
        Ok(0) => Vec::new(),
        Ok(limit) if !by.is_empty() => text.splitn(limit, by).map(Value::text).collect(),
        _ if by.is_empty() => text.chars().map(|c| Value::text(c.encode_utf8(&mut [0; 4]))).collect(),
        _ => text.split(by).map(Value::text).collect(),
    };
    Value::list(parts)
}

fn substring(text: &str, from: i64, to: i64) -> EvalResult {
    let count = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
    if from > to {
        return Err(EvalError::error(format!("invalid substring range. start: {from}, end: {to}")));
    }
    for at in [from, to] {
        if at < 0 || at > count {
            return Err(EvalError::error(format!("index out of range: {at}")));
        }
    }
    let (from, to) = (usize::try_from(from).unwrap_or(0), usize::try_from(to).unwrap_or(0));
    Ok(Value::text(&text.chars().skip(from).take(to - from).collect::<String>()))
}

fn join(list: &[Value], by: &str) -> EvalResult {
    let mut texts = Vec::with_capacity(list.len());
    for value in list {
        match value {
            Value::Text(text) => texts.push(&**text),
            _ => return Err(EvalError::no_overload()),
        }
    }
    Ok(Value::text(&texts.join(by)))
}

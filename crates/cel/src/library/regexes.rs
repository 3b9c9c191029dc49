//! Kubernetes' regular expression library.
//!
//! Upstream: `apiserver/pkg/cel/library/regex.go`.

use super::costs;
use super::declare::{Function, Run, function, member};
use super::regex_go::{Regex, check_regex};
use crate::release::Release;
use crate::values::{EvalResult, EvaluationStop, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    function(
        "find",
        &[member("string_find_string", "string, string -> string", Run::Direct(find))],
    )
    .costs(costs::search),
    function(
        "findAll",
        &[
            member(
                "string_find_all_string",
                "string, string -> list(string)",
                Run::Direct(find_all),
            ),
            member(
                "string_find_all_string_int",
                "string, string, int -> list(string)",
                Run::InTurn(find_all),
            ),
        ],
    )
    .costs(costs::search),
];

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
        Some(Value::Text(text)) => {
            Value::list(regex.find_all(text, most).into_iter().map(Value::text).collect())
        }
        _ => Value::no_overload(),
    }
}

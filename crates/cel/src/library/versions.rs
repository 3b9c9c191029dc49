//! Semantic versions.
//!
//! Upstream: `apiserver/pkg/cel/library/semverlib.go`.

use std::cmp::Ordering;
use std::sync::Arc;

use super::costs;
use super::declare::{Function, Run, function, global, member};
use crate::release::Release;
use crate::values::{EvalResult, SemanticVersion, Value, fail};

pub(super) const FUNCTIONS: &[Function] = &[
    function(
        "semver",
        &[
            global("string_to_semver", "string -> semver", Run::Direct(make)),
            global("string_bool_to_semver", "string, bool -> semver", Run::Direct(make)),
        ],
    )
    .costs(costs::first),
    function(
        "isSemver",
        &[
            global("is_semver_string", "string -> bool", Run::Direct(is)),
            global("is_semver_string_bool", "string, bool -> bool", Run::Direct(is)),
        ],
    )
    .costs(costs::first),
    function(
        "isGreaterThan",
        &[member(
            "semver_is_greater_than",
            "semver, semver -> bool",
            Run::Direct(|_, args| both(args, |o| Value::Bool(o == Ordering::Greater))),
        )],
    ),
    function(
        "isLessThan",
        &[member(
            "semver_is_less_than",
            "semver, semver -> bool",
            Run::Direct(|_, args| both(args, |o| Value::Bool(o == Ordering::Less))),
        )],
    ),
    function(
        "compareTo",
        &[member(
            "semver_compare_to",
            "semver, semver -> int",
            Run::Direct(|_, args| both(args, |o| Value::Int(o as i64))),
        )],
    ),
    function(
        "major",
        &[member("semver_major", "semver -> int", Run::Direct(|_, args| part(args, |v| v.major)))],
    )
    .costs(costs::unit),
    function(
        "minor",
        &[member("semver_minor", "semver -> int", Run::Direct(|_, args| part(args, |v| v.minor)))],
    )
    .costs(costs::unit),
    function(
        "patch",
        &[member("semver_patch", "semver -> int", Run::Direct(|_, args| part(args, |v| v.patch)))],
    )
    .costs(costs::unit),
];

fn parse(args: &[Value]) -> Result<SemanticVersion, String> {
    let text = args.first().and_then(Value::as_text).unwrap_or_default();
    match args.get(1) {
        Some(Value::Bool(true)) => SemanticVersion::parse_tolerant(text),
        _ => SemanticVersion::parse(text),
    }
}

fn make(_: &Release, args: &[Value]) -> EvalResult {
    parse(args).map_or_else(fail, |version| Ok(Value::SemanticVersion(Arc::new(version))))
}

#[expect(clippy::unnecessary_wraps, reason = "one of several")]
fn is(_: &Release, args: &[Value]) -> EvalResult {
    Ok(Value::Bool(parse(args).is_ok()))
}

fn both(args: &[Value], make: impl Fn(Ordering) -> Value) -> EvalResult {
    match args {
        [Value::SemanticVersion(a), Value::SemanticVersion(b)] => Ok(make(a.compare(b))),
        _ => fail("no such overload"),
    }
}

fn part(args: &[Value], part: impl Fn(&SemanticVersion) -> u64) -> EvalResult {
    match args {
        // Parity: parts above the range of int64 wrap around to negative numbers.
        [Value::SemanticVersion(version)] => Ok(Value::Int(part(version) as i64)),
        _ => fail("no such overload"),
    }
}

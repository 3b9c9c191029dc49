//! URLs.
//!
//! Upstream: `apiserver/pkg/cel/library/urls.go`.

use std::sync::Arc;

use super::costs;
use super::declare::{Function, Run, function, global, member};
use crate::release::Release;
use crate::values::{EvalResult, Map, Url, Value, check_request_uri, fail};

macro_rules! part {
    ($name:literal, $id:literal, $part:expr) => {
        function($name, &[member($id, "url -> string", Run::Direct(|_, args| part(args, $part)))])
            .costs(costs::unit)
    };
}

pub(super) const FUNCTIONS: &[Function] = &[
    function("url", &[global("string_to_url", "string -> url", Run::Direct(parse))])
        .costs(costs::first),
    part!("getScheme", "url_get_scheme", |url| url.scheme.clone()),
    part!("getHost", "url_get_host", |url| url.host.clone()),
    part!("getHostname", "url_get_hostname", |url| url.hostname_and_port().0.into()),
    part!("getPort", "url_get_port", |url| url.hostname_and_port().1.into()),
    part!("getEscapedPath", "url_get_escaped_path", Url::escaped_path),
    function(
        "getQuery",
        &[member("url_get_query", "url -> map(string, list(string))", Run::Direct(query))],
    )
    .costs(costs::unit),
    // Parity: upstream assigns no cost to `isURL`, so it has the default cost of a call.
    function(
        "isURL",
        &[global(
            "is_url_string",
            "string -> bool",
            Run::Direct(|_, args| Ok(Value::Bool(check_request_uri(text(args)).is_ok()))),
        )],
    ),
];

fn text(args: &[Value]) -> &str {
    args.first().and_then(Value::as_text).unwrap_or_default()
}

fn parse(_: &Release, args: &[Value]) -> EvalResult {
    match Url::parse(text(args)) {
        Ok(url) => Ok(Value::Url(Arc::new(url))),
        Err(e) => fail(format!("URL parse error during conversion from string: {e}")),
    }
}

fn part(args: &[Value], part: fn(&Url) -> String) -> EvalResult {
    match args {
        [Value::Url(url)] => Ok(Value::text(&part(url))),
        _ => fail("no such overload"),
    }
}

fn query(_: &Release, args: &[Value]) -> EvalResult {
    let [Value::Url(url)] = args else { return fail("no such overload") };
    let list = |values: Vec<String>| Value::list(values.iter().map(|v| Value::text(v)).collect());
    let mut query = url.query();
    query.sort();
    let entries = query.into_iter().map(|(name, values)| (Value::text(&name), list(values)));
    Ok(Value::Map(Arc::new(Map::new(entries.collect()))))
}

//! Addresses, networks and URLs.
//!
//! Upstream: `apiserver/pkg/cel/library/{ip,cidr,urls}.go`.

use std::sync::Arc;

use super::declare::{Overload, global, member};
use crate::release::Release;
use crate::values::{Cidr, EvalResult, Ip, Map, Url, Value, check_request_uri, fail, show};

/// Questions about an address.
macro_rules! questions {
    ($($function:literal, $id:literal, $test:expr;)*) => {
        &[$(member($function, $id, "ip -> bool", |_, args| {
            of_ip(args, |ip| Value::Bool($test(ip)))
        }),)*]
    };
}

pub(super) const QUESTIONS: &[Overload] = questions! {
    "isUnspecified", "ip_is_unspecified", Ip::is_unspecified;
    "isLoopback", "ip_is_loopback", Ip::is_loopback;
    "isLinkLocalMulticast", "ip_is_link_local_multicast", Ip::is_link_local_multicast;
    "isLinkLocalUnicast", "ip_is_link_local_unicast", Ip::is_link_local_unicast;
    "isGlobalUnicast", "ip_is_global_unicast", Ip::is_global_unicast;
};

pub(super) const NETWORKS: &[Overload] = &[
    global("ip", "string_to_ip", "string -> ip", |_, args| Ok(ip(text(args)))),
    member("ip", "cidr_ip", "cidr -> ip", |_, args| of_cidr(args, |cidr| Value::Ip(cidr.ip))),
    member("family", "ip_family", "ip -> int", |_, args| {
        of_ip(args, |ip| Value::Int(if ip.bits() == 32 { 4 } else { 6 }))
    }),
    global("ip.isCanonical", "ip_is_canonical", "string -> bool", is_canonical),
    global("isIP", "is_ip", "string -> bool", |_, args| {
        Ok(Value::Bool(Ip::parse(text(args)).is_ok()))
    }),
    global("string", "ip_to_string", "ip -> string", to_text),
    global("string", "cidr_to_string", "cidr -> string", to_text),
    global("cidr", "string_to_cidr", "string -> cidr", |_, args| Ok(cidr(text(args)))),
    member("containsIP", "cidr_contains_ip_string", "cidr, string -> bool", contains_ip),
    member("containsIP", "cidr_contains_ip_ip", "cidr, ip -> bool", contains_ip),
    member("containsCIDR", "cidr_contains_cidr_string", "cidr, string -> bool", contains_cidr),
    member("containsCIDR", "cidr_contains_cidr", "cidr, cidr -> bool", contains_cidr),
    member("prefixLength", "cidr_prefix_length", "cidr -> int", |_, args| {
        of_cidr(args, |cidr| Value::Int(i64::try_from(cidr.prefix).unwrap_or(0)))
    }),
    member("masked", "cidr_masked", "cidr -> cidr", |_, args| {
        of_cidr(args, |cidr| Value::Cidr(cidr.masked()))
    }),
    member("isMask", "cidr_is_mask", "cidr -> bool", |_, args| {
        of_cidr(args, |cidr| Value::Bool(cidr.masked() == cidr))
    })
    .exists_if(|release| release.cidrs_may_be_masks),
    global("isCIDR", "is_cidr", "string -> bool", |_, args| {
        Ok(Value::Bool(Cidr::parse(text(args)).is_ok()))
    }),
];

pub(super) const URLS: &[Overload] = &[
    global("url", "string_to_url", "string -> url", url),
    member("getScheme", "url_get_scheme", "url -> string", |_, args| {
        of_url(args, |url| url.scheme.clone())
    }),
    member("getHost", "url_get_host", "url -> string", |_, args| {
        of_url(args, |url| url.host.clone())
    }),
    member("getHostname", "url_get_hostname", "url -> string", |_, args| {
        of_url(args, |url| url.hostname_and_port().0.into())
    }),
    member("getPort", "url_get_port", "url -> string", |_, args| {
        of_url(args, |url| url.hostname_and_port().1.into())
    }),
    member("getEscapedPath", "url_get_escaped_path", "url -> string", |_, args| {
        of_url(args, Url::escaped_path)
    }),
    member("getQuery", "url_get_query", "url -> map(string, list(string))", query),
    global("isURL", "is_url_string", "string -> bool", |_, args| {
        Ok(Value::Bool(check_request_uri(text(args)).is_ok()))
    }),
];

/// The first argument of a function of texts.
fn text(args: &[Value]) -> &str {
    args.first().and_then(Value::as_text).unwrap_or_default()
}

fn ip(text: &str) -> Value {
    Ip::parse(text).map_or_else(Value::error, Value::Ip)
}

fn cidr(text: &str) -> Value {
    match Cidr::parse(text) {
        Ok(cidr) => Value::Cidr(cidr),
        Err(e) => {
            Value::error(format!("network address parse error during conversion from string: {e}"))
        }
    }
}

fn is_canonical(_: &Release, args: &[Value]) -> EvalResult {
    let text = text(args);
    Ip::parse(text).map_or_else(fail, |ip| Ok(Value::Bool(ip.to_string() == text)))
}

/// What a function of an address returns.
fn of_ip(args: &[Value], make: fn(Ip) -> Value) -> EvalResult {
    match args {
        [Value::Ip(ip)] => Ok(make(*ip)),
        _ => fail("no such overload"),
    }
}

/// What a function of a network returns.
fn of_cidr(args: &[Value], make: fn(Cidr) -> Value) -> EvalResult {
    match args {
        [Value::Cidr(cidr)] => Ok(make(*cidr)),
        _ => fail("no such overload"),
    }
}

#[expect(clippy::unnecessary_wraps, reason = "one of several")]
fn to_text(_: &Release, args: &[Value]) -> EvalResult {
    Ok(args.first().map_or_else(Value::no_overload, |value| Value::text(&show(value))))
}

/// Parity: a text that cannot be parsed is reported as a missing overload, not with its parse error.
fn contains_ip(_: &Release, args: &[Value]) -> EvalResult {
    let [Value::Cidr(cidr), other] = args else { return fail("no such overload") };
    let other = other.as_text().map_or_else(|| other.clone(), ip);
    match other {
        Value::Ip(ip) => Ok(Value::Bool(cidr.contains(ip))),
        _ => fail("no such overload"),
    }
}

fn contains_cidr(_: &Release, args: &[Value]) -> EvalResult {
    let [Value::Cidr(network), other] = args else { return fail("no such overload") };
    let other = other.as_text().map_or_else(|| other.clone(), cidr);
    match other {
        Value::Cidr(other) => Ok(Value::Bool(
            (network.contains(other.ip) || other.contains(network.ip))
                && network.prefix <= other.prefix,
        )),
        other => Ok(other.or_no_overload()),
    }
}

fn url(_: &Release, args: &[Value]) -> EvalResult {
    match Url::parse(text(args)) {
        Ok(url) => Ok(Value::Url(Arc::new(url))),
        Err(e) => fail(format!("URL parse error during conversion from string: {e}")),
    }
}

fn of_url(args: &[Value], part: fn(&Url) -> String) -> EvalResult {
    match args {
        [Value::Url(url)] => Ok(Value::text(&part(url))),
        _ => fail("no such overload"),
    }
}

fn query(_: &Release, args: &[Value]) -> EvalResult {
    let [Value::Url(url)] = args else { return fail("no such overload") };
    let mut query = url.query();
    query.sort();
    let mut entries = Vec::new();
    for (name, values) in query {
        let values = values.iter().map(|value| Value::text(value)).collect();
        entries.push((Value::text(&name), Value::slice("string", values)));
    }
    Ok(Value::Map(Arc::new(Map::new(entries))))
}

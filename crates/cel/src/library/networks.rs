//! Addresses and networks.
//!
//! Upstream: `apiserver/pkg/cel/library/{ip,cidr}.go`.

use super::costs::{self, Call, Costs};
use super::declare::{Function, Overload, Run, function, global, member};
use crate::release::Release;
use crate::values::{Cidr, EvalResult, Ip, Value, fail};

/// Declares a predicate on addresses, such as `isLoopback`.
macro_rules! question {
    ($name:literal, $id:literal, $test:expr) => {
        function($name, &[member($id, "ip -> bool", Run::Direct(|_, args| is(args, $test)))])
            .costs(costs::unit)
    };
}

const IP: &[Overload] = &[
    global("string_to_ip", "string -> ip", Run::Direct(|_, args| Ok(ip(args.first())))),
    member(
        "cidr_ip",
        "cidr -> ip",
        Run::Direct(|_, args| match args.first() {
            Some(Value::Cidr(cidr)) => Ok(Value::Ip(cidr.ip)),
            _ => fail("no such overload"),
        }),
    ),
];

pub(super) const FUNCTIONS: &[Function] = &[
    function("ip", IP)
        .costs(|call| if call.overload == "cidr_ip" { Ok(Some(1)) } else { costs::first(call) }),
    function(
        "family",
        &[member(
            "ip_family",
            "ip -> int",
            Run::Direct(|_, args| match args.first() {
                Some(Value::Ip(ip)) => Ok(Value::Int(if ip.bits() == 32 { 4 } else { 6 })),
                _ => fail("no such overload"),
            }),
        )],
    )
    .costs(costs::unit),
    function(
        "ip.isCanonical",
        &[global(
            "ip_is_canonical",
            "string -> bool",
            Run::Direct(|_, args| {
                let text = text(args.first());
                Ip::parse(text).map_or_else(fail, |ip| Ok(Value::Bool(ip.to_string() == text)))
            }),
        )],
    )
    .costs(costs::first_twice),
    question!("isUnspecified", "ip_is_unspecified", Ip::is_unspecified),
    question!("isLoopback", "ip_is_loopback", Ip::is_loopback),
    question!("isLinkLocalMulticast", "ip_is_link_local_multicast", Ip::is_link_local_multicast),
    question!("isLinkLocalUnicast", "ip_is_link_local_unicast", Ip::is_link_local_unicast),
    question!("isGlobalUnicast", "ip_is_global_unicast", Ip::is_global_unicast),
    function(
        "isIP",
        &[global(
            "is_ip",
            "string -> bool",
            Run::Direct(|_, args| Ok(Value::Bool(Ip::parse(text(args.first())).is_ok()))),
        )],
    )
    .costs(costs::first),
    function(
        "string",
        &[
            global("ip_to_string", "ip -> string", Run::Direct(to_text)),
            global("cidr_to_string", "cidr -> string", Run::Direct(to_text)),
        ],
    ),
    function(
        "cidr",
        &[global(
            "string_to_cidr",
            "string -> cidr",
            Run::Direct(|_, args| Ok(cidr(args.first()))),
        )],
    )
    .costs(costs::first),
    function(
        "containsIP",
        &[
            member("cidr_contains_ip_string", "cidr, string -> bool", Run::Direct(contains_ip)),
            member("cidr_contains_ip_ip", "cidr, ip -> bool", Run::Direct(contains_ip)),
        ],
    )
    .costs(|call| containment(call, "cidr_contains_ip_string", 0)),
    function(
        "containsCIDR",
        &[
            member("cidr_contains_cidr_string", "cidr, string -> bool", Run::Direct(contains_cidr)),
            member("cidr_contains_cidr", "cidr, cidr -> bool", Run::Direct(contains_cidr)),
        ],
    )
    .costs(|call| {
        let size = costs::size(call.args.first());
        containment(call, "cidr_contains_cidr_string", costs::reading(size) + 1)
    }),
    function(
        "prefixLength",
        &[member(
            "cidr_prefix_length",
            "cidr -> int",
            Run::Direct(|_, args| match args.first() {
                Some(Value::Cidr(cidr)) => Ok(Value::Int(i64::try_from(cidr.prefix).unwrap_or(0))),
                _ => fail("no such overload"),
            }),
        )],
    )
    .costs(costs::unit),
    function(
        "masked",
        &[member(
            "cidr_masked",
            "cidr -> cidr",
            Run::Direct(|_, args| match args.first() {
                Some(Value::Cidr(cidr)) => Ok(Value::Cidr(cidr.masked())),
                _ => fail("no such overload"),
            }),
        )],
    )
    .costs(costs::unit),
    function(
        "isCIDR",
        &[global(
            "is_cidr",
            "string -> bool",
            Run::Direct(|_, args| Ok(Value::Bool(Cidr::parse(text(args.first())).is_ok()))),
        )],
    )
    .costs(costs::first),
];

fn text(value: Option<&Value>) -> &str {
    value.and_then(Value::as_text).unwrap_or_default()
}

fn ip(value: Option<&Value>) -> Value {
    Ip::parse(text(value)).map_or_else(Value::error, Value::Ip)
}

fn cidr(value: Option<&Value>) -> Value {
    let failed =
        |e| Value::error(format!("network address parse error during conversion from string: {e}"));
    Cidr::parse(text(value)).map_or_else(failed, Value::Cidr)
}

fn is(args: &[Value], test: fn(Ip) -> bool) -> EvalResult {
    match args.first() {
        Some(Value::Ip(ip)) => Ok(Value::Bool(test(*ip))),
        _ => fail("no such overload"),
    }
}

#[expect(clippy::unnecessary_wraps, reason = "one of several")]
fn to_text(_: &Release, args: &[Value]) -> EvalResult {
    Ok(args
        .first()
        .map_or_else(Value::no_overload, |value| Value::text(&crate::values::show(value))))
}

fn containment(call: &Call, of_text: &str, more: u64) -> Costs {
    let [cidr, other] = call.args else { return Ok(None) };
    let parsing =
        if call.overload == of_text { costs::reading(costs::size(Some(other))) } else { 0 };
    Ok(Some(costs::reading(2 * costs::size(Some(cidr))) + more + parsing))
}

// Parity: an unparsable text is reported as a missing overload, not with its parse
// error.
fn contains_ip(_: &Release, args: &[Value]) -> EvalResult {
    let [Value::Cidr(cidr), other] = args else { return fail("no such overload") };
    let other = if let Value::Text(_) = other { ip(Some(other)) } else { other.clone() };
    match other {
        Value::Ip(ip) => Ok(Value::Bool(cidr.contains(ip))),
        _ => fail("no such overload"),
    }
}

fn contains_cidr(_: &Release, args: &[Value]) -> EvalResult {
    let [Value::Cidr(network), other] = args else { return fail("no such overload") };
    let other = if let Value::Text(_) = other { cidr(Some(other)) } else { other.clone() };
    match other {
        Value::Cidr(other) => Ok(Value::Bool(
            (network.contains(other.ip) || other.contains(network.ip))
                && network.prefix <= other.prefix,
        )),
        other => Ok(other.or_no_overload()),
    }
}

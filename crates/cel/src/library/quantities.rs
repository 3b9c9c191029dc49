//! Quantities.
//!
//! Upstream: `apiserver/pkg/cel/library/quantity.go`.

use std::cmp::Ordering;

use super::costs;
use super::declare::{Function, Run, function, global, member};
use crate::release::Release;
use crate::values::{EvalResult, QuantityValue, Value, fail};

pub(super) const FUNCTIONS: &[Function] = &[
    function("quantity", &[global("string_to_quantity", "string -> quantity", Run::Direct(parse))])
        .costs(costs::first),
    function(
        "isQuantity",
        &[global(
            "is_quantity_string",
            "string -> bool",
            Run::Direct(|_, args| {
                Ok(Value::Bool(text(args).is_some_and(|t| QuantityValue::parse(t).is_ok())))
            }),
        )],
    )
    .costs(costs::first),
    function(
        "sign",
        &[global(
            "quantity_sign",
            "quantity -> int",
            Run::Direct(|_, args| of(args, |q| Value::Int(q.sign()))),
        )],
    )
    .costs(costs::unit),
    function(
        "isGreaterThan",
        &[member(
            "quantity_is_greater_than",
            "quantity, quantity -> bool",
            Run::Direct(|_, args| both(args, |o| Value::Bool(o == Ordering::Greater))),
        )],
    )
    .costs(costs::unit),
    function(
        "isLessThan",
        &[member(
            "quantity_is_less_than",
            "quantity, quantity -> bool",
            Run::Direct(|_, args| both(args, |o| Value::Bool(o == Ordering::Less))),
        )],
    )
    .costs(costs::unit),
    function(
        "compareTo",
        &[member(
            "quantity_compare_to",
            "quantity, quantity -> int",
            Run::Direct(|_, args| both(args, |o| Value::Int(o as i64))),
        )],
    )
    .costs(costs::unit),
    function(
        "asApproximateFloat",
        &[member(
            "quantity_get_float",
            "quantity -> double",
            Run::Direct(|_, args| of(args, |q| Value::Double(q.approximate()))),
        )],
    )
    .costs(costs::unit),
    function(
        "asInteger",
        &[member(
            "quantity_get_int",
            "quantity -> int",
            Run::Direct(|_, args| {
                let failed = || Value::error("cannot convert value to integer");
                of(args, |q| q.as_int().map_or_else(failed, Value::Int))
            }),
        )],
    )
    .costs(costs::unit),
    function(
        "isInteger",
        &[member(
            "quantity_is_integer",
            "quantity -> bool",
            Run::Direct(|_, args| of(args, |q| Value::Bool(q.as_int().is_some()))),
        )],
    )
    .costs(costs::unit),
    function(
        "add",
        &[
            member(
                "quantity_add",
                "quantity, quantity -> quantity",
                Run::Direct(|r, args| sum(r, args, false)),
            ),
            member(
                "quantity_add_int",
                "quantity, int -> quantity",
                Run::Direct(|r, args| sum(r, args, false)),
            ),
        ],
    )
    .costs(costs::unit),
    function(
        "sub",
        &[
            member(
                "quantity_sub",
                "quantity, quantity -> quantity",
                Run::Direct(|r, args| sum(r, args, true)),
            ),
            member(
                "quantity_sub_int",
                "quantity, int -> quantity",
                Run::Direct(|r, args| sum(r, args, true)),
            ),
        ],
    )
    .costs(costs::unit),
];

fn text(args: &[Value]) -> Option<&str> {
    args.first().and_then(Value::as_text)
}

fn parse(_: &Release, args: &[Value]) -> EvalResult {
    match QuantityValue::parse(text(args).unwrap_or_default()) {
        Ok(quantity) => Ok(Value::Quantity(quantity)),
        Err(e) => fail(e),
    }
}

fn of(args: &[Value], make: impl Fn(&QuantityValue) -> Value) -> EvalResult {
    match args {
        [Value::Quantity(quantity)] => Ok(make(quantity)),
        _ => fail("no such overload"),
    }
}

fn both(args: &[Value], make: impl Fn(Ordering) -> Value) -> EvalResult {
    match args {
        [Value::Quantity(a), Value::Quantity(b)] => Ok(make(a.compare(b))),
        _ => fail("no such overload"),
    }
}

fn sum(release: &Release, args: &[Value], minus: bool) -> EvalResult {
    let copied = release.quantities_are_copied;
    match args {
        [Value::Quantity(a), Value::Quantity(b)] => Ok(Value::Quantity(a.plus(b, minus, copied))),
        [Value::Quantity(a), Value::Int(b)] => {
            Ok(Value::Quantity(a.plus(&QuantityValue::from_int(*b), minus, copied)))
        }
        _ => fail("no such overload"),
    }
}

//! CEL functions and operators with their types. Functions of Kubernetes that are not implemented here are listed by
//! name, so that an expression that uses one is reported as unsupported.
//!
//! Upstream: cel-go's standard library, `ext/{strings,sets}`, `apiserver/pkg/cel/library` (1.37).

mod amounts;
mod lists;
mod texts;

use std::cmp::Ordering;

use cel::common::ast::{Expr, IdedExpr, operators as op};

use super::value::{EvalError, EvalResult, Value};

/// The names of types that an expression may use as values.
pub(super) const TYPES: &[&str] =
    &["bool", "int", "uint", "double", "string", "bytes", "list", "map", "null_type", "type"];

/// Prefixes of functions that are not methods.
const NAMESPACES: &[&str] = &["cel", "optional", "sets"];

/// Functions, methods and macros that Kubernetes supports in selectors and that are not implemented here.
const UNSUPPORTED: &str = "\
    authorizer base64 cidr containsCIDR containsIP distinct duration family first flatten format getDate \
    getDayOfMonth getDayOfWeek getDayOfYear getEscapedPath getFullYear getHost getHostname getHours \
    getMilliseconds getMinutes getMonth getPort getQuery getScheme getSeconds includes ip ip.isCanonical isCIDR \
    isCanonical isGlobalUnicast isIP isLinkLocalMulticast isLinkLocalUnicast isLoopback isUnspecified isURL \
    last lists.range masked math prefixLength quote range reverse slice sort sortBy strings.quote timestamp \
    transformList transformMap transformMapEntry unwrap unwrapOpt url validate";

/// Whether Kubernetes has a function that is not implemented here.
pub(super) fn is_unsupported(name: &str) -> bool {
    UNSUPPORTED.split_ascii_whitespace().any(|known| known == name)
}

/// The static type of an expression, as far as it is known before evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ty {
    Any,
    Null,
    Bool,
    Int,
    Uint,
    Double,
    Text,
    Bytes,
    List,
    Map,
    Optional,
    Quantity,
    SemanticVersion,
    Type,
    Device,
    /// `device.attributes`.
    Attributes,
    /// `device.capacity`.
    Capacities,
    /// A domain of `device.capacity`.
    Amounts,
}

impl Ty {
    /// Whether a value of this type is accepted where `wanted` is required.
    pub(super) fn fits(self, wanted: Self) -> bool {
        let is_map = matches!(self, Self::Attributes | Self::Capacities | Self::Amounts);
        self == wanted || self == Self::Any || wanted == Self::Any || (wanted == Self::Map && is_map)
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::Null => "null",
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Uint => "uint",
            Self::Double => "double",
            Self::Text => "string",
            Self::Bytes => "bytes",
            Self::List => "list(dyn)",
            Self::Map | Self::Amounts => "map(string, dyn)",
            Self::Attributes => "map(string, map(string, any))",
            Self::Capacities => "map(string, map(string, kubernetes.Quantity))",
            Self::Optional => "optional_type(dyn)",
            Self::Quantity => "kubernetes.Quantity",
            Self::SemanticVersion => "kubernetes.Semver",
            Self::Type => "type(dyn)",
            Self::Device => "kubernetes.DRADevice",
        }
    }

    fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(_) => Self::Bool,
            Value::Int(_) => Self::Int,
            Value::Uint(_) => Self::Uint,
            Value::Double(_) => Self::Double,
            Value::Text(_) => Self::Text,
            Value::Bytes(_) => Self::Bytes,
            Value::List(_) => Self::List,
            Value::Map(_) => Self::Map,
            Value::Optional(_) => Self::Optional,
            Value::Quantity(_) => Self::Quantity,
            Value::SemanticVersion(_) => Self::SemanticVersion,
            Value::Type(_) => Self::Type,
            Value::Device => Self::Device,
            Value::Attributes => Self::Attributes,
            Value::Capacities => Self::Capacities,
        }
    }
}

/// A function for one combination of types; the first argument of a method is its receiver.
pub(super) struct FunctionSignature {
    pub name: &'static str,
    pub method: bool,
    pub args: &'static [Ty],
    pub result: Ty,
    run: fn(&[Value]) -> EvalResult,
}

const fn f(name: &'static str, args: &'static [Ty], result: Ty, run: fn(&[Value]) -> EvalResult) -> FunctionSignature {
    FunctionSignature { name, method: false, args, result, run }
}

const fn m(name: &'static str, args: &'static [Ty], result: Ty, run: fn(&[Value]) -> EvalResult) -> FunctionSignature {
    FunctionSignature { name, method: true, args, result, run }
}

use Ty::{Any, Bool, Bytes, Double, Int, List, Map, Null, Text, Uint};

static OPERATORS: &[FunctionSignature] = &[
    f(op::LOGICAL_NOT, &[Bool], Bool, |a| match a {
        [Value::Bool(value)] => Ok(Value::Bool(!value)),
        _ => Err(EvalError::no_overload()),
    }),
    f(op::NEGATE, &[Int], Int, |a| match a {
        [Value::Int(value)] => value.checked_neg().map(Value::Int).ok_or_else(overflow),
        _ => Err(EvalError::no_overload()),
    }),
    f(op::NEGATE, &[Double], Double, |a| match a {
        [Value::Double(value)] => Ok(Value::Double(-value)),
        _ => Err(EvalError::no_overload()),
    }),
    f(op::EQUALS, &[Any, Any], Bool, |a| pair(a, |a, b| Ok(Value::Bool(a.equals(b))))),
    f(op::NOT_EQUALS, &[Any, Any], Bool, |a| pair(a, |a, b| Ok(Value::Bool(!a.equals(b))))),
    f(op::LESS, &[Any, Any], Bool, |a| ordered(a, |o| o == Ordering::Less)),
    f(op::LESS_EQUALS, &[Any, Any], Bool, |a| ordered(a, |o| o != Ordering::Greater)),
    f(op::GREATER, &[Any, Any], Bool, |a| ordered(a, |o| o == Ordering::Greater)),
    f(op::GREATER_EQUALS, &[Any, Any], Bool, |a| ordered(a, |o| o != Ordering::Less)),
    f(op::ADD, &[Any, Any], Any, |a| pair(a, add)),
    f(op::SUBSTRACT, &[Any, Any], Any, |a| arithmetic(a, i64::checked_sub, u64::checked_sub, |a, b| a - b)),
    f(op::MULTIPLY, &[Any, Any], Any, |a| arithmetic(a, i64::checked_mul, u64::checked_mul, |a, b| a * b)),
    f(op::DIVIDE, &[Any, Any], Any, |a| {
        not_by_zero(a, "division by zero")?;
        arithmetic(a, i64::checked_div, u64::checked_div, |a, b| a / b)
    }),
    f(op::MODULO, &[Any, Any], Any, |a| {
        not_by_zero(a, "modulus by zero")?;
        match a {
            [Value::Double(_), _] => Err(EvalError::no_overload()),
            _ => arithmetic(a, i64::checked_rem, u64::checked_rem, |a, _| a),
        }
    }),
];

static CONVERSIONS: &[FunctionSignature] = &[
    f("dyn", &[Any], Any, |a| a.first().cloned().ok_or_else(EvalError::no_overload)),
    f("type", &[Any], Ty::Type, |a| match a {
        [value] => Ok(Value::Type(value.type_name())),
        _ => Err(EvalError::no_overload()),
    }),
    f("bool", &[Any], Bool, |a| match a {
        [Value::Bool(value)] => Ok(Value::Bool(*value)),
        [Value::Text(text)] => match &**text {
            "1" | "t" | "T" | "true" | "TRUE" | "True" => Ok(Value::Bool(true)),
            "0" | "f" | "F" | "false" | "FALSE" | "False" => Ok(Value::Bool(false)),
            _ => Err(EvalError::error(format!("strconv.ParseBool: parsing {text:?}: invalid syntax"))),
        },
        _ => Err(EvalError::no_overload()),
    }),
    f("int", &[Any], Int, |a| match a {
        [Value::Int(value)] => Ok(Value::Int(*value)),
        [Value::Uint(value)] => i64::try_from(*value).map(Value::Int).map_err(|_| overflow()),
        [Value::Double(value)] if value.is_finite() && value.abs() < 9_223_372_036_854_774_784.0 => {
            Ok(Value::Int(*value as i64))
        }
        [Value::Double(_)] => Err(overflow()),
        [Value::Text(text)] => text.parse().map(Value::Int).map_err(|_| bad_number("ParseInt", text)),
        _ => Err(EvalError::no_overload()),
    }),
    f("uint", &[Any], Uint, |a| match a {
        [Value::Uint(value)] => Ok(Value::Uint(*value)),
        [Value::Int(value)] => {
            u64::try_from(*value).map(Value::Uint).map_err(|_| EvalError::error("unsigned integer overflow"))
        }
        [Value::Text(text)] => text.parse().map(Value::Uint).map_err(|_| bad_number("ParseUint", text)),
        _ => Err(EvalError::no_overload()),
    }),
    f("double", &[Any], Double, |a| match a {
        [Value::Double(value)] => Ok(Value::Double(*value)),
        #[expect(clippy::cast_precision_loss, reason = "that is what the conversion does")]
        [Value::Int(value)] => Ok(Value::Double(*value as f64)),
        #[expect(clippy::cast_precision_loss, reason = "that is what the conversion does")]
        [Value::Uint(value)] => Ok(Value::Double(*value as f64)),
        [Value::Text(text)] => text.parse().map(Value::Double).map_err(|_| bad_number("ParseFloat", text)),
        _ => Err(EvalError::no_overload()),
    }),
    f("string", &[Any], Text, |a| match a {
        [Value::Text(_)] => a.first().cloned().ok_or_else(EvalError::no_overload),
        [value @ (Value::Bool(_) | Value::Int(_) | Value::Uint(_))] => Ok(Value::text(&show(value))),
        [Value::Bytes(bytes)] => std::str::from_utf8(bytes)
            .map(Value::text)
            .map_err(|_| EvalError::error("invalid UTF-8 in bytes, cannot convert to string")),
        [Value::Double(_)] => Err(EvalError::Unsupported("string() of a double".into())),
        _ => Err(EvalError::no_overload()),
    }),
    f("bytes", &[Any], Bytes, |a| match a {
        [Value::Text(text)] => Ok(Value::Bytes(text.as_bytes().into())),
        [Value::Bytes(_)] => a.first().cloned().ok_or_else(EvalError::no_overload),
        _ => Err(EvalError::no_overload()),
    }),
];

/// All overloads of a function.
pub(super) fn named(name: &str, method: bool) -> impl Iterator<Item = &'static FunctionSignature> {
    let tables = [
        OPERATORS,
        CONVERSIONS,
        lists::OPTIONALS,
        lists::LISTS,
        texts::TEXTS,
        amounts::QUANTITIES,
        amounts::COMPARISONS,
        amounts::VERSIONS,
    ];
    tables.into_iter().flatten().filter(move |s| s.name == name && s.method == method)
}

/// Calls a global function.
pub(super) fn global(name: &str, args: &[Value]) -> EvalResult {
    dispatch(name, false, args)
}

/// Calls a method.
pub(super) fn member(name: &str, target: &Value, args: &[Value]) -> EvalResult {
    let mut all = Vec::with_capacity(args.len() + 1);
    all.push(target.clone());
    all.extend_from_slice(args);
    dispatch(name, true, &all)
}

fn dispatch(name: &str, method: bool, args: &[Value]) -> EvalResult {
    let takes =
        |s: &&FunctionSignature| s.args.len() == args.len() && s.args.iter().zip(args).all(|(t, v)| Ty::of(v).fits(*t));
    named(name, method).find(takes).map_or_else(|| Err(EvalError::no_overload()), |s| (s.run)(args))
}

/// The namespace that an expression before a dot denotes, if it is one.
pub(super) fn namespace(target: &IdedExpr) -> Option<&'static str> {
    match &target.expr {
        Expr::Ident(name) => NAMESPACES.iter().copied().find(|n| *n == name.as_str()),
        _ => None,
    }
}

/// The name of the variable that a macro binds.
pub(super) fn identifier(expression: &IdedExpr) -> &str {
    match &expression.expr {
        Expr::Ident(name) => name,
        _ => "",
    }
}

/// A value as error texts show it.
pub(super) fn show(value: &Value) -> String {
    match value {
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Uint(value) => value.to_string(),
        Value::Double(value) => value.to_string(),
        Value::Text(text) => text.to_string(),
        other => other.type_name().to_owned(),
    }
}

fn overflow() -> EvalError {
    EvalError::error("integer overflow")
}

fn bad_number(function: &str, text: &str) -> EvalError {
    EvalError::error(format!("strconv.{function}: parsing {text:?}: invalid syntax"))
}

fn pair(args: &[Value], run: impl Fn(&Value, &Value) -> EvalResult) -> EvalResult {
    match args {
        [a, b] => run(a, b),
        _ => Err(EvalError::no_overload()),
    }
}

fn ordered(args: &[Value], holds: impl Fn(Ordering) -> bool) -> EvalResult {
    pair(args, |a, b| match (a, b) {
        (Value::Double(x), _) if x.is_nan() => Ok(Value::Bool(false)),
        (_, Value::Double(x)) if x.is_nan() => Ok(Value::Bool(false)),
        _ => a.compare(b).map(|o| Value::Bool(holds(o))).ok_or_else(EvalError::no_overload),
    })
}

pub(super) fn add(a: &Value, b: &Value) -> EvalResult {
    match (a, b) {
        (Value::Text(a), Value::Text(b)) => Ok(Value::text(&format!("{a}{b}"))),
        (Value::Bytes(a), Value::Bytes(b)) => Ok(Value::Bytes(a.iter().chain(b.iter()).copied().collect())),
        (Value::List(a), Value::List(b)) => Ok(Value::List(a.iter().chain(b.iter()).cloned().collect())),
        _ => arithmetic(&[a.clone(), b.clone()], i64::checked_add, u64::checked_add, |a, b| a + b),
    }
}

fn arithmetic(
    args: &[Value],
    int: fn(i64, i64) -> Option<i64>,
    uint: fn(u64, u64) -> Option<u64>,
    double: fn(f64, f64) -> f64,
) -> EvalResult {
    match args {
        [Value::Int(a), Value::Int(b)] => int(*a, *b).map(Value::Int).ok_or_else(overflow),
        [Value::Uint(a), Value::Uint(b)] => {
            uint(*a, *b).map(Value::Uint).ok_or_else(|| EvalError::error("unsigned integer overflow"))
        }
        [Value::Double(a), Value::Double(b)] => Ok(Value::Double(double(*a, *b))),
        _ => Err(EvalError::no_overload()),
    }
}

fn not_by_zero(args: &[Value], text: &str) -> Result<(), EvalError> {
    match args {
        [Value::Int(_), Value::Int(0)] | [Value::Uint(_), Value::Uint(0)] => Err(EvalError::error(text)),
        _ => Ok(()),
    }
}

/// Whether two types may be compared for equality.
pub(super) fn comparable(a: Ty, b: Ty) -> bool {
    a.fits(b) || b.fits(a)
}

/// Whether two types may be ordered.
pub(super) fn orderable(a: Ty, b: Ty) -> bool {
    let number = |t| matches!(t, Int | Uint | Double | Any);
    let other = |t| matches!(t, Bool | Text | Bytes | Any);
    (number(a) && number(b)) || (other(a) && other(b) && comparable(a, b))
}

/// The type of an arithmetic operation; `None` if it is not defined for the types.
pub(super) fn combined(name: &str, a: Ty, b: Ty) -> Option<Ty> {
    let result = if a == Any { b } else { a };
    let number = matches!(result, Int | Uint | Double | Any);
    let joinable = name == op::ADD && matches!(result, Text | Bytes | List);
    ((number || joinable) && comparable(a, b) && !matches!((a, b), (Map | Null, _) | (_, Map | Null))).then_some(result)
}

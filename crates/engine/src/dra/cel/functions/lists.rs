//! CEL functions of lists, of lists as sets, and of optional values.

use std::cmp::Ordering;
use std::rc::Rc;

use super::{FunctionSignature, Ty, add, f, m};
use crate::dra::cel::value::{EvalError, EvalResult, Value};
use Ty::{Any, Bool, Int, List, Optional};

pub(super) static OPTIONALS: &[FunctionSignature] = &[
    f("optional.none", &[], Optional, |_| Ok(Value::Optional(None))),
    f("optional.of", &[Any], Optional, |a| Ok(Value::Optional(a.first().cloned().map(Rc::new)))),
    f("optional.ofNonZeroValue", &[Any], Optional, |a| {
        let value = a.first().filter(|v| !is_zero(v));
        Ok(Value::Optional(value.cloned().map(Rc::new)))
    }),
    m("hasValue", &[Optional], Bool, |a| Ok(Value::Bool(matches!(a, [Value::Optional(Some(_))])))),
    m("value", &[Optional], Any, |a| match a {
        [Value::Optional(Some(inner))] => Ok((**inner).clone()),
        [Value::Optional(None)] => Err(EvalError::error("optional.none() dereference")),
        _ => Err(EvalError::no_overload()),
    }),
    m("or", &[Optional, Optional], Optional, |a| match a {
        [Value::Optional(None), other @ Value::Optional(_)] => Ok(other.clone()),
        [first @ Value::Optional(_), Value::Optional(_)] => Ok(first.clone()),
        _ => Err(EvalError::no_overload()),
    }),
    m("orValue", &[Optional, Any], Any, |a| match a {
        [Value::Optional(None), other] => Ok(other.clone()),
        [Value::Optional(Some(inner)), _] => Ok((**inner).clone()),
        _ => Err(EvalError::no_overload()),
    }),
];

pub(super) static LISTS: &[FunctionSignature] = &[
    m("isSorted", &[List], Bool, |a| {
        list(a, |l| {
            let sorted = l.windows(2).map(|w| match w {
                [a, b] => a.compare(b).map(|o| o != Ordering::Greater).ok_or_else(EvalError::no_overload),
                _ => Ok(true),
            });
            Ok(Value::Bool(sorted.collect::<Result<Vec<_>, _>>()?.into_iter().all(|s| s)))
        })
    }),
    m("sum", &[List], Any, |a| {
        list(a, |l| match l {
            [] => Ok(Value::Int(0)),
            [first, rest @ ..] => rest.iter().try_fold(first.clone(), |sum, v| add(&sum, v)),
        })
    }),
    m("min", &[List], Any, |a| list(a, |l| extreme(l, "min", Ordering::Less))),
    m("max", &[List], Any, |a| list(a, |l| extreme(l, "max", Ordering::Greater))),
    m("indexOf", &[List, Any], Int, |a| place(a, |l, v| l.iter().position(|x| x.equals(v)))),
    m("lastIndexOf", &[List, Any], Int, |a| place(a, |l, v| l.iter().rposition(|x| x.equals(v)))),
    f("sets.contains", &[List, List], Bool, |a| sets(a, |a, b| b.iter().all(|v| has(a, v)))),
    f("sets.intersects", &[List, List], Bool, |a| sets(a, |a, b| b.iter().any(|v| has(a, v)))),
    f("sets.equivalent", &[List, List], Bool, |a| {
        sets(a, |a, b| b.iter().all(|v| has(a, v)) && a.iter().all(|v| has(b, v)))
    }),
];

fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) | Value::Int(0) | Value::Uint(0) | Value::Optional(None) => true,
        Value::Double(value) => *value == 0.0,
        Value::Text(text) => text.is_empty(),
        Value::Bytes(bytes) => bytes.is_empty(),
        Value::List(list) => list.is_empty(),
        Value::Map(map) => map.is_empty(),
        _ => false,
    }
}

fn list(args: &[Value], run: impl Fn(&[Value]) -> EvalResult) -> EvalResult {
    match args {
        [Value::List(list)] => run(list),
        _ => Err(EvalError::no_overload()),
    }
}

fn extreme(list: &[Value], name: &str, wanted: Ordering) -> EvalResult {
    let [first, rest @ ..] = list else { return Err(EvalError::error(format!("{name} called on empty list"))) };
    rest.iter().try_fold(first.clone(), |best, value| match value.compare(&best) {
        Some(order) if order == wanted => Ok(value.clone()),
        Some(_) => Ok(best),
        None => Err(EvalError::no_overload()),
    })
}

fn place(args: &[Value], find: impl Fn(&[Value], &Value) -> Option<usize>) -> EvalResult {
    match args {
        [Value::List(list), value] => {
            Ok(Value::Int(find(list, value).and_then(|i| i64::try_from(i).ok()).unwrap_or(-1)))
        }
        _ => Err(EvalError::no_overload()),
    }
}

fn has(list: &[Value], value: &Value) -> bool {
    list.iter().any(|v| v.equals(value))
}

fn sets(args: &[Value], holds: impl Fn(&[Value], &[Value]) -> bool) -> EvalResult {
    match args {
        [Value::List(a), Value::List(b)] => Ok(Value::Bool(holds(a, b))),
        _ => Err(EvalError::no_overload()),
    }
}

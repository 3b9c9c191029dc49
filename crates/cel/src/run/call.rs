//! Calls functions.
//!
//! Upstream: cel-go `interpreter/interpretable.go`, `common/decls/decls.go`.

use std::sync::Arc;

use super::eval::Machine;
use super::fold::Frame;
use super::node::{CallNode, CallTarget};
use crate::check::Type;
use crate::library::{DeclaredOverload, Run, search, search_all};
use crate::values::{EvalResult, Value, fail};

impl Machine<'_> {
    pub(super) fn call(&mut self, call: &CallNode, frame: Option<&Frame>) -> EvalResult {
        let lenient = matches!(call.target, CallTarget::NotStrictlyFalse);
        let in_turn = match &call.target {
            CallTarget::Overload(overload) => matches!(overload.run, Run::InTurn(_)),
            CallTarget::Dispatch | CallTarget::Pattern(_) => true,
            CallTarget::Shared | CallTarget::NotStrictlyFalse => false,
        } || call.args.len() > 2;
        let mut args = Vec::with_capacity(call.args.len());
        for arg in &call.args {
            let value = self.eval(arg, frame)?;
            if in_turn && value.is_error() {
                return Ok(value);
            }
            args.push(value);
        }
        if !lenient && let Some(error) = args.iter().find(|arg| arg.is_error()) {
            return Ok(error.clone());
        }
        let declared = call.declared;
        self.weight.call(declared.name, &args)?;
        match &call.target {
            CallTarget::NotStrictlyFalse => Ok(match args.first() {
                Some(value @ Value::Bool(_)) => value.clone(),
                Some(Value::Error(_)) => Value::Bool(true),
                _ => Value::no_overload(),
            }),
            CallTarget::Pattern(regex) => {
                // Parity: with a constant pattern, upstream searches anything that Go holds as a
                // string.
                if let Some(text) = args.first().and_then(go_text)
                    && let Some(first) = args.first_mut()
                {
                    *first = Value::Text(text);
                }
                Ok(match (declared.name, args.first()) {
                    ("matches", Some(Value::Text(text))) => Value::Bool(regex.is_match(text)),
                    ("find", _) => search(regex, &args),
                    ("findAll", _) => search_all(regex, &args),
                    _ => Value::no_overload(),
                })
            }
            CallTarget::Shared => {
                let called = declared.shared.and_then(|body| body(&self.release, &args));
                called.unwrap_or_else(|| match args.first() {
                    Some(Value::Text(_) | Value::Duration(_) | Value::Time(_)) => {
                        Ok(Value::no_overload())
                    }
                    _ => fail(format!("no such overload: {}", declared.name)),
                })
            }
            CallTarget::Overload(overload) if fits(overload, declared.guarded, &args) => {
                self.body(overload, &args)
            }
            CallTarget::Overload(_) => no_overload(declared.name, &args),
            CallTarget::Dispatch => {
                match declared.overloads.iter().find(|o| fits(o, declared.guarded, &args)) {
                    Some(overload) => self.body(overload, &args),
                    None => no_overload(declared.name, &args),
                }
            }
        }
    }

    fn body(&self, overload: &DeclaredOverload, args: &[Value]) -> EvalResult {
        match overload.run {
            Run::Direct(body) | Run::InTurn(body) => body(&self.release, args),
            Run::Shared => Ok(Value::no_overload()),
        }
    }
}

/// The value as a Go string: a string, the name of a type, or either of them in an optional.
fn go_text(value: &Value) -> Option<Arc<str>> {
    match value {
        Value::Text(text) | Value::Type(text) => Some(text.clone()),
        Value::Optional(Some(inner)) => go_text(inner),
        _ => None,
    }
}

fn no_overload(function: &str, args: &[Value]) -> EvalResult {
    let types: Vec<&str> = args.iter().map(Value::type_name).collect();
    fail(format!("no such overload: {function}({})", types.join(", ")))
}

/// Whether the arguments match an overload at run time.
fn fits(overload: &DeclaredOverload, guarded: bool, args: &[Value]) -> bool {
    overload.args.len() == args.len()
        && (!guarded || overload.args.iter().zip(args).all(|(t, arg)| is_of(t, arg)))
}

/// Whether a value has a type, checked as shallowly as upstream does: only the first element
/// counts.
fn is_of(t: &Type, value: &Value) -> bool {
    match (t, value) {
        (Type::Dyn | Type::Any | Type::Param(_), _) => true,
        (Type::List(of), Value::List(list)) => list.get(0).is_none_or(|first| is_of(of, &first)),
        (Type::Map(of), Value::Map(map)) => {
            map.entries.first().is_none_or(|(key, value)| is_of(&of.0, key) && is_of(&of.1, value))
        }
        (t, value) => t.name() == value.type_name(),
    }
}

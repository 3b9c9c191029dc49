//! Resolves attributes: a variable and the selections from it.
//!
//! Upstream: cel-go `interpreter/attributes.go`.

use std::sync::Arc;

use super::eval::Machine;
use super::fold::Frame;
use super::native::through_go;
use super::node::{AttributePath, By, Qualifier};
use crate::values::{EvalResult, EvaluationStop, Value, fail, go_type, index_of, show};

/// The result of a selection.
enum Found {
    Value(Value),
    Nothing,
}

impl Machine<'_> {
    /// The value of an attribute; errors are values.
    pub(super) fn resolve(
        &mut self,
        attribute: &AttributePath,
        frame: Option<&Frame>,
    ) -> EvalResult {
        match attribute {
            AttributePath::Absolute { name, qualifiers, .. } => match self.variable(name, frame)? {
                None => fail(format!("no such attribute(s): {name}")),
                Some(error @ Value::Error(_)) => Ok(error),
                Some(value) => {
                    // Parity: below a name with a leading dot, no local variable is visible.
                    let frame = if name.starts_with('.') { None } else { frame };
                    self.qualify_all(value, qualifiers, frame)
                }
            },
            AttributePath::Relative { operand, qualifiers, .. } => {
                match self.eval(operand, frame)? {
                    error @ Value::Error(_) => Ok(error),
                    value => self.qualify_all(value, qualifiers, frame),
                }
            }
            AttributePath::Conditional { condition, truthy, falsy, .. } => {
                match self.eval(condition, frame)? {
                    Value::Bool(true) => self.resolve(truthy, frame),
                    Value::Bool(false) => self.resolve(falsy, frame),
                    other => Ok(other.or_no_overload()),
                }
            }
        }
    }

    fn variable(
        &mut self,
        name: &str,
        frame: Option<&Frame>,
    ) -> Result<Option<Value>, EvaluationStop> {
        if let Some(bare) = name.strip_prefix('.') {
            return Ok(self.global(bare));
        }
        let mut next = frame;
        while let Some(frame) = next {
            if let Some(value) = frame.variable(name, self)? {
                return Ok(Some(value));
            }
            next = frame.parent;
        }
        Ok(self.global(name))
    }

    fn global(&self, name: &str) -> Option<Value> {
        (name == "device").then(|| self.device.clone())
    }

    /// Parity: used as a key, the bare variable is the Go map that it was built from.
    fn is_bare_device(&self, attribute: &AttributePath, value: &Value) -> bool {
        match attribute {
            AttributePath::Absolute { name, qualifiers, .. } => {
                let is_device = matches!((value, &self.device), (Value::Map(a), Value::Map(b)) if Arc::ptr_eq(a, b));
                qualifiers.is_empty() && matches!(&**name, "device" | ".device") && is_device
            }
            AttributePath::Conditional { truthy, falsy, .. } => {
                self.is_bare_device(truthy, value) || self.is_bare_device(falsy, value)
            }
            AttributePath::Relative { .. } => false,
        }
    }

    fn qualify_all(
        &mut self,
        value: Value,
        qualifiers: &[Arc<Qualifier>],
        frame: Option<&Frame>,
    ) -> EvalResult {
        let (mut value, mut optional) = match value {
            Value::Optional(None) => return Ok(value),
            Value::Optional(Some(inner)) if self.release.optionals_keep_types => {
                ((*inner).clone(), true)
            }
            Value::Optional(Some(inner)) => {
                self.weight.value(&inner)?;
                (through_go(&inner), true)
            }
            other => (other, false),
        };
        for qualifier in qualifiers {
            optional |= qualifier.optional;
            match self.qualify(&value, qualifier, optional, frame)? {
                Found::Nothing => return Ok(Value::Optional(None)),
                Found::Value(error @ Value::Error(_)) => return Ok(error),
                Found::Value(found) => value = found,
            }
        }
        Ok(if optional { Value::some(value) } else { value })
    }

    /// One selection, reported to the cost tracker.
    fn qualify(
        &mut self,
        from: &Value,
        qualifier: &Qualifier,
        optional: bool,
        frame: Option<&Frame>,
    ) -> Result<Found, EvaluationStop> {
        let relative =
            if let By::Relative(attribute) = &qualifier.by { Some(attribute) } else { None };
        let found = match &qualifier.by {
            By::Const { key, test: false } => find(from, key, optional)?,
            By::Const { key, test: true } => match find(from, key, true)? {
                found if optional => found,
                Found::Value(error @ Value::Error(_)) => Found::Value(error),
                Found::Value(_) => Found::Value(Value::Bool(true)),
                Found::Nothing => Found::Value(Value::Bool(false)),
            },
            By::Attribute(attribute) | By::Relative(attribute) => {
                match self.resolve(attribute, frame)? {
                    error @ Value::Error(_) => Found::Value(error),
                    key @ (Value::Text(_)
                    | Value::Int(_)
                    | Value::Uint(_)
                    | Value::Bool(_)
                    | Value::Double(_)) => find(from, &key, optional)?,
                    other if self.is_bare_device(attribute, &other) => Found::Value(Value::error(
                        "invalid qualifier type: map[string]interface {}",
                    )),
                    other => Found::Value(Value::error(invalid(&other))),
                }
            }
        };
        match &found {
            Found::Value(Value::Error(_)) | Found::Nothing if optional => {}
            Found::Value(value) => self.tracker.qualified(value, qualifier.id, relative)?,
            Found::Nothing => {}
        }
        Ok(found)
    }
}

/// The error about a value that cannot be a key.
pub(super) fn invalid(key: &Value) -> String {
    format!("invalid qualifier type: {}", go_type(key))
}

/// The value at a key. With `lenient`, a missing key is not an error.
fn find(from: &Value, key: &Value, lenient: bool) -> Result<Found, EvaluationStop> {
    let missing = |text: &str| {
        if lenient {
            Found::Nothing
        } else {
            Found::Value(Value::error(format!("{text}: {}", show(key))))
        }
    };
    Ok(match from {
        Value::Error(_) => Found::Value(from.clone()),
        Value::Map(map) => map.find(key)?.map_or_else(|| missing("no such key"), Found::Value),
        Value::List(list) => match index_of(key) {
            Err(error) => Found::Value(error),
            Ok(index) => {
                let found = usize::try_from(index).ok().and_then(|index| list.get(index));
                found.map_or_else(|| missing("index out of bounds"), Found::Value)
            }
        },
        _ => missing("no such key"),
    })
}

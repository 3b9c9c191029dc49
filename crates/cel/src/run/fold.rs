//! Comprehensions.
//!
//! Upstream: cel-go `interpreter/interpretable.go` (`evalFold`).

use std::cell::{Cell, RefCell};

use super::eval::Machine;
use super::node::FoldNode;
use crate::values::{EvalResult, EvaluationStop, ListValue, Value, fail, go_type};

/// The variables of a running comprehension.
pub(super) struct Frame<'f> {
    pub parent: Option<&'f Frame<'f>>,
    fold: &'f FoldNode,
    accumulated: RefCell<Option<Value>>,
    one: RefCell<Value>,
    other: RefCell<Value>,
    /// The result expression no longer sees the iteration variables.
    finished: Cell<bool>,
    grows: Cell<bool>,
}

impl Frame<'_> {
    /// The value of a variable of this comprehension.
    pub fn variable(
        &self,
        name: &str,
        machine: &mut Machine,
    ) -> Result<Option<Value>, EvaluationStop> {
        if *name == *self.fold.accumulator {
            let known = self.accumulated.borrow().clone();
            if known.is_some() {
                return Ok(known);
            }
            let mut value = machine.eval(&self.fold.begin, self.parent)?;
            match &value {
                Value::List(list) if list.len() == 0 => {
                    value = Value::List(ListValue::growing());
                    self.grows.set(true);
                }
                _ => {}
            }
            *self.accumulated.borrow_mut() = Some(value.clone());
            return Ok(Some(value));
        }
        if self.finished.get() {
            return Ok(None);
        }
        if *name == *self.fold.variable {
            return Ok(Some(self.one.borrow().clone()));
        }
        if self.fold.variable2.as_deref() == Some(name) {
            return Ok(Some(self.other.borrow().clone()));
        }
        Ok(None)
    }
}

impl Machine<'_> {
    pub(super) fn fold(&mut self, fold: &FoldNode, parent: Option<&Frame>) -> EvalResult {
        let range = self.eval(&fold.range, parent)?;
        let two = fold.variable2.is_some();
        let frame = Frame {
            parent,
            fold,
            accumulated: RefCell::new(None),
            one: RefCell::new(Value::Null),
            other: RefCell::new(Value::Null),
            finished: Cell::new(false),
            grows: Cell::new(false),
        };
        match &range {
            Value::Error(_) => return Ok(range),
            Value::Map(map) => {
                for index in self.order.of(map.entries.len()) {
                    let Some((key, value)) = map.entries.get(index) else { break };
                    if !self.step(&frame, key.clone(), value.clone())? {
                        break;
                    }
                }
            }
            // Parity: a list may grow while it is iterated over; only its initial length counts.
            Value::List(list) => {
                for index in 0..list.len() {
                    let value = list.get(index).unwrap_or(Value::Null);
                    let number = i64::try_from(index).map_or(Value::Null, Value::Int);
                    let (one, other) = if two { (number, value) } else { (value, Value::Null) };
                    if !self.step(&frame, one, other)? {
                        break;
                    }
                }
            }
            other if two => {
                return fail(format!("unsupported comprehension range type: {}", go_type(other)));
            }
            other => return fail(format!("got '{}', expected iterable type", go_type(other))),
        }
        frame.finished.set(true);
        Ok(match self.eval(&fold.result, Some(&frame))? {
            Value::List(list) if frame.grows.get() => Value::List(list.settled()),
            other => other,
        })
    }

    /// Runs one iteration; false ends the loop.
    fn step(&mut self, frame: &Frame, one: Value, other: Value) -> Result<bool, EvaluationStop> {
        *frame.one.borrow_mut() = one;
        *frame.other.borrow_mut() = other;
        if matches!(self.eval(&frame.fold.condition, Some(frame))?, Value::Bool(false)) {
            return Ok(false);
        }
        let next = self.eval(&frame.fold.step, Some(frame))?;
        *frame.accumulated.borrow_mut() = Some(next);
        Ok(true)
    }
}

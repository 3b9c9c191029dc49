//! Evaluates a checked expression.

use std::rc::Rc;

use cel::common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, IdedExpr, LiteralValue, operators as op};

use super::SelectorError;
use super::functions;
use super::value::{DeviceFacts, EvalError, EvalResult, Value, find};

/// The most evaluation steps; upstream has a limit of the same number on its cost.
const MOST_STEPS: u32 = 1_000_000;
/// Upstream's error if the limit is exceeded.
const TOO_LONG: &str = "operation cancelled: actual cost limit exceeded";

/// Evaluates an expression for a device.
pub(super) fn run(expression: &IdedExpr, facts: DeviceFacts) -> Result<bool, SelectorError> {
    let mut run = Evaluator { facts, scope: Vec::new(), steps: 0 };
    match run.eval(expression) {
        Ok(Value::Bool(selected)) => Ok(selected),
        Ok(other) => Err(SelectorError::Runtime(format!(
            "CEL result of type {0} could not be converted to bool: type conversion error from '{0}' to 'bool'",
            other.type_name()
        ))),
        Err(EvalError::Error(text) | EvalError::Stop(text)) => Err(SelectorError::Runtime(text.to_string())),
        Err(EvalError::Unsupported(text)) => Err(SelectorError::Unsupported(text.to_string())),
    }
}

/// The depth of an expression, computed without recursion.
pub(super) fn depth(expression: &IdedExpr) -> usize {
    let mut todo = vec![(expression, 1)];
    let mut deepest = 0;
    while let Some((expression, depth)) = todo.pop() {
        deepest = deepest.max(depth);
        for_each_child(expression, &mut |child| todo.push((child, depth + 1)));
    }
    deepest
}

fn for_each_child<'e>(expression: &'e IdedExpr, visit: &mut dyn FnMut(&'e IdedExpr)) {
    match &expression.expr {
        Expr::Unspecified | Expr::Ident(_) | Expr::Literal(_) => {}
        Expr::Call(call) => call.target.iter().map(|t| &**t).chain(&call.args).for_each(visit),
        Expr::Comprehension(c) => {
            [&c.iter_range, &c.accu_init, &c.loop_cond, &c.loop_step, &c.result].into_iter().for_each(visit);
        }
        Expr::List(list) => list.elements.iter().for_each(visit),
        Expr::Map(map) => map.entries.iter().for_each(|entry| each_of_entry(&entry.expr, visit)),
        Expr::Struct(structure) => structure.entries.iter().for_each(|entry| each_of_entry(&entry.expr, visit)),
        Expr::Select(select) => visit(&select.operand),
    }
}

fn each_of_entry<'e>(entry: &'e EntryExpr, visit: &mut dyn FnMut(&'e IdedExpr)) {
    match entry {
        EntryExpr::StructField(field) => visit(&field.value),
        EntryExpr::MapEntry(entry) => [&entry.key, &entry.value].into_iter().for_each(visit),
    }
}

struct Evaluator<'d> {
    facts: DeviceFacts<'d>,
    /// Variables, innermost last. An accumulator may hold an error.
    scope: Vec<(Rc<str>, EvalResult)>,
    steps: u32,
}

impl Evaluator<'_> {
    fn eval(&mut self, expression: &IdedExpr) -> EvalResult {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return Err(EvalError::Stop(TOO_LONG.into()));
        }
        match &expression.expr {
            Expr::Literal(literal) => Ok(literal_value(literal)),
            Expr::Ident(name) => self.variable(name),
            Expr::Select(select) => {
                let operand = self.eval(&select.operand)?;
                if select.test { self.has(&operand, &select.field) } else { self.select(&operand, &select.field) }
            }
            Expr::Call(call) => self.call(call),
            Expr::Comprehension(comprehension) => self.comprehension(comprehension),
            Expr::List(list) => {
                let mut values = Vec::with_capacity(list.elements.len());
                for (index, element) in list.elements.iter().enumerate() {
                    match self.eval(element)? {
                        Value::Optional(value) if list.optional_indices.contains(&index) => {
                            values.extend(value.map(|v| (*v).clone()));
                        }
                        value => values.push(value),
                    }
                }
                Ok(Value::list(values))
            }
            Expr::Map(map) => {
                let mut entries: Vec<(Value, Value)> = Vec::with_capacity(map.entries.len());
                for entry in &map.entries {
                    let EntryExpr::MapEntry(entry) = &entry.expr else { return Err(EvalError::no_overload()) };
                    let (key, value) = (self.eval(&entry.key)?, self.eval(&entry.value)?);
                    if find(&entries, &key).is_some() {
                        return Err(EvalError::error(format!("Failed with repeated key: {}", functions::show(&key))));
                    }
                    match value {
                        Value::Optional(value) if entry.optional => {
                            entries.extend(value.map(|v| (key, (*v).clone())));
                        }
                        value => entries.push((key, value)),
                    }
                }
                Ok(Value::Map(entries.into()))
            }
            Expr::Struct(_) | Expr::Unspecified => Err(EvalError::Unsupported("messages".into())),
        }
    }

    fn variable(&self, name: &str) -> EvalResult {
        if let Some((_, value)) = self.scope.iter().rev().find(|(known, _)| &**known == name) {
            return value.clone();
        }
        if name == "device" {
            return Ok(Value::Device);
        }
        functions::TYPES
            .iter()
            .find(|known| **known == name)
            .map(|known| Value::Type(known))
            .ok_or_else(|| EvalError::error(format!("no such attribute(s): {name}")))
    }

    fn select(&self, operand: &Value, field: &str) -> EvalResult {
        match operand {
            // A field of an optional value is optional.
            Value::Optional(None) => Ok(Value::Optional(None)),
            Value::Optional(Some(inner)) => Ok(Value::Optional(self.lookup(inner, &Value::text(field))?.map(Rc::new))),
            _ => self.index(operand, &Value::text(field)),
        }
    }

    fn has(&self, operand: &Value, field: &str) -> EvalResult {
        let inner = match operand {
            Value::Optional(None) => return Ok(Value::Bool(false)),
            Value::Optional(Some(inner)) => inner,
            other => other,
        };
        Ok(Value::Bool(self.lookup(inner, &Value::text(field))?.is_some()))
    }

    /// The value at a key, if the key exists.
    fn lookup(&self, container: &Value, key: &Value) -> Result<Option<Value>, EvalError> {
        Ok(match (container, key) {
            (Value::Device, Value::Text(field)) => self.facts.field(field),
            // Parity: every domain exists; unknown domains are empty.
            (Value::Attributes | Value::Capacities, Value::Text(domain)) => Some(self.facts.domain(container, domain)),
            (Value::Map(map), key) => find(map, key).cloned(),
            (Value::List(list), key) => {
                let index = match key {
                    Value::Int(index) => usize::try_from(*index).ok(),
                    Value::Uint(index) => usize::try_from(*index).ok(),
                    _ => return Err(EvalError::no_overload()),
                };
                index.and_then(|i| list.get(i)).cloned()
            }
            _ => return Err(EvalError::no_overload()),
        })
    }

    fn index(&self, container: &Value, key: &Value) -> EvalResult {
        self.lookup(container, key)?.ok_or_else(|| {
            EvalError::error(match container {
                Value::List(_) => format!("index out of bounds: {}", functions::show(key)),
                _ => format!("no such key: {}", functions::show(key)),
            })
        })
    }

    fn call(&mut self, call: &CallExpr) -> EvalResult {
        match (call.func_name.as_str(), call.args.as_slice()) {
            (op::LOGICAL_AND, [left, right]) => self.logical(left, right, false),
            (op::LOGICAL_OR, [left, right]) => self.logical(left, right, true),
            (op::CONDITIONAL, [condition, yes, no]) => match self.eval(condition)? {
                Value::Bool(true) => self.eval(yes),
                Value::Bool(false) => self.eval(no),
                _ => Err(EvalError::no_overload()),
            },
            (op::NOT_STRICTLY_FALSE, [argument]) => match self.eval(argument) {
                Ok(Value::Bool(value)) => Ok(Value::Bool(value)),
                Ok(_) | Err(EvalError::Error(_)) => Ok(Value::Bool(true)),
                Err(fault) => Err(fault),
            },
            (op::INDEX, [container, key]) => {
                let (container, key) = (self.eval(container)?, self.eval(key)?);
                match &container {
                    Value::Optional(None) => Ok(container),
                    Value::Optional(Some(inner)) => Ok(Value::Optional(self.lookup(inner, &key)?.map(Rc::new))),
                    _ => self.index(&container, &key),
                }
            }
            (op::OPT_INDEX | op::OPT_SELECT, [container, key]) => {
                let (container, key) = (self.eval(container)?, self.eval(key)?);
                let inner = match &container {
                    Value::Optional(None) => return Ok(container),
                    Value::Optional(Some(inner)) => inner,
                    other => other,
                };
                Ok(Value::Optional(self.lookup(inner, &key)?.map(Rc::new)))
            }
            (op::IN, [element, container]) => {
                let (element, container) = (self.eval(element)?, self.eval(container)?);
                self.contains(&container, &element)
            }
            ("size", [of]) if call.target.is_none() => {
                let value = self.eval(of)?;
                self.size(&value)
            }
            (name, args) => self.function(name, call.target.as_deref(), args),
        }
    }

    /// Evaluates `&&` or `||`: an error is returned only if the other side does not determine the result.
    fn logical(&mut self, left: &IdedExpr, right: &IdedExpr, decisive: bool) -> EvalResult {
        let left = self.boolean(left);
        if left == Ok(decisive) || matches!(left, Err(EvalError::Stop(_) | EvalError::Unsupported(_))) {
            return left.map(Value::Bool);
        }
        let right = self.boolean(right);
        if right == Ok(decisive) || left.is_ok() || matches!(right, Err(EvalError::Stop(_) | EvalError::Unsupported(_)))
        {
            return right.map(Value::Bool);
        }
        left.map(Value::Bool)
    }

    fn boolean(&mut self, expression: &IdedExpr) -> Result<bool, EvalError> {
        match self.eval(expression)? {
            Value::Bool(value) => Ok(value),
            _ => Err(EvalError::no_overload()),
        }
    }

    fn contains(&self, container: &Value, element: &Value) -> EvalResult {
        Ok(Value::Bool(match container {
            Value::List(list) => list.iter().any(|v| v.equals(element)),
            Value::Map(map) => find(map, element).is_some(),
            Value::Attributes | Value::Capacities => {
                matches!(element, Value::Text(domain) if self.facts.domains(container).iter().any(|d| **d == **domain))
            }
            _ => return Err(EvalError::no_overload()),
        }))
    }

    fn size(&self, value: &Value) -> EvalResult {
        let size = match value {
            Value::Text(text) => text.chars().count(),
            Value::Bytes(bytes) => bytes.len(),
            Value::List(list) => list.len(),
            Value::Map(map) => map.len(),
            Value::Attributes | Value::Capacities => self.facts.domains(value).len(),
            _ => return Err(EvalError::no_overload()),
        };
        Ok(Value::Int(i64::try_from(size).unwrap_or(i64::MAX)))
    }

    fn function(&mut self, name: &str, target: Option<&IdedExpr>, args: &[IdedExpr]) -> EvalResult {
        if let Some(namespace) = target.and_then(functions::namespace) {
            if let ("cel", "bind", [variable, value, body]) = (namespace, name, args) {
                let value = self.eval(value);
                return self.with(functions::identifier(variable), value, body);
            }
            let values = args.iter().map(|a| self.eval(a)).collect::<Result<Vec<_>, _>>()?;
            return functions::global(&format!("{namespace}.{name}"), &values);
        }
        let Some(target) = target else {
            let values = args.iter().map(|a| self.eval(a)).collect::<Result<Vec<_>, _>>()?;
            return functions::global(name, &values);
        };
        let target = self.eval(target)?;
        match (name, args, &target) {
            ("size", [], _) => return self.size(&target),
            ("optMap" | "optFlatMap", [_, _], Value::Optional(None)) => return Ok(target),
            ("optMap", [variable, body], Value::Optional(Some(inner))) => {
                let value = self.with(functions::identifier(variable), Ok((**inner).clone()), body)?;
                return Ok(Value::Optional(Some(Rc::new(value))));
            }
            ("optFlatMap", [variable, body], Value::Optional(Some(inner))) => {
                return self.with(functions::identifier(variable), Ok((**inner).clone()), body);
            }
            _ => {}
        }
        let values = args.iter().map(|a| self.eval(a)).collect::<Result<Vec<_>, _>>()?;
        functions::member(name, &target, &values)
    }

    fn with(&mut self, variable: &str, value: EvalResult, body: &IdedExpr) -> EvalResult {
        self.scope.push((variable.into(), value));
        let result = self.eval(body);
        self.scope.pop();
        result
    }

    fn comprehension(&mut self, c: &ComprehensionExpr) -> EvalResult {
        let range = self.eval(&c.iter_range)?;
        let items: Vec<(Value, Value)> = match &range {
            Value::List(list) => {
                let index = |i: usize| Value::Int(i64::try_from(i).unwrap_or(i64::MAX));
                list.iter().enumerate().map(|(i, v)| (index(i), v.clone())).collect()
            }
            Value::Map(map) => map.to_vec(),
            Value::Attributes | Value::Capacities => {
                let domains = self.facts.domains(&range);
                domains.iter().map(|d| (Value::text(d), self.facts.domain(&range, d))).collect()
            }
            _ => return Err(EvalError::no_overload()),
        };
        let of_list = matches!(range, Value::List(_));
        let mut total = self.eval(&c.accu_init);
        for (key, value) in items {
            self.scope.push((c.accu_var.as_str().into(), total.clone()));
            let more = self.eval(&c.loop_cond);
            self.scope.pop();
            match more {
                Ok(Value::Bool(true)) | Err(EvalError::Error(_)) => {}
                Ok(_) => break,
                Err(fault) => return Err(fault),
            }
            let before = self.scope.len();
            self.scope.push((c.accu_var.as_str().into(), total));
            if let Some(second) = &c.iter_var2 {
                self.scope.push((c.iter_var.as_str().into(), Ok(key)));
                self.scope.push((second.as_str().into(), Ok(value)));
            } else {
                self.scope.push((c.iter_var.as_str().into(), Ok(if of_list { value } else { key })));
            }
            total = self.eval(&c.loop_step);
            self.scope.truncate(before);
            if let Err(EvalError::Stop(_) | EvalError::Unsupported(_)) = total {
                return total;
            }
        }
        self.with(&c.accu_var, total, &c.result)
    }
}

fn literal_value(literal: &LiteralValue) -> Value {
    match literal {
        LiteralValue::Boolean(value) => Value::Bool(*value.inner()),
        LiteralValue::Bytes(value) => Value::Bytes(value.inner().into()),
        LiteralValue::Double(value) => Value::Double(*value.inner()),
        LiteralValue::Int(value) => Value::Int(*value.inner()),
        LiteralValue::Null => Value::Null,
        LiteralValue::String(value) => Value::text(value.inner()),
        LiteralValue::UInt(value) => Value::Uint(*value.inner()),
    }
}

//! Evaluates a planned expression for one device.
//!
//! Upstream: cel-go `interpreter/interpretable.go`, `interpreter/attributes.go`,
//! `common/decls/decls.go`.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use super::node::{AttributePath, By, CallNode, CallTarget, FoldNode, PlanNode, Qualifier};
use super::tracker::{Tracker, call_cost, comparison_cost};
use super::weight::BytesLeft;
use crate::library::{DeclaredOverload, LIST_COST, MAP_COST, Regex, search, search_all};
use crate::release::Release;
use crate::syntax::op;
use crate::types::Type;
use crate::values::{
    EvalResult, EvaluationStop, ListValue, Map, MapKind, Value, equal, fail, go_type, index_of,
    same_key, show, unhashable,
};

/// The evaluator.
pub(crate) struct Machine<'m> {
    device: &'m Value,
    release: Release,
    tracker: Tracker,
    weight: BytesLeft,
    order: MapOrder,
    /// Expressions evaluated so far.
    evaluated: u64,
    /// The most steps: expressions evaluated, plus their cost.
    most: u64,
}

/// The order in which comprehensions iterate over maps, which is random in Go.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum MapOrder {
    #[default]
    ByKey,
    /// Sorted keys, backwards.
    Backwards,
    /// Sorted keys, rotated to begin with a later one.
    From(usize),
}

impl MapOrder {
    /// The positions of `entries` entries in this order.
    fn of(self, entries: usize) -> impl Iterator<Item = usize> {
        (0..entries).map(move |at| match self {
            Self::ByKey => at,
            Self::Backwards => entries - 1 - at,
            Self::From(first) => (at + first) % entries,
        })
    }
}

impl<'m> Machine<'m> {
    /// `most` limits the steps, and `weight` the size of the values.
    pub fn new(device: &'m Value, release: Release, most: u64, weight: BytesLeft) -> Self {
        let order = MapOrder::default();
        Self { device, release, tracker: Tracker::default(), weight, order, evaluated: 0, most }
    }

    /// Iterates over maps in another order.
    pub fn in_order(self, order: MapOrder) -> Self {
        Self { order, ..self }
    }

    /// The cost so far.
    pub const fn cost(&self) -> u64 {
        self.tracker.cost
    }

    /// Evaluates the root node.
    pub fn run(&mut self, node: &PlanNode) -> EvalResult {
        self.eval(node, None)
    }

    fn eval(&mut self, node: &PlanNode, frame: Option<&Frame>) -> EvalResult {
        self.evaluated += 1;
        let value = self.step_of(node, frame)?;
        if !self.release.steps_count_their_cost {
            self.tracker.observe(node, &value, &self.release)?;
        } else if matches!(node, PlanNode::Attribute(path) if !path.is_conditional()) {
            self.tracker.add(1)?;
        }
        // Both count, because some expressions cost nothing and others take longer than their cost
        // suggests.
        if self.evaluated.saturating_add(self.tracker.cost) > self.most {
            Err(EvaluationStop::Long)
        } else {
            Ok(value)
        }
    }

    /// Adds the cost of a step that has been taken, where steps count it themselves.
    fn spend(&mut self, cost: u64) -> Result<(), EvaluationStop> {
        if self.release.steps_count_their_cost { self.tracker.add(cost) } else { Ok(()) }
    }

    /// Evaluates a node that depends on no device, without counting it as a step.
    pub(super) fn constant(&mut self, node: &PlanNode) -> EvalResult {
        self.step_of(node, None)
    }

    fn step_of(&mut self, node: &PlanNode, frame: Option<&Frame>) -> EvalResult {
        match node {
            PlanNode::Const { value, .. } => Ok(value.clone()),
            PlanNode::Attribute(attribute) => self.resolve(attribute, frame),
            PlanNode::Test { attribute, .. } => Ok(match self.resolve(attribute, frame)? {
                Value::Optional(inner) => Value::Bool(inner.is_some()),
                other => other,
            }),
            // One term that decides makes up for others that fail.
            PlanNode::Logic { and, terms, .. } => {
                let mut failed = None;
                for term in terms {
                    match self.eval(term, frame)? {
                        Value::Bool(value) if value != *and => return Ok(Value::Bool(value)),
                        Value::Bool(_) => {}
                        other => failed = failed.or(Some(other.or_no_overload())),
                    }
                }
                Ok(failed.unwrap_or(Value::Bool(*and)))
            }
            PlanNode::Equal { negated, args, .. } => {
                let mut values = Vec::with_capacity(2);
                for arg in args {
                    // Parity: a comparison counts even if an operand fails, as if the other had
                    // been a type.
                    if self.release.steps_count_their_cost && values.iter().any(Value::is_error) {
                        values.push(Value::Null);
                        break;
                    }
                    values.push(self.eval(arg, frame)?);
                }
                self.weight.call("", &values)?;
                self.spend(comparison_cost(*negated, &values, &self.release))?;
                match values.as_slice() {
                    [error @ Value::Error(_), _] | [_, error @ Value::Error(_)] => {
                        Ok(error.clone())
                    }
                    [a, b] if *negated => {
                        Ok(Value::Bool(!matches!(equal(a, b)?, Value::Bool(true))))
                    }
                    [a, b] => equal(a, b),
                    _ => Ok(Value::no_overload()),
                }
            }
            PlanNode::Call(call) => self.call(call, frame),
            PlanNode::Otherwise { value, one, other, .. } => match self.eval(one, frame)? {
                Value::Optional(Some(inner)) => {
                    Ok(if *value { (*inner).clone() } else { Value::Optional(Some(inner)) })
                }
                Value::Optional(None) => self.eval(other, frame),
                other if self.release.only_optionals_have_alternatives => {
                    Ok(other.or_no_overload())
                }
                other => Ok(other),
            },
            PlanNode::List { elements, .. } => self.list(elements, frame),
            PlanNode::Map { entries, .. } => self.map(entries, frame),
            // Upstream looks a value up in a Go map of the list's elements.
            PlanNode::Member { arg, values, .. } => match self.eval(arg, frame)? {
                error @ Value::Error(_) => Ok(error),
                value => match unhashable(&value) {
                    Some(name) => Err(hash(name)),
                    None => Ok(Value::Bool(values.iter().any(|element| same_key(element, &value)))),
                },
            },
            PlanNode::Fold(fold) => self.fold(fold, frame),
        }
    }

    fn list(&mut self, elements: &[(bool, PlanNode)], frame: Option<&Frame>) -> EvalResult {
        let mut values = Vec::with_capacity(elements.len());
        for (optional, node) in elements {
            match self.eval(node, frame)? {
                error @ Value::Error(_) => return Ok(error),
                Value::Optional(inner) if *optional => {
                    values.extend(inner.map(|inner| (*inner).clone()));
                }
                value if *optional => {
                    self.weight.value(&value)?;
                    return fail(format!(
                        "cannot initialize optional list element from non-optional value {}",
                        show(&value)
                    ));
                }
                value => values.push(value),
            }
        }
        self.spend(LIST_COST)?;
        Ok(Value::list(values))
    }

    fn map(&mut self, nodes: &[(bool, PlanNode, PlanNode)], frame: Option<&Frame>) -> EvalResult {
        let mut entries: Vec<(Value, Value)> = Vec::with_capacity(nodes.len());
        for (optional, key, value) in nodes {
            let key = self.eval(key, frame)?;
            if key.is_error() {
                return Ok(key);
            }
            let value = match self.eval(value, frame)? {
                error @ Value::Error(_) => return Ok(error),
                Value::Optional(inner) if *optional => inner.map(|inner| (*inner).clone()),
                value if *optional => {
                    self.weight.value(&value)?;
                    return fail(format!(
                        "cannot initialize optional entry '{}' from non-optional value {}",
                        show(&key),
                        show(&value)
                    ));
                }
                value => Some(value),
            };
            if let Some(name) = unhashable(&key) {
                // Parity: Go's panic text differs for an empty map.
                return Err(if value.is_none() && entries.is_empty() {
                    EvaluationStop::Panic(format!("hash of unhashable type: {name}"))
                } else {
                    hash(name)
                });
            }
            // A later entry replaces an earlier one of the same key.
            entries.retain(|(earlier, _)| !same_key(earlier, &key));
            entries.extend(value.map(|value| (key, value)));
        }
        self.spend(MAP_COST)?;
        Ok(Value::Map(Arc::new(Map::new(entries))))
    }
}

/// The panic about a key type that Go cannot hash.
fn hash(name: &str) -> EvaluationStop {
    EvaluationStop::Panic(format!("runtime error: hash of unhashable type {name}"))
}

/// Calls.
impl Machine<'_> {
    fn call(&mut self, call: &CallNode, frame: Option<&Frame>) -> EvalResult {
        // Upstream evaluates one or two arguments first and then looks for errors, and stops at the
        // first error where there are more, or where the overload is chosen at run time.
        let in_turn = match &call.target {
            CallTarget::Overload(overload) => overload.in_turn,
            CallTarget::Dispatch | CallTarget::Pattern(_) => true,
            CallTarget::Shared | CallTarget::NotStrictlyFalse => false,
        };
        let is_lenient = matches!(call.target, CallTarget::NotStrictlyFalse);
        let in_turn =
            in_turn || call.args.len() > 2 || self.release.steps_count_their_cost && !is_lenient;
        let mut args = Vec::with_capacity(call.args.len());
        for arg in &call.args {
            let value = self.eval(arg, frame)?;
            if in_turn && value.is_error() {
                // Parity: the negation of an error counts.
                self.spend(u64::from(call.declared.name == op::NOT))?;
                return Ok(value);
            }
            args.push(value);
        }
        if !is_lenient && let Some(error) = args.iter().find(|arg| arg.is_error()) {
            return Ok(error.clone());
        }

        // A result that is much larger than the arguments is not built beyond the limit.
        self.weight.call(call.declared.name, &args)?;
        if !self.release.steps_count_their_cost {
            return self.result(call, args);
        }
        let result = self.result(call, args.clone())?;
        self.spend(call_cost(call, &args, &result, &self.release)?)?;
        Ok(result)
    }

    /// What a call of these arguments, of which none has failed, gives.
    fn result(&self, call: &CallNode, args: Vec<Value>) -> EvalResult {
        let declared = call.declared;
        match &call.target {
            CallTarget::NotStrictlyFalse => Ok(match args.first() {
                Some(value @ Value::Bool(_)) => value.clone(),
                Some(Value::Error(_)) => Value::Bool(true),
                _ => Value::no_overload(),
            }),
            CallTarget::Pattern(regex) => Ok(matched(declared.name, regex, args)),
            CallTarget::Shared => {
                let result = declared.shared.and_then(|body| body(&self.release, &args));
                result.unwrap_or_else(|| match args.first() {
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
        overload.body.map_or_else(|| Ok(Value::no_overload()), |body| body(&self.release, args))
    }
}

/// The result of a function that takes a pattern, which is constant. Parity: upstream then searches
/// anything that Go holds as a string.
fn matched(function: &str, regex: &Regex, mut args: Vec<Value>) -> Value {
    if let Some(first) = args.first_mut()
        && let Some(text) = go_text(first)
    {
        *first = Value::Text(text);
    }
    match (function, args.first()) {
        ("matches", Some(Value::Text(text))) => Value::Bool(regex.is_match(text)),
        ("find", _) => search(regex, &args),
        ("findAll", _) => search_all(regex, &args),
        _ => Value::no_overload(),
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

/// The variables of a running comprehension.
struct Frame<'f> {
    parent: Option<&'f Frame<'f>>,
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
    fn variable(&self, name: &str, machine: &mut Machine) -> Result<Option<Value>, EvaluationStop> {
        if *name == *self.fold.accumulator {
            let accumulated = self.accumulated.borrow().clone();
            if accumulated.is_some() {
                return Ok(accumulated);
            }

            // Parity: the initial value is evaluated when it is first read, and an empty list is
            // then one that is appended to in place.
            let mut value = machine.eval(&self.fold.begin, self.parent)?;
            if matches!(&value, Value::List(list) if list.len() == 0) {
                value = Value::List(ListValue::growing());
                self.grows.set(true);
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
    fn fold(&mut self, fold: &FoldNode, parent: Option<&Frame>) -> EvalResult {
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
            _ if self.release.nothing_is_iterated && range.size() == Some(0) => {}
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
                return fail(format!(
                    "unsupported comprehension range type: {}",
                    go_type(other, &self.release)
                ));
            }
            other => {
                return fail(format!(
                    "got '{}', expected iterable type",
                    go_type(other, &self.release)
                ));
            }
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

/// The result of a selection.
enum Selected {
    Value(Value),
    Nothing,
}

impl Machine<'_> {
    /// The value of an attribute; errors are values.
    fn resolve(&mut self, attribute: &AttributePath, frame: Option<&Frame>) -> EvalResult {
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
                Selected::Nothing => return Ok(Value::Optional(None)),
                Selected::Value(error @ Value::Error(_)) => return Ok(error),
                Selected::Value(selected) => value = selected,
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
    ) -> Result<Selected, EvaluationStop> {
        let relative =
            if let By::Relative(attribute) = &qualifier.by { Some(attribute) } else { None };
        let selected = match &qualifier.by {
            By::Const { key, test: false } => find(from, key, optional)?,
            // A presence test is true or false, unless what it looks into is an error.
            By::Const { key, test: true } => match find(from, key, true)? {
                selected if optional => selected,
                Selected::Value(error @ Value::Error(_)) => Selected::Value(error),
                Selected::Value(_) => Selected::Value(Value::Bool(true)),
                Selected::Nothing => Selected::Value(Value::Bool(false)),
            },
            By::Attribute(attribute) | By::Relative(attribute) => {
                match self.resolve(attribute, frame)? {
                    error @ Value::Error(_) => Selected::Value(error),
                    key @ (Value::Text(_)
                    | Value::Int(_)
                    | Value::Uint(_)
                    | Value::Bool(_)
                    | Value::Double(_)) => find(from, &key, optional)?,
                    other if self.is_bare_device(attribute, &other) => {
                        Selected::Value(Value::error(if self.release.collections_are_generic {
                            invalid(&other, &self.release)
                        } else {
                            "invalid qualifier type: map[string]interface {}".to_owned()
                        }))
                    }
                    other => Selected::Value(Value::error(invalid(&other, &self.release))),
                }
            }
        };
        // What an optional selection does not find costs nothing.
        if self.release.steps_count_their_cost {
            self.spend(u64::from(!matches!(selected, Selected::Nothing)))?;
            return Ok(selected);
        }
        match &selected {
            Selected::Value(Value::Error(_)) | Selected::Nothing if optional => {}
            Selected::Value(value) => self.tracker.qualified(value, qualifier.id, relative)?,
            Selected::Nothing => {}
        }
        Ok(selected)
    }
}

/// The error about a value that cannot be a key.
pub(super) fn invalid(key: &Value, release: &Release) -> String {
    format!("invalid qualifier type: {}", go_type(key, release))
}

/// The value at a key. With `lenient`, a missing key is not an error.
fn find(from: &Value, key: &Value, lenient: bool) -> Result<Selected, EvaluationStop> {
    let (value, missing) = match from {
        Value::Error(_) => (Some(from.clone()), ""),
        Value::Map(map) => (map.find(key)?, "no such key"),
        Value::List(list) => match index_of(key) {
            Err(error) => (Some(error), ""),
            Ok(index) => {
                let element = usize::try_from(index).ok().and_then(|index| list.get(index));
                (element, "index out of bounds")
            }
        },
        _ => (None, "no such key"),
    };
    Ok(match value {
        Some(value) => Selected::Value(value),
        None if lenient => Selected::Nothing,
        None => Selected::Value(Value::error(format!("{missing}: {}", show(key)))),
    })
}

/// Unwraps the value of an optional as releases before 1.37 do: by way of a Go value, which is
/// converted back and may change its type (`nativeToValue` of `common/types/provider.go`).
fn through_go(value: &Value) -> Value {
    match value {
        Value::Quantity(_) => inconvertible("*resource.Quantity", value),
        Value::SemanticVersion(_) => inconvertible("semver.Version", value),
        Value::Ip(_) => inconvertible("netip.Addr", value),
        Value::Cidr(_) => inconvertible("netip.Prefix", value),
        Value::Url(_) => inconvertible("*url.URL", value),
        Value::Error(_) => inconvertible("*errors.errorString", value),
        Value::Type(name) => Value::Text(name.clone()),
        Value::Optional(None) => Value::Null,
        Value::Optional(Some(inner)) => through_go(inner),
        Value::List(ListValue::Sum(values)) => Value::list(values.iter().map(through_go).collect()),
        Value::Map(map) if matches!(map.kind, MapKind::Defaulting(_)) => {
            Value::Map(Arc::new(Map { kind: MapKind::Texts, entries: map.entries.clone() }))
        }
        other => other.clone(),
    }
}

fn inconvertible(go: &str, value: &Value) -> Value {
    Value::error(format!("unsupported conversion to ref.Val: ({go}){}", show(value)))
}

//! Evaluates a planned expression for one device.
//!
//! Upstream: cel-go `interpreter/interpretable.go`.

use std::sync::Arc;

use super::fold::Frame;
use super::node::PlanNode;
use super::tracker::Tracker;
use super::weight::BytesLeft;
use crate::release::Release;
use crate::values::{
    EvalResult, EvaluationStop, Map, Value, equal, fail, same_key, show, unhashable,
};

/// The evaluator.
pub(crate) struct Machine<'m> {
    pub(super) device: &'m Value,
    pub(super) release: Release,
    pub(super) tracker: Tracker,
    pub(super) weight: BytesLeft,
    pub(super) order: MapOrder,
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
    pub(super) fn of(self, entries: usize) -> impl Iterator<Item = usize> {
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

    pub(super) fn eval(&mut self, node: &PlanNode, frame: Option<&Frame>) -> EvalResult {
        self.evaluated += 1;
        let value = self.step_of(node, frame)?;
        self.tracker.observe(node, &value, &self.release)?;
        // Both count, because some expressions cost nothing and others take longer than their cost
        // suggests.
        if self.evaluated.saturating_add(self.tracker.cost) > self.most {
            Err(EvaluationStop::Long)
        } else {
            Ok(value)
        }
    }

    /// Evaluates a node without counting it as a step.
    pub(super) fn step_of(&mut self, node: &PlanNode, frame: Option<&Frame>) -> EvalResult {
        match node {
            PlanNode::Const { value, .. } => Ok(value.clone()),
            PlanNode::Attribute(attribute) => self.resolve(attribute, frame),
            PlanNode::Test { attribute, .. } => Ok(match self.resolve(attribute, frame)? {
                Value::Optional(inner) => Value::Bool(inner.is_some()),
                other => other,
            }),
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
                let values =
                    args.iter().map(|arg| self.eval(arg, frame)).collect::<Result<Vec<_>, _>>()?;
                self.weight.call("", &values)?;
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
            PlanNode::Member { arg, values, .. } => match self.eval(arg, frame)? {
                error @ Value::Error(_) => Ok(error),
                value => match unhashable(&value) {
                    Some(name) => Err(hash(name)),
                    None => Ok(Value::Bool(values.iter().any(|known| same_key(known, &value)))),
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
                let text = if value.is_none() && entries.is_empty() {
                    "hash of unhashable type:"
                } else {
                    ""
                };
                return Err(if text.is_empty() {
                    hash(name)
                } else {
                    EvaluationStop::Panic(format!("{text} {name}"))
                });
            }
            entries.retain(|(known, _)| !same_key(known, &key));
            entries.extend(value.map(|value| (key, value)));
        }
        Ok(Value::Map(Arc::new(Map::new(entries))))
    }
}

/// The panic about a key type that Go cannot hash.
fn hash(name: &str) -> EvaluationStop {
    EvaluationStop::Panic(format!("runtime error: hash of unhashable type {name}"))
}

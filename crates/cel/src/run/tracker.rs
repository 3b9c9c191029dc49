//! Tracks the cost of an evaluation.
//!
//! Upstream: cel-go `interpreter/runtimecost.go`.

use std::collections::BTreeMap;

use super::node::{AttributePath, CallNode, PlanNode};
use crate::library::{CallMade, LIST_COST, MAP_COST, equality_cost, inequality_cost};
use crate::release::Release;
use crate::syntax::Id;
use crate::values::{EvaluationStop, Value};

/// kube-scheduler's cost limit of an evaluation.
const LIMIT: u64 = 1_000_000;

/// The cost of a call with these arguments. As upstream, where the trackers of overloads come before
/// the estimator of Kubernetes, which goes by the name of the function.
pub(super) fn call_cost(
    call: &CallNode,
    args: &[Value],
    result: &Value,
    release: &Release,
) -> Result<u64, EvaluationStop> {
    let made = CallMade { release, overload: call.overload, args, result };
    let of_overload =
        call.declared.overloads.iter().find(|o| o.id == call.overload).and_then(|o| o.cost);
    let mut cost = of_overload.map_or(Ok(None), |cost| cost(&made))?;
    if cost.is_none() {
        cost = call.declared.cost.map_or(Ok(None), |cost| cost(&made))?;
    }
    Ok(cost.unwrap_or(1))
}

/// The cost of `==` or `!=`.
pub(super) fn comparison_cost(negated: bool, args: &[Value], release: &Release) -> u64 {
    if negated { inequality_cost(release, args) } else { equality_cost(release, args) }
}

/// Counts costs. Parity: upstream looks up the arguments of a call on a stack,
/// by their expression ids.
#[derive(Debug, Default)]
pub(super) struct Tracker {
    pub cost: u64,
    stack: Vec<(Value, Id)>,
    /// Positions of each id in the stack, the latest last. Positions beyond the end of the stack
    /// are stale.
    places: BTreeMap<Id, Vec<usize>>,
}

impl Tracker {
    fn find(&mut self, id: Id) -> Option<usize> {
        let places = self.places.get_mut(&id)?;
        while let Some(at) = places.last().copied() {
            if self.stack.get(at).is_some_and(|(_, of)| *of == id) {
                return Some(at);
            }
            places.pop();
        }
        None
    }

    fn drop(&mut self, id: Id) {
        if let Some(at) = self.find(id) {
            self.stack.truncate(at);
        }
    }

    /// Pops the values with these ids and everything above them, from the last id to the first.
    fn take<'n>(
        &mut self,
        args: impl DoubleEndedIterator<Item = &'n PlanNode>,
    ) -> Option<Vec<Value>> {
        let mut taken = Vec::new();
        for arg in args.rev() {
            let at = self.find(arg.id())?;
            taken.extend(self.stack.drain(at..).next().map(|(value, _)| value));
        }
        taken.reverse();
        Some(taken)
    }

    pub fn push(&mut self, value: &Value, id: Id) -> Result<(), EvaluationStop> {
        self.places.entry(id).or_default().push(self.stack.len());
        self.stack.push((value.clone(), id));
        if self.cost > LIMIT { Err(EvaluationStop::Cost) } else { Ok(()) }
    }

    /// Counts a selection.
    pub fn qualified(
        &mut self,
        value: &Value,
        id: Id,
        relative: Option<&AttributePath>,
    ) -> Result<(), EvaluationStop> {
        if let Some(attribute) = relative {
            self.drop(attribute.id());
        }
        self.cost = self.cost.wrapping_add(1);
        self.push(value, id)
    }

    /// Adds what a step costs by itself, where the observer has nothing to look up.
    pub fn add(&mut self, cost: u64) -> Result<(), EvaluationStop> {
        self.cost = self.cost.saturating_add(cost);
        if self.cost > LIMIT { Err(EvaluationStop::Cost) } else { Ok(()) }
    }

    /// Counts a step.
    pub fn observe(
        &mut self,
        node: &PlanNode,
        value: &Value,
        release: &Release,
    ) -> Result<(), EvaluationStop> {
        match node {
            PlanNode::Const { .. } | PlanNode::Member { .. } | PlanNode::Otherwise { .. } => {}
            PlanNode::Attribute(attribute) => self.attribute(attribute),
            PlanNode::Test { attribute, .. } => {
                self.attribute(attribute);
                self.cost = self.cost.wrapping_sub(1);
            }
            PlanNode::Logic { terms, .. } => terms.iter().for_each(|term| self.drop(term.id())),
            PlanNode::Equal { negated, args, .. } => {
                if let Some(args) = self.take(args.iter()) {
                    self.cost = self.cost.wrapping_add(comparison_cost(*negated, &args, release));
                }
            }
            PlanNode::Call(call) => {
                if let Some(args) = self.take(call.args.iter()) {
                    self.cost = self.cost.wrapping_add(call_cost(call, &args, value, release)?);
                }
            }
            PlanNode::List { elements, .. } => {
                let _ = self.take(elements.iter().map(|(_, node)| node));
                self.cost = self.cost.wrapping_add(LIST_COST);
            }
            PlanNode::Map { entries, .. } => {
                let nodes: Vec<&PlanNode> =
                    entries.iter().flat_map(|(_, key, value)| [key, value]).collect();
                let _ = self.take(nodes.into_iter());
                self.cost = self.cost.wrapping_add(MAP_COST);
            }
            PlanNode::Fold(fold) => self.drop(fold.range.id()),
        }
        self.push(value, node.id())
    }

    fn attribute(&mut self, attribute: &AttributePath) {
        if let AttributePath::Conditional { condition, truthy, falsy, .. } = attribute {
            for id in [falsy.id(), truthy.id(), condition.id()] {
                self.drop(id);
            }
        } else {
            self.drop(attribute.id());
            self.cost = self.cost.wrapping_add(1);
        }
    }
}

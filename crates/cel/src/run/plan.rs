//! Plans a checked expression: resolves overloads and folds constants.
//!
//! Upstream: cel-go `interpreter/planner.go`, `interpreter/decorators.go`.

use std::sync::Arc;

use super::eval::{Machine, invalid};
use super::node::{AttributePath, By, CallNode, CallTarget, FoldNode, PlanNode, Qualifier};
use super::weight::BytesLeft;
use crate::check::Checked;
use crate::library::{DeclaredFunction, DeclaredOverload, Environment, check_regex};
use crate::release::Release;
use crate::syntax::{Expr, ExprKind, Fold, Id, op};
use crate::types::Type;
use crate::values::{EvaluationStop, ListValue, Value, convert, equal_values};

/// Why an expression cannot be planned.
#[derive(Debug)]
pub(crate) enum Unplanned {
    /// What upstream says.
    Failed(String),
    /// Upstream's behaviour is not reproduced.
    Unknown(String),
}

type Planned = Result<PlanNode, Unplanned>;

/// Plans an expression.
pub(crate) fn plan(expr: &Expr, checked: &Checked, environment: &'static Environment) -> Planned {
    Planner { checked, environment }.plan(expr)
}

/// The type names that an expression may use as values.
const TYPES: &[&str] = &[
    "bool",
    "bytes",
    "double",
    "google.protobuf.Duration",
    "int",
    "list",
    "map",
    "null_type",
    "string",
    "google.protobuf.Timestamp",
    "type",
    "uint",
    "optional_type",
    "net.IP",
    "net.CIDR",
];

/// Functions whose calls with constant arguments are folded.
const CONVERSIONS: &[&str] =
    &["bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint"];

struct Planner<'c> {
    checked: &'c Checked,
    environment: &'static Environment,
}

impl Planner<'_> {
    fn plan(&self, expr: &Expr) -> Planned {
        let id = expr.id;
        match &expr.kind {
            ExprKind::Literal(value) => Ok(PlanNode::Const { id, value: value.clone() }),
            ExprKind::Name(name) => match self.checked.type_of(id) {
                // The name of a type is a constant; every other name is a variable.
                Type::Type(_) => {
                    let bare = name.strip_prefix('.').unwrap_or(name);
                    if TYPES.contains(&bare) {
                        Ok(PlanNode::Const { id, value: Value::Type(bare.into()) })
                    } else {
                        Err(Unplanned::Failed(format!("reference to undefined type: {name}")))
                    }
                }
                _ => Ok(PlanNode::Attribute(AttributePath::Absolute {
                    id,
                    name: name.clone(),
                    qualifiers: Vec::new(),
                })),
            },
            ExprKind::Select { operand, field, test } => {
                let mut attribute = self.plan(operand)?.into_attribute();
                let by = By::Const { key: Value::Text(field.clone()), test: *test };
                attribute.add(Arc::new(Qualifier { id, optional: false, by }));
                Ok(if *test {
                    PlanNode::Test { id, attribute }
                } else {
                    PlanNode::Attribute(attribute)
                })
            }
            ExprKind::Call { function, target, args } => {
                let all = target.as_deref().into_iter().chain(args);
                let args = all.map(|arg| self.plan(arg)).collect::<Result<Vec<_>, _>>()?;
                self.call(id, function, args)
            }
            ExprKind::List(elements) => {
                let planned = elements.iter().map(|e| Ok((e.optional, self.plan(&e.value)?)));
                let elements = planned.collect::<Result<Vec<_>, _>>()?;
                // A list of constants is one, and so is a map.
                let constant = elements.iter().all(|(_, node)| node.constant().is_some());
                self.folded(PlanNode::List { id, elements }, constant)
            }
            ExprKind::Map(entries) => {
                let planned = entries
                    .iter()
                    .map(|e| Ok((e.optional, self.plan(&e.key)?, self.plan(&e.value)?)));
                let entries = planned.collect::<Result<Vec<_>, _>>()?;
                let constant = entries
                    .iter()
                    .all(|(_, k, v)| k.constant().is_some() && v.constant().is_some());
                self.folded(PlanNode::Map { id, entries }, constant)
            }
            ExprKind::Fold(fold) => self.fold(id, fold),
            ExprKind::Message { name } => {
                Err(Unplanned::Unknown(format!("makes a message ({name})")))
            }
            ExprKind::Wrong => Err(Unplanned::Unknown("is not an expression".into())),
        }
    }

    fn fold(&self, id: Id, fold: &Fold) -> Planned {
        let begin = self.plan(&fold.begin)?;
        let range = self.plan(&fold.range)?;
        Ok(PlanNode::Fold(Box::new(FoldNode {
            id,
            range,
            variable: fold.variable.clone(),
            variable2: fold.variable2.clone(),
            accumulator: fold.accumulator.clone(),
            begin,
            condition: self.plan(&fold.condition)?,
            step: self.plan(&fold.step)?,
            result: self.plan(&fold.result)?,
        })))
    }

    /// Folds a node into a constant if all its parts are constants.
    fn folded(&self, node: PlanNode, constant: bool) -> Planned {
        if !constant {
            return Ok(node);
        }
        let mut machine =
            Machine::new(&Value::Null, self.environment.release, u64::MAX, BytesLeft::unlimited());
        match machine.constant(&node) {
            // Parity: a constant list with an error folds to the error.
            Ok(value) => Ok(PlanNode::Const { id: node.id(), value }),
            Err(EvaluationStop::Unknown(text)) => Err(Unplanned::Unknown(text)),
            Err(EvaluationStop::Panic(text)) => {
                Err(Unplanned::Unknown(format!("makes the scheduler panic ({text})")))
            }
            Err(EvaluationStop::Cost | EvaluationStop::Large | EvaluationStop::Long) => Ok(node),
        }
    }

    /// Plans a call. Operators have nodes of their own, and so have functions that evaluate their
    /// second operand only if it is needed.
    fn call(&self, id: Id, function: &str, args: Vec<PlanNode>) -> Planned {
        let references = self.checked.references.get(&id).map_or(&[][..], Vec::as_slice);
        let overload = if let [one] = references { *one } else { "" };
        match (function, overload) {
            (op::AND | op::OR, _) => {
                Ok(PlanNode::Logic { id, and: function == op::AND, terms: args })
            }
            (op::EQUALS | op::NOT_EQUALS, _) => {
                Ok(PlanNode::Equal { id, negated: function == op::NOT_EQUALS, args })
            }
            (op::CONDITIONAL, _) => {
                let [condition, truthy, falsy] = operands(function, args)?;
                Ok(PlanNode::Attribute(AttributePath::Conditional {
                    id,
                    condition: Arc::new(condition),
                    truthy: Box::new(truthy.into_attribute()),
                    falsy: Box::new(falsy.into_attribute()),
                }))
            }
            (op::INDEX | op::OPT_INDEX | op::OPT_SELECT, _) => {
                let [operand, index] = operands(function, args)?;
                index_by(id, operand, index, function != op::INDEX, &self.environment.release)
            }
            ("or" | "orValue", "" | "optional_or_optional" | "optional_orValue_value")
                if args.len() == 2 =>
            {
                let [one, other] = operands(function, args)?.map(Box::new);
                Ok(PlanNode::Otherwise { id, value: function == "orValue", one, other })
            }
            _ => self.function(id, function, overload, args),
        }
    }

    /// Plans a call of a function. What does not depend on the device is computed here, once:
    /// lookups in constant lists, patterns, and conversions of constants.
    fn function(
        &self,
        id: Id,
        function: &str,
        overload: &'static str,
        args: Vec<PlanNode>,
    ) -> Planned {
        let Some(declared) = self.environment.function(function) else {
            return Err(shapeless(function));
        };
        if function == op::IN
            && overload == "in_list"
            && let [arg, list] = args.as_slice()
            && let Some(Value::List(list)) = list.constant()
            && let Some(node) = member(id, arg, list)
        {
            return Ok(node);
        }

        let target = if function == op::NOT_STRICTLY_FALSE {
            CallTarget::NotStrictlyFalse
        } else if matches!(function, "matches" | "find" | "findAll")
            && let Some(Value::Text(pattern)) = args.get(1).and_then(PlanNode::constant)
        {
            match check_regex(pattern) {
                Some(Ok(regex)) => CallTarget::Pattern(regex),
                Some(Err(text)) => return Err(Unplanned::Failed(text)),
                None => {
                    let text = format!("searches for the pattern `{pattern}`");
                    return Err(Unplanned::Unknown(text));
                }
            }
        } else {
            target(declared, overload)
        };

        // A conversion that fails here fails for every device.
        let converts_constant = CONVERSIONS.contains(&function)
            && matches!(args.as_slice(), [arg] if arg.constant().is_some());
        let call = CallNode { id, declared, overload, args, target };
        match self.folded(PlanNode::Call(Box::new(call)), converts_constant)? {
            PlanNode::Const { value: Value::Error(text), .. } => {
                Err(Unplanned::Failed((*text).to_owned()))
            }
            node => Ok(node),
        }
    }
}

/// The operands of a function that has `N` of them.
fn operands<const N: usize>(
    function: &str,
    args: Vec<PlanNode>,
) -> Result<[PlanNode; N], Unplanned> {
    args.try_into().map_err(|_| shapeless(function))
}

/// The implementation of a call: that of its overload, else the only one, else the first that fits
/// at run time.
fn target(declared: &'static DeclaredFunction, overload: &str) -> CallTarget {
    let mut own: Option<&'static DeclaredOverload> = None;
    let mut bound = Vec::new();
    for candidate in &declared.overloads {
        if candidate.body.is_none() {
            continue;
        }
        if candidate.id == overload && own.is_none() {
            own = Some(candidate);
        }
        bound.push(candidate);
    }
    match (own, bound.as_slice()) {
        (Some(own), _) => CallTarget::Overload(own),
        (None, []) => CallTarget::Shared,
        (None, [only]) => CallTarget::Overload(only),
        (None, _) => CallTarget::Dispatch,
    }
}

fn shapeless(function: &str) -> Unplanned {
    Unplanned::Unknown(format!("calls {function} in a way that is not known here"))
}

fn index_by(
    id: Id,
    operand: PlanNode,
    index: PlanNode,
    optional: bool,
    release: &Release,
) -> Planned {
    let by = match index {
        PlanNode::Const { value, .. } => {
            if !matches!(
                value,
                Value::Text(_) | Value::Int(_) | Value::Uint(_) | Value::Bool(_) | Value::Double(_)
            ) {
                return Err(Unplanned::Failed(invalid(&value, release)));
            }
            By::Const { key: value, test: false }
        }
        PlanNode::Attribute(attribute) | PlanNode::Test { attribute, .. } => {
            By::Attribute(attribute)
        }
        other => By::Relative(AttributePath::Relative {
            id,
            operand: Arc::new(other),
            qualifiers: Vec::new(),
        }),
    };
    let mut attribute = operand.into_attribute();
    attribute.add(Arc::new(Qualifier { id, optional, by }));
    Ok(PlanNode::Attribute(attribute))
}

/// Plans `in` for a list of constants of basic types.
fn member(id: Id, arg: &PlanNode, list: &ListValue) -> Option<PlanNode> {
    let list = list.values();
    if list.is_empty() {
        return Some(PlanNode::Const { id, value: Value::Bool(false) });
    }
    let mut values = Vec::new();
    for value in list.iter() {
        values.push(value.clone());
        #[expect(clippy::cast_precision_loss, reason = "as upstream converts")]
        match value {
            Value::Bool(_) | Value::Text(_) => {}
            Value::Int(n) => {
                values.push(Value::Double(*n as f64));
                values.extend(u64::try_from(*n).ok().map(Value::Uint));
            }
            Value::Uint(n) => {
                values.push(Value::Double(*n as f64));
                values.extend(i64::try_from(*n).ok().map(Value::Int));
            }
            Value::Double(_) => {
                // Only a double without a fraction is equal to an integer.
                for to in ["int", "uint"] {
                    if let Ok(integer) = convert(value, to)
                        && matches!(equal_values(&integer, value), Ok(Value::Bool(true)))
                    {
                        values.push(integer);
                    }
                }
            }
            _ => return None,
        }
    }
    Some(PlanNode::Member { id, arg: Box::new(arg.clone()), values })
}

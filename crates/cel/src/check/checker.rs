//! The type check: resolves names, fields and overloads, and unifies types.
//!
//! Upstream: cel-go `checker/checker.go`, `checker/errors.go`.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::scope::{DEVICE, Meaning, VariableScope, field, is_message};
use super::suggest::{similar, suggestion};
use super::unify::Mapping;
use crate::library::{DeclaredFunction, Environment};
use crate::syntax::{Element, Expr, ExprKind, Fold, Id, Issue, MapEntry, op};
use crate::types::Type;
use crate::values::Value;

/// What the check found.
#[derive(Debug)]
pub(crate) struct Checked {
    pub issues: Vec<Issue>,
    types: BTreeMap<Id, Type>,
    pub references: BTreeMap<Id, Vec<&'static str>>,
    /// Something upstream may accept or reject; the checker cannot tell which.
    pub unknown: Option<String>,
}

impl Checked {
    pub fn type_of(&self, id: Id) -> Type {
        self.types.get(&id).cloned().unwrap_or(Type::Error)
    }
}

/// Checks an expression, and rewrites calls and names to what they resolve to.
pub(crate) fn check(
    expr: &mut Expr,
    offsets: &[usize],
    environment: &'static Environment,
) -> Checked {
    let mut checker = Checker {
        environment,
        offsets,
        scope: VariableScope::default(),
        mapping: Mapping::new(&environment.release),
        free: 0,
        out: Checked {
            issues: Vec::new(),
            types: BTreeMap::new(),
            references: BTreeMap::new(),
            unknown: None,
        },
    };
    checker.check(expr);
    let Checker { mapping, mut out, .. } = checker;
    for t in out.types.values_mut() {
        *t = mapping.substitute(t, true);
    }
    out
}

struct Checker<'o> {
    environment: &'static Environment,
    offsets: &'o [usize],
    scope: VariableScope,
    mapping: Mapping,
    free: usize,
    out: Checked,
}

impl Checker<'_> {
    fn issue(&mut self, id: Id, text: String) {
        let offset = self.offsets.get(id).copied().unwrap_or_default();
        self.out.issues.push(Issue { offset, text });
    }

    fn mismatch(&mut self, id: Id, expected: &Type, actual: &Type) {
        self.issue(
            id,
            format!("expected type '{}' but found '{}'", expected.show(), actual.show()),
        );
    }

    fn undeclared(&mut self, id: Id, name: &str) -> Type {
        let end = if self.environment.release.suggests_names {
            suggestion(self.environment, name)
        } else {
            " (in container '')".into()
        };
        self.issue(id, format!("undeclared reference to '{name}'{end}"));
        Type::Error
    }

    /// Whether a name with dots resembles a declared one while no variable is meant by its beginning.
    fn is_misspelt(&self, name: &str) -> bool {
        let release = &self.environment.release;
        let mut beginnings = name.match_indices('.').filter_map(|(end, _)| name.get(..end));
        release.suggests_names
            && beginnings.all(|beginning| {
                self.scope.simple(beginning, release).is_none()
                    && self.scope.qualified(beginning, release).is_none()
            })
            && !similar(self.environment, name).is_empty()
    }

    fn type_of(&self, expr: &Expr) -> Type {
        self.out.type_of(expr.id)
    }

    fn new_parameter(&mut self) -> Type {
        self.free += 1;
        Type::Param(format!("_var{}", self.free - 1).into())
    }

    fn check(&mut self, expr: &mut Expr) {
        let id = expr.id;
        let t = match &mut expr.kind {
            ExprKind::Literal(value) => literal(value),
            ExprKind::Name(name) => {
                let meaning = self.scope.simple(name, &self.environment.release);
                match self.meaning(meaning) {
                    Some((name, t)) => {
                        expr.kind = ExprKind::Name(name);
                        t
                    }
                    None => {
                        let name = name.clone();
                        self.undeclared(id, &name)
                    }
                }
            }
            ExprKind::Select { .. } => self.select(expr),
            ExprKind::Call { .. } => self.call(expr),
            ExprKind::List(elements) => self.list(elements),
            ExprKind::Map(entries) => self.map(entries),
            ExprKind::Message { name } => {
                // Messages are built by protocol buffers' reflection, which is not reproduced.
                if is_message(name) {
                    self.out.unknown = Some(format!("makes a message ({name})"));
                    Type::Error
                } else {
                    let name = name.clone();
                    self.undeclared(id, &name)
                }
            }
            ExprKind::Fold(fold) => self.fold(fold),
            ExprKind::Wrong => Type::Error,
        };
        self.out.types.insert(id, t);
    }

    /// The qualified name and the type that a name resolves to.
    fn meaning(&mut self, meaning: Option<Meaning>) -> Option<(Arc<str>, Type)> {
        match meaning? {
            Meaning::Variable { name, t, hidden: true } => Some((format!(".{name}").into(), t)),
            Meaning::Variable { name, t, .. } | Meaning::Type { name, t } => Some((name, t)),
            Meaning::Message => {
                self.out.unknown = Some("names a message of protocol buffers".into());
                Some(("".into(), Type::Error))
            }
        }
    }

    fn select(&mut self, expr: &mut Expr) -> Type {
        if let Some(name) = qualified(expr) {
            let meaning = self.scope.qualified(&name, &self.environment.release);
            if let Some((name, t)) = self.meaning(meaning) {
                expr.kind = ExprKind::Name(name);
                return t;
            }
        }
        let id = expr.id;
        if let Some(name) = qualified(expr).filter(|name| self.is_misspelt(name)) {
            return self.undeclared(id, &name);
        }
        let ExprKind::Select { operand, field, test } = &mut expr.kind else { return Type::Error };
        let t = self.selected(id, operand, field, false);
        let t = if *test { Type::Bool } else { t };
        self.mapping.substitute(&t, false)
    }

    fn selected(&mut self, id: Id, operand: &mut Expr, name: &str, optional: bool) -> Type {
        self.check(operand);
        let operand_type = self.mapping.substitute(&self.type_of(operand), false);
        // A selection from an optional value is optional.
        let inner = operand_type.unwrapped();
        let is_optional = inner.is_some();
        let target = inner.unwrap_or(&operand_type).clone();
        let t = match &target {
            Type::Map(of) => of.1.clone(),
            Type::Struct(DEVICE) => match field(name, &self.environment.release) {
                Some(t) => t,
                None => {
                    self.issue(id, format!("undefined field '{name}'"));
                    Type::Error
                }
            },
            Type::Struct(other) => {
                self.issue(id, format!("unexpected failed resolution of '{other}'"));
                Type::Error
            }
            Type::Param(_) => {
                self.mapping.assign(&Type::Dyn, &target);
                Type::Dyn
            }
            _ => {
                if !target.is_dyn() && target != Type::Error {
                    self.issue(
                        id,
                        format!("type '{}' does not support field selection", target.show()),
                    );
                }
                Type::Dyn
            }
        };
        if is_optional || optional { Type::optional(t) } else { t }
    }

    fn call(&mut self, expr: &mut Expr) -> Type {
        let id = expr.id;
        let ExprKind::Call { function, target, args } = &mut expr.kind else { return Type::Error };
        if &**function == op::OPT_SELECT {
            let [operand, name] = args.as_mut_slice() else { return Type::Error };
            let ExprKind::Literal(Value::Text(name)) = &name.kind else { return Type::Error };
            let t = self.selected(id, operand, &name.clone(), true);
            self.out.references.insert(id, vec!["select_optional_field"]);
            return self.mapping.substitute(&t, false);
        }
        args.iter_mut().for_each(|arg| self.check(arg));

        // What stands before the dot may be a namespace, as in `sets.contains(a, b)`.
        let environment = self.environment;
        if let Some(receiver) = target
            && let Some(namespace) = qualified(receiver)
            && let Some(declared) = environment.function(&format!("{namespace}.{function}"))
        {
            *function = declared.name.into();
            *target = None;
            return self.overload(id, declared, &args.iter().collect::<Vec<_>>(), false);
        }

        if let Some(receiver) = target
            && let Some(namespace) = qualified(receiver)
            && let name = format!("{namespace}.{function}")
            && self.is_misspelt(&name)
        {
            return self.undeclared(id, &name);
        }

        if let Some(receiver) = target {
            self.check(receiver);
        }
        let Some(declared) = environment.function(function) else {
            let name = function.clone();
            return self.undeclared(id, &name);
        };
        *function = declared.name.into();
        let operands: Vec<&Expr> = target.as_deref().into_iter().chain(&*args).collect();
        self.overload(id, declared, &operands, target.is_some())
    }

    /// The result type of a call, from the overloads that match its arguments.
    fn overload(
        &mut self,
        id: Id,
        declared: &'static DeclaredFunction,
        operands: &[&Expr],
        member: bool,
    ) -> Type {
        // Operands of `&&` and `||` have errors of their own.
        let types: Vec<Type> = operands.iter().map(|operand| self.type_of(operand)).collect();
        if matches!(declared.name, op::AND | op::OR) {
            let mut are_boolean = true;
            for (t, operand) in types.iter().zip(operands) {
                if !self.mapping.assign(t, &Type::Bool) {
                    self.mismatch(operand.id, &Type::Bool, t);
                    are_boolean = false;
                }
            }
            return if are_boolean { Type::Bool } else { Type::Error };
        }

        // All overloads that match are kept: which of them is called may depend on the device. If
        // they return different types, the result is of any type.
        let (mut matching, mut result) = (Vec::new(), None);
        for overload in declared.overloads.iter().filter(|o| o.member == member) {
            let mut fresh = Mapping::default();
            for parameter in &overload.parameters {
                let new = self.new_parameter();
                fresh.add(&Type::Param(parameter.clone()), new);
            }
            let expected: Vec<Type> =
                overload.args.iter().map(|t| fresh.substitute(t, false)).collect();
            if !self.mapping.assign_all(&types, &expected) {
                continue;
            }
            matching.push(overload.id);
            let own = self.mapping.substitute(&fresh.substitute(&overload.result, false), false);
            result = Some(match result {
                None => own,
                Some(before) if !Type::is_dyn(&before) && before != own => Type::Dyn,
                Some(before) => before,
            });
        }
        let Some(result) = result else {
            let types: Vec<String> =
                types.iter().map(|t| self.mapping.substitute(t, true).show()).collect();
            let (target, args) = types.split_at(usize::from(member));
            let target = target.first().map_or(String::new(), |t| format!("{t}."));
            let signature = format!("{target}({})", args.join(", "));
            self.issue(
                id,
                format!(
                    "found no matching overload for '{}' applied to '{signature}'",
                    declared.name
                ),
            );
            return Type::Error;
        };
        self.out.references.insert(id, matching);
        result
    }

    /// The element type after `?`: an optional entry of a list or map.
    fn unwrapped(&mut self, expr: &Expr) -> Type {
        let t = self.type_of(expr);
        if let Some(of) = t.unwrapped() {
            return of.clone();
        }
        if !t.is_dyn() {
            self.mismatch(expr.id, &Type::optional(t.clone()), &t);
        }
        t
    }

    fn join(&mut self, before: Option<Type>, t: Type) -> Type {
        let Some(before) = before else { return t };
        if self.mapping.assign(&before, &t) {
            return self.mapping.most_general(&before, &t).clone();
        }
        Type::Dyn
    }

    fn list(&mut self, elements: &mut [Element]) -> Type {
        let mut joined = None;
        for Element { optional, value } in elements {
            self.check(value);
            let t = if *optional { self.unwrapped(value) } else { self.type_of(value) };
            joined = Some(self.join(joined, t));
        }
        Type::list(joined.unwrap_or_else(|| self.new_parameter()))
    }

    fn map(&mut self, entries: &mut [MapEntry]) -> Type {
        let (mut keys, mut values) = (None, None);
        for MapEntry { optional, key, value } in entries {
            self.check(key);
            keys = Some(self.join(keys, self.type_of(key)));
            self.check(value);
            let t = if *optional { self.unwrapped(value) } else { self.type_of(value) };
            values = Some(self.join(values, t));
        }
        let key = keys.unwrap_or_else(|| self.new_parameter());
        Type::map(key, values.unwrap_or_else(|| self.new_parameter()))
    }

    fn fold(&mut self, fold: &mut Fold) -> Type {
        self.check(&mut fold.range);
        self.check(&mut fold.begin);
        let range = self.mapping.substitute(&self.type_of(&fold.range), false);
        let accumulated = self.type_of(&fold.begin);
        self.scope.add(&fold.accumulator, accumulated.clone());
        let two = fold.variable2.is_some();
        let (first, second) = match &range {
            Type::List(of) if two => (Type::Int, (**of).clone()),
            Type::List(of) => ((**of).clone(), Type::Dyn),
            Type::Map(of) => (of.0.clone(), of.1.clone()),
            Type::Dyn | Type::Error | Type::Param(_) => {
                self.mapping.assign(&Type::Dyn, &range);
                (Type::Dyn, Type::Dyn)
            }
            _ => {
                let t = range.show();
                let text = format!(
                    "expression of type '{t}' cannot be range of a comprehension (must be list, map, or dynamic)"
                );
                self.issue(fold.range.id, text);
                (Type::Error, Type::Error)
            }
        };
        self.scope.add(&fold.variable, first);
        if let Some(variable) = &fold.variable2 {
            self.scope.add(variable, second);
        }

        // The result sees the accumulator, but no longer the iteration variables.
        self.check(&mut fold.condition);
        self.want(&fold.condition, &Type::Bool);
        self.check(&mut fold.step);
        self.want(&fold.step, &accumulated);
        self.scope.remove(1 + usize::from(two));
        self.check(&mut fold.result);
        self.scope.remove(1);
        self.mapping.substitute(&self.type_of(&fold.result), false)
    }

    fn want(&mut self, expr: &Expr, t: &Type) {
        let own = self.type_of(expr);
        if !self.mapping.assign(t, &own) {
            self.mismatch(expr.id, t, &own);
        }
    }
}

fn literal(value: &Value) -> Type {
    match value {
        Value::Bool(_) => Type::Bool,
        Value::Bytes(_) => Type::Bytes,
        Value::Double(_) => Type::Double,
        Value::Int(_) => Type::Int,
        Value::Null => Type::Null,
        Value::Text(_) => Type::Text,
        Value::Uint(_) => Type::Uint,
        _ => Type::Error,
    }
}

/// The qualified name that a chain of field selections may denote, such as `a.b.c`.
fn qualified(expr: &Expr) -> Option<String> {
    match &expr.kind {
        ExprKind::Name(name) => Some((**name).to_owned()),
        ExprKind::Select { operand, field, test: false } => {
            Some(format!("{}.{field}", qualified(operand)?))
        }
        _ => None,
    }
}

//! Macros: calls that expand to other expressions.
//!
//! Upstream: cel-go `parser/macro.go`, `cel/library.go` (optMap, optFlatMap), `ext/bindings.go`,
//! `ext/comprehensions.go`, `ext/lists.go` (sortBy).

use std::sync::Arc;

use super::expr::{Element, Expr, ExprKind, Fold, MapEntry, op};
use super::parser::Parser;
use crate::values::Value;

/// The name of a macro's accumulator variable, which no source text can contain.
const RESULT: &str = "@result";
const UNUSED: &str = "#unused";
const OVERWRITES: &str = "iteration variable overwrites accumulator variable";

/// The names of one or two variables.
type Variables = (Arc<str>, Option<Arc<str>>);

/// The expansion of a macro, or an error with its offset.
type Expanded = Result<Expr, (usize, String)>;

impl Parser<'_> {
    pub(super) fn global_call(
        &mut self,
        offset: usize,
        function: &str,
        mut args: Vec<Expr>,
    ) -> Expr {
        if function == "has" && args.len() == 1 {
            let Some(arg) = args.pop() else { return self.make(offset, ExprKind::Wrong) };
            return match arg.kind {
                ExprKind::Select { operand, field, test: false } => {
                    self.make(offset, ExprKind::Select { operand, field, test: true })
                }
                _ => {
                    let at = self.at_of(&arg);
                    self.issue(at, "invalid argument to has() macro")
                }
            };
        }
        self.make(offset, ExprKind::Call { function: function.into(), target: None, args })
    }

    pub(super) fn receiver_call(
        &mut self,
        offset: usize,
        function: &str,
        target: Expr,
        args: Vec<Expr>,
    ) -> Expr {
        let mut making = Making { parser: self, offset };
        let expanded = match (function, args.as_slice()) {
            ("all" | "exists" | "exists_one", [variable, body]) => {
                making.quantifier(function, target, variable, None, body)
            }
            ("all" | "exists" | "exists_one" | "existsOne", [one, other, body]) => {
                making.quantifier(function, target, one, Some(other), body)
            }
            ("map", [variable, body]) => making.map(target, variable, None, body),
            ("map", [variable, filter, body]) => making.map(target, variable, Some(filter), body),
            ("filter", [variable, filter]) => making.filter(target, variable, filter),
            ("bind", [variable, init, body]) if target.name().is_some_and(|n| &**n == "cel") => {
                making.bind(
                    variable,
                    init,
                    body,
                    "cel.bind() variable names must be simple identifiers",
                )
            }
            ("optMap" | "optFlatMap", [variable, body]) => {
                making.opt_map(function, target, variable, body)
            }
            ("sortBy", [_, _]) => making.sort_by(target, &args),
            ("transformList", [one, other, filter @ .., body]) if filter.len() < 2 => {
                making.transform_list(target, one, other, filter.first(), body)
            }
            ("transformMap" | "transformMapEntry", [one, other, filter @ .., body])
                if filter.len() < 2 =>
            {
                making.transform_map(function, target, one, other, filter.first(), body)
            }
            // Any other call, also of these names with other arguments, is not a macro.
            _ => {
                let target = Some(Box::new(target));
                return self
                    .make(offset, ExprKind::Call { function: function.into(), target, args });
            }
        };
        expanded.unwrap_or_else(|(at, text)| self.issue(at, text))
    }

    fn at_of(&self, expr: &Expr) -> usize {
        self.offsets.get(expr.id).copied().unwrap_or_default()
    }
}

/// Builds the parts of an expansion, all at the position of the call.
struct Making<'p, 'r> {
    parser: &'p mut Parser<'r>,
    offset: usize,
}

impl Making<'_, '_> {
    fn make(&mut self, kind: ExprKind) -> Expr {
        self.parser.make(self.offset, kind)
    }

    fn value(&mut self, value: Value) -> Expr {
        self.make(ExprKind::Literal(value))
    }

    fn ident(&mut self, name: &str) -> Expr {
        self.make(ExprKind::Name(name.into()))
    }

    fn result(&mut self) -> Expr {
        self.ident(RESULT)
    }

    fn list(&mut self, elements: Vec<Expr>) -> Expr {
        self.make(ExprKind::List(
            elements.into_iter().map(|value| Element { optional: false, value }).collect(),
        ))
    }

    fn call(&mut self, function: &str, args: Vec<Expr>) -> Expr {
        self.make(ExprKind::Call { function: function.into(), target: None, args })
    }

    fn method(&mut self, function: &str, target: Expr, args: Vec<Expr>) -> Expr {
        self.make(ExprKind::Call {
            function: function.into(),
            target: Some(Box::new(target)),
            args,
        })
    }

    fn fail<T>(&self, at: &Expr, text: &str) -> Result<T, (usize, String)> {
        Err((self.parser.at_of(at), text.to_owned()))
    }

    fn variable(&self, expr: &Expr, otherwise: &str) -> Result<Arc<str>, (usize, String)> {
        match expr.name() {
            Some(name) => Ok(name.clone()),
            None => self.fail(expr, otherwise),
        }
    }

    /// Reads one or two iteration variables.
    fn variables(
        &self,
        one: &Expr,
        other: Option<&Expr>,
        text: &str,
    ) -> Result<Variables, (usize, String)> {
        let first = self.variable(one, text)?;
        let Some(other) = other else {
            return if taken(&first) { self.fail(one, OVERWRITES) } else { Ok((first, None)) };
        };
        let second = self.variable(other, text)?;
        if first == second {
            return self.fail(other, &format!("duplicate variable name: {first}"));
        }
        if taken(&first) {
            return self.fail(one, OVERWRITES);
        }
        if taken(&second) {
            return self.fail(other, OVERWRITES);
        }
        Ok((first, Some(second)))
    }

    fn quantifier(
        &mut self,
        kind: &str,
        range: Expr,
        one: &Expr,
        other: Option<&Expr>,
        body: &Expr,
    ) -> Expanded {
        let (variable, variable2) = self.variables(one, other, "argument must be a simple name")?;
        // `all` and `exists` end with the first element that decides; `exists_one` counts to the end.
        let (begin, condition, step, result);
        if kind == "all" {
            begin = self.value(Value::Bool(true));
            let so_far = self.result();
            condition = self.call(op::NOT_STRICTLY_FALSE, vec![so_far]);
            let so_far = self.result();
            step = self.call(op::AND, vec![so_far, body.clone()]);
            result = self.result();
        } else if kind == "exists" {
            begin = self.value(Value::Bool(false));
            let so_far = self.result();
            let not = self.call(op::NOT, vec![so_far]);
            condition = self.call(op::NOT_STRICTLY_FALSE, vec![not]);
            let so_far = self.result();
            step = self.call(op::OR, vec![so_far, body.clone()]);
            result = self.result();
        } else {
            begin = self.value(Value::Int(0));
            condition = self.value(Value::Bool(true));
            let (so_far, one, same) = (self.result(), self.value(Value::Int(1)), self.result());
            let more = self.call(op::ADD, vec![so_far, one]);
            step = self.call(op::CONDITIONAL, vec![body.clone(), more, same]);
            let (so_far, one) = (self.result(), self.value(Value::Int(1)));
            result = self.call(op::EQUALS, vec![so_far, one]);
        }
        let fold = Fold {
            range,
            variable,
            variable2,
            accumulator: RESULT.into(),
            begin,
            condition,
            step,
            result,
        };
        Ok(self.make(ExprKind::Fold(Box::new(fold))))
    }

    /// A comprehension that collects the results of `step` for the elements that pass `filter`.
    fn gather(
        &mut self,
        range: Expr,
        (variable, variable2): (Arc<str>, Option<Arc<str>>),
        begin: Expr,
        filter: Option<&Expr>,
        mut step: Expr,
    ) -> Expr {
        if let Some(filter) = filter {
            let same = self.result();
            step = self.call(op::CONDITIONAL, vec![filter.clone(), step, same]);
        }
        let (condition, result) = (self.value(Value::Bool(true)), self.result());
        let fold = Fold {
            range,
            variable,
            variable2,
            accumulator: RESULT.into(),
            begin,
            condition,
            step,
            result,
        };
        self.make(ExprKind::Fold(Box::new(fold)))
    }

    fn appended(&mut self, element: &Expr) -> Expr {
        let (so_far, one) = (self.result(), self.list(vec![element.clone()]));
        self.call(op::ADD, vec![so_far, one])
    }

    fn map(
        &mut self,
        range: Expr,
        variable: &Expr,
        filter: Option<&Expr>,
        body: &Expr,
    ) -> Expanded {
        let variables = self.variables(variable, None, "argument is not an identifier")?;
        let (begin, step) = (self.list(Vec::new()), self.appended(body));
        Ok(self.gather(range, variables, begin, filter, step))
    }

    fn filter(&mut self, range: Expr, variable: &Expr, filter: &Expr) -> Expanded {
        let variables = self.variables(variable, None, "argument is not an identifier")?;
        let (begin, step) = (self.list(Vec::new()), self.appended(variable));
        Ok(self.gather(range, variables, begin, Some(filter), step))
    }

    fn transform_list(
        &mut self,
        range: Expr,
        one: &Expr,
        other: &Expr,
        filter: Option<&Expr>,
        body: &Expr,
    ) -> Expanded {
        let variables = self.variables(one, Some(other), "argument must be a simple name")?;
        let (begin, step) = (self.list(Vec::new()), self.appended(body));
        Ok(self.gather(range, variables, begin, filter, step))
    }

    fn transform_map(
        &mut self,
        function: &str,
        range: Expr,
        one: &Expr,
        other: &Expr,
        filter: Option<&Expr>,
        body: &Expr,
    ) -> Expanded {
        let variables = self.variables(one, Some(other), "argument must be a simple name")?;
        let mut args = vec![self.result()];
        if function == "transformMap" {
            args.push(self.ident(&variables.0));
        }
        args.push(body.clone());
        let step = self.call("cel.@mapInsert", args);
        let begin = self.make(ExprKind::Map(Vec::<MapEntry>::new()));
        Ok(self.gather(range, variables, begin, filter, step))
    }

    /// `cel.bind`: a comprehension over nothing, whose accumulator is the bound variable.
    fn let_in(&mut self, name: &Arc<str>, init: Expr, result: Expr) -> Expr {
        let (range, condition, step) =
            (self.list(Vec::new()), self.value(Value::Bool(false)), self.ident(name));
        let fold = Fold {
            range,
            variable: UNUSED.into(),
            variable2: None,
            accumulator: name.clone(),
            begin: init,
            condition,
            step,
            result,
        };
        self.make(ExprKind::Fold(Box::new(fold)))
    }

    fn bind(&mut self, variable: &Expr, init: &Expr, body: &Expr, otherwise: &str) -> Expanded {
        let name = self.variable(variable, otherwise)?;
        Ok(self.let_in(&name, init.clone(), body.clone()))
    }

    fn opt_map(&mut self, function: &str, target: Expr, variable: &Expr, body: &Expr) -> Expanded {
        let name = self.variable(
            variable,
            &format!("{function}() variable name must be a simple identifier"),
        )?;
        let copy = self.copy(&target);
        let has = self.method("hasValue", target, Vec::new());
        let value = self.method("value", copy, Vec::new());
        let mut mapped = self.let_in(&name, value, body.clone());
        if function == "optMap" {
            mapped = self.call("optional.of", vec![mapped]);
        }
        let none = self.call("optional.none", Vec::new());
        Ok(self.call(op::CONDITIONAL, vec![has, mapped, none]))
    }

    fn sort_by(&mut self, target: Expr, args: &[Expr]) -> Expanded {
        if matches!(
            target.kind,
            ExprKind::Literal(_) | ExprKind::Map(_) | ExprKind::Message { .. } | ExprKind::Wrong
        ) {
            let text = "sortBy can only be applied to a list, identifier, comprehension, call or select expression";
            return self.fail(&target, text);
        }

        // The list is bound to a name, because it is read twice.
        let input: Arc<str> = "@__sortBy_input__".into();
        let (Some(variable), Some(body)) = (args.first(), args.get(1)) else { return Ok(target) };
        let range = self.ident(&input);
        let keys = self.map(range, variable, None, body)?;
        let list = self.ident(&input);
        let sorted = self.method("@sortByAssociatedKeys", list, vec![keys]);
        Ok(self.let_in(&input, target, sorted))
    }

    /// A copy of the expression with fresh ids. Nested macros copy copies, which doubles the size
    /// at each level.
    fn copy(&mut self, expr: &Expr) -> Expr {
        if !self.parser.has_room(expr.all().len()) {
            return self.make(ExprKind::Wrong);
        }
        let mut copy = expr.clone();
        self.renumber(&mut copy);
        copy
    }

    fn renumber(&mut self, expr: &mut Expr) {
        let offset = self.parser.at_of(expr);
        expr.id = self.parser.id(offset);
        match &mut expr.kind {
            ExprKind::Literal(_)
            | ExprKind::Name(_)
            | ExprKind::Message { .. }
            | ExprKind::Wrong => {}
            ExprKind::Select { operand, .. } => self.renumber(operand),
            ExprKind::Call { target, args, .. } => {
                target.iter_mut().for_each(|t| self.renumber(t));
                args.iter_mut().for_each(|a| self.renumber(a));
            }
            ExprKind::List(elements) => {
                elements.iter_mut().for_each(|e| self.renumber(&mut e.value));
            }
            ExprKind::Map(entries) => entries.iter_mut().for_each(|e| {
                self.renumber(&mut e.key);
                self.renumber(&mut e.value);
            }),
            ExprKind::Fold(fold) => {
                for part in [
                    &mut fold.range,
                    &mut fold.begin,
                    &mut fold.condition,
                    &mut fold.step,
                    &mut fold.result,
                ] {
                    self.renumber(part);
                }
            }
        }
    }
}

fn taken(name: &str) -> bool {
    name == RESULT || name == "__result__"
}

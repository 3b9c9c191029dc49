//! Validators that run after the type check: literals that a function would reject, and lists and
//! maps of mixed types.
//!
//! Upstream: cel-go `cel/validator.go`, `ext/formatting.go`.

use super::checker::Checked;
use crate::library::{FormatTemplate, check_regex};
use crate::syntax::{Expr, ExprKind, Issue};
use crate::types::Type;
use crate::values::{Value, convert};

/// The validation errors of an expression that passed the type check.
pub(crate) fn validate(expr: &Expr, offsets: &[usize], checked: &Checked) -> Vec<Issue> {
    let mut validator = Validator { offsets, checked, issues: Vec::new() };
    let all = expr.all();
    for function in ["duration", "timestamp", "matches"] {
        for expr in &all {
            validator.literal(expr, function);
        }
    }
    let exempt = exempt(expr);
    for expr in all.iter().filter(|e| !exempt.contains(&e.id)) {
        validator.list(expr);
    }
    for expr in all.iter().filter(|e| !exempt.contains(&e.id)) {
        validator.map(expr);
    }
    for expr in &all {
        validator.template(expr);
    }
    validator.issues
}

/// Ids of the expressions below a call of `format`.
fn exempt(expr: &Expr) -> Vec<usize> {
    let formats = expr
        .all()
        .into_iter()
        .filter(|e| matches!(&e.kind, ExprKind::Call { function, .. } if &**function == "format"));
    formats
        .flat_map(|call| call.all().into_iter().skip(1).map(|e| e.id).collect::<Vec<_>>())
        .collect()
}

struct Validator<'c> {
    offsets: &'c [usize],
    checked: &'c Checked,
    issues: Vec<Issue>,
}

impl Validator<'_> {
    fn issue(&mut self, id: usize, text: String) {
        self.issues.push(Issue { offset: self.offsets.get(id).copied().unwrap_or_default(), text });
    }

    fn literal(&mut self, expr: &Expr, wanted: &str) {
        let ExprKind::Call { function, args, target } = &expr.kind else { return };
        let Some(arg) = args.first().filter(|_| &**function == wanted) else { return };
        let ExprKind::Literal(value) = &arg.kind else { return };
        let valid = match value {
            // Parity: the first argument of the global function is the text, and not the pattern.
            Value::Text(text) if wanted == "matches" => check_regex(text).is_none_or(|e| e.is_ok()),
            _ if target.is_some() => true,
            _ => !matches!(convert(value, wanted), Ok(Value::Error(_))),
        };
        if !valid {
            self.issue(arg.id, format!("invalid {wanted} argument"));
        }
    }

    fn mismatch(&mut self, id: usize, expected: &Type, actual: &Type) {
        self.issue(
            id,
            format!("expected type '{}' but found '{}'", expected.show(), actual.show()),
        );
    }

    /// The type of an element or value, without its optional wrapper.
    fn type_of(&self, expr: &Expr, optional: bool) -> Type {
        let t = self.checked.type_of(expr.id);
        if optional { t.parameters().first().map_or(Type::Dyn, |of| (*of).clone()) } else { t }
    }

    fn list(&mut self, expr: &Expr) {
        let ExprKind::List(elements) = &expr.kind else { return };
        let mut expected: Option<Type> = None;
        for element in elements {
            let t = self.type_of(&element.value, element.optional);
            match &expected {
                None => expected = Some(t),
                Some(first) if !first.is_equivalent(&t) => {
                    let first = first.clone();
                    return self.mismatch(element.value.id, &first, &t);
                }
                Some(_) => {}
            }
        }
    }

    fn map(&mut self, expr: &Expr) {
        let ExprKind::Map(entries) = &expr.kind else { return };
        let mut expected: Option<(Type, Type)> = None;
        for entry in entries {
            let (key, value) =
                (self.type_of(&entry.key, false), self.type_of(&entry.value, entry.optional));
            let Some((first_key, first_value)) = expected.clone() else {
                expected = Some((key, value));
                continue;
            };
            if !first_key.is_equivalent(&key) {
                self.mismatch(entry.key.id, &first_key, &key);
            }
            if !first_value.is_equivalent(&value) {
                self.mismatch(entry.value.id, &first_value, &value);
            }
        }
    }

    /// Checks a call of `format` with a literal template and a list literal of arguments.
    fn template(&mut self, expr: &Expr) {
        let ExprKind::Call { function, target: Some(target), args } = &expr.kind else { return };
        let ExprKind::Literal(Value::Text(text)) = &target.kind else { return };
        let ([arg], "format") = (args.as_slice(), &**function) else { return };
        let ExprKind::List(elements) = &arg.kind else { return };
        if self.checked.references.get(&expr.id).is_some_and(|r| !r.contains(&"string_format")) {
            return;
        }

        // The template is filled without values, to find the clause of each argument.
        let mut asked = 0;
        let result = FormatTemplate { text, count: elements.len(), runs: false }.fill(
            &mut |index, clause| {
                asked += 1;
                let Some(element) = elements.get(index) else { return Ok(String::new()) };
                let bad = self.unfit(&element.value, clause);
                bad.map_or(Ok(String::new()), |expr| {
                    Err((Some(expr.id), clause.complaint(self.checked.type_of(expr.id).name())))
                })
            },
        );
        match result {
            Err((id, text)) => self.issue(id.unwrap_or(expr.id), text),
            Ok(_) if elements.len() > asked => {
                let text = format!(
                    "too many arguments supplied to string.format (expected {asked}, got {})",
                    elements.len()
                );
                self.issue(expr.id, text);
            }
            Ok(_) => {}
        }
    }

    /// The part of an argument that a formatting clause cannot print.
    fn unfit<'e>(&self, expr: &'e Expr, clause: crate::library::Clause) -> Option<&'e Expr> {
        let t = self.checked.type_of(expr.id);
        if t != Type::Dyn && !clause.takes(&t) {
            return Some(expr);
        }
        if clause != crate::library::Clause::Text {
            return None;
        }
        match &expr.kind {
            ExprKind::List(elements) => elements.iter().find_map(|e| self.unfit(&e.value, clause)),
            ExprKind::Map(entries) => entries
                .iter()
                .find_map(|e| self.unfit(&e.key, clause).or_else(|| self.unfit(&e.value, clause))),
            _ => None,
        }
    }
}

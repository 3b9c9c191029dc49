//! Limits the memory of an evaluation. kube-scheduler computes the cost after each step, from the
//! size of its operands; a step that builds a large value from small ones, or reads a value that
//! contains another many times, is stopped here before it runs.

use crate::library::LONGEST_NUMBER;
use crate::syntax::{Expr, ExprKind};
use crate::values::{EvaluationStop, Value};

/// The most bytes of arguments and results of all calls. Evaluations within the cost limit may use
/// strings of 10 MB and lists of a million elements.
const LIMIT: u64 = 64 << 20;
/// Bytes of arguments and results per step, on average.
const PER_STEP: u64 = 64;
/// Overhead of a value in bytes.
const VALUE: usize = 32;
/// Functions whose result is much larger than their arguments, or that are slow for their size.
const GROW: [&str; 10] = [
    "replace",
    "join",
    "format",
    "split",
    "strings.quote",
    "indexOf",
    "lastIndexOf",
    "distinct",
    "findAll",
    "flatten",
];

/// Whether an evaluation may reach the limit even with a device whose values are small.
pub(crate) fn may_grow(expr: &Expr) -> bool {
    expr.all().iter().any(|e| match &e.kind {
        ExprKind::Call { function, .. } => GROW.contains(&&**function),
        ExprKind::Fold(_) => true,
        _ => false,
    })
}

/// The bytes that are left of the limit.
#[derive(Debug)]
pub(crate) struct BytesLeft {
    left: usize,
}

impl BytesLeft {
    /// The limit for an evaluation of `steps` steps.
    pub fn new(steps: u64) -> Self {
        Self {
            left: usize::try_from(steps.saturating_mul(PER_STEP).min(LIMIT)).unwrap_or(usize::MAX),
        }
    }

    /// No limit.
    pub const fn unlimited() -> Self {
        Self { left: usize::MAX }
    }

    fn take(&mut self, bytes: usize) -> Result<(), EvaluationStop> {
        self.left = self.left.checked_sub(bytes).ok_or(EvaluationStop::Large)?;
        Ok(())
    }

    /// Counts a value with its contents; contents that occur several times count each time.
    pub fn value(&mut self, value: &Value) -> Result<(), EvaluationStop> {
        if self.left == usize::MAX {
            return Ok(());
        }
        self.take(VALUE)?;
        match value {
            Value::Text(text) => self.take(text.len()),
            Value::Bytes(bytes) => self.take(bytes.len()),
            Value::List(list) => list.values().iter().try_for_each(|value| self.value(value)),
            Value::Map(map) => map.entries.iter().try_for_each(|(key, value)| {
                self.value(key)?;
                self.value(value)
            }),
            Value::Optional(Some(inner)) => self.value(inner),
            _ => Ok(()),
        }
    }

    /// Counts the arguments of a call, and an estimate of the result if it may be much larger.
    pub fn call(&mut self, function: &str, args: &[Value]) -> Result<(), EvaluationStop> {
        if self.left == usize::MAX {
            return Ok(());
        }
        args.iter().try_for_each(|arg| self.value(arg))?;
        let [first, second, third] = [0, 1, 2].map(|at| args.get(at));
        let (text, part) = (text(first), text(second));
        let size = first.and_then(Value::size).unwrap_or_default();
        match function {
            "replace" => {
                let replacement = self::text(third).len();
                self.take(text.matches(part).count().saturating_mul(replacement))
            }
            "join" => self.take(size.saturating_mul(part.len())),
            "split" | "findAll" => self.take((text.len() + 1).saturating_mul(VALUE)),
            "indexOf" | "lastIndexOf" => self.take(text.len().saturating_mul(part.len()) / VALUE),
            "distinct" => self.take(size.saturating_mul(size)),
            "format" => decimals(text).try_for_each(|decimals| self.take(decimals)),
            _ => Ok(()),
        }
    }
}

fn text(value: Option<&Value>) -> &str {
    value.and_then(Value::as_text).unwrap_or_default()
}

/// The characters that the precisions in a template add.
fn decimals(template: &str) -> impl Iterator<Item = usize> {
    template.split("%.").skip(1).map(|behind| {
        let digits = behind.len() - behind.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let asked = behind.get(..digits).unwrap_or_default().parse().unwrap_or(if digits == 0 {
            0
        } else {
            usize::MAX
        });
        asked.min(LONGEST_NUMBER)
    })
}

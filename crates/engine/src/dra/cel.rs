//! Device selectors: the subset of CEL that Kubernetes provides for them.
//!
//! The `cel` crate parses the expressions. They are evaluated here, because unsupported functions must be reported as
//! such, errors are part of the scheduler's message, and the cost of an evaluation must be limited.
//!
//! Upstream: `dynamic-resource-allocation/cel/compile.go`, `apiserver/pkg/cel` (1.37).

mod check;
mod eval;
mod functions;
mod semver;
mod value;

use cel::parser::{Expression as Syntax, PrattParser};

use crate::cluster::devices::Device;
use crate::cluster::symbols::{Sym, Symbols};

/// Upstream's limit on the length of an expression in bytes.
const LONGEST: usize = 10 * 1024;
/// The deepest nesting of brackets and conditionals that is parsed.
const DEEPEST_BRACKETS: usize = 40;
/// The largest depth of a parsed expression that is evaluated.
const DEEPEST: usize = 200;

/// Why an expression cannot be compiled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CompileError {
    /// The scheduler cannot compile it either. The text has the meaning of the scheduler's error, not its exact
    /// wording.
    Invalid(String),
    /// The scheduler can compile it, but it uses a function that is not implemented here.
    Unsupported(String),
}

/// Why the evaluation of a selector fails for a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SelectorError {
    /// The scheduler's own error.
    Runtime(String),
    /// It uses a function that is not implemented here.
    Unsupported(String),
}

/// A compiled selector.
#[derive(Debug)]
pub struct Expression {
    syntax: Syntax,
}

impl Expression {
    /// Compiles a selector.
    ///
    /// # Errors
    /// [`CompileError`].
    pub(crate) fn compile(text: &str) -> Result<Self, CompileError> {
        if text.len() > LONGEST {
            return Err(CompileError::Unsupported(format!("is longer than {LONGEST} bytes")));
        }
        if nesting(text) > DEEPEST_BRACKETS {
            return Err(CompileError::Unsupported("is nested too deeply".into()));
        }
        let parser = PrattParser::default().enable_optional_syntax(true).enable_ident_escape_syntax(true);
        let syntax = parser.parse(text).map_err(|e| CompileError::Invalid(e.to_string()))?;
        if eval::depth(&syntax) > DEEPEST {
            return Err(CompileError::Unsupported("is nested too deeply".into()));
        }
        check::check(&syntax)?;
        Ok(Self { syntax })
    }

    /// Whether a device of `driver` is selected.
    ///
    /// # Errors
    /// [`SelectorError`].
    pub(crate) fn matches(&self, device: &Device, driver: Sym, symbols: &Symbols) -> Result<bool, SelectorError> {
        let facts = value::DeviceFacts { device, driver, symbols };
        facts.check()?;
        eval::run(&self.syntax, facts)
    }
}

/// The nesting depth of brackets and conditional expressions; brackets in string literals count, too.
fn nesting(text: &str) -> usize {
    let (mut depth, mut deepest, mut conditions) = (0usize, 0, 0);
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'?' => conditions += 1,
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest.max(conditions)
}

#[cfg(test)]
mod tests;

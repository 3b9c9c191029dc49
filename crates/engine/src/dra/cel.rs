//! Selectors of devices: the part of CEL that Kubernetes gives them.
//!
//! The grammar is the `cel` crate's. Evaluation is done here: what is missing must be known to be missing, errors are
//! part of the scheduler's answer, and a selector must not run on for long.
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

/// Upstream's limit on the length of an expression, in bytes.
const LONGEST: usize = 10 * 1024;
/// Nested brackets, and `?`, that are read.
const DEEPEST_BRACKETS: usize = 40;
/// Depth of a parsed expression that is evaluated.
const DEEPEST: usize = 200;

/// Why a text is not an expression that can be evaluated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CompileError {
    /// The scheduler cannot compile it either. Its text is the scheduler's in essence, not byte for byte.
    Invalid(String),
    /// The scheduler can, but it is more than is known here.
    Unsupported(String),
}

/// Why an expression gave no answer for a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SelectorError {
    /// The scheduler's own error.
    Runtime(String),
    /// It needs what is not known here.
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
    pub fn compile(text: &str) -> Result<Self, CompileError> {
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
    pub fn matches(&self, device: &Device, driver: Sym, symbols: &Symbols) -> Result<bool, SelectorError> {
        let facts = value::DeviceFacts { device, driver, symbols };
        facts.check()?;
        eval::run(&self.syntax, facts)
    }
}

/// How deep brackets and conditional expressions are nested at most; texts in quotes count, too.
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

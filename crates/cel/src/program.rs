//! Compiles selectors and evaluates them.
//!
//! Upstream: `dynamic-resource-allocation/cel/compile.go`.

use std::thread;

use crate::check::{check, validate};
use crate::device::{Attribute, Device};
use crate::library::Environment;
use crate::outcome::{self, EvaluationError, boolean, is_attribute};
use crate::release::Release;
use crate::run::{BytesLeft, Machine, MapOrder, PlanNode, Unplanned, may_grow, plan};
use crate::syntax::{self, Expr, ExprKind, Issue, Parsed, SourceText, SyntaxError, parse};
use crate::types::Type;
use crate::values::{EvaluationStop, Value};

/// The deepest nesting of source text that is parsed on the caller's stack.
const NESTED: usize = 60;
/// The deepest nesting of expressions, after macro expansion, that is evaluated on the caller's
/// stack.
const DEEPEST: usize = 200;
/// The longest expression that the API server accepts, in bytes.
const LONGEST: usize = 10 * 1024;

/// Limits on the work for one selector. kube-scheduler limits the length of the text and the cost
/// of one evaluation; a caller that evaluates many selectors for many devices sets lower limits, so
/// that all of them together stay affordable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SelectorLimits {
    /// The most expressions after macro expansion.
    pub expressions: usize,
    /// The most steps of an evaluation: expressions evaluated, plus their cost.
    pub steps: u64,
}

impl SelectorLimits {
    /// Limits for a single selector and device: the API server would need minutes for more
    /// expressions, and no evaluation within kube-scheduler's cost limit takes more steps.
    pub const LARGEST: Self = Self { expressions: 100_000, steps: 20_000_000 };
}

/// An upper bound of steps per character of a selector without macros: even traversing a string
/// attribute of 64 characters, the longest the API allows, costs less.
const PER_CHARACTER: u64 = 8;

/// Functions whose result cannot be computed for some arguments: those that take a regular
/// expression or a time zone.
const MAY_BE_UNKNOWN: [&str; 13] = [
    "matches",
    "find",
    "findAll",
    "getFullYear",
    "getMonth",
    "getDayOfYear",
    "getDayOfMonth",
    "getDate",
    "getDayOfWeek",
    "getHours",
    "getMinutes",
    "getSeconds",
    "getMilliseconds",
];

/// A selector that kube-scheduler can evaluate.
#[derive(Debug, Clone)]
pub struct Program {
    node: PlanNode,
    release: Release,
    may_be_unknown: bool,
    may_grow: bool,
    /// Whether the selector contains comprehensions.
    folds: bool,
    /// The most steps of an evaluation.
    steps: u64,
    /// The stack it needs.
    stack: Stack,
}

/// The stack that an expression is compiled and evaluated on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stack {
    /// The calling thread's.
    Here,
    Large,
}

/// Why a selector cannot be evaluated for any device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CompileError {
    /// kube-scheduler rejects it with this message.
    Invalid(String),
    /// A syntax error. kube-scheduler rejects it with a message that is known only up to this
    /// beginning.
    Syntax(String),
    /// kube-scheduler's behaviour is not reproduced for it. The text completes a sentence about the
    /// selector.
    Unsupported(String),
}

/// The result of evaluating a selector for a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evaluated {
    /// Whether the selector matches the device.
    pub result: Result<bool, EvaluationError>,
    /// The cost of the evaluation up to its end, in kube-scheduler's units; 0 if it did not start.
    pub cost: Option<u64>,
}

/// What an expression may begin with, as the messages of CEL's parser list it.
const BEGINNINGS: &str = "'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', \
                          NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER";

impl Program {
    /// Compiles a selector as this release of kube-scheduler does.
    ///
    /// # Errors
    ///
    /// See [`CompileError`].
    pub fn compile(text: &str, release: Release) -> Result<Self, CompileError> {
        Self::compile_within(text, release, SelectorLimits::LARGEST)
    }

    /// [`Self::compile`] within limits; what exceeds them is [`CompileError::Unsupported`].
    ///
    /// # Errors
    ///
    /// See [`CompileError`].
    pub fn compile_within(
        text: &str,
        release: Release,
        limits: SelectorLimits,
    ) -> Result<Self, CompileError> {
        Self::compile_to(text, release, limits, |t| {
            let allowed = match t {
                Type::Bool => true,
                Type::Any => !release.includes_is_common,
                Type::Dyn => release.dynamic_attributes,
                _ => false,
            };
            if allowed {
                Ok(())
            } else {
                Err(format!("bool or the unknown type, not {}", t.show_full()))
            }
        })
    }

    /// Compiles the expression of a derived attribute (1.37), within limits.
    ///
    /// # Errors
    ///
    /// See [`CompileError`].
    pub fn compile_attribute(
        text: &str,
        release: Release,
        limits: SelectorLimits,
    ) -> Result<Self, CompileError> {
        Self::compile_to(text, release, limits, |t| {
            let allowed = match t {
                Type::List(element) => is_attribute(element),
                other => is_attribute(other),
            };
            let scalars =
                "a primitive scalar (string, integer, boolean, semver) or a list of these scalars";
            if allowed { Ok(()) } else { Err(format!("{scalars}, not {}", t.show_full())) }
        })
    }

    /// Compiles an expression; `check_type` accepts its result type, or returns the type that is
    /// required.
    fn compile_to(
        text: &str,
        release: Release,
        limits: SelectorLimits,
        check_type: impl Fn(&Type) -> Result<(), String> + Sync,
    ) -> Result<Self, CompileError> {
        if text.len() > LONGEST {
            return Err(CompileError::Unsupported(format!("is longer than {LONGEST} bytes")));
        }
        Self::compile_on(Stack::Here, text, release, limits, &check_type)
            .or_else(|| {
                on_large_stack(|| {
                    Self::compile_on(Stack::Large, text, release, limits, &check_type)
                })
                .flatten()
            })
            .unwrap_or_else(|| Err(CompileError::Unsupported("is nested too deeply".into())))
    }

    /// Compiles on the calling thread's stack; `None` if the expression is nested too deeply for
    /// it.
    fn compile_on(
        stack: Stack,
        text: &str,
        release: Release,
        limits: SelectorLimits,
        check_type: &(impl Fn(&Type) -> Result<(), String> + Sync),
    ) -> Option<Result<Self, CompileError>> {
        let source = SourceText::new(text);
        let is_deep = stack == Stack::Large;
        let deepest = if is_deep { syntax::DEEPEST } else { NESTED };
        let parsed = match parse(&source, &release, deepest, limits.expressions) {
            Ok(parsed) if !is_deep && parsed.expr.depth() > DEEPEST => return None,
            Ok(parsed) => parsed,
            Err(SyntaxError::Nested | SyntaxError::Unclear) => return None,
            // Of an empty text the whole message is known: its end has no column, and any beginning
            // of an expression would do.
            Err(SyntaxError::At(_)) if text.is_empty() => {
                return Some(Err(CompileError::Invalid(format!(
                    "compilation failed: ERROR: <input>:1:0: Syntax error: mismatched input \
                     '<EOF>' expecting {{{BEGINNINGS}}}"
                ))));
            }
            Err(SyntaxError::At(offset)) => {
                let shown = source.show(&[Issue { offset, text: "Syntax error".into() }]);
                return Some(Err(CompileError::Syntax(format!("compilation failed: {shown}"))));
            }
            Err(SyntaxError::Deep(text)) => {
                return Some(Err(CompileError::Syntax(format!(
                    "compilation failed: ERROR: <input>:-1:0: {text}"
                ))));
            }
            Err(SyntaxError::Large) => {
                return Some(Err(CompileError::Unsupported(
                    "is too large when its macros are expanded".into(),
                )));
            }
        };
        let compiled = Self::compile_parsed(parsed, &source, release, check_type);
        // Without macros an expression is evaluated at most once and takes at least one character
        // of the text, and its cost is bounded by strings that the API keeps short.
        let may_be_long = (text.len() as u64).saturating_mul(PER_CHARACTER) > limits.steps;
        Some(compiled.map(|program| Self {
            stack,
            steps: limits.steps,
            may_be_unknown: program.may_be_unknown || may_be_long,
            ..program
        }))
    }

    fn compile_parsed(
        mut parsed: Parsed,
        source: &SourceText,
        release: Release,
        check_type: &impl Fn(&Type) -> Result<(), String>,
    ) -> Result<Self, CompileError> {
        // Each stage runs only if the one before had no complaint, and all its complaints are shown.
        if !parsed.issues.is_empty() {
            return Err(failed(source, &parsed.issues));
        }
        let environment = Environment::of(release);
        let checked = check(&mut parsed.expr, &parsed.offsets, environment);
        if let Some(unknown) = checked.unknown {
            return Err(CompileError::Unsupported(unknown));
        }
        if !checked.issues.is_empty() {
            return Err(failed(source, &checked.issues));
        }
        let issues = validate(&parsed.expr, &parsed.offsets, &checked);
        if !issues.is_empty() {
            return Err(failed(source, &issues));
        }
        check_type(&checked.type_of(parsed.expr.id))
            .map_err(|what| CompileError::Invalid(format!("must evaluate to {what}")))?;
        match plan(&parsed.expr, &checked, environment) {
            Ok(node) => {
                let may_be_unknown = calls_any(&parsed.expr, &MAY_BE_UNKNOWN);
                Ok(Self {
                    node,
                    release,
                    may_be_unknown,
                    may_grow: may_grow(&parsed.expr),
                    folds: has_comprehension(&parsed.expr),
                    steps: SelectorLimits::LARGEST.steps,
                    stack: Stack::Here,
                })
            }
            Err(Unplanned::Failed(text)) => {
                Err(CompileError::Invalid(format!("program instantiation failed: {text}")))
            }
            Err(Unplanned::Unknown(text)) => Err(CompileError::Unsupported(text)),
        }
    }

    /// Whether an evaluation may end with [`EvaluationError::Unsupported`].
    pub fn may_be_unknown(&self) -> bool {
        self.may_be_unknown || self.may_grow || self.stack == Stack::Large
    }

    /// Evaluates the selector for a device.
    pub fn evaluate(&self, device: &Device) -> Evaluated {
        let (value, cost) = self.value(device);
        Evaluated { result: value.and_then(|value| boolean(&value, &self.release)), cost }
    }

    /// Whether the result for a device may depend on the random order in which Go iterates over
    /// maps; tries several orders.
    pub fn depends_on_map_order(&self, device: &Device) -> bool {
        if !self.folds || self.stack == Stack::Large {
            return false;
        }
        let by_key = self.result_in_order(device, MapOrder::ByKey);
        [MapOrder::Backwards, MapOrder::From(1), MapOrder::From(2), MapOrder::From(3)]
            .into_iter()
            .any(|order| self.result_in_order(device, order) != by_key)
    }

    fn result_in_order(&self, device: &Device, order: MapOrder) -> Result<bool, EvaluationError> {
        boolean(&self.value_in_order(device, order).0?, &self.release)
    }

    /// Evaluates the expression of a derived attribute for a device.
    ///
    /// # Errors
    ///
    /// See [`EvaluationError`].
    pub fn attribute(&self, device: &Device) -> Result<Attribute, EvaluationError> {
        outcome::attribute(&self.value(device).0?)
    }

    /// Evaluates for a device; returns the result and its cost.
    fn value(&self, device: &Device) -> (Result<Value, EvaluationError>, Option<u64>) {
        if self.stack == Stack::Here {
            return self.value_here(device);
        }
        on_large_stack(|| self.value_here(device)).unwrap_or_else(|| {
            (Err(EvaluationError::Unsupported("is nested too deeply".into())), None)
        })
    }

    fn value_here(&self, device: &Device) -> (Result<Value, EvaluationError>, Option<u64>) {
        self.value_in_order(device, MapOrder::ByKey)
    }

    fn value_in_order(
        &self,
        device: &Device,
        order: MapOrder,
    ) -> (Result<Value, EvaluationError>, Option<u64>) {
        let device = match device.value(&self.release) {
            Ok(device) => device,
            Err(text) => return (Err(EvaluationError::Failed(text)), None),
        };
        let weight =
            if self.may_grow { BytesLeft::new(self.steps) } else { BytesLeft::unlimited() };
        let mut machine = Machine::new(&device, self.release, self.steps, weight).in_order(order);

        // What upstream's evaluator stops at fails the selector; what it would go on with for longer
        // than is affordable here leaves the result unknown.
        let result = match machine.run(&self.node) {
            Ok(value) => Ok(value),
            Err(EvaluationStop::Cost) => Err(EvaluationError::Failed(
                "operation cancelled: actual cost limit exceeded".into(),
            )),
            Err(EvaluationStop::Panic(text)) => {
                Err(EvaluationError::Failed(format!("internal error: {text}")))
            }
            Err(EvaluationStop::Long) => Err(EvaluationError::Unsupported(
                "takes too many steps to be evaluated here".into(),
            )),
            Err(EvaluationStop::Large) => Err(EvaluationError::Unsupported(
                "makes values that are too large to be evaluated here".into(),
            )),
            Err(EvaluationStop::Unknown(text)) => {
                debug_assert!(
                    self.may_be_unknown,
                    "a function is missing in the list of those: {text}"
                );
                Err(EvaluationError::Unsupported(text))
            }
        };
        (result, Some(machine.cost()))
    }
}

/// The error about what a stage of the compiler complains of.
fn failed(source: &SourceText, issues: &[Issue]) -> CompileError {
    CompileError::Invalid(format!("compilation failed: {}", source.show(issues)))
}

/// Whether an expression iterates over a list or a map.
fn has_comprehension(expr: &Expr) -> bool {
    expr.all().iter().any(|e| matches!(&e.kind, ExprKind::Fold(_)))
}

/// Whether an expression calls one of these functions.
fn calls_any(expr: &Expr, functions: &[&str]) -> bool {
    expr.all().iter().any(|expr| match &expr.kind {
        ExprKind::Call { function, .. } => functions.contains(&&**function),
        _ => false,
    })
}

/// Stack size in bytes; the deepest expression that upstream accepts needs a fraction of it.
const STACK: usize = 128 << 20;

/// Runs a function on a large stack; `None` where threads cannot be started.
fn on_large_stack<T: Send>(run: impl FnOnce() -> T + Send) -> Option<T> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run).ok()?;
        thread.join().ok()
    })
}

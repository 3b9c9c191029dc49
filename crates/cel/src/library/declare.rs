//! Declarations of functions and their overloads.
//!
//! Upstream: cel-go `common/decls/decls.go`.

use std::sync::Arc;

use super::costs::{Call, Costs};
use crate::check::Type;
use crate::release::Release;
use crate::values::{EvalResult, Value};

/// Implements one overload.
pub(crate) type Body = fn(&Release, &[Value]) -> EvalResult;
/// Implements all overloads of a function; `None` if the first argument has the wrong type.
pub(crate) type SharedBody = fn(&Release, &[Value]) -> Option<EvalResult>;
/// Computes the cost of a call from its arguments and result; `None` leaves it to the default.
pub(crate) type Cost = fn(&Call) -> Costs;

/// How arguments are evaluated.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Run {
    /// All arguments are evaluated.
    Direct(Body),
    /// Evaluation stops at the first argument that fails.
    InTurn(Body),
    /// All overloads of the function share one implementation.
    Shared,
}

/// A function of a library.
#[derive(Debug)]
pub(crate) struct Function {
    pub name: &'static str,
    pub overloads: &'static [Overload],
    /// The implementation of all overloads; it returns `None` if the first argument has the wrong
    /// type.
    pub shared: Option<SharedBody>,
    /// The cost that Kubernetes assigns to a call, by function name.
    pub cost: Option<Cost>,
    /// Whether argument types are checked against the overload before the call.
    pub guarded: bool,
}

#[derive(Debug)]
pub(crate) struct Overload {
    pub id: &'static str,
    pub member: bool,
    /// The signature, such as `list(T), int -> T`; capital letters are type parameters.
    pub signature: &'static str,
    pub run: Run,
    pub cost: Option<Cost>,
    pub known: fn(&Release) -> bool,
}

pub(super) const fn always(_: &Release) -> bool {
    true
}

pub(super) const fn global(id: &'static str, signature: &'static str, run: Run) -> Overload {
    Overload { id, member: false, signature, run, cost: None, known: always }
}

/// An overload that is called on its first argument.
pub(super) const fn member(id: &'static str, signature: &'static str, run: Run) -> Overload {
    Overload { id, member: true, signature, run, cost: None, known: always }
}

impl Overload {
    pub(super) const fn costs(self, cost: Cost) -> Self {
        Self { cost: Some(cost), ..self }
    }

    pub(super) const fn known(self, known: fn(&Release) -> bool) -> Self {
        Self { known, ..self }
    }
}

pub(super) const fn function(name: &'static str, overloads: &'static [Overload]) -> Function {
    Function { name, overloads, shared: None, cost: None, guarded: true }
}

impl Function {
    pub(super) const fn costs(self, cost: Cost) -> Self {
        Self { cost: Some(cost), ..self }
    }

    pub(super) const fn unguarded(self) -> Self {
        Self { guarded: false, ..self }
    }

    pub(super) const fn shared(self, body: SharedBody) -> Self {
        Self { shared: Some(body), ..self }
    }
}

/// A function with its overloads from all libraries.
#[derive(Debug)]
pub(crate) struct DeclaredFunction {
    pub name: &'static str,
    pub overloads: Vec<DeclaredOverload>,
    pub shared: Option<SharedBody>,
    pub cost: Option<Cost>,
    pub guarded: bool,
}

/// An overload with its types.
#[derive(Debug)]
pub(crate) struct DeclaredOverload {
    pub id: &'static str,
    pub member: bool,
    pub args: Vec<Type>,
    pub result: Type,
    pub parameters: Vec<Arc<str>>,
    pub run: Run,
    pub cost: Option<Cost>,
}

impl DeclaredFunction {
    pub(super) const fn new(name: &'static str) -> Self {
        Self { name, overloads: Vec::new(), shared: None, cost: None, guarded: false }
    }

    pub(super) fn add(&mut self, function: &Function, release: &Release) {
        self.shared = self.shared.or(function.shared);
        self.cost = self.cost.or(function.cost);
        self.guarded |= function.guarded;
        for overload in function.overloads.iter().filter(|o| (o.known)(release)) {
            let (args, result) = signature(overload.signature);
            let mut parameters = Vec::new();
            args.iter().chain([&result]).for_each(|t| gather(t, &mut parameters));
            let Overload { id, member, run, cost, .. } = *overload;
            self.overloads.push(DeclaredOverload {
                id,
                member,
                args,
                result,
                parameters,
                run,
                cost,
            });
        }
    }
}

fn gather(t: &Type, into: &mut Vec<Arc<str>>) {
    if let Type::Param(name) = t
        && !into.contains(name)
    {
        into.push(name.clone());
    }
    t.parameters().into_iter().for_each(|p| gather(p, into));
}

fn signature(text: &str) -> (Vec<Type>, Type) {
    let (args, result) = text.split_once("->").unwrap_or(("", text));
    (types(args), types(result).pop().unwrap_or(Type::Error))
}

/// Parses a comma-separated list of types.
fn types(text: &str) -> Vec<Type> {
    let (mut all, mut depth, mut begin) = (Vec::new(), 0usize, 0);
    for (at, c) in text.char_indices().chain([(text.len(), ',')]) {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                let one = text.get(begin..at).unwrap_or_default().trim();
                if !one.is_empty() {
                    all.push(one_type(one));
                }
                begin = at + 1;
            }
            _ => {}
        }
    }
    all
}

fn one_type(text: &str) -> Type {
    let (name, of) = match text.split_once('(') {
        Some((name, rest)) => (name, types(rest.strip_suffix(')').unwrap_or(rest))),
        None => (text, Vec::new()),
    };
    let mut of = of.into_iter();
    let mut next = || of.next().unwrap_or(Type::Error);
    match name {
        "bool" => Type::Bool,
        "bytes" => Type::Bytes,
        "cidr" => Type::Opaque("net.CIDR", Arc::new([])),
        "double" => Type::Double,
        "duration" => Type::Duration,
        "dyn" => Type::Dyn,
        "format" => Type::Struct("kubernetes.NamedFormat"),
        "int" => Type::Int,
        "ip" => Type::Opaque("net.IP", Arc::new([])),
        "list" => Type::list(next()),
        "map" => {
            let key = next();
            Type::map(key, next())
        }
        "optional" => Type::optional(next()),
        "quantity" => Type::Struct("kubernetes.Quantity"),
        "semver" => Type::Struct("kubernetes.Semver"),
        "string" => Type::Text,
        "timestamp" => Type::Time,
        "type" => Type::of_type(next()),
        "uint" => Type::Uint,
        "url" => Type::Struct("kubernetes.URL"),
        "authorizer" => Type::Struct("kubernetes.authorization.Authorizer"),
        "path_check" => Type::Struct("kubernetes.authorization.PathCheck"),
        "group_check" => Type::Struct("kubernetes.authorization.GroupCheck"),
        "resource_check" => Type::Struct("kubernetes.authorization.ResourceCheck"),
        "decision" => Type::Struct("kubernetes.authorization.Decision"),
        parameter => Type::Param(parameter.into()),
    }
}

//! Declarations of functions and their overloads.
//!
//! Upstream: cel-go `common/decls/decls.go`.

use std::sync::Arc;

use super::costs::Cost;
use crate::release::Release;
use crate::types::Type;
use crate::values::{EvalResult, Value};

/// Implements one overload.
pub(crate) type Body = fn(&Release, &[Value]) -> EvalResult;
/// Implements all overloads of a function; `None` if the first argument has the wrong type.
pub(crate) type SharedBody = fn(&Release, &[Value]) -> Option<EvalResult>;

/// A row of a library's table.
#[derive(Debug)]
pub(crate) struct Overload {
    function: &'static str,
    id: &'static str,
    member: bool,
    /// Such as `list(T), int -> T`; capital letters are type parameters.
    signature: &'static str,
    /// `None` if the overloads of the function share one implementation.
    body: Option<Body>,
    cost: Option<Cost>,
    /// Whether the evaluation of arguments stops at the first that fails, as it always does where
    /// there are more than two.
    in_turn: bool,
    /// Whether the types of arguments are compared with the signature before the call.
    guarded: bool,
    exists: fn(&Release) -> bool,
}

impl Overload {
    const fn new(
        function: &'static str,
        id: &'static str,
        signature: &'static str,
        body: Option<Body>,
    ) -> Self {
        Self {
            function,
            id,
            member: false,
            signature,
            body,
            cost: None,
            in_turn: false,
            guarded: true,
            exists: |_| true,
        }
    }

    /// The cost of this overload; what has none costs as much as its function.
    pub(super) const fn costs(self, cost: Cost) -> Self {
        Self { cost: Some(cost), ..self }
    }

    /// The releases that have it.
    pub(super) const fn exists_if(self, exists: fn(&Release) -> bool) -> Self {
        Self { exists, ..self }
    }

    pub(super) const fn in_turn(self) -> Self {
        Self { in_turn: true, ..self }
    }

    pub(super) const fn unguarded(self) -> Self {
        Self { guarded: false, ..self }
    }
}

pub(super) const fn global(
    function: &'static str,
    id: &'static str,
    signature: &'static str,
    body: Body,
) -> Overload {
    Overload::new(function, id, signature, Some(body))
}

/// An overload that is called on its first argument.
pub(super) const fn member(
    function: &'static str,
    id: &'static str,
    signature: &'static str,
    body: Body,
) -> Overload {
    Overload { member: true, ..global(function, id, signature, body) }
}

/// An overload of a function whose overloads share one implementation.
pub(super) const fn shared(
    function: &'static str,
    id: &'static str,
    signature: &'static str,
) -> Overload {
    Overload::new(function, id, signature, None)
}

/// [`shared`], called on its first argument.
pub(super) const fn shared_member(
    function: &'static str,
    id: &'static str,
    signature: &'static str,
) -> Overload {
    Overload { member: true, ..shared(function, id, signature) }
}

/// A function with its overloads from all libraries.
#[derive(Debug)]
pub(crate) struct DeclaredFunction {
    pub name: &'static str,
    pub overloads: Vec<DeclaredOverload>,
    /// The implementation of all overloads that have none of their own.
    pub shared: Option<SharedBody>,
    /// The cost of all overloads that have none of their own.
    pub cost: Option<Cost>,
    /// Whether the types of arguments are compared with the overload before the call.
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
    pub body: Option<Body>,
    pub in_turn: bool,
    pub cost: Option<Cost>,
}

impl Overload {
    /// The name of its function, if the release has the overload.
    pub(super) fn function_in(&self, release: &Release) -> Option<&'static str> {
        (self.exists)(release).then_some(self.function)
    }
}

impl DeclaredFunction {
    pub(super) const fn new(
        name: &'static str,
        shared: Option<SharedBody>,
        cost: Option<Cost>,
    ) -> Self {
        Self { name, overloads: Vec::new(), shared, cost, guarded: false }
    }

    pub(super) fn add(&mut self, overload: &Overload) {
        self.guarded |= overload.guarded;
        let (args, result) = signature(overload.signature);
        let mut parameters = Vec::new();
        args.iter().chain([&result]).for_each(|t| gather(t, &mut parameters));
        let Overload { id, member, body, in_turn, cost, .. } = *overload;
        self.overloads.push(DeclaredOverload {
            id,
            member,
            args,
            result,
            parameters,
            body,
            in_turn,
            cost,
        });
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
    let first = of.next().unwrap_or(Type::Error);
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
        "list" => Type::list(first),
        "map" => Type::map(first, of.next().unwrap_or(Type::Error)),
        "optional" => Type::optional(first),
        "quantity" => Type::Struct("kubernetes.Quantity"),
        "semver" => Type::Struct("kubernetes.Semver"),
        "string" => Type::Text,
        "timestamp" => Type::Time,
        "type" => Type::of_type(first),
        "uint" => Type::Uint,
        "url" => Type::Struct("kubernetes.URL"),
        // Types of which no value exists in a selector.
        "authorizer" => Type::Struct("kubernetes.authorization.Authorizer"),
        "path_check" => Type::Struct("kubernetes.authorization.PathCheck"),
        "group_check" => Type::Struct("kubernetes.authorization.GroupCheck"),
        "resource_check" => Type::Struct("kubernetes.authorization.ResourceCheck"),
        "decision" => Type::Struct("kubernetes.authorization.Decision"),
        parameter => Type::Param(parameter.into()),
    }
}

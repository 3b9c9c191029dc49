//! Unification: which type is assignable to which, and what that binds type parameters to.
//!
//! Upstream: cel-go `checker/types.go`, `checker/mapping.go`.

use std::sync::Arc;

use crate::types::Type;
use sorted::SortedMap;

/// The bindings of type parameters.
#[derive(Debug, Default)]
pub(crate) struct Mapping {
    known: SortedMap<Arc<str>, Type>,
    /// Earlier bindings, restored if an overload turns out not to match.
    before: Vec<(Arc<str>, Option<Type>)>,
}

impl Mapping {
    pub fn add(&mut self, parameter: &Type, to: Type) {
        if let Type::Param(name) = parameter {
            let before = self.known.insert(name.clone(), to);
            self.before.push((name.clone(), before));
        }
    }

    fn find(&self, t: &Type) -> Option<&Type> {
        if let Type::Param(name) = t { self.known.get(name) } else { None }
    }

    /// Whether `from` is assignable to `to`. Binds the type parameters that this requires.
    pub fn assign(&mut self, to: &Type, from: &Type) -> bool {
        self.assign_all(std::slice::from_ref(to), std::slice::from_ref(from))
    }

    /// [`Self::assign`] for several pairs at once; binds nothing if one of them fails.
    pub fn assign_all(&mut self, to: &[Type], from: &[Type]) -> bool {
        self.before.clear();
        let fits = to.len() == from.len() && to.iter().zip(from).all(|(a, b)| self.fits(a, b));
        if !fits {
            while let Some((name, before)) = self.before.pop() {
                match before {
                    Some(known) => self.known.insert(name, known),
                    None => self.known.remove(&name),
                };
            }
        }
        fits
    }

    fn fits(&mut self, a: &Type, b: &Type) -> bool {
        if let Type::Param(_) = b {
            let (valid, known) = self.bind(a, b);
            if valid {
                return true;
            }
            if known {
                return false;
            }
        }
        if let Type::Param(_) = a {
            return self.bind(b, a).0;
        }
        if a.is_dyn() || b.is_dyn() || *a == Type::Error || *b == Type::Error {
            return true;
        }
        match (a, b) {
            (Type::Null, other) | (other, Type::Null) => {
                matches!(
                    other,
                    Type::Null | Type::Opaque(..) | Type::Struct(_) | Type::Duration | Type::Time
                )
            }
            (Type::Type(_), Type::Type(_)) => true,
            (Type::Opaque(..) | Type::List(_) | Type::Map(_), _) => {
                let (own, others) = (a.parameters(), b.parameters());
                std::mem::discriminant(a) == std::mem::discriminant(b)
                    && a.name() == b.name()
                    && own.len() == others.len()
                    && own.into_iter().zip(others).all(|(a, b)| self.fits(a, b))
            }
            _ => a == b,
        }
    }

    /// Whether a parameter can be bound to a type, and whether it was bound already.
    fn bind(&mut self, t: &Type, parameter: &Type) -> (bool, bool) {
        if t == parameter {
            return (true, true);
        }
        if let Some(known) = self.find(parameter).cloned() {
            if *t == known {
                return (true, true);
            }
            if self.fits(t, &known) {
                let general = most_general(t, &known).clone();
                if self.is_free_of(parameter, &general) {
                    self.add(parameter, general);
                }
                return (true, true);
            }
            return (false, true);
        }
        if self.is_free_of(parameter, t) {
            self.add(parameter, t.clone());
            return (true, false);
        }
        (false, false)
    }

    fn is_free_of(&self, parameter: &Type, within: &Type) -> bool {
        if parameter == within {
            return false;
        }
        match within {
            Type::Param(_) => {
                self.find(within).is_none_or(|known| self.is_free_of(parameter, known))
            }
            Type::Opaque(..) | Type::List(_) | Type::Map(_) | Type::Type(_) => {
                within.parameters().into_iter().all(|p| self.is_free_of(parameter, p))
            }
            _ => true,
        }
    }

    /// The type with its parameters substituted; with `free_to_dyn`, unbound ones become `dyn`.
    pub fn substitute(&self, t: &Type, free_to_dyn: bool) -> Type {
        if let Some(known) = self.find(t) {
            return self.substitute(known, free_to_dyn);
        }
        match t {
            Type::Param(_) if free_to_dyn => Type::Dyn,
            Type::Opaque(name, of) => {
                Type::Opaque(name, of.iter().map(|p| self.substitute(p, free_to_dyn)).collect())
            }
            Type::List(of) => Type::list(self.substitute(of, free_to_dyn)),
            Type::Map(of) => {
                Type::map(self.substitute(&of.0, free_to_dyn), self.substitute(&of.1, free_to_dyn))
            }
            Type::Type(Some(of)) => Type::of_type(self.substitute(of, free_to_dyn)),
            _ => t.clone(),
        }
    }
}

/// The less specific of two types.
pub(crate) fn most_general<'t>(a: &'t Type, b: &'t Type) -> &'t Type {
    if is_as_general(a, b) { a } else { b }
}

fn is_as_general(a: &Type, b: &Type) -> bool {
    if a.is_dyn() || matches!(a, Type::Param(_)) {
        return true;
    }
    if b.is_dyn() || matches!(b, Type::Param(_)) {
        return false;
    }
    match (a, b) {
        (Type::Type(_), Type::Type(_)) => true,
        (Type::Opaque(..) | Type::List(_) | Type::Map(_), _) => {
            let (own, others) = (a.parameters(), b.parameters());
            std::mem::discriminant(a) == std::mem::discriminant(b)
                && a.name() == b.name()
                && own.len() == others.len()
                && own.into_iter().zip(others).all(|(a, b)| is_as_general(a, b))
        }
        _ => a == b,
    }
}

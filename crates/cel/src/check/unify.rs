//! Unification: which type is assignable to which, and what that binds type parameters to.
//!
//! Upstream: cel-go `checker/types.go`, `checker/mapping.go`.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::release::Release;
use crate::types::Type;

/// The bindings of type parameters.
#[derive(Debug, Default)]
pub(crate) struct Mapping {
    bound: BTreeMap<Arc<str>, Type>,
    /// Earlier bindings, restored if an overload turns out not to match.
    before: Vec<(Arc<str>, Option<Type>)>,
    /// Types of types are compared by their parameters.
    types_of_types_differ: bool,
}

/// Whether a type parameter stands for a type.
#[derive(PartialEq, Eq)]
enum Binding {
    Fits,
    /// It is bound to another type.
    Differs,
    /// It is free, and the type contains it.
    Circular,
}

impl Mapping {
    pub fn new(release: &Release) -> Self {
        Self { types_of_types_differ: release.types_of_types_differ, ..Self::default() }
    }

    pub fn add(&mut self, parameter: &Type, to: Type) {
        if let Type::Param(name) = parameter {
            let before = self.bound.insert(name.clone(), to);
            self.before.push((name.clone(), before));
        }
    }

    fn find(&self, t: &Type) -> Option<&Type> {
        if let Type::Param(name) = t { self.bound.get(name) } else { None }
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
                    Some(earlier) => self.bound.insert(name, earlier),
                    None => self.bound.remove(&name),
                };
            }
        }
        fits
    }

    fn fits(&mut self, a: &Type, b: &Type) -> bool {
        if let Type::Param(_) = b {
            match self.bind(a, b) {
                Binding::Fits => return true,
                Binding::Differs => return false,
                // The parameter occurs in the type; the other may still be one, too.
                Binding::Circular => {}
            }
        }
        if let Type::Param(_) = a {
            return self.bind(b, a) == Binding::Fits;
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
            (Type::Type(_), Type::Type(_)) if !self.types_of_types_differ => true,
            // Concrete types are values of one kind; only parameters are bound.
            (Type::Type(Some(a)), Type::Type(Some(b))) => {
                !(a.has_parameter() || b.has_parameter()) || self.fits(a, b)
            }
            (Type::Type(_), Type::Type(of)) => of.is_none(),
            (Type::Opaque(..) | Type::List(_) | Type::Map(_), _) => {
                a.pairs(b).is_some_and(|pairs| pairs.iter().all(|(a, b)| self.fits(a, b)))
            }
            _ => a == b,
        }
    }

    /// Binds a parameter to a type, or to what is more general, it or what it is bound to.
    fn bind(&mut self, t: &Type, parameter: &Type) -> Binding {
        if t == parameter {
            return Binding::Fits;
        }
        if let Some(bound) = self.find(parameter).cloned() {
            if *t == bound {
                return Binding::Fits;
            }
            if !self.fits(t, &bound) {
                return Binding::Differs;
            }
            let general = self.most_general(t, &bound).clone();
            if self.is_free_of(parameter, &general) {
                self.add(parameter, general);
            }
            return Binding::Fits;
        }
        if !self.is_free_of(parameter, t) {
            return Binding::Circular;
        }
        self.add(parameter, t.clone());
        Binding::Fits
    }

    fn is_free_of(&self, parameter: &Type, within: &Type) -> bool {
        if parameter == within {
            return false;
        }
        match within {
            Type::Param(_) => {
                self.find(within).is_none_or(|bound| self.is_free_of(parameter, bound))
            }
            Type::Opaque(..) | Type::List(_) | Type::Map(_) | Type::Type(_) => {
                within.parameters().into_iter().all(|p| self.is_free_of(parameter, p))
            }
            _ => true,
        }
    }

    /// The type with its parameters substituted; with `free_to_dyn`, unbound ones become `dyn`.
    pub fn substitute(&self, t: &Type, free_to_dyn: bool) -> Type {
        if let Some(bound) = self.find(t) {
            return self.substitute(bound, free_to_dyn);
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

    /// The less specific of two types.
    pub fn most_general<'t>(&self, a: &'t Type, b: &'t Type) -> &'t Type {
        if self.is_as_general(a, b) { a } else { b }
    }

    fn is_as_general(&self, a: &Type, b: &Type) -> bool {
        if a.is_dyn() || matches!(a, Type::Param(_)) {
            return true;
        }
        if b.is_dyn() || matches!(b, Type::Param(_)) {
            return false;
        }
        match (a, b) {
            (Type::Type(_), Type::Type(_)) if !self.types_of_types_differ => true,
            (Type::Type(Some(a)), Type::Type(Some(b))) => self.is_as_general(a, b),
            (Type::Type(of), Type::Type(_)) => of.is_none(),
            (Type::Opaque(..) | Type::List(_) | Type::Map(_), _) => {
                a.pairs(b).is_some_and(|pairs| pairs.iter().all(|(a, b)| self.is_as_general(a, b)))
            }
            _ => a == b,
        }
    }
}

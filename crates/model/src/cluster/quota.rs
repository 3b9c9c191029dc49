//! A `ResourceQuota`: the limits on the total requests and usage of a namespace's pods.

use super::reader::ReadContext;
use super::selector::Labels;
use super::symbols::Sym;
use crate::snapshot::others as wire;

/// A `ResourceQuota`.
#[derive(Debug, Clone)]
pub struct ResourceQuota {
    pub namespace: Sym,
    pub name: Sym,
    /// The limit of each resource, as text: that of the status, which the API server uses, or that
    /// of the spec if the quota has no status yet.
    pub hard: Labels,
    /// What is used of each resource, as text.
    pub used: Labels,
    /// Whether it has a status.
    pub is_counted: bool,
    /// Which pods it counts: those that match all scopes.
    pub scopes: Vec<QuotaScope>,
}

/// A condition on the pods that a quota counts.
#[derive(Debug, Clone)]
pub struct QuotaScope {
    /// The name of the scope, such as `BestEffort`.
    pub name: Sym,
    /// `Exists`, `DoesNotExist`, `In` or `NotIn`.
    pub operator: Sym,
    /// The values, of the last two.
    pub values: Vec<Sym>,
}

impl ResourceQuota {
    pub(super) fn read(wire: &wire::ResourceQuota, reader: &mut ReadContext) -> Self {
        let is_counted = !wire.status.hard.0.0.is_empty();
        let hard = if is_counted { &wire.status.hard } else { &wire.spec.hard };
        let mut scopes = Vec::new();
        for name in &wire.spec.scopes {
            let (name, operator) = (reader.intern(name), reader.intern("Exists"));
            scopes.push(QuotaScope { name, operator, values: Vec::new() });
        }
        for term in &wire.spec.scope_selector.match_expressions {
            scopes.push(QuotaScope {
                name: reader.intern(&term.scope_name),
                operator: reader.intern(&term.operator),
                values: term.values.iter().map(|value| reader.intern(value)).collect(),
            });
        }
        Self {
            namespace: reader.namespace(&wire.metadata.namespace),
            name: reader.intern(&wire.metadata.name),
            hard: reader.pairs(&hard.0),
            used: reader.pairs(&wire.status.used.0),
            is_counted,
            scopes,
        }
    }
}

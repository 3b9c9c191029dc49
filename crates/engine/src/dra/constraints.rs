//! Constraints on the attributes of the devices of several requests.
//!
//! Upstream: `incubating/allocator_incubating.go` `matchAttributeConstraint`, `incubating/constraint.go` (1.37).

use super::pools::PoolDevice;
use crate::cluster::Cluster;
use crate::cluster::devices::{Attribute, Constraint, ConstraintRule};
use crate::cluster::symbols::Sym;
use crate::profile::history::{DistinctAttribute, DynamicResources};

/// The request for which a device is allocated.
#[derive(Debug, Clone, Copy)]
pub(super) struct Requester<'a> {
    /// Name of the request.
    pub request: Sym,
    /// Name of the alternative.
    pub alternative: Option<Sym>,
    /// The cluster, which holds the strings.
    pub cluster: &'a Cluster,
}

/// A constraint with the devices that satisfy it so far.
#[derive(Debug)]
pub(super) struct ConstraintTracker<'c> {
    requests: &'c [Sym],
    rule: ConstraintRule,
    /// The attribute values of the allocated devices, each with its request.
    values: Vec<(Sym, &'c Attribute)>,
    /// Up to 1.36: the number of allocated devices.
    picked: usize,
    distinct: DistinctAttribute,
}

impl<'c> ConstraintTracker<'c> {
    pub(super) fn new(constraint: &'c Constraint, features: &DynamicResources) -> Self {
        Self {
            requests: &constraint.requests,
            rule: constraint.rule,
            values: Vec::new(),
            picked: 0,
            distinct: features.dra_distinct,
        }
    }

    /// Adds a device if it satisfies the constraint.
    pub(super) fn add(&mut self, who: Requester, place: &PoolDevice<'c>) -> bool {
        if !self.concerns(who) {
            return true;
        }
        let (ConstraintRule::Match(name) | ConstraintRule::Distinct(name)) = self.rule else { return false };
        let Some(value) = attribute(place, name, who.cluster) else { return false };
        match self.rule {
            ConstraintRule::Match(_) => {
                let first = self.values.first();
                // Parity: the first device may have a value of any type.
                if first.is_some_and(|(_, first)| !is_scalar(value) || *first != value) {
                    return false;
                }
                self.values.push((who.request, value));
            }
            _ if self.distinct == DistinctAttribute::ValuesOfDevices => {
                let clash = |(_, other): &(Sym, &Attribute)| !is_scalar(value) || *other == value;
                if self.values.iter().any(clash) {
                    return false;
                }
                self.values.push((who.request, value));
            }
            _ => return self.add_per_request(who.request, value),
        }
        true
    }

    /// Parity: up to 1.36 only the latest value of each request is kept, and the first device is never compared.
    fn add_per_request(&mut self, request: Sym, value: &'c Attribute) -> bool {
        // Parity: in 1.34 a value equals only itself.
        let is_same = |other: &Attribute| match self.distinct {
            DistinctAttribute::Storage => std::ptr::eq(other, value),
            DistinctAttribute::ValuesOfRequests | DistinctAttribute::ValuesOfDevices => other == value,
        };
        let clash = |(_, other): &(Sym, &Attribute)| !is_scalar(value) || is_same(other);
        if self.picked > 0 && self.values.iter().any(clash) {
            return false;
        }
        self.values.retain(|(known, _)| *known != request);
        self.values.push((request, value));
        self.picked += 1;
        true
    }

    /// Undoes the latest [`Self::add`] of this requester.
    pub(super) fn remove(&mut self, who: Requester) {
        if !self.concerns(who) {
            return;
        }
        if matches!(self.rule, ConstraintRule::Distinct(_)) && self.distinct != DistinctAttribute::ValuesOfDevices {
            self.values.retain(|(known, _)| *known != who.request);
            self.picked = self.picked.saturating_sub(1);
        } else {
            self.values.pop();
        }
    }

    fn concerns(&self, who: Requester) -> bool {
        let text = |sym: Sym| who.cluster.text(sym);
        let is_alternative = |name: Sym| {
            who.alternative.is_some_and(|a| text(name).split_once('/') == Some((text(who.request), text(a))))
        };
        self.requests.is_empty() || self.requests.iter().any(|r| *r == who.request || is_alternative(*r))
    }
}

fn is_scalar(value: &Attribute) -> bool {
    matches!(value, Attribute::Int(_) | Attribute::Bool(_) | Attribute::Text(_) | Attribute::Version(_))
}

/// The attribute of a qualified name; the driver's own attributes may be unqualified.
fn attribute<'c>(place: &PoolDevice<'c>, name: Sym, cluster: &Cluster) -> Option<&'c Attribute> {
    let find = |name: &str| place.device.attributes.iter().find(|(n, _)| cluster.text(*n) == name).map(|(_, a)| a);
    let full = cluster.text(name);
    find(full).or_else(|| {
        let (domain, name) = full.split_once('/')?;
        if domain == cluster.text(place.slice.driver) { find(name) } else { None }
    })
}

//! Conditions on the devices of several requests.
//!
//! Upstream: `incubating/allocator_incubating.go` `matchAttributeConstraint`, `incubating/constraint.go` (1.37).

use super::pools::Place;
use crate::cluster::Cluster;
use crate::cluster::devices::{Attribute, Constraint, ConstraintRule};
use crate::cluster::symbols::Sym;
use crate::profile::history::{DistinctAttribute, DynamicResources};

/// For whom a device is about to be picked.
#[derive(Debug, Clone, Copy)]
pub(super) struct Requester<'a> {
    /// Name of the request.
    pub request: Sym,
    /// Name of the alternative.
    pub alternative: Option<Sym>,
    /// Strings.
    pub cluster: &'a Cluster,
}

/// A constraint and the devices that fulfil it so far.
#[derive(Debug)]
pub(super) struct Tracker<'c> {
    requests: &'c [Sym],
    rule: ConstraintRule,
    /// Values of the devices picked, with the request that picked them.
    values: Vec<(Sym, &'c Attribute)>,
    /// Up to 1.36: how many devices were picked.
    picked: usize,
    distinct: DistinctAttribute,
}

impl<'c> Tracker<'c> {
    pub(super) fn new(constraint: &'c Constraint, features: &DynamicResources) -> Self {
        Self {
            requests: &constraint.requests,
            rule: constraint.rule,
            values: Vec::new(),
            picked: 0,
            distinct: features.dra_distinct,
        }
    }

    /// SearchState a device if that is in order.
    pub(super) fn add(&mut self, who: Requester, place: &Place<'c>) -> bool {
        if !self.concerns(who) {
            return true;
        }
        let (ConstraintRule::Match(name) | ConstraintRule::Distinct(name)) = self.rule else { return false };
        let Some(value) = attribute(place, name, who.cluster) else { return false };
        match self.rule {
            ConstraintRule::Match(_) => {
                let first = self.values.first();
                // Parity: the first device may have any value, of any sort.
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

    /// Parity: up to 1.36 one value is remembered per request, the latest; the first device is never compared.
    fn add_per_request(&mut self, request: Sym, value: &'c Attribute) -> bool {
        // Parity: in 1.34 a value is only like itself.
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

/// The attribute of a fully qualified name; the driver's own attributes need not be qualified.
fn attribute<'c>(place: &Place<'c>, name: Sym, cluster: &Cluster) -> Option<&'c Attribute> {
    let find = |name: &str| place.device.attributes.iter().find(|(n, _)| cluster.text(*n) == name).map(|(_, a)| a);
    let full = cluster.text(name);
    find(full).or_else(|| {
        let (domain, name) = full.split_once('/')?;
        if domain == cluster.text(place.slice.driver) { find(name) } else { None }
    })
}

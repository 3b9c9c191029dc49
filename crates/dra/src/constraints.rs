//! Constraints on the attributes of the devices of several requests.
//!
//! Upstream: `incubating/allocator_incubating.go` `matchAttributeConstraint`,
//! `incubating/constraint.go`, and for lists the same in `experimental` (1.37).

use std::borrow::Cow;

use super::derived::AttributeLookup;
use super::pools::PoolDevice;
use super::{Allocator, Unallocated};
use model::cluster::devices::{ConstraintRule, DeviceAttribute, DeviceConstraint, Want};
use model::cluster::{Cluster, Sym};
use profile::history::{DistinctAttribute, DynamicResources};

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

impl Requester<'_> {
    /// Whether `name` is this alternative with its request: `gpu/large`.
    fn is_alternative(&self, name: Sym) -> bool {
        self.alternative.is_some_and(|alternative| {
            let own = (self.cluster.text(self.request), self.cluster.text(alternative));
            self.cluster.text(name).split_once('/') == Some(own)
        })
    }
}

/// The constraints of all claims of a search.
pub(super) struct Constraints<'c> {
    of_claims: Vec<Vec<ConstraintTracker<'c>>>,
    attributes: AttributeLookup<'c>,
    /// Whether a value that cannot be compared is an error.
    need_values: bool,
}

impl<'c> Constraints<'c> {
    pub(super) fn new(allocator: &'c Allocator<'c>, claims: &'c [Unallocated<'c>]) -> Self {
        Self {
            of_claims: claims
                .iter()
                .map(|claim| {
                    claim
                        .constraints
                        .iter()
                        .map(|rule| ConstraintTracker::new(rule, allocator.features))
                        .collect()
                })
                .collect(),
            attributes: AttributeLookup::new(
                allocator.features,
                &allocator.derivations,
                &allocator.cluster.symbols,
            ),
            need_values: allocator.features.dra_constraints_need_values,
        }
    }

    /// How many constraints a claim has.
    pub(super) fn count(&self, claim: usize) -> usize {
        self.of_claims.get(claim).map_or(0, Vec::len)
    }

    /// Adds a device to the constraints of a claim until one is violated; returns how many accepted
    /// it. An error ends the cycle.
    pub(super) fn add(
        &mut self,
        claim: usize,
        who: Requester,
        want: &Want,
        place: &PoolDevice<'c>,
    ) -> Result<usize, String> {
        let trackers = self.of_claims.get_mut(claim).map_or(&mut [][..], Vec::as_mut_slice);
        let mut added = 0;
        for tracker in trackers {
            let value = match tracker.attribute_for(who) {
                Some(name) => {
                    let value = self.attributes.find(want, place, name)?;
                    if self.need_values && value.as_ref().is_some_and(|v| !tracker.compares(v)) {
                        let symbols = self.attributes.symbols();
                        return Err(format!(
                            "device {}: unsupported attribute value for {}",
                            place.id.text(symbols),
                            symbols.text(name)
                        ));
                    }
                    value
                }
                None => None,
            };
            if !tracker.add(who, value) {
                break;
            }
            added += 1;
        }
        Ok(added)
    }

    /// Undoes the latest [`Self::add`] of this requester in the first `count` constraints of a
    /// claim.
    pub(super) fn remove(&mut self, claim: usize, who: Requester, count: usize) {
        let trackers = self.of_claims.get_mut(claim).map_or(&mut [][..], Vec::as_mut_slice);
        trackers.iter_mut().take(count).rev().for_each(|tracker| tracker.remove(who));
    }
}

/// A constraint with the devices that satisfy it so far.
#[derive(Debug)]
struct ConstraintTracker<'c> {
    requests: &'c [Sym],
    rule: ConstraintRule,
    /// The attribute values of the allocated devices, each with its request.
    values: Vec<(Sym, Cow<'c, DeviceAttribute>)>,
    /// Up to 1.36: the number of allocated devices.
    picked: usize,
    distinct: DistinctAttribute,
    /// Whether values are sets that may have more than one element.
    sets: bool,
    /// Whether a set without elements is taken where there is nothing to compare it with (1.38).
    takes_empty_sets: bool,
}

impl<'c> ConstraintTracker<'c> {
    fn new(constraint: &'c DeviceConstraint, features: &DynamicResources) -> Self {
        Self {
            requests: &constraint.requests,
            rule: constraint.rule,
            values: Vec::new(),
            picked: 0,
            distinct: features.dra_distinct,
            sets: super::compares_lists(features),
            takes_empty_sets: features.dra_constraints_need_values,
        }
    }

    /// The attribute that it compares, if it concerns the requester.
    fn attribute_for(&self, who: Requester) -> Option<Sym> {
        match self.rule {
            ConstraintRule::Match(name) | ConstraintRule::Distinct(name) => {
                self.concerns(who).then_some(name)
            }
            ConstraintRule::Unknown => None,
        }
    }

    /// Whether values of this type are compared.
    fn compares(&self, value: &DeviceAttribute) -> bool {
        match value {
            DeviceAttribute::List(_) => self.sets,
            value => is_scalar(value),
        }
    }

    /// Adds a device with this value of the attribute if it satisfies the constraint.
    fn add(&mut self, who: Requester, value: Option<Cow<'c, DeviceAttribute>>) -> bool {
        if !self.concerns(who) {
            return true;
        }
        let Some(value) = value else { return false };
        match self.rule {
            _ if self.sets => return self.add_set(who.request, value),
            ConstraintRule::Match(_) => {
                let first = self.values.first();
                // Parity: the first device may have a value of any type.
                if first.is_some_and(|(_, first)| !is_scalar(&value) || *first != value) {
                    return false;
                }
                self.values.push((who.request, value));
            }
            _ if self.distinct == DistinctAttribute::ValuesOfDevices => {
                if self.values.iter().any(|(_, other)| !is_scalar(&value) || *other == value) {
                    return false;
                }
                self.values.push((who.request, value));
            }
            _ => return self.add_per_request(who.request, value),
        }
        true
    }

    /// Devices with `matchAttribute` need a common element; with `distinctAttribute` they must have
    /// none.
    fn add_set(&mut self, request: Sym, value: Cow<'c, DeviceAttribute>) -> bool {
        let own = elements(&value);
        let mut others = self.values.iter().map(|(_, other)| elements(other));
        let satisfied = match self.rule {
            ConstraintRule::Match(_) if self.values.is_empty() && self.takes_empty_sets => true,
            ConstraintRule::Match(_) => {
                own.iter().any(|v| others.clone().all(|other| other.contains(v)))
            }
            _ => {
                (self.takes_empty_sets || !own.is_empty())
                    && others.all(|other| !own.iter().any(|v| other.contains(v)))
            }
        };
        if satisfied {
            self.values.push((request, value));
        }
        satisfied
    }

    /// Parity: up to 1.36 only the latest value of each request is kept, and the first device is
    /// never compared.
    fn add_per_request(&mut self, request: Sym, value: Cow<'c, DeviceAttribute>) -> bool {
        // Parity: in 1.34 a value equals only itself.
        let is_same = |other: &DeviceAttribute| match self.distinct {
            DistinctAttribute::Storage => std::ptr::eq(other, value.as_ref()),
            DistinctAttribute::ValuesOfRequests | DistinctAttribute::ValuesOfDevices => {
                *other == *value
            }
        };
        if self.picked > 0
            && self.values.iter().any(|(_, other)| !is_scalar(&value) || is_same(other))
        {
            return false;
        }
        self.values.retain(|(other, _)| *other != request);
        self.values.push((request, value));
        self.picked += 1;
        true
    }

    /// Undoes the latest [`Self::add`] of this requester.
    fn remove(&mut self, who: Requester) {
        if !self.concerns(who) {
            return;
        }
        if matches!(self.rule, ConstraintRule::Distinct(_))
            && self.distinct != DistinctAttribute::ValuesOfDevices
        {
            self.values.retain(|(known, _)| *known != who.request);
            self.picked = self.picked.saturating_sub(1);
        } else {
            self.values.pop();
        }
    }

    fn concerns(&self, who: Requester) -> bool {
        self.requests.is_empty()
            || self.requests.iter().any(|name| *name == who.request || who.is_alternative(*name))
    }
}

/// The elements of a list, or a single value; none for an unknown type.
fn elements(value: &DeviceAttribute) -> &[DeviceAttribute] {
    match value {
        DeviceAttribute::List(values) => values,
        DeviceAttribute::Unknown => &[],
        DeviceAttribute::Int(_)
        | DeviceAttribute::Bool(_)
        | DeviceAttribute::Text(_)
        | DeviceAttribute::Version(_) => std::slice::from_ref(value),
    }
}

fn is_scalar(value: &DeviceAttribute) -> bool {
    matches!(
        value,
        DeviceAttribute::Int(_)
            | DeviceAttribute::Bool(_)
            | DeviceAttribute::Text(_)
            | DeviceAttribute::Version(_)
    )
}

//! The capacity that requests consume of a device which several claims share.
//!
//! Upstream: `incubating/consumable_capacity.go` (1.36, 1.37).

use super::in_use::ConsumedCapacity;
use super::pools::PoolDevice;
use model::cluster::devices::{DeviceCapacity, RequestPolicy, ValidRange, Want};
use model::cluster::{Cluster, Quantity, Sym};
use profile::history::DynamicResources;

/// Upstream's error texts.
const UNREPRESENTABLE: &str =
    "capacity request cannot be represented in the device's range arithmetic";
const NEGATIVE: &str = "capacity value is negative";

/// How requested amounts are rounded and compared in a version.
#[derive(Clone, Copy)]
pub(super) struct CapacityRules<'c> {
    pub cluster: &'c Cluster,
    pub features: &'c DynamicResources,
}

impl<'c> CapacityRules<'c> {
    /// Whether the device has enough capacity left for the request after what `held` and `picked`
    /// consume. An error ends the cycle.
    pub(super) fn has_room(
        self,
        want: &Want,
        place: &PoolDevice,
        held: Option<&ConsumedCapacity>,
        picked: Option<&ConsumedCapacity>,
    ) -> Result<bool, String> {
        let requested = want.capacity.as_deref().unwrap_or_default();
        let driver = place.id.driver;
        for (name, _) in requested {
            if !self.capacities(place).any(|(other, _)| self.are_same(*other, *name, driver)) {
                return Ok(false);
            }
        }
        self.check_requested_once(requested, driver)?;
        let consumed = self.consumed(want, place)?;
        for ((name, capacity), (_, amount)) in self.capacities(place).zip(&consumed) {
            if capacity.policy.as_ref().is_some_and(|policy| self.violates(*amount, policy)) {
                return Ok(false);
            }
            let others = [held, picked].into_iter().flatten().flatten();
            let others = others.filter(|(other, _)| self.are_same(**other, *name, driver));
            let total = others.fold(*amount, |total, (_, other)| total + *other);
            if total.amount_cmp(capacity.value).is_gt() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The error about a capacity that is requested by both of its names. Upstream walks a map, so
    /// either of them may come first.
    fn check_requested_once(
        self,
        requested: &[(Sym, Quantity)],
        driver: Sym,
    ) -> Result<(), String> {
        let mut names = requested.iter().map(|(name, _)| *name);
        while let Some(name) = names.next() {
            if let Some(other) = names.clone().find(|other| self.are_same(*other, name, driver)) {
                return Err(format!(
                    "capacity {:?} requested both as {:?} and as {:?}",
                    full_name(self.cluster, name, driver).1,
                    self.cluster.text(other),
                    self.cluster.text(name),
                ));
            }
        }
        Ok(())
    }

    /// Whether two capacity names of the driver denote the same capacity.
    fn are_same(self, a: Sym, b: Sym, driver: Sym) -> bool {
        a == b
            || (self.features.dra_capacity_by_full_name
                && full_name(self.cluster, a, driver) == full_name(self.cluster, b, driver))
    }

    /// The capacities that count: of two equal ones, the one with its full name.
    fn capacities<'p>(
        self,
        place: &PoolDevice<'p>,
    ) -> impl Iterator<Item = &'p (Sym, DeviceCapacity)> + use<'p, 'c> {
        let (all, driver) = (&place.device.capacity, place.id.driver);
        all.iter().filter(move |(name, _)| {
            self.is_full(*name)
                || !all
                    .iter()
                    .any(|(other, _)| self.is_full(*other) && self.are_same(*other, *name, driver))
        })
    }

    /// Whether the name says its domain.
    fn is_full(self, name: Sym) -> bool {
        self.cluster.text(name).contains('/')
    }

    /// The amount of each capacity that the request consumes, in the device's order.
    pub(super) fn consumed(
        self,
        want: &Want,
        place: &PoolDevice,
    ) -> Result<Vec<(Sym, Quantity)>, String> {
        let requested = want.capacity.as_deref().unwrap_or_default();
        let mut consumed = Vec::with_capacity(place.device.capacity.len());
        for (name, capacity) in self.capacities(place) {
            let same =
                requested.iter().filter(|(other, _)| self.are_same(*other, *name, place.id.driver));
            let wanted = same.map(|(_, amount)| *amount).next();
            let failed =
                |e: &str| format!("capacity {:?}: {e}", self.shown(*name, place.id.driver));
            if let Some(wanted) = wanted
                && self.features.dra_negative_requests_refused
                && wanted.is_negative()
            {
                return Err(failed(&format!("{NEGATIVE}: request {wanted}")));
            }
            let amount = self.taken(wanted, capacity).map_err(|e| failed(&e))?;
            if self.features.dra_strict_capacity && amount.is_negative() {
                return Err(failed(NEGATIVE));
            }
            consumed.push((*name, amount));
        }
        Ok(consumed)
    }

    /// A capacity's name as messages have it.
    fn shown(self, name: Sym, driver: Sym) -> String {
        if self.features.dra_capacity_by_full_name {
            let (domain, id) = full_name(self.cluster, name, driver);
            format!("{domain}/{id}")
        } else {
            self.cluster.text(name).to_owned()
        }
    }

    fn taken(
        self,
        wanted: Option<Quantity>,
        capacity: &DeviceCapacity,
    ) -> Result<Quantity, String> {
        let policy = capacity.policy.as_ref();
        let Some(wanted) = wanted else {
            return Ok(policy.and_then(|p| p.default).unwrap_or(capacity.value));
        };
        let Some(policy) = policy else { return Ok(wanted) };
        if let Some(range) = policy.valid_range
            && let Some(min) = range.min
        {
            return self.round_up(wanted, min, range);
        }
        let valid =
            policy.valid_values.iter().flatten().find(|valid| wanted.amount_cmp(**valid).is_le());
        Ok(valid.copied().unwrap_or(wanted))
    }

    fn round_up(
        self,
        wanted: Quantity,
        min: Quantity,
        range: ValidRange,
    ) -> Result<Quantity, String> {
        if wanted.amount_cmp(min).is_lt() {
            return Ok(min);
        }
        let Some(step) = range.step else { return Ok(wanted) };
        let milli = self.in_thousandths(range);
        let strict = self.features.dra_strict_capacity;
        let unrepresentable = |problem: &str| format!("{UNREPRESENTABLE}: {problem}");
        if strict && milli && wanted.as_thousandths().is_none() {
            return Err(unrepresentable(&format!(
                "request {wanted} is not a representable milli value"
            )));
        }
        if strict && !milli && is_above_range(wanted) {
            return Err(unrepresentable(&format!("request {wanted} exceeds MaxInt64")));
        }
        let (min, step) = (self.count(min, range), self.count(step, range));
        let added = self.count(wanted, range).wrapping_sub(min);
        // A step of 0 would make the scheduler panic; the API server rejects it.
        let Some(rest) = added.checked_rem(step) else { return Ok(wanted) };
        let steps = added.wrapping_div(step).wrapping_add(i64::from(rest != 0));
        // Parity: a negative minimum, which the API server rejects, is ignored, and the sum wraps.
        if strict && (milli || min >= 0) && steps > i64::MAX.wrapping_sub(min).wrapping_div(step) {
            let range = if milli { "the milli-value range" } else { "MaxInt64" };
            return Err(unrepresentable(&format!(
                "rounding request {wanted} up to the next step passes {range}"
            )));
        }
        let rounded = min.wrapping_add(step.wrapping_mul(steps));
        Ok(if milli { Quantity::from_milli(rounded) } else { Quantity::from_units(rounded) })
    }

    /// The quantity in the unit of the range: thousandths, or wholes.
    fn count(self, quantity: Quantity, range: ValidRange) -> i64 {
        if self.in_thousandths(range) { quantity.milli_value() } else { quantity.value() }
    }

    /// Whether all values of a range can be represented in thousandths.
    fn in_thousandths(self, range: ValidRange) -> bool {
        self.features.dra_fractional_capacity
            && [range.min, range.max, range.step]
                .into_iter()
                .flatten()
                .all(|q| q.as_thousandths().is_some())
            && range.step.and_then(Quantity::as_thousandths).is_none_or(|step| step >= 1)
    }

    fn violates(self, amount: Quantity, policy: &RequestPolicy) -> bool {
        if policy.default.is_some_and(|default| default.amount_cmp(amount).is_eq()) {
            return false;
        }
        if let Some(range) = policy.valid_range {
            if range.max.is_some_and(|max| amount.amount_cmp(max).is_gt()) {
                return true;
            }
            let Some(step) = range.step else { return false };
            if self.in_thousandths(range) && amount.as_thousandths().is_none() {
                return true;
            }
            let min = self.count(range.min.unwrap_or_default(), range);
            let above = self.count(amount, range).wrapping_sub(min);
            return above.checked_rem(self.count(step, range)).is_none_or(|rest| rest != 0);
        }
        let values = policy.valid_values.as_deref().unwrap_or_default();
        !values.is_empty() && !values.iter().any(|valid| valid.amount_cmp(amount).is_eq())
    }
}

/// The domain and the name in it; a name without a domain is in the driver's.
fn full_name(cluster: &Cluster, name: Sym, driver: Sym) -> (&str, &str) {
    cluster.text(name).split_once('/').unwrap_or((cluster.text(driver), cluster.text(name)))
}

fn is_above_range(quantity: Quantity) -> bool {
    quantity.amount_cmp(Quantity::from_units(i64::MAX)).is_gt()
}

//! The capacity that requests consume of a device which several claims share.
//!
//! Upstream: `incubating/consumable_capacity.go` (1.36, 1.37).

use super::in_use::ConsumedCapacity;
use crate::cluster::Cluster;
use crate::cluster::devices::{Capacity, Device, RequestPolicy, ValidRange, Want};
use crate::cluster::quantity::Quantity;
use crate::cluster::symbols::Sym;
use crate::profile::history::DynamicResources;

/// Upstream's error texts.
const UNREPRESENTABLE: &str = "capacity request cannot be represented in the device's range arithmetic";
const NEGATIVE: &str = "capacity value is negative";

/// How requested amounts are rounded and compared in a version.
#[derive(Clone, Copy)]
pub(super) struct CapacityRules<'c> {
    pub cluster: &'c Cluster,
    pub features: &'c DynamicResources,
}

impl CapacityRules<'_> {
    /// Whether the device has enough capacity for the request in addition to what `held` and `picked` consume. An error
    /// ends the cycle.
    pub(super) fn has_room(
        self,
        want: &Want,
        device: &Device,
        held: Option<&ConsumedCapacity>,
        picked: Option<&ConsumedCapacity>,
    ) -> Result<bool, String> {
        let requested = want.capacity.as_deref().unwrap_or_default();
        if requested.iter().any(|(name, _)| !device.capacity.iter().any(|(known, _)| known == name)) {
            return Ok(false);
        }
        let consumed = self.consumed(want, device)?;
        for ((name, capacity), (_, amount)) in device.capacity.iter().zip(&consumed) {
            if capacity.policy.as_ref().is_some_and(|policy| self.violates(*amount, policy)) {
                return Ok(false);
            }
            let others = [held, picked].into_iter().flatten().filter_map(|amounts| amounts.get(name));
            let total = others.fold(*amount, |total, other| total + *other);
            if total.amount_cmp(capacity.value).is_gt() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The amount of each capacity that the request consumes, in the device's order.
    pub(super) fn consumed(self, want: &Want, device: &Device) -> Result<Vec<(Sym, Quantity)>, String> {
        let requested = want.capacity.as_deref().unwrap_or_default();
        let mut consumed = Vec::with_capacity(device.capacity.len());
        for (name, capacity) in &device.capacity {
            let wanted = requested.iter().find(|(known, _)| known == name).map(|(_, amount)| *amount);
            let failed = |e: &str| format!("capacity {:?}: {e}", self.cluster.text(*name));
            let amount = self.taken(wanted, capacity).map_err(|e| failed(&e))?;
            if self.features.dra_strict_capacity && amount.is_negative() {
                return Err(failed(NEGATIVE));
            }
            consumed.push((*name, amount));
        }
        Ok(consumed)
    }

    fn taken(self, wanted: Option<Quantity>, capacity: &Capacity) -> Result<Quantity, String> {
        let policy = capacity.policy.as_ref();
        let Some(wanted) = wanted else { return Ok(policy.and_then(|p| p.default).unwrap_or(capacity.value)) };
        let Some(policy) = policy else { return Ok(wanted) };
        if let Some(range) = policy.valid_range
            && let Some(min) = range.min
        {
            return self.round_up(wanted, min, range);
        }
        let valid = policy.valid_values.iter().flatten().find(|valid| wanted.amount_cmp(**valid).is_le());
        Ok(valid.copied().unwrap_or(wanted))
    }

    fn round_up(self, wanted: Quantity, min: Quantity, range: ValidRange) -> Result<Quantity, String> {
        if wanted.amount_cmp(min).is_lt() {
            return Ok(min);
        }
        let Some(step) = range.step else { return Ok(wanted) };
        let milli = self.in_thousandths(range);
        let count = |q: Quantity| if milli { q.milli_value() } else { q.value() };
        let strict = self.features.dra_strict_capacity;
        let unrepresentable = |problem: &str| format!("{UNREPRESENTABLE}: {problem}");
        if strict && milli && wanted.as_thousandths().is_none() {
            return Err(unrepresentable(&format!("request {wanted} is not a representable milli value")));
        }
        if strict && !milli && is_above_range(wanted) {
            return Err(unrepresentable(&format!("request {wanted} exceeds MaxInt64")));
        }
        let (min, step) = (count(min), count(step));
        let added = count(wanted).wrapping_sub(min);
        // A step of 0 would make the scheduler panic; the API server rejects it.
        let Some(rest) = added.checked_rem(step) else { return Ok(wanted) };
        let steps = added.wrapping_div(step).wrapping_add(i64::from(rest != 0));
        // Parity: a negative minimum, which the API server rejects, is not looked at, and the sum wraps.
        if strict && (milli || min >= 0) && steps > i64::MAX.wrapping_sub(min).wrapping_div(step) {
            let range = if milli { "the milli-value range" } else { "MaxInt64" };
            return Err(unrepresentable(&format!("rounding request {wanted} up to the next step passes {range}")));
        }
        let rounded = min.wrapping_add(step.wrapping_mul(steps));
        Ok(if milli { Quantity::from_milli(rounded) } else { Quantity::from_units(rounded) })
    }

    /// Whether all values of a range can be represented in thousandths.
    fn in_thousandths(self, range: ValidRange) -> bool {
        self.features.dra_fractional_capacity
            && [range.min, range.max, range.step].into_iter().flatten().all(|q| q.as_thousandths().is_some())
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
            let milli = self.in_thousandths(range);
            if milli && amount.as_thousandths().is_none() {
                return true;
            }
            let count = |q: Quantity| if milli { q.milli_value() } else { q.value() };
            let above = count(amount).wrapping_sub(count(range.min.unwrap_or_default()));
            return above.checked_rem(count(step)).is_none_or(|rest| rest != 0);
        }
        let values = policy.valid_values.as_deref().unwrap_or_default();
        !values.is_empty() && !values.iter().any(|valid| valid.amount_cmp(amount).is_eq())
    }
}

fn is_above_range(quantity: Quantity) -> bool {
    quantity.amount_cmp(Quantity::from_units(i64::MAX)).is_gt()
}

//! Resource quantities: exact decimals with Kubernetes' grammar and rounding.
//!
//! Upstream: `apimachinery/pkg/api/resource/{quantity,amount,math,scale_int}.go` (1.37;
//! 1.38.0-alpha.2).

mod parse;

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, AddAssign, Sub, SubAssign};

use go::QuantitySuffix;

/// Units of 10^-9 in one.
const NANO: i128 = 1_000_000_000;
/// Amounts that differ by a multiple of this many units of 10^-9 have the same low 64 bits, both in
/// units and in thousandths.
const WRAP: i128 = NANO << 64;

/// An amount of a resource, exact to 10^-9, of either sign. Equality ignores the representation.
#[derive(Debug, Clone, Copy, Default)]
pub struct Quantity {
    /// Units of 10^-9; saturated for larger amounts.
    nano: i128,
    /// For such an amount, the remainder of division by [`WRAP`].
    beyond: i128,
    /// How upstream stores it, which decides the result of an overflow.
    held: Representation,
    /// Its suffix format.
    format: Format,
}

/// How upstream stores an amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Representation {
    /// As a 64-bit integer times this power of ten.
    Scaled(i32),
    /// As a decimal of any size.
    Decimal,
}

impl Default for Representation {
    fn default() -> Self {
        Self::Scaled(0)
    }
}

/// The suffixes with which an amount is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Format {
    /// `k`, `M`, `G`.
    #[default]
    Decimal,
    /// `e3`, `e6`.
    Exponent,
    /// `Ki`, `Mi`, `Gi`.
    Binary,
}

impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        self.nano == other.nano
    }
}

impl Eq for Quantity {}

impl PartialOrd for Quantity {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Quantity {
    fn cmp(&self, other: &Self) -> Ordering {
        self.nano.cmp(&other.nano)
    }
}

/// Why a text is not a quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuantityError {
    /// The text is empty.
    Empty,
    /// The text does not follow the grammar.
    Malformed,
}

impl std::error::Error for QuantityError {}

impl std::fmt::Display for QuantityError {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(match self {
            Self::Empty => "an empty text is not a quantity",
            Self::Malformed => "not a quantity; write digits with an optional suffix such as m, k, M, G, Ki, Mi, Gi",
        })
    }
}

impl Quantity {
    /// Nothing of it.
    pub const ZERO: Self = Self::from_units(0);

    /// A whole number of units.
    pub const fn from_units(units: i64) -> Self {
        Self {
            nano: units as i128 * NANO,
            beyond: 0,
            held: Representation::Scaled(0),
            format: Format::Decimal,
        }
    }

    /// A whole number of thousandths.
    pub const fn from_milli(milli: i64) -> Self {
        Self {
            nano: milli as i128 * (NANO / 1000),
            beyond: 0,
            held: Representation::Scaled(-3),
            format: Format::Decimal,
        }
    }

    /// Parses the text of a quantity. Surrounding white space is ignored, `null` is zero, digits
    /// below 10^-9 round away from zero, and amounts with a binary suffix are capped at 2^63-1. The
    /// representation is that of the stored object, in which the API server normalizes the text.
    ///
    /// # Errors
    /// [`QuantityError`] if the text is not in the grammar.
    pub fn parse(text: &str) -> Result<Self, QuantityError> {
        parse::parse(text)
    }

    /// Whole units, rounded away from zero. Out of range it wraps or becomes 0, depending on how
    /// upstream stores it.
    pub fn value(self) -> i64 {
        self.scaled(NANO, 0)
    }

    /// Thousandths, rounded away from zero; range as [`Self::value`].
    pub fn milli_value(self) -> i64 {
        self.scaled(NANO / 1000, -3)
    }

    /// [`Self::value`] in 1.38: saturates out of range.
    pub fn saturated_value(self) -> i64 {
        self.saturated(NANO)
    }

    /// [`Self::milli_value`] in 1.38, likewise.
    pub fn saturated_milli_value(self) -> i64 {
        self.saturated(NANO / 1000)
    }

    /// Whether [`Self::value`] or [`Self::milli_value`] overflows.
    pub fn is_huge(self) -> bool {
        self.nano.unsigned_abs() / (NANO as u128 / 1000) > i64::MAX as u128
    }

    /// Compares amounts across representations.
    #[must_use]
    pub fn compare(self, other: Self) -> Ordering {
        self.nano.cmp(&other.nano)
    }

    /// Whether it is below zero.
    pub fn is_negative(self) -> bool {
        self.nano < 0
    }

    /// Compares amounts across representations.
    #[must_use]
    pub fn amount_cmp(self, other: Self) -> Ordering {
        self.nano.cmp(&other.nano)
    }

    /// Whole units, if it is a whole number in range.
    #[must_use]
    pub fn as_units(self) -> Option<i64> {
        if self.nano % NANO == 0 { i64::try_from(self.nano / NANO).ok() } else { None }
    }

    /// Thousandths, if it is a whole number of them in range.
    #[must_use]
    pub fn as_thousandths(self) -> Option<i64> {
        let unit = NANO / 1000;
        if self.nano % unit == 0 { i64::try_from(self.nano / unit).ok() } else { None }
    }

    /// The nearest floating point number.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "approximate by name")]
    pub fn approximate(self) -> f64 {
        self.nano as f64 / NANO as f64
    }

    /// How many times `other` it is, as a floating point number.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "approximate, as upstream's float64")]
    pub fn times(self, other: Self) -> f64 {
        self.nano as f64 / other.nano as f64
    }

    /// So many times the amount.
    #[must_use]
    pub fn repeated(self, times: i64) -> Self {
        let nano = self.nano.saturating_mul(times.into()).max(-i128::MAX);
        Self { nano, beyond: 0, held: Representation::Decimal, format: self.format }
    }

    fn saturated(self, unit: i128) -> i64 {
        let limit = if self.nano < 0 { i64::MIN } else { i64::MAX };
        i64::try_from(self.rounded(unit)).unwrap_or(limit)
    }

    /// In this unit, rounded away from zero.
    const fn rounded(self, unit: i128) -> i128 {
        let quotient = self.nano / unit;
        if self.nano % unit == 0 { quotient } else { quotient + self.nano.signum() }
    }

    /// The amount in units of 10^`power`.
    fn scaled(self, unit: i128, power: i32) -> i64 {
        if self.is_beyond() && self.held == Representation::Decimal {
            let rest = self.rest();
            return (rest / unit + i128::from(rest % unit != 0)) as i64;
        }
        let rounded = self.rounded(unit);
        match (i64::try_from(rounded), self.held) {
            (Ok(value), _) => value,
            // Parity: these powers of ten have special multiplications, which keep the low 64 bits.
            (Err(_), Representation::Scaled(held))
                if ![1, 2, 3, 6, 9].contains(&(held - power)) =>
            {
                0
            }
            // Parity: the same applies to a decimal.
            (Err(_), Representation::Scaled(_) | Representation::Decimal) => rounded as i64,
        }
    }

    const fn is_beyond(self) -> bool {
        self.nano == i128::MAX || self.nano == -i128::MAX
    }

    /// The remainder of the amount after division by [`WRAP`].
    const fn rest(self) -> i128 {
        if self.is_beyond() { self.beyond } else { self.nano.rem_euclid(WRAP) }
    }

    /// How the sum of two amounts is stored: as an integer if both are and it fits.
    fn held_with(self, other: Self, nano: i128) -> Representation {
        match (self.held, other.held) {
            (Representation::Scaled(own), Representation::Scaled(_)) if other.nano == 0 => {
                Representation::Scaled(own)
            }
            (Representation::Scaled(_), Representation::Scaled(its)) if self.nano == 0 => {
                Representation::Scaled(its)
            }
            (Representation::Scaled(own), Representation::Scaled(its)) => {
                let power = own.min(its);
                let unit =
                    u32::try_from(power + 9).ok().and_then(|digits| 10i128.checked_pow(digits));
                // Such large powers occur only with few digits.
                let fits = unit.map_or(own == its, |unit| i64::try_from(nano / unit).is_ok());
                if fits { Representation::Scaled(power) } else { Representation::Decimal }
            }
            _ => Representation::Decimal,
        }
    }
}

impl Add for Quantity {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let nano = self.nano.saturating_add(other.nano).max(-i128::MAX);
        let beyond = (self.rest() + other.rest()) % WRAP;
        let format = if self.nano == 0 { other.format } else { self.format };
        Self { nano, beyond, held: self.held_with(other, nano), format }
    }
}

impl AddAssign for Quantity {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Quantity {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + Self { nano: -other.nano, beyond: (WRAP - other.beyond) % WRAP, ..other }
    }
}

impl SubAssign for Quantity {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

/// The problem with a quantity that is read as `instead`, or that Kubernetes would not accept or
/// add up.
pub(super) fn problem(quantity: Result<Quantity, QuantityError>, instead: &str) -> Option<String> {
    match quantity {
        Err(e) => Some(format!("is read as {instead}: {e}")),
        Ok(q) if q.is_negative() => Some("is negative; the API server would refuse it".into()),
        Ok(q) if q.is_huge() => Some("is too large to count; the scheduler's sum overflows".into()),
        Ok(_) => None,
    }
}

/// Maximum number of decimal digits in upstream's fast representation.
const FAST_DIGITS: u32 = 18;

/// A quantity as the API server writes it: its digits and their exponent.
///
/// Upstream: `apimachinery/pkg/api/resource/quantity.go` `CanonicalizeBytes` (1.37).
struct Canonical {
    negative: bool,
    digits: u128,
    suffix: QuantitySuffix,
}

impl Quantity {
    fn canonical(self) -> Canonical {
        let (negative, digits) = (self.nano < 0, self.nano.unsigned_abs());
        let unit = NANO.unsigned_abs();
        if digits == 0 {
            return Canonical { negative: false, digits, suffix: QuantitySuffix::Decimal(0) };
        }
        // Small and fractional amounts have no binary suffix.
        if self.format == Format::Binary && digits % unit == 0 && digits >= 1024 * unit {
            let (mut digits, mut bits) = (digits / unit, 0);
            while digits >= 1024 && digits % 1024 == 0 {
                (digits, bits) = (digits / 1024, bits + 10);
            }
            return Canonical { negative, digits, suffix: QuantitySuffix::Binary(bits) };
        }
        let (mut digits, mut power) = (digits, -9);
        while digits % 10 == 0 {
            (digits, power) = (digits / 10, power + 1);
        }
        while power % 3 != 0 {
            (digits, power) = (digits.saturating_mul(10), power - 1);
        }
        let suffix = if self.format == Format::Exponent {
            QuantitySuffix::Exponent(power)
        } else {
            QuantitySuffix::Decimal(power)
        };
        Canonical { negative, digits, suffix }
    }
}

impl Canonical {
    /// The stored representation; mirrors the choice that `ParseQuantity` makes.
    fn held(&self) -> Representation {
        let count = self.digits.checked_ilog10().unwrap_or(0) + 1;
        match self.suffix {
            QuantitySuffix::Decimal(power) | QuantitySuffix::Exponent(power)
                if count <= FAST_DIGITS =>
            {
                Representation::Scaled(power)
            }
            QuantitySuffix::Binary(bits) if count + bits * 3 / 10 < 15 => Representation::Scaled(0),
            QuantitySuffix::Decimal(_)
            | QuantitySuffix::Exponent(_)
            | QuantitySuffix::Binary(_) => Representation::Decimal,
        }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Canonical { negative, digits, suffix } = self.canonical();
        let sign = if negative { "-" } else { "" };
        write!(f, "{sign}{digits}{suffix}")
    }
}

#[cfg(test)]
mod tests;

//! Resource quantities: exact decimals with Kubernetes' grammar and rounding.
//!
//! Upstream: `apimachinery/pkg/api/resource/{quantity,amount,math,scale_int}.go` (1.37).

use std::cmp::Ordering;
use std::ops::{Add, AddAssign, Sub, SubAssign};

/// Units of 10^-9 in one.
const NANO: i128 = 1_000_000_000;
/// Decimal digits that upstream's fast representation takes.
const FAST_DIGITS: usize = 18;
/// Larger exponents leave no digit in range either way.
const MAX_EXPONENT: i32 = 60;

/// An amount of a resource, exact to 10^-9, any sign.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Quantity {
    nano: i128,
    /// Whether upstream holds it as a scaled 64-bit integer; decides what an overflow turns into.
    fast: Fast,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Fast {
    #[default]
    Yes,
    No,
}

/// Why a text is not a quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuantityError {
    /// Nothing there.
    Empty,
    /// Anything else.
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

enum Suffix {
    Binary(u32),
    Decimal(i32),
}

impl Quantity {
    /// Nothing of it.
    pub const ZERO: Self = Self { nano: 0, fast: Fast::Yes };

    /// A whole number of units.
    #[must_use]
    pub const fn from_units(units: i64) -> Self {
        Self { nano: units as i128 * NANO, fast: Fast::Yes }
    }

    /// A whole number of thousandths.
    #[must_use]
    pub const fn from_milli(milli: i64) -> Self {
        Self { nano: milli as i128 * (NANO / 1000), fast: Fast::Yes }
    }

    /// Parses the text of a quantity. Surrounding white space is ignored, `null` is zero, digits below 10^-9 round away
    /// from zero, amounts with a binary suffix are capped at 2^63-1.
    ///
    /// # Errors
    /// [`QuantityError`] when the text is not in the grammar.
    pub fn parse(text: &str) -> Result<Self, QuantityError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(QuantityError::Empty);
        }
        if text == "null" {
            return Ok(Self::ZERO);
        }
        let (negative, body) = match text.as_bytes().first() {
            Some(b'-') => (true, text.get(1..).unwrap_or_default()),
            Some(b'+') => (false, text.get(1..).unwrap_or_default()),
            _ => (false, text),
        };
        let whole_len = body.bytes().take_while(u8::is_ascii_digit).count();
        let (whole, rest) = body.split_at(whole_len);
        let (fraction, suffix) = match rest.strip_prefix('.') {
            Some(rest) => rest.split_at(rest.bytes().take_while(u8::is_ascii_digit).count()),
            None => ("", rest),
        };
        let suffix = parse_suffix(suffix).ok_or(QuantityError::Malformed)?;
        let whole = whole.trim_start_matches('0');
        let fraction = fraction.trim_end_matches('0');
        let fast = is_fast(whole, fraction, &suffix);
        let magnitude = match suffix {
            Suffix::Decimal(exponent) => decimal_nano(whole, fraction, exponent),
            Suffix::Binary(bits) => binary_nano(whole, fraction, bits).min(i128::from(i64::MAX) * NANO),
        };
        Ok(Self { nano: if negative { -magnitude } else { magnitude }, fast: if fast { Fast::Yes } else { Fast::No } })
    }

    /// Whole units, rounded away from zero. Out of range: 0 for what upstream holds as an integer, wrapped otherwise.
    #[must_use]
    pub fn value(self) -> i64 {
        self.scaled(NANO)
    }

    /// Thousandths, rounded away from zero; range as [`Self::value`].
    #[must_use]
    pub fn milli_value(self) -> i64 {
        self.scaled(NANO / 1000)
    }

    /// Whether [`Self::value`] or [`Self::milli_value`] overflows.
    #[must_use]
    pub fn is_huge(self) -> bool {
        self.nano.unsigned_abs() / (NANO as u128 / 1000) > i64::MAX as u128
    }

    /// Compares amounts, however they are held.
    #[must_use]
    pub fn compare(self, other: Self) -> Ordering {
        self.nano.cmp(&other.nano)
    }

    /// Whether it is below zero.
    #[must_use]
    pub fn is_negative(self) -> bool {
        self.nano < 0
    }

    /// Which of two amounts is larger, however they are held.
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

    /// A whole number of thousandths.
    #[must_use]
    pub const fn from_thousandths(thousandths: i64) -> Self {
        Self { nano: thousandths as i128 * (NANO / 1000), fast: Fast::Yes }
    }

    /// The nearest floating point number.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "approximate by name")]
    pub fn approximate(self) -> f64 {
        self.nano as f64 / NANO as f64
    }

    fn scaled(self, unit: i128) -> i64 {
        let quotient = self.nano / unit;
        let rounded = if self.nano % unit == 0 { quotient } else { quotient + self.nano.signum() };
        match (i64::try_from(rounded), self.fast) {
            (Ok(value), _) => value,
            (Err(_), Fast::Yes) => 0,
            // Parity: big.Int keeps the low 64 bits.
            (Err(_), Fast::No) => (rounded.unsigned_abs() as u64 as i64).wrapping_mul(rounded.signum() as i64),
        }
    }
}

impl Add for Quantity {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let fast = self.fast == Fast::Yes && other.fast == Fast::Yes;
        Self { nano: self.nano.saturating_add(other.nano), fast: if fast { Fast::Yes } else { Fast::No } }
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
        let nano = self.nano.saturating_sub(other.nano);
        let fast = self.fast == Fast::Yes && other.fast == Fast::Yes;
        Self { nano, fast: if fast { Fast::Yes } else { Fast::No } }
    }
}

impl SubAssign for Quantity {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

fn parse_suffix(suffix: &str) -> Option<Suffix> {
    Some(match suffix {
        "n" => Suffix::Decimal(-9),
        "u" => Suffix::Decimal(-6),
        "m" => Suffix::Decimal(-3),
        "" => Suffix::Decimal(0),
        "k" => Suffix::Decimal(3),
        "M" => Suffix::Decimal(6),
        "G" => Suffix::Decimal(9),
        "T" => Suffix::Decimal(12),
        "P" => Suffix::Decimal(15),
        "E" => Suffix::Decimal(18),
        "Ki" => Suffix::Binary(10),
        "Mi" => Suffix::Binary(20),
        "Gi" => Suffix::Binary(30),
        "Ti" => Suffix::Binary(40),
        "Pi" => Suffix::Binary(50),
        "Ei" => Suffix::Binary(60),
        _ => {
            let exponent = suffix.strip_prefix(['e', 'E'])?;
            let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
                return None;
            }
            Suffix::Decimal(exponent.parse().ok()?)
        }
    })
}

/// Mirrors the choice of representation in `ParseQuantity`.
fn is_fast(whole: &str, fraction: &str, suffix: &Suffix) -> bool {
    let digits = whole.len() + fraction.len();
    match suffix {
        Suffix::Decimal(exponent) => {
            digits <= FAST_DIGITS && i64::from(*exponent) - i64::try_from(fraction.len()).unwrap_or(i64::MAX) >= -9
        }
        Suffix::Binary(bits) => fraction.is_empty() && digits + (*bits as usize * 3 / 10) < 15,
    }
}

/// `whole.fraction * 10^exponent` in units of 10^-9, rounded up; saturates.
fn decimal_nano(whole: &str, fraction: &str, exponent: i32) -> i128 {
    let Some(digits) = digits(whole, fraction) else { return i128::MAX };
    if digits == 0 {
        return 0;
    }
    let places = i32::try_from(fraction.len()).unwrap_or(i32::MAX);
    let shift = exponent.clamp(-MAX_EXPONENT, MAX_EXPONENT).saturating_add(9).saturating_sub(places);
    match (u32::try_from(shift), u32::try_from(shift.saturating_neg())) {
        (Ok(up), _) => 10i128.checked_pow(up).and_then(|p| digits.checked_mul(p)).unwrap_or(i128::MAX),
        (_, Ok(down)) => 10i128.checked_pow(down).map_or(1, |p| div_up(digits, p)),
        _ => i128::MAX,
    }
}

/// `whole.fraction * 2^bits` in units of 10^-9, rounded up; saturates.
fn binary_nano(whole: &str, fraction: &str, bits: u32) -> i128 {
    let unit = 1i128 << bits;
    let whole = whole.parse::<i128>().or_else(|e| if whole.is_empty() { Ok(0) } else { Err(e) });
    let Some(whole) = whole.ok().and_then(|w| w.checked_mul(unit)).and_then(|w| w.checked_mul(NANO)) else {
        return i128::MAX;
    };
    // 18 digits of a fraction are more than 10^-9 of 2^60 needs to round up or not.
    let kept = fraction.get(..fraction.len().min(18)).unwrap_or_default();
    let Ok(numerator) = kept.parse::<i128>() else { return whole };
    let more = i128::from(fraction.len() > kept.len());
    let denominator = 10i128.pow(u32::try_from(kept.len()).unwrap_or(0));
    // Split so that the product stays within 128 bits: numerator * 2^bits < 2^120, times 10^9 would not.
    let product = (numerator + more) * unit;
    let (quotient, remainder) = (product / denominator, product % denominator);
    whole.saturating_add(quotient.saturating_mul(NANO)).saturating_add(div_up(remainder * NANO, denominator))
}

fn digits(whole: &str, fraction: &str) -> Option<i128> {
    let mut value: i128 = 0;
    for digit in whole.bytes().chain(fraction.bytes()) {
        value = value.checked_mul(10)?.checked_add(i128::from(digit - b'0'))?;
    }
    Some(value)
}

fn div_up(numerator: i128, denominator: i128) -> i128 {
    numerator / denominator + i128::from(numerator % denominator != 0)
}

/// What is wrong with a quantity that is read as `instead`, or that Kubernetes would not accept or sum up.
pub(super) fn problem(quantity: Result<Quantity, QuantityError>, instead: &str) -> Option<String> {
    match quantity {
        Err(e) => Some(format!("is read as {instead}: {e}")),
        Ok(q) if q.is_negative() => Some("is negative; the API server would refuse it".into()),
        Ok(q) if q.is_huge() => Some("is too large to count; the scheduler's sum overflows".into()),
        Ok(_) => None,
    }
}

#[cfg(test)]
mod tests;

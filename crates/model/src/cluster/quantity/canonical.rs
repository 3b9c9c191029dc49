//! How the API server writes a quantity. Upstream: `apimachinery/pkg/api/resource/quantity.go`
//! `CanonicalizeBytes` (1.37).

use std::fmt;

use go::QuantitySuffix;

use super::{Format, NANO, Quantity, Representation};

/// Maximum number of decimal digits in upstream's fast representation.
const FAST_DIGITS: u32 = 18;

/// The digits of a quantity and their exponent.
pub(super) struct Canonical {
    negative: bool,
    digits: u128,
    suffix: QuantitySuffix,
}

impl Quantity {
    pub(super) fn canonical(self) -> Canonical {
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
    pub(super) fn held(&self) -> Representation {
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

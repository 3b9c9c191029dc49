//! How the API server writes a quantity. Upstream: `apimachinery/pkg/api/resource/quantity.go`
//! `CanonicalizeBytes` (1.37).

use std::fmt;

use super::{Format, NANO, Quantity, Representation};

/// Maximum number of decimal digits in upstream's fast representation.
const FAST_DIGITS: u32 = 18;

/// The digits of a quantity and their exponent.
pub(super) struct Canonical {
    negative: bool,
    digits: u128,
    suffix: Suffix,
}

/// The suffix after the digits.
enum Suffix {
    /// A power of two: a multiple of ten.
    Binary(u32),
    /// A power of ten: a multiple of three.
    Decimal(i32),
    /// The same, as an exponent.
    Exponent(i32),
}

impl Quantity {
    pub(super) fn canonical(self) -> Canonical {
        let (negative, digits) = (self.nano < 0, self.nano.unsigned_abs());
        let unit = NANO.unsigned_abs();
        if digits == 0 {
            return Canonical { negative: false, digits, suffix: Suffix::Decimal(0) };
        }
        // Small and fractional amounts have no binary suffix.
        if self.format == Format::Binary && digits % unit == 0 && digits >= 1024 * unit {
            let (mut digits, mut bits) = (digits / unit, 0);
            while digits >= 1024 && digits % 1024 == 0 {
                (digits, bits) = (digits / 1024, bits + 10);
            }
            return Canonical { negative, digits, suffix: Suffix::Binary(bits) };
        }
        let (mut digits, mut power) = (digits, -9);
        while digits % 10 == 0 {
            (digits, power) = (digits / 10, power + 1);
        }
        while power % 3 != 0 {
            (digits, power) = (digits.saturating_mul(10), power - 1);
        }
        let suffix = if self.format == Format::Exponent {
            Suffix::Exponent(power)
        } else {
            Suffix::Decimal(power)
        };
        Canonical { negative, digits, suffix }
    }
}

impl Canonical {
    /// The stored representation; mirrors the choice that `ParseQuantity` makes.
    pub(super) fn held(&self) -> Representation {
        let count = self.digits.checked_ilog10().unwrap_or(0) + 1;
        match self.suffix {
            Suffix::Decimal(power) | Suffix::Exponent(power) if count <= FAST_DIGITS => {
                Representation::Scaled(power)
            }
            Suffix::Binary(bits) if count + bits * 3 / 10 < 15 => Representation::Scaled(0),
            Suffix::Decimal(_) | Suffix::Exponent(_) | Suffix::Binary(_) => Representation::Decimal,
        }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Canonical { negative, digits, suffix } = self.canonical();
        let sign = if negative { "-" } else { "" };
        match suffix {
            Suffix::Exponent(power) if power != 0 => write!(f, "{sign}{digits}e{power}"),
            Suffix::Exponent(_) => write!(f, "{sign}{digits}"),
            Suffix::Decimal(power) => write!(f, "{sign}{digits}{}", decimal(power)),
            Suffix::Binary(bits) => write!(f, "{sign}{digits}{}", binary(bits)),
        }
    }
}

/// Parity: powers beyond the suffixes get none.
fn decimal(power: i32) -> &'static str {
    match power {
        -9 => "n",
        -6 => "u",
        -3 => "m",
        3 => "k",
        6 => "M",
        9 => "G",
        12 => "T",
        15 => "P",
        18 => "E",
        _ => "",
    }
}

fn binary(bits: u32) -> &'static str {
    match bits {
        10 => "Ki",
        20 => "Mi",
        30 => "Gi",
        40 => "Ti",
        50 => "Pi",
        60 => "Ei",
        _ => "",
    }
}

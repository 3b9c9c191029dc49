//! The suffixes of Kubernetes' quantities, which is no part of Go, but of every crate's input.
//!
//! Upstream: `apimachinery/pkg/api/resource/suffix.go` (1.37).

use std::fmt;

/// By how much a suffix multiplies the digits before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuantitySuffix {
    /// `Ki`, `Mi`, `Gi`: by this power of two.
    Binary(u32),
    /// `k`, `M`, `G`: by this power of ten.
    Decimal(i32),
    /// `e3`, `E-3`: by this power of ten.
    Exponent(i32),
}

/// Each is 2^10 times the one before it.
const BINARY: [&str; 6] = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
/// Each is 10^3 times the one before it; the first is 10^-9.
const DECIMAL: [&str; 10] = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];

impl QuantitySuffix {
    /// Parses a suffix; `None` if it is none.
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(at) = BINARY.iter().position(|suffix| *suffix == text) {
            return Some(Self::Binary(10 * (at as u32 + 1)));
        }
        match DECIMAL.iter().position(|suffix| *suffix == text) {
            Some(at) => Some(Self::Decimal(3 * at as i32 - 9)),
            None => text.strip_prefix(['e', 'E'])?.parse().ok().map(Self::Exponent),
        }
    }
}

/// Parity: powers beyond the suffixes get none.
impl fmt::Display for QuantitySuffix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (known, at) = match *self {
            Self::Exponent(0) => return Ok(()),
            Self::Exponent(power) => return write!(f, "e{power}"),
            Self::Binary(bits) => (&BINARY[..], i64::from(bits / 10) - 1),
            Self::Decimal(power) => (&DECIMAL[..], i64::from(power / 3) + 3),
        };
        let suffix = usize::try_from(at).ok().and_then(|at| known.get(at));
        f.write_str(suffix.copied().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::QuantitySuffix::{self, Binary, Decimal, Exponent};

    #[test]
    fn suffixes_are_written_as_they_are_read() {
        for (text, suffix) in [
            ("Ki", Binary(10)),
            ("Ei", Binary(60)),
            ("n", Decimal(-9)),
            ("", Decimal(0)),
            ("E", Decimal(18)),
            ("e-3", Exponent(-3)),
            ("e12", Exponent(12)),
        ] {
            assert_eq!(QuantitySuffix::parse(text), Some(suffix));
            assert_eq!(suffix.to_string(), text);
        }
        assert_eq!(QuantitySuffix::parse("E+3"), Some(Exponent(3)));
        for text in ["K", "ki", "e", "E+", "e1.5", "mm", "x"] {
            assert_eq!(QuantitySuffix::parse(text), None, "{text}");
        }
        assert_eq!(
            [Decimal(21), Decimal(-12), Binary(70), Exponent(0)].map(|s| s.to_string()),
            [""; 4]
        );
    }
}

//! Arbitrary-precision natural numbers in decimal, for quantities with hundreds of digits.

use std::cmp::Ordering;

/// A natural number: digits from the lowest, without leading zeros.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Digits(Vec<u8>);

impl Digits {
    pub fn parse(text: &str) -> Option<Self> {
        let digits: Option<Vec<u8>> =
            text.bytes().rev().map(|b| b.is_ascii_digit().then(|| b - b'0')).collect();
        Some(Self(digits?).trimmed())
    }

    fn trimmed(mut self) -> Self {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
        self
    }

    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// Times ten to the power of `zeros`.
    pub fn shifted(&self, zeros: usize) -> Self {
        if self.is_zero() {
            return Self::default();
        }
        Self(std::iter::repeat_n(0, zeros).chain(self.0.iter().copied()).collect())
    }

    /// Drops the lowest `count` digits, and returns whether any was not zero.
    pub fn cut(&self, count: usize) -> (Self, bool) {
        let lost = self.0.iter().take(count).any(|d| *d != 0);
        (Self(self.0.iter().skip(count).copied().collect()), lost)
    }

    pub fn times(&self, factor: u32) -> Self {
        let (mut digits, mut carry) = (Vec::with_capacity(self.0.len() + 10), 0u64);
        for digit in &self.0 {
            carry += u64::from(*digit) * u64::from(factor);
            digits.push((carry % 10) as u8);
            carry /= 10;
        }
        while carry > 0 {
            digits.push((carry % 10) as u8);
            carry /= 10;
        }
        Self(digits).trimmed()
    }

    pub fn plus(&self, other: &Self) -> Self {
        let (mut digits, mut carry) = (Vec::new(), 0);
        for at in 0..=self.0.len().max(other.0.len()) {
            carry += self.digit(at) + other.digit(at);
            digits.push(carry % 10);
            carry /= 10;
        }
        Self(digits).trimmed()
    }

    /// Subtracts a number that is not larger.
    pub fn minus(&self, other: &Self) -> Self {
        let (mut digits, mut borrow) = (Vec::new(), 0);
        for at in 0..self.0.len() {
            let (have, need) = (self.digit(at), other.digit(at) + borrow);
            borrow = u8::from(have < need);
            digits.push(have + 10 * borrow - need);
        }
        Self(digits).trimmed()
    }

    fn digit(&self, at: usize) -> u8 {
        self.0.get(at).copied().unwrap_or(0)
    }

    pub fn compare(&self, other: &Self) -> Ordering {
        self.0.len().cmp(&other.0.len()).then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }

    /// The number of trailing zeros.
    pub fn zeros(&self) -> usize {
        self.0.iter().take_while(|d| **d == 0).count()
    }

    /// Divides by 1024, if that leaves no remainder.
    pub fn by_1024(&self) -> Option<Self> {
        let (mut quotient, mut rest) = (Vec::new(), 0u32);
        for digit in self.0.iter().rev() {
            rest = rest * 10 + u32::from(*digit);
            quotient.push((rest / 1024) as u8);
            rest %= 1024;
        }
        quotient.reverse();
        (rest == 0).then(|| Self(quotient).trimmed())
    }
}

impl std::fmt::Display for Digits {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        if self.is_zero() {
            return f.write_str("0");
        }
        self.0.iter().rev().try_for_each(|d| write!(f, "{d}"))
    }
}

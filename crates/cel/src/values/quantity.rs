//! Quantities in upstream's representation. Whether a quantity is held as a scaled integer or as a
//! large decimal decides whether it converts to an integer, and comparing may change it.
//!
//! Upstream: `apimachinery/pkg/api/resource/{quantity,amount,math,suffix}.go`, `gopkg.in/inf.v0`.

use std::cmp::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use go::QuantitySuffix;

use crate::release::Release;

const MALFORMED: &str =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const NO_NUMBER: &str = "unable to parse numeric part of quantity";
const NO_SUFFIX: &str = "unable to parse quantity's suffix";
/// The most digits of the integer representation.
const fn fast_digits(release: &Release) -> i32 {
    if release.quantities_have_all_digits { 19 } else { 18 }
}

/// A quantity. Clones share one object.
#[derive(Debug, Clone)]
pub(crate) struct QuantityValue {
    held: Arc<Mutex<QuantityForm>>,
    /// Whether upstream holds a pointer to it: the result of a sum.
    pointer: bool,
}

#[derive(Debug, Clone)]
struct QuantityForm {
    amount: Amount,
    format: QuantityFormat,
    /// The source text, if it is canonical.
    text: Option<String>,
}

#[derive(Debug, Clone)]
enum Amount {
    /// A value times ten to the power of a scale.
    Fast(i64, i32),
    /// Parity: before 1.37, a quantity and its copy share a large decimal.
    Large(Arc<Mutex<Large>>),
}

/// A decimal: digits divided by ten to the power of a scale.
#[derive(Debug, Clone)]
struct Large {
    negative: bool,
    digits: Digits,
    scale: i32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum QuantityFormat {
    DecimalExponent,
    Binary,
    Decimal,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl QuantityValue {
    fn new(amount: Amount, format: QuantityFormat, text: Option<String>) -> Self {
        Self { held: Arc::new(Mutex::new(QuantityForm { amount, format, text })), pointer: false }
    }

    /// A whole number.
    pub fn from_int(value: i64) -> Self {
        Self::new(Amount::Fast(value, 0), QuantityFormat::DecimalExponent, None)
    }

    pub const fn is_pointer(&self) -> bool {
        self.pointer
    }

    /// Whether both are the same object.
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.held, &other.held) && self.pointer == other.pointer
    }

    /// A deep copy, except that a large decimal stays shared.
    pub fn copy(&self) -> Self {
        Self { held: Arc::new(Mutex::new(lock(&self.held).clone())), pointer: self.pointer }
    }

    pub fn parse(text: &str, release: &Release) -> Result<Self, &'static str> {
        if text.is_empty() {
            return Err(MALFORMED);
        }
        if text == "0" {
            return Ok(Self::new(Amount::Fast(0, 0), QuantityFormat::Decimal, Some(text.into())));
        }
        let Parts { negative, whole, fraction, suffix } = Parts::of(text).ok_or(MALFORMED)?;
        let (exponent, mut format) = match QuantitySuffix::parse(suffix).ok_or(NO_SUFFIX)? {
            QuantitySuffix::Binary(bits) => (bits as i32, QuantityFormat::Binary),
            QuantitySuffix::Decimal(power) => (power, QuantityFormat::Decimal),
            QuantitySuffix::Exponent(power) => (power, QuantityFormat::DecimalExponent),
        };
        let binary = format == QuantityFormat::Binary;
        let digits = format!("{whole}{fraction}");
        let (whole_length, fraction_length) = (length(whole), length(fraction));
        // Upstream computes with 64 bits where that many digits fit; a negative precision rules
        // that out.
        let (precision, scale, mantissa) = if binary {
            #[expect(clippy::cast_precision_loss, reason = "as upstream")]
            let taken = (exponent as f32 * 3.0 / 10.0) as i32;
            let fast = fraction.is_empty();
            (
                if fast { 15 - whole_length - taken - 1 } else { -1 },
                0,
                1i64.wrapping_shl(exponent.unsigned_abs()),
            )
        } else {
            (fast_digits(release) - whole_length - fraction_length, exponent, 1)
        };
        if precision >= 0 && scale - fraction_length >= -9 {
            let scale = scale - fraction_length;
            let signed =
                if negative { format!("-{digits}").parse() } else { digits.parse::<i64>() };
            let value = match signed {
                Ok(value) => Some(value),
                Err(_) if !release.quantities_have_all_digits || digits.is_empty() => {
                    return Err(NO_NUMBER);
                }
                Err(_) => None,
            };
            if let Some(signed) = value.and_then(|value| value.checked_mul(mantissa)) {
                // The text is kept where it is what upstream would write.
                let canonical = if binary {
                    exponent % 10 == 0 && value.is_some_and(|value| value & 7 != 0)
                } else {
                    scale % 3 == 0 && !digits.ends_with("000") && !digits.starts_with('0')
                };
                let canonical = canonical && digits.len() < 19;
                return Ok(Self::new(
                    Amount::Fast(signed, scale),
                    format,
                    canonical.then(|| text.into()),
                ));
            }
        }

        // Everything else is a decimal of any length, rounded up to nine digits of a fraction.
        let digits = Digits::parse(&digits).ok_or(NO_NUMBER)?;
        let mut large = Large { negative: false, digits, scale: fraction_length };
        if binary {
            for _ in 0..exponent / 10 {
                large.digits = large.digits.times(1024);
            }
        } else {
            large.scale -= exponent;
        }
        if !large.digits.is_zero() {
            large.round_up(9);
        }

        // Parity: only amounts with a binary suffix are capped, and those below 1 are written in
        // decimal.
        let most = Large::of(i64::MAX, 0);
        if binary && large.compare(&most) == Ordering::Greater {
            large = most;
        }
        let is_below_one = large.compare(&Large::of(1, 0)) == Ordering::Less;
        if binary && !large.digits.is_zero() && is_below_one {
            format = QuantityFormat::Decimal;
        }
        large.negative = negative && !large.digits.is_zero();
        Ok(Self::new(Amount::Large(Arc::new(Mutex::new(large))), format, None))
    }

    /// -1, 0 or 1.
    pub fn sign(&self) -> i64 {
        match &lock(&self.held).amount {
            Amount::Fast(value, _) => value.signum(),
            Amount::Large(large) => lock(large).sign(),
        }
    }

    /// The value as an integer, if upstream holds it as one.
    pub fn as_int(&self) -> Option<i64> {
        match &lock(&self.held).amount {
            Amount::Fast(value, scale) => {
                let factor = 10i64.checked_pow(u32::try_from(*scale).ok()?);
                if *value == 0 && *scale > 0 { Some(0) } else { value.checked_mul(factor?) }
            }
            Amount::Large(_) => None,
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "approximate by name")]
    pub fn approximate(&self) -> f64 {
        let (base, exponent) = match &lock(&self.held).amount {
            Amount::Fast(value, scale) => (*value as f64, *scale),
            Amount::Large(large) => {
                let large = lock(large);
                let base: f64 = large.digits.to_string().parse().unwrap_or(f64::INFINITY);
                (if large.negative { -base } else { base }, -large.scale)
            }
        };
        if exponent == 0 { base } else { base * power_of_ten(exponent) }
    }

    /// Parity: comparing with a large decimal converts this one to a large decimal.
    pub fn compare(&self, other: &Self) -> Ordering {
        let other = other.copy();
        let both_fast = {
            let (one, two) = (lock(&self.held), lock(&other.held));
            match (&one.amount, &two.amount) {
                (Amount::Fast(a, a_scale), Amount::Fast(b, b_scale)) => {
                    Some(Large::of(*a, *a_scale).compare(&Large::of(*b, *b_scale)))
                }
                _ => None,
            }
        };
        both_fast.unwrap_or_else(|| {
            let (one, two) = (self.large(), other.large());
            let one = lock(&one).clone();
            let two = lock(&two).clone();
            one.compare(&two)
        })
    }

    /// Converts it to a large decimal, permanently.
    fn large(&self) -> Arc<Mutex<Large>> {
        let mut held = lock(&self.held);
        if let Amount::Fast(value, scale) = held.amount {
            held.amount = Amount::Large(Arc::new(Mutex::new(Large::of(value, scale))));
        }
        match &held.amount {
            Amount::Large(large) => large.clone(),
            Amount::Fast(value, scale) => Arc::new(Mutex::new(Large::of(*value, *scale))),
        }
    }

    /// Adds or subtracts. Unless `copied`, a large decimal is modified in place.
    pub fn plus(&self, other: &Self, minus: bool, release: &Release) -> Self {
        let mut sum = self.copy();
        sum.pointer = true;
        if release.quantities_are_copied {
            let mut held = lock(&sum.held);
            if let Amount::Large(large) = &held.amount {
                let own = lock(large).clone();
                held.amount = Amount::Large(Arc::new(Mutex::new(own)));
            }
        }
        // Where both are scaled integers and the sum is one, it stays so. A sum with zero has the
        // format of the other operand.
        let other = other.copy();
        {
            let mut held = lock(&sum.held);
            held.text = None;
            let theirs = lock(&other.held);
            let zero = match &held.amount {
                Amount::Fast(value, _) => *value == 0,
                Amount::Large(large) => lock(large).digits.is_zero(),
            };
            if zero {
                held.format = theirs.format;
            }
            if let (Amount::Fast(a, a_scale), Amount::Fast(b, b_scale)) =
                (&held.amount, &theirs.amount)
            {
                // The smallest integer has no negative.
                let fits = !(minus && *b == i64::MIN && release.quantities_have_all_digits);
                let b = if minus { b.wrapping_neg() } else { *b };
                if fits && let Some((value, scale)) = fast_sum((*a, *a_scale), (b, *b_scale)) {
                    held.amount = Amount::Fast(value, scale);
                    drop(held);
                    return sum;
                }
            }
        }
        let (one, two) = (sum.large(), other.large());
        let mut two = lock(&two).clone();
        two.negative ^= minus;
        let mut one = lock(&one);
        *one = one.plus(&two);
        drop(one);
        sum
    }

    /// The canonical text.
    pub fn to_text(&self) -> String {
        let held = lock(&self.held);
        if let Some(text) = &held.text {
            return text.clone();
        }
        let large = match &held.amount {
            Amount::Fast(value, scale) => Large::of(*value, *scale),
            Amount::Large(large) => lock(large).clone(),
        };
        if large.digits.is_zero() {
            return "0".into();
        }

        // In binary, the text is the number that remains when it has been divided by 1024 as often
        // as that leaves no remainder. What is below 1024 or has a fraction is written in decimal.
        let sign = if large.negative { "-" } else { "" };
        if held.format == QuantityFormat::Binary {
            let magnitude = Large { negative: false, ..large.clone() };
            let mut whole = magnitude.clone();
            whole.round_up(0);
            let small = magnitude.compare(&Large::of(1024, 0)) == Ordering::Less;
            if !small && whole.compare(&magnitude) == Ordering::Equal {
                let mut digits = whole.digits.shifted(usize::try_from(-whole.scale).unwrap_or(0));
                let mut power = 0;
                while let Some(quotient) = digits.by_1024() {
                    (digits, power) = (quotient, power + 1);
                }
                let suffix = QuantitySuffix::Binary(10 * power);
                return format!("{sign}{digits}{suffix}");
            }
        }

        // In decimal, the exponent is the largest multiple of three that leaves a whole number.
        let zeros = large.digits.zeros();
        let (mut digits, _) = large.digits.cut(zeros);
        let mut exponent = i32::try_from(zeros).unwrap_or(0) - large.scale;
        while exponent % 3 != 0 {
            digits = digits.shifted(1);
            exponent -= 1;
        }
        let suffix = match held.format {
            QuantityFormat::DecimalExponent => QuantitySuffix::Exponent(exponent),
            QuantityFormat::Binary | QuantityFormat::Decimal => QuantitySuffix::Decimal(exponent),
        };
        format!("{sign}{digits}{suffix}")
    }
}

fn length(text: &str) -> i32 {
    i32::try_from(text.len()).unwrap_or(i32::MAX / 4)
}

/// Go's `math.Pow10`.
fn power_of_ten(exponent: i32) -> f64 {
    match exponent {
        0..=308 => parsed_power(exponent / 32 * 32) * parsed_power(exponent % 32),
        -323..0 => parsed_power(-(-exponent / 32 * 32)) / parsed_power(-exponent % 32),
        309.. => f64::INFINITY,
        _ => 0.0,
    }
}

/// The number nearest to a power of ten.
fn parsed_power(exponent: i32) -> f64 {
    format!("1e{exponent}").parse().unwrap_or(0.0)
}

fn fast_sum((a, a_scale): (i64, i32), (b, b_scale): (i64, i32)) -> Option<(i64, i32)> {
    if b == 0 {
        return Some((a, a_scale));
    }
    if a == 0 {
        return Some((b, b_scale));
    }
    let scaled =
        |value: i64, by: i32| value.checked_mul(10i64.checked_pow(u32::try_from(by).ok()?)?);
    let scale = a_scale.min(b_scale);
    Some((scaled(a, a_scale - scale)?.checked_add(scaled(b, b_scale - scale)?)?, scale))
}

impl Large {
    fn of(value: i64, scale: i32) -> Self {
        let digits = Digits::parse(&value.unsigned_abs().to_string()).unwrap_or_default();
        Self { negative: value < 0, digits, scale: -scale }
    }

    fn sign(&self) -> i64 {
        match (self.digits.is_zero(), self.negative) {
            (true, _) => 0,
            (_, true) => -1,
            (_, false) => 1,
        }
    }

    /// Rounds away from zero to a number of decimals, and pads with zeros, as upstream's rescaling
    /// does.
    fn round_up(&mut self, scale: i32) {
        if self.scale > scale {
            let (digits, lost) =
                self.digits.cut(usize::try_from(self.scale - scale).unwrap_or(usize::MAX));
            let one = Digits::parse("1").unwrap_or_default();
            self.digits = if lost { digits.plus(&one) } else { digits };
        } else {
            self.digits = self.digits.shifted(usize::try_from(scale - self.scale).unwrap_or(0));
        }
        self.scale = scale;
    }

    fn aligned(&self, other: &Self) -> (Digits, Digits, i32) {
        let scale = self.scale.max(other.scale);
        let [own, others] = [self, other].map(|number| {
            number.digits.shifted(usize::try_from(scale - number.scale).unwrap_or(0))
        });
        (own, others, scale)
    }

    fn compare(&self, other: &Self) -> Ordering {
        let signs = self.sign().cmp(&other.sign());
        let (a, b, _) = self.aligned(other);
        signs.then_with(|| if self.negative { b.compare(&a) } else { a.compare(&b) })
    }

    fn plus(&self, other: &Self) -> Self {
        let (a, b, scale) = self.aligned(other);
        let (negative, digits) = if self.negative == other.negative {
            (self.negative, a.plus(&b))
        } else if a.compare(&b) == Ordering::Less {
            (other.negative, b.minus(&a))
        } else {
            (self.negative, a.minus(&b))
        };
        Self { negative: negative && !digits.is_zero(), digits, scale }
    }
}

/// The parts of the text of a quantity.
struct Parts<'t> {
    pub negative: bool,
    pub whole: &'t str,
    pub fraction: &'t str,
    pub suffix: &'t str,
}

impl<'t> Parts<'t> {
    pub fn of(text: &'t str) -> Option<Self> {
        let negative = text.starts_with('-');
        let body = text.strip_prefix(['-', '+']).unwrap_or(text);
        let body = body.trim_start_matches('0');
        if body.is_empty() {
            return Some(Self { negative, whole: "0", fraction: "", suffix: "" });
        }
        let (mut whole, mut rest) = split_digits(body);
        if whole.is_empty() {
            whole = "0";
        }
        let mut fraction = "";
        if let Some(behind) = rest.strip_prefix('.') {
            (fraction, rest) = split_digits(behind);
        }
        // The rest is letters, and a signed number for an exponent.
        let letters = rest.bytes().take_while(|b| b"eEinumkKMGTP".contains(b)).count();
        let behind = rest.get(letters..)?;
        let behind = behind.strip_prefix(['-', '+']).unwrap_or(behind);
        behind.bytes().all(|b| b.is_ascii_digit()).then_some(Self {
            negative,
            whole,
            fraction,
            suffix: rest,
        })
    }
}

/// The digits at the beginning of a text, and the rest.
fn split_digits(text: &str) -> (&str, &str) {
    text.split_at(text.bytes().take_while(u8::is_ascii_digit).count())
}

/// A natural number of any length in decimal: digits from the lowest, without leading zeros.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Digits(Vec<u8>);

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

//! Numbers and texts as bytes: a number has seven bits in each byte, a text its length before it.

use jiff::Timestamp;

use super::Unusable::{self, Damaged};
use super::{Uid, Version, When};

/// The remaining bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bytes<'a>(pub &'a [u8]);

impl<'a> Bytes<'a> {
    fn byte(&mut self) -> Result<u8, Unusable> {
        let (byte, rest) = self.0.split_first().ok_or(Damaged)?;
        self.0 = rest;
        Ok(*byte)
    }

    pub(super) fn number64(&mut self) -> Result<u64, Unusable> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f).checked_shl(shift).ok_or(Damaged)?;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(Damaged)
    }

    pub(super) fn number(&mut self) -> Result<usize, Unusable> {
        usize::try_from(self.number64()?).map_err(|_| Damaged)
    }

    pub(super) fn number32(&mut self) -> Result<u32, Unusable> {
        u32::try_from(self.number64()?).map_err(|_| Damaged)
    }

    /// The number of elements that follow, each at least a byte long.
    pub(super) fn count(&mut self) -> Result<usize, Unusable> {
        self.number().and_then(|count| if count <= self.0.len() { Ok(count) } else { Err(Damaged) })
    }

    /// Bytes, prefixed with their number.
    pub(super) fn slice(&mut self) -> Result<&'a [u8], Unusable> {
        let length = self.number()?;
        let (bytes, rest) = self.0.split_at_checked(length).ok_or(Damaged)?;
        self.0 = rest;
        Ok(bytes)
    }

    pub(super) fn text(&mut self) -> Result<&'a str, Unusable> {
        std::str::from_utf8(self.slice()?).map_err(|_| Damaged)
    }

    /// `count` texts, which are not parsed yet.
    pub(super) fn texts(&mut self, count: usize) -> Result<Self, Unusable> {
        let before = self.0;
        for _ in 0..count {
            self.text()?;
        }
        Ok(Self(before.get(..before.len() - self.0.len()).unwrap_or_default()))
    }

    pub(super) fn uid(&mut self) -> Result<Uid<'a>, Unusable> {
        if self.byte()? == 0 {
            return Ok(Uid::Text(self.text()?));
        }
        let (uuid, rest) = self.0.split_first_chunk().ok_or(Damaged)?;
        self.0 = rest;
        Ok(Uid::Uuid(*uuid))
    }

    pub(super) fn version(&mut self) -> Result<Version<'a>, Unusable> {
        Ok(match self.number64()?.checked_sub(1) {
            Some(number) => Version::Number(number),
            None => Version::Text(self.text()?),
        })
    }

    pub(super) fn when(&mut self) -> Result<When<'a>, Unusable> {
        Ok(match self.number64()? {
            0 => When::Never,
            1 => When::Text(self.text()?),
            seconds => {
                let seconds = i64::try_from(seconds - FIRST_SECOND).map_err(|_| Damaged)?;
                When::At(Timestamp::from_second(seconds).map_err(|_| Damaged)?)
            }
        })
    }
}

/// The encoding of 1970.
const FIRST_SECOND: u64 = 2;

pub(super) fn put_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

pub(super) fn put_slice(bytes: &mut Vec<u8>, slice: &[u8]) {
    put_number(bytes, slice.len() as u64);
    bytes.extend_from_slice(slice);
}

/// A UID: 1 and its bytes if it is written as every API server writes it, else 0 and its text.
pub(super) fn put_uid(bytes: &mut Vec<u8>, uid: &str) {
    if let Some(uuid) = uuid_bytes(uid) {
        bytes.push(1);
        bytes.extend_from_slice(&uuid);
    } else {
        bytes.push(0);
        put_slice(bytes, uid.as_bytes());
    }
}

/// A resourceVersion: its number and 1, else 0 and its text.
pub(super) fn put_version(bytes: &mut Vec<u8>, version: &str) {
    let number = version.parse::<u64>().ok().filter(|number| number.to_string() == version);
    if let Some(number) = number.and_then(|number| number.checked_add(1)) {
        put_number(bytes, number);
    } else {
        bytes.push(0);
        put_slice(bytes, version.as_bytes());
    }
}

/// A time: 0 if there is none, 1 and its text if it is not written as every API server writes it.
pub(super) fn put_when(bytes: &mut Vec<u8>, text: &str) {
    let seconds = text
        .parse::<Timestamp>()
        .ok()
        .filter(|time| time.to_string() == text && time.subsec_nanosecond() == 0)
        .and_then(|time| u64::try_from(time.as_second()).ok());
    match seconds {
        _ if text.is_empty() => bytes.push(0),
        Some(seconds) => put_number(bytes, seconds + FIRST_SECOND),
        None => {
            bytes.push(1);
            put_slice(bytes, text.as_bytes());
        }
    }
}

/// Bytes of a UUID before each of its hyphens.
const GROUPS: [usize; 4] = [4, 6, 8, 10];
const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// The bytes of a UUID that [`uuid_text`] writes as this text.
fn uuid_bytes(text: &str) -> Option<[u8; 16]> {
    if text.len() != 36 {
        return None;
    }
    let digits: String = text.chars().filter(|c| *c != '-').collect();
    let uuid = u128::from_str_radix(&digits, 16).ok()?.to_be_bytes();
    (*uuid_text(uuid) == *text).then_some(uuid)
}

pub(super) fn uuid_text(uuid: [u8; 16]) -> Box<str> {
    let mut text = String::with_capacity(36);
    for (at, byte) in uuid.into_iter().enumerate() {
        if GROUPS.contains(&at) {
            text.push('-');
        }
        for number in [byte >> 4, byte & 0xf] {
            text.push(DIGITS.get(usize::from(number)).map_or('0', |digit| char::from(*digit)));
        }
    }
    text.into_boxed_str()
}

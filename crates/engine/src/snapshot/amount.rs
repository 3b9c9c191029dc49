//! Quantities as they are written: text or, where a file is written by hand, a number.

use std::borrow::Cow;
use std::fmt;

use serde::de::{self, Deserialize, Deserializer, Visitor};

use super::text::{Entries, Map, Str};

/// The text of a quantity, which may be written as a number, too.
#[derive(Debug, Default, Clone, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(transparent)]
pub struct Amount<'a>(pub Str<'a>);

impl<'a> std::ops::Deref for Amount<'a> {
    type Target = Str<'a>;
    fn deref(&self) -> &Str<'a> {
        &self.0
    }
}

struct AmountVisitor;

impl<'de> Visitor<'de> for AmountVisitor {
    type Value = Amount<'de>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a quantity")
    }
    fn visit_borrowed_str<E: de::Error>(self, v: &'de str) -> Result<Self::Value, E> {
        Ok(Amount(Str(Cow::Borrowed(v))))
    }
    fn visit_str<E: de::Error>(self, v: &str) -> Result<Self::Value, E> {
        Ok(Amount(Str(Cow::Owned(v.to_owned()))))
    }
    fn visit_u64<E: de::Error>(self, v: u64) -> Result<Self::Value, E> {
        Ok(Amount(Str(Cow::Owned(v.to_string()))))
    }
    fn visit_i64<E: de::Error>(self, v: i64) -> Result<Self::Value, E> {
        Ok(Amount(Str(Cow::Owned(v.to_string()))))
    }
    fn visit_f64<E: de::Error>(self, v: f64) -> Result<Self::Value, E> {
        Ok(Amount(Str(Cow::Owned(v.to_string()))))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Amount<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AmountVisitor)
    }
}

/// A map of names to quantities, in the order of the input.
#[derive(Debug, Default, Clone, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(transparent)]
pub struct Amounts<'a>(pub Map<'a>);

impl<'a> std::ops::Deref for Amounts<'a> {
    type Target = Map<'a>;
    fn deref(&self) -> &Map<'a> {
        &self.0
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Amounts<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut map = Map::default();
        for (name, amount) in Entries::<Amount<'a>>::deserialize(deserializer)?.0 {
            map.0.push((name, amount.0));
        }
        Ok(Self(map))
    }
}

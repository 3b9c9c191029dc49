//! Quantities as they are written, text or, where a file is written by hand, a number; and times.

use super::json::{Fill, Input, Refused};
use super::protobuf::{self, Field, Fields, Malformed, Merge, Value};
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

impl<'a> Fill<'a> for Amount<'a> {
    fn fill(&mut self, input: &mut dyn Input<'a>) -> Result<(), Refused> {
        input.quantity(&mut self.0)
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

impl<'a> Fill<'a> for Amounts<'a> {
    fn fill(&mut self, input: &mut dyn Input<'a>) -> Result<(), Refused> {
        let mut amounts = Entries::<Listed<'a>>::default();
        input.named(&mut amounts)?;
        self.0 = Map(amounts.0.into_iter().map(|(name, amount)| (name, amount.0)).collect());
        Ok(())
    }
}

/// An amount in a map. Null is an amount of nothing, which is not the same as no amount: a default
/// applies to the latter.
struct Listed<'a>(Str<'a>);

impl Default for Listed<'_> {
    fn default() -> Self {
        Self("0".into())
    }
}

impl<'a> Fill<'a> for Listed<'a> {
    fn fill(&mut self, input: &mut dyn Input<'a>) -> Result<(), Refused> {
        input.quantity(&mut self.0)
    }
}

impl<'a> Merge<'a> for Amount<'a> {
    fn merge(&mut self, value: Value<'a>) -> Result<(), Malformed> {
        protobuf::merge_only(1, value, &mut self.0)
    }
}

impl<'a> Merge<'a> for Amounts<'a> {
    fn merge(&mut self, value: Value<'a>) -> Result<(), Malformed> {
        let (name, amount): (Str<'a>, Amount<'a>) = protobuf::entry(value)?;
        self.0.0.push((name, amount.0));
        Ok(())
    }
}

/// A number, or a percentage such as `50%`, as text; empty if there is none.
#[derive(Debug, Default, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(transparent)]
pub struct IntOrPercent<'a>(pub Str<'a>);

impl<'a> Fill<'a> for IntOrPercent<'a> {
    fn fill(&mut self, input: &mut dyn Input<'a>) -> Result<(), Refused> {
        input.quantity(&mut self.0)
    }
}

impl<'a> Merge<'a> for IntOrPercent<'a> {
    /// In protobuf it is a message with a number in field 2 and text in field 3; the text is empty if
    /// the number counts.
    fn merge(&mut self, value: Value<'a>) -> Result<(), Malformed> {
        for field in Fields::of(value)? {
            let Field { path, value } = field?;
            match path.0 {
                2 => self.0 = (value.number()? as i32).to_string().into(),
                3 if !value.bytes()?.is_empty() => self.0.merge(value)?,
                _ => {}
            }
        }
        Ok(())
    }
}

/// A time, RFC 3339; empty if there is none.
#[derive(Debug, Default, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(transparent)]
pub struct Time<'a>(pub Str<'a>);

impl<'a> std::ops::Deref for Time<'a> {
    type Target = Str<'a>;
    fn deref(&self) -> &Str<'a> {
        &self.0
    }
}

impl<'a> Fill<'a> for Time<'a> {
    fn fill(&mut self, input: &mut dyn Input<'a>) -> Result<(), Refused> {
        input.text(&mut self.0)
    }
}

impl<'a> Merge<'a> for Time<'a> {
    /// In protobuf, a time is a message of seconds since 1970 and nanoseconds, which JSON does not
    /// have. Of no time the message is empty.
    fn merge(&mut self, value: Value<'a>) -> Result<(), Malformed> {
        for field in Fields::of(value)? {
            let Field { path, value } = field?;
            if path.0 == 1 {
                let time =
                    jiff::Timestamp::from_second(value.number()? as i64).map_err(|_| Malformed)?;
                self.0 = time.to_string().into();
            }
        }
        Ok(())
    }
}

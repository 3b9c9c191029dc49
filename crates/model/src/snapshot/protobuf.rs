//! The fields of protobuf's messages, read into the wire types. The numbers of the fields stand beside them in `wire!`.

use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};

use serde_json::json;

use super::text::{Entries, Map, Str};

/// What every answer in this format begins with.
pub(crate) const MAGIC: &[u8] = b"k8s\0";

/// The value of a field, as far as the wire tells its type.
#[derive(Debug, Clone, Copy)]
pub enum Value<'a> {
    /// A number or a boolean.
    Number(u64),
    /// Text or a message.
    Bytes(&'a [u8]),
}

/// A message that is not valid, or has a field of another type than Kubernetes gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed;

impl From<prost::DecodeError> for Malformed {
    fn from(_: prost::DecodeError) -> Self {
        Self
    }
}

impl<'a> Value<'a> {
    pub(crate) fn bytes(self) -> Result<&'a [u8], Malformed> {
        match self {
            Self::Bytes(bytes) => Ok(bytes),
            Self::Number(_) => Err(Malformed),
        }
    }

    pub(crate) fn number(self) -> Result<u64, Malformed> {
        match self {
            Self::Number(number) => Ok(number),
            Self::Bytes(_) => Err(Malformed),
        }
    }
}

/// What can be read from a field.
pub trait Merge<'a>: Default {
    /// Takes the value of the field, which a repeated field has several times.
    ///
    /// # Errors
    /// [`Malformed`].
    fn merge(&mut self, value: Value<'a>) -> Result<(), Malformed>;
}

/// Reads the fields of a message in their order, each by its number. Fields of types that nothing here has are skipped.
pub(crate) fn fields<'a>(
    message: Value<'a>,
    mut read: impl FnMut(u32, Value<'a>) -> Result<(), Malformed>,
) -> Result<(), Malformed> {
    let mut rest = message.bytes()?;
    while !rest.is_empty() {
        let (number, wire_type) = decode_key(&mut rest)?;
        match wire_type {
            WireType::Varint => read(number, Value::Number(decode_varint(&mut rest)?))?,
            WireType::LengthDelimited => {
                let length = usize::try_from(decode_varint(&mut rest)?).map_err(|_| Malformed)?;
                let (bytes, behind) = rest.split_at_checked(length).ok_or(Malformed)?;
                rest = behind;
                read(number, Value::Bytes(bytes))?;
            }
            other => skip_field(other, number, &mut rest, DecodeContext::default())?,
        }
    }
    Ok(())
}

/// Key and value of an entry of a map. Go writes each key once, sorted, as in JSON.
pub(crate) fn entry<'a, K: Merge<'a>, V: Merge<'a>>(entry: Value<'a>) -> Result<(K, V), Malformed> {
    let mut pair = (K::default(), V::default());
    fields(entry, |number, value| match number {
        1 => pair.0.merge(value),
        2 => pair.1.merge(value),
        _ => Ok(()),
    })?;
    Ok(pair)
}

/// Reads a message into the fields of a struct by their numbers; see `wire!`.
macro_rules! message {
    ($name:ident $(<$life:lifetime>)? { $($field:ident = $number:literal $(/ $inner:literal)?),* $(,)? }) => {
        crate::snapshot::protobuf::message!(@impl $name, $name $(<$life>)?, $($field = $number $(/ $inner)?),*);
    };
    (@impl $name:ident, $type:ty, $($field:ident = $number:literal $(/ $inner:literal)?),*) => {
        impl<'a> crate::snapshot::Merge<'a> for $type {
            fn merge(&mut self, value: crate::snapshot::Value<'a>) -> Result<(), crate::snapshot::Malformed> {
                use crate::snapshot::protobuf::{fields, message};
                const OUTER: &[u32] = &[$($(message!(@outer $number $inner),)?)*];
                let mut set = |path: (u32, u32), value| match path {
                    $(message!(@path $number $(/ $inner)?) => crate::snapshot::Merge::merge(&mut self.$field, value),)*
                    _ => Ok(()),
                };
                fields(value, |number, value| {
                    if OUTER.contains(&number) {
                        return fields(value, |inner, value| set((number, inner), value));
                    }
                    set((number, 0), value)
                })
            }
        }
    };
    (@path $number:literal) => { ($number, 0) };
    (@path $number:literal / $inner:literal) => { ($number, $inner) };
    (@outer $number:literal $inner:literal) => { $number };
}
pub(super) use message;

impl<'a> Merge<'a> for Str<'a> {
    fn merge(&mut self, value: Value<'a>) -> Result<(), Malformed> {
        // As Go's encoder of JSON, which replaces what is not UTF-8.
        *self = Str(String::from_utf8_lossy(value.bytes()?));
        Ok(())
    }
}

impl Merge<'_> for i64 {
    fn merge(&mut self, value: Value) -> Result<(), Malformed> {
        *self = value.number()? as Self;
        Ok(())
    }
}

impl Merge<'_> for i32 {
    fn merge(&mut self, value: Value) -> Result<(), Malformed> {
        *self = value.number()? as Self;
        Ok(())
    }
}

impl Merge<'_> for bool {
    fn merge(&mut self, value: Value) -> Result<(), Malformed> {
        *self = value.number()? != 0;
        Ok(())
    }
}

impl<'a, T: Merge<'a>> Merge<'a> for Option<T> {
    fn merge(&mut self, value: Value<'a>) -> Result<(), Malformed> {
        self.get_or_insert_default().merge(value)
    }
}

impl<'a, T: Merge<'a>> Merge<'a> for Box<T> {
    fn merge(&mut self, value: Value<'a>) -> Result<(), Malformed> {
        self.as_mut().merge(value)
    }
}

impl<'a, T: Merge<'a>> Merge<'a> for Vec<T> {
    fn merge(&mut self, value: Value<'a>) -> Result<(), Malformed> {
        let mut item = T::default();
        item.merge(value)?;
        self.push(item);
        Ok(())
    }
}

impl<'a> Merge<'a> for Map<'a> {
    fn merge(&mut self, value: Value<'a>) -> Result<(), Malformed> {
        self.0.push(entry(value)?);
        Ok(())
    }
}

impl<'a, T: Merge<'a>> Merge<'a> for Entries<'a, T> {
    fn merge(&mut self, value: Value<'a>) -> Result<(), Malformed> {
        self.0.push(entry(value)?);
        Ok(())
    }
}

/// A `Status` in protobuf, which is what a server answers if it gives no list, as JSON with its message and reason. `None` for
/// bytes that are none.
#[must_use]
pub fn status_as_json(bytes: &[u8]) -> Option<String> {
    let envelope = Value::Bytes(bytes.strip_prefix(MAGIC)?);
    let (mut message, mut reason) = (Str::default(), Str::default());
    let read = fields(envelope, |number, value| match number {
        2 => fields(value, |number, value| match number {
            3 => message.merge(value),
            4 => reason.merge(value),
            _ => Ok(()),
        }),
        _ => Ok(()),
    });
    read.ok()?;
    Some(json!({"kind": "Status", "message": message.as_str(), "reason": reason.as_str()}).to_string())
}

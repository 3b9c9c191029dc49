//! The fields of protobuf's messages, read into the wire types. `wire!` has the number of each
//! field.

use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};

use serde_json::json;

use super::text::{Entries, Map, Str};

/// What every answer in this format begins with.
pub(crate) const MAGIC: &[u8] = b"k8s\0";

/// The value of a field, by its wire type.
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

/// The fields of a message in their order. Those of types that nothing here has are skipped. This
/// is an iterator, and not a function that takes what is done with a field, because of such a
/// function there would be a copy for every message.
#[derive(Debug)]
pub(crate) struct Fields<'a> {
    /// What follows the last field.
    rest: &'a [u8],
    /// Numbers of fields whose messages are read as if their fields stood here.
    outer: &'static [u32],
    /// The field whose message is being read so, and what follows in it.
    inner: (u32, &'a [u8]),
}

/// A field of a message.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field<'a> {
    /// Its number; behind the number of the field in whose message it stands, if the message is
    /// read as part of this one.
    pub path: (u32, u32),
    pub value: Value<'a>,
}

impl<'a> Fields<'a> {
    pub(crate) fn of(message: Value<'a>) -> Result<Self, Malformed> {
        Self::with_inner(message, &[])
    }

    /// Flattens the messages in fields of these numbers: their fields count as fields of this
    /// message.
    pub(crate) fn with_inner(message: Value<'a>, outer: &'static [u32]) -> Result<Self, Malformed> {
        Ok(Self { rest: message.bytes()?, outer, inner: (0, &[]) })
    }

    fn read(&mut self) -> Result<Option<Field<'a>>, Malformed> {
        loop {
            if let Some((number, value)) = next_field(&mut self.inner.1)? {
                return Ok(Some(Field { path: (self.inner.0, number), value }));
            }
            match next_field(&mut self.rest)? {
                Some((number, value)) if self.outer.contains(&number) => {
                    self.inner = (number, value.bytes()?);
                }
                Some((number, value)) => return Ok(Some(Field { path: (number, 0), value })),
                None => return Ok(None),
            }
        }
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<Field<'a>, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

/// Number and value of the first field in `rest` that is of a type that something here has; `None`
/// if there is none.
fn next_field<'a>(rest: &mut &'a [u8]) -> Result<Option<(u32, Value<'a>)>, Malformed> {
    while !rest.is_empty() {
        let (number, wire_type) = decode_key(rest)?;
        match wire_type {
            WireType::Varint => return Ok(Some((number, Value::Number(decode_varint(rest)?)))),
            WireType::LengthDelimited => {
                let length = usize::try_from(decode_varint(rest)?).map_err(|_| Malformed)?;
                let (bytes, behind) = rest.split_at_checked(length).ok_or(Malformed)?;
                *rest = behind;
                return Ok(Some((number, Value::Bytes(bytes))));
            }
            other => skip_field(other, number, rest, DecodeContext::default())?,
        }
    }
    Ok(None)
}

/// Reads the field of this number, which is all that is read of the message.
pub(crate) fn merge_only<'a, T: Merge<'a>>(
    number: u32,
    message: Value<'a>,
    target: &mut T,
) -> Result<(), Malformed> {
    for field in Fields::of(message)? {
        let Field { path, value } = field?;
        if path.0 == number {
            target.merge(value)?;
        }
    }
    Ok(())
}

/// Key and value of an entry of a map. Go writes each key once, sorted, as in JSON.
pub(crate) fn entry<'a, K: Merge<'a>, V: Merge<'a>>(entry: Value<'a>) -> Result<(K, V), Malformed> {
    let mut pair = (K::default(), V::default());
    for field in Fields::of(entry)? {
        let Field { path, value } = field?;
        match path {
            (1, _) => pair.0.merge(value)?,
            (2, _) => pair.1.merge(value)?,
            _ => {}
        }
    }
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
                use crate::snapshot::protobuf::{Field, Fields, message};
                const OUTER: &[u32] = &[$($(message!(@outer $number $inner),)?)*];
                for field in Fields::with_inner(value, OUTER)? {
                    let Field { path, value } = field?;
                    match path {
                        $(message!(@path $number $(/ $inner)?) => {
                            crate::snapshot::Merge::merge(&mut self.$field, value)?;
                        })*
                        _ => {}
                    }
                }
                Ok(())
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

/// A `Status` in protobuf, which is what a server answers if it gives no list, as JSON with its
/// message and reason. `None` for bytes that are none.
pub fn status_as_json(bytes: &[u8]) -> Option<String> {
    let envelope = Value::Bytes(bytes.strip_prefix(MAGIC)?);
    let (mut message, mut reason) = (Str::default(), Str::default());
    for field in Fields::with_inner(envelope, &[2]).ok()? {
        let Field { path, value } = field.ok()?;
        match path {
            (2, 3) => message.merge(value).ok()?,
            (2, 4) => reason.merge(value).ok()?,
            _ => {}
        }
    }
    Some(
        json!({"kind": "Status", "message": message.as_str(), "reason": reason.as_str()})
            .to_string(),
    )
}

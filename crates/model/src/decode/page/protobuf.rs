//! The objects of a list in protobuf. After four magic bytes comes a message with the kind and, as
//! one of its fields, the list: a message with the metadata and the objects. Upstream:
//! `apimachinery/pkg/runtime/serializer/protobuf` (1.37).

use prost::encoding::{WireType, decode_key, decode_varint};

use super::{Items, ListMeta, Problem, truncated};
use crate::snapshot::{Field, Fields, MAGIC, Malformed, Merge as _, Str, Value};

/// Maximum length of a varint, in bytes.
const LONGEST_VARINT: usize = 10;

/// The state between two bytes of the page.
#[derive(Debug, Default)]
pub(super) struct ProtobufSplitter {
    /// The beginning of an incomplete field.
    pub(super) pending: Vec<u8>,
    begun: bool,
    /// Bytes of the list that are still to come, from its beginning to its end.
    list: Option<usize>,
    has_list: bool,
    meta: ListMeta,
}

impl ProtobufSplitter {
    /// Takes the next bytes; complete objects go to `items`.
    pub(super) fn push(&mut self, bytes: &[u8], items: &mut Items) -> Result<(), Problem> {
        let mut pending = std::mem::take(&mut self.pending);
        pending.extend_from_slice(bytes);
        let mut rest = pending.as_slice();
        while self.take(&mut rest, items).map_err(|Malformed| damaged())? {}
        let left = rest.len();
        pending.drain(..pending.len() - left);
        self.pending = pending;
        Ok(())
    }

    /// Takes what comes next, if it is complete.
    fn take(&mut self, rest: &mut &[u8], items: &mut Items) -> Result<bool, Malformed> {
        if !self.begun {
            return self.take_magic(rest);
        }
        let before = *rest;
        let Some((number, length)) = header(rest)? else {
            *rest = before;
            return Ok(false);
        };

        // The list is entered without waiting for its end, because its objects come one by one.
        if self.list.is_none() && number == 2 {
            (self.list, self.has_list) = (Some(length).filter(|length| *length > 0), true);
            return Ok(true);
        }

        // Any other field is taken as a whole. Within the list it must not be longer than that.
        let whole = before.len() - rest.len() + length;
        if self.list.is_some_and(|left| whole > left) {
            return Err(Malformed);
        }
        let Some((field, behind)) = rest.split_at_checked(length) else {
            *rest = before;
            return Ok(false);
        };
        *rest = behind;
        match (self.list, number) {
            (None, 1) => {
                set_text(field, 1, &mut self.meta.api_version)?;
                set_text(field, 2, &mut self.meta.kind)?;
            }
            (Some(_), 1) => {
                set_text(field, 2, &mut self.meta.resource_version)?;
                set_text(field, 3, &mut self.meta.continue_token)?;
            }
            (Some(_), 2) => {
                items.bytes.extend_from_slice(field);
                items.ends.push(items.bytes.len());
            }
            _ => {}
        }
        self.list = self.list.map(|left| left - whole).filter(|left| *left > 0);
        Ok(true)
    }

    /// Takes the magic bytes with which the page begins.
    fn take_magic(&mut self, rest: &mut &[u8]) -> Result<bool, Malformed> {
        if let Some(behind) = rest.strip_prefix(MAGIC) {
            (self.begun, *rest) = (true, behind);
            return Ok(true);
        }
        if MAGIC.starts_with(rest) { Ok(false) } else { Err(Malformed) }
    }

    /// The metadata of the list, once the page is complete.
    pub(super) fn finish(self) -> Result<ListMeta, Problem> {
        if !self.pending.is_empty() || self.list.is_some() || !self.begun {
            return Err(truncated());
        }
        if self.has_list { Ok(self.meta) } else { Err("the answer is not a list".to_owned()) }
    }
}

/// Sets `target` to the text that a message has in the field of this number.
fn set_text(message: &[u8], number: u32, target: &mut String) -> Result<(), Malformed> {
    for field in Fields::of(Value::Bytes(message))? {
        let Field { path, value } = field?;
        if path.0 == number {
            let mut text = Str::default();
            text.merge(value)?;
            *target = text.to_string();
        }
    }
    Ok(())
}

fn damaged() -> Problem {
    "the answer is not valid protobuf".to_owned()
}

/// Number and length of the field that begins here; all fields of lists are length-delimited.
/// `None` if more bytes are needed.
fn header(rest: &mut &[u8]) -> Result<Option<(u32, usize)>, Malformed> {
    if !has_varint(rest)? {
        return Ok(None);
    }
    let (number, wire_type) = decode_key(rest)?;
    if wire_type != WireType::LengthDelimited {
        return Err(Malformed);
    }
    if !has_varint(rest)? {
        return Ok(None);
    }
    let length = usize::try_from(decode_varint(rest)?).map_err(|_| Malformed)?;
    Ok(Some((number, length)))
}

/// Whether a complete varint is here.
fn has_varint(rest: &[u8]) -> Result<bool, Malformed> {
    let complete = rest.iter().take(LONGEST_VARINT).any(|byte| *byte < 0x80);
    if complete || rest.len() < LONGEST_VARINT { Ok(complete) } else { Err(Malformed) }
}

//! The parts of a JSON value one after the other, so that nothing is built of a large one.

use std::fmt;

use serde::de::{Deserializer as _, MapAccess, SeqAccess, Visitor};
use serde_json::Deserializer;
use serde_json::value::RawValue;

use crate::snapshot::Str;

/// Calls `each` with the names and the JSON of the fields of an object; of any other value there
/// are none.
pub(super) fn each_field<'v>(value: &'v str, each: &mut dyn FnMut(&str, &'v str)) {
    if value.starts_with('{') {
        // What is behind an error is not examined.
        let _ = Deserializer::from_str(value).deserialize_map(Fields(each));
    }
}

/// Calls `each` with the JSON of the items of an array; of any other value there are none.
pub(super) fn each_item<'v>(value: &'v str, each: &mut dyn FnMut(&'v str)) {
    if value.starts_with('[') {
        let _ = Deserializer::from_str(value).deserialize_seq(Elements(each));
    }
}

struct Fields<'f, 'v>(&'f mut dyn FnMut(&str, &'v str));

impl<'de> Visitor<'de> for Fields<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some((name, value)) = map.next_entry::<Str<'de>, &'de RawValue>()? {
            (self.0)(&name, value.get());
        }
        Ok(())
    }
}

struct Elements<'f, 'v>(&'f mut dyn FnMut(&'v str));

impl<'de> Visitor<'de> for Elements<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while let Some(value) = items.next_element::<&'de RawValue>()? {
            (self.0)(value.get());
        }
        Ok(())
    }
}

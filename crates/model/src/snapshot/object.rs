//! Decoding an object of any kind: `kind` decides which fields are read, so it has to stand before
//! them.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};

use super::json::read_fields;
use super::kind::{Kind, Object};
use super::text::Str;
use crate::object_only;

/// The fields that identify the kind of an object.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, remote = "Self")]
pub struct Head<'a> {
    /// Group and version.
    #[serde(borrow)]
    pub api_version: Option<Str<'a>>,
    #[serde(borrow)]
    pub kind: Option<Str<'a>>,
}

object_only!(decode Head<'a>);

/// The API group of an `apiVersion`.
pub fn group_of(api_version: &str) -> &str {
    api_version.split_once('/').map_or("", |(group, _)| group)
}

/// An object decoded in one pass. `None` if `kind` follows other fields, or is not that of an
/// object: decode [`Head`] first, then the object by [`Kind::decode_json`].
#[derive(Debug)]
pub struct OnePass<'a>(pub Option<Object<'a>>);

struct OnePassVisitor;

impl<'de> Visitor<'de> for OnePassVisitor {
    type Value = OnePass<'de>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a Kubernetes object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut group: Option<String> = None;
        while let Some(key) = map.next_key::<Str<'de>>()? {
            match key.as_str() {
                "apiVersion" => {
                    group = map.next_value::<Option<Str<'de>>>()?.map(|v| group_of(&v).to_owned());
                }
                "kind" => {
                    let name = map.next_value::<Option<Str<'de>>>()?.unwrap_or_default();
                    if let Some(kind) = Kind::find(group.as_deref(), &name) {
                        let mut object = kind.empty();
                        if let Some(record) = object.record() {
                            read_fields(map, record)?;
                        }
                        return Ok(OnePass(Some(object)));
                    }
                    skip_fields(map)?;
                    let is_other = is_object(&name) && !is_misplaced(group.as_deref(), &name);
                    return Ok(OnePass(is_other.then_some(Object::Other(name))));
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    skip_fields(map)?;
                    return Ok(OnePass(None));
                }
            }
        }
        Ok(OnePass(None))
    }
}

/// Whether it says to be of a kind that is read, in a group that cannot have it: those without a
/// dot are Kubernetes' own.
pub fn is_misplaced(group: Option<&str>, kind: &str) -> bool {
    group.is_some_and(|group| !group.contains('.'))
        && Kind::find(group, kind).is_none()
        && Kind::find(None, kind).is_some()
}

/// Whether what names this kind is an object, and not the API server's error in place of one.
fn is_object(kind: &str) -> bool {
    !matches!(kind, "" | "Status")
}

fn skip_fields<'de, A: MapAccess<'de>>(mut map: A) -> Result<(), A::Error> {
    while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
    Ok(())
}

impl<'de: 'a, 'a> Deserialize<'de> for OnePass<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(OnePassVisitor)
    }
}

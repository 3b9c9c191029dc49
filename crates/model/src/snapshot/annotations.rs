//! Annotations by an allow-list: any other is skipped while its object is decoded.

use std::marker::PhantomData;

use serde::{Serialize, Serializer};

use super::json::{Fill, Input, Named, Refused};
use super::protobuf::{self, Malformed, Merge, Value};
use super::text::{Map, Str, keep_last};

/// The annotations of a kind of objects that are read.
pub trait AllowList {
    /// Their names.
    const KEYS: &'static [&'static str];
}

/// The annotations of an object that `L` names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Annotations<'a, L>(pub Map<'a>, PhantomData<L>);

impl<L> Default for Annotations<'_, L> {
    fn default() -> Self {
        Self(Map::default(), PhantomData)
    }
}

impl<L: AllowList> Annotations<'_, L> {
    /// The value of one of the annotations that are read.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key)
    }
}

impl<L> Serialize for Annotations<'_, L> {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(output)
    }
}

impl<'a, L: AllowList> Fill<'a> for Annotations<'a, L> {
    fn fill(&mut self, input: &mut dyn Input<'a>) -> Result<(), Refused> {
        input.named(self)
    }
}

impl<'a, L: AllowList> Named<'a> for Annotations<'a, L> {
    fn expected(&self) -> &'static str {
        "an object with string values"
    }

    fn add(&mut self, name: Str<'a>) -> Option<&mut dyn Fill<'a>> {
        if !L::KEYS.contains(&name.as_str()) {
            return None;
        }
        self.0.0.push((name, Str::default()));
        self.0.0.last_mut().map(|(_, value)| value as _)
    }

    fn settle(&mut self) {
        keep_last(&mut self.0.0);
    }
}

impl<'a, L: AllowList> Merge<'a> for Annotations<'a, L> {
    fn merge(&mut self, value: Value<'a>) -> Result<(), Malformed> {
        let (name, value): (Str<'a>, Str<'a>) = protobuf::entry(value)?;
        if L::KEYS.contains(&name.as_str()) {
            self.0.insert(name, value);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::snapshot::meta::{MIRROR, ObjectMeta, pods};

    #[test]
    fn annotation_that_is_not_listed_is_not_kept() {
        let text = r#"{"annotations": {"token": "CANARY", "karpenter.sh/do-not-disrupt": "true",
                       "kubernetes.io/config.mirror": null, "karpenter.sh/do-not-disrupt ": "x"}}"#;
        let meta: ObjectMeta = serde_json::from_str(text).expect("metadata");
        assert_eq!(meta.annotations.get(pods::DO_NOT_DISRUPT), Some("true"));
        assert_eq!(meta.annotations.get(MIRROR), Some(""), "null is an empty text, as in Go");
        assert_eq!(meta.annotations.0.iter().count(), 2);
        assert!(!serde_json::to_string(&meta).expect("JSON").contains("CANARY"));
    }
}

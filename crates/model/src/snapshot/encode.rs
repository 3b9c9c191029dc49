//! The wire types as JSON, with the names by which they are read (`json`).
//!
//! An encoder that serde derives is made anew for each type and for each field. Here a type only
//! says which field has which name; what writes is one piece of code, which knows the types by
//! [`Encode`].

use super::text::{Entries, Map, Str};

/// What can be written as a value of JSON.
pub trait Encode {
    /// Whether it is what an absent field is read as. Such fields are not written.
    fn is_absent(&self) -> bool;

    /// Writes the value.
    ///
    /// # Errors
    /// Those of `serde_json`, which has none for what is written to memory.
    fn encode(&self, out: &mut JsonText) -> serde_json::Result<()>;
}

/// The text of a JSON value that is being written.
#[derive(Debug, Default)]
pub struct JsonText {
    text: Vec<u8>,
    /// Whether the next field or item stands behind another one of the same object or list.
    follows: bool,
}

impl JsonText {
    /// The text of a value.
    ///
    /// # Errors
    /// Those of [`Encode::encode`].
    pub(super) fn of(value: &dyn Encode) -> serde_json::Result<String> {
        let mut out = Self::default();
        value.encode(&mut out)?;
        String::from_utf8(out.text).map_err(serde::ser::Error::custom)
    }

    /// Writes an object with those of its fields that are not absent.
    pub(super) fn object(&mut self, fields: &[(&str, &dyn Encode)]) -> serde_json::Result<()> {
        self.named(&mut fields.iter().copied().filter(|(_, value)| !value.is_absent()))
    }

    /// Writes an object with all of these fields.
    fn named<'v>(
        &mut self,
        fields: &mut dyn Iterator<Item = (&'v str, &'v dyn Encode)>,
    ) -> serde_json::Result<()> {
        self.open(b'{');
        for (name, value) in fields {
            self.field(name, value)?;
        }
        self.close(b'}');
        Ok(())
    }

    /// Writes a list.
    fn list(&mut self, items: &mut dyn Iterator<Item = &dyn Encode>) -> serde_json::Result<()> {
        self.open(b'[');
        for item in items {
            self.separate();
            item.encode(self)?;
        }
        self.close(b']');
        Ok(())
    }

    fn field(&mut self, name: &str, value: &dyn Encode) -> serde_json::Result<()> {
        self.separate();
        self.text(name)?;
        self.text.push(b':');
        value.encode(self)
    }

    fn text(&mut self, text: &str) -> serde_json::Result<()> {
        serde_json::to_writer(&mut self.text, text)
    }

    fn open(&mut self, bracket: u8) {
        self.text.push(bracket);
        self.follows = false;
    }

    fn close(&mut self, bracket: u8) {
        self.text.push(bracket);
        self.follows = true;
    }

    fn separate(&mut self) {
        if self.follows {
            self.text.push(b',');
        }
        self.follows = true;
    }
}

impl Encode for Str<'_> {
    fn is_absent(&self) -> bool {
        self.is_empty()
    }
    fn encode(&self, out: &mut JsonText) -> serde_json::Result<()> {
        out.text(self)
    }
}

impl Encode for bool {
    fn is_absent(&self) -> bool {
        !*self
    }
    fn encode(&self, out: &mut JsonText) -> serde_json::Result<()> {
        serde_json::to_writer(&mut out.text, self)
    }
}

impl Encode for i32 {
    fn is_absent(&self) -> bool {
        *self == 0
    }
    fn encode(&self, out: &mut JsonText) -> serde_json::Result<()> {
        i64::from(*self).encode(out)
    }
}

impl Encode for i64 {
    fn is_absent(&self) -> bool {
        *self == 0
    }
    fn encode(&self, out: &mut JsonText) -> serde_json::Result<()> {
        serde_json::to_writer(&mut out.text, self)
    }
}

impl Encode for Map<'_> {
    fn is_absent(&self) -> bool {
        self.0.is_empty()
    }
    fn encode(&self, out: &mut JsonText) -> serde_json::Result<()> {
        out.named(&mut self.0.iter().map(|(name, value)| (name.as_str(), value as _)))
    }
}

impl<T: Encode> Encode for Entries<'_, T> {
    fn is_absent(&self) -> bool {
        self.is_empty()
    }
    fn encode(&self, out: &mut JsonText) -> serde_json::Result<()> {
        out.named(&mut self.iter().map(|(name, value)| (name.as_str(), value as _)))
    }
}

impl<T: Encode> Encode for Option<T> {
    fn is_absent(&self) -> bool {
        self.is_none()
    }
    fn encode(&self, out: &mut JsonText) -> serde_json::Result<()> {
        match self {
            Some(value) => value.encode(out),
            None => serde_json::to_writer(&mut out.text, &()),
        }
    }
}

impl<T: Encode> Encode for Vec<T> {
    fn is_absent(&self) -> bool {
        self.is_empty()
    }
    fn encode(&self, out: &mut JsonText) -> serde_json::Result<()> {
        out.list(&mut self.iter().map(|item| item as _))
    }
}

impl<T: Encode> Encode for Box<T> {
    fn is_absent(&self) -> bool {
        self.as_ref().is_absent()
    }
    fn encode(&self, out: &mut JsonText) -> serde_json::Result<()> {
        self.as_ref().encode(out)
    }
}

/// Writes a struct of one field as that field.
macro_rules! encode_inner {
    ($($type:ty),*) => { $(
        impl crate::snapshot::encode::Encode for $type {
            fn is_absent(&self) -> bool {
                self.0.is_absent()
            }
            fn encode(&self, out: &mut crate::snapshot::encode::JsonText) -> serde_json::Result<()> {
                self.0.encode(out)
            }
        }
    )* };
}
pub(super) use encode_inner;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::{Kind, groups::DisruptionMode};

    /// What is written of an object of this kind with these fields.
    fn rewritten(kind: Kind, json: &str) -> String {
        kind.decode_json(json).expect("an object").to_json().expect("JSON")
    }

    #[test]
    fn absent_fields_are_not_written_and_present_ones_by_their_names() {
        for (kind, json) in [
            (Kind::Pod, r#"{"metadata":{"name":"a"}}"#),
            (Kind::Pod, r#"{"metadata":{"name":"a"},"spec":{"containers":[{"name":"c"},{}]}}"#),
            (Kind::Pod, r#"{"spec":{"nodeSelector":{},"volumes":[{"name":"v","emptyDir":{}}]}}"#),
            (Kind::Pod, r#"{"spec":{"priority":0,"hostNetwork":true,"hostUsers":false}}"#),
            (Kind::Pod, r#"{"spec":{"containers":[{"ports":[{"hostIP":"::1","hostPort":80}]}]}}"#),
            (Kind::Pod, r#"{"metadata":{"labels":{"a\"\\\n\u0001":"é"}}}"#),
            (Kind::StorageClass, r#"{"metadata":{"name":"fast"},"provisioner":"p"}"#),
            (Kind::PodGroup, r#"{"spec":{"disruptionMode":{"all":{}}}}"#),
            (Kind::PodGroup, r#"{"spec":{"schedulingPolicy":{"gang":{"minCount":3}}}}"#),
            (Kind::Node, "{}"),
        ] {
            assert_eq!(rewritten(kind, json), json);
        }
    }

    #[test]
    fn what_an_absent_field_is_read_as_is_not_written() {
        let zeros = r#"{"metadata":{"name":"","labels":{},"finalizers":[]},"spec":{"hostNetwork":false,"priority":null}}"#;
        assert_eq!(rewritten(Kind::Pod, zeros), "{}");
        assert_eq!(JsonText::of(&DisruptionMode::Single).expect("JSON"), r#"{"single":{}}"#);
        assert!(DisruptionMode::Single.is_absent());
    }
}

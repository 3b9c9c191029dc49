//! The table of a type's fields: which name each has in JSON, and which number in protobuf.
//! Serde writes JSON by it; `json` reads it.

use super::json::{Fill, Record};

impl<'a, T: Record<'a>> Record<'a> for Box<T> {
    fn names(&self) -> &'static [&'static str] {
        self.as_ref().names()
    }
    fn field(&mut self, name: &str) -> Option<(u32, &mut dyn Fill<'a>)> {
        self.as_mut().field(name)
    }
}

/// Whether the value is what an absent field is read as. Such fields are not written.
pub(super) fn is_absent<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// The name of a field in JSON.
#[derive(Debug)]
pub(super) struct FieldName<const LENGTH: usize> {
    bytes: [u8; LENGTH],
    length: usize,
}

impl<const LENGTH: usize> FieldName<LENGTH> {
    /// Makes `nodeName` of `node_name`, which has this length.
    pub(super) const fn of(name: &str) -> Self {
        let (mut bytes, mut length) = ([0; LENGTH], 0);
        let mut rest = name.as_bytes();
        let mut starts_word = false;
        while let [byte, behind @ ..] = rest {
            rest = behind;
            if *byte == b'_' {
                starts_word = true;
                continue;
            }
            if let Some((place, _)) = bytes.split_at_mut(length).1.split_first_mut() {
                *place = if starts_word { byte.to_ascii_uppercase() } else { *byte };
            }
            length += 1;
            starts_word = false;
        }
        Self { bytes, length }
    }

    pub(super) const fn as_str(&self) -> &str {
        match std::str::from_utf8(self.bytes.split_at(self.length).0) {
            Ok(text) => text,
            Err(_) => "",
        }
    }
}

/// Says which field of a struct has which name in JSON: its own, or the one declared for it.
macro_rules! record {
    ($name:ident<$life:lifetime> { $($field:ident $(= $rename:literal)?),* $(,)? }) => {
        crate::snapshot::record::record!(@impl $name<$life>, $($field $(= $rename)?),*);

        impl<'de: $life, $life> serde::Deserialize<'de> for $name<$life> {
            fn deserialize<D: serde::Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
                let mut record = $name::<'de>::default();
                crate::snapshot::json::read_record(input, &mut record)?;
                Ok(record)
            }
        }
    };
    ($name:ident { $($field:ident $(= $rename:literal)?),* $(,)? }) => {
        crate::snapshot::record::record!(@impl $name, $($field $(= $rename)?),*);

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
                let mut record = $name::default();
                crate::snapshot::json::read_record(input, &mut record)?;
                Ok(record)
            }
        }
    };
    (@impl $type:ty, $($field:ident $(= $rename:literal)?),*) => {
        impl<'a> crate::snapshot::json::Record<'a> for $type {
            fn names(&self) -> &'static [&'static str] {
                &[$(crate::snapshot::record::record!(@name $field $($rename)?)),*]
            }

            fn field(&mut self, name: &str) -> Option<(u32, &mut dyn crate::snapshot::json::Fill<'a>)> {
                let number = 0;
                $(
                    if name == crate::snapshot::record::record!(@name $field $($rename)?) {
                        return Some((number, &mut self.$field));
                    }
                    let number = number + 1;
                )*
                let _ = (number, name);
                None
            }
        }

        impl<'a> serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
                let fields = output.serialize_map(None)?;
                $(
                    let mut fields = fields;
                    if !crate::snapshot::record::is_absent(&self.$field) {
                        let name = crate::snapshot::record::record!(@name $field $($rename)?);
                        serde::ser::SerializeMap::serialize_entry(&mut fields, name, &self.$field)?;
                    }
                )*
                serde::ser::SerializeMap::end(fields)
            }
        }

        impl<'a> crate::snapshot::json::Fill<'a> for $type {
            fn fill(
                &mut self,
                input: &mut dyn crate::snapshot::json::Input<'a>,
            ) -> Result<(), crate::snapshot::json::Refused> {
                input.record(self)
            }
        }
    };
    (@name $field:ident) => {{
        static NAME: crate::snapshot::record::FieldName<{ stringify!($field).len() }> =
            crate::snapshot::record::FieldName::of(stringify!($field));
        const TEXT: &str = NAME.as_str();
        TEXT
    }};
    (@name $field:ident $rename:literal) => {
        $rename
    };
}

/// Defines wire structs: an allow-list of fields, each optional and nullable, with its number in
/// protobuf. Fields before the `;` borrow from the input, fields after it own their value. `2 / 10`
/// is the number of a field that JSON has in this struct, and protobuf in the message of field 2.
macro_rules! wire {
    ($($(#[$meta:meta])* pub struct $name:ident {
        $($(#[doc = $doc:literal])* $(#[serde(rename = $rename:literal)])?
            $field:ident : $ty:ty = $number:literal $(/ $inner:literal)?),* ;
        $($(#[doc = $odoc:literal])* $(#[serde(rename = $orename:literal)])?
            $owned:ident : $oty:ty = $onumber:literal $(/ $oinner:literal)?),* $(,)?
    })*) => { $(
        crate::snapshot::record::json_wire! {
            $(#[$meta])* pub struct $name {
                $($(#[doc = $doc])* $(#[serde(rename = $rename)])? $field: $ty),* ;
                $($(#[doc = $odoc])* $(#[serde(rename = $orename)])? $owned: $oty),*
            }
        }
        crate::snapshot::protobuf::message!($name<'a> {
            $($field = $number $(/ $inner)?,)* $($owned = $onumber $(/ $oinner)?),*
        });
    )* };
}

/// Defines wire structs that are read from JSON alone.
macro_rules! json_wire {
    ($($(#[$meta:meta])* pub struct $name:ident {
        $($(#[doc = $doc:literal])* $(#[serde(rename = $rename:literal)])? $field:ident : $ty:ty),* ;
        $($(#[doc = $odoc:literal])* $(#[serde(rename = $orename:literal)])? $owned:ident : $oty:ty),* $(,)?
    })*) => { $(
        $(#[$meta])*
        #[derive(Debug, Default, Clone, PartialEq)]
        pub struct $name<'a> {
            $(
                #[doc = concat!("`", stringify!($field), "` of the API. ")]
                $(#[doc = $doc])*
                pub $field: $ty,
            )*
            $(
                #[doc = concat!("`", stringify!($owned), "` of the API. ")]
                $(#[doc = $odoc])*
                pub $owned: $oty,
            )*
        }

        crate::snapshot::record::record!($name<'a> { $($field $(= $rename)?,)* $($owned $(= $orename)?),* });
    )* };
}

/// Defines a struct for the few annotations of an object that are read, each with its name.
macro_rules! annotations {
    ($(#[$meta:meta])* pub struct $name:ident { $($(#[doc = $doc:literal])* $field:ident = $key:literal,)* }) => {
        crate::snapshot::record::json_wire! {
            $(#[$meta])* pub struct $name {
                $($(#[doc = $doc])* #[serde(rename = $key)] $field: crate::snapshot::Str<'a>),* ;
            }
        }

        impl<'a> crate::snapshot::Merge<'a> for $name<'a> {
            fn merge(&mut self, value: crate::snapshot::Value<'a>) -> Result<(), crate::snapshot::Malformed> {
                let (name, value): (crate::snapshot::Str<'a>, _) = crate::snapshot::protobuf::entry(value)?;
                match name.as_str() {
                    $($key => self.$field = value,)*
                    _ => {}
                }
                Ok(())
            }
        }
    };
}
pub(super) use {annotations, json_wire, record, wire};

#[cfg(test)]
mod tests {
    use super::is_absent;
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
        assert_eq!(
            serde_json::to_string(&DisruptionMode::Single).expect("JSON"),
            r#"{"single":{}}"#
        );
        assert!(is_absent(&DisruptionMode::Unset));
    }
}

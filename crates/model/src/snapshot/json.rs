//! The values of JSON, read into the wire types. The names of the fields are those of `wire!`.
//!
//! A decoder that serde derives is made anew for each type and for each field. Here a type only says which field has which name;
//! what reads is one piece of code, which knows the types by [`Fill`] and the source by [`Input`].

use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::amount::{Amount, Amounts};
use super::groups::DisruptionMode;
use super::storage::Annotations;
use super::text::{Map, Str};

/// What can be read from a value of JSON.
pub trait Fill<'a> {
    /// Reads the value into what is still empty. The value is not null: a field that is null stays empty, as in Go, and an item of a
    /// list must not be null.
    fn fill(&mut self, input: &mut dyn Input<'a>) -> Result<(), Refused>;
}

/// An object, by its fields.
pub trait Record<'a> {
    /// The names of the fields that are read.
    fn names(&self) -> &'static [&'static str];

    /// The field of this name, with its number among the fields; `None` if it is not read.
    fn field(&mut self, name: &str) -> Option<(u32, &mut dyn Fill<'a>)>;
}

/// A list.
pub trait Items<'a> {
    /// Adds an empty item.
    fn add(&mut self) -> Option<&mut dyn Fill<'a>>;
}

/// A map of names to values.
pub trait Named<'a> {
    /// Adds an empty value of this name.
    fn add(&mut self, name: Str<'a>) -> Option<&mut dyn Fill<'a>>;

    /// Keeps the last of the values that have the same name, once all have been added.
    fn settle(&mut self);
}

/// The value is of another type. The [`Input`] has the decoder's error.
#[derive(Debug, Clone, Copy)]
pub struct Refused;

/// A value that is still to be read, by one of these methods.
pub trait Input<'a> {
    fn text(&mut self, target: &mut Str<'a>) -> Result<(), Refused>;
    fn amount(&mut self, target: &mut Amount<'a>) -> Result<(), Refused>;
    fn boolean(&mut self, target: &mut bool) -> Result<(), Refused>;
    fn number32(&mut self, target: &mut i32) -> Result<(), Refused>;
    fn number64(&mut self, target: &mut i64) -> Result<(), Refused>;
    fn texts(&mut self, target: &mut Map<'a>) -> Result<(), Refused>;
    fn amounts(&mut self, target: &mut Amounts<'a>) -> Result<(), Refused>;
    fn annotations(&mut self, target: &mut Annotations<'a>) -> Result<(), Refused>;
    fn disruption_mode(&mut self, target: &mut DisruptionMode) -> Result<(), Refused>;
    fn record(&mut self, target: &mut dyn Record<'a>) -> Result<(), Refused>;
    fn items(&mut self, target: &mut dyn Items<'a>) -> Result<(), Refused>;
    fn named(&mut self, target: &mut dyn Named<'a>) -> Result<(), Refused>;
}

/// Reads an object.
pub(super) fn read_record<'de, D: Deserializer<'de>>(input: D, target: &mut dyn Record<'de>) -> Result<(), D::Error> {
    input.deserialize_struct("", target.names(), RecordVisitor(target))
}

/// Reads what is left of an object.
pub(super) fn read_fields<'de, A: MapAccess<'de>>(map: A, target: &mut dyn Record<'de>) -> Result<(), A::Error> {
    RecordVisitor(target).visit_map(map)
}

/// Reads a map of names to values.
pub(super) fn read_named<'de, D: Deserializer<'de>>(input: D, target: &mut dyn Named<'de>) -> Result<(), D::Error> {
    input.deserialize_map(NamedVisitor(target))
}

/// A serde decoder as an [`Input`].
struct Source<D, E> {
    /// `None` once it has been read.
    input: Option<D>,
    error: Option<E>,
}

fn fill<'de, D: Deserializer<'de>>(input: D, target: &mut dyn Fill<'de>) -> Result<(), D::Error> {
    let mut source = Source { input: Some(input), error: None };
    let filled = target.fill(&mut source);
    match (filled, source.error) {
        (Ok(()), _) => Ok(()),
        (Err(Refused), Some(error)) => Err(error),
        (Err(Refused), None) => Err(D::Error::custom("a value that was read before")),
    }
}

impl<'de, D: Deserializer<'de>> Source<D, D::Error> {
    fn read(&mut self, read: impl FnOnce(D) -> Result<(), D::Error>) -> Result<(), Refused> {
        let input = self.input.take().ok_or(Refused)?;
        read(input).map_err(|error| {
            self.error = Some(error);
            Refused
        })
    }

    fn read_as<T: Deserialize<'de>>(&mut self, target: &mut T) -> Result<(), Refused> {
        self.read(|input| {
            *target = T::deserialize(input)?;
            Ok(())
        })
    }
}

impl<'de, D: Deserializer<'de>> Input<'de> for Source<D, D::Error> {
    fn text(&mut self, target: &mut Str<'de>) -> Result<(), Refused> {
        self.read_as(target)
    }
    fn amount(&mut self, target: &mut Amount<'de>) -> Result<(), Refused> {
        self.read_as(target)
    }
    fn boolean(&mut self, target: &mut bool) -> Result<(), Refused> {
        self.read_as(target)
    }
    fn number32(&mut self, target: &mut i32) -> Result<(), Refused> {
        self.read_as(target)
    }
    fn number64(&mut self, target: &mut i64) -> Result<(), Refused> {
        self.read_as(target)
    }
    fn texts(&mut self, target: &mut Map<'de>) -> Result<(), Refused> {
        self.read_as(target)
    }
    fn amounts(&mut self, target: &mut Amounts<'de>) -> Result<(), Refused> {
        self.read_as(target)
    }
    fn annotations(&mut self, target: &mut Annotations<'de>) -> Result<(), Refused> {
        self.read_as(target)
    }
    fn disruption_mode(&mut self, target: &mut DisruptionMode) -> Result<(), Refused> {
        self.read_as(target)
    }
    fn record(&mut self, target: &mut dyn Record<'de>) -> Result<(), Refused> {
        self.read(|input| read_record(input, target))
    }
    fn items(&mut self, target: &mut dyn Items<'de>) -> Result<(), Refused> {
        self.read(|input| input.deserialize_seq(ItemsVisitor(target)))
    }
    fn named(&mut self, target: &mut dyn Named<'de>) -> Result<(), Refused> {
        self.read(|input| read_named(input, target))
    }
}

struct RecordVisitor<'t, 'de>(&'t mut dyn Record<'de>);

impl<'de> Visitor<'de> for RecordVisitor<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        // The numbers of the fields that were there.
        let mut seen = 0u64;
        while let Some(name) = map.next_key::<Str<'de>>()? {
            let Some((number, target)) = self.0.field(&name) else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            // The last one counts, and nothing of those before it: the lenient decoder sees to that.
            let bit = 1u64.checked_shl(number).unwrap_or(0);
            if seen & bit != 0 {
                return Err(A::Error::custom(format_args!("duplicate field `{}`", &*name)));
            }
            seen |= bit;
            map.next_value_seed(Nullable(target))?;
        }
        Ok(())
    }
}

/// A value that is left empty if it is null.
struct Nullable<'t, 'de>(&'t mut dyn Fill<'de>);

impl<'de> DeserializeSeed<'de> for Nullable<'_, 'de> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<(), D::Error> {
        input.deserialize_option(self)
    }
}

impl<'de> Visitor<'de> for Nullable<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a value or null")
    }
    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }
    fn visit_none<E: Error>(self) -> Result<(), E> {
        Ok(())
    }
    fn visit_some<D: Deserializer<'de>>(self, input: D) -> Result<(), D::Error> {
        fill(input, self.0)
    }
}

struct ItemsVisitor<'t, 'de>(&'t mut dyn Items<'de>);

impl<'de> Visitor<'de> for ItemsVisitor<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a sequence")
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while seq.next_element_seed(NextItem(self.0))?.is_some() {}
        Ok(())
    }
}

/// The next item of a list, if there is one.
struct NextItem<'t, 'de>(&'t mut dyn Items<'de>);

impl<'de> DeserializeSeed<'de> for NextItem<'_, 'de> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<(), D::Error> {
        match self.0.add() {
            Some(item) => fill(input, item),
            None => Err(D::Error::custom("an item of a list that takes none")),
        }
    }
}

struct NamedVisitor<'t, 'de>(&'t mut dyn Named<'de>);

impl<'de> Visitor<'de> for NamedVisitor<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<Str<'de>>()? {
            if let Some(value) = self.0.add(name) {
                map.next_value_seed(Nullable(value))?;
            }
        }
        self.0.settle();
        Ok(())
    }
}

impl<'a> Fill<'a> for Str<'a> {
    fn fill(&mut self, input: &mut dyn Input<'a>) -> Result<(), Refused> {
        input.text(self)
    }
}

impl<'a> Fill<'a> for bool {
    fn fill(&mut self, input: &mut dyn Input<'a>) -> Result<(), Refused> {
        input.boolean(self)
    }
}

impl<'a> Fill<'a> for i32 {
    fn fill(&mut self, input: &mut dyn Input<'a>) -> Result<(), Refused> {
        input.number32(self)
    }
}

impl<'a> Fill<'a> for i64 {
    fn fill(&mut self, input: &mut dyn Input<'a>) -> Result<(), Refused> {
        input.number64(self)
    }
}

impl<'a> Fill<'a> for Map<'a> {
    fn fill(&mut self, input: &mut dyn Input<'a>) -> Result<(), Refused> {
        input.texts(self)
    }
}

impl<'a> Fill<'a> for Amount<'a> {
    fn fill(&mut self, input: &mut dyn Input<'a>) -> Result<(), Refused> {
        input.amount(self)
    }
}

impl<'a> Fill<'a> for Amounts<'a> {
    fn fill(&mut self, input: &mut dyn Input<'a>) -> Result<(), Refused> {
        input.amounts(self)
    }
}

impl<'a> Fill<'a> for Annotations<'a> {
    fn fill(&mut self, input: &mut dyn Input<'a>) -> Result<(), Refused> {
        input.annotations(self)
    }
}

impl<'a> Fill<'a> for DisruptionMode {
    fn fill(&mut self, input: &mut dyn Input<'a>) -> Result<(), Refused> {
        input.disruption_mode(self)
    }
}

impl<'a, T: Default + Fill<'a>> Fill<'a> for Option<T> {
    fn fill(&mut self, input: &mut dyn Input<'a>) -> Result<(), Refused> {
        self.insert(T::default()).fill(input)
    }
}

impl<'a, T: Default + Fill<'a>> Fill<'a> for Vec<T> {
    fn fill(&mut self, input: &mut dyn Input<'a>) -> Result<(), Refused> {
        input.items(self)
    }
}

impl<'a, T: Default + Fill<'a>> Items<'a> for Vec<T> {
    fn add(&mut self) -> Option<&mut dyn Fill<'a>> {
        self.push(T::default());
        Some(self.last_mut()?)
    }
}

impl<'a, T: Record<'a>> Record<'a> for Box<T> {
    fn names(&self) -> &'static [&'static str] {
        self.as_ref().names()
    }
    fn field(&mut self, name: &str) -> Option<(u32, &mut dyn Fill<'a>)> {
        self.as_mut().field(name)
    }
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

/// Says which field of a struct has which name in JSON: its own, or the one that stands beside it.
macro_rules! record {
    ($name:ident<$life:lifetime> { $($field:ident $(= $rename:literal)?),* $(,)? }) => {
        crate::snapshot::json::record!(@impl $name<$life>, $($field $(= $rename)?),*);

        impl<'de: $life, $life> serde::Deserialize<'de> for $name<$life> {
            fn deserialize<D: serde::Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
                let mut record = $name::<'de>::default();
                crate::snapshot::json::read_record(input, &mut record)?;
                Ok(record)
            }
        }
    };
    ($name:ident { $($field:ident $(= $rename:literal)?),* $(,)? }) => {
        crate::snapshot::json::record!(@impl $name, $($field $(= $rename)?),*);

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
                &[$(crate::snapshot::json::record!(@name $field $($rename)?)),*]
            }

            fn field(&mut self, name: &str) -> Option<(u32, &mut dyn crate::snapshot::json::Fill<'a>)> {
                let number = 0;
                $(
                    if name == crate::snapshot::json::record!(@name $field $($rename)?) {
                        return Some((number, &mut self.$field));
                    }
                    let number = number + 1;
                )*
                let _ = (number, name);
                None
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
        static NAME: crate::snapshot::json::FieldName<{ stringify!($field).len() }> =
            crate::snapshot::json::FieldName::of(stringify!($field));
        const TEXT: &str = NAME.as_str();
        TEXT
    }};
    (@name $field:ident $rename:literal) => {
        $rename
    };
}
pub(super) use record;

#[cfg(test)]
mod tests;

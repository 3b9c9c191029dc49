//! The values of JSON, read into the wire types. The names of the fields are those of `wire!`.
//!
//! A decoder that serde derives is made anew for each type and for each field. Here a type only
//! says which field has which name; what reads is one piece of code, which knows the types by
//! [`Fill`] and the source by [`Input`].

use std::fmt;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess,
    Unexpected, Visitor,
};

use super::text::{Entries, Map, Str, keep_last};

/// What can be read from a value of JSON.
pub trait Fill<'a> {
    /// Reads the value into what is still empty. The value is not null: a field that is null stays
    /// empty, as in Go, and an item of a list must not be null.
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
    /// Its name in errors.
    fn expected(&self) -> &'static str {
        "an object"
    }

    /// Adds an empty value of this name; `None` if it is not read.
    fn add(&mut self, name: Str<'a>) -> Option<&mut dyn Fill<'a>>;

    /// Keeps the last of the values that have the same name, once all have been added.
    fn settle(&mut self);
}

/// One of several names, which is written as text, or as an object with one field of this name.
pub trait Choice {
    /// Its name in errors.
    fn expected(&self) -> &'static str;

    /// Takes the text; `false` if it is none of the names.
    fn take_text(&mut self, text: &str) -> bool;

    /// Takes the name of a field; `false` if it is none of the names.
    fn take_field(&mut self, name: &str) -> bool;
}

/// The value is of another type. The [`Input`] has the decoder's error.
#[derive(Debug, Clone, Copy)]
pub struct Refused;

/// A value that is still to be read, by one of these methods.
pub trait Input<'a> {
    fn text(&mut self, target: &mut Str<'a>) -> Result<(), Refused>;
    fn quantity(&mut self, target: &mut Str<'a>) -> Result<(), Refused>;
    fn boolean(&mut self, target: &mut bool) -> Result<(), Refused>;
    fn number32(&mut self, target: &mut i32) -> Result<(), Refused>;
    fn number64(&mut self, target: &mut i64) -> Result<(), Refused>;
    fn texts(&mut self, target: &mut Map<'a>) -> Result<(), Refused>;
    fn choice(&mut self, target: &mut dyn Choice) -> Result<(), Refused>;
    fn record(&mut self, target: &mut dyn Record<'a>) -> Result<(), Refused>;
    fn items(&mut self, target: &mut dyn Items<'a>) -> Result<(), Refused>;
    fn named(&mut self, target: &mut dyn Named<'a>) -> Result<(), Refused>;
}

/// Reads an object.
pub(super) fn read_record<'de, D: Deserializer<'de>>(
    input: D,
    target: &mut dyn Record<'de>,
) -> Result<(), D::Error> {
    input.deserialize_struct("", target.names(), RecordVisitor(target))
}

/// Reads what is left of an object.
pub(super) fn read_fields<'de, A: MapAccess<'de>>(
    map: A,
    target: &mut dyn Record<'de>,
) -> Result<(), A::Error> {
    RecordVisitor(target).visit_map(map)
}

/// Reads a map of names to values.
pub(super) fn read_named<'de, D: Deserializer<'de>>(
    input: D,
    target: &mut dyn Named<'de>,
) -> Result<(), D::Error> {
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
    fn quantity(&mut self, target: &mut Str<'de>) -> Result<(), Refused> {
        self.read(|input| input.deserialize_any(QuantityVisitor(target)))
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
    fn choice(&mut self, target: &mut dyn Choice) -> Result<(), Refused> {
        self.read(|input| input.deserialize_any(ChoiceVisitor(target)))
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
            // The last one counts, and nothing of those before it: the lenient decoder sees to
            // that.
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
        f.write_str(self.0.expected())
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<Str<'de>>()? {
            match self.0.add(name) {
                Some(value) => map.next_value_seed(Nullable(value))?,
                None => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        self.0.settle();
        Ok(())
    }
}

struct QuantityVisitor<'t, 'de>(&'t mut Str<'de>);

impl<'de> Visitor<'de> for QuantityVisitor<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a quantity")
    }
    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<(), E> {
        *self.0 = text.into();
        Ok(())
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        *self.0 = text.to_owned().into();
        Ok(())
    }
    fn visit_u64<E: Error>(self, number: u64) -> Result<(), E> {
        *self.0 = number.to_string().into();
        Ok(())
    }
    fn visit_i64<E: Error>(self, number: i64) -> Result<(), E> {
        *self.0 = number.to_string().into();
        Ok(())
    }
    fn visit_f64<E: Error>(self, number: f64) -> Result<(), E> {
        *self.0 = number.to_string().into();
        Ok(())
    }
}

struct ChoiceVisitor<'t>(&'t mut dyn Choice);

impl<'de> Visitor<'de> for ChoiceVisitor<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.0.expected())
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        if self.0.take_text(text) {
            Ok(())
        } else {
            Err(E::invalid_value(Unexpected::Str(text), &self))
        }
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut unknown = None;
        while let Some(name) = map.next_key::<Str<'de>>()? {
            let is_set = map.next_value::<Option<IgnoredAny>>()?.is_some();
            if is_set && !self.0.take_field(&name) {
                unknown = unknown.or(Some(name));
            }
        }
        // After the last field, the error concerns the object, not one of its fields.
        match unknown {
            Some(name) => Err(A::Error::invalid_value(Unexpected::Str(&name), &self)),
            None => Ok(()),
        }
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

impl<'a, T: Default + Fill<'a>> Fill<'a> for Entries<'a, T> {
    fn fill(&mut self, input: &mut dyn Input<'a>) -> Result<(), Refused> {
        input.named(self)
    }
}

impl<'a, T: Default + Fill<'a>> Named<'a> for Entries<'a, T> {
    fn add(&mut self, name: Str<'a>) -> Option<&mut dyn Fill<'a>> {
        self.0.push((name, T::default()));
        self.0.last_mut().map(|(_, value)| value as _)
    }

    fn settle(&mut self) {
        keep_last(&mut self.0);
    }
}

impl<'de: 'a, 'a, T: Default + Fill<'de>> Deserialize<'de> for Entries<'a, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut entries = Entries::<'de, T>::default();
        read_named(deserializer, &mut entries)?;
        Ok(entries)
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use crate::snapshot::Kind;
    use crate::snapshot::meta::LabelSelector;
    use crate::snapshot::pod::{Pod, PodSpec};
    use crate::snapshot::record::FieldName;

    #[test]
    fn field_names_are_written_as_in_json() {
        const TEXT: [&str; 4] = [
            FieldName::<8>::of("topology").as_str(),
            FieldName::<9>::of("node_name").as_str(),
            FieldName::<30>::of("node_allocatable_resource_a_b1").as_str(),
            FieldName::<0>::of("").as_str(),
        ];
        assert_eq!(TEXT, ["topology", "nodeName", "nodeAllocatableResourceAB1", ""]);
    }

    #[test]
    fn null_amount_in_a_map_is_zero() {
        let spec: PodSpec =
            serde_json::from_str(r#"{"overhead":{"cpu":null,"memory":"1Gi","pods":110}}"#).unwrap();
        let amounts: Vec<_> = spec.overhead.iter().collect();
        assert_eq!(amounts, [("cpu", "0"), ("memory", "1Gi"), ("pods", "110")]);
    }

    #[test]
    fn null_leaves_a_field_empty_and_is_no_item() {
        let spec: PodSpec = serde_json::from_str(
            r#"{"nodeName":null,"priority":null,"tolerations":null,"affinity":null,"overhead":null}"#,
        )
        .unwrap();
        assert_eq!(spec, PodSpec::default());
        let error = serde_json::from_str::<PodSpec>(r#"{"tolerations":[null]}"#).unwrap_err();
        assert_eq!(error.to_string(), "invalid type: null, expected an object at line 1 column 20");
    }

    #[test]
    fn values_of_another_type_are_refused() {
        for (text, problem) in [
            (r#"{"nodeName":1}"#, "invalid type: integer `1`, expected a string"),
            (
                r#"{"nodeSelector":[]}"#,
                "invalid type: sequence, expected an object with string values",
            ),
            (r#"{"nodeSelector":{"a":1}}"#, "invalid type: integer `1`, expected a string"),
            (r#"{"priority":2147483648}"#, "invalid value: integer `2147483648`, expected i32"),
            (r#"{"hostNetwork":"x"}"#, "invalid type: string \"x\", expected a boolean"),
            (r#"{"containers":{}}"#, "invalid type: map, expected a sequence"),
            (r#"{"containers":[[]]}"#, "invalid type: sequence, expected an object"),
            (r#"{"overhead":{"cpu":[]}}"#, "invalid type: sequence, expected a quantity"),
            (r#"{"nodeName":"a","nodeName":"b"}"#, "duplicate field `nodeName`"),
            ("[]", "invalid type: sequence, expected an object"),
        ] {
            let error = serde_json::from_str::<PodSpec>(text).unwrap_err().to_string();
            assert!(error.starts_with(&format!("{problem} at line 1 column ")), "{text}: {error}");
        }
    }

    #[test]
    fn fields_that_are_written_are_read() {
        let text = json!({
            "metadata": {"name": "p", "labels": {"a": "b"}, "annotations": {"kubernetes.io/config.mirror": "x"}},
            "spec": {
                "nodeName": "n",
                "containers": [{"name": "c", "ports": [{"hostIP": "1.2.3.4", "hostPort": 80, "protocol": "TCP"}]}],
                "overhead": {"cpu": "1"},
                "priority": 7,
                "volumes": [{"name": "v", "cinder": {"volumeID": "x"}, "emptyDir": {}}],
                "affinity": {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
                    {"weight": 1, "preference": {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]}}
                ]}},
            },
            "status": {"conditions": [{"type": "PodScheduled", "status": "False", "message": "m"}]},
        });
        let text = text.to_string();
        let object = Kind::Pod.decode_json(&text).unwrap();
        let written: serde_json::Value = serde_json::from_str(&object.to_json().unwrap()).unwrap();
        assert_eq!(written, serde_json::from_str::<serde_json::Value>(&text).unwrap());
        assert_eq!(Kind::Pod.decode_json(&object.to_json().unwrap()).unwrap(), object);
    }

    #[test]
    fn wire_types_are_decoded_by_any_decoder_of_serde() {
        let (labels, priority) =
            (json!({"matchLabels": {"a": "b"}}), json!({"spec": {"priority": "high"}}));
        assert_eq!(LabelSelector::deserialize(&labels).unwrap().match_labels.get("a"), Some("b"));
        assert!(Pod::deserialize(&priority).is_err());
    }
}

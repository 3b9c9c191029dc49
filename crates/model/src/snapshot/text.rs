//! Text and maps of the wire types: borrowed from the input where the encoding allows it.

use std::borrow::Cow;
use std::fmt;
use std::hash::Hash;

use indexmap::IndexMap;
use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};
use serde::{Serialize, Serializer};

/// A string of a Kubernetes object.
#[derive(Debug, Default, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Str<'a>(pub Cow<'a, str>);

impl Str<'_> {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the text is empty, which in the API means the same as absent.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl std::ops::Deref for Str<'_> {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}

impl<'a> From<&'a str> for Str<'a> {
    fn from(text: &'a str) -> Self {
        Self(Cow::Borrowed(text))
    }
}

impl From<String> for Str<'_> {
    fn from(text: String) -> Self {
        Self(Cow::Owned(text))
    }
}

struct StrVisitor;

impl<'de> Visitor<'de> for StrVisitor {
    type Value = Str<'de>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a string")
    }
    fn visit_borrowed_str<E: de::Error>(self, v: &'de str) -> Result<Self::Value, E> {
        Ok(Str(Cow::Borrowed(v)))
    }
    fn visit_str<E: de::Error>(self, v: &str) -> Result<Self::Value, E> {
        Ok(Str(Cow::Owned(v.to_owned())))
    }
    fn visit_string<E: de::Error>(self, v: String) -> Result<Self::Value, E> {
        Ok(Str(Cow::Owned(v)))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Str<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrVisitor)
    }
}

/// A `map[string]string`, in the order of the input. A repeated key keeps its last value, as in Go.
#[derive(Debug, Default, Clone, PartialEq, Eq, Hash)]
pub struct Map<'a>(pub Vec<(Str<'a>, Str<'a>)>);

impl<'a> Map<'a> {
    /// Key and value pairs in input order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(k, v)| (k.as_str(), v.as_str()))
    }

    /// The value of `key`.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.iter().find(|(k, _)| *k == key).map(|(_, v)| v)
    }

    /// Sets `key`, replacing an earlier value.
    pub fn insert(&mut self, key: Str<'a>, value: Str<'a>) {
        match self.0.iter_mut().find(|(k, _)| *k == key) {
            Some(entry) => entry.1 = value,
            None => self.0.push((key, value)),
        }
    }
}

impl Serialize for Map<'_> {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        output.collect_map(self.iter())
    }
}

/// Up to this many pairs, which few objects exceed, every key is compared with all others. Beyond
/// it that would take the square of their number, and they are found by their hash.
const FEW: usize = 16;

/// The pairs of a map while it is decoded: each key at its first place, with its last value.
struct LastOfEach<K, V> {
    few: Vec<(K, V)>,
    many: IndexMap<K, V, foldhash::fast::RandomState>,
}

impl<K: Eq + Hash, V> LastOfEach<K, V> {
    fn new() -> Self {
        Self { few: Vec::with_capacity(4), many: IndexMap::default() }
    }

    fn insert(&mut self, key: K, value: V) {
        if !self.many.is_empty() {
            self.many.insert(key, value);
        } else if let Some(entry) = self.few.iter_mut().find(|(known, _)| *known == key) {
            entry.1 = value;
        } else {
            self.few.push((key, value));
            if self.few.len() > FEW {
                self.many.extend(self.few.drain(..));
            }
        }
    }

    fn finish(self) -> Vec<(K, V)> {
        if self.many.is_empty() { self.few } else { self.many.into_iter().collect() }
    }
}

struct MapVisitor;

impl<'de> Visitor<'de> for MapVisitor {
    type Value = Map<'de>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object with string values")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
        let mut pairs = LastOfEach::new();
        while let Some(key) = access.next_key::<Str<'de>>()? {
            let value = access.next_value::<Option<Str<'de>>>()?.unwrap_or_default();
            pairs.insert(key, value);
        }
        Ok(Map(pairs.finish()))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Map<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MapVisitor)
    }
}

/// A map of names to structs, in the order of the input. A repeated key keeps its last value, as in
/// Go.
#[derive(Debug, Clone, PartialEq)]
pub struct Entries<'a, T>(pub Vec<(Str<'a>, T)>);

impl<T> Default for Entries<'_, T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'a, T> Entries<'a, T> {
    /// Name and value pairs in input order.
    pub fn iter(&self) -> impl Iterator<Item = (&Str<'a>, &T)> {
        self.0.iter().map(|(name, value)| (name, value))
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T: Serialize> Serialize for Entries<'_, T> {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        output.collect_map(self.iter())
    }
}

/// Leaves each name at its first place, with its last value.
pub(super) fn keep_last<V>(entries: &mut Vec<(Str, V)>) {
    if !have_equal(&entries.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>()) {
        return;
    }
    let mut last = LastOfEach::new();
    for (name, value) in entries.drain(..) {
        last.insert(name, value);
    }
    *entries = last.finish();
}

/// Whether two of the names are equal.
fn have_equal(names: &[&str]) -> bool {
    if names.len() <= FEW {
        return names
            .iter()
            .enumerate()
            .any(|(index, name)| names.iter().take(index).any(|before| before == name));
    }
    let mut sorted = names.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).any(|pair| matches!(pair, [a, b] if a == b))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::hash::{Hash, Hasher};

    use super::*;

    thread_local! { static COMPARED: Cell<usize> = const { Cell::new(0) }; }

    /// A key that counts how often it is compared.
    struct Counted(usize);

    impl PartialEq for Counted {
        fn eq(&self, other: &Self) -> bool {
            COMPARED.set(COMPARED.get() + 1);
            self.0 == other.0
        }
    }
    impl Eq for Counted {}
    impl Hash for Counted {
        fn hash<H: Hasher>(&self, state: &mut H) {
            self.0.hash(state);
        }
    }

    #[test]
    fn many_keys_are_not_each_compared_with_all_others() {
        let mut pairs = LastOfEach::new();
        for key in (0..20_000).chain(0..20_000) {
            pairs.insert(Counted(key), key);
        }
        assert_eq!(pairs.finish().len(), 20_000);
        assert!(COMPARED.get() < 100_000, "{} comparisons", COMPARED.get());
    }

    #[test]
    fn a_repeated_key_keeps_its_first_place_and_its_last_value() {
        for keys in [3, FEW, FEW + 1, 5 * FEW] {
            let names: Vec<String> = (0..keys).map(|key| format!("k{key}")).collect();
            let pairs = names
                .iter()
                .map(|name| format!("\"{name}\":\"old\""))
                .chain(["\"k1\":\"new\"".to_owned()]);
            let text = format!("{{{}}}", pairs.collect::<Vec<_>>().join(","));
            let map: Map = serde_json::from_str(&text).unwrap();
            assert_eq!(map.iter().map(|(key, _)| key).collect::<Vec<_>>(), names);
            assert_eq!((map.get("k0"), map.get("k1")), (Some("old"), Some("new")));
            let entries: Entries<Str> = serde_json::from_str(&text).unwrap();
            assert_eq!(
                entries.iter().map(|(key, value)| (&**key, &**value)).collect::<Vec<_>>(),
                map.iter().collect::<Vec<_>>()
            );
        }
    }
}

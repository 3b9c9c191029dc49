//! A map in a vector that is sorted by key.

use std::borrow::Borrow;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, RangeBounds};
use std::{slice, vec};

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::IndexSort as _;

/// How many times more entries than new ones a map has, for these to be few.
pub(crate) const FEW: usize = 8;

/// A map whose entries are in the order of their keys, with the names of
/// [`std::collections::BTreeMap`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SortedMap<K, V> {
    /// Strictly ascending by key.
    entries: Vec<(K, V)>,
}

impl<K, V> SortedMap<K, V> {
    #[must_use]
    pub const fn new() -> Self {
        Self { entries: Vec::new() }
    }

    #[must_use]
    pub const fn len(&self) -> usize {
        self.entries.len()
    }

    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entries, by key.
    #[must_use]
    pub fn as_slice(&self) -> &[(K, V)] {
        &self.entries
    }

    pub fn iter(&self) -> Iter<'_, K, V> {
        Iter(self.entries.iter())
    }

    pub fn iter_mut(&mut self) -> IterMut<'_, K, V> {
        IterMut(self.entries.iter_mut())
    }

    pub fn keys(&self) -> Keys<'_, K, V> {
        self.entries.iter().map(|(key, _)| key)
    }

    pub fn values(&self) -> Values<'_, K, V> {
        self.entries.iter().map(|(_, value)| value)
    }

    pub fn values_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut V> + ExactSizeIterator {
        self.entries.iter_mut().map(|(_, value)| value)
    }

    pub fn into_keys(self) -> impl DoubleEndedIterator<Item = K> + ExactSizeIterator {
        self.entries.into_iter().map(|(key, _)| key)
    }

    pub fn into_values(self) -> impl DoubleEndedIterator<Item = V> + ExactSizeIterator {
        self.entries.into_iter().map(|(_, value)| value)
    }

    pub fn retain(&mut self, mut keeps: impl FnMut(&K, &mut V) -> bool) {
        self.entries.retain_mut(|(key, value)| keeps(key, value));
    }
}

impl<K: Ord, V> SortedMap<K, V> {
    /// The place of a key, or where it would be inserted.
    fn find<Q: Ord + ?Sized>(&self, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        // Keys mostly come in their order.
        match self.entries.last() {
            Some((last, _)) if last.borrow() < key => Err(self.entries.len()),
            _ => self.entries.binary_search_by(|(known, _)| known.borrow().cmp(key)),
        }
    }

    #[must_use]
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        let (_, value) = self.entries.get(self.find(key).ok()?)?;
        Some(value)
    }

    /// The entry of a key, with the key as the map has it.
    #[must_use]
    pub fn get_key_value<Q: Ord + ?Sized>(&self, key: &Q) -> Option<(&K, &V)>
    where
        K: Borrow<Q>,
    {
        let (key, value) = self.entries.get(self.find(key).ok()?)?;
        Some((key, value))
    }

    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let at = self.find(key).ok()?;
        let (_, value) = self.entries.get_mut(at)?;
        Some(value)
    }

    #[must_use]
    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.find(key).is_ok()
    }

    /// Sets the value of a key, and returns the one that it had.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.find(&key) {
            Ok(at) => self.entries.get_mut(at).map(|(_, known)| std::mem::replace(known, value)),
            Err(at) => {
                self.entries.insert(at, (key, value));
                None
            }
        }
    }

    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let at = self.find(key).ok()?;
        Some(self.entries.remove(at).1)
    }

    /// The place of a key, for what depends on whether there is one.
    pub fn entry(&mut self, key: K) -> Entry<'_, K, V> {
        let at = self.find(&key);
        Entry { entries: &mut self.entries, key, at }
    }

    /// The entries whose keys are in a range.
    pub fn range<R: RangeBounds<K>>(&self, range: R) -> impl DoubleEndedIterator<Item = (&K, &V)> {
        self.iter().filter(move |(key, _)| range.contains(key))
    }

    /// Restores the order after entries were appended: the later of two with the same key counts.
    fn restore(&mut self) {
        let ascends = |pair: &[(K, V)]| matches!(pair, [a, b] if a.0 < b.0);
        if self.entries.windows(2).all(ascends) {
            return;
        }
        self.entries.index_sort_by(|(a, _), (b, _)| a.cmp(b));
        self.entries.dedup_by(|later, kept| {
            let same = later.0 == kept.0;
            if same {
                std::mem::swap(later, kept);
            }
            same
        });
    }
}

/// The place of a key in a map.
#[derive(Debug)]
pub struct Entry<'m, K, V> {
    entries: &'m mut Vec<(K, V)>,
    key: K,
    at: Result<usize, usize>,
}

impl<'m, K, V> Entry<'m, K, V> {
    /// The value, which `make` makes if there is none.
    #[expect(clippy::indexing_slicing, reason = "the entry was found or is inserted there")]
    pub fn or_insert_with(self, make: impl FnOnce() -> V) -> &'m mut V {
        let at = match self.at {
            Ok(at) => at,
            Err(at) => {
                self.entries.insert(at, (self.key, make()));
                at
            }
        };
        &mut self.entries[at].1
    }

    pub fn or_insert(self, value: V) -> &'m mut V {
        self.or_insert_with(|| value)
    }

    pub fn or_default(self) -> &'m mut V
    where
        V: Default,
    {
        self.or_insert_with(V::default)
    }

    /// Changes the value if there is one.
    #[must_use]
    pub fn and_modify(self, change: impl FnOnce(&mut V)) -> Self {
        if let Ok(at) = self.at
            && let Some((_, value)) = self.entries.get_mut(at)
        {
            change(value);
        }
        self
    }
}

impl<K, V> Default for SortedMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for SortedMap<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for SortedMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Self { entries: entries.into_iter().collect() };
        map.restore();
        map
    }
}

impl<K: Ord, V, const N: usize> From<[(K, V); N]> for SortedMap<K, V> {
    fn from(entries: [(K, V); N]) -> Self {
        Self::from_iter(entries)
    }
}

impl<K: Ord, V> Extend<(K, V)> for SortedMap<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        let known = self.entries.len();
        self.entries.extend(entries);
        // To look through all entries for a few new ones would make a loop of extending quadratic.
        if known > FEW * (self.entries.len() - known) {
            for (key, value) in self.entries.split_off(known) {
                self.insert(key, value);
            }
        } else {
            self.restore();
        }
    }
}

impl<K: Ord + Borrow<Q>, Q: Ord + ?Sized, V> Index<&Q> for SortedMap<K, V> {
    type Output = V;

    #[expect(clippy::expect_used, reason = "an index that is out of bounds panics everywhere")]
    fn index(&self, key: &Q) -> &V {
        self.get(key).expect("the key is in the map")
    }
}

impl<K, V> IntoIterator for SortedMap<K, V> {
    type Item = (K, V);
    type IntoIter = IntoIter<K, V>;

    fn into_iter(self) -> IntoIter<K, V> {
        self.entries.into_iter()
    }
}

impl<'m, K, V> IntoIterator for &'m SortedMap<K, V> {
    type Item = (&'m K, &'m V);
    type IntoIter = Iter<'m, K, V>;

    fn into_iter(self) -> Iter<'m, K, V> {
        self.iter()
    }
}

impl<'m, K, V> IntoIterator for &'m mut SortedMap<K, V> {
    type Item = (&'m K, &'m mut V);
    type IntoIter = IterMut<'m, K, V>;

    fn into_iter(self) -> IterMut<'m, K, V> {
        self.iter_mut()
    }
}

impl<K: Serialize, V: Serialize> Serialize for SortedMap<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self)
    }
}

impl<'de, K: Deserialize<'de> + Ord, V: Deserialize<'de>> Deserialize<'de> for SortedMap<K, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Entries(PhantomData))
    }
}

/// Reads the entries of a map in whatever order they come.
struct Entries<K, V>(PhantomData<(K, V)>);

impl<'de, K: Deserialize<'de> + Ord, V: Deserialize<'de>> Visitor<'de> for Entries<K, V> {
    type Value = SortedMap<K, V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut read: A) -> Result<Self::Value, A::Error> {
        let mut map = SortedMap::new();
        while let Some(entry) = read.next_entry()? {
            map.entries.push(entry);
        }
        map.restore();
        Ok(map)
    }
}

/// The keys of a map.
pub type Keys<'m, K, V> = std::iter::Map<slice::Iter<'m, (K, V)>, fn(&'m (K, V)) -> &'m K>;

/// The values of a map.
pub type Values<'m, K, V> = std::iter::Map<slice::Iter<'m, (K, V)>, fn(&'m (K, V)) -> &'m V>;

/// The entries of a map that is used up.
pub type IntoIter<K, V> = vec::IntoIter<(K, V)>;

/// The entries of a map.
#[derive(Debug)]
pub struct Iter<'m, K, V>(slice::Iter<'m, (K, V)>);

impl<K, V> Clone for Iter<'_, K, V> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<'m, K, V> Iterator for Iter<'m, K, V> {
    type Item = (&'m K, &'m V);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|(key, value)| (key, value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<K, V> DoubleEndedIterator for Iter<'_, K, V> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.0.next_back().map(|(key, value)| (key, value))
    }
}

impl<K, V> ExactSizeIterator for Iter<'_, K, V> {}

/// The entries of a map, whose values may be changed.
#[derive(Debug)]
pub struct IterMut<'m, K, V>(slice::IterMut<'m, (K, V)>);

impl<'m, K, V> Iterator for IterMut<'m, K, V> {
    type Item = (&'m K, &'m mut V);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|(key, value)| (&*key, value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<K, V> ExactSizeIterator for IterMut<'_, K, V> {}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use proptest::prelude::*;

    #[derive(Debug, Clone)]
    enum Change {
        Insert(u8, u16),
        Remove(u8),
        Add(u8, u16),
        Extend(Vec<(u8, u16)>),
        Retain(u8),
    }

    fn change() -> impl Strategy<Value = Change> {
        let entry = || (0u8..20, 0u16..100);
        prop_oneof![
            entry().prop_map(|(key, value)| Change::Insert(key, value)),
            (0u8..20).prop_map(Change::Remove),
            entry().prop_map(|(key, value)| Change::Add(key, value)),
            prop::collection::vec(entry(), 0..10).prop_map(Change::Extend),
            (2u8..5).prop_map(Change::Retain),
        ]
    }

    proptest! {
        #[test]
        fn map_after_any_changes_is_that_of_the_standard_library(
            first in prop::collection::vec((0u8..20, 0u16..100), 0..10),
            changes in prop::collection::vec(change(), 0..30),
        ) {
            let mut expected: BTreeMap<u8, u16> = first.iter().copied().collect();
            let mut map: SortedMap<u8, u16> = first.into_iter().collect();
            for change in changes {
                match change {
                    Change::Insert(key, value) => {
                        prop_assert_eq!(map.insert(key, value), expected.insert(key, value));
                    }
                    Change::Remove(key) => {
                        prop_assert_eq!(map.remove(&key), expected.remove(&key));
                    }
                    Change::Add(key, value) => {
                        *map.entry(key).and_modify(|known| *known += 1).or_default() += value;
                        *expected.entry(key).and_modify(|known| *known += 1).or_default() += value;
                    }
                    Change::Extend(entries) => {
                        map.extend(entries.clone());
                        expected.extend(entries);
                    }
                    Change::Retain(divisor) => {
                        map.retain(|key, _| key % divisor == 0);
                        expected.retain(|key, _| key % divisor == 0);
                    }
                }
                prop_assert!(map.iter().eq(expected.iter()));
                prop_assert!((0..20).all(|key| map.get(&key) == expected.get(&key)));
                prop_assert!(map.range(5..9).eq(expected.range(5..9)));
            }
        }
    }
}

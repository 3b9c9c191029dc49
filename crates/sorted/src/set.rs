//! A set in a sorted vector.

use std::borrow::Borrow;
use std::{fmt, slice, vec};

use crate::IndexSort as _;
use crate::map::FEW;

/// A set whose items are in their order, with the names of [`std::collections::BTreeSet`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SortedSet<T> {
    /// Strictly ascending.
    items: Vec<T>,
}

impl<T> SortedSet<T> {
    #[must_use]
    pub const fn new() -> Self {
        Self { items: Vec::new() }
    }

    #[must_use]
    pub const fn len(&self) -> usize {
        self.items.len()
    }

    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The items in their order.
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        &self.items
    }

    pub fn iter(&self) -> slice::Iter<'_, T> {
        self.items.iter()
    }

    /// The least item.
    #[must_use]
    pub fn first(&self) -> Option<&T> {
        self.items.first()
    }

    /// The greatest item.
    #[must_use]
    pub fn last(&self) -> Option<&T> {
        self.items.last()
    }

    pub fn retain(&mut self, keeps: impl FnMut(&T) -> bool) {
        self.items.retain(keeps);
    }
}

impl<T: Ord> SortedSet<T> {
    /// The place of an item, or where it would be inserted.
    fn find<Q: Ord + ?Sized>(&self, item: &Q) -> Result<usize, usize>
    where
        T: Borrow<Q>,
    {
        // Items mostly come in their order.
        match self.items.last() {
            Some(last) if last.borrow() < item => Err(self.items.len()),
            _ => self.items.binary_search_by(|known| known.borrow().cmp(item)),
        }
    }

    #[must_use]
    pub fn contains<Q: Ord + ?Sized>(&self, item: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.find(item).is_ok()
    }

    /// Adds an item. Returns whether it was missing.
    pub fn insert(&mut self, item: T) -> bool {
        match self.find(&item) {
            Ok(_) => false,
            Err(at) => {
                self.items.insert(at, item);
                true
            }
        }
    }

    /// Removes an item. Returns whether it was there.
    pub fn remove<Q: Ord + ?Sized>(&mut self, item: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        let found = self.find(item);
        if let Ok(at) = found {
            self.items.remove(at);
        }
        found.is_ok()
    }

    /// The items that are in this set and not in the other.
    pub fn difference<'s>(&'s self, other: &'s Self) -> impl DoubleEndedIterator<Item = &'s T> {
        self.items.iter().filter(|item| !other.contains(*item))
    }

    /// The items that are in both sets.
    pub fn intersection<'s>(&'s self, other: &'s Self) -> impl DoubleEndedIterator<Item = &'s T> {
        self.items.iter().filter(|item| other.contains(*item))
    }

    #[must_use]
    pub fn is_subset(&self, other: &Self) -> bool {
        self.items.iter().all(|item| other.contains(item))
    }

    #[must_use]
    pub fn is_disjoint(&self, other: &Self) -> bool {
        !self.items.iter().any(|item| other.contains(item))
    }

    /// Restores the order after items were appended: the first of equal ones stays.
    fn restore(&mut self) {
        if self.items.windows(2).all(|pair| matches!(pair, [a, b] if a < b)) {
            return;
        }
        self.items.index_sort();
        self.items.dedup();
    }
}

impl<T> Default for SortedSet<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: fmt::Debug> fmt::Debug for SortedSet<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self).finish()
    }
}

impl<T: Ord> FromIterator<T> for SortedSet<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut set = Self { items: items.into_iter().collect() };
        set.restore();
        set
    }
}

impl<T: Ord, const N: usize> From<[T; N]> for SortedSet<T> {
    fn from(items: [T; N]) -> Self {
        Self::from_iter(items)
    }
}

impl<T: Ord> Extend<T> for SortedSet<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        let known = self.items.len();
        self.items.extend(items);
        // As for a map.
        if known > FEW * (self.items.len() - known) {
            for item in self.items.split_off(known) {
                self.insert(item);
            }
        } else {
            self.restore();
        }
    }
}

impl<'t, T: Ord + Copy + 't> Extend<&'t T> for SortedSet<T> {
    fn extend<I: IntoIterator<Item = &'t T>>(&mut self, items: I) {
        self.extend(items.into_iter().copied());
    }
}

impl<T> IntoIterator for SortedSet<T> {
    type Item = T;
    type IntoIter = vec::IntoIter<T>;

    fn into_iter(self) -> vec::IntoIter<T> {
        self.items.into_iter()
    }
}

impl<'s, T> IntoIterator for &'s SortedSet<T> {
    type Item = &'s T;
    type IntoIter = slice::Iter<'s, T>;

    fn into_iter(self) -> slice::Iter<'s, T> {
        self.items.iter()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn set_after_any_changes_is_that_of_the_standard_library(
            first in prop::collection::vec(0u8..20, 0..10),
            changes in prop::collection::vec((any::<bool>(), 0u8..20), 0..30),
            more in prop::collection::vec(0u8..20, 0..10),
        ) {
            let mut expected: BTreeSet<u8> = first.iter().copied().collect();
            let mut set: SortedSet<u8> = first.into_iter().collect();
            for (adds, item) in changes {
                if adds {
                    prop_assert_eq!(set.insert(item), expected.insert(item));
                } else {
                    prop_assert_eq!(set.remove(&item), expected.remove(&item));
                }
                prop_assert!(set.iter().eq(expected.iter()));
            }
            let (other, expected_other) = (more.iter().copied().collect(), more.iter().copied().collect());
            prop_assert!(set.difference(&other).eq(expected.difference(&expected_other)));
            prop_assert!(set.intersection(&other).eq(expected.intersection(&expected_other)));
            prop_assert_eq!(set.is_subset(&other), expected.is_subset(&expected_other));
            prop_assert_eq!(set.is_disjoint(&other), expected.is_disjoint(&expected_other));
            set.extend(more.clone());
            expected.extend(more);
            prop_assert!(set.iter().eq(expected.iter()));
        }
    }
}

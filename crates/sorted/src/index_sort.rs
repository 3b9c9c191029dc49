//! Stable sorting of which the compiler makes one copy, not one for each type and order.

use std::cmp::Ordering;

/// Stable sorts that compare through indices. They give the order of the methods of the standard
/// library whose names they extend.
pub trait IndexSort<T> {
    /// Sorts by an order; equal items keep theirs.
    fn index_sort_by(&mut self, compare: impl FnMut(&T, &T) -> Ordering);

    /// Sorts by a key, which is made for each comparison.
    fn index_sort_by_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K);

    /// Sorts by a key, which is made once for each item.
    fn index_sort_by_cached_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K);

    /// Sorts by the items' own order.
    fn index_sort(&mut self)
    where
        T: Ord;
}

impl<T> IndexSort<T> for [T] {
    fn index_sort_by(&mut self, mut compare: impl FnMut(&T, &T) -> Ordering) {
        let items = &*self;
        #[expect(clippy::indexing_slicing, reason = "`order` asks about indices of the items")]
        let order = order(items.len(), &mut |a, b| compare(&items[a], &items[b]));
        arrange(order, &mut |a, b| self.swap(a, b));
    }

    fn index_sort_by_key<K: Ord>(&mut self, mut key: impl FnMut(&T) -> K) {
        self.index_sort_by(|a, b| key(a).cmp(&key(b)));
    }

    fn index_sort_by_cached_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K) {
        let keys: Vec<K> = self.iter().map(key).collect();
        let order = order(keys.len(), &mut |a, b| keys.get(a).cmp(&keys.get(b)));
        arrange(order, &mut |a, b| self.swap(a, b));
    }

    fn index_sort(&mut self)
    where
        T: Ord,
    {
        self.index_sort_by(T::cmp);
    }
}

/// The sorted order of `len` items, by their indices; empty if they are sorted.
fn order(len: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    // Much of what is sorted is sorted already, and needs no memory then.
    if (1..len).all(|at| compare(at - 1, at) != Ordering::Greater) {
        return Vec::new();
    }
    let mut order: Vec<usize> = (0..len).collect();
    order.sort_by(|a, b| compare(*a, *b));
    order
}

/// Brings items into an order by swaps, each to its place along the circles of the permutation.
fn arrange(mut order: Vec<usize>, swap: &mut dyn FnMut(usize, usize)) {
    for start in 0..order.len() {
        let mut at = start;
        while let Some(slot) = order.get_mut(at) {
            let next = std::mem::replace(slot, at);
            if next == start || next == at {
                break;
            }
            swap(at, next);
            at = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn index_sort_gives_the_order_of_the_standard_library(
            items in prop::collection::vec((0u8..6, any::<u8>()), 0..60),
        ) {
            let (mut expected, mut by_key) = (items.clone(), items.clone());
            let (mut by_cached_key, mut whole) = (items.clone(), items);
            expected.sort_by_key(|item| item.0);
            by_key.index_sort_by_key(|item| item.0);
            prop_assert_eq!(&by_key, &expected);
            by_cached_key.index_sort_by_cached_key(|item| item.0);
            prop_assert_eq!(&by_cached_key, &expected);

            expected.sort_unstable();
            whole.index_sort();
            prop_assert_eq!(&whole, &expected);
        }
    }
}

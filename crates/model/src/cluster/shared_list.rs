//! A copy-on-write list: clones share the items and store only their own changes, so a clone costs
//! nothing, and changing one item little.

use std::ops::Index;
use std::sync::Arc;

use indexmap::IndexMap;

/// A list of objects, in order.
#[derive(Debug, Clone)]
pub struct SharedList<T> {
    items: Arc<Vec<T>>,
    /// Items that differ from the shared ones, by index.
    changed: IndexMap<usize, T, foldhash::fast::RandomState>,
    /// A bit for each item that is in `changed`, so that the many that are not cost no search.
    marks: Vec<u64>,
    /// Items appended after the shared ones, outside their order.
    added: Vec<T>,
}

/// Number of items per word of marks.
const MARKS: usize = u64::BITS as usize;

impl<T> Default for SharedList<T> {
    fn default() -> Self {
        Self {
            items: Arc::default(),
            changed: IndexMap::default(),
            marks: Vec::new(),
            added: Vec::new(),
        }
    }
}

impl<T: Clone> SharedList<T> {
    /// How many items there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len() + self.added.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The item at `index`.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&T> {
        if self.is_marked(index) {
            return self.changed.get(&index);
        }
        self.items.get(index).or_else(|| self.added.get(index.checked_sub(self.items.len())?))
    }

    /// Whether the item at `index` differs from the shared one.
    fn is_marked(&self, index: usize) -> bool {
        self.marks.get(index / MARKS).is_some_and(|word| word >> (index % MARKS) & 1 == 1)
    }

    /// The item at `index`, for modification. Its sort key must not change.
    pub fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        let shared = self.items.len();
        if index >= shared {
            return self.added.get_mut(index - shared);
        }
        if self.changed.is_empty() && Arc::get_mut(&mut self.items).is_some() {
            return Arc::get_mut(&mut self.items)?.get_mut(index);
        }
        let item = self.items.get(index)?;
        self.marks.resize(self.items.len().div_ceil(MARKS), 0);
        if let Some(word) = self.marks.get_mut(index / MARKS) {
            *word |= 1 << (index % MARKS);
        }
        Some(self.changed.entry(index).or_insert_with(|| item.clone()))
    }

    /// All items: those that are shared in order, then those that were added.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        let shared = self.items.iter().enumerate().map(|(index, item)| {
            if self.is_marked(index) { self.changed.get(&index).unwrap_or(item) } else { item }
        });
        shared.chain(&self.added)
    }

    /// Appends an item; shared items are not changed.
    pub fn push(&mut self, item: T) {
        self.added.push(item);
    }

    /// The list as a vector that can be sorted and extended. A shared list is copied.
    pub fn own(&mut self) -> &mut Vec<T> {
        self.marks.clear();
        let items = Arc::make_mut(&mut self.items);
        for (index, changed) in std::mem::take(&mut self.changed) {
            if let Some(item) = items.get_mut(index) {
                *item = changed;
            }
        }
        items.append(&mut self.added);
        items
    }

    /// Binary search with `order` in an ordered list; returns the index of an equal item. Items that
    /// were added are looked through one by one.
    pub fn search(&self, order: impl Fn(&T) -> std::cmp::Ordering) -> Option<usize> {
        if let Ok(index) = self.items.binary_search_by(&order) {
            return Some(index);
        }
        let added = self.added.iter().position(|item| order(item).is_eq())?;
        Some(self.items.len() + added)
    }
}

impl<T: Clone> Index<usize> for SharedList<T> {
    type Output = T;

    #[expect(clippy::indexing_slicing, reason = "as for other lists, the caller knows the length")]
    fn index(&self, index: usize) -> &T {
        if self.is_marked(index)
            && let Some(changed) = self.changed.get(&index)
        {
            return changed;
        }
        match self.items.get(index) {
            Some(item) => item,
            None => &self.added[index - self.items.len()],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::SharedList;

    fn list(items: &[i32]) -> SharedList<i32> {
        let mut list = SharedList::default();
        list.own().extend_from_slice(items);
        list
    }

    fn all(list: &SharedList<i32>) -> Vec<i32> {
        let by_iter: Vec<i32> = list.iter().copied().collect();
        let by_get: Vec<i32> = (0..list.len()).filter_map(|i| list.get(i).copied()).collect();
        let by_index: Vec<i32> = (0..list.len()).map(|i| list[i]).collect();
        assert_eq!((&by_iter, &by_iter), (&by_get, &by_index));
        by_iter
    }

    #[test]
    fn clone_changes_without_affecting_the_original() {
        let first = list(&[1, 2, 3]);
        let mut second = first.clone();
        *second.get_mut(1).expect("an item") = 20;
        *second.get_mut(2).expect("an item") = 30;
        *second.get_mut(1).expect("an item") += 1;
        assert_eq!(second.get_mut(3), None);
        let mut third = second.clone();
        *third.get_mut(0).expect("an item") = 10;
        assert_eq!(
            [all(&first), all(&second), all(&third)],
            [vec![1, 2, 3], vec![1, 21, 30], vec![10, 21, 30]]
        );
        drop((first, third));
        *second.get_mut(1).expect("an item") = 5;
        assert_eq!(
            all(&second),
            [1, 5, 30],
            "a change stays in force when nothing is shared any more"
        );
        second.own().push(4);
        assert_eq!(all(&second), [1, 5, 30, 4]);
    }

    #[test]
    fn unshared_list_is_changed_in_place() {
        let mut list = list(&[1, 2]);
        *list.get_mut(0).expect("an item") = 7;
        assert!(list.changed.is_empty());
        assert_eq!(all(&list), [7, 2]);
        assert_eq!([2, 9].map(|n| list.search(|item| item.cmp(&n))), [Some(1), None]);
    }

    #[test]
    fn item_that_a_clone_adds_is_behind_the_others_until_the_list_is_its_own() {
        let first = list(&[1, 3]);
        let mut second = first.clone();
        second.push(2);
        *second.get_mut(2).expect("an item") += 10;
        *second.get_mut(1).expect("an item") = 4;
        assert_eq!([all(&first), all(&second)], [vec![1, 3], vec![1, 4, 12]]);
        assert_eq!(
            [1, 12, 2].map(|n| second.search(|item| item.cmp(&n))),
            [Some(0), Some(2), None]
        );
        assert!(second.get(3).is_none() && second.get_mut(3).is_none());
        second.own().push(5);
        assert_eq!(all(&second), [1, 4, 12, 5]);
    }
}

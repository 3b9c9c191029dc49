//! Interned strings: two texts are equal if their symbols are.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::hash::Hash;
use std::sync::Arc;

use indexmap::{Equivalent, IndexSet};

/// An interned string. Its number depends on the order of the input, so symbols are compared only
/// for equality, and their order serves only binary searches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sym(u32);

impl Sym {
    /// The empty string, which also represents absent text.
    pub const EMPTY: Self = Self(0);
    /// `cpu`.
    pub const CPU: Self = Self(1);
    /// `memory`.
    pub const MEMORY: Self = Self(2);
    /// `kubernetes.io/hostname`.
    pub const HOSTNAME: Self = Self(3);
    /// `topology.kubernetes.io/zone`.
    pub const ZONE: Self = Self(4);

    /// Whether it is the empty string.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self == Self::EMPTY
    }
}

/// A set of values in insertion order. Clones share it and store only their own additions.
#[derive(Debug, Clone)]
struct Interned<T> {
    shared: Arc<IndexSet<T, foldhash::fast::RandomState>>,
    own: IndexSet<T, foldhash::fast::RandomState>,
}

impl<T> Default for Interned<T> {
    fn default() -> Self {
        Self { shared: Arc::default(), own: IndexSet::default() }
    }
}

impl<T: Eq + Hash> Interned<T> {
    fn find<Q: Hash + Equivalent<T> + ?Sized>(&self, value: &Q) -> Option<usize> {
        self.shared.get_index_of(value).or_else(|| {
            if self.own.is_empty() {
                None
            } else {
                Some(self.shared.len() + self.own.get_index_of(value)?)
            }
        })
    }

    /// Interns a value not seen before.
    fn add(&mut self, value: T) -> usize {
        if self.own.is_empty()
            && let Some(all) = Arc::get_mut(&mut self.shared)
        {
            return all.insert_full(value).0;
        }
        self.shared.len() + self.own.insert_full(value).0
    }

    fn get(&self, index: usize) -> Option<&T> {
        self.shared
            .get_index(index)
            .or_else(|| self.own.get_index(index.checked_sub(self.shared.len())?))
    }

    fn len(&self) -> usize {
        self.shared.len() + self.own.len()
    }

    fn iter(&self) -> impl Iterator<Item = &T> {
        self.shared.iter().chain(&self.own)
    }
}

/// All strings of a cluster.
#[derive(Debug, Clone)]
pub struct Symbols {
    texts: Interned<Box<str>>,
    /// Keys of labels that a selector or a topology refers to.
    label_keys: BTreeSet<Sym>,
}

impl Default for Symbols {
    fn default() -> Self {
        // In the order of the constants of `Sym`.
        let known = ["", "cpu", "memory", "kubernetes.io/hostname", "topology.kubernetes.io/zone"];
        let mut texts = Interned::default();
        for text in known {
            texts.add(Box::from(text));
        }
        Self { texts, label_keys: BTreeSet::new() }
    }
}

impl Symbols {
    /// The symbol of `text`, which is added if it is new.
    pub fn intern(&mut self, text: &str) -> Sym {
        let index = self.texts.find(text);
        sym(index.unwrap_or_else(|| self.texts.add(Box::from(text))))
    }

    /// The symbol of a label key that a selector or a topology refers to.
    pub fn intern_label_key(&mut self, key: &str) -> Sym {
        let key = self.intern(key);
        self.label_keys.insert(key);
        key
    }

    /// Whether any selector or topology refers to labels with this key.
    #[must_use]
    pub fn is_label_key(&self, key: &str) -> bool {
        self.get(key).is_some_and(|key| self.label_keys.contains(&key))
    }

    /// The symbol of `text`, if any object uses it.
    #[must_use]
    pub fn get(&self, text: &str) -> Option<Sym> {
        self.texts.find(text).map(sym)
    }

    /// The text of a symbol.
    #[must_use]
    pub fn text(&self, sym: Sym) -> &str {
        self.texts.get(sym.0 as usize).map_or("", |t| t)
    }

    /// Compares texts, looking them up only if their symbols differ.
    pub(super) fn compare(&self, a: Sym, b: Sym) -> Ordering {
        if a == b { Ordering::Equal } else { self.text(a).cmp(self.text(b)) }
    }
}

fn sym(index: usize) -> Sym {
    // Memory runs out before four billion distinct strings overflow the number.
    Sym(u32::try_from(index).unwrap_or(u32::MAX))
}

/// Index of a value in its [`Interner`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PoolIx(pub u32);

/// Interned values: equal values are stored once.
#[derive(Debug, Clone)]
pub struct Interner<T> {
    values: Interned<T>,
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self { values: Interned::default() }
    }
}

impl<T: Eq + Hash> Interner<T> {
    /// The index of `value`, and whether it is new.
    pub fn intern(&mut self, value: T) -> (PoolIx, bool) {
        let earlier = self.values.find(&value);
        let index = earlier.unwrap_or_else(|| self.values.add(value));
        // Memory runs out before four billion distinct values overflow the index.
        (PoolIx(u32::try_from(index).unwrap_or(u32::MAX)), earlier.is_none())
    }

    /// The value with an index that [`Self::intern`] returned.
    #[must_use]
    pub fn get(&self, index: PoolIx) -> Option<&T> {
        self.values.get(index.0 as usize)
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All values, in the order of their indices.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.values.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::{Interner, Symbols};

    #[test]
    fn clone_adds_symbols_without_changing_the_original() {
        let mut first = Symbols::default();
        let a = first.intern("a");
        let mut second = first.clone();
        let b = second.intern("b");
        assert_eq!((second.intern("a"), second.get("b"), second.text(b)), (a, Some(b), "b"));
        assert_eq!((first.get("b"), first.text(b)), (None, ""));
        let c = first.intern("c");
        assert_eq!((first.text(c), second.text(b), second.get("c")), ("c", "b", None));
        drop(first);
        let d = second.intern("d");
        assert_eq!(
            (second.text(b), second.text(d)),
            ("b", "d"),
            "what is its own stays behind what was shared"
        );
    }

    #[test]
    fn a_pool_counts_both_parts() {
        let mut first: Interner<i32> = Interner::default();
        let (one, is_new) = first.intern(1);
        assert!(is_new && first.len() == 1);
        let mut second = first.clone();
        let (two, _) = second.intern(2);
        assert_eq!((second.intern(1), second.intern(2)), ((one, false), (two, false)));
        assert_eq!(second.iter().copied().collect::<Vec<_>>(), [1, 2]);
        assert_eq!((first.len(), second.len(), first.get(two)), (1, 2, None));
    }
}

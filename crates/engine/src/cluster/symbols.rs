//! Interned strings: two texts are equal if their symbols are.

use indexmap::IndexSet;

/// An interned string. Its number depends on the order of the input, so symbols are compared for equality only, and
/// their order serves binary searches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sym(u32);

impl Sym {
    /// The empty string, which stands for an absent text, too.
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

/// All strings of a cluster.
#[derive(Debug, Clone)]
pub struct Symbols {
    texts: IndexSet<Box<str>, foldhash::fast::RandomState>,
}

impl Default for Symbols {
    fn default() -> Self {
        // In the order of the constants of `Sym`.
        let known = ["", "cpu", "memory", "kubernetes.io/hostname", "topology.kubernetes.io/zone"];
        Self { texts: known.into_iter().map(Box::from).collect() }
    }
}

impl Symbols {
    /// The symbol of `text`, which is added if it is new.
    pub fn intern(&mut self, text: &str) -> Sym {
        if let Some(index) = self.texts.get_index_of(text) {
            return sym(index);
        }
        sym(self.texts.insert_full(Box::from(text)).0)
    }

    /// The symbol of `text`, if any object uses it.
    #[must_use]
    pub fn get(&self, text: &str) -> Option<Sym> {
        self.texts.get_index_of(text).map(sym)
    }

    /// The text of a symbol.
    #[must_use]
    pub fn text(&self, sym: Sym) -> &str {
        self.texts.get_index(sym.0 as usize).map_or("", |t| t)
    }
}

fn sym(index: usize) -> Sym {
    // Four billion distinct strings do not fit into memory before the number does not fit.
    Sym(u32::try_from(index).unwrap_or(u32::MAX))
}

/// Index of a value in its [`Pool`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PoolIx(pub u32);

/// Interned values: equal values are stored once.
#[derive(Debug, Clone)]
pub struct Pool<T> {
    values: IndexSet<T, foldhash::fast::RandomState>,
}

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Self { values: IndexSet::default() }
    }
}

impl<T: Eq + std::hash::Hash> Pool<T> {
    /// The index of `value`, and whether it is new.
    pub fn intern(&mut self, value: T) -> (PoolIx, bool) {
        let (index, is_new) = self.values.insert_full(value);
        // Four billion distinct values do not fit into memory before the index does not fit.
        (PoolIx(u32::try_from(index).unwrap_or(u32::MAX)), is_new)
    }

    /// The value with an index that [`Self::intern`] returned.
    #[must_use]
    pub fn get(&self, index: PoolIx) -> Option<&T> {
        self.values.get_index(index.0 as usize)
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// All values, in the order of their indices.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &T> {
        self.values.iter()
    }
}

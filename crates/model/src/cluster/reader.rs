//! What the readers of all kinds share: interned strings, parsed quantities, and notes about
//! unusable input.

use std::cmp::Ordering;

use indexmap::IndexMap;

use super::node_image::NodeImage;
use super::notes::{GIVEN_TWICE, LEFT_OUT, NoteLog};
use super::quantity::{Quantity, QuantityError};
use super::selector::Labels;
use super::symbols::{Interner, PoolIx, Sym, Symbols};
use crate::notes::{Note, ObjectPart, Subject};
use crate::snapshot::{Kind, Map, Str};

/// Parsed quantities by text; an invalid text is kept with its error.
pub(super) type Quantities =
    IndexMap<Sym, Result<Quantity, QuantityError>, foldhash::fast::RandomState>;

/// Shared state of the readers.
#[derive(Debug, Default)]
pub(super) struct ReadContext {
    pub(super) symbols: Symbols,
    pub(super) label_sets: Interner<Labels>,
    pub(super) images: Interner<NodeImage>,
    pub(super) quantities: Quantities,
    pub(super) notes: NoteLog,
}

impl ReadContext {
    /// The symbol of `text`.
    pub(super) fn intern(&mut self, text: &str) -> Sym {
        self.symbols.intern(text)
    }

    /// The symbols of `texts`, in order.
    pub(super) fn intern_all(&mut self, texts: &[Str]) -> Box<[Sym]> {
        texts.iter().map(|text| self.symbols.intern(text)).collect()
    }

    /// The pairs of a map, ordered by symbol.
    pub(super) fn pairs(&mut self, map: &Map) -> Labels {
        let mut pairs: Vec<(Sym, Sym)> =
            map.iter().map(|(k, v)| (self.intern(k), self.intern(v))).collect();
        pairs.sort_unstable();
        pairs.into_boxed_slice()
    }

    /// The labels of an object, shared with all objects that have the same.
    pub(super) fn labels(&mut self, map: &Map) -> PoolIx {
        let labels = self.pairs(map);
        self.label_sets.intern(labels).0
    }

    /// The pairs of a selector by plain labels, ordered by symbol.
    pub(super) fn selected(&mut self, map: &Map) -> Labels {
        for (key, _) in map.iter() {
            self.symbols.intern_label_key(key);
        }
        self.pairs(map)
    }

    /// The namespace of an object; absent as `default`.
    pub(super) fn namespace(&mut self, namespace: &Str) -> Sym {
        self.symbols.intern(or_default(namespace))
    }

    /// The quantity of an interned text. Every text is parsed once.
    pub(super) fn quantity(&mut self, text: Sym) -> Result<Quantity, QuantityError> {
        let symbols = &self.symbols;
        *self.quantities.entry(text).or_insert_with(|| Quantity::parse(symbols.text(text)))
    }

    /// Adds a note about `object`.
    pub(super) fn note(&mut self, object: Subject, note: Note) {
        self.notes.add(Some(object), note);
    }

    /// Whether an object has no name, which is noted. Such an object is dropped, since nothing can
    /// refer to it.
    pub(super) fn is_nameless(&mut self, kind: Kind, name: &Str) -> bool {
        if name.is_empty() {
            self.note(
                Subject::object(kind, "", ""),
                Note::warning(&LEFT_OUT, "left out").lacking(Some(kind), ObjectPart::Object),
            );
        }
        name.is_empty()
    }

    /// Sorts objects by kind, namespace and name, as [`Self::sort_unique`] does.
    pub(super) fn sort_named<T>(
        &mut self,
        objects: &mut Vec<T>,
        identity: impl Fn(&T) -> Identity,
    ) {
        self.sort_unique(
            objects,
            |a, b, symbols| identity(a).compare(identity(b), symbols),
            |object, symbols| identity(object).subject(symbols),
        );
    }

    /// Sorts objects by key. Among objects with the same key, the last one read is kept, which is
    /// noted.
    pub(super) fn sort_unique<T>(
        &mut self,
        objects: &mut Vec<T>,
        order: impl Fn(&T, &T, &Symbols) -> Ordering,
        subject: impl Fn(&T, &Symbols) -> Subject,
    ) {
        let Self { symbols, notes, .. } = self;
        sort(objects, |a, b| order(a, b, symbols));
        objects.dedup_by(|later, earlier| {
            let same = order(later, earlier, symbols).is_eq();
            if same {
                notes.add(Some(subject(earlier, symbols)), given_twice());
                std::mem::swap(later, earlier);
            }
            same
        });
    }
}

/// The kind, namespace and name of an object, which no other object of a cluster has.
#[derive(Clone, Copy)]
pub(super) struct Identity {
    kind: Kind,
    /// Empty for objects of the whole cluster.
    namespace: Sym,
    name: Sym,
}

impl Identity {
    pub(super) const fn of(kind: Kind, namespace: Sym, name: Sym) -> Self {
        Self { kind, namespace, name }
    }

    fn compare(self, other: Self, symbols: &Symbols) -> Ordering {
        self.kind
            .cmp(&other.kind)
            .then_with(|| symbols.compare(self.namespace, other.namespace))
            .then_with(|| symbols.compare(self.name, other.name))
    }

    fn subject(self, symbols: &Symbols) -> Subject {
        Subject::object(self.kind, symbols.text(self.namespace), symbols.text(self.name))
    }
}

/// Sorts large objects stably: their indices are sorted first, and then each object is moved once.
fn sort<T>(objects: &mut [T], order: impl Fn(&T, &T) -> Ordering) {
    if objects.is_sorted_by(|a, b| order(a, b).is_le()) {
        return;
    }
    let places = (0..objects.len()).collect();
    let mut places = sorted(places, &|a, b| match (objects.get(a), objects.get(b)) {
        (Some(a), Some(b)) => order(a, b),
        _ => Ordering::Equal,
    });
    for at in 0..places.len() {
        // An object from an already filled position was moved on, perhaps several times.
        let mut from = places.get(at).copied().unwrap_or(at);
        while from < at {
            from = places.get(from).copied().unwrap_or(at);
        }
        if let Some(place) = places.get_mut(at) {
            *place = from;
        }
        objects.swap(at, from);
    }
}

/// Indices in `order`. One function for all kinds of objects: a sort has eight kilobytes of code.
fn sorted(mut indices: Vec<usize>, order: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    indices.sort_by(|a, b| order(*a, *b));
    indices
}

/// The note about an object that the input contains twice.
pub(super) fn given_twice() -> Note {
    Note::warning(&GIVEN_TWICE, "is given twice; the later one is used")
}

/// A namespace, defaulted as by the API server.
pub(super) fn or_default<'s>(namespace: &'s Str) -> &'s str {
    if namespace.is_empty() { "default" } else { namespace }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_sorted_and_equal_ones_keep_their_order() {
        let mut state = 7u32;
        for length in 0..200u32 {
            let mut objects: Vec<(u32, u32)> = (0..length)
                .map(|index| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (state >> 26, index)
                })
                .collect();
            let mut expected = objects.clone();
            expected.sort_unstable();
            sort(&mut objects, |a, b| a.0.cmp(&b.0));
            assert_eq!(objects, expected);
        }
    }
}

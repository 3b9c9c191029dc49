//! Maps and sets in sorted vectors, and sorting by indices: little code for each of many types.
//!
//! The compiler makes a copy of a generic type for every type that it is used with. A `BTreeMap` is
//! some 5,000 lines of intermediate code each time, a stable sort of the standard library 3,000. With a
//! hundred types of maps and of sorts that was two fifths of the scheduler's code, and of the time
//! to build it. What is here takes about a tenth of that, and most maps have few keys, for which a
//! vector is also the faster form.
//!
//! What is slower here, so that the standard library's type is the better one:
//!
//! - A key that is inserted before many others moves them all. Collecting or extending sorts once
//!   instead.
//! - A comparison while sorting is called through a pointer. A sort that a run spends its time in
//!   uses the standard library's.
//!
//! ```
//! use kubectl_preempt_sorted::{IndexSort as _, SortedMap, SortedSet};
//!
//! let mut pods: SortedMap<&str, usize> = SortedMap::from([("n2", 3), ("n1", 1)]);
//! *pods.entry("n1").or_default() += 1;
//! assert_eq!(pods.iter().collect::<Vec<_>>(), [(&"n1", &2), (&"n2", &3)]);
//!
//! let zones: SortedSet<char> = "baab".chars().collect();
//! assert_eq!(zones.as_slice(), ['a', 'b']);
//!
//! let mut names = ["ccc", "a", "bb", "d"];
//! names.index_sort_by_key(|name| name.len());
//! assert_eq!(names, ["a", "d", "bb", "ccc"]);
//! ```

mod index_sort;
mod map;
mod set;

pub use index_sort::IndexSort;
pub use map::{Entry, IntoIter, Iter, IterMut, Keys, SortedMap, Values};
pub use set::SortedSet;

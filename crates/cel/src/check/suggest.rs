//! Names that resemble one that is not declared, which messages suggest since 1.38.
//!
//! Upstream: cel-go `common/env/catalog.go`, `checker/errors.go` (0.33).

use std::collections::BTreeSet;

use crate::library::Environment;

/// What is declared besides functions: the variable, types, macros, and what only the compiler
/// writes.
const OTHERS: &[&str] = &[
    "@in",
    "@not_strictly_false",
    "@sortByAssociatedKeys",
    "__not_strictly_false__",
    "_?._",
    "_in_",
    "all",
    "bind",
    "cel.@mapInsert",
    "device",
    "exists",
    "existsOne",
    "exists_one",
    "filter",
    "google.protobuf.Duration",
    "google.protobuf.Timestamp",
    "has",
    "in",
    "list",
    "map",
    "null_type",
    "optFlatMap",
    "optMap",
    "sortBy",
    "transformList",
    "transformMap",
    "transformMapEntry",
];

/// Longest product of two lengths whose names are compared.
const LARGEST: usize = 64 * 64;

/// The end of the message about `name`: up to two names that it may be meant for.
pub(super) fn suggestion(environment: &Environment, name: &str) -> String {
    match similar(environment, name).as_slice() {
        [] => String::new(),
        [one] if *one == name => String::new(),
        [one] => format!(" (did you mean '{one}'?)"),
        [one, other, ..] => format!(" (did you mean '{one}' or '{other}'?)"),
    }
}

/// The declared name itself, or those that resemble it, best first.
pub(super) fn similar(environment: &Environment, name: &str) -> Vec<&'static str> {
    let names: BTreeSet<&'static str> = environment.names().chain(OTHERS.iter().copied()).collect();
    if let Some(name) = names.get(name) {
        return vec![name];
    }
    let is_namespaced = |name: &str| name.contains('.');
    let mut candidates = names.iter().filter(|n| is_namespaced(n) == is_namespaced(name));

    // Those with the fewest edits, if these are few enough for the length; else those that begin
    // with the name.
    let most = match name.len() {
        0..=3 => 1,
        4..=8 => 2,
        length => length / 3,
    };
    let edits = candidates.clone().filter_map(|n| Some((distance(name, n)?, *n)));
    let close: Vec<(usize, &'static str)> =
        edits.filter(|(distance, _)| *distance <= most).collect();
    let fewest = close.iter().map(|(distance, _)| *distance).min();
    let mut best: Vec<&'static str> = match fewest {
        Some(fewest) => close.iter().filter(|(d, _)| *d == fewest).map(|(_, n)| *n).collect(),
        None if name.len() < 2 => Vec::new(),
        None => candidates.by_ref().filter(|n| n.starts_with(name)).copied().collect(),
    };
    best.sort_by_key(|name| (name.len(), *name));
    best
}

/// The number of insertions, deletions, substitutions and swaps of neighbours that make one name of
/// the other; `None` if the names are too long, or differ in more than a third. Parity: of long
/// names with very different lengths, the lengths are compared.
fn distance(a: &str, b: &str) -> Option<usize> {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let (longer, shorter) = (a.len().max(b.len()), a.len().min(b.len()));
    if shorter == 0 || (longer >= 16 && longer * 2 >= shorter * 3) {
        return Some(longer - shorter);
    }
    if longer * shorter > LARGEST {
        return None;
    }

    // Rows of the matrix of distances between prefixes: the current one and the two before it.
    let mut before_last = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let at = |row: &[usize], j: usize| row.get(j).copied().unwrap_or(usize::MAX - 1);
            let substituted = at(&last, j) + usize::from(x != y);
            let mut edits = (at(&last, j + 1) + 1).min(at(&row, j) + 1).min(substituted);
            let swapped = i > 0 && j > 0 && a.get(i - 1) == Some(y) && b.get(j - 1) == Some(x);
            if swapped {
                edits = edits.min(at(&before_last, j - 1) + 1);
            }
            row.push(edits);
        }
        if row.iter().all(|edits| *edits > longer / 3) {
            return None;
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last.last().copied()
}

#[cfg(test)]
mod tests {
    use super::suggestion;
    use crate::library::Environment;
    use crate::release::Release;

    #[test]
    fn the_closest_names_are_suggested_else_those_with_the_prefix() {
        let environment = Environment::of(Release::new(38, false));
        let table = [
            ("nothing", ""),
            ("math", " (did you mean 'path'?)"),
            ("format2", " (did you mean 'format'?)"),
            ("strings.quote2", " (did you mean 'strings.quote'?)"),
            ("first", ""),
            ("x", ""),
        ];
        for (name, expected) in table {
            assert_eq!(suggestion(environment, name), expected, "{name}");
        }
    }
}

//! Files of a crate do not use each other in a circle. A module may use what its ancestors define:
//! that is no circle.

use std::collections::{BTreeMap, BTreeSet};

use super::{code, sources};

/// `use a::{b, c::d};` as the paths `a::b` and `a::c::d`.
fn expand(tree: &str) -> Vec<String> {
    let Some((prefix, rest)) = tree.split_once('{') else { return vec![tree.trim().to_owned()] };
    let inside = rest.trim_end().strip_suffix('}').unwrap_or(rest);
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, c) in inside.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&inside[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&inside[start..]);
    let parts = parts.into_iter().map(str::trim).filter(|part| !part.is_empty());
    parts.flat_map(expand).map(|part| format!("{}{part}", prefix.trim())).collect()
}

#[test]
fn grouped_uses_are_taken_apart() {
    assert_eq!(
        expand("a::{b, c::{d, e as f}, self}"),
        ["a::b", "a::c::d", "a::c::e as f", "a::self"]
    );
    assert_eq!(expand("super::x"), ["super::x"]);
}

/// The module that a file is: `[cluster, pod]` of `model/cluster/pod.rs`.
fn module(path: &str) -> Vec<String> {
    let below = path.split_once('/').map_or(path, |(_, below)| below).trim_end_matches(".rs");
    let mut module: Vec<String> = below.split('/').map(str::to_owned).collect();
    if module.last().is_some_and(|last| last == "mod" || last == "lib") {
        module.pop();
    }
    module
}

/// The modules that a file uses, as absolute paths in its crate, items at their ends.
fn used(text: &str, module: &[String]) -> Vec<Vec<String>> {
    let code = code(text);
    let statements = code.split(';').filter_map(|statement| {
        let at = statement.rfind("use ")?;
        let before = statement[..at].chars().next_back();
        before.is_none_or(char::is_whitespace).then(|| &statement[at + 4..])
    });
    let mut found = Vec::new();
    for path in statements.flat_map(expand) {
        let mut segments = path.split("::").map(str::trim).peekable();
        let mut absolute: Vec<String> = match segments.peek() {
            Some(&"crate") => Vec::new(),
            Some(&("super" | "self")) => module.to_vec(),
            // A child of this module, or another crate.
            _ => continue,
        };
        for segment in segments {
            match segment {
                "crate" | "self" => {}
                "super" => {
                    absolute.pop();
                }
                name => absolute.push(name.to_owned()),
            }
        }
        found.push(absolute);
    }
    found
}

/// Who uses whom in a crate, by file.
fn uses(name: &str) -> BTreeMap<String, BTreeSet<String>> {
    let files: Vec<(String, String)> =
        sources().into_iter().filter(|(path, _)| path.starts_with(&format!("{name}/"))).collect();
    let modules: BTreeMap<Vec<String>, &str> =
        files.iter().map(|(path, _)| (module(path), path.as_str())).collect();
    let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (path, text) in &files {
        let own = module(path);
        let named = used(text, &own);
        let targets = named.iter().filter_map(|path| {
            (0..=path.len()).rev().find_map(|n| modules.get_key_value(&path[..n]))
        });
        let others = targets
            .filter(|(target, _)| !own.starts_with(target))
            .map(|(_, file)| (*file).to_owned());
        uses.insert(path.clone(), others.collect());
    }
    uses
}

/// A way from `from` back to it, if there is one.
fn circle(from: &str, uses: &BTreeMap<String, BTreeSet<String>>) -> Option<Vec<String>> {
    let mut reached: BTreeMap<&str, &str> = BTreeMap::new();
    let mut todo = vec![from];
    while let Some(file) = todo.pop() {
        for next in &uses[file] {
            if next == from {
                let mut way = vec![file.to_owned()];
                while let Some(before) = way.last().and_then(|last| reached.get(last.as_str())) {
                    way.push((*before).to_owned());
                }
                way.reverse();
                return Some(way);
            }
            if !reached.contains_key(next.as_str()) {
                reached.insert(next, file);
                todo.push(next);
            }
        }
    }
    None
}

#[test]
fn no_files_use_each_other_in_a_circle() {
    for name in
        ["model", "profile", "scheduler", "simulation", "reports", "json", "render", "plugin"]
    {
        let uses = uses(name);
        let arrows: usize = uses.values().map(BTreeSet::len).sum();
        assert!(arrows > uses.len() / 3, "{name}: the uses were not found: {arrows}");
        let circles: BTreeSet<Vec<String>> = uses
            .keys()
            .filter_map(|file| circle(file, &uses))
            .map(|mut way| {
                way.sort();
                way
            })
            .collect();
        assert!(circles.is_empty(), "{name}: {circles:#?}");
    }
}

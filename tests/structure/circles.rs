//! The graph of the modules of each crate, read from the paths that begin with `crate`, `super` or
//! `self`, or with the name of a child. A module may use what its ancestors define: such arrows are
//! not counted.

use std::collections::{BTreeMap, BTreeSet};

use super::{CRATES, code, sources};

/// The modules of a crate, and which of them each uses.
pub type Uses = BTreeMap<Vec<String>, BTreeSet<Vec<String>>>;

/// `a::{b, c::d}` as the paths `a::b` and `a::c::d`.
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

/// The path at the beginning of `code`, with the tree in braces that may end it.
fn path_at(code: &str) -> &str {
    let plain = code.find(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
    let plain = plain.unwrap_or(code.len());
    if !(code[..plain].ends_with("::") && code[plain..].starts_with('{')) {
        return &code[..plain];
    }
    let mut depth = 0;
    for (at, c) in code[plain..].char_indices() {
        depth += i32::from(c == '{') - i32::from(c == '}');
        if depth == 0 {
            return &code[..=plain + at];
        }
    }
    code
}

/// The modules that the code of `module` names, with the items at their ends, as paths in the crate.
fn named(code: &str, module: &[String], children: &BTreeSet<&str>) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("::") {
        // The first segment of a path decides what it is relative to.
        let start = code[..at].rfind(|c: char| !c.is_alphanumeric() && c != '_');
        let start = start.map_or(0, |before| before + 1);
        let first = &code[start..at];
        let is_relative = ["super", "self"].contains(&first) || children.contains(first);
        if code[..start].ends_with("::") || !(is_relative || first == "crate") {
            continue;
        }
        for path in expand(path_at(&code[start..])) {
            let mut absolute = if is_relative { module.to_vec() } else { Vec::new() };
            for segment in path.split("::").map(str::trim) {
                match segment {
                    "crate" | "self" | "" => {}
                    "super" => drop(absolute.pop()),
                    name => absolute.push(name.to_owned()),
                }
            }
            found.push(absolute);
        }
    }
    found
}

#[test]
fn paths_are_found_wherever_they_stand() {
    let module = ["a".to_owned(), "b".to_owned()];
    let code = "use super::{c, d::{E, f}}; fn g() -> crate::h::I { child::j(k::l, self::m::<N>) }";
    let found = named(code, &module, &BTreeSet::from(["child"]));
    let found: Vec<String> = found.iter().map(|path| path.join("::")).collect();
    assert_eq!(found, ["a::c", "a::d::E", "a::d::f", "h::I", "a::b::child::j", "a::b::m"]);
}

/// Who uses whom in a crate.
pub fn uses(name: &str) -> Uses {
    let mut texts: BTreeMap<Vec<String>, String> = BTreeMap::new();
    for (path, text) in sources() {
        let (of, below) = path.split_once('/').expect("a crate");
        if of == name {
            let mut module: Vec<String> =
                below.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
            module.pop_if(|last| last == "lib");
            texts.insert(module, code(&text));
        }
    }
    let mut uses = Uses::new();
    for (module, code) in &texts {
        let children =
            texts.keys().filter(|other| other.split_last().is_some_and(|l| l.1 == module));
        let children = children.filter_map(|child| child.last().map(String::as_str)).collect();
        let mut others = BTreeSet::new();
        for path in named(code, module, &children) {
            let target =
                (0..=path.len()).rev().map(|n| &path[..n]).find(|p| texts.contains_key(*p));
            others.extend(target.filter(|t| !module.starts_with(t)).map(<[String]>::to_vec));
        }
        uses.insert(module.clone(), others);
    }
    uses
}

/// The modules that `from` uses, directly or through others.
fn reached(from: &[String], uses: &Uses) -> BTreeSet<Vec<String>> {
    let (mut reached, mut todo) = (BTreeSet::new(), vec![from.to_vec()]);
    while let Some(module) = todo.pop() {
        for next in &uses[&module] {
            if reached.insert(next.clone()) {
                todo.push(next.clone());
            }
        }
    }
    reached
}

#[test]
fn no_files_use_each_other_in_a_circle() {
    for (name, _) in CRATES {
        let uses = uses(name);
        let in_circles: Vec<String> = uses
            .keys()
            .filter(|module| reached(module, &uses).contains(*module))
            .map(|module| module.join("/"))
            .collect();
        assert!(in_circles.is_empty(), "{name}: {in_circles:#?}");
    }
}

//! Phrases that are not plain English stay out of what users read: documents, help, the rulebook,
//! answers, and the texts of the sources.

use std::fs;
use std::path::{Path, PathBuf};

use regex::{Captures, Regex};

/// Each as a regular expression of whole words.
const ODD: &[&str] = &[
    "whom",
    r"throw[sn]?( [\w/-]+){0,4}? out",
    "(become|becomes|became) of",
    "goes? for it",
    "made again",
    "nobody",
    "were to",
    "(is|are|was|be|being) told",
    "is about",
    "so many",
    "as it is",
    "shrinks",
    "better stay",
    "decided about",
    "were gone",
    "use does not",
    "hangs? on",
    "thrown away",
    "says? nothing of",
];

/// What may stand all the same: the name of a criterion, which code PRE-421 keeps, and a value of
/// the column WHO ACTS.
const NAMES: &[&str] = &["nobody to evict", "`nobody`", "\"nobody\"", "Who acts next: nobody"];

/// Files and folders that users read, with the ends of the names that count there.
const READ: &[(&str, &[&str])] = &[
    ("README.md", &[]),
    ("CHANGELOG.md", &[]),
    ("CONTRIBUTING.md", &[]),
    ("RELEASING.md", &[]),
    ("SECURITY.md", &[]),
    (".krew.yaml", &[]),
    ("docs", &[".md", ".json"]),
    ("man", &[""]),
    ("completions", &[""]),
    ("deploy", &[".yaml"]),
    ("examples", &[".txt"]),
    ("tests", &[".txt", ".codes", "expect.yaml"]),
];

/// Folders of sources: comments stay out, whose words that users read are in the documents.
const SOURCES: &[&str] = &["src", "crates"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The files of a place whose names have one of these ends; the place itself if it is a file.
fn files(place: &str, ends: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut todo = vec![root().join(place)];
    while let Some(path) = todo.pop() {
        if path.is_dir() {
            todo.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if ends.is_empty() || ends.iter().any(|end| path.to_str().unwrap().ends_with(end)) {
            found.push(path);
        }
    }
    assert!(!found.is_empty(), "{place} was not found");
    found
}

/// A source without its comments and without tests; lines stay lines.
fn without_comments(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let line = |line: &str| {
        if line.trim_start().starts_with("//") { String::new() } else { line.to_owned() }
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// One expression for all phrases. Their words may be on two lines, also where the first ends with
/// a backslash.
fn odd() -> Regex {
    let gap = r"(?:\s|\\n|\\$|///)+";
    let phrases: Vec<String> = ODD.iter().map(|phrase| phrase.replace(' ', gap)).collect();
    Regex::new(&format!(r"(?im)\b(?:{})\b", phrases.join("|"))).unwrap()
}

/// The odd phrases of a text, each with its line.
fn phrases(odd: &Regex, text: &str) -> Vec<(usize, String)> {
    // As long as before, so that lines keep their numbers.
    let text = NAMES
        .iter()
        .fold(text.to_owned(), |text, name| text.replace(name, &"_".repeat(name.len())));
    let found = |found: Captures| {
        let whole = found.get(0).unwrap();
        (text[..whole.start()].matches('\n').count() + 1, whole.as_str().to_owned())
    };
    odd.captures_iter(&text).map(found).collect()
}

#[test]
fn texts_for_users_are_plain_english() {
    let odd = odd();
    let mut texts: Vec<(PathBuf, String)> = Vec::new();
    for (place, ends) in READ {
        texts.extend(
            files(place, ends)
                .into_iter()
                .map(|path| (path.clone(), fs::read_to_string(path).unwrap())),
        );
    }
    for place in SOURCES {
        let sources = files(place, &[".rs", ".js"]).into_iter().filter(|path| {
            let path = path.to_str().unwrap().replace('\\', "/");
            !path.ends_with("/tests.rs") && !path.contains("/tests/") && !path.contains("/testing/")
        });
        texts.extend(
            sources
                .map(|path| (path.clone(), without_comments(&fs::read_to_string(path).unwrap()))),
        );
    }
    let places: Vec<String> = texts
        .iter()
        .flat_map(|(path, text)| phrases(&odd, text).into_iter().map(move |found| (path, found)))
        .map(|(path, (line, phrase))| {
            format!("{}:{line}: {phrase}", path.strip_prefix(root()).unwrap().display())
        })
        .collect();
    assert!(
        places.is_empty(),
        "{} phrases to say in plain English:\n{}",
        places.len(),
        places.join("\n")
    );
}

#[test]
fn phrases_are_found_as_whole_words_and_across_lines() {
    let odd = odd();
    let found =
        |text: &str| phrases(&odd, text).into_iter().map(|(line, _)| line).collect::<Vec<_>>();
    for (text, lines) in [
        ("To whom it may concern", &[1][..]),
        ("a whomever", &[]),
        ("Nobody, and nobody", &[1, 1]),
        ("PRE-421 nobody to evict", &[]),
        ("fine\nthis is\nabout pods", &[2]),
        ("\"this is \\\n    about pods\"", &[1]),
        ("it is a bout", &[]),
        ("throws the pod out", &[1]),
        ("throws. Out", &[]),
        ("three nodes were top", &[]),
        ("what became of it", &[1]),
    ] {
        assert_eq!(found(text), lines, "{text}");
    }
    assert_eq!(without_comments("a\n// nobody\nb // nobody"), "a\n\nb // nobody");
}

/// The first page stays one that is read: what takes longer is in docs/.
#[test]
fn the_first_page_is_short() {
    let lines = fs::read_to_string(root().join("README.md")).unwrap().lines().count();
    assert!(lines <= 200, "README.md has {lines} lines: move some to docs/");
}

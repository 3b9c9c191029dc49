//! The documents as a whole: links lead somewhere, every page is found from README.md, every command
//! has one, and all of them together stay short.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use kubectl_preempt::cli::command;
use regex::Regex;

use super::root;

/// Where the index stands. It leads from a question to the command and its page.
const INDEX: &str = "docs/README.md";

/// Documents that are written from the sources as a whole.
const GENERATED: [&str; 3] = ["docs/RBAC.md", "docs/VERSIONS.md", "docs/rules.md"];

/// Commands without a page of their own, and the page that says what they are for.
const ELSEWHERE: [(&str, &str); 4] = [
    ("completion", "docs/OUTPUT.md"),
    ("options", "README.md"),
    ("schema", "docs/JSON.md"),
    ("version", "docs/JSON.md"),
];

/// Every document of the repository but those of benches and tests, sorted by path.
pub(super) fn documents() -> Vec<String> {
    let mut found = Vec::new();
    for folder in ["", "docs", "docs/commands", "skills/kubectl-preempt"] {
        for entry in fs::read_dir(root().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|end| end == "md") {
                found.push(path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    found.sort();
    assert!(found.len() > 30, "{found:?}");
    found
}

fn is_page(file: &str) -> bool {
    Path::new(file).extension().is_some_and(|end| end == "md")
}

fn read(document: &str) -> String {
    fs::read_to_string(root().join(document)).unwrap_or_else(|e| panic!("{document}: {e}"))
}

/// What a document links to in the repository: the path from its root, and the heading.
fn links(document: &str) -> Vec<(String, Option<String>)> {
    let folder = Path::new(document).parent().unwrap();
    let mut links = Vec::new();
    for link in read(document).split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
        if link.contains("://") {
            continue;
        }
        let (file, heading) = match link.split_once('#') {
            Some((file, heading)) => (file, Some(heading.to_owned())),
            None => (link, None),
        };
        let file =
            if file.is_empty() { document.to_owned() } else { without_dots(&folder.join(file)) };
        links.push((file, heading));
    }
    links
}

/// The path without `..`, by its names alone.
fn without_dots(path: &Path) -> String {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                assert!(plain.pop(), "{} leaves the repository", path.display());
            }
            part => plain.push(part),
        }
    }
    plain.to_str().unwrap().to_owned()
}

/// The anchors of a document's headings, as GitHub makes them.
fn headings(document: &str) -> BTreeSet<String> {
    let mut in_block = false;
    let mut anchors = BTreeSet::new();
    for line in read(document).lines() {
        in_block ^= line.starts_with("```");
        if in_block || !line.starts_with('#') {
            continue;
        }
        let text = line.trim_start_matches('#').trim().to_lowercase();
        let kept = text.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
        anchors.insert(kept.collect::<String>().replace(' ', "-"));
    }
    anchors
}

#[test]
fn what_documents_link_to_is_there() {
    let mut count = 0;
    for document in documents() {
        for (file, heading) in links(&document) {
            assert!(root().join(&file).exists(), "{document} links to {file}, which is not there");
            if let Some(heading) = heading.filter(|_| is_page(&file)) {
                let known = headings(&file).contains(&heading);
                assert!(known, "{document} links to {file}#{heading}, which has no such heading");
            }
            count += 1;
        }
    }
    assert!(count > 100, "{count} links: they were not found");
}

#[test]
fn every_document_is_found_from_the_first_page() {
    let mut found = BTreeSet::from(["README.md".to_owned()]);
    let mut todo: Vec<String> = found.iter().cloned().collect();
    while let Some(document) = todo.pop() {
        for (file, _) in links(&document) {
            if is_page(&file) && found.insert(file.clone()) {
                todo.push(file);
            }
        }
    }
    let lost: Vec<String> = documents().into_iter().filter(|page| !found.contains(page)).collect();
    assert!(lost.is_empty(), "nothing links to {lost:?}");
}

#[test]
fn every_command_has_a_page_that_the_index_names() {
    let indexed: BTreeSet<String> = links(INDEX).into_iter().map(|(file, _)| file).collect();
    for page in documents().iter().filter(|page| page.starts_with("docs/") && *page != INDEX) {
        assert!(indexed.contains(page), "{INDEX} does not name {page}");
    }
    let program = command();
    for command in program.get_subcommands().filter(|command| !command.is_hide_set()) {
        let name = command.get_name();
        if let Some((_, page)) = ELSEWHERE.iter().find(|(other, _)| *other == name) {
            let is_named = read(page).contains(&format!("`{name}`"))
                || read(page).contains(&format!("kubectl preempt {name}"));
            assert!(is_named, "{page} does not name {name}");
            continue;
        }
        let page = format!("docs/commands/{name}.md");
        let text = fs::read_to_string(root().join(&page)).unwrap_or_default();
        assert!(text.starts_with(&format!("# {name}")), "{name} has no page {page}");
    }
}

/// A page that nobody can read to its end helps nobody: what is new takes the place of something.
#[test]
fn documents_stay_short() {
    let generated = Regex::new(r"(?s)<!-- generated: .*?<!-- end -->").unwrap();
    let mut words = 0;
    for document in documents().iter().filter(|document| !GENERATED.contains(&document.as_str())) {
        words += generated.replace_all(&read(document), "").split_whitespace().count();
    }
    assert!(words <= 20_000, "{words} words are written by hand in documents");
}

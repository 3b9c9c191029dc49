//! `-o json` is the whole decision: what of the input the formats for people show stands in it,
//! too. The numbers that are computed have a table beside the code, in `crates/to-json/src/decision/tests.rs`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use testing::share;

/// The formats for people.
const FORMATS: [&[&str]; 5] =
    [&["-o=wide", "--nodes"], &["-o=html"], &["-o=markdown"], &["-o=csv"], &["-o=dot"]];
/// Words of the input that are also words of the page's data, or of what the rulebook says about a
/// code.
const OTHER_WORDS: [&str; 5] =
    ["data", "main", "metadata.name", "selected-node", "volume.kubernetes.io"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every cluster that has an answer, as a path below [`root`].
fn clusters() -> Vec<PathBuf> {
    let scenarios = fs::read_dir(root().join("tests/scenarios")).unwrap();
    let folders =
        scenarios.map(|entry| Path::new("tests/scenarios").join(entry.unwrap().file_name()));
    let mut folders: Vec<PathBuf> =
        folders.chain([PathBuf::from("examples/pending-web")]).collect();
    folders.sort();
    folders.iter().map(|folder| folder.join("cluster.yaml")).collect()
}

/// What `explain` prints about the question in the first line of `cluster`.
fn explain(cluster: &Path, question: &str, format: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-preempt"));
    command
        .args(
            question
                .split_whitespace()
                .filter(|argument| !argument.starts_with("-o") && *argument != "--nodes"),
        )
        .args(["--now", "2026-06-01T12:00:00Z", "--color", "never", "--from"])
        .arg(cluster)
        .args(format)
        .env("LC_ALL", "C.UTF-8")
        .current_dir(root());
    let output = command.output().unwrap();
    assert!(!output.stdout.is_empty(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Names and quantities, such as `web-6d4cf56db6-q7rtz` and `900m`.
fn words(text: &str) -> BTreeSet<&str> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || "-_.".contains(c)));
    words.map(|word| word.trim_matches(['-', '_', '.'])).filter(|word| !word.is_empty()).collect()
}

/// The values of all fields `name`, and all that cannot be a word of a sentence.
fn facts(yaml: &str) -> BTreeSet<&str> {
    let names =
        yaml.split("name: ").skip(1).filter_map(|rest| rest.split([',', '}', '\n', ' ']).next());
    let names = names.flat_map(words);
    let is_letter = |word: &str| word.contains(|c: char| c.is_ascii_alphabetic());
    let special = words(yaml)
        .into_iter()
        .filter(|word| is_letter(word) && word.contains(|c: char| !c.is_alphabetic()));
    names.chain(special).filter(|word| !OTHER_WORDS.contains(word)).collect()
}

/// What shows nodes as they are, decided or not, from its beginning to its end: who reads JSON has the
/// nodes, or asks for `--bars`.
const PICTURES_OF_NODES: [(&str, &str); 3] = [
    ("<table class=\"named room\">", "</table>"),
    ("<table class=\"named pools\">", "</table>"),
    ("<section class=\"picture\"", "</section>"),
];

/// The page without its style, its script, its tags and the pictures of nodes.
fn page_text(html: &str) -> String {
    let body = html.split_once("</style>").expect("a page").1;
    let mut body = body.rsplit_once("<script>").expect("a page").0.to_owned();
    for (begin, end) in PICTURES_OF_NODES {
        while let Some(start) = body.find(begin) {
            let end = body[start..].find(end).expect("its end");
            body.replace_range(start..start + end, "");
        }
    }
    body.split('<')
        .map(|part| part.split_once('>').map_or(part, |(_, text)| text))
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn facts_on_pages_are_in_the_json() {
    let mut compared = 0;
    for (nth, cluster) in clusters().into_iter().enumerate() {
        let yaml = fs::read_to_string(root().join(&cluster)).unwrap();
        let (question, objects) = yaml.split_once('\n').expect("a question and objects");
        let question = question.strip_prefix("# kubectl preempt ").expect("a question");
        let json = explain(&cluster, question, &["-o=json"]);
        let (facts, in_json) = (facts(objects), words(&json));
        // The page also carries the names of nodes that are not shown because the pod gets no
        // cycle.
        let queued = !json.contains(r#""outcome": "NotInQueue""#);
        // With every change two of the formats, in turn; all in the long run.
        let formats = FORMATS.into_iter().cycle().skip(nth).take(share::of(2, FORMATS.len()));
        for format in formats.filter(|format| queued || format[0] != "-o=html") {
            let answer = explain(&cluster, question, format);
            let answer = if format[0] == "-o=html" { page_text(&answer) } else { answer };
            let shown: BTreeSet<&str> = words(&answer).intersection(&facts).copied().collect();
            compared += shown.len();
            let missing: Vec<&&str> = shown.difference(&in_json).collect();
            assert!(missing.is_empty(), "{} {format:?} shows {missing:?}", cluster.display());
        }
    }
    assert!(compared > share::of(200, 500), "{compared}");
}

//! Files that the tests write: goldens, generated documents, and the generated parts of the others.
//!
//! `just bless` runs the tests of every module that names `golden::`, with `BLESS=1`. It looks for
//! them in the sources, so nothing has to be listed; a test below says that no module bypasses this
//! one.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Where a generated part of a document ends.
const END: &str = "<!-- end -->\n";

/// Two tests may write parts of one document.
static DOCUMENTS: Mutex<()> = Mutex::new(());

/// The path of a file of the repository; absolute paths stay what they are.
pub(crate) fn path(file: impl AsRef<Path>) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(file)
}

/// Whether files are to be written instead of compared.
pub(crate) fn blessing() -> bool {
    std::env::var_os("BLESS").is_some()
}

/// Writes the file when blessing, and checks that it holds `text`.
#[track_caller]
pub(crate) fn check(file: impl AsRef<Path>, text: &str) {
    let file = path(file);
    if blessing() {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
    }
    let written = fs::read_to_string(&file).unwrap_or_default();
    let name = file.strip_prefix(path("")).unwrap_or(&file).display();
    assert!(written == text, "{}", difference(&name.to_string(), &written, text));
}

/// Writes a part of a document when blessing, and checks that it holds `text`. The part stands
/// between the lines `<!-- generated: NAME -->` and `<!-- end -->`.
#[track_caller]
pub(crate) fn part(document: &str, name: &str, text: &str) {
    let _alone = DOCUMENTS.lock().unwrap_or_else(PoisonError::into_inner);
    let whole = fs::read_to_string(path(document)).unwrap();
    let start = format!("<!-- generated: {name} -->\n");
    let Some((before, rest)) = whole.split_once(&start) else {
        panic!("{document} has no line {start}")
    };
    let Some((written, after)) = rest.split_once(END) else {
        panic!("{document}: no {END} behind {start}")
    };
    if blessing() {
        fs::write(path(document), format!("{before}{start}{text}{END}{after}")).unwrap();
        return;
    }
    let part = format!("{document}, the part `{name}`,");
    assert!(written == text, "{}", difference(&part, written, text));
}

/// The answer of a command as a generated part of a document.
#[track_caller]
pub(crate) fn shown(document: &str, name: &str, answer: &str) {
    part(document, name, &format!("```text\n{answer}```\n"));
}

/// What differs, and the command that writes it.
fn difference(name: &str, written: &str, is: &str) -> String {
    let same = written.lines().zip(is.lines()).take_while(|(written, is)| written == is).count();
    let line = |text: &str| text.lines().nth(same).map_or("(nothing)".to_owned(), str::to_owned);
    format!(
        "{name} is not what the program says now; `just bless` writes it.\nline {}: {}\n     is: {}\n--- all of it\n{is}",
        same + 1,
        line(written),
        line(is)
    )
}

#[test]
fn difference_names_file_command_and_first_line() {
    let told = difference("a.txt", "a\nb\nc\n", "a\nB\nc\n");
    for part in ["a.txt is not", "`just bless`", "line 2: b\n     is: B\n"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(difference("a.txt", "a\n", "a\nb\n").contains("line 2: (nothing)\n     is: b\n"));
}

/// The sources that read the variable themselves. `just schema`, which `just bless` calls, runs the
/// tests of the one outside of tests/.
const READERS: [&str; 2] = ["src/cli/mcp/questions.rs", "tests/golden.rs"];

#[test]
fn nothing_is_blessed_behind_the_back_of_just() {
    let mut readers = Vec::new();
    let mut todo = ["src", "crates", "tests"].map(path).to_vec();
    while let Some(place) = todo.pop() {
        if place.is_dir() {
            todo.extend(fs::read_dir(place).unwrap().map(|entry| entry.unwrap().path()));
        } else if place.extension().is_some_and(|end| end == "rs")
            && fs::read_to_string(&place).unwrap().contains("var_os(\"BLESS\")")
        {
            readers.push(place.strip_prefix(path("")).unwrap().to_str().unwrap().to_owned());
        }
    }
    readers.sort();
    assert_eq!(readers, READERS, "use tests/golden.rs, which `just bless` looks for");
    let just = fs::read_to_string(path("justfile")).unwrap();
    let recipe = just.split("\nbless: schema\n").nth(1).and_then(|rest| rest.split("\n\n").next());
    assert!(recipe.is_some_and(|lines| lines.contains("grep -rl golden:: tests")), "{recipe:?}");
    assert!(
        just.contains(
            "BLESS=1 cargo test --package kubectl-preempt --lib -- cli::mcp::questions::"
        )
    );
}

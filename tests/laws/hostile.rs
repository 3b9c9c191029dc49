//! Whatever stands in a cluster, nothing that a terminal would act on is printed: the corpora of
//! the fuzz targets, and texts made of what is dangerous, through every output of the library.
//! `tests/cli/hostile.rs` does it with the program itself.

#[cfg(unix)]
mod answers;
mod inputs;
mod outputs;
pub mod pages;

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use render::page::{Page, Paper, Span, Tone, is_hostile};
use testing::share;

/// The seeds of a fuzz target, by name.
fn seeds(of: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/laws/hostile").join(of);
    let seed = |entry: std::io::Result<fs::DirEntry>| {
        let entry = entry.unwrap();
        (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())
    };
    let mut seeds: Vec<_> = fs::read_dir(folder).unwrap().map(seed).collect();
    seeds.sort();
    seeds
}

#[test]
fn the_corpus_in_decisions() {
    let seeds = seeds("corpus");
    assert!(seeds.len() >= 12);
    let tried: Vec<(String, Vec<String>)> =
        seeds.into_iter().map(|(name, seed)| (name, outputs::texts(&seed))).collect();
    for (name, texts) in if share::is_long() { tried } else { in_pairs(tried) } {
        // 12 pods in 11 outputs each, and more of some of them.
        assert!(outputs::check_decisions(&texts) > 130, "{name}");
    }
}

/// Seeds two by two, the texts of a place one after the other: most of them are dangerous wherever
/// they stand. Those that matter as they are stay alone.
fn in_pairs(seeds: Vec<(String, Vec<String>)>) -> Vec<(String, Vec<String>)> {
    let (mut tried, others): (Vec<_>, Vec<_>) =
        seeds.into_iter().partition(|(name, _)| WHOLE_TEXTS.contains(&name.as_str()));
    for pair in others.chunks(2) {
        let names: Vec<&str> = pair.iter().map(|(name, _)| name.as_str()).collect();
        let texts = (0..10).map(|place| pair.iter().map(|(_, texts)| &*texts[place]).collect());
        tried.push((names.join(" and "), texts.collect()));
    }
    tried
}

/// Seeds whose texts matter as they are: as a quantity, a time, an operator.
const WHOLE_TEXTS: [&str; 2] = ["numbers", "selectors"];

/// The texts of all seeds but [`WHOLE_TEXTS`], those of a place one after the other: they are
/// dangerous wherever they stand.
fn together() -> Vec<String> {
    let mut together = vec![String::new(); 10];
    for (name, seed) in seeds("corpus") {
        if !WHOLE_TEXTS.contains(&name.as_str()) {
            for (place, text) in together.iter_mut().zip(outputs::texts(&seed)) {
                place.push_str(&text);
            }
        }
    }
    assert!(together.iter().all(|text| text.chars().any(is_hostile)), "{together:?}");
    together
}

#[test]
fn the_inputs() {
    let read: Vec<(String, usize)> =
        seeds("inputs").iter().map(|(name, seed)| (name.clone(), inputs::check(seed))).collect();
    let objects = |wanted: &str| read.iter().find(|(name, _)| name == wanted).unwrap().1;
    for name in ["list", "lines", "gzip", "zstd", "utf16"] {
        assert_eq!(objects(name), 6, "{name}");
    }
    let others = ["folder", "yaml", "snapshot", "status", "tar", "compact"];
    assert_eq!(others.map(objects), [3, 2, 2, 0, 1, 3]);
}

#[cfg(unix)]
#[test]
fn the_answers() {
    let read: Vec<(String, usize)> =
        seeds("answers").iter().map(|(name, seed)| (name.clone(), answers::check(seed))).collect();
    let objects = |wanted: &str| read.iter().find(|(name, _)| name == wanted).unwrap().1;
    // Each of six lists has these three objects.
    assert_eq!(["lists", "chunked", "packed"].map(objects), [18; 3]);
    assert_eq!(["raw", "login-page"].map(objects), [0; 2]);
}

#[test]
fn the_pages() {
    let read: Vec<(String, usize)> =
        seeds("pages").iter().map(|(name, seed)| (name.clone(), pages::check(seed))).collect();
    assert_eq!(
        read,
        [("pods", 2), ("storage", 8), ("workloads", 5)]
            .map(|(name, count)| (name.to_owned(), count))
    );
}

/// The check itself sees what it looks for: such texts do get as far as the printers.
#[test]
fn the_texts_are_printed() {
    let mut page = Page::default();
    page.line(0, vec![Span::new("\u{1b}[31m", Tone::Bad)]);
    assert_eq!(&*page.print(Paper::PLAIN), "\\u{1b}[31m\n");
    let colored = page.print(Paper { color: true, ..Paper::PLAIN });
    let without = colored.replace("\u{1b}[38;5;166;1m", "").replace("\u{1b}[0m", "");
    assert_eq!(without, "\\u{1b}[31m\n");
}

/// Pieces that are dangerous, and some that are not.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[\\x00-\\x1f\\x7f-\\u{9f}]{1,3}",
        "[\\u{200b}-\\u{206f}\\u{feff}\\u{61c}\\u{ad}]{1,3}",
        "\\PC{0,8}",
        "[a-z0-9./=-]{0,12}",
        Just("\u{1b}]0;x\u{7}".to_owned()),
        Just("In".to_owned()),
    ];
    prop::collection::vec(piece, 0..4).prop_map(|pieces| pieces.concat())
}

proptest! {
    // Other texts with every run, 4 of them with every change and 480 in the long run. Each text
    // stands in every place and goes through every output, and the corpus that the fuzzer left goes
    // through them in every run.
    #![proptest_config(cases(share::of(4, 480)))]
    #[test]
    fn whatever_it_says_in_decisions(texts in prop::collection::vec(text(), 10)) {
        prop_assert!(outputs::check_decisions(&texts) > 130);
    }
}

/// Plans make many decisions and print little, and each takes as long as six times the decisions. So
/// with every change one text stands in each place, behind those of the corpus; in the long run 480
/// are tried alone, and so is each seed.
#[test]
fn the_corpus_and_whatever_it_says_in_plans() {
    let mut before = together();
    if share::is_long() {
        for texts in seeds("corpus").iter().map(|(_, seed)| outputs::texts(seed)).chain([before]) {
            assert!(outputs::check_plans(&texts) >= 16, "{texts:?}");
        }
        before = vec![String::new(); 10];
    }
    let texts = prop::collection::vec(text(), 10);
    let tried = TestRunner::new(cases(share::of(1, 480))).run(&texts, |texts| {
        let texts: Vec<String> = before.iter().zip(texts).map(|(a, b)| format!("{a}{b}")).collect();
        // Three nodes and what follows, each on three kinds of paper and as JSON.
        prop_assert!(outputs::check_plans(&texts) >= 16);
        Ok(())
    });
    tried.unwrap();
}

fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

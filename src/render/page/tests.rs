use super::{Page, Paper, Span, Tone, is_hostile, sanitize};
use proptest::prelude::*;

const PLAIN: Paper = Paper { color: false, width: None };

#[test]
fn hostile_text_is_shown_not_obeyed() {
    assert_eq!(
        sanitize("a\u{1b}]0;x\u{7}\r\n\u{9b}31m\u{202e}b"),
        "a\\u{1b}]0;x\\u{7}\\u{d}\\u{a}\\u{9b}31m\\u{202e}b"
    );
    assert_eq!(sanitize("plain ünïcödé"), "plain ünïcödé");
    assert!(sanitize(&"x".repeat(5000)).ends_with("x…"));
}

#[test]
fn lines_wrap_with_their_indent() {
    let mut page = Page::default();
    page.line(2, vec!["one two three four five six seven eight nine ten eleven".into()]);
    let text = page.print(Paper { color: false, width: Some(40) });
    assert_eq!(text, "  one two three four five six seven\n  eight nine ten eleven\n");
}

#[test]
fn tables_are_aligned_and_bare() {
    let mut page = Page::default();
    page.table(
        2,
        vec!["NODE", "VICTIMS"],
        vec![vec!["n1".into(), "3".into()], vec![Span::new("a-long-node", Tone::Good), "10".into()]],
    );
    assert_eq!(page.print(PLAIN), "  NODE         VICTIMS\n  n1           3\n  a-long-node  10\n");
}

#[test]
fn names_are_never_cut() {
    let mut page = Page::default();
    let name = "reports/a-pod-with-a-rather-long-name-29670480-xw7vn";
    page.table(4, vec!["VICTIM", "OWNER"], vec![vec![name.into(), "Job/another-long-name-29670480".into()]]);
    assert!(page.print(Paper { color: false, width: Some(60) }).contains(name));
}

#[test]
fn colour_changes_nothing_but_colour() {
    let mut page = Page::default();
    page.heading("Verdict");
    page.line(2, vec!["it ".into(), Span::new("fits ", Tone::Good), "here".into()]);
    page.table(0, vec!["NODE", "N"], vec![vec![Span::new("n1", Tone::Good), Span::new("1", Tone::Bad)]]);
    let painted = page.print(Paper { color: true, width: None });
    assert!(painted.contains("\u{1b}["));
    let mut bare = String::new();
    let mut rest = painted.as_str();
    while let Some(at) = rest.find('\u{1b}') {
        bare.push_str(&rest[..at]);
        rest = &rest[at + rest[at..].find('m').unwrap() + 1..];
    }
    bare.push_str(rest);
    let trimmed: Vec<&str> = bare.lines().map(str::trim_end).collect();
    assert_eq!(trimmed, page.print(PLAIN).lines().collect::<Vec<_>>());
}

proptest! {
    #[test]
    fn nothing_hostile_reaches_paper(text in "\\PC*|[\\x00-\\x1f\\x7f-\\u{9f}\\u{200b}-\\u{206f}a-z ]{0,60}", width in 20u16..200) {
        let mut page = Page::default();
        page.line(2, vec![Span::new(text.clone(), Tone::Bad)]);
        page.table(2, vec!["A"], vec![vec![text.into()]]);
        let printed = page.print(Paper { color: false, width: Some(width) });
        prop_assert!(!printed.chars().any(|c| c != '\n' && is_hostile(c)));
    }
}

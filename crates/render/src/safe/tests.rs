use super::{Printable, Safe, ascii, is_hostile, sanitize};
use proptest::prelude::*;

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
fn invisible_characters_are_escaped() {
    // The first and the last of each range of Default_Ignorable_Code_Point.
    for c in "\u{ad}\u{34f}\u{61c}\u{115f}\u{1160}\u{17b4}\u{17b5}\u{180b}\u{180e}\u{180f}\u{200b}\u{200c}\u{200d}\u{200f}\
        \u{202a}\u{202e}\u{2060}\u{206f}\u{3164}\u{fe00}\u{fe0f}\u{feff}\u{ffa0}\u{fff0}\u{fff8}\u{1bca0}\u{1bca3}\u{1d173}\
        \u{1d17a}\u{e0000}\u{e0fff}"
        .chars()
    {
        assert_eq!(sanitize(&format!("n1{c}")), format!("n1\\u{{{:x}}}", u32::from(c)));
    }
    for shown in "\u{ac}ü\u{2010}漢\u{1f680}".chars() {
        assert!(!is_hostile(shown), "{shown:?}");
    }
}

#[test]
fn blank_and_unassigned_characters_are_escaped() {
    let blank = "\u{a0}\u{1680}\u{2000}\u{2003}\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{2800}\u{3000}\u{fff9}\u{fffb}";
    let no_meaning = "\u{e000}\u{f8ff}\u{fdd0}\u{fdef}\u{fffe}\u{ffff}\u{1fffe}\u{effff}\u{f0000}\u{10fffd}\u{10ffff}";
    for c in blank.chars().chain(no_meaning.chars()) {
        assert_eq!(sanitize(&format!("a{c}b")), format!("a\\u{{{:x}}}b", u32::from(c)));
        assert_eq!(&*Printable::new(format!("a{c}b")), format!("a\\u{{{:x}}}b", u32::from(c)));
    }
    for shown in
        " \u{27ff}\u{2801}\u{3001}\u{d7ff}\u{f900}\u{fdcf}\u{fdf0}\u{fffd}\u{1fffd}".chars()
    {
        assert!(!is_hostile(shown), "{shown:?}");
    }
}

#[test]
fn terminal_without_unicode_gets_only_ascii() {
    for (text, shown) in
        [("plain", "plain"), ("zürich", "z\\u{fc}rich"), ("cut…", "cut..."), ("✓", "\\u{2713}")]
    {
        assert_eq!(ascii(text), shown);
        assert_eq!(Safe::from(text).to_ascii(), shown);
    }
}

#[test]
fn control_characters_in_a_stream_are_escaped() {
    assert_eq!(&*Printable::new("a,b\nc\t\u{1b}[2J\r\n"), "a,b\nc\t\\u{1b}[2J\\u{d}\n");
}

proptest! {
    #[test]
    fn no_text_gets_hostile_characters_through(text in "\\PC*|[\\x00-\\x1f\\x7f-\\u{9f}\\u{200b}-\\u{206f}\u{fe00}-\u{fe0f}\u{3164}a-z ]{0,60}") {
        prop_assert!(!Safe::from(text.as_str()).as_str().chars().any(is_hostile));
        prop_assert!(!Safe::from(text.clone()).to_ascii().chars().any(|c| is_hostile(c) || !c.is_ascii()));
        prop_assert!(!Printable::new(text).chars().any(|c| !matches!(c, '\n' | '\t') && is_hostile(c)));
    }
}

#[test]
fn parts_of_printable_text_are_printable_and_end_between_characters() {
    let text = || Printable::new("aé\u{1b}z");
    assert_eq!(&*text(), "aé\\u{1b}z");
    assert_eq!(&*text().part(1..3), "é");
    assert_eq!(&*text().part(2..3), "", "within a character");
    assert_eq!(&*text().part(0..99), "");
    let mut both = text().part(0..1);
    both.append(&text());
    assert_eq!(&*both, "aaé\\u{1b}z");
}

use super::*;

#[test]
fn a_note_is_one_line() {
    for (text, width, ascii, shown) in [
        ("the server", 10, false, "the server"),
        ("the server", 9, false, "the serv…"),
        ("the server", 9, true, "the se..."),
        ("日本語", 5, false, "日本…"),
        ("a\u{1b}[2Jb", 80, false, "a\\u{1b}[2Jb"),
        ("the server", 0, false, "…"),
    ] {
        assert_eq!(cut(text, width, ascii).to_string(), shown, "{text} {width}");
    }
}

#[test]
fn help_names_the_keys() {
    let mut state = ScreenState::default();
    let line = "12:50:22 UTC | Enter explain, / filter, s sort (queue order), q quit";
    assert_eq!(keys_line(&keys(&state), "12:50:22 UTC").to_string(), line);
    state.filter = "web".to_owned();
    assert!(keys(&state).contains("/ filter (web), "));
}

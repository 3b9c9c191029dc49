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
fn the_line_of_keys_has_as_many_as_fit() {
    let mut state = ScreenState::default();
    let line = "12:50:22 UTC | Enter explain, / filter, s sort (queue order), ? help, q quit";
    assert_eq!(keys_line(&keys(&state, 65), "12:50:22 UTC").to_string(), line);
    assert_eq!(keys(&state, 5), "Enter explain", "one in any case");
    assert!(keys(&state, 200).ends_with(", q quit, v verdict, n node, h headroom, a actions"));
    state.filter = "web".to_owned();
    state.verdict = Some(PendingVerdict::Blocked);
    assert!(keys(&state, 200).contains("/ filter (web), "));
    assert!(keys(&state, 200).contains("v verdict (blocked), "));
}

#[test]
fn smallest_screens_show_the_list_before_the_note_and_the_note_before_the_keys() {
    for (rows, wants_note, expected) in [
        (0, true, (0, false, false)),
        (1, true, (1, false, false)),
        (2, true, (1, true, false)),
        (3, true, (1, true, true)),
        (1, false, (1, false, false)),
        (2, false, (1, false, true)),
        (9, true, (7, true, true)),
    ] {
        let areas = Areas::of(rows, wants_note);
        let found = (areas.body, areas.has_note, areas.has_keys);
        assert_eq!(found, expected, "{rows} {wants_note}");
    }
}

use super::*;

fn text(out: &[u8]) -> &str {
    std::str::from_utf8(out).unwrap()
}

#[test]
fn no_line_is_written_over_a_screen_and_none_is_lost() {
    let (mut held, mut out) = (RetainedLines::new(), Vec::new());
    held.line("before", true, &mut out).unwrap();
    held.covered = true;
    held.line("first", true, &mut out).unwrap();
    held.line("second", true, &mut out).unwrap();
    assert_eq!(text(&out), "before\n");
    held.line("into a file", false, &mut out).unwrap();
    assert_eq!(text(&out), "before\ninto a file\n", "the screen covers the terminal alone");
    held.uncover(&mut out).unwrap();
    held.line("after", true, &mut out).unwrap();
    held.uncover(&mut out).unwrap();
    assert_eq!(text(&out), "before\ninto a file\nfirst\nsecond\nafter\n");
}

#[test]
fn the_newest_lines_are_kept() {
    let (mut held, mut out) = (RetainedLines { covered: true, ..RetainedLines::new() }, Vec::new());
    (0..MOST + 2).for_each(|i| held.line(&format!("line {i}"), true, &mut out).unwrap());
    held.uncover(&mut out).unwrap();
    let lines: Vec<&str> = text(&out).lines().collect();
    assert_eq!(lines[..2], ["(2 older lines of the log are not shown)", "line 2"]);
    assert_eq!((lines.len(), lines[MOST]), (MOST + 1, "line 201"));
}

#[test]
fn a_line_is_news_for_a_while() {
    let mut held = RetainedLines { covered: true, ..RetainedLines::new() };
    assert_eq!(held.news(Instant::now()), None);
    held.line("slow", true, &mut Vec::new()).unwrap();
    assert_eq!(held.news(Instant::now()), Some("slow"));
    assert_eq!(held.news(Instant::now() + NEWS), None);
}

//! The dialog of `simulate --apply` on a terminal, as its screen shows it.

use std::thread;
use std::time::Duration;

use super::rig::Rig;
use super::scripted::{rig, sent};
use crate::live::terminal::{CTRL_C, Session};
use testing::assert_has;

const QUESTION: &str = "Do you want to continue? (y/N):";

fn start(rig: &Rig, size: (u16, u16), flags: &[&str]) -> Session {
    let mut command = rig.command();
    command.args(["simulate", "web", "-n", "shop", "--apply", "--timeout=300s"]).args(flags);
    Session::start(&mut command, size)
}

/// The question stands on the screen below the victims until it is answered, and no progress is
/// drawn over it.
fn asked(session: &Session) {
    session.until(QUESTION);
    // Spinners turn several times a second.
    thread::sleep(Duration::from_millis(700));
    let text = session.text();
    let line = |what: &str| {
        text.lines()
            .position(|line| line.contains(what))
            .unwrap_or_else(|| panic!("{what}:\n{text}"))
    };
    assert!(
        line("You are about to evict") < line("pod/low-a") && line("pod/low-a") < line(QUESTION),
        "{text}"
    );
    assert_eq!(text.trim_end().lines().next_back().map(str::trim_end), Some(QUESTION), "{text}");
}

#[test]
fn the_question_stays_on_the_screen_until_it_is_answered() {
    for size in [(24, 80), (50, 120)] {
        for (keys, code) in [("y\n", 0), ("n\n", 2), ("\u{4}", 2), (CTRL_C, 130)] {
            let rig = rig();
            let mut session = start(&rig, size, &[]);
            asked(&session);
            assert_eq!(sent(&rig), [""; 0], "nothing is sent before the answer");
            session.press(keys);
            let status = session.end();
            assert_eq!(status.code(), Some(code), "{keys:?} at {size:?}:\n{}", session.text());
            assert_eq!(sent(&rig).is_empty(), code != 0, "{keys:?}");
        }
    }
}

#[test]
fn no_word_is_broken_on_a_narrow_terminal() {
    let rig = rig();
    let mut session = start(&rig, (24, 60), &[]);
    session.until(QUESTION);
    let text = session.text();
    assert_has(
        &text,
        "You are about to evict the following 2 pod(s) from node n1\n  for pod shop/web:",
    );
    assert!(text.lines().all(|line| line.chars().count() <= 60), "{text}");
    session.press("n\n");
    assert_eq!(session.end().code(), Some(2));
}

#[test]
fn with_yes_the_progress_of_each_victim_is_drawn() {
    let rig = rig();
    let mut session = start(&rig, (24, 80), &["--yes"]);
    session.until("shop/low-a: ");
    assert_eq!(session.end().code(), Some(0), "{}", session.text());
    assert!(!session.text().contains(QUESTION));
    assert_eq!(sent(&rig).len(), 2);
}

//! The dialog of `simulate --apply` on a terminal, as its screen shows it.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use vt100::Parser;

use super::rig::Rig;
use super::scripted::{rig, sent};
use crate::live::pending::terminal_of;

const QUESTION: &str = "Do you want to continue? (y/N):";
const CTRL_C: &str = "\u{3}";
const PATIENCE: Duration = Duration::from_secs(30);

/// The program on a terminal.
struct Session {
    child: Child,
    screen: Arc<Mutex<Parser>>,
    keyboard: File,
}

impl Session {
    fn start(rig: &Rig, size: (u16, u16), flags: &[&str]) -> Self {
        let (ours, theirs) = terminal_of(size.0, size.1);
        let mut command = rig.command();
        command.args(["simulate", "web", "-n", "shop", "--apply", "--timeout=20s"]).args(flags);
        command.stdin(Stdio::from(theirs.try_clone().unwrap())).stdout(Stdio::from(theirs.try_clone().unwrap()));
        let child = command.stderr(Stdio::from(theirs)).spawn().unwrap();
        let screen = Arc::new(Mutex::new(Parser::new(size.0.try_into().unwrap(), size.1.try_into().unwrap(), 0)));
        let (shown, mut from) = (screen.clone(), ours.try_clone().unwrap());
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(n @ 1..) = from.read(&mut buffer) {
                shown.lock().unwrap().process(&buffer[..n]);
            }
        });
        Self { child, screen, keyboard: ours }
    }

    fn text(&self) -> String {
        self.screen.lock().unwrap().screen().contents()
    }

    /// Waits until the screen shows `what`.
    fn until(&self, what: &str) {
        let since = Instant::now();
        while !self.text().contains(what) {
            assert!(since.elapsed() < PATIENCE, "{what:?} does not come:\n{}", self.text());
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Types `keys`. Ctrl-C is sent as the signal that a terminal makes of it for its own processes.
    fn press(&mut self, keys: &str) {
        if keys == CTRL_C {
            let interrupt = Command::new("kill").arg("-INT").arg(self.child.id().to_string()).status();
            assert!(interrupt.unwrap().success());
            return;
        }
        self.keyboard.write_all(keys.as_bytes()).unwrap();
    }

    fn end(&mut self) -> ExitStatus {
        let since = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            if since.elapsed() > PATIENCE {
                self.child.kill().unwrap();
                panic!("the program does not end:\n{}", self.text());
            }
            thread::sleep(Duration::from_millis(10));
        }
    }
}

/// The question stands on the screen below the victims until it is answered, and no progress is drawn over it.
fn asked(session: &Session) {
    session.until(QUESTION);
    // Spinners turn several times a second.
    thread::sleep(Duration::from_millis(700));
    let text = session.text();
    let line =
        |what: &str| text.lines().position(|line| line.contains(what)).unwrap_or_else(|| panic!("{what}:\n{text}"));
    assert!(line("You are about to evict") < line("pod/low-a") && line("pod/low-a") < line(QUESTION), "{text}");
    assert_eq!(text.trim_end().lines().next_back().map(str::trim_end), Some(QUESTION), "{text}");
}

#[test]
fn the_question_stays_on_the_screen_until_it_is_answered() {
    for size in [(24, 80), (50, 120)] {
        for (keys, code) in [("y\n", 0), ("n\n", 2), ("\u{4}", 2), (CTRL_C, 130)] {
            let rig = rig();
            let mut session = Session::start(&rig, size, &[]);
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
fn with_yes_the_progress_of_each_victim_is_drawn() {
    let rig = rig();
    let mut session = Session::start(&rig, (24, 80), &["--yes"]);
    session.until("shop/low-a: ");
    assert_eq!(session.end().code(), Some(0), "{}", session.text());
    assert!(!session.text().contains(QUESTION));
    assert_eq!(sent(&rig).len(), 2);
}

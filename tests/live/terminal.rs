//! The program on a pseudo-terminal, whose screen is read by a terminal emulator.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use vt100::Parser;

use super::pending::terminal_of;

pub const CTRL_C: &str = "\u{3}";
const PATIENCE: Duration = Duration::from_secs(30);

/// The program on a terminal.
pub struct Session {
    pub child: Child,
    screen: Arc<Mutex<Parser>>,
    keyboard: File,
}

impl Session {
    /// Starts `command` on a terminal of this size.
    pub fn start(command: &mut Command, size: (u16, u16)) -> Self {
        let (ours, theirs) = terminal_of(size.0, size.1);
        command
            .stdin(Stdio::from(theirs.try_clone().unwrap()))
            .stdout(Stdio::from(theirs.try_clone().unwrap()));
        let child = command.stderr(Stdio::from(theirs)).spawn().unwrap();
        let screen = Arc::new(Mutex::new(Parser::new(
            size.0.try_into().unwrap(),
            size.1.try_into().unwrap(),
            0,
        )));
        let (shown, mut from) = (screen.clone(), ours.try_clone().unwrap());
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(n @ 1..) = from.read(&mut buffer) {
                shown.lock().unwrap().process(&buffer[..n]);
            }
        });
        Self { child, screen, keyboard: ours }
    }

    /// Whether the alternate screen is shown.
    pub fn is_alternate(&self) -> bool {
        self.screen.lock().unwrap().screen().alternate_screen()
    }

    /// Whether the cursor is hidden.
    pub fn hides_cursor(&self) -> bool {
        self.screen.lock().unwrap().screen().hide_cursor()
    }

    /// Sends a signal.
    pub fn signal(&self, signal: &str) {
        let sent =
            Command::new("kill").args([signal, &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }

    /// Gives the terminal another size.
    pub fn resize(&self, (rows, columns): (u16, u16)) {
        let size =
            rustix::termios::Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        rustix::termios::tcsetwinsize(&self.keyboard, size).unwrap();
        self.screen
            .lock()
            .unwrap()
            .screen_mut()
            .set_size(rows.try_into().unwrap(), columns.try_into().unwrap());
        self.signal("-WINCH");
    }

    pub fn text(&self) -> String {
        self.screen.lock().unwrap().screen().contents()
    }

    /// Waits until the screen shows `what`.
    pub fn until(&self, what: &str) {
        self.wait(what, |session| session.text().contains(what));
    }

    /// Waits until `holds`; `what` is said if that takes too long.
    pub fn wait(&self, what: &str, holds: impl Fn(&Self) -> bool) {
        let since = Instant::now();
        while !holds(self) {
            assert!(since.elapsed() < PATIENCE, "{what:?} does not come:\n{}", self.text());
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Types `keys`. Ctrl-C is sent as the signal that a terminal makes of it for its own
    /// processes.
    pub fn press(&mut self, keys: &str) {
        if keys == CTRL_C {
            let interrupt =
                Command::new("kill").arg("-INT").arg(self.child.id().to_string()).status();
            assert!(interrupt.unwrap().success());
            return;
        }
        self.keyboard.write_all(keys.as_bytes()).unwrap();
    }

    /// Types characters as they are.
    pub fn type_text(&mut self, text: &str) {
        self.keyboard.write_all(text.as_bytes()).unwrap();
    }

    /// Presses `q`, with which the program ends.
    pub fn quit(&mut self) {
        self.press("q");
        assert_eq!(self.end().code(), Some(0));
    }

    pub fn end(&mut self) -> ExitStatus {
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

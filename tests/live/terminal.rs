//! The program on a pseudo-terminal, whose screen is read by a terminal emulator.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use tokio::signal::unix::{SignalKind, signal};
use vt100::{Callbacks, Parser, Screen};

use super::pending::terminal_of;

pub const CTRL_C: &str = "\u{3}";
const PATIENCE: Duration = Duration::from_secs(30);

/// The program on a terminal.
pub struct Session {
    pub child: Child,
    screen: Arc<Mutex<Parser<LineWrap>>>,
    /// Reads what the program writes, until there is no more.
    reader: thread::JoinHandle<()>,
    keyboard: File,
}

/// Whether lines wrap at the edge. The emulator wraps them in any case.
struct LineWrap {
    is_on: bool,
}

impl Callbacks for LineWrap {
    fn unhandled_csi(
        &mut self,
        _: &mut Screen,
        first: Option<u8>,
        _: Option<u8>,
        parameters: &[&[u16]],
        last: char,
    ) {
        if first == Some(b'?') && parameters == [&[7]] {
            self.is_on = last == 'h';
        }
    }
}

/// Gives the programs that are started from now on the default action for SIGHUP. If this one was
/// started under nohup, they would ignore the signal as it does; one with a handler is reset when
/// another program is executed.
fn handle_hang_up() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let _inside = runtime.enter();
    let _handled = signal(SignalKind::hangup()).unwrap();
}

impl Session {
    /// Starts `command` on a terminal of this size.
    pub fn start(command: &mut Command, size: (u16, u16)) -> Self {
        handle_hang_up();
        let (ours, theirs) = terminal_of(size.0, size.1);
        command
            .stdin(Stdio::from(theirs.try_clone().unwrap()))
            .stdout(Stdio::from(theirs.try_clone().unwrap()));
        let child = command.stderr(Stdio::from(theirs)).spawn().unwrap();
        // Once the program has ended nobody holds its side, so that what it wrote has an end.
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let screen = Arc::new(Mutex::new(Parser::new_with_callbacks(
            size.0.try_into().unwrap(),
            size.1.try_into().unwrap(),
            0,
            LineWrap { is_on: true },
        )));
        let (shown, mut from) = (screen.clone(), ours.try_clone().unwrap());
        let reader = thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(n @ 1..) = from.read(&mut buffer) {
                shown.lock().unwrap().process(&buffer[..n]);
            }
        });
        Self { child, screen, reader, keyboard: ours }
    }

    /// Whether the alternate screen is shown.
    pub fn is_alternate(&self) -> bool {
        self.screen.lock().unwrap().screen().alternate_screen()
    }

    /// Whether the cursor is hidden.
    pub fn hides_cursor(&self) -> bool {
        self.screen.lock().unwrap().screen().hide_cursor()
    }

    /// Whether lines wrap.
    pub fn wraps_lines(&self) -> bool {
        self.screen.lock().unwrap().callbacks().is_on
    }

    /// The rows of the screen.
    pub fn rows(&self) -> Vec<String> {
        let parser = self.screen.lock().unwrap();
        let (_, columns) = parser.screen().size();
        parser.screen().rows(0, columns.get()).collect()
    }

    /// Whether some row goes on in the next one.
    pub fn has_wrapped_row(&self) -> bool {
        let parser = self.screen.lock().unwrap();
        let (rows, _) = parser.screen().size();
        (0..rows.get()).any(|row| parser.screen().row_wrapped(row))
    }

    /// The rows that are reversed over the whole width, and those that are in part.
    pub fn reversed_rows(&self) -> (Vec<usize>, Vec<usize>) {
        let parser = self.screen.lock().unwrap();
        let (rows, columns) = parser.screen().size();
        let (mut whole, mut partly) = (Vec::new(), Vec::new());
        for row in 0..rows.get() {
            let is_reversed = |column: &u16| parser.screen().cell(row, *column).unwrap().inverse();
            match (0..columns.get()).filter(is_reversed).count() {
                0 => {}
                count if count == usize::from(columns.get()) => whole.push(usize::from(row)),
                _ => partly.push(usize::from(row)),
            }
        }
        (whole, partly)
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
                self.wait("all that it wrote", |session| session.reader.is_finished());
                return status;
            }
            if since.elapsed() > PATIENCE {
                let threads = threads_of(self.child.id());
                self.child.kill().unwrap();
                panic!("the program does not end:\n{}\n{threads}", self.text());
            }
            thread::sleep(Duration::from_millis(10));
        }
    }
}

/// What each thread of a process waits for, where the system says that.
fn threads_of(process: u32) -> String {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{process}/task")) else {
        return String::new();
    };
    let of = |thread: std::fs::DirEntry| {
        let read = |name| std::fs::read_to_string(thread.path().join(name)).unwrap_or_default();
        format!("{} waits in {}", read("comm").trim(), read("wchan"))
    };
    threads.flatten().map(of).collect::<Vec<_>>().join("\n")
}

use vt100::Parser;

use super::*;
use render::page::lines::screen_lines;
use render::page::{Page, Paper, Span, Tone};

const SIZE: TerminalSize = TerminalSize { columns: 20, rows: 3 };

/// A terminal of [`SIZE`], and what was drawn on it last.
struct Emulator {
    parser: Parser,
    drawn: Option<DrawnScreen>,
}

impl Emulator {
    fn new() -> Self {
        let (rows, columns) = (SIZE.rows.try_into().unwrap(), SIZE.columns.try_into().unwrap());
        Self { parser: Parser::new(rows, columns, 0), drawn: None }
    }

    /// Draws these lines. Returns what was written for that.
    fn draw(&mut self, size: TerminalSize, lines: Vec<ScreenLine>) -> String {
        let drawn = DrawnScreen { size, lines };
        let update = drawn.update(self.drawn.as_ref()).unwrap();
        self.parser.process(&update);
        self.drawn = Some(drawn);
        String::from_utf8(update).unwrap()
    }

    /// The texts of its rows. Those that were drawn reversed end with spaces.
    fn rows(&self) -> Vec<String> {
        let rows = self.parser.screen().rows(0, SIZE.columns);
        rows.map(|row| row.trim_end().to_owned()).collect()
    }

    fn cells(&self, row: u16) -> impl Iterator<Item = &vt100::Cell> {
        (0..SIZE.columns).map(move |column| self.parser.screen().cell(row, column).unwrap())
    }
}

fn line(text: &str, look: Look) -> ScreenLine {
    ScreenLine::new(Printable::new(text), look)
}

fn printed(texts: [&str; 3]) -> Vec<ScreenLine> {
    texts.map(|text| line(text, Look::Printed)).into()
}

#[test]
fn chosen_line_is_reversed_over_the_whole_width_also_after_a_colour() {
    let mut page = Page::default();
    let bad = || Span::new("blocked", Tone::Bad);
    page.line(0, vec!["web ".into(), bad(), " 9".into()]);
    page.line(0, vec!["db ".into(), bad(), " 8".into()]);
    let text = page.print(Paper { color: true, ..Paper::PLAIN });
    let lines = screen_lines(&text, 0..2, SIZE.columns);
    let [first, second] = [0, 1].map(|at| ScreenLine::new(lines[at].clone(), Look::Printed));
    let mut emulator = Emulator::new();

    emulator.draw(SIZE, vec![first.reversed(), second.clone()]);
    assert_eq!(emulator.rows(), ["web blocked 9", "db blocked 8", ""]);
    assert!(emulator.cells(0).all(vt100::Cell::inverse));
    assert!(!emulator.cells(1).any(vt100::Cell::inverse));
    assert!(emulator.cells(1).any(vt100::Cell::bold), "the other lines keep their colours");

    emulator.draw(SIZE, vec![first, second.reversed()]);
    assert!(!emulator.cells(0).any(vt100::Cell::inverse));
    assert!(emulator.cells(0).any(vt100::Cell::bold));
    assert!(emulator.cells(1).all(vt100::Cell::inverse));
}

#[test]
fn line_of_the_whole_width_keeps_its_last_character_and_moves_no_other() {
    let whole = "0123456789abcdefghij";
    let mut emulator = Emulator::new();
    for look in [Look::Printed, Look::Reversed] {
        emulator.draw(SIZE, vec![line(whole, look), line("below", look), line(whole, look)]);
        assert_eq!(emulator.rows(), [whole, "below", whole], "{look:?}");
    }
    emulator.draw(SIZE, printed(["short", "", "x"]));
    assert_eq!(emulator.rows(), ["short", "", "x"], "nothing is left of longer lines");
}

#[test]
fn lines_that_are_there_are_not_written_again_unless_the_size_changes() {
    let mut emulator = Emulator::new();
    let first = emulator.draw(SIZE, printed(["head", "row", "keys"]));
    assert!(first.contains("head") && first.contains("row") && first.contains("keys"));
    let second = emulator.draw(SIZE, printed(["head", "other", "keys"]));
    assert!(second.contains("other") && !second.contains("head") && !second.contains("keys"));
    assert_eq!(emulator.rows(), ["head", "other", "keys"]);

    let smaller = TerminalSize { rows: 2, ..SIZE };
    let third = emulator.draw(smaller, printed(["head", "other", "keys"]));
    assert!(third.contains("head") && third.contains("other"));
    assert!(!third.contains("keys"), "there is no line for it");
    assert_eq!(emulator.rows(), ["head", "other", ""]);
}

#[test]
fn heading_and_keys_stand_out_and_the_next_line_does_not() {
    let mut emulator = Emulator::new();
    let lines = vec![line("none", Look::Bold), line("keys", Look::Dim), line("row", Look::Printed)];
    emulator.draw(SIZE, lines);
    let looks = [0, 1, 2].map(|row| {
        let cell = emulator.cells(row).next().unwrap();
        (cell.bold(), cell.dim())
    });
    assert_eq!(looks, [(true, false), (false, true), (false, false)]);
}

#[test]
fn update_is_one_synchronized_update() {
    let update = Emulator::new().draw(SIZE, printed(["a", "b", "c"]));
    assert!(update.starts_with("\u{1b}[?2026h") && update.ends_with("\u{1b}[?2026l"), "{update:?}");
}

/// The hook of a panic and the mode of the terminal belong to a process, so the test is one.
#[cfg(unix)]
mod in_a_process {
    use std::env;
    use std::fs::File;
    use std::io::Read as _;
    use std::process::{Command, Stdio};

    use rustix::fs::{Mode, OFlags};
    use rustix::pty::OpenptFlags;
    use rustix::termios::{LocalModes, tcgetattr};

    use super::super::Terminal;
    use super::*;

    #[test]
    fn panic_of_another_thread_gives_the_terminal_back_before_its_message() {
        let ours = rustix::pty::openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        rustix::pty::grantpt(&ours).unwrap();
        rustix::pty::unlockpt(&ours).unwrap();
        let name = rustix::pty::ptsname(&ours, Vec::new()).unwrap();
        let flags = OFlags::RDWR | OFlags::NOCTTY;
        let theirs = rustix::fs::open(&*name, flags, Mode::empty()).unwrap();
        let stream = || Stdio::from(theirs.try_clone().unwrap());

        let child = concat!(module_path!(), "::child_panics_on_its_screen");
        let child = child.split_once("::").unwrap().1;
        let mut command = Command::new(env::current_exe().unwrap());
        command.args(["--exact", child, "--ignored", "--nocapture"]);
        command.stdin(stream()).stdout(stream()).stderr(stream());
        let status = command.status().unwrap();

        // The terminal stays open here, so what was written to it is read up to a mark.
        rustix::io::write(&theirs, b"END").unwrap();
        let mut written = Vec::new();
        let mut ours = File::from(ours);
        while !written.ends_with(b"END") {
            let mut byte = [0];
            ours.read_exact(&mut byte).unwrap();
            written.extend(byte);
        }
        let text = String::from_utf8_lossy(&written);
        assert_eq!(status.code(), Some(101), "{text}");
        let mode = tcgetattr(&theirs).unwrap().local_modes;
        assert!(mode.contains(LocalModes::ICANON | LocalModes::ECHO), "{mode:?}");
        let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("{what:?} in {text:?}"));
        assert!(at("\u{1b}[?1049h") < at("on the screen"));
        assert!(at("on the screen") < at("\u{1b}[?7h"), "lines wrap again");
        assert!(at("\u{1b}[?7h") < at("\u{1b}[?25h"), "the cursor is shown");
        assert!(at("\u{1b}[?25h") < at("\u{1b}[?1049l"), "the alternate screen is left");
        assert!(at("\u{1b}[?1049l") < at("in the decider"), "the message is seen");
    }

    #[test]
    #[ignore = "covers the terminal and ends the process: another test starts it"]
    fn child_panics_on_its_screen() {
        crate::crash::install();
        let mut terminal = Terminal::take().unwrap();
        terminal.draw(SIZE, printed(["on the screen", "", ""])).unwrap();
        let decider = std::thread::spawn(|| panic!("in the decider"));
        let _ = decider.join();
        unreachable!("the panic of a thread ends the process");
    }
}

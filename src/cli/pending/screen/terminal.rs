//! The terminal that a screen covers: it is taken, drawn on line by line, and given back.

use std::io::{self, Write as _};
use std::panic;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::style::{Attribute, Print, SetAttribute};
use crossterm::terminal::{
    BeginSynchronizedUpdate, Clear, ClearType, DisableLineWrap, EnableLineWrap,
    EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode,
    enable_raw_mode,
};
use crossterm::{execute, queue};

use crate::cli::output::held;
use render::page::lines;
use render::safe::Printable;

/// Whether the terminal is covered. A panic must know it, too, and it runs no destructor.
static COVERED: AtomicBool = AtomicBool::new(false);

/// The terminal's alternate screen. Dropping it gives the terminal back.
pub(super) struct Terminal {
    /// What is on it; `None` if that is not known.
    drawn: Option<DrawnScreen>,
}

/// What was drawn last.
struct DrawnScreen {
    size: TerminalSize,
    lines: Vec<ScreenLine>,
}

/// The size of a terminal; nothing at all if it has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct TerminalSize {
    pub columns: u16,
    pub rows: u16,
}

/// A line of the screen.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct ScreenLine {
    text: Printable,
    look: Look,
    /// What stands to its right, from this column on.
    beside: Option<(u16, Printable)>,
}

/// How a line is drawn, also where there are no colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Look {
    /// As it was printed.
    #[default]
    Printed,
    Bold,
    Dim,
    /// Reversed over the whole width, up to what stands beside it.
    Reversed,
}

impl ScreenLine {
    pub(super) fn new(text: Printable, look: Look) -> Self {
        Self { text, look, beside: None }
    }

    /// The same with another text to its right, from this column on.
    pub(super) fn beside(self, column: u16, text: Printable) -> Self {
        Self { beside: Some((column, text)), ..self }
    }

    /// The line as the chosen one. It loses its colours: each end of one would end the reversal.
    pub(super) fn reversed(&self) -> Self {
        Self::new(lines::unstyled(&self.text), Look::Reversed)
    }

    /// Writes the commands that draw it.
    fn queue(&self, out: &mut Vec<u8>, row: u16, size: TerminalSize) -> io::Result<()> {
        // Cleared before it is written: after a text that reaches the last column, the cursor is
        // still there, and clearing would take the last character away.
        queue!(out, MoveTo(0, row), Clear(ClearType::CurrentLine))?;
        match self.look {
            Look::Printed => {}
            Look::Bold => queue!(out, SetAttribute(Attribute::Bold))?,
            Look::Dim => queue!(out, SetAttribute(Attribute::Dim))?,
            Look::Reversed => {
                // Terminals do not clear in reverse, but they write spaces so.
                let columns = self.beside.as_ref().map_or(size.columns, |(column, _)| *column);
                let spaces = " ".repeat(usize::from(columns));
                queue!(out, SetAttribute(Attribute::Reverse), Print(spaces), MoveTo(0, row))?;
            }
        }
        queue!(out, Print(&*self.text), SetAttribute(Attribute::Reset))?;
        if let Some((column, text)) = &self.beside {
            queue!(out, MoveTo(*column, row), Print(&**text), SetAttribute(Attribute::Reset))?;
        }
        Ok(())
    }
}

impl DrawnScreen {
    /// The bytes that make a terminal show this after `before`, or whatever it shows if that is
    /// `None`.
    fn update(&self, before: Option<&Self>) -> io::Result<Vec<u8>> {
        // Terminals that know synchronized updates show all of it at once.
        let mut out = Vec::new();
        queue!(out, BeginSynchronizedUpdate, Hide)?;
        // Another size has moved what was drawn, or cut it.
        let before = before.filter(|before| before.size == self.size);
        if before.is_none() {
            queue!(out, Clear(ClearType::All))?;
        }
        let known = before.map_or(&[][..], |before| &before.lines);
        for (row, line) in (0..self.size.rows).zip(&self.lines) {
            if known.get(usize::from(row)) != Some(line) {
                line.queue(&mut out, row, self.size)?;
            }
        }
        queue!(out, EndSynchronizedUpdate)?;
        Ok(out)
    }
}

impl Terminal {
    /// Takes the terminal. What is logged from now on is written when it is given back.
    pub(super) fn take() -> io::Result<Self> {
        let mut terminal = Self { drawn: None };
        terminal.take_again()?;
        Ok(terminal)
    }

    /// Takes the terminal after it was given back. Others may have written to it.
    pub(super) fn take_again(&mut self) -> io::Result<()> {
        self.forget();
        held::cover();
        cover().inspect_err(|_| held::uncover())
    }

    /// Gives the terminal back until it is taken again.
    pub(super) fn give_back(&mut self) -> io::Result<()> {
        self.forget();
        let uncovered = uncover();
        held::uncover();
        uncovered
    }

    /// Forgets what was drawn, so that all of it is drawn again.
    pub(super) fn forget(&mut self) {
        self.drawn = None;
    }

    /// Draws these lines from the top on, in one write; those that are there already are left out.
    /// Something is written in any case, so that a closed terminal is noticed.
    pub(super) fn draw(&mut self, size: TerminalSize, lines: Vec<ScreenLine>) -> io::Result<()> {
        let before = self.drawn.take();
        let drawn = DrawnScreen { size, lines };
        let update = drawn.update(before.as_ref())?;
        let mut out = io::stdout().lock();
        out.write_all(&update)?;
        out.flush()?;
        self.drawn = Some(drawn);
        Ok(())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // There is nothing to restore if the terminal is closed.
        let _ = self.give_back();
    }
}

/// The size of the terminal at standard output.
pub(super) fn size() -> TerminalSize {
    let found = terminal_size::terminal_size_of(io::stdout());
    found.map_or_else(TerminalSize::default, |(width, height)| TerminalSize {
        columns: width.0,
        rows: height.0,
    })
}

/// Keys come at once and are not shown, and the shell's screen and its cursor are hidden. Lines do
/// not wrap: a character that is wider than expected must not move the rows below.
fn cover() -> io::Result<()> {
    uncover_on_panic();
    enable_raw_mode()?;
    COVERED.store(true, Ordering::SeqCst);
    execute!(io::stdout(), EnterAlternateScreen, DisableLineWrap, Hide).inspect_err(|_| {
        // The terminal does not take what is written to it, but its mode can be set.
        let _ = uncover();
    })
}

/// Undoes [`cover`], unless that is done already.
fn uncover() -> io::Result<()> {
    if !COVERED.swap(false, Ordering::SeqCst) {
        return Ok(());
    }
    // The mode first: it matters most, and can be set even if nothing can be written.
    let mode = disable_raw_mode();
    execute!(io::stdout(), EnableLineWrap, Show, LeaveAlternateScreen)?;
    mode
}

/// Gives the terminal back before a panic, of any thread, writes its message and ends the process.
fn uncover_on_panic() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let hook = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let _ = uncover();
            hook(info);
        }));
    });
}

#[cfg(test)]
mod tests;

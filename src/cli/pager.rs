//! Shows long answers in a pager if the user requested one: `--pager`, or `KUBECTL_PREEMPT_PAGER`.

use std::ffi::OsString;
use std::io::{self, IsTerminal as _, Write as _};
use std::process::{Child, Command, Stdio};

use super::flags::GlobalFlags;
use super::output::{self, Reader};
use render::safe::Printable;

/// The pager of this program only.
const OWN: &str = "KUBECTL_PREEMPT_PAGER";
/// The pager of every program; it is used if the flag requests one.
const COMMON: &str = "PAGER";
/// The default pager.
const DEFAULT: &str = "less";
/// Default options of less: quit if the text fits on one screen, keep colours, do not clear the
/// screen.
const LESS: &str = "FRX";

/// Writes a page to standard output; through the pager if that is a terminal and a pager is
/// requested.
///
/// # Errors
/// When standard output cannot be written.
pub fn print(text: &Printable, global: &GlobalFlags) -> anyhow::Result<()> {
    AnswerOutput::new(global).write(text).map(|_| ())
}

/// Standard output, or the pager before it, for an answer in parts. Dropping it waits for the pager.
pub struct AnswerOutput<'g> {
    global: &'g GlobalFlags,
    /// Opened by the first part, because a pager takes the terminal.
    open: Option<OpenOutput>,
}

/// Where parts go.
enum OpenOutput {
    Stdout,
    Pager(Child),
}

impl<'g> AnswerOutput<'g> {
    /// Nothing is written yet.
    pub fn new(global: &'g GlobalFlags) -> Self {
        Self { global, open: None }
    }

    /// Writes the next part.
    ///
    /// # Errors
    /// When standard output cannot be written.
    pub fn write(&mut self, part: &Printable) -> anyhow::Result<Reader> {
        match self.open.get_or_insert_with(|| open(self.global)) {
            OpenOutput::Stdout => output::write(part),
            OpenOutput::Pager(child) => {
                // An error means that the user left the pager before the end.
                let written = child.stdin.as_mut().map(|input| input.write_all(part.as_bytes()));
                let reads = matches!(written, Some(Ok(())));
                Ok(if reads { Reader::Reads } else { Reader::HasLeft })
            }
        }
    }
}

impl Drop for AnswerOutput<'_> {
    fn drop(&mut self) {
        if let Some(OpenOutput::Pager(child)) = &mut self.open {
            // The wait closes the pager's input. The program has nothing to do with how it ends.
            let _ = child.wait();
        }
    }
}

/// Whether answers go through a pager, which has room for all of them.
pub fn is_wanted(global: &GlobalFlags) -> bool {
    of_terminal(global).is_some()
}

/// The pager that is requested, if standard output is a terminal.
fn of_terminal(global: &GlobalFlags) -> Option<OsString> {
    let pager = wanted(global.pager, |name| std::env::var_os(name));
    pager.filter(|_| io::stdout().is_terminal())
}

/// Starts the pager if one is requested.
fn open(global: &GlobalFlags) -> OpenOutput {
    match of_terminal(global).map(|pager| start(&pager)) {
        None => OpenOutput::Stdout,
        Some(Ok(child)) => OpenOutput::Pager(child),
        Some(Err(e)) => {
            output::warn(global, &format!("the pager cannot be started: {e}"));
            OpenOutput::Stdout
        }
    }
}

/// The shell command of the pager.
fn wanted(flag: bool, env: impl Fn(&str) -> Option<OsString>) -> Option<OsString> {
    let set = |name| env(name).filter(|value| !value.is_empty());
    set(OWN).or_else(|| flag.then(|| set(COMMON).unwrap_or_else(|| DEFAULT.into())))
}

fn start(pager: &OsString) -> io::Result<Child> {
    let mut command = shell();
    command.arg(pager).stdin(Stdio::piped());
    if std::env::var_os("LESS").is_none() {
        command.env("LESS", LESS);
    }
    command.spawn()
}

#[cfg(unix)]
fn shell() -> Command {
    let mut shell = Command::new("/bin/sh");
    shell.arg("-c");
    shell
}

#[cfg(not(unix))]
fn shell() -> Command {
    let mut shell = Command::new("cmd");
    shell.arg("/C");
    shell
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::wanted;

    #[test]
    fn only_the_flag_or_a_variable_of_our_own_ask_for_a_pager() {
        let common = [("PAGER", "more")];
        let own = [("PAGER", "more"), ("KUBECTL_PREEMPT_PAGER", "most -s")];
        let none = [("KUBECTL_PREEMPT_PAGER", "")];
        for (flag, variables, pager) in [
            (false, &common[..], None),
            (true, &common, Some("more")),
            (false, &own, Some("most -s")),
            (true, &own, Some("most -s")),
            (false, &none, None),
            (true, &none, Some("less")),
        ] {
            let env = |name: &str| {
                variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into())
            };
            assert_eq!(wanted(flag, env), pager.map(OsString::from), "{flag} {variables:?}");
        }
    }
}

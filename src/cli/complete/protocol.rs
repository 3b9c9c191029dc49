//! The protocol of completion between kubectl and plugins: kubectl runs `kubectl_complete-preempt
//! ARGS… LAST` and reads one candidate per line, `value<TAB>description`, and a last line `:N` with
//! the shell's directive. Upstream: `kubectl/pkg/cmd/plugin_completion.go`, and cobra's
//! `ShellCompDirective`.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

/// The first argument with which the helper of `completion --install` calls this program.
const WORD: &str = "__complete";
/// Prefix of the helper that kubectl looks for. The program itself may also have such a name.
const HELPER: &str = "kubectl_complete-";
/// Time limit of the reply, because the user is waiting; on timeout it has no candidates.
pub(super) const DEADLINE: Duration = Duration::from_millis(800);

/// Directive: complete file names.
pub(super) const FILES: u32 = 0;
/// Directive: add no space after a candidate.
pub(super) const NO_SPACE: u32 = 2;
/// Directive: complete no file names.
pub(super) const NO_FILES: u32 = 4;
/// Directive: complete folders.
pub(super) const FOLDERS: u32 = 16;
/// Directive: keep the order of the candidates.
pub(super) const KEEP_ORDER: u32 = 32;

/// The words to complete, the last possibly partial; `None` if the program was not called for
/// completion.
pub fn requested(arguments: &[OsString]) -> Option<Vec<OsString>> {
    let (program, rest) = arguments.split_first()?;
    let stem = Path::new(program).file_stem();
    if stem.is_some_and(|stem| stem.to_string_lossy().starts_with(HELPER)) {
        return Some(rest.to_vec());
    }
    rest.split_first().filter(|(first, _)| *first == WORD).map(|(_, words)| words.to_vec())
}

#[derive(Debug)]
pub(super) struct Completions {
    pub(super) candidates: Vec<(String, String)>,
    /// A sum of directives.
    pub(super) directive: u32,
}

impl Completions {
    pub(super) const EMPTY: Self = Self { candidates: Vec::new(), directive: NO_FILES };

    /// The reply in kubectl's format.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for (value, description) in &self.candidates {
            text.push_str(value);
            if !description.is_empty() {
                text.push('\t');
                text.push_str(description);
            }
            text.push('\n');
        }
        text.push_str(&format!(":{}\n", self.directive));
        text
    }
}

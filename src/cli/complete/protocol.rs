//! How kubectl asks a plugin for completions: it runs `kubectl_complete-preempt ARGS… LAST` and
//! reads one candidate per line, `value<TAB>description`, and a last line `:N`, what the shell does
//! with them. Upstream: `kubectl/pkg/cmd/plugin_completion.go`, and cobra's `ShellCompDirective`.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

/// The first argument with which the helper of `completion --install` calls this program.
const WORD: &str = "__complete";
/// What the name begins with under which kubectl looks for the helper of a plugin. The program may
/// also have such a name itself.
const HELPER: &str = "kubectl_complete-";
/// The user waits for the answer, so it is given within this time, with or without candidates.
pub(super) const DEADLINE: Duration = Duration::from_millis(800);

/// Directive: complete file names.
pub(super) const FILES: u32 = 0;
/// Directive: add no space behind a candidate.
pub(super) const NO_SPACE: u32 = 2;
/// Directive: complete no file names.
pub(super) const NO_FILES: u32 = 4;
/// Directive: complete folders.
pub(super) const FOLDERS: u32 = 16;
/// Directive: keep the order of the candidates.
pub(super) const KEEP_ORDER: u32 = 32;

/// The words to complete, the last as far as it is typed; `None` if the program was not called to
/// complete.
#[must_use]
pub fn requested(arguments: &[OsString]) -> Option<Vec<OsString>> {
    let (program, rest) = arguments.split_first()?;
    let stem = Path::new(program).file_stem();
    if stem.is_some_and(|stem| stem.to_string_lossy().starts_with(HELPER)) {
        return Some(rest.to_vec());
    }
    rest.split_first().filter(|(first, _)| *first == WORD).map(|(_, words)| words.to_vec())
}

/// Candidates with their descriptions, and what the shell does with them.
#[derive(Debug)]
pub(super) struct Completions {
    /// Values and descriptions.
    pub(super) candidates: Vec<(String, String)>,
    /// A sum of directives.
    pub(super) directive: u32,
}

impl Completions {
    /// No candidates.
    pub(super) const EMPTY: Self = Self { candidates: Vec::new(), directive: NO_FILES };

    /// The answer as kubectl reads it.
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
